/*
 * frames.h - frames (images or vectors), deduplicated
 *
 * Invariants of frames:
 *   - the n frames are distinct; each has dim numbers of one type; frames are
 *     contiguous, and the first is aligned to 64 bytes
 *   - no number is NaN, infinite or -0
 *   - 64 bytes after the last frame are readable
 *   - weight[i] is the multiplicity of frame i, 0 until a caller sets it
 *   - view v of the input is frame frame_of[v]; -1: no frame
 */
#ifndef CSCG_FRAMES_H
#define CSCG_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "io/stream.h"

enum {
	CSCG_FRAME_DIMS = 3,
	CSCG_FRAME_MAX = 100000000, /* numbers in a frame; frames */
};

#define CSCG_PIXEL_MAX 1e100 /* absolute value of a number */

struct cscg_frames {
	enum cscg_pixel type;
	int ndim; /* of one frame; 0: a single number */
	long shape[CSCG_FRAME_DIMS];
	long dim;    /* product of shape */
	size_t size; /* bytes of one frame */
	long n;
	unsigned char *data; /* numbers of type */
	int64_t *weight;
	int *frame_of;
	long n_views;

	void *mem; /* allocation that contains data */
	size_t cap, cap_weight, cap_frame_of;
	int *slot; /* hash table of 1 + frame; 0: free */
	size_t n_slots;
	long n_expected; /* upper bound on n; 0: unknown */
};

/*
 * An empty set of frames.  NULL with err filled: CSCG_ERANGE for an
 * unsupported shape, ENOMEM.
 */
struct cscg_frames *cscg_frames_new(enum cscg_pixel type, int ndim,
    const long *shape, struct cscg_err *err);
void cscg_frames_free(struct cscg_frames *f);

/*
 * Add frame p as the given view; p is copied if it equals no stored frame.
 * Views may come in any order.  0, or -1 with err filled.
 */
int cscg_frames_add(struct cscg_frames *f, long view, const void *p,
    struct cscg_err *err);

/* Frame i converted to doubles; the address of frame i. */
void cscg_frames_get(const struct cscg_frames *f, long i, double *out);
const void *cscg_frames_at(const struct cscg_frames *f, long i);

/* Sum of the weights; number of frames with weight > 0. */
int64_t cscg_frames_total_weight(const struct cscg_frames *f);
long cscg_frames_n_used(const struct cscg_frames *f);

/*
 * Frames from a .npy array whose first index is the view: u1 and b1 as bytes,
 * f4 as single, all others as double.  Returns NULL with err filled: as
 * cscg_npy_read() does, and CSCG_ERANGE for NaN, infinities and an array
 * without frames.
 */
struct cscg_frames *cscg_frames_read(const char *path, struct cscg_err *err);

#endif
