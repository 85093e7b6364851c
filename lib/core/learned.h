/*
 * learned.h - assessment of a learned model: support, confidence of edges,
 * noise, and whether the map is likely wrong
 *
 * learn/assess.c computes it, cscg-model(5) defines the quantities.
 */
#ifndef CSCG_LEARNED_H
#define CSCG_LEARNED_H

#include <stdbool.h>

#include "base/error.h"

struct cscg_learned {
	long steps;      /* of the walk, at least 1 */
	double nats;     /* negative log-likelihood of the walk, per step */
	double left_out; /* the same if every transition is predicted from
	                    all others */
	long rows;       /* (state, action) pairs with transitions, ... */
	long supported;  /* ... those with a well-supported likeliest
	                    successor */
	double noise;    /* share of the transitions that are not the
	                    likeliest of their row */
	double mixed;    /* share of the transitions from rows without a main
	                    successor (0.75 of the transitions, or
	                    fewer by chance) */
	double memory;   /* nats per step gained by predicting from the
	                    previous state as well; 0 if the map is Markov */
	bool deterministic; /* every row has one successor */
	bool enough;        /* the first half of the walk gives the same
	                       graph */
	bool doubtful;      /* the map is likely wrong */
	long n_edges;
	double *edge; /* [n_edges] confidence of every edge, in the order of
	                 the counts of the model: 0..1 */
};

/* With n_edges edges of confidence 0.  NULL with err filled. */
struct cscg_learned *cscg_learned_new(long n_edges, struct cscg_err *err);
struct cscg_learned *cscg_learned_copy(const struct cscg_learned *l,
    struct cscg_err *err);
void cscg_learned_free(struct cscg_learned *l);

/*
 * Check the ranges above, for a model of n_edges edges: 0, or -1 with err
 * filled; positions are named as in the file, "/learned/rows".
 */
int cscg_learned_check(const struct cscg_learned *l, long n_edges,
    struct cscg_err *err);

#endif
