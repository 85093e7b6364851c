/*
 * mpi_count.c - MPI calls, bytes and time of a program
 *
 *	LD_PRELOAD=mpi_count.so MPI_COUNT=file mpirun -n 2 cscg-learn ...
 *
 * Counts calls of MPI_Allreduce and of MPI_Bcast and MPI_Ibcast, their bytes
 * and the time in them, which is also time spent on waiting for others (but for
 * MPI_Ibcast, which does not wait).  Each rank adds a line to the file when it
 * ends: rank, then calls, bytes and seconds of the one, then of the others.
 * cluster.sh builds it; it is no part of make.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static struct tally {
	long calls;
	double bytes, seconds;
} sum, cast;

static void
add(struct tally *t, int n, MPI_Datatype type, double began)
{
	int size = 0;

	MPI_Type_size(type, &size);
	t->calls++;
	t->bytes += (double)n * size;
	t->seconds += MPI_Wtime() - began;
}

int
MPI_Allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op,
    MPI_Comm comm)
{
	double began = MPI_Wtime();
	int rc = PMPI_Allreduce(from, to, n, type, op, comm);

	add(&sum, n, type, began);
	return rc;
}

int
MPI_Bcast(void *buf, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
	double began = MPI_Wtime();
	int rc = PMPI_Bcast(buf, n, type, root, comm);

	add(&cast, n, type, began);
	return rc;
}

int
MPI_Ibcast(void *buf, int n, MPI_Datatype type, int root, MPI_Comm comm,
    MPI_Request *req)
{
	double began = MPI_Wtime();
	int rc = PMPI_Ibcast(buf, n, type, root, comm, req);

	add(&cast, n, type, began);
	return rc;
}

int
MPI_Finalize(void)
{
	const char *path = getenv("MPI_COUNT");
	FILE *f = path ? fopen(path, "a") : NULL;
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (f) {
		fprintf(f, "%d\t%ld\t%.0f\t%.6f\t%ld\t%.0f\t%.6f\n", rank,
		    sum.calls, sum.bytes, sum.seconds, cast.calls, cast.bytes,
		    cast.seconds);
		fclose(f);
	}
	return PMPI_Finalize();
}
