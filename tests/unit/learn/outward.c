/*
 * outward.c - graphs of walks with noise, from landmarks outward: landmarks,
 * and rooms with slips and misread symbols
 */
#include <math.h>
#include <string.h>

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
	int v;

	room->n_obs = room->n_nodes;
	for (v = 0; v < room->n_nodes; v++)
		room->obs[v] = v;
	w = walk_in(room, &how);
	ok(cscg_outward(w, &set, &m, &loglik, &err) == 0 && !m,
	    "a symbol for each node: no other symbols");
	cscg_walk_free(w);
	for (v = 0; v < room->n_nodes; v++)
		room->obs[v] = v * v % 7 % 2;
	room->n_obs = 2;
	w = walk_in(room, &how);
	ok(cscg_outward(w, &set, &m, &loglik, &err) == 0 && !m,
	    "two symbols of many nodes each: no landmark");
	cscg_walk_free(w);
	room->obs[0] = 2;
	room->n_obs = 3;
	w = walk_in(room, &how);
	ok(cscg_outward(w, &set, &m, &loglik, &err) == 0 && !m,
	    "one landmark of three symbols: too few");
	cscg_walk_free(w);
	cscg_room_free(room);
}

/* A room with one symbol inside: every node is found. */
static void
finds(int rows, int columns, double slip, double eps, double least)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, rows, columns);
	struct walker how = { .n = 20000, .seed = 7 };
	struct cscg_model *m;
	struct cscg_walk *w;
	double loglik, share;
	int v, r, c, found, n = 0;

	for (v = r = 0; r < rows; r++)
		for (c = 0; c < columns; c++, v++)
			room->obs[v] = r && r < rows - 1 && c &&
				c < columns - 1 ?
			    0 :
			    ++n;
	room->n_obs = n + 1;
	need(cscg_room_slip(room, slip, &err) < 0 ? NULL : room);
	w = walk_in(room, &how);
	misread(w, eps, 3);
	n_rounds = 0;
	ok(cscg_outward(w, &set, &m, &loglik, &err) > 0, "%dx%d: a graph",
	    rows, columns);
	share = located(m, w, room->n_nodes, &found);
	ok(found == room->n_nodes && m->n_states <= room->n_nodes * 5 / 4,
	    "%g slips, %g misread: %d states for %d of %d nodes", slip, eps,
	    m->n_states, found, room->n_nodes);
	ok(n_rounds <= 11, "%d rounds for at most four rings of nodes",
	    n_rounds);
	ok(share >= least, "%g of the steps are located", share);
	ok(near(m->misread, eps, .005), "misreading probability %g",
	    m->misread);
	cscg_model_free(m);
	cscg_walk_free(w);
	cscg_room_free(room);
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
	return done();
}
