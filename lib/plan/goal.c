/* goal.c - where to */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "plan/goal.h"

/* A number in 0..INT_MAX and nothing else; -1 if it is none. */
static int
parse_number(const char *text)
{
	char *end;
	long n;

	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	n = strtol(text, &end, 10);
	return *end || errno || n > INT_MAX ? -1 : (int)n;
}

int
cscg_goal_parse_state(const char *text, int *n, struct cscg_err *err)
{
	*n = parse_number(text);
	return *n >= 0 ? 0 : cscg_fail(err, CSCG_EUSAGE, "'%.40s' is not the "
	    "number of a state", text);
}

int
cscg_goal_parse(const char *text, struct cscg_goal *goal, struct cscg_err *err)
{
	*goal = (struct cscg_goal){ .state = -1 };
	if (!strcmp(text, "start")) {
		goal->kind = CSCG_GOAL_START;
	} else if (!strcmp(text, "env")) {
		goal->kind = CSCG_GOAL_ENV;
	} else if (!strncmp(text, "symbol:", 7) && text[7]) {
		goal->kind = CSCG_GOAL_SYMBOL;
		goal->symbol = text + 7;
	} else if (!strncmp(text, "state:", 6)) {
		goal->kind = CSCG_GOAL_STATE;
		return cscg_goal_parse_state(text + 6, &goal->state, err);
	} else {
		return cscg_fail(err, CSCG_EUSAGE, "'%.40s' is none of "
		    "symbol:X, state:N, start, env", text);
	}
	return 0;
}

int
cscg_goal_symbol(const struct cscg_goal *goal, const struct cscg_names *names,
    int n_obs, struct cscg_err *err)
{
	int x = cscg_names_find(names, goal->symbol);

	if (x < 0)
		x = parse_number(goal->symbol);
	if (x < 0 || x >= n_obs)
		return cscg_fail(err, CSCG_EUSAGE, "'%.40s' is not %s"
		    "the number of a symbol in 0..%d", goal->symbol,
		    names->n ? "the name of a symbol, nor " : "", n_obs - 1);
	return x;
}
