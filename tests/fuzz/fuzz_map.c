/* fuzz_map.c - rooms as text: roomgen map, roomgen voxel --map, --map */
#include <string.h>

#include "fuzz.h"
#include "world/grid.h"
#include "world/voxel.h"
#include "world/voxel_io.h"

static void
grid(const uint8_t *data, size_t size)
{
	struct cscg_err err = { 0 };
	struct cscg_in *in = fuzz_in(data, size);
	struct cscg_grid *g = in ? cscg_grid_read(in, &err) : NULL;

	cscg_in_close(in);
	fuzz_failed |= fuzz_disarm();
	if (in && !g)
		fuzz_refused(&err);
	cscg_grid_free(g);
}

static void
voxel(const uint8_t *data, size_t size)
{
	struct cscg_err err = { 0 };
	struct cscg_in *in = fuzz_in(data, size);
	struct cscg_voxel *v = in ? cscg_voxel_read(in, &err) : NULL;

	cscg_in_close(in);
	fuzz_failed |= fuzz_disarm();
	if (in && !v)
		fuzz_refused(&err);
	cscg_voxel_free(v);
}

/* The bytes as the name of a layout. */
static void
layout(const uint8_t *data, size_t size)
{
	struct cscg_err err = { 0 };
	struct cscg_voxel *v;
	char name[64];

	if (size >= sizeof name || memchr(data, '\n', size))
		return;
	memcpy(name, data, size);
	name[size] = '\0';
	fuzz_arm();
	v = cscg_voxel_layout(name, &err);
	fuzz_failed |= fuzz_disarm();
	if (!v)
		fuzz_refused(&err);
	cscg_voxel_free(v);
}

void
fuzz_one(const uint8_t *data, size_t size)
{
	grid(data, size);
	voxel(data, size);
	layout(data, size);
}
