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

/* Equal actions from u and v on: 0 if two symbols differ. */
static int
plain_agreement(const struct cscg_walk *w, int u, int v, long pairs,
    double *nats)
{
	long n;

	*nats = 0;
	for (n = 1; n < pairs; n++) {
		if (w->x[u] >= 0 && w->x[v] >= 0) {
			if (w->x[u] != w->x[v])
				return 0;
			*nats += 1.5;
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
			for (v = 0; v < N; v++) {
				double nats = -1, want;
				int rc;

				pairs = 2 + (u + v) % 4 * 30;
				rc = cscg_merge_sets_agreement(&f, u, v, pairs,
				    &nats, &err);
				wrong += rc !=
				    plain_agreement(w, u, v, pairs, &want);
				wrong += rc == 1 && !near(nats, want, 1e-6);
				agree += rc == 1 && nats > 2;
			}
		cscg_merge_sets_free(&f);
		cscg_walk_free(w);
	}
	ok(!wrong && agree > 100, "evidence along equal actions (%d)", agree);
}

/* ---- red states ---- */

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
			need(cscg_merge_sets_add_red(&f, t, &err) < 0 ? NULL :
									w);
		}
		for (i = 0; i < 4; i++) {
			int u = (int)cscg_rng_below(&rng, N),
			    v = (int)cscg_rng_below(&rng, N);
			struct plain q = p;

			if (!plain_union(&q, w, u, v))
				continue;
			p = q;
			need(cscg_merge_sets_union(&f, u, v, NULL, &err) < 1 ?
				NULL :
				w);
		}
		cscg_merge_sets_refresh(&f);
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
	sizes();
	return done();
}
