/* picture.c - SVG to PDF and PNG, by a program of the system */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "show/picture.h"

extern char **environ;

enum { SVG_DPI = 96, ARGS = 8 };

/* The arguments of each program; zoom is a factor as text. */
static void
rsvg_args(char **argv, char *format, char *zoom)
{
	const char *const args[ARGS] = { "rsvg-convert", "-f", format, "-z",
		zoom, "-u" };

	memcpy(argv, args, sizeof args);
}

static void
cairo_args(char **argv, char *format, char *zoom)
{
	const char *const args[ARGS] = { "cairosvg", "-f", format, "-s", zoom,
		"-" };

	memcpy(argv, args, sizeof args);
}

static void (*const programs[])(char **argv, char *format,
    char *zoom) = { rsvg_args, cairo_args };

/* The environment, with a time of creation that is always the same; free it. */
static char **
fixed_environment(struct cscg_err *err)
{
	static char fixed[] = "SOURCE_DATE_EPOCH=0";
	size_t n = 0;
	char **env;

	while (environ && environ[n])
		n++;
	env = cscg_alloc(n + 2, sizeof *env, err);
	if (!env)
		return NULL;
	if (n)
		memcpy(env, environ, n * sizeof *env);
	if (!getenv("SOURCE_DATE_EPOCH"))
		env[n] = fixed;
	return env;
}

/*
 * Start the first program that is installed, with in and out as its standard
 * streams; -1 with err filled.
 */
static int
start(char *format, char *zoom, int in, int out, pid_t *pid, char **name,
    struct cscg_err *err)
{
	size_t k, n = sizeof programs / sizeof *programs;
	posix_spawn_file_actions_t actions;
	char **env = fixed_environment(err), *argv[ARGS];
	int e = ENOENT;

	if (!env)
		return -1;
	if (posix_spawn_file_actions_init(&actions)) {
		free(env);
		return cscg_fail(err, CSCG_ENOMEM, "out of memory");
	}
	posix_spawn_file_actions_adddup2(&actions, in, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	for (k = 0; k < n && e == ENOENT; k++) {
		programs[k](argv, format, zoom);
		*name = argv[0];
		e = posix_spawnp(pid, argv[0], &actions, NULL, argv, env);
	}
	posix_spawn_file_actions_destroy(&actions);
	free(env);
	if (e == ENOENT) {
		cscg_fail(err, CSCG_EUSAGE,
		    "conversion of SVG to %s requires rsvg-convert (Debian: "
		    "librsvg2-bin) or cairosvg, neither of which is installed",
		    format);
		return cscg_fail_hint(err, "picture-program");
	}
	return e ? cscg_fail(err, CSCG_EIO, "%s cannot be started: %s", *name,
		       strerror(e)) :
		   0;
}

/* Copy all output of the pipe. */
static int
copy_pipe(int fd, struct cscg_out *out, struct cscg_err *err)
{
	char buf[65536];
	ssize_t n;
	int rc = 0;

	while ((n = read(fd, buf, sizeof buf)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return cscg_fail(err, CSCG_EIO, "a pipe: %s",
			    strerror(errno));
		/* After an error, read on so that the program can end. */
		if (rc == 0)
			rc = cscg_out_write(out, buf, (size_t)n, err);
	}
	return rc;
}

/* Wait for the program; -1 with err filled if it failed and rc is not -1. */
static int
finish(pid_t pid, const char *name, int rc, struct cscg_err *err)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (rc < 0 || (WIFEXITED(status) && !WEXITSTATUS(status)))
		return rc;
	return cscg_fail(err, CSCG_EIO, "%s failed with status %d", name,
	    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static int
convert(const char *path, const char *format, int dpi, struct cscg_out *out,
    struct cscg_err *err)
{
	bool pdf = !strcmp(format, "pdf");
	char word[4], zoom[32], *name = NULL;
	int in, pipes[2], rc;
	pid_t pid;

	snprintf(word, sizeof word, "%s", format);
	snprintf(zoom, sizeof zoom, "%.6g", pdf ? 1 : dpi / (double)SVG_DPI);
	in = open(path, O_RDONLY | O_CLOEXEC);
	if (in < 0)
		return cscg_fail(err, CSCG_EREAD, "'%s': %s", path,
		    strerror(errno));
	if (pipe2(pipes, O_CLOEXEC) < 0) {
		close(in);
		return cscg_fail(err, CSCG_EIO, "a pipe: %s", strerror(errno));
	}
	rc = start(word, zoom, in, pipes[1], &pid, &name, err);
	close(in);
	close(pipes[1]);
	if (rc == 0) {
		rc = copy_pipe(pipes[0], out, err);
		rc = finish(pid, name, rc, err);
	}
	close(pipes[0]);
	return rc;
}

int
cscg_picture_write(int (*write)(const void *ctx, struct cscg_out *svg,
		       struct cscg_err *err),
    const void *ctx, const char *format, int dpi, struct cscg_out *out,
    struct cscg_err *err)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	struct cscg_out *svg;
	int fd, rc = -1;

	snprintf(path, sizeof path, "%s/cscg-XXXXXX",
	    dir && *dir ? dir : "/tmp");
	fd = mkstemp(path);
	if (fd < 0)
		return cscg_fail(err, CSCG_EIO, "'%s': %s", path,
		    strerror(errno));
	close(fd);
	svg = cscg_out_open(path, CSCG_OUT_LOG, err);
	if (svg && write(ctx, svg, err) < 0)
		cscg_out_abort(svg);
	else if (svg)
		rc = cscg_out_close(svg, err);
	if (rc == 0)
		rc = convert(path, format, dpi, out, err);
	unlink(path);
	return rc;
}
