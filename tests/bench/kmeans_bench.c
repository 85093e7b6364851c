/*
 * kmeans_bench.c - k-means alone: seconds per iteration, of a whole fit, memory
 *
 *	kmeans_bench make N FILE	N frames of 64 x 64 pixels as .npy
 *	kmeans_bench join TO FILE...	all frames of several files
 *	kmeans_bench start FILE K TO	K of its rows, as a start for both sides
 *	kmeans_bench fit FILE K START|- THREADS [all]
 *
 * Frames that are made up are smooth random pictures, blended from one to the
 * next along closed paths through six sets of them, with noise on every pixel: no
 * two are equal.  fit prints, as name=value: different frames, iterations, seconds
 * of the fit, the least and the mean seconds of an iteration, inertia, peak memory
 * in KiB.  The fit begins with frames in memory; "-" starts by k-means++.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "core/codebook.h"
#include "learn/kmeans.h"
#include "io/npy.h"
#include "base/rng.h"

enum { SIDE = 64, DIM = SIDE * SIDE * 3, SETS = 6, IN_SET = 40, KNOTS = 9 };

static struct cscg_err err;

static void
die(void)
{
	fprintf(stderr, "kmeans_bench: %s\n", err.msg);
	exit(1);
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* An approximately normal deviate of the right size. */
static double
normal(struct cscg_rng *r)
{
	return 2 * sqrt(3) *
	    (cscg_rng_uniform(r) + cscg_rng_uniform(r) + cscg_rng_uniform(r) +
		cscg_rng_uniform(r) - 2) /
	    2;
}

/* Bilinear between random colours at the knots of a coarse grid. */
static void
smooth(struct cscg_rng *r, float *to)
{
	double knot[KNOTS][KNOTS][3], u, v, fu, fv;
	int i, j, c, iu, iv;

	for (i = 0; i < KNOTS * KNOTS * 3; i++)
		((double *)knot)[i] = 128 + 60 * normal(r);
	for (i = 0; i < SIDE; i++)
		for (j = 0; j < SIDE; j++) {
			u = i * (KNOTS - 1.0) / SIDE;
			v = j * (KNOTS - 1.0) / SIDE;
			iu = (int)u;
			iv = (int)v;
			fu = u - iu;
			fv = v - iv;
			for (c = 0; c < 3; c++)
				*to++ = (float)((1 - fu) *
					((1 - fv) * knot[iu][iv][c] +
					    fv * knot[iu][iv + 1][c]) +
				    fu *
					((1 - fv) * knot[iu + 1][iv][c] +
					    fv * knot[iu + 1][iv + 1][c]));
		}
}

static int
make(long n, const char *path)
{
	static float picture[SETS][IN_SET][DIM];
	static unsigned char frame[DIM];
	long shape[] = { n, SIDE, SIDE, 3 }, i, j;
	struct cscg_out *out = cscg_out_open(path, 0, &err);
	struct cscg_rng r;
	const float *a, *b;
	double w, v;
	int s, p;

	if (!out || cscg_npy_write_byte_head(out, 4, shape, &err) < 0)
		die();
	cscg_rng_seed(&r, 42, CSCG_RNG_TEST, 0, 0);
	for (s = 0; s < SETS; s++)
		for (p = 0; p < IN_SET; p++)
			smooth(&r, picture[s][p]);
	for (i = 0; i < n; i++) {
		s = (int)cscg_rng_below(&r, SETS);
		p = (int)cscg_rng_below(&r, IN_SET);
		w = cscg_rng_uniform(&r);
		a = picture[s][p];
		b = picture[s][(p + 1) % IN_SET];
		for (j = 0; j < DIM; j++) {
			v = (1 - w) * (double)a[j] + w * (double)b[j] +
			    6 * normal(&r);
			frame[j] = (unsigned char)(v < 0 ? 0 :
				v > 255                  ? 255 :
							   v);
		}
		if (cscg_out_write(out, frame, DIM, &err) < 0)
			die();
	}
	if (cscg_out_close(out, &err) < 0)
		die();
	return 0;
}

/* All frames are different, so that they are there in the order of the files. */
static int
join(const char *to, char **paths, int n)
{
	long shape[] = { 0, SIDE, SIDE, 3 };
	struct cscg_frames **f = calloc((size_t)n, sizeof *f);
	struct cscg_out *out;
	int i;

	for (i = 0; f && i < n; i++) {
		f[i] = cscg_frames_read(paths[i], &err);
		if (!f[i])
			die();
		if (f[i]->dim != DIM || f[i]->n != f[i]->n_views) {
			cscg_fail(&err, CSCG_EMISMATCH,
			    "%s: frames that are equal, or no 64 x 64 pixels",
			    paths[i]);
			die();
		}
		shape[0] += f[i]->n;
	}
	out = cscg_out_open(to, 0, &err);
	if (!f || !out || cscg_npy_write_byte_head(out, 4, shape, &err) < 0)
		die();
	for (i = 0; i < n; i++) {
		if (cscg_out_write(out, f[i]->data, (size_t)f[i]->n * DIM,
			&err) < 0)
			die();
		cscg_frames_free(f[i]);
	}
	if (cscg_out_close(out, &err) < 0)
		die();
	free(f);
	return 0;
}

static int
start(const char *path, int k, const char *to)
{
	struct cscg_frames *f = cscg_frames_read(path, &err);
	struct cscg_out *out;
	long shape[] = { k, SIDE, SIDE, 3 };
	double *c;
	int i;

	if (!f || f->n < k)
		die();
	c = calloc((size_t)k * DIM, sizeof *c);
	for (i = 0; i < k && c; i++)
		cscg_frames_get(f, i * (f->n / k), c + (long)i * DIM);
	out = cscg_out_open(to, 0, &err);
	if (!c || !out || cscg_npy_write(out, 4, shape, c, true, &err) < 0 ||
	    cscg_out_close(out, &err) < 0)
		die();
	free(c);
	cscg_frames_free(f);
	return 0;
}

struct clock {
	double last, least, begin, end;
	long n;
};

static int
tick(void *ctx, const struct cscg_kmeans_progress *line, struct cscg_err *e)
{
	struct clock *c = ctx;
	double t = now();

	(void)e;
	if (strcmp(line->stage, "lloyd"))
		return 0;
	/* The first has the seeding in it. */
	if (c->n++ == 0)
		c->begin = t;
	else if (t - c->last < c->least)
		c->least = t - c->last;
	c->last = c->end = t;
	return 0;
}

static int
fit(char **argv)
{
	struct cscg_frames *f = cscg_frames_read(argv[0], &err);
	struct clock clock = { .least = INFINITY };
	struct cscg_kmeans job = { .k = atoi(argv[1]),
		.restarts = 1,
		.iterations = 300,
		.seed = 42,
		.threads = atoi(argv[3]),
		.all = argv[4] != NULL,
		.report = tick,
		.ctx = &clock };
	struct cscg_codebook *book;
	struct cscg_npy init = { 0 };
	struct cscg_in *in;
	double t;
	struct rusage use;
	int *label;
	long i;

	if (!f || cscg_cpu_choose_bytes("auto", &job.bytes, &err) < 0)
		die();
	for (i = 0; i < f->n_views; i++)
		f->weight[f->frame_of[i]]++;
	if (strcmp(argv[2], "-")) {
		in = cscg_in_open(argv[2], &err);
		if (!in || cscg_npy_read(in, &init, &err) < 0)
			die();
		cscg_in_close(in);
	}
	job.init = init.data;
	label = calloc((size_t)f->n, sizeof *label);
	t = now();
	book = cscg_kmeans(f, &job, label, &err);
	t = now() - t;
	if (!book)
		die();
	getrusage(RUSAGE_SELF, &use);
	printf("kernel=%s frames=%ld iterations=%ld fit=%.4f least=%.5f "
	       "mean=%.5f inertia=%.12g peak=%ld\n",
	    job.bytes->name, f->n, clock.n, t, clock.least,
	    (clock.end - clock.begin) / (double)(clock.n - 1), book->inertia,
	    use.ru_maxrss);
	cscg_codebook_free(book);
	cscg_frames_free(f);
	cscg_npy_free(&init);
	free(label);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "make"))
		return make(atol(argv[2]), argv[3]);
	if (argc >= 4 && !strcmp(argv[1], "join"))
		return join(argv[2], argv + 3, argc - 3);
	if (argc == 5 && !strcmp(argv[1], "start"))
		return start(argv[2], atoi(argv[3]), argv[4]);
	if (argc >= 6 && !strcmp(argv[1], "fit"))
		return fit(argv + 2);
	fprintf(stderr, "usage: see kmeans_bench.c\n");
	return 2;
}
