/*
 * checkpoint.h - checkpoint files of long jobs: written atomically, checked
 * against the inputs
 *
 * A job is deterministic: input and options fix its tasks and their order.  A
 * checkpoint therefore stores the results of the long tasks, each under the
 * name of the task.  A resumed job runs from the beginning and takes these
 * results from the checkpoint.  An unfinished task has a name as well and
 * continues from its last stored state.
 *
 * The file is gzip, with the integer sizes and byte order of this machine.
 */
#ifndef CSCG_CHECKPOINT_H
#define CSCG_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "dist/blob.h"
#include "base/error.h"
#include "core/walk.h"

struct cscg_checkpoint;

/*
 * options is text that, with the input, determines the result; input is the
 * digest of the input.  write() is called when a checkpoint may be written,
 * see cscg_checkpoint_due(); -1 with err filled ends the job.  hold() may be
 * NULL.
 */
struct cscg_checkpoint_options {
	const char *options;
	uint64_t input;
	long every; /* interval, in updates of an unfinished task */

	/* Whether a checkpoint is requested. */
	bool (*requested)(void *ctx);
	/* Write the checkpoint; may end the process on request. */
	int (*write)(void *ctx, struct cscg_err *err);
	/* true: the work that follows must not be lost; false: it may be. */
	void (*hold)(void *ctx, bool on);
	void *ctx;
};

/* Copies options. */
struct cscg_checkpoint *cscg_checkpoint_new(
    const struct cscg_checkpoint_options *set, struct cscg_err *err);
void cscg_checkpoint_free(struct cscg_checkpoint *c);

/* The number of the next task, from 0; 0 if c is NULL. */
long cscg_checkpoint_next_id(struct cscg_checkpoint *c);

/* The blob stored under a name, at its beginning; NULL: none. */
struct cscg_blob *cscg_checkpoint_get(struct cscg_checkpoint *c,
    const char *name);

/* Store b under a name, replacing the old blob; takes the contents of b. */
int cscg_checkpoint_take(struct cscg_checkpoint *c, const char *name,
    struct cscg_blob *b, struct cscg_err *err);
void cscg_checkpoint_drop(struct cscg_checkpoint *c, const char *name);

/*
 * The job is no longer determined by input and options (a time limit ended a
 * task): write no further checkpoint.
 */
void cscg_checkpoint_invalidate(struct cscg_checkpoint *c);

/* Whether to store the state of an unfinished task after n updates. */
bool cscg_checkpoint_due(const struct cscg_checkpoint *c, long n);
/* Write the checkpoint if it has changed.  0, or -1 with err filled. */
int cscg_checkpoint_save(struct cscg_checkpoint *c, struct cscg_err *err);
void cscg_checkpoint_hold(struct cscg_checkpoint *c, bool on);

/* ---- files ---- */

/* Written to a temporary and renamed when complete, like any output. */
int cscg_checkpoint_write(const struct cscg_checkpoint *c, const char *path,
    struct cscg_err *err);

/*
 * Load the file: 1, or 0 if the file does not exist.  -1 with err filled:
 * CSCG_EMISMATCH if it belongs to other input or options, CSCG_EFORMAT if it
 * is not a checkpoint, CSCG_ECUT if it is truncated.
 */
int cscg_checkpoint_read(struct cscg_checkpoint *c, const char *path,
    struct cscg_err *err);

/* ---- digests ---- */

/*
 * Hash n bytes into h: equal input gives equal digests; collisions are rare.
 */
uint64_t cscg_digest(uint64_t h, const void *v, size_t n);

/* Digest of the data that learning uses: alphabets, x, a, reset. */
uint64_t cscg_digest_walk(uint64_t h, const struct cscg_walk *w);
uint64_t cscg_digest_model(uint64_t h, const struct cscg_model *m);

#endif
