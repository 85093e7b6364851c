/*
 * switch_pass.h - union model of several schemas: forward-backward and EM on
 * its E
 *
 * A message is a real for each state of the union, padded for the SIMD loops;
 * it does not include the emission of its own step.  Forward and backward
 * messages are scaled arbitrarily; the logarithm of the factor is returned as
 * log_scale.
 */
#ifndef CSCG_SWITCH_PASS_H
#define CSCG_SWITCH_PASS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/passes.h"
#include "learn/em.h"
#include "schema/switch.h"

struct cscg_switch_trans {
	int n, S;             /* schemas, states of all of them */
	int *base;            /* [n + 1] the first state of each */
	struct cscg_model *m; /* the union */
	struct cscg_trans *tr;
	const struct cscg_kernel *kern; /* that of tr */
	size_t stride, bytes; /* reals of a message, padded; its size */
};

/*
 * The tables of union m.  Takes ownership of m, also on failure; copies base.
 */
struct cscg_switch_trans *cscg_switch_trans_take(struct cscg_model *m,
    const int *base, int n, const struct cscg_simd *simd, bool is_double,
    struct cscg_err *err);
void cscg_switch_trans_free(struct cscg_switch_trans *trans);

/* Forward-backward over a segment of a walk: states, schemas, emissions. */

/* Emissions: E by columns, and the visits from which E is computed. */
struct cscg_switch_emission {
	const struct cscg_switch_trans *trans;
	int K, n_used;          /* symbols; number of those observed ... */
	int *used;              /* [K] ... in the order of first observation */
	unsigned char *is_used; /* [K] */
	char *column;           /* [K + 1] messages; the first: no
	                           observation */
	double *visits;         /* [K + 1][stride] expected visits, ... */
	double *old_visits; /* ... and those of dropped steps; NULL: none */
	double *norm;       /* [stride] 1 / (visits + p * K) */
	double *line;       /* [stride] scratch */
};

struct cscg_switch_emission *cscg_switch_emission_new(
    const struct cscg_switch_trans *trans, int n_obs, struct cscg_err *err);
void cscg_switch_emission_free(struct cscg_switch_emission *emission);

/* Reset: no symbol was observed yet. */
void cscg_switch_emission_clear(struct cscg_switch_emission *emission);

/* Copy E, visits and observed symbols from another one of the same union. */
void cscg_switch_emission_copy(struct cscg_switch_emission *to,
    const struct cscg_switch_emission *from);

/* The column and the visits of symbol x (-1: no observation). */
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

/*
 * Mark symbol x as observed; if it is new, its E so far is that of pseudocount
 * p.
 */
void cscg_switch_add_symbol(struct cscg_switch_emission *emission, int x,
    double p);

/*
 * E from visits and old_visits, with pseudocount p.  Returns the log prior:
 * the sum of (p + old_visits) * log E.
 */
double cscg_switch_mstep(struct cscg_switch_emission *emission, double p);

/* Add one step with symbol x and the state probabilities gamma [stride]. */
void cscg_switch_add_visit(struct cscg_switch_emission *emission, int x,
    const double *gamma, double p);

/* A segment of an episode.  a[t] follows x[t]; reset may be NULL. */
struct cscg_switch_segment {
	const int *x, *a;
	const unsigned char *reset;
	long n;
	const void *from; /* the message at its first step; NULL: uniform */
	long n_old;       /* the visits of the first n_old steps are added to
	                     old_visits, not to visits */
};

/* Scratch memory, for segments of any length. */
struct cscg_switch_pass {
	const struct cscg_switch_trans *trans;
	struct cscg_work work;
	char *scratch;              /* a message */
	double *jump_out, *jump_in; /* [schemas] */
};

struct cscg_switch_pass *cscg_switch_pass_new(
    const struct cscg_switch_trans *trans, struct cscg_err *err);
void cscg_switch_pass_free(struct cscg_switch_pass *pass);

/* Requested posteriors of each step; both NULL: none. */
struct cscg_switch_posteriors {
	double *posterior; /* [n][schemas] of each schema */
	double *p_switch;  /* [n] that the schema differs from that of the step
	                      before */
};

/*
 * The E-step: the visits of emission become the expected visits of the
 * segment, *loglik its log-likelihood under E (natural log).  -1 with err
 * filled: CSCG_ENOMEM, CSCG_ERANGE (underflow).
 */
int cscg_switch_estep(struct cscg_switch_pass *pass,
    struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment,
    const struct cscg_switch_posteriors *posteriors, double *loglik,
    struct cscg_err *err);

/* The forward pass only. */
int cscg_switch_forward(struct cscg_switch_pass *pass,
    const struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment, double *loglik,
    struct cscg_err *err);

/* The message at the start of chunk i of the last segment. */
enum { CSCG_SWITCH_CHUNK = 256 }; /* steps */
const void *cscg_switch_chunk_message(const struct cscg_switch_pass *pass,
    long i);

/*
 * One step of the filter: from the message now at symbol before, by action a
 * (-1: uniform over states), to next at symbol x.  posterior[schemas] and
 * *p_switch are as above, given the past only.
 */
int cscg_switch_filter(struct cscg_switch_pass *pass,
    const struct cscg_switch_emission *emission, const void *now, int before,
    int a, int x, void *next, double *posterior, double *p_switch,
    struct cscg_err *err);

/*
 * Bind several schemas at once: EM on E of their union.
 */

/*
 * EM from the E of emission, which receives the result.  The objective is the
 * log-likelihood of the segment plus p * sum log E, -INFINITY (unknown)
 * without an update.
 */
int cscg_switch_em(struct cscg_switch_pass *pass,
    struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment,
    const struct cscg_switch_options *set, struct cscg_em_progress *last,
    struct cscg_err *err);

/*
 * The best of set->restarts random starts, by the objective; key selects their
 * random streams.
 */
int cscg_switch_restarts(struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment,
    const struct cscg_switch_options *set, uint64_t key,
    struct cscg_em_progress *last, struct cscg_err *err);

#endif
