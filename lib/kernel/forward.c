/*
 * forward.c - likelihood of a walk under a model
 *
 * An observation can only be seen from its own clones, so a step costs
 * clones(x[t-1]) * clones(x[t]), not states squared.  Each message is rescaled
 * to sum to one and the logs of the scales are added up, which keeps log() and
 * exp() out of the inner loop.
 */
#include <math.h>
#include <string.h>

#include "kernel/forward.h"

double
cscg_forward_step(const struct cscg_trans *tr, const struct cscg_span *from,
    const void *alpha, int a, int x, void *out)
{
	const struct cscg_kernel *k = tr->kern;
	struct cscg_span to = cscg_trans_span(tr, x);
	int n = to.hi - to.lo;
	double p;

	if (a < 0)
		memcpy(out, (char *)tr->pi + (size_t)to.lo * k->size,
		    (size_t)n * k->size);
	else
		cscg_trans_push(tr, a, from, &to, alpha, out);
	p = to.weight ? k->weigh(out, to.weight, n) : k->sum(out, n);
	if (p > 0)
		k->scale(out, 1 / p, n);
	return p > 0 ? p : 0;
}

int
cscg_forward(const struct cscg_trans *tr, const struct cscg_walk *w, int e,
    struct cscg_work *work, double *loglik, struct cscg_err *err)
{
	struct cscg_span from = { 0, 0, NULL };
	const int *x = w->x + w->start[e], *a = w->a + w->start[e];
	double sum = 0;
	long t;

	if (cscg_work_reserve(work, tr, w, e, err) < 0)
		return -1;
	for (t = 0; t < work->n; t++) {
		int starts_run = cscg_walk_starts_run(w, e, w->start[e] + t);

		work->p[t] = cscg_forward_step(tr, &from,
		    t ? cscg_work_message(work, tr, t - 1) : NULL,
		    starts_run ? -1 : a[t - 1], x[t], cscg_work_message(work, tr, t));
		if (work->p[t] <= 0)
			break;
		sum += log(work->p[t]);
		from = cscg_trans_span(tr, x[t]);
	}
	if (t < work->n) {
		memset(work->p + t, 0, (size_t)(work->n - t) * sizeof *work->p);
		sum = -INFINITY;
	}
	*loglik = sum;
	return 0;
}
