/*
 * walk_io.h - walk files as JSON Lines, streamed: cscg-walk(5)
 *
 * A reader returns steps as lines arrive and buffers one line.
 */
#ifndef CSCG_WALK_IO_H
#define CSCG_WALK_IO_H

#include "core/walk.h"
#include "io/stream.h"

/* cscg_walk_reader_open() on an open stream; takes in, also on failure. */
struct cscg_walk_reader *cscg_walk_reader_open_take(struct cscg_in *in,
    struct cscg_err *err);
const struct cscg_walk_header *cscg_walk_reader_header(
    const struct cscg_walk_reader *r);

/* Whether a step is buffered, so that no input is read.  For live tables. */
bool cscg_walk_reader_pending(const struct cscg_walk_reader *r);

/*
 * The remaining steps of a line at once, with only the fields that a
 * likelihood needs.  Only the last step may end its episode.
 */
struct cscg_walk_run {
	long n;
	const int *x, *a;           /* [n] as in struct cscg_step */
	const unsigned char *reset; /* [n] or NULL: none */
};

/* 1 with run borrowed from r until the next call, 0 at the end, -1. */
int cscg_walk_reader_next_run(struct cscg_walk_reader *r,
    struct cscg_walk_run *run, struct cscg_err *err);

/*
 * Call fn for the frame of each view as it arrives, before the steps that
 * refer to it.  fn gets step->view - 1 and the pixels, row by row, red, green,
 * blue; a nonzero result of fn, with err filled, ends reading.  Views are
 * numbered from first; the views of each walk follow those of the previous
 * walk.  cscg_walk_reader_next_view() is the first number that another reader
 * may use.  Without a callback, frames are checked and discarded.
 */
typedef int cscg_walk_frame_fn(void *ctx, int view, const unsigned char *rgb,
    struct cscg_err *err);
void cscg_walk_reader_on_frame(struct cscg_walk_reader *r, int first,
    cscg_walk_frame_fn *fn, void *ctx);
int cscg_walk_reader_next_view(const struct cscg_walk_reader *r);

/*
 * Append the remaining steps of r to *walk, as cscg_walk_read() does:
 * alphabets must agree (CSCG_EMISMATCH), actions are matched by name,
 * histories are joined.  Views of a file that has frames are dropped, unless
 * cscg_walk_reader_on_frame() was called; other views are kept.  If *walk is
 * NULL, it becomes a new walk with the header of r.  0, or -1 with err filled;
 * the caller frees *walk in either case.
 */
int cscg_walk_append(struct cscg_walk **walk, struct cscg_walk_reader *r,
    struct cscg_err *err);

struct cscg_walk_writer;

/* Writes the header; borrows out and head. */
struct cscg_walk_writer *cscg_walk_writer_new(struct cscg_out *out,
    const struct cscg_walk_header *head, struct cscg_err *err);

/*
 * Append a step; a = -1 ends the episode.  A live writer writes and flushes
 * each step as a line.  An optional field is written on the lines in which a
 * step has it: z or goal >= 0, r not NaN, reset set, view > 0.  CSCG_EBUG: a
 * step outside the alphabets of the header, or, if the header has frames, a
 * view whose frame was not written before.
 */
int cscg_walk_write_step(struct cscg_walk_writer *w,
    const struct cscg_step *step, struct cscg_err *err);
/* Write the frame of a view, once, before the first step with this view. */
int cscg_walk_write_frame(struct cscg_walk_writer *w, int view,
    const void *rgb, struct cscg_err *err);
void cscg_walk_writer_set_live(struct cscg_walk_writer *w, bool live);

/* Writes the end line. */
int cscg_walk_writer_finish(struct cscg_walk_writer *w, struct cscg_err *err);
void cscg_walk_writer_free(struct cscg_walk_writer *w);

/*
 * Write a whole walk, from header to end line.  If the header has frames,
 * views are not written, since a walk does not hold their frames.
 */
int cscg_walk_write(const struct cscg_walk *walk, struct cscg_out *out,
    struct cscg_err *err);

#endif
