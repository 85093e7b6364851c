/*
 * frame_table.h - rows of a CSV or TSV table as frames
 *
 * The numbers of some columns are the frames; a row in which one of them is
 * missing has no frame.  The table is kept, to be written with a column of
 * symbols.
 */
#ifndef CSCG_FRAME_TABLE_H
#define CSCG_FRAME_TABLE_H

#include "base/error.h"
#include "core/frames.h"
#include "io/stream.h"

struct cscg_frame_table {
	struct cscg_frames *frames; /* the views are the rows */
	long n_rows;
	/* Rows as text, the names of columns first. */
	char *text;
	size_t *end; /* [1 + n_rows] */
	size_t cap_text, cap_end;
	char sep;
};

/*
 * Read a table (path "-": standard input) and the columns of these n names: 0,
 * or -1 with err filled (CSCG_EREAD, CSCG_ECUT, CSCG_EFORMAT, CSCG_ERANGE).
 * t is all zero before; free it also on failure.
 */
int cscg_frame_table_read(struct cscg_frame_table *t, const char *path,
    char *const *column, int n, struct cscg_err *err);

/* Write the table with a column "symbol": label[i] for frame i. */
int cscg_frame_table_write(const struct cscg_frame_table *t, const int *label,
    struct cscg_out *out, struct cscg_err *err);

void cscg_frame_table_free(struct cscg_frame_table *t);

#endif
