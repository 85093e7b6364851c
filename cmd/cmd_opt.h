/*
 * cmd_opt.h - between cmd.c and cmd_opt.c; tools include cmd.h
 */
#ifndef CMD_OPT_H
#define CMD_OPT_H

#include "cmd.h"

enum { CMD_THREADS_MAX = 4096 };

/*
 * Set the variables of the rows from argv; operands close up behind argv[0].
 * Returns their number.  Answers -h and -V, and exits on a fault.
 */
int cmd_opt_parse(const struct cmd_info *info, int argc, char **argv);

/* Free what repeatable options collected. */
void cmd_opt_free(void);

/* A size in bytes from its text, 0 for none; exits on a fault. */
double cmd_memory_size(const char *s);

/* Put --max-memory, or a share of the machine, in force. */
void cmd_memory(void);

/* Print the message of err, or die of SIGPIPE; returns the exit status. */
int cmd_fail(const struct cscg_err *err);

#endif
