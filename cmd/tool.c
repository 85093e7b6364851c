/* tool.c - shared by all tools: signals, messages, outputs, history, start, end */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/poll.h"
#include "base/utf8.h"
#include "options.h"
#include "suggest.h"
#include "core/model_io.h"
#include "io/table.h"
#include "tool.h"

/* signals, closed descriptors */

volatile uint64_t cmd_signals;

enum { ALSO_MAX = 3 }; /* outputs of a tool besides its result */

/* Temporary files that a signal must remove: copies of their names. */
static char *volatile tmp[ALSO_MAX + 1];

static volatile bool hold;       /* signals are deferred */
static volatile bool usr1_waits; /* SIGUSR1 requests a checkpoint */

static void
remove_tmps(void)
{
	int i;

	for (i = 0; i <= ALSO_MAX; i++)
		if (tmp[i])
			unlink(tmp[i]);
}

/* The program cannot continue after such a signal: it is not deferred. */
static bool
is_crash(int sig)
{
	return sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE ||
	    sig == SIGILL || sig == SIGABRT || sig == SIGSYS || sig == SIGTRAP;
}

static void
on_signal(int sig)
{
	if (!is_crash(sig) && (hold || (sig == SIGUSR1 && usr1_waits))) {
		__atomic_fetch_or(&cmd_signals, cmd_signal_bit(sig),
		    __ATOMIC_RELAXED);
		return;
	}
	remove_tmps();
	/*
	 * Restore the default action only now: with SA_RESETHAND a second
	 * signal on another thread would end the process before the file is
	 * removed.
	 */
	signal(sig, SIG_DFL);
	raise(sig);
}

void
cmd_signals_handled(uint64_t set)
{
	__atomic_fetch_and(&cmd_signals, ~set, __ATOMIC_RELAXED);
}

void
cmd_exit_by_signal(int sig)
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

/* A library that calls exit() must not leave the temporary file either. */
static void
on_exit_remove(void)
{
	remove_tmps();
}

/* Whether the default of a signal is to be ignored, or to stop a process. */
static bool
ends_nothing(int sig)
{
	return sig == SIGCHLD || sig == SIGCONT || sig == SIGURG ||
	    sig == SIGWINCH || sig == SIGTSTP || sig == SIGTTIN ||
	    sig == SIGTTOU;
}

/*
 * Before the first temporary file, or the first signal that is deferred: until
 * then a signal may end the tool as it would without a handler.
 */
static void
catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal }, old;
	static bool done;
	int sig;

	if (done)
		return;
	done = true;
	sigemptyset(&sa.sa_mask);
	/* SIGKILL, SIGSTOP and those of the C library cannot be caught. */
	for (sig = 1; sig <= SIGRTMAX; sig++) {
		/*
		 * Signals ignored at the start (nohup) stay ignored, and a
		 * sanitizer keeps its handlers.
		 */
		if (!ends_nothing(sig) && sigaction(sig, NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL)
			sigaction(sig, &sa, NULL);
	}
	atexit(on_exit_remove);
}

bool
cmd_defer_signals(bool on)
{
	struct sigaction sa = { .sa_handler = on_signal,
		.sa_flags = SA_RESTART };
	bool was = hold;

	catch_signals();
	sigemptyset(&sa.sa_mask);
	usr1_waits = true;
	sigaction(SIGUSR1, &sa, NULL);
	hold = on;
	return was;
}

/*
 * If one of descriptors 0..2 is closed, the first file opened would get it, and
 * messages or data would be written to that file.  Each is opened on something
 * that fails like a closed descriptor.
 */
static void
open_standard_fds(void)
{
	int fd;

	for (fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd == 1 ? O_RDONLY : O_WRONLY) < 0)
			return;
}

/* messages, errors and progress of a tool */

/* The command of this process. */
static struct {
	const struct cmd_info *info;
	bool bar;  /* a progress bar is shown on stderr */
	bool mute; /* another rank prints the messages */
} self;

static void
clear_progress(void)
{
	if (self.bar)
		fputs("\r\033[K", stderr);
	self.bar = false;
}

/* Print one line, without control characters from a file. */
static void
print_line(const char *text, const char *hint)
{
	char line[2048];

	if (self.mute)
		return;
	snprintf(line, sizeof line, "%s: %s%s",
	    self.info ? self.info->name : "cscg", text, hint);
	cscg_printable(line);
	clear_progress();
	fprintf(stderr, "%s\n", line);
}

/*
 * A launcher ends all ranks when one fails, so no rank may exit before the
 * message is printed.
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
	print_line(text, " (try --help)");
	leave_together();
	exit(2);
}

static void
vsay(const char *fmt, va_list ap)
{
	char text[1024];

	vsnprintf(text, sizeof text, fmt, ap);
	print_line(text, "");
}

void
cmd_warn(const char *fmt, ...)
{
	va_list ap;

	if (cmd.quiet)
		return;
	va_start(ap, fmt);
	vsay(fmt, ap);
	va_end(ap);
}

void
cmd_verbose(const char *fmt, ...)
{
	va_list ap;

	if (cmd.quiet || !cmd.verbose)
		return;
	va_start(ap, fmt);
	vsay(fmt, ap);
	va_end(ap);
}

int
cmd_fail(const struct cscg_err *err)
{
	char limit[CSCG_MEM_TEXT], memory[64];
	const char *hint = cmd_suggest_remedy(err->hint);

	if (err->code == CSCG_ENOMEM && cscg_mem_limit() != SIZE_MAX &&
	    !*hint) {
		snprintf(memory, sizeof memory, " (--max-memory: %s)",
		    cscg_mem_text((double)cscg_mem_limit(), limit));
		hint = memory;
	}
	if (err->code == CSCG_EPIPE)
		cmd_exit_by_signal(SIGPIPE); /* as filters do */
	print_line(err->msg, hint);
	return cscg_err_status(err->code);
}

int
cmd_fail_in(const char *path, struct cscg_err *err)
{
	if (!strcmp(path, "-"))
		return cscg_fail_at(err, "standard input");
	return cscg_fail_at(err, "'%s'", path);
}

static bool
is_input_fault(const struct cscg_err *err)
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
cmd_fail_in_input(const char *path, struct cscg_err *err)
{
	return is_input_fault(err) ? cmd_fail_in(path, err) : -1;
}

/*
 * Only one of several processes prints messages: rank 0 by the environment,
 * since options are checked before MPI is initialised.
 */
static void
mute_ranks(void)
{
	int size;

	if (!(self.info->uses & CMD_USES_RANKS) || !cscg_ranks_launched(&size))
		return;
	self.mute = cscg_ranks_env_rank() > 0;
	if (!cscg_ranks_supported() && size > 1)
		cmd_warn("built without MPI: each of %d processes does the "
			 "whole work",
		    size);
}

void
cmd_progress(const char *what, double done, double total)
{
	static const char full[] = "##############################";
	static const char none[] = "..............................";
	static double start, last, before;
	static char task[64];
	static int tty = -1;
	double t, part = total > 0 ? done / total : 0;
	int n, eta;

	if (tty < 0)
		tty = isatty(STDERR_FILENO);
	if (cmd.quiet || self.mute || cmd.progress == 2 ||
	    (cmd.progress == 0 && !tty))
		return;
	t = cscg_clock();
	if (strncmp(task, what, sizeof task - 1) ||
	    (part <= 0 && before > 0)) {
		snprintf(task, sizeof task, "%s", what);
		start = t;
		last = 0;
	}
	before = part;
	if (t - last < .1)
		return;
	last = t;
	part = part < 0 ? 0 : part > 1 ? 1 : part;
	n = (int)(part * 30);
	eta = part > 0 && (t - start) * (1 - part) / part < 3.6e6 ?
	    (int)((t - start) * (1 - part) / part + .5) :
	    0;
	fprintf(stderr, "%s%s [%.*s%.*s] %3.0f %% %d:%02d left%s",
	    tty ? "\r" : "", task, n, full, 30 - n, none, 100 * part, eta / 60,
	    eta % 60, tty ? "\033[K" : "\n");
	self.bar = tty > 0;
}

/* outputs of a tool: its result, further files, --stats */

static struct {
	struct cscg_out *out, *stats;
	struct cscg_out *also[ALSO_MAX];
	int n_also;
} outs;

/*
 * Open the file with signals blocked, so that a handler always knows the name
 * of the temporary file: tmp[slot].
 */
static struct cscg_out *
open_out(const char *path, unsigned flags, int slot, struct cscg_err *err)
{
	struct cscg_out *out;
	sigset_t all, old;
	char *copy = NULL;

	/* Only rank 0 writes. */
	if (cscg_ranks_rank(cmd.ranks))
		return cscg_out_open("/dev/null", 0, err);
	if (path && strcmp(path, "-"))
		catch_signals();
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
	bool to_stdout = !cmd.out || !strcmp(cmd.out, "-");
	bool tty = to_stdout && isatty(STDOUT_FILENO);
	bool gzip = (self.info->uses & CMD_USES_GZIP) && !cmd.no_gzip;

	if (outs.out)
		return outs.out;
	if (cmd_check_overlap(err) < 0)
		return NULL;
	if (gzip && tty && !cmd.force && !cscg_ranks_rank(cmd.ranks)) {
		cscg_fail(err, CSCG_EUSAGE,
		    "refusing to write compressed data to a terminal (use -o "
		    "FILE, a pipe, --no-gzip or -f)");
		return NULL;
	}
	if (cmd.stats && !outs.stats && !cscg_ranks_rank(cmd.ranks)) {
		outs.stats = cscg_out_open(cmd.stats,
		    CSCG_OUT_LOG | CSCG_OUT_LIVE, err);
		if (!outs.stats)
			return NULL;
	}
	outs.out = open_out(cmd.out,
	    (gzip ? CSCG_OUT_GZIP : 0) | (cmd.live || tty ? CSCG_OUT_LIVE : 0),
	    0, err);
	return outs.out;
}

struct cscg_out *
cmd_out_also(const char *path, unsigned flags, struct cscg_err *err)
{
	struct cscg_out *out;

	if (outs.n_also == ALSO_MAX) {
		cscg_fail(err, CSCG_EBUG, "more than %d outputs", ALSO_MAX);
		return NULL;
	}
	if (cmd_check_overlap(err) < 0)
		return NULL;
	out = open_out(path, flags, outs.n_also + 1, err);
	if (out)
		outs.also[outs.n_also++] = out;
	return out;
}

int
cmd_stats(const struct cmd_stat *stat, int n, struct cscg_err *err)
{
	struct cscg_col cols[CMD_STATS_MAX];
	union cscg_cell row[CMD_STATS_MAX];
	const struct cscg_table table = { outs.stats, cols, n, true };
	int i;

	if (!outs.stats)
		return 0;
	for (i = 0; i < n; i++) {
		cols[i] = stat[i].col;
		row[i] = stat[i].cell;
		if (cols[i].type == CSCG_COL_DOUBLE && !isfinite(row[i].d))
			row[i].d = NAN;
	}
	return cscg_table_write_row(&table, row, err);
}

static void
abort_all(void)
{
	int i;

	for (i = 0; i < ALSO_MAX; i++) {
		cscg_out_abort(outs.also[i]);
		outs.also[i] = NULL;
	}
	cscg_out_abort(outs.stats);
	cscg_out_abort(outs.out);
	outs.stats = outs.out = NULL;
}

static int
close_one(struct cscg_out **at, struct cscg_err *err)
{
	struct cscg_out *out = *at;

	*at = NULL;
	return out ? cscg_out_close(out, err) : 0;
}

int
cmd_out_close_also(struct cscg_out *out, struct cscg_err *err)
{
	int i;

	for (i = 0; i < outs.n_also; i++)
		if (outs.also[i] == out)
			return close_one(&outs.also[i], err);
	return 0;
}

/*
 * Close the logs first: if one is incomplete, the result must not be complete.
 */
static int
close_all(struct cscg_err *err)
{
	int i, rc = close_one(&outs.stats, err);

	for (i = 0; i < outs.n_also && rc == 0; i++)
		rc = close_one(&outs.also[i], err);
	if (rc == 0)
		rc = close_one(&outs.out, err);
	if (rc < 0)
		abort_all();
	return rc;
}

/*
 * the command line in the history
 *
 * An entry has each option of the tool that is not at its default, so that the
 * call can be repeated.  File names have no meaning on other machines: the
 * entry records that a file was given, and the file has its own history.
 */

typedef const char *pair[2]; /* an argument: name and value */

void
cmd_history_arg(const char *name, const char *value)
{
	struct cmd_rows *rows = cmd_opt_rows();

	if (rows->n_extra == CMD_ROWS_MAX)
		abort();
	rows->extra[rows->n_extra][0] = name;
	rows->extra[rows->n_extra++][1] = value;
}

static bool
told_otherwise(const struct cmd_rows *rows, const char *word)
{
	int i;

	for (i = 0; i < rows->n_extra; i++)
		if (!strcmp(rows->extra[i][0], word))
			return true;
	return false;
}

/* An empty string differs from a missing one. */
static bool
is_default(const struct cmd_rows *rows, int i, const char *text)
{
	const struct cmd_opt *o = rows->row[i];
	char was[64];

	if (o->type == CMD_T_STRING)
		return !cmd_value_of(o).s ||
		    (rows->was[i].s && !strcmp(text, rows->was[i].s));
	return !strcmp(text, cmd_value_text(o, rows->was[i], was, sizeof was));
}

/* Append the arguments of row i to args; text holds a number. */
static int
add_row(const struct cmd_rows *rows, int i, char text[64], pair *args)
{
	const struct cmd_opt *o = rows->row[i];
	const struct cmd_list *list = o->var;
	int k;

	if ((o->flags & CMD_NOT_IN_HISTORY) || o->type == CMD_T_TITLE ||
	    told_otherwise(rows, o->word))
		return 0;
	args[0][0] = o->word;
	if ((o->flags & CMD_NAMES_FILE) &&
	    !(o->type == CMD_T_STRING && rows->given[i] &&
		cmd_value_is_word(o, cmd_value_of(o).s))) {
		args[0][1] = "given";
		return rows->given[i];
	}
	if (o->type == CMD_T_LIST) {
		for (k = 0; k < list->n; k++) {
			args[k][0] = o->word;
			args[k][1] = list->v[k];
		}
		return list->n;
	}
	args[0][1] = cmd_value_text(o, cmd_value_of(o), text, 64);
	return !is_default(rows, i, args[0][1]);
}

/* The largest possible number of arguments. */
static size_t
count(const struct cmd_rows *rows)
{
	size_t n = (size_t)rows->n_extra + (size_t)rows->n_own;
	int i;

	for (i = 0; i < rows->n_own; i++)
		if (rows->row[i]->type == CMD_T_LIST)
			n += (size_t)((struct cmd_list *)rows->row[i]->var)->n;
	return n;
}

int
cmd_history(struct cscg_history *h, struct cscg_err *err)
{
	const struct cmd_rows *rows = cmd_opt_rows();
	char text[CMD_ROWS_MAX][64];
	pair *args = cscg_alloc(count(rows), sizeof *args, err);
	int i, n = 0, rc;

	if (!args)
		return -1;
	for (i = 0; i < rows->n_extra; i++, n++) {
		args[n][0] = rows->extra[i][0];
		args[n][1] = rows->extra[i][1];
	}
	for (i = 0; i < rows->n_own; i++)
		n += add_row(rows, i, text[i], args + n);
	rc = cscg_history_add(h, rows->info->name, CSCG_VERSION,
	    (const char *const(*)[2])args, n,
	    rows->info->uses & CMD_USES_SEED ? cmd.seed : -1, err);
	free(args);
	return rc;
}

/* the walks of -w, for tools that read them as streams */

int
cmd_walks_check(struct cscg_err *err)
{
	struct cscg_walk_reader *r;
	struct stat st;
	int i;

	/* The first walk is opened next: alone, it needs no check. */
	for (i = 0; i < cmd.walks.n && cmd.walks.n > 1; i++) {
		/* A missing file is reported by the reader. */
		if (stat(cmd.walks.v[i], &st) == 0 && !S_ISREG(st.st_mode))
			continue;
		if (!strcmp(cmd.walks.v[i], "-"))
			continue;
		r = cscg_walk_reader_open(cmd.walks.v[i], err);
		if (!r)
			return -1;
		cscg_walk_reader_close(r);
	}
	return 0;
}

int
cmd_fail_in_walks(struct cscg_err *err)
{
	if (cmd.walks.n < 2)
		return cmd_fail_in_input(cmd.walks.n ? cmd.walks.v[0] : "-",
		    err);
	return is_input_fault(err) ? cscg_fail_at(err, "'%s' and %d more",
					 cmd.walks.v[0], cmd.walks.n - 1) :
				     -1;
}

/* start and end */

enum { LARGE_PAGE = 2 << 20 };

static long
env_number(const char *name)
{
	const char *s = getenv(name);
	long n = s ? strtol(s, NULL, 10) : 0; /* "4,2": nested; take 4 */

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

static void
report_shortage(int wanted, int got)
{
	(cmd_given(&cmd.threads) ? cmd_warn : cmd_verbose)(
	    "runs on %d thread%s, not %d: no more can be created (ulimit -u, "
	    "ulimit -v); the result is the same",
	    got, got == 1 ? "" : "s", wanted);
}

static bool
is_dash(const char *path)
{
	return path && !strcmp(path, "-");
}

static void
check(char **operand, int n)
{
	const struct cmd_info *info = self.info;
	int i, dashes = 0;

	if (n < info->min)
		cmd_usage("too few operands, expected: %s", info->operands);
	if (info->max >= 0 && n > info->max)
		cmd_usage("unexpected operand '%s'%s", operand[info->max],
		    info->uses & CMD_USES_WALKS ? "; a walk goes after -w" :
						  "");
	for (i = 0; i < n; i++)
		dashes += is_dash(operand[i]);
	cmd_check_stdin(dashes);
	if (is_dash(cmd.stats) && (!cmd.out || is_dash(cmd.out)))
		cmd_usage("--stats: standard output is taken by the result");
}

void
cmd_check_schemas(char **paths, int more)
{
	int i, j;

	for (i = 0; paths[i]; i++) {
		more += is_dash(cscg_schemas_file(paths[i]));
		for (j = 0; j < i; j++)
			if (!strcmp(cscg_schemas_file(paths[i]),
				cscg_schemas_file(paths[j])))
				cmd_usage("'%s' is given twice",
				    cscg_schemas_file(paths[i]));
	}
	cmd_check_stdin(more);
}

/*
 * The C library maps blocks of 128 KB and more one by one and unmaps them when
 * they are freed, so that each new one has page faults again, until it has seen
 * a larger one freed.  Show it one, which is never touched.
 */
static void
reuse_freed_memory(void)
{
	void *volatile block = malloc(LARGE_PAGE);

	free(block);
}

static void *skipped; /* the heap before the large page */

/*
 * Let the heap continue at the start of a large page, which has one page fault
 * instead of 512; the bytes before it are never touched.  A block is 16 bytes
 * behind the end of the one before, which has 8 bytes besides those requested;
 * where this is different, another malloc() is in use.  After
 * reuse_freed_memory() a block of that size comes from the heap.
 */
static void
use_large_page(void)
{
	void *volatile block = malloc(LARGE_PAGE / 2);
	uintptr_t top = (uintptr_t)block;
	uintptr_t page = (top + 32 + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;

	free(block);
	skipped = malloc(page - top - 8);
	block = malloc(LARGE_PAGE + 16);
	if ((uintptr_t)block == page)
		madvise(block, LARGE_PAGE, MADV_HUGEPAGE); /* a hint */
	free(block);
}

char **
cmd_begin(const struct cmd_info *info, int argc, char **argv, int *n)
{
	int count;

	open_standard_fds();
	/* Both are reported as errors of write(). */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	self.info = info;
	mute_ranks();
	count = cmd_opt_parse(info, argc, argv);
	check(argv + 1, count);
	reuse_freed_memory();
	use_large_page();
	default_threads();
	cscg_parallel_on_shortage(report_shortage);
	cmd_memory();
	if (n)
		*n = count;
	return argv + 1;
}

int
cmd_end(int rc, struct cscg_err *err)
{
	char *old;
	int status, i;

	clear_progress();
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
	free(skipped);
	/* The state of the output determines the exit status. */
	cscg_ranks_bcast_idle(cmd.ranks, &status, sizeof status);
	cscg_ranks_free(cmd.ranks);
	cmd.ranks = NULL;
	return status;
}
