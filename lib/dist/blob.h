/*
 * blob.h - binary serialisation for ranks and checkpoints
 *
 * Bytes are in the byte order of this machine; a file of blobs records the
 * byte order (checkpoint.h).  Readers do not trust the data: reading past the
 * end fails with CSCG_ECUT.
 *
 * After a failure every call for the same blob fails and leaves err as it is, so
 * that only the last call of a sequence need be checked.
 */
#ifndef CSCG_BLOB_H
#define CSCG_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "core/model.h"

struct cscg_blob {
	char *p;
	size_t n, cap; /* bytes */
	size_t at;     /* position of the next read */
	bool failed;
};

/* An all-zero struct is an empty blob; b is empty afterwards. */
void cscg_blob_free(struct cscg_blob *b);

/* Append.  0, or -1 with err filled (CSCG_ENOMEM). */
int cscg_blob_write(struct cscg_blob *b, const void *v, size_t n,
    struct cscg_err *err);
int cscg_blob_write_long(struct cscg_blob *b, long v, struct cscg_err *err);
int cscg_blob_write_double(struct cscg_blob *b, double v,
    struct cscg_err *err);
int cscg_blob_write_string(struct cscg_blob *b, const char *s,
    struct cscg_err *err);
/* A NULL array is read back as NULL. */
int cscg_blob_write_array(struct cscg_blob *b, const void *v, size_t n,
    size_t size, struct cscg_err *err);
/* A blob within a blob. */
int cscg_blob_write_blob(struct cscg_blob *b, const struct cscg_blob *in,
    struct cscg_err *err);

/* Read from the beginning, also after a failure. */
void cscg_blob_rewind(struct cscg_blob *b);

/* Read, in the order of writing.  A number that cannot be read is 0 or lo. */
int cscg_blob_read(struct cscg_blob *b, void *v, size_t n,
    struct cscg_err *err);
int cscg_blob_read_long(struct cscg_blob *b, long lo, long hi, long *v,
    struct cscg_err *err);
int cscg_blob_read_double(struct cscg_blob *b, double *v,
    struct cscg_err *err);
/* New: free() it. */
int cscg_blob_read_string(struct cscg_blob *b, char **s, struct cscg_err *err);
/* *v is new, or NULL if NULL was written; unchanged if -1 is returned.  *n < 0 on entry: any number of
 * items; *n is set to their number. */
int cscg_blob_read_array(struct cscg_blob *b, void *v, long *n, size_t size,
    struct cscg_err *err);
/* *out is new, and has failed if b has. */
int cscg_blob_read_blob(struct cscg_blob *b, struct cscg_blob *out,
    struct cscg_err *err);

/* Write the counts and pi of m; read them in place of those of m. */
int cscg_blob_write_counts(struct cscg_blob *b, const struct cscg_model *m,
    struct cscg_err *err);
int cscg_blob_read_counts(struct cscg_blob *b, struct cscg_model *m,
    struct cscg_err *err);

/*
 * The part of a model that EM uses: sizes, clones, counts, pi, pseudocount.  A
 * model that is read is grounded and has no names.
 */
int cscg_blob_write_model(struct cscg_blob *b, const struct cscg_model *m,
    struct cscg_err *err);
struct cscg_model *cscg_blob_read_model(struct cscg_blob *b,
    struct cscg_err *err);

#endif
