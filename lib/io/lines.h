/*
 * lines.h - lines from a partner that may be slow, silent or mad
 *
 * For pipes on which two programs talk: plain text, a limit on the length of a
 * line and on the time to wait for it.  Files are read by stream.h.
 */
#ifndef CSCG_LINES_H
#define CSCG_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Start with { .fd = fd }; the descriptor is borrowed. */
struct cscg_lines {
	int fd;
	long n;			/* lines handed out */
	char *text;
	size_t cap, pos, len;	/* text[pos..len) is not handed out yet */
};

enum {
	CSCG_LINES_END,		/* nothing more; text left is half a line */
	CSCG_LINES_LINE,
	CSCG_LINES_TIMEOUT,	/* no whole line in time */
	CSCG_LINES_TOO_LONG		/* more than max bytes */
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

void cscg_lines_free(struct cscg_lines *l);	/* not the descriptor */

/*
 * Wait at most until the given time of cscg_lines_clock() (0: for ever) for
 * poll() events on fd: 1, 0 too late, -1 with errno set.
 */
int cscg_lines_poll(int fd, short events, double until);
double cscg_lines_clock(void);	/* seconds, monotonic */

#endif
