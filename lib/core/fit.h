/*
 * fit.h - make a walk speak a model's language
 */
#ifndef CSCG_FIT_H
#define CSCG_FIT_H

#include "base/err.h"
#include "core/model.h"
#include "core/walk.h"

/*
 * How the model numbers what a walk with this header says: actions[i] for the
 * walk's action i, and for a grounded model symbols[x] for its symbol x (NULL
 * otherwise; by name where both are named, else by index).  A symbol that the
 * model lacks is -2: it may be in the alphabet as long as it is not seen.
 * Header and model are borrowed, for what cscg_alphabet_map_step() has to say.
 */
struct cscg_alphabet_map {
	const struct cscg_walk_header *head;
	const struct cscg_model *model;
	int *actions, *symbols;
};

/* -1 with err filled (CSCG_EMISMATCH: other actions; CSCG_ENOMEM). */
int cscg_alphabet_map_new(struct cscg_alphabet_map *map, const struct cscg_walk_header *head,
    const struct cscg_model *m, struct cscg_err *err);
void cscg_alphabet_map_free(struct cscg_alphabet_map *map);	/* empties it, too */

/*
 * Renumber one step in place; CSCG_EMISMATCH names a symbol that the model
 * lacks.  A goal that it lacks becomes none.
 */
int cscg_alphabet_map_step(const struct cscg_alphabet_map *map, struct cscg_step *step,
    struct cscg_err *err);

/*
 * Renumber a whole walk in place; its header becomes the model's, but keeps
 * names that the model lacks.  On failure (as above, with episode and step) the
 * walk is of no more use.
 */
int cscg_alphabet_map_walk(struct cscg_walk *w, const struct cscg_model *m,
    struct cscg_err *err);

#endif
