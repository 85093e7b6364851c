/*
 * cmd_walks.h - the walks of -w, for tools that read them as they come
 */
#ifndef CMD_WALKS_H
#define CMD_WALKS_H

#include "cmd.h"

/*
 * Is each file of -w there, and does it begin as a walk?  For those who write
 * before they have read all.  Pipes can be read once and are left alone.  0, or
 * -1 with err filled.
 */
int cmd_walks_look(struct cscg_err *err);

/*
 * Prepend the name of the walks to a fault of theirs, unless the machine is at
 * fault; returns -1.
 */
int cmd_walks_blame(struct cscg_err *err);

#endif
