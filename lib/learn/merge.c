/*
 * merge.c - evidence-driven state merging (EDSM) of a deterministic walk, with
 * inverse actions
 *
 * Every step starts as a state of its own.  States are merged by union-find,
 * and a merge is propagated along equal actions (a congruence).  A merge is
 * tried, scored, and undone if it unites two different symbols.
 *
 * Agreement is evidence: if two states were different, the probability that
 * both emit the same symbol x' after (x, a) would be about P(x' | x, a), so
 * each such agreement adds -ln P nats.  Agreement on a likely symbol (P > 1/2)
 * adds nothing: such agreements are not independent deep inside a uniform
 * area.
 *
 *  1. Landmarks.  A symbol (or a short sequence of symbols and actions) is a
 *     landmark if all its occurrences can be one state.
 *  2. From the landmarks outward: the accepted states ("red") have successors
 *     that are not accepted ("blue").  The most visited blue state is compared
 *     with every red one.  If no red state is compatible, it becomes a new red
 *     state.  If the evidence for the best red state is sufficient, they are
 *     merged.  Otherwise the blue state is deferred until its neighbourhood is
 *     better known.
 *
 * This is the blue-fringe algorithm (EDSM) of automata learning, with
 * landmarks instead of a root, since a walk does not return to a common
 * initial state.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/rng.h"
#include "core/walk.h"
#include "learn/merge.h"

/* The steps of a walk and their partition into states: declarations */

enum {
	CSCG_MERGE_LANDMARK_MAX = 3
}; /* actions in the sequence of a
                                         landmark */

struct cscg_merge_undo {
	int *cell, old;
};

struct cscg_merge_sets {
	const struct cscg_walk *w;
	int A;
	long n;
	int *parent, *size, *label; /* [n] union-find; label of the root */
	int *next;          /* [n * A] a step of the successor; at the root */
	float *evidence;    /* [n] nats for agreement on the symbol of a
	                       step */
	bool reds_distinct; /* red states are never merged with each other, and
	                       agreement on likely symbols counts */
	long n_pairs;       /* pairs of steps compared so far */
	float *nats;        /* [n] best evidence when last compared */
	char *red, *deferred; /* [n] flags, of the root */
	char *listed;         /* [n] flags while blue states are listed */
	int *blues;           /* blue states */
	size_t n_blues, cap_blues;
	int *stamp, trial; /* [n] the trial in which a root was merged into
	                      another */
	struct cscg_merge_undo *log;
	size_t n_log, cap_log;
	int (*todo)[2];
	size_t cap_todo;
	double min_nats,
	    min_nats_weak; /* nats to accept a merge, and if no other is
	                      possible */
	int *reds;         /* one step of each red state */
	size_t n_reds, cap_reds;
	long *order;   /* [n] scratch */
	uint64_t *key; /* [n] scratch */
};

/* Does the table of successors of all steps fit into memory? */
static bool merge_sets_fits(const struct cscg_walk *w);

/*
 * Makes every step a state of its own.  Call merge_sets_free() after failure
 * as well.
 */
static int merge_sets_new(struct cscg_merge_sets *f, const struct cscg_walk *w,
    struct cscg_err *err);
static void merge_sets_free(struct cscg_merge_sets *f);

/* The representative step (root) of the state of step v. */
static int merge_sets_find(const struct cscg_merge_sets *f, int v);

/* True if no known transition leads into step t. */
static bool merge_starts_run(const struct cscg_walk *w, long t);

/*
 * Merge the states of u and v and propagate.  1 with the evidence added to
 * *nats, 0 if two symbols differ (the log then holds what to undo), -1 on
 * failure.
 */
static int merge_sets_union(struct cscg_merge_sets *f, int u, int v,
    double *nats, struct cscg_err *err);

/* Set a cell of f, and log its old value. */
static int merge_sets_assign(struct cscg_merge_sets *f, int *cell, int value,
    struct cscg_err *err);

/* Undo all changes logged since the log had this length. */
static void merge_sets_undo(struct cscg_merge_sets *f, size_t log_mark);

/* The state of step v becomes red. */
static int merge_sets_add_red(struct cscg_merge_sets *f, int v,
    struct cscg_err *err);

/*
 * Update the list of red states after merges, which may have changed roots or
 * merged two red states.
 */
static void merge_sets_refresh(struct cscg_merge_sets *f);

/*
 * Try to merge all occurrences of each sequence of `moves` actions into one
 * state.
 */
static int merge_sets_landmarks(struct cscg_merge_sets *f, int moves,
    struct cscg_err *err);

/*
 * From landmarks outward, as far as the evidence suffices: 1, 0 if there are
 * no or too many states, -1 on failure.
 */
static int merge_sets_blue_fringe(struct cscg_merge_sets *f,
    struct cscg_err *err);

/* Number the red states by symbol and assign the states of all steps. */
static int merge_sets_number(struct cscg_merge_sets *f, struct cscg_merge *out,
    struct cscg_err *err);

/*
 * The steps of a walk and their partition into states
 *
 * States are merged by union-find, and a merge is propagated along equal
 * actions (a congruence).  Every change is logged, so that it can be undone.
 */

/* Limit of the table of successors: steps times actions. */
enum { MAX_CELLS = 1 << 28 };

static int
merge_sets_find(const struct cscg_merge_sets *f, int v)
{
	while (f->parent[v] != v)
		v = f->parent[v];
	return v;
}

static int
merge_sets_assign(struct cscg_merge_sets *f, int *cell, int value,
    struct cscg_err *err)
{
	if (cscg_grow(&f->log, &f->cap_log, f->n_log + 1, sizeof *f->log,
		err) < 0)
		return -1;
	f->log[f->n_log].cell = cell;
	f->log[f->n_log++].old = *cell;
	*cell = value;
	return 0;
}

static void
merge_sets_undo(struct cscg_merge_sets *f, size_t log_mark)
{
	while (f->n_log > log_mark) {
		f->n_log--;
		*f->log[f->n_log].cell = f->log[f->n_log].old;
	}
}

/* True if v was part of a red state before this trial. */
static bool
was_red(const struct cscg_merge_sets *f, int v)
{
	while (f->parent[v] != v) {
		if (f->stamp[v] == f->trial)
			return false;
		v = f->parent[v];
	}
	return f->red[v];
}

/*
 * The evidence, in nats, of agreement between steps u and v: 0 where the
 * symbol is likely (P > 1/2), unless reds_distinct is set.
 */
static double
evidence_of(const struct cscg_merge_sets *f, int u, int v)
{
	float w = f->evidence[u] < f->evidence[v] ? f->evidence[u] :
						    f->evidence[v];

	return w < (float)M_LN2 && !f->reds_distinct ? 0 : w;
}

static int
merge_sets_union(struct cscg_merge_sets *f, int u, int v, double *nats,
    struct cscg_err *err)
{
	size_t n = 1;
	int a, p, q, r, s;

	f->todo[0][0] = u;
	f->todo[0][1] = v;
	while (n) {
		n--;
		f->n_pairs++;
		p = f->todo[n][0];
		q = f->todo[n][1];
		u = merge_sets_find(f, p);
		v = merge_sets_find(f, q);
		if (u == v) {
			if (was_red(f, p) && was_red(f, q))
				*nats += evidence_of(f, p, q);
			continue;
		}
		if (f->label[u] >= 0 && f->label[v] >= 0) {
			if (f->label[u] != f->label[v])
				return 0;
			*nats += evidence_of(f, p, q);
		}
		if (f->reds_distinct && f->red[u] && f->red[v])
			return 0;
		r = f->size[u] >= f->size[v] ? u : v;
		if (f->reds_distinct && f->red[u] != f->red[v])
			r = f->red[u] ? u : v;
		s = r == u ? v : u;
		if (merge_sets_assign(f, &f->parent[s], r, err) < 0 ||
		    merge_sets_assign(f, &f->size[r], f->size[r] + f->size[s],
			err) < 0 ||
		    (f->label[r] < 0 &&
			merge_sets_assign(f, &f->label[r], f->label[s], err) <
			    0))
			return -1;
		f->stamp[s] = f->trial;
		if (cscg_grow(&f->todo, &f->cap_todo, n + (size_t)f->A,
			sizeof *f->todo, err) < 0)
			return -1;
		for (a = 0; a < f->A; a++) {
			int *to = &f->next[(size_t)r * f->A + a];
			int from = f->next[(size_t)s * f->A + a];

			if (from < 0)
				continue;
			if (*to < 0) {
				if (merge_sets_assign(f, to, from, err) < 0)
					return -1;
			} else {
				f->todo[n][0] = *to;
				f->todo[n++][1] = from;
			}
		}
	}
	return 1;
}

static int
by_key(const void *a, const void *b, void *ctx)
{
	const uint64_t *key = ctx;
	long i = *(const long *)a, j = *(const long *)b;

	if (key[i] != key[j])
		return key[i] < key[j] ? -1 : 1;
	return i < j ? -1 : i > j;
}

static uint64_t
hash_mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ (h >> 29);
}

static bool
merge_starts_run(const struct cscg_walk *w, long t)
{
	return t == 0 || w->a[t - 1] < 0 || (w->reset && w->reset[t]);
}

/* evidence[t] = -ln P(x[t] | x[t-1], a[t-1]), 0 where that is unknown. */
static void
set_evidence(struct cscg_merge_sets *f)
{
	const struct cscg_walk *w = f->w;
	long i, j, m = 0, t;
	int pass;

	/* Runs of equal (x, a), then of equal (x, a, x'): a ratio of sizes. */
	for (pass = 0; pass < 2; pass++) {
		for (m = t = 0; t < f->n; t++) {
			if (merge_starts_run(w, t) || w->x[t] < 0 ||
			    w->x[t - 1] < 0)
				continue;
			f->key[t] = hash_mix(hash_mix(1,
						 (uint64_t)w->x[t - 1]),
			    (uint64_t)w->a[t - 1]);
			if (pass)
				f->key[t] = hash_mix(f->key[t],
				    (uint64_t)w->x[t]);
			f->order[m++] = t;
		}
		qsort_r(f->order, (size_t)m, sizeof *f->order, by_key, f->key);
		for (i = 0; i < m; i = j) {
			for (j = i; j < m &&
			     f->key[f->order[j]] == f->key[f->order[i]];
			     j++)
				;
			for (t = i; t < j; t++)
				f->evidence[f->order[t]] += (float)(pass ?
					-log((double)(j - i)) :
					log((double)(j - i)));
		}
	}
}

static int
merge_sets_add_red(struct cscg_merge_sets *f, int v, struct cscg_err *err)
{
	if (cscg_grow(&f->reds, &f->cap_reds, f->n_reds + 1, sizeof *f->reds,
		err) < 0)
		return -1;
	f->reds[f->n_reds++] = v;
	f->red[merge_sets_find(f, v)] = 1;
	return 0;
}

static void
merge_sets_refresh(struct cscg_merge_sets *f)
{
	size_t i, n = 0;

	for (i = 0; i < f->n_reds; i++)
		f->red[merge_sets_find(f, f->reds[i])] = 0;
	for (i = 0; i < f->n_reds; i++) {
		int r = merge_sets_find(f, f->reds[i]);

		if (f->red[r])
			continue;
		f->red[r] = 1;
		f->reds[n++] = r;
	}
	f->n_reds = n;
}

static int
merge_sets_landmarks(struct cscg_merge_sets *f, int moves,
    struct cscg_err *err)
{
	const struct cscg_walk *w = f->w;
	long i, j, m = 0, t;
	int rc, back;

	for (t = 0; t < f->n; t++) {
		uint64_t h = 1;

		for (back = 0; back <= moves; back++) {
			if (w->x[t - back] < 0)
				break;
			h = hash_mix(h, (uint64_t)w->x[t - back]);
			if (back == moves)
				break;
			if (merge_starts_run(w, t - back))
				break;
			h = hash_mix(h, (uint64_t)w->a[t - back - 1]);
		}
		f->key[t] = h;
		if (back == moves && w->x[t - back] >= 0 &&
		    !f->red[merge_sets_find(f, (int)t)])
			f->order[m++] = t;
	}
	qsort_r(f->order, (size_t)m, sizeof *f->order, by_key, f->key);
	for (i = 0; i < m; i = j) {
		double nats = 0;

		rc = 1;
		f->trial++;
		for (j = i;
		     j < m && f->key[f->order[j]] == f->key[f->order[i]]; j++)
			if (rc > 0)
				rc = merge_sets_union(f, (int)f->order[i],
				    (int)f->order[j], &nats, err);
		if (rc < 0)
			return -1;
		if (rc == 0 || nats < f->min_nats)
			merge_sets_undo(f, 0);
		else if (merge_sets_add_red(f, (int)f->order[i], err) < 0)
			return -1;
		f->n_log = 0;
	}
	merge_sets_refresh(f);
	return 0;
}

static int
merge_sets_number(struct cscg_merge_sets *f, struct cscg_merge *out,
    struct cscg_err *err)
{
	size_t i, n = 0;
	long t, assigned = 0;
	int *id;

	for (i = 0; i < f->n_reds; i++) {
		int r = merge_sets_find(f, f->reds[i]);

		if (f->label[r] < 0)
			continue; /* never observed: no symbol */
		f->key[i] = (uint64_t)f->label[r];
		f->order[n++] = (long)i;
	}
	out->symbol = cscg_alloc(n, sizeof *out->symbol, err);
	out->state = cscg_alloc((size_t)f->n, sizeof *out->state, err);
	id = cscg_alloc((size_t)f->n, sizeof *id, err);
	if (!out->symbol || !out->state || !id) {
		free(id);
		return -1;
	}
	qsort_r(f->order, n, sizeof *f->order, by_key, f->key);
	for (i = 0; i < n; i++) {
		out->symbol[i] = (int)f->key[f->order[i]];
		id[merge_sets_find(f, f->reds[f->order[i]])] = (int)i + 1;
	}
	for (t = 0; t < f->n; t++) {
		out->state[t] = id[merge_sets_find(f, (int)t)] - 1;
		assigned += out->state[t] >= 0;
	}
	free(id);
	out->n_states = (int)n;
	out->assigned = (double)assigned / (double)f->n;
	return 0;
}

static bool
merge_sets_fits(const struct cscg_walk *w)
{
	return w->n_steps <= MAX_CELLS / w->head.n_actions;
}

static int
merge_sets_new(struct cscg_merge_sets *f, const struct cscg_walk *w,
    struct cscg_err *err)
{
	size_t n = (size_t)w->n_steps, i;

	f->w = w;
	f->n = w->n_steps;
	f->A = w->head.n_actions;
	f->parent = cscg_alloc(n, sizeof *f->parent, err);
	f->size = cscg_alloc(n, sizeof *f->size, err);
	f->label = cscg_alloc(n, sizeof *f->label, err);
	f->next = cscg_alloc(n * (size_t)f->A, sizeof *f->next, err);
	f->evidence = cscg_alloc(n, sizeof *f->evidence, err);
	f->nats = cscg_alloc(n, sizeof *f->nats, err);
	f->red = cscg_alloc(n, sizeof *f->red, err);
	f->deferred = cscg_alloc(n, sizeof *f->deferred, err);
	f->listed = cscg_alloc(n, sizeof *f->listed, err);
	f->stamp = cscg_alloc(n, sizeof *f->stamp, err);
	f->order = cscg_alloc(n, sizeof *f->order, err);
	f->key = cscg_alloc(n, sizeof *f->key, err);
	if (!f->parent || !f->size || !f->label || !f->next || !f->evidence ||
	    !f->nats || !f->red || !f->deferred || !f->listed || !f->stamp ||
	    !f->order || !f->key ||
	    cscg_grow(&f->todo, &f->cap_todo, 1, sizeof *f->todo, err) < 0)
		return -1;
	for (i = 0; i < n * (size_t)f->A; i++)
		f->next[i] = -1;
	for (i = 0; i < n; i++) {
		f->parent[i] = (int)i;
		f->size[i] = 1;
		f->label[i] = w->x[i];
		if (i + 1 < n && !merge_starts_run(w, (long)i + 1))
			f->next[i * (size_t)f->A + (size_t)w->a[i]] = (int)i +
			    1;
	}
	f->min_nats = log((double)n) + 8;
	f->min_nats_weak = 7;
	set_evidence(f);
	return 0;
}

static void
merge_sets_free(struct cscg_merge_sets *f)
{
	free(f->parent);
	free(f->size);
	free(f->label);
	free(f->next);
	free(f->evidence);
	free(f->nats);
	free(f->red);
	free(f->deferred);
	free(f->stamp);
	free(f->listed);
	free(f->blues);
	free(f->log);
	free(f->todo);
	free(f->reds);
	free(f->order);
	free(f->key);
}

/* List the deferred blue states, or the others, in f->blues. */
static int
list_blues(struct cscg_merge_sets *f, bool deferred, struct cscg_err *err)
{
	size_t i, n = 0;
	int a, b;

	for (i = 0; i < f->n_reds; i++)
		for (a = 0; a < f->A; a++) {
			b = merge_sets_find(f, f->reds[i]);
			b = f->next[(size_t)b * f->A + a];
			if (b < 0)
				continue;
			b = merge_sets_find(f, b);
			if (f->red[b] || f->listed[b] ||
			    f->deferred[b] != deferred)
				continue;
			if (cscg_grow(&f->blues, &f->cap_blues, n + 1,
				sizeof *f->blues, err) < 0)
				return -1;
			f->listed[b] = 1;
			f->blues[n++] = b;
		}
	for (i = 0; i < n; i++)
		f->listed[f->blues[i]] = 0;
	f->n_blues = n;
	return 0;
}

/* The most visited first. */
static int
by_size(const void *a, const void *b, void *ctx)
{
	const struct cscg_merge_sets *f = ctx;
	int i = *(const int *)a, j = *(const int *)b;

	if (f->size[i] != f->size[j])
		return f->size[i] > f->size[j] ? -1 : 1;
	return i < j ? -1 : i > j;
}

/*
 * The compatible red state with the most evidence for b, in *best; -1: none.
 */
static int
best_red(struct cscg_merge_sets *f, int b, int *best, struct cscg_err *err)
{
	double nats, most = -1;
	size_t i;
	int rc;

	*best = -1;
	for (i = 0; i < f->n_reds; i++) {
		int r = merge_sets_find(f, f->reds[i]);

		if (r == b ||
		    (f->label[r] >= 0 && f->label[b] >= 0 &&
			f->label[r] != f->label[b]))
			continue;
		nats = 0;
		f->trial++;
		rc = merge_sets_union(f, r, b, &nats, err);
		merge_sets_undo(f, 0);
		if (rc < 0)
			return -1;
		if (rc && nats > most) {
			most = nats;
			*best = r;
		}
	}
	f->nats[b] = (float)most;
	return 0;
}

static int
merge_into(struct cscg_merge_sets *f, int r, int b, struct cscg_err *err)
{
	double nats = 0;

	f->trial++;
	if (merge_sets_union(f, r, b, &nats, err) < 0)
		return -1;
	f->n_log = 0;
	merge_sets_refresh(f);
	return 0;
}

/*
 * Decide on blue state b if the evidence suffices: 1 if so, 0 if it is
 * deferred.
 */
static int
decide_blue(struct cscg_merge_sets *f, int b, double min_nats,
    struct cscg_err *err)
{
	int best;

	if (best_red(f, b, &best, err) < 0)
		return -1;
	if (best < 0)
		return merge_sets_add_red(f, b, err) < 0 ? -1 : 1;
	if (f->nats[b] >= min_nats)
		return merge_into(f, best, b, err) < 0 ? -1 : 1;
	f->deferred[b] = 1;
	return 0;
}

/* Merge red states with sufficient evidence.  Returns 1 if any were merged. */
static int
merge_reds(struct cscg_merge_sets *f, double min_nats, struct cscg_err *err)
{
	size_t i;
	int best, any = 0;

	for (i = 0; i < f->n_reds; i++) {
		if (best_red(f, merge_sets_find(f, f->reds[i]), &best, err) <
		    0)
			return -1;
		if (best < 0 ||
		    f->nats[merge_sets_find(f, f->reds[i])] < min_nats)
			continue;
		if (merge_into(f, best, merge_sets_find(f, f->reds[i]), err) <
		    0)
			return -1;
		any = 1;
	}
	return any;
}

/* Try every blue state that is not deferred: 1 if any was decided. */
static int
decide_all_blues(struct cscg_merge_sets *f, struct cscg_err *err)
{
	int changed = 0, b, rc;
	size_t i;

	if (list_blues(f, false, err) < 0)
		return -1;
	qsort_r(f->blues, f->n_blues, sizeof *f->blues, by_size, f);
	for (i = 0; i < f->n_blues; i++) {
		b = merge_sets_find(f, f->blues[i]);
		if (f->red[b] || f->deferred[b])
			continue;
		rc = decide_blue(f, b, f->min_nats, err);
		if (rc < 0)
			return -1;
		changed |= rc;
	}
	return changed;
}

/* Extend the red states until nothing changes; 0 if there are too many. */
static int
blue_fringe(struct cscg_merge_sets *f, struct cscg_err *err)
{
	/* A reliable state has a few visits for each action. */
	size_t most = (size_t)(f->n / (4 * f->A)) + 1, i;
	int best, rc;

	for (;;) {
		if (f->n_reds > most)
			return 0;
		rc = decide_all_blues(f, err);
		if (rc < 0)
			return -1;
		if (rc) {
			memset(f->deferred, 0, (size_t)f->n);
			continue;
		}
		if (list_blues(f, true, err) < 0)
			return -1;
		memset(f->deferred, 0, (size_t)f->n);
		if (!f->n_blues)
			break;
		/*
		 * No decision has sufficient evidence.  Take the merge with
		 * the most evidence; it may decide others.  Without one,
		 * accept a new red state if it has many visits: duplicates can
		 * be merged later, but a wrong merge cannot be split.
		 */
		qsort_r(f->blues, f->n_blues, sizeof *f->blues, by_size, f);
		for (best = f->blues[0], i = 1; i < f->n_blues; i++)
			if (f->nats[f->blues[i]] > f->nats[best])
				best = f->blues[i];
		if (f->nats[best] >= f->min_nats_weak) {
			if (decide_blue(f, best, f->min_nats_weak, err) < 0)
				return -1;
			continue;
		}
		rc = merge_reds(f, f->min_nats_weak, err);
		if (rc < 0)
			return -1;
		if (rc)
			continue;
		if (f->size[f->blues[0]] < 4 * f->A)
			break;
		if (merge_sets_add_red(f, f->blues[0], err) < 0)
			return -1;
	}
	/* Merge all red states that are compatible: the fewest states. */
	do
		rc = merge_reds(f, 0, err);
	while (rc > 0);
	return rc < 0 ? -1 : 1;
}

/* True if all but a few steps have a state. */
static bool
covers_walk(const struct cscg_merge_sets *f)
{
	long t, n = 0;

	for (t = 0; t < f->n; t++)
		n += f->red[merge_sets_find(f, (int)t)];
	return (double)n >= 0.99 * (double)f->n;
}

static int
merge_sets_blue_fringe(struct cscg_merge_sets *f, struct cscg_err *err)
{
	int rc = -1, moves;

	for (moves = 0; moves <= CSCG_MERGE_LANDMARK_MAX && !covers_walk(f);
	     moves++) {
		if (merge_sets_landmarks(f, moves, err) < 0)
			return -1;
		rc = f->n_reds ? blue_fringe(f, err) : 0;
		if (rc < 0)
			return -1;
	}
	return rc;
}

int
cscg_merge(const struct cscg_walk *w, struct cscg_merge **out,
    struct cscg_err *err)
{
	struct cscg_merge_sets f = { 0 };
	int rc = -1;

	*out = NULL;
	if (!merge_sets_fits(w))
		return 0;
	if (merge_sets_new(&f, w, err) == 0)
		rc = merge_sets_blue_fringe(&f, err);
	if (rc > 0) {
		*out = cscg_alloc(1, sizeof **out, err);
		if (!*out || merge_sets_number(&f, *out, err) < 0) {
			cscg_merge_free(*out);
			*out = NULL;
			rc = -1;
		}
	}
	merge_sets_free(&f);
	return rc;
}

void
cscg_merge_free(struct cscg_merge *f)
{
	if (!f)
		return;
	free(f->symbol);
	free(f->state);
	free(f);
}

/*
 * State merging with inverse actions
 *
 * Agreement is weak evidence in a uniform environment.  But in most
 * environments one action is the inverse of another, and the walk shows which:
 * wherever a changed the observation, b restored the previous one.  So if a
 * leads from state s to another state t, then b leads from t to s.  Hence the
 * successor x of a red state t by b has few possibilities:
 *
 *  - s, if a is known to lead from s to t;
 *  - t itself (a wall);
 *  - a red state from which a may lead to t, and to no other state;
 *  - a new state, from which a leads to t.
 *
 * Each is tried and propagated.  A single remaining possibility is accepted.
 * If none remains, an earlier guess was wrong.  Otherwise the successor whose
 * best possibility has the largest margin of evidence over the second best is
 * guessed; the guess is undone on contradiction.  Since a wrong early guess
 * may lead to a contradiction only late, there are several runs, with guesses
 * in different orders, and the smallest graph is the result.
 */

enum { MAX_RUNS = 20, MAX_GUESSES = 100, MAX_ACTIONS = 64 };

/* Limit of the pairs of steps compared in all runs from one start. */
static const long MAX_PAIRS = 30000000;

static const double MIN_INVERSE_NATS = 7; /* nats to accept a pair of inverse
                                             actions */
static const double COMPLETE = 0.99;      /* fraction of steps with a state to
                                             stop at */
static const double NEARLY_COMPLETE =
    0.95; /* the fraction at which later graphs must be smaller */

/* A possible state of x: a red state, or -1: a new one. */
struct option {
	int node;
	double nats;
};

struct inverse_search {
	struct cscg_merge_sets f;
	int inverse[MAX_ACTIONS]; /* inverse of an action, or -1 */
	struct cscg_rng rng;
	double order_noise;
	long guesses;          /* left in this run */
	size_t max_states;     /* upper limit (exclusive) of the number of
	                          states */
	struct option *option; /* possibilities of the last successor listed */
	size_t cap_option;
	struct cscg_merge *best;
};

/* Results of a run, and of propagate(). */
enum { CONTRADICTION, SOLVED };
enum { UNCHANGED = 1, CHANGED = 2 };

/* ---- inverse actions ---- */

static bool
is_inverse(const long *yes, const long *no, int n_actions, int a, int b)
{
	double sum = 1, all = 2;
	int k;

	for (k = 0; k < n_actions; k++) {
		sum += (double)yes[a * n_actions + k];
		all += (double)(yes[a * n_actions + k] +
		    no[a * n_actions + k]);
	}
	return !no[a * n_actions + b] &&
	    -log(sum / all) * (double)yes[a * n_actions + b] >=
	    MIN_INVERSE_NATS;
}

/* Find the pairs of inverse actions: 1 if there are any. */
static int
find_inverses(struct inverse_search *l, const struct cscg_walk *w,
    struct cscg_err *err)
{
	int A = w->head.n_actions, a, b, any = 0;
	long *yes = cscg_alloc((size_t)A * (size_t)A, sizeof *yes, err), t;
	long *no = cscg_alloc((size_t)A * (size_t)A, sizeof *no, err);

	for (t = 2; yes && no && t < w->n_steps; t++) {
		if (merge_starts_run(w, t - 1) || merge_starts_run(w, t) ||
		    w->x[t - 2] < 0 || w->x[t - 1] < 0 || w->x[t] < 0 ||
		    w->x[t - 2] == w->x[t - 1])
			continue;
		(w->x[t] == w->x[t - 2] ? yes :
					  no)[w->a[t - 2] * A + w->a[t - 1]]++;
	}
	for (b = 0; yes && no && b < A; b++) {
		l->inverse[b] = -1;
		for (a = 0; a < A; a++)
			if (is_inverse(yes, no, A, a, b) &&
			    is_inverse(yes, no, A, b, a))
				l->inverse[b] = l->inverse[b] == -1 ? a : -2;
	}
	a = yes && no ? 0 : -1;
	free(yes);
	free(no);
	if (a < 0)
		return -1;
	for (b = 0; b < A; b++)
		if (l->inverse[b] < 0 || l->inverse[l->inverse[b]] != b)
			l->inverse[b] = -1;
		else
			any = 1;
	return any;
}

/* ---- possibilities of a successor ---- */

static int
successor(const struct cscg_merge_sets *f, int v, int a)
{
	int to = f->next[(size_t)v * (size_t)f->A + (size_t)a];

	return to < 0 ? -1 : merge_sets_find(f, to);
}

/*
 * Let x, the successor of t by the inverse of a, be this state: 1 with the
 * evidence in *nats, 0 on contradiction, -1 on failure.  The log holds what to
 * undo.
 */
static int
apply_option(struct inverse_search *l, int t, int a, int x, int node,
    double *nats, struct cscg_err *err)
{
	struct cscg_merge_sets *f = &l->f;
	int rc = 1, y;

	*nats = 0;
	f->trial++;
	if (node >= 0)
		rc = merge_sets_union(f, node, x, nats, err);
	x = merge_sets_find(f, x);
	y = rc > 0 && x != t ? successor(f, x, a) : -1;
	if (y >= 0)
		rc = merge_sets_union(f, t, y, nats, err);
	else if (rc > 0 && x != t && /* not observed, but implied by the
	                                inverse */
	    merge_sets_assign(f,
		&f->next[(size_t)x * (size_t)f->A + (size_t)a], t, err) < 0)
		rc = -1;
	if (rc > 0 && node < 0 && f->red[merge_sets_find(f, x)])
		rc = 0; /* not a new state */
	return rc;
}

/* True if x can be this state, by its symbol and by its successor under a. */
static bool
is_possible(const struct cscg_merge_sets *f, int t, int a, int x, int node)
{
	int y;

	if (f->label[node] >= 0 && f->label[x] >= 0 &&
	    f->label[node] != f->label[x])
		return false;
	y = node == t ? -1 : successor(f, node, a);
	return y < 0 || !f->red[y] || y == t;
}

/*
 * Add a possibility if it is consistent; staying is likelier than any other
 * state.
 */
static int
add_option(struct inverse_search *l, int t, int a, int x, int node, int n,
    struct cscg_err *err)
{
	size_t log_mark = l->f.n_log;
	double nats;
	int rc = apply_option(l, t, a, x, node, &nats, err);

	merge_sets_undo(&l->f, log_mark);
	if (rc <= 0)
		return rc < 0 ? -1 : n;
	if (cscg_grow(&l->option, &l->cap_option, (size_t)n + 1,
		sizeof *l->option, err) < 0)
		return -1;
	/* Agreements are not independent in a uniform area: count half. */
	l->option[n].node = node;
	l->option[n].nats = nats / 2 +
	    (node == t ? log((double)l->f.n_reds + 1) : 0);
	return n + 1;
}

/* The possibilities for the successor x of t by b: their number, or -1. */
static int
list_options(struct inverse_search *l, int t, int b, int x,
    struct cscg_err *err)
{
	struct cscg_merge_sets *f = &l->f;
	int a = l->inverse[b], n = 0, s = -1;
	size_t i;

	for (i = 0; i < f->n_reds && s < 0; i++)
		if (f->reds[i] != t && successor(f, f->reds[i], a) == t)
			s = f->reds[i];
	if (s >= 0)
		return is_possible(f, t, a, x, s) ?
		    add_option(l, t, a, x, s, 0, err) :
		    0;
	for (i = 0; i < f->n_reds && n >= 0; i++)
		if (is_possible(f, t, a, x, f->reds[i]))
			n = add_option(l, t, a, x, f->reds[i], n, err);
	return n < 0 ? -1 : add_option(l, t, a, x, -1, n, err);
}

static int
commit_option(struct inverse_search *l, int t, int b, int node,
    struct cscg_err *err)
{
	int x = successor(&l->f, t, b);
	double nats;

	if (apply_option(l, t, l->inverse[b], x, node, &nats, err) < 0)
		return -1;
	return node >= 0 ?
	    0 :
	    merge_sets_add_red(&l->f, merge_sets_find(&l->f, x), err);
}

/* ---- the search ---- */

/* Undo all changes since log_mark and n_reds. */
static void
undo_to(struct cscg_merge_sets *f, size_t log_mark, size_t n_reds)
{
	while (f->n_reds > n_reds)
		f->red[f->reds[--f->n_reds]] = 0;
	merge_sets_undo(f, log_mark);
}

/* Evidence of the best of n options less that of the second best. */
static double
margin(const struct option *o, int n)
{
	double top = -1, second = -1;
	int i;

	for (i = 0; i < n; i++)
		if (o[i].nats > top) {
			second = top;
			top = o[i].nats;
		} else if (o[i].nats > second) {
			second = o[i].nats;
		}
	return top > 0 ? top - second : -1;
}

static bool
over_budget(const struct inverse_search *l)
{
	return l->f.n_reds >= l->max_states || l->f.n_pairs > MAX_PAIRS;
}

/*
 * Try every undecided successor once and accept those with one possibility:
 * CONTRADICTION, UNCHANGED, or CHANGED if any was accepted; or -1.  The
 * successor to guess is that of *t by *b; *t is -1 if none has evidence and
 * order_noise is 0.
 */
static int
propagate(struct inverse_search *l, int *t, int *b, struct cscg_err *err)
{
	struct cscg_merge_sets *f = &l->f;
	double g, most = -1;
	int a, n, x, rc = UNCHANGED;
	size_t i;

	*t = -1;
	*b = 0;
	for (i = 0; i < f->n_reds; i++)
		for (a = 0; a < f->A; a++) {
			x = l->inverse[a] < 0 ? -1 :
						successor(f, f->reds[i], a);
			if (x < 0 || f->red[x])
				continue;
			n = list_options(l, f->reds[i], a, x, err);
			if (n < 0)
				return -1;
			if (n == 0 || over_budget(l))
				return CONTRADICTION;
			if (n == 1) {
				if (commit_option(l, f->reds[i], a,
					l->option[0].node, err) < 0)
					return -1;
				rc = CHANGED;
				continue;
			}
			g = margin(l->option, n) *
			    exp(l->order_noise *
				(2 * cscg_rng_uniform(&l->rng) - 1));
			if (g > most) {
				most = g;
				*t = f->reds[i];
				*b = a;
			}
		}
	return rc;
}

/* The fraction of steps that have a red state. */
static double
fraction_assigned(const struct cscg_merge_sets *f)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < f->n_reds; i++)
		sum += f->size[f->reds[i]];
	return sum / (double)f->n;
}

/* Keep this graph if n_states / assigned is less than that of the best. */
static int
keep_best(struct inverse_search *l, struct cscg_err *err)
{
	struct cscg_merge *fresh = cscg_alloc(1, sizeof *fresh, err);

	if (!fresh || merge_sets_number(&l->f, fresh, err) < 0) {
		cscg_merge_free(fresh);
		return -1;
	}
	if (fresh->assigned >= NEARLY_COMPLETE && l->f.n_reds < l->max_states)
		l->max_states = l->f.n_reds;
	if (!l->best ||
	    fresh->n_states / fresh->assigned <
		l->best->n_states / l->best->assigned) {
		cscg_merge_free(l->best);
		l->best = fresh;
	} else {
		cscg_merge_free(fresh);
	}
	return SOLVED;
}

static int
by_nats(const void *p, const void *q)
{
	const struct option *u = p, *v = q;

	if (u->nats != v->nats)
		return u->nats > v->nats ? -1 : 1;
	return u->node < v->node ? -1 : u->node > v->node;
}

static int solve(struct inverse_search *l, struct cscg_err *err);

/*
 * Guess the successor of t by b: SOLVED, or CONTRADICTION if no option works.
 */
static int
guess(struct inverse_search *l, int t, int b, struct cscg_err *err)
{
	size_t log_mark = l->f.n_log, n_reds = l->f.n_reds;
	struct option *o;
	int i, n, rc = CONTRADICTION;

	n = list_options(l, t, b, successor(&l->f, t, b), err);
	if (n < 0)
		return -1;
	/* Recursive calls reuse the list. */
	o = l->option;
	l->option = NULL;
	l->cap_option = 0;
	qsort(o, (size_t)n, sizeof *o, by_nats);
	for (i = 0; i < n && rc == CONTRADICTION && l->guesses > 0; i++) {
		l->guesses--;
		rc = commit_option(l, t, b, o[i].node, err);
		if (rc == 0)
			rc = solve(l, err);
		if (rc == CONTRADICTION)
			undo_to(&l->f, log_mark, n_reds);
	}
	free(o);
	return rc;
}

/* Extend the red states to the whole walk: SOLVED, CONTRADICTION, or -1. */
static int
solve(struct inverse_search *l, struct cscg_err *err)
{
	int t = -1, b = 0, rc;

	do
		rc = propagate(l, &t, &b, err);
	while (rc == CHANGED);
	if (rc <= CONTRADICTION)
		return rc;
	if (t < 0 || fraction_assigned(&l->f) >= COMPLETE)
		return keep_best(l, err);
	return guess(l, t, b, err);
}

/* All runs from the red states of l->f. */
static int
search(struct inverse_search *l, uint64_t seed, struct cscg_err *err)
{
	struct cscg_merge_sets *f = &l->f;
	size_t n_reds, most = (size_t)(f->n / (4 * f->A)) + 1;
	int run, rc = CONTRADICTION;

	merge_sets_refresh(f);
	f->reds_distinct = true;
	f->n_log = 0;
	f->n_pairs = 0;
	n_reds = f->n_reds;
	if (l->max_states > most)
		l->max_states = most;
	for (run = 0; n_reds && run < MAX_RUNS && rc >= 0; run++) {
		cscg_rng_seed(&l->rng, seed, CSCG_RNG_TIES, (uint64_t)run, 1);
		l->order_noise = run > 0;
		l->guesses = MAX_GUESSES;
		rc = solve(l, err);
		undo_to(f, 0, n_reds);
		/* Without a guess all runs are identical. */
		if (l->guesses == MAX_GUESSES || f->n_pairs > MAX_PAIRS)
			break;
	}
	return rc < 0 ? -1 : 0;
}

/*
 * The runs from landmarks alone, or from the result of the blue-fringe search.
 */
static int
search_from(struct inverse_search *l, const struct cscg_walk *w,
    bool landmarks, uint64_t seed, struct cscg_err *err)
{
	int rc = merge_sets_new(&l->f, w, err), moves;

	if (rc == 0 && !landmarks)
		rc = merge_sets_blue_fringe(&l->f, err) < 0 ? -1 : 0;
	for (moves = 0;
	     rc == 0 && moves <= CSCG_MERGE_LANDMARK_MAX && !l->f.n_reds;
	     moves++)
		rc = merge_sets_landmarks(&l->f, moves, err);
	if (rc == 0)
		rc = search(l, seed, err);
	merge_sets_free(&l->f);
	l->f = (struct cscg_merge_sets){ 0 };
	return rc;
}

int
cscg_merge_by_inverses(const struct cscg_walk *w, uint64_t seed,
    struct cscg_merge **out, struct cscg_err *err)
{
	struct inverse_search l = { .max_states = SIZE_MAX };
	int rc;

	*out = NULL;
	if (!merge_sets_fits(w) || w->head.n_actions > MAX_ACTIONS)
		return 0;
	rc = find_inverses(&l, w, err);
	if (rc <= 0)
		return rc;
	rc = search_from(&l, w, true, seed, err);
	if (rc == 0)
		rc = search_from(&l, w, false, seed, err);
	free(l.option);
	if (rc < 0) {
		cscg_merge_free(l.best);
		return -1;
	}
	*out = l.best;
	return l.best != NULL;
}
