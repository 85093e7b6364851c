/*
 * stream.c - a path or "-" as bytes, gzip or plain: input
 *
 * zlib's own gzread() waits for a full buffer, takes a cut file for a short
 * one until close and forgives rubbish at the end; so we read() and inflate()
 * here.  Input passes through two buffers: raw as read, text as inflated
 * (plain input is read into text at once).  A fault is kept and told again,
 * since after one there is nothing more to read.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem.h"
#include "io/stream.h"

enum {
	IN_CHUNK = 1 << 16,
	NAME_MAX_CHARS = 400,	/* characters of a file's name in a message */
	VERIFY_WAIT = 100,	/* ms a pipe may be silent in cscg_in_verify() */
	VERIFY_MAX = 1 << 26,	/* bytes read from a pipe there */
	LINE_UNCHECKED = 1 << 20,	/* bytes of a line that need no leave */
	LINE_SHARE = 4		/* of the memory allowed, for one line */
};

struct cscg_in {
	int fd;
	char *name;		/* quoted, for messages */
	bool detected, gzip, z_open, in_member, ended;
	int members;		/* gzip members that ended well */
	z_stream z;
	unsigned char raw[IN_CHUNK];
	size_t raw_pos, raw_len;
	char *text;
	size_t cap, pos, len;	/* text[pos..len) is not handed out yet */
	size_t seen;		/* no newline in text[pos..seen) */
	size_t line, line_end;	/* of the line handed out last */
	long lineno;
	struct cscg_err fault;
};

char *
cscg_stream_name(const char *path, const char *standing, struct cscg_err *err)
{
	size_t n = strlen(path);
	char *s;

	if (!strcmp(path, "-"))
		return cscg_copy(standing, strlen(standing) + 1, 1, err);
	s = cscg_alloc((n < NAME_MAX_CHARS ? n : NAME_MAX_CHARS) + 8, 1, err);
	/* The cause stands behind the name, and must be read, too. */
	if (s && n > NAME_MAX_CHARS)
		sprintf(s, "'%.*s...%s'", NAME_MAX_CHARS / 2, path,
		    path + n - NAME_MAX_CHARS / 2);
	else if (s)
		sprintf(s, "'%s'", path);
	return s;
}

static int
in_fail(struct cscg_in *in, struct cscg_err *err, enum cscg_code code,
    const char *what)
{
	cscg_fail(&in->fault, code, "%s: %s", in->name, what);
	*err = in->fault;
	return -1;
}

static int
in_fail_errno(struct cscg_in *in, struct cscg_err *err, int e)
{
	return in_fail(in, err, e == EIO ? CSCG_EIO : e == ENOMEM ?
	    CSCG_ENOMEM : CSCG_EREAD, strerror(e));
}

struct cscg_in *
cscg_in_open(const char *path, struct cscg_err *err)
{
	struct cscg_in *in = cscg_alloc(1, sizeof *in, err);
	bool dash = !strcmp(path, "-");
	struct stat st;

	if (!in)
		return NULL;
	in->fd = -1;
	in->name = cscg_stream_name(path, "standard input", err);
	if (!in->name)
		goto fail;
	in->fd = dash ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC |
	    O_NOCTTY);
	if (in->fd < 0 || fstat(in->fd, &st) < 0) {
		in_fail_errno(in, err, errno);
		goto fail;
	}
	if (S_ISDIR(st.st_mode)) {
		in_fail(in, err, CSCG_EREAD, "is a directory");
		goto fail;
	}
	return in;
fail:
	cscg_in_close(in);
	return NULL;
}

void
cscg_in_close(struct cscg_in *in)
{
	if (!in)
		return;
	if (in->z_open)
		inflateEnd(&in->z);
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	free(in->text);
	free(in->name);
	free(in);
}

const char *
cscg_in_name(const struct cscg_in *in)
{
	return in->name;
}

long
cscg_in_lineno(const struct cscg_in *in)
{
	return in->lineno;
}

/* As many bytes as are there, but at least one; 0 at the end, -1. */
static ssize_t
fd_read(struct cscg_in *in, void *buf, size_t n, struct cscg_err *err)
{
	struct pollfd p = { .fd = in->fd, .events = POLLIN };
	ssize_t got;

	while ((got = read(in->fd, buf, n)) < 0) {
		/* Somebody may have made it non-blocking: wait all the same. */
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			poll(&p, 1, -1);
		else if (errno != EINTR)
			return in_fail_errno(in, err, errno);
	}
	return got;
}

/* More into raw, behind what is there; 0 at the end, -1. */
static ssize_t
raw_fill(struct cscg_in *in, struct cscg_err *err)
{
	ssize_t got;

	if (in->raw_pos == in->raw_len)
		in->raw_pos = in->raw_len = 0;
	got = fd_read(in, in->raw + in->raw_len, sizeof in->raw - in->raw_len,
	    err);
	if (got > 0)
		in->raw_len += (size_t)got;
	return got;
}

/* Gzip or plain?  A first byte that is not gzip's settles it alone. */
static int
detect_gzip(struct cscg_in *in, struct cscg_err *err)
{
	ssize_t got = 1;

	while (got > 0 && (in->raw_len == 0 ||
	    (in->raw_len == 1 && in->raw[0] == 0x1f)))
		got = raw_fill(in, err);
	if (got < 0)
		return -1;
	in->detected = true;
	/* A lone 0x1f can only be a gzip file cut after its first byte. */
	in->gzip = in->raw_len > 0 && in->raw[0] == 0x1f &&
	    (in->raw_len == 1 || in->raw[1] == 0x8b);
	if (!in->gzip)
		return 0;
	if (inflateInit2(&in->z, 15 + 16) != Z_OK)
		return in_fail(in, err, CSCG_ENOMEM, "out of memory (inflate)");
	in->z_open = in->in_member = true;
	return 0;
}

/* What inflate() objected to. */
static int
fail_inflate(struct cscg_in *in, int zrc, struct cscg_err *err)
{
	const char *why = in->z.msg ? in->z.msg : "unknown fault";
	char msg[128];

	if (zrc == Z_MEM_ERROR)
		return in_fail(in, err, CSCG_ENOMEM, "out of memory (inflate)");
	if (in->members && !in->z.total_out &&
	    !strcmp(why, "incorrect header check"))
		return in_fail(in, err, CSCG_ECUT,
		    "trailing rubbish after gzip data");
	snprintf(msg, sizeof msg, "damaged gzip data (%s)", why);
	return in_fail(in, err, CSCG_ECUT, msg);
}

/* One member has ended: another, or the end?  1, 0 or -1. */
static int
next_member(struct cscg_in *in, struct cscg_err *err)
{
	ssize_t got = 1;

	if (in->raw_pos == in->raw_len)
		got = raw_fill(in, err);
	if (got <= 0)
		return (int)got;
	if (in->raw[in->raw_pos] != 0x1f)
		return in_fail(in, err, CSCG_ECUT,
		    "trailing rubbish after gzip data");
	inflateReset(&in->z);
	in->in_member = true;
	return 1;
}

/* Inflate into the free part of text; 1 if that gave bytes, 0 at the end. */
static int
inflate_chunk(struct cscg_in *in, struct cscg_err *err)
{
	size_t room = in->cap - 1 - in->len;
	ssize_t got;
	uInt before;
	int rc;

	for (;;) {
		if (!in->in_member) {
			rc = next_member(in, err);
			if (rc <= 0)
				return rc;
		}
		in->z.next_out = (unsigned char *)in->text + in->len;
		in->z.avail_out = before = room < IN_CHUNK ? (uInt)room : IN_CHUNK;
		in->z.next_in = in->raw + in->raw_pos;
		in->z.avail_in = (uInt)(in->raw_len - in->raw_pos);
		rc = inflate(&in->z, Z_NO_FLUSH);
		in->raw_pos = in->raw_len - in->z.avail_in;
		in->len += before - in->z.avail_out;
		if (rc == Z_STREAM_END) {
			in->in_member = false;
			in->members++;
		} else if (rc != Z_OK && rc != Z_BUF_ERROR) {
			/* Nothing that came with the fault is to be trusted. */
			in->len -= before - in->z.avail_out;
			return fail_inflate(in, rc, err);
		}
		if (in->z.avail_out < before)
			return 1;
		if (rc == Z_STREAM_END || in->raw_pos < in->raw_len)
			continue;
		got = raw_fill(in, err);
		if (got < 0)
			return -1;
		if (got == 0)
			return in_fail(in, err, CSCG_ECUT,
			    "unexpected end of gzip data");
	}
}

/* What detect_gzip() read ahead, then straight from the descriptor. */
static int
read_plain_chunk(struct cscg_in *in, struct cscg_err *err)
{
	size_t ahead = in->raw_len - in->raw_pos;
	ssize_t got;

	if (ahead) {
		memcpy(in->text + in->len, in->raw + in->raw_pos, ahead);
		in->raw_pos = in->raw_len;
		in->len += ahead;
		return 1;
	}
	got = fd_read(in, in->text + in->len, in->cap - 1 - in->len, err);
	if (got > 0)
		in->len += (size_t)got;
	return got < 0 ? -1 : got > 0;
}

static int
line_too_long(struct cscg_in *in, struct cscg_err *err)
{
	char have[CSCG_MEM_TEXT], limit[CSCG_MEM_TEXT], msg[160];
	double all = (double)cscg_mem_limit();

	snprintf(msg, sizeof msg, "line %ld: more than %s of text in one line, "
	    "too much for the %s of memory allowed (--max-memory)",
	    in->lineno + 1, cscg_mem_text(all / LINE_SHARE, have),
	    cscg_mem_text(all, limit));
	return in_fail(in, err, CSCG_ERANGE, msg);
}

/* More text behind what is there; 1, 0 at a clean end, -1. */
static int
fill_text(struct cscg_in *in, struct cscg_err *err)
{
	int rc;

	if (in->fault.code) {
		*err = in->fault;
		return -1;
	}
	if (in->ended)
		return 0;
	/* Moves an unfinished line once, since then pos is 0. */
	if (in->pos > 0) {
		memmove(in->text, in->text + in->pos, in->len - in->pos);
		in->len -= in->pos;
		in->seen -= in->pos;
		in->pos = 0;
	}
	/*
	 * What is parsed from a line takes a multiple of it; and a few bytes
	 * of gzip can be a line without end.
	 */
	if (in->len > LINE_UNCHECKED && in->len > cscg_mem_limit() / LINE_SHARE)
		return line_too_long(in, err);
	/* One byte more, for the NUL behind a last line. */
	if (cscg_grow(&in->text, &in->cap, in->len + IN_CHUNK + 1, 1, err) < 0)
		return cscg_fail_at(err, "%s", in->name);
	if (!in->detected && detect_gzip(in, err) < 0)
		return -1;
	rc = in->gzip ? inflate_chunk(in, err) : read_plain_chunk(in, err);
	in->ended = rc == 0;
	return rc;
}

int
cscg_in_line(struct cscg_in *in, char **line, size_t *len,
    struct cscg_err *err)
{
	char *nl;
	int rc;

	for (;;) {
		nl = in->seen < in->len ? memchr(in->text + in->seen, '\n',
		    in->len - in->seen) : NULL;
		if (nl)
			break;
		in->seen = in->len;
		rc = fill_text(in, err);
		if (rc < 0)
			return -1;
		if (rc > 0)
			continue;
		if (in->pos == in->len)
			return 0;
		nl = in->text + in->len;	/* cap leaves room for it */
		break;
	}
	*nl = '\0';
	*line = in->text + in->pos;
	*len = (size_t)(nl - *line);
	in->line = in->pos;
	in->line_end = (size_t)(nl - in->text);
	in->pos = (size_t)(nl - in->text);
	if (in->pos < in->len)
		in->pos++;
	in->seen = in->pos;
	in->lineno++;
	return 1;
}

void
cscg_in_unread_line(struct cscg_in *in)
{
	/* A last line may have had no newline. */
	if (in->pos > in->line_end)
		in->text[in->line_end] = '\n';
	in->pos = in->seen = in->line;
	in->lineno--;
}

long
cscg_in_read(struct cscg_in *in, void *buf, size_t n, struct cscg_err *err)
{
	size_t got = 0, some;
	int rc;

	while (got < n) {
		if (in->pos == in->len) {
			rc = fill_text(in, err);
			if (rc < 0)
				return -1;
			if (rc == 0)
				break;
		}
		some = in->len - in->pos < n - got ? in->len - in->pos :
		    n - got;
		memcpy((char *)buf + got, in->text + in->pos, some);
		got += some;
		in->pos += some;
		if (in->seen < in->pos)
			in->seen = in->pos;
	}
	return (long)got;
}

int
cscg_in_peek(struct cscg_in *in, struct cscg_err *err)
{
	int rc;

	if (in->pos == in->len) {
		rc = fill_text(in, err);
		if (rc <= 0)
			return rc < 0 ? -2 : -1;
	}
	return (unsigned char)in->text[in->pos];
}

int
cscg_in_verify(struct cscg_in *in, struct cscg_err *err)
{
	struct cscg_err fault = { 0 };
	struct pollfd p = { .fd = in->fd, .events = POLLIN };
	struct stat st;
	long total = 0;
	int rc = 1;

	/* Plain text has no checksum to be wrong. */
	if (!in->gzip || fstat(in->fd, &st) < 0)
		return 0;
	while (rc > 0) {
		if (!S_ISREG(st.st_mode) && (total > VERIFY_MAX ||
		    (in->raw_pos == in->raw_len &&
		    poll(&p, 1, VERIFY_WAIT) <= 0)))
			return 0;
		in->pos = in->seen = in->len;
		rc = fill_text(in, &fault);
		total += IN_CHUNK;
	}
	if (rc < 0)
		*err = fault;
	return rc;
}
