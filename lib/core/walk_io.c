/*
 * walk_io.c - walk files as JSON Lines, streamed: cscg-walk(5)
 *
 * One line is parsed at a time and its steps are returned one by one, so the
 * text of a walk is never in memory.  Several walks may follow each other (cat
 * a.gz b.gz): the later ones are renumbered to match the first header.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "core/walk_io.h"
#include "core/walk_line.h"
#include "io/json.h"
#include "io/json_write.h"
#include "io/json_parse.h"

enum {
	VERSION = 1,
};

struct cscg_walk_reader {
	struct cscg_in *in;
	struct cscg_walk_header
	    head; /* header of the first walk; histories joined */
	struct cscg_walk_header part; /* header of the walk being read */
	int *map;                     /* map of its actions to those of head */
	struct cscg_walk_line line;
	long next;           /* next step of the line to return */
	long episode, steps; /* of this walk: episodes ended, steps read */
	bool inside;         /* an episode has begun and not ended */
	bool ended;          /* the end line was read */
	bool done;           /* the end of input was seen */

	struct cscg_view_set views; /* views of the walk being read */
	int first;          /* number of its view 0 after renumbering */
	unsigned char *rgb; /* one frame */
	size_t cap_rgb;
	cscg_walk_frame_fn *on_frame; /* or NULL */
	void *ctx;
};

/* The header */

static const char *const head_keys[] = {
	"format",
	"version",
	"n_actions",
	"n_obs",
	"actions",
	"symbols",
	"frame",
	"priors",
	"history",
	NULL,
};

static int
header_from_json(json_t *obj, struct cscg_walk_header *head,
    struct cscg_err *err)
{
	if (cscg_json_check_format(obj, "cscg-walk", VERSION, err) < 0 ||
	    cscg_json_check_keys(obj, head_keys, err) < 0 ||
	    cscg_walk_alphabet_from_json(obj, head, err) < 0 ||
	    cscg_walk_frame_header_from_json(obj, head, err) < 0 ||
	    cscg_history_from_json(obj, &head->history, err) < 0)
		return -1;
	return 0;
}

/*
 * Check that a walk with header more can follow one with header head.  *map
 * (freed first, then new) maps its actions to those of head.
 */
static int
map_actions_to(const struct cscg_walk_header *head,
    const struct cscg_walk_header *more, int **map, struct cscg_err *err)
{
	int i;

	if (more->n_obs != head->n_obs)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "/n_obs: %d symbols, but the walk before has %d",
		    more->n_obs, head->n_obs);
	for (i = 0; i < head->symbols.n && i < more->symbols.n; i++)
		if (strcmp(head->symbols.v[i], more->symbols.v[i]))
			return cscg_fail(err, CSCG_EMISMATCH,
			    "/symbols/%d: '%s', but the walk before has '%s'",
			    i, more->symbols.v[i], head->symbols.v[i]);
	free(*map);
	*map = cscg_alloc((size_t)more->n_actions, sizeof **map, err);
	if (!*map)
		return -1;
	if (cscg_names_map(&more->actions, more->n_actions, &head->actions,
		head->n_actions, "action", *map, err) < 0)
		return cscg_fail_at(err, "/actions");
	return 0;
}

/*
 * Views are numbered consecutively if both have frames, and are equal if
 * neither has.
 */
static int
check_same_frames(const struct cscg_walk_header *head,
    const struct cscg_walk_header *more, struct cscg_err *err)
{
	if (memcmp(head->frame, more->frame, sizeof head->frame))
		return cscg_fail(err, CSCG_EMISMATCH,
		    "/frame: %d x %d pixels, but the walk before has %d x %d "
		    "(0: none)",
		    more->frame[0], more->frame[1], head->frame[0],
		    head->frame[1]);
	return 0;
}

/* A line of views */

static const char *const frame_keys[] = { "views", NULL };

/* Store the view in r->rgb. */
static int
accept_frame(struct cscg_walk_reader *r, int view, struct cscg_err *err)
{
	int rc = cscg_view_set_add(&r->views, view, err);

	if (rc == 0)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/views: view %d is defined twice", view);
	if (rc < 0)
		return -1;
	if (r->on_frame && r->on_frame(r->ctx, r->first + view, r->rgb, err))
		return -1;
	return 0;
}

static int
get_frames(struct cscg_walk_reader *r, json_t *obj, struct cscg_err *err)
{
	json_t *arr;
	size_t i;
	int view;

	if (cscg_json_check_keys(obj, frame_keys, err) < 0 ||
	    cscg_json_array(obj, "views", -1, &arr, err) < 0)
		return -1;
	if (!r->part.frame[0])
		return cscg_fail(err, CSCG_EFORMAT,
		    "/views: the header has no frame");
	for (i = 0; i < json_array_size(arr); i++)
		if (cscg_walk_frame_from_json(arr, i, &r->part, &view, r->rgb,
			err) < 0 ||
		    accept_frame(r, view, err) < 0)
			return -1;
	return 0;
}

/* Allocate a frame of the walk that begins, and number its views. */
static int
init_frames(struct cscg_walk_reader *r, struct cscg_err *err)
{
	if (r->part.frame[0] &&
	    r->first > INT_MAX - r->views.top - 1 - CSCG_VIEW_MAX)
		return cscg_fail(err, CSCG_ERANGE, "more than %d views",
		    INT_MAX - CSCG_VIEW_MAX);
	r->first = cscg_walk_reader_next_view(r);
	cscg_view_set_free(&r->views);
	if (cscg_mem_check(cscg_walk_frame_size(&r->part), 1, err) < 0)
		return cscg_fail_at(err, "/frame: %d x %d pixels",
		    r->part.frame[0], r->part.frame[1]);
	return cscg_grow(&r->rgb, &r->cap_rgb, cscg_walk_frame_size(&r->part),
	    1, err);
}

/* A line of steps */

static const char *const step_keys[] = {
	"episode",
	"x",
	"a",
	"z",
	"v",
	"reset",
	"r",
	"goal",
	"last",
	NULL,
};

static int
check_episode(const struct cscg_walk_reader *r, long e, struct cscg_err *err)
{
	if (e != r->episode && r->inside)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/episode: %ld, but episode %ld has not ended", e,
		    r->episode);
	if (e != r->episode)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/episode: %ld, but %ld is next", e, r->episode);
	return 0;
}

/* Views of a walk with frames must have been defined before. */
static int
check_views(const struct cscg_walk_reader *r, struct cscg_err *err)
{
	const struct cscg_walk_line *l = &r->line;
	long i;

	for (i = 0; l->has_view && r->part.frame[0] && i < l->n; i++)
		if (l->view[i] >= 0 &&
		    !cscg_view_set_has(&r->views, l->view[i]))
			return cscg_fail(err, CSCG_EFORMAT,
			    "/v/%ld: view %d has not been defined", i,
			    l->view[i]);
	return 0;
}

/* After a valid line: count its steps, and map its actions. */
static void
accept_line(struct cscg_walk_reader *r)
{
	struct cscg_walk_line *l = &r->line;
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
	struct cscg_walk_line *l = &r->line;

	if (cscg_json_check_keys(obj, step_keys, err) < 0 ||
	    cscg_json_long(obj, "episode", 0, INT_MAX - 1, &l->episode, err) <
		0 ||
	    check_episode(r, l->episode, err) < 0 ||
	    cscg_walk_line_from_json(obj, r->part.n_actions, r->part.n_obs, l,
		err) < 0 ||
	    check_views(r, err) < 0)
		return -1;
	accept_line(r);
	return 0;
}

static const char *const end_keys[] = { "end", "episodes", "steps", NULL };

static int
get_end(struct cscg_walk_reader *r, json_t *obj, struct cscg_err *err)
{
	long episodes, steps;
	bool end;

	if (cscg_json_check_keys(obj, end_keys, err) < 0 ||
	    cscg_json_bool(obj, "end", &end, err) < 0 ||
	    cscg_json_long(obj, "episodes", 0, LONG_MAX, &episodes, err) < 0 ||
	    cscg_json_long(obj, "steps", 0, LONG_MAX, &steps, err) < 0)
		return -1;
	if (!end)
		return cscg_fail(err, CSCG_EFORMAT, "/end: must be true");
	if (r->inside)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/end: episode %ld has not ended", r->episode);
	if (episodes != r->episode)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/episodes: %ld, but %ld were read", episodes, r->episode);
	if (steps != r->steps)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/steps: %ld, but %ld were read", steps, r->steps);
	r->ended = true;
	return 0;
}

/* A header after an end line. */
static int
get_next_header(struct cscg_walk_reader *r, json_t *obj, struct cscg_err *err)
{
	cscg_walk_header_free(&r->part);
	if (header_from_json(obj, &r->part, err) < 0 ||
	    map_actions_to(&r->head, &r->part, &r->map, err) < 0 ||
	    check_same_frames(&r->head, &r->part, err) < 0 ||
	    init_frames(r, err) < 0 ||
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
		return cscg_fail(err, CSCG_EFORMAT,
		    "only a header may follow the end line");
	if (r->ended)
		return get_next_header(r, obj, err);
	if (cscg_json_has(obj, "format"))
		return cscg_fail(err, CSCG_EFORMAT,
		    "a header before the end line of the walk before");
	if (cscg_json_has(obj, "end"))
		return get_end(r, obj, err);
	if (cscg_json_has(obj, "views"))
		return get_frames(r, obj, err);
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
		return cscg_json_fail_empty(r->in, "cscg-walk", err);
	rc = header_from_json(obj, &r->part, err);
	json_decref(obj);
	if (rc < 0)
		return cscg_json_fail_at(r->in, err);
	if (init_frames(r, err) < 0)
		return cscg_json_fail_at(r->in, err);
	return cscg_walk_header_copy(&r->head, &r->part, err);
}

struct cscg_walk_reader *
cscg_walk_reader_open_take(struct cscg_in *in, struct cscg_err *err)
{
	struct cscg_walk_reader *r = cscg_alloc(1, sizeof *r, err);

	if (!r) {
		cscg_in_close(in);
		return NULL;
	}
	r->in = in;
	if (read_head(r, err) < 0) {
		cscg_walk_reader_close(r);
		return NULL;
	}
	return r;
}

struct cscg_walk_reader *
cscg_walk_reader_open(const char *path, struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(path, err);

	return in ? cscg_walk_reader_open_take(in, err) : NULL;
}

const struct cscg_walk_header *
cscg_walk_reader_header(const struct cscg_walk_reader *r)
{
	return &r->head;
}

void
cscg_walk_reader_on_frame(struct cscg_walk_reader *r, int first,
    cscg_walk_frame_fn *fn, void *ctx)
{
	r->first = first;
	r->on_frame = fn;
	r->ctx = ctx;
}

int
cscg_walk_reader_next_view(const struct cscg_walk_reader *r)
{
	return r->first + r->views.top;
}

/* The next line that is not blank: 1, 0 at a clean end, -1. */
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

/*
 * Lines of steps in the writer's layout are parsed directly, others by
 * io/json_parse.
 */
static int
parse_line(struct cscg_walk_reader *r, const char *text, size_t len,
    struct cscg_err *err)
{
	json_t *obj;
	int rc = 0, view;

	if (!r->ended &&
	    cscg_walk_frame_parse_fast(text, len,
		cscg_walk_frame_size(&r->part), &view, r->rgb) > 0)
		return accept_frame(r, view, err);
	if (!r->ended)
		rc = cscg_walk_line_parse_fast(text, len, r->part.n_actions,
		    r->part.n_obs, &r->line, err);
	if (rc > 0) {
		rc = check_episode(r, r->line.episode, err);
		if (rc == 0)
			rc = check_views(r, err);
		if (rc == 0)
			accept_line(r);
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

/* Read lines until one has steps: 1, or 0 at the end, or -1. */
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
			return cscg_fail(err, CSCG_ECUT,
			    "%s: unexpected end of walk (no end line)",
			    cscg_in_name(r->in));
		if (rc == 0) {
			r->done = true;
			return 0;
		}
		if (parse_line(r, text, len, err) < 0) {
			r->line.n = 0;
			return cscg_json_fail_at(r->in, err);
		}
	}
	return 1;
}

int
cscg_walk_reader_next(struct cscg_walk_reader *r, struct cscg_step *step,
    struct cscg_err *err)
{
	const struct cscg_walk_line *l = &r->line;
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
	step->view = 0;
	if (l->has_view && l->view[i] >= 0)
		step->view = 1 + l->view[i] +
		    (r->part.frame[0] ? r->first : 0);
	return 1;
}

int
cscg_walk_reader_next_run(struct cscg_walk_reader *r,
    struct cscg_walk_run *run, struct cscg_err *err)
{
	const struct cscg_walk_line *l = &r->line;
	int rc;

	if (r->next >= l->n && (rc = refill(r, err)) <= 0)
		return rc;
	run->n = l->n - r->next;
	run->x = l->x + r->next;
	run->a = l->a + r->next;
	run->reset = l->has_reset ? l->reset + r->next : NULL;
	r->next = l->n;
	return 1;
}

bool
cscg_walk_reader_pending(const struct cscg_walk_reader *r)
{
	return r->next < r->line.n;
}

void
cscg_walk_reader_close(struct cscg_walk_reader *r)
{
	if (!r)
		return;
	cscg_in_close(r->in);
	cscg_walk_header_free(&r->head);
	cscg_walk_header_free(&r->part);
	cscg_walk_line_free(&r->line);
	cscg_view_set_free(&r->views);
	free(r->rgb);
	free(r->map);
	free(r);
}

/* The remaining steps of a line that has only x, a and z. */
static int
append_plain(struct cscg_walk *walk, struct cscg_walk_reader *r,
    const int *map, struct cscg_err *err)
{
	struct cscg_walk_line *l = &r->line;
	long i, from = r->next;

	for (i = from; map && i < l->n; i++)
		if (l->a[i] >= 0)
			l->a[i] = map[l->a[i]];
	r->next = l->n;
	return cscg_walk_add_plain(walk, l->x + from, l->a + from,
	    l->has_z ? l->z + from : NULL, l->n - from, err);
}

/* The next step, or all steps of a plain line: 1, 0 at the end, -1. */
static int
append_next(struct cscg_walk *walk, struct cscg_walk_reader *r, const int *map,
    bool drop_views, struct cscg_err *err)
{
	const struct cscg_walk_line *l = &r->line;
	struct cscg_step step;
	int rc;

	if (r->next >= l->n && (rc = refill(r, err)) <= 0)
		return rc;
	if (!l->has_reset && !l->has_r && !l->has_goal && !l->has_view &&
	    cscg_walk_is_plain(walk))
		return append_plain(walk, r, map, err) < 0 ? -1 : 1;
	rc = cscg_walk_reader_next(r, &step, err);
	if (rc <= 0)
		return rc;
	if (map && step.a >= 0)
		step.a = map[step.a];
	if (drop_views)
		step.view = 0;
	return cscg_walk_add(walk, &step, err) < 0 ? -1 : 1;
}

int
cscg_walk_append(struct cscg_walk **walk, struct cscg_walk_reader *r,
    struct cscg_err *err)
{
	bool drop_views = r->head.frame[0] && !r->on_frame;
	int *map = NULL, rc = -1;

	if (!*walk) {
		*walk = cscg_walk_new(&r->head, err);
		if (!*walk)
			goto out;
		if (drop_views)
			memset((*walk)->head.frame, 0,
			    sizeof(*walk)->head.frame);
	} else if (map_actions_to(&(*walk)->head, &r->head, &map, err) < 0 ||
	    (!drop_views &&
		check_same_frames(&(*walk)->head, &r->head, err) < 0)) {
		cscg_json_fail_at(r->in, err);
		goto out;
	}
	while ((rc = append_next(*walk, r, map, drop_views, err)) > 0)
		;
	/*
	 * Histories of consecutive walks in one file have been joined before.
	 */
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
		r = cscg_walk_reader_open(n ? paths[i] : "-", err);
		rc = r ? cscg_walk_append(&walk, r, err) : -1;
		cscg_walk_reader_close(r);
		if (rc < 0) {
			cscg_walk_free(walk);
			return NULL;
		}
	}
	return walk;
}

/*
 * walks as JSON Lines, streamed: the writer
 *
 * Steps are collected into lines of a thousand, or written one by one in live
 * mode.  Lines are printed directly rather than through Jansson: ten times as
 * fast for many small integers.
 */

enum {
	ITEM_MAX = CSCG_DECIMAL_REAL + 1, /* a number and its comma */
	SMALL = 1000, /* numbers below this are written from a table */
};

struct cscg_walk_writer {
	struct cscg_out *out;
	int n_actions, n_obs;
	size_t frame; /* bytes of a frame; 0: no frames */
	struct cscg_view_set views;
	struct cscg_walk_line line;
	char *text; /* of the line */
	size_t len, cap;
	char small[SMALL][4]; /* a comma and digits */
	struct cscg_decimal_cache rewards;
	long max; /* largest number of steps of a line */
	long episode, steps;
	bool inside;
};

static int
header_write(const struct cscg_walk_header *head, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_json_writer w = { .out = out, .digits = 17, .err = err };

	cscg_json_open(&w, NULL, '{');
	cscg_json_put_string(&w, "format", "cscg-walk");
	cscg_json_put_int(&w, "version", VERSION);
	cscg_walk_alphabet_write_json(&w, head);
	cscg_walk_frame_header_write_json(&w, head);
	cscg_history_write_json(&w, &head->history);
	cscg_json_close(&w, '}');
	return cscg_json_end(&w);
}

static void
format_reward(double r, char *buf, size_t size)
{
	snprintf(buf, size, "%.17g", r);
}

static void
init_numbers(struct cscg_walk_writer *w)
{
	int i;

	for (i = 0; i < SMALL; i++) {
		w->small[i][0] = ',';
		cscg_decimal_put(w->small[i] + 1, i);
	}
	w->rewards.format = format_reward;
}

struct cscg_walk_writer *
cscg_walk_writer_new(struct cscg_out *out, const struct cscg_walk_header *head,
    struct cscg_err *err)
{
	struct cscg_walk_writer *w = cscg_alloc(1, sizeof *w, err);

	if (!w)
		return NULL;
	w->out = out;
	w->n_actions = head->n_actions;
	w->n_obs = head->n_obs;
	w->frame = cscg_walk_frame_size(head);
	w->max = CSCG_WALK_LINE_STEPS;
	init_numbers(w);
	if (cscg_walk_line_reserve(&w->line, CSCG_WALK_LINE_STEPS, err) < 0 ||
	    header_write(head, out, err) < 0 || cscg_out_flush(out, err) < 0) {
		cscg_walk_writer_free(w);
		return NULL;
	}
	return w;
}

void
cscg_walk_writer_set_live(struct cscg_walk_writer *w, bool live)
{
	w->max = live ? 1 : CSCG_WALK_LINE_STEPS;
}

void
cscg_walk_writer_free(struct cscg_walk_writer *w)
{
	if (!w)
		return;
	cscg_walk_line_free(&w->line);
	cscg_view_set_free(&w->views);
	free(w->text);
	free(w);
}

/* Reserve space for a list of steps: each item takes at most ITEM_MAX bytes. */
static int
reserve_text(struct cscg_walk_writer *w, const struct cscg_walk_line *l,
    struct cscg_err *err)
{
	return cscg_grow(&w->text, &w->cap,
	    w->len + 64 + (size_t)l->n * ITEM_MAX, 1, err);
}

static void
append(struct cscg_walk_writer *w, const char *s)
{
	size_t n = strlen(s);

	memcpy(w->text + w->len, s, n);
	w->len += n;
}

static void
append_int(struct cscg_walk_writer *w, int v)
{
	w->len = (size_t)(cscg_decimal_put(w->text + w->len, v) - w->text);
}

/* Write n numbers, null for negative ones; each is preceded by a comma. */
static char *
put_ints(const struct cscg_walk_writer *w, char *to, const int *v, long n)
{
	long i;

	for (i = 0; i < n; i++) {
		if (v[i] >= 0 && v[i] < SMALL) {
			memcpy(to, w->small[v[i]], 4);
			to += 2 + (v[i] > 9) + (v[i] > 99);
		} else if (v[i] < 0) {
			memcpy(to, ",null", 5);
			to += 5;
		} else {
			*to++ = ',';
			to = cscg_decimal_put(to, v[i]);
		}
	}
	return to;
}

/* Write key, which ends with '[', and the list of n numbers. */
static int
append_ints(struct cscg_walk_writer *w, const struct cscg_walk_line *l,
    const char *key, const int *v, long n, struct cscg_err *err)
{
	char *start, *end;

	if (reserve_text(w, l, err) < 0)
		return -1;
	append(w, key);
	start = w->text + w->len - 1;
	end = put_ints(w, start, v, n);
	*start = '['; /* position of the comma before the first number */
	end += !n;
	*end++ = ']';
	w->len = (size_t)(end - w->text);
	return 0;
}

static int
append_resets(struct cscg_walk_writer *w, const struct cscg_walk_line *l,
    struct cscg_err *err)
{
	const char *comma = "";
	long i;

	if (reserve_text(w, l, err) < 0)
		return -1;
	append(w, ",\"reset\":[");
	for (i = 0; i < l->n; i++)
		if (l->reset[i]) {
			append(w, comma);
			append_int(w, (int)i);
			comma = ",";
		}
	append(w, "]");
	return 0;
}

static int
append_rewards(struct cscg_walk_writer *w, const struct cscg_walk_line *l,
    struct cscg_err *err)
{
	const double *r = l->r;
	char *to;
	long i;

	if (reserve_text(w, l, err) < 0)
		return -1;
	append(w, ",\"r\":[");
	for (i = 0; i < l->n; i++) {
		append(w, i ? "," : "");
		if (isnan(r[i])) {
			append(w, "null");
			continue;
		}
		to = cscg_decimal_put_real(&w->rewards, w->text + w->len,
		    r[i]);
		w->len = (size_t)(to - w->text);
	}
	append(w, "]");
	return 0;
}

/*
 * Write the line; the next one continues the episode, unless this is the last.
 */
static int
write_line(struct cscg_walk_writer *w, const struct cscg_walk_line *l,
    struct cscg_err *err)
{
	w->len = 0;
	if (reserve_text(w, l, err) < 0)
		return -1;
	append(w, "{\"episode\":");
	append_int(w, (int)w->episode);
	if (append_ints(w, l, ",\"x\":[", l->x, l->n, err) < 0 ||
	    append_ints(w, l, ",\"a\":[", l->a, l->n - l->last, err) < 0 ||
	    (l->has_z && append_ints(w, l, ",\"z\":[", l->z, l->n, err) < 0) ||
	    (l->has_view &&
		append_ints(w, l, ",\"v\":[", l->view, l->n, err) < 0) ||
	    (l->has_reset && append_resets(w, l, err) < 0) ||
	    (l->has_r && append_rewards(w, l, err) < 0) ||
	    (l->has_goal &&
		append_ints(w, l, ",\"goal\":[", l->goal, l->n, err) < 0) ||
	    reserve_text(w, l, err) < 0)
		return -1;
	append(w, l->last ? ",\"last\":true}\n" : "}\n");
	w->episode += l->last;
	if (cscg_out_write(w->out, w->text, w->len, err) < 0)
		return -1;
	return cscg_out_flush(w->out, err);
}

/* Write the collected steps. */
static int
write_steps(struct cscg_walk_writer *w, struct cscg_err *err)
{
	struct cscg_walk_line *l = &w->line;
	int rc = write_line(w, l, err);

	l->n = 0;
	l->last = l->has_z = l->has_reset = l->has_r = l->has_goal = false;
	l->has_view = false;
	return rc;
}

int
cscg_walk_write_frame(struct cscg_walk_writer *w, int view, const void *rgb,
    struct cscg_err *err)
{
	size_t chars = cscg_base64_length(w->frame);
	int rc;

	if (!w->frame || view < 0 || view >= CSCG_VIEW_MAX)
		return cscg_fail(err, CSCG_EBUG,
		    "view %d does not fit the walk", view);
	rc = cscg_view_set_add(&w->views, view, err);
	if (rc == 0)
		return cscg_fail(err, CSCG_EBUG, "view %d is defined twice",
		    view);
	w->len = 0;
	if (rc < 0 || cscg_grow(&w->text, &w->cap, chars + 64, 1, err) < 0)
		return -1;
	append(w, "{\"views\":[{\"id\":");
	append_int(w, view);
	append(w, ",\"rgb\":\"");
	cscg_base64_encode(rgb, w->frame, w->text + w->len);
	w->len += chars;
	append(w, "\"}]}\n");
	return cscg_out_write(w->out, w->text, w->len, err);
}

static bool
view_is_valid(const struct cscg_walk_writer *w, int view)
{
	return view >= 0 && view <= CSCG_VIEW_MAX &&
	    (!view || !w->frame || cscg_view_set_has(&w->views, view - 1));
}

int
cscg_walk_write_step(struct cscg_walk_writer *w, const struct cscg_step *step,
    struct cscg_err *err)
{
	struct cscg_walk_line *l = &w->line;
	long i = l->n;

	if (w->episode == INT_MAX - 1)
		return cscg_fail(err, CSCG_ERANGE, "more than %d episodes",
		    INT_MAX - 1);
	if (step->x < -1 || step->x >= w->n_obs || step->a < -1 ||
	    step->a >= w->n_actions || step->goal >= w->n_obs ||
	    isinf(step->r) || !view_is_valid(w, step->view))
		return cscg_fail(err, CSCG_EBUG,
		    "step %ld does not fit the walk: symbol %d of %d, action "
		    "%d of %d, goal %d, reward %g, view %d",
		    w->steps, step->x, w->n_obs, step->a, w->n_actions,
		    step->goal, step->r, step->view - 1);
	l->x[i] = step->x;
	l->a[i] = step->a;
	l->z[i] = step->z;
	l->goal[i] = step->goal;
	l->r[i] = step->r;
	l->reset[i] = step->reset;
	l->view[i] = step->view - 1;
	l->has_z |= step->z >= 0;
	l->has_goal |= step->goal >= 0;
	l->has_r |= !isnan(step->r);
	l->has_reset |= step->reset;
	l->has_view |= step->view > 0;
	l->last = step->a < 0;
	l->n++;
	w->steps++;
	w->inside = !l->last;
	if (l->last || l->n >= w->max)
		return write_steps(w, err);
	return 0;
}

int
cscg_walk_writer_finish(struct cscg_walk_writer *w, struct cscg_err *err)
{
	if (w->inside)
		return cscg_fail(err, CSCG_EBUG,
		    "episode %ld was not ended before the walk", w->episode);
	if (cscg_out_printf(w->out, err,
		"{\"end\":true,\"episodes\":%ld,"
		"\"steps\":%ld}\n",
		w->episode, w->steps) < 0)
		return -1;
	return cscg_out_flush(w->out, err);
}

/*
 * Whether steps t..t+n-1 of a plain walk, with last for the end, fit on one
 * line.
 */
static bool
is_line(const struct cscg_walk_writer *w, const struct cscg_walk *walk, long t,
    long n, bool last)
{
	const int *x = walk->x + t, *a = walk->a + t;
	bool bad = last && a[n - 1] != -1;
	long i;

	for (i = 0; i < n; i++)
		bad |= x[i] < -1 || x[i] >= w->n_obs || a[i] >= w->n_actions;
	for (i = 0; i < n - last; i++)
		bad |= a[i] < 0;
	return !bad && w->episode < INT_MAX - 1;
}

/* Write steps t..t+n-1 of a plain walk directly from its arrays. */
static int
write_plain(struct cscg_walk_writer *w, const struct cscg_walk *walk, long t,
    long n, bool last, struct cscg_err *err)
{
	struct cscg_walk_line l = {
		.n = n, .last = last, .x = walk->x + t, .a = walk->a + t
	};
	long i;

	if (walk->z) {
		l.z = walk->z + t;
		for (i = 0; i < n && !l.has_z; i++)
			l.has_z = l.z[i] >= 0;
	}
	w->steps += n;
	w->inside = !last;
	return write_line(w, &l, err);
}

/* Steps t..t+n-1, which end an episode if last is set. */
static int
write_block(struct cscg_walk_writer *w, const struct cscg_walk *walk, long t,
    long n, bool last, struct cscg_err *err)
{
	struct cscg_step step;
	long i;

	if (!w->line.n && cscg_walk_is_plain(walk) &&
	    is_line(w, walk, t, n, last))
		return write_plain(w, walk, t, n, last, err);
	for (i = t; i < t + n; i++) {
		cscg_walk_get_step(walk, i, &step);
		if (walk->head.frame[0])
			step.view = 0;
		if (cscg_walk_write_step(w, &step, err) < 0)
			return -1;
	}
	return 0;
}

int
cscg_walk_write(const struct cscg_walk *walk, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_walk_header head = walk->head; /* borrows from it */
	struct cscg_walk_writer *w;
	long t, n, end;
	int e, rc = 0;

	head.frame[0] = head.frame[1] = 0;
	w = cscg_walk_writer_new(out, &head, err);
	if (!w)
		return -1;
	for (e = 0, t = 0; t < walk->n_steps && rc == 0; t += n) {
		while (e < walk->n_episodes && t >= walk->start[e + 1])
			e++;
		/* Steps may follow the last complete episode. */
		end = e < walk->n_episodes ? walk->start[e + 1] :
					     walk->n_steps;
		n = end - t < w->max ? end - t : w->max;
		rc = write_block(w, walk, t, n,
		    e < walk->n_episodes && t + n == end, err);
	}
	if (rc == 0)
		rc = cscg_walk_writer_finish(w, err);
	cscg_walk_writer_free(w);
	return rc;
}
