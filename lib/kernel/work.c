/* work.c - scratch memory for the passes, grown once and reused */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/work.h"

int
cscg_work_reserve(struct cscg_work *work, const struct cscg_trans *tr,
    const struct cscg_walk *w, int e, struct cscg_err *err)
{
	long n = w->start[e + 1] - w->start[e], t;
	size_t S = (size_t)tr->n_states, size = tr->kern->size;
	struct cscg_span s;

	if (cscg_grow(&work->off, &work->cap_off, (size_t)n + 1,
	    sizeof *work->off, err) < 0 ||
	    cscg_grow(&work->p, &work->cap_p, (size_t)n, sizeof *work->p,
	    err) < 0 ||
	    cscg_grow(&work->u, &work->cap_u, S, size, err) < 0 ||
	    cscg_grow(&work->v, &work->cap_v, S, size, err) < 0)
		return -1;
	work->n = n;
	work->off[0] = 0;
	for (t = 0; t < n; t++) {
		s = cscg_trans_span(tr, w->x[w->start[e] + t]);
		work->off[t + 1] = work->off[t] + (size_t)(s.hi - s.lo);
	}
	/* At least one, so that there is a message to point at. */
	return cscg_grow(&work->message, &work->cap_message,
	    work->off[n] + 1, size, err);
}

void *
cscg_work_message(const struct cscg_work *work, const struct cscg_trans *tr, long t)
{
	return work->message + work->off[t] * tr->kern->size;
}

void
cscg_work_free(struct cscg_work *work)
{
	free(work->off);
	free(work->p);
	free(work->message);
	free(work->back);
	free(work->u);
	free(work->v);
	memset(work, 0, sizeof *work);
}
