/* jobs.c - a tool as a batch job: MPI ranks and checkpoints */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "options.h"
#include "jobs.h"

/*
 * --max-memory: the memory limit of this process
 *
 * The limit is stored in the resource limits of the process, so that the
 * library can query it without static data.  RLIMIT_RSS (ulimit -m) holds the
 * exact value; Linux does not enforce it, lib/base/mem.c checks it before it
 * allocates.  RLIMIT_DATA is a second limit that malloc() cannot exceed, larger
 * by thread stacks and the buffers of libraries.
 */

/* Sanitizers map terabytes of shadow memory, which RLIMIT_DATA would count. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SHADOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define SHADOW 1
#endif
#endif
#ifndef SHADOW
#define SHADOW 0
#endif

static const double least = 1 << 20, most = 1e18,
		    slack = 16 << 20, /* libraries and their buffers */
    stack = 2 << 20, /* of a thread, if ulimit -s is unlimited */
    share = .8;      /* share of the memory of the machine, by default */

static struct {
	bool known;
	struct rlimit rss, data; /* limits at the start of the process */
} before;

/*
 * The text of a small file of the kernel, empty if it cannot be read.  Without
 * stdio, since every tool waits for this at its start.
 */
static char *
kernel_text(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : pread(fd, buf, size - 1, 0);

	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return buf;
}

/* The number in a file, or 0: no file, "max". */
static double
file_number(const char *path)
{
	char text[64];

	return strtod(kernel_text(path, text, sizeof text), NULL);
}

/* The lowest limit of a control group and its ancestors; 0: no limit. */
static double
group_limit(const char *mount, char *group, const char *file)
{
	char path[4400], *cut;
	double v, low = 0;

	for (;;) {
		snprintf(path, sizeof path, "%s%s/%s", mount, group, file);
		v = file_number(path);
		if (v > 0 && (low <= 0 || v < low))
			low = v;
		cut = strrchr(group, '/');
		if (!cut)
			return low;
		*cut = '\0';
	}
}

/* The memory limit of a batch system or container; 0: no limit. */
static double
groups_limit(void)
{
	char text[4096], *line, *next, *group;
	double v, low = 0;

	kernel_text("/proc/self/cgroup", text, sizeof text);
	for (line = text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		v = 0;
		if (!strncmp(line, "0::", 3))
			v = group_limit("/sys/fs/cgroup", line + 3,
			    "memory.max");
		else if ((group = strstr(line, ":memory:")))
			v = group_limit("/sys/fs/cgroup/memory", group + 8,
			    "memory.limit_in_bytes");
		if (v > 0 && (low <= 0 || v < low))
			low = v;
	}
	return low;
}

static double
default_limit(void)
{
	double all = (double)sysconf(_SC_PHYS_PAGES) *
	    (double)sysconf(_SC_PAGESIZE),
	       group = groups_limit();

	if (group > 0 && group < all)
		all = group;
	return all > 0 ? share * all : 0;
}

static double
memory_size(const char *s)
{
	static const char units[] = "KMGT";
	size_t n = strspn(s, "0123456789.");
	const char *unit = s[n] ? strchr(units, s[n]) : units;
	char *end;
	double v = strtod(s, &end);
	int i;

	if (!strcmp(s, "none"))
		return 0;
	if (!n || end != s + n || !unit || (s[n] && s[n + 1]))
		cmd_usage("--max-memory: '%s' is not a size such as 500M or "
			  "4G, or none",
		    s);
	for (i = 0; s[n] && i <= unit - units; i++)
		v *= 1024;
	if (v > most)
		cmd_usage("--max-memory: %s is too large", s);
	if (v != 0 && v < least)
		cmd_usage("--max-memory: %s is outside 1M and up", s);
	return v;
}

/*
 * Set the soft limit only, so that it can be restored; never above the hard
 * limit.
 */
static void
set_limit(int what, struct rlimit now, double v)
{
	rlim_t wanted = v > 0 ? (rlim_t)v : RLIM_INFINITY;

	now.rlim_cur = wanted < now.rlim_max ? wanted : now.rlim_max;
	setrlimit(what, &now);
}

/* Restore the original limits for a program that is started. */
static void
restore_limits(void)
{
	setrlimit(RLIMIT_RSS, &before.rss);
	setrlimit(RLIMIT_DATA, &before.data);
}

void
cmd_memory(void)
{
	struct rlimit st;
	double v = cmd.max_memory ? memory_size(cmd.max_memory) :
				    default_limit(),
	       each = stack;
	bool some;

	if (!before.known) {
		if (getrlimit(RLIMIT_RSS, &before.rss) < 0 ||
		    getrlimit(RLIMIT_DATA, &before.data) < 0)
			return;
		pthread_atfork(NULL, NULL, restore_limits);
		before.known = true;
	}
	/* ulimit -m is equivalent to the option, which takes precedence. */
	if (!cmd.max_memory && before.rss.rlim_cur != RLIM_INFINITY)
		v = (double)before.rss.rlim_cur;
	set_limit(RLIMIT_RSS, before.rss, v);
	/* Thread stacks of a non-default size would not be counted. */
	some = v > 0 && !getenv("OMP_STACKSIZE") && !getenv("GOMP_STACKSIZE");
	if (getrlimit(RLIMIT_STACK, &st) == 0 && st.rlim_cur != RLIM_INFINITY)
		each = (double)st.rlim_cur;
	v += slack + each * (double)cmd.threads;
	/* A lower limit set by the user stays. */
	if (!SHADOW && some && v < (double)before.data.rlim_cur)
		set_limit(RLIMIT_DATA, before.data, v);
	else
		setrlimit(RLIMIT_DATA, &before.data);
}

/* a tool as one of several ranks, started by srun or mpirun */

void
cmd_ranks(void)
{
	struct cscg_err err = { 0 };

	if (cmd.ranks)
		return;
	cmd.ranks = cscg_ranks_new(&err);
	if (!cmd.ranks)
		exit(cmd_fail(&err));
}

bool
cmd_is_first(void)
{
	return cscg_ranks_rank(cmd.ranks) == 0;
}

int
cmd_agree(int rc, struct cscg_err *err)
{
	return cscg_ranks_agree(cmd.ranks, rc, 0, err);
}

/* Unchanged, compressed or not. */
static int
read_stdin(struct cscg_blob *b, struct cscg_err *err)
{
	enum { CHUNK = 1 << 16 };
	ssize_t n;

	do {
		if (cscg_grow(&b->p, &b->cap, b->n + CHUNK, 1, err) < 0)
			return -1;
		n = read(STDIN_FILENO, b->p + b->n, CHUNK);
		if (n > 0)
			b->n += (size_t)n;
		else if (n < 0 && errno != EINTR)
			return cscg_fail(err, CSCG_EREAD, "standard input: %s",
			    strerror(errno));
	} while (n);
	return 0;
}

/* Use an unnamed file with these bytes as standard input. */
static int
put_stdin(const struct cscg_blob *b, struct cscg_err *err)
{
	int fd = memfd_create("stdin", MFD_CLOEXEC);
	size_t done = 0;
	ssize_t n = 0;

	while (fd >= 0 && done < b->n && n >= 0) {
		n = write(fd, b->p + done, b->n - done);
		done += n > 0 ? (size_t)n : 0;
	}
	if (fd < 0 || n < 0 || lseek(fd, 0, SEEK_SET) < 0 ||
	    dup2(fd, STDIN_FILENO) < 0) {
		cscg_fail(err, CSCG_EIO, "standard input for all ranks: %s",
		    strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	close(fd);
	return 0;
}

int
cmd_share_stdin(struct cscg_err *err)
{
	struct cscg_blob b = { 0 };
	int rc;

	if (cscg_ranks_size(cmd.ranks) == 1)
		return 0;
	rc = cmd_agree(cmd_is_first() ? read_stdin(&b, err) : 0, err);
	if (rc == 0)
		rc = cscg_ranks_bcast_blob(cmd.ranks, &b, err);
	if (rc == 0)
		rc = cmd_agree(put_stdin(&b, err), err);
	cscg_blob_free(&b);
	return rc;
}

/* --checkpoint, --checkpoint-every and --resume */

void
cmd_checkpoint_check(const struct cmd_checkpoint *k)
{
	if (!k->file)
		CMD_REFUSE("requires --checkpoint", &k->resume, &k->every);
	if (k->file && !strcmp(k->file, "-"))
		cmd_usage("--checkpoint requires a separate file");
}

/* Signals received by this process or, at the last E-step, by another rank. */
static uint64_t
signals(const struct cmd_checkpoint *k)
{
	return cmd_signals |
	    (k->estep_ranks ? cscg_estep_ranks_signals(k->estep_ranks) : 0);
}

static bool
asked(void *ctx)
{
	return signals(ctx) != 0;
}

/* The lowest pending signal that ends the process, or 0; not SIGUSR1. */
static int
ending_signal(uint64_t set)
{
	int sig;

	for (sig = 1; sig <= 64; sig++)
		if (sig != SIGUSR1 && (set & cmd_signal_bit(sig)))
			return sig;
	return 0;
}

static void
hold(void *ctx, bool on)
{
	struct cmd_checkpoint *k = ctx;

	cmd_defer_signals(on);
	if (!on && ending_signal(signals(k))) {
		if (k->estep_ranks)
			cscg_estep_ranks_stop(k->estep_ranks,
			    ending_signal(signals(k)));
		cmd_exit_by_signal(ending_signal(signals(k)));
	}
}

static int
write_it(void *ctx, struct cscg_err *err)
{
	struct cmd_checkpoint *k = ctx;
	bool held = cmd_defer_signals(true);
	int rc = cscg_checkpoint_write(k->c, k->file, err);

	if (rc < 0)
		return cscg_fail_at(err, "--checkpoint");
	if (asked(k))
		cmd_verbose("checkpoint written");
	if (ending_signal(signals(k)))
		held = false;
	cmd_signals_handled(cmd_signal_bit(SIGUSR1));
	if (k->estep_ranks)
		cscg_estep_ranks_clear_signals(k->estep_ranks,
		    cmd_signal_bit(SIGUSR1));
	hold(k, held);
	return 0;
}

/* The options that determine the result, as text of a history. */
static char *
options_text(struct cscg_err *err)
{
	struct cscg_history h = { 0 };
	char *text = NULL;

	if (cmd_history(&h, err) == 0) {
		text = h.entry[0];
		h.entry[0] = NULL;
	}
	cscg_history_free(&h);
	return text;
}

int
cmd_checkpoint_open(struct cmd_checkpoint *k, uint64_t input,
    struct cscg_estep_ranks *estep_ranks, struct cscg_err *err)
{
	struct cscg_checkpoint_options set = { .input = input,
		.every = k->every,
		.requested = asked,
		.write = write_it,
		.hold = hold,
		.ctx = k };
	char *options;
	int rc;

	if (!k->file)
		return 0;
	options = options_text(err);
	if (!options)
		return -1;
	k->estep_ranks = estep_ranks;
	set.options = options;
	k->c = cscg_checkpoint_new(&set, err);
	free(options);
	if (!k->c)
		return -1;
	rc = k->resume ? cscg_checkpoint_read(k->c, k->file, err) : 0;
	if (rc < 0)
		return -1;
	if (k->resume)
		cmd_verbose(rc ?
			"resumed" :
			"no checkpoint yet: starting from the beginning");
	return 0;
}

void
cmd_checkpoint_close(struct cmd_checkpoint *k)
{
	if (k->c)
		hold(k, false);
	cscg_checkpoint_free(k->c);
	k->c = NULL;
}
