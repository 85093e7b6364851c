/* em.c - learn T by expectation maximisation, emissions fixed */
#include <math.h>

#include "learn/em.h"

int
cscg_em(struct cscg_engine *engine, long steps, const struct cscg_em *set,
    struct cscg_em_line *last, struct cscg_err *err)
{
	struct cscg_em_line line = { set->made, 0, 0 };
	double prior, before = set->made ? set->before : -INFINITY, slack;

	for (;;) {
		bool more = line.iteration < set->iterations;

		prior = engine->set(engine, set->pseudocount);
		if (engine->expect(engine, more, &line.loglik, err) < 0)
			return -1;
		if (isinf(line.loglik))
			return cscg_fail(err, CSCG_ERANGE, "the model cannot "
			    "produce this walk: a symbol has no clone, or a "
			    "transition that is needed has probability zero");
		line.objective = line.loglik + set->pseudocount * prior;
		*last = line;
		slack = engine->share * fabs(before) +
		    engine->per_step * (double)steps;
		if (line.objective < before - slack)
			return cscg_fail(err, CSCG_EBUG, "the objective fell "
			    "from %.17g to %.17g at iteration %ld: please "
			    "report this as a bug", before, line.objective,
			    line.iteration);
		if ((set->report && set->report(set->ctx, &line)) || !more ||
		    (set->tolerance > 0 && line.iteration && line.objective -
		    before < set->tolerance * fabs(line.objective)))
			return 0;
		before = line.objective;
		engine->accept(engine);
		line.iteration++;
		if (set->keep && set->keep(set->ctx, &line, err) < 0)
			return -1;
	}
}
