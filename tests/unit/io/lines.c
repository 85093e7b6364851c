/* Lines from a pipe, with limits of time and length; long formatted output. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/poll.h"
#include "io/stream.h"
#include "need.h"
#include "tap.h"

static int to;
static struct cscg_lines l;
static char *line;
static size_t len;

static void
begin(void)
{
	int fd[2];

	need(pipe(fd) < 0 ? NULL : fd);
	l = (struct cscg_lines){ .fd = fd[0] };
	to = fd[1];
}

static void
end(void)
{
	cscg_lines_free(&l);
	close(l.fd);
	if (to >= 0)
		close(to);
}

static void
say(const char *text)
{
	need(write(to, text, strlen(text)) < 0 ? NULL : &err);
}

static int
next(size_t max, double timeout)
{
	err = (struct cscg_err){ 0 };
	return cscg_lines_next(&l, max, timeout, &line, &len, &err);
}

/* The next call returns this text as a line. */
static int
gives(const char *text)
{
	return next(100, 0) == CSCG_LINES_LINE && len == strlen(text) &&
	    !strcmp(line, text);
}

static void
test_lines(void)
{
	begin();
	ok(!cscg_lines_pending(&l), "nothing is pending before input arrives");
	say("one\n\ntwo\nthr");
	ok(cscg_lines_pending(&l), "input is pending after it arrives");
	ok(gives("one") && l.n == 1, "the first line is returned");
	ok(cscg_lines_pending(&l), "further lines are pending");
	ok(gives("") && gives("two") && l.n == 3,
	    "an empty line and the next one are returned");
	ok(cscg_lines_pending(&l), "a part of a line is pending");
	say("ee\n");
	ok(gives("three") && !cscg_lines_pending(&l),
	    "a line is returned when its rest arrives");
	say("rest");
	close(to);
	to = -1;
	ok(next(100, 0) == CSCG_LINES_END && len == 4 &&
		!memcmp(line, "rest", 4) && l.n == 4,
	    "the last line needs no newline");
	ok(next(100, 0) == CSCG_LINES_END, "the end is permanent");
	end();
	begin();
	close(to);
	to = -1;
	ok(!cscg_lines_pending(&l) && next(100, 0) == CSCG_LINES_END &&
		len == 0,
	    "an end without a line has length 0");
	end();
}

static void
test_length(void)
{
	begin();
	say("12345\n123456\n");
	ok(next(5, 0) == CSCG_LINES_LINE && len == 5,
	    "a line of the maximum length is returned");
	ok(next(5, 0) == CSCG_LINES_TOO_LONG && len == 6,
	    "a line of one byte more is too long");
	end();
	begin();
	say("123456");
	ok(next(5, 0) == CSCG_LINES_TOO_LONG,
	    "a line is too long before its newline arrives");
	end();
}

/* A line that is longer than what one read() gives, after others. */
static void
test_long(void)
{
	enum { LONG = 300000 };
	char *text = need(malloc(LONG + 2));
	int i, good = 1;

	memset(text, 'x', LONG);
	strcpy(text + LONG, "\n");
	begin();
	need(fcntl(to, F_SETPIPE_SZ, 1 << 20) < 0 ? NULL : text);
	for (i = 0; i < 3; i++) {
		say("a\n");
		say(text);
		good &= gives("a") && next(LONG, 1) == CSCG_LINES_LINE &&
		    len == LONG && line[0] == 'x' && line[LONG - 1] == 'x' &&
		    line[LONG] == '\0';
	}
	ok(good, "lines of %d bytes", LONG);
	end();
	free(text);
}

static void
test_time(void)
{
	double began = cscg_clock();

	begin();
	say("part");
	ok(next(100, .05) == CSCG_LINES_TIMEOUT && len == 4 &&
		cscg_clock() - began >= .05,
	    "a line that is not complete in time is a timeout");
	say("\n");
	ok(gives("part"), "the part read before a timeout is kept");
	began = cscg_clock();
	ok(cscg_lines_poll(l.fd, POLLIN, began + .05) == 0 &&
		cscg_clock() - began >= .05,
	    "poll returns at its time limit");
	ok(cscg_lines_poll(l.fd, POLLIN, 1e-9) == 0,
	    "a time limit in the past returns at once");
	say("x");
	ok(cscg_lines_poll(l.fd, POLLIN, 0) == 1,
	    "poll without a time limit returns pending input");
	end();
	/* A descriptor that does not block is waited for. */
	begin();
	need(fcntl(l.fd, F_SETFL, O_NONBLOCK) < 0 ? NULL : &l);
	ok(next(100, .05) == CSCG_LINES_TIMEOUT,
	    "a non-blocking descriptor is waited for until the time limit");
	if (fork() == 0) {
		usleep(20000);
		say("late\n");
		_exit(0);
	}
	ok(gives("late"), "without a time limit a late line is returned");
	end();
}

static void
test_error(void)
{
	begin();
	close(l.fd);
	ok(next(100, 0) == -1 && err.code == CSCG_EREAD &&
		!strcmp(err.msg, strerror(EBADF)),
	    "a descriptor that cannot be read is an error");
	end();
}

/* What cscg_out_printf() writes of a text of n letters. */
static int
prints(int n)
{
	char *text = need(calloc(1, (size_t)n + 2)), got[2048];
	struct cscg_out *out = need(cscg_out_open("printed", 0, &err));
	FILE *f;
	size_t size;
	int good;

	memset(text, 'y', (size_t)n);
	need(cscg_out_printf(out, &err, "%s|%d\n", text, n) < 0 ||
		    cscg_out_close(out, &err) < 0 ?
		NULL :
		text);
	f = need(fopen("printed", "r"));
	size = fread(got, 1, sizeof got - 1, f);
	got[size] = '\0';
	fclose(f);
	good = !strncmp(got, text, (size_t)n) && got[n] == '|' &&
	    atoi(got + n + 1) == n && got[size - 1] == '\n';
	free(text);
	return good;
}

int
main(void)
{
	static char dir[] = "/tmp/cscg-lines.XXXXXX";

	if (!mkdtemp(dir) || chdir(dir) < 0)
		return 1;
	test_lines();
	test_length();
	test_long();
	test_time();
	test_error();
	/* With "|506\n", 506 letters are 511 bytes, the most that need no memory. */
	ok(prints(0) && prints(506) && prints(507) && prints(508) &&
		prints(1500),
	    "formatted text of any length");
	unlink("printed");
	rmdir(dir);
	return done();
}
