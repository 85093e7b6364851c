/*
 * refute.c - which actions wrong schemas could explain least
 *
 * One table of counts serves all beginnings: the walk is replayed from each, the
 * plans are played from where it ends, and all is taken back.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/refute.h"
#include "plan/stroll.h"

enum {
	GUESSES = 5, LENGTH = 8,
	LONGER = 4,		/* times, of runs if nothing else is worth it */
	PAIRS = 1 << 24		/* of groups and symbols; more are too many */
};

static const double NEAR = 12;	/* nats: beginnings that are worth a look */
static const double DULL = .3;	/* nats that are not worth a plan */

struct cscg_refute {
	int n, n_obs;
	struct cscg_strolls plans;
	double **cost;		/* [n][states] by where the walk begins */
	double *least;		/* [n] */
	double *f;		/* [n_f] n log n */
	long n_f;
	int *count, *total;	/* [groups * n_obs], [groups] looks that were met */
	double *left;		/* [GUESSES][plans] of the evidence of some rivals */
	double *worth;		/* [plans] */
	size_t cap_f, cap_count, cap_total;
};

/* ---- making ---- */

struct cscg_refute *
cscg_refute_new(int n, int n_actions, int n_obs, int apart,
    struct cscg_err *err)
{
	struct cscg_refute *r = cscg_alloc(1, sizeof *r, err);

	if (!r)
		return NULL;
	r->n = n;
	r->n_obs = n_obs;
	r->cost = cscg_alloc((size_t)n, sizeof *r->cost, err);
	r->least = cscg_alloc((size_t)n, sizeof *r->least, err);
	if (r->cost && r->least && cscg_strolls_new(&r->plans, n_actions,
	    apart, LENGTH, LONGER, err) == 0) {
		r->left = cscg_alloc(GUESSES * (size_t)r->plans.n,
		    sizeof *r->left, err);
		r->worth = cscg_alloc((size_t)r->plans.n, sizeof *r->worth,
		    err);
	}
	if (r->left && r->worth)
		return r;
	cscg_refute_free(r);
	return NULL;
}

void
cscg_refute_free(struct cscg_refute *r)
{
	int i;

	if (!r)
		return;
	for (i = 0; r->cost && i < r->n; i++)
		free(r->cost[i]);
	cscg_strolls_free(&r->plans);
	free(r->cost);
	free(r->least);
	free(r->f);
	free(r->count);
	free(r->total);
	free(r->left);
	free(r->worth);
	free(r);
}

/* n log n for walks of n steps and what is played behind them. */
static int
fit_steps(struct cscg_refute *r, long n, struct cscg_err *err)
{
	n += r->plans.longest + 1;
	if (cscg_grow(&r->f, &r->cap_f, (size_t)n, sizeof *r->f, err) < 0)
		return -1;
	for (; r->n_f < n; r->n_f++)
		r->f[r->n_f] = r->n_f ? (double)r->n_f * log((double)r->n_f) :
		    0;
	return 0;
}

static size_t
pairs(const struct cscg_refute *r, const struct cscg_rival *rival)
{
	return (size_t)cscg_rival_groups(rival) * (size_t)r->n_obs;
}

/*
 * Room for counts, of which there are none but while a walk is replayed: only
 * what is new must be cleared, and that is easily done as a whole.
 */
static int
fit_rival(struct cscg_refute *r, const struct cscg_rival *rival,
    struct cscg_err *err)
{
	size_t groups = (size_t)cscg_rival_groups(rival);
	size_t had = r->cap_count, had_total = r->cap_total;

	if (cscg_grow(&r->count, &r->cap_count, pairs(r, rival),
	    sizeof *r->count, err) < 0 || cscg_grow(&r->total, &r->cap_total,
	    groups, sizeof *r->total, err) < 0)
		return -1;
	if (r->cap_count > had)
		memset(r->count, 0, r->cap_count * sizeof *r->count);
	if (r->cap_total > had_total)
		memset(r->total, 0, r->cap_total * sizeof *r->total);
	return 0;
}

/* ---- what the walk costs ---- */

/* Group g is met once more, and looks like x; what that costs. */
static double
meet(struct cscg_refute *r, int g, int x)
{
	int *n = &r->count[(size_t)g * (size_t)r->n_obs + (size_t)x];
	int *all = &r->total[g];

	++*n;
	++*all;
	return r->f[*all] - r->f[*all - 1] - r->f[*n] + r->f[*n - 1];
}

static void
unmeet(struct cscg_refute *r, int g, int x)
{
	r->count[(size_t)g * (size_t)r->n_obs + (size_t)x]--;
	r->total[g]--;
}

/* Where a leads; what is not known is taken for a wall. */
static int
go(const struct cscg_rival *rival, int j, int a)
{
	int to = cscg_rival_to(rival, j, a);

	return to < 0 ? j : to;
}

/* Where the agent was last put somewhere. */
static long
beginning(const struct cscg_trail *t)
{
	long s = t->n - 1;

	while (s > 0 && t->a[s] >= 0)
		s--;
	return s;
}

/* The walk begins in state j: where it ends, and what it costs. */
static int
replay(struct cscg_refute *r, const struct cscg_rival *rival,
    const struct cscg_trail *t, int j, double *cost)
{
	long from = beginning(t), s;

	*cost = 0;
	for (s = from; s < t->n; s++) {
		if (s > from)
			j = go(rival, j, t->a[s]);
		if (t->x[s] >= 0)
			*cost += meet(r, cscg_rival_group(rival, j), t->x[s]);
	}
	return j;
}

static void
take_back(struct cscg_refute *r, const struct cscg_rival *rival,
    const struct cscg_trail *t, int j)
{
	long from = beginning(t), s;

	for (s = from; s < t->n; s++) {
		if (s > from)
			j = go(rival, j, t->a[s]);
		if (t->x[s] >= 0)
			unmeet(r, cscg_rival_group(rival, j), t->x[s]);
	}
}

static int
set_costs(struct cscg_refute *r, int i, const struct cscg_rival *rival,
    const struct cscg_trail *t, struct cscg_err *err)
{
	int j, n = cscg_rival_states(rival);

	if (!r->cost[i])
		r->cost[i] = cscg_alloc((size_t)n, sizeof **r->cost, err);
	if (!r->cost[i] || fit_rival(r, rival, err) < 0)
		return -1;
	for (j = 0; j < n; j++) {
		replay(r, rival, t, j, &r->cost[i][j]);
		take_back(r, rival, t, j);
		r->least[i] = fmin(r->least[i], r->cost[i][j]);
	}
	return 0;
}

const double *
cscg_refute_costs(struct cscg_refute *r, struct cscg_rival *const *rival,
    const struct cscg_trail *trail, struct cscg_err *err)
{
	int i;

	if (fit_steps(r, trail->n, err) < 0)
		return NULL;
	for (i = 0; i < r->n; i++) {
		r->least[i] = INFINITY;
		if (!cscg_rival_is_memory(rival[i]) &&
		    pairs(r, rival[i]) <= PAIRS &&
		    set_costs(r, i, rival[i], trail, err) < 0)
			return NULL;
	}
	return r->least;
}

/* ---- what plans would cost ---- */

/* A plan is played: what is believed, and what a rival makes of it. */
struct game {
	const struct cscg_rival *sure, *rival;
	const struct cscg_guess *guess;
	int at, state;		/* of the one that is believed, of the rival */
	bool blind;		/* the look of a place is not known */
	double cost;
};

/* How things were before an action. */
struct mark {
	int at, state;
	bool blind;
	double cost;
	int g, x;		/* what was met; g < 0: nothing */
};

/*
 * What is not known yet ends what a plan can tell: a place of the right kind may
 * be of another size, and then something else is there.
 */
static struct mark
advance(struct cscg_refute *r, struct game *m, int a)
{
	struct mark k = { m->at, m->state, m->blind, m->cost, -1, -1 };

	m->at = go(m->sure, m->at, a);
	m->state = go(m->rival, m->state, a);
	if (!m->blind)
		k.x = cscg_rival_look(m->sure, m->guess, m->at);
	m->blind = k.x < 0;
	if (!m->blind) {
		k.g = cscg_rival_group(m->rival, m->state);
		m->cost += meet(r, k.g, k.x);
	}
	return k;
}

static void
step_back(struct cscg_refute *r, struct game *m, const struct mark *k)
{
	if (k->g >= 0)
		unmeet(r, k->g, k->x);
	m->at = k->at;
	m->state = k->state;
	m->blind = k->blind;
	m->cost = k->cost;
}

/* Plans from..to-1, each of which leaves some evidence. */
static void
play(struct cscg_refute *r, struct game *m, double base, double *left,
    int from, int to)
{
	struct mark k[LONGER * LENGTH] = { { 0 } };
	int i, n = 0;

	m->at = m->guess->state;
	for (i = from; i < to; i++) {
		const struct cscg_stroll *p = &r->plans.v[i];

		while (n >= cscg_stroll_length(p))
			step_back(r, m, &k[--n]);
		k[n++] = advance(r, m, p->turn ? p->b : p->a);
		left[i] += exp(base - m->cost);
	}
	while (n > 0)
		step_back(r, m, &k[--n]);
}

/*
 * What is left of the evidence for rival i if each guess is right, in r->left,
 * from all beginnings that cost not much more than base; what there was.
 */
static double
play_rival(struct cscg_refute *r, struct game *m, const struct cscg_guess *guess,
    int n_guess, int i, double base, const struct cscg_trail *t, int from,
    int to)
{
	double sum = 0;
	int j, k;

	for (j = 0; j < cscg_rival_states(m->rival); j++) {
		if (r->cost[i][j] > base + NEAR)
			continue;
		m->state = replay(r, m->rival, t, j, &m->cost);
		sum += exp(base - m->cost);
		for (k = 0; k < n_guess; k++) {
			m->guess = &guess[k];
			play(r, m, base, r->left + (size_t)k *
			    (size_t)r->plans.n, from, to);
		}
		take_back(r, m->rival, t, j);
	}
	return sum;
}

/*
 * Evidence against the others (sign 1) or against the one that is believed (-1).
 * What is left of evidence is never nothing: what is near cannot cost that much
 * by a plan.
 */
static void
judge(struct cscg_refute *r, struct cscg_rival *const *rival,
    const struct cscg_trail *t, int best, const struct cscg_guess *guess,
    int n_guess, int sign, int from, int to)
{
	size_t plans = (size_t)r->plans.n;
	double base = INFINITY, sum = 0;
	int i, k;

	for (i = 0; i < r->n; i++)
		if ((i == best) == (sign < 0))
			base = fmin(base, r->least[i]);
	memset(r->left, 0, (size_t)n_guess * plans * sizeof *r->left);
	for (i = 0; i < r->n; i++) {
		struct game m = { .sure = rival[best], .rival = rival[i] };

		if ((i == best) == (sign < 0) && !isinf(r->least[i]))
			sum += play_rival(r, &m, guess, n_guess, i, base, t,
			    from, to);
	}
	for (k = 0; k < n_guess && sum > 0; k++)
		for (i = from; i < to; i++)
			r->worth[i] += sign * guess[k].p * log(sum /
			    r->left[(size_t)k * plans + (size_t)i]);
}

/* The best of these plans; -1: none. */
static int
pick(const struct cscg_refute *r, int from, int to, struct cscg_rng *rng)
{
	double best = 0, worth;
	int i, choice = -1;
	long equal = 0;

	for (i = from; i < to; i++) {
		worth = r->worth[i] / (cscg_stroll_length(&r->plans.v[i]) + 2);
		if (r->worth[i] < DULL || worth < best - 1e-9)
			continue;
		equal = worth > best + 1e-9 ? 1 : equal + 1;
		best = fmax(best, worth);
		if (cscg_rng_below(rng, equal) == 0)
			choice = r->plans.v[i].a;
	}
	return choice;
}

static int
choose(struct cscg_refute *r, struct cscg_rival *const *rival,
    const struct cscg_trail *trail, int best, int from, int to,
    struct cscg_rng *rng)
{
	struct cscg_guess guess[GUESSES];
	int n = cscg_rival_guess(rival[best], guess, GUESSES);

	memset(r->worth, 0, (size_t)r->plans.n * sizeof *r->worth);
	judge(r, rival, trail, best, guess, n, 1, from, to);
	judge(r, rival, trail, best, guess, n, -1, from, to);
	return pick(r, from, to, rng);
}

int
cscg_refute_choose(struct cscg_refute *r, struct cscg_rival *const *rival,
    const struct cscg_trail *trail, int best, double enough,
    struct cscg_rng *rng, int *a, struct cscg_err *err)
{
	double least = INFINITY;
	int i;

	*a = -1;
	if (!cscg_refute_costs(r, rival, trail, err))
		return -1;
	for (i = 0; i < r->n; i++)
		if (i != best)
			least = fmin(least, r->least[i]);
	if (isinf(r->least[best]) || least - r->least[best] >= enough)
		return 0;
	*a = choose(r, rival, trail, best, 0, r->plans.n_near, rng);
	if (*a < 0)
		*a = choose(r, rival, trail, best, r->plans.n_near,
		    r->plans.n, rng);
	return 0;
}
