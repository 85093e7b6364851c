/* predict - the next symbol, against sums over all paths of tiny models */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "brute/paths.h"
#include "kernel/cpu.h"
#include "kernel/predict.h"
#include "need.h"
#include "tap.h"

enum { S = 4, A = 2, K = 3, N = 5, MODELS = 3 };

static struct cscg_rng rng;

/* A random model; zeros: some transitions are impossible. */
static struct cscg_model *
random_model(bool rows, bool zeros)
{
	static const int clone[S] = { 0, 0, 1, 2 };
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, S, A, K,
	    &err));
	double dense[A * S * S], E[S * K], sum = 0;
	int i, j, x;

	m->is_double = true;
	memcpy(m->clone, clone, sizeof clone);
	for (i = 0; i < A * S * S; i++)
		dense[i] = zeros && cscg_rng_uniform(&rng) < .5 ?
		    0 :
		    cscg_rng_uniform(&rng);
	m->pseudocount = zeros ? 0 : .05;
	need(cscg_model_set_dense(m, dense, 0, &err) < 0 ? NULL : m);
	m->pi = need(calloc(S, sizeof *m->pi));
	for (j = 0; j < S; j++)
		sum += m->pi[j] = cscg_rng_uniform(&rng);
	for (j = 0; j < S; j++)
		m->pi[j] /= sum;
	for (j = 0; j < S && rows; j++) {
		for (sum = 0, x = 0; x < K; x++)
			sum += E[j * K + x] = cscg_rng_uniform(&rng);
		for (x = 0; x < K; x++)
			E[j * K + x] /= sum;
	}
	if (rows)
		need(cscg_model_set_E(m, E, K, &err) < 0 ? NULL : m);
	need(cscg_model_check(m, &err) < 0 ? NULL : m);
	return m;
}

/* P(x[0..n-1] | a) of m, by enumeration; eps: a misreading probability. */
static double
lik(const struct cscg_model *m, const int *x, const int *a, int n, double eps)
{
	struct cscg_walk_header head = { .n_actions = A, .n_obs = K };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	double gamma[(N + 3) * S], xi[A * S * S], weight[(N + 3) * S];
	struct brute b = {
		.gamma = gamma, .xi = xi, .weight = eps > 0 ? weight : NULL
	};
	int t, j;

	for (t = 0; t < n; t++) {
		struct cscg_step step = { .x = x[t],
			.a = t + 1 < n ? a[t] : -1,
			.z = -1,
			.goal = -1,
			.r = NAN };

		need(cscg_walk_add(w, &step, &err) < 0 ? NULL : w);
		for (j = 0; j < S; j++)
			weight[t * S + j] = x[t] < 0 ?
			    1 :
			    (1 - eps) * (m->clone[j] == x[t]) + eps / K;
	}
	brute_paths(m, w, 0, &b);
	cscg_walk_free(w);
	return b.lik;
}

static void
random_steps(int *x, int *a)
{
	int t;

	for (t = 0; t < N; t++) {
		x[t] = (int)cscg_rng_below(&rng, K + 1) - 1;
		a[t] = (int)cscg_rng_below(&rng, A);
	}
}

/* The filter with misreading probability eps; the largest error. */
static double
filter_error(const struct cscg_model *m, double eps)
{
	const struct cscg_filter_options how = { 0 };
	struct cscg_trans *tr = need(cscg_trans_new(m, &cscg_plain_double,
	    &err));
	struct cscg_filter *f = need(cscg_filter_new(tr, &how, &err));
	double p[K], worst = 0, sum, before, want;
	int x[N + 1], a[N], t, y;

	cscg_trans_set_misread(tr, eps);
	random_steps(x, a);
	for (t = 0; t < N; t++) {
		int now = x[t];

		before = t ? lik(m, x, a, t, eps) : 1;
		if (before <= 0)
			break;
		/*
		 * A prediction for another action may be asked for in between.
		 */
		cscg_filter_predict(f, t ? 1 - a[t - 1] : -1, p);
		cscg_filter_predict(f, t ? a[t - 1] : -1, p);
		for (sum = 0, y = 0; y < K; y++) {
			x[t] = y;
			want = lik(m, x, a, t + 1, eps) / before;
			worst = fmax(worst, fabs(p[y] - want));
			sum += p[y];
		}
		worst = fmax(worst, fabs(sum - 1));
		x[t] = now;
		want = now < 0 ? 1 : p[now];
		worst = fmax(worst,
		    fabs(cscg_filter_observe(f, t ? a[t - 1] : -1, now) -
			want));
	}
	cscg_filter_free(f);
	cscg_trans_free(tr);
	return worst;
}

/* The mixture of n models without escape; the largest error. */
static double
mixture_error(const struct cscg_model *const *m, int n, const double *prior)
{
	struct cscg_predict_settings set = { .prior = prior };
	struct cscg_predictor *p = need(cscg_predictor_new(m, n, &set, &err));
	double prob[K + 1], weight[MODELS], worst = 0, nats, sum, before, one;
	int x[N + 1], a[N], t, y, i;

	random_steps(x, a);
	for (t = 0; t < N; t++) {
		int now = x[t];

		for (before = 0, i = 0; i < n; i++)
			before += (prior ? prior[i] : 1) *
			    (t ? lik(m[i], x, a, t, 0) : 1);
		need(cscg_predictor_next(p, t ? a[t - 1] : -1, prob, &err) <
			    0 ?
			NULL :
			p);
		sum = prob[K];
		for (y = 0; y < K; y++) {
			x[t] = y;
			for (one = 0, i = 0; i < n; i++)
				one += (prior ? prior[i] : 1) *
				    lik(m[i], x, a, t + 1, 0);
			worst = fmax(worst, fabs(prob[y] - one / before));
			sum += prob[y];
		}
		worst = fmax(worst, fabs(sum - 1));
		x[t] = now;
		need(cscg_predictor_observe(p, t ? a[t - 1] : -1, now, &nats,
			 &err) < 0 ?
			NULL :
			p);
		worst = fmax(worst,
		    fabs(exp(-nats) - (now < 0 ? 1 : prob[now])));
		cscg_predictor_get_weights(p, weight);
		for (sum = 0, i = 0; i < n; i++)
			sum += (prior ? prior[i] : 1) *
			    lik(m[i], x, a, t + 1, 0);
		for (i = 0; i < n; i++)
			worst = fmax(worst,
			    fabs(weight[i] -
				(prior ? prior[i] : 1) *
				    lik(m[i], x, a, t + 1, 0) / sum));
	}
	cscg_predictor_free(p);
	return worst;
}

/* Three steps ahead, over all actions after the first. */
static double
ahead_error(const struct cscg_model *m)
{
	const struct cscg_model *const one[] = { m };
	struct cscg_predict_settings set = { 0 };
	struct cscg_predictor *p = need(cscg_predictor_new(one, 1, &set,
	    &err));
	double prob[3 * (K + 1)], worst = 0, want;
	int x[5] = { 1, 0, -1, -1, -1 }, a[4] = { 1, 0, 0, 0 }, i, y, c;

	need(cscg_predictor_observe(p, -1, x[0], NULL, &err) < 0 ? NULL : p);
	need(cscg_predictor_observe(p, a[0], x[1], NULL, &err) < 0 ? NULL : p);
	need(cscg_predictor_ahead(p, a[1], 3, prob, &err) < 0 ? NULL : p);
	for (i = 0; i < 3; i++)
		for (y = 0; y < K; y++) {
			for (want = 0, c = 0; c < 4; c++) {
				x[2] = x[3] = x[4] = -1;
				x[2 + i] = y;
				a[2] = c / 2;
				a[3] = c % 2;
				want += lik(m, x, a, 5, 0) / 4;
			}
			want /= lik(m, x, a, 2, 0);
			worst = fmax(worst,
			    fabs(prob[i * (K + 1) + y] - want));
		}
	cscg_predictor_free(p);
	return worst;
}

/* The likeliest path of two steps after one, by all paths. */
static bool
path_is_best(const struct cscg_model *m)
{
	const struct cscg_model *const one[] = { m };
	struct cscg_predict_settings set = { 0 };
	struct cscg_predictor *p = need(cscg_predictor_new(one, 1, &set,
	    &err));
	double q[S], best = -1, v, top[S] = { 0 }, logp;
	int a[2] = { 1, 0 }, z[2], x[2], at[2] = { 0 }, which, i, j, k, y;

	need(cscg_predictor_observe(p, -1, 0, NULL, &err) < 0 ? NULL : p);
	cscg_predictor_get_belief(p, 0, q);
	for (j = 0; j < S; j++)
		for (y = 0; y < K; y++)
			top[j] = fmax(top[j], cscg_model_E(m, j, y));
	for (i = 0; i < S; i++)
		for (j = 0; j < S; j++)
			for (k = 0; k < S; k++) {
				v = q[i] * cscg_model_T(m, 1, i, j) * top[j] *
				    cscg_model_T(m, 0, j, k) * top[k];
				if (v > best) {
					best = v;
					at[0] = j;
					at[1] = k;
				}
			}
	need(cscg_predictor_path(p, a, 2, z, x, &which, &logp, &err) < 0 ?
		NULL :
		p);
	cscg_predictor_free(p);
	return z[0] == at[0] && z[1] == at[1] && which == 0 &&
	    near(logp, log(best), 1e-12) &&
	    cscg_model_E(m, z[0], x[0]) == top[z[0]] &&
	    cscg_model_E(m, z[1], x[1]) == top[z[1]];
}

/* 0 -> 1 -> 2 -> 0, deterministic; states 0 and 2 emit symbol 0. */
static struct cscg_model *
ring(void)
{
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, 3, 1, 3,
	    &err));
	const struct cscg_count c[] = { { 0, 0, 2, 1 }, { 0, 2, 1, 1 },
		{ 0, 1, 0, 1 } };

	m->is_double = true;
	m->clone[0] = m->clone[1] = 0;
	m->clone[2] = 1;
	need(cscg_model_set_counts(m, c, 3, &err) < 0 ? NULL : m);
	return m;
}

static double
nats_of(struct cscg_predictor *p, int a, int x)
{
	double nats;

	need(cscg_predictor_observe(p, a, x, &nats, &err) < 0 ? NULL : p);
	return nats;
}

/* Symbols and transitions of probability 0, by hand. */
static void
test_escape(void)
{
	struct cscg_model *m = ring();
	const struct cscg_model *const one[] = { m };
	const double P = .1, floor = P / 4;
	struct cscg_predict_settings set = { .unseen = P };
	struct cscg_predictor *p = need(cscg_predictor_new(one, 1, &set,
	    &err));
	double prob[4], q[3];

	/* State 2 is certain after its symbol; the next is state 1. */
	ok(near(nats_of(p, -1, 1), -log(.9 / 3 + floor), 1e-12),
	    "NLL of a symbol of one of three states");
	need(cscg_predictor_next(p, 0, prob, &err) < 0 ? NULL : p);
	ok(near(prob[0], .9 + floor, 1e-12) && near(prob[1], floor, 1e-12) &&
		near(prob[2], floor, 1e-12) && near(prob[3], floor, 1e-12),
	    "all symbols and the unknown one have the floor; the sum is 1");
	ok(near(nats_of(p, 0, 1), -log(floor), 1e-12),
	    "an impossible transition has the escape probability");
	cscg_predictor_get_belief(p, 0, q);
	ok(q[0] == 0 && q[1] == 0 && q[2] == 1,
	    "after an impossible transition the belief restarts from the "
	    "symbol");
	ok(near(nats_of(p, 0, 3), -log(floor), 1e-12),
	    "an unknown symbol has the escape probability");
	cscg_predictor_get_belief(p, 0, q);
	ok(q[1] == 1, "an unknown symbol is treated as missing in the belief");
	ok(near(nats_of(p, 0, 2), -log(floor), 1e-12),
	    "a symbol that no state emits has the escape probability");
	cscg_predictor_get_belief(p, 0, q);
	ok(q[0] == 1,
	    "a symbol that no state emits is treated as missing in the "
	    "belief");
	ok(near(nats_of(p, 0, 0), -log(floor), 1e-12),
	    "an impossible symbol of two states has the escape probability");
	cscg_predictor_get_belief(p, 0, q);
	ok(q[0] == .5 && q[1] == .5,
	    "after it the belief restarts from both states");
	ok(nats_of(p, 0, -1) == 0, "a missing observation has NLL 0");
	cscg_predictor_free(p);

	set.unseen = 0;
	p = need(cscg_predictor_new(one, 1, &set, &err));
	nats_of(p, -1, 1);
	ok(isinf(nats_of(p, 0, 1)) && isinf(nats_of(p, 0, 0)),
	    "without escape probability an impossible step has infinite NLL");
	need(cscg_predictor_next(p, 0, prob, &err) < 0 ? NULL : p);
	ok(prob[0] == 0 && prob[3] == 0,
	    "after an impossible step all predictions are 0");
	ok(near(nats_of(p, -1, 0), -log(2. / 3), 1e-12),
	    "a relocation makes predictions possible again");
	cscg_predictor_free(p);
	cscg_model_free(m);
}

/* Two models with other names of symbols. */
static void
test_names(void)
{
	struct cscg_model *m = ring(), *o = ring();
	const struct cscg_model *const both[] = { m, o };
	struct cscg_predict_settings set = { .unseen = .1 };
	struct cscg_predictor *p;
	const char *const mine[] = { "a", "b", "c", NULL };
	const char *const theirs[] = { "b", "d", "a", NULL };
	const double prior[] = { 1, 4 };
	double prob[5], q, weight[2];
	struct cscg_alphabet names;

	need(cscg_names_set(&m->symbols, mine, &err) < 0 ? NULL : m);
	need(cscg_names_set(&o->symbols, theirs, &err) < 0 ? NULL : o);
	p = need(cscg_predictor_new(both, 2, &set, &err));
	names = cscg_predictor_alphabet(p);
	ok(names.n_symbols == 4 && !strcmp(names.symbols[3], "d"),
	    "alphabets of two models are joined by name");
	need(cscg_predictor_next(p, -1, prob, &err) < 0 ? NULL : p);
	/* First model: a 2/3, b 1/3; second: b 2/3, d 1/3. */
	ok(near(prob[0], .9 / 3 + .02, 1e-12) &&
		near(prob[1], .9 / 2 + .02, 1e-12) &&
		near(prob[2], .02, 1e-12) && near(prob[3], .15 + .02, 1e-12) &&
		near(prob[4], .02, 1e-12),
	    "two models are mixed with equal weights");
	nats_of(p, -1, 3);
	need(cscg_predictor_next(p, 0, prob, &err) < 0 ? NULL : p);
	q = (.9 / 3 + .02) / (.9 / 3 + .02 + .02);
	/* After d the second model expects b; the first expects anything that
	   follows from a random state: a 2/3, b 1/3. */
	ok(near(prob[1], .9 * (q + (1 - q) / 3) + .02, 1e-12),
	    "a symbol of one model shifts the weight to this model");
	cscg_predictor_free(p);

	/* If only one of them has names, symbols are joined by number. */
	cscg_names_free(&m->symbols);
	set = (struct cscg_predict_settings){ .prior = prior };
	p = need(cscg_predictor_new(both, 2, &set, &err));
	names = cscg_predictor_alphabet(p);
	ok(names.n_symbols == 3 && !strcmp(names.symbols[0], "b"),
	    "without names of one model those of the other are used");
	/* No model has a state for symbol 2. */
	ok(isinf(nats_of(p, -1, 2)), "a symbol without a state is impossible");
	cscg_predictor_get_weights(p, weight);
	ok(near(weight[0], .2, 1e-12) && near(weight[1], .8, 1e-12),
	    "a symbol that no model explains leaves the weights");
	cscg_predictor_free(p);
	cscg_model_free(m);
	cscg_model_free(o);
}

/* The SIMD kernels and the plain loops give the same results. */
static void
test_simd(void)
{
	struct cscg_model *m = random_model(false, false);
	struct cscg_trans *tr = need(cscg_trans_new(m, &cscg_plain_float,
	    &err));
	const struct cscg_simd *simd;
	struct cscg_filter_options how = { .restart = true };
	struct cscg_filter *plain = need(cscg_filter_new(tr, &how, &err)), *b;
	double p[K], q[K], worst = 0, probs[S], others[S];
	int i, t, y, a = -1, x;

	for (i = 0; (simd = cscg_cpu_simd(i)); i++) {
		how.simd = simd;
		b = need(cscg_filter_new(tr, &how, &err));
		cscg_filter_reset(plain);
		for (t = 0, a = -1; t < 200; t++) {
			x = (int)cscg_rng_below(&rng, K + 2) - 2;
			cscg_filter_predict(plain, a, p);
			if (t % 3)
				cscg_filter_predict(b, a, q);
			for (y = 0; y < K && t % 3; y++)
				worst = fmax(worst, fabs(p[y] - q[y]));
			worst = fmax(worst,
			    fabs(cscg_filter_observe(plain, a, x) -
				cscg_filter_observe(b, a, x)));
			cscg_filter_probs(plain, probs);
			cscg_filter_probs(b, others);
			for (y = 0; y < S; y++)
				worst = fmax(worst,
				    fabs(probs[y] - others[y]));
			a = (int)cscg_rng_below(&rng, A);
		}
		cscg_filter_free(b);
	}
	ok(i > 0 && worst < 1e-6, "%d SIMD kernels agree with the plain loops",
	    i);
	cscg_filter_free(plain);
	cscg_trans_free(tr);
	cscg_model_free(m);
}

static void
test_faults(void)
{
	struct cscg_model *m = ring();
	const struct cscg_model *const one[] = { m };
	struct cscg_predict_settings set = { .unseen = 1 };
	double prior[] = { 0 }, prob[4];
	struct cscg_predictor *p;

	ok(!cscg_predictor_new(one, 1, &set, &err) && err.code == CSCG_EUSAGE,
	    "an escape probability of 1 is refused");
	ok(!cscg_predictor_new(one, 0, NULL, &err) && err.code == CSCG_EUSAGE,
	    "no models are refused");
	set = (struct cscg_predict_settings){ .prior = prior };
	ok(!cscg_predictor_new(one, 1, &set, &err) && err.code == CSCG_EUSAGE,
	    "a prior of 0 is refused");
	p = need(cscg_predictor_new(one, 1, NULL, &err));
	ok(cscg_predictor_observe(p, 1, 0, NULL, &err) < 0 &&
		err.code == CSCG_ERANGE,
	    "an unknown action is refused");
	ok(cscg_predictor_observe(p, 0, 4, NULL, &err) < 0 &&
		err.code == CSCG_ERANGE,
	    "a symbol out of range is refused");
	ok(cscg_predictor_observe(p, -2, 0, NULL, &err) < 0 &&
		strstr(err.msg, "action -2 is outside -1..0"),
	    "an action below -1 is refused");
	ok(cscg_predictor_observe(p, 0, -2, NULL, &err) < 0 &&
		strstr(err.msg, "symbol -2 is outside -1..3"),
	    "a symbol below -1 is refused");
	ok(cscg_predictor_next(p, 1, prob, &err) < 0 &&
		err.code == CSCG_ERANGE &&
		cscg_predictor_ahead(p, 1, 1, prob, &err) < 0 &&
		err.code == CSCG_ERANGE,
	    "nothing is predicted for an unknown action");
	cscg_predictor_free(p);
	cscg_model_unground(m, CSCG_CLONES);
	ok(!cscg_predictor_new(one, 1, NULL, &err) &&
		err.code == CSCG_EMISMATCH,
	    "a schema is refused");
	cscg_model_free(m);
}

int
main(void)
{
	double clones = 0, rows = 0, zeros = 0, noisy = 0, mixture = 0,
	       ahead = 0;
	const double prior[MODELS] = { .2, .5, .3 };
	bool best = true;
	int i, j;

	cscg_rng_seed(&rng, 7, CSCG_RNG_TEST, 0, 0);
	for (i = 0; i < 30; i++) {
		struct cscg_model *m[MODELS];

		for (j = 0; j < MODELS; j++)
			m[j] = random_model(j == 1, false);
		clones = fmax(clones, filter_error(m[0], 0));
		noisy = fmax(noisy, filter_error(m[0], .2));
		rows = fmax(rows, filter_error(m[1], 0));
		mixture = fmax(mixture,
		    mixture_error((const struct cscg_model *const *)m, 1,
			NULL));
		mixture = fmax(mixture,
		    mixture_error((const struct cscg_model *const *)m, MODELS,
			i % 2 ? prior : NULL));
		ahead = fmax(ahead, ahead_error(m[i % 2]));
		best &= path_is_best(m[i % 2]);
		for (j = 0; j < MODELS; j++)
			cscg_model_free(m[j]);
		m[0] = random_model(false, true);
		zeros = fmax(zeros, filter_error(m[0], 0));
		cscg_model_free(m[0]);
	}
	ok(clones < 1e-12, "emissions by clone: largest error %g", clones);
	ok(zeros < 1e-12, "impossible transitions: largest error %g", zeros);
	ok(noisy < 1e-12, "misreading probability: largest error %g", noisy);
	ok(rows < 1e-12, "emission rows: largest error %g", rows);
	ok(mixture < 1e-12, "mixtures and their weights: largest error %g",
	    mixture);
	ok(ahead < 1e-12,
	    "three steps ahead, random actions: largest error %g", ahead);
	ok(best, "the most probable path of two steps is that of enumeration");
	test_escape();
	test_names();
	test_simd();
	test_faults();
	return done();
}
