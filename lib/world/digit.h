/*
 * digit.h - ten handwritten digits as rooms
 */
#ifndef CSCG_DIGIT_H
#define CSCG_DIGIT_H

#include "world/grid.h"

enum { CSCG_DIGIT_MAX = 9 };

/*
 * The 28x28 image of digit n, 0 <= n <= CSCG_DIGIT_MAX: its black pixels are
 * accessible.  NULL with err filled (CSCG_ENOMEM).
 */
struct cscg_grid *cscg_digit_grid(int n, struct cscg_err *err);

#endif
