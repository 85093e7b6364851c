/*
 * cmd_opt.h - between the files cmd*.c; tools include cmd.h
 */
#ifndef CMD_OPT_H
#define CMD_OPT_H

#include "cmd.h"
#include "cmd_value.h"

enum {
	CMD_THREADS_MAX = 4096,
	CMD_ROWS_MAX = 64	/* of one tool, with the common ones */
};

/* The command line: what it may say, and what it said. */
struct cmd_rows {
	const struct cmd_info *info;
	const struct cmd_opt *row[CMD_ROWS_MAX];
	union cmd_value was[CMD_ROWS_MAX];	/* defaults */
	bool given[CMD_ROWS_MAX];
	int n, n_own;		/* rows; those of the tool come first */
	char **operand;		/* NULL-terminated */
	const char *extra[CMD_ROWS_MAX][2];	/* of cmd_history_arg() */
	int n_extra;
};

/*
 * Set the variables of the rows from argv; operands close up behind argv[0].
 * Returns their number.  Answers -h and -V, and exits on a fault.
 */
int cmd_opt_parse(const struct cmd_info *info, int argc, char **argv);

/* What was parsed; there is one. */
struct cmd_rows *cmd_opt_rows(void);

/*
 * A file that is to be written must not be one that is read, nor be written
 * twice: 0, or -1 with err filled (CSCG_EUSAGE).  Before anything is opened.
 */
int cmd_clash(struct cscg_err *err);

/* Free what repeatable options collected. */
void cmd_opt_free(void);

/* A size in bytes from its text, 0 for none; exits on a fault. */
double cmd_memory_size(const char *s);

/* Put --max-memory, or a share of the machine, in force. */
void cmd_memory(void);

/* Print the message of err, or die of SIGPIPE; returns the exit status. */
int cmd_fail(const struct cscg_err *err);

#endif
