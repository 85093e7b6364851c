/* sight.c - walks with what was seen, and a codebook for it */
#include <stdlib.h>

#include "core/codebook.h"
#include "learn/encoder.h"
#include "base/mem.h"
#include "learn/sight.h"

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
cscg_frame_walk_read(struct cscg_frame_walk *s, const char *book, const char *frames,
    char *const *paths, int n, int threads, struct cscg_err *err)
{
	const struct cscg_simd_bytes *bytes;

	*s = (struct cscg_frame_walk){ .book = NULL };
	/* All builds give the same symbols: no need to choose. */
	if (cscg_cpu_choose_bytes("auto", &bytes, err) < 0)
		return -1;
	s->q.bytes = bytes;
	s->book = cscg_codebook_read_file(book, err);
	if (s->book && !(s->book->sigma2 > 0)) {
		cscg_fail(err, CSCG_ERANGE, "/sigma2: must be above 0: where "
		    "each frame is a centroid, symbols tell all");
		return fail_in_file(book, err);
	}
	if (!s->book || (frames &&
	    !(s->q.frames = cscg_frames_read(frames, err))) ||
	    cscg_quantize_read(&s->q, paths, n, err) < 0)
		return -1;
	if (cscg_codebook_check_shape(s->book, s->q.frames->ndim, s->q.frames->shape,
	    err) < 0)
		return fail_in_file(book, err);
	s->label = cscg_alloc((size_t)s->q.frames->n, sizeof *s->label, err);
	if (!s->label || cscg_codebook_label(s->book, s->q.frames, bytes,
	    threads, s->label, err) < 0)
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
