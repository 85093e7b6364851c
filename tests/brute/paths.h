/*
 * paths.h - enumeration of all paths of a tiny model: the reference of all
 * kernels
 *
 * Uses neither messages nor blocks: the probability of a path is the product of
 * its factors, and every other quantity is a sum or a maximum over paths.
 */
#ifndef BRUTE_PATHS_H
#define BRUTE_PATHS_H

#include "core/model.h"
#include "core/walk.h"

struct brute {
	double lik;    /* P(x | a) */
	double best;   /* the largest P(z, x | a) */
	double *gamma; /* [step of the episode][state] P(z[t] = j | x, a) */
	double *xi;    /* [action][state][state] expected transitions */

	/* [step of the episode][state] P(x[t] | j); NULL: those of the model */
	const double *weight;
};

/* Episode e of w under m; zeroes and fills b (its arrays are the caller's). */
void brute_paths(const struct cscg_model *m, const struct cscg_walk *w, int e,
    struct brute *b);

/* The probability of one path of episode e; weight as above. */
double brute_path(const struct cscg_model *m, const struct cscg_walk *w, int e,
    const double *weight, const int *z);

#endif
