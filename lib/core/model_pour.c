/*
 * model_pour.c - states dropped, merged or put in another order
 *
 * Where states meet, what is a count or a probability of being there adds up;
 * what describes a state (emissions, coordinates) is averaged, weighted by how
 * often each was arrived at.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "core/model.h"

/* Give every new state the group of the old ones poured into it. */
static int
merge_clones(const struct cscg_model *m, const int *into,
    struct cscg_model *new, struct cscg_err *err)
{
	int j, k, rc = -1;
	int *from = cscg_alloc((size_t)new->n_states, sizeof *from, err);

	if (!from)
		return -1;
	for (j = 0; j < m->n_states; j++) {
		k = into[j];
		if (k < -1 || k >= new->n_states) {
			cscg_fail(err, CSCG_ERANGE, "state %d poured into %d, "
			    "outside 0..%d", j, k, new->n_states - 1);
			goto out;
		}
		if (k < 0)
			continue;
		if (m->clone && from[k] && m->clone[j] != new->clone[k]) {
			cscg_fail(err, CSCG_ERANGE, "states %d and %d poured "
			    "together, but of groups %d and %d", from[k] - 1, j,
			    new->clone[k], m->clone[j]);
			goto out;
		}
		if (m->clone)
			new->clone[k] = m->clone[j];
		from[k] = j + 1;
	}
	for (k = 0; k < new->n_states; k++) {
		if (!from[k]) {
			cscg_fail(err, CSCG_ERANGE, "nothing poured into state "
			    "%d", k);
			goto out;
		}
		if (m->clone && k && new->clone[k] < new->clone[k - 1]) {
			cscg_fail(err, CSCG_ERANGE, "state %d of group %d "
			    "poured behind group %d", k, new->clone[k],
			    new->clone[k - 1]);
			goto out;
		}
	}
	rc = 0;
out:
	free(from);
	return rc;
}

static int
merge_counts(const struct cscg_model *m, const int *into,
    struct cscg_model *new, struct cscg_err *err)
{
	long i, n = 0, row, rows = (long)m->n_actions * m->n_states;
	struct cscg_count *c;
	int from, to, rc;

	c = cscg_alloc((size_t)m->first[rows], sizeof *c, err);
	if (!c)
		return -1;
	for (row = 0; row < rows; row++) {
		from = into[row % m->n_states];
		for (i = m->first[row]; from >= 0 && i < m->first[row + 1];
		    i++) {
			to = into[m->to[i]];
			if (to < 0)
				continue;
			c[n].a = (int)(row / m->n_states);
			c[n].from = from;
			c[n].to = to;
			c[n++].c = m->count[i];
		}
	}
	rc = cscg_model_set_counts(new, c, n, err);
	free(c);
	return rc;
}

/* pi without the dropped states sums to one again; all gone is uniform. */
static int
merge_pi(const struct cscg_model *m, const int *into, struct cscg_model *new,
    struct cscg_err *err)
{
	double sum = 0;
	int j;

	new->pi = cscg_alloc((size_t)new->n_states, sizeof *new->pi, err);
	if (!new->pi)
		return -1;
	for (j = 0; j < m->n_states; j++)
		if (into[j] >= 0) {
			new->pi[into[j]] += m->pi[j];
			sum += m->pi[j];
		}
	for (j = 0; j < new->n_states; j++)
		new->pi[j] = sum > 0 ? new->pi[j] / sum : 1.0 / new->n_states;
	return 0;
}

/*
 * share[j] of the state that j is poured into: its part of all arrivals there,
 * or equal parts if nothing ever arrived.
 */
static double *
arrival_shares(const struct cscg_model *m, const int *into, int n,
    struct cscg_err *err)
{
	double *share = cscg_alloc((size_t)m->n_states, sizeof *share, err);
	double *sum = cscg_alloc((size_t)n, sizeof *sum, err);
	int *size = cscg_alloc((size_t)n, sizeof *size, err);
	long i;
	int j;

	if (!share || !sum || !size) {
		free(share);
		share = NULL;
		goto out;
	}
	for (i = 0; i < m->first[(long)m->n_actions * m->n_states]; i++)
		share[m->to[i]] += m->count[i];
	for (j = 0; j < m->n_states; j++)
		if (into[j] >= 0) {
			sum[into[j]] += share[j];
			size[into[j]]++;
		}
	for (j = 0; j < m->n_states; j++)
		if (into[j] >= 0)
			share[j] = sum[into[j]] > 0 ?
			    share[j] / sum[into[j]] : 1.0 / size[into[j]];
out:
	free(sum);
	free(size);
	return share;
}

/* Means of d numbers a state. */
static double *
merge_means(const struct cscg_model *m, const int *into, const double *share,
    const double *from, int d, int n, struct cscg_err *err)
{
	double *to = cscg_alloc((size_t)n * (size_t)d, sizeof *to, err);
	int j, k;

	for (j = 0; to && j < m->n_states; j++)
		for (k = 0; k < d && into[j] >= 0; k++)
			to[(size_t)into[j] * (size_t)d + (size_t)k] +=
			    share[j] * from[(size_t)j * (size_t)d + (size_t)k];
	return to;
}

/* The same for a probability: rounding must not lift it above one. */
static double *
merge_probabilities(const struct cscg_model *m, const int *into, const double *share,
    const double *from, int n, struct cscg_err *err)
{
	double *to = merge_means(m, into, share, from, 1, n, err);
	int k;

	for (k = 0; to && k < n; k++)
		to[k] = to[k] > 1 ? 1 : to[k];
	return to;
}

static int
by_symbol(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Append the average of the rows of old states that k is poured from. */
static void
merge_emission_row(const struct cscg_model *m, const int *old, long n_old,
    const double *share, double *sum, struct cscg_model *new, int k)
{
	long i, j, n = new->e_first[k], end = n;

	for (j = 0; j < n_old; j++)
		for (i = m->e_first[old[j]]; i < m->e_first[old[j] + 1]; i++) {
			double p = share[old[j]] * m->e_p[i];

			if (p > 0 && !(sum[m->e_obs[i]] > 0))
				new->e_obs[end++] = m->e_obs[i];
			sum[m->e_obs[i]] += p;
		}
	qsort(new->e_obs + n, (size_t)(end - n), sizeof *new->e_obs, by_symbol);
	for (i = n; i < end; i++) {
		new->e_p[i] = sum[new->e_obs[i]];
		sum[new->e_obs[i]] = 0;
	}
	new->e_first[k + 1] = end;
}

static int
merge_emissions(const struct cscg_model *m, const int *into,
    const double *share, struct cscg_model *new, struct cscg_err *err)
{
	long n = m->e_first[m->n_states];
	double *sum = cscg_alloc((size_t)m->n_obs, sizeof *sum, err);
	long *first = cscg_alloc((size_t)new->n_states + 1, sizeof *first, err);
	int *old = cscg_alloc((size_t)m->n_states, sizeof *old, err);
	int j, k, rc = -1;

	new->e_first = cscg_alloc((size_t)new->n_states + 1,
	    sizeof *new->e_first, err);
	new->e_obs = cscg_alloc((size_t)n, sizeof *new->e_obs, err);
	new->e_p = cscg_alloc((size_t)n, sizeof *new->e_p, err);
	if (!sum || !first || !old || !new->e_first || !new->e_obs ||
	    !new->e_p)
		goto out;
	/* The old states of each new one, in order, behind each other. */
	for (j = 0; j < m->n_states; j++)
		if (into[j] >= 0)
			first[into[j] + 1]++;
	for (k = 0; k < new->n_states; k++)
		first[k + 1] += first[k];
	for (j = 0; j < m->n_states; j++)
		if (into[j] >= 0)
			old[first[into[j]]++] = j;
	for (k = 0; k < new->n_states; k++) {
		long from = k ? first[k - 1] : 0;

		merge_emission_row(m, old + from, first[k] - from, share, sum, new, k);
	}
	rc = 0;
out:
	free(sum);
	free(first);
	free(old);
	return rc;
}

static int
merge_frontiers(const struct cscg_model *m, const int *into,
    struct cscg_model *new, struct cscg_err *err)
{
	struct cscg_model_frontier *f = cscg_alloc((size_t)m->n_frontiers, sizeof *f,
	    err);
	long i, n = 0;
	int rc;

	if (!f)
		return -1;
	for (i = 0; i < m->n_frontiers; i++)
		if (into[m->frontier[i].state] >= 0)
			f[n++] = (struct cscg_model_frontier){
			    into[m->frontier[i].state], m->frontier[i].a };
	rc = cscg_model_set_frontiers(new, f, n, err);
	free(f);
	return rc;
}

static int
merge_entries(const struct cscg_model *m, const int *into,
    struct cscg_model *new, struct cscg_err *err)
{
	int *state = cscg_alloc((size_t)m->n_entries, sizeof *state, err);
	long i, n = 0;
	int rc;

	if (!state)
		return -1;
	for (i = 0; i < m->n_entries; i++)
		if (into[m->entry[i]] >= 0)
			state[n++] = into[m->entry[i]];
	rc = cscg_model_set_entries(new, state, n, err);
	free(state);
	return rc;
}

static int
merge_arrays(const struct cscg_model *m, const int *into, const double *share,
    struct cscg_model *new, struct cscg_err *err)
{
	if (m->coords)
		new->coords = merge_means(m, into, share, m->coords, 2,
		    new->n_states, err);
	if (m->confidence)
		new->confidence = merge_probabilities(m, into, share, m->confidence,
		    new->n_states, err);
	if (!m->coords != !new->coords || !m->confidence != !new->confidence ||
	    merge_counts(m, into, new, err) < 0 ||
	    (m->pi && merge_pi(m, into, new, err) < 0) ||
	    merge_frontiers(m, into, new, err) < 0 ||
	    merge_entries(m, into, new, err) < 0 ||
	    (m->e_first && merge_emissions(m, into, share, new, err) < 0) ||
	    cscg_names_copy(&new->actions, &m->actions, err) < 0 ||
	    cscg_names_copy(&new->symbols, &m->symbols, err) < 0 ||
	    cscg_history_copy(&new->history, &m->history, err) < 0)
		return -1;
	return 0;
}

struct cscg_model *
cscg_model_merge_states(const struct cscg_model *m, const int *into, int n,
    struct cscg_err *err)
{
	struct cscg_model *new = cscg_model_new(m->kind, n, m->n_actions,
	    m->n_obs, err);
	double *share = NULL;
	int rc = -1;

	if (!new)
		return NULL;
	if (!m->clone) {
		free(new->clone);
		new->clone = NULL;
	}
	new->is_double = m->is_double;
	new->pseudocount = m->pseudocount;
	if (merge_clones(m, into, new, err) < 0)
		goto out;
	share = arrival_shares(m, into, n, err);
	if (share)
		rc = merge_arrays(m, into, share, new, err);
out:
	free(share);
	if (rc < 0) {
		cscg_model_free(new);
		return NULL;
	}
	return new;
}
