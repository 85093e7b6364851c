/*
 * voxel_io.c - 3D rooms as text maps, roomgen(1), and in room files,
 * cscg-room(5)
 *
 * Rows of cells, and after an empty line the rules.  Parts add walls, doors
 * open walls, and reachability is known only after both; so rules are applied
 * in this order, whatever their order in the file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/json.h"
#include "io/textmap.h"
#include "world/grid.h"
#include "world/voxel_io.h"

enum rule_kind { PART, WALL, DOOR, EXIT, N_RULES };

static const char *const rule_names[] = {
	[PART] = "part",
	[WALL] = "wall",
	[DOOR] = "door",
	[EXIT] = "exit",
};

/* A map being read. */
struct map {
	struct cscg_textmap src;
	char *cell; /* [rows][CSCG_VOXEL_SIDE] */
	size_t cap_cell;
	long line[CSCG_VOXEL_SIDE]; /* of each row of cells */
	int rows, cols;
	struct rule {
		enum rule_kind what;
		long line;
		int column; /* of the position in the rule */
		int row, col, heading, height, width;
		int part;
	} * rule;
	size_t cap_rule, n_rule;
	struct cscg_names parts;
};

static int
add_row(struct map *map, const char *line, size_t len, struct cscg_err *err)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!cscg_voxel_is_cell(line[i]))
			return cscg_textmap_fail(&map->src, 0, (long)i + 1,
			    CSCG_EFORMAT,
			    "a cell is a digit, '^', '>', 'v', '<', '#' or a "
			    "space");
	while (len && line[len - 1] == ' ')
		len--;
	if (len > CSCG_VOXEL_SIDE || map->rows == CSCG_VOXEL_SIDE)
		return cscg_textmap_fail(&map->src, 0, 1, CSCG_ERANGE,
		    "the map has more than %d %s", CSCG_VOXEL_SIDE,
		    len > CSCG_VOXEL_SIDE ? "columns" : "rows");
	if (cscg_grow(&map->cell, &map->cap_cell,
		(size_t)(map->rows + 1) * CSCG_VOXEL_SIDE, 1, err) < 0)
		return -1;
	memset(map->cell + map->rows * CSCG_VOXEL_SIDE, ' ', CSCG_VOXEL_SIDE);
	memcpy(map->cell + map->rows * CSCG_VOXEL_SIDE, line, len);
	map->line[map->rows++] = map->src.line;
	if ((int)len > map->cols)
		map->cols = (int)len;
	return 0;
}

/* The ROW,COL that is word i. */
static int
get_cell(const struct map *map, const struct cscg_tokens *tokens, int i,
    struct rule *rule)
{
	rule->column = tokens->column[i];
	if (cscg_grid_parse_pair(tokens->v[i], ',', &rule->row, &rule->col) <
	    0)
		return cscg_textmap_fail(&map->src, 0, rule->column,
		    CSCG_EFORMAT, "'%.40s' is not ROW,COL", tokens->v[i]);
	return 0;
}

/* part NAME ROW,COL ROWSxCOLS */
static int
get_part(struct map *map, const struct cscg_tokens *tokens, struct rule *rule,
    struct cscg_err *err)
{
	if (get_cell(map, tokens, 2, rule) < 0)
		return -1;
	if (cscg_grid_parse_pair(tokens->v[3], 'x', &rule->height,
		&rule->width) < 0)
		return cscg_textmap_fail(&map->src, 0, tokens->column[3],
		    CSCG_EFORMAT, "'%.40s' is not ROWSxCOLS", tokens->v[3]);
	if (cscg_names_find(&map->parts, tokens->v[1]) >= 0)
		return cscg_textmap_fail(&map->src, 0, tokens->column[1],
		    CSCG_EFORMAT, "part '%.40s' is defined twice",
		    tokens->v[1]);
	rule->part = map->parts.n;
	if (cscg_names_add(&map->parts, tokens->v[1], err) < 0)
		return err->code == CSCG_EFORMAT ?
		    cscg_textmap_fail_at(&map->src, 0, tokens->column[1]) :
		    -1;
	return 0;
}

/* wall ROW,COL HEADING; also door and exit */
static int
get_side(struct map *map, const struct cscg_tokens *tokens, struct rule *rule)
{
	if (get_cell(map, tokens, 1, rule) < 0)
		return -1;
	rule->heading = cscg_heading_parse(tokens->v[2]);
	if (rule->heading >= 0)
		return 0;
	return cscg_textmap_fail(&map->src, 0, tokens->column[2], CSCG_EFORMAT,
	    "'%.40s' is not north, east, south or west", tokens->v[2]);
}

static int
add_rule(struct map *map, char *line, size_t len, struct cscg_err *err)
{
	struct rule rule = { .line = map->src.line };
	struct cscg_tokens tokens;
	int what = 0, wanted;

	if (strlen(line) != len)
		return cscg_textmap_fail(&map->src, 0, (long)strlen(line) + 1,
		    CSCG_EFORMAT, "a NUL byte");
	cscg_tokens_split(line, &tokens);
	if (!tokens.n)
		return 0;
	while (what < N_RULES && strcmp(tokens.v[0], rule_names[what]))
		what++;
	if (what == N_RULES)
		return cscg_textmap_fail(&map->src, 0, tokens.column[0],
		    CSCG_EFORMAT, "'%.40s' is not part, wall, door or exit",
		    tokens.v[0]);
	rule.what = (enum rule_kind)what;
	wanted = what == PART ? 4 : 3;
	if (tokens.n != wanted)
		return cscg_textmap_fail(&map->src, 0,
		    tokens.column[tokens.n > wanted ? wanted : 0],
		    CSCG_EFORMAT, "expected: %s %s", tokens.v[0],
		    what == PART ? "NAME ROW,COL ROWSxCOLS" :
				   "ROW,COL HEADING");
	if ((what == PART ? get_part(map, &tokens, &rule, err) :
			    get_side(map, &tokens, &rule)) < 0 ||
	    cscg_grow(&map->rule, &map->cap_rule, map->n_rule + 1, sizeof rule,
		err) < 0)
		return -1;
	map->rule[map->n_rule++] = rule;
	return 0;
}

static int
read_lines(struct map *map, struct cscg_err *err)
{
	bool rules = false;
	char *line;
	size_t len;
	int rc;

	while ((rc = cscg_textmap_next(&map->src, &line, &len)) > 0) {
		if (*line == ';')
			continue;
		if (!len)
			rules = rules || map->rows;
		else if ((rules ? add_rule(map, line, len, err) :
				  add_row(map, line, len, err)) < 0)
			return -1;
	}
	return rc;
}

/* The cell of a rule; -1 with err filled if it has no floor. */
static int
rule_cell(const struct map *map, const struct rule *rule,
    const struct cscg_voxel *v)
{
	if (rule->row < v->rows && rule->col < v->cols &&
	    cscg_voxel_has_floor(v, rule->row * v->cols + rule->col))
		return rule->row * v->cols + rule->col;
	return cscg_textmap_fail(&map->src, rule->line, rule->column,
	    CSCG_ERANGE, "there is no floor at %d,%d", rule->row, rule->col);
}

static int
apply_part(const struct map *map, const struct rule *rule,
    struct cscg_voxel *v)
{
	int r, c, i, n = 0;

	for (r = rule->row; r < rule->row + rule->height && r < v->rows; r++)
		for (c = rule->col; c < rule->col + rule->width && c < v->cols;
		     c++) {
			i = r * v->cols + c;
			if (!cscg_voxel_has_floor(v, i))
				continue;
			if (v->part[i] >= 0)
				return cscg_textmap_fail(&map->src, rule->line,
				    rule->column, CSCG_EFORMAT,
				    "parts '%.40s' and '%.40s' both have "
				    "%d,%d",
				    map->parts.v[v->part[i]],
				    map->parts.v[rule->part], r, c);
			v->part[i] = rule->part;
			n++;
		}
	if (n)
		return 0;
	return cscg_textmap_fail(&map->src, rule->line, rule->column,
	    CSCG_ERANGE, "part '%.40s' has no floor",
	    map->parts.v[rule->part]);
}

/* Adjacent parts are separated by walls. */
static int
apply_parts(const struct map *map, struct cscg_voxel *v, struct cscg_err *err)
{
	int n = v->rows * v->cols, i, h, other;
	size_t k;

	if (!map->parts.n)
		return 0;
	v->part = cscg_alloc((size_t)n, sizeof *v->part, err);
	if (!v->part || cscg_names_copy(&v->parts, &map->parts, err) < 0)
		return -1;
	for (i = 0; i < n; i++)
		v->part[i] = -1;
	for (k = 0; k < map->n_rule; k++)
		if (map->rule[k].what == PART &&
		    apply_part(map, map->rule + k, v) < 0)
			return -1;
	for (i = 0; i < n; i++) {
		if (!cscg_voxel_has_floor(v, i))
			continue;
		if (v->part[i] < 0)
			return cscg_textmap_fail(&map->src,
			    map->line[i / v->cols], i % v->cols + 1,
			    CSCG_EFORMAT, "this floor belongs to no part");
		for (h = 0; h < CSCG_HEADINGS; h++) {
			other = cscg_voxel_neighbour(v, i, h);
			if (other >= 0 && cscg_voxel_has_floor(v, other) &&
			    v->part[other] != v->part[i])
				cscg_voxel_set_wall(v, i, h, true);
		}
	}
	return 0;
}

/* Add walls, then open doors; whether a door can be passed is checked later. */
static int
apply_walls(const struct map *map, enum rule_kind what, struct cscg_voxel *v)
{
	const struct rule *rule;
	size_t k;
	int cell;

	for (k = 0; k < map->n_rule; k++) {
		rule = map->rule + k;
		if (rule->what != what)
			continue;
		cell = rule_cell(map, rule, v);
		if (cell < 0)
			return -1;
		if (what == DOOR && !(v->wall[cell] >> rule->heading & 1))
			return cscg_textmap_fail(&map->src, rule->line,
			    rule->column, CSCG_ERANGE,
			    "no wall %s of %d,%d, where the door "
			    "should be",
			    cscg_headings[rule->heading], rule->row,
			    rule->col);
		cscg_voxel_set_wall(v, cell, rule->heading, what == WALL);
	}
	return 0;
}

static int
add_exit(struct cscg_voxel *v, size_t *cap, int cell, int heading,
    struct cscg_err *err)
{
	if (cscg_grow(&v->exit, cap, (size_t)v->n_exits + 1, sizeof *v->exit,
		err) < 0)
		return -1;
	v->exit[v->n_exits++] = (struct cscg_exit){ cell, heading };
	return 0;
}

/* A door leads to a cell on at least one side; an exit leads to no cell. */
static int
mark_exits(const struct map *map, struct cscg_voxel *v, struct cscg_err *err)
{
	const struct rule *rule;
	int cell, next, back;
	size_t k, cap = 0;

	for (k = 0; k < map->n_rule; k++) {
		rule = map->rule + k;
		if (rule->what != DOOR && rule->what != EXIT)
			continue;
		cell = rule_cell(map, rule, v);
		if (cell < 0)
			return -1;
		next = cscg_voxel_successor(v, cell, rule->heading);
		if (rule->what == EXIT && next >= 0)
			return cscg_textmap_fail(&map->src, rule->line,
			    rule->column, CSCG_ERANGE,
			    "%s of %d,%d is not a wall: an exit leads out of "
			    "the map",
			    cscg_headings[rule->heading], rule->row,
			    rule->col);
		if ((rule->what == EXIT || next >= 0) &&
		    add_exit(v, &cap, cell, rule->heading, err) < 0)
			return -1;
		if (rule->what == EXIT)
			continue;
		/* The other side; one side may be too high to climb. */
		next = cscg_voxel_neighbour(v, cell, rule->heading);
		back = (rule->heading + 2) % CSCG_HEADINGS;
		if (cscg_voxel_successor(v, next, back) >= 0 &&
		    add_exit(v, &cap, next, back, err) < 0)
			return -1;
	}
	return 0;
}

static int
build_voxel(const struct map *map, struct cscg_voxel *v, struct cscg_err *err)
{
	int r, at;

	for (r = 0; r < map->rows; r++)
		memcpy(v->cell + (size_t)r * v->cols,
		    map->cell + r * CSCG_VOXEL_SIDE, (size_t)v->cols);
	if (apply_parts(map, v, err) < 0 || apply_walls(map, WALL, v) < 0 ||
	    apply_walls(map, DOOR, v) < 0)
		return -1;
	if (cscg_voxel_compute_floors(v, &at, err) == 0)
		return mark_exits(map, v, err);
	if (err->code == CSCG_ENOMEM)
		return -1;
	if (at < 0)
		at = 0;
	return cscg_textmap_fail_at(&map->src, map->line[at / v->cols],
	    at % v->cols + 1);
}

static struct cscg_voxel *
parse_map(struct cscg_in *in, const char *name, const char *text,
    struct cscg_err *err)
{
	struct map map = {
		.src = { .in = in, .name = name, .text = text, .err = err }
	};
	struct cscg_voxel *v = NULL;

	if (read_lines(&map, err) < 0)
		goto out;
	if (!map.cols) {
		cscg_fail(err, CSCG_EFORMAT, "%s: no floor", map.src.name);
		goto out;
	}
	v = cscg_voxel_new(map.rows, map.cols, err);
	if (v && build_voxel(&map, v, err) < 0) {
		cscg_voxel_free(v);
		v = NULL;
	}
out:
	free(map.cell);
	free(map.rule);
	cscg_names_free(&map.parts);
	return v;
}

struct cscg_voxel *
cscg_voxel_read(struct cscg_in *in, struct cscg_err *err)
{
	return parse_map(in, NULL, NULL, err);
}

struct cscg_voxel *
cscg_voxel_layout(const char *name, struct cscg_err *err)
{
	char list[256];
	size_t n = 0;
	int i;

	list[0] = '\0';
	for (i = 0; cscg_voxel_layout_name(i); i++) {
		if (!strcmp(name, cscg_voxel_layout_name(i)))
			return parse_map(NULL, name, cscg_voxel_layout_text(i),
			    err);
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%s",
		    i ? ", " : "", cscg_voxel_layout_name(i));
	}
	cscg_fail(err, CSCG_EUSAGE, "'%.40s' is not a layout: %s", name, list);
	return NULL;
}

/*
 * maps of 3D rooms as a member of a room
 */

static const char *const voxel_keys[] = { "map", "walls", "theme", NULL };

/* The size of the map: its rows, and the longest of them. */
static int
get_size(json_t *map, int *cols, struct cscg_err *err)
{
	json_t *row;
	size_t i, j, len;

	*cols = 0;
	if (json_array_size(map) < 1 || json_array_size(map) > CSCG_VOXEL_SIDE)
		return cscg_fail(err, CSCG_ERANGE,
		    "/map: has %zu rows, not 1 to %d", json_array_size(map),
		    CSCG_VOXEL_SIDE);
	json_array_foreach(map, i, row)
	{
		if (json_typeof(row) != JSON_STRING)
			return cscg_fail(err, CSCG_EFORMAT,
			    "/map/%zu: not a string", i);
		len = json_string_length(row);
		if (len > CSCG_VOXEL_SIDE)
			return cscg_fail(err, CSCG_ERANGE,
			    "/map/%zu: has %zu cells, more than %d", i, len,
			    CSCG_VOXEL_SIDE);
		for (j = 0; j < len; j++)
			if (!cscg_voxel_is_cell(json_string_value(row)[j]))
				return cscg_fail(err, CSCG_EFORMAT,
				    "/map/%zu: cell %zu is not a digit, '^', "
				    "'>', 'v', '<', '#' or a space",
				    i, j);
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
	json_array_foreach(walls, i, wall)
	{
		snprintf(where, sizeof where, "/walls/%zu", i);
		if (json_array_size(wall) != 3)
			return cscg_fail(err, CSCG_EFORMAT,
			    "%s: not a row, a column and a heading", where);
		if (cscg_json_ints(wall, where, 0, CSCG_VOXEL_SIDE, at, err) <
		    0)
			return -1;
		if (at[0] >= v->rows || at[1] >= v->cols ||
		    at[2] >= CSCG_HEADINGS ||
		    cscg_voxel_neighbour(v, at[0] * v->cols + at[1], at[2]) <
			0)
			return cscg_fail(err, CSCG_ERANGE,
			    "%s: not between two cells of the map", where);
		cscg_voxel_set_wall(v, at[0] * v->cols + at[1], at[2], true);
	}
	return 0;
}

static int
get_fields(json_t *obj, json_t *map, struct cscg_voxel *v,
    struct cscg_err *err)
{
	json_t *row;
	size_t i;
	int at;

	json_array_foreach(map, i, row) memcpy(v->cell + i * (size_t)v->cols,
	    json_string_value(row), json_string_length(row));
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
	if (json_typeof(voxel) != JSON_OBJECT)
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
		return cscg_fail(err, CSCG_EMISMATCH,
		    "/voxel/map: %d cells with a floor have %d nodes, but the "
		    "room has %d",
		    (*v)->n_cells, CSCG_HEADINGS * (*v)->n_cells, n_nodes);
	return 0;
}

static void
write_map(struct cscg_json_writer *w, const struct cscg_voxel *v)
{
	char line[CSCG_VOXEL_SIDE + 1];
	int r, len;

	cscg_json_open(w, "map", '[');
	for (r = 0; r < v->rows; r++) {
		memcpy(line, v->cell + (size_t)r * v->cols, (size_t)v->cols);
		for (len = v->cols; len && line[len - 1] == ' '; len--)
			;
		line[len] = '\0';
		cscg_json_put_string(w, NULL, line);
	}
	cscg_json_close(w, ']');
}

/* Each once, from its northern or western side. */
static void
write_walls(struct cscg_json_writer *w, const struct cscg_voxel *v)
{
	int i, h;

	cscg_json_open(w, "walls", '[');
	for (i = 0; i < v->rows * v->cols; i++)
		for (h = CSCG_EAST; h <= CSCG_SOUTH; h++)
			if (v->wall[i] >> h & 1)
				cscg_json_put_ints(w, NULL,
				    (int[]){ i / v->cols, i % v->cols, h }, 3);
	cscg_json_close(w, ']');
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

void
cscg_voxel_write_json(struct cscg_json_writer *w, const struct cscg_voxel *v)
{
	cscg_json_open(w, "voxel", '{');
	write_map(w, v);
	if (has_walls(v))
		write_walls(w, v);
	cscg_json_put_int(w, "theme", v->theme);
	cscg_json_close(w, '}');
}
