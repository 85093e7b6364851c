/*
 * experience.h - the walk of an agent in one environment, and the map learned
 * from it where no model explains it
 *
 * No model explains the walk if the last observations were nearly as
 * improbable as symbols drawn at random.  Then the whole walk is learned
 * (residual.h): schemas explain their part, the rest becomes new rooms, and
 * the result is a map, a grounded model of the environment.  The map is
 * learned again when the walk has grown by half and the map predicts badly,
 * when the walk has doubled, and at its end, if it has grown by a twentieth,
 * since rooms then become schemas of a library; by merging, which costs
 * little, whenever the walk has grown by a tenth and some steps were not
 * predicted.
 *
 * Several places of known models, each with a binding of its own, explain a new
 * room, too, but their number grows with the walk.  So the walk is also learned
 * if there are more places than when the walk was half as long, or
 * these predicted badly since then, and the map is used if it predicts the walk
 * better (BIC).
 *
 * Without any model, and if no rooms are needed (is_partial), the walk is
 * learned from its first steps on, after each step that the map did not
 * predict: pairs of states are merged (learn/merge.h) as if the environment
 * were deterministic, and the map is the part of it that was visited; untried
 * actions are its frontiers.  If the walk contradicts this too often, the
 * environment is not deterministic, and the walk is learned as above.
 *
 * Actions and symbols are the environment's in all calls.
 */
#ifndef CSCG_EXPERIENCE_H
#define CSCG_EXPERIENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/poll.h"
#include "core/model.h"
#include "core/walk.h"
#include "world/serve.h"

/* A state and action by which a room of a model was left. */
struct cscg_experience_door {
	int model, state, a; /* a: the model's action */
};

/* A reward for action a, taken after step t of the walk. */
struct cscg_experience_reward {
	long t;
	int a;
	double value;
};

struct cscg_experience {
	struct cscg_walk_header head; /* without the action that collects */
	int collect;                  /* or -1 */
	uint64_t seed;
	struct cscg_poll *poll; /* stops learning; NULL: never; borrowed */

	/* the walk: action a[t] (-1: a start or reset) led to symbol x[t] */
	int *a, *x;
	long n;
	size_t cap_a, cap_x;
	long n_total;           /* steps, including those no longer stored */
	long first;             /* step at which the episode began */
	double surprise;        /* mean of recent steps: -log P(x) in units of
	                           log(n_obs) */
	unsigned char *is_seen; /* [n_obs] */
	int n_places;           /* that explain the walk */
	long mark;            /* the last step at which the walk had doubled */
	int mark_places;      /* places then */
	double sum_surprise;  /* of all steps, */
	double mark_surprise; /* and at step mark */
	double half_surprise; /* and when half of STEPS_MAX were stored */
	double rate;          /* surprise per step in the doubling before */
	bool is_growing;      /* places were added, or predicted badly, while
	                           the walk doubled */
	long n_learned;       /* steps when the walk was last learned; 0:
	                           never */
	long n_tried;         /* steps when that was last tried, by merging
	                           at least */
	long n_missed;        /* steps since then of probability below 1/2 */

	/* of a map by merging pairs, learned from the first steps on */
	bool is_partial; /* there is no other model; set by the agent */
	bool is_missed;  /* the last step was not predicted */
	long n_refuted;  /* steps that contradicted the map's states */

	/* rewards, in the order of the walk */
	struct cscg_experience_reward *reward;
	long n_rewards;
	size_t cap_rewards;

	/* what was learned last */
	struct cscg_model *map; /* or NULL */
	int *path;              /* [n_path] its states in the first steps */
	long n_path;
	size_t cap_path;
	int state;            /* of the map, at the last step learned, */
	int origin;           /* and at the start of the episode */
	unsigned char *tried; /* [states * actions] that the walk visited */
	struct cscg_model **room; /* [n_rooms] new schemas */
	int n_rooms, n_kept;      /* n_kept: those of earlier environments */
	long *n_steps; /* [n_known] of the walk in rooms of the models given to
	                  cscg_experience_learn(), then of room[] */
	int n_known;
	struct cscg_experience_door *door;
	int n_doors;
	size_t cap_rooms, cap_doors, cap_steps, cap_tried;
};

/* NULL with err filled (CSCG_ENOMEM). */
struct cscg_experience *cscg_experience_new(
    const struct cscg_env_header *world, uint64_t seed, struct cscg_err *err);
void cscg_experience_free(struct cscg_experience *e); /* accepts NULL */

/* A new environment begins: discard all but the rooms. */
void cscg_experience_reset(struct cscg_experience *e);

/* The next step is the first of an episode. */
void cscg_experience_begin_episode(struct cscg_experience *e);

/*
 * Action a (-1: start or reset) led to symbol x (-1: no observation), whose
 * probability was p; NaN: no model.  -1 with err filled (CSCG_ENOMEM).
 */
int cscg_experience_add(struct cscg_experience *e, int a, int x, double p,
    struct cscg_err *err);

/*
 * Action a, taken after the last step, was rewarded; also one that collects.
 * -1 with err filled (CSCG_ENOMEM).
 */
int cscg_experience_add_reward(struct cscg_experience *e, int a, double value,
    struct cscg_err *err);

/* After each step: the number of places that explain the walk. */
void cscg_experience_note_places(struct cscg_experience *e, int n_places);

/* Whether no model explains the last steps. */
bool cscg_experience_is_lost(const struct cscg_experience *e);

/*
 * Whether the walk should be learned now, or new steps by merging at least.
 * is_last: no steps will be added.
 */
bool cscg_experience_is_due(const struct cscg_experience *e, bool is_last);

/* Whether every row of schema m has counts, and none is ambiguous. */
bool cscg_experience_is_complete(const struct cscg_model *m);

/*
 * Learn the walk with n models, of which schemas that have the environment's
 * actions in its order are used, and rooms of earlier environments.  1 with
 * map, path, state, n_steps and door set, and rooms of this environment replaced; 0
 * if the walk is too short, has no observations, or poll stopped learning: the
 * previous map stays; -1 with err filled (CSCG_ENOMEM, CSCG_EBUG).  is_last as
 * above.
 */
int cscg_experience_learn(struct cscg_experience *e,
    struct cscg_model *const *model, int n, bool is_last,
    struct cscg_err *err);

#endif
