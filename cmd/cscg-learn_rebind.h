/* cscg-learn_rebind.h - cscg-learn --rebind: one graph, many looks */
#ifndef CSCG_LEARN_REBIND_CMD_H
#define CSCG_LEARN_REBIND_CMD_H

#include "learn/multi.h"
#include "io/stream.h"

/*
 * Learn one graph for all episodes of w and write its schema: 1, 0 if it is not
 * known to be complete, -1 with err filled.  Of set, all but report and ctx
 * counts.
 */
int learn_rebind(const struct cscg_walk *w, const struct cscg_multi *set,
    struct cscg_out *out, struct cscg_err *err);

#endif
