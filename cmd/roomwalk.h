/*
 * roomwalk.h - between roomwalk.c and roomwalk_render.c, which knows views
 */
#ifndef ROOMWALK_H
#define ROOMWALK_H

#include <stdbool.h>

#include "world/room.h"
#include "core/walk_io.h"

/* What the options say. */
struct roomwalk_look {
	bool on;		/* --render */
	const char *size;	/* --frame; NULL: the default */
	double noise;		/* standard deviation */
	const char *file;	/* --frames; NULL: frames come with the walk */
	int rows, cols;		/* of a frame, as judged */
};

/*
 * Look at the options before anything is read: frames is how many there will
 * be at most, or 0 if that is not known.
 */
void roomwalk_judge_look(struct roomwalk_look *look, double frames);

struct roomwalk_eyes;

/*
 * Eyes for n rooms, which have geometry; frames as above.  Writes the frames
 * of --frames that do not depend on the walk.  Borrows all.
 */
struct roomwalk_eyes *roomwalk_eyes_new(const struct roomwalk_look *look,
    struct cscg_room *const *room, size_t n, double frames,
    struct cscg_err *err);
void roomwalk_eyes_free(struct roomwalk_eyes *eyes);

/*
 * What is seen at a node of room i, at step t of an episode: *view as struct
 * cscg_step has it.  Shows it to w first, or writes it to --frames, if that
 * is needed.
 */
int roomwalk_see(struct roomwalk_eyes *eyes, size_t i, int node, long episode,
    long t, struct cscg_walk_writer *w, int *view, struct cscg_err *err);

#endif
