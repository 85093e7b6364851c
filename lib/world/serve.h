/*
 * serve.h - a room as a live environment: state, goals, rewards, cscg-env(5)
 *
 * The world's side of cscg-env(5) without the talking: an episode begins, then
 * each action gives an observation.  No I/O.
 */
#ifndef CSCG_SERVE_H
#define CSCG_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "core/walk.h"
#include "world/room.h"

/*
 * the lines that an environment and an agent exchange: cscg-env(5)
 *
 * Text alone: lib/plan/env.c carries it for the agent, cmd/roomserve.c for a world.
 * Lines are given and made without their newline, and end in a NUL.
 */

enum {
	CSCG_ENV_HEADER_MAX = 1 << 26, /* bytes of a header line */
	CSCG_ENV_LINE_MAX = 1 << 20,   /* bytes of any other line */
	CSCG_ENV_OBS_SIZE = 256,       /* room for an observation line */
	CSCG_ENV_ACTION_SIZE = 32,     /* room for an action line */
	CSCG_ENV_QUOTE_SIZE = 80,      /* room for a line in a message */
};

/* What an environment says first. */
struct cscg_env_header {
	struct cscg_walk_header head; /* actions, symbols, history */
	long episodes;                /* how many there will be; 0: not told */
	long steps;  /* actions in each at most; 0: not told */
	int collect; /* the action that collects, or -1 */
};

/* What it says in each turn. */
struct cscg_env_obs {
	int x;           /* symbol, or -1: nothing was seen */
	int goal;        /* symbol asked for, or -1 */
	int z;           /* true node, or -1: not told */
	double reward;   /* for the action just taken; 0 if not told */
	double distance; /* true distance to the goal; NaN: not told */
	long episode;    /* from 0; -1: not told */
	bool done;       /* the episode has ended with this */
	bool reset;      /* put elsewhere just before: no move led here */
};

void cscg_env_header_free(struct cscg_env_header *head); /* empties it, too */

/*
 * The header that line is, into *head, which is written over.  0, or -1 with
 * err filled (CSCG_EFORMAT, CSCG_ERANGE; the place is a JSON pointer) and
 * nothing to free.
 */
int cscg_env_header_parse(const char *line, size_t len,
    struct cscg_env_header *head, struct cscg_err *err);

/*
 * The header line, new: free() it; NULL with err filled: CSCG_ENOMEM, or
 * CSCG_ERANGE if names make it longer than CSCG_ENV_HEADER_MAX.
 */
char *cscg_env_header_format(const struct cscg_env_header *head,
    struct cscg_err *err);

/* An observation line that fits head; 0, or -1 as above. */
int cscg_env_obs_parse(const char *line, size_t len,
    const struct cscg_env_header *head, struct cscg_env_obs *obs,
    struct cscg_err *err);

/*
 * The line of obs into text; its length.  Keys that say nothing are left out:
 * goal or z -1, distance NaN, reset false, episode -1.
 */
size_t cscg_env_obs_format(const struct cscg_env_obs *obs,
    char text[CSCG_ENV_OBS_SIZE]);

/*
 * An action line, by number or name; *a is -1 where the agent leaves the
 * episode.  0, or -1 as above.
 */
int cscg_env_action_parse(const char *line, size_t len,
    const struct cscg_env_header *head, int *a, struct cscg_err *err);
size_t cscg_env_action_format(int a, char text[CSCG_ENV_ACTION_SIZE]);

/*
 * A line as messages quote it: shortened to some 60 bytes, and '?' for all
 * that is not printable ASCII.  Returns quote.
 */
const char *cscg_env_quote(const char *line, size_t len,
    char quote[CSCG_ENV_QUOTE_SIZE]);

enum cscg_task {
	CSCG_TASK_NONE,   /* walk */
	CSCG_TASK_RETURN, /* the goal is where the episode began */
	CSCG_TASK_GOALS,  /* collect symbols that are asked for */
};

enum {
	CSCG_START_RANDOM = -1,
	CSCG_START_UNIQUE = -2, /* a random node whose symbol no other has */
};

struct cscg_serve_options {
	enum cscg_task task;
	long steps;   /* actions in an episode; 0: no limit */
	int start;    /* a node, or one of the above */
	bool respawn; /* goals: put elsewhere after a reward */
	bool permute; /* new symbols for old in each episode */
	bool blind;   /* do not tell distances */
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
