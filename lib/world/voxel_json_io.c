/*
 * voxel_json_io.c - maps of 3D rooms as a member of a room
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/json.h"
#include "base/mem.h"
#include "world/voxel_io.h"

static const char *const voxel_keys[] = { "map", "walls", "theme", NULL };

/* The size of the map: its rows, and the longest of them. */
static int
get_size(json_t *map, int *cols, struct cscg_err *err)
{
	json_t *row;
	size_t i, j, len;

	*cols = 0;
	if (json_array_size(map) < 1 ||
	    json_array_size(map) > CSCG_VOXEL_SIDE)
		return cscg_fail(err, CSCG_ERANGE, "/map: has %zu rows, not "
		    "1 to %d", json_array_size(map), CSCG_VOXEL_SIDE);
	json_array_foreach(map, i, row) {
		if (!json_is_string(row))
			return cscg_fail(err, CSCG_EFORMAT, "/map/%zu: not a "
			    "string", i);
		len = json_string_length(row);
		if (len > CSCG_VOXEL_SIDE)
			return cscg_fail(err, CSCG_ERANGE, "/map/%zu: has %zu "
			    "cells, more than %d", i, len, CSCG_VOXEL_SIDE);
		for (j = 0; j < len; j++)
			if (!cscg_voxel_is_cell(json_string_value(row)[j]))
				return cscg_fail(err, CSCG_EFORMAT, "/map/%zu: "
				    "cell %zu is not a digit, '^', '>', 'v', "
				    "'<', '#' or a space", i, j);
		if ((int)len > *cols)
			*cols = (int)len;
	}
	if (!*cols)
		return cscg_fail(err, CSCG_EFORMAT, "/map: no floor");
	return 0;
}

static int
get_walls(json_t *obj, struct cscg_voxel *v, struct cscg_err *err)
{
	json_t *walls, *wall;
	char where[32];
	size_t i;
	int at[3];

	if (!cscg_json_has(obj, "walls"))
		return 0;
	if (cscg_json_array(obj, "walls", -1, &walls, err) < 0)
		return -1;
	json_array_foreach(walls, i, wall) {
		snprintf(where, sizeof where, "/walls/%zu", i);
		if (json_array_size(wall) != 3)
			return cscg_fail(err, CSCG_EFORMAT, "%s: not a row, a "
			    "column and a heading", where);
		if (cscg_json_ints(wall, where, 0, CSCG_VOXEL_SIDE, false, at,
		    err) < 0)
			return -1;
		if (at[0] >= v->rows || at[1] >= v->cols ||
		    at[2] >= CSCG_HEADINGS || cscg_voxel_neighbour(v, at[0] *
		    v->cols + at[1], at[2]) < 0)
			return cscg_fail(err, CSCG_ERANGE, "%s: not between two "
			    "cells of the map", where);
		cscg_voxel_set_wall(v, at[0] * v->cols + at[1], at[2], true);
	}
	return 0;
}

static int
get_fields(json_t *obj, json_t *map, struct cscg_voxel *v, struct cscg_err *err)
{
	json_t *row;
	size_t i;
	int at;

	json_array_foreach(map, i, row)
		memcpy(v->cell + i * (size_t)v->cols, json_string_value(row),
		    json_string_length(row));
	if (get_walls(obj, v, err) < 0 ||
	    cscg_json_int(obj, "theme", 0, CSCG_THEME_MAX, &v->theme, err) < 0)
		return -1;
	if (cscg_voxel_compute_floors(v, &at, err) == 0)
		return 0;
	if (err->code == CSCG_ENOMEM)
		return -1;
	if (at < 0)
		return cscg_fail_at(err, "/map");
	return cscg_fail_at(err, "/map/%d: cell %d", at / v->cols,
	    at % v->cols);
}

int
cscg_voxel_from_json(json_t *obj, int n_nodes, struct cscg_voxel **v,
    struct cscg_err *err)
{
	json_t *voxel = json_object_get(obj, "voxel"), *map;
	int cols;

	if (!cscg_json_has(obj, "voxel"))
		return 0;
	if (!json_is_object(voxel))
		return cscg_fail(err, CSCG_EFORMAT, "/voxel: not an object");
	if (cscg_json_check_keys(voxel, voxel_keys, err) < 0 ||
	    cscg_json_array(voxel, "map", -1, &map, err) < 0 ||
	    get_size(map, &cols, err) < 0)
		return cscg_fail_at(err, "/voxel");
	*v = cscg_voxel_new((int)json_array_size(map), cols, err);
	if (!*v)
		return -1;
	if (get_fields(voxel, map, *v, err) < 0)
		return err->code == CSCG_ENOMEM ? -1 :
		    cscg_fail_at(err, "/voxel");
	if (n_nodes != CSCG_HEADINGS * (*v)->n_cells)
		return cscg_fail(err, CSCG_EMISMATCH, "/voxel/map: %d cells "
		    "with a floor have %d nodes, but the room has %d",
		    (*v)->n_cells, CSCG_HEADINGS * (*v)->n_cells, n_nodes);
	return 0;
}

/* Append value (stolen) to an array; false if memory is short. */
static bool
append_item(json_t *arr, json_t *value)
{
	return arr && value && json_array_append_new(arr, value) == 0;
}

static json_t *
new_map(const struct cscg_voxel *v)
{
	json_t *map = json_array();
	const char *row;
	int r, len;

	for (r = 0; map && r < v->rows; r++) {
		row = v->cell + (size_t)r * v->cols;
		for (len = v->cols; len && row[len - 1] == ' '; len--)
			;
		if (!append_item(map, json_stringn(row, (size_t)len))) {
			json_decref(map);
			return NULL;
		}
	}
	return map;
}

/* Each once, from its northern or western side. */
static json_t *
new_walls(const struct cscg_voxel *v)
{
	json_t *walls = json_array();
	int i, h;

	for (i = 0; walls && i < v->rows * v->cols; i++)
		for (h = CSCG_EAST; h <= CSCG_SOUTH; h++) {
			int at[] = { i / v->cols, i % v->cols, h };

			if (!(v->wall[i] >> h & 1))
				continue;
			if (!append_item(walls, cscg_json_new_ints(at, 3, false))) {
				json_decref(walls);
				return NULL;
			}
		}
	return walls;
}

static bool
has_walls(const struct cscg_voxel *v)
{
	int i;

	for (i = 0; i < v->rows * v->cols; i++)
		if (v->wall[i])
			return true;
	return false;
}

int
cscg_voxel_to_json(json_t *obj, const struct cscg_voxel *v, struct cscg_err *err)
{
	json_t *voxel = json_object();

	if (cscg_json_set(voxel, "map", new_map(v), err) < 0 ||
	    (has_walls(v) &&
	    cscg_json_set(voxel, "walls", new_walls(v), err) < 0) ||
	    cscg_json_set(voxel, "theme", json_integer(v->theme), err) < 0) {
		json_decref(voxel);
		return -1;
	}
	return cscg_json_set(obj, "voxel", voxel, err);
}
