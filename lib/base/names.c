/* names.c - lists of names for actions and symbols, and how two lists meet */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"

/*
 * Bytes of the UTF-8 character at s, 0 if it is none.  Overlong forms,
 * surrogates and what lies beyond U+10FFFF are none: JSON could not hold them.
 */
static int
utf8_length(const unsigned char *s)
{
	static const unsigned min_code[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned c;
	int n, i;

	if (*s < 0x80)
		return 1;
	n = *s >= 0xf0 && *s < 0xf8 ? 4 : *s >= 0xe0 ? 3 : *s >= 0xc0 ? 2 : 0;
	if (!n || *s >= 0xf8)
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

/* Names are printed one a line and in tables, and written as JSON. */
static int
check_name(const char *name, struct cscg_err *err)
{
	const unsigned char *s = (const unsigned char *)name;
	int n;

	for (; *s; s += n) {
		n = utf8_length(s);
		if (!n)
			return cscg_fail(err, CSCG_EFORMAT,
			    "a name is not valid UTF-8");
		if (*s < ' ' || *s == 0x7f)
			return cscg_fail(err, CSCG_EFORMAT,
			    "a name holds a control character");
	}
	return 0;
}

int
cscg_names_add(struct cscg_names *to, const char *name, struct cscg_err *err)
{
	char **v = to->v, *s;
	size_t n = (size_t)to->n;

	if (check_name(name, err) < 0)
		return -1;
	/* First of all, for unnamed means v NULL. */
	s = cscg_copy(name, strlen(name) + 1, 1, err);
	if (!s)
		return -1;
	/* Room doubles whenever n reaches a power of two. */
	if ((n & (n - 1)) == 0) {
		v = realloc(v, (n ? 2 * n : 1) * sizeof *v);
		if (!v) {
			free(s);
			return cscg_fail(err, CSCG_ENOMEM, "out of memory "
			    "(%zu names)", n + 1);
		}
		to->v = v;
	}
	v[to->n++] = s;
	return 0;
}

int
cscg_names_copy(struct cscg_names *to, const struct cscg_names *from,
    struct cscg_err *err)
{
	int i;

	*to = (struct cscg_names){ 0, NULL };
	for (i = 0; i < from->n; i++) {
		if (cscg_names_add(to, from->v[i], err) < 0) {
			cscg_names_free(to);
			return -1;
		}
	}
	return 0;
}

int
cscg_names_set(struct cscg_names *to, const char *const *words,
    struct cscg_err *err)
{
	*to = (struct cscg_names){ 0, NULL };
	for (; *words; words++) {
		if (cscg_names_add(to, *words, err) < 0) {
			cscg_names_free(to);
			return -1;
		}
	}
	return 0;
}

void
cscg_names_free(struct cscg_names *names)
{
	int i;

	for (i = 0; i < names->n; i++)
		free(names->v[i]);
	free(names->v);
	*names = (struct cscg_names){ 0, NULL };
}

int
cscg_names_find(const struct cscg_names *names, const char *name)
{
	int i;

	for (i = 0; i < names->n; i++)
		if (!strcmp(names->v[i], name))
			return i;
	return -1;
}

int
cscg_names_map(const struct cscg_names *from, int n_from,
    const struct cscg_names *to, int n_to, const char *what, int *map,
    struct cscg_err *err)
{
	int i;

	if (!from->n || !to->n) {
		if (n_from != n_to)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "%d %ss do not fit %d", n_from, what, n_to);
		for (i = 0; i < n_from; i++)
			map[i] = i;
		return 0;
	}
	for (i = 0; i < from->n; i++) {
		/* Mostly the lists are equal: look there first. */
		if (i < to->n && !strcmp(from->v[i], to->v[i]))
			map[i] = i;
		else
			map[i] = cscg_names_find(to, from->v[i]);
		if (map[i] < 0)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "%s '%.64s' is not known on the other side (%d "
			    "%ss, '%.64s' first)", what, from->v[i], to->n,
			    what, to->v[0]);
	}
	return 0;
}
