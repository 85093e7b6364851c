/*
 * merge.c - evidence-driven state merging (EDSM) of a deterministic walk
 *
 *  1. Landmarks.  A context (a symbol, or a sequence of symbols and actions
 *     that ends with it) is a landmark if all its occurrences can be one
 *     state.
 *  2. From the landmarks outward: the accepted states ("red") have successors
 *     that are not accepted ("blue").  The most visited blue state is compared
 *     with every red one of its symbol.  If no red state is compatible, it
 *     becomes a new red state.  If the evidence for the best red state is
 *     sufficient, they are merged.  Otherwise the blue state is deferred until
 *     more of the graph is known.
 *  3. If no blue state can be decided, inverse transitions between different
 *     red states are inferred, then red states are merged by the same
 *     evidence, then the most visited blue state becomes red: duplicates can
 *     be merged later, but a wrong merge cannot be split.
 *  4. When nothing is left to do, the threshold of evidence is lowered, from
 *     the probability of chance agreement in the whole walk down to 0, then
 *     the contexts of landmarks become longer.  After each threshold the graph
 *     is a candidate; the one with the least cost (merge.h) is kept.
 *  5. Another start merges the pair with the most evidence instead and returns
 *     to the largest threshold after each such merge, since a merge adds
 *     evidence for others.  With few symbols in a large environment a wrong
 *     pair then rarely stays the pair with the most evidence.
 *
 * This is the blue-fringe algorithm (EDSM) of automata learning, with
 * landmarks instead of a root, since a walk does not return to a common
 * initial state.
 *
 * An inferred inverse transition that cannot be merged with the observed one
 * proves that an earlier merge was wrong: the search from this start ends, and
 * its merges since the last candidate are not used.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "learn/constants.h"
#include "learn/merge.h"
#include "learn/merge_sets.h"

static const struct cscg_merge_constants *const limits =
    &cscg_learn_constants.merge;

struct comparison {
	int best; /* the compatible red state with the most evidence, or -1 */
	double nats;
	int joins; /* g->joins at that time, 0: never */
};

/* The bit of a pair of states whose merge was undone. */
static const uint64_t REJECTED = UINT64_C(1) << 63;

struct fringe {
	struct cscg_merge_sets *f;
	int *compared; /* [n] changes when a root was last compared, from 1;
	                  0: never */
	int changes;   /* merges and new red states, from 1 */
	int joins;     /* merges and new transitions, from 1 */
	int *accepted; /* [n] changes when a root became red, 0: landmark */
	struct comparison *known; /* [n] the last comparison of a root */
	char *listed;             /* [n] flags while blue states are listed */
	struct cscg_merge_reds blues;
	uint64_t *refuted; /* [n_refuted] pairs that cannot be merged, by hash,
	                      0: none; a pair may replace another */
	size_t n_refuted;  /* a power of 2 */
	size_t n_rejected; /* of them, by inverse transitions: not replaced */
	double most_nats;  /* evidence of the best merge of two red states, or
	                      with best_first of any two, that was too weak;
	                      -1: none */
	int weak[2];       /* that merge */
	bool best_first;
	int (*banned)[2]; /* [n_banned + 1] weak merges that led to a
	                     contradiction, and the last one */
	int n_banned;
	bool contradicted;
	double done;              /* fraction of steps with a state */
	double max_work;          /* pairs compared */
	struct cscg_merge **best; /* the candidate of least cost, or NULL */
};

/* True if the search is to end: stopped, or at its limit of work. */
static bool
is_over(const struct fringe *g)
{
	return cscg_poll_stopped(g->f->poll) ||
	    (double)(g->f->n_pairs + g->f->n_compared) > g->max_work;
}

/* ---- comparison of one state with the red states ---- */

/*
 * The slot of the pair of steps u and v in the table of refuted pairs, and its
 * *key: the first that no other pair holds for ever.
 */
static uint64_t *
refuted_slot(const struct fringe *g, int u, int v, uint64_t *key)
{
	size_t i;

	*key = (uint64_t)(u < v ? u : v) << 32 | (uint64_t)(u < v ? v : u);
	i = (size_t)(*key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
	for (;; i++) {
		uint64_t *slot = &g->refuted[i & (g->n_refuted - 1)];

		if (!(*slot & REJECTED) || *slot == (*key | REJECTED))
			return slot;
	}
}

/*
 * True if the last comparison of b holds for the red states of that time: no
 * merge since, and later red states are at the end of their list.
 */
static bool
is_known(const struct fringe *g, int b)
{
	return g->known[b].joins == g->joins && g->f->label[b] >= 0 &&
	    !g->f->by_label->n;
}

/*
 * Compare b with the red states of a list, and remove duplicates from it.  A
 * pair that cannot be merged is compared once: later merges add contradictions
 * and remove none.  Without merges since the last comparison of b, only later
 * red states are new.
 */
static int
compare_with(struct fringe *g, int b, struct cscg_merge_reds *l,
    struct comparison *c, struct cscg_err *err)
{
	bool known = is_known(g, b);
	struct cscg_merge_sets *f = g->f;
	uint64_t key, *slot;
	size_t i, n = 0;
	double nats;
	int rc, r;

	f->n_compared += (long)l->n;
	for (i = 0; i < l->n; i++) {
		r = cscg_merge_sets_find(f, l->v[i]);
		if (f->scan[r] == f->n_scans)
			continue;
		f->scan[r] = f->n_scans;
		l->v[n++] = r;
		if (r == b || (known && g->accepted[r] <= g->compared[b]))
			continue;
		slot = refuted_slot(g, r, b, &key);
		if ((*slot & ~REJECTED) == key)
			continue;
		/* The list remains valid. */
		if (cscg_poll(f->poll, "state merging", g->done, 1))
			return 0;
		rc = cscg_merge_sets_agreement(f, r, b, limits->pairs, &nats,
		    err);
		if (rc > 0 && nats <= c->nats)
			continue;
		if (rc > 0)
			rc = cscg_merge_sets_can_merge(f, r, b, err);
		if (rc < 0)
			return -1;
		if (rc)
			*c = (struct comparison){ r, nats, g->joins };
		else
			*slot = key;
	}
	l->n = n;
	return 0;
}

static int
best_red(struct fringe *g, int b, struct comparison *c, struct cscg_err *err)
{
	struct cscg_merge_sets *f = g->f;
	int x, first = 0, last = f->w->head.n_obs;

	*c = (struct comparison){ -1, -1, g->joins };
	if (is_known(g, b))
		*c = g->known[b];
	f->n_scans++;
	/* A state without a label may equal any other. */
	if (f->label[b] >= 0) {
		first = last = 1 + f->label[b];
		if (compare_with(g, b, f->by_label, c, err) < 0)
			return -1;
	}
	for (x = first; x <= last; x++)
		if (compare_with(g, b, f->by_label + x, c, err) < 0)
			return -1;
	g->compared[b] = g->changes;
	g->known[b] = *c;
	return 0;
}

static int merge_into(struct fringe *g, int r, int b, struct cscg_err *err);

static int
accept(struct fringe *g, int b, struct cscg_err *err)
{
	g->accepted[b] = ++g->changes;
	return cscg_merge_sets_add_red(g->f, b, err);
}

/* ---- one round ---- */

/* List the blue states that were not compared since `gap` changes. */
static int
list_blues(struct fringe *g, int gap, struct cscg_err *err)
{
	struct cscg_merge_sets *f = g->f;
	struct cscg_merge_reds *l = &g->blues;
	size_t i;
	int a, b;

	l->n = 0;
	for (i = 0; i < f->reds.n; i++)
		for (a = 0; a < f->A; a++) {
			b = cscg_merge_sets_successor(f,
			    cscg_merge_sets_find(f, f->reds.v[i]), a);
			if (b < 0 || f->red[b] || g->listed[b] ||
			    (g->compared[b] &&
				g->changes - g->compared[b] < gap))
				continue;
			if (cscg_grow(&l->v, &l->cap, l->n + 1, sizeof *l->v,
				err) < 0)
				return -1;
			g->listed[b] = 1;
			l->v[l->n++] = b;
		}
	for (i = 0; i < l->n; i++)
		g->listed[l->v[i]] = 0;
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

/* The comparison c of b with the red states was too weak for a merge. */
static void
note_weak(struct fringe *g, int b, const struct comparison *c)
{
	int i;

	if (c->nats <= g->most_nats)
		return;
	for (i = 0; i < g->n_banned; i++)
		if (g->banned[i][0] == c->best && g->banned[i][1] == b)
			return;
	g->most_nats = c->nats;
	g->weak[0] = c->best;
	g->weak[1] = b;
}

/* Decide on blue state b if the evidence suffices: 1 if so, 0, or -1. */
static int
decide_blue(struct fringe *g, int b, double min_nats, struct cscg_err *err)
{
	struct comparison c;
	bool small = g->f->size[b] < limits->size_least &&
	    min_nats >= limits->nats_least;

	if (best_red(g, b, &c, err) < 0)
		return -1;
	if (is_over(g))
		return 0; /* not compared with all */
	if (c.best < 0)
		return accept(g, b, err) < 0 ? -1 : 1;
	if (c.nats < min_nats || small) {
		if (g->best_first)
			note_weak(g, b, &c);
		return 0;
	}
	return merge_into(g, c.best, b, err);
}

/* Decide on the listed blue states: 1 if any was decided, 0, or -1. */
static int
decide_blues(struct fringe *g, int gap, double min_nats, struct cscg_err *err)
{
	int changed = 0, b, rc;
	size_t i;

	if (list_blues(g, gap, err) < 0)
		return -1;
	qsort_r(g->blues.v, g->blues.n, sizeof *g->blues.v, by_size, g->f);
	for (i = 0; i < g->blues.n; i++) {
		b = cscg_merge_sets_find(g->f, g->blues.v[i]);
		if (g->f->red[b])
			continue;
		rc = decide_blue(g, b, min_nats, err);
		if (rc < 0)
			return -1;
		changed |= rc;
	}
	return changed;
}

/* Merge red states with sufficient evidence: 1 if any were merged, 0, or -1. */
static int
merge_reds(struct fringe *g, double min_nats, struct cscg_err *err)
{
	struct cscg_merge_sets *f = g->f;
	struct comparison c;
	int any = 0, b;
	size_t i;

	for (i = 0; i < f->reds.n; i++) {
		b = cscg_merge_sets_find(f, f->reds.v[i]);
		if (best_red(g, b, &c, err) < 0)
			return -1;
		if (is_over(g))
			return any;
		if (c.best < 0 || c.nats < min_nats) {
			note_weak(g, b, &c);
			continue;
		}
		if (merge_into(g, c.best, b, err) < 0)
			return -1;
		any = 1;
	}
	return any;
}

/*
 * Red state r leads to another state by a.  Then the inverse of a leads back:
 * 1 if that is new, 0, also with g->contradicted, or -1.  The log holds the changes.
 */
static int
infer_inverse(struct fringe *g, int r, int a, struct cscg_err *err)
{
	struct cscg_merge_sets *f = g->f;
	int u = cscg_merge_sets_successor(f, r, a), v, rc;

	if (u < 0 || u == r)
		return 0;
	v = cscg_merge_sets_successor(f, u, f->inverse[a]);
	if (v == r)
		return 0;
	rc = cscg_merge_sets_blocked(f, f->label[r], a) == CSCG_BLOCKED_NEVER ?
	    0 :
	    cscg_merge_sets_can_merge(f, r, u, err);
	if (rc)
		return rc < 0 ? -1 : 0; /* may be the same state */
	g->changes++;
	g->joins++;
	if (v < 0)
		return cscg_merge_sets_assign(f,
			   &f->next[(size_t)u * (size_t)f->A +
			       (size_t)f->inverse[a]],
			   r, err) < 0 ?
		    -1 :
		    1;
	rc = cscg_merge_sets_union(f, r, v, NULL, err);
	g->contradicted = rc == 0;
	return rc;
}

/* Infer all inverse transitions: 1 if any is new, 0, or -1. */
static int
infer_inverses(struct fringe *g, struct cscg_err *err)
{
	struct cscg_merge_sets *f = g->f;
	int any = 0, a, rc;
	size_t i;

	if (!f->has_inverses)
		return 0;
	for (i = 0; i < f->reds.n; i++)
		for (a = 0; i < f->reds.n && a < f->A; a++) {
			if (f->inverse[a] < 0)
				continue;
			rc = infer_inverse(g,
			    cscg_merge_sets_find(f, f->reds.v[i]), a, err);
			f->n_log = 0;
			if (f->reds_merged)
				cscg_merge_sets_refresh(f);
			if (rc < 0)
				return -1;
			if (g->contradicted)
				return 0;
			any |= rc;
		}
	return any;
}

/*
 * Infer all inverse transitions after a merge, which the log holds: 1, 0 on a
 * contradiction, or -1.
 */
static int
check_inverses(struct fringe *g, struct cscg_err *err)
{
	struct cscg_merge_sets *f = g->f;
	int a, r, u, rc, any = f->has_inverses;
	size_t i;

	while (any)
		for (any = 0, i = 0; i < f->reds.n; i++)
			for (a = 0; a < f->A; a++) {
				f->n_compared++;
				if (f->inverse[a] < 0)
					continue;
				r = cscg_merge_sets_find(f, f->reds.v[i]);
				u = cscg_merge_sets_successor(f, r, a);
				if (u < 0 || u == r ||
				    cscg_merge_sets_successor(f, u,
					f->inverse[a]) < 0)
					continue; /* nothing to contradict */
				rc = infer_inverse(g, r, a, err);
				if (rc < 0)
					return -1;
				if (g->contradicted) {
					g->contradicted = false;
					return 0;
				}
				any |= rc;
			}
	return 1;
}

/*
 * Merge the states of r and b: 1 if that changed anything, also that they cannot
 * be merged, or -1.  With best_first the inverse transitions that the merge
 * implies must not contradict it.
 */
static int
merge_into(struct fringe *g, int r, int b, struct cscg_err *err)
{
	struct cscg_merge_sets *f = g->f;
	int rc = cscg_merge_sets_union(f, r, b, NULL, err), joins = g->joins;
	uint64_t key, *slot;

	if (rc >= 0 && g->best_first)
		rc = check_inverses(g, err);
	if (rc < 0)
		return -1;
	if (rc == 0) {
		cscg_merge_sets_undo(f, 0);
		f->reds_merged = false;
		g->joins = joins;
		g->known[r].joins = g->known[b].joins = 0;
		slot = refuted_slot(g, r, b, &key);
		*slot = key | REJECTED;
		g->contradicted = ++g->n_rejected >= g->n_refuted / 2;
	}
	f->n_log = 0;
	g->changes++;
	g->joins += rc;
	if (f->reds_merged)
		cscg_merge_sets_refresh(f);
	return 1;
}

/* The most visited blue state becomes red: 1, 0 if it has few visits, or -1. */
static int
promote(struct fringe *g, struct cscg_err *err)
{
	size_t i;
	int b;

	if (list_blues(g, 0, err) < 0)
		return -1;
	if (!g->blues.n)
		return 0;
	for (b = g->blues.v[0], i = 1; i < g->blues.n; i++)
		if (by_size(&g->blues.v[i], &b, g->f) < 0)
			b = g->blues.v[i];
	if (g->f->size[b] < limits->visits * g->f->A)
		return 0;
	return accept(g, b, err) < 0 ? -1 : 1;
}

/*
 * Extend the red states until nothing changes, with this threshold of
 * evidence: 1, 0 if the graph is wrong (too many states, or contradicted), or
 * -1.
 */
static int
settle(struct fringe *g, double min_nats, struct cscg_err *err)
{
	struct cscg_merge_sets *f = g->f;
	size_t most = (size_t)(f->n / (limits->visits * f->A)) + 1;
	int rc;

	do {
		if (f->reds.n > most)
			return 0;
		g->done = cscg_merge_sets_assigned(f);
		g->most_nats = -1;
		/*
		 * Most comparisons are deferred until an eighth of the states
		 * has changed.
		 */
		rc = decide_blues(g, 1 + (int)f->reds.n / 8, min_nats, err);
		if (rc == 0)
			rc = decide_blues(g, 1, min_nats, err);
		if (rc == 0)
			rc = infer_inverses(g, err);
		if (g->contradicted)
			return 0;
		if (rc == 0)
			rc = merge_reds(g, min_nats, err);
		if (rc == 0)
			rc = promote(g, err);
	} while (rc > 0 && !is_over(g));
	return rc < 0 ? -1 : 1;
}

/* ---- search from one start ---- */

static int
keep_if_best(struct fringe *g, struct cscg_err *err)
{
	struct cscg_merge_sets *f = g->f;
	struct cscg_merge *fresh;

	if (!g->best || !f->reds.n || !cscg_merge_sets_is_supported(f))
		return 0;
	fresh = cscg_merge_sets_number(f, err);
	if (!fresh)
		return -1;
	if (*g->best && (*g->best)->cost <= fresh->cost) {
		cscg_merge_free(fresh);
		return 0;
	}
	cscg_merge_free(*g->best);
	*g->best = fresh;
	return 0;
}

/* The threshold of evidence after this one. */
static double
lower(double nats)
{
	nats /= limits->nats_factor;
	return nats < limits->nats_least ? 0 : nats;
}

/*
 * Settle with every threshold of evidence that changes the graph, or only with
 * the largest: 1, 0 if the graph is wrong, or -1.
 */
static int
settle_all(struct fringe *g, bool largest, struct cscg_err *err)
{
	double nats = g->f->min_nats;
	int rc;

	for (;;) {
		rc = settle(g, nats, err);
		if (rc <= 0)
			return rc;
		if (keep_if_best(g, err) < 0)
			return -1;
		if (largest || nats <= 0 || g->most_nats < 0 || is_over(g))
			return 1;
		do
			nats = lower(nats);
		while (nats > g->most_nats);
	}
}

/*
 * Settle with the largest threshold of evidence after each merge, and merge
 * the pair with the most evidence; finally with threshold 0.
 */
static int
settle_best(struct fringe *g, struct cscg_err *err)
{
	int rc;

	for (;;) {
		rc = settle(g, g->f->min_nats, err);
		if (rc <= 0)
			return rc;
		if (g->most_nats < limits->nats_least || is_over(g))
			break;
		memcpy(g->banned[g->n_banned], g->weak, sizeof g->weak);
		if (merge_into(g, g->weak[0], g->weak[1], err) < 0)
			return -1;
	}
	if (keep_if_best(g, err) < 0)
		return -1;
	if (g->most_nats < 0 || is_over(g))
		return 1;
	rc = settle(g, 0, err);
	return rc > 0 && keep_if_best(g, err) < 0 ? -1 : rc;
}

static int
run_start(struct fringe *g, double factor, bool largest, struct cscg_err *err)
{
	struct cscg_pool mem = { .err = err };
	struct cscg_merge_sets *f = g->f;
	long most = f->n;
	int k, rc = 1;

	g->changes = 1;
	g->joins = 1;
	g->accepted = cscg_pool_add(&mem, (size_t)f->n, sizeof *g->accepted);
	g->known = cscg_pool_add(&mem, (size_t)f->n, sizeof *g->known);
	g->compared = cscg_pool_add(&mem, (size_t)f->n, sizeof *g->compared);
	g->listed = cscg_pool_add(&mem, (size_t)f->n, sizeof *g->listed);
	for (g->n_refuted = 1; g->n_refuted < 4 * (size_t)f->n;)
		g->n_refuted *= 2;
	g->refuted = cscg_pool_add(&mem, g->n_refuted, sizeof *g->refuted);
	if (mem.failed || cscg_merge_sets_apply_inverses(f, err) < 0)
		rc = -1;
	for (k = 0; rc > 0 && k <= limits->context_max &&
	     most >= limits->occurrences &&
	     cscg_merge_sets_assigned(f) < limits->complete &&
	     !cscg_poll(f->poll, "state merging", g->done, 1) && !is_over(g);
	     k++) {
		most = cscg_merge_sets_landmarks(f, k, factor, err);
		g->joins++;
		rc = most < 0                  ? -1 :
		    f->reds.n && g->best_first ? settle_best(g, err) :
		    f->reds.n                  ? settle_all(g, largest, err) :
						 1;
	}
	if (rc > 0 && g->best && *g->best)
		(*g->best)->complete = cscg_merge_sets_is_supported(f) &&
		    cscg_merge_sets_assigned(f) >= limits->complete;
	cscg_pool_free(&mem);
	free(g->blues.v);
	return rc < 0 ? -1 : 0;
}

int
cscg_merge_sets_settle(struct cscg_merge_sets *f, double factor,
    struct cscg_err *err)
{
	struct fringe g = { .f = f, .max_work = limits->work * (double)f->n };

	return run_start(&g, factor, true, err);
}

/*
 * State merging from one start: 0, or -1.  With best_first a search that ends
 * in a contradiction is repeated without its last weak merge, at most
 * CSCG_MERGE_REPEATS times.  *by_symbol: whether symbols may determine blocked
 * actions; on return, whether they did.  *work: pairs left to compare.
 */
static int
merge_from(const struct cscg_walk *w, const struct cscg_merge_start *start,
    struct cscg_poll *poll, bool *by_symbol, double *work,
    struct cscg_merge **out, struct cscg_err *err)
{
	int banned[CSCG_MERGE_REPEATS + 1][2] = { { -1, -1 } };
	int i, rc = 0;
	bool again = true, used = false;

	for (i = 0; i <= CSCG_MERGE_REPEATS && again && rc == 0; i++) {
		struct cscg_merge_sets f = { .poll = poll };
		struct fringe g = { .f = &f,
			.best = out,
			.best_first = start->best_first,
			.max_work = *work,
			.banned = banned,
			.n_banned = i };

		rc = cscg_merge_sets_new(&f, w, err);
		f.has_blocked &= *by_symbol;
		f.min_nats *= start->merge;
		banned[i][0] = -1;
		if (rc == 0)
			rc = run_start(&g, start->landmark, false, err);
		used = f.has_blocked;
		again = g.contradicted && banned[i][0] >= 0 && !is_over(&g);
		*work -= (double)(f.n_pairs + f.n_compared);
		cscg_merge_sets_free(&f);
	}
	*by_symbol = used;
	return rc;
}

int
cscg_merge(const struct cscg_walk *w, size_t n_starts, struct cscg_poll *poll,
    struct cscg_merge **out, struct cscg_err *err)
{
	double work = limits->work * (double)w->n_steps;
	bool by_symbol = true, used;
	size_t i;
	int rc = 0;

	*out = NULL;
	if (!cscg_merge_sets_fits(w))
		return 0;
	for (i = 0; rc == 0 && i < n_starts && i < CSCG_MERGE_STARTS &&
	     !(*out && (*out)->complete) && !cscg_poll_stopped(poll) &&
	     work > 0;
	     i++) {
		used = by_symbol;
		rc = merge_from(w, &limits->start[i], poll, &used, &work, out,
		    err);
		/* If no graph is complete, try all starts again without. */
		if (used) {
			by_symbol = i + 1 < n_starts &&
			    i + 1 < CSCG_MERGE_STARTS;
			i = by_symbol ? i : (size_t)-1;
		}
	}
	if (rc < 0) {
		cscg_merge_free(*out);
		*out = NULL;
	}
	return rc < 0 ? -1 : *out != NULL;
}
