/* plan_io.c - plans as lines of actions, or as a line of JSON */
#include <math.h>
#include <stdlib.h>

#include "io/json.h"
#include "base/mem.h"
#include "plan/plan_io.h"

int
cscg_plan_write(const struct cscg_plan *plan, const struct cscg_model *m,
    struct cscg_out *out, struct cscg_err *err)
{
	long t;
	int rc = 0;

	for (t = 0; t < plan->n && rc == 0; t++)
		rc = m->actions.n ? cscg_out_printf(out, err, "%s\n",
		    m->actions.v[plan->a[t]]) :
		    cscg_out_printf(out, err, "%d\n", plan->a[t]);
	return rc;
}

/* The names of n things, or their numbers if they have none. */
static json_t *
json_names(const struct cscg_names *names, const int *v, long n)
{
	json_t *list;
	long i;

	if (!names->n)
		return cscg_json_new_ints(v, n, true);
	list = json_array();
	for (i = 0; i < n; i++)
		if (json_array_append_new(list,
		    json_string(names->v[v[i]])) < 0) {
			json_decref(list);
			return NULL;
		}
	return list;
}

/* What state j looks like most of all; the lowest symbol of equals. */
static int
likeliest_symbol(const struct cscg_model *m, int j)
{
	long i, best;

	if (!m->e_first)
		return m->clone[j];
	best = m->e_first[j];
	for (i = best + 1; i < m->e_first[j + 1]; i++)
		if (m->e_p[i] > m->e_p[best])
			best = i;
	return m->e_obs[best];
}

/* What is expected to be seen on the way, and how surely. */
static int
write_symbols(json_t *obj, const struct cscg_plan *plan,
    const struct cscg_model *m, struct cscg_err *err)
{
	size_t n = (size_t)plan->n + 1;
	int *x = cscg_alloc(n, sizeof *x, err), rc = -1;
	double *p = cscg_alloc(n, sizeof *p, err);
	size_t t;

	if (!x || !p)
		goto out;
	for (t = 0; t < n; t++) {
		x[t] = likeliest_symbol(m, plan->z[t]);
		p[t] = cscg_model_E(m, plan->z[t], x[t]);
	}
	if (cscg_json_set(obj, "x", json_names(&m->symbols, x, (long)n),
	    err) == 0)
		rc = cscg_json_set(obj, "x_p",
		    cscg_json_new_doubles(p, (long)n), err);
out:
	free(x);
	free(p);
	return rc;
}

int
cscg_plan_write_json(const struct cscg_plan *plan, const struct cscg_model *m,
    double now_p, struct cscg_out *out, struct cscg_err *err)
{
	json_t *obj = json_object();

	if (cscg_json_set(obj, "length", json_integer(plan->n), err) < 0 ||
	    cscg_json_set(obj, "probability", json_real(plan->success),
	    err) < 0 ||
	    cscg_json_set(obj, "now_p", isnan(now_p) ? json_null() :
	    json_real(now_p), err) < 0 ||
	    cscg_json_set(obj, "actions", json_names(&m->actions, plan->a,
	    plan->n), err) < 0 ||
	    cscg_json_set(obj, "states", cscg_json_new_ints(plan->z,
	    plan->n + 1, true), err) < 0 ||
	    cscg_json_set(obj, "p", cscg_json_new_doubles(plan->p,
	    plan->n + 1), err) < 0 || (m->kind == CSCG_GROUNDED &&
	    write_symbols(obj, plan, m, err) < 0)) {
		json_decref(obj);
		return -1;
	}
	return cscg_json_write(obj, 9, out, err);
}
