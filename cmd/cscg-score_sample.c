/* cscg-score_sample.c - a walk out of the model: --sample */
#include <math.h>
#include <stdlib.h>

#include "cscg-score.h"
#include "base/mem.h"
#include "base/rng.h"
#include "core/walk_io.h"

static int
draw(const double *p, int n, struct cscg_rng *rng)
{
	double sum = 0;
	int j;

	for (j = 0; j < n; j++)
		sum += p[j];
	return (int)cscg_rng_pick(rng, p, n, sum);
}

static int
symbol(const struct cscg_model *m, int j, struct cscg_rng *rng)
{
	long first;

	if (!m->e_first)
		return m->clone[j];
	first = m->e_first[j];
	return m->e_obs[first + cscg_rng_pick(rng, m->e_p + first,
	    m->e_first[j + 1] - first, 1)];
}

int
score_sample(const struct score_set *set, const struct cscg_model *m,
    const struct cscg_trans *tr, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_walk_header head = { .n_actions = m->n_actions,
	    .n_obs = m->n_obs, .actions = m->actions, .symbols = m->symbols };
	double *p = cscg_alloc((size_t)m->n_states, sizeof *p, err);
	struct cscg_step step = { .goal = -1, .r = NAN };
	struct cscg_walk_writer *w = NULL;
	struct cscg_rng rng;
	int rc = -1;
	long e, t;

	if (!p || cscg_history_copy(&head.history, &m->history, err) < 0 ||
	    cmd_history(&head.history, err) < 0)
		goto out;
	w = cscg_walk_writer_new(out, &head, err);
	if (!w)
		goto out;
	cscg_walk_writer_set_live(w, cmd.live);
	for (e = 0; e < set->episodes; e++) {
		cscg_rng_seed(&rng, (uint64_t)cmd.seed, CSCG_RNG_SAMPLE,
		    (uint64_t)e, 0);
		tr->kern->get(tr->pi, p, m->n_states);
		step.z = draw(p, m->n_states, &rng);
		for (t = 0; t < set->sample; t++) {
			step.x = symbol(m, step.z, &rng);
			step.a = t + 1 < set->sample ?
			    (int)cscg_rng_below(&rng, m->n_actions) : -1;
			if (cscg_walk_write_step(w, &step, err) < 0)
				goto out;
			if (step.a < 0)
				continue;
			cscg_trans_row(tr, step.a, step.z, p);
			step.z = draw(p, m->n_states, &rng);
		}
	}
	rc = cscg_walk_writer_finish(w, err);
out:
	cscg_walk_writer_free(w);
	cscg_history_free(&head.history);
	free(p);
	return rc;
}
