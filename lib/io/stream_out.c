/*
 * stream_out.c - a path or "-" as bytes, gzip or plain: output
 *
 * On a full disk the last bytes fail at close, so close counts; a fault is
 * kept and told again, since after one nothing more can be written.
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
#include "io/stream.h"

enum {
	OUT_CHUNK = 1 << 16,
	LINKS_MAX = 40		/* as many symbolic links as Linux follows */
};

struct cscg_out {
	int fd;
	char *name;		/* quoted, for messages */
	char *target, *tmp;	/* NULL: written in place */
	bool gzip, live;
	z_stream z;
	unsigned char buf[OUT_CHUNK];
	size_t len;
	struct cscg_err fault;
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

/* Creating failed: the asker's fault, unless the machine is short. */
static int
create_fail(struct cscg_out *out, struct cscg_err *err, int e)
{
	bool machine = e == ENOSPC || e == EDQUOT || e == EIO || e == ENOMEM ||
	    e == EMFILE || e == ENFILE;

	return out_fail(out, err, machine ? CSCG_EIO : CSCG_EUSAGE,
	    strerror(e));
}

/*
 * What path means after its symbolic links, also if nothing is there yet:
 * the temporary goes beside the file, and the link stays a link.
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

/* A temporary beside the target, with the rights the target has or would. */
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
	/* A name near the limit is shortened; the random part tells. */
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
	mode = old ? old->st_mode & 07777 : 0666 & ~mask;
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

	/* The temporary's name is shorter: only rename() would complain. */
	if (!exists && errno == ENAMETOOLONG)
		return create_fail(out, err, errno);
	if (exists && S_ISDIR(st.st_mode))
		return create_fail(out, err, EISDIR);
	if ((exists && !S_ISREG(st.st_mode)) || (flags & CSCG_OUT_LOG)) {
		out->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC |
		    O_NOCTTY, 0666);
		return out->fd < 0 ? create_fail(out, err, errno) : 0;
	}
	/* Renaming would overwrite what the asker may not write. */
	if (exists && access(path, W_OK) < 0)
		return create_fail(out, err, errno);
	out->target = resolve(out, path, err);
	if (!out->target)
		return -1;
	return open_tmp(out, exists ? &st : NULL, err);
}

struct cscg_out *
cscg_out_open(const char *path, unsigned flags, struct cscg_err *err)
{
	struct cscg_out *out = cscg_alloc(1, sizeof *out, err);
	bool dash = !path || !strcmp(path, "-");

	if (!out)
		return NULL;
	out->fd = -1;
	out->live = flags & CSCG_OUT_LIVE;
	out->name = cscg_stream_name(dash ? "-" : path, "standard output",
	    err);
	if (!out->name)
		goto fail;
	if (flags & CSCG_OUT_GZIP) {
		if (deflateInit2(&out->z, 1, Z_DEFLATED, 15 + 16, 8,
		    Z_DEFAULT_STRATEGY) != Z_OK) {
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
flush_buffer(struct cscg_out *out, struct cscg_err *err)
{
	struct pollfd p = { .fd = out->fd, .events = POLLOUT };
	size_t done = 0;
	ssize_t n;

	while (done < out->len) {
		n = write(out->fd, out->buf + done, out->len - done);
		if (n >= 0)
			done += (size_t)n;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			poll(&p, 1, -1);
		else if (errno != EINTR)
			return out_fail_errno(out, err, errno);
	}
	out->len = 0;
	return 0;
}

/* Deflate n bytes and, with a flush or finish, all that zlib holds back. */
static int
deflate_bytes(struct cscg_out *out, const void *buf, size_t n, int flush,
    struct cscg_err *err)
{
	const unsigned char *p = buf;
	uInt chunk;
	int rc;

	do {
		chunk = n < OUT_CHUNK ? (uInt)n : OUT_CHUNK;
		memcpy(&out->z.next_in, &p, sizeof p);	/* zlib lacks const */
		out->z.avail_in = chunk;
		n -= chunk;
		p += chunk;
		do {
			if (out->len == sizeof out->buf && flush_buffer(out, err) < 0)
				return -1;
			out->z.next_out = out->buf + out->len;
			out->z.avail_out = (uInt)(sizeof out->buf - out->len);
			/* Z_BUF_ERROR: nothing was left to do. */
			rc = deflate(&out->z, n ? Z_NO_FLUSH : flush);
			if (rc == Z_STREAM_ERROR)
				return out_fail(out, err, CSCG_EBUG,
				    "deflate lost its state");
			out->len = sizeof out->buf - out->z.avail_out;
		} while (out->z.avail_out == 0);
	} while (n);
	return 0;
}

int
cscg_out_write(struct cscg_out *out, const void *buf, size_t n,
    struct cscg_err *err)
{
	const char *p = buf;
	size_t chunk;

	if (out->fault.code) {
		*err = out->fault;
		return -1;
	}
	if (out->gzip)
		return n ? deflate_bytes(out, buf, n, Z_NO_FLUSH, err) : 0;
	while (n) {
		if (out->len == sizeof out->buf && flush_buffer(out, err) < 0)
			return -1;
		chunk = sizeof out->buf - out->len;
		if (chunk > n)
			chunk = n;
		memcpy(out->buf + out->len, p, chunk);
		out->len += chunk;
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
		if (!s)
			return -1;
		va_start(ap, fmt);
		vsnprintf(s, (size_t)n + 1, fmt, ap);
		va_end(ap);
	}
	rc = cscg_out_write(out, s, (size_t)n, err);
	if (s != small)
		free(s);
	return rc;
}

int
cscg_out_flush(struct cscg_out *out, struct cscg_err *err)
{
	if (out->fault.code) {
		*err = out->fault;
		return -1;
	}
	if (!out->live)
		return 0;
	if (out->gzip && deflate_bytes(out, "", 0, Z_SYNC_FLUSH, err) < 0)
		return -1;
	return flush_buffer(out, err);
}

const char *
cscg_out_tmp(const struct cscg_out *out)
{
	return out ? out->tmp : NULL;
}

/* On the disk and under its name. */
static int
commit(struct cscg_out *out, struct cscg_err *err)
{
	/* Some file systems cannot sync, and say so by EINVAL. */
	if (out->tmp && fsync(out->fd) < 0 && errno != EINVAL)
		return out_fail_errno(out, err, errno);
	if (close(out->fd) < 0) {
		out->fd = -1;
		return out_fail_errno(out, err, errno);
	}
	out->fd = -1;
	if (!out->tmp)
		return 0;
	if (rename(out->tmp, out->target) < 0)
		return out_fail_errno(out, err, errno);
	free(out->tmp);
	out->tmp = NULL;
	return 0;
}

int
cscg_out_close(struct cscg_out *out, struct cscg_err *err)
{
	int rc = 0;

	if (out->fault.code) {
		*err = out->fault;
		rc = -1;
	}
	if (!rc && out->gzip)
		rc = deflate_bytes(out, "", 0, Z_FINISH, err);
	if (!rc)
		rc = flush_buffer(out, err);
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
	if (out->fd >= 0)
		close(out->fd);
	if (out->tmp)
		unlink(out->tmp);
	if (out->gzip)
		deflateEnd(&out->z);
	free(out->tmp);
	free(out->target);
	free(out->name);
	free(out);
}
