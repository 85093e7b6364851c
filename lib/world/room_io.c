/*
 * room_io.c - room files as JSON, one a line: cscg-room(5)
 *
 * Claimed sizes are compared with the actual lengths before allocation, so that
 * a small file cannot claim a large room.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/json.h"
#include "io/json_write.h"
#include "base/mem.h"
#include "core/model_io.h"
#include "world/room_io.h"
#include "world/voxel_io.h"

enum {
	ROOM_VERSION = 1,
	DIGITS = 17, /* probabilities are read back exactly */
};

static const char *const keys[] = {
	"format",
	"version",
	"name",
	"n_nodes",
	"n_actions",
	"n_obs",
	"actions",
	"symbols",
	"obs",
	"next",
	"coords",
	"grid",
	"parts",
	"part",
	"frontiers",
	"voxel",
	"history",
	NULL,
};

static const char *const grid_keys[] = {
	"rows",
	"cols",
	"wrap_rows",
	"wrap_cols",
	NULL,
};

/* Number of edges in /next, after a check of its shape; -1: an error. */
static long
count_edges(json_t *next, int n_nodes, struct cscg_err *err)
{
	long n = 0, size;
	size_t a, v;
	json_t *list, *item;

	json_array_foreach(next, a, list)
	{
		if (json_typeof(list) != JSON_ARRAY)
			return cscg_fail(err, CSCG_EFORMAT,
			    "/next/%zu: not an array", a);
		if (json_array_size(list) != (size_t)n_nodes)
			return cscg_fail(err, CSCG_EFORMAT,
			    "/next/%zu: %zu items, not %d", a,
			    json_array_size(list), n_nodes);
		json_array_foreach(list, v, item)
		{
			if (json_typeof(item) == JSON_INTEGER) {
				n++;
				continue;
			}
			size = (long)json_array_size(item);
			if (json_typeof(item) != JSON_ARRAY || !size ||
			    size % 2)
				return cscg_fail(err, CSCG_EFORMAT,
				    "/next/%zu"
				    "/%zu: neither a node nor an array of "
				    "node, probability, ...",
				    a, v);
			n += size / 2;
		}
	}
	return n;
}

/* A node number; items of any other kind or size are out of range. */
static int
get_node(json_t *item, int a, int v, int n_nodes, int *node,
    struct cscg_err *err)
{
	json_int_t i = json_integer_value(item);

	if (json_typeof(item) != JSON_INTEGER)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/next/%d/%d: a target is not an integer", a, v);
	if (i < 0 || i >= n_nodes)
		return cscg_fail(err, CSCG_ERANGE,
		    "/next/%d/%d: target %lld is outside 0..%d", a, v,
		    (long long)i, n_nodes - 1);
	*node = (int)i;
	return 0;
}

/* Read the list of (a, v) into room at *n. */
static int
get_list(json_t *item, int a, int v, struct cscg_room *room, long *n,
    struct cscg_err *err)
{
	size_t i;

	if (json_typeof(item) == JSON_INTEGER) {
		room->p[*n] = 1;
		return get_node(item, a, v, room->n_nodes, room->to + (*n)++,
		    err);
	}
	for (i = 0; i < json_array_size(item); i += 2, ++*n) {
		json_t *p = json_array_get(item, i + 1);

		if (get_node(json_array_get(item, i), a, v, room->n_nodes,
			room->to + *n, err) < 0)
			return -1;
		if (!json_is_number(p))
			return cscg_fail(err, CSCG_EFORMAT,
			    "/next/%d/%d: a probability is not a number", a,
			    v);
		room->p[*n] = json_number_value(p);
	}
	return 0;
}

static int
get_next(json_t *next, struct cscg_room *room, struct cscg_err *err)
{
	long n_lists = (long)room->n_actions * room->n_nodes, n;
	int a, v;

	n = count_edges(next, room->n_nodes, err);
	if (n < 0)
		return -1;
	room->first = cscg_alloc(n_lists + 1, sizeof *room->first, err);
	room->to = cscg_alloc(n, sizeof *room->to, err);
	room->p = cscg_alloc(n, sizeof *room->p, err);
	if (!room->first || !room->to || !room->p)
		return -1;
	n = 0;
	for (a = 0; a < room->n_actions; a++)
		for (v = 0; v < room->n_nodes; v++) {
			json_t *list = json_array_get(next, a);

			if (get_list(json_array_get(list, v), a, v, room, &n,
				err) < 0)
				return -1;
			room->first[(long)a * room->n_nodes + v + 1] = n;
		}
	return 0;
}

static int
get_grid(json_t *obj, struct cscg_room *room, struct cscg_err *err)
{
	json_t *grid = json_object_get(obj, "grid");

	if (!cscg_json_has(obj, "grid"))
		return 0;
	if (json_typeof(grid) != JSON_OBJECT)
		return cscg_fail(err, CSCG_EFORMAT, "/grid: not an object");
	if (cscg_json_check_keys(grid, grid_keys, err) < 0 ||
	    cscg_json_int(grid, "rows", 1, INT_MAX, &room->rows, err) < 0 ||
	    cscg_json_int(grid, "cols", 1, INT_MAX, &room->cols, err) < 0 ||
	    cscg_json_bool(grid, "wrap_rows", &room->wrap_rows, err) < 0 ||
	    cscg_json_bool(grid, "wrap_cols", &room->wrap_cols, err) < 0)
		return cscg_fail_at(err, "/grid");
	return 0;
}

static int
get_parts(json_t *obj, struct cscg_room *room, struct cscg_err *err)
{
	json_t *arr;

	if (cscg_json_has(obj, "parts") &&
	    (cscg_json_array(obj, "parts", -1, &arr, err) < 0 ||
		cscg_json_names(obj, "parts", (int)json_array_size(arr),
		    &room->parts, err) < 0))
		return -1;
	if (!cscg_json_has(obj, "part"))
		return 0;
	if (cscg_json_array(obj, "part", room->n_nodes, &arr, err) < 0)
		return -1;
	room->part = cscg_alloc(room->n_nodes, sizeof *room->part, err);
	if (!room->part)
		return -1;
	return cscg_json_ints(arr, "/part", -1, INT_MAX, room->part, err);
}

static void *
room_from_json(json_t *obj, struct cscg_err *err)
{
	struct cscg_room *room = NULL;
	int n_nodes, n_actions, n_obs;
	json_t *obs, *next;

	if (cscg_json_check_format(obj, "cscg-room", ROOM_VERSION, err) < 0 ||
	    cscg_json_check_keys(obj, keys, err) < 0 ||
	    cscg_json_int(obj, "n_nodes", 1, CSCG_NODE_MAX, &n_nodes, err) <
		0 ||
	    cscg_json_int(obj, "n_actions", 1, CSCG_ACTION_MAX, &n_actions,
		err) < 0 ||
	    cscg_json_int(obj, "n_obs", 1, CSCG_OBS_MAX, &n_obs, err) < 0 ||
	    cscg_json_array(obj, "obs", n_nodes, &obs, err) < 0 ||
	    cscg_json_array(obj, "next", n_actions, &next, err) < 0)
		return NULL;
	room = cscg_room_new(n_nodes, n_actions, n_obs, err);
	if (!room)
		return NULL;
	if ((cscg_json_has(obj, "name") &&
		cscg_json_string(obj, "name", &room->name, err) < 0) ||
	    cscg_json_names(obj, "actions", n_actions, &room->actions, err) <
		0 ||
	    cscg_json_names(obj, "symbols", n_obs, &room->symbols, err) < 0 ||
	    cscg_json_ints(obs, "/obs", 0, n_obs - 1, room->obs, err) < 0 ||
	    get_next(next, room, err) < 0 ||
	    cscg_coords_from_json(obj, n_nodes, 1e300,
		"not a pair of row and column", &room->coords, err) < 0 ||
	    get_grid(obj, room, err) < 0 || get_parts(obj, room, err) < 0 ||
	    cscg_frontiers_from_json(obj, "not a pair of node and action",
		&room->frontier, &room->n_frontiers, err) < 0 ||
	    cscg_voxel_from_json(obj, n_nodes, &room->voxel, err) < 0 ||
	    cscg_history_from_json(obj, &room->history, err) < 0 ||
	    cscg_room_check(room, err) < 0) {
		cscg_room_free(room);
		return NULL;
	}
	return room;
}

int
cscg_room_read(struct cscg_in *in, struct cscg_room **room,
    struct cscg_err *err)
{
	int rc;

	*room = cscg_json_read_item(in, NULL, room_from_json, &rc, err);
	return rc;
}

int
cscg_room_for_each(const char *path,
    int (*take)(void *ctx, struct cscg_room *room, struct cscg_err *err),
    void *ctx, struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(path, err);
	struct cscg_room *room = NULL;
	bool any = false;
	int rc;

	if (!in)
		return -1;
	while ((rc = cscg_room_read(in, &room, err)) > 0) {
		any = true;
		if (take(ctx, room, err) == 0)
			continue;
		rc = -1;
		if (err->code == CSCG_EMISMATCH || err->code == CSCG_EUSAGE)
			cscg_fail_at(err, "%s: line %ld", cscg_in_name(in),
			    cscg_in_lineno(in));
		break;
	}
	if (rc == 0 && !any)
		rc = cscg_json_fail_empty(in, "cscg-room", err);
	cscg_in_close(in);
	return rc;
}

struct cscg_room *
cscg_room_read_file(const char *path, struct cscg_err *err)
{
	int rc;
	struct cscg_room *room = cscg_json_read_file(path, NULL,
	    room_from_json, "cscg-room", &rc, err);

	if (rc == 0)
		return room;
	cscg_room_free(room);
	return NULL;
}

/* A deterministic transition is written as a node, any other as a flat list. */
static void
write_row(struct cscg_json_writer *w, const struct cscg_room *room, long from,
    long to)
{
	if (to - from == 1 && room->p[from] == 1) {
		cscg_json_put_int(w, NULL, room->to[from]);
		return;
	}
	cscg_json_open(w, NULL, '[');
	for (; from < to; from++) {
		cscg_json_put_int(w, NULL, room->to[from]);
		cscg_json_put_real(w, NULL, room->p[from]);
	}
	cscg_json_close(w, ']');
}

static void
write_next(struct cscg_json_writer *w, const struct cscg_room *room)
{
	const long *first = room->first;
	int a, v;

	cscg_json_open(w, "next", '[');
	for (a = 0; a < room->n_actions; a++) {
		cscg_json_open(w, NULL, '[');
		for (v = 0; v < room->n_nodes; v++, first++)
			write_row(w, room, first[0], first[1]);
		cscg_json_close(w, ']');
	}
	cscg_json_close(w, ']');
}

static void
write_grid(struct cscg_json_writer *w, const struct cscg_room *room)
{
	cscg_json_open(w, "grid", '{');
	cscg_json_put_int(w, "rows", room->rows);
	cscg_json_put_int(w, "cols", room->cols);
	cscg_json_put_bool(w, "wrap_rows", room->wrap_rows);
	cscg_json_put_bool(w, "wrap_cols", room->wrap_cols);
	cscg_json_close(w, '}');
}

int
cscg_room_write(const struct cscg_room *room, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_json_writer w = {
		.out = out, .digits = DIGITS, .err = err
	};

	cscg_json_open(&w, NULL, '{');
	cscg_json_put_string(&w, "format", "cscg-room");
	cscg_json_put_int(&w, "version", ROOM_VERSION);
	if (room->name)
		cscg_json_put_string(&w, "name", room->name);
	cscg_json_put_int(&w, "n_nodes", room->n_nodes);
	cscg_json_put_int(&w, "n_actions", room->n_actions);
	cscg_json_put_int(&w, "n_obs", room->n_obs);
	if (room->actions.n)
		cscg_json_put_names(&w, "actions", &room->actions);
	if (room->symbols.n)
		cscg_json_put_names(&w, "symbols", &room->symbols);
	cscg_json_put_ints(&w, "obs", room->obs, room->n_nodes);
	write_next(&w, room);
	if (room->coords)
		cscg_coords_write_json(&w, room->coords, room->n_nodes);
	if (room->rows)
		write_grid(&w, room);
	if (room->part) {
		cscg_json_put_names(&w, "parts", &room->parts);
		cscg_json_put_ints(&w, "part", room->part, room->n_nodes);
	}
	if (room->n_frontiers)
		cscg_frontiers_write_json(&w, room->frontier,
		    room->n_frontiers);
	if (room->voxel)
		cscg_voxel_write_json(&w, room->voxel);
	cscg_history_write_json(&w, &room->history);
	cscg_json_close(&w, '}');
	return cscg_json_end(&w);
}
