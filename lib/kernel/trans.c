/*
 * trans.c - the transition matrix T as sparse plus rank one, with its views,
 * and emissions by symbol
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/trans.h"

static int
set_emissions(struct cscg_trans *tr, const struct cscg_model *m,
    struct cscg_err *err)
{
	size_t stride = tr->stride;
	double *col;
	long i;
	int j, x;

	if (!m->e_first) {
		tr->group = cscg_alloc((size_t)m->n_obs + 1, sizeof *tr->group,
		    err);
		if (!tr->group)
			return -1;
		cscg_model_groups(m, tr->group);
		tr->widest = 0;
		for (x = 0; x < m->n_obs; x++)
			if (tr->group[x + 1] - tr->group[x] > tr->widest)
				tr->widest = tr->group[x + 1] - tr->group[x];
		cscg_trans_set_misread(tr, m->misread);
		return 0;
	}
	col = cscg_alloc(stride * (size_t)m->n_obs, sizeof *col, err);
	tr->E = cscg_alloc_aligned(stride * (size_t)m->n_obs, tr->kern->size,
	    CSCG_ALIGN, err);
	if (!col || !tr->E) {
		free(col);
		return -1;
	}
	for (j = 0; j < m->n_states; j++)
		for (i = m->e_first[j]; i < m->e_first[j + 1]; i++)
			col[(size_t)m->e_obs[i] * stride + (size_t)j] =
			    m->e_p[i];
	tr->kern->set(tr->E, col, (long)stride * m->n_obs);
	free(col);
	tr->misread = 0;
	cscg_trans_set_misread(tr, m->misread);
	return 0;
}

/* The entries and levels of every row. */
static int
set_rows(struct cscg_trans *tr, const struct cscg_model *m,
    struct cscg_err *err)
{
	enum { SOME = 64 };
	size_t S = (size_t)m->n_states, rows = (size_t)m->n_actions * S, r;
	size_t n = (size_t)m->first[rows], size = tr->kern->size;
	double p = m->pseudocount, norm, v, some[SOME];
	long i, k;

	tr->first = cscg_copy(m->first, rows + 1, sizeof *tr->first, err);
	tr->to = tr->first ? cscg_copy(m->to, n, sizeof *tr->to, err) : NULL;
	tr->excess = tr->first && (tr->to || !n) ? cscg_alloc(n, size, err) :
						   NULL;
	tr->level = tr->excess ?
	    cscg_alloc_aligned((size_t)m->n_actions * tr->stride, size,
		CSCG_ALIGN, err) :
	    NULL;
	if (!tr->level)
		return -1;
	for (r = 0; r < rows; r++) {
		norm = p * m->n_states;
		for (i = m->first[r]; i < m->first[r + 1]; i++)
			norm += m->count[i];
		v = norm > 0 ? p / norm : 1.0 / m->n_states;
		tr->kern->set((char *)tr->level +
			(r / S * tr->stride + r % S) * size,
		    &v, 1);
		for (i = m->first[r]; i < m->first[r + 1]; i += k) {
			for (k = 0; k < SOME && i + k < m->first[r + 1]; k++)
				some[k] = m->count[i + k] / norm;
			tr->kern->set((char *)tr->excess + (size_t)i * size,
			    some, k);
		}
	}
	return 0;
}

static int
check_grounded(const struct cscg_model *m, struct cscg_err *err)
{
	if (m->kind == CSCG_GROUNDED)
		return 0;
	cscg_fail(err, CSCG_EMISMATCH,
	    "a grounded model is needed, this is a schema");
	return cscg_fail_hint(err, "grounded-needed");
}

/* The dense view. */
static int
set_dense(struct cscg_trans *tr, struct cscg_err *err)
{
	size_t S = (size_t)tr->n_states, r, size = tr->kern->size;
	double *row = cscg_alloc(S, sizeof *row, err);
	void *T = row ? cscg_alloc(S * S * (size_t)tr->n_actions, size, err) :
			NULL;

	for (r = 0; T && r < S * (size_t)tr->n_actions; r++) {
		cscg_trans_row(tr, (int)(r / S), (int)(r % S), row);
		tr->kern->set((char *)T + r * S * size, row, (long)S);
	}
	free(row);
	tr->T = T;
	return T ? 0 : -1;
}

static struct cscg_trans *
new_trans(const struct cscg_model *m, const struct cscg_kernel *kern,
    const struct cscg_simd *simd, struct cscg_err *err)
{
	struct cscg_trans *tr = cscg_alloc(1, sizeof *tr, err);
	size_t S = (size_t)m->n_states, width;
	double *pi = NULL;
	int j;

	if (!tr)
		return NULL;
	tr->kern = kern;
	tr->simd = simd;
	tr->n_states = tr->widest = m->n_states;
	tr->n_actions = m->n_actions;
	tr->n_obs = m->n_obs;
	tr->misread = m->misread;
	width = simd ? (size_t)simd->width : 1;
	tr->stride = (S + width - 1) / width * width;
	tr->pi = cscg_alloc_aligned(tr->stride, kern->size, CSCG_ALIGN, err);
	pi = tr->pi ? cscg_alloc(S, sizeof *pi, err) : NULL;
	if (!pi || set_rows(tr, m, err) < 0) {
		free(pi);
		cscg_trans_free(tr);
		return NULL;
	}
	for (j = 0; j < m->n_states; j++)
		pi[j] = m->pi ? m->pi[j] : 1.0 / m->n_states;
	cscg_trans_set_pi(tr, pi);
	free(pi);
	return tr;
}

struct cscg_trans *
cscg_trans_schema(const struct cscg_model *m, const struct cscg_kernel *kern,
    struct cscg_err *err)
{
	return new_trans(m, kern, NULL, err);
}

struct cscg_trans *
cscg_trans_new(const struct cscg_model *m, const struct cscg_kernel *kern,
    struct cscg_err *err)
{
	struct cscg_trans *tr = NULL;

	if (check_grounded(m, err) == 0)
		tr = new_trans(m, kern, NULL, err);
	if (tr && set_emissions(tr, m, err) == 0)
		return tr;
	cscg_trans_free(tr);
	return NULL;
}

struct cscg_trans *
cscg_trans_dense(const struct cscg_model *m, const struct cscg_kernel *kern,
    struct cscg_err *err)
{
	struct cscg_trans *tr = cscg_trans_new(m, kern, err);

	if (tr && set_dense(tr, err) == 0)
		return tr;
	cscg_trans_free(tr);
	return NULL;
}

static void
free_columns(struct cscg_trans_columns *cols)
{
	free(cols->value);
	free(cols->index);
	free(cols->window);
	free(cols->entry);
}

void
cscg_trans_free(struct cscg_trans *tr)
{
	int a;

	if (!tr)
		return;
	for (a = 0; a < tr->n_actions && tr->fwd; a++)
		free_columns(&tr->fwd[a]);
	for (a = 0; a < tr->n_actions && tr->bwd; a++)
		free_columns(&tr->bwd[a]);
	free(tr->fwd);
	free(tr->bwd);
	free(tr->ones);
	free(tr->T);
	free(tr->first);
	free(tr->to);
	free(tr->excess);
	free(tr->level);
	free(tr->pi);
	free(tr->group);
	free(tr->E);
	free(tr);
}

double
cscg_trans_set(struct cscg_trans *tr, const double *counts, double p)
{
	int S = tr->n_states, k;
	double norm, log_norm, log_p = p > 0 ? log(p) : 0, prior = 0;
	double row[256];
	char *to = tr->T;
	long r;

	for (r = 0; r < (long)tr->n_actions * S; r++, counts += S) {
		norm = p * S;
		for (k = 0; k < S; k++)
			norm += counts[k];
		log_norm = log(norm);
		for (k = 0; k < S; k++) {
			row[k % 256] = norm > 0 ? (counts[k] + p) / norm :
						  1.0 / S;
			if (p > 0)
				prior += (counts[k] > 0 ? log(counts[k] + p) :
							  log_p) -
				    log_norm;
			if (k % 256 == 255 || k == S - 1) {
				tr->kern->set(to, row, k % 256 + 1);
				to += (size_t)(k % 256 + 1) * tr->kern->size;
			}
		}
	}
	return prior;
}

void
cscg_trans_set_pi(struct cscg_trans *tr, const double *pi)
{
	tr->kern->set(tr->pi, pi, tr->n_states);
}

double
cscg_trans_log_sum(const struct cscg_trans *tr, const double *v, int n)
{
	double sum = 0;
	int i;

	if (tr->simd)
		return tr->simd->log_sum(v, n);
	for (i = 0; i < n; i++)
		sum += log(v[i]);
	return sum;
}

int
cscg_trans_set_E(struct cscg_trans *tr, const double *E, int n_obs,
    struct cscg_err *err)
{
	size_t stride = tr->stride, size = tr->kern->size;
	double p;
	int j, x;

	if (!tr->E || n_obs != tr->n_obs) {
		void *e = cscg_alloc_aligned(stride * (size_t)n_obs, size,
		    CSCG_ALIGN, err);

		if (!e)
			return -1;
		free(tr->E);
		tr->E = e;
		tr->n_obs = n_obs;
		tr->widest = tr->n_states;
	}
	for (j = 0; j < tr->n_states; j++)
		for (x = 0; x < n_obs; x++) {
			p = (1 - tr->misread) *
				E[(size_t)j * (size_t)n_obs + (size_t)x] +
			    tr->misread / n_obs;
			tr->kern->set((char *)tr->E +
				((size_t)x * stride + (size_t)j) * size,
			    &p, 1);
		}
	return 0;
}

/* Emission rows with another misreading probability. */
static void
mix_rows(struct cscg_trans *tr, double misread)
{
	double keep = (1 - misread) / (1 - tr->misread), p;
	double add = (misread - keep * tr->misread) / tr->n_obs;
	size_t x, j;
	char *at;

	for (x = 0; x < (size_t)tr->n_obs; x++)
		for (j = 0; j < (size_t)tr->n_states; j++) {
			at = (char *)tr->E +
			    (x * tr->stride + j) * tr->kern->size;
			tr->kern->get(at, &p, 1);
			p = fmax(0, keep * p + add);
			tr->kern->set(at, &p, 1);
		}
}

void
cscg_trans_set_misread(struct cscg_trans *tr, double misread)
{
	if (tr->E && tr->misread < 1)
		mix_rows(tr, misread);
	tr->misread = misread;
	if (misread > 0)
		tr->widest = tr->n_states;
}

struct cscg_span
cscg_trans_span(const struct cscg_trans *tr, int x)
{
	struct cscg_span s = { .hi = tr->n_states };

	if (x < 0)
		return s;
	if (tr->E) {
		s.weight = (char *)tr->E +
		    (size_t)x * tr->stride * tr->kern->size;
	} else if (tr->misread > 0) {
		s.inner_lo = tr->group[x];
		s.inner_hi = tr->group[x + 1];
		s.floor = tr->misread / tr->n_obs;
		s.top = 1 - tr->misread + s.floor;
	} else {
		s.lo = tr->group[x];
		s.hi = tr->group[x + 1];
	}
	return s;
}

/* The dense matrix of action a from state j on to state k on. */
static const void *
dense_at(const struct cscg_trans *tr, int a, int j, int k)
{
	size_t S = (size_t)tr->n_states;

	return (char *)tr->T +
	    (((size_t)a * S + (size_t)j) * S + (size_t)k) * tr->kern->size;
}

/* The rows of action a from state j on. */
static struct cscg_sparse_rows
rows_at(const struct cscg_trans *tr, int a, int j)
{
	struct cscg_sparse_rows rows = { tr->first +
		    (size_t)a * (size_t)tr->n_states + j,
		tr->to, tr->excess,
		(char *)tr->level +
		    ((size_t)a * tr->stride + (size_t)j) * tr->kern->size,
		tr->is_signed };

	return rows;
}

void
cscg_trans_push(const struct cscg_trans *tr, int a,
    const struct cscg_span *from, const struct cscg_span *to, const void *in,
    void *out)
{
	struct cscg_sparse_rows rows = rows_at(tr, a, from->lo);

	if (tr->T)
		tr->kern->push(dense_at(tr, a, from->lo, to->lo), tr->n_states,
		    from->hi - from->lo, to->hi - to->lo, in, out);
	else
		tr->kern->sparse_push(&rows, from->hi - from->lo, to->lo,
		    to->hi - to->lo, in, out);
}

void
cscg_trans_pull(const struct cscg_trans *tr, int a,
    const struct cscg_span *from, const struct cscg_span *to, const void *in,
    void *out)
{
	struct cscg_sparse_rows rows = rows_at(tr, a, from->lo);

	if (tr->T)
		tr->kern->pull(dense_at(tr, a, from->lo, to->lo), tr->n_states,
		    from->hi - from->lo, to->hi - to->lo, in, out);
	else
		tr->kern->sparse_pull(&rows, from->hi - from->lo, to->lo,
		    to->hi - to->lo, in, out);
}

void
cscg_trans_push_max(const struct cscg_trans *tr, int a,
    const struct cscg_span *from, const struct cscg_span *to, const void *in,
    void *out, int *arg)
{
	struct cscg_sparse_rows rows = rows_at(tr, a, from->lo);

	if (tr->T)
		tr->kern->push_max(dense_at(tr, a, from->lo, to->lo),
		    tr->n_states, from->hi - from->lo, to->hi - to->lo, in,
		    out, arg);
	else
		tr->kern->sparse_push_max(&rows, from->hi - from->lo, to->lo,
		    to->hi - to->lo, in, out, arg);
}

void
cscg_trans_count(const struct cscg_trans *tr, int a,
    const struct cscg_span *from, const struct cscg_span *to,
    const void *alpha, const void *beta, double scale, double *counts)
{
	struct cscg_sparse_rows rows = rows_at(tr, a, from->lo);
	size_t S = (size_t)tr->n_states;

	counts += ((size_t)a * S + (size_t)from->lo) * S + (size_t)to->lo;
	if (tr->T)
		tr->kern->count(dense_at(tr, a, from->lo, to->lo),
		    tr->n_states, from->hi - from->lo, to->hi - to->lo, alpha,
		    beta, scale, counts);
	else
		tr->kern->sparse_count(&rows, from->hi - from->lo, to->lo,
		    to->hi - to->lo, alpha, beta, scale, counts, tr->n_states);
}

void
cscg_trans_count_entries(const struct cscg_trans *tr, int a,
    const struct cscg_span *from, const struct cscg_span *to,
    const void *alpha, const void *beta, double scale, double *entries,
    double *rest)
{
	struct cscg_sparse_rows rows = rows_at(tr, a, from->lo);

	tr->kern->entry_count(&rows, from->hi - from->lo, to->lo,
	    to->hi - to->lo, alpha, beta, scale, entries,
	    rest + (size_t)a * (size_t)tr->n_states + (size_t)from->lo);
}

void
cscg_trans_row(const struct cscg_trans *tr, int a, int j, double *p)
{
	struct cscg_sparse_rows rows = rows_at(tr, a, j);
	double level, excess;
	long i;
	int k;

	if (tr->T) {
		tr->kern->get(dense_at(tr, a, j, 0), p, tr->n_states);
		return;
	}
	tr->kern->get(rows.level, &level, 1);
	for (k = 0; k < tr->n_states; k++)
		p[k] = level;
	for (i = rows.first[0]; i < rows.first[1]; i++) {
		tr->kern->get((char *)tr->excess + (size_t)i * tr->kern->size,
		    &excess, 1);
		p[tr->to[i]] = level + excess;
	}
}

/* The SIMD view */

/*
 * The best depth: each unit of depth costs a gather for every state, an entry
 * left over costs about four.  in[] is the number of entries of each column.
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

/* The norm of row (a, j); 0: the row is uniform. */
static double
norm_of(const struct cscg_model *m, int a, int j)
{
	return cscg_model_row_sum(m, a, j) + m->pseudocount * m->n_states;
}

/* Store the entries of action a in the allocated columns. */
static void
fill_columns(const struct cscg_model *m, size_t pad,
    struct cscg_trans_columns *cols, int a, bool forward, long *in)
{
	int S = m->n_states, j;
	long i, r;

	memset(in, 0, (size_t)S * sizeof *in);
	for (j = 0; j < S; j++) {
		double norm = norm_of(m, a, j);

		r = (long)a * S + j;
		for (i = m->first[r]; i < m->first[r + 1]; i++) {
			int from = forward ? j : m->to[i];
			int to = forward ? m->to[i] : j;
			float v = (float)(m->count[i] / norm);

			if (in[to] < (long)cols->depth) {
				size_t at = (size_t)in[to]++ * pad +
				    (size_t)to;

				cols->value[at] = v;
				cols->index[at] = from;
			} else {
				cols->entry[cols->n_entries++] =
				    (struct cscg_sparse_entry){ from, to, v };
			}
		}
	}
}

/*
 * The window of a vector of n indices into messages of length pad.  Successors
 * of nearby states mostly have nearby numbers.  Lanes without an entry get an
 * index in the window.
 */
static struct cscg_window
find_window(const float *value, int32_t *index, int32_t n, int32_t pad)
{
	int32_t i, begin, last = pad - 2 * n;
	struct cscg_window w = { .first = last, .second = last };

	for (i = 0; i < n; i++) {
		begin = index[i] / n * n;
		if (value[i] > 0 && begin < w.first)
			w.first = begin;
	}
	for (i = 0; i < n; i++) {
		begin = index[i] / n * n;
		if (value[i] > 0 && index[i] - w.first >= 2 * n) {
			w.lanes |= UINT32_C(1) << i;
			w.second = begin < w.second ? begin : w.second;
		}
	}
	for (i = 0; i < n; i++)
		if (w.lanes >> i & 1 && index[i] - w.second >= 2 * n)
			w.first = -1;
	for (i = 0; i < n && w.first >= 0; i++) {
		if (!(value[i] > 0))
			index[i] = w.first;
		if (i < CSCG_WINDOW_LANES)
			w.at[i] = (uint8_t)(index[i] -
			    (w.lanes >> i & 1 ? w.second : w.first));
	}
	return w;
}

/* Action a as columns (forward: the targets; backward: the sources). */
static int
columns_new(const struct cscg_model *m, size_t pad, size_t width,
    struct cscg_trans_columns *cols, int a, bool forward, struct cscg_err *err)
{
	int S = m->n_states, j;
	long *in = cscg_alloc((size_t)S, sizeof *in, err), i, n = 0, r;
	size_t v;

	if (!in)
		return -1;
	for (j = 0; j < S; j++) {
		r = (long)a * S + j;
		for (i = m->first[r]; i < m->first[r + 1]; i++)
			in[forward ? m->to[i] : j]++;
	}
	cols->depth = best_depth(in, S);
	for (j = 0; j < S; j++)
		n += in[j] > (long)cols->depth ? in[j] - (long)cols->depth : 0;
	cols->value = cscg_alloc_aligned(cols->depth * pad,
	    sizeof *cols->value, CSCG_ALIGN, err);
	cols->index = cscg_alloc_aligned(cols->depth * pad,
	    sizeof *cols->index, CSCG_ALIGN, err);
	cols->window = cscg_alloc(cols->depth * pad / width,
	    sizeof *cols->window, err);
	cols->entry = cscg_alloc((size_t)n, sizeof *cols->entry, err);
	if (cols->value && cols->index && cols->window && cols->entry) {
		fill_columns(m, pad, cols, a, forward, in);
		for (v = 0; v < cols->depth * pad / width; v++)
			cols->window[v] = find_window(cols->value + v * width,
			    cols->index + v * width, (int32_t)width,
			    (int32_t)pad);
	}
	free(in);
	return cols->value && cols->index && cols->window && cols->entry ? 0 :
									   -1;
}

static int
set_columns(struct cscg_trans *tr, const struct cscg_model *m,
    struct cscg_err *err)
{
	size_t A = (size_t)m->n_actions, width = (size_t)tr->simd->width;
	int a, j;

	tr->fwd = cscg_alloc(A, sizeof *tr->fwd, err);
	tr->bwd = cscg_alloc(A, sizeof *tr->bwd, err);
	tr->ones = cscg_alloc_aligned(tr->stride, sizeof *tr->ones, CSCG_ALIGN,
	    err);
	if (!tr->fwd || !tr->bwd || !tr->ones)
		return -1;
	for (a = 0; a < m->n_actions; a++)
		if (columns_new(m, tr->stride, width, &tr->fwd[a], a, true,
			err) < 0 ||
		    columns_new(m, tr->stride, width, &tr->bwd[a], a, false,
			err) < 0)
			return -1;
	for (j = 0; j < m->n_states; j++)
		tr->ones[j] = 1;
	return 0;
}

struct cscg_trans *
cscg_trans_select(const struct cscg_model *m, const struct cscg_simd *simd,
    bool is_double, struct cscg_err *err)
{
	struct cscg_trans *tr;

	if (is_double)
		return new_trans(m, &cscg_plain_double, NULL, err);
	tr = new_trans(m, &cscg_plain_float, simd, err);
	if (!tr || !simd || set_columns(tr, m, err) == 0)
		return tr;
	cscg_trans_free(tr);
	return NULL;
}

void
cscg_trans_chain(const struct cscg_trans *tr, int a, bool forward,
    struct cscg_chain_step *step)
{
	const struct cscg_trans_columns *cols = forward ? &tr->fwd[a] :
							  &tr->bwd[a];
	const float *level = (const float *)tr->level + (size_t)a * tr->stride;
	/* A message keeps its padding of zeros. */
	const float *ones = (size_t)tr->n_states == tr->stride ? NULL :
								 tr->ones;

	step->value = cols->value;
	step->index = cols->index;
	step->window = cols->window;
	step->depth = cols->depth;
	step->entry = cols->entry;
	step->n_entries = cols->n_entries;
	step->col_factor = forward ? ones : level;
	step->row_factor = forward ? level : NULL;
}
