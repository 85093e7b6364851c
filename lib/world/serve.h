/*
 * serve.h - rooms as a live world: where the agent is, and what it is asked
 *
 * The world's side of cscg-env(5) without the talking: an episode begins, then
 * each action gives an observation.  No I/O.
 */
#ifndef CSCG_SERVE_H
#define CSCG_SERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "world/env_io.h"
#include "base/err.h"
#include "world/room.h"

enum cscg_task {
	CSCG_TASK_NONE,		/* walk */
	CSCG_TASK_RETURN,	/* the goal is where the episode began */
	CSCG_TASK_GOALS		/* collect symbols that are asked for */
};

enum {
	CSCG_START_RANDOM = -1,
	CSCG_START_UNIQUE = -2	/* a random node whose symbol no other has */
};

struct cscg_serve_options {
	enum cscg_task task;
	long steps;		/* actions in an episode; 0: no limit */
	int start;		/* a node, or one of the above */
	bool respawn;		/* goals: put elsewhere after a reward */
	bool permute;		/* new symbols for old in each episode */
	bool blind;		/* do not tell distances */
	uint64_t seed;
};

struct cscg_serve;

/*
 * A world of n rooms with equal numbers of actions and symbols, episode e in
 * room e modulo n.  Borrows the rooms.  collect is the action that collects:
 * if it is below their n_actions that action of theirs is never carried out.
 *
 * NULL with err filled: CSCG_ENOMEM; CSCG_EUSAGE if a room does not have the
 * start; CSCG_ERANGE if a room shows one symbol alone, so that there are no
 * goals.  The message begins with "room i", counted from 0.
 */
struct cscg_serve *cscg_serve_new(struct cscg_room *const *room, int n,
    int collect, const struct cscg_serve_options *set, struct cscg_err *err);
void cscg_serve_free(struct cscg_serve *s);

/*
 * Begin an episode, and its first observation; an episode does not depend on
 * those before it.  obs->z is the true node.  0, or -1 with err filled:
 * CSCG_ENOMEM; CSCG_ERANGE if no goal can be reached from where the agent is.
 */
int cscg_serve_reset(struct cscg_serve *s, long episode,
    struct cscg_env_obs *obs, struct cscg_err *err);

/*
 * Take an action and observe.  obs->done tells that the limit of steps is
 * reached: the next call is cscg_serve_reset().  0, or -1 as above.
 */
int cscg_serve_step(struct cscg_serve *s, int a, struct cscg_env_obs *obs,
    struct cscg_err *err);

#endif
