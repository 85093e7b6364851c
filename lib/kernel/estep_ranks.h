/*
 * estep_ranks.h - E-steps of EM on T distributed over MPI ranks
 *
 * Rank 0 learns; it alone has the whole walk and decides what is done.  The
 * others have their parts of the walk and do what it says: each E-step is
 * shared out, and counts are added over ranks (estep_blocked.c).  So nobody has to come
 * to the same decision twice, and the result is that of one process.
 *
 * A walk is cut where a unit of work and an episode begin, so that units are
 * what they are in one process.  One that cannot be cut is not shared out;
 * neither is what the plain loops do.  Random starts are dealt out then.
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
 * A job that a rank does for itself, with the whole walk: what it is in the
 * blob, and what comes out of it.  ctx is rank 0's; others have NULL.
 */
typedef int cscg_estep_ranks_job(void *ctx, const struct cscg_walk *w,
    const struct cscg_estep_options *set, struct cscg_blob *job,
    struct cscg_blob *result, struct cscg_err *err);

/*
 * All ranks call it, rank 0 with the whole walk, which is borrowed; the others
 * get their parts.  That each episode is in one of them is counted (CSCG_EBUG).
 * NULL with err filled on every rank.
 */
struct cscg_estep_ranks *cscg_estep_ranks_new(struct cscg_ranks *ranks,
    const struct cscg_walk *w, struct cscg_err *err);
void cscg_estep_ranks_free(struct cscg_estep_ranks *er);

/*
 * Signals that this rank was sent, as bits, which ranks tell each other at
 * every E-step and forget then: *mine may change at any time.
 */
void cscg_estep_ranks_watch_signals(struct cscg_estep_ranks *er,
    volatile uint64_t *mine);
/* Those that any rank had at an E-step, unless they were seen. */
uint64_t cscg_estep_ranks_signals(const struct cscg_estep_ranks *er);
void cscg_estep_ranks_clear_signals(struct cscg_estep_ranks *er, uint64_t set);

/*
 * Others than rank 0: do what it says until it says that it is done.  set has
 * this rank's kernel and threads.  Returns what cscg_estep_ranks_stop() was given.
 */
int cscg_estep_ranks_serve(struct cscg_estep_ranks *er,
    const struct cscg_estep_options *set, cscg_estep_ranks_job *job);

/* ---- rank 0 ---- */

/*
 * Tell the others to go, with a number they return.  Those who are at a job of
 * their own are not told: who ends now ends them by MPI.
 */
void cscg_estep_ranks_stop(struct cscg_estep_ranks *er, int message);

/* How many ranks have a part of the walk; 1: it is not shared out. */
int cscg_estep_ranks_parts(const struct cscg_estep_ranks *er);
int cscg_estep_ranks_size(const struct cscg_estep_ranks *er);

/* What a rank has of it. */
void cscg_estep_ranks_part_size(const struct cscg_estep_ranks *er, int rank,
    long *episodes, long *steps);

/*
 * An engine for m whose E-steps are shared out; see estep.h.  There is one at
 * a time.
 */
struct cscg_estep *cscg_estep_shared(struct cscg_estep_ranks *er,
    const struct cscg_model *m, const struct cscg_estep_options *set,
    struct cscg_err *err);

/*
 * One job for each rank, the first for rank 0: jobs[i] is done by rank i and
 * gives results[i], i < n <= size.
 */
int cscg_estep_ranks_run_jobs(struct cscg_estep_ranks *er,
    const struct cscg_estep_options *set, cscg_estep_ranks_job *job, void *ctx,
    const struct cscg_blob *jobs, int n, struct cscg_blob *results,
    struct cscg_err *err);

#endif
