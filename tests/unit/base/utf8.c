/* utf8 - conversion of any bytes to text that is safe to print */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/names.h"
#include "base/utf8.h"
#include "tap.h"

/* The bytes of code point c by the table of RFC 3629, also of surrogates. */
static int
encode(unsigned c, char *s)
{
	int n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, i;
	static const unsigned first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (i = n - 1; i > 0; i--, c >>= 6)
		s[i] = (char)(0x80 | (c & 0x3f));
	s[0] = (char)(first[n] | c);
	s[n] = '\0';
	return n;
}

static void
each_character(void)
{
	char s[16], want[16];
	unsigned c, bad = 0;
	int n;

	for (c = 1; c < 0x110000; c++) {
		s[0] = '<';
		n = encode(c, s + 1);
		strcpy(s + 1 + n, ">");
		if (c < 0x20 || (c >= 0x7f && c < 0xa0))
			strcpy(want, "<?>");
		else if (c >= 0xd800 && c < 0xe000)
			strcpy(want, "<\?\?\?>");
		else
			strcpy(want, s);
		cscg_printable(s);
		bad += strcmp(s, want) != 0;
	}
	ok(bad == 0,
	    "control characters become '?', all others are kept: %u bad", bad);
}

static void
invalid(void)
{
	static const struct {
		const char *text, *want;
	} is[] = {
		{ "", "" },
		{ "\x9b"
		  "31m",
		    "?31m" }, /* CSI as a byte */
		{ "\xc2\x9b"
		  "31m",
		    "?31m" }, /* and as a character */
		{ "a\xff\xfe",
		    "a?"
		    "?" },
		{ "\xc0\x80",
		    "?"
		    "?" }, /* an overlong NUL */
		{ "\xf4\x90\x80\x80",
		    "?"
		    "?"
		    "?"
		    "?" }, /* U+110000 */
		{ "\xe2\x82",
		    "?"
		    "?" }, /* cut at the end */
		{ "\xc2", "?" },
		{ "\x1b]0;t\x07\xc3\xbc\n", "?]0;t?\xc3\xbc?" },
	};
	char buf[32];
	size_t i;

	for (i = 0; i < sizeof is / sizeof *is; i++) {
		strcpy(buf, is[i].text);
		cscg_printable(buf);
		same_text(buf, is[i].want,
		    "bytes that are not UTF-8 become '?'");
	}
}

static void
messages(void)
{
	struct cscg_err err = { 0 };
	struct cscg_names names = { 0 };

	cscg_fail(&err, CSCG_EFORMAT, "key '%s'",
	    "\x1b[2J\xc2\x9b\x7f\xc3\xbc");
	same_text(err.msg,
	    "key '?[2J?"
	    "?\xc3\xbc'",
	    "control characters in a message become '?'");
	cscg_fail_at(&err, "'%s'", "\xc2\x85");
	same_text(err.msg,
	    "'?': key '?[2J?"
	    "?\xc3\xbc'",
	    "control characters in the context of a message become '?'");
	ok(cscg_names_add(&names, "\xc2\x9b", &err) < 0 &&
		!strcmp(err.msg, "a name holds a control character") &&
		cscg_names_add(&names, "\xc2\xa0", &err) == 0,
	    "C1 controls are refused in names, U+00A0 is not");
	cscg_names_free(&names);
}

/* Lower case by code point; letters of other scripts are unchanged. */
static void
lower_case(void)
{
	static const char *const pair[][2] = { { "A", "a" }, { "z", "z" },
		{ "\xc3\x89", "\xc3\xa9" },         /* U+00C9, U+00E9 */
		{ "\xd0\x96", "\xd0\xb6" },         /* U+0416, U+0436 */
		{ "\xce\xa9", "\xcf\x89" },         /* U+03A9, U+03C9 */
		{ "\xe1\xb8\x80", "\xe1\xb8\x81" }, /* U+1E00, U+1E01 */
		{ "\xe4\xb8\xad", "\xe4\xb8\xad" } /* U+4E2D */ };
	char to[8];
	size_t i;

	for (i = 0; i < sizeof pair / sizeof *pair; i++) {
		int n = (int)strlen(pair[i][0]);

		memset(to, 0, sizeof to);
		ok(cscg_utf8_lower(pair[i][0], n, to) == n &&
			!strcmp(to, pair[i][1]),
		    "lower case of %s", pair[i][0]);
	}
}

int
main(void)
{
	each_character();
	lower_case();
	invalid();
	messages();
	return done();
}
