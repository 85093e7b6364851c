/*
 * ladder.c - every kernel and pass against enumeration of every path
 *
 * Random tiny models of many shapes: symbols without clones, single states,
 * rows without counts, zero pseudocount, learned pi, emissions by clone and by
 * row, with and without misreading; walks with several episodes, dropouts,
 * resets, single steps.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel/estep_beam.h"
#include "kernel/passes.h"
#include "schema/bind.h"
#include "brute/paths.h"
#include "learn/em.h"
#include "kernel/cpu.h"
#include "base/mem.h"
#include "base/rng.h"
#include "need.h"
#include "tap.h"

enum { MODELS = 400, MAX_S = 5, MAX_T = 6 };

/* A model of random shape; soft: with an emission row for each state. */
static struct cscg_model *
random_model(struct cscg_rng *rng, bool soft)
{
	int S = 1 + (int)cscg_rng_below(rng, MAX_S);
	int A = 1 + (int)cscg_rng_below(rng, 3);
	int K = 1 + (int)cscg_rng_below(rng, 4), j, a, k, x;
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, S, A, K,
	    &err));
	double *dense = need(cscg_alloc((size_t)(A * S * S), sizeof *dense,
		   &err)),
	       sum;

	for (j = 1; j < S; j++)
		m->clone[j] = m->clone[j - 1] +
		    (int)cscg_rng_below(rng, K - m->clone[j - 1]);
	for (a = 0; a < A; a++)
		for (j = 0; j < S; j++) {
			if (cscg_rng_below(rng, 5) == 0)
				continue; /* a row without counts */
			for (k = 0; k < S; k++)
				if (cscg_rng_below(rng, 3))
					dense[(a * S + j) * S + k] =
					    cscg_rng_uniform(rng) * 3;
		}
	need(cscg_model_set_dense(m, dense, 0, &err) < 0 ? NULL : m);
	free(dense);
	m->pseudocount = cscg_rng_below(rng, 3) ? 0.05 : 0;
	if (cscg_rng_below(rng, 2)) {
		m->pi = need(cscg_alloc((size_t)S, sizeof *m->pi, &err));
		for (sum = 0, j = 0; j < S; j++)
			sum += m->pi[j] = cscg_rng_uniform(rng);
		for (j = 0; j < S; j++)
			m->pi[j] /= sum;
	}
	if (soft) {
		m->e_first = need(cscg_alloc((size_t)S + 1, sizeof *m->e_first,
		    &err));
		m->e_obs = need(cscg_alloc((size_t)(S * K), sizeof *m->e_obs,
		    &err));
		m->e_p = need(cscg_alloc((size_t)(S * K), sizeof *m->e_p,
		    &err));
		for (j = 0; j < S; j++) {
			long n = m->e_first[j], i;

			for (sum = 0, x = 0; x < K; x++) {
				/*
				 * The state's own symbol, and some others;
				 * probabilities of 0 occur.
				 */
				if (x != m->clone[j] && cscg_rng_below(rng, 2))
					continue;
				m->e_obs[n] = x;
				sum += m->e_p[n++] = 0.01 +
				    cscg_rng_uniform(rng);
			}
			for (i = m->e_first[j]; i < n; i++)
				m->e_p[i] /= sum;
			m->e_first[j + 1] = n;
		}
	}
	return m;
}

static struct cscg_walk *
random_walk(struct cscg_rng *rng, const struct cscg_model *m)
{
	struct cscg_walk_header head = { .n_actions = m->n_actions,
		.n_obs = m->n_obs };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	int e, n_episodes = 1 + (int)cscg_rng_below(rng, 3);

	for (e = 0; e < n_episodes; e++) {
		long t, n = 1 + cscg_rng_below(rng, MAX_T);

		for (t = 0; t < n; t++) {
			/* Symbols that have a clone, mostly. */
			struct cscg_step s = { .z = -1, .goal = -1, .r = NAN };

			s.x = cscg_rng_below(rng, 20) ?
			    m->clone[cscg_rng_below(rng, m->n_states)] :
			    (int)cscg_rng_below(rng, m->n_obs);
			if (cscg_rng_below(rng, 10) == 0)
				s.x = -1;
			s.a = t + 1 < n ?
			    (int)cscg_rng_below(rng, m->n_actions) :
			    -1;
			s.reset = t && cscg_rng_below(rng, 8) == 0;
			need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
		}
	}
	return w;
}

/* Number of values compared, and the first that differs. */
static long compared;
static char off[200];

static void
expect(double got, double want, double tol, const char *what, int model)
{
	compared++;
	if (!near(got, want, tol) && !*off)
		snprintf(off, sizeof off, "model %d: %s is %.12g, not %.12g",
		    model, what, got, want);
}

static void
one_episode(const struct cscg_model *m, const struct cscg_trans *tr,
    const struct cscg_walk *w, int e, struct brute *b, double tol,
    double *counts, int model)
{
	struct cscg_work work = { 0 };
	struct cscg_sink sink = { 0 };
	int S = m->n_states, z[MAX_T];
	long t, n = w->start[e + 1] - w->start[e], i;
	double loglik, logp, product = 1, p[MAX_S];

	brute_paths(m, w, e, b);
	need(cscg_forward(tr, w, e, &work, &loglik, &err) < 0 ? NULL : b);
	for (t = 0; t < n; t++)
		product *= work.p[t];
	expect(loglik, b->lik > 0 ? log(b->lik) : -INFINITY, tol, "log P",
	    model);
	expect(product, b->lik, tol, "product of the steps", model);
	if (b->lik > 0) {
		sink.counts = counts;
		cscg_backward(tr, w, e, &work, &sink);
		for (t = 0; t < n; t++) {
			struct cscg_span s = cscg_trans_span(tr,
			    w->x[w->start[e] + t]);

			memset(p, 0, sizeof p);
			tr->kern->get(cscg_work_message(&work, tr, t),
			    p + s.lo, s.hi - s.lo);
			for (i = 0; i < S; i++)
				expect(p[i], b->gamma[t * S + i], tol, "gamma",
				    model);
		}
	}
	need(cscg_viterbi(tr, w, e, &work, z, &logp, &err) < 0 ? NULL : b);
	expect(logp, b->best > 0 ? log(b->best) : -INFINITY, tol,
	    "log P of the best path", model);
	if (b->best > 0)
		expect(brute_path(m, w, e, NULL, z), b->best, tol,
		    "P of the path returned", model);
	else
		expect(z[n - 1], -1, 0, "state of an impossible step", model);
	cscg_work_free(&work);
}

/* Forward, backward, Viterbi, gamma and xi. */
static void
passes(const struct cscg_kernel *kern, bool dense, bool soft, double tol,
    const char *name)
{
	struct cscg_rng rng;
	double gamma[MAX_T * MAX_S], xi[3 * MAX_S * MAX_S];
	double sum[3 * MAX_S * MAX_S], got[3 * MAX_S * MAX_S];
	struct brute b = { .gamma = gamma, .xi = xi };
	long impossible = 0;
	int i, e, k;

	compared = 0;
	*off = '\0';
	for (i = 0; i < MODELS; i++) {
		struct cscg_model *m;
		struct cscg_trans *tr;
		struct cscg_walk *w;
		int n;

		cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, (uint64_t)i, soft);
		m = random_model(&rng, soft);
		m->misread = i % 3 == 2 ? .2 : 0;
		w = random_walk(&rng, m);
		tr = need(dense ? cscg_trans_dense(m, kern, &err) :
				  cscg_trans_new(m, kern, &err));
		n = m->n_actions * m->n_states * m->n_states;
		memset(sum, 0, sizeof sum);
		memset(got, 0, sizeof got);
		for (e = 0; e < w->n_episodes; e++) {
			one_episode(m, tr, w, e, &b, tol, dense ? got : NULL,
			    i);
			impossible += b.lik <= 0;
			if (b.lik > 0)
				for (k = 0; k < n; k++)
					sum[k] += xi[k];
		}
		for (k = 0; dense && k < n; k++)
			expect(got[k], sum[k], tol, "xi", i);
		cscg_trans_free(tr);
		cscg_walk_free(w);
		cscg_model_free(m);
	}
	ok(!*off && compared > 10 * MODELS,
	    "%s: %ld numbers of %d models agree with enumeration%s%s", name,
	    compared, MODELS, *off ? ": " : "", off);
	ok(impossible > 0, "%s: some of the walks were impossible (%ld)", name,
	    impossible);
}

/* ---- every pass, over every kind of evidence, by every kernel ---- */

enum kind { CLONE, MISREAD, ROW, GAUSSIAN, KINDS };
static const char *const kind_name[] = { "symbols by clone",
	"symbols with misreading", "emission rows", "Gaussian densities" };
static const double MISREAD_P = .3;
static const double FAR =
    -2000; /* log of densities outside the range of double */

/* Evidence of one episode, as the passes take it and as enumeration does. */
struct told {
	enum kind kind;
	const struct cscg_model *m;
	const struct cscg_trans *tr;
	const int *x;
	double weight[MAX_T * MAX_S];     /* P(x[t] | j) */
	double log_weight[MAX_T * MAX_S]; /* its log, and FAR more */
	char *real; /* [step][stride] weight, as reals of tr */
};

static void
tell(struct told *d, const struct cscg_model *m, const struct cscg_walk *w,
    int e, enum kind kind, struct cscg_rng *rng)
{
	long t, n = w->start[e + 1] - w->start[e];
	int j, S = m->n_states;

	d->kind = kind;
	d->m = m;
	d->x = w->x + w->start[e];
	for (t = 0; t < n; t++)
		for (j = 0; j < S; j++) {
			double p = kind == GAUSSIAN ?
			    exp(-8 * cscg_rng_uniform(rng)) :
			    cscg_model_E(m, j, d->x[t] < 0 ? 0 : d->x[t]);

			if (kind == MISREAD)
				p = (1 - MISREAD_P) * p + MISREAD_P / m->n_obs;
			/* Rare symbols make SIMD messages need scaling. */
			if (kind == ROW && d->x[t] % 2 == 0)
				p *= 1e-11;
			if (d->x[t] < 0)
				p = 1;
			d->weight[t * S + j] = p;
			d->log_weight[t * S + j] = log(p) + FAR;
		}
}

static void
told_at(const struct cscg_evidence *ev, long t, struct cscg_span *s)
{
	const struct told *d = ev->ctx;
	int x = d->x[t], S = d->m->n_states, lo, hi;

	s->hi = S;
	if (x < 0)
		return;
	for (lo = 0; lo < S && d->m->clone[lo] < x; lo++)
		;
	for (hi = lo; hi < S && d->m->clone[hi] == x; hi++)
		;
	switch (d->kind) {
	case CLONE:
		s->lo = lo;
		s->hi = hi;
		break;
	case MISREAD:
		s->inner_lo = lo;
		s->inner_hi = hi;
		s->floor = MISREAD_P / d->m->n_obs;
		s->top = 1 - MISREAD_P + s->floor;
		break;
	case ROW:
		s->weight = d->real +
		    (size_t)t * d->tr->stride * d->tr->kern->size;
		break;
	default:
		s->log_weight = d->log_weight + t * S;
	}
}

/* Values that the callbacks received. */
struct got {
	const struct cscg_trans *tr;
	const struct cscg_evidence *ev;
	double visits[MAX_T][64], gamma[MAX_T][MAX_S];
	double counts[3 * MAX_S * MAX_S], pairs[3 * MAX_S * MAX_S];
	double entries[3 * MAX_S * MAX_S], rest[3 * MAX_S], start[MAX_S];
};

static double *
got_visits(void *ctx, long t)
{
	return ((struct got *)ctx)->visits[t];
}

static void
got_gamma(void *ctx, long t, const struct cscg_span *s, const void *gamma)
{
	struct got *g = ctx;

	g->tr->kern->get(gamma, g->gamma[t] + s->lo, s->hi - s->lo);
}

static void
got_pair(void *ctx, long t, const void *alpha, const void *v, double scale)
{
	struct got *g = ctx;
	const struct cscg_kernel *k = g->tr->kern;
	struct cscg_span from = { 0 }, to = { 0 };
	double T[MAX_S], f[MAX_S], b[MAX_S];
	int S = g->tr->n_states, i, j, a = g->ev->a[t];

	g->ev->at(g->ev, t, &from);
	g->ev->at(g->ev, t + 1, &to);
	if (g->tr->simd) {
		from.lo = to.lo = 0;
		from.hi = to.hi = S;
	}
	/* Logs may be outside the range of get(). */
	(k->is_log ? cscg_plain_double.get : k->get)(alpha, f,
	    from.hi - from.lo);
	(k->is_log ? cscg_plain_double.get : k->get)(v, b, to.hi - to.lo);
	for (i = from.lo; i < from.hi; i++) {
		cscg_trans_row(g->tr, a, i, T);
		for (j = to.lo; j < to.hi; j++)
			g->pairs[(a * S + i) * S + j] += T[j] *
			    (k->is_log ?
				    exp(f[i - from.lo] + b[j - to.lo] +
					scale) :
				    f[i - from.lo] * b[j - to.lo] * scale);
	}
}

static void
check_backward(const struct cscg_model *m, const struct cscg_walk *w, int e,
    const struct cscg_evidence *ev, const struct cscg_trans *tr,
    struct cscg_work *work, const struct brute *b, double tol, int model)
{
	struct got g = { .tr = tr, .ev = ev };
	const struct cscg_sink sink = { .counts = g.counts,
		.entries = g.entries,
		.rest = g.rest,
		.start = g.start,
		.visits = got_visits,
		.posterior = got_gamma,
		.pair = got_pair,
		.ctx = &g };
	double start[MAX_S] = { 0 };
	int S = m->n_states, a, j, k, r;
	long t, i;

	expect((double)cscg_pass_backward(tr, ev, work, &sink), -1, 0,
	    "step of an underflow", model);
	for (t = 0; t < ev->n; t++)
		for (j = 0; j < S; j++) {
			expect(g.gamma[t][j], b->gamma[t * S + j], tol,
			    "posterior", model);
			expect(g.visits[t][j], b->gamma[t * S + j], tol,
			    "visits", model);
			if (cscg_walk_starts_run(w, e, w->start[e] + t))
				start[j] += b->gamma[t * S + j];
		}
	for (j = 0; j < S; j++)
		expect(g.start[j], start[j], tol, "starts", model);
	for (a = 0; a < m->n_actions; a++)
		for (j = 0; j < S; j++) {
			double rest = 0;

			r = a * S + j;
			for (k = 0; k < S; k++) {
				double xi = b->xi[r * S + k];

				expect(g.counts[r * S + k], xi, tol, "counts",
				    model);
				expect(g.pairs[r * S + k], xi, tol, "pairs",
				    model);
				rest += xi;
			}
			for (i = tr->first[r]; i < tr->first[r + 1]; i++) {
				double xi = b->xi[r * S + tr->to[i]];

				expect(g.entries[i], xi, tol, "entries",
				    model);
				rest -= xi;
			}
			expect(g.rest[r], rest, tol, "rest of a row", model);
		}
}

/* The message of the last step without its evidence, over its span. */
static void
check_last(const struct cscg_model *m, const struct cscg_walk *w, int e,
    const struct cscg_evidence *ev, const struct cscg_trans *tr,
    const struct cscg_work *work, const struct told *d, double tol, int model)
{
	double weight[MAX_T * MAX_S], gamma[MAX_T * MAX_S], p[MAX_S] = { 0 };
	double xi[3 * MAX_S * MAX_S], sum = 0;
	struct brute b = { .gamma = gamma, .xi = xi, .weight = weight };
	int S = m->n_states, j;
	struct cscg_span s = { 0 };

	ev->at(ev, ev->n - 1, &s);
	if (tr->simd) {
		s.lo = 0;
		s.hi = S;
	}
	memcpy(weight, d->weight, sizeof weight);
	for (j = 0; j < S; j++)
		weight[(ev->n - 1) * S + j] = j >= s.lo && j < s.hi;
	brute_paths(m, w, e, &b);
	tr->kern->get(cscg_work_last(work, tr), p + s.lo, s.hi - s.lo);
	for (j = 0; j < S; j++)
		sum += p[j];
	for (j = 0; j < S; j++)
		expect(p[j] / sum, gamma[(ev->n - 1) * S + j], tol,
		    "last message", model);
}

/* The first step at which the prefix has probability 0. */
static long
first_impossible(const struct cscg_model *m, const struct cscg_walk *w, int e,
    const struct told *d)
{
	double weight[MAX_T * MAX_S], gamma[MAX_T * MAX_S];
	double xi[3 * MAX_S * MAX_S];
	struct brute b = { .gamma = gamma, .xi = xi, .weight = weight };
	long n = w->start[e + 1] - w->start[e], t, i;
	int S = m->n_states;

	for (t = 0; t < n; t++) {
		memcpy(weight, d->weight, sizeof weight);
		for (i = (t + 1) * S; i < n * S; i++)
			weight[i] = 1;
		brute_paths(m, w, e, &b);
		if (b.lik <= 0)
			break;
	}
	return t;
}

static void
check_passes(struct told *d, const struct cscg_walk *w, int e,
    const struct brute *b, const struct cscg_trans *tr, long chunk, double tol,
    int model)
{
	const struct cscg_model *m = d->m;
	struct cscg_work work = { .chunk = chunk };
	struct cscg_evidence ev = cscg_evidence_walk(tr, w, e);
	double loglik, logp, far = 0;
	int S = m->n_states, z[MAX_T];
	long t, bad;

	d->tr = tr;
	ev.at = told_at;
	ev.ctx = d;
	for (t = 0; t < ev.n; t++) {
		char *to = d->real + (size_t)t * tr->stride * tr->kern->size;

		memset(to, 0, tr->stride * tr->kern->size);
		tr->kern->set(to, d->weight + t * S, S);
		far += d->kind == GAUSSIAN && d->x[t] >= 0 ? FAR : 0;
	}
	need(cscg_pass_forward(tr, &ev, &work, &loglik, &err) < 0 ? NULL : d);
	expect(loglik, b->lik > 0 ? log(b->lik) + far : -INFINITY, tol,
	    "log P", model);
	if (b->lik > 0 && isfinite(loglik)) {
		expect((double)work.n_possible, (double)ev.n, 0,
		    "possible steps", model);
		check_last(m, w, e, &ev, tr, &work, d, tol, model);
		check_backward(m, w, e, &ev, tr, &work, b, tol, model);
	} else if (b->lik <= 0) {
		bad = first_impossible(m, w, e, d);
		expect((double)work.n_possible, (double)bad, tr->simd ? 1 : 0,
		    "the first impossible step", model);
	}
	need(cscg_pass_viterbi(tr, &ev, &work, z, &logp, &err) < 0 ? NULL : d);
	expect(logp, b->best > 0 ? log(b->best) + far : -INFINITY, tol,
	    "log P of the best path", model);
	if (b->best > 0)
		expect(brute_path(m, w, e, d->weight, z), b->best, tol,
		    "P of the path returned", model);
	else
		expect(z[ev.n - 1], -1, 0, "state of an impossible step",
		    model);
	cscg_work_free(&work);
}

/* The kernels: simd 0 and on, then plain. */
static struct cscg_trans *
trans_for(const struct cscg_model *m, int kernel, double *tol,
    const char **name)
{
	const struct cscg_simd *simd = kernel < 3 ? NULL :
						    cscg_cpu_simd(kernel - 3);

	*tol = kernel == 0 ? 1e-10 : kernel == 1 ? 1e-9 : 4e-5;
	*name = kernel == 0 ? "double" :
	    kernel == 1     ? "logs" :
	    kernel == 2     ? "single" :
	    simd            ? simd->name :
			      NULL;
	if (!*name)
		return NULL;
	return need(kernel == 1 ?
		cscg_trans_schema(m, &cscg_plain_log, &err) :
		cscg_trans_select(m, simd, kernel == 0, &err));
}

static void
evidence(enum kind kind, int kernel)
{
	double gamma[MAX_T * MAX_S], xi[3 * MAX_S * MAX_S], tol = 0;
	long impossible = 0, resets = 0, dropouts = 0, t;
	const char *name = NULL;
	struct told d;
	struct brute b = { .gamma = gamma, .xi = xi, .weight = d.weight };
	int i, e;

	compared = 0;
	*off = '\0';
	d.real = need(aligned_alloc(CSCG_ALIGN, MAX_T * 64 * sizeof(double)));
	for (i = 0; i < MODELS / 4; i++) {
		struct cscg_rng rng;
		struct cscg_model *m;
		struct cscg_walk *w;
		struct cscg_trans *tr;

		cscg_rng_seed(&rng, 4, CSCG_RNG_TEST, (uint64_t)i, kind);
		m = random_model(&rng, kind == ROW);
		w = random_walk(&rng, m);
		tr = trans_for(m, kernel, &tol, &name);
		for (t = 0; t < w->n_steps; t++) {
			dropouts += w->x[t] < 0;
			resets += w->reset && w->reset[t];
		}
		for (e = 0; e < w->n_episodes; e++) {
			tell(&d, m, w, e, kind, &rng);
			brute_paths(m, w, e, &b);
			impossible += b.lik <= 0;
			check_passes(&d, w, e, &b, tr, i % 4, tol, i);
		}
		cscg_trans_free(tr);
		cscg_walk_free(w);
		cscg_model_free(m);
	}
	free(d.real);
	ok(!*off && compared > 30 * MODELS && resets && dropouts &&
		(impossible || kind == MISREAD || kind == GAUSSIAN),
	    "%s, %s: %ld numbers of all passes agree with enumeration%s%s",
	    kind_name[kind], name, compared, *off ? ": " : "", off);
}

/* Results of the enumeration for a whole walk. */
struct truth {
	double loglik, sum[3 * MAX_S * MAX_S], start[MAX_S];
};

static void
enumerate(const struct cscg_model *m, const struct cscg_walk *w,
    struct truth *t)
{
	double gamma[MAX_T * MAX_S], xi[3 * MAX_S * MAX_S];
	struct brute b = { .gamma = gamma, .xi = xi };
	int e, j, k, S = m->n_states;
	long at;

	memset(t, 0, sizeof *t);
	for (e = 0; e < w->n_episodes; e++) {
		brute_paths(m, w, e, &b);
		t->loglik += b.lik > 0 ? log(b.lik) : -INFINITY;
		for (k = 0; k < m->n_actions * S * S; k++)
			t->sum[k] += xi[k];
		for (at = w->start[e]; at < w->start[e + 1]; at++)
			if (at == w->start[e] || (w->reset && w->reset[at]))
				for (j = 0; j < S; j++)
					t->start[j] +=
					    gamma[(at - w->start[e]) * S + j];
	}
}

/* One EM step against enumeration, then the objective along many more. */
static bool
em_model(int i, const struct cscg_estep_options *set, double tol, long *falls)
{
	const double pseudocount = 0.05;
	struct cscg_em em = { .iterations = 1 };
	struct cscg_em_progress line;
	struct cscg_estep *engine;
	struct cscg_model *m, *after;
	struct cscg_walk *w;
	struct cscg_rng rng;
	struct truth t;
	double before, row, n = 0;
	int a, j, k, S;

	cscg_rng_seed(&rng, 2, CSCG_RNG_TEST, (uint64_t)i, 0);
	m = random_model(&rng, false);
	m->misread = i % 3 == 2 ? .2 : 0;
	m->pseudocount = pseudocount;
	w = random_walk(&rng, m);
	S = m->n_states;
	enumerate(m, w, &t);
	engine = need(cscg_estep_new(m, w, set, &err));
	after = need(cscg_model_copy(m, &err));
	need(engine->load(engine, m, NULL, &err) < 0 ? NULL : m);
	if (isinf(t.loglik)) {
		compared++;
		if (cscg_em_T(engine, w->n_steps, pseudocount, &em, &line,
			&err) == 0 ||
		    err.code != CSCG_ERANGE)
			snprintf(off, sizeof off,
			    "model %d: an impossible walk was learned", i);
		goto out;
	}
	need(cscg_em_T(engine, w->n_steps, pseudocount, &em, &line, &err) < 0 ?
		NULL :
		m);
	need(engine->store(engine, after, 0, &err) < 0 ? NULL : m);
	for (j = 0; j < S; j++)
		n += t.start[j];
	for (j = 0; j < S && set->learn_pi; j++)
		expect(after->pi[j], t.start[j] / n, tol, "pi after one step",
		    i);
	for (a = 0; a < m->n_actions; a++)
		for (j = 0; j < S; j++) {
			const double *c = t.sum + (a * S + j) * S;

			for (row = pseudocount * S, k = 0; k < S; k++)
				row += c[k];
			for (k = 0; k < S; k++)
				expect(cscg_model_T(after, a, j, k),
				    (c[k] + pseudocount) / row, tol,
				    "T after one step", i);
			expect(cscg_model_row_sum(after, a, j),
			    row - pseudocount * S, tol, "counts of a row", i);
		}
	before = line.objective;
	em.iterations = 1;
	for (k = 0; k < 15; k++) {
		need(cscg_em_T(engine, w->n_steps, pseudocount, &em, &line,
			 &err) < 0 ?
			NULL :
			m);
		*falls += line.objective < before -
			(set->is_double ? 1e-12 : 1e-5) * (1 + fabs(before));
		before = line.objective;
	}
out:
	cscg_estep_free(engine);
	cscg_model_free(after);
	cscg_walk_free(w);
	cscg_model_free(m);
	return !isinf(t.loglik);
}

static void
em_steps(const struct cscg_estep_options *set, double tol, const char *name)
{
	long falls = 0, runs = 0;
	int i;

	compared = 0;
	*off = '\0';
	for (i = 0; i < MODELS; i++)
		runs += em_model(i, set, tol, &falls);
	ok(!*off && compared > MODELS,
	    "%s: one EM step of %ld models agrees with enumeration (%ld "
	    "numbers)%s%s",
	    name, runs, compared, *off ? ": " : "", off);
	ok(falls == 0 && runs > MODELS / 2 && runs < MODELS,
	    "%s: the objective never fell in %ld runs of 15 iterations", name,
	    runs);
}

/* Give all states of a group the emissions of its first. */
static void
tie(struct cscg_model *m)
{
	long first[MAX_S + 1] = { 0 }, n = 0, i;
	int obs[MAX_S * 4], j, lead = 0;
	double p[MAX_S * 4];

	for (j = 0; j < m->n_states; j++) {
		if (j && m->clone[j] != m->clone[j - 1])
			lead = j;
		for (i = m->e_first[lead]; i < m->e_first[lead + 1]; i++) {
			obs[n] = m->e_obs[i];
			p[n++] = m->e_p[i];
		}
		first[j + 1] = n;
	}
	memcpy(m->e_first, first, ((size_t)m->n_states + 1) * sizeof *first);
	memcpy(m->e_obs, obs, (size_t)n * sizeof *obs);
	memcpy(m->e_p, p, (size_t)n * sizeof *p);
}

/* One update of E against enumeration, then the objective along many more. */
static bool
bind_model(int i, const struct cscg_bind *how, double tol, long *falls)
{
	double gamma[MAX_T * MAX_S], xi[3 * MAX_S * MAX_S], pi[MAX_S];
	double E[MAX_S * 4], want[MAX_S * 4] = { 0 }, start[MAX_S] = { 0 };
	double visits[MAX_S * 4], old_pi[MAX_S];
	struct brute b = { .gamma = gamma, .xi = xi };
	struct cscg_bind set = *how;
	struct cscg_em_progress line;
	struct cscg_model *m;
	struct cscg_walk *w;
	struct cscg_rng rng;
	double total = 0, sum, n = 0, before;
	int e, j, k, x, S, K;
	long t;

	cscg_rng_seed(&rng, 3, CSCG_RNG_TEST, (uint64_t)i, 0);
	m = random_model(&rng, true);
	m->misread = i % 3 == 2 ? .2 : 0;
	if (set.tied)
		tie(m);
	w = random_walk(&rng, m);
	S = m->n_states;
	K = m->n_obs;
	for (j = 0; j < S; j++) {
		old_pi[j] = pi[j] = m->pi ? m->pi[j] : 1.0 / S;
		for (x = 0; x < K; x++)
			E[j * K + x] = cscg_model_E_unmixed(m, j, x);
	}
	for (e = 0; e < w->n_episodes; e++) {
		brute_paths(m, w, e, &b);
		total += b.lik > 0 ? log(b.lik) : -INFINITY;
		for (t = w->start[e]; t < w->start[e + 1]; t++)
			for (j = 0; j < S; j++) {
				double g = gamma[(t - w->start[e]) * S + j];

				if (w->x[t] >= 0)
					want[j * K + w->x[t]] += g;
				if (t == w->start[e] ||
				    (w->reset && w->reset[t]))
					start[j] += g;
			}
	}
	set.iterations = 1;
	if (isinf(total)) {
		compared++;
		if (cscg_bind(m, w, &set, E, pi, &line, &err) == 0 ||
		    err.code != CSCG_ERANGE)
			snprintf(off, sizeof off,
			    "model %d: an impossible walk was bound", i);
		goto out;
	}
	need(cscg_bind_visits(m, w, &set, E, pi, visits, &err) < 0 ? NULL : m);
	for (j = 0; j < S * K; j++)
		expect(visits[j], want[j], tol, "visits", i);
	/* P(not misread | symbol, state) by Bayes' rule. */
	for (j = 0; j < S * K; j++)
		want[j] *= m->misread > 0 ? (1 - m->misread) * E[j] /
			((1 - m->misread) * E[j] + m->misread / K) :
					    1;
	need(cscg_bind(m, w, &set, E, pi, &line, &err) < 0 ? NULL : m);
	for (j = 0; j < S; j++)
		n += start[j];
	for (j = 0; j < S; j++)
		expect(pi[j], set.learn_pi ? start[j] / n : old_pi[j], tol,
		    "pi after one step", i);
	for (j = 0; j < S; j++) {
		double row[4] = { 0 };

		for (sum = 0, x = 0; x < K; x++) {
			for (k = 0; k < S; k++)
				if (k == j ||
				    (set.tied && m->clone[k] == m->clone[j]))
					row[x] += want[k * K + x];
			sum += row[x] += set.pseudocount;
		}
		for (x = 0; x < K; x++)
			expect(E[j * K + x], row[x] / sum, tol,
			    "E after one step", i);
	}
	before = line.objective;
	for (k = 0; k < 15; k++) {
		need(cscg_bind(m, w, &set, E, pi, &line, &err) < 0 ? NULL : m);
		*falls += line.objective < before -
			(set.is_double ? 1e-12 : 1e-5) * (1 + fabs(before));
		before = line.objective;
	}
out:
	cscg_walk_free(w);
	cscg_model_free(m);
	return !isinf(total);
}

static void
bind_steps(const struct cscg_bind *set, double tol, const char *name)
{
	long falls = 0, runs = 0;
	int i;

	compared = 0;
	*off = '\0';
	for (i = 0; i < MODELS; i++)
		runs += bind_model(i, set, tol, &falls);
	ok(!*off && compared > MODELS,
	    "bind, %s, %s: one EM step on E of %ld models agrees with "
	    "enumeration (%ld numbers)%s%s",
	    name, set->tied ? "tied" : "free", runs, compared,
	    *off ? ": " : "", off);
	ok(falls == 0 && runs > MODELS / 2 && runs < MODELS,
	    "bind, %s, %s: the objective never fell in %ld runs of 15 "
	    "iterations",
	    name, set->tied ? "tied" : "free", runs);
}

/* Give each row without counts a transition, since the beam requires one. */
static void
fill_rows(struct cscg_model *m)
{
	struct cscg_count c[6 * MAX_S * MAX_S];
	long r, i, n = 0;
	int S = m->n_states;

	for (r = 0; r < (long)m->n_actions * S; r++) {
		for (i = m->first[r]; i < m->first[r + 1]; i++)
			c[n++] = (struct cscg_count){ (int)(r / S),
				(int)(r % S), m->to[i], m->count[i] };
		if (m->first[r] == m->first[r + 1])
			c[n++] = (struct cscg_count){ (int)(r / S),
				(int)(r % S), 0, 1 };
	}
	need(cscg_model_set_counts(m, c, n, &err) < 0 ? NULL : m);
}

/*
 * One E-step by a beam that keeps all states, or all but impossible ones.  Without
 * misreading these include the states of other symbols.
 */
static bool
beam_model(int i, double share)
{
	double counts[3 * MAX_S * MAX_S], start[MAX_S], visits[MAX_S];
	double gamma[MAX_T * MAX_S], xi[3 * MAX_S * MAX_S], other = 0, total;
	double seen[MAX_S] = { 0 };
	struct brute b = { .gamma = gamma, .xi = xi };
	struct cscg_beam_result r = {
		.counts = counts, .start = start, .visits = visits
	};
	struct cscg_beam *beam;
	struct cscg_model *m;
	struct cscg_walk *w;
	struct cscg_rng rng;
	struct truth t;
	int e, j, S, a;
	long at, k;

	cscg_rng_seed(&rng, 5, CSCG_RNG_TEST, (uint64_t)i, 0);
	m = random_model(&rng, false);
	m->misread = i % 2 ? .2 : 0;
	m->pseudocount = 0;
	fill_rows(m);
	w = random_walk(&rng, m);
	S = m->n_states;
	enumerate(m, w, &t);
	total = t.loglik;
	if (!isinf(total)) {
		beam = need(cscg_beam_new(w, share, &err));
		need(cscg_beam_expect(beam, m, &r, &err) < 0 ? NULL : m);
		expect(r.loglik, total, 1e-10, "log P by a beam", i);
		for (e = 0; e < w->n_episodes; e++) {
			brute_paths(m, w, e, &b);
			for (at = w->start[e]; at < w->start[e + 1]; at++)
				for (j = 0; j < S; j++) {
					double g =
					    gamma[(at - w->start[e]) * S + j];

					seen[j] += g;
					if (w->x[at] >= 0 &&
					    m->clone[j] != w->x[at])
						other += g;
				}
		}
		expect(r.misread, other, 1e-10, "misread symbols", i);
		for (j = 0; j < S; j++) {
			expect(visits[j], seen[j], 1e-10, "visits", i);
			expect(start[j], t.start[j], 1e-10, "start", i);
			for (a = 0; a < m->n_actions; a++)
				for (k = m->first[a * S + j];
				     k < m->first[a * S + j + 1]; k++)
					expect(counts[k],
					    t.sum[(a * S + j) * S + m->to[k]],
					    1e-10, "counts", i);
		}
		cscg_beam_free(beam);
	}
	cscg_walk_free(w);
	cscg_model_free(m);
	return !isinf(total);
}

static void
beams(void)
{
	int i, runs = 0;

	compared = 0;
	*off = '\0';
	for (i = 0; i < MODELS; i++)
		runs += beam_model(i, i % 4 < 2 ? 0 : 1e-200);
	ok(!*off && runs > MODELS / 2,
	    "an E-step by a beam of all states: %ld numbers of %d models "
	    "agree with enumeration%s%s",
	    compared, runs, *off ? ": " : "", off);
}

/*
 * A message through permutations of states whose sources have near numbers, far
 * ones, or both, with a second entry for some: SIMD reads windows of near ones.
 */
static void
windows(const struct cscg_simd *simd)
{
	enum { S = 100, A = 5 };
	static struct cscg_count c[2 * A * S];
	struct cscg_model *m = need(cscg_model_new(CSCG_SCHEMA, S, A, 1,
	    &err));
	struct cscg_trans *fast, *exact;
	struct cscg_work work = { 0 };
	struct cscg_span all = { .hi = S };
	double in[S], want[S], scale[2], E[S], sum;
	float *from, *to;
	int a, j, k;
	long n = 0;
	struct cscg_rng rng;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 9, 0);
	for (a = 0; a < A; a++)
		for (j = 0; j < S; j++) {
			k = a == 0 ? (j + 1) % S :
			    a == 1 ? (j + 37) % S :
			    a == 2 ? S - 1 - j :
			    a == 3 ? j * 51 % S :
			    j % 17 ? (j + 1) % S :
				     (j + 53) % S;
			c[n++] = (struct cscg_count){ a, j, k, 2 + j % 3 };
			if (a == 4 && j % 5 == 0 && k != j)
				c[n++] = (struct cscg_count){ a, j, j, 1 };
		}
	need(cscg_model_set_counts(m, c, n, &err) < 0 ? NULL : m);
	m->pseudocount = .01;
	fast = need(cscg_trans_select(m, simd, false, &err));
	exact = need(cscg_trans_select(m, NULL, true, &err));
	for (j = 0; j < S; j++)
		E[j] = 1;
	need(cscg_trans_set_E(fast, E, 1, &err) < 0 ? NULL : m);
	need(cscg_trans_set_E(exact, E, 1, &err) < 0 ? NULL : m);
	from = need(cscg_alloc_aligned(2 * fast->stride, sizeof *from, 64,
	    &err));
	to = from + fast->stride;
	for (a = 0; a < A; a++) {
		for (sum = 0, j = 0; j < S; j++)
			sum += in[j] = cscg_rng_uniform(&rng);
		for (j = 0; j < S; j++)
			from[j] = (float)(in[j] /= sum);
		all = cscg_trans_span(exact, 0);
		cscg_pass_predict(exact, a, &all, in, &work, want, &scale[0],
		    &err);
		cscg_work_free(&work);
		all = cscg_trans_span(fast, 0);
		cscg_pass_predict(fast, a, &all, from, &work, to, &scale[1],
		    &err);
		cscg_work_free(&work);
		for (sum = 0, j = 0; j < S; j++)
			sum = fmax(sum,
			    fabs(to[j] * exp(scale[1]) -
				want[j] * exp(scale[0])));
		ok(sum < 1e-7, "%s, permutation %d: %g", simd->name, a, sum);
	}
	free(from);
	cscg_trans_free(fast);
	cscg_trans_free(exact);
	cscg_model_free(m);
}

int
main(void)
{
	struct cscg_bind bind = { .pseudocount = 0.05 };
	struct cscg_estep_options set = { .threads = 1 };
	const struct cscg_simd *simd;
	char name[100];
	enum kind kind;
	int i;

	for (i = 0; i < 8; i++) {
		bool dense = i & 1, soft = i & 2, single = i & 4;

		snprintf(name, sizeof name, "%s, %s T, emissions by %s",
		    single ? "single" : "double", dense ? "dense" : "thin",
		    soft ? "row" : "clone");
		passes(single ? &cscg_plain_float : &cscg_plain_double, dense,
		    soft, single ? 2e-5 : 1e-10, name);
	}
	for (i = 0; i < 3 || cscg_cpu_simd(i - 3); i++)
		for (kind = 0; kind < KINDS; kind++)
			evidence(kind, i);
	for (i = 0; (simd = cscg_cpu_simd(i)) != NULL; i++)
		windows(simd);
	beams();
	em_steps(&set, 2e-5, "single");
	set.is_double = true;
	em_steps(&set, 1e-10, "double");
	set.learn_pi = true;
	em_steps(&set, 1e-10, "double, learned pi");
	set.is_double = false;
	em_steps(&set, 2e-5, "single, learned pi");
	for (i = 0; (simd = cscg_cpu_simd(i)) != NULL; i++) {
		set = (struct cscg_estep_options){ .simd = simd,
			.learn_pi = true,
			.low_memory = i % 2,
			.threads = 1 };
		snprintf(name, sizeof name, "%s%s", simd->name,
		    i % 2 ? ", low memory" : "");
		em_steps(&set, 2e-5, name);
	}
	for (i = 0; i < 4; i++) {
		bind.tied = i & 1;
		bind.learn_pi = i & 2;
		bind.is_double = true;
		bind.simd = NULL;
		bind_steps(&bind, 1e-10, "double");
		bind.is_double = false;
		bind_steps(&bind, 3e-5, "single");
		bind.simd = cscg_cpu_simd(i);
		if (bind.simd)
			bind_steps(&bind, 3e-5, bind.simd->name);
	}
	return done();
}
