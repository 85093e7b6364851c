/* plans.c - every action sequence of a tiny model and every path under it */
#include "brute/plans.h"

enum { LONGEST = 8 };

double
brute_success(const struct brute_world *w, const int *a, int n)
{
	int S = w->n_states, z[LONGEST + 1] = { 0 }, t;
	double p, best = 0;

	for (;;) {
		p = w->start[z[0]];
		for (t = 0; t < n; t++)
			p *= w->T[((long)a[t] * S + z[t]) * S + z[t + 1]];
		p *= w->goal[z[n]];
		if (p > best)
			best = p;
		for (t = 0; t <= n && ++z[t] == S; t++)
			z[t] = 0;
		if (t > n)
			return best;
	}
}

double
brute_plan(const struct brute_world *w, int n)
{
	int a[LONGEST] = { 0 }, t;
	double p, best = 0;

	for (;;) {
		p = brute_success(w, a, n);
		if (p > best)
			best = p;
		for (t = 0; t < n && ++a[t] == w->n_actions; t++)
			a[t] = 0;
		if (t == n)
			return best;
	}
}
