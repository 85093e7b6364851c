/*
 * kmeans_ranks.c - k-means over ranks
 *
 * Every rank has all frames.  Starts are dealt out; one start alone has its
 * labels found by all ranks, each for its share of the frames.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/kmeans_ranks.h"
#include "base/mem.h"

/* A number that is not negative as one that compares alike. */
static int64_t
bits_of(double v)
{
	int64_t bits;

	memcpy(&bits, &v, sizeof bits);
	return bits;
}

int
cscg_kmeans_save(struct cscg_blob *b, const struct cscg_kmeans_best *best,
    long n, struct cscg_err *err)
{
	const struct cscg_codebook *book = best->book;
	size_t k = (size_t)book->k;

	return cscg_blob_write_long(b, best->restart, err) < 0 ||
	    cscg_blob_write_long(b, best->iterations, err) < 0 ||
	    cscg_blob_write_double(b, best->inertia, err) < 0 ||
	    cscg_blob_write_long(b, book->is_byte, err) < 0 ||
	    cscg_blob_write_double(b, book->sigma2, err) < 0 ||
	    cscg_blob_write(b, book->centroid, k * (size_t)book->dim *
	    sizeof *book->centroid, err) < 0 ||
	    cscg_blob_write(b, book->prior, k * sizeof *book->prior, err) < 0 ||
	    cscg_blob_write(b, book->count, k * sizeof *book->count, err) < 0 ||
	    cscg_blob_write(b, best->label, (size_t)n * sizeof *best->label,
	    err) < 0 ? -1 : 0;
}

int
cscg_kmeans_restore(struct cscg_blob *b, struct cscg_kmeans_best *best, long n,
    struct cscg_err *err)
{
	struct cscg_codebook *book = best->book;
	size_t k = (size_t)book->k;
	long is_byte;

	if (cscg_blob_read_long(b, 0, LONG_MAX, &best->restart, err) < 0 ||
	    cscg_blob_read_long(b, 0, LONG_MAX, &best->iterations, err) < 0 ||
	    cscg_blob_read_double(b, &best->inertia, err) < 0 ||
	    cscg_blob_read_long(b, 0, 1, &is_byte, err) < 0 ||
	    cscg_blob_read_double(b, &book->sigma2, err) < 0 ||
	    cscg_blob_read(b, book->centroid, k * (size_t)book->dim *
	    sizeof *book->centroid, err) < 0 ||
	    cscg_blob_read(b, book->prior, k * sizeof *book->prior, err) < 0 ||
	    cscg_blob_read(b, book->count, k * sizeof *book->count, err) < 0 ||
	    cscg_blob_read(b, best->label, (size_t)n * sizeof *best->label,
	    err) < 0)
		return -1;
	book->is_byte = is_byte;
	book->inertia = best->inertia;
	return 0;
}

int
cscg_kmeans_reduce(struct cscg_ranks *ranks, int rc,
    struct cscg_kmeans_best *best, long n, struct cscg_err *err)
{
	int size = cscg_ranks_size(ranks), rank = cscg_ranks_rank(ranks), i;
	struct cscg_blob mine = { 0 }, *all = NULL;
	int64_t lowest[2];

	if (size == 1)
		return rc;
	all = cscg_alloc((size_t)size, sizeof *all, err);
	if (cscg_ranks_agree(ranks, all ? rc : -1, 0, err) < 0) {
		free(all);
		return -1;
	}
	lowest[0] = -bits_of(best->inertia);
	cscg_ranks_max(ranks, lowest, 1);
	lowest[1] = bits_of(best->inertia) == -lowest[0] ? -best->restart :
	    INT64_MIN;
	cscg_ranks_max(ranks, lowest + 1, 1);
	rc = 0;
	if (rank && best->restart == -lowest[1])
		rc = cscg_kmeans_save(&mine, best, n, err);
	rc = cscg_ranks_agree(ranks, rc, 0, err);
	if (rc == 0)
		rc = cscg_ranks_gather(ranks, &mine, all, err);
	for (i = 1; rank == 0 && i < size && rc == 0; i++)
		if (all[i].n)
			rc = cscg_kmeans_restore(&all[i], best, n, err);
	for (i = 0; i < size; i++)
		cscg_blob_free(&all[i]);
	free(all);
	cscg_blob_free(&mine);
	return rc;
}

void
cscg_kmeans_share_labels(struct cscg_ranks *ranks, int *label, long n, long first,
    long last, int64_t *exchange)
{
	long i;

	memset(exchange, 0, (size_t)n * sizeof *exchange);
	for (i = first; i < last; i++)
		exchange[i] = label[i];
	cscg_ranks_sum(ranks, exchange, (size_t)n);
	for (i = 0; i < n; i++)
		label[i] = (int)exchange[i];
}
