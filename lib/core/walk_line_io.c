/* walk_line_io.c - the steps of one line of a walk, in any good spelling */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "io/json.h"
#include "core/walk_frame.h"
#include "core/walk_line.h"

static int
bad_item(struct cscg_err *err, const char *key, size_t i, json_t *item,
    const char *what, int n)
{
	if (!json_is_integer(item))
		return cscg_fail(err, CSCG_EFORMAT, "/%s/%zu: %s is not an "
		    "integer", key, i, what);
	return cscg_fail(err, CSCG_ERANGE, "/%s/%zu: %s %lld is outside 0..%d",
	    key, i, what, (long long)json_integer_value(item), n - 1);
}

/* Numbers 0..n-1 of an array, null as -1 where allowed. */
static int
get_items(json_t *arr, const char *key, const char *what, int n,
    bool null_ok, int *out, struct cscg_err *err)
{
	size_t i, size = json_array_size(arr);
	json_t *item;
	json_int_t v;

	for (i = 0; i < size; i++) {
		item = json_array_get(arr, i);
		if (null_ok && json_is_null(item)) {
			out[i] = -1;
			continue;
		}
		v = json_integer_value(item);	/* 0 for other types */
		if (v < 0 || v >= n || !json_is_integer(item))
			return bad_item(err, key, i, item, what, n);
		out[i] = (int)v;
	}
	return 0;
}

/* An optional array of one item per step: 1 with *arr borrowed, 0, -1. */
static int
get_optional(json_t *obj, const char *key, long n, json_t **arr,
    struct cscg_err *err)
{
	if (!cscg_json_has(obj, key))
		return 0;
	if (cscg_json_array(obj, key, -1, arr, err) < 0)
		return -1;
	if ((long)json_array_size(*arr) != n)
		return cscg_fail(err, CSCG_EFORMAT, "/%s: %zu items, but /x "
		    "has %ld", key, json_array_size(*arr), n);
	return 1;
}

static int
get_resets(json_t *obj, struct cscg_walk_line *l, struct cscg_err *err)
{
	size_t i;
	json_t *arr, *item;
	json_int_t v, before = -1;

	l->has_reset = cscg_json_has(obj, "reset");
	if (!l->has_reset)
		return 0;
	if (cscg_json_array(obj, "reset", -1, &arr, err) < 0)
		return -1;
	memset(l->reset, 0, (size_t)l->n);
	for (i = 0; i < json_array_size(arr); i++) {
		item = json_array_get(arr, i);
		v = json_integer_value(item);
		if (v < 0 || v >= l->n || !json_is_integer(item))
			return bad_item(err, "reset", i, item, "position",
			    (int)l->n);
		if (v <= before)
			return cscg_fail(err, CSCG_EFORMAT, "/reset/%zu: %d "
			    "does not come after %d", i, (int)v, (int)before);
		l->reset[v] = 1;
		before = v;
	}
	return 0;
}

static int
get_rewards(json_t *obj, struct cscg_walk_line *l, struct cscg_err *err)
{
	json_t *arr, *item;
	int rc = get_optional(obj, "r", l->n, &arr, err);
	long i;

	l->has_r = rc > 0;
	for (i = 0; rc > 0 && i < l->n; i++) {
		item = json_array_get(arr, (size_t)i);
		if (!json_is_number(item) && !json_is_null(item))
			return cscg_fail(err, CSCG_EFORMAT, "/r/%ld: reward "
			    "is not a number", i);
		l->r[i] = json_is_null(item) ? NAN : json_number_value(item);
	}
	return rc < 0 ? -1 : 0;
}

/* "a" has an item for each of "x", but for the last step of an episode. */
static int
get_actions(json_t *obj, int n_actions, struct cscg_walk_line *l,
    struct cscg_err *err)
{
	json_t *arr;
	long n, need = l->n - l->last;

	if (cscg_json_array(obj, "a", -1, &arr, err) < 0)
		return -1;
	n = (long)json_array_size(arr);
	if (n != need && l->last)
		return cscg_fail(err, CSCG_EFORMAT, "/a: %ld items, but /x has "
		    "%ld on the last line of an episode, where %ld are needed",
		    n, l->n, need);
	if (n != need)
		return cscg_fail(err, CSCG_EFORMAT, "/a: %ld items, but /x has "
		    "%ld", n, l->n);
	return get_items(arr, "a", "action", n_actions, false, l->a, err);
}

/* An optional array of numbers below n; *has says whether it is there. */
static int
get_numbers(json_t *obj, const char *key, const char *what, int n, long size,
    int *out, bool *has, struct cscg_err *err)
{
	json_t *arr;
	int rc = get_optional(obj, key, size, &arr, err);

	*has = rc > 0;
	if (rc <= 0)
		return rc;
	return get_items(arr, key, what, n, true, out, err);
}

int
cscg_walk_line_from_json(json_t *obj, int n_actions, int n_obs, struct cscg_walk_line *l,
    struct cscg_err *err)
{
	json_t *x;

	if (cscg_json_array(obj, "x", -1, &x, err) < 0)
		return -1;
	if (!json_array_size(x))
		return cscg_fail(err, CSCG_EFORMAT, "/x: no steps");
	if (json_array_size(x) > INT_MAX)
		return cscg_fail(err, CSCG_ERANGE, "/x: more than %d steps on "
		    "a line", INT_MAX);
	if (cscg_walk_line_reserve(l, json_array_size(x), err) < 0)
		return -1;
	l->n = (long)json_array_size(x);
	l->last = false;
	if (cscg_json_has(obj, "last") &&
	    cscg_json_bool(obj, "last", &l->last, err) < 0)
		return -1;
	if (get_items(x, "x", "symbol", n_obs, true, l->x, err) < 0 ||
	    get_actions(obj, n_actions, l, err) < 0 ||
	    get_numbers(obj, "z", "node", CSCG_TRUE_STATE_MAX, l->n, l->z,
	    &l->has_z, err) < 0 ||
	    get_numbers(obj, "goal", "goal", n_obs, l->n, l->goal,
	    &l->has_goal, err) < 0 ||
	    get_numbers(obj, "v", "view", CSCG_VIEW_MAX, l->n, l->view,
	    &l->has_view, err) < 0 || get_rewards(obj, l, err) < 0)
		return -1;
	return get_resets(obj, l, err);
}
