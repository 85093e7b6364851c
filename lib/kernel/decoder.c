/*
 * decoder.c - likelihood, filter and Viterbi path of walks under a given
 * model, by SIMD or by the plain loops
 *
 * Viterbi in little memory: a first pass stores only the message of every
 * chunk-th step.  From the last chunk to the first, the messages of a chunk are
 * then computed again and stored, and the path is traced back through them.  A
 * back pointer is computed from the message when the path meets it: one column
 * of T instead of all.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/decoder.h"
#include "kernel/filter.h"
#include "kernel/passes.h"
#include "kernel/trans_blocks.h"

enum {
	MIN_CHUNK = 256, /* steps between stored Viterbi messages */
	BATCH = 1 << 14, /* steps of a walk filtered at once */
	NEAR = 1 << 20,  /* bytes of T that the second-level cache holds */
};

struct cscg_decoder {
	const struct cscg_trans *tr;
	const struct cscg_simd *simd;            /* NULL: the plain loops */
	struct cscg_trans_blocks *blocks;        /* those in use */
	struct cscg_trans_blocks *sums, *maxima; /* or NULL */
	struct cscg_work work;                   /* of the plain loops, ... */
	struct cscg_filter *filter;              /* ... their filter */
	double unseen;                           /* escape probability */

	/* The filter: the message of the last step, of symbol x. */
	void *message, *scratch; /* [n_states], padded (SIMD) */
	double size;             /* its sum (SIMD) */
	int x, a;                /* a: action after it, -1: none */
	bool lost;               /* is the last step impossible? */
	double *p;               /* [BATCH] of an escape (SIMD) */
	size_t cap_p;

	size_t widest; /* floats of any message */
	float *reals;  /* message and two of scratch */
	int *of, *xs;  /* blocks of transitions, symbols of steps */
	int *symbol;   /* see set_symbols() */
	size_t cap_of, cap_xs;

	/* Viterbi */
	long chunk;  /* steps of a chunk */
	float *mark; /* first message of each chunk */
	size_t *mark_at;
	float *kept; /* all messages of a chunk */
	size_t cap_mark, cap_mark_at, cap_kept;
};

static int
new_simd(struct cscg_decoder *d, const struct cscg_simd *simd,
    struct cscg_err *err)
{
	size_t width = (size_t)simd->width;

	d->simd = simd;
	d->widest = ((size_t)d->tr->n_states + width - 1) / width * width;
	d->reals = cscg_alloc_aligned(3 * d->widest, sizeof *d->reals,
	    CSCG_ALIGN, err);
	if (!d->reals)
		return -1;
	d->message = d->reals;
	d->scratch = d->reals + d->widest;
	return 0;
}

/* Take the blocks for sums, or those for maxima. */
static int
use_blocks(struct cscg_decoder *d, bool max, struct cscg_err *err)
{
	struct cscg_trans_blocks **blocks = max ? &d->maxima : &d->sums;

	if (!*blocks)
		*blocks = cscg_trans_blocks_new(d->tr, d->simd, !max, err);
	d->blocks = *blocks;
	return d->blocks ? 0 : -1;
}

static int
new_plain(struct cscg_decoder *d, struct cscg_err *err)
{
	const struct cscg_filter_options how = { 0 };

	d->filter = cscg_filter_new(d->tr, &how, err);
	return d->filter ? 0 : -1;
}

struct cscg_decoder *
cscg_decoder_new(const struct cscg_trans *tr, const struct cscg_simd *simd,
    struct cscg_err *err)
{
	struct cscg_decoder *d = cscg_alloc(1, sizeof *d, err);
	bool fast = simd && cscg_trans_blocks_suit(tr);

	if (!d)
		return NULL;
	d->tr = tr;
	d->a = -1;
	if ((fast ? new_simd(d, simd, err) : new_plain(d, err)) < 0) {
		cscg_decoder_free(d);
		return NULL;
	}
	return d;
}

void
cscg_decoder_free(struct cscg_decoder *d)
{
	if (!d)
		return;
	cscg_filter_free(d->filter);
	free(d->p);
	free(d->kept);
	cscg_trans_blocks_free(d->sums);
	cscg_trans_blocks_free(d->maxima);
	cscg_work_free(&d->work);
	free(d->reals);
	free(d->of);
	free(d->xs);
	free(d->symbol);
	free(d->mark);
	free(d->mark_at);
	free(d);
}

/* ---- messages ---- */

static float
size_of(const float *at, size_t n, bool max)
{
	double sum = 0;
	float most = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		sum += at[i];
		most = at[i] > most ? at[i] : most;
	}
	return max ? most : (float)sum;
}

/* pi over the states of symbol x; its sum or maximum. */
static double
set_pi(const struct cscg_decoder *d, int x, bool max, float *to)
{
	struct cscg_span s = cscg_trans_span(d->tr, x);
	const struct cscg_trans_blocks *b = d->blocks;
	const float *pi = d->tr->pi;
	int j;

	memset(to, 0, b->width[x + 1] * sizeof *to);
	for (j = s.lo; j < s.hi; j++)
		to[b->lane[j] - b->lo[x + 1]] += pi[j];
	return size_of(to, b->width[x + 1], max);
}

/*
 * Steps without a reset, and their transitions: of[t] is the block of the
 * transition from step t to t+1, p[t] = P(x[t+1] | steps up to t).
 */
struct run {
	const int *x, *of;
	double *p;  /* or NULL */
	bool max;   /* Viterbi */
	double log; /* out: log of the size of the message reached */
	long last;  /* out: the last possible step */
};

static size_t
width_at(const struct cscg_decoder *d, const struct run *r, long t)
{
	return d->blocks->width[r->x[t] + 1];
}

static void
run_chain(const struct cscg_decoder *d, const struct run *r,
    struct cscg_block_chain *c)
{
	const struct cscg_simd *simd = d->blocks->simd;

	c->is_far = d->blocks->bytes > NEAR;
	(r->max ? simd->max_chain : simd->sum_chain)(d->blocks->block, c);
}

/* Store the first message of a chunk. */
static void
set_mark(struct cscg_decoder *d, long chunk, const float *at)
{
	memcpy(d->mark + d->mark_at[chunk], at,
	    (d->mark_at[chunk + 1] - d->mark_at[chunk]) * sizeof *at);
}

/*
 * Pass the message of step 0, in d->message, to step last of run r, where it
 * is left in d->message.  With max, last is the first step of a chunk, and
 * that of every chunk is stored.
 */
static void
pass(struct cscg_decoder *d, struct run *r, long last)
{
	struct cscg_block_chain c = { .at = d->message,
		.to = d->scratch,
		.flip = (long)d->widest,
		.size = d->size };
	long want = r->max ? d->chunk : last;

	for (r->last = 0; r->last < last; r->last += c.n) {
		c.of = r->of + r->last;
		c.p = r->p ? r->p + r->last : NULL;
		c.n = want;
		run_chain(d, r, &c);
		if (c.n < want) {
			r->last += c.n;
			break;
		}
		if (r->max)
			set_mark(d, (r->last + c.n) / d->chunk, c.at);
	}
	r->log += log(c.size) - log(d->size) - (double)c.shift * M_LN2;
	memmove(d->message, c.at, width_at(d, r, r->last) * sizeof(float));
	d->size = c.size;
}

/* ---- the filter ---- */

void
cscg_decoder_set_unseen(struct cscg_decoder *d, double unseen)
{
	d->unseen = unseen;
	if (d->filter)
		cscg_filter_set_restart(d->filter, unseen > 0);
}

/* log P(x[t] | before), with the escape, from p of the model. */
static double
step_log(const struct cscg_decoder *d, int x, double p)
{
	return x == -1 || !(d->unseen > 0) ?
	    log(p) :
	    log(cscg_escape(d->unseen, d->tr->n_obs, p));
}

static double
filter_plain(struct cscg_decoder *d, long n, const int *x, const int *a,
    const unsigned char *reset, double *p)
{
	double one, sum = 0;
	long t;

	for (t = 0; t < n; t++) {
		if (reset && reset[t])
			d->a = -1;
		one = cscg_filter_observe(d->filter, d->a, x[t]);
		sum += step_log(d, x[t], one);
		if (p)
			p[t] = one;
		d->a = a[t];
	}
	return sum;
}

/* Whether no state emits x: the step is then one without observation. */
static bool
is_unknown(const struct cscg_decoder *d, int x)
{
	return x == CSCG_UNKNOWN ||
	    (x >= 0 && d->tr->group[x] == d->tr->group[x + 1]);
}

/* x, or with escape -1 for each symbol that no state emits: [x + 2] */
static int
set_symbols(struct cscg_decoder *d, struct cscg_err *err)
{
	int x, n = d->tr->n_obs;

	if (d->symbol)
		return 0;
	d->symbol = cscg_alloc((size_t)n + 2, sizeof *d->symbol, err);
	for (x = -2; d->symbol && x < n; x++)
		d->symbol[x + 2] = is_unknown(d, x) ? -1 : x;
	return d->symbol ? 0 : -1;
}

/*
 * Symbols and blocks of n more steps: transition t leads to step t of these;
 * -1: step t starts from pi.  With escape an unknown symbol is a missing
 * observation.
 */
static int
set_steps(struct cscg_decoder *d, bool escape, long n, const int *x,
    const int *a, const unsigned char *reset, struct cscg_err *err)
{
	struct cscg_trans_blocks *b = d->blocks;
	/* A table with a slot for each key does not move. */
	const long *slot = b->keys.is_direct ? b->keys.slot : NULL;
	long K = (long)b->n_symbols, key, t;
	int before = d->a, *of, *xs;

	if (cscg_grow(&d->of, &d->cap_of, (size_t)n, sizeof *d->of, err) < 0 ||
	    cscg_grow(&d->xs, &d->cap_xs, (size_t)n + 1, sizeof *d->xs, err) <
		0 ||
	    set_symbols(d, err) < 0)
		return -1;
	of = d->of;
	xs = d->xs;
	xs[0] = d->x;
	for (t = 0; t < n; t++)
		xs[t + 1] = escape ? d->symbol[x[t] + 2] : x[t];
	for (t = 0; t < n; t++) {
		of[t] = -1;
		if (before >= 0 && !(reset && reset[t])) {
			key = (before * K + xs[t] + 1) * K + xs[t + 1] + 1;
			if (slot)
				of[t] = (int)slot[key] - 1;
			if (of[t] < 0)
				of[t] = cscg_trans_blocks_find(b, before,
				    xs[t], xs[t + 1], err);
			if (of[t] < 0)
				return -1;
		}
		before = a[t];
	}
	return 0;
}

/*
 * The message after an impossible symbol x that some state emits: P(state | x)
 * under uniform P(state).
 */
static void
restart(struct cscg_decoder *d, int x)
{
	struct cscg_span s = cscg_trans_span(d->tr, x);
	const struct cscg_trans_blocks *b = d->blocks;
	float *to = d->message;
	int j;

	memset(to, 0, b->width[x + 1] * sizeof *to);
	for (j = s.lo; j < s.hi; j++)
		to[b->lane[j] - b->lo[x + 1]]++;
	d->size = s.hi - s.lo;
	d->lost = false;
}

/*
 * Filter steps t.., up to the next that starts from pi or the first that is
 * impossible, and return the one behind them.  p may be NULL.
 */
static long
filter_run(struct cscg_decoder *d, long t, long n, double *p, double *loglik)
{
	long end, first = t;

	if (d->of[t] < 0) {
		d->size = set_pi(d, d->xs[t + 1], false, d->message);
		d->lost = !(d->size > 0);
		*loglik += log(d->size);
		if (p)
			p[t] = d->size;
		t++;
	}
	for (end = t; end < n && d->of[end] >= 0; end++)
		;
	if (!d->lost && end > t) {
		struct run r = {
			.x = d->xs + t, .of = d->of + t, .p = p ? p + t : NULL
		};

		pass(d, &r, end - t);
		*loglik += r.log;
		t += r.last;
		d->lost = t < end;
		if (d->lost && d->unseen > 0)
			end = t + 1;
	} else if (d->lost && d->unseen > 0) {
		end = first + 1;
	}
	for (; p && t < end; t++)
		p[t] = 0;
	return end;
}

/*
 * The steps that set_steps() has prepared; the symbols x may differ from those
 * in d->xs by being unknown.
 */
static double
filter_simd(struct cscg_decoder *d, long n, double *p)
{
	double loglik = 0;
	long t = 0;

	while (t < n) {
		t = filter_run(d, t, n, p, &loglik);
		if (d->lost)
			loglik = -INFINITY;
		if (d->lost && d->unseen > 0)
			restart(d, d->xs[t]);
	}
	d->x = d->xs[n];
	return loglik;
}

/* log q is added to *sum; of many factors one log is taken. */
static inline void
add_log(double q, double *product, double *sum)
{
	const double tiny = 1e-100;

	if (q < tiny) {
		*sum += log(q);
		return;
	}
	*product *= q;
	if (*product < tiny) {
		*sum += log(*product);
		*product = 1;
	}
}

/*
 * The sum of logs with the escape; p becomes that of the model.  Products of
 * every fourth step: a multiplication need not wait for the one before.
 */
static double
sum_escape(const struct cscg_decoder *d, long n, const int *x, double *p)
{
	const double keep = 1 - d->unseen;
	const double least = cscg_escape_floor(d->unseen, d->tr->n_obs);
	double sum = 0, product[4] = { 1, 1, 1, 1 };
	long t, k;

	for (t = 0; t < n; t += 4)
		for (k = 0; k < 4 && t + k < n; k++) {
			if (x[t + k] == -1)
				continue;
			if (d->xs[t + k + 1] == -1)
				p[t + k] = 0; /* unknown */
			add_log(keep * p[t + k] + least, &product[k],
			    &sum); /* cscg_escape() */
		}
	for (k = 0; k < 4; k++)
		sum += log(product[k]);
	return sum;
}

int
cscg_decoder_filter(struct cscg_decoder *d, long n, const int *x, const int *a,
    const unsigned char *reset, double *p, double *loglik,
    struct cscg_err *err)
{
	*loglik = 0;
	if (n < 1)
		return 0;
	if (!d->simd) {
		*loglik = filter_plain(d, n, x, a, reset, p);
		return 0;
	}
	if (use_blocks(d, false, err) < 0 ||
	    set_steps(d, d->unseen > 0, n, x, a, reset, err) < 0)
		return -1;
	if (d->unseen > 0 && !p) {
		if (cscg_grow(&d->p, &d->cap_p, (size_t)n, sizeof *d->p, err) <
		    0)
			return -1;
		p = d->p;
	}
	*loglik = filter_simd(d, n, p);
	d->a = a[n - 1];
	if (d->unseen > 0)
		*loglik = sum_escape(d, n, x, p);
	return 0;
}

int
cscg_decoder_loglik(struct cscg_decoder *d, const struct cscg_walk *w,
    double *loglik, struct cscg_err *err)
{
	double sum = 0, one;
	long t, n;

	d->a = -1;
	for (t = 0; t < w->n_steps; t += n) {
		n = w->n_steps - t < BATCH ? w->n_steps - t : BATCH;
		if (cscg_decoder_filter(d, n, w->x + t, w->a + t,
			w->reset ? w->reset + t : NULL, NULL, &one, err) < 0)
			return -1;
		sum += one;
	}
	*loglik = sum;
	return 0;
}

/* ---- Viterbi ---- */

/* The likeliest state of a message over the states of symbol x. */
static uint32_t
best_state(const struct cscg_decoder *d, int x, const float *at)
{
	struct cscg_span s = cscg_trans_span(d->tr, x);
	int best;

	d->tr->kern->max(at, s.hi - s.lo, &best);
	return (uint32_t)best;
}

/* Space for the first message of each chunk of run r, n steps. */
static int
set_marks(struct cscg_decoder *d, const struct run *r, long n,
    struct cscg_err *err)
{
	long chunks, c;

	d->chunk = (long)sqrt((double)n);
	if (d->chunk < MIN_CHUNK)
		d->chunk = MIN_CHUNK;
	chunks = (n + d->chunk - 1) / d->chunk;
	if (cscg_grow(&d->mark_at, &d->cap_mark_at, (size_t)chunks + 1,
		sizeof *d->mark_at, err) < 0)
		return -1;
	for (c = 0; c < chunks; c++)
		d->mark_at[c + 1] = d->mark_at[c] +
		    width_at(d, r, c * d->chunk);
	return cscg_grow(&d->mark, &d->cap_mark, d->mark_at[chunks],
	    sizeof *d->mark, err);
}

/* Compute all messages of steps first .. last, a chunk; c ends there. */
static int
keep_messages(struct cscg_decoder *d, const struct run *r, long first,
    long last, struct cscg_block_chain *c, struct cscg_err *err)
{
	size_t need = 0, width = width_at(d, r, first);
	long t;

	for (t = first; t <= last; t++)
		need += width_at(d, r, t);
	if (need > d->cap_kept) {
		free(d->kept);
		d->cap_kept = 0;
		d->kept = cscg_alloc_aligned(need, sizeof *d->kept, CSCG_ALIGN,
		    err);
		if (!d->kept)
			return -1;
		d->cap_kept = need;
	}
	memcpy(d->kept, d->mark + d->mark_at[first / d->chunk],
	    width * sizeof *d->kept);
	*c = (struct cscg_block_chain){ .of = r->of + first,
		.n = last - first,
		.at = d->kept,
		.to = d->kept + width,
		.size = size_of(d->kept, width, true) };
	run_chain(d, r, c);
	return 0;
}

/*
 * The path of n steps of run r, whose chunks begin with the messages stored.
 * Sets r->last to the last possible step; states are valid if that is n-1.
 */
static int
trace_back(struct cscg_decoder *d, struct run *r, long n, int *states,
    struct cscg_err *err)
{
	const struct cscg_trans_blocks *b = d->blocks;
	struct cscg_block_chain c;
	const float *at;
	long first, last, t;
	uint32_t k = 0;

	for (last = n - 1; last >= 0; last = first - 1) {
		first = last / d->chunk * d->chunk;
		if (keep_messages(d, r, first, last, &c, err) < 0)
			return -1;
		if (last == n - 1) {
			r->last = first + c.n;
			r->log += log(c.size) - (double)c.shift * M_LN2;
			if (r->last < last)
				return 0;
		}
		for (t = last, at = c.at; t >= first; t--) {
			k = t == n - 1 ?
			    best_state(d, r->x[t], at) :
			    b->simd->back(&b->block[r->of[t]], at, k);
			states[t] = b->lo[r->x[t] + 1] + (int)k;
			if (t > first)
				at -= width_at(d, r, t - 1);
		}
	}
	return 0;
}

/*
 * The path of n steps of run r; r->last is then the last possible step, -1 if
 * there is none, and states are valid up to that.
 */
static int
viterbi_run(struct cscg_decoder *d, struct run *r, long n, int *states,
    struct cscg_err *err)
{
	long last; /* first step of the last chunk */

	r->last = -1;
	d->size = set_pi(d, r->x[0], true, d->message);
	if (!(d->size > 0))
		return 0;
	while (r->last < n - 1) {
		if (r->last >= 0) /* again, up to the last possible step */
			n = r->last + 1;
		d->size = set_pi(d, r->x[0], true, d->message);
		r->log = log(d->size);
		if (set_marks(d, r, n, err) < 0)
			return -1;
		set_mark(d, 0, d->message);
		last = (n - 1) / d->chunk * d->chunk;
		r->last = 0;
		if (last)
			pass(d, r, last);
		if (r->last < last)
			continue;
		r->log -= log(d->size);
		if (trace_back(d, r, n, states, err) < 0)
			return -1;
	}
	return 0;
}

/* Episode e, whose blocks are found. */
static int
viterbi_episode(struct cscg_decoder *d, const struct cscg_walk *w, int e,
    int *states, double *logp, struct cscg_err *err)
{
	long t, end, last = w->start[e + 1];

	*logp = 0;
	for (t = w->start[e]; t < last; t = end) {
		struct run r = { .x = w->x + t,
			.of = d->of + (t - w->start[e]) + 1,
			.max = true };

		for (end = t + 1; end < last && d->of[end - w->start[e]] >= 0;
		     end++)
			;
		if (viterbi_run(d, &r, end - t, states + t, err) < 0)
			return -1;
		*logp += r.log;
		if (r.last < end - t - 1) {
			*logp = -INFINITY;
			for (t += r.last + 1; t < last; t++)
				states[t] = -1;
			break;
		}
	}
	return 0;
}

int
cscg_decoder_viterbi(struct cscg_decoder *d, const struct cscg_walk *w,
    int *states, double *logp, struct cscg_err *err)
{
	double one;
	long t;
	int e;

	if (!d->simd)
		return cscg_viterbi_all(d->tr, w, &d->work, states, logp, err);
	if (use_blocks(d, true, err) < 0)
		return -1;
	*logp = 0;
	for (e = 0; e < w->n_episodes; e++) {
		t = w->start[e];
		d->a = -1;
		/* Paths have no escape: an unknown symbol ends them. */
		if (set_steps(d, false, w->start[e + 1] - t, w->x + t,
			w->a + t, w->reset ? w->reset + t : NULL, err) < 0 ||
		    viterbi_episode(d, w, e, states, &one, err) < 0)
			return -1;
		*logp += one;
	}
	return 0;
}

/* ---- for a model ---- */

/* The path if states is not NULL, else the log-likelihood. */
static int
decode(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_kernel *kern, const struct cscg_simd *simd, int *states,
    double *log, struct cscg_err *err)
{
	struct cscg_trans *tr = cscg_trans_new(m, kern, err);
	struct cscg_decoder *d = tr ? cscg_decoder_new(tr, simd, err) : NULL;
	int rc = -1;

	if (d)
		rc = states ? cscg_decoder_viterbi(d, w, states, log, err) :
			      cscg_decoder_loglik(d, w, log, err);
	cscg_decoder_free(d);
	cscg_trans_free(tr);
	return rc;
}

int
cscg_decode_loglik(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_kernel *kern, const struct cscg_simd *simd,
    double *loglik, struct cscg_err *err)
{
	return decode(m, w, kern, simd, NULL, loglik, err);
}

int
cscg_decode_viterbi(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_kernel *kern, const struct cscg_simd *simd, int *states,
    double *logp, struct cscg_err *err)
{
	return decode(m, w, kern, simd, states, logp, err);
}
