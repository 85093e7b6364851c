/* sample.c - walks drawn from a grounded model, step by step */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "kernel/sample.h"

struct cscg_sampler {
	const struct cscg_model *m;
	const struct cscg_trans *tr;
	struct cscg_rng rng;
	double *p; /* [n_states] */
	int state;
};

static int
draw_state(struct cscg_sampler *s)
{
	int j, n = s->m->n_states;
	double sum = 0;

	for (j = 0; j < n; j++)
		sum += s->p[j];
	return (int)cscg_rng_pick(&s->rng, s->p, n, sum);
}

static int
draw_symbol(struct cscg_sampler *s)
{
	const struct cscg_model *m = s->m;
	double u = m->misread > 0 ? cscg_rng_uniform(&s->rng) : 1;
	long first;

	if (u < m->misread)
		return (int)cscg_rng_below(&s->rng, m->n_obs);
	if (!m->e_first)
		return m->clone[s->state];
	first = m->e_first[s->state];
	return m->e_obs[first +
	    cscg_rng_pick(&s->rng, m->e_p + first,
		m->e_first[s->state + 1] - first, 1)];
}

struct cscg_sampler *
cscg_sampler_new(const struct cscg_model *m, const struct cscg_trans *tr,
    uint64_t seed, struct cscg_err *err)
{
	struct cscg_sampler *s = cscg_alloc(1, sizeof *s, err);

	if (!s)
		return NULL;
	s->m = m;
	s->tr = tr;
	s->p = cscg_alloc((size_t)m->n_states, sizeof *s->p, err);
	if (!s->p) {
		cscg_sampler_free(s);
		return NULL;
	}
	cscg_rng_seed(&s->rng, seed, CSCG_RNG_SAMPLE, 0, 0);
	tr->kern->get(tr->pi, s->p, m->n_states);
	s->state = draw_state(s);
	return s;
}

void
cscg_sampler_free(struct cscg_sampler *s)
{
	if (!s)
		return;
	free(s->p);
	free(s);
}

void
cscg_sampler_next(struct cscg_sampler *s, bool last, struct cscg_step *step)
{
	*step =
	    (struct cscg_step){ .a = -1, .z = s->state, .goal = -1, .r = NAN };
	step->x = draw_symbol(s);
	if (last)
		return;
	step->a = (int)cscg_rng_below(&s->rng, s->m->n_actions);
	cscg_trans_row(s->tr, step->a, s->state, s->p);
	s->state = draw_state(s);
}
