/*
 * walk_put.c - walks as JSON Lines, streamed: the writer
 *
 * Steps are gathered to a line of a thousand, or written one by one when
 * somebody is waiting for them.  Lines are spelt here and not by Jansson: the
 * numbers are many and simple, and it is ten times as fast.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/base64.h"
#include "io/json.h"
#include "base/mem.h"
#include "core/walk_frame.h"
#include "core/walk_io.h"
#include "core/walk_line.h"

enum {
	VERSION = 1,
	ITEM_MAX = 32		/* bytes a number and its comma take */
};

struct cscg_walk_writer {
	struct cscg_out *out;
	int n_actions, n_obs;
	size_t frame;		/* bytes of one; 0: there are none */
	struct cscg_view_set views;
	struct cscg_walk_line line;
	char *text;		/* of the line */
	size_t len, cap;
	long max;		/* steps a line may have */
	long episode, steps;
	bool inside;
};

static int
header_write(const struct cscg_walk_header *head, struct cscg_out *out,
    struct cscg_err *err)
{
	json_t *obj = json_object();

	if (cscg_json_set(obj, "format", json_string("cscg-walk"), err) < 0 ||
	    cscg_json_set(obj, "version", json_integer(VERSION), err) < 0 ||
	    cscg_json_set(obj, "n_actions", json_integer(head->n_actions),
	    err) < 0 ||
	    cscg_json_set(obj, "n_obs", json_integer(head->n_obs), err) < 0 ||
	    (head->actions.n && cscg_json_set(obj, "actions",
	    cscg_json_new_names(&head->actions), err) < 0) ||
	    (head->symbols.n && cscg_json_set(obj, "symbols",
	    cscg_json_new_names(&head->symbols), err) < 0) ||
	    cscg_walk_frame_header_to_json(obj, head, err) < 0 ||
	    cscg_history_to_json(obj, &head->history, err) < 0) {
		json_decref(obj);
		return -1;
	}
	return cscg_json_write(obj, 17, out, err);
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

/* Room for a list of steps: each item takes at most ITEM_MAX bytes. */
static int
reserve_text(struct cscg_walk_writer *w, struct cscg_err *err)
{
	return cscg_grow(&w->text, &w->cap, w->len + 64 +
	    (size_t)w->line.n * ITEM_MAX, 1, err);
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
	char digits[12];
	int n = 0;

	if (v < 0) {
		append(w, "null");
		return;
	}
	do {
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	while (n)
		w->text[w->len++] = digits[--n];
}

/* key, then the list of n numbers, null for negative ones. */
static int
append_ints(struct cscg_walk_writer *w, const char *key, const int *v, long n,
    struct cscg_err *err)
{
	long i;

	if (reserve_text(w, err) < 0)
		return -1;
	append(w, key);
	for (i = 0; i < n; i++) {
		if (i)
			w->text[w->len++] = ',';
		append_int(w, v[i]);
	}
	w->text[w->len++] = ']';
	return 0;
}

static int
append_resets(struct cscg_walk_writer *w, struct cscg_err *err)
{
	const char *comma = "";
	long i;

	if (reserve_text(w, err) < 0)
		return -1;
	append(w, ",\"reset\":[");
	for (i = 0; i < w->line.n; i++)
		if (w->line.reset[i]) {
			append(w, comma);
			append_int(w, (int)i);
			comma = ",";
		}
	append(w, "]");
	return 0;
}

static int
append_rewards(struct cscg_walk_writer *w, struct cscg_err *err)
{
	char number[ITEM_MAX];
	double r;
	long i;

	if (reserve_text(w, err) < 0)
		return -1;
	append(w, ",\"r\":[");
	for (i = 0; i < w->line.n; i++) {
		r = w->line.r[i];
		if (isnan(r))
			snprintf(number, sizeof number, "null");
		else
			snprintf(number, sizeof number, "%.17g", r);
		append(w, i ? "," : "");
		append(w, number);
	}
	append(w, "]");
	return 0;
}

static int
write_line(struct cscg_walk_writer *w, struct cscg_err *err)
{
	struct cscg_walk_line *l = &w->line;

	w->len = 0;
	if (reserve_text(w, err) < 0)
		return -1;
	append(w, "{\"episode\":");
	append_int(w, (int)w->episode);
	if (append_ints(w, ",\"x\":[", l->x, l->n, err) < 0 ||
	    append_ints(w, ",\"a\":[", l->a, l->n - l->last, err) < 0 ||
	    (l->has_z && append_ints(w, ",\"z\":[", l->z, l->n, err) < 0) ||
	    (l->has_view && append_ints(w, ",\"v\":[", l->view, l->n, err) < 0) ||
	    (l->has_reset && append_resets(w, err) < 0) ||
	    (l->has_r && append_rewards(w, err) < 0) ||
	    (l->has_goal && append_ints(w, ",\"goal\":[", l->goal, l->n,
	    err) < 0) || reserve_text(w, err) < 0)
		return -1;
	append(w, l->last ? ",\"last\":true}\n" : "}\n");
	w->episode += l->last;
	l->n = 0;
	l->last = l->has_z = l->has_reset = l->has_r = l->has_goal = false;
	l->has_view = false;
	if (cscg_out_write(w->out, w->text, w->len, err) < 0)
		return -1;
	return cscg_out_flush(w->out, err);
}

int
cscg_walk_write_frame(struct cscg_walk_writer *w, int view, const void *rgb,
    struct cscg_err *err)
{
	size_t chars = cscg_base64_length(w->frame);
	int rc;

	if (!w->frame || view < 0 || view >= CSCG_VIEW_MAX)
		return cscg_fail(err, CSCG_EBUG, "view %d does not fit the "
		    "walk", view);
	rc = cscg_view_set_add(&w->views, view, err);
	if (rc == 0)
		return cscg_fail(err, CSCG_EBUG, "view %d is shown twice",
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
		return cscg_fail(err, CSCG_EBUG, "step %ld does not fit the "
		    "walk: symbol %d of %d, action %d of %d, goal %d, reward "
		    "%g, view %d", w->steps, step->x, w->n_obs, step->a,
		    w->n_actions, step->goal, step->r, step->view - 1);
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
		return write_line(w, err);
	return 0;
}

int
cscg_walk_writer_finish(struct cscg_walk_writer *w, struct cscg_err *err)
{
	if (w->inside)
		return cscg_fail(err, CSCG_EBUG, "episode %ld was not ended "
		    "before the walk", w->episode);
	if (cscg_out_printf(w->out, err, "{\"end\":true,\"episodes\":%ld,"
	    "\"steps\":%ld}\n", w->episode, w->steps) < 0)
		return -1;
	return cscg_out_flush(w->out, err);
}

int
cscg_walk_write(const struct cscg_walk *walk, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_walk_header head = walk->head;	/* borrows from it */
	struct cscg_walk_writer *w;
	struct cscg_step step;
	int rc = 0;
	long t;

	head.frame[0] = head.frame[1] = 0;
	w = cscg_walk_writer_new(out, &head, err);
	if (!w)
		return -1;
	for (t = 0; t < walk->n_steps && rc == 0; t++) {
		cscg_walk_get_step(walk, t, &step);
		if (walk->head.frame[0])
			step.view = 0;
		rc = cscg_walk_write_step(w, &step, err);
	}
	if (rc == 0)
		rc = cscg_walk_writer_finish(w, err);
	cscg_walk_writer_free(w);
	return rc;
}
