/*
 * inverse.c - inverse actions of a deterministic walk, and the symbols at which
 * actions are blocked
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "learn/constants.h"
#include "learn/inverse.h"

static const struct cscg_inverse_constants *const limits =
    &cscg_learn_constants.inverse;

static bool
is_inverse(const long *yes, const long *no, int n_actions, double exceptions,
    int a, int b)
{
	double n = (double)yes[a * n_actions + b],
	       n_no = (double)no[a * n_actions + b];
	double sum = 1, all = 2;
	int k;

	for (k = 0; k < n_actions; k++) {
		sum += (double)yes[a * n_actions + k];
		all += (double)(yes[a * n_actions + k] +
		    no[a * n_actions + k]);
	}
	return n_no <= exceptions * (n + n_no) &&
	    -log(sum / all) * n >= limits->nats;
}

/* True if t - 2, t - 1 and t follow each other and have symbols. */
static bool
has_three(const struct cscg_walk *w, long t)
{
	return cscg_walk_continues(w, t - 1) && cscg_walk_continues(w, t) &&
	    w->x[t - 2] >= 0 && w->x[t - 1] >= 0 && w->x[t] >= 0;
}

/* Count how often b restored the symbol that a had changed, and how often not.
 */
static void
count_restored(const struct cscg_walk *w, long *yes, long *no)
{
	int A = w->head.n_actions;
	long t;

	for (t = 2; t < w->n_steps; t++) {
		if (!has_three(w, t) || w->x[t - 2] == w->x[t - 1])
			continue;
		(w->x[t] == w->x[t - 2] ? yes :
					  no)[w->a[t - 2] * A + w->a[t - 1]]++;
	}
}

int
cscg_inverse_decide(const long *yes, const long *no, int n_actions,
    double exceptions, int *inverse)
{
	int a, b, any = 0;

	for (b = 0; b < n_actions; b++) {
		inverse[b] = -1;
		for (a = 0; a < n_actions; a++)
			if (is_inverse(yes, no, n_actions, exceptions, a, b) &&
			    is_inverse(yes, no, n_actions, exceptions, b, a))
				inverse[b] = inverse[b] == -1 ? a : -2;
	}
	for (b = 0; b < n_actions; b++)
		if (inverse[b] < 0 || inverse[inverse[b]] != b)
			inverse[b] = -1;
		else
			any = 1;
	return any;
}

int
cscg_inverse_find(const struct cscg_walk *w, int *inverse,
    struct cscg_err *err)
{
	int A = w->head.n_actions, any;
	long *yes, *no;

	if (A > CSCG_INVERSE_ACTIONS_MAX)
		return 0;
	yes = cscg_alloc((size_t)A * (size_t)A, sizeof *yes, err);
	no = cscg_alloc((size_t)A * (size_t)A, sizeof *no, err);
	if (!yes || !no) {
		free(yes);
		free(no);
		return -1;
	}
	count_restored(w, yes, no);
	any = cscg_inverse_decide(yes, no, A, 0, inverse);
	free(yes);
	free(no);
	return any;
}

/* ---- blocked actions ---- */

/* Counts of a symbol and action. */
struct outcome {
	long taken, changed;     /* all transitions; those to another symbol */
	long returned, departed; /* the symbol stayed, then the inverse: to the
	                            same symbol, to another */
};

static void
count_outcomes(const struct cscg_walk *w, const int *inverse,
    struct outcome *out)
{
	size_t A = (size_t)w->head.n_actions;
	struct outcome *o;
	long t;

	for (t = 1; t < w->n_steps; t++) {
		if (!cscg_walk_continues(w, t) || w->x[t - 1] < 0 ||
		    w->x[t] < 0)
			continue;
		o = &out[(size_t)w->x[t - 1] * A + (size_t)w->a[t - 1]];
		o->taken++;
		o->changed += w->x[t] != w->x[t - 1];
		if (t < 2 || !has_three(w, t) || w->x[t - 2] != w->x[t - 1] ||
		    inverse[w->a[t - 2]] != w->a[t - 1])
			continue;
		o = &out[(size_t)w->x[t - 2] * A + (size_t)w->a[t - 2]];
		if (w->x[t] == w->x[t - 1])
			o->returned++;
		else
			o->departed++;
	}
}

/*
 * Classify an action at one symbol (CSCG_BLOCKED_...) by its outcomes and
 * those of its inverse: -1 if the action is blocked at some states of the
 * symbol and not at others.  q is the probability that the inverse changes the
 * symbol.
 */
static int
classify(const struct outcome *o, const struct outcome *inverse)
{
	double n = (double)(o->returned + o->departed),
	       q = ((double)inverse->changed + 0.5) /
	    ((double)inverse->taken + 1);

	if (!o->departed)
		return (double)o->returned * -log(1 - q) >= limits->nats ?
		    CSCG_BLOCKED_NEVER :
		    CSCG_BLOCKED_UNKNOWN;
	if (o->changed ||
	    (double)o->departed <
		n * q - limits->sigmas * sqrt(n * q * (1 - q)) - 1)
		return -1;
	return o->departed >= limits->returns ? CSCG_BLOCKED_ALWAYS :
						CSCG_BLOCKED_UNKNOWN;
}

int
cscg_inverse_find_blocked(const struct cscg_walk *w, const int *inverse,
    char *blocked, struct cscg_err *err)
{
	size_t A = (size_t)w->head.n_actions, a, b, x,
	       n = (size_t)w->head.n_obs * A;
	struct outcome *out = cscg_alloc(n, sizeof *out, err);
	int what, any = 0;

	if (!out)
		return -1;
	memset(blocked, CSCG_BLOCKED_UNKNOWN, n);
	count_outcomes(w, inverse, out);
	for (x = 0; x < (size_t)w->head.n_obs; x++)
		for (a = 0; a < A; a++) {
			if (inverse[a] < 0)
				continue;
			b = (size_t)inverse[a];
			what = classify(&out[x * A + a], &out[x * A + b]);
			if (what < 0) {
				memset(blocked, CSCG_BLOCKED_UNKNOWN, n);
				free(out);
				return 0;
			}
			blocked[x * A + a] = (char)what;
			any |= what != CSCG_BLOCKED_UNKNOWN;
		}
	free(out);
	return any;
}
