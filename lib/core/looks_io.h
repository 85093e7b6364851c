/*
 * looks_io.h - looks in the JSON of a model: cscg-model(5)
 */
#ifndef CSCG_LOOKS_IO_H
#define CSCG_LOOKS_IO_H

#include "io/json.h"
#include "core/looks.h"

/* The optional "looks" of obj into m->frame_emission; 0, or -1 with err filled. */
int cscg_frame_emission_from_json(json_t *obj, struct cscg_model *m, struct cscg_err *err);

/* Those of m into obj, if there are any. */
int cscg_frame_emission_to_json(json_t *obj, const struct cscg_model *m,
    struct cscg_err *err);

#endif
