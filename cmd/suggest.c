/* suggest.c - the word that was meant, where one is near */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "suggest.h"

enum {
	SLIP, BEGINNING,
	SLIP_MIN = 3,	/* letters of a word: of fewer, all are near */
	SHORT = 5	/* letters of a word that is not short */
};

/* How many bytes a and b have in common, at most n, whatever their capitals. */
static size_t
common(const char *a, const char *b, size_t n)
{
	size_t i;

	for (i = 0; i < n && tolower((unsigned char)a[i]) ==
	    tolower((unsigned char)b[i]); i++)
		;
	return i;
}

/* Is b, m bytes, what remains of a, n bytes, if one slip is undone? */
static bool
one_slip(const char *a, size_t n, const char *b, size_t m)
{
	size_t i = common(a, b, n < m ? n : m), rest;

	if (n + 1 == m)
		return common(a + i, b + i + 1, n - i) == n - i;
	/*
	 * A letter more makes another word of a short one: speed is not seed,
	 * but seeds may be.
	 */
	if (n == m + 1)
		return common(a + i + 1, b + i, m - i) == m - i &&
		    (m >= SHORT || (i && a[i] == a[i - 1]) ||
		    (i == m && a[i] == 's'));
	if (n != m)
		return false;
	if (i == n)
		return true;
	rest = n - i - 1;
	if (common(a + i + 1, b + i + 1, rest) == rest)
		return true;
	return rest && common(a + i, b + i + 1, 1) &&
	    common(a + i + 1, b + i, 1) &&
	    common(a + i + 2, b + i + 2, rest - 1) == rest - 1;
}

void
cmd_suggest_add(struct cmd_suggest *near, const char *candidate)
{
	size_t n = near->n, m = strlen(candidate);

	if (n >= SLIP_MIN && one_slip(near->word, n, candidate, m)) {
		near->found[SLIP] = candidate;
		near->count[SLIP]++;
	}
	if (n && n < m && common(near->word, candidate, n) == n) {
		near->found[BEGINNING] = candidate;
		near->count[BEGINNING]++;
	}
}

const char *
cmd_suggest_word(const struct cmd_suggest *near)
{
	int how = near->count[SLIP] ? SLIP : BEGINNING;

	return near->count[how] == 1 ? near->found[how] : NULL;
}

const char *
cmd_suggest_hint(const struct cmd_suggest *near, const char *dashes,
    char buf[CMD_SUGGEST_TEXT])
{
	const char *word = cmd_suggest_word(near);

	buf[0] = '\0';
	if (word)
		snprintf(buf, CMD_SUGGEST_TEXT, ": did you mean %s%s?", dashes,
		    word);
	return buf;
}
