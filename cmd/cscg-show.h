/*
 * cscg-show.h - between cscg-show.c and cscg-show_ppm.c, which knows pictures
 */
#ifndef CSCG_SHOW_H
#define CSCG_SHOW_H

#include <stdbool.h>

#include "room.h"
#include "stream.h"

enum { SHOW_SCALE_MAX = 512 };

/* What the options of --as ppm say. */
struct show_ppm {
	const char *view;	/* --view; NULL: all */
	const char *size;	/* --frame; NULL: the default */
	bool top, iso;
	long scale;		/* pixels along a metre */
	int rows, cols;		/* of a frame, as judged */
};

/* Look at the options; on: --as ppm was given. */
void show_judge_ppm(struct show_ppm *ppm, bool on);

/* The picture of a room; the walks of -w may be drawn into it. */
int show_ppm_room(const struct show_ppm *ppm, const struct cscg_room *room,
    struct cscg_out *out, struct cscg_err *err);

/* The views that a walk brings along; takes in. */
int show_ppm_walk_take(const struct show_ppm *ppm, struct cscg_in *in,
    struct cscg_out *out, struct cscg_err *err);

#endif
