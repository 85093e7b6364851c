/*
 * sniff.h - detection of file types and of CSV delimiters
 */
#ifndef CSCG_SNIFF_H
#define CSCG_SNIFF_H

#include <stddef.h>

#include "base/error.h"
#include "io/stream.h"

enum cscg_format {
	CSCG_FORMAT_ROOM,
	CSCG_FORMAT_WALK,
	CSCG_FORMAT_MODEL,
	CSCG_FORMAT_CODEBOOK,
};

/*
 * What the next line of in begins, without taking it: 1 with *what set, 0 at a
 * clean end, -1 with err filled (CSCG_EFORMAT if it is none of ours).
 */
int cscg_sniff_next(struct cscg_in *in, enum cscg_format *what,
    struct cscg_err *err);

/*
 * what the first line of a table tells
 */

/*
 * What a file is whose first line is no text, and what to do with it, as the
 * rest of a message: "this is UTF-16; ...".  NULL if it may be a table.
 */
const char *cscg_sniff_csv(const char *line, size_t len);

/* How many sep stand in line outside quotes. */
long cscg_sniff_count_separators(const char *line, size_t len, char sep);

/*
 * What parts the fields of this first line: usual, if there is one outside
 * quotes; else a tab, semicolon or comma, in this order, if there is one; else
 * usual, of a table with one column.  A '#' before it, and blanks behind that,
 * tell nothing.
 */
char cscg_sniff_separator(const char *line, size_t len, char usual);

/*
 * what a file is that should have been one of ours
 */

/*
 * What a file looks like whose first line is this, as the rest of a message:
 * "this looks like CSV, not JSON".  NULL if it may well be JSON with a fault in
 * it, or anything.  *hint is for cscg_fail_hint(): "npy", "picture",
 * "checkpoint", "hdf5", "table", "text-map", "text", or "".
 */
const char *cscg_sniff_json(const char *line, size_t len, const char **hint);

#endif
