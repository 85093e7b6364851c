/*
 * npy.h - NumPy .npy array files
 *
 * Arrays of up to four dimensions.  Read: format versions 1.0 to 3.0; booleans,
 * integers of 1 to 8 bytes and floats of 4 or 8, little-endian, in C's order or
 * Fortran's.  Written: version 1.0 in C's order.  Other arrays are refused with
 * what they are.
 */
#ifndef CSCG_NPY_H
#define CSCG_NPY_H

#include <stdbool.h>

#include "base/error.h"
#include "io/stream.h"

enum { CSCG_NPY_DIMS = 4 };

struct cscg_npy {
	int ndim; /* 0: a single number */
	long shape[CSCG_NPY_DIMS];
	long size;    /* product of shape */
	bool is_int;  /* integers or booleans */
	double *data; /* [size], last index fastest */
};

/*
 * The array that in holds, and nothing behind it; a is empty or freed.
 * Returns 0, or -1 with err filled and the file named:
 *   CSCG_EFORMAT  no .npy file, or a kind of array we do not read
 *   CSCG_ERANGE   a size that does not fit; an integer beyond 2^53
 *   CSCG_ECUT     fewer bytes than the shape asks for, or more
 *   CSCG_ENOMEM
 */
int cscg_npy_read(struct cscg_in *in, struct cscg_npy *a,
    struct cscg_err *err);

/*
 * The same piece by piece, for arrays that are not wanted as doubles: begin,
 * then all items in the order of the file, then end, which sees that there are
 * no more.  Failures are as above.
 */
struct cscg_npy_head {
	int ndim;
	long shape[CSCG_NPY_DIMS], size;
	bool fortran; /* first index fastest */
	char type;    /* 'i', 'u', 'b' or 'f' */
	int item;     /* bytes */
};

int cscg_npy_read_head(struct cscg_in *in, struct cscg_npy_head *head,
    struct cscg_err *err);
/* n items as they stand in the file; from counts those before. */
int cscg_npy_read_items(struct cscg_in *in, const struct cscg_npy_head *head,
    long from, long n, void *to, struct cscg_err *err);
int cscg_npy_check_end(struct cscg_in *in, struct cscg_err *err);

/* The number at p, in a file's spelling. */
double cscg_npy_value(const struct cscg_npy_head *head,
    const unsigned char *p);

/* Where item i of C's order stands in the file. */
long cscg_npy_offset(const struct cscg_npy_head *head, long i);

void cscg_npy_free(struct cscg_npy *a); /* empties it, too */

/* Write 8-byte floats (or 4-byte ones if single); -1 with err filled. */
int cscg_npy_write(struct cscg_out *out, int ndim, const long *shape,
    const double *data, bool single, struct cscg_err *err);

/*
 * Write the header of an array of bytes, u1: the bytes are for the caller to
 * write, as many as shape says.
 */
int cscg_npy_write_byte_head(struct cscg_out *out, int ndim, const long *shape,
    struct cscg_err *err);

/* Write 8-byte integers. */
int cscg_npy_write_ints(struct cscg_out *out, int ndim, const long *shape,
    const int *data, struct cscg_err *err);

#endif
