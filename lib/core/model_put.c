/*
 * model_put.c - models as JSON, one a line: the writer
 *
 * Keys are written in one order and numbers with as many digits as "precision"
 * says, so that a model that was read is written as it was.
 */
#include "io/json.h"
#include "core/looks_io.h"
#include "core/model_io.h"

/* A number as lists have it. */
static json_t *
new_number(double v)
{
	json_t *arr = cscg_json_new_doubles(&v, 1);
	json_t *item = json_incref(json_array_get(arr, 0));

	json_decref(arr);
	return item;
}

/* Append value (stolen) to *arr, or give *arr up. */
static void
append_item(json_t **arr, json_t *value)
{
	if (*arr && json_array_append_new(*arr, value) == 0)
		return;
	if (!*arr)
		json_decref(value);
	json_decref(*arr);
	*arr = NULL;
}

static json_t *
new_emissions(const struct cscg_model *m)
{
	json_t *arr = json_array(), *row;
	long i;
	int j;

	for (j = 0; j < m->n_states && arr; j++) {
		row = json_array();
		for (i = m->e_first[j]; i < m->e_first[j + 1] && row; i++) {
			append_item(&row, json_integer(m->e_obs[i]));
			append_item(&row, new_number(m->e_p[i]));
		}
		append_item(&arr, row);
	}
	return arr;
}

static json_t *
new_coords(const struct cscg_model *m)
{
	json_t *arr = json_array();
	int j;

	for (j = 0; j < m->n_states && arr; j++)
		append_item(&arr, cscg_json_new_doubles(m->coords + 2 * j, 2));
	return arr;
}

static json_t *
new_frontiers(const struct cscg_model *m)
{
	json_t *arr = json_array();
	long i;

	for (i = 0; arr && i < m->n_frontiers; i++) {
		int pair[] = { m->frontier[i].state, m->frontier[i].a };

		append_item(&arr, cscg_json_new_ints(pair, 2, false));
	}
	return arr;
}

static json_t *
new_from(const struct cscg_model *m, int a)
{
	json_t *arr = json_array();
	long i, *first = m->first + (long)a * m->n_states;
	int j;

	for (j = 0; j < m->n_states && arr; j++)
		for (i = first[j]; i < first[j + 1] && arr; i++)
			append_item(&arr, json_integer(j));
	return arr;
}

static json_t *
new_counts(const struct cscg_model *m, struct cscg_err *err)
{
	json_t *arr = json_array(), *obj;
	long first, n;
	int a;

	for (a = 0; a < m->n_actions && arr; a++) {
		first = m->first[(long)a * m->n_states];
		n = m->first[(long)(a + 1) * m->n_states] - first;
		obj = json_object();
		if (cscg_json_set(obj, "from", new_from(m, a), err) < 0 ||
		    cscg_json_set(obj, "to", cscg_json_new_ints(m->to + first,
		    n, false), err) < 0 ||
		    cscg_json_set(obj, "count", cscg_json_new_doubles(
		    m->count + first, n), err) < 0) {
			json_decref(obj);
			obj = NULL;
		}
		append_item(&arr, obj);
	}
	return arr;
}

static json_t *
fit_to_json(const struct cscg_model *m, struct cscg_err *err)
{
	json_t *obj = json_object();

	if (cscg_json_set(obj, "steps", json_integer(m->fit_steps), err) < 0 ||
	    cscg_json_set(obj, "nats_per_step", new_number(m->fit_nats),
	    err) < 0) {
		json_decref(obj);
		obj = NULL;
	}
	return obj;
}

int
cscg_model_write(const struct cscg_model *m, struct cscg_out *out,
    struct cscg_err *err)
{
	json_t *obj = json_object();

	if (cscg_json_set(obj, "format", json_string("cscg-model"), err) < 0 ||
	    cscg_json_set(obj, "version", json_integer(CSCG_MODEL_VERSION),
	    err) < 0 ||
	    cscg_json_set(obj, "kind", json_string(cscg_model_kind_name(m->kind)),
	    err) < 0 ||
	    cscg_json_set(obj, "precision", json_string(m->is_double ?
	    "double" : "single"), err) < 0 ||
	    cscg_json_set(obj, "n_states", json_integer(m->n_states),
	    err) < 0 ||
	    cscg_json_set(obj, "n_actions", json_integer(m->n_actions),
	    err) < 0 ||
	    cscg_json_set(obj, "n_obs", json_integer(m->n_obs), err) < 0 ||
	    (m->actions.n && cscg_json_set(obj, "actions",
	    cscg_json_new_names(&m->actions), err) < 0) ||
	    (m->symbols.n && cscg_json_set(obj, "symbols",
	    cscg_json_new_names(&m->symbols), err) < 0) ||
	    (m->clone && cscg_json_set(obj, "clone", cscg_json_new_ints(
	    m->clone, m->n_states, false), err) < 0) ||
	    (m->e_first && cscg_json_set(obj, "emissions", new_emissions(m),
	    err) < 0) ||
	    (m->confidence && cscg_json_set(obj, "confidence",
	    cscg_json_new_doubles(m->confidence, m->n_states), err) < 0) ||
	    (m->pi && cscg_json_set(obj, "pi", cscg_json_new_doubles(m->pi,
	    m->n_states), err) < 0) ||
	    cscg_json_set(obj, "pseudocount", new_number(m->pseudocount),
	    err) < 0 ||
	    cscg_json_set(obj, "counts", new_counts(m, err), err) < 0 ||
	    (m->coords && cscg_json_set(obj, "coords", new_coords(m),
	    err) < 0) ||
	    (m->n_frontiers && cscg_json_set(obj, "frontiers",
	    new_frontiers(m), err) < 0) ||
	    (m->n_entries && cscg_json_set(obj, "entries", cscg_json_new_ints(
	    m->entry, m->n_entries, false), err) < 0) ||
	    (m->fit_steps && cscg_json_set(obj, "fit", fit_to_json(m, err),
	    err) < 0) ||
	    cscg_frame_emission_to_json(obj, m, err) < 0 ||
	    cscg_history_to_json(obj, &m->history, err) < 0) {
		json_decref(obj);
		return -1;
	}
	return cscg_json_write(obj, m->is_double ? 17 : 9, out, err);
}
