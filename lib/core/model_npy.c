/* model_npy.c - transition matrices as dense arrays, .npy */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "core/clone_list.h"
#include "core/model_npy.h"
#include "io/stream.h"

#define ROW_SUM_TOL 1e-6 /* tolerance of the sum of a row of T */
#define ROUNDING_TOL \
	1e-14 /* rounding error relative to a row, where a count was zero ... */
#define SMOOTHING_TOL \
	1e-6 /* ... and relative to the pseudocount, for float32 */

/* Allocate n_actions matrices, or NULL: the size may overflow. */
double *
cscg_dense_new(int n_actions, int n_states, struct cscg_err *err)
{
	size_t rows = (size_t)n_actions * n_states; /* below 2^62 */

	if (rows > SIZE_MAX / sizeof(double) / n_states) {
		cscg_fail(err, CSCG_ENOMEM,
		    "out of memory: %d dense matrices of %d states", n_actions,
		    n_states);
		return NULL;
	}
	return cscg_alloc(rows * n_states, sizeof(double), err);
}

void
cscg_model_get_T(const struct cscg_model *m, double *T)
{
	long row, i, n = m->n_states, rows = (long)m->n_actions * n;

	for (row = 0; row < rows; row++) {
		double *p = T + row * n,
		       norm = cscg_model_row_sum(m, (int)(row / n),
				  (int)(row % n)) +
		    m->pseudocount * (double)n;

		for (i = 0; i < n; i++)
			p[i] = norm > 0 ? m->pseudocount / norm :
					  1.0 / (double)n;
		for (i = m->first[row]; i < m->first[row + 1]; i++)
			p[m->to[i]] = (m->count[i] + m->pseudocount) / norm;
	}
}

double *
cscg_model_to_dense(const struct cscg_model *m, bool counts,
    struct cscg_err *err)
{
	double *dense = cscg_dense_new(m->n_actions, m->n_states, err);
	long row, i, n = m->n_states, rows = (long)m->n_actions * n;

	if (dense && !counts)
		cscg_model_get_T(m, dense);
	for (row = 0; dense && counts && row < rows; row++)
		for (i = m->first[row]; i < m->first[row + 1]; i++)
			dense[row * n + m->to[i]] = m->count[i];
	return dense;
}

static int
check_shape(const struct cscg_npy *a, struct cscg_err *err)
{
	if (a->ndim != 3 || a->shape[1] != a->shape[2] || a->size < 1)
		return cscg_fail(err, CSCG_EFORMAT,
		    "the array is not of shape (actions, states, states)");
	if (a->shape[0] > CSCG_ACTION_MAX || a->shape[1] > CSCG_STATE_MAX)
		return cscg_fail(err, CSCG_ERANGE,
		    "the array has more than %d actions or %d states",
		    CSCG_ACTION_MAX, CSCG_STATE_MAX);
	return 0;
}

/*
 * Turn rows of probabilities into counts: T = (C + p) / (count + p * n) solved
 * for C.  A residue within the rounding error becomes 0.
 */
static int
unsmooth(struct cscg_npy *a, const struct cscg_model_npy_options *opt,
    struct cscg_err *err)
{
	long row, i, n = a->shape[1], rows = a->size / n;
	double norm = opt->count + opt->pseudocount * (double)n, sum, c;

	for (row = 0; row < rows; row++) {
		for (sum = 0, i = row * n; i < (row + 1) * n; i++) {
			if (!(a->data[i] >= 0 &&
				a->data[i] <= 1 + ROW_SUM_TOL))
				return cscg_fail(err, CSCG_ERANGE,
				    "action %ld, from %ld, to %ld: %g is not "
				    "a "
				    "probability",
				    row / n, row % n, i % n, a->data[i]);
			sum += a->data[i];
		}
		if (fabs(sum - 1) > ROW_SUM_TOL)
			return cscg_fail(err, CSCG_ERANGE,
			    "action %ld, from %ld: the row sums to %.9g, not "
			    "to 1",
			    row / n, row % n, sum);
		for (i = row * n; i < (row + 1) * n; i++) {
			c = a->data[i] * norm - opt->pseudocount;
			a->data[i] = c > ROUNDING_TOL * norm +
				    SMOOTHING_TOL * opt->pseudocount ?
			    c :
			    0;
		}
	}
	return 0;
}

/* Assign states to symbols. */
static int
set_clones(struct cscg_model *m, const struct cscg_model_npy_options *opt,
    struct cscg_err *err)
{
	long sum = 0;
	int g, i, at = 0;

	for (g = 0; g < opt->n_clones; g++)
		sum += opt->clones[g];
	if (sum != m->n_states)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "the clones add up to %ld, but there are %d states", sum,
		    m->n_states);
	for (g = 0; g < opt->n_clones; g++)
		for (i = 0; i < opt->clones[g]; i++)
			m->clone[at++] = g;
	return 0;
}

struct cscg_model *
cscg_model_from_dense(struct cscg_npy *a,
    const struct cscg_model_npy_options *opt, struct cscg_err *err)
{
	struct cscg_model *m;

	if (check_shape(a, err) < 0 ||
	    (opt->is_T && unsmooth(a, opt, err) < 0))
		return NULL;
	m = cscg_model_new(opt->clones ? CSCG_GROUNDED : CSCG_SCHEMA,
	    (int)a->shape[1], (int)a->shape[0],
	    opt->clones ? opt->n_clones : 1, err);
	if (!m)
		return NULL;
	m->is_double = true;
	m->pseudocount = opt->pseudocount;
	if ((opt->clones && set_clones(m, opt, err) < 0) ||
	    cscg_model_set_dense(m, a->data, 0, err) < 0) {
		cscg_model_free(m);
		return NULL;
	}
	return m;
}

struct cscg_model *
cscg_model_read_npy(const char *path, const struct cscg_model_npy_options *opt,
    struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(path, err);
	struct cscg_model *m = NULL;
	struct cscg_npy a = { 0 };

	if (in && cscg_npy_read(in, &a, err) == 0) {
		m = cscg_model_from_dense(&a, opt, err);
		if (!m)
			cscg_fail_at(err, "%s", cscg_in_name(in));
	}
	cscg_npy_free(&a);
	cscg_in_close(in);
	return m;
}

int
cscg_model_npy_clones(const char *text, int **clones, struct cscg_err *err)
{
	struct cscg_clone_list list = { 0 };
	bool is_list = cscg_clone_list_is(text);
	int rc = is_list ? cscg_clone_list_parse(&list, text, err) :
			   cscg_clone_list_read(&list, text, err);

	*clones = NULL;
	if (rc == 0 && list.n == 0)
		rc = cscg_fail(err, CSCG_EUSAGE, "no numbers of clones");
	if (rc < 0) {
		if (is_list && err->code == CSCG_EFORMAT)
			err->code = CSCG_EUSAGE;
		cscg_clone_list_free(&list);
		return -1;
	}
	*clones = list.v;
	return list.n;
}
