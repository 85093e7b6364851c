/*
 * serve.h - a room as a live environment: state, goals, rewards, cscg-env(5)
 *
 * The environment of cscg-env(5) without I/O: an episode begins, then each
 * action yields an observation.
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
 * Parsing and formatting only: lib/plan/env.c does the I/O of the agent,
 * cmd/roomserve.c that of an environment.  Lines have no newline and end in a
 * NUL.
 */

enum {
	CSCG_ENV_HEADER_MAX = 1 << 26, /* bytes of a header line */
	CSCG_ENV_LINE_MAX = 1 << 20,   /* bytes of any other line */
	CSCG_ENV_OBS_SIZE = 256,       /* room for an observation line */
	CSCG_ENV_ACTION_SIZE = 32,     /* room for an action line */
	CSCG_ENV_QUOTE_SIZE = 80,      /* room for a line in a message */
};

/* The header line of an environment. */
struct cscg_env_header {
	struct cscg_walk_header head; /* actions, symbols, history */
	long episodes;                /* number of episodes; 0: unknown */
	long steps;  /* largest number of actions per episode; 0: unknown */
	int collect; /* the action that collects, or -1 */
};

/* An observation line. */
struct cscg_env_obs {
	int x;           /* symbol, or -1: no observation */
	int goal;        /* goal symbol, or -1 */
	int z;           /* true node, or -1: unknown */
	double reward;   /* for the action just taken; 0 if absent */
	double distance; /* true distance to the goal; NaN: unknown */
	long episode;    /* from 0; -1: unknown */
	bool done;       /* last observation of the episode */
	bool reset;      /* relocated just before: no transition led here */
};

void cscg_env_header_free(
    struct cscg_env_header *head); /* head is empty afterwards */

/*
 * Parse a header line into *head, which is overwritten.  0, or -1 with err
 * filled (CSCG_EFORMAT, CSCG_ERANGE; the position is a JSON pointer) and
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

/*
 * Parse an observation line within the alphabets of head; 0, or -1 as above.
 */
int cscg_env_obs_parse(const char *line, size_t len,
    const struct cscg_env_header *head, struct cscg_env_obs *obs,
    struct cscg_err *err);

/*
 * Format obs into text; returns the length.  Keys without information are
 * omitted: goal or z -1, distance NaN, reset false, episode -1.
 */
size_t cscg_env_obs_format(const struct cscg_env_obs *obs,
    char text[CSCG_ENV_OBS_SIZE]);

/*
 * Parse an action line, by number or name; *a is -1 if the agent ends the
 * episode.  0, or -1 as above.
 */
int cscg_env_action_parse(const char *line, size_t len,
    const struct cscg_env_header *head, int *a, struct cscg_err *err);
size_t cscg_env_action_format(int a, char text[CSCG_ENV_ACTION_SIZE]);

/*
 * A line quoted for messages: shortened to some 60 bytes, with '?' for every
 * byte that is not printable ASCII.  Returns quote.
 */
const char *cscg_env_quote(const char *line, size_t len,
    char quote[CSCG_ENV_QUOTE_SIZE]);

enum cscg_task {
	CSCG_TASK_NONE,   /* no goal */
	CSCG_TASK_RETURN, /* the goal is the first node of the episode */
	CSCG_TASK_GOALS,  /* collect goal symbols */
};

enum {
	CSCG_START_RANDOM = -1,
	CSCG_START_UNIQUE = -2, /* a random node with a unique symbol */
};

struct cscg_serve_options {
	enum cscg_task task;
	long steps;   /* actions in an episode; 0: no limit */
	int start;    /* a node, or one of the above */
	bool respawn; /* goals: relocate the agent after a reward */
	bool permute; /* permute the symbols in each episode */
	bool blind;   /* do not report distances */
	uint64_t seed;
};

struct cscg_serve;

/*
 * An environment of n rooms with equal numbers of actions and symbols, episode
 * e in room e modulo n.  Borrows the rooms.  collect is the action that
 * collects: if collect < n_actions, that action of the rooms is never
 * executed.
 *
 * NULL with err filled: CSCG_ENOMEM; CSCG_EUSAGE if a room does not have the
 * start; CSCG_ERANGE if a room emits only one symbol, so that no goal exists.
 * The message begins with "room i", counted from 0.
 */
struct cscg_serve *cscg_serve_new(struct cscg_room *const *room, int n,
    int collect, const struct cscg_serve_options *set, struct cscg_err *err);
void cscg_serve_free(struct cscg_serve *s);

/*
 * Begin an episode and return its first observation; episodes are independent
 * of each other.  obs->z is the true node.  0, or -1 with err filled:
 * CSCG_ENOMEM; CSCG_ERANGE if no goal is reachable from the agent's node.
 */
int cscg_serve_reset(struct cscg_serve *s, long episode,
    struct cscg_env_obs *obs, struct cscg_err *err);

/*
 * Execute an action and observe.  obs->done: the limit of steps is reached,
 * and the next call must be cscg_serve_reset().  0, or -1 as above.
 */
int cscg_serve_step(struct cscg_serve *s, int a, struct cscg_env_obs *obs,
    struct cscg_err *err);

#endif
