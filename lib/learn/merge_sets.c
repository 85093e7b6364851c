/*
 * merge_sets.c - the partition of the steps of a walk into states
 *
 * Agreement is evidence: if two states were different, the probability that
 * both emit the same symbol x' after (x, a) would be about P(x' | x, a), so
 * each such agreement adds -ln P nats.  Agreement on a likely symbol adds
 * nothing: such agreements are not independent deep inside a uniform area.
 *
 * In most environments one action is the inverse of another, and the walk
 * shows which: wherever a changed the symbol, b restored the previous one.  So
 * if a leads from state s to another state t, then b leads from t to s.  Two
 * states with different symbols are different; there the inverse transition
 * is added to the table of successors before any merge, and a merge is
 * propagated against the direction of time as well.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "learn/constants.h"
#include "learn/merge_sets.h"

static const struct cscg_merge_constants *const limits =
    &cscg_learn_constants.merge;

int
cscg_merge_sets_assign(struct cscg_merge_sets *f, int *cell, int value,
    struct cscg_err *err)
{
	if (f->n_log == f->cap_log &&
	    cscg_grow(&f->log, &f->cap_log, f->n_log + 1, sizeof *f->log,
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

/* ---- merges and evidence ---- */

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
 * symbol is likely, unless reds_distinct is set.
 */
static double
evidence_of(const struct cscg_merge_sets *f, int u, int v)
{
	float w = f->evidence[u] < f->evidence[v] ? f->evidence[u] :
						    f->evidence[v];

	return w < (float)limits->evidence_least && !f->reds_distinct ? 0 : w;
}

/* Merge root s into root r, and add the pairs this implies to todo. */
static int
join(struct cscg_merge_sets *f, int r, int s, size_t *n, struct cscg_err *err)
{
	int a, from, *to;

	if (cscg_merge_sets_assign(f, &f->parent[s], r, err) < 0 ||
	    cscg_merge_sets_assign(f, &f->size[r], f->size[r] + f->size[s],
		err) < 0 ||
	    (f->label[r] < 0 &&
		cscg_merge_sets_assign(f, &f->label[r], f->label[s], err) <
		    0) ||
	    (*n + (size_t)f->A > f->cap_todo &&
		cscg_grow(&f->todo, &f->cap_todo, *n + (size_t)f->A,
		    sizeof *f->todo, err) < 0))
		return -1;
	f->stamp[s] = f->trial;
	for (a = 0; a < f->A; a++) {
		to = &f->next[(size_t)r * (size_t)f->A + (size_t)a];
		from = f->next[(size_t)s * (size_t)f->A + (size_t)a];
		if (from < 0)
			continue;
		if (*to < 0) {
			if (cscg_merge_sets_assign(f, to, from, err) < 0)
				return -1;
		} else {
			f->todo[*n][0] = *to;
			f->todo[(*n)++][1] = from;
		}
	}
	return 0;
}

int
cscg_merge_sets_union(struct cscg_merge_sets *f, int u, int v, double *nats,
    struct cscg_err *err)
{
	size_t n = 1;
	int p, q, r;

	f->trial++;
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
			if (nats && was_red(f, p) && was_red(f, q))
				*nats += evidence_of(f, p, q);
			continue;
		}
		if (cscg_merge_sets_differ(f, u, v))
			return 0;
		if (nats && f->label[u] >= 0 && f->label[v] >= 0)
			*nats += evidence_of(f, p, q);
		if (f->red[u] && f->red[v]) {
			if (f->reds_distinct)
				return 0;
			f->reds_merged = true;
		}
		r = f->size[u] >= f->size[v] ? u : v;
		if (f->red[u] != f->red[v])
			r = f->red[u] ? u : v;
		if (join(f, r, r == u ? v : u, &n, err) < 0)
			return -1;
	}
	return 1;
}

int
cscg_merge_sets_can_merge(struct cscg_merge_sets *f, int u, int v,
    struct cscg_err *err)
{
	bool reds_merged = f->reds_merged;
	size_t log_mark = f->n_log;
	int rc = cscg_merge_sets_union(f, u, v, NULL, err);

	cscg_merge_sets_undo(f, log_mark);
	f->reds_merged = reds_merged;
	return rc;
}

int
cscg_merge_sets_agreement(struct cscg_merge_sets *f, int u, int v, long pairs,
    double *nats, struct cscg_err *err)
{
	size_t head = 0, tail = 1, most = (size_t)pairs;
	bool first_u, first_v;
	int a, p, q;

	*nats = 0;
	f->trial++;
	if (cscg_grow(&f->todo, &f->cap_todo, most + (size_t)f->A,
		sizeof *f->todo, err) < 0)
		return -1;
	f->todo[0][0] = u;
	f->todo[0][1] = v;
	while (head < tail && tail < most) {
		f->n_compared++;
		p = f->todo[head][0];
		q = f->todo[head++][1];
		u = cscg_merge_sets_find(f, p);
		v = cscg_merge_sets_find(f, q);
		if (cscg_merge_sets_differ(f, u, v))
			return 0;
		first_u = f->left[u] != f->trial;
		first_v = f->right[v] != f->trial;
		f->left[u] = f->right[v] = f->trial;
		if (first_u && first_v && f->label[u] >= 0 && f->label[v] >= 0)
			*nats += evidence_of(f, p, q);
		if (u == v || !(first_u || first_v))
			continue;
		for (a = 0; a < f->A; a++) {
			p = f->next[(size_t)u * (size_t)f->A + (size_t)a];
			q = f->next[(size_t)v * (size_t)f->A + (size_t)a];
			if (p < 0 || q < 0)
				continue;
			f->todo[tail][0] = p;
			f->todo[tail++][1] = q;
		}
	}
	return 1;
}

/* ---- red states ---- */

static int
add_to(struct cscg_merge_reds *l, int v, struct cscg_err *err)
{
	if (cscg_grow(&l->v, &l->cap, l->n + 1, sizeof *l->v, err) < 0)
		return -1;
	l->v[l->n++] = v;
	return 0;
}

int
cscg_merge_sets_add_red(struct cscg_merge_sets *f, int v, struct cscg_err *err)
{
	int r = cscg_merge_sets_find(f, v);

	f->red[r] = 1;
	return add_to(&f->reds, v, err) < 0 ||
		add_to(f->by_label + 1 + f->label[r], v, err) < 0 ?
	    -1 :
	    0;
}

void
cscg_merge_sets_refresh(struct cscg_merge_sets *f)
{
	size_t i, n = 0;

	for (i = 0; i < f->reds.n; i++)
		f->red[cscg_merge_sets_find(f, f->reds.v[i])] = 0;
	for (i = 0; i < f->reds.n; i++) {
		int r = cscg_merge_sets_find(f, f->reds.v[i]);

		if (f->red[r])
			continue;
		f->red[r] = 1;
		f->reds.v[n++] = r;
	}
	f->reds.n = n;
	f->reds_merged = false;
}

double
cscg_merge_sets_assigned(const struct cscg_merge_sets *f)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < f->reds.n; i++)
		sum += f->size[cscg_merge_sets_find(f, f->reds.v[i])];
	return sum / (double)f->n;
}

bool
cscg_merge_sets_is_supported(const struct cscg_merge_sets *f)
{
	size_t i, n = 0;

	for (i = 0; i < f->reds.n; i++)
		n += f->size[cscg_merge_sets_find(f, f->reds.v[i])] >=
		    limits->visits * f->A;
	return 4 * n >= 3 * f->reds.n || cscg_merge_sets_assigned(f) < 0.5;
}

/* ---- results ---- */

/* Stable counting sort of m items by one byte of their keys. */
static void
sort_by_byte(const struct cscg_merge_item *in, struct cscg_merge_item *out,
    long m, int shift)
{
	long end[256] = { 0 }, at = 0, size, i;

	for (i = 0; i < m; i++)
		end[in[i].key >> shift & 255]++;
	for (i = 0; i < 256; i++) {
		size = end[i];
		end[i] = at;
		at += size;
	}
	for (i = 0; i < m; i++)
		out[end[in[i].key >> shift & 255]++] = in[i];
}

/*
 * Sort order[0] .. order[m - 1], which ascends, by key, then by number: radix
 * sort by the bytes in which keys differ.
 */
static void
sort_order(struct cscg_merge_sets *f, long m, const uint64_t *key)
{
	struct cscg_merge_item *from = f->item, *to = f->item + f->n, *swap;
	uint64_t differ = 0;
	int shift;
	long i;

	for (i = 0; i < m; i++) {
		from[i].key = key[f->order[i]];
		from[i].t = f->order[i];
		differ |= from[i].key ^ from[0].key;
	}
	for (shift = 0; shift < 64; shift += 8) {
		if (!(differ >> shift & 255))
			continue;
		sort_by_byte(from, to, m, shift);
		swap = from;
		from = to;
		to = swap;
	}
	for (i = 0; i < m; i++)
		f->order[i] = from[i].t;
}

/* The description length (merge.h) of a graph. */
static double
cost(const struct cscg_merge_sets *f, const struct cscg_merge *out)
{
	double n = (double)f->n;

	return out->n_states * log(n) / 2 +
	    (1 - out->assigned) * n * f->entropy;
}

/*
 * States and symbols of out, whose arrays are allocated: by symbol, then by
 * first visit.  id is scratch, all 0.
 */
static void
number_states(struct cscg_merge_sets *f, struct cscg_merge *out, int *id)
{
	long i, n = 0, t, assigned = 0;
	int r;

	for (t = 0; t < f->n; t++) {
		r = cscg_merge_sets_find(f, (int)t);
		if (!f->red[r] || f->label[r] < 0 || id[r])
			continue; /* never observed: no symbol */
		id[r] = 1;
		f->key[t] = (uint64_t)f->label[r];
		f->order[n++] = t;
	}
	sort_order(f, n, f->key);
	for (i = 0; i < n; i++) {
		r = cscg_merge_sets_find(f, (int)f->order[i]);
		out->symbol[i] = f->label[r];
		id[r] = (int)i + 1;
	}
	for (t = 0; t < f->n; t++) {
		out->state[t] = id[cscg_merge_sets_find(f, (int)t)] - 1;
		assigned += out->state[t] >= 0;
	}
	out->n_states = (int)n;
	out->assigned = (double)assigned / (double)f->n;
	out->cost = cost(f, out);
}

struct cscg_merge *
cscg_merge_sets_number(struct cscg_merge_sets *f, struct cscg_err *err)
{
	struct cscg_merge *out = cscg_alloc(1, sizeof *out, err);
	int *id;

	if (!out)
		return NULL;
	out->symbol = cscg_alloc(f->reds.n, sizeof *out->symbol, err);
	out->state = cscg_alloc((size_t)f->n, sizeof *out->state, err);
	id = cscg_alloc((size_t)f->n, sizeof *id, err);
	if (out->symbol && out->state && id) {
		number_states(f, out, id);
	} else {
		cscg_merge_free(out);
		out = NULL;
	}
	free(id);
	return out;
}

void
cscg_merge_free(struct cscg_merge *f)
{
	if (!f)
		return;
	free(f->symbol);
	free(f->state);
	free(f->next);
	free(f);
}

/* ---- inverse actions ---- */

/*
 * Whether the transition from step t to t + 1 changes the state: 1, 0, or -1
 * if unknown.
 */
static int
changes_state(const struct cscg_merge_sets *f, long t)
{
	const struct cscg_walk *w = f->w;
	int what;

	if (!cscg_walk_continues(w, t + 1) || w->x[t] < 0 || w->x[t + 1] < 0)
		return -1;
	if (w->x[t] != w->x[t + 1])
		return 1;
	what = cscg_merge_sets_blocked(f, w->x[t], w->a[t]);
	return what == CSCG_BLOCKED_NEVER ? 1 :
	    what == CSCG_BLOCKED_ALWAYS   ? 0 :
					    -1;
}

int
cscg_merge_sets_apply_inverses(struct cscg_merge_sets *f, struct cscg_err *err)
{
	const struct cscg_walk *w = f->w;
	int b, changes, rc = 1, *to;
	long t;

	for (t = 0; f->has_inverses && t + 1 < f->n && rc > 0; t++) {
		changes = changes_state(f, t);
		if (changes == 0)
			rc = cscg_merge_sets_union(f, (int)t, (int)t + 1, NULL,
			    err);
		b = changes > 0 ? f->inverse[w->a[t]] : -1;
		if (b < 0)
			continue;
		to = &f->next[(size_t)cscg_merge_sets_find(f, (int)t + 1) *
			(size_t)f->A +
		    (size_t)b];
		if (*to >= 0)
			rc = cscg_merge_sets_union(f, *to, (int)t, NULL, err);
		else if (cscg_merge_sets_assign(f, to, (int)t, err) < 0)
			rc = -1;
	}
	if (rc == 0)
		cscg_merge_sets_undo(f, 0);
	f->n_log = 0;
	if (rc == 0 && f->has_blocked) {
		f->has_blocked = false;
		return cscg_merge_sets_apply_inverses(f, err);
	}
	if (rc == 0)
		f->has_inverses = false;
	return rc;
}

/* ---- landmarks ---- */

static uint64_t
hash_mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ (h >> 29);
}

/*
 * Extend the contexts by one action and symbol: context[t] is
 * its hash, or 0.  Lists the steps with a
 * context and without a red state, and returns their number.
 */
static long
extend_contexts(struct cscg_merge_sets *f, bool first)
{
	const struct cscg_walk *w = f->w;
	uint64_t before, a;
	long t, m = 0;

	for (t = f->n - 1; t >= 0; t--) {
		bool starts = !cscg_walk_continues(w, t);

		before = first || starts ? 1 : f->context[t - 1];
		a = first || starts ? 0 : (uint64_t)w->a[t - 1];
		if (w->x[t] < 0 || !before || (!first && starts))
			f->context[t] = 0;
		else
			f->context[t] =
			    hash_mix(hash_mix(before, (uint64_t)w->x[t]), a) |
			    1;
	}
	for (t = 0; t < f->n; t++)
		if (f->context[t] && !f->red[cscg_merge_sets_find(f, (int)t)])
			f->order[m++] = t;
	return m;
}

/*
 * Merge the occurrences order[i] .. order[j - 1] of a context into one red
 * state if that is consistent and the evidence is at least min_nats.
 */
static int
try_landmark(struct cscg_merge_sets *f, long i, long j, double min_nats,
    struct cscg_err *err)
{
	const long pairs = 200; /* further occurrences add little evidence */
	double nats, sum = 0;
	int rc = 1, first = (int)f->order[i];
	long k;

	for (k = i + 1; rc > 0 && k < j; k++) {
		rc = cscg_merge_sets_agreement(f, first, (int)f->order[k],
		    pairs, &nats, err);
		sum += nats;
		if (rc > 0)
			rc = cscg_merge_sets_union(f, first, (int)f->order[k],
			    NULL, err);
	}
	if (rc == 0 || (rc > 0 && sum < min_nats))
		cscg_merge_sets_undo(f, 0);
	else if (rc > 0)
		rc = cscg_merge_sets_add_red(f, first, err);
	f->n_log = 0;
	return rc < 0 ? -1 : 0;
}

long
cscg_merge_sets_landmarks(struct cscg_merge_sets *f, int n_actions,
    double factor, struct cscg_err *err)
{
	long i, j, most = 0, m = extend_contexts(f, n_actions == 0);

	sort_order(f, m, f->context);
	for (i = 0; i < m; i = j) {
		for (j = i; j < m &&
		     f->context[f->order[j]] == f->context[f->order[i]];
		     j++)
			;
		if (j - i > most)
			most = j - i;
		if (j - i > 1 &&
		    try_landmark(f, i, j, factor * f->min_nats, err) < 0)
			return -1;
	}
	cscg_merge_sets_refresh(f);
	return most;
}

/* ---- the steps of a walk ---- */

/* The end of the run of equal keys, divided by `by`, that begins at i. */
static long
run_end(const struct cscg_merge_sets *f, long i, long m, uint64_t by)
{
	uint64_t key = f->key[f->order[i]] / by;

	while (i < m && f->key[f->order[i]] / by == key)
		i++;
	return i;
}

/* The number of different symbols of the walk. */
static double
count_symbols(struct cscg_merge_sets *f)
{
	long t, m = 0, n = 0;

	for (t = 0; t < f->n; t++)
		if (f->w->x[t] >= 0) {
			f->key[t] = (uint64_t)f->w->x[t];
			f->order[m++] = t;
		}
	sort_order(f, m, f->key);
	for (t = 0; t < m; t++)
		n += t == 0 || f->key[f->order[t]] != f->key[f->order[t - 1]];
	return (double)n;
}

/*
 * evidence[t] = -ln P(x[t] | x[t-1], a[t-1]), by counts and pseudocounts; 0
 * where that is unknown.
 */
static void
set_evidence(struct cscg_merge_sets *f)
{
	const struct cscg_walk *w = f->w;
	uint64_t n_obs = (uint64_t)w->head.n_obs;
	long i, j, k, m = 0, t;
	float all, same;
	double more = f->pseudocount * count_symbols(f);

	for (t = 0; t < f->n; t++) {
		if (!cscg_walk_continues(w, t) || w->x[t] < 0 ||
		    w->x[t - 1] < 0)
			continue;
		f->key[t] = ((uint64_t)w->a[t - 1] * n_obs +
				(uint64_t)w->x[t - 1]) *
			n_obs +
		    (uint64_t)w->x[t];
		f->order[m++] = t;
	}
	sort_order(f, m, f->key);
	/* Runs of equal (a, x), and in them of equal x'. */
	for (i = j = 0; i < m; i = j) {
		j = run_end(f, i, m, n_obs);
		all = (float)log((double)(j - i) + more);
		for (; i < j; i = k) {
			k = run_end(f, i, j, 1);
			same = (float)log((double)(k - i) + f->pseudocount);
			for (t = i; t < k; t++)
				f->evidence[f->order[t]] = all - same;
		}
	}
	for (t = 0; t < f->n; t++)
		f->entropy += f->evidence[t] / (double)f->n;
}

bool
cscg_merge_sets_fits(const struct cscg_walk *w)
{
	return w->n_steps <= limits->max_cells / w->head.n_actions;
}

static int
allocate(struct cscg_merge_sets *f, size_t n, struct cscg_err *err)
{
	struct cscg_pool *mem = cscg_pool_begin(&f->mem, err);

	f->parent = cscg_pool_add(mem, n, sizeof *f->parent);
	f->size = cscg_pool_add(mem, n, sizeof *f->size);
	f->label = cscg_pool_add(mem, n, sizeof *f->label);
	f->next = cscg_pool_add(mem, n * (size_t)f->A, sizeof *f->next);
	f->evidence = cscg_pool_add(mem, n, sizeof *f->evidence);
	f->red = cscg_pool_add(mem, n, sizeof *f->red);
	f->stamp = cscg_pool_add(mem, n, sizeof *f->stamp);
	f->left = cscg_pool_add(mem, n, sizeof *f->left);
	f->right = cscg_pool_add(mem, n, sizeof *f->right);
	f->scan = cscg_pool_add(mem, n, sizeof *f->scan);
	f->order = cscg_pool_add(mem, n, sizeof *f->order);
	f->item = cscg_pool_add(mem, 2 * n, sizeof *f->item);
	f->key = cscg_pool_add(mem, n, sizeof *f->key);
	f->context = cscg_pool_add(mem, n, sizeof *f->context);
	f->blocked = cscg_pool_add(mem,
	    (size_t)f->w->head.n_obs * (size_t)f->A, sizeof *f->blocked);
	f->by_label = cscg_pool_add(mem, (size_t)f->w->head.n_obs + 1,
	    sizeof *f->by_label);
	return mem->failed ||
		cscg_grow(&f->todo, &f->cap_todo, 1, sizeof *f->todo, err) <
		    0 ?
	    -1 :
	    0;
}

int
cscg_merge_sets_new(struct cscg_merge_sets *f, const struct cscg_walk *w,
    struct cscg_err *err)
{
	size_t n = (size_t)w->n_steps, i;
	int rc;

	f->w = w;
	f->n = w->n_steps;
	f->A = w->head.n_actions;
	if (allocate(f, n, err) < 0)
		return -1;
	for (i = 0; i < n * (size_t)f->A; i++)
		f->next[i] = -1;
	for (i = 0; i < n; i++) {
		f->parent[i] = (int)i;
		f->size[i] = 1;
		f->label[i] = w->x[i];
		if (i + 1 < n && cscg_walk_continues(w, (long)i + 1))
			f->next[i * (size_t)f->A + (size_t)w->a[i]] = (int)i +
			    1;
	}
	f->min_nats = log((double)n) + limits->nats;
	set_evidence(f);
	rc = cscg_inverse_find(w, f->inverse, err);
	f->has_inverses = rc > 0;
	if (rc > 0)
		rc = cscg_inverse_find_blocked(w, f->inverse, f->blocked, err);
	f->has_blocked = rc > 0;
	return rc < 0 ? -1 : 0;
}

void
cscg_merge_sets_free(struct cscg_merge_sets *f)
{
	int x;

	for (x = 0; f->by_label && x <= f->w->head.n_obs; x++)
		free(f->by_label[x].v);
	cscg_pool_free(&f->mem);
	free(f->log);
	free(f->todo);
	free(f->reds.v);
	*f = (struct cscg_merge_sets){ 0 };
}
