/* runs.c - walks and plans as runs of the HTML page */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/decoder.h"
#include "kernel/filter.h"
#include "kernel/passes.h"
#include "show/runs.h"

void
cscg_runs_free(struct cscg_runs *r)
{
	int i;

	for (i = 0; i < r->n; i++)
		cscg_html_run_free(&r->run[i]);
	free(r->run);
}

/* One more run of n steps; NULL with err filled. */
static struct cscg_html_run *
add_run(struct cscg_runs *r, long n, struct cscg_err *err)
{
	struct cscg_html_run *run;

	if (cscg_grow(&r->run, &r->cap, (size_t)r->n + 1, sizeof *r->run,
		err) < 0)
		return NULL;
	run = &r->run[r->n++];
	*run = (struct cscg_html_run){ .n = n };
	run->z = cscg_alloc((size_t)n, sizeof *run->z, err);
	run->a = cscg_alloc((size_t)n, sizeof *run->a, err);
	run->p = cscg_alloc((size_t)n, sizeof *run->p, err);
	return run->z && run->a && run->p ? run : NULL;
}

/*
 * The belief at each step of the run, given the observations up to that step.
 */
static int
add_beliefs(struct cscg_html_run *run, const struct cscg_trans *tr,
    struct cscg_err *err)
{
	const struct cscg_filter_options how = { 0 };
	struct cscg_filter *b = cscg_filter_new(tr, &how, err);
	double *p = cscg_alloc((size_t)tr->n_states, sizeof *p, err);
	size_t cap_state = 0, cap_p = 0;
	long t, n = 0;
	int j, rc = b && p ? 0 : -1;

	run->b_first = cscg_alloc((size_t)run->n + 1, sizeof *run->b_first,
	    err);
	if (!run->b_first)
		rc = -1;
	for (t = 0; t < run->n && rc == 0; t++) {
		cscg_filter_observe(b, run->is_reset[t] ? -1 : run->a[t - 1],
		    run->x[t]);
		cscg_filter_probs(b, p);
		run->p[t] = run->z[t] < 0 ? 0 : p[run->z[t]];
		for (j = 0; j < tr->n_states && rc == 0; j++) {
			if (!(p[j] >= CSCG_HTML_BELIEF_MIN))
				continue;
			if (cscg_grow(&run->b_state, &cap_state, (size_t)n + 1,
				sizeof *run->b_state, err) < 0 ||
			    cscg_grow(&run->b_p, &cap_p, (size_t)n + 1,
				sizeof *run->b_p, err) < 0)
				rc = -1;
			else {
				run->b_state[n] = j;
				run->b_p[n++] = p[j];
			}
		}
		run->b_first[t + 1] = n;
	}
	cscg_filter_free(b);
	free(p);
	return rc;
}

/* Episode e as a run, truncated to the limit of the page; z has its states. */
static struct cscg_html_run *
add_episode(struct cscg_runs *r, const struct cscg_walk *w, int e,
    const int *z, struct cscg_err *err)
{
	long from = w->start[e], n = w->start[e + 1] - from, t;
	struct cscg_html_run *run;

	if (n > CSCG_HTML_STEPS_MAX - r->steps)
		n = CSCG_HTML_STEPS_MAX - r->steps;
	r->left_out += w->start[e + 1] - from - n;
	run = add_run(r, n, err);
	if (!run)
		return NULL;
	r->steps += n;
	run->x = cscg_copy(w->x + from, (size_t)n, sizeof *run->x, err);
	run->is_reset = cscg_alloc((size_t)n, sizeof *run->is_reset, err);
	if (!run->x || !run->is_reset)
		return NULL;
	if (w->n_episodes > 1)
		snprintf(run->name, sizeof run->name, "episode %d", e);
	else
		snprintf(run->name, sizeof run->name, "walk");
	memcpy(run->z, z + from, (size_t)n * sizeof *run->z);
	memcpy(run->a, w->a + from, (size_t)n * sizeof *run->a);
	for (t = 0; t < n; t++)
		run->is_reset[t] = cscg_walk_starts_run(w, e, from + t);
	return run;
}

/* Whether the page can hold more of a walk; else episode e is omitted. */
static bool
has_space(struct cscg_runs *r, const struct cscg_walk *w, int e)
{
	if (r->steps < CSCG_HTML_STEPS_MAX)
		return true;
	r->left_out += w->start[e + 1] - w->start[e];
	return false;
}

int
cscg_runs_add_walk(struct cscg_runs *r, const struct cscg_walk *w,
    const struct cscg_model *m, const struct cscg_simd *simd,
    struct cscg_err *err)
{
	struct cscg_decoder *decoder = NULL;
	struct cscg_html_run *run;
	struct cscg_trans *tr;
	double logp;
	int *z, e, rc = -1;

	tr = cscg_trans_new(m,
	    m->is_double ? &cscg_plain_double : &cscg_plain_float, err);
	z = cscg_alloc((size_t)w->n_steps, sizeof *z, err);
	decoder = tr ? cscg_decoder_new(tr, simd, err) : NULL;
	if (!decoder || !z ||
	    cscg_decoder_viterbi(decoder, w, z, &logp, err) < 0)
		goto out;
	for (rc = 0, e = 0; e < w->n_episodes && rc == 0; e++) {
		if (!has_space(r, w, e))
			continue;
		run = add_episode(r, w, e, z, err);
		rc = run ? add_beliefs(run, tr, err) : -1;
	}
	if (rc == 0 && w->n_steps)
		r->end = z[w->n_steps - 1];
out:
	free(z);
	cscg_decoder_free(decoder);
	cscg_trans_free(tr);
	return rc;
}

int
cscg_runs_add_plan(struct cscg_runs *r, const struct cscg_plan *plan,
    struct cscg_err *err)
{
	struct cscg_html_run *run;
	size_t n = (size_t)plan->n;

	if (plan->n >= CSCG_HTML_STEPS_MAX)
		return cscg_fail(err, CSCG_ERANGE,
		    "%ld actions are too many for a page, which can hold %d",
		    plan->n, CSCG_HTML_STEPS_MAX - 1);
	run = add_run(r, plan->n + 1, err);
	if (!run)
		return -1;
	run->plan = true;
	snprintf(run->name, sizeof run->name, "plan");
	memcpy(run->z, plan->z, (n + 1) * sizeof *run->z);
	memcpy(run->p, plan->p, (n + 1) * sizeof *run->p);
	if (n)
		memcpy(run->a, plan->a, n * sizeof *run->a);
	run->a[n] = -1;
	return 0;
}

/* A walk of the nodes and symbols of the room; -1 with err filled. */
static int
check_true_walk(const struct cscg_walk *w, const struct cscg_room *room,
    struct cscg_err *err)
{
	long t;

	if (!w->z)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "the walk has no true nodes");
	for (t = 0; t < w->n_steps; t++)
		if (w->z[t] >= room->n_nodes)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "node %d is not one of the room's %d", w->z[t],
			    room->n_nodes);
		else if (w->x[t] >= room->n_obs)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "symbol %d is not one of the room's %d", w->x[t],
			    room->n_obs);
	return 0;
}

int
cscg_runs_add_true_walk(struct cscg_runs *r, const struct cscg_walk *w,
    const struct cscg_room *room, struct cscg_err *err)
{
	int e, rc,
	    *map = cscg_alloc((size_t)w->head.n_actions, sizeof *map, err);
	struct cscg_html_run *run;
	long t;

	rc = map && check_true_walk(w, room, err) == 0 &&
		cscg_names_map(&w->head.actions, w->head.n_actions,
		    &room->actions, room->n_actions, "action", map, err) == 0 ?
	    0 :
	    -1;
	for (e = 0; e < w->n_episodes && rc == 0; e++) {
		if (!has_space(r, w, e))
			continue;
		run = add_episode(r, w, e, w->z, err);
		for (t = 0; run && t < run->n; t++) {
			run->a[t] = run->a[t] < 0 ? -1 : map[run->a[t]];
			run->p[t] = 1;
		}
		rc = run ? 0 : -1;
	}
	free(map);
	return rc;
}
