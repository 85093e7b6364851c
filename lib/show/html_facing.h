/*
 * html_facing.h - pictures of worlds whose walker turns and goes forward
 *
 * There a state is a place and a heading, and an action leads another way from
 * each heading.  What turns is an action that is back after four times, and
 * not after two; what does not turn keeps the heading.
 */
#ifndef CSCG_HTML_FACING_H
#define CSCG_HTML_FACING_H

#include "base/error.h"
#include "show/html_moves.h"
#include "show/html_turn.h"

/*
 * Put the four headings of a place round it, and places where going forward
 * leads: at[m * 2] become a plan of the world, whose places are 3 apart.
 *
 * Returns 1; 0 with at as it was if this is no such world, or cannot be laid
 * flat; -1 with err filled (CSCG_ENOMEM).
 */
int cscg_layout_egocentric(const struct cscg_layout_component *t,
    const struct cscg_directions *directions, double *at, struct cscg_err *err);

#endif
