/* roomwalk - walk in rooms and write down what is seen */
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

/* What the options say. */
struct roomwalk_look {
	bool on;		/* --render */
	const char *size;	/* --frame; NULL: the default */
	double noise;		/* standard deviation */
	const char *file;	/* --frames; NULL: frames come with the walk */
	int rows, cols;		/* of a frame, as checked */
};

/*
 * Look at the options before anything is read: frames is how many there will
 * be at most, or 0 if that is not known.
 */
static void roomwalk_check_look(struct roomwalk_look *look, double frames);

struct roomwalk_eyes;

/*
 * Eyes for n rooms, which have geometry; frames as above.  Writes the frames
 * of --frames that do not depend on the walk.  Borrows all.
 */
static struct roomwalk_eyes *roomwalk_eyes_new(const struct roomwalk_look *look,
    struct cscg_room *const *room, size_t n, double frames,
    struct cscg_err *err);
static void roomwalk_eyes_free(struct roomwalk_eyes *eyes);

/*
 * What is seen at a node of room i, at step t of an episode: *view as struct
 * cscg_step has it.  Shows it to w first, or writes it to --frames, if that
 * is needed.
 */
static int roomwalk_see(struct roomwalk_eyes *eyes, size_t i, int node, long episode,
    long t, struct cscg_walk_writer *w, int *view, struct cscg_err *err);

/* roomwalk's views of 3D rooms */

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

static void
roomwalk_check_look(struct roomwalk_look *look, double frames)
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

static struct roomwalk_eyes *
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

static void
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

static int
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

enum { STEPS = 10000 };

static struct {
	long steps, episodes;
	const char *policy, *start, *actions;
	bool permute, blind;
	struct roomwalk_look look;
} set = { .steps = STEPS, .policy = "random", .start = "random" };

static const struct cmd_opt opts[] = {
	CMD_LONG('n', "steps", &set.steps, 1, 1e15, "N",
	    "observations in each episode"),
	CMD_LONG(0, "episodes", &set.episodes, 1, INT_MAX, "E",
	    "number of episodes (default: one for each room)"),
	CMD_FLAG(0, "permute-episodes", &set.permute,
	    "new symbols for each episode, by seed"),
	CMD_STRING(0, "policy", &set.policy, "HOW",
	    "choose actions so: random, repeat:K or cover"),
	CMD_STRING(0, "start", &set.start, "NODE",
	    "start each episode at this node (3D: or at ROW,COL,HEADING), or "
	    "at a random one"),
	CMD_FILE(0, "actions", &set.actions, "FILE",
	    "take these actions, one a line, by name or number"),
	CMD_FLAG(0, "blind", &set.blind, "leave out the true nodes"),
	CMD_FLAG(0, "render", &set.look.on,
	    "3D rooms: write down what is seen as pictures, too"),
	CMD_STRING(0, "frame", &set.look.size, "HxW",
	    "rows and columns of a picture (default: 64x64)"),
	CMD_DOUBLE(0, "noise", &set.look.noise, 0, 1000, "SD",
	    "add noise of this standard deviation to all bytes of a picture"),
	CMD_PART(0, "frames", &set.look.file, "FILE",
	    "write pictures there, as a .npy array, not into the walk"),
	CMD_END
};

static const struct cmd_info info = {
	.name = "roomwalk",
	.operands = "[ROOM...]",
	.purpose = "walk in rooms and write down what is seen",
	.opts = opts,
	.max = -1,
	.uses = CMD_USES_SEED | CMD_USES_GZIP,
	.example = "roomwalk -n 10000 --episodes 5 room.gz -o walk.gz"
};

/* What the options come to, and what was read. */
struct job {
	enum cscg_policy_kind policy;
	long repeat;
	int start;		/* -1: random, -2: a spot in a 3D room */
	struct cscg_room **room;
	size_t n_rooms, cap;
	struct cscg_in *actions;	/* or NULL: by policy */
	struct cscg_walk_header head;
	struct roomwalk_eyes *eyes;	/* or NULL */
	struct cscg_walk_writer *writer;
};

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
			    "heading like 3,4,north", set.start);
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
check_actions(char **paths, int n)
{
	bool rooms_stdin = n == 0;
	int i;

	if (!set.actions)
		return;
	for (i = 0; i < n; i++)
		rooms_stdin |= !strcmp(paths[i], "-");
	if (!strcmp(set.actions, "-") && rooms_stdin)
		cmd_usage("the room and --actions cannot both be standard "
		    "input");
	if (strcmp(set.policy, "random"))
		cmd_usage("--policy does not go with --actions");
	if (set.steps != STEPS)
		cmd_usage("-n does not go with --actions");
	if (set.episodes > 1)
		cmd_usage("--actions makes one episode");
}

/* Add a room; it must speak the language of the first. */
static int
add_room_take(void *ctx, struct cscg_room *room, struct cscg_err *err)
{
	struct job *job = ctx;

	if (cscg_grow(&job->room, &job->cap, job->n_rooms + 1,
	    sizeof *job->room, err) < 0) {
		cscg_room_free(room);
		return -1;
	}
	job->room[job->n_rooms++] = room;
	if (set.look.on && !room->voxel)
		return cscg_fail(err, CSCG_EMISMATCH, "--render: this is no 3D "
		    "room");
	if (job->start == -2 && cscg_voxel_node(room, set.start, err) < 0)
		return cscg_fail_at(err, "--start");
	if (job->start >= room->n_nodes)
		return cscg_fail(err, CSCG_EUSAGE, "--start: node %d is outside "
		    "0..%d", job->start, room->n_nodes - 1);
	return cscg_room_align(room, job->room[0], err);
}

static int
read_all(struct job *job, char **paths, int n, struct cscg_err *err)
{
	int i;

	for (i = 0; i < n || i == 0; i++)
		if (cscg_room_for_each(n ? paths[i] : "-", add_room_take, job,
		    err) < 0)
			return -1;
	if (set.actions && job->n_rooms > 1)
		return cscg_fail(err, CSCG_EUSAGE, "--actions wants one room, "
		    "not %zu", job->n_rooms);
	return 0;
}

static const struct cscg_room *const *
rooms(const struct job *job)
{
	return (const struct cscg_room *const *)job->room;
}

static int
set_head(struct job *job, struct cscg_err *err)
{
	struct cscg_walk_header *head = &job->head;

	if (cscg_random_walk_header(rooms(job), (long)job->n_rooms, head,
	    err) < 0)
		return -1;
	if (set.look.on && !set.look.file) {
		head->frame[0] = set.look.rows;
		head->frame[1] = set.look.cols;
	}
	return cmd_history(&head->history, err);
}

/* The next line of --actions: 1 with *a set, 0 at its end, -1 with err. */
static int
given_action(void *ctx, int *a, struct cscg_err *err)
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
	cscg_fail(err, CSCG_ERANGE, "'%.40s' is not an action of the room, nor "
	    "a number in 0..%d", line, job->head.n_actions - 1);
	return cscg_fail_at(err, "%s: line %ld", cscg_in_name(job->actions),
	    cscg_in_lineno(job->actions));
}

/* Render the view of a step, if that is asked for, and write the step. */
static int
write_step(void *ctx, long episode, long t, int node, struct cscg_step *step,
    struct cscg_err *err)
{
	struct job *job = ctx;

	if (job->eyes && roomwalk_see(job->eyes, (size_t)episode %
	    job->n_rooms, node, episode, t, job->writer, &step->view, err) < 0)
		return -1;
	return cscg_walk_write_step(job->writer, step, err);
}

static int
walk(struct job *job, long episodes, struct cscg_err *err)
{
	struct cscg_random_walk how = { .room = rooms(job),
	    .n_rooms = (long)job->n_rooms, .policy = job->policy,
	    .repeat = job->repeat, .steps = set.steps, .start = job->start,
	    .pose = job->start == -2 ? set.start : NULL,
	    .permute = set.permute, .blind = set.blind,
	    .seed = (uint64_t)cmd.seed,
	    .next_action = job->actions ? given_action : NULL,
	    .on_step = write_step, .ctx = job };

	return cscg_random_walk_run(&how, episodes, err);
}

static int
run(struct job *job, char **paths, int n, struct cscg_err *err)
{
	struct cscg_out *out = cmd_out(err);
	long episodes;
	int rc = -1;

	if (!out || read_all(job, paths, n, err) < 0)
		return -1;
	if (set.actions) {
		job->actions = cscg_in_open(set.actions, err);
		if (!job->actions)
			return -1;
	}
	if (set_head(job, err) < 0)
		return -1;
	episodes = set.episodes ? set.episodes : (long)job->n_rooms;
	if (set.look.on) {
		job->eyes = roomwalk_eyes_new(&set.look, job->room,
		    job->n_rooms, set.actions ? 0 :
		    (double)episodes * (double)set.steps, err);
		if (!job->eyes)
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
	check_actions(paths, n);
	roomwalk_check_look(&set.look, set.actions ? 0 : (double)set.steps *
	    (double)(set.episodes ? set.episodes : 1));
	rc = run(&job, paths, n, &err);
	roomwalk_eyes_free(job.eyes);	/* they look at the rooms */
	for (i = 0; i < job.n_rooms; i++)
		cscg_room_free(job.room[i]);
	free(job.room);
	cscg_in_close(job.actions);
	cscg_walk_header_free(&job.head);
	return cmd_end(rc < 0 ? -1 : 1, &err);
}
