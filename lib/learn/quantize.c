/* quantize.c - walks whose frames become symbols */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/codebook.h"
#include "core/walk_io.h"
#include "learn/encoder.h"
#include "learn/quantize.h"

/* Destination of the frames as they are read. */
struct frame_sink {
	struct cscg_quantize *q;
	struct cscg_encoder *encoder; /* or NULL */
	size_t cap;                   /* of symbols */
};

static int
on_frame(void *ctx, int view, const unsigned char *rgb, struct cscg_err *err)
{
	struct frame_sink *s = ctx;
	struct cscg_quantize *q = s->q;

	if (s->encoder) {
		if (cscg_grow(&q->symbol, &s->cap, (size_t)view + 1,
			sizeof *q->symbol, err) < 0)
			return -1;
		q->symbol[view] = cscg_encoder_label(s->encoder, rgb);
		if (q->n_symbols <= (size_t)view)
			q->n_symbols = (size_t)view + 1;
	}
	if (q->frames)
		return cscg_frames_add(q->frames, view, rgb, err);
	return 0;
}

/* Check the format of the frames once the first walk is open. */
static int
check_frames(struct frame_sink *s, const struct cscg_walk_header *head,
    struct cscg_err *err)
{
	struct cscg_quantize *q = s->q;
	long shape[3] = { head->frame[0], head->frame[1], 3 };

	if (q->frames && head->frame[0])
		return cscg_fail(err, CSCG_EMISMATCH,
		    "the walk contains its frames: a separate file of frames "
		    "cannot be used");
	if (q->frames)
		return 0;
	if (!head->frame[0])
		return cscg_fail(err, CSCG_EMISMATCH,
		    "the walk has no frames");
	if (q->book) {
		if (cscg_codebook_check_shape(q->book, 3, shape, err) < 0)
			return -1;
		s->encoder = cscg_encoder_new(q->book, q->bytes, err);
		if (!s->encoder)
			return -1;
	}
	if (!q->book) {
		q->frames = cscg_frames_new(CSCG_PIXEL_BYTE, 3, shape, err);
		return q->frames ? 0 : -1;
	}
	return 0;
}

static int
read_one(struct frame_sink *s, const char *path, int *first,
    struct cscg_err *err)
{
	struct cscg_walk_reader *r = cscg_walk_reader_open(path, err);
	const struct cscg_walk_header *head;
	int rc = -1;

	if (!r)
		return -1;
	head = cscg_walk_reader_header(r);
	if (!s->q->walk && check_frames(s, head, err) < 0) {
		char *name = cscg_stream_name(path, "standard input", err);

		if (name)
			cscg_fail_at(err, "%s", name);
		free(name);
		goto out;
	}
	cscg_walk_reader_on_frame(r, *first, on_frame, s);
	rc = cscg_walk_append(&s->q->walk, r, err);
	*first = cscg_walk_reader_next_view(r);
out:
	cscg_walk_reader_close(r);
	return rc;
}

/*
 * Every view must have a frame; the weight of a frame is its number of
 * observations.
 */
static int
set_weights(struct cscg_quantize *q, struct cscg_err *err)
{
	struct cscg_frames *f = q->frames;
	long t, view;

	if (!q->walk->view)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "no step of the walk has a view");
	for (t = 0; f && t < q->walk->n_steps; t++) {
		view = q->walk->view[t] - 1;
		if (view < 0)
			continue;
		if (view >= f->n_views || f->frame_of[view] < 0)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "step %ld: view %ld, but there are %ld frames", t,
			    view, f->n_views);
		f->weight[f->frame_of[view]]++;
	}
	return 0;
}

int
cscg_quantize_read(struct cscg_quantize *q, char *const *paths, int n,
    struct cscg_err *err)
{
	struct frame_sink s = { .q = q };
	int i, first = 0, rc = 0;

	for (i = 0; (i < n || i == 0) && rc == 0; i++)
		rc = read_one(&s, n ? paths[i] : "-", &first, err);
	if (rc == 0)
		rc = set_weights(q, err);
	cscg_encoder_free(s.encoder);
	return rc;
}

int
cscg_quantize_apply(struct cscg_quantize *q, const struct cscg_codebook *book,
    const int *label, struct cscg_err *err)
{
	struct cscg_walk *w = q->walk;
	double *priors = cscg_copy(book->prior, (size_t)book->k,
	    sizeof *priors, err);
	long t, view;

	if (!priors)
		return -1;
	free(w->head.priors);
	w->head.priors = priors;
	w->head.n_priors = w->head.n_obs = book->k;
	cscg_names_free(&w->head.symbols);
	free(w->goal);
	w->goal = NULL;
	w->cap_goal = 0;
	for (t = 0; t < w->n_steps; t++) {
		view = w->view[t] - 1;
		w->x[t] = view < 0 ? -1 :
		    label          ? label[q->frames->frame_of[view]] :
				     q->symbol[view];
	}
	return 0;
}

int
cscg_quantize_write(const struct cscg_quantize *q, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_walk walk = *q->walk; /* borrows from it */

	walk.view = NULL;
	return cscg_walk_write(&walk, out, err);
}

void
cscg_quantize_free(struct cscg_quantize *q)
{
	cscg_frames_free(q->frames);
	cscg_walk_free(q->walk);
	free(q->symbol);
	*q = (struct cscg_quantize){ 0 };
}

/* Walks with frames, and a codebook of these frames */

/* Prepend the name of the codebook; returns -1. */
static int
fail_in_file(const char *path, struct cscg_err *err)
{
	char *name = cscg_stream_name(path, "standard input", err);

	if (name)
		cscg_fail_at(err, "%s", name);
	free(name);
	return -1;
}

int
cscg_frame_walk_read(struct cscg_frame_walk *s, const char *book,
    const char *frames, char *const *paths, int n, int threads,
    struct cscg_err *err)
{
	const struct cscg_simd_bytes *bytes;

	*s = (struct cscg_frame_walk){ .book = NULL };
	/* All builds give the same symbols: no need to choose. */
	if (cscg_cpu_choose_bytes("auto", &bytes, err) < 0)
		return -1;
	s->q.bytes = bytes;
	s->book = cscg_codebook_read_file(book, err);
	if (s->book && !(s->book->sigma2 > 0)) {
		cscg_fail(err, CSCG_ERANGE,
		    "/sigma2: must be above 0: if each frame is a "
		    "centroid, symbols already identify frames");
		return fail_in_file(book, err);
	}
	if (!s->book ||
	    (frames && !(s->q.frames = cscg_frames_read(frames, err))) ||
	    cscg_quantize_read(&s->q, paths, n, err) < 0)
		return -1;
	if (cscg_codebook_check_shape(s->book, s->q.frames->ndim,
		s->q.frames->shape, err) < 0)
		return fail_in_file(book, err);
	s->label = cscg_alloc((size_t)s->q.frames->n, sizeof *s->label, err);
	if (!s->label ||
	    cscg_codebook_label(s->book, s->q.frames, bytes, threads, s->label,
		err) < 0)
		return -1;
	return cscg_quantize_apply(&s->q, s->book, s->label, err);
}

void
cscg_frame_walk_free(struct cscg_frame_walk *s)
{
	cscg_quantize_free(&s->q);
	cscg_codebook_free(s->book);
	free(s->label);
	*s = (struct cscg_frame_walk){ .book = NULL };
}
