/*
 * room.h - rooms: labelled transition graphs with coordinates and slip noise,
 * and their exact models
 *
 * A room is the graph G of the paper: each node emits one observation, and
 * each action at each node has a list of (next node, probability).
 *
 * Invariants of a room (cscg_room_check):
 *   - 1 <= n_nodes, n_actions, n_obs;  0 <= obs[v] < n_obs
 *   - out(a, v) = first[a * n_nodes + v] .. first[a * n_nodes + v + 1] - 1 is
 *     not empty, its targets ascend strictly and its probabilities are
 *     positive and sum to one (to 1e-9)
 *   - names are absent, or distinct and one for each item
 *   - part and parts are both present or both absent; -1 <= part[v] < parts.n
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

struct cscg_room {
	char *name; /* "torus", for display; may be NULL */
	int n_nodes, n_actions, n_obs;
	int *obs;                  /* [n_nodes] */
	long *first;               /* [n_actions * n_nodes + 1] */
	int *to;                   /* [first[last]] */
	double *p;                 /* [first[last]] */
	double *coords;            /* [n_nodes * 2] row, column; or NULL */
	int rows, cols;            /* the grid it was cut from; 0: none */
	bool wrap_rows, wrap_cols; /* last row is next to the first; ... */
	int *part; /* [n_nodes] index into parts, -1: several; or NULL */
	struct cscg_names parts;        /* the rooms it is composed of */
	struct cscg_frontier *frontier; /* [n_frontiers]; or NULL */
	long n_frontiers;
	struct cscg_voxel *voxel; /* 3D geometry, or NULL: voxel.h */
	struct cscg_names actions, symbols;
	struct cscg_history history;
};

/* A room without edges, to be set by cscg_room_set_edges(). */
struct cscg_room *cscg_room_new(int n_nodes, int n_actions, int n_obs,
    struct cscg_err *err);

/*
 * Fill first, to and p from n edges (action, node, next, probability); the
 * probabilities of equal (action, node, next) are added.  Replaces the old
 * edges.
 */
struct cscg_edge {
	int a, from, to;
	double p;
};
int cscg_room_set_edges(struct cscg_room *room, const struct cscg_edge *e,
    long n, struct cscg_err *err);

/*
 * -1 with err filled (CSCG_ERANGE, CSCG_EFORMAT) if an invariant is violated.
 */
int cscg_room_check(const struct cscg_room *room, struct cscg_err *err);

/* Draw the next node from the transition distribution of (node, a). */
int cscg_room_step(const struct cscg_room *room, int node, int a,
    struct cscg_rng *rng);

/* Permute the symbols 0..n_obs-1 at random, with their names. */
int cscg_room_permute(struct cscg_room *room, struct cscg_rng *rng,
    struct cscg_err *err);

/*
 * Replace the symbols: a unique one for each node, or one of k drawn at random
 * for each node.  Names of symbols are dropped.
 */
void cscg_room_label_unique(struct cscg_room *room);

/*
 * Replace the symbols by wall patterns: bit a of the symbol is set if action a
 * does not change the node.  Returns -1 with err filled (CSCG_ERANGE) if the
 * room has too many actions for distinct symbols.
 */
int cscg_room_label_walls(struct cscg_room *room, struct cscg_err *err);
void cscg_room_label_random(struct cscg_room *room, int k,
    struct cscg_rng *rng);

/*
 * Renumber the actions and symbols of room to those of like: by name if both
 * have names, else by index.  Returns -1 with err filled (CSCG_EMISMATCH) if
 * numbers or names differ.
 */
int cscg_room_align(struct cscg_room *room, const struct cscg_room *like,
    struct cscg_err *err);

/*
 * Add transition noise (slip): with probability p an action is replaced by no
 * movement or by one of the two perpendicular actions, each with probability
 * p / 3.  Returns -1 with err filled (CSCG_EMISMATCH) if the actions are not
 * up, down, left and right.
 */
int cscg_room_slip(struct cscg_room *room, double p, struct cscg_err *err);

/*
 * Mark action a at node as a frontier; marking a frontier again has no effect.
 * The caller guarantees that both are in range.
 */
int cscg_room_add_frontier(struct cscg_room *room, int node, int a,
    struct cscg_err *err);

/* The successor of v under a if deterministic; -1 if stochastic. */
int cscg_room_successor(const struct cscg_room *room, int a, int v);

struct cscg_model;

/* Default values for the exact schema. */
#define CSCG_ROOM_EDGE_COUNT 100
#define CSCG_ROOM_PSEUDOCOUNT 1e-4

/*
 * The exact schema: T from the true graph with count counts per (node, action)
 * in proportion to the probabilities.  States are the nodes, sorted by symbol;
 * node_of[n_nodes] (may be NULL) is the node of each state.  The model is
 * grounded.
 */
struct cscg_model *cscg_room_model(const struct cscg_room *room, double count,
    double pseudocount, int *node_of, struct cscg_err *err);

/*
 * The transitions of probability min_share or more, as a graph.  NULL with err
 * filled (CSCG_ENOMEM).  Borrows from room.
 */
struct cscg_graph *cscg_graph_of_room(const struct cscg_room *room,
    double min_share, struct cscg_err *err);

/* T of a room as cscg_model_to_dense() gives that of a model; free() it. */
double *cscg_room_to_dense(const struct cscg_room *room, struct cscg_err *err);

/*
 * rooms composed of other rooms: common functions
 */

/*
 * Initialise the parts of whole from the n rooms of from: parts get the names
 * of the rooms ("part" for a room without name; duplicates get the suffix
 * "-2", "-3", ...), all nodes belong to part 0, and the histories of the rooms
 * precede that of whole.  Returns 0, or -1 with err filled.
 */
int cscg_room_init_parts(struct cscg_room *whole,
    const struct cscg_room *const *from, int n, struct cscg_err *err);

/* Number of nodes of part k, or of several parts (k = -1). */
int cscg_room_part_size(const struct cscg_room *whole, int k);

#endif
