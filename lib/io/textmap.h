/*
 * textmap.h - lines of a text map, their tokens, and errors with positions
 */
#ifndef CSCG_TEXTMAP_H
#define CSCG_TEXTMAP_H

#include <stddef.h>

#include "base/error.h"
#include "io/stream.h"

/* Lines of a stream, or of a text in memory. */
struct cscg_textmap {
	struct cscg_in *in;
	const char *name, *text; /* instead of in */
	struct cscg_err *err;
	long line; /* number of the last line, from 1 */
	char buf[256];
};

/*
 * The next line, as by cscg_in_line(), without the mark of UTF-8 and without
 * CR; sets name if there is a stream.
 */
int cscg_textmap_next(struct cscg_textmap *t, char **line, size_t *len);

/*
 * Fail with a code and a message at a position, line 0 being the last one, and
 * prepend such a position to the error in err.  An error of the stream takes
 * precedence.  Both return -1.
 */
int cscg_textmap_fail(const struct cscg_textmap *t, long line, long column,
    enum cscg_code code, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
int cscg_textmap_fail_at(const struct cscg_textmap *t, long line, long column);

enum { CSCG_TOKENS_MAX = 5 }; /* one more than the longest rule has */

struct cscg_tokens {
	int n; /* CSCG_TOKENS_MAX: the line may have more */
	char *v[CSCG_TOKENS_MAX];
	int column[CSCG_TOKENS_MAX]; /* from 1 */
};

/* Split line, in place, at spaces and tabs. */
void cscg_tokens_split(char *line, struct cscg_tokens *tokens);

#endif
