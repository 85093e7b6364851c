/* trans.c - a grounded model as the passes want it */
#include <math.h>
#include <stdlib.h>

#include "mem.h"
#include "trans.h"

static int
set_emissions(struct cscg_trans *tr, const struct cscg_model *m,
    struct cscg_err *err)
{
	double *col;
	int j, x;
	long i;

	if (!m->e_first) {
		tr->group = cscg_alloc((size_t)m->n_obs + 1, sizeof *tr->group,
		    err);
		if (!tr->group)
			return -1;
		cscg_model_groups(m, tr->group);
		for (x = 0; x < m->n_obs; x++)
			if (tr->group[x + 1] - tr->group[x] > tr->widest)
				tr->widest = tr->group[x + 1] - tr->group[x];
		return 0;
	}
	tr->widest = m->n_states;
	col = cscg_alloc((size_t)m->n_states * m->n_obs, sizeof *col, err);
	tr->E = cscg_alloc((size_t)m->n_states * m->n_obs, tr->kern->size,
	    err);
	if (!col || !tr->E) {
		free(col);
		return -1;
	}
	for (j = 0; j < m->n_states; j++)
		for (i = m->e_first[j]; i < m->e_first[j + 1]; i++)
			col[(long)m->e_obs[i] * m->n_states + j] = m->e_p[i];
	tr->kern->set(tr->E, col, (long)m->n_states * m->n_obs);
	free(col);
	return 0;
}

/* T straight from the stored counts: the dense counts never exist. */
static int
set_T(struct cscg_trans *tr, const struct cscg_model *m, struct cscg_err *err)
{
	double *row, norm, p = m->pseudocount;
	int S = m->n_states, k;
	long r, i;

	row = cscg_alloc((size_t)S, sizeof *row, err);
	if (!row)
		return -1;
	for (r = 0; r < (long)m->n_actions * S; r++) {
		norm = p * S;
		for (i = m->first[r]; i < m->first[r + 1]; i++)
			norm += m->count[i];
		for (k = 0; k < S; k++)
			row[k] = norm > 0 ? p / norm : 1.0 / S;
		for (i = m->first[r]; i < m->first[r + 1]; i++)
			row[m->to[i]] = (m->count[i] + p) / norm;
		tr->kern->set((char *)tr->T + (size_t)r * S * tr->kern->size,
		    row, S);
	}
	free(row);
	return 0;
}

struct cscg_trans *
cscg_trans_new(const struct cscg_model *m, const struct cscg_kern *kern,
    struct cscg_err *err)
{
	struct cscg_trans *tr;
	double *pi = NULL;
	size_t S = (size_t)m->n_states;
	int j;

	if (m->kind != CSCG_GROUNDED) {
		cscg_fail(err, CSCG_EMISMATCH, "a grounded model is needed, "
		    "this is a %s", cscg_kind_name(m->kind));
		return NULL;
	}
	tr = cscg_alloc(1, sizeof *tr, err);
	if (!tr)
		return NULL;
	tr->kern = kern;
	tr->n_states = m->n_states;
	tr->n_actions = m->n_actions;
	tr->n_obs = m->n_obs;
	tr->T = cscg_alloc(S * S * (size_t)m->n_actions, kern->size, err);
	tr->pi = tr->T ? cscg_alloc(S, kern->size, err) : NULL;
	pi = tr->pi ? cscg_alloc(S, sizeof *pi, err) : NULL;
	if (!pi || set_emissions(tr, m, err) < 0 || set_T(tr, m, err) < 0)
		goto fail;
	for (j = 0; j < m->n_states; j++)
		pi[j] = m->pi ? m->pi[j] : 1.0 / m->n_states;
	cscg_trans_set_pi(tr, pi);
	free(pi);
	return tr;
fail:
	free(pi);
	cscg_trans_free(tr);
	return NULL;
}

void
cscg_trans_free(struct cscg_trans *tr)
{
	if (!tr)
		return;
	free(tr->T);
	free(tr->pi);
	free(tr->group);
	free(tr->E);
	free(tr);
}

double
cscg_trans_set(struct cscg_trans *tr, const double *counts, double p)
{
	int S = tr->n_states, k;
	double norm, log_norm, log_p = p > 0 ? log(p) : 0, prior = 0;
	double row[256];
	char *to = tr->T;
	long r;

	for (r = 0; r < (long)tr->n_actions * S; r++, counts += S) {
		norm = p * S;
		for (k = 0; k < S; k++)
			norm += counts[k];
		log_norm = log(norm);
		for (k = 0; k < S; k++) {
			row[k % 256] = norm > 0 ? (counts[k] + p) / norm :
			    1.0 / S;
			if (p > 0)
				prior += (counts[k] > 0 ? log(counts[k] + p) :
				    log_p) - log_norm;
			if (k % 256 == 255 || k == S - 1) {
				tr->kern->set(to, row, k % 256 + 1);
				to += (size_t)(k % 256 + 1) * tr->kern->size;
			}
		}
	}
	return prior;
}

void
cscg_trans_set_pi(struct cscg_trans *tr, const double *pi)
{
	tr->kern->set(tr->pi, pi, tr->n_states);
}

struct cscg_span
cscg_trans_span(const struct cscg_trans *tr, int x)
{
	struct cscg_span s = { 0, tr->n_states, NULL };

	if (x < 0)
		return s;
	if (tr->E) {
		s.weight = (char *)tr->E +
		    (size_t)x * tr->n_states * tr->kern->size;
		return s;
	}
	s.lo = tr->group[x];
	s.hi = tr->group[x + 1];
	return s;
}

const void *
cscg_trans_at(const struct cscg_trans *tr, int a, int j, int k)
{
	size_t S = (size_t)tr->n_states;

	return (char *)tr->T +
	    (((size_t)a * S + (size_t)j) * S + (size_t)k) * tr->kern->size;
}
