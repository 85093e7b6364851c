/*
 * estep_ranks.h - E-steps of EM on T distributed over MPI ranks
 *
 * Rank 0 runs the learner; it alone has the whole walk and makes all
 * decisions.  The other ranks have their parts of the walk and serve requests
 * of rank 0: each E-step is distributed, and counts are added over ranks
 * (estep_blocked.c).  So no decision has to be reproduced on another rank, and
 * the result is that of one process.
 *
 * A walk is cut where a unit of work and an episode begin, so that units are
 * the same as in one process.  A walk that cannot be cut is not distributed,
 * nor are E-steps by the plain loops.  In these cases random starts are
 * distributed over the ranks instead.
 */
#ifndef CSCG_ESTEP_RANKS_H
#define CSCG_ESTEP_RANKS_H

#include <stdint.h>

#include "base/error.h"
#include "core/walk.h"
#include "dist/ranks.h"
#include "kernel/estep.h"

struct cscg_estep_ranks;

/*
 * A job runs on one rank, with the whole walk: job is its serialised input,
 * result its output.  ctx is that of rank 0; other ranks have NULL.
 */
typedef int cscg_estep_ranks_job(void *ctx, const struct cscg_walk *w,
    const struct cscg_estep_options *set, struct cscg_blob *job,
    struct cscg_blob *result, struct cscg_err *err);

/*
 * All ranks call it, rank 0 with the whole walk, which is borrowed; the others
 * receive their parts.  The episodes of the parts are counted to verify that
 * each episode is in one part (CSCG_EBUG).  NULL with err filled on every
 * rank.
 */
struct cscg_estep_ranks *cscg_estep_ranks_new(struct cscg_ranks *ranks,
    const struct cscg_walk *w, struct cscg_err *err);
void cscg_estep_ranks_free(struct cscg_estep_ranks *er);

/*
 * Signals received by this rank, as bits, which the ranks exchange and clear
 * at every E-step: *mine may change at any time.
 */
void cscg_estep_ranks_watch_signals(struct cscg_estep_ranks *er,
    volatile uint64_t *mine);
/* Signals of any rank at an E-step, unless cleared since. */
uint64_t cscg_estep_ranks_signals(const struct cscg_estep_ranks *er);
void cscg_estep_ranks_clear_signals(struct cscg_estep_ranks *er, uint64_t set);

/*
 * For ranks other than 0: serve requests of rank 0 until it stops.  set has
 * the kernel and threads of this rank.  Returns the message given to
 * cscg_estep_ranks_stop().
 */
int cscg_estep_ranks_serve(struct cscg_estep_ranks *er,
    const struct cscg_estep_options *set, cscg_estep_ranks_job *job);

/* ---- rank 0 ---- */

/*
 * Stop the other ranks, with a number that they return.  A rank that is
 * running a job does not receive it: MPI ends that rank when rank 0 ends.
 */
void cscg_estep_ranks_stop(struct cscg_estep_ranks *er, int message);

/* Number of ranks that have a part of the walk; 1: it is not distributed. */
int cscg_estep_ranks_parts(const struct cscg_estep_ranks *er);
int cscg_estep_ranks_size(const struct cscg_estep_ranks *er);

/* The size of the part of a rank. */
void cscg_estep_ranks_part_size(const struct cscg_estep_ranks *er, int rank,
    long *episodes, long *steps);

/*
 * An engine for m whose E-steps are distributed; see estep.h.  Only one may
 * exist at a time.
 */
struct cscg_estep *cscg_estep_shared(struct cscg_estep_ranks *er,
    const struct cscg_model *m, const struct cscg_estep_options *set,
    struct cscg_err *err);

/*
 * One job for each rank, the first for rank 0: rank i runs jobs[i], which
 * yields results[i], i < n <= size.
 */
int cscg_estep_ranks_run_jobs(struct cscg_estep_ranks *er,
    const struct cscg_estep_options *set, cscg_estep_ranks_job *job, void *ctx,
    const struct cscg_blob *jobs, int n, struct cscg_blob *results,
    struct cscg_err *err);

#endif
