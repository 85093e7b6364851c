/*
 * em_select.c - plain EM on T, with the number of clones, the number of
 * updates and the pseudocount chosen by held-out likelihood
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "learn/clones.h"
#include "learn/constants.h"
#include "learn/em_restarts.h"
#include "learn/em_select.h"
#include "learn/structure.h"

enum { N_UPDATES = 32 }; /* numbers of updates of a trial, at most */

/* Held-out log-likelihoods of one number of clones. */
struct trial {
	int n; /* numbers of updates that all folds have made */
	long updates[N_UPDATES];
	double held[N_UPDATES][CSCG_HOLDOUT_SMOOTHINGS]; /* sums over folds */
};

struct choice {
	int most;     /* clones of the most frequent symbol */
	double power; /* of set_clones() */
	long updates;
	double pseudocount, held;
};

struct search {
	const struct cscg_holdout *h;
	const struct cscg_learn *set;
	struct cscg_learn quiet; /* settings of a fold */
	long *seen;              /* [n_obs] observations with a successor */
	int *clones;             /* [n_obs] of the present number */
	double least; /* held-out log-likelihood of another candidate */
};

/*
 * Set the number of clones of each symbol, `most` for the most frequent one and
 * in proportion to a power of the frequency for the others, and return their
 * total.  A room with few frequent symbols needs clones of these: power 1.  In
 * text rare symbols are as ambiguous as frequent ones, and cost less: power
 * 1/2.
 */
static long
set_clones(struct search *s, int most, double power)
{
	int n_obs = s->h->w->head.n_obs, x;
	long max = 1, total = 0;

	for (x = 0; x < n_obs; x++)
		max = s->seen[x] > max ? s->seen[x] : max;
	for (x = 0; x < n_obs; x++) {
		s->clones[x] = (int)round(most *
		    pow((double)s->seen[x] / (double)max, power));
		s->clones[x] += !s->clones[x];
		total += s->clones[x];
	}
	return total;
}

/* Add the held-out log-likelihood of a fold to row i of the trial. */
static int
score(const struct search *s, int fold, const struct cscg_model *m,
    struct trial *trial, int i, struct cscg_err *err)
{
	double loglik;
	int k, rc = 0;

	for (k = 0; k < CSCG_HOLDOUT_SMOOTHINGS && rc == 0; k++) {
		rc = cscg_holdout_smoothed_loglik(s->h, fold, m,
		    cscg_holdout_pseudocount(s->set, k), s->set, &loglik, err);
		trial->held[i][k] += loglik;
	}
	return rc;
}

/* The best held-out log-likelihood of row i of a trial. */
static double
best_of_row(const struct trial *trial, int i, int *pseudocount)
{
	int k, best = 0;

	for (k = 1; k < CSCG_HOLDOUT_SMOOTHINGS; k++)
		if (trial->held[i][k] > trial->held[i][best])
			best = k;
	*pseudocount = best;
	return trial->held[i][best];
}

/*
 * Fit the folds with the clones set, all folds for one number of updates
 * before the next, until more updates make the held-out log-likelihood worse
 * or EM converges.
 */
static int
run_trial(struct search *s, struct trial *trial, struct cscg_err *err)
{
	const struct cscg_holdout *h = s->h;
	struct cscg_model *m[CSCG_HOLDOUT_FOLDS_MAX] = { NULL };
	struct cscg_learn_progress line;
	long made = 0, more = cscg_learn_constants.first_updates;
	int f, k, rc = 0;
	bool active = true;

	*trial = (struct trial){ 0 };
	for (f = 0; f < h->n_folds && rc == 0; f++) {
		m[f] = cscg_learn_new_model(h->w, s->set, s->clones, err);
		rc = m[f] ? 0 : -1;
	}
	while (active && rc == 0 && trial->n < N_UPDATES) {
		s->quiet.iterations = more < s->set->iterations - made ?
		    more :
		    s->set->iterations - made;
		active = false;
		for (f = 0; f < h->n_folds && rc == 0; f++) {
			rc = cscg_em_restarts(m[f], h->train[f], &s->quiet,
			    made == 0, 0, &line, err);
			active |= rc == 0 &&
			    line.iteration == s->quiet.iterations;
			if (rc == 0)
				rc = score(s, f, m[f], trial, trial->n, err);
		}
		made += s->quiet.iterations;
		more = made;
		active &= made < s->set->iterations;
		trial->updates[trial->n++] = made;
		if (trial->n > 1 &&
		    best_of_row(trial, trial->n - 1, &k) <
			best_of_row(trial, trial->n - 2, &k))
			active = false;
	}
	for (f = 0; f < h->n_folds; f++)
		cscg_model_free(m[f]);
	return rc;
}

/* The best numbers of a trial. */
static struct choice
best_of_trial(const struct search *s, const struct trial *trial, int most,
    double power)
{
	struct choice best = { .held = -INFINITY };
	double held;
	int i, k;

	for (i = 0; i < trial->n; i++) {
		held = best_of_row(trial, i, &k);
		if (held > best.held)
			best = (struct choice){ most, power, trial->updates[i],
				cscg_holdout_pseudocount(s->set, k), held };
	}
	return best;
}

/* Report the held-out log-likelihood, per step of the walk. */
static void
report(const struct search *s, const struct choice *one, long total)
{
	const struct cscg_holdout *h = s->h;

	cscg_learn_report_stage(s->set, "holdout", 0, one->updates, (int)total,
	    one->held / (double)h->n_held * (double)h->w->n_steps,
	    one->pseudocount, NULL);
}

/*
 * Double the clones as long as that improves the held-out likelihood, and may make
 * it better than that of another candidate: a doubling is assumed to gain no more
 * than the one before it.
 */
static int
grow(struct search *s, double power, struct choice *best, struct cscg_err *err)
{
	const struct cscg_learn_constants *c = &cscg_learn_constants;
	const struct cscg_walk *w = s->h->w;
	struct choice one, own = { .held = -INFINITY };
	struct trial trial;
	double gain;
	int most, n_failed = 0;
	long total, before = 0;

	for (most = 1; n_failed < c->failed_doublings; most *= 2) {
		total = set_clones(s, most, power);
		if (total == before)
			continue;
		if (most > 1 &&
		    (total > w->n_steps / 2 ||
			cscg_clones_work(s->clones, w) > c->max_work))
			break;
		before = total;
		if (cscg_poll(s->set->poll, "held-out EM", (double)total,
			(double)(total + w->n_steps / 2)) &&
		    best->most)
			break;
		if (run_trial(s, &trial, err) < 0)
			return -1;
		if (cscg_poll_stopped(s->set->poll) && best->most)
			break; /* its folds have not completed */
		one = best_of_trial(s, &trial, most, power);
		report(s, &one, total);
		gain = one.held - own.held;
		n_failed = gain >
			fmax(c->min_gain, c->min_gain_share * fabs(one.held)) ?
		    0 :
		    n_failed + 1;
		if (gain > c->min_gain)
			own = one;
		if (own.held > best->held + c->min_gain || !best->most)
			*best = own;
		if (one.held + gain < s->least)
			break;
	}
	return 0;
}

/* The number of clones, of updates, and the pseudocount. */
static int
choose(struct search *s, struct choice *best, struct cscg_err *err)
{
	*best = (struct choice){ .held = -INFINITY };
	if (s->h->w->head.n_actions > 1 && grow(s, 1, best, err) < 0)
		return -1;
	return grow(s, .5, best, err);
}

/*
 * Observations with a successor: a symbol observed only at ends needs one
 * clone.
 */
static long *
count_followed(const struct cscg_walk *w, struct cscg_err *err)
{
	long *n = cscg_alloc((size_t)w->head.n_obs, sizeof *n, err), t;

	for (t = 0; n && t < w->n_steps; t++)
		if (w->x[t] >= 0 && w->a[t] >= 0)
			n[w->x[t]]++;
	return n;
}

/* EM on the whole walk as chosen. */
static struct cscg_model *
fit_all(struct search *s, const struct choice *best,
    struct cscg_learn_progress *last, struct cscg_err *err)
{
	const struct cscg_walk *w = s->h->w;
	struct cscg_learn how = *s->set;
	struct cscg_model *m;

	set_clones(s, best->most, best->power);
	how.iterations = best->updates;
	how.learn_pi = s->quiet.learn_pi;
	m = cscg_learn_new_model(w, s->set, s->clones, err);
	if (!m || cscg_em_restarts(m, w, &how, true, 0, last, err) < 0) {
		cscg_model_free(m);
		return NULL;
	}
	cscg_holdout_smooth(m, w->n_episodes, best->pseudocount);
	return m;
}

int
cscg_em_select(const struct cscg_holdout *h, const struct cscg_learn *set,
    double *held, struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err)
{
	struct search s = {
		.h = h, .set = set, .quiet = *set, .least = *held
	};
	struct choice best;
	int rc = -1;

	/* Ranks have parts of the whole walk, not of a fold. */
	s.quiet.estep_ranks = NULL;
	s.quiet.report = NULL;
	s.quiet.restarts = 1;
	s.quiet.learn_pi = set->learn_pi ||
	    h->w->n_episodes >= cscg_learn_constants.pi_episodes;
	s.seen = count_followed(h->w, err);
	s.clones = cscg_alloc((size_t)h->w->head.n_obs, sizeof *s.clones, err);
	*m = NULL;
	if (s.seen && s.clones && choose(&s, &best, err) == 0)
		rc = best.held > *held;
	if (rc > 0) {
		*held = best.held;
		*m = fit_all(&s, &best, last, err);
		rc = *m ? 1 : -1;
	}
	free(s.seen);
	free(s.clones);
	return rc;
}
