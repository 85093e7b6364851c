/*
 * codebook_io.h - codebooks as JSON: cscg-codebook(5); centroids as .npy
 */
#ifndef CSCG_CODEBOOK_IO_H
#define CSCG_CODEBOOK_IO_H

#include "core/codebook.h"
#include "io/stream.h"

/*
 * The next codebook of in: 1 with *book new, 0 at a clean end, -1 with err
 * filled and the place named.
 */
int cscg_codebook_read_next(struct cscg_in *in, struct cscg_codebook **book,
    struct cscg_err *err);

/* The codebook that a file is; path "-" is standard input. */
struct cscg_codebook *cscg_codebook_read_file(const char *path,
    struct cscg_err *err);

int cscg_codebook_write(const struct cscg_codebook *book,
    struct cscg_out *out, struct cscg_err *err);

/* The centroids alone, an array of k frames: f4 if they are of bytes, or f8. */
int cscg_codebook_write_npy(const struct cscg_codebook *book,
    struct cscg_out *out, struct cscg_err *err);

/*
 * Centroids from a .npy file, new: k * dim numbers; they must fit frames of
 * this shape (CSCG_EMISMATCH) and be finite (CSCG_ERANGE).  *k is 0 on entry
 * if any number will do, and else the number there must be.
 */
double *cscg_codebook_read_npy(const char *path, int ndim, const long *shape,
    int *k, struct cscg_err *err);

#endif
