/*
 * dict.h - names numbered in the order they first appear
 */
#ifndef CSCG_DICT_H
#define CSCG_DICT_H

#include <stddef.h>

#include "base/err.h"
#include "base/names.h"

struct cscg_dict {
	struct cscg_names names;
	int *slot;		/* number + 1 of a name, 0: free */
	size_t n_slots;		/* a power of two, or 0 */
};

/* Index of name, or -1. */
int cscg_dict_find(const struct cscg_dict *d, const char *name);

/* Index of name, which is added if it is new; -1 with err filled. */
int cscg_dict_add(struct cscg_dict *d, const char *name, struct cscg_err *err);

void cscg_dict_free(struct cscg_dict *d);	/* empties it, too */

#endif
