/* fuzz_walk.c - walks: cscg-walk(5) */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "walk.h"
#include "walk_io.h"

static uint8_t *
text_of(const struct cscg_walk *w, size_t *n)
{
	struct cscg_err err = { 0 };
	struct cscg_out *out = fuzz_out();
	const uint8_t *text;
	uint8_t *copy;

	fuzz_must(cscg_walk_write(w, out, &err) == 0, "a walk is written");
	text = fuzz_written(out, n);
	copy = malloc(*n + 1);
	fuzz_must(copy != NULL, "there is memory");
	memcpy(copy, text, *n);
	return copy;
}

static struct cscg_walk *
read_walk(const char *path, struct cscg_err *err)
{
	char *name = (char *)(uintptr_t)path;

	return cscg_walk_read(&name, 1, err);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cscg_err err = { 0 };
	struct cscg_walk *w = read_walk(fuzz_path(data, size), &err);
	uint8_t *first, *second;
	size_t n, m;
	long t;

	if (!w) {
		fuzz_refused(&err);
		return 0;
	}
	for (t = 0; t < w->n_steps; t++)
		fuzz_must(w->x[t] >= -1 && w->x[t] < w->head.n_obs,
		    "symbols are in range");
	first = text_of(w, &n);
	cscg_walk_free(w);
	w = read_walk(fuzz_plain(first, n), &err);
	fuzz_must(w != NULL, "what was written can be read");
	second = text_of(w, &m);
	fuzz_must(n == m && !memcmp(first, second, n), "as the same text");
	cscg_walk_free(w);
	free(first);
	free(second);
	return 0;
}
