/*
 * measure.h - steps from positions over time
 *
 * A sample is a row of a recording.  Samples become steps in this order: lost
 * samples (without a position) are dropped, the others are thinned, positions
 * become cells, dwell in one cell is removed, and actions are derived from the
 * displacement to the next step.
 *
 * A step is a reset where tracking was lost before it, and where the
 * displacement to it is none of the actions: compass4 and turns have the four
 * neighbours of a cell, compass8 and egocentric the eight.
 */
#ifndef CSCG_MEASURE_H
#define CSCG_MEASURE_H

#include <stdbool.h>

#include "base/error.h"

enum { CSCG_MEASURE_AXES = 2 };

enum cscg_bins {
	CSCG_BINS_CELL,     /* of width cell[], one border at 0 */
	CSCG_BINS_GRID,     /* n_bins[] of equal width from the least to the
	                       largest value */
	CSCG_BINS_QUANTILE, /* n_bins[] of equally many samples */
};

enum cscg_derive {
	CSCG_DERIVE_COLUMN,     /* actions are not derived */
	CSCG_DERIVE_NONE,       /* one action */
	CSCG_DERIVE_COMPASS4,   /* direction of the displacement */
	CSCG_DERIVE_COMPASS8,   /* with diagonals */
	CSCG_DERIVE_EGOCENTRIC, /* eight directions relative to the previous
	                           displacement */
	CSCG_DERIVE_TURNS,      /* four of these */
};

struct cscg_measure_options {
	int n_axes; /* 0: no positions */
	enum cscg_bins bins;
	double cell[CSCG_MEASURE_AXES]; /* > 0 */
	int n_bins[CSCG_MEASURE_AXES];  /* > 0 */
	bool y_down;                    /* the second axis points down */
	long thin;        /* keep one row of this number; 0: all */
	double thin_time; /* keep rows this far apart; 0: all */
	bool moves;       /* drop a sample in the same cell as the
	                     previous one (n_axes 0: of the same
	                     label) */
	enum cscg_derive derive;
	double gap;          /* samples further apart in time have a reset
	                        between them; < 0: where a sample is lost */
	double episode_gap;  /* an episode begins after a longer gap; < 0:
	                        none */
	long episode_length; /* steps of an episode, at most; 0: any number */
};

struct cscg_sample {
	double p[CSCG_MEASURE_AXES]; /* position; NaN: lost */
	double t;                    /* does not decrease in an episode */
	int label;                   /* what is observed; -1: missing */
	int episode;                 /* ascending */
	bool reset;
};

struct cscg_measured {
	long sample; /* the first of this step */
	long last;   /* the last, before the next step */
	int cell[CSCG_MEASURE_AXES];
	int action; /* to the next step; cscg_measure_action() names it */
	bool first; /* begins an episode */
	bool reset;
};

struct cscg_measure_report {
	long lost;        /* samples without a position */
	long transitions; /* between steps without a gap between them */
	long skipped;     /* of these: resets, since no action has this
	                     displacement */
};

/*
 * The *n_steps steps of n samples, a new array for free(); NULL with err filled
 * (CSCG_ENOMEM; CSCG_ERANGE: a cell number too large for an int).  step_of[i]
 * (may be NULL) is the step that sample i belongs to, -1: it was lost or thinned
 * away.
 */
struct cscg_measured *cscg_measure(const struct cscg_measure_options *opt,
    const struct cscg_sample *sample, long n, long *n_steps, long *step_of,
    struct cscg_measure_report *report, struct cscg_err *err);

/* "east", "stay", "forward-left" ... */
const char *cscg_measure_action(enum cscg_derive derive, int action);

/* Does (cell, action) determine the next cell? */
bool cscg_measure_is_compass(enum cscg_derive derive);

#endif
