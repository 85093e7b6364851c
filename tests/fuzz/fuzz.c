/*
 * fuzz.c - bytes as a stream, and back
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "fuzz.h"

enum { IN, OUT };

static int fd[2] = { -1, -1 };
static char path[2][64];
static uint8_t *packed, *written;
static size_t packed_cap, written_cap;

void
fuzz_must(int kept, const char *promise)
{
	if (kept)
		return;
	fprintf(stderr, "broken: %s\n", promise);
	abort();
}

void
fuzz_refused(const struct cscg_err *err)
{
	fuzz_must(err->code != CSCG_OK, "a refusal has a code");
	fuzz_must(err->code != CSCG_EBUG, "input is not to blame for a bug");
	fuzz_must(err->msg[0] != '\0', "a refusal has a message");
	fuzz_must(!strchr(err->msg, '\n'), "a message is one line");
}

static void
grow(uint8_t **buf, size_t *cap, size_t need)
{
	if (*cap >= need)
		return;
	*cap = need * 2;
	*buf = realloc(*buf, *cap);
	fuzz_must(*buf != NULL, "there is memory");
}

static void
renew(int which)
{
	if (fd[which] < 0) {
		fd[which] = memfd_create(which == IN ? "in" : "out", 0);
		fuzz_must(fd[which] >= 0, "there are files in memory");
		snprintf(path[which], sizeof path[which], "/proc/self/fd/%d",
		    fd[which]);
	}
	fuzz_must(ftruncate(fd[which], 0) == 0, "a file can be emptied");
}

const char *
fuzz_plain(const uint8_t *data, size_t size)
{
	renew(IN);
	fuzz_must(pwrite(fd[IN], data, size, 0) == (ssize_t)size,
	    "a file can be written");
	return path[IN];
}

static size_t
pack(const uint8_t *data, size_t size)
{
	z_stream z = { 0 };
	size_t n;

	fuzz_must(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 1,
	    Z_DEFAULT_STRATEGY) == Z_OK, "zlib begins");
	grow(&packed, &packed_cap, deflateBound(&z, size) + 64);
	z.next_in = (uint8_t *)(uintptr_t)data;
	z.avail_in = (uInt)size;
	z.next_out = packed;
	z.avail_out = (uInt)packed_cap;
	fuzz_must(deflate(&z, Z_FINISH) == Z_STREAM_END, "zlib ends");
	n = z.total_out;
	deflateEnd(&z);
	return n;
}

const char *
fuzz_path(const uint8_t *data, size_t size)
{
	size_t n;

	if (!size || data[size - 1] % 2 == 0)
		return fuzz_plain(data, size);
	n = pack(data, size - 1);
	return fuzz_plain(packed, n);
}

struct cscg_in *
fuzz_in(const uint8_t *data, size_t size)
{
	struct cscg_err err = { 0 };
	struct cscg_in *in = cscg_in_open(fuzz_path(data, size), &err);

	fuzz_must(in != NULL, "a file can be opened");
	return in;
}

struct cscg_out *
fuzz_out(void)
{
	struct cscg_err err = { 0 };
	struct cscg_out *out;

	renew(OUT);
	out = cscg_out_open(path[OUT], CSCG_OUT_LOG, &err);
	fuzz_must(out != NULL, "a file can be written");
	return out;
}

const uint8_t *
fuzz_written(struct cscg_out *out, size_t *size)
{
	struct cscg_err err = { 0 };
	struct stat st;

	fuzz_must(cscg_out_close(out, &err) == 0 && fstat(fd[OUT], &st) == 0,
	    "what was read can be written");
	*size = (size_t)st.st_size;
	grow(&written, &written_cap, *size + 1);
	fuzz_must(pread(fd[OUT], written, *size, 0) == (ssize_t)*size,
	    "and is there");
	return written;
}

/* The text of an object, new. */
static uint8_t *
text_of(const struct fuzz_kind *kind, const void *obj, size_t *n)
{
	struct cscg_err err = { 0 };
	struct cscg_out *out = fuzz_out();
	const uint8_t *text;
	uint8_t *copy;

	fuzz_must(kind->write(obj, out, &err) == 0, "what is sound is written");
	text = fuzz_written(out, n);
	copy = malloc(*n + 1);
	fuzz_must(copy != NULL, "there is memory");
	memcpy(copy, text, *n);
	return copy;
}

static void
settled(const struct fuzz_kind *kind, const void *obj)
{
	struct cscg_err err = { 0 };
	size_t n, m;
	uint8_t *first = text_of(kind, obj, &n), *second;
	struct cscg_in *in = cscg_in_open(fuzz_plain(first, n), &err);
	void *same = NULL;

	fuzz_must(in && kind->read(in, &same, &err) == 1,
	    "what was written can be read");
	cscg_in_close(in);
	second = text_of(kind, same, &m);
	fuzz_must(m == n && !memcmp(first, second, n), "as the same text");
	kind->free(same);
	free(first);
	free(second);
}

int
fuzz_objects(const struct fuzz_kind *kind, const uint8_t *data, size_t size)
{
	struct cscg_in *in = fuzz_in(data, size);
	struct cscg_err err = { 0 };
	void *obj[4] = { 0 };
	int rc = 0, i, n = 0;

	while (n < 4 && (rc = kind->read(in, &obj[n], &err)) > 0)
		n++;
	cscg_in_close(in);
	if (rc < 0)
		fuzz_refused(&err);
	for (i = 0; i < n; i++) {
		fuzz_must(kind->check(obj[i], &err) == 0,
		    "what is read is sound");
		settled(kind, obj[i]);
		kind->free(obj[i]);
	}
	return 0;
}
