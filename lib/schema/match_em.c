/*
 * match_em.c - the paper's score: the likelihood after binding
 *
 * What was seen is bound by EM from several starts, as cscg_bind_restarts() does;
 * the score is the log-likelihood under the best.  A warm episode keeps the E
 * of every start and goes on from it at the next look; one that keeps has the
 * best E of the look before as one more start, and other random ones each time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schema/match.h"
#include "base/mem.h"

struct tables {
	const struct cscg_match_em_options *set;
	const struct cscg_model *m;
	struct cscg_trans_simd *trans_simd;	/* NULL: the plain loops need none */
};

struct episode {
	const struct tables *tables;
	uint64_t key;
	int n_obs;
	long n;			/* starts that are kept */
	double *E, *pi;		/* [n][n_states][n_obs], [n][n_states] */
	bool has_started;
	uint64_t n_evaluations;
	struct cscg_bind_work work;
};

static void
em_close(void *tables)
{
	struct tables *t = tables;

	if (t)
		cscg_trans_simd_free(t->trans_simd);
	free(t);
}

static void *
em_open(const void *set, const struct cscg_model *m, struct cscg_err *err)
{
	struct tables *t = cscg_alloc(1, sizeof *t, err);

	if (!t)
		return NULL;
	t->set = set;
	t->m = m;
	if (t->set->bind.tied && !m->clone) {
		cscg_fail(err, CSCG_EMISMATCH, "there is no clone structure to "
		    "tie emissions by");
		goto fail;
	}
	if (t->set->bind.simd && !t->set->bind.is_double) {
		t->trans_simd = cscg_trans_simd_new(m, t->set->bind.simd, err);
		if (!t->trans_simd)
			goto fail;
	}
	return t;
fail:
	em_close(t);
	return NULL;
}

static void
em_end_episode(void *episode)
{
	struct episode *e = episode;

	if (!e)
		return;
	free(e->E);
	free(e->pi);
	cscg_bind_work_free(&e->work);
	free(e);
}

static void *
em_begin_episode(void *tables, int n_obs, uint64_t key, struct cscg_err *err)
{
	const struct tables *t = tables;
	struct episode *e = cscg_alloc(1, sizeof *e, err);
	size_t S = (size_t)t->m->n_states;

	if (!e)
		return NULL;
	e->tables = t;
	e->key = key;
	e->n_obs = n_obs;
	e->n = t->set->warm_iterations ? t->set->starts.restarts : t->set->keep_best ? 2 : 1;
	e->E = cscg_alloc((size_t)e->n * S, (size_t)n_obs * sizeof *e->E, err);
	e->pi = cscg_alloc((size_t)e->n * S, sizeof *e->pi, err);
	if (!e->E || !e->pi) {
		em_end_episode(e);
		return NULL;
	}
	return e;
}

static int
evaluate_fresh(struct episode *e, const struct cscg_walk *view, int threads,
    struct cscg_em_progress *last, struct cscg_err *err)
{
	const struct tables *t = e->tables;
	struct cscg_bind bind = t->set->bind;
	struct cscg_bind_starts starts = t->set->starts;

	bind.trans_simd = t->trans_simd;
	starts.key = e->key + (e->n_evaluations << 32);
	starts.threads = threads;
	return cscg_bind_restarts(t->m, view, &bind, &starts, e->E, e->pi, last,
	    NULL, err);
}

/* The i-th start of an episode, as cscg_bind_restarts() makes it. */
static void
init_start(struct episode *e, long i, double *E, double *pi)
{
	const struct tables *t = e->tables;
	const struct cscg_bind_starts *s = &t->set->starts;
	struct cscg_rng rng;
	int j;

	cscg_rng_seed(&rng, s->seed, CSCG_RNG_BIND, (uint64_t)i, e->key);
	cscg_bind_random_E(t->m, e->n_obs, t->set->bind.tied,
	    cscg_bind_starts_jitter(s, i), &rng, E);
	for (j = 0; j < t->m->n_states; j++)
		pi[j] = t->m->pi ? t->m->pi[j] : 1.0 / t->m->n_states;
}

/* Where the last look ended, all starts on. */
static int
evaluate_warm(struct episode *e, const struct cscg_walk *view,
    struct cscg_em_progress *best, struct cscg_err *err)
{
	const struct tables *t = e->tables;
	size_t S = (size_t)t->m->n_states;
	struct cscg_bind bind = t->set->bind;
	struct cscg_em_progress line;
	long i;

	bind.trans_simd = t->trans_simd;
	bind.work = &e->work;
	if (e->has_started)
		bind.iterations = t->set->warm_iterations;
	for (i = 0; i < e->n; i++) {
		double *E = e->E + (size_t)i * S * (size_t)e->n_obs;
		double *pi = e->pi + (size_t)i * S;

		if (!e->has_started)
			init_start(e, i, E, pi);
		if (cscg_bind(t->m, view, &bind, E, pi, &line, err) < 0)
			return -1;
		if (!i || line.objective > best->objective)
			*best = line;
	}
	e->has_started = true;
	return 0;
}

/* Anew, and on from the best there was; the second E is the one kept. */
static int
evaluate_keep(struct episode *e, const struct cscg_walk *view, int threads,
    struct cscg_em_progress *best, struct cscg_err *err)
{
	const struct tables *t = e->tables;
	size_t S = (size_t)t->m->n_states, n = S * (size_t)e->n_obs;
	struct cscg_bind bind = t->set->bind;
	struct cscg_em_progress line;

	if (evaluate_fresh(e, view, threads, best, err) < 0)
		return -1;
	bind.trans_simd = t->trans_simd;
	bind.work = &e->work;
	if (e->n_evaluations++ && cscg_bind(t->m, view, &bind, e->E + n, e->pi + S,
	    &line, err) < 0)
		return -1;
	if (e->n_evaluations > 1 && line.objective > best->objective) {
		*best = line;
	} else {
		memcpy(e->E + n, e->E, n * sizeof *e->E);
		memcpy(e->pi + S, e->pi, S * sizeof *e->pi);
	}
	return 0;
}

static int
em_evaluate(void *episode, const struct cscg_walk *view, int threads,
    double *loglik, struct cscg_err *err)
{
	struct episode *e = episode;
	struct cscg_em_progress last = { .loglik = -INFINITY };
	const struct cscg_match_em_options *set = e->tables->set;
	int rc = set->warm_iterations ? evaluate_warm(e, view, &last, err) :
	    set->keep_best ? evaluate_keep(e, view, threads, &last, err) :
	    evaluate_fresh(e, view, threads, &last, err);

	if (rc == 0) {
		*loglik = last.loglik;
	} else if (err->code == CSCG_ERANGE) {
		/* This schema cannot have been it: that is an answer. */
		*loglik = -INFINITY;
		*err = (struct cscg_err){ 0 };
		rc = 0;
	}
	return rc;
}

static bool
em_is_stateful(const void *set)
{
	const struct cscg_match_em_options *em = set;

	return em->warm_iterations > 0 || em->keep_best;
}

const struct cscg_match_score cscg_match_score_em = {
	"em", em_open, em_close, em_begin_episode, em_end_episode, em_evaluate, em_is_stateful, NULL
};
