/* model_gate.c - where one may leave and enter what a model knows */
#include <stdlib.h>

#include "base/mem.h"
#include "core/model.h"

/* In the order that frontiers have. */
static int
by_state(const void *a, const void *b)
{
	const struct cscg_model_frontier *x = a, *y = b;

	if (x->state != y->state)
		return x->state < y->state ? -1 : 1;
	return (x->a > y->a) - (x->a < y->a);
}

int
cscg_model_set_frontiers(struct cscg_model *m, const struct cscg_model_frontier *f,
    long n, struct cscg_err *err)
{
	struct cscg_model_frontier *copy = n ? cscg_copy(f, (size_t)n, sizeof *copy, err) :
	    NULL;
	long i, kept = 0;

	if (n && !copy)
		return -1;
	if (n)
		qsort(copy, (size_t)n, sizeof *copy, by_state);
	for (i = 0; i < n; i++)
		if (!i || by_state(&copy[i], &copy[i - 1]))
			copy[kept++] = copy[i];
	free(m->frontier);
	m->frontier = copy;
	m->n_frontiers = kept;
	return 0;
}

static int
by_int(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int
cscg_model_set_entries(struct cscg_model *m, const int *state, long n,
    struct cscg_err *err)
{
	int *copy = n ? cscg_copy(state, (size_t)n, sizeof *copy, err) : NULL;
	long i, kept = 0;

	if (n && !copy)
		return -1;
	if (n)
		qsort(copy, (size_t)n, sizeof *copy, by_int);
	for (i = 0; i < n; i++)
		if (!i || copy[i] != copy[i - 1])
			copy[kept++] = copy[i];
	free(m->entry);
	m->entry = copy;
	m->n_entries = kept;
	return 0;
}

int
cscg_model_check_frontiers(const struct cscg_model *m, struct cscg_err *err)
{
	const struct cscg_model_frontier *f = m->frontier;
	long i;

	for (i = 0; i < m->n_frontiers; i++) {
		if (f[i].state < 0 || f[i].state >= m->n_states)
			return cscg_fail(err, CSCG_ERANGE, "/frontiers/%ld: "
			    "state %d is outside 0..%d", i, f[i].state,
			    m->n_states - 1);
		if (f[i].a < 0 || f[i].a >= m->n_actions)
			return cscg_fail(err, CSCG_ERANGE, "/frontiers/%ld: "
			    "action %d is outside 0..%d", i, f[i].a,
			    m->n_actions - 1);
		if (i && by_state(&f[i - 1], &f[i]) >= 0)
			return cscg_fail(err, CSCG_EFORMAT, "/frontiers/%ld: "
			    "frontiers must ascend, by state, then action", i);
	}
	for (i = 0; i < m->n_entries; i++) {
		if (m->entry[i] < 0 || m->entry[i] >= m->n_states)
			return cscg_fail(err, CSCG_ERANGE, "/entries/%ld: "
			    "state %d is outside 0..%d", i, m->entry[i],
			    m->n_states - 1);
		if (i && m->entry[i] <= m->entry[i - 1])
			return cscg_fail(err, CSCG_EFORMAT, "/entries/%ld: "
			    "entries must ascend", i);
	}
	return 0;
}
