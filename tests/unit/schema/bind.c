/*
 * bind.c - updates of E against enumeration, initial emissions, shared tables and
 * memory, and grounding
 *
 * Updates are also tested in ladder.c, golden.c and bind_reference.c.
 */
#include <stdlib.h>
#include <string.h>

#include "schema/bind.h"
#include "schema/ground.h"
#include "schema/track.h"
#include "kernel/cpu.h"
#include "base/mem.h"
#include "tap.h"
#include "walker.h"

/* Schema of a room, and a walk in it. */
struct world {
	struct cscg_room *room;
	struct cscg_model *m;
	struct cscg_walk *w;
	size_t S, K;
	double *E, *pi, *E2, *pi2;
};

static double *
reals(size_t n)
{
	return need(cscg_alloc(n, sizeof(double), &err));
}

static struct world
world(enum cscg_shape_kind kind, int rows, int cols, const struct walker *how)
{
	struct world o = { .room = shape_room(kind, rows, cols) };

	o.m = need(cscg_room_model(o.room, 100, 1e-4, NULL, &err));
	cscg_model_unground(o.m, CSCG_CLONES);
	o.w = walk_in(o.room, how);
	o.S = (size_t)o.m->n_states;
	o.K = (size_t)o.w->head.n_obs;
	o.E = reals(o.S * o.K);
	o.E2 = reals(o.S * o.K);
	o.pi = reals(o.S);
	o.pi2 = reals(o.S);
	return o;
}

static void
world_free(struct world *o)
{
	cscg_room_free(o->room);
	cscg_model_free(o->m);
	cscg_walk_free(o->w);
	free(o->E);
	free(o->E2);
	free(o->pi);
	free(o->pi2);
}

/* Are results the same to the last bit? */
static int
same(const struct world *o)
{
	return !memcmp(o->E, o->E2, o->S * o->K * sizeof *o->E) &&
	    !memcmp(o->pi, o->pi2, o->S * sizeof *o->pi);
}

/* ---- updates by enumeration ---- */

/* States, symbols (the last is never observed), actions, and steps of an episode. */
enum { BS = 4, BK = 4, BA = 2, BN = 5, EPISODES = 2 };

struct brute_case {
	const char *name;
	bool tied, learn_pi, keeps;
	double misread, pseudocount;
};

/*
 * One update of E and pi by all paths of each episode.  Returns the log-likelihood
 * under the old ones, and adds the log prior to *objective.
 */
static double
brute_update(const struct cscg_model *m, const struct cscg_walk *w,
    const struct brute_case *c, double *E, double *pi, double *objective)
{
	double visits[BS][BK] = { 0 }, start[BS] = { 0 }, loglik = 0, sum;
	int e, t, i, j, x, k, path, z[BN];

	for (e = 0; e < EPISODES; e++) {
		double all = 0, part[BS][BK] = { 0 }, first[BS] = { 0 };

		for (path = 0; path < 1 << 2 * BN; path++) {
			double p = 1;

			for (t = 0; t < BN; t++) {
				long at = w->start[e] + t;

				z[t] = path >> 2 * t & 3;
				p *= t ? cscg_model_T(m, w->a[at - 1],
					     z[t - 1], z[t]) :
					 pi[z[0]];
				if (w->x[at] >= 0)
					p *= (1 - c->misread) *
						E[z[t] * BK + w->x[at]] +
					    c->misread / BK;
			}
			all += p;
			first[z[0]] += p;
			for (t = 0; t < BN; t++) {
				double own;

				x = w->x[w->start[e] + t];
				if (x < 0)
					continue;
				/* A symbol that was misread is no evidence. */
				own = (1 - c->misread) * E[z[t] * BK + x];
				part[z[t]][x] += p * own /
				    (own + c->misread / BK);
			}
		}
		loglik += log(all);
		for (j = 0; j < BS; j++) {
			start[j] += first[j] / all;
			for (x = 0; x < BK; x++)
				visits[j][x] += part[j][x] / all;
		}
	}
	*objective = loglik;
	for (j = 0; j < BS; j++)
		for (x = 0; x < BK; x++)
			if (!c->tied || j % 2 == 0)
				*objective += c->pseudocount *
				    log(E[j * BK + x]);
	for (j = 0; j < BS; j++) {
		/* Groups are states 0 and 1, and 2 and 3. */
		int from = c->tied ? j / 2 * 2 : j,
		    to = c->tied ? from + 2 : j + 1;
		double row[BK];

		if (c->keeps && j < 2)
			continue;
		for (sum = 0, x = 0; x < BK; x++) {
			row[x] = c->pseudocount;
			for (k = from; k < to; k++)
				row[x] += visits[k][x];
			sum += row[x];
		}
		for (x = 0; x < BK; x++)
			E[j * BK + x] = row[x] / sum;
	}
	for (sum = 0, i = 0; i < BS; i++)
		sum += start[i];
	for (i = 0; i < BS && c->learn_pi; i++)
		pi[i] = start[i] / sum;
	return loglik;
}

struct lines {
	struct cscg_em_progress v[1000];
	int n;
};

static int
keep_line(void *ctx, const struct cscg_em_progress *line)
{
	struct lines *l = ctx;

	l->v[l->n++] = *line;
	return 0;
}

/* Random counts, some rows without; groups of two states. */
static struct cscg_model *
brute_schema(struct cscg_rng *rng)
{
	struct cscg_model *m = need(cscg_model_new(CSCG_CLONES, BS, BA, 2,
	    &err));
	struct cscg_count c[BA * BS * BS];
	long n = 0;
	int i;

	for (i = 0; i < BA * BS * BS; i++)
		if (cscg_rng_below(rng, 2))
			c[n++] = (struct cscg_count){ i / BS / BS, i / BS % BS,
				i % BS, 1 + (double)cscg_rng_below(rng, 5) };
	need(cscg_model_set_counts(m, c, n, &err) < 0 ? NULL : m);
	m->clone[2] = m->clone[3] = 1;
	m->pseudocount = .25;
	return m;
}

static void
test_brute(const struct brute_case *c)
{
	enum { UPDATES = 3, CASES = 10 };
	static const bool keep[BS] = { true, true, false, false };
	struct cscg_walk_header head = { .n_actions = BA, .n_obs = BK };
	double E[BS * BK], E2[BS * BK], pi[BS], pi2[BS], worst = 0, sum;
	int seed, i, j, right = 0;
	struct cscg_rng rng;

	for (seed = 0; seed < CASES; seed++) {
		struct cscg_walk *w = need(cscg_walk_new(&head, &err));
		struct lines said = { 0 };
		struct cscg_bind set = { .tied = c->tied,
			.learn_pi = c->learn_pi,
			.iterations = UPDATES,
			.pseudocount = c->pseudocount,
			.keep = c->keeps ? keep : NULL,
			.is_double = true,
			.report = keep_line,
			.ctx = &said };
		struct cscg_em_progress last;
		struct cscg_model *m;

		cscg_rng_seed(&rng, (uint64_t)seed, CSCG_RNG_TEST, 0, 9);
		m = brute_schema(&rng);
		m->misread = c->misread;
		for (i = 0; i < EPISODES * BN; i++) {
			struct cscg_step s = {
				.x = (int)cscg_rng_below(&rng, BK) - 1,
				.a = i % BN == BN - 1 ?
				    -1 :
				    (int)cscg_rng_below(&rng, BA),
				.z = -1,
				.goal = -1,
				.r = NAN
			};

			need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
		}
		cscg_bind_random_E(m, BK, c->tied, .5, &rng, E);
		right += c->tied == !memcmp(E, E + BK, sizeof E / BS) &&
		    c->tied ==
			!memcmp(E + 2 * BK, E + 3 * BK, sizeof E / BS) &&
		    memcmp(E, E + 2 * BK, sizeof E / BS);
		for (sum = 0, j = 0; j < BS; j++)
			sum += pi[j] = .5 + cscg_rng_uniform(&rng);
		for (j = 0; j < BS; j++)
			pi[j] /= sum;
		memcpy(E2, E, sizeof E);
		memcpy(pi2, pi, sizeof pi);
		need(cscg_bind(m, w, &set, E, pi, &last, &err) < 0 ? NULL : m);
		right += said.n == UPDATES + 1 && last.iteration == UPDATES &&
		    last.objective == said.v[UPDATES].objective;
		for (i = 0; i <= UPDATES; i++) {
			double old[BS * BK], was[BS], objective;

			memcpy(old, E2, sizeof old);
			memcpy(was, pi2, sizeof was);
			worst = fmax(worst,
			    fabs(brute_update(m, w, c, E2, pi2, &objective) -
				said.v[i].loglik));
			worst = fmax(worst,
			    fabs(objective - said.v[i].objective));
			if (i < UPDATES)
				continue;
			/* The last E-step is followed by no update. */
			for (j = 0; j < BS * BK; j++)
				worst = fmax(worst, fabs(old[j] - E[j]));
			for (j = 0; j < BS; j++)
				worst = fmax(worst, fabs(was[j] - pi[j]));
		}
		cscg_model_free(m);
		cscg_walk_free(w);
	}
	ok(right == 2 * CASES && worst < 1e-9,
	    "%s: updates as by all paths (%g)", c->name, worst);
}

/* Without a pseudocount, the row of a state that is never visited is uniform. */
static void
test_unvisited(void)
{
	static const struct cscg_count c[] = { { 0, 0, 0, 1 },
		{ 0, 1, 1, 1 } };
	struct cscg_walk_header head = { .n_actions = 1, .n_obs = 4 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_model *m = need(cscg_model_new(CSCG_SCHEMA, 2, 1, 1,
	    &err));
	struct cscg_bind set = { .iterations = 1, .is_double = true };
	double E[] = { .5, .25, .125, .125, .125, .125, .25, .5 };
	double pi[] = { 1, 0 };
	struct cscg_em_progress last;
	int t;

	need(cscg_model_set_counts(m, c, 2, &err) < 0 ? NULL : m);
	for (t = 0; t < 4; t++) {
		struct cscg_step s = { .x = t % 2 * 2,
			.a = t == 3 ? -1 : 0,
			.z = -1,
			.goal = -1,
			.r = NAN };

		need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
	}
	need(cscg_bind(m, w, &set, E, pi, &last, &err) < 0 ? NULL : m);
	ok(near(E[0], .5, 1e-12) && E[1] == 0 && near(E[2], .5, 1e-12) &&
		E[3] == 0 && E[4] == .25 && E[5] == .25 && E[6] == .25 &&
		E[7] == .25,
	    "a state that is never visited");
	cscg_model_free(m);
	cscg_walk_free(w);
}

/* ---- starts ---- */

static void
test_start(void)
{
	struct world o = world(CSCG_TORUS, 4, 5,
	    &(struct walker){ .n = 5, .seed = 1 });
	struct cscg_rng rng;
	double least = 1, most = 0, off = 0, drawn[64], sum;
	size_t j, x, k = o.K;
	int tied = 1;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 0);
	cscg_bind_random_E(o.m, (int)k, false, 0, &rng, o.E);
	for (j = 0; j < o.S * k; j++)
		off = fmax(off, fabs(o.E[j] - 1.0 / (double)k));
	ok(off < 1e-15, "without jitter all initial rows are uniform");
	cscg_rng_seed(&rng, 3, CSCG_RNG_TEST, 0, 0);
	cscg_bind_random_E(o.m, (int)k, false, 0.5, &rng, o.E);
	cscg_rng_seed(&rng, 3, CSCG_RNG_TEST, 0, 0);
	need(k > 64 ? NULL : &o);
	for (off = 0, j = 0; j < o.S; j++) {
		for (sum = 0, x = 0; x < k; x++)
			sum += drawn[x] = 1 + .5 * cscg_rng_uniform(&rng);
		for (x = 0; x < k; x++)
			off = fmax(off, fabs(o.E[j * k + x] - drawn[x] / sum));
	}
	ok(off < 1e-15, "an entry is 1 and half of a random number, scaled");
	cscg_bind_random_E(o.m, (int)k, true, 0.5, &rng, o.E);
	for (off = 0, j = 0; j < o.S; j++) {
		double *row = o.E + j * k;

		for (sum = 0, x = 0; x < k; x++) {
			sum += row[x];
			least = fmin(least, row[x]);
			most = fmax(most, row[x]);
		}
		off = fmax(off, fabs(sum - 1));
		if (j && o.m->clone[j] == o.m->clone[j - 1])
			tied &= !memcmp(row, row - k, k * sizeof *row);
		else if (j)
			tied &= !!memcmp(row, row - k, k * sizeof *row);
	}
	ok(off < 1e-12, "initial rows sum to one");
	ok(tied,
	    "tied: the states of a group share one row, groups have different "
	    "rows");
	/*
	 * Each entry is 1 to 1.5 before normalisation by a sum of k to 1.5 k.
	 */
	ok(least >= 1 / 1.5 / (double)k && most <= 1.5 / (double)k &&
		most > 1.2 * least,
	    "initial rows stay within the bounds of the jitter");
	world_free(&o);
}

/*
 * The best start is the best of the single starts, with any number of threads.
 */
static void
test_best(const struct cscg_simd *simd, bool tied, const char *name)
{
	struct world o = world(CSCG_CYLINDER, 5, 6,
	    &(struct walker){ .n = 60,
		.seed = 3,
		.episodes = 2,
		.dropout = 0.05,
		.reset = 0.02 });
	struct cscg_bind_starts starts = {
		.restarts = 7, .jitter = 0.1, .seed = 9, .key = 4, .threads = 1
	};
	struct lines one = { .n = 0 }, two = { .n = 0 };
	struct cscg_bind set = { .tied = tied,
		.learn_pi = true,
		.iterations = 12,
		.pseudocount = 1e-7,
		.simd = simd };
	struct cscg_em_progress line, last, best = { .objective = -INFINITY };
	long i, which, want = -1;
	size_t j;
	int differ = 0, threads;

	for (i = 0; i < starts.restarts; i++) {
		struct cscg_rng rng;

		cscg_rng_seed(&rng, 9, CSCG_RNG_BIND, (uint64_t)i, 4);
		cscg_bind_random_E(o.m, (int)o.K, tied, 0.1, &rng, o.E);
		for (j = 0; j < o.S; j++)
			o.pi[j] = 1.0 / (double)o.S;
		need(cscg_bind(o.m, o.w, &set, o.E, o.pi, &line, &err) < 0 ?
			NULL :
			o.E);
		differ += i && line.objective != best.objective;
		if (line.objective > best.objective) {
			best = line;
			want = i;
			memcpy(o.E2, o.E, o.S * o.K * sizeof *o.E);
			memcpy(o.pi2, o.pi, o.S * sizeof *o.pi);
		}
	}
	set.report = keep_line;
	set.ctx = &one;
	need(cscg_bind_restarts(o.m, o.w, &set, &starts, o.E, o.pi, &last,
		 &which, &err) < 0 ?
		NULL :
		o.E);
	ok(differ > 3 && which == want && last.objective == best.objective &&
		last.loglik == best.loglik && same(&o),
	    "%s, %s: start %ld of 7 is the best", name, tied ? "tied" : "free",
	    which);
	ok(one.n == 7 * 13 && one.v[12].iteration == 12 &&
		one.v[13].iteration == 0,
	    "all starts are reported");
	for (threads = 2; threads < 9; threads += 3) {
		starts.threads = threads;
		two.n = 0;
		set.ctx = &two;
		need(cscg_bind_restarts(o.m, o.w, &set, &starts, o.E, o.pi,
			 &last, &which, &err) < 0 ?
			NULL :
			o.E);
		ok(which == want && same(&o) && one.n == two.n &&
			!memcmp(one.v, two.v, (size_t)one.n * sizeof *one.v),
		    "%d threads: the same result and reports", threads);
	}
	world_free(&o);
}

static int
stop_first(void *ctx, const struct cscg_em_progress *line)
{
	int *n = ctx;

	++*n;
	return line->iteration == 1;
}

/* With one thread a report is made at once, and can end EM. */
static void
test_stop(void)
{
	struct world o = world(CSCG_RECTANGLE, 3, 4,
	    &(struct walker){ .n = 50, .seed = 5 });
	struct cscg_bind_starts starts = {
		.restarts = 3, .jitter = .1, .threads = 1
	};
	int n = 0;
	struct cscg_bind set = { .iterations = 9,
		.pseudocount = 1e-3,
		.report = stop_first,
		.ctx = &n };
	struct cscg_em_progress last;

	need(cscg_bind_restarts(o.m, o.w, &set, &starts, o.E, o.pi, &last,
		 NULL, &err) < 0 ?
		NULL :
		o.E);
	ok(n == 6 && last.iteration == 1,
	    "three starts end after an update: %d reports", n);
	world_free(&o);
}

static double *
visits_of(void *ctx, long t)
{
	const struct world *o = ctx;

	return o->w->x[t] < 0 ? NULL : o->E2 + (size_t)o->w->x[t] * o->S;
}

/* Expected visits by state and symbol are those of the passes. */
static void
test_visits(bool is_double)
{
	struct world o = world(CSCG_RECTANGLE, 3, 4,
	    &(struct walker){
		.n = 60, .seed = 6, .dropout = .1, .reset = .05 });
	struct cscg_bind set = { .is_double = is_double, .iterations = 7 };
	struct cscg_trans *tr = need(cscg_trans_schema(o.m, &cscg_plain_double,
	    &err));
	double *got = reals(o.S * o.K), loglik, sum = 0;
	struct cscg_sink sink = { .visits = visits_of, .ctx = &o };
	struct cscg_work work = { 0 };
	struct cscg_rng rng;
	size_t j, x;
	int bad = 0;
	long t;

	cscg_rng_seed(&rng, 2, CSCG_RNG_TEST, 0, 0);
	cscg_bind_random_E(o.m, (int)o.K, false, 2, &rng, o.E);
	for (j = 0; j < o.S; j++)
		o.pi[j] = 2 * (double)(j + 1) / (double)(o.S * (o.S + 1));
	memcpy(o.pi2, o.pi, o.S * sizeof *o.pi);
	need(cscg_trans_set_E(tr, o.E, (int)o.K, &err) < 0 ? NULL : tr);
	cscg_trans_set_pi(tr, o.pi);
	need(cscg_expect(tr, o.w, &work, &sink, &loglik, &err) < 0 ||
		    cscg_bind_visits(o.m, o.w, &set, o.E, o.pi, got, &err) <
			0 ?
		NULL :
		tr);
	for (j = 0; j < o.S; j++)
		for (x = 0; x < o.K; x++) {
			bad += !near(got[j * o.K + x], o.E2[x * o.S + j],
			    is_double ? 1e-9 : 1e-4);
			sum += got[j * o.K + x];
		}
	for (t = 0; t < o.w->n_steps; t++)
		sum -= o.w->x[t] >= 0;
	ok(!bad && fabs(sum) < 1e-4 &&
		!memcmp(o.pi, o.pi2, o.S * sizeof *o.pi),
	    "%s: visits of each state and symbol",
	    is_double ? "double" : "single");
	cscg_work_free(&work);
	cscg_trans_free(tr);
	free(got);
	world_free(&o);
}

/*
 * A schema without clone groups, and initial emissions that make the walk
 * impossible.
 */
static void
test_faults(void)
{
	struct world o = world(CSCG_RECTANGLE, 3, 4,
	    &(struct walker){ .n = 20, .seed = 5 });
	struct cscg_bind_starts starts = { .restarts = 3, .threads = 2 };
	struct cscg_bind set = { .tied = true, .iterations = 3 };
	struct cscg_em_progress last;
	size_t i;

	cscg_model_unground(o.m, CSCG_SCHEMA);
	ok(cscg_bind_restarts(o.m, o.w, &set, &starts, o.E, o.pi, &last, NULL,
	       &err) < 0 &&
		err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg,
		    "tied emissions need clone structure, which the schema "
		    "lacks"),
	    "a schema without clones cannot be tied");
	set.tied = false;
	for (i = 0; i < o.S; i++) {
		o.pi[i] = 1.0 / (double)o.S;
		o.E[i * o.K + (o.w->x[0] ? 0 : 1)] = 1;
	}
	ok(cscg_bind(o.m, o.w, &set, o.E, o.pi, &last, &err) < 0 &&
		err.code == CSCG_ERANGE,
	    "an initial E that excludes the first symbol is refused");
	world_free(&o);
}

/* ---- shared tables and memory ---- */

/*
 * Prefixes of growing and shrinking length, with separate or shared tables and
 * memory.
 */
static void
test_shared(const struct cscg_simd *simd)
{
	static const long lengths[] = { 1, 7, 200, 30, 31, 2 };
	struct world o = world(CSCG_TORUS, 5, 7,
	    &(struct walker){ .n = 200, .seed = 8 });
	struct cscg_bind_starts starts = {
		.restarts = 2, .jitter = 0.1, .threads = 1
	};
	struct cscg_bind own = { .iterations = 5,
		.pseudocount = 1e-7,
		.simd = simd },
			 shared = own;
	struct cscg_bind_work work = { .size = 0 };
	struct cscg_em_progress a, b;
	int i, equal = 0, grown = 0, small = 0;
	size_t was;

	shared.tr = need(cscg_trans_select(o.m, simd, false, &err));
	shared.work = &work;
	for (i = 0; i < 6; i++) {
		struct cscg_walk *part = need(cscg_walk_subset(o.w, 0, 1,
				     lengths[i], &err)),
				 view;
		long start[2];

		own.tied = shared.tied = i % 2;
		cscg_walk_slice(o.w, 0, 0, lengths[i], &view, start);
		/* What memory contains does not matter. */
		if (work.block)
			memset(work.block, i % 2 ? 0xff : 0x7f, work.size);
		need(cscg_bind_restarts(o.m, part, &own, &starts, o.E, o.pi,
			 &a, NULL, &err) < 0 ?
			NULL :
			o.E);
		need(cscg_bind_restarts(o.m, &view, &shared, &starts, o.E2,
			 o.pi2, &b, NULL, &err) < 0 ?
			NULL :
			o.E);
		equal += same(&o) && a.objective == b.objective;
		cscg_walk_free(part);
	}
	ok(equal == 6, "%s: shared tables and memory do not change the result",
	    simd ? simd->name : "plain");
	/* Walks that grow step by step are seldom given new memory. */
	cscg_bind_work_free(&work);
	for (i = 1; i < 40; i++) {
		struct cscg_walk view;
		long start[2];

		cscg_walk_slice(o.w, 0, 0, i, &view, start);
		was = work.size;
		need(cscg_bind(o.m, &view, &shared, o.E2, o.pi2, &b, &err) <
			    0 ?
			NULL :
			o.E);
		grown += was && work.size != was;
		small |= was && work.size != was && work.size < was + was / 2;
	}
	ok(grown > 0 && !small, "memory grows by half at least, %d times",
	    grown);
	cscg_bind_work_free(&work);
	ok(!work.block && !work.size, "freed memory is empty");
	cscg_trans_free((struct cscg_trans *)shared.tr);
	world_free(&o);
}

/*
 * An alphabet of 500 symbols of which few occur: the fast kernel omits the
 * others, the plain one does not.
 */
static void
test_alphabet(const struct cscg_simd *simd, bool tied)
{
	struct world o = world(CSCG_RECTANGLE, 4, 5,
	    &(struct walker){ .n = 80, .seed = 2, .dropout = 0.1 });
	struct cscg_bind plain = { .tied = tied,
		.learn_pi = tied,
		.iterations = 6,
		.pseudocount = 0.01,
		.is_double = true };
	struct cscg_bind fast = plain;
	struct cscg_bind_starts starts = {
		.restarts = 1, .jitter = 1, .threads = 1
	};
	struct cscg_em_progress a, b;
	size_t i, n = o.S * 500;
	double worst = 0;

	fast.is_double = false;
	fast.simd = simd;
	for (i = 0; i < (size_t)o.w->n_steps; i++)
		if (o.w->x[i] >= 0)
			o.w->x[i] = 499 - 3 * o.w->x[i];
	o.w->head.n_obs = 500;
	free(o.E);
	free(o.E2);
	o.E = reals(n);
	o.E2 = reals(n);
	need(cscg_bind_restarts(o.m, o.w, &plain, &starts, o.E, o.pi, &a, NULL,
		 &err) < 0 ?
		NULL :
		o.E);
	need(cscg_bind_restarts(o.m, o.w, &fast, &starts, o.E2, o.pi2, &b,
		 NULL, &err) < 0 ?
		NULL :
		o.E);
	for (i = 0; i < n; i++)
		worst = fmax(worst, fabs(o.E[i] - o.E2[i]));
	ok(worst < 1e-5 && near(b.loglik, a.loglik, 1e-6) &&
		near(b.objective, a.objective, 1e-6),
	    "%s, %s: a large alphabet (E off by %.1e)", simd->name,
	    tied ? "tied" : "free", worst);
	world_free(&o);
}

/*
 * All states of a torus are symmetric.  With little jitter the second update
 * gains almost nothing, which must not count as convergence.
 */
static void
test_saddle(void)
{
	struct world o = world(CSCG_TORUS, 6, 7,
	    &(struct walker){ .n = 400, .seed = 4 });
	struct cscg_bind_starts starts = {
		.restarts = 1, .jitter = 1e-9, .threads = 1
	};
	struct lines l = { .n = 0 };
	struct cscg_bind set = { .iterations = 200,
		.pseudocount = 1e-7,
		.tolerance = 1e-3,
		.is_double = true,
		.report = keep_line,
		.ctx = &l };
	struct cscg_em_progress last;
	double gain = 0;

	need(cscg_bind_restarts(o.m, o.w, &set, &starts, o.E, o.pi, &last,
		 NULL, &err) < 0 ?
		NULL :
		o.E);
	if (l.n > 2)
		gain = (l.v[2].objective - l.v[1].objective) /
		    fabs(l.v[2].objective);
	ok(l.n > 4 && gain < 1e-3,
	    "the second update gains %.1e of the objective", gain);
	/*
	 * A walk with correct emissions costs ln 42 nats for its start, and
	 * little more.
	 */
	ok(-last.loglik < 2 * log(42),
	    "a later update finds the torus: %.2f nats in %ld updates",
	    -last.loglik, last.iteration);
	ok(last.iteration < 100, "EM stops after it has found the torus");
	world_free(&o);
}

/* ---- grounding ---- */

static void
test_confidence(void)
{
	static const double E[] = { 0.2, 0.5, 0.3 };
	static const double never[] = { 0, 0, 0 }, once[] = { 0, 1, 0 };
	static const double often[] = { 0, 99, 0 }, mixed[] = { 1, 2, 1 };

	ok(near(cscg_ground_confidence(never, E, 3), 1.0 / 3, 1e-15),
	    "confidence of a state without visits is 1 / symbols");
	ok(near(cscg_ground_confidence(once, E, 3), (1 + 1.0 / 3) / 2, 1e-15),
	    "confidence of a state with one visit");
	ok(near(cscg_ground_confidence(often, E, 3), (99 + 1.0 / 3) / 100,
	       1e-15),
	    "confidence of a state with many equal observations");
	ok(near(cscg_ground_confidence(mixed, E, 3), (2 + 1.0 / 3) / 5, 1e-15),
	    "confidence of a state with different observations");
}

/*
 * A rectangle with a unique border: with tied emissions, EM finds them exactly.
 */
static void
test_ground(bool tied, bool learn_pi)
{
	static const char *const names[] = { "n0", "n1", "n2", "n3", "n4",
		"n5", "n6", "n7", "n8", "n9", "n10", "n11", "n12", "n13",
		"n14", NULL };
	struct world o = world(CSCG_RECTANGLE, 4, 5,
	    &(struct walker){ .n = 300, .seed = 6, .episodes = 3 });
	struct cscg_ground set = { .bind = { .tied = tied,
				       .learn_pi = learn_pi,
				       .iterations = 50,
				       .pseudocount = 1e-7,
				       .is_double = true },
		.starts = { .restarts = 5,
		    .jitter = 0.001,
		    .seed = 1,
		    .threads = 1 } };
	struct cscg_em_progress last;
	int j, right = 0, sure = 0;
	long which = -1;

	need(cscg_names_set(&o.w->head.symbols, names, &err) < 0 || o.K != 15 ?
		NULL :
		&o);
	if (!tied)
		cscg_model_unground(o.m, CSCG_SCHEMA);
	need(cscg_ground(o.m, o.w, &set, &last, &which, &err) < 0 ? NULL :
								    o.m);
	ok(cscg_model_check(o.m, &err) == 0 && o.m->kind == CSCG_GROUNDED &&
		o.m->n_obs == 15 && !strcmp(o.m->symbols.v[14], "n14"),
	    "%s, pi %s: the grounded model is valid", tied ? "tied" : "free",
	    learn_pi ? "learned" : "uniform");
	ok(!o.m->clone == !tied && !o.m->pi == !learn_pi,
	    "the model has clones if tied, and pi if learned");
	ok(o.m->fit_steps == 900 && o.m->fit_nats == -last.loglik / 900 &&
		which >= 0 && which < 5,
	    "the model has its fit");
	/*
	 * 20 states, of which 6 are in the middle; the schema's group is the
	 * symbol of the room, which has no other automorphism that preserves
	 * emissions.
	 */
	for (j = 0; tied && j < 20; j++) {
		right += cscg_model_E(o.m, j, o.m->clone[j]) > 0.99;
		sure += o.m->confidence[j] > 0.8;
	}
	ok(!tied || (right == 20 && sure == 20),
	    "all emissions are right (%d), with high confidence (%d)", right,
	    sure);
	world_free(&o);
}

/* From the true emissions: EM changes nothing. */
static void
test_init(void)
{
	struct world o = world(CSCG_RECTANGLE, 4, 5,
	    &(struct walker){ .n = 300, .seed = 6 });
	struct cscg_model *true_looks = need(cscg_room_model(o.room, 100, 1e-4,
			      NULL, &err)),
			  *other;
	struct cscg_ground set = { .bind = { .iterations = 0,
				       .pseudocount = 1e-7,
				       .is_double = true },
		.init = true_looks };
	struct cscg_em_progress last;

	need(cscg_ground(o.m, o.w, &set, &last, NULL, &err) < 0 ? NULL : o.m);
	/* The first step costs ln 20, the others almost nothing. */
	ok(near(-last.loglik, log(20), 0.01),
	    "the true emissions explain all steps but the first: %.3f nats",
	    -last.loglik);
	set.init = o.m;
	set.bind.iterations = 3;
	need(cscg_ground(o.m, o.w, &set, &last, NULL, &err) < 0 ? NULL : o.m);
	ok(near(-last.loglik, log(20), 0.01) && o.m->fit_steps == 300,
	    "a grounded model can be the start of binding itself");
	other = need(cscg_room_model(o.room, 100, 1e-4, NULL, &err));
	cscg_model_unground(other, CSCG_SCHEMA);
	set.init = other;
	ok(cscg_ground(o.m, o.w, &set, &last, NULL, &err) < 0 &&
		err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg,
		    "a grounded model is needed to start from, this is a "
		    "schema"),
	    "a schema as the start is refused");
	cscg_model_free(other);
	cscg_model_free(true_looks);
	world_free(&o);
}

/*
 * Without a pseudocount emissions can be 0: a state does not emit symbols that
 * it was not observed with; as initial emissions these make a walk impossible.
 */
static void
test_pseudocount(void)
{
	struct world small = world(CSCG_RECTANGLE, 3, 5,
			 &(struct walker){ .n = 5, .seed = 1 }),
		     o = world(CSCG_RECTANGLE, 4, 5,
			 &(struct walker){ .n = 300, .seed = 6 });
	struct cscg_model *true_looks = need(cscg_room_model(small.room, 100,
	    1e-4, NULL, &err));
	struct cscg_ground set = { .bind = { .iterations = 5, .simd = NULL },
		.init = true_looks };
	struct cscg_walk *one = hand_walk(o.m->n_actions, (int)o.K, 1,
	    (int[]){ 3 }, NULL);
	struct cscg_em_progress last;
	int j, certain = 0;

	ok(cscg_ground(small.m, o.w, &set, &last, NULL, &err) < 0 &&
		err.code == CSCG_ERANGE &&
		!strncmp(err.msg, "the schema cannot produce this walk", 35),
	    "initial emissions of 0 make the walk impossible: %s", err.msg);
	set.bind.pseudocount = 1e-7;
	cscg_model_free(small.m);
	small.m = need(cscg_room_model(small.room, 100, 1e-4, NULL, &err));
	ok(cscg_ground(small.m, o.w, &set, &last, NULL, &err) == 0,
	    "with a pseudocount it is possible");
	set = (struct cscg_ground){ .bind = { .iterations = 5 },
		.starts = { .restarts = 1, .jitter = 0.01, .threads = 1 } };
	cscg_model_unground(o.m, CSCG_SCHEMA);
	need(cscg_ground(o.m, one, &set, &last, NULL, &err) < 0 ? NULL : o.m);
	for (j = 0; j < o.m->n_states; j++)
		certain += cscg_model_E(o.m, j, 3) == 1;
	ok(certain == 20,
	    "one step, no pseudocount: no other symbol is possible in %d of "
	    "20 states",
	    certain);
	cscg_walk_free(one);
	cscg_model_free(true_looks);
	world_free(&small);
	world_free(&o);
}

/* EM from the binding of a tracker with transition noise. */
static void
test_track_slip(void)
{
	struct world o = world(CSCG_RECTANGLE, 4, 5,
	    &(struct walker){ .n = 1, .seed = 6 });
	const struct cscg_track_options how = { .slip = 0.1 };
	struct cscg_track_tables *map = need(cscg_track_tables_new(o.m, &how,
	    &err));
	struct cscg_track *t = need(cscg_track_new(map, (int)o.K, &err));
	struct cscg_model *bound = need(cscg_model_copy(o.m, &err));
	struct cscg_ground set = { .bind = CSCG_BIND_DEFAULTS, .init = bound };
	struct cscg_em_progress last;
	int j, right = 0;

	need(cscg_room_slip(o.room, 0.1, &err) < 0 ? NULL : o.room);
	cscg_walk_free(o.w);
	o.w = walk_in(o.room, &(struct walker){ .n = 200, .seed = 6 });
	need(cscg_track_walk(t, o.w, &err) < 0 ||
		    cscg_track_ground(t, bound, .1, &o.w->head.symbols, &err) <
			0 ?
		NULL :
		bound);
	set.bind.tied = set.bind.learn_pi = true;
	need(cscg_ground(o.m, o.w, &set, &last, NULL, &err) < 0 ? NULL : o.m);
	for (j = 0; j < o.m->n_states; j++)
		right += cscg_model_E(o.m, j, o.m->clone[j]) > 0.5;
	ok(cscg_model_check(o.m, &err) == 0 && right >= 15,
	    "with slips the emissions of %d of 20 states are right", right);
	cscg_model_free(bound);
	cscg_track_free(t);
	cscg_track_tables_free(map);
	world_free(&o);
}

int
main(void)
{
	const struct cscg_simd *simd;
	int i;

	static const struct brute_case cases[] = {
		{ "free", false, false, false, 0, .125 },
		{ "tied", true, false, false, 0, .125 },
		{ "tied, with pi", true, true, false, 0, .5 },
		{ "misread", false, false, false, .25, .125 },
		{ "misread, tied, with pi", true, true, false, .125, .25 },
		{ "two rows stay", false, true, true, 0, 0 },
		{ "a group stays", true, false, true, .25, 0 },
	};

	for (i = 0; i < (int)(sizeof cases / sizeof *cases); i++)
		test_brute(&cases[i]);
	test_unvisited();
	test_start();
	test_best(NULL, true, "plain");
	test_shared(NULL);
	for (i = 0; (simd = cscg_cpu_simd(i)) != NULL; i++) {
		test_best(simd, i % 2, simd->name);
		test_shared(simd);
		test_alphabet(simd, false);
		test_alphabet(simd, true);
	}
	test_stop();
	test_visits(true);
	test_visits(false);
	test_faults();
	test_saddle();
	test_confidence();
	test_ground(true, true);
	test_ground(false, false);
	test_ground(true, false);
	test_ground(false, true);
	test_init();
	test_pseudocount();
	test_track_slip();
	return done();
}
