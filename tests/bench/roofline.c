/*
 * roofline.c - peak performance of this machine
 *
 * 	roofline THREADS [BYTES...]
 *
 * Prints how fast each thread reads an array of this many bytes repeatedly
 * (GB/s, all threads together) and how many single-precision operations they do
 * (GFLOP/s; a fused multiply-add is two).  Without BYTES: arrays that fit into
 * the usual L1, L2 and L3 caches, and one that fits into none.
 *
 * Built for the machine it runs on, as nothing else here is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#if defined __AVX512F__
enum { WIDTH = 64 };
#elif defined __AVX__
enum { WIDTH = 32 };
#else
enum { WIDTH = 16 };
#endif
enum { TRIES = 7 };

typedef float vec __attribute__((vector_size(WIDTH)));

static volatile float sink; /* so that no loop is left out */

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static float
total(vec v)
{
	float sum = 0;
	size_t i;

	for (i = 0; i < sizeof v / sizeof sum; i++)
		sum += v[i];
	return sum;
}

/* Read n bytes; n is a multiple of 8 vectors. */
static float
sweep(const vec *p, size_t n)
{
	vec s[8] = { { 0 } };
	const vec *end = p + n / sizeof *p;

	for (; p < end; p += 8) {
		s[0] += p[0];
		s[1] += p[1];
		s[2] += p[2];
		s[3] += p[3];
		s[4] += p[4];
		s[5] += p[5];
		s[6] += p[6];
		s[7] += p[7];
	}
	return total(s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7]);
}

/* GB/s of one thread reading an array of n bytes of its own. */
static double
reading(size_t n)
{
	size_t step = 8 * sizeof(vec), rounds, i;
	double best = 1e9, t;
	vec *p;
	int k;

	n = (n + step - 1) / step * step;
	p = aligned_alloc(64, n);
	if (!p)
		return 0;
	memset(p, 0, n);
	rounds = ((size_t)64 << 20) / n + 1;
	for (k = 0; k < TRIES; k++) {
		t = now();
		for (i = 0; i < rounds; i++)
			sink = sweep(p, n);
		t = now() - t;
		best = t < best ? t : best;
	}
	free(p);
	return 1e-9 * (double)n * (double)rounds / best;
}

/* GFLOP/s of one thread: chains enough to hide the latency of each. */
static double
computing(void)
{
	vec a, b, c[12];
	double best = 1e9, t;
	long i, n = 4000000;
	int k, j;

	memset(&a, 0, sizeof a);
	memset(&b, 0, sizeof b);
	memset(c, 0, sizeof c);
	a += .999f;
	b += .001f;
	for (k = 0; k < TRIES; k++) {
		t = now();
		for (i = 0; i < n; i++) {
#pragma GCC unroll 12
			for (j = 0; j < 12; j++)
				c[j] = c[j] * a + b;
		}
		t = now() - t;
		best = t < best ? t : best;
		for (j = 0; j < 12; j++)
			sink = total(c[j]);
	}
	return 1e-9 * 2 * 12 * (WIDTH / 4) * (double)n / best;
}

static double
together(int threads, size_t bytes)
{
	double sum = 0;

#ifdef _OPENMP
#pragma omp parallel num_threads(threads) reduction(+ : sum)
#endif
	sum += bytes ? reading(bytes) : computing();
	return threads > 0 ? sum : 0;
}

int
main(int argc, char **argv)
{
	static const size_t usual[] = { 16 << 10, 1 << 20, 24 << 20,
		(size_t)768 << 20 };
	static const char *const level[] = { "L1", "L2", "L3", "DRAM" };
	int threads = argc > 1 ? atoi(argv[1]) : 1, i;
	size_t n;

	if (threads < 1) {
		fprintf(stderr, "usage: roofline THREADS [BYTES...]\n");
		return 2;
	}
	if (argc > 2) {
		for (i = 2; i < argc; i++) {
			n = (size_t)strtoull(argv[i], NULL, 10);
			printf("%zu\t%.1f\n", n, together(threads, n));
		}
		return 0;
	}
	for (i = 0; i < 4; i++)
		printf("%s\t%.1f\n", level[i], together(threads, usual[i]));
	printf("FMA\t%.1f\n", together(threads, 0));
	return 0;
}
