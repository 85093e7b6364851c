/*
 * tool.h - shared by all tools: start, messages, outputs, signals, history, end
 */
#ifndef CMD_TOOL_H
#define CMD_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "options.h"
#include "dist/ranks.h"
#include "io/history.h"
#include "io/stream.h"

/*
 * Signals that were held back, as bits.  While on, those that would end the
 * process only set their bit, and so does SIGUSR1 from the first call on.
 * Returns what was; does not look at what is held.
 */
extern volatile uint64_t cmd_signals;
bool cmd_defer_signals(bool on);
void cmd_signals_handled(uint64_t set);
/* End by a signal, with nothing left behind. */
void cmd_exit_by_signal(int sig) __attribute__((noreturn));

/*
 * Parse the options; -h and -V answer and exit.  A fault prints one line and
 * exits with 2.  At most one of the operands and -w files may be "-".  Opens
 * nothing.  Returns the operands, NULL-terminated, and their number in *n (may
 * be NULL).
 */
char **cmd_begin(const struct cmd_info *info, int argc, char **argv, int *n);

/* Was the option that sets this variable given? */
bool cmd_given(const void *var);

/* "tool: message" and the hint at --help; exits with 2. */
void cmd_usage(const char *fmt, ...)
    __attribute__((noreturn, format(printf, 1, 2)));

/*
 * Open the output named by -o (or stdout), once; NULL with err filled.  Tools
 * call it after their options are checked and before they read input, so that
 * an unwritable -o costs nothing.  cmd_end() closes it.  Gzip if the tool uses
 * it, unless cmd.no_gzip is set (a tool about to write text sets it first);
 * gzip to a terminal is refused here (CSCG_EUSAGE).
 */
struct cscg_out *cmd_out(struct cscg_err *err);

/*
 * Open a further output, such as a log, with the flags of cscg_out_open().
 * cmd_end() closes it before the output of cmd_out(), or gives it up.
 */
struct cscg_out *cmd_out_also(const char *path, unsigned flags,
    struct cscg_err *err);

/* One JSON line to --stats FILE, if asked for; cmd_out() opens it. */
int cmd_stats(struct cscg_err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A number for such a line, in buf: null if it is none. */
const char *cmd_real(char *buf, size_t n, double v);

/* "tool: message" on stderr unless -q; only with -v. */
void cmd_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cmd_verbose(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A bar with ETA on a terminal (or with --progress=always). */
void cmd_progress(const char *what, double done, double total);

/*
 * Append this command to a history, with the options of its own that are not
 * at their default, and the seed if it uses one.
 */
int cmd_history(struct cscg_history *h, struct cscg_err *err);

/*
 * Say something more in the history than the options do, such as an operand
 * that is no file: pass that operand itself, so that it is known for none.
 * Both strings are borrowed until cmd_history().
 */
void cmd_history_arg(const char *name, const char *value);

/*
 * Operands are schemas ([NAME=]FILE): none twice, and standard input once, where
 * other options have taken it so many times.
 */
void cmd_check_schemas(char **paths, int dashes);

/*
 * Prepend the name of a file to a fault that does not know it; returns -1.
 * cmd_fail_in_input() does so unless the machine is at fault.
 */
int cmd_fail_in(const char *path, struct cscg_err *err);
int cmd_fail_in_input(const char *path, struct cscg_err *err);
/* Is it a fault of what was read, and not of the machine? */
bool cmd_is_input_fault(const struct cscg_err *err);

/*
 * End: rc > 0 done, 0 the answer is no, < 0 err says why.  Closes the output
 * (rc >= 0) or gives it up (rc < 0), prints at most one line, and returns the
 * exit status.  If our reader has gone, dies by SIGPIPE.
 */
int cmd_end(int rc, struct cscg_err *err);

/* Between the shared sources of cmd/; no tool needs these. */

enum { CMD_ALSO_MAX = 3 }; /* outputs of a tool besides its result */

/* The one command this process is. */
struct cmd_self {
	const struct cmd_info *info;
	bool bar;  /* a progress bar stands on stderr */
	bool mute; /* another rank speaks for us */
};
extern struct cmd_self cmd_self;

/* What a signal must remove: copies that outlive the streams. */
extern char *volatile cmd_tmp[CMD_ALSO_MAX + 1];

/* How the process starts and is ended. */
void cmd_open_standard_fds(void);
void cmd_catch_signals(void);
void cmd_exit_by_sigpipe(void);

/* All ranks but the first are silent. */
void cmd_mute_ranks(void);
void cmd_clear_progress(void);

/* Outputs, whole or not at all. */
void cmd_abort_all(void);
int cmd_close_all(struct cscg_err *err);

/* The walks of -w, for tools that read them as a stream. */

/*
 * Is each file of -w there, and does it begin as a walk?  For those who write
 * before they have read all.  Pipes can be read once and are left alone.  0, or
 * -1 with err filled.
 */
int cmd_walks_check(struct cscg_err *err);

/*
 * Prepend the name of the walks to a fault of theirs, unless the machine is at
 * fault; returns -1.
 */
int cmd_fail_in_walks(struct cscg_err *err);

#endif
