/*
 * voxel_layout.c - maps of 3D rooms by name
 *
 * They are here, and not only in data/rooms, so that an installed tool has
 * them.  Six rooms of different topology, and four of them joined.  Wide ramps
 * and few ledges: a place that is seldom reached is seldom learned.
 */
#include <stddef.h>

#include "world/voxel_io.h"

static const struct layout {
	const char *name, *text;
} layouts[] = {
	{ "room1",
	"; hall: flat, with two pillars\n"
	"000000000\n"
	"000000000\n"
	"00#000#00\n"
	"000000000\n"
	"000000000\n" },
	{ "room2",
	"; ell: flat, L-shaped, with a pillar\n"
	"0000000\n"
	"0000000\n"
	"00#0000\n"
	"0000\n"
	"0000\n"
	"0000\n"
	"0000\n" },
	{ "room3",
	"; podium: 1 m high in a corner, two wide ramps, drops between them\n"
	"0>>2222\n"
	"0>>2222\n"
	"0000222\n"
	"0000^^0\n"
	"0000^^0\n"
	"0000000\n" },
	{ "room4",
	"; terrace: 1 m above the court, a wide ramp, ledges beside it\n"
	"2222222\n"
	"2222222\n"
	"00^^^00\n"
	"00^^^00\n"
	"0000000\n" },
	{ "room5",
	"; bridge: 1 m high and two cells wide, ramps at both ends\n"
	"00000000\n"
	"00000000\n"
	"0>>22<<0\n"
	"0>>22<<0\n"
	"00000000\n" },
	{ "room6",
	"; tower: two ramps wind up to a 2 m deck, from which one can drop\n"
	"0>>2222\n"
	"0>>2222\n"
	"00###vv\n"
	"0000#vv\n"
	"0000444\n"
	"0000444\n" },
	{ "compose4",
	"; rooms 3, 4, 1 and 6 side by side with six doors, two of them one-way\n"
	"0>>22222222222\n"
	"0>>22222222222\n"
	"000022200^^^00\n"
	"0000^^000^^^00\n"
	"0000^^00000000\n"
	"0000000##0>>2222\n"
	"0000000000>>2222\n"
	"00000000000###vv\n"
	"00#000#000000#vv\n"
	"0000000000000444\n"
	"0000000000000444\n"
	"\n"
	"part room3 0,0 6x7\n"
	"part room4 0,7 5x7\n"
	"part room1 6,0 5x9\n"
	"part room6 5,9 6x7\n"
	"door 2,6 east\n"
	"door 4,6 east\n"
	"door 5,3 south\n"
	"door 4,9 south\n"
	"door 5,12 north\n"
	"door 8,8 east\n" },
	{ NULL, NULL }
};

const char *
cscg_voxel_layout_name(int i)
{
	return layouts[i].name;
}

const char *
cscg_voxel_layout_text(int i)
{
	return layouts[i].text;
}
