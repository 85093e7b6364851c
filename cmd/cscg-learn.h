/* cscg-learn.h - what the parts of cscg-learn share */
#ifndef CSCG_LEARN_CMD_H
#define CSCG_LEARN_CMD_H

#include <stdbool.h>

#include "cmd_keep.h"
#include "kernel/simd.h"

struct learn_set {
	const char *clones, *init, *isa, *soft, *frames;
	long iterations, restarts;
	double tolerance, pseudocount, forget;
	bool learn_pi, raw, untied_noise, split, is_double, low_memory;
	bool rebind, reversible, until_complete;
	long draws;
	struct cmd_keep keep;
	const struct cscg_simd *simd;	/* chosen by isa */
};

/*
 * Learn from the walks of n paths (none: standard input) and write the model.
 * 1, 0 if a graph of --rebind is not known to be complete, -1 with err filled.
 */
int learn_run(struct learn_set *set, char **paths, int n,
    struct cscg_err *err);

#endif
