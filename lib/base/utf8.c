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

/* ---- lower case ---- */

/* A range of capitals; with step 2, every second code point. */
static const struct {
	unsigned first, last;
	int step, add;
} capitals[] = {
	{ 'A', 'Z', 1, 32 },
	{ 0xc0, 0xd6, 1, 32 }, /* Latin-1 */
	{ 0xd8, 0xde, 1, 32 },
	{ 0x100, 0x12e, 2, 1 }, /* Latin Extended-A */
	{ 0x132, 0x136, 2, 1 },
	{ 0x139, 0x147, 2, 1 },
	{ 0x14a, 0x176, 2, 1 },
	{ 0x178, 0x178, 1, 0xff - 0x178 },
	{ 0x179, 0x17d, 2, 1 },
	{ 0x386, 0x386, 1, 38 }, /* Greek */
	{ 0x388, 0x38a, 1, 37 },
	{ 0x38c, 0x38c, 1, 64 },
	{ 0x38e, 0x38f, 1, 63 },
	{ 0x391, 0x3a1, 1, 32 },
	{ 0x3a3, 0x3ab, 1, 32 },
	{ 0x400, 0x40f, 1, 80 }, /* Cyrillic */
	{ 0x410, 0x42f, 1, 32 },
	{ 0x460, 0x480, 2, 1 },
	{ 0x48a, 0x4be, 2, 1 },
	{ 0x4d0, 0x52e, 2, 1 },
	{ 0x531, 0x556, 1, 48 },  /* Armenian */
	{ 0x1e00, 0x1e94, 2, 1 }, /* Latin Extended Additional */
	{ 0x1ea0, 0x1efe, 2, 1 },
};

static unsigned
lower(unsigned c)
{
	size_t i;

	for (i = 0; i < sizeof capitals / sizeof *capitals; i++)
		if (c >= capitals[i].first && c <= capitals[i].last)
			return (c - capitals[i].first) %
				(unsigned)capitals[i].step ?
			    c :
			    (unsigned)((int)c + capitals[i].add);
	return c;
}

int
cscg_utf8_lower(const char *s, int n, char *to)
{
	const unsigned char *u = (const unsigned char *)s;
	unsigned c;

	memcpy(to, s, (size_t)n);
	if (n == 1) {
		to[0] = (char)lower(u[0]);
	} else if (n == 2) { /* lower case has as many bytes */
		c = lower((u[0] & 0x1fu) << 6 | (u[1] & 0x3fu));
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
	} else if (n == 3) {
		c = lower((u[0] & 0xfu) << 12 | (u[1] & 0x3fu) << 6 |
		    (u[2] & 0x3fu));
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 0x3f));
		to[2] = (char)(0x80 | (c & 0x3f));
	}
	return n;
}
