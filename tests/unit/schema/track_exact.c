/*
 * track_exact.c - hypotheses against enumeration
 *
 * The oracle tries all initial states for each start of a walk and keeps those
 * that bind each symbol to one state and each state to one symbol.
 */
#include <string.h>

#include "schema/track_exact.h"
#include "kernel/plan_graph.h"
#include "tap.h"
#include "walker.h"

enum { MAX = 20000, N = 16 };

/* A hypothesis of the oracle. */
struct way {
	int state, symbol[N], state_of[N];
	double p;
};

static struct way now[MAX], next[MAX];
static long n_now;

static struct cscg_track_exact_graph *
moves_of(struct cscg_room *room)
{
	struct cscg_model *m = need(cscg_room_model(room, 100, 1e-4, NULL,
	    &err));
	struct cscg_plan_graph *map = need(cscg_plan_graph_new(m, 0, &err));
	struct cscg_track_exact_graph *moves = need(
	    cscg_track_exact_graph_new(map, -1, &err));

	cscg_plan_graph_free(map);
	cscg_model_free(m);
	return moves;
}

/* Is hypothesis w consistent in state j with symbol x? */
static bool
fits(struct way *w, int j, int x)
{
	w->state = j;
	if (w->symbol[j] >= 0 || w->state_of[x] >= 0)
		return w->symbol[j] == x;
	w->symbol[j] = x;
	w->state_of[x] = j;
	return true;
}

static void
oracle_put(const struct cscg_track_exact_graph *m, int x)
{
	long i, n = 0;
	int j;

	if (!n_now) {
		memset(now, -1, sizeof *now);
		now[0].p = 1;
		n_now = 1;
	}
	for (i = 0; i < n_now; i++)
		for (j = 0; j < m->n_states; j++) {
			next[n] = now[i];
			n += fits(&next[n], j, x);
		}
	memcpy(now, next, (size_t)n * sizeof *now);
	n_now = n;
}

static void
oracle_step(const struct cscg_track_exact_graph *m, int a, int x)
{
	long i, n = 0;

	for (i = 0; i < n_now; i++) {
		now[n] = now[i];
		n += fits(&now[n], m->to[a * m->n_states + now[n].state], x);
	}
	n_now = n;
}

/*
 * Are the hypotheses those of the oracle? first is the symbol that was observed
 * first: hypotheses that bind it to a state that is represented by a symmetric
 * one are not listed, and that one has their probability.
 */
static bool
agree(const struct cscg_track_exact *h, const struct cscg_track_exact_graph *m,
    int first)
{
	double sum = 0, share = 0;
	long i, k, listed = 0;

	for (k = 0; k < n_now; k++) {
		listed += m->start_prob[now[k].state_of[first]] > 0;
		share += m->start_prob[now[k].state_of[first]];
	}
	if (listed != h->n)
		return false;
	for (i = 0; i < h->n; i++) {
		struct cscg_track_exact_hypothesis y = cscg_track_exact_get(h,
		    i);

		sum += y.p;
		for (k = 0; k < n_now; k++)
			if (now[k].state == y.state &&
			    !memcmp(now[k].symbol, y.symbol,
				(size_t)m->n_states * sizeof(int)) &&
			    !memcmp(now[k].state_of, y.state_of,
				(size_t)h->n_obs * sizeof(int)))
				break;
		if (k == n_now ||
		    !near(y.p, m->start_prob[now[k].state_of[first]] / share,
			1e-12))
			return false;
	}
	return h->n == 0 || near(sum, 1, 1e-12);
}

/* Walks with two or three starts; after each step both must agree. */
static void
compare(const char *name, struct cscg_room *room, int beginnings)
{
	struct cscg_track_exact_graph *m = moves_of(room);
	struct cscg_track_exact h = { 0 };
	struct cscg_rng rng, none = { { 0 } };
	int seed, i, a, x, first = 0, right = 1, most = 0, label[N];
	long t;

	for (seed = 0; seed < 20; seed++) {
		int z = 0;

		cscg_rng_seed(&rng, (uint64_t)seed, CSCG_RNG_TEST, 0, 3);
		for (i = 0; i < m->n_states; i++)
			label[i] = i;
		cscg_rng_shuffle(&rng, label, m->n_states);
		cscg_track_exact_init(&h, m, m->n_states, MAX);
		n_now = 0;
		for (i = 0; i < beginnings; i++) {
			z = (int)cscg_rng_below(&rng, m->n_states);
			x = label[z];
			first = i ? first : x;
			need(cscg_track_exact_reset(&h, x, &none, &err) < 0 ?
				NULL :
				m);
			oracle_put(m, x);
			right &= agree(&h, m, first);
			for (t = cscg_rng_below(&rng, 4); t > 0; t--) {
				a = (int)cscg_rng_below(&rng, m->n_actions);
				z = m->to[a * m->n_states + z];
				cscg_track_exact_step(&h, a, label[z]);
				oracle_step(m, a, label[z]);
				right &= agree(&h, m, first);
			}
			most = h.n > most ? (int)h.n : most;
		}
	}
	ok(right && most > 1,
	    "%s: %d walks with %d first steps, up to %d hypotheses", name,
	    seed, beginnings, most);
	cscg_track_exact_free(&h);
	cscg_track_exact_graph_free(m);
	cscg_room_free(room);
}

/* Number of distinguishable starts, and their probabilities. */
static void
symmetries(const char *name, struct cscg_room *room, int classes, double p)
{
	struct cscg_track_exact_graph *m = moves_of(room);
	int j, n = 0, right = 1;

	for (j = 0; j < m->n_states; j++)
		if (m->start_prob[j] > 0) {
			n++;
			right &= near(m->start_prob[j], p, 1e-12);
		}
	ok(n == classes && right, "%s: %d initial states", name, n);
	cscg_track_exact_graph_free(m);
	cscg_room_free(room);
}

static void
test_distance(void)
{
	struct cscg_room *room = shape_room(CSCG_TORUS, 4, 4);
	struct cscg_track_exact_graph *m = moves_of(room);
	long sum = 0;
	int i;

	for (i = 0; i < 16 * 16; i++)
		sum += m->distance[i];
	/* On a ring of four the mean distance is 1; on two of them 2. */
	ok(sum == 16 * 32, "distances on a torus sum to 512");
	cscg_track_exact_graph_free(m);
	cscg_room_free(room);
}

/* Sampling of too many hypotheses, and errors. */
static void
test_few(void)
{
	struct cscg_room *room = shape_room(CSCG_TORUS, 4, 4);
	struct cscg_track_exact_graph *m = moves_of(room);
	struct cscg_track_exact h = { 0 };
	struct cscg_rng rng;
	double sum = 0;
	long i;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 4);
	cscg_track_exact_init(&h, m, 16, 7);
	ok(h.n == 0 && h.n_bound == 0,
	    "without observations there are no hypotheses");
	need(cscg_track_exact_reset(&h, 5, &rng, &err) < 0 ? NULL : m);
	ok(h.n == 1 && h.n_bound == 1 &&
		cscg_track_exact_get(&h, 0).state_of[5] ==
		    cscg_track_exact_get(&h, 0).state,
	    "the first symbol on a torus gives one hypothesis by symmetry");
	need(cscg_track_exact_reset(&h, 6, &rng, &err) < 0 ? NULL : m);
	for (i = 0; i < h.n; i++)
		sum += h.p[i];
	ok(h.n == 7 && h.n_bound == 2 && near(sum, 1, 1e-12),
	    "7 of 15 hypotheses are kept");
	need(cscg_track_exact_reset(&h, 5, &rng, &err) < 0 ? NULL : m);
	ok(h.n == 7 && h.n_bound == 2 &&
		cscg_track_exact_get(&h, 3).state ==
		    cscg_track_exact_get(&h, 3).state_of[5],
	    "a relocation to a known symbol determines the state");
	cscg_track_exact_step(&h, 0, 5);
	ok(h.n == 0, "an impossible transition removes all hypotheses");
	cscg_track_exact_free(&h);
	cscg_track_exact_graph_free(m);
	cscg_room_free(room);
}

/*
 * Those are kept at which equidistant points are, the first of them random, with a
 * probability for each point.
 */
static void
test_sampling(int max, double p0)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 1, 4);
	struct cscg_track_exact_graph *m = moves_of(room);
	struct cscg_track_exact h = { 0 }, all = { 0 };
	struct cscg_rng rng, again;
	double point, upto;
	int right = 1, k, n = 0;
	long i, size = 1 + 4 + 6;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, (uint64_t)max);
	again = rng;
	for (k = 0; k < 2; k++) {
		struct cscg_track_exact *one = k ? &h : &all;

		cscg_track_exact_init(one, m, 6, MAX);
		need(cscg_track_exact_reset(one, 5, &rng, &err) < 0 ||
			    one->n != 4 ?
			NULL :
			m);
		one->p[0] = p0;
		one->p[1] = one->p[2] = one->p[3] = (1 - p0) / 3;
	}
	h.max_hypotheses = max;
	need(cscg_track_exact_reset(&all, 0, &rng, &err) < 0 ||
		    memcmp(&rng, &again, sizeof rng) ||
		    cscg_track_exact_reset(&h, 0, &rng, &err) < 0 ?
		NULL :
		m);
	if (max >= all.n)
		ok(h.n == all.n && !memcmp(&rng, &again, sizeof rng) &&
			!memcmp(h.p, all.p, (size_t)h.n * sizeof *h.p),
		    "%d hypotheses of at most %d: none is drawn", (int)h.n,
		    max);
	point = cscg_rng_uniform(&again) / max;
	for (upto = 0, i = 0; i < all.n; i++) {
		upto += all.p[i];
		for (k = 0; point < upto; k++)
			point += 1. / max;
		if (k) {
			right &= n < h.n &&
			    near(h.p[n], (double)k / max, 1e-9) &&
			    !memcmp(h.v + n * size, all.v + i * size,
				(size_t)size * sizeof *h.v);
			n++;
		}
	}
	ok(max >= all.n || (right && n == h.n && n <= max && all.n == 12),
	    "%d points: %d of 12 hypotheses", max, n);
	cscg_track_exact_free(&h);
	cscg_track_exact_free(&all);
	cscg_track_exact_graph_free(m);
	cscg_room_free(room);
}

/* Stochastic graphs. */
static void
test_chance(void)
{
	static const struct cscg_count half[] = { { 0, 0, 0, 1 },
		{ 0, 0, 1, 1 }, { 0, 1, 0, 2 } };
	static const struct cscg_count none[] = { { 0, 0, 1, 1 } };
	static const struct cscg_count most[] = { { 0, 0, 1, 9 },
		{ 0, 0, 0, 1 }, { 0, 1, 0, 2 } };
	struct cscg_model *m = need(cscg_model_new(CSCG_SCHEMA, 2, 1, 1,
	    &err));
	struct cscg_plan_graph *map;
	struct cscg_track_exact_graph *moves;

	need(cscg_model_set_counts(m, half, 3, &err) < 0 ? NULL : m);
	map = need(cscg_plan_graph_new(m, 0, &err));
	ok(!cscg_track_exact_graph_new(map, -1, &err) &&
		err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg,
		    "state 0: action 0 leads to several states, none of them "
		    "likelier than one half"),
	    "an action with two equally likely successors is refused");
	cscg_plan_graph_free(map);
	need(cscg_model_set_counts(m, none, 1, &err) < 0 ? NULL : m);
	map = need(cscg_plan_graph_new(m, 0, &err));
	ok(!cscg_track_exact_graph_new(map, -1, &err) &&
		err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg, "state 1: action 0 has no counts"),
	    "a missing successor is refused");
	moves = need(cscg_track_exact_graph_new(map, 0, &err));
	ok(moves->to[0] == 0 && moves->to[1] == 1 && moves->distance[1] == -1,
	    "an action that is not a move may lack a successor");
	cscg_track_exact_graph_free(moves);
	cscg_plan_graph_free(map);
	need(cscg_model_set_counts(m, most, 3, &err) < 0 ? NULL : m);
	map = need(cscg_plan_graph_new(m, 0, &err));
	moves = need(cscg_track_exact_graph_new(map, -1, &err));
	ok(moves->to[0] == 1 && moves->to[1] == 0 && moves->distance[1] == 1,
	    "the most probable of several successors is used");
	cscg_track_exact_graph_free(moves);
	cscg_plan_graph_free(map);
	cscg_model_free(m);
}

/* A symbol more than there are states: no hypothesis is left. */
static void
test_too_many(void)
{
	struct cscg_room *room = shape_room(CSCG_TORUS, 1, 2);
	struct cscg_track_exact_graph *m = moves_of(room);
	struct cscg_track_exact h = { 0 };
	struct cscg_rng rng;
	int x;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 4);
	cscg_track_exact_init(&h, m, 3, 100);
	for (x = 0; x < 3; x++)
		need(cscg_track_exact_reset(&h, x, &rng, &err) < 0 ? NULL : m);
	ok(h.n == 0 && h.n_bound == 3, "more symbols than states");
	cscg_track_exact_free(&h);
	cscg_track_exact_graph_free(m);
	cscg_room_free(room);
}

int
main(void)
{
	/* Actions fix the orientation: only translations are symmetries. */
	symmetries("torus", shape_room(CSCG_TORUS, 3, 4), 1, 1);
	symmetries("rectangle", shape_room(CSCG_RECTANGLE, 3, 4), 12, 1. / 12);
	/* Its rows wrap around: one class for each column. */
	symmetries("cylinder", shape_room(CSCG_CYLINDER, 3, 4), 4, 1. / 4);
	compare("torus", shape_room(CSCG_TORUS, 3, 3), 3);
	compare("rectangle", shape_room(CSCG_RECTANGLE, 2, 4), 3);
	compare("cylinder", shape_room(CSCG_CYLINDER, 3, 3), 3);
	compare("large torus", shape_room(CSCG_TORUS, 4, 4), 2);
	test_distance();
	test_few();
	test_sampling(5, .25);
	test_sampling(11, .7);
	test_sampling(3, 0);
	test_sampling(12, .5);
	test_too_many();
	test_chance();
	return done();
}
