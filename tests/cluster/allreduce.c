/*
 * allreduce.c - time of a sum over ranks
 *
 *	srun --mpi=pmix allreduce [TRIES]
 *	mpirun -n 2 allreduce
 *
 * Adds int64 numbers, as cscg-learn does, from 8 bytes to 64 MiB, and prints
 * for each size: ranks, bytes, and the least and the median of the times of
 * the slowest rank, in seconds.  cluster.sh builds it; it is no part of make.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int
ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The seconds of one sum, as long as the slowest rank takes. */
static double
once(int64_t *counts, int n)
{
	double t, slowest;

	MPI_Barrier(MPI_COMM_WORLD);
	t = MPI_Wtime();
	MPI_Allreduce(MPI_IN_PLACE, counts, n, MPI_INT64_T, MPI_SUM,
	    MPI_COMM_WORLD);
	t = MPI_Wtime() - t;
	MPI_Allreduce(&t, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return slowest;
}

int
main(int argc, char **argv)
{
	int rank, ranks, tries = argc > 1 ? atoi(argv[1]) : 20, n, i;
	const int most = 8 << 20;
	int64_t *counts = calloc((size_t)most, sizeof *counts);
	double *t = calloc((size_t)(tries > 0 ? tries : 1), sizeof *t);

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (!counts || !t || tries < 1)
		MPI_Abort(MPI_COMM_WORLD, 4);
	for (n = 1; n <= most; n *= 8) {
		once(counts, n);
		for (i = 0; i < tries; i++)
			t[i] = once(counts, n);
		qsort(t, (size_t)tries, sizeof *t, ascending);
		if (rank == 0)
			printf("%d\t%ld\t%.9f\t%.9f\n", ranks, 8L * n, t[0],
			    t[tries / 2]);
	}
	MPI_Finalize();
	free(counts);
	free(t);
	return 0;
}
