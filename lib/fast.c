/*
 * fast.c - the fast engine: packed blocks, one matrix product per group
 *
 * Where do the bytes come from?  A chain of messages runs in the order of
 * time.  A piece (a group within a unit) is summed by one thread in the order
 * of time, and pieces are added as whole numbers, which no order can change.
 * Log-likelihoods are added in the order of runs.  So the result is the same
 * for any number of threads, with or without low_memory.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fast.h"
#include "mem.h"

/* A count below this share of the pseudocount is none: T does not show it. */
static const double LEAST = 1.0 / 5000;

void
cscg_fast_each(struct cscg_fast *f, long n,
    void (*fn)(struct cscg_fast *, long))
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

static void
set_pi(struct cscg_fast *f)
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
each_loaded(struct cscg_fast *f, void (*fn)(void *ctx, int a, int j, int k,
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
place(struct cscg_fast *f, int a, int j, int k)
{
	int x = f->symbol[j], y = f->symbol[k];
	long panel = (long)a * f->w->head.n_obs + x;
	const struct cscg_group *q = f->pack->group;

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

/* Of the entries outside the blocks, each count adds log(c + p) - log(p). */
static void
log_one(void *ctx, int a, int j, int k, double c)
{
	struct cscg_fast *f = ctx;

	if (place(f, a, j, k) < 0)
		f->rest_log[(long)a * f->S + j] += log(c + f->pseudocount) -
		    log(f->pseudocount);
}

static void
log_rest(struct cscg_fast *f)
{
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
	each_loaded(f, log_one, f);
}

/*
 * Row j of the groups first..last-1, which share action and symbol; *level is
 * T where nothing was counted.
 */
static double
set_row(struct cscg_fast *f, long row, uint32_t j, int first, int last,
    float *level)
{
	const struct cscg_group *g;
	double p = f->pseudocount, least = p * LEAST, norm, prior = 0;
	int64_t sum = 0, low = (int64_t)(least / f->unit);
	int i, missing = f->S;

	for (i = first; i < last; i++) {
		g = &f->pack->group[i];
		sum += f->simd->sum(f->counts + g->block +
		    (size_t)j * g->cols_pad, low, g->cols);
	}
	norm = p * f->S + f->rest[row] + (double)sum * f->unit;
	*level = (float)(norm > 0 ? p / norm : 1.0 / f->S);
	for (i = first; i < last; i++) {
		size_t at;

		g = &f->pack->group[i];
		at = g->block + (size_t)j * g->cols_pad;
		/* A row without counts and pseudocount is uniform. */
		prior += f->simd->row(f->counts + at, f->unit,
		    (double)low * f->unit, norm > 0 ? p : 1,
		    norm > 0 ? 1 / norm : 1.0 / f->S, f->T + at, g->cols,
		    g->cols_pad);
		missing -= (int)g->cols;
	}
	if (p <= 0)
		return 0;
	prior += f->fresh ? f->rest_log[row] : missing * log(p);
	return prior - f->S * log(norm);
}

/* How the chains pass through group g, and the transposed block. */
static void
set_links(struct cscg_fast *f, int g)
{
	const struct cscg_group *q = &f->pack->group[g];
	struct cscg_link *fwd = &f->link[2 * g], *bwd = fwd + 1;
	const float *level = f->level + (size_t)q->a * f->n_pi +
	    f->pi_at[q->from];
	const float *from = f->T + q->block;
	float *to = f->turned + q->turned;
	uint16_t have[CSCG_THIN_MAX];

	*fwd = (struct cscg_link){ .block = from, .rows = q->rows,
	    .cols = q->cols_pad, .rows_pad = q->rows_pad,
	    .value = f->value + q->thin, .index = f->index + q->thin,
	    .up = f->ones + f->pi_at[q->to], .down = level };
	*bwd = (struct cscg_link){ .block = to, .rows = q->cols,
	    .cols = q->rows_pad, .rows_pad = q->cols_pad,
	    .value = f->value + q->thin_turned,
	    .index = f->index + q->thin_turned,
	    .up = level, .down = f->ones + f->pi_at[q->to] };
	if (q->depth) {
		struct cscg_thin t = { .block = from, .level = level,
		    .rows = q->rows, .cols = q->cols,
		    .rows_pad = q->rows_pad, .cols_pad = q->cols_pad,
		    .most = q->depth, .value = f->value + q->thin,
		    .value_back = f->value + q->thin_turned,
		    .index = f->index + q->thin,
		    .index_back = f->index + q->thin_turned, .have = have };

		f->simd->gather(&t);
		fwd->thin = t.thin;
		fwd->depth = t.depth;
		bwd->thin = t.thin_back;
		bwd->depth = t.depth_back;
	}
	if (!bwd->thin)
		f->simd->turn(from, q->rows, q->cols_pad, q->cols, to,
		    q->rows_pad);
}

/* All rows of one action and symbol. */
static void
set_panel(struct cscg_fast *f, long i)
{
	int a = (int)(i / f->w->head.n_obs), x = (int)(i % f->w->head.n_obs);
	int first = f->panel[i], last = f->panel[i + 1], g, j;
	float *level = f->level + (size_t)a * f->n_pi + f->pi_at[x];

	f->prior[i] = 0;
	for (j = 0; j < f->clones[x + 1] - f->clones[x]; j++)
		f->prior[i] += set_row(f, (long)a * f->S + f->clones[x] + j,
		    (uint32_t)j, first, last, level + j);
	for (g = first; g < last; g++)
		set_links(f, g);
}

static double
set_T(struct cscg_engine *e, double pseudocount)
{
	struct cscg_fast *f = (struct cscg_fast *)e;
	long i, n = (long)f->A * f->w->head.n_obs;
	double prior = 0;

	f->pseudocount = pseudocount;
	if (f->fresh)
		log_rest(f);
	cscg_fast_each(f, n, set_panel);
	for (i = 0; i < n; i++)
		prior += f->prior[i];
	return prior;
}

/* ---- counts in and out ---- */

static void
largest(void *ctx, int a, int j, int k, double c)
{
	double *most = ctx;

	(void)a;
	(void)j;
	(void)k;
	if (c > *most)
		*most = c;
}

static void
load_one(void *ctx, int a, int j, int k, double c)
{
	struct cscg_fast *f = ctx;
	long at = place(f, a, j, k);

	if (at >= 0)
		f->counts[at] = (int64_t)(c / f->unit + 0.5);
	else
		f->rest[(long)a * f->S + j] += c;
}

static int
load(struct cscg_engine *e, const struct cscg_model *m, struct cscg_rng *rng,
    struct cscg_err *err)
{
	struct cscg_fast *f = (struct cscg_fast *)e;
	double most = 1;

	(void)err;
	f->loaded = rng ? NULL : m;
	if (rng)
		f->rng = *rng;
	f->fresh = true;
	memset(f->counts, 0, f->pack->n_block * sizeof *f->counts);
	memset(f->rest, 0, (size_t)f->A * (size_t)f->S * sizeof *f->rest);
	/* As fine as whole numbers can be, and a row must not overflow. */
	if (!rng)
		each_loaded(f, largest, &most);
	f->unit = ldexp(1, (int)ceil(log2(most)) - 45);
	each_loaded(f, load_one, f);
	return 0;
}

static void
accept_next(struct cscg_engine *e)
{
	struct cscg_fast *f = (struct cscg_fast *)e;
	int64_t *swap = f->counts;
	double sum = 0;
	int j;

	f->counts = f->next;
	f->next = swap;
	f->unit = ldexp(1, -f->bits);
	memset(f->rest, 0, (size_t)f->A * (size_t)f->S * sizeof *f->rest);
	f->fresh = false;
	if (!f->learn_pi)
		return;
	for (j = 0; j < f->S; j++)
		sum += f->start[j];
	for (j = 0; j < f->S; j++)
		f->pi_d[j] = f->start[j] / sum;
	set_pi(f);
}

/* Counts on their way into a model. */
struct taken {
	struct cscg_count *c;
	long n;
	double floor;
};

static void
take_one(void *ctx, int a, int j, int k, double c)
{
	struct taken *t = ctx;

	if (c <= t->floor)
		return;
	if (t->c)
		t->c[t->n] = (struct cscg_count){ a, j, k, c };
	t->n++;
}

static void
take_all(struct cscg_fast *f, struct taken *t)
{
	const struct cscg_group *g;
	uint32_t j, k;
	int i;

	t->n = 0;
	if (f->fresh) {
		each_loaded(f, take_one, t);
		return;
	}
	for (i = 0; i < f->pack->n_groups; i++) {
		g = &f->pack->group[i];
		for (j = 0; j < g->rows; j++)
			for (k = 0; k < g->cols; k++)
				take_one(t, g->a, f->clones[g->from] + (int)j,
				    f->clones[g->to] + (int)k,
				    f->unit * (double)f->counts[g->block +
				    (size_t)j * g->cols_pad + k]);
	}
}

static int
store(struct cscg_engine *e, struct cscg_model *m, double floor,
    struct cscg_err *err)
{
	struct cscg_fast *f = (struct cscg_fast *)e;
	struct taken t = { NULL, 0, floor };
	int rc;

	/* Counts that T does not show need not be kept either. */
	if (!f->fresh && floor < LEAST * f->pseudocount)
		t.floor = LEAST * f->pseudocount;

	if (f->learn_pi) {
		free(m->pi);
		m->pi = cscg_copy(f->pi_d, (size_t)f->S, sizeof *m->pi, err);
		if (!m->pi)
			return -1;
	}
	take_all(f, &t);
	t.c = cscg_alloc((size_t)t.n, sizeof *t.c, err);
	if (!t.c)
		return -1;
	take_all(f, &t);
	rc = cscg_model_set_counts(m, t.c, t.n, err);
	free(t.c);
	return rc;
}

/* ---- making and unmaking ---- */

static void
fast_free(struct cscg_engine *e)
{
	struct cscg_fast *f = (struct cscg_fast *)e;

	cscg_pack_free(f->pack);
	free(f->clones);
	free(f->symbol);
	free(f->T);
	free(f->turned);
	free(f->link);
	free(f->value);
	free(f->index);
	free(f->level);
	free(f->ones);
	free(f->counts);
	free(f->next);
	free(f->rest);
	free(f->rest_log);
	free(f->panel);
	free(f->prior);
	free(f->pi);
	free(f->pi_at);
	free(f->pi_d);
	free(f->start);
	cscg_message_free(f);
	free(f);
}

float *
cscg_reals(size_t n, struct cscg_err *err)
{
	return cscg_alloc_aligned(n, sizeof(float), CSCG_ALIGN, err);
}

/* Room for T, counts and pi. */
static int
new_blocks(struct cscg_fast *f, struct cscg_err *err)
{
	const struct cscg_pack *p = f->pack;
	size_t rows = (size_t)f->A * (size_t)f->S, n = 0;
	size_t panels = (size_t)f->A * (size_t)f->w->head.n_obs, i;
	int x, j, g = 0;

	f->T = cscg_reals(p->n_block, err);
	f->link = cscg_alloc(2 * (size_t)p->n_groups, sizeof *f->link, err);
	f->value = cscg_reals(p->n_thin, err);
	f->index = cscg_alloc(p->n_thin, sizeof *f->index, err);
	f->turned = cscg_reals(p->n_turned, err);
	f->counts = cscg_alloc(p->n_block, sizeof *f->counts, err);
	f->next = cscg_alloc(p->n_block, sizeof *f->next, err);
	f->rest = cscg_alloc(rows, sizeof *f->rest, err);
	f->rest_log = cscg_alloc(rows, sizeof *f->rest_log, err);
	f->panel = cscg_alloc(panels + 1, sizeof *f->panel, err);
	f->prior = cscg_alloc(panels, sizeof *f->prior, err);
	f->pi_at = cscg_alloc((size_t)f->w->head.n_obs, sizeof *f->pi_at, err);
	f->start = cscg_alloc((size_t)f->S, sizeof *f->start, err);
	if (!f->T || !f->link || !f->value || !f->index || !f->turned ||
	    !f->counts || !f->next || !f->rest ||
	    !f->rest_log || !f->panel || !f->prior || !f->pi_at || !f->start)
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
		n += cscg_fast_width(f, x);
		if (cscg_fast_width(f, x) > f->widest)
			f->widest = cscg_fast_width(f, x);
	}
	f->n_pi = n;
	f->pi = cscg_reals(n, err);
	f->ones = cscg_reals(n, err);
	f->level = cscg_reals(n * (size_t)f->A, err);
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
best_width(const struct cscg_walk *w, const int *clones,
    const struct cscg_simd *simd)
{
	const struct cscg_simd *s = simd->narrow;
	double wide = 0, narrow = 0;
	long t;

	if (!s)
		return simd;
	for (t = 0; t < w->n_steps; t++) {
		int n = clones[w->x[t] + 1] - clones[w->x[t]];

		wide += (n + simd->width - 1) / simd->width * simd->width;
		narrow += (n + s->width - 1) / s->width * s->width;
	}
	return wide > 1.15 * narrow ? s : simd;
}

/* Threads that wait for each other cost more than small work brings. */
static bool
worth_threads(const struct cscg_walk *w, const struct cscg_model *m)
{
	double clones = (double)m->n_states / m->n_obs;

	return (double)w->n_steps * clones * clones > 2e6;
}

static int
expect(struct cscg_engine *e, bool counts, double *loglik,
    struct cscg_err *err)
{
	(void)err;
	cscg_message_pass((struct cscg_fast *)e, counts, loglik);
	return 0;
}

struct cscg_engine *
cscg_engine_fast(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_engine_set *set, struct cscg_err *err)
{
	static const struct cscg_engine ops = { load, set_T, expect,
	    accept_next, store, fast_free, NULL, 1e-6, 2 * FLT_EPSILON };
	struct cscg_fast *f = cscg_alloc(1, sizeof *f, err);
	int j;

	if (!f)
		return NULL;
	f->base = ops;
	f->base.name = set->simd->name;
	f->w = w;
	f->S = m->n_states;
	f->A = m->n_actions;
	f->threads = worth_threads(w, m) ? set->threads : 1;
	f->learn_pi = set->learn_pi;
	f->low_memory = set->low_memory;
	/* A piece of 512 transitions must stay below 2^51, all below 2^62. */
	f->bits = 61 - (int)ceil(log2((double)w->n_steps + 1));
	if (f->bits > 41)
		f->bits = 41;
	f->clones = cscg_alloc((size_t)m->n_obs + 1, sizeof *f->clones, err);
	f->symbol = cscg_copy(m->clone, (size_t)f->S, sizeof *f->symbol, err);
	f->pi_d = cscg_alloc((size_t)f->S, sizeof *f->pi_d, err);
	if (!f->clones || !f->symbol || !f->pi_d)
		goto fail;
	cscg_model_groups(m, f->clones);
	f->simd = best_width(w, f->clones, set->simd);
	f->pack = cscg_pack_new(w, f->clones, f->simd->width, err);
	if (!f->pack || new_blocks(f, err) < 0 || cscg_message_new(f, err) < 0)
		goto fail;
	for (j = 0; j < f->S; j++)
		f->pi_d[j] = m->pi ? m->pi[j] : 1.0 / f->S;
	set_pi(f);
	return &f->base;
fail:
	fast_free(&f->base);
	return NULL;
}
