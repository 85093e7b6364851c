/*
 * model_io.h - models as JSON, one a line: cscg-model(5)
 */
#ifndef CSCG_MODEL_IO_H
#define CSCG_MODEL_IO_H

#include "core/model.h"
#include "io/stream.h"

enum { CSCG_MODEL_VERSION = 1 };	/* of the format */

/* 1 with *m new, 0 at a clean end, -1 with err filled; else *m is NULL. */
int cscg_model_read(struct cscg_in *in, struct cscg_model **m,
    struct cscg_err *err);

/*
 * The only or first model of a file, which is read to its end to see that it
 * is whole; none is an error (CSCG_ECUT).
 */
struct cscg_model *cscg_model_read_file(const char *path,
    struct cscg_err *err);

int cscg_model_write(const struct cscg_model *m, struct cscg_out *out,
    struct cscg_err *err);

#endif
