/* fuzz_codebook.c - codebooks: cscg-codebook(5) and centroids as .npy */
#include <stdlib.h>

#include "core/codebook.h"
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
	double *data;
	int k = 0;

	fuzz_must(cscg_codebook_write_npy(b, out, &err) == 0,
	    "centroids are written");
	text = fuzz_written(out, &len);
	data = cscg_codebook_read_npy(fuzz_plain(text, len), b->ndim, b->shape,
	    &k, &err);
	fuzz_must(data && k == b->k, "and read");
	free(data);
}

void
fuzz_one(const uint8_t *data, size_t size)
{
	static const long shape[] = { 2 };
	struct cscg_err err = { 0 };
	struct cscg_codebook *b;
	double *a;
	int k = size % 3 ? 0 : 2;

	fuzz_objects(&kind, data, size);
	b = cscg_codebook_read_file(fuzz_path(data, size), &err);
	fuzz_failed |= fuzz_disarm();
	if (b)
		centroids(b);
	cscg_codebook_free(b);
	err = (struct cscg_err){ 0 };
	a = cscg_codebook_read_npy(fuzz_path(data, size), 1, shape, &k, &err);
	fuzz_failed |= fuzz_disarm();
	if (!a)
		fuzz_refused(&err);
	free(a);
}
