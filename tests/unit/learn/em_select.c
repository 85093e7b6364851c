/* em_select.c - plain EM as large as held-out steps justify */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "kernel/cpu.h"
#include "kernel/decoder.h"
#include "learn/em_select.h"
#include "tap.h"
#include "walker.h"

static const struct cscg_learn usual = { .iterations = 200,
	.restarts = 4,
	.tolerance = 1e-5,
	.pseudocount = 2e-3,
	.seed = 42,
	.threads = 1 };

/*
 * Bits, each of which repeats the bit `lag` steps before, except one in ten;
 * lag 0: random bits.  Each episode ends with symbol 2 if there are several.
 * The alphabet has symbol 3 as well, which is never observed.
 */
static struct cscg_walk *
bits(int n, int episodes, int lag, uint64_t seed)
{
	struct cscg_walk_header head = { .n_actions = 1, .n_obs = 4 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	int e, t, length = n / episodes, *x;
	struct cscg_rng rng;

	cscg_rng_seed(&rng, seed, CSCG_RNG_INIT, 0, 0);
	x = need(calloc((size_t)length, sizeof *x));
	for (e = 0; e < episodes; e++)
		for (t = 0; t < length; t++) {
			bool flips = cscg_rng_uniform(&rng) < .1;
			struct cscg_step s = {
				.a = 0, .z = -1, .goal = -1, .r = NAN
			};

			x[t] = cscg_rng_uniform(&rng) < .5;
			if (lag && t >= lag)
				x[t] = x[t - lag] != flips;
			if (!t && episodes > 1)
				x[t] = 0;
			s.x = x[t];
			if (t == length - 1) {
				s.a = -1;
				s.x = episodes > 1 ? 2 : s.x;
			}
			need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
		}
	free(x);
	return w;
}

static struct cscg_model *
select_model(struct cscg_walk *w, double *held)
{
	struct cscg_holdout *h = need(cscg_holdout_new(w, &err));
	struct cscg_learn set = usual;
	struct cscg_learn_progress last;
	struct cscg_model *m;

	need(cscg_cpu_choose_simd("auto", &set.simd, &err) < 0 ? NULL : w);
	*held = -INFINITY;
	need(cscg_em_select(h, &set, held, &m, &last, &err) < 1 ? NULL : w);
	*held /= -(double)h->n_held;
	cscg_holdout_free(h);
	need(cscg_model_check(m, &err) < 0 ? NULL : m);
	return m;
}

/* Nats per step of another walk of the same kind. */
static double
nats(const struct cscg_model *m, int lag)
{
	struct cscg_walk *w = bits(8000, 1, lag, 99);
	double loglik;

	need(cscg_decode_loglik(m, w, &cscg_plain_double, NULL, &loglik,
		 &err) < 0 ?
		NULL :
		w);
	cscg_walk_free(w);
	return -loglik / 8000;
}

static int
count_clones(const struct cscg_model *m, int x)
{
	int j, n = 0;

	for (j = 0; j < m->n_states; j++)
		n += m->clone[j] == x;
	return n;
}

static int
count_trial(void *ctx, const struct cscg_learn_progress *line)
{
	int *n = ctx;

	*n += !strcmp(line->stage, "holdout");
	return 0;
}

/*
 * A model that is no better than another candidate is not fitted, and clones are
 * not doubled where the last gain shows that it will not be.
 */
static void
no_better(void)
{
	struct cscg_walk *w = bits(600, 1, 3, 1);
	struct cscg_holdout *h = need(cscg_holdout_new(w, &err));
	struct cscg_learn_progress last;
	struct cscg_learn set = usual;
	struct cscg_model *m;
	double held = 0;
	int n = 0;

	set.report = count_trial;
	set.ctx = &n;
	ok(cscg_em_select(h, &set, &held, &m, &last, &err) == 0 && !m &&
		held == 0,
	    "no model is better than certainty");
	ok(n == 3, "two doublings of the clones show that: %d trials", n);
	n = 0;
	held = -INFINITY;
	ok(cscg_em_select(h, &set, &held, &m, &last, &err) == 1 && n > 3,
	    "without another candidate there are more: %d trials", n);
	cscg_model_free(m);
	cscg_holdout_free(h);
	cscg_walk_free(w);
}

static void
independent(void)
{
	struct cscg_walk *w = bits(600, 1, 0, 1);
	double held;
	struct cscg_model *m = select_model(w, &held);

	ok(count_clones(m, 0) == 1 && count_clones(m, 1) == 1,
	    "random bits get one clone per symbol");
	ok(near(nats(m, 0), log(2), .02),
	    "random bits have log 2 nats per step");
	ok(near(held, log(2), .02),
	    "their held-out likelihood is log 2 nats per step");
	ok(count_clones(m, 3) == 1, "an unseen symbol has a state");
	cscg_model_free(m);
	cscg_walk_free(w);
}

/*
 * The entropy rate is that of a bit that is wrong in one case of ten.  States
 * must hold `lag` bits: lag 3 needs 4 clones of each symbol.
 */
static void
memory(int lag)
{
	struct cscg_walk *w = bits(6000, 1, lag, 1);
	double held, rate = -.1 * log(.1) - .9 * log(.9);
	struct cscg_model *m = select_model(w, &held);

	ok(nats(m, lag) < 1.05 * rate,
	    "%d steps of memory: %.3f nats, the rate is %.3f", lag,
	    nats(m, lag), rate);
	ok(near(held, rate, .1 * rate),
	    "the held-out likelihood is near the entropy rate");
	cscg_model_free(m);
	cscg_walk_free(w);
}

/*
 * Symbol 0 is uninformative; 1 3 1 and 2 3 2 need two clones of the others,
 * which are a quarter as frequent and have one until symbol 0 has four: the
 * first doubling gains nothing.
 */
static void
plateau(void)
{
	struct cscg_walk_header head = { .n_actions = 1, .n_obs = 4 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_model *m;
	struct cscg_rng rng;
	double held;
	int i, t;

	cscg_rng_seed(&rng, 5, CSCG_RNG_INIT, 0, 0);
	for (i = 0; i < 3700; i++) {
		int y = cscg_rng_uniform(&rng) < .5 ? 1 : 2;
		bool filler = cscg_rng_uniform(&rng) < .8;

		for (t = 0; t < (filler ? 1 : 3); t++) {
			struct cscg_step s = { .x = filler ? 0 :
				    t == 1                 ? 3 :
							     y,
				.a = i == 3699 && t == (filler ? 0 : 2) ? -1 :
									  0,
				.z = -1,
				.goal = -1,
				.r = NAN };

			need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
		}
	}
	m = select_model(w, &held);
	ok(count_clones(m, 3) > 1,
	    "selection continues after a plateau: %d clones",
	    count_clones(m, 3));
	cscg_model_free(m);
	cscg_walk_free(w);
}

static void
starts(void)
{
	struct cscg_walk *w = bits(6000, 300, 0, 3);
	double held, zero = 0, least = 1;
	struct cscg_model *m = select_model(w, &held);
	int j;

	for (j = 0; m->pi && j < m->n_states; j++) {
		zero += m->clone[j] == 0 ? m->pi[j] : 0;
		least = fmin(least, m->pi[j]);
	}
	ok(m->pi && zero > .99,
	    "pi of many episodes with the same first symbol");
	ok(m->pi && least > 0, "pi gives no symbol probability 0");
	ok(count_clones(m, 2) == 1, "an end symbol has one clone");
	cscg_model_free(m);
	cscg_walk_free(w);
}

/* The part of each state, numbered by its first: no transition joins two parts. */
static int *
find_parts(const struct cscg_model *m)
{
	int S = m->n_states, *part = need(calloc((size_t)S, sizeof *part));
	int j, k, r, low, high;
	long i;

	for (j = 0; j < S; j++)
		part[j] = j;
	for (r = 0; r < m->n_actions * S; r++)
		for (i = m->first[r]; i < m->first[r + 1]; i++) {
			j = part[r % S];
			k = part[m->to[i]];
			low = j < k ? j : k;
			high = j < k ? k : j;
			for (j = 0; j < S; j++)
				part[j] = part[j] == high ? low : part[j];
		}
	return part;
}

/* States of the part that begins with state j; 0: none does. */
static int
part_size(const int *part, int S, int j)
{
	int k, n = 0;

	for (k = 0; k < S; k++)
		n += part[k] == j;
	return n;
}

/* Parts, without states that have no transitions. */
static int
count_parts(const struct cscg_model *m)
{
	int S = m->n_states, *part = find_parts(m), j, n = 0;

	for (j = 0; j < S; j++)
		n += part_size(part, S, j) > 1;
	free(part);
	return n;
}

/* The sum of the counts of the part that begins with state j. */
static double
part_counts(const struct cscg_model *m, const int *part, int j)
{
	int S = m->n_states, r;
	double sum = 0;
	long i;

	for (r = 0; r < m->n_actions * S; r++)
		for (i = m->first[r]; part[r % S] == j && i < m->first[r + 1];
		     i++)
			sum += m->count[i];
	return sum;
}

/*
 * A model of n states, learned with n_transitions counts in all, is smoothed by n
 * times its pseudocount per row.  In a mixture each row has this share of
 * smoothing as before, so that the counts of a part tell the pseudocount of its
 * model, which is one of those that were compared.
 */
static void
smoothing(const struct cscg_model *m, double n_transitions)
{
	int S = m->n_states, *part = find_parts(m), j, i, n, known, wrong = 0;
	double p;

	for (j = 0; j < S; j++) {
		n = part_size(part, S, j);
		if (n < 2)
			continue;
		p = m->pseudocount * S * n_transitions /
		    part_counts(m, part, j) / n;
		for (i = known = 0; i < CSCG_HOLDOUT_SMOOTHINGS; i++)
			known |= near(p, cscg_holdout_pseudocount(&usual, i),
			    1e-6 * p);
		wrong += !known;
	}
	ok(!wrong, "%d parts are not smoothed as their models were", wrong);
	free(part);
}

/*
 * Bits with three steps of memory and an action without effect: a short walk gets
 * a mixture of three numbers of clones, of two starts each.
 */
static void
mixture(int steps, bool mixed, int parts)
{
	struct cscg_walk *w = bits(steps, 1, 3, 1), *v = bits(8000, 1, 3, 99);
	struct cscg_holdout *h;
	struct cscg_learn set = usual;
	struct cscg_learn_progress last;
	struct cscg_model *m;
	double held = -INFINITY, loglik;

	w->head.n_actions = v->head.n_actions = 2;
	w->head.n_obs = v->head.n_obs = 2;
	set.restarts = 2;
	set.mixture = mixed;
	h = need(cscg_holdout_new(w, &err));
	ok(cscg_em_select(h, &set, &held, &m, &last, &err) == 1 &&
		cscg_model_check(m, &err) == 0,
	    "%d steps with actions", steps);
	ok(count_parts(m) == parts,
	    "the model consists of %d parts without transitions between them, "
	    "must %d",
	    count_parts(m), parts);
	ok(last.n_states == m->n_states, "its line has its %d states",
	    m->n_states);
	need(cscg_decode_loglik(m, w, &cscg_plain_double, NULL, &loglik,
		 &err) < 0 ?
		NULL :
		w);
	ok(near(loglik, last.loglik, .01 * fabs(loglik)),
	    "and its log-likelihood: %.3f, %.3f", loglik, last.loglik);
	need(cscg_decode_loglik(m, v, &cscg_plain_double, NULL, &loglik,
		 &err) < 0 ?
		NULL :
		v);
	ok(-loglik / 8000 < .95 * log(2), "it predicts other bits: %.3f nats",
	    -loglik / 8000);
	if (parts > 1)
		smoothing(m, steps - 1);
	cscg_model_free(m);
	cscg_holdout_free(h);
	cscg_walk_free(w);
	cscg_walk_free(v);
}

int
main(void)
{
	mixture(399, true, 6);
	mixture(399, false, 1);
	mixture(400, true, 1);
	no_better();
	independent();
	memory(3);
	plateau();
	starts();
	return done();
}
