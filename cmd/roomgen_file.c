/* roomgen_file.c - roomgen's rooms from files: a text map, or rooms as they are */
#include <stddef.h>

#include "world/grid.h"
#include "world/room_io.h"
#include "roomgen.h"

enum { KIND_MAP, KIND_ROOM };

static char dash[] = "-";
static char *standard_input[] = { dash, NULL };

static struct {
	char **v;
	int n;
} files;

static void
judge(const struct roomgen_kind *kind, char **operand, int n)
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
		cmd_say("%s: '#' is floor and '.' is not; if '#' is meant to "
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

static const struct roomgen_kind kinds[] = {
	{ .name = "map", .id = KIND_MAP, .border = true, .takes = "slip door",
	  .judge = judge, .make = make_map },
	{ .name = "room", .id = KIND_ROOM, .takes = "slip door", .judge = judge,
	  .make = convert },
	{ .name = NULL }
};

const struct roomgen_family roomgen_file = {
	.title = "map [FILE], room [FILE]...:",
	.kinds = kinds
};
