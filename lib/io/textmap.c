/* textmap.c - lines of a text map, their tokens, and errors with positions */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/textmap.h"

static int
next_in_text(struct cscg_textmap *t, char **line, size_t *len)
{
	if (!*t->text)
		return 0;
	*len = strcspn(t->text, "\n");
	if (*len >= sizeof t->buf)
		return cscg_fail(t->err, CSCG_EBUG,
		    "a layout's line is too long");
	memcpy(t->buf, t->text, *len);
	t->buf[*len] = '\0';
	t->text += *len + 1;
	t->line++;
	*line = t->buf;
	return 1;
}

int
cscg_textmap_next(struct cscg_textmap *t, char **line, size_t *len)
{
	int rc;

	if (!t->in)
		return next_in_text(t, line, len);
	t->name = cscg_in_name(t->in);
	rc = cscg_in_line(t->in, line, len, t->err);
	t->line = cscg_in_lineno(t->in);
	if (rc <= 0)
		return rc;
	if (t->line == 1 && !strncmp(*line, "\xef\xbb\xbf", 3)) {
		*line += 3;
		*len -= 3;
	}
	if (*len && (*line)[*len - 1] == '\r')
		(*line)[--*len] = '\0';
	return 1;
}

int
cscg_textmap_fail_at(const struct cscg_textmap *t, long line, long column)
{
	if (t->in && cscg_in_verify(t->in, t->err) < 0)
		return -1;
	return cscg_fail_at(t->err, "%s: line %ld, column %ld", t->name,
	    line ? line : t->line, column);
}

int
cscg_textmap_fail(const struct cscg_textmap *t, long line, long column,
    enum cscg_code code, const char *fmt, ...)
{
	char msg[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof msg, fmt, ap);
	va_end(ap);
	cscg_fail(t->err, code, "%s", msg);
	return cscg_textmap_fail_at(t, line, column);
}

void
cscg_tokens_split(char *line, struct cscg_tokens *tokens)
{
	char *s = line;

	tokens->n = 0;
	while (tokens->n < CSCG_TOKENS_MAX) {
		s += strspn(s, " \t");
		if (!*s)
			return;
		tokens->v[tokens->n] = s;
		tokens->column[tokens->n++] = (int)(s - line) + 1;
		s += strcspn(s, " \t");
		if (*s)
			*s++ = '\0';
	}
}
