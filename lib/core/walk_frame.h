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
	CSCG_FRAME_SIDE = 4096,		/* pixels, at most */
	CSCG_VIEW_MAX = 100000000	/* numbers of views are below */
};

struct json_t;	/* Jansson's */

/* Which views were shown. */
struct cscg_shown {
	unsigned char *bits;
	size_t cap;
	int top;	/* one more than the largest number */
};

/* 1 if view is new, 0 if it was shown before, -1 with err filled (ENOMEM). */
int cscg_shown_add(struct cscg_shown *s, int view, struct cscg_err *err);
bool cscg_shown_has(const struct cscg_shown *s, int view);
void cscg_shown_free(struct cscg_shown *s);	/* empties it, too */

/* Bytes of a frame. */
size_t cscg_frame_size(const struct cscg_head *head);

/*
 * Read a line with one view in the exact spelling of our writer: 1 with *view
 * set and the pixels (size bytes) in rgb, 0 for any other line.
 */
int cscg_frame_quick(const char *text, size_t len, size_t size, int *view,
    unsigned char *rgb);

/*
 * View i of the array: 0 with *view set and its pixels in rgb, or -1 with err
 * filled.
 */
int cscg_frame_get(struct json_t *views, size_t i,
    const struct cscg_head *head, int *view, unsigned char *rgb,
    struct cscg_err *err);

/* The optional "frame" and "priors" of a header; putting them there. */
int cscg_frame_head_get(struct json_t *obj, struct cscg_head *head,
    struct cscg_err *err);
int cscg_frame_head_put(struct json_t *obj, const struct cscg_head *head,
    struct cscg_err *err);

#endif
