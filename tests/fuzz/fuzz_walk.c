/* fuzz_walk.c - walks: cscg-walk(5) */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "core/walk.h"
#include "core/walk_io.h"

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

/* The same walk twice, as two files; views stay behind. */
static void
twice(const uint8_t *data, size_t size, long steps)
{
	struct cscg_err err = { 0 };
	const char *path = fuzz_path(data, size);
	char *two[] = { (char *)(uintptr_t)path, (char *)(uintptr_t)path };
	struct cscg_walk *w = cscg_walk_read(two, 2, &err);

	fuzz_failed |= fuzz_disarm();
	fuzz_must(w || fuzz_failed, "a walk goes on after itself");
	fuzz_must(!w || w->n_steps == 2 * steps, "and is twice as long");
	cscg_walk_free(w);
}

static int
see(void *ctx, int view, const unsigned char *rgb, struct cscg_err *err)
{
	long *n = ctx;

	(void)rgb;
	if (view >= 1 << 20)
		return cscg_fail(err, CSCG_ERANGE, "view %d", view);
	++*n;
	return 0;
}

/* Step by step, with the views. */
static void
step_by_step(const uint8_t *data, size_t size, long steps)
{
	struct cscg_err err = { 0 };
	struct cscg_walk_reader *r = cscg_walk_reader_open(
	    fuzz_path(data, size), &err);
	struct cscg_step step;
	long n = 0, views = 0;
	int rc = r ? 0 : -1;

	if (r) {
		cscg_walk_reader_on_frame(r, 5, see, &views);
		while ((rc = cscg_walk_reader_next(r, &step, &err)) > 0)
			n++;
		fuzz_must(cscg_walk_reader_next_view(r) >= 5 &&
			(rc < 0 || cscg_walk_reader_next(r, &step, &err) == 0),
		    "the end stays the end");
	}
	cscg_walk_reader_close(r);
	fuzz_failed |= fuzz_disarm();
	if (rc < 0)
		fuzz_refused(&err);
	fuzz_must(rc < 0 || steps < 0 || n == steps,
	    "steps are as many as in the walk");
}

void
fuzz_one(const uint8_t *data, size_t size)
{
	struct cscg_err err = { 0 };
	struct cscg_walk *w = read_walk(fuzz_path(data, size), &err);
	uint8_t *first, *second;
	size_t n, m;
	long t, steps;

	fuzz_failed |= fuzz_disarm();
	if (!w)
		fuzz_refused(&err);
	fuzz_accepted = w != NULL;
	steps = w ? w->n_steps : -1;
	if (w || fuzz_failed)
		step_by_step(data, size, steps);
	if (!w)
		return;
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
	twice(data, size, steps);
}
