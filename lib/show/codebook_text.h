/*
 * codebook_text.h - a codebook told to a person, and its numbers as a table
 */
#ifndef CSCG_CODEBOOK_TEXT_H
#define CSCG_CODEBOOK_TEXT_H

#include <stdbool.h>

#include "core/codebook.h"
#include "io/stream.h"

/* For reading, not for parsing.  0, or -1 with err filled. */
int cscg_text_write_codebook(const struct cscg_codebook *book,
    struct cscg_out *out, struct cscg_err *err);

/* Columns symbol, prior, count. */
int cscg_text_write_codebook_table(const struct cscg_codebook *book, bool json,
    struct cscg_out *out, struct cscg_err *err);

#endif
