/*
 * dda.h - the cells that a straight line passes, one after the other
 */
#ifndef CSCG_DDA_H
#define CSCG_DDA_H

#include "world/voxel.h"

/* Axis 0 is x, east; axis 1 is y, south. */
struct cscg_dda {
	int cell[2];		/* column and row */
	int step[2];
	double next[2];		/* t where the line leaves the cell, by axis */
	double delta[2];
};

/* The line x + t dx, y + t dy, t >= 0. */
static inline void
cscg_dda_init(struct cscg_dda *d, double x, double y, double dx, double dy)
{
	const double from[2] = { x, y }, dir[2] = { dx, dy };
	int i;

	for (i = 0; i < 2; i++) {
		d->cell[i] = (int)from[i] - (from[i] < (int)from[i]);
		d->step[i] = dir[i] > 0 ? 1 : -1;
		if (dir[i] == 0) {
			d->next[i] = d->delta[i] = 1e30;
			continue;
		}
		d->delta[i] = 1 / (dir[i] > 0 ? dir[i] : -dir[i]);
		d->next[i] = (dir[i] > 0 ? d->cell[i] + 1 - from[i] :
		    from[i] - d->cell[i]) * d->delta[i];
	}
}

/* Which axis is crossed next, and on which side of the cell. */
static inline int
cscg_dda_axis(const struct cscg_dda *d)
{
	return d->next[1] < d->next[0];
}

static inline int
cscg_dda_side(const struct cscg_dda *d, int axis)
{
	if (axis)
		return d->step[1] > 0 ? CSCG_SOUTH : CSCG_NORTH;
	return d->step[0] > 0 ? CSCG_EAST : CSCG_WEST;
}

static inline void
cscg_dda_step(struct cscg_dda *d, int axis)
{
	d->cell[axis] += d->step[axis];
	d->next[axis] += d->delta[axis];
}

#endif
