/*
 * jobs.h - a tool as a batch job: MPI ranks and checkpoints
 */
#ifndef CMD_JOBS_H
#define CMD_JOBS_H

#include "tool.h"
#include "dist/checkpoint.h"
#include "dist/ranks.h"
#include "kernel/estep_ranks.h"

/*
 * Ranks, started by srun or mpirun.  A tool says CMD_USES_RANKS, and calls cmd_ranks() when its options are
 * checked.  Rank 0 alone speaks and writes: for others cmd_out() and the like
 * lead nowhere.  cmd_end() makes the exit status of rank 0 that of all.
 */

/* Begin, once: from here on cmd.ranks is there.  A fault exits with 4. */
void cmd_ranks(void);

/* Is this rank 0, or the only one? */
bool cmd_is_first(void);

/*
 * Every rank will read standard input: rank 0 reads it to its end, and it is
 * there for all.  All ranks call it.  0, or -1 with err filled.
 */
int cmd_share_stdin(struct cscg_err *err);

/* Did it go wrong for anybody?  See cscg_ranks_agree(). */
int cmd_agree(int rc, struct cscg_err *err);

/*
 * --checkpoint, --checkpoint-every and --resume
 *
 * While a job is kept, SIGTERM, SIGINT and SIGHUP wait until its state is
 * written and end the process then; SIGUSR1 has it written and goes on.
 */

struct cmd_checkpoint {
	const char *file;
	long every;
	bool resume;

	/* Not set by options. */
	struct cscg_checkpoint *c;
	struct cscg_estep_ranks *estep_ranks;
};

#define CMD_CHECKPOINT_EVERY(k) \
	{ \
		0, "checkpoint-every", CMD_T_LONG, &(k).every, 1, 1000000000, \
		    NULL, "N", \
		    "save a checkpoint after every N iterations as well", \
		    CMD_NOT_IN_HISTORY \
	}
#define CMD_CHECKPOINT(k) \
	CMD_WRITES(0, "checkpoint", &(k).file, "FILE", \
	    "save the state of the computation in this file"), \
	{ \
		0, "resume", CMD_T_FLAG, &(k).resume, 0, 0, NULL, NULL, \
		    "continue from the checkpoint if it exists", \
		    CMD_NOT_IN_HISTORY \
	}

/* Options that make no sense exit with 2. */
void cmd_checkpoint_check(const struct cmd_checkpoint *k);

/*
 * If a checkpoint is asked for, k->c is there then, with what the file has if
 * it is to be resumed.  input is the digest of all that is read; options that
 * matter, and cmd_history_arg(), are looked at here.  crew may be NULL.  0, or
 * -1 with err filled.
 */
int cmd_checkpoint_open(struct cmd_checkpoint *k, uint64_t input,
    struct cscg_estep_ranks *estep_ranks, struct cscg_err *err);

/* The job is done: signals are what they were. */
void cmd_checkpoint_close(struct cmd_checkpoint *k);

#endif
