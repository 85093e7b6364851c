/*
 * summary.h - what is in a file, told to a person
 *
 * The text is for reading, not for parsing: it may change with any version.
 * Each function returns 0, or -1 with err filled.
 */
#ifndef CSCG_SUMMARY_H
#define CSCG_SUMMARY_H

#include "base/error.h"
#include "core/model.h"
#include "world/room.h"
#include "io/stream.h"
#include "core/walk_io.h"

int cscg_text_write_room(const struct cscg_room *room, struct cscg_out *out,
    struct cscg_err *err);
int cscg_text_write_model(const struct cscg_model *m, struct cscg_out *out,
    struct cscg_err *err);

/* Reads the walk to its end, without holding its steps. */
int cscg_text_write_walk(struct cscg_walk_reader *r, struct cscg_out *out,
    struct cscg_err *err);

#endif
