/* goal.c - where to */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "plan/goal.h"

/* A number in 0..INT_MAX and nothing else; -1 if it is none. */
static int
number(const char *text)
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
cscg_goal_number(const char *text, int *n, struct cscg_err *err)
{
	*n = number(text);
	return *n >= 0 ? 0 : cscg_fail(err, CSCG_EUSAGE, "'%.40s' is not the "
	    "number of a state", text);
}

int
cscg_goal_parse(const char *word, struct cscg_goal *goal, struct cscg_err *err)
{
	*goal = (struct cscg_goal){ .state = -1 };
	if (!strcmp(word, "start")) {
		goal->kind = CSCG_GOAL_START;
	} else if (!strcmp(word, "env")) {
		goal->kind = CSCG_GOAL_ENV;
	} else if (!strncmp(word, "symbol:", 7) && word[7]) {
		goal->kind = CSCG_GOAL_SYMBOL;
		goal->symbol = word + 7;
	} else if (!strncmp(word, "state:", 6)) {
		goal->kind = CSCG_GOAL_STATE;
		return cscg_goal_number(word + 6, &goal->state, err);
	} else {
		return cscg_fail(err, CSCG_EUSAGE, "'%.40s' is none of "
		    "symbol:X, state:N, start, env", word);
	}
	return 0;
}

int
cscg_goal_symbol(const struct cscg_goal *goal, const struct cscg_names *names,
    int n_obs, struct cscg_err *err)
{
	int x = cscg_names_find(names, goal->symbol);

	if (x < 0)
		x = number(goal->symbol);
	if (x < 0 || x >= n_obs)
		return cscg_fail(err, CSCG_EUSAGE, "'%.40s' is not %s"
		    "the number of a symbol in 0..%d", goal->symbol,
		    names->n ? "the name of a symbol, nor " : "", n_obs - 1);
	return x;
}
