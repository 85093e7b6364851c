/* posterior.c - P(state | all steps of its episode) of each step of a walk */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "kernel/passes.h"
#include "kernel/posterior.h"

struct receiver {
	const struct cscg_trans *tr;
	cscg_posterior_fn *step;
	void *ctx;
	long start; /* of the episode */
	double *p;  /* [n_states] */
};

static void
receive(void *ctx, long t, const struct cscg_span *s, const void *gamma)
{
	struct receiver *r = ctx;

	r->tr->kern->get(gamma, r->p, s->hi - s->lo);
	r->step(r->ctx, r->start + t, s->lo, s->hi, r->p);
}

static int
episode(struct receiver *r, const struct cscg_walk *w, int e,
    struct cscg_work *work, struct cscg_err *err)
{
	struct cscg_sink sink = { .posterior = receive, .ctx = r };
	double loglik;
	long underflow;

	r->start = w->start[e];
	cscg_work_limit(work, r->tr, w->start[e + 1] - w->start[e]);
	if (cscg_forward(r->tr, w, e, work, &loglik, err) < 0)
		return -1;
	if (isinf(loglik))
		return cscg_fail(err, CSCG_EMISMATCH,
		    "the model cannot produce episode %d", e);
	underflow = cscg_backward(r->tr, w, e, work, &sink);
	return underflow < 0 ? 0 : cscg_pass_underflow(underflow, err);
}

int
cscg_posterior_each(const struct cscg_trans *tr, const struct cscg_walk *w,
    int from, int to, cscg_posterior_fn *step, void *ctx, struct cscg_err *err)
{
	struct receiver r = { .tr = tr, .step = step, .ctx = ctx };
	struct cscg_work work = { 0 };
	int e, rc;

	r.p = cscg_alloc((size_t)tr->n_states, sizeof *r.p, err);
	rc = r.p ? 0 : -1;
	for (e = from; e < to && rc == 0; e++)
		rc = episode(&r, w, e, &work, err);
	cscg_work_free(&work);
	free(r.p);
	return rc;
}
