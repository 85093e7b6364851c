/*
 * match_em.c - the paper's score: the likelihood after binding
 *
 * What was seen is bound by EM from several starts, as cscg_bind_best() does;
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
	const struct cscg_match_em *set;
	const struct cscg_model *m;
	struct cscg_ways *ways;	/* NULL: the plain loops need none */
};

struct episode {
	const struct tables *tables;
	uint64_t key;
	int n_obs;
	long n;			/* starts that are kept */
	double *E, *pi;		/* [n][n_states][n_obs], [n][n_states] */
	bool begun;
	uint64_t looks;
	struct cscg_bind_work work;
};

static void
em_close(void *tables)
{
	struct tables *t = tables;

	if (t)
		cscg_ways_free(t->ways);
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
		t->ways = cscg_ways_new(m, t->set->bind.simd, err);
		if (!t->ways)
			goto fail;
	}
	return t;
fail:
	em_close(t);
	return NULL;
}

static void
em_end(void *episode)
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
em_begin(void *tables, int n_obs, uint64_t key, struct cscg_err *err)
{
	const struct tables *t = tables;
	struct episode *e = cscg_alloc(1, sizeof *e, err);
	size_t S = (size_t)t->m->n_states;

	if (!e)
		return NULL;
	e->tables = t;
	e->key = key;
	e->n_obs = n_obs;
	e->n = t->set->warm ? t->set->starts.restarts : t->set->keep ? 2 : 1;
	e->E = cscg_alloc((size_t)e->n * S, (size_t)n_obs * sizeof *e->E, err);
	e->pi = cscg_alloc((size_t)e->n * S, sizeof *e->pi, err);
	if (!e->E || !e->pi) {
		em_end(e);
		return NULL;
	}
	return e;
}

static int
look_anew(struct episode *e, const struct cscg_walk *view, int threads,
    struct cscg_em_line *last, struct cscg_err *err)
{
	const struct tables *t = e->tables;
	struct cscg_bind bind = t->set->bind;
	struct cscg_starts starts = t->set->starts;

	bind.ways = t->ways;
	starts.key = e->key + (e->looks << 32);
	starts.threads = threads;
	return cscg_bind_best(t->m, view, &bind, &starts, e->E, e->pi, last,
	    NULL, err);
}

/* The i-th start of an episode, as cscg_bind_best() makes it. */
static void
start(struct episode *e, long i, double *E, double *pi)
{
	const struct tables *t = e->tables;
	const struct cscg_starts *s = &t->set->starts;
	struct cscg_rng rng;
	int j;

	cscg_rng_seed(&rng, s->seed, CSCG_RNG_BIND, (uint64_t)i, e->key);
	cscg_bind_start(t->m, e->n_obs, t->set->bind.tied,
	    cscg_starts_jitter(s, i), &rng, E);
	for (j = 0; j < t->m->n_states; j++)
		pi[j] = t->m->pi ? t->m->pi[j] : 1.0 / t->m->n_states;
}

/* Where the last look ended, all starts on. */
static int
look_on(struct episode *e, const struct cscg_walk *view,
    struct cscg_em_line *best, struct cscg_err *err)
{
	const struct tables *t = e->tables;
	size_t S = (size_t)t->m->n_states;
	struct cscg_bind bind = t->set->bind;
	struct cscg_em_line line;
	long i;

	bind.ways = t->ways;
	bind.work = &e->work;
	if (e->begun)
		bind.iterations = t->set->warm;
	for (i = 0; i < e->n; i++) {
		double *E = e->E + (size_t)i * S * (size_t)e->n_obs;
		double *pi = e->pi + (size_t)i * S;

		if (!e->begun)
			start(e, i, E, pi);
		if (cscg_bind(t->m, view, &bind, E, pi, &line, err) < 0)
			return -1;
		if (!i || line.objective > best->objective)
			*best = line;
	}
	e->begun = true;
	return 0;
}

/* Anew, and on from the best there was; the second E is the one kept. */
static int
look_both(struct episode *e, const struct cscg_walk *view, int threads,
    struct cscg_em_line *best, struct cscg_err *err)
{
	const struct tables *t = e->tables;
	size_t S = (size_t)t->m->n_states, n = S * (size_t)e->n_obs;
	struct cscg_bind bind = t->set->bind;
	struct cscg_em_line line;

	if (look_anew(e, view, threads, best, err) < 0)
		return -1;
	bind.ways = t->ways;
	bind.work = &e->work;
	if (e->looks++ && cscg_bind(t->m, view, &bind, e->E + n, e->pi + S,
	    &line, err) < 0)
		return -1;
	if (e->looks > 1 && line.objective > best->objective) {
		*best = line;
	} else {
		memcpy(e->E + n, e->E, n * sizeof *e->E);
		memcpy(e->pi + S, e->pi, S * sizeof *e->pi);
	}
	return 0;
}

static int
em_look(void *episode, const struct cscg_walk *view, int threads,
    double *loglik, struct cscg_err *err)
{
	struct episode *e = episode;
	struct cscg_em_line last = { .loglik = -INFINITY };
	const struct cscg_match_em *set = e->tables->set;
	int rc = set->warm ? look_on(e, view, &last, err) :
	    set->keep ? look_both(e, view, threads, &last, err) :
	    look_anew(e, view, threads, &last, err);

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
em_remembers(const void *set)
{
	const struct cscg_match_em *em = set;

	return em->warm > 0 || em->keep;
}

const struct cscg_score cscg_score_em = {
	"em", em_open, em_close, em_begin, em_end, em_look, em_remembers, NULL
};
