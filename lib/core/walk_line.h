/*
 * walk_line.h - parser and frames of one line of a walk file
 */
#ifndef CSCG_WALK_LINE_H
#define CSCG_WALK_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/mem.h"
#include "core/walk.h"
#include "io/json_write.h"

/*
 * the frames of a walk
 *
 * A view is a numbered frame: cscg-walk(5).
 */

enum {
	CSCG_FRAME_SIDE_MAX = 4096, /* pixels, at most */
	CSCG_VIEW_MAX = 100000000,  /* bound: view < CSCG_VIEW_MAX */
};

struct json_t; /* Jansson's */

/* A set of views: those whose frames were read or written. */
struct cscg_view_set {
	unsigned char *bits;
	size_t cap;
	int top; /* largest view + 1 */
};

/* 1 if view was added, 0 if it was a member, -1 with err filled (ENOMEM). */
int cscg_view_set_add(struct cscg_view_set *s, int view, struct cscg_err *err);
bool cscg_view_set_has(const struct cscg_view_set *s, int view);
void cscg_view_set_free(struct cscg_view_set *s); /* s is empty afterwards */

/* Bytes of a frame. */
size_t cscg_walk_frame_size(const struct cscg_walk_header *head);

/*
 * Parse a line with one view in the exact format of the writer: 1 with *view
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

/* Read, and write, the optional "frame" and "priors" of a header. */
int cscg_walk_frame_header_from_json(struct json_t *obj,
    struct cscg_walk_header *head, struct cscg_err *err);
void cscg_walk_frame_header_write_json(struct cscg_json_writer *w,
    const struct cscg_walk_header *head);

/* Numbers and names of actions and symbols, in the first line of a walk or of
 * an environment: read into head, and write. */
int cscg_walk_alphabet_from_json(struct json_t *obj,
    struct cscg_walk_header *head, struct cscg_err *err);
void cscg_walk_alphabet_write_json(struct cscg_json_writer *w,
    const struct cscg_walk_header *head);

enum {
	CSCG_WALK_LINE_STEPS = 1000,    /* steps per line of a writer */
	CSCG_TRUE_STATE_MAX = 10000000, /* true nodes, or states of a model */
};

/*
 * The steps of a line: n items in each array; items of an absent field (has_*
 * false) are undefined.  Views are as in the line, -1 for none.
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
	struct cscg_pool mem;
};

/* Allocate n steps; the contents may be lost.  0, or -1 (ENOMEM). */
int cscg_walk_line_reserve(struct cscg_walk_line *l, size_t n,
    struct cscg_err *err);

void cscg_walk_line_free(struct cscg_walk_line *l); /* l is empty afterwards */

/*
 * Parse a line in the exact format of the writer, with all symbols, actions
 * and lengths valid.  Returns 1 with *l filled; 0 for any other line, valid or
 * not, with *l undefined; -1 with err filled (CSCG_ENOMEM).
 */
int cscg_walk_line_parse_fast(const char *text, size_t len, int n_actions,
    int n_obs, struct cscg_walk_line *l, struct cscg_err *err);

struct json_t; /* Jansson's */

/*
 * The same from a parsed object, without its episode.  0 with *l filled, or -1
 * with err filled; the message names the position.
 */
int cscg_walk_line_from_json(struct json_t *obj, int n_actions, int n_obs,
    struct cscg_walk_line *l, struct cscg_err *err);

#endif
