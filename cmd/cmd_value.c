/* cmd_value.c - the value of an option from its text, and back */
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd_near.h"
#include "cmd_opt.h"
#include "cmd_value.h"

union cmd_value
cmd_value_of(const struct cmd_opt *o)
{
	union cmd_value v = { .s = NULL };

	switch (o->type) {
	case CMD_T_FLAG:
		v.b = *(bool *)o->var;
		break;
	case CMD_T_LONG:
		v.l = *(long *)o->var;
		break;
	case CMD_T_DOUBLE:
		v.d = *(double *)o->var;
		break;
	case CMD_T_STRING:
		v.s = *(const char **)o->var;
		break;
	case CMD_T_CHOICE:
		v.i = *(int *)o->var;
		break;
	case CMD_T_LIST:
	case CMD_T_TITLE:
	case CMD_T_END:
		break;
	}
	return v;
}

/* The shortest decimal that reads back as x. */
static void
print_double(char *buf, size_t size, double x)
{
	int digits;

	for (digits = 6; digits <= 17; digits++) {
		snprintf(buf, size, "%.*g", digits, x);
		if (strtod(buf, NULL) == x)
			return;
	}
}

const char *
cmd_value_text(const struct cmd_opt *o, union cmd_value v, char *buf,
    size_t size)
{
	buf[0] = '\0';
	switch (o->type) {
	case CMD_T_FLAG:
		return v.b ? "true" : "";
	case CMD_T_LONG:
		if ((double)v.l >= o->lo && (double)v.l <= o->hi)
			snprintf(buf, size, "%ld", v.l);
		return buf;
	case CMD_T_DOUBLE:
		if (v.d >= o->lo && v.d <= o->hi)
			print_double(buf, size, v.d);
		return buf;
	case CMD_T_STRING:
		return v.s ? v.s : "";
	case CMD_T_CHOICE:
		return v.i >= 0 ? o->words[v.i] : "";
	case CMD_T_LIST:
	case CMD_T_TITLE:
	case CMD_T_END:
		break;
	}
	return "";
}

const char *
cmd_value_words(const char *const *words, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (; *words && n < size; words++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? "|" : "",
		    *words);
	return buf;
}

static bool
all_of(const char *s, const char *chars)
{
	return *s && !s[strspn(s, chars)];
}

static void
out_of_range(const struct cmd_opt *o, const char *s)
{
	char lo[32], hi[32];

	print_double(lo, sizeof lo, o->lo);
	print_double(hi, sizeof hi, o->hi);
	if (o->type == CMD_T_LONG) {
		snprintf(lo, sizeof lo, "%.0f", o->lo);
		snprintf(hi, sizeof hi, "%.0f", o->hi);
	}
	if (o->hi < DBL_MAX && (o->type != CMD_T_LONG || o->hi < 9e18))
		cmd_usage("--%s: %s is outside %s..%s", o->word, s, lo, hi);
	if (strtod(s, NULL) > o->lo)
		cmd_usage("--%s: %s is too large", o->word, s);
	cmd_usage("--%s: %s is outside %s and up", o->word, s, lo);
}

static void
set_number(const struct cmd_opt *o, const char *s)
{
	char *end;
	double d;
	long l = 0;

	errno = 0;
	d = strtod(s, &end);
	/* strtod() would also take nan, infinity, hex and leading blanks. */
	if (!all_of(s, "0123456789+-.eE") || *end)
		cmd_usage("--%s: '%s' is not a number", o->word, s);
	if (o->type == CMD_T_LONG) {
		/* 1e6 is whole, and every double below 2^53 can be. */
		if (d != floor(d))
			cmd_usage("--%s: '%s' is not a whole number", o->word,
			    s);
		if (!all_of(s, "0123456789+-") && fabs(d) > 9e15)
			out_of_range(o, s);
		errno = 0;
		l = all_of(s, "0123456789+-") ? strtol(s, NULL, 10) : (long)d;
		d = (double)l;
	}
	if ((errno == ERANGE && (o->type == CMD_T_LONG || d > 1 || d < -1)) ||
	    d < o->lo || d > o->hi)
		out_of_range(o, s);
	if (o->type == CMD_T_LONG)
		*(long *)o->var = l;
	else
		*(double *)o->var = d;
}

/*
 * Where numbers or a file may be named, what begins like a number and is the
 * name of no file is a number gone wrong.  Plain ones the tool judges itself.
 */
static void
judge_numbers(const struct cmd_opt *o, const char *s)
{
	const char *p = s + strspn(s, " \t");

	p += *p == '+' || *p == '-';
	p += *p == '.';
	if (!isdigit((unsigned char)*p) || all_of(s, "0123456789,"))
		return;
	if (access(s, F_OK) < 0 && errno != EACCES)
		cmd_usage("--%s: '%s' is neither a plain number nor a file",
		    o->word, s);
}

static void
set_string(const struct cmd_opt *o, const char *s)
{
	if (o->flags & CMD_OR_NUMBERS)
		judge_numbers(o, s);
	*(const char **)o->var = s;
}

static void
set_choice(const struct cmd_opt *o, const char *s)
{
	struct cmd_near near = { .word = s, .n = strlen(s) };
	char words[256], hint[CMD_NEAR_TEXT];
	int i;

	for (i = 0; o->words[i]; i++) {
		if (!strcmp(o->words[i], s)) {
			*(int *)o->var = i;
			return;
		}
		cmd_near_look(&near, o->words[i]);
	}
	cmd_usage("--%s: '%s' is none of %s%s", o->word, s,
	    cmd_value_words(o->words, words, sizeof words),
	    cmd_near_hint(&near, "", hint));
}

static void
set_list(struct cmd_list *list, char *s)
{
	char **v = realloc(list->v, ((size_t)list->n + 1) * sizeof *v);
	struct cscg_err err;

	if (!v) {
		cscg_fail(&err, CSCG_ENOMEM, "out of memory");
		exit(cmd_fail(&err));
	}
	list->v = v;
	list->v[list->n++] = s;
}

void
cmd_value_set(const struct cmd_opt *o, char *s)
{
	switch (o->type) {
	case CMD_T_FLAG:
		*(bool *)o->var = true;
		break;
	case CMD_T_LONG:
	case CMD_T_DOUBLE:
		set_number(o, s);
		break;
	case CMD_T_STRING:
		set_string(o, s);
		break;
	case CMD_T_CHOICE:
		set_choice(o, s);
		break;
	case CMD_T_LIST:
		set_list(o->var, s);
		break;
	case CMD_T_TITLE:
	case CMD_T_END:
		break;
	}
}
