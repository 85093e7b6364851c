/*
 * walker.h - small worlds and walks in them, for tests in C
 *
 * Every function ends the program if it fails: these tests are not about lack of
 * memory.
 */
#ifndef WALKER_H
#define WALKER_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world/grid.h"
#include "base/rng.h"
#include "world/room.h"
#include "core/walk.h"
#include "need.h"
#include "walk_check.h"

__attribute__((unused)) static struct cscg_room *
shape_room(enum cscg_shape_kind kind, int rows, int cols)
{
	struct cscg_shape s = { .kind = kind,
		.rows = rows,
		.cols = cols,
		.hole_row = -1,
		.hole_col = -1 };
	struct cscg_grid *g;
	struct cscg_room *room;

	need(cscg_shape_resolve(&s, &err) < 0 ? NULL : &s);
	g = need(cscg_shape_grid(&s, &err));
	room = need(cscg_grid_to_room(g, false, &err));
	cscg_grid_free(g);
	return room;
}

/* A rectangle with k random symbols. */
__attribute__((unused)) static struct cscg_room *
random_symbols(int rows, int cols, int k)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, rows, cols);
	struct cscg_rng rng;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 1);
	cscg_room_label_random(room, k, &rng);
	return room;
}

/* The room of rows of '#' (a cell) and '.', each ended by a slash or the end. */
__attribute__((unused)) static struct cscg_room *
rows_room(const char *map)
{
	int cols = (int)strcspn(map, "/");
	int rows = ((int)strlen(map) + 1) / (cols + 1), r;
	struct cscg_grid *grid = need(cscg_grid_new(rows, cols, false, &err));
	struct cscg_room *room;

	for (r = 0; r < rows; r++)
		memcpy(grid->cell + r * cols, map + r * (cols + 1),
		    (size_t)cols);
	room = need(cscg_grid_to_room(grid, false, &err));
	cscg_grid_free(grid);
	return room;
}

/* The exact model of a rectangle in which every cell has its own symbol. */
__attribute__((unused)) static struct cscg_model *
grid_model(int rows, int cols)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, rows, cols);
	struct cscg_model *m;

	cscg_room_label_unique(room);
	m = need(cscg_room_model(room, 100, 1e-4, NULL, &err));
	cscg_room_free(room);
	return m;
}

/* Node v emits symbol obs[v], and action a leads from it to next[a * n + v]. */
__attribute__((unused)) static struct cscg_room *
hand_room(int n, int n_actions, int n_obs, const int *obs, const int *next)
{
	struct cscg_room *room = need(cscg_room_new(n, n_actions, n_obs,
	    &err));
	struct cscg_edge *e = need(calloc((size_t)(n * n_actions), sizeof *e));
	int i;

	for (i = 0; i < n; i++)
		room->obs[i] = obs[i];
	for (i = 0; i < n * n_actions; i++)
		e[i] = (struct cscg_edge){ i / n, i % n, next[i], 1 };
	need(cscg_room_set_edges(room, e, (long)n * n_actions, &err) < 0 ||
		    cscg_room_check(room, &err) < 0 ?
		NULL :
		room);
	free(e);
	return room;
}

struct walker {
	long n;       /* steps of an episode */
	int episodes; /* number of episodes; 0: one */
	double dropout,
	    reset;   /* probability of a dropout and of a reset at each step */
	double slip; /* probability that an action changes nothing */
	int run;     /* an action is repeated up to run - 1 times;
	                          0: never */
	int bias;    /* how many times likelier the first action is; 0: not */
	uint64_t seed;
};

/* Random actions in room, with the true nodes. */
__attribute__((unused)) static struct cscg_walk *
walk_in(const struct cscg_room *room, const struct walker *how)
{
	struct cscg_walk_header head = { .n_actions = room->n_actions,
		.n_obs = room->n_obs };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	int e, episodes = how->episodes ? how->episodes : 1, left = 0;
	int more = how->bias ? how->bias - 1 : 0;
	struct cscg_rng rng;
	long t;

	for (e = 0; e < episodes; e++) {
		struct cscg_step s = { .goal = -1, .r = NAN };

		cscg_rng_seed(&rng, how->seed, CSCG_RNG_TEST, (uint64_t)e, 7);
		s.z = (int)cscg_rng_below(&rng, room->n_nodes);
		for (t = 0; t < how->n; t++) {
			s.x = cscg_rng_uniform(&rng) < how->dropout ?
			    -1 :
			    room->obs[s.z];
			if (left-- <= 0) {
				s.a = (int)cscg_rng_below(&rng,
				    room->n_actions + more);
				s.a = s.a < more ? 0 : s.a - more;
				left = how->run ? 1 +
					(int)cscg_rng_below(&rng,
					    how->run - 1) :
						  0;
			}
			if (t + 1 == how->n) {
				s.a = -1;
				left = 0;
			}
			need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
			s.reset = cscg_rng_uniform(&rng) < how->reset;
			if (s.a < 0)
				continue;
			if (how->slip > 0 && !s.reset &&
			    cscg_rng_uniform(&rng) < how->slip)
				continue;
			s.z = s.reset ?
			    (int)cscg_rng_below(&rng, room->n_nodes) :
			    cscg_room_step(room, s.z, s.a, &rng);
		}
	}
	need(walk_is_valid(w) ? w : NULL);
	return w;
}

/* A walk of one episode out of n symbols and n - 1 actions. */
__attribute__((unused)) static struct cscg_walk *
hand_walk(int n_actions, int n_obs, int n, const int *x, const int *a)
{
	struct cscg_walk_header head = { .n_actions = n_actions,
		.n_obs = n_obs };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	int t;

	for (t = 0; t < n; t++) {
		struct cscg_step s = {
			.x = x[t], .z = -1, .goal = -1, .r = NAN
		};

		s.a = t + 1 < n ? a[t] : -1;
		need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
	}
	need(walk_is_valid(w) ? w : NULL);
	return w;
}

#endif
