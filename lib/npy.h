/*
 * npy.h - NumPy's array files, .npy
 *
 * Arrays of up to four dimensions in C order.  Read: format versions 1.0 to
 * 3.0; booleans, integers of 1 to 8 bytes and floats of 4 or 8, little-endian.
 * Written: version 1.0.  Other arrays are refused with what they are.
 */
#ifndef CSCG_NPY_H
#define CSCG_NPY_H

#include <stdbool.h>

#include "err.h"
#include "stream.h"

enum { CSCG_NPY_DIMS = 4 };

struct cscg_npy {
	int ndim;			/* 0: a single number */
	long shape[CSCG_NPY_DIMS];
	long size;			/* product of shape */
	bool is_int;			/* integers or booleans */
	double *data;			/* [size], last index fastest */
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

void cscg_npy_free(struct cscg_npy *a);	/* empties it, too */

/* Write 8-byte floats (or 4-byte ones if single); -1 with err filled. */
int cscg_npy_write(struct cscg_out *out, int ndim, const long *shape,
    const double *data, bool single, struct cscg_err *err);

/* Write 8-byte integers. */
int cscg_npy_write_ints(struct cscg_out *out, int ndim, const long *shape,
    const int *data, struct cscg_err *err);

#endif
