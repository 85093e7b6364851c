/*
 * room.c - rooms: labelled transition graphs with coordinates and slip noise,
 * and their exact models
 *
 * The edges of an (action, node) pair are contiguous, so a step reads few cache
 * lines; a deterministic transition draws no random number.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/graph.h"
#include "core/model.h"
#include "core/model_npy.h"
#include "world/room.h"
#include "world/voxel.h"

/* a room composed of others */

/* Add name, or the first of name-2, name-3, ... that is unused. */
static int
add_name(struct cscg_names *parts, const char *name, struct cscg_err *err)
{
	size_t size = strlen(name) + 16;
	char *text = cscg_alloc(size, 1, err);
	int i, rc;

	if (!text)
		return -1;
	snprintf(text, size, "%s", name);
	for (i = 2; cscg_names_find(parts, text) >= 0; i++)
		snprintf(text, size, "%s-%d", name, i);
	rc = cscg_names_add(parts, text, err);
	free(text);
	return rc;
}

int
cscg_room_init_parts(struct cscg_room *whole,
    const struct cscg_room *const *from, int n, struct cscg_err *err)
{
	int i;

	whole->part = cscg_alloc(whole->n_nodes, sizeof *whole->part, err);
	if (!whole->part)
		return -1;
	for (i = 0; i < n; i++)
		if (add_name(&whole->parts,
			from[i]->name ? from[i]->name : "part", err) < 0 ||
		    cscg_history_join(&whole->history, &from[i]->history,
			err) < 0)
			return -1;
	return 0;
}

int
cscg_room_part_size(const struct cscg_room *whole, int k)
{
	int v, n = 0;

	for (v = 0; whole->part && v < whole->n_nodes; v++)
		n += whole->part[v] == k;
	return n;
}

struct cscg_room *
cscg_room_new(int n_nodes, int n_actions, int n_obs, struct cscg_err *err)
{
	struct cscg_room *room = cscg_alloc(1, sizeof *room, err);

	if (!room)
		return NULL;
	room->n_nodes = n_nodes;
	room->n_actions = n_actions;
	room->n_obs = n_obs;
	room->obs = cscg_alloc(n_nodes, sizeof *room->obs, err);
	if (!room->obs) {
		cscg_room_free(room);
		return NULL;
	}
	return room;
}

void
cscg_room_free(struct cscg_room *room)
{
	if (!room)
		return;
	free(room->name);
	free(room->obs);
	free(room->first);
	free(room->to);
	free(room->p);
	free(room->coords);
	free(room->part);
	free(room->frontier);
	cscg_voxel_free(room->voxel);
	cscg_names_free(&room->parts);
	cscg_names_free(&room->actions);
	cscg_names_free(&room->symbols);
	cscg_history_free(&room->history);
	free(room);
}

static int
by_target(const void *a, const void *b)
{
	const struct cscg_edge *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return (x->p < y->p) - (x->p > y->p);
}

/* Sort each list by target and add up equal targets; e is grouped by list. */
static void
merge_equal_edges(struct cscg_edge *e, long *first, long n_lists)
{
	long i, l, n = 0, from = 0, to;

	for (l = 0; l < n_lists; l++) {
		to = first[l + 1];
		if (to - from > 1)
			qsort(e + from, to - from, sizeof *e, by_target);
		first[l] = n;
		for (i = from; i < to; i++)
			if (n > first[l] && e[n - 1].to == e[i].to)
				e[n - 1].p += e[i].p;
			else
				e[n++] = e[i];
		from = to;
	}
	first[n_lists] = n;
}

int
cscg_room_set_edges(struct cscg_room *room, const struct cscg_edge *e, long n,
    struct cscg_err *err)
{
	long n_lists = (long)room->n_actions * room->n_nodes, i, l;
	struct cscg_edge *sorted = NULL;
	long *first = NULL, *at = NULL;
	int *to = NULL;
	double *p = NULL;
	int rc = -1;

	first = cscg_alloc(n_lists + 1, sizeof *first, err);
	at = first ? cscg_alloc(n_lists + 1, sizeof *at, err) : NULL;
	sorted = at ? cscg_alloc(n, sizeof *sorted, err) : NULL;
	if (!sorted)
		goto out;
	for (i = 0; i < n; i++)
		first[(long)e[i].a * room->n_nodes + e[i].from + 1]++;
	for (l = 0; l < n_lists; l++)
		at[l + 1] = first[l + 1] += first[l];
	for (i = 0; i < n; i++)
		sorted[at[(long)e[i].a * room->n_nodes + e[i].from]++] = e[i];
	merge_equal_edges(sorted, first, n_lists);

	to = cscg_alloc(first[n_lists], sizeof *to, err);
	p = to ? cscg_alloc(first[n_lists], sizeof *p, err) : NULL;
	if (!p)
		goto out;
	for (i = 0; i < first[n_lists]; i++) {
		to[i] = sorted[i].to;
		p[i] = sorted[i].p;
	}
	free(room->first);
	free(room->to);
	free(room->p);
	room->first = first;
	room->to = to;
	room->p = p;
	first = NULL, to = NULL, p = NULL;
	rc = 0;
out:
	free(first);
	free(at);
	free(sorted);
	free(to);
	free(p);
	return rc;
}

/* Check the list of action a at node v: its targets and probabilities. */
static int
check_list(const struct cscg_room *room, int a, int v, struct cscg_err *err)
{
	long l = (long)a * room->n_nodes + v, i;
	long from = room->first[l], to = room->first[l + 1];
	double sum = 0;

	if (to <= from)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/next/%d/%d: at least one target is needed", a, v);
	for (i = from; i < to; i++) {
		if (room->to[i] < 0 || room->to[i] >= room->n_nodes)
			return cscg_fail(err, CSCG_ERANGE,
			    "/next/%d/%d: target %d is outside 0..%d", a, v,
			    room->to[i], room->n_nodes - 1);
		if (i > from && room->to[i] <= room->to[i - 1])
			return cscg_fail(err, CSCG_EFORMAT,
			    "/next/%d/%d: targets must ascend, but %d follows "
			    "%d",
			    a, v, room->to[i], room->to[i - 1]);
		if (!(room->p[i] > 0) || room->p[i] > 1 + 1e-9)
			return cscg_fail(err, CSCG_ERANGE,
			    "/next/%d/%d: probability %.9g is not above 0 and "
			    "at most 1",
			    a, v, room->p[i]);
		sum += room->p[i];
	}
	if (!(fabs(sum - 1) <= 1e-9))
		return cscg_fail(err, CSCG_ERANGE,
		    "/next/%d/%d: probabilities sum to %.12g, not 1", a, v,
		    sum);
	return 0;
}

static int
check_names(const struct cscg_names *names, int n, const char *what,
    struct cscg_err *err)
{
	if (names->n && names->n != n)
		return cscg_fail(err, CSCG_EFORMAT, "/%s: %d names for %d",
		    what, names->n, n);
	return 0;
}

static int
check_parts(const struct cscg_room *room, struct cscg_err *err)
{
	int v;

	if (!room->part != !room->parts.n)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/part: part and parts require each other");
	for (v = 0; room->part && v < room->n_nodes; v++)
		if (room->part[v] < -1 || room->part[v] >= room->parts.n)
			return cscg_fail(err, CSCG_ERANGE,
			    "/part/%d: %d is outside -1..%d", v, room->part[v],
			    room->parts.n - 1);
	return 0;
}

int
cscg_room_check(const struct cscg_room *room, struct cscg_err *err)
{
	int a, v;

	if (room->n_nodes < 1 || room->n_actions < 1 || room->n_obs < 1)
		return cscg_fail(err, CSCG_ERANGE,
		    "a room needs a node, an action and a symbol");
	if (!room->first)
		return cscg_fail(err, CSCG_EFORMAT, "a room needs edges");
	for (v = 0; v < room->n_nodes; v++)
		if (room->obs[v] < 0 || room->obs[v] >= room->n_obs)
			return cscg_fail(err, CSCG_ERANGE,
			    "/obs/%d: symbol %d is outside 0..%d", v,
			    room->obs[v], room->n_obs - 1);
	for (a = 0; a < room->n_actions; a++)
		for (v = 0; v < room->n_nodes; v++)
			if (check_list(room, a, v, err) < 0)
				return -1;
	if (check_names(&room->actions, room->n_actions, "actions", err) < 0 ||
	    check_parts(room, err) < 0 ||
	    cscg_frontiers_check(room->frontier, room->n_frontiers, "node",
		room->n_nodes, room->n_actions, err) < 0)
		return -1;
	return check_names(&room->symbols, room->n_obs, "symbols", err);
}

int
cscg_room_step(const struct cscg_room *room, int node, int a,
    struct cscg_rng *rng)
{
	long l = (long)a * room->n_nodes + node;
	long i = room->first[l], last = room->first[l + 1] - 1;
	double u;

	if (i == last)
		return room->to[i];
	for (u = cscg_rng_uniform(rng); i < last; i++) {
		u -= room->p[i];
		if (u < 0)
			break;
	}
	return room->to[i];
}

int
cscg_room_add_frontier(struct cscg_room *room, int node, int a,
    struct cscg_err *err)
{
	struct cscg_frontier it = { node, a }, *f;
	long n = room->n_frontiers, i = n;

	while (i > 0 && cscg_frontier_compare(room->frontier + i - 1, &it) > 0)
		i--;
	if (i > 0 && cscg_frontier_compare(room->frontier + i - 1, &it) == 0)
		return 0;
	f = realloc(room->frontier, (size_t)(n + 1) * sizeof *f);
	if (!f)
		return cscg_fail(err, CSCG_ENOMEM, "out of memory");
	memmove(f + i + 1, f + i, (size_t)(n - i) * sizeof *f);
	f[i] = it;
	room->frontier = f;
	room->n_frontiers = n + 1;
	return 0;
}

int
cscg_room_successor(const struct cscg_room *room, int a, int v)
{
	const long *first = room->first + (long)a * room->n_nodes + v;

	return first[1] - first[0] == 1 ? room->to[first[0]] : -1;
}

/* Symbol s becomes map[s], together with its name. */
static int
rename_symbols(struct cscg_room *room, const int *map, struct cscg_err *err)
{
	char **v;
	int i;

	if (room->symbols.n) {
		v = cscg_alloc(room->n_obs, sizeof *v, err);
		if (!v)
			return -1;
		for (i = 0; i < room->n_obs; i++)
			v[map[i]] = room->symbols.v[i];
		memcpy(room->symbols.v, v, room->n_obs * sizeof *v);
		free(v);
	}
	for (i = 0; i < room->n_nodes; i++)
		room->obs[i] = map[room->obs[i]];
	return 0;
}

int
cscg_room_permute(struct cscg_room *room, struct cscg_rng *rng,
    struct cscg_err *err)
{
	int *map = cscg_alloc(room->n_obs, sizeof *map, err);
	int i, rc;

	if (!map)
		return -1;
	for (i = 0; i < room->n_obs; i++)
		map[i] = i;
	cscg_rng_shuffle(rng, map, room->n_obs);
	rc = rename_symbols(room, map, err);
	free(map);
	return rc;
}

void
cscg_room_label_unique(struct cscg_room *room)
{
	int v;

	for (v = 0; v < room->n_nodes; v++)
		room->obs[v] = v;
	room->n_obs = room->n_nodes;
	cscg_names_free(&room->symbols);
}

int
cscg_room_label_walls(struct cscg_room *room, struct cscg_err *err)
{
	const int most = 10; /* actions: CSCG_OBS_MAX allows for more */
	int v, a;

	if (room->n_actions > most)
		return cscg_fail(err, CSCG_ERANGE,
		    "wall patterns of %d actions: at most %d", room->n_actions,
		    most);
	for (v = 0; v < room->n_nodes; v++)
		for (room->obs[v] = 0, a = 0; a < room->n_actions; a++)
			room->obs[v] |= (cscg_room_successor(room, a, v) == v)
			    << a;
	room->n_obs = 1 << room->n_actions;
	cscg_names_free(&room->symbols);
	return 0;
}

void
cscg_room_label_random(struct cscg_room *room, int k, struct cscg_rng *rng)
{
	int v;

	for (v = 0; v < room->n_nodes; v++)
		room->obs[v] = (int)cscg_rng_below(rng, k);
	room->n_obs = k;
	cscg_names_free(&room->symbols);
}

/*
 * Copy all edges, with action a as map[a]; the array holds first[last] edges.
 */
static struct cscg_edge *
edges(const struct cscg_room *room, const int *map, struct cscg_err *err)
{
	long n = room->first[(long)room->n_actions * room->n_nodes], i;
	struct cscg_edge *e = cscg_alloc(n, sizeof *e, err), *next = e;
	int a, v;

	if (!e)
		return NULL;
	for (a = 0; a < room->n_actions; a++)
		for (v = 0; v < room->n_nodes; v++) {
			const long *f = room->first + (long)a * room->n_nodes +
			    v;

			for (i = f[0]; i < f[1]; i++, next++) {
				next->a = map[a];
				next->from = v;
				next->to = room->to[i];
				next->p = room->p[i];
			}
		}
	return e;
}

static int
align_actions(struct cscg_room *room, const struct cscg_room *like, int *map,
    struct cscg_err *err)
{
	long n = room->first[(long)room->n_actions * room->n_nodes], i;
	struct cscg_edge *e;
	int a, rc;

	for (a = 0; a < room->n_actions && map[a] == a; a++)
		;
	if (a == room->n_actions)
		return 0;
	e = edges(room, map, err);
	if (!e)
		return -1;
	rc = cscg_room_set_edges(room, e, n, err);
	free(e);
	if (rc < 0)
		return -1;
	for (i = 0; i < room->n_frontiers; i++)
		room->frontier[i].a = map[room->frontier[i].a];
	if (room->n_frontiers)
		qsort(room->frontier, room->n_frontiers,
		    sizeof *room->frontier, cscg_frontier_compare);
	cscg_names_free(&room->actions);
	return cscg_names_copy(&room->actions, &like->actions, err);
}

int
cscg_room_align(struct cscg_room *room, const struct cscg_room *like,
    struct cscg_err *err)
{
	int *acts = NULL, *syms = NULL;
	int rc = -1;

	if (room->n_actions != like->n_actions)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "%d actions, but the first room has %d", room->n_actions,
		    like->n_actions);
	if (room->n_obs != like->n_obs)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "%d symbols, but the first room has %d", room->n_obs,
		    like->n_obs);
	acts = cscg_alloc(room->n_actions, sizeof *acts, err);
	syms = acts ? cscg_alloc(room->n_obs, sizeof *syms, err) : NULL;
	if (!syms)
		goto out;
	if (cscg_names_map(&room->actions, room->n_actions, &like->actions,
		like->n_actions, "action", acts, err) < 0 ||
	    cscg_names_map(&room->symbols, room->n_obs, &like->symbols,
		like->n_obs, "symbol", syms, err) < 0)
		goto out;
	if (align_actions(room, like, acts, err) < 0)
		goto out;
	rc = rename_symbols(room, syms, err);
out:
	free(acts);
	free(syms);
	return rc;
}

/* Append the edges of one list, times w, to action a; returns their number. */
static long
append_scaled_edges(const struct cscg_room *room, int v, int from, int a,
    double w, struct cscg_edge *e)
{
	long l = (long)from * room->n_nodes + v, i, n = 0;

	for (i = room->first[l]; i < room->first[l + 1]; i++)
		e[n++] = (struct cscg_edge){ a, v, room->to[i],
			w * room->p[i] };
	return n;
}

/* Rounding must not make a deterministic transition stochastic. */
static void
snap_deterministic(struct cscg_room *room)
{
	long n_lists = (long)room->n_actions * room->n_nodes, l;

	for (l = 0; l < n_lists; l++)
		if (room->first[l + 1] - room->first[l] == 1)
			room->p[room->first[l]] = 1;
}

int
cscg_room_slip(struct cscg_room *room, double p, struct cscg_err *err)
{
	static const char *const words[] = { "up", "down", "left", "right" };
	long n_all = room->first[(long)room->n_actions * room->n_nodes], n = 0;
	struct cscg_edge *e;
	int act[4], i, v, rc;

	for (i = 0; i < 4; i++) {
		act[i] = cscg_names_find(&room->actions, words[i]);
		if (act[i] < 0 || room->n_actions != 4)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "slips need the actions up, down, left and right");
	}
	if (p <= 0)
		return 0;
	/*
	 * Every list contributes to its own action, to two others, and to
	 * staying.
	 */
	e = cscg_alloc(3 * n_all + 4L * room->n_nodes, sizeof *e, err);
	if (!e)
		return -1;
	for (i = 0; i < 4; i++) {
		int side = act[i < 2 ? 2 : 0], other = act[i < 2 ? 3 : 1];

		for (v = 0; v < room->n_nodes; v++) {
			if (p < 1)
				n += append_scaled_edges(room, v, act[i],
				    act[i], 1 - p, e + n);
			n += append_scaled_edges(room, v, side, act[i], p / 3,
			    e + n);
			n += append_scaled_edges(room, v, other, act[i], p / 3,
			    e + n);
			e[n++] = (struct cscg_edge){ act[i], v, v, p / 3 };
		}
	}
	rc = cscg_room_set_edges(room, e, n, err);
	free(e);
	if (rc == 0)
		snap_deterministic(room);
	return rc;
}

/*
 * a room as a model, as a graph and as dense matrices
 */

/* order: the nodes by symbol, equal ones by number; at has n_obs + 1 items. */
static void
sort_by_symbol(const struct cscg_room *room, int *at, int *order)
{
	int v;

	for (v = 0; v < room->n_nodes; v++)
		at[room->obs[v] + 1]++;
	for (v = 0; v < room->n_obs; v++)
		at[v + 1] += at[v];
	for (v = 0; v < room->n_nodes; v++)
		order[at[room->obs[v]]++] = v;
}

static int
model_counts(struct cscg_model *m, const struct cscg_room *room,
    const int *order, double count, struct cscg_err *err)
{
	long n = room->first[(long)room->n_actions * room->n_nodes], k = 0, i;
	struct cscg_count *c = cscg_alloc(n, sizeof *c, err);
	int *state = c ? cscg_alloc(room->n_nodes, sizeof *state, err) : NULL;
	int a, j, rc = -1;

	if (!state)
		goto out;
	for (j = 0; j < room->n_nodes; j++)
		state[order[j]] = j;
	for (a = 0; a < room->n_actions; a++)
		for (j = 0; j < room->n_nodes; j++) {
			const long *f = room->first + (long)a * room->n_nodes +
			    order[j];

			for (i = f[0]; i < f[1]; i++)
				c[k++] = (struct cscg_count){ a, j,
					state[room->to[i]],
					count * room->p[i] };
		}
	rc = cscg_model_set_counts(m, c, n, err);
out:
	free(state);
	free(c);
	return rc;
}

static int
model_coords(struct cscg_model *m, const struct cscg_room *room,
    const int *order, struct cscg_err *err)
{
	int j;

	if (!room->coords)
		return 0;
	m->coords = cscg_alloc(2 * (size_t)m->n_states, sizeof *m->coords,
	    err);
	if (!m->coords)
		return -1;
	for (j = 0; j < m->n_states; j++) {
		m->coords[2 * j] = room->coords[2 * order[j]];
		m->coords[2 * j + 1] = room->coords[2 * order[j] + 1];
	}
	return 0;
}

/*
 * Frontiers.  In a 3D room one leaves facing outward and enters facing inward,
 * so entries are the same positions with the opposite heading.
 */
static int
model_frontiers(struct cscg_model *m, const struct cscg_room *room,
    const int *order, struct cscg_err *err)
{
	struct cscg_frontier *f = cscg_alloc(room->n_frontiers, sizeof *f,
	    err);
	int *state = f ? cscg_alloc(room->n_nodes, sizeof *state, err) : NULL;
	int *in = state ? cscg_alloc(room->n_frontiers, sizeof *in, err) :
			  NULL;
	int j, rc = -1;
	long i;

	if (!in)
		goto out;
	for (j = 0; j < room->n_nodes; j++)
		state[order[j]] = j;
	for (i = 0; i < room->n_frontiers; i++) {
		int v = room->frontier[i].state;
		int h = v % CSCG_HEADINGS;

		f[i] = (struct cscg_frontier){ state[v], room->frontier[i].a };
		in[i] = state[!room->voxel ?
			v :
			v - h + (h + CSCG_HEADINGS / 2) % CSCG_HEADINGS];
	}
	rc = cscg_model_set_frontiers(m, f, room->n_frontiers, err);
	if (rc == 0 && room->voxel)
		rc = cscg_model_set_entries(m, in, room->n_frontiers, err);
out:
	free(state);
	free(in);
	free(f);
	return rc;
}

struct cscg_model *
cscg_room_model(const struct cscg_room *room, double count, double pseudocount,
    int *node_of, struct cscg_err *err)
{
	struct cscg_model *m = NULL;
	int *at = NULL, *order = NULL;
	int j, rc = -1;

	at = cscg_alloc((size_t)room->n_obs + 1, sizeof *at, err);
	order = at ? cscg_alloc(room->n_nodes, sizeof *order, err) : NULL;
	if (!order)
		goto out;
	sort_by_symbol(room, at, order);
	m = cscg_model_new(CSCG_GROUNDED, room->n_nodes, room->n_actions,
	    room->n_obs, err);
	if (!m)
		goto out;
	m->pseudocount = pseudocount;
	for (j = 0; j < room->n_nodes; j++)
		m->clone[j] = room->obs[order[j]];
	if (model_counts(m, room, order, count, err) < 0 ||
	    model_coords(m, room, order, err) < 0 ||
	    model_frontiers(m, room, order, err) < 0 ||
	    cscg_names_copy(&m->actions, &room->actions, err) < 0 ||
	    cscg_names_copy(&m->symbols, &room->symbols, err) < 0 ||
	    cscg_history_copy(&m->history, &room->history, err) < 0)
		goto out;
	if (node_of)
		memcpy(node_of, order, room->n_nodes * sizeof *order);
	rc = 0;
out:
	free(at);
	free(order);
	if (rc < 0) {
		cscg_model_free(m);
		m = NULL;
	}
	return m;
}

struct cscg_graph *
cscg_graph_of_room(const struct cscg_room *room, double min_share,
    struct cscg_err *err)
{
	long rows = (long)room->n_actions * room->n_nodes, row, i, n = 0;
	struct cscg_graph *g;

	g = cscg_graph_new(room->n_nodes, room->n_actions, room->first[rows],
	    true, false, err);
	if (!g)
		return NULL;
	for (row = 0; row < rows; row++) {
		for (i = room->first[row]; i < room->first[row + 1]; i++) {
			if (room->p[i] < min_share)
				continue;
			g->to[n] = room->to[i];
			g->share[n] = g->p[n] = room->p[i];
			n++;
		}
		g->first[row + 1] = n;
	}
	memcpy(g->label, room->obs, room->n_nodes * sizeof(*g->label));
	g->n_labels = room->n_obs;
	g->grounded = true;
	g->part = room->part;
	g->coords = room->coords;
	g->actions = &room->actions;
	g->symbols = &room->symbols;
	g->rows = room->rows;
	g->cols = room->cols;
	g->wrap_rows = room->wrap_rows;
	g->wrap_cols = room->wrap_cols;
	return g;
}

double *
cscg_room_to_dense(const struct cscg_room *room, struct cscg_err *err)
{
	double *dense = cscg_dense_new(room->n_actions, room->n_nodes, err);
	long row, i, n = room->n_nodes, rows = (long)room->n_actions * n;

	for (row = 0; dense && row < rows; row++)
		for (i = room->first[row]; i < room->first[row + 1]; i++)
			dense[row * n + room->to[i]] = room->p[i];
	return dense;
}
