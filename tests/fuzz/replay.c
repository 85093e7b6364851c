/*
 * replay.c - a fuzz target without a fuzzer: the files given, one by one
 *
 * Each file is tried as it is, cut at some places, then with a byte behind it
 * that has it packed (fuzz.h), then with two that make a call fail, the first,
 * the second, and so on until there are no more to fail.  Files in a directory
 * "spoiled" are many, and tried unchanged.
 *
 * A file "-" stands for inputs on standard input (values.py): the length of each in
 * four bytes, little-endian, before it.  They are tried unchanged.  After a length
 * of zero, the number of inputs accepted since the last one is written as a line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum {
	MOST = 1 << 22,
	FEW = 100,    /* calls that fail one by one; then in steps */
	CALLS = 1024, /* as many as two bytes can name */
};

/* Make calls fail: kind is the last byte but for the number. */
static void
fail_each(uint8_t *buf, size_t n, int kind)
{
	int i;

	for (i = 0; i < CALLS; i += i < FEW ? 1 : i / 10) {
		buf[n] = (uint8_t)(i % 256);
		buf[n + 1] = (uint8_t)(kind + i / 256 * 2);
		LLVMFuzzerTestOneInput(buf, n + 2);
		if (!fuzz_failed)
			return;
	}
}

static void
attempt(const char *path, uint8_t *buf)
{
	FILE *f = fopen(path, "rb");
	size_t n, i;

	if (!f) {
		perror(path);
		exit(1);
	}
	n = fread(buf, 1, MOST - 2, f);
	fclose(f);
	LLVMFuzzerTestOneInput(buf, n);
	if (strstr(path, "/spoiled/"))
		return;
	for (i = 1; i <= 8; i++)
		LLVMFuzzerTestOneInput(buf, n * i / 9);
	buf[n] = 1;
	LLVMFuzzerTestOneInput(buf, n + 1);
	fail_each(buf, n, 128);              /* plain, EIO */
	fail_each(buf, n, 128 + 64 + 8 + 1); /* two members, EINTR */
	fail_each(buf, n, 128 + 32 + 16);    /* all after it, EAGAIN */
}

static void
attempt_stream(uint8_t *buf)
{
	uint8_t b[4];
	size_t n;
	long accepted = 0;

	while (fread(b, 1, 4, stdin) == 4) {
		n = b[0] | (size_t)b[1] << 8 | (size_t)b[2] << 16 |
		    (size_t)b[3] << 24;
		if (n >= MOST || fread(buf, 1, n, stdin) != n)
			exit(1);
		if (n > 0) {
			LLVMFuzzerTestOneInput(buf, n);
			accepted += fuzz_accepted;
			continue;
		}
		printf("%ld\n", accepted);
		fflush(stdout);
		accepted = 0;
	}
}

int
main(int argc, char **argv)
{
	uint8_t *buf = malloc(MOST);
	int i;

	if (buf && argc == 2 && !strcmp(argv[1], "-")) {
		attempt_stream(buf);
		free(buf);
		return 0;
	}
	for (i = 1; buf && i < argc; i++)
		attempt(argv[i], buf);
	free(buf);
	printf("%d files\n", argc - 1);
	return !buf;
}
