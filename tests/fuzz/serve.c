/*
 * serve.c - a tool that runs many command lines, each in a child of its own
 *
 * Linked to a tool with -Wl,--wrap=main, for make fuzz-values: a process starts in
 * milliseconds under ASan, a fork of it in a fraction of that.  With FUZZ_SERVE set,
 * a command line is read from standard input: its arguments, each ended by a zero
 * byte, and another zero byte.  Its standard output and error go to the files out
 * and err of the working directory; then the status as wait() gives it is written
 * as a line.  Without FUZZ_SERVE it is the tool.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGS = 64, MOST_BYTES = 1 << 16 };

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

/* The next command line, after argv[0]; the number of arguments, 0 at the end. */
static int
next(char **argv, char *text)
{
	int argc = 1, c, last = 0;
	size_t n = 0;

	argv[1] = text;
	while ((c = getchar()) != EOF && n < MOST_BYTES &&
	    argc < MOST_ARGS - 1) {
		text[n++] = (char)c;
		if (c == 0 && last == 0 && n > 0) {
			argv[argc] = NULL;
			return argc;
		}
		if (c == 0)
			argv[++argc] = text + n;
		last = c;
	}
	return 0;
}

static void
redirect(const char *path, int flags, int to)
{
	int fd = open(path, flags, 0600);

	if (fd < 0 || dup2(fd, to) < 0)
		abort();
	close(fd);
}

int
__wrap_main(int argc, char **argv)
{
	static char text[MOST_BYTES];
	static char *args[MOST_ARGS];
	int status;
	pid_t pid;

	if (!getenv("FUZZ_SERVE"))
		return __real_main(argc, argv);
	unsetenv("FUZZ_SERVE");
	args[0] = argv[0];
	while ((argc = next(args, text)) > 0) {
		pid = fork();
		if (pid < 0)
			return 1;
		if (pid == 0) {
			redirect("/dev/null", O_RDONLY, 0);
			redirect("out", O_WRONLY | O_CREAT | O_TRUNC, 1);
			redirect("err", O_WRONLY | O_CREAT | O_TRUNC, 2);
			alarm(60);
			exit(__real_main(argc, args));
		}
		if (waitpid(pid, &status, 0) < 0)
			return 1;
		printf("%d\n", status);
		fflush(stdout);
	}
	return 0;
}
