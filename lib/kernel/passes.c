/*
 * passes.c - forward, backward, Viterbi, posterior and expected counts: each
 * pass once, over the evidence of each step
 *
 * A symbol that only its own clones emit makes a step cost clones(x[t-1]) *
 * clones(x[t]), not states squared.
 *
 * The plain loops weigh each forward message by the evidence of its step,
 * scale it to sum to one, and add up the logs of the scales, which keeps log()
 * and exp() out of the inner loop.  The SIMD loops weigh a message while they
 * propagate it, so their messages lack the evidence of their own step, and
 * they scale by powers of two when a message becomes small.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/passes.h"

/* Scratch vectors of a struct cscg_work. */
enum {
	LINE_U, /* backward message */
	LINE_V, /* the next one */
	LINE_WEIGHT,
	LINE_SCRATCH,
	LINE_ALPHA,
	LINE_LAST,
	LINE_SEEN, /* of doubles: two lines */
	LINES = LINE_SEEN + 2
};

struct pass {
	const struct cscg_trans *tr;
	const struct cscg_evidence *ev;
	struct cscg_work *work;
	const struct cscg_kernel *k;
	bool is_max;  /* Viterbi */
	bool is_simd; /* messages are [stride], of all states */
	double *logp; /* NULL: not computed */

	/* Forward: the message of the step before, its span. */
	const void *in;
	struct cscg_span from;

	/* SIMD, forward: its weights, exponents since the start of the run. */
	const void *weight;
	double shift;

	/*
	 * Backward: messages of step t + 1 and t, span of step t + 1; SIMD:
	 * weights by which u is still to be multiplied, NULL: none.
	 */
	char *u, *v;
	struct cscg_span next;
	const void *pending;
};

/* ---- memory ---- */

static char *
align(char *p)
{
	return (char *)(((uintptr_t)p + CSCG_ALIGN - 1) / CSCG_ALIGN *
	    CSCG_ALIGN);
}

static size_t
line_bytes(const struct cscg_trans *tr)
{
	return tr->stride * tr->kern->size;
}

static void *
line_of(const struct pass *p, int i)
{
	return p->work->line + (size_t)i * line_bytes(p->tr);
}

static void *
slot(const struct pass *p, long t)
{
	const struct cscg_work *work = p->work;

	return work->base +
	    (p->is_simd ? (size_t)(t - work->at) * p->tr->stride :
			  work->off[t - work->at]) *
	    p->k->size;
}

static struct cscg_span
span_at(const struct pass *p, long t)
{
	struct cscg_span s = { 0 };

	p->ev->at(p->ev, t, &s);
	return s;
}

/* Reals and bytes of a message over s. */
static size_t
message_size(const struct pass *p, const struct cscg_span *s)
{
	return p->is_simd ? p->tr->stride : (size_t)(s->hi - s->lo);
}

static size_t
message_bytes(const struct pass *p, const struct cscg_span *s)
{
	return message_size(p, s) * p->k->size;
}

/* One behind the last step of the chunk of step t. */
static long
chunk_end(const struct pass *p, long t)
{
	long chunk = p->work->chunk;

	if (chunk <= 0 || p->ev->n - t < chunk)
		return p->ev->n;
	return t - t % chunk + chunk;
}

/* Allocate the messages of the chunk that begins at step t. */
static int
layout_chunk(struct pass *p, long t, struct cscg_err *err)
{
	struct cscg_work *work = p->work;
	long end = chunk_end(p, t), i;
	struct cscg_span s;

	work->at = t;
	work->off[0] = 0;
	if (p->is_simd)
		work->off[end - t] = (size_t)(end - t) * p->tr->stride;
	for (i = 0; i < end - t && !p->is_simd; i++) {
		s = span_at(p, t + i);
		work->off[i + 1] = work->off[i] + message_size(p, &s);
	}
	if (cscg_grow(&work->message, &work->cap_message,
		work->off[end - t] * p->k->size + CSCG_ALIGN, 1, err) < 0 ||
	    (p->is_max &&
		cscg_grow(&work->back, &work->cap_back, work->off[end - t] + 1,
		    sizeof *work->back, err) < 0))
		return -1;
	work->base = align(work->message);
	return 0;
}

static int
reserve_lines(struct pass *p, struct cscg_err *err)
{
	struct cscg_work *work = p->work;

	if (cscg_grow(&work->lines, &work->cap_lines,
		LINES * line_bytes(p->tr) + CSCG_ALIGN, 1, err) < 0 ||
	    (p->tr->simd &&
		cscg_grow(&work->links, &work->cap_links,
		    (size_t)p->tr->n_actions, sizeof *work->links, err) < 0))
		return -1;
	work->line = align(work->lines);
	return 0;
}

static int
work_reserve(struct pass *p, struct cscg_err *err)
{
	struct cscg_work *work = p->work;
	long n = p->ev->n, chunk = work->chunk;
	size_t steps = (size_t)(chunk > 0 && chunk < n ? chunk : n);
	size_t chunks = chunk > 0 ? (size_t)((n + chunk - 1) / chunk) : 0;

	if (cscg_grow(&work->off, &work->cap_off, steps + 1, sizeof *work->off,
		err) < 0 ||
	    (!p->is_max && !p->is_simd &&
		cscg_grow(&work->p, &work->cap_p, (size_t)n, sizeof *work->p,
		    err) < 0) ||
	    reserve_lines(p, err) < 0 ||
	    (work->chunk > 0 &&
		cscg_grow(&work->checkpoint, &work->cap_checkpoint,
		    chunks * line_bytes(p->tr), 1, err) < 0) ||
	    (work->chunk > 0 && p->is_max &&
		cscg_grow(&work->first_back, &work->cap_first_back,
		    chunks * p->tr->stride, sizeof *work->first_back,
		    err) < 0))
		return -1;
	work->n = n;
	return 0;
}

void *
cscg_work_message(const struct cscg_work *work, const struct cscg_trans *tr,
    long t)
{
	return work->base + work->off[t - work->at] * tr->kern->size;
}

const void *
cscg_work_last(const struct cscg_work *work, const struct cscg_trans *tr)
{
	return work->line + LINE_LAST * line_bytes(tr);
}

const void *
cscg_work_checkpoint(const struct cscg_work *work, const struct cscg_trans *tr,
    long i)
{
	return work->checkpoint + (size_t)i * line_bytes(tr);
}

void
cscg_work_limit(struct cscg_work *work, const struct cscg_trans *tr, long n)
{
	double size = tr->simd ? (double)tr->stride : (double)tr->widest;

	work->chunk = (double)n * size * (double)tr->kern->size <= 0x1p28 ?
	    0 :
	    (long)ceil(sqrt((double)n));
}

void
cscg_work_free(struct cscg_work *work)
{
	free(work->off);
	free(work->p);
	free(work->message);
	free(work->checkpoint);
	free(work->back);
	free(work->first_back);
	free(work->lines);
	free(work->links);
	memset(work, 0, sizeof *work);
}

/* ---- evidence ---- */

static void
walk_at(const struct cscg_evidence *ev, long t, struct cscg_span *s)
{
	*s = cscg_trans_span(ev->ctx, ev->x[t]);
}

struct cscg_evidence
cscg_evidence_walk(const struct cscg_trans *tr, const struct cscg_walk *w,
    int e)
{
	long from = w->start[e];

	return (struct cscg_evidence){ .n = w->start[e + 1] - from,
		.a = w->a + from,
		.reset = w->reset ? w->reset + from : NULL,
		.at = walk_at,
		.ctx = tr,
		.x = w->x + from };
}

static bool
starts_run(const struct cscg_evidence *ev, long t)
{
	return t == 0 || (ev->reset && ev->reset[t]);
}

static bool
ends_run(const struct cscg_evidence *ev, long t)
{
	return t + 1 == ev->n || starts_run(ev, t + 1);
}

/*
 * Multiply message v over s by the weights; returns the sum.  The log of the
 * factor by which v is too small is added to *log_scale.
 */
static double
weigh(const struct cscg_trans *tr, const struct cscg_span *s, void *v,
    void *scratch, double *log_scale)
{
	const struct cscg_kernel *k = tr->kern;
	int n = s->hi - s->lo, lo = s->inner_lo - s->lo,
	    hi = s->inner_hi - s->lo;

	if (s->weight)
		return k->weigh(v, s->weight, n);
	if (s->log_weight) {
		*log_scale += k->exponential(scratch, s->log_weight, v, n);
		return k->weigh(v, scratch, n);
	}
	if (s->top > 0) {
		double floor = cscg_kernel_real(k, s->floor);

		k->scale(v, floor, lo);
		k->scale((char *)v + (size_t)lo * k->size,
		    cscg_kernel_real(k, s->top), hi - lo);
		k->scale((char *)v + (size_t)hi * k->size, floor, n - hi);
	}
	return k->sum(v, n);
}

/*
 * The weights of all states for the SIMD loops; message is that of the step,
 * without its evidence.
 */
static const void *
simd_weights(struct pass *p, const struct cscg_span *s, const void *message,
    double *log_scale)
{
	const struct cscg_kernel *k = p->k;
	int n = p->tr->n_states, lo = s->lo, hi = s->hi;
	double top = 1, floor = 0;
	char *w;

	if (s->weight)
		return s->weight;
	if (!s->log_weight && s->top <= 0 && hi - lo == n)
		return p->tr->ones;
	w = line_of(p, LINE_WEIGHT);
	if (s->log_weight) {
		*log_scale += k->exponential(w, s->log_weight, message, n);
		return w;
	}
	if (s->top > 0) {
		lo = s->inner_lo;
		hi = s->inner_hi;
		top = s->top;
		floor = s->floor;
	}
	k->fill(w, floor, n);
	k->fill(w + (size_t)lo * k->size, top, hi - lo);
	return w;
}

/* ---- forward and Viterbi ---- */

/* P(state) at step t, which starts a run. */
static void
start_run(const struct pass *p, long t, const struct cscg_span *to, void *out)
{
	const char *pi = p->ev->pi ? p->ev->pi : p->tr->pi;

	if (t == 0 && p->ev->first)
		pi = p->ev->first;
	memcpy(out, pi + (p->is_simd ? 0 : (size_t)to->lo * p->k->size),
	    message_bytes(p, to));
}

/* Where the predecessors of step t, the first of a chunk, are kept. */
static int *
first_back(const struct pass *p, long t)
{
	return p->work->first_back +
	    (size_t)(t / p->work->chunk) * p->tr->stride;
}

/*
 * Store message out of step t, still without its evidence, if messages are
 * kept.
 */
static void
keep_message(struct pass *p, long t, const struct cscg_span *s,
    const void *out)
{
	struct cscg_work *work = p->work;

	if (work->chunk > 0 && t % work->chunk == 0) {
		memcpy(work->checkpoint +
			(size_t)(t / work->chunk) * line_bytes(p->tr),
		    out, message_bytes(p, s));
		if (p->is_max)
			memcpy(first_back(p, t), work->back,
			    message_size(p, s) * sizeof *work->back);
	}
	if (t + 1 == p->ev->n)
		memcpy(line_of(p, LINE_LAST), out, message_bytes(p, s));
}

/* The evidence of step t, for a message by the plain loops. */
static bool
observe_plain(struct pass *p, long t, const struct cscg_span *s, void *out)
{
	double log_scale = 0, v;
	int n = s->hi - s->lo, best;

	v = weigh(p->tr, s, out, line_of(p, LINE_WEIGHT), &log_scale);
	if (p->is_max)
		v = p->k->max(out, n, &best);
	else
		p->work->p[t] = p->k->is_log ? exp(v) : v > 0 ? v : 0;
	if (!cscg_kernel_positive(p->k, v))
		return false;
	p->k->scale(out, cscg_kernel_inverse(p->k, v), n);
	if (p->logp)
		*p->logp += cscg_kernel_log(p->k, v) + log_scale;
	return true;
}

/* The message of step t into out from that of step t - 1. */
static void
predict_plain(struct pass *p, long t, const struct cscg_span *to, void *out)
{
	if (starts_run(p->ev, t))
		start_run(p, t, to, out);
	else if (p->is_max)
		cscg_trans_push_max(p->tr, p->ev->a[t - 1], &p->from, to,
		    p->in, out, p->work->back + p->work->off[t - p->work->at]);
	else
		cscg_trans_push(p->tr, p->ev->a[t - 1], &p->from, to, p->in,
		    out);
}

/*
 * The messages of steps t..end-1, which are in one chunk; loaded: the message
 * of step t is present, but lacks its evidence.  Returns end, or the first
 * impossible step.
 */
static long
run_plain(struct pass *p, long t, long end, bool loaded)
{
	struct cscg_span to;
	void *out;

	for (; t < end; t++, loaded = false) {
		to = span_at(p, t);
		out = slot(p, t);
		if (!loaded) {
			predict_plain(p, t, &to, out);
			keep_message(p, t, &to, out);
		}
		if (!observe_plain(p, t, &to, out))
			break;
		p->in = out;
		p->from = to;
	}
	return t;
}

/* Steps of chains through each action, without weights and destination. */
static void
set_links(struct pass *p, bool forward)
{
	int a;

	for (a = 0; a < p->tr->n_actions && p->tr->simd; a++) {
		struct cscg_chain_step *link = &p->work->links[a];

		*link =
		    (struct cscg_chain_step){ .cols = (uint32_t)p->tr->stride,
			    .rows_pad = (uint32_t)p->tr->stride,
			    .scratch = line_of(p, LINE_SCRATCH) };
		cscg_trans_chain(p->tr, a, forward, link);
	}
}

/*
 * Propagate a message of all states through action a by the SIMD view,
 * multiplied by weight (NULL: ones) before.
 */
static inline bool
propagate_simd(struct pass *p, int a, const void *in, const void *weight,
    void *out, int16_t *shift)
{
	struct cscg_chain_step *link = &p->work->links[a];

	link->weight = weight;
	link->to = out;
	return p->tr->simd->chain(in, link, shift) > 0;
}

/* The log-likelihood of the run that ends with message m, weighted by w. */
static bool
end_run_simd(struct pass *p, const void *m, const void *w)
{
	double v = p->tr->simd->dot(m, w, (uint32_t)p->tr->stride);

	if (!(v > 0))
		return false;
	*p->logp += log(v) - p->shift * M_LN2;
	p->shift = 0;
	return true;
}

/* The same by the SIMD view. */
static long
run_simd(struct pass *p, long t, long end, bool loaded)
{
	const struct cscg_evidence *ev = p->ev;
	const void *in = p->in, *w = p->weight;
	size_t bytes = line_bytes(p->tr);
	char *out = slot(p, t);
	const struct cscg_span all = { .hi = p->tr->n_states };
	struct cscg_span s;
	double log_scale;
	int16_t shift;

	for (; t < end; t++, loaded = false, in = out, out += bytes) {
		if (!loaded && starts_run(ev, t)) {
			start_run(p, t, &all, out);
		} else if (!loaded) {
			if (!propagate_simd(p, ev->a[t - 1], in, w, out,
				&shift))
				break;
			p->shift += shift;
		}
		if (!loaded && (t == p->work->at || t + 1 == ev->n))
			keep_message(p, t, NULL, out);
		s = span_at(p, t);
		w = s.weight;
		if (!w) {
			log_scale = 0;
			w = simd_weights(p, &s, out, &log_scale);
			if (p->logp)
				*p->logp += log_scale;
		}
		if (p->logp && ends_run(ev, t) && !end_run_simd(p, out, w))
			break;
	}
	p->in = in;
	p->weight = w;
	return t;
}

/* All steps, chunk after chunk; the messages of the last chunk stay. */
static int
run_forward(struct pass *p, struct cscg_err *err)
{
	struct cscg_work *work = p->work;
	long t = 0, end;

	if (work_reserve(p, err) < 0)
		return -1;
	if (p->is_simd)
		set_links(p, true);
	for (end = 0; t == end && t < p->ev->n;) {
		if (t)
			p->in = memcpy(line_of(p, LINE_U), p->in,
			    message_bytes(p, &p->from));
		if (layout_chunk(p, t, err) < 0)
			return -1;
		end = chunk_end(p, t);
		t = (p->is_simd ? run_simd : run_plain)(p, t, end, false);
	}
	work->n_possible = t;
	if (t < p->ev->n)
		*p->logp = -INFINITY;
	return 0;
}

/* Compute the messages of the chunk that begins at step t again. */
static void
repeat_chunk(struct pass *p, long t)
{
	struct cscg_span s = span_at(p, t);
	struct cscg_err none;

	layout_chunk(p, t, &none); /* has been reserved */
	memcpy(slot(p, t),
	    cscg_work_checkpoint(p->work, p->tr, t / p->work->chunk),
	    message_bytes(p, &s));
	if (p->is_max)
		memcpy(p->work->back, first_back(p, t),
		    message_size(p, &s) * sizeof *p->work->back);
	(p->is_simd ? run_simd : run_plain)(p, t, chunk_end(p, t), true);
}

double
cscg_observe_step(const struct cscg_trans *tr, const struct cscg_span *s,
    void *v)
{
	const struct cscg_kernel *k = tr->kern;
	double p = weigh(tr, s, v, NULL, NULL);

	if (!cscg_kernel_positive(k, p))
		return 0;
	k->scale(v, cscg_kernel_inverse(k, p), s->hi - s->lo);
	return k->is_log ? exp(p) : p;
}

double
cscg_forward_step(const struct cscg_trans *tr, const struct cscg_span *from,
    const void *alpha, int a, int x, void *out)
{
	const struct cscg_kernel *k = tr->kern;
	struct cscg_span to = cscg_trans_span(tr, x);

	if (a < 0)
		memcpy(out, (char *)tr->pi + (size_t)to.lo * k->size,
		    (size_t)(to.hi - to.lo) * k->size);
	else
		cscg_trans_push(tr, a, from, &to, alpha, out);
	return cscg_observe_step(tr, &to, out);
}

double
cscg_viterbi_step(const struct cscg_trans *tr, const struct cscg_span *from,
    const void *alpha, int a, int x, void *out, int *arg, int *best)
{
	const struct cscg_kernel *k = tr->kern;
	struct cscg_span to = cscg_trans_span(tr, x);
	int n = to.hi - to.lo;
	double p;

	if (a < 0)
		memcpy(out, (char *)tr->pi + (size_t)to.lo * k->size,
		    (size_t)n * k->size);
	else
		cscg_trans_push_max(tr, a, from, &to, alpha, out, arg);
	weigh(tr, &to, out, NULL, NULL);
	p = k->max(out, n, best);
	if (!cscg_kernel_positive(k, p))
		return 0;
	k->scale(out, cscg_kernel_inverse(k, p), n);
	return k->is_log ? exp(p) : p;
}

int
cscg_pass_predict(const struct cscg_trans *tr, int a,
    const struct cscg_span *from, const void *in, struct cscg_work *work,
    void *out, double *log_scale, struct cscg_err *err)
{
	const struct cscg_span all = { .hi = tr->n_states };
	struct pass p = { .tr = tr, .work = work, .k = tr->kern };
	int16_t shift;
	double sum;
	void *v;

	*log_scale = 0;
	if (reserve_lines(&p, err) < 0)
		return -1;
	if (tr->simd) {
		set_links(&p, true);
		if (!propagate_simd(&p, a, in,
			simd_weights(&p, from, in, log_scale), out, &shift))
			return 0;
		*log_scale -= shift * M_LN2;
		return 1;
	}
	v = memcpy(line_of(&p, LINE_ALPHA), in, line_bytes(tr));
	weigh(tr, from, v, line_of(&p, LINE_WEIGHT), log_scale);
	cscg_trans_push(tr, a, from, &all, v, out);
	sum = tr->kern->sum(out, tr->n_states);
	if (!cscg_kernel_positive(tr->kern, sum))
		return 0;
	tr->kern->scale(out, cscg_kernel_inverse(tr->kern, sum), tr->n_states);
	*log_scale += cscg_kernel_log(tr->kern, sum);
	return 1;
}

int
cscg_pass_forward(const struct cscg_trans *tr, const struct cscg_evidence *ev,
    struct cscg_work *work, double *loglik, struct cscg_err *err)
{
	double sum = 0;
	struct pass p = { .tr = tr,
		.ev = ev,
		.work = work,
		.k = tr->kern,
		.is_simd = tr->simd != NULL,
		.logp = &sum };

	if (run_forward(&p, err) < 0)
		return -1;
	if (!p.is_simd)
		memset(work->p + work->n_possible, 0,
		    (size_t)(work->n - work->n_possible) * sizeof *work->p);
	*loglik = sum;
	return 0;
}

/*
 * ---- backward ----
 *
 * With alpha summing to one and u[j] = sum_k T[j][k] v[k], v the weighted
 * backward message, s = alpha . u normalises both the posterior alpha[j] u[j]
 * / s and the pair posterior alpha[j] T[j][k] v[k] / s.  Dividing by s at
 * every step keeps rounding errors from accumulating.
 */

/* The transition from step t to t + 1. */
static void
emit_pair(const struct pass *p, long t, const struct cscg_span *s,
    const struct cscg_sink *sink, const void *alpha, const void *v,
    double scale)
{
	int a = p->ev->a[t];

	if (sink->counts)
		cscg_trans_count(p->tr, a, s, &p->next, alpha, v, scale,
		    sink->counts);
	if (sink->entries)
		cscg_trans_count_entries(p->tr, a, s, &p->next, alpha, v,
		    scale, sink->entries, sink->rest);
	if (sink->pair)
		sink->pair(sink->ctx, t, alpha, v, scale);
}

/* The posterior of step t; added: it has been added to the visits. */
static void
emit_posterior(const struct pass *p, long t, const struct cscg_span *s,
    const struct cscg_sink *sink, const void *gamma, bool added)
{
	double *visits = !added && sink->visits ? sink->visits(sink->ctx, t) :
						  NULL;

	if (visits)
		p->k->add(gamma, visits + s->lo, s->hi - s->lo);
	if (sink->start && starts_run(p->ev, t))
		p->k->add(gamma, sink->start + s->lo, s->hi - s->lo);
	if (sink->posterior)
		sink->posterior(sink->ctx, t, s, gamma);
}

/* Pull the weighted message u of step t + 1 back to step t. */
static bool
pull_plain(struct pass *p, long t, const struct cscg_span *s,
    const struct cscg_sink *sink, void *alpha)
{
	const struct cscg_kernel *k = p->k;
	int n = s->hi - s->lo;
	char *u = p->u;
	double norm;

	cscg_trans_pull(p->tr, p->ev->a[t], s, &p->next, u, p->v);
	norm = k->dot(alpha, p->v, n);
	if (!cscg_kernel_positive(k, norm))
		return false;
	norm = cscg_kernel_inverse(k, norm);
	emit_pair(p, t, s, sink, alpha, u, norm);
	k->combine(alpha, p->v, norm, n);
	p->u = p->v;
	p->v = u;
	return true;
}

/*
 * Backward from step t to the start of the chunk in memory.  Returns -1, or
 * the step of an underflow.
 */
static long
back_plain(struct pass *p, long t, const struct cscg_sink *sink)
{
	const struct cscg_kernel *k = p->k;
	void *w = line_of(p, LINE_WEIGHT), *alpha;
	double log_scale = 0;
	struct cscg_span s;

	for (; t >= p->work->at; t--, p->next = s) {
		s = span_at(p, t);
		alpha = slot(p, t);
		if (ends_run(p->ev, t)) /* alpha already is the posterior */
			k->fill(p->u, cscg_kernel_real(k, 1), s.hi - s.lo);
		else if (!pull_plain(p, t, &s, sink, alpha))
			return t;
		emit_posterior(p, t, &s, sink, alpha, false);
		if (starts_run(p->ev, t))
			continue;
		if (s.log_weight) {
			/* States without posterior need no weight. */
			k->exponential(w, s.log_weight, alpha, s.hi - s.lo);
			k->weigh(p->u, w, s.hi - s.lo);
		} else if (s.weight || s.top > 0) {
			weigh(p->tr, &s, p->u, NULL, &log_scale);
		}
	}
	return -1;
}

/* The SIMD transition from step t, weights w, to the weighted message v. */
static void
emit_pair_simd(const struct pass *p, long t, const struct cscg_sink *sink,
    const void *w, const void *v, int shift)
{
	int n = p->tr->n_states;
	void *alpha = memcpy(line_of(p, LINE_ALPHA), slot(p, t),
	    line_bytes(p->tr));

	p->k->weigh(alpha, w, n);
	emit_pair(p, t, &p->next, sink, alpha, v,
	    ldexp(1, shift) / p->k->dot(alpha, p->u, n));
}

/* The message u of step t into v from that of step t + 1. */
static bool
pull_simd(struct pass *p, long t, const struct cscg_sink *sink, const void *w)
{
	char *from = p->u;
	int16_t shift;

	if (!propagate_simd(p, p->ev->a[t], from, p->pending, p->v, &shift))
		return false;
	p->u = p->v;
	p->v = from;
	if (sink->counts || sink->entries || sink->pair)
		emit_pair_simd(p, t, sink, w,
		    p->pending ? line_of(p, LINE_SCRATCH) : from, shift);
	return true;
}

/* The same by the SIMD view; p->next is all states. */
static long
back_simd(struct pass *p, long t, const struct cscg_sink *sink)
{
	const struct cscg_trans *tr = p->tr;
	double *nowhere = line_of(p, LINE_SEEN), *visits, log_scale = 0;
	float *m = slot(p, t);
	const void *w, *beta;
	struct cscg_span s;

	for (; t >= p->work->at; t--, m -= tr->stride) {
		s = span_at(p, t);
		w = s.weight ? s.weight : simd_weights(p, &s, m, &log_scale);
		if (ends_run(p->ev, t))
			memcpy(p->u, tr->ones, line_bytes(tr));
		else if (!pull_simd(p, t, sink, w))
			return t;
		visits = sink->visits ? sink->visits(sink->ctx, t) : NULL;
		beta = p->u;
		if (!tr->simd->posterior(m, beta, w, (uint32_t)tr->stride,
			visits ? visits : nowhere,
			!sink->visits_only ||
			    (sink->start && starts_run(p->ev, t))))
			return t;
		if (sink->posterior || (sink->start && starts_run(p->ev, t)))
			emit_posterior(p, t, &p->next, sink, m, true);
		p->pending = w;
		if (!s.weight && w != tr->ones) {
			p->k->weigh(p->u, w, tr->n_states);
			p->pending = NULL;
		}
	}
	return -1;
}

long
cscg_pass_backward(const struct cscg_trans *tr, const struct cscg_evidence *ev,
    struct cscg_work *work, const struct cscg_sink *sink)
{
	struct pass p = { .tr = tr,
		.ev = ev,
		.work = work,
		.k = tr->kern,
		.is_simd = tr->simd != NULL };
	long end, bad;

	p.next.hi = tr->n_states;
	p.u = line_of(&p, LINE_U);
	p.v = line_of(&p, LINE_V);
	for (end = ev->n;;) {
		if (p.is_simd)
			set_links(&p, false);
		bad = (p.is_simd ? back_simd : back_plain)(&p, end - 1, sink);
		if (bad >= 0 || work->at == 0)
			return bad;
		if (p.is_simd)
			set_links(&p, true);
		end = work->at;
		repeat_chunk(&p, end - work->chunk);
	}
}

/* ---- Viterbi ---- */

/* The path back from step t, which is the last possible one. */
static void
trace_back(struct pass *p, long t, int *states)
{
	struct cscg_work *work = p->work;
	struct cscg_span s;
	bool last = true;
	int i = 0;

	for (; t >= 0; t--, last = false) {
		const int *back = NULL;
		int from = -1;

		if (!last && !starts_run(p->ev, t + 1)) {
			back = work->back + work->off[t + 1 - work->at];
			from = back[i];
		}
		if (t < work->at)
			repeat_chunk(p, work->at - work->chunk);
		s = span_at(p, t);
		if (from >= 0)
			i = from;
		else
			p->k->max(slot(p, t), s.hi - s.lo, &i);
		states[t] = s.lo + i;
	}
}

int
cscg_pass_viterbi(const struct cscg_trans *tr, const struct cscg_evidence *ev,
    struct cscg_work *work, int *states, double *logp, struct cscg_err *err)
{
	double sum = 0;
	struct pass p = { .tr = tr,
		.ev = ev,
		.work = work,
		.k = tr->kern,
		.is_max = true,
		.logp = &sum };
	long t;

	if (run_forward(&p, err) < 0)
		return -1;
	*logp = sum;
	p.logp = NULL;
	for (t = ev->n; t > work->n_possible; t--)
		states[t - 1] = -1;
	trace_back(&p, t - 1, states);
	return 0;
}

int
cscg_pass_underflow(long t, struct cscg_err *err)
{
	return cscg_fail(err, CSCG_ERANGE,
	    "step %ld: numbers became too small (a larger pseudocount helps, "
	    "or double precision)",
	    t);
}

/* ---- walks ---- */

int
cscg_forward(const struct cscg_trans *tr, const struct cscg_walk *w, int e,
    struct cscg_work *work, double *loglik, struct cscg_err *err)
{
	struct cscg_evidence ev = cscg_evidence_walk(tr, w, e);

	return cscg_pass_forward(tr, &ev, work, loglik, err);
}

long
cscg_backward(const struct cscg_trans *tr, const struct cscg_walk *w, int e,
    struct cscg_work *work, const struct cscg_sink *sink)
{
	struct cscg_evidence ev = cscg_evidence_walk(tr, w, e);
	const struct cscg_sink none = { 0 };

	return cscg_pass_backward(tr, &ev, work, sink ? sink : &none);
}

int
cscg_viterbi(const struct cscg_trans *tr, const struct cscg_walk *w, int e,
    struct cscg_work *work, int *states, double *logp, struct cscg_err *err)
{
	struct cscg_evidence ev = cscg_evidence_walk(tr, w, e);

	return cscg_pass_viterbi(tr, &ev, work, states, logp, err);
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

int
cscg_expect(const struct cscg_trans *tr, const struct cscg_walk *w,
    struct cscg_work *work, const struct cscg_sink *sink, double *loglik,
    struct cscg_err *err)
{
	double one;
	long t;
	int e;

	*loglik = 0;
	for (e = 0; e < w->n_episodes; e++) {
		cscg_work_limit(work, tr, w->start[e + 1] - w->start[e]);
		if (cscg_forward(tr, w, e, work, &one, err) < 0)
			return -1;
		*loglik += one;
		if (!sink || isinf(one))
			continue;
		t = cscg_backward(tr, w, e, work, sink);
		if (t >= 0)
			return cscg_pass_underflow(t, err);
	}
	return 0;
}
