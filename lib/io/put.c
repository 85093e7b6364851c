/*
 * put.c - text written piece by piece, with the first fault kept
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/put.h"

static void
print_bytes(struct cscg_printer *p, const char *s, size_t n)
{
	if (p->rc == 0)
		p->rc = cscg_out_write(p->out, s, n, p->err);
}

void
cscg_print(struct cscg_printer *p, const char *fmt, ...)
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
	print_bytes(p, s, n);
	free(s);
}

void
cscg_print_xml(struct cscg_printer *p, const char *s)
{
	for (; p->rc == 0 && *s; s++) {
		if (*s == '&')
			print_bytes(p, "&amp;", 5);
		else if (*s == '<')
			print_bytes(p, "&lt;", 4);
		else if (*s == '>')
			print_bytes(p, "&gt;", 4);
		else if (*s == '"')
			print_bytes(p, "&quot;", 6);
		else if ((unsigned char)*s < 0x20 && !strchr("\t\n\r", *s))
			print_bytes(p, "\xef\xbf\xbd", 3);	/* no such in XML */
		else
			print_bytes(p, s, 1);
	}
}

void
cscg_print_dot(struct cscg_printer *p, const char *s)
{
	print_bytes(p, "\"", 1);
	for (; p->rc == 0 && *s; s++) {
		if (*s == '"' || *s == '\\')
			print_bytes(p, "\\", 1);
		print_bytes(p, (unsigned char)*s < 0x20 ? " " : s, 1);
	}
	print_bytes(p, "\"", 1);
}
