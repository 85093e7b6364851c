/*
 * stitch.c - stitching: one model of an environment composed of known schemas
 *
 * The stages bind, learn, Viterbi training and prune in their order.  The prior
 * is kept to the end, since only its transitions may have counts.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/table.h"
#include "kernel/decoder.h"
#include "kernel/estep_sparse.h"
#include "learn/em.h"
#include "learn/structure.h"
#include "schema/ground.h"
#include "schema/stitch.h"
#include "schema/stitch_bind.h"

struct stitch_job {
	const struct cscg_stitch *set;
	const struct cscg_walk *w;
	struct cscg_stitch_result *out;
	struct cscg_model *prior;         /* T of the prior */
	struct cscg_stitch_blocks blocks; /* ... its blocks */
	struct cscg_model *m;             /* ... and as learned */
	double *E, *pi;
	double *prior_counts; /* counts of the prior with weight
	                         prior_weight */
	int *path;            /* [steps] */
	bool stop;
};

/* ---- progress reports ---- */

static int
report(struct stitch_job *job, const char *stage, long restart,
    const struct cscg_em_progress *l)
{
	struct cscg_stitch_progress line = { stage, restart, l->iteration,
		job->m ? job->m->n_states : job->prior->n_states, l->loglik,
		l->objective };

	if (job->set->report && job->set->report(job->set->ctx, &line))
		job->stop = true;
	return job->stop;
}

static int
on_bind(void *ctx, const char *stage, long restart,
    const struct cscg_em_progress *l)
{
	return report(ctx, stage, restart, l);
}

static int
on_em(void *ctx, const struct cscg_em_progress *l)
{
	return report(ctx, "em", 0, l);
}

static void
report_loglik(struct stitch_job *job, const char *stage, long iteration,
    double loglik)
{
	struct cscg_em_progress line = { iteration, loglik, NAN, INFINITY };

	report(job, stage, 0, &line);
}

/* ---- the stages ---- */

/* Estimate emissions, with the T of the prior. */
static int
bind_emissions(struct stitch_job *job, struct cscg_err *err)
{
	const struct cscg_stitch *set = job->set;
	struct cscg_stitch_bind how = { .blocks = job->blocks,
		.w = job->w,
		.bind = set->bind,
		.starts = set->starts,
		.reset_rounds = set->reset_rounds,
		.report = on_bind,
		.ctx = job };
	size_t S = (size_t)job->prior->n_states;
	size_t K = (size_t)job->w->head.n_obs;
	struct cscg_em_progress last;
	long which;

	job->E = cscg_alloc(S, K * sizeof *job->E, err);
	job->pi = job->E ? cscg_alloc(S, sizeof *job->pi, err) : NULL;
	if (!job->pi ||
	    cscg_stitch_bind(&how, job->E, job->pi, &last, &which, err) < 0)
		return -1;
	report(job, "best", which, &last);
	return 0;
}

/* The transitions of the path for which `has` is true, as counts of 1; their number. */
static long
list_path(const struct stitch_job *job,
    bool (*has)(const struct cscg_stitch_blocks *blocks, int a, int j, int k),
    struct cscg_count *c)
{
	long i, all = cscg_walk_count_path(job->w, job->path, c), n = 0;

	for (i = 0; i < all; i++)
		if (has(&job->blocks, c[i].a, c[i].from, c[i].to))
			c[n++] = c[i];
	return n;
}

/* The prior, with the counts of a frontier scaled up to those of other rows. */
static long
list_prior(const struct cscg_model *m, struct cscg_count *buf)
{
	int S = m->n_states, a, j;
	long i, r, n = 0;

	for (r = 0; r < (long)m->n_actions * S; r++) {
		double sum, most = CSCG_STITCH_ROW_COUNT / 2;

		a = (int)(r / S);
		j = (int)(r % S);
		sum = cscg_model_row_sum(m, a, j);
		for (i = m->first[r]; i < m->first[r + 1]; i++)
			buf[n++] = (struct cscg_count){ a, j, m->to[i],
				m->count[i] * (sum < most ? most / sum : 1) };
	}
	return n;
}

/*
 * Where connections are too many to be stored, store those on the Viterbi path.
 */
static int
list_links(struct stitch_job *job, struct cscg_err *err)
{
	struct cscg_model *m = job->prior;
	size_t most = (size_t)job->w->n_steps +
	    (size_t)m->first[(long)m->n_actions * m->n_states];
	struct cscg_count *buf = cscg_alloc(most, sizeof *buf, err);
	double logp;
	long n;
	int rc = -1;

	if (!buf ||
	    cscg_decode_viterbi(job->m, job->w, &cscg_plain_float, NULL,
		job->path, &logp, err) < 0)
		goto out;
	n = list_prior(m, buf);
	n += list_path(job, cscg_stitch_is_link, buf + n);
	rc = cscg_model_set_counts(m, buf, n, err);
out:
	free(buf);
	return rc;
}

/*
 * The transitions of the schemas, weighted by prior_weight, except at
 * frontiers.
 */
static int
set_prior_counts(struct stitch_job *job, struct cscg_err *err)
{
	const struct cscg_model *m = job->prior;
	long i, r, f, rows = (long)m->n_actions * m->n_states;

	job->prior_counts = cscg_alloc((size_t)m->first[rows],
	    sizeof *job->prior_counts, err);
	if (!job->prior_counts)
		return -1;
	for (r = 0; r < rows; r++) {
		double sum = cscg_model_row_sum(m, (int)(r / m->n_states),
		    (int)(r % m->n_states));

		for (i = m->first[r]; i < m->first[r + 1]; i++)
			job->prior_counts[i] = job->set->prior_weight *
			    m->count[i] / sum;
	}
	for (f = 0; f < m->n_frontiers; f++) {
		r = (long)m->frontier[f].a * m->n_states +
		    m->frontier[f].state;
		for (i = m->first[r]; i < m->first[r + 1]; i++)
			job->prior_counts[i] = 0;
	}
	return 0;
}

/* Ground the prior: add the emissions that were estimated. */
static int
ground_prior(struct stitch_job *job, struct cscg_err *err)
{
	job->m = cscg_model_copy(job->prior, err);
	return job->m ?
	    cscg_model_set_E(job->m, job->E, job->w->head.n_obs, err) :
	    -1;
}

/* Estimate transitions, with the estimated E. */
static int
learn_transitions(struct stitch_job *job, struct cscg_err *err)
{
	struct cscg_em em = { .iterations = job->stop ? 0 :
							job->set->iterations,
		.tolerance = job->set->tolerance,
		.report = on_em,
		.ctx = job };
	struct cscg_estep *engine = NULL;
	struct cscg_em_progress last;
	int rc = -1;

	if (ground_prior(job, err) < 0)
		return -1;
	if (job->blocks.is_implicit) {
		if (list_links(job, err) < 0)
			return -1;
		cscg_model_free(job->m);
		job->m = NULL;
		if (ground_prior(job, err) < 0)
			return -1;
	}
	/* The engine borrows entries, which the result will lack. */
	if (set_prior_counts(job, err) < 0)
		return -1;
	engine = cscg_estep_sparse(job->m, job->w, job->prior_counts, err);
	if (engine &&
	    cscg_em_T(engine, job->w->n_steps, job->set->pseudocount, &em,
		&last, err) == 0) {
		report(job, "learn", 0, &last);
		rc = engine->store(engine, job->m, 0, err);
	}
	cscg_estep_free(engine);
	job->m->pseudocount = job->set->pseudocount;
	return rc;
}

/*
 * List the counts of the path, for transitions that the prior has, plus the
 * prior counts, and report the round.
 */
static long
count_path(void *ctx, int round, double logp, struct cscg_count *buf)
{
	struct stitch_job *job = ctx;
	int S = job->prior->n_states;
	long n = list_path(job, cscg_stitch_has_transition, buf), i, r;

	for (r = 0; r < (long)job->prior->n_actions * S; r++)
		for (i = job->prior->first[r]; i < job->prior->first[r + 1];
		     i++)
			if (job->prior_counts[i] > 0)
				buf[n++] = (struct cscg_count){ (int)(r / S),
					(int)(r % S), job->prior->to[i],
					job->prior_counts[i] };
	report_loglik(job, "viterbi", round, logp);
	return n;
}

static int
viterbi_training(struct stitch_job *job, struct cscg_err *err)
{
	const struct cscg_model *prior = job->prior;
	struct cscg_viterbi_counts counts = { count_path, job,
		(size_t)(job->w->n_steps +
		    prior->first[(long)prior->n_actions * prior->n_states]) };
	double logp;

	return cscg_viterbi_train(job->m, job->w, &cscg_plain_float, NULL,
	    job->set->viterbi_rounds, &counts, job->path, &logp, err);
}

/* ---- the result ---- */

static void
tally_step(struct stitch_job *job, long t)
{
	struct cscg_stitch_result *out = job->out;
	const struct cscg_walk *w = job->w;
	int z = job->path[t], x = w->x[t];

	if (z < 0)
		return;
	out->n_visits[z]++;
	if (x >= 0)
		out->n_unlikely[z] += cscg_model_E(job->m, z, x) < 0.5;
	if (!cscg_walk_continues(w, t) || job->path[t - 1] < 0)
		return;
	out->n_transitions++;
	out->n_jumps[z] += !cscg_stitch_has_transition(&job->blocks,
	    w->a[t - 1], job->path[t - 1], z);
}

static int
tally_walk(struct stitch_job *job, struct cscg_err *err)
{
	size_t S = (size_t)job->prior->n_states;
	struct cscg_stitch_result *out = job->out;
	const struct cscg_walk *w = job->w;
	long t;

	out->n_states = job->prior->n_states;
	out->n_steps = w->n_steps;
	out->n_visits = cscg_alloc(S, sizeof *out->n_visits, err);
	out->n_jumps = cscg_alloc(S, sizeof *out->n_jumps, err);
	out->n_unlikely = cscg_alloc(S, sizeof *out->n_unlikely, err);
	if (!out->n_visits || !out->n_jumps || !out->n_unlikely)
		return -1;
	for (t = 0; t < w->n_steps; t++)
		tally_step(job, t);
	return 0;
}

/*
 * Transitions between blocks; the model orders them by action, the result by
 * state.
 */
static int
find_links(struct stitch_job *job, struct cscg_err *err)
{
	const struct cscg_model *m = job->m;
	struct cscg_stitch_result *out = job->out;
	long r, i, n = m->first[(long)m->n_actions * m->n_states];

	out->link = cscg_alloc((size_t)n, sizeof *out->link, err);
	if (!out->link)
		return -1;
	for (r = 0; r < (long)m->n_actions * m->n_states; r++)
		for (i = m->first[r]; i < m->first[r + 1]; i++) {
			struct cscg_stitch_link l = {
				{ (int)(r / m->n_states),
				    (int)(r % m->n_states), m->to[i] },
				lround(m->count[i])
			};

			if (cscg_stitch_block_of(out->base, l.arc.from) !=
			    cscg_stitch_block_of(out->base, l.arc.to))
				out->link[out->n_links++] = l;
		}
	qsort(out->link, (size_t)out->n_links, sizeof *out->link,
	    cscg_arc_compare);
	return 0;
}

/* The confidence of the emissions of each state on the path. */
static int
set_confidence(struct stitch_job *job, struct cscg_err *err)
{
	size_t S = (size_t)job->m->n_states, K = (size_t)job->m->n_obs, j;
	double *n = cscg_alloc(S, K * sizeof *n, err);
	long t;

	job->m->confidence = n ?
	    cscg_alloc(S, sizeof *job->m->confidence, err) :
	    NULL;
	for (t = 0; job->m->confidence && t < job->w->n_steps; t++)
		if (job->path[t] >= 0 && job->w->x[t] >= 0)
			n[(size_t)job->path[t] * K + (size_t)job->w->x[t]]++;
	for (j = 0; job->m->confidence && j < S; j++)
		job->m->confidence[j] = cscg_ground_confidence(n + j * K,
		    job->E + j * K, job->m->n_obs);
	free(n);
	return job->m->confidence ? 0 : -1;
}

/* Keep only frontiers whose action the walk never took. */
static void
drop_tried_frontiers(struct cscg_model *m)
{
	long i, n = 0;

	for (i = 0; i < m->n_frontiers; i++)
		if (!(cscg_model_row_sum(m, m->frontier[i].a,
			  m->frontier[i].state) > 0))
			m->frontier[n++] = m->frontier[i];
	m->n_frontiers = n;
	if (!n)
		m->n_entries = 0;
}

/* Only the states of the path. */
static int
prune_states(struct stitch_job *job, struct cscg_err *err)
{
	struct cscg_stitch_result *out = job->out;
	int *into = cscg_alloc((size_t)out->n_states, sizeof *into, err);
	int j, n = 0;

	out->state_of = into ?
	    cscg_alloc((size_t)out->n_states, sizeof *out->state_of, err) :
	    NULL;
	for (j = 0; out->state_of && j < out->n_states; j++) {
		into[j] = out->n_visits[j] ? n : -1;
		if (out->n_visits[j])
			out->state_of[n++] = j;
	}
	if (out->state_of && !n)
		cscg_fail(err, CSCG_ERANGE,
		    "the schemas cannot produce this walk: no step has "
		    "a state");
	else if (out->state_of)
		out->model = cscg_model_merge_states(job->m, into, n, err);
	free(into);
	return out->model ? 0 : -1;
}

/* Likelihood of the walk under the pruned model. */
static int
score_model(struct stitch_job *job, struct cscg_err *err)
{
	struct cscg_model *m = job->out->model;
	struct cscg_estep *engine = cscg_estep_sparse(m, job->w, NULL, err);
	int rc = -1;

	if (engine) {
		engine->set(engine, m->pseudocount);
		rc = engine->expect(engine, false, &job->out->loglik, err);
	}
	cscg_estep_free(engine);
	if (rc == 0 && isfinite(job->out->loglik)) {
		m->fit_steps = job->w->n_steps;
		m->fit_nats = -job->out->loglik / (double)job->w->n_steps;
	}
	return rc;
}

static int
finish_result(struct stitch_job *job, struct cscg_err *err)
{
	if (tally_walk(job, err) < 0 || find_links(job, err) < 0 ||
	    set_confidence(job, err) < 0)
		return -1;
	drop_tried_frontiers(job->m);
	if (cscg_names_copy(&job->m->symbols, &job->w->head.symbols, err) <
		0 ||
	    prune_states(job, err) < 0 || score_model(job, err) < 0)
		return -1;
	cscg_model_free(job->m);
	job->m = NULL;
	report_loglik(job, "final", 0, job->out->loglik);
	return 0;
}

int
cscg_stitch(const struct cscg_model *const *block, int n,
    const struct cscg_walk *w, const struct cscg_stitch *set,
    struct cscg_stitch_result *out, struct cscg_err *err)
{
	struct stitch_job job = { .set = set, .w = w, .out = out };
	int k, rc = -1;

	*out = (struct cscg_stitch_result){ .n_blocks = n };
	if (!w->n_steps)
		return cscg_fail(err, CSCG_ERANGE,
		    "the walk has no steps: stitching needs at least one");
	out->base = cscg_alloc((size_t)n + 1, sizeof *out->base, err);
	job.prior = out->base ?
	    cscg_stitch_prior(block, n, set->self_loop, NULL, err) :
	    NULL;
	if (!job.prior)
		return -1;
	for (k = 0; k < n; k++)
		out->base[k + 1] = out->base[k] + block[k]->n_states;
	job.blocks = (struct cscg_stitch_blocks){ job.prior, n, out->base,
		cscg_stitch_is_implicit(block, n) };
	job.path = cscg_alloc((size_t)w->n_steps, sizeof *job.path, err);
	if (job.path && bind_emissions(&job, err) == 0 &&
	    learn_transitions(&job, err) == 0 &&
	    viterbi_training(&job, err) == 0)
		rc = finish_result(&job, err);
	cscg_model_free(job.prior);
	cscg_model_free(job.m);
	free(job.E);
	free(job.pi);
	free(job.prior_counts);
	free(job.path);
	return rc;
}

void
cscg_stitch_result_free(struct cscg_stitch_result *s)
{
	cscg_model_free(s->model);
	free(s->base);
	free(s->state_of);
	free(s->n_visits);
	free(s->n_jumps);
	free(s->n_unlikely);
	free(s->link);
	*s = (struct cscg_stitch_result){ .n_blocks = 0 };
}

/* the prior: schemas as blocks, and all connections between them */

/* The total count of a row, and the pseudocount: as in exact schemas. */
static const double ROW_COUNTS = CSCG_STITCH_ROW_COUNT, PSEUDOCOUNT = 1e-4;

/* Connections per state above which they are not stored. */
static const double LINKS_MAX = 32;

struct prior_job {
	const struct cscg_model *const *block;
	int n, n_actions;
	int *base;         /* [n + 1] */
	int *action;       /* [n * n_actions] numbers of its actions */
	int *entry;        /* entries, block by block, ... */
	long *entries;     /* [n + 1] ... offset of each block */
	char *is_frontier; /* [n_actions * states] whether it is a frontier */
	struct cscg_count *c;
	size_t n_c, cap_c;
	double self_loop;
	bool is_implicit;
};

static int
add_count(struct prior_job *job, int a, int from, int to, double c,
    struct cscg_err *err)
{
	if (cscg_grow(&job->c, &job->cap_c, job->n_c + 1, sizeof *job->c,
		err) < 0)
		return -1;
	job->c[job->n_c++] = (struct cscg_count){ a, from, to, c };
	return 0;
}

static int
match_actions(struct prior_job *job, int *which, struct cscg_err *err)
{
	const struct cscg_model *first_block = job->block[0];
	int k;

	for (k = 0; k < job->n; k++) {
		const struct cscg_model *m = job->block[k];

		*which = k;
		if (m->n_actions != first_block->n_actions)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "%d actions, but the first schema has %d",
			    m->n_actions, first_block->n_actions);
		if (cscg_names_map(&m->actions, m->n_actions,
			&first_block->actions, first_block->n_actions,
			"action",
			job->action + (size_t)k * first_block->n_actions,
			err) < 0)
			return -1;
	}
	*which = -1;
	return 0;
}

/* The i-th entry of block m, or -1: no more. */
static int
entry_at(const struct cscg_model *m, long i)
{
	if (m->n_entries)
		return i < m->n_entries ? m->entry[i] : -1;
	return i < m->n_frontiers ? m->frontier[i].state : -1;
}

/* The number of entries of block m; several frontiers of a state count once. */
static long
count_entries(const struct cscg_model *m)
{
	long i, n = 0;
	int j, last = -1;

	for (i = 0; (j = entry_at(m, i)) >= 0; i++, last = j)
		n += j != last;
	return n;
}

bool
cscg_stitch_is_implicit(const struct cscg_model *const *block, int n)
{
	double n_links = 0, entries = 0, states = 0;
	int k;

	for (k = 0; k < n; k++) {
		entries += (double)count_entries(block[k]);
		states += block[k]->n_states;
	}
	for (k = 0; k < n; k++)
		n_links += (double)block[k]->n_frontiers *
		    (entries - (double)count_entries(block[k]));
	return n_links > LINKS_MAX * states;
}

/* Mark the frontiers, and list the entries. */
static int
find_frontiers(struct prior_job *job, struct cscg_err *err)
{
	long S = job->base[job->n], n = 0, i;
	int k, j;

	for (k = 0; k < job->n; k++)
		n += job->block[k]->n_frontiers + job->block[k]->n_entries;
	job->is_frontier = cscg_alloc((size_t)job->n_actions * (size_t)S, 1,
	    err);
	job->entry = cscg_alloc((size_t)n, sizeof *job->entry, err);
	if (!job->is_frontier || !job->entry)
		return -1;
	for (k = 0, n = 0; k < job->n; k++) {
		const struct cscg_model *m = job->block[k];

		for (i = 0; i < m->n_frontiers; i++)
			job->is_frontier[job->action[k * job->n_actions +
					     m->frontier[i].a] *
				S +
			    job->base[k] + m->frontier[i].state] = 1;
		job->entries[k] = n;
		for (i = 0; (j = entry_at(m, i)) >= 0; i++)
			if (n == job->entries[k] ||
			    job->entry[n - 1] != job->base[k] + j)
				job->entry[n++] = job->base[k] + j;
	}
	job->entries[job->n] = n;
	return 0;
}

/* Add row (a, j) of a block, with a fraction of a row's counts. */
static int
add_block_row(struct prior_job *job, int k, int a, int j, double share,
    struct cscg_err *err)
{
	const struct cscg_model *m = job->block[k];
	double sum = cscg_model_row_sum(m, a, j);
	int mapped = job->action[k * job->n_actions + a],
	    from = job->base[k] + j;
	long r = (long)a * m->n_states + j, i;

	for (i = m->first[r]; i < m->first[r + 1]; i++)
		if (add_count(job, mapped, from, job->base[k] + m->to[i],
			share * ROW_COUNTS * m->count[i] / sum, err) < 0)
			return -1;
	return 0;
}

/*
 * From a frontier to all states with equal probability: its counts are so
 * small that the pseudocount has the probability of leaving the block.
 */
static int
add_implicit_links(struct prior_job *job, int k, int a, int j,
    struct cscg_err *err)
{
	int mapped = job->action[k * job->n_actions + a],
	    from = job->base[k] + j;
	double self_loop = fmin(fmax(job->self_loop, 1e-6), 1 - 1e-6);
	double own = self_loop / (1 - self_loop) * PSEUDOCOUNT *
	    job->base[job->n];

	if (cscg_model_row_sum(job->block[k], a, j) > 0)
		return add_block_row(job, k, a, j, own / ROW_COUNTS, err);
	return add_count(job, mapped, from, from, own, err);
}

/* From a frontier to all entries of the other blocks. */
static int
add_links(struct prior_job *job, int k, int a, int j, struct cscg_err *err)
{
	int mapped = job->action[k * job->n_actions + a],
	    from = job->base[k] + j;
	long own = job->entries[k + 1] - job->entries[k], i;
	long others = job->entries[job->n] - own;
	double self_loop = others ? job->self_loop : 1;

	if (job->is_implicit && others)
		return add_implicit_links(job, k, a, j, err);
	for (i = 0; i < job->entries[job->n]; i++)
		if ((i < job->entries[k] || i >= job->entries[k + 1]) &&
		    add_count(job, mapped, from, job->entry[i],
			(1 - self_loop) * ROW_COUNTS / (double)others,
			err) < 0)
			return -1;
	if (cscg_model_row_sum(job->block[k], a, j) > 0)
		return add_block_row(job, k, a, j, self_loop, err);
	return add_count(job, mapped, from, from, self_loop * ROW_COUNTS, err);
}

static int
add_counts(struct prior_job *job, struct cscg_err *err)
{
	long S = job->base[job->n];
	int k, a, j;

	for (k = 0; k < job->n; k++)
		for (a = 0; a < job->n_actions; a++) {
			int mapped = job->action[k * job->n_actions + a];

			for (j = 0; j < job->block[k]->n_states; j++)
				if (job->is_frontier[mapped * S +
					job->base[k] + j] ?
					add_links(job, k, a, j, err) < 0 :
					add_block_row(job, k, a, j, 1, err) <
					    0)
					return -1;
		}
	return 0;
}

static int
set_frontiers(struct prior_job *job, struct cscg_model *prior,
    struct cscg_err *err)
{
	long S = job->base[job->n], i, n = 0;
	struct cscg_frontier *f;
	bool given = false;
	int k, rc;

	for (k = 0; k < job->n; k++)
		given |= job->block[k]->n_entries > 0;
	for (i = 0; i < job->n_actions * S; i++)
		n += job->is_frontier[i];
	f = cscg_alloc((size_t)n, sizeof *f, err);
	if (!f)
		return -1;
	for (i = 0, n = 0; i < job->n_actions * S; i++)
		if (job->is_frontier[i])
			f[n++] = (struct cscg_frontier){ (int)(i % S),
				(int)(i / S) };
	rc = cscg_model_set_frontiers(prior, f, n, err);
	free(f);
	if (rc == 0 && given)
		rc = cscg_model_set_entries(prior, job->entry,
		    job->entries[job->n], err);
	return rc;
}

/*
 * Place blocks side by side, each two columns to the right of the previous
 * one.
 */
static int
set_coords(struct prior_job *job, struct cscg_model *prior,
    struct cscg_err *err)
{
	double at = 0;
	int k, j;

	for (k = 0; k < job->n; k++)
		if (!job->block[k]->coords)
			return 0;
	prior->coords = cscg_alloc(2 * (size_t)prior->n_states,
	    sizeof *prior->coords, err);
	if (!prior->coords)
		return -1;
	for (k = 0; k < job->n; k++) {
		const struct cscg_model *m = job->block[k];
		double *to = prior->coords + 2 * (size_t)job->base[k];
		double left = DBL_MAX, right = -DBL_MAX;

		for (j = 0; j < m->n_states; j++) {
			double x = m->coords[2 * j + 1];

			left = x < left ? x : left;
			right = x > right ? x : right;
		}
		for (j = 0; j < m->n_states; j++) {
			to[2 * j] = m->coords[2 * j];
			to[2 * j + 1] = m->coords[2 * j + 1] - left + at;
		}
		at += right - left + 2;
	}
	return 0;
}

static struct cscg_model *
build_prior(struct prior_job *job, int *which, struct cscg_err *err)
{
	size_t n = (size_t)job->n;
	struct cscg_model *prior;

	job->base = cscg_alloc(n + 1, sizeof *job->base, err);
	job->entries = cscg_alloc(n + 1, sizeof *job->entries, err);
	job->action = cscg_alloc(n,
	    (size_t)job->n_actions * sizeof *job->action, err);
	if (!job->base || !job->entries || !job->action ||
	    match_actions(job, which, err) < 0 ||
	    cscg_models_number_states(job->block, job->n, job->base, err) <
		0 ||
	    find_frontiers(job, err) < 0 || add_counts(job, err) < 0)
		return NULL;
	prior = cscg_model_new(CSCG_SCHEMA, job->base[job->n], job->n_actions,
	    1, err);
	if (!prior)
		return NULL;
	prior->pseudocount = PSEUDOCOUNT;
	if (cscg_model_set_counts(prior, job->c, (long)job->n_c, err) < 0 ||
	    set_frontiers(job, prior, err) < 0 ||
	    set_coords(job, prior, err) < 0 ||
	    cscg_names_copy(&prior->actions, &job->block[0]->actions, err) <
		0) {
		cscg_model_free(prior);
		return NULL;
	}
	return prior;
}

struct cscg_model *
cscg_stitch_prior(const struct cscg_model *const *block, int n,
    double self_loop, int *which, struct cscg_err *err)
{
	struct prior_job job = { .block = block,
		.n = n,
		.self_loop = self_loop,
		.n_actions = block[0]->n_actions,
		.is_implicit = cscg_stitch_is_implicit(block, n) };
	struct cscg_model *prior;
	int at = -1;

	prior = build_prior(&job, &at, err);
	if (which)
		*which = prior ? -1 : at;
	free(job.base);
	free(job.action);
	free(job.entry);
	free(job.entries);
	free(job.is_frontier);
	free(job.c);
	return prior;
}

/* the report: states of each schema that were used, and connections */

struct cscg_stitch_totals
cscg_stitch_result_totals(const struct cscg_stitch_result *s, int k)
{
	int from = k < 0 ? 0 : s->base[k];
	int to = k < 0 ? s->n_states : s->base[k + 1], j;
	struct cscg_stitch_totals sum = { to - from, 0, 0, 0, 0 };

	for (j = from; j < to; j++) {
		sum.used += s->n_visits[j] > 0;
		sum.n_visits += s->n_visits[j];
		sum.n_jumps += s->n_jumps[j];
		sum.n_unlikely += s->n_unlikely[j];
	}
	return sum;
}

static int
write_totals(const struct cscg_stitch_result *s, bool json,
    struct cscg_out *out, struct cscg_err *err)
{
	static const struct cscg_col cols[] = {
		{ "steps", CSCG_COL_LONG, 0 },
		{ "moves", CSCG_COL_LONG, 0 },
		{ "blocks", CSCG_COL_LONG, 0 },
		{ "states", CSCG_COL_LONG, 0 },
		{ "used", CSCG_COL_LONG, 0 },
		{ "connections", CSCG_COL_LONG, 0 },
		{ "jumps", CSCG_COL_LONG, 0 },
		{ "unlikely", CSCG_COL_LONG, 0 },
		{ "nats_per_step", CSCG_COL_DOUBLE, 9 },
	};
	struct cscg_stitch_totals sum = cscg_stitch_result_totals(s, -1);
	union cscg_cell cells[] = { { .l = s->n_steps },
		{ .l = s->n_transitions }, { .l = s->n_blocks },
		{ .l = sum.states }, { .l = sum.used }, { .l = s->n_links },
		{ .l = sum.n_jumps }, { .l = sum.n_unlikely },
		{ .d = -s->loglik / (double)s->n_steps } };

	const struct cscg_table t = { out, CSCG_COLS(cols), json };

	return cscg_table_write_pairs(&t, false, cells, err);
}

static int
write_blocks(const struct cscg_stitch_result *s,
    const struct cscg_names *names, bool json, struct cscg_out *out,
    struct cscg_err *err)
{
	static const struct cscg_col cols[] = {
		{ "block", CSCG_COL_LONG, 0 },
		{ "schema", CSCG_COL_STRING, 0 },
		{ "states", CSCG_COL_LONG, 0 },
		{ "used", CSCG_COL_LONG, 0 },
		{ "steps", CSCG_COL_LONG, 0 },
		{ "share", CSCG_COL_DOUBLE, 6 },
		{ "jumps", CSCG_COL_LONG, 0 },
		{ "unlikely", CSCG_COL_LONG, 0 },
	};
	struct cscg_table t;
	int rc = cscg_table_init(&t, out, CSCG_COLS(cols), json, err), k;

	for (k = 0; rc == 0 && k < s->n_blocks; k++) {
		struct cscg_stitch_totals sum = cscg_stitch_result_totals(s,
		    k);
		union cscg_cell cells[] = { { .l = k }, { .s = names->v[k] },
			{ .l = sum.states }, { .l = sum.used },
			{ .l = sum.n_visits },
			{ .d = (double)sum.n_visits / (double)s->n_steps },
			{ .l = sum.n_jumps }, { .l = sum.n_unlikely } };

		rc = cscg_table_write_row(&t, cells, err);
	}
	return rc;
}

static int
write_links(const struct cscg_stitch_result *s, bool json,
    struct cscg_out *out, struct cscg_err *err)
{
	static const struct cscg_col cols[] = {
		{ "from_block", CSCG_COL_LONG, 0 },
		{ "from_state", CSCG_COL_LONG, 0 },
		{ "action", CSCG_COL_STRING, 0 },
		{ "to_block", CSCG_COL_LONG, 0 },
		{ "to_state", CSCG_COL_LONG, 0 },
		{ "steps", CSCG_COL_LONG, 0 },
	};
	struct cscg_table t;
	int rc = cscg_table_init(&t, out, CSCG_COLS(cols), json, err);
	long i;

	for (i = 0; rc == 0 && i < s->n_links; i++) {
		const struct cscg_arc *l = &s->link[i].arc;
		int from = cscg_stitch_block_of(s->base, l->from);
		int to = cscg_stitch_block_of(s->base, l->to);
		char number[CSCG_NUMBER_TEXT];
		union cscg_cell cells[] = { { .l = from },
			{ .l = l->from - s->base[from] },
			{ .s = cscg_name_or_number(&s->model->actions, l->a,
			      number) },
			{ .l = to }, { .l = l->to - s->base[to] },
			{ .l = s->link[i].n_visits } };

		rc = cscg_table_write_row(&t, cells, err);
	}
	return rc;
}

static int
write_states(const struct cscg_stitch_result *s, bool json,
    struct cscg_out *out, struct cscg_err *err)
{
	static const struct cscg_col cols[] = {
		{ "state", CSCG_COL_LONG, 0 },
		{ "block", CSCG_COL_LONG, 0 },
		{ "schema_state", CSCG_COL_LONG, 0 },
		{ "steps", CSCG_COL_LONG, 0 },
		{ "jumps", CSCG_COL_LONG, 0 },
		{ "unlikely", CSCG_COL_LONG, 0 },
	};
	struct cscg_table t;
	int rc = cscg_table_init(&t, out, CSCG_COLS(cols), json, err), i;

	for (i = 0; rc == 0 && i < s->model->n_states; i++) {
		int j = s->state_of[i], k = cscg_stitch_block_of(s->base, j);
		union cscg_cell cells[] = { { .l = i }, { .l = k },
			{ .l = j - s->base[k] }, { .l = s->n_visits[j] },
			{ .l = s->n_jumps[j] }, { .l = s->n_unlikely[j] } };

		rc = cscg_table_write_row(&t, cells, err);
	}
	return rc;
}

int
cscg_stitch_result_write(const struct cscg_stitch_result *s,
    const struct cscg_names *names, bool json, struct cscg_out *out,
    struct cscg_err *err)
{
	if (write_totals(s, json, out, err) < 0 ||
	    cscg_table_write_gap(out, json, err) < 0 ||
	    write_blocks(s, names, json, out, err) < 0 ||
	    cscg_table_write_gap(out, json, err) < 0 ||
	    write_links(s, json, out, err) < 0 ||
	    cscg_table_write_gap(out, json, err) < 0)
		return -1;
	return write_states(s, json, out, err);
}

/* frontiers of a model or room */

int
cscg_frontier_boundary(struct cscg_model *m, struct cscg_err *err)
{
	struct cscg_frontier *f = cscg_alloc(
	    (size_t)m->n_actions * (size_t)m->n_states, sizeof *f, err);
	long n = 0, before;
	int a, j, rc;

	if (!f)
		return -1;
	for (a = 0; a < m->n_actions; a++) {
		before = n;
		for (j = 0; j < m->n_states; j++)
			if (cscg_model_likely_successor(m, a, j) == j)
				f[n++] = (struct cscg_frontier){ j, a };
		if (n - before == m->n_states)
			n = before;
	}
	rc = cscg_model_set_frontiers(m, f, n, err);
	free(f);
	return rc < 0 ? -1 : cscg_model_set_entries(m, NULL, 0, err);
}

/* The ends of exits become frontiers of m. */
static int
set_from_exits(struct cscg_model *m, const struct cscg_partition *r,
    struct cscg_err *err)
{
	size_t n = (size_t)r->n_exits, states = (size_t)m->n_states;
	struct cscg_frontier *f = cscg_alloc(n, sizeof *f, err);
	int *in = cscg_alloc(n, sizeof *in, err), rc = -1;
	char *mark = cscg_alloc(2 * states, 1, err);
	long i;

	for (i = 0; f && in && mark && i < r->n_exits; i++) {
		const struct cscg_arc *e = &r->exit[i];

		f[i] = (struct cscg_frontier){ e->from, e->a };
		in[i] = e->to;
		mark[e->from] = mark[states + (size_t)e->to] = 1;
	}
	if (f && in && mark)
		rc = cscg_model_set_frontiers(m, f, r->n_exits, err);
	if (rc == 0)
		rc = cscg_model_set_entries(m, in,
		    memcmp(mark, mark + states, states) ? r->n_exits : 0, err);
	free(f);
	free(in);
	free(mark);
	return rc;
}

int
cscg_frontier_bottleneck(struct cscg_model *m,
    const struct cscg_partition_options *set, double min_p,
    struct cscg_err *err)
{
	struct cscg_graph *g = cscg_graph_of_model(m, min_p, err);
	struct cscg_partition *r = g ? cscg_partition_new(g, set, err) : NULL;
	int rc = r ? set_from_exits(m, r, err) : -1;

	cscg_partition_free(r);
	cscg_graph_free(g);
	return rc;
}

/* The columns of both; what: "node" or "state". */
static int
write_header(struct cscg_table *t, struct cscg_col *cols, const char *what,
    bool json, struct cscg_out *out, struct cscg_err *err)
{
	cols[0] = (struct cscg_col){ what, CSCG_COL_LONG, 0 };
	cols[1] = (struct cscg_col){ "action", CSCG_COL_STRING, 0 };
	cols[2] = (struct cscg_col){ "to", CSCG_COL_LONG, 0 };
	return cscg_table_init(t, out, cols, 3, json, err);
}

static int
write_row(const struct cscg_table *t, const struct cscg_names *actions, int at,
    int a, int to, struct cscg_err *err)
{
	char number[CSCG_NUMBER_TEXT];

	return cscg_table_write_row(t,
	    (union cscg_cell[]){ { .l = at },
		{ .s = cscg_name_or_number(actions, a, number) },
		{ .l = cscg_cell_known(to) } },
	    err);
}

int
cscg_frontier_write_model(const struct cscg_model *m, bool json,
    struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_col cols[3];
	struct cscg_table t;
	int rc = write_header(&t, cols, "state", json, out, err);
	long i;

	for (i = 0; rc == 0 && i < m->n_frontiers; i++) {
		const struct cscg_frontier *f = &m->frontier[i];

		rc = write_row(&t, &m->actions, f->state, f->a,
		    cscg_model_likely_successor(m, f->a, f->state), err);
	}
	for (i = 0; rc == 0 && i < m->n_entries; i++)
		rc = write_row(&t, &m->actions, m->entry[i], -1, -1, err);
	return rc;
}

int
cscg_frontier_write_room(const struct cscg_room *room, bool json,
    struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_col cols[3];
	struct cscg_table t;
	int rc = write_header(&t, cols, "node", json, out, err);
	long i;

	for (i = 0; rc == 0 && i < room->n_frontiers; i++) {
		const struct cscg_frontier *f = &room->frontier[i];

		rc = write_row(&t, &room->actions, f->state, f->a,
		    cscg_room_successor(room, f->a, f->state), err);
	}
	return rc;
}
