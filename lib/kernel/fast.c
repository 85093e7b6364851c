/*
 * fast.c - the fast engine: packed blocks, one matrix product per group
 *
 * Where do the bytes come from?  A chain of messages runs in the order of
 * time.  A piece (a group within a unit) is summed by one thread in the order
 * of time, and pieces are added as whole numbers, which no order can change.
 * Log-likelihoods are added in the order of units.  So the result is the same
 * for any number of threads, with or without low_memory.
 *
 * And for any number of ranks: each has whole units of the walk, in their
 * order, and the groups of all.  Counts are added over ranks when they are
 * accepted; T is then made of them by each rank for itself.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/fast.h"
#include "base/mem.h"

/* A count below this share of the pseudocount is none: T does not show it. */
static const double MIN_SHARE = 1.0 / 5000;

void
cscg_blocked_parallel(struct cscg_blocked *f, long n,
    void (*fn)(struct cscg_blocked *, long))
{
	long i;

	if (f->threads > 1 && n > 1) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(f->threads)
		for (i = 0; i < n; i++)
			fn(f, i);
	} else {
		for (i = 0; i < n; i++)
			fn(f, i);
	}
}

/* ---- T and pi ---- */

void
cscg_blocked_set_pi(struct cscg_blocked *f)
{
	int x, j;

	for (x = 0; x < f->w->head.n_obs; x++)
		for (j = f->clones[x]; j < f->clones[x + 1]; j++)
			f->pi[f->pi_at[x] + (size_t)(j - f->clones[x])] =
			    (float)f->pi_d[j];
}

/* ---- counts as they were loaded ---- */

/* Call fn for every count as it was loaded. */
static void
for_each_loaded(struct cscg_blocked *f, void (*fn)(void *ctx, int a, int j, int k,
    double c), void *ctx)
{
	const struct cscg_model *m = f->loaded;
	struct cscg_rng rng = f->rng;
	int a, j, k;
	long i;

	f->cursor_row = -1;
	for (a = 0; a < f->A; a++)
		for (j = 0; j < f->S; j++) {
			long row = (long)a * f->S + j;

			for (k = 0; !m && k < f->S; k++)
				fn(ctx, a, j, k, cscg_rng_uniform(&rng));
			for (i = m ? m->first[row] : 0;
			    m && i < m->first[row + 1]; i++)
				fn(ctx, a, j, m->to[i], m->count[i]);
		}
}

/*
 * Where in the blocks is T[a][j][k]?  -1: nowhere.  Asked row by row with k
 * ascending, so that a cursor finds the group.
 */
static long
block_index(struct cscg_blocked *f, int a, int j, int k)
{
	int x = f->symbol[j], y = f->symbol[k];
	long panel = (long)a * f->w->head.n_obs + x;
	const struct cscg_pack_group *q = f->pack->group;

	if (f->cursor_row != (long)a * f->S + j) {
		f->cursor_row = (long)a * f->S + j;
		f->cursor = f->panel[panel];
	}
	while (f->cursor < f->panel[panel + 1] && q[f->cursor].to < y)
		f->cursor++;
	if (f->cursor == f->panel[panel + 1] || q[f->cursor].to != y)
		return -1;
	q += f->cursor;
	return (long)(q->block + (size_t)(j - f->clones[x]) * q->cols_pad +
	    (size_t)(k - f->clones[y]));
}

/* Of one row, the counts outside the blocks, with the pseudocount. */
struct outside {
	struct cscg_blocked *f;
	double *v;
	long row, n;
};

static void
end_row(struct outside *o)
{
	struct cscg_blocked *f = o->f;

	if (o->n)
		f->rest_log[o->row] += f->simd->log_sum(o->v, o->n) -
		    (double)o->n * log(f->pseudocount);
	o->n = 0;
}

static void
log_one(void *ctx, int a, int j, int k, double c)
{
	struct outside *o = ctx;
	long row = (long)a * o->f->S + j;

	if (row != o->row)
		end_row(o);
	o->row = row;
	if (block_index(o->f, a, j, k) < 0)
		o->v[o->n++] = c + o->f->pseudocount;
}

/* The sum of log(c + p) over the entries of each row outside the blocks. */
static void
log_rest(struct cscg_blocked *f)
{
	struct outside o = { f, f->outside, 0, 0 };
	long row;
	int a, j, g, missing;

	if (f->pseudocount <= 0)
		return;
	for (row = 0; row < (long)f->A * f->S; row++) {
		a = (int)(row / f->S);
		j = (int)(row % f->S);
		missing = f->S;
		for (g = f->panel[(long)a * f->w->head.n_obs + f->symbol[j]];
		    g < f->panel[(long)a * f->w->head.n_obs + f->symbol[j] +
		    1]; g++)
			missing -= (int)f->pack->group[g].cols;
		f->rest_log[row] = missing * log(f->pseudocount);
	}
	for_each_loaded(f, log_one, &o);
	end_row(&o);
}

/* Make vectors of group q that are not there, of T and the counts. */
static void
fill_missing(struct cscg_blocked *f, const struct cscg_pack_group *q, const float *level,
    const float *ones)
{
	uint32_t width = (uint32_t)f->pack->width, j, k, c;

	for (j = 0; j < q->rows; j++)
		for (c = 0; c < q->cols_pad / width; c++) {
			size_t at = q->block + (size_t)j * q->cols_pad +
			    c * width;

			if (f->live[q->live + j] >> c & 1)
				continue;
			for (k = 0; k < width; k++) {
				f->T[at + k] = level[j] * ones[c * width + k];
				f->counts[at + k] = 0;
			}
		}
	cscg_blocked_set_live(f, q, true, f->live);
}

/* How the chains pass through group g, and the transposed block. */
static void
set_blocks(struct cscg_blocked *f, int g)
{
	const struct cscg_pack_group *q = &f->pack->group[g];
	const float *T = f->T + q->block, *ones = f->ones + f->pi_at[q->to];
	const float *level = f->level + (size_t)q->a * f->n_pi +
	    f->pi_at[q->from];
	float *transposed = f->transposed + q->transposed;
	uint16_t *col = f->row + q->row, *col_back = f->row + q->row_back;
	struct cscg_sparsify s = { .block = T, .level = level, .rows = q->rows,
	    .rows_pad = q->rows_pad, .cols_pad = q->cols_pad,
	    .live = f->live + q->live,
	    .forward = { f->bundles + q->bundles, col, col + q->max_bundles, q->max_bundles },
	    .backward = { transposed, col_back, col_back + q->max_bundles_back,
	    q->max_bundles_back }, .n_back = -1 };

	if (q->max_bundles && f->n_counts[g] <= (long)q->max_bundles * CSCG_BUNDLE *
	    f->pack->width)
		f->simd->sparsify(&s);
	if (s.n_back < 0) {
		if (q->max_bundles)
			fill_missing(f, q, level, ones);
		f->simd->transpose(T, q->rows, q->cols_pad, q->cols, transposed,
		    q->rows_pad);
	}
	f->block[2 * g] = (struct cscg_block){ s.n_back < 0 ? T : NULL,
	    s.forward.value, ones, level, s.forward.col, s.forward.row, (uint32_t)s.n,
	    q->rows, q->rows_pad, q->cols_pad };
	f->block[2 * g + 1] = (struct cscg_block){ s.n_back < 0 ? transposed : NULL,
	    s.backward.value, level, ones, s.backward.col, s.backward.row,
	    (uint32_t)s.n_back, q->cols, q->cols_pad, q->rows_pad };
}

/*
 * The norms of the rows of one action and symbol, and what T is where nothing
 * was counted.  Returns their part of the sum of log T.
 */
static double
set_norms(struct cscg_blocked *f, long row, int n, int missing, float *level)
{
	double p = f->pseudocount, norm, prior = 0;
	int j;

	for (j = 0; j < n; j++, row++) {
		norm = p * f->S + f->rest[row] +
		    (double)f->row_sum[row] * f->unit;
		/* A row without counts and pseudocount is uniform. */
		f->row_add[row] = norm > 0 ? p : 1;
		f->row_by[row] = 1 / (norm > 0 ? norm : f->S);
		level[j] = (float)(f->row_add[row] * f->row_by[row]);
		if (p > 0)
			prior += (f->as_loaded ? f->rest_log[row] :
			    missing * log(p)) - f->S * log(norm);
	}
	return prior;
}

/* The counts of group g that were accepted. */
static void
make_counts(struct cscg_blocked *f, int g)
{
	const struct cscg_pack_group *q = &f->pack->group[g];

	if (!f->low_memory)
		cscg_blocked_count_group(f, g);
	memcpy(f->live + q->live, f->live_next + q->live,
	    q->rows * sizeof *f->live);
}

/* Which vectors of a group's counts are there; NULL: all, always. */
static const uint64_t *
live_of(const struct cscg_blocked *f, const struct cscg_pack_group *q)
{
	return q->max_bundles ? f->live + q->live : NULL;
}

/* All rows of one action and symbol. */
static void
set_panel(struct cscg_blocked *f, long i)
{
	int a = (int)(i / f->w->head.n_obs), x = (int)(i % f->w->head.n_obs);
	int n = f->clones[x + 1] - f->clones[x], missing = f->S, g;
	long row = (long)a * f->S + f->clones[x];
	const struct cscg_pack_group *q = f->pack->group;
	double p = f->pseudocount, prior;
	int64_t low = (int64_t)(p * MIN_SHARE / f->unit);

	memset(f->row_sum + row, 0, (size_t)n * sizeof *f->row_sum);
	for (g = f->panel[i]; g < f->panel[i + 1]; g++) {
		if (f->pending)
			make_counts(f, g);
		f->n_counts[g] = f->simd->sums(f->counts + q[g].block, low,
		    q[g].rows, q[g].cols_pad, live_of(f, &q[g]),
		    f->row_sum + row);
		missing -= (int)q[g].cols;
	}
	prior = set_norms(f, row, n, missing, f->level + (size_t)a * f->n_pi +
	    f->pi_at[x]);
	for (g = f->panel[i]; g < f->panel[i + 1]; g++) {
		struct cscg_count_rows r = { f->counts + q[g].block, f->unit,
		    (double)low * f->unit, f->row_add + row, f->row_by + row,
		    f->ones + f->pi_at[q[g].to], f->T + q[g].block, q[g].rows,
		    q[g].cols_pad, p > 0, live_of(f, &q[g]), 0 };

		prior += f->simd->rows(&r);
		/* What is not there counts as p, columns that pad have. */
		if (p > 0)
			prior += ((double)q[g].rows * q[g].cols -
			    (double)r.n) * log(p);
		set_blocks(f, g);
	}
	f->prior[i] = prior;
}

static double
set_T(struct cscg_estep *e, double pseudocount)
{
	struct cscg_blocked *f = (struct cscg_blocked *)e;
	long i, n = (long)f->A * f->w->head.n_obs;
	double prior = 0;

	f->pseudocount = pseudocount;
	f->min_count = MIN_SHARE / 4 * pseudocount;
	if (f->as_loaded)
		log_rest(f);
	cscg_blocked_parallel(f, n, set_panel);
	f->pending = false;
	for (i = 0; i < n; i++)
		prior += f->prior[i];
	return prior;
}

/* ---- counts in and out ---- */

static void
max_count(void *ctx, int a, int j, int k, double c)
{
	double *largest = ctx;

	(void)a;
	(void)j;
	(void)k;
	if (c > *largest)
		*largest = c;
}

static void
load_one(void *ctx, int a, int j, int k, double c)
{
	struct cscg_blocked *f = ctx;
	long at = block_index(f, a, j, k);

	if (at >= 0)
		f->counts[at] = (int64_t)(c / f->unit + 0.5);
	else
		f->rest[(long)a * f->S + j] += c;
}

static int
load(struct cscg_estep *e, const struct cscg_model *m, struct cscg_rng *rng,
    struct cscg_err *err)
{
	struct cscg_blocked *f = (struct cscg_blocked *)e;
	double largest = 1;
	int g;

	(void)err;
	f->loaded = rng ? NULL : m;
	if (rng)
		f->rng = *rng;
	f->as_loaded = true;
	f->pending = false;
	memset(f->counts, 0, f->pack->n_block * sizeof *f->counts);
	for (g = 0; g < f->pack->n_groups; g++)
		cscg_blocked_set_live(f, &f->pack->group[g], true, f->live);
	memset(f->rest, 0, (size_t)f->A * (size_t)f->S * sizeof *f->rest);
	/* As fine as whole numbers can be, and a row must not overflow. */
	if (!rng)
		for_each_loaded(f, max_count, &largest);
	f->unit = ldexp(1, (int)ceil(log2(largest)) - 45);
	for_each_loaded(f, load_one, f);
	return 0;
}

/*
 * Only now do the counts have to be there, in place of those of before; as
 * long as nobody asks but set_T(), they are made there, block by block, so that
 * they are still near.
 */
static void
accept_next(struct cscg_estep *e)
{
	struct cscg_blocked *f = (struct cscg_blocked *)e;
	double sum = 0;
	int j;

	f->pending = true;
	if (f->low_memory)
		cscg_blocked_recompute(f);
	if (cscg_ranks_size(f->ranks) > 1)
		cscg_blocked_add_ranks(f);
	f->unit = ldexp(1, -f->bits);
	memset(f->rest, 0, (size_t)f->A * (size_t)f->S * sizeof *f->rest);
	f->as_loaded = false;
	if (!f->learn_pi)
		return;
	for (j = 0; j < f->S; j++)
		sum += (double)f->start[j];
	for (j = 0; j < f->S; j++)
		f->pi_d[j] = (double)f->start[j] / sum;
	cscg_blocked_set_pi(f);
}

/* Counts on their way into a model. */
struct collected {
	struct cscg_count *c;
	long n;
	double floor;
};

static void
collect_one(void *ctx, int a, int j, int k, double c)
{
	struct collected *t = ctx;

	if (c <= t->floor)
		return;
	if (t->c)
		t->c[t->n] = (struct cscg_count){ a, j, k, c };
	t->n++;
}

void
cscg_blocked_finish_counts(struct cscg_blocked *f)
{
	int g;

	for (g = 0; f->pending && g < f->pack->n_groups; g++)
		make_counts(f, g);
	f->pending = false;
}

static void
collect_all(struct cscg_blocked *f, struct collected *t)
{
	const struct cscg_pack_group *g;
	uint32_t j, k;
	int i;

	cscg_blocked_finish_counts(f);
	t->n = 0;
	if (f->as_loaded) {
		for_each_loaded(f, collect_one, t);
		return;
	}
	for (i = 0; i < f->pack->n_groups; i++) {
		g = &f->pack->group[i];
		for (j = 0; j < g->rows; j++)
			for (k = 0; k < g->cols; k++)
				if (!g->max_bundles || (f->live[g->live + j] >> k /
				    (uint32_t)f->pack->width & 1))
					collect_one(t, g->a, f->clones[g->from] + (int)j,
				    f->clones[g->to] + (int)k,
				    f->unit * (double)f->counts[g->block +
				    (size_t)j * g->cols_pad + k]);
	}
}

static int
store(struct cscg_estep *e, struct cscg_model *m, double floor,
    struct cscg_err *err)
{
	struct cscg_blocked *f = (struct cscg_blocked *)e;
	struct collected t = { NULL, 0, floor };
	int rc;

	/* Counts that T does not show need not be kept either. */
	if (!f->as_loaded && floor < MIN_SHARE * f->pseudocount)
		t.floor = MIN_SHARE * f->pseudocount;

	if (f->learn_pi) {
		free(m->pi);
		m->pi = cscg_copy(f->pi_d, (size_t)f->S, sizeof *m->pi, err);
		if (!m->pi)
			return -1;
	}
	collect_all(f, &t);
	t.c = cscg_alloc((size_t)t.n, sizeof *t.c, err);
	if (!t.c)
		return -1;
	collect_all(f, &t);
	rc = cscg_model_set_counts(m, t.c, t.n, err);
	free(t.c);
	return rc;
}

/* ---- making and unmaking ---- */

static void
blocked_free(struct cscg_estep *e)
{
	struct cscg_blocked *f = (struct cscg_blocked *)e;

	cscg_pack_free(f->pack);
	free(f->clones);
	free(f->symbol);
	free(f->T);
	free(f->transposed);
	free(f->block);
	free(f->bundles);
	free(f->row);
	free(f->live);
	free(f->live_next);
	free(f->n_counts);
	free(f->row_sum);
	free(f->row_add);
	free(f->row_by);
	free(f->level);
	free(f->ones);
	free(f->counts);
	free(f->rest);
	free(f->rest_log);
	free(f->outside);
	free(f->panel);
	free(f->prior);
	free(f->pi);
	free(f->pi_at);
	free(f->pi_d);
	free(f->start);
	cscg_blocked_messages_free(f);
	free(f);
}

float *
cscg_blocked_reals(size_t n, struct cscg_err *err)
{
	return cscg_alloc_aligned(n, sizeof(float), CSCG_ALIGN, err);
}

/* Room for T, counts and pi. */
static int
new_blocks(struct cscg_blocked *f, struct cscg_err *err)
{
	const struct cscg_pack *p = f->pack;
	size_t rows = (size_t)f->A * (size_t)f->S, n = 0;
	size_t panels = (size_t)f->A * (size_t)f->w->head.n_obs, i;
	int x, j, g = 0;

	f->T = cscg_blocked_reals(p->n_block, err);
	f->block = cscg_alloc_aligned(2 * (size_t)p->n_groups, sizeof *f->block,
	    CSCG_ALIGN, err);
	f->bundles = cscg_blocked_reals(p->n_bundle_reals, err);
	f->row = cscg_alloc_aligned(p->n_row, sizeof *f->row, CSCG_ALIGN, err);
	f->live = cscg_alloc(p->n_live, sizeof *f->live, err);
	f->live_next = cscg_alloc(p->n_live, sizeof *f->live, err);
	f->n_counts = cscg_alloc((size_t)p->n_groups, sizeof *f->n_counts, err);
	f->row_sum = cscg_alloc(rows, sizeof *f->row_sum, err);
	f->row_add = cscg_alloc(rows, sizeof *f->row_add, err);
	f->row_by = cscg_alloc(rows, sizeof *f->row_by, err);
	f->transposed = cscg_blocked_reals(p->n_transposed, err);
	f->counts = cscg_alloc(p->n_block, sizeof *f->counts, err);
	f->rest = cscg_alloc(rows, sizeof *f->rest, err);
	f->rest_log = cscg_alloc(rows, sizeof *f->rest_log, err);
	f->panel = cscg_alloc(panels + 1, sizeof *f->panel, err);
	f->prior = cscg_alloc(panels, sizeof *f->prior, err);
	f->pi_at = cscg_alloc((size_t)f->w->head.n_obs, sizeof *f->pi_at, err);
	f->start = cscg_alloc((size_t)f->S, sizeof *f->start, err);
	f->outside = cscg_alloc((size_t)f->S, sizeof *f->outside, err);
	if (!f->T || !f->block || !f->bundles || !f->row || !f->transposed ||
	    !f->live || !f->live_next || !f->n_counts || !f->row_sum || !f->row_add || !f->row_by ||
	    !f->counts || !f->rest ||
	    !f->rest_log || !f->panel || !f->prior || !f->pi_at || !f->start ||
	    !f->outside)
		return -1;
	for (i = 0; i < panels; i++) {
		f->panel[i] = g;
		while (g < p->n_groups && (size_t)p->group[g].a *
		    (size_t)f->w->head.n_obs + (size_t)p->group[g].from == i)
			g++;
	}
	f->panel[panels] = g;
	for (x = 0; x < f->w->head.n_obs; x++) {
		f->pi_at[x] = n;
		n += cscg_blocked_width(f, x);
		if (cscg_blocked_width(f, x) > f->widest)
			f->widest = cscg_blocked_width(f, x);
	}
	f->n_pi = n;
	f->pi = cscg_blocked_reals(n, err);
	f->ones = cscg_blocked_reals(n, err);
	f->level = cscg_blocked_reals(n * (size_t)f->A, err);
	if (!f->pi || !f->ones || !f->level)
		return -1;
	for (x = 0; x < f->w->head.n_obs; x++)
		for (j = 0; j < f->clones[x + 1] - f->clones[x]; j++)
			f->ones[f->pi_at[x] + (size_t)j] = 1;
	return 0;
}

/*
 * Short vectors waste less on padding: take them where long ones would fill
 * 15 % more.
 */
static const struct cscg_simd *
best_width(struct cscg_ranks *ranks, const struct cscg_walk *w,
    const int *clones, const struct cscg_simd *simd)
{
	const struct cscg_simd *s = simd->narrow;
	int64_t need[2] = { 0, 0 };	/* floats, wide and narrow */
	long t;

	if (!s)
		return simd;
	for (t = 0; t < w->n_steps; t++) {
		int n = clones[w->x[t] + 1] - clones[w->x[t]];

		need[0] += (n + simd->width - 1) / simd->width * simd->width;
		need[1] += (n + s->width - 1) / s->width * s->width;
	}
	cscg_ranks_sum(ranks, need, 2);
	return (double)need[0] > 1.15 * (double)need[1] ? s : simd;
}

/* Threads that wait for each other cost more than small work brings. */
static bool
use_threads(const struct cscg_walk *w, const struct cscg_model *m)
{
	double clones = (double)m->n_states / m->n_obs;

	return (double)w->n_steps * clones * clones > 2e6;
}

static int
expect(struct cscg_estep *e, bool counts, double *loglik,
    struct cscg_err *err)
{
	(void)err;
	cscg_blocked_pass((struct cscg_blocked *)e, counts, loglik);
	return 0;
}

struct cscg_estep *
cscg_estep_blocked(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_estep_options *set, struct cscg_err *err)
{
	static const struct cscg_estep ops = { load, set_T, expect,
	    accept_next, store, blocked_free, NULL, 1e-6, 2 * FLT_EPSILON,
	    cscg_blocked_save, cscg_blocked_restore };
	struct cscg_blocked *f = cscg_alloc(1, sizeof *f, err);
	int64_t steps = w->n_steps;
	int j;

	if (cscg_ranks_agree(set->ranks, f ? 0 : -1, 0, err) < 0) {
		free(f);
		return NULL;
	}
	f->base = ops;
	f->base.name = set->simd->name;
	f->w = w;
	f->ranks = set->ranks;
	cscg_ranks_sum(f->ranks, &steps, 1);
	f->S = m->n_states;
	f->A = m->n_actions;
	f->threads = use_threads(w, m) ? set->threads : 1;
	f->learn_pi = set->learn_pi;
	f->low_memory = set->low_memory;
	/* A piece of 512 transitions must stay below 2^51, all below 2^62. */
	f->bits = 61 - (int)ceil(log2((double)steps + 1));
	if (f->bits > 41)
		f->bits = 41;
	f->clones = cscg_alloc((size_t)m->n_obs + 1, sizeof *f->clones, err);
	f->symbol = cscg_copy(m->clone, (size_t)f->S, sizeof *f->symbol, err);
	f->pi_d = cscg_alloc((size_t)f->S, sizeof *f->pi_d, err);
	if (cscg_ranks_agree(f->ranks, f->clones && f->symbol && f->pi_d ? 0 :
	    -1, 0, err) < 0)
		goto fail;
	cscg_model_groups(m, f->clones);
	f->simd = best_width(f->ranks, w, f->clones, set->simd);
	f->pack = cscg_blocked_pack(f, err);
	if (!f->pack || cscg_ranks_agree(f->ranks, new_blocks(f, err), 0,
	    err) < 0 || cscg_blocked_messages_new(f, err) < 0)
		goto fail;
	for (j = 0; j < f->S; j++)
		f->pi_d[j] = m->pi ? m->pi[j] : 1.0 / f->S;
	cscg_blocked_set_pi(f);
	return &f->base;
fail:
	blocked_free(&f->base);
	return NULL;
}
