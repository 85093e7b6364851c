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

/* The lanes of symbol x. */
static struct cscg_span
lanes_of(const struct cscg_trans_blocks *b, int x)
{
	struct cscg_span s = { .lo = b->lo[x + 1],
		.hi = x < 0 ? b->n_lanes : b->lo[x + 2] };

	return s;
}

/* Floats of a message over each symbol, padded. */
static long
padded_lanes(const struct cscg_trans_blocks *b, const struct cscg_simd *simd)
{
	long n = 0;
	int x;

	for (x = 0; x < b->tr->n_obs; x++)
		n += pad((uint32_t)(b->lo[x + 2] - b->lo[x + 1]), simd->width);
	return n;
}

/* Short vectors where long ones would need 15 % more floats. */
static const struct cscg_simd *
best_width(const struct cscg_trans_blocks *b, const struct cscg_simd *simd)
{
	return simd->narrow &&
		(double)padded_lanes(b, simd) >
		    1.15 * (double)padded_lanes(b, simd->narrow) ?
	    simd->narrow :
	    simd;
}

bool
cscg_trans_blocks_suit(const struct cscg_trans *tr)
{
	return tr->kern == &cscg_plain_float && tr->group && !tr->E &&
	    !tr->T && !tr->is_signed && !(tr->misread > 0);
}

/* Whether the rows of states i and j are equal. */
static bool
equal_rows(const struct cscg_trans *tr, int i, int j)
{
	const float *level = tr->level, *excess = tr->excess;
	size_t r = (size_t)i, q = (size_t)j, n;
	int a;

	for (a = 0; a < tr->n_actions; a++) {
		n = (size_t)(tr->first[r + 1] - tr->first[r]);
		if (level[i] != level[j] ||
		    n != (size_t)(tr->first[q + 1] - tr->first[q]) ||
		    memcmp(tr->to + tr->first[r], tr->to + tr->first[q],
			n * sizeof *tr->to) ||
		    memcmp(excess + tr->first[r], excess + tr->first[q],
			n * sizeof *excess))
			return false;
		level += tr->stride;
		r += (size_t)tr->n_states;
		q += (size_t)tr->n_states;
	}
	return true;
}

/* A number that is equal for states of symbol x with equal rows. */
static uint64_t
row_key(const struct cscg_trans *tr, int x, int j)
{
	const float *level = (const float *)tr->level + j;
	uint64_t key = (uint64_t)x;
	uint32_t bits;
	int a;

	for (a = 0; a < tr->n_actions; a++, level += tr->stride) {
		memcpy(&bits, level, sizeof bits);
		key = (key ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
		key ^= key >> 32;
	}
	return key;
}

/*
 * The lane of state j of symbol x, new or that of an equal state before; the
 * number of a key is its lane.  -1 with err filled.
 */
static long
find_lane(struct cscg_trans_blocks *b, struct cscg_keys *keys, int x, int j,
    struct cscg_err *err)
{
	uint64_t key = row_key(b->tr, x, j);
	long lane, n = b->n_lanes;

	if (!b->merge)
		return n;
	do /* the next key where rows with the same key differ */
		lane = cscg_keys_add(keys, key++, err);
	while (lane >= 0 && lane < n &&
	    (lane < b->lo[x + 1] || !equal_rows(b->tr, b->state[lane], j)));
	return lane;
}

/* Give each state a lane. */
static int
set_lanes(struct cscg_trans_blocks *b, struct cscg_err *err)
{
	const struct cscg_trans *tr = b->tr;
	struct cscg_keys keys = { 0 };
	int x, j;
	long lane = 0;

	for (x = 0; x < tr->n_obs && lane >= 0; x++) {
		b->lo[x + 1] = b->n_lanes;
		for (j = tr->group[x]; j < tr->group[x + 1]; j++) {
			lane = find_lane(b, &keys, x, j, err);
			if (lane < 0)
				break;
			if (lane == b->n_lanes)
				b->state[b->n_lanes++] = j;
			b->lane[j] = (int)lane;
			b->n_equal[lane]++;
		}
	}
	b->lo[x + 1] = b->n_lanes;
	cscg_keys_free(&keys);
	return lane < 0 ? -1 : 0;
}

/* The level of each lane, the padding of messages, the weights of each symbol. */
static int
set_levels(struct cscg_trans_blocks *b, const struct cscg_simd *simd,
    struct cscg_err *err)
{
	const struct cscg_trans *tr = b->tr;
	const float *level = tr->level;
	float *to = b->level;
	int a, i, x;

	b->simd = best_width(b, simd);
	for (a = 0; a < tr->n_actions; a++, level += tr->stride)
		for (i = 0; i < b->n_lanes; i++)
			*to++ = level[b->state[i]];
	for (x = -1; x < tr->n_obs; x++) {
		struct cscg_span s = lanes_of(b, x);

		b->width[x + 1] = pad((uint32_t)(s.hi - s.lo), b->simd->width);
		b->weight_at[x + 2] = b->weight_at[x + 1] + b->width[x + 1];
	}
	b->weight = cscg_alloc_aligned(b->weight_at[x + 1], sizeof *b->weight,
	    CSCG_ALIGN, err);
	for (x = -1; b->weight && x < tr->n_obs; x++) {
		struct cscg_span s = lanes_of(b, x);

		for (i = s.lo; i < s.hi; i++)
			b->weight[b->weight_at[x + 1] + (size_t)(i - s.lo)] =
			    b->n_equal[i];
	}
	return b->weight ? 0 : -1;
}

struct cscg_trans_blocks *
cscg_trans_blocks_new(const struct cscg_trans *tr,
    const struct cscg_simd *simd, bool merge, struct cscg_err *err)
{
	struct cscg_trans_blocks *b = cscg_alloc(1, sizeof *b, err);
	size_t S = (size_t)tr->n_states, K = (size_t)tr->n_obs + 1;

	if (!b)
		return NULL;
	b->tr = tr;
	b->merge = merge;
	b->n_symbols = K;
	b->lane = cscg_alloc(S, sizeof *b->lane, err);
	b->state = cscg_alloc(S, sizeof *b->state, err);
	b->n_equal = cscg_alloc(S, sizeof *b->n_equal, err);
	b->found = cscg_alloc(S, sizeof *b->found, err);
	b->weight_at = cscg_alloc(K + 1, sizeof *b->weight_at, err);
	b->lo = cscg_alloc(K + 1, sizeof *b->lo, err);
	b->width = cscg_alloc(K, sizeof *b->width, err);
	b->level = cscg_alloc((size_t)tr->n_actions * S + (size_t)simd->width,
	    sizeof *b->level, err);
	if (!b->lane || !b->state || !b->n_equal || !b->found ||
	    !b->weight_at || !b->lo || !b->width || !b->level ||
	    cscg_keys_init(&b->keys, (uint64_t)tr->n_actions * K * K, err) <
		0 ||
	    set_lanes(b, err) < 0 || set_levels(b, simd, err) < 0) {
		cscg_trans_blocks_free(b);
		return NULL;
	}
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
	free(b->lane);
	free(b->state);
	free(b->n_equal);
	free(b->found);
	free(b->weight);
	free(b->weight_at);
	free(b->lo);
	free(b->width);
	free(b->level);
	free(b);
}

/* A block to be built: action, lanes of its rows, states and lanes of its columns. */
struct place {
	int a;
	struct cscg_span from, to, lanes;
};

/*
 * The entries of row j in the columns of the block.  The search has no branch
 * that depends on them, since it would be mispredicted.
 */
static struct cscg_row_entries
find_row(const struct cscg_trans_blocks *b, const struct place *at, uint32_t j)
{
	const struct cscg_trans *tr = b->tr;
	size_t r = (size_t)at->a * (size_t)tr->n_states +
	    (size_t)b->state[at->from.lo + (int)j];
	long lo = tr->first[r], end = tr->first[r + 1], left, half;
	struct cscg_row_entries found;

	for (left = end - lo; left > 0; left -= half) {
		half = (left + 1) / 2;
		lo += tr->to[lo + half - 1] < at->to.lo ? half : 0;
	}
	found.first = lo;
	while (lo < end && tr->to[lo] < at->to.hi)
		lo++;
	found.n = lo - found.first;
	return found;
}

/* Find the entries of each row; returns the number of rows that have some. */
static uint32_t
find_entries(struct cscg_trans_blocks *b, const struct place *at,
    struct cscg_trans_block *q)
{
	uint32_t j, n = 0;

	for (j = 0; j < q->rows; j++) {
		b->found[j] = find_row(b, at, j);
		q->n_entries += (uint32_t)b->found[j].n;
		n += b->found[j].n > 0;
	}
	return n;
}

/*
 * Rows of a dense block with rows of zeros behind them: loops over all rows
 * take several at a time, and small blocks have equal numbers of rows, which
 * the processor predicts.
 */
static uint32_t
padded_rows(uint32_t rows, int width)
{
	return width < 4             ? rows :
	    width >= 8 && rows <= 8  ? 8 :
	    width >= 8 && rows <= 16 ? 16 :
				       pad(rows, 4);
}

/* Add the entries of row j, those of equal states to one column. */
static void
add_entries(const struct cscg_trans_blocks *b, const struct place *at,
    uint32_t j, float *row)
{
	const float *excess = b->tr->excess;
	const int *to = b->tr->to;
	long i = b->found[j].first, end = i + b->found[j].n;

	for (; i < end; i++)
		row[b->lane[to[i]] - at->lanes.lo] += excess[i];
}

/* The rows, dense; pads q->rows. */
static float *
dense_rows(const struct cscg_trans_blocks *b, const struct place *at,
    struct cscg_trans_block *q, struct cscg_err *err)
{
	uint32_t rows = q->rows, j, k;
	float *T, *row;

	q->rows = padded_rows(rows, b->simd->width);
	T = row = cscg_alloc_aligned((size_t)q->rows * q->cols_pad, sizeof *T,
	    CSCG_ALIGN, err);
	for (j = 0; T && j < rows; j++, row += q->cols_pad) {
		for (k = 0; k < q->cols; k++)
			row[k] = q->level[j] * q->weight[k];
		add_entries(b, at, j, row);
	}
	return T;
}

/* A list of n rows above the level, and their numbers behind them. */
static float *
list_rows(const struct cscg_trans_blocks *b, const struct place *at,
    struct cscg_trans_block *q, uint32_t n, struct cscg_err *err)
{
	uint32_t rows = q->rows, j, *number;
	float *T, *row;

	q->rows = pad(n, 4);
	T = row = cscg_alloc_aligned((size_t)q->rows * (q->cols_pad + 1),
	    sizeof *T, CSCG_ALIGN, err);
	if (!T)
		return NULL;
	q->row = number = (void *)(T + (size_t)q->rows * q->cols_pad);
	for (j = 0; j < rows; j++)
		if (b->found[j].n) {
			add_entries(b, at, j, row);
			row += q->cols_pad;
			*number++ = j;
		}
	return T;
}

/* The same as entries above the level. */
static struct cscg_sparse_entry *
sparse_rows(const struct cscg_trans_blocks *b, const struct place *at,
    const struct cscg_trans_block *q, struct cscg_err *err)
{
	const struct cscg_trans *tr = b->tr;
	const float *excess = tr->excess;
	struct cscg_sparse_entry *all = cscg_alloc(q->n_entries, sizeof *all,
				     err),
				 *e = all;
	uint32_t j;
	long i, n;

	for (j = 0; all && j < q->rows; j++) {
		i = b->found[j].first;
		for (n = b->found[j].n; n > 0; n--, i++, e++)
			*e = (struct cscg_sparse_entry){ (int32_t)j,
				b->lane[tr->to[i]] - at->lanes.lo, excess[i] };
	}
	return all;
}

/*
 * Choose the form of block q.  Small blocks are dense.  The level of a list costs
 * about as much as LEVEL rows, a dense vector about half of an entry, or of a
 * column.
 */
static void *
set_form(struct cscg_trans_blocks *b, const struct place *at,
    struct cscg_trans_block *q, struct cscg_err *err)
{
	enum { SMALL_LIST = 32, SMALL = 64, LEVEL = 4 };
	uint32_t vectors = q->cols_pad /
	    (uint32_t)b->simd->width; /* of a row */
	uint32_t n = find_entries(b, at, q), rows = q->rows;
	bool is_list = b->merge && n + LEVEL <= rows &&
	    (uint64_t)rows * vectors > SMALL_LIST;
	uint64_t cost = (uint64_t)(is_list ? n + LEVEL : rows) * vectors;
	float *dense;

	if (cost > SMALL && 2 * ((uint64_t)q->n_entries + q->cols) < cost) {
		struct cscg_sparse_entry *entry = sparse_rows(b, at, q, err);

		q->entry = entry;
		return entry;
	}
	q->n_entries = 0;
	dense = is_list ? list_rows(b, at, q, n, err) :
			  dense_rows(b, at, q, err);
	q->dense = dense;
	return dense;
}

/* Append the block; returns its number. */
static int
build(struct cscg_trans_blocks *b, int a, int x, int y, struct cscg_err *err)
{
	struct place at = { .a = a,
		.from = lanes_of(b, x),
		.to = cscg_trans_span(b->tr, y),
		.lanes = lanes_of(b, y) };
	struct cscg_trans_block q = { .level = b->level +
		    (size_t)a * (size_t)b->n_lanes + (size_t)at.from.lo,
		.weight = b->weight + b->weight_at[y + 1],
		.n_states = (uint32_t)(at.to.hi - at.to.lo),
		.rows = (uint32_t)(at.from.hi - at.from.lo),
		.cols = (uint32_t)(at.lanes.hi - at.lanes.lo) };

	if (cscg_grow(&b->block, &b->cap, (size_t)b->n + 1, sizeof *b->block,
		err) < 0 ||
	    cscg_grow(&b->data, &b->cap_data, (size_t)b->n + 1,
		sizeof *b->data, err) < 0)
		return -1;
	q.rows_pad = pad(q.rows, b->simd->width);
	q.cols_pad = pad(q.cols, b->simd->width);
	b->data[b->n] = set_form(b, &at, &q, err);
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
