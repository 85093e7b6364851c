/*
 * stream.c - input and output streams: file or standard stream, gzip or plain,
 * atomic replacement
 *
 * gzread() of zlib waits for a full buffer, reports a truncated file only at
 * close, and ignores trailing garbage; so this module reads and inflates
 * itself.  Input passes through two buffers: raw as read, text as
 * inflated (plain input is read into text directly).  The first error is kept
 * and returned by all later calls.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/poll.h"
#include "io/inflate.h"
#include "io/stream.h"

enum {
	IN_CHUNK = 1 << 16,
	TEXT_SMALL = 1 << 22, /* bytes of text that are allocated at once */
	GZIP_MOST = 1032,     /* bytes that a byte of gzip can stand for */
	NAME_MAX_CHARS = 400, /* characters of a file's name in a message */
	VERIFY_WAIT = 100,    /* ms a pipe may be silent in cscg_in_verify() */
	VERIFY_MAX = 1 << 26, /* bytes read from a pipe there */
	LINE_UNCHECKED = 1 << 20, /* bytes of a line that are always allowed */
	LINE_SHARE = 4, /* one line may take 1/4 of the memory limit */
	BLANK_LINES_MAX = 1000000, /* blank lines in a row */
};

struct cscg_in {
	int fd;
	char *name;  /* quoted, for messages */
	size_t size; /* of a regular file */
	bool detected, gzip, in_member, ended;
	int members; /* gzip members completed without an error */
	struct cscg_inflate *z;
	unsigned char raw[IN_CHUNK];
	size_t raw_pos, raw_len;
	char *text;
	size_t cap, pos, len;  /* text[pos..len) has not been returned yet */
	size_t seen;           /* no newline in text[pos..seen) */
	size_t line, line_end; /* of the line returned last */
	bool has_nul;          /* a NUL byte has been read */
	long lineno, n_blank;  /* lines read; blank ones of them, at the end */
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
	/*
	 * A long name is shortened, so that the cause after it stays readable.
	 */
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
	bool machine = e == EIO || e == EMFILE || e == ENFILE;

	return in_fail(in, err,
	    machine         ? CSCG_EIO :
		e == ENOMEM ? CSCG_ENOMEM :
			      CSCG_EREAD,
	    strerror(e));
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
	in->fd = dash ? STDIN_FILENO :
			open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (in->fd < 0 || fstat(in->fd, &st) < 0) {
		in_fail_errno(in, err, errno);
		goto fail;
	}
	if (S_ISDIR(st.st_mode)) {
		in_fail(in, err, CSCG_EREAD, "is a directory");
		goto fail;
	}
	in->size = S_ISREG(st.st_mode) ? (size_t)st.st_size : 0;
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
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	free(in->z);
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

/* Read the available bytes, at least one; 0 at the end, -1. */
static ssize_t
fd_read(struct cscg_in *in, void *buf, size_t n, struct cscg_err *err)
{
	struct pollfd p = { .fd = in->fd, .events = POLLIN };
	ssize_t got;

	while ((got = read(in->fd, buf, n)) < 0) {
		/* The descriptor may be non-blocking: wait with poll(). */
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			poll(&p, 1, -1);
		else if (errno != EINTR)
			return in_fail_errno(in, err, errno);
	}
	return got;
}

/* Append to raw; 0 at the end, -1. */
static ssize_t
raw_fill(struct cscg_in *in, struct cscg_err *err)
{
	ssize_t got;

	/* inflate() leaves a few bytes of a part that is not whole yet. */
	memmove(in->raw, in->raw + in->raw_pos, in->raw_len - in->raw_pos);
	in->raw_len -= in->raw_pos;
	in->raw_pos = 0;
	got = fd_read(in, in->raw + in->raw_len, sizeof in->raw - in->raw_len,
	    err);
	if (got > 0)
		in->raw_len += (size_t)got;
	return got;
}

/* Detect gzip.  A first byte other than gzip's is decisive. */
static int
detect_gzip(struct cscg_in *in, struct cscg_err *err)
{
	ssize_t got = 1;

	while (got > 0 &&
	    (in->raw_len == 0 || (in->raw_len == 1 && in->raw[0] == 0x1f)))
		got = raw_fill(in, err);
	if (got < 0)
		return -1;
	in->detected = true;
	/*
	 * A single byte 0x1f can only be a gzip file truncated after its first
	 * byte.
	 */
	in->gzip = in->raw_len > 0 && in->raw[0] == 0x1f &&
	    (in->raw_len == 1 || in->raw[1] == 0x8b);
	if (!in->gzip)
		return 0;
	in->z = cscg_inflate_new(err);
	if (!in->z)
		return in_fail(in, err, CSCG_ENOMEM,
		    "out of memory (inflate)");
	in->in_member = true;
	return 0;
}

static int
fail_inflate(struct cscg_in *in, struct cscg_err *err)
{
	char msg[128];

	if (in->members && cscg_inflate_is_headless(in->z))
		return in_fail(in, err, CSCG_ECUT,
		    "trailing garbage after gzip data");
	snprintf(msg, sizeof msg, "damaged gzip data (%s)",
	    cscg_inflate_fault(in->z));
	return in_fail(in, err, CSCG_ECUT, msg);
}

/* At the end of a gzip member: 1 if another follows, 0 at the end, -1. */
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
		    "trailing garbage after gzip data");
	cscg_inflate_reset(in->z);
	in->in_member = true;
	return 1;
}

/* Inflate into the free part of text; 1 if that gave bytes, 0 at the end. */
static int
inflate_chunk(struct cscg_in *in, struct cscg_err *err)
{
	size_t room = in->cap - 1 - in->len, n;
	const unsigned char *at;
	ssize_t got;
	int rc;

	for (;;) {
		if (!in->in_member) {
			rc = next_member(in, err);
			if (rc <= 0)
				return rc;
		}
		at = in->raw + in->raw_pos;
		switch (cscg_inflate(in->z, &at, in->raw + in->raw_len,
		    in->text + in->len, room, &n)) {
		case CSCG_INFLATE_OK:
			in->raw_pos = (size_t)(at - in->raw);
			in->len += n;
			return 1;
		case CSCG_INFLATE_FAULT:
			return fail_inflate(in, err);
		case CSCG_INFLATE_END:
			in->raw_pos = (size_t)(at - in->raw);
			in->in_member = false;
			in->members++;
			break;
		case CSCG_INFLATE_INPUT:
			in->raw_pos = (size_t)(at - in->raw);
			got = raw_fill(in, err);
			if (got < 0)
				return -1;
			if (got == 0)
				return in_fail(in, err, CSCG_ECUT,
				    "unexpected end of gzip data");
			break;
		}
	}
}

/*
 * The bytes that detect_gzip() read ahead, then directly from the descriptor.
 */
static int
read_plain_chunk(struct cscg_in *in, struct cscg_err *err)
{
	size_t ahead = in->raw_len - in->raw_pos;
	size_t room = in->cap - 1 - in->len;
	ssize_t got;

	if (ahead) {
		memcpy(in->text + in->len, in->raw + in->raw_pos, ahead);
		in->raw_pos = in->raw_len;
		in->len += ahead;
		return 1;
	}
	got = fd_read(in, in->text + in->len,
	    room < 2 * IN_CHUNK ? room : 2 * IN_CHUNK, err);
	if (got > 0)
		in->len += (size_t)got;
	return got < 0 ? -1 : got > 0;
}

static int
line_too_long(struct cscg_in *in, struct cscg_err *err)
{
	char have[CSCG_MEM_TEXT], limit[CSCG_MEM_TEXT], msg[160];
	double all = (double)cscg_mem_limit();

	snprintf(msg, sizeof msg,
	    "line %ld: more than %s of text in one line, too much for the %s "
	    "of memory allowed",
	    in->lineno + 1, cscg_mem_text(all / LINE_SHARE, have),
	    cscg_mem_text(all, limit));
	in_fail(in, err, CSCG_ERANGE, msg);
	cscg_fail_hint(&in->fault, "memory-limit");
	*err = in->fault;
	return -1;
}

/*
 * The size of the whole text of a small file, as the end of a gzip file claims it;
 * 0: unknown or large.
 */
static size_t
whole_text(const struct cscg_in *in)
{
	unsigned char end[4];
	size_t size = in->size;

	if (in->gzip) {
		if (in->size < sizeof end ||
		    pread(in->fd, end, sizeof end,
			(off_t)(in->size - sizeof end)) != sizeof end)
			return 0;
		size = (size_t)end[3] << 24 | (size_t)end[2] << 16 |
		    (size_t)end[1] << 8 | end[0];
		if (size / GZIP_MOST > in->size)
			return 0;
	}
	return size <= TEXT_SMALL ? size : 0;
}

/* Append to text; 1, 0 at a clean end, -1. */
static int
fill_text(struct cscg_in *in, struct cscg_err *err)
{
	size_t before, need;
	int rc;

	if (in->fault.code) {
		*err = in->fault;
		return -1;
	}
	if (in->ended)
		return 0;
	/* Moves an unfinished line once, since pos is 0 afterwards. */
	if (in->pos > 0) {
		memmove(in->text, in->text + in->pos, in->len - in->pos);
		in->len -= in->pos;
		in->seen -= in->pos;
		in->pos = 0;
	}
	/*
	 * Parsing a line takes a multiple of its size in memory, and a few
	 * bytes of gzip can expand to a line of any length.
	 */
	if (in->len > LINE_UNCHECKED &&
	    in->len > cscg_mem_limit() / LINE_SHARE)
		return line_too_long(in, err);
	if (!in->detected && detect_gzip(in, err) < 0)
		return -1;
	/* One byte more, for the NUL behind a last line. */
	need = in->len + IN_CHUNK + 1;
	/* A line longer than a chunk may be the whole text, such as a model. */
	if (need > in->cap && in->text && need < whole_text(in))
		need = whole_text(in) + IN_CHUNK + 1;
	if (cscg_grow_unset(&in->text, &in->cap, need, 1, err) < 0)
		return cscg_fail_at(err, "%s", in->name);
	before = in->len;
	rc = in->gzip ? inflate_chunk(in, err) : read_plain_chunk(in, err);
	in->ended = rc == 0;
	if (!in->has_nul && in->len > before)
		in->has_nul = memchr(in->text + before, '\0',
		    in->len - before);
	return rc;
}

/*
 * Readers skip blank lines.  A few bytes of gzip can expand to very many of
 * them, which would take long to skip.
 */
static int
check_blank(struct cscg_in *in, const char *line, size_t len,
    struct cscg_err *err)
{
	char msg[80];

	if ((unsigned char)*line > ' ' || strspn(line, " \t\r") < len) {
		in->n_blank = 0;
		return 0;
	}
	if (in->n_blank++ < BLANK_LINES_MAX)
		return 0;
	snprintf(msg, sizeof msg,
	    "line %ld: more than %d blank lines in a row", in->lineno,
	    BLANK_LINES_MAX);
	return in_fail(in, err, CSCG_EFORMAT, msg);
}

int
cscg_in_line(struct cscg_in *in, char **line, size_t *len,
    struct cscg_err *err)
{
	char *nl;
	int rc;

	for (;;) {
		nl = in->seen < in->len ?
		    memchr(in->text + in->seen, '\n', in->len - in->seen) :
		    NULL;
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
		nl = in->text + in->len; /* within the capacity */
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
	return check_blank(in, *line, *len, err) < 0 ? -1 : 1;
}

void
cscg_in_unread_line(struct cscg_in *in)
{
	/* The last line may lack a newline. */
	if (in->pos > in->line_end)
		in->text[in->line_end] = '\n';
	in->pos = in->seen = in->line;
	in->lineno--;
}

size_t
cscg_in_at_hand(const struct cscg_in *in, const char **text)
{
	*text = in->text + in->pos;
	return in->len - in->pos;
}

void
cscg_in_skip_lines(struct cscg_in *in, size_t bytes, long lines)
{
	in->pos += bytes;
	in->seen = in->line = in->line_end = in->pos;
	in->lineno += lines;
	in->n_blank = 0;
}

bool
cscg_in_line_has_nul(const struct cscg_in *in)
{
	return in->has_nul &&
	    memchr(in->text + in->line, '\0', in->line_end - in->line);
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

	/* Plain text has no checksum. */
	if (!in->gzip || fstat(in->fd, &st) < 0)
		return 0;
	while (rc > 0) {
		if (!S_ISREG(st.st_mode) &&
		    (total > VERIFY_MAX ||
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

/*
 * output: a path or "-", gzip or plain
 *
 * On a full disk the last bytes fail at close, so the result of close matters.
 * The first error is kept and returned by all later calls.
 *
 * Text is written in pieces of equal length.  A piece of a gzip stream that is
 * not live is deflated without reference to the pieces before it, so that threads
 * can deflate several pieces of a long stream at once while the caller fills the
 * next one.  The caller writes them in order: the bytes do not depend on threads.
 */

enum {
	OUT_CHUNK = 1 << 17, /* bytes of text of a piece */
	OUT_WORKERS = 2,     /* threads, started for the second piece */
	OUT_DEPTH = 2,       /* pieces of a thread: in work and waiting */
	OUT_PIECES = OUT_WORKERS * OUT_DEPTH,
	GZIP_HEAD = 10, /* bytes before the deflated text, ... */
	GZIP_TAIL = 8,  /* ... and behind it */
	/* Deflated text may be longer than the text, by much less. */
	OUT_PACKED = GZIP_HEAD + OUT_CHUNK + OUT_CHUNK / 8 + GZIP_TAIL,
	LINKS_MAX = 40, /* limit of symbolic links, as in Linux */
};

struct piece {
	size_t len; /* bytes of text */
	uLong crc;  /* of text */
	size_t n_packed;
	unsigned char text[OUT_CHUNK], packed[OUT_PACKED];
};

struct deflater {
	struct cscg_out *out;
	z_stream z;
	struct cscg_worker *worker;
};

struct cscg_out {
	int fd;
	char *name;         /* quoted, for messages */
	char *target, *tmp; /* NULL: written in place */
	bool gzip, live;
	z_stream z; /* of the caller */
	uLong crc;  /* of the text written */
	uint32_t total;
	struct piece *piece; /* the one being filled */
	long n_pieces;       /* pieces before it */
	/* With workers; piece i is in slot i % OUT_PIECES. */
	struct deflater *deflater; /* [OUT_WORKERS]; NULL: none */
	struct piece *slot;        /* [OUT_PIECES] */
	long first, n_written;     /* pieces deflated by the caller, written */
	struct cscg_err fault;
	struct piece *own;
};

static int
out_fail(struct cscg_out *out, struct cscg_err *err, enum cscg_code code,
    const char *what)
{
	cscg_fail(&out->fault, code, "%s: %s", out->name, what);
	*err = out->fault;
	return -1;
}

static int
out_fail_errno(struct cscg_out *out, struct cscg_err *err, int e)
{
	return out_fail(out, err, e == EPIPE ? CSCG_EPIPE : CSCG_EIO,
	    strerror(e));
}

enum cscg_code
cscg_out_create_code(int e)
{
	bool machine = e == ENOSPC || e == EDQUOT || e == EIO || e == ENOMEM ||
	    e == EMFILE || e == ENFILE;

	return machine ? CSCG_EIO : CSCG_EUSAGE;
}

static int
create_fail(struct cscg_out *out, struct cscg_err *err, int e)
{
	return out_fail(out, err, cscg_out_create_code(e), strerror(e));
}

/*
 * Resolve the symbolic links of path, also if the target does not exist: the
 * temporary file is created beside the target, and the link stays a link.
 */
static char *
resolve(struct cscg_out *out, const char *path, struct cscg_err *err)
{
	char link[PATH_MAX], *p = cscg_copy(path, strlen(path) + 1, 1, err);
	char *slash, *q;
	size_t dir, size;
	ssize_t n;
	int i;

	for (i = 0; p && i < LINKS_MAX; i++) {
		n = readlink(p, link, sizeof link - 1);
		if (n < 0)
			return p;
		link[n] = '\0';
		slash = strrchr(p, '/');
		dir = slash && link[0] != '/' ? (size_t)(slash - p) + 1 : 0;
		size = dir + (size_t)n + 1;
		q = cscg_alloc(size, 1, err);
		if (q)
			snprintf(q, size, "%.*s%s", (int)dir, p, link);
		free(p);
		p = q;
	}
	if (p)
		create_fail(out, err, ELOOP);
	free(p);
	return NULL;
}

/*
 * Create a temporary file beside the target, with the mode that the target has
 * or would have, but not setuid, setgid or sticky, which were not granted to
 * the new content.
 */
static int
open_tmp(struct cscg_out *out, const struct stat *old, struct cscg_err *err)
{
	const char *slash = strrchr(out->target, '/');
	const char *base = slash ? slash + 1 : out->target;
	size_t size = strlen(out->target) + 16;
	mode_t mode, mask;

	if (!*base)
		return create_fail(out, err, *out->target ? EISDIR : ENOENT);
	out->tmp = cscg_alloc(size, 1, err);
	if (!out->tmp)
		return -1;
	/*
	 * A name near the length limit is shortened; the random suffix makes it
	 * unique.
	 */
	snprintf(out->tmp, size, "%.*s.%.200s.tmp.XXXXXX",
	    (int)(base - out->target), out->target, base);
	out->fd = mkostemp(out->tmp, O_CLOEXEC);
	if (out->fd < 0) {
		free(out->tmp);
		out->tmp = NULL;
		return create_fail(out, err, errno);
	}
	mask = umask(0);
	umask(mask);
	mode = old ? old->st_mode & 0777 : 0666 & ~mask;
	if (fchmod(out->fd, mode) < 0)
		return create_fail(out, err, errno);
	return 0;
}

static int
open_fd(struct cscg_out *out, const char *path, unsigned flags,
    struct cscg_err *err)
{
	struct stat st;
	bool exists = stat(path, &st) == 0;

	/*
	 * Create only a new name.  The kernel can refuse to follow a link, and
	 * rejects a name that is too long.
	 */
	if (!exists && errno != ENOENT)
		return create_fail(out, err, errno);
	if (exists && S_ISDIR(st.st_mode))
		return create_fail(out, err, EISDIR);
	if ((exists && !S_ISREG(st.st_mode)) || (flags & CSCG_OUT_LOG)) {
		out->fd = open(path,
		    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
		return out->fd < 0 ? create_fail(out, err, errno) : 0;
	}
	/* rename() would replace a file that the user may not write. */
	if (exists && access(path, W_OK) < 0)
		return create_fail(out, err, errno);
	out->target = resolve(out, path, err);
	if (!out->target)
		return -1;
	return open_tmp(out, exists ? &st : NULL, err);
}

/* Without the head and tail of gzip, which belong to no piece. */
static int
init_deflate(z_stream *z)
{
	return deflateInit2(z, 1, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) ==
		Z_OK ?
	    0 :
	    -1;
}

struct cscg_out *
cscg_out_open(const char *path, unsigned flags, struct cscg_err *err)
{
	struct cscg_out *out = cscg_alloc(1, sizeof *out, err);
	bool dash = !path || !strcmp(path, "-");

	if (!out)
		return NULL;
	out->fd = -1;
	/* Not zeroed, since most output is short. */
	out->own = out->piece = malloc(sizeof *out->own);
	if (!out->own) {
		cscg_fail(err, CSCG_ENOMEM, "out of memory (output)");
		goto fail;
	}
	out->own->len = 0;
	out->live = flags & CSCG_OUT_LIVE;
	out->name = cscg_stream_name(dash ? "-" : path, "standard output",
	    err);
	if (!out->name)
		goto fail;
	if (flags & CSCG_OUT_GZIP) {
		if (init_deflate(&out->z) < 0) {
			out_fail(out, err, CSCG_ENOMEM,
			    "out of memory (deflate)");
			goto fail;
		}
		out->gzip = true;
	}
	if (dash)
		out->fd = STDOUT_FILENO;
	else if (open_fd(out, path, flags, err) < 0)
		goto fail;
	return out;
fail:
	cscg_out_abort(out);
	return NULL;
}

static int
write_bytes(struct cscg_out *out, const unsigned char *buf, size_t len,
    struct cscg_err *err)
{
	struct pollfd p = { .fd = out->fd, .events = POLLOUT };
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = write(out->fd, buf + done, len - done);
		if (n >= 0)
			done += (size_t)n;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			poll(&p, 1, -1);
		else if (errno != EINTR)
			return out_fail_errno(out, err, errno);
	}
	return 0;
}

/* Deflate the text of a piece behind the space for the head. */
static int
deflate_piece(z_stream *z, struct piece *p, int flush)
{
	size_t space = OUT_PACKED - GZIP_HEAD - GZIP_TAIL;

	z->next_in = p->text;
	z->avail_in = (uInt)p->len;
	z->next_out = p->packed + GZIP_HEAD;
	z->avail_out = (uInt)space;
	/* Z_BUF_ERROR: no work was left. */
	if (deflate(z, flush) == Z_STREAM_ERROR || !z->avail_out)
		return -1;
	p->n_packed = space - z->avail_out;
	p->crc = crc32(crc32(0, NULL, 0), p->text, (uInt)p->len);
	return 0;
}

static void
put_uint32(unsigned char *to, uLong v)
{
	int i;

	for (i = 0; i < 4; i++, v >>= 8)
		to[i] = v & 0xff;
}

/* Write a deflated piece, with the head before the first, the tail if last. */
static int
write_piece(struct cscg_out *out, struct piece *p, bool last,
    struct cscg_err *err)
{
	/* RFC 1952: deflated, no name, no time, fastest, Unix. */
	static const unsigned char head[GZIP_HEAD] = { 0x1f, 0x8b, 8, 0, 0, 0,
		0, 0, 4, 3 };
	size_t skip = out->n_written++ ? GZIP_HEAD : 0;

	out->crc = crc32_combine(out->crc, p->crc, (z_off_t)p->len);
	out->total += (uint32_t)p->len;
	memcpy(p->packed, head, sizeof head);
	if (last) {
		unsigned char *tail = p->packed + GZIP_HEAD + p->n_packed;

		put_uint32(tail, out->crc);
		put_uint32(tail + 4, out->total);
		p->n_packed += GZIP_TAIL;
	}
	return write_bytes(out, p->packed + skip,
	    GZIP_HEAD - skip + p->n_packed, err);
}

static struct piece *
slot(struct cscg_out *out, long i)
{
	return &out->slot[i % OUT_PIECES];
}

/* Item i of a worker is piece i * OUT_WORKERS + its number, behind first. */
static int
work_piece(void *ctx, long i)
{
	struct deflater *d = ctx;
	struct cscg_out *out = d->out;

	return deflateReset(&d->z) == Z_OK ?
	    deflate_piece(&d->z,
		slot(out, i * OUT_WORKERS + (d - out->deflater)),
		Z_SYNC_FLUSH) :
	    -1;
}

static void
free_workers(struct cscg_out *out)
{
	int i;

	for (i = 0; i < OUT_WORKERS && out->deflater; i++) {
		cscg_worker_free(out->deflater[i].worker);
		deflateEnd(&out->deflater[i].z);
	}
	free(out->deflater);
	free(out->slot);
	out->deflater = NULL;
	out->slot = NULL;
}

/* Start the workers; without all of them the caller does the work. */
static void
start_workers(struct cscg_out *out)
{
	struct deflater *d;
	int i;

	out->slot = malloc(OUT_PIECES * sizeof *out->slot);
	out->deflater = calloc(OUT_WORKERS, sizeof *out->deflater);
	for (i = 0; i < OUT_WORKERS && out->slot && out->deflater; i++) {
		d = &out->deflater[i];
		d->out = out;
		if (init_deflate(&d->z) == 0)
			d->worker = cscg_worker_new(work_piece, d, OUT_DEPTH);
		if (!d->worker)
			break;
	}
	if (i < OUT_WORKERS) {
		free_workers(out);
		return;
	}
	out->first = out->n_pieces;
	out->piece = slot(out, 0);
}

static int
fail_deflate(struct cscg_out *out, struct cscg_err *err)
{
	return out_fail(out, err, CSCG_EBUG,
	    "deflate failed: inconsistent state");
}

/*
 * Pass the piece to its worker and wait for the slot of a later one, which has
 * then been deflated.
 */
static int
push_piece(struct cscg_out *out, struct cscg_err *err)
{
	long i = out->n_pieces - out->first;

	if (cscg_worker_push(out->deflater[i % OUT_WORKERS].worker) < 0)
		return fail_deflate(out, err);
	out->n_pieces++;
	out->piece = slot(out, ++i);
	return i < OUT_PIECES ? 0 : write_piece(out, out->piece, false, err);
}

/* Wait for all pieces, and write those that are not written. */
static int
finish_workers(struct cscg_out *out, struct cscg_err *err)
{
	long i;
	int w;

	for (w = 0; w < OUT_WORKERS; w++)
		if (cscg_worker_wait(out->deflater[w].worker) < 0)
			return fail_deflate(out, err);
	for (i = out->n_written; i < out->n_pieces; i++)
		if (write_piece(out, slot(out, i - out->first), false, err) <
		    0)
			return -1;
	return 0;
}

/* Write the text of the piece. */
static int
drain(struct cscg_out *out, int flush, struct cscg_err *err)
{
	struct piece *p = out->piece;
	int rc;

	if (!out->gzip)
		rc = write_bytes(out, p->text, p->len, err);
	else if ((!out->live && out->n_written &&
		     deflateReset(&out->z) != Z_OK) ||
	    deflate_piece(&out->z, p, flush) < 0)
		rc = fail_deflate(out, err);
	else
		rc = write_piece(out, p, flush == Z_FINISH, err);
	p->len = 0;
	return rc;
}

/* The piece is full. */
static int
next_piece(struct cscg_out *out, struct cscg_err *err)
{
	int rc;

	if (out->deflater) {
		rc = push_piece(out, err);
	} else {
		rc = drain(out, Z_SYNC_FLUSH, err);
		if (out->n_pieces++ == 0 && out->gzip && !out->live && !rc)
			start_workers(out);
	}
	out->piece->len = 0;
	return rc;
}

static int
check_fault(const struct cscg_out *out, struct cscg_err *err)
{
	if (!out->fault.code)
		return 0;
	*err = out->fault;
	return -1;
}

int
cscg_out_write(struct cscg_out *out, const void *buf, size_t n,
    struct cscg_err *err)
{
	const char *p = buf;
	size_t chunk;

	if (check_fault(out, err) < 0)
		return -1;
	while (n) {
		if (out->piece->len == OUT_CHUNK && next_piece(out, err) < 0)
			return -1;
		chunk = OUT_CHUNK - out->piece->len;
		if (chunk > n)
			chunk = n;
		memcpy(out->piece->text + out->piece->len, p, chunk);
		out->piece->len += chunk;
		p += chunk;
		n -= chunk;
	}
	return 0;
}

int
cscg_out_printf(struct cscg_out *out, struct cscg_err *err, const char *fmt,
    ...)
{
	char small[512], *s = small;
	va_list ap;
	int n, rc;

	va_start(ap, fmt);
	n = vsnprintf(small, sizeof small, fmt, ap);
	va_end(ap);
	if (n < 0)
		return out_fail(out, err, CSCG_EBUG, "unprintable text");
	if ((size_t)n >= sizeof small) {
		s = cscg_alloc((size_t)n + 1, 1, err);
		if (!s) {
			out->fault = *err;
			return -1;
		}
		va_start(ap, fmt);
		vsnprintf(s, (size_t)n + 1, fmt, ap);
		va_end(ap);
	}
	rc = cscg_out_write(out, s, (size_t)n, err);
	if (s != small)
		free(s);
	return rc;
}

void
cscg_out_set_live(struct cscg_out *out, bool live)
{
	if (!out->gzip)
		out->live = live;
}

int
cscg_out_flush(struct cscg_out *out, struct cscg_err *err)
{
	if (check_fault(out, err) < 0)
		return -1;
	return out->live ? drain(out, Z_SYNC_FLUSH, err) : 0;
}

const char *
cscg_out_tmp(const struct cscg_out *out)
{
	return out ? out->tmp : NULL;
}

/* Some file systems do not support sync and return EINVAL. */
static int
sync_fd(struct cscg_out *out, int fd, struct cscg_err *err)
{
	if (fsync(fd) < 0 && errno != EINVAL)
		return out_fail_errno(out, err, errno);
	return 0;
}

/*
 * Rename the temporary file to the target.  The directory is opened first, so
 * that a failure to open it leaves the old file; after rename(), syncing the
 * directory makes the new name durable.  A directory that may be written but
 * not read cannot be synced.
 */
static int
rename_tmp(struct cscg_out *out, struct cscg_err *err)
{
	const char *slash = strrchr(out->target, '/');
	char dir[PATH_MAX];
	int fd, rc = 0;

	snprintf(dir, sizeof dir, "%.*s.",
	    slash ? (int)(slash + 1 - out->target) : 0, out->target);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && errno != EACCES)
		return out_fail_errno(out, err, errno);
	if (rename(out->tmp, out->target) < 0) {
		rc = out_fail_errno(out, err, errno);
	} else {
		free(out->tmp);
		out->tmp = NULL;
		if (fd >= 0)
			rc = sync_fd(out, fd, err);
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

/* Synced and renamed. */
static int
commit(struct cscg_out *out, struct cscg_err *err)
{
	if (out->tmp && sync_fd(out, out->fd, err) < 0)
		return -1;
	if (close(out->fd) < 0) {
		out->fd = -1;
		return out_fail_errno(out, err, errno);
	}
	out->fd = -1;
	return out->tmp ? rename_tmp(out, err) : 0;
}

int
cscg_out_close(struct cscg_out *out, struct cscg_err *err)
{
	int rc = check_fault(out, err);

	if (!rc && out->deflater)
		rc = finish_workers(out, err);
	if (!rc)
		rc = drain(out, Z_FINISH, err);
	if (!rc)
		rc = commit(out, err);
	cscg_out_abort(out);
	return rc;
}

void
cscg_out_abort(struct cscg_out *out)
{
	if (!out)
		return;
	free_workers(out);
	if (out->fd >= 0)
		close(out->fd);
	if (out->tmp)
		unlink(out->tmp);
	if (out->gzip)
		deflateEnd(&out->z);
	free(out->tmp);
	free(out->target);
	free(out->name);
	free(out->own);
	free(out);
}

/* lines from an untrusted process, with limits on length and waiting time */

enum { LINES_CHUNK = 1 << 16 };

int
cscg_lines_poll(int fd, short events, double until)
{
	struct pollfd p = { .fd = fd, .events = events };
	double left;
	int ms, rc;

	do {
		ms = -1;
		if (until > 0) {
			left = until - cscg_clock();
			/*
			 * A long wait is divided into several calls of poll().
			 */
			ms = left <= 0 ? 0 :
			    left > 1e6 ? 1000000000 :
					 (int)(left * 1e3) + 1;
		}
		rc = poll(&p, 1, ms);
	} while ((rc < 0 && errno == EINTR) ||
	    (rc == 0 && until > 0 && cscg_clock() < until));
	return rc;
}

/* Append the available text. */
static int
fill_line(struct cscg_lines *l, double until, struct cscg_err *err)
{
	ssize_t n = -1;
	int rc;

	if (l->pos > 0) {
		memmove(l->text, l->text + l->pos, l->len - l->pos);
		l->len -= l->pos;
		l->pos = 0;
	}
	if (cscg_grow(&l->text, &l->cap, l->len + LINES_CHUNK, 1, err) < 0)
		return -1;
	/*
	 * Without a timeout no poll() is needed, unless the descriptor is
	 * non-blocking.
	 */
	rc = until > 0 ? cscg_lines_poll(l->fd, POLLIN, until) : 1;
	while (rc > 0 &&
	    (n = read(l->fd, l->text + l->len, l->cap - l->len)) < 0) {
		if (errno == EAGAIN)
			rc = cscg_lines_poll(l->fd, POLLIN, until);
		else if (errno != EINTR)
			break;
	}
	if (rc == 0)
		return CSCG_LINES_TIMEOUT;
	if (n < 0)
		return cscg_fail(err, errno == EIO ? CSCG_EIO : CSCG_EREAD,
		    "%s", strerror(errno));
	l->len += (size_t)n;
	return n > 0 ? CSCG_LINES_LINE : CSCG_LINES_END;
}

int
cscg_lines_next(struct cscg_lines *l, size_t max, double timeout, char **line,
    size_t *len, struct cscg_err *err)
{
	double until = timeout > 0 ? cscg_clock() + timeout : 0;
	int rc = CSCG_LINES_LINE;
	char *nl = NULL;
	size_t seen = 0, n;

	for (;;) {
		n = l->len - l->pos;
		if (seen < n)
			nl = memchr(l->text + l->pos + seen, '\n', n - seen);
		if (nl || n > max || rc != CSCG_LINES_LINE)
			break;
		seen = n;
		rc = fill_line(l, until, err);
		if (rc < 0)
			return -1;
	}
	*line = l->text + l->pos;
	*len = nl ? (size_t)(nl - *line) : n;
	if (*len > max)
		return CSCG_LINES_TOO_LONG;
	if (!nl)
		return rc;
	*nl = '\0';
	l->pos += *len + 1;
	l->n++;
	return CSCG_LINES_LINE;
}

bool
cscg_lines_pending(struct cscg_lines *l)
{
	struct pollfd p = { .fd = l->fd, .events = POLLIN };

	/* At the end of a pipe poll() reports POLLHUP only. */
	return l->pos < l->len || (poll(&p, 1, 0) > 0 && p.revents & POLLIN);
}

void
cscg_lines_free(struct cscg_lines *l)
{
	free(l->text);
	l->text = NULL;
	l->cap = l->pos = l->len = 0;
}
