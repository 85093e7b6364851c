/*
 * measure.c - time and memory of a command
 *
 *	measure N COMMAND [ARG...]
 *
 * Runs the command N times with its standard output thrown away and prints the
 * best wall-clock time and the best CPU time in seconds, and the largest
 * peak of resident memory in bytes.  Other jobs on the machine can only add to
 * a time, so the best of several is the least wrong.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
seconds(struct timeval t)
{
	return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Never returns. */
static void
become(char **argv)
{
	int null = open("/dev/null", O_WRONLY);

	if (null >= 0)
		dup2(null, 1);
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

int
main(int argc, char **argv)
{
	double best = 1e9, cpu = 1e9, t;
	struct rusage use;
	long peak = 0;
	int n, status;

	if (argc < 3 || atoi(argv[1]) < 1) {
		fprintf(stderr, "usage: measure N COMMAND [ARG...]\n");
		return 2;
	}
	for (n = atoi(argv[1]); n > 0; n--) {
		double start = now();
		pid_t pid = fork();

		if (pid == 0)
			become(argv + 2);
		if (pid < 0 || wait4(pid, &status, 0, &use) < 0) {
			perror("measure");
			return 4;
		}
		t = now() - start;
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
			fprintf(stderr, "measure: '%s' failed\n", argv[2]);
			return 3;
		}
		best = t < best ? t : best;
		t = seconds(use.ru_utime) + seconds(use.ru_stime);
		cpu = t < cpu ? t : cpu;
		peak = use.ru_maxrss > peak ? use.ru_maxrss : peak;
	}
	printf("%.6f %.6f %ld\n", best, cpu, peak * 1024);
	return 0;
}
