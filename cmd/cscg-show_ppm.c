/* cscg-show_ppm.c - cscg-show's pictures: views, sheets of them, overviews */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "cscg-show.h"
#include "world/grid.h"
#include "base/mem.h"
#include "world/overview.h"
#include "world/render.h"
#include "core/walk_line.h"
#include "core/walk_io.h"

enum {
	SIDE = 64,		/* pixels of a view */
	GAP = 2,		/* pixels between views of a sheet */
	CELL_GAP = 6,		/* pixels between those of different cells */
	CELLS = 3,		/* of a room, in a row of its sheet */
	GREY = 24
};

void
show_judge_ppm(struct show_ppm *ppm, bool on)
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

long
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

int
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

int
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

int
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
