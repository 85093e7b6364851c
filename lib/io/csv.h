/*
 * csv.h - CSV and TSV records (RFC 4180)
 *
 * A field may be enclosed in double quotes; inside them a quote is doubled,
 * and separators, blanks and newlines are text.  Blanks around a field
 * (spaces, and tabs unless tab is the separator) are stripped.  Lines end with
 * LF or CR LF.  A field that a spreadsheet would interpret as a formula (it
 * begins with =, +, -, @, tab or CR and is not a number) is written with an
 * apostrophe before it.  The reader removes that apostrophe; a field that
 * itself begins with apostrophes and such a character gets one more.  Errors:
 * a quote inside an unquoted field, text after a closing quote, an unclosed
 * quote and a NUL byte.  A byte order mark at the start is skipped.
 */
#ifndef CSCG_CSV_H
#define CSCG_CSV_H

#include <stdbool.h>

#include "base/error.h"
#include "io/stream.h"

struct cscg_csv;

/* A reader of records of in, which is borrowed, with field separator sep. */
struct cscg_csv *cscg_csv_new(struct cscg_in *in, char sep,
    struct cscg_err *err);
void cscg_csv_free(struct cscg_csv *csv);

/*
 * The next record: 1 with *field and its *n >= 1 strings, valid until the next
 * call; 0 at a clean end; -1 with err filled ("'f': line 3: field 2: ...").
 * An empty line is a record of one empty field.
 */
int cscg_csv_next(struct cscg_csv *csv, char ***field, int *n,
    struct cscg_err *err);

/* Changes the fields of a record in place; those may become shorter. */
typedef void cscg_csv_prepare(void *ctx, char **field, int n);

/*
 * From now on a thread splits the records of a long table ahead of
 * cscg_csv_next(), and prepares them (NULL: does not), so that others may be used at
 * the same time.  Unless all is set, records without a point or a comma in a field
 * need not be prepared, and mostly are not.  CSCG_CSV_PADDING bytes behind a field
 * can be read.  Before the stream is used otherwise, call cscg_csv_stop().  -1 with
 * err filled (CSCG_ENOMEM).
 */
enum { CSCG_CSV_PADDING = 8 };
int cscg_csv_read_ahead(struct cscg_csv *csv, cscg_csv_prepare *prepare,
    bool all, void *ctx, struct cscg_err *err);
void cscg_csv_stop(struct cscg_csv *csv);

/*
 * Read the first record, the column names, as cscg_csv_next() does, but skip a
 * leading '#' and the blanks after it, with which some programs mark the
 * header line.  A first field "#" is a name if the next line has a field for
 * it.  1, or -1 with err filled (CSCG_ECUT: there is no record).
 */
int cscg_csv_head(struct cscg_csv *csv, char ***field, int *n,
    struct cscg_err *err);

/* A copy of n fields; NULL with err filled (CSCG_ENOMEM). */
char **cscg_csv_copy_row(char **field, int n, struct cscg_err *err);
void cscg_csv_free_row(char **row, int n);

/* The line on which the last record began, from 1. */
long cscg_csv_line(const struct cscg_csv *csv);

/*
 * The next record of a table with n fields in each; an empty line is skipped.
 * As cscg_csv_next(), and -1 with err filled (CSCG_EFORMAT, with file and line)
 * for another number of fields.
 */
int cscg_csv_row(struct cscg_csv *csv, int n, char ***field,
    struct cscg_err *err);

/* Fill err for a record with n fields instead of wanted; returns -1. */
int cscg_csv_fail_fields(int n, int wanted, struct cscg_err *err);

/* Prepend file and line of the last record to err; returns -1. */
int cscg_csv_fail_at(const struct cscg_csv *csv, struct cscg_err *err);

/* Is s a finite decimal number and nothing else?  *v is the number. */
bool cscg_csv_is_real(const char *s, double *v);

/* Make a decimal comma of a number a point. */
void cscg_csv_replace_comma(char *s);

/*
 * A field as a measurement: a number, with decimal point or comma.  An empty
 * field and the usual marks of a missing value (NaN, NA, null, none, -) are
 * NaN.  False for anything else.
 */
bool cscg_csv_parse_real(char *s, double *v);

/*
 * s as a field, quoted if necessary: new text, or NULL with err filled
 * (CSCG_ENOMEM).
 */
char *cscg_csv_field(const char *s, char sep, struct cscg_err *err);

/*
 * Write a record, fields quoted if necessary, and LF.  Returns 0, or -1 with
 * err filled (CSCG_ENOMEM, or as cscg_out_write()).
 */
int cscg_csv_write(struct cscg_out *out, char sep, const char *const *field,
    int n, struct cscg_err *err);

#endif
