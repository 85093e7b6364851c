/*
 * model_look.c - what a model's states look like: given, and forgotten
 */
#include <stdlib.h>

#include "core/looks.h"
#include "base/mem.h"
#include "core/model.h"

static void
free_emissions(struct cscg_model *m)
{
	free(m->e_first);
	free(m->e_obs);
	free(m->e_p);
	m->e_first = NULL;
	m->e_obs = NULL;
	m->e_p = NULL;
	cscg_frame_emission_free(m->frame_emission);
	m->frame_emission = NULL;
}

int
cscg_model_set_E(struct cscg_model *m, const double *E, int n_obs,
    struct cscg_err *err)
{
	size_t n = (size_t)m->n_states * (size_t)n_obs, i, k = 0;
	long *first = cscg_alloc((size_t)m->n_states + 1, sizeof *first, err);
	int *obs;
	double *p;

	for (i = 0; i < n; i++)
		k += E[i] > 0;
	obs = cscg_alloc(k, sizeof *obs, err);
	p = cscg_alloc(k, sizeof *p, err);
	if (!first || !obs || !p) {
		free(first);
		free(obs);
		free(p);
		return -1;
	}
	for (i = 0, k = 0; i < n; i++) {
		if (E[i] > 0) {
			obs[k] = (int)(i % (size_t)n_obs);
			p[k++] = E[i];
		}
		first[i / (size_t)n_obs + 1] = (long)k;
	}
	free_emissions(m);
	m->e_first = first;
	m->e_obs = obs;
	m->e_p = p;
	if (m->n_obs != n_obs)
		cscg_names_free(&m->symbols);
	m->n_obs = n_obs;
	m->kind = CSCG_GROUNDED;
	return 0;
}

int
cscg_model_n_groups(const struct cscg_model *m)
{
	return m->clone ? m->clone[m->n_states - 1] + 1 : 0;
}

void
cscg_model_unground(struct cscg_model *m, enum cscg_model_kind kind)
{
	if (kind <= m->kind)
		return;
	if (!m->clone)
		kind = CSCG_SCHEMA;
	if (m->kind == CSCG_GROUNDED) {
		if (m->e_first && m->clone)
			m->n_obs = cscg_model_n_groups(m);
		free(m->pi);
		m->pi = NULL;
	}
	m->kind = kind;
	free_emissions(m);
	free(m->confidence);
	m->confidence = NULL;
	m->fit_steps = 0;
	cscg_names_free(&m->symbols);
	if (kind == CSCG_SCHEMA) {
		free(m->clone);
		m->clone = NULL;
		m->n_obs = 1;
	}
}
