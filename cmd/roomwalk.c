/* roomwalk - walk in rooms and write down what is seen */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "base/mem.h"
#include "world/policy.h"
#include "world/room_io.h"
#include "roomwalk.h"
#include "world/voxel.h"
#include "core/walk_io.h"

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
	.uses = CMD_USES_SEED | CMD_USES_GZIP
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
	int *label;		/* [n_obs] symbol that stands for a symbol */
};

static void
judge_start(struct job *job)
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
judge_actions(char **paths, int n)
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

static int
set_head(struct job *job, struct cscg_err *err)
{
	const struct cscg_room *first = job->room[0];
	struct cscg_walk_header *head = &job->head;
	size_t i;

	head->n_actions = first->n_actions;
	head->n_obs = first->n_obs;
	if (cscg_names_copy(&head->actions, &first->actions, err) < 0 ||
	    cscg_names_copy(&head->symbols, &first->symbols, err) < 0)
		return -1;
	for (i = 0; i < job->n_rooms; i++)
		if (cscg_history_join(&head->history, &job->room[i]->history,
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
given_action(const struct job *job, int *a, struct cscg_err *err)
{
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

/* Symbols keep their places, or are dealt anew. */
static void
set_labels(struct job *job, long episode)
{
	struct cscg_rng rng;
	int i;

	for (i = 0; i < job->head.n_obs; i++)
		job->label[i] = i;
	if (!set.permute)
		return;
	cscg_rng_seed(&rng, (uint64_t)cmd.seed, CSCG_RNG_LABELS,
	    (uint64_t)episode, 0);
	cscg_rng_shuffle(&rng, job->label, job->head.n_obs);
}

/* Which action is taken at step t: 1 with *a set, 0 at the end, -1. */
static int
choose(const struct job *job, struct cscg_policy *policy, int node, long t,
    struct cscg_rng *rng, int *a, struct cscg_err *err)
{
	if (job->actions)
		return given_action(job, a, err);
	if (t == set.steps - 1)
		return 0;
	*a = cscg_policy_next(policy, node, rng);
	return 1;
}

/* Where an episode starts. */
static int
first_node(const struct job *job, const struct cscg_room *room,
    struct cscg_rng *world, struct cscg_err *err)
{
	if (job->start == -2)
		return cscg_voxel_node(room, set.start, err);
	return job->start < 0 ? (int)cscg_rng_below(world, room->n_nodes) :
	    job->start;
}

static int
walk(struct job *job, long episode, struct cscg_walk_writer *w,
    struct cscg_err *err)
{
	const struct cscg_room *room = job->room[episode % job->n_rooms];
	struct cscg_step step = { .goal = -1, .r = NAN };
	struct cscg_policy *policy;
	struct cscg_rng choice, world;
	int node, rc = 1;
	long t;

	policy = cscg_policy_new(job->policy, job->repeat, room, err);
	if (!policy)
		return -1;
	set_labels(job, episode);
	cscg_rng_seed(&choice, (uint64_t)cmd.seed, CSCG_RNG_WALK,
	    (uint64_t)episode, 0);
	cscg_rng_seed(&world, (uint64_t)cmd.seed, CSCG_RNG_WORLD,
	    (uint64_t)episode, 0);
	node = first_node(job, room, &world, err);
	for (t = 0; rc > 0; t++) {
		rc = choose(job, policy, node, t, &choice, &step.a, err);
		if (rc < 0)
			break;
		if (rc == 0)
			step.a = -1;
		step.x = job->label[room->obs[node]];
		step.z = set.blind ? -1 : node;
		if ((job->eyes && roomwalk_see(job->eyes, episode %
		    job->n_rooms, node, episode, t, w, &step.view, err) < 0) ||
		    cscg_walk_write_step(w, &step, err) < 0)
			rc = -1;
		else if (rc > 0)
			node = cscg_room_step(room, node, step.a, &world);
	}
	cscg_policy_free(policy);
	return rc;
}

static int
run(struct job *job, char **paths, int n, struct cscg_err *err)
{
	struct cscg_out *out = cmd_out(err);
	struct cscg_walk_writer *w = NULL;
	long e, episodes;
	int rc = -1;

	if (!out || read_all(job, paths, n, err) < 0)
		return -1;
	if (set.actions) {
		job->actions = cscg_in_open(set.actions, err);
		if (!job->actions)
			return -1;
	}
	job->label = cscg_alloc(job->room[0]->n_obs, sizeof *job->label, err);
	if (!job->label || set_head(job, err) < 0)
		return -1;
	episodes = set.episodes ? set.episodes : (long)job->n_rooms;
	if (set.look.on) {
		job->eyes = roomwalk_eyes_new(&set.look, job->room,
		    job->n_rooms, set.actions ? 0 :
		    (double)episodes * (double)set.steps, err);
		if (!job->eyes)
			return -1;
	}
	w = cscg_walk_writer_new(out, &job->head, err);
	if (!w)
		return -1;
	cscg_walk_writer_set_live(w, cmd.live);
	for (e = 0; e < episodes; e++)
		if (walk(job, e, w, err) < 0)
			goto out;
	rc = cscg_walk_writer_finish(w, err);
out:
	cscg_walk_writer_free(w);
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
	judge_start(&job);
	judge_actions(paths, n);
	roomwalk_judge_look(&set.look, set.actions ? 0 : (double)set.steps *
	    (double)(set.episodes ? set.episodes : 1));
	rc = run(&job, paths, n, &err);
	roomwalk_eyes_free(job.eyes);	/* they look at the rooms */
	for (i = 0; i < job.n_rooms; i++)
		cscg_room_free(job.room[i]);
	free(job.room);
	free(job.label);
	cscg_in_close(job.actions);
	cscg_walk_header_free(&job.head);
	return cmd_end(rc < 0 ? -1 : 1, &err);
}
