/* tab_field.c - what the fields of a row of a table say */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/tab_field.h"
#include "core/walk_line.h"

int
cscg_walk_table_parse_number(const char *s, int max)
{
	long v = 0;
	const char *p;

	if (!*s || (*s == '0' && s[1]))
		return -1;
	for (p = s; *p; p++) {
		if (*p < '0' || *p > '9' || p - s > 9)
			return -1;
		v = v * 10 + (*p - '0');
	}
	return v < max ? (int)v : -1;
}

/* Is it a number, whole or not, and nothing else?  *v is strtod()'s. */
static bool
is_real(const char *s, double *v)
{
	char *end;

	*v = strtod(s, &end);
	/* strtod() knows more spellings than we do: nan, inf, 0x1p3. */
	return *s && !s[strspn(s, "+-.0123456789eE")] && !*end &&
	    isfinite(*v);
}

int
cscg_walk_table_parse_reward(const char *s, double *r, struct cscg_err *err)
{
	if (*s && !is_real(s, r))
		return cscg_fail(err, CSCG_EFORMAT, "'%.64s' is not a reward%s",
		    s, strchr(s, ',') ? ": decimals follow a point" :
		    isnan(*r) ? "; if there is none, --missing says so" : "");
	if (!*s)
		*r = NAN;
	return 0;
}

int
cscg_walk_table_parse_reset(const char *s, bool *reset, struct cscg_err *err)
{
	*reset = !strcmp(s, "1") || !strcasecmp(s, "true");
	if (!*reset && *s && strcmp(s, "0") && strcasecmp(s, "false"))
		return cscg_fail(err, CSCG_EFORMAT, "reset is '%.64s', neither "
		    "0 nor 1", s);
	return 0;
}

static bool
is_missing(const struct cscg_walk_table_options *opt, const char *s)
{
	int k;

	for (k = 0; k < opt->n_missing; k++)
		if (!strcmp(s, opt->missing[k]))
			return true;
	return false;
}

/* Could s be a value in column i? */
static bool
is_valid_value(const struct cscg_walk_table_columns *c, int i, const char *s)
{
	struct cscg_err err;
	double v;
	bool reset;

	if (i == c->a || i == c->r)
		return is_real(s, &v);
	if (i == c->z)
		return cscg_walk_table_parse_number(s, CSCG_TRUE_STATE_MAX) >= 0;
	return i == c->reset && cscg_walk_table_parse_reset(s, &reset, &err) == 0;
}

void
cscg_walk_table_blank_missing(const struct cscg_walk_table_options *opt,
    const struct cscg_walk_table_columns *c, char **field)
{
	const int column[] = { c->x, c->goal, c->a, c->z, c->r, c->reset };
	size_t k;
	int i;

	for (k = 0; k < sizeof column / sizeof *column; k++) {
		i = column[k];
		if (i >= 0 && is_missing(opt, field[i]) &&
		    !is_valid_value(c, i, field[i]))
			field[i] += strlen(field[i]);
	}
}
