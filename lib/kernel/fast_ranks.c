/*
 * fast_ranks.c - the fast engine over ranks, and as bytes
 *
 * What ranks have in common is the list of groups, so that their blocks are the
 * same, and the counts.  Both are whole numbers.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/fast.h"
#include "base/mem.h"

/* ---- groups ---- */

static int
by_key(const void *a, const void *b)
{
	const uint64_t *p = a, *q = b;

	return *p < *q ? -1 : *p > *q;
}

/* All the keys that ranks have told, ascending, each once. */
static int
merge_keys(const struct cscg_blob *all, int size, struct cscg_blob *to,
    struct cscg_err *err)
{
	uint64_t *key;
	size_t n, i, k = 0;
	int r;

	for (r = 0; r < size; r++)
		if (cscg_blob_write(to, all[r].p, all[r].n, err) < 0)
			return -1;
	key = (uint64_t *)(void *)to->p;
	n = to->n / sizeof *key;
	if (n)
		qsort(key, n, sizeof *key, by_key);
	for (i = 0; i < n; i++)
		if (!i || key[i] != key[i - 1])
			key[k++] = key[i];
	to->n = k * sizeof *key;
	return 0;
}

/* The groups of all ranks in place of those of this one, which are freed. */
static uint64_t *
gather_keys(struct cscg_ranks *ranks, uint64_t *key, size_t *n,
    struct cscg_err *err)
{
	int size = cscg_ranks_size(ranks), i, rc;
	struct cscg_blob mine = { 0 }, both = { 0 }, *all = NULL;
	uint64_t *out = NULL;

	if (size == 1)
		return key;
	all = cscg_alloc((size_t)size, sizeof *all, err);
	rc = key && all ? cscg_blob_write(&mine, key, *n * sizeof *key, err) : -1;
	if (cscg_ranks_agree(ranks, rc, 0, err) < 0 ||
	    cscg_ranks_gather(ranks, &mine, all, err) < 0)
		goto out;
	rc = cscg_ranks_rank(ranks) ? 0 : merge_keys(all, size, &both, err);
	if (cscg_ranks_agree(ranks, rc, 0, err) < 0 ||
	    cscg_ranks_bcast_blob(ranks, &both, err) < 0)
		goto out;
	*n = both.n / sizeof *out;
	out = cscg_copy(both.p, *n, sizeof *out, err);
out:
	for (i = 0; all && i < size; i++)
		cscg_blob_free(&all[i]);
	free(all);
	cscg_blob_free(&mine);
	cscg_blob_free(&both);
	free(key);
	return out;
}

struct cscg_pack *
cscg_blocked_pack(const struct cscg_blocked *f, struct cscg_err *err)
{
	struct cscg_pack *p = NULL;
	int64_t *count = NULL;
	size_t n = 0;
	uint64_t *key = gather_keys(f->ranks, cscg_pack_keys(f->w, &n, err), &n,
	    err);
	int g;

	if (key)
		p = cscg_pack_take(f->w, f->clones, f->simd->width, key, n,
		    err);
	if (p)
		count = cscg_alloc((size_t)p->n_groups, sizeof *count, err);
	if (cscg_ranks_agree(f->ranks, count ? 0 : -1, 0, err) < 0) {
		cscg_pack_free(p);
		p = NULL;
	}
	for (g = 0; p && g < p->n_groups; g++)
		count[g] = p->group[g].n;
	if (p)
		cscg_ranks_sum(f->ranks, count, (size_t)p->n_groups);
	for (g = 0; p && g < p->n_groups; g++)
		p->group[g].n = (long)count[g];
	free(count);
	return p;
}

/* ---- counts ---- */

/* Zeros for the vectors of the next counts that are not there. */
static void
clear_missing(struct cscg_blocked *f, const struct cscg_pack_group *q,
    const uint64_t *live)
{
	uint32_t width = (uint32_t)f->pack->width, j, c;

	for (j = 0; q->max_bundles && j < q->rows; j++)
		for (c = 0; c < q->cols_pad / width; c++)
			if (!(live[q->live + j] >> c & 1))
				memset(f->counts + q->block + (size_t)j *
				    q->cols_pad + c * width, 0,
				    width * sizeof *f->counts);
}

/* This rank's counts of group g, ready to be added to those of others. */
static void
make_rank_counts(struct cscg_blocked *f, long g)
{
	const struct cscg_pack *p = f->pack;
	const struct cscg_pack_group *q = &p->group[g];

	if (p->piece_of[g] == p->piece_of[g + 1]) {
		cscg_blocked_set_live(f, q, !!f->block[2 * g].dense, f->live_next);
		memset(f->counts + q->block, 0, (size_t)q->rows *
		    q->cols_pad * sizeof *f->counts);
		return;
	}
	if (!f->low_memory)
		cscg_blocked_count_group(f, (int)g);
	clear_missing(f, q, f->live_next);
}

void
cscg_blocked_add_ranks(struct cscg_blocked *f)
{
	const struct cscg_pack *p = f->pack;

	cscg_blocked_parallel(f, p->n_groups, make_rank_counts);
	cscg_ranks_or(f->ranks, f->live_next, p->n_live);
	cscg_ranks_sum(f->ranks, f->counts, p->n_block);
	cscg_ranks_sum(f->ranks, f->start, (size_t)f->S);
	memcpy(f->live, f->live_next, p->n_live * sizeof *f->live);
	f->pending = false;
	cscg_blocked_sum_misses(f);	/* save() cannot ask the others */
}

/* ---- as bytes: whole numbers, so that nothing is lost ---- */

int
cscg_blocked_save(struct cscg_estep *e, struct cscg_blob *to, struct cscg_err *err)
{
	struct cscg_blocked *f = (struct cscg_blocked *)e;
	const struct cscg_pack *p = f->pack;
	int g;

	cscg_blocked_finish_counts(f);
	for (g = 0; g < p->n_groups; g++)
		clear_missing(f, &p->group[g], f->live);
	if (cscg_ranks_size(f->ranks) == 1)
		cscg_blocked_sum_misses(f);
	if (cscg_blob_write_long(to, f->passes, err) < 0 ||
	    cscg_blob_write_long(to, (long)f->all_misses, err) < 0 ||
	    cscg_blob_write_array(to, f->pi_d, (size_t)f->S, sizeof *f->pi_d,
	    err) < 0 ||
	    cscg_blob_write_array(to, f->live, p->n_live, sizeof *f->live,
	    err) < 0)
		return -1;
	return cscg_blob_write_array(to, f->counts, p->n_block,
	    sizeof *f->counts, err);
}

int
cscg_blocked_restore(struct cscg_estep *e, struct cscg_blob *from, struct cscg_err *err)
{
	struct cscg_blocked *f = (struct cscg_blocked *)e;
	const struct cscg_pack *p = f->pack;
	long n[3] = { f->S, (long)p->n_live, (long)p->n_block }, missed;
	uint64_t *live = NULL;
	int64_t *counts = NULL;
	double *pi = NULL;
	int rc = -1;

	if (cscg_blob_read_long(from, 0, LONG_MAX, &f->passes, err) < 0 ||
	    cscg_blob_read_long(from, 0, LONG_MAX, &missed, err) < 0 ||
	    cscg_blob_read_array(from, &pi, &n[0], sizeof *pi, err) < 0 ||
	    cscg_blob_read_array(from, &live, &n[1], sizeof *live, err) < 0 ||
	    cscg_blob_read_array(from, &counts, &n[2], sizeof *counts, err) < 0)
		goto out;
	if (!pi || !live || !counts) {
		cscg_fail(err, CSCG_EFORMAT, "no counts");
		goto out;
	}
	f->misses = cscg_ranks_rank(f->ranks) ? 0 : missed;
	memcpy(f->pi_d, pi, (size_t)f->S * sizeof *pi);
	memcpy(f->live, live, p->n_live * sizeof *live);
	memcpy(f->counts, counts, p->n_block * sizeof *counts);
	memset(f->rest, 0, (size_t)f->A * (size_t)f->S * sizeof *f->rest);
	f->as_loaded = f->pending = false;
	f->unit = ldexp(1, -f->bits);
	cscg_blocked_set_pi(f);
	rc = 0;
out:
	free(pi);
	free(live);
	free(counts);
	return rc;
}
