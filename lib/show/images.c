/* images.c - pixel images of rooms, walks, codebooks and models */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/walk_io.h"
#include "core/walk_line.h"
#include "io/image.h"
#include "show/images.h"
#include "world/overview.h"
#include "world/render.h"

/* Views of 3D rooms. */

enum {
	SIDE = 64,    /* pixels of a view */
	GAP = 2,      /* pixels between views of a sheet */
	CELL_GAP = 6, /* pixels between those of different cells */
	CELLS = 3,    /* of a room, in a row of its sheet */
	GREY = 24,
};

/* A number from 0, or -1. */
static long
parse_number(const char *word)
{
	char *end;
	long v;

	if (!isdigit((unsigned char)*word))
		return -1;
	v = strtol(word, &end, 10);
	return *end ? -1 : v;
}

static int
write_image_take(struct cscg_image *pic, struct cscg_out *out,
    struct cscg_err *err)
{
	int rc = pic ? cscg_image_write(pic, out, err) : -1;

	cscg_image_free(pic);
	return rc;
}

static int
write_view(const struct cscg_room *room, struct cscg_render *r,
    const char *view, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_image *pic;
	long node = parse_number(view);

	if (strchr(view, ',')) {
		node = cscg_voxel_node(room, view, err);
		if (node < 0)
			return -1;
	}
	if (node < 0 || node >= room->n_nodes)
		return cscg_fail(err, CSCG_EUSAGE,
		    "'%.40s' is neither a node in 0..%d nor a position like "
		    "3,4,north",
		    view, room->n_nodes - 1);
	pic = cscg_image_new(SIDE, SIDE, 0, err);
	if (pic)
		cscg_render_view(r, (int)node, pic->rgb);
	return write_image_take(pic, out, err);
}

/* Four headings of a cell side by side, some cells in a row. */
static int
write_room_sheet(const struct cscg_room *room, struct cscg_render *r,
    struct cscg_out *out, struct cscg_err *err)
{
	int cells = room->n_nodes / CSCG_HEADINGS, w, node, cell;
	long across = cells < CELLS ? cells : CELLS;
	long down = (cells + across - 1) / across;
	unsigned char *rgb = cscg_alloc((size_t)SIDE * (size_t)SIDE, 3, err);
	struct cscg_image *pic = NULL;

	w = CSCG_HEADINGS * (SIDE + GAP) - GAP + CELL_GAP;
	if (rgb)
		pic = cscg_image_new(down * (SIDE + CELL_GAP) + CELL_GAP,
		    across * w + CELL_GAP, GREY, err);
	for (node = 0; pic && node < room->n_nodes; node++) {
		cell = node / CSCG_HEADINGS;
		cscg_render_view(r, node, rgb);
		cscg_image_paste(pic,
		    CELL_GAP + cell / (int)across * (SIDE + CELL_GAP),
		    CELL_GAP + cell % (int)across * w +
			node % CSCG_HEADINGS * (SIDE + GAP),
		    rgb, SIDE, SIDE);
	}
	free(rgb);
	return write_image_take(pic, out, err);
}

/* The true nodes of a walk, -1 between episodes: new. */
static int *
path_of(const struct cscg_walk *walk, const struct cscg_room *room, long *n,
    struct cscg_err *err)
{
	int e,
	    *path = cscg_alloc((size_t)walk->n_steps +
		    (size_t)walk->n_episodes,
		sizeof *path, err);
	long t;

	for (e = 0; path && e < walk->n_episodes; e++) {
		for (t = walk->start[e]; t < walk->start[e + 1]; t++) {
			int z = walk->z ? walk->z[t] : -1;

			if (z < 0 || z >= room->n_nodes) {
				cscg_fail(err, CSCG_EMISMATCH,
				    "the walk has no true nodes, "
				    "or they are not of this room");
				free(path);
				return NULL;
			}
			path[(*n)++] = z;
		}
		path[(*n)++] = -1;
	}
	return path;
}

int
cscg_images_write_overview(const struct cscg_room *room, bool iso, int scale,
    const struct cscg_walk *walk, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_overview_options how = { .iso = iso, .scale = scale };
	struct cscg_scene *scene = cscg_scene_new(room->voxel, err);
	int *path = NULL, rc = -1;

	if (scene && walk)
		path = path_of(walk, room, &how.n_path, err);
	how.path = path;
	if (scene && (path || !walk))
		rc = write_image_take(cscg_overview_render(scene, &how, err),
		    out, err);
	free(path);
	cscg_scene_free(scene);
	return rc;
}

int
cscg_images_write_room(const struct cscg_room *room, const char *view,
    struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_scene *scene = cscg_scene_new(room->voxel, err);
	struct cscg_render *r = NULL;
	int rc = -1;

	if (scene)
		r = cscg_render_new(scene, SIDE, SIDE, err);
	if (r)
		rc = view ? write_view(room, r, view, out, err) :
			    write_room_sheet(room, r, out, err);
	cscg_render_free(r);
	cscg_scene_free(scene);
	return rc;
}

/* Frames of walks. */

struct views {
	long wanted; /* -1: all */
	size_t size; /* bytes of one */
	unsigned char *rgb;
	size_t n, cap;
	long max; /* frames that fit into a picture */
};

static int
add_view(void *ctx, int view, const unsigned char *rgb, struct cscg_err *err)
{
	struct views *v = ctx;

	if (v->wanted >= 0 && view != v->wanted)
		return 0;
	if (v->n == (size_t)v->max)
		return cscg_fail(err, CSCG_EUSAGE,
		    "the picture would have more than %d pixels",
		    CSCG_IMAGE_MAX);
	if (cscg_grow(&v->rgb, &v->cap, (v->n + 1) * v->size, 1, err) < 0)
		return -1;
	memcpy(v->rgb + v->n++ * v->size, rgb, v->size);
	return 0;
}

/* n images of h by w pixels, in a sheet that is nearly square. */
static int
write_sheet(const unsigned char *rgb, long n, int h, int w,
    struct cscg_out *out, struct cscg_err *err)
{
	int gap = n > 1 ? GAP : 0;
	long across = (long)ceil(sqrt((double)n * (h + gap) / (w + gap)));
	long down = (n + across - 1) / across, i;
	struct cscg_image *pic = cscg_image_new(down * (h + gap) + gap,
	    across * (w + gap) + gap, GREY, err);

	for (i = 0; pic && i < n; i++)
		cscg_image_paste(pic, gap + (int)(i / across) * (h + gap),
		    gap + (int)(i % across) * (w + gap), rgb + i * h * w * 3,
		    h, w);
	return write_image_take(pic, out, err);
}

/* The frames of the walk, or those of one view. */
static int
read_views(struct cscg_walk_reader *r, const char *view, const char *name,
    struct views *v, struct cscg_err *err)
{
	const struct cscg_walk_header *head = cscg_walk_reader_header(r);
	struct cscg_step step;
	int rc;

	if (!head->frame[0])
		return cscg_fail(err, CSCG_EMISMATCH,
		    "%s: the walk contains no views", name);
	if (view && (v->wanted = parse_number(view)) < 0)
		return cscg_fail(err, CSCG_EUSAGE,
		    "'%.40s' is not the number of a view", view);
	v->size = cscg_walk_frame_size(head);
	v->max = (long)(CSCG_IMAGE_MAX / (v->size / 3));
	cscg_walk_reader_on_frame(r, 0, add_view, v);
	while ((rc = cscg_walk_reader_next(r, &step, err)) > 0)
		;
	if (rc < 0 || v->n)
		return rc;
	return v->wanted < 0 ? cscg_fail(err, CSCG_EMISMATCH,
				   "%s: the walk contains no views", name) :
			       cscg_fail(err, CSCG_EUSAGE,
				   "the walk contains no view %ld", v->wanted);
}

int
cscg_images_write_walk_take(struct cscg_in *in, const char *view,
    struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_walk_reader *r = cscg_walk_reader_open_take(in, err);
	struct views v = { .wanted = -1 };
	int rc = -1;

	if (r && read_views(r, view, cscg_in_name(in), &v, err) == 0) {
		const struct cscg_walk_header *head = cscg_walk_reader_header(
		    r);

		rc = write_sheet(v.rgb, (long)v.n, head->frame[0],
		    head->frame[1], out, err);
	}
	free(v.rgb);
	cscg_walk_reader_close(r);
	return rc;
}

/* Frames as numbers: codebooks, emission means. */

/* Frames as numbers: n of them, one after the other. */
struct frames {
	long n, dim;
	int ndim;
	const long *shape;
	const double *value;
	bool is_byte;
};

/* Rows and columns of a picture, and whether it has colours; or -1. */
static int
frame_size(const struct frames *f, int *h, int *w, bool *rgb,
    struct cscg_err *err)
{
	bool flat = f->ndim == 2 || (f->ndim == 3 && f->shape[2] == 1);
	char shape[80];

	*rgb = f->ndim == 3 && f->shape[2] == 3;
	if (!flat && !*rgb) {
		cscg_codebook_format_shape(shape, sizeof shape, f->ndim,
		    f->shape);
		return cscg_fail(err, CSCG_EMISMATCH,
		    "frames of %s are not pictures (H x W x 3, H x W or H x W "
		    "x 1 are)",
		    shape);
	}
	*h = (int)f->shape[0];
	*w = (int)f->shape[1];
	return 0;
}

/*
 * The values shown as 0 and 255: numbers other than bytes are scaled to their
 * range.
 */
static void
value_range(const struct frames *f, double *low, double *scale)
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

/* All frames as a sheet, or the one that view selects. */
static int
write_frames(const struct frames *f, const char *what, const char *view,
    struct cscg_out *out, struct cscg_err *err)
{
	long from = 0, n = f->n, i, c, each;
	double low, scale, v;
	unsigned char *pixel;
	int h = 0, w = 0, rc;
	bool rgb = false;

	if (view) {
		from = parse_number(view);
		n = 1;
		if (from < 0 || from >= f->n)
			return cscg_fail(err, CSCG_EUSAGE,
			    "'%.40s' is not the number of a %s in 0..%ld",
			    view, what, f->n - 1);
	}
	if (frame_size(f, &h, &w, &rgb, err) < 0)
		return -1;
	if (f->dim > CSCG_IMAGE_MAX / n)
		return cscg_fail(err, CSCG_EUSAGE,
		    "the picture would have more than %d pixels",
		    CSCG_IMAGE_MAX);
	each = rgb ? 1 : 3;
	pixel = cscg_alloc((size_t)(n * f->dim), (size_t)each, err);
	if (!pixel)
		return -1;
	value_range(f, &low, &scale);
	for (i = 0; i < n * f->dim; i++) {
		v = round((f->value[from * f->dim + i] - low) * scale);
		for (c = 0; c < each; c++)
			pixel[i * each + c] = (unsigned char)(v < 0 ? 0 :
				v > 255                             ? 255 :
								      v);
	}
	rc = write_sheet(pixel, n, h, w, out, err);
	free(pixel);
	return rc;
}

int
cscg_images_write_codebook(const struct cscg_codebook *book, const char *view,
    struct cscg_out *out, struct cscg_err *err)
{
	struct frames f = { book->k, book->dim, book->ndim, book->shape,
		book->centroid, book->is_byte };

	return write_frames(&f, "centroid", view, out, err);
}

int
cscg_images_write_emissions(const struct cscg_model *m, const char *view,
    struct cscg_out *out, struct cscg_err *err)
{
	const struct cscg_frame_emission *l = m->frame_emission;
	struct frames f = { l->n, l->dim, l->ndim, l->shape, l->mu, true };
	bool above_one = false;
	long i;

	/*
	 * A model does not record the type of its frames: infer it from the
	 * numbers.
	 */
	for (i = 0; i < l->n * l->dim; i++) {
		f.is_byte &= l->mu[i] >= 0 && l->mu[i] <= 255;
		above_one |= l->mu[i] > 1;
	}
	f.is_byte &= above_one;
	return write_frames(&f, "look", view, out, err);
}
