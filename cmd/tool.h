/*
 * tool.h - shared by all tools: start, messages, outputs, signals, history,
 * end
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
#include "io/table.h"

/*
 * Deferred signals, as bits.  While on, signals that would end the process
 * only set their bit, and so does SIGUSR1 from the first call on.  A signal of
 * a crash is not deferred.  Returns the previous setting; does not handle
 * signals deferred so far.
 */
extern volatile uint64_t cmd_signals;
static inline uint64_t
cmd_signal_bit(int sig)
{
	return (uint64_t)1 << sig % 64; /* signals are 1..64 */
}
bool cmd_defer_signals(bool on);
void cmd_signals_handled(uint64_t set);
/* End by a signal, after temporary files are removed. */
void cmd_exit_by_signal(int sig) __attribute__((noreturn));

/*
 * Parse the options; -h and -V print and exit.  An error prints one line and
 * exits with 2.  At most one of the operands and input files may be "-".  Opens
 * nothing.  Returns the operands, NULL-terminated, and their number in *n (may
 * be NULL).
 */
char **cmd_begin(const struct cmd_info *info, int argc, char **argv, int *n);

/* Whether the option that sets this variable was given. */
bool cmd_given(const void *var);

/*
 * Refuse the options that set these variables, the last of which is NULL, if
 * one was given: "--word why"; exits with 2.
 */
void cmd_refuse(const char *why, const void *const *vars);
#define CMD_REFUSE(why, ...) \
	cmd_refuse((why), (const void *const[]){ __VA_ARGS__, NULL })

/*
 * How many inputs named by options, -w included, are standard input; exit with 2
 * if these and more, such as operands or what is read by default, are several.
 */
int cmd_n_stdin(void);
void cmd_check_stdin(int more);

/* "tool: message" and the hint at --help; exits with 2. */
void cmd_usage(const char *fmt, ...)
    __attribute__((noreturn, format(printf, 1, 2)));

/*
 * Open the output named by -o (or stdout), once; NULL with err filled.  Tools
 * call it after their options are checked and before they read input, so that
 * an unwritable -o fails before any work.  cmd_end() closes it.  Gzip if the
 * tool uses it, unless cmd.no_gzip is set (a tool about to write text sets it
 * first); gzip to a terminal is refused here (CSCG_EUSAGE).
 */
struct cscg_out *cmd_out(struct cscg_err *err);

/*
 * Open a further output, such as a log, with the flags of cscg_out_open().
 * cmd_end() closes it before the output of cmd_out(), or discards it.
 */
struct cscg_out *cmd_out_also(const char *path, unsigned flags,
    struct cscg_err *err);

/*
 * Close an output of cmd_out_also() before the tool ends with an error, which
 * otherwise discards it.
 */
int cmd_out_close_also(struct cscg_out *out, struct cscg_err *err);

/*
 * One JSON line of n <= CMD_STATS_MAX values to --stats FILE, if given; cmd_out()
 * opens it.  A real number that is not finite is null.
 */
struct cmd_stat {
	struct cscg_col col;
	union cscg_cell cell;
};
/* clang-format off */
#define CMD_STAT_TEXT(name, v) { { name, CSCG_COL_STRING, 0 }, { .s = (v) } }
#define CMD_STAT_LONG(name, v) { { name, CSCG_COL_LONG, 0 }, { .l = (v) } }
#define CMD_STAT_REAL(name, v) { { name, CSCG_COL_DOUBLE, 17 }, { .d = (v) } }
#define CMD_STAT_BOOL(name, v) { { name, CSCG_COL_BOOL, 0 }, { .l = (v) } }
/* clang-format on */
enum { CMD_STATS_MAX = 16 };
int cmd_stats(const struct cmd_stat *stat, int n, struct cscg_err *err);
#define CMD_STATS(stats, err) \
	cmd_stats((stats), (int)(sizeof(stats) / sizeof *(stats)), (err))

/* "tool: message" on stderr unless -q; only with -v. */
void cmd_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cmd_verbose(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A bar with ETA on a terminal (or with --progress=always). */
void cmd_progress(const char *what, double done, double total);

/*
 * Append this command to a history, with the tool's options that are not at
 * their default, and the seed if the tool uses one.
 */
int cmd_history(struct cscg_history *h, struct cscg_err *err);

/*
 * Add an argument to the history besides the options, such as an operand that
 * is not a file: pass the pointer of that operand itself, so that it is not
 * recorded as a file.  Both strings are borrowed until cmd_history().
 */
void cmd_history_arg(const char *name, const char *value);

/*
 * Check operands that are schemas ([NAME=]FILE): no file twice, and
 * cmd_check_stdin(), with more besides the schemas.
 */
void cmd_check_schemas(char **paths, int more);

/*
 * Prepend the name of a file to an error without one; returns -1.
 * cmd_fail_in_input() does so for errors of the input, not of the system.
 */
int cmd_fail_in(const char *path, struct cscg_err *err);
int cmd_fail_in_input(const char *path, struct cscg_err *err);

/*
 * End: rc > 0: done; 0: the answer is no; < 0: failed, with err filled.
 * Closes the output (rc >= 0) or discards it (rc < 0), prints at most one
 * line, and returns the exit status.  If the reader of the output has closed
 * it, ends by SIGPIPE.
 */
int cmd_end(int rc, struct cscg_err *err);

/* The walks of -w, for tools that read them as a stream. */

/*
 * Check that each file of -w exists and begins with the header of a walk, for
 * tools that write before all input is read.  Pipes can be read only once and
 * are not checked.  0, or -1 with err filled.
 */
int cmd_walks_check(struct cscg_err *err);

/*
 * Prepend the names of the walks to an error of the input, not of the system;
 * returns -1.
 */
int cmd_fail_in_walks(struct cscg_err *err);

#endif
