/*
 * stitch.c - one map of a place that is put together from known pieces
 *
 * Bind, learn, refine, prune: each stage is a module of its own, here they
 * follow each other.  The prior is kept to the end, since it says which moves
 * may have counts.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/em.h"
#include "schema/ground.h"
#include "base/mem.h"
#include "kernel/sparse.h"
#include "schema/stitch.h"
#include "schema/stitch_bind.h"
#include "kernel/viterbi.h"

struct stitch_job {
	const struct cscg_stitch *set;
	const struct cscg_walk *w;
	struct cscg_stitch_result *out;
	struct cscg_model *prior;	/* T as it was given */
	struct cscg_stitch_blocks blocks;	/* ... its blocks */
	struct cscg_model *m;	/* ... and as it is learned */
	double *E, *pi;
	double *prior_counts;		/* trust, like the counts of prior */
	int *path;		/* [steps] */
	bool stop;
};

/* ---- telling ---- */

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
report_loglik(struct stitch_job *job, const char *stage, long iteration, double loglik)
{
	struct cscg_em_progress line = { iteration, loglik, NAN };

	report(job, stage, 0, &line);
}

/* ---- the stages ---- */

/* What the states look like, with T as the prior has it. */
static int
bind_emissions(struct stitch_job *job, struct cscg_err *err)
{
	const struct cscg_stitch *set = job->set;
	struct cscg_stitch_bind how = { .blocks = job->blocks, .w = job->w,
	    .bind = set->bind, .starts = set->starts, .reset_rounds = set->reset_rounds,
	    .report = on_bind, .ctx = job };
	size_t S = (size_t)job->prior->n_states;
	size_t K = (size_t)job->w->head.n_obs;
	struct cscg_em_progress last;
	long which;

	job->E = cscg_alloc(S, K * sizeof *job->E, err);
	job->pi = job->E ? cscg_alloc(S, sizeof *job->pi, err) : NULL;
	if (!job->pi || cscg_stitch_bind(&how, job->E, job->pi, &last, &which,
	    err) < 0)
		return -1;
	report(job, "best", which, &last);
	return 0;
}

/* Is there a move into step t, and both its ends on the path? */
static bool
is_move(const struct stitch_job *job, int e, long t)
{
	return t > job->w->start[e] && !cscg_walk_starts_run(job->w, e, t) &&
	    job->path[t - 1] >= 0 && job->path[t] >= 0;
}

/* The likeliest path under m, into job->path. */
static int
find_path(struct stitch_job *job, const struct cscg_model *m, struct cscg_work *work,
    double *logp, struct cscg_err *err)
{
	struct cscg_trans *tr = cscg_trans_new(m, &cscg_plain_float, err);
	int rc = -1;

	if (tr)
		rc = cscg_viterbi_all(tr, job->w, work, job->path, logp, err);
	cscg_trans_free(tr);
	return rc;
}

/* What the prior has, a frontier's few counts made as many as others have. */
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
 * Where ways are too many to be listed, those that the likeliest path takes
 * are.
 */
static int
list_links(struct stitch_job *job, struct cscg_err *err)
{
	const struct cscg_walk *w = job->w;
	struct cscg_model *m = job->prior;
	size_t most = (size_t)w->n_steps +
	    (size_t)m->first[(long)m->n_actions * m->n_states];
	struct cscg_count *buf = cscg_alloc(most, sizeof *buf, err);
	struct cscg_work work = { 0 };
	double logp;
	long t, n;
	int e, rc = -1;

	if (!buf || find_path(job, job->m, &work, &logp, err) < 0)
		goto out;
	n = list_prior(m, buf);
	for (e = 0; e < w->n_episodes; e++)
		for (t = w->start[e]; t < w->start[e + 1]; t++)
			if (is_move(job, e, t) && cscg_stitch_is_link(
			    &job->blocks, w->a[t - 1], job->path[t - 1],
			    job->path[t]))
				buf[n++] = (struct cscg_count){ w->a[t - 1],
				    job->path[t - 1], job->path[t], 1 };
	rc = cscg_model_set_counts(m, buf, n, err);
out:
	cscg_work_free(&work);
	free(buf);
	return rc;
}

/* What the schemas say, but of frontiers, which they know nothing of. */
static int
set_prior_counts(struct stitch_job *job, struct cscg_err *err)
{
	const struct cscg_model *m = job->prior;
	long i, r, f, rows = (long)m->n_actions * m->n_states;

	job->prior_counts = cscg_alloc((size_t)m->first[rows], sizeof *job->prior_counts,
	    err);
	if (!job->prior_counts)
		return -1;
	for (r = 0; r < rows; r++) {
		double sum = cscg_model_row_sum(m, (int)(r / m->n_states),
		    (int)(r % m->n_states));

		for (i = m->first[r]; i < m->first[r + 1]; i++)
			job->prior_counts[i] = job->set->prior_weight * m->count[i] / sum;
	}
	for (f = 0; f < m->n_frontiers; f++) {
		r = (long)m->frontier[f].a * m->n_states +
		    m->frontier[f].state;
		for (i = m->first[r]; i < m->first[r + 1]; i++)
			job->prior_counts[i] = 0;
	}
	return 0;
}

/* The prior with the looks that were found. */
static int
ground_prior(struct stitch_job *job, struct cscg_err *err)
{
	job->m = cscg_model_copy(job->prior, err);
	return job->m ? cscg_model_set_E(job->m, job->E, job->w->head.n_obs,
	    err) : -1;
}

/* Which moves there are, with E as it was found. */
static int
learn_transitions(struct stitch_job *job, struct cscg_err *err)
{
	struct cscg_em em = { .iterations = job->stop ? 0 :
	    job->set->iterations, .tolerance = job->set->tolerance,
	    .pseudocount = job->set->pseudocount, .report = on_em,
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
	if (engine && cscg_em(engine, job->w->n_steps, &em, &last, err) == 0) {
		report(job, "learn", 0, &last);
		rc = engine->store(engine, job->m, 0, err);
	}
	cscg_estep_free(engine);
	job->m->pseudocount = job->set->pseudocount;
	return rc;
}

/*
 * The counts become those of the path, as far as the prior knows its moves, and
 * what it says itself.
 */
static int
count_path(struct stitch_job *job, struct cscg_count *buf, struct cscg_err *err)
{
	const struct cscg_walk *w = job->w;
	int S = job->prior->n_states;
	long t, n = 0, i, r;
	int e;

	for (e = 0; e < w->n_episodes; e++)
		for (t = w->start[e]; t < w->start[e + 1]; t++)
			if (is_move(job, e, t) && cscg_stitch_has_transition(
			    &job->blocks, w->a[t - 1], job->path[t - 1],
			    job->path[t]))
				buf[n++] = (struct cscg_count){ w->a[t - 1],
				    job->path[t - 1], job->path[t], 1 };
	for (r = 0; r < (long)job->prior->n_actions * S; r++)
		for (i = job->prior->first[r]; i < job->prior->first[r + 1];
		    i++)
			if (job->prior_counts[i] > 0)
				buf[n++] = (struct cscg_count){ (int)(r / S),
				    (int)(r % S), job->prior->to[i],
				    job->prior_counts[i] };
	return cscg_model_set_counts(job->m, buf, n, err);
}

static int
viterbi_training(struct stitch_job *job, struct cscg_err *err)
{
	size_t n = (size_t)job->w->n_steps;
	size_t most = n + (size_t)job->prior->first[
	    (long)job->prior->n_actions * job->prior->n_states];
	struct cscg_count *buf = cscg_alloc(most, sizeof *buf, err);
	int *old = buf ? cscg_alloc(n, sizeof *old, err) : NULL;
	struct cscg_work work = { 0 };
	int i, rc = -1;
	double logp;

	if (!old)
		goto out;
	for (i = 0; i < job->set->viterbi_rounds; i++) {
		if (find_path(job, job->m, &work, &logp, err) < 0 ||
		    count_path(job, buf, err) < 0)
			goto out;
		report_loglik(job, "refine", i, logp);
		if (i && !memcmp(old, job->path, n * sizeof *old))
			break;
		memcpy(old, job->path, n * sizeof *old);
	}
	rc = 0;
out:
	cscg_work_free(&work);
	free(buf);
	free(old);
	return rc;
}

/* ---- what came of it ---- */

static void
tally_step(struct stitch_job *job, int e, long t)
{
	struct cscg_stitch_result *out = job->out;
	const struct cscg_walk *w = job->w;
	int z = job->path[t], x = w->x[t];

	if (z < 0)
		return;
	out->n_visits[z]++;
	if (x >= 0)
		out->n_unlikely[z] += cscg_model_E(job->m, z, x) < 0.5;
	if (!is_move(job, e, t))
		return;
	out->n_moves++;
	out->n_jumps[z] += !cscg_stitch_has_transition(&job->blocks, w->a[t - 1],
	    job->path[t - 1], z);
}

static int
tally_walk(struct stitch_job *job, struct cscg_err *err)
{
	size_t S = (size_t)job->prior->n_states;
	struct cscg_stitch_result *out = job->out;
	const struct cscg_walk *w = job->w;
	long t;
	int e;

	out->n_states = job->prior->n_states;
	out->n_steps = w->n_steps;
	out->n_visits = cscg_alloc(S, sizeof *out->n_visits, err);
	out->n_jumps = cscg_alloc(S, sizeof *out->n_jumps, err);
	out->n_unlikely = cscg_alloc(S, sizeof *out->n_unlikely, err);
	if (!out->n_visits || !out->n_jumps || !out->n_unlikely)
		return -1;
	for (e = 0; e < w->n_episodes; e++)
		for (t = w->start[e]; t < w->start[e + 1]; t++)
			tally_step(job, e, t);
	return 0;
}

/* Moves between blocks, action by action in the model, by state here. */
static int
by_link(const void *a, const void *b)
{
	const struct cscg_stitch_link *p = a, *q = b;

	if (p->from != q->from)
		return p->from < q->from ? -1 : 1;
	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	return (p->to > q->to) - (p->to < q->to);
}

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
			struct cscg_stitch_link l = { (int)(r % m->n_states),
			    (int)(r / m->n_states), m->to[i],
			    lround(m->count[i]) };

			if (cscg_stitch_result_block(out, l.from) !=
			    cscg_stitch_result_block(out, l.to))
				out->link[out->n_links++] = l;
		}
	qsort(out->link, (size_t)out->n_links, sizeof *out->link, by_link);
	return 0;
}

/* How sure each state of the path is to look as it does. */
static int
set_confidence(struct stitch_job *job, struct cscg_err *err)
{
	size_t S = (size_t)job->m->n_states, K = (size_t)job->m->n_obs, j;
	double *n = cscg_alloc(S, K * sizeof *n, err);
	long t;

	job->m->confidence = n ? cscg_alloc(S, sizeof *job->m->confidence,
	    err) : NULL;
	for (t = 0; job->m->confidence && t < job->w->n_steps; t++)
		if (job->path[t] >= 0 && job->w->x[t] >= 0)
			n[(size_t)job->path[t] * K + (size_t)job->w->x[t]]++;
	for (j = 0; job->m->confidence && j < S; j++)
		job->m->confidence[j] = cscg_ground_confidence(n + j * K,
		    job->E + j * K, job->m->n_obs);
	free(n);
	return job->m->confidence ? 0 : -1;
}

/* Frontiers that the walk never tried are all that is left of them. */
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

	out->state_of = into ? cscg_alloc((size_t)out->n_states,
	    sizeof *out->state_of, err) : NULL;
	for (j = 0; out->state_of && j < out->n_states; j++) {
		into[j] = out->n_visits[j] ? n : -1;
		if (out->n_visits[j])
			out->state_of[n++] = j;
	}
	if (out->state_of && !n)
		cscg_fail(err, CSCG_ERANGE, "the schemas cannot produce this "
		    "walk: no step of it has a state");
	else if (out->state_of)
		out->model = cscg_model_merge_states(job->m, into, n, err);
	free(into);
	return out->model ? 0 : -1;
}

/* The walk under the model that is left. */
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
	if (cscg_names_copy(&job->m->symbols, &job->w->head.symbols, err) < 0 ||
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
		return cscg_fail(err, CSCG_ERANGE, "the walk has no steps: "
		    "there is nothing to stitch by");
	out->base = cscg_alloc((size_t)n + 1, sizeof *out->base, err);
	job.prior = out->base ? cscg_stitch_prior(block, n, set->self_loop, NULL,
	    err) : NULL;
	if (!job.prior)
		return -1;
	for (k = 0; k < n; k++)
		out->base[k + 1] = out->base[k] + block[k]->n_states;
	job.blocks = (struct cscg_stitch_blocks){ job.prior, n, out->base,
	    cscg_stitch_is_implicit(block, n) };
	job.path = cscg_alloc((size_t)w->n_steps, sizeof *job.path, err);
	if (job.path && bind_emissions(&job, err) == 0 &&
	    learn_transitions(&job, err) == 0 && viterbi_training(&job, err) == 0)
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
