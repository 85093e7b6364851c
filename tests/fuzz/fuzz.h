/*
 * fuzz.h - what the fuzz targets share: bytes as a stream, and back
 *
 * A target reads what it is given as one kind of file.  It may be refused; if
 * it is taken, what was read must keep its promises, and writing and reading it
 * again must change nothing.  An input whose last byte is odd is packed with
 * gzip first, so that both ways into a reader are tried.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A path that holds these bytes, until the next call of any of these. */
const char *fuzz_path(const uint8_t *data, size_t size);

/* The same as they are, never packed. */
const char *fuzz_plain(const uint8_t *data, size_t size);

/* A stream of these bytes; never NULL. */
struct cscg_in *fuzz_in(const uint8_t *data, size_t size);

/* What a stream that was written held: begin, write, end. */
struct cscg_out *fuzz_out(void);
const uint8_t *fuzz_written(struct cscg_out *out, size_t *size);

/* A promise that was not kept. */
void fuzz_must(int kept, const char *promise);

/* A refusal must say why: one line, and a code. */
void fuzz_refused(const struct cscg_err *err);

/*
 * A kind of file that holds objects, one behind the other.  Each that is read is
 * sound; written, read and written again it is the same text.
 */
struct fuzz_kind {
	int (*read)(struct cscg_in *in, void **obj, struct cscg_err *err);
	int (*check)(const void *obj, struct cscg_err *err);
	int (*write)(const void *obj, struct cscg_out *out,
	    struct cscg_err *err);
	void (*free)(void *obj);
};
int fuzz_objects(const struct fuzz_kind *kind, const uint8_t *data,
    size_t size);

/* The functions of a type, in the shape of a kind. */
#define FUZZ_KIND(type, read, check, write, drop) \
static int \
kind_read(struct cscg_in *in, void **obj, struct cscg_err *err) \
{ \
	type *p = NULL; \
	int rc = read(in, &p, err); \
\
	*obj = p; \
	return rc; \
} \
static int \
kind_check(const void *obj, struct cscg_err *err) \
{ \
	return check(obj, err); \
} \
static int \
kind_write(const void *obj, struct cscg_out *out, struct cscg_err *err) \
{ \
	return write(obj, out, err); \
} \
static void \
kind_free(void *obj) \
{ \
	drop(obj); \
} \
int \
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) \
{ \
	static const struct fuzz_kind kind = { kind_read, kind_check, \
	    kind_write, kind_free }; \
\
	return fuzz_objects(&kind, data, size); \
}

#endif
