/*
 * switching_pass.c - what a stretch of a walk says of states, schemas and looks
 *
 * Messages of a whole walk through many schemas are more than fits, and more
 * than is worth writing and reading.  One pass forward keeps only the message
 * at the start of each chunk; from the last chunk to the first, messages are
 * then made again, and meet the backward message on its way.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schema/switching_pass.h"

enum { CHUNK = CSCG_SWITCH_CHUNK };

/* ---- looks ---- */

struct cscg_switch_emission *
cscg_switch_emission_new(const struct cscg_switch_trans *trans, int n_obs,
    struct cscg_err *err)
{
	struct cscg_switch_emission *emission = cscg_alloc(1, sizeof *emission, err);
	size_t K = (size_t)n_obs;

	if (!emission)
		return NULL;
	emission->trans = trans;
	emission->K = n_obs;
	emission->used = cscg_alloc(K, sizeof *emission->used, err);
	emission->is_used = cscg_alloc(K, 1, err);
	emission->column = cscg_alloc_aligned(K + 1, trans->bytes, CSCG_ALIGN, err);
	emission->visits = cscg_alloc(K + 1, trans->stride * sizeof *emission->visits, err);
	emission->norm = cscg_alloc(trans->stride, sizeof *emission->norm, err);
	emission->line = cscg_alloc(trans->stride, sizeof *emission->line, err);
	if (!emission->used || !emission->is_used || !emission->column || !emission->visits ||
	    !emission->norm || !emission->line) {
		cscg_switch_emission_free(emission);
		return NULL;
	}
	cscg_switch_fill(trans, 1, cscg_switch_column(emission, -1));
	return emission;
}

void
cscg_switch_emission_free(struct cscg_switch_emission *emission)
{
	if (!emission)
		return;
	free(emission->used);
	free(emission->is_used);
	free(emission->column);
	free(emission->visits);
	free(emission->old_visits);
	free(emission->norm);
	free(emission->line);
	free(emission);
}

void
cscg_switch_emission_clear(struct cscg_switch_emission *emission)
{
	size_t K = (size_t)emission->K, stride = emission->trans->stride;

	emission->n_used = 0;
	memset(emission->is_used, 0, K);
	memset(emission->norm, 0, stride * sizeof *emission->norm);
	memset(emission->visits, 0, (K + 1) * stride * sizeof *emission->visits);
	free(emission->old_visits);
	emission->old_visits = NULL;
}

void
cscg_switch_emission_copy(struct cscg_switch_emission *to,
    const struct cscg_switch_emission *from)
{
	size_t K = (size_t)from->K;
	int i;

	to->n_used = from->n_used;
	memcpy(to->used, from->used, K * sizeof *to->used);
	memcpy(to->is_used, from->is_used, K);
	memcpy(to->norm, from->norm, from->trans->stride * sizeof *to->norm);
	for (i = 0; i < from->n_used; i++) {
		memcpy(cscg_switch_column(to, from->used[i]),
		    cscg_switch_column(from, from->used[i]),
		    from->trans->bytes);
		memcpy(cscg_switch_visits(to, from->used[i]),
		    cscg_switch_visits(from, from->used[i]),
		    from->trans->stride * sizeof *to->visits);
	}
}

void
cscg_switch_add_symbol(struct cscg_switch_emission *emission, int x, double p)
{
	int j;

	if (x < 0 || emission->is_used[x])
		return;
	emission->is_used[x] = 1;
	emission->used[emission->n_used++] = x;
	for (j = 0; j < emission->trans->S; j++)
		emission->line[j] = emission->norm[j] > 0 ? p * emission->norm[j] :
		    1.0 / emission->K;
	emission->trans->kern->set(cscg_switch_column(emission, x), emission->line,
	    emission->trans->S);
}

/* ---- the M-step ---- */

static double
sum_log(const struct cscg_switch_trans *trans, const double *v, int n)
{
	double sum = 0;
	int i;

	if (trans->simd)
		return trans->simd->log_sum(v, n);
	for (i = 0; i < n; i++)
		sum += log(v[i]);
	return sum;
}

/* Visits of state j with symbol x: held, and in all. */
static double
old_visits(const struct cscg_switch_emission *emission, int x, int j)
{
	return emission->old_visits ? emission->old_visits[(size_t)(x + 1) * emission->trans->stride +
	    (size_t)j] : 0;
}

static double
total_visits(const struct cscg_switch_emission *emission, int x, int j)
{
	return cscg_switch_visits(emission, x)[j] + old_visits(emission, x, j);
}

double
cscg_switch_mstep(struct cscg_switch_emission *emission, double p)
{
	const struct cscg_switch_trans *trans = emission->trans;
	double sum, *norm = emission->norm, *line = emission->line;
	int i, j, S = trans->S;

	for (j = 0; j < S; j++)
		norm[j] = p * emission->K;
	for (i = 0; i < emission->n_used; i++)
		for (j = 0; j < S; j++)
			norm[j] += total_visits(emission, emission->used[i], j);
	for (j = 0; j < S; j++) {
		norm[j] = 1 / norm[j];
		line[j] = p * norm[j];
	}
	sum = p * (emission->K - emission->n_used) * sum_log(trans, line, S);
	for (i = 0; i < emission->n_used; i++) {
		for (j = 0; j < S; j++)
			line[j] = (total_visits(emission, emission->used[i], j) + p) *
			    norm[j];
		trans->kern->set(cscg_switch_column(emission, emission->used[i]),
		    line, S);
		sum += p * sum_log(trans, line, S);
		for (j = 0; emission->old_visits && j < S; j++)
			sum += old_visits(emission, emission->used[i], j) * log(line[j]);
	}
	return sum;
}

/* States that are less likely than this learn nothing: they are many. */
static const double MIN_POSTERIOR = 1e-3;

void
cscg_switch_add_visit(struct cscg_switch_emission *emission, int x,
    const double *gamma, double p)
{
	const struct cscg_kernel *kern = emission->trans->kern;
	int i, j;

	for (j = 0; x >= 0 && j < emission->trans->S; j++) {
		if (gamma[j] < MIN_POSTERIOR)
			continue;
		cscg_switch_visits(emission, x)[j] += gamma[j];
		/* Before the first binding all rows are alike. */
		emission->norm[j] = 1 / ((emission->norm[j] > 0 ? 1 / emission->norm[j] :
		    p * emission->K) + gamma[j]);
		for (i = 0; i < emission->n_used; i++) {
			char *column = cscg_switch_column(emission,
			    emission->used[i]);
			double E = (total_visits(emission, emission->used[i], j) + p) *
			    emission->norm[j];

			kern->set(column + (size_t)j * kern->size, &E, 1);
		}
	}
}

/* ---- passes ---- */

struct cscg_switch_pass *
cscg_switch_pass_new(const struct cscg_switch_trans *trans,
    struct cscg_err *err)
{
	struct cscg_switch_pass *pass = cscg_alloc(1, sizeof *pass, err);
	size_t n = (size_t)trans->n;
	int i;

	if (!pass)
		return NULL;
	pass->trans = trans;
	pass->alpha = cscg_alloc_aligned(CHUNK, trans->bytes, CSCG_ALIGN, err);
	for (i = 0; i < 2; i++) {
		pass->beta[i] = cscg_alloc_aligned(1, trans->bytes, CSCG_ALIGN,
		    err);
		pass->last[i] = cscg_alloc_aligned(1, trans->bytes, CSCG_ALIGN,
		    err);
	}
	pass->scratch = cscg_alloc_aligned(1, trans->bytes, CSCG_ALIGN, err);
	pass->line = cscg_alloc(trans->stride, sizeof *pass->line, err);
	pass->jump_out = cscg_alloc(n, sizeof *pass->jump_out, err);
	pass->jump_in = cscg_alloc(n, sizeof *pass->jump_in, err);
	if (pass->alpha && pass->beta[0] && pass->beta[1] && pass->scratch &&
	    pass->last[0] && pass->last[1] && pass->line && pass->jump_out && pass->jump_in)
		return pass;
	cscg_switch_pass_free(pass);
	return NULL;
}

void
cscg_switch_pass_free(struct cscg_switch_pass *pass)
{
	if (!pass)
		return;
	free(pass->alpha);
	free(pass->beta[0]);
	free(pass->beta[1]);
	free(pass->scratch);
	free(pass->chunk_start);
	free(pass->last[0]);
	free(pass->last[1]);
	free(pass->line);
	free(pass->jump_out);
	free(pass->jump_in);
	free(pass);
}

static int
fail_underflow(long t, struct cscg_err *err)
{
	return cscg_fail(err, CSCG_ERANGE, "step %ld: numbers became too small "
	    "(a larger pseudocount helps, or double precision)", t);
}

/* Is the message at step t one of any state? */
static bool
is_reset(const struct cscg_switch_segment *segment, long t)
{
	return segment->reset && segment->reset[t];
}

/* The message at the first step of the stretch. */
static void
init_message(const struct cscg_switch_trans *trans,
    const struct cscg_switch_segment *segment, void *alpha)
{
	if (segment->from && !is_reset(segment, 0))
		memcpy(alpha, segment->from, trans->bytes);
	else
		cscg_switch_fill(trans, 1.0 / trans->S, alpha);
}

/* From the message of step t to that of t + 1. */
static int
step_forward(struct cscg_switch_pass *pass,
    const struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment, long t, const void *in, void *out,
    double *log_scale, struct cscg_err *err)
{
	if (is_reset(segment, t + 1)) {
		cscg_switch_fill(pass->trans, 1.0 / pass->trans->S, out);
		*log_scale = 0;
		return 0;
	}
	if (!cscg_switch_step_forward(pass->trans, segment->a[t], in,
	    cscg_switch_column(emission, segment->x[t]), pass->scratch, out, log_scale))
		return fail_underflow(t + 1, err);
	return 0;
}

/* log of what is left of a message at step t. */
static double
log_sum(const struct cscg_switch_pass *pass,
    const struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment, long t, const void *alpha)
{
	const struct cscg_switch_trans *trans = pass->trans;
	const void *weight = cscg_switch_column(emission, segment->x[t]);

	return log(trans->simd ? trans->simd->dot(alpha, weight,
	    (uint32_t)trans->stride) : trans->kern->dot(alpha, weight, trans->S));
}

const void *
cscg_switch_chunk_message(const struct cscg_switch_pass *pass, long i)
{
	return pass->chunk_start + (size_t)i * pass->trans->bytes;
}

/* All steps; keeps the message at the start of each chunk. */
int
cscg_switch_forward(struct cscg_switch_pass *pass,
    const struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment, double *loglik,
    struct cscg_err *err)
{
	const struct cscg_switch_trans *trans = pass->trans;
	char *in = pass->alpha, *out = in + trans->bytes, *swap;
	double log_scale, sum = 0;
	long t;

	if (cscg_grow(&pass->chunk_start, &pass->cap_chunk_start, (size_t)((segment->n +
	    CHUNK - 1) / CHUNK) * trans->bytes, 1, err) < 0)
		return -1;
	init_message(trans, segment, in);
	for (t = 0;; t++) {
		if (t % CHUNK == 0)
			memcpy(pass->chunk_start + (size_t)(t / CHUNK) * trans->bytes,
			    in, trans->bytes);
		if (t + 1 == segment->n || is_reset(segment, t + 1))
			sum += log_sum(pass, emission, segment, t, in);
		if (t + 1 == segment->n)
			break;
		if (step_forward(pass, emission, segment, t, in, out, &log_scale, err) < 0)
			return -1;
		sum -= log_scale;
		swap = in;
		in = out;
		out = swap;
	}
	memcpy(pass->last[0], in, trans->bytes);
	memcpy(pass->last[1], out, trans->bytes);
	*loglik = sum;
	return isfinite(sum) ? 0 : fail_underflow(t, err);
}

/* The messages of the chunk that begins at step t0, again. */
static int
recompute_chunk(struct cscg_switch_pass *pass,
    const struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment, long t0, long t1,
    struct cscg_err *err)
{
	size_t bytes = pass->trans->bytes;
	char *at = pass->alpha;
	double log_scale;
	long t;

	memcpy(at, pass->chunk_start + (size_t)(t0 / CHUNK) * bytes, bytes);
	for (t = t0; t + 1 < t1; t++, at += bytes)
		if (step_forward(pass, emission, segment, t, at, at + bytes, &log_scale,
		    err) < 0)
			return -1;
	return 0;
}

/*
 * The share of ways from one schema to another among all that there are: a jump
 * from a state of k leaves with jump_out[k], and one to l is worth jump_in[l].
 */
static double
switch_probability(const struct cscg_switch_pass *pass, double scale)
{
	double out = 0, in = 0, same = 0, p;
	int k;

	for (k = 0; k < pass->trans->n; k++) {
		out += pass->jump_out[k];
		in += pass->jump_in[k];
		same += pass->jump_out[k] * pass->jump_in[k];
	}
	p = (out * in - same) * scale;
	return p < 0 ? 0 : p > 1 ? 1 : p;
}

/* What is told of step t, and of the move to t + 1 that has this lift. */
static void
set_posteriors(struct cscg_switch_pass *pass,
    const struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment,
    const struct cscg_switch_posteriors *posteriors, long t, const void *alpha,
    const void *beta, double log_scale)
{
	const struct cscg_switch_trans *trans = pass->trans;
	const void *weight = cscg_switch_column(emission, segment->x[t]);
	double *p = posteriors->posterior + t * trans->n, sum = 0;
	int k;

	memcpy(pass->scratch, alpha, trans->bytes);
	trans->kern->weigh(pass->scratch, weight, trans->S);
	cscg_switch_schema_sums(trans, pass->scratch, beta, p);
	for (k = 0; k < trans->n; k++)
		sum += p[k];
	if (t + 1 < segment->n && !is_reset(segment, t + 1)) {
		cscg_switch_jump_sums(trans, segment->a[t], alpha, weight,
		    pass->jump_out);
		posteriors->p_switch[t + 1] = switch_probability(pass, exp(log_scale) / sum);
	} else if (t + 1 < segment->n) {
		posteriors->p_switch[t + 1] = 0;
	}
	for (k = 0; k < trans->n; k++)
		p[k] /= sum;
	cscg_switch_schema_sums(trans, beta, weight, pass->jump_in);
}

/* Back to step t, where beta[0] becomes its message. */
static int
step_back(struct cscg_switch_pass *pass,
    const struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment, long t, double *log_scale,
    struct cscg_err *err)
{
	char *swap = pass->beta[0];

	*log_scale = 0;
	if (t + 1 == segment->n || is_reset(segment, t + 1)) {
		cscg_switch_fill(pass->trans, 1, pass->beta[0]);
		return 0;
	}
	if (!cscg_switch_step_backward(pass->trans, segment->a[t], pass->beta[0],
	    cscg_switch_column(emission, segment->x[t + 1]), pass->scratch,
	    pass->beta[1], log_scale))
		return fail_underflow(t, err);
	pass->beta[0] = pass->beta[1];
	pass->beta[1] = swap;
	return 0;
}

static void
clear_visits(struct cscg_switch_emission *emission)
{
	size_t bytes = emission->trans->stride * sizeof *emission->visits;
	int i;

	memset(cscg_switch_visits(emission, -1), 0, bytes);
	for (i = 0; i < emission->n_used; i++)
		memset(cscg_switch_visits(emission, emission->used[i]), 0, bytes);
}

int
cscg_switch_estep(struct cscg_switch_pass *pass,
    struct cscg_switch_emission *emission, const struct cscg_switch_segment *segment,
    const struct cscg_switch_posteriors *posteriors, double *loglik,
    struct cscg_err *err)
{
	size_t bytes = pass->trans->bytes;
	long t0, t1, t;
	double log_scale, *into;

	if (cscg_switch_forward(pass, emission, segment, loglik, err) < 0)
		return -1;
	clear_visits(emission);
	if (posteriors)
		posteriors->p_switch[0] = 0;
	for (t1 = segment->n; t1 > 0; t1 = t0) {
		t0 = (t1 - 1) / CHUNK * CHUNK;
		if (recompute_chunk(pass, emission, segment, t0, t1, err) < 0)
			return -1;
		for (t = t1 - 1; t >= t0; t--) {
			char *alpha = pass->alpha + (size_t)(t - t0) * bytes;

			if (step_back(pass, emission, segment, t, &log_scale, err) < 0)
				return -1;
			if (posteriors)
				set_posteriors(pass, emission, segment, posteriors, t, alpha,
				    pass->beta[0], log_scale);
			into = t < segment->n_old ? emission->old_visits : emission->visits;
			cscg_switch_add_posterior(pass->trans, alpha, pass->beta[0],
			    cscg_switch_column(emission, segment->x[t]),
			    pass->line, into + (size_t)(segment->x[t] + 1) *
			    pass->trans->stride);
		}
	}
	return 0;
}

/* ---- the filter ---- */

int
cscg_switch_filter(struct cscg_switch_pass *pass,
    const struct cscg_switch_emission *emission, const void *now, int before, int a,
    int x, void *next, double *posterior, double *p_switch, struct cscg_err *err)
{
	const struct cscg_switch_trans *trans = pass->trans;
	const void *ones = cscg_switch_column(emission, -1);
	const void *was = cscg_switch_column(emission, before);
	const void *weight = cscg_switch_column(emission, x);
	double log_scale = 0, sum = 0;
	int k;

	if (a < 0)
		cscg_switch_fill(trans, 1.0 / trans->S, next);
	else if (!cscg_switch_step_forward(trans, a, now, was, pass->scratch, next,
	    &log_scale))
		return fail_underflow(0, err);
	cscg_switch_schema_sums(trans, next, weight, posterior);
	for (k = 0; k < trans->n; k++)
		sum += posterior[k];
	if (!(sum > 0))
		return fail_underflow(0, err);
	*p_switch = 0;
	if (a >= 0) {
		cscg_switch_jump_sums(trans, a, now, was, pass->jump_out);
		cscg_switch_schema_sums(trans, ones, weight, pass->jump_in);
		*p_switch = switch_probability(pass, exp(log_scale) / sum);
	}
	for (k = 0; k < trans->n; k++)
		posterior[k] /= sum;
	return 0;
}
