/*
 * walk_line.c - the steps of one line of a walk
 *
 * A million integers are a million allocations for a JSON library.  Most
 * lines of most walks are written by our own writer and hold nothing but
 * short lists of small numbers, so these are read here, at about the speed of
 * inflating them.  What is not just so is left to the library, which then
 * also has to say what is wrong with it.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/walk_frame.h"
#include "core/walk_line.h"

void
cscg_walk_line_free(struct cscg_walk_line *l)
{
	free(l->x);
	free(l->a);
	free(l->z);
	free(l->goal);
	free(l->view);
	free(l->r);
	free(l->reset);
	memset(l, 0, sizeof *l);
}

int
cscg_walk_line_reserve(struct cscg_walk_line *l, size_t n, struct cscg_err *err)
{
	if (n <= l->cap)
		return 0;
	if (n < CSCG_WALK_LINE_STEPS)
		n = CSCG_WALK_LINE_STEPS;
	cscg_walk_line_free(l);
	l->x = cscg_alloc(n, sizeof *l->x, err);
	l->a = cscg_alloc(n, sizeof *l->a, err);
	l->z = cscg_alloc(n, sizeof *l->z, err);
	l->goal = cscg_alloc(n, sizeof *l->goal, err);
	l->view = cscg_alloc(n, sizeof *l->view, err);
	l->r = cscg_alloc(n, sizeof *l->r, err);
	l->reset = cscg_alloc(n, sizeof *l->reset, err);
	if (!l->x || !l->a || !l->z || !l->goal || !l->view || !l->r ||
	    !l->reset) {
		cscg_walk_line_free(l);
		return -1;
	}
	l->cap = n;
	return 0;
}

/* Step over word if it is next. */
static bool
accept_word(const char **p, const char *w)
{
	size_t n = strlen(w);

	if (strncmp(*p, w, n))
		return false;
	*p += n;
	return true;
}

/* A number 0..max-1 as JSON spells it, or -1. */
static long
parse_number(const char **p, long max)
{
	const char *s = *p;
	long v = 0;

	if (*s < '0' || *s > '9' || (*s == '0' && s[1] >= '0' && s[1] <= '9'))
		return -1;
	for (; *s >= '0' && *s <= '9'; s++) {
		v = v * 10 + (*s - '0');
		if (v >= max)
			return -1;
	}
	*p = s;
	return v;
}

/* A list of numbers below max into out; its length, or -1. */
static long
parse_list(const char **p, long max, bool null_ok, int *out, long cap)
{
	long n = 0, v;

	if (accept_word(p, "]"))
		return 0;
	do {
		if (n == cap)
			return -1;
		if (null_ok && **p == 'n' && accept_word(p, "null"))
			v = -1;
		else if ((v = parse_number(p, max)) < 0)
			return -1;
		out[n++] = (int)v;
	} while (accept_word(p, ","));
	return accept_word(p, "]") ? n : -1;
}

int
cscg_walk_line_parse_fast(const char *text, size_t len, int n_actions, int n_obs,
    struct cscg_walk_line *l, struct cscg_err *err)
{
	const char *p = text, *x, *end;
	size_t n;
	long n_a, episode;

	if (!accept_word(&p, "{\"episode\":") ||
	    (episode = parse_number(&p, INT_MAX)) < 0 || !accept_word(&p, ",\"x\":["))
		return 0;
	x = p;
	end = memchr(x, ']', len - (size_t)(x - text));
	if (!end)
		return 0;
	/* As many steps as commas and one; "n," is the shortest. */
	n = (size_t)(end - x) / 2 + 1;
	if (cscg_walk_line_reserve(l, n, err) < 0)
		return -1;
	l->episode = episode;
	l->n = parse_list(&p, n_obs, true, l->x, (long)l->cap);
	if (l->n < 1 || !accept_word(&p, ",\"a\":["))
		return 0;
	n_a = parse_list(&p, n_actions, false, l->a, l->n);
	if (n_a < 0)
		return 0;
	l->has_z = accept_word(&p, ",\"z\":[");
	if (l->has_z && parse_list(&p, CSCG_TRUE_STATE_MAX, true, l->z, l->n) != l->n)
		return 0;
	l->has_view = accept_word(&p, ",\"v\":[");
	if (l->has_view && parse_list(&p, CSCG_VIEW_MAX, true, l->view, l->n) !=
	    l->n)
		return 0;
	l->last = accept_word(&p, ",\"last\":true");
	l->has_reset = l->has_r = l->has_goal = false;
	return n_a == l->n - l->last && accept_word(&p, "}") &&
	    p == text + len;
}
