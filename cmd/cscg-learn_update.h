/* cscg-learn_update.h - cscg-learn --forget: a model kept up to date */
#ifndef CSCG_LEARN_UPDATE_CMD_H
#define CSCG_LEARN_UPDATE_CMD_H

#include "learn/learn.h"

/*
 * The model that job starts from after walk w, which forgets with this chance
 * (update.h).  Of job, init, iterations, tolerance, pseudocount and report
 * count.  NULL with err filled.
 */
struct cscg_model *learn_update(const struct cscg_walk *w,
    const struct cscg_learn *job, double forget, struct cscg_err *err);

#endif
