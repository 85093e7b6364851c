/*
 * roomwalk - simulate walks in rooms: observations and actions
 *
 * Episodes are simulated by a policy or by given actions; views of 3D rooms
 * are rendered for each step.
 */
#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tool.h"
#include "core/walk_io.h"
#include "core/walk_line.h"
#include "io/npy.h"
#include "world/grid.h"
#include "world/policy.h"
#include "world/random_walk.h"
#include "world/render.h"
#include "world/room.h"
#include "world/room_io.h"
#include "world/voxel.h"

enum { STEPS = 10000, FRAME_SIDE = 64 }; /* defaults */

static struct {
	long steps, episodes;
	const char *policy, *start, *actions;
	bool permute, blind;
	bool render;
	const char *frame;  /* NULL: FRAME_SIDE squared */
	double noise;       /* standard deviation */
	double misread;     /* probability */
	const char *frames; /* NULL: frames are stored in the walk */
} set = { .steps = STEPS, .policy = "random", .start = "random" };

static const struct cmd_opt opts[] = {
	CMD_INPUT,
	CMD_FILE(0, "actions", &set.actions, "FILE",
	    "take these actions, one per line, by name or number"),
	CMD_MODEL,
	CMD_STRING(0, "start", &set.start, "NODE|random",
	    "start node of each episode (voxel: or ROW,COL,HEADING)"),
	CMD_FLAG(0, "permute-episodes", &set.permute,
	    "draw a new permutation of the symbols for each episode"),
	CMD_DOUBLE(0, "misread", &set.misread, 0, 1, "P",
	    "probability that a symbol is redrawn uniformly, 0..1"),
	CMD_FLAG(0, "render", &set.render,
	    "voxel: render the view of each step"),
	CMD_STRING(0, "frame", &set.frame, "HxW",
	    "--render: pixel rows and columns of a view (default: 64x64)"),
	CMD_DOUBLE(0, "noise", &set.noise, 0, 1000, "SD",
	    "--render: standard deviation of Gaussian pixel noise, in grey "
	    "levels 0..255"),
	CMD_ALGORITHM,
	CMD_STRING(0, "policy", &set.policy, "HOW",
	    "action policy: random, repeat:K, runs:K, bias:K, wall or cover"),
	CMD_LONG('n', "steps", &set.steps, 1, 1e15, "N",
	    "observations per episode"),
	CMD_LONG(0, "episodes", &set.episodes, 1, INT_MAX, "N",
	    "number of episodes (default: one per room)"),
	CMD_OUTPUT,
	CMD_FLAG(0, "blind", &set.blind,
	    "do not write ground truth: the true nodes"),
	CMD_PART(0, "frames", &set.frames, "FILE",
	    "--render: write frames to this .npy array instead of the walk"),
	CMD_END,
};

static const struct cmd_info info = {
	.name = "roomwalk",
	.operands = "[ROOM...]",
	.purpose = "simulate walks in rooms: observations and actions",
	.opts = opts,
	.max = -1,
	.uses = CMD_USES_SEED | CMD_USES_GZIP,
	.example = "roomwalk -n 10000 --episodes 5 room.gz -o walk.gz",
};

struct camera;

/* Settings derived from the options, and the input. */
struct job {
	enum cscg_policy_kind policy;
	long repeat;
	int start; /* -1: random, -2: a pose in a 3D room */
	struct cscg_room **room;
	size_t n_rooms, cap;
	struct cscg_in *actions; /* or NULL: by policy */
	struct cscg_walk_header head;
	int rows, cols;        /* of a frame */
	struct camera *camera; /* --render, or NULL */
	struct cscg_walk_writer *writer;
};

/* Options */

static void
check_start(struct job *job)
{
	char *end = NULL;
	long v = -1;

	job->start = -1;
	if (!strcmp(set.start, "random"))
		return;
	if (strchr(set.start, ',')) {
		int row, col, heading;

		if (cscg_voxel_parse_pose(set.start, &row, &col, &heading) < 0)
			cmd_usage("--start: '%s' is not a row, a column and a "
				  "heading like 3,4,north",
			    set.start);
		job->start = -2;
		return;
	}
	if (isdigit((unsigned char)*set.start))
		v = strtol(set.start, &end, 10);
	if (v < 0 || *end || v >= CSCG_NODE_MAX)
		cmd_usage("--start: '%s' is neither a node nor random",
		    set.start);
	job->start = (int)v;
}

static void
check_actions(int n)
{
	if (!set.actions)
		return;
	cmd_check_stdin(n == 0);
	if (strcmp(set.policy, "random"))
		cmd_usage("--policy cannot be combined with --actions");
	if (set.steps != STEPS)
		cmd_usage("-n cannot be combined with --actions");
	if (set.episodes > 1)
		cmd_usage("--actions makes one episode");
}

/* n_frames is the largest number of frames, or 0 if unknown. */
static void
check_render(struct job *job, double n_frames)
{
	job->rows = job->cols = FRAME_SIDE;
	if (!set.render) {
		if (set.frame || set.noise > 0 || set.frames)
			cmd_usage("--%s requires --render",
			    set.frame         ? "frame" :
				set.noise > 0 ? "noise" :
						"frames");
		return;
	}
	if (set.frame &&
	    (cscg_grid_parse_pair(set.frame, 'x', &job->rows, &job->cols) <
		    0 ||
		job->rows < 1 || job->cols < 1 ||
		job->rows > CSCG_FRAME_SIDE_MAX ||
		job->cols > CSCG_FRAME_SIDE_MAX))
		cmd_usage(
		    "--frame: '%s' is not two numbers of 1..%d like 64x64",
		    set.frame, CSCG_FRAME_SIDE_MAX);
	if (set.frames && !strcmp(set.frames, "-"))
		cmd_usage("--frames: a file is required");
	if (set.noise <= 0)
		return;
	if (set.frames && n_frames == 0)
		cmd_usage("--frames with --noise cannot be combined with "
			  "--actions: their number must be known");
	if (n_frames > CSCG_VIEW_MAX)
		cmd_usage("with --noise each step has a separate view, and "
			  "there are at most %d",
		    CSCG_VIEW_MAX);
}

/* Frames of 3D rooms */

struct camera {
	struct room_view {
		struct cscg_scene *scene;
		struct cscg_render *render;
		int first; /* number of the view of node 0 */
	} * view;          /* of each room */
	size_t n;
	int rows, cols;
	size_t size; /* bytes of a frame */
	unsigned char *frame;
	struct cscg_view_set written; /* views written with the walk */
	long n_frames;                /* with noise: frames so far */
	struct cscg_out *out;         /* --frames, or NULL */
};

/* Write the header of --frames, and without noise the views of all nodes. */
static int
begin_frames_file(struct camera *camera, long n_views, double n_frames,
    struct cscg_err *err)
{
	long shape[] = { set.noise > 0 ? (long)n_frames : n_views,
		camera->rows, camera->cols, 3 };
	int node, n;
	size_t i;

	camera->out = cmd_out_also(set.frames, 0, err);
	if (!camera->out ||
	    cscg_npy_write_byte_head(camera->out, 4, shape, err) < 0)
		return -1;
	for (i = 0; i < camera->n && set.noise <= 0; i++) {
		n = camera->view[i].scene->map->n_cells * CSCG_HEADINGS;
		for (node = 0; node < n; node++) {
			cscg_render_view(camera->view[i].render, node,
			    camera->frame);
			if (cscg_out_write(camera->out, camera->frame,
				camera->size, err) < 0)
				return -1;
		}
	}
	return 0;
}

static int
init_camera(struct camera *camera, struct cscg_room *const *room,
    double n_frames, struct cscg_err *err)
{
	long n_views = 0;
	size_t i;

	if (set.noise > 0 && n_frames > CSCG_VIEW_MAX)
		return cscg_fail(err, CSCG_EUSAGE,
		    "with --noise each step has a separate view, and there "
		    "are at most %d",
		    CSCG_VIEW_MAX);
	for (i = 0; i < camera->n; i++) {
		struct room_view *view = camera->view + i;

		if (n_views + room[i]->n_nodes > CSCG_VIEW_MAX)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "the rooms have more than %d views",
			    CSCG_VIEW_MAX);
		view->first = (int)n_views;
		n_views += room[i]->n_nodes;
		view->scene = cscg_scene_new(room[i]->voxel, err);
		view->render = view->scene ?
		    cscg_render_new(view->scene, camera->rows, camera->cols,
			err) :
		    NULL;
		if (!view->render)
			return -1;
	}
	camera->size = (size_t)camera->rows * (size_t)camera->cols * 3;
	camera->frame = cscg_alloc(camera->size, 1, err);
	if (!camera->frame)
		return -1;
	return set.frames ? begin_frames_file(camera, n_views, n_frames, err) :
			    0;
}

static void
camera_free(struct camera *camera)
{
	size_t i;

	if (!camera)
		return;
	for (i = 0; i < camera->n; i++) {
		cscg_render_free(camera->view[i].render);
		cscg_scene_free(camera->view[i].scene);
	}
	free(camera->view);
	free(camera->frame);
	cscg_view_set_free(&camera->written);
	free(camera);
}

/*
 * A camera in the rooms of job, which have geometry; n_frames is the largest
 * number of frames, or 0 if unknown.  Borrows the rooms.
 */
static struct camera *
camera_new(const struct job *job, double n_frames, struct cscg_err *err)
{
	struct camera *camera = cscg_alloc(1, sizeof *camera, err);

	if (!camera)
		return NULL;
	camera->rows = job->rows;
	camera->cols = job->cols;
	camera->view = cscg_alloc(job->n_rooms, sizeof *camera->view, err);
	camera->n = camera->view ? job->n_rooms : 0;
	if (!camera->view ||
	    init_camera(camera, job->room, n_frames, err) < 0) {
		camera_free(camera);
		return NULL;
	}
	return camera;
}

/* With noise every frame is a separate view, numbered by time. */
static int
render_with_noise(struct camera *camera, struct cscg_render *render, int node,
    long episode, long t, struct cscg_walk_writer *w, int *view,
    struct cscg_err *err)
{
	const unsigned char *clear = cscg_render_cached(render, node, err);

	if (!clear)
		return -1;
	if (camera->n_frames == CSCG_VIEW_MAX)
		return cscg_fail(err, CSCG_ERANGE, "more than %d views",
		    CSCG_VIEW_MAX);
	cscg_render_noise(clear, camera->size, set.noise, (uint64_t)cmd.seed,
	    (uint64_t)t, (uint64_t)episode, camera->frame);
	*view = (int)++camera->n_frames;
	if (camera->out)
		return cscg_out_write(camera->out, camera->frame, camera->size,
		    err);
	return cscg_walk_write_frame(w, *view - 1, camera->frame, err);
}

/*
 * The view of a node of room i, at step t of an episode: *view as in struct
 * cscg_step.  Writes its frame to w, or to --frames, unless it was written
 * before.
 */
static int
render_step(struct camera *camera, size_t i, int node, long episode, long t,
    struct cscg_walk_writer *w, int *view, struct cscg_err *err)
{
	struct room_view *seen = camera->view + i;
	int rc;

	if (set.noise > 0)
		return render_with_noise(camera, seen->render, node, episode,
		    t, w, view, err);
	*view = 1 + seen->first + node;
	if (camera->out)
		return 0;
	rc = cscg_view_set_add(&camera->written, *view - 1, err);
	if (rc <= 0)
		return rc;
	cscg_render_view(seen->render, node, camera->frame);
	return cscg_walk_write_frame(w, *view - 1, camera->frame, err);
}

/* Rooms and the walk */

/* Add a room; its actions and symbols must be those of the first. */
static int
add_room(void *ctx, struct cscg_room *room, struct cscg_err *err)
{
	struct job *job = ctx;

	if (cscg_grow(&job->room, &job->cap, job->n_rooms + 1,
		sizeof *job->room, err) < 0) {
		cscg_room_free(room);
		return -1;
	}
	job->room[job->n_rooms++] = room;
	if (set.render && !room->voxel)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "--render: this is not a 3D room");
	if (job->start == -2 && cscg_voxel_node(room, set.start, err) < 0)
		return cscg_fail_at(err, "--start");
	if (job->start >= room->n_nodes)
		return cscg_fail(err, CSCG_EUSAGE,
		    "--start: node %d is outside 0..%d", job->start,
		    room->n_nodes - 1);
	return cscg_room_align(room, job->room[0], err);
}

static int
read_rooms(struct job *job, char **paths, int n, struct cscg_err *err)
{
	int i;

	for (i = 0; i < n || i == 0; i++)
		if (cscg_room_for_each(n ? paths[i] : "-", add_room, job,
			err) < 0)
			return -1;
	if (set.actions && job->n_rooms > 1)
		return cscg_fail(err, CSCG_EUSAGE,
		    "--actions needs one room, not %zu", job->n_rooms);
	return 0;
}

static const struct cscg_room *const *
rooms(const struct job *job)
{
	return (const struct cscg_room *const *)job->room;
}

static int
init_header(struct job *job, struct cscg_err *err)
{
	struct cscg_walk_header *head = &job->head;

	if (cscg_random_walk_header(rooms(job), (long)job->n_rooms, head,
		err) < 0)
		return -1;
	if (set.render && !set.frames) {
		head->frame[0] = job->rows;
		head->frame[1] = job->cols;
	}
	return cmd_history(&head->history, err);
}

/* The next line of --actions: 1 with *a set, 0 at its end, -1 with err. */
static int
read_action(void *ctx, int *a, struct cscg_err *err)
{
	const struct job *job = ctx;
	char *line, *end;
	size_t len;
	long v;
	int rc;

	do {
		rc = cscg_in_line(job->actions, &line, &len, err);
		if (rc <= 0)
			return rc;
		while (len && strchr(" \t\r", line[len - 1]))
			line[--len] = '\0';
		line += strspn(line, " \t");
	} while (!*line);
	*a = cscg_names_find(&job->head.actions, line);
	if (*a >= 0)
		return 1;
	v = isdigit((unsigned char)*line) ? strtol(line, &end, 10) : -1;
	if (v >= 0 && !*end && v < job->head.n_actions) {
		*a = (int)v;
		return 1;
	}
	cscg_fail(err, CSCG_ERANGE,
	    "'%.40s' is not an action of the room, nor a number in 0..%d",
	    line, job->head.n_actions - 1);
	return cscg_fail_at(err, "%s: line %ld", cscg_in_name(job->actions),
	    cscg_in_lineno(job->actions));
}

/* Render the view of a step, with --render, and write the step. */
static int
write_step(void *ctx, long episode, long t, int node, struct cscg_step *step,
    struct cscg_err *err)
{
	struct job *job = ctx;

	if (job->camera &&
	    render_step(job->camera, (size_t)episode % job->n_rooms, node,
		episode, t, job->writer, &step->view, err) < 0)
		return -1;
	return cscg_walk_write_step(job->writer, step, err);
}

static int
walk(struct job *job, long episodes, struct cscg_err *err)
{
	struct cscg_random_walk how = { .room = rooms(job),
		.n_rooms = (long)job->n_rooms,
		.policy = job->policy,
		.repeat = job->repeat,
		.steps = set.steps,
		.start = job->start,
		.pose = job->start == -2 ? set.start : NULL,
		.permute = set.permute,
		.misread = set.misread,
		.blind = set.blind,
		.seed = (uint64_t)cmd.seed,
		.next_action = job->actions ? read_action : NULL,
		.on_step = write_step,
		.ctx = job };

	return cscg_random_walk_run(&how, episodes, err);
}

static int
run(struct job *job, char **paths, int n, struct cscg_err *err)
{
	struct cscg_out *out = cmd_out(err);
	long episodes;
	int rc = -1;

	if (!out || read_rooms(job, paths, n, err) < 0)
		return -1;
	if (set.actions) {
		job->actions = cscg_in_open(set.actions, err);
		if (!job->actions)
			return -1;
	}
	if (init_header(job, err) < 0)
		return -1;
	episodes = set.episodes ? set.episodes : (long)job->n_rooms;
	if (set.render) {
		job->camera = camera_new(job,
		    set.actions ? 0 : (double)episodes * (double)set.steps,
		    err);
		if (!job->camera)
			return -1;
	}
	job->writer = cscg_walk_writer_new(out, &job->head, err);
	if (!job->writer)
		return -1;
	cscg_walk_writer_set_live(job->writer, cmd.live);
	rc = walk(job, episodes, err);
	if (rc == 0)
		rc = cscg_walk_writer_finish(job->writer, err);
	cscg_walk_writer_free(job->writer);
	return rc;
}

int
main(int argc, char **argv)
{
	struct job job = { 0 };
	struct cscg_err err = { 0 };
	char **paths;
	int n, rc;
	size_t i;

	paths = cmd_begin(&info, argc, argv, &n);
	if (cscg_policy_parse(set.policy, &job.policy, &job.repeat, &err) < 0)
		cmd_usage("--policy: %s", err.msg);
	check_start(&job);
	check_actions(n);
	check_render(&job,
	    set.actions ?
		0 :
		(double)set.steps * (double)(set.episodes ? set.episodes : 1));
	rc = run(&job, paths, n, &err);
	camera_free(job.camera); /* borrows the rooms */
	for (i = 0; i < job.n_rooms; i++)
		cscg_room_free(job.room[i]);
	free(job.room);
	cscg_in_close(job.actions);
	cscg_walk_header_free(&job.head);
	return cmd_end(rc < 0 ? -1 : 1, &err);
}
