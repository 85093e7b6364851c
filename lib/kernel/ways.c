/* ways.c - T of a schema as the fast passes of binding want it */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/ways.h"

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

/* What the row of (a, j) is divided by; 0: it is uniform. */
static double
norm_of(const struct cscg_model *m, int a, int j)
{
	return cscg_model_row_sum(m, a, j) + m->pseudocount * m->n_states;
}

/* The entries of action a into the room that is there for them. */
static void
fill_columns(const struct cscg_model *m, size_t pad, struct cscg_trans_columns *cols, int a,
    bool forward, long *in)
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

/* Action a as columns (forward: the targets; backward: the sources). */
static int
columns_new(const struct cscg_model *m, size_t pad, struct cscg_trans_columns *cols, int a,
    bool forward, struct cscg_err *err)
{
	int S = m->n_states, j;
	long *in = cscg_alloc((size_t)S, sizeof *in, err), i, n = 0, r;

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
	cols->value = reals(cols->depth * pad, err);
	cols->index = cscg_alloc_aligned(cols->depth * pad, sizeof *cols->index,
	    CSCG_ALIGN, err);
	cols->entry = cscg_alloc((size_t)n, sizeof *cols->entry, err);
	if (cols->value && cols->index && cols->entry)
		fill_columns(m, pad, cols, a, forward, in);
	free(in);
	return cols->value && cols->index && cols->entry ? 0 : -1;
}

static int
fill_view(struct cscg_trans_simd *view, const struct cscg_model *m,
    struct cscg_err *err)
{
	int a, j;

	for (a = 0; a < m->n_actions; a++) {
		float *level = view->level + (size_t)a * view->pad;

		if (columns_new(m, view->pad, &view->fwd[a], a, true, err) < 0 ||
		    columns_new(m, view->pad, &view->bwd[a], a, false, err) < 0)
			return -1;
		for (j = 0; j < m->n_states; j++) {
			double norm = norm_of(m, a, j);

			level[j] = (float)(norm > 0 ? m->pseudocount / norm :
			    1.0 / m->n_states);
		}
	}
	for (j = 0; j < m->n_states; j++)
		view->ones[j] = 1;
	return 0;
}

struct cscg_trans_simd *
cscg_trans_simd_new(const struct cscg_model *m, const struct cscg_simd *simd,
    struct cscg_err *err)
{
	struct cscg_trans_simd *view = cscg_alloc(1, sizeof *view, err);
	size_t A = (size_t)m->n_actions, width = (size_t)simd->width;

	if (!view)
		return NULL;
	view->n_states = m->n_states;
	view->n_actions = m->n_actions;
	view->pad = ((size_t)m->n_states + width - 1) / width * width;
	view->fwd = cscg_alloc(A, sizeof *view->fwd, err);
	view->bwd = cscg_alloc(A, sizeof *view->bwd, err);
	view->level = reals(A * view->pad, err);
	view->ones = reals(view->pad, err);
	if (!view->fwd || !view->bwd || !view->level || !view->ones ||
	    fill_view(view, m, err) < 0) {
		cscg_trans_simd_free(view);
		return NULL;
	}
	return view;
}

static void
free_columns(struct cscg_trans_columns *cols)
{
	free(cols->value);
	free(cols->index);
	free(cols->entry);
}

void
cscg_trans_simd_free(struct cscg_trans_simd *view)
{
	int a;

	if (!view)
		return;
	for (a = 0; a < view->n_actions && view->fwd; a++)
		free_columns(&view->fwd[a]);
	for (a = 0; a < view->n_actions && view->bwd; a++)
		free_columns(&view->bwd[a]);
	free(view->fwd);
	free(view->bwd);
	free(view->level);
	free(view->ones);
	free(view);
}

static void
set_columns(struct cscg_chain_step *step, const struct cscg_trans_columns *cols)
{
	step->value = cols->value;
	step->index = cols->index;
	step->depth = cols->depth;
	step->entry = cols->entry;
	step->n_entries = cols->n_entries;
}

void
cscg_trans_simd_forward(const struct cscg_trans_simd *view, int a, struct cscg_chain_step *step)
{
	set_columns(step, &view->fwd[a]);
	step->col_factor = view->ones;
	step->row_factor = view->level + (size_t)a * view->pad;
}

void
cscg_trans_simd_backward(const struct cscg_trans_simd *view, int a, struct cscg_chain_step *step)
{
	set_columns(step, &view->bwd[a]);
	step->col_factor = view->level + (size_t)a * view->pad;
	step->row_factor = view->ones;
}
