/*
 * cmd.c - shared by all tools: beginning and end, messages, output, status
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd_opt.h"
#include "mem.h"
#include "schemas_io.h"

enum { ALSO_MAX = 3 };	/* outputs of a tool besides its result */

/* The one command this process is. */
static struct {
	const struct cmd_info *info;
	struct cscg_out *out, *stats;
	struct cscg_out *also[ALSO_MAX];
	int n_also;
	bool bar;	/* a progress bar stands on stderr */
	bool mute;	/* another rank speaks for us */
	volatile bool hold;	/* signals wait */
} self;

volatile uint64_t cmd_signals;

/* What a signal must remove: copies that outlive the streams. */
static char *volatile tmp[ALSO_MAX + 1];

/* Messages */

/* Always one line: whatever a file smuggled into a message becomes '?'. */
static void
say_line(const char *text, const char *hint)
{
	char line[2048];
	size_t i;

	if (self.mute)
		return;
	snprintf(line, sizeof line, "%s: %s%s",
	    self.info ? self.info->name : "cscg", text, hint);
	for (i = 0; line[i]; i++)
		if (iscntrl((unsigned char)line[i]))
			line[i] = '?';
	if (self.bar) {
		fputs("\r\033[K", stderr);
		self.bar = false;
	}
	fprintf(stderr, "%s\n", line);
}

/*
 * A launcher ends all ranks when the first has failed: nobody may leave before
 * the one that speaks has spoken.
 */
static void
leave_together(void)
{
	struct cscg_err err;

	if (!cmd.ranks && self.info && (self.info->uses & CMD_USES_RANKS))
		cmd.ranks = cscg_ranks_new(&err);
	cscg_ranks_barrier(cmd.ranks);
	cscg_ranks_free(cmd.ranks);
}

void
cmd_usage(const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	say_line(text, " (try --help)");
	leave_together();
	exit(2);
}

void
cmd_say(const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	if (cmd.quiet)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	say_line(text, "");
}

void
cmd_talk(const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	if (cmd.quiet || !cmd.verbose)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	say_line(text, "");
}

/* How the process starts and is ended */

static void
remove_tmps(void)
{
	int i;

	for (i = 0; i <= ALSO_MAX; i++)
		if (tmp[i])
			unlink(tmp[i]);
}

static void
on_signal(int sig)
{
	if (self.hold || sig == SIGUSR1) {
		__atomic_fetch_or(&cmd_signals, (uint64_t)1 << sig,
		    __ATOMIC_RELAXED);
		return;
	}
	remove_tmps();
	/*
	 * Only now may it kill: with SA_RESETHAND a second signal, taken by
	 * another thread, would end us before the file is gone.
	 */
	signal(sig, SIG_DFL);
	raise(sig);
}

bool
cmd_hold(bool on)
{
	struct sigaction sa = { .sa_handler = on_signal,
	    .sa_flags = SA_RESTART };
	bool was = self.hold;

	sigemptyset(&sa.sa_mask);
	sigaction(SIGUSR1, &sa, NULL);
	self.hold = on;
	return was;
}

void
cmd_signals_seen(uint64_t set)
{
	__atomic_fetch_and(&cmd_signals, ~set, __ATOMIC_RELAXED);
}

void
cmd_die(int sig)
{
	sigset_t set;

	remove_tmps();
	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
	_exit(128 + sig);
}

/* A library that ends the process itself must not leave it, either. */
static void
on_exit_remove(void)
{
	remove_tmps();
}

static void
catch_signals(void)
{
	static const int fatal[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = on_signal }, old;
	size_t i;

	sigemptyset(&sa.sa_mask);
	for (i = 0; i < sizeof fatal / sizeof *fatal; i++) {
		/* nohup stays nohup */
		if (sigaction(fatal[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(fatal[i], &sa, NULL);
	}
	atexit(on_exit_remove);
	/* Both are met as errors of write(). */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

/*
 * A descriptor 0..2 that was closed would be given to the first file opened,
 * and our messages or data would land in it.  Each is filled with something
 * that fails as a closed one does.
 */
static void
guard_fds(void)
{
	int fd;

	for (fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd == 1 ? O_RDONLY : O_WRONLY) < 0)
			return;
}

/* The reader of our output has gone: so do we, as a filter does. */
static void
die_of_pipe(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(SIGPIPE);
}

/* Say what err holds; the exit status. */
int
cmd_fail(const struct cscg_err *err)
{
	char limit[CSCG_MEM_TEXT], hint[64] = "";

	if (err->code == CSCG_ENOMEM && cscg_mem_limit() != SIZE_MAX &&
	    !strstr(err->msg, "--max-memory"))
		snprintf(hint, sizeof hint, " (--max-memory: %s)",
		    cscg_mem_text((double)cscg_mem_limit(), limit));
	if (err->code == CSCG_EPIPE)
		die_of_pipe();
	else
		say_line(err->msg, hint);
	return cscg_err_status(err->code);
}

/* Beginning */

static long
env_number(const char *name)
{
	const char *s = getenv(name);
	long n = s ? strtol(s, NULL, 10) : 0;	/* "4,2": nested; take 4 */

	return n < 0 ? 0 : n > CMD_THREADS_MAX ? CMD_THREADS_MAX : n;
}

static void
default_threads(void)
{
	cpu_set_t set;

	if (!cmd.threads)
		cmd.threads = env_number("OMP_NUM_THREADS");
	if (!cmd.threads)
		cmd.threads = env_number("SLURM_CPUS_PER_TASK");
	if (!cmd.threads && sched_getaffinity(0, sizeof set, &set) == 0)
		cmd.threads = CPU_COUNT(&set);
	if (cmd.threads < 1)
		cmd.threads = 1;
}

static bool
is_dash(const char *path)
{
	return path && !strcmp(path, "-");
}

static void
judge(char **operand, int n)
{
	const struct cmd_info *info = self.info;
	int i, dashes = 0;

	if (n < info->min)
		cmd_usage("too few operands, wanted: %s", info->operands);
	if (info->max >= 0 && n > info->max)
		cmd_usage("unexpected operand '%s'%s", operand[info->max],
		    info->uses & CMD_USES_WALKS ? "; a walk goes after -w" :
		    "");
	for (i = 0; i < n; i++)
		dashes += is_dash(operand[i]);
	for (i = 0; i < cmd.walks.n; i++)
		dashes += is_dash(cmd.walks.v[i]);
	if (dashes > 1)
		cmd_usage("standard input can be read only once");
	if (is_dash(cmd.stats) && (!cmd.out || is_dash(cmd.out)))
		cmd_usage("--stats: standard output is taken by the result");
}

/*
 * One of several processes says what all have to say: the first, as the
 * environment numbers them, since options are judged before MPI begins.
 */
static void
find_voice(const struct cmd_info *info)
{
	int size;

	if (!(info->uses & CMD_USES_RANKS) || !cscg_ranks_launched(&size))
		return;
	self.mute = cscg_ranks_guess() > 0;
	if (!cscg_ranks_built() && size > 1)
		cmd_say("built without MPI: each of %d processes does the "
		    "whole work", size);
}

char **
cmd_begin(const struct cmd_info *info, int argc, char **argv, int *n)
{
	int count;

	guard_fds();
	catch_signals();
	self.info = info;
	find_voice(info);
	count = cmd_opt_parse(info, argc, argv);
	judge(argv + 1, count);
	default_threads();
	cmd_memory();
	if (n)
		*n = count;
	return argv + 1;
}

/* Output */

/*
 * Open the file so that no signal finds a temporary we do not know of: its
 * name goes to tmp[slot].
 */
static struct cscg_out *
open_out(const char *path, unsigned flags, int slot, struct cscg_err *err)
{
	struct cscg_out *out;
	sigset_t all, old;
	char *copy = NULL;

	/* Rank 0 alone writes. */
	if (cscg_ranks_rank(cmd.ranks))
		return cscg_out_open("/dev/null", 0, err);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	out = cscg_out_open(path, flags, err);
	if (cscg_out_tmp(out)) {
		copy = strdup(cscg_out_tmp(out));
		if (!copy) {
			cscg_out_abort(out);
			out = NULL;
			cscg_fail(err, CSCG_ENOMEM, "out of memory");
		}
		tmp[slot] = copy;
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	return out;
}

struct cscg_out *
cmd_out(struct cscg_err *err)
{
	bool to_stdout = !cmd.out || is_dash(cmd.out);
	bool tty = to_stdout && isatty(STDOUT_FILENO);
	bool gzip = (self.info->uses & CMD_USES_GZIP) && !cmd.no_gzip;

	if (self.out)
		return self.out;
	if (cmd_clash(err) < 0)
		return NULL;
	if (gzip && tty && !cmd.force && !cscg_ranks_rank(cmd.ranks)) {
		cscg_fail(err, CSCG_EUSAGE, "refusing to write compressed data "
		    "to a terminal (use -o FILE, a pipe, --no-gzip or -f)");
		return NULL;
	}
	if (cmd.stats && !self.stats && !cscg_ranks_rank(cmd.ranks)) {
		self.stats = cscg_out_open(cmd.stats, CSCG_OUT_LOG |
		    CSCG_OUT_LIVE, err);
		if (!self.stats)
			return NULL;
	}
	self.out = open_out(cmd.out, (gzip ? CSCG_OUT_GZIP : 0) |
	    (cmd.live || tty ? CSCG_OUT_LIVE : 0), 0, err);
	return self.out;
}

struct cscg_out *
cmd_out_also(const char *path, unsigned flags, struct cscg_err *err)
{
	struct cscg_out *out;

	if (self.n_also == ALSO_MAX) {
		cscg_fail(err, CSCG_EBUG, "more than %d outputs", ALSO_MAX);
		return NULL;
	}
	if (cmd_clash(err) < 0)
		return NULL;
	out = open_out(path, flags, self.n_also + 1, err);
	if (out)
		self.also[self.n_also++] = out;
	return out;
}

int
cmd_stats(struct cscg_err *err, const char *fmt, ...)
{
	char line[4096];
	va_list ap;
	int n;

	if (!self.stats)
		return 0;
	va_start(ap, fmt);
	n = vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof line)
		return cscg_fail(err, CSCG_EBUG, "a line of --stats is too "
		    "long");
	/* Callers may end the line or leave it to us. */
	if (cscg_out_printf(self.stats, err, "%s%s", line,
	    n && line[n - 1] == '\n' ? "" : "\n") < 0)
		return -1;
	return cscg_out_flush(self.stats, err);
}

const char *
cmd_real(char *buf, size_t n, double v)
{
	if (isfinite(v))
		snprintf(buf, n, "%.17g", v);
	else
		snprintf(buf, n, "null");
	return buf;
}

static double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

void
cmd_progress(const char *what, double done, double total)
{
	static const char full[] = "##############################";
	static const char none[] = "..............................";
	static double start, last;
	static char task[64];
	bool tty = isatty(STDERR_FILENO);
	double t = now(), part = total > 0 ? done / total : 0;
	int n, eta;

	if (cmd.quiet || self.mute || cmd.progress == 2 ||
	    (cmd.progress == 0 && !tty))
		return;
	if (strncmp(task, what, sizeof task - 1) || part <= 0) {
		snprintf(task, sizeof task, "%s", what);
		start = t;
		last = 0;
	}
	if (t - last < .1)
		return;
	last = t;
	part = part < 0 ? 0 : part > 1 ? 1 : part;
	n = (int)(part * 30);
	eta = part > 0 && (t - start) * (1 - part) / part < 3.6e6 ?
	    (int)((t - start) * (1 - part) / part + .5) : 0;
	fprintf(stderr, "%s%s [%.*s%.*s] %3.0f %% %d:%02d left%s",
	    tty ? "\r" : "", task, n, full, 30 - n, none, 100 * part,
	    eta / 60, eta % 60, tty ? "\033[K" : "\n");
	self.bar = tty;
}

/* The end */

static void
abort_all(void)
{
	int i;

	for (i = 0; i < ALSO_MAX; i++) {
		cscg_out_abort(self.also[i]);
		self.also[i] = NULL;
	}
	cscg_out_abort(self.stats);
	cscg_out_abort(self.out);
	self.stats = self.out = NULL;
}

static int
close_one(struct cscg_out **at, struct cscg_err *err)
{
	struct cscg_out *out = *at;

	*at = NULL;
	return out ? cscg_out_close(out, err) : 0;
}

/* The logs first: if one is not whole, the result must not look finished. */
static int
close_all(struct cscg_err *err)
{
	int i, rc = close_one(&self.stats, err);

	for (i = 0; i < self.n_also && rc == 0; i++)
		rc = close_one(&self.also[i], err);
	if (rc == 0)
		rc = close_one(&self.out, err);
	if (rc < 0)
		abort_all();
	return rc;
}

void
cmd_judge_schemas(char **paths, int dashes)
{
	int i, j;

	for (i = 0; paths[i]; i++) {
		dashes += !strcmp(cscg_schemas_file(paths[i]), "-");
		for (j = 0; j < i; j++)
			if (!strcmp(cscg_schemas_file(paths[i]),
			    cscg_schemas_file(paths[j])))
				cmd_usage("'%s' is given twice",
				    cscg_schemas_file(paths[i]));
	}
	if (dashes > 1)
		cmd_usage("standard input can be read only once");
}

int
cmd_fail_in(const char *path, struct cscg_err *err)
{
	if (!strcmp(path, "-"))
		return cscg_fail_at(err, "standard input");
	return cscg_fail_at(err, "'%s'", path);
}

bool
cmd_blames_file(const struct cscg_err *err)
{
	switch (err->code) {
	case CSCG_ENOMEM:
	case CSCG_EIO:
	case CSCG_EPIPE:
	case CSCG_EBUG:
		return false;
	default:
		return true;
	}
}

int
cmd_blame(const char *path, struct cscg_err *err)
{
	return cmd_blames_file(err) ? cmd_fail_in(path, err) : -1;
}

int
cmd_end(int rc, struct cscg_err *err)
{
	char *old;
	int status, i;

	if (self.bar)
		fputs("\r\033[K", stderr);
	self.bar = false;
	if (rc < 0)
		abort_all();
	else if (close_all(err) < 0)
		rc = -1;
	status = rc < 0 ? cmd_fail(err) : rc == 0;
	for (i = 0; i <= ALSO_MAX; i++) {
		old = tmp[i];
		tmp[i] = NULL;
		free(old);
	}
	cmd_opt_free();
	/* What became of the result is what became of the job. */
	cscg_ranks_await(cmd.ranks, &status, sizeof status);
	cscg_ranks_free(cmd.ranks);
	cmd.ranks = NULL;
	return status;
}
