/*
 * model_io.c - model files as JSON, one model per line: cscg-model(5)
 *
 * Reading a model and writing it gives the same text.  Errors of the text are
 * detected here and reported with their position; cscg_model_check() checks
 * the invariants of a model and names the same positions.
 */
#include <float.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "core/codebook.h"
#include "core/model_io.h"
#include "io/json.h"
#include "io/json_write.h"

static const char *const model_keys[] = {
	"format",
	"version",
	"kind",
	"precision",
	"n_states",
	"n_actions",
	"n_obs",
	"actions",
	"symbols",
	"clone",
	"emissions",
	"misread",
	"confidence",
	"pi",
	"pseudocount",
	"counts",
	"coords",
	"frontiers",
	"entries",
	"fit",
	"gaussian",
	"looks",
	"learned",
	"history",
	NULL,
};

static const char *const count_keys[] = { "from", "to", "count", NULL };
static const char *const fit_keys[] = { "steps", "nats_per_step", NULL };
static const char *const learned_keys[] = {
	"steps",
	"nats_per_step",
	"left_out_nats_per_step",
	"rows",
	"rows_supported",
	"noise",
	"mixed",
	"memory",
	"deterministic",
	"enough_data",
	"doubtful",
	"edges",
	NULL,
};

/* Whether clones are required: not if there are emissions. */
static bool
wants_clones(json_t *obj, enum cscg_model_kind kind)
{
	return kind == CSCG_CLONES ||
	    (kind == CSCG_GROUNDED &&
		(cscg_json_has(obj, "clone") ||
		    !cscg_json_has(obj, "emissions")));
}

/* Kind, precision and sizes: all that is needed to allocate a model. */
static struct cscg_model *
get_sizes(json_t *obj, struct cscg_err *err)
{
	static const char *const kinds[] = {
		/* as enum cscg_model_kind */
		"grounded",
		"clones",
		"schema",
		NULL,
	};
	static const char *const precisions[] = { "single", "double", NULL };
	int kind, precision, n_states, n_actions, n_obs;
	struct cscg_model *m;
	json_t *arr;

	kind = cscg_json_enum(obj, "kind", kinds, err);
	if (kind < 0)
		return NULL;
	precision = cscg_json_enum(obj, "precision", precisions, err);
	if (precision < 0 ||
	    cscg_json_int(obj, "n_states", 1, CSCG_STATE_MAX, &n_states, err) <
		0 ||
	    cscg_json_int(obj, "n_actions", 1, CSCG_ACTION_MAX, &n_actions,
		err) < 0 ||
	    cscg_json_int(obj, "n_obs", 1, CSCG_OBS_MAX, &n_obs, err) < 0)
		return NULL;
	/*
	 * Check the claimed sizes against the lengths of the lists before
	 * allocating.
	 */
	if (cscg_json_array(obj, "counts", n_actions, &arr, err) < 0 ||
	    (kind != CSCG_SCHEMA &&
		cscg_json_array(obj,
		    wants_clones(obj, kind) ? "clone" : "emissions", n_states,
		    &arr, err) < 0))
		return NULL;
	/* A schema has no list of its states, so only its rows are checked. */
	if (cscg_mem_check((size_t)n_states * (size_t)n_actions,
		sizeof *m->first, err) < 0) {
		cscg_fail_at(err, "/n_states: %d states with %d actions",
		    n_states, n_actions);
		return NULL;
	}
	m = cscg_model_new(kind, n_states, n_actions, n_obs, err);
	if (m)
		m->is_double = precision;
	return m;
}

static int
get_clones(json_t *obj, struct cscg_model *m, struct cscg_err *err)
{
	int end = cscg_json_has(obj, "emissions") ? CSCG_OBS_MAX : m->n_obs;
	json_t *arr;

	if (m->kind == CSCG_SCHEMA && cscg_json_has(obj, "clone"))
		return cscg_fail(err, CSCG_EFORMAT,
		    "/clone: a schema has no clones");
	if (!wants_clones(obj, m->kind)) {
		free(m->clone);
		m->clone = NULL;
		return 0;
	}
	if (cscg_json_array(obj, "clone", m->n_states, &arr, err) < 0)
		return -1;
	return cscg_json_ints(arr, "/clone", 0, end - 1, m->clone, err);
}

/* Append one row of emissions. */
static int
get_emission(json_t *row, int j, struct cscg_model *m, struct cscg_err *err)
{
	size_t i, size = json_array_size(row);
	long n = m->e_first[j];
	json_t *x, *p;

	if (json_typeof(row) != JSON_ARRAY || size % 2)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/emissions/%d: must be an array of pairs symbol, "
		    "probability",
		    j);
	for (i = 0; i < size; i += 2, n++) {
		x = json_array_get(row, i);
		p = json_array_get(row, i + 1);
		if (json_typeof(x) != JSON_INTEGER)
			return cscg_fail(err, CSCG_EFORMAT,
			    "/emissions/%d/"
			    "%zu: a symbol must be an integer",
			    j, i);
		if (!json_is_number(p))
			return cscg_fail(err, CSCG_EFORMAT,
			    "/emissions/%d/"
			    "%zu: a probability must be a number",
			    j, i + 1);
		if (json_integer_value(x) < 0 ||
		    json_integer_value(x) >= m->n_obs)
			return cscg_fail(err, CSCG_ERANGE,
			    "/emissions/%d/%zu: symbol %lld is outside 0..%d",
			    j, i, (long long)json_integer_value(x),
			    m->n_obs - 1);
		m->e_obs[n] = (int)json_integer_value(x);
		m->e_p[n] = json_number_value(p);
	}
	m->e_first[j + 1] = n;
	return 0;
}

static int
get_emissions(json_t *obj, struct cscg_model *m, struct cscg_err *err)
{
	json_t *arr;
	size_t n = 0;
	int j;

	if (!cscg_json_has(obj, "emissions"))
		return 0;
	if (cscg_json_array(obj, "emissions", m->n_states, &arr, err) < 0)
		return -1;
	for (j = 0; j < m->n_states; j++)
		n += json_array_size(json_array_get(arr, (size_t)j)) / 2;
	m->e_first = cscg_alloc((size_t)m->n_states + 1, sizeof *m->e_first,
	    err);
	m->e_obs = cscg_alloc(n, sizeof *m->e_obs, err);
	m->e_p = cscg_alloc(n, sizeof *m->e_p, err);
	if (!m->e_first || !m->e_obs || !m->e_p)
		return -1;
	for (j = 0; j < m->n_states; j++)
		if (get_emission(json_array_get(arr, (size_t)j), j, m, err) <
		    0)
			return -1;
	return 0;
}

static int
get_misread(json_t *obj, struct cscg_model *m, struct cscg_err *err)
{
	return cscg_json_has(obj, "misread") ?
	    cscg_json_double(obj, "misread", 0, 1, &m->misread, err) :
	    0;
}

/* An optional array of one number per state: "pi" or "confidence". */
static int
get_per_state(json_t *obj, const char *key, double hi,
    const struct cscg_model *m, double **out, struct cscg_err *err)
{
	char where[64];
	json_t *arr;

	if (!cscg_json_has(obj, key))
		return 0;
	if (cscg_json_array(obj, key, m->n_states, &arr, err) < 0)
		return -1;
	*out = cscg_alloc((size_t)m->n_states, sizeof **out, err);
	if (!*out)
		return -1;
	snprintf(where, sizeof where, "/%s", key);
	return cscg_json_doubles(arr, where, 0, hi, *out, err);
}

/* The counts of one action, in the order of the file. */
struct count_lists {
	json_t *from, *to, *count;
	long n;
};

static int
get_lists(json_t *counts, int a, struct count_lists *l, struct cscg_err *err)
{
	json_t *obj = json_array_get(counts, (size_t)a);
	char where[64];

	snprintf(where, sizeof where, "/counts/%d", a);
	if (!json_is_object(obj))
		return cscg_fail(err, CSCG_EFORMAT, "%s: must be an object",
		    where);
	if (cscg_json_check_keys(obj, count_keys, err) < 0 ||
	    cscg_json_array(obj, "from", -1, &l->from, err) < 0)
		return cscg_json_fail_below(where, err);
	l->n = (long)cscg_json_size(l->from);
	if (cscg_json_array(obj, "to", l->n, &l->to, err) < 0 ||
	    cscg_json_array(obj, "count", l->n, &l->count, err) < 0)
		return cscg_json_fail_below(where, err);
	return 0;
}

/* Append the lists of action a, which must be sorted, and count its rows. */
static int
get_rows(const struct count_lists *l, int a, long at, int *from,
    struct cscg_model *m, struct cscg_err *err)
{
	long i, *size = m->first + (long)a * m->n_states + 1;
	char where[64];

	snprintf(where, sizeof where, "/counts/%d/from", a);
	if (cscg_json_ints(l->from, where, 0, m->n_states - 1, from, err) < 0)
		return -1;
	for (i = 0; i < l->n; i++) {
		if (i && from[i] < from[i - 1])
			return cscg_fail(err, CSCG_EFORMAT,
			    "%s/%ld: %d comes after %d: counts must be sorted "
			    "by from, then to",
			    where, i, from[i], from[i - 1]);
		size[from[i]]++;
	}
	snprintf(where, sizeof where, "/counts/%d/to", a);
	if (cscg_json_ints(l->to, where, 0, m->n_states - 1, m->to + at, err) <
	    0)
		return -1;
	snprintf(where, sizeof where, "/counts/%d/count", a);
	return cscg_json_doubles(l->count, where, -DBL_MAX, DBL_MAX,
	    m->count + at, err);
}

static int
get_counts(json_t *obj, struct cscg_model *m, struct cscg_err *err)
{
	struct count_lists *l = cscg_alloc((size_t)m->n_actions, sizeof *l,
	    err);
	long i, n = 0, longest = 0;
	int a, *from = NULL, rc = -1;
	json_t *counts;

	if (!l ||
	    cscg_json_array(obj, "counts", m->n_actions, &counts, err) < 0)
		goto out;
	for (a = 0; a < m->n_actions; a++) {
		if (get_lists(counts, a, &l[a], err) < 0)
			goto out;
		n += l[a].n;
		longest = l[a].n > longest ? l[a].n : longest;
	}
	free(m->to);
	free(m->count);
	m->to = cscg_alloc((size_t)n, sizeof *m->to, err);
	m->count = cscg_alloc((size_t)n, sizeof *m->count, err);
	from = cscg_alloc((size_t)longest, sizeof *from, err);
	if (!m->to || !m->count || !from)
		goto out;
	for (a = 0, n = 0; a < m->n_actions; n += l[a++].n)
		if (get_rows(&l[a], a, n, from, m, err) < 0)
			goto out;
	for (i = 0; i < (long)m->n_actions * m->n_states; i++)
		m->first[i + 1] += m->first[i];
	rc = 0;
out:
	free(from);
	free(l);
	return rc;
}

int
cscg_coords_from_json(json_t *obj, int n, double limit, const char *what,
    double **coords, struct cscg_err *err)
{
	json_t *arr, *pair;
	char where[64];
	size_t i;

	if (!cscg_json_has(obj, "coords"))
		return 0;
	if (cscg_json_array(obj, "coords", n, &arr, err) < 0)
		return -1;
	*coords = cscg_alloc(2 * (size_t)n, sizeof **coords, err);
	if (!*coords)
		return -1;
	json_array_foreach(arr, i, pair)
	{
		snprintf(where, sizeof where, "/coords/%zu", i);
		if (json_array_size(pair) != 2)
			return cscg_fail(err, CSCG_EFORMAT, "%s: %s", where,
			    what);
		if (cscg_json_doubles(pair, where, -limit, limit,
			*coords + 2 * i, err) < 0)
			return -1;
	}
	return 0;
}

int
cscg_frontiers_from_json(json_t *obj, const char *what,
    struct cscg_frontier **f, long *n, struct cscg_err *err)
{
	json_t *arr, *pair;
	char where[64];
	size_t i;
	int v[2];

	if (!cscg_json_has(obj, "frontiers"))
		return 0;
	if (cscg_json_array(obj, "frontiers", -1, &arr, err) < 0)
		return -1;
	*f = cscg_alloc(json_array_size(arr), sizeof **f, err);
	if (!*f)
		return -1;
	json_array_foreach(arr, i, pair)
	{
		snprintf(where, sizeof where, "/frontiers/%zu", i);
		if (json_array_size(pair) != 2)
			return cscg_fail(err, CSCG_EFORMAT, "%s: %s", where,
			    what);
		if (cscg_json_ints(pair, where, 0, INT_MAX, v, err) < 0)
			return -1;
		(*f)[i] = (struct cscg_frontier){ v[0], v[1] };
		*n = (long)i + 1;
	}
	return 0;
}

static int
get_entries(json_t *obj, struct cscg_model *m, struct cscg_err *err)
{
	json_t *arr;

	if (!cscg_json_has(obj, "entries"))
		return 0;
	if (cscg_json_array(obj, "entries", -1, &arr, err) < 0)
		return -1;
	m->entry = cscg_alloc(json_array_size(arr), sizeof *m->entry, err);
	if (!m->entry)
		return -1;
	m->n_entries = (long)json_array_size(arr);
	return cscg_json_ints(arr, "/entries", 0, INT_MAX, m->entry, err);
}

static int
get_fit(json_t *obj, struct cscg_model *m, struct cscg_err *err)
{
	json_t *fit = json_object_get(obj, "fit");

	if (!cscg_json_has(obj, "fit"))
		return 0;
	if (json_typeof(fit) != JSON_OBJECT)
		return cscg_fail(err, CSCG_EFORMAT, "/fit: must be an object");
	if (cscg_json_check_keys(fit, fit_keys, err) < 0 ||
	    cscg_json_long(fit, "steps", 1, LONG_MAX, &m->fit_steps, err) <
		0 ||
	    cscg_json_double(fit, "nats_per_step", -DBL_MAX, DBL_MAX,
		&m->fit_nats, err) < 0)
		return cscg_json_fail_below("/fit", err);
	return 0;
}

/* Requires the counts, whose number must match. */
static int
get_learned(json_t *obj, struct cscg_model *m, struct cscg_err *err)
{
	json_t *in = json_object_get(obj, "learned"), *arr;
	struct cscg_learned *l;

	if (!cscg_json_has(obj, "learned"))
		return 0;
	if (json_typeof(in) != JSON_OBJECT)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/learned: must be an object");
	m->learned = l = cscg_learned_new(
	    m->first[(long)m->n_actions * m->n_states], err);
	if (!l)
		return -1;
	if (cscg_json_check_keys(in, learned_keys, err) < 0 ||
	    cscg_json_long(in, "steps", 1, LONG_MAX, &l->steps, err) < 0 ||
	    cscg_json_double(in, "nats_per_step", -DBL_MAX, DBL_MAX, &l->nats,
		err) < 0 ||
	    cscg_json_double(in, "left_out_nats_per_step", -DBL_MAX, DBL_MAX,
		&l->left_out, err) < 0 ||
	    cscg_json_long(in, "rows", 0, LONG_MAX, &l->rows, err) < 0 ||
	    cscg_json_long(in, "rows_supported", 0, LONG_MAX, &l->supported,
		err) < 0 ||
	    cscg_json_double(in, "noise", 0, 1, &l->noise, err) < 0 ||
	    cscg_json_double(in, "mixed", 0, 1, &l->mixed, err) < 0 ||
	    cscg_json_double(in, "memory", 0, DBL_MAX, &l->memory, err) < 0 ||
	    cscg_json_bool(in, "deterministic", &l->deterministic, err) < 0 ||
	    cscg_json_bool(in, "enough_data", &l->enough, err) < 0 ||
	    cscg_json_bool(in, "doubtful", &l->doubtful, err) < 0 ||
	    cscg_json_array(in, "edges", l->n_edges, &arr, err) < 0 ||
	    cscg_json_doubles(arr, "/edges", 0, 1, l->edge, err) < 0)
		return cscg_json_fail_below("/learned", err);
	return 0;
}

static void *
get_model(json_t *obj, struct cscg_err *err)
{
	struct cscg_model *m = NULL;

	if (cscg_json_check_format(obj, "cscg-model", CSCG_MODEL_VERSION,
		err) < 0 ||
	    cscg_json_check_keys(obj, model_keys, err) < 0)
		return NULL;
	m = get_sizes(obj, err);
	if (!m)
		return NULL;
	if (cscg_json_names(obj, "actions", m->n_actions, &m->actions, err) <
		0 ||
	    cscg_json_names(obj, "symbols", m->n_obs, &m->symbols, err) < 0 ||
	    get_clones(obj, m, err) < 0 || get_emissions(obj, m, err) < 0 ||
	    get_misread(obj, m, err) < 0 ||
	    get_per_state(obj, "confidence", 1, m, &m->confidence, err) < 0 ||
	    get_per_state(obj, "pi", DBL_MAX, m, &m->pi, err) < 0 ||
	    cscg_json_double(obj, "pseudocount", 0, DBL_MAX, &m->pseudocount,
		err) < 0 ||
	    get_counts(obj, m, err) < 0 ||
	    cscg_coords_from_json(obj, m->n_states, DBL_MAX,
		"must be two numbers", &m->coords, err) < 0 ||
	    cscg_frontiers_from_json(obj, "must be a state and an action",
		&m->frontier, &m->n_frontiers, err) < 0 ||
	    get_entries(obj, m, err) < 0 || get_fit(obj, m, err) < 0 ||
	    cscg_frame_emission_from_json(obj, m, err) < 0 ||
	    get_learned(obj, m, err) < 0 ||
	    cscg_history_from_json(obj, &m->history, err) < 0 ||
	    cscg_model_check(m, err) < 0) {
		cscg_model_free(m);
		return NULL;
	}
	return m;
}

int
cscg_model_read(struct cscg_in *in, struct cscg_model **m,
    struct cscg_err *err)
{
	int rc;

	*m = cscg_json_read_item(in, "counts", get_model, &rc, err);
	return rc;
}

struct cscg_model *
cscg_model_read_file(const char *path, struct cscg_err *err)
{
	int rc;
	struct cscg_model *m = cscg_json_read_file(path, "counts", get_model,
	    "cscg-model", &rc, err);

	if (rc == 0)
		return m;
	cscg_model_free(m);
	return NULL;
}

/*
 * models as JSON, one model per line: the writer
 *
 * Keys are written in one order and numbers with as many digits as "precision"
 * says, so that reading and writing a model reproduces its text.
 */

static void
write_emissions(struct cscg_json_writer *w, const struct cscg_model *m)
{
	long i;
	int j;

	cscg_json_open(w, "emissions", '[');
	for (j = 0; j < m->n_states; j++) {
		cscg_json_open(w, NULL, '[');
		for (i = m->e_first[j]; i < m->e_first[j + 1]; i++) {
			cscg_json_put_int(w, NULL, m->e_obs[i]);
			cscg_json_put_double(w, NULL, m->e_p[i]);
		}
		cscg_json_close(w, ']');
	}
	cscg_json_close(w, ']');
}

void
cscg_coords_write_json(struct cscg_json_writer *w, const double *coords, int n)
{
	int j;

	cscg_json_open(w, "coords", '[');
	for (j = 0; j < n; j++)
		cscg_json_put_doubles(w, NULL, coords + 2 * (size_t)j, 2);
	cscg_json_close(w, ']');
}

void
cscg_frontiers_write_json(struct cscg_json_writer *w,
    const struct cscg_frontier *f, long n)
{
	long i;

	cscg_json_open(w, "frontiers", '[');
	for (i = 0; i < n; i++)
		cscg_json_put_ints(w, NULL, (int[]){ f[i].state, f[i].a }, 2);
	cscg_json_close(w, ']');
}

/* The counts of action a; from: scratch for the states they come from. */
static void
write_action(struct cscg_json_writer *w, const struct cscg_model *m, int a,
    int *from)
{
	const long *first = m->first + (long)a * m->n_states;
	long i, n = first[m->n_states] - *first;
	int j;

	for (j = 0; j < m->n_states; j++)
		for (i = first[j]; i < first[j + 1]; i++)
			from[i - *first] = j;
	cscg_json_open(w, NULL, '{');
	cscg_json_put_ints(w, "from", from, n);
	cscg_json_put_ints(w, "to", m->to + *first, n);
	cscg_json_put_doubles(w, "count", m->count + *first, n);
	cscg_json_close(w, '}');
}

static void
write_counts(struct cscg_json_writer *w, const struct cscg_model *m, int *from)
{
	int a;

	cscg_json_open(w, "counts", '[');
	for (a = 0; a < m->n_actions; a++)
		write_action(w, m, a, from);
	cscg_json_close(w, ']');
}

static void
write_fit(struct cscg_json_writer *w, const struct cscg_model *m)
{
	cscg_json_open(w, "fit", '{');
	cscg_json_put_int(w, "steps", m->fit_steps);
	cscg_json_put_double(w, "nats_per_step", m->fit_nats);
	cscg_json_close(w, '}');
}

/* The first version of the format that has every key of the model. */
static int
version_of(const struct cscg_model *m)
{
	return m->misread > 0 || m->learned ? 2 : 1;
}

static void
write_learned(struct cscg_json_writer *w, const struct cscg_learned *l)
{
	cscg_json_open(w, "learned", '{');
	cscg_json_put_int(w, "steps", l->steps);
	cscg_json_put_double(w, "nats_per_step", l->nats);
	cscg_json_put_double(w, "left_out_nats_per_step", l->left_out);
	cscg_json_put_int(w, "rows", l->rows);
	cscg_json_put_int(w, "rows_supported", l->supported);
	cscg_json_put_double(w, "noise", l->noise);
	cscg_json_put_double(w, "mixed", l->mixed);
	cscg_json_put_double(w, "memory", l->memory);
	cscg_json_put_bool(w, "deterministic", l->deterministic);
	cscg_json_put_bool(w, "enough_data", l->enough);
	cscg_json_put_bool(w, "doubtful", l->doubtful);
	cscg_json_put_doubles(w, "edges", l->edge, l->n_edges);
	cscg_json_close(w, '}');
}

/* What a model has besides T and C. */
static void
write_optional(struct cscg_json_writer *w, const struct cscg_model *m)
{
	if (m->coords)
		cscg_coords_write_json(w, m->coords, m->n_states);
	if (m->n_frontiers)
		cscg_frontiers_write_json(w, m->frontier, m->n_frontiers);
	if (m->n_entries)
		cscg_json_put_ints(w, "entries", m->entry, m->n_entries);
	if (m->fit_steps)
		write_fit(w, m);
	cscg_frame_emission_write_json(w, m);
	if (m->learned)
		write_learned(w, m->learned);
	cscg_history_write_json(w, &m->history);
}

int
cscg_model_write(const struct cscg_model *m, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_json_writer w = {
		.out = out, .digits = m->is_double ? 17 : 9, .err = err
	};
	int *from = cscg_alloc(
	    (size_t)m->first[(long)m->n_actions * m->n_states], sizeof *from,
	    err);

	if (!from)
		return -1;
	cscg_json_open(&w, NULL, '{');
	cscg_json_put_string(&w, "format", "cscg-model");
	cscg_json_put_int(&w, "version", version_of(m));
	cscg_json_put_string(&w, "kind", cscg_model_kind_name(m->kind));
	cscg_json_put_string(&w, "precision",
	    m->is_double ? "double" : "single");
	cscg_json_put_int(&w, "n_states", m->n_states);
	cscg_json_put_int(&w, "n_actions", m->n_actions);
	cscg_json_put_int(&w, "n_obs", m->n_obs);
	if (m->actions.n)
		cscg_json_put_names(&w, "actions", &m->actions);
	if (m->symbols.n)
		cscg_json_put_names(&w, "symbols", &m->symbols);
	if (m->clone)
		cscg_json_put_ints(&w, "clone", m->clone, m->n_states);
	if (m->e_first)
		write_emissions(&w, m);
	if (m->misread > 0)
		cscg_json_put_double(&w, "misread", m->misread);
	if (m->confidence)
		cscg_json_put_doubles(&w, "confidence", m->confidence,
		    m->n_states);
	if (m->pi)
		cscg_json_put_doubles(&w, "pi", m->pi, m->n_states);
	cscg_json_put_double(&w, "pseudocount", m->pseudocount);
	write_counts(&w, m, from);
	write_optional(&w, m);
	cscg_json_close(&w, '}');
	free(from);
	return cscg_json_end(&w);
}

/* named schemas read from files */

void
cscg_schemas_free(struct cscg_schemas *s)
{
	int i;

	for (i = 0; i < s->n; i++)
		cscg_model_free(s->m[i]);
	free(s->m);
	cscg_names_free(&s->names);
	*s = (struct cscg_schemas){ .n = 0 };
}

const char *
cscg_schemas_file(const char *operand)
{
	size_t n = strcspn(operand, "=/");

	return n && operand[n] == '=' ? operand + n + 1 : operand;
}

/*
 * The name that an operand gives to its schema: n bytes from the pointer
 * returned.
 */
static const char *
base_name(const char *operand, bool *given, size_t *n)
{
	static const char *const ends[] = { ".gz", ".json" };
	const char *path = cscg_schemas_file(operand), *slash;
	size_t e, i;

	*given = path != operand;
	*n = (size_t)(path - operand) - 1;
	if (*given)
		return operand;
	slash = strrchr(path, '/');
	path = !strcmp(path, "-") ? "stdin" : slash ? slash + 1 : path;
	*n = strlen(path);
	for (i = 0; i < sizeof ends / sizeof *ends; i++) {
		e = strlen(ends[i]);
		if (*n > e && !strncmp(path + *n - e, ends[i], e))
			*n -= e;
	}
	return path;
}

/* Name one schema; i > 0: it is the i-th of its file. */
static int
add_name(struct cscg_names *names, const char *operand, int i,
    struct cscg_err *err)
{
	bool given;
	size_t n, size;
	const char *base = base_name(operand, &given, &n);
	char *name, part[16] = "";
	int rc = -1, k;

	size = n + 2 * sizeof part;
	name = cscg_alloc(size, 1, err);
	if (!name)
		return -1;
	if (i)
		snprintf(part, sizeof part, "-%d", i);
	snprintf(name, size, "%.*s%s", (int)n, base, part);
	for (k = 2; cscg_names_find(names, name) >= 0; k++) {
		if (given) {
			cscg_fail(err, CSCG_EUSAGE,
			    "two schemas are called '%s'", name);
			goto out;
		}
		snprintf(name, size, "%.*s%s-%d", (int)n, base, part, k);
	}
	rc = cscg_names_add(names, name, err);
	if (rc < 0)
		cscg_fail_at(err, "'%s'", operand);
out:
	free(name);
	return rc;
}

int
cscg_schemas_read(struct cscg_schemas *s, const char *operand,
    struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(cscg_schemas_file(operand), err);
	int rc, first = s->n, i;

	if (!in)
		return -1;
	do {
		rc = cscg_grow(&s->m, &s->cap, (size_t)s->n + 1, sizeof *s->m,
			 err) < 0 ?
		    -1 :
		    cscg_model_read(in, &s->m[s->n], err);
		s->n += rc > 0;
	} while (rc > 0);
	if (rc == 0 && s->n == first)
		rc = cscg_json_fail_empty(in, "cscg-model", err);
	for (i = first; i < s->n && rc == 0; i++)
		rc = add_name(&s->names, operand,
		    s->n - first > 1 ? i - first + 1 : 0, err);
	cscg_in_close(in);
	return rc;
}

/* blocks: copies of schemas read from files */

/* The "*N" at the end of an operand; NULL if absent. */
static const char *
copies_suffix(const char *operand)
{
	const char *star = strrchr(operand, '*');

	if (!star || star == operand || !star[1] ||
	    star[1 + strspn(star + 1, "0123456789")])
		return NULL;
	return star;
}

long
cscg_blocks_copies(const char *operand, struct cscg_err *err)
{
	const char *star = copies_suffix(operand);
	long n = star ? strtol(star + 1, NULL, 10) : 1;

	if (n < 1 || n > CSCG_BLOCKS_MAX)
		return cscg_fail(err, CSCG_EUSAGE,
		    "'%s': %s copies are not 1 to %d", operand, star + 1,
		    CSCG_BLOCKS_MAX);
	return n;
}

static size_t
length_without_copies(const char *operand)
{
	const char *star = copies_suffix(operand);

	return star ? (size_t)(star - operand) : strlen(operand);
}

size_t
cscg_blocks_file(const char *operand, char *name, size_t size)
{
	const char *file = cscg_schemas_file(operand);
	size_t n = length_without_copies(file);

	snprintf(name, size, "%.*s", (int)n, file);
	return n;
}

/* Another block of schema i. */
static int
add_block(struct cscg_blocks *b, int i, struct cscg_err *err)
{
	size_t n = (size_t)b->n + 1;

	if (b->n == CSCG_BLOCKS_MAX)
		return cscg_fail(err, CSCG_EUSAGE, "more than %d schemas",
		    CSCG_BLOCKS_MAX);
	if (cscg_grow(&b->m, &b->cap_m, n, sizeof *b->m, err) < 0 ||
	    cscg_grow(&b->schema, &b->cap_schema, n, sizeof *b->schema, err) <
		0 ||
	    cscg_names_add(&b->names, b->schemas.names.v[i], err) < 0)
		return -1;
	b->schema[b->n] = i;
	b->m[b->n++] = b->schemas.m[i];
	return 0;
}

int
cscg_blocks_read(struct cscg_blocks *b, const char *operand, int which,
    struct cscg_err *err)
{
	long n = cscg_blocks_copies(operand, err), c;
	int first = b->schemas.n, i, rc;
	char *plain_operand;

	if (n < 0)
		return -1;
	plain_operand = cscg_alloc(length_without_copies(operand) + 1, 1, err);
	if (!plain_operand)
		return -1;
	memcpy(plain_operand, operand, length_without_copies(operand));
	rc = cscg_schemas_read(&b->schemas, plain_operand, err);
	free(plain_operand);
	if (rc < 0 ||
	    cscg_grow(&b->operand, &b->cap_operand, (size_t)b->schemas.n,
		sizeof *b->operand, err) < 0)
		return -1;
	for (i = first; i < b->schemas.n; i++) {
		b->operand[i] = which;
		for (c = 0; c < n; c++)
			if (add_block(b, i, err) < 0)
				return -1;
	}
	return 0;
}

void
cscg_blocks_free(struct cscg_blocks *b)
{
	cscg_schemas_free(&b->schemas);
	cscg_names_free(&b->names);
	free(b->operand);
	free(b->m);
	free(b->schema);
	*b = (struct cscg_blocks){ .n = 0 };
}
