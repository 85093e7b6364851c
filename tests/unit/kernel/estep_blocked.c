/*
 * estep_blocked.c - the blocked E-step against the plain one, for models and
 * walks of many shapes
 *
 * Both start from the same random counts; after each of several EM updates the
 * log-likelihoods must agree, and at the end T. The bytes of the blocked E-step
 * must not depend on the number of threads or on low_memory.
 *
 * Blocks with few counts are stored in sparse form; the test checks that this
 * form is used.
 *
 * TEST_SHORT in the environment leaves two updates, and of the kinds of CPU the
 * first: threads work the same way for all of them, and under ThreadSanitizer
 * the whole test takes hours.
 */
#include <stdlib.h>
#include <string.h>

#include "dist/blob.h"
#include "learn/em.h"
#include "kernel/estep_blocked.h"
#include "kernel/cpu.h"
#include "base/mem.h"
#include "base/rng.h"
#include "need.h"
#include "tap.h"

/* A walk of random symbols with some memory, so that there is structure. */
struct shape {
	const char *name;
	int n_obs, n_actions, clones; /* clones < 0: of symbol 0; else 1 */
	int episodes;
	long steps; /* of an episode; every third has one step */
	int resets; /* distance of dropouts in steps; 0: none */
	double pseudocount;
	enum { RANDOM, FEW, TRUE } start; /* counts EM begins with */
};

/* A ring of 3 n_obs nodes; actions move along it. */
static int
move(const struct shape *s, int place, int a)
{
	return (place + (a > 0 ? a : 3 * s->n_obs - 1)) % (3 * s->n_obs);
}

static int
look(const struct shape *s, int place)
{
	return (place * place % 7 + place) % s->n_obs;
}

static struct cscg_walk *
make_walk(const struct shape *s, uint64_t seed)
{
	struct cscg_walk_header head = { .n_actions = s->n_actions,
		.n_obs = s->n_obs };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_rng rng;
	int e, hidden = 0;
	long t, n;

	cscg_rng_seed(&rng, seed, CSCG_RNG_TEST, 0, 0);
	for (e = 0; e < s->episodes; e++) {
		n = e % 3 == 2 ? 1 : s->steps;
		for (t = 0; t < n; t++) {
			struct cscg_step st = {
				.z = -1, .goal = -1, .r = NAN
			};

			st.x = look(s, hidden);
			st.a = t + 1 < n ?
			    (int)cscg_rng_below(&rng, s->n_actions) :
			    -1;
			st.reset = t && s->resets && t % s->resets == 0;
			need(cscg_walk_add(w, &st, &err) < 0 ? NULL : w);
			hidden = move(s, hidden, st.a);
			if (cscg_rng_below(&rng, 50) == 0)
				hidden = 0;
		}
	}
	return w;
}

static struct cscg_model *
make_model(const struct shape *s)
{
	int first = abs(s->clones), other = s->clones < 0 ? 1 : s->clones;
	int S = first + (s->n_obs - 1) * other, j;
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, S,
	    s->n_actions, s->n_obs, &err));

	for (j = 0; j < S; j++)
		m->clone[j] = j < first ? 0 : 1 + (j - first) / other;
	m->pseudocount = s->pseudocount;
	return m;
}

enum { UPDATES = 12 };

static int updates = UPDATES;

/* The i-th kind of CPU to be tested, or NULL. */
static const struct cscg_simd *
kind(int i)
{
	return updates < UPDATES && i > 0 ? NULL : cscg_cpu_simd(i);
}

struct result {
	double prior; /* sum of log T as loaded */
	double loglik[UPDATES + 1];
	struct cscg_model *m;
	const struct cscg_estep *e;
	bool fast;
	double most, least; /* fraction of transitions through sparse blocks */
	long misses;        /* wrong guesses of messages */
};

/* Of all transitions, those through blocks that are not dense. */
static double
share_sifted(const struct cscg_estep *e)
{
	const struct cscg_blocked *f = (const struct cscg_blocked *)e;
	long n = 0, all = 0, t;

	for (t = 0; t < f->w->n_steps; t++) {
		int g = f->pack->of[t];

		all += g >= 0;
		n += g >= 0 && !f->block[2 * g].dense;
	}
	return all ? (double)n / (double)all : 0;
}

/* Each node gets a clone of its symbol, the last one if there are too few. */
static int
state_of(const struct shape *s, const struct cscg_model *m, int place)
{
	int x = look(s, place), i, j;

	for (i = 0, j = 0; i < place; i++)
		j += look(s, i) == x;
	for (i = 0; m->clone[i] != x; i++)
		;
	while (j-- > 0 && i + 1 < m->n_states && m->clone[i + 1] == x)
		i++;
	return i;
}

/*
 * Initial counts: three random entries in each row, or those of the ring, with
 * a small probability of a transition to node 0.
 */
static void
set_counts(const struct shape *s, struct cscg_model *m)
{
	size_t S = (size_t)m->n_states, n = (size_t)m->n_actions * S * S, i;
	double *c = need(cscg_alloc(n, sizeof *c, &err)), *row;
	struct cscg_rng rng;
	int a, h;

	cscg_rng_seed(&rng, 6, CSCG_RNG_TEST, 1, 0);
	for (i = 0; i < n / S * 3 && s->start == FEW; i++)
		c[i / 3 * S + (size_t)cscg_rng_below(&rng, (int)S)] = 5;
	for (a = 0; a < m->n_actions && s->start == TRUE; a++)
		for (h = 0; h < 3 * s->n_obs; h++) {
			row = c +
			    ((size_t)a * S + (size_t)state_of(s, m, h)) * S;
			row[state_of(s, m, move(s, h, a))] += 10;
			row[state_of(s, m, 0)] += .2;
		}
	need(cscg_model_set_dense(m, c, 0, &err) < 0 ? NULL : m);
	free(c);
}

static int
on_line(void *ctx, const struct cscg_em_progress *line)
{
	struct result *r = ctx;
	double share = r->fast ? share_sifted(r->e) : 0;

	r->loglik[line->iteration] = line->loglik;
	r->most = fmax(r->most, share);
	r->least = fmin(r->least, share);
	return 0;
}

static struct result
run(const struct shape *s, const struct cscg_walk *w,
    const struct cscg_estep_options *set)
{
	struct result r = {
		.m = make_model(s), .fast = set->simd, .least = 1
	};
	struct cscg_em em = {
		.iterations = updates, .report = on_line, .ctx = &r
	};
	struct cscg_estep *e = need(cscg_estep_new(r.m, w, set, &err));
	struct cscg_em_progress last;
	struct cscg_rng rng;

	r.e = e;
	if (s->start != RANDOM)
		set_counts(s, r.m);
	cscg_rng_seed(&rng, 5, CSCG_RNG_TEST, 1, 0);
	need(e->load(e, r.m, s->start != RANDOM ? NULL : &rng, &err) < 0 ?
		NULL :
		e);
	r.prior = e->set(e, s->pseudocount);
	need(cscg_em_T(e, w->n_steps, s->pseudocount, &em, &last, &err) < 0 ||
		    e->store(e, r.m, 0, &err) < 0 ?
		NULL :
		e);
	ok(!strcmp(e->name, set->simd ? set->simd->name : "plain") ||
		set->simd->narrow,
	    "%s: the engine asked for is the one that runs (%s)", s->name,
	    e->name);
	if (r.fast)
		r.misses = ((const struct cscg_blocked *)e)->misses;
	cscg_estep_free(e);
	return r;
}

/* The largest difference of T between two models of one shape. */
static double
differ(const struct cscg_model *a, const struct cscg_model *b)
{
	double worst = 0, d;
	int i, j, k;

	for (i = 0; i < a->n_actions; i++)
		for (j = 0; j < a->n_states; j++)
			for (k = 0; k < a->n_states; k++) {
				d = fabs(cscg_model_T(a, i, j, k) -
				    cscg_model_T(b, i, j, k));
				worst = d > worst ? d : worst;
			}
	return worst;
}

static bool
same_counts(const struct cscg_model *a, const struct cscg_model *b)
{
	long rows = (long)a->n_actions * a->n_states, n = a->first[rows];

	return n == b->first[rows] &&
	    !memcmp(a->first, b->first, (size_t)(rows + 1) * sizeof(long)) &&
	    !memcmp(a->to, b->to, (size_t)n * sizeof *a->to) &&
	    !memcmp(a->count, b->count, (size_t)n * sizeof *a->count) &&
	    !a->pi == !b->pi &&
	    (!a->pi ||
		!memcmp(a->pi, b->pi, (size_t)a->n_states * sizeof *a->pi));
}

static void
against_plain(const struct shape *s, bool learn_pi)
{
	struct cscg_estep_options set = { .threads = 1, .learn_pi = learn_pi };
	struct cscg_walk *w = make_walk(s, 1);
	struct result plain = run(s, w, &set), fast, again;
	const struct cscg_simd *simd;
	double worst, d;
	int i, k;

	for (i = 0; (simd = kind(i)) != NULL; i++) {
		set = (struct cscg_estep_options){
			.simd = simd, .threads = 1, .learn_pi = learn_pi
		};
		fast = run(s, w, &set);
		for (worst = 0, k = 0; k <= updates; k++) {
			/* A step is rounded, however small its logarithm. */
			d = fabs(fast.loglik[k] - plain.loglik[k]) /
			    (fabs(plain.loglik[k]) +
				0.012 * (double)w->n_steps);
			worst = d > worst ? d : worst;
		}
		d = fabs(fast.prior - plain.prior);
		ok(d <= 1e-6 * fabs(plain.prior),
		    "%s, %s: sum of log T equals the plain one (%.1e of %.6g)",
		    s->name, simd->name, d, plain.prior);
		ok(worst < 1e-5,
		    "%s, %s: log-likelihoods equal the plain ones (%.1e)",
		    s->name, simd->name, worst);
		d = differ(fast.m, plain.m);
		ok(d < 2e-3,
		    "%s, %s: T equals the plain one after %d updates (%.1e)",
		    s->name, simd->name, updates, d);
		for (d = 0, k = 0; learn_pi && k < plain.m->n_states; k++)
			d = fmax(d, fabs(fast.m->pi[k] - plain.m->pi[k]));
		ok(!fast.m->pi == !learn_pi && d < 1e-4,
		    "%s, %s: pi equals the plain one (%.1e)", s->name,
		    simd->name, d);
		/* Smaller counts hardly change T, and are not stored. */
		for (d = INFINITY, k = 0;
		     k < fast.m->first[fast.m->n_actions * fast.m->n_states];
		     k++)
			d = fmin(d, fast.m->count[k]);
		ok(d >= s->pseudocount / 5000,
		    "%s, %s: no count below a 5000th of the pseudocount (%g)",
		    s->name, simd->name, d);
		/*
		 * A message of these walks forgets what was long ago, so that
		 * every guess is right.
		 */
		ok(fast.misses == 0, "%s, %s: no wrong guess (%ld)", s->name,
		    simd->name, fast.misses);
		if (s->start != RANDOM)
			ok(fast.most > .9,
			    "%s, %s: transitions through sparse blocks (%.2f "
			    "to %.2f)",
			    s->name, simd->name, fast.least, fast.most);
		for (k = 0; k < 4; k++) {
			static const int threads[] = { 2, 3, 7, 1 };

			set.threads = threads[k];
			set.low_memory = k >= 2;
			again = run(s, w, &set);
			ok(same_counts(fast.m, again.m) && !again.misses &&
				!memcmp(fast.loglik, again.loglik,
				    sizeof fast.loglik),
			    "%s, %s: the same bytes with %d threads%s",
			    s->name, simd->name, threads[k],
			    k >= 2 ? ", low memory" : "");
			cscg_model_free(again.m);
		}
		cscg_model_free(fast.m);
	}
	cscg_model_free(plain.m);
	cscg_walk_free(w);
}

/*
 * Unlimited memory: one landmark at the start, then a ring of nodes with the
 * same symbol. The estimated initial message of every segment is wrong, and
 * must be detected and computed again.
 */
static void
long_memory(void)
{
	struct cscg_walk_header head = { .n_actions = 1, .n_obs = 2 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, 6, 1, 2,
			      &err)),
			  *out = need(cscg_model_copy(m, &err));
	struct cscg_count ring[6];
	struct cscg_estep_options set = { .threads = 1 };
	/* Guesses fail in the first pass; the others do without. */
	struct cscg_em em = { .iterations = 2 };
	struct cscg_em_progress last;
	const struct cscg_simd *simd;
	struct cscg_estep *e;
	const long steps = 200001;
	long t;
	int i, j, k;

	for (t = 0; t < steps; t++) {
		struct cscg_step st = { .x = t == 0,
			.z = -1,
			.goal = -1,
			.r = NAN,
			.a = t + 1 < steps ? 0 : -1 };

		need(cscg_walk_add(w, &st, &err) < 0 ? NULL : w);
	}
	m->clone[5] = out->clone[5] = 1;
	for (j = 0; j < 6; j++)
		ring[j] = (struct cscg_count){ 0, j, j == 5 ? 0 : (j + 1) % 5,
			1 };
	need(cscg_model_set_counts(m, ring, 6, &err) < 0 ? NULL : m);
	for (i = 0; (simd = kind(i)) != NULL; i++)
		for (k = 0; k < 3; k++) {
			bool right;

			set.simd = simd;
			set.threads = 1 + k;
			set.low_memory = k == 2;
			e = need(cscg_estep_new(m, w, &set, &err));
			need(e->load(e, m, NULL, &err) < 0 ||
				    cscg_em_T(e, steps, 0, &em, &last, &err) <
					0 ||
				    e->store(e, out, 0.5, &err) < 0 ?
				NULL :
				e);
			right = ((const struct cscg_blocked *)e)->misses > 0;
			cscg_estep_free(e);
			for (j = 0; j < 5; j++)
				right = right &&
				    near(cscg_model_row_sum(out, 0, j),
					40000 - (j == 4), 1e-5) &&
				    out->first[j + 1] - out->first[j] == 1;
			ok(right && near(last.loglik, -log(6), 1e-5),
			    "a past that is never forgotten: %s, %d threads%s",
			    simd->name, 1 + k, k == 2 ? ", low memory" : "");
		}
	cscg_model_free(m);
	cscg_model_free(out);
	cscg_walk_free(w);
}

/*
 * The same backwards: only the last symbol tells the states of the ring.  From
 * state 4 the walk goes on to 0, or to the landmark 5.
 */
static void
long_future(void)
{
	struct cscg_walk_header head = { .n_actions = 1, .n_obs = 2 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, 6, 1, 2,
			      &err)),
			  *out = need(cscg_model_copy(m, &err));
	static const struct cscg_count ring[] = { { 0, 0, 1, 1 },
		{ 0, 1, 2, 1 }, { 0, 2, 3, 1 }, { 0, 3, 4, 1 }, { 0, 4, 0, 9 },
		{ 0, 4, 5, 1 } };
	struct cscg_estep_options set = { .threads = 1 };
	/* Guesses fail in the first pass; the others do without. */
	struct cscg_em em = { .iterations = 2 };
	struct cscg_em_progress last;
	const struct cscg_simd *simd;
	struct cscg_estep *e;
	const long steps = 200001;
	/* State 4 is left 39,999 times to 0 and once to 5. */
	const double n = 40000,
		     want = -log(6) + (n - 1) * log((n - 1) / n) - log(n);
	long t;
	int i, j, k;

	for (t = 0; t < steps; t++) {
		struct cscg_step st = { .x = t + 1 == steps,
			.z = -1,
			.goal = -1,
			.r = NAN,
			.a = t + 1 < steps ? 0 : -1 };

		need(cscg_walk_add(w, &st, &err) < 0 ? NULL : w);
	}
	m->clone[5] = out->clone[5] = 1;
	need(cscg_model_set_counts(m, ring, 6, &err) < 0 ? NULL : m);
	for (i = 0; (simd = kind(i)) != NULL; i++)
		for (k = 0; k < 3; k++) {
			bool right;

			set.simd = simd;
			set.threads = 1 + k;
			set.low_memory = k == 2;
			e = need(cscg_estep_new(m, w, &set, &err));
			need(e->load(e, m, NULL, &err) < 0 ||
				    cscg_em_T(e, steps, 0, &em, &last, &err) <
					0 ||
				    e->store(e, out, 0.5, &err) < 0 ?
				NULL :
				e);
			right = ((const struct cscg_blocked *)e)->misses > 0;
			cscg_estep_free(e);
			for (j = 0; j < 5; j++)
				right = right &&
				    near(cscg_model_row_sum(out, 0, j), n,
					1e-5) &&
				    out->first[j + 1] - out->first[j] ==
					1 + (j == 4);
			ok(right && near(last.loglik, want, 1e-4),
			    "a future that is never forgotten: %s, %d "
			    "threads%s",
			    simd->name, 1 + k, k == 2 ? ", low memory" : "");
		}
	cscg_model_free(m);
	cscg_model_free(out);
	cscg_walk_free(w);
}

/*
 * Counts that were loaded, and not yet replaced by an update, are stored, however
 * large they are.
 */
static void
loaded(const struct shape *s, double scale)
{
	struct cscg_walk *w = make_walk(s, 3);
	struct cscg_model *m = make_model(s), *out = make_model(s);
	struct cscg_estep_options set = { .threads = 1, .simd = kind(0) };
	struct cscg_estep *e = need(cscg_estep_new(m, w, &set, &err));
	long row, i, k = 0, rows = (long)m->n_actions * m->n_states;
	double prior, want = 0, loglik = 0;
	struct cscg_estep *plain;
	int wrong = 0;

	set_counts(s, m);
	for (i = 0; i < m->first[rows]; i++)
		m->count[i] *= scale;
	need(e->load(e, m, NULL, &err) < 0 ||
		    e->store(e, out, scale, &err) < 0 ?
		NULL :
		e);
	for (row = 0; row < rows; row++) {
		for (i = m->first[row]; i < m->first[row + 1]; i++) {
			if (m->count[i] <= scale)
				continue;
			wrong += k >= out->first[row + 1] ||
			    out->to[k] != m->to[i] ||
			    out->count[k] != m->count[i];
			k++;
		}
		wrong += out->first[row + 1] != k;
	}
	ok(!wrong && k > 0, "%s: %ld counts as they were loaded, times %g",
	    s->name, k, scale);
	set.simd = NULL;
	plain = need(cscg_estep_new(m, w, &set, &err));
	need(plain->load(plain, m, NULL, &err) < 0 ? NULL : plain);
	prior = plain->set(plain, scale);
	ok(near(e->set(e, scale), prior, 1e-6),
	    "%s: sum of log T, counts times %g (%g)", s->name, scale, prior);
	need(plain->expect(plain, false, &want, &err) < 0 ||
		    e->expect(e, false, &loglik, &err) < 0 ?
		NULL :
		e);
	ok(near(loglik, want, 1e-5), "%s: likelihood, counts times %g (%g)",
	    s->name, scale, want);
	/* Counts of an E-step that were accepted are replaced by a load. */
	need(e->expect(e, true, &want, &err) < 0 ? NULL : e);
	e->accept(e);
	need(e->load(e, m, NULL, &err) < 0 ? NULL : e);
	ok(near(e->set(e, scale), prior, 1e-6) &&
		e->expect(e, false, &want, &err) == 0 && want == loglik,
	    "%s: counts times %g, loaded again", s->name, scale);
	cscg_estep_free(plain);
	cscg_estep_free(e);
	cscg_model_free(m);
	cscg_model_free(out);
	cscg_walk_free(w);
}

/* The state after the second update, and the objective that EM had then. */
struct saved {
	struct cscg_estep *e;
	struct cscg_blob state;
	double objective;
};

static int
save_second(void *ctx, const struct cscg_em_progress *line, struct cscg_err *x)
{
	struct saved *s = ctx;

	if (line->iteration != 2)
		return 0;
	s->objective = line->objective;
	return s->e->save(s->e, &s->state, x);
}

/* EM that is resumed after two of four updates ends as if it was not. */
static void
resumed(const struct shape *s, bool low_memory)
{
	struct cscg_walk *w = make_walk(s, 3);
	struct cscg_model *m = make_model(s), *again = make_model(s);
	struct cscg_estep_options set = { .threads = 1,
		.simd = kind(0),
		.learn_pi = true,
		.low_memory = low_memory };
	struct saved saved = { 0 };
	struct cscg_em em = {
		.iterations = 4, .checkpoint = save_second, .ctx = &saved
	};
	struct cscg_em_progress last, end;
	struct cscg_rng rng;

	saved.e = need(cscg_estep_new(m, w, &set, &err));
	cscg_rng_seed(&rng, 5, CSCG_RNG_TEST, 1, 0);
	if (s->start != RANDOM)
		set_counts(s, m);
	need(saved.e->load(saved.e, m, s->start != RANDOM ? NULL : &rng,
		 &err) < 0 ||
		    cscg_em_T(saved.e, w->n_steps, s->pseudocount, &em, &last,
			&err) < 0 ||
		    saved.e->store(saved.e, m, 0, &err) < 0 ?
		NULL :
		w);
	cscg_estep_free(saved.e);
	saved.e = need(cscg_estep_new(again, w, &set, &err));
	em.checkpoint = NULL;
	em.resume.iteration = 2;
	em.resume.objective = saved.objective;
	need(saved.e->load(saved.e, again, &rng, &err) < 0 ||
		    saved.e->restore(saved.e, &saved.state, &err) < 0 ||
		    cscg_em_T(saved.e, w->n_steps, s->pseudocount, &em, &end,
			&err) < 0 ||
		    saved.e->store(saved.e, again, 0, &err) < 0 ?
		NULL :
		w);
	ok(same_counts(m, again) && end.loglik == last.loglik &&
		end.objective == last.objective && end.iteration == 4 &&
		m->pi && again->pi &&
		!memcmp(m->pi, again->pi, (size_t)m->n_states * sizeof *m->pi),
	    "%s: resumed after two updates%s", s->name,
	    low_memory ? ", low memory" : "");
	cscg_estep_free(saved.e);
	cscg_blob_free(&saved.state);
	cscg_model_free(m);
	cscg_model_free(again);
	cscg_walk_free(w);
}

int
main(void)
{
	static const struct shape shapes[] = {
		{ "one clone each", 7, 2, 1, 1, 3000, 0, 2e-3, RANDOM },
		{ "one symbol", 1, 3, 13, 1, 3000, 0, 2e-3, RANDOM },
		{ "one state", 1, 1, 1, 1, 50, 0, 2e-3, RANDOM },
		{ "one step", 3, 2, 2, 1, 1, 0, 2e-3, RANDOM },
		{ "one state more than a vector", 3, 2, 17, 2, 2000, 0, 2e-3,
		    RANDOM },
		{ "many clones of one symbol", 5, 2, -150, 1, 3000, 0, 2e-3,
		    RANDOM },
		{ "many episodes", 6, 3, 5, 90, 40, 0, 2e-3, RANDOM },
		{ "resets", 6, 3, 9, 4, 900, 37, 2e-3, RANDOM },
		{ "no pseudocount", 5, 2, 4, 2, 1500, 0, 0, RANDOM },
		{ "several threads", 6, 3, 12, 3, 9000, 0, 2e-3, RANDOM },
		{ "several units", 4, 2, 6, 4, 70000, 0, 2e-3, RANDOM },
		{ "few counts", 5, 3, 44, 2, 1200, 0, 2e-3, FEW },
		{ "thin", 5, 3, 44, 2, 1200, 0, 2e-3, TRUE },
		{ "sparse, several units", 3, 2, 20, 1, 66000, 0, 2e-3, TRUE },
		{ "thin, no pseudocount", 3, 2, 33, 1, 2000, 0, 0, TRUE },
		{ "larger than the inner caches", 12, 4, 59, 2, 700, 0, 2e-3,
		    RANDOM },
	};
	size_t i;

	if (getenv("TEST_SHORT"))
		updates = 2;
	for (i = 0; i < sizeof shapes / sizeof *shapes; i++)
		against_plain(&shapes[i], i % 2);
	long_memory();
	long_future();
	loaded(&shapes[12], 1);
	loaded(&shapes[11], 1);
	loaded(&shapes[11], 0x1p40);
	for (i = 7; i < 14; i += 4) {
		resumed(&shapes[i], false);
		resumed(&shapes[i], true);
	}
	resumed(&shapes[12], false);
	resumed(&shapes[14], true);
	return done();
}
