/*
 * backward.c - what the whole walk says about each step
 *
 * With alpha summing to one and u[j] = sum_k T[j][k] v[k], v the weighted
 * message from the right, s = alpha . u is what makes both the posterior
 * alpha[j] u[j] / s and the pair posterior alpha[j] T[j][k] v[k] / s sum to
 * one.  Dividing by s at every step keeps rounding from building up.
 */
#include <string.h>

#include "kernel/backward.h"

void
cscg_backward(const struct cscg_trans *tr, const struct cscg_walk *w, int e,
    struct cscg_work *work, double *counts)
{
	const struct cscg_kernel *k = tr->kern;
	const int *x = w->x + w->start[e], *a = w->a + w->start[e];
	void *u = work->u, *v = work->v, *alpha, *swap;
	bool open = false;	/* is v the weighted message into step t + 1? */
	double s;
	long t;

	for (t = work->n - 2; t >= 0; t--) {
		struct cscg_span from = cscg_trans_span(tr, x[t]);
		struct cscg_span to = cscg_trans_span(tr, x[t + 1]);
		int n = from.hi - from.lo, m = to.hi - to.lo;

		if (cscg_walk_starts_run(w, e, w->start[e] + t + 1)) {
			open = false;	/* alpha is the posterior already */
			continue;
		}
		if (!open) {
			k->fill(v, 1, m);
			if (to.weight)
				k->weigh(v, to.weight, m);
			open = true;
		}
		alpha = cscg_work_message(work, tr, t);
		cscg_trans_pull(tr, a[t], &from, &to, v, u);
		s = k->dot(alpha, u, n);
		if (counts)
			cscg_trans_count(tr, a[t], &from, &to, alpha, v,
			    1 / s, counts);
		k->combine(alpha, u, 1 / s, n);
		if (from.weight)
			k->weigh(u, from.weight, n);
		swap = u;
		u = v;
		v = swap;
	}
}
