/*
 * holdout.c - the held-out log-likelihood of a walk
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "kernel/decoder.h"
#include "learn/constants.h"
#include "learn/holdout.h"

enum { FOLDS = CSCG_HOLDOUT_FOLDS_MAX }; /* of a short walk */

/* The block of step t in episode e. */
static long
block_of(const struct cscg_walk *w, int e, long t, int n_blocks)
{
	return w->n_episodes >= cscg_learn_constants.episode_blocks ?
	    e :
	    t * n_blocks / w->n_steps;
}

static void
set_folds(struct cscg_holdout *h)
{
	const struct cscg_walk *w = h->w;
	bool is_short = w->n_steps < cscg_learn_constants.short_steps;
	long t, b;
	int e;

	h->n_folds = is_short ? FOLDS : 1;
	for (e = 0; e < w->n_episodes; e++)
		for (t = w->start[e]; t < w->start[e + 1]; t++) {
			b = block_of(w, e, t,
			    is_short ? cscg_learn_constants.short_blocks :
				       cscg_learn_constants.long_blocks);
			if (is_short)
				h->fold[t] = (signed char)(b % FOLDS);
			else
				h->fold[t] = b %
					    cscg_learn_constants.long_share ==
					cscg_learn_constants.long_share - 1 ?
				    0 :
				    -1;
			h->n_held += h->fold[t] >= 0 && w->x[t] >= 0;
		}
}

/* The walk of a fold: an episode ends where a held-out block begins. */
static struct cscg_walk *
training_walk(const struct cscg_holdout *h, int fold, struct cscg_err *err)
{
	const struct cscg_walk *w = h->w;
	struct cscg_walk *train = cscg_walk_new(&w->head, err);
	struct cscg_step step;
	long t;

	for (t = 0; train && t < w->n_steps; t++) {
		if (h->fold[t] == fold)
			continue;
		cscg_walk_get_step(w, t, &step);
		if (t + 1 < w->n_steps && h->fold[t + 1] == fold)
			step.a = -1;
		if (cscg_walk_add(train, &step, err) < 0) {
			cscg_walk_free(train);
			train = NULL;
		}
	}
	return train;
}

struct cscg_holdout *
cscg_holdout_new(const struct cscg_walk *w, struct cscg_err *err)
{
	struct cscg_holdout *h;
	int f;

	if (w->n_steps < CSCG_HOLDOUT_MIN_STEPS) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "a walk of %ld steps is too short for held-out steps",
		    w->n_steps);
		return NULL;
	}
	h = cscg_alloc(1, sizeof *h, err);
	if (!h)
		return NULL;
	h->w = w;
	h->fold = cscg_alloc((size_t)w->n_steps, sizeof *h->fold, err);
	h->train = cscg_alloc(FOLDS, sizeof *h->train, err);
	if (!h->fold || !h->train) {
		cscg_holdout_free(h);
		return NULL;
	}
	set_folds(h);
	for (f = 0; f < h->n_folds; f++) {
		h->train[f] = training_walk(h, f, err);
		if (!h->train[f]) {
			cscg_holdout_free(h);
			return NULL;
		}
	}
	return h;
}

void
cscg_holdout_free(struct cscg_holdout *h)
{
	int f;

	if (!h)
		return;
	for (f = 0; h->train && f < FOLDS; f++)
		cscg_walk_free(h->train[f]);
	free(h->train);
	free(h->fold);
	free(h);
}

/* True if an episode has a step that is held out in the fold. */
static bool
is_held(const struct cscg_holdout *h, int fold, int e)
{
	long t;

	for (t = h->w->start[e]; t < h->w->start[e + 1]; t++)
		if (h->fold[t] == fold)
			return true;
	return false;
}

/* Filter episode e; adds its held-out log-likelihood. */
static int
filter_episode(const struct cscg_holdout *h, int fold, int e,
    struct cscg_decoder *d, double *p, double *loglik, struct cscg_err *err)
{
	const struct cscg_walk *w = h->w;
	long from = w->start[e], t;
	double one;

	if (cscg_decoder_filter(d, w->start[e + 1] - from, w->x + from,
		w->a + from, w->reset ? w->reset + from : NULL, p, &one,
		err) < 0)
		return -1;
	for (t = from; t < w->start[e + 1]; t++)
		if (h->fold[t] == fold && w->x[t] >= 0)
			*loglik += log(fmax(p[t - from], DBL_MIN));
	return 0;
}

int
cscg_holdout_loglik(const struct cscg_holdout *h, int fold,
    const struct cscg_model *m, const struct cscg_kernel *kern,
    const struct cscg_simd *simd, double *loglik, struct cscg_err *err)
{
	struct cscg_trans *tr = cscg_trans_new(m, kern, err);
	struct cscg_decoder *d = tr ? cscg_decoder_new(tr, simd, err) : NULL;
	double *p = cscg_alloc((size_t)h->w->n_steps, sizeof *p, err);
	int e, rc = d && p ? 0 : -1;

	*loglik = 0;
	for (e = 0; e < h->w->n_episodes && rc == 0; e++)
		if (is_held(h, fold, e))
			rc = filter_episode(h, fold, e, d, p, loglik, err);
	free(p);
	cscg_decoder_free(d);
	cscg_trans_free(tr);
	return rc;
}

double
cscg_holdout_pseudocount(const struct cscg_learn *set, int i)
{
	static const double factor[CSCG_HOLDOUT_SMOOTHINGS] = { .1, 1, 10 };

	return set->pseudocount * factor[i];
}

void
cscg_holdout_smooth(struct cscg_model *m, int episodes, double pseudocount)
{
	int j;

	m->pseudocount = pseudocount;
	for (j = 0; m->pi && j < m->n_states; j++)
		m->pi[j] = (m->pi[j] * episodes + pseudocount) /
		    (episodes + pseudocount * m->n_states);
}

int
cscg_holdout_smoothed_loglik(const struct cscg_holdout *h, int fold,
    const struct cscg_model *m, double pseudocount,
    const struct cscg_learn *set, double *loglik, struct cscg_err *err)
{
	struct cscg_model *copy = cscg_model_copy(m, err);
	int rc = -1;

	*loglik = 0;
	if (copy) {
		cscg_holdout_smooth(copy, h->train[fold]->n_episodes,
		    pseudocount);
		rc = cscg_holdout_loglik(h, fold, copy,
		    set->is_double ? &cscg_plain_double : &cscg_plain_float,
		    set->simd, loglik, err);
	}
	cscg_model_free(copy);
	return rc;
}
