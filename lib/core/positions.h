/*
 * positions.h - recorded positions and the steps of a walk that they belong to
 *
 * The table has a row for each position: columns x, y (may be absent: 0) and
 * step, the number of the step from 0.  Several positions may belong to one
 * step, since a step of a walk is a stay in a cell.  Without the column step,
 * row i belongs to step i.  Rows without a position are skipped.
 */
#ifndef CSCG_POSITIONS_H
#define CSCG_POSITIONS_H

#include "base/error.h"
#include "io/stream.h"

struct cscg_positions {
	long n;
	long *step;    /* [n] */
	double *x, *y; /* [n] */
	long n_rows;   /* of a table without the column step; else -1 */
	size_t cap_step, cap_x, cap_y;
};

/* 0, or -1 with err filled (CSCG_ENOMEM). */
int cscg_positions_add(struct cscg_positions *p, long step, double x, double y,
    struct cscg_err *err);

/*
 * Read a CSV or TSV table (path "-": standard input) into p, which is all zero
 * before; free it also on failure.  0, or -1 with err filled: CSCG_EREAD,
 * CSCG_ECUT, CSCG_EFORMAT.
 */
int cscg_positions_read(struct cscg_positions *p, const char *path,
    struct cscg_err *err);

/* The positions of steps below n_steps as CSV: step, x, y. */
int cscg_positions_write(const struct cscg_positions *p, long n_steps,
    struct cscg_out *out, struct cscg_err *err);

void cscg_positions_free(struct cscg_positions *p); /* p is empty afterwards */

#endif
