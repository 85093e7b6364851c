/* cscg-learn_talk.h - what cscg-learn says of its work */
#ifndef CSCG_LEARN_TALK_CMD_H
#define CSCG_LEARN_TALK_CMD_H

#include <stdbool.h>

#include "learn/learn.h"

struct learn_talk {
	long steps;
	struct cscg_err *err;
	double most;		/* updates of all starts */
	bool failed;
	int n_states;		/* of the bar, */
	long updates;		/* and how far it is, all starts together */
};

/* For cscg_learn(); ctx is a struct learn_talk. */
int learn_on_line(void *ctx, const struct cscg_learn_progress *l);

/* An E-step of EM by frames, as one of any other. */
struct learn_frames_talk {
	struct learn_talk *talk;
	int n_states;
};

/* For cscg_gaussian_learn_frames(); ctx is a struct learn_frames_talk. */
int learn_on_frames(void *ctx, const struct cscg_em_progress *l);

#endif
