/* fuzz_npy.c - arrays of NumPy: numbers, walks, frames */
#include <math.h>

#include "core/frames.h"
#include "fuzz.h"
#include "io/npy.h"
#include "core/walk_table.h"

/* Written and read again it is the same, but for rounding to single. */
static void
again(const struct cscg_npy *a, bool single)
{
	struct cscg_err err = { 0 };
	struct cscg_npy b = { 0 };
	struct cscg_out *out = fuzz_out();
	struct cscg_in *in;
	const uint8_t *text;
	size_t len;
	long i;

	fuzz_must(cscg_npy_write(out, a->ndim, a->shape, a->data, single,
		      &err) == 0,
	    "an array is written");
	text = fuzz_written(out, &len);
	in = cscg_in_open(fuzz_plain(text, len), &err);
	fuzz_must(in && cscg_npy_read(in, &b, &err) == 0, "and read");
	cscg_in_close(in);
	fuzz_must(a->size == b.size && a->ndim == b.ndim, "of the same shape");
	for (i = 0; i < a->size && !single; i++)
		fuzz_must(a->data[i] == b.data[i] ||
			(isnan(a->data[i]) && isnan(b.data[i])),
		    "with the same numbers");
	cscg_npy_free(&b);
}

static void
numbers(const uint8_t *data, size_t size)
{
	struct cscg_err err = { 0 };
	struct cscg_npy a = { 0 };
	struct cscg_in *in = fuzz_in(data, size);
	long i, n = 1;
	int rc = in ? cscg_npy_read(in, &a, &err) : 1;

	cscg_in_close(in);
	fuzz_failed |= fuzz_disarm();
	if (rc < 0)
		fuzz_refused(&err);
	if (rc)
		return;
	for (i = 0; i < a.ndim; i++)
		n *= a.shape[i];
	fuzz_must(n == a.size, "the size is that of the shape");
	again(&a, false);
	again(&a, true);
	cscg_npy_free(&a);
}

static void
walk(const uint8_t *data, size_t size)
{
	struct cscg_walk_table_options how = { 0 };
	struct cscg_err err = { 0 };
	struct cscg_out *out = fuzz_out();
	struct cscg_in *in = fuzz_in(data, size);
	struct cscg_walk_table *tab = in ? cscg_walk_table_new(&how, &err) :
					   NULL;
	struct cscg_walk *w = NULL;

	if (tab && cscg_walk_table_read_npy(tab, in, &err) == 0)
		w = cscg_walk_table_to_walk(tab, &err);
	cscg_walk_table_free(tab);
	cscg_in_close(in);
	fuzz_failed |= fuzz_disarm();
	if (in && !w)
		fuzz_refused(&err);
	fuzz_must(!w || cscg_walk_table_write_npy(w, out, &err) == 0,
	    "a walk is written as an array");
	fuzz_must(cscg_out_close(out, &err) == 0, "and closed");
	cscg_walk_free(w);
}

static void
frames(const uint8_t *data, size_t size)
{
	struct cscg_err err = { 0 };
	struct cscg_frames *f = cscg_frames_read(fuzz_path(data, size), &err);

	fuzz_failed |= fuzz_disarm();
	if (!f)
		fuzz_refused(&err);
	cscg_frames_free(f);
}

void
fuzz_one(const uint8_t *data, size_t size)
{
	numbers(data, size);
	walk(data, size);
	frames(data, size);
}
