/* roomgen_voxel.c - roomgen's 3D rooms: floors, ramps, ledges and walls */
#include <string.h>

#include "roomgen.h"
#include "world/voxel_io.h"

static struct {
	const char *map;
	long theme;
} set;

static const struct cmd_opt opts[] = {
	CMD_FILE(0, "map", &set.map, "FILE",
	    "the map of heights (default: --layout room1)"),
	CMD_LONG(0, "theme", &set.theme, 0, CSCG_THEME_MAX, "N",
	    "colours, textures and light"),
	CMD_END
};

static void
judge(const struct roomgen_kind *kind, char **operand, int n)
{
	struct cscg_err err = { 0 };
	struct cscg_voxel *v;

	roomgen_no_operand(kind, operand, n);
	if (set.map && roomgen_layout)
		cmd_usage("--map and --layout do not go together");
	if (!roomgen_layout)
		return;
	v = cscg_voxel_layout(roomgen_layout, &err);
	if (!v && err.code == CSCG_EUSAGE)
		cmd_usage("--layout: %s", err.msg);
	cscg_voxel_free(v);
}

static struct cscg_voxel *
get_map(struct cscg_err *err)
{
	struct cscg_in *in;
	struct cscg_voxel *v;

	if (!set.map)
		return cscg_voxel_layout(roomgen_layout ? roomgen_layout :
		    "room1", err);
	in = cscg_in_open(set.map, err);
	v = in ? cscg_voxel_read(in, err) : NULL;
	cscg_in_close(in);
	return v;
}

static int
make(const struct roomgen_kind *kind, struct cscg_err *err)
{
	struct cscg_voxel *v = get_map(err);
	struct cscg_room *room;
	const char *name = roomgen_layout;
	int rc;

	if (!v)
		return -1;
	v->theme = (int)set.theme;
	room = cscg_voxel_room_take(v, err);
	if (!name)
		name = set.map ? kind->name : "room1";
	rc = room ? roomgen_put(room, 0, name, err) : -1;
	cscg_room_free(room);
	return rc;
}

static const struct roomgen_kind kinds[] = {
	{ .name = "voxel", .takes = "map layout theme door", .judge = judge,
	  .make = make },
	{ .name = NULL }
};

const struct roomgen_family roomgen_voxel = {
	.title = "voxel:",
	.opts = opts,
	.kinds = kinds
};
