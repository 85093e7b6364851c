/*
 * env.c - a live environment as a child process: the agent's side of
 * cscg-env(5)
 *
 * Agent and child exchange lines over two pipes, alternately.  The pipe to the
 * child is non-blocking, so that the timeout also applies to a child that
 * stops reading.  Before an action is sent the input pipe must be empty:
 * otherwise an extra line would be taken for the observation after this
 * action, and every later line for that of the action before it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "plan/env.h"
#include "io/stream.h"
#include "base/mem.h"
#include "base/poll.h"

enum {
	SLEEP_NS_MAX = 10000000, /* ns between two polls of a child */
};

enum phase {
	AFTER_HEADER,     /* the header was read, no episode has begun */
	ACTION_DUE,       /* an observation was read, its action is due */
	OBSERVATION_DUE,  /* an action was sent, its observation is due */
	BETWEEN_EPISODES, /* an episode has ended; another, or the end */
	FAULT,
	ENDED,
};

struct cscg_env {
	char *name;
	pid_t pid;  /* 0: none, or reaped */
	int status; /* of wait(), when reaped */
	int to;     /* our end of the pipe to it, or -1 */
	double timeout;
	enum phase phase;
	struct cscg_lines lines; /* its output */
	long episode;            /* number of episodes that have ended */
	struct cscg_env_header head;
};

/* Mark the environment as faulty and add its command to err. */
static int
set_fault(struct cscg_env *env, struct cscg_err *err)
{
	env->phase = FAULT;
	return cscg_fail_at(err, "environment '%.200s'", env->name);
}

/* The child */

/* Whether the child ends within `seconds`.  It is not reaped. */
static bool
has_ended(const struct cscg_env *env, double seconds)
{
	double until = cscg_clock() + seconds;
	struct timespec sleep_time = { 0, 100000 };
	siginfo_t info;

	for (;;) {
		info.si_pid = 0;
		if (waitid(P_PID, (id_t)env->pid, &info,
			WEXITED | WNOHANG | WNOWAIT) < 0 &&
		    errno != EINTR)
			return true; /* reaped elsewhere */
		if (info.si_pid)
			return true;
		if (cscg_clock() >= until)
			return false;
		nanosleep(&sleep_time, NULL);
		if (sleep_time.tv_nsec < SLEEP_NS_MAX)
			sleep_time.tv_nsec *= 2;
	}
}

/*
 * The child has ended: kill the rest of its process group.  Until the child is
 * reaped its process id is not reused, so that no other process is killed.
 */
static void
reap(struct cscg_env *env)
{
	kill(-env->pid, SIGKILL);
	while (waitpid(env->pid, &env->status, 0) < 0)
		if (errno != EINTR) {
			env->status = 0;
			break;
		}
	env->pid = 0;
}

/* Describe how the child ended, for messages. */
static void
describe_end(const struct cscg_env *env, char text[64])
{
	if (env->pid)
		snprintf(text, 64, "it closed its output");
	else if (WIFSIGNALED(env->status))
		snprintf(text, 64, "killed by signal %d (%s)",
		    WTERMSIG(env->status), strsignal(WTERMSIG(env->status)));
	else
		snprintf(text, 64, "exit status %d", WEXITSTATUS(env->status));
}

/* One of the pipes was closed: check whether the child has ended. */
static void
reap_if_ended(struct cscg_env *env)
{
	double wait_seconds = env->timeout > 0 && env->timeout < 1 ?
	    env->timeout :
	    1;

	if (env->pid && has_ended(env, wait_seconds))
		reap(env);
}

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* In the child: only functions that are safe between fork and exec. */
static void
exec_child(char *const *argv, int in, int out, int report, pid_t parent)
{
	int e;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (getppid() == parent && dup2(in, STDIN_FILENO) >= 0 &&
	    dup2(out, STDOUT_FILENO) >= 0)
		execvp(argv[0], argv);
	e = errno;
	while (write(report, &e, sizeof e) < 0 && errno == EINTR)
		;
	_exit(127);
}

/* Whether exec succeeded: then the report pipe was closed without data. */
static int
check_exec(struct cscg_env *env, int report, struct cscg_err *err)
{
	ssize_t n;
	int e;

	while ((n = read(report, &e, sizeof e)) < 0 && errno == EINTR)
		;
	if (n != (ssize_t)sizeof e)
		return 0;
	has_ended(env, 10);
	reap(env);
	cscg_fail(err, e == ENOMEM ? CSCG_ENOMEM : CSCG_EREAD,
	    "cannot be started: %s", strerror(e));
	return set_fault(env, err);
}

static int
spawn(struct cscg_env *env, char *const *argv, struct cscg_err *err)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, report[2] = { -1, -1 };
	pid_t self = getpid();
	int rc = -1;

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0 ||
	    pipe2(report, O_CLOEXEC) < 0 ||
	    fcntl(in[1], F_SETFL, O_NONBLOCK) < 0 || (env->pid = fork()) < 0) {
		env->pid = 0;
		cscg_fail(err, CSCG_EIO, "cannot be started: %s",
		    strerror(errno));
		set_fault(env, err);
		goto out;
	}
	if (env->pid == 0)
		exec_child(argv, in[0], out[1], report[1], self);
	setpgid(env->pid, env->pid); /* parent and child both do this */
	env->to = in[1];
	env->lines.fd = out[0];
	in[1] = out[0] = -1;
	close_fd(&report[1]);
	rc = check_exec(env, report[0], err);
out:
	close_fd(&in[0]);
	close_fd(&in[1]);
	close_fd(&out[0]);
	close_fd(&out[1]);
	close_fd(&report[0]);
	close_fd(&report[1]);
	return rc;
}

/* Lines */

/* The child's output has ended early, perhaps within a line. */
static int
fail_early_end(struct cscg_env *env, const char *where, struct cscg_err *err)
{
	const struct cscg_lines *l = &env->lines;
	char quote[CSCG_ENV_QUOTE_SIZE], end[64];

	reap_if_ended(env);
	describe_end(env, end);
	if (l->pos < l->len)
		cscg_fail(err, CSCG_ECUT,
		    "line %ld: unexpected end in the middle of a line: '%s' "
		    "(%s)",
		    l->n + 1,
		    cscg_env_quote(l->text + l->pos, l->len - l->pos, quote),
		    end);
	else
		cscg_fail(err, CSCG_ECUT, "unexpected end %s (%s)", where,
		    end);
	return set_fault(env, err);
}

/* The next line: 1, 0 at the end, -1. */
static int
read_line(struct cscg_env *env, size_t max, char **line, size_t *len,
    struct cscg_err *err)
{
	int rc = cscg_lines_next(&env->lines, max, env->timeout, line, len,
	    err);
	char quote[CSCG_ENV_QUOTE_SIZE];

	switch (rc) {
	case CSCG_LINES_LINE:
	case CSCG_LINES_END:
		return rc;
	case CSCG_LINES_TIMEOUT:
		cscg_fail(err, CSCG_EFORMAT,
		    "line %ld: timeout after %g s%s%s%s", env->lines.n + 1,
		    env->timeout, *len ? " in the middle of a line: '" : "",
		    cscg_env_quote(*line, *len, quote), *len ? "'" : "");
		break;
	case CSCG_LINES_TOO_LONG:
		cscg_fail(err, CSCG_EFORMAT,
		    "line %ld: longer than %zu bytes: '%s'", env->lines.n + 1,
		    max, cscg_env_quote(*line, *len, quote));
		break;
	}
	return set_fault(env, err);
}

/* A line is invalid: add its number and text to err. */
static int
fail_bad_line(struct cscg_env *env, const char *line, size_t len,
    struct cscg_err *err)
{
	char quote[CSCG_ENV_QUOTE_SIZE];

	if (err->code != CSCG_ENOMEM)
		cscg_fail_at(err, "line %ld: '%s'", env->lines.n,
		    cscg_env_quote(line, len, quote));
	return set_fault(env, err);
}

/* Beginning */

static int
read_head(struct cscg_env *env, struct cscg_err *err)
{
	char *line;
	size_t len;
	int rc;

	rc = read_line(env, CSCG_ENV_HEADER_MAX, &line, &len, err);
	if (rc == 0)
		return fail_early_end(env, "before its header", err);
	if (rc > 0 && cscg_env_header_parse(line, len, &env->head, err) < 0)
		return fail_bad_line(env, line, len, err);
	return rc < 0 ? -1 : 0;
}

struct cscg_env *
cscg_env_start(char *const *argv, double timeout, struct cscg_err *err)
{
	struct cscg_env *env = cscg_alloc(1, sizeof *env, err);

	if (!env)
		return NULL;
	env->to = env->lines.fd = -1;
	env->timeout = timeout;
	env->head.collect = -1;
	env->name = cscg_copy(argv[0], strlen(argv[0]) + 1, 1, err);
	if (env->name && spawn(env, argv, err) == 0 &&
	    read_head(env, err) == 0)
		return env;
	env->phase = FAULT;
	cscg_env_stop(env, err);
	return NULL;
}

const struct cscg_env_header *
cscg_env_header(const struct cscg_env *env)
{
	return &env->head;
}

/* Turns */

/* End of output: check the number of episodes and the exit status. */
static int
end_of_episodes(struct cscg_env *env, struct cscg_err *err)
{
	char end[64];

	if (env->lines.pos < env->lines.len || !env->episode)
		return fail_early_end(env, "before its first observation",
		    err);
	if (env->episode < env->head.episodes) {
		cscg_fail(err, CSCG_ECUT,
		    "unexpected end after %ld of %ld episodes", env->episode,
		    env->head.episodes);
		return set_fault(env, err);
	}
	reap_if_ended(env);
	if (!env->pid && env->status) {
		describe_end(env, end);
		cscg_fail(err, CSCG_ECUT,
		    "it failed after its last episode (%s)", end);
		return set_fault(env, err);
	}
	env->phase = ENDED;
	return 0;
}

/* Check that episodes count from 0 and do not exceed the header's number. */
static int
check_episode(struct cscg_env *env, struct cscg_env_obs *obs,
    struct cscg_err *err)
{
	if (obs->episode >= 0 && obs->episode != env->episode)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/episode: %ld, but %ld is %s", obs->episode, env->episode,
		    env->phase == OBSERVATION_DUE ? "not done" : "next");
	if (env->head.episodes && env->episode >= env->head.episodes)
		return cscg_fail(err, CSCG_EFORMAT,
		    "more than the %ld episodes of the header",
		    env->head.episodes);
	obs->episode = env->episode;
	return 0;
}

int
cscg_env_observe(struct cscg_env *env, struct cscg_env_obs *obs,
    struct cscg_err *err)
{
	char *line;
	size_t len;
	int rc;

	if (env->phase == ACTION_DUE || env->phase == FAULT)
		return cscg_fail(err, CSCG_EBUG,
		    "an observation was requested out of turn");
	if (env->phase == ENDED)
		return 0;
	rc = read_line(env, CSCG_ENV_LINE_MAX, &line, &len, err);
	if (rc == 0)
		return env->phase == OBSERVATION_DUE ?
		    fail_early_end(env, "in the middle of an episode", err) :
		    end_of_episodes(env, err);
	if (rc < 0)
		return -1;
	if (cscg_env_obs_parse(line, len, &env->head, obs, err) < 0 ||
	    check_episode(env, obs, err) < 0)
		return fail_bad_line(env, line, len, err);
	env->phase = obs->done ? BETWEEN_EPISODES : ACTION_DUE;
	env->episode += obs->done;
	return 1;
}

/* The child wrote before it received an action: quote the line. */
static int
fail_out_of_turn(struct cscg_env *env, struct cscg_err *err)
{
	char quote[CSCG_ENV_QUOTE_SIZE], *line;
	long n = env->lines.n + 1;
	size_t len;

	if (cscg_lines_next(&env->lines, CSCG_ENV_LINE_MAX, .1, &line, &len,
		err) < 0)
		return set_fault(env, err);
	cscg_fail(err, CSCG_EFORMAT,
	    "line %ld: written before the action was sent: '%s'", n,
	    cscg_env_quote(line, len, quote));
	return set_fault(env, err);
}

int
cscg_env_act(struct cscg_env *env, int a, struct cscg_err *err)
{
	double until = env->timeout > 0 ? cscg_clock() + env->timeout : 0;
	char text[CSCG_ENV_ACTION_SIZE];
	size_t len = cscg_env_action_format(a, text), done = 0;
	ssize_t n;
	int rc;

	if (env->phase != ACTION_DUE || a >= env->head.head.n_actions)
		return cscg_fail(err, CSCG_EBUG,
		    "action %d was taken out of turn or range", a);
	if (cscg_lines_pending(&env->lines))
		return fail_out_of_turn(env, err);
	text[len++] = '\n';
	while (done < len) {
		n = write(env->to, text + done, len - done);
		if (n >= 0)
			done += (size_t)n;
		else if (errno == EPIPE)
			return fail_early_end(env,
			    "in the middle of an episode", err);
		else if (errno == EAGAIN) {
			rc = cscg_lines_poll(env->to, POLLOUT, until);
			if (rc > 0)
				continue;
			cscg_fail(err, CSCG_EFORMAT,
			    "has not read its actions for %g s", env->timeout);
			return set_fault(env, err);
		} else if (errno != EINTR) {
			cscg_fail(err, CSCG_EIO, "%s", strerror(errno));
			return set_fault(env, err);
		}
	}
	env->phase = a < 0 ? BETWEEN_EPISODES : OBSERVATION_DUE;
	env->episode += a < 0;
	return 0;
}

/* The end */

/* Wait, SIGTERM, wait, SIGKILL; whether it ended before the first signal. */
static bool
end_child(struct cscg_env *env)
{
	double wait_seconds = env->timeout > 0 ? env->timeout : 10;
	double short_wait_seconds = wait_seconds < 1 ? wait_seconds : 1;
	bool by_itself;

	if (env->phase == FAULT)
		wait_seconds = short_wait_seconds;
	by_itself = has_ended(env, wait_seconds);
	if (!by_itself) {
		kill(-env->pid, SIGTERM);
		/* A stopped process does not handle SIGTERM. */
		kill(-env->pid, SIGCONT);
		if (!has_ended(env, short_wait_seconds))
			kill(-env->pid, SIGKILL);
	}
	reap(env);
	return by_itself;
}

int
cscg_env_stop(struct cscg_env *env, struct cscg_err *err)
{
	bool by_itself = true;
	char end[64];
	int rc = 0;

	if (!env)
		return 0;
	close_fd(&env->to);
	/* Otherwise it stays open: a last line must not cause SIGPIPE. */
	if (env->phase == FAULT)
		close_fd(&env->lines.fd);
	if (env->pid)
		by_itself = end_child(env);
	close_fd(&env->lines.fd);
	if (env->phase != FAULT && (!by_itself || env->status)) {
		describe_end(env, end);
		if (by_itself)
			cscg_fail(err, CSCG_ECUT, "it failed at its end (%s)",
			    end);
		else
			cscg_fail(err, CSCG_ECUT,
			    "it did not exit at the end of its input, and was "
			    "%s",
			    WIFSIGNALED(env->status) ? end :
						       "ended by SIGTERM");
		rc = set_fault(env, err);
	}
	cscg_env_header_free(&env->head);
	free(env->name);
	cscg_lines_free(&env->lines);
	free(env);
	return rc;
}
