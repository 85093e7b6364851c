/*
 * learn_tied.c - transition noise of a learned model tied, alternated with EM
 * and reduction
 */
#include <math.h>

#include "learn/constants.h"
#include "learn/em_restarts.h"
#include "learn/learn_tied.h"
#include "learn/structure.h"
#include "learn/tied_noise.h"

struct loglik_ctx {
	const struct cscg_walk *w;
	const struct cscg_learn *set;
};

static int
walk_loglik(void *ctx, const struct cscg_model *m, double *loglik,
    struct cscg_err *err)
{
	struct loglik_ctx *on = ctx;

	return cscg_learn_loglik(m, on->w, on->set, loglik, err);
}

/*
 * EM on a copy of *m, whose noise is tied, reduction, and tied noise again: the
 * copy replaces *m if its BIC is better.  1 if so, 0, or -1.
 */
static int
tie_again(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_tied_noise_walk *walk,
    double *loglik, struct cscg_err *err)
{
	struct cscg_learn how = *set;
	struct cscg_learn_progress line;
	struct cscg_model *next = cscg_model_copy(*m, err);
	double tied;
	int rc = -1;

	how.report = NULL;
	how.iterations = cscg_learn_constants.tie_iterations;
	how.noisy = true;
	if (next &&
	    cscg_em_restarts(next, w, &how, false, 0, &line, err) == 0 &&
	    cscg_structure_clean(&next, w, &how, &tied, err) == 0)
		rc = cscg_tied_noise_fit(&next, walk, &tied, err);
	if (rc > 0 &&
	    cscg_bic_noise(next, w->n_steps, tied) >
		cscg_bic_noise(*m, w->n_steps, *loglik)) {
		cscg_model_free(*m);
		*m = next;
		*loglik = tied;
		return 1;
	}
	cscg_model_free(next);
	return rc < 0 ? -1 : 0;
}

int
cscg_learn_tied(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, bool final, double *loglik,
    struct cscg_err *err)
{
	struct loglik_ctx on = { w, set };
	struct cscg_tied_noise_walk walk = { w->n_steps, walk_loglik, &on };
	double tied;
	int rc, round;

	if (set->raw || set->untied_noise || cscg_poll_stopped(set->poll))
		return 0;
	rc = cscg_tied_noise_fit(m, &walk, &tied, err);
	if (rc <= 0)
		return rc;
	for (round = 0; round < cscg_learn_constants.tie_rounds && rc > 0 &&
	     !final && !set->clones && !set->init && set->pseudocount > 0 &&
	     !cscg_poll_stopped(set->poll);
	     round++)
		rc = tie_again(m, w, set, &walk, &tied, err);
	if (rc < 0)
		return -1;
	*loglik = tied;
	cscg_learn_report_stage(set, "tied-noise", 0, 0, (*m)->n_states, tied,
	    NAN, NULL);
	return 0;
}
