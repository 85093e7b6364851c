/*
 * map.c - what a planner may use of a model
 *
 * The search for a plan runs backwards from the goal, so the ways are kept by
 * where they lead, too.
 */
#include <stdlib.h>

#include "kernel/map.h"
#include "base/mem.h"

static double
largest_share(const struct cscg_model *m)
{
	long rows = (long)m->n_actions * m->n_states, r, i;
	double most = 0, sum;

	for (r = 0; r < rows; r++) {
		sum = cscg_model_row(m, (int)(r / m->n_states),
		    (int)(r % m->n_states));
		for (i = m->first[r]; i < m->first[r + 1]; i++)
			if (m->count[i] / sum > most)
				most = m->count[i] / sum;
	}
	return most;
}

/* Row (a, j) of the shares behind place at, with s on the diagonal. */
static long
fill_row(struct cscg_map *map, const struct cscg_model *m, int a, int j,
    double s, long at)
{
	long r = (long)a * m->n_states + j, i = m->first[r];
	double sum = cscg_model_row(m, a, j);
	bool stays = s <= 0 || i == m->first[r + 1];

	for (; i < m->first[r + 1]; i++) {
		double share = m->count[i] / sum;

		if (!stays && m->to[i] >= j) {
			stays = true;
			if (m->to[i] > j) {
				map->to[at] = j;
				map->p[at++] = s / (1 + s);
			} else {
				share += s;
			}
		}
		map->to[at] = m->to[i];
		map->p[at++] = share / (1 + (s > 0 ? s : 0));
	}
	if (!stays) {
		map->to[at] = j;
		map->p[at++] = s / (1 + s);
	}
	return at;
}

static void
fill_in(struct cscg_map *map)
{
	long rows = (long)map->n_actions * map->n_states, r, i;
	long *first = map->in_first;
	int k;

	for (i = 0; i < map->first[rows]; i++)
		first[map->to[i] + 1]++;
	for (k = 0; k < map->n_states; k++)
		first[k + 1] += first[k];
	for (r = 0; r < rows; r++)
		for (i = map->first[r]; i < map->first[r + 1]; i++)
			map->in[first[map->to[i]]++] = (struct cscg_entry){
			    (int)(r % map->n_states), (int)(r / map->n_states),
			    map->p[i] };
	/* Filling moved each start to the next one's. */
	for (k = map->n_states; k > 0; k--)
		first[k] = first[k - 1];
	first[0] = 0;
}

struct cscg_map *
cscg_map_new(const struct cscg_model *m, double lambda, struct cscg_err *err)
{
	size_t rows = (size_t)m->n_actions * (size_t)m->n_states, most, r;
	struct cscg_map *map = cscg_alloc(1, sizeof *map, err);
	double s = lambda > 0 ? lambda * largest_share(m) : 0;

	if (!map)
		return NULL;
	map->n_states = m->n_states;
	map->n_actions = m->n_actions;
	most = (size_t)m->first[rows] + (s > 0 ? rows : 0);
	map->first = cscg_alloc(rows + 1, sizeof *map->first, err);
	map->to = cscg_alloc(most, sizeof *map->to, err);
	map->p = cscg_alloc(most, sizeof *map->p, err);
	map->in_first = cscg_alloc((size_t)m->n_states + 1,
	    sizeof *map->in_first, err);
	map->in = cscg_alloc(most, sizeof *map->in, err);
	if (!map->first || !map->to || !map->p || !map->in_first ||
	    !map->in) {
		cscg_map_free(map);
		return NULL;
	}
	for (r = 0; r < rows; r++)
		map->first[r + 1] = fill_row(map, m,
		    (int)(r / (size_t)m->n_states),
		    (int)(r % (size_t)m->n_states), s, map->first[r]);
	fill_in(map);
	return map;
}

void
cscg_map_free(struct cscg_map *map)
{
	if (!map)
		return;
	free(map->first);
	free(map->to);
	free(map->p);
	free(map->in_first);
	free(map->in);
	free(map);
}

int
cscg_map_next(const struct cscg_map *map, int a, int j)
{
	long r = (long)a * map->n_states + j, i, best = map->first[r];

	if (best == map->first[r + 1])
		return -1;
	for (i = best + 1; i < map->first[r + 1]; i++)
		if (map->p[i] > map->p[best])
			best = i;
	return map->to[best];
}

/* max(T), with the pseudocount in it as T has it. */
static double
largest_T(const struct cscg_model *m)
{
	long rows = (long)m->n_actions * m->n_states, r, i;
	double p = m->pseudocount, most = 1.0 / m->n_states, norm;

	/* A row without counts is uniform. */
	for (r = 0; r < rows; r++) {
		norm = cscg_model_row(m, (int)(r / m->n_states),
		    (int)(r % m->n_states)) + p * m->n_states;
		for (i = m->first[r]; i < m->first[r + 1]; i++)
			if ((m->count[i] + p) / norm > most)
				most = (m->count[i] + p) / norm;
	}
	return most;
}

/*
 * T' = (C + p + s * norm on the diagonal) / (norm * (1 + s)): the counts added
 * to the diagonal are s * norm, and the new norm is that of the sum.
 */
struct cscg_model *
cscg_map_smooth(const struct cscg_model *m, double lambda,
    struct cscg_err *err)
{
	long rows = (long)m->n_actions * m->n_states, n = m->first[rows], r, i;
	struct cscg_count *c = cscg_alloc((size_t)(n + rows), sizeof *c, err);
	struct cscg_model *smooth = c ? cscg_model_copy(m, err) : NULL;
	double s = lambda * largest_T(m), add;
	long at = 0;

	if (!smooth)
		goto out;
	for (r = 0; r < rows; r++) {
		int a = (int)(r / m->n_states), j = (int)(r % m->n_states);

		for (i = m->first[r]; i < m->first[r + 1]; i++)
			c[at++] = (struct cscg_count){ a, j, m->to[i],
			    m->count[i] };
		add = s * (cscg_model_row(m, a, j) +
		    m->pseudocount * m->n_states);
		if (add > 0)
			c[at++] = (struct cscg_count){ a, j, j, add };
	}
	if (cscg_model_set_counts(smooth, c, at, err) < 0) {
		cscg_model_free(smooth);
		smooth = NULL;
	}
out:
	free(c);
	return smooth;
}
