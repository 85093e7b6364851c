/*
 * match_table.h - match results as tables, and paired t-tests over episodes
 *
 * Writes either each row of the match, or, for each number of steps, the means
 * over all episodes with their 95 % intervals and t-tests.  Several episodes
 * end with a summary: lines "#key value", or one JSON object.  With novelty, a
 * single episode ends with one as well.
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
	bool summary;         /* means instead of each row; not with windows */
	bool window;          /* rows are about windows */
	int truth;            /* the true schema, or -1 */
	double alpha;         /* several episodes: p must be below this */
	double min_posterior; /* one episode: the posterior must reach this */
	const struct cscg_novelty
	    *novelty; /* thresholds of the schemas: rows contain the novelty
	                 class of each schema.  NULL: no novelty class */
};

#define CSCG_MATCH_TABLE_ALPHA 0.05

struct cscg_match_table;

/* Borrows what set points to. */
struct cscg_match_table *cscg_match_table_new(
    const struct cscg_match_table_options *set, struct cscg_err *err);
void cscg_match_table_free(struct cscg_match_table *table);

/*
 * Write the header line, if the format has one; otherwise the first row writes
 * it.
 */
int cscg_match_table_write_header(struct cscg_match_table *table,
    struct cscg_err *err);

/*
 * Write a row; table is a struct cscg_match_table.  This is the row function
 * of struct cscg_match_options.
 */
int cscg_match_table_write_row(void *table, const struct cscg_match_row *row,
    struct cscg_err *err);

/*
 * Finish the table.  Returns 1 if a schema is identified, 0 if not, -1 with
 * err filled (CSCG_EFORMAT: there was no row).  With several episodes, the
 * schema with the lowest mean NLL after the last step that all episodes have
 * is identified by the t-test.  With one episode, the schema with the highest
 * posterior in the last row, or in any window, is identified by min_posterior.
 * It must be the true schema if truth is given.  A schema without alternatives
 * always passes the t-test.  No schema is identified where the environment is
 * unknown: at the end of more than half of several episodes, or in that row.
 *
 * Of each episode, the t-test uses the first 65536 rows, which bounds memory.
 */
int cscg_match_table_finish(struct cscg_match_table *table,
    struct cscg_err *err);

/*
 * Paired t-tests of several candidates over many episodes
 *
 * Each episode gives every candidate a value after some of its steps, for
 * example the NLL: lower is better.  Episodes are paired: a candidate is
 * identified after a number of steps if its mean is the lowest and the paired
 * t-test (two-sided) against each other candidate gives p < alpha.  Steps that
 * some episodes lack are ignored.
 */

struct cscg_paired_test;

struct cscg_paired_test *cscg_paired_test_new(int n, struct cscg_err *err);
void cscg_paired_test_free(struct cscg_paired_test *v);

/*
 * Add the values of all n candidates after the given step of an episode.
 * Episodes are numbered from 0 and come one after the other; steps ascend
 * within each.
 */
int cscg_paired_test_add(struct cscg_paired_test *v, long episode, long step,
    const double *value, struct cscg_err *err);

long cscg_paired_test_n_episodes(const struct cscg_paired_test *v);

/* The number of steps that all episodes have. */
long cscg_paired_test_n_steps(const struct cscg_paired_test *v);

/* Statistics at the i-th of these steps. */
struct cscg_paired_test_line {
	long step;
	int best, runner_up;    /* lowest mean (first among equals); the other
	                           candidate with the largest p, or -1 */
	struct cscg_mean *mean; /* [n] */
	double *p;              /* [n] p-value against the best; for the best
	                           itself the largest of these, against the
	                           runner-up.  NaN: one episode or one
	                           candidate, or values that are not finite */
	int *rank;              /* [n] rank by mean, from 1 */
};

/*
 * Fills *line, whose arrays belong to v and live until the next call.  -1 with
 * err filled: CSCG_ERANGE (no i-th step), CSCG_ENOMEM.
 */
int cscg_paired_test_at(struct cscg_paired_test *v, long i,
    struct cscg_paired_test_line *line, struct cscg_err *err);

/*
 * The number of steps after which candidate i is identified: *first is the
 * first such step, *sustained the first from which on it stays identified to
 * the last step; -1: never.
 */
int cscg_paired_test_identified(struct cscg_paired_test *v, int i,
    double alpha, long *first, long *sustained, struct cscg_err *err);

#endif
