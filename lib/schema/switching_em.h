/*
 * switching_em.h - bind several schemas at once: EM on E of their union
 *
 * Used by switching.c alone.
 */
#ifndef CSCG_SWITCHING_EM_H
#define CSCG_SWITCHING_EM_H

#include "schema/switching_pass.h"

struct cscg_switch_em_result {
	double loglik, objective;	/* of the stretch; with p * sum log E */
	long iterations;	/* updates that were made */
};

/* EM from the E of look, which becomes the result. */
int cscg_switch_em(struct cscg_switch_pass *pass,
    struct cscg_switch_emission *emission, const struct cscg_switch_segment *segment,
    const struct cscg_switch_options *set, struct cscg_switch_em_result *result,
    struct cscg_err *err);

/* Start i: E is 1 + jitter * U, normalised; all symbols of the stretch are used. */
void cscg_switch_random_E(struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment,
    const struct cscg_switch_options *set, uint64_t i, uint64_t key);

/*
 * The best of set->restarts starts, by the objective; key is that of their
 * random streams.
 */
int cscg_switch_restarts(struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment,
    const struct cscg_switch_options *set, uint64_t key,
    struct cscg_switch_em_result *result, struct cscg_err *err);

#endif
