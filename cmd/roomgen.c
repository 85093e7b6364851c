/* roomgen - make a room to walk in */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "tool.h"
#include "suggest.h"
#include "core/model_io.h"
#include "world/compose.h"
#include "world/digit.h"
#include "world/grid.h"
#include "world/room.h"
#include "world/room_io.h"
#include "world/street.h"
#include "world/voxel.h"
#include "world/voxel_io.h"

struct roomgen_kind {
	const char *name;	/* NULL ends a list */
	/*
	 * Options it has a use for, blanks between, besides those that all
	 * kinds have; any other that is given is refused.
	 */
	const char *takes;
	bool border;		/* knows --obs border */
	bool several;		/* and --obs apart and shared */
	bool permute;		/* always has new symbols by seed */
	int id;			/* for the family */
	/* Look at options and the n operands behind the name; cmd_usage(). */
	void (*check)(const struct roomgen_kind *kind, char **operand, int n);
	/* Make rooms, each for roomgen_put(); -1 with err filled. */
	int (*make)(const struct roomgen_kind *kind, struct cscg_err *err);
};

struct roomgen_family {
	const char *title;	/* "hole, torus:", above its options */
	const struct cmd_opt *opts;	/* NULL: none */
	const struct roomgen_kind *kinds;
};

static const struct roomgen_family roomgen_shape, roomgen_parts,
    roomgen_street, roomgen_voxel, roomgen_file;

/* What --obs says; without it cells look as their kind has it. */
enum roomgen_obs {
	ROOMGEN_OBS_DEFAULT, ROOMGEN_OBS_BORDER, ROOMGEN_OBS_RANDOM,
	ROOMGEN_OBS_UNIQUE, ROOMGEN_OBS_APART, ROOMGEN_OBS_SHARED
};
static enum roomgen_obs roomgen_obs(void);

/* "3x4" or "1,2" of an option into two numbers, each at least least. */
static void roomgen_pair(const char *option, const char *word, char sep, int least,
    int *first, int *second);

/* Refuses any operand. */
static void roomgen_no_operand(const struct roomgen_kind *kind, char **operand,
    int n);

/*
 * The i-th room of this run is made: give it the symbols, slips and name that
 * the options ask for, and write it.  name is for one that --name does not
 * tell; NULL leaves the name it has.  Borrows room, and changes it.
 */
static int roomgen_put(struct cscg_room *room, long i, const char *name,
    struct cscg_err *err);

/* roomgen's rooms of a shape: five, digits, and the game */

enum { KIND_DIGIT = CSCG_TORUS + 1, KIND_GAME };
enum { GAME_SIDE = 4 };

static const char *const sizes[] = {
	"small", "medium", "large", NULL	/* as cscg_shape_size() counts */
};

static struct {
	const char *size, *hole, *notch;
} shape_set = { .size = "medium" };

static const struct cmd_opt shape_opts[] = {
	CMD_STRING(0, "size", &shape_set.size, "small|medium|large|SIZE",
	    "size of the room, or ROWSxCOLS cells"),
	CMD_STRING(0, "hole", &shape_set.hole, "HxW[@R,C]",
	    "hole: H rows by W columns, its first cell at row R, column C "
	    "(default: centred)"),
	CMD_STRING(0, "notch", &shape_set.notch, "HxW",
	    "ushape: notch of H rows by W columns"),
	CMD_END
};

static struct cscg_shape shape;		/* as checked */
static int digit;

/* The number of digits at *p, which goes on behind them; 0: there are none. */
static int
read_side(const char **p)
{
	char *end;
	long v;

	if (!isdigit((unsigned char)**p))
		return 0;
	v = strtol(*p, &end, 10);
	if (v < 1 || v > INT_MAX)
		cmd_usage("--size: %.*s is outside 1..%d", (int)(end - *p), *p,
		    INT_MAX);
	*p = end;
	return (int)v;
}

/* --size of a kind that has sizes of its own, or of a game, which has not. */
static void
check_size(const struct roomgen_kind *kind)
{
	struct cmd_suggest near = { .word = shape_set.size,
	    .n = strlen(shape_set.size) };
	const char *p = shape_set.size;
	char hint[CMD_SUGGEST_TEXT];
	int i;

	for (i = 0; sizes[i]; i++) {
		if (!strcmp(sizes[i], p)) {
			if (kind->id == KIND_GAME)
				cmd_usage("--size %s does not go with '%s'", p,
				    kind->name);
			cscg_shape_size(shape.kind, i, &shape.rows, &shape.cols);
			return;
		}
		cmd_suggest_add(&near, sizes[i]);
	}
	shape.rows = read_side(&p);
	shape.cols = shape.rows && *p++ == 'x' ? read_side(&p) : 0;
	if (!shape.cols || *p)
		cmd_usage("--size: '%s' is not small, medium, large or "
		    "ROWSxCOLS%s", shape_set.size, cmd_suggest_hint(&near, "",
		    hint));
}

/* --hole HxW, or HxW@R,C. */
static void
check_hole(void)
{
	const char *at = shape_set.hole ? strchr(shape_set.hole, '@') : NULL;
	char size[64];

	shape.hole_row = shape.hole_col = -1;
	if (!at || at == shape_set.hole ||
	    (size_t)(at - shape_set.hole) >= sizeof size) {
		roomgen_pair("hole", shape_set.hole, 'x', 1, &shape.hole_h,
		    &shape.hole_w);
		return;
	}
	memcpy(size, shape_set.hole, (size_t)(at - shape_set.hole));
	size[at - shape_set.hole] = '\0';
	roomgen_pair("hole", size, 'x', 1, &shape.hole_h, &shape.hole_w);
	roomgen_pair("hole", at + 1, ',', 0, &shape.hole_row, &shape.hole_col);
}

static void
check_shape(const struct roomgen_kind *kind, char **operand, int n)
{
	struct cscg_err err = { 0 };

	roomgen_no_operand(kind, operand, n);
	shape.kind = (enum cscg_shape_kind)kind->id;
	if (kind->id == KIND_GAME) {
		shape.kind = CSCG_TORUS;
		shape.rows = shape.cols = GAME_SIDE;
	}
	if (kind->id != KIND_GAME || cmd_given(&shape_set.size))
		check_size(kind);
	check_hole();
	roomgen_pair("notch", shape_set.notch, 'x', 1, &shape.notch_h,
	    &shape.notch_w);
	if (cscg_shape_resolve(&shape, &err) < 0)
		cmd_usage("%s%s", err.msg, cmd_suggest_remedy(err.hint));
}

static void
check_digit(const struct roomgen_kind *kind, char **operand, int n)
{
	(void)kind;
	if (n != 1 || strlen(operand[0]) != 1 ||
	    !isdigit((unsigned char)*operand[0]))
		cmd_usage("'digit' takes one operand, 0..9");
	digit = *operand[0] - '0';
	cmd_history_arg("digit", operand[0]);
}

static int
make_shape(const struct roomgen_kind *kind, struct cscg_err *err)
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
	.takes = "slip door size" more, .check = check_shape, .make = make_shape }

static const struct roomgen_kind shape_kinds[] = {
	SHAPE("rectangle", CSCG_RECTANGLE, ""),
	SHAPE("hole", CSCG_HOLE, " hole"),
	SHAPE("ushape", CSCG_USHAPE, " notch"),
	SHAPE("cylinder", CSCG_CYLINDER, ""),
	SHAPE("torus", CSCG_TORUS, ""),
	{ .name = "game", .id = KIND_GAME, .permute = true,
	  .takes = "slip size", .check = check_shape, .make = make_shape },
	{ .name = "digit", .id = KIND_DIGIT, .border = true,
	  .takes = "slip door",
	  .check = check_digit, .make = make_shape },
	{ .name = NULL }
};

static const struct roomgen_family roomgen_shape = {
	.title = "rectangle, hole, ushape, cylinder, torus, game, digit N:",
	.opts = shape_opts,
	.kinds = shape_kinds
};

/* roomgen's rooms from files: a text map, or rooms as they are */

enum { KIND_MAP, KIND_ROOM };

static char dash[] = "-";
static char *standard_input[] = { dash, NULL };

static struct {
	char **v;
	int n;
} files;

static void
check_file(const struct roomgen_kind *kind, char **operand, int n)
{
	if (kind->id == KIND_MAP && n > 1)
		cmd_usage("'map' takes one file");
	files.v = n ? operand : standard_input;
	files.n = n ? n : 1;
}

static int
make_map(const struct roomgen_kind *kind, struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(files.v[0], err);
	bool letters = roomgen_obs() == ROOMGEN_OBS_DEFAULT;
	struct cscg_grid *grid;
	struct cscg_room *room = NULL;
	int rc = -1;

	if (!in)
		return -1;
	grid = cscg_grid_read(in, err);
	if (grid && cscg_grid_is_walled(grid))
		cmd_warn("%s: '#' is floor and '.' is not; if '#' is meant to "
		    "be a wall here, exchange them (tr '#. ' '.##')",
		    cscg_in_name(in));
	cscg_in_close(in);
	if (grid)
		room = cscg_grid_to_room(grid, letters, err);
	if (room)
		rc = roomgen_put(room, 0, kind->name, err);
	cscg_room_free(room);
	cscg_grid_free(grid);
	return rc;
}

/* Write a room as asked; *n counts them over all files. */
static int
convert_room(void *n, struct cscg_room *room, struct cscg_err *err)
{
	int rc = roomgen_put(room, (*(long *)n)++, NULL, err);

	cscg_room_free(room);
	return rc;
}

static int
convert(const struct roomgen_kind *kind, struct cscg_err *err)
{
	long n = 0;
	int i;

	(void)kind;
	for (i = 0; i < files.n; i++)
		if (cscg_room_for_each(files.v[i], convert_room, &n, err) < 0)
			return -1;
	return 0;
}

static const struct roomgen_kind file_kinds[] = {
	{ .name = "map", .id = KIND_MAP, .border = true, .takes = "slip door",
	  .check = check_file, .make = make_map },
	{ .name = "room", .id = KIND_ROOM, .takes = "slip door", .check = check_file,
	  .make = convert },
	{ .name = NULL }
};

static const struct roomgen_family roomgen_file = {
	.title = "map [FILE], room [FILE]...:",
	.kinds = file_kinds
};

/* roomgen's 3D rooms: floors, ramps, ledges and walls */

/* The maps of the library.  A file of such a name is given as ./NAME. */
static const char *const map_names[] = {
	"room1", "room2", "room3", "room4", "room5", "room6", "compose4", NULL
};

static struct {
	const char *map;
	long theme;
} voxel_set = { .map = "room1" };

static const struct cmd_opt voxel_opts[] = {
	CMD_WORD_OR_FILE(0, "map", &voxel_set.map, map_names, "MAP",
	    "voxel: height map, a file or room1 ... room6, compose4"),
	CMD_LONG(0, "theme", &voxel_set.theme, 0, CSCG_THEME_MAX, "N",
	    "voxel: colours, textures and light"),
	CMD_END
};

static void
check_voxel(const struct roomgen_kind *kind, char **operand, int n)
{
	roomgen_no_operand(kind, operand, n);
}

/* A word that is no file: say which maps there are. */
static void
fail_map(struct cscg_err *err)
{
	char list[128];

	if (!strpbrk(voxel_set.map, "./"))
		cscg_fail(err, err->code, "'%.40s': No such file or directory, "
		    "nor one of %s", voxel_set.map, cmd_value_words(map_names,
		    list, sizeof list));
}

static struct cscg_voxel *
get_map(struct cscg_err *err)
{
	struct cscg_in *in;
	struct cscg_voxel *v;

	if (cmd_value_is_word(voxel_opts, voxel_set.map))
		return cscg_voxel_layout(voxel_set.map, err);
	in = cscg_in_open(voxel_set.map, err);
	if (!in && access(voxel_set.map, F_OK) < 0 && errno == ENOENT)
		fail_map(err);
	v = in ? cscg_voxel_read(in, err) : NULL;
	cscg_in_close(in);
	return v;
}

static int
make_voxel(const struct roomgen_kind *kind, struct cscg_err *err)
{
	struct cscg_voxel *v = get_map(err);
	struct cscg_room *room;
	int rc;

	if (!v)
		return -1;
	v->theme = (int)voxel_set.theme;
	room = cscg_voxel_room_take(v, err);
	rc = room ? roomgen_put(room, 0, cmd_value_is_word(voxel_opts, voxel_set.map) ?
	    voxel_set.map : kind->name, err) : -1;
	cscg_room_free(room);
	return rc;
}

static const struct roomgen_kind voxel_kinds[] = {
	{ .name = "voxel", .takes = "map theme door", .check = check_voxel,
	  .make = make_voxel },
	{ .name = NULL }
};

static const struct roomgen_family roomgen_voxel = {
	.title = "voxel:",
	.opts = voxel_opts,
	.kinds = voxel_kinds
};

/* roomgen's neighbourhoods of a town */

/* Streams of CSCG_RNG_STREET. */
enum { STREET_TOWN, STREET_HOOD };

static struct {
	struct cmd_list streets;
	long junctions, count;
} street_set = { .junctions = 5, .count = 1 };

static const struct cmd_opt street_opts[] = {
	CMD_LONG(0, "junctions", &street_set.junctions, 1, CSCG_NODE_MAX, "J",
	    "so many in a neighbourhood"),
	CMD_LONG(0, "count", &street_set.count, 1, 1e9, "N",
	    "so many neighbourhoods of one town"),
	CMD_FILES(0, "streets", &street_set.streets, "FILE",
	    "streets of a real town, or a directory of nodes.txt and "
	    "links.txt; may be repeated (default: a town by seed)"),
	CMD_END
};

/* Prepend the name of the file that is at fault, if there was one. */
static void
blame(struct cscg_err *err)
{
	char *name;

	if (!street_set.streets.n ||
	    (err->code != CSCG_EFORMAT && err->code != CSCG_EMISMATCH))
		return;
	name = cscg_stream_name(street_set.streets.v[0], "standard input", err);
	if (name)
		cscg_fail_at(err, "%s", name);
	free(name);
}

static struct cscg_town *
get_town(struct cscg_err *err)
{
	struct cscg_streets *net;
	struct cscg_town *town;
	struct cscg_rng rng;

	if (street_set.streets.n) {
		net = cscg_streets_read(street_set.streets.v, street_set.streets.n, err);
	} else {
		cscg_rng_seed(&rng, (uint64_t)cmd.seed, CSCG_RNG_STREET, 0,
		    STREET_TOWN);
		net = cscg_streets_generate(&rng, err);
	}
	if (!net)
		return NULL;
	town = cscg_town_new(net, err);
	cscg_streets_free(net);
	if (!town)
		blame(err);
	return town;
}

static int
make_hood(const struct cscg_town *town, long i, const char *name,
    struct cscg_err *err)
{
	struct cscg_room *room;
	struct cscg_rng rng;
	int rc;

	cscg_rng_seed(&rng, (uint64_t)cmd.seed, CSCG_RNG_STREET, (uint64_t)i,
	    STREET_HOOD);
	room = cscg_town_room(town, (int)street_set.junctions, &rng, err);
	if (!room) {
		blame(err);
		return -1;
	}
	rc = roomgen_put(room, i, name, err);
	cscg_room_free(room);
	return rc;
}

static int
make_street(const struct roomgen_kind *kind, struct cscg_err *err)
{
	struct cscg_town *town = get_town(err);
	int rc = town ? 0 : -1;
	long i;

	for (i = 0; i < street_set.count && rc == 0; i++)
		rc = make_hood(town, i, kind->name, err);
	cscg_town_free(town);
	return rc;
}

static const struct roomgen_kind street_kinds[] = {
	{ .name = "street", .takes = "junctions count streets",
	  .check = roomgen_no_operand, .make = make_street },
	{ .name = NULL }
};

static const struct roomgen_family roomgen_street = {
	.title = "street:",
	.opts = street_opts,
	.kinds = street_kinds
};

/* roomgen's rooms made of other rooms: compose and join */

enum { KIND_COMPOSE, KIND_JOIN };
enum { TWO_WAY, ONE_WAY };
enum { MIDDLE, RANDOM };

/* Streams of CSCG_RNG_WORLD, i = 0; roomwalk has 0 for its own. */
enum { WORLD_DOORS = 1 };

static const char *const doors[] = { "two-way", "one-way", NULL };
static const char *const spots[] = { "middle", "random", NULL };

static struct {
	const char *layout;
	long shared, gap, width;
	int doors, spot;
	struct cmd_list one_way;
} parts_set = { .shared = 6, .gap = 1, .width = 1 };

static const struct cmd_opt parts_opts[] = {
	CMD_STRING(0, "layout", &parts_set.layout, "RxC",
	    "join: arrange rooms in R rows of C (default: one row)"),
	CMD_LONG(0, "shared", &parts_set.shared, 0, CSCG_NODE_MAX, "N",
	    "compose: cells of both rooms, at least"),
	CMD_LONG(0, "gap", &parts_set.gap, 0, 1000, "N",
	    "join: empty rows and columns between rooms"),
	CMD_CHOICE(0, "doors", &parts_set.doors, doors,
	    "join: doors lead both ways, or only to the later room"),
	CMD_LIST(0, "one-way", &parts_set.one_way, "I,J",
	    "join: the door of rooms I and J leads only to J; may be repeated"),
	CMD_LONG(0, "door-width", &parts_set.width, 1, CSCG_NODE_MAX, "N",
	    "join: doors are N cells wide"),
	CMD_CHOICE(0, "door-at", &parts_set.spot, spots,
	    "join: where in a wall doors are; random: by seed"),
	CMD_END
};

static struct {
	char **file;
	int n_files;
	int rows, cols;		/* of the layout; 0: one row */
} parts_job;

/* The rooms of all files, in order. */
struct rooms {
	struct cscg_room **v;
	size_t n, cap;
};

static void
free_rooms(struct rooms *rooms)
{
	size_t i;

	for (i = 0; i < rooms->n; i++)
		cscg_room_free(rooms->v[i]);
	free(rooms->v);
}

static int
add_room(void *ctx, struct cscg_room *room, struct cscg_err *err)
{
	struct rooms *rooms = ctx;

	if (cscg_grow(&rooms->v, &rooms->cap, rooms->n + 1, sizeof *rooms->v,
	    err) < 0) {
		cscg_room_free(room);
		return -1;
	}
	rooms->v[rooms->n++] = room;
	return 0;
}

static int
read_rooms(struct rooms *rooms, struct cscg_err *err)
{
	int i;

	for (i = 0; i < parts_job.n_files; i++)
		if (cscg_room_for_each(parts_job.file[i], add_room, rooms, err) < 0)
			return -1;
	return 0;
}

static void
check_parts(const struct roomgen_kind *kind, char **operand, int n)
{
	parts_job.file = n ? operand : standard_input;
	parts_job.n_files = n ? n : 1;
	if (kind->id == KIND_COMPOSE && n > 2)
		cmd_usage("'compose' takes two rooms");
	roomgen_pair("layout", parts_set.layout, 'x', 1, &parts_job.rows,
	    &parts_job.cols);
}

static struct cscg_room *
compose(const struct rooms *rooms, struct cscg_err *err)
{
	if (rooms->n != 2) {
		cscg_fail(err, CSCG_EMISMATCH, "two rooms are wanted, but %zu "
		    "given", rooms->n);
		return NULL;
	}
	return cscg_compose_overlap(rooms->v[0], rooms->v[1], (int)parts_set.shared, err);
}

/* The pairs of --one-way, which are about n rooms. */
static int
get_ways(int (*way)[2], int n, struct cscg_err *err)
{
	int i;

	for (i = 0; i < parts_set.one_way.n; i++) {
		const char *word = parts_set.one_way.v[i];

		if (cscg_grid_parse_pair(word, ',', way[i], way[i] + 1) < 0 ||
		    way[i][0] >= n || way[i][1] >= n)
			return cscg_fail(err, CSCG_EUSAGE, "--one-way: '%s' is "
			    "not two rooms of 0..%d, like 0,1", word, n - 1);
	}
	return 0;
}

static enum cscg_compose_symbols
join_symbols(void)
{
	switch (roomgen_obs()) {
	case ROOMGEN_OBS_APART:
		return CSCG_COMPOSE_DISTINCT;
	case ROOMGEN_OBS_SHARED:
		return CSCG_COMPOSE_SHARED;
	default:
		return CSCG_COMPOSE_BORDER;
	}
}

static struct cscg_room *
join(const struct rooms *rooms, struct cscg_err *err)
{
	const struct cscg_room *const *v =
	    (const struct cscg_room *const *)rooms->v;
	struct cscg_compose_plan plan = { .rows = 1, .cols = (int)rooms->n,
	    .gap = (int)parts_set.gap, .width = (int)parts_set.width,
	    .one_way = parts_set.doors == ONE_WAY, .n_ways = parts_set.one_way.n };
	struct cscg_room *room = NULL;
	struct cscg_door *door = NULL;
	struct cscg_rng rng;
	double *place = NULL;
	long n_doors;

	if (parts_job.rows) {
		plan.rows = parts_job.rows;
		plan.cols = parts_job.cols;
	}
	if ((long)plan.rows * plan.cols < (long)rooms->n) {
		cscg_fail(err, CSCG_EMISMATCH, "%zu rooms do not fit in "
		    "%d rows of %d", rooms->n, plan.rows, plan.cols);
		return NULL;
	}
	if (parts_set.spot == RANDOM) {
		cscg_rng_seed(&rng, (uint64_t)cmd.seed, CSCG_RNG_WORLD, 0,
		    WORLD_DOORS);
		plan.rng = &rng;
	}
	place = cscg_alloc(2 * rooms->n, sizeof *place, err);
	plan.way = place ? cscg_alloc(plan.n_ways, sizeof *plan.way, err) :
	    NULL;
	if (plan.way && get_ways(plan.way, (int)rooms->n, err) == 0 &&
	    cscg_compose_layout(v, (int)rooms->n, &plan, place, &door, &n_doors,
	    err) == 0)
		room = cscg_compose_join(v, (int)rooms->n, place, door, n_doors,
		    join_symbols(), err);
	free(place);
	free(plan.way);
	free(door);
	return room;
}

static int
make_parts(const struct roomgen_kind *kind, struct cscg_err *err)
{
	struct rooms rooms = { NULL, 0, 0 };
	struct cscg_room *room = NULL;
	int rc = -1;

	if (read_rooms(&rooms, err) == 0)
		room = kind->id == KIND_COMPOSE ? compose(&rooms, err) :
		    join(&rooms, err);
	if (room)
		rc = roomgen_put(room, 0, kind->name, err);
	cscg_room_free(room);
	free_rooms(&rooms);
	return rc;
}

static const struct roomgen_kind parts_kinds[] = {
	{ .name = "compose", .id = KIND_COMPOSE, .border = true,
	  .takes = "slip door shared", .check = check_parts, .make = make_parts },
	{ .name = "join", .id = KIND_JOIN, .border = true,
	  .takes = "slip door layout gap doors one-way door-width door-at",
	  .several = true, .check = check_parts, .make = make_parts },
	{ .name = NULL }
};

static const struct roomgen_family roomgen_parts = {
	.title = "compose [FILE FILE], join [FILE]...:",
	.opts = parts_opts,
	.kinds = parts_kinds
};

enum { AS_ROOM, AS_MODEL };
enum { ROWS_MAX = 64 };

/* Streams of CSCG_RNG_LABELS; roomwalk has 0 for its own. */
enum { LABELS_PERMUTE = 1, LABELS_RANDOM = 2 };

static const char *const forms[] = { "room", "model", NULL };

static const struct roomgen_family *const families[] = {
	&roomgen_shape, &roomgen_parts, &roomgen_street, &roomgen_voxel,
	&roomgen_file, NULL
};

static struct {
	int as;
	const char *obs, *name;
	double slip, edge_count, pseudocount;
	struct cmd_list door;
	bool permute;
} set = { .edge_count = 100, .pseudocount = 1e-4 };


static const struct cmd_opt shared[] = {
	CMD_TITLE("all kinds:"),
	CMD_STRING(0, "obs", &set.obs, "HOW",
	    "symbols of nodes: border, random:K or unique; join: also apart or "
	    "shared (default: by kind)"),
	CMD_FLAG(0, "permute", &set.permute, "new symbols for old, by seed"),
	CMD_DOUBLE(0, "slip", &set.slip, 0, 1, "P",
	    "a move fails or goes sideways with probability P"),
	CMD_LIST(0, "door", &set.door, "R,C,ACTION",
	    "mark a frontier: ACTION (3D: the way one looks) leaves the room "
	    "at row R, column C; may be repeated"),
	CMD_STRING(0, "name", &set.name, "NAME",
	    "name of the room (default: its kind)"),
	CMD_CHOICE(0, "as", &set.as, forms,
	    "write the room, or its exact schema as a model"),
	CMD_DOUBLE(0, "edge-count", &set.edge_count, 1e-9, 1e12, "C",
	    "counts of each action of each node in the model"),
	CMD_DOUBLE(0, "pseudocount", &set.pseudocount, 0, 1e12, "P",
	    "pseudocount of the model"),
	CMD_END
};

/* Options that every kind takes. */
static const char *const all_take = "obs permute name as edge-count pseudocount";

static struct cmd_opt opts[ROWS_MAX];	/* see gather() */

static const struct cmd_info info = {
	.name = "roomgen",
	.operands = "KIND [OPERAND]...",
	.purpose = "make a room to walk in",
	.opts = opts,
	.min = 1,
	.max = -1,
	.uses = CMD_USES_SEED | CMD_USES_GZIP,
	.example = "roomgen hole --size 9x9 --hole 3x3@2,4 --slip 0.1 -o room.gz"
};

/* What the operands and options come to. */
static struct {
	const struct roomgen_kind *kind;
	enum roomgen_obs obs;
	int n_random;
} job;

/* Append rows up to CMD_END. */
static int
append(int n, const struct cmd_opt *row)
{
	for (; row && row->type != CMD_T_END; row++) {
		if (n == ROWS_MAX - 1)
			abort();	/* more rows than cmd.h has room for */
		opts[n++] = *row;
	}
	return n;
}

/* The options of all families under their titles, then those of all kinds. */
static void
gather(void)
{
	struct cmd_opt title[] = { CMD_TITLE(NULL), CMD_END };
	int i, n = 0;

	for (i = 0; families[i]; i++) {
		title[0].help = families[i]->title;
		n = append(n, title);
		n = append(n, families[i]->opts);
	}
	opts[append(n, shared)] = (struct cmd_opt)CMD_END;
}

static void
find_kind(const char *name)
{
	struct cmd_suggest near = { .word = name, .n = strlen(name) };
	char list[512], hint[CMD_SUGGEST_TEXT];
	const struct roomgen_kind *k;
	size_t n = 0;
	int i;

	list[0] = '\0';
	for (i = 0; families[i]; i++)
		for (k = families[i]->kinds; k->name; k++) {
			if (!strcmp(k->name, name)) {
				job.kind = k;
				return;
			}
			n += (size_t)snprintf(list + n, sizeof list - n,
			    "%s%s", n ? ", " : "", k->name);
			cmd_suggest_add(&near, k->name);
		}
	cmd_usage("'%s' is not a kind of room: %s%s", name, list,
	    cmd_suggest_hint(&near, "", hint));
}

/* Is word among words with blanks between? */
static bool
among(const char *words, const char *word)
{
	size_t len = strlen(word);
	const char *s = words;

	while (s && (s = strstr(s, word)) != NULL) {
		if ((s == words || s[-1] == ' ') &&
		    (s[len] == ' ' || !s[len]))
			return true;
		s += len;
	}
	return false;
}

/* An option that this kind has no use for. */
static void
refuse(const struct cmd_opt *o)
{
	const char *text = NULL;

	if (o->type == CMD_T_STRING)
		text = cmd_suggest_meaning(info.name, o->word, strlen(o->word),
		    *(const char *const *)o->var, NULL);
	cmd_usage("--%s does not go with '%s'%s%s", o->word, job.kind->name,
	    text ? ": " : "", text ? text : "");
}

/* Options that this kind has no use for were meant for another. */
static void
check_fit(void)
{
	const struct cmd_opt *o;

	for (o = opts; o->type != CMD_T_END; o++)
		if (o->var && cmd_given(o->var) && !among(all_take, o->word) &&
		    !among(job.kind->takes, o->word))
			refuse(o);
}

static void
check_obs(void)
{
	char *end;
	long k;

	if (!set.obs)
		return;
	if (!strcmp(set.obs, "border"))
		job.obs = ROOMGEN_OBS_BORDER;
	else if (!strcmp(set.obs, "unique"))
		job.obs = ROOMGEN_OBS_UNIQUE;
	else if (!strcmp(set.obs, "apart"))
		job.obs = ROOMGEN_OBS_APART;
	else if (!strcmp(set.obs, "shared"))
		job.obs = ROOMGEN_OBS_SHARED;
	else if (!strncmp(set.obs, "random:", 7) &&
	    isdigit((unsigned char)set.obs[7])) {
		job.obs = ROOMGEN_OBS_RANDOM;
		k = strtol(set.obs + 7, &end, 10);
		if (*end || k < 1 || k > CSCG_OBS_MAX)
			cmd_usage("--obs: '%s' is outside 1..%d", set.obs + 7,
			    CSCG_OBS_MAX);
		job.n_random = (int)k;
	} else
		cmd_usage("--obs: '%s' is not border, random:K, unique, apart or "
		    "shared", set.obs);
	if ((job.obs == ROOMGEN_OBS_BORDER && !job.kind->border) ||
	    (job.obs >= ROOMGEN_OBS_APART && !job.kind->several))
		cmd_usage("--obs %s does not go with '%s'", set.obs,
		    job.kind->name);
}

/* "3,8,right" into row, column and action; false if it is none. */
static bool
get_door(const char *word, int *row, int *col, const char **action)
{
	const char *comma = strchr(word, ',');
	char pair[32];

	comma = comma ? strchr(comma + 1, ',') : NULL;
	if (!comma || !comma[1] || (size_t)(comma - word) >= sizeof pair)
		return false;
	memcpy(pair, word, (size_t)(comma - word));
	pair[comma - word] = '\0';
	*action = comma + 1;
	return cscg_grid_parse_pair(pair, ',', row, col) == 0;
}

static void
check_doors(void)
{
	const char *action;
	int i, row, col;

	for (i = 0; i < set.door.n; i++)
		if (!get_door(set.door.v[i], &row, &col, &action))
			cmd_usage("--door: '%s' is not a row, a column and an "
			    "action like 3,8,right", set.door.v[i]);
}

static void
check_name(void)
{
	struct cscg_names names = { 0, NULL };
	struct cscg_err err = { 0 };

	if (set.name && cscg_names_add(&names, set.name, &err) < 0)
		cmd_usage("--name: %s", err.msg);
	cscg_names_free(&names);
}

static enum roomgen_obs
roomgen_obs(void)
{
	return job.obs;
}

static void
roomgen_pair(const char *option, const char *word, char sep, int least,
    int *first, int *second)
{
	if (word && (cscg_grid_parse_pair(word, sep, first, second) < 0 ||
	    *first < least || *second < least))
		cmd_usage("--%s: '%s' is not two numbers like 3%c4", option,
		    word, sep);
}

static void
roomgen_no_operand(const struct roomgen_kind *kind, char **operand, int n)
{
	(void)operand;
	if (n)
		cmd_usage("'%s' takes no operand", kind->name);
}

/* A frontier must be a wall now: else one way out would replace another. */
static int
mark_door(struct cscg_room *room, const char *word, struct cscg_err *err)
{
	const char *action;
	int row, col, a, v, at = -1;

	if (!get_door(word, &row, &col, &action))
		return cscg_fail(err, CSCG_EBUG, "--door %s", word);
	a = cscg_names_find(&room->actions, action);
	if (a < 0)
		return cscg_fail(err, CSCG_EUSAGE, "--door: the room has no "
		    "action '%.40s'", action);
	for (v = 0; room->coords && v < room->n_nodes; v++) {
		if (room->coords[2 * v] != row || room->coords[2 * v + 1] !=
		    col || cscg_room_successor(room, a, v) != v)
			continue;
		if (at >= 0)
			return cscg_fail(err, CSCG_EUSAGE, "--door: several "
			    "nodes are at %d,%d", row, col);
		at = v;
	}
	if (at < 0)
		return cscg_fail(err, CSCG_EUSAGE, "--door: there is no wall "
		    "%.40s of %d,%d", action, row, col);
	return cscg_room_add_frontier(room, at, a, err);
}

static int
mark_doors(struct cscg_room *room, struct cscg_err *err)
{
	int i, rc;

	for (i = 0; i < set.door.n; i++) {
		rc = !room->voxel ? mark_door(room, set.door.v[i], err) :
		    cscg_voxel_add_frontier(room, set.door.v[i], err);
		if (rc < 0)
			return room->voxel ? cscg_fail_at(err, "--door") : -1;
	}
	return 0;
}

/* Symbols and slips as the options have them. */
static int
finish(struct cscg_room *room, long i, struct cscg_err *err)
{
	struct cscg_rng rng;

	if (job.obs == ROOMGEN_OBS_UNIQUE)
		cscg_room_label_unique(room);
	if (job.obs == ROOMGEN_OBS_RANDOM) {
		cscg_rng_seed(&rng, (uint64_t)cmd.seed, CSCG_RNG_LABELS,
		    (uint64_t)i, LABELS_RANDOM);
		cscg_room_label_random(room, job.n_random, &rng);
	}
	if (set.permute || job.kind->permute) {
		cscg_rng_seed(&rng, (uint64_t)cmd.seed, CSCG_RNG_LABELS,
		    (uint64_t)i, LABELS_PERMUTE);
		if (cscg_room_permute(room, &rng, err) < 0)
			return -1;
	}
	if (set.slip > 0)
		return cscg_room_slip(room, set.slip, err);
	return 0;
}

static int
write_as(const struct cscg_room *room, struct cscg_err *err)
{
	struct cscg_out *out = cmd_out(err);
	struct cscg_model *model;
	int rc;

	if (!out)
		return -1;
	if (set.as == AS_ROOM) {
		rc = cscg_room_write(room, out, err);
	} else {
		model = cscg_room_model(room, set.edge_count, set.pseudocount,
		    NULL, err);
		rc = model ? cscg_model_write(model, out, err) : -1;
		cscg_model_free(model);
	}
	return rc < 0 ? -1 : cscg_out_flush(out, err);
}

static int
roomgen_put(struct cscg_room *room, long i, const char *name,
    struct cscg_err *err)
{
	if (mark_doors(room, err) < 0 || finish(room, i, err) < 0)
		return -1;
	if (set.name)
		name = set.name;
	if (name) {
		free(room->name);
		room->name = cscg_copy(name, strlen(name) + 1, 1, err);
		if (!room->name)
			return -1;
	}
	if (cmd_history(&room->history, err) < 0)
		return -1;
	return write_as(room, err);
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **operand;
	int n, rc;

	gather();
	operand = cmd_begin(&info, argc, argv, &n);
	find_kind(operand[0]);
	check_fit();
	check_obs();
	check_doors();
	check_name();
	cmd_history_arg("kind", operand[0]);
	job.kind->check(job.kind, operand + 1, n - 1);
	rc = cmd_out(&err) ? job.kind->make(job.kind, &err) : -1;
	return cmd_end(rc < 0 ? -1 : 1, &err);
}
