/* roomgen - generate rooms: simulated environments */
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

enum { AS_ROOM, AS_MODEL };
enum { MIDDLE, RANDOM };
enum { GAME_SIDE = 4 };

/* Streams of CSCG_RNG_LABELS and CSCG_RNG_WORLD; roomwalk has 0 for its own. */
enum { LABELS_PERMUTE = 1, LABELS_RANDOM = 2 };
enum { WORLD_DOORS = 1 };
/* Streams of CSCG_RNG_STREET. */
enum { STREET_TOWN, STREET_HOOD };

static const char *const forms[] = { "room", "model", NULL };
static const char *const door_places[] = { "middle", "random", NULL };
static const char *const sizes[] = {
	"small", "medium", "large", NULL, /* indices of cscg_shape_size() */
};

/* The maps of the library.  A file of such a name is given as ./NAME. */
static const char *const map_names[] = { "room1", "room2", "room3", "room4",
	"room5", "room6", "compose4", NULL };

/* Settings and options. */

static struct {
	const char *map, *size, *hole, *notch, *layout, *obs, *name;
	struct cmd_list streets, door;
	int door_at, as;
	long junctions, theme, count;
	double slip;
	bool permute;
} set = { .map = "room1", .size = "medium", .junctions = 5, .count = 1 };

static const struct cmd_opt opts[] = {
	CMD_TITLE(
	    "Kinds:\n"
	    "  rectangle, hole, ushape, cylinder, torus, game, digit N,\n"
	    "  compose [FILE FILE], join [FILE]..., street, voxel,\n"
	    "  map [FILE], room [FILE]..."),
	CMD_INPUT,
	CMD_WORD_OR_FILE(0, "map", &set.map, map_names, "MAP",
	    "voxel: height map, a file or room1 ... room6, compose4"),
	CMD_FILES(0, "streets", &set.streets, "FILE",
	    "street: real street network, or a directory with nodes.txt and "
	    "links.txt; may be repeated (default: a random town)"),
	CMD_MODEL,
	CMD_STRING(0, "size", &set.size, "small|medium|large|SIZE",
	    "size of the room, or ROWSxCOLS cells"),
	CMD_STRING(0, "hole", &set.hole, "HxW[@R,C]",
	    "hole: H rows by W columns, its first cell at row R, column C "
	    "(default: centred)"),
	CMD_STRING(0, "notch", &set.notch, "HxW",
	    "ushape: notch of H rows by W columns"),
	CMD_STRING(0, "layout", &set.layout, "RxC",
	    "join: arrange rooms in R rows of C (default: one row)"),
	CMD_LIST(0, "door", &set.door, "R,C,ACTION",
	    "mark a frontier: ACTION leaves the room at row R, column C "
	    "(voxel: ACTION is a heading); may be repeated"),
	CMD_CHOICE(0, "door-at", &set.door_at, door_places,
	    "join: position of doors in a wall"),
	CMD_STRING(0, "obs", &set.obs, "HOW",
	    "symbols of nodes: border, random:K, unique or walls; join: also "
	    "apart or shared (default: by kind)"),
	CMD_FLAG(0, "permute", &set.permute,
	    "permute the symbols (random, by seed)"),
	CMD_DOUBLE(0, "slip", &set.slip, 0, 1, "P",
	    "probability that an action fails or moves sideways, 0..1"),
	CMD_LONG(0, "junctions", &set.junctions, 1, CSCG_NODE_MAX, "J",
	    "street: junctions per neighbourhood"),
	CMD_LONG(0, "theme", &set.theme, 0, CSCG_THEME_MAX, "N",
	    "voxel: colours, textures and light"),
	CMD_OUTPUT,
	CMD_LONG(0, "count", &set.count, 1, 1e9, "N",
	    "street: neighbourhoods to write"),
	CMD_STRING(0, "name", &set.name, "NAME",
	    "name of the room (default: its kind)"),
	CMD_CHOICE(0, "as", &set.as, forms,
	    "write the room, or its exact model"),
	CMD_END,
};

static const struct cmd_info info = { .name = "roomgen",
	.operands = "KIND [OPERAND]...",
	.purpose = "generate rooms: simulated environments",
	.opts = opts,
	.min = 1,
	.max = -1,
	.uses = CMD_USES_SEED | CMD_USES_GZIP,
	.example =
	    "roomgen hole --size 9x9 --hole 3x3@2,4 --slip 0.1 -o room.gz" };

/* Settings derived from operands and options. */

struct kind {
	const char *name; /* NULL ends the list */
	/*
	 * Options of this kind, separated by blanks, besides those of all
	 * kinds; any other option is refused.
	 */
	const char *takes;
	bool border;  /* supports --obs border */
	bool several; /* and --obs apart and shared */
	bool permute; /* always has symbols permuted by the seed */
	int id;       /* of kinds that share functions */
	/* Check options and the n operands behind the name; cmd_usage(). */
	void (*check)(const struct kind *kind, char **operand, int n);
	/* Make rooms, each for write_room(); -1 with err filled. */
	int (*make)(const struct kind *kind, struct cscg_err *err);
};

/* --obs; by default the labelling of the kind. */
enum obs {
	OBS_DEFAULT,
	OBS_BORDER,
	OBS_RANDOM,
	OBS_UNIQUE,
	OBS_WALLS,
	OBS_APART,
	OBS_SHARED,
};

static struct {
	const struct kind *kind;
	enum obs obs;
	int n_random;
	char **file; /* operands that are files */
	int n_files;
} job;

static char dash[] = "-";
static char *standard_input[] = { dash, NULL };

static void
set_files(char **operand, int n)
{
	job.file = n ? operand : standard_input;
	job.n_files = n ? n : 1;
}

/* Finish a room: frontiers, symbols, slips, name; and write it. */

/* Parse "3,8,right" into row, column and action; false if invalid. */
static bool
parse_door(const char *word, int *row, int *col, const char **action)
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

/* A frontier must be a wall, since it would replace another transition. */
static int
mark_grid_door(struct cscg_room *room, const char *word, struct cscg_err *err)
{
	const char *action;
	int row, col, a, v, at = -1;

	if (!parse_door(word, &row, &col, &action))
		return cscg_fail(err, CSCG_EBUG, "--door %s", word);
	a = cscg_names_find(&room->actions, action);
	if (a < 0)
		return cscg_fail(err, CSCG_EUSAGE,
		    "--door: the room has no action '%.40s'", action);
	for (v = 0; room->coords && v < room->n_nodes; v++) {
		if (room->coords[2 * v] != row ||
		    room->coords[2 * v + 1] != col ||
		    cscg_room_successor(room, a, v) != v)
			continue;
		if (at >= 0)
			return cscg_fail(err, CSCG_EUSAGE,
			    "--door: several nodes are at %d,%d", row, col);
		at = v;
	}
	if (at < 0)
		return cscg_fail(err, CSCG_EUSAGE,
		    "--door: there is no wall %.40s of %d,%d", action, row,
		    col);
	return cscg_room_add_frontier(room, at, a, err);
}

static int
mark_doors(struct cscg_room *room, struct cscg_err *err)
{
	int i, rc;

	for (i = 0; i < set.door.n; i++) {
		rc = !room->voxel ?
		    mark_grid_door(room, set.door.v[i], err) :
		    cscg_voxel_add_frontier(room, set.door.v[i], err);
		if (rc < 0)
			return room->voxel ? cscg_fail_at(err, "--door") : -1;
	}
	return 0;
}

/* Apply the options for symbols and slips. */
static int
relabel(struct cscg_room *room, long i, struct cscg_err *err)
{
	struct cscg_rng rng;

	if (job.obs == OBS_UNIQUE)
		cscg_room_label_unique(room);
	if (job.obs == OBS_WALLS && cscg_room_label_walls(room, err) < 0)
		return -1;
	if (job.obs == OBS_RANDOM) {
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
write_result(const struct cscg_room *room, struct cscg_err *err)
{
	struct cscg_out *out = cmd_out(err);
	struct cscg_model *model;
	int rc;

	if (!out)
		return -1;
	if (set.as == AS_ROOM) {
		rc = cscg_room_write(room, out, err);
	} else {
		model = cscg_room_model(room, CSCG_ROOM_EDGE_COUNT,
		    CSCG_ROOM_PSEUDOCOUNT, NULL, err);
		rc = model ? cscg_model_write(model, out, err) : -1;
		cscg_model_free(model);
	}
	return rc < 0 ? -1 : cscg_out_flush(out, err);
}

static int
write_room(struct cscg_room *room, long i, const char *name,
    struct cscg_err *err)
{
	if (mark_doors(room, err) < 0 || relabel(room, i, err) < 0)
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
	return write_result(room, err);
}

/* Words of options. */

static void
parse_pair(const char *option, const char *word, char sep, int least,
    int *first, int *second)
{
	if (word &&
	    (cscg_grid_parse_pair(word, sep, first, second) < 0 ||
		*first < least || *second < least))
		cmd_usage("--%s: '%s' is not two numbers like 3%c4", option,
		    word, sep);
}

static void
check_no_operand(const struct kind *kind, char **operand, int n)
{
	(void)operand;
	if (n)
		cmd_usage("'%s' takes no operand", kind->name);
}

/* Rooms of a shape: five, digits, and the game. */

enum { KIND_DIGIT = CSCG_TORUS + 1, KIND_GAME };

static struct cscg_shape shape;
static int digit;

/* Parse the digits at *p, which moves past them; 0: no digits. */
static int
parse_side(const char **p)
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

/* --size of a kind that has sizes, or of a game, which has none. */
static void
check_size(const struct kind *kind)
{
	struct cmd_suggest near = { .word = set.size, .n = strlen(set.size) };
	const char *p = set.size;
	char hint[CMD_SUGGEST_TEXT];
	int i;

	for (i = 0; sizes[i]; i++) {
		if (!strcmp(sizes[i], p)) {
			if (kind->id == KIND_GAME)
				cmd_usage(
				    "--size %s cannot be combined with '%s'",
				    p, kind->name);
			cscg_shape_size(shape.kind, i, &shape.rows,
			    &shape.cols);
			return;
		}
		cmd_suggest_add(&near, sizes[i]);
	}
	shape.rows = parse_side(&p);
	shape.cols = shape.rows && *p++ == 'x' ? parse_side(&p) : 0;
	if (!shape.cols || *p)
		cmd_usage(
		    "--size: '%s' is not small, medium, large or ROWSxCOLS%s",
		    set.size, cmd_suggest_hint(&near, "", hint));
}

/* --hole HxW, or HxW@R,C. */
static void
check_hole(void)
{
	const char *at = set.hole ? strchr(set.hole, '@') : NULL;
	char size[64];

	shape.hole_row = shape.hole_col = -1;
	if (!at || at == set.hole || (size_t)(at - set.hole) >= sizeof size) {
		parse_pair("hole", set.hole, 'x', 1, &shape.hole_h,
		    &shape.hole_w);
		return;
	}
	memcpy(size, set.hole, (size_t)(at - set.hole));
	size[at - set.hole] = '\0';
	parse_pair("hole", size, 'x', 1, &shape.hole_h, &shape.hole_w);
	parse_pair("hole", at + 1, ',', 0, &shape.hole_row, &shape.hole_col);
}

static void
check_shape(const struct kind *kind, char **operand, int n)
{
	struct cscg_err err = { 0 };

	check_no_operand(kind, operand, n);
	shape.kind = (enum cscg_shape_kind)kind->id;
	if (kind->id == KIND_GAME) {
		shape.kind = CSCG_TORUS;
		shape.rows = shape.cols = GAME_SIDE;
	}
	if (kind->id != KIND_GAME || cmd_given(&set.size))
		check_size(kind);
	check_hole();
	parse_pair("notch", set.notch, 'x', 1, &shape.notch_h, &shape.notch_w);
	if (cscg_shape_resolve(&shape, &err) < 0)
		cmd_usage("%s%s", err.msg, cmd_suggest_remedy(err.hint));
}

static void
check_digit(const struct kind *kind, char **operand, int n)
{
	(void)kind;
	if (n != 1 || strlen(operand[0]) != 1 ||
	    !isdigit((unsigned char)*operand[0]))
		cmd_usage("'digit' takes one operand, 0..9");
	digit = *operand[0] - '0';
	cmd_history_arg("digit", operand[0]);
}

static int
make_shape(const struct kind *kind, struct cscg_err *err)
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
		rc = write_room(room, 0, is_digit ? name : kind->name, err);
	cscg_room_free(room);
	cscg_grid_free(grid);
	return rc;
}

/* Rooms from files: a text map, or room files. */

enum { KIND_MAP, KIND_ROOM };

static void
check_file(const struct kind *kind, char **operand, int n)
{
	if (kind->id == KIND_MAP && n > 1)
		cmd_usage("'map' takes one file");
	set_files(operand, n);
}

static int
make_map(const struct kind *kind, struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(job.file[0], err);
	bool letters = job.obs == OBS_DEFAULT;
	struct cscg_grid *grid;
	struct cscg_room *room = NULL;
	int rc = -1;

	if (!in)
		return -1;
	grid = cscg_grid_read(in, err);
	if (grid && cscg_grid_is_walled(grid))
		cmd_warn("%s: '#' is floor and '.' is not; if '#' should "
			 "be a wall here, exchange them (tr '#. ' '.##')",
		    cscg_in_name(in));
	cscg_in_close(in);
	if (grid)
		room = cscg_grid_to_room(grid, letters, err);
	if (room)
		rc = write_room(room, 0, kind->name, err);
	cscg_room_free(room);
	cscg_grid_free(grid);
	return rc;
}

/* Write a room with the options applied; *n counts rooms over all files. */
static int
rewrite_room(void *n, struct cscg_room *room, struct cscg_err *err)
{
	int rc = write_room(room, (*(long *)n)++, NULL, err);

	cscg_room_free(room);
	return rc;
}

static int
make_rooms(const struct kind *kind, struct cscg_err *err)
{
	long n = 0;
	int i;

	(void)kind;
	for (i = 0; i < job.n_files; i++)
		if (cscg_room_for_each(job.file[i], rewrite_room, &n, err) < 0)
			return -1;
	return 0;
}

/* 3D rooms: floors, ramps, ledges and walls. */

static bool
is_map_name(const char *word)
{
	int i;

	for (i = 0; map_names[i] && strcmp(map_names[i], word); i++)
		;
	return map_names[i];
}

static void
check_voxel(const struct kind *kind, char **operand, int n)
{
	check_no_operand(kind, operand, n);
}

/* The word is not a file: list the built-in maps. */
static void
fail_map(struct cscg_err *err)
{
	char list[128];

	if (!strpbrk(set.map, "./"))
		cscg_fail(err, err->code,
		    "'%.40s': No such file or directory, nor one of %s",
		    set.map, cmd_value_words(map_names, list, sizeof list));
}

static struct cscg_voxel *
read_map(struct cscg_err *err)
{
	struct cscg_in *in;
	struct cscg_voxel *v;

	if (is_map_name(set.map))
		return cscg_voxel_layout(set.map, err);
	in = cscg_in_open(set.map, err);
	if (!in && access(set.map, F_OK) < 0 && errno == ENOENT)
		fail_map(err);
	v = in ? cscg_voxel_read(in, err) : NULL;
	cscg_in_close(in);
	return v;
}

static int
make_voxel(const struct kind *kind, struct cscg_err *err)
{
	struct cscg_voxel *v = read_map(err);
	struct cscg_room *room;
	int rc;

	if (!v)
		return -1;
	v->theme = (int)set.theme;
	room = cscg_voxel_room_take(v, err);
	rc = room ? write_room(room, 0,
			is_map_name(set.map) ? set.map : kind->name, err) :
		    -1;
	cscg_room_free(room);
	return rc;
}

/* Neighbourhoods of a town. */

/* Prepend the name of the file with the error, if there is one. */
static void
fail_in_streets(struct cscg_err *err)
{
	char *name;

	if (!set.streets.n ||
	    (err->code != CSCG_EFORMAT && err->code != CSCG_EMISMATCH))
		return;
	name = cscg_stream_name(set.streets.v[0], "standard input", err);
	if (name)
		cscg_fail_at(err, "%s", name);
	free(name);
}

static struct cscg_town *
read_town(struct cscg_err *err)
{
	struct cscg_streets *net;
	struct cscg_town *town;
	struct cscg_rng rng;

	if (set.streets.n) {
		net = cscg_streets_read(set.streets.v, set.streets.n, err);
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
		fail_in_streets(err);
	return town;
}

static int
make_neighbourhood(const struct cscg_town *town, long i, const char *name,
    struct cscg_err *err)
{
	struct cscg_room *room;
	struct cscg_rng rng;
	int rc;

	cscg_rng_seed(&rng, (uint64_t)cmd.seed, CSCG_RNG_STREET, (uint64_t)i,
	    STREET_HOOD);
	room = cscg_town_room(town, (int)set.junctions, &rng, err);
	if (!room) {
		fail_in_streets(err);
		return -1;
	}
	rc = write_room(room, i, name, err);
	cscg_room_free(room);
	return rc;
}

static int
make_street(const struct kind *kind, struct cscg_err *err)
{
	struct cscg_town *town = read_town(err);
	int rc = town ? 0 : -1;
	long i;

	for (i = 0; i < set.count && rc == 0; i++)
		rc = make_neighbourhood(town, i, kind->name, err);
	cscg_town_free(town);
	return rc;
}

/* Rooms composed of other rooms: compose and join. */

enum { KIND_COMPOSE, KIND_JOIN };

static int layout_rows, layout_cols; /* 0: one row */

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

	for (i = 0; i < job.n_files; i++)
		if (cscg_room_for_each(job.file[i], add_room, rooms, err) < 0)
			return -1;
	return 0;
}

static void
check_parts(const struct kind *kind, char **operand, int n)
{
	set_files(operand, n);
	if (kind->id == KIND_COMPOSE && n > 2)
		cmd_usage("'compose' takes two rooms");
	parse_pair("layout", set.layout, 'x', 1, &layout_rows, &layout_cols);
}

static struct cscg_room *
compose(const struct rooms *rooms, struct cscg_err *err)
{
	if (rooms->n != 2) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "two rooms are required, but %zu given", rooms->n);
		return NULL;
	}
	return cscg_compose_overlap(rooms->v[0], rooms->v[1],
	    CSCG_COMPOSE_MIN_SHARED, err);
}

static enum cscg_compose_symbols
join_symbols(void)
{
	switch (job.obs) {
	case OBS_APART:
		return CSCG_COMPOSE_DISTINCT;
	case OBS_SHARED:
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
	struct cscg_compose_plan plan = { .rows = layout_rows ? layout_rows :
								1,
		.cols = layout_rows ? layout_cols : (int)rooms->n };
	struct cscg_room *room = NULL;
	struct cscg_door *door = NULL;
	struct cscg_rng rng;
	double *place = NULL;
	long n_doors;

	if ((long)plan.rows * plan.cols < (long)rooms->n) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "%zu rooms do not fit in %d rows of %d", rooms->n,
		    plan.rows, plan.cols);
		return NULL;
	}
	if (set.door_at == RANDOM) {
		cscg_rng_seed(&rng, (uint64_t)cmd.seed, CSCG_RNG_WORLD, 0,
		    WORLD_DOORS);
		plan.rng = &rng;
	}
	place = cscg_alloc(2 * rooms->n, sizeof *place, err);
	if (place &&
	    cscg_compose_layout(v, (int)rooms->n, &plan, place, &door,
		&n_doors, err) == 0)
		room = cscg_compose_join(v, (int)rooms->n, place, door,
		    n_doors, join_symbols(), err);
	free(place);
	free(door);
	return room;
}

static int
make_parts(const struct kind *kind, struct cscg_err *err)
{
	struct rooms rooms = { NULL, 0, 0 };
	struct cscg_room *room = NULL;
	int rc = -1;

	if (read_rooms(&rooms, err) == 0)
		room = kind->id == KIND_COMPOSE ? compose(&rooms, err) :
						  join(&rooms, err);
	if (room)
		rc = write_room(room, 0, kind->name, err);
	cscg_room_free(room);
	free_rooms(&rooms);
	return rc;
}

#define SHAPE(word, which, more) \
	{ \
		.name = (word), .id = (which), .border = true, \
		.takes = "slip door size" more, .check = check_shape, \
		.make = make_shape \
	}

/* clang-format off */
static const struct kind kinds[] = {
	SHAPE("rectangle", CSCG_RECTANGLE, ""),
	SHAPE("hole", CSCG_HOLE, " hole"),
	SHAPE("ushape", CSCG_USHAPE, " notch"),
	SHAPE("cylinder", CSCG_CYLINDER, ""),
	SHAPE("torus", CSCG_TORUS, ""),
	{ .name = "game", .id = KIND_GAME, .permute = true,
	  .takes = "slip size", .check = check_shape, .make = make_shape },
	{ .name = "digit", .id = KIND_DIGIT, .border = true,
	  .takes = "slip door", .check = check_digit, .make = make_shape },
	{ .name = "compose", .id = KIND_COMPOSE, .border = true,
	  .takes = "slip door", .check = check_parts, .make = make_parts },
	{ .name = "join", .id = KIND_JOIN, .border = true, .several = true,
	  .takes = "slip door layout door-at", .check = check_parts,
	  .make = make_parts },
	{ .name = "street", .takes = "junctions count streets",
	  .check = check_no_operand, .make = make_street },
	{ .name = "voxel", .takes = "map theme door", .check = check_voxel,
	  .make = make_voxel },
	{ .name = "map", .id = KIND_MAP, .border = true, .takes = "slip door",
	  .check = check_file, .make = make_map },
	{ .name = "room", .id = KIND_ROOM, .takes = "slip door",
	  .check = check_file, .make = make_rooms },
	{ .name = NULL },
};
/* clang-format on */

/* Options that every kind takes. */
static const char *const all_take = "obs permute name as";

static void
find_kind(const char *name)
{
	struct cmd_suggest near = { .word = name, .n = strlen(name) };
	char list[512], hint[CMD_SUGGEST_TEXT];
	const struct kind *k;
	size_t n = 0;

	list[0] = '\0';
	for (k = kinds; k->name; k++) {
		if (!strcmp(k->name, name)) {
			job.kind = k;
			return;
		}
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%s",
		    n ? ", " : "", k->name);
		cmd_suggest_add(&near, k->name);
	}
	cmd_usage("'%s' is not a kind of room: %s%s", name, list,
	    cmd_suggest_hint(&near, "", hint));
}

/* Whether word is one of words, which are separated by blanks. */
static bool
is_in(const char *words, const char *word)
{
	size_t len = strlen(word);
	const char *s = words;

	while (s && (s = strstr(s, word)) != NULL) {
		if ((s == words || s[-1] == ' ') && (s[len] == ' ' || !s[len]))
			return true;
		s += len;
	}
	return false;
}

/* Refuse an option that this kind does not use. */
static void
refuse_option(const struct cmd_opt *o)
{
	const char *text = NULL;

	if (o->type == CMD_T_STRING)
		text = cmd_suggest_meaning(info.name, o->word, strlen(o->word),
		    *(const char *const *)o->var, NULL);
	cmd_usage("--%s cannot be combined with '%s'%s%s", o->word,
	    job.kind->name, text ? ": " : "", text ? text : "");
}

/* Refuse options that belong to other kinds. */
static void
check_takes(void)
{
	const struct cmd_opt *o;

	for (o = opts; o->type != CMD_T_END; o++)
		if (o->var && cmd_given(o->var) && !is_in(all_take, o->word) &&
		    !is_in(job.kind->takes, o->word))
			refuse_option(o);
}

static void
check_obs(void)
{
	char *end;
	long k;

	if (!set.obs)
		return;
	if (!strcmp(set.obs, "border"))
		job.obs = OBS_BORDER;
	else if (!strcmp(set.obs, "unique"))
		job.obs = OBS_UNIQUE;
	else if (!strcmp(set.obs, "walls"))
		job.obs = OBS_WALLS;
	else if (!strcmp(set.obs, "apart"))
		job.obs = OBS_APART;
	else if (!strcmp(set.obs, "shared"))
		job.obs = OBS_SHARED;
	else if (!strncmp(set.obs, "random:", 7) &&
	    isdigit((unsigned char)set.obs[7])) {
		job.obs = OBS_RANDOM;
		k = strtol(set.obs + 7, &end, 10);
		if (*end || k < 1 || k > CSCG_OBS_MAX)
			cmd_usage("--obs: '%s' is outside 1..%d", set.obs + 7,
			    CSCG_OBS_MAX);
		job.n_random = (int)k;
	} else
		cmd_usage(
		    "--obs: '%s' is not border, random:K, unique, walls, "
		    "apart or shared",
		    set.obs);
	if ((job.obs == OBS_BORDER && !job.kind->border) ||
	    (job.obs >= OBS_APART && !job.kind->several))
		cmd_usage("--obs %s cannot be combined with '%s'", set.obs,
		    job.kind->name);
}

static void
check_doors(void)
{
	const char *action;
	int i, row, col;

	for (i = 0; i < set.door.n; i++)
		if (!parse_door(set.door.v[i], &row, &col, &action))
			cmd_usage("--door: '%s' is not a row, a column and an "
				  "action like 3,8,right",
			    set.door.v[i]);
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

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **operand;
	int n, rc;

	operand = cmd_begin(&info, argc, argv, &n);
	find_kind(operand[0]);
	check_takes();
	check_obs();
	check_doors();
	check_name();
	cmd_history_arg("kind", operand[0]);
	job.kind->check(job.kind, operand + 1, n - 1);
	rc = cmd_out(&err) ? job.kind->make(job.kind, &err) : -1;
	return cmd_end(rc < 0 ? -1 : 1, &err);
}
