/*
 * model_npy.h - transition matrices as dense arrays, .npy
 *
 * An array of shape (actions, states, states): [a][j][k] is the transition
 * from state j to state k under action a, last index fastest.
 */
#ifndef CSCG_MODEL_NPY_H
#define CSCG_MODEL_NPY_H

#include <stdbool.h>

#include "base/error.h"
#include "core/model.h"
#include "io/npy.h"

/* A zero array of that shape; free() it.  NULL with err filled (ENOMEM). */
double *cscg_dense_new(int n_actions, int n_states, struct cscg_err *err);

/*
 * T of a model, smoothing included, or its counts.  free() it.
 * NULL with err filled (CSCG_ENOMEM).
 */
double *cscg_model_to_dense(const struct cscg_model *m, bool counts,
    struct cscg_err *err);

struct cscg_model_npy_options {
	bool is_T;    /* probabilities, not counts */
	double count; /* total count given to a row of probabilities */
	double pseudocount;
	const int *clones; /* [n_clones] states of each symbol, or NULL */
	int n_clones;
};

/*
 * A model from such an array: grounded if clones are given, else a schema.
 * Probabilities become the counts that yield them with the pseudocount and a
 * row sum of count; a probability below that of smoothing alone becomes count
 * 0.  The contents of the array are overwritten.  NULL with err filled:
 *   CSCG_EFORMAT    another shape
 *   CSCG_ERANGE     numbers that are negative or not finite; rows of T that
 *                   do not sum to one (within 1e-6)
 *   CSCG_EMISMATCH  clones that do not add up to the states
 *   CSCG_ENOMEM
 */
struct cscg_model *cscg_model_from_dense(struct cscg_npy *a,
    const struct cscg_model_npy_options *opt, struct cscg_err *err);

/* The same from a .npy file, which messages name. */
struct cscg_model *cscg_model_read_npy(const char *path,
    const struct cscg_model_npy_options *opt, struct cscg_err *err);

/*
 * Clones per symbol from text: "1,1,42", or the name of a file of numbers with
 * blanks, commas or newlines between them.  *clones is new.  Returns their
 * number, or -1 with err filled (CSCG_EUSAGE for a list, CSCG_EFORMAT for a
 * file that holds anything else, CSCG_EREAD, CSCG_ENOMEM).
 */
int cscg_model_npy_clones(const char *text, int **clones,
    struct cscg_err *err);

#endif
