/* cscg-match_switch.h - cscg-match by one model over all schemas */
#ifndef CSCG_MATCH_SWITCH_CMD_H
#define CSCG_MATCH_SWITCH_CMD_H

#include <stdbool.h>

#include "base/error.h"
#include "io/table.h"
#include "schema/switch.h"

/* The options of --switching, and those of others that it heeds. */
struct match_switch {
	bool on, online, segments;
	double jump, min_coverage;
	long memory;

	long every, steps;	/* steps 0: all */
	enum cscg_multi_table_form form;
	const char *truth;
	double min_posterior;
	struct cscg_switch_options how;	/* but for what is above */
};

#define MATCH_SWITCH_DEFAULTS { .jump = .01, .memory = 10000 }
#define MATCH_SWITCH_OPTS(set) \
	CMD_TITLE("one model over all schemas:"), \
	CMD_FLAG(0, "switching", &(set).on, \
	    "for each step, which schema is it?"), \
	CMD_FLAG(0, "online", &(set).online, \
	    "tell of each step when it comes, by what came before"), \
	CMD_LONG(0, "memory", &(set).memory, 1024, 1000000000, "N", \
	    "with --online: steps that are remembered"), \
	CMD_DOUBLE(0, "jump", &(set).jump, 1e-9, .5, "P", \
	    "chance that a move leads anywhere"), \
	CMD_DOUBLE(0, "cover", &(set).min_coverage, 0, 1, "P", \
	    "bind once more without schemas of which less than this share of " \
	    "the states was visited"), \
	CMD_FLAG(0, "segments", &(set).segments, \
	    "a line for each stretch in one schema instead of each step")

/* Options that exclude each other: a fault exits with 2. */
void match_switch_judge(const struct match_switch *set, bool every);

/*
 * Read schemas from paths and walks, and tell.  1 if a schema stands out at
 * any step, 0 if not, -1 with err filled.
 */
int match_switch(const struct match_switch *set, char **paths,
    struct cscg_err *err);

#endif
