/* cmd_say.c - what a tool says: messages, blame, progress */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd_own.h"
#include "base/mem.h"

struct cmd_self cmd_self;

void
cmd_clear_bar(void)
{
	if (cmd_self.bar)
		fputs("\r\033[K", stderr);
	cmd_self.bar = false;
}

/* Always one line: whatever a file smuggled into a message becomes '?'. */
static void
say_line(const char *text, const char *hint)
{
	char line[2048];
	size_t i;

	if (cmd_self.mute)
		return;
	snprintf(line, sizeof line, "%s: %s%s",
	    cmd_self.info ? cmd_self.info->name : "cscg", text, hint);
	for (i = 0; line[i]; i++)
		if (iscntrl((unsigned char)line[i]))
			line[i] = '?';
	cmd_clear_bar();
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

	if (!cmd.ranks && cmd_self.info && (cmd_self.info->uses & CMD_USES_RANKS))
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

static void
vsay(const char *fmt, va_list ap)
{
	char text[1024];

	vsnprintf(text, sizeof text, fmt, ap);
	say_line(text, "");
}

void
cmd_say(const char *fmt, ...)
{
	va_list ap;

	if (cmd.quiet)
		return;
	va_start(ap, fmt);
	vsay(fmt, ap);
	va_end(ap);
}

void
cmd_talk(const char *fmt, ...)
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
	char limit[CSCG_MEM_TEXT], hint[64] = "";

	if (err->code == CSCG_ENOMEM && cscg_mem_limit() != SIZE_MAX &&
	    !strstr(err->msg, "--max-memory"))
		snprintf(hint, sizeof hint, " (--max-memory: %s)",
		    cscg_mem_text((double)cscg_mem_limit(), limit));
	if (err->code == CSCG_EPIPE)
		cmd_die_of_pipe();
	else
		say_line(err->msg, hint);
	return cscg_err_status(err->code);
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

/*
 * One of several processes says what all have to say: the first, as the
 * environment numbers them, since options are judged before MPI begins.
 */
void
cmd_find_voice(void)
{
	int size;

	if (!(cmd_self.info->uses & CMD_USES_RANKS) || !cscg_ranks_launched(&size))
		return;
	cmd_self.mute = cscg_ranks_env_rank() > 0;
	if (!cscg_ranks_supported() && size > 1)
		cmd_say("built without MPI: each of %d processes does the "
		    "whole work", size);
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

	if (cmd.quiet || cmd_self.mute || cmd.progress == 2 ||
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
	cmd_self.bar = tty;
}
