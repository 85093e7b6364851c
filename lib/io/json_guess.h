/*
 * json_guess.h - what a file is that should have been one of ours
 */
#ifndef CSCG_JSON_GUESS_H
#define CSCG_JSON_GUESS_H

#include <stddef.h>

/*
 * What a file looks like whose first line is this, and what to do with it, as
 * the rest of a message: "this looks like CSV, not JSON; ...".  NULL if it may
 * well be JSON with a fault in it, or anything.
 */
const char *cscg_sniff_json(const char *line, size_t len);

/* How to come from a file of one format to another, " (...)", or "". */
const char *cscg_sniff_hint(const char *is, const char *wanted);

#endif
