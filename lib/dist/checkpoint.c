/*
 * checkpoint.c - checkpoint files of long jobs: written atomically, checked
 * against the inputs
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dist/checkpoint.h"
#include "base/mem.h"
#include "io/stream.h"

static const char magic[] = "cscg-checkpoint 1\n";
static const uint64_t byte_order = 0x0102030405060708;

struct entry {
	char *name;
	struct cscg_blob b;
};

struct cscg_checkpoint {
	struct cscg_checkpoint_options set;
	char *options;
	long steps;
	bool changed, invalid;
	struct entry *entry;
	size_t n, cap;
};

struct cscg_checkpoint *
cscg_checkpoint_new(const struct cscg_checkpoint_options *set,
    struct cscg_err *err)
{
	struct cscg_checkpoint *c = cscg_alloc(1, sizeof *c, err);

	if (!c)
		return NULL;
	c->set = *set;
	c->options = cscg_copy(set->options, strlen(set->options) + 1, 1, err);
	if (!c->options) {
		free(c);
		return NULL;
	}
	return c;
}

static void
clear_entries(struct cscg_checkpoint *c)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		free(c->entry[i].name);
		cscg_blob_free(&c->entry[i].b);
	}
	c->n = 0;
}

void
cscg_checkpoint_free(struct cscg_checkpoint *c)
{
	if (!c)
		return;
	clear_entries(c);
	free(c->entry);
	free(c->options);
	free(c);
}

long
cscg_checkpoint_next_id(struct cscg_checkpoint *c)
{
	return c ? c->steps++ : 0;
}

static struct entry *
find(const struct cscg_checkpoint *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (!strcmp(c->entry[i].name, name))
			return &c->entry[i];
	return NULL;
}

struct cscg_blob *
cscg_checkpoint_get(struct cscg_checkpoint *c, const char *name)
{
	struct entry *e = c ? find(c, name) : NULL;

	if (!e)
		return NULL;
	cscg_blob_rewind(&e->b);
	return &e->b;
}

int
cscg_checkpoint_take(struct cscg_checkpoint *c, const char *name,
    struct cscg_blob *b, struct cscg_err *err)
{
	struct entry *e = find(c, name);

	if (!e) {
		if (cscg_grow(&c->entry, &c->cap, c->n + 1, sizeof *e, err) <
		    0)
			return -1;
		e = &c->entry[c->n];
		*e = (struct entry){ .name = cscg_copy(name, strlen(name) + 1,
					 1, err) };
		if (!e->name)
			return -1;
		c->n++;
	}
	cscg_blob_free(&e->b);
	e->b = *b;
	*b = (struct cscg_blob){ 0 };
	c->changed = true;
	return 0;
}

void
cscg_checkpoint_drop(struct cscg_checkpoint *c, const char *name)
{
	struct entry *e = c ? find(c, name) : NULL;

	if (!e)
		return;
	free(e->name);
	cscg_blob_free(&e->b);
	*e = c->entry[--c->n];
	c->changed = true;
}

void
cscg_checkpoint_invalidate(struct cscg_checkpoint *c)
{
	if (c)
		c->invalid = true;
}

bool
cscg_checkpoint_due(const struct cscg_checkpoint *c, long n)
{
	return c && !c->invalid &&
	    ((c->set.every && n % c->set.every == 0) ||
		(c->set.requested && c->set.requested(c->set.ctx)));
}

int
cscg_checkpoint_save(struct cscg_checkpoint *c, struct cscg_err *err)
{
	if (!c || c->invalid ||
	    (!c->changed &&
		!(c->set.requested && c->set.requested(c->set.ctx))))
		return 0;
	c->changed = false;
	return c->set.write(c->set.ctx, err);
}

void
cscg_checkpoint_hold(struct cscg_checkpoint *c, bool on)
{
	if (c && c->set.hold)
		c->set.hold(c->set.ctx, on);
}

/* ---- files ---- */

int
cscg_checkpoint_write(const struct cscg_checkpoint *c, const char *path,
    struct cscg_err *err)
{
	struct cscg_out *out = cscg_out_open(path, CSCG_OUT_GZIP, err);
	struct cscg_blob b = { 0 };
	size_t i;
	int rc = 0;

	if (!out)
		return -1;
	/*
	 * Small items are copied into one buffer, large ones are written
	 * directly.
	 */
	cscg_blob_write(&b, magic, sizeof magic - 1, err);
	cscg_blob_write(&b, &byte_order, sizeof byte_order, err);
	cscg_blob_write_string(&b, c->options, err);
	cscg_blob_write(&b, &c->set.input, sizeof c->set.input, err);
	cscg_blob_write_long(&b, (long)c->n, err);
	for (i = 0; i < c->n && rc == 0; i++) {
		const struct entry *e = &c->entry[i];

		cscg_blob_write_string(&b, e->name, err);
		rc = cscg_blob_write_long(&b, (long)e->b.n, err) < 0 ||
			cscg_out_write(out, b.p, b.n, err) < 0 ||
			cscg_out_write(out, e->b.p, e->b.n, err) < 0 ?
		    -1 :
		    0;
		b.n = 0;
	}
	if (rc == 0)
		rc = b.failed ? -1 : cscg_out_write(out, b.p, b.n, err);
	cscg_blob_free(&b);
	if (rc == 0)
		return cscg_out_close(out, err);
	cscg_out_abort(out);
	return -1;
}

/* All bytes of a file, inflated. */
static int
read_bytes(const char *path, struct cscg_blob *b, struct cscg_err *err)
{
	enum { CHUNK = 1 << 20 };
	struct cscg_in *in = cscg_in_open(path, err);
	long n = in ? 1 : -1;

	while (n > 0) {
		n = -1;
		if (cscg_grow(&b->p, &b->cap, b->n + CHUNK, 1, err) < 0)
			break;
		n = cscg_in_read(in, b->p + b->n, CHUNK, err);
		if (n > 0)
			b->n += (size_t)n;
	}
	cscg_in_close(in);
	return (int)n;
}

/* Check that the file is a checkpoint of this job. */
static int
check_head(const struct cscg_checkpoint *c, struct cscg_blob *b,
    struct cscg_err *err)
{
	char word[sizeof magic - 1], *options = NULL;
	uint64_t order, input;
	int rc;

	if (cscg_blob_read(b, word, sizeof word, err) < 0 ||
	    memcmp(word, magic, sizeof word))
		return cscg_fail(err, CSCG_EFORMAT,
		    "not a checkpoint of this version");
	if (cscg_blob_read(b, &order, sizeof order, err) < 0)
		return -1;
	if (order != byte_order)
		return cscg_fail(err, CSCG_EFORMAT,
		    "a checkpoint of a machine with other integer sizes or "
		    "byte order");
	cscg_blob_read_string(b, &options, err);
	if (cscg_blob_read(b, &input, sizeof input, err) < 0) {
		free(options);
		return -1;
	}
	rc = 0;
	if (strcmp(options, c->options))
		rc = cscg_fail(err, CSCG_EMISMATCH,
		    "the checkpoint belongs to other options: %s", options);
	else if (input != c->set.input)
		rc = cscg_fail(err, CSCG_EMISMATCH,
		    "the checkpoint belongs to other input");
	free(options);
	return rc;
}

static int
get_entries(struct cscg_checkpoint *c, struct cscg_blob *b,
    struct cscg_err *err)
{
	struct cscg_blob one = { 0 };
	char *name = NULL;
	long n;
	int rc = cscg_blob_read_long(b, 0, LONG_MAX, &n, err);

	for (; n > 0 && rc == 0; n--) {
		cscg_blob_read_string(b, &name, err);
		rc = cscg_blob_read_blob(b, &one, err);
		if (rc == 0)
			rc = cscg_checkpoint_take(c, name, &one, err);
		cscg_blob_free(&one);
		free(name);
	}
	if (rc == 0 && b->at < b->n)
		rc = cscg_fail(err, CSCG_EFORMAT,
		    "byte %zu: garbage after the end", b->at);
	return rc;
}

int
cscg_checkpoint_read(struct cscg_checkpoint *c, const char *path,
    struct cscg_err *err)
{
	struct cscg_blob b = { 0 };
	int rc;

	if (access(path, F_OK) < 0)
		return 0;
	if (read_bytes(path, &b, err) < 0) {
		cscg_blob_free(&b);
		return -1;
	}
	clear_entries(c);
	rc = check_head(c, &b, err);
	if (rc == 0)
		rc = get_entries(c, &b, err);
	cscg_blob_free(&b);
	return rc < 0 ? cscg_fail_at(err, "'%s'", path) : 1;
}

/* ---- digests ---- */

/* SplitMix64 over 8-byte words and the remaining bytes. */
uint64_t
cscg_digest(uint64_t h, const void *v, size_t n)
{
	const unsigned char *p = v;
	uint64_t word;
	size_t some;

	h ^= n;
	for (; n; n -= some, p += some) {
		some = n < sizeof word ? n : sizeof word;
		word = 0;
		memcpy(&word, p, some);
		h = (h ^ word) + 0x9e3779b97f4a7c15;
		h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9;
		h = (h ^ h >> 27) * 0x94d049bb133111eb;
		h ^= h >> 31;
	}
	return h;
}

static uint64_t
digest_names(uint64_t h, const struct cscg_names *names)
{
	int i;

	h = cscg_digest(h, &names->n, sizeof names->n);
	for (i = 0; i < names->n; i++)
		h = cscg_digest(h, names->v[i], strlen(names->v[i]));
	return h;
}

uint64_t
cscg_digest_walk(uint64_t h, const struct cscg_walk *w)
{
	size_t n = (size_t)w->n_steps;

	h = cscg_digest(h, &w->head.n_actions, sizeof w->head.n_actions);
	h = cscg_digest(h, &w->head.n_obs, sizeof w->head.n_obs);
	h = digest_names(h, &w->head.actions);
	h = digest_names(h, &w->head.symbols);
	h = cscg_digest(h, w->x, n * sizeof *w->x);
	h = cscg_digest(h, w->a, n * sizeof *w->a);
	return w->reset ? cscg_digest(h, w->reset, n) : h;
}

uint64_t
cscg_digest_model(uint64_t h, const struct cscg_model *m)
{
	size_t S = (size_t)m->n_states, rows = S * (size_t)m->n_actions;
	size_t n = (size_t)m->first[rows];

	h = cscg_digest(h, &m->n_states, sizeof m->n_states);
	h = cscg_digest(h, &m->n_actions, sizeof m->n_actions);
	h = cscg_digest(h, &m->n_obs, sizeof m->n_obs);
	if (m->clone)
		h = cscg_digest(h, m->clone, S * sizeof *m->clone);
	h = cscg_digest(h, m->first, (rows + 1) * sizeof *m->first);
	h = cscg_digest(h, m->to, n * sizeof *m->to);
	h = cscg_digest(h, m->count, n * sizeof *m->count);
	return m->pi ? cscg_digest(h, m->pi, S * sizeof *m->pi) : h;
}
