/*
 * ranks.h - MPI ranks, or a single process
 *
 * Built with CSCG_MPI and started by srun or mpirun, the processes of the job
 * are ranks 0..size-1 and the functions below call MPI.  Otherwise there is
 * one rank, and each function returns at once.  NULL also means one rank.
 *
 * Collective functions ("all ranks call it") are called by every rank in the
 * same order, from one thread.  If a rank dies, MPI ends the others.  Sums are
 * of integers and therefore exact in any order.
 */
#ifndef CSCG_RANKS_H
#define CSCG_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dist/blob.h"
#include "base/error.h"

struct cscg_ranks;

/* Whether this process is one of several; *size is their number. */
bool cscg_ranks_launched(int *size);

/* The rank from the environment, before MPI is initialised; 0 if alone. */
int cscg_ranks_env_rank(void);

/* Whether this build supports several ranks. */
bool cscg_ranks_supported(void);

/*
 * Initialise; once per process, since MPI can be initialised only once.  Does
 * not call MPI unless launched.  NULL with err filled (CSCG_ENOMEM, CSCG_EIO).
 */
struct cscg_ranks *cscg_ranks_new(struct cscg_err *err);

/* Finalise; all ranks call it.  Accepts NULL. */
void cscg_ranks_free(struct cscg_ranks *r);

int cscg_ranks_size(const struct cscg_ranks *r);
int cscg_ranks_rank(const struct cscg_ranks *r);

/* ---- all ranks call these ---- */

void cscg_ranks_barrier(struct cscg_ranks *r);

/* Broadcast n bytes from rank 0. */
void cscg_ranks_bcast(struct cscg_ranks *r, void *buf, size_t n);

/* The same for at most 2^26 bytes, but waiting ranks sleep. */
void cscg_ranks_bcast_idle(struct cscg_ranks *r, void *buf, size_t n);

/* The same for a blob of any size, which replaces b on the other ranks. */
int cscg_ranks_bcast_blob(struct cscg_ranks *r, struct cscg_blob *b,
    struct cscg_err *err);

/* Reduce each v[i] over all ranks; every rank gets the result. */
void cscg_ranks_sum(struct cscg_ranks *r, int64_t *v, size_t n);
void cscg_ranks_max(struct cscg_ranks *r, int64_t *v, size_t n);
void cscg_ranks_or(struct cscg_ranks *r, uint64_t *v, size_t n);

/*
 * Gather the blobs of all ranks on rank 0: all[size], in the order of ranks;
 * other ranks do not use all.  0, or -1 with err filled on every rank.
 */
int cscg_ranks_gather(struct cscg_ranks *r, const struct cscg_blob *mine,
    struct cscg_blob *all, struct cscg_err *err);

/* The inverse: all[i] of rank 0 becomes *mine, new, on rank i. */
int cscg_ranks_scatter(struct cscg_ranks *r, const struct cscg_blob *all,
    struct cscg_blob *mine, struct cscg_err *err);

/*
 * Agree on an error: rc < 0 with err filled on the ranks that failed.  Returns
 * rc if no rank failed, else -1 on every rank with the err of one of them:
 * that with the lowest position (such as the number of a file), then that of
 * the lowest rank.
 */
int cscg_ranks_agree(struct cscg_ranks *r, int rc, long position,
    struct cscg_err *err);

#endif
