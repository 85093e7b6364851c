/*
 * put.c - text written piece by piece, with the first fault kept
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/put.h"

static void
put(struct cscg_put *p, const char *s, size_t n)
{
	if (p->rc == 0)
		p->rc = cscg_out_write(p->out, s, n, p->err);
}

void
cscg_put(struct cscg_put *p, const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;
	int n;

	if (p->rc < 0)
		return;
	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0) {
		p->rc = cscg_fail(p->err, CSCG_ENOMEM, "out of memory (text)");
		return;
	}
	put(p, s, n);
	free(s);
}

void
cscg_put_xml(struct cscg_put *p, const char *s)
{
	for (; p->rc == 0 && *s; s++) {
		if (*s == '&')
			put(p, "&amp;", 5);
		else if (*s == '<')
			put(p, "&lt;", 4);
		else if (*s == '>')
			put(p, "&gt;", 4);
		else if (*s == '"')
			put(p, "&quot;", 6);
		else if ((unsigned char)*s < 0x20 && !strchr("\t\n\r", *s))
			put(p, "\xef\xbf\xbd", 3);	/* no such in XML */
		else
			put(p, s, 1);
	}
}

void
cscg_put_dot(struct cscg_put *p, const char *s)
{
	put(p, "\"", 1);
	for (; p->rc == 0 && *s; s++) {
		if (*s == '"' || *s == '\\')
			put(p, "\\", 1);
		put(p, (unsigned char)*s < 0x20 ? " " : s, 1);
	}
	put(p, "\"", 1);
}
