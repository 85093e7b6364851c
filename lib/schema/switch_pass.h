/*
 * switch_pass.h - union model of several schemas: forward-backward and EM on
 * its E
 *
 * A message is a real for each state of the
 * union, padded for the fast loops; it does not hold the weight of its own
 * step.  Forward and backward messages may be multiplied with anything: what
 * it was is told as a logarithm, the lift.
 */
#ifndef CSCG_SWITCH_PASS_H
#define CSCG_SWITCH_PASS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/plain.h"
#include "kernel/trans.h"
#include "schema/switch.h"

struct cscg_switch_trans {
	int n, S;                       /* schemas, states of all of them */
	int *base;                      /* [n + 1] the first state of each */
	struct cscg_model *m;           /* the union */
	const struct cscg_kernel *kern; /* of the plain loops */
	const struct cscg_simd *simd;   /* NULL: the plain loops */
	struct cscg_trans_simd *trans_simd; /* fast */
	struct cscg_trans *tr;              /* plain */
	size_t stride, bytes; /* reals of a message, padded; its size */
};

/* Of union m, which it takes, also when it fails; copies base. */
struct cscg_switch_trans *cscg_switch_trans_take(struct cscg_model *m,
    const int *base, int n, const struct cscg_simd *simd, bool is_double,
    struct cscg_err *err);
void cscg_switch_trans_free(struct cscg_switch_trans *trans);

/* Forward-backward over a segment of a walk: states, schemas, emissions. */

/* What states look like: E by columns, and what it follows from. */
struct cscg_switch_emission {
	const struct cscg_switch_trans *trans;
	int K, n_used;          /* symbols; those that were seen ... */
	int *used;              /* [K] ... in the order of their first time */
	unsigned char *is_used; /* [K] */
	char *column;           /* [K + 1] messages; the first: no symbol */
	double *visits;         /* [K + 1][stride] expected visits, ... */
	double *old_visits; /* ... and of steps that are gone; NULL: none */
	double *norm;       /* [stride] 1 / (visits + p * K) */
	double *line;       /* [stride] scratch */
};

struct cscg_switch_emission *cscg_switch_emission_new(
    const struct cscg_switch_trans *trans, int n_obs, struct cscg_err *err);
void cscg_switch_emission_free(struct cscg_switch_emission *emission);

/* No symbol was seen yet. */
void cscg_switch_emission_clear(struct cscg_switch_emission *emission);

/* E and what was seen become those of another one of the same map. */
void cscg_switch_emission_copy(struct cscg_switch_emission *to,
    const struct cscg_switch_emission *from);

/* Where symbol x (-1: none) has its column, and its visits. */
static inline void *
cscg_switch_column(const struct cscg_switch_emission *emission, int x)
{
	return emission->column + (size_t)(x + 1) * emission->trans->bytes;
}

static inline double *
cscg_switch_visits(const struct cscg_switch_emission *emission, int x)
{
	return emission->visits + (size_t)(x + 1) * emission->trans->stride;
}

/* Symbol x is seen, perhaps for the first time: what p gave it so far. */
void cscg_switch_add_symbol(struct cscg_switch_emission *emission, int x,
    double p);

/*
 * E from what was seen and held, with pseudocount p.  Returns its log prior:
 * the sum of (p + held) * log E.
 */
double cscg_switch_mstep(struct cscg_switch_emission *emission, double p);

/* One more step with symbol x, at states with these probabilities [stride]. */
void cscg_switch_add_visit(struct cscg_switch_emission *emission, int x,
    const double *gamma, double p);

/* A stretch of an episode.  a[t] follows x[t]; reset may be NULL. */
struct cscg_switch_segment {
	const int *x, *a;
	const unsigned char *reset;
	long n;
	const void *from; /* the message at its first step; NULL: any state */
	long n_old;       /* the visits of so many steps are added to what is
	                     held, not to what is seen */
};

/* Scratch memory, for stretches of any length. */
struct cscg_switch_pass {
	const struct cscg_switch_trans *trans;
	char *alpha; /* [CHUNK] messages */
	char *beta[2], *scratch;
	char *chunk_start; /* the message at the start of each chunk */
	size_t cap_chunk_start;
	char *last[2]; /* those of the last step and of the one before, once
	                  forward was run */
	double *line;  /* [stride] */
	double *jump_out, *jump_in; /* [schemas] */
};

struct cscg_switch_pass *cscg_switch_pass_new(
    const struct cscg_switch_trans *trans, struct cscg_err *err);
void cscg_switch_pass_free(struct cscg_switch_pass *pass);

/* What is wanted of each step; both NULL: nothing. */
struct cscg_switch_posteriors {
	double *posterior; /* [n][schemas] of each */
	double *p_switch;  /* [n] that it is another one than before */
};

/*
 * The E-step: seen of look becomes the expected visits of the stretch, *loglik
 * what E says of it (natural log).  -1 with err filled: CSCG_ENOMEM,
 * CSCG_ERANGE (numbers too small for these reals).
 */
int cscg_switch_estep(struct cscg_switch_pass *pass,
    struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment,
    const struct cscg_switch_posteriors *posteriors, double *loglik,
    struct cscg_err *err);

/* The pass forward alone. */
int cscg_switch_forward(struct cscg_switch_pass *pass,
    const struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment, double *loglik,
    struct cscg_err *err);

/* The message at the start of chunk i of the last stretch. */
enum { CSCG_SWITCH_CHUNK = 256 }; /* steps */
const void *cscg_switch_chunk_message(const struct cscg_switch_pass *pass,
    long i);

/*
 * One step of the filter: from the message now at symbol before, by action a
 * (-1: any state), to next at symbol x.  posterior[schemas] and *turn are as
 * above, from the past alone.
 */
int cscg_switch_filter(struct cscg_switch_pass *pass,
    const struct cscg_switch_emission *emission, const void *now, int before,
    int a, int x, void *next, double *posterior, double *p_switch,
    struct cscg_err *err);

/*
 * Bind several schemas at once: EM on E of their union.
 */

struct cscg_switch_em_result {
	double loglik, objective; /* of the stretch; with p * sum log E */
	long iterations;          /* updates that were made */
};

/* EM from the E of look, which becomes the result. */
int cscg_switch_em(struct cscg_switch_pass *pass,
    struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment,
    const struct cscg_switch_options *set,
    struct cscg_switch_em_result *result, struct cscg_err *err);

/*
 * The best of set->restarts starts, by the objective; key is that of their
 * random streams.
 */
int cscg_switch_restarts(struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment,
    const struct cscg_switch_options *set, uint64_t key,
    struct cscg_switch_em_result *result, struct cscg_err *err);

#endif
