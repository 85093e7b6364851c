/*
 * fence.c - does a fence without data wait for all ranks?
 *
 * 	srun --mpi=pmix -n N fence FILE
 *
 * The last rank is late and writes a file before the fence; if the fence waits,
 * each rank finds the file after it.  Open MPI ends MPI_Init with such a fence
 * and relies on it.  Exit status 0: it waits, 1: it does not. cluster.t builds
 * it; it is no part of make.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pmix.h>

static int
leave(const char *file)
{
	int fd;

	usleep(500000);
	fd = open(file, O_CREAT | O_WRONLY, 0666);
	return fd < 0 ? -1 : close(fd);
}

int
main(int argc, char **argv)
{
	const char *n = getenv("SLURM_NTASKS");
	pmix_proc_t me;
	int bad;

	if (argc != 2 || !n || PMIx_Init(&me, NULL, 0) != PMIX_SUCCESS)
		return 2;
	if ((int)me.rank == atoi(n) - 1 && leave(argv[1]) < 0)
		return 2;
	if (PMIx_Fence(NULL, 0, NULL, 0) != PMIX_SUCCESS)
		return 2;
	bad = access(argv[1], F_OK) < 0;
	PMIx_Finalize(NULL, 0);
	return bad;
}
