/*
 * csv.h - CSV and TSV records (RFC 4180)
 *
 * A field may stand in double quotes; inside them a quote is doubled and
 * separators, blanks and newlines are text.  Blanks (spaces, and tabs if they
 * part no fields) around a field are no part of it, as people put them there
 * to be read.  Lines end with LF or CR LF.  Otherwise strict: a quote inside a
 * plain field, text behind a closing quote, a quote not closed and a NUL byte
 * are faults.  A byte order mark at the start is passed over.
 */
#ifndef CSCG_CSV_H
#define CSCG_CSV_H

#include "base/error.h"
#include "io/stream.h"

struct cscg_csv;

/* Records of in, which is borrowed, with fields parted by sep. */
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

/*
 * The first record, of the names of columns, as cscg_csv_next() has it, but
 * without a '#' and blanks before it, as some programs mark this line.  A '#'
 * that is a field of its own is a name if the line below has a field for it.
 */
int cscg_csv_head(struct cscg_csv *csv, char ***field, int *n,
    struct cscg_err *err);

/* The line on which the last record began, from 1. */
long cscg_csv_line(const struct cscg_csv *csv);

/*
 * s as it is written in a field, with quotes where they are needed: new text,
 * or NULL with err filled (CSCG_ENOMEM).
 */
char *cscg_csv_field(const char *s, char sep, struct cscg_err *err);

/*
 * Write a record, with quotes where they are needed, and LF.  Returns 0, or -1
 * with err filled (CSCG_ENOMEM, or what cscg_out_write() says).
 */
int cscg_csv_write(struct cscg_out *out, char sep, const char *const *field,
    int n, struct cscg_err *err);

#endif
