/*
 * html_plan_io.c - a plan that cscg-plan wrote, read again
 */
#include <stdlib.h>
#include <string.h>

#include "show/html_plan_io.h"
#include "io/json.h"
#include "base/mem.h"

struct reader {
	struct cscg_in *in;
	const struct cscg_model *m;
	const struct cscg_plan_graph *graph;
	struct cscg_plan *plan;
	size_t cap_a, cap_z, cap_p;
};

/* The number of an action that is called by name or number, or -1. */
static int
find_action(const struct cscg_model *m, const char *text)
{
	char *end;
	long a = m->actions.n ? cscg_names_find(&m->actions, text) : -1;

	if (a >= 0)
		return (int)a;
	a = strtol(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && a < m->n_actions ?
	    (int)a : -1;
}

/* The probability of a move, 0 if the map does not know it. */
static double
transition_prob(const struct cscg_plan_graph *graph, int a, int from, int to)
{
	long row = (long)a * graph->n_states + from, i;

	for (i = graph->first[row]; i < graph->first[row + 1]; i++)
		if (graph->to[i] == to)
			return graph->p[i];
	return 0;
}

/* One more state; the first one has no action before it. */
static int
add_state(struct reader *r, int a, int to, struct cscg_err *err)
{
	struct cscg_plan *plan = r->plan;
	size_t n = plan->z ? (size_t)plan->n + 1 : 0;

	if (cscg_grow(&plan->z, &r->cap_z, n + 1, sizeof *plan->z, err) < 0 ||
	    cscg_grow(&plan->p, &r->cap_p, n + 1, sizeof *plan->p, err) < 0 ||
	    cscg_grow(&plan->a, &r->cap_a, n + 1, sizeof *plan->a, err) < 0)
		return -1;
	plan->z[n] = to;
	plan->p[n] = 1;
	if (n > 0) {
		plan->a[n - 1] = a;
		plan->p[n] = plan->p[n - 1] * transition_prob(r->graph, a,
		    plan->z[n - 1], to);
		plan->n++;
	}
	plan->success = plan->p[n];
	return 0;
}

/* ---- lines of actions ---- */

static int
read_line(struct reader *r, const char *line, struct cscg_err *err)
{
	const struct cscg_plan *plan = r->plan;
	int a = find_action(r->m, line), to;

	if (a < 0)
		return cscg_fail(err, CSCG_EMISMATCH, "'%.40s' is neither the "
		    "name of an action nor a number in 0..%d", line,
		    r->m->n_actions - 1);
	to = cscg_plan_graph_next(r->graph, a, plan->z[plan->n]);
	if (to < 0)
		return cscg_fail(err, CSCG_EMISMATCH, "the model does not know "
		    "where '%.40s' leads from state %d", line,
		    plan->z[plan->n]);
	return add_state(r, a, to, err);
}

static int
read_lines(struct reader *r, int start, struct cscg_err *err)
{
	size_t len;
	char *line;
	int rc;

	if (start < 0)
		return cscg_fail(err, CSCG_EMISMATCH, "%s: the plan does not "
		    "tell where it starts: the walk before it (-w) does, or "
		    "cscg-plan --json", cscg_in_name(r->in));
	if (add_state(r, -1, start, err) < 0)
		return -1;
	while ((rc = cscg_in_line(r->in, &line, &len, err)) > 0)
		if (len && read_line(r, line, err) < 0)
			return cscg_fail_at(err, "%s: line %ld",
			    cscg_in_name(r->in), cscg_in_lineno(r->in));
	return rc;
}

/* ---- a line of JSON ---- */

static int
read_action(const struct reader *r, json_t *item, long t, int *a,
    struct cscg_err *err)
{
	const char *text = json_string_value(item);

	if (text) {
		*a = find_action(r->m, text);
		return *a >= 0 ? 0 : cscg_fail(err, CSCG_EMISMATCH,
		    "/actions/%ld: the model has no action '%.40s'", t, text);
	}
	if (!json_is_integer(item))
		return cscg_fail(err, CSCG_EFORMAT, "/actions/%ld: is neither "
		    "a name nor a number", t);
	if (json_integer_value(item) < 0 ||
	    json_integer_value(item) >= r->m->n_actions)
		return cscg_fail(err, CSCG_ERANGE, "/actions/%ld: %lld is "
		    "outside 0..%d", t, (long long)json_integer_value(item),
		    r->m->n_actions - 1);
	*a = (int)json_integer_value(item);
	return 0;
}

static int
read_states(struct reader *r, json_t *actions, const int *z,
    struct cscg_err *err)
{
	long n = (long)json_array_size(actions), t;
	int a = -1;

	if (add_state(r, -1, z[0], err) < 0)
		return -1;
	for (t = 0; t < n; t++) {
		if (read_action(r, json_array_get(actions, (size_t)t), t, &a,
		    err) < 0)
			return -1;
		if (transition_prob(r->graph, a, z[t], z[t + 1]) <= 0)
			return cscg_fail(err, CSCG_EMISMATCH, "/states/%ld: "
			    "no such move in the model, from state %d to %d "
			    "by action %d", t + 1, z[t], z[t + 1], a);
		if (add_state(r, a, z[t + 1], err) < 0)
			return -1;
	}
	return 0;
}

static int
read_object(struct reader *r, json_t *obj, struct cscg_err *err)
{
	json_t *actions, *states;
	int *z, rc = -1;

	if (cscg_json_array(obj, "actions", -1, &actions, err) < 0 ||
	    cscg_json_array(obj, "states", (long)json_array_size(actions) + 1,
	    &states, err) < 0)
		return -1;
	z = cscg_alloc(json_array_size(states), sizeof *z, err);
	if (z && cscg_json_ints(states, "/states", 0, r->m->n_states - 1,
	    false, z, err) == 0)
		rc = read_states(r, actions, z, err);
	free(z);
	return rc;
}

static int
read_json(struct reader *r, struct cscg_err *err)
{
	json_t *obj = NULL;
	size_t len;
	char *line;
	int rc = cscg_json_read(r->in, &obj, err);

	if (rc <= 0)
		return -1;
	if (read_object(r, obj, err) < 0) {
		json_decref(obj);
		return cscg_json_fail_at(r->in, err);
	}
	json_decref(obj);
	while ((rc = cscg_in_line(r->in, &line, &len, err)) > 0)
		if (len)
			return cscg_fail(err, CSCG_EFORMAT, "%s: line %ld: "
			    "more than one plan", cscg_in_name(r->in),
			    cscg_in_lineno(r->in));
	return rc;
}

int
cscg_html_plan_read(const char *path, const struct cscg_model *m,
    const struct cscg_plan_graph *graph, int start, struct cscg_plan *plan,
    struct cscg_err *err)
{
	struct reader r = { .m = m, .graph = graph, .plan = plan };
	size_t len;
	char *line;
	int rc;

	*plan = (struct cscg_plan){ 0 };
	r.in = cscg_in_open(path, err);
	if (!r.in)
		return -1;
	rc = cscg_in_line(r.in, &line, &len, err);
	if (rc > 0) {
		bool json = line[0] == '{' && find_action(m, line) < 0;

		cscg_in_unread_line(r.in);
		rc = json ? read_json(&r, err) : read_lines(&r, start, err);
	} else if (rc == 0) {
		rc = read_lines(&r, start, err);
	}
	cscg_in_close(r.in);
	if (rc < 0)
		cscg_plan_free(plan);
	return rc;
}
