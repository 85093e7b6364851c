/*
 * match.h - log-likelihoods of several schemas on a walk, and their posterior
 * (softmax)
 *
 * Steps are processed one by one and results are returned as rows.  Every few
 * steps of an episode, a row holds the log-likelihood of the observations so
 * far (or in a sliding window) under each schema, and the posterior and ranks
 * derived from it.  The scoring method is replaceable.
 */
#ifndef CSCG_MATCH_H
#define CSCG_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "dist/ranks.h"
#include "schema/bind.h"
#include "schema/track.h"

/*
 * A scoring method.  An episode object of one schema evaluates parts of the
 * walk: growing prefixes, or windows from left to right.
 *
 * Threads share tables.  Each episode object is used by one thread at a time.
 * On failure, functions that return a pointer give NULL and those that return
 * an int give -1, with err filled.
 */
struct cscg_match_score {
	const char *name;

	/* The tables of schema m, which is borrowed; close accepts NULL. */
	void *(*open)(const void *set, const struct cscg_model *m,
	    struct cscg_err *err);
	void (*close)(void *tables);

	/* An episode over n_obs symbols; key selects its random streams. */
	void *(*begin_episode)(void *tables, int n_obs, uint64_t key,
	    struct cscg_err *err);
	void (*end_episode)(void *episode); /* accepts NULL */

	/*
	 * log P(view) in nats, total; -INFINITY is a valid result.  The view
	 * has one episode, and its actions are numbered as the schema's.
	 */
	int (*evaluate)(void *episode, const struct cscg_walk *view,
	    int threads, double *loglik, struct cscg_err *err);

	/*
	 * Whether an episode object carries state from one evaluation to the
	 * next: then one object makes all evaluations of the episode in order;
	 * otherwise each evaluation has a new object.
	 */
	bool (*is_stateful)(const void *set);

	/*
	 * Evaluates prefixes step by step, so that the walk need not be
	 * stored; NULL: prefixes are evaluated by evaluate().  The agent took
	 * action a and observed x (-1: no action, no observation).  *loglik
	 * covers all steps since begin_episode().
	 */
	int (*step)(void *episode, int a, int x, double *loglik,
	    struct cscg_err *err);
};

/*
 * "em", the paper's score: bind the schema to the observations and take the
 * likelihood under the resulting E.  Its set is a struct
 * cscg_match_em_options.
 */
extern const struct cscg_match_score cscg_match_score_em;

struct cscg_match_em_options {
	struct cscg_bind bind;          /* tr and report stay NULL */
	struct cscg_bind_starts starts; /* key and threads are ignored */
	bool keep_best; /* the best E of the evaluation before is an additional
	                   start, and every evaluation draws new random starts,
	                   so that optima once found are not lost */
};

/*
 * "track": the marginal likelihood over bindings of clone groups to symbols
 * (track.h).  Its set is a struct cscg_track_options.
 */
extern const struct cscg_match_score cscg_match_score_track;

/* The scores of all schemas at one prefix or window. */
struct cscg_match_row {
	long episode;         /* from 0, over all walks */
	long step;            /* steps of the prefix, or the label of the
	                         window: the number of a step, from 1 */
	long length;          /* steps that were scored */
	long n_starts;        /* number of starts in these steps: 1, and 1 for
	                         each reset */
	int node;             /* the true node at that step, or -1 */
	int n, best;          /* schemas; the one of rank 1 */
	const double *loglik; /* [n] natural log, total */
	const double *posterior; /* [n] softmax of loglik */
	const int *rank;         /* [n] 1 is best; ties: the lower index
	                            first */
};

struct cscg_match_options {
	const struct cscg_match_score *score;
	const void *score_set;    /* borrowed */
	bool by_clones;           /* whether schemas may differ only in
	                             clones */
	int threads;              /* rows do not depend on it */
	struct cscg_ranks *ranks; /* processes that divide the scoring among
	                             them, or NULL.  All ranks read the same
	                             walk and return the same rows.  Not with
	                             end_episode */
	long every;  /* a row after each multiple of this number of steps, and
	                at the end of an episode; with a window: stride.  0: in
	                proportion to the length, at steps 5, 10 .. 50, 60 ..
	                100, 120 .. 200, 250 .. 500, 600 .. */
	long window; /* 0: prefixes */

	/* Called for each row, in order; -1 with err filled stops. */
	int (*row)(void *ctx, const struct cscg_match_row *row,
	    struct cscg_err *err);
	void *ctx;

	/*
	 * If not NULL: called at the end of each episode of a score that has
	 * step() or is stateful, after the last row, with the best schema of
	 * that row, as it was passed to cscg_match_take_schema(), and the
	 * score's episode object.
	 */
	int (*end_episode)(void *end_ctx, const struct cscg_model *m,
	    const void *episode, struct cscg_err *err);
	void *end_ctx;
};

struct cscg_match;

struct cscg_match *cscg_match_new(const struct cscg_match_options *set,
    struct cscg_err *err);
void cscg_match_free(struct cscg_match *match);

/* Whether the scoring of any rank failed; the same on all ranks. */
bool cscg_match_rank_failed(const struct cscg_match *match);

/*
 * Add a schema, before the first walk; emissions of m are not used.  Takes
 * ownership of m, also on failure: CSCG_EMISMATCH if m equals a schema added
 * before.
 */
int cscg_match_take_schema(struct cscg_match *match, const char *name,
    struct cscg_model *m, struct cscg_err *err);

/*
 * Begin a walk with this header; its actions are matched with those of each
 * schema.  May be called again between two episodes.  -1 with err filled:
 * CSCG_EMISMATCH (a schema lacks an action; too many symbols to hold E),
 * CSCG_ENOMEM.
 */
int cscg_match_begin_walk(struct cscg_match *match,
    const struct cscg_walk_header *head, struct cscg_err *err);

/*
 * Process the next step of the walk, in the numbering of the header.  more:
 * another step is available; rows may then be delayed and computed together.
 * -1 with err filled: CSCG_ERANGE (an episode shorter than the window), or an
 * error of score or row.
 */
int cscg_match_step(struct cscg_match *match, const struct cscg_step *step,
    bool more, struct cscg_err *err);

#endif
