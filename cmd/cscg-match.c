/* cscg-match - a walk against several schemas: which explains it, how well */
#include <string.h>

#include "cmd.h"
#include "cmd_isa.h"
#include "cmd_ranks.h"
#include "cscg-match.h"
#include "core/model_io.h"

static const char *const scores[] = { "em", "track", NULL };
static const char *const ties[] = { "auto", "clones", "none", NULL };
static const char *const pis[] = { "auto", "uniform", "learn", NULL };
static const char *const labels[] = { "end", "centre", NULL };

static struct match_set set = { .every = 5, .stride = 5, .restarts = 4,
	.iterations = -1, .jitter = -1, .tolerance = 1e-5,
	.pseudocount = 1e-7, .alpha = .05, .min_posterior = .95,
	.sw = MATCH_SWITCH_DEFAULTS };

static const struct cmd_opt opts[] = {
	CMD_TITLE("what is looked at:"),
	CMD_LONG(0, "every", &set.every, 1, 1000000000, "N",
	    "look at the walk so far after every N steps"),
	CMD_LONG(0, "steps", &set.steps, 1, 1000000000, "N",
	    "look at the first N steps of an episode alone"),
	CMD_LONG(0, "window", &set.window, 1, 1000000000, "N",
	    "look at the last N steps instead"),
	CMD_LONG(0, "stride", &set.stride, 1, 1000000000, "N",
	    "with --window: so many steps from one to the next"),
	CMD_CHOICE(0, "label", &set.label, labels,
	    "with --window: the step that stands for it"),
	CMD_TITLE("how schemas are scored:"),
	CMD_CHOICE(0, "score", &set.score, scores,
	    "by the binding that EM finds, or by a track of all likely ones"),
	CMD_TITLE("with --score track:"),
	CMD_DOUBLE(0, "slip", &set.track.slip, 0, .9, "P",
	    "chance that a move goes wrong"),
	CMD_LONG(0, "beam", &set.track.beam, 1, 1000000, "N",
	    "hypotheses kept (default: 200, or as many as states)"),
	CMD_LONG(0, "calibrate", &set.track.calibrate, 0, 1000000, "N",
	    "what fits and resembles is found by N walks in each schema; 0: by "
	    "rule"),
	CMD_WRITES(0, "binding", &set.track.binding, "FILE",
	    "write the best schema as it is bound at the end of each episode"),
	CMD_TITLE("with --score em:"),
	CMD_CHOICE(0, "tie", &set.tie, ties,
	    "clones look alike, or each state for itself"),
	CMD_LONG(0, "restarts", &set.restarts, 1, 1000000, "N",
	    "random starts; the best is kept"),
	CMD_DOUBLE(0, "jitter", &set.jitter, 0, 1e6, "X",
	    "spread of the starts; 0: uniform (default: 0.001 and 1 by "
	    "turns if tied, else 0.01)"),
	CMD_CHOICE(0, "pi", &set.pi, pis,
	    "where episodes begin; auto: learned if tied"),
	CMD_LONG(0, "iterations", &set.iterations, 0, 1000000, "N",
	    "EM updates at most (default: 30 if tied, else 100)"),
	CMD_DOUBLE(0, "tolerance", &set.tolerance, 0, 1, "X",
	    "stop EM when the objective gains less than this share twice; 0: "
	    "never"),
	CMD_DOUBLE(0, "pseudocount", &set.pseudocount, 0, 1e6, "X",
	    "added to every emission count"),
	CMD_LONG(0, "warm", &set.warm_iterations, 0, 1000000, "N",
	    "go on from the last binding with N updates; 0: always anew"),
	CMD_FLAG(0, "keep", &set.keep_best,
	    "the last binding is one more start, the others are new ones"),
	CMD_FLAG(0, "double", &set.is_double, "compute in double precision"),
	CMD_ISA(&set.isa),
	MATCH_SWITCH_OPTS(set.sw),
	CMD_TITLE("what is told:"),
	CMD_FLAG(0, "bits", &set.bits, "bits instead of nats"),
	CMD_FLAG(0, "wide", &set.wide,
	    "one line for all schemas, with columns for each"),
	CMD_FLAG(0, "json", &set.json, "JSON Lines instead of TSV"),
	CMD_FLAG(0, "summary", &set.summary,
	    "means over the episodes instead of each"),
	CMD_STRING(0, "truth", &set.truth, "NAME",
	    "the schema that should be found"),
	CMD_DOUBLE(0, "alpha", &set.alpha, 0, 1, "P",
	    "many episodes: the best stands out if the t-test is below"),
	CMD_DOUBLE(0, "min-posterior", &set.min_posterior, 0, 1, "P",
	    "one episode: it stands out if its posterior is this at least"),
	CMD_END
};

static const struct cmd_info info = {
	"cscg-match", "[NAME=]SCHEMA...",
	"find the schema that explains a walk", opts, 1, -1,
	CMD_USES_SEED | CMD_USES_THREADS | CMD_USES_WALKS | CMD_USES_RANKS
};

/* How many walks are standard input. */
static int
stdin_walks(void)
{
	int i, n = cmd.walks.n == 0;

	for (i = 0; i < cmd.walks.n; i++)
		n += !strcmp(cmd.walks.v[i], "-");
	return n;
}

/*
 * Begin with the other ranks, if there are any.  Every one reads all that is
 * named; what is not shared out is rank 0's alone.
 */
static int
begin_ranks(char **paths, bool alone, struct cscg_err *err)
{
	int i, dashes = stdin_walks();

	set.together = cscg_ranks_size(cmd.ranks) > 1 && !alone;
	for (i = 0; paths[i]; i++)
		dashes += !strcmp(cscg_schemas_file(paths[i]), "-");
	return set.together && dashes ? cmd_share_stdin(err) : 0;
}

/* Options that the score does not look at. */
static void
judge_score(void)
{
	static const struct {
		const void *var;
		const char *word;
		int score;
	} of[] = {
		{ &set.track.slip, "slip", MATCH_TRACK },
		{ &set.track.beam, "beam", MATCH_TRACK },
		{ &set.track.calibrate, "calibrate", MATCH_TRACK },
		{ &set.track.binding, "binding", MATCH_TRACK },
		{ &set.tie, "tie", MATCH_EM }, { &set.pi, "pi", MATCH_EM },
		{ &set.restarts, "restarts", MATCH_EM },
		{ &set.jitter, "jitter", MATCH_EM },
		{ &set.iterations, "iterations", MATCH_EM },
		{ &set.tolerance, "tolerance", MATCH_EM },
		{ &set.pseudocount, "pseudocount", MATCH_EM },
		{ &set.warm_iterations, "warm", MATCH_EM },
		{ &set.keep_best, "keep", MATCH_EM },
		{ &set.is_double, "double", MATCH_EM },
		{ &set.isa, "isa", MATCH_EM }
	};
	size_t i;

	for (i = 0; i < sizeof of / sizeof *of; i++)
		if (cmd_given(of[i].var) && set.score != of[i].score)
			cmd_usage("--%s goes with --score %s", of[i].word,
			    scores[of[i].score]);
	if (set.track.binding && set.window)
		cmd_usage("--binding is for whole episodes, not for --window");
	if (set.track.binding && !strcmp(set.track.binding, "-"))
		cmd_usage("--binding: standard output is taken by the table");
}

/* What --switching needs and does not look at, and what it takes over. */
static void
judge_switch(void)
{
	static const struct {
		const void *var;
		const char *word;
		bool on;
	} of[] = {
		{ &set.sw.online, "online", true },
		{ &set.sw.memory, "memory", true },
		{ &set.sw.jump, "jump", true },
		{ &set.sw.min_coverage, "cover", true },
		{ &set.sw.segments, "segments", true },
		{ &set.score, "score", false },
		{ &set.window, "window", false }, { &set.tie, "tie", false },
		{ &set.pi, "pi", false }, { &set.warm_iterations, "warm", false },
		{ &set.keep_best, "keep", false }, { &set.bits, "bits", false },
		{ &set.summary, "summary", false },
		{ &set.alpha, "alpha", false }
	};
	size_t i;

	for (i = 0; i < sizeof of / sizeof *of; i++)
		if (cmd_given(of[i].var) && set.sw.on != of[i].on)
			cmd_usage(of[i].on ? "--%s needs --switching" :
			    "--%s does not go with --switching", of[i].word);
	if (!set.sw.on)
		return;
	set.sw.every = cmd_given(&set.every) ? set.every : 1;
	set.sw.steps = set.steps;
	set.sw.form = set.json ? CSCG_MULTI_TABLE_JSON : set.wide ?
	    CSCG_MULTI_TABLE_WIDE : CSCG_MULTI_TABLE_LONG;
	set.sw.truth = set.truth;
	set.sw.min_posterior = set.min_posterior;
	set.sw.how = (struct cscg_switch_options){ .restarts =
	    cmd_given(&set.restarts) ? set.restarts : 2,
	    .jitter = set.jitter >= 0 ? set.jitter : .01,
	    .iterations = set.iterations >= 0 ? set.iterations : 40,
	    .tolerance = set.tolerance, .pseudocount =
	    cmd_given(&set.pseudocount) ? set.pseudocount : 1e-3,
	    .seed = (uint64_t)cmd.seed, .threads = (int)cmd.threads,
	    .simd = set.simd, .is_double = set.is_double };
	match_switch_judge(&set.sw, cmd_given(&set.every));
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **paths = cmd_begin(&info, argc, argv, NULL);
	bool alone;
	int rc = 1;

	cmd_judge_schemas(paths, stdin_walks());
	judge_score();
	if (set.window && cmd_given(&set.every))
		cmd_usage("--every is for prefixes, --window has --stride");
	if (!set.window && (cmd_given(&set.stride) || cmd_given(&set.label)))
		cmd_usage("--stride and --label need --window");
	if (set.window && set.summary)
		cmd_usage("--summary is for prefixes, not for --window");
	if (set.window && set.steps && set.steps < set.window)
		cmd_usage("--steps %ld is less than the window of %ld",
		    set.steps, set.window);
	if (set.wide && set.json)
		cmd_usage("--wide and --json exclude each other");
	if (set.keep_best && set.warm_iterations)
		cmd_usage("--keep and --warm exclude each other");
	cmd_ranks();
	set.simd = cmd_isa(set.isa);
	judge_switch();
	/* A row is told when it is known: somebody may be waiting. */
	cmd.live = true;
	alone = set.sw.on || set.track.binding;
	if (begin_ranks(paths, alone, &err) < 0)
		rc = -1;
	else if (!alone || cmd_is_first())
		rc = set.sw.on ? match_switch(&set.sw, paths, &err) :
		    match_run(&set, paths, &err);
	return cmd_end(rc, &err);
}
