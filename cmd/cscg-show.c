/* cscg-show - look inside rooms, walks, models and codebooks */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tool.h"
#include "core/codebook.h"
#include "core/graph.h"
#include "core/model.h"
#include "core/model_io.h"
#include "core/model_npy.h"
#include "core/walk.h"
#include "core/walk_io.h"
#include "core/walk_line.h"
#include "io/image.h"
#include "io/sniff.h"
#include "io/stream.h"
#include "kernel/filter.h"
#include "kernel/passes.h"
#include "schema/partition.h"
#include "schema/stitch.h"
#include "show/compare.h"
#include "show/export.h"
#include "show/html.h"
#include "show/text.h"
#include "world/grid.h"
#include "world/overview.h"
#include "world/render.h"
#include "world/room.h"
#include "world/room_io.h"

enum { SHOW_SCALE_MAX = 512 };

#define SHOW_MIN_P 0.05	/* of an edge that is drawn or compared */

/* What --as asks for. */
enum show_as { AS_TEXT, AS_DOT, AS_GRAPHML, AS_TSV, AS_NPY, AS_PPM, AS_HTML,
    AS_SCHEMA, AS_CLONES, AS_MODEL };
static const char *const show_as_words[] = { "text", "dot", "graphml", "tsv",
    "npy", "ppm", "html", "schema", "clones", "model", NULL };

/* What the options of --as ppm say. */
struct show_ppm {
	const char *view;	/* --view; NULL: all */
	const char *size;	/* --frame; NULL: the default */
	bool top, iso;
	long scale;		/* pixels along a metre */
	int rows, cols;		/* of a frame, as checked */
};

struct show_set {
	int as;			/* enum show_as */
	int labels, from_npy;
	double min_p, count, pseudocount;
	bool loops, nodes, counts, json, frontiers, boundary, bottlenecks;
	bool rooms, merge;
	struct cscg_partition_options cut;
	const char *truth, *clones, *plan;
	struct show_ppm ppm;
};

/* The least share of an edge that counts. */
static double show_min_p(const struct show_set *set);

/* The graph of a room or a model, in the form asked for. */
static int show_graph(const struct show_set *set, const struct cscg_graph *g,
    const char *title, int digits, struct cscg_out *out,
    struct cscg_err *err);

/* ---- cscg-show_truth.c: a model beside the room it should be ---- */

/*
 * 1 if model and room are isomorphic (or the model is drawn), 0 if not, -1
 * with err filled.
 */
static int show_truth(const struct show_set *set, const char *path,
    struct cscg_out *out, struct cscg_err *err);

/* ---- cscg-show_npy.c: matrices ---- */

/* A matrix for each action; frees dense, and passes on that it is NULL. */
static int show_npy_take(double *dense, int n_actions, int n_states,
    struct cscg_out *out, struct cscg_err *err);

/* A model from somebody else's matrices: 1, or -1 with err filled. */
static int show_import(const struct show_set *set, const char *path,
    struct cscg_out *out, struct cscg_err *err);

/* ---- cscg-show_rooms.c: rooms found in a graph ---- */

static void show_check_rooms(const struct show_set *set);

/* The least share of a move that counts where rooms are looked for. */
static double show_rooms_min_p(const struct show_set *set);

static int show_rooms_room(const struct show_set *set, const struct cscg_room *room,
    struct cscg_out *out, struct cscg_err *err);
static int show_rooms_model(const struct show_set *set, const struct cscg_model *m,
    struct cscg_out *out, struct cscg_err *err);

/* ---- cscg-show_html.c: a page to look at and play with ---- */

static void show_check_html(const struct show_set *set);

/*
 * The page, with the walks of -w and the plan of --plan to play.  Returns 0, -1
 * with err filled, -2 if the fault is in a walk or the plan, which err names.
 */
static int show_html_room(const struct show_set *set, const struct cscg_room *room,
    struct cscg_out *out, struct cscg_err *err);
static int show_html_model(const struct show_set *set, const struct cscg_model *m,
    struct cscg_out *out, struct cscg_err *err);

/* ---- cscg-show_codebook.c: what frames look like ---- */

static int show_codebook(const struct show_set *set,
    const struct cscg_codebook *book, struct cscg_out *out,
    struct cscg_err *err);

/* The sheet of a model's looks, which it has. */
static int show_looks(const struct show_set *set, const struct cscg_model *m,
    struct cscg_out *out, struct cscg_err *err);

/* ---- cscg-show_ppm.c: pictures ---- */

/* Look at the options; on: --as ppm was given. */
static void show_check_ppm(struct show_ppm *ppm, bool on);

/* The picture of a room; the walks of -w may be drawn into it. */
static int show_ppm_room(const struct show_ppm *ppm, const struct cscg_room *room,
    struct cscg_out *out, struct cscg_err *err);

/* The views that a walk brings along; takes in. */
static int show_ppm_walk_take(const struct show_ppm *ppm, struct cscg_in *in,
    struct cscg_out *out, struct cscg_err *err);

/* A number from 0, or -1. */
static long show_number(const char *word);

/* n pictures of h by w pixels, as near to a square as they go. */
static int show_ppm_sheet(const unsigned char *rgb, long n, int h, int w,
    struct cscg_out *out, struct cscg_err *err);

/* cscg-show's matrices: to other programs and from them */

static int
show_npy_take(double *dense, int n_actions, int n_states, struct cscg_out *out,
    struct cscg_err *err)
{
	const long shape[] = { n_actions, n_states, n_states };
	int rc = -1;

	if (dense)
		rc = cscg_npy_write(out, 3, shape, dense, false, err);
	free(dense);
	return rc;
}

static int
show_import(const struct show_set *set, const char *path,
    struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_model_npy_options how = { set->from_npy == 0, set->count,
	    set->pseudocount, NULL, 0 };
	struct cscg_model *m = NULL;
	int *clones = NULL, rc = -1;

	if (set->clones) {
		how.n_clones = cscg_model_npy_clones(set->clones, &clones, err);
		how.clones = clones;
	}
	if (how.n_clones < 0)
		cscg_fail_at(err, "--clones");
	else
		m = cscg_model_read_npy(path, &how, err);
	if (m && cmd_history(&m->history, err) == 0 &&
	    cscg_model_write(m, out, err) == 0)
		rc = 1;
	free(clones);
	cscg_model_free(m);
	return rc;
}

/* cscg-show's pictures: views, sheets of them, overviews */

enum {
	SIDE = 64,		/* pixels of a view */
	GAP = 2,		/* pixels between views of a sheet */
	CELL_GAP = 6,		/* pixels between those of different cells */
	CELLS = 3,		/* of a room, in a row of its sheet */
	GREY = 24
};

static void
show_check_ppm(struct show_ppm *ppm, bool on)
{
	ppm->rows = ppm->cols = SIDE;
	if (!on && (ppm->view || ppm->size || ppm->top || ppm->iso ||
	    cmd_given(&ppm->scale)))
		cmd_usage("--%s goes with --as ppm only", ppm->view ? "view" :
		    ppm->size ? "frame" : ppm->top ? "top" : ppm->iso ? "iso" :
		    "scale");
	if (ppm->view && (ppm->top || ppm->iso))
		cmd_usage("--view does not go with --%s", ppm->top ? "top" :
		    "iso");
	if (ppm->top && ppm->iso)
		cmd_usage("--top does not go with --iso");
	if (ppm->size && (ppm->top || ppm->iso))
		cmd_usage("--frame does not go with --%s", ppm->top ? "top" :
		    "iso");
	if (cmd_given(&ppm->scale) && !ppm->top && !ppm->iso)
		cmd_usage("--scale goes with --top or --iso only");
	if (on && cmd.walks.n && !ppm->top && !ppm->iso)
		cmd_usage("-w goes with --truth, --top or --iso only");
	if (ppm->size && (cscg_grid_parse_pair(ppm->size, 'x', &ppm->rows,
	    &ppm->cols) < 0 || ppm->rows < 1 || ppm->cols < 1 ||
	    ppm->rows > CSCG_FRAME_SIDE_MAX || ppm->cols > CSCG_FRAME_SIDE_MAX))
		cmd_usage("--frame: '%s' is not two numbers of 1..%d like "
		    "64x64", ppm->size, CSCG_FRAME_SIDE_MAX);
}

static long
show_number(const char *word)
{
	char *end;
	long v;

	if (!isdigit((unsigned char)*word))
		return -1;
	v = strtol(word, &end, 10);
	return *end ? -1 : v;
}

static int
write_take(struct cscg_image *pic, struct cscg_out *out,
    struct cscg_err *err)
{
	int rc = pic ? cscg_image_write(pic, out, err) : -1;

	cscg_image_free(pic);
	return rc;
}

/* ---- rooms ---- */

static int
one_view(const struct show_ppm *ppm, const struct cscg_room *room,
    struct cscg_render *r, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_image *pic;
	long node = show_number(ppm->view);

	if (strchr(ppm->view, ',')) {
		node = cscg_voxel_node(room, ppm->view, err);
		if (node < 0)
			return cscg_fail_at(err, "--view");
	}
	if (node < 0 || node >= room->n_nodes)
		return cscg_fail(err, CSCG_EUSAGE, "--view: '%.40s' is neither "
		    "a node in 0..%d nor a place like 3,4,north", ppm->view,
		    room->n_nodes - 1);
	pic = cscg_image_new(ppm->rows, ppm->cols, 0, err);
	if (pic)
		cscg_render_view(r, (int)node, pic->rgb);
	return write_take(pic, out, err);
}

/* Four headings of a cell side by side, some cells in a row. */
static int
sheet(const struct show_ppm *ppm, const struct cscg_room *room,
    struct cscg_render *r, struct cscg_out *out, struct cscg_err *err)
{
	int cells = room->n_nodes / CSCG_HEADINGS, w, node, cell;
	long across = cells < CELLS ? cells : CELLS;
	long down = (cells + across - 1) / across;
	unsigned char *rgb = cscg_alloc((size_t)ppm->rows * (size_t)ppm->cols,
	    3, err);
	struct cscg_image *pic = NULL;

	w = CSCG_HEADINGS * (ppm->cols + GAP) - GAP + CELL_GAP;
	if (rgb)
		pic = cscg_image_new(down * (ppm->rows + CELL_GAP) +
		    CELL_GAP, across * w + CELL_GAP, GREY, err);
	for (node = 0; pic && node < room->n_nodes; node++) {
		cell = node / CSCG_HEADINGS;
		cscg_render_view(r, node, rgb);
		cscg_image_paste(pic, CELL_GAP + cell / (int)across *
		    (ppm->rows + CELL_GAP), CELL_GAP + cell % (int)across * w +
		    node % CSCG_HEADINGS * (ppm->cols + GAP), rgb, ppm->rows,
		    ppm->cols);
	}
	free(rgb);
	return write_take(pic, out, err);
}

/* The true nodes of the walks of -w, -1 between episodes. */
static int
read_way(const struct cscg_room *room, int **way, long *n,
    struct cscg_err *err)
{
	struct cscg_walk *walk = cscg_walk_read(cmd.walks.v, cmd.walks.n, err);
	int e, rc = -1;
	long t;

	if (!walk)
		return -1;
	*way = cscg_alloc((size_t)walk->n_steps + (size_t)walk->n_episodes,
	    sizeof **way, err);
	if (!*way)
		goto out;
	for (e = 0; e < walk->n_episodes; e++) {
		for (t = walk->start[e]; t < walk->start[e + 1]; t++) {
			int z = walk->z ? walk->z[t] : -1;

			if (z < 0 || z >= room->n_nodes) {
				cscg_fail(err, CSCG_EMISMATCH, "the walk "
				    "does not tell its true nodes, or they "
				    "are not of this room");
				goto out;
			}
			(*way)[(*n)++] = z;
		}
		(*way)[(*n)++] = -1;
	}
	rc = 0;
out:
	cscg_walk_free(walk);
	return rc;
}

static int
overview(const struct show_ppm *ppm, const struct cscg_room *room,
    const struct cscg_scene *scene, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_overview_options how = { .iso = ppm->iso,
	    .scale = (int)ppm->scale };
	int *way = NULL, rc = -1;

	if (!cmd.walks.n || read_way(room, &way, &how.n_path, err) == 0) {
		how.path = way;
		rc = write_take(cscg_overview_render(scene, &how, err), out, err);
	}
	free(way);
	return rc;
}

static int
show_ppm_room(const struct show_ppm *ppm, const struct cscg_room *room,
    struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_scene *scene;
	struct cscg_render *r = NULL;
	int rc = -1;

	if (!room->voxel)
		return cscg_fail(err, CSCG_EMISMATCH, "--as ppm: this is no 3D "
		    "room");
	scene = cscg_scene_new(room->voxel, err);
	if (!scene)
		return -1;
	if (ppm->top || ppm->iso) {
		rc = overview(ppm, room, scene, out, err);
		goto out;
	}
	r = cscg_render_new(scene, ppm->rows, ppm->cols, err);
	if (r)
		rc = ppm->view ? one_view(ppm, room, r, out, err) :
		    sheet(ppm, room, r, out, err);
out:
	cscg_render_free(r);
	cscg_scene_free(scene);
	return rc;
}

/* ---- walks ---- */

struct views {
	long wanted;		/* -1: all */
	size_t size;		/* bytes of one */
	unsigned char *rgb;
	size_t n, cap;
	long max;		/* so many fit into a picture */
};

static int
keep_view(void *ctx, int view, const unsigned char *rgb, struct cscg_err *err)
{
	struct views *v = ctx;

	if (v->wanted >= 0 && view != v->wanted)
		return 0;
	if (v->n == (size_t)v->max)
		return cscg_fail(err, CSCG_EUSAGE, "the picture would have more "
		    "than %d pixels", CSCG_IMAGE_MAX);
	if (cscg_grow(&v->rgb, &v->cap, (v->n + 1) * v->size, 1, err) < 0)
		return -1;
	memcpy(v->rgb + v->n++ * v->size, rgb, v->size);
	return 0;
}

static int
show_ppm_sheet(const unsigned char *rgb, long n, int h, int w,
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
	return write_take(pic, out, err);
}

static int
show_ppm_walk_take(const struct show_ppm *ppm, struct cscg_in *in,
    struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_walk_reader *r = cscg_walk_reader_open_take(in, err);
	const struct cscg_walk_header *head;
	struct views v = { .wanted = -1 };
	struct cscg_step step;
	int rc = -1;

	if (!r)
		return -1;
	head = cscg_walk_reader_header(r);
	if (ppm->top || ppm->iso || ppm->size) {
		cscg_fail(err, CSCG_EMISMATCH, "%s: --%s wants a room, not a "
		    "walk", cscg_in_name(in), ppm->top ? "top" : ppm->iso ?
		    "iso" : "frame");
		goto out;
	}
	if (!head->frame[0]) {
		cscg_fail(err, CSCG_EMISMATCH, "%s: no views come with this "
		    "walk", cscg_in_name(in));
		goto out;
	}
	if (ppm->view && (v.wanted = show_number(ppm->view)) < 0) {
		cscg_fail(err, CSCG_EUSAGE, "--view: '%.40s' is not the number "
		    "of a view", ppm->view);
		goto out;
	}
	v.size = cscg_walk_frame_size(head);
	v.max = (long)(CSCG_IMAGE_MAX / (v.size / 3));
	cscg_walk_reader_on_frame(r, 0, keep_view, &v);
	while ((rc = cscg_walk_reader_next(r, &step, err)) > 0)
		;
	if (rc == 0 && !v.n)
		rc = v.wanted < 0 ? cscg_fail(err, CSCG_EMISMATCH, "%s: no "
		    "views come with this walk", cscg_in_name(in)) :
		    cscg_fail(err, CSCG_EUSAGE, "--view: no view %ld comes "
		    "with this walk", v.wanted);
	if (rc == 0)
		rc = show_ppm_sheet(v.rgb, (long)v.n, head->frame[0],
		    head->frame[1], out, err);
out:
	free(v.rgb);
	cscg_walk_reader_close(r);
	return rc;
}

/* cscg-show's codebooks, and the looks of models */

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
check_faces(const struct faces *f, int *h, int *w, bool *rgb,
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
	if (check_faces(f, &h, &w, &rgb, err) < 0)
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

static int
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

static int
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

/* cscg-show --as html: a page to look at and play with */

/* What is to be played. */
struct runs {
	struct cscg_html_run *run;
	size_t cap;
	int n;
	long steps, left_out;	/* that the page holds, and does not */
	int end;		/* the last state of the walks, -1: none */
};

static void
show_check_html(const struct show_set *set)
{
	if (set->plan && set->as != AS_HTML)
		cmd_usage("--plan goes with --as html only");
}

static void
free_runs(struct runs *r)
{
	int i;

	for (i = 0; i < r->n; i++)
		cscg_html_run_free(&r->run[i]);
	free(r->run);
}

/* One more run of n steps; NULL with err filled. */
static struct cscg_html_run *
add_run(struct runs *r, long n, struct cscg_err *err)
{
	struct cscg_html_run *run;

	if (cscg_grow(&r->run, &r->cap, (size_t)r->n + 1, sizeof *r->run,
	    err) < 0)
		return NULL;
	run = &r->run[r->n++];
	*run = (struct cscg_html_run){ .n = n };
	run->z = cscg_alloc((size_t)n, sizeof *run->z, err);
	run->a = cscg_alloc((size_t)n, sizeof *run->a, err);
	run->p = cscg_alloc((size_t)n, sizeof *run->p, err);
	return run->z && run->a && run->p ? run : NULL;
}

/* What is believed at each step of the run, by all that was seen until then. */
static int
believe(struct cscg_html_run *run, const struct cscg_trans *tr,
    struct cscg_err *err)
{
	struct cscg_filter *b = cscg_filter_new(tr, err);
	double *p = cscg_alloc((size_t)tr->n_states, sizeof *p, err);
	size_t cap_state = 0, cap_p = 0;
	long t, n = 0;
	int j, rc = b && p ? 0 : -1;

	run->b_first = cscg_alloc((size_t)run->n + 1, sizeof *run->b_first,
	    err);
	if (!run->b_first)
		rc = -1;
	for (t = 0; t < run->n && rc == 0; t++) {
		cscg_filter_observe(b, run->is_reset[t] ? -1 : run->a[t - 1],
		    run->x[t]);
		cscg_filter_probs(b, p);
		run->p[t] = run->z[t] < 0 ? 0 : p[run->z[t]];
		for (j = 0; j < tr->n_states && rc == 0; j++) {
			if (!(p[j] >= CSCG_HTML_BELIEF_MIN))
				continue;
			if (cscg_grow(&run->b_state, &cap_state, (size_t)n + 1,
			    sizeof *run->b_state, err) < 0 ||
			    cscg_grow(&run->b_p, &cap_p, (size_t)n + 1,
			    sizeof *run->b_p, err) < 0)
				rc = -1;
			else {
				run->b_state[n] = j;
				run->b_p[n++] = p[j];
			}
		}
		run->b_first[t + 1] = n;
	}
	cscg_filter_free(b);
	free(p);
	return rc;
}

/* Episode e as a run, as much of it as the page can hold; z has its states. */
static struct cscg_html_run *
add_episode(struct runs *r, const struct cscg_walk *w, int e, const int *z,
    struct cscg_err *err)
{
	long from = w->start[e], n = w->start[e + 1] - from, t;
	struct cscg_html_run *run;

	if (n > CSCG_HTML_STEPS_MAX - r->steps)
		n = CSCG_HTML_STEPS_MAX - r->steps;
	r->left_out += w->start[e + 1] - from - n;
	run = add_run(r, n, err);
	if (!run)
		return NULL;
	r->steps += n;
	run->x = cscg_copy(w->x + from, (size_t)n, sizeof *run->x, err);
	run->is_reset = cscg_alloc((size_t)n, sizeof *run->is_reset, err);
	if (!run->x || !run->is_reset)
		return NULL;
	if (w->n_episodes > 1)
		snprintf(run->name, sizeof run->name, "episode %d", e);
	else
		snprintf(run->name, sizeof run->name, "walk");
	memcpy(run->z, z + from, (size_t)n * sizeof *run->z);
	memcpy(run->a, w->a + from, (size_t)n * sizeof *run->a);
	for (t = 0; t < n; t++)
		run->is_reset[t] = cscg_walk_starts_run(w, e, from + t);
	return run;
}

/*
 * The walks of -w under the model: the likeliest path, and beliefs.  Returns 0,
 * -1, or -2 if a walk is at fault and err names it, as all that adds does.
 */
static int
add_walks(struct runs *r, const struct cscg_model *m, struct cscg_err *err)
{
	struct cscg_walk *walk = cscg_walk_read(cmd.walks.v, cmd.walks.n, err);
	struct cscg_work work = { 0 };
	struct cscg_trans *tr = NULL;
	struct cscg_html_run *run;
	double logp;
	int *z = NULL, e, rc = -1;

	if (!walk)
		return -2;
	if (m->kind == CSCG_GROUNDED && cscg_alphabet_map_walk(walk, m, err) < 0) {
		cmd_fail_in(cmd.walks.v[0], err);
		rc = -2;
		goto out;
	}
	tr = cscg_trans_new(m, m->is_double ? &cscg_plain_double :
	    &cscg_plain_float, err);
	z = cscg_alloc((size_t)walk->n_steps, sizeof *z, err);
	if (!tr || !z || cscg_viterbi_all(tr, walk, &work, z, &logp, err) < 0)
		goto out;
	for (rc = 0, e = 0; e < walk->n_episodes && rc == 0; e++) {
		if (r->steps == CSCG_HTML_STEPS_MAX) {
			r->left_out += walk->start[e + 1] - walk->start[e];
			continue;
		}
		run = add_episode(r, walk, e, z, err);
		rc = run ? believe(run, tr, err) : -1;
	}
	if (rc == 0 && walk->n_steps)
		r->end = z[walk->n_steps - 1];
out:
	free(z);
	cscg_work_free(&work);
	cscg_trans_free(tr);
	cscg_walk_free(walk);
	return rc;
}

static int
add_plan(struct runs *r, const char *path, const struct cscg_model *m,
    struct cscg_err *err)
{
	struct cscg_plan_graph *map = cscg_plan_graph_new(m, 0, err);
	struct cscg_plan plan = { 0 };
	struct cscg_html_run *run;
	int rc = -1;

	if (!map)
		goto out;
	rc = -2;
	if (cscg_html_plan_read(path, m, map, r->end, &plan, err) < 0)
		goto out;
	if (plan.n >= CSCG_HTML_STEPS_MAX) {
		cscg_fail(err, CSCG_ERANGE, "%ld actions are too many for a "
		    "page, which can hold %d", plan.n,
		    CSCG_HTML_STEPS_MAX - 1);
		cmd_fail_in(path, err);
		goto out;
	}
	rc = -1;
	run = add_run(r, plan.n + 1, err);
	if (!run)
		goto out;
	run->plan = true;
	snprintf(run->name, sizeof run->name, "plan");
	memcpy(run->z, plan.z, ((size_t)plan.n + 1) * sizeof *run->z);
	memcpy(run->p, plan.p, ((size_t)plan.n + 1) * sizeof *run->p);
	if (plan.n)
		memcpy(run->a, plan.a, (size_t)plan.n * sizeof *run->a);
	run->a[plan.n] = -1;
	rc = 0;
out:
	cscg_plan_free(&plan);
	cscg_plan_graph_free(map);
	return rc;
}

static int
write_page(const struct cscg_graph *g, const char *title, const char *kind,
    const int *clone, const struct runs *r, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_html_page page = { g, title, NULL, clone, r->run, r->n };
	char note[200];

	snprintf(note, sizeof note, "%s, %d %s, %d actions%s", kind,
	    g->n_nodes, g->count ? "states" : "nodes", g->n_actions,
	    r->left_out ? "; only the first steps of the walk" : "");
	page.note = note;
	if (r->left_out)
		cmd_warn("the page holds the first %d steps of the walk, and "
		    "not %ld more", CSCG_HTML_STEPS_MAX, r->left_out);
	return cscg_html_write(&page, out, err);
}

static int
show_html_model(const struct show_set *set, const struct cscg_model *m,
    struct cscg_out *out, struct cscg_err *err)
{
	const char *kind = m->kind == CSCG_GROUNDED ? "grounded model" :
	    m->kind == CSCG_CLONES ? "schema with clone structure" : "schema";
	struct runs r = { .end = -1 };
	struct cscg_graph *g = NULL;
	char title[64];
	int rc = -1;

	rc = cmd.walks.n ? add_walks(&r, m, err) : 0;
	if (rc == 0 && set->plan)
		rc = add_plan(&r, set->plan, m, err);
	if (rc < 0)
		goto out;
	rc = -1;
	g = cscg_graph_of_model(m, show_min_p(set), err);
	if (!g)
		goto out;
	snprintf(title, sizeof title, "Map of %d states", m->n_states);
	rc = write_page(g, title, kind, m->e_first ? m->clone : NULL, &r, out,
	    err);
out:
	cscg_graph_free(g);
	free_runs(&r);
	return rc;
}

/* In a room a walk itself tells where it was. */
static int
add_true_walks(struct runs *r, const struct cscg_room *room,
    struct cscg_err *err)
{
	struct cscg_walk *walk = cscg_walk_read(cmd.walks.v, cmd.walks.n, err);
	struct cscg_html_run *run;
	int e, *map = NULL, rc = -1;
	long t;

	if (!walk)
		return -2;
	map = cscg_alloc((size_t)walk->head.n_actions, sizeof *map, err);
	if (!map)
		goto out;
	if (!walk->z) {
		cscg_fail(err, CSCG_EMISMATCH, "the walk does not tell its "
		    "true nodes");
		goto blame;
	}
	for (t = 0; t < walk->n_steps; t++)
		if (walk->z[t] >= room->n_nodes) {
			cscg_fail(err, CSCG_EMISMATCH, "node %d is not one of "
			    "the room's %d", walk->z[t], room->n_nodes);
			goto blame;
		} else if (walk->x[t] >= room->n_obs) {
			cscg_fail(err, CSCG_EMISMATCH, "symbol %d is not one "
			    "of the room's %d", walk->x[t], room->n_obs);
			goto blame;
		}
	if (cscg_names_map(&walk->head.actions, walk->head.n_actions,
	    &room->actions, room->n_actions, "action", map, err) < 0)
		goto blame;
	for (rc = 0, e = 0; e < walk->n_episodes && rc == 0; e++) {
		if (r->steps == CSCG_HTML_STEPS_MAX) {
			r->left_out += walk->start[e + 1] - walk->start[e];
			continue;
		}
		run = add_episode(r, walk, e, walk->z, err);
		for (t = 0; run && t < run->n; t++) {
			run->a[t] = run->a[t] < 0 ? -1 : map[run->a[t]];
			run->p[t] = 1;
		}
		rc = run ? 0 : -1;
	}
	goto out;
blame:
	cmd_fail_in(cmd.walks.v[0], err);
	rc = -2;
out:
	free(map);
	cscg_walk_free(walk);
	return rc;
}

static int
show_html_room(const struct show_set *set, const struct cscg_room *room,
    struct cscg_out *out, struct cscg_err *err)
{
	struct runs r = { .end = -1 };
	struct cscg_graph *g = NULL;
	int rc = -1;

	if (set->plan)
		return cscg_fail(err, CSCG_EMISMATCH, "--plan wants a model, "
		    "not a room");
	rc = cmd.walks.n ? add_true_walks(&r, room, err) : 0;
	if (rc < 0)
		goto out;
	rc = -1;
	g = cscg_graph_of_room(room, show_min_p(set), err);
	if (g)
		rc = write_page(g, room->name ? room->name : "Room", "room",
		    NULL, &r, out, err);
out:
	cscg_graph_free(g);
	free_runs(&r);
	return rc;
}

/* rooms and doors, found in a graph by themselves */

static void
show_check_rooms(const struct show_set *set)
{
	bool fine = set->as == AS_TEXT || set->as == AS_DOT ||
	    set->as == AS_TSV || set->as >= AS_SCHEMA;

	if (set->merge && !(set->rooms && set->as == AS_SCHEMA))
		cmd_usage("--merge goes with --rooms --as schema only");
	if (set->bottlenecks && (!set->frontiers || set->boundary))
		cmd_usage("--bottlenecks goes with --frontiers only, and not "
		    "with --boundary");
	if (!set->rooms && !set->bottlenecks && (cmd_given(
	    &set->cut.max_conductance) || cmd_given(&set->cut.max_cut_ratio) ||
	    cmd_given(&set->cut.min_size)))
		cmd_usage("--conductance, --narrow and --min-states go with "
		    "--rooms or --bottlenecks only");
	if (!set->rooms)
		return;
	if (set->frontiers || set->truth || set->from_npy >= 0)
		cmd_usage("--rooms goes with none of --frontiers, --truth and "
		    "--from-npy");
	if (!fine || (set->as == AS_TSV && !set->nodes))
		cmd_usage("--rooms goes with --as dot, tsv --nodes, schema, "
		    "clones or model only");
}

static double
show_rooms_min_p(const struct show_set *set)
{
	return set->min_p >= 0 ? set->min_p : CSCG_PARTITION_MIN_PROB;
}

static void
tell(const struct cscg_partition *r)
{
	int k, classes = 0;

	for (k = 0; k < r->n; k++)
		classes += r->class_of[k] == k;
	cmd_verbose("%d room%s, %d different, %ld exits", r->n, r->n == 1 ? "" :
	    "s", classes, r->n_exits);
}

/* The graph with its nodes coloured, or numbered, by their room. */
static int
draw(const struct show_set *set, const struct cscg_partition *r,
    struct cscg_graph *g, int digits, struct cscg_out *out,
    struct cscg_err *err)
{
	char title[64];
	int *label;

	snprintf(title, sizeof(title), "%d %s, %d rooms", g->n_nodes,
	    g->count ? "states" : "nodes", r->n);
	if (set->as == AS_DOT) {
		label = cscg_copy(r->room, (size_t)g->n_nodes, sizeof *label,
		    err);
		if (!label)
			return -1;
		free(g->label);
		g->label = label;
		g->n_labels = r->n;
		g->grounded = false;
	}
	g->part = r->room;
	return show_graph(set, g, title, digits, out, err);
}

/* Tables or a drawing of the rooms of g, which are not asked for as models. */
static int
show_found(const struct show_set *set, const struct cscg_partition *r,
    struct cscg_graph *g, int digits, struct cscg_out *out,
    struct cscg_err *err)
{
	if (set->as != AS_TEXT)
		return draw(set, r, g, digits, out, err);
	return cscg_partition_write(r, g->actions, g->count ? "state" : "node",
	    set->json, out, err);
}

static int
show_rooms_room(const struct show_set *set, const struct cscg_room *room,
    struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_graph *g;
	struct cscg_partition *r = NULL;
	int rc = -1;

	if (set->as >= AS_SCHEMA)
		return cscg_fail(err, CSCG_EMISMATCH, "--as %s wants a model, "
		    "not a room", show_as_words[set->as]);
	g = cscg_graph_of_room(room, show_rooms_min_p(set), err);
	if (g)
		r = cscg_partition_new(g, &set->cut, err);
	if (r) {
		tell(r);
		rc = show_found(set, r, g, 17, out, err);
	}
	cscg_partition_free(r);
	cscg_graph_free(g);
	return rc;
}

/* Rooms as models, one a line. */
static int
write_rooms(const struct show_set *set, const struct cscg_model *m,
    const struct cscg_partition *r, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_model *one;
	int k, rc = 0;

	for (k = 0; k < r->n && rc == 0; k++) {
		if (set->merge && r->class_of[k] != k)
			continue;
		one = set->merge ? cscg_partition_class_model(m, r, k, err) :
		    cscg_partition_room_model(m, r, k, err);
		if (one && set->as != AS_MODEL)
			cscg_model_unground(one, set->as == AS_CLONES ?
			    CSCG_CLONES : CSCG_SCHEMA);
		rc = one && cmd_history(&one->history, err) == 0 &&
		    cscg_model_write(one, out, err) == 0 ? 0 : -1;
		cscg_model_free(one);
	}
	return rc;
}

static int
show_rooms_model(const struct show_set *set, const struct cscg_model *m,
    struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_graph *g;
	struct cscg_partition *r = NULL;
	int rc = -1;

	if (set->as == AS_CLONES && !m->clone)
		return cscg_fail(err, CSCG_EMISMATCH, "the model is a schema "
		    "without clone structure");
	g = cscg_graph_of_model(m, show_rooms_min_p(set), err);
	if (g)
		r = cscg_partition_new(g, &set->cut, err);
	if (r) {
		tell(r);
		rc = set->as >= AS_SCHEMA ? write_rooms(set, m, r, out, err) :
		    show_found(set, r, g, m->is_double ? 17 : 9, out, err);
	}
	cscg_partition_free(r);
	cscg_graph_free(g);
	return rc;
}

/* cscg-show --truth: a model beside the room it should be */

/* The likeliest states behind the walks of -w, and the walk itself. */
static int
decode(const char *path, const struct cscg_model *m, struct cscg_walk **walk,
    int **states, struct cscg_err *err)
{
	struct cscg_work work = { 0 };
	struct cscg_trans *tr = NULL;
	double logp;
	int rc = -1;

	*walk = cscg_walk_read(cmd.walks.v, cmd.walks.n, err);
	if (!*walk)
		return -1;
	if (!(*walk)->z) {
		cscg_fail(err, CSCG_EMISMATCH, "the walk does not tell its "
		    "true nodes");
		return cmd_fail_in(cmd.walks.v[0], err);
	}
	tr = cscg_trans_new(m, m->is_double ? &cscg_plain_double :
	    &cscg_plain_float, err);
	if (!tr)
		return cmd_fail_in(path, err);
	*states = cscg_alloc((*walk)->n_steps, sizeof(**states), err);
	if (*states && cscg_alphabet_map_walk(*walk, m, err) < 0)
		cmd_fail_in(cmd.walks.v[0], err);
	else if (*states)
		rc = cscg_viterbi_all(tr, *walk, &work, *states, &logp, err);
	cscg_work_free(&work);
	cscg_trans_free(tr);
	return rc;
}

/* Draw the model with its states where the nodes are that they stand for. */
static int
show_placed(const struct show_set *set, const struct cscg_model *m,
    const struct cscg_graph *truth, const int *map, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_graph *g = cscg_graph_of_model(m, show_min_p(set), err);
	char title[64];
	int rc = -1;

	snprintf(title, sizeof(title), "%d states", m->n_states);
	if (g && cscg_graph_set_coords(g, truth, map, err) < 0)
		cmd_fail_in(set->truth, err);
	else if (g && show_graph(set, g, title, m->is_double ? 17 : 9, out,
	    err) == 0)
		rc = 1;
	cscg_graph_free(g);
	return rc;
}

static int
show_truth(const struct show_set *set, const char *path, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_model *m = cscg_model_read_file(path, err);
	struct cscg_room *room = m ? cscg_room_read_file(set->truth, err) :
	    NULL;
	struct cscg_graph *mg = NULL, *rg = NULL;
	struct cscg_walk *walk = NULL;
	struct cscg_compare_result c;
	int *states = NULL, *map = NULL, rc = -1;
	double least = set->min_p < 0 ? SHOW_MIN_P : set->min_p;

	if (!m || !room)
		goto out;
	mg = cscg_graph_of_model(m, least, err);
	rg = cscg_graph_of_room(room, least, err);
	map = cscg_alloc(m->n_states, sizeof(*map), err);
	if (!mg || !rg || !map)
		goto out;
	if (cmd.walks.n && decode(path, m, &walk, &states, err) < 0)
		goto out;
	if (cscg_compare(mg, rg, set->labels, states, walk ? walk->z : NULL,
	    walk ? walk->n_steps : 0, &c, map, err) < 0) {
		cmd_fail_in(err->code == CSCG_ERANGE ? set->truth : path, err);
	} else if (set->as == AS_TEXT) {
		if (cscg_compare_write(&c, set->json, out, err) == 0)
			rc = c.isomorphic;
	} else if (!walk && !c.isomorphic) {
		cscg_fail(err, CSCG_EMISMATCH, "the model is not the room's "
		    "graph: only a walk (-w) can tell where its states are");
		cmd_fail_in(path, err);
	} else {
		rc = show_placed(set, m, rg, map, out, err);
	}
out:
	free(states);
	free(map);
	cscg_walk_free(walk);
	cscg_graph_free(mg);
	cscg_graph_free(rg);
	cscg_room_free(room);
	cscg_model_free(m);
	return rc;
}

static const char *const npy_words[] = { "T", "C", NULL };
static const char *const label_words[] = { "auto", "symbols", "groups",
    "ignore", NULL };

static struct show_set set = { .from_npy = -1, .min_p = -1, .count = 100,
	.ppm.scale = 48, .cut = CSCG_PARTITION_DEFAULTS };

static const struct cmd_opt opts[] = {
	CMD_CHOICE(0, "as", &set.as, show_as_words, "write this"),
	CMD_DOUBLE(0, "min-p", &set.min_p, 0, 1, "P", "leave out edges with a "
	    "smaller share of their move (dot, html, --truth: 0.05; else 0)"),
	CMD_FLAG(0, "loops", &set.loops, "dot: draw moves that stay, too"),
	CMD_FILE(0, "plan", &set.plan, "FILE",
	    "html: a plan to play, as cscg-plan writes it"),
	CMD_FLAG(0, "nodes", &set.nodes, "tsv: the nodes, not the edges"),
	CMD_FLAG(0, "counts", &set.counts, "npy: the counts, not T"),
	CMD_STRING(0, "view", &set.ppm.view, "WHICH",
	    "ppm: one view or centroid, by its number (a room's: its node, or "
	    "ROW,COL,HEADING), not a sheet of all"),
	CMD_STRING(0, "frame", &set.ppm.size, "HxW",
	    "ppm: rows and columns of a room's views (default: 64x64)"),
	CMD_FLAG(0, "top", &set.ppm.top, "ppm: the room from above"),
	CMD_FLAG(0, "iso", &set.ppm.iso, "ppm: the room at an angle"),
	CMD_LONG(0, "scale", &set.ppm.scale, 4, SHOW_SCALE_MAX, "N",
	    "--top, --iso: pixels along a metre"),
	CMD_FLAG(0, "frontiers", &set.frontiers,
	    "list the moves that may lead out, and where they lead here"),
	CMD_FLAG(0, "boundary", &set.boundary,
	    "--frontiers: of a model, all moves that stay put instead"),
	CMD_FLAG(0, "bottlenecks", &set.bottlenecks,
	    "--frontiers: of a model, the doors between its rooms instead"),
	CMD_FLAG(0, "rooms", &set.rooms,
	    "find rooms, the doors between them, and which rooms are equal"),
	CMD_FLAG(0, "merge", &set.merge,
	    "--rooms --as schema: rooms that are equal are one schema"),
	CMD_DOUBLE(0, "conductance", &set.cut.max_conductance, 0, 1, "X",
	    "--rooms: a cut has less than this share of a side's moves"),
	CMD_DOUBLE(0, "narrow", &set.cut.max_cut_ratio, 0, 1e6, "X",
	    "--rooms: ... and less than this of the square root of them"),
	CMD_LONG(0, "min-states", &set.cut.min_size, 1, CSCG_STATE_MAX, "N",
	    "--rooms: ... and leaves so many states on each side"),
	CMD_JSON(&set.json, " (--as tsv, --truth, --frontiers, --rooms)"),
	CMD_FILE(0, "truth", &set.truth, "ROOM",
	    "compare the model with this room, or draw it (--as) where the room's "
	    "nodes are; -w adds a walk in it"),
	CMD_CHOICE(0, "labels", &set.labels, label_words,
	    "--truth: what must look the same"),
	CMD_CHOICE(0, "from-npy", &set.from_npy, npy_words,
	    "FILE is a .npy array of T or counts; needs --as model"),
	CMD_NUMBERS(0, "clones", &set.clones, "HOW",
	    "--from-npy: states of each symbol, N,N,... or a file of numbers"),
	CMD_DOUBLE(0, "count", &set.count, 1e-9, 1e15, "C",
	    "--from-npy T: counts that a row is worth"),
	CMD_DOUBLE(0, "pseudocount", &set.pseudocount, 0, 1e15, "P",
	    "--from-npy: pseudocount of the model"),
	CMD_END
};

static const struct cmd_info info = {
	.name = "cscg-show",
	.operands = "[FILE]",
	.purpose = "look inside rooms, walks, models and codebooks",
	.opts = opts,
	.max = 1,
	.uses = CMD_USES_WALKS | CMD_USES_GZIP,
	.example = "cscg-show --as dot model.gz | dot -Tsvg -o model.svg"
};

static void
check(const char *path)
{
	int i, dashes = !strcmp(path, "-");

	if (set.truth && set.as > AS_TSV)
		cmd_usage("--truth goes with --as dot, graphml or tsv only");
	if (set.loops && set.as != AS_DOT)
		cmd_usage("--loops goes with --as dot only");
	if (set.nodes && set.as != AS_TSV)
		cmd_usage("--nodes goes with --as tsv only");
	if (set.counts && set.as != AS_NPY)
		cmd_usage("--counts goes with --as npy only");
	show_check_rooms(&set);
	if ((set.from_npy >= 0) != (set.as == AS_MODEL && !set.rooms))
		cmd_usage("--from-npy and --as model go together");
	if (set.clones && set.from_npy < 0)
		cmd_usage("--clones goes with --from-npy only");
	if (set.frontiers && (set.truth || set.as != AS_TEXT))
		cmd_usage("--frontiers goes with neither --as nor --truth");
	if (set.boundary && !set.frontiers)
		cmd_usage("--boundary goes with --frontiers only");
	if (set.json && set.as != AS_TSV && !set.frontiers &&
	    !((set.truth || set.rooms) && set.as == AS_TEXT))
		cmd_usage("--json goes with --as tsv, --truth, --frontiers or "
		    "--rooms only");
	if (set.labels && !set.truth)
		cmd_usage("--labels goes with --truth only");
	show_check_ppm(&set.ppm, set.as == AS_PPM);
	show_check_html(&set);
	if (cmd.walks.n && !set.truth && set.as != AS_PPM &&
	    set.as != AS_HTML)
		cmd_usage("-w goes with --truth, --top, --iso or --as html "
		    "only");
	if (set.min_p >= 0 && !set.truth && !set.rooms && !set.bottlenecks &&
	    set.as != AS_DOT && set.as != AS_GRAPHML && set.as != AS_TSV &&
	    set.as != AS_HTML)
		cmd_usage("--min-p goes with --as dot, graphml, tsv, html, "
		    "--truth, --rooms or --bottlenecks only");
	dashes += set.truth && !strcmp(set.truth, "-");
	dashes += set.plan && !strcmp(set.plan, "-");
	for (i = 0; i < cmd.walks.n; i++)
		dashes += !strcmp(cmd.walks.v[i], "-");
	if (dashes > 1)
		cmd_usage("standard input can be read only once");
	/* A list matters to the result, the name of a file does not. */
	if (set.clones && !set.clones[strspn(set.clones, "0123456789,")])
		cmd_history_arg("clones", set.clones);
	if (set.as < AS_SCHEMA)
		cmd.no_gzip = true;
}

static double
show_min_p(const struct show_set *how)
{
	if (how->min_p >= 0)
		return how->min_p;
	return how->as == AS_TEXT || how->as == AS_DOT || how->as == AS_HTML ?
	    SHOW_MIN_P : 0;
}

static int
show_graph(const struct show_set *how, const struct cscg_graph *g,
    const char *title, int digits, struct cscg_out *out, struct cscg_err *err)
{
	if (how->as == AS_DOT)
		return cscg_export_write_dot(g, title, how->loops, out, err);
	if (how->as == AS_GRAPHML)
		return cscg_export_write_graphml(g, digits, out, err);
	return how->nodes ? cscg_export_write_nodes(g, digits, how->json, out, err) :
	    cscg_export_write_edges(g, digits, how->json, out, err);
}

static int
show_room(const struct cscg_room *room, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_graph *g;
	int rc;

	if (set.boundary || set.bottlenecks)
		return cscg_fail(err, CSCG_EMISMATCH, "--%s wants a model, not "
		    "a room", set.boundary ? "boundary" : "bottlenecks");
	if (set.rooms)
		return show_rooms_room(&set, room, out, err);
	if (set.frontiers)
		return cscg_frontier_write_room(room, set.json, out, err);
	if (set.as == AS_TEXT)
		return cscg_text_write_room(room, out, err);
	if (set.as >= AS_SCHEMA || set.counts)
		return cscg_fail(err, CSCG_EMISMATCH, "%s wants a model, not a "
		    "room", set.counts ? "--counts" : set.as == AS_SCHEMA ?
		    "--as schema" : "--as clones");
	if (set.as == AS_HTML)
		return show_html_room(&set, room, out, err);
	if (set.as == AS_PPM)
		return show_ppm_room(&set.ppm, room, out, err);
	if (set.as == AS_NPY)
		return show_npy_take(cscg_room_to_dense(room, err),
		    room->n_actions, room->n_nodes, out, err);
	g = cscg_graph_of_room(room, show_min_p(&set), err);
	rc = g ? show_graph(&set, g, room->name, 17, out, err) : -1;
	cscg_graph_free(g);
	return rc;
}

static int
forget(struct cscg_model *m, struct cscg_out *out, struct cscg_err *err)
{
	enum cscg_model_kind kind = set.as == AS_CLONES ? CSCG_CLONES : CSCG_SCHEMA;

	if (kind == CSCG_CLONES && !m->clone)
		return cscg_fail(err, CSCG_EMISMATCH, "the model is a schema "
		    "without clone structure");
	cscg_model_unground(m, kind);
	if (cmd_history(&m->history, err) < 0)
		return -1;
	return cscg_model_write(m, out, err);
}

static int
show_model(struct cscg_model *m, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_graph *g;
	char title[64];
	int rc;

	if (set.rooms)
		return show_rooms_model(&set, m, out, err);
	if (set.boundary && cscg_frontier_boundary(m, err) < 0)
		return -1;
	if (set.bottlenecks && cscg_frontier_bottleneck(m, &set.cut,
	    show_rooms_min_p(&set), err) < 0)
		return -1;
	if (set.frontiers)
		return cscg_frontier_write_model(m, set.json, out, err);
	if (set.as == AS_TEXT)
		return cscg_text_write_model(m, out, err);
	if (set.as == AS_HTML)
		return show_html_model(&set, m, out, err);
	if (set.as == AS_PPM && m->frame_emission)
		return show_looks(&set, m, out, err);
	if (set.as == AS_PPM)
		return cscg_fail(err, CSCG_EMISMATCH, "--as ppm wants a 3D "
		    "room, a walk with views, a codebook or a model with "
		    "looks");
	if (set.as >= AS_SCHEMA)
		return forget(m, out, err);
	if (set.as == AS_NPY)
		return show_npy_take(cscg_model_to_dense(m, set.counts, err),
		    m->n_actions, m->n_states, out, err);
	snprintf(title, sizeof(title), "%d states", m->n_states);
	g = cscg_graph_of_model(m, show_min_p(&set), err);
	rc = g ? show_graph(&set, g, title, m->is_double ? 17 : 9, out,
	    err) : -1;
	cscg_graph_free(g);
	return rc;
}

/* These formats hold one graph; say so before half of it is written. */
static int
only_one(struct cscg_in *in, struct cscg_err *err)
{
	enum cscg_format what;
	int rc;

	if (set.as < AS_GRAPHML || set.as > AS_HTML)
		return 0;
	rc = cscg_sniff_next(in, &what, err);
	if (rc > 0)
		return cscg_fail(err, CSCG_EMISMATCH, "%s: more than one room, "
		    "model or codebook, but --as %s writes one", cscg_in_name(in),
		    show_as_words[set.as]);
	return rc;
}

static int
show_one(struct cscg_in *in, enum cscg_format what, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_codebook *book = NULL;
	struct cscg_room *room = NULL;
	struct cscg_model *m = NULL;
	long line;
	int rc;

	rc = what == CSCG_FORMAT_ROOM ? cscg_room_read(in, &room, err) :
	    what == CSCG_FORMAT_MODEL ? cscg_model_read(in, &m, err) :
	    cscg_codebook_read_next(in, &book, err);
	line = cscg_in_lineno(in);
	if (rc > 0)
		rc = only_one(in, err);
	if (rc < 0)
		goto out;
	rc = room ? show_room(room, out, err) : m ? show_model(m, out, err) :
	    set.rooms ? cscg_fail(err, CSCG_EMISMATCH, "--rooms wants a room "
	    "or model, not a codebook") : show_codebook(&set, book, out, err);
	/* -2: the fault is in another file, which err names. */
	if (rc == -1 && cscg_err_status(err->code) == 3)
		cscg_fail_at(err, "%s: line %ld", cscg_in_name(in), line);
out:
	cscg_codebook_free(book);
	cscg_room_free(room);
	cscg_model_free(m);
	return rc;
}

static int
show_walk_take(struct cscg_in *in, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_walk_reader *r;
	int rc;

	if (set.as == AS_PPM)
		return show_ppm_walk_take(&set.ppm, in, out, err);
	if (set.as != AS_TEXT || set.frontiers || set.rooms) {
		rc = cscg_fail(err, CSCG_EMISMATCH, "%s: %s%s wants a %s, "
		    "not a walk", cscg_in_name(in), set.frontiers ?
		    "--frontiers" : set.rooms ? "--rooms" : "--as ",
		    set.frontiers || set.rooms ? "" : show_as_words[set.as],
		    set.as < AS_SCHEMA ? "room or model" : "model");
		cscg_in_close(in);
		return rc;
	}
	r = cscg_walk_reader_open_take(in, err);
	rc = r ? cscg_text_write_walk(r, out, err) : -1;
	cscg_walk_reader_close(r);
	return rc;
}

static int
show(const char *path, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(path, err);
	enum cscg_format what;
	int rc, n = 0;

	if (!in)
		return -1;
	while ((rc = cscg_sniff_next(in, &what, err)) > 0) {
		if (n++ && set.as == AS_TEXT && !set.frontiers && !set.json &&
		    cscg_out_write(out, "\n", 1, err) < 0)
			rc = -1;
		else if (what == CSCG_FORMAT_WALK)
			return show_walk_take(in, out, err) < 0 ? -1 : 1;
		else
			rc = show_one(in, what, out, err);
		if (rc < 0)
			break;
	}
	if (rc == 0 && n == 0)
		rc = cscg_fail(err, CSCG_ECUT, "%s: unexpected end: no room, "
		    "walk, model or codebook", cscg_in_name(in));
	cscg_in_close(in);
	return rc < 0 ? -1 : 1;
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **paths = cmd_begin(&info, argc, argv, NULL);
	const char *path = paths[0] ? paths[0] : "-";
	struct cscg_out *out;
	int rc = -1;

	check(path);
	out = cmd_out(&err);
	if (out)
		rc = set.truth ? show_truth(&set, path, out, &err) :
		    set.from_npy >= 0 ? show_import(&set, path, out, &err) :
		    show(path, out, &err);
	return cmd_end(rc, &err);
}
