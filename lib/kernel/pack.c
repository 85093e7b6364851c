/*
 * pack.c - transitions of a walk grouped by (action, symbol, next symbol) for
 * the blocked E-step
 */
#include <stdlib.h>
#include <string.h>

#include "base/keys.h"
#include "base/mem.h"
#include "base/stats.h"
#include "kernel/pack.h"
#include "kernel/simd.h"

static uint64_t
key_of(const struct cscg_walk *w, int a, int from, int to)
{
	return ((uint64_t)a * (uint64_t)w->head.n_obs + (uint64_t)from) *
	    (uint64_t)w->head.n_obs +
	    (uint64_t)to;
}

/* All keys of key_of() are less. */
static uint64_t
n_keys(const struct cscg_walk *w)
{
	return key_of(w, w->head.n_actions, 0, 0);
}

uint64_t *
cscg_pack_keys(const struct cscg_walk *w, size_t *n, struct cscg_err *err)
{
	struct cscg_keys keys;
	uint64_t *sorted;
	long t;

	if (cscg_keys_init(&keys, n_keys(w), err) < 0)
		return NULL;
	for (t = 0; t + 1 < w->n_steps; t++)
		if (cscg_walk_has_transition(w, t) &&
		    cscg_keys_add(&keys,
			key_of(w, w->a[t], w->x[t], w->x[t + 1]), err) < 0) {
			cscg_keys_free(&keys);
			return NULL;
		}
	*n = (size_t)keys.n;
	sorted = keys.n ? keys.key : cscg_alloc(0, sizeof *sorted, err);
	keys.key = NULL;
	cscg_keys_free(&keys);
	if (sorted)
		cscg_sort_keys(sorted, (long)*n);
	return sorted;
}

bool
cscg_pack_is_far(const struct cscg_pack *p)
{
	return (p->n_block + p->n_transposed) * sizeof(float) > 2 << 20;
}

/*
 * The largest number of bundles at which a sparse block is faster.  A sparse
 * block costs as much as 30 vectors of a dense one, plus 10 for each bundle,
 * or half of that where T exceeds the inner caches.  There is room for half of
 * all vectors.
 */
static uint32_t
max_bundles(const struct cscg_pack *p, uint32_t vectors)
{
	bool far = cscg_pack_is_far(p);
	uint32_t fixed = far ? 15 : 30, each = far ? 5 : 10;
	uint32_t limit = vectors > fixed ? (vectors - fixed) / each : 0;

	return limit < vectors / (2 * CSCG_BUNDLE) ?
	    limit :
	    vectors / (2 * CSCG_BUNDLE);
}

static void
set_sparse(struct cscg_pack *p, struct cscg_pack_group *g)
{
	uint32_t cols = g->cols_pad / (uint32_t)p->width;
	uint32_t rows = g->rows_pad / (uint32_t)p->width;

	if (g->rows > CSCG_SPARSE_ROWS_MAX || cols > CSCG_SPARSE_VECTORS_MAX)
		return;
	g->max_bundles = max_bundles(p, g->rows * cols);
	g->max_bundles_back = max_bundles(p, g->cols * rows);
	if (!g->max_bundles || !g->max_bundles_back) {
		g->max_bundles = g->max_bundles_back = 0;
		return;
	}
	g->bundles = p->n_bundle_reals;
	p->n_bundle_reals += (size_t)(g->max_bundles * CSCG_BUNDLE) *
	    (size_t)p->width;
	/* Start and end on cache lines. */
	g->row = p->n_row;
	g->row_back = g->row +
	    (g->max_bundles * (CSCG_BUNDLE + 1) + 31) / 32 * 32;
	p->n_row = g->row_back +
	    (g->max_bundles_back * (CSCG_BUNDLE + 1) + 31) / 32 * 32;
}

static int
set_groups(struct cscg_pack *p, const uint64_t *key, size_t n,
    struct cscg_err *err)
{
	uint64_t K = (uint64_t)p->w->head.n_obs;
	size_t i;

	p->group = cscg_alloc(n, sizeof *p->group, err);
	if (!p->group)
		return -1;
	p->n_groups = (int)n;
	for (i = 0; i < n; i++) {
		struct cscg_pack_group *g = &p->group[i];

		g->to = (int)(key[i] % K);
		g->from = (int)(key[i] / K % K);
		g->a = (int)(key[i] / K / K);
		g->rows = (uint32_t)(p->clones[g->from + 1] -
		    p->clones[g->from]);
		g->cols = (uint32_t)(p->clones[g->to + 1] - p->clones[g->to]);
		g->rows_pad = cscg_pack_pad(p, g->rows);
		g->cols_pad = cscg_pack_pad(p, g->cols);
		g->block = p->n_block;
		g->transposed = p->n_transposed;
		p->n_block += (size_t)g->rows * g->cols_pad;
		p->n_transposed += (size_t)g->cols * g->rows_pad;
		g->live = p->n_live;
		p->n_live += g->rows;
	}
	for (i = 0; i < n; i++)
		set_sparse(p, &p->group[i]);
	return 0;
}

static int
set_runs(struct cscg_pack *p, struct cscg_err *err)
{
	const struct cscg_walk *w = p->w;
	size_t cap = 0;
	long t;

	for (t = 0; t <= w->n_steps; t++) {
		if (t && cscg_walk_has_transition(w, t - 1))
			continue;
		if (cscg_grow(&p->run, &cap, (size_t)p->n_runs + 1,
			sizeof *p->run, err) < 0)
			return -1;
		p->run[p->n_runs++] = t;
	}
	p->n_runs--;
	return 0;
}

/* Units of whole runs; only a run longer than a unit is cut. */
static int
set_units(struct cscg_pack *p, struct cscg_err *err)
{
	long t = 0, r = 0, end;
	size_t cap = 0;

	while (t < p->w->n_steps) {
		struct cscg_pack_unit *u;

		if (cscg_grow(&p->unit, &cap, (size_t)p->n_units + 1,
			sizeof *p->unit, err) < 0)
			return -1;
		u = &p->unit[p->n_units++];
		u->from = t;
		u->run = r;
		end = t + CSCG_PACK_UNIT;
		if (p->run[r + 1] > end) {
			u->to = end;
		} else {
			while (r < p->n_runs && p->run[r + 1] <= end)
				r++;
			u->to = p->run[r];
		}
		t = u->to;
	}
	return 0;
}

/* Sort the transitions of a unit by group; piece_of is scratch. */
static int
set_pieces(struct cscg_pack *p, struct cscg_pack_unit *u, int *piece_of,
    struct cscg_err *err)
{
	size_t width = (size_t)p->width;
	uint32_t at = 0;
	long t;
	int g, i;

	for (g = 0; g < p->n_groups; g++)
		piece_of[g] = 0;
	for (t = u->from; t < u->to; t++)
		if (p->of[t] >= 0)
			piece_of[p->of[t]]++;
	for (g = 0; g < p->n_groups; g++)
		u->n_pieces += piece_of[g] > 0;
	u->piece = cscg_alloc((size_t)u->n_pieces, sizeof *u->piece, err);
	if (!u->piece)
		return -1;
	for (i = g = 0; g < p->n_groups; g++) {
		struct cscg_pack_piece *q = &u->piece[i];
		const struct cscg_pack_group *gr = &p->group[g];

		if (!piece_of[g])
			continue;
		q->group = g;
		q->unit = (int)(u - p->unit);
		p->group[g].n += piece_of[g];
		q->first = at;
		q->left = u->left;
		q->right = u->right;
		at += (uint32_t)piece_of[g];
		u->left += (size_t)piece_of[g] * gr->rows_pad;
		u->right += (size_t)piece_of[g] * gr->cols_pad;
		piece_of[g] = i++;
	}
	for (t = u->from; t < u->to; t++) {
		struct cscg_pack_piece *q;
		const struct cscg_pack_group *gr;

		if (p->of[t] < 0)
			continue;
		q = &u->piece[piece_of[p->of[t]]];
		gr = &p->group[q->group];
		p->left[t] =
		    (uint32_t)((q->left + (size_t)q->n * gr->rows_pad) /
			width);
		p->right[t] =
		    (uint32_t)((q->right + (size_t)q->n * gr->cols_pad) /
			width);
		p->order[t] = q->first + q->n++;
	}
	u->n = at;
	return 0;
}

/* The pieces of each group, those of the last unit first. */
static int
sort_pieces(struct cscg_pack *p, struct cscg_err *err)
{
	long n = 0, *at;
	int u, i, g;

	for (u = 0; u < p->n_units; u++) {
		p->unit[u].before = u ?
		    p->unit[u - 1].before + p->unit[u - 1].n :
		    0;
		n += p->unit[u].n_pieces;
	}
	p->piece = cscg_alloc((size_t)n, sizeof *p->piece, err);
	p->piece_of = at = cscg_alloc((size_t)p->n_groups + 2, sizeof *at,
	    err);
	if (!p->piece || !at)
		return -1;
	/* at[g + 2] counts, at[g + 1] then moves from the first to the end. */
	for (u = 0; u < p->n_units; u++)
		for (i = 0; i < p->unit[u].n_pieces; i++)
			at[p->unit[u].piece[i].group + 2]++;
	for (g = 0; g < p->n_groups; g++)
		at[g + 2] += at[g + 1];
	for (u = p->n_units - 1; u >= 0; u--)
		for (i = 0; i < p->unit[u].n_pieces; i++) {
			struct cscg_pack_piece *q = &p->unit[u].piece[i];

			p->piece[at[q->group + 1]++] = q;
		}
	for (g = 0; g < p->n_groups; g++)
		if (p->piece_of[g] < p->piece_of[g + 1])
			p->piece[p->piece_of[g]]->last = true;
	return 0;
}

/* The group of each transition; -1: none. */
static int
find_groups(struct cscg_pack *p, const uint64_t *key, size_t n,
    struct cscg_err *err)
{
	const struct cscg_walk *w = p->w;
	struct cscg_keys keys;
	int rc = cscg_keys_init(&keys, n_keys(w), err);
	size_t i;
	long t;

	for (i = 0; rc == 0 && i < n; i++)
		rc = cscg_keys_add(&keys, key[i], err) < 0 ? -1 : 0;
	for (t = 0; rc == 0 && t < w->n_steps; t++)
		p->of[t] = cscg_walk_has_transition(w, t) ?
		    (int)cscg_keys_find(&keys,
			key_of(w, w->a[t], w->x[t], w->x[t + 1])) :
		    -1;
	cscg_keys_free(&keys);
	return rc;
}

struct cscg_pack *
cscg_pack_take(const struct cscg_walk *w, const int *clones, int width,
    uint64_t *key, size_t n, struct cscg_err *err)
{
	struct cscg_pack *p = cscg_alloc(1, sizeof *p, err);
	int *piece_of = NULL, i;

	if (!p) {
		free(key);
		return NULL;
	}
	p->w = w;
	p->clones = clones;
	p->width = width;
	p->of = cscg_alloc((size_t)w->n_steps, sizeof *p->of, err);
	p->order = cscg_alloc((size_t)w->n_steps, sizeof *p->order, err);
	p->left = cscg_alloc((size_t)w->n_steps, sizeof *p->left, err);
	p->right = cscg_alloc((size_t)w->n_steps, sizeof *p->right, err);
	if (!p->of || !p->order || !p->left || !p->right ||
	    set_runs(p, err) < 0 || set_groups(p, key, n, err) < 0 ||
	    set_units(p, err) < 0)
		goto fail;
	if (find_groups(p, key, n, err) < 0)
		goto fail;
	piece_of = cscg_alloc((size_t)p->n_groups, sizeof *piece_of, err);
	if (!piece_of)
		goto fail;
	for (i = 0; i < p->n_units; i++)
		if (set_pieces(p, &p->unit[i], piece_of, err) < 0)
			goto fail;
	free(piece_of);
	piece_of = NULL;
	if (sort_pieces(p, err) < 0)
		goto fail;
	free(key);
	return p;
fail:
	free(key);
	free(piece_of);
	cscg_pack_free(p);
	return NULL;
}

long *
cscg_pack_cuts(const struct cscg_walk *w, long *n, struct cscg_err *err)
{
	struct cscg_pack p = { .w = w };
	long *cut = NULL, from;
	int u;

	*n = 0;
	if (set_runs(&p, err) == 0 && set_units(&p, err) == 0)
		cut = cscg_alloc((size_t)p.n_units + 1, sizeof *cut, err);
	for (u = 0; cut && u < p.n_units; u++) {
		from = p.unit[u].from;
		if (!from || w->a[from - 1] < 0)
			cut[(*n)++] = from;
	}
	if (cut)
		cut[*n] = w->n_steps;
	free(p.run);
	free(p.unit);
	return cut;
}

void
cscg_pack_free(struct cscg_pack *p)
{
	int i;

	if (!p)
		return;
	for (i = 0; i < p->n_units; i++)
		free(p->unit[i].piece);
	free(p->unit);
	free(p->piece);
	free(p->piece_of);
	free(p->group);
	free(p->run);
	free(p->of);
	free(p->order);
	free(p->left);
	free(p->right);
	free(p);
}
