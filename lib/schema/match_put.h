/*
 * match_put.h - what a match found, as tables
 *
 * Either a row for each place that was looked at, or for each number of steps
 * the means over all episodes with their 95 % intervals and t-tests.  Several
 * episodes end with a verdict: lines "#key value", or one object in JSON; if it
 * is asked whether the place is known, so does one.
 */
#ifndef CSCG_MATCH_PUT_H
#define CSCG_MATCH_PUT_H

#include <stdbool.h>

#include "base/error.h"
#include "schema/match.h"
#include "schema/match_known.h"
#include "base/names.h"
#include "io/table.h"
#include "io/stream.h"

struct cscg_match_table_options {
	struct cscg_out *out;
	enum cscg_multi_table_form form;
	const struct cscg_names *names;	/* of the schemas */
	bool summary;		/* means, not each row; not of windows */
	bool window;		/* rows are about windows */
	bool bits;		/* not nats */
	int truth;		/* the schema that should be found, or -1 */
	double alpha;		/* many episodes: p must be below */
	double min_posterior;	/* one: the posterior must reach it */
	const struct cscg_novelty *novelty;	/* bounds of the schemas: rows say how
				   well each knows the place.  NULL: they do
				   not */
};

struct cscg_match_table;

/* Borrows what set points to. */
struct cscg_match_table *cscg_match_table_new(const struct cscg_match_table_options *set,
    struct cscg_err *err);
void cscg_match_table_free(struct cscg_match_table *table);

/* The header line, if there is one, once; the first row would write it, too. */
int cscg_match_table_write_header(struct cscg_match_table *table, struct cscg_err *err);

/* A row: put is a struct cscg_match_table; the row of struct cscg_match_options. */
int cscg_match_table_write_row(void *table, const struct cscg_match_row *row,
    struct cscg_err *err);

/*
 * All is told.  Returns 1 if something stands out, 0 if nothing does, -1 with
 * err filled (CSCG_EFORMAT: there was no row).  What stands out is, of several
 * episodes, the schema with the lowest mean NLL after the last step that all
 * have, by the t-test; of one, that with the highest posterior in the last row,
 * or in any window.  It must be the true one if that is said.  A schema without
 * rival always does in the t-test.  Nothing does where the place is unknown: at
 * the end of more than half of several episodes, or in that row.
 *
 * Of an episode, the first 65536 rows count in the t-test: memory does not grow
 * without end.
 */
int cscg_match_table_finish(struct cscg_match_table *table, struct cscg_err *err);

#endif
