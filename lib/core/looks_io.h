/*
 * looks_io.h - looks in the JSON of a model: cscg-model(5)
 */
#ifndef CSCG_LOOKS_IO_H
#define CSCG_LOOKS_IO_H

#include "io/json.h"
#include "core/looks.h"

/* The optional "looks" of obj into m->looks; 0, or -1 with err filled. */
int cscg_looks_get(json_t *obj, struct cscg_model *m, struct cscg_err *err);

/* Those of m into obj, if there are any. */
int cscg_looks_put(json_t *obj, const struct cscg_model *m,
    struct cscg_err *err);

#endif
