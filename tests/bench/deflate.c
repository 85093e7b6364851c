/*
 * deflate.c - time of zlib to deflate a file at level 1
 *
 *	deflate N FILE
 *
 * Deflates the file, which is in memory, N times with the settings of
 * lib/io/stream.c and prints the best CPU time in seconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zlib.h>

enum { CHUNK = 1 << 16 };

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The bytes of a file, *n of them; NULL if it cannot be read. */
static unsigned char *
read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	unsigned char *buf = NULL;
	long size = -1;

	if (f && fseek(f, 0, SEEK_END) == 0)
		size = ftell(f);
	if (size > 0) {
		*n = (size_t)size;
		buf = malloc(*n);
		rewind(f);
	}
	if (buf && fread(buf, 1, *n, f) != *n) {
		free(buf);
		buf = NULL;
	}
	if (f)
		fclose(f);
	return buf;
}

/* Seconds for the n bytes, or -1. */
static double
deflate_all(unsigned char *buf, size_t n)
{
	static unsigned char packed[CHUNK];
	z_stream z = { 0 };
	double start = now();
	size_t done, some;
	int rc = Z_OK;

	if (deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) !=
	    Z_OK)
		return -1;
	for (done = 0; done < n; done += some) {
		some = n - done < CHUNK ? n - done : CHUNK;
		z.next_in = buf + done;
		z.avail_in = (uInt)some;
		do {
			z.next_out = packed;
			z.avail_out = sizeof packed;
			rc = deflate(&z,
			    done + some == n ? Z_FINISH : Z_NO_FLUSH);
		} while (z.avail_out == 0);
	}
	deflateEnd(&z);
	return rc == Z_STREAM_END ? now() - start : -1;
}

int
main(int argc, char **argv)
{
	unsigned char *buf;
	double best = -1, t;
	size_t n;
	int i;

	buf = argc == 3 ? read_file(argv[2], &n) : NULL;
	if (!buf) {
		fprintf(stderr, "usage: deflate N FILE\n");
		return 2;
	}
	for (i = 0; i < atoi(argv[1]); i++) {
		t = deflate_all(buf, n);
		if (t < 0)
			return 1;
		best = best < 0 || t < best ? t : best;
	}
	printf("%.6f\n", best);
	free(buf);
	return 0;
}
