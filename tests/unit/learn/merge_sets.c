/*
 * merge_sets.c - the partition of steps into states against plain code
 *
 * The plain partition has the class of each step; a merge is closed by looking at
 * all pairs of steps of a class with equal actions until nothing changes.
 */
#include <string.h>

#include "learn/merge_sets.h"
#include "tap.h"
#include "walker.h"

enum { N = 14, A = 2, K = 3, WALKS = 300 };

/* Random symbols, some missing, in two episodes. */
static struct cscg_walk *
new_walk(struct cscg_rng *rng)
{
	struct cscg_walk_header head = { .n_actions = A, .n_obs = K };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	int t;

	for (t = 0; t < N; t++) {
		struct cscg_step s = { .x = (int)cscg_rng_below(rng, 5) - 1,
			.a = t == N / 2 || t == N - 1 ?
			    -1 :
			    (int)cscg_rng_below(rng, A),
			.z = -1,
			.goal = -1,
			.r = NAN };

		s.x = s.x < K ? s.x : 0;
		need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
	}
	return w;
}

/* Every step a state of its own, and e nats for each agreement. */
static void
new_sets(struct cscg_merge_sets *f, const struct cscg_walk *w, float e)
{
	int t;

	*f = (struct cscg_merge_sets){ 0 };
	need(cscg_merge_sets_new(f, w, &err) < 0 ? NULL : f);
	for (t = 0; t < N; t++)
		f->evidence[t] = e;
}

/* ---- the plain partition ---- */

struct plain {
	int class[N];
};

static void
rename_class(struct plain *p, int from, int to)
{
	int t;

	for (t = 0; t < N; t++)
		if (p->class[t] == from)
			p->class[t] = to;
}

/* The symbol of the class of step t, -1: none, -2: two different ones. */
static int
symbol_of(const struct plain *p, const struct cscg_walk *w, int t)
{
	int i, x = -1;

	for (i = 0; i < N; i++)
		if (p->class[i] == p->class[t] && w->x[i] >= 0) {
			if (x >= 0 && w->x[i] != x)
				return -2;
			x = w->x[i];
		}
	return x;
}

/* Merge the classes of u and v and all that follows; false: two symbols. */
static bool
plain_union(struct plain *p, const struct cscg_walk *w, int u, int v)
{
	bool changed = true;
	int i, j;

	rename_class(p, p->class[u], p -> class[v]);
	while (changed)
		for (changed = false, i = 0; i < N; i++)
			for (j = 0; j < N; j++)
				if (p->class[i] == p->class[j] &&
				    w->a[i] >= 0 && w->a[i] == w->a[j] &&
				    p->class[i + 1] != p->class[j + 1]) {
					rename_class(p, p->class[i + 1],
					    p -> class[j + 1]);
					changed = true;
				}
	for (i = 0; i < N; i++)
		if (symbol_of(p, w, i) == -2)
			return false;
	return true;
}

/* The number of classes that have a symbol. */
static int
n_labelled(const struct plain *p, const struct cscg_walk *w)
{
	int t, i, n = 0;

	for (t = 0; t < N; t++) {
		for (i = 0; i < t && p->class[i] != p->class[t]; i++)
			;
		n += i == t && symbol_of(p, w, t) >= 0;
	}
	return n;
}

/* The same classes, sizes and labels? */
static bool
same(const struct cscg_merge_sets *f, const struct plain *p,
    const struct cscg_walk *w)
{
	int i, j;

	for (i = 0; i < N; i++) {
		int r = cscg_merge_sets_find(f, i), size = 0;

		for (j = 0; j < N; j++) {
			size += p->class[i] == p->class[j];
			if ((r == cscg_merge_sets_find(f, j)) !=
			    (p->class[i] == p->class[j]))
				return false;
		}
		if (f->size[r] != size || f->label[r] != symbol_of(p, w, i))
			return false;
	}
	return true;
}

/* ---- merges ---- */

/*
 * Merges of random pairs.  Every agreement has e nats: the evidence of a merge is e
 * for each class with a symbol that disappears, whatever the order of the merges.
 * Below the limit it is 0, unless red states are distinct.
 */
static void
merges(float e, bool distinct, double each)
{
	int seed, i, wrong = 0, joined = 0, refused = 0;
	struct cscg_rng rng;

	for (seed = 0; seed < WALKS; seed++) {
		struct cscg_merge_sets f;
		struct cscg_walk *w;
		struct plain p, q;

		cscg_rng_seed(&rng, (uint64_t)seed, CSCG_RNG_TEST, 0, 12);
		w = new_walk(&rng);
		new_sets(&f, w, e);
		f.reds_distinct = distinct;
		for (i = 0; i < N; i++)
			p.class[i] = i;
		for (i = 0; i < 6; i++) {
			int u = (int)cscg_rng_below(&rng, N),
			    v = (int)cscg_rng_below(&rng, N), can, rc;
			size_t mark = f.n_log;
			double nats = 0;

			q = p;
			can = plain_union(&q, w, u, v);
			wrong += cscg_merge_sets_can_merge(&f, u, v, &err) !=
				can ||
			    f.n_log != mark || !same(&f, &p, w);
			rc = cscg_merge_sets_union(&f, u, v, &nats, &err);
			wrong += rc != can;
			if (rc == 1) {
				wrong += !same(&f, &q, w) ||
				    !near(nats,
					each *
					    (n_labelled(&p, w) -
						n_labelled(&q, w)),
					1e-6);
				joined++;
				p = q;
			} else {
				cscg_merge_sets_undo(&f, mark);
				wrong += !same(&f, &p, w);
				refused++;
			}
		}
		cscg_merge_sets_undo(&f, 0);
		for (i = 0; i < N; i++)
			p.class[i] = i;
		wrong += !same(&f, &p, w) || f.n_log;
		cscg_merge_sets_free(&f);
		cscg_walk_free(w);
	}
	ok(!wrong && joined > 100 && refused > 100,
	    "%g nats: %d merges and %d that contradict a symbol", (double)e,
	    joined, refused);
}

/* ---- agreement of single steps ---- */

/*
 * Equal actions from u and v on: 0 if two symbols differ.  An agreement counts the
 * smaller evidence of the two steps, from .4 on, or any if red states are distinct.
 */
static int
plain_agreement(const struct cscg_merge_sets *f, int u, int v, long pairs,
    double *nats)
{
	const struct cscg_walk *w = f->w;
	long n;

	*nats = 0;
	for (n = 1; n < pairs; n++) {
		if (w->x[u] >= 0 && w->x[v] >= 0) {
			double e = fmin(f->evidence[u], f->evidence[v]);

			if (w->x[u] != w->x[v])
				return 0;
			*nats += e >= .4f || f->reds_distinct ? e : 0;
		}
		if (u == v || w->a[u] < 0 || w->a[u] != w->a[v])
			return 1;
		u++;
		v++;
	}
	return 1;
}

static void
agreements(void)
{
	int seed, u, v, wrong = 0, agree = 0;
	struct cscg_rng rng;
	long pairs;

	for (seed = 0; seed < WALKS; seed++) {
		struct cscg_merge_sets f;
		struct cscg_walk *w;

		cscg_rng_seed(&rng, (uint64_t)seed, CSCG_RNG_TEST, 0, 13);
		w = new_walk(&rng);
		new_sets(&f, w, 1.5);
		for (u = 0; u < N; u++)
			f.evidence[u] = (float)cscg_rng_below(&rng, 8) / 5;
		f.reds_distinct = seed % 4 == 0;
		for (u = 0; u < N; u++)
			for (v = 0; v < N; v++) {
				double nats = -1, want;
				int rc;

				pairs = 2 + (u + v) % 4 * 30;
				rc = cscg_merge_sets_agreement(&f, u, v, pairs,
				    &nats, &err);
				wrong += rc !=
				    plain_agreement(&f, u, v, pairs, &want);
				wrong += rc == 1 && !near(nats, want, 1e-6);
				agree += rc == 1 && nats > 1;
			}
		cscg_merge_sets_free(&f);
		cscg_walk_free(w);
	}
	ok(!wrong && agree > 100, "evidence along equal actions (%d)", agree);
}

/* ---- red states ---- */

/* The number of classes with a red step. */
static int
n_red(const struct plain *p, const bool *red)
{
	int i, j, n = 0;

	for (i = 0; i < N; i++) {
		for (j = 0; red[i] && j < i; j++)
			if (red[j] && p->class[i] == p->class[j])
				break;
		n += red[i] && j == i;
	}
	return n;
}

/*
 * The root of a class is a red step, if it has one; otherwise the larger class keeps
 * its root, so that a path to the root is short.
 */
static bool
roots_right(const struct cscg_merge_sets *f, const struct plain *p,
    const bool *red)
{
	int t, v, i, n;

	for (t = 0; t < N; t++) {
		bool has_red = false;

		for (i = 0; i < N; i++)
			has_red |= red[i] && p->class[i] == p->class[t];
		for (v = t, n = 1; f->parent[v] != v; v = f->parent[v])
			n *= 2;
		if (has_red ? !red[v] : n > f->size[v])
			return false;
	}
	return true;
}

/* Numbers by symbol and first visit; states without a symbol have none. */
static void
numbers(void)
{
	int seed, i, t, x, wrong = 0, most = 0;
	struct cscg_rng rng;

	for (seed = 0; seed < WALKS; seed++) {
		struct cscg_merge_sets f;
		struct cscg_walk *w;
		struct cscg_merge *out;
		struct plain p;
		bool red[N] = { 0 };
		int state[N], symbol[N], n = 0, assigned = 0, sum = 0;
		int n_added = 0, listed = 0;
		bool merged = false;

		cscg_rng_seed(&rng, (uint64_t)seed, CSCG_RNG_TEST, 0, 14);
		w = new_walk(&rng);
		new_sets(&f, w, 1);
		for (i = 0; i < N; i++) {
			p.class[i] = i;
			state[i] = -1;
		}
		/* Red before the merges, some of which join red states. */
		for (i = 0; i < 6; i++) {
			t = (int)cscg_rng_below(&rng, N);
			if (f.red[t])
				continue;
			red[t] = true;
			n_added++;
			need(cscg_merge_sets_add_red(&f, t, &err) < 0 ? NULL :
									w);
		}
		for (i = 0; i < 4; i++) {
			int u = (int)cscg_rng_below(&rng, N),
			    v = (int)cscg_rng_below(&rng, N);
			struct plain q = p;

			if (!plain_union(&q, w, u, v))
				continue;
			/* Distinct red states cannot be merged. */
			f.reds_distinct = true;
			wrong += cscg_merge_sets_can_merge(&f, u, v, &err) !=
			    (n_red(&q, red) == n_red(&p, red));
			f.reds_distinct = false;
			wrong += f.reds_merged != merged;
			p = q;
			need(cscg_merge_sets_union(&f, u, v, NULL, &err) < 1 ?
				NULL :
				w);
			merged |= n_red(&p, red) < n_added;
			wrong += f.reds_merged != merged;
		}
		wrong += !roots_right(&f, &p, red);
		/* Listed by label when they became red. */
		for (x = -1; x < K; x++)
			for (t = 0; t < (int)f.by_label[1 + x].n; t++) {
				listed++;
				wrong += w->x[f.by_label[1 + x].v[t]] != x;
			}
		wrong += listed != n_added || (int)f.reds.n != n_added;
		cscg_merge_sets_refresh(&f);
		wrong += f.reds_merged || (int)f.reds.n != n_red(&p, red);
		out = need(cscg_merge_sets_number(&f, &err));
		for (t = 0; t < N; t++) {
			bool is_red = false;

			for (i = 0; i < N; i++)
				is_red |= red[i] && p.class[i] == p.class[t];
			sum += is_red;
			wrong += f.red[cscg_merge_sets_find(&f, t)] != is_red;
			if (!is_red)
				p.class[t] = -1;
		}
		for (x = 0; x < K; x++)
			for (t = 0; t < N; t++)
				if (p.class[t] >= 0 && state[t] < 0 &&
				    symbol_of(&p, w, t) == x) {
					for (i = 0; i < N; i++)
						if (p.class[i] == p.class[t])
							state[i] = n;
					symbol[n++] = x;
				}
		for (t = 0; t < N; t++) {
			assigned += state[t] >= 0;
			wrong += out->state[t] != state[t];
		}
		wrong += out->n_states != n ||
		    memcmp(out->symbol, symbol, (size_t)n * sizeof *symbol) ||
		    !near(out->assigned, (double)assigned / N, 1e-12) ||
		    !near(cscg_merge_sets_assigned(&f), (double)sum / N,
			1e-12) ||
		    !near(out->cost,
			n * log(N) / 2 + (N - assigned) * f.entropy, 1e-9);
		most = n > most ? n : most;
		cscg_merge_free(out);
		cscg_merge_sets_free(&f);
		cscg_walk_free(w);
	}
	ok(!wrong && most > 3, "states by symbol and first visit (up to %d)",
	    most);
}

/* ---- a new partition ---- */

/* -ln P(x[t] | x[t - 1], a[t - 1]) by counting, 0 where something is unknown. */
static void
probabilities(void)
{
	int seed, t, u, wrong = 0, some = 0;
	struct cscg_rng rng;

	for (seed = 0; seed < WALKS; seed++) {
		struct cscg_merge_sets f = { 0 };
		struct cscg_walk *w;
		double sum = 0;

		cscg_rng_seed(&rng, (uint64_t)seed, CSCG_RNG_TEST, 0, 15);
		w = new_walk(&rng);
		need(cscg_merge_sets_new(&f, w, &err) < 0 ? NULL : w);
		for (t = 0; t < N; t++) {
			int all = 0, equal = 0;
			double want;

			for (u = 1; u < N; u++) {
				if (t == 0 || w->a[u - 1] < 0 ||
				    w->a[u - 1] != w->a[t - 1] ||
				    w->x[u - 1] < 0 || w->x[u] < 0 ||
				    w->x[u - 1] != w->x[t - 1])
					continue;
				all++;
				equal += w->x[u] == w->x[t];
			}
			want = equal ? log((double)all / equal) : 0;
			sum += want / N;
			some += want > 0;
			wrong += !near(f.evidence[t], want, 1e-5);
			wrong += f.next[t * A] !=
				(w->a[t] == 0 ? t + 1 : -1) ||
			    f.next[t * A + 1] != (w->a[t] == 1 ? t + 1 : -1);
		}
		wrong += !near(f.entropy, sum, 1e-5) ||
		    !near(f.min_nats, log(N) + 8, 1e-12);
		cscg_merge_sets_free(&f);
		cscg_walk_free(w);
	}
	ok(!wrong && some > 100,
	    "evidence is the probability of a symbol (%d)", some);
}

/* ---- inverse actions ---- */

enum { NODES = 4 };

/*
 * A line of nodes: the two actions are inverse to each other, and blocked at its ends.
 * Some symbols are missing or wrong.
 */
static struct cscg_walk *
line_walk(struct cscg_rng *rng, int wrong, char *blocked)
{
	struct cscg_walk_header head = { .n_actions = A, .n_obs = K };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	int obs[NODES], t, v = (int)cscg_rng_below(rng, NODES), x, a, n[2];

	for (t = 0; t < NODES; t++)
		obs[t] = (int)cscg_rng_below(rng, K);
	for (x = 0; x < K; x++)
		for (a = 0; a < A; a++) {
			for (n[0] = n[1] = t = 0; t < NODES; t++)
				if (obs[t] == x)
					n[t == (a ? 0 : NODES - 1)]++;
			blocked[x * A + a] = n[0] && !n[1] ?
			    CSCG_BLOCKED_NEVER :
			    n[1] && !n[0] ? CSCG_BLOCKED_ALWAYS :
					    CSCG_BLOCKED_UNKNOWN;
		}
	for (t = 0; t < N; t++) {
		struct cscg_step s = { .x = obs[v],
			.a = t == N / 2 || t == N - 1 ?
			    -1 :
			    (int)cscg_rng_below(rng, A),
			.z = -1,
			.goal = -1,
			.r = NAN };

		if (cscg_rng_below(rng, 8) == 0)
			s.x = -1;
		if ((int)cscg_rng_below(rng, 100) < wrong)
			s.x = (int)cscg_rng_below(rng, K);
		need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
		v = s.a < 0 ? (int)cscg_rng_below(rng, NODES) :
		    s.a     ? v - (v > 0) :
			      v + (v < NODES - 1);
	}
	return w;
}

/*
 * All merges that inverse actions imply: 0 if two symbols differ.  changed[t]: the
 * transition from t to t + 1 changes the state.
 */
static bool
plain_inverses(struct plain *p, const struct cscg_walk *w, const char *blocked,
    bool *changed)
{
	bool more = true;
	int i, j, t;

	for (t = 0; t < N; t++) {
		int x = w->x[t], a = w->a[t], what;

		p->class[t] = t;
		changed[t] = false;
		if (a < 0 || x < 0 || w->x[t + 1] < 0)
			continue;
		what = blocked ? blocked[x * A + a] : CSCG_BLOCKED_UNKNOWN;
		changed[t] = x != w->x[t + 1] || what == CSCG_BLOCKED_NEVER;
	}
	for (t = 0; t < N; t++)
		if (w->a[t] >= 0 && w->x[t] >= 0 && w->x[t + 1] == w->x[t] &&
		    blocked &&
		    blocked[w->x[t] * A + w->a[t]] == CSCG_BLOCKED_ALWAYS)
			rename_class(p, p->class[t + 1], p -> class[t]);
	while (more)
		for (more = false, i = 0; i < N; i++)
			for (j = 0; j < N; j++) {
				int k;

				/* Forward and back, in each combination. */
				for (k = 0; k < 4; k++) {
					int u = k & 1 ? i + 1 : i,
					    v = k & 2 ? j + 1 : j,
					    a = k & 1 ? 1 - w->a[i] : w->a[i],
					    b = k & 2 ? 1 - w->a[j] : w->a[j],
					    s = k & 1 ? i : i + 1,
					    r = k & 2 ? j : j + 1;

					if (w->a[i] < 0 || w->a[j] < 0 ||
					    (k & 1 && !changed[i]) ||
					    (k & 2 && !changed[j]) || a != b ||
					    p->class[u] != p->class[v] ||
					    p->class[s] == p->class[r])
						continue;
					rename_class(p, p->class[s],
					    p -> class[r]);
					more = true;
				}
			}
	for (i = 0; i < N; i++)
		if (symbol_of(p, w, i) == -2)
			return false;
	return true;
}

static void
inverses(void)
{
	int seed, t, wrong = 0, count[3] = { 0 };
	struct cscg_rng rng;

	for (seed = 0; seed < 3 * WALKS; seed++) {
		bool changed[N], is_right = true, use_blocked = seed % 3 > 0;
		struct cscg_merge_sets f;
		struct cscg_walk *w;
		struct plain p;
		char blocked[K * A];
		int rc;

		cscg_rng_seed(&rng, (uint64_t)seed, CSCG_RNG_TEST, 0, 16);
		w = line_walk(&rng, seed % 5 ? 0 : 10, blocked);
		if (seed % 7 == 0) /* wrong about the walls */
			blocked[seed % (K * A)] = CSCG_BLOCKED_ALWAYS;
		new_sets(&f, w, 1);
		f.has_inverses = true;
		f.inverse[0] = 1;
		f.inverse[1] = 0;
		f.has_blocked = use_blocked;
		memcpy(f.blocked, blocked, sizeof blocked);
		if (use_blocked && !plain_inverses(&p, w, blocked, changed))
			use_blocked = false;
		if (!use_blocked)
			is_right = plain_inverses(&p, w, NULL, changed);
		if (!is_right)
			for (t = 0; t < N; t++)
				p.class[t] = t;
		rc = cscg_merge_sets_apply_inverses(&f, &err);
		wrong += rc != is_right || f.n_log ||
		    f.has_inverses != is_right ||
		    f.has_blocked != use_blocked || !same(&f, &p, w);
		for (t = 0; is_right && t < N; t++)
			wrong += changed[t] &&
			    cscg_merge_sets_successor(&f,
				cscg_merge_sets_find(&f, t + 1),
				1 - w->a[t]) != cscg_merge_sets_find(&f, t);
		count[is_right ? use_blocked : 2]++;
		cscg_merge_sets_free(&f);
		cscg_walk_free(w);
	}
	ok(!wrong && count[0] > 50 && count[1] > 50 && count[2] > 50,
	    "inverse actions: %d walks, %d with walls, %d contradicted",
	    count[0], count[1], count[2]);
}

/* ---- landmarks ---- */

/* Whether t has a context of k actions: their steps, and all symbols. */
static bool
has_context(const struct cscg_walk *w, int t, int k)
{
	int i;

	for (i = 0; i <= k; i++)
		if (t < i || w->x[t - i] < 0 || (i && w->a[t - i] < 0))
			return false;
	return true;
}

static bool
same_context(const struct cscg_walk *w, int t, int u, int k)
{
	int i;

	for (i = 0; i <= k; i++)
		if (w->x[t - i] != w->x[u - i] ||
		    (i && w->a[t - i] != w->a[u - i]))
			return false;
	return true;
}

/* A step after those of the class of t by action a, or -1. */
static int
plain_successor(const struct plain *p, const struct cscg_walk *w, int t, int a)
{
	int i;

	for (i = 0; i < N; i++)
		if (p->class[i] == p->class[t] && w->a[i] == a)
			return i + 1;
	return -1;
}

/*
 * The classes of u and v along equal actions: 0 if two symbols differ, else one nat
 * for each pair of classes that are new on both sides.
 */
static bool
classes_agree(const struct plain *p, const struct cscg_walk *w, int u, int v,
    double *nats)
{
	bool left[N] = { 0 }, right[N] = { 0 }, is_new[2];
	int todo[4 * N * N][2] = { { u, v } }, head, tail = 1, a;

	for (head = *nats = 0; head < tail; head++) {
		int x, y;

		u = todo[head][0];
		v = todo[head][1];
		x = symbol_of(p, w, u);
		y = symbol_of(p, w, v);
		if (x >= 0 && y >= 0 && x != y)
			return false;
		is_new[0] = !left[p->class[u]];
		is_new[1] = !right[p->class[v]];
		left[p->class[u]] = right[p->class[v]] = true;
		*nats += is_new[0] && is_new[1] && x >= 0 && y >= 0;
		if (p->class[u] == p->class[v] || !(is_new[0] || is_new[1]))
			continue;
		for (a = 0; a < A; a++) {
			int s = plain_successor(p, w, u, a),
			    r = plain_successor(p, w, v, a);

			if (s < 0 || r < 0)
				continue;
			todo[tail][0] = s;
			todo[tail++][1] = r;
		}
	}
	return true;
}

/* Evidence of classes: after a few merges, from every pair of steps. */
static void
class_agreements(void)
{
	int seed, i, u, v, wrong = 0, agree = 0;
	struct cscg_rng rng;

	for (seed = 0; seed < WALKS; seed++) {
		struct cscg_merge_sets f;
		struct cscg_walk *w;
		struct plain p;

		cscg_rng_seed(&rng, (uint64_t)seed, CSCG_RNG_TEST, 0, 17);
		w = new_walk(&rng);
		new_sets(&f, w, 1);
		for (i = 0; i < N; i++)
			p.class[i] = i;
		for (i = 0; i < 4; i++) {
			struct plain q = p;

			u = (int)cscg_rng_below(&rng, N);
			v = (int)cscg_rng_below(&rng, N);
			if (!plain_union(&q, w, u, v))
				continue;
			p = q;
			cscg_merge_sets_union(&f, u, v, NULL, &err);
		}
		for (u = 0; u < N; u++)
			for (v = 0; v < N; v++) {
				double nats = -1, want;
				int rc = cscg_merge_sets_agreement(&f, u, v,
				    1000, &nats, &err);

				wrong += rc !=
				    classes_agree(&p, w, u, v, &want);
				wrong += rc == 1 && !near(nats, want, 1e-6);
				agree += rc == 1 && nats > 2;
			}
		cscg_merge_sets_free(&f);
		cscg_walk_free(w);
	}
	ok(!wrong && agree > 100, "evidence of merged states (%d)", agree);
}

/*
 * The occurrences of a context become one red state if they agree, with enough
 * evidence; contexts are tried in the order of their hashes.
 */
static long
plain_landmarks(struct plain *p, const struct cscg_merge_sets *f, int k,
    double min_nats, bool *red)
{
	const struct cscg_walk *w = f->w;
	uint64_t last = 0, next;
	bool listed[N] = { 0 };
	long n, most = 0;
	int t, i;

	for (t = 0; t < N; t++) {
		listed[t] = has_context(w, t, k);
		for (i = 0; i < N; i++)
			if (red[i] && p->class[i] == p->class[t])
				listed[t] = false;
	}
	for (;; last = next) {
		struct plain q = *p;
		bool is_right = true;
		double nats, sum = 0;
		int first = -1;

		for (next = n = t = 0; t < N; t++)
			if (listed[t] && f->context[t] > last &&
			    (!next || f->context[t] < next))
				next = f->context[t];
		if (!next)
			return most;
		for (t = 0; t < N; t++) {
			if (!listed[t] || f->context[t] != next)
				continue;
			n++;
			if (first < 0)
				first = t;
			else if (is_right) {
				is_right = classes_agree(&q, w, first, t,
				    &nats);
				sum += nats;
				is_right = is_right &&
				    plain_union(&q, w, first, t);
			}
		}
		most = n > most ? n : most;
		if (n > 1 && is_right && sum >= min_nats) {
			*p = q;
			red[first] = true;
		}
	}
}

static void
landmarks(void)
{
	int seed, i, k, t, u, wrong = 0, some[3] = { 0 };
	struct cscg_rng rng;

	for (seed = 0; seed < WALKS; seed++) {
		struct cscg_merge_sets f;
		struct cscg_walk *w;
		struct plain p;
		bool red[N] = { 0 };
		char blocked[K * A];

		cscg_rng_seed(&rng, (uint64_t)seed, CSCG_RNG_TEST, 0, 18);
		w = line_walk(&rng, 0, blocked);
		new_sets(&f, w, 1);
		f.min_nats = 1;
		for (t = 0; t < N; t++)
			p.class[t] = t;
		for (k = 0; k < 3; k++) {
			long most = cscg_merge_sets_landmarks(&f, k, 2, &err);

			wrong += most != plain_landmarks(&p, &f, k, 2, red) ||
			    !same(&f, &p, w) || f.reds_merged ||
			    (int)f.reds.n != n_red(&p, red);
			for (t = 0; t < N; t++) {
				bool is_red = false,
				     has = has_context(w, t, k);

				for (i = 0; i < N; i++)
					is_red |= red[i] &&
					    p.class[i] == p.class[t];
				wrong += f.red[cscg_merge_sets_find(&f, t)] !=
				    is_red;
				wrong += has != (f.context[t] != 0);
				for (u = 0; has && u < t; u++)
					wrong += has_context(w, u, k) &&
					    same_context(w, t, u, k) !=
						(f.context[t] == f.context[u]);
				some[k] += is_red;
			}
		}
		cscg_merge_sets_free(&f);
		cscg_walk_free(w);
	}
	ok(!wrong && some[0] > 100 && some[1] > some[0] + 100 &&
		some[2] > some[1],
	    "landmarks of 0, 1 and 2 actions: %d, %d, %d steps", some[0],
	    some[1], some[2]);
}

/*
 * Steps 1 and 5 are one red state, which steps 0 and 4 lead to by the same action.  If
 * these two are merged, that is evidence twice: their symbols agree, and so do those
 * of their successors, which are known to be one state.
 */
static void
confirmed(void)
{
	static const int x[] = { 0, 1, 2, 1, 0, 1 }, a[] = { 0, 1, 1, 0, 0 };
	struct cscg_walk *w = hand_walk(2, 3, 6, x, a);
	struct cscg_merge_sets f = { 0 };
	double nats = 0;
	int i;

	need(cscg_merge_sets_new(&f, w, &err) < 0 ? NULL : w);
	for (i = 0; i < 6; i++)
		f.evidence[i] = 1;
	/* 1 and 5 are one red state, to which 0 and 4 lead. */
	need(cscg_merge_sets_union(&f, 1, 5, NULL, &err) < 1 ||
		    cscg_merge_sets_add_red(&f, 1, &err) < 0 ?
		NULL :
		w);
	i = cscg_merge_sets_union(&f, 0, 4, &nats, &err);
	ok(i == 1 && nats == 2,
	    "an agreement on a known state is evidence: %g", nats);
	/* Step 3 was part of no red state before. */
	nats = 0;
	i = cscg_merge_sets_union(&f, 3, 1, &nats, &err);
	ok(i == 1 && nats == 1 && cscg_merge_sets_find(&f, 3) == 1,
	    "a state that has just become red is counted once: %g", nats);
	cscg_merge_sets_free(&f);
	cscg_walk_free(w);
}

/* 2^28 pairs of step and action at most. */
static void
sizes(void)
{
	struct cscg_walk w = { .n_steps = (1L << 28) / 3,
		.head = { .n_actions = 3 } };
	bool fits = cscg_merge_sets_fits(&w);

	w.n_steps++;
	ok(fits && !cscg_merge_sets_fits(&w), "walks that are not too long");
}

int
main(void)
{
	merges(2, false, 2);
	merges(.01f, false, 0);
	merges(.01f, true, .01f);
	agreements();
	numbers();
	probabilities();
	inverses();
	class_agreements();
	landmarks();
	confirmed();
	sizes();
	return done();
}
