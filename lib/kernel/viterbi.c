/* viterbi.c - the likeliest path of states behind a walk */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/viterbi.h"

/* The message of step t, scaled to a maximum of one; returns that maximum. */
static double
step(const struct cscg_trans *tr, const struct cscg_walk *w, int e, long t,
    struct cscg_work *work)
{
	const struct cscg_kernel *k = tr->kern;
	long at = w->start[e] + t;
	struct cscg_span to = cscg_trans_span(tr, w->x[at]), from;
	void *out = cscg_work_message(work, tr, t);
	int n = to.hi - to.lo, best;
	double p;

	if (cscg_walk_starts_run(w, e, at)) {
		memcpy(out, (char *)tr->pi + (size_t)to.lo * k->size,
		    (size_t)n * k->size);
	} else {
		from = cscg_trans_span(tr, w->x[at - 1]);
		cscg_trans_push_max(tr, w->a[at - 1], &from, &to,
		    cscg_work_message(work, tr, t - 1), out,
		    work->back + work->off[t]);
	}
	if (to.weight)
		k->weigh(out, to.weight, n);
	p = k->max(out, n, &best);
	if (p > 0)
		k->scale(out, 1 / p, n);
	return p;
}

int
cscg_viterbi(const struct cscg_trans *tr, const struct cscg_walk *w, int e,
    struct cscg_work *work, int *states, double *logp, struct cscg_err *err)
{
	struct cscg_span s;
	double p, sum = 0;
	long t;
	int i = 0;

	if (cscg_work_reserve(work, tr, w, e, err) < 0 ||
	    cscg_grow(&work->back, &work->cap_back, work->off[work->n] + 1,
	    sizeof *work->back, err) < 0)
		return -1;
	for (t = 0; t < work->n; t++) {
		p = step(tr, w, e, t, work);
		if (p <= 0)
			break;
		sum += log(p);
	}
	if (t < work->n)
		sum = -INFINITY;
	*logp = sum;
	for (; work->n > t; work->n--)
		states[work->n - 1] = -1;
	for (t--; t >= 0; t--) {
		s = cscg_trans_span(tr, w->x[w->start[e] + t]);
		if (t == work->n - 1 ||
		    cscg_walk_starts_run(w, e, w->start[e] + t + 1))
			tr->kern->max(cscg_work_message(work, tr, t), s.hi - s.lo,
			    &i);
		else
			i = work->back[work->off[t + 1] + (size_t)i];
		states[t] = s.lo + i;
	}
	return 0;
}

int
cscg_viterbi_all(const struct cscg_trans *tr, const struct cscg_walk *w,
    struct cscg_work *work, int *states, double *logp, struct cscg_err *err)
{
	double one;
	int e;

	*logp = 0;
	for (e = 0; e < w->n_episodes; e++) {
		if (cscg_viterbi(tr, w, e, work, states + w->start[e], &one,
		    err) < 0)
			return -1;
		*logp += one;
	}
	return 0;
}
