/* fuzz_map.c - rooms as text: roomgen map, roomgen voxel --map */
#include "fuzz.h"
#include "grid.h"
#include "grid_io.h"
#include "voxel.h"
#include "voxel_io.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cscg_err err = { 0 };
	struct cscg_in *in = fuzz_in(data, size);
	struct cscg_grid *g = cscg_grid_read(in, &err);
	struct cscg_voxel *v;

	if (!g)
		fuzz_refused(&err);
	cscg_grid_free(g);
	cscg_in_close(in);
	err = (struct cscg_err){ 0 };
	in = fuzz_in(data, size);
	v = cscg_voxel_read(in, &err);
	if (!v)
		fuzz_refused(&err);
	cscg_voxel_free(v);
	cscg_in_close(in);
	return 0;
}
