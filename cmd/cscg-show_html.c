/* cscg-show_html.c - cscg-show --as html: a page to look at and play with */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/filter.h"
#include "cmd.h"
#include "cscg-show.h"
#include "core/walk.h"
#include "show/html.h"
#include "base/mem.h"
#include "kernel/passes.h"
#include "core/walk_io.h"

/* What is to be played. */
struct runs {
	struct cscg_html_run *run;
	size_t cap;
	int n;
	long steps, left_out;	/* that the page holds, and does not */
	int end;		/* the last state of the walks, -1: none */
};

void
show_judge_html(const struct show_set *set)
{
	if (set->plan && set->as != AS_HTML)
		cmd_usage("--plan goes with --as html only");
}

static void
free_runs(struct runs *r)
{
	int i;

	for (i = 0; i < r->n; i++)
		cscg_html_run_free(&r->run[i]);
	free(r->run);
}

/* One more run of n steps; NULL with err filled. */
static struct cscg_html_run *
add_run(struct runs *r, long n, struct cscg_err *err)
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

/* What is believed at each step of the run, by all that was seen until then. */
static int
believe(struct cscg_html_run *run, const struct cscg_trans *tr,
    struct cscg_err *err)
{
	struct cscg_filter *b = cscg_filter_new(tr, err);
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

/* Episode e as a run, as much of it as the page can hold; z has its states. */
static struct cscg_html_run *
add_episode(struct runs *r, const struct cscg_walk *w, int e, const int *z,
    struct cscg_err *err)
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

/*
 * The walks of -w under the model: the likeliest path, and beliefs.  Returns 0,
 * -1, or -2 if a walk is at fault and err names it, as all that adds does.
 */
static int
add_walks(struct runs *r, const struct cscg_model *m, struct cscg_err *err)
{
	struct cscg_walk *walk = cscg_walk_read(cmd.walks.v, cmd.walks.n, err);
	struct cscg_work work = { 0 };
	struct cscg_trans *tr = NULL;
	struct cscg_html_run *run;
	double logp;
	int *z = NULL, e, rc = -1;

	if (!walk)
		return -2;
	if (m->kind == CSCG_GROUNDED && cscg_alphabet_map_walk(walk, m, err) < 0) {
		cmd_fail_in(cmd.walks.v[0], err);
		rc = -2;
		goto out;
	}
	tr = cscg_trans_new(m, m->is_double ? &cscg_plain_double :
	    &cscg_plain_float, err);
	z = cscg_alloc((size_t)walk->n_steps, sizeof *z, err);
	if (!tr || !z || cscg_viterbi_all(tr, walk, &work, z, &logp, err) < 0)
		goto out;
	for (rc = 0, e = 0; e < walk->n_episodes && rc == 0; e++) {
		if (r->steps == CSCG_HTML_STEPS_MAX) {
			r->left_out += walk->start[e + 1] - walk->start[e];
			continue;
		}
		run = add_episode(r, walk, e, z, err);
		rc = run ? believe(run, tr, err) : -1;
	}
	if (rc == 0 && walk->n_steps)
		r->end = z[walk->n_steps - 1];
out:
	free(z);
	cscg_work_free(&work);
	cscg_trans_free(tr);
	cscg_walk_free(walk);
	return rc;
}

static int
add_plan(struct runs *r, const char *path, const struct cscg_model *m,
    struct cscg_err *err)
{
	struct cscg_plan_graph *map = cscg_plan_graph_new(m, 0, err);
	struct cscg_plan plan = { 0 };
	struct cscg_html_run *run;
	int rc = -1;

	if (!map)
		goto out;
	rc = -2;
	if (cscg_html_plan_read(path, m, map, r->end, &plan, err) < 0)
		goto out;
	if (plan.n >= CSCG_HTML_STEPS_MAX) {
		cscg_fail(err, CSCG_ERANGE, "%ld actions are too many for a "
		    "page, which can hold %d", plan.n,
		    CSCG_HTML_STEPS_MAX - 1);
		cmd_fail_in(path, err);
		goto out;
	}
	rc = -1;
	run = add_run(r, plan.n + 1, err);
	if (!run)
		goto out;
	run->plan = true;
	snprintf(run->name, sizeof run->name, "plan");
	memcpy(run->z, plan.z, ((size_t)plan.n + 1) * sizeof *run->z);
	memcpy(run->p, plan.p, ((size_t)plan.n + 1) * sizeof *run->p);
	if (plan.n)
		memcpy(run->a, plan.a, (size_t)plan.n * sizeof *run->a);
	run->a[plan.n] = -1;
	rc = 0;
out:
	cscg_plan_free(&plan);
	cscg_plan_graph_free(map);
	return rc;
}

static int
write_page(const struct cscg_graph *g, const char *title, const char *kind,
    const int *clone, const struct runs *r, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_html_page page = { g, title, NULL, clone, r->run, r->n };
	char note[200];

	snprintf(note, sizeof note, "%s, %d %s, %d actions%s", kind,
	    g->n_nodes, g->count ? "states" : "nodes", g->n_actions,
	    r->left_out ? "; only the first steps of the walk" : "");
	page.note = note;
	if (r->left_out)
		cmd_say("the page holds the first %d steps of the walk, and "
		    "not %ld more", CSCG_HTML_STEPS_MAX, r->left_out);
	return cscg_html_write(&page, out, err);
}

int
show_html_model(const struct show_set *set, const struct cscg_model *m,
    struct cscg_out *out, struct cscg_err *err)
{
	const char *kind = m->kind == CSCG_GROUNDED ? "grounded model" :
	    m->kind == CSCG_CLONES ? "schema with clone structure" : "schema";
	struct runs r = { .end = -1 };
	struct cscg_graph *g = NULL;
	char title[64];
	int rc = -1;

	rc = cmd.walks.n ? add_walks(&r, m, err) : 0;
	if (rc == 0 && set->plan)
		rc = add_plan(&r, set->plan, m, err);
	if (rc < 0)
		goto out;
	rc = -1;
	g = cscg_graph_of_model(m, show_min_p(set), err);
	if (!g)
		goto out;
	snprintf(title, sizeof title, "Map of %d states", m->n_states);
	rc = write_page(g, title, kind, m->e_first ? m->clone : NULL, &r, out,
	    err);
out:
	cscg_graph_free(g);
	free_runs(&r);
	return rc;
}

/* In a room a walk itself tells where it was. */
static int
add_true_walks(struct runs *r, const struct cscg_room *room,
    struct cscg_err *err)
{
	struct cscg_walk *walk = cscg_walk_read(cmd.walks.v, cmd.walks.n, err);
	struct cscg_html_run *run;
	int e, *map = NULL, rc = -1;
	long t;

	if (!walk)
		return -2;
	map = cscg_alloc((size_t)walk->head.n_actions, sizeof *map, err);
	if (!map)
		goto out;
	if (!walk->z) {
		cscg_fail(err, CSCG_EMISMATCH, "the walk does not tell its "
		    "true nodes");
		goto blame;
	}
	for (t = 0; t < walk->n_steps; t++)
		if (walk->z[t] >= room->n_nodes) {
			cscg_fail(err, CSCG_EMISMATCH, "node %d is not one of "
			    "the room's %d", walk->z[t], room->n_nodes);
			goto blame;
		} else if (walk->x[t] >= room->n_obs) {
			cscg_fail(err, CSCG_EMISMATCH, "symbol %d is not one "
			    "of the room's %d", walk->x[t], room->n_obs);
			goto blame;
		}
	if (cscg_names_map(&walk->head.actions, walk->head.n_actions,
	    &room->actions, room->n_actions, "action", map, err) < 0)
		goto blame;
	for (rc = 0, e = 0; e < walk->n_episodes && rc == 0; e++) {
		if (r->steps == CSCG_HTML_STEPS_MAX) {
			r->left_out += walk->start[e + 1] - walk->start[e];
			continue;
		}
		run = add_episode(r, walk, e, walk->z, err);
		for (t = 0; run && t < run->n; t++) {
			run->a[t] = run->a[t] < 0 ? -1 : map[run->a[t]];
			run->p[t] = 1;
		}
		rc = run ? 0 : -1;
	}
	goto out;
blame:
	cmd_fail_in(cmd.walks.v[0], err);
	rc = -2;
out:
	free(map);
	cscg_walk_free(walk);
	return rc;
}

int
show_html_room(const struct show_set *set, const struct cscg_room *room,
    struct cscg_out *out, struct cscg_err *err)
{
	struct runs r = { .end = -1 };
	struct cscg_graph *g = NULL;
	int rc = -1;

	if (set->plan)
		return cscg_fail(err, CSCG_EMISMATCH, "--plan wants a model, "
		    "not a room");
	rc = cmd.walks.n ? add_true_walks(&r, room, err) : 0;
	if (rc < 0)
		goto out;
	rc = -1;
	g = cscg_graph_of_room(room, show_min_p(set), err);
	if (g)
		rc = write_page(g, room->name ? room->name : "Room", "room",
		    NULL, &r, out, err);
out:
	cscg_graph_free(g);
	free_runs(&r);
	return rc;
}
