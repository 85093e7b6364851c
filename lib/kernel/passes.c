/*
 * passes.c - forward, backward, Viterbi and expected counts of a walk, one
 * implementation in plain C
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/passes.h"

/* Make room for episode e of w; fills off.  An all-zero struct is empty. */
static int work_reserve(struct cscg_work *work, const struct cscg_trans *tr,
    const struct cscg_walk *w, int e, struct cscg_err *err);

static int
work_reserve(struct cscg_work *work, const struct cscg_trans *tr,
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
	/* At least one real, so that the message pointer is valid. */
	return cscg_grow(&work->message, &work->cap_message, work->off[n] + 1,
	    size, err);
}

void *
cscg_work_message(const struct cscg_work *work, const struct cscg_trans *tr,
    long t)
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

/*
 * Likelihood of a walk under a model
 *
 * A symbol can only be emitted by its own clones, so the cost of a step is
 * clones(x[t-1]) * clones(x[t]), not states squared.  Each message is rescaled
 * to sum to one and the logs of the scales are added up, which keeps log() and
 * exp() out of the inner loop.
 */

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

	if (work_reserve(work, tr, w, e, err) < 0)
		return -1;
	for (t = 0; t < work->n; t++) {
		int starts_run = cscg_walk_starts_run(w, e, w->start[e] + t);

		work->p[t] = cscg_forward_step(tr, &from,
		    t ? cscg_work_message(work, tr, t - 1) : NULL,
		    starts_run ? -1 : a[t - 1], x[t],
		    cscg_work_message(work, tr, t));
		if (work->p[t] <= 0)
			break;
		sum += log(work->p[t]);
		from = cscg_trans_span(tr, x[t]);
	}
	if (t < work->n) {
		memset(work->p + t, 0,
		    (size_t)(work->n - t) * sizeof *work->p);
		sum = -INFINITY;
	}
	*loglik = sum;
	return 0;
}

/*
 * Posterior of each step given the whole walk
 *
 * With alpha summing to one and u[j] = sum_k T[j][k] v[k], v the weighted
 * backward message, s = alpha . u normalises both the posterior alpha[j] u[j]
 * / s and the pair posterior alpha[j] T[j][k] v[k] / s.  Dividing by s at
 * every step keeps rounding errors from accumulating.
 */

void
cscg_backward(const struct cscg_trans *tr, const struct cscg_walk *w, int e,
    struct cscg_work *work, double *counts)
{
	const struct cscg_kernel *k = tr->kern;
	const int *x = w->x + w->start[e], *a = w->a + w->start[e];
	void *u = work->u, *v = work->v, *alpha, *swap;
	bool open = false; /* is v the weighted message into step t + 1? */
	double s;
	long t;

	for (t = work->n - 2; t >= 0; t--) {
		struct cscg_span from = cscg_trans_span(tr, x[t]);
		struct cscg_span to = cscg_trans_span(tr, x[t + 1]);
		int n = from.hi - from.lo, m = to.hi - to.lo;

		if (cscg_walk_starts_run(w, e, w->start[e] + t + 1)) {
			open = false; /* alpha is the posterior already */
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
			cscg_trans_count(tr, a[t], &from, &to, alpha, v, 1 / s,
			    counts);
		k->combine(alpha, u, 1 / s, n);
		if (from.weight)
			k->weigh(u, from.weight, n);
		swap = u;
		u = v;
		v = swap;
	}
}

/* Viterbi: the likeliest path of hidden states of a walk */

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

	if (work_reserve(work, tr, w, e, err) < 0 ||
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
			tr->kern->max(cscg_work_message(work, tr, t),
			    s.hi - s.lo, &i);
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

/* The plain E-step: expected counts over all episodes */

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
				(size_t)(j - s.lo) * tr->kern->size,
			    &p, 1);
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
