/*
 * ranks.c - MPI ranks, or a single process
 *
 * MPI counts in ints, so larger data are sent in parts.  Errors of MPI itself
 * end the job (the default of MPI): after such an error the ranks cannot
 * communicate.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef CSCG_MPI
#include <mpi.h>
#endif

#include "base/mem.h"
#include "dist/ranks.h"

struct cscg_ranks {
	int size, rank;
	bool mpi_started; /* MPI was initialised here and must be finalised */
	int64_t *n;       /* [size] for gather and scatter */
};

/*
 * Variables set by mpirun and by srun --mpi=pmix (or pmi2), but not in a batch
 * script: the rank of the process and, where available, the number of ranks.  A
 * plain srun sets SLURM_PROCID alone; then there is no other rank to
 * communicate with.
 */
static const char *const rank_names[] = {
	"OMPI_COMM_WORLD_RANK",
	"PMIX_RANK",
	"PMI_RANK",
	"MPI_LOCALRANKID",
	NULL,
};
static const char *const size_names[] = {
	"OMPI_COMM_WORLD_SIZE",
	"PMI_SIZE",
	"SLURM_STEP_NUM_TASKS",
	NULL,
};

static const char *
first_env(const char *const *names)
{
	const char *v;

	for (; *names; names++)
		if ((v = getenv(*names)) != NULL && *v)
			return v;
	return NULL;
}

bool
cscg_ranks_launched(int *size)
{
	const char *n = first_env(size_names);

	if (size)
		*size = n ? (int)strtol(n, NULL, 10) : 1;
	return first_env(rank_names) != NULL;
}

int
cscg_ranks_env_rank(void)
{
	const char *v = first_env(rank_names);

	return v ? (int)strtol(v, NULL, 10) : 0;
}

bool
cscg_ranks_supported(void)
{
#ifdef CSCG_MPI
	return true;
#else
	return false;
#endif
}

struct cscg_ranks *
cscg_ranks_new(struct cscg_err *err)
{
	struct cscg_ranks *r = cscg_alloc(1, sizeof *r, err);

	if (!r)
		return NULL;
	r->size = 1;
#ifdef CSCG_MPI
	if (cscg_ranks_launched(NULL)) {
		int have;

		if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &have) !=
			MPI_SUCCESS ||
		    have < MPI_THREAD_FUNNELED) {
			free(r);
			cscg_fail(err, CSCG_EIO, "MPI_Init failed");
			return NULL;
		}
		r->mpi_started = true;
		MPI_Comm_size(MPI_COMM_WORLD, &r->size);
		MPI_Comm_rank(MPI_COMM_WORLD, &r->rank);
	}
#endif
	r->n = cscg_alloc((size_t)r->size, sizeof *r->n, err);
	if (!r->n) {
		cscg_ranks_free(r);
		return NULL;
	}
	return r;
}

void
cscg_ranks_free(struct cscg_ranks *r)
{
#ifdef CSCG_MPI
	if (r && r->mpi_started)
		MPI_Finalize();
#endif
	if (r)
		free(r->n);
	free(r);
}

int
cscg_ranks_size(const struct cscg_ranks *r)
{
	return r ? r->size : 1;
}

int
cscg_ranks_rank(const struct cscg_ranks *r)
{
	return r ? r->rank : 0;
}

/* ---- MPI ---- */

#ifdef CSCG_MPI

enum { CHUNK_ITEMS = 1 << 26 }; /* items sent at a time */

static int
chunk(size_t n)
{
	return n < CHUNK_ITEMS ? (int)n : CHUNK_ITEMS;
}

static void
bcast(void *buf, size_t n)
{
	char *p = buf;

	for (; n; p += chunk(n), n -= (size_t)chunk(n))
		MPI_Bcast(p, chunk(n), MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void
reduce(void *v, size_t n, MPI_Datatype type, MPI_Op op)
{
	char *p = v;

	for (; n; p += 8 * (size_t)chunk(n), n -= (size_t)chunk(n))
		MPI_Allreduce(MPI_IN_PLACE, p, chunk(n), type, op,
		    MPI_COMM_WORLD);
}

static void
send(const void *buf, size_t n, int to)
{
	const char *p = buf;

	for (; n; p += chunk(n), n -= (size_t)chunk(n))
		MPI_Send(p, chunk(n), MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

static void
receive(void *buf, size_t n, int from)
{
	char *p = buf;

	for (; n; p += chunk(n), n -= (size_t)chunk(n))
		MPI_Recv(p, chunk(n), MPI_BYTE, from, 0, MPI_COMM_WORLD,
		    MPI_STATUS_IGNORE);
}

#else

static void
bcast(void *buf, size_t n)
{
	(void)buf;
	(void)n;
}

static void
send(const void *buf, size_t n, int to)
{
	(void)buf;
	(void)n;
	(void)to;
}

static void
receive(void *buf, size_t n, int from)
{
	(void)from;
	memset(buf, 0, n);
}

#endif

/* ---- built on these ---- */

void
cscg_ranks_barrier(struct cscg_ranks *r)
{
#ifdef CSCG_MPI
	if (cscg_ranks_size(r) > 1)
		MPI_Barrier(MPI_COMM_WORLD);
#else
	(void)r;
#endif
}

void
cscg_ranks_bcast(struct cscg_ranks *r, void *buf, size_t n)
{
	if (cscg_ranks_size(r) > 1)
		bcast(buf, n);
}

#ifdef CSCG_MPI
/*
 * A waiting rank sleeps longer and longer between tests, to leave the
 * processor to other processes.
 */
static void
wait_idle(MPI_Request *req)
{
	struct timespec pause_time = { 0, 50000 };
	int done = 0;
	long tries;

	for (tries = 0; !done; tries++) {
		MPI_Test(req, &done, MPI_STATUS_IGNORE);
		if (!done && tries > 2000)
			nanosleep(&pause_time, NULL);
		else if (!done && tries > 200)
			sched_yield();
		if (tries > 10000)
			pause_time.tv_nsec = 500000;
	}
}
#endif

void
cscg_ranks_bcast_idle(struct cscg_ranks *r, void *buf, size_t n)
{
#ifdef CSCG_MPI
	MPI_Request req;

	if (cscg_ranks_size(r) == 1)
		return;
	MPI_Ibcast(buf, chunk(n), MPI_BYTE, 0, MPI_COMM_WORLD, &req);
	if (r->rank)
		wait_idle(&req);
	else
		MPI_Wait(&req, MPI_STATUS_IGNORE);
#else
	cscg_ranks_bcast(r, buf, n);
#endif
}

void
cscg_ranks_sum(struct cscg_ranks *r, int64_t *v, size_t n)
{
#ifdef CSCG_MPI
	if (cscg_ranks_size(r) > 1)
		reduce(v, n, MPI_INT64_T, MPI_SUM);
#else
	(void)r, (void)v, (void)n;
#endif
}

void
cscg_ranks_max(struct cscg_ranks *r, int64_t *v, size_t n)
{
#ifdef CSCG_MPI
	if (cscg_ranks_size(r) > 1)
		reduce(v, n, MPI_INT64_T, MPI_MAX);
#else
	(void)r, (void)v, (void)n;
#endif
}

void
cscg_ranks_or(struct cscg_ranks *r, uint64_t *v, size_t n)
{
#ifdef CSCG_MPI
	if (cscg_ranks_size(r) > 1)
		reduce(v, n, MPI_UINT64_T, MPI_BOR);
#else
	(void)r, (void)v, (void)n;
#endif
}

int
cscg_ranks_agree(struct cscg_ranks *r, int rc, long position,
    struct cscg_err *err)
{
	/*
	 * The lowest position, then the lowest rank: negated, since the
	 * reduction is a maximum.
	 */
	int64_t who[2];

	if (cscg_ranks_size(r) == 1)
		return rc;
	who[0] = rc < 0 ? -(int64_t)position : INT64_MIN;
	who[1] = who[0];
	cscg_ranks_max(r, who, 1);
	if (who[0] == INT64_MIN)
		return rc;
	who[1] = rc < 0 && who[1] == who[0] ? -r->rank : INT64_MIN;
	cscg_ranks_max(r, who + 1, 1);
	if (who[1]) {
		/* Through rank 0, which broadcasts the message. */
		if (r->rank == -who[1])
			send(err, sizeof *err, 0);
		else if (r->rank == 0)
			receive(err, sizeof *err, (int)-who[1]);
	}
	cscg_ranks_bcast(r, err, sizeof *err);
	return -1;
}

/* Replace the contents of b by n uninitialised bytes. */
static int
blob_resize(struct cscg_blob *b, size_t n, struct cscg_err *err)
{
	cscg_blob_free(b);
	if (cscg_grow(&b->p, &b->cap, n + 1, 1, err) < 0)
		return -1;
	b->n = n;
	return 0;
}

int
cscg_ranks_bcast_blob(struct cscg_ranks *r, struct cscg_blob *b,
    struct cscg_err *err)
{
	uint64_t n = b->n;
	int rc = 0;

	if (cscg_ranks_size(r) == 1)
		return 0;
	cscg_ranks_bcast(r, &n, sizeof n);
	if (r->rank)
		rc = blob_resize(b, (size_t)n, err);
	if (cscg_ranks_agree(r, rc, 0, err) < 0)
		return -1;
	cscg_ranks_bcast(r, b->p, (size_t)n);
	return 0;
}

int
cscg_ranks_gather(struct cscg_ranks *r, const struct cscg_blob *mine,
    struct cscg_blob *all, struct cscg_err *err)
{
	int i, size = cscg_ranks_size(r), rank = cscg_ranks_rank(r), rc = 0;
	int64_t one = 0, *n = r ? r->n : &one;

	memset(n, 0, (size_t)size * sizeof *n);
	n[rank] = (int64_t)mine->n;
	cscg_ranks_sum(r, n, (size_t)size);
	for (i = 0; rank == 0 && i < size && rc == 0; i++)
		rc = blob_resize(&all[i], (size_t)n[i], err);
	rc = cscg_ranks_agree(r, rc, 0, err);
	if (rc == 0 && rank)
		send(mine->p, mine->n, 0);
	for (i = 0; rank == 0 && i < size && rc == 0; i++) {
		if (i)
			receive(all[i].p, all[i].n, i);
		else if (mine->n)
			memcpy(all[0].p, mine->p, mine->n);
	}
	return rc;
}

int
cscg_ranks_scatter(struct cscg_ranks *r, const struct cscg_blob *all,
    struct cscg_blob *mine, struct cscg_err *err)
{
	int i, size = cscg_ranks_size(r), rank = cscg_ranks_rank(r), rc;
	int64_t one = 0, *n = r ? r->n : &one;

	for (i = 0; rank == 0 && i < size; i++)
		n[i] = (int64_t)all[i].n;
	cscg_ranks_bcast(r, n, (size_t)size * sizeof *n);
	rc = cscg_ranks_agree(r, blob_resize(mine, (size_t)n[rank], err), 0,
	    err);
	if (rc == 0 && rank)
		receive(mine->p, mine->n, 0);
	for (i = 0; rank == 0 && i < size && rc == 0; i++) {
		if (i)
			send(all[i].p, all[i].n, i);
		else if (mine->n)
			memcpy(mine->p, all[0].p, mine->n);
	}
	return rc;
}
