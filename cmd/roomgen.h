/*
 * roomgen.h - between roomgen.c and the files that know a kind of room each
 *
 * A file cmd/roomgen_X.c knows one family of kinds: it has their options, a
 * row for each kind, and what judges and makes it.  roomgen.c has the table of
 * families, the options that all kinds share, and writes the rooms.
 */
#ifndef ROOMGEN_H
#define ROOMGEN_H

#include <stdbool.h>

#include "cmd.h"
#include "world/room.h"

struct roomgen_kind {
	const char *name;	/* NULL ends a list */
	/*
	 * Options it has a use for, blanks between, besides those that all
	 * kinds have; any other that is given is refused.
	 */
	const char *takes;
	bool border;		/* knows --obs border */
	bool permute;		/* always has new symbols by seed */
	int id;			/* for the family */
	/* Look at options and the n operands behind the name; cmd_usage(). */
	void (*judge)(const struct roomgen_kind *kind, char **operand, int n);
	/* Make rooms, each for roomgen_put(); -1 with err filled. */
	int (*make)(const struct roomgen_kind *kind, struct cscg_err *err);
};

struct roomgen_family {
	const char *title;	/* "hole, torus:", above its options */
	const struct cmd_opt *opts;	/* NULL: none */
	const struct roomgen_kind *kinds;
};

extern const struct roomgen_family roomgen_shape, roomgen_parts,
    roomgen_street, roomgen_voxel, roomgen_file;

/* --layout, which means something else to each kind that takes it; or NULL. */
extern const char *roomgen_layout;

/* What --obs says; without it cells look as their kind has it. */
enum roomgen_obs {
	ROOMGEN_OBS_DEFAULT, ROOMGEN_OBS_BORDER, ROOMGEN_OBS_RANDOM,
	ROOMGEN_OBS_UNIQUE
};
enum roomgen_obs roomgen_obs(void);

/* "3x4" or "1,2" of an option into two numbers, each at least least. */
void roomgen_pair(const char *option, const char *word, char sep, int least,
    int *first, int *second);

/* Refuses any operand. */
void roomgen_no_operand(const struct roomgen_kind *kind, char **operand,
    int n);

/*
 * The i-th room of this run is made: give it the symbols, slips and name that
 * the options ask for, and write it.  name is for one that --name does not
 * tell; NULL leaves the name it has.  Borrows room, and changes it.
 */
int roomgen_put(struct cscg_room *room, long i, const char *name,
    struct cscg_err *err);

#endif
