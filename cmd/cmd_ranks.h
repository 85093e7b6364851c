/*
 * cmd_ranks.h - a tool that may be one of several, started by srun or mpirun
 *
 * A tool says CMD_USES_RANKS, and calls cmd_ranks() when its options are
 * judged.  Rank 0 alone speaks and writes: for others cmd_out() and the like
 * lead nowhere.  cmd_end() makes the exit status of rank 0 that of all.
 */
#ifndef CMD_RANKS_H
#define CMD_RANKS_H

#include "cmd.h"
#include "dist/ranks.h"

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

#endif
