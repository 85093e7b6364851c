/*
 * estep_sparse.h - E-step of EM on T for sparse T and emission rows
 *
 * An engine (estep.h) for large models of which most transitions are known to
 * be absent: only the stored entries of its model can have counts.  The other
 * entries of a row share the remaining probability equally, so that a
 * transition without a stored entry remains possible: with C the expected
 * counts, p the pseudocount, and rest the expected transitions of a row to its
 * u entries that are not stored,
 *
 *     T = (C + p) / N                  stored
 *     T = (rest / u + p) / N           others, each
 *     N = sum C + rest + p * n_states
 *
 * which maximises L + p * sum log T among such T, so that no iteration lowers
 * it.  Prior knowledge of T may be given as extra counts D of some entries:
 * then C + D replaces C, and sum D log T is added to the objective.  The cost
 * of a step is proportional to the stored entries of the action plus the
 * states.  All in double precision, by plain loops.
 */
#ifndef CSCG_ESTEP_SPARSE_H
#define CSCG_ESTEP_SPARSE_H

#include "kernel/estep.h"

/*
 * For grounded model m, emissions by clone or by row; m and w are borrowed.
 * The initial distribution is pi of m and is not learned.  load() takes the
 * counts of a model with the same entries, or of m itself, and sets rest to
 * zero.  store() writes C + D, without rest.  extra is D (borrowed), like the
 * counts of m, or NULL for zeros; with extra, cscg_em() cannot use a
 * pseudocount of 0, since set() returns the addition to L per unit of p.
 *
 * NULL with err filled: CSCG_ENOMEM, CSCG_EMISMATCH (m is not grounded).
 */
struct cscg_estep *cscg_estep_sparse(const struct cscg_model *m,
    const struct cscg_walk *w, const double *extra, struct cscg_err *err);

#endif
