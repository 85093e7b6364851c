/*
 * walk_line.c - parser and frames of one line of a walk file
 *
 * A JSON library allocates every integer.  Most lines have the layout of the
 * writer of walk_io.c and hold short lists of small integers, so these lines are
 * parsed directly, at about the speed of inflating them.  Any other line is
 * parsed by io/json_parse, which also reports its errors.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "core/walk_line.h"
#include "io/json.h"

/*
 * the frames of a walk
 *
 * A frame has some ten thousand characters, and a walk with pixel noise has one
 * per step, so lines in the layout of the writer are decoded in place, without
 * a JSON value.
 */

int
cscg_view_set_add(struct cscg_view_set *s, int view, struct cscg_err *err)
{
	if (cscg_view_set_has(s, view))
		return 0;
	if (cscg_grow(&s->bits, &s->cap, (size_t)view / 8 + 1, 1, err) < 0)
		return -1;
	s->bits[view / 8] |= (unsigned char)(1u << view % 8);
	if (view >= s->top)
		s->top = view + 1;
	return 1;
}

bool
cscg_view_set_has(const struct cscg_view_set *s, int view)
{
	return view < s->top && s->bits[view / 8] >> view % 8 & 1;
}

void
cscg_view_set_free(struct cscg_view_set *s)
{
	free(s->bits);
	*s = (struct cscg_view_set){ 0 };
}

size_t
cscg_walk_frame_size(const struct cscg_walk_header *head)
{
	return (size_t)head->frame[0] * (size_t)head->frame[1] * 3;
}

int
cscg_walk_frame_parse_fast(const char *text, size_t len, size_t size,
    int *view, unsigned char *rgb)
{
	static const char begin[] = "{\"views\":[{\"id\":",
			  middle[] = ",\"rgb\":\"", end[] = "\"}]}";
	size_t chars = cscg_base64_length(size);
	const char *p = text + sizeof begin - 1;
	long v = 0;

	/* size is that of whole pixels, so there is no padding. */
	if (!size || len < chars || strncmp(text, begin, sizeof begin - 1) ||
	    *p < '0' || *p > '9' || (*p == '0' && p[1] != ','))
		return 0;
	for (; *p >= '0' && *p <= '9' && v < CSCG_VIEW_MAX; p++)
		v = v * 10 + (*p - '0');
	if (v >= CSCG_VIEW_MAX || strncmp(p, middle, sizeof middle - 1))
		return 0;
	p += sizeof middle - 1;
	if ((size_t)(p - text) + chars + sizeof end - 1 != len ||
	    memcmp(p + chars, end, sizeof end - 1) ||
	    cscg_base64_decode(p, chars, rgb, NULL) != (long)size)
		return 0;
	*view = (int)v;
	return 1;
}

static const char *const view_keys[] = { "id", "rgb", NULL };

int
cscg_walk_frame_from_json(json_t *views, size_t i,
    const struct cscg_walk_header *head, int *view, unsigned char *rgb,
    struct cscg_err *err)
{
	json_t *obj = json_array_get(views, i), *text;
	size_t len, fault, size = cscg_walk_frame_size(head);
	long got;

	if (json_typeof(obj) != JSON_OBJECT)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/views/%zu: not an object", i);
	if (cscg_json_check_keys(obj, view_keys, err) < 0 ||
	    cscg_json_int(obj, "id", 0, CSCG_VIEW_MAX - 1, view, err) < 0)
		return cscg_fail_at(err, "/views/%zu", i);
	text = json_object_get(obj, "rgb");
	if (!json_is_string(text))
		return cscg_fail(err, CSCG_EFORMAT, "/views/%zu/rgb: %s", i,
		    text ? "not a string" : "missing");
	len = json_string_length(text);
	if (len != cscg_base64_length(size))
		return cscg_fail(err, CSCG_EFORMAT,
		    "/views/%zu/rgb: %zu characters, but a frame of %d x %d "
		    "pixels has %zu",
		    i, len, head->frame[0], head->frame[1],
		    cscg_base64_length(size));
	got = cscg_base64_decode(json_string_value(text), len, rgb, &fault);
	if (got >= 0 && got != (long)size)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/views/%zu/rgb: %ld bytes, but a frame of %d x %d pixels "
		    "has %zu",
		    i, got, head->frame[0], head->frame[1], size);
	if (got < 0)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/views/%zu/rgb: character %zu is not base64", i, fault);
	return 0;
}

/* Priors sum to one but for their rounding. */
static int
get_priors(json_t *obj, struct cscg_walk_header *head, struct cscg_err *err)
{
	json_t *arr;
	double sum = 0;
	int i;

	if (!cscg_json_has(obj, "priors"))
		return 0;
	if (cscg_json_array(obj, "priors", head->n_obs, &arr, err) < 0)
		return -1;
	head->priors = cscg_alloc((size_t)head->n_obs, sizeof *head->priors,
	    err);
	if (!head->priors)
		return -1;
	head->n_priors = head->n_obs;
	if (cscg_json_doubles(arr, "/priors", 0, 1, head->priors, err) < 0)
		return -1;
	for (i = 0; i < head->n_obs; i++)
		sum += head->priors[i];
	if (fabs(sum - 1) > 1e-6)
		return cscg_fail(err, CSCG_ERANGE,
		    "/priors: sums to %g, not 1", sum);
	return 0;
}

int
cscg_walk_frame_header_from_json(json_t *obj, struct cscg_walk_header *head,
    struct cscg_err *err)
{
	json_t *arr;
	int v[3];

	if (cscg_json_has(obj, "frame")) {
		if (cscg_json_array(obj, "frame", 3, &arr, err) < 0 ||
		    cscg_json_ints(arr, "/frame", 1, CSCG_FRAME_SIDE_MAX, v,
			err) < 0)
			return -1;
		if (v[2] != 3)
			return cscg_fail(err, CSCG_ERANGE,
			    "/frame/2: %d channels, but only 3 (red, green, "
			    "blue) are read",
			    v[2]);
		head->frame[0] = v[0];
		head->frame[1] = v[1];
	}
	return get_priors(obj, head, err);
}

void
cscg_walk_frame_header_write_json(struct cscg_json_writer *w,
    const struct cscg_walk_header *head)
{
	if (head->frame[0])
		cscg_json_put_ints(w, "frame",
		    (int[]){ head->frame[0], head->frame[1], 3 }, 3);
	if (head->n_priors == head->n_obs && head->priors)
		cscg_json_put_doubles(w, "priors", head->priors, head->n_obs);
}

int
cscg_walk_alphabet_from_json(json_t *obj, struct cscg_walk_header *head,
    struct cscg_err *err)
{
	if (cscg_json_int(obj, "n_actions", 1, CSCG_ACTION_MAX,
		&head->n_actions, err) < 0 ||
	    cscg_json_int(obj, "n_obs", 1, CSCG_OBS_MAX, &head->n_obs, err) <
		0 ||
	    cscg_json_names(obj, "actions", head->n_actions, &head->actions,
		err) < 0)
		return -1;
	return cscg_json_names(obj, "symbols", head->n_obs, &head->symbols,
	    err);
}

void
cscg_walk_alphabet_write_json(struct cscg_json_writer *w,
    const struct cscg_walk_header *head)
{
	cscg_json_put_int(w, "n_actions", head->n_actions);
	cscg_json_put_int(w, "n_obs", head->n_obs);
	if (head->actions.n)
		cscg_json_put_names(w, "actions", &head->actions);
	if (head->symbols.n)
		cscg_json_put_names(w, "symbols", &head->symbols);
}

void
cscg_walk_line_free(struct cscg_walk_line *l)
{
	cscg_pool_free(&l->mem);
	memset(l, 0, sizeof *l);
}

int
cscg_walk_line_reserve(struct cscg_walk_line *l, size_t n,
    struct cscg_err *err)
{
	struct cscg_pool *mem = &l->mem;

	if (n <= l->cap)
		return 0;
	if (n < CSCG_WALK_LINE_STEPS)
		n = CSCG_WALK_LINE_STEPS;
	cscg_walk_line_free(l);
	mem->err = err;
	l->x = cscg_pool_add(mem, n, sizeof *l->x);
	l->a = cscg_pool_add(mem, n, sizeof *l->a);
	l->z = cscg_pool_add(mem, n, sizeof *l->z);
	l->goal = cscg_pool_add(mem, n, sizeof *l->goal);
	l->view = cscg_pool_add(mem, n, sizeof *l->view);
	l->r = cscg_pool_add(mem, n, sizeof *l->r);
	l->reset = cscg_pool_add(mem, n, sizeof *l->reset);
	if (mem->failed) {
		cscg_walk_line_free(l);
		return -1;
	}
	l->cap = n;
	return 0;
}

/* Skip word if it is next. */
static bool
accept_word(const char **p, const char *w)
{
	size_t n = strlen(w);

	if (strncmp(*p, w, n))
		return false;
	*p += n;
	return true;
}

/* A number 0..max-1 in JSON syntax, or -1. */
static long
parse_number(const char **p, long max)
{
	const char *s = *p;
	long v = 0;

	if (*s < '0' || *s > '9' || (*s == '0' && s[1] >= '0' && s[1] <= '9'))
		return -1;
	for (; *s >= '0' && *s <= '9'; s++) {
		v = v * 10 + (*s - '0');
		if (v >= max)
			return -1;
	}
	*p = s;
	return v;
}

/* A list of numbers below max into out; its length, or -1. */
static long
parse_list(const char **p, long max, bool null_ok, int *out, long cap)
{
	const char *s = *p;
	long n, v, two, d;

	for (n = 0; n < cap; s++) {
		v = *s - '0';
		if (v >= 0 && v <= 9) {
			s++;
			if (max > 10) {
				/* One or two digits: no branch to mispredict. */
				d = *s - '0';
				two = (unsigned long)d <= 9;
				if (two > v)
					return -1;
				v += (9 * v + d) & -two;
				s += two;
			}
			for (; *s >= '0' && *s <= '9' && v && v < max; s++)
				v = v * 10 + (*s - '0');
			if (v >= max)
				return -1;
		} else if (null_ok && accept_word(&s, "null")) {
			v = -1;
		} else {
			break;
		}
		out[n++] = (int)v;
		if (*s != ',')
			break;
	}
	*p = s + 1;
	/* An empty list is valid, a comma without a number is not. */
	return *s == ']' && (!n || s[-1] != ',') ? n : -1;
}

/* The rewards of n steps, null as NaN. */
static bool
parse_rewards(const char **p, double *out, long n)
{
	long i;

	for (i = 0; i < n; i++) {
		if (i && !accept_word(p, ","))
			return false;
		if (accept_word(p, "null"))
			out[i] = NAN;
		else if (!cscg_decimal_parse(p, &out[i]))
			return false;
	}
	return accept_word(p, "]");
}

/* Ascending positions of resets among n steps. */
static bool
parse_resets(const char **p, unsigned char *reset, long n)
{
	long v, before = -1;

	memset(reset, 0, (size_t)n);
	if (accept_word(p, "]"))
		return true;
	do {
		v = parse_number(p, n);
		if (v <= before)
			return false;
		reset[v] = 1;
		before = v;
	} while (accept_word(p, ","));
	return accept_word(p, "]");
}

/* The optional fields of a line, in the order of the writer. */
static bool
parse_optional(const char **p, int n_obs, struct cscg_walk_line *l)
{
	l->has_z = accept_word(p, ",\"z\":[");
	if (l->has_z &&
	    parse_list(p, CSCG_TRUE_STATE_MAX, true, l->z, l->n) != l->n)
		return false;
	l->has_view = accept_word(p, ",\"v\":[");
	if (l->has_view &&
	    parse_list(p, CSCG_VIEW_MAX, true, l->view, l->n) != l->n)
		return false;
	l->has_reset = accept_word(p, ",\"reset\":[");
	if (l->has_reset && !parse_resets(p, l->reset, l->n))
		return false;
	l->has_r = accept_word(p, ",\"r\":[");
	if (l->has_r && !parse_rewards(p, l->r, l->n))
		return false;
	l->has_goal = accept_word(p, ",\"goal\":[");
	return !l->has_goal ||
	    parse_list(p, n_obs, true, l->goal, l->n) == l->n;
}

int
cscg_walk_line_parse_fast(const char *text, size_t len, int n_actions,
    int n_obs, struct cscg_walk_line *l, struct cscg_err *err)
{
	const char *p = text, *x, *end;
	size_t n;
	long n_a, episode;

	if (!accept_word(&p, "{\"episode\":") ||
	    (episode = parse_number(&p, INT_MAX)) < 0 ||
	    !accept_word(&p, ",\"x\":["))
		return 0;
	x = p;
	end = memchr(x, ']', len - (size_t)(x - text));
	if (!end)
		return 0;
	/*
	 * The number of steps is that of commas plus one; "n," is the shortest
	 * item.
	 */
	n = (size_t)(end - x) / 2 + 1;
	if (cscg_walk_line_reserve(l, n, err) < 0)
		return -1;
	l->episode = episode;
	l->n = parse_list(&p, n_obs, true, l->x, (long)l->cap);
	if (l->n < 1 || !accept_word(&p, ",\"a\":["))
		return 0;
	n_a = parse_list(&p, n_actions, false, l->a, l->n);
	if (n_a < 0 || !parse_optional(&p, n_obs, l))
		return 0;
	l->last = accept_word(&p, ",\"last\":true");
	return n_a == l->n - l->last && accept_word(&p, "}") &&
	    p == text + len;
}

/* the steps of one line of a walk, in any valid JSON layout */

static int
bad_item(struct cscg_err *err, const char *key, size_t i, json_t *item,
    const char *what, int n)
{
	if (json_typeof(item) != JSON_INTEGER)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/%s/%zu: %s is not an integer", key, i, what);
	return cscg_fail(err, CSCG_ERANGE, "/%s/%zu: %s %lld is outside 0..%d",
	    key, i, what, (long long)json_integer_value(item), n - 1);
}

/* Numbers 0..n-1 of an array, null as -1 where allowed. */
static int
get_items(json_t *arr, const char *key, const char *what, int n, bool null_ok,
    int *out, struct cscg_err *err)
{
	size_t i, size = json_array_size(arr);
	json_t *item;
	json_int_t v;

	for (i = 0; i < size; i++) {
		item = json_array_get(arr, i);
		if (null_ok && json_typeof(item) == JSON_NULL) {
			out[i] = -1;
			continue;
		}
		v = json_integer_value(item); /* 0 for other types */
		if (v < 0 || v >= n || json_typeof(item) != JSON_INTEGER)
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
		return cscg_fail(err, CSCG_EFORMAT,
		    "/%s: %zu items, but /x has %ld", key,
		    json_array_size(*arr), n);
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
		if (v < 0 || v >= l->n || json_typeof(item) != JSON_INTEGER)
			return bad_item(err, "reset", i, item, "position",
			    (int)l->n);
		if (v <= before)
			return cscg_fail(err, CSCG_EFORMAT,
			    "/reset/%zu: %d does not come after %d", i, (int)v,
			    (int)before);
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
		if (!json_is_number(item) && json_typeof(item) != JSON_NULL)
			return cscg_fail(err, CSCG_EFORMAT,
			    "/r/%ld: reward is not a number", i);
		l->r[i] = json_typeof(item) == JSON_NULL ?
		    NAN :
		    json_number_value(item);
	}
	return rc < 0 ? -1 : 0;
}

/*
 * "a" has an item for each item of "x", except for the last step of an
 * episode.
 */
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
		return cscg_fail(err, CSCG_EFORMAT,
		    "/a: %ld items, but /x has %ld on the last line of an "
		    "episode, where %ld are needed",
		    n, l->n, need);
	if (n != need)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/a: %ld items, but /x has %ld", n, l->n);
	return get_items(arr, "a", "action", n_actions, false, l->a, err);
}

/* An optional array of numbers below n; *has is whether it is present. */
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
cscg_walk_line_from_json(json_t *obj, int n_actions, int n_obs,
    struct cscg_walk_line *l, struct cscg_err *err)
{
	json_t *x;

	if (cscg_json_array(obj, "x", -1, &x, err) < 0)
		return -1;
	if (!json_array_size(x))
		return cscg_fail(err, CSCG_EFORMAT, "/x: no steps");
	if (json_array_size(x) > INT_MAX)
		return cscg_fail(err, CSCG_ERANGE,
		    "/x: more than %d steps on a line", INT_MAX);
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
		&l->has_view, err) < 0 ||
	    get_rewards(obj, l, err) < 0)
		return -1;
	return get_resets(obj, l, err);
}
