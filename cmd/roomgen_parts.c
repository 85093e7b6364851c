/* roomgen_parts.c - roomgen's rooms made of other rooms: compose and join */
#include <stdlib.h>

#include "world/compose.h"
#include "world/grid.h"
#include "base/mem.h"
#include "world/room_io.h"
#include "roomgen.h"

enum { KIND_COMPOSE, KIND_JOIN };
enum { TWO_WAY, ONE_WAY };
enum { MIDDLE, RANDOM };

/* Streams of CSCG_RNG_WORLD, i = 0; roomwalk has 0 for its own. */
enum { WORLD_DOORS = 1 };

static const char *const doors[] = { "two-way", "one-way", NULL };
static const char *const spots[] = { "middle", "random", NULL };
static const char *const symbols[] = {
	[CSCG_COMPOSE_BORDER] = "border", [CSCG_COMPOSE_DISTINCT] = "apart",
	[CSCG_COMPOSE_SHARED] = "shared", NULL
};

static struct {
	long shared, gap, width;
	int doors, spot, symbols;
	struct cmd_list one_way;
} set = { .shared = 6, .gap = 1, .width = 1 };

static const struct cmd_opt opts[] = {
	CMD_LONG(0, "shared", &set.shared, 0, CSCG_NODE_MAX, "N",
	    "compose: cells of both rooms, at least"),
	CMD_LONG(0, "gap", &set.gap, 0, 1000, "N",
	    "join: empty rows and columns between rooms"),
	CMD_CHOICE(0, "doors", &set.doors, doors,
	    "join: doors lead both ways, or only to the later room"),
	CMD_LIST(0, "one-way", &set.one_way, "I,J",
	    "join: the door of rooms I and J leads only to J; may be repeated"),
	CMD_LONG(0, "door-width", &set.width, 1, CSCG_NODE_MAX, "N",
	    "join: doors are N cells wide"),
	CMD_CHOICE(0, "door-at", &set.spot, spots,
	    "join: where in a wall doors are; random: by seed"),
	CMD_CHOICE(0, "symbols", &set.symbols, symbols,
	    "join: what nodes look like"),
	CMD_END
};

static struct {
	char **file;
	int n_files;
	int rows, cols;		/* of the layout; 0: one row */
} job;

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
judge(const struct roomgen_kind *kind, char **operand, int n)
{
	static char dash[] = "-";
	static char *standard_input[] = { dash, NULL };

	job.file = n ? operand : standard_input;
	job.n_files = n ? n : 1;
	if (kind->id == KIND_COMPOSE && n > 2)
		cmd_usage("'compose' takes two rooms");
	if (cmd_given(&set.symbols) && roomgen_obs() != ROOMGEN_OBS_DEFAULT)
		cmd_usage("--symbols does not go with --obs");
	roomgen_pair("layout", roomgen_layout, 'x', 1, &job.rows, &job.cols);
}

static struct cscg_room *
compose(const struct rooms *rooms, struct cscg_err *err)
{
	if (rooms->n != 2) {
		cscg_fail(err, CSCG_EMISMATCH, "two rooms are wanted, but %zu "
		    "given", rooms->n);
		return NULL;
	}
	return cscg_compose_overlap(rooms->v[0], rooms->v[1], (int)set.shared, err);
}

/* The pairs of --one-way, which are about n rooms. */
static int
get_ways(int (*way)[2], int n, struct cscg_err *err)
{
	int i;

	for (i = 0; i < set.one_way.n; i++) {
		const char *word = set.one_way.v[i];

		if (cscg_grid_parse_pair(word, ',', way[i], way[i] + 1) < 0 ||
		    way[i][0] >= n || way[i][1] >= n)
			return cscg_fail(err, CSCG_EUSAGE, "--one-way: '%s' is "
			    "not two rooms of 0..%d, like 0,1", word, n - 1);
	}
	return 0;
}

static struct cscg_room *
join(const struct rooms *rooms, struct cscg_err *err)
{
	const struct cscg_room *const *v =
	    (const struct cscg_room *const *)rooms->v;
	struct cscg_compose_plan plan = { .rows = 1, .cols = (int)rooms->n,
	    .gap = (int)set.gap, .width = (int)set.width,
	    .one_way = set.doors == ONE_WAY, .n_ways = set.one_way.n };
	struct cscg_room *room = NULL;
	struct cscg_door *door = NULL;
	struct cscg_rng rng;
	double *place = NULL;
	long n_doors;

	if (job.rows) {
		plan.rows = job.rows;
		plan.cols = job.cols;
	}
	if ((long)plan.rows * plan.cols < (long)rooms->n) {
		cscg_fail(err, CSCG_EMISMATCH, "%zu rooms do not fit in "
		    "%d rows of %d", rooms->n, plan.rows, plan.cols);
		return NULL;
	}
	if (set.spot == RANDOM) {
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
		    (enum cscg_compose_symbols)set.symbols, err);
	free(place);
	free(plan.way);
	free(door);
	return room;
}

static int
make(const struct roomgen_kind *kind, struct cscg_err *err)
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

static const struct roomgen_kind kinds[] = {
	{ .name = "compose", .id = KIND_COMPOSE, .border = true,
	  .takes = "slip door shared", .judge = judge, .make = make },
	{ .name = "join", .id = KIND_JOIN, .border = true,
	  .takes = "slip door layout gap doors one-way door-width door-at "
	  "symbols", .judge = judge, .make = make },
	{ .name = NULL }
};

const struct roomgen_family roomgen_parts = {
	.title = "compose [FILE FILE], join [FILE]...:",
	.opts = opts,
	.kinds = kinds
};
