/*
 * match_table.h - match results as tables, and paired t-tests over episodes
 *
 * Either a row for each place that was looked at, or for each number of steps
 * the means over all episodes with their 95 % intervals and t-tests.  Several
 * episodes end with a verdict: lines "#key value", or one object in JSON; if it
 * is asked whether the place is known, so does one.
 */
#ifndef CSCG_MATCH_TABLE_H
#define CSCG_MATCH_TABLE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/names.h"
#include "base/stats.h"
#include "io/stream.h"
#include "io/table.h"
#include "schema/match.h"
#include "schema/novelty.h"

struct cscg_match_table_options {
	struct cscg_out *out;
	enum cscg_multi_table_form form;
	const struct cscg_names *names; /* of the schemas */
	bool summary;         /* means, not each row; not of windows */
	bool window;          /* rows are about windows */
	int truth;            /* the schema that should be found, or -1 */
	double alpha;         /* many episodes: p must be below */
	double min_posterior; /* one: the posterior must reach it */
	const struct cscg_novelty
	    *novelty; /* bounds of the schemas: rows say how
				   well each knows the place.  NULL: they do
				   not */
};

#define CSCG_MATCH_TABLE_ALPHA 0.05

struct cscg_match_table;

/* Borrows what set points to. */
struct cscg_match_table *cscg_match_table_new(
    const struct cscg_match_table_options *set, struct cscg_err *err);
void cscg_match_table_free(struct cscg_match_table *table);

/* The header line, if there is one, once; the first row would write it, too. */
int cscg_match_table_write_header(struct cscg_match_table *table,
    struct cscg_err *err);

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
int cscg_match_table_finish(struct cscg_match_table *table,
    struct cscg_err *err);

/*
 * what many episodes together say of several candidates
 *
 * Each episode gives every candidate a value after some of its steps, the NLL
 * say: less is better.  Episodes are paired: a candidate is identified after so
 * many steps if its mean is the lowest and the paired t-test (two-sided)
 * against each other candidate gives p < alpha.  Steps that not every episode
 * has are left out.
 */

struct cscg_paired_test;

struct cscg_paired_test *cscg_paired_test_new(int n, struct cscg_err *err);
void cscg_paired_test_free(struct cscg_paired_test *v);

/*
 * The values of all n candidates after so many steps of an episode.  Episodes
 * are numbered from 0 and come one after the other; steps ascend within each.
 */
int cscg_paired_test_add(struct cscg_paired_test *v, long episode, long step,
    const double *value, struct cscg_err *err);

long cscg_paired_test_n_episodes(const struct cscg_paired_test *v);

/* Steps that all episodes have: how many there are. */
long cscg_paired_test_n_steps(const struct cscg_paired_test *v);

/* What is known at the i-th of them. */
struct cscg_paired_test_line {
	long step;
	int best, runner_up;    /* lowest mean (first of equals); the candidate
				   that is hardest to tell from it, or -1 */
	struct cscg_mean *mean; /* [n] */
	double *p;              /* [n] against the best; of the best itself the
				   largest, against the rival.  NaN: with one
				   episode or candidate there is no test, nor
				   among values that are not finite */
	int *rank;              /* [n] by mean, from 1 */
};

/*
 * *line is filled, its arrays are v's and live until the next call.  -1 with
 * err filled: CSCG_ERANGE, there is no i-th; CSCG_ENOMEM.
 */
int cscg_paired_test_at(struct cscg_paired_test *v, long i,
    struct cscg_paired_test_line *line, struct cscg_err *err);

/*
 * After how many steps candidate i is identified: for the first time, and from
 * where on to the last step it stays so; -1: never.
 */
int cscg_paired_test_identified(struct cscg_paired_test *v, int i,
    double alpha, long *first, long *sustained, struct cscg_err *err);

#endif
