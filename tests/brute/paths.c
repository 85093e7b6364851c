/* paths.c - every path of a tiny model, one by one */
#include <string.h>

#include "brute/paths.h"

double
brute_path(const struct cscg_model *m, const struct cscg_walk *w, int e,
    const double *weight, const int *z)
{
	long t, at, n = w->start[e + 1] - w->start[e];
	double p = 1;

	for (t = 0; t < n; t++) {
		at = w->start[e] + t;
		if (t == 0 || (w->reset && w->reset[at]))
			p *= m->pi ? m->pi[z[t]] : 1.0 / m->n_states;
		else
			p *= cscg_model_T(m, w->a[at - 1], z[t - 1], z[t]);
		if (weight)
			p *= weight[t * m->n_states + z[t]];
		else if (w->x[at] >= 0)
			p *= cscg_model_E(m, z[t], w->x[at]);
	}
	return p;
}

void
brute_paths(const struct cscg_model *m, const struct cscg_walk *w, int e,
    struct brute *b)
{
	long n = w->start[e + 1] - w->start[e], t, i;
	int S = m->n_states, z[16] = { 0 };
	double p;

	b->lik = b->best = 0;
	memset(b->gamma, 0, (size_t)(n * S) * sizeof *b->gamma);
	memset(b->xi, 0,
	    (size_t)m->n_actions * (size_t)(S * S) * sizeof *b->xi);
	for (;;) {
		p = brute_path(m, w, e, b->weight, z);
		b->lik += p;
		if (p > b->best)
			b->best = p;
		for (t = 0; t < n; t++) {
			b->gamma[t * S + z[t]] += p;
			if (t > 0 && !(w->reset && w->reset[w->start[e] + t]))
				b->xi[((long)w->a[w->start[e] + t - 1] * S +
					  z[t - 1]) *
					S +
				    z[t]] += p;
		}
		for (t = 0; t < n && ++z[t] == S; t++)
			z[t] = 0;
		if (t == n)
			break;
	}
	if (b->lik <= 0)
		return;
	for (i = 0; i < n * S; i++)
		b->gamma[i] /= b->lik;
	for (i = 0; i < (long)m->n_actions * S * S; i++)
		b->xi[i] /= b->lik;
}
