/*
 * decoder.c - the SIMD decoder against enumeration, and against the plain
 * loops in double precision, for every kernel of this machine
 *
 * Log-likelihoods agree to 1e-5 of their size plus 1e-7 per step.  A Viterbi
 * path is checked by its own log probability in double precision: that of the
 * best path to 1e-5.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "kernel/cpu.h"
#include "kernel/decoder.h"
#include "kernel/passes.h"
#include "brute/paths.h"
#include "base/mem.h"
#include "base/rng.h"
#include "need.h"
#include "tap.h"

/* The shape of a random model and its walk. */
struct shape {
	const char *name;
	int states, symbols, actions;
	long entries; /* counts in a row, about; 0: all */
	double pseudocount;
	int episodes;
	long steps;           /* of an episode */
	int dropouts, resets; /* one in this many steps, 0: none */
	bool uneven;          /* does symbol 0 have half of the states? */
	bool cycle; /* deterministic, one symbol: probabilities do not decay */
	int equal;  /* one state in this many has rows of its own, 0: all */
};

/* Give states the rows of the one before, if that has the same symbol. */
static void
repeat_rows(const struct shape *s, const struct cscg_model *m, double *c)
{
	size_t S = (size_t)s->states, r;
	int j;

	for (r = 1; r < (size_t)s->actions * S; r++) {
		j = (int)(r % S);
		if (j % s->equal && m->clone[j] == m->clone[j - 1])
			memcpy(c + r * S, c + (r - 1) * S, S * sizeof *c);
	}
}

static struct cscg_model *
new_model(const struct shape *s, struct cscg_rng *rng)
{
	int S = s->states, A = s->actions, K = s->symbols, j;
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, S, A, K,
	    &err));
	double *c = need(cscg_alloc((size_t)A * (size_t)S * (size_t)S,
	    sizeof *c, &err));
	long r, i, n;

	for (j = 0; j < S; j++)
		m->clone[j] = !s->uneven ? (int)((long)j * K / S) :
		    2 * j < S            ? 0 :
					   1 + (2 * j - S) * (K - 1) / (S + 1);
	for (r = 0; r < (long)A * S; r++) {
		if (s->cycle) {
			c[r * S + (r % S + 1 + r / S) % S] = 1;
			continue;
		}
		n = s->entries ? s->entries : S;
		for (i = 0; i < n; i++)
			c[r * S + (s->entries ? cscg_rng_below(rng, S) : i)] =
			    cscg_rng_uniform(rng);
	}
	if (s->equal)
		repeat_rows(s, m, c);
	need(cscg_model_set_dense(m, c, 0, &err) < 0 ? NULL : m);
	free(c);
	m->pseudocount = s->pseudocount;
	if (s->cycle) { /* probabilities never decay */
		m->pi = need(cscg_alloc((size_t)S, sizeof *m->pi, &err));
		for (j = 0; j < S; j++)
			m->pi[j] = 2.0 * (j + 1) / S / (S + 1);
	}
	return m;
}

/* A walk drawn from the model, so that it is possible. */
static struct cscg_walk *
new_walk(const struct shape *s, const struct cscg_model *m,
    struct cscg_rng *rng)
{
	struct cscg_walk_header head = { .n_actions = m->n_actions,
		.n_obs = m->n_obs };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_trans *tr = need(cscg_trans_new(m, &cscg_plain_double,
	    &err));
	double *p = need(cscg_alloc((size_t)m->n_states, sizeof *p, &err));
	int e, z = 0;
	long t;

	for (e = 0; e < s->episodes; e++)
		for (t = 0; t < s->steps; t++) {
			struct cscg_step step = {
				.z = -1, .goal = -1, .r = NAN
			};

			step.reset = t && s->resets &&
			    cscg_rng_below(rng, s->resets) == 0;
			if (!t || step.reset)
				z = (int)cscg_rng_below(rng, m->n_states);
			step.x = m->clone[z];
			if (s->dropouts &&
			    cscg_rng_below(rng, s->dropouts) == 0)
				step.x = -1;
			step.a = t + 1 < s->steps ?
			    (int)cscg_rng_below(rng, m->n_actions) :
			    -1;
			need(cscg_walk_add(w, &step, &err) < 0 ? NULL : w);
			if (step.a >= 0) {
				cscg_trans_row(tr, step.a, z, p);
				z = (int)cscg_rng_pick(rng, p, m->n_states, 1);
			}
		}
	free(p);
	cscg_trans_free(tr);
	return w;
}

/* The log of the joint probability of states and walk. */
static double
path_log(const struct cscg_model *m, const struct cscg_walk *w, const int *z)
{
	double sum = 0;
	long t;
	int e;

	for (e = 0; e < w->n_episodes; e++)
		for (t = w->start[e]; t < w->start[e + 1]; t++) {
			if (z[t] < 0 ||
			    (w->x[t] >= 0 && m->clone[z[t]] != w->x[t]))
				return -INFINITY;
			sum += log(cscg_walk_starts_run(w, e, t) ?
				(m->pi ? m->pi[z[t]] : 1.0 / m->n_states) :
				cscg_model_T(m, w->a[t - 1], z[t - 1], z[t]));
		}
	return sum;
}

static bool
close_to(double got, double want, long steps)
{
	return isinf(want) ?
	    isinf(got) :
	    fabs(got - want) <= 1e-5 * fabs(want) + 1e-7 * (double)(steps + 1);
}

/* Filter in pieces of different lengths; the log-likelihood. */
static double
in_pieces(struct cscg_decoder *d, const struct cscg_walk *w, double *p)
{
	long t, n, piece = 1;
	double sum = 0, one;

	for (t = 0; t < w->n_steps; t += n, piece = piece * 3 % 101 + 1) {
		n = piece < w->n_steps - t ? piece : w->n_steps - t;
		need(cscg_decoder_filter(d, n, w->x + t, w->a + t,
			 w->reset ? w->reset + t : NULL, p + t, &one,
			 &err) < 0 ?
			NULL :
			d);
		sum += one;
	}
	return sum;
}

/* Shape s against the plain loops in double precision. */
static void
compare(const struct shape *s, const struct cscg_simd *simd, const char *name,
    uint64_t seed)
{
	struct cscg_rng rng;
	struct cscg_model *m;
	struct cscg_walk *w;
	struct cscg_trans *tr, *exact;
	struct cscg_decoder *d, *plain;
	double want, want_path, got, path, pieces, *p, *q, worst = 0;
	int *z;
	long t;

	cscg_rng_seed(&rng, seed, CSCG_RNG_TEST, 7, 0);
	m = new_model(s, &rng);
	w = new_walk(s, m, &rng);
	tr = need(cscg_trans_new(m, &cscg_plain_float, &err));
	exact = need(cscg_trans_new(m, &cscg_plain_double, &err));
	d = need(cscg_decoder_new(tr, simd, &err));
	plain = need(cscg_decoder_new(exact, NULL, &err));
	p = need(cscg_alloc((size_t)w->n_steps, sizeof *p, &err));
	q = need(cscg_alloc((size_t)w->n_steps, sizeof *q, &err));
	z = need(cscg_alloc((size_t)w->n_steps, sizeof *z, &err));
	need(cscg_decoder_loglik(plain, w, &want, &err) < 0 ? NULL : d);
	need(cscg_decoder_viterbi(plain, w, z, &want_path, &err) < 0 ? NULL :
								       d);
	ok(close_to(path_log(m, w, z), want_path, 0) && !isinf(want),
	    "%s, %s: the plain path has the probability returned", name,
	    s->name);
	need(cscg_decoder_loglik(d, w, &got, &err) < 0 ? NULL : d);
	pieces = in_pieces(d, w, p);
	in_pieces(plain, w, q);
	for (t = 0; t < w->n_steps; t++)
		if (fabs(p[t] - q[t]) > worst)
			worst = fabs(p[t] - q[t]);
	ok(close_to(got, want, w->n_steps) &&
		close_to(pieces, want, w->n_steps) && worst < 1e-5,
	    "%s, %s: log-likelihood %.9g and in pieces %.9g are %.9g, steps "
	    "differ by %.2g",
	    name, s->name, got, pieces, want, worst);
	need(cscg_decoder_viterbi(d, w, z, &got, &err) < 0 ? NULL : d);
	path = path_log(m, w, z);
	ok(close_to(path, want_path, 0) &&
		close_to(got, want_path, w->n_steps),
	    "%s, %s: the path has log probability %.9g (%.9g), the best "
	    "%.9g",
	    name, s->name, path, got, want_path);
	free(p);
	free(q);
	free(z);
	cscg_decoder_free(plain);
	cscg_decoder_free(d);
	cscg_trans_free(exact);
	cscg_trans_free(tr);
	cscg_walk_free(w);
	cscg_model_free(m);
}

/* Tiny models of many shapes against enumeration of every path. */
static void
enumerate(const struct cscg_simd *simd, const char *name)
{
	enum { MODELS = 300, MAX_S = 8, MAX_T = 6 };
	double gamma[MAX_T * MAX_S], xi[3 * MAX_S * MAX_S], logp, got, want;
	struct brute b = { .gamma = gamma, .xi = xi };
	int z[MAX_T * 3], i, e, bad = 0, impossible = 0;
	double best;

	for (i = 0; i < MODELS; i++) {
		struct cscg_rng rng;
		struct shape s = { .states = 1 + i % MAX_S,
			.symbols = 1 + i % 3,
			.actions = 1 + i % 2,
			.entries = i % 3,
			.pseudocount = i % 4 ? 0.05 : 0,
			.episodes = 1 + i % 3,
			.steps = 1 + i % (i % MAX_S < 5 ? MAX_T : 4),
			.dropouts = i % 5 ? 0 : 4,
			.resets = i % 7 ? 0 : 3,
			.uneven = i % 3 && i % 13 < 6,
			.equal = i % 11 ? 0 : 2 };
		struct cscg_model *m;
		struct cscg_walk *w;
		struct cscg_trans *tr;
		struct cscg_decoder *d;

		cscg_rng_seed(&rng, 3, CSCG_RNG_TEST, (uint64_t)i, 1);
		if (s.symbols > s.states)
			s.symbols = s.states;
		m = new_model(&s, &rng);
		w = new_walk(&s, m, &rng);
		if (i % 4 == 0) /* impossible, perhaps */
			w->x[w->n_steps / 2] = (int)cscg_rng_below(&rng,
			    m->n_obs);
		tr = need(cscg_trans_new(m, &cscg_plain_float, &err));
		d = need(cscg_decoder_new(tr, simd, &err));
		for (want = best = 0, e = 0; e < w->n_episodes; e++) {
			brute_paths(m, w, e, &b);
			want += b.lik > 0 ? log(b.lik) : -INFINITY;
			best += b.best > 0 ? log(b.best) : -INFINITY;
		}
		need(cscg_decoder_loglik(d, w, &got, &err) < 0 ? NULL : d);
		need(cscg_decoder_viterbi(d, w, z, &logp, &err) < 0 ? NULL :
								      d);
		bad += !close_to(got, want, w->n_steps) ||
		    !close_to(logp, best, w->n_steps) ||
		    !close_to(path_log(m, w, z), best, w->n_steps);
		impossible += isinf(want) != 0;
		cscg_decoder_free(d);
		cscg_trans_free(tr);
		cscg_walk_free(w);
		cscg_model_free(m);
	}
	ok(bad == 0 && impossible > 5 && impossible < MODELS / 3,
	    "%s: %d tiny models agree with enumeration, %d impossible", name,
	    MODELS - bad, impossible);
}

/* Of an impossible walk: probabilities 0 and states -1 from there on. */
static void
impossible(const struct cscg_simd *simd, const char *name)
{
	static const long lengths[] = { 1, 2, 300, 9000 };
	struct shape s = { .name = "impossible",
		.states = 12,
		.symbols = 4,
		.actions = 2,
		.episodes = 2,
		.resets = 50 };
	size_t i;

	for (i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		struct cscg_rng rng;
		struct cscg_model *m;
		struct cscg_walk *w;
		struct cscg_trans *tr;
		struct cscg_decoder *d, *plain;
		double *p, *q, logp, loglik;
		long t, n, differ = 0;
		int *z, *y;

		cscg_rng_seed(&rng, 4, CSCG_RNG_TEST, i, 2);
		s.steps = lengths[i];
		s.entries = 2;
		m = new_model(&s, &rng);
		w = new_walk(&s, m, &rng);
		n = w->n_steps;
		/* There are two successors, which seldom have symbol 3. */
		for (t = 2 * n / 3; t < n; t++)
			if (t % 2 == 0)
				w->x[t] = 3;
		tr = need(cscg_trans_new(m, &cscg_plain_float, &err));
		d = need(cscg_decoder_new(tr, simd, &err));
		plain = need(cscg_decoder_new(tr, NULL, &err));
		p = need(cscg_alloc((size_t)n, sizeof *p, &err));
		q = need(cscg_alloc((size_t)n, sizeof *q, &err));
		z = need(cscg_alloc((size_t)n, sizeof *z, &err));
		y = need(cscg_alloc((size_t)n, sizeof *y, &err));
		in_pieces(d, w, p);
		in_pieces(plain, w, q);
		need(cscg_decoder_viterbi(d, w, z, &logp, &err) < 0 ? NULL :
								      d);
		need(cscg_decoder_viterbi(plain, w, y, &loglik, &err) < 0 ?
			NULL :
			d);
		for (t = 0; t < n; t++)
			differ += (p[t] > 0) != (q[t] > 0) ||
			    (z[t] < 0) != (y[t] < 0);
		ok(differ == 0 && isinf(logp) == isinf(loglik) &&
			(n < 10 || isinf(logp)),
		    "%s: an impossible walk of %ld steps ends at the same "
		    "step as with the plain loops (%ld differ)",
		    name, n, differ);
		free(p);
		free(q);
		free(z);
		free(y);
		cscg_decoder_free(plain);
		cscg_decoder_free(d);
		cscg_trans_free(tr);
		cscg_walk_free(w);
		cscg_model_free(m);
	}
}

/*
 * A path ends at a symbol that no state emits, with and without the escape of
 * likelihoods.  Of eight symbols the last has no state; the walk is longer
 * than a chunk.
 */
static void
symbol_without_state(const struct cscg_simd *simd, const char *name)
{
	struct shape s = { .name = "without state",
		.states = 50,
		.symbols = 7,
		.actions = 2,
		.pseudocount = 1e-3,
		.episodes = 1,
		.steps = 700 };
	const long at = 600;
	struct cscg_rng rng;
	struct cscg_model *m, *more;
	struct cscg_walk *w;
	struct cscg_trans *tr;
	struct cscg_decoder *d;
	double logp, unseen;
	long t, wrong;
	int z[700], i;

	cscg_rng_seed(&rng, 4, CSCG_RNG_TEST, 7, 3);
	m = new_model(&s, &rng);
	w = new_walk(&s, m, &rng);
	more = need(cscg_model_new(CSCG_GROUNDED, s.states, s.actions,
	    s.symbols + 1, &err));
	memcpy(more->clone, m->clone, (size_t)s.states * sizeof *m->clone);
	more->pseudocount = s.pseudocount;
	w->head.n_obs = s.symbols + 1;
	for (t = at; t < s.steps; t += 7)
		w->x[t] = s.symbols;
	tr = need(cscg_trans_new(more, &cscg_plain_float, &err));
	for (unseen = 0; unseen < .2; unseen += .1) {
		d = need(cscg_decoder_new(tr, simd, &err));
		cscg_decoder_set_unseen(d, unseen);
		need(cscg_decoder_viterbi(d, w, z, &logp, &err) < 0 ? NULL :
								      d);
		wrong = 0;
		for (i = 0; i < s.steps; i++)
			wrong += (z[i] < 0) != (i >= at);
		ok(wrong == 0 && isinf(logp),
		    "%s: the path ends at a symbol without states, escape %g "
		    "(%ld steps wrong)",
		    name, unseen, wrong);
		cscg_decoder_free(d);
	}
	cscg_trans_free(tr);
	cscg_walk_free(w);
	cscg_model_free(more);
	cscg_model_free(m);
}

/* A lower state is taken of two that are equal. */
static void
ties(const struct cscg_simd *simd, const char *name)
{
	struct cscg_walk_header head = { .n_actions = 1, .n_obs = 1 };
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, 40, 1, 1,
	    &err));
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_trans *tr;
	struct cscg_decoder *d;
	double logp;
	int z[600], t, off = 0;

	m->pseudocount = 0.01; /* without counts, every path is the same */
	for (t = 0; t < 600; t++) {
		struct cscg_step s = { .x = 0, .z = -1, .goal = -1, .r = NAN };

		s.a = t < 599 ? 0 : -1;
		need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
	}
	tr = need(cscg_trans_new(m, &cscg_plain_float, &err));
	d = need(cscg_decoder_new(tr, simd, &err));
	need(cscg_decoder_viterbi(d, w, z, &logp, &err) < 0 ? NULL : d);
	for (t = 0; t < 600; t++)
		off += z[t] != 0;
	ok(off == 0 && near(logp, 600 * log(1 / 40.0), 1e-3),
	    "%s: of equal paths the one with the lowest states (%d are "
	    "not)",
	    name, off);
	cscg_decoder_free(d);
	cscg_trans_free(tr);
	cscg_walk_free(w);
	cscg_model_free(m);
}

/*
 * An entry of state 0 above its level and the level of state 1 give the same
 * product, exactly: powers of two.  n states, of which the last has symbol 1.
 */
static void
tie_of_entry(const struct cscg_simd *simd, int n, const char *name)
{
	struct cscg_walk_header head = { .n_actions = 1, .n_obs = 2 };
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, n, 1, 2,
	    &err));
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_step first = { .x = 0, .z = -1, .goal = -1, .r = NAN };
	struct cscg_step last = {
		.x = 1, .a = -1, .z = -1, .goal = -1, .r = NAN
	};
	struct cscg_count c = { .to = n - 1, .c = n };
	double logp;
	int z[2], j;

	m->clone[n - 1] = 1;
	m->pseudocount = 1;
	need(cscg_model_set_counts(m, &c, 1, &err) < 0 ? NULL : m);
	m->pi = need(cscg_alloc((size_t)n, sizeof *m->pi, &err));
	m->pi[0] = 0.5 / n;
	m->pi[1] = m->pi[0] * (n + 1) / 2;
	for (j = 2; j < n; j++)
		m->pi[j] = (1 - m->pi[0] - m->pi[1]) / (n - 2);
	need(cscg_walk_add(w, &first, &err) < 0 ? NULL : w);
	need(cscg_walk_add(w, &last, &err) < 0 ? NULL : w);
	need(cscg_decode_viterbi(m, w, &cscg_plain_float, simd, z, &logp,
		 &err) < 0 ?
		NULL :
		w);
	ok(z[0] == 0 && z[1] == n - 1 && near(logp, log(m->pi[1] / n), 1e-6),
	    "%s: equal products of %d states: the lowest is taken (%d)", name,
	    n, z[0]);
	cscg_walk_free(w);
	cscg_model_free(m);
}

/* The messages of this number of states exceed the memory limit. */
static void
no_memory(const struct cscg_simd *simd, const char *name)
{
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, 200000, 1, 1,
	    &err));
	struct cscg_trans *tr = need(cscg_trans_new(m, &cscg_plain_float,
	    &err));
	struct rlimit old, less;
	struct cscg_decoder *d;

	getrlimit(RLIMIT_RSS, &old);
	less = old;
	less.rlim_cur = 2 << 20;
	setrlimit(RLIMIT_RSS, &less);
	d = cscg_decoder_new(tr, simd, &err);
	setrlimit(RLIMIT_RSS, &old);
	ok(!d && err.code == CSCG_ENOMEM,
	    "%s: messages beyond the memory limit are refused", name);
	cscg_decoder_free(d);
	cscg_trans_free(tr);
	cscg_model_free(m);
}

int
main(void)
{
	static const struct shape shapes[] = {
		{ "dense", 60, 5, 2, 0, 2e-3, 1, 3000, 0, 0, 0, 0, 0 },
		{ "dense, long", 100, 5, 2, 0, 2e-3, 1, 21000, 0, 0, 0, 0, 0 },
		{ "sparse", 60, 6, 3, 2, 2e-3, 1, 12000, 0, 0, 0, 0, 0 },
		{ "wide and sparse", 300, 3, 1, 3, 1e-4, 1, 2500, 0, 0, 1, 0,
		    0 },
		{ "without pseudocount", 40, 8, 2, 3, 0, 1, 9000, 0, 0, 0, 0,
		    0 },
		{ "dropouts", 40, 5, 2, 3, 1e-3, 2, 5000, 7, 0, 0, 0, 0 },
		{ "resets", 40, 5, 2, 3, 1e-3, 2, 5000, 0, 30, 0, 0, 0 },
		{ "short episodes", 30, 5, 2, 4, 1e-3, 400, 7, 0, 0, 0, 0, 0 },
		{ "single steps", 30, 5, 2, 4, 1e-3, 50, 1, 0, 0, 0, 0, 0 },
		{ "a chunk", 30, 5, 2, 0, 1e-3, 1, 256, 0, 0, 0, 0, 0 },
		{ "a chunk and a step", 30, 5, 2, 0, 1e-3, 1, 257, 0, 0, 0, 0,
		    0 },
		{ "many symbols", 120, 60, 3, 4, 1e-3, 1, 6000, 20, 0, 0, 0,
		    0 },
		{ "equal rows", 100, 5, 2, 0, 2e-3, 1, 3000, 0, 0, 0, 0, 2 },
		{ "equal rows, dropouts and resets", 100, 5, 2, 3, 1e-3, 2,
		    2000, 9, 30, 0, 0, 4 },
		{ "equal rows, wide and sparse", 400, 3, 1, 3, 1e-4, 1, 2500,
		    0, 0, 1, 0, 2 },
		/* Blocks with entries in few rows. */
		{ "few rows", 100, 5, 2, 1, 1e-3, 1, 3000, 0, 0, 0, 0, 0 },
		{ "few rows, wide", 108, 3, 2, 1, 1e-3, 1, 3000, 11, 40, 0, 0,
		    0 },
		{ "few rows, equal", 216, 3, 2, 1, 1e-3, 1, 3000, 0, 0, 0, 0,
		    2 },
		{ "few rows, wider, equal", 792, 6, 1, 1, 1e-3, 1, 1500, 0, 0,
		    0, 0, 2 },
		{ "few rows, uneven, without pseudocount", 300, 4, 2, 1, 0, 2,
		    900, 9, 0, 1, 0, 0 },
		{ "five chunks", 30, 5, 2, 0, 1e-3, 1, 1280, 0, 0, 0, 0, 0 },
	};
	static const struct shape cycle = { "no decay", 24, 1, 1, 0, 0, 1,
		9000, 0, 0, 0, 1, 0 };
	const struct cscg_simd *simd;
	size_t k;
	int i;

	for (i = 0; (simd = cscg_cpu_simd(i)); i++) {
		enumerate(simd, simd->name);
		for (k = 0; k < sizeof shapes / sizeof *shapes; k++)
			compare(&shapes[k], simd, simd->name, 1 + k);
		compare(&cycle, simd, simd->name, 99);
		impossible(simd, simd->name);
		symbol_without_state(simd, simd->name);
		ties(simd, simd->name);
		tie_of_entry(simd, 16, simd->name);
		tie_of_entry(simd, 256, simd->name);
		no_memory(simd, simd->name);
	}
	return done();
}
