/*
 * html_torus.h - a torus as a doughnut
 *
 * Stress alone cannot tell which of two equal rings is the long way round, and
 * makes a twisted ball of both.
 */
#ifndef CSCG_HTML_TORUS_H
#define CSCG_HTML_TORUS_H

#include "base/error.h"
#include "show/html_turn.h"

/*
 * Are there two actions of which one leads round each ring of the component,
 * and the other from ring to ring and round again?  Then at[m * 3] become places
 * on a doughnut round the z axis.
 *
 * Returns 1; 0 with at as it was if it is no torus; -1 with err filled
 * (CSCG_ENOMEM).
 */
int cscg_layout_torus(const struct cscg_layout_component *t, double *at,
    struct cscg_err *err);

#endif
