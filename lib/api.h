/*
 * api.h - shared by the files that implement cscg.h on top of all layers
 *
 * api_data.c has objects, arrays, files and k-means, api_learn.c and
 * api_plan.c the algorithms.  A function of cscg.h that a module implements
 * directly, such as cscg_model_copy(), is defined in that module.
 */
#ifndef CSCG_API_H
#define CSCG_API_H

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "cscg.h"

/*
 * The complete episodes of a walk, borrowed: cscg_walk_add_step() may have begun
 * another one.
 */
struct cscg_walk cscg_api_complete(const struct cscg_walk *walk);

/*
 * A copy of the complete episodes with actions, and with `symbols` also
 * symbols, renumbered to those of a model.  NULL with err filled.
 */
struct cscg_walk *cscg_api_align(const struct cscg_walk *walk,
    const struct cscg_model *m, bool symbols, struct cscg_err *err);

/*
 * The header of walks over an alphabet: 0, or -1 with err filled (CSCG_ERANGE,
 * CSCG_EFORMAT).  head is empty before; free it also on failure.
 */
int cscg_api_header(const struct cscg_alphabet *alphabet,
    struct cscg_walk_header *head, struct cscg_err *err);

/* 0 if lo <= v < hi, else -1 with err filled (CSCG_ERANGE). */
int cscg_api_check_index(const char *what, long v, long lo, long hi,
    struct cscg_err *err);

/* "0", "1", ...: names of n models for messages, new. */
char (*cscg_api_names(int n, struct cscg_err *err))[16];

#endif
