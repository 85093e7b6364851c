/*
 * frames.h - frames (images or vectors), deduplicated
 *
 * What is always true of frames:
 *   - no two of the n frames are equal; each is dim numbers of one type, one
 *     frame after the other, beginning at a multiple of 64 bytes
 *   - no number is NaN or infinite, and there is no -0
 *   - 64 bytes behind the last frame can be read
 *   - weight[i] says how often frame i counts: 0 until somebody counts it
 *   - view v of what was read is frame frame_of[v], or none if that is -1
 */
#ifndef CSCG_FRAMES_H
#define CSCG_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "io/stream.h"

enum {
	CSCG_FRAME_DIMS = 3,
	CSCG_FRAME_MAX = 100000000, /* numbers in one, and of frames */
};

#define CSCG_PIXEL_MAX 1e100 /* of a number, whatever its sign */

struct cscg_frames {
	enum cscg_pixel type;
	int ndim; /* of one frame; 0: a single number */
	long shape[CSCG_FRAME_DIMS];
	long dim;    /* product of shape */
	size_t size; /* bytes of one */
	long n;
	unsigned char *data; /* read it by its type */
	int64_t *weight;
	int *frame_of;
	long n_views;

	void *mem; /* data is in here */
	size_t cap, cap_weight, cap_frame_of;
	int *slot; /* hash table of 1 + frame; 0: free */
	size_t n_slots;
	long n_expected; /* frames there may be; 0: unknown */
};

/* Empty; NULL with err filled: CSCG_ERANGE for sizes we do not hold, ENOMEM. */
struct cscg_frames *cscg_frames_new(enum cscg_pixel type, int ndim,
    const long *shape, struct cscg_err *err);
void cscg_frames_free(struct cscg_frames *f);

/*
 * Show frame p as the given view: it is copied if it is new.  Views need not
 * come in order.  0, or -1 with err filled.
 */
int cscg_frames_add(struct cscg_frames *f, long view, const void *p,
    struct cscg_err *err);

/* Frame i as doubles; and where it begins. */
void cscg_frames_get(const struct cscg_frames *f, long i, double *out);
const void *cscg_frames_at(const struct cscg_frames *f, long i);

/* Sum of weights, and how many are above 0. */
int64_t cscg_frames_total_weight(const struct cscg_frames *f);
long cscg_frames_n_used(const struct cscg_frames *f);

/*
 * Frames from a .npy array whose first index is the view: u1 and b1 as bytes,
 * f4 as single, all others as double.  Returns NULL with err filled:
 * CSCG_EFORMAT and so on as cscg_npy_read() says, CSCG_ERANGE for NaN and
 * infinities, and for an array that has no frames in it.
 */
struct cscg_frames *cscg_frames_read(const char *path, struct cscg_err *err);

#endif
