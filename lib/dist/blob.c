/* blob.c - binary serialisation for ranks and checkpoints */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "dist/blob.h"
#include "base/mem.h"

void
cscg_blob_free(struct cscg_blob *b)
{
	free(b->p);
	*b = (struct cscg_blob){ 0 };
}

int
cscg_blob_write(struct cscg_blob *b, const void *v, size_t n,
    struct cscg_err *err)
{
	b->failed = b->failed ||
	    cscg_grow(&b->p, &b->cap, b->n + n, 1, err) < 0;
	if (b->failed)
		return -1;
	if (n)
		memcpy(b->p + b->n, v, n);
	b->n += n;
	return 0;
}

int
cscg_blob_write_long(struct cscg_blob *b, long v, struct cscg_err *err)
{
	int64_t i = v;

	return cscg_blob_write(b, &i, sizeof i, err);
}

int
cscg_blob_write_double(struct cscg_blob *b, double v, struct cscg_err *err)
{
	return cscg_blob_write(b, &v, sizeof v, err);
}

int
cscg_blob_write_array(struct cscg_blob *b, const void *v, size_t n,
    size_t size, struct cscg_err *err)
{
	cscg_blob_write_long(b, v ? (long)n : -1, err);
	return cscg_blob_write(b, v, v ? n * size : 0, err);
}

int
cscg_blob_write_string(struct cscg_blob *b, const char *s,
    struct cscg_err *err)
{
	return cscg_blob_write_array(b, s, s ? strlen(s) + 1 : 0, 1, err);
}

int
cscg_blob_write_blob(struct cscg_blob *b, const struct cscg_blob *in,
    struct cscg_err *err)
{
	return cscg_blob_write_array(b, in->p ? in->p : "", in->n, 1, err);
}

void
cscg_blob_rewind(struct cscg_blob *b)
{
	b->at = 0;
	b->failed = false;
}

/* Fail unless n items are there to be read. */
static int
need(struct cscg_blob *b, size_t n, size_t size, struct cscg_err *err)
{
	if (!b->failed && n > (b->n - b->at) / size) {
		b->failed = true;
		cscg_fail(err, CSCG_ECUT, "unexpected end at byte %zu", b->n);
	}
	return b->failed ? -1 : 0;
}

int
cscg_blob_read(struct cscg_blob *b, void *v, size_t n, struct cscg_err *err)
{
	if (need(b, n, 1, err) < 0) {
		memset(v, 0, n);
		return -1;
	}
	if (n)
		memcpy(v, b->p + b->at, n);
	b->at += n;
	return 0;
}

int
cscg_blob_read_long(struct cscg_blob *b, long lo, long hi, long *v,
    struct cscg_err *err)
{
	size_t at = b->at;
	int64_t i;

	*v = lo;
	if (cscg_blob_read(b, &i, sizeof i, err) < 0)
		return -1;
	if (i < lo || i > hi) {
		b->failed = true;
		return cscg_fail(err, CSCG_EFORMAT,
		    "byte %zu: %lld is outside %ld..%ld", at, (long long)i, lo,
		    hi);
	}
	*v = (long)i;
	return 0;
}

int
cscg_blob_read_double(struct cscg_blob *b, double *v, struct cscg_err *err)
{
	return cscg_blob_read(b, v, sizeof *v, err);
}

int
cscg_blob_read_array(struct cscg_blob *b, void *v, long *n, size_t size,
    struct cscg_err *err)
{
	void *items = NULL;
	size_t at = b->at;
	long have;

	if (cscg_blob_read_long(b, -1, LONG_MAX, &have, err) < 0)
		return -1;
	if (have >= 0 && *n >= 0 && have != *n) {
		b->failed = true;
		return cscg_fail(err, CSCG_EFORMAT,
		    "byte %zu: %ld items, not %ld", at, have, *n);
	}
	if (have >= 0) {
		if (need(b, (size_t)have, size, err) < 0)
			return -1;
		items = cscg_alloc((size_t)have, size, err);
		b->failed = !items;
		if (b->failed)
			return -1;
		cscg_blob_read(b, items, (size_t)have * size, err);
	}
	memcpy(v, &items, sizeof items);
	*n = have < 0 ? 0 : have;
	return 0;
}

int
cscg_blob_read_string(struct cscg_blob *b, char **s, struct cscg_err *err)
{
	size_t at = b->at;
	long n = -1;

	*s = NULL;
	if (cscg_blob_read_array(b, s, &n, 1, err) < 0)
		return -1;
	if (!*s || n < 1 || (*s)[n - 1]) {
		free(*s);
		*s = NULL;
		b->failed = true;
		return cscg_fail(err, CSCG_EFORMAT, "byte %zu: not a text",
		    at);
	}
	return 0;
}

int
cscg_blob_read_blob(struct cscg_blob *b, struct cscg_blob *out,
    struct cscg_err *err)
{
	long n = -1;

	*out = (struct cscg_blob){ 0 };
	out->failed = cscg_blob_read_array(b, &out->p, &n, 1, err) < 0;
	if (out->failed)
		return -1;
	out->n = out->cap = (size_t)n;
	return 0;
}

/* ---- models ---- */

int
cscg_blob_write_counts(struct cscg_blob *b, const struct cscg_model *m,
    struct cscg_err *err)
{
	size_t S = (size_t)m->n_states, rows = S * (size_t)m->n_actions;
	size_t n = (size_t)m->first[rows];

	cscg_blob_write_array(b, m->first, rows + 1, sizeof *m->first, err);
	cscg_blob_write_array(b, m->to, n, sizeof *m->to, err);
	cscg_blob_write_array(b, m->count, n, sizeof *m->count, err);
	return cscg_blob_write_array(b, m->pi, S, sizeof *m->pi, err);
}

int
cscg_blob_read_counts(struct cscg_blob *b, struct cscg_model *m,
    struct cscg_err *err)
{
	long S = m->n_states, rows = S * m->n_actions + 1, n = -1;
	struct cscg_model fresh = *m;
	int rc;

	fresh.first = NULL;
	fresh.to = NULL;
	fresh.count = fresh.pi = NULL;
	cscg_blob_read_array(b, &fresh.first, &rows, sizeof *fresh.first, err);
	cscg_blob_read_array(b, &fresh.to, &n, sizeof *fresh.to, err);
	cscg_blob_read_array(b, &fresh.count, &n, sizeof *fresh.count, err);
	rc = cscg_blob_read_array(b, &fresh.pi, &S, sizeof *fresh.pi, err);
	if (rc == 0 &&
	    (!fresh.first || !fresh.to || !fresh.count || fresh.first[0] ||
		fresh.first[rows - 1] != n))
		rc = cscg_fail(err, CSCG_EFORMAT, "no counts");
	fresh.learned = NULL; /* it assesses the old counts */
	if (rc == 0)
		rc = cscg_model_check(&fresh, err);
	if (rc == 0) {
		cscg_learned_free(m->learned);
		free(m->first);
		free(m->to);
		free(m->count);
		free(m->pi);
		*m = fresh;
		return 0;
	}
	free(fresh.first);
	free(fresh.to);
	free(fresh.count);
	free(fresh.pi);
	return -1;
}

int
cscg_blob_write_model(struct cscg_blob *b, const struct cscg_model *m,
    struct cscg_err *err)
{
	cscg_blob_write_long(b, m->n_states, err);
	cscg_blob_write_long(b, m->n_actions, err);
	cscg_blob_write_long(b, m->n_obs, err);
	cscg_blob_write_long(b, m->is_double, err);
	cscg_blob_write_double(b, m->pseudocount, err);
	cscg_blob_write_double(b, m->misread, err);
	cscg_blob_write_array(b, m->clone, (size_t)m->n_states,
	    sizeof *m->clone, err);
	return cscg_blob_write_counts(b, m, err);
}

static int
get_clones(struct cscg_blob *b, struct cscg_model *m, struct cscg_err *err)
{
	long n = m->n_states;
	int *clone = NULL;

	if (cscg_blob_read_array(b, &clone, &n, sizeof *clone, err) < 0)
		return -1;
	if (!clone)
		return cscg_fail(err, CSCG_EFORMAT, "no clones");
	free(m->clone);
	m->clone = clone;
	return 0;
}

struct cscg_model *
cscg_blob_read_model(struct cscg_blob *b, struct cscg_err *err)
{
	struct cscg_model *m;
	long states, actions, obs, is_double;
	double pseudocount, misread;

	cscg_blob_read_long(b, 1, CSCG_STATE_MAX, &states, err);
	cscg_blob_read_long(b, 1, INT_MAX, &actions, err);
	cscg_blob_read_long(b, 1, INT_MAX, &obs, err);
	cscg_blob_read_long(b, 0, 1, &is_double, err);
	cscg_blob_read_double(b, &pseudocount, err);
	if (cscg_blob_read_double(b, &misread, err) < 0)
		return NULL;
	if (cscg_mem_check((size_t)states * (size_t)actions, sizeof *m->first,
		err) < 0) {
		cscg_fail_at(err, "%ld states with %ld actions", states,
		    actions);
		return NULL;
	}
	m = cscg_model_new(CSCG_GROUNDED, (int)states, (int)actions, (int)obs,
	    err);
	if (!m)
		return NULL;
	m->is_double = is_double;
	m->pseudocount = pseudocount;
	m->misread = misread;
	if (get_clones(b, m, err) < 0 ||
	    cscg_blob_read_counts(b, m, err) < 0) {
		cscg_model_free(m);
		return NULL;
	}
	return m;
}
