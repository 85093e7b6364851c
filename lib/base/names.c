/*
 * names.c - name lists of actions and symbols, lookup, and maps between two
 * lists
 */
#include <endian.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/utf8.h"

/* Names are printed one a line and in tables, and written as JSON. */
static int
check_name(const char *name, struct cscg_err *err)
{
	const char *s = name;
	int n;

	for (; *s; s += n) {
		n = cscg_utf8_length(s, CSCG_UTF8_MAX);
		if (!n)
			return cscg_fail(err, CSCG_EFORMAT,
			    "a name is not valid UTF-8");
		if (cscg_utf8_is_control(s))
			return cscg_fail(err, CSCG_EFORMAT,
			    "a name holds a control character");
	}
	return 0;
}

int
cscg_names_add(struct cscg_names *to, const char *name, struct cscg_err *err)
{
	char **v = to->v, *s;
	size_t n = (size_t)to->n;

	if (check_name(name, err) < 0)
		return -1;
	/* The first name: v NULL means unnamed. */
	s = cscg_copy(name, strlen(name) + 1, 1, err);
	if (!s)
		return -1;
	/* The capacity doubles whenever n reaches a power of two. */
	if ((n & (n - 1)) == 0) {
		v = realloc(v, (n ? 2 * n : 1) * sizeof *v);
		if (!v) {
			free(s);
			return cscg_fail(err, CSCG_ENOMEM,
			    "out of memory (%zu names)", n + 1);
		}
		to->v = v;
	}
	v[to->n++] = s;
	return 0;
}

int
cscg_names_copy(struct cscg_names *to, const struct cscg_names *from,
    struct cscg_err *err)
{
	int i;

	*to = (struct cscg_names){ 0, NULL };
	for (i = 0; i < from->n; i++) {
		if (cscg_names_add(to, from->v[i], err) < 0) {
			cscg_names_free(to);
			return -1;
		}
	}
	return 0;
}

int
cscg_names_set(struct cscg_names *to, const char *const *words,
    struct cscg_err *err)
{
	*to = (struct cscg_names){ 0, NULL };
	for (; *words; words++) {
		if (cscg_names_add(to, *words, err) < 0) {
			cscg_names_free(to);
			return -1;
		}
	}
	return 0;
}

void
cscg_names_free(struct cscg_names *names)
{
	int i;

	for (i = 0; i < names->n; i++)
		free(names->v[i]);
	free(names->v);
	*names = (struct cscg_names){ 0, NULL };
}

const char *
cscg_name_or_number(const struct cscg_names *names, int i,
    char buf[CSCG_NUMBER_TEXT])
{
	if (i < 0)
		return NULL;
	if (names && names->n)
		return names->v[i];
	snprintf(buf, CSCG_NUMBER_TEXT, "%d", i);
	return buf;
}

int
cscg_names_find(const struct cscg_names *names, const char *name)
{
	int i;

	for (i = 0; i < names->n; i++)
		if (!strcmp(names->v[i], name))
			return i;
	return -1;
}

int
cscg_names_map(const struct cscg_names *from, int n_from,
    const struct cscg_names *to, int n_to, const char *what, int *map,
    struct cscg_err *err)
{
	int i;

	if (!from->n || !to->n) {
		if (n_from != n_to)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "%d %ss do not fit %d", n_from, what, n_to);
		for (i = 0; i < n_from; i++)
			map[i] = i;
		return 0;
	}
	for (i = 0; i < from->n; i++) {
		/* The lists are mostly equal: try the same index first. */
		if (i < to->n && !strcmp(from->v[i], to->v[i]))
			map[i] = i;
		else
			map[i] = cscg_names_find(to, from->v[i]);
		if (map[i] < 0)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "%s '%.64s' does not occur in the other input (%d "
			    "%ss, '%.64s' first)",
			    what, from->v[i], to->n, what, to->v[0]);
	}
	return 0;
}

/*
 * names numbered in the order they first appear
 *
 * An open hash table beside the list of names, at most half full.  A slot
 * holds the key of its name: the bytes themselves of a name of at most 7, so
 * that equal keys are equal names, else a hash, and the names are compared.
 */

enum {
	SHORT_NAME = 7,
	/* Most slots of a small table are free: collisions mispredict. */
	SLOTS_FIRST = 1024,
};

static const uint64_t long_key = (uint64_t)1 << 63;

/* FNV-1a over the bytes, marked as the key of a long name. */
static uint64_t
hash_long(const char *s)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3;
	return (h ^ h >> 32) | long_key;
}

/* The bytes of a short name from the lowest on, its length above them. */
static uint64_t
name_key(const char *s)
{
	uint64_t key = 0;
	unsigned n;

	for (n = 0; n < SHORT_NAME && s[n]; n++)
		key |= (uint64_t)(unsigned char)s[n] << 8 * n;
	return s[n] ? hash_long(s) : key | (uint64_t)n << 8 * SHORT_NAME;
}

/* The same from eight bytes at once: lengths are random, and loops mispredict. */
static uint64_t
padded_key(const char *s)
{
	const uint64_t ones = 0x0101010101010101, high = ones << 7;
	uint64_t v, nul;
	int bits;

	memcpy(&v, s, sizeof v);
	v = le64toh(v);
	nul = (v - ones) & ~v & high; /* its lowest bit is that of a NUL */
	if (!nul)
		return hash_long(s);
	bits = __builtin_ctzll(nul) & ~7;
	return (v & (((uint64_t)1 << bits) - 1)) |
	    (uint64_t)bits / 8 << 8 * SHORT_NAME;
}

/* Slot of the name with this key, or the free slot for it. */
static size_t
find_slot(const struct cscg_dict *d, const char *name, uint64_t key)
{
	uint64_t h = (key ^ key >> 29) * 0x9e3779b97f4a7c15;
	size_t i = (h ^ h >> 32) & (d->n_slots - 1);

	while (d->slot[i].number &&
	    (d->slot[i].key != key ||
		(key & long_key &&
		    strcmp(d->names.v[d->slot[i].number - 1], name))))
		i = (i + 1) & (d->n_slots - 1);
	return i;
}

int
cscg_dict_find(const struct cscg_dict *d, const char *name)
{
	return d->n_slots ?
	    d->slot[find_slot(d, name, name_key(name))].number - 1 :
	    -1;
}

int
cscg_dict_find_padded(const struct cscg_dict *d, const char *name)
{
	return d->n_slots ?
	    d->slot[find_slot(d, name, padded_key(name))].number - 1 :
	    -1;
}

static void
set_slot(struct cscg_dict *d, int i)
{
	uint64_t key = name_key(d->names.v[i]);
	size_t at = find_slot(d, d->names.v[i], key);

	d->slot[at].key = key;
	d->slot[at].number = i + 1;
}

static int
grow_slots(struct cscg_dict *d, struct cscg_err *err)
{
	struct cscg_dict larger = { .names = d->names };
	int i;

	if (d->n_slots && (size_t)d->names.n + 1 <= d->n_slots / 2)
		return 0;
	larger.n_slots = d->n_slots ? d->n_slots * 2 : SLOTS_FIRST;
	larger.slot = cscg_alloc(larger.n_slots, sizeof *larger.slot, err);
	if (!larger.slot)
		return -1;
	for (i = 0; i < d->names.n; i++)
		set_slot(&larger, i);
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
	set_slot(d, d->names.n - 1);
	return d->names.n - 1;
}

void
cscg_dict_free(struct cscg_dict *d)
{
	free(d->slot);
	cscg_names_free(&d->names);
	*d = (struct cscg_dict){ 0 };
}
