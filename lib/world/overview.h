/*
 * overview.h - top-down and isometric views of a 3D room
 */
#ifndef CSCG_OVERVIEW_H
#define CSCG_OVERVIEW_H

#include "io/image.h"
#include "world/scene.h"

struct cscg_overview_options {
	bool iso;  /* isometric, from the south-east; else top-down */
	int scale; /* pixels per metre */
	/*
	 * A path to draw: nodes in order, -1 between disconnected pieces.
	 */
	const int *path;
	long n_path;
};

/*
 * Of walls between the camera and the room only the foot is drawn.  NULL with
 * err filled: CSCG_EUSAGE if the image would be too large, CSCG_ENOMEM.
 */
struct cscg_image *cscg_overview_render(const struct cscg_scene *scene,
    const struct cscg_overview_options *opt, struct cscg_err *err);

#endif
