/*
 * gaussian.c - frames as evidence, against the enumeration of all paths of a
 * tiny model
 *
 * brute/paths.c has emissions of symbols only: here symbols are frames, and the
 * emission of a state is the density of the frame about its centroid.  The
 * enumeration does not require that these sum to one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "brute/paths.h"
#include "core/codebook.h"
#include "base/mem.h"
#include "learn/gaussian.h"
#include "tap.h"
#include "walker.h"

enum { S = 3, A = 2, F = 4, D = 2, N = 7 };

static const double pixel[F][D] = {
	{ 0, 0.25 },
	{ 1.5, -0.5 },
	{ 2, 2 },
	{ -1, 1 },
};
static const double centre[S][D] = { { 0.5, 0 }, { 1, 1 }, { -0.25, 0.75 } };
static const double sigma2 = 0.75;

/* The frames above, each as a view with its number. */
static struct cscg_frames *
frames(void)
{
	struct cscg_frames *f = need(cscg_frames_new(CSCG_PIXEL_DOUBLE, 1,
	    (long[]){ D }, &err));
	int i;

	for (i = 0; i < F; i++)
		need(cscg_frames_add(f, i, pixel[i], &err) < 0 ? NULL : f);
	for (i = 0; i < F; i++)
		f->weight[i] = 1;
	return f;
}

/* A schema of two groups, 0 1 | 2, with transitions far from deterministic. */
static struct cscg_model *
schema(double pseudocount)
{
	static const struct cscg_count c[] = {
		{ 0, 0, 1, 3 },
		{ 0, 1, 2, 2 },
		{ 0, 2, 0, 1 },
		{ 0, 2, 2, 1 },
		{ 1, 0, 0, 2 },
		{ 1, 1, 0, 4 },
		{ 1, 2, 1, 1.5 },
	};
	struct cscg_model *m = need(cscg_model_new(CSCG_CLONES, S, A, 2,
	    &err));

	m->clone[2] = 1;
	m->pseudocount = pseudocount;
	need(cscg_model_set_counts(m, c, 7, &err) < 0 ? NULL : m);
	return m;
}

/*
 * Seven steps: the third is a dropout, and there is a reset before the sixth.
 */
static struct cscg_walk *
walk(void)
{
	static const int x[N] = { 0, 1, -1, 2, 3, 0, 1 };
	static const int a[N] = { 0, 1, 0, 0, 1, 1, -1 };
	struct cscg_walk_header head = { .n_actions = A, .n_obs = F };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	int t;

	for (t = 0; t < N; t++) {
		struct cscg_step s = { .x = x[t],
			.a = a[t],
			.z = -1,
			.goal = -1,
			.r = NAN,
			.view = x[t] + 1,
			.reset = t == 5 };

		need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
	}
	return w;
}

static double
density(const double *x, const double *mu)
{
	double sum = 0;
	int i;

	for (i = 0; i < D; i++)
		sum += (x[i] - mu[i]) * (x[i] - mu[i]);
	return exp(-sum / (2 * sigma2)) / pow(2 * M_PI * sigma2, D / 2.0);
}

/* Results of the enumeration, with one mu per state or group. */
struct oracle {
	struct brute b;
	double gamma[N * S], xi[A * S * S];
};

static void
ask(const struct cscg_model *m, const struct cscg_walk *w, const int *unit,
    const double *mu, const double *pi, struct oracle *o)
{
	struct cscg_model copy = *m;
	long first[S + 1];
	int obs[S * F], j, f;
	double p[S * F];

	for (j = 0; j < S; j++) {
		first[j] = j * F;
		for (f = 0; f < F; f++) {
			obs[j * F + f] = f;
			p[j * F + f] = density(pixel[f], mu + unit[j] * D);
		}
	}
	first[S] = S * F;
	copy.e_first = first;
	copy.e_obs = obs;
	copy.e_p = p;
	copy.pi = (double *)(uintptr_t)pi;
	o->b = (struct brute){ .gamma = o->gamma, .xi = o->xi };
	brute_paths(&copy, w, 0, &o->b);
}

/* The largest difference of a and b. */
static double
off(const double *a, const double *b, int n)
{
	double most = 0;
	int i;

	for (i = 0; i < n; i++)
		most = fmax(most, fabs(a[i] - b[i]));
	return most;
}

/* The means by the posterior of all paths: the M-step. */
static void
means(const struct oracle *o, const struct cscg_walk *w, const int *unit,
    int n_units, double *mu)
{
	double all[S] = { 0 };
	int t, j, i;

	memset(mu, 0, S * D * sizeof *mu);
	for (t = 0; t < N; t++)
		for (j = 0; j < S && w->x[t] >= 0; j++) {
			all[unit[j]] += o->gamma[t * S + j];
			for (i = 0; i < D; i++)
				mu[unit[j] * D + i] += o->gamma[t * S + j] *
				    pixel[w->x[t]][i];
		}
	for (j = 0; j < n_units; j++)
		for (i = 0; i < D; i++)
			mu[j * D + i] /= all[j];
}

static void
test_bind(bool tied, double pseudocount)
{
	struct cscg_frames *f = frames();
	struct cscg_model *m = schema(pseudocount);
	struct cscg_walk *w = walk();
	double mu[S * D], pi[S] = { 0.5, 0.3, 0.2 }, start[S], want[S * D];
	double seen[F * S], expected[F * S] = { 0 };
	struct cscg_gaussian set = {
		.frames = f, .sigma2 = sigma2, .threads = 1
	};
	struct cscg_em_progress last;
	struct oracle o;
	int unit[S], n, j, t;
	const char *how = tied ? "tied" : "free";

	n = cscg_frame_emission_units(m, tied, unit);
	ok(n == (tied ? 2 : 3) && unit[2] == n - 1, "%s: %d centroids", how,
	    n);
	memcpy(mu, centre, sizeof mu);
	ask(m, w, unit, mu, pi, &o);
	need(cscg_gaussian_bind(m, w, &set, unit, n, mu, pi, seen, &last,
		 &err) < 0 ?
		NULL :
		m);
	ok(near(last.loglik, log(o.b.lik), 1e-12),
	    "%s: the likelihood is the sum over all paths (p %g)", how,
	    pseudocount);
	for (t = 0; t < N; t++)
		for (j = 0; j < S && w->x[t] >= 0; j++)
			expected[w->x[t] * S + j] += o.gamma[t * S + j];
	ok(off(seen, expected, F * S) < 1e-13,
	    "%s: expected state counts of frames are sums over all paths",
	    how);

	means(&o, w, unit, n, want);
	for (j = 0; j < S; j++)
		start[j] = (o.gamma[j] + o.gamma[5 * S + j]) / 2;
	set.iterations = 1;
	set.learn_pi = true;
	need(cscg_gaussian_bind(m, w, &set, unit, n, mu, pi, NULL, &last,
		 &err) < 0 ?
		NULL :
		m);
	ok(off(mu, want, n * D) < 1e-12,
	    "%s: an update gives the means of the posterior", how);
	ok(off(pi, start, S) < 1e-13,
	    "%s: pi is the posterior of start states", how);
	ask(m, w, unit, mu, pi, &o);
	ok(near(last.loglik, log(o.b.lik), 1e-12),
	    "%s: the last report is about the returned parameters", how);
	cscg_frames_free(f);
	cscg_model_free(m);
	cscg_walk_free(w);
}

static int
rises(void *ctx, const struct cscg_em_progress *line)
{
	double *low = ctx;

	if (line->objective < low[0] - 1e-10)
		low[1]++;
	low[0] = line->objective;
	return 0;
}

static void
test_climb(void)
{
	struct cscg_frames *f = frames();
	struct cscg_model *m = schema(0.01);
	struct cscg_walk *w = walk();
	double mu[S * D], pi[S] = { 0.5, 0.3, 0.2 }, low[2] = { -INFINITY, 0 };
	struct cscg_gaussian set = { .frames = f,
		.sigma2 = sigma2,
		.threads = 1,
		.iterations = 50,
		.learn_pi = true,
		.report = rises,
		.ctx = low };
	struct cscg_em_progress last;
	int unit[S], n = cscg_frame_emission_units(m, false, unit);

	memcpy(mu, centre, sizeof mu);
	need(cscg_gaussian_bind(m, w, &set, unit, n, mu, pi, NULL, &last,
		 &err) < 0 ?
		NULL :
		m);
	ok(last.iteration == 50 && low[1] == 0,
	    "no update of mu decreases the likelihood");
	low[0] = -INFINITY;
	need(cscg_gaussian_learn(m, w, &set, unit, n, mu, 0.01, &last, &err) <
		    0 ?
		NULL :
		m);
	ok(last.iteration == 50 && low[1] == 0,
	    "no update of T decreases the objective");
	ok(m->pi != NULL, "learning T keeps the learned pi");
	cscg_frames_free(f);
	cscg_model_free(m);
	cscg_walk_free(w);
}

/* Expected transitions, and the objective, are those of all paths. */
static void
test_learn(double pseudocount)
{
	struct cscg_frames *f = frames();
	struct cscg_model *m = schema(0.5);
	struct cscg_walk *w = walk();
	double pi[S] = { 1.0 / 3, 1.0 / 3, 1.0 / 3 }, got[A * S * S] = { 0 };
	double penalty = 0;
	struct cscg_gaussian set = {
		.frames = f, .sigma2 = sigma2, .threads = 1
	};
	struct cscg_em_progress last;
	struct oracle o;
	int unit[S], n = cscg_frame_emission_units(m, false, unit), a, j, k;
	long i;

	m->pseudocount = pseudocount;
	ask(m, w, unit, centre[0], pi, &o);
	for (a = 0; a < A && pseudocount > 0; a++)
		for (j = 0; j < S; j++)
			for (k = 0; k < S; k++)
				penalty += log(cscg_model_T(m, a, j, k));
	need(cscg_gaussian_learn(m, w, &set, unit, n, centre[0], pseudocount,
		 &last, &err) < 0 ?
		NULL :
		m);
	ok(near(last.objective, log(o.b.lik) + pseudocount * penalty, 1e-12),
	    "learning T: the objective is that of enumeration (p %g)",
	    pseudocount);
	set.iterations = 1;
	need(cscg_gaussian_learn(m, w, &set, unit, n, centre[0], pseudocount,
		 &last, &err) < 0 ?
		NULL :
		m);
	for (a = 0; a < A; a++)
		for (j = 0; j < S; j++)
			for (i = m->first[a * S + j];
			     i < m->first[a * S + j + 1]; i++)
				got[(a * S + j) * S + m->to[i]] = m->count[i];
	ok(off(got, o.xi, A * S * S) < 1e-9,
	    "learning T: counts are the expected transitions");
	cscg_frames_free(f);
	cscg_model_free(m);
	cscg_walk_free(w);
}

/*
 * Frames of 5000 numbers around a ring of three states, deterministic: there
 * are three paths, one for each start, and the log-likelihood of each is a
 * closed sum.  The density of a step is far below the smallest double.
 */
static void
test_far(void)
{
	enum { BIG = 5000, STEPS = 4 };
	static const struct cscg_count c[] = {
		{ 0, 0, 1, 1 },
		{ 0, 1, 2, 1 },
		{ 0, 2, 0, 1 },
	};
	/* Frame v is v everywhere; the centroids are at 0, 1 and 2. */
	static const int shown[STEPS] = { 1, 2, 2, 1 };
	struct cscg_walk_header head = { .n_actions = 1, .n_obs = 3 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_model *m = need(cscg_model_new(CSCG_SCHEMA, 3, 1, 1,
	    &err));
	struct cscg_frames *f = need(cscg_frames_new(CSCG_PIXEL_BYTE, 1,
	    (long[]){ BIG }, &err));
	double *mu = need(cscg_alloc(3 * BIG, sizeof *mu, &err));
	double pi[3] = { 1.0 / 3, 1.0 / 3, 1.0 / 3 }, path[3] = { 0 }, top;
	unsigned char frame[BIG];
	struct cscg_gaussian set = {
		.frames = f, .sigma2 = 0.01, .threads = 2
	};
	struct cscg_em_progress last;
	int unit[3] = { 0, 1, 2 }, i, t;

	need(cscg_model_set_counts(m, c, 3, &err) < 0 ? NULL : m);
	for (i = 0; i < 3; i++) {
		memset(frame, i, sizeof frame);
		need(cscg_frames_add(f, i, frame, &err) < 0 ? NULL : f);
		f->weight[i] = 1;
		for (t = 0; t < BIG; t++)
			mu[i * BIG + t] = i;
	}
	for (t = 0; t < STEPS; t++) {
		struct cscg_step s = { .x = 0,
			.a = t < STEPS - 1 ? 0 : -1,
			.z = -1,
			.goal = -1,
			.r = NAN,
			.view = 1 + shown[t] };

		need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
		for (i = 0; i < 3; i++)
			path[i] += -BIG * pow(shown[t] - (i + t) % 3, 2) /
				(2 * 0.01) -
			    BIG / 2.0 * log(2 * M_PI * 0.01);
	}
	need(cscg_gaussian_bind(m, w, &set, unit, 3, mu, pi, NULL, &last,
		 &err) < 0 ?
		NULL :
		m);
	top = fmax(path[0], fmax(path[1], path[2]));
	top += log(
	    (exp(path[0] - top) + exp(path[1] - top) + exp(path[2] - top)) /
	    3);
	ok(isfinite(last.loglik) && near(last.loglik, top, 1e-13),
	    "densities outside the range of double: %.17g", last.loglik);
	free(mu);
	cscg_frames_free(f);
	cscg_walk_free(w);
	cscg_model_free(m);
}

static void
test_impossible(void)
{
	struct cscg_model *m = need(cscg_model_new(CSCG_SCHEMA, 2, 1, 1,
	    &err));
	struct cscg_walk_header head = { .n_actions = 1, .n_obs = 1 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_frames *f = frames();
	struct cscg_count c[] = { { 0, 0, 1, 1 }, { 0, 1, 1, 1 } };
	double mu[2 * D] = { 0 }, pi[2] = { 0, 0 };
	struct cscg_gaussian set = { .frames = f, .sigma2 = 1, .threads = 1 };
	struct cscg_step s = {
		.x = 0, .a = -1, .z = -1, .goal = -1, .r = NAN, .view = 1
	};
	struct cscg_em_progress last;
	int unit[2] = { 0, 1 };

	need(cscg_model_set_counts(m, c, 2, &err) < 0 ? NULL : m);
	need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
	ok(cscg_gaussian_bind(m, w, &set, unit, 2, mu, pi, NULL, &last, &err) <
		    0 &&
		err.code == CSCG_ERANGE,
	    "an impossible walk is refused");
	cscg_frames_free(f);
	cscg_walk_free(w);
	cscg_model_free(m);
}

int
main(void)
{
	test_bind(false, 0.25);
	test_bind(true, 0.25);
	test_bind(false, 0);
	test_bind(true, 0);
	test_climb();
	test_learn(0.5);
	test_learn(0);
	test_far();
	test_impossible();
	return done();
}
