/*
 * join.c - rooms side by side as one room
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dict.h"
#include "world/grid.h"
#include "world/join.h"
#include "base/mem.h"
#include "world/parts.h"

/* The rooms, and how their nodes and actions are numbered in the whole. */
struct joining {
	const struct cscg_room *const *room;
	int n;
	int *base;		/* [n + 1] the first node of each part */
	int *action;		/* [n * n_actions] what its actions are called */
	bool *door;		/* [n_actions * all nodes] does a door do it? */
	struct cscg_room *whole;
};

static int
count_nodes(struct joining *job, struct cscg_err *err)
{
	long n = 0;
	int k;

	for (k = 0; k < job->n; k++) {
		job->base[k] = (int)n;
		n += job->room[k]->n_nodes;
		if (n > CSCG_NODE_MAX)
			return cscg_fail(err, CSCG_EMISMATCH, "together they "
			    "have more than %d nodes", CSCG_NODE_MAX);
	}
	job->base[job->n] = (int)n;
	return 0;
}

static int
match_actions(struct joining *job, struct cscg_err *err)
{
	const struct cscg_room *like = job->room[0];
	int k;

	for (k = 0; k < job->n; k++) {
		const struct cscg_room *r = job->room[k];

		if (r->n_actions != like->n_actions)
			return cscg_fail(err, CSCG_EMISMATCH, "room %d has %d "
			    "actions, but room 0 has %d", k, r->n_actions,
			    like->n_actions);
		if (cscg_names_map(&r->actions, r->n_actions, &like->actions,
		    like->n_actions, "action",
		    job->action + (size_t)k * like->n_actions, err) < 0)
			return cscg_fail_at(err, "room %d", k);
	}
	return 0;
}

/* All moves but those that doors take over, then the doors. */
static int
set_edges(struct joining *job, const struct cscg_door *door, long n_doors,
    struct cscg_err *err)
{
	int n_actions = job->room[0]->n_actions, n_nodes = job->base[job->n];
	struct cscg_edge *e;
	long max = n_doors, n = 0, i;
	int k, a, v, rc;

	for (k = 0; k < job->n; k++)
		max += job->room[k]->first[(long)n_actions *
		    job->room[k]->n_nodes];
	e = cscg_alloc(max, sizeof *e, err);
	if (!e)
		return -1;
	for (i = 0; i < n_doors; i++) {
		struct cscg_edge to = { job->action[door[i].part * n_actions +
		    door[i].a], job->base[door[i].part] + door[i].node,
		    job->base[door[i].to_part] + door[i].to, 1 };

		/* Of two doors of one move the first one leads somewhere. */
		if (!job->door[(long)to.a * n_nodes + to.from])
			e[n++] = to;
		job->door[(long)to.a * n_nodes + to.from] = true;
	}
	for (k = 0; k < job->n; k++) {
		const struct cscg_room *r = job->room[k];

		for (a = 0; a < n_actions; a++)
			for (v = 0; v < r->n_nodes; v++) {
				const long *f = r->first +
				    (long)a * r->n_nodes + v;
				int as = job->action[k * n_actions + a];
				int from = job->base[k] + v;

				if (job->door[(long)as * n_nodes + from])
					continue;
				for (i = f[0]; i < f[1]; i++)
					e[n++] = (struct cscg_edge){ as, from,
					    job->base[k] + r->to[i], r->p[i] };
			}
	}
	rc = cscg_room_set_edges(job->whole, e, n, err);
	free(e);
	return rc;
}

static int
set_frontiers(struct joining *job, struct cscg_err *err)
{
	int a, v;

	for (v = 0; v < job->whole->n_nodes; v++)
		for (a = 0; a < job->whole->n_actions; a++)
			if (job->door[(long)a * job->whole->n_nodes + v] &&
			    cscg_room_add_frontier(job->whole, v, a, err) < 0)
				return -1;
	return 0;
}

/* Coordinates, and the grid they all lie in if every room has one. */
static int
set_coords(struct joining *job, const double *offset, struct cscg_err *err)
{
	struct cscg_room *whole = job->whole;
	double rows = 0, cols = 0;
	bool grid = true;
	int k, v;

	for (k = 0; k < job->n; k++)
		if (!job->room[k]->coords)
			return 0;
	whole->coords = cscg_alloc(2 * (size_t)whole->n_nodes,
	    sizeof *whole->coords, err);
	if (!whole->coords)
		return -1;
	for (k = 0; k < job->n; k++) {
		const struct cscg_room *r = job->room[k];
		double *to = whole->coords + 2 * (size_t)job->base[k];
		double dr = offset[2 * k], dc = offset[2 * k + 1];

		for (v = 0; v < r->n_nodes; v++) {
			to[2 * v] = r->coords[2 * v] + dr;
			to[2 * v + 1] = r->coords[2 * v + 1] + dc;
		}
		grid &= r->rows > 0 && dr >= 0 && dc >= 0;
		rows = r->rows + dr > rows ? r->rows + dr : rows;
		cols = r->cols + dc > cols ? r->cols + dc : cols;
	}
	if (grid && rows <= CSCG_NODE_MAX && cols <= CSCG_NODE_MAX) {
		whole->rows = (int)rows;
		whole->cols = (int)cols;
	}
	return 0;
}

static void
set_parts(struct joining *job)
{
	int k, v;

	for (k = 0; k < job->n; k++)
		for (v = job->base[k]; v < job->base[k + 1]; v++)
			job->whole->part[v] = k;
}

/* Symbol 0 for the interiors, from 1 on (from 0 if there is none) for others. */
static int
label_border(struct joining *job, struct cscg_err *err)
{
	int k, v, own = 0, inside = 0;

	for (k = 0; k < job->n; k++) {
		const struct cscg_room *r = job->room[k];
		struct cscg_grid *grid = cscg_grid_from_room(r, NULL, err);
		int *obs = job->whole->obs + job->base[k];

		if (!grid)
			return cscg_fail_at(err, "room %d", k);
		for (v = 0; v < r->n_nodes; v++) {
			bool in = cscg_grid_is_interior(grid,
			    (int)r->coords[2 * v], (int)r->coords[2 * v + 1]);

			obs[v] = in ? -1 : own++;
			inside |= in;
		}
		cscg_grid_free(grid);
	}
	for (v = 0; v < job->whole->n_nodes; v++)
		job->whole->obs[v] = job->whole->obs[v] < 0 ? 0 :
		    job->whole->obs[v] + inside;
	job->whole->n_obs = own + inside;
	return 0;
}

static int
label_distinct(struct joining *job, struct cscg_err *err)
{
	long n = 0;
	int k, v;

	for (k = 0; k < job->n; k++) {
		for (v = 0; v < job->room[k]->n_nodes; v++)
			job->whole->obs[job->base[k] + v] =
			    job->room[k]->obs[v] + (int)n;
		n += job->room[k]->n_obs;
		if (n > CSCG_OBS_MAX)
			return cscg_fail(err, CSCG_EMISMATCH, "together they "
			    "have more than %d symbols", CSCG_OBS_MAX);
	}
	job->whole->n_obs = (int)n;
	return 0;
}

static int
label_shared(struct joining *job, struct cscg_err *err)
{
	struct cscg_dict dict = { .slot = NULL };
	bool named = true;
	int k, v, x, n = 0, rc = 0;

	for (k = 0; k < job->n; k++) {
		named &= job->room[k]->symbols.n > 0;
		n = job->room[k]->n_obs > n ? job->room[k]->n_obs : n;
	}
	for (k = 0; named && rc >= 0 && k < job->n; k++)
		for (x = 0; rc >= 0 && x < job->room[k]->n_obs; x++)
			rc = cscg_dict_add(&dict, job->room[k]->symbols.v[x],
			    err);
	for (k = 0; rc >= 0 && k < job->n; k++)
		for (v = 0; v < job->room[k]->n_nodes; v++) {
			x = job->room[k]->obs[v];
			job->whole->obs[job->base[k] + v] = !named ? x :
			    cscg_dict_find(&dict, job->room[k]->symbols.v[x]);
		}
	job->whole->n_obs = named ? dict.names.n : n;
	if (named && rc >= 0)
		rc = cscg_names_copy(&job->whole->symbols, &dict.names, err);
	cscg_dict_free(&dict);
	return rc < 0 ? -1 : 0;
}

static int
assign_symbols(struct joining *job, enum cscg_compose_symbols symbols, struct cscg_err *err)
{
	switch (symbols) {
	case CSCG_COMPOSE_BORDER:
		return label_border(job, err);
	case CSCG_COMPOSE_DISTINCT:
		return label_distinct(job, err);
	case CSCG_COMPOSE_SHARED:
		break;
	}
	return label_shared(job, err);
}

static int
init_joining(struct joining *job, struct cscg_err *err)
{
	int n_actions = job->room[0]->n_actions;

	job->base = cscg_alloc((size_t)job->n + 1, sizeof *job->base, err);
	job->action = cscg_alloc((size_t)job->n * n_actions,
	    sizeof *job->action, err);
	if (!job->base || !job->action || count_nodes(job, err) < 0 ||
	    match_actions(job, err) < 0)
		return -1;
	job->door = cscg_alloc((size_t)n_actions * job->base[job->n],
	    sizeof *job->door, err);
	job->whole = job->door ? cscg_room_new(job->base[job->n], n_actions, 1,
	    err) : NULL;
	if (!job->whole)
		return -1;
	if (cscg_names_copy(&job->whole->actions, &job->room[0]->actions,
	    err) < 0)
		return -1;
	return cscg_room_init_parts(job->whole, job->room, job->n, err);
}

struct cscg_room *
cscg_compose_join(const struct cscg_room *const *room, int n, const double *offset,
    const struct cscg_door *door, long n_doors,
    enum cscg_compose_symbols symbols, struct cscg_err *err)
{
	struct joining job = { .room = room, .n = n };
	int rc = -1;

	if (init_joining(&job, err) < 0 || set_edges(&job, door, n_doors, err) < 0 ||
	    set_frontiers(&job, err) < 0 || set_coords(&job, offset, err) < 0 ||
	    assign_symbols(&job, symbols, err) < 0)
		goto out;
	set_parts(&job);
	rc = 0;
out:
	free(job.base);
	free(job.action);
	free(job.door);
	if (rc < 0) {
		cscg_room_free(job.whole);
		job.whole = NULL;
	}
	return job.whole;
}
