/* cscg-score.h - what the parts of cscg-score share */
#ifndef CSCG_SCORE_CMD_H
#define CSCG_SCORE_CMD_H

#include <stdbool.h>

#include "cmd.h"
#include "core/model.h"
#include "kernel/trans.h"
#include "core/walk.h"

enum { SCORE_AS_TABLE, SCORE_AS_WALK };

struct score_set {
	bool bits, each, decode, posterior, json, is_double;
	long sample, episodes, top;
	int as;
};

/* nats, or bits if they are asked for */
double score_unit(const struct score_set *as, double nats);

/* The likeliest states of a walk, as a table or as the walk with them. */
int score_decode(const struct score_set *set, const struct cscg_trans *tr,
    struct cscg_walk *w, struct cscg_out *out, struct cscg_err *err);

/* The likeliest states of each step, given the whole walk. */
int score_posterior(const struct score_set *set, const struct cscg_trans *tr,
    const struct cscg_walk *w, struct cscg_out *out, struct cscg_err *err);

/* A walk out of the model. */
int score_sample(const struct score_set *set, const struct cscg_model *m,
    const struct cscg_trans *tr, struct cscg_out *out, struct cscg_err *err);

#endif
