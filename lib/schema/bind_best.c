/*
 * bind_best.c - binding from several starts, side by side
 *
 * Threads take the next start from a shared counter and keep the best of all in
 * one place, so that memory does not grow with the number of starts.  Which is
 * the best depends on objectives and numbers of starts alone.
 */
#include <stdlib.h>
#include <string.h>

#include "schema/bind.h"
#include "base/mem.h"

void
cscg_bind_random_E(const struct cscg_model *m, int n_obs, bool tied,
    double jitter, struct cscg_rng *rng, double *E)
{
	size_t K = (size_t)n_obs, x;
	double *row = E, sum;
	int j;

	for (j = 0; j < m->n_states; j++, row += K) {
		if (tied && m->clone && j && m->clone[j] == m->clone[j - 1]) {
			memcpy(row, row - K, K * sizeof *row);
			continue;
		}
		for (sum = 0, x = 0; x < K; x++)
			sum += row[x] = 1 + (jitter > 0 ?
			    jitter * cscg_rng_uniform(rng) : 0);
		for (x = 0; x < K; x++)
			row[x] /= sum;
	}
}

/* What a start said, until it is its turn to be heard. */
struct report_log {
	struct cscg_em_progress *lines;
	size_t n, cap;
	struct cscg_err err;
	int rc;
};

struct restart_search {
	const struct cscg_model *m;
	const struct cscg_walk *w;
	struct cscg_bind set;
	const struct cscg_bind_starts *starts;
	struct report_log *records;	/* [restarts] if lines must wait, or NULL */
	double *E, *pi;		/* the best's */
	struct cscg_em_progress *last;
	long which, failed;	/* -1: none yet */
	struct cscg_err *err;
};

static int
record_line(void *ctx, const struct cscg_em_progress *line)
{
	struct report_log *r = ctx;

	if (cscg_grow(&r->lines, &r->cap, r->n + 1, sizeof *r->lines,
	    &r->err) < 0)
		r->rc = -1;
	else
		r->lines[r->n++] = *line;
	return r->rc;
}

static int
run_start(const struct restart_search *r, long i, const struct cscg_bind *set,
    double *E, double *pi, struct cscg_em_progress *last, struct cscg_err *err)
{
	const struct cscg_model *m = r->m;
	struct cscg_rng rng;
	int j;

	cscg_rng_seed(&rng, r->starts->seed, CSCG_RNG_BIND, (uint64_t)i,
	    r->starts->key);
	cscg_bind_random_E(m, r->w->head.n_obs, set->tied,
	    cscg_bind_starts_jitter(r->starts, i), &rng, E);
	for (j = 0; j < m->n_states; j++)
		pi[j] = m->pi ? m->pi[j] : 1.0 / m->n_states;
	if (cscg_bind(m, r->w, set, E, pi, last, err) < 0)
		return -1;
	if (r->records && r->records[i].rc < 0) {
		*err = r->records[i].err;
		return -1;
	}
	return 0;
}

/* One thread at a time: is start i the best so far, or the first to fail? */
static void
keep_best(struct restart_search *r, long i, int rc, const double *E, const double *pi,
    const struct cscg_em_progress *last, const struct cscg_err *err)
{
	size_t S = (size_t)r->m->n_states, K = (size_t)r->w->head.n_obs;

	if (rc < 0) {
		if (r->failed < 0 || i < r->failed) {
			r->failed = i;
			*r->err = *err;
		}
	} else if (r->which < 0 || last->objective > r->last->objective ||
	    (last->objective == r->last->objective && i < r->which)) {
		r->which = i;
		*r->last = *last;
		memcpy(r->E, E, S * K * sizeof *E);
		memcpy(r->pi, pi, S * sizeof *pi);
	}
}

/* Starts until there are no more; *next is shared. */
static void
run_starts(struct restart_search *r, long *next)
{
	size_t S = (size_t)r->m->n_states, K = (size_t)r->w->head.n_obs;
	struct cscg_bind_work own = { NULL, 0 };
	struct cscg_err err = { 0 };
	struct cscg_bind set = r->set;
	struct cscg_em_progress last;
	double *E = cscg_alloc(S * K, sizeof *E, &err);
	double *pi = E ? cscg_alloc(S, sizeof *pi, &err) : NULL;
	long i;
	int rc;

	if (r->records || !set.work)
		set.work = &own;
	for (;;) {
#pragma omp critical(cscg_bind_restarts_best)
		i = (*next)++;
		if (i >= r->starts->restarts)
			break;
		if (r->records) {
			set.report = set.report ? record_line : NULL;
			set.ctx = &r->records[i];
		}
		rc = pi ? run_start(r, i, &set, E, pi, &last, &err) : -1;
#pragma omp critical(cscg_bind_restarts_best)
		keep_best(r, i, rc, E, pi, &last, &err);
		if (rc < 0)
			break;
	}
	cscg_bind_work_free(&own);
	free(E);
	free(pi);
}

/* All that was said, in order. */
static void
replay_reports(const struct restart_search *r)
{
	size_t k;
	long i;

	for (i = 0; i < r->starts->restarts; i++)
		for (k = 0; k < r->records[i].n && r->set.report; k++)
			r->set.report(r->set.ctx, &r->records[i].lines[k]);
}

int
cscg_bind_restarts(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_bind *set, const struct cscg_bind_starts *starts, double *E,
    double *pi, struct cscg_em_progress *last, long *which, struct cscg_err *err)
{
	struct restart_search r = { .m = m, .w = w, .set = *set, .starts = starts,
	    .E = E, .pi = pi, .last = last, .which = -1, .failed = -1,
	    .err = err };
	int threads = starts->threads < starts->restarts ? starts->threads :
	    (int)starts->restarts;
	struct cscg_trans_simd *trans_simd = NULL;
	long next = 0, i;

	if (set->simd && !set->is_double && !set->trans_simd) {
		r.set.trans_simd = trans_simd = cscg_trans_simd_new(m, set->simd, err);
		if (!trans_simd)
			return -1;
	}
	if (threads > 1) {
		r.records = cscg_alloc((size_t)starts->restarts,
		    sizeof *r.records, err);
		if (!r.records) {
			cscg_trans_simd_free(trans_simd);
			return -1;
		}
#pragma omp parallel num_threads(threads)
		run_starts(&r, &next);
		replay_reports(&r);
		for (i = 0; i < starts->restarts; i++)
			free(r.records[i].lines);
		free(r.records);
	} else {
		run_starts(&r, &next);
	}
	cscg_trans_simd_free(trans_simd);
	if (which)
		*which = r.which;
	return r.failed < 0 ? 0 : -1;
}
