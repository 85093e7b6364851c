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
 * Detect the format of the object on the next line of in without consuming the
 * line: 1 with *what set, 0 at a clean end, -1 with err filled (CSCG_EFORMAT
 * for any other format).
 */
int cscg_sniff_next(struct cscg_in *in, enum cscg_format *what,
    struct cscg_err *err);

/*
 * delimiter of a table, from its first line
 */

/*
 * The type of a file whose first line is not text, and a remedy, as the end of
 * a message: "this is UTF-16; ...".  NULL if the file may be a table.
 */
const char *cscg_sniff_csv(const char *line, size_t len);

/* Number of sep in line outside quotes. */
long cscg_sniff_count_separators(const char *line, size_t len, char sep);

/*
 * The field separator of a first line: usual, if the line has one outside
 * quotes; else the first of tab, semicolon and comma that it has; else usual,
 * for a table of one column.  A leading '#' and the blanks after it are
 * ignored.
 */
char cscg_sniff_separator(const char *line, size_t len, char usual);

/* The same of the first line of in, which is not consumed; '\0' with err filled
 * if that cannot be read. */
char cscg_sniff_in_separator(struct cscg_in *in, char usual,
    struct cscg_err *err);

/*
 * type of a file that is not JSON of this project
 */

/*
 * The probable type of a file with this first line, as the end of a message:
 * "this looks like CSV, not JSON".  NULL if the file may be JSON with an
 * error, or is of unknown type.  *hint is for cscg_fail_hint(): "npy",
 * "picture", "checkpoint", "hdf5", "table", "text-map", "text", or "".
 */
const char *cscg_sniff_json(const char *line, size_t len, const char **hint);

#endif
