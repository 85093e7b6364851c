/* expect.c - the plain E-step: expected counts over all episodes */
#include <math.h>
#include <string.h>

#include "kernel/backward.h"
#include "kernel/expect.h"
#include "kernel/forward.h"

/* Add the posterior of every step that begins a run to start. */
static void
add_starts(const struct cscg_trans *tr, const struct cscg_walk *w, int e,
    const struct cscg_work *work, double *start)
{
	struct cscg_span s;
	double p;
	long t;
	int j;

	for (t = 0; t < work->n; t++) {
		if (!cscg_walk_starts_run(w, e, w->start[e] + t))
			continue;
		s = cscg_trans_span(tr, w->x[w->start[e] + t]);
		for (j = s.lo; j < s.hi; j++) {
			tr->kern->get((char *)cscg_work_message(work, tr, t) +
			    (size_t)(j - s.lo) * tr->kern->size, &p, 1);
			start[j] += p;
		}
	}
}

int
cscg_expect(const struct cscg_trans *tr, const struct cscg_walk *w,
    struct cscg_work *work, double *counts, double *start, double *loglik,
    struct cscg_err *err)
{
	size_t S = (size_t)tr->n_states;
	double one;
	int e;

	if (counts)
		memset(counts, 0,
		    S * S * (size_t)tr->n_actions * sizeof *counts);
	if (start)
		memset(start, 0, S * sizeof *start);
	*loglik = 0;
	for (e = 0; e < w->n_episodes; e++) {
		if (cscg_forward(tr, w, e, work, &one, err) < 0)
			return -1;
		*loglik += one;
		if (isinf(one) || (!counts && !start))
			continue;
		cscg_backward(tr, w, e, work, counts);
		if (start)
			add_starts(tr, w, e, work, start);
	}
	return 0;
}
