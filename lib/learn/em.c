/* em.c - the EM loop, and EM (Baum-Welch) on T with emissions fixed */
#include <float.h>
#include <math.h>

#include "learn/em.h"

void
cscg_em_set_slack(struct cscg_em_problem *problem, bool is_double)
{
	problem->slack_relative = is_double ? 1e-11 : 1e-6;
	problem->slack_per_step = 2 * (is_double ? DBL_EPSILON : FLT_EPSILON);
}

/* The E-step, and the check that the objective has not fallen. */
static int
e_step(const struct cscg_em_problem *problem, bool update, double before,
    struct cscg_em_progress *line, struct cscg_err *err)
{
	double slack = problem->slack_relative * fabs(before) +
	    problem->slack_per_step * (double)problem->steps;

	if (problem->expect(problem->ctx, update, line, err) < 0)
		return -1;
	if (isinf(line->loglik))
		return cscg_fail(err, CSCG_ERANGE, "%s", problem->impossible);
	/* No objective is less than -INFINITY, the value of an unknown one. */
	if (isnan(line->objective) || line->objective < before - slack)
		return cscg_fail(err, CSCG_EBUG,
		    "the objective fell from %.17g to %.17g at iteration "
		    "%ld: please report this as a bug",
		    before, line->objective, line->iteration);
	return 0;
}

static double
gain_of(const struct cscg_em *set, const struct cscg_em_progress *before,
    const struct cscg_em_progress *line)
{
	if (set->by_loglik)
		return line->loglik - before->loglik;
	return isinf(before->objective) ? INFINITY :
					  line->objective - before->objective;
}

static bool
has_converged(const struct cscg_em *set, long steps,
    const struct cscg_em_progress *line, double gain_before)
{
	double scale = set->per_step ?
	    (double)steps :
	    fabs(set->by_loglik ? line->loglik : line->objective);
	double least = set->tolerance * scale;

	return set->tolerance > 0 && line->gain < least &&
	    (!set->successive ||
		(gain_before < least && line->gain <= gain_before));
}

int
cscg_em(const struct cscg_em_problem *problem, const struct cscg_em *set,
    struct cscg_em_progress *last, struct cscg_err *err)
{
	struct cscg_em_progress line, before = set->resume;

	if (!before.iteration)
		before = (struct cscg_em_progress){ 0, -INFINITY, -INFINITY,
			INFINITY };
	for (line = before;; before = line) {
		bool update = line.iteration < set->iterations;

		if (e_step(problem, update, before.objective, &line, err) < 0)
			return -1;
		line.gain = gain_of(set, &before, &line);
		*last = line;
		if ((set->report && set->report(set->ctx, &line)) || !update ||
		    has_converged(set, problem->steps, &line, before.gain))
			return 0;
		if (problem->maximise(problem->ctx, err) < 0)
			return -1;
		line.iteration++;
		if (set->checkpoint &&
		    set->checkpoint(set->ctx, &line, err) < 0)
			return -1;
	}
}

/* ---- EM on T ---- */

struct em_T {
	struct cscg_estep *estep;
	double pseudocount;
};

static int
expect_T(void *ctx, bool update, struct cscg_em_progress *line,
    struct cscg_err *err)
{
	struct em_T *em = ctx;
	double prior = em->estep->set(em->estep, em->pseudocount);

	if (em->estep->expect(em->estep, update, &line->loglik, err) < 0)
		return -1;
	line->objective = line->loglik + em->pseudocount * prior;
	return 0;
}

static int
maximise_T(void *ctx, struct cscg_err *err)
{
	struct em_T *em = ctx;

	(void)err;
	em->estep->accept(em->estep);
	return 0;
}

int
cscg_em_T(struct cscg_estep *estep, long steps, double pseudocount,
    const struct cscg_em *set, struct cscg_em_progress *last,
    struct cscg_err *err)
{
	struct em_T em = { estep, pseudocount };
	const struct cscg_em_problem problem = { .expect = expect_T,
		.maximise = maximise_T,
		.ctx = &em,
		.slack_relative = estep->slack_relative,
		.slack_per_step = estep->slack_per_step,
		.steps = steps,
		.impossible = "the model cannot produce this walk: a symbol "
			      "has no clone, or a transition that is needed "
			      "has probability zero" };

	return cscg_em(&problem, set, last, err);
}
