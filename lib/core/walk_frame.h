/*
 * walk_frame.h - the frames of a walk, for walk_io and walk_put
 *
 * A view is a frame with a number: cscg-walk(5).
 */
#ifndef CSCG_WALK_FRAME_H
#define CSCG_WALK_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "core/walk.h"

enum {
	CSCG_FRAME_SIDE_MAX = 4096,		/* pixels, at most */
	CSCG_VIEW_MAX = 100000000	/* numbers of views are below */
};

struct json_t;	/* Jansson's */

/* Which views were shown. */
struct cscg_view_set {
	unsigned char *bits;
	size_t cap;
	int top;	/* one more than the largest number */
};

/* 1 if view is new, 0 if it was shown before, -1 with err filled (ENOMEM). */
int cscg_view_set_add(struct cscg_view_set *s, int view, struct cscg_err *err);
bool cscg_view_set_has(const struct cscg_view_set *s, int view);
void cscg_view_set_free(struct cscg_view_set *s);	/* empties it, too */

/* Bytes of a frame. */
size_t cscg_walk_frame_size(const struct cscg_walk_header *head);

/*
 * Read a line with one view in the exact spelling of our writer: 1 with *view
 * set and the pixels (size bytes) in rgb, 0 for any other line.
 */
int cscg_walk_frame_parse_fast(const char *text, size_t len, size_t size, int *view,
    unsigned char *rgb);

/*
 * View i of the array: 0 with *view set and its pixels in rgb, or -1 with err
 * filled.
 */
int cscg_walk_frame_from_json(struct json_t *views, size_t i,
    const struct cscg_walk_header *head, int *view, unsigned char *rgb,
    struct cscg_err *err);

/* The optional "frame" and "priors" of a header; putting them there. */
int cscg_walk_frame_header_from_json(struct json_t *obj, struct cscg_walk_header *head,
    struct cscg_err *err);
int cscg_walk_frame_header_to_json(struct json_t *obj, const struct cscg_walk_header *head,
    struct cscg_err *err);

#endif
