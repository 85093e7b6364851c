/*
 * grid_io.c - grids as text maps
 *
 * Rows of cells, and after an empty line the rules.  Rules are applied when
 * all have been read, so that their order does not matter: a way may cross an
 * edge that a later rule joins.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "world/grid_io.h"
#include "base/mem.h"
#include "io/words.h"

/* What is known of a map before it is a grid. */
struct map {
	struct cscg_in *in;
	char *cell;		/* rows one after the other, of any length */
	size_t cap_cell, n_cell;
	size_t *end;		/* where each row ends in cell */
	size_t cap_end;
	int rows, cols;
	struct rule {
		long line;
		int column;	/* column of the cell's coordinates */
		int row, col, a;
		bool oneway;
	} *rule;
	size_t cap_rule, n_rule;
	bool wrap_rows, wrap_cols;
};

/* Prepend a place, unless the stream itself is at fault. */
static int
fail_at_position(const struct map *map, long line, long column, struct cscg_err *err)
{
	if (cscg_in_verify(map->in, err) < 0)
		return -1;
	return cscg_fail_at(err, "%s: line %ld, column %ld",
	    cscg_in_name(map->in), line, column);
}

/* Prepend the line read last, and a column of it. */
static int
fail_here(const struct map *map, long column, struct cscg_err *err)
{
	return fail_at_position(map, cscg_in_lineno(map->in), column, err);
}

static int
add_row(struct map *map, const char *line, size_t len, struct cscg_err *err)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!isalnum((unsigned char)line[i]) &&
		    !strchr("#. ", line[i] ? line[i] : '?')) {
			cscg_fail(err, CSCG_EFORMAT, "a cell is '#', '.', a "
			    "space, a letter or a digit");
			return fail_here(map, (long)i + 1, err);
		}
	if (len > (size_t)map->cols)
		map->cols = len > CSCG_NODE_MAX ? CSCG_NODE_MAX + 1 : (int)len;
	if ((long)map->cols * (map->rows + 1) > CSCG_NODE_MAX) {
		cscg_fail(err, CSCG_ERANGE, "the map has more than %d cells",
		    CSCG_NODE_MAX);
		return fail_here(map, 1, err);
	}
	if (cscg_grow(&map->cell, &map->cap_cell, map->n_cell + len, 1,
	    err) < 0 ||
	    cscg_grow(&map->end, &map->cap_end, map->rows + 1,
	    sizeof *map->end, err) < 0)
		return -1;
	memcpy(map->cell + map->n_cell, line, len);
	map->n_cell += len;
	map->end[map->rows++] = map->n_cell;
	return 0;
}

static int
get_action(const char *word, struct rule *rule, struct cscg_err *err)
{
	for (rule->a = 0; rule->a < CSCG_GRID_ACTIONS; rule->a++)
		if (!strcmp(word, cscg_grid_actions[rule->a]))
			return 0;
	return cscg_fail(err, CSCG_EFORMAT, "'%.40s' is not up, down, left or "
	    "right", word);
}

/* block ROW,COL ACTION and oneway ROW,COL ACTION */
static int
add_move(struct map *map, const struct cscg_tokens *tokens, struct cscg_err *err)
{
	struct rule rule = { .line = cscg_in_lineno(map->in) };

	rule.oneway = !strcmp(tokens->v[0], "oneway");
	if (tokens->n != 3) {
		cscg_fail(err, CSCG_EFORMAT, "wanted: %s ROW,COL ACTION",
		    tokens->v[0]);
		return fail_here(map, tokens->column[tokens->n > 3 ? 3 : 0], err);
	}
	rule.column = tokens->column[1];
	if (cscg_grid_parse_pair(tokens->v[1], ',', &rule.row, &rule.col) < 0) {
		cscg_fail(err, CSCG_EFORMAT, "'%.40s' is not ROW,COL",
		    tokens->v[1]);
		return fail_here(map, rule.column, err);
	}
	if (get_action(tokens->v[2], &rule, err) < 0)
		return fail_here(map, tokens->column[2], err);
	if (cscg_grow(&map->rule, &map->cap_rule, map->n_rule + 1,
	    sizeof rule, err) < 0)
		return -1;
	map->rule[map->n_rule++] = rule;
	return 0;
}

static int
add_wrap(struct map *map, const struct cscg_tokens *tokens, struct cscg_err *err)
{
	if (tokens->n == 2 && !strcmp(tokens->v[1], "rows"))
		map->wrap_rows = true;
	else if (tokens->n == 2 && !strcmp(tokens->v[1], "cols"))
		map->wrap_cols = true;
	else {
		cscg_fail(err, CSCG_EFORMAT, "wanted: wrap rows, or wrap cols");
		return fail_here(map, tokens->column[0], err);
	}
	return 0;
}

static int
add_rule(struct map *map, char *line, size_t len, struct cscg_err *err)
{
	struct cscg_tokens tokens;

	if (strlen(line) != len) {
		cscg_fail(err, CSCG_EFORMAT, "a NUL byte");
		return fail_here(map, (long)strlen(line) + 1, err);
	}
	cscg_tokens_split(line, &tokens);
	if (!tokens.n || *tokens.v[0] == '#')
		return 0;
	if (!strcmp(tokens.v[0], "block") || !strcmp(tokens.v[0], "oneway"))
		return add_move(map, &tokens, err);
	if (!strcmp(tokens.v[0], "wrap"))
		return add_wrap(map, &tokens, err);
	cscg_fail(err, CSCG_EFORMAT, "'%.40s' is not block, oneway or wrap",
	    tokens.v[0]);
	return fail_here(map, tokens.column[0], err);
}

static int
read_lines(struct map *map, struct cscg_err *err)
{
	bool rules = false;
	char *line;
	size_t len;
	int rc;

	while ((rc = cscg_in_line(map->in, &line, &len, err)) > 0) {
		if (cscg_in_lineno(map->in) == 1 &&
		    !strncmp(line, "\xef\xbb\xbf", 3)) {
			line += 3;
			len -= 3;
		}
		if (len && line[len - 1] == '\r')
			line[--len] = '\0';
		if (!len)
			rules = map->rows > 0;
		else if ((rules ? add_rule(map, line, len, err) :
		    add_row(map, line, len, err)) < 0)
			return -1;
	}
	return rc;
}

/* A move that leads nowhere is more likely a slip of the pen than a wish. */
static int
apply_rule(const struct map *map, const struct rule *rule, struct cscg_grid *grid,
    struct cscg_err *err)
{
	static const int back[] = {
		CSCG_DOWN, CSCG_UP, CSCG_RIGHT, CSCG_LEFT
	};
	long at = (long)rule->row * grid->cols + rule->col, next;

	if (rule->row >= grid->rows || rule->col >= grid->cols ||
	    grid->cell[at] == '.') {
		cscg_fail(err, CSCG_ERANGE, "%d,%d is no accessible cell",
		    rule->row, rule->col);
		return fail_at_position(map, rule->line, rule->column, err);
	}
	next = cscg_grid_successor(grid, rule->row, rule->col, rule->a);
	if (next < 0) {
		cscg_fail(err, CSCG_ERANGE, "%s of %d,%d is no way to go",
		    cscg_grid_actions[rule->a], rule->row, rule->col);
		return fail_at_position(map, rule->line, rule->column, err);
	}
	if (rule->oneway)
		grid->blocked[next] |= 1 << back[rule->a];
	else
		grid->blocked[at] |= 1 << rule->a;
	return 0;
}

static struct cscg_grid *
build_grid(const struct map *map, struct cscg_err *err)
{
	struct cscg_grid *grid;
	size_t i, from = 0;
	int r;

	for (i = 0; i < map->n_cell && strchr(". ", map->cell[i]); i++)
		;
	if (i == map->n_cell) {
		cscg_fail(err, CSCG_EFORMAT, "%s: no accessible cell",
		    cscg_in_name(map->in));
		return NULL;
	}
	grid = cscg_grid_new(map->rows, map->cols, false, err);
	if (!grid)
		return NULL;
	for (r = 0; r < map->rows; r++) {
		for (i = from; i < map->end[r]; i++)
			if (map->cell[i] != ' ')
				grid->cell[(long)r * map->cols + (i - from)] =
				    map->cell[i];
		from = map->end[r];
	}
	grid->wrap_rows = map->wrap_rows;
	grid->wrap_cols = map->wrap_cols;
	for (i = 0; i < map->n_rule; i++)
		if (apply_rule(map, map->rule + i, grid, err) < 0) {
			cscg_grid_free(grid);
			return NULL;
		}
	return grid;
}

struct cscg_grid *
cscg_grid_read(struct cscg_in *in, struct cscg_err *err)
{
	struct map map = { .in = in };
	struct cscg_grid *grid = NULL;

	if (read_lines(&map, err) == 0)
		grid = build_grid(&map, err);
	free(map.cell);
	free(map.end);
	free(map.rule);
	return grid;
}

bool
cscg_grid_is_walled(const struct cscg_grid *grid)
{
	long inner = 0, floor = 0;
	int r, c, edge;
	char cell;

	for (r = 0; r < grid->rows; r++)
		for (c = 0; c < grid->cols; c++) {
			cell = grid->cell[(long)r * grid->cols + c];
			edge = r < c ? r : c;
			if (grid->rows - 1 - r < edge)
				edge = grid->rows - 1 - r;
			if (grid->cols - 1 - c < edge)
				edge = grid->cols - 1 - c;
			if (edge == 0 && cell != '#')
				return false;
			inner += edge == 1;
			floor += edge == 1 && cell == '#';
		}
	return 2 * floor < inner;
}
