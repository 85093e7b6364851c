/*
 * multi.c - one transition graph for episodes with different emissions
 *
 * The room of the walks is the truth: a schema that is reported complete must
 * be isomorphic to it.
 */
#include <string.h>

#include "core/graph.h"
#include "learn/multi.h"
#include "tap.h"
#include "walker.h"

/* Other symbols in every episode. */
static void
relabel(struct cscg_walk *w, uint64_t seed)
{
	int *to = need(malloc((size_t)w->head.n_obs * sizeof *to)), e, x;
	struct cscg_rng rng;
	long t;

	for (e = 0; e < w->n_episodes; e++) {
		cscg_rng_seed(&rng, seed, CSCG_RNG_TEST, (uint64_t)e, 8);
		for (x = 0; x < w->head.n_obs; x++)
			to[x] = x;
		cscg_rng_shuffle(&rng, to, w->head.n_obs);
		for (t = w->start[e]; t < w->start[e + 1]; t++)
			w->x[t] = to[w->x[t]];
	}
	free(to);
}

/* Is the graph of the likeliest transitions isomorphic to the room? */
static bool
same_graph(const struct cscg_model *m, const struct cscg_room *room)
{
	int n = room->n_nodes, A = room->n_actions, a, j;
	struct cscg_arc *l = need(calloc((size_t)(n * A), sizeof *l));
	struct cscg_arc *r = need(calloc((size_t)(n * A), sizeof *r));
	int *map = need(malloc((size_t)n * sizeof *map));
	int *label = need(calloc((size_t)n, sizeof *label));
	bool same;

	for (a = 0; a < A; a++)
		for (j = 0; j < n; j++) {
			long i, row = (long)a * n + j, best = m->first[row];

			for (i = best; i < m->first[row + 1]; i++)
				if (m->count[i] > m->count[best])
					best = i;
			l[row] = (struct cscg_arc){ a, j, m->to[best] };
			r[row] = (struct cscg_arc){ a, j,
				room->to[room->first[row]] };
		}
	for (j = 0; j < n; j++)
		map[j] = -1;
	same = m->n_states == n &&
	    cscg_graph_isomorphism(n,
		&(struct cscg_iso_graph){ label, l, (long)n * A },
		&(struct cscg_iso_graph){ label, r, (long)n * A }, map,
		&err) == 1;
	free(l);
	free(r);
	free(map);
	free(label);
	return same;
}

struct seen {
	int lines;
	bool whole, undone; /* was complete; was incomplete after that */
	long max_draws;     /* after one episode */
};

static int
on_line(void *ctx, const struct cscg_multi_progress *l)
{
	struct seen *s = ctx;

	s->undone |= s->whole && !l->complete;
	s->whole |= l->complete;
	s->lines++;
	if (l->draws > s->max_draws)
		s->max_draws = l->draws;
	return 0;
}

static struct cscg_multi
job_of(uint64_t seed, bool reversible, struct seen *seen)
{
	return (struct cscg_multi){ .draws = 50,
		.iterations = 200,
		.pseudocount = 2e-3,
		.seed = seed,
		.reversible = reversible,
		.report = on_line,
		.ctx = seen };
}

/* Several sets of episodes in a room; each complete schema must be right. */
static void
learn_in(const char *name, struct cscg_room *room, int episodes,
    bool reversible, double reset, double slip)
{
	int seed, complete = 0, right = 0, lines = 0, undone = 0,
		  n = slip > 0 ? 4 : 6;

	cscg_room_label_unique(room);
	for (seed = 1; seed <= n; seed++) {
		struct walker how = { .n = 100,
			.episodes = episodes,
			.reset = reset,
			.slip = slip,
			.seed = (uint64_t)seed };
		struct cscg_walk *w = walk_in(room, &how);
		struct seen seen = { 0 };
		struct cscg_multi job = job_of((uint64_t)seed, reversible,
		    &seen);
		struct cscg_multi_progress last;
		struct cscg_model *m;

		relabel(w, (uint64_t)seed);
		m = need(cscg_multi(w, &job, &last, &err));
		complete += last.complete;
		right += last.complete && same_graph(m, room);
		lines += seen.lines;
		undone += seen.undone;
		cscg_model_free(m);
		cscg_walk_free(w);
	}
	ok(lines == n * episodes, "%s: one report for each episode", name);
	ok(complete >= n - 1, "%s: complete after %d episodes (%d of %d)",
	    name, episodes, complete, n);
	ok(right == complete, "%s: complete schemas are the true graph", name);
	/* Without inverse actions, slips of a further episode may raise doubt. */
	ok(undone == 0 || (slip > 0 && !strncmp(name, "one-way", 7)),
	    "%s: a complete schema stays complete", name);
	cscg_room_free(room);
}

static void
stops_early(void)
{
	struct cscg_room *room = shape_room(CSCG_TORUS, 4, 4);
	struct walker how = { .n = 100, .episodes = 9, .seed = 3 };
	struct seen seen = { 0 }, again = { 0 };
	struct cscg_multi job = job_of(3, true, &seen);
	struct cscg_multi_progress last, other;
	struct cscg_model *m, *m2;
	struct cscg_walk *w;
	long rows = (long)room->n_actions * room->n_nodes;

	cscg_room_label_unique(room);
	w = walk_in(room, &how);
	relabel(w, 3);
	job.until_complete = true;
	m = need(cscg_multi(w, &job, &last, &err));
	ok(last.complete && last.episode < 8 && seen.lines == last.episode + 1,
	    "stops at the episode that completes the graph");
	ok(last.rows == rows && last.tried == rows &&
		last.deterministic == rows,
	    "all %ld rows are tried and deterministic", rows);
	ok(m->kind == CSCG_CLONES && m->clone[0] == 0 && m->clone[15] == 15,
	    "the result is a schema with one state per group");
	job.ctx = &again;
	m2 = need(cscg_multi(w, &job, &other, &err));
	ok(m->first[rows] == m2->first[rows] &&
		!memcmp(m->count, m2->count,
		    (size_t)m->first[rows] * sizeof *m->count),
	    "the same seed gives the same counts");
	cscg_model_free(m);
	cscg_model_free(m2);
	cscg_walk_free(w);
	cscg_room_free(room);
}

/* Fits after an episode that is not enough, up to the number of draws. */
static void
limits_draws(void)
{
	struct cscg_room *room = shape_room(CSCG_TORUS, 4, 4);
	struct walker how = { .n = 100, .episodes = 3, .seed = 3 };
	struct cscg_multi_progress last;
	struct cscg_walk *w;
	long draws;

	cscg_room_label_unique(room);
	w = walk_in(room, &how);
	relabel(w, 3);
	for (draws = 1; draws <= 10; draws += 3) {
		struct seen seen = { 0 };
		struct cscg_multi job = job_of(3, false, &seen);

		job.draws = draws;
		cscg_model_free(need(cscg_multi(w, &job, &last, &err)));
		ok(!last.complete && seen.max_draws == draws,
		    "at most %ld draws: %ld made", draws, seen.max_draws);
	}
	cscg_walk_free(w);
	cscg_room_free(room);
}

static void
refuses(const char *name, struct cscg_walk *w, const char *part)
{
	struct seen seen = { 0 };
	struct cscg_multi job = job_of(1, false, &seen);
	struct cscg_multi_progress last;
	struct cscg_err e = { 0 };

	ok(!cscg_multi(w, &job, &last, &e) && e.code == CSCG_EMISMATCH &&
		strstr(e.msg, part),
	    "%s: %s", name, e.msg);
	cscg_walk_free(w);
}

/* A ring of three, one action: episodes that fit, and that do not. */
static void
foretelling(void)
{
	int obs[] = { 0, 1, 2 }, next[] = { 1, 2, 0 };
	int a[] = { 0, 0, 0, 0, 0, 0 };
	int round[] = { 2, 0, 1, 2, 0 }, back[] = { 2, 0, 2 };
	int stay[] = { 1, 1 }, other[] = { 5, 3, 4, 5 }, bind[3];
	struct cscg_room *room = hand_room(3, 1, 3, obs, next);
	struct cscg_model *m = need(cscg_room_model(room, 1, 0, NULL, &err));
	struct cscg_walk *w = hand_walk(1, 3, 5, round, a);

	ok(cscg_multi_can_produce(m, w, 0, bind, &err) == 1,
	    "a ring can produce a cycle");
	ok(bind[1] == (bind[0] == 2 ? 0 : bind[0] + 1),
	    "states are bound in the order of the ring");
	cscg_walk_free(w);
	w = hand_walk(1, 3, 3, back, a);
	ok(cscg_multi_can_produce(m, w, 0, NULL, &err) == 0,
	    "a ring cannot produce inverse transitions");
	cscg_walk_free(w);
	w = hand_walk(1, 3, 2, stay, a);
	ok(cscg_multi_can_produce(m, w, 0, NULL, &err) == 0,
	    "a ring cannot produce self-transitions");
	cscg_walk_free(w);
	w = hand_walk(1, 6, 4, other, a);
	ok(cscg_multi_can_produce(m, w, 0, NULL, &err) == 1,
	    "a ring can produce a cycle of other symbols");
	cscg_walk_free(w);
	/* 2 0 | 0 1 2: after a reset, the rest must still fit. */
	w = hand_walk(1, 3, 5, (int[]){ 2, 0, 0, 1, 2 }, a);
	ok(cscg_multi_can_produce(m, w, 0, NULL, &err) == 0,
	    "a symbol that repeats is refused");
	w->reset = need(calloc(5, 1));
	w->reset[2] = 1;
	ok(cscg_multi_can_produce(m, w, 0, bind, &err) == 1,
	    "a reset allows a repeated symbol");
	cscg_walk_free(w);
	/* 0 | 1: anywhere; then 1 -> 0 contradicts 0 -> 1 in a ring of three. */
	w = hand_walk(1, 3, 4, (int[]){ 0, 1, 0, 1 }, a);
	w->reset = need(calloc(4, 1));
	w->reset[1] = 1;
	ok(cscg_multi_can_produce(m, w, 0, NULL, &err) == 0,
	    "a cycle in the other direction after a reset is refused");
	cscg_walk_free(w);
	cscg_model_free(m);
	cscg_room_free(room);
}

int
main(void)
{
	int ring[] = { 1, 2, 3, 4, 5, 6, 7, 0, 7, 0, 1, 2, 3, 4, 5, 6 };
	int obs[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	/*
	 * forward on a ring of six; from 0..2 a second action that leads
	 * further
	 */
	int oneway[] = { 1, 2, 3, 4, 5, 0, 3, 4, 5, 3, 4, 5 };
	struct walker gaps = { .n = 50, .dropout = 0.1, .seed = 1 };
	struct cscg_room *room;

	foretelling();
	learn_in("torus", shape_room(CSCG_TORUS, 4, 4), 6, true, 0, 0);
	learn_in("torus with respawns", shape_room(CSCG_TORUS, 4, 4), 9, true,
	    0.05, 0);
	learn_in("torus, walls allowed", shape_room(CSCG_TORUS, 4, 4), 16,
	    false, 0, 0);
	learn_in("rectangle", shape_room(CSCG_RECTANGLE, 3, 4), 16, false, 0,
	    0);
	learn_in("ring", hand_room(8, 2, 8, obs, ring), 12, false, 0, 0);
	learn_in("one-way", hand_room(6, 2, 6, obs, oneway), 12, false, 0, 0);
	learn_in("torus, slips", shape_room(CSCG_TORUS, 4, 4), 5, false, 0,
	    .03);
	learn_in("torus, slips, permutations", shape_room(CSCG_TORUS, 4, 4), 5,
	    true, 0, .03);
	learn_in("rectangle, slips", shape_room(CSCG_RECTANGLE, 3, 4), 9,
	    false, 0, .03);
	learn_in("one-way, slips", hand_room(6, 2, 6, obs, oneway), 12, false,
	    0, .03);
	stops_early();
	limits_draws();

	room = shape_room(CSCG_RECTANGLE, 4, 4);
	refuses("aliased",
	    walk_in(room, &(struct walker){ .n = 200, .seed = 1 }),
	    "led to another one");
	cscg_room_label_unique(room);
	refuses("a gap", walk_in(room, &gaps), "missing observation");
	cscg_room_free(room);
	return done();
}
