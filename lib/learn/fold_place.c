/*
 * fold_place.c - the moments of a walk, and which of them are one place
 *
 * Places are merged by union-find, and a merge carries on along equal actions (a
 * congruence).  Every change is logged, so that it can be taken back.
 */
#include <math.h>
#include <stdlib.h>

#include "learn/fold_place.h"
#include "base/mem.h"

/* Steps times actions that we hold a table for. */
enum { MAX_CELLS = 1 << 28 };

int
cscg_merge_sets_find(const struct cscg_merge_sets *f, int v)
{
	while (f->parent[v] != v)
		v = f->parent[v];
	return v;
}

int
cscg_merge_sets_assign(struct cscg_merge_sets *f, int *cell, int value,
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

void
cscg_merge_sets_undo(struct cscg_merge_sets *f, size_t log_mark)
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
	float w = f->evidence[u] < f->evidence[v] ? f->evidence[u] : f->evidence[v];

	return w < (float)M_LN2 && !f->reds_distinct ? 0 : w;
}

int
cscg_merge_sets_union(struct cscg_merge_sets *f, int u, int v, double *nats,
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
		u = cscg_merge_sets_find(f, p);
		v = cscg_merge_sets_find(f, q);
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
		if (cscg_merge_sets_assign(f, &f->parent[s], r, err) < 0 ||
		    cscg_merge_sets_assign(f, &f->size[r], f->size[r] + f->size[s],
		    err) < 0 ||
		    (f->label[r] < 0 &&
		    cscg_merge_sets_assign(f, &f->label[r], f->label[s], err) < 0))
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
				if (cscg_merge_sets_assign(f, to, from, err) < 0)
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

bool
cscg_merge_starts_run(const struct cscg_walk *w, long t)
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
			if (cscg_merge_starts_run(w, t) || w->x[t] < 0 ||
			    w->x[t - 1] < 0)
				continue;
			f->key[t] = hash_mix(hash_mix(1, (uint64_t)w->x[t - 1]),
			    (uint64_t)w->a[t - 1]);
			if (pass)
				f->key[t] = hash_mix(f->key[t], (uint64_t)w->x[t]);
			f->order[m++] = t;
		}
		qsort_r(f->order, (size_t)m, sizeof *f->order, by_key, f->key);
		for (i = 0; i < m; i = j) {
			for (j = i; j < m && f->key[f->order[j]] ==
			    f->key[f->order[i]]; j++)
				;
			for (t = i; t < j; t++)
				f->evidence[f->order[t]] += (float)
				    (pass ? -log((double)(j - i)) :
				    log((double)(j - i)));
		}
	}
}

int
cscg_merge_sets_add_red(struct cscg_merge_sets *f, int v, struct cscg_err *err)
{
	if (cscg_grow(&f->reds, &f->cap_reds, f->n_reds + 1, sizeof *f->reds,
	    err) < 0)
		return -1;
	f->reds[f->n_reds++] = v;
	f->red[cscg_merge_sets_find(f, v)] = 1;
	return 0;
}

void
cscg_merge_sets_refresh(struct cscg_merge_sets *f)
{
	size_t i, n = 0;

	for (i = 0; i < f->n_reds; i++)
		f->red[cscg_merge_sets_find(f, f->reds[i])] = 0;
	for (i = 0; i < f->n_reds; i++) {
		int r = cscg_merge_sets_find(f, f->reds[i]);

		if (f->red[r])
			continue;
		f->red[r] = 1;
		f->reds[n++] = r;
	}
	f->n_reds = n;
}

int
cscg_merge_sets_landmarks(struct cscg_merge_sets *f, int moves, struct cscg_err *err)
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
			if (cscg_merge_starts_run(w, t - back))
				break;
			h = hash_mix(h, (uint64_t)w->a[t - back - 1]);
		}
		f->key[t] = h;
		if (back == moves && w->x[t - back] >= 0 &&
		    !f->red[cscg_merge_sets_find(f, (int)t)])
			f->order[m++] = t;
	}
	qsort_r(f->order, (size_t)m, sizeof *f->order, by_key, f->key);
	for (i = 0; i < m; i = j) {
		double nats = 0;

		rc = 1;
		f->trial++;
		for (j = i; j < m &&
		    f->key[f->order[j]] == f->key[f->order[i]]; j++)
			if (rc > 0)
				rc = cscg_merge_sets_union(f, (int)f->order[i],
				    (int)f->order[j], &nats, err);
		if (rc < 0)
			return -1;
		if (rc == 0 || nats < f->min_nats)
			cscg_merge_sets_undo(f, 0);
		else if (cscg_merge_sets_add_red(f, (int)f->order[i], err) < 0)
			return -1;
		f->n_log = 0;
	}
	cscg_merge_sets_refresh(f);
	return 0;
}

int
cscg_merge_sets_number(struct cscg_merge_sets *f, struct cscg_merge *out,
    struct cscg_err *err)
{
	size_t i, n = 0;
	long t, assigned = 0;
	int *id;

	for (i = 0; i < f->n_reds; i++) {
		int r = cscg_merge_sets_find(f, f->reds[i]);

		if (f->label[r] < 0)
			continue;	/* never seen: nothing to emit */
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
		id[cscg_merge_sets_find(f, f->reds[f->order[i]])] = (int)i + 1;
	}
	for (t = 0; t < f->n; t++) {
		out->state[t] = id[cscg_merge_sets_find(f, (int)t)] - 1;
		assigned += out->state[t] >= 0;
	}
	free(id);
	out->n_states = (int)n;
	out->assigned = (double)assigned / (double)f->n;
	return 0;
}

bool
cscg_merge_sets_fits(const struct cscg_walk *w)
{
	return w->n_steps <= MAX_CELLS / w->head.n_actions;
}

int
cscg_merge_sets_new(struct cscg_merge_sets *f, const struct cscg_walk *w,
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
		if (i + 1 < n && !cscg_merge_starts_run(w, (long)i + 1))
			f->next[i * (size_t)f->A + (size_t)w->a[i]] =
			    (int)i + 1;
	}
	f->min_nats = log((double)n) + 8;
	f->min_nats_weak = 7;
	set_evidence(f);
	return 0;
}

void
cscg_merge_sets_free(struct cscg_merge_sets *f)
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
