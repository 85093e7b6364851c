/*
 * fuzz.h - functions shared by the fuzz targets: bytes as a stream, and back
 *
 * A target reads the input as one file format.  It may be refused; if it is
 * accepted, the object must satisfy its invariants, and writing and reading it
 * again must change nothing.
 *
 * The last byte b of an input says how it is given:
 *   even, below 128   as it is, with that byte
 *   odd, below 128    without it, packed with gzip
 *   from 128          without it and the one before it, c; packed if b is odd;
 *                     and one call fails, of those that reading makes: number
 *                     c + 1 + 256 (b / 2 % 4).  If it is a read(), b / 8 % 4
 *                     chooses its error; with b / 32 odd all calls after it
 *                     fail as well.  With b / 64 odd it is packed in two parts.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "io/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The target: what is done with an input, without the bytes that say how. */
void fuzz_one(const uint8_t *data, size_t size);

/*
 * A path that holds these bytes, until the next call of any of these.  From
 * here to fuzz_disarm() a call may fail.
 */
const char *fuzz_path(const uint8_t *data, size_t size);

/* The same as they are, never packed; nothing fails. */
const char *fuzz_plain(const uint8_t *data, size_t size);

/* A stream of these bytes; NULL if a call failed.  Calls may, from here on. */
struct cscg_in *fuzz_in(const uint8_t *data, size_t size);

/* From here on the n-th call fails (0: none); as the input says. */
void fuzz_arm_at(long n, int e, bool sticky);
void fuzz_arm(void);
/* No call fails from here on; returns whether one has failed. */
bool fuzz_disarm(void);
/* Has a call failed since this input began? */
extern bool fuzz_failed;

/* The contents of a written stream: begin, write, end. */
struct cscg_out *fuzz_out(void);
const uint8_t *fuzz_written(struct cscg_out *out, size_t *size);

/* An invariant that was violated. */
void fuzz_must(int kept, const char *invariant);

/* An error must have a message: one line, and a code. */
void fuzz_refused(const struct cscg_err *err);
/* Was the input read as a whole? */
extern bool fuzz_accepted;

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
	void *(*read_file)(const char *path, struct cscg_err *err);
};
void fuzz_objects(const struct fuzz_kind *kind, const uint8_t *data,
    size_t size);

/* The functions of a type, in the shape of a kind. */
#define FUZZ_KIND(type, read, check, write, drop, read_file) \
	static int kind_read(struct cscg_in *in, void **obj, \
	    struct cscg_err *err) \
	{ \
		type *p = NULL; \
		int rc = read(in, &p, err); \
\
		*obj = p; \
		return rc; \
	} \
	static int kind_check(const void *obj, struct cscg_err *err) \
	{ \
		return check(obj, err); \
	} \
	static int kind_write(const void *obj, struct cscg_out *out, \
	    struct cscg_err *err) \
	{ \
		return write(obj, out, err); \
	} \
	static void kind_free(void *obj) \
	{ \
		drop(obj); \
	} \
	static void *kind_read_file(const char *path, struct cscg_err *err) \
	{ \
		return read_file(path, err); \
	} \
	static const struct fuzz_kind kind = { kind_read, kind_check, \
		kind_write, kind_free, kind_read_file };

#endif
