/* roomgen_shape.c - roomgen's rooms of a shape: five, digits, and the game */
#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "world/digit.h"
#include "world/grid.h"
#include "roomgen.h"

enum { SMALL, MEDIUM, LARGE };
enum { KIND_DIGIT = CSCG_TORUS + 1, KIND_GAME };
enum { GAME_SIDE = 4 };

static const char *const sizes[] = {
	[SMALL] = "small", [MEDIUM] = "medium", [LARGE] = "large", NULL
};

static struct {
	int size;
	long rows, cols;
	const char *hole, *hole_at, *notch;
} set = { .size = MEDIUM };

static const struct cmd_opt opts[] = {
	CMD_CHOICE(0, "size", &set.size, sizes, "size of the first five"),
	CMD_LONG(0, "rows", &set.rows, 1, INT_MAX, "N",
	    "so many rows instead"),
	CMD_LONG(0, "cols", &set.cols, 1, INT_MAX, "N",
	    "so many columns instead"),
	CMD_STRING(0, "hole", &set.hole, "HxW",
	    "the hole is H rows by W columns"),
	CMD_STRING(0, "hole-at", &set.hole_at, "R,C",
	    "its first row and column, from 0 (default: in the middle)"),
	CMD_STRING(0, "notch", &set.notch, "HxW",
	    "the notch of the U is H rows by W columns"),
	CMD_END
};

static struct cscg_shape shape;		/* as judged */
static int digit;

static void
judge_shape(const struct roomgen_kind *kind, char **operand, int n)
{
	struct cscg_err err = { 0 };

	roomgen_no_operand(kind, operand, n);
	shape.kind = (enum cscg_shape_kind)kind->id;
	shape.hole_row = shape.hole_col = -1;
	if (!set.rows != !set.cols)
		cmd_usage("--rows and --cols go together");
	if (cmd_given(&set.size) && set.rows)
		cmd_usage("--size does not go with --rows and --cols");
	if (kind->id == KIND_GAME) {
		shape.kind = CSCG_TORUS;
		shape.rows = shape.cols = GAME_SIDE;
	} else
		cscg_shape_size(shape.kind, set.size, &shape.rows,
		    &shape.cols);
	if (set.rows) {
		shape.rows = (int)set.rows;
		shape.cols = (int)set.cols;
	}
	roomgen_pair("hole", set.hole, 'x', 1, &shape.hole_h, &shape.hole_w);
	roomgen_pair("hole-at", set.hole_at, ',', 0, &shape.hole_row,
	    &shape.hole_col);
	roomgen_pair("notch", set.notch, 'x', 1, &shape.notch_h,
	    &shape.notch_w);
	if (cscg_shape_resolve(&shape, &err) < 0)
		cmd_usage("%s", err.msg);
}

static void
judge_digit(const struct roomgen_kind *kind, char **operand, int n)
{
	(void)kind;
	if (n != 1 || strlen(operand[0]) != 1 ||
	    !isdigit((unsigned char)*operand[0]))
		cmd_usage("'digit' takes one operand, 0..9");
	digit = *operand[0] - '0';
	cmd_history_arg("digit", operand[0]);
}

static int
make(const struct roomgen_kind *kind, struct cscg_err *err)
{
	char name[] = "digit-N";
	bool is_digit = kind->id == KIND_DIGIT;
	struct cscg_grid *grid = is_digit ? cscg_digit_grid(digit, err) :
	    cscg_shape_grid(&shape, err);
	struct cscg_room *room;
	int rc = -1;

	if (!grid)
		return -1;
	name[6] = (char)('0' + digit);
	room = cscg_grid_to_room(grid, false, err);
	if (room && kind->id == KIND_GAME)
		cscg_room_label_unique(room);
	if (room)
		rc = roomgen_put(room, 0, is_digit ? name : kind->name, err);
	cscg_room_free(room);
	cscg_grid_free(grid);
	return rc;
}

#define SHAPE(word, which, more) { .name = (word), .id = (which), .border = true, \
	.takes = "slip door size rows cols" more, .judge = judge_shape, .make = make }

static const struct roomgen_kind kinds[] = {
	SHAPE("rectangle", CSCG_RECTANGLE, ""),
	SHAPE("hole", CSCG_HOLE, " hole hole-at"),
	SHAPE("ushape", CSCG_USHAPE, " notch"),
	SHAPE("cylinder", CSCG_CYLINDER, ""),
	SHAPE("torus", CSCG_TORUS, ""),
	{ .name = "game", .id = KIND_GAME, .permute = true,
	  .takes = "slip rows cols", .judge = judge_shape, .make = make },
	{ .name = "digit", .id = KIND_DIGIT, .border = true,
	  .takes = "slip door",
	  .judge = judge_digit, .make = make },
	{ .name = NULL }
};

const struct roomgen_family roomgen_shape = {
	.title = "rectangle, hole, ushape, cylinder, torus, game, digit N:",
	.opts = opts,
	.kinds = kinds
};
