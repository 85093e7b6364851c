/*
 * env_io.h - the lines that an environment and an agent exchange: cscg-env(5)
 *
 * Text alone: lib/plan/env.c carries it for the agent, cmd/roomserve.c for a world.
 * Lines are given and made without their newline, and end in a NUL.
 */
#ifndef CSCG_ENV_IO_H
#define CSCG_ENV_IO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "core/walk.h"

enum {
	CSCG_ENV_HEADER_MAX = 1 << 26,	/* bytes of a header line */
	CSCG_ENV_LINE_MAX = 1 << 20,	/* bytes of any other line */
	CSCG_ENV_OBS_SIZE = 256,	/* room for an observation line */
	CSCG_ENV_ACTION_SIZE = 32,		/* room for an action line */
	CSCG_ENV_QUOTE_SIZE = 80		/* room for a line in a message */
};

/* What an environment says first. */
struct cscg_env_header {
	struct cscg_walk_header head;	/* actions, symbols, history */
	long episodes;		/* how many there will be; 0: not told */
	long steps;		/* actions in each at most; 0: not told */
	int collect;		/* the action that collects, or -1 */
};

/* What it says in each turn. */
struct cscg_env_obs {
	int x;			/* symbol, or -1: nothing was seen */
	int goal;		/* symbol asked for, or -1 */
	int z;			/* true node, or -1: not told */
	double reward;		/* for the action just taken; 0 if not told */
	double distance;	/* true distance to the goal; NaN: not told */
	long episode;		/* from 0; -1: not told */
	bool done;		/* the episode has ended with this */
	bool reset;		/* put elsewhere just before: no move led here */
};

void cscg_env_header_free(struct cscg_env_header *head);	/* empties it, too */

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

#endif
