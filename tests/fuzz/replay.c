/*
 * replay.c - a fuzz target without a fuzzer: the files given, one by one
 *
 * Each file is tried as it is, then with a byte behind it that has it packed
 * (fuzz.h), then cut at some places.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

enum { MOST = 1 << 22 };

static void
try(const char *path, uint8_t *buf)
{
	FILE *f = fopen(path, "rb");
	size_t n, i;

	if (!f) {
		perror(path);
		exit(1);
	}
	n = fread(buf, 1, MOST - 1, f);
	fclose(f);
	LLVMFuzzerTestOneInput(buf, n);
	for (i = 1; i <= 8; i++)
		LLVMFuzzerTestOneInput(buf, n * i / 9);
	buf[n] = 1;
	LLVMFuzzerTestOneInput(buf, n + 1);
}

int
main(int argc, char **argv)
{
	uint8_t *buf = malloc(MOST);
	int i;

	for (i = 1; buf && i < argc; i++)
		try(argv[i], buf);
	free(buf);
	printf("%d files\n", argc - 1);
	return !buf;
}
