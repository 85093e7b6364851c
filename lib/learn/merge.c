/*
 * merge.c - evidence-driven state merging (EDSM) of a deterministic walk, with
 * inverse actions
 *
 * Every step starts as a place of its own; places are merged by union-find,
 * and a merge carries on along equal actions (a congruence).  A merge is tried,
 * judged, and taken back if two different symbols meet.
 *
 * Agreement is evidence: if two places were different, the chance that they
 * show the same symbol x' after (x, a) is about P(x' | x, a), so each such
 * meeting counts -ln P nats.  Meetings on a likely symbol (P > 1/2) count
 * nothing: they are not independent deep inside a uniform area.
 *
 * 1. Landmarks.  A symbol (or a short stretch of symbols and actions) is a
 *    landmark if all its occurrences can be one place.
 * 2. From the landmarks outward: the settled places ("red") have successors
 *    that are not settled ("blue").  The blue place that was visited most is
 *    compared with every red one: none possible - it is a new place; the one
 *    with the most evidence, if that is enough - they are the same; otherwise
 *    it waits until more is known around it.
 *
 * This is evidence-driven state merging as known from automata learning, with
 * landmarks instead of a root, since a walk has no beginning it returns to.
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

/*
 * the moments of a walk, and which of them are one place: what
 * merge.c and merge.c work on
 */

enum { CSCG_MERGE_LANDMARK_MAX = 3 }; /* moves in a landmark's stretch */

struct cscg_merge_undo {
	int *cell, old;
};

struct cscg_merge_sets {
	const struct cscg_walk *w;
	int A;
	long n;
	int *parent, *size, *label; /* [n] union-find; label of the root */
	int *next;          /* [n * A] a step in the successor, of the root */
	float *evidence;    /* [n] nats for meeting at this step's symbol */
	bool reds_distinct; /* red places stay apart, and likely symbols count,
	                       too (merge.c) */
	long n_pairs;       /* pairs looked at so far */
	float *nats;        /* [n] best evidence when last compared */
	char *red, *deferred; /* [n] flags, of the root */
	char *listed;         /* [n] flags while blue places are listed */
	int *blues;           /* blue places */
	size_t n_blues, cap_blues;
	int *stamp, trial; /* [n] the trial in which it was absorbed */
	struct cscg_merge_undo *log;
	size_t n_log, cap_log;
	int (*todo)[2];
	size_t cap_todo;
	double min_nats,
	    min_nats_weak; /* nats to believe a merge, and in need */
	int *reds;         /* one step of each settled place */
	size_t n_reds, cap_reds;
	long *order;   /* [n] scratch */
	uint64_t *key; /* [n] scratch */
};

/* Is the walk short enough to hold all its moments? */
static bool merge_sets_fits(const struct cscg_walk *w);

/* Every step a place of its own.  merge_sets_free() frees, after failure too. */
static int merge_sets_new(struct cscg_merge_sets *f, const struct cscg_walk *w,
    struct cscg_err *err);
static void merge_sets_free(struct cscg_merge_sets *f);

/* The step that speaks for the place of step v. */
static int merge_sets_find(const struct cscg_merge_sets *f, int v);

/* Can nothing be said about the move into step t? */
static bool merge_starts_run(const struct cscg_walk *w, long t);

/*
 * Merge the places of u and v and all that follows.  1 with the evidence added
 * to *nats, 0 if two symbols clash (the log then holds what to take back), -1
 * on failure.
 */
static int merge_sets_union(struct cscg_merge_sets *f, int u, int v,
    double *nats, struct cscg_err *err);

/* Set a number of f, and log what it was. */
static int merge_sets_assign(struct cscg_merge_sets *f, int *cell, int value,
    struct cscg_err *err);

/* Undo all that was logged since the log had this length. */
static void merge_sets_undo(struct cscg_merge_sets *f, size_t log_mark);

/* The place of step v is settled. */
static int merge_sets_add_red(struct cscg_merge_sets *f, int v,
    struct cscg_err *err);

/* Merges may have moved the roots, or made two red places one. */
static void merge_sets_refresh(struct cscg_merge_sets *f);

/* Try all occurrences of each stretch of `moves` moves as one place. */
static int merge_sets_landmarks(struct cscg_merge_sets *f, int moves,
    struct cscg_err *err);

/*
 * From landmarks outward as far as agreement tells (merge.c): 1, 0 if places are
 * none or too many, -1 on failure.
 */
static int merge_sets_blue_fringe(struct cscg_merge_sets *f,
    struct cscg_err *err);

/* Number the red places by symbol and tell every step its own. */
static int merge_sets_number(struct cscg_merge_sets *f, struct cscg_merge *out,
    struct cscg_err *err);

/*
 * the moments of a walk, and which of them are one place
 *
 * Places are merged by union-find, and a merge carries on along equal actions (a
 * congruence).  Every change is logged, so that it can be taken back.
 */

/* Steps times actions that we hold a table for. */
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

/* Was v in its place before this trial? */
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
 * What it is worth that steps u and v show the same, or are the same place:
 * nothing where the symbol is likely (P > 1/2), unless that is asked for.
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

/* evidence[t] = -ln P(x[t] | x[t-1], a[t-1]), 0 where that is not known. */
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
			continue; /* never seen: nothing to emit */
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

/* List the blue places that wait, or those that do not, in f->blues. */
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

/* Which red place could b be, and what speaks for it?  -1: none. */
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

/* Settle blue place b if what is known is enough: 1 if so, 0 if it waits. */
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

/* Red places that turn out to be the same.  Returns whether there were any. */
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

/* Look at every blue place that does not wait: 1 if any was settled. */
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

/* Grow the red places until nothing moves; 0 if they are too many. */
static int
blue_fringe(struct cscg_merge_sets *f, struct cscg_err *err)
{
	/* A place worth the name was left a few times by each action. */
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
		 * Nothing is sure any more.  Take the best guess there is; it
		 * may make others sure.  Without one, call the place new if
		 * it was left often: duplicates can be merged later, mixtures
		 * cannot be taken apart.
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
	/* What could be one place all the same is one: the fewest places. */
	do
		rc = merge_reds(f, 0, err);
	while (rc > 0);
	return rc < 0 ? -1 : 1;
}

/* Have all but a few steps a place? */
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
 * the graph behind a walk whose moves undo each other
 *
 * Agreement says little where all looks the same.  But in most worlds one action
 * undoes another, and the walk shows which: wherever a changed what is seen, b
 * brought back what was seen before.  By that law, if a leads from place s to
 * another place t, then b leads from t to s.  So there are few things that the
 * successor x of a settled place t by b can be:
 *
 *   - s, if a is known to lead from s to t;
 *   - t itself (a wall);
 *   - a settled place from which a may lead to t, and nowhere else;
 *   - a new place, from which a leads to t.
 *
 * Each is tried, with all that follows from it.  If one is left, it is so.  If
 * none is, a guess was wrong.  Else the successor for which one possibility
 * explains most, compared with the next best, is guessed; the guess is taken
 * back when it ends in contradiction.  Since an early guess that is wrong may
 * show only late, there are several runs, with guesses in other orders, and the
 * smallest graph is the answer.
 */

enum { MAX_RUNS = 20, MAX_GUESSES = 100, MAX_ACTIONS = 64 };

/* Pairs of moments to look at in all the runs from one start. */
static const long MAX_PAIRS = 30000000;

static const double MIN_INVERSE_NATS = 7; /* nats to believe a law */
static const double COMPLETE = 0.99;      /* share of steps to place */
static const double NEARLY_COMPLETE =
    0.95; /* to ask for smaller graphs then */

/* What x may be: a settled place, or -1: a new one. */
struct option {
	int node;
	double nats;
};

struct inverse_search {
	struct cscg_merge_sets f;
	int inverse[MAX_ACTIONS]; /* what undoes an action, or -1 */
	struct cscg_rng rng;
	double order_noise;
	long guesses;          /* left in this run */
	size_t max_states;     /* there are fewer places than that */
	struct option *option; /* of what was looked at last */
	size_t cap_option;
	struct cscg_merge *best;
};

/* What became of a run, and of a look at all that is open. */
enum { CONTRADICTION, SOLVED };
enum { UNCHANGED = 1, CHANGED = 2 };

/* ---- the law ---- */

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

/* Find what undoes what: 1 if anything does. */
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

/* ---- what a successor may be ---- */

static int
successor(const struct cscg_merge_sets *f, int v, int a)
{
	int to = f->next[(size_t)v * (size_t)f->A + (size_t)a];

	return to < 0 ? -1 : merge_sets_find(f, to);
}

/*
 * Let x, the successor of t by what a undoes, be this place: 1 with the evidence
 * in *nats, 0 if that cannot be, -1 on failure.  The log has what to take back.
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
	else if (rc > 0 && x != t && /* never seen, but by the law */
	    merge_sets_assign(f,
		&f->next[(size_t)x * (size_t)f->A + (size_t)a], t, err) < 0)
		rc = -1;
	if (rc > 0 && node < 0 && f->red[merge_sets_find(f, x)])
		rc = 0; /* not so new */
	return rc;
}

/* Could x be this place, by its looks and by where a leads from there? */
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

/* Add a possibility if it is one; staying is likelier than any one place. */
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
	/* Agreement is not independent where all looks the same: half of it. */
	l->option[n].node = node;
	l->option[n].nats = nats / 2 +
	    (node == t ? log((double)l->f.n_reds + 1) : 0);
	return n + 1;
}

/* The possibilities for the successor x of t by b: how many, or -1. */
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

/* Take back all since then. */
static void
undo_to(struct cscg_merge_sets *f, size_t log_mark, size_t n_reds)
{
	while (f->n_reds > n_reds)
		f->red[f->reds[--f->n_reds]] = 0;
	merge_sets_undo(f, log_mark);
}

/* How far the best of n options is ahead of the next. */
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
 * Look at every open successor once and settle those that can be one thing only:
 * CONTRADICTION, UNCHANGED, or CHANGED if any was; or -1.  The one to guess at is that of *t
 * by *b; of none (-1), if nothing speaks for any and there is no noise.
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

/* The share of the steps that are in a settled place. */
static double
fraction_assigned(const struct cscg_merge_sets *f)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < f->n_reds; i++)
		sum += f->size[f->reds[i]];
	return sum / (double)f->n;
}

/* Keep this graph if it takes fewer places for all steps than the best. */
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

/* Guess what the successor of t by b is: SOLVED, or CONTRADICTION if nothing goes. */
static int
guess(struct inverse_search *l, int t, int b, struct cscg_err *err)
{
	size_t log_mark = l->f.n_log, n_reds = l->f.n_reds;
	struct option *o;
	int i, n, rc = CONTRADICTION;

	n = list_options(l, t, b, successor(&l->f, t, b), err);
	if (n < 0)
		return -1;
	/* What follows needs the list for itself. */
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

/* From the places settled so far to all: SOLVED, CONTRADICTION, or -1. */
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

/* All runs from the places that are settled in l->f. */
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
		/* Without a guess all runs are the same. */
		if (l->guesses == MAX_GUESSES || f->n_pairs > MAX_PAIRS)
			break;
	}
	return rc < 0 ? -1 : 0;
}

/* The runs that start from landmarks alone, or from all that agreement tells. */
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
