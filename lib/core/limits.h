/*
 * limits.h - largest sizes that files and options may specify
 *
 * Readers check sizes against these limits before they allocate.
 */
#ifndef CSCG_LIMITS_H
#define CSCG_LIMITS_H

enum {
	CSCG_NODE_MAX = 1000000, /* nodes of a room */
	CSCG_ACTION_MAX = 10000,
	CSCG_OBS_MAX = 10000000,   /* observation symbols */
	CSCG_STATE_MAX = 10000000, /* hidden states of a model */
};

/*
 * Largest count and pseudocount: the sum of a row of CSCG_STATE_MAX entries is
 * finite.
 */
#define CSCG_COUNT_MAX 1e300

#endif
