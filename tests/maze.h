/*
 * maze.h - mazes drawn as text, and whether the states of a graph are the nodes
 * of a walk, for tests of state merging
 */
#ifndef MAZE_H
#define MAZE_H

#include <stdbool.h>

#include "learn/merge.h"
#include "walker.h"

enum { MOST = 96 }; /* nodes of a maze */

/*
 * The neighbour of a cell in a direction, or the same cell if there is a wall.
 */
__attribute__((unused)) static int
step(const char *const *map, int (*number)[MOST], int i, int j, int a)
{
	static const int di[4] = { -1, 1, 0, 0 }, dj[4] = { 0, 0, -1, 1 };
	int p = i + di[a], q = j + dj[a];

	if (p < 0 || !map[p] || q < 0 || !map[p][q] || map[p][q] == '.')
		return number[i][j];
	return number[p][q];
}

/* Up, down, left, right; letters are symbols, dots are walls. */
__attribute__((unused)) static struct cscg_room *
map_room(const char *const *map)
{
	static int number[MOST][MOST];
	int obs[MOST], next[4 * MOST], seen[256] = { 0 };
	int i, j, a, n = 0, n_obs = 0;

	for (i = 0; map[i]; i++)
		for (j = 0; map[i][j]; j++) {
			unsigned char c = (unsigned char)map[i][j];

			if (c == '.')
				continue;
			if (!seen[c])
				seen[c] = ++n_obs;
			obs[n] = seen[c] - 1;
			number[i][j] = n++;
		}
	for (i = 0; map[i]; i++)
		for (j = 0; map[i][j]; j++)
			for (a = 0; map[i][j] != '.' && a < 4; a++)
				next[a * n + number[i][j]] = step(map, number,
				    i, j, a);
	return hand_room(n, 4, n_obs, obs, next);
}

/* Are the states of f the nodes of the walk, one to one? */
__attribute__((unused)) static bool
exact(const struct cscg_merge *f, const struct cscg_walk *w, int n_nodes)
{
	int node[MOST], i;
	long t;

	if (!f || f->n_states != n_nodes || f->assigned < 0.9)
		return false;
	for (i = 0; i < n_nodes; i++)
		node[i] = -1;
	for (t = 0; t < w->n_steps; t++) {
		int s = f->state[t];

		if (s >= 0 && node[s] >= 0 && node[s] != w->z[t])
			return false;
		if (s >= 0)
			node[s] = w->z[t];
	}
	for (i = 1; i < n_nodes; i++)
		for (t = 0; t < i; t++)
			if (node[i] < 0 || node[i] == node[t])
				return false;
	return true;
}

#endif
