/*
 * history_text.h - a history as the commands one would type
 */
#ifndef CSCG_HISTORY_TEXT_H
#define CSCG_HISTORY_TEXT_H

#include "io/history.h"
#include "io/put.h"

/*
 * Write h as a pipeline, "roomgen torus -s 7 | roomwalk --steps 50000"; seeds
 * that are the default are left out.  Entries that other programs wrote may
 * hold anything; what is not understood is left out.  An empty history gives
 * nothing.
 */
void cscg_history_write_commands(const struct cscg_history *h, struct cscg_printer *p);

#endif
