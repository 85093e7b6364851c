/*
 * residual.c - stitching of walks with rooms that no schema explains, which
 * are learned
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/graph.h"
#include "kernel/passes.h"
#include "kernel/trans.h"
#include "learn/context.h"
#include "learn/learn_merge.h"
#include "learn/learn_model.h"
#include "learn/refine.h"
#include "learn/structure.h"
#include "schema/explain.h"
#include "schema/partition.h"
#include "schema/residual.h"

enum {
	MIN_ROOM = 8,      /* states of a new room */
	RARE_VISITS = 2,   /* visits of a state that may be an artefact of
	                    noise */
	MANY_VISITS = 20,  /* mean visits of all states, above which it is */
	REFINE_STARTS = 3, /* of the graph of a walk with noise */
	REFINE_AGAIN = 4,  /* most rounds of contexts of its states */
	DOUBTFUL = 2,      /* visits of a transition that may be a slip */
	OFTEN = 4,         /* visits of one that is no slip */
	MIN_WRONG = 2,     /* such transitions that contradict a schema */
	MIN_ENCLOSING = 3  /* transitions into a piece from the one that
	                      encloses it */
};
#define MIN_PIECE \
	0.3                 /* share of a schema's states; smaller pieces are
	                   parts of a larger one */
#define PRIOR_WEIGHT 1.     /* counts of a transition that was not visited */
#define MIN_MAIN_SHARE 0.85 /* of the likeliest transitions of a graph */
#define MAX_INFERRED 0.1    /* share of the rows that may be inferred */

struct residual_job {
	const struct cscg_model *const *schema;
	int n; /* schemas */
	const struct cscg_walk *w;
	const struct cscg_learn *set;
	bool quick;
	bool plain; /* no labels at first */
	struct cscg_explain by;
	struct cscg_walk *labelled;
	struct cscg_model *m;
	int *path;  /* [n_steps] state of each step */
	int *label; /* [n_states] state of a binding, numbered through
	               by.base; -1: unknown */
	int *piece; /* [n_states] */
	int n_pieces;
	long n_noisy; /* transitions besides those of the graph */
};

void
cscg_residual_free(struct cscg_residual *rest)
{
	int k;

	for (k = 0; k < rest->n && rest->room; k++)
		cscg_model_free(rest->room[k]);
	free(rest->room);
	free(rest->schema);
	free(rest->path);
	*rest = (struct cscg_residual){ .n = 0 };
}

/* ---- symbols by schema ---- */

/* The state of a binding that explains step t, or -1. */
static int
explained_by(const struct residual_job *job, long t)
{
	int b = job->by.binding[t];

	return b < 0 ? -1 : job->by.base[b] + job->by.state[t];
}

/* Number the symbols that occur: own ones first, then states of bindings. */
static int
number_symbols(const struct residual_job *job, int *number)
{
	int K = job->w->head.n_obs, N = job->by.base[job->by.n], v, n = 0;
	long t;

	for (t = 0; t < job->w->n_steps; t++) {
		v = explained_by(job, t);
		if (job->w->x[t] >= 0)
			number[v < 0 ? job->w->x[t] : K + v] = 1;
	}
	for (v = 0; v < K + N; v++)
		number[v] = number[v] ? n++ : -1;
	return n;
}

static int
label_walk(struct residual_job *job, struct cscg_err *err)
{
	const struct cscg_walk *w = job->w;
	int K = w->head.n_obs, v, rc = 0;
	int *number = cscg_alloc((size_t)(K + job->by.base[job->by.n]),
	    sizeof *number, err);
	struct cscg_walk_header head = { .n_actions = w->head.n_actions };
	struct cscg_step step;
	long t;

	if (!number)
		return -1;
	head.n_obs = number_symbols(job, number);
	if (!head.n_obs)
		rc = cscg_fail(err, CSCG_ERANGE,
		    "the walk has no observation");
	else
		job->labelled = cscg_walk_new(&head, err);
	if (!job->labelled)
		rc = -1;
	for (t = 0; rc == 0 && t < w->n_steps; t++) {
		cscg_walk_get_step(w, t, &step);
		v = explained_by(job, t);
		if (step.x >= 0)
			step.x = number[v < 0 ? step.x : K + v];
		step.z = step.goal = -1;
		step.view = 0;
		rc = cscg_walk_add(job->labelled, &step, err);
	}
	free(number);
	return rc;
}

static int
decode_path(struct residual_job *job, const struct cscg_walk *w,
    struct cscg_err *err)
{
	struct cscg_trans *tr = cscg_trans_new(job->m, &cscg_plain_double,
	    err);
	struct cscg_work work = { 0 };
	double logp;
	int rc = -1;

	if (tr)
		rc = cscg_viterbi_all(tr, w, &work, job->path, &logp, err);
	cscg_work_free(&work);
	cscg_trans_free(tr);
	return rc;
}

/*
 * Remove states that the path visits rarely although it visits states often on
 * average: artefacts of noise.  A visit to such a state counts as a visit to
 * the likely successor of the previous state, whose symbol was misread.
 */
static int
remove_rare(struct residual_job *job, struct cscg_err *err)
{
	int n = job->m->n_states, count = 0, j;
	int *into = cscg_alloc((size_t)n, sizeof *into, err);
	struct cscg_model *kept = NULL;
	long t;

	if (!into)
		return -1;
	for (t = 0; t < job->w->n_steps; t++)
		into[job->path[t]]++;
	for (j = 0; j < n; j++)
		into[j] = into[j] > RARE_VISITS ? count++ : -1;
	if (count == n || !count || job->w->n_steps < (long)MANY_VISITS * n) {
		free(into);
		return 0;
	}
	for (t = 0; t < job->w->n_steps; t++) {
		if (into[job->path[t]] >= 0)
			continue;
		j = t && job->w->a[t - 1] >= 0 ?
		    cscg_model_likely_successor(job->m, job->w->a[t - 1],
			job->path[t - 1]) :
		    -1;
		if (j < 0 || into[j] < 0)
			j = t ? job->path[t - 1] : job->path[t];
		for (; into[j] < 0; j = (j + 1) % n)
			;
		job->path[t] = j;
	}
	kept = cscg_model_merge_states(job->m, into, count, err);
	for (t = 0; kept && t < job->w->n_steps; t++)
		job->path[t] = into[job->path[t]];
	free(into);
	if (!kept)
		return -1;
	cscg_model_free(job->m);
	job->m = kept;
	return 0;
}

/*
 * Improve the assignment f (a round of contexts, then local changes), and keep
 * it as *best if its description length is less.  1: it is less, 0, or -1 with
 * err filled.
 */
static int
refine_round(const struct cscg_walk *w, struct cscg_merge *f,
    struct cscg_poll *poll, struct cscg_merge **best, struct cscg_err *err)
{
	struct cscg_merge *g;
	int rc = cscg_context_round(w, f, err);

	if (rc == 0)
		rc = cscg_refine(w, f->state, f->n_states, poll, &g, err);
	if (rc <= 0)
		return rc;
	if (*best && g->cost >= (*best)->cost - 1e-3) {
		cscg_merge_free(g);
		return 0;
	}
	cscg_merge_free(*best);
	*best = g;
	return 1;
}

/* A copy of the states of f. */
static struct cscg_merge *
copy_states(const struct cscg_merge *f, long n_steps, struct cscg_err *err)
{
	struct cscg_merge *g = cscg_alloc(1, sizeof *g, err);

	if (!g)
		return NULL;
	g->n_states = f->n_states;
	g->state = cscg_copy(f->state, (size_t)n_steps, sizeof *g->state, err);
	g->symbol = cscg_copy(f->symbol, (size_t)f->n_states,
	    sizeof *g->symbol, err);
	if (g->state && g->symbol)
		return g;
	cscg_merge_free(g);
	return NULL;
}

/*
 * The graph of walk w with noise, from contexts; 1, 0 or -1 as cscg_refine().
 * Contexts are first those of symbols, then of the states of the best graph, as
 * long as that improves it: states that the graph takes for one differ by the
 * states before and after them.
 */
static int
refine_contexts(const struct cscg_walk *w, struct cscg_poll *poll,
    struct cscg_merge **best, struct cscg_err *err)
{
	struct cscg_merge *f = cscg_context_symbols(w, err);
	int i, rc = f ? 0 : -1;

	*best = NULL;
	for (i = 0; i < REFINE_STARTS && rc >= 0 && (!i || *best) &&
	     !cscg_poll_stopped(poll);
	     i++)
		rc = refine_round(w, f, poll, best, err);
	if (rc == 0 && *best)
		rc = 1;
	for (i = 0; i < REFINE_AGAIN && rc > 0 && !cscg_poll_stopped(poll);
	     i++) {
		cscg_merge_free(f);
		f = copy_states(*best, w->n_steps, err);
		rc = f ? refine_round(w, f, poll, best, err) : -1;
	}
	cscg_merge_free(f);
	return rc < 0 ? -1 : *best != NULL;
}

/*
 * The successors of each row of m, -1: unknown, to[n_actions * n_states]: those
 * of most counts, but not of few counts that the inverse action contradicts.
 */
static void
choose_successors(const struct cscg_model *m, int *to)
{
	int a, b, j, k, i, S = m->n_states;

	cscg_model_successors(m, to);
	for (a = 0; a < m->n_actions; a++) {
		b = cscg_model_inverse(m, a);
		for (j = 0; j < S && b >= 0; j++) {
			k = to[a * S + j];
			if (k < 0 || cscg_model_row_sum(m, a, j) > DOUBTFUL)
				continue;
			for (i = 0; i < S && k == j; i++)
				if (i != j && to[b * S + i] == j &&
				    cscg_model_row_sum(m, b, i) > DOUBTFUL)
					to[a * S + j] = -1;
			if (k != j && to[b * S + k] >= 0 &&
			    to[b * S + k] != j &&
			    cscg_model_row_sum(m, b, k) > DOUBTFUL)
				to[a * S + j] = -1;
		}
	}
}

/* Keep the counts of these successors only; *n_others is the sum of the others. */
static int
keep_successors(struct cscg_model *m, const int *to, long *n_others,
    struct cscg_err *err)
{
	long rows = (long)m->n_actions * m->n_states, row, i, n = 0;
	struct cscg_count *c = cscg_alloc((size_t)rows, sizeof *c, err);
	int rc = -1;

	for (row = 0; c && row < rows; row++)
		for (i = m->first[row]; i < m->first[row + 1]; i++)
			if (m->to[i] == to[row])
				c[n++] = (struct cscg_count){ (int)(row /
								  m->n_states),
					(int)(row % m->n_states), m->to[i],
					m->count[i] };
			else
				*n_others += (long)m->count[i];
	if (c)
		rc = cscg_model_set_counts(m, c, n, err);
	free(c);
	return rc;
}

/* Copy the states of f, of which m has those that occur and some others. */
static int
drop_unvisited(struct residual_job *job, const struct cscg_merge *f,
    struct cscg_err *err)
{
	int n = job->m->n_states, i, j;
	int *into = cscg_alloc((size_t)n, sizeof *into, err);
	struct cscg_model *kept;
	long t;

	if (!into)
		return -1;
	for (i = j = 0; j < n; j++)
		into[j] = i < f->n_states && f->symbol[i] == job->m->clone[j] ?
		    i++ :
		    -1;
	kept = cscg_model_merge_states(job->m, into, f->n_states, err);
	free(into);
	if (!kept)
		return -1;
	cscg_model_free(job->m);
	job->m = kept;
	for (t = 0; t < job->w->n_steps; t++)
		job->path[t] = f->state[t];
	return 0;
}

/*
 * A graph of the labelled walk with noise.  1, 0 if there is none with few
 * exceptions, -1 with err filled.
 */
static int
learn_noisy(struct residual_job *job, const struct cscg_learn *set,
    struct cscg_err *err)
{
	struct cscg_merge *f = NULL;
	int *to = NULL, rc;

	if (job->w->head.n_actions < 2)
		return 0;
	rc = refine_contexts(job->labelled, set->poll, &f, err);
	if (rc > 0) {
		job->m = cscg_learn_model_merged(f, job->labelled, set, err);
		rc = job->m ? drop_unvisited(job, f, err) : -1;
	}
	cscg_merge_free(f);
	if (rc < 0 || !job->m)
		return rc;
	if (cscg_model_main_share(job->m, -1) < MIN_MAIN_SHARE) {
		cscg_model_free(job->m);
		job->m = NULL;
		return 0;
	}
	to = cscg_alloc((size_t)job->m->n_actions * (size_t)job->m->n_states,
	    sizeof *to, err);
	if (to)
		choose_successors(job->m, to);
	rc = to && keep_successors(job->m, to, &job->n_noisy, err) == 0 ? 1 :
									  -1;
	free(to);
	return rc;
}

/* Steps that schemas explain, and a model of the walk labelled by them. */
static int
learn_labelled(struct residual_job *job, const struct cscg_learn *set,
    struct cscg_err *err)
{
	struct cscg_learn_progress last;
	int rc;

	if (cscg_explain(job->schema, job->plain ? 0 : job->n, job->w, NULL,
		NULL, &job->by, err) < 0 ||
	    label_walk(job, err) < 0)
		return -1;
	rc = learn_noisy(job, set, err);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	if (job->plain)
		return cscg_fail(err, CSCG_ERANGE, "the walk has no graph");
	job->m = cscg_learn(job->labelled, set, &last, err);
	return job->m && decode_path(job, job->labelled, err) == 0 ?
	    remove_rare(job, err) :
	    -1;
}

/* Replace the counts by those of the path. */
static int
count_path(struct residual_job *job, struct cscg_err *err)
{
	const struct cscg_walk *w = job->w;
	struct cscg_count *c = cscg_alloc((size_t)w->n_steps, sizeof *c, err);
	long t, n = 0;
	int rc = -1;

	for (t = 0; c && t < w->n_steps; t++)
		if (cscg_walk_has_transition(w, t))
			c[n++] = (struct cscg_count){ w->a[t], job->path[t],
				job->path[t + 1], 1 };
	if (c)
		rc = cscg_model_set_counts(job->m, c, n, err);
	free(c);
	return rc;
}

static int
learn(struct residual_job *job, struct cscg_err *err)
{
	struct cscg_learn set = *job->set;
	int rc;

	set.clones = NULL;
	set.init = NULL;
	job->path = cscg_alloc((size_t)job->w->n_steps, sizeof *job->path,
	    err);
	if (!job->path)
		return -1;
	rc = cscg_learn_merge_deterministic(job->w, &set, &job->m, err);
	if (rc == 0 && job->quick)
		return cscg_fail(err, CSCG_ERANGE,
		    "merging finds no graph of the walk");
	if (rc == 0)
		return learn_labelled(job, &set, err);
	return rc < 0 || decode_path(job, job->w, err) < 0 ||
		count_path(job, err) < 0 ?
	    -1 :
	    cscg_explain(job->schema, job->n, job->w, job->m, job->path,
		&job->by, err);
}

/* ---- pieces ---- */

/* The label of a state is that of most of its steps: a majority vote. */
static int
label_states(struct residual_job *job, struct cscg_err *err)
{
	size_t n = (size_t)job->m->n_states;
	int *vote = cscg_alloc(n, sizeof *vote, err), v, j;
	long t;

	free(job->label);
	job->label = cscg_alloc(n, sizeof *job->label, err);
	if (!vote || !job->label) {
		free(vote);
		return -1;
	}
	/* The path need not visit all states. */
	for (j = 0; j < job->m->n_states; j++)
		job->label[j] = -1;
	for (t = 0; t < job->w->n_steps; t++) {
		j = job->path[t];
		v = explained_by(job, t);
		if (vote[j] == 0)
			job->label[j] = v;
		vote[j] += job->label[j] == v ? 1 : -1;
	}
	free(vote);
	return 0;
}

static int
binding_of(const struct residual_job *job, int label)
{
	int b = 0;

	while (label >= job->by.base[b + 1])
		b++;
	return b;
}

/* Whether a transition between two states follows their schema. */
static bool
is_inside(const struct residual_job *job, int j, int a, int k)
{
	int b, c;

	if (job->label[j] < 0 || job->label[k] < 0)
		return job->label[j] == job->label[k];
	b = binding_of(job, job->label[j]);
	c = job->by.base[b];
	return job->label[k] >= c && job->label[k] < job->by.base[b + 1] &&
	    cscg_model_likely_successor(job->schema[job->by.schema[b]], a,
		job->label[j] - c) == job->label[k] - c;
}

/*
 * States of a binding that transitions of its schema connect are one room.
 * Small pieces of a binding are parts of the largest one.  Connected states
 * without a label are one piece, divided like the whole graph.
 */
static void
join_rooms(const struct residual_job *job, int *parent)
{
	const struct cscg_model *m = job->m;
	int a, j, k;

	cscg_sets_init(parent, m->n_states);
	for (a = 0; a < m->n_actions; a++)
		for (j = 0; j < m->n_states; j++) {
			k = cscg_model_likely_successor(m, a, j);
			if (k >= 0 && job->label[j] >= 0 &&
			    is_inside(job, j, a, k))
				cscg_sets_join(parent, j, k);
		}
}

static void
join_small(const struct residual_job *job, int *parent, int *size)
{
	int n = job->m->n_states, b, j, largest;

	memset(size, 0, (size_t)n * sizeof *size);
	for (j = 0; j < n; j++)
		size[cscg_sets_root(parent, j)]++;
	for (b = 0; b < job->by.n; b++) {
		int states = job->by.base[b + 1] - job->by.base[b];

		largest = -1;
		for (j = 0; j < n; j++)
			if (job->label[j] >= job->by.base[b] &&
			    job->label[j] < job->by.base[b + 1] &&
			    parent[j] == j &&
			    (largest < 0 || size[j] > size[largest]))
				largest = j;
		for (j = 0; j < n; j++)
			if (largest >= 0 && job->label[j] >= job->by.base[b] &&
			    job->label[j] < job->by.base[b + 1] &&
			    size[cscg_sets_root(parent, j)] <
				MIN_PIECE * states)
				cscg_sets_join(parent, j, largest);
	}
}

/* Merge states of one room with the same label, and renumber the path. */
static int
merge_equal(struct residual_job *job, int *parent, struct cscg_err *err)
{
	int n = job->m->n_states, i, j, count = 0;
	int *into = cscg_alloc((size_t)n, sizeof *into, err);
	struct cscg_model *merged;
	long t;

	if (!into)
		return -1;
	for (j = 0; j < n; j++) {
		for (i = 0; i < j; i++)
			if (job->label[j] >= 0 &&
			    job->label[i] == job->label[j] &&
			    job->m->clone[i] == job->m->clone[j] &&
			    cscg_sets_root(parent, i) ==
				cscg_sets_root(parent, j))
				break;
		into[j] = i < j ? into[i] : count++;
	}
	merged = cscg_model_merge_states(job->m, into, count, err);
	if (merged) {
		for (t = 0; t < job->w->n_steps; t++)
			job->path[t] = into[job->path[t]];
		cscg_model_free(job->m);
		job->m = merged;
	}
	free(into);
	return merged ? label_states(job, err) : -1;
}

/*
 * Join states without a label that are connected within a room of the whole
 * graph.
 */
static int
join_unknown(const struct residual_job *job, int *parent, struct cscg_err *err)
{
	static const struct cscg_partition_options cut =
	    CSCG_PARTITION_DEFAULTS;
	struct cscg_graph *g = cscg_graph_of_model(job->m,
	    CSCG_PARTITION_MIN_PROB, err);
	struct cscg_partition *r = g ? cscg_partition_new(g, &cut, err) : NULL;
	long row, i;
	int j, k;

	for (row = 0; r && row < (long)g->n_actions * g->n_nodes; row++)
		for (i = g->first[row]; i < g->first[row + 1]; i++) {
			j = (int)(row % g->n_nodes);
			k = g->to[i];
			if (job->label[j] < 0 && job->label[k] < 0 &&
			    r->room[j] == r->room[k])
				cscg_sets_join(parent, j, k);
		}
	cscg_partition_free(r);
	cscg_graph_free(g);
	return r ? 0 : -1;
}

static int
number_pieces(struct residual_job *job, struct cscg_err *err)
{
	size_t n = (size_t)job->m->n_states;
	int *parent = cscg_alloc(2 * n, sizeof *parent, err), j;

	if (!parent || label_states(job, err) < 0)
		goto fail;
	join_rooms(job, parent);
	join_small(job, parent, parent + n);
	if (merge_equal(job, parent, err) < 0)
		goto fail;
	join_rooms(job, parent);
	join_small(job, parent, parent + n);
	if (join_unknown(job, parent, err) < 0)
		goto fail;
	free(job->piece);
	job->n_pieces = 0;
	job->piece = cscg_alloc(n, sizeof *job->piece, err);
	if (!job->piece)
		goto fail;
	for (j = 0; j < job->m->n_states; j++)
		job->piece[j] = cscg_sets_root(parent, j) == j ?
		    job->n_pieces++ :
		    job->piece[cscg_sets_root(parent, j)];
	free(parent);
	return 0;
fail:
	free(parent);
	return -1;
}

/* Explain learned pieces of a walk with noise; returns how many, or -1. */
static int
explain_pieces(struct residual_job *job, struct cscg_err *err)
{
	int j, k, size, found = 0, rc;

	for (k = 0; k < job->n_pieces && !cscg_poll_stopped(job->set->poll);
	     k++) {
		for (j = 0, size = 0; j < job->m->n_states; j++)
			size += job->piece[j] == k && job->label[j] < 0;
		if (size < MIN_ROOM)
			continue;
		rc = cscg_explain_piece(job->schema, job->n, job->w, job->m,
		    job->path, job->piece, k, job->set->poll, &job->by, err);
		if (rc < 0)
			return -1;
		found += rc;
	}
	return found;
}

/* The state of a piece that has a label, or -1. */
static int
state_of(const struct residual_job *job, int piece, int label)
{
	int j;

	for (j = 0; j < job->m->n_states; j++)
		if (job->piece[j] == piece && job->label[j] == label)
			return j;
	return -1;
}

/*
 * The schema's successor of state j by action a, if the piece contains it;
 * else -1.
 */
static int
known_successor(const struct residual_job *job, int j, int a)
{
	int b, k;

	if (job->label[j] < 0)
		return -1;
	b = binding_of(job, job->label[j]);
	k = cscg_model_likely_successor(job->schema[job->by.schema[b]], a,
	    job->label[j] - job->by.base[b]);
	return k < 0 ? -1 : state_of(job, job->piece[j], job->by.base[b] + k);
}

/*
 * The piece of a schema that encloses learned piece k: all transitions from k
 * lead to k or to it, and more of its own lead to k than a doorway has.
 * -1: none.
 */
static int
find_enclosing(const struct residual_job *job, int k)
{
	const struct cscg_model *m = job->m;
	int a, j, to, q = -1, n = 0;

	for (a = 0; a < m->n_actions; a++)
		for (j = 0; j < m->n_states; j++) {
			to = cscg_model_likely_successor(m, a, j);
			if (to < 0 || job->piece[to] == job->piece[j] ||
			    cscg_model_row_sum(m, a, j) <= DOUBTFUL)
				continue;
			if (job->piece[j] == k) {
				if (job->label[to] < 0 ||
				    (q >= 0 && q != job->piece[to]))
					return -1;
				q = job->piece[to];
			} else if (job->piece[to] == k) {
				if (job->label[j] < 0 ||
				    (q >= 0 && q != job->piece[j]))
					return -1;
				q = job->piece[j];
				n++;
			}
		}
	return n >= MIN_ENCLOSING ? q : -1;
}

/*
 * Whether the schema of piece q is contradicted: several transitions within it
 * that were visited often are not those of the schema.
 */
static bool
is_contradicted(const struct residual_job *job, int q)
{
	const struct cscg_model *m = job->m;
	int a, j, to, known, n = 0;

	for (a = 0; a < m->n_actions; a++)
		for (j = 0; j < m->n_states; j++) {
			to = job->piece[j] == q ?
			    cscg_model_likely_successor(m, a, j) :
			    -1;
			known = to < 0 ? -1 : known_successor(job, j, a);
			n += known >= 0 && known != to &&
			    job->piece[to] == q &&
			    cscg_model_row_sum(m, a, j) > OFTEN;
		}
	return n >= MIN_WRONG;
}

static void
drop_binding(struct residual_job *job, int q)
{
	int j, b;
	long t;

	for (j = 0; job->piece[j] != q; j++)
		;
	b = binding_of(job, job->label[j]);
	for (t = 0; t < job->w->n_steps; t++)
		if (job->by.binding[t] == b) {
			job->by.binding[t] = -1;
			job->by.n_explained--;
		}
}

/*
 * A schema does not explain a room with states inside that it lacks, as if they
 * were behind doors, nor, in a walk with noise, one whose transitions differ as
 * if by slips: drop such bindings; returns how many.
 */
static int
drop_wrong(struct residual_job *job)
{
	int j, k, q, found = 0;

	for (k = 0; k < job->n_pieces; k++) {
		for (j = 0; job->piece[j] != k; j++)
			;
		if (job->label[j] < 0)
			q = find_enclosing(job, k);
		else
			q = job->n_noisy && is_contradicted(job, k) ? k : -1;
		if (q < 0)
			continue;
		drop_binding(job, q);
		found++;
	}
	return found;
}

/* Learn the walk again with the labels of pieces that were explained. */
static int
learn_again(struct residual_job *job, struct cscg_err *err)
{
	struct cscg_model *before = job->m;
	long n_noisy = job->n_noisy;
	size_t n = (size_t)job->w->n_steps;
	int *path = cscg_copy(job->path, n, sizeof *path, err), rc = -1;

	cscg_walk_free(job->labelled);
	job->labelled = NULL;
	job->m = NULL;
	job->n_noisy = 0;
	if (path && label_walk(job, err) == 0)
		rc = learn_noisy(job, job->set, err);
	if (rc == 0) {
		/* The graph before has fewer exceptions. */
		job->m = before;
		job->n_noisy = n_noisy;
		memcpy(job->path, path, n * sizeof *path);
	} else {
		cscg_model_free(before);
	}
	free(path);
	return rc < 0 ? -1 : number_pieces(job, err);
}

/*
 * A walk with noise has few stretches that a schema explains without fault, but
 * the states of its graph average the noise.
 */
static int
find_pieces(struct residual_job *job, struct cscg_err *err)
{
	int rc = number_pieces(job, err);

	if (rc == 0 && drop_wrong(job))
		rc = job->n_noisy ? learn_again(job, err) :
				    number_pieces(job, err);
	if (rc == 0 && job->n_noisy && job->n) {
		rc = explain_pieces(job, err);
		if (rc > 0)
			rc = learn_again(job, err);
	}
	return rc;
}

/* ---- the model ---- */

/*
 * The successor of a learned state j by action a, whose inverse is b: the
 * state of its piece from which b leads to j, else j itself, a wall.  -1:
 * unknown.
 */
static int
inferred_successor(const struct residual_job *job, int j, int b)
{
	int k;

	if (job->label[j] >= 0 || b < 0)
		return -1;
	for (k = 0; k < job->m->n_states; k++)
		if (k != j && job->piece[k] == job->piece[j] &&
		    cscg_model_likely_successor(job->m, b, k) == j)
			return k;
	return j;
}

/*
 * Whether few rows are without counts, so that those of rooms that no schema
 * explains can be inferred from inverse actions.
 */
static bool
can_infer(const struct cscg_model *m)
{
	long rows = (long)m->n_actions * m->n_states, row, missing = 0;

	for (row = 0; row < rows; row++)
		missing += m->first[row] == m->first[row + 1];
	return (double)missing <= MAX_INFERRED * (double)rows;
}

/*
 * Complete rows without counts: the transition of the schema, or one inferred
 * from the inverse action.  Walls and unknown transitions may be doors.
 */
static int
complete_rows(struct residual_job *job, struct cscg_err *err)
{
	struct cscg_model *m = job->m;
	long rows = (long)m->n_actions * m->n_states, row, i, n = 0, n_f = 0;
	bool infers = can_infer(m);
	struct cscg_count *c = cscg_alloc((size_t)(m->first[rows] + rows),
	    sizeof *c, err);
	struct cscg_frontier *f = cscg_alloc((size_t)rows, sizeof *f, err);
	int rc = -1;

	for (row = 0; c && f && row < rows; row++) {
		int a = (int)(row / m->n_states), j = (int)(row % m->n_states);
		int k;

		for (i = m->first[row]; i < m->first[row + 1]; i++)
			c[n++] = (struct cscg_count){ a, j, m->to[i],
				m->count[i] };
		if (m->first[row] < m->first[row + 1])
			continue;
		k = known_successor(job, j, a);
		if (k < 0 && infers)
			k = inferred_successor(job, j,
			    cscg_model_inverse(m, a));
		if (k >= 0)
			c[n++] = (struct cscg_count){ a, j, k, PRIOR_WEIGHT };
		if (k < 0 || k == j)
			f[n_f++] = (struct cscg_frontier){ j, a };
	}
	if (c && f && cscg_model_set_counts(m, c, n, err) == 0 &&
	    cscg_model_set_entries(m, NULL, 0, err) == 0)
		rc = cscg_model_set_frontiers(m, f, n_f, err);
	free(c);
	free(f);
	return rc;
}

/* Symbols of the walk instead of labels: the observations of each state. */
static int
ground(struct residual_job *job, struct cscg_err *err)
{
	struct cscg_model *m = job->m;
	int K = job->w->head.n_obs, j, x, rc;
	double *E = cscg_alloc((size_t)m->n_states * (size_t)K, sizeof *E,
	    err);
	double sum;
	long t;

	if (!E)
		return -1;
	for (t = 0; t < job->w->n_steps; t++)
		if (job->w->x[t] >= 0)
			E[(long)job->path[t] * K + job->w->x[t]]++;
	for (j = 0; j < m->n_states; j++) {
		for (x = 0, sum = 0; x < K; x++)
			sum += E[(long)j * K + x];
		for (x = 0; x < K; x++)
			E[(long)j * K + x] = sum > 0 ?
			    E[(long)j * K + x] / sum :
			    1. / K;
	}
	cscg_model_unground(m, CSCG_SCHEMA);
	rc = cscg_model_set_E(m, E, K, err);
	free(E);
	if (rc == 0)
		rc = cscg_names_copy(&m->symbols, &job->w->head.symbols, err);
	if (rc == 0)
		rc = cscg_names_copy(&m->actions,
		    job->n ? &job->schema[0]->actions : &job->w->head.actions,
		    err);
	return rc;
}

/* ---- the result ---- */

/* Numbers of states in blocks: of the schema, or in the order of states. */
static int
number_blocks(const struct residual_job *job, struct cscg_stitch_result *out,
    struct cscg_residual *rest, struct cscg_err *err)
{
	int n = job->m->n_states, k, j, b;

	out->n_blocks = rest->n = job->n_pieces;
	out->base = cscg_alloc((size_t)rest->n + 1, sizeof *out->base, err);
	out->state_of = cscg_alloc((size_t)n, sizeof *out->state_of, err);
	rest->schema = cscg_alloc((size_t)rest->n, sizeof *rest->schema, err);
	rest->room = cscg_alloc((size_t)rest->n, sizeof *rest->room, err);
	if (!out->base || !out->state_of || !rest->schema || !rest->room)
		return -1;
	for (k = 0; k < rest->n; k++) {
		int size = 0;

		out->base[k + 1] = out->base[k];
		for (j = 0; j < n; j++) {
			if (job->piece[j] != k)
				continue;
			b = job->label[j] < 0 ? -1 :
						binding_of(job, job->label[j]);
			rest->schema[k] = b < 0 ? -1 : job->by.schema[b];
			out->state_of[j] = out->base[k] +
			    (b < 0 ? size : job->label[j] - job->by.base[b]);
			size++;
			out->base[k + 1] = out->base[k] +
			    (b < 0 ? size :
				     job->by.base[b + 1] - job->by.base[b]);
		}
	}
	out->n_states = out->base[rest->n];
	return 0;
}

/* Visits, unlikely observations and transitions between blocks. */
static int
count_walk(const struct residual_job *job, struct cscg_stitch_result *out,
    struct cscg_err *err)
{
	const struct cscg_walk *w = job->w;
	size_t n = (size_t)out->n_states;
	long t, i, kept = 0;

	out->n_visits = cscg_alloc(n, sizeof *out->n_visits, err);
	out->n_jumps = cscg_alloc(n, sizeof *out->n_jumps, err);
	out->n_unlikely = cscg_alloc(n, sizeof *out->n_unlikely, err);
	out->link = cscg_alloc((size_t)w->n_steps, sizeof *out->link, err);
	if (!out->n_visits || !out->n_jumps || !out->n_unlikely || !out->link)
		return -1;
	out->n_steps = w->n_steps;
	for (t = 0; t < w->n_steps; t++) {
		int j = job->path[t];
		double p = 0;

		out->n_visits[out->state_of[j]]++;
		for (i = job->m->e_first[j]; i < job->m->e_first[j + 1]; i++)
			p = job->m->e_obs[i] == w->x[t] ? job->m->e_p[i] : p;
		out->n_unlikely[out->state_of[j]] += w->x[t] >= 0 && p < .5;
		if (!cscg_walk_has_transition(w, t))
			continue;
		out->n_transitions++;
		if (job->piece[j] != job->piece[job->path[t + 1]])
			out->link[out->n_links++] = (struct cscg_stitch_link){
				{ w->a[t], out->state_of[j],
				    out->state_of[job->path[t + 1]] },
				1
			};
	}
	qsort(out->link, (size_t)out->n_links, sizeof *out->link,
	    cscg_arc_compare);
	for (i = 0; i < out->n_links; i++) {
		if (kept &&
		    !cscg_arc_compare(&out->link[i], &out->link[kept - 1]))
			out->link[kept - 1].n_visits++;
		else
			out->link[kept++] = out->link[i];
	}
	out->n_links = kept;
	return 0;
}

/*
 * Give room, whose states are those of piece k without doorways, the clone
 * structure of its symbols: states are numbered by symbol.  NULL with err
 * filled; takes room.
 */
static struct cscg_model *
add_clones(const struct residual_job *job, const struct cscg_partition *r,
    int k, struct cscg_model *room, struct cscg_err *err)
{
	int K = job->w->head.n_obs, n = room->n_states, i = 0, j, x, g = 0;
	int *symbol = cscg_alloc((size_t)n * 3, sizeof *symbol, err);
	struct cscg_model *to = NULL;
	int *into = symbol + n, *clone = into + n, n_into = 0;

	for (j = 0; symbol && j < job->m->n_states; j++)
		if (job->piece[j] == k && !r->is_doorway[j])
			symbol[i++] = cscg_model_best_symbol(job->m, j);
	for (x = 0; symbol && x < K;
	     x++, g += n_into && clone[n_into - 1] == g)
		for (j = 0; j < n; j++)
			if (symbol[j] == x) {
				clone[n_into] = g;
				into[j] = n_into++;
			}
	if (symbol)
		to = cscg_model_merge_states(room, into, n, err);
	cscg_model_free(room);
	if (to &&
	    (to->clone = cscg_copy(clone, (size_t)n, sizeof *clone, err))) {
		to->kind = CSCG_CLONES;
		to->n_obs = g;
	} else {
		cscg_model_free(to);
		to = NULL;
	}
	free(symbol);
	return to;
}

/* Learned pieces that are rooms become schemas, each kind once. */
static int
find_rooms(const struct residual_job *job, struct cscg_residual *rest,
    struct cscg_err *err)
{
	struct cscg_graph *g = cscg_graph_of_model(job->m,
	    CSCG_PARTITION_MIN_PROB, err);
	struct cscg_partition *r = NULL;
	int k, rc = -1;

	if (g)
		r = cscg_partition_given(g, job->piece, job->n_pieces, err);
	if (r)
		rc = 0;
	for (k = 0; rc == 0 && k < r->n; k++)
		if (rest->schema[k] < 0 && r->size[k] >= MIN_ROOM &&
		    r->class_of[k] == k) {
			rest->room[k] = cscg_partition_class_model(job->m, r,
			    k, err);
			if (rest->room[k])
				rest->room[k] = add_clones(job, r, k,
				    rest->room[k], err);
			rc = rest->room[k] ? 0 : -1;
		}
	cscg_partition_free(r);
	cscg_graph_free(g);
	return rc;
}

static int
finish(struct residual_job *job, struct cscg_stitch_result *out,
    struct cscg_residual *rest, struct cscg_err *err)
{
	if (complete_rows(job, err) < 0 || ground(job, err) < 0 ||
	    number_blocks(job, out, rest, err) < 0 ||
	    count_walk(job, out, err) < 0 || find_rooms(job, rest, err) < 0 ||
	    cscg_learn_loglik(job->m, job->w, job->set, &out->loglik, err) < 0)
		return -1;
	rest->path = job->path;
	job->path = NULL;
	out->model = job->m;
	job->m = NULL;
	return 0;
}

/*
 * Learn the walk: without the labels of schemas if `plain`, which are then
 * compared with the learned pieces only.
 */
static int
learn_once(struct residual_job *job, bool plain,
    struct cscg_stitch_result *out, struct cscg_residual *rest,
    struct cscg_err *err)
{
	int rc;

	*out = (struct cscg_stitch_result){ .n_blocks = 0 };
	*rest = (struct cscg_residual){ .n = 0 };
	job->plain = plain;
	rc = learn(job, err);
	if (rc == 0)
		rc = find_pieces(job, err);
	if (rc == 0)
		rc = finish(job, out, rest, err);
	rest->n_explained = job->by.n_explained;
	rest->n_noisy = job->n_noisy;
	cscg_explain_free(&job->by);
	cscg_walk_free(job->labelled);
	cscg_model_free(job->m);
	free(job->path);
	free(job->label);
	free(job->piece);
	job->labelled = NULL;
	job->m = NULL;
	job->path = job->label = job->piece = NULL;
	job->n_noisy = 0;
	return rc;
}

long
cscg_residual_parameters(const struct cscg_stitch_result *s,
    const struct cscg_residual *rest)
{
	const struct cscg_model *m = s->model;
	long row, n = 0;
	int a, j, k;

	for (j = 0; j < m->n_states; j++) {
		for (k = 0; s->state_of[j] >= s->base[k + 1]; k++)
			;
		n += rest->schema[k] >= 0;
		for (a = 0; a < m->n_actions && rest->schema[k] < 0; a++) {
			row = (long)a * m->n_states + j;
			n += m->first[row] < m->first[row + 1];
		}
	}
	return n;
}

/* The description length of the walk in nats (BIC). */
static double
description_length(const struct residual_job *job,
    const struct cscg_stitch_result *s, const struct cscg_residual *rest)
{
	return .5 * log((double)job->w->n_steps) *
	    (double)cscg_residual_parameters(s, rest) -
	    s->loglik;
}

int
cscg_residual_learn(const struct cscg_model *const *schema, int n,
    const struct cscg_walk *w, const struct cscg_learn *set, bool quick,
    struct cscg_stitch_result *out, struct cscg_residual *rest,
    struct cscg_err *err)
{
	struct residual_job job = {
		.schema = schema, .n = n, .w = w, .set = set, .quick = quick
	};
	struct cscg_stitch_result other;
	struct cscg_residual other_rest;
	int rc = learn_once(&job, false, out, rest, err);

	/*
	 * Noise makes schemas explain what they should not: the graph of the
	 * walk without them may be better.
	 */
	if (rc < 0 || !rest->n_noisy || !rest->n_explained ||
	    cscg_poll_stopped(set->poll))
		return rc;
	rc = learn_once(&job, true, &other, &other_rest, err);
	if (rc < 0 && err->code == CSCG_ERANGE)
		rc = 0;
	else if (rc == 0 &&
	    description_length(&job, &other, &other_rest) <
		description_length(&job, out, rest)) {
		struct cscg_stitch_result worse = *out;
		struct cscg_residual worse_rest = *rest;

		*out = other;
		*rest = other_rest;
		other = worse;
		other_rest = worse_rest;
	}
	cscg_stitch_result_free(&other);
	cscg_residual_free(&other_rest);
	return rc;
}
