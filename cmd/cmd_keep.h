/*
 * cmd_keep.h - --checkpoint, --checkpoint-every and --resume
 *
 * While a job is kept, SIGTERM, SIGINT and SIGHUP wait until its state is
 * written and end the process then; SIGUSR1 has it written and goes on.
 */
#ifndef CMD_KEEP_H
#define CMD_KEEP_H

#include "dist/checkpoint.h"
#include "cmd.h"
#include "kernel/estep_ranks.h"

struct cmd_keep {
	const char *file;
	long every;
	bool resume;

	/* Not set by options. */
	struct cscg_checkpoint *c;
	struct cscg_estep_ranks *estep_ranks;
};

#define CMD_KEEP_EVERY(k) \
	{ 0, "checkpoint-every", CMD_T_LONG, &(k).every, 1, 1000000000, NULL, \
	    "N", "keep it after every N updates, too", CMD_QUIET_HISTORY }
#define CMD_KEEP(k) \
	CMD_WRITES(0, "checkpoint", &(k).file, "FILE", \
	    "keep there what was done, to go on from it"), \
	{ 0, "resume", CMD_T_FLAG, &(k).resume, 0, 0, NULL, NULL, \
	    "go on from the checkpoint, if there is one", CMD_QUIET_HISTORY }

/* Options that make no sense exit with 2. */
void cmd_keep_judge(const struct cmd_keep *k);

/*
 * If a checkpoint is asked for, k->c is there then, with what the file has if
 * it is to be resumed.  input is the digest of all that is read; options that
 * matter, and cmd_history_arg(), are looked at here.  crew may be NULL.  0, or
 * -1 with err filled.
 */
int cmd_keep_begin(struct cmd_keep *k, uint64_t input, struct cscg_estep_ranks *estep_ranks,
    struct cscg_err *err);

/* The job is done: signals are what they were. */
void cmd_keep_end(struct cmd_keep *k);

#endif
