/*
 * estep_sparse.h - E-step of EM on T for sparse T and emission rows
 *
 * An engine (estep.h) for large models of which most transitions are known
 * not to be: only the stored entries of the model it is made for can have
 * counts.  The others of a row share what is left, so that the walk may still
 * do what no entry allows: with C the expected counts, p the pseudocount, and
 * rest the expected moves of a row to its u entries that are not stored,
 *
 *     T = (C + p) / N                  stored
 *     T = (rest / u + p) / N           others, each
 *     N = sum C + rest + p * n_states
 *
 * which is what maximises L + p * sum log T among such T, so that no iteration
 * lowers it.  What is known of T before may be worth extra counts D of some
 * entries: then C + D takes the place of C, and sum D log T is added to what is
 * maximised.  A step costs as much as the action has stored entries, plus the
 * states.  All in double precision, by plain loops.
 */
#ifndef CSCG_ESTEP_SPARSE_H
#define CSCG_ESTEP_SPARSE_H

#include "kernel/estep.h"

/*
 * For grounded model m, emissions by clone or by row; m and w are borrowed.
 * Starts have the probabilities pi of m, which are not learned.  load() takes
 * the counts of a model of the same entries, or of m itself; rest is zero then.
 * store() gives C + D, without rest.  extra is D (borrowed), like the counts of
 * m, or NULL for zeros; with it a pseudocount of 0 cannot be used in cscg_em(),
 * since set() gives what is added to L for each unit of p.
 *
 * NULL with err filled: CSCG_ENOMEM, CSCG_EMISMATCH (m is not grounded).
 */
struct cscg_estep *cscg_estep_sparse(const struct cscg_model *m,
    const struct cscg_walk *w, const double *extra, struct cscg_err *err);

/* Expected moves, by the last E-step with counts, that no entry allows. */
double cscg_estep_sparse_rest(const struct cscg_estep *e);

#endif
