/* roomwalk_render.c - roomwalk's views of 3D rooms */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "world/grid.h"
#include "base/mem.h"
#include "io/npy.h"
#include "world/render.h"
#include "roomwalk.h"
#include "core/walk_line.h"

enum { SIDE = 64 };	/* pixels, unless --frame says otherwise */

struct roomwalk_eyes {
	const struct roomwalk_look *look;
	struct one {
		struct cscg_scene *scene;
		struct cscg_render *render;
		int first;		/* number of its node 0's view */
	} *one;				/* for each room */
	size_t n;
	size_t size;			/* bytes of a frame */
	unsigned char *frame;
	struct cscg_view_set shown;	/* views that came with the walk */
	long frames;			/* with noise: so many were made */
	struct cscg_out *out;		/* --frames, or NULL */
};

void
roomwalk_judge_look(struct roomwalk_look *look, double frames)
{
	look->rows = look->cols = SIDE;
	if (!look->on) {
		if (look->size || look->noise > 0 || look->file)
			cmd_usage("--%s goes with --render only", look->size ?
			    "frame" : look->noise > 0 ? "noise" : "frames");
		return;
	}
	if (look->size && (cscg_grid_parse_pair(look->size, 'x', &look->rows,
	    &look->cols) < 0 || look->rows < 1 || look->cols < 1 ||
	    look->rows > CSCG_FRAME_SIDE_MAX || look->cols > CSCG_FRAME_SIDE_MAX))
		cmd_usage("--frame: '%s' is not two numbers of 1..%d like "
		    "64x64", look->size, CSCG_FRAME_SIDE_MAX);
	if (look->file && !strcmp(look->file, "-"))
		cmd_usage("--frames: a file is wanted");
	if (look->noise <= 0)
		return;
	if (look->file && frames == 0)
		cmd_usage("--frames with --noise does not go with --actions: "
		    "it must be known how many there will be");
	if (frames > CSCG_VIEW_MAX)
		cmd_usage("with --noise each step has a view of its own, and "
		    "there are at most %d", CSCG_VIEW_MAX);
}

/* The header of --frames, and without noise all views there are. */
static int
begin_file(struct roomwalk_eyes *eyes, long views, double frames,
    struct cscg_err *err)
{
	const struct roomwalk_look *look = eyes->look;
	long shape[] = { look->noise > 0 ? (long)frames : views, look->rows,
	    look->cols, 3 };
	int node, n;
	size_t i;

	eyes->out = cmd_out_also(look->file, 0, err);
	if (!eyes->out || cscg_npy_write_byte_head(eyes->out, 4, shape, err) < 0)
		return -1;
	for (i = 0; i < eyes->n && look->noise <= 0; i++) {
		n = eyes->one[i].scene->map->n_cells * CSCG_HEADINGS;
		for (node = 0; node < n; node++) {
			cscg_render_view(eyes->one[i].render, node,
			    eyes->frame);
			if (cscg_out_write(eyes->out, eyes->frame, eyes->size,
			    err) < 0)
				return -1;
		}
	}
	return 0;
}

static int
open_eyes(struct roomwalk_eyes *eyes, struct cscg_room *const *room,
    double frames, struct cscg_err *err)
{
	const struct roomwalk_look *look = eyes->look;
	long views = 0;
	size_t i;

	if (look->noise > 0 && frames > CSCG_VIEW_MAX)
		return cscg_fail(err, CSCG_EUSAGE, "with --noise each step has "
		    "a view of its own, and there are at most %d",
		    CSCG_VIEW_MAX);
	for (i = 0; i < eyes->n; i++) {
		struct one *one = eyes->one + i;

		if (views + room[i]->n_nodes > CSCG_VIEW_MAX)
			return cscg_fail(err, CSCG_EMISMATCH, "the rooms have "
			    "more than %d views", CSCG_VIEW_MAX);
		one->first = (int)views;
		views += room[i]->n_nodes;
		one->scene = cscg_scene_new(room[i]->voxel, err);
		one->render = one->scene ? cscg_render_new(one->scene,
		    look->rows, look->cols, err) : NULL;
		if (!one->render)
			return -1;
	}
	eyes->size = (size_t)look->rows * (size_t)look->cols * 3;
	eyes->frame = cscg_alloc(eyes->size, 1, err);
	if (!eyes->frame)
		return -1;
	return look->file ? begin_file(eyes, views, frames, err) : 0;
}

struct roomwalk_eyes *
roomwalk_eyes_new(const struct roomwalk_look *look,
    struct cscg_room *const *room, size_t n, double frames,
    struct cscg_err *err)
{
	struct roomwalk_eyes *eyes = cscg_alloc(1, sizeof *eyes, err);

	if (!eyes)
		return NULL;
	eyes->look = look;
	eyes->one = cscg_alloc(n, sizeof *eyes->one, err);
	eyes->n = eyes->one ? n : 0;
	if (!eyes->one || open_eyes(eyes, room, frames, err) < 0) {
		roomwalk_eyes_free(eyes);
		return NULL;
	}
	return eyes;
}

void
roomwalk_eyes_free(struct roomwalk_eyes *eyes)
{
	size_t i;

	if (!eyes)
		return;
	for (i = 0; i < eyes->n; i++) {
		cscg_render_free(eyes->one[i].render);
		cscg_scene_free(eyes->one[i].scene);
	}
	free(eyes->one);
	free(eyes->frame);
	cscg_view_set_free(&eyes->shown);
	free(eyes);
}

/* With noise every frame is a view of its own, numbered as they come. */
static int
see_noise(struct roomwalk_eyes *eyes, struct one *one, int node, long episode,
    long t, struct cscg_walk_writer *w, int *view, struct cscg_err *err)
{
	const unsigned char *clear = cscg_render_cached(one->render, node, err);

	if (!clear)
		return -1;
	if (eyes->frames == CSCG_VIEW_MAX)
		return cscg_fail(err, CSCG_ERANGE, "more than %d views",
		    CSCG_VIEW_MAX);
	cscg_render_noise(clear, eyes->size, eyes->look->noise,
	    (uint64_t)cmd.seed, (uint64_t)t, (uint64_t)episode, eyes->frame);
	*view = (int)++eyes->frames;
	if (eyes->out)
		return cscg_out_write(eyes->out, eyes->frame, eyes->size, err);
	return cscg_walk_write_frame(w, *view - 1, eyes->frame, err);
}

int
roomwalk_see(struct roomwalk_eyes *eyes, size_t i, int node, long episode,
    long t, struct cscg_walk_writer *w, int *view, struct cscg_err *err)
{
	struct one *one = eyes->one + i;
	int rc;

	if (eyes->look->noise > 0)
		return see_noise(eyes, one, node, episode, t, w, view, err);
	*view = 1 + one->first + node;
	if (eyes->out)
		return 0;
	rc = cscg_view_set_add(&eyes->shown, *view - 1, err);
	if (rc <= 0)
		return rc;
	cscg_render_view(one->render, node, eyes->frame);
	return cscg_walk_write_frame(w, *view - 1, eyes->frame, err);
}
