/*
 * ranks.h - MPI ranks, or a single process
 *
 * Built with CSCG_MPI and started by srun or mpirun, the processes of the job
 * are ranks 0..size-1 and the functions below are MPI's.  Otherwise there is
 * one rank, and each function has its answer at once.  NULL is one rank, too.
 *
 * All functions that take part in something ("all ranks call it") are called
 * by every rank in the same order, from one thread.  If a rank dies, MPI ends
 * the others.  Sums are of whole numbers, which no order can change.
 */
#ifndef CSCG_RANKS_H
#define CSCG_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dist/blob.h"
#include "base/error.h"

struct cscg_ranks;

/* Was this process started as one of several?  With their number in *size. */
bool cscg_ranks_launched(int *size);

/* Its number as the environment says, before MPI is asked; 0 if alone. */
int cscg_ranks_env_rank(void);

/* Can this build work over ranks at all? */
bool cscg_ranks_supported(void);

/*
 * Begin; once in a process, since MPI can be begun only once.  Does not ask
 * MPI unless launched.  NULL with err filled (CSCG_ENOMEM, CSCG_EIO).
 */
struct cscg_ranks *cscg_ranks_new(struct cscg_err *err);

/* End; all ranks call it.  Accepts NULL. */
void cscg_ranks_free(struct cscg_ranks *r);

int cscg_ranks_size(const struct cscg_ranks *r);
int cscg_ranks_rank(const struct cscg_ranks *r);

/* ---- all ranks call these ---- */

void cscg_ranks_barrier(struct cscg_ranks *r);

/* What rank 0 has, n bytes. */
void cscg_ranks_bcast(struct cscg_ranks *r, void *buf, size_t n);

/* The same for at most 2^26 bytes, but others sleep while they wait. */
void cscg_ranks_bcast_idle(struct cscg_ranks *r, void *buf, size_t n);

/* The same for a blob, whose size others do not know: theirs is replaced. */
int cscg_ranks_bcast_blob(struct cscg_ranks *r, struct cscg_blob *b,
    struct cscg_err *err);

/* Each v[i] over all ranks, for all of them. */
void cscg_ranks_sum(struct cscg_ranks *r, int64_t *v, size_t n);
void cscg_ranks_max(struct cscg_ranks *r, int64_t *v, size_t n);
void cscg_ranks_or(struct cscg_ranks *r, uint64_t *v, size_t n);

/*
 * The blobs of all ranks, for rank 0: all[size], in the order of ranks; others
 * leave theirs alone.  0, or -1 with err filled on every rank.
 */
int cscg_ranks_gather(struct cscg_ranks *r, const struct cscg_blob *mine,
    struct cscg_blob *all, struct cscg_err *err);

/* The other way: all[i] of rank 0 is *mine on rank i, new. */
int cscg_ranks_scatter(struct cscg_ranks *r, const struct cscg_blob *all,
    struct cscg_blob *mine, struct cscg_err *err);

/*
 * Agree how it went: rc < 0 with err filled where it went wrong.  Returns rc
 * where nobody failed, else -1 on every rank with the err of one of them: that
 * of the lowest place (the number of a file, say), then of the lowest rank.
 */
int cscg_ranks_agree(struct cscg_ranks *r, int rc, long position,
    struct cscg_err *err);

#endif
