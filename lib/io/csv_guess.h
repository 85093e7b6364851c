/*
 * csv_guess.h - what the first line of a table tells
 */
#ifndef CSCG_CSV_GUESS_H
#define CSCG_CSV_GUESS_H

#include <stddef.h>

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

#endif
