/*
 * switching_map.c - several schemas as one model, and messages through it
 *
 * Jumps go anywhere with the same probability, so T is the blocks of the
 * schemas and a matrix of rank one: a step costs as much as there are counts
 * and states.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schema/switching_map.h"

/* ---- the union ---- */

struct union_job {
	const struct cscg_model *const *schema;
	int n;
	const int *base;	/* [n + 1] */
	int *action;		/* [n][actions of the walk] what it calls them */
	double jump;
	struct cscg_count *c;
};

static int
number_states(const struct cscg_model *const *schema, int n, int *base,
    struct cscg_err *err)
{
	long S = 0;
	int k;

	for (k = 0; k < n; k++) {
		base[k] = (int)S;
		S += schema[k]->n_states;
		if (S > CSCG_STATE_MAX)
			return cscg_fail(err, CSCG_EMISMATCH, "together the "
			    "schemas have more than %d states",
			    CSCG_STATE_MAX);
	}
	base[n] = (int)S;
	return 0;
}

static int
map_actions(struct union_job *job, const struct cscg_walk_header *head, int *which,
    struct cscg_err *err)
{
	int k;

	for (k = 0; k < job->n; k++) {
		const struct cscg_model *m = job->schema[k];

		*which = k;
		if (cscg_names_map(&head->actions, head->n_actions,
		    &m->actions, m->n_actions, "action", job->action +
		    (long)k * head->n_actions, err) < 0)
			return -1;
	}
	*which = -1;
	return 0;
}

/* The entries of schema k under the walk's action a; returns how many. */
static long
add_block(const struct union_job *job, int k, int a, int as, struct cscg_count *c)
{
	const struct cscg_model *m = job->schema[k];
	int base = job->base[k], j;
	long r, i, n = 0;

	for (j = 0; j < m->n_states; j++) {
		double sum = cscg_model_row_sum(m, as, j);

		r = (long)as * m->n_states + j;
		for (i = m->first[r]; i < m->first[r + 1]; i++, n++)
			if (c)
				c[n] = (struct cscg_count){ a, base + j,
				    base + m->to[i], (1 - job->jump) *
				    m->count[i] / sum };
	}
	return n;
}

static long
add_blocks(const struct union_job *job, int n_actions, struct cscg_count *c)
{
	long n = 0;
	int k, a;

	for (a = 0; a < n_actions; a++)
		for (k = 0; k < job->n; k++)
			n += add_block(job, k, a, job->action[
			    (long)k * n_actions + a], c ? c + n : NULL);
	return n;
}

struct cscg_model *
cscg_switch_union(const struct cscg_model *const *schema, int n,
    const struct cscg_walk_header *head, double jump, int *base, int *which,
    struct cscg_err *err)
{
	struct union_job job = { .schema = schema, .n = n, .base = base,
	    .jump = jump };
	struct cscg_model *m = NULL;
	int at = -1, rc = -1;
	long n_c;

	job.action = cscg_alloc((size_t)n, (size_t)head->n_actions *
	    sizeof *job.action, err);
	if (!job.action || number_states(schema, n, base, err) < 0 ||
	    map_actions(&job, head, &at, err) < 0)
		goto out;
	n_c = add_blocks(&job, head->n_actions, NULL);
	job.c = cscg_alloc((size_t)n_c, sizeof *job.c, err);
	if (!job.c)
		goto out;
	add_blocks(&job, head->n_actions, job.c);
	m = cscg_model_new(CSCG_SCHEMA, base[n], head->n_actions, 1, err);
	if (!m)
		goto out;
	/* Counts of a row and what p adds are one: T = C + p. */
	m->pseudocount = jump / base[n];
	if (cscg_model_set_counts(m, job.c, n_c, err) == 0)
		rc = cscg_names_copy(&m->actions, &head->actions, err);
out:
	free(job.action);
	free(job.c);
	if (which)
		*which = at;
	if (rc == 0)
		return m;
	cscg_model_free(m);
	return NULL;
}

/* ---- tables ---- */

struct cscg_switch_trans *
cscg_switch_trans_take(struct cscg_model *m, const int *base, int n,
    const struct cscg_simd *simd, bool is_double, struct cscg_err *err)
{
	struct cscg_switch_trans *trans = cscg_alloc(1, sizeof *trans, err);

	if (!trans) {
		cscg_model_free(m);
		return NULL;
	}
	trans->n = n;
	trans->S = m->n_states;
	trans->m = m;
	trans->simd = is_double ? NULL : simd;
	trans->kern = is_double ? &cscg_plain_double : &cscg_plain_float;
	trans->base = cscg_copy(base, (size_t)n + 1, sizeof *base, err);
	if (trans->simd)
		trans->trans_simd = cscg_trans_simd_new(m, trans->simd, err);
	else
		trans->tr = cscg_trans_schema(m, trans->kern, err);
	if (!trans->base || (!trans->trans_simd && !trans->tr)) {
		cscg_switch_trans_free(trans);
		return NULL;
	}
	trans->stride = trans->trans_simd ? trans->trans_simd->pad : (size_t)trans->S;
	trans->bytes = trans->stride * trans->kern->size;
	return trans;
}

void
cscg_switch_trans_free(struct cscg_switch_trans *trans)
{
	if (!trans)
		return;
	free(trans->base);
	cscg_trans_simd_free(trans->trans_simd);
	cscg_trans_free(trans->tr);
	cscg_model_free(trans->m);
	free(trans);
}

void
cscg_switch_fill(const struct cscg_switch_trans *trans, double with,
    void *message)
{
	memset(message, 0, trans->bytes);
	trans->kern->fill(message, with, trans->S);
}

/* ---- messages ---- */

/* Through T of a, by the chains of simd.h. */
static bool
step_simd(const struct cscg_switch_trans *trans, int a, bool forward, const void *in,
    const void *weight, void *scratch, void *out, double *log_scale)
{
	struct cscg_chain_step link = { .cols = (uint32_t)trans->stride, .is_sparse = 1,
	    .rows_pad = (uint32_t)trans->stride, .weight = weight,
	    .scratch = scratch, .to = out };
	int16_t shift;
	double sum;

	if (forward)
		cscg_trans_simd_forward(trans->trans_simd, a, &link);
	else
		cscg_trans_simd_backward(trans->trans_simd, a, &link);
	sum = trans->simd->chain(in, &link, 1, &shift);
	*log_scale = shift * M_LN2;
	return sum > 0;
}

static bool
step_plain(const struct cscg_switch_trans *trans, int a, bool forward,
    const void *in, const void *weight, void *scratch, void *out,
    double *log_scale)
{
	const struct cscg_span all = { 0, trans->S, NULL };
	double sum;

	memcpy(scratch, in, trans->bytes);
	trans->kern->weigh(scratch, weight, trans->S);
	if (forward)
		cscg_trans_push(trans->tr, a, &all, &all, scratch, out);
	else
		cscg_trans_pull(trans->tr, a, &all, &all, scratch, out);
	sum = trans->kern->sum(out, trans->S);
	if (!(sum > 0))
		return false;
	trans->kern->scale(out, 1 / sum, trans->S);
	*log_scale = -log(sum);
	return true;
}

bool
cscg_switch_step_forward(const struct cscg_switch_trans *trans, int a, const void *in,
    const void *weight, void *scratch, void *out, double *log_scale)
{
	return (trans->simd ? step_simd : step_plain)(trans, a, true, in, weight, scratch,
	    out, log_scale);
}

bool
cscg_switch_step_backward(const struct cscg_switch_trans *trans, int a,
    const void *in, const void *weight, void *scratch, void *out,
    double *log_scale)
{
	return (trans->simd ? step_simd : step_plain)(trans, a, false, in, weight, scratch,
	    out, log_scale);
}

void
cscg_switch_add_posterior(const struct cscg_switch_trans *trans, void *alpha,
    const void *beta, const void *weight, double *line, double *visits)
{
	double sum;
	int j;

	if (trans->simd) {
		trans->simd->posterior(alpha, beta, weight,
		    (uint32_t)trans->stride, visits);
		return;
	}
	trans->kern->weigh(alpha, weight, trans->S);
	sum = trans->kern->weigh(alpha, beta, trans->S);
	trans->kern->scale(alpha, 1 / sum, trans->S);
	trans->kern->get(alpha, line, trans->S);
	for (j = 0; j < trans->S; j++)
		visits[j] += line[j];
}

/* ---- sums by schemas ---- */

static double
value_at(const struct cscg_switch_trans *trans, const void *v, int j)
{
	return trans->kern->size == sizeof(float) ? ((const float *)v)[j] :
	    ((const double *)v)[j];
}

void
cscg_switch_schema_sums(const struct cscg_switch_trans *trans, const void *in,
    const void *weight, double *sum)
{
	int k, j;

	for (k = 0; k < trans->n; k++)
		for (sum[k] = 0, j = trans->base[k]; j < trans->base[k + 1]; j++)
			sum[k] += value_at(trans, in, j) * value_at(trans, weight, j);
}

void
cscg_switch_jump_sums(const struct cscg_switch_trans *trans, int a,
    const void *in, const void *weight, double *sum)
{
	const void *level = trans->simd ?
	    (const void *)(trans->trans_simd->level + (size_t)a * trans->stride) :
	    (const char *)trans->tr->level + (size_t)a * trans->bytes;
	int k, j;

	for (k = 0; k < trans->n; k++)
		for (sum[k] = 0, j = trans->base[k]; j < trans->base[k + 1]; j++)
			sum[k] += value_at(trans, in, j) * value_at(trans, weight, j) *
			    value_at(trans, level, j);
}
