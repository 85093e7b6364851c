/* fuzz_stream.c - gzip or plain bytes, by lines and by blocks */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

enum {
	MOST = 1 << 22, /* of what a bomb would unpack to */
	PIPE = 60000,   /* bytes that go into a pipe at once */
};

static void
by_lines(const uint8_t *data, size_t size)
{
	struct cscg_err err = { 0 };
	struct cscg_in *in = fuzz_in(data, size);
	long n = 0, lines = 0;
	char *line, c;
	size_t len;
	int rc = 0;

	while (in && n < MOST &&
	    (rc = cscg_in_line(in, &line, &len, &err)) > 0) {
		n += (long)len;
		fuzz_must(line[len] == '\0' && !memchr(line, '\n', len) &&
			cscg_in_lineno(in) == ++lines,
		    "a line is a line");
		if (lines % 3)
			continue;
		c = line[0];
		cscg_in_unread_line(in);
		rc = cscg_in_line(in, &line, &len, &err);
		fuzz_must(rc == 1 && line[0] == c,
		    "a line that was put back comes again");
	}
	if (rc < 0) {
		fuzz_refused(&err);
		fuzz_must(cscg_in_line(in, &line, &len, &err) < 0 ||
			fuzz_disarm(),
		    "a fault is told again");
	}
	cscg_in_close(in);
	fuzz_failed |= fuzz_disarm();
}

static void
by_blocks(const uint8_t *data, size_t size)
{
	struct cscg_err err = { 0 };
	struct cscg_in *in = fuzz_in(data, size);
	long n, got = 0;
	char buf[777];
	int c = in ? cscg_in_peek(in, &err) : -2;

	for (n = 0; c != -2 && n < MOST &&
	     (got = cscg_in_read(in, buf, sizeof buf, &err)) > 0;
	     n += got)
		fuzz_must(n > 0 || c == (unsigned char)buf[0],
		    "the byte that was seen comes first");
	if (in && (c == -2 || got < 0))
		fuzz_refused(&err);
	cscg_in_close(in);
	fuzz_failed |= fuzz_disarm();
}

/* A parser is in error after the first line: from a file, from a pipe. */
static void
verified(struct cscg_in *in)
{
	struct cscg_err err = { 0 };
	char *line;
	size_t len;
	int rc = in ? cscg_in_line(in, &line, &len, &err) : 0;

	if (in && rc >= 0) {
		cscg_fail(&err, CSCG_EFORMAT, "unhappy");
		rc = cscg_in_verify(in, &err);
		fuzz_must(rc < 0 || err.code == CSCG_EFORMAT,
		    "the stream is at fault, or the parser is right");
	}
	if (rc < 0)
		fuzz_refused(&err);
	cscg_in_close(in);
	fuzz_failed |= fuzz_disarm();
}

static void
by_pipe(const uint8_t *data, size_t size)
{
	struct cscg_err err = { 0 };
	char name[64];
	int fd[2];

	if (size > PIPE || !size || data[size - 1] % 4)
		return;
	fuzz_must(pipe(fd) == 0, "there are pipes");
	fuzz_must(write(fd[1], data, size) == (ssize_t)size, "for some bytes");
	close(fd[1]);
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd[0]);
	verified(cscg_in_open(name, &err));
	close(fd[0]);
}

void
fuzz_one(const uint8_t *data, size_t size)
{
	by_lines(data, size);
	by_blocks(data, size);
	verified(fuzz_in(data, size));
	by_pipe(data, size);
}
