/*
 * walk_line.h - the steps of one line of a walk, for walk_io and walk_put
 */
#ifndef CSCG_WALK_LINE_H
#define CSCG_WALK_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum {
	CSCG_WALK_LINE_STEPS = 1000,		/* what a writer puts on a line */
	CSCG_TRUE_STATE_MAX = 10000000	/* true nodes, or states of a model */
};

/*
 * n items in each array; those of a field that has not are anything.  Views
 * are as they stand in the line, -1 for none.
 */
struct cscg_walk_line {
	long n;
	long episode;
	bool last;
	bool has_z, has_reset, has_r, has_goal, has_view;
	int *x, *a, *z, *goal, *view;
	double *r;
	unsigned char *reset;
	size_t cap;
};

/* Room for n steps; what was there need not survive.  0, or -1 (ENOMEM). */
int cscg_walk_line_reserve(struct cscg_walk_line *l, size_t n, struct cscg_err *err);

void cscg_walk_line_free(struct cscg_walk_line *l);	/* empties it, too */

/*
 * Read a line in the exact spelling of our writer, with x, a and perhaps z,
 * v and last, and all symbols, actions and lengths right.  Returns 1 with *l
 * filled, 0 for any other line (which may be good or bad: *l is spoilt), -1
 * with err filled if memory is short.
 */
int cscg_walk_line_parse_fast(const char *text, size_t len, int n_actions, int n_obs,
    struct cscg_walk_line *l, struct cscg_err *err);

struct json_t;	/* Jansson's */

/*
 * The same from a parsed object: all but its episode.  0 with *l filled, or -1
 * with err filled and the place named.
 */
int cscg_walk_line_from_json(struct json_t *obj, int n_actions, int n_obs,
    struct cscg_walk_line *l, struct cscg_err *err);

#endif
