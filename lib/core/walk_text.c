/* walk_text.c - text as a walk: characters or words are symbols */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "core/walk_text.h"

struct cscg_walk_text {
	struct cscg_walk_text_options set;
	struct cscg_dict dict;
	int unknown; /* of the vocabulary; -1: it has no unknown symbol */
	int *symbol; /* [n] of all texts; -1: an episode ends */
	size_t n, cap;
	char *word; /* scratch */
	size_t cap_word;
};

struct cscg_walk_text *
cscg_walk_text_new(const struct cscg_walk_text_options *set,
    struct cscg_err *err)
{
	struct cscg_walk_text *text = cscg_alloc(1, sizeof *text, err);
	int x;

	if (!text)
		return NULL;
	text->set = *set;
	for (x = 0; set->vocabulary && x < set->vocabulary->symbols.n; x++)
		if (cscg_dict_add(&text->dict, set->vocabulary->symbols.v[x],
			err) < 0) {
			cscg_walk_text_free(text);
			return NULL;
		}
	text->unknown = cscg_dict_find(&text->dict, CSCG_TEXT_UNKNOWN);
	return text;
}

void
cscg_walk_text_free(struct cscg_walk_text *text)
{
	if (!text)
		return;
	cscg_dict_free(&text->dict);
	free(text->symbol);
	free(text->word);
	free(text);
}

static int
add_symbol(struct cscg_walk_text *text, int x, struct cscg_err *err)
{
	if (cscg_grow(&text->symbol, &text->cap, text->n + 1,
		sizeof *text->symbol, err) < 0)
		return -1;
	text->symbol[text->n++] = x;
	return 0;
}

/* Append the symbol called name. */
static int
add_name(struct cscg_walk_text *text, const char *name, struct cscg_err *err)
{
	int x = cscg_dict_find(&text->dict, name);

	if (x < 0 && text->set.vocabulary) {
		x = text->unknown;
		if (x < 0)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "'%.64s' is not one of the %d symbols given, "
			    "which do not have %s",
			    name, text->dict.names.n, CSCG_TEXT_UNKNOWN);
	} else if (x < 0) {
		x = cscg_dict_add(&text->dict, name, err);
		if (x < 0)
			return -1;
		if (x >= CSCG_OBS_MAX)
			return cscg_fail(err, CSCG_ERANGE,
			    "more than %d different symbols", CSCG_OBS_MAX);
	}
	return add_symbol(text, x, err);
}

/* ---- characters and words of a line ---- */

/*
 * Copy the character at s, n bytes, to to, NUL-terminated; returns its length.
 */
static int
take_char(const struct cscg_walk_text *text, const char *s, int n,
    char to[CSCG_UTF8_MAX + 1])
{
	if (text->set.lower)
		n = cscg_utf8_lower(s, n, to);
	else
		memcpy(to, s, (size_t)n);
	to[n] = '\0';
	return n;
}

/* Whether the character at s, n bytes, can be part of a word. */
static bool
in_word(const char *s, int n)
{
	unsigned char c = (unsigned char)s[0], d = (unsigned char)s[n - 1];

	if (n == 1)
		return isalnum(c) || c == '\'';
	if (n == 2 && c == 0xc2) /* U+0080..U+00BF: only letters are words */
		return d == 0xaa || d == 0xb5 || d == 0xba;
	if (n == 3 && c == 0xe2) { /* U+2000..U+206F, but U+2019 */
		unsigned char m = (unsigned char)s[1];

		if (m == 0x80 || (m == 0x81 && d < 0xb0))
			return m == 0x80 && d == 0x99;
	}
	return !(n == 3 && c == 0xe3 && (unsigned char)s[1] == 0x80);
}

static bool
is_space(const char *s)
{
	return *s == ' ' || cscg_utf8_is_control(s) ||
	    !strncmp(s, "\xc2\xa0", 2);
}

static int
add_char(struct cscg_walk_text *text, const char *s, int n,
    struct cscg_err *err)
{
	char name[CSCG_UTF8_MAX + 1];

	if (*s == '\t')
		return add_name(text, "\\t", err);
	if (cscg_utf8_is_control(s))
		return add_name(text, " ", err);
	take_char(text, s, n, name);
	return add_name(text, name, err);
}

/* The word at s, up to the end of the line; its bytes, -1 with err filled. */
static long
add_word(struct cscg_walk_text *text, const char *s, struct cscg_err *err)
{
	bool more = true;
	size_t len = 0;
	long at = 0;
	int n;

	while (s[at] && more) {
		n = cscg_utf8_step(s + at);
		more = in_word(s + at, n);
		if (!more && at > 0)
			break;
		if (cscg_grow(&text->word, &text->cap_word,
			len + CSCG_UTF8_MAX + 1, 1, err) < 0)
			return -1;
		len += (size_t)take_char(text, s + at, n, text->word + len);
		at += n;
	}
	return add_name(text, text->word, err) < 0 ? -1 : at;
}

/* A line, which is UTF-8. */
static int
add_line(struct cscg_walk_text *text, const char *s, struct cscg_err *err)
{
	long n;

	for (; *s; s += n) {
		n = cscg_utf8_step(s);
		if (!text->set.words) {
			if (add_char(text, s, (int)n, err) < 0)
				return -1;
		} else if (!is_space(s)) {
			n = add_word(text, s, err);
			if (n < 0)
				return -1;
		}
	}
	if (text->set.words || text->set.lines)
		return 0;
	return add_name(text, "\\n", err);
}

/* End an episode, unless it is empty. */
static int
end_episode(struct cscg_walk_text *text, struct cscg_err *err)
{
	return text->n && text->symbol[text->n - 1] >= 0 ?
	    add_symbol(text, -1, err) :
	    0;
}

static int
check_line(const struct cscg_in *in, const char *line, size_t len,
    struct cscg_err *err)
{
	size_t at;
	int n;

	if (cscg_in_line_has_nul(in))
		return cscg_fail(err, CSCG_EFORMAT,
		    "a NUL byte: this is not text");
	for (at = 0; at < len; at += (size_t)n) {
		n = cscg_utf8_length(line + at, len - at);
		if (n == 0)
			return cscg_fail(err, CSCG_EFORMAT,
			    "byte %zu, 0x%02x, is not UTF-8", at + 1,
			    (unsigned char)line[at]);
	}
	return 0;
}

int
cscg_walk_text_read(struct cscg_walk_text *text, struct cscg_in *in,
    struct cscg_err *err)
{
	char *line;
	size_t len;
	int rc;

	while ((rc = cscg_in_line(in, &line, &len, err)) > 0) {
		if (len && line[len - 1] == '\r')
			line[--len] = '\0';
		if (check_line(in, line, len, err) < 0 ||
		    add_line(text, line, err) < 0 ||
		    (text->set.lines && end_episode(text, err) < 0)) {
			cscg_fail_at(err, "%s: line %ld", cscg_in_name(in),
			    cscg_in_lineno(in));
			return -1;
		}
	}
	return rc < 0 ? -1 : end_episode(text, err);
}

/* ---- the walk ---- */

/*
 * Number the symbols that occur often enough, in order, and one symbol for all
 * others if there are any; their names go into head.
 */
static int
number_symbols(const struct cscg_walk_text *text, int *number,
    struct cscg_walk_header *head, struct cscg_err *err)
{
	int n = text->dict.names.n, x, unknown = 0;
	long *count = cscg_alloc((size_t)n, sizeof *count, err);
	size_t i;

	if (!count)
		return -1;
	for (i = 0; i < text->n; i++)
		if (text->symbol[i] >= 0)
			count[text->symbol[i]]++;
	for (x = 0; x < n; x++) {
		number[x] = -1;
		if (!text->set.vocabulary && count[x] < text->set.min_count) {
			unknown = 1;
			continue;
		}
		number[x] = head->symbols.n;
		if (cscg_names_add(&head->symbols, text->dict.names.v[x],
			err) < 0)
			break;
	}
	free(count);
	if (x < n)
		return -1;
	if (unknown &&
	    cscg_names_find(&head->symbols, CSCG_TEXT_UNKNOWN) < 0 &&
	    cscg_names_add(&head->symbols, CSCG_TEXT_UNKNOWN, err) < 0)
		return -1;
	unknown = cscg_names_find(&head->symbols, CSCG_TEXT_UNKNOWN);
	for (x = 0; x < n; x++)
		if (number[x] < 0)
			number[x] = unknown;
	head->n_obs = head->symbols.n;
	return 0;
}

struct cscg_walk *
cscg_walk_text_to_walk(struct cscg_walk_text *text, struct cscg_err *err)
{
	struct cscg_walk_header head = { .n_actions = 1 };
	struct cscg_walk *w = NULL;
	int *number = NULL, rc = -1;
	size_t i;

	if (!text->n) {
		cscg_fail(err, CSCG_EFORMAT, "the text is empty");
		return NULL;
	}
	number = cscg_alloc((size_t)text->dict.names.n, sizeof *number, err);
	if (number && number_symbols(text, number, &head, err) == 0)
		w = cscg_walk_new(&head, err);
	if (w)
		rc = 0;
	for (i = 0; i < text->n && rc == 0; i++) {
		struct cscg_step step = {
			.a = 0, .z = -1, .goal = -1, .r = NAN
		};

		if (text->symbol[i] < 0)
			continue;
		step.x = number[text->symbol[i]];
		step.a = text->symbol[i + 1] < 0 ? -1 : 0;
		rc = cscg_walk_add(w, &step, err);
	}
	free(number);
	cscg_walk_header_free(&head);
	if (rc == 0)
		return w;
	cscg_walk_free(w);
	return NULL;
}

/* ---- text from a walk ---- */

static bool
is_char(const char *name)
{
	int n = cscg_utf8_length(name, CSCG_UTF8_MAX);

	return (n > 0 && !name[n]) || !strcmp(name, "\\n") ||
	    !strcmp(name, "\\t") || !strcmp(name, CSCG_TEXT_UNKNOWN);
}

static int
write_symbol(const struct cscg_walk *w, int x, bool chars,
    struct cscg_out *out, struct cscg_err *err)
{
	const char *name = w->head.symbols.n ? w->head.symbols.v[x] : NULL;

	if (!name)
		return cscg_out_printf(out, err, "%d", x);
	if (chars && !strcmp(name, "\\n"))
		name = "\n";
	else if (chars && !strcmp(name, "\\t"))
		name = "\t";
	else if (chars && !strcmp(name, CSCG_TEXT_UNKNOWN))
		name = "\xef\xbf\xbd";
	return cscg_out_write(out, name, strlen(name), err);
}

int
cscg_walk_text_write(const struct cscg_walk *w, struct cscg_out *out,
    struct cscg_err *err)
{
	const struct cscg_names *names = &w->head.symbols;
	bool chars = cscg_names_find(names, " ") >= 0 ||
	    cscg_names_find(names, "\\n") >= 0;
	bool first = true, newline = false;
	long t;
	int x;

	for (x = 0; x < names->n; x++)
		chars &= is_char(names->v[x]);
	for (t = 0; t < w->n_steps; t++) {
		if (w->x[t] >= 0) {
			if (!chars && !first &&
			    cscg_out_write(out, " ", 1, err) < 0)
				return -1;
			if (write_symbol(w, w->x[t], chars, out, err) < 0)
				return -1;
			first = false;
			newline = chars &&
			    !strcmp(w->head.symbols.v[w->x[t]], "\\n");
		}
		if (w->a[t] >= 0)
			continue;
		if (!newline && cscg_out_write(out, "\n", 1, err) < 0)
			return -1;
		first = true;
		newline = false;
	}
	return 0;
}
