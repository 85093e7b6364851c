/*
 * goal.h - where to: a symbol, a state, where the walk began, or what an
 * environment asks for
 */
#ifndef CSCG_GOAL_H
#define CSCG_GOAL_H

#include "base/error.h"
#include "core/model.h"
#include "base/names.h"

enum cscg_goal_kind {
	CSCG_GOAL_SYMBOL,	/* "symbol:X", by name or number */
	CSCG_GOAL_STATE,	/* "state:N" */
	CSCG_GOAL_START,	/* "start" */
	CSCG_GOAL_ENV		/* "env": the symbol that is asked for */
};

struct cscg_goal {
	enum cscg_goal_kind kind;
	const char *symbol;	/* borrowed from the word */
	int state;
};

/* Returns -1 with err filled (CSCG_EUSAGE) if word is none of these. */
int cscg_goal_parse(const char *text, struct cscg_goal *goal,
    struct cscg_err *err);

/*
 * The symbol of goal among n_obs symbols with these names, if they have any: a
 * name first, then a number.  -1 with err filled (CSCG_EUSAGE).
 */
int cscg_goal_symbol(const struct cscg_goal *goal,
    const struct cscg_names *names, int n_obs, struct cscg_err *err);

/* "N" of "state:N"; -1 with err filled (CSCG_EUSAGE). */
int cscg_goal_parse_state(const char *text, int *n, struct cscg_err *err);

#endif
