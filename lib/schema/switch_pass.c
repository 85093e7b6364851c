/*
 * switch_pass.c - union model of several schemas: forward-backward and EM on
 * its E
 *
 * Jumps go anywhere with the same probability, so T is the blocks of the
 * schemas and a matrix of rank one: the cost of a step is proportional to
 * counts and states.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/stats.h"
#include "learn/restarts.h"
#include "schema/switch_pass.h"

/* ---- the union ---- */

struct union_job {
	const struct cscg_model *const *schema;
	int n;
	const int *base; /* [n + 1] */
	int *action;     /* [n][actions of the walk] number in each schema */
	double jump;
	struct cscg_count *c;
};

static int
map_actions(struct union_job *job, const struct cscg_walk_header *head,
    int *which, struct cscg_err *err)
{
	int k;

	for (k = 0; k < job->n; k++) {
		const struct cscg_model *m = job->schema[k];

		*which = k;
		if (cscg_names_map(&head->actions, head->n_actions,
			&m->actions, m->n_actions, "action",
			job->action + (long)k * head->n_actions, err) < 0)
			return -1;
	}
	*which = -1;
	return 0;
}

/* The entries of schema k under the walk's action a; returns their number. */
static long
add_block(const struct union_job *job, int k, int a, int as,
    struct cscg_count *c)
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
					base + m->to[i],
					(1 - job->jump) * m->count[i] / sum };
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
			n += add_block(job, k, a,
			    job->action[(long)k * n_actions + a],
			    c ? c + n : NULL);
	return n;
}

struct cscg_model *
cscg_switch_union(const struct cscg_model *const *schema, int n,
    const struct cscg_walk_header *head, double jump, int *base, int *which,
    struct cscg_err *err)
{
	struct union_job job = {
		.schema = schema, .n = n, .base = base, .jump = jump
	};
	struct cscg_model *m = NULL;
	int at = -1, rc = -1;
	long n_c;

	job.action = cscg_alloc((size_t)n,
	    (size_t)head->n_actions * sizeof *job.action, err);
	if (!job.action ||
	    cscg_models_number_states(schema, n, base, err) < 0 ||
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
	/* Counts of a row and the part of p sum to one: T = C + p. */
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
	trans->base = cscg_copy(base, (size_t)n + 1, sizeof *base, err);
	trans->tr = cscg_trans_select(m, simd, is_double, err);
	if (!trans->base || !trans->tr) {
		cscg_switch_trans_free(trans);
		return NULL;
	}
	trans->kern = trans->tr->kern;
	trans->stride = trans->tr->stride;
	trans->bytes = trans->stride * trans->kern->size;
	return trans;
}

void
cscg_switch_trans_free(struct cscg_switch_trans *trans)
{
	if (!trans)
		return;
	free(trans->base);
	cscg_trans_free(trans->tr);
	cscg_model_free(trans->m);
	free(trans);
}

/* All states with equal probability; padding is zero. */
static void
switch_fill(const struct cscg_switch_trans *trans, double with, void *message)
{
	memset(message, 0, trans->bytes);
	trans->kern->fill(message, with, trans->S);
}

/* ---- sums by schemas ---- */

static double
value_at(const struct cscg_switch_trans *trans, const void *v, int j)
{
	return trans->kern->size == sizeof(float) ? ((const float *)v)[j] :
						    ((const double *)v)[j];
}

/*
 * The sum of in * weight over the states of each schema; if a >= 0, each
 * multiplied by the level of T for action a.
 */
static void
schema_sums(const struct cscg_switch_trans *trans, int a, const void *in,
    const void *weight, double *sum)
{
	const char *level = a < 0 ?
	    NULL :
	    (const char *)trans->tr->level + (size_t)a * trans->bytes;
	int k, j;

	for (k = 0; k < trans->n; k++)
		for (sum[k] = 0, j = trans->base[k]; j < trans->base[k + 1];
		     j++)
			sum[k] += value_at(trans, in, j) *
			    value_at(trans, weight, j) *
			    (level ? value_at(trans, level, j) : 1);
}

/* ---- emissions ---- */

struct cscg_switch_emission *
cscg_switch_emission_new(const struct cscg_switch_trans *trans, int n_obs,
    struct cscg_err *err)
{
	struct cscg_switch_emission *emission = cscg_alloc(1, sizeof *emission,
	    err);
	size_t K = (size_t)n_obs;

	if (!emission)
		return NULL;
	emission->trans = trans;
	emission->K = n_obs;
	emission->used = cscg_alloc(K, sizeof *emission->used, err);
	emission->is_used = cscg_alloc(K, 1, err);
	emission->column = cscg_alloc_aligned(K + 1, trans->bytes, CSCG_ALIGN,
	    err);
	emission->visits = cscg_alloc(K + 1,
	    trans->stride * sizeof *emission->visits, err);
	emission->norm = cscg_alloc(trans->stride, sizeof *emission->norm,
	    err);
	emission->line = cscg_alloc(trans->stride, sizeof *emission->line,
	    err);
	if (!emission->used || !emission->is_used || !emission->column ||
	    !emission->visits || !emission->norm || !emission->line) {
		cscg_switch_emission_free(emission);
		return NULL;
	}
	switch_fill(trans, 1, cscg_switch_column(emission, -1));
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
	memset(emission->visits, 0,
	    (K + 1) * stride * sizeof *emission->visits);
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
		emission->line[j] = emission->norm[j] > 0 ?
		    p * emission->norm[j] :
		    1.0 / emission->K;
	emission->trans->kern->set(cscg_switch_column(emission, x),
	    emission->line, emission->trans->S);
}

/* ---- the M-step ---- */

/* Visits of state j with symbol x: stored as counts, and in total. */
static double
old_visits(const struct cscg_switch_emission *emission, int x, int j)
{
	return emission->old_visits ?
	    emission->old_visits[(size_t)(x + 1) * emission->trans->stride +
		(size_t)j] :
	    0;
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
			norm[j] += total_visits(emission, emission->used[i],
			    j);
	for (j = 0; j < S; j++) {
		norm[j] = 1 / norm[j];
		line[j] = p * norm[j];
	}
	sum = p * (emission->K - emission->n_used) *
	    cscg_trans_log_sum(trans->tr, line, S);
	for (i = 0; i < emission->n_used; i++) {
		for (j = 0; j < S; j++)
			line[j] = (total_visits(emission, emission->used[i],
				       j) +
				      p) *
			    norm[j];
		trans->kern->set(
		    cscg_switch_column(emission, emission->used[i]), line, S);
		sum += p * cscg_trans_log_sum(trans->tr, line, S);
		for (j = 0; emission->old_visits && j < S; j++)
			sum += old_visits(emission, emission->used[i], j) *
			    log(line[j]);
	}
	return sum;
}

/* The visits of states below this posterior are not added: they are many. */
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
		/* Before the first binding all rows are equal. */
		emission->norm[j] = 1 /
		    ((emission->norm[j] > 0 ? 1 / emission->norm[j] :
					      p * emission->K) +
			gamma[j]);
		for (i = 0; i < emission->n_used; i++) {
			char *column = cscg_switch_column(emission,
			    emission->used[i]);
			double E = (total_visits(emission, emission->used[i],
					j) +
				       p) *
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

	if (!pass)
		return NULL;
	pass->trans = trans;
	pass->work.chunk = CSCG_SWITCH_CHUNK;
	pass->scratch = cscg_alloc_aligned(1, trans->bytes, CSCG_ALIGN, err);
	pass->jump_out = cscg_alloc(n, sizeof *pass->jump_out, err);
	pass->jump_in = cscg_alloc(n, sizeof *pass->jump_in, err);
	if (pass->scratch && pass->jump_out && pass->jump_in)
		return pass;
	cscg_switch_pass_free(pass);
	return NULL;
}

void
cscg_switch_pass_free(struct cscg_switch_pass *pass)
{
	if (!pass)
		return;
	cscg_work_free(&pass->work);
	free(pass->scratch);
	free(pass->jump_out);
	free(pass->jump_in);
	free(pass);
}

const void *
cscg_switch_chunk_message(const struct cscg_switch_pass *pass, long i)
{
	return cscg_work_checkpoint(&pass->work, pass->trans->tr, i);
}

static void
emission_at(const struct cscg_evidence *ev, long t, struct cscg_span *s)
{
	const struct cscg_switch_emission *emission = ev->ctx;

	s->hi = emission->trans->S;
	s->weight = cscg_switch_column(emission, ev->x[t]);
}

static struct cscg_evidence
evidence_of(const struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment)
{
	return (struct cscg_evidence){ .n = segment->n,
		.a = segment->a,
		.reset = segment->reset,
		.first = segment->reset && segment->reset[0] ? NULL :
							       segment->from,
		.at = emission_at,
		.ctx = emission,
		.x = segment->x };
}

int
cscg_switch_forward(struct cscg_switch_pass *pass,
    const struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment, double *loglik,
    struct cscg_err *err)
{
	struct cscg_evidence ev = evidence_of(emission, segment);

	if (cscg_pass_forward(pass->trans->tr, &ev, &pass->work, loglik, err) <
	    0)
		return -1;
	return isfinite(*loglik) ?
	    0 :
	    cscg_pass_underflow(pass->work.n_possible, err);
}

/*
 * The probability of a transition from one schema to another: a jump from a
 * state of k has weight jump_out[k], one to a state of l jump_in[l].
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

/* An E-step in progress. */
struct estep {
	struct cscg_switch_pass *pass;
	struct cscg_switch_emission *emission;
	const struct cscg_switch_segment *segment;
	const struct cscg_switch_posteriors *posteriors;
};

static double *
visits_at(void *ctx, long t)
{
	const struct estep *e = ctx;
	double *into = t < e->segment->n_old ? e->emission->old_visits :
					       e->emission->visits;

	return into + (size_t)(e->segment->x[t] + 1) * e->pass->trans->stride;
}

static void
set_posterior(void *ctx, long t, const struct cscg_span *s, const void *gamma)
{
	const struct estep *e = ctx;
	const struct cscg_switch_trans *trans = e->pass->trans;
	double *p = e->posteriors->posterior + t * trans->n;

	(void)s;
	schema_sums(trans, -1, gamma, cscg_switch_column(e->emission, -1), p);
	cscg_normalise(p, trans->n, p);
}

static void
set_p_switch(void *ctx, long t, const void *alpha, const void *v, double scale)
{
	const struct estep *e = ctx;
	const void *ones = cscg_switch_column(e->emission, -1);

	schema_sums(e->pass->trans, e->segment->a[t], alpha, ones,
	    e->pass->jump_out);
	schema_sums(e->pass->trans, -1, v, ones, e->pass->jump_in);
	e->posteriors->p_switch[t + 1] = switch_probability(e->pass, scale);
}

static void
clear_visits(struct cscg_switch_emission *emission)
{
	size_t bytes = emission->trans->stride * sizeof *emission->visits;
	int i;

	memset(cscg_switch_visits(emission, -1), 0, bytes);
	for (i = 0; i < emission->n_used; i++)
		memset(cscg_switch_visits(emission, emission->used[i]), 0,
		    bytes);
}

int
cscg_switch_estep(struct cscg_switch_pass *pass,
    struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment,
    const struct cscg_switch_posteriors *posteriors, double *loglik,
    struct cscg_err *err)
{
	struct cscg_evidence ev = evidence_of(emission, segment);
	struct estep e = { pass, emission, segment, posteriors };
	const struct cscg_sink sink = { .visits = visits_at,
		.posterior = posteriors ? set_posterior : NULL,
		.pair = posteriors ? set_p_switch : NULL,
		.ctx = &e };
	long t;

	if (cscg_switch_forward(pass, emission, segment, loglik, err) < 0)
		return -1;
	clear_visits(emission);
	if (posteriors)
		memset(posteriors->p_switch, 0,
		    (size_t)segment->n * sizeof *posteriors->p_switch);
	t = cscg_pass_backward(pass->trans->tr, &ev, &pass->work, &sink);
	return t < 0 ? 0 : cscg_pass_underflow(t, err);
}

/* ---- the filter ---- */

int
cscg_switch_filter(struct cscg_switch_pass *pass,
    const struct cscg_switch_emission *emission, const void *now, int before,
    int a, int x, void *next, double *posterior, double *p_switch,
    struct cscg_err *err)
{
	const struct cscg_switch_trans *trans = pass->trans;
	const void *ones = cscg_switch_column(emission, -1);
	const void *was = cscg_switch_column(emission, before);
	const void *weight = cscg_switch_column(emission, x);
	const struct cscg_span from = { .hi = trans->S, .weight = was };
	double log_scale = 0, sum = 0;
	int k, rc = 1;

	if (a < 0)
		switch_fill(trans, 1.0 / trans->S, next);
	else
		rc = cscg_pass_predict(trans->tr, a, &from, now, &pass->work,
		    next, &log_scale, err);
	if (rc <= 0)
		return rc < 0 ? -1 : cscg_pass_underflow(0, err);
	schema_sums(trans, -1, next, weight, posterior);
	for (k = 0; k < trans->n; k++)
		sum += posterior[k];
	if (!(sum > 0))
		return cscg_pass_underflow(0, err);
	*p_switch = 0;
	if (a >= 0) {
		schema_sums(trans, a, now, was, pass->jump_out);
		schema_sums(trans, -1, ones, weight, pass->jump_in);
		*p_switch = switch_probability(pass, exp(-log_scale) / sum);
	}
	for (k = 0; k < trans->n; k++)
		posterior[k] /= sum;
	return 0;
}

/* ---- EM on E of the union: binds several schemas at once ---- */

struct switch_em {
	struct cscg_switch_pass *pass;
	struct cscg_switch_emission *emission;
	const struct cscg_switch_segment *segment;
	const struct cscg_switch_options *set;
	double prior;
};

static int
expect(void *ctx, bool update, struct cscg_em_progress *line,
    struct cscg_err *err)
{
	const struct switch_em *em = ctx;

	(void)update;
	if (cscg_switch_estep(em->pass, em->emission, em->segment, NULL,
		&line->loglik, err) < 0)
		return -1;
	line->objective = line->loglik + em->prior;
	return 0;
}

static int
maximise(void *ctx, struct cscg_err *err)
{
	struct switch_em *em = ctx;

	(void)err;
	em->prior = cscg_switch_mstep(em->emission, em->set->pseudocount);
	return 0;
}

int
cscg_switch_em(struct cscg_switch_pass *pass,
    struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment,
    const struct cscg_switch_options *set, struct cscg_em_progress *last,
    struct cscg_err *err)
{
	/*
	 * The initial E need not result from visits, so its log prior is
	 * unknown.
	 */
	struct switch_em ctx = { pass, emission, segment, set, -INFINITY };
	struct cscg_em_problem problem = { .expect = expect,
		.maximise = maximise,
		.ctx = &ctx,
		.steps = segment->n,
		.impossible = "the schemas cannot produce this walk" };
	const struct cscg_em em = { .iterations = set->iterations,
		.tolerance = set->tolerance,
		.successive = true };

	cscg_em_set_slack(&problem, set->is_double);
	return cscg_em(&problem, &em, last, err);
}

/* ---- starts ---- */

/*
 * Start i: E is 1 + jitter * U, normalised; all symbols of the segment are
 * used.
 */
static void
switch_random_E(struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment,
    const struct cscg_switch_options *set, uint64_t i, uint64_t key)
{
	const struct cscg_switch_trans *trans = emission->trans;
	struct cscg_rng rng;
	int j, x;
	long t;

	cscg_rng_seed(&rng, set->seed, CSCG_RNG_BIND, i, key);
	cscg_switch_emission_clear(emission);
	for (t = 0; t < segment->n; t++)
		cscg_switch_add_symbol(emission, segment->x[t],
		    set->pseudocount);
	for (x = 0; x < emission->K; x++) {
		if (!emission->is_used[x])
			continue;
		for (j = 0; j < trans->S; j++)
			emission->line[j] =
			    (1 + set->jitter * cscg_rng_uniform(&rng)) /
			    emission->K;
		trans->kern->set(cscg_switch_column(emission, x),
		    emission->line, trans->S);
	}
}

struct switch_search {
	struct cscg_switch_emission *best;
	const struct cscg_switch_segment *segment;
	const struct cscg_switch_options *set;
	uint64_t key;
	struct cscg_em_progress *last; /* of the best */
};

/* The result of a start, and the memory of a thread. */
struct switch_start {
	struct cscg_switch_pass *pass;
	struct cscg_switch_emission *emission;
	struct cscg_em_progress last;
};

static void
switch_start_clear(void *state)
{
	struct switch_start *own = state;

	cscg_switch_pass_free(own->pass);
	cscg_switch_emission_free(own->emission);
}

static int
switch_start_init(void *ctx, void *state, struct cscg_err *err)
{
	const struct switch_search *search = ctx;
	struct switch_start *own = state;

	own->pass = cscg_switch_pass_new(search->best->trans, err);
	own->emission = cscg_switch_emission_new(search->best->trans,
	    search->best->K, err);
	return own->pass && own->emission ? 0 : -1;
}

static int
run_start(void *ctx, long i, void *state, double *value, struct cscg_err *err)
{
	const struct switch_search *search = ctx;
	struct switch_start *own = state;

	switch_random_E(own->emission, search->segment, search->set,
	    (uint64_t)i, search->key);
	if (cscg_switch_em(own->pass, own->emission, search->segment,
		search->set, &own->last, err) < 0)
		return -1;
	*value = own->last.objective;
	return 0;
}

static int
finish_start(void *ctx, long i, void *state, bool better, struct cscg_err *err)
{
	const struct switch_search *search = ctx;
	const struct switch_start *own = state;

	(void)i;
	(void)err;
	if (better) {
		*search->last = own->last;
		cscg_switch_emission_copy(search->best, own->emission);
	}
	return 0;
}

int
cscg_switch_restarts(struct cscg_switch_emission *emission,
    const struct cscg_switch_segment *segment,
    const struct cscg_switch_options *set, uint64_t key,
    struct cscg_em_progress *last, struct cscg_err *err)
{
	struct switch_search search = { .best = emission,
		.segment = segment,
		.set = set,
		.key = key,
		.last = last };
	struct cscg_restarts restarts = { .run = run_start,
		.finish = finish_start,
		.state_size = sizeof(struct switch_start),
		.state_init = switch_start_init,
		.state_clear = switch_start_clear,
		.ctx = &search };

	return cscg_restarts_run(&restarts, NULL, set->restarts, set->threads,
	    err);
}
