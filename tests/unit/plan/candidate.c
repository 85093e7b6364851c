/*
 * candidate - candidates, their information gain, and paths in them
 *
 * A grounded candidate is compared with the sum over all paths, information
 * gain with outcomes enumerated one by one, paths with Floyd-Warshall
 * distances.
 */
#include <math.h>
#include <string.h>

#include "kernel/plan_graph.h"
#include "plan/discriminate.h"
#include "plan/places.h"
#include "plan/candidate.h"
#include "tap.h"
#include "walker.h"

enum { N = 128, GUESSES = 100, LONG = 30 };

static struct cscg_env_header
head_of(const struct cscg_room *room)
{
	return (struct cscg_env_header){
		.head = { .n_actions = room->n_actions, .n_obs = room->n_obs },
		.collect = -1
	};
}

static struct cscg_model *
memory_of(const struct cscg_room *room, int *node_of)
{
	return need(cscg_room_model(room, 100, 1e-4, node_of, &err));
}

static struct cscg_model *
schema_of(const struct cscg_room *room)
{
	struct cscg_model *m = memory_of(room, NULL);

	cscg_model_unground(m, CSCG_CLONES);
	return m;
}

static void
see(struct cscg_candidate *r, int a, int x)
{
	need(cscg_candidate_observe(r, a, x, &err) < 0 ? NULL : r);
}

/* Four cells in a line, next and previous; two of them have one symbol. */
static struct cscg_room *
line(void)
{
	static const int obs[] = { 0, 1, 0, 2 };
	static const int next[] = { 1, 2, 3, 3, 0, 0, 1, 2 };

	return hand_room(4, 2, 3, obs, next);
}

/* The same as a ring. */
static struct cscg_room *
ring(void)
{
	static const int obs[] = { 0, 1, 0, 2 };
	static const int next[] = { 1, 2, 3, 0, 3, 0, 1, 2 };

	return hand_room(4, 2, 3, obs, next);
}

/* ---- grounded candidates ---- */

/*
 * P(x) as the sum over all paths of T steps.  The probabilities are those of
 * track.h: an expected outcome costs nothing, so that they do not sum to one.
 */
static double
all_paths(const struct cscg_room *room, const int *a, const int *x, int T,
    double slip)
{
	double sum = 0, p, jump = 1e-2, wrong = 1e-4;
	int n = room->n_nodes, t, path, code, z, last = 0, paths = 1;

	for (t = 0; t < T; t++)
		paths *= n;
	for (path = 0; path < paths; path++) {
		p = 1;
		for (t = 0, code = path; t < T; t++, code /= n) {
			z = code % n;
			if (a[t] < 0)
				p *= 1.0 / n;
			else /* by action a, no change, by the other action, or anywhere */
				p *= (1 - slip) *
					(z ==
					    cscg_room_successor(room, a[t],
						last)) +
				    slip / 2 * (z == last) +
				    slip / 2 *
					(z ==
					    cscg_room_successor(room, 1 - a[t],
						last)) +
				    jump / n;
			if (x[t] >= 0)
				p *= (room->obs[z] == x[t]) +
				    wrong / room->n_obs;
			else /* a missing observation */
				p /= a[t] < 0 ? 1 : 1 + jump;
			last = z;
		}
		sum += p;
	}
	return sum;
}

static void
test_memory(void)
{
	static const int a[] = { -1, 0, 0, 1, -1, 0 };
	static const int x[] = { 1, 0, 2, 2, 0,
		-1 }; /* 2, 2: an improbable observation */
	struct cscg_room *room = line();
	struct cscg_env_header head = head_of(room);
	struct cscg_model *m = memory_of(room, NULL);
	struct cscg_track_options set = { .slip = 0 };
	struct cscg_candidate *r;
	int t, good;
	double before;

	for (; set.slip < .3; set.slip += .2) {
		r = need(cscg_candidate_new(&head, m, &set, 0, &err));
		for (t = 0, good = 0; t < 6; t++) {
			see(r, a[t], x[t]);
			good += near(cscg_candidate_loglik(r),
			    log(all_paths(room, a, x, t + 1, set.slip)), 1e-9);
		}
		ok(good == 6,
		    "slip %g: the log-likelihood of a grounded candidate is "
		    "the sum over all paths",
		    set.slip);
		cscg_candidate_free(r);
	}
	set.slip = 0;
	ok(cscg_candidate_is_grounded(
	       r = need(cscg_candidate_new(&head, m, &set, 0, &err))),
	    "a candidate of a grounded model is grounded");
	cscg_candidate_free(r);
	head.head.n_obs = 9;
	r = need(cscg_candidate_new(&head, m, &set, 0, &err));
	see(r, -1, 1);
	before = cscg_candidate_loglik(r);
	see(r, 0, 8);
	/* By rebinding, to any of 9 symbols; jumps are added. */
	ok(near(cscg_candidate_loglik(r) - before, log(1.01 * 1e-4 / 9), 1e-9),
	    "an unknown symbol has the probability of a misread one");
	cscg_candidate_free(r);
	cscg_model_free(m);
	cscg_room_free(room);
}

static void
test_guesses(void)
{
	struct cscg_room *room = line();
	struct cscg_env_header head = head_of(room);
	int node_of[4], i, n;
	struct cscg_model *m = memory_of(room, node_of);
	struct cscg_track_options set = { 0 };
	struct cscg_candidate *r = need(cscg_candidate_new(&head, m, &set, 0,
	    &err));
	struct cscg_candidate_hypothesis hypothesis[4];
	bool good = true;

	see(r, -1, 0);
	n = cscg_candidate_top(r, hypothesis, 4);
	ok(n == 4 && near(hypothesis[0].p, .5, 1e-3) &&
		near(hypothesis[1].p, .5, 1e-3) && hypothesis[2].p < 1e-3 &&
		hypothesis[3].p <= hypothesis[2].p,
	    "two of four states emit the symbol");
	ok(cscg_candidate_top(r, hypothesis, 1) == 1 &&
		near(hypothesis[0].p, .5, 1e-3),
	    "the first of the two is returned alone");
	see(r, 0, 1);
	ok(cscg_candidate_top(r, hypothesis, 4) == 4 &&
		hypothesis[0].p > .98 && node_of[hypothesis[0].state] == 1,
	    "a transition identifies the state");
	for (i = 0; i < 4; i++)
		good &= cscg_candidate_symbol(r, hypothesis, i) ==
		    room->obs[node_of[i]];
	ok(good, "a grounded candidate has emissions for all states");
	cscg_candidate_free(r);
	cscg_model_free(m);
	cscg_room_free(room);
}

/* ---- schemas ---- */

static void
see_both(struct cscg_candidate *r, struct cscg_candidate *q, int a, int x)
{
	see(r, a, x);
	see(q, a, x);
}

/* A change whose share, seen from step 0, is infinite. */
static void
test_late_change(void)
{
	struct cscg_room *room = line();
	struct cscg_env_header head = head_of(room);
	int node_of[4], next[4][2], j = 0, a, t, same = 0;
	struct cscg_model *m = memory_of(room, node_of);
	struct cscg_track_options set = { 0 };
	struct cscg_candidate *r = need(cscg_candidate_new(&head, m, &set, 0,
	    &err));

	while (node_of[j] != 1)
		j++;
	for (t = 0; t < 4; t++)
		for (a = 0; a < 2; a++)
			next[t][a] = cscg_candidate_next(r, t, a);
	see(r, -1, 1);
	for (t = 0; t < 150000; t++)
		see(r, t % 2, t % 2);
	for (t = 0; t < 5; t++)
		need(cscg_candidate_count(r, j, 0, j, 1, &err) < 0 ? NULL : r);
	ok(cscg_candidate_next(r, j, 0) == j, "a transition that has changed");
	cscg_candidate_reset(r);
	for (t = 0; t < 4; t++)
		for (a = 0; a < 2; a++)
			same += cscg_candidate_next(r, t, a) == next[t][a];
	ok(same == 8, "is that of the model again after a reset");
	cscg_candidate_free(r);
	cscg_model_free(m);
	cscg_room_free(room);
}

static void
test_schema(void)
{
	struct cscg_room *room = ring();
	struct cscg_env_header head = head_of(room);
	struct cscg_model *m = schema_of(room), *bare, *got;
	struct cscg_track_options set = { 0 };
	struct cscg_candidate *r = NULL, *more;
	double shown[5] = { 0 };
	int j, x;

	head.head.n_obs = 7;
	more = need(cscg_candidate_new(&head, m, &set, 0, &err));
	head.head.n_obs = 5;
	r = need(cscg_candidate_new(&head, m, &set, 0, &err));
	/*
	 * 3 4 3 0 in a cycle: all four nodes, three symbols.  The alphabet
	 * changes only the probability of the first occurrence of a symbol.
	 */
	see_both(r, more, -1, 3);
	see_both(r, more, 0, 4);
	see_both(r, more, 0, 3);
	ok(near(cscg_candidate_loglik(r) - cscg_candidate_loglik(more),
	       log(7. * 6 / (5 * 4)), 1e-12),
	    "a new symbol is one of those not yet seen");
	see_both(r, more, 0, 0);
	see_both(r, more, 0, 3);
	ok(near(cscg_candidate_loglik(r) - cscg_candidate_loglik(more),
	       log(7. * 6 * 5 / (5 * 4 * 3)), 1e-12),
	    "a known symbol adds no factor");
	cscg_candidate_free(more);
	got = need(cscg_candidate_ground(r, &err));
	ok(got->kind == CSCG_GROUNDED && got->n_obs == 5 &&
		cscg_model_check(got, &err) == 0,
	    "the model of a candidate is grounded");
	for (j = 0; j < 4; j++)
		for (x = 0; x < 5; x++)
			shown[x] += cscg_model_E(got, j, x);
	ok(shown[3] == 2 && shown[4] == 1 && shown[0] == 1,
	    "the model emits the observed symbols");
	cscg_model_free(got);
	cscg_candidate_reset(r);
	see(r, -1, 3);
	see(r, 0, 4);
	see(r, 0, 3);
	got = need(cscg_candidate_ground(r, &err));
	for (j = 0, x = 0; j < 4; j++)
		x += near(cscg_model_E(got, j, 0), 1 / 3., 1e-9) &&
		    near(cscg_model_E(got, j, 1), 1 / 3., 1e-9) &&
		    cscg_model_E(got, j, 3) <= 0;
	ok(x == 1, "an unseen group emits any symbol not yet seen");
	cscg_model_free(got);
	cscg_candidate_free(r);

	bare = need(cscg_model_copy(m, &err));
	cscg_model_unground(bare, CSCG_SCHEMA);
	ok(!cscg_candidate_new(&head, bare, &set, 0, &err) &&
		err.code == CSCG_EMISMATCH,
	    "a schema without clones is refused: %s", err.msg);
	head.head.n_actions = 3;
	ok(!cscg_candidate_new(&head, m, &set, 0, &err) &&
		err.code == CSCG_EMISMATCH,
	    "other actions are refused: %s", err.msg);
	cscg_model_free(bare);
	cscg_model_free(m);
	cscg_room_free(room);
}

/* A grounded model of this place against its schema, here and elsewhere. */
static void
test_both(void)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 5, 6);
	struct cscg_env_header head = head_of(room);
	struct cscg_model *m = memory_of(room, NULL), *s = schema_of(room);
	struct cscg_track_options set = { 0 };
	struct cscg_candidate *memory = need(cscg_candidate_new(&head, m, &set,
	    0, &err));
	struct cscg_candidate *schema = need(cscg_candidate_new(&head, s, &set,
	    0, &err));
	struct walker how = { .n = 10, .episodes = 20, .seed = 3 };
	struct cscg_walk *w;
	struct cscg_rng rng;
	int round, e, wins;
	long t;

	for (round = 0; round < 2; round++) {
		w = walk_in(room, &how);
		for (e = 0, wins = 0; e < w->n_episodes; e++) {
			cscg_candidate_reset(memory);
			cscg_candidate_reset(schema);
			for (t = w->start[e]; t < w->start[e + 1]; t++) {
				int a = t == w->start[e] ? -1 : w->a[t - 1];

				see(memory, a, w->x[t]);
				see(schema, a, w->x[t]);
			}
			wins += cscg_candidate_loglik(memory) >
			    cscg_candidate_loglik(schema);
		}
		ok(wins == (round ? 0 : 20),
		    "%s: the %s wins in ten steps (%d of 20)",
		    round ? "elsewhere" : "at home",
		    round ? "schema" : "memory", round ? 20 - wins : wins);
		cscg_walk_free(w);
		cscg_rng_seed(&rng, 5, CSCG_RNG_TEST, 0, 0);
		need(cscg_room_permute(room, &rng, &err) < 0 ? NULL : room);
	}
	cscg_candidate_free(memory);
	cscg_candidate_free(schema);
	cscg_model_free(m);
	cscg_model_free(s);
	cscg_room_free(room);
}

/* ---- information gain ---- */

static void
test_information(void)
{
	struct cscg_discriminate_options set = {
		.n_actions = 2, .stationary = -1, .n = 2, .n_hypotheses = 2
	};
	struct cscg_discriminate *pr = need(cscg_discriminate_new(&set, &err));
	static const uint64_t apart[] = { 7, 9 }, alike[] = { 7, 7 };
	static const uint64_t mixed[] = { 7, 7, 9 };
	static const double even[] = { .5, .5 }, parts[] = { .5, .25, .25 };
	static const int two[] = { 0, 1, 2 }, three[] = { 0, 1, 3 };

	ok(near(cscg_discriminate_information(pr, apart, even, two), log(2),
	       1e-12),
	    "different outcomes: information is the whole entropy");
	ok(near(cscg_discriminate_information(pr, alike, even, two), 0, 1e-12),
	    "equal outcomes: information is 0");
	/* H(3/4, 1/4) less half of H(1/2, 1/2) */
	ok(near(cscg_discriminate_information(pr, mixed, parts, three),
	       -.75 * log(.75) - .25 * log(.25) - .5 * log(2), 1e-12),
	    "partly equal outcomes: information is a part of the entropy");
	ok(near(cscg_discriminate_information(pr, apart, even, two), log(2),
	       1e-12),
	    "the previous call has no influence");
	cscg_discriminate_free(pr);
}

/*
 * The observations of a plan as numbers; new symbols are -1, -2, ... in their
 * order.
 */
static void
play(const struct cscg_candidate *r, const struct cscg_candidate_hypothesis *g,
    const int *plan, int n, int *seen)
{
	int j = g->state, i, k, fresh[LONG], n_fresh = 0;

	for (i = 0; i < n; i++) {
		j = cscg_candidate_next(r, j, plan[i]);
		seen[i] = cscg_candidate_symbol(r, g, j);
		if (seen[i] >= 0)
			continue;
		for (k = 0; k < n_fresh && fresh[k] != seen[i]; k++)
			;
		if (k == n_fresh)
			fresh[n_fresh++] = seen[i];
		seen[i] = -1 - k;
	}
}

/* The information gain of a plan, by comparing all pairs of outcomes. */
static double
tells(struct cscg_candidate *const *r, const double *p, const int *plan, int n)
{
	static struct cscg_candidate_hypothesis g[2][GUESSES];
	static int seen[2][GUESSES][LONG];
	int count[2], i, k, j, h;
	double sum[2] = { 0 }, I = 0, same[2];

	for (i = 0; i < 2; i++) {
		count[i] = cscg_candidate_top(r[i], g[i], GUESSES);
		for (k = 0; k < count[i]; k++) {
			play(r[i], &g[i][k], plan, n, seen[i][k]);
			sum[i] += g[i][k].p;
		}
	}
	for (i = 0; i < 2; i++)
		for (k = 0; k < count[i]; k++) {
			same[0] = same[1] = 0;
			for (j = 0; j < 2; j++)
				for (h = 0; h < count[j]; h++)
					if (!memcmp(seen[i][k], seen[j][h],
						(size_t)n * sizeof(int)))
						same[j] += p[j] * g[j][h].p /
						    sum[j];
			/* one of the entries of this outcome */
			I += p[i] * g[i][k].p / sum[i] *
			    log(same[i] / ((same[0] + same[1]) * p[i]));
		}
	return I;
}

/* The largest score of all plans, or of runs, that begin with each action. */
static void
worths(struct cscg_candidate *const *r, const double *p, int A, int L,
    bool runs, double *worth)
{
	int a, b, i, j, k, plan[LONG];
	double w;

	for (a = 0; a < A; a++)
		for (worth[a] = 0, i = 1; i <= L; i++)
			for (b = 0; b < A; b++)
				for (j = b == a ? 0 : 1;
				     j <= (b == a || runs ? 0 : L - i); j++) {
					for (k = 0; k < i + j; k++)
						plan[k] = k < i ? a : b;
					w = tells(r, p, plan, i + j) /
					    (i + j + 2);
					worth[a] = fmax(worth[a], w);
				}
}

static void
test_probe(enum cscg_shape_kind one, enum cscg_shape_kind other, int length)
{
	struct cscg_room *room[2] = { shape_room(one, 4, 5),
		shape_room(other, 4, 5) };
	struct cscg_env_header head = head_of(room[0]);
	struct cscg_discriminate_options set = {
		.n_actions = 4, .stationary = -1, .n = 2, .length = length
	};
	struct cscg_discriminate *pr = need(cscg_discriminate_new(&set, &err));
	struct walker how = { .n = 12, .seed = 9 };
	struct cscg_walk *w = walk_in(room[0], &how);
	struct cscg_track_options track = { 0 };
	struct cscg_model *m[2];
	struct cscg_candidate *r[2];
	double p[2] = { .7, .3 }, worth[4], best, gain;
	struct cscg_rng rng;
	int i, a, good = 0, avoided = 0, longer = 0;
	long t;

	for (i = 0; i < 2; i++) {
		m[i] = schema_of(room[i]);
		r[i] = need(cscg_candidate_new(&head, m[i], &track, 0, &err));
	}
	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 0);
	for (t = 0; t < w->n_steps; t++) {
		for (i = 0; i < 2; i++)
			see(r[i], t ? w->a[t - 1] : -1, w->x[t]);
		a = cscg_discriminate_choose(pr, r, p, -1, &rng, &gain);
		worths(r, p, 4, length, false, worth);
		for (best = 0, i = 0; i < 4; i++)
			best = fmax(best, worth[i]);
		if (best * (length + 2) < 1e-6) {
			worths(r, p, 4, 5 * length, true, worth);
			for (best = 0, i = 0; i < 4; i++)
				best = fmax(best, worth[i]);
			longer++;
		}
		good += a < 0 ?
		    best < 1e-6 :
		    near(worth[a], best, 1e-9) && gain >= 3 * best - 1e-9;
		avoided += a < 0 ||
		    cscg_discriminate_choose(pr, r, p, a, &rng, &gain) != a;
	}
	ok(avoided == w->n_steps, "an action to be avoided is not chosen");
	ok(good == w->n_steps,
	    "sequences of %d: the most informative one, %d times (%d of them "
	    "longer runs)",
	    length, good, longer);
	for (i = 0; i < 2; i++) {
		cscg_candidate_free(r[i]);
		cscg_model_free(m[i]);
		cscg_room_free(room[i]);
	}
	cscg_discriminate_free(pr);
	cscg_walk_free(w);
}

/* ---- paths of candidates ---- */

static void
test_trail(void)
{
	struct cscg_room *room = shape_room(CSCG_HOLE, 9, 9);
	struct cscg_env_header head = head_of(room);
	int node_of[N], state_of[N], d[N][N], n = room->n_nodes, i, j, k, a;
	struct cscg_model *m = memory_of(room, node_of);
	struct cscg_track_options set = { 0 };
	struct cscg_candidate *r = need(cscg_candidate_new(&head, m, &set, 0,
	    &err));
	struct cscg_candidate_path trail = { .n_actions = 4 };
	char text[] = "room", *name[] = { text };
	struct cscg_places_options one = {
		.world = &head, .model = &m, .name = name, .n = 1
	};
	struct cscg_places *places = need(cscg_places_new(&one, &err));
	const int *plan;
	struct walker how = { .n = 200, .seed = 11 };
	struct cscg_walk *w = walk_in(room, &how);
	unsigned char did[N][4] = { { 0 } };
	struct cscg_candidate_hypothesis hypothesis;
	bool good = true, sure = true;
	long t;

	cscg_candidate_path_reset(&trail);
	cscg_candidate_path_begin_episode(&trail);
	for (t = 0; t < w->n_steps; t++) {
		see(r, t ? w->a[t - 1] : -1, w->x[t]);
		cscg_candidate_top(r, &hypothesis, 1);
		need(cscg_candidate_path_add(&trail, t ? w->a[t - 1] : -1,
			 w->x[t], r, &hypothesis, &err) < 0 ?
			NULL :
			r);
		need(cscg_places_observe(places, t ? w->a[t - 1] : -1, w->x[t],
			 &err) < 0 ?
			NULL :
			places);
		if (t)
			did[w->z[t - 1]][w->a[t - 1]] = 1;
	}
	for (i = 0; i < n; i++) {
		state_of[node_of[i]] = i;
		for (a = 0; a < 4; a++)
			good &= cscg_candidate_path_tried(&trail, i, a) ==
			    did[node_of[i]][a];
	}
	ok(good, "tried actions include those before the state was known");
	ok(node_of[trail.origin] == w->z[0] &&
		node_of[trail.state] == w->z[w->n_steps - 1],
	    "origin and current state of the path");

	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			d[i][j] = i == j ? 0 : N;
	for (i = 0; i < n; i++)
		for (a = 0; a < 4; a++)
			if (cscg_room_successor(room, a, i) != i)
				d[i][cscg_room_successor(room, a, i)] = 1;
	for (k = 0; k < n; k++)
		for (i = 0; i < n; i++)
			for (j = 0; j < n; j++)
				if (d[i][k] + d[k][j] < d[i][j])
					d[i][j] = d[i][k] + d[k][j];
	for (a = 0; a < 4; a++) {
		need(cscg_places_search(places, a, &err) < 0 ? NULL : places);
		for (j = 0; j < n; j++) {
			int z = w->z[w->n_steps - 1];

			good &=
			    cscg_places_paths(places)->distance[state_of[j]] ==
			    d[z][j];
			k = cscg_places_path(places, state_of[j], &plan, &err);
			for (i = 0; i < k; i++)
				z = cscg_room_successor(room, plan[i], z);
			sure &= k == d[w->z[w->n_steps - 1]][j] && z == j;
		}
	}
	ok(good, "distances equal those of Floyd-Warshall");
	ok(sure, "paths have the shortest length");
	cscg_candidate_path_begin_episode(&trail);
	see(r, -1, w->x[0]);
	cscg_candidate_top(r, &hypothesis, 1);
	need(cscg_candidate_path_add(&trail, -1, w->x[0], r, &hypothesis,
		 &err) < 0 ?
		NULL :
		r);
	ok(trail.origin == trail.state && trail.state == hypothesis.state,
	    "each episode has its own origin");
	cscg_places_free(places);
	cscg_candidate_path_free(&trail);
	cscg_candidate_free(r);
	cscg_walk_free(w);
	cscg_model_free(m);
	cscg_room_free(room);
}

/*
 * A decoded path: an action that was predicted to stay, but led to another
 * symbol, was not tried; the symbol may be that of a state beyond a door.
 */
static void
test_decoded(void)
{
	static const int a[] = { -1, 0, 1, 0, 0, 0, 1 };
	static const int x[] = { 1, 0, 1, 0, 2, 1, 0 }; /* not 2 at the wall */
	struct cscg_room *room = line();
	struct cscg_env_header head = head_of(room);
	int node_of[4], state_of[4], j, t;
	struct cscg_model *m = memory_of(room, node_of);
	struct cscg_track_options set = { .misread = .01 };
	struct cscg_candidate *r = need(cscg_candidate_new(&head, m, &set, 0,
	    &err));
	struct cscg_candidate_path trail = { .n_actions = 2 };
	struct cscg_candidate_hypothesis hypothesis;

	cscg_candidate_path_reset(&trail);
	for (t = 0; t < 7; t++) {
		see(r, a[t], x[t]);
		need(cscg_candidate_path_skip(&trail, a[t], x[t], &err) < 0 ?
			NULL :
			r);
	}
	for (j = 0; j < 4; j++)
		state_of[node_of[j]] = j;
	cscg_candidate_top(r, &hypothesis, 1);
	need(cscg_candidate_path_decode(&trail, r, &hypothesis, &err) < 0 ?
		NULL :
		r);
	ok(trail.state == state_of[2] &&
		cscg_candidate_path_tried(&trail, state_of[2], 0) &&
		cscg_candidate_path_tried(&trail, state_of[3], 1),
	    "predicted transitions of a decoded path were tried");
	ok(!cscg_candidate_path_tried(&trail, state_of[3], 0),
	    "a wall with another symbol than predicted was not tried");
	cscg_candidate_path_free(&trail);
	cscg_candidate_free(r);
	cscg_model_free(m);
	cscg_room_free(room);
}

/*
 * A smoothed schema of the line, bound by distributions: cell 2 emits symbol 0
 * in three of four steps, else 2.  Without smoothing T is deterministic, but
 * for the pseudocount, and pi is uniform.
 */
static void
test_smoothed(void)
{
	struct cscg_room *room = line();
	struct cscg_env_header head = head_of(room);
	int node_of[4], state_of[4], j;
	struct cscg_model *m = memory_of(room, node_of), *bound;
	struct cscg_candidate *r;
	struct cscg_candidate_hypothesis h;
	double E[12] = { 0 }, pi[4];

	for (j = 0; j < 4; j++) {
		state_of[node_of[j]] = j;
		pi[j] = .25;
		E[3 * j + room->obs[node_of[j]]] = 1;
	}
	E[3 * state_of[2]] = .75;
	E[3 * state_of[2] + 2] = .25;
	cscg_model_unground(m, CSCG_CLONES);
	r = need(cscg_candidate_new_smoothed(&head, m, 0, &err));
	need(cscg_candidate_bind(r, E, pi, &err) < 0 ? NULL : r);
	ok(cscg_candidate_top(r, &h, 1) == 0 && cscg_candidate_origin(r) == -1,
	    "a smoothed model has no state before the first observation");
	see(r, -1, 1);
	ok(fabs(cscg_candidate_prob(r) - .25) < 1e-9 &&
		cscg_candidate_top(r, &h, 1) == 1 && h.state == state_of[1] &&
		fabs(h.p - 1) < 1e-9,
	    "the first symbol has the probability of its state");
	see(r, 0, 2);
	ok(fabs(cscg_candidate_prob(r) - .25) < 1e-3 &&
		cscg_candidate_top(r, &h, 1) == 1 && h.state == state_of[2] &&
		cscg_candidate_origin(r) == state_of[1],
	    "a symbol has its probability in the state that T leads to");
	ok(fabs(exp(cscg_candidate_loglik(r)) - .0625) < 1e-3,
	    "the likelihood is the product of both");
	ok(cscg_candidate_emission(r, state_of[2], 0) == .75,
	    "emissions are those of the binding");
	bound = need(cscg_candidate_ground(r, &err));
	ok(bound->kind == CSCG_GROUNDED &&
		fabs(cscg_model_E(bound, state_of[2], 2) - .25) < 1e-9,
	    "the grounded model has them");
	cscg_model_free(bound);
	cscg_candidate_reset(r);
	ok(cscg_candidate_top(r, &h, 1) == 0,
	    "observations can be discarded, the binding remains");
	see(r, -1, 1);
	ok(fabs(cscg_candidate_prob(r) - .25) < 1e-9,
	    "the first symbol after that has the same probability");
	cscg_candidate_free(r);
	cscg_model_free(m);

	/* A model without pseudocount: what it does not have is impossible. */
	m = need(cscg_room_model(room, 100, 0, node_of, &err));
	head.head.n_obs = 4;
	r = need(cscg_candidate_new_smoothed(&head, m, 0, &err));
	see(r, -1, 1);
	see(r, 0, 1);
	ok(cscg_candidate_prob(r) == 0 && cscg_candidate_top(r, &h, 1) == 1 &&
		node_of[h.state] == 1,
	    "after an impossible symbol the belief restarts from it");
	see(r, 0, 3);
	ok(cscg_candidate_model_symbol(r, 3) == -1 &&
		fabs(cscg_candidate_prob(r) - 1) < 1e-9 &&
		cscg_candidate_top(r, &h, 1) == 1 && node_of[h.state] == 2,
	    "a symbol that the model lacks is no observation");
	cscg_candidate_free(r);
	cscg_model_free(m);
	cscg_room_free(room);
}

int
main(void)
{
	test_memory();
	test_guesses();
	test_late_change();
	test_schema();
	test_both();
	test_information();
	test_probe(CSCG_TORUS, CSCG_CYLINDER, 1);
	test_probe(CSCG_TORUS, CSCG_CYLINDER, 3);
	test_probe(CSCG_RECTANGLE, CSCG_TORUS, 6);
	test_trail();
	test_decoded();
	test_smoothed();
	return done();
}
