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
 * MPI ranks, started by srun or mpirun.  A tool sets CMD_USES_RANKS and calls
 * cmd_ranks() after its options are checked.  Only rank 0 prints messages and
 * writes files: on other ranks cmd_out() and cmd_out_also() discard their
 * output.  cmd_end() gives all ranks the exit status of rank 0.
 */

/* Start MPI and set cmd.ranks; call it once.  An error exits with 4. */
void cmd_ranks(void);

/* Whether this is rank 0 or the only process. */
bool cmd_is_first(void);

/*
 * Give every rank the standard input: rank 0 reads it to its end and sends it
 * to the others.  All ranks must call this.  0, or -1 with err filled.
 */
int cmd_share_stdin(struct cscg_err *err);

/* Whether any rank failed: see cscg_ranks_agree(). */
int cmd_agree(int rc, struct cscg_err *err);

/*
 * --checkpoint, --checkpoint-every and --resume
 *
 * With a checkpoint, SIGTERM, SIGINT and SIGHUP are deferred until the state
 * is written and then end the process; after SIGUSR1 the state is written and
 * the job continues.
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

/* Invalid combinations of these options exit with 2. */
void cmd_checkpoint_check(const struct cmd_checkpoint *k);

/*
 * If a checkpoint is requested, set k->c, with the contents of the file if the
 * job is resumed.  input is the digest of all inputs.  The options that
 * determine the result, with the arguments of cmd_history_arg(), are collected
 * here.  estep_ranks may be NULL.  0, or -1 with err filled.
 */
int cmd_checkpoint_open(struct cmd_checkpoint *k, uint64_t input,
    struct cscg_estep_ranks *estep_ranks, struct cscg_err *err);

/* The job is done: restore the handling of signals. */
void cmd_checkpoint_close(struct cmd_checkpoint *k);

#endif
