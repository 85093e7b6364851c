/* keys.c - 64-bit keys numbered in the order of their first occurrence */
#include <stdlib.h>

#include "base/keys.h"
#include "base/mem.h"

enum {
	FIRST_SLOTS = 1024,
	DIRECT_SLOTS = 4096, /* largest table with one slot per key */
};

int
cscg_keys_init(struct cscg_keys *keys, uint64_t n_keys, struct cscg_err *err)
{
	*keys = (struct cscg_keys){ .n_slots = FIRST_SLOTS,
		.is_direct = n_keys <= DIRECT_SLOTS };
	if (keys->is_direct)
		keys->n_slots = (size_t)n_keys;
	keys->slot = cscg_alloc(keys->n_slots, sizeof *keys->slot, err);
	return keys->slot ? 0 : -1;
}

void
cscg_keys_free(struct cscg_keys *keys)
{
	free(keys->key);
	free(keys->slot);
	*keys = (struct cscg_keys){ 0 };
}

static int
grow_slots(struct cscg_keys *keys, struct cscg_err *err)
{
	size_t n = keys->n_slots ? 2 * keys->n_slots : FIRST_SLOTS;
	long *slot = cscg_alloc(n, sizeof *slot, err), i;

	if (!slot)
		return -1;
	free(keys->slot);
	keys->slot = slot;
	keys->n_slots = n;
	for (i = 0; i < keys->n; i++)
		slot[cscg_keys_slot(keys, keys->key[i])] = i + 1;
	return 0;
}

long
cscg_keys_add(struct cscg_keys *keys, uint64_t key, struct cscg_err *err)
{
	size_t i;

	if (!keys->is_direct && 2 * (size_t)keys->n >= keys->n_slots &&
	    grow_slots(keys, err) < 0)
		return -1;
	i = cscg_keys_slot(keys, key);
	if (keys->slot[i])
		return keys->slot[i] - 1;
	if (cscg_grow(&keys->key, &keys->cap, (size_t)keys->n + 1,
		sizeof *keys->key, err) < 0)
		return -1;
	keys->key[keys->n] = key;
	keys->slot[i] = ++keys->n;
	return keys->n - 1;
}
