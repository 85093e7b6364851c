/*
 * decoder.c - likelihood, filter and Viterbi path of walks under a given
 * model, by SIMD or by the plain loops
 *
 * A step of a message waits for the step before it, so one chain of messages
 * uses a fraction of the processor.  A long run is cut into LANES parts whose
 * chains advance in turns.  Each part but the first guesses its initial
 * message by starting BURN_IN steps earlier from a uniform one, since the
 * influence of the past decays quickly.  The part before then provides the
 * exact message; where the guess differs, the part is computed again, and the
 * next RETRY long runs are not cut.  The cuts depend on the steps alone.
 *
 * Viterbi in little memory: a first pass stores only the message of every
 * chunk-th step.  From the last chunk to the first, the messages of a few
 * chunks are then computed again and stored, and the path is traced back
 * through them.  A back pointer is computed from the message when the path
 * meets it: one column of T instead of all.  Chunks are traced in turns, each
 * from its likeliest last state; when the path of the chunk behind provides
 * the right last state, the trace is corrected from there up to the step where
 * both paths meet.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/decoder.h"
#include "kernel/passes.h"
#include "kernel/trans_blocks.h"

enum {
	LANES = 4,
	BURN_IN = 512,   /* steps after which the past has decayed */
	MIN_LANE = 2048, /* steps of a part, at least */
	RETRY = 8,       /* long runs until failed guesses are tried again */
	MIN_CHUNK = 256, /* steps between stored Viterbi messages */
	BATCH = 1 << 16, /* steps of a walk filtered at once */
	NEAR = 1 << 20,  /* bytes of T that inner caches hold */
};

/* A part of a run: of[first .. last-1], from the message of step first-1. */
struct lane {
	long first, last, next;
	float *begin;   /* message of step first-1 */
	float *scratch; /* two messages */
	double size;    /* sum or maximum of begin */
	struct cscg_block_chain chain;
};

struct cscg_decoder {
	const struct cscg_trans *tr;
	struct cscg_trans_blocks *blocks; /* NULL: the plain loops */
	struct cscg_work work;            /* of the plain loops */

	/* The filter: the message of the last step, of symbol x. */
	void *message, *scratch; /* [n_states], padded */
	double size;             /* its sum (SIMD) */
	int x, a;                /* a: action after it, -1: none */
	bool lost;               /* is the last step impossible? */

	size_t widest; /* floats of any message */
	float *reals;  /* of the lanes */
	struct lane lane[LANES];
	int *of, *xs; /* blocks of transitions, symbols of steps */
	size_t cap_of, cap_xs;
	long misses, no_guess;

	/* Viterbi */
	long chunk;  /* steps of a chunk */
	float *mark; /* message before each chunk */
	size_t *mark_at;
	float *kept[LANES]; /* all messages of a chunk */
	size_t cap_mark, cap_mark_at, cap_kept[LANES];
};

static int
new_lanes(struct cscg_decoder *d, struct cscg_err *err)
{
	size_t width = d->widest;
	int i;

	d->reals = cscg_alloc_aligned((3 * LANES + 2) * width,
	    sizeof *d->reals, CSCG_ALIGN, err);
	if (!d->reals)
		return -1;
	for (i = 0; i < LANES; i++) {
		d->lane[i].begin = d->reals + (size_t)(3 * i) * width;
		d->lane[i].scratch = d->lane[i].begin + width;
	}
	d->message = d->reals + 3 * LANES * width;
	d->scratch = (float *)d->message + width;
	return 0;
}

static int
new_plain(struct cscg_decoder *d, struct cscg_err *err)
{
	size_t S = (size_t)d->tr->n_states;

	d->message = cscg_alloc(S, d->tr->kern->size, err);
	d->scratch = cscg_alloc(S, d->tr->kern->size, err);
	return d->message && d->scratch ? 0 : -1;
}

struct cscg_decoder *
cscg_decoder_new(const struct cscg_trans *tr, const struct cscg_simd *simd,
    struct cscg_err *err)
{
	struct cscg_decoder *d = cscg_alloc(1, sizeof *d, err);
	bool fast = simd && tr->kern == &cscg_plain_float && tr->group &&
	    !tr->E && !tr->T && !tr->is_signed && !(tr->misread > 0);

	if (!d)
		return NULL;
	d->tr = tr;
	d->a = -1;
	if (fast) {
		d->blocks = cscg_trans_blocks_new(tr, simd, err);
		d->widest = d->blocks ? d->blocks->width[0] : 0;
	}
	if (fast ? !d->blocks || new_lanes(d, err) < 0 :
		   new_plain(d, err) < 0) {
		cscg_decoder_free(d);
		return NULL;
	}
	return d;
}

void
cscg_decoder_free(struct cscg_decoder *d)
{
	int i;

	if (!d)
		return;
	if (!d->blocks) {
		free(d->message);
		free(d->scratch);
	}
	for (i = 0; i < LANES; i++)
		free(d->kept[i]);
	cscg_trans_blocks_free(d->blocks);
	cscg_work_free(&d->work);
	free(d->reals);
	free(d->of);
	free(d->mark);
	free(d->mark_at);
	free(d);
}

long
cscg_decoder_misses(const struct cscg_decoder *d)
{
	return d->misses;
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
	size_t width = d->blocks->width[x + 1];

	memset(to, 0, width * sizeof *to);
	memcpy(to, (const float *)d->tr->pi + s.lo,
	    (size_t)(s.hi - s.lo) * sizeof *to);
	return size_of(to, width, max);
}

/* Are two messages over the states of symbol x the same up to a factor? */
static bool
same_message(const struct cscg_decoder *d, int x, const float *a, double p,
    const float *b, double q)
{
	size_t n = d->blocks->width[x + 1], i;

	for (i = 0; i < n; i++)
		if (!(fabs(a[i] / p - b[i] / q) <= 1e-6))
			return false;
	return true;
}

/* ---- lanes ---- */

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
run_chains(const struct cscg_decoder *d, const struct run *r,
    struct cscg_block_chain *c, int n)
{
	const struct cscg_simd *simd = d->blocks->simd;
	int i;

	for (i = 0; i < n; i++)
		c[i].is_far = d->blocks->bytes > NEAR;
	(r->max ? simd->max_chains : simd->sum_chains)(d->blocks->block, c, n);
}

/* A message of ones for step t. */
static void
set_ones(const struct cscg_decoder *d, const struct run *r, long t, float *to)
{
	struct cscg_span s = cscg_trans_span(d->tr, r->x[t]);
	size_t n = (size_t)(s.hi - s.lo), i;

	memset(to, 0, width_at(d, r, t) * sizeof *to);
	for (i = 0; i < n; i++)
		to[i] = 1;
}

/* Guess the initial messages of lanes 1 .. n-1. */
static void
guess(struct cscg_decoder *d, const struct run *r, int n)
{
	struct cscg_block_chain c[LANES];
	struct lane *l;
	int i;

	for (i = 1; i < n; i++) {
		l = &d->lane[i];
		set_ones(d, r, l->first - BURN_IN, l->begin);
		c[i] = (struct cscg_block_chain){ r->of + l->first - BURN_IN,
			BURN_IN, l->begin, l->scratch, (long)d->widest, NULL,
			1, 0, 0 };
	}
	run_chains(d, r, c + 1, n - 1);
	for (i = 1; i < n; i++) {
		l = &d->lane[i];
		memcpy(l->begin, c[i].at,
		    width_at(d, r, l->first) * sizeof *l->begin);
		l->size = c[i].size;
	}
}

static void
set_mark(struct cscg_decoder *d, long chunk, const float *at)
{
	memcpy(d->mark + d->mark_at[chunk], at,
	    (d->mark_at[chunk + 1] - d->mark_at[chunk]) * sizeof *at);
}

/*
 * Advance n lanes to their last steps.  With max, the first message of each
 * chunk is stored.  Sets next to the last possible step.
 */
static void
run_lanes(struct cscg_decoder *d, const struct run *r, struct lane *lane,
    int n)
{
	struct cscg_block_chain c[LANES];
	long want[LANES];
	bool more = true;
	int i;

	for (i = 0; i < n; i++) {
		lane[i].next = lane[i].first;
		c[i] = (struct cscg_block_chain){ .at = lane[i].begin,
			.to = lane[i].scratch,
			.flip = (long)d->widest,
			.size = lane[i].size };
	}
	while (more) {
		for (i = 0; i < n; i++) {
			want[i] = lane[i].last - lane[i].next;
			if (r->max && want[i] > d->chunk)
				want[i] = d->chunk;
			c[i].n = want[i];
			c[i].of = r->of + lane[i].next;
			c[i].p = r->p ? r->p + lane[i].next : NULL;
		}
		run_chains(d, r, c, n);
		for (more = false, i = 0; i < n; i++) {
			lane[i].next += c[i].n;
			if (c[i].n < want[i])
				lane[i].last = lane[i].next;
			else if (r->max && want[i] == d->chunk)
				set_mark(d, lane[i].next / d->chunk, c[i].at);
			more |= lane[i].next < lane[i].last;
		}
	}
	for (i = 0; i < n; i++)
		lane[i].chain = c[i];
}

/* Cut steps 0 .. last of run r into lanes; returns their number. */
static int
cut(struct cscg_decoder *d, const struct run *r, long last)
{
	long n = last / MIN_LANE, each, i;

	if (n > LANES)
		n = LANES;
	if (n < 1 || (n > 1 && d->no_guess > 0 && d->no_guess--))
		n = 1;
	each = last / n;
	if (r->max)
		each -= each % d->chunk;
	for (i = 0; i < n; i++) {
		d->lane[i].first = i * each;
		d->lane[i].last = i == n - 1 ? last : (i + 1) * each;
	}
	return (int)n;
}

/* Use the exact last message of the lane before if the guess was wrong. */
static void
check_guess(struct cscg_decoder *d, const struct run *r, struct lane *l,
    long last)
{
	const struct cscg_block_chain *c = &l[-1].chain;

	if (same_message(d, r->x[l->first], l->begin, l->size, c->at, c->size))
		return;
	d->misses++;
	d->no_guess = RETRY;
	memcpy(l->begin, c->at, width_at(d, r, l->first) * sizeof *l->begin);
	l->size = c->size;
	l->last = last;
	run_lanes(d, r, l, 1);
}

/*
 * Pass the message of step 0, in d->message, to step last of run r, where it
 * is left in d->message.
 */
static void
pass(struct cscg_decoder *d, struct run *r, long last)
{
	struct lane *l = d->lane;
	int n = cut(d, r, last), i;
	long end[LANES];

	for (i = 0; i < n; i++)
		end[i] = l[i].last;
	memcpy(l->begin, d->message, width_at(d, r, 0) * sizeof *l->begin);
	l->size = d->size;
	guess(d, r, n);
	run_lanes(d, r, l, n);
	for (i = 0; i < n; i++, l++) {
		if (i)
			check_guess(d, r, l, end[i]);
		r->log += log(l->chain.size) - log(l->size) -
		    (double)l->chain.shift * M_LN2;
		r->last = l->last;
		memcpy(d->message, l->chain.at,
		    width_at(d, r, r->last) * sizeof *l->begin);
		d->size = l->chain.size;
		if (l->last < end[i])
			break;
	}
}

/* ---- the filter ---- */

static double
filter_plain(struct cscg_decoder *d, long n, const int *x, const int *a,
    const unsigned char *reset, double *p)
{
	struct cscg_span span = cscg_trans_span(d->tr, d->x);
	double one, sum = 0;
	void *swap;
	long t;

	for (t = 0; t < n; t++) {
		if (reset && reset[t])
			d->a = -1;
		one = d->lost && d->a >= 0 ?
		    0 :
		    cscg_forward_step(d->tr, &span, d->message, d->a, x[t],
			d->scratch);
		d->lost = one <= 0;
		sum += log(one);
		if (p)
			p[t] = one;
		swap = d->message;
		d->message = d->scratch;
		d->scratch = swap;
		span = cscg_trans_span(d->tr, x[t]);
		d->a = a[t];
		d->x = x[t];
	}
	return sum;
}

/*
 * Symbols and blocks of n more steps: transition t leads to step t of these;
 * -1: step t starts from pi.
 */
static int
set_steps(struct cscg_decoder *d, long n, const int *x, const int *a,
    const unsigned char *reset, struct cscg_err *err)
{
	int before = d->a;
	long t;

	if (cscg_grow(&d->of, &d->cap_of, (size_t)n, sizeof *d->of, err) < 0 ||
	    cscg_grow(&d->xs, &d->cap_xs, (size_t)n + 1, sizeof *d->xs, err) <
		0)
		return -1;
	d->xs[0] = d->x;
	for (t = 0; t < n; t++) {
		d->xs[t + 1] = x[t];
		d->of[t] = -1;
		if (before >= 0 && !(reset && reset[t])) {
			d->of[t] = cscg_trans_blocks_find(d->blocks, before,
			    d->xs[t], x[t], err);
			if (d->of[t] < 0)
				return -1;
		}
		before = a[t];
	}
	return 0;
}

static int
filter_simd(struct cscg_decoder *d, long n, const int *x, const int *a,
    const unsigned char *reset, double *p, double *loglik,
    struct cscg_err *err)
{
	long t, end;

	if (set_steps(d, n, x, a, reset, err) < 0)
		return -1;
	for (t = 0; t < n; t = end) {
		if (d->of[t] < 0) {
			d->size = set_pi(d, x[t], false, d->message);
			d->lost = !(d->size > 0);
			*loglik += log(d->size);
			if (p)
				p[t] = d->size;
			t++;
		}
		for (end = t; end < n && d->of[end] >= 0; end++)
			if (p)
				p[end] = 0;
		if (!d->lost && end > t) {
			struct run r = { .x = d->xs + t,
				.of = d->of + t,
				.p = p ? p + t : NULL };

			pass(d, &r, end - t);
			*loglik += r.log;
			d->lost = r.last < end - t;
		}
		if (d->lost)
			*loglik = -INFINITY;
	}
	d->x = x[n - 1];
	d->a = a[n - 1];
	return 0;
}

int
cscg_decoder_filter(struct cscg_decoder *d, long n, const int *x, const int *a,
    const unsigned char *reset, double *p, double *loglik,
    struct cscg_err *err)
{
	*loglik = 0;
	if (n < 1)
		return 0;
	if (d->blocks)
		return filter_simd(d, n, x, a, reset, p, loglik, err);
	*loglik = filter_plain(d, n, x, a, reset, p);
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
static int
best_state(const struct cscg_decoder *d, int x, const float *at)
{
	struct cscg_span s = cscg_trans_span(d->tr, x);
	int best;

	d->tr->kern->max(at, s.hi - s.lo, &best);
	return best;
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

/* A chunk whose path is traced back: steps first .. last of the run. */
struct trace {
	long first, last;
	struct cscg_block_chain chain; /* of all messages of the chunk */
	long t;                        /* the step reached, ... */
	const float *at;               /* ... its message ... */
	uint32_t k; /* ... and its state, from the first of its symbol */
};

/* Compute all messages of the chunks of n traces. */
static int
keep_messages(struct cscg_decoder *d, const struct run *r, struct trace *tr,
    int n, struct cscg_err *err)
{
	struct cscg_block_chain c[LANES];
	size_t need, mark;
	long t;
	int i;

	for (i = 0; i < n; i++) {
		for (need = 0, t = tr[i].first; t <= tr[i].last; t++)
			need += width_at(d, r, t);
		if (need > d->cap_kept[i]) {
			free(d->kept[i]);
			d->cap_kept[i] = need;
			d->kept[i] = cscg_alloc_aligned(need, sizeof(float),
			    CSCG_ALIGN, err);
			if (!d->kept[i]) {
				d->cap_kept[i] = 0;
				return -1;
			}
		}
		mark = d->mark_at[tr[i].first / d->chunk];
		need = width_at(d, r, tr[i].first);
		memcpy(d->kept[i], d->mark + mark, need * sizeof(float));
		c[i] = (struct cscg_block_chain){ .of = r->of + tr[i].first,
			.n = tr[i].last - tr[i].first,
			.at = d->kept[i],
			.to = d->kept[i] + need,
			.size = size_of(d->kept[i], need, true) };
	}
	run_chains(d, r, c, n);
	for (i = 0; i < n; i++)
		tr[i].chain = c[i];
	return 0;
}

/* One step back. */
static void
step_back(const struct cscg_decoder *d, const struct run *r, struct trace *tr,
    int *states)
{
	const struct cscg_trans_blocks *b = d->blocks;

	tr->t--;
	tr->at -= width_at(d, r, tr->t);
	tr->k = b->simd->back(&b->block[r->of[tr->t]], tr->at, tr->k);
	states[tr->t] = b->lo[r->x[tr->t] + 1] + (int)tr->k;
}

/* The path through n chunks, each from its likeliest last state. */
static void
trace_chunks(const struct cscg_decoder *d, const struct run *r,
    struct trace *tr, int n, int *states)
{
	bool more = true;
	int i;

	for (i = 0; i < n; i++) {
		tr[i].t = tr[i].last;
		tr[i].at = tr[i].chain.at;
		tr[i].k = best_state(d, r->x[tr[i].last], tr[i].at);
		states[tr[i].last] = d->blocks->lo[r->x[tr[i].last] + 1] +
		    (int)tr[i].k;
	}
	while (more)
		for (more = false, i = 0; i < n; i++)
			if (tr[i].t > tr[i].first) {
				step_back(d, r, &tr[i], states);
				more = true;
			}
}

/* Correct the path of a chunk, from the state of the step behind it. */
static void
correct_trace(const struct cscg_decoder *d, const struct run *r,
    struct trace *tr, int *states)
{
	const struct cscg_trans_blocks *b = d->blocks;
	long behind = tr->last + 1;
	int before;

	tr->t = behind;
	tr->at = tr->chain.at + width_at(d, r, tr->last);
	tr->k = (uint32_t)(states[behind] - b->lo[r->x[behind] + 1]);
	do {
		before = states[tr->t - 1];
		step_back(d, r, tr, states);
	} while (states[tr->t] != before && tr->t > tr->first);
}

/*
 * The path of n steps of run r, whose chunks begin with the messages stored.
 * Sets r->last to the last possible step; states are valid if that is n-1.
 */
static int
trace_back(struct cscg_decoder *d, struct run *r, long n, int *states,
    struct cscg_err *err)
{
	struct trace tr[LANES];
	long chunks = (n + d->chunk - 1) / d->chunk, c, first;
	int m, i;

	for (c = chunks; c > 0; c = first) {
		first = c > LANES ? c - LANES : 0;
		m = (int)(c - first);
		for (i = 0; i < m; i++) {
			tr[i].first = (first + i) * d->chunk;
			tr[i].last = tr[i].first + d->chunk - 1;
			if (tr[i].last > n - 1)
				tr[i].last = n - 1;
		}
		if (keep_messages(d, r, tr, m, err) < 0)
			return -1;
		if (c == chunks) {
			const struct trace *z = &tr[m - 1];

			r->last = z->first + z->chain.n;
			r->log += log(z->chain.size) -
			    (double)z->chain.shift * M_LN2;
			if (r->last < n - 1)
				return 0;
		}
		trace_chunks(d, r, tr, m, states);
		for (i = m - 1; i >= 0; i--)
			if (first + i < chunks - 1)
				correct_trace(d, r, &tr[i], states);
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

	if (!d->blocks)
		return cscg_viterbi_all(d->tr, w, &d->work, states, logp, err);
	*logp = 0;
	for (e = 0; e < w->n_episodes; e++) {
		t = w->start[e];
		d->a = -1;
		if (set_steps(d, w->start[e + 1] - t, w->x + t, w->a + t,
			w->reset ? w->reset + t : NULL, err) < 0 ||
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
