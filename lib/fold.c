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
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fold.h"
#include "mem.h"

enum {
	LONGEST = 3,		/* moves in a landmark's stretch */
	MOST_CELLS = 1 << 28	/* steps times actions that we hold a table for */
};

struct undo {
	int *where, was;
};

struct fold {
	const struct cscg_walk *w;
	int A;
	long n;
	int *parent, *size, *label;	/* [n] union-find; label of the root */
	int *next;		/* [n * A] a step in the successor, of the root */
	float *worth;		/* [n] nats for meeting at this step's symbol */
	float *nats;		/* [n] best evidence when last compared */
	char *red, *waits;	/* [n] flags, of the root */
	char *listed;		/* [n] flags while blue places are listed */
	int *blues;		/* blue places */
	size_t n_blues, cap_blues;
	int *stamp, now;	/* [n] the trial in which it was absorbed */
	struct undo *log;
	size_t n_log, cap_log;
	int (*todo)[2];
	size_t cap_todo;
	double enough, little;	/* nats to believe a merge, and in need */
	int *reds;		/* one step of each settled place */
	size_t n_reds, cap_reds;
	long *order;		/* [n] scratch */
	uint64_t *key;		/* [n] scratch */
};

static int
find(const struct fold *f, int v)
{
	while (f->parent[v] != v)
		v = f->parent[v];
	return v;
}

static int
put(struct fold *f, int *where, int value, struct cscg_err *err)
{
	if (cscg_grow(&f->log, &f->cap_log, f->n_log + 1, sizeof *f->log,
	    err) < 0)
		return -1;
	f->log[f->n_log].where = where;
	f->log[f->n_log++].was = *where;
	*where = value;
	return 0;
}

static void
take_back(struct fold *f)
{
	while (f->n_log) {
		f->n_log--;
		*f->log[f->n_log].where = f->log[f->n_log].was;
	}
}

/* Was v in its place before this trial? */
static bool
settled(const struct fold *f, int v)
{
	while (f->parent[v] != v) {
		if (f->stamp[v] == f->now)
			return false;
		v = f->parent[v];
	}
	return f->red[v];
}

/* What it is worth that steps u and v show the same, or are the same place. */
static double
agree(const struct fold *f, int u, int v)
{
	return f->worth[u] < f->worth[v] ? f->worth[u] : f->worth[v];
}

/*
 * Merge the places of u and v and all that follows.  1 with the evidence added
 * to *nats, 0 if two symbols clash (the log then holds what to take back), -1
 * on failure.
 */
static int
merge(struct fold *f, int u, int v, double *nats, struct cscg_err *err)
{
	size_t n = 1;
	int a, p, q, r, s;

	f->todo[0][0] = u;
	f->todo[0][1] = v;
	while (n) {
		n--;
		p = f->todo[n][0];
		q = f->todo[n][1];
		u = find(f, p);
		v = find(f, q);
		if (u == v) {
			if (settled(f, p) && settled(f, q))
				*nats += agree(f, p, q);
			continue;
		}
		if (f->label[u] >= 0 && f->label[v] >= 0) {
			if (f->label[u] != f->label[v])
				return 0;
			*nats += agree(f, p, q);
		}
		r = f->size[u] >= f->size[v] ? u : v;
		s = r == u ? v : u;
		if (put(f, &f->parent[s], r, err) < 0 ||
		    put(f, &f->size[r], f->size[r] + f->size[s], err) < 0 ||
		    (f->label[r] < 0 &&
		    put(f, &f->label[r], f->label[s], err) < 0))
			return -1;
		f->stamp[s] = f->now;
		if (cscg_grow(&f->todo, &f->cap_todo, n + (size_t)f->A,
		    sizeof *f->todo, err) < 0)
			return -1;
		for (a = 0; a < f->A; a++) {
			int *to = &f->next[(size_t)r * f->A + a];
			int from = f->next[(size_t)s * f->A + a];

			if (from < 0)
				continue;
			if (*to < 0) {
				if (put(f, to, from, err) < 0)
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
mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ (h >> 29);
}

/* Can nothing be said about the move into step t? */
static bool
fresh(const struct cscg_walk *w, long t)
{
	return t == 0 || w->a[t - 1] < 0 || (w->reset && w->reset[t]);
}

/* worth[t] = -ln P(x[t] | x[t-1], a[t-1]) where that is below one half. */
static void
weigh(struct fold *f)
{
	const struct cscg_walk *w = f->w;
	long i, j, m = 0, t;
	int pass;

	/* Runs of equal (x, a), then of equal (x, a, x'): a ratio of sizes. */
	for (pass = 0; pass < 2; pass++) {
		for (m = t = 0; t < f->n; t++) {
			if (fresh(w, t) || w->x[t] < 0 || w->x[t - 1] < 0)
				continue;
			f->key[t] = mix(mix(1, (uint64_t)w->x[t - 1]),
			    (uint64_t)w->a[t - 1]);
			if (pass)
				f->key[t] = mix(f->key[t], (uint64_t)w->x[t]);
			f->order[m++] = t;
		}
		qsort_r(f->order, (size_t)m, sizeof *f->order, by_key, f->key);
		for (i = 0; i < m; i = j) {
			for (j = i; j < m && f->key[f->order[j]] ==
			    f->key[f->order[i]]; j++)
				;
			for (t = i; t < j; t++)
				f->worth[f->order[t]] += (float)
				    (pass ? -log((double)(j - i)) :
				    log((double)(j - i)));
		}
	}
	for (t = 0; t < f->n; t++)
		if (f->worth[t] < (float)M_LN2)
			f->worth[t] = 0;
}

static int
add_red(struct fold *f, int v, struct cscg_err *err)
{
	if (cscg_grow(&f->reds, &f->cap_reds, f->n_reds + 1, sizeof *f->reds,
	    err) < 0)
		return -1;
	f->reds[f->n_reds++] = v;
	f->red[find(f, v)] = 1;
	return 0;
}

/* Merges may have moved the roots, or made two red places one. */
static void
refresh_reds(struct fold *f)
{
	size_t i, n = 0;

	for (i = 0; i < f->n_reds; i++)
		f->red[find(f, f->reds[i])] = 0;
	for (i = 0; i < f->n_reds; i++) {
		int r = find(f, f->reds[i]);

		if (f->red[r])
			continue;
		f->red[r] = 1;
		f->reds[n++] = r;
	}
	f->n_reds = n;
}

/* Try all occurrences of each stretch of `moves` moves as one place. */
static int
landmarks(struct fold *f, int moves, struct cscg_err *err)
{
	const struct cscg_walk *w = f->w;
	long i, j, m = 0, t;
	int rc, back;

	for (t = 0; t < f->n; t++) {
		uint64_t h = 1;

		for (back = 0; back <= moves; back++) {
			if (w->x[t - back] < 0)
				break;
			h = mix(h, (uint64_t)w->x[t - back]);
			if (back == moves)
				break;
			if (fresh(w, t - back))
				break;
			h = mix(h, (uint64_t)w->a[t - back - 1]);
		}
		f->key[t] = h;
		if (back == moves && w->x[t - back] >= 0 &&
		    !f->red[find(f, (int)t)])
			f->order[m++] = t;
	}
	qsort_r(f->order, (size_t)m, sizeof *f->order, by_key, f->key);
	for (i = 0; i < m; i = j) {
		double nats = 0;

		rc = 1;
		f->now++;
		for (j = i; j < m &&
		    f->key[f->order[j]] == f->key[f->order[i]]; j++)
			if (rc > 0)
				rc = merge(f, (int)f->order[i],
				    (int)f->order[j], &nats, err);
		if (rc < 0)
			return -1;
		if (rc == 0 || nats < f->enough)
			take_back(f);
		else if (add_red(f, (int)f->order[i], err) < 0)
			return -1;
		f->n_log = 0;
	}
	refresh_reds(f);
	return 0;
}

/* List the blue places that wait, or those that do not, in f->blues. */
static int
list_blues(struct fold *f, bool waiting, struct cscg_err *err)
{
	size_t i, n = 0;
	int a, b;

	for (i = 0; i < f->n_reds; i++)
		for (a = 0; a < f->A; a++) {
			b = f->next[(size_t)find(f, f->reds[i]) * f->A + a];
			if (b < 0)
				continue;
			b = find(f, b);
			if (f->red[b] || f->listed[b] ||
			    f->waits[b] != waiting)
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
	const struct fold *f = ctx;
	int i = *(const int *)a, j = *(const int *)b;

	if (f->size[i] != f->size[j])
		return f->size[i] > f->size[j] ? -1 : 1;
	return i < j ? -1 : i > j;
}

/* Which red place could b be, and what speaks for it?  -1: none. */
static int
compare(struct fold *f, int b, int *best, struct cscg_err *err)
{
	double nats, most = -1;
	size_t i;
	int rc;

	*best = -1;
	for (i = 0; i < f->n_reds; i++) {
		int r = find(f, f->reds[i]);

		if (r == b || (f->label[r] >= 0 && f->label[b] >= 0 &&
		    f->label[r] != f->label[b]))
			continue;
		nats = 0;
		f->now++;
		rc = merge(f, r, b, &nats, err);
		take_back(f);
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
unite(struct fold *f, int r, int b, struct cscg_err *err)
{
	double nats = 0;

	f->now++;
	if (merge(f, r, b, &nats, err) < 0)
		return -1;
	f->n_log = 0;
	refresh_reds(f);
	return 0;
}

/* Settle blue place b if what is known is enough: 1 if so, 0 if it waits. */
static int
settle(struct fold *f, int b, double enough, struct cscg_err *err)
{
	int best;

	if (compare(f, b, &best, err) < 0)
		return -1;
	if (best < 0)
		return add_red(f, b, err) < 0 ? -1 : 1;
	if (f->nats[b] >= enough)
		return unite(f, best, b, err) < 0 ? -1 : 1;
	f->waits[b] = 1;
	return 0;
}

/* Red places that turn out to be the same.  Returns whether there were any. */
static int
join_reds(struct fold *f, double enough, struct cscg_err *err)
{
	size_t i;
	int best, any = 0;

	for (i = 0; i < f->n_reds; i++) {
		if (compare(f, find(f, f->reds[i]), &best, err) < 0)
			return -1;
		if (best < 0 || f->nats[find(f, f->reds[i])] < enough)
			continue;
		if (unite(f, best, find(f, f->reds[i]), err) < 0)
			return -1;
		any = 1;
	}
	return any;
}

/* Look at every blue place that does not wait: 1 if any was settled. */
static int
settle_all(struct fold *f, struct cscg_err *err)
{
	int moved = 0, b, rc;
	size_t i;

	if (list_blues(f, false, err) < 0)
		return -1;
	qsort_r(f->blues, f->n_blues, sizeof *f->blues, by_size, f);
	for (i = 0; i < f->n_blues; i++) {
		b = find(f, f->blues[i]);
		if (f->red[b] || f->waits[b])
			continue;
		rc = settle(f, b, f->enough, err);
		if (rc < 0)
			return -1;
		moved |= rc;
	}
	return moved;
}

/* Grow the red places until nothing moves; 0 if they are too many. */
static int
grow(struct fold *f, struct cscg_err *err)
{
	/* A place worth the name was left a few times by each action. */
	size_t most = (size_t)(f->n / (4 * f->A)) + 1, i;
	int best, rc;

	for (;;) {
		if (f->n_reds > most)
			return 0;
		rc = settle_all(f, err);
		if (rc < 0)
			return -1;
		if (rc) {
			memset(f->waits, 0, (size_t)f->n);
			continue;
		}
		if (list_blues(f, true, err) < 0)
			return -1;
		memset(f->waits, 0, (size_t)f->n);
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
		if (f->nats[best] >= f->little) {
			if (settle(f, best, f->little, err) < 0)
				return -1;
			continue;
		}
		rc = join_reds(f, f->little, err);
		if (rc < 0)
			return -1;
		if (rc)
			continue;
		if (f->size[f->blues[0]] < 4 * f->A)
			break;
		if (add_red(f, f->blues[0], err) < 0)
			return -1;
	}
	/* What could be one place all the same is one: the fewest places. */
	do
		rc = join_reds(f, 0, err);
	while (rc > 0);
	return rc < 0 ? -1 : 1;
}

/* Have all but a few steps a place? */
static bool
complete(const struct fold *f)
{
	long t, n = 0;

	for (t = 0; t < f->n; t++)
		n += f->red[find(f, (int)t)];
	return (double)n >= 0.99 * (double)f->n;
}

/* Number the red places by symbol and tell every step its own. */
static int
number(struct fold *f, struct cscg_fold *out, struct cscg_err *err)
{
	size_t i, n = 0;
	long t, settled = 0;
	int *id;

	for (i = 0; i < f->n_reds; i++) {
		int r = find(f, f->reds[i]);

		if (f->label[r] < 0)
			continue;	/* never seen: nothing to emit */
		f->key[n] = (uint64_t)f->label[r];
		f->reds[n] = r;
		f->order[n] = (long)n;
		n++;
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
		id[f->reds[f->order[i]]] = (int)i + 1;
	}
	for (t = 0; t < f->n; t++) {
		out->state[t] = id[find(f, (int)t)] - 1;
		settled += out->state[t] >= 0;
	}
	free(id);
	out->n_states = (int)n;
	out->settled = (double)settled / (double)f->n;
	return 0;
}

static int
begin(struct fold *f, const struct cscg_walk *w, struct cscg_err *err)
{
	size_t n = (size_t)w->n_steps, i;

	f->w = w;
	f->n = w->n_steps;
	f->A = w->head.n_actions;
	f->parent = cscg_alloc(n, sizeof *f->parent, err);
	f->size = cscg_alloc(n, sizeof *f->size, err);
	f->label = cscg_alloc(n, sizeof *f->label, err);
	f->next = cscg_alloc(n * (size_t)f->A, sizeof *f->next, err);
	f->worth = cscg_alloc(n, sizeof *f->worth, err);
	f->nats = cscg_alloc(n, sizeof *f->nats, err);
	f->red = cscg_alloc(n, sizeof *f->red, err);
	f->waits = cscg_alloc(n, sizeof *f->waits, err);
	f->listed = cscg_alloc(n, sizeof *f->listed, err);
	f->stamp = cscg_alloc(n, sizeof *f->stamp, err);
	f->order = cscg_alloc(n, sizeof *f->order, err);
	f->key = cscg_alloc(n, sizeof *f->key, err);
	if (!f->parent || !f->size || !f->label || !f->next || !f->worth ||
	    !f->nats || !f->red || !f->waits || !f->listed || !f->stamp || !f->order || !f->key ||
	    cscg_grow(&f->todo, &f->cap_todo, 1, sizeof *f->todo, err) < 0)
		return -1;
	for (i = 0; i < n * (size_t)f->A; i++)
		f->next[i] = -1;
	for (i = 0; i < n; i++) {
		f->parent[i] = (int)i;
		f->size[i] = 1;
		f->label[i] = w->x[i];
		if (i + 1 < n && !fresh(w, (long)i + 1))
			f->next[i * (size_t)f->A + (size_t)w->a[i]] =
			    (int)i + 1;
	}
	f->enough = log((double)n) + 8;
	f->little = 7;
	weigh(f);
	return 0;
}

int
cscg_fold(const struct cscg_walk *w, struct cscg_fold **out,
    struct cscg_err *err)
{
	struct fold f = { 0 };
	int rc = -1, moves;

	*out = NULL;
	if (w->n_steps > MOST_CELLS / w->head.n_actions)
		return 0;
	if (begin(&f, w, err) < 0)
		goto out;
	for (moves = 0; moves <= LONGEST && !complete(&f); moves++) {
		if (landmarks(&f, moves, err) < 0)
			goto out;
		rc = f.n_reds ? grow(&f, err) : 0;
		if (rc < 0)
			goto out;
	}
	if (rc <= 0)
		goto out;
	rc = -1;
	*out = cscg_alloc(1, sizeof **out, err);
	if (*out && number(&f, *out, err) == 0)
		rc = 1;
out:
	if (rc <= 0) {
		cscg_fold_free(*out);
		*out = NULL;
	}
	free(f.parent);
	free(f.size);
	free(f.label);
	free(f.next);
	free(f.worth);
	free(f.nats);
	free(f.red);
	free(f.waits);
	free(f.stamp);
	free(f.listed);
	free(f.blues);
	free(f.log);
	free(f.todo);
	free(f.reds);
	free(f.order);
	free(f.key);
	return rc;
}

void
cscg_fold_free(struct cscg_fold *f)
{
	if (!f)
		return;
	free(f->symbol);
	free(f->state);
	free(f);
}
