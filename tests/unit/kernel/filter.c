/*
 * filter.c - the filtered belief, step by step, against the passes over whole
 * walks
 */
#include <string.h>

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
	return done();
}
