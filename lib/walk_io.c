/*
 * walk_io.c - walks as JSON Lines, streamed: the reader
 *
 * One line is parsed at a time and its steps handed out one by one, so the
 * text of a walk is never in memory.  Several walks may follow each other
 * (cat a.gz b.gz): the later ones are renumbered to fit the first header.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "mem.h"
#include "room.h"
#include "walk_io.h"
#include "walk_line.h"

enum {
	VERSION = 1
};

struct cscg_walk_reader {
	struct cscg_in *in;
	struct cscg_head head;	/* of the first walk; histories joined */
	struct cscg_head part;	/* of the walk being read */
	int *map;		/* its actions in the numbers of head */
	struct cscg_line line;
	long next;		/* step of the line to hand out next */
	long episode, steps;	/* of this walk: ended, and read */
	bool inside;		/* an episode has begun and not ended */
	bool ended;		/* the end line was read */
	bool done;		/* the end of input was seen */
};

/* The header */

static const char *const head_keys[] = {
	"format", "version", "n_actions", "n_obs", "actions", "symbols",
	"history", NULL
};

static int
head_get(json_t *obj, struct cscg_head *head, struct cscg_err *err)
{
	if (cscg_json_format(obj, "cscg-walk", VERSION, err) < 0 ||
	    cscg_json_only(obj, head_keys, err) < 0 ||
	    cscg_json_int(obj, "n_actions", 1, CSCG_ACTION_MAX,
	    &head->n_actions, err) < 0 ||
	    cscg_json_int(obj, "n_obs", 1, CSCG_OBS_MAX, &head->n_obs,
	    err) < 0 ||
	    cscg_json_names(obj, "actions", head->n_actions, &head->actions,
	    err) < 0 ||
	    cscg_json_names(obj, "symbols", head->n_obs, &head->symbols,
	    err) < 0 ||
	    cscg_history_get(obj, &head->history, err) < 0)
		return -1;
	return 0;
}

/*
 * Can a walk headed by more go on after one headed by head?  *map (freed
 * first, then new) takes its actions to those of head.
 */
static int
head_join(const struct cscg_head *head, const struct cscg_head *more,
    int **map, struct cscg_err *err)
{
	int i;

	if (more->n_obs != head->n_obs)
		return cscg_fail(err, CSCG_EMISMATCH, "/n_obs: %d symbols, but "
		    "the walk before has %d", more->n_obs, head->n_obs);
	for (i = 0; i < head->symbols.n && i < more->symbols.n; i++)
		if (strcmp(head->symbols.v[i], more->symbols.v[i]))
			return cscg_fail(err, CSCG_EMISMATCH, "/symbols/%d: "
			    "'%s', but the walk before has '%s'", i,
			    more->symbols.v[i], head->symbols.v[i]);
	free(*map);
	*map = cscg_alloc((size_t)more->n_actions, sizeof **map, err);
	if (!*map)
		return -1;
	if (cscg_names_map(&more->actions, more->n_actions, &head->actions,
	    head->n_actions, "action", *map, err) < 0)
		return cscg_fail_at(err, "/actions");
	return 0;
}

/* A line of steps */

static const char *const step_keys[] = {
	"episode", "x", "a", "z", "reset", "r", "goal", "last", NULL
};

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
get_resets(json_t *obj, struct cscg_line *l, struct cscg_err *err)
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
get_rewards(json_t *obj, struct cscg_line *l, struct cscg_err *err)
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
get_actions(json_t *obj, const struct cscg_walk_reader *r, struct cscg_line *l,
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
	return get_items(arr, "a", "action", r->part.n_actions, false, l->a,
	    err);
}

static int
check_episode(const struct cscg_walk_reader *r, long e, struct cscg_err *err)
{
	if (e != r->episode && r->inside)
		return cscg_fail(err, CSCG_EFORMAT, "/episode: %ld, but episode "
		    "%ld has not ended", e, r->episode);
	if (e != r->episode)
		return cscg_fail(err, CSCG_EFORMAT, "/episode: %ld, but %ld is "
		    "next", e, r->episode);
	return 0;
}

/* A good line was read: count it, and give its actions their numbers. */
static void
accept(struct cscg_walk_reader *r)
{
	struct cscg_line *l = &r->line;
	long i, n = l->n - l->last;

	for (i = 0; i < n && r->map; i++)
		l->a[i] = r->map[l->a[i]];
	if (l->last)
		l->a[n] = -1;
	r->steps += l->n;
	r->inside = !l->last;
	r->episode += l->last;
}

static int
get_steps(struct cscg_walk_reader *r, json_t *obj, struct cscg_err *err)
{
	struct cscg_line *l = &r->line;
	json_t *x, *arr;
	int rc;

	if (cscg_json_only(obj, step_keys, err) < 0 ||
	    cscg_json_long(obj, "episode", 0, INT_MAX - 1, &l->episode,
	    err) < 0 || check_episode(r, l->episode, err) < 0 ||
	    cscg_json_array(obj, "x", -1, &x, err) < 0)
		return -1;
	if (!json_array_size(x))
		return cscg_fail(err, CSCG_EFORMAT, "/x: no steps");
	if (json_array_size(x) > INT_MAX)
		return cscg_fail(err, CSCG_ERANGE, "/x: more than %d steps on "
		    "a line", INT_MAX);
	if (cscg_line_fit(l, json_array_size(x), err) < 0)
		return -1;
	l->n = (long)json_array_size(x);
	l->last = false;
	if (cscg_json_has(obj, "last") &&
	    cscg_json_bool(obj, "last", &l->last, err) < 0)
		return -1;
	if (get_items(x, "x", "symbol", r->part.n_obs, true, l->x, err) < 0 ||
	    get_actions(obj, r, l, err) < 0)
		return -1;
	rc = get_optional(obj, "z", l->n, &arr, err);
	if (rc < 0 || (rc > 0 && get_items(arr, "z", "node", CSCG_PLACE_MAX,
	    true, l->z, err) < 0))
		return -1;
	l->has_z = rc > 0;
	rc = get_optional(obj, "goal", l->n, &arr, err);
	if (rc < 0 || (rc > 0 && get_items(arr, "goal", "goal", r->part.n_obs,
	    true, l->goal, err) < 0))
		return -1;
	l->has_goal = rc > 0;
	if (get_rewards(obj, l, err) < 0 || get_resets(obj, l, err) < 0)
		return -1;
	accept(r);
	return 0;
}

static const char *const end_keys[] = { "end", "episodes", "steps", NULL };

static int
get_end(struct cscg_walk_reader *r, json_t *obj, struct cscg_err *err)
{
	long episodes, steps;
	bool end;

	if (cscg_json_only(obj, end_keys, err) < 0 ||
	    cscg_json_bool(obj, "end", &end, err) < 0 ||
	    cscg_json_long(obj, "episodes", 0, LONG_MAX, &episodes, err) < 0 ||
	    cscg_json_long(obj, "steps", 0, LONG_MAX, &steps, err) < 0)
		return -1;
	if (!end)
		return cscg_fail(err, CSCG_EFORMAT, "/end: must be true");
	if (r->inside)
		return cscg_fail(err, CSCG_EFORMAT, "/end: episode %ld has not "
		    "ended", r->episode);
	if (episodes != r->episode)
		return cscg_fail(err, CSCG_EFORMAT, "/episodes: %ld, but %ld "
		    "were read", episodes, r->episode);
	if (steps != r->steps)
		return cscg_fail(err, CSCG_EFORMAT, "/steps: %ld, but %ld were "
		    "read", steps, r->steps);
	r->ended = true;
	return 0;
}

/* A header after an end line. */
static int
get_more(struct cscg_walk_reader *r, json_t *obj, struct cscg_err *err)
{
	cscg_head_free(&r->part);
	if (head_get(obj, &r->part, err) < 0 ||
	    head_join(&r->head, &r->part, &r->map, err) < 0 ||
	    cscg_history_join(&r->head.history, &r->part.history, err) < 0)
		return -1;
	r->episode = r->steps = 0;
	r->ended = false;
	return 0;
}

static int
get_line(struct cscg_walk_reader *r, json_t *obj, struct cscg_err *err)
{
	if (r->ended && !cscg_json_has(obj, "format"))
		return cscg_fail(err, CSCG_EFORMAT, "only a header may follow "
		    "the end line");
	if (r->ended)
		return get_more(r, obj, err);
	if (cscg_json_has(obj, "format"))
		return cscg_fail(err, CSCG_EFORMAT, "a header before the end "
		    "line of the walk before");
	if (cscg_json_has(obj, "end"))
		return get_end(r, obj, err);
	return get_steps(r, obj, err);
}

static int
read_head(struct cscg_walk_reader *r, struct cscg_err *err)
{
	json_t *obj = NULL;
	int rc = cscg_json_read(r->in, &obj, err);

	if (rc < 0)
		return -1;
	if (rc == 0)
		return cscg_fail(err, CSCG_ECUT, "%s: unexpected end: no "
		    "cscg-walk", cscg_in_name(r->in));
	rc = head_get(obj, &r->part, err);
	json_decref(obj);
	if (rc < 0)
		return cscg_json_at(r->in, err);
	return cscg_head_copy(&r->head, &r->part, err);
}

struct cscg_walk_reader *
cscg_walk_open_take(struct cscg_in *in, struct cscg_err *err)
{
	struct cscg_walk_reader *r = cscg_alloc(1, sizeof *r, err);

	if (!r) {
		cscg_in_close(in);
		return NULL;
	}
	r->in = in;
	if (read_head(r, err) < 0) {
		cscg_walk_close(r);
		return NULL;
	}
	return r;
}

struct cscg_walk_reader *
cscg_walk_open(const char *path, struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(path, err);

	return in ? cscg_walk_open_take(in, err) : NULL;
}

const struct cscg_head *
cscg_walk_head(const struct cscg_walk_reader *r)
{
	return &r->head;
}

/* A line with something on it: 1, 0 at a clean end, -1. */
static int
next_line(struct cscg_walk_reader *r, char **text, size_t *len,
    struct cscg_err *err)
{
	int rc;

	do {
		rc = cscg_in_line(r->in, text, len, err);
	} while (rc > 0 && strspn(*text, " \t\r") == *len);
	return rc;
}

/* The quick way for lines of steps that are just so, Jansson's for others. */
static int
take_line(struct cscg_walk_reader *r, const char *text, size_t len,
    struct cscg_err *err)
{
	json_t *obj;
	int rc = 0;

	if (!r->ended)
		rc = cscg_line_quick(text, len, r->part.n_actions,
		    r->part.n_obs, &r->line, err);
	if (rc > 0) {
		rc = check_episode(r, r->line.episode, err);
		if (rc == 0)
			accept(r);
		return rc;
	}
	r->line.n = 0;
	if (rc < 0)
		return -1;
	obj = cscg_json_parse(text, len, err);
	if (!obj)
		return -1;
	rc = get_line(r, obj, err);
	json_decref(obj);
	return rc;
}

/* Read lines until there are steps: 1, or 0 at the end, or -1. */
static int
refill(struct cscg_walk_reader *r, struct cscg_err *err)
{
	char *text;
	size_t len;
	int rc;

	if (r->done)
		return 0;
	r->line.n = r->next = 0;
	while (!r->line.n) {
		rc = next_line(r, &text, &len, err);
		if (rc < 0)
			return -1;
		if (rc == 0 && !r->ended)
			return cscg_fail(err, CSCG_ECUT, "%s: unexpected end "
			    "of walk (no end line)", cscg_in_name(r->in));
		if (rc == 0) {
			r->done = true;
			return 0;
		}
		if (take_line(r, text, len, err) < 0) {
			r->line.n = 0;
			return cscg_json_at(r->in, err);
		}
	}
	return 1;
}

int
cscg_walk_next(struct cscg_walk_reader *r, struct cscg_step *step,
    struct cscg_err *err)
{
	const struct cscg_line *l = &r->line;
	long i;
	int rc;

	if (r->next >= l->n) {
		rc = refill(r, err);
		if (rc <= 0)
			return rc;
	}
	i = r->next++;
	step->x = l->x[i];
	step->a = l->a[i];
	step->z = l->has_z ? l->z[i] : -1;
	step->goal = l->has_goal ? l->goal[i] : -1;
	step->r = l->has_r ? l->r[i] : NAN;
	step->reset = l->has_reset && l->reset[i];
	return 1;
}

bool
cscg_walk_ready(const struct cscg_walk_reader *r)
{
	return r->next < r->line.n;
}

void
cscg_walk_close(struct cscg_walk_reader *r)
{
	if (!r)
		return;
	cscg_in_close(r->in);
	cscg_head_free(&r->head);
	cscg_head_free(&r->part);
	cscg_line_free(&r->line);
	free(r->map);
	free(r);
}

int
cscg_walk_append(struct cscg_walk **walk, struct cscg_walk_reader *r,
    struct cscg_err *err)
{
	struct cscg_step step;
	int *map = NULL, rc = -1;

	if (!*walk) {
		*walk = cscg_walk_new(&r->head, err);
		if (!*walk)
			goto out;
	} else if (head_join(&(*walk)->head, &r->head, &map, err) < 0) {
		cscg_json_at(r->in, err);
		goto out;
	}
	while ((rc = cscg_walk_next(r, &step, err)) > 0) {
		if (map && step.a >= 0)
			step.a = map[step.a];
		if (cscg_walk_add(*walk, &step, err) < 0) {
			rc = -1;
			break;
		}
	}
	/* Walks that follow in one file have joined their histories by now. */
	if (rc == 0)
		rc = cscg_history_join(&(*walk)->head.history,
		    &r->head.history, err);
out:
	free(map);
	return rc;
}

struct cscg_walk *
cscg_walk_read(char *const *paths, int n, struct cscg_err *err)
{
	struct cscg_walk_reader *r;
	struct cscg_walk *walk = NULL;
	int i, rc;

	for (i = 0; i < n || i == 0; i++) {
		r = cscg_walk_open(n ? paths[i] : "-", err);
		rc = r ? cscg_walk_append(&walk, r, err) : -1;
		cscg_walk_close(r);
		if (rc < 0) {
			cscg_walk_free(walk);
			return NULL;
		}
	}
	return walk;
}
