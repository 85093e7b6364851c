/*
 * kmeans_ranks.h - between kmeans.c and kmeans_ranks.c: k-means over ranks
 */
#ifndef CSCG_KMEANS_RANKS_H
#define CSCG_KMEANS_RANKS_H

#include "learn/kmeans.h"

/* The best start so far: -1 and INFINITY if there is none. */
struct cscg_kmeans_best {
	long restart, iterations;
	double inertia;
	struct cscg_codebook *book;	/* as that left it */
	int *label;
};

/*
 * All ranks call it with the best of their starts: rank 0 gets the best of
 * all, the first of equals.  rc < 0 with err filled says that one's own went
 * wrong; then it did for all.
 */
int cscg_kmeans_reduce(struct cscg_ranks *ranks, int rc,
    struct cscg_kmeans_best *best, long n, struct cscg_err *err);

/* A start as bytes, and back. */
int cscg_kmeans_save(struct cscg_blob *b, const struct cscg_kmeans_best *best,
    long n, struct cscg_err *err);
int cscg_kmeans_restore(struct cscg_blob *b, struct cscg_kmeans_best *best, long n,
    struct cscg_err *err);

/*
 * Labels of frames first..last-1 are this rank's: all get those of all.  wire
 * has room for n.
 */
void cscg_kmeans_share_labels(struct cscg_ranks *ranks, int *label, long n,
    long first, long last, int64_t *exchange);

#endif
