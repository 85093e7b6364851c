/*
 * stream.h - input and output streams: file or standard stream, gzip or plain,
 * atomic replacement
 *
 * Input: gzip (any number of concatenated members) or plain, decided by the
 * first two bytes.  The module calls read() and inflate() itself, so a line is
 * available as soon as its writer flushes it.  A truncated gzip stream, a
 * wrong checksum and trailing data after the last member are errors
 * (CSCG_ECUT), detected at the end of input at the latest; an error of the
 * stream takes precedence over an error of a parser.
 *
 * Output: to a regular or absent file through a temporary in the directory of
 * the resolved target, at close fsync, rename and fsync of the directory; to
 * anything else directly.  A symbolic link stays and its target is replaced,
 * if the kernel follows the link.  An old file keeps its permissions but not
 * its set-user-ID, set-group-ID and sticky bits; the owner is that of the
 * process.  The target is replaced if close returns 0, and else only if the
 * sync of the directory was what failed.
 */
#ifndef CSCG_STREAM_H
#define CSCG_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* The name of a file for messages: "'path'", or standing if path is "-".
 * free() it. */
char *cscg_stream_name(const char *path, const char *standing,
    struct cscg_err *err);

struct cscg_in;

/*
 * path "-" is standard input.  Returns NULL with err filled (CSCG_EREAD: no
 * such file, a directory, no permission).  Messages name the file.
 */
struct cscg_in *cscg_in_open(const char *path, struct cscg_err *err);

/*
 * The next line, without its newline and NUL-terminated; valid until the next
 * call.  A last line without a newline is a line.  Returns 1 with *line and
 * *len set, 0 at a clean end, -1 with err filled (CSCG_EFORMAT: more than a
 * million blank lines in a row).
 */
int cscg_in_line(struct cscg_in *in, char **line, size_t *len,
    struct cscg_err *err);

/*
 * Put back the last line: the next cscg_in_line() returns it again, with the
 * same number.  For callers that choose a parser by the line, which they must
 * not have changed.
 */
void cscg_in_unread_line(struct cscg_in *in);

/*
 * The bytes that have been read from the file and not returned yet; their number,
 * 0 if there are none.  For callers that parse many lines at a time:
 * cscg_in_skip_lines() says how many they have taken, all with a newline and the
 * last of them not blank.
 */
size_t cscg_in_at_hand(const struct cscg_in *in, const char **text);
void cscg_in_skip_lines(struct cscg_in *in, size_t bytes, long lines);

/* Whether the last line, not changed since, contains a NUL byte. */
bool cscg_in_line_has_nul(const struct cscg_in *in);

/*
 * Read up to n bytes into buf.  Returns their number (less than n only at the
 * end of input), or -1 with err filled.
 */
long cscg_in_read(struct cscg_in *in, void *buf, size_t n,
    struct cscg_err *err);

/*
 * The next byte without consuming it, or -1 at the end; -2 with err filled on
 * an error.  May wait for input.
 */
int cscg_in_peek(struct cscg_in *in, struct cscg_err *err);

/*
 * After a parse error, check whether the stream itself is damaged.  Reads on
 * (a file to its end, a pipe as far as data is available) and returns -1 with
 * err replaced by the error of the stream, or 0 with err unchanged if the
 * stream has none.  The data read is discarded.
 */
int cscg_in_verify(struct cscg_in *in, struct cscg_err *err);

/* "'name'" or "standard input", for messages; valid as long as in. */
const char *cscg_in_name(const struct cscg_in *in);

/* Number of the last line, from 1. */
long cscg_in_lineno(const struct cscg_in *in);

/* Accepts NULL.  Errors of reading have been reported by the read calls. */
void cscg_in_close(struct cscg_in *in);

struct cscg_out;

enum {
	CSCG_OUT_GZIP = 1, /* gzip level 1, time 0: reproducible bytes */
	CSCG_OUT_LIVE = 2, /* cscg_out_flush() writes buffered data */
	CSCG_OUT_LOG = 4,  /* written in place, not by rename */
};

/*
 * path "-" or NULL is standard output, which cscg_out_close() closes.  Returns
 * NULL with err filled: CSCG_EUSAGE if the file cannot be created.
 */
struct cscg_out *cscg_out_open(const char *path, unsigned flags,
    struct cscg_err *err);

/*
 * The code for a file or directory that cannot be created, by errno: CSCG_EUSAGE,
 * or CSCG_EIO if memory, descriptors or disk are short.
 */
enum cscg_code cscg_out_create_code(int e);

/* 0, or -1 with err filled: CSCG_EIO; CSCG_EPIPE: the reader has closed. */
int cscg_out_write(struct cscg_out *out, const void *buf, size_t n,
    struct cscg_err *err);
int cscg_out_printf(struct cscg_out *out, struct cscg_err *err,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Set or clear CSCG_OUT_LIVE of an output that is not gzip. */
void cscg_out_set_live(struct cscg_out *out, bool live);

/* End of a line or record: with CSCG_OUT_LIVE, write buffered data now. */
int cscg_out_flush(struct cscg_out *out, struct cscg_err *err);

/*
 * Finish, check for errors and rename to the target; frees out in any case.
 * Only the result 0 guarantees that all bytes were written.
 */
int cscg_out_close(struct cscg_out *out, struct cscg_err *err);

/*
 * Cancel: the target is unchanged.  Output to stdout or a device stays
 * truncated: a gzip stream lacks its trailer.  Accepts NULL; frees out.
 */
void cscg_out_abort(struct cscg_out *out);

/* The temporary file to remove when a signal ends the process, or NULL. */
const char *cscg_out_tmp(const struct cscg_out *out);

/*
 * lines from an untrusted process, with limits
 *
 * For pipes between two programs: plain text, with a limit on the length of a
 * line and a timeout.  Files are read through cscg_in.
 */

/* Start with { .fd = fd }; the descriptor is borrowed. */
struct cscg_lines {
	int fd;
	long n; /* lines returned */
	char *text;
	size_t cap, pos, len; /* text[pos..len) is not returned yet */
};

enum {
	CSCG_LINES_END, /* end of input; remaining text has no newline */
	CSCG_LINES_LINE,
	CSCG_LINES_TIMEOUT,  /* no complete line in time */
	CSCG_LINES_TOO_LONG, /* more than max bytes */
};

/*
 * The next line, with NUL for its newline, into *line and *len; valid until
 * the next call.  Waits at most timeout seconds (<= 0: no limit).  Returns one
 * of the above, or -1 with err filled (CSCG_EREAD, CSCG_EIO, CSCG_ENOMEM).
 * Unless the result is CSCG_LINES_LINE, *line and *len are the part of the
 * line received so far.
 */
int cscg_lines_next(struct cscg_lines *l, size_t max, double timeout,
    char **line, size_t *len, struct cscg_err *err);

/* Whether input after the last line is available.  Does not wait. */
bool cscg_lines_pending(struct cscg_lines *l);

void cscg_lines_free(struct cscg_lines *l); /* does not close fd */

/*
 * Wait at most until the given time of cscg_clock() (0: no limit) for
 * poll() events on fd: 1, 0 on timeout, -1 with errno set.
 */
int cscg_lines_poll(int fd, short events, double until);

#endif
