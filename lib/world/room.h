/*
 * room.h - rooms: labelled transition graphs with coordinates and slip noise,
 * and their exact models
 *
 * The paper's G itself: nodes that emit an observation, and for every action
 * of every node a list of (next node, probability).
 *
 * What is always true of a room (cscg_room_check):
 *   - 1 <= n_nodes, n_actions, n_obs;  0 <= obs[v] < n_obs
 *   - out(a, v) = first[a * n_nodes + v] .. first[a * n_nodes + v + 1] - 1 is
 *     not empty, its targets ascend strictly and its probabilities are
 *     positive and sum to one (to 1e-9)
 *   - names are absent or as many as they name, and distinct
 *   - part and parts are both there or neither; -1 <= part[v] < parts.n
 *   - frontiers ascend strictly by node, then action
 */
#ifndef CSCG_ROOM_H
#define CSCG_ROOM_H

#include <stdbool.h>

#include "base/error.h"
#include "base/names.h"
#include "base/rng.h"
#include "core/graph.h"
#include "core/limits.h"
#include "io/history.h"

/* A move that leaves a room, or a part of one: by a door. */
struct cscg_room_frontier {
	int node, a;
};

struct cscg_room {
	char *name; /* "torus", for people; may be NULL */
	int n_nodes, n_actions, n_obs;
	int *obs;                  /* [n_nodes] */
	long *first;               /* [n_actions * n_nodes + 1] */
	int *to;                   /* [first[last]] */
	double *p;                 /* [first[last]] */
	double *coords;            /* [n_nodes * 2] row, column; or NULL */
	int rows, cols;            /* the grid it was cut from; 0: none */
	bool wrap_rows, wrap_cols; /* last row is next to the first; ... */
	int *part; /* [n_nodes] which of parts, -1: several; or NULL */
	struct cscg_names parts; /* the rooms it is put together from */
	struct cscg_room_frontier *frontier; /* [n_frontiers]; or NULL */
	long n_frontiers;
	struct cscg_voxel *voxel; /* its 3D geometry, or NULL: voxel.h */
	struct cscg_names actions, symbols;
	struct cscg_history history;
};

/* A room without edges: cscg_room_set_edges() comes next. */
struct cscg_room *cscg_room_new(int n_nodes, int n_actions, int n_obs,
    struct cscg_err *err);

/*
 * Fill first, to and p from n edges (action, node, next, probability); the
 * probabilities of equal (action, node, next) are added.  Replaces the edges
 * there were.
 */
struct cscg_edge {
	int a, from, to;
	double p;
};
int cscg_room_set_edges(struct cscg_room *room, const struct cscg_edge *e,
    long n, struct cscg_err *err);

/* -1 with err filled (CSCG_ERANGE, CSCG_EFORMAT) if a promise is broken. */
int cscg_room_check(const struct cscg_room *room, struct cscg_err *err);

/* One step: the next node, drawn. */
int cscg_room_step(const struct cscg_room *room, int node, int a,
    struct cscg_rng *rng);

/* New symbols for old: a random permutation of 0..n_obs-1 (names move along). */
int cscg_room_permute(struct cscg_room *room, struct cscg_rng *rng,
    struct cscg_err *err);

/*
 * Other symbols than the ones it has: one for each node, or one of k drawn for
 * each node.  Names of symbols go.
 */
void cscg_room_label_unique(struct cscg_room *room);
void cscg_room_label_random(struct cscg_room *room, int k,
    struct cscg_rng *rng);

/*
 * Renumber the actions and symbols of room as like has them: by name when both
 * have names, else by index.  Returns -1 with err filled (CSCG_EMISMATCH) if
 * there are more, fewer or others.
 */
int cscg_room_align(struct cscg_room *room, const struct cscg_room *like,
    struct cscg_err *err);

/*
 * Make moves fail: with probability p an action does not do what it did, but
 * stays put or does what either action perpendicular to it did, a third of p
 * each.  Returns -1 with err filled (CSCG_EMISMATCH) if the actions are not
 * up, down, left and right.
 */
int cscg_room_slip(struct cscg_room *room, double p, struct cscg_err *err);

/*
 * Mark the move a of node as a frontier; marking it twice is marking it once.
 * Both are in range.
 */
int cscg_room_add_frontier(struct cscg_room *room, int node, int a,
    struct cscg_err *err);

/* The node that move a of node v leads to for sure, or -1: it is uncertain. */
int cscg_room_successor(const struct cscg_room *room, int a, int v);

struct cscg_model;

/* Usual values for the exact schema. */
#define CSCG_ROOM_EDGE_COUNT 100
#define CSCG_ROOM_PSEUDOCOUNT 1e-4

/*
 * The exact schema: T from the true graph with count counts per (node, action)
 * spread by probability.  States are the nodes, sorted by symbol; node_of
 * (may be NULL, else room for n_nodes) tells which.  Grounded.
 */
struct cscg_model *cscg_room_model(const struct cscg_room *room, double count,
    double pseudocount, int *node_of, struct cscg_err *err);

/*
 * The moves of probability min_share or more, as a graph.  NULL with err filled
 * (CSCG_ENOMEM).  Borrows from room.
 */
struct cscg_graph *cscg_graph_of_room(const struct cscg_room *room,
    double min_share, struct cscg_err *err);

/* T of a room as cscg_model_to_dense() gives that of a model; free() it. */
double *cscg_room_to_dense(const struct cscg_room *room, struct cscg_err *err);

/*
 * a room put together from others: what all ways to do so share
 */

/*
 * Say of whole that it is made of the n rooms of from: its parts are named by
 * the names of the rooms ("part" for one without; "-2", "-3", ... is added
 * where a name would appear twice), all nodes belong to part 0, and the
 * histories of the rooms come before its own.  Returns 0, or -1 with err
 * filled.
 */
int cscg_room_init_parts(struct cscg_room *whole,
    const struct cscg_room *const *from, int n, struct cscg_err *err);

/* How many nodes belong to part k, or to several of them (k = -1)? */
int cscg_room_part_size(const struct cscg_room *whole, int k);

#endif
