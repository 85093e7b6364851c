/*
 * walk_table.h - walks from and to CSV, TSV and .npy tables
 *
 * A table has a row for each step.  Columns of CSV and TSV are found by the
 * names in the first row: x (or obs, observation) and a (or action) must be
 * there; episode, z (or node), reset, r (or reward) and goal may; others are
 * ignored.  All but z and r may be in any case.  An .npy array of integers
 * has the shape (N,) for x, (N, 2) for x and a, or (N, 3) for x, a and
 * episode, with -1 for "none".
 *
 * An empty x is a missing observation.  An episode ends where the values of
 * the episode columns change (values of an earlier episode must not recur) and
 * at the end of the file; the action on its last row may be empty and is not
 * used.
 *
 * If all symbols of all tables are numbers 0, 1, 2, ... they are kept;
 * otherwise they are names, numbered in the order they appear.  So are
 * actions.  Goals are symbols.  1.0 is the number 1, and a decimal comma is a
 * point.
 *
 * With opt->measure the rows of a table are samples (core/measure.h): columns of
 * positions, of time and of what is observed.  The three header lines of
 * DeepLabCut (scorer, bodyparts, coords) become names such as "nose.x".
 */
#ifndef CSCG_WALK_TABLE_H
#define CSCG_WALK_TABLE_H

#include <stdbool.h>

#include "base/error.h"
#include "core/measure.h"
#include "core/positions.h"
#include "core/walk.h"
#include "io/stream.h"

enum { CSCG_WALK_TABLE_EPISODE_MAX = 8, CSCG_WALK_TABLE_SEE_MAX = 8 };

struct cscg_walk_table_options {
	/* Columns; NULL: as above; "" for a: none. */
	const char *x, *a;
	/*
	 * Columns whose values together identify an episode, at most
	 * CSCG_WALK_TABLE_EPISODE_MAX; n_episode 0: as above; one "": no
	 * column.
	 */
	char *const *episode;
	int n_episode;
	char *const *missing; /* [n_missing] values that count as empty */
	int n_missing;
	bool no_header; /* columns have no names; they are "1", "2", ... */
	/* How samples become steps; NULL: each row is a step. */
	const struct cscg_measure_options *measure;
	char *const *bin; /* [measure->n_axes] columns of positions */
	/* Columns that together are the observation; n_see 0: x, if that is
	 * named or there are no positions, else the cell. */
	char *const *see;
	int n_see;
	const char *time; /* column; NULL: t, time, timestamp, seconds or
	                     frame; else the number of the row */
	/* A sample of a smaller likelihood (column "nose.likelihood" beside
	 * "nose.x", else "likelihood") is lost. */
	double min_likelihood;
	/* Filled with the positions of the samples of each step; NULL: no. */
	struct cscg_positions *positions;
	const struct cscg_walk_header
	    *alphabet_from; /* alphabets to use, or NULL */
};

struct cscg_walk_table;

/* Borrows opt and what opt points to. */
struct cscg_walk_table *cscg_walk_table_new(
    const struct cscg_walk_table_options *opt, struct cscg_err *err);
void cscg_walk_table_free(struct cscg_walk_table *table);

/*
 * Append the rows of a file; 0, or -1 with err filled, the position named:
 * CSCG_EFORMAT, CSCG_ERANGE, CSCG_ECUT, CSCG_EMISMATCH for a name that
 * opt->alphabet_from lacks, or CSCG_EUSAGE for a column that opt names twice.
 */
int cscg_walk_table_read_csv(struct cscg_walk_table *table, struct cscg_in *in,
    char sep, struct cscg_err *err);
int cscg_walk_table_read_npy(struct cscg_walk_table *table, struct cscg_in *in,
    struct cscg_err *err);

/* Number of rows of the last file. */
long cscg_walk_table_n_rows(const struct cscg_walk_table *table);

/* All rows as a new walk; table is then empty and may only be freed. */
struct cscg_walk *cscg_walk_table_to_walk(struct cscg_walk_table *table,
    struct cscg_err *err);

/* Report of opt->measure; valid after cscg_walk_table_to_walk(). */
const struct cscg_measure_report *cscg_walk_table_report(
    const struct cscg_walk_table *table);

/*
 * Columns episode, x, a and those of z, reset, r, goal that the walk has, with
 * names where it has them unless numbers is set.  -1 with err filled, also for
 * an empty name (CSCG_EMISMATCH).
 */
int cscg_walk_table_write_csv(const struct cscg_walk *walk,
    struct cscg_out *out, char sep, bool numbers, struct cscg_err *err);

/* An array of shape (N, 3). */
int cscg_walk_table_write_npy(const struct cscg_walk *walk,
    struct cscg_out *out, struct cscg_err *err);

#endif
