/* file_text.h - what was written to a file, for tests in C */
#ifndef FILE_TEXT_H
#define FILE_TEXT_H

#include <stdio.h>

#include "need.h"

/* The text of a file, up to 64 KiB, until the next call. */
static char *
file_text(const char *path)
{
	static char text[1 << 16];
	FILE *f = need(fopen(path, "r"));
	size_t n = fread(text, 1, sizeof text - 1, f);

	fclose(f);
	text[n] = '\0';
	return text;
}

#endif
