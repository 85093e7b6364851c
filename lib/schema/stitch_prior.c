/* stitch_prior.c - schemas side by side, and all ways between them */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "schema/stitch.h"

/* What a row is worth, and the pseudocount: as in exact schemas. */
static const double ROW_COUNTS = CSCG_STITCH_ROW_COUNT, PSEUDOCOUNT = 1e-4;

/* Ways for each state, above which they are no longer listed. */
static const double LINKS_MAX = 32;

struct prior_job {
	const struct cscg_model *const *block;
	int n, n_actions;
	int *base;		/* [n + 1] */
	int *action;		/* [n * n_actions] what its actions are called */
	int *entry;		/* states to enter by, block by block, ... */
	long *entries;		/* [n + 1] ... where those of each begin */
	char *is_frontier;		/* [n_actions * states] is it a frontier? */
	struct cscg_count *c;
	size_t n_c, cap_c;
	double self_loop;
	bool is_implicit;
};

static int
add_count(struct prior_job *job, int a, int from, int to, double c, struct cscg_err *err)
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
			return cscg_fail(err, CSCG_EMISMATCH, "%d actions, but "
			    "the first schema has %d", m->n_actions,
			    first_block->n_actions);
		if (cscg_names_map(&m->actions, m->n_actions, &first_block->actions,
		    first_block->n_actions, "action",
		    job->action + (size_t)k * first_block->n_actions, err) < 0)
			return -1;
	}
	*which = -1;
	return 0;
}

static int
count_states(struct prior_job *job, struct cscg_err *err)
{
	long n = 0;
	int k;

	for (k = 0; k < job->n; k++) {
		job->base[k] = (int)n;
		n += job->block[k]->n_states;
		if (n > CSCG_STATE_MAX)
			return cscg_fail(err, CSCG_EMISMATCH, "together the "
			    "schemas have more than %d states",
			    CSCG_STATE_MAX);
	}
	job->base[job->n] = (int)n;
	return 0;
}

/* The i-th state to enter block m by, or -1: there are no more. */
static int
entry_at(const struct cscg_model *m, long i)
{
	if (m->n_entries)
		return i < m->n_entries ? m->entry[i] : -1;
	return i < m->n_frontiers ? m->frontier[i].state : -1;
}

/* States to enter block m by; several frontiers of a state are one. */
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
	job->is_frontier = cscg_alloc((size_t)job->n_actions * (size_t)S, 1, err);
	job->entry = cscg_alloc((size_t)n, sizeof *job->entry, err);
	if (!job->is_frontier || !job->entry)
		return -1;
	for (k = 0, n = 0; k < job->n; k++) {
		const struct cscg_model *m = job->block[k];

		for (i = 0; i < m->n_frontiers; i++)
			job->is_frontier[job->action[k * job->n_actions +
			    m->frontier[i].a] * S + job->base[k] +
			    m->frontier[i].state] = 1;
		job->entries[k] = n;
		for (i = 0; (j = entry_at(m, i)) >= 0; i++)
			if (n == job->entries[k] ||
			    job->entry[n - 1] != job->base[k] + j)
				job->entry[n++] = job->base[k] + j;
	}
	job->entries[job->n] = n;
	return 0;
}

/* What row (a, j) of a block does, with share of a row's counts. */
static int
add_block_row(struct prior_job *job, int k, int a, int j, double share,
    struct cscg_err *err)
{
	const struct cscg_model *m = job->block[k];
	double sum = cscg_model_row_sum(m, a, j);
	int mapped = job->action[k * job->n_actions + a], from = job->base[k] + j;
	long r = (long)a * m->n_states + j, i;

	for (i = m->first[r]; i < m->first[r + 1]; i++)
		if (add_count(job, mapped, from, job->base[k] + m->to[i], share *
		    ROW_COUNTS * m->count[i] / sum, err) < 0)
			return -1;
	return 0;
}

/*
 * From a frontier to all states alike: counts of its own are so few that the
 * pseudocount's share is that of leaving.
 */
static int
add_implicit_links(struct prior_job *job, int k, int a, int j, struct cscg_err *err)
{
	int mapped = job->action[k * job->n_actions + a], from = job->base[k] + j;
	double self_loop = fmin(fmax(job->self_loop, 1e-6), 1 - 1e-6);
	double own = self_loop / (1 - self_loop) * PSEUDOCOUNT * job->base[job->n];

	if (cscg_model_row_sum(job->block[k], a, j) > 0)
		return add_block_row(job, k, a, j, own / ROW_COUNTS, err);
	return add_count(job, mapped, from, from, own, err);
}

/* From a frontier to all entries of others. */
static int
add_links(struct prior_job *job, int k, int a, int j, struct cscg_err *err)
{
	int mapped = job->action[k * job->n_actions + a], from = job->base[k] + j;
	long own = job->entries[k + 1] - job->entries[k], i;
	long others = job->entries[job->n] - own;
	double self_loop = others ? job->self_loop : 1;

	if (job->is_implicit && others)
		return add_implicit_links(job, k, a, j, err);
	for (i = 0; i < job->entries[job->n]; i++)
		if ((i < job->entries[k] || i >= job->entries[k + 1]) &&
		    add_count(job, mapped, from, job->entry[i], (1 - self_loop) * ROW_COUNTS /
		    (double)others, err) < 0)
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
				if (job->is_frontier[mapped * S + job->base[k] + j] ?
				    add_links(job, k, a, j, err) < 0 :
				    add_block_row(job, k, a, j, 1, err) < 0)
					return -1;
		}
	return 0;
}

static int
set_frontiers(struct prior_job *job, struct cscg_model *prior, struct cscg_err *err)
{
	long S = job->base[job->n], i, n = 0;
	struct cscg_model_frontier *f;
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
			f[n++] = (struct cscg_model_frontier){ (int)(i % S),
			    (int)(i / S) };
	rc = cscg_model_set_frontiers(prior, f, n, err);
	free(f);
	if (rc == 0 && given)
		rc = cscg_model_set_entries(prior, job->entry,
		    job->entries[job->n], err);
	return rc;
}

/* Side by side: each two columns to the right of the one before. */
static int
set_coords(struct prior_job *job, struct cscg_model *prior, struct cscg_err *err)
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
	job->action = cscg_alloc(n, (size_t)job->n_actions *
	    sizeof *job->action, err);
	if (!job->base || !job->entries || !job->action ||
	    match_actions(job, which, err) < 0 ||
	    count_states(job, err) < 0 || find_frontiers(job, err) < 0 ||
	    add_counts(job, err) < 0)
		return NULL;
	prior = cscg_model_new(CSCG_SCHEMA, job->base[job->n],
	    job->n_actions, 1, err);
	if (!prior)
		return NULL;
	prior->pseudocount = PSEUDOCOUNT;
	if (cscg_model_set_counts(prior, job->c, (long)job->n_c, err) < 0 ||
	    set_frontiers(job, prior, err) < 0 ||
	    set_coords(job, prior, err) < 0 ||
	    cscg_names_copy(&prior->actions, &job->block[0]->actions,
	    err) < 0) {
		cscg_model_free(prior);
		return NULL;
	}
	return prior;
}

struct cscg_model *
cscg_stitch_prior(const struct cscg_model *const *block, int n, double self_loop,
    int *which, struct cscg_err *err)
{
	struct prior_job job = { .block = block, .n = n, .self_loop = self_loop,
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
