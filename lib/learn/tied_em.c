/* tied_em.c - EM on T with rows that several states share */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "learn/em.h"
#include "learn/em_restarts.h"
#include "learn/tied_em.h"

struct tied {
	struct cscg_model *m;
	const int *group;
	const struct cscg_walk *w;
	const struct cscg_learn *set;
	struct cscg_estep *estep;
	double *sum;   /* [groups][n_states] expected transitions */
	double *dense; /* [n_states][n_states] the rows of all states */
	int n_groups;
};

static int
expect(void *ctx, bool update, struct cscg_em_progress *line,
    struct cscg_err *err)
{
	struct tied *t = ctx;

	t->estep->set(t->estep, 0);
	if (t->estep->expect(t->estep, update, &line->loglik, err) < 0)
		return -1;
	line->objective = line->loglik;
	return 0;
}

/* The expected transitions of each group, with the starts in group 0. */
static void
sum_groups(struct tied *t)
{
	const struct cscg_model *m = t->m;
	size_t S = (size_t)m->n_states;
	int j;
	long i;

	memset(t->sum, 0, (size_t)t->n_groups * S * sizeof *t->sum);
	for (j = 0; j < m->n_states; j++)
		t->sum[j] = m->pi[j] * t->w->n_episodes;
	for (j = 0; j < m->n_states; j++)
		for (i = m->first[j]; i < m->first[j + 1]; i++)
			t->sum[(size_t)t->group[j] * S + (size_t)m->to[i]] +=
			    m->count[i];
}

/* The rows of the groups become those of their states, and pi. */
static int
share_rows(struct tied *t, struct cscg_err *err)
{
	struct cscg_model *m = t->m;
	size_t S = (size_t)m->n_states;
	double all = 0;
	int j;

	sum_groups(t);
	for (j = 0; j < m->n_states; j++)
		all += t->sum[j];
	for (j = 0; j < m->n_states; j++) {
		m->pi[j] = t->sum[j] / all;
		if (t->group[j] >= 0)
			memcpy(t->dense + (size_t)j * S,
			    t->sum + (size_t)t->group[j] * S,
			    S * sizeof *t->dense);
	}
	return cscg_model_set_dense(m, t->dense, 0, err);
}

static int
maximise(void *ctx, struct cscg_err *err)
{
	struct tied *t = ctx;

	t->estep->accept(t->estep);
	if (t->estep->store(t->estep, t->m, 0, err) < 0 ||
	    share_rows(t, err) < 0)
		return -1;
	return t->estep->load(t->estep, t->m, NULL, err);
}

static int
on_progress(void *ctx, const struct cscg_em_progress *line)
{
	struct tied *t = ctx;
	struct cscg_learn_progress l = { "em", 0, line->iteration,
		t->m->n_states, line->loglik, line->objective };
	char stage[40];

	snprintf(stage, sizeof stage, "EM, %d states", t->m->n_states);
	return cscg_learn_report_progress(t->set, &l, NULL) != 0 ||
	    cscg_poll(t->set->poll, stage, (double)line->iteration,
		(double)t->set->iterations);
}

/* The largest group, plus one. */
static int
count_groups(const int *group, int n)
{
	int j, most = 0;

	for (j = 0; j < n; j++)
		most = group[j] > most ? group[j] : most;
	return most + 1;
}

static int
run(struct tied *t, struct cscg_em_progress *line, struct cscg_err *err)
{
	const struct cscg_em how = { .iterations = t->set->iterations,
		.tolerance = t->set->tolerance,
		.report = on_progress,
		.ctx = t };
	const struct cscg_em_problem problem = { .expect = expect,
		.maximise = maximise,
		.ctx = t,
		.slack_relative = t->estep->slack_relative,
		.slack_per_step = t->estep->slack_per_step,
		.steps = t->w->n_steps,
		.impossible = "the automaton cannot produce this walk" };

	if (t->estep->load(t->estep, t->m, NULL, err) < 0)
		return -1;
	return cscg_em(&problem, &how, line, err);
}

int
cscg_em_tied(struct cscg_model *m, const int *group, const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_learn_progress *last,
    struct cscg_err *err)
{
	const struct cscg_estep_options how = { .simd = set->simd,
		.is_double = set->is_double,
		.learn_pi = true,
		.low_memory = set->low_memory,
		.threads = set->threads };
	size_t S = (size_t)m->n_states;
	struct tied t = { .m = m, .group = group, .w = w, .set = set };
	struct cscg_em_progress line;
	int rc = -1;

	t.n_groups = count_groups(group, m->n_states);
	t.sum = cscg_alloc((size_t)t.n_groups * S, sizeof *t.sum, err);
	t.dense = cscg_alloc(S * S, sizeof *t.dense, err);
	if (t.sum && t.dense)
		t.estep = cscg_estep_new(m, w, &how, err);
	if (t.estep)
		rc = run(&t, &line, err);
	if (rc == 0)
		*last = (struct cscg_learn_progress){ "em", 0, line.iteration,
			m->n_states, line.loglik, line.objective };
	cscg_estep_free(t.estep);
	free(t.sum);
	free(t.dense);
	return rc;
}
