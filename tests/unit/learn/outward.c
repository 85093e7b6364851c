/*
 * outward.c - graphs of walks with noise, from landmarks outward: landmarks,
 * and rooms with slips and misread symbols
 */
#include <math.h>
#include <string.h>

#include "learn/noisy.h"
#include "learn/noisy_em.h"
#include "learn/outward.h"
#include "tap.h"
#include "walker.h"

static int n_rounds;

static int
count_round(void *ctx, const struct cscg_learn_progress *line)
{
	(void)ctx;
	n_rounds += !strcmp(line->stage, "outward");
	return 0;
}

static struct cscg_learn set = {
	.pseudocount = 2e-3, .seed = 42, .report = count_round
};

/* Redraw symbols with probability p. */
static void
misread(struct cscg_walk *w, double p, uint64_t seed)
{
	struct cscg_rng rng;
	long t;

	cscg_rng_seed(&rng, seed, CSCG_RNG_TEST, 0, 8);
	for (t = 0; t < w->n_steps; t++)
		if (cscg_rng_uniform(&rng) < p)
			w->x[t] = (int)cscg_rng_below(&rng, w->head.n_obs);
}

/*
 * The share of the steps whose likeliest state belongs to their node; *found
 * is the number of nodes that have a state.  A state belongs to the node of
 * most of its steps.
 */
static double
located(const struct cscg_model *m, const struct cscg_walk *w, int n_nodes,
    int *found)
{
	long *both = need(calloc((size_t)(m->n_states * n_nodes),
	    sizeof *both));
	char *has = need(calloc((size_t)n_nodes, 1));
	struct cscg_noisy_em em;
	long t, right = 0, most;
	int j, z, best;

	need(cscg_noisy_em_new(&em, w, 1e-4, &err) < 0 ? NULL : has);
	em.m = need(cscg_model_copy(m, &err));
	need(cscg_noisy_em_decode(&em, &err) < 0 ? NULL : has);
	for (t = 0; t < w->n_steps; t++)
		both[em.r.state[t] * n_nodes + w->z[t]]++;
	for (*found = j = 0; j < m->n_states; j++) {
		for (most = best = z = 0; z < n_nodes; z++)
			if (both[j * n_nodes + z] > most)
				most = both[j * n_nodes + (best = z)];
		right += most;
		*found += !has[best];
		has[best] = 1;
	}
	cscg_noisy_em_free(&em);
	free(has);
	free(both);
	return (double)right / (double)w->n_steps;
}

/* Each node its own symbol, or two for all: there is nothing to find. */
static void
no_landmarks(void)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 4, 4);
	struct walker how = { .n = 5000, .seed = 4 };
	struct cscg_model *m;
	struct cscg_walk *w;
	double loglik;
	bool distinct;
	int v;

	room->n_obs = room->n_nodes;
	for (v = 0; v < room->n_nodes; v++)
		room->obs[v] = v;
	w = walk_in(room, &how);
	ok(cscg_outward(w, &set, &m, &distinct, &loglik, &err) == 0 && !m,
	    "a symbol for each node: no other symbols");
	cscg_walk_free(w);
	for (v = 0; v < room->n_nodes; v++)
		room->obs[v] = v * v % 7 % 2;
	room->n_obs = 2;
	w = walk_in(room, &how);
	ok(cscg_outward(w, &set, &m, &distinct, &loglik, &err) == 0 && !m,
	    "two symbols of many nodes each: no landmark");
	cscg_walk_free(w);
	room->obs[0] = 2;
	room->n_obs = 3;
	w = walk_in(room, &how);
	ok(cscg_outward(w, &set, &m, &distinct, &loglik, &err) == 0 && !m,
	    "one landmark of three symbols: too few");
	cscg_walk_free(w);
	cscg_room_free(room);
}

/* A room with one symbol inside, and border nodes with one each. */
static struct cscg_room *
labelled_room(int rows, int columns)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, rows, columns);
	int v, r, c, n = 0;

	for (v = r = 0; r < rows; r++)
		for (c = 0; c < columns; c++, v++)
			room->obs[v] = r && r < rows - 1 && c &&
				c < columns - 1 ?
			    0 :
			    ++n;
	room->n_obs = n + 1;
	return room;
}

/*
 * Every node of the room is found by a walk of n steps, by one state each
 * unless there is an obstacle; frees the room.
 */
static void
finds_all(struct cscg_room *room, long n, double slip, double eps,
    double least, bool obstacle)
{
	struct walker how = { .n = n, .seed = 7 };
	struct cscg_model *m;
	struct cscg_walk *w;
	double loglik, share;
	bool distinct;
	int found;

	need(cscg_room_slip(room, slip, &err) < 0 ? NULL : room);
	w = walk_in(room, &how);
	misread(w, eps, 3);
	n_rounds = 0;
	ok(cscg_outward(w, &set, &m, &distinct, &loglik, &err) > 0,
	    "%d nodes, %g slips, %g misread: a graph", room->n_nodes, slip,
	    eps);
	share = located(m, w, room->n_nodes, &found);
	ok(found == room->n_nodes &&
		m->n_states <= room->n_nodes * (obstacle ? 5 : 4) / 4,
	    "%d states for %d of %d nodes", m->n_states, found, room->n_nodes);
	ok(distinct == (m->n_states == room->n_nodes),
	    "each has its own coordinates, unless there are more");
	ok(n_rounds <= 2, "%d rounds: coordinates of the border are enough",
	    n_rounds);
	ok(share >= least, "%g of the steps are located", share);
	ok(near(m->misread, eps, .005), "misreading probability %g",
	    m->misread);
	cscg_model_free(m);
	cscg_walk_free(w);
	cscg_room_free(room);
}

static void
finds(int rows, int columns, double slip, double eps, double least)
{
	finds_all(labelled_room(rows, columns), 20000, slip, eps, least,
	    false);
}

/*
 * A room of random symbols, which has few landmarks: the search begins with the
 * states of contexts.
 */
static void
finds_from_contexts(double slip, double eps)
{
	struct walker how = { .n = 12000, .seed = 7 };
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 8, 9);
	struct cscg_model *from, *m;
	struct cscg_walk *w;
	struct cscg_rng rng;
	double share;
	int v, found;

	cscg_rng_seed(&rng, 5, CSCG_RNG_TEST, 0, 9);
	room->n_obs = 8;
	for (v = 0; v < room->n_nodes; v++)
		room->obs[v] = (int)cscg_rng_below(&rng, room->n_obs);
	need(cscg_room_slip(room, slip, &err) < 0 ? NULL : room);
	w = walk_in(room, &how);
	misread(w, eps, 3);
	ok(cscg_outward_states(w, &err) == 0, "few landmarks");
	ok(cscg_noisy_contexts(w, &set, room->n_nodes / 2, &from, &err) == 0 &&
		!from,
	    "half of the nodes: contexts have more states");
	ok(cscg_noisy_contexts(w, &set, 2000, &from, &err) > 0,
	    "contexts find states");
	ok(from->n_states != room->n_nodes, "%d, not one for each node",
	    from->n_states);
	ok(cscg_outward_distinct(w, &set, from, &m, &err) > 0,
	    "%g slips, %g misread: a graph", slip, eps);
	share = located(m, w, room->n_nodes, &found);
	ok(found == room->n_nodes && m->n_states == found,
	    "%d states for %d of %d nodes, with coordinates", m->n_states,
	    found, room->n_nodes);
	ok(share > .8, "%g of the steps are located", share);
	cscg_model_free(from);
	cscg_model_free(m);
	cscg_walk_free(w);
	cscg_room_free(room);
}

/* The number of states is estimated from the steps of landmarks. */
static void
estimates_states(void)
{
	struct cscg_room *room = labelled_room(6, 7);
	struct walker how = { .n = 20000, .seed = 7 };
	struct cscg_walk *w = walk_in(room, &how);
	long n = cscg_outward_states(w, &err);

	ok(n > 36 && n < 48, "42 nodes, of which 22 are landmarks: %ld", n);
	cscg_walk_free(w);
	cscg_room_free(room);
}

/* Action a leads from node v to node to. */
static void
redirect(struct cscg_room *room, int a, int v, int to)
{
	room->to[room->first[(long)a * room->n_nodes + v]] = to;
}

/*
 * A wall inside: the transitions through it stay, though the nodes behind it
 * have the coordinates that they would lead to.
 */
static void
obstacle(void)
{
	struct cscg_room *room = labelled_room(7, 8);
	int v = 3 * 8 + 2, right = 3, left = 2, c;

	for (c = 0; c < 2; c++, v += 8) {
		redirect(room, right, v, v);
		redirect(room, left, v + 1, v + 1);
	}
	finds_all(room, 30000, 0, .03, .99, true);
}

/* Without inverse actions there are no coordinates. */
static void
no_coordinates(void)
{
	struct cscg_room *room = labelled_room(5, 5);
	struct walker how = { .n = 20000, .seed = 9 };
	struct cscg_model *m;
	struct cscg_walk *w;
	double loglik;
	bool distinct = true;
	int v;

	/* Actions 2 and 3 both lead around the room by rows. */
	for (v = 0; v < room->n_nodes; v++) {
		redirect(room, 2, v, (v + 1) % room->n_nodes);
		redirect(room, 3, v, (v + 2) % room->n_nodes);
	}
	w = walk_in(room, &how);
	misread(w, .02, 3);
	ok(cscg_outward(w, &set, &m, &distinct, &loglik, &err) >= 0 &&
		!distinct,
	    "no inverse actions: states need not be distinct");
	cscg_model_free(m);
	cscg_walk_free(w);
	cscg_room_free(room);
}

/* A room of 5 x 6 nodes with 16 random symbols, of which a tenth is misread. */
static struct cscg_walk *
random_walk(uint64_t seed, bool inverses)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 5, 6);
	struct walker how = { .n = 5000, .seed = seed };
	struct cscg_walk *w;
	struct cscg_rng rng;
	int v;

	cscg_rng_seed(&rng, seed, CSCG_RNG_TEST, 0, 9);
	room->n_obs = 16;
	for (v = 0; v < room->n_nodes; v++) {
		room->obs[v] = (int)cscg_rng_below(&rng, room->n_obs);
		if (!inverses)
			redirect(room, 3, v, (v + 2) % room->n_nodes);
	}
	w = walk_in(room, &how);
	misread(w, .1, 3);
	cscg_room_free(room);
	return w;
}

/* Rounds that change a transition and undo that end the search. */
static void
repeats(void)
{
	struct cscg_walk *w = random_walk(38, true);
	struct cscg_model *m;
	double loglik;
	bool distinct;

	n_rounds = 0;
	ok(cscg_outward(w, &set, &m, &distinct, &loglik, &err) > 0 &&
		!distinct,
	    "a graph in which two states may stand for one node");
	ok(n_rounds < 20, "%d rounds of at most 40", n_rounds);
	cscg_model_free(m);
	cscg_walk_free(w);
}

/* A graph of distinct states has coordinates. */
static void
needs_coordinates(void)
{
	struct cscg_walk *w = random_walk(32, false);
	struct cscg_model *m;
	double loglik;
	bool distinct;

	n_rounds = 0;
	ok(cscg_outward(w, &set, &m, &distinct, &loglik, &err) > 0 &&
		n_rounds > 20,
	    "no inverse actions: a graph after %d rounds", n_rounds);
	cscg_model_free(m);
	n_rounds = 0;
	ok(cscg_outward_distinct(w, &set, NULL, &m, &err) == 0 && !m &&
		n_rounds <= 11,
	    "none of distinct states, after %d", n_rounds);
	cscg_walk_free(w);
}

int
main(void)
{
	no_landmarks();
	finds(6, 7, 0, .01, .99);
	finds(6, 7, 0, .1, .99);
	finds(8, 8, 0, .05, .99);
	finds(6, 7, .01, 0, .9);
	finds(6, 7, .02, 0, .9);
	finds(6, 7, .1, 0, .8);
	finds_all(labelled_room(9, 9), 30000, .05, 0, .8, false);
	obstacle();
	no_coordinates();
	repeats();
	needs_coordinates();
	finds_from_contexts(.1, 0);
	finds_from_contexts(0, .05);
	estimates_states();
	return done();
}
