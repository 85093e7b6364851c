/*
 * kmeans.c - k-means against plain loops on whole numbers, results of another
 * implementation, and cases computed by hand
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "io/json.h"
#include "learn/kmeans.h"
#include "learn/encoder.h"
#include "need.h"
#include "learn/distance.h"
#include "tap.h"

static const struct cscg_simd_bytes *bytes;

/* ---- frames ---- */

/* n frames of dim numbers; each view occurs once. */
static struct cscg_frames *
frames_of(enum cscg_pixel type, const void *v, long n, long dim)
{
	struct cscg_frames *f = need(cscg_frames_new(type, 1, &dim, &err));
	long i;

	for (i = 0; i < n; i++) {
		if (cscg_frames_add(f, i,
			(const char *)v + (size_t)i * f->size, &err) < 0)
			need(NULL);
		f->weight[f->frame_of[i]]++;
	}
	return f;
}

/* Random bytes around a few means; few distinct values give ties. */
static struct cscg_frames *
random_frames(int seed, long n, long dim, int levels)
{
	unsigned char *v = need(malloc((size_t)(n * dim)));
	struct cscg_frames *f;
	struct cscg_rng r;
	long i, j, about;

	cscg_rng_seed(&r, (uint64_t)seed, CSCG_RNG_TEST, 0, 0);
	for (i = 0; i < n; i++) {
		about = cscg_rng_below(&r, 5);
		for (j = 0; j < dim; j++)
			v[i * dim + j] = (unsigned char)(levels > 100 ?
				30 * about + (j * about) % 50 +
				    cscg_rng_below(&r, 60) :
				cscg_rng_below(&r, levels));
	}
	f = frames_of(CSCG_PIXEL_BYTE, v, n, dim);
	free(v);
	return f;
}

static void
test_frames(void)
{
	static const unsigned char v[] = { 1, 2, 3, 4, 1, 2, 3, 5, 1, 2 };
	struct cscg_frames *f = frames_of(CSCG_PIXEL_BYTE, v, 5, 2);
	double row[2];

	ok(f->n == 3 && f->n_views == 5 && f->frame_of[2] == 0 &&
		f->frame_of[4] == 0 && f->frame_of[3] == 2 &&
		f->weight[0] == 3 && f->weight[2] == 1 &&
		cscg_frames_total_weight(f) == 5 && cscg_frames_n_used(f) == 3,
	    "equal frames are stored once");
	cscg_frames_get(f, 2, row);
	ok(row[0] == 3 && row[1] == 5 && (uintptr_t)f->data % 64 == 0,
	    "frames are stored unchanged and aligned");
	ok(cscg_frames_add(f, 9, v, &err) == 0 && f->n_views == 10 &&
		f->frame_of[9] == 0 && f->frame_of[8] == -1 && f->n == 3,
	    "view numbers may have gaps");
	cscg_frames_free(f);
}

/* ---- plain k-means, in whole numbers of 2^-16 ---- */

/* Labels of the nearest centres by the definition. */
static void
plain_labels(const struct cscg_frames *f, int k, const long *at, int *label)
{
	__int128 d, sum, least;
	const unsigned char *x;
	long i, j;
	int c;

	for (i = 0; i < f->n; i++) {
		x = cscg_frames_at(f, i);
		least = -1;
		for (c = 0; c < k; c++) {
			sum = 0;
			for (j = 0; j < f->dim; j++) {
				d = x[j] * 65536L - at[c * f->dim + j];
				sum += d * d;
			}
			if (least < 0 || sum < least) {
				least = sum;
				label[i] = c;
			}
		}
	}
}

/* The mean of each cluster, rounded; false if one is empty. */
static bool
plain_means(const struct cscg_frames *f, int k, const int *label, long *at)
{
	const unsigned char *x;
	long i, j, n, sum;
	int c;

	for (c = 0; c < k; c++)
		for (j = 0; j < f->dim; j++) {
			n = sum = 0;
			for (i = 0; i < f->n; i++) {
				x = cscg_frames_at(f, i);
				if (label[i] != c)
					continue;
				n += f->weight[i];
				sum += f->weight[i] * x[j];
			}
			if (!n)
				return false;
			at[c * f->dim + j] = (2 * 65536 * sum + n) / (2 * n);
		}
	return true;
}

/*
 * Lloyd's algorithm to convergence from the centres `at`; 1 if labels and
 * centroids are those of book.
 */
static int
plain_agrees(const struct cscg_frames *f, const struct cscg_codebook *book,
    const double *init, const int *label)
{
	long n = book->k * f->dim, i;
	long *at = need(malloc((size_t)n * sizeof *at));
	int *mine = need(malloc((size_t)f->n * sizeof *mine)), t, good = 1;

	for (i = 0; i < n; i++)
		at[i] = (long)floor(init[i] * 65536 + 0.5);
	for (t = 0; t < 100; t++) {
		plain_labels(f, book->k, at, mine);
		if (!plain_means(f, book->k, mine, at))
			good = -1; /* an empty cluster has a rule of its own */
	}
	for (i = 0; i < n && good > 0; i++)
		good = book->centroid[i] * 65536 == (double)at[i];
	if (good > 0)
		good = !memcmp(mine, label, (size_t)f->n * sizeof *mine);
	free(at);
	free(mine);
	return good;
}

static struct cscg_codebook *
fit(const struct cscg_frames *f, int k, const double *init, bool all,
    int threads, int *label)
{
	struct cscg_kmeans job = { .k = k,
		.init = init,
		.restarts = 2,
		.iterations = 300,
		.seed = 7,
		.threads = threads,
		.all = all,
		.bytes = bytes };

	return need(cscg_kmeans(f, &job, label, &err));
}

static bool
same_book(const struct cscg_codebook *a, const struct cscg_codebook *b)
{
	size_t k = (size_t)a->k;

	return a->inertia == b->inertia && a->sigma2 == b->sigma2 &&
	    !memcmp(a->centroid, b->centroid,
		k * (size_t)a->dim * sizeof *a->centroid) &&
	    !memcmp(a->prior, b->prior, k * sizeof *a->prior) &&
	    !memcmp(a->count, b->count, k * sizeof *a->count);
}

/* Many small sets: against plain loops, without limits, on three threads. */
static void
test_plain(void)
{
	static const long dims[] = { 1, 2, 5, 64, 100 };
	struct cscg_codebook *a, *b;
	struct cscg_frames *f;
	double init[6 * 100];
	int label[300], other[300], seed, k, tried = 0, right = 0, all = 0;
	int threads = 0, j;

	for (seed = 0; seed < 60; seed++) {
		f = random_frames(seed, 20 + 4 * seed, dims[seed % 5],
		    seed % 3 ? 256 : 3);
		k = 1 + seed % 6;
		if (f->n < k) {
			cscg_frames_free(f);
			continue;
		}
		for (j = 0; j < k; j++)
			cscg_frames_get(f, j, init + j * f->dim);
		a = fit(f, k, init, false, 1, label);
		j = plain_agrees(f, a, init, label);
		tried += j >= 0;
		right += j > 0;
		b = fit(f, k, init, true, 1, other);
		all += same_book(a, b) &&
		    !memcmp(label, other, (size_t)f->n * sizeof *label);
		cscg_codebook_free(b);
		cscg_codebook_free(a);
		a = fit(f, k, NULL, false, 1, label);
		b = fit(f, k, NULL, false, 3, other);
		threads += same_book(a, b) &&
		    !memcmp(label, other, (size_t)f->n * sizeof *label);
		cscg_codebook_free(b);
		cscg_codebook_free(a);
		cscg_frames_free(f);
	}
	ok(tried > 40 && right == tried,
	    "%d of %d fits equal those of plain loops", right, tried);
	ok(all >= tried, "distance bounds do not change the result");
	ok(threads >= tried, "threads do not change the result");
}

/* ---- by hand ---- */

static void
test_hand(void)
{
	static const unsigned char v[] = { 0, 0, 10, 0 }, w[] = { 0, 2, 1 };
	static const double two[] = { 0, 2 };
	struct cscg_frames *f = frames_of(CSCG_PIXEL_BYTE, v, 4, 1);
	struct cscg_codebook *b;
	struct cscg_kmeans job = { .k = 3,
		.restarts = 1,
		.iterations = 9,
		.threads = 1,
		.bytes = bytes };
	int label[4];

	/* Mean 2.5; 3 * 2.5^2 + 7.5^2 = 75. */
	b = fit(f, 1, NULL, false, 1, label);
	ok(b->centroid[0] == 2.5 && b->inertia == 75 && b->sigma2 == 18.75 &&
		b->prior[0] == 1 && b->count[0] == 4 && b->is_byte,
	    "one centroid is the mean of the frames");
	cscg_codebook_free(b);
	b = fit(f, 2, NULL, false, 1, label);
	ok(b->inertia == 0 && b->sigma2 == 0 && label[0] != label[1] &&
		b->prior[label[0]] == 0.75,
	    "as many centroids as frames have inertia 0");
	cscg_codebook_free(b);
	ok(!cscg_kmeans(f, &job, label, &err) && err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg,
		    "3 centroids are requested, but there are only 2 "
		    "different frames"),
	    "more centroids than different frames are refused");
	cscg_frames_free(f);

	/* 1 is as far from 0 as from 2. */
	f = frames_of(CSCG_PIXEL_BYTE, w, 3, 1);
	job.k = 2;
	job.init = two;
	job.iterations = 0;
	b = need(cscg_kmeans(f, &job, label, &err));
	ok(label[0] == 0 && label[1] == 1 && label[2] == 0 && b->inertia == 1,
	    "a frame at equal distance belongs to the first centroid");
	cscg_codebook_free(b);
	cscg_frames_free(f);
}

/* Centres that differ by less than their first two digits. */
static void
test_close(void)
{
	static const unsigned char v[] = { 10, 200 };
	struct cscg_frames *f = frames_of(CSCG_PIXEL_BYTE, v, 1, 2);
	struct cscg_codebook *b = need(cscg_codebook_new(f, 3, &err));
	const double unit = 0x1p-16;
	const double c[] = { 10 + 3 * unit, 200, 10, 200 - 2 * unit, 10 - unit,
		200 + unit };
	struct cscg_encoder *e;
	int label;

	memcpy(b->centroid, c, sizeof c);
	b->is_byte = true;
	b->prior[0] = 1;
	/* 9, 4 and 2 units squared. */
	ok(cscg_codebook_check(b, &err) == 0 &&
		cscg_codebook_label(b, f, bytes, 1, &label, &err) == 0 &&
		label == 2,
	    "distances are exact to the last digit");
	b->centroid[4] = 10 - 2 * unit;
	b->centroid[5] = 200;
	ok(cscg_codebook_label(b, f, bytes, 1, &label, &err) == 0 &&
		label == 1,
	    "equal distances are detected to the last digit");
	e = need(cscg_encoder_new(b, bytes, &err));
	ok(cscg_encoder_label(e, v) == 1,
	    "a single frame gets the same label");
	cscg_encoder_free(e);
	b->centroid[0] = 1.0 / 3;
	ok(cscg_codebook_check(b, &err) < 0 &&
		!strcmp(err.msg,
		    "centroid 0: number 0 is 0.333333333, which is not a "
		    "multiple of 2^-16 in 0..255"),
	    "a centroid off the grid of bytes is refused");
	cscg_codebook_free(b);
	cscg_frames_free(f);
}

/* Centroids without frames: each takes one frame. */
static void
test_empty(void)
{
	static const unsigned char v[] = { 0, 1, 2, 50, 60, 100 };
	static const double init[] = { 1, 1, 255, 254 };
	struct cscg_frames *f = frames_of(CSCG_PIXEL_BYTE, v, 6, 1);
	struct cscg_codebook *b;
	int label[6];

	/*
	 * All but 100 (254 is nearer to 255 or 254: 100 - 1 = 99 < 154) go to
	 * the first.  The others are empty: 1 takes 100, 2 takes 60, 3 takes
	 * 50, the worst frame each time; the mean of 0 1 2 is 1, and the
	 * assignment is stable.
	 */
	b = fit(f, 4, init, false, 1, label);
	ok(label[5] == 1 && label[4] == 2 && label[3] == 3 && label[0] == 0 &&
		b->centroid[0] == 1 && b->inertia == 2,
	    "an empty centroid takes the frame of largest distance");
	cscg_codebook_free(b);
	cscg_frames_free(f);
}

/* ---- reals ---- */

static void
test_reals(void)
{
	struct cscg_frames *f = random_frames(3, 200, 40, 256), *g;
	double *v = need(malloc(200 * 40 * sizeof *v)), init[5 * 40];
	struct cscg_codebook *a, *b;
	int la[200], lb[200], i;

	for (i = 0; i < f->n; i++)
		cscg_frames_get(f, i, v + i * 40);
	g = frames_of(CSCG_PIXEL_DOUBLE, v, f->n, 40);
	memcpy(init, v, sizeof init);
	a = fit(f, 5, init, false, 1, la);
	b = fit(g, 5, init, false, 2, lb);
	ok(!b->is_byte && !memcmp(la, lb, (size_t)f->n * sizeof *la) &&
		near(a->inertia, b->inertia, 1e-9),
	    "bytes and doubles agree");
	cscg_codebook_free(a);
	cscg_codebook_free(b);
	init[0] = -7; /* beyond bytes: computed as reals */
	a = fit(g, 5, init, false, 1, la);
	b = fit(f, 5, init, false, 1, lb);
	ok(!b->is_byte && a->inertia == b->inertia &&
		!memcmp(la, lb, (size_t)f->n * sizeof *la),
	    "initial centroids outside 0..255 make the codebook real");
	cscg_codebook_free(b);
	cscg_codebook_free(a);
	cscg_frames_free(f);
	cscg_frames_free(g);
	free(v);
}

static int
numbers(json_t *arr, double *out)
{
	size_t i;
	int n = 0;

	for (i = 0; i < json_array_size(arr); i++) {
		if (json_is_array(json_array_get(arr, i)))
			n += numbers(json_array_get(arr, i), out + n);
		else
			out[n++] = json_number_value(json_array_get(arr, i));
	}
	return n;
}

static bool
all_near(const double *a, const double *b, int n, double tol)
{
	while (n-- > 0)
		if (!near(a[n], b[n], tol))
			return false;
	return true;
}

/* scikit-learn 1.2.1, Lloyd from a given start, tolerance 0. */
static void
test_golden(void)
{
	char path[4096];
	const char *top = getenv("TOP");
	double x[600], init[15], want[15], labels[200];
	struct cscg_codebook *b;
	struct cscg_frames *f;
	int label[200], i;
	bool good = true;
	json_t *g;

	snprintf(path, sizeof path, "%s/tests/golden/kmeans.json",
	    top ? top : ".");
	g = need(json_load_file(path, 0, NULL));
	ok(numbers(json_object_get(g, "X"), x) == 600 &&
		numbers(json_object_get(g, "init"), init) == 15 &&
		numbers(json_object_get(g, "centers"), want) == 15 &&
		numbers(json_object_get(g, "labels"), labels) == 200,
	    "the golden file has data, initial centroids, centres and labels");
	f = frames_of(CSCG_PIXEL_DOUBLE, x, 200, 3);
	b = fit(f, 5, init, false, 1, label);
	for (i = 0; i < 200; i++)
		good &= label[f->frame_of[i]] == (int)labels[i];
	ok(good, "golden: labels equal");
	ok(all_near(b->centroid, want, 15, 1e-13), "golden: centres equal");
	ok(near(b->inertia, json_number_value(json_object_get(g, "inertia")),
	       1e-13),
	    "golden: inertia equal");
	ok(near(b->sigma2,
	       json_number_value(json_object_get(g, "mean_sq_dist_per_dim")),
	       1e-13),
	    "golden: variance equal");
	cscg_codebook_free(b);
	cscg_frames_free(f);
	json_decref(g);
}

/* ---- the mixture ---- */

struct curve {
	long n;
	double last;
	bool falls;
};

static int
on_line(void *ctx, const struct cscg_kmeans_progress *line, struct cscg_err *e)
{
	struct curve *c = ctx;
	double v = isnan(line->loglik) ? -line->inertia : line->loglik;

	(void)e;
	if (!strcmp(line->stage, "restart"))
		return 0;
	if (line->iteration > !strcmp(line->stage, "lloyd") &&
	    v < c->last - 1e-12 * fabs(v))
		c->falls = true;
	c->last = v;
	c->n++;
	return 0;
}

/* EM by the textbook on numbers x with k components; the log-likelihood. */
static double
textbook(const double *x, int n, int k, double *mu, double *prior,
    double *sigma2, int updates)
{
	double r[64][8], sum, mass, mean, spread, total = 0;
	int i, c, t;

	for (t = 0; t <= updates; t++) {
		total = 0;
		for (i = 0; i < n; i++) {
			for (sum = 0, c = 0; c < k; c++) {
				r[i][c] = prior[c] *
				    exp(-pow(x[i] - mu[c], 2) /
					(2 * *sigma2)) /
				    sqrt(2 * M_PI * *sigma2);
				sum += r[i][c];
			}
			for (c = 0; c < k; c++)
				r[i][c] /= sum;
			total += log(sum);
		}
		if (t == updates)
			break;
		for (spread = 0, c = 0; c < k; c++) {
			for (mass = mean = 0, i = 0; i < n; i++) {
				mass += r[i][c];
				mean += r[i][c] * x[i];
			}
			mu[c] = mean / mass;
			prior[c] = mass / n;
			for (i = 0; i < n; i++)
				spread += r[i][c] * pow(x[i] - mu[c], 2);
		}
		*sigma2 = spread / n;
	}
	return total;
}

static void
test_mixture(void)
{
	struct curve c = { 0 };
	struct cscg_kmeans job = { .k = 3,
		.restarts = 2,
		.iterations = 25,
		.seed = 7,
		.threads = 2,
		.bytes = bytes,
		.report = on_line,
		.ctx = &c };
	double x[60], mu[3], prior[3], sigma2, want;
	struct cscg_codebook *b;
	struct cscg_frames *f;
	struct cscg_rng r;
	int label[80], i, wrong = 0;

	cscg_rng_seed(&r, 5, CSCG_RNG_TEST, 0, 0);
	for (i = 0; i < 60; i++)
		x[i] = i % 3 * 3 + cscg_rng_uniform(&r) * 4;
	f = frames_of(CSCG_PIXEL_DOUBLE, x, 60, 1);
	b = need(cscg_kmeans(f, &job, label, &err));
	ok(c.n > 2 && !c.falls, "inertia never increases");
	memcpy(mu, b->centroid, sizeof mu);
	memcpy(prior, b->prior, sizeof prior);
	sigma2 = b->sigma2;
	want = textbook(x, 60, 3, mu, prior, &sigma2, 25);
	memset(&c, 0, sizeof c);
	ok(cscg_kmeans_mixture(f, &job, b, label, &err) == 0 && c.n == 26 &&
		near(c.last, want, 1e-12),
	    "the likelihood equals that of a direct implementation of EM");
	ok(all_near(b->centroid, mu, 3, 1e-10) &&
		all_near(b->prior, prior, 3, 1e-10) &&
		near(b->sigma2, sigma2, 1e-10) && b->is_mixture,
	    "the parameters equal those of a direct implementation of EM");
	ok(!c.falls, "the likelihood never decreases");
	for (i = 0; i < 60; i++) {
		double best = -1, p;
		int k, which = -1;

		for (k = 0; k < 3; k++) {
			p = prior[k] *
			    exp(-pow(x[i] - mu[k], 2) / (2 * sigma2));
			if (p > best) {
				best = p;
				which = k;
			}
		}
		wrong += label[f->frame_of[i]] != which;
	}
	ok(wrong == 0, "labels are the most probable components");
	ok(cscg_codebook_check(b, &err) == 0,
	    "the codebook of a mixture is valid");
	cscg_codebook_free(b);
	cscg_frames_free(f);

	f = random_frames(9, 80, 30, 256);
	job.report = NULL;
	b = need(cscg_kmeans(f, &job, label, &err));
	ok(cscg_kmeans_mixture(f, &job, b, label, &err) == 0 &&
		cscg_codebook_check(b, &err) == 0 && b->is_byte,
	    "centroids of bytes stay on their grid");
	cscg_codebook_free(b);
	cscg_frames_free(f);
}

/* A tolerance stops Lloyd, and EM, before assignments are stable. */
static void
test_tolerance(void)
{
	struct curve c = { 0 };
	struct cscg_kmeans job = { .k = 6,
		.restarts = 1,
		.iterations = 300,
		.seed = 7,
		.threads = 1,
		.bytes = bytes,
		.report = on_line,
		.ctx = &c };
	struct cscg_frames *f = random_frames(13, 300, 4, 256);
	struct cscg_codebook *a, *b;
	int label[300];
	long lloyd, em;

	a = need(cscg_kmeans(f, &job, label, &err));
	lloyd = c.n;
	c = (struct curve){ 0 };
	job.tolerance = 0.02;
	b = need(cscg_kmeans(f, &job, label, &err));
	ok(c.n < lloyd && c.n > 1 && b->inertia >= a->inertia &&
		b->inertia < 2 * a->inertia,
	    "tolerance: %ld iterations instead of %ld", c.n, lloyd);
	c = (struct curve){ 0 };
	job.tolerance = 0;
	ok(cscg_kmeans_mixture(f, &job, a, label, &err) == 0,
	    "EM without tolerance succeeds");
	em = c.n;
	c = (struct curve){ 0 };
	job.tolerance = 1e-4;
	ok(cscg_kmeans_mixture(f, &job, b, label, &err) == 0,
	    "EM with a tolerance succeeds");
	ok(c.n > 1 && c.n < em, "tolerance: %ld E-steps instead of %ld", c.n,
	    em);
	cscg_codebook_free(a);
	cscg_codebook_free(b);
	cscg_frames_free(f);
}

/* Every kernel gives the same bytes. */
static void
test_builds(void)
{
	struct cscg_frames *f = random_frames(11, 250, 333, 256);
	struct cscg_codebook *a, *b;
	int la[250], lb[250], i;

	a = fit(f, 7, NULL, false, 1, la);
	for (i = 1; (bytes = cscg_cpu_bytes(i)) != NULL; i++) {
		b = fit(f, 7, NULL, false, 2, lb);
		ok(same_book(a, b) &&
			!memcmp(la, lb, (size_t)f->n * sizeof *la),
		    "%s gives the same codebook and labels", bytes->name);
		cscg_codebook_free(b);
	}
	bytes = cscg_cpu_bytes(0);
	cscg_codebook_free(a);
	cscg_frames_free(f);
}

int
main(void)
{
	bytes = cscg_cpu_bytes(0);
	test_frames();
	test_hand();
	test_close();
	test_empty();
	test_plain();
	test_reals();
	test_golden();
	test_mixture();
	test_tolerance();
	test_builds();
	return done();
}
