/*
 * roomserve - serve rooms as a live environment (POMDP) for an agent
 *
 * Sends observations and reads actions, one per line: cscg-env(5).
 */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"
#include "world/serve.h"
#include "io/stream.h"
#include "base/mem.h"
#include "world/room_io.h"
#include "core/walk_io.h"

/* In the order of task_words. */
enum { NONE, RETURN, GOALS, GAME, STREET };
enum { RESPAWN_AUTO, RESPAWN_YES, RESPAWN_NO };

static const char *const task_words[] = {
	"none",
	"return",
	"goals",
	"game",
	"street",
	NULL,
};
static const char *const respawn_words[] = { "auto", "yes", "no", NULL };

static struct {
	int task, respawn;
	long steps, episodes; /* 0: the default of the task, of the rooms */
	const char *start, *log;
	bool permute, nodes, blind;
} set;

static const struct cmd_opt opts[] = {
	CMD_MODEL,
	CMD_CHOICE(0, "task", &set.task, task_words, "task of the agent"),
	CMD_FLAG(0, "permute-episodes", &set.permute,
	    "draw a new permutation of the symbols for each episode (always "
	    "in the game)"),
	CMD_STRING(0, "start", &set.start, "NODE|random|unique",
	    "start node of each episode (default: unique in return, else "
	    "random)"),
	CMD_CHOICE(0, "respawn", &set.respawn, respawn_words,
	    "move the agent to a random node after a reward; auto: in game "
	    "and street"),
	CMD_ALGORITHM,
	CMD_LONG('n', "steps", &set.steps, 1, 1e15, "N",
	    "actions per episode (default: 100 in the game, 200 in streets, "
	    "else no limit)"),
	CMD_LONG(0, "episodes", &set.episodes, 1, INT_MAX - 1, "N",
	    "number of episodes (default: one per room)"),
	CMD_OUTPUT,
	CMD_FLAG(0, "nodes", &set.nodes,
	    "send the true node with each observation"),
	CMD_FLAG(0, "blind", &set.blind,
	    "do not send ground truth: the distance to the goal"),
	CMD_WRITES(0, "log", &set.log, "FILE",
	    "write the walk with true nodes and rewards"),
	CMD_END,
};

static const struct cmd_info info = {
	.name = "roomserve",
	.operands = "ROOM...",
	.purpose = "serve rooms as a live environment (POMDP) for an agent",
	.opts = opts,
	.min = 1,
	.max = -1,
	.uses = CMD_USES_SEED,
	.example = "cscg-plan model.gz --goal env -- roomserve --task goals "
		   "-n 500 room.gz",
};

struct job {
	struct cscg_serve_options serve;
	struct cscg_room **room;
	size_t n_rooms, cap;
	struct cscg_env_header head;
	struct cscg_out *out;
	struct cscg_lines in;
	struct cscg_walk_writer *log; /* or NULL */
	bool agent_left;              /* the agent closed its output */
};

/* Options */

static int
start_node(bool unique)
{
	const char *word = set.start ? set.start :
	    unique                   ? "unique" :
				       "random";
	char *end = NULL;
	long v = -1;

	if (!strcmp(word, "random"))
		return CSCG_START_RANDOM;
	if (!strcmp(word, "unique"))
		return CSCG_START_UNIQUE;
	if (isdigit((unsigned char)*word))
		v = strtol(word, &end, 10);
	if (v < 0 || *end || v >= CSCG_NODE_MAX)
		cmd_usage(
		    "--start: '%s' is neither a node nor random nor unique",
		    word);
	return (int)v;
}

/* Fill serve from the options; exits if they contradict each other. */
static void
check_options(struct cscg_serve_options *serve, char **paths, int n)
{
	bool goals = set.task >= GOALS;
	int i;

	for (i = 0; i < n; i++)
		if (!strcmp(paths[i], "-"))
			cmd_usage("standard input is for the actions, not for "
				  "a room");
	if (!goals && set.respawn != RESPAWN_AUTO)
		cmd_usage("--respawn %s: --task %s has no rewards",
		    respawn_words[set.respawn], task_words[set.task]);
	if (set.log && !strcmp(set.log, "-"))
		cmd_usage(
		    "--log: standard output is used by the observations");
	serve->task = goals    ? CSCG_TASK_GOALS :
	    set.task == RETURN ? CSCG_TASK_RETURN :
				 CSCG_TASK_NONE;
	serve->steps = set.steps ? set.steps :
	    set.task == GAME     ? 100 :
	    set.task == STREET   ? 200 :
				   0;
	serve->start = start_node(set.task == RETURN);
	serve->respawn = set.respawn == RESPAWN_AUTO ?
	    set.task >= GAME :
	    set.respawn == RESPAWN_YES;
	serve->permute = set.permute || set.task == GAME;
	serve->blind = set.blind;
	serve->seed = (uint64_t)cmd.seed;
}

/* Rooms */

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
	return 0;
}

/*
 * Number actions and symbols as in the first room.  Where symbols have no names,
 * all rooms have the largest number of symbols.
 */
static int
align_rooms(struct job *job, struct cscg_err *err)
{
	int n_obs = 0;
	size_t i;

	for (i = 0; i < job->n_rooms; i++)
		if (job->room[i]->n_obs > n_obs)
			n_obs = job->room[i]->n_obs;
	for (i = 0; i < job->n_rooms; i++)
		if (!job->room[i]->symbols.n)
			job->room[i]->n_obs = n_obs;
	for (i = 1; i < job->n_rooms; i++)
		if (cscg_room_align(job->room[i], job->room[0], err) < 0)
			return cscg_fail_at(err, "room %zu", i);
	return 0;
}

/* The action "collect": that of the rooms, or one more. */
static int
add_collect_action(struct job *job, struct cscg_err *err)
{
	struct cscg_walk_header *head = &job->head.head;

	job->head.collect = cscg_names_find(&head->actions, "collect");
	if (job->head.collect >= 0)
		return 0;
	if (head->n_actions == CSCG_ACTION_MAX)
		return cscg_fail(err, CSCG_ERANGE,
		    "%d actions: no further action can be added for collect",
		    head->n_actions);
	job->head.collect = head->n_actions++;
	return head->actions.n ?
	    cscg_names_add(&head->actions, "collect", err) :
	    0;
}

static int
init_header(struct job *job, struct cscg_err *err)
{
	const struct cscg_room *first = job->room[0];
	struct cscg_walk_header *head = &job->head.head;
	size_t i;

	job->head.collect = -1;
	job->head.episodes = set.episodes ? set.episodes : (long)job->n_rooms;
	job->head.steps = job->serve.steps;
	head->n_actions = first->n_actions;
	head->n_obs = first->n_obs;
	if (cscg_names_copy(&head->actions, &first->actions, err) < 0 ||
	    cscg_names_copy(&head->symbols, &first->symbols, err) < 0)
		return -1;
	for (i = 0; i < job->n_rooms; i++)
		if (cscg_history_join(&head->history, &job->room[i]->history,
			err) < 0)
			return -1;
	if (set.task >= GOALS && add_collect_action(job, err) < 0)
		return -1;
	return cmd_history(&head->history, err);
}

/* Protocol */

/* An agent that closed its input is treated like one that closed its output. */
static int
send_line(struct job *job, const char *line, size_t len, struct cscg_err *err)
{
	if (cscg_out_write(job->out, line, len, err) == 0 &&
	    cscg_out_write(job->out, "\n", 1, err) == 0 &&
	    cscg_out_flush(job->out, err) == 0)
		return 0;
	job->agent_left = err->code == CSCG_EPIPE;
	return job->agent_left ? 0 : -1;
}

static int
send_header(struct job *job, struct cscg_err *err)
{
	char *text = cscg_env_header_format(&job->head, err);
	int rc;

	if (!text)
		return -1;
	rc = send_line(job, text, strlen(text), err);
	free(text);
	return rc;
}

/* The next action, -1 if the agent leaves this episode or the environment. */
static int
read_action(struct job *job, int *a, struct cscg_err *err)
{
	char quote[CSCG_ENV_QUOTE_SIZE], *line;
	size_t len;
	int rc;

	rc = cscg_lines_next(&job->in, CSCG_ENV_LINE_MAX, 0, &line, &len, err);
	if (rc < 0)
		return cscg_fail_at(err, "standard input");
	if (rc == CSCG_LINES_LINE &&
	    cscg_env_action_parse(line, len, &job->head, a, err) == 0)
		return 0;
	if (rc == CSCG_LINES_END && len == 0) {
		job->agent_left = true;
		*a = -1;
		return 0;
	}
	cscg_env_quote(line, len, quote);
	if (rc == CSCG_LINES_END)
		cscg_fail(err, CSCG_ECUT,
		    "unexpected end in the middle of a line: '%s'", quote);
	else if (rc == CSCG_LINES_TOO_LONG)
		cscg_fail(err, CSCG_EFORMAT, "longer than %d bytes: '%s'",
		    CSCG_ENV_LINE_MAX, quote);
	else
		cscg_fail_at(err, "'%s'", quote);
	return cscg_fail_at(err, "standard input: line %ld",
	    job->in.n + (rc != CSCG_LINES_LINE));
}

static int
send_obs(struct job *job, struct cscg_env_obs obs, struct cscg_err *err)
{
	char text[CSCG_ENV_OBS_SIZE];

	if (!set.nodes)
		obs.z = -1;
	return send_line(job, text, cscg_env_obs_format(&obs, text), err);
}

/* One step of the log: an observation and the action taken after it. */
static int
write_log(struct job *job, const struct cscg_env_obs *obs, int a,
    struct cscg_err *err)
{
	struct cscg_step step = { .x = obs->x,
		.a = a,
		.z = obs->z,
		.goal = obs->goal,
		.reset = obs->reset,
		.r = set.task >= GOALS ? obs->reward : NAN };

	return job->log ? cscg_walk_write_step(job->log, &step, err) : 0;
}

static int
serve_episode(struct job *job, struct cscg_serve *s, long episode,
    struct cscg_err *err)
{
	struct cscg_env_obs obs;
	int a = 0;
	long t;

	if (cscg_serve_reset(s, episode, &obs, err) < 0)
		return -1;
	for (t = 0;; t++) {
		if (send_obs(job, obs, err) < 0)
			return -1;
		if (job->agent_left || obs.done)
			a = -1;
		else if (read_action(job, &a, err) < 0)
			return -1;
		/* An agent that leaves between episodes took no action in this one. */
		if (job->agent_left && t == 0 && episode > 0)
			return 0;
		if (write_log(job, &obs, a, err) < 0)
			return -1;
		if (a < 0)
			return 0;
		if (cscg_serve_step(s, a, &obs, err) < 0)
			return -1;
	}
}

/* Run */

static int
open_log(struct job *job, struct cscg_err *err)
{
	struct cscg_out *out;

	if (!set.log)
		return 0;
	out = cmd_out_also(set.log, CSCG_OUT_GZIP, err);
	if (!out)
		return -1;
	job->log = cscg_walk_writer_new(out, &job->head.head, err);
	return job->log ? 0 : -1;
}

static int
run(struct job *job, char **paths, int n, struct cscg_err *err)
{
	struct cscg_serve *s = NULL;
	int i, rc = -1;
	long e;

	cmd.live = true;
	job->out = cmd_out(err);
	if (!job->out)
		return -1;
	for (i = 0; i < n; i++)
		if (cscg_room_for_each(paths[i], add_room, job, err) < 0)
			return -1;
	if (!job->n_rooms) /* a file without rooms was already an error */
		return cscg_fail(err, CSCG_EFORMAT, "no rooms");
	if (align_rooms(job, err) < 0 || init_header(job, err) < 0 ||
	    open_log(job, err) < 0)
		return -1;
	s = cscg_serve_new(job->room, (int)job->n_rooms, job->head.collect,
	    &job->serve, err);
	if (!s || send_header(job, err) < 0)
		goto out;
	for (e = 0; e < job->head.episodes && !job->agent_left; e++)
		if (serve_episode(job, s, e, err) < 0)
			goto out;
	rc = job->log ? cscg_walk_writer_finish(job->log, err) : 0;
out:
	cscg_serve_free(s);
	return rc;
}

int
main(int argc, char **argv)
{
	struct job job = { .in = { .fd = STDIN_FILENO } };
	struct cscg_err err = { 0 };
	char **paths;
	int n, rc;
	size_t i;

	paths = cmd_begin(&info, argc, argv, &n);
	check_options(&job.serve, paths, n);
	rc = run(&job, paths, n, &err);
	cscg_walk_writer_free(job.log);
	for (i = 0; i < job.n_rooms; i++)
		cscg_room_free(job.room[i]);
	free(job.room);
	cscg_lines_free(&job.in);
	cscg_env_header_free(&job.head);
	return cmd_end(rc < 0 ? -1 : 1, &err);
}
