/*
 * walk_frame_io.c - the frames of a walk
 *
 * A frame is some ten thousand characters, and a noisy walk has one for every
 * step.  Jansson looks at each of them several times, so lines as our writer
 * spells them are decoded where they stand.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/base64.h"
#include "io/json.h"
#include "base/mem.h"
#include "core/walk_frame.h"

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
cscg_walk_frame_parse_fast(const char *text, size_t len, size_t size, int *view,
    unsigned char *rgb)
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
cscg_walk_frame_from_json(json_t *views, size_t i, const struct cscg_walk_header *head,
    int *view, unsigned char *rgb, struct cscg_err *err)
{
	json_t *obj = json_array_get(views, i), *text;
	size_t len, fault, size = cscg_walk_frame_size(head);
	long got;

	if (!json_is_object(obj))
		return cscg_fail(err, CSCG_EFORMAT, "/views/%zu: not an "
		    "object", i);
	if (cscg_json_check_keys(obj, view_keys, err) < 0 ||
	    cscg_json_int(obj, "id", 0, CSCG_VIEW_MAX - 1, view, err) < 0)
		return cscg_fail_at(err, "/views/%zu", i);
	text = json_object_get(obj, "rgb");
	if (!json_is_string(text))
		return cscg_fail(err, CSCG_EFORMAT, "/views/%zu/rgb: %s", i,
		    text ? "not a string" : "missing");
	len = json_string_length(text);
	if (len != cscg_base64_length(size))
		return cscg_fail(err, CSCG_EFORMAT, "/views/%zu/rgb: %zu "
		    "characters, but a frame of %d x %d pixels has %zu", i, len,
		    head->frame[0], head->frame[1], cscg_base64_length(size));
	got = cscg_base64_decode(json_string_value(text), len, rgb, &fault);
	if (got >= 0 && got != (long)size)
		return cscg_fail(err, CSCG_EFORMAT, "/views/%zu/rgb: %ld "
		    "bytes, but a frame of %d x %d pixels has %zu", i, got,
		    head->frame[0], head->frame[1], size);
	if (got < 0)
		return cscg_fail(err, CSCG_EFORMAT, "/views/%zu/rgb: character "
		    "%zu is not base64", i, fault);
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
		return cscg_fail(err, CSCG_ERANGE, "/priors: sums to %g, not 1",
		    sum);
	return 0;
}

int
cscg_walk_frame_header_from_json(json_t *obj, struct cscg_walk_header *head, struct cscg_err *err)
{
	json_t *arr;
	int v[3];

	if (cscg_json_has(obj, "frame")) {
		if (cscg_json_array(obj, "frame", 3, &arr, err) < 0 ||
		    cscg_json_ints(arr, "/frame", 1, CSCG_FRAME_SIDE_MAX, false, v,
		    err) < 0)
			return -1;
		if (v[2] != 3)
			return cscg_fail(err, CSCG_ERANGE, "/frame/2: %d "
			    "channels, but only 3 (red, green, blue) are read",
			    v[2]);
		head->frame[0] = v[0];
		head->frame[1] = v[1];
	}
	return get_priors(obj, head, err);
}

int
cscg_walk_frame_header_to_json(json_t *obj, const struct cscg_walk_header *head,
    struct cscg_err *err)
{
	int v[3] = { head->frame[0], head->frame[1], 3 };

	if (v[0] && cscg_json_set(obj, "frame", cscg_json_new_ints(v, 3,
	    false), err) < 0)
		return -1;
	if (head->n_priors == head->n_obs && head->priors)
		return cscg_json_set(obj, "priors", cscg_json_new_doubles(
		    head->priors, head->n_obs), err);
	return 0;
}
