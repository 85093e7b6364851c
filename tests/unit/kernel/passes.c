/*
 * passes.c - single steps of the passes by sums over all states, their memory, and
 * episodes of which one is impossible
 */
#include <string.h>

#include "kernel/passes.h"
#include "tap.h"
#include "walker.h"

enum { S = 9, A = 2, K = 3, N = 13 };

static struct cscg_rng rng;

/* Three states of each symbol; a third of the transitions is impossible. */
static struct cscg_model *
new_model(void)
{
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, S, A, K,
	    &err));
	double dense[A * S * S];
	int i;

	for (i = 0; i < S; i++)
		m->clone[i] = i / 3;
	for (i = 0; i < A * S * S; i++)
		dense[i] = cscg_rng_below(&rng, 3) ? cscg_rng_uniform(&rng) :
						     0;
	need(cscg_model_set_dense(m, dense, 0, &err) < 0 ? NULL : m);
	m->pseudocount = 0;
	return m;
}

/* ---- prediction ---- */

/* How the weights of the states are given. */
enum form { NONE, WEIGHT, LOG_WEIGHT, TOP, FORMS };

/*
 * out * exp(log_scale) = (in * weights) T, for states with and without weight; 0 if
 * no state has any.
 */
static void
predictions(const struct cscg_kernel *kern, const char *name)
{
	struct cscg_model *m = new_model();
	struct cscg_trans *tr = need(cscg_trans_new(m, kern, &err));
	struct cscg_work work = { 0 };
	double in[S], w[S], log_w[S], from[S], weight[S], to[S], got[S], scale,
	    want;
	int i, j, k, a, rc, bad = 0;
	enum form form;

	for (i = 0; i < 40; i++) {
		struct cscg_span s = { .hi = S };

		form = i % FORMS;
		a = i % A;
		for (j = 0; j < S; j++) {
			in[j] = cscg_rng_below(&rng, 4) ?
			    cscg_rng_uniform(&rng) :
			    0;
			w[j] = form == NONE ? 1 :
			    form == TOP     ? (j >= 2 && j < 6 ? .8 : .05) :
			    cscg_rng_below(&rng, 3) && i < 36 ?
					  .1 + cscg_rng_uniform(&rng) :
					  0;
			log_w[j] = log(w[j]);
		}
		if (i >= 36)
			memset(in, 0, sizeof in);
		kern->set(from, in, S);
		kern->set(weight, w, S);
		if (kern->is_log)
			for (j = 0; j < S; j++) {
				from[j] = log(in[j]);
				weight[j] = log(w[j]);
			}
		s.weight = form == WEIGHT ? weight : NULL;
		s.log_weight = form == LOG_WEIGHT ? log_w : NULL;
		if (form == TOP) {
			s.inner_lo = 2;
			s.inner_hi = 6;
			s.top = .8;
			s.floor = .05;
		}
		rc = cscg_pass_predict(tr, a, &s, from, &work, to, &scale,
		    &err);
		bad += rc != (i < 36);
		kern->get(to, got, S);
		for (k = 0; k < S && rc == 1; k++) {
			for (want = 0, j = 0; j < S; j++)
				want += in[j] * w[j] *
				    cscg_model_T(m, a, j, k);
			bad += !near(kern->is_log ? exp(to[k] + scale) :
						    got[k] * exp(scale),
			    want, 1e-5);
		}
		/* What is left sums to one. */
		for (want = 0, k = 0; k < S && rc == 1; k++)
			want += kern->is_log ? exp(to[k]) : got[k];
		bad += rc == 1 && !near(want, 1, 1e-5);
	}
	ok(!bad, "%s: prediction from weighted states", name);
	cscg_work_free(&work);
	cscg_trans_free(tr);
	cscg_model_free(m);
}

/* ---- chunks ---- */

static double visits[N][S];

static double *
visits_at(void *ctx, long t)
{
	(void)ctx;
	return visits[t];
}

/* A walk of the model, with missing symbols and a reset. */
static struct cscg_walk *
new_walk(const struct cscg_model *m, int episodes)
{
	struct cscg_walk_header head = { .n_actions = A, .n_obs = K };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	int t, e, z = 0, k;

	for (e = 0; e < episodes; e++)
		for (t = 0; t < N; t++) {
			struct cscg_step s = { .x = t % 5 == 3 ? -1 :
								 m->clone[z],
				.a = t + 1 < N ? (int)cscg_rng_below(&rng, A) :
						 -1,
				.reset = t == 7,
				.z = -1,
				.goal = -1,
				.r = NAN };

			need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
			if (s.a < 0)
				continue;
			k = (int)cscg_rng_below(&rng, S);
			while (!(cscg_model_T(m, s.a, z, k) > 0))
				k = (k + 1) % S;
			z = k;
		}
	return w;
}

/*
 * Any number of messages that are kept gives the same likelihood, posterior,
 * transitions and path, with less memory.
 */
static void
chunks(const struct cscg_kernel *kern, const char *name)
{
	struct cscg_model *m = new_model();
	struct cscg_trans *tr = need(cscg_trans_new(m, kern, &err));
	struct cscg_walk *w = new_walk(m, 1);
	double counts[2][A * S * S], start[2][S], first[N][S], loglik[2],
	    logp[2], p[N];
	int path[2][N], bad = 0, i;
	long chunk, t;

	for (chunk = 0; chunk <= N + 1; chunk++) {
		struct cscg_work work = { .chunk = chunk };
		struct cscg_sink sink = { .visits = visits_at };

		i = chunk > 0;
		sink.counts = counts[i];
		sink.start = start[i];
		memset(visits, 0, sizeof visits);
		memset(counts[i], 0, sizeof counts[i]);
		memset(start[i], 0, sizeof start[i]);
		need(cscg_forward(tr, w, 0, &work, &loglik[i], &err) < 0 ?
			NULL :
			w);
		bad += work.n != N || work.n_possible != N;
		if (!chunk)
			memcpy(p, work.p, sizeof p);
		bad += memcmp(p, work.p, sizeof p) != 0;
		bad += cscg_backward(tr, w, 0, &work, &sink) != -1;
		if (!chunk)
			memcpy(first, visits, sizeof first);
		bad += memcmp(first, visits, sizeof first) != 0;
		need(cscg_viterbi(tr, w, 0, &work, path[i], &logp[i], &err) <
			    0 ?
			NULL :
			w);
		bad += chunk &&
		    (loglik[0] != loglik[1] || logp[0] != logp[1] ||
			memcmp(counts[0], counts[1], sizeof counts[0]) ||
			memcmp(start[0], start[1], sizeof start[0]) ||
			memcmp(path[0], path[1], sizeof path[0]));
		cscg_work_free(&work);
		bad += work.n || work.p || work.message || work.chunk;
	}
	/* Each step is in one state, and starts twice. */
	for (t = 0; t < N; t++) {
		double sum = 0;

		for (i = 0; i < S; i++)
			sum += first[t][i];
		bad += !near(sum, 1, 1e-5);
	}
	for (logp[0] = loglik[0] = 0, i = 0; i < A * S * S; i++)
		logp[0] += counts[0][i];
	for (i = 0; i < S; i++)
		loglik[0] += start[0][i];
	ok(!bad && near(logp[0], N - 2, 1e-5) && near(loglik[0], 2, 1e-5),
	    "%s: any number of messages kept", name);
	cscg_walk_free(w);
	cscg_trans_free(tr);
	cscg_model_free(m);
}

/* Messages of 2^28 bytes are kept, otherwise about the square root of their number. */
static void
limits(void)
{
	struct cscg_model *m = new_model();
	struct cscg_trans *tr = need(cscg_trans_new(m, &cscg_plain_double,
	    &err));
	struct cscg_work work = { 0 };
	long most = (1L << 28) / (8 * tr->widest);

	cscg_work_limit(&work, tr, most);
	ok(tr->widest == 3 && work.chunk == 0, "256 MB of messages are kept");
	cscg_work_limit(&work, tr, most + 1);
	ok(work.chunk == (long)ceil(sqrt((double)most + 1)),
	    "a step more: %ld are kept at once", work.chunk);
	cscg_trans_free(tr);
	cscg_model_free(m);
}

/* ---- episodes ---- */

/* An impossible episode makes the likelihood 0, and adds nothing. */
static void
episodes(void)
{
	struct cscg_model *m = new_model();
	struct cscg_trans *tr = need(cscg_trans_new(m, &cscg_plain_double,
	    &err));
	struct cscg_walk *w = new_walk(m, 3);
	double counts[2][A * S * S] = { { 0 } }, sum = 0, one, loglik;
	struct cscg_sink sink = { .counts = counts[0] };
	struct cscg_work work = { 0 };
	int path[3 * N], e, i, bad = 0;
	double logp, all = 0;

	need(cscg_expect(tr, w, &work, &sink, &loglik, &err) < 0 ? NULL : w);
	sink.counts = counts[1];
	for (e = 0; e < 3; e++) {
		need(cscg_forward(tr, w, e, &work, &one, &err) < 0 ? NULL : w);
		cscg_backward(tr, w, e, &work, &sink);
		sum += one;
	}
	ok(loglik == sum && !memcmp(counts[0], counts[1], sizeof counts[0]),
	    "episodes one by one: %.2f", loglik);
	need(cscg_viterbi_all(tr, w, &work, path, &logp, &err) < 0 ? NULL : w);
	for (e = 0; e < 3; e++) {
		int own[N];

		need(cscg_viterbi(tr, w, e, &work, own, &one, &err) < 0 ?
			NULL :
			w);
		all += one;
		bad += memcmp(own, path + N * e, sizeof own) != 0;
	}
	ok(!bad && all == logp, "their paths: %.2f", logp);
	/* No state shows the first symbol after action 0. */
	for (i = 0; i < A * S * S; i++)
		counts[0][i] = i < S * S && i % S < 3 ? 0 : 1;
	need(cscg_model_set_dense(m, counts[0], 0, &err) < 0 ? NULL : m);
	cscg_trans_free(tr);
	tr = need(cscg_trans_new(m, &cscg_plain_double, &err));
	for (i = 0; i < 3 * N; i++) {
		w->x[i] = 1;
		if (w->a[i] >= 0)
			w->a[i] = 0;
	}
	w->x[N + 5] = 0;
	memset(counts[0], 0, sizeof counts[0]);
	sink.counts = counts[0];
	need(cscg_expect(tr, w, &work, &sink, &loglik, &err) < 0 ? NULL : w);
	for (sum = 0, i = 0; i < A * S * S; i++)
		sum += counts[0][i];
	/* A run starts at step 7 too. */
	ok(isinf(loglik) && near(sum, 2 * (N - 2), 1e-9),
	    "an impossible episode is left out: %g transitions", sum);
	need(cscg_forward(tr, w, 1, &work, &one, &err) < 0 ? NULL : w);
	ok(isinf(one) && work.n_possible == 5 && work.p[4] > 0 &&
		work.p[5] == 0 && work.p[N - 1] == 0,
	    "the first impossible step");
	need(cscg_viterbi(tr, w, 1, &work, path, &logp, &err) < 0 ? NULL : w);
	ok(isinf(logp) && path[4] >= 3 && path[5] == -1 && path[N - 1] == -1,
	    "no state from there on");
	cscg_work_free(&work);
	cscg_walk_free(w);
	cscg_trans_free(tr);
	cscg_model_free(m);
}

int
main(void)
{
	cscg_rng_seed(&rng, 4, CSCG_RNG_TEST, 0, 3);
	predictions(&cscg_plain_double, "double");
	predictions(&cscg_plain_float, "single");
	predictions(&cscg_plain_log, "logs");
	chunks(&cscg_plain_double, "double");
	chunks(&cscg_plain_float, "single");
	chunks(&cscg_plain_log, "logs");
	limits();
	episodes();
	return done();
}
