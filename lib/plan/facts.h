/*
 * facts.h - what each action did after each symbol
 *
 * Where every place looks different and nothing is left to chance, this is the
 * graph itself, as far as it was seen.  Moves may be known to undo each other:
 * then each tells another one.
 */
#ifndef CSCG_FACTS_H
#define CSCG_FACTS_H

#include <stdbool.h>

#include "base/err.h"

struct cscg_facts {
	int n_obs, n_actions;
	int *next;		/* [n_obs * n_actions] x * n_actions + a leads
				   to this symbol; -1: not known */
	unsigned char *tried;	/* [n_obs * n_actions] was it, or is it only
				   told by what undoes it? */
	int *undo;		/* [n_actions] the action that takes it back,
				   itself perhaps; -1: none is known */

	/* filled by cscg_facts_search() */
	int *moves;		/* [n_obs] fewest moves to get there; -1: no
				   way is known */
	int *by;		/* [n_obs] the first of them; -1: none */
	int *queue;		/* [n_found] what can be reached, nearest first */
	int n_found;
};

/* Nothing is known; 0, or -1 with err filled (CSCG_ENOMEM). */
int cscg_facts_init(struct cscg_facts *f, int n_obs, int n_actions,
    struct cscg_err *err);
void cscg_facts_free(struct cscg_facts *f);	/* empties it, too */

/* Actions a and b undo each other.  Stays when facts are forgotten. */
void cscg_facts_pair(struct cscg_facts *f, int a, int b);

void cscg_facts_forget(struct cscg_facts *f);

/* Action a led from x to y. */
void cscg_facts_add(struct cscg_facts *f, int x, int a, int y);

/*
 * Actions may not undo each other after all: forget what was not tried itself,
 * and conclude nothing any more.  Returns whether anything was forgotten.
 */
bool cscg_facts_doubt(struct cscg_facts *f);

int cscg_facts_next(const struct cscg_facts *f, int x, int a);

/* Known ways from x to all symbols. */
void cscg_facts_search(struct cscg_facts *f, int x);

/*
 * After a search: the nearest symbol, and an action of it that was never
 * tried, any but apart (-1: none).  Of those as near one that can be undone
 * goes first.  Returns how many moves there are to it, -1 if all was tried.
 */
int cscg_facts_untried(const struct cscg_facts *f, int apart, int *x, int *a);

#endif
