/* switching_em.c - bind several schemas at once: EM on E of their union */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/each.h"
#include "base/mem.h"
#include "base/rng.h"
#include "schema/switching_em.h"

/* ---- EM ---- */

static bool
settled(const struct cscg_switching_set *set, double objective, double gain,
    double gain_before)
{
	double least = set->tolerance * fabs(objective);

	return set->tolerance > 0 && gain < least && gain_before < least &&
	    gain <= gain_before;
}

int
cscg_switching_em(struct cscg_switching_pass *pass,
    struct cscg_switching_look *look, const struct cscg_switching_part *part,
    const struct cscg_switching_set *set, struct cscg_switching_fit *fit,
    struct cscg_err *err)
{
	double before = -INFINITY, gain = INFINITY, old, prior = NAN;
	double slack;
	long i;

	for (i = 0;; i++) {
		if (cscg_switching_expect(pass, look, part, NULL,
		    &fit->loglik, err) < 0)
			return -1;
		fit->iterations = i;
		fit->objective = fit->loglik + prior;
		old = gain;
		gain = i > 1 ? fit->objective - before : INFINITY;
		if (i == set->iterations || settled(set, fit->objective, gain,
		    old))
			return 0;
		slack = (set->is_double ? 1e-11 : 1e-6) * fabs(before) +
		    2 * (set->is_double ? DBL_EPSILON : FLT_EPSILON) *
		    (double)part->n;
		if (i > 1 && fit->objective < before - slack)
			return cscg_fail(err, CSCG_EBUG, "the objective fell "
			    "from %.17g to %.17g at iteration %ld: please "
			    "report this as a bug", before, fit->objective, i);
		before = fit->objective;
		prior = cscg_switching_maximise(look, set->pseudocount);
	}
}

/* ---- starts ---- */

void
cscg_switching_start(struct cscg_switching_look *look,
    const struct cscg_switching_part *part,
    const struct cscg_switching_set *set, uint64_t i, uint64_t key)
{
	const struct cscg_switching_map *map = look->map;
	struct cscg_rng rng;
	int j, x;
	long t;

	cscg_rng_seed(&rng, set->seed, CSCG_RNG_BIND, i, key);
	cscg_switching_look_clear(look);
	for (t = 0; t < part->n; t++)
		cscg_switching_use(look, part->x[t], set->pseudocount);
	for (x = 0; x < look->K; x++) {
		if (!look->is_used[x])
			continue;
		for (j = 0; j < map->S; j++)
			look->line[j] = (1 + set->jitter *
			    cscg_rng_uniform(&rng)) / look->K;
		map->kern->set(cscg_switching_column(look, x), look->line,
		    map->S);
	}
}

struct race {
	struct cscg_switching_look *best;
	const struct cscg_switching_part *part;
	const struct cscg_switching_set *set;
	uint64_t key;
	struct cscg_switching_fit *fit;
	long which, failed;	/* -1: none yet */
	struct cscg_err *err;
};

struct runner {
	struct cscg_switching_pass *pass;
	struct cscg_switching_look *look;
};

static void
drop(void *mine)
{
	struct runner *r = mine;

	if (!r)
		return;
	cscg_switching_pass_free(r->pass);
	cscg_switching_look_free(r->look);
	free(r);
}

static void *
make(void *ctx, struct cscg_err *err)
{
	struct race *race = ctx;
	struct runner *r = cscg_alloc(1, sizeof *r, err);

	if (!r)
		return NULL;
	r->pass = cscg_switching_pass_new(race->best->map, err);
	r->look = cscg_switching_look_new(race->best->map, race->best->K, err);
	if (r->pass && r->look)
		return r;
	drop(r);
	return NULL;
}

static void
turn(void *ctx, long i, void *mine)
{
	struct race *race = ctx;
	struct runner *r = mine;
	struct cscg_switching_fit fit;
	struct cscg_err err = { 0 };
	int rc;

	cscg_switching_start(r->look, race->part, race->set, (uint64_t)i,
	    race->key);
	rc = cscg_switching_em(r->pass, r->look, race->part, race->set, &fit,
	    &err);
#pragma omp critical(cscg_switching_race)
	if (rc < 0) {
		if (race->failed < 0 || i < race->failed) {
			race->failed = i;
			*race->err = err;
		}
	} else if (race->which < 0 || fit.objective > race->fit->objective ||
	    (fit.objective == race->fit->objective && i < race->which)) {
		race->which = i;
		*race->fit = fit;
		cscg_switching_look_copy(race->best, r->look);
	}
}

int
cscg_switching_best(struct cscg_switching_look *look,
    const struct cscg_switching_part *part,
    const struct cscg_switching_set *set, uint64_t key,
    struct cscg_switching_fit *fit, struct cscg_err *err)
{
	struct race race = { .best = look, .part = part, .set = set,
	    .key = key, .fit = fit, .which = -1, .failed = -1, .err = err };
	const struct cscg_each each = { turn, make, drop, &race };

	if (cscg_each(&each, set->restarts, set->threads, err) < 0)
		return -1;
	return race.failed < 0 ? 0 : -1;
}
