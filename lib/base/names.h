/*
 * names.h - name lists of actions and symbols, lookup, and maps between two
 * lists
 */
#ifndef CSCG_NAMES_H
#define CSCG_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cscg_names {
	int n; /* 0 with v NULL: unnamed */
	char **v;
};

/*
 * Names are UTF-8 without control characters, C1 included (CSCG_EFORMAT).
 * cscg_names_copy() and cscg_names_set() overwrite *to without freeing it.
 */
int cscg_names_copy(struct cscg_names *to, const struct cscg_names *from,
    struct cscg_err *err);

/* From a NULL-terminated list of words. */
int cscg_names_set(struct cscg_names *to, const char *const *words,
    struct cscg_err *err);

/* Append a copy of name. */
int cscg_names_add(struct cscg_names *to, const char *name,
    struct cscg_err *err);

void cscg_names_free(struct cscg_names *names); /* empty afterwards */

/* Name i, or the number i in buf if there are no names; NULL for i < 0. */
enum { CSCG_NUMBER_TEXT = 16 };
const char *cscg_name_or_number(const struct cscg_names *names, int i,
    char buf[CSCG_NUMBER_TEXT]);

/* Index of name, or -1. */
int cscg_names_find(const struct cscg_names *names, const char *name);

/*
 * Map the n_from items with names from to the n_to items with names to: map[i]
 * for each i < n_from.  Items are matched by name if both lists are named,
 * else by index, and then n_from must be n_to.  what ("action") is for the
 * message.  Returns 0, or -1 with err filled (CSCG_EMISMATCH: a name that to
 * lacks, unequal numbers).
 */
int cscg_names_map(const struct cscg_names *from, int n_from,
    const struct cscg_names *to, int n_to, const char *what, int *map,
    struct cscg_err *err);

/*
 * names numbered in the order of their first occurrence
 */

struct cscg_dict {
	struct cscg_names names;
	struct {
		uint64_t key; /* the bytes of a short name, or a hash */
		int number;   /* index of the name + 1; 0: free */
	} * slot;
	size_t n_slots; /* a power of two, or 0 */
};

/* Index of name, or -1. */
int cscg_dict_find(const struct cscg_dict *d, const char *name);

/* The same, faster, of a name behind which CSCG_DICT_PADDING bytes can be read. */
enum { CSCG_DICT_PADDING = 8 };
int cscg_dict_find_padded(const struct cscg_dict *d, const char *name);

/* Index of name, which is added if absent; -1 with err filled. */
int cscg_dict_add(struct cscg_dict *d, const char *name, struct cscg_err *err);

void cscg_dict_free(struct cscg_dict *d); /* d is empty afterwards */

#endif
