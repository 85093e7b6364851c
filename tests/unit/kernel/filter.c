/*
 * filter.c - the filtered belief, step by step, against the passes over whole
 * walks
 */
#include <string.h>

#include "kernel/cpu.h"
#include "kernel/filter.h"
#include "kernel/passes.h"
#include "kernel/plan_graph.h"
#include "tap.h"
#include "walker.h"

static const struct cscg_filter_options with_path = { .path = true };

/* Are these the likeliest n states, the lowest of equals first? */
static bool
is_top(const struct cscg_filter *b, const double *p, int n_states, int n)
{
	int state[4], found, i, j, best, left = 0;
	bool taken[64] = { false };
	double v[4];

	found = cscg_filter_top(b, n, state, v);
	for (j = 0; j < n_states; j++)
		left += p[j] > 0;
	if (found != (left < n ? left : n))
		return false;
	for (i = 0; i < found; i++) {
		for (best = -1, j = 0; j < n_states; j++)
			if (!taken[j] && (best < 0 || p[j] > p[best]))
				best = j;
		taken[best] = true;
		if (state[i] != best || v[i] != p[best])
			return false;
	}
	return true;
}

/*
 * Filter the walk; after each step compare with the passes over the prefix.
 * Returns the number of differences.
 */
static int
differ(const struct cscg_trans *tr, struct cscg_walk *w)
{
	struct cscg_filter *b = need(cscg_filter_new(tr, &with_path, &err));
	double *p = need(calloc((size_t)tr->n_states, sizeof *p));
	int *z = need(calloc((size_t)w->n_steps, sizeof *z));
	long whole = w->start[1], t;
	struct cscg_work work = { 0 };
	int bad = cscg_filter_state(b) != -1 ||
	    cscg_filter_first_state(b) != -1,
	    j;
	double logp, got, want;

	for (t = 0; t < whole; t++) {
		struct cscg_span s = cscg_trans_span(tr, w->x[t]);

		got = cscg_filter_observe(b,
		    cscg_walk_starts_run(w, 0, t) ? -1 : w->a[t - 1], w->x[t]);
		w->start[1] = t + 1;
		need(cscg_forward(tr, w, 0, &work, &logp, &err) < 0 ? NULL :
								      b);
		bad += !near(got, work.p[t], 1e-12);
		cscg_filter_probs(b, p);
		bad += !is_top(b, p, tr->n_states, 1 + (int)(t % 4));
		for (j = 0; j < tr->n_states; j++) {
			want = 0;
			if (j >= s.lo && j < s.hi)
				tr->kern->get((char *)cscg_work_message(&work,
						  tr, t) +
					(size_t)(j - s.lo) * tr->kern->size,
				    &want, 1);
			bad += !near(p[j], want, 1e-12) ||
			    cscg_filter_prob(b, j) != p[j];
		}
		need(cscg_viterbi(tr, w, 0, &work, z, &logp, &err) < 0 ? NULL :
									 b);
		bad += cscg_filter_state(b) != z[t] ||
		    cscg_filter_first_state(b) != z[0];
	}
	cscg_work_free(&work);
	cscg_filter_free(b);
	free(p);
	free(z);
	return bad;
}

/* ---- blocks, predictions and restarts against a dense filter ---- */

enum { WIDTHS = 5, ACTIONS = 3 };

/* Symbols of 1, 2, 5, 9 and 17 states; a row has two or three successors. */
static struct cscg_model *
sparse_model(struct cscg_rng *rng)
{
	static const int width[WIDTHS] = { 1, 2, 5, 9, 17 };
	struct cscg_count c[ACTIONS * 34 * 3];
	int S = 34, a, i, j, k = 0, x = 0, n = 0;
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, S, ACTIONS,
	    WIDTHS, &err));

	for (j = 0; j < S; j++) {
		m->clone[j] = x;
		if (++k == width[x]) {
			x++;
			k = 0;
		}
	}
	for (a = 0; a < ACTIONS; a++)
		for (j = 0; j < S; j++)
			for (i = 0; i < 3; i++)
				c[n++] = (struct cscg_count){ a, j,
					(int)cscg_rng_below(rng, S),
					1 + (double)cscg_rng_below(rng, 4) };
	need(cscg_model_set_counts(m, c, n, &err) < 0 ? NULL : m);
	m->pseudocount = 0;
	return m;
}

/* The belief after action a and symbol x, by sums over all states. */
struct dense {
	const struct cscg_model *m;
	double p[34];
	bool lost, restart;
};

static void
dense_ahead(const struct dense *d, int a, double *q)
{
	int S = d->m->n_states, j, k;

	for (k = 0; k < S; k++) {
		q[k] = a < 0 ? 1. / S : 0;
		for (j = 0; j < S && a >= 0; j++)
			q[k] += d->p[j] * cscg_model_T(d->m, a, j, k);
	}
}

static double
dense_observe(struct dense *d, int a, int x)
{
	int S = d->m->n_states, k;
	double q[34], sum = 0, all = 0;

	if (d->lost && a >= 0)
		return 0;
	dense_ahead(d, a, q);
	for (k = 0; k < S; k++)
		if (x == -1 || d->m->clone[k] == x)
			sum += q[k];
	d->lost = !(sum > 0) && !d->restart;
	for (k = 0; k < S; k++) {
		/* Impossible: any state of x, or what is predicted. */
		d->p[k] = x == CSCG_UNKNOWN        ? q[k] :
		    x != -1 && d->m->clone[k] != x ? 0 :
		    sum > 0                        ? q[k] :
						     1;
		all += d->p[k];
	}
	for (k = 0; k < S; k++)
		d->p[k] /= all;
	return sum;
}

/* The same prediction of the next symbol? */
static bool
predicts(const struct dense *d, struct cscg_filter *b, int a)
{
	double got[WIDTHS], q[34], want;
	bool has = cscg_filter_predict(b, a, got), right;
	int x, k;

	right = has == (!d->lost || a < 0);
	dense_ahead(d, a, q);
	for (x = 0; x < WIDTHS; x++) {
		for (want = 0, k = 0; has && k < d->m->n_states; k++)
			want += d->m->clone[k] == x ? q[k] : 0;
		right &= near(got[x], want, 1e-5);
	}
	return right;
}

/* Random steps; asks: a prediction before each, of the same action or another. */
static void
against_dense(const struct cscg_kernel *kern, const struct cscg_simd *simd,
    bool asks, const char *name)
{
	int t, k, a, x, n_lost = 0, n_again = 0, bad = 0;
	struct cscg_filter_options how = { .simd = simd };
	struct cscg_rng rng;
	struct cscg_model *m;
	struct cscg_trans *tr;
	struct cscg_filter *b;
	struct dense d = { .lost = true };

	cscg_rng_seed(&rng, 8, CSCG_RNG_TEST, 0, 1);
	m = sparse_model(&rng);
	d.m = m;
	tr = need(cscg_trans_new(m, kern, &err));
	b = need(cscg_filter_new(tr, &how, &err));
	for (t = 0; t < 600; t++) {
		double q[34], p[34], want, got;

		if (t % 50 == 25) {
			d.restart = !d.restart;
			cscg_filter_set_restart(b, d.restart);
		}
		a = t % 12 == 0 ? -1 : (int)cscg_rng_below(&rng, ACTIONS);
		/* Mostly a symbol that is possible; missing; any. */
		dense_ahead(&d, a, q);
		x = (int)cscg_rng_below(&rng, WIDTHS);
		if (!d.lost || a < 0)
			for (k = 0; t % 7 && q[k] < .2 && k + 1 < m->n_states;
			     k++)
				x = m->clone[k + 1];
		if (t % 9 == 4)
			x = t % 2 ? -1 : CSCG_UNKNOWN;
		if (asks)
			bad += !predicts(&d, b, t % 3 ? a : (t % 2) - 1);
		want = dense_observe(&d, a, x);
		got = cscg_filter_observe(b, a, x);
		bad += !near(got, want, 1e-5);
		n_lost += d.lost;
		n_again += !(want > 0) && !d.lost;
		cscg_filter_probs(b, p);
		for (k = 0; k < m->n_states; k++)
			bad += !near(p[k], d.lost ? 0 : d.p[k], 1e-5);
	}
	ok(!bad && n_lost > 20 && n_again > 20,
	    "%s: %d steps lost, %d times begun again", name, n_lost, n_again);
	cscg_filter_free(b);
	cscg_trans_free(tr);
	cscg_model_free(m);
}

int
main(void)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 5, 6);
	struct cscg_model *m = need(cscg_room_model(room, 100, 1e-4, NULL,
	    &err));
	struct cscg_trans *tr = need(cscg_trans_new(m, &cscg_plain_double,
	    &err));
	struct cscg_filter *b;
	struct walker how = { .n = 60, .seed = 3 };
	struct cscg_walk *w = walk_in(room, &how);
	double *E, *pi;
	struct cscg_rng rng;
	int j, x, K = room->n_obs;

	ok(differ(tr, w) == 0,
	    "emission by clone: belief, state and start state");
	cscg_walk_free(w);
	how.dropout = .3;
	how.reset = .1;
	w = walk_in(room, &how);
	ok(differ(tr, w) == 0, "emission by clone with dropouts and resets");
	cscg_trans_set_misread(tr, .2);
	ok(differ(tr, w) == 0,
	    "emission by clone with a misreading probability");
	w->x[7] = (w->x[7] + 1) % room->n_obs;
	ok(differ(tr, w) == 0, "a walk with a misread symbol");

	/* Rows of E without zeros, and a pi of its own. */
	E = need(calloc((size_t)(m->n_states * K), sizeof *E));
	pi = need(calloc((size_t)m->n_states, sizeof *pi));
	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 0);
	for (j = 0; j < m->n_states; j++) {
		double sum = 0;

		for (x = 0; x < K; x++)
			sum += E[j * K + x] = cscg_rng_uniform(&rng);
		for (x = 0; x < K; x++)
			E[j * K + x] /= sum;
		pi[j] = (j + 1) * 2.0 / m->n_states / (m->n_states + 1);
	}
	need(cscg_trans_set_E(tr, E, K, &err) < 0 ? NULL : tr);
	cscg_trans_set_pi(tr, pi);
	ok(differ(tr, w) == 0, "emission rows and an initial distribution");
	cscg_walk_free(w);
	cscg_trans_free(tr);

	/* Without a pseudocount, transitions without counts are impossible. */
	m->pseudocount = 0;
	tr = need(cscg_trans_new(m, &cscg_plain_double, &err));
	b = need(cscg_filter_new(tr, &with_path, &err));
	/* The corner, symbol 1 of a rectangle, and its neighbour, symbol 2. */
	ok(cscg_filter_observe(b, -1, 1) > 0 &&
		cscg_filter_observe(b, CSCG_RIGHT, 2) == 1,
	    "the second observation has probability 1");
	j = cscg_filter_state(b);
	ok(m->clone[j] == 2 && m->clone[cscg_filter_first_state(b)] == 1 &&
		cscg_filter_prob(b, j) == 1,
	    "state and start state are certain");
	ok(cscg_filter_observe(b, CSCG_RIGHT, 2) == 0 &&
		cscg_filter_state(b) == -1 &&
		cscg_filter_first_state(b) == -1 &&
		cscg_filter_prob(b, j) == 0,
	    "an impossible observation has probability 0 and no state");
	ok(cscg_filter_observe(b, CSCG_RIGHT, 4) == 0 &&
		cscg_filter_state(b) == -1,
	    "after an impossible observation there is no state");
	ok(cscg_filter_observe(b, -1, 1) > 0 &&
		m->clone[cscg_filter_state(b)] == 1,
	    "a relocation gives a state again");
	cscg_filter_reset(b);
	ok(cscg_filter_state(b) == -1, "a reset clears the belief");
	cscg_filter_free(b);
	cscg_trans_free(tr);
	cscg_model_free(m);
	cscg_room_free(room);
	free(E);
	free(pi);
	against_dense(&cscg_plain_double, NULL, false, "double");
	against_dense(&cscg_plain_float, NULL, true, "single, asked");
	for (j = 0; cscg_cpu_simd(j); j++) {
		against_dense(&cscg_plain_float, cscg_cpu_simd(j), false,
		    cscg_cpu_simd(j)->name);
		against_dense(&cscg_plain_float, cscg_cpu_simd(j), true,
		    cscg_cpu_simd(j)->name);
	}
	return done();
}
