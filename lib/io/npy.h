/*
 * npy.h - NumPy .npy array files
 *
 * Arrays of up to four dimensions.  Read: format versions 1.0 to 3.0;
 * booleans, integers of 1 to 8 bytes and floats of 4 or 8, little-endian, in
 * C's order or Fortran's.  Written: version 1.0 in C's order.  The message for
 * any other array names its type.
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
 * Read the array of in, which must hold nothing after it; a is empty or freed.
 * Returns 0, or -1 with err filled and the file named:
 *   CSCG_EFORMAT  no .npy file, or an unsupported type of array
 *   CSCG_ERANGE   a size that does not fit; an integer beyond 2^53
 *   CSCG_ECUT     fewer or more bytes than the shape requires
 *   CSCG_ENOMEM
 */
int cscg_npy_read(struct cscg_in *in, struct cscg_npy *a,
    struct cscg_err *err);

/*
 * The same in pieces, for arrays that are not to be converted to doubles: read
 * the head, then all items in the order of the file, then check that the file
 * ends.  Errors are as above.
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
/* Read n items, unconverted; from is the number of items read before. */
int cscg_npy_read_items(struct cscg_in *in, const struct cscg_npy_head *head,
    long from, long n, void *to, struct cscg_err *err);
int cscg_npy_check_end(struct cscg_in *in, struct cscg_err *err);

/* The item at p, as stored in the file, converted to double. */
double cscg_npy_value(const struct cscg_npy_head *head,
    const unsigned char *p);

/* Position in the file of item i of C's order. */
long cscg_npy_offset(const struct cscg_npy_head *head, long i);

void cscg_npy_free(struct cscg_npy *a); /* a is empty afterwards */

/* Write 8-byte floats (or 4-byte ones if single); -1 with err filled. */
int cscg_npy_write(struct cscg_out *out, int ndim, const long *shape,
    const double *data, bool single, struct cscg_err *err);

/*
 * Write the header of an array of bytes, u1; the caller then writes the bytes,
 * the product of shape.
 */
int cscg_npy_write_byte_head(struct cscg_out *out, int ndim, const long *shape,
    struct cscg_err *err);

/* Write 8-byte integers. */
int cscg_npy_write_ints(struct cscg_out *out, int ndim, const long *shape,
    const int *data, struct cscg_err *err);

#endif
