/*
 * walk_io.h - walk files as JSON Lines, streamed: cscg-walk(5)
 *
 * A reader hands over steps as lines arrive and holds one line at a time.
 */
#ifndef CSCG_WALK_IO_H
#define CSCG_WALK_IO_H

#include "core/walk.h"
#include "io/stream.h"

/* cscg_walk_reader_open() with an open stream; takes in, also when it fails. */
struct cscg_walk_reader *cscg_walk_reader_open_take(struct cscg_in *in,
    struct cscg_err *err);
const struct cscg_walk_header *cscg_walk_reader_header(
    const struct cscg_walk_reader *r);

/* Is a further step there already, without reading input?  For live tables. */
bool cscg_walk_reader_pending(const struct cscg_walk_reader *r);

/*
 * Hand over the frames of views as they arrive, before the steps that show
 * them: fn gets the number that steps will have (less one) and the pixels, row
 * after row, red, green, blue; not 0 from it, with err filled, ends the
 * reading.  Views are numbered from first in the order of walks, each walk's
 * after all of the walk before; next() says where the numbers of another
 * reader may begin.  Without this, frames are checked and forgotten.
 */
typedef int cscg_walk_frame_fn(void *ctx, int view, const unsigned char *rgb,
    struct cscg_err *err);
void cscg_walk_reader_on_frame(struct cscg_walk_reader *r, int first,
    cscg_walk_frame_fn *fn, void *ctx);
int cscg_walk_reader_next_view(const struct cscg_walk_reader *r);

/*
 * Append all that r still has to *walk, as cscg_walk_read() does: alphabets must
 * agree (CSCG_EMISMATCH), actions are matched by name, histories are joined.
 * Views whose frames come with the steps are dropped with these, unless the
 * reader has cscg_walk_reader_on_frame(); others stay.  NULL there becomes a new
 * walk with the header of r.  0, or -1 with err filled: *walk is yours to free.
 */
int cscg_walk_append(struct cscg_walk **walk, struct cscg_walk_reader *r,
    struct cscg_err *err);

struct cscg_walk_writer;

/* Writes the header; borrows out and head. */
struct cscg_walk_writer *cscg_walk_writer_new(struct cscg_out *out,
    const struct cscg_walk_header *head, struct cscg_err *err);

/*
 * Append a step; a = -1 ends the episode.  With live each step is a line of
 * its own, flushed.  An optional field is written on the lines where a step
 * has it: z or goal >= 0, r not NaN, reset set, view > 0.  A step outside the
 * alphabets of the header, or with a view that was not shown where the header
 * has frames, is CSCG_EBUG.
 */
int cscg_walk_write_step(struct cscg_walk_writer *w,
    const struct cscg_step *step, struct cscg_err *err);
/* Show a view, before the first step that has it; once each. */
int cscg_walk_write_frame(struct cscg_walk_writer *w, int view,
    const void *rgb, struct cscg_err *err);
void cscg_walk_writer_set_live(struct cscg_walk_writer *w, bool live);

/* Writes the end line. */
int cscg_walk_writer_finish(struct cscg_walk_writer *w, struct cscg_err *err);
void cscg_walk_writer_free(struct cscg_walk_writer *w);

/*
 * A whole walk, from header to end line.  Views are not written if their frames
 * should come with them: the walk does not have these.
 */
int cscg_walk_write(const struct cscg_walk *walk, struct cscg_out *out,
    struct cscg_err *err);

#endif
