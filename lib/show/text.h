/*
 * text.h - human-readable summaries of files
 *
 * The text is for reading, not for parsing: it may change with any version.
 * Each function returns 0, or -1 with err filled.
 */
#ifndef CSCG_TEXT_H
#define CSCG_TEXT_H

#include <stdbool.h>

#include "base/error.h"
#include "core/codebook.h"
#include "core/model.h"
#include "core/walk_io.h"
#include "io/stream.h"
#include "world/room.h"

int cscg_text_write_room(const struct cscg_room *room, struct cscg_out *out,
    struct cscg_err *err);
int cscg_text_write_model(const struct cscg_model *m, struct cscg_out *out,
    struct cscg_err *err);

/* Reads the walk to its end, without holding its steps. */
int cscg_text_write_walk(struct cscg_walk_reader *r, struct cscg_out *out,
    struct cscg_err *err);

/* The summary of a codebook. */
int cscg_text_write_codebook(const struct cscg_codebook *book,
    struct cscg_out *out, struct cscg_err *err);

/* A codebook as a table with the columns symbol, prior, count. */
int cscg_text_write_codebook_table(const struct cscg_codebook *book, bool json,
    struct cscg_out *out, struct cscg_err *err);

#endif
