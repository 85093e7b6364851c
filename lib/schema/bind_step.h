/*
 * bind_step.h - the E-step of binding: which state was seen with which symbol
 *
 * Used by bind.c alone.  Emissions and what was seen are kept by columns, one
 * for each symbol of the walk: those that the walk does not show have no
 * column, since their emissions follow from the pseudocount.
 */
#ifndef CSCG_BIND_STEP_H
#define CSCG_BIND_STEP_H

#include "schema/bind.h"
#include "kernel/trans.h"
#include "kernel/work.h"

struct cscg_bind_estep {
	const struct cscg_model *m;
	const struct cscg_walk *w;
	const struct cscg_bind *set;
	int S, K;		/* states, symbols */
	int n;			/* symbols that are seen: columns */
	int *column_of;		/* [K] of a symbol; -1: none */
	size_t stride;		/* of a column: S, padded for the fast loops */
	double *emission;		/* [n][stride] E by columns */
	double *visits;		/* [n + 1][stride] expected visits; the last:
				   without a symbol */
	double *start;		/* [S] expected starts */
	double *pi;		/* [S] the caller's */
	double *norm;		/* [S] scratch of the M-step, as is line */
	double *line;		/* [stride] */

	/* plain */
	struct cscg_trans *tr;
	struct cscg_work work;
	double *E, *gamma;	/* [S][K] the caller's; [S] */

	/* fast; NULL if the plain loops are asked for */
	const struct cscg_trans_simd *trans_simd;
	float *column;		/* [n + 1][stride] as look; the last: ones */
	float *alpha, *beta;	/* [longest episode][stride] */
	float *scratch;		/* [stride] */
};

/*
 * Make room (in mem) and turn E, [S][K], into columns.  set->trans_simd is needed if
 * the fast loops are.  -1 with err filled (CSCG_ENOMEM).
 */
int cscg_bind_estep_new(struct cscg_bind_estep *b, const struct cscg_model *m,
    const struct cscg_walk *w, const struct cscg_bind *set, double *E,
    double *pi, struct cscg_bind_work *mem, struct cscg_err *err);
void cscg_bind_estep_free(struct cscg_bind_estep *b);

/* Fill seen and start; *loglik is -INFINITY if the walk cannot be. */
int cscg_bind_estep(struct cscg_bind_estep *b, double *loglik,
    struct cscg_err *err);

#endif
