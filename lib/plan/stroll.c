/* stroll.c - short plans that are easily compared */
#include <stdlib.h>

#include "base/mem.h"
#include "plan/stroll.h"

enum { SEQUENCES_MAX = 2000 };		/* unless a length of 2 needs more */

static long
count_sequences(long n, int length)
{
	return n * length + n * (n - 1) * length * (length - 1) / 2;
}

/* Runs of a, and what turns off them. */
static struct cscg_action_sequence *
list_sequences(struct cscg_action_sequence *p, int a, int n_actions, int stationary, int length)
{
	int b, i, j;

	for (i = 1; i <= length; i++) {
		*p++ = (struct cscg_action_sequence){ a, i, -1, 0 };
		for (b = 0; b < n_actions; b++)
			for (j = 1; j <= length - i && b != a && b != stationary;
			    j++)
				*p++ = (struct cscg_action_sequence){ a, i, b, j };
	}
	return p;
}

int
cscg_action_sequences_new(struct cscg_action_sequences *s, int n_actions, int stationary, int length,
    int longer, struct cscg_err *err)
{
	int a, i, n = n_actions - (stationary >= 0);
	struct cscg_action_sequence *p;

	while (length > 2 && count_sequences(n, length) > SEQUENCES_MAX)
		length--;
	s->longest = longer * length;
	s->v = p = cscg_alloc((size_t)(count_sequences(n, length) + (long)n *
	    s->longest), sizeof *s->v, err);
	if (!p)
		return -1;
	for (a = 0; a < n_actions; a++)
		if (a != stationary)
			p = list_sequences(p, a, n_actions, stationary, length);
	s->n_short = (int)(p - s->v);
	for (a = 0; a < n_actions; a++)
		for (i = 1; i <= s->longest && a != stationary; i++)
			*p++ = (struct cscg_action_sequence){ a, i, -1, 0 };
	s->n = (int)(p - s->v);
	return 0;
}

void
cscg_action_sequences_free(struct cscg_action_sequences *s)
{
	free(s->v);
	s->v = NULL;
}
