/*
 * match.h - log-likelihoods of several schemas on a walk, and their posterior
 * (softmax)
 *
 * Steps go in one by one, rows come out: at every few steps of an episode the
 * log-likelihood of what was seen so far (or in a window that slides along)
 * under each schema, and what follows from it.  How a schema is scored is a
 * part that can be replaced.
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
 * A way to score.  An episode of one schema is an object that looks at parts of
 * the walk: growing prefixes, or windows from left to right.
 *
 * Threads share tables.  Each episode object is used by one thread at a time.
 * Functions that return a pointer or an int give NULL or -1 with err filled.
 */
struct cscg_match_score {
	const char *name;

	/* The tables of schema m, which is borrowed; close accepts NULL. */
	void *(*open)(const void *set, const struct cscg_model *m,
	    struct cscg_err *err);
	void (*close)(void *tables);

	/* An episode over n_obs symbols; key is that of its random streams. */
	void *(*begin_episode)(void *tables, int n_obs, uint64_t key,
	    struct cscg_err *err);
	void (*end_episode)(void *episode); /* accepts NULL */

	/*
	 * log P(view) in nats, the total: -INFINITY is an answer.  The view has
	 * one episode and its actions are the schema's.
	 */
	int (*evaluate)(void *episode, const struct cscg_walk *view,
	    int threads, double *loglik, struct cscg_err *err);

	/*
	 * Does an episode remember?  Then all its looks are made by one object
	 * in their order; otherwise each is made by one of its own.
	 */
	bool (*is_stateful)(const void *set);

	/*
	 * Prefixes step by step, so that the walk need not be held; or NULL: by
	 * looks.  Action a led to where x is seen (-1: none did, nothing is);
	 * *loglik is of all since begin.
	 */
	int (*step)(void *episode, int a, int x, double *loglik,
	    struct cscg_err *err);
};

/*
 * "em", the paper's: bind the schema to what was seen, and take the likelihood
 * under the E that was found.  Its set is a struct cscg_match_em_options.
 */
extern const struct cscg_match_score cscg_match_score_em;

struct cscg_match_em_options {
	struct cscg_bind bind;          /* ways and report stay NULL */
	struct cscg_bind_starts starts; /* key and threads are not looked at */
	long warm_iterations; /* 0: each look is bound from its own random
	                         starts. Otherwise only the first one of an
	                         episode is; each further one goes on from the
	                         E (of every start) of the one before, with so
	                         many updates */
	bool keep_best; /* the best E of the look before is one more start, and
			   the random ones are others at every look: optima
			   once found are not lost.  Not with warm */
};

/*
 * "track": the marginal likelihood over bindings of clone groups to symbols
 * (track.h).  Its set is a struct cscg_track_options.
 */
extern const struct cscg_match_score cscg_match_score_track;

/* The scores of all schemas at one place. */
struct cscg_match_row {
	long episode;         /* from 0, over all walks */
	long step;            /* steps of the prefix, or the label of the
	                         window: the number, from 1, of a step */
	long length;          /* steps that were judged */
	long n_starts;        /* how often it begins in them: once, and where
	                         the agent was put elsewhere */
	int node;             /* the true one at that step, or -1 */
	int n, best;          /* schemas; the one of rank 1 */
	const double *loglik; /* [n] natural log, total */
	const double *posterior; /* [n] softmax of loglik */
	const int *rank;         /* [n] 1 is best; the first of equals */
};

struct cscg_match_options {
	const struct cscg_match_score *score;
	const void *score_set; /* borrowed */
	bool by_clones;        /* may schemas differ in their clones alone? */
	int threads;           /* any number gives the same rows */
	struct cscg_ranks *ranks; /* who share the scores, or NULL: all of them
	                             see the same walk and tell the same rows.
	                             Not with end */
	long every;  /* a row after every so many steps, and at the end of an
	                episode; with a window: stride */
	long steps;  /* of an episode, at most; 0: all */
	long window; /* 0: prefixes */
	bool centre; /* label windows by their middle, not their end: of W
	                steps number (W + 1) / 2 */

	/* Called for each row, in order; -1 with err filled stops. */
	int (*row)(void *ctx, const struct cscg_match_row *row,
	    struct cscg_err *err);
	void *ctx;

	/*
	 * If not NULL: called at the end of each episode of a score that steps
	 * or remembers, after its last row, with the schema that is best there
	 * as it was taken, and the score's episode.
	 */
	int (*end_episode)(void *end_ctx, const struct cscg_model *m,
	    const void *episode, struct cscg_err *err);
	void *end_ctx;
};

struct cscg_match;

struct cscg_match *cscg_match_new(const struct cscg_match_options *set,
    struct cscg_err *err);
void cscg_match_free(struct cscg_match *match);

/* Did another rank fail, too, or instead?  Then all of them know. */
bool cscg_match_rank_failed(const struct cscg_match *match);

/*
 * Add a schema, before the first walk; what else m knows is not looked at.
 * Takes m, also when it fails: CSCG_EMISMATCH if it equals one that is there.
 */
int cscg_match_take_schema(struct cscg_match *match, const char *name,
    struct cscg_model *m, struct cscg_err *err);

/*
 * Begin a walk with this header: actions are matched with those of each schema.
 * May be called again between two episodes.  -1 with err filled:
 * CSCG_EMISMATCH (a schema lacks an action; too many symbols to hold E),
 * CSCG_ENOMEM.
 */
int cscg_match_begin_walk(struct cscg_match *match,
    const struct cscg_walk_header *head, struct cscg_err *err);

/*
 * The next step of the walk, as the header numbers it.  more says that another
 * step is at hand: rows may then wait, so that many are worked on at a time.
 * -1 with err filled: CSCG_ERANGE (an episode shorter than the window), or
 * what score and row say.
 */
int cscg_match_step(struct cscg_match *match, const struct cscg_step *step,
    bool more, struct cscg_err *err);

#endif
