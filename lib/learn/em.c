/* em.c - EM (Baum-Welch) on T with emissions fixed */
#include <math.h>

#include "learn/em.h"

int
cscg_em(struct cscg_estep *estep, long steps, const struct cscg_em *set,
    struct cscg_em_progress *last, struct cscg_err *err)
{
	struct cscg_em_progress line = { set->done, 0, 0 };
	double prior, before = set->done ? set->last_objective : -INFINITY,
		      slack;

	for (;;) {
		bool more = line.iteration < set->iterations;

		prior = estep->set(estep, set->pseudocount);
		if (estep->expect(estep, more, &line.loglik, err) < 0)
			return -1;
		if (isinf(line.loglik))
			return cscg_fail(err, CSCG_ERANGE,
			    "the model cannot produce this walk: a symbol has "
			    "no clone, or a transition that is needed has "
			    "probability zero");
		line.objective = line.loglik + set->pseudocount * prior;
		*last = line;
		slack = estep->slack_relative * fabs(before) +
		    estep->slack_per_step * (double)steps;
		if (line.objective < before - slack)
			return cscg_fail(err, CSCG_EBUG,
			    "the objective fell from %.17g to %.17g at "
			    "iteration %ld: please report this as a bug",
			    before, line.objective, line.iteration);
		if ((set->report && set->report(set->ctx, &line)) || !more ||
		    (set->tolerance > 0 && line.iteration &&
			line.objective - before <
			    set->tolerance * fabs(line.objective)))
			return 0;
		before = line.objective;
		estep->accept(estep);
		line.iteration++;
		if (set->checkpoint &&
		    set->checkpoint(set->ctx, &line, err) < 0)
			return -1;
	}
}
