/*
 * json_parse.c - JSON parser: the text of an object to Jansson values
 *
 * The values are Jansson's, the parser is not: when an allocation fails,
 * json_loadb() of Jansson 2.14 drops bytes of long tokens without an error,
 * reports a string as an "invalid token", and may decode an escaped string
 * past the end of the bytes it kept.  Detecting this would require replacing
 * Jansson's allocator, which a library must leave to the program.  Here every
 * allocation is checked.  Syntax and limits are those of json_loadb() with
 * JSON_REJECT_DUPLICATES (a test compares the two), except that a NUL byte,
 * which json_loadb() may skip, is an error.
 */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "io/json_parse.h"

enum {
	DEPTH_MAX = 2048,
	NEAR_MAX = 20,   /* bytes of a token quoted in a message */
	DIGITS_MAX = 18, /* an integer of so few digits fits 64 bits */
};

/* Kinds of tokens; "{}[]:," are tokens by themselves. */
enum {
	INVALID = -1,
	END = 0,
	STRING = 256,
	INTEGER,
	REAL,
	TRUE_WORD,
	FALSE_WORD,
	NULL_WORD,
};

struct parser {
	const char *text, *end;
	const char *token, *at; /* the current token, and what follows */
	int kind, depth;
	bool has_escape, failed;
	json_int_t integer;
	double real;
	/*
	 * A stack of bytes: the keys of the open objects, each with its NUL, and
	 * on top of them the string or number that is being decoded.
	 */
	char *stack;
	size_t used, cap;
	/* Packed arrays: below this key of the object; NULL: none. */
	const char *packed;
	bool is_packing;
	char *numbers;
	size_t cap_numbers;
	struct cscg_err *err;
};

static int
fail_memory(struct parser *p)
{
	p->failed = true;
	return cscg_fail(p->err, CSCG_ENOMEM, "out of memory (JSON)");
}

/* Characters, not bytes, up to the end of the current token. */
static int
column(const struct parser *p)
{
	const char *s;
	int n = 0;

	for (s = p->text; s < p->at && n < INT_MAX; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

/* The first error counts: an invalid token is reported before "expected". */
__attribute__((format(printf, 2, 3))) static int
fail_syntax(struct parser *p, const char *fmt, ...)
{
	char what[80], near[NEAR_MAX + 16] = "";
	size_t n = (size_t)(p->at - p->token);
	va_list ap;

	if (p->failed)
		return -1;
	p->failed = true;
	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	if (n && n <= NEAR_MAX)
		snprintf(near, sizeof near, " near '%.*s'", (int)n, p->token);
	else if (!n && p->at == p->end)
		snprintf(near, sizeof near, " near end of file");
	return cscg_fail(p->err, CSCG_EFORMAT, "invalid JSON: column %d: %s%s",
	    column(p), what, near);
}

/* tokens */

static bool
is_digit(const struct parser *p)
{
	return p->at < p->end && *p->at >= '0' && *p->at <= '9';
}

static void
skip_digits(struct parser *p)
{
	while (is_digit(p))
		p->at++;
}

/* Room for n bytes on top of the stack; NULL with err filled. */
static char *
reserve(struct parser *p, size_t n)
{
	if (p->used + n > p->cap &&
	    cscg_grow_unset(&p->stack, &p->cap, p->used + n, 1, p->err) < 0) {
		p->failed = true;
		return NULL;
	}
	return p->stack + p->used;
}

static int
to_integer(struct parser *p)
{
	const char *s = p->token + (*p->token == '-');
	json_int_t v = 0;
	int d;

	/* Accumulated as a negative number: LLONG_MIN has no positive. */
	for (; s < p->at; s++) {
		d = *s - '0';
		if (v < (LLONG_MIN + d) / 10)
			break;
		v = v * 10 - d;
	}
	if (*p->token == '-' && s < p->at)
		return fail_syntax(p, "too big negative integer");
	if (*p->token != '-' && (s < p->at || v == LLONG_MIN))
		return fail_syntax(p, "too big integer");
	p->integer = *p->token == '-' ? v : -v;
	return INTEGER;
}

static int
to_real(struct parser *p)
{
	size_t n = (size_t)(p->at - p->token);
	char *s = reserve(p, n + 1), *end, *point, one[8];

	if (!s)
		return INVALID;
	memcpy(s, p->token, n);
	s[n] = '\0';
	p->real = strtod(s, &end);
	/* strtod() stops at '.' if the decimal point of the locale is another. */
	point = strchr(s, '.');
	if (end != s + n && point) {
		snprintf(one, sizeof one, "%#.0f", 1.0);
		*point = one[1];
		p->real = strtod(s, &end);
	}
	if (!isfinite(p->real))
		return fail_syntax(p, "real number overflow");
	return REAL;
}

static int
scan_number(struct parser *p)
{
	bool is_real = false;

	if (*p->at == '-')
		p->at++;
	if (!is_digit(p))
		return INVALID;
	if (*p->at++ != '0')
		skip_digits(p);
	else if (is_digit(p))
		return INVALID;
	if (p->at < p->end && *p->at == '.') {
		is_real = true;
		p->at++;
		if (!is_digit(p))
			return INVALID;
		skip_digits(p);
	}
	if (p->at < p->end && (*p->at == 'e' || *p->at == 'E')) {
		is_real = true;
		p->at++;
		if (p->at < p->end && (*p->at == '+' || *p->at == '-'))
			p->at++;
		if (!is_digit(p))
			return INVALID;
		skip_digits(p);
	}
	return is_real ? to_real(p) : to_integer(p);
}

static int
scan_word(struct parser *p)
{
	static const struct {
		const char *word;
		int kind;
	} known[] = { { "true", TRUE_WORD }, { "false", FALSE_WORD },
		{ "null", NULL_WORD } };
	size_t n, i;

	while (p->at < p->end &&
	    ((*p->at >= 'a' && *p->at <= 'z') ||
		(*p->at >= 'A' && *p->at <= 'Z')))
		p->at++;
	n = (size_t)(p->at - p->token);
	for (i = 0; i < sizeof known / sizeof *known; i++)
		if (n == strlen(known[i].word) &&
		    !memcmp(p->token, known[i].word, n))
			return known[i].kind;
	return INVALID;
}

/* Past one UTF-8 character. */
static int
scan_utf8(struct parser *p)
{
	int n = cscg_utf8_length(p->at, (size_t)(p->end - p->at));

	if (!n)
		return fail_syntax(p, "unable to decode byte 0x%x",
		    (unsigned char)*p->at);
	p->at += n;
	return 0;
}

/* The four digits of \u, or -1. */
static long
hex4(const char *s, const char *end)
{
	long v = 0;
	int i;

	for (i = 0; i < 4; i++) {
		if (s + i >= end)
			return -1;
		if (s[i] >= '0' && s[i] <= '9')
			v = v << 4 | (s[i] - '0');
		else if ((s[i] | 32) >= 'a' && (s[i] | 32) <= 'f')
			v = v << 4 | ((s[i] | 32) - 'a' + 10);
		else
			return -1;
	}
	return v;
}

/* Past one escape, which at points to. */
static int
scan_escape(struct parser *p)
{
	p->has_escape = true;
	p->at++;
	if (p->at < p->end && *p->at == 'u' && hex4(p->at + 1, p->end) >= 0) {
		p->at += 5;
		return 0;
	}
	if (p->at == p->end || !*p->at || !strchr("\"\\/bfnrt", *p->at)) {
		p->at += p->at < p->end;
		return fail_syntax(p, "invalid escape");
	}
	p->at++;
	return 0;
}

/* To the closing quote; decode_string() decodes. */
static int
scan_string(struct parser *p)
{
	p->has_escape = false;
	p->at++;
	while (p->at < p->end && *p->at != '"') {
		if (*p->at == '\\') {
			if (scan_escape(p) < 0)
				return INVALID;
		} else if ((unsigned char)*p->at < ' ') {
			return fail_syntax(p, "control character 0x%x",
			    (unsigned char)*p->at);
		} else if (*p->at & 0x80) {
			if (scan_utf8(p) < 0)
				return INVALID;
		} else {
			p->at++;
		}
	}
	if (p->at == p->end)
		return fail_syntax(p, "premature end of input");
	p->at++;
	return STRING;
}

static void
next_token(struct parser *p)
{
	while (p->at < p->end &&
	    (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' ||
		*p->at == '\r'))
		p->at++;
	p->token = p->at;
	if (p->at == p->end)
		p->kind = END;
	else if (*p->at == '"')
		p->kind = scan_string(p);
	else if (*p->at == '-' || is_digit(p))
		p->kind = scan_number(p);
	else if ((*p->at | 32) >= 'a' && (*p->at | 32) <= 'z')
		p->kind = scan_word(p);
	else if (*p->at && strchr("{}[]:,", *p->at))
		p->kind = *p->at++;
	else {
		scan_utf8(p);
		p->kind = INVALID;
	}
}

/* strings */

static char *
put_utf8(char *to, long c)
{
	int n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, i;

	if (n == 1) {
		*to = (char)c;
		return to + 1;
	}
	for (i = n - 1; i > 0; i--, c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)((0xf00 >> n & 0xff) | c);
	return to + n;
}

/* The character of the \u at *s, which is moved past it; -1. */
static long
unicode_escape(struct parser *p, const char **s)
{
	long c = hex4(*s + 2, p->end), low;

	*s += 6;
	if (c == 0)
		return fail_syntax(p, "\\u0000 is not allowed");
	if (c < 0xd800 || c > 0xdfff)
		return c;
	if (c > 0xdbff || (*s)[0] != '\\' || (*s)[1] != 'u')
		return fail_syntax(p, "invalid Unicode '\\u%04lX'", c);
	low = hex4(*s + 2, p->end);
	*s += 6;
	if (low < 0xdc00 || low > 0xdfff)
		return fail_syntax(p, "invalid Unicode '\\u%04lX\\u%04lX'", c,
		    low);
	return ((c - 0xd800) << 10) + (low - 0xdc00) + 0x10000;
}

/*
 * Decode the string token onto the top of the stack, with a NUL; returns its
 * length, or -1 with err filled.  No escape is shorter than its UTF-8 bytes,
 * so the length of the token is sufficient.
 */
static long
decode_string(struct parser *p)
{
	static const char letters[] = "\"\\/bfnrt",
			  means[] = "\"\\/\b\f\n\r\t";
	const char *s = p->token + 1, *end = p->at - 1, *stop;
	char *to = reserve(p, (size_t)(end - s) + 1), *start = to;
	long c;

	if (!to)
		return -1;
	while (s < end) {
		stop = p->has_escape ? memchr(s, '\\', (size_t)(end - s)) :
				       end;
		if (!stop)
			stop = end;
		memcpy(to, s, (size_t)(stop - s));
		to += stop - s;
		s = stop;
		if (s == end)
			break;
		if (s[1] == 'u') {
			c = unicode_escape(p, &s);
			if (c < 0)
				return -1;
			to = put_utf8(to, c);
		} else {
			*to++ = means[strchr(letters, s[1]) - letters];
			s += 2;
		}
	}
	*to = '\0';
	return to - start;
}

/* values */

static json_t *parse_value(struct parser *p);

/* NULL from a constructor of Jansson means that memory is short. */
static json_t *
made(struct parser *p, json_t *v)
{
	if (!v)
		fail_memory(p);
	return v;
}

static json_t *
parse_string(struct parser *p)
{
	long n;

	if (!p->has_escape)
		return made(p,
		    json_stringn_nocheck(p->token + 1,
			(size_t)(p->at - p->token) - 2));
	n = decode_string(p);
	return n < 0 ?
	    NULL :
	    made(p, json_stringn_nocheck(p->stack + p->used, (size_t)n));
}

/* One key and value into obj; then the token after them is the current one. */
static int
parse_pair(struct parser *p, json_t *obj)
{
	size_t key = p->used;
	json_t *value;
	long n;

	if (p->kind != STRING)
		return fail_syntax(p, "string or '}' expected");
	n = decode_string(p);
	if (n < 0)
		return -1;
	if (json_object_get(obj, p->stack + key))
		return fail_syntax(p, "duplicate object key");
	if (p->depth == 1)
		p->is_packing = p->packed &&
		    !strcmp(p->stack + key, p->packed);
	p->used += (size_t)n + 1;
	next_token(p);
	if (p->kind != ':')
		return fail_syntax(p, "':' expected");
	next_token(p);
	value = parse_value(p);
	if (!value)
		return -1;
	if (json_object_set_new_nocheck(obj, p->stack + key, value) < 0)
		return fail_memory(p);
	p->used = key;
	next_token(p);
	return 0;
}

static json_t *
parse_object(struct parser *p)
{
	json_t *obj = made(p, json_object());

	if (!obj)
		return NULL;
	next_token(p);
	if (p->kind == '}')
		return obj;
	while (parse_pair(p, obj) == 0 && p->kind == ',')
		next_token(p);
	if (!p->failed && p->kind == '}')
		return obj;
	fail_syntax(p, "'}' expected");
	json_decref(obj);
	return NULL;
}

/*
 * Packed arrays.  Millions of numbers as values of Jansson take most of the
 * time of reading a model, so they are scanned into an array.  Other arrays
 * are parsed by parse_array(), which also reports errors.
 */

struct packed_head {
	char nul;
	bool is_narrow;
	char none[6];
	int64_t first_real;
};

enum {
	PACKED_HEAD = sizeof(struct packed_head),
	NARROW = sizeof(int32_t), /* bytes of an item */
	WIDE = sizeof(double),
};

static const char *
skip_space(const char *s)
{
	while (*s == ' ' || *s == '\t' || *s == '\n' || *s == '\r')
		s++;
	return s;
}

/* The integer at *s: false for any other number or text. */
static bool
scan_integer(const char **s, int64_t *v)
{
	const char *first = *s + (**s == '-'), *at = first;
	int64_t x = 0;

	while (*at >= '0' && *at <= '9' && at - first < DIGITS_MAX)
		x = x * 10 + (*at++ - '0');
	if (at == first || (*first == '0' && at > first + 1) ||
	    (*at >= '0' && *at <= '9') || *at == '.' || (*at | 32) == 'e')
		return false;
	*v = **s == '-' ? -x : x;
	*s = at;
	return true;
}

/*
 * The number at *s into the eight bytes of item; *is_real becomes true if it is not
 * an integer.
 */
static bool
scan_item(const char **s, bool *is_real, void *item)
{
	int64_t integer;
	double real;

	/* After a real number another one is likely. */
	if (*is_real && cscg_decimal_parse(s, &real)) {
		memcpy(item, &real, WIDE);
		return true;
	}
	if (scan_integer(s, &integer)) {
		real = (double)integer;
	} else {
		if (!cscg_decimal_parse(s, &real))
			return false;
		*is_real = true;
	}
	memcpy(item, *is_real ? (void *)&real : (void *)&integer, WIDE);
	return true;
}

static json_t *
pack(char *buf, long n, bool is_narrow, long first_real)
{
	struct packed_head head = { .is_narrow = is_narrow,
		.first_real = first_real };

	memcpy(buf, &head, sizeof head);
	return json_stringn_nocheck(buf,
	    sizeof head + (size_t)n * (is_narrow ? NARROW : WIDE));
}

/*
 * The integers of few digits at *s into p->numbers; returns their number.  *s is
 * then behind the array, or at an item that is something else.
 */
static long
scan_narrow(struct parser *p, const char **s)
{
	enum { FEW = 9 }; /* digits that always fit */
	size_t at = PACKED_HEAD;
	const char *first, *end;
	unsigned digit;
	int32_t v;

	for (;;) {
		first = end = skip_space(*s);
		if (at + NARROW > p->cap_numbers &&
		    cscg_grow_unset(&p->numbers, &p->cap_numbers, at + NARROW,
			1, p->err) < 0) {
			p->failed = true;
			break;
		}
		for (v = 0;
		     (digit = (unsigned)*end - '0') < 10 && end < first + FEW;
		     end++)
			v = v * 10 + (int32_t)digit;
		if (end == first || (*first == '0' && end > first + 1))
			break;
		end = skip_space(end);
		if (*end != ',' && *end != ']')
			break;
		memcpy(p->numbers + at, &v, NARROW);
		at += NARROW;
		*s = end + 1;
		if (*end == ']')
			break;
	}
	return (long)((at - PACKED_HEAD) / NARROW);
}

/* The first n items of p->numbers, narrow ones, as wide ones. */
static int
widen(struct parser *p, long n)
{
	size_t need = PACKED_HEAD + (size_t)n * WIDE;
	struct cscg_json_numbers narrow = { .is_narrow = true };
	int64_t v;

	if (need > p->cap_numbers &&
	    cscg_grow_unset(&p->numbers, &p->cap_numbers, need, 1, p->err) <
		0) {
		p->failed = true;
		return -1;
	}
	narrow.items = p->numbers + PACKED_HEAD;
	while (n-- > 0) {
		v = cscg_json_integer_at(&narrow, n);
		memcpy(p->numbers + PACKED_HEAD + n * WIDE, &v, WIDE);
	}
	return 0;
}

/*
 * The packed array that begins at the current token '['; NULL: it is not an
 * array of numbers, or p->failed.
 */
static json_t *
parse_packed(struct parser *p)
{
	const char *s = p->at;
	long n_ints = scan_narrow(p, &s);
	size_t n = PACKED_HEAD + (size_t)n_ints * WIDE, ints = n;
	bool is_real = false;

	if (p->failed)
		return NULL;
	if (n_ints && s[-1] == ']') {
		p->at = s;
		return made(p, pack(p->numbers, n_ints, true, n_ints));
	}
	if (widen(p, n_ints) < 0)
		return NULL;
	for (s = skip_space(s);; s = skip_space(s + 1)) {
		if (n + WIDE > p->cap_numbers &&
		    cscg_grow_unset(&p->numbers, &p->cap_numbers, n + WIDE, 1,
			p->err) < 0) {
			p->failed = true;
			return NULL;
		}
		if (!scan_item(&s, &is_real, p->numbers + n))
			return NULL;
		n += WIDE;
		if (!is_real)
			ints = n;
		s = skip_space(s);
		if (*s != ',')
			break;
	}
	if (*s != ']')
		return NULL;
	p->at = s + 1;
	return made(p,
	    pack(p->numbers, (long)((n - PACKED_HEAD) / WIDE), false,
		(long)((ints - PACKED_HEAD) / WIDE)));
}

bool
cscg_json_is_packed(const json_t *v, struct cscg_json_numbers *numbers)
{
	struct packed_head head;
	size_t n = json_string_length(v);
	const char *s = json_string_value(v);

	if (!n || *s)
		return false;
	memcpy(&head, s, sizeof head);
	numbers->is_narrow = head.is_narrow;
	numbers->n = (long)((n - sizeof head) /
	    (head.is_narrow ? NARROW : WIDE));
	numbers->first_real = (long)head.first_real;
	numbers->items = s + sizeof head;
	return true;
}

static json_t *
parse_array(struct parser *p)
{
	json_t *arr = NULL, *v;

	if (p->is_packing && p->depth < DEPTH_MAX)
		arr = parse_packed(p);
	if (arr || p->failed)
		return arr;
	arr = made(p, json_array());
	if (!arr)
		return NULL;
	next_token(p);
	if (p->kind == ']')
		return arr;
	while (p->kind != END && (v = parse_value(p))) {
		if (json_array_append_new(arr, v) < 0) {
			fail_memory(p);
			break;
		}
		next_token(p);
		if (p->kind != ',')
			break;
		next_token(p);
	}
	if (!p->failed && p->kind == ']')
		return arr;
	fail_syntax(p, "']' expected");
	json_decref(arr);
	return NULL;
}

/* The value that begins with the current token; NULL with err filled. */
static json_t *
parse_value(struct parser *p)
{
	json_t *v = NULL;

	if (++p->depth > DEPTH_MAX) {
		fail_syntax(p, "maximum parsing depth reached");
		return NULL;
	}
	switch (p->kind) {
	case '{':
		v = parse_object(p);
		break;
	case '[':
		v = parse_array(p);
		break;
	case STRING:
		v = parse_string(p);
		break;
	case INTEGER:
		v = made(p, json_integer(p->integer));
		break;
	case REAL:
		v = made(p, json_real(p->real));
		break;
	case TRUE_WORD:
		v = json_true();
		break;
	case FALSE_WORD:
		v = json_false();
		break;
	case NULL_WORD:
		v = json_null();
		break;
	default:
		fail_syntax(p,
		    p->kind == INVALID ? "invalid token" : "unexpected token");
		break;
	}
	p->depth--;
	return v;
}

json_t *
cscg_json_parse_packed(const char *text, size_t len, const char *packed,
    struct cscg_err *err)
{
	struct parser p = { .text = text,
		.end = text + len,
		.at = text,
		.packed = packed,
		.err = err };
	json_t *v = NULL;

	next_token(&p);
	if (p.kind == '{' || p.kind == '[')
		v = parse_value(&p);
	else
		fail_syntax(&p, "'[' or '{' expected");
	if (v) {
		next_token(&p);
		if (p.kind != END)
			fail_syntax(&p, "end of file expected");
	}
	free(p.numbers);
	free(p.stack);
	if (!p.failed && json_is_object(v))
		return v;
	if (!p.failed)
		cscg_fail(err, CSCG_EFORMAT, "invalid JSON: not an object");
	json_decref(v);
	return NULL;
}

json_t *
cscg_json_parse(const char *text, size_t len, struct cscg_err *err)
{
	return cscg_json_parse_packed(text, len, NULL, err);
}
