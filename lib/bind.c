/*
 * bind.c - give a schema new looks: EM on E with T fixed
 *
 * The plain loops are forward.c and backward.c with emission rows.  The fast
 * ones run the chains of simd.h over all states: T as a few entries a column
 * and a matrix of rank one, messages weighed by the column of E of the symbol
 * before they go on.  Neither alpha nor beta then holds the weight of its own
 * step, so that the posterior is alpha * weight * beta.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backward.h"
#include "bind.h"
#include "forward.h"
#include "mem.h"
#include "work.h"

enum { STRIP = 16 };	/* rows of E that are turned at a time */

/* T of one action, one way. */
struct way {
	float *value;		/* depth x pad */
	int32_t *index;
	uint32_t depth;
	struct cscg_extra *extra;
	long n_extra;
};

struct binding {
	const struct cscg_model *m;
	const struct cscg_walk *w;
	const struct cscg_bind *set;
	int S, K;
	double *E, *pi;		/* the caller's */
	double *seen;		/* [K + 1][stride] expected emissions */
	size_t stride;		/* S, padded for the fast loops */
	double *start;		/* [S] expected starts */
	bool impossible;

	/* plain */
	struct cscg_trans *tr;
	struct cscg_work work;
	double *gamma;		/* [S] */

	/* fast */
	size_t pad;
	struct way *fwd, *bwd;	/* [n_actions] */
	float *level;		/* [n_actions][pad] */
	float *ones;		/* [pad] */
	float *column;		/* [K + 1][pad] of E; the last: no symbol */
	float *alpha, *beta;	/* [longest episode][pad] */
	float *scratch;		/* [pad] */
	int16_t *shift;
};

/* What was seen of symbol x; no symbol has a place of its own. */
static double *
seen_of(const struct binding *b, int x)
{
	return b->seen + (size_t)(x < 0 ? b->K : x) * b->stride;
}

/* ---- the plain E-step ---- */

static void
add_step(struct binding *b, const double *p, long t, bool first)
{
	double *seen = seen_of(b, b->w->x[t]);
	int j;

	for (j = 0; j < b->S; j++)
		seen[j] += p[j];
	for (j = 0; j < b->S && first; j++)
		b->start[j] += p[j];
}

static int
plain_episode(struct binding *b, int e, double *loglik, struct cscg_err *err)
{
	const struct cscg_walk *w = b->w;
	long t;

	if (cscg_forward(b->tr, w, e, &b->work, loglik, err) < 0)
		return -1;
	if (isinf(*loglik))
		return 0;
	cscg_backward(b->tr, w, e, &b->work, NULL);
	for (t = 0; t < b->work.n; t++) {
		b->tr->kern->get(cscg_work_at(&b->work, b->tr, t), b->gamma,
		    b->S);
		add_step(b, b->gamma, w->start[e] + t,
		    cscg_walk_fresh(w, e, w->start[e] + t));
	}
	return 0;
}

static int
plain_new(struct binding *b, struct cscg_err *err)
{
	b->tr = cscg_trans_schema(b->m, b->set->is_double ?
	    &cscg_kern_plain64 : &cscg_kern_plain32, err);
	b->gamma = cscg_alloc((size_t)b->S, sizeof *b->gamma, err);
	return b->tr && b->gamma ? 0 : -1;
}

/* ---- the fast one ---- */

static float *
reals(size_t n, struct cscg_err *err)
{
	return cscg_alloc_aligned(n, sizeof(float), CSCG_ALIGN, err);
}

/*
 * How deep to go: a level costs a gather for every state, an entry left over
 * costs about four.  in[] has so many entries of each column.
 */
static uint32_t
best_depth(const long *in, int S)
{
	long left = 0, cost, least;
	uint32_t d, best = 0;
	int k, more = 1;

	for (k = 0; k < S; k++)
		left += in[k];
	least = 4 * left;
	for (d = 1; more; d++) {
		more = 0;
		for (k = 0; k < S; k++) {
			left -= in[k] >= (long)d;
			more |= in[k] > (long)d;
		}
		cost = (long)d * S + 4 * left;
		if (cost < least) {
			least = cost;
			best = d;
		}
	}
	return best;
}

/* Action a as columns (forward: the targets; backward: the sources). */
static int
way_new(struct binding *b, struct way *way, int a, bool forward,
    struct cscg_err *err)
{
	const struct cscg_model *m = b->m;
	long *in = cscg_alloc((size_t)b->S, sizeof *in, err), i, n = 0, r;
	int j, rc = -1;

	if (!in)
		return -1;
	for (j = 0; j < b->S; j++) {
		r = (long)a * b->S + j;
		for (i = m->first[r]; i < m->first[r + 1]; i++, n++)
			in[forward ? m->to[i] : j]++;
	}
	way->depth = best_depth(in, b->S);
	way->value = reals(way->depth * b->pad, err);
	way->index = cscg_alloc_aligned(way->depth * b->pad,
	    sizeof *way->index, CSCG_ALIGN, err);
	way->extra = cscg_alloc((size_t)n, sizeof *way->extra, err);
	if (!way->value || !way->index || !way->extra)
		goto out;
	memset(in, 0, (size_t)b->S * sizeof *in);
	for (j = 0; j < b->S; j++) {
		double norm;

		r = (long)a * b->S + j;
		norm = cscg_model_row(m, a, j) + m->pseudocount * b->S;
		for (i = m->first[r]; i < m->first[r + 1]; i++) {
			int from = forward ? j : m->to[i];
			int to = forward ? m->to[i] : j;
			float v = (float)(m->count[i] / norm);

			if (in[to] < (long)way->depth) {
				size_t at = (size_t)in[to]++ * b->pad +
				    (size_t)to;

				way->value[at] = v;
				way->index[at] = from;
			} else {
				way->extra[way->n_extra++] =
				    (struct cscg_extra){ from, to, v };
			}
		}
	}
	rc = 0;
out:
	free(in);
	return rc;
}

static int
fast_new(struct binding *b, struct cscg_err *err)
{
	const struct cscg_model *m = b->m;
	size_t A = (size_t)m->n_actions, longest = 0;
	int a, j, e;

	for (e = 0; e < b->w->n_episodes; e++)
		if ((size_t)(b->w->start[e + 1] - b->w->start[e]) > longest)
			longest = (size_t)(b->w->start[e + 1] -
			    b->w->start[e]);
	b->fwd = cscg_alloc(A, sizeof *b->fwd, err);
	b->bwd = cscg_alloc(A, sizeof *b->bwd, err);
	b->level = reals(A * b->pad, err);
	b->ones = reals(b->pad, err);
	b->column = reals(((size_t)b->K + 1) * b->pad, err);
	b->alpha = longest <= SIZE_MAX / sizeof(float) / b->pad ?
	    reals(longest * b->pad, err) : NULL;
	b->beta = b->alpha ? reals(longest * b->pad, err) : NULL;
	b->scratch = reals(b->pad, err);
	b->shift = cscg_alloc(longest, sizeof *b->shift, err);
	if (!b->fwd || !b->bwd || !b->level || !b->ones || !b->column ||
	    !b->alpha || !b->beta || !b->scratch || !b->shift)
		return -1;
	for (a = 0; a < m->n_actions; a++) {
		if (way_new(b, &b->fwd[a], a, true, err) < 0 ||
		    way_new(b, &b->bwd[a], a, false, err) < 0)
			return -1;
		for (j = 0; j < b->S; j++) {
			double norm = cscg_model_row(m, a, j) +
			    m->pseudocount * b->S;

			b->level[(size_t)a * b->pad + (size_t)j] =
			    (float)(norm > 0 ? m->pseudocount / norm :
			    1.0 / b->S);
		}
	}
	for (j = 0; j < b->S; j++)
		b->ones[j] = b->column[(size_t)b->K * b->pad + (size_t)j] = 1;
	return 0;
}

static const float *
column_of(const struct binding *b, int x)
{
	return b->column + (size_t)(x < 0 ? b->K : x) * b->pad;
}

/* A message through action a, one way. */
static void
set_way(struct cscg_link *link, const struct way *way)
{
	link->value = way->value;
	link->index = way->index;
	link->depth = way->depth;
	link->extra = way->extra;
	link->n_extra = way->n_extra;
}

/* Steps from .. to-1 have no reset in between: the messages of one run. */
static double
fast_run(struct binding *b, long from, long to)
{
	const struct cscg_walk *w = b->w;
	const struct cscg_simd *simd = b->set->simd;
	struct cscg_link link = { .cols = (uint32_t)b->pad, .thin = 1,
	    .rows_pad = (uint32_t)b->pad, .scratch = b->scratch };
	double lift = 0, sum;
	const float *c;
	size_t pad = b->pad;
	int16_t shift;
	long t, i;
	int j;

	for (j = 0; j < b->S; j++)
		b->alpha[j] = (float)b->pi[j];
	for (t = from; t + 1 < to; t++) {
		set_way(&link, &b->fwd[w->a[t]]);
		link.up = b->ones;
		link.down = b->level + (size_t)w->a[t] * pad;
		link.weight = column_of(b, w->x[t]);
		link.to = b->alpha + (size_t)(t + 1 - from) * pad;
		if (simd->chain(b->alpha + (size_t)(t - from) * pad, &link, 1,
		    &shift) <= 0)
			return -INFINITY;
		lift += shift;
	}
	c = column_of(b, w->x[to - 1]);
	sum = simd->dot(b->alpha + (size_t)(to - 1 - from) * pad, c,
	    (uint32_t)pad);
	if (sum <= 0)
		return -INFINITY;
	memcpy(b->beta + (size_t)(to - 1 - from) * pad, b->ones,
	    pad * sizeof *b->beta);
	for (t = to - 2; t >= from; t--) {
		set_way(&link, &b->bwd[w->a[t]]);
		link.up = b->level + (size_t)w->a[t] * pad;
		link.down = b->ones;
		link.weight = column_of(b, w->x[t + 1]);
		link.to = b->beta + (size_t)(t - from) * pad;
		simd->chain(b->beta + (size_t)(t + 1 - from) * pad, &link, 1,
		    &shift);
	}
	for (t = from, i = 0; t < to; t++, i++) {
		float *p = b->alpha + (size_t)i * pad;
		const float *q = b->beta + (size_t)i * pad;

		simd->posterior(p, q, column_of(b, w->x[t]), (uint32_t)pad,
		    seen_of(b, w->x[t]));
		for (j = 0; j < b->S && t == from; j++)
			b->start[j] += p[j];
	}
	return log(sum) - lift * M_LN2;
}

static void
fast_episode(struct binding *b, int e, double *loglik)
{
	long from = b->w->start[e], to;

	*loglik = 0;
	for (; from < b->w->start[e + 1]; from = to) {
		for (to = from + 1; to < b->w->start[e + 1] &&
		    !cscg_walk_fresh(b->w, e, to); to++)
			;
		*loglik += fast_run(b, from, to);
	}
}

/* ---- both ---- */

static int
expect(struct binding *b, double *loglik, struct cscg_err *err)
{
	double one;
	int e, j, x, first;

	memset(b->seen, 0, ((size_t)b->K + 1) * b->stride * sizeof *b->seen);
	memset(b->start, 0, (size_t)b->S * sizeof *b->start);
	if (b->tr) {
		if (cscg_trans_set_E(b->tr, b->E, b->K, err) < 0)
			return -1;
		cscg_trans_set_pi(b->tr, b->pi);
	} else {
		/* In strips, so that both sides stay in the cache. */
		for (first = 0; first < b->S; first += STRIP)
			for (x = 0; x < b->K; x++)
				for (j = first; j < b->S &&
				    j < first + STRIP; j++)
					b->column[(size_t)x * b->pad +
					    (size_t)j] = (float)b->E[(size_t)j *
					    (size_t)b->K + (size_t)x];
	}
	*loglik = 0;
	for (e = 0; e < b->w->n_episodes; e++) {
		if (b->tr) {
			if (plain_episode(b, e, &one, err) < 0)
				return -1;
		} else {
			fast_episode(b, e, &one);
		}
		*loglik += one;
	}
	return 0;
}

/* Rows first..last-1 of E: all alike if they are a group that is tied. */
static void
maximise_rows(struct binding *b, int first, int last, bool tied)
{
	size_t K = (size_t)b->K;
	double sum;
	int j, x;

	for (x = 0; x < b->K; x++) {
		const double *seen = seen_of(b, x);
		double all = b->set->pseudocount;

		for (j = first; tied && j < last; j++)
			all += seen[j];
		for (j = first; j < last; j++)
			b->E[(size_t)j * K + (size_t)x] = tied ? all :
			    seen[j] + b->set->pseudocount;
	}
	for (j = first; j < last; j++) {
		double *row = b->E + (size_t)j * K;

		for (sum = 0, x = 0; x < b->K; x++)
			sum += row[x];
		for (x = 0; x < b->K; x++)
			row[x] = sum > 0 ? row[x] / sum : 1.0 / b->K;
	}
}

/* E from what was seen, summed over the states of a group first if tied. */
static void
maximise(struct binding *b)
{
	int first, last, j;

	for (first = 0; first < b->S; first = last) {
		last = first + 1;
		while (last < b->S && (b->set->tied ?
		    b->m->clone[last] == b->m->clone[first] :
		    last < first + STRIP))
			last++;
		maximise_rows(b, first, last, b->set->tied);
	}
	if (b->set->learn_pi) {
		double sum = 0;

		for (j = 0; j < b->S; j++)
			sum += b->start[j];
		for (j = 0; j < b->S; j++)
			b->pi[j] = b->start[j] / sum;
	}
}

/* The sum of log E, each group once if tied; 0 without a pseudocount. */
static double
prior(const struct binding *b)
{
	const struct cscg_simd *simd = b->set->simd;
	double sum = 0;
	int j, x;

	for (j = 0; j < b->S && b->set->pseudocount > 0; j++) {
		const double *row = b->E + (size_t)j * (size_t)b->K;

		if (b->set->tied && j &&
		    b->m->clone[j] == b->m->clone[j - 1])
			continue;
		for (x = 0; x < b->K && row[x] > DBL_MIN; x++)
			;
		if (x < b->K)
			return -INFINITY;	/* a zero in the start */
		if (simd)
			sum += simd->log_sum(row, b->K);
		for (x = 0; x < b->K && !simd; x++)
			sum += log(row[x]);
	}
	return sum;
}

static int
run(struct binding *b, struct cscg_em_line *last, struct cscg_err *err)
{
	const struct cscg_bind *set = b->set;
	struct cscg_em_line line = { 0, 0, 0 };
	double before = -INFINITY, slack;

	for (;; line.iteration++) {
		if (expect(b, &line.loglik, err) < 0)
			return -1;
		if (isinf(line.loglik))
			return cscg_fail(err, CSCG_ERANGE, "the schema cannot "
			    "produce this walk: a transition that is needed "
			    "has probability zero");
		line.objective = line.loglik + set->pseudocount * prior(b);
		*last = line;
		slack = (set->is_double ? 1e-11 : 1e-6) * fabs(before) +
		    2 * (set->is_double ? DBL_EPSILON : FLT_EPSILON) *
		    (double)b->w->n_steps;
		/* A start with zeros in E has no prior to compare with. */
		if (line.iteration && isfinite(before) &&
		    line.objective < before - slack)
			return cscg_fail(err, CSCG_EBUG, "the objective fell "
			    "from %.17g to %.17g at iteration %ld: please "
			    "report this as a bug", before, line.objective,
			    line.iteration);
		if ((set->report && set->report(set->ctx, &line)) ||
		    line.iteration == set->iterations ||
		    (set->tolerance > 0 && line.iteration &&
		    line.objective - before <
		    set->tolerance * fabs(line.objective)))
			return 0;
		before = line.objective;
		maximise(b);
	}
}

static void
binding_free(struct binding *b)
{
	int a;

	for (a = 0; a < b->m->n_actions; a++) {
		if (b->fwd) {
			free(b->fwd[a].value);
			free(b->fwd[a].index);
			free(b->fwd[a].extra);
		}
		if (b->bwd) {
			free(b->bwd[a].value);
			free(b->bwd[a].index);
			free(b->bwd[a].extra);
		}
	}
	free(b->fwd);
	free(b->bwd);
	free(b->level);
	free(b->ones);
	free(b->column);
	free(b->alpha);
	free(b->beta);
	free(b->scratch);
	free(b->shift);
	cscg_trans_free(b->tr);
	cscg_work_free(&b->work);
	free(b->gamma);
	free(b->seen);
	free(b->start);
}

int
cscg_bind(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_bind *set, double *E, double *pi,
    struct cscg_em_line *last, struct cscg_err *err)
{
	struct binding b = { .m = m, .w = w, .set = set, .S = m->n_states,
	    .K = w->head.n_obs, .E = E, .pi = pi };
	int rc = -1;

	if (set->tied && !m->clone)
		return cscg_fail(err, CSCG_EMISMATCH, "this schema has no "
		    "clone structure to tie emissions by");
	b.stride = (size_t)b.S;
	if (set->simd && !set->is_double) {
		size_t width = (size_t)set->simd->width;

		b.stride = b.pad = (b.stride + width - 1) / width * width;
	}
	b.seen = cscg_alloc(((size_t)b.K + 1) * b.stride, sizeof *b.seen, err);
	b.start = cscg_alloc((size_t)b.S, sizeof *b.start, err);
	if (!b.seen || !b.start)
		goto out;
	if (b.pad) {
		if (fast_new(&b, err) < 0)
			goto out;
	} else if (plain_new(&b, err) < 0) {
		goto out;
	}
	rc = run(&b, last, err);
out:
	binding_free(&b);
	return rc;
}
