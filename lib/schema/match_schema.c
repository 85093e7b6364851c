/* match_schema.c - schemas that are the same, or speak of actions otherwise */
#include <stdlib.h>
#include <string.h>

#include "schema/match_schema.h"
#include "base/mem.h"

static bool
same_names(const struct cscg_names *a, const struct cscg_names *b)
{
	int i;

	for (i = 0; i < a->n && i < b->n; i++)
		if (strcmp(a->v[i], b->v[i]))
			return false;
	return a->n == b->n;
}

/* n items each, or none. */
static bool
same_array(const void *a, const void *b, size_t n, size_t size)
{
	return a && b ? !memcmp(a, b, n * size) : !a && !b;
}

bool
cscg_match_same_schema(const struct cscg_model *a, const struct cscg_model *b,
    bool by_clones)
{
	size_t rows, n;

	if (a->n_states != b->n_states || a->n_actions != b->n_actions ||
	    a->pseudocount != b->pseudocount)
		return false;
	rows = (size_t)a->n_actions * (size_t)a->n_states;
	n = (size_t)a->first[rows];
	return same_array(a->first, b->first, rows + 1, sizeof *a->first) &&
	    same_array(a->to, b->to, n, sizeof *a->to) &&
	    same_array(a->count, b->count, n, sizeof *a->count) &&
	    same_array(a->pi, b->pi, (size_t)a->n_states, sizeof *a->pi) &&
	    (!by_clones || same_array(a->clone, b->clone,
	    (size_t)a->n_states, sizeof *a->clone)) &&
	    same_names(&a->actions, &b->actions);
}

struct cscg_model *
cscg_match_permute_actions(const struct cscg_model *m, const int *map, int n_actions,
    struct cscg_err *err)
{
	struct cscg_model *t = cscg_model_new(m->clone ? CSCG_CLONES :
	    CSCG_SCHEMA, m->n_states, n_actions, m->n_obs, err);
	size_t n = (size_t)m->n_states, size = 0;
	long *row, at = 0;
	int a, j;

	if (!t)
		return NULL;
	for (a = 0; a < n_actions; a++) {
		row = m->first + (long)map[a] * m->n_states;
		size += (size_t)(row[n] - row[0]);
	}
	free(t->to);
	free(t->count);
	t->to = cscg_alloc(size, sizeof *t->to, err);
	t->count = cscg_alloc(size, sizeof *t->count, err);
	t->pi = cscg_copy(m->pi, n, sizeof *m->pi, err);
	if (!t->to || !t->count || !t->pi != !m->pi) {
		cscg_model_free(t);
		return NULL;
	}
	if (m->clone)
		memcpy(t->clone, m->clone, n * sizeof *t->clone);
	t->pseudocount = m->pseudocount;
	for (a = 0; a < n_actions; a++) {
		row = m->first + (long)map[a] * m->n_states;
		size = (size_t)(row[n] - row[0]);
		memcpy(t->to + at, m->to + row[0], size * sizeof *t->to);
		memcpy(t->count + at, m->count + row[0],
		    size * sizeof *t->count);
		for (j = 0; j < m->n_states; j++)
			t->first[(long)a * m->n_states + j + 1] =
			    at + row[j + 1] - row[0];
		at += (long)size;
	}
	return t;
}
