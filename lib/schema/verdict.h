/*
 * verdict.h - what many episodes together say of several candidates
 *
 * Each episode gives every candidate a value after some of its steps, the NLL
 * say: less is better.  Episodes are paired: a candidate is identified after so
 * many steps if its mean is the lowest and the paired t-test (two-sided)
 * against each other candidate gives p < alpha.  Steps that not every episode
 * has are left out.
 */
#ifndef CSCG_VERDICT_H
#define CSCG_VERDICT_H

#include "base/error.h"
#include "base/stats.h"

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
	int best, runner_up;	/* lowest mean (first of equals); the candidate
				   that is hardest to tell from it, or -1 */
	struct cscg_mean *mean;	/* [n] */
	double *p;		/* [n] against the best; of the best itself the
				   largest, against the rival.  NaN: with one
				   episode or candidate there is no test, nor
				   among values that are not finite */
	int *rank;		/* [n] by mean, from 1 */
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
int cscg_paired_test_identified(struct cscg_paired_test *v, int i, double alpha,
    long *first, long *sustained, struct cscg_err *err);

#endif
