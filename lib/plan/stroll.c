/* stroll.c - short plans that are easily compared */
#include <stdlib.h>

#include "base/mem.h"
#include "plan/stroll.h"

enum { MOST = 2000 };		/* unless a length of 2 needs more */

static long
count(long n, int length)
{
	return n * length + n * (n - 1) * length * (length - 1) / 2;
}

/* Runs of a, and what turns off them. */
static struct cscg_stroll *
list(struct cscg_stroll *p, int a, int n_actions, int apart, int length)
{
	int b, i, j;

	for (i = 1; i <= length; i++) {
		*p++ = (struct cscg_stroll){ a, i, -1, 0 };
		for (b = 0; b < n_actions; b++)
			for (j = 1; j <= length - i && b != a && b != apart;
			    j++)
				*p++ = (struct cscg_stroll){ a, i, b, j };
	}
	return p;
}

int
cscg_strolls_new(struct cscg_strolls *s, int n_actions, int apart, int length,
    int longer, struct cscg_err *err)
{
	int a, i, n = n_actions - (apart >= 0);
	struct cscg_stroll *p;

	while (length > 2 && count(n, length) > MOST)
		length--;
	s->longest = longer * length;
	s->v = p = cscg_alloc((size_t)(count(n, length) + (long)n *
	    s->longest), sizeof *s->v, err);
	if (!p)
		return -1;
	for (a = 0; a < n_actions; a++)
		if (a != apart)
			p = list(p, a, n_actions, apart, length);
	s->n_near = (int)(p - s->v);
	for (a = 0; a < n_actions; a++)
		for (i = 1; i <= s->longest && a != apart; i++)
			*p++ = (struct cscg_stroll){ a, i, -1, 0 };
	s->n = (int)(p - s->v);
	return 0;
}

void
cscg_strolls_free(struct cscg_strolls *s)
{
	free(s->v);
	s->v = NULL;
}
