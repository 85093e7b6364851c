/* lines.c - lines from a partner that may be slow, silent or mad */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "io/lines.h"
#include "base/mem.h"

enum { LINES_CHUNK = 1 << 16 };

double
cscg_lines_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

int
cscg_lines_poll(int fd, short events, double until)
{
	struct pollfd p = { .fd = fd, .events = events };
	double left;
	int ms, rc;

	do {
		ms = -1;
		if (until > 0) {
			left = until - cscg_lines_clock();
			/* A long wait is taken in parts. */
			ms = left <= 0 ? 0 : left > 1e6 ? 1000000000 :
			    (int)(left * 1e3) + 1;
		}
		rc = poll(&p, 1, ms);
	} while ((rc < 0 && errno == EINTR) ||
	    (rc == 0 && until > 0 && cscg_lines_clock() < until));
	return rc;
}

/* More text behind what is there. */
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
	/* Who can wait for ever needs no poll(), unless it must not block. */
	rc = until > 0 ? cscg_lines_poll(l->fd, POLLIN, until) : 1;
	while (rc > 0 && (n = read(l->fd, l->text + l->len,
	    l->cap - l->len)) < 0) {
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
	double until = timeout > 0 ? cscg_lines_clock() + timeout : 0;
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

	/* At its end a pipe only hangs up. */
	return l->pos < l->len || (poll(&p, 1, 0) > 0 && p.revents & POLLIN);
}

void
cscg_lines_free(struct cscg_lines *l)
{
	free(l->text);
	l->text = NULL;
	l->cap = l->pos = l->len = 0;
}
