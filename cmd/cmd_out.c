/* cmd_out.c - what a tool writes: its result, files beside it, --stats */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd_own.h"

static struct {
	struct cscg_out *out, *stats;
	struct cscg_out *also[CMD_ALSO_MAX];
	int n_also;
} outs;

/*
 * Open the file so that no signal finds a temporary we do not know of: its
 * name goes to cmd_tmp[slot].
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
		cmd_tmp[slot] = copy;
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	return out;
}

struct cscg_out *
cmd_out(struct cscg_err *err)
{
	bool to_stdout = !cmd.out || !strcmp(cmd.out, "-");
	bool tty = to_stdout && isatty(STDOUT_FILENO);
	bool gzip = (cmd_self.info->uses & CMD_USES_GZIP) && !cmd.no_gzip;

	if (outs.out)
		return outs.out;
	if (cmd_clash(err) < 0)
		return NULL;
	if (gzip && tty && !cmd.force && !cscg_ranks_rank(cmd.ranks)) {
		cscg_fail(err, CSCG_EUSAGE, "refusing to write compressed data "
		    "to a terminal (use -o FILE, a pipe, --no-gzip or -f)");
		return NULL;
	}
	if (cmd.stats && !outs.stats && !cscg_ranks_rank(cmd.ranks)) {
		outs.stats = cscg_out_open(cmd.stats, CSCG_OUT_LOG |
		    CSCG_OUT_LIVE, err);
		if (!outs.stats)
			return NULL;
	}
	outs.out = open_out(cmd.out, (gzip ? CSCG_OUT_GZIP : 0) |
	    (cmd.live || tty ? CSCG_OUT_LIVE : 0), 0, err);
	return outs.out;
}

struct cscg_out *
cmd_out_also(const char *path, unsigned flags, struct cscg_err *err)
{
	struct cscg_out *out;

	if (outs.n_also == CMD_ALSO_MAX) {
		cscg_fail(err, CSCG_EBUG, "more than %d outputs", CMD_ALSO_MAX);
		return NULL;
	}
	if (cmd_clash(err) < 0)
		return NULL;
	out = open_out(path, flags, outs.n_also + 1, err);
	if (out)
		outs.also[outs.n_also++] = out;
	return out;
}

int
cmd_stats(struct cscg_err *err, const char *fmt, ...)
{
	char line[4096];
	va_list ap;
	int n;

	if (!outs.stats)
		return 0;
	va_start(ap, fmt);
	n = vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof line)
		return cscg_fail(err, CSCG_EBUG, "a line of --stats is too "
		    "long");
	/* Callers may end the line or leave it to us. */
	if (cscg_out_printf(outs.stats, err, "%s%s", line,
	    n && line[n - 1] == '\n' ? "" : "\n") < 0)
		return -1;
	return cscg_out_flush(outs.stats, err);
}

void
cmd_abort_all(void)
{
	int i;

	for (i = 0; i < CMD_ALSO_MAX; i++) {
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

/* The logs first: if one is not whole, the result must not look finished. */
int
cmd_close_all(struct cscg_err *err)
{
	int i, rc = close_one(&outs.stats, err);

	for (i = 0; i < outs.n_also && rc == 0; i++)
		rc = close_one(&outs.also[i], err);
	if (rc == 0)
		rc = close_one(&outs.out, err);
	if (rc < 0)
		cmd_abort_all();
	return rc;
}
