/* utf8.c - characters of UTF-8 text, and text that is safe to print */
#include <string.h>

#include "base/utf8.h"

/*
 * Overlong forms, surrogates and code points beyond U+10FFFF are invalid: JSON
 * could not hold them.
 */
int
cscg_utf8_length(const char *text, size_t size)
{
	static const unsigned min_code[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)text;
	unsigned c;
	int n, i;

	if (*s < 0x80)
		return 1;
	n = *s >= 0xf0 && *s < 0xf8 ? 4 : *s >= 0xe0 ? 3 : *s >= 0xc0 ? 2 : 0;
	if (!n || *s >= 0xf8 || (size_t)n > size)
		return 0;
	c = *s & (0xffu >> (n + 1));
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < min_code[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	return n;
}

bool
cscg_utf8_is_control(const char *s)
{
	const unsigned char *u = (const unsigned char *)s;

	return *u < ' ' || *u == 0x7f || (*u == 0xc2 && u[1] < 0xa0);
}

int
cscg_utf8_step(const char *s)
{
	int n = cscg_utf8_length(s, CSCG_UTF8_MAX);

	return n ? n : 1;
}

size_t
cscg_printable_span(const char *s, const char *stop)
{
	size_t i = 0;
	int n;

	while (s[i] && (n = cscg_utf8_length(s + i, CSCG_UTF8_MAX)) &&
	    !cscg_utf8_is_control(s + i) && !strchr(stop, s[i]))
		i += (size_t)n;
	return i;
}

void
cscg_printable(char *s)
{
	char *to = s;
	size_t n;

	for (;;) {
		n = cscg_printable_span(s, "");
		memmove(to, s, n);
		to += n;
		s += n;
		if (!*s)
			break;
		s += cscg_utf8_step(
		    s); /* write position; never after the read position */
		*to++ = '?';
	}
	*to = '\0';
}
