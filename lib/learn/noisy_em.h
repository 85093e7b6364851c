/*
 * noisy_em.h - EM on T and the misreading probability by a beam of states, for
 * the search in walks with noise
 */
#ifndef CSCG_NOISY_EM_H
#define CSCG_NOISY_EM_H

#include <stdbool.h>

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "kernel/estep_beam.h"

struct cscg_noisy_em {
	const struct cscg_walk *w;
	struct cscg_model *m; /* under EM; owned */

	/*
	 * Noise is tied after each update (tied_noise.h), except that of rows
	 * of unknown states: [n_states], or NULL.
	 */
	bool tied;
	const bool *unknown;

	struct cscg_beam *beam;
	struct cscg_beam_result r; /* of the last E-step */
	size_t cap_counts, cap_visits;
	unsigned char *mode; /* scratch of tied noise */
	size_t cap_mode;
};

/* An empty p for walk w, which is borrowed; share as in estep_beam.h. */
int cscg_noisy_em_new(struct cscg_noisy_em *p, const struct cscg_walk *w,
    double share, struct cscg_err *err);
void cscg_noisy_em_free(struct cscg_noisy_em *p);

/*
 * EM on T and the misreading probability of p->m, at most `iterations`
 * updates; then counts below `least` are dropped.  *loglik is the
 * log-likelihood before that, and p->r.state, unless NULL, are the likeliest
 * states.
 */
int cscg_noisy_em_run(struct cscg_noisy_em *p, long iterations, double least,
    double *loglik, struct cscg_err *err);

/* The likeliest state of every step into p->r.state, new. */
int cscg_noisy_em_decode(struct cscg_noisy_em *p, struct cscg_err *err);

/* Drop counts below the least. */
int cscg_noisy_em_prune(struct cscg_model *m, double least,
    struct cscg_err *err);

/* Remove states without transitions out of them; *m may be replaced. */
int cscg_noisy_em_drop_unused(struct cscg_model **m, struct cscg_err *err);

#endif
