/* stream - truncated, damaged, concatenated and live input; full disks */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/stream.h"
#include "tap.h"

static const char text[] =
    "{\"first\":1}\n\nthe third line, a little longer than the others so that "
    "deflate finds something to repeat, repeat\n"
    "last\n";

static void
spit(const char *path, const void *buf, size_t n)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(buf, 1, n, f) != n || fclose(f))
		abort();
}

static size_t
slurp(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "r");
	size_t n;

	if (!f)
		return (size_t)-1;
	n = fread(buf, 1, size, f);
	fclose(f);
	return n;
}

static int
put(const char *path, unsigned flags, const void *buf, size_t n,
    struct cscg_err *err)
{
	struct cscg_out *out = cscg_out_open(path, flags, err);

	if (!out)
		return -1;
	if (cscg_out_write(out, buf, n, err) < 0) {
		cscg_out_abort(out);
		return -1;
	}
	return cscg_out_close(out, err);
}

/*
 * Store all lines of path in buf, each followed by a newline. Returns the
 * result of the last call.
 */
static int
lines(const char *path, char *buf, size_t size, struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(path, err);
	size_t n = 0, len;
	char *line;
	int rc;

	buf[0] = '\0';
	if (!in)
		return -1;
	while ((rc = cscg_in_line(in, &line, &len, err)) > 0) {
		if (line[len] || n + len + 2 > size)
			abort();
		memcpy(buf + n, line, len);
		n += len;
		buf[n++] = '\n';
		buf[n] = '\0';
	}
	/* Errors and the end of the file are permanent. */
	if (cscg_in_line(in, &line, &len, err) != rc)
		abort();
	cscg_in_close(in);
	return rc;
}

/* The same through a pipe that delivers one byte at a time. */
static int
lines_slowly(const char *bytes, size_t n, char *buf, size_t size,
    struct cscg_err *err)
{
	char path[32];
	int fd[2], rc, status;
	size_t i;
	pid_t pid;

	if (pipe(fd) < 0)
		abort();
	pid = fork();
	if (pid == 0) {
		close(fd[0]);
		for (i = 0; i < n; i++)
			if (write(fd[1], bytes + i, 1) != 1)
				_exit(1);
		_exit(0);
	}
	close(fd[1]);
	snprintf(path, sizeof path, "/dev/fd/%d", fd[0]);
	rc = lines(path, buf, size, err);
	close(fd[0]);
	waitpid(pid, &status, 0);
	return rc;
}

static void
round_trips(void)
{
	char buf[4096], again[4096];
	struct cscg_err err = { 0 };
	size_t n, m;

	put("plain", 0, text, strlen(text), &err);
	put("gz", CSCG_OUT_GZIP, text, strlen(text), &err);
	n = slurp("plain", buf, sizeof buf);
	ok(n == strlen(text) && !memcmp(buf, text, n),
	    "plain output has the bytes written");
	ok(lines("plain", buf, sizeof buf, &err) == 0 && !strcmp(buf, text),
	    "plain output is read back");
	n = slurp("gz", buf, sizeof buf);
	ok(buf[0] == 0x1f && (buf[1] & 0xff) == 0x8b,
	    "gzip output has the magic number of gzip");
	put("gz", CSCG_OUT_GZIP, text, strlen(text), &err);
	m = slurp("gz", again, sizeof again);
	ok(n == m && !memcmp(buf, again, n) && !memcmp(buf + 4, "\0\0\0\0", 4),
	    "equal data give equal gzip bytes, without a time");
	ok(lines("gz", buf, sizeof buf, &err) == 0 && !strcmp(buf, text),
	    "gzip output is read back");
	ok(system("gzip -dc <gz | cmp -s - plain") == 0,
	    "gzip(1) decompresses the output");
	spit("nonl", "a\nb", 3);
	ok(lines("nonl", buf, sizeof buf, &err) == 0 && !strcmp(buf, "a\nb\n"),
	    "a last line needs no newline");
	spit("empty", "", 0);
	ok(lines("empty", buf, sizeof buf, &err) == 0 && !*buf,
	    "an empty file is a clean end");
	put("zempty", CSCG_OUT_GZIP, "", 0, &err);
	ok(lines("zempty", buf, sizeof buf, &err) == 0 && !*buf,
	    "an empty gzip file is a clean end");
	spit("us", "\x1f is no gzip\n", 14);
	ok(lines("us", buf, sizeof buf, &err) == 0 &&
		!strcmp(buf, "\x1f is no gzip\n"),
	    "a first byte 0x1f alone is not gzip");
}

/* Does got consist of the first lines of text, complete ones? */
static int
whole_lines(const char *got)
{
	size_t n = strlen(got);

	return n <= strlen(text) && !memcmp(got, text, n) &&
	    (n == 0 || text[n - 1] == '\n');
}

static void
cuts(void)
{
	char gz[4096], buf[4096];
	struct cscg_err err = { 0 };
	size_t n = slurp("gz", gz, sizeof gz), i;
	int bad = 0, slow_bad = 0;

	for (i = 1; i < n; i++) {
		spit("cut", gz, i);
		bad += lines("cut", buf, sizeof buf, &err) != -1 ||
		    err.code != CSCG_ECUT || !whole_lines(buf) ||
		    strcmp(err.msg, "'cut': unexpected end of gzip data");
		slow_bad += lines_slowly(gz, i, buf, sizeof buf, &err) != -1 ||
		    err.code != CSCG_ECUT || !whole_lines(buf) ||
		    !strstr(err.msg, "unexpected end of gzip data");
	}
	ok(bad == 0,
	    "gzip truncated at each of %zu positions is an error; no partial "
	    "line is returned",
	    n - 1);
	ok(slow_bad == 0,
	    "truncated gzip that arrives byte by byte is an error");
	ok(lines_slowly(gz, n, buf, sizeof buf, &err) == 0 &&
		!strcmp(buf, text),
	    "gzip that arrives byte by byte is read");
	ok(lines_slowly(text, strlen(text), buf, sizeof buf, &err) == 0 &&
		!strcmp(buf, text),
	    "plain text that arrives byte by byte is read");
	/* Two members, cut in the second: the first's lines still come. */
	memcpy(gz + n, gz, n);
	spit("cut", gz, 2 * n - 3);
	ok(lines("cut", buf, sizeof buf, &err) == -1 &&
		err.code == CSCG_ECUT && strlen(buf) >= strlen(text),
	    "a truncated second gzip member is an error after the lines of "
	    "the first");
}

static void
damage(void)
{
	/* Damaged data may inflate a thousandfold. */
	static char gz[4096], buf[1 << 20];
	struct cscg_err err = { 0 };
	size_t n = slurp("gz", gz, sizeof gz), i;
	int bad = 0, idle = 0;

	gz[n - 8] ^= 1;
	spit("bad", gz, n);
	ok(lines("bad", buf, sizeof buf, &err) == -1 &&
		err.code == CSCG_ECUT &&
		!strcmp(err.msg,
		    "'bad': damaged gzip data (incorrect data check)"),
	    "a wrong checksum is an error");
	gz[n - 8] ^= 1;
	gz[n - 4] ^= 1;
	spit("bad", gz, n);
	ok(lines("bad", buf, sizeof buf, &err) == -1 &&
		err.code == CSCG_ECUT &&
		!strcmp(err.msg,
		    "'bad': damaged gzip data (incorrect length check)"),
	    "a wrong length is an error");
	gz[n - 4] ^= 1;
	/*
	 * After the ten bytes of the header every bit matters, except for at
	 * most seven that pad the last byte of the data.
	 */
	for (i = 10 * 8; i < n * 8; i++) {
		gz[i / 8] ^= (char)(1 << i % 8);
		spit("bad", gz, n);
		if (lines("bad", buf, sizeof buf, &err) == 0)
			(*(strcmp(buf, text) ? &bad : &idle))++;
		else
			bad += err.code != CSCG_ECUT;
		gz[i / 8] ^= (char)(1 << i % 8);
	}
	ok(bad == 0 && idle <= 7, "each of %zu flipped bits is detected",
	    (n - 10) * 8 - (size_t)idle);
	ok(cscg_err_status(err.code) == 3, "damaged gzip is exit status 3");
}

static void
members(void)
{
	static const struct {
		const char *tail;
		size_t n;
		const char *say;
	} tail[] = {
		{ "x", 1, "'tail': trailing garbage after gzip data" },
		{ "\0\0\0\0", 4, "'tail': trailing garbage after gzip data" },
		{ "\x1fx", 2, "'tail': trailing garbage after gzip data" },
		{ "\n", 1, "'tail': trailing garbage after gzip data" },
		{ "\x1f", 1, "'tail': unexpected end of gzip data" },
	};
	char gz[4096], buf[4096], all[4096];
	struct cscg_err err = { 0 };
	size_t n = slurp("gz", gz, sizeof gz), i;

	ok(system("cat gz zempty gz gz >joined") == 0 &&
		lines("joined", buf, sizeof buf, &err) == 0 &&
		snprintf(all, sizeof all, "%s%s%s", text, text, text) > 0 &&
		!strcmp(buf, all),
	    "concatenated gzip members are read, one of them empty");
	/* A line may continue in the next gzip member. */
	put("half1", CSCG_OUT_GZIP, "one li", 6, &err);
	put("half2", CSCG_OUT_GZIP, "ne\n", 3, &err);
	ok(system("cat half1 half2 >joined") == 0 &&
		lines("joined", buf, sizeof buf, &err) == 0 &&
		!strcmp(buf, "one line\n"),
	    "a line may continue in the next gzip member");
	for (i = 0; i < sizeof tail / sizeof *tail; i++) {
		memcpy(gz + n, tail[i].tail, tail[i].n);
		spit("tail", gz, n + tail[i].n);
		ok(lines("tail", buf, sizeof buf, &err) == -1 &&
			err.code == CSCG_ECUT &&
			!strcmp(err.msg, tail[i].say) && !strcmp(buf, text),
		    "tail %zu: %s", i, tail[i].say);
	}
}

static void
unreadable(void)
{
	struct cscg_err err = { 0 };
	char buf[64];

	mkdir("dir", 0777);
	ok(!cscg_in_open("dir", &err) && err.code == CSCG_EREAD &&
		!strcmp(err.msg, "'dir': is a directory"),
	    "a directory is refused");
	ok(!cscg_in_open("none", &err) && err.code == CSCG_EREAD &&
		!strcmp(err.msg, "'none': No such file or directory"),
	    "a missing file is refused");
	spit("secret", "x", 1);
	chmod("secret", 0);
	/* Root may read every file, so the test runs as another user. */
	chmod(".", 0755);
	if (getuid() == 0 && seteuid(65534) < 0)
		ok(1, "no permission # SKIP root cannot be another user");
	else
		ok(!cscg_in_open("secret", &err) && err.code == CSCG_EREAD &&
			!strcmp(err.msg, "'secret': Permission denied"),
		    "a file without read permission is refused");
	if (seteuid(getuid()) < 0)
		abort();
	ok(lines("-", buf, sizeof buf, &err) == 0 && !*buf,
	    "\"-\" is standard input");
}

/* Lines of many lengths, among them one of 20 MB, in linear time. */
static void
long_lines(void)
{
	enum { N = 20000000 };
	struct cscg_err err = { 0 };
	char *big = malloc(N + 1), *line;
	struct cscg_in *in;
	clock_t start = clock();
	size_t len, i;
	int flags, good = 1;

	memset(big, 'a', N);
	big[N] = '\n';
	for (flags = 0; flags <= 1; flags++) {
		struct cscg_out *out = cscg_out_open("big",
		    flags ? CSCG_OUT_GZIP : 0, &err);

		for (i = 0; i < 3; i++) {
			good &= cscg_out_write(out, "short\n", 6, &err) == 0;
			good &= cscg_out_write(out, big, N + 1, &err) == 0;
		}
		good &= cscg_out_close(out, &err) == 0;
		in = cscg_in_open("big", &err);
		for (i = 0; i < 3; i++) {
			good &= cscg_in_line(in, &line, &len, &err) == 1 &&
			    len == 5 && !strcmp(line, "short");
			good &= cscg_in_line(in, &line, &len, &err) == 1 &&
			    len == N && !memcmp(line, big, N) && !line[N];
			good &= cscg_in_lineno(in) == (long)(2 * i + 2);
		}
		good &= cscg_in_line(in, &line, &len, &err) == 0;
		cscg_in_close(in);
	}
	ok(good, "lines of 20 MB are read, plain and gzip");
	/* 240 MB in all; a rescan per chunk would take 300 times as long. */
	ok((double)(clock() - start) / CLOCKS_PER_SEC < 20,
	    "long lines are read in linear time");
	free(big);
	unlink("big");
}

/* Each line is read, put back and read again, with the same number. */
static void
unread(void)
{
	static const char *const want[] = { "one", "", "three", "last" };
	struct cscg_err err = { 0 };
	struct cscg_in *in;
	char *line;
	size_t len;
	int i, k, good = 1;

	spit("again", "one\n\nthree\nlast", 15);
	in = cscg_in_open("again", &err);
	for (i = 0; i < 4; i++)
		for (k = 0; k < 3; k++) {
			good &= cscg_in_line(in, &line, &len, &err) == 1 &&
			    !strcmp(line, want[i]) && len == strlen(line) &&
			    cscg_in_lineno(in) == i + 1;
			if (k < 2)
				cscg_in_unread_line(in);
		}
	ok(good, "a line that was put back is read again");
	ok(cscg_in_line(in, &line, &len, &err) == 0,
	    "after the last line that was put back comes the end");
	cscg_in_close(in);
	unlink("again");
}

/* What a fault in the text may be due to: damage after it. */
static void
verify(void)
{
	static char gz[4096];
	size_t n = slurp("gz", gz, sizeof gz), len;
	struct cscg_err err = { 0 };
	struct cscg_in *in;
	char *line;
	int i;

	for (i = 0; i < 2; i++) {
		spit("bad", gz, i ? n - 9 : n);
		in = cscg_in_open("bad", &err);
		err = (struct cscg_err){ 0 };
		ok(cscg_in_line(in, &line, &len, &err) == 1 &&
			cscg_in_verify(in, &err) == (i ? -1 : 0) &&
			err.code == (i ? CSCG_ECUT : CSCG_OK),
		    "a %s stream after its first line", i ? "cut" : "good");
		cscg_in_close(in);
	}
	spit("bad", "a\nb\n", 4);
	in = cscg_in_open("bad", &err);
	ok(cscg_in_line(in, &line, &len, &err) == 1 &&
		cscg_in_verify(in, &err) == 0,
	    "plain text is verified without a checksum");
	cscg_in_close(in);
	unlink("bad");
}

static void
bytes(void)
{
	struct cscg_err err = { 0 };
	struct cscg_in *in = cscg_in_open("gz", &err);
	char buf[4096], *line;
	size_t len;
	int good;

	ok(cscg_in_peek(in, &err) == '{' && cscg_in_peek(in, &err) == '{',
	    "peek consumes nothing");
	good = cscg_in_read(in, buf, 5, &err) == 5 && !memcmp(buf, text, 5);
	good &= cscg_in_line(in, &line, &len, &err) == 1 &&
	    !strcmp(line, "st\":1}");
	good &= cscg_in_peek(in, &err) == '\n';
	good &= cscg_in_line(in, &line, &len, &err) == 1 && len == 0;
	ok(good, "bytes and lines are read alternately");
	ok(cscg_in_read(in, buf, sizeof buf, &err) ==
		    (long)strlen(text) - 13 &&
		!memcmp(buf, text + 13, strlen(text) - 13),
	    "read returns fewer bytes only at the end");
	ok(cscg_in_read(in, buf, 10, &err) == 0 &&
		cscg_in_peek(in, &err) == -1,
	    "after the end read returns 0 and peek -1");
	cscg_in_close(in);
	spit("cut", "\x1f\x8b\x08", 3);
	in = cscg_in_open("cut", &err);
	ok(cscg_in_peek(in, &err) == -2 && err.code == CSCG_ECUT &&
		cscg_in_read(in, buf, 1, &err) == -1,
	    "peek and read return the error of a truncated stream");
	cscg_in_close(in);
}

/*
 * A child writes each line after the line before it was received. If the reader
 * waited for more input than one line, both would wait forever, and the alarm
 * would end the test.
 */
static int
lockstep(unsigned flags)
{
	struct cscg_err err = { 0 };
	struct cscg_in *in;
	char *line, c = 0;
	size_t len;
	pid_t pid;
	int i, n = 0, came[2];

	unlink("fifo");
	if (mkfifo("fifo", 0666) < 0 || pipe(came) < 0)
		abort();
	pid = fork();
	if (pid == 0) {
		struct cscg_out *out = cscg_out_open("fifo",
		    flags | CSCG_OUT_LIVE, &err);

		alarm(60);
		close(came[1]);
		for (i = 0; out && i < 21; i++)
			if (cscg_out_printf(out, &err, "%d\n", i) < 0 ||
			    cscg_out_flush(out, &err) < 0 ||
			    read(came[0], &c, 1) != 1)
				_exit(1);
		_exit(!out || cscg_out_close(out, &err) < 0);
	}
	close(came[0]);
	alarm(60);
	in = cscg_in_open("fifo", &err);
	while (cscg_in_line(in, &line, &len, &err) > 0 && atoi(line) == n &&
	    write(came[1], &c, 1) == 1)
		n++;
	alarm(0);
	cscg_in_close(in);
	close(came[1]);
	return waitpid(pid, &i, 0) == pid && i == 0 ? n : -1;
}

static void
live(void)
{
	ok(lockstep(0) == 21,
	    "a plain line is delivered before the next is written");
	ok(lockstep(CSCG_OUT_GZIP) == 21,
	    "a gzip line is delivered before the next is written");
}

static void
full(void)
{
	static const unsigned kind[] = { 0, CSCG_OUT_GZIP };
	struct cscg_err err = { 0 };
	struct cscg_out *out;
	size_t i, n = 1 << 22;
	char *noise = malloc(n);

	srand(1);
	for (i = 0; i < n; i++)
		noise[i] = (char)(rand() >> 8);
	for (i = 0; i < 2; i++) {
		ok(put("/dev/full", kind[i], text, strlen(text), &err) == -1 &&
			err.code == CSCG_EIO &&
			!strcmp(err.msg,
			    "'/dev/full': No space left on device"),
		    "a full disk is an error at close, flags %u", kind[i]);
		out = cscg_out_open("/dev/full", kind[i], &err);
		ok(cscg_out_write(out, noise, n, &err) == -1 &&
			err.code == CSCG_EIO,
		    "a full disk is an error at write, flags %u", kind[i]);
		err.code = CSCG_OK;
		ok(cscg_out_write(out, "x", 1, &err) == -1 &&
			err.code == CSCG_EIO,
		    "write returns the error again");
		err.code = CSCG_OK;
		ok(cscg_out_close(out, &err) == -1 && err.code == CSCG_EIO,
		    "close returns the error again");
	}
	free(noise);
}

/* Number of temporary files in path. */
static int
litter(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d)))
		n += strstr(e->d_name, ".tmp.") != NULL;
	closedir(d);
	return n;
}

static void
targets(void)
{
	struct cscg_err err = { 0 };
	struct cscg_out *out;
	char buf[64], path[64];
	struct stat st;
	size_t n;

	spit("old", "old", 3);
	out = cscg_out_open("old", CSCG_OUT_GZIP, &err);
	cscg_out_write(out, text, strlen(text), &err);
	ok(cscg_out_tmp(out) && !strncmp(cscg_out_tmp(out), ".old.tmp.", 9) &&
		litter(".") == 1,
	    "the temporary file is %s", cscg_out_tmp(out));
	cscg_out_abort(out);
	n = slurp("old", buf, sizeof buf);
	ok(n == 3 && !memcmp(buf, "old", 3) && litter(".") == 0,
	    "abort leaves the target unchanged and no temporary file");

	chmod("old", 0640);
	ok(put("old", 0, "new", 3, &err) == 0 && stat("old", &st) == 0 &&
		(st.st_mode & 07777) == 0640,
	    "the mode of the target is kept");
	chmod("old", 07751);
	ok(put("old", 0, "new", 3, &err) == 0 && stat("old", &st) == 0 &&
		(st.st_mode & 07777) == 0751,
	    "setuid, setgid and sticky bits are not kept: %o",
	    st.st_mode & 07777);
	umask(027);
	ok(put("fresh", 0, "new", 3, &err) == 0 && stat("fresh", &st) == 0 &&
		(st.st_mode & 07777) == 0640,
	    "a new file has the mode of the umask");
	umask(022);

	spit("dir/real", "old", 3);
	if (symlink("dir/hop", "link") < 0 || symlink("real", "dir/hop") < 0)
		abort();
	out = cscg_out_open("link", 0, &err);
	snprintf(path, sizeof path, "%s", cscg_out_tmp(out));
	ok(!strncmp(path, "dir/.real.tmp.", 14),
	    "the temporary file is beside the target of a symbolic link");
	ok(cscg_out_write(out, "new", 3, &err) == 0 &&
		cscg_out_close(out, &err) == 0 && lstat("link", &st) == 0 &&
		S_ISLNK(st.st_mode) &&
		slurp("dir/real", buf, sizeof buf) == 3 &&
		!memcmp(buf, "new", 3),
	    "a symbolic link stays a link, its target is replaced");
	unlink("dir/real");
	ok(put("link", 0, "again", 5, &err) == 0 &&
		slurp("dir/real", buf, sizeof buf) == 5 &&
		lstat("link", &st) == 0 && S_ISLNK(st.st_mode),
	    "the missing target of a symbolic link is created");
	if (symlink("loop", "loop") < 0)
		abort();
	ok(put("loop", 0, "x", 1, &err) == -1 && err.code == CSCG_EUSAGE &&
		strstr(err.msg, "'loop': "),
	    "a cycle of symbolic links is refused: %s", err.msg);
	ok(litter(".") + litter("dir") == 0, "no temporary file is left");
}

static void
not_creatable(void)
{
	struct cscg_err err = { 0 };
	char name[300];

	ok(!cscg_out_open("dir", 0, &err) && err.code == CSCG_EUSAGE &&
		!strcmp(err.msg, "'dir': Is a directory"),
	    "a directory as output is refused");
	ok(!cscg_out_open("none/file", 0, &err) && err.code == CSCG_EUSAGE &&
		!strcmp(err.msg, "'none/file': No such file or directory"),
	    "an output in a missing directory is refused");
	ok(!cscg_out_open("", 0, &err) && err.code == CSCG_EUSAGE,
	    "an empty output name is refused");
	memset(name, 'n', 250);
	name[250] = '\0';
	ok(put(name, 0, "x", 1, &err) == 0,
	    "an output name of 250 bytes is accepted");
	memset(name, 'n', 299);
	name[299] = '\0';
	ok(put(name, 0, "x", 1, &err) == -1 && litter(".") == 0,
	    "an output name that is too long is refused");
}

/* A FIFO is written directly; a reader that closes it gives another error. */
static void
pipes(void)
{
	struct cscg_err err = { 0 };
	struct cscg_out *out;
	char path[32], buf[64];
	struct stat st;
	int fd[2], i, rc = 0;
	pid_t pid;

	unlink("fifo");
	if (mkfifo("fifo", 0666) < 0 || pipe(fd) < 0)
		abort();
	pid = fork();
	if (pid == 0) {
		ssize_t n;
		int in = open("fifo", O_RDONLY);

		n = read(in, buf, sizeof buf);
		_exit(n != 3 || memcmp(buf, "abc", 3));
	}
	ok(put("fifo", 0, "abc", 3, &err) == 0, "a FIFO is written directly");
	waitpid(pid, &i, 0);
	ok(i == 0 && stat("fifo", &st) == 0 && S_ISFIFO(st.st_mode),
	    "a FIFO stays a FIFO");
	snprintf(path, sizeof path, "/dev/fd/%d", fd[1]);
	out = cscg_out_open(path, 0, &err);
	close(fd[0]);
	for (i = 0; i < 10 && rc == 0; i++)
		rc = cscg_out_write(out, buf, sizeof buf, &err);
	if (!rc)
		rc = cscg_out_close(out, &err);
	else
		cscg_out_abort(out);
	ok(rc == -1 && err.code == CSCG_EPIPE,
	    "a closed reader is an error of its own");
	close(fd[1]);
}

/* A log is written in place, so that it can be read during the run. */
static void
logs(void)
{
	struct cscg_err err = { 0 };
	struct cscg_out *out = cscg_out_open("log",
	    CSCG_OUT_LOG | CSCG_OUT_LIVE, &err);
	char buf[64];

	cscg_out_printf(out, &err, "%d\n", 1);
	cscg_out_flush(out, &err);
	ok(slurp("log", buf, sizeof buf) == 2 && !cscg_out_tmp(out),
	    "a log grows in place");
	ok(cscg_out_close(out, &err) == 0, "a log is closed without an error");
}

enum { LONG_TEXT = 3000001 };

/* Lines of random digits, which deflate cannot compress much. */
static char *
long_text(void)
{
	char *s = malloc(LONG_TEXT + 1);
	unsigned r = 1;
	long i;

	if (!s)
		abort();
	for (i = 0; i < LONG_TEXT; i++) {
		r = r * 1103515245 + 12345;
		s[i] = i % 61 == 60 ? '\n' : (char)('0' + (r >> 16) % 10);
	}
	s[LONG_TEXT] = '\0';
	return s;
}

/* The error of write or close when the reader closes after the first bytes. */
static int
write_to_closing_pipe(const char *s, struct cscg_err *err)
{
	struct cscg_out *out;
	int fd[2], rc = 0;
	long i;
	char path[40];

	if (pipe(fd) < 0)
		abort();
	snprintf(path, sizeof path, "/dev/fd/%d", fd[1]);
	out = cscg_out_open(path, CSCG_OUT_GZIP, err);
	close(fd[1]);
	close(fd[0]);
	for (i = 0; out && rc == 0 && i < LONG_TEXT; i += 1000)
		rc = cscg_out_write(out, s + i,
		    i + 1000 < LONG_TEXT ? 1000 : (size_t)(LONG_TEXT - i),
		    err);
	if (!out)
		return -1;
	if (rc < 0)
		ok(cscg_out_write(out, s, 1, err) < 0,
		    "a write error is returned again");
	return cscg_out_close(out, err);
}

/*
 * Text is deflated in pieces of 128 KB, some of them by threads, which hold four
 * at a time; random bytes cannot be compressed.
 */
static void
piece_borders(char *s, char *got)
{
	enum { PIECE = 1 << 17 };
	static const int pieces[] = { 1, 2, 4, 5, 6, 9 };
	struct cscg_err err = { 0 };
	struct cscg_in *in;
	size_t i, n;
	uint32_t bits = 1;
	int off;

	for (i = 0; i < LONG_TEXT; i++) {
		bits = bits * 1664525 + 1013904223;
		s[i] = (char)(bits >> 24);
	}
	for (i = 0; i < sizeof pieces / sizeof *pieces; i++)
		for (off = -1; off <= 1; off++) {
			n = (size_t)(pieces[i] * PIECE + off);
			in = put("border.gz", CSCG_OUT_GZIP, s, n, &err) < 0 ?
			    NULL :
			    cscg_in_open("border.gz", &err);
			ok(in &&
				cscg_in_read(in, got, LONG_TEXT, &err) ==
				    (long)n &&
				!memcmp(got, s, n),
			    "%d pieces, %+d bytes (%s)", pieces[i], off,
			    err.msg);
			cscg_in_close(in);
		}
	ok(system("gzip -t border.gz") == 0, "gzip reads random bytes");
}

/* Long streams are compressed by separate threads. */
static void
long_streams(void)
{
	char *s = long_text(), *got = malloc(LONG_TEXT + 2);
	struct cscg_err err = { 0 };
	struct cscg_out *out;
	struct cscg_in *in;
	struct stat st;
	long n, size;

	/* The same bytes in one call and in many. */
	ok(put("long.gz", CSCG_OUT_GZIP, s, LONG_TEXT, &err) == 0,
	    "a long gzip stream is written");
	stat("long.gz", &st);
	size = (long)st.st_size;
	in = cscg_in_open("long.gz", &err);
	n = in && got ? cscg_in_read(in, got, LONG_TEXT + 1, &err) : -1;
	ok(n == LONG_TEXT && !memcmp(got, s, LONG_TEXT),
	    "a long gzip stream is read back");
	cscg_in_close(in);
	out = cscg_out_open("parts.gz", CSCG_OUT_GZIP, &err);
	for (n = 0; out && n < LONG_TEXT; n += 997)
		cscg_out_write(out, s + n,
		    LONG_TEXT - n < 997 ? (size_t)(LONG_TEXT - n) : 997, &err);
	ok(out && cscg_out_close(out, &err) == 0 &&
		stat("parts.gz", &st) == 0 && st.st_size == size &&
		system("cmp -s long.gz parts.gz") == 0,
	    "written in parts a long stream has the same bytes");
	ok(system("gzip -t long.gz") == 0, "gzip -t accepts a long stream");

	ok(put("/dev/full", CSCG_OUT_GZIP, s, LONG_TEXT, &err) < 0 &&
		err.code == CSCG_EIO &&
		!strcmp(err.msg, "'/dev/full': No space left on device"),
	    "a full disk is an error of a long stream");
	memset(&err, 0, sizeof err);
	ok(write_to_closing_pipe(s, &err) < 0 && err.code == CSCG_EPIPE,
	    "a closed reader is an error of a long stream (%s)", err.msg);

	piece_borders(s, got);

	out = cscg_out_open("long.gz", CSCG_OUT_GZIP, &err);
	ok(out && cscg_out_write(out, s, LONG_TEXT - 7, &err) == 0,
	    "a long stream is written once more");
	cscg_out_abort(out);
	ok(stat("long.gz", &st) == 0 && st.st_size == size,
	    "abort of a long stream leaves the target unchanged");
	free(got);
	free(s);
}

int
main(void)
{
	char dir[] = "/tmp/cscg-stream.XXXXXX", cmd[64];
	int null = open("/dev/null", O_RDONLY);

	if (!mkdtemp(dir) || chdir(dir) < 0 || dup2(null, 0) < 0)
		return 1;
	signal(SIGPIPE, SIG_IGN);
	umask(022);
	round_trips();
	cuts();
	damage();
	members();
	unreadable();
	long_lines();
	unread();
	verify();
	bytes();
	live();
	full();
	targets();
	not_creatable();
	pipes();
	logs();
	long_streams();
	snprintf(cmd, sizeof cmd, "rm -rf %s", dir);
	ok(chdir("/") == 0 && system(cmd) == 0, "cleaned up");
	return done();
}
