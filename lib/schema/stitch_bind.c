/* stitch_bind.c - EM on E for the blocks of a stitched prior */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "kernel/passes.h"
#include "learn/restarts.h"
#include "schema/stitch_bind.h"

/*
 * The number of successive rounds without improvement that ends a start: one
 * for each threshold of the share of faulty steps of a block.
 */
enum { FAILED_ROUNDS_MAX = 3 };
static const double MAX_FAULT_SHARE[FAILED_ROUNDS_MAX] = { 1.0 / 20, 1.0 / 100,
	0 };

/* Weight of random emissions mixed into blocks that are not reset. */
static const double RESET_NOISE = 0.1;

/* One start and its result. */
struct restart_run {
	const struct cscg_stitch_bind *options;
	struct cscg_bind set;
	struct cscg_bind_work work;
	long restart;
	size_t S, K;
	double *E, *best; /* [S][K]: the present E, and the best of this
	                     start */
	double *random_E; /* [S][K] */
	double *pi;
	struct cscg_em_progress last; /* of best, ... */
	struct cscg_trans *tr;        /* ... and its most probable path: */
	int *path;                    /* [steps] */
	long *visits;                 /* [S][K] */
	long *jumps; /* [blocks] transitions from or to it that the prior
	                lacks */
	struct cscg_em_log log; /* reported later in order */
	struct cscg_err err;
	struct cscg_pool mem;
};

/* Data shared by all starts. */
struct restart_search {
	const struct cscg_stitch_bind *options;
	double *E, *pi; /* of the best start */
	struct cscg_em_progress *last;
	struct cscg_bind set;
};

/* ---- reports ---- */

static int
record_report(struct restart_run *c, const char *stage,
    const struct cscg_em_progress *line)
{
	if (!c->options->report)
		return 0;
	if (cscg_em_log_add(&c->log, stage, line) < 0)
		c->err = c->log.err;
	return c->log.rc;
}

static int
on_em_progress(void *ctx, const struct cscg_em_progress *line)
{
	return record_report(ctx, "bind", line);
}

/* ---- one start ---- */

static int
restart_run_new(struct restart_run *c, const struct cscg_stitch_bind *options,
    const struct cscg_bind *set, long restart)
{
	struct cscg_pool *mem;
	size_t S = (size_t)options->blocks.prior->n_states;
	size_t K = (size_t)options->w->head.n_obs;
	size_t n = (size_t)options->w->n_steps,
	       blocks = (size_t)options->blocks.n_blocks;

	*c = (struct restart_run){ .options = options,
		.set = *set,
		.restart = restart,
		.S = S,
		.K = K };
	c->set.report = on_em_progress;
	c->set.ctx = c;
	c->set.work = &c->work;
	mem = cscg_pool_begin(&c->mem, &c->err);
	c->E = cscg_pool_add(mem, S, K * sizeof *c->E);
	c->best = cscg_pool_add(mem, S, K * sizeof *c->best);
	c->random_E = cscg_pool_add(mem, S, K * sizeof *c->random_E);
	c->pi = cscg_pool_add(mem, S, sizeof *c->pi);
	c->path = cscg_pool_add(mem, n, sizeof *c->path);
	c->visits = cscg_pool_add(mem, S, K * sizeof *c->visits);
	c->jumps = cscg_pool_add(mem, blocks, sizeof *c->jumps);
	c->tr = cscg_trans_schema(options->blocks.prior, &cscg_plain_float,
	    &c->err);
	return !mem->failed && c->tr ? 0 : -1;
}

static void
restart_run_free(void *state)
{
	struct restart_run *c = state;

	cscg_bind_work_free(&c->work);
	cscg_pool_free(&c->mem);
	cscg_trans_free(c->tr);
	cscg_em_log_free(&c->log);
}

/* EM from the present E; *line receives the last progress. */
static int
run_em(struct restart_run *c, struct cscg_em_progress *line)
{
	const struct cscg_model *m = c->options->blocks.prior;
	size_t j;

	for (j = 0; j < c->S; j++)
		c->pi[j] = m->pi ? m->pi[j] : 1 / (double)c->S;
	if (cscg_bind(m, c->options->w, &c->set, c->E, c->pi, line, &c->err) <
	    0)
		return -1;
	return c->log.rc;
}

static void
keep_best(struct restart_run *c, const struct cscg_em_progress *line)
{
	double *swap = c->best;

	c->best = c->E;
	c->E = swap;
	c->last = *line;
}

/* ---- statistics of the path ---- */

int
cscg_stitch_block_of(const int *base, int j)
{
	int k = 0;

	while (j >= base[k + 1])
		k++;
	return k;
}

/* The first frontier at or after (j, a). */
static long
find_frontier(const struct cscg_model *m, int j, int a)
{
	long lo = 0, hi = m->n_frontiers, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (m->frontier[mid].state < j ||
		    (m->frontier[mid].state == j && m->frontier[mid].a < a))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool
is_entry(const struct cscg_model *m, int j)
{
	long i;

	if (m->n_entries)
		return bsearch(&j, m->entry, (size_t)m->n_entries,
			   sizeof *m->entry, cscg_compare_ints) != NULL;
	i = find_frontier(m, j, 0);
	return i < m->n_frontiers && m->frontier[i].state == j;
}

bool
cscg_stitch_is_link(const struct cscg_stitch_blocks *blocks, int a, int j,
    int k)
{
	const struct cscg_model *m = blocks->prior;
	long i = find_frontier(m, j, a);

	return i < m->n_frontiers && m->frontier[i].state == j &&
	    m->frontier[i].a == a && is_entry(m, k) &&
	    cscg_stitch_block_of(blocks->base, j) !=
	    cscg_stitch_block_of(blocks->base, k);
}

bool
cscg_stitch_has_transition(const struct cscg_stitch_blocks *blocks, int a,
    int j, int k)
{
	const struct cscg_model *m = blocks->prior;
	long row = (long)a * m->n_states + j;

	/* A row without counts allows every transition. */
	return m->first[row] == m->first[row + 1] ||
	    cscg_model_find_count(m, a, j, k) >= 0 ||
	    (blocks->is_implicit && cscg_stitch_is_link(blocks, a, j, k));
}

static void
count_step(struct restart_run *c, int e, long t)
{
	const struct cscg_walk *w = c->options->w;
	int z = c->path[t], from = t > w->start[e] ? c->path[t - 1] : -1;

	if (z < 0)
		return;
	if (w->x[t] >= 0)
		c->visits[(size_t)z * c->K + (size_t)w->x[t]]++;
	if (from < 0 || cscg_walk_starts_run(w, e, t) ||
	    cscg_stitch_has_transition(&c->options->blocks, w->a[t - 1], from,
		z))
		return;
	c->jumps[cscg_stitch_block_of(c->options->blocks.base, from)]++;
	c->jumps[cscg_stitch_block_of(c->options->blocks.base, z)]++;
}

/*
 * The most probable path under the best E, and its visits and jumps.  The
 * messages of EM and of Viterbi are large: only one of the two is allocated at
 * a time.
 */
static int
decode_path(struct restart_run *c)
{
	const struct cscg_walk *w = c->options->w;
	struct cscg_work pass = { 0 };
	double logp;
	int e, rc;
	long t;

	cscg_bind_work_free(&c->work);
	cscg_trans_set_pi(c->tr, c->pi);
	if (cscg_trans_set_E(c->tr, c->best, (int)c->K, &c->err) < 0)
		return -1;
	rc = cscg_viterbi_all(c->tr, w, &pass, c->path, &logp, &c->err);
	cscg_work_free(&pass);
	if (rc < 0)
		return -1;
	memset(c->visits, 0, c->S * c->K * sizeof *c->visits);
	memset(c->jumps, 0,
	    (size_t)c->options->blocks.n_blocks * sizeof *c->jumps);
	for (e = 0; e < w->n_episodes; e++)
		for (t = w->start[e]; t < w->start[e + 1]; t++)
			count_step(c, e, t);
	return 0;
}

/*
 * Whether block k is ambiguous: too many faulty steps, or too few states used.
 */
static bool
is_ambiguous(const struct restart_run *c, int k, double share)
{
	int from = c->options->blocks.base[k],
	    to = c->options->blocks.base[k + 1], used = 0, j;
	long all = 0, n_usual = 0, sum, most;
	size_t x;

	for (j = from; j < to; j++) {
		const long *n = c->visits + (size_t)j * c->K;

		for (sum = most = 0, x = 0; x < c->K; x++) {
			sum += n[x];
			most = n[x] > most ? n[x] : most;
		}
		all += sum;
		n_usual += most;
		used += sum > 0;
	}
	return all &&
	    ((double)(all - n_usual + c->jumps[k]) > share * (double)all ||
		used < (to - from) / 2);
}

static long
count_ambiguous(const struct restart_run *c, double share)
{
	long n = 0;
	int k;

	for (k = 0; k < c->options->blocks.n_blocks; k++)
		n += is_ambiguous(c, k, share);
	return n;
}

/* Whether no block is ambiguous, by the path decoded last. */
static bool
is_clean(const struct restart_run *c)
{
	return c->options->reset_rounds && !count_ambiguous(c, 0);
}

/* ---- rounds of resets ---- */

/* Reset the emissions of block k to random ones. */
static void
reset_block(struct restart_run *c, int k)
{
	size_t i = (size_t)c->options->blocks.base[k] * c->K;
	size_t n = (size_t)c->options->blocks.base[k + 1] * c->K - i;

	memcpy(c->E + i, c->random_E + i, n * sizeof *c->E);
}

/*
 * The next E to try.  At share 0 a few faulty steps may be due to only one of
 * the blocks that they touch, for example one bound in the wrong orientation.
 * Therefore one ambiguous block, drawn at random, is reset, and each other
 * with probability 1/2.
 */
static void
perturb(struct restart_run *c, long round, double share, long n_ambiguous)
{
	const struct cscg_stitch_bind *options = c->options;
	struct cscg_rng rng;
	long chosen, u = 0;
	size_t i;
	int k;

	cscg_rng_seed(&rng, options->starts.seed, CSCG_RNG_STITCH,
	    (uint64_t)c->restart, (uint64_t)round);
	cscg_bind_random_E(options->blocks.prior, (int)c->K, false,
	    options->starts.jitter, &rng, c->random_E);
	for (i = 0; i < c->S * c->K; i++)
		c->E[i] = (1 - RESET_NOISE) * c->best[i] +
		    RESET_NOISE * c->random_E[i];
	chosen = cscg_rng_below(&rng, n_ambiguous);
	for (k = 0; k < options->blocks.n_blocks; k++)
		if (is_ambiguous(c, k, share) &&
		    (u++ == chosen || share > 0 ||
			cscg_rng_uniform(&rng) < 0.5))
			reset_block(c, k);
}

static int
reset_ambiguous_blocks(struct restart_run *c)
{
	struct cscg_em_progress line, progress;
	long round, n_ambiguous;
	int n_failed = 0;

	if (!c->options->reset_rounds)
		return 0;
	if (decode_path(c) < 0)
		return -1;
	for (round = 0;
	     round < c->options->reset_rounds && n_failed < FAILED_ROUNDS_MAX;
	     round++) {
		double share = MAX_FAULT_SHARE[round % FAILED_ROUNDS_MAX];

		n_ambiguous = count_ambiguous(c, share);
		if (!n_ambiguous)
			continue;
		n_failed++;
		perturb(c, round, share, n_ambiguous);
		if (run_em(c, &line) < 0)
			return -1;
		if (line.objective > c->last.objective +
			c->set.tolerance * fabs(c->last.objective)) {
			keep_best(c, &line);
			n_failed = 0;
			if (decode_path(c) < 0)
				return -1;
		}
		progress = c->last;
		progress.iteration = round + 1;
		if (record_report(c, "reset", &progress) < 0)
			return -1;
	}
	return 0;
}

static int
run_rounds(struct restart_run *c)
{
	const struct cscg_bind_starts *starts = &c->options->starts;
	struct cscg_em_progress line;
	struct cscg_rng rng;

	cscg_rng_seed(&rng, starts->seed, CSCG_RNG_BIND, (uint64_t)c->restart,
	    starts->key);
	cscg_bind_random_E(c->options->blocks.prior, (int)c->K, false,
	    cscg_bind_starts_jitter(starts, c->restart), &rng, c->E);
	if (run_em(c, &line) < 0)
		return -1;
	keep_best(c, &line);
	if (reset_ambiguous_blocks(c) < 0)
		return -1;
	return record_report(c, "restart", &c->last);
}

/* ---- all starts ---- */

/* A start without ambiguous blocks is better than every other one. */
static int
run_restart(void *ctx, long i, void *state, double *value,
    struct cscg_err *err)
{
	const struct restart_search *r = ctx;
	struct restart_run *c = state;

	restart_run_free(c);
	if (restart_run_new(c, r->options, &r->set, i) < 0 ||
	    run_rounds(c) < 0) {
		*err = c->err;
		return -1;
	}
	*value = is_clean(c) ? INFINITY : c->last.objective;
	return 0;
}

/*
 * Called in the order of starts: make the reports and keep the result if it is
 * the best so far.  Returns 1 if no further start is needed.
 */
static int
finish_restart(void *ctx, long i, void *state, bool better,
    struct cscg_err *err)
{
	const struct restart_search *r = ctx;
	const struct restart_run *c = state;
	bool stop = false;
	size_t k;

	(void)err;
	for (k = 0; k < c->log.n && !stop; k++)
		stop = r->options->report(r->options->ctx,
			   c->log.lines[k].stage, i,
			   &c->log.lines[k].progress) != 0;
	if (better) {
		*r->last = c->last;
		memcpy(r->E, c->best, c->S * c->K * sizeof *r->E);
		memcpy(r->pi, c->pi, c->S * sizeof *r->pi);
	}
	return stop || is_clean(c);
}

int
cscg_stitch_bind(const struct cscg_stitch_bind *options, double *E, double *pi,
    struct cscg_em_progress *last, long *which, struct cscg_err *err)
{
	struct restart_search r = { .options = options,
		.E = E,
		.pi = pi,
		.last = last,
		.set = options->bind };
	struct cscg_restarts restarts = { .run = run_restart,
		.finish = finish_restart,
		.state_size = sizeof(struct restart_run),
		.state_clear = restart_run_free,
		.ctx = &r,
		.in_order = true };
	struct cscg_trans *tr = NULL;
	int rc;

	r.set.tied = r.set.learn_pi = false;
	if (!r.set.tr)
		r.set.tr = tr = cscg_trans_select(options->blocks.prior,
		    r.set.simd, r.set.is_double, err);
	if (!r.set.tr)
		return -1;
	rc = cscg_restarts_run(&restarts, NULL, options->starts.restarts,
	    options->starts.threads, err);
	cscg_trans_free(tr);
	*which = restarts.is_found ? restarts.best : -1;
	return rc;
}
