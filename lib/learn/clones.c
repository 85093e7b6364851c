/*
 * clones.c - the number of clones of each symbol: in proportion to counts, or
 * from a text specification
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "core/clone_list.h"
#include "core/limits.h"
#include "learn/clones.h"

long *
cscg_clones_count_symbols(const struct cscg_walk *w, struct cscg_err *err)
{
	long *n = cscg_alloc((size_t)w->head.n_obs, sizeof *n, err), t;

	for (t = 0; n && t < w->n_steps; t++)
		if (w->x[t] >= 0)
			n[w->x[t]]++;
	return n;
}

long
cscg_clones_by_count(double unit, const long *seen, int n_obs, int *clones)
{
	long total = 0;
	int x;

	for (x = 0; x < n_obs; x++) {
		clones[x] = (int)round((double)seen[x] / unit);
		if (seen[x] && !clones[x])
			clones[x] = 1;
		total += clones[x];
	}
	return total;
}

int
cscg_clones_proportional(const struct cscg_walk *w, long total, long floor,
    double power, int *clones, struct cscg_err *err)
{
	long *seen = cscg_clones_count_symbols(w, err);
	double sum = 0, n;
	int x;

	if (!seen)
		return -1;
	for (x = 0; x < w->head.n_obs; x++)
		sum += seen[x] ? pow((double)seen[x], power) : 0;
	for (x = 0; x < w->head.n_obs; x++) {
		n = seen[x] ?
		    round((double)total * pow((double)seen[x], power) / sum) :
		    0;
		if (seen[x] && n < (double)floor)
			n = (double)floor;
		clones[x] = n < CSCG_STATE_MAX ? (int)n : CSCG_STATE_MAX;
	}
	free(seen);
	return 0;
}

/* ---- text specification ---- */

struct proportional {
	long total, floor;
	double power;
};

static bool
is_proportional(const char *how)
{
	return !strncmp(how, "proportional", 12);
}

static bool
number(const char *s, char **end, double lo, double hi, double *out)
{
	if (!isdigit((unsigned char)*s) && *s != '.')
		return false;
	/* strtod() would also take hex. */
	if (*s == '0' && (s[1] == 'x' || s[1] == 'X'))
		return false;
	*out = strtod(s, end);
	return *out >= lo && *out <= hi;
}

/* proportional[:TOTAL[,floor=F][,power=P]]; false if it is not that. */
static bool
parse_proportional(const char *s, struct proportional *sp)
{
	double v;
	char *end;

	*sp = (struct proportional){ 0, 1, 1 };
	s += strlen("proportional");
	if (!*s)
		return true;
	if (*s++ != ':' || !number(s, &end, 1, CSCG_STATE_MAX, &v) ||
	    v != floor(v))
		return false;
	sp->total = (long)v;
	for (s = end; *s; s = end) {
		if (!strncmp(s, ",floor=", 7) &&
		    number(s + 7, &end, 0, CSCG_STATE_MAX, &v) &&
		    v == floor(v))
			sp->floor = (long)v;
		else if (!strncmp(s, ",power=", 7) &&
		    number(s + 7, &end, 0, 10, &v))
			sp->power = v;
		else
			return false;
	}
	return true;
}

#define PROPORTIONAL "proportional[:TOTAL[,floor=F][,power=P]]"

/* True if a number between commas is missing. */
static bool
has_gap(const char *list)
{
	size_t n = strlen(list);

	return n &&
	    (list[0] == ',' || list[n - 1] == ',' || strstr(list, ",,"));
}

int
cscg_clones_check(const char *how, struct cscg_err *err)
{
	struct cscg_clone_list list = { 0 };
	struct proportional sp;
	int rc;

	if (is_proportional(how))
		return parse_proportional(how, &sp) ?
		    0 :
		    cscg_fail(err, CSCG_EUSAGE,
			"'%.200s' is not " PROPORTIONAL, how);
	if (!cscg_clone_list_is(how))
		return !strcmp(how, "-") || access(how, F_OK) == 0 ||
			errno != ENOENT ?
		    0 :
		    cscg_fail(err, CSCG_EREAD,
			"'%.200s' is neither N nor N,N,... nor " PROPORTIONAL
			", and there is no such file",
			how);
	if (has_gap(how))
		return cscg_fail(err, CSCG_EUSAGE,
		    "'%.200s' has a comma without a number beside it; use N "
		    "or N,N,...",
		    how);
	rc = cscg_clone_list_parse(&list, how, err);
	cscg_clone_list_free(&list);
	if (rc < 0) {
		if (err->code == CSCG_EFORMAT)
			err->code = CSCG_EUSAGE;
		return -1;
	}
	if (!how[strspn(how, "0,")])
		return cscg_fail(err, CSCG_EUSAGE, "'%.200s' gives no states",
		    how);
	return 0;
}

/* As listed: one number for each symbol, or one in `how` for all. */
static int
choose_listed(const char *how, int *clones, int n, struct cscg_err *err)
{
	struct cscg_clone_list list = { 0 };
	bool is_list = cscg_clone_list_is(how);
	int x, rc;

	rc = is_list ? cscg_clone_list_parse(&list, how, err) :
		       cscg_clone_list_read(&list, how, err);

	if (rc == 0 && list.n != n && !(is_list && list.n == 1))
		rc = cscg_fail(err, CSCG_EMISMATCH,
		    "%d numbers of clones, but the walk has %d symbols",
		    list.n, n);
	for (x = 0; rc == 0 && x < n; x++)
		clones[x] = list.v[list.n == 1 ? 0 : x];
	cscg_clone_list_free(&list);
	return rc;
}

int *
cscg_clones_choose(const char *how, const struct cscg_walk *w,
    struct cscg_err *err)
{
	int n = w->head.n_obs, *clones, rc;
	struct proportional sp;

	clones = cscg_alloc((size_t)n, sizeof *clones, err);
	if (!clones)
		return NULL;
	if (is_proportional(how)) {
		parse_proportional(how, &sp);
		rc = cscg_clones_proportional(w, sp.total ? sp.total : 4L * n,
		    sp.floor, sp.power, clones, err);
	} else {
		rc = choose_listed(how, clones, n, err);
	}
	if (rc < 0) {
		free(clones);
		return NULL;
	}
	return clones;
}

char *
cscg_clones_text(const char *how, const int *clones, int n,
    struct cscg_err *err)
{
	size_t cap = 12 * (size_t)n + 1, len = 0;
	char *text;
	int x;

	if (is_proportional(how) || cscg_clone_list_is(how))
		return cscg_copy(how, strlen(how) + 1, 1, err);
	text = cscg_alloc(cap, 1, err);
	for (x = 0; text && x < n; x++)
		len += (size_t)snprintf(text + len, cap - len, "%s%d",
		    x ? "," : "", clones[x]);
	return text;
}

double
cscg_clones_work(const int *clones, const struct cscg_walk *w)
{
	double work = 0, n = 0;
	long t;
	int x;

	for (x = 0; x < w->head.n_obs; x++)
		n += clones[x];
	for (t = 0; t + 1 < w->n_steps; t++)
		if (w->a[t] >= 0 && w->x[t] >= 0 && w->x[t + 1] >= 0)
			work += (double)clones[w->x[t]] * clones[w->x[t + 1]];
	return work + n * n * w->head.n_actions;
}
