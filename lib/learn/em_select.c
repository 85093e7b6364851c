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
#include "learn/learn_model.h"
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
		m[f] = cscg_learn_model_new(h->w, s->set, s->clones, err);
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
 * it better than that of another candidate by a second gain as large.
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
		n_failed = gain > fmax(c->min_gain,
				      c->min_gain_share * fabs(one.held)) &&
			one.held + gain >= s->least ?
		    0 :
		    n_failed + 1;
		if (gain > c->min_gain)
			own = one;
		if (own.held > best->held + c->min_gain || !best->most)
			*best = own;
	}
	return 0;
}

/*
 * Powers of set_clones(): the last alone without actions; equal numbers, which
 * predict symbols best that were rarely seen so far, for a mixture only.
 */
enum { N_POWERS = 3 };
static const double powers[N_POWERS] = { 1, 0, .5 };

/*
 * The number of clones, of updates, and the pseudocount: the best of each power,
 * best[0 .. n-1]; best[*top] is the best of all.  Returns n, or -1 with err filled.
 */
static int
choose(struct search *s, struct choice *best, int *top, struct cscg_err *err)
{
	const struct cscg_learn_constants *c = &cscg_learn_constants;
	const struct cscg_walk *w = s->h->w;
	int i, n = 0;

	*top = 0;
	for (i = w->head.n_actions > 1 ? 0 : N_POWERS - 1;
	     i < N_POWERS && !(n && cscg_poll_stopped(s->set->poll)); i++) {
		if (powers[i] == 0 && !cscg_em_select_mixes(w, s->set))
			continue;
		best[n] = (struct choice){ .held = -INFINITY };
		if (grow(s, powers[i], &best[n], err) < 0)
			return -1;
		if (best[n].held > best[*top].held + c->min_gain)
			*top = n;
		n++;
	}
	return n;
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

/* EM on the whole walk as chosen, from one start, or the best of all if it is -1. */
static struct cscg_model *
fit_one(struct search *s, const struct choice *best, int restart,
    struct cscg_learn_progress *last, struct cscg_err *err)
{
	const struct cscg_walk *w = s->h->w;
	struct cscg_learn how = *s->set;
	struct cscg_model *m;

	set_clones(s, best->most, best->power);
	how.iterations = best->updates;
	how.learn_pi = s->quiet.learn_pi;
	if (restart >= 0) {
		how.restarts = 1;
		how.seed += (uint64_t)restart;
	}
	m = cscg_learn_model_new(w, s->set, s->clones, err);
	if (!m || cscg_em_restarts(m, w, &how, true, 0, last, err) < 0) {
		cscg_model_free(m);
		return NULL;
	}
	cscg_holdout_smooth(m, w->n_episodes, best->pseudocount);
	return m;
}

/* Add the counts of m times share to c; at[j] is the new number of state j. */
static int
add_counts(const struct cscg_model *m, double share, const int *at,
    struct cscg_count **c, size_t *n, size_t *cap, struct cscg_err *err)
{
	int S = m->n_states, a, j;
	long i;

	for (a = 0; a < m->n_actions; a++)
		for (j = 0; j < S; j++)
			for (i = m->first[(long)a * S + j];
			     i < m->first[(long)a * S + j + 1]; i++) {
				if (cscg_grow(c, cap, *n + 1, sizeof **c,
					err) < 0)
					return -1;
				(*c)[(*n)++] = (struct cscg_count){ a, at[j],
					at[m->to[i]], share * m->count[i] };
			}
	return 0;
}

/* Put the states of k models beside each other in *all, which has their clones. */
static int
join(struct cscg_model *all, struct cscg_model *const *m, int k, int *at,
    int *next, struct cscg_err *err)
{
	struct cscg_count *c = NULL;
	size_t n = 0, cap = 0;
	double mass = 0, one;
	int i, j, rc = 0;

	for (i = 0; i < k; i++)
		mass += m[i]->pseudocount * m[i]->n_states / k / k;
	cscg_model_groups(all, next);
	for (i = 0; i < k && rc == 0; i++) {
		for (j = 0; j < m[i]->n_states; j++) {
			at[j] = next[m[i]->clone[j]]++;
			if (all->pi)
				all->pi[at[j]] = m[i]->pi[j] / k;
		}
		/* Smoothing has the same share of each row as before. */
		one = m[i]->pseudocount * m[i]->n_states;
		rc = add_counts(m[i], one > 0 ? mass / one : 1. / k, at, &c,
		    &n, &cap, err);
	}
	all->pseudocount = mass / all->n_states;
	if (rc == 0)
		rc = cscg_model_set_counts(all, c, (long)n, err);
	free(c);
	return rc;
}

/* The mixture of k models, new: NULL with err filled. */
static struct cscg_model *
mix(struct search *s, struct cscg_model *const *m, int k, struct cscg_err *err)
{
	int n_obs = s->h->w->head.n_obs, i, j, S = 0, *at, *next;
	struct cscg_model *all = NULL;
	int rc = -1;

	memset(s->clones, 0, (size_t)n_obs * sizeof *s->clones);
	for (i = 0; i < k; i++) {
		S = m[i]->n_states > S ? m[i]->n_states : S;
		for (j = 0; j < m[i]->n_states; j++)
			s->clones[m[i]->clone[j]]++;
	}
	at = cscg_alloc((size_t)S, sizeof *at, err);
	next = cscg_alloc((size_t)n_obs + 1, sizeof *next, err);
	if (at && next)
		all = cscg_learn_model_new(s->h->w, s->set, s->clones, err);
	if (all && m[0]->pi)
		all->pi = cscg_alloc((size_t)all->n_states, sizeof *all->pi,
		    err);
	if (all && (all->pi || !m[0]->pi))
		rc = join(all, m, k, at, next, err);
	if (rc < 0) {
		cscg_model_free(all);
		all = NULL;
	}
	free(at);
	free(next);
	return all;
}

/*
 * A short walk does not show which of several models is right: the mixture of
 * those of all n choices, from every start.
 */
static struct cscg_model *
fit_mixture(struct search *s, const struct choice *best, int n,
    struct cscg_learn_progress *last, struct cscg_err *err)
{
	int starts = (int)s->set->restarts, i, k = 0, rc = 0;
	struct cscg_model **m, *all = NULL;

	m = cscg_alloc((size_t)n * (size_t)starts, sizeof(void *), err);
	if (!m)
		return NULL;
	for (i = 0; i < n * starts && rc == 0; i++, k++) {
		m[k] = fit_one(s, &best[i / starts], i % starts, last, err);
		rc = m[k] ? 0 : -1;
	}
	if (rc == 0)
		all = mix(s, m, k, err);
	if (all &&
	    cscg_learn_loglik(all, s->h->w, s->set, &last->loglik, err) < 0) {
		cscg_model_free(all);
		all = NULL;
	}
	if (all)
		last->n_states = all->n_states;
	for (i = 0; i < k; i++)
		cscg_model_free(m[i]);
	free(m);
	return all;
}

bool
cscg_em_select_mixes(const struct cscg_walk *w, const struct cscg_learn *set)
{
	return set->mixture && w->head.n_actions > 1 &&
	    w->n_steps < cscg_learn_constants.mixture_steps;
}

int
cscg_em_select(const struct cscg_holdout *h, const struct cscg_learn *set,
    double *held, struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err)
{
	struct search s = {
		.h = h, .set = set, .quiet = *set, .least = *held
	};
	struct choice best[N_POWERS];
	int n = -1, top, rc = -1;

	/* Ranks have parts of the whole walk, not of a fold. */
	s.quiet.estep_ranks = NULL;
	s.quiet.report = NULL;
	s.quiet.restarts = 1;
	s.quiet.learn_pi = set->learn_pi ||
	    h->w->n_episodes >= cscg_learn_constants.pi_episodes;
	s.seen = count_followed(h->w, err);
	s.clones = cscg_alloc((size_t)h->w->head.n_obs, sizeof *s.clones, err);
	*m = NULL;
	if (s.seen && s.clones)
		n = choose(&s, best, &top, err);
	if (n > 0)
		rc = best[top].held > *held;
	if (rc > 0) {
		*held = best[top].held;
		*m = n == N_POWERS ? fit_mixture(&s, best, n, last, err) :
				     fit_one(&s, &best[top], -1, last, err);
		rc = *m ? 1 : -1;
	}
	free(s.seen);
	free(s.clones);
	return rc;
}
