/*
 * fold.c - the graph behind a walk in a world without chance
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
#include <stdlib.h>
#include <string.h>

#include "learn/fold_place.h"
#include "base/mem.h"

/* List the blue places that wait, or those that do not, in f->blues. */
static int
list_blues(struct cscg_merge_sets *f, bool deferred, struct cscg_err *err)
{
	size_t i, n = 0;
	int a, b;

	for (i = 0; i < f->n_reds; i++)
		for (a = 0; a < f->A; a++) {
			b = cscg_merge_sets_find(f, f->reds[i]);
			b = f->next[(size_t)b * f->A + a];
			if (b < 0)
				continue;
			b = cscg_merge_sets_find(f, b);
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
		int r = cscg_merge_sets_find(f, f->reds[i]);

		if (r == b || (f->label[r] >= 0 && f->label[b] >= 0 &&
		    f->label[r] != f->label[b]))
			continue;
		nats = 0;
		f->trial++;
		rc = cscg_merge_sets_union(f, r, b, &nats, err);
		cscg_merge_sets_undo(f, 0);
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
	if (cscg_merge_sets_union(f, r, b, &nats, err) < 0)
		return -1;
	f->n_log = 0;
	cscg_merge_sets_refresh(f);
	return 0;
}

/* Settle blue place b if what is known is enough: 1 if so, 0 if it waits. */
static int
decide_blue(struct cscg_merge_sets *f, int b, double min_nats, struct cscg_err *err)
{
	int best;

	if (best_red(f, b, &best, err) < 0)
		return -1;
	if (best < 0)
		return cscg_merge_sets_add_red(f, b, err) < 0 ? -1 : 1;
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
		if (best_red(f, cscg_merge_sets_find(f, f->reds[i]), &best, err) < 0)
			return -1;
		if (best < 0 ||
		    f->nats[cscg_merge_sets_find(f, f->reds[i])] < min_nats)
			continue;
		if (merge_into(f, best, cscg_merge_sets_find(f, f->reds[i]), err) < 0)
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
		b = cscg_merge_sets_find(f, f->blues[i]);
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
		if (cscg_merge_sets_add_red(f, f->blues[0], err) < 0)
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
		n += f->red[cscg_merge_sets_find(f, (int)t)];
	return (double)n >= 0.99 * (double)f->n;
}

int
cscg_merge_sets_blue_fringe(struct cscg_merge_sets *f, struct cscg_err *err)
{
	int rc = -1, moves;

	for (moves = 0; moves <= CSCG_MERGE_LANDMARK_MAX && !covers_walk(f); moves++) {
		if (cscg_merge_sets_landmarks(f, moves, err) < 0)
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
	if (!cscg_merge_sets_fits(w))
		return 0;
	if (cscg_merge_sets_new(&f, w, err) == 0)
		rc = cscg_merge_sets_blue_fringe(&f, err);
	if (rc > 0) {
		*out = cscg_alloc(1, sizeof **out, err);
		if (!*out || cscg_merge_sets_number(&f, *out, err) < 0) {
			cscg_merge_free(*out);
			*out = NULL;
			rc = -1;
		}
	}
	cscg_merge_sets_free(&f);
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
