/*
 * learn_model.c - the models that learning begins with: of given clones, of
 * merged states, or a copy of a given model
 */
#include <stdlib.h>

#include "base/mem.h"
#include "learn/clones.h"
#include "learn/learn_model.h"

struct cscg_model *
cscg_learn_model_new(const struct cscg_walk *w, const struct cscg_learn *set,
    const int *clones, struct cscg_err *err)
{
	struct cscg_model *m;
	long n = 0;
	int x, i, j = 0;

	for (x = 0; x < w->head.n_obs; x++)
		n += clones[x];
	if (n < 1 || n > CSCG_STATE_MAX) {
		cscg_fail(err, CSCG_ERANGE,
		    "%ld clones in all are outside 1..%d", n, CSCG_STATE_MAX);
		return NULL;
	}
	m = cscg_model_new(CSCG_GROUNDED, (int)n, w->head.n_actions,
	    w->head.n_obs, err);
	if (!m)
		return NULL;
	for (x = 0; x < w->head.n_obs; x++)
		for (i = 0; i < clones[x]; i++)
			m->clone[j++] = x;
	m->pseudocount = set->pseudocount;
	m->is_double = set->is_double;
	if (cscg_names_copy(&m->actions, &w->head.actions, err) < 0 ||
	    cscg_names_copy(&m->symbols, &w->head.symbols, err) < 0) {
		cscg_model_free(m);
		return NULL;
	}
	return m;
}

struct cscg_model *
cscg_learn_model_merged(const struct cscg_merge *f, const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_err *err)
{
	struct cscg_model *m = NULL;
	struct cscg_count *buf = NULL;
	int *clones = NULL, *number = NULL, i, j;
	long k, n, *seen = NULL;

	clones = cscg_alloc((size_t)w->head.n_obs, sizeof *clones, err);
	number = cscg_alloc((size_t)f->n_states, sizeof *number, err);
	buf = cscg_alloc((size_t)w->n_steps, sizeof *buf, err);
	seen = cscg_clones_count_symbols(w, err);
	if (!clones || !number || !buf || !seen)
		goto out;
	for (i = 0; i < f->n_states; i++)
		clones[f->symbol[i]]++;
	for (i = 0; i < w->head.n_obs; i++)
		if (seen[i] && !clones[i])
			clones[i] = 1;
	m = cscg_learn_model_new(w, set, clones, err);
	if (!m)
		goto out;
	for (i = j = 0; i < f->n_states; i++) {
		while (m->clone[j] != f->symbol[i])
			j++;
		number[i] = j++;
	}
	n = cscg_walk_count_path(w, f->state, buf);
	for (k = 0; k < n; k++) {
		buf[k].from = number[buf[k].from];
		buf[k].to = number[buf[k].to];
	}
	if (cscg_model_set_counts(m, buf, n, err) < 0) {
		cscg_model_free(m);
		m = NULL;
	}
out:
	free(clones);
	free(number);
	free(buf);
	free(seen);
	return m;
}

struct cscg_model *
cscg_learn_model_copy(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_err *err)
{
	struct cscg_model *m;

	if (set->init->kind != CSCG_GROUNDED || set->init->e_first) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "a grounded model with emissions by clone is needed to "
		    "start from");
		return NULL;
	}
	/* walk.h ensures equality; later code does not check it. */
	if (set->init->n_actions != w->head.n_actions ||
	    set->init->n_obs != w->head.n_obs) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "the model to start from has %d actions and %d symbols, "
		    "the walk %d and %d",
		    set->init->n_actions, set->init->n_obs, w->head.n_actions,
		    w->head.n_obs);
		return NULL;
	}
	m = cscg_model_copy(set->init, err);
	if (!m)
		return NULL;
	m->pseudocount = set->pseudocount;
	m->is_double = set->is_double;
	if ((!m->actions.n &&
		cscg_names_copy(&m->actions, &w->head.actions, err) < 0) ||
	    (!m->symbols.n &&
		cscg_names_copy(&m->symbols, &w->head.symbols, err) < 0)) {
		cscg_model_free(m);
		return NULL;
	}
	return m;
}

int
cscg_learn_model_add_symbols(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_err *err)
{
	const struct cscg_model *old = *m;
	int S = old->n_states, *clones, *number, j, k, a;
	struct cscg_model *all = NULL;
	struct cscg_count *c;
	long n = old->first[(long)old->n_actions * S], i;

	clones = cscg_alloc((size_t)old->n_obs, sizeof *clones, err);
	number = cscg_alloc((size_t)S, sizeof *number, err);
	c = cscg_alloc((size_t)n, sizeof *c, err);
	if (clones && number && c) {
		for (j = 0; j < S; j++)
			clones[old->clone[j]]++;
		for (j = 0; j < old->n_obs; j++)
			clones[j] += !clones[j];
		all = cscg_learn_model_new(w, set, clones, err);
	}
	if (all) {
		for (j = k = 0; j < S; number[j++] = k++)
			while (all->clone[k] != old->clone[j])
				k++;
		for (a = 0; a < old->n_actions; a++)
			for (j = 0; j < S; j++)
				for (i = old->first[(long)a * S + j];
				     i < old->first[(long)a * S + j + 1]; i++)
					c[i] = (struct cscg_count){ a,
						number[j], number[old->to[i]],
						old->count[i] };
		all->pseudocount = old->pseudocount;
		if (cscg_model_set_counts(all, c, n, err) < 0) {
			cscg_model_free(all);
			all = NULL;
		}
	}
	free(clones);
	free(number);
	free(c);
	if (!all)
		return -1;
	cscg_model_free(*m);
	*m = all;
	return 0;
}

bool
cscg_learn_model_has_symbols(const struct cscg_model *m,
    const struct cscg_walk *w)
{
	long t;
	int j;

	for (t = 0; t < w->n_steps && !(m->misread > 0); t++) {
		for (j = 0; j < m->n_states && m->clone[j] != w->x[t]; j++)
			;
		if (j == m->n_states && w->x[t] >= 0)
			return false;
	}
	return true;
}
