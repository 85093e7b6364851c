/*
 * cmd.h - shared by all tools: option rows, --help, messages, exit status
 *
 * One row holds an option's letter, word, range and help; its default is read
 * from the variable it sets, so that help, parsing and checking cannot
 * disagree.  The common options are added here by what a tool says it uses.
 */
#ifndef CMD_H
#define CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "io/history.h"
#include "dist/ranks.h"
#include "io/stream.h"

enum cmd_type {
	CMD_T_END, CMD_T_FLAG, CMD_T_LONG, CMD_T_DOUBLE, CMD_T_STRING,
	CMD_T_CHOICE, CMD_T_LIST, CMD_T_TITLE
};

enum {
	CMD_QUIET_HISTORY = 1,	/* does not belong in the history of the result */
	CMD_NAMES_FILE = 2,	/* the value is a file, */
	CMD_WRITTEN = 4,	/* which is written; without this: read, */
	CMD_OR_NUMBERS = 8	/* or numbers: one gone wrong is taken for none */
};

/* A repeatable option's values. */
struct cmd_list {
	int n;
	char **v;	/* pointers into argv */
};

struct cmd_opt {
	int letter;		/* 0: none */
	const char *word;
	enum cmd_type type;
	void *var;
	double lo, hi;		/* numbers: allowed range, both ends included */
	const char *const *words;	/* choice: NULL-terminated; var is int* */
	const char *arg, *help;
	unsigned flags;
};

#define CMD_FLAG(l, w, v, h) { l, w, CMD_T_FLAG, v, 0, 0, NULL, NULL, h, 0 }
#define CMD_LONG(l, w, v, lo, hi, a, h) \
	{ l, w, CMD_T_LONG, v, lo, hi, NULL, a, h, 0 }
#define CMD_DOUBLE(l, w, v, lo, hi, a, h) \
	{ l, w, CMD_T_DOUBLE, v, lo, hi, NULL, a, h, 0 }
#define CMD_STRING(l, w, v, a, h) \
	{ l, w, CMD_T_STRING, v, 0, 0, NULL, a, h, 0 }
/* Files: history never has their names, only that some that is read was given. */
#define CMD_FILE(l, w, v, a, h) \
	{ l, w, CMD_T_STRING, v, 0, 0, NULL, a, h, CMD_NAMES_FILE }
#define CMD_FILES(l, w, v, a, h) \
	{ l, w, CMD_T_LIST, v, 0, 0, NULL, a, h, CMD_NAMES_FILE }
#define CMD_WRITES(l, w, v, a, h) \
	{ l, w, CMD_T_STRING, v, 0, 0, NULL, a, h, CMD_QUIET_HISTORY | \
	    CMD_NAMES_FILE | CMD_WRITTEN }
/* A part of the result, such as a test set: history tells that it was cut. */
#define CMD_PART(l, w, v, a, h) \
	{ l, w, CMD_T_STRING, v, 0, 0, NULL, a, h, CMD_NAMES_FILE | \
	    CMD_WRITTEN }
/* A file of numbers, or the numbers themselves: the tool tells history which. */
#define CMD_NUMBERS(l, w, v, a, h) \
	{ l, w, CMD_T_STRING, v, 0, 0, NULL, a, h, CMD_QUIET_HISTORY | \
	    CMD_NAMES_FILE | CMD_OR_NUMBERS }
#define CMD_CHOICE(l, w, v, ws, h) \
	{ l, w, CMD_T_CHOICE, v, 0, 0, ws, "WORD", h, 0 }
#define CMD_LIST(l, w, v, a, h) \
	{ l, w, CMD_T_LIST, v, 0, 0, NULL, a, h, 0 }
/* No option: a line of --help above those that follow. */
#define CMD_TITLE(h) { 0, "", CMD_T_TITLE, NULL, 0, 0, NULL, NULL, h, 0 }
#define CMD_END { 0, NULL, CMD_T_END, NULL, 0, 0, NULL, NULL, NULL, 0 }

enum cmd_uses {
	CMD_USES_SEED = 1,	/* -s */
	CMD_USES_THREADS = 2,	/* -j */
	CMD_USES_WALKS = 4,	/* -w, repeatable */
	CMD_USES_GZIP = 8,	/* writes our files: --no-gzip, -f, --live */
	CMD_USES_STATS = 16,	/* --stats */
	CMD_USES_PROGRESS = 32,	/* --progress */
	CMD_USES_RANKS = 64	/* may be one of several: cmd_ranks.h */
};

struct cmd_info {
	const char *name;	/* "cscg-plan" */
	const char *operands;	/* "MODEL", "[WALK...]" for the usage line */
	const char *purpose;	/* one line, no period */
	const struct cmd_opt *opts;
	int min, max;		/* operands; max < 0: any number */
	unsigned uses;
};

/* What the common options were set to. */
extern struct cmd_common {
	const char *out;	/* NULL: standard output */
	long seed;		/* default 42 */
	long threads;		/* default OMP_NUM_THREADS, SLURM_CPUS_PER_TASK, cores */
	bool quiet, verbose, force, no_gzip, live;
	struct cmd_list walks;
	const char *stats;
	const char *max_memory;	/* as given; NULL: a share of the machine */
	int progress;		/* 0 auto, 1 always, 2 never */
	struct cscg_ranks *ranks;	/* NULL: alone */
} cmd;

/*
 * Signals that were held back, as bits.  While on, those that would end the
 * process only set their bit, and so does SIGUSR1 from the first call on.
 * Returns what was; does not look at what is held.
 */
extern volatile uint64_t cmd_signals;
bool cmd_hold(bool on);
void cmd_signals_seen(uint64_t set);
/* End by a signal, with nothing left behind. */
void cmd_die(int sig) __attribute__((noreturn));

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
 * call it after their options are judged and before they read input, so that
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
void cmd_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cmd_talk(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

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
void cmd_judge_schemas(char **paths, int dashes);

/*
 * Prepend the name of a file to a fault that does not know it; returns -1.
 * cmd_blame() does so unless the machine is at fault.
 */
int cmd_fail_in(const char *path, struct cscg_err *err);
int cmd_blame(const char *path, struct cscg_err *err);
/* Is it a fault of what was read, and not of the machine? */
bool cmd_blames_file(const struct cscg_err *err);

/*
 * End: rc > 0 done, 0 the answer is no, < 0 err says why.  Closes the output
 * (rc >= 0) or gives it up (rc < 0), prints at most one line, and returns the
 * exit status.  If our reader has gone, dies by SIGPIPE.
 */
int cmd_end(int rc, struct cscg_err *err);

#endif
