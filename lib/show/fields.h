/*
 * fields.h - place fields: the posterior of each state over recorded positions
 *
 * The plane is divided into square bins.  The field of state j is
 *
 *     p[j][bin] = sum over positions in the bin of P(z[t] = j | walk) /
 *                 number of positions in the bin
 *
 * where t is the step of the position.  In a bin that was visited the fields of
 * all states sum to 1.
 */
#ifndef CSCG_FIELDS_H
#define CSCG_FIELDS_H

#include <stdbool.h>

#include "base/error.h"
#include "core/model.h"
#include "core/positions.h"
#include "core/walk.h"
#include "io/stream.h"
#include "kernel/trans.h"

struct cscg_fields {
	int n_states, rows, cols;
	double left, bottom, size; /* corner of bin 0, side of a bin */
	long *occupancy; /* [rows * cols] positions, lowest row first */
	double *p;       /* [n_states][rows * cols] */
};

/*
 * Fields of w, whose symbols and actions are the model's, with `bins` bins
 * along the longer side.  0, or -1 with err filled: CSCG_EMISMATCH (positions
 * of steps that w lacks, an episode that the model cannot produce),
 * CSCG_ERANGE (underflow), CSCG_ENOMEM.
 */
int cscg_fields_new(struct cscg_fields *f, const struct cscg_trans *tr,
    const struct cscg_walk *w, const struct cscg_positions *at, int bins,
    struct cscg_err *err);
void cscg_fields_free(struct cscg_fields *f); /* f is empty afterwards */

/* A row for each state and visited bin: state, x, y, occupancy, p. */
int cscg_fields_write(const struct cscg_fields *f, bool json,
    struct cscg_out *out, struct cscg_err *err);

/*
 * SVG: a panel for each state of m that has a field, shaded by p relative to
 * its largest value, which the panel shows.  y_down: low values of y are at the
 * top.
 */
int cscg_fields_write_svg(const struct cscg_fields *f,
    const struct cscg_model *m, const char *title, bool y_down,
    struct cscg_out *out, struct cscg_err *err);

#endif
