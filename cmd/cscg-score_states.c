/* cscg-score_states.c - the states behind a walk: --decode and --posterior */
#include <math.h>
#include <stdlib.h>

#include "kernel/passes.h"
#include "cscg-score.h"
#include "base/mem.h"
#include "io/table.h"
#include "core/walk_io.h"

static int
write_path(const struct score_set *set, const struct cscg_walk *w,
    const int *states, struct cscg_out *out, struct cscg_err *err)
{
	static const struct cscg_col cols[] = {
		{ "episode", CSCG_COL_LONG, 0 }, { "t", CSCG_COL_LONG, 0 },
		{ "x", CSCG_COL_LONG, 0 }, { "a", CSCG_COL_LONG, 0 },
		{ "state", CSCG_COL_LONG, 0 }, { "node", CSCG_COL_LONG, 0 }
	};
	struct cscg_table table;
	union cscg_cell row[6];
	long t;
	int e;

	if (cscg_table_init(&table, out, cols, 6, set->json, err) < 0)
		return -1;
	for (e = 0; e < w->n_episodes; e++)
		for (t = w->start[e]; t < w->start[e + 1]; t++) {
			row[0].l = e;
			row[1].l = t - w->start[e];
			row[2].l = w->x[t] < 0 ? CSCG_CELL_NONE : w->x[t];
			row[3].l = w->a[t] < 0 ? CSCG_CELL_NONE : w->a[t];
			row[4].l = states[t] < 0 ? CSCG_CELL_NONE : states[t];
			row[5].l = w->z && w->z[t] >= 0 ? w->z[t] : CSCG_CELL_NONE;
			if (cscg_table_write_row(&table, row, err) < 0)
				return -1;
		}
	return 0;
}

int
score_decode(const struct score_set *set, const struct cscg_trans *tr,
    struct cscg_walk *w, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_work work = { 0 };
	int *states = cscg_alloc((size_t)w->n_steps, sizeof *states, err);
	double logp;
	int rc = -1;

	if (!states ||
	    cscg_viterbi_all(tr, w, &work, states, &logp, err) < 0)
		goto out;
	cmd_talk("likeliest path: %.6f %s a step",
	    score_unit(set, -logp) / (double)w->n_steps, set->bits ? "bits" : "nats");
	if (set->as == SCORE_AS_TABLE) {
		rc = write_path(set, w, states, out, err);
	} else {
		free(w->z);
		w->z = states;
		w->cap_z = (size_t)w->n_steps;
		states = NULL;
		rc = cmd_history(&w->head.history, err) < 0 ? -1 :
		    cscg_walk_write(w, out, err);
	}
out:
	cscg_work_free(&work);
	free(states);
	return rc;
}

/* The rows of one step: the likeliest states, down to --top. */
static int
posterior_step(const struct cscg_table *table, long top, double *p, int n,
    int lo, long e, long t, struct cscg_err *err)
{
	union cscg_cell row[5];
	int i, best;
	long rank;

	for (rank = 0; rank < top && rank < n; rank++) {
		for (best = 0, i = 1; i < n; i++)
			if (p[i] > p[best])
				best = i;
		row[0].l = e;
		row[1].l = t;
		row[2].l = rank;
		row[3].l = lo + best;
		row[4].d = p[best];
		if (cscg_table_write_row(table, row, err) < 0)
			return -1;
		p[best] = -1;
	}
	return 0;
}

int
score_posterior(const struct score_set *set, const struct cscg_trans *tr,
    const struct cscg_walk *w, struct cscg_out *out, struct cscg_err *err)
{
	static const struct cscg_col cols[] = {
		{ "episode", CSCG_COL_LONG, 0 }, { "t", CSCG_COL_LONG, 0 },
		{ "rank", CSCG_COL_LONG, 0 }, { "state", CSCG_COL_LONG, 0 },
		{ "p", CSCG_COL_DOUBLE, 6 }
	};
	double *p = cscg_alloc((size_t)tr->n_states, sizeof *p, err), loglik;
	struct cscg_work work = { 0 };
	struct cscg_table table;
	struct cscg_span s;
	int e, rc = -1;
	long t;

	if (!p || cscg_table_init(&table, out, cols, 5, set->json, err) < 0)
		goto out;
	for (e = 0; e < w->n_episodes; e++) {
		if (cscg_forward(tr, w, e, &work, &loglik, err) < 0)
			goto out;
		if (isinf(loglik)) {
			cscg_fail(err, CSCG_EMISMATCH, "episode %d cannot be "
			    "produced by the model: it has no posterior", e);
			goto out;
		}
		cscg_backward(tr, w, e, &work, NULL);
		for (t = 0; t < work.n; t++) {
			s = cscg_trans_span(tr, w->x[w->start[e] + t]);
			tr->kern->get(cscg_work_message(&work, tr, t), p,
			    s.hi - s.lo);
			if (posterior_step(&table, set->top, p, s.hi - s.lo,
			    s.lo, e, t, err) < 0)
				goto out;
		}
	}
	rc = 0;
out:
	cscg_work_free(&work);
	free(p);
	return rc;
}
