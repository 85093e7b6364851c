/*
 * overview.h - top-down and isometric views of a 3D room
 */
#ifndef CSCG_OVERVIEW_H
#define CSCG_OVERVIEW_H

#include "io/image.h"
#include "world/scene.h"

struct cscg_overview_options {
	bool iso;  /* at an angle, from the south-east; or a map */
	int scale; /* pixels along a metre */
	/*
	 * A way to draw into it: nodes in order, -1 between ways that do not
	 * hang together.
	 */
	const int *path;
	long n_path;
};

/*
 * Walls that stand between the room and the one who looks are left out but for
 * a foot.  NULL with err filled: CSCG_EUSAGE if it would be too large,
 * CSCG_ENOMEM.
 */
struct cscg_image *cscg_overview_render(const struct cscg_scene *scene,
    const struct cscg_overview_options *opt, struct cscg_err *err);

#endif
