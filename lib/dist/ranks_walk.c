/*
 * ranks_walk.c - walk files read once and shared among ranks
 *
 * Rank 0 reads the header of the first file, with which the others must agree,
 * and broadcasts it.  Files are assigned to ranks in their order, about the
 * same number of bytes to each rank; their steps are gathered on rank 0, which
 * concatenates them.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "dist/ranks_walk.h"
#include "core/walk_io.h"

/* ---- serialisation ---- */

static int
write_names(struct cscg_blob *b, const struct cscg_names *names,
    struct cscg_err *err)
{
	int i, rc = cscg_blob_write_long(b, names->n, err);

	for (i = 0; i < names->n; i++)
		rc = cscg_blob_write_string(b, names->v[i], err);
	return rc;
}

static int
read_names(struct cscg_blob *b, struct cscg_names *names, struct cscg_err *err)
{
	char *text;
	long n, i;
	int rc = cscg_blob_read_long(b, 0, INT_MAX, &n, err);

	for (i = 0; i < n && rc == 0; i++) {
		rc = cscg_blob_read_string(b, &text, err);
		if (rc == 0)
			rc = cscg_names_add(names, text, err);
		free(text);
	}
	return rc;
}

static int
write_header(struct cscg_blob *b, const struct cscg_walk_header *head,
    struct cscg_err *err)
{
	cscg_blob_write_long(b, head->n_actions, err);
	cscg_blob_write_long(b, head->n_obs, err);
	write_names(b, &head->actions, err);
	return write_names(b, &head->symbols, err);
}

static int
read_header(struct cscg_blob *b, struct cscg_walk_header *head,
    struct cscg_err *err)
{
	long actions, obs;

	*head = (struct cscg_walk_header){ 0 };
	cscg_blob_read_long(b, 1, INT_MAX, &actions, err);
	cscg_blob_read_long(b, 1, INT_MAX, &obs, err);
	head->n_actions = (int)actions;
	head->n_obs = (int)obs;
	if (read_names(b, &head->actions, err) == 0 &&
	    read_names(b, &head->symbols, err) == 0)
		return 0;
	cscg_walk_header_free(head);
	return -1;
}

int
cscg_blob_write_walk(struct cscg_blob *b, const struct cscg_walk *w, long from,
    long to, struct cscg_err *err)
{
	size_t n = (size_t)(to - from);

	write_header(b, &w->head, err);
	cscg_blob_write_long(b, (long)n, err);
	if (n) {
		cscg_blob_write(b, w->x + from, n * sizeof *w->x, err);
		cscg_blob_write(b, w->a + from, n * sizeof *w->a, err);
	}
	return cscg_blob_write_array(b, w->reset ? w->reset + from : NULL, n,
	    1, err);
}

/* Allocate n steps in w. */
static int
alloc_steps(struct cscg_walk *w, long n, bool reset, struct cscg_err *err)
{
	w->x = cscg_alloc((size_t)n, sizeof *w->x, err);
	w->a = cscg_alloc((size_t)n, sizeof *w->a, err);
	w->reset = reset ? cscg_alloc((size_t)n, 1, err) : NULL;
	if (!w->x || !w->a || (reset && !w->reset))
		return -1;
	w->cap = (size_t)n;
	w->cap_reset = reset ? (size_t)n : 0;
	return 0;
}

/* Recompute the episodes from the steps. */
static int
set_starts(struct cscg_walk *w, struct cscg_err *err)
{
	long t;

	w->n_episodes = 0;
	for (t = 0; t < w->n_steps; t++) {
		if (w->a[t] >= 0)
			continue;
		if (cscg_grow(&w->start, &w->cap_start,
			(size_t)w->n_episodes + 2, sizeof *w->start, err) < 0)
			return -1;
		w->start[++w->n_episodes] = t + 1;
	}
	return 0;
}

static int
get_steps(struct cscg_blob *b, struct cscg_walk *w, struct cscg_err *err)
{
	unsigned char *reset = NULL;
	long n, again;

	cscg_blob_read_long(b, 0, LONG_MAX / 16, &n, err);
	again = n;
	if (alloc_steps(w, n, false, err) < 0)
		return -1;
	cscg_blob_read(b, w->x, (size_t)n * sizeof *w->x, err);
	cscg_blob_read(b, w->a, (size_t)n * sizeof *w->a, err);
	if (cscg_blob_read_array(b, &reset, &again, 1, err) < 0)
		return -1;
	w->reset = reset;
	w->cap_reset = reset ? (size_t)n : 0;
	w->n_steps = n;
	return set_starts(w, err);
}

struct cscg_walk *
cscg_blob_read_walk(struct cscg_blob *b, struct cscg_err *err)
{
	struct cscg_walk_header head;
	struct cscg_walk *w;

	if (read_header(b, &head, err) < 0)
		return NULL;
	w = cscg_walk_new(&head, err);
	cscg_walk_header_free(&head);
	if (w && get_steps(b, w, err) < 0) {
		cscg_walk_free(w);
		w = NULL;
	}
	return w;
}

/* ---- reading ---- */

/* Data of the collective read. */
struct reading {
	struct cscg_ranks *ranks;
	char *const *paths;
	int n;
	int *owner; /* [n] */
	struct cscg_walk *
	    *walk; /* [n] the files of this rank; on rank 0, at the end, all */
	struct cscg_walk_header head; /* of the first file, without history */
	struct cscg_walk_reader *first; /* rank 0: the first file */
};

/* Estimated size of a file in bytes. */
static double
size_of(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && stat(path, &st) == 0 ?
	    (double)st.st_size + 1 :
	    1;
}

/* Assign files to ranks so that the bytes are shared evenly. */
static void
assign_files(struct reading *g)
{
	int size = cscg_ranks_size(g->ranks), i;
	double total = 0, before = 0;

	for (i = 0; i < g->n; i++)
		total += size_of(g->paths[i]);
	for (i = 0; i < g->n; i++) {
		g->owner[i] = (int)(before / total * size);
		/* A file may grow between the two calls. */
		if (!strcmp(g->paths[i], "-") || g->owner[i] >= size)
			g->owner[i] = 0;
		before += size_of(g->paths[i]);
	}
}

/* The header that all files must agree with. */
static int
share_header(struct reading *g, struct cscg_err *err)
{
	struct cscg_blob b = { 0 };
	int rc = 0;

	if (cscg_ranks_rank(g->ranks) == 0) {
		g->first = cscg_walk_reader_open(g->paths[0], err);
		rc = g->first ?
		    write_header(&b, cscg_walk_reader_header(g->first), err) :
		    -1;
	}
	if (cscg_ranks_agree(g->ranks, rc, 0, err) < 0)
		return -1;
	rc = cscg_ranks_bcast_blob(g->ranks, &b, err);
	if (rc == 0)
		rc = cscg_ranks_agree(g->ranks, read_header(&b, &g->head, err),
		    0, err);
	cscg_blob_free(&b);
	return rc;
}

static int
read_one(struct reading *g, int i, struct cscg_err *err)
{
	struct cscg_walk_reader *r = i ?
	    cscg_walk_reader_open(g->paths[i], err) :
	    g->first;
	int rc = -1;

	if (!i)
		g->first = NULL;
	if (!r)
		return -1;
	g->walk[i] = cscg_walk_new(&g->head, err);
	if (g->walk[i])
		rc = cscg_walk_append(&g->walk[i], r, err);
	cscg_walk_reader_close(r);
	return rc;
}

/* The files of this rank as one blob: number, steps, history. */
static int
pack_files(const struct reading *g, struct cscg_blob *b, struct cscg_err *err)
{
	const struct cscg_history *h;
	int i, k;

	for (i = 0; i < g->n; i++) {
		if (!g->walk[i])
			continue;
		h = &g->walk[i]->head.history;
		cscg_blob_write_long(b, i, err);
		cscg_blob_write_walk(b, g->walk[i], 0, g->walk[i]->n_steps,
		    err);
		cscg_blob_write_long(b, h->n, err);
		for (k = 0; k < h->n; k++)
			cscg_blob_write_string(b, h->entry[k], err);
	}
	return b->failed ? -1 : 0;
}

static int
get_history(struct cscg_blob *b, struct cscg_history *h, struct cscg_err *err)
{
	long n, i;

	cscg_blob_read_long(b, 0, INT_MAX, &n, err);
	h->entry = cscg_alloc((size_t)n, sizeof *h->entry, err);
	for (i = 0; h->entry && i < n; i++)
		h->n += cscg_blob_read_string(b, &h->entry[i], err) == 0;
	return h->entry && !b->failed ? 0 : -1;
}

/* Decode the files that another rank has read. */
static int
unpack_files(struct reading *g, struct cscg_blob *b, struct cscg_err *err)
{
	long i;

	while (b->at < b->n) {
		if (cscg_blob_read_long(b, 0, g->n - 1, &i, err) < 0)
			return -1;
		g->walk[i] = cscg_blob_read_walk(b, err);
		if (!g->walk[i] ||
		    get_history(b, &g->walk[i]->head.history, err) < 0)
			return -1;
	}
	return 0;
}

/* Append the steps of part to w, which has the capacity. */
static void
append_steps(struct cscg_walk *w, const struct cscg_walk *part)
{
	size_t n = (size_t)part->n_steps;

	if (!n)
		return;
	memcpy(w->x + w->n_steps, part->x, n * sizeof *w->x);
	memcpy(w->a + w->n_steps, part->a, n * sizeof *w->a);
	if (part->reset)
		memcpy(w->reset + w->n_steps, part->reset, n);
	w->n_steps += part->n_steps;
}

/* Concatenate all files into one walk; each is freed once it is copied. */
static struct cscg_walk *
concatenate(struct reading *g, struct cscg_err *err)
{
	struct cscg_walk *w = cscg_walk_new(&g->head, err);
	bool reset = false;
	long steps = 0;
	int i;

	for (i = 0; i < g->n; i++) {
		steps += g->walk[i]->n_steps;
		reset |= g->walk[i]->reset != NULL;
	}
	if (!w || alloc_steps(w, steps, reset, err) < 0)
		goto fail;
	for (i = 0; i < g->n; i++) {
		append_steps(w, g->walk[i]);
		if (cscg_history_join(&w->head.history,
			&g->walk[i]->head.history, err) < 0)
			goto fail;
		cscg_walk_free(g->walk[i]);
		g->walk[i] = NULL;
	}
	if (set_starts(w, err) == 0)
		return w;
fail:
	cscg_walk_free(w);
	return NULL;
}

/* Gather the files of the other ranks on rank 0. */
static struct cscg_walk *
gather_walks(struct reading *g, struct cscg_err *err)
{
	int size = cscg_ranks_size(g->ranks), rank = cscg_ranks_rank(g->ranks);
	struct cscg_blob mine = { 0 },
			 *all = cscg_alloc((size_t)size, sizeof *all, err);
	struct cscg_walk *w = NULL;
	int i, rc;

	rc = all ? 0 : -1;
	if (rc == 0 && rank)
		rc = pack_files(g, &mine, err);
	if (cscg_ranks_agree(g->ranks, rc, 0, err) < 0 ||
	    cscg_ranks_gather(g->ranks, &mine, all, err) < 0)
		goto out;
	for (i = 1; rank == 0 && i < size && rc == 0; i++) {
		rc = unpack_files(g, &all[i], err);
		cscg_blob_free(&all[i]);
	}
	if (rc == 0)
		w = rank ? cscg_walk_new(&g->head, err) : concatenate(g, err);
	if (cscg_ranks_agree(g->ranks, w ? 0 : -1, 0, err) < 0) {
		cscg_walk_free(w);
		w = NULL;
	}
out:
	for (i = 0; all && i < size; i++)
		cscg_blob_free(&all[i]);
	free(all);
	cscg_blob_free(&mine);
	return w;
}

static struct cscg_walk *
read_all(struct reading *g, struct cscg_err *err)
{
	int i, rc = 0, rank = cscg_ranks_rank(g->ranks);

	g->owner = cscg_alloc((size_t)g->n, sizeof *g->owner, err);
	g->walk = cscg_alloc((size_t)g->n, sizeof *g->walk, err);
	if (cscg_ranks_agree(g->ranks, g->owner && g->walk ? 0 : -1, 0, err) <
	    0)
		return NULL;
	if (rank == 0)
		assign_files(g);
	cscg_ranks_bcast(g->ranks, g->owner, (size_t)g->n * sizeof *g->owner);
	if (share_header(g, err) < 0)
		return NULL;
	for (i = 0; i < g->n; i++)
		if (g->owner[i] == rank && (rc = read_one(g, i, err)) < 0)
			break;
	if (cscg_ranks_agree(g->ranks, rc, i, err) < 0)
		return NULL;
	return gather_walks(g, err);
}

struct cscg_walk *
cscg_ranks_walk_read(struct cscg_ranks *r, char *const *paths, int n,
    struct cscg_err *err)
{
	char *const standard_input[] = { (char *)"-" };
	struct reading g = {
		.ranks = r, .paths = n ? paths : standard_input, .n = n ? n : 1
	};
	struct cscg_walk *w;
	int i;

	if (cscg_ranks_size(r) == 1)
		return cscg_walk_read(paths, n, err);
	w = read_all(&g, err);
	for (i = 0; g.walk && i < g.n; i++)
		cscg_walk_free(g.walk[i]);
	cscg_walk_reader_close(g.first);
	cscg_walk_header_free(&g.head);
	free(g.owner);
	free(g.walk);
	return w;
}
