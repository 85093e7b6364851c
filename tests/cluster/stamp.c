/*
 * stamp.c - when lines come
 *
 *	stamp FROM TO <statistics
 *
 * Reads what cscg-learn --stats writes, while it writes it, and prints seconds
 * until the first E-step was done, counted from the start of this program, and
 * the least and the median of those between two E-steps, from the one after
 * FROM updates to the one after TO.  cluster.sh builds it; it is no part of
 * make.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 1000 };

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int
ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
	double began = now(), first = 0, last = 0, t, between[MOST];
	long from = argc > 1 ? atol(argv[1]) : 0, i;
	long to = argc > 2 ? atol(argv[2]) : MOST;
	char line[4096], *at;
	int n = 0;

	while (fgets(line, sizeof line, stdin)) {
		t = now();
		if (!strstr(line, "\"stage\":\"em\"") ||
		    !(at = strstr(line, "\"iteration\":")))
			continue;
		i = atol(at + strlen("\"iteration\":"));
		if (!first)
			first = t;
		if (i > from && i <= to && n < MOST)
			between[n++] = t - last;
		last = t;
	}
	if (!n)
		return 3;
	qsort(between, (size_t)n, sizeof *between, ascending);
	printf("%.6f %.6f %.6f\n", first - began, between[0], between[n / 2]);
	return 0;
}
