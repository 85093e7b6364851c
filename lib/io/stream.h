/*
 * stream.h - input and output streams: file or standard stream, gzip or plain,
 * atomic replacement
 *
 * Input: gzip (any number of concatenated members) or plain, decided by the
 * first two bytes.  We read() and inflate() ourselves, so a line is there as
 * soon as its writer flushed it.  A cut gzip stream, a wrong checksum and
 * rubbish after the last member are faults (CSCG_ECUT), found no later than at
 * the end of input; a fault of the stream wins over what a parser would say.
 *
 * Output: to a regular or absent file through a temporary beside the resolved
 * target, fsync and rename at close; to anything else directly.  Nothing is
 * there until close returns 0.
 */
#ifndef CSCG_STREAM_H
#define CSCG_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* "'path'", or standing for "-", as messages name a file; free() it. */
char *cscg_stream_name(const char *path, const char *standing,
    struct cscg_err *err);

struct cscg_in;

/*
 * path "-" is standard input.  Returns NULL with err filled (CSCG_EREAD: not
 * there, a directory, no permission).  Messages name the file.
 */
struct cscg_in *cscg_in_open(const char *path, struct cscg_err *err);

/*
 * The next line, without its newline and NUL-terminated; valid until the next
 * call.  A last line without a newline is a line.  Returns 1 with *line and
 * *len set, 0 at a clean end, -1 with err filled.
 */
int cscg_in_line(struct cscg_in *in, char **line, size_t *len,
    struct cscg_err *err);

/*
 * Put the line handed out last back: the next cscg_in_line() hands it out
 * again, with the same number.  For those who must look before they choose a
 * reader; the caller must not have changed the line.
 */
void cscg_in_unread_line(struct cscg_in *in);

/* Has the line handed out last, not changed since, a NUL byte in it? */
bool cscg_in_line_has_nul(const struct cscg_in *in);

/*
 * Up to n bytes into buf.  Returns how many (fewer than n only at the end of
 * input), or -1 with err filled.
 */
long cscg_in_read(struct cscg_in *in, void *buf, size_t n,
    struct cscg_err *err);

/*
 * The next byte without taking it, or -1 at the end; -2 with err filled on a
 * fault.  May wait for input.
 */
int cscg_in_peek(struct cscg_in *in, struct cscg_err *err);

/*
 * A parser is unhappy with what it read: is the stream itself at fault?  Reads
 * on (a file to its end, a pipe as far as data is there already) and returns
 * -1 with err replaced by the stream's fault if it finds one, 0 with err
 * untouched if not.  What was read is gone.
 */
int cscg_in_verify(struct cscg_in *in, struct cscg_err *err);

/* "'name'" or "standard input", for messages; lives as long as in. */
const char *cscg_in_name(const struct cscg_in *in);

/* Number of the line handed out last, from 1. */
long cscg_in_lineno(const struct cscg_in *in);

/* Accepts NULL.  Reading errors were reported when they were met. */
void cscg_in_close(struct cscg_in *in);

struct cscg_out;

enum {
	CSCG_OUT_GZIP = 1, /* gzip level 1, time 0: equal data, equal bytes */
	CSCG_OUT_LIVE = 2, /* cscg_out_flush() really flushes */
	CSCG_OUT_LOG = 4,  /* in place, not by rename: to be watched */
};

/*
 * path "-" or NULL is standard output, which cscg_out_close() closes.  Returns
 * NULL with err filled: CSCG_EUSAGE if the file cannot be created.
 */
struct cscg_out *cscg_out_open(const char *path, unsigned flags,
    struct cscg_err *err);

/* 0, or -1 with err filled: CSCG_EIO, or CSCG_EPIPE if the reader has gone. */
int cscg_out_write(struct cscg_out *out, const void *buf, size_t n,
    struct cscg_err *err);
int cscg_out_printf(struct cscg_out *out, struct cscg_err *err,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* End of a line or record: with CSCG_OUT_LIVE push it to the reader now. */
int cscg_out_flush(struct cscg_out *out, struct cscg_err *err);

/*
 * Finish, check and put in place; frees out whatever happens.  Only a return
 * of 0 means that every byte is where it should be.
 */
int cscg_out_close(struct cscg_out *out, struct cscg_err *err);

/*
 * Give up: the target stays as it was.  What stdout or a device has seen
 * stays cut: a gzip stream lacks its trailer.  Accepts NULL; frees out.
 */
void cscg_out_abort(struct cscg_out *out);

/* The temporary to remove when a signal ends the process, or NULL. */
const char *cscg_out_tmp(const struct cscg_out *out);

/*
 * lines from a partner that may be slow, silent or mad
 *
 * For pipes on which two programs talk: plain text, a limit on the length of a
 * line and on the time to wait for it.  Files are read by stream.h.
 */

/* Start with { .fd = fd }; the descriptor is borrowed. */
struct cscg_lines {
	int fd;
	long n; /* lines handed out */
	char *text;
	size_t cap, pos, len; /* text[pos..len) is not handed out yet */
};

enum {
	CSCG_LINES_END, /* nothing more; text left is half a line */
	CSCG_LINES_LINE,
	CSCG_LINES_TIMEOUT,  /* no whole line in time */
	CSCG_LINES_TOO_LONG, /* more than max bytes */
};

/*
 * The next line, with NUL for its newline, into *line and *len; valid until
 * the next call.  Waits at most timeout seconds (0 or less: for ever).
 * Returns one of the above, or -1 with err filled (CSCG_EREAD, CSCG_EIO,
 * CSCG_ENOMEM).  Unless it is CSCG_LINES_LINE, *line and *len are what has
 * come of the line so far.
 */
int cscg_lines_next(struct cscg_lines *l, size_t max, double timeout,
    char **line, size_t *len, struct cscg_err *err);

/* Has anything come behind the line handed out last?  Does not wait. */
bool cscg_lines_pending(struct cscg_lines *l);

void cscg_lines_free(struct cscg_lines *l); /* not the descriptor */

/*
 * Wait at most until the given time of cscg_lines_clock() (0: for ever) for
 * poll() events on fd: 1, 0 too late, -1 with errno set.
 */
int cscg_lines_poll(int fd, short events, double until);
double cscg_lines_clock(void); /* seconds, monotonic */

#endif
