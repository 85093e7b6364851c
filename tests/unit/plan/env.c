/* env - an agent with good and bad environments, all of them small scripts */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/poll.h"
#include "plan/env.h"
#include "io/stream.h"
#include "need.h"
#include "tap.h"

#define HEAD \
	"echo '{\"format\":\"cscg-env\",\"version\":1,\"n_actions\":2," \
	"\"n_obs\":3}';"
#define HEAD2 \
	"echo '{\"format\":\"cscg-env\",\"version\":1,\"n_actions\":2," \
	"\"n_obs\":3,\"episodes\":2}';"
#define OBS "echo '{\"x\":0}';"
#define DONE "echo '{\"x\":1,\"done\":true}';"
#define TURN "read a;"

static struct cscg_env *
start(const char *script, double timeout)
{
	char *const argv[] = { strdup("sh"), strdup("-c"), strdup(script),
		NULL };
	struct cscg_env *env = cscg_env_start(argv, timeout, &err);

	free(argv[0]);
	free(argv[1]);
	free(argv[2]);
	return env;
}

/* Always take action 0: the result, 0 or -1 with err. */
static int
drive(const char *script, double timeout)
{
	struct cscg_env *env = start(script, timeout);
	struct cscg_env_obs obs;
	int rc;

	if (!env)
		return -1;
	while ((rc = cscg_env_observe(env, &obs, &err)) > 0)
		if (!obs.done && (rc = cscg_env_act(env, 0, &err)) < 0)
			break;
	if (cscg_env_stop(env, &err) < 0)
		rc = -1;
	return rc;
}

/*
 * This process adopts orphans of its children: is no process left, not even a
 * zombie?
 */
static bool
alone(void)
{
	return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

/* A process may need a moment to end by SIGKILL. */
static bool
soon_alone(void)
{
	double until = cscg_clock() + 5;
	pid_t p;

	while ((p = waitpid(-1, NULL, WNOHANG)) >= 0 && cscg_clock() < until)
		if (p == 0)
			usleep(1000);
	return p < 0 && errno == ECHILD;
}

static void
test_talk(void)
{
	struct cscg_env *env = need(start(
	    "echo '{\"format\":\"cscg-env\",\"version\":1,\"n_actions\":3,"
	    "\"n_obs\":4,\"actions\":[\"l\",\"r\",\"c\"],\"collect\":2,"
	    "\"episodes\":3,\"steps\":7,\"symbols\":[\"a\",\"b\",\"c\","
	    "\"d\"]}'; echo '{\"x\":3,\"goal\":1}';"
	    "read a; [ \"$a\" = '{\"a\":2}' ] || exit 1;"
	    "echo '{ \"x\" : null, \"reward\": -0.5, \"done\":true,"
	    "\"distance\":2.5,\"z\":9,\"episode\":0,\"reset\":true}';"
	    "echo '{\"x\":0}';"
	    "read a; [ \"$a\" = '{\"a\":null}' ] || exit 1;"
	    "echo '{\"x\":1,\"episode\":2,\"done\":true}'",
	    5));
	const struct cscg_env_header *head = cscg_env_header(env);
	struct cscg_env_obs obs;

	ok(head->head.n_actions == 3 && head->head.n_obs == 4 &&
		head->collect == 2 && head->episodes == 3 &&
		head->steps == 7 && !strcmp(head->head.actions.v[1], "r") &&
		!strcmp(head->head.symbols.v[3], "d"),
	    "the header is read");
	ok(cscg_env_observe(env, &obs, &err) == 1 && obs.x == 3 &&
		obs.goal == 1 && obs.z == -1 && obs.reward == 0 &&
		isnan(obs.distance) && obs.episode == 0 && !obs.done &&
		!obs.reset,
	    "missing keys have their defaults");
	ok(cscg_env_observe(env, &obs, &err) < 0 && err.code == CSCG_EBUG,
	    "observing without an action is a bug");
	ok(cscg_env_act(env, 3, &err) < 0 && err.code == CSCG_EBUG,
	    "an action out of range is a bug");
	ok(cscg_env_act(env, 2, &err) == 0, "an action is sent");
	ok(cscg_env_act(env, 2, &err) < 0 && err.code == CSCG_EBUG,
	    "a second action without an observation is a bug");
	ok(cscg_env_observe(env, &obs, &err) == 1 && obs.x == -1 &&
		obs.goal == -1 && obs.z == 9 && obs.reward == -0.5 &&
		obs.distance == 2.5 && obs.episode == 0 && obs.done &&
		obs.reset,
	    "given keys are read");
	ok(cscg_env_act(env, 2, &err) < 0 && err.code == CSCG_EBUG,
	    "an action between episodes is a bug");
	ok(cscg_env_observe(env, &obs, &err) == 1 && obs.x == 0 &&
		obs.episode == 1,
	    "episodes without a number are counted");
	ok(cscg_env_act(env, -1, &err) == 0 &&
		cscg_env_observe(env, &obs, &err) == 1 && obs.episode == 2 &&
		obs.done,
	    "an episode can be left");
	ok(cscg_env_observe(env, &obs, &err) == 0 &&
		cscg_env_observe(env, &obs, &err) == 0,
	    "the end of the environment is permanent");
	ok(cscg_env_stop(env, &err) == 0 && alone(),
	    "no process is left after the end");
	ok(cscg_env_stop(NULL, &err) == 0, "NULL can be stopped");
}

/* Protocol errors and their messages. */
static const struct {
	const char *name, *script;
	enum cscg_code code;
	const char *text;
} faults[] = {
	{ "dies at once", "exit 3", CSCG_ECUT,
	    "unexpected end before its header (exit status 3)" },
	{ "is killed", "kill -9 $$", CSCG_ECUT,
	    "unexpected end before its header (killed by signal 9 (Killed))" },
	{ "talks like a person", "echo hello", CSCG_EFORMAT,
	    "line 1: 'hello': invalid JSON: " },
	{ "talks bytes", "printf 'a\\000b\\001\\377\\033[2J\\n'", CSCG_EFORMAT,
	    "line 1: 'a?b???[2J': invalid JSON: " },
	{ "is a walk", "echo '{\"format\":\"cscg-walk\",\"version\":1}'",
	    CSCG_EFORMAT, "this is a cscg-walk file, not a cscg-env" },
	{ "is of the future", "echo '{\"format\":\"cscg-env\",\"version\":2}'",
	    CSCG_EFORMAT, "version 2 is newer than the latest supported (1)" },
	{ "says a blank line", "echo", CSCG_EFORMAT, "line 1: '': invalid" },
	{ "has no episode", HEAD, CSCG_ECUT,
	    "unexpected end before its first observation (exit status 0)" },
	{ "crashes before one", HEAD "exit 1", CSCG_ECUT,
	    "unexpected end before its first observation (exit status 1)" },
	{ "says nothing", "exec sleep 100", CSCG_EFORMAT,
	    "line 1: timeout after 0.2 s" },
	{ "hangs later", HEAD OBS TURN "exec sleep 100", CSCG_EFORMAT,
	    "line 3: timeout after 0.2 s" },
	{ "hangs in a line", HEAD OBS TURN "printf '{\"x\":'; exec sleep 100",
	    CSCG_EFORMAT,
	    "line 3: timeout after 0.2 s in the middle of a line: "
	    "'{\"x\":'" },
	{ "says half a line", HEAD OBS TURN "printf '{\"x\":1}'", CSCG_ECUT,
	    "line 3: unexpected end in the middle of a line: '{\"x\":1}' "
	    "(exit status 0)" },
	{ "says half its first line", HEAD "printf '{\"x'", CSCG_ECUT,
	    "line 2: unexpected end in the middle of a line: '{\"x' (exit "
	    "status 0)" },
	{ "leaves early", HEAD OBS TURN "exit 0", CSCG_ECUT,
	    "unexpected end in the middle of an episode (exit status 0)" },
	{ "dies early", HEAD OBS TURN "kill -SEGV $$", CSCG_ECUT,
	    "in the middle of an episode (killed by signal 11 " },
	{ "does not listen", HEAD "exec <&-;" OBS "exit 4", CSCG_ECUT,
	    "unexpected end in the middle of an episode (exit status 4)" },
	{ "goes mute", HEAD OBS TURN "exec >&-; exec sleep 100", CSCG_ECUT,
	    "unexpected end in the middle of an episode (it closed its "
	    "output)" },
	{ "sees what is not", HEAD "echo '{\"x\":3}'", CSCG_ERANGE,
	    "line 2: '{\"x\":3}': /x: 3 is outside 0..2" },
	{ "wants what is not", HEAD "echo '{\"x\":0,\"goal\":-1}'",
	    CSCG_ERANGE, "/goal: -1 is outside 0..2" },
	{ "sees 1.0", HEAD "echo '{\"x\":1.0}'", CSCG_EFORMAT,
	    "/x: 1.0 is not an integer" },
	{ "sees nothing at all", HEAD "echo '{\"reward\":1}'", CSCG_EFORMAT,
	    "/x: missing" },
	{ "has a key too many", HEAD "echo '{\"x\":0,\"y\":0}'", CSCG_EFORMAT,
	    "/y: unknown key" },
	{ "sees twice", HEAD "echo '{\"x\":0,\"x\":0}'", CSCG_EFORMAT,
	    "duplicate" },
	{ "pays in words", HEAD "echo '{\"x\":0,\"reward\":\"1\"}'",
	    CSCG_EFORMAT, "/reward: a string is not a number" },
	{ "pays NaN", HEAD "echo '{\"x\":0,\"reward\":NaN}'", CSCG_EFORMAT,
	    "invalid JSON" },
	{ "is nearer than near", HEAD "echo '{\"x\":0,\"distance\":-1}'",
	    CSCG_ERANGE, "/distance: -1 is below 0" },
	{ "is perhaps done", HEAD "echo '{\"x\":0,\"done\":1}'", CSCG_EFORMAT,
	    "/done: an integer is not true or false" },
	{ "counts from 1", HEAD "echo '{\"x\":0,\"episode\":1}'", CSCG_EFORMAT,
	    "/episode: 1, but 0 is next" },
	{ "forgets to be done", HEAD OBS TURN "echo '{\"x\":0,\"episode\":1}'",
	    CSCG_EFORMAT, "/episode: 1, but 0 is not done" },
	{ "has an episode too few", HEAD2 DONE, CSCG_ECUT,
	    "unexpected end after 1 of 2 episodes" },
	{ "has an episode too many", HEAD2 DONE DONE DONE, CSCG_EFORMAT,
	    "line 4: '{\"x\":1,\"done\":true}': more than the 2 episodes of "
	    "the header" },
	{ "fails at last", HEAD DONE "exit 7", CSCG_ECUT,
	    "it failed after its last episode (exit status 7)" },
	{ "says two lines", HEAD "echo '{\"x\":0}\n{\"x\":1}'; read a",
	    CSCG_EFORMAT,
	    "line 3: written before the action was sent: '{\"x\":1}'" },
	{ "floods", HEAD "exec yes '{\"x\":0}'", CSCG_EFORMAT,
	    "line 3: written before the action was sent: '{\"x\":0}'" },
	{ "floods without a line", HEAD OBS TURN "exec tr '\\0' x </dev/zero",
	    CSCG_EFORMAT, "line 3: longer than 1048576 bytes: 'xxxxxxxx" },
	{ "says ten megabytes",
	    HEAD "head -c 10000000 /dev/zero | tr '\\0' y; echo", CSCG_EFORMAT,
	    "line 2: longer than 1048576 bytes: 'yyyyyyyy" },
	{ "has a header without end", "exec tr '\\0' x </dev/zero",
	    CSCG_EFORMAT, "line 1: longer than 67108864 bytes: 'xxx" },
};

static void
test_faults(void)
{
	const char *begin = "environment 'sh': ";
	double began;
	size_t i;
	int rc;

	for (i = 0; i < sizeof faults / sizeof *faults; i++) {
		/* Time to start a shell on a busy machine, unless it hangs. */
		double timeout = strstr(faults[i].text, "0.2 s") ? .2 : 10;

		err = (struct cscg_err){ 0 };
		began = cscg_clock();
		rc = drive(faults[i].script, timeout);
		if (!ok(rc < 0 && err.code == faults[i].code &&
			    !strncmp(err.msg, begin, strlen(begin)) &&
			    strstr(err.msg, faults[i].text) &&
			    cscg_clock() - began < 10,
			"one that %s", faults[i].name))
			printf("# %d, code %d: %s\n", rc, err.code, err.msg);
		ok(soon_alone(), "... and its process has ended");
	}
}

/* Not executed by a shell. */
static void
test_start(void)
{
	char none[] = "./no-such-file", file[] = "/dev/null", echo[] = "echo";
	char meta[] = "$(id) | *", *argv[] = { none, NULL, NULL };

	ok(!cscg_env_start(argv, 5, &err) && err.code == CSCG_EREAD &&
		!strcmp(err.msg,
		    "environment './no-such-file': cannot be started: No such "
		    "file or directory") &&
		alone(),
	    "a command that does not exist is an error");
	argv[0] = file;
	ok(!cscg_env_start(argv, 5, &err) && err.code == CSCG_EREAD &&
		!strcmp(err.msg,
		    "environment '/dev/null': cannot be started: Permission "
		    "denied") &&
		alone(),
	    "a file that is not a program is an error");
	argv[0] = echo;
	argv[1] = meta;
	ok(!cscg_env_start(argv, 5, &err) &&
		strstr(err.msg, "line 1: '$(id) | *': invalid JSON"),
	    "arguments are not interpreted by a shell");
}

static void
test_stop(void)
{
	struct cscg_env_obs obs;
	struct cscg_env *env;
	double began;

	env = need(start(HEAD OBS "read a && exit 9; exit 0", 5));
	ok(cscg_env_observe(env, &obs, &err) == 1 &&
		cscg_env_stop(env, &err) == 0 && alone(),
	    "closing its input ends the environment");
	env = need(start(HEAD OBS "read a; " OBS "read a; exit 0", 5));
	ok(cscg_env_observe(env, &obs, &err) == 1 &&
		cscg_env_act(env, 1, &err) == 0 &&
		cscg_env_stop(env, &err) == 0,
	    "closing its input ends an environment that has not answered");
	env = need(start(HEAD OBS "read a; exit 5", 5));
	ok(cscg_env_stop(env, &err) < 0 && err.code == CSCG_ECUT &&
		!strcmp(err.msg,
		    "environment 'sh': it failed at its end (exit status 5)"),
	    "a nonzero exit status is reported");

	env = need(start(HEAD OBS "exec sleep 100", .2));
	began = cscg_clock();
	ok(cscg_env_stop(env, &err) < 0 &&
		strstr(err.msg,
		    "it did not exit at the end of its input, and was killed "
		    "by "
		    "signal 15 (Terminated)") &&
		cscg_clock() - began > .2 && alone(),
	    "a process that does not end is terminated in time");
	env = need(start(HEAD OBS "trap '' TERM; while :; do sleep 1; done",
	    .2));
	/* Else TERM may come before the trap is set. */
	usleep(200000);
	ok(cscg_env_stop(env, &err) < 0 &&
		strstr(err.msg, "and was killed by signal 9 (Killed)") &&
		soon_alone(),
	    "a process that ignores SIGTERM is killed");
	env = need(start(
	    "trap 'exit 0' TERM;" HEAD OBS "while :; do sleep .01; done", .2));
	ok(cscg_env_stop(env, &err) < 0 &&
		strstr(err.msg, "and was ended by SIGTERM") && soon_alone(),
	    "a process that exits on SIGTERM is reported");
	env = need(start(HEAD OBS "kill -STOP $$", .2));
	ok(cscg_env_stop(env, &err) < 0 && soon_alone(),
	    "a stopped process is ended as well");
	env = need(start(HEAD OBS "sleep 100 & sleep 100 & read a; exit 0",
	    5));
	ok(cscg_env_stop(env, &err) == 0 && soon_alone(),
	    "child processes of the environment are ended");
}

/* The environment and file descriptors of the child. */
static void
test_child(void)
{
	char file[] = "/tmp/cscg-env.XXXXXX", text[64] = "";
	struct cscg_env_obs obs = { .x = -1 };
	int fd = mkstemp(file), saved = dup(2);
	struct cscg_env *env;

	env = need(start(HEAD
	    "[ \"$(cut -d' ' -f5 /proc/$$/stat)\" = $$ ] && " OBS "read a",
	    5));
	ok(cscg_env_observe(env, &obs, &err) == 1 && obs.x == 0,
	    "the environment has its own process group");
	cscg_env_stop(env, &err);

	dup2(fd, 2);
	env = start("echo trouble >&2;" HEAD, 5);
	dup2(saved, 2);
	cscg_env_stop(env, &err);
	ok(pread(fd, text, sizeof text - 1, 0) == 8 &&
		!strcmp(text, "trouble\n"),
	    "the environment shares standard error");
	close(fd);
	close(saved);
	unlink(file);
}

/* If this process is killed, the child ends. */
static void
test_orphan(void)
{
	pid_t p = fork();
	int status;

	if (p == 0) {
		if (start(HEAD "exec sleep 100", 5))
			raise(SIGKILL);
		_exit(1);
	}
	waitpid(p, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
	    "an agent is killed by SIGKILL");
	alarm(30);
	p = waitpid(-1, &status, 0);
	alarm(0);
	ok(p > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM,
	    "its environment receives SIGTERM");
}

int
main(void)
{
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	test_talk();
	test_start();
	test_faults();
	test_stop();
	test_child();
	test_orphan();
	return done();
}
