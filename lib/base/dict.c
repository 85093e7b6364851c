/*
 * dict.c - names numbered in the order they first appear
 *
 * An open hash table of numbers beside the list of names, at most half full.
 */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/dict.h"
#include "base/mem.h"

/* FNV-1a. */
static uint64_t
hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3;
	return h ^ h >> 32;
}

/* Where name is, or where it would go. */
static size_t
find_slot(const struct cscg_dict *d, const char *name)
{
	size_t i = hash(name) & (d->n_slots - 1);

	while (d->slot[i] && strcmp(d->names.v[d->slot[i] - 1], name))
		i = (i + 1) & (d->n_slots - 1);
	return i;
}

int
cscg_dict_find(const struct cscg_dict *d, const char *name)
{
	return d->n_slots ? d->slot[find_slot(d, name)] - 1 : -1;
}

static int
grow_slots(struct cscg_dict *d, struct cscg_err *err)
{
	struct cscg_dict larger = { .names = d->names };
	int i;

	if (d->n_slots && (size_t)d->names.n + 1 <= d->n_slots / 2)
		return 0;
	larger.n_slots = d->n_slots ? d->n_slots * 2 : 64;
	larger.slot = cscg_alloc(larger.n_slots, sizeof *larger.slot, err);
	if (!larger.slot)
		return -1;
	for (i = 0; i < d->names.n; i++)
		larger.slot[find_slot(&larger, d->names.v[i])] = i + 1;
	free(d->slot);
	*d = larger;
	return 0;
}

int
cscg_dict_add(struct cscg_dict *d, const char *name, struct cscg_err *err)
{
	int i = cscg_dict_find(d, name);

	if (i >= 0)
		return i;
	if (d->names.n == INT_MAX - 1)
		return cscg_fail(err, CSCG_ERANGE, "more than %d names",
		    INT_MAX - 1);
	if (grow_slots(d, err) < 0 || cscg_names_add(&d->names, name, err) < 0)
		return -1;
	d->slot[find_slot(d, name)] = d->names.n;
	return d->names.n - 1;
}

void
cscg_dict_free(struct cscg_dict *d)
{
	free(d->slot);
	cscg_names_free(&d->names);
	*d = (struct cscg_dict){ 0 };
}
