/*
 * trans_blocks.c - T in blocks of (action, symbol, next symbol) for the SIMD
 * passes
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/trans_blocks.h"

static uint32_t
pad(uint32_t n, int width)
{
	uint32_t w = (uint32_t)width;

	return (n + w - 1) / w * w;
}

/* Floats of a message over each symbol, padded. */
static long
padded_states(const struct cscg_trans *tr, const struct cscg_simd *simd)
{
	long n = 0;
	int x;

	for (x = 0; x < tr->n_obs; x++)
		n += pad((uint32_t)(tr->group[x + 1] - tr->group[x]),
		    simd->width);
	return n;
}

/* Short vectors where long ones would need 15 % more floats. */
static const struct cscg_simd *
best_width(const struct cscg_trans *tr, const struct cscg_simd *simd)
{
	return simd->narrow &&
		(double)padded_states(tr, simd) >
		    1.15 * (double)padded_states(tr, simd->narrow) ?
	    simd->narrow :
	    simd;
}

bool
cscg_trans_blocks_suit(const struct cscg_trans *tr)
{
	return tr->kern == &cscg_plain_float && tr->group && !tr->E &&
	    !tr->T && !tr->is_signed && !(tr->misread > 0);
}

struct cscg_trans_blocks *
cscg_trans_blocks_new(const struct cscg_trans *tr,
    const struct cscg_simd *simd, struct cscg_err *err)
{
	struct cscg_trans_blocks *b = cscg_alloc(1, sizeof *b, err);
	size_t levels = (size_t)tr->n_actions * tr->stride;
	uint64_t K = (uint64_t)tr->n_obs + 1;
	int x;

	if (!b)
		return NULL;
	b->tr = tr;
	b->simd = best_width(tr, simd);
	b->level = cscg_alloc(levels + (size_t)b->simd->width,
	    sizeof *b->level, err);
	b->width = cscg_alloc((size_t)tr->n_obs + 1, sizeof *b->width, err);
	b->lo = cscg_alloc((size_t)tr->n_obs + 1, sizeof *b->lo, err);
	if (!b->level || !b->width || !b->lo ||
	    cscg_keys_init(&b->keys, (uint64_t)tr->n_actions * K * K, err) <
		0) {
		cscg_trans_blocks_free(b);
		return NULL;
	}
	for (x = -1; x < tr->n_obs; x++) {
		struct cscg_span s = cscg_trans_span(tr, x);

		b->lo[x + 1] = s.lo;
		b->width[x + 1] = pad((uint32_t)(s.hi - s.lo), b->simd->width);
	}
	memcpy(b->level, tr->level, levels * sizeof *b->level);
	return b;
}

void
cscg_trans_blocks_free(struct cscg_trans_blocks *b)
{
	int i;

	if (!b)
		return;
	for (i = 0; i < b->n; i++)
		free(b->data[i]);
	free(b->data);
	free(b->block);
	cscg_keys_free(&b->keys);
	free(b->level);
	free(b->width);
	free(b->lo);
	free(b);
}

/*
 * The entries of row r in the columns of span to: first and number.  The search
 * has no branch that depends on them, since it would be mispredicted.
 */
static long
entries_of(const struct cscg_trans *tr, size_t r, const struct cscg_span *to,
    long *n)
{
	long lo = tr->first[r], end = tr->first[r + 1], left, half, first;

	for (left = end - lo; left > 0; left -= half) {
		half = (left + 1) / 2;
		lo += tr->to[lo + half - 1] < to->lo ? half : 0;
	}
	first = lo;
	while (lo < end && tr->to[lo] < to->hi)
		lo++;
	*n = lo - first;
	return first;
}

/*
 * Rows of a dense block with rows of zeros behind them: loops over all rows
 * take several at a time, and small blocks have equal numbers of rows, which
 * the processor predicts.
 */
static uint32_t
padded_rows(uint32_t rows, int width)
{
	return width < 4 ? rows : width >= 8 && rows <= 8 ? 8 : pad(rows, 4);
}

/* Rows r0 .. r0+rows-1 in the columns of span to, dense; pads q->rows. */
static float *
dense_rows(const struct cscg_trans_blocks *b, size_t r0,
    const struct cscg_span *to, struct cscg_trans_block *q,
    struct cscg_err *err)
{
	uint32_t rows = q->rows;
	const struct cscg_trans *tr = b->tr;
	const float *excess = tr->excess;
	float *T, *row;
	uint32_t j, k;
	long i, n;

	q->rows = padded_rows(rows, b->simd->width);
	T = row = cscg_alloc_aligned((size_t)q->rows * q->cols_pad, sizeof *T,
	    CSCG_ALIGN, err);
	for (j = 0; T && j < rows; j++, row += q->cols_pad) {
		for (k = 0; k < q->cols; k++)
			row[k] = q->level[j];
		i = entries_of(tr, r0 + j, to, &n);
		for (; n > 0; n--, i++)
			row[tr->to[i] - to->lo] += excess[i];
	}
	return T;
}

/* The same as entries above the level. */
static struct cscg_sparse_entry *
sparse_rows(const struct cscg_trans_blocks *b, size_t r0,
    const struct cscg_span *to, const struct cscg_trans_block *q,
    struct cscg_err *err)
{
	const struct cscg_trans *tr = b->tr;
	const float *excess = tr->excess;
	struct cscg_sparse_entry *e = cscg_alloc(q->n_entries, sizeof *e, err),
				 *at = e;
	uint32_t j;
	long i, n;

	for (j = 0; e && j < q->rows; j++) {
		i = entries_of(tr, r0 + j, to, &n);
		for (; n > 0; n--, i++, at++)
			*at = (struct cscg_sparse_entry){ (int32_t)j,
				tr->to[i] - to->lo, excess[i] };
	}
	return e;
}

/*
 * Count the entries of a block, rows from r0, and compare: a dense vector
 * costs about half of an entry, or of a column.  Small blocks are dense.
 */
static bool
is_sparse(const struct cscg_trans_blocks *b, size_t r0,
    const struct cscg_span *to, struct cscg_trans_block *q)
{
	enum { SMALL = 64 };
	uint64_t vectors = (uint64_t)q->rows * q->cols_pad /
	    (uint32_t)b->simd->width;
	uint32_t j;
	long n;

	if (vectors <= SMALL)
		return false;
	for (j = 0; j < q->rows; j++) {
		entries_of(b->tr, r0 + j, to, &n);
		q->n_entries += (uint32_t)n;
	}
	return 2 * ((uint64_t)q->n_entries + q->cols) < vectors;
}

/* Append the block; returns its number. */
static int
build(struct cscg_trans_blocks *b, int a, int x, int y, struct cscg_err *err)
{
	struct cscg_span from = cscg_trans_span(b->tr, x);
	struct cscg_span to = cscg_trans_span(b->tr, y);
	size_t r0 = (size_t)a * (size_t)b->tr->n_states + (size_t)from.lo;
	struct cscg_trans_block q = { .level = b->level +
		    (size_t)a * b->tr->stride + (size_t)from.lo,
		.rows = (uint32_t)(from.hi - from.lo),
		.cols = (uint32_t)(to.hi - to.lo) };

	if (cscg_grow(&b->block, &b->cap, (size_t)b->n + 1, sizeof *b->block,
		err) < 0 ||
	    cscg_grow(&b->data, &b->cap_data, (size_t)b->n + 1,
		sizeof *b->data, err) < 0)
		return -1;
	q.rows_pad = pad(q.rows, b->simd->width);
	q.cols_pad = pad(q.cols, b->simd->width);
	if (is_sparse(b, r0, &to, &q))
		q.entry = b->data[b->n] = sparse_rows(b, r0, &to, &q, err);
	else
		q.dense = b->data[b->n] = dense_rows(b, r0, &to, &q, err);
	if (!b->data[b->n])
		return -1;
	b->bytes += q.dense ? (size_t)q.rows * q.cols_pad * sizeof *q.dense :
			      q.n_entries * sizeof *q.entry;
	b->block[b->n] = q;
	return b->n++;
}

int
cscg_trans_blocks_add(struct cscg_trans_blocks *b, uint64_t key, int a, int x,
    int y, struct cscg_err *err)
{
	int i = build(b, a, x, y, err);

	if (i >= 0 && cscg_keys_add(&b->keys, key, err) < 0) {
		free(b->data[--b->n]);
		return -1;
	}
	return i;
}
