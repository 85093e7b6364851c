/*
 * fuzz.c - bytes as a stream, and back
 */
#include <errno.h>
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

/* How the present input is given. */
static struct {
	bool pack, twice, sticky;
	long fail_at;
	int e;
} how;
bool fuzz_failed, fuzz_accepted;

void
fuzz_must(int kept, const char *invariant)
{
	if (kept)
		return;
	fprintf(stderr, "broken: %s\n", invariant);
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

/* A member of a gzip file, behind the at bytes there are; its end. */
static size_t
pack(const uint8_t *data, size_t size, size_t at)
{
	z_stream z = { 0 };
	size_t n;

	fuzz_must(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 1,
		      Z_DEFAULT_STRATEGY) == Z_OK,
	    "zlib begins");
	grow(&packed, &packed_cap, at + deflateBound(&z, size) + 64);
	z.next_in = (uint8_t *)(uintptr_t)data;
	z.avail_in = (uInt)size;
	z.next_out = packed + at;
	z.avail_out = (uInt)(packed_cap - at);
	fuzz_must(deflate(&z, Z_FINISH) == Z_STREAM_END, "zlib ends");
	n = at + z.total_out;
	deflateEnd(&z);
	return n;
}

void
fuzz_arm(void)
{
	fuzz_arm_at(how.fail_at, how.e, how.sticky);
}

const char *
fuzz_path(const uint8_t *data, size_t size)
{
	size_t half = how.twice ? size / 2 : 0, n = 0;

	fuzz_disarm();
	if (how.twice)
		n = pack(data, half, 0);
	if (how.pack) {
		n = pack(data + half, size - half, n);
		fuzz_plain(packed, n);
	} else {
		fuzz_plain(data, size);
	}
	fuzz_arm();
	return path[IN];
}

struct cscg_in *
fuzz_in(const uint8_t *data, size_t size)
{
	struct cscg_err err = { 0 };
	struct cscg_in *in = cscg_in_open(fuzz_path(data, size), &err);

	if (!in) {
		fuzz_must(fuzz_disarm(), "a file can be opened");
		fuzz_refused(&err);
		fuzz_failed = true;
	}
	return in;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int e[] = { EIO, EINTR, EAGAIN, EISDIR };
	uint8_t b = size ? data[size - 1] : 0;

	memset(&how, 0, sizeof how);
	fuzz_failed = fuzz_accepted = false;
	how.pack = b % 2;
	if (b < 128) {
		size -= b % 2;
	} else if (size > 1) {
		size -= 2;
		how.fail_at = data[size] + 1 + 256 * (b / 2 % 4);
		how.e = e[b / 8 % 4];
		how.sticky = b / 32 % 2;
		how.twice = how.pack && b / 64 % 2;
	}
	fuzz_one(data, size);
	fuzz_failed |= fuzz_disarm();
	return 0;
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

	fuzz_must(kind->write(obj, out, &err) == 0,
	    "what is sound is written");
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

/* Writing may fail as reading does, and says so. */
static void
write_armed(const struct fuzz_kind *kind, const void *obj)
{
	struct cscg_err err = { 0 };
	struct cscg_out *out = fuzz_out();
	int rc;

	fuzz_arm();
	rc = kind->write(obj, out, &err);
	fuzz_failed |= fuzz_disarm();
	cscg_out_abort(out);
	fuzz_must(rc == 0 || fuzz_failed, "what is sound is written");
	if (rc < 0)
		fuzz_refused(&err);
}

/* The same as a whole file, which may be refused for more reasons. */
static void
whole(const struct fuzz_kind *kind, bool good, const uint8_t *data,
    size_t size)
{
	struct cscg_err err = { 0 };
	void *obj = kind->read_file(fuzz_path(data, size), &err);
	bool failed = fuzz_disarm();

	fuzz_must(good || failed || !obj, "a file is what it begins with");
	fuzz_failed |= failed;
	if (!obj)
		fuzz_refused(&err);
	kind->free(obj);
}

void
fuzz_objects(const struct fuzz_kind *kind, const uint8_t *data, size_t size)
{
	struct cscg_in *in = fuzz_in(data, size);
	struct cscg_err err = { 0 };
	void *obj[4] = { 0 };
	int rc = 0, i, n = 0;

	if (!in)
		return;
	while (n < 4 && (rc = kind->read(in, &obj[n], &err)) > 0)
		n++;
	cscg_in_close(in);
	fuzz_failed |= fuzz_disarm();
	if (rc < 0)
		fuzz_refused(&err);
	fuzz_accepted = n > 0 && rc >= 0;
	whole(kind, n > 0 || fuzz_failed, data, size);
	for (i = 0; i < n; i++) {
		fuzz_must(kind->check(obj[i], &err) == 0,
		    "what is read is sound");
		settled(kind, obj[i]);
		if (how.fail_at)
			write_armed(kind, obj[i]);
		kind->free(obj[i]);
	}
}
