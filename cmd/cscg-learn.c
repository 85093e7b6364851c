/* cscg-learn - walks in, model out */
#include <string.h>

#include "learn/learn.h"
#include "cmd_isa.h"
#include "cmd_ranks.h"
#include "cscg-learn.h"

static struct learn_set set = { .iterations = 200, .restarts = 4,
	.tolerance = 1e-5, .pseudocount = 2e-3, .draws = 50 };

static const struct cmd_opt opts[] = {
	/* It may be a file; learn_run() tells history what was in it. */
	CMD_NUMBERS(0, "clones", &set.clones, "HOW",
	    "clones of a symbol: N, a list N,N,..., a file of numbers, or "
	    "proportional[:TOTAL[,floor=F][,power=P]] (default: chosen from "
	    "the walk)"),
	CMD_LONG(0, "iterations", &set.iterations, 0, 1000000, "N",
	    "EM updates at most"),
	CMD_DOUBLE(0, "tolerance", &set.tolerance, 0, 1, "X",
	    "stop EM when the objective gains less than this share; 0: never"),
	CMD_LONG(0, "restarts", &set.restarts, 1, 1000000, "N",
	    "random starts; the likeliest is kept"),
	CMD_DOUBLE(0, "pseudocount", &set.pseudocount, 0, 1e6, "X",
	    "added to every transition count"),
	CMD_FILE(0, "init", &set.init, "MODEL",
	    "start from the counts of a model"),
	CMD_DOUBLE(0, "forget", &set.forget, 0, .5, "P",
	    "keep that model and bring it up to date: each time a move is made, "
	    "chance that it has changed (default: learn from this walk alone)"),
	CMD_FLAG(0, "learn-pi", &set.learn_pi,
	    "learn where walks start, too"),
	CMD_FLAG(0, "raw", &set.raw,
	    "keep what EM found: no refinement, all states"),
	CMD_FLAG(0, "own-rows", &set.untied_noise,
	    "let no chance be the same for all moves of an action"),
	CMD_FLAG(0, "split", &set.split,
	    "take states apart whose next symbol is in doubt, if that pays"),
	CMD_FLAG(0, "rebind", &set.rebind,
	    "one graph for all episodes, new looks for each: write its schema"),
	CMD_LONG(0, "draws", &set.draws, 1, 1000000, "N",
	    "--rebind: fits at most after each episode"),
	CMD_FLAG(0, "reversible", &set.reversible,
	    "--rebind: every move can be undone, so the graph is complete when "
	    "all moves permute its states"),
	CMD_FLAG(0, "until-complete", &set.until_complete,
	    "--rebind: stop at the episode that completes the graph"),
	CMD_FILE(0, "soft", &set.soft, "CODEBOOK",
	    "then learn by frames, with a Gaussian about each centroid"),
	CMD_FILE(0, "frames", &set.frames, "FILE",
	    "--soft: frames are the rows of this .npy array"),
	CMD_FLAG(0, "double", &set.is_double, "compute in double precision"),
	CMD_ISA(&set.isa),
	{ 0, "low-memory", CMD_T_FLAG, &set.low_memory, 0, 0, NULL, NULL,
	    "compute messages twice instead of keeping them",
	    CMD_QUIET_HISTORY },
	CMD_KEEP(set.keep),
	CMD_KEEP_EVERY(set.keep),
	CMD_END
};

static const struct cmd_info info = {
	"cscg-learn", "[WALK...]", "learn the graph behind walks", opts, 0, -1,
	CMD_USES_SEED | CMD_USES_THREADS | CMD_USES_GZIP | CMD_USES_STATS |
	    CMD_USES_PROGRESS | CMD_USES_RANKS
};

/* At most one of all that is read may be standard input. */
static void
judge_inputs(char **paths, int n)
{
	int i, dashes = n == 0;

	for (i = 0; i < n; i++)
		dashes += !strcmp(paths[i], "-");
	dashes += set.clones && !strcmp(set.clones, "-");
	dashes += set.init && !strcmp(set.init, "-");
	dashes += set.soft && !strcmp(set.soft, "-");
	dashes += set.frames && !strcmp(set.frames, "-");
	if (dashes > 1)
		cmd_usage("standard input can be read only once");
}

/* Options that do not go together. */
static void
judge_options(void)
{
	struct cscg_err err = { 0 };

	if (set.clones && set.init)
		cmd_usage("--clones and --init exclude each other");
	if (set.rebind && (set.clones || set.init || set.raw || set.learn_pi ||
	    set.is_double))
		cmd_usage("--rebind does not go with --clones, --init, --raw, "
		    "--learn-pi or --double");
	if (set.rebind && set.soft)
		cmd_usage("--rebind and --soft exclude each other");
	if (set.split && (set.raw || set.rebind))
		cmd_usage("--split does not go with --%s", set.raw ? "raw" :
		    "rebind");
	if (cmd_given(&set.forget) && !set.init)
		cmd_usage("--forget needs --init");
	if (cmd_given(&set.forget) && (set.raw || set.split || set.untied_noise ||
	    set.learn_pi || set.soft || set.keep.file))
		cmd_usage("--forget does not go with --raw, --split, "
		    "--own-rows, --learn-pi, --soft or --checkpoint");
	if (cmd_given(&set.forget) && set.pseudocount <= 0)
		cmd_usage("--forget needs a --pseudocount above 0");
	if (set.frames && !set.soft)
		cmd_usage("--frames goes with --soft");
	if (!set.rebind && (set.reversible || set.until_complete))
		cmd_usage("--reversible and --until-complete go with --rebind");
	if (!set.rebind && cmd_given(&set.draws))
		cmd_usage("--draws goes with --rebind");
	if (set.rebind && (cmd_given(&set.restarts) ||
	    cmd_given(&set.tolerance)))
		cmd_usage("--rebind looks at --draws, not at --restarts or "
		    "--tolerance");
	if (set.rebind && set.keep.file)
		cmd_usage("--rebind does not go with --checkpoint");
	/* A file may be rank 0's alone: learn_run() looks for it. */
	if (set.clones && cscg_clones_check(set.clones, &err) < 0 &&
	    err.code == CSCG_EUSAGE)
		cmd_usage("--clones: %s", err.msg);
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **paths;
	int n;

	paths = cmd_begin(&info, argc, argv, &n);
	judge_options();
	cmd_keep_judge(&set.keep);
	judge_inputs(paths, n);
	if (set.keep.file)
		cmd_hold(false);
	cmd_ranks();
	set.simd = cmd_isa(set.isa);
	cmd_history_arg("isa", set.simd && !set.is_double ? set.simd->name :
	    "plain");
	return cmd_end(learn_run(&set, paths, n, &err), &err);
}
