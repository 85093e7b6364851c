/* switching_em.c - bind several schemas at once: EM on E of their union */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "base/mem.h"
#include "base/rng.h"
#include "schema/switching_em.h"

/* ---- EM ---- */

static bool
has_converged(const struct cscg_switch_options *set, double objective, double gain,
    double gain_before)
{
	double least = set->tolerance * fabs(objective);

	return set->tolerance > 0 && gain < least && gain_before < least &&
	    gain <= gain_before;
}

int
cscg_switch_em(struct cscg_switch_pass *pass,
    struct cscg_switch_emission *emission, const struct cscg_switch_segment *segment,
    const struct cscg_switch_options *set, struct cscg_switch_em_result *result,
    struct cscg_err *err)
{
	double before = -INFINITY, gain = INFINITY, gain_before, prior = NAN;
	double tolerance_down;
	long i;

	for (i = 0;; i++) {
		if (cscg_switch_estep(pass, emission, segment, NULL,
		    &result->loglik, err) < 0)
			return -1;
		result->iterations = i;
		result->objective = result->loglik + prior;
		gain_before = gain;
		gain = i > 1 ? result->objective - before : INFINITY;
		if (i == set->iterations || has_converged(set, result->objective, gain,
		    gain_before))
			return 0;
		tolerance_down = (set->is_double ? 1e-11 : 1e-6) * fabs(before) +
		    2 * (set->is_double ? DBL_EPSILON : FLT_EPSILON) *
		    (double)segment->n;
		if (i > 1 && result->objective < before - tolerance_down)
			return cscg_fail(err, CSCG_EBUG, "the objective fell "
			    "from %.17g to %.17g at iteration %ld: please "
			    "report this as a bug", before, result->objective, i);
		before = result->objective;
		prior = cscg_switch_mstep(emission, set->pseudocount);
	}
}

/* ---- starts ---- */

void
cscg_switch_random_E(struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment,
    const struct cscg_switch_options *set, uint64_t i, uint64_t key)
{
	const struct cscg_switch_trans *trans = emission->trans;
	struct cscg_rng rng;
	int j, x;
	long t;

	cscg_rng_seed(&rng, set->seed, CSCG_RNG_BIND, i, key);
	cscg_switch_emission_clear(emission);
	for (t = 0; t < segment->n; t++)
		cscg_switch_add_symbol(emission, segment->x[t], set->pseudocount);
	for (x = 0; x < emission->K; x++) {
		if (!emission->is_used[x])
			continue;
		for (j = 0; j < trans->S; j++)
			emission->line[j] = (1 + set->jitter *
			    cscg_rng_uniform(&rng)) / emission->K;
		trans->kern->set(cscg_switch_column(emission, x), emission->line,
		    trans->S);
	}
}

struct restart_search {
	struct cscg_switch_emission *best;
	const struct cscg_switch_segment *segment;
	const struct cscg_switch_options *set;
	uint64_t key;
	struct cscg_switch_em_result *result;
	long which, failed;	/* -1: none yet */
	struct cscg_err *err;
};

struct runner {
	struct cscg_switch_pass *pass;
	struct cscg_switch_emission *emission;
};

static void
runner_free(void *mine)
{
	struct runner *r = mine;

	if (!r)
		return;
	cscg_switch_pass_free(r->pass);
	cscg_switch_emission_free(r->emission);
	free(r);
}

static void *
runner_new(void *ctx, struct cscg_err *err)
{
	struct restart_search *search = ctx;
	struct runner *r = cscg_alloc(1, sizeof *r, err);

	if (!r)
		return NULL;
	r->pass = cscg_switch_pass_new(search->best->trans, err);
	r->emission = cscg_switch_emission_new(search->best->trans, search->best->K, err);
	if (r->pass && r->emission)
		return r;
	runner_free(r);
	return NULL;
}

static void
run_task(void *ctx, long i, void *mine)
{
	struct restart_search *search = ctx;
	struct runner *r = mine;
	struct cscg_switch_em_result result;
	struct cscg_err err = { 0 };
	int rc;

	cscg_switch_random_E(r->emission, search->segment, search->set, (uint64_t)i,
	    search->key);
	rc = cscg_switch_em(r->pass, r->emission, search->segment, search->set, &result,
	    &err);
#pragma omp critical(cscg_switch_restarts_best)
	if (rc < 0) {
		if (search->failed < 0 || i < search->failed) {
			search->failed = i;
			*search->err = err;
		}
	} else if (search->which < 0 || result.objective > search->result->objective ||
	    (result.objective == search->result->objective && i < search->which)) {
		search->which = i;
		*search->result = result;
		cscg_switch_emission_copy(search->best, r->emission);
	}
}

int
cscg_switch_restarts(struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment,
    const struct cscg_switch_options *set, uint64_t key,
    struct cscg_switch_em_result *result, struct cscg_err *err)
{
	struct restart_search search = { .best = emission, .segment = segment, .set = set,
	    .key = key, .result = result, .which = -1, .failed = -1, .err = err };
	const struct cscg_parallel each = { run_task, runner_new, runner_free, &search };

	if (cscg_parallel_for(&each, set->restarts, set->threads, err) < 0)
		return -1;
	return search.failed < 0 ? 0 : -1;
}
