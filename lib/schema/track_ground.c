/* track_ground.c - a walk, and its best binding as a grounded model */
#include <stdlib.h>

#include "base/mem.h"
#include "schema/track_beam.h"

int
cscg_track_walk(struct cscg_track *t, const struct cscg_walk *w,
    struct cscg_err *err)
{
	long s;

	for (s = 0; s < w->n_steps; s++) {
		/* The last action of an episode is -1. */
		int a = s && !(w->reset && w->reset[s]) ? w->a[s - 1] : -1;

		if (cscg_track_step(t, a, w->x[s], err) < 0)
			return -1;
	}
	return 0;
}

/* Looks of a state whose group is bound to s, -1: to any of those free. */
static void
fill_emission_row(double *row, int K, int s, const int *group, int n_free,
    double noise)
{
	int x;

	for (x = 0; x < K; x++) {
		bool can = s >= 0 ? x == s : group[x] < 0 || !n_free;
		int n = s >= 0 ? 1 : n_free ? n_free : K;

		row[x] = noise / K + (can ? (1 - noise) / n : 0);
	}
}

int
cscg_track_ground(const struct cscg_track *t, struct cscg_model *m,
    double noise, const struct cscg_names *symbols, struct cscg_err *err)
{
	struct cscg_track_hypothesis h = cscg_track_get(t, 0);
	size_t S = (size_t)m->n_states, K = (size_t)t->n_obs;
	double *E = cscg_alloc(S, K * sizeof *E, err);
	int x, j, n_free = 0, rc;

	if (!E)
		return -1;
	for (x = 0; x < t->n_obs; x++)
		n_free += h.group[x] < 0;
	for (j = 0; j < m->n_states; j++)
		fill_emission_row(E + (size_t)j * K, t->n_obs, h.symbol[m->clone[j]],
		    h.group, n_free, noise);
	cscg_model_unground(m, CSCG_CLONES);
	rc = cscg_model_set_E(m, E, t->n_obs, err);
	if (rc == 0 && symbols && symbols->n == t->n_obs)
		rc = cscg_names_copy(&m->symbols, symbols, err);
	free(E);
	return rc;
}
