/*
 * verdict.c - what many episodes together say of several candidates
 *
 * All values are kept, by step: the tests need them in two passes, and an
 * episode leaves only one number for each step and candidate.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schema/verdict.h"

struct step_values {
	long step, n;		/* episodes that have it */
	double *value;		/* [n][candidates] */
	size_t cap;
};

struct cscg_paired_test {
	int n;
	long episodes;
	struct step_values *by_step;	/* steps ascending */
	long n_by_step, at;	/* at: where the last value went */
	size_t cap;
	struct cscg_mean *mean;
	double *p, *a, *b;	/* [n]; [episodes] each */
	int *rank;
	size_t cap_a, cap_b;
};

struct cscg_paired_test *
cscg_paired_test_new(int n, struct cscg_err *err)
{
	struct cscg_paired_test *v = cscg_alloc(1, sizeof *v, err);

	if (!v)
		return NULL;
	v->n = n;
	v->mean = cscg_alloc((size_t)n, sizeof *v->mean, err);
	v->p = cscg_alloc((size_t)n, sizeof *v->p, err);
	v->rank = cscg_alloc((size_t)n, sizeof *v->rank, err);
	if (!v->mean || !v->p || !v->rank) {
		cscg_paired_test_free(v);
		return NULL;
	}
	return v;
}

void
cscg_paired_test_free(struct cscg_paired_test *v)
{
	long i;

	if (!v)
		return;
	for (i = 0; i < v->n_by_step; i++)
		free(v->by_step[i].value);
	free(v->by_step);
	free(v->mean);
	free(v->p);
	free(v->rank);
	free(v->a);
	free(v->b);
	free(v);
}

/* Put v->at where step is, or should be; steps of an episode ascend. */
static int
seek_step(struct cscg_paired_test *v, long step, struct cscg_err *err)
{
	while (v->at < v->n_by_step && v->by_step[v->at].step < step)
		v->at++;
	if (v->at < v->n_by_step && v->by_step[v->at].step == step)
		return 0;
	if (cscg_grow(&v->by_step, &v->cap, (size_t)v->n_by_step + 1,
	    sizeof *v->by_step, err) < 0)
		return -1;
	memmove(v->by_step + v->at + 1, v->by_step + v->at,
	    (size_t)(v->n_by_step - v->at) * sizeof *v->by_step);
	v->by_step[v->at] = (struct step_values){ .step = step };
	v->n_by_step++;
	return 0;
}

int
cscg_paired_test_add(struct cscg_paired_test *v, long episode, long step,
    const double *value, struct cscg_err *err)
{
	size_t n = (size_t)v->n;
	struct step_values *m;

	if (episode >= v->episodes) {
		v->episodes = episode + 1;
		v->at = 0;
	}
	if (seek_step(v, step, err) < 0)
		return -1;
	m = &v->by_step[v->at];
	if (cscg_grow(&m->value, &m->cap, (size_t)(m->n + 1) * n,
	    sizeof *m->value, err) < 0)
		return -1;
	memcpy(m->value + (size_t)m->n++ * n, value, n * sizeof *value);
	return 0;
}

long
cscg_paired_test_n_episodes(const struct cscg_paired_test *v)
{
	return v->episodes;
}

/* The i-th moment that all episodes have, or NULL. */
static const struct step_values *
common_step(const struct cscg_paired_test *v, long i)
{
	long k;

	for (k = 0; k < v->n_by_step; k++)
		if (v->by_step[k].n == v->episodes && i-- == 0)
			return &v->by_step[k];
	return NULL;
}

long
cscg_paired_test_n_steps(const struct cscg_paired_test *v)
{
	long i, n = 0;

	for (i = 0; i < v->n_by_step; i++)
		n += v->by_step[i].n == v->episodes;
	return n;
}

static void
gather_values(const struct cscg_paired_test *v, const struct step_values *m, int i, double *to)
{
	long e;

	for (e = 0; e < m->n; e++)
		to[e] = m->value[(size_t)e * (size_t)v->n + (size_t)i];
}

/* Two-sided p of candidate i, whose values are in b, against a. */
static double
paired_p(const struct cscg_paired_test *v, long n)
{
	struct cscg_ttest t;
	long e;

	for (e = 0; e < n; e++)
		if (!isfinite(v->a[e]) || !isfinite(v->b[e]))
			return NAN;
	if (n < 2)
		return NAN;
	cscg_paired_t(v->a, v->b, n, &t);
	return 2 * (t.p < .5 ? t.p : 1 - t.p);
}

int
cscg_paired_test_at(struct cscg_paired_test *v, long k,
    struct cscg_paired_test_line *line, struct cscg_err *err)
{
	const struct step_values *m = common_step(v, k);
	int i, j;

	if (!m)
		return cscg_fail(err, CSCG_ERANGE,
		    "step %ld of the %ld that all episodes have", k,
		    cscg_paired_test_n_steps(v));
	*line = (struct cscg_paired_test_line){ .step = m->step, .runner_up = -1,
	    .mean = v->mean, .p = v->p, .rank = v->rank };
	if (cscg_grow(&v->a, &v->cap_a, (size_t)m->n, sizeof *v->a, err) < 0 ||
	    cscg_grow(&v->b, &v->cap_b, (size_t)m->n, sizeof *v->b, err) < 0)
		return -1;
	for (i = 0; i < v->n; i++) {
		gather_values(v, m, i, v->a);
		cscg_mean(v->a, m->n, &v->mean[i]);
		if (v->mean[i].mean < v->mean[line->best].mean)
			line->best = i;
	}
	gather_values(v, m, line->best, v->a);
	v->p[line->best] = NAN;
	for (i = 0; i < v->n; i++) {
		v->rank[i] = 1;
		for (j = 0; j < v->n; j++)
			v->rank[i] += v->mean[j].mean < v->mean[i].mean ||
			    (v->mean[j].mean == v->mean[i].mean && j < i);
		if (i == line->best)
			continue;
		gather_values(v, m, i, v->b);
		v->p[i] = paired_p(v, m->n);
		/* NaN, which is no evidence, counts as the largest. */
		if (line->runner_up < 0 || isnan(v->p[i]) ||
		    v->p[i] > v->p[line->runner_up])
			line->runner_up = i;
	}
	if (line->runner_up >= 0)
		v->p[line->best] = v->p[line->runner_up];
	return 0;
}

int
cscg_paired_test_identified(struct cscg_paired_test *v, int i, double alpha,
    long *first, long *sustained, struct cscg_err *err)
{
	long k, n = cscg_paired_test_n_steps(v);
	struct cscg_paired_test_line line;

	*first = *sustained = -1;
	for (k = 0; k < n; k++) {
		if (cscg_paired_test_at(v, k, &line, err) < 0)
			return -1;
		if (line.best != i || !(line.p[i] < alpha)) {
			*sustained = -1;
			continue;
		}
		if (*first < 0)
			*first = line.step;
		if (*sustained < 0)
			*sustained = line.step;
	}
	return 0;
}
