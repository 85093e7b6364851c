/*
 * keys.h - 64-bit keys numbered in the order of their first occurrence
 */
#ifndef CSCG_KEYS_H
#define CSCG_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Without keys if zeroed. */
struct cscg_keys {
	uint64_t *key; /* [n] by number */
	long n;
	/* A hash table, at most half full, or a slot for each possible key. */
	long *slot; /* [n_slots] 1 + number of a key; 0: free */
	size_t n_slots, cap;
	bool is_direct;
};

/*
 * A table for the keys 0 .. n_keys-1, with one slot per key if there are few
 * keys.  -1 with err filled (CSCG_ENOMEM).
 */
int cscg_keys_init(struct cscg_keys *keys, uint64_t n_keys,
    struct cscg_err *err);
void cscg_keys_free(struct cscg_keys *keys);

/* The number of a key, new or not; -1 with err filled (CSCG_ENOMEM). */
long cscg_keys_add(struct cscg_keys *keys, uint64_t key, struct cscg_err *err);

/* The slot of a key, or the free one for it; n_slots must not be 0. */
static inline size_t
cscg_keys_slot(const struct cscg_keys *keys, uint64_t key)
{
	uint64_t mixed = key * UINT64_C(0x9e3779b97f4a7c15);
	size_t mask = keys->n_slots - 1, i = (mixed ^ mixed >> 29) & mask;

	if (keys->is_direct)
		return (size_t)key;
	while (keys->slot[i] && keys->key[keys->slot[i] - 1] != key)
		i = (i + 1) & mask;
	return i;
}

/* The number of a key; -1: absent.  n_slots must not be 0. */
static inline long
cscg_keys_find(const struct cscg_keys *keys, uint64_t key)
{
	return keys->slot[cscg_keys_slot(keys, key)] - 1;
}

#endif
