/*
 * switching_em.h - bind several schemas at once: EM on E of their union
 *
 * Used by switching.c alone.
 */
#ifndef CSCG_SWITCHING_EM_H
#define CSCG_SWITCHING_EM_H

#include "schema/switching_pass.h"

struct cscg_switching_fit {
	double loglik, objective;	/* of the stretch; with p * sum log E */
	long iterations;	/* updates that were made */
};

/* EM from the E of look, which becomes the result. */
int cscg_switching_em(struct cscg_switching_pass *pass,
    struct cscg_switching_look *look, const struct cscg_switching_part *part,
    const struct cscg_switching_set *set, struct cscg_switching_fit *fit,
    struct cscg_err *err);

/* Start i: E is 1 + jitter * U, normalised; all symbols of the stretch are used. */
void cscg_switching_start(struct cscg_switching_look *look,
    const struct cscg_switching_part *part,
    const struct cscg_switching_set *set, uint64_t i, uint64_t key);

/*
 * The best of set->restarts starts, by the objective; key is that of their
 * random streams.
 */
int cscg_switching_best(struct cscg_switching_look *look,
    const struct cscg_switching_part *part,
    const struct cscg_switching_set *set, uint64_t key,
    struct cscg_switching_fit *fit, struct cscg_err *err);

#endif
