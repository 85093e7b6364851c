/*
 * checkpoint.h - checkpoint files of long jobs: written atomically, checked
 * against the inputs
 *
 * A job that is fixed by its input and options does the same things in the same
 * order whenever it is run.  So it is enough to keep what came out of those
 * that took long, each under a name that says which one it was; a job that is
 * resumed runs from the beginning and finds these done.  What was under way
 * has a name, too, and goes on from the state that was kept last.
 *
 * In a file this is gzip, with the sizes and bytes of this kind of machine.
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
 * options says in words what fixes the result besides the input, and input is
 * its digest.  keep() is called when something may be written, see
 * cscg_checkpoint_due(); -1 with err filled ends the job.  hold() may be NULL.
 */
struct cscg_checkpoint_options {
	const char *options;
	uint64_t input;
	long every; /* updates of each thing under way */

	/* Has somebody asked for it? */
	bool (*requested)(void *ctx);
	/* Write it now; may end the process, if that was asked for, too. */
	int (*write)(void *ctx, struct cscg_err *err);
	/* What follows can be lost (false), or must not be (true). */
	void (*hold)(void *ctx, bool on);
	void *ctx;
};

/* Copies options. */
struct cscg_checkpoint *cscg_checkpoint_new(
    const struct cscg_checkpoint_options *set, struct cscg_err *err);
void cscg_checkpoint_free(struct cscg_checkpoint *c);

/* A number for the next thing that is done, from 0; 0 without c. */
long cscg_checkpoint_next_id(struct cscg_checkpoint *c);

/* What is kept under a name, to be read from its beginning; NULL: nothing. */
struct cscg_blob *cscg_checkpoint_get(struct cscg_checkpoint *c,
    const char *name);

/* Keep b, which is taken and empty then, in place of what the name had. */
int cscg_checkpoint_take(struct cscg_checkpoint *c, const char *name,
    struct cscg_blob *b, struct cscg_err *err);
void cscg_checkpoint_drop(struct cscg_checkpoint *c, const char *name);

/* What is being done is not what it should be: write no more. */
void cscg_checkpoint_invalidate(struct cscg_checkpoint *c);

/* Is it time to keep the state of what is under way, after n updates? */
bool cscg_checkpoint_due(const struct cscg_checkpoint *c, long n);
/* Have it written, if there is news.  0, or -1 with err filled. */
int cscg_checkpoint_save(struct cscg_checkpoint *c, struct cscg_err *err);
void cscg_checkpoint_hold(struct cscg_checkpoint *c, bool on);

/* ---- files ---- */

/* Put in place when it is whole, like any output. */
int cscg_checkpoint_write(const struct cscg_checkpoint *c, const char *path,
    struct cscg_err *err);

/*
 * Go on from the file: 1, or 0 if there is none.  -1 with err filled:
 * CSCG_EMISMATCH if it belongs to other input or options, CSCG_EFORMAT and
 * CSCG_ECUT if it is no checkpoint, or not whole.
 */
int cscg_checkpoint_read(struct cscg_checkpoint *c, const char *path,
    struct cscg_err *err);

/* ---- digests ---- */

/* Mix n bytes into h: equal input, equal digest, and hardly otherwise. */
uint64_t cscg_digest(uint64_t h, const void *v, size_t n);

/* Of what learning looks at: alphabets, x, a, reset. */
uint64_t cscg_digest_walk(uint64_t h, const struct cscg_walk *w);
uint64_t cscg_digest_model(uint64_t h, const struct cscg_model *m);

#endif
