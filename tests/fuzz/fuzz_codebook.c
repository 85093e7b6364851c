/* fuzz_codebook.c - codebooks: cscg-codebook(5) and centroids as .npy */
#include "core/codebook.h"
#include "io/npy.h"
#include "fuzz.h"

FUZZ_KIND(struct cscg_codebook, cscg_codebook_read_next, cscg_codebook_check,
    cscg_codebook_write, cscg_codebook_free, cscg_codebook_read_file)

/* Centroids of a codebook, written and read again. */
static void
centroids(const struct cscg_codebook *b)
{
	struct cscg_err err = { 0 };
	struct cscg_out *out = fuzz_out();
	const uint8_t *text;
	size_t len;
	struct cscg_npy a = { 0 };
	struct cscg_in *in;

	fuzz_must(cscg_codebook_write_npy(b, out, &err) == 0,
	    "centroids are written");
	text = fuzz_written(out, &len);
	in = cscg_in_open(fuzz_plain(text, len), &err);
	fuzz_must(in && cscg_npy_read(in, &a, &err) == 0 &&
		a.ndim == 1 + b->ndim && a.shape[0] == b->k,
	    "and read");
	cscg_npy_free(&a);
	cscg_in_close(in);
}

void
fuzz_one(const uint8_t *data, size_t size)
{
	struct cscg_err err = { 0 };
	struct cscg_codebook *b;

	fuzz_objects(&kind, data, size);
	b = cscg_codebook_read_file(fuzz_path(data, size), &err);
	fuzz_failed |= fuzz_disarm();
	if (b)
		centroids(b);
	cscg_codebook_free(b);
}
