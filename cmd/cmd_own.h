/* cmd_own.h - what the parts of cmd.c share, and no tool needs */
#ifndef CMD_OWN_H
#define CMD_OWN_H

#include "cmd_opt.h"

enum { CMD_ALSO_MAX = 3 };	/* outputs of a tool besides its result */

/* The one command this process is. */
struct cmd_self {
	const struct cmd_info *info;
	bool bar;	/* a progress bar stands on stderr */
	bool mute;	/* another rank speaks for us */
};
extern struct cmd_self cmd_self;

/* What a signal must remove: copies that outlive the streams. */
extern char *volatile cmd_tmp[CMD_ALSO_MAX + 1];

/* How the process starts and is ended. */
void cmd_guard_fds(void);
void cmd_catch_signals(void);
void cmd_die_of_pipe(void);

/* All ranks but the first are silent. */
void cmd_find_voice(void);
void cmd_clear_bar(void);

/* Outputs, whole or not at all. */
void cmd_abort_all(void);
int cmd_close_all(struct cscg_err *err);

#endif
