/* cscg-show_codebook.c - cscg-show's codebooks, and the looks of models */
#include <math.h>
#include <stdlib.h>

#include "core/codebook.h"
#include "show/text.h"
#include "cscg-show.h"
#include "base/mem.h"
#include "io/image.h"

/* Frames as numbers: n of them, one after the other. */
struct faces {
	long n, dim;
	int ndim;
	const long *shape;
	const double *value;
	bool is_byte;
};

/* Rows and columns of a picture, and whether it has colours; or -1. */
static int
judge_faces(const struct faces *f, int *h, int *w, bool *rgb,
    struct cscg_err *err)
{
	bool flat = f->ndim == 2 || (f->ndim == 3 && f->shape[2] == 1);
	char shape[80];

	*rgb = f->ndim == 3 && f->shape[2] == 3;
	if (!flat && !*rgb) {
		cscg_codebook_format_shape(shape, sizeof shape, f->ndim, f->shape);
		return cscg_fail(err, CSCG_EMISMATCH, "--as ppm: frames of %s "
		    "are no pictures (H x W x 3, H x W or H x W x 1 are)",
		    shape);
	}
	*h = (int)f->shape[0];
	*w = (int)f->shape[1];
	return 0;
}

/* What 0 and 255 stand for: numbers that are no bytes are stretched. */
static void
find_range(const struct faces *f, double *low, double *scale)
{
	double high = 255;
	long i;

	*low = 0;
	if (!f->is_byte) {
		*low = high = f->value[0];
		for (i = 1; i < f->n * f->dim; i++) {
			*low = fmin(*low, f->value[i]);
			high = fmax(high, f->value[i]);
		}
	}
	*scale = high > *low ? 255 / (high - *low) : 1;
}

/* All of them as a sheet, or the one that --view asks for. */
static int
put_faces(const struct show_ppm *ppm, const struct faces *f, const char *what,
    struct cscg_out *out, struct cscg_err *err)
{
	long from = 0, n = f->n, i, c, each;
	double low, scale, v;
	unsigned char *pixel;
	int h = 0, w = 0, rc;
	bool rgb = false;

	if (ppm->view) {
		from = show_number(ppm->view);
		n = 1;
		if (from < 0 || from >= f->n)
			return cscg_fail(err, CSCG_EUSAGE, "--view: '%.40s' is "
			    "not the number of a %s in 0..%ld", ppm->view,
			    what, f->n - 1);
	}
	if (judge_faces(f, &h, &w, &rgb, err) < 0)
		return -1;
	if (f->dim > CSCG_IMAGE_MAX / n)
		return cscg_fail(err, CSCG_EUSAGE, "the picture would have "
		    "more than %d pixels", CSCG_IMAGE_MAX);
	each = rgb ? 1 : 3;
	pixel = cscg_alloc((size_t)(n * f->dim), (size_t)each, err);
	if (!pixel)
		return -1;
	find_range(f, &low, &scale);
	for (i = 0; i < n * f->dim; i++) {
		v = round((f->value[from * f->dim + i] - low) * scale);
		for (c = 0; c < each; c++)
			pixel[i * each + c] = (unsigned char)(v < 0 ? 0 :
			    v > 255 ? 255 : v);
	}
	rc = show_ppm_sheet(pixel, n, h, w, out, err);
	free(pixel);
	return rc;
}

/* Options that only a room has a meaning for. */
static int
refuse(const struct show_set *set, const char *what, struct cscg_err *err)
{
	const struct show_ppm *ppm = &set->ppm;

	if (ppm->top || ppm->iso || ppm->size)
		return cscg_fail(err, CSCG_EMISMATCH, "--%s wants a room, not "
		    "a %s", ppm->top ? "top" : ppm->iso ? "iso" : "frame",
		    what);
	return 0;
}

int
show_codebook(const struct show_set *set, const struct cscg_codebook *book,
    struct cscg_out *out, struct cscg_err *err)
{
	struct faces f = { book->k, book->dim, book->ndim, book->shape,
	    book->centroid, book->is_byte };

	if (set->frontiers || set->nodes || set->min_p >= 0)
		return cscg_fail(err, CSCG_EMISMATCH, "--%s wants a room or "
		    "model, not a codebook", set->nodes ? "nodes" :
		    set->frontiers ? "frontiers" : "min-p");
	if (set->counts)
		return cscg_fail(err, CSCG_EMISMATCH, "--counts wants a "
		    "model, not a codebook");
	switch (set->as) {
	case AS_TEXT:
		return cscg_text_write_codebook(book, out, err);
	case AS_TSV:
		return cscg_text_write_codebook_table(book, set->json, out, err);
	case AS_NPY:
		return cscg_codebook_write_npy(book, out, err);
	case AS_PPM:
		if (refuse(set, "codebook", err) < 0)
			return -1;
		return put_faces(&set->ppm, &f, "centroid", out, err);
	default:
		return cscg_fail(err, CSCG_EMISMATCH, "--as %s wants a %s, not "
		    "a codebook", show_as_words[set->as], set->as <
		    AS_SCHEMA ? "room or model" : "model");
	}
}

int
show_looks(const struct show_set *set, const struct cscg_model *m,
    struct cscg_out *out, struct cscg_err *err)
{
	const struct cscg_frame_emission *l = m->frame_emission;
	struct faces f = { l->n, l->dim, l->ndim, l->shape, l->mu, true };
	bool above_one = false;
	long i;

	/* A model does not say what its frames were: go by the numbers. */
	for (i = 0; i < l->n * l->dim; i++) {
		f.is_byte &= l->mu[i] >= 0 && l->mu[i] <= 255;
		above_one |= l->mu[i] > 1;
	}
	f.is_byte &= above_one;
	if (refuse(set, "model", err) < 0)
		return -1;
	return put_faces(&set->ppm, &f, "look", out, err);
}
