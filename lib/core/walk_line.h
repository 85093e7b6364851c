/*
 * walk_line.h - parser and frames of one line of a walk file
 */
#ifndef CSCG_WALK_LINE_H
#define CSCG_WALK_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "core/walk.h"

/*
 * the frames of a walk, for walk_io and walk_put
 *
 * A view is a frame with a number: cscg-walk(5).
 */

enum {
	CSCG_FRAME_SIDE_MAX = 4096, /* pixels, at most */
	CSCG_VIEW_MAX = 100000000,  /* numbers of views are below */
};

struct json_t; /* Jansson's */

/* Which views were shown. */
struct cscg_view_set {
	unsigned char *bits;
	size_t cap;
	int top; /* one more than the largest number */
};

/* 1 if view is new, 0 if it was shown before, -1 with err filled (ENOMEM). */
int cscg_view_set_add(struct cscg_view_set *s, int view, struct cscg_err *err);
bool cscg_view_set_has(const struct cscg_view_set *s, int view);
void cscg_view_set_free(struct cscg_view_set *s); /* empties it, too */

/* Bytes of a frame. */
size_t cscg_walk_frame_size(const struct cscg_walk_header *head);

/*
 * Read a line with one view in the exact spelling of our writer: 1 with *view
 * set and the pixels (size bytes) in rgb, 0 for any other line.
 */
int cscg_walk_frame_parse_fast(const char *text, size_t len, size_t size,
    int *view, unsigned char *rgb);

/*
 * View i of the array: 0 with *view set and its pixels in rgb, or -1 with err
 * filled.
 */
int cscg_walk_frame_from_json(struct json_t *views, size_t i,
    const struct cscg_walk_header *head, int *view, unsigned char *rgb,
    struct cscg_err *err);

/* The optional "frame" and "priors" of a header; putting them there. */
int cscg_walk_frame_header_from_json(struct json_t *obj,
    struct cscg_walk_header *head, struct cscg_err *err);
int cscg_walk_frame_header_to_json(struct json_t *obj,
    const struct cscg_walk_header *head, struct cscg_err *err);

enum {
	CSCG_WALK_LINE_STEPS = 1000,    /* what a writer puts on a line */
	CSCG_TRUE_STATE_MAX = 10000000, /* true nodes, or states of a model */
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
int cscg_walk_line_reserve(struct cscg_walk_line *l, size_t n,
    struct cscg_err *err);

void cscg_walk_line_free(struct cscg_walk_line *l); /* empties it, too */

/*
 * Read a line in the exact spelling of our writer, with all symbols, actions
 * and lengths right.  Returns 1 with *l filled, 0 for any other line (which may
 * be good or bad: *l is spoilt), -1 with err filled if memory is short.
 */
int cscg_walk_line_parse_fast(const char *text, size_t len, int n_actions,
    int n_obs, struct cscg_walk_line *l, struct cscg_err *err);

struct json_t; /* Jansson's */

/*
 * The same from a parsed object: all but its episode.  0 with *l filled, or -1
 * with err filled and the place named.
 */
int cscg_walk_line_from_json(struct json_t *obj, int n_actions, int n_obs,
    struct cscg_walk_line *l, struct cscg_err *err);

#endif
