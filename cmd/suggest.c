/* suggest.c - suggestions for unknown options: by spelling or by meaning */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "suggest.h"

enum {
	TYPO,
	BEGINNING,
	TYPO_LENGTH_MIN = 3, /* shortest word that is corrected */
	SHORT = 5,           /* letters of a word that is not short */
};

/* The length of the common prefix of a and b, at most n, ignoring case. */
static size_t
common(const char *a, const char *b, size_t n)
{
	size_t i;

	for (i = 0; i < n &&
	     tolower((unsigned char)a[i]) == tolower((unsigned char)b[i]);
	     i++)
		;
	return i;
}

/* Whether b (m bytes) is a (n bytes) after correction of one typing error. */
static bool
one_typo(const char *a, size_t n, const char *b, size_t m)
{
	size_t i = common(a, b, n < m ? n : m), rest;

	if (n + 1 == m)
		return common(a + i, b + i + 1, n - i) == n - i;
	/*
	 * In a short word an inserted letter may make another word: speed is
	 * not seed, but seeds may be.
	 */
	if (n == m + 1)
		return common(a + i + 1, b + i, m - i) == m - i &&
		    (m >= SHORT || (i && a[i] == a[i - 1]) ||
			(i == m && a[i] == 's'));
	if (n != m)
		return false;
	if (i == n)
		return true;
	rest = n - i - 1;
	if (common(a + i + 1, b + i + 1, rest) == rest)
		return true;
	return rest && common(a + i, b + i + 1, 1) &&
	    common(a + i + 1, b + i, 1) &&
	    common(a + i + 2, b + i + 2, rest - 1) == rest - 1;
}

void
cmd_suggest_add(struct cmd_suggest *near, const char *candidate)
{
	size_t n = near->n, m = strlen(candidate);

	if (n >= TYPO_LENGTH_MIN && one_typo(near->word, n, candidate, m)) {
		near->found[TYPO] = candidate;
		near->count[TYPO]++;
	}
	if (n && n < m && common(near->word, candidate, n) == n) {
		near->found[BEGINNING] = candidate;
		near->count[BEGINNING]++;
	}
}

/* The suggestion, or NULL if there is none or several. */
static const char *
suggest_word(const struct cmd_suggest *near)
{
	int how = near->count[TYPO] ? TYPO : BEGINNING;

	return near->count[how] == 1 ? near->found[how] : NULL;
}

const char *
cmd_suggest_hint(const struct cmd_suggest *near, const char *dashes,
    char buf[CMD_SUGGEST_TEXT])
{
	const char *word = suggest_word(near);

	buf[0] = '\0';
	if (word)
		snprintf(buf, CMD_SUGGEST_TEXT, ": did you mean %s%s?", dashes,
		    word);
	return buf;
}

/*
 * Words of other programs and of version 1.0.0.  "as svg" is a value of an
 * option.  Tools are separated by commas, words by bars; "*" is every tool.
 */
static const struct meaning {
	const char *tools, *words, *text;
} meanings[] = {
	{ "roomgen", "rows|cols|width|height|shape|dims|n-rows|n-cols",
	    "did you mean --size ROWSxCOLS?" },
	{ "roomgen", "hole-at", "did you mean --hole HxW@R,C?" },
	{ "roomgen", "doors",
	    "removed in 2.0.0: doors are two-way; \"oneway\" lines of a text "
	    "map (roomgen map) make one-way doors" },
	{ "roomgen", "one-way",
	    "removed in 2.0.0: \"oneway\" lines of a text map (roomgen map) "
	    "make one-way doors" },
	{ "roomgen", "door-width|gap", "removed in 2.0.0 (fixed at 1)" },
	{ "roomgen", "shared", "removed in 2.0.0 (fixed at 6)" },
	{ "roomgen", "symbols", "did you mean --obs apart or --obs shared?" },
	{ "roomgen", "edge-count", "removed in 2.0.0 (fixed at 100)" },
	{ "roomgen", "pseudocount",
	    "removed in 2.0.0 (fixed at 0.0001); cscg-learn --pseudocount X "
	    "is for learned models" },
	{ "roomserve", "no-respawn", "did you mean --respawn no?" },
	{ "walkconv", "like", "did you mean --alphabet-from?" },
	{ "walkconv", "sorted",
	    "removed in 2.0.0: names are numbered by first occurrence; "
	    "--alphabet-from WALK uses those of another walk" },
	{ "walkconv", "episodes", "did you mean --select?" },
	{ "walkconv", "to|out-format", "did you mean --as?" },
	{ "vq-kmeans", "tolerance",
	    "removed in 2.0.0: iterates until assignments are stable; "
	    "--iterations N limits it" },
	{ "vq-kmeans", "init",
	    "removed in 2.0.0: initial centroids are drawn by -s; --encode "
	    "CODEBOOK uses given ones" },
	{ "vq-kmeans", "centroids",
	    "removed in 2.0.0: --codebook FILE holds the centroids, see "
	    "cscg-codebook(5)" },
	{ "vq-kmeans", "keep-views",
	    "removed in 2.0.0: --gaussian of cscg-learn and cscg-bind reads "
	    "the walk that has the frames" },
	{ "vq-kmeans", "all",
	    "removed in 2.0.0: the result is the same without it" },
	{ "cscg-learn", "own-rows", "did you mean --untied-noise?" },
	{ "cscg-learn,cscg-bind", "soft", "did you mean --gaussian?" },
	{ "cscg-learn", "rebind", "did you mean --shared-graph?" },
	{ "cscg-learn", "draws", "removed in 2.0.0 (fixed at 50)" },
	{ "cscg-learn", "forget|decay", "did you mean --change-rate?" },
	{ "cscg-learn", "raw|em-only|no-refine",
	    "did you mean --structure none?" },
	{ "cscg-learn", "split", "did you mean --structure split?" },
	{ "cscg-bind", "warm|warm-start", "did you mean --init schema?" },
	{ "cscg-bind", "from-track|track", "did you mean --init track?" },
	{ "cscg-bind", "slip",
	    "removed in 2.0.0: use cscg-match --method track --slip P --save "
	    "FILE" },
	{ "cscg-bind,cscg-match", "pi",
	    "removed in 2.0.0: the initial distribution is learned if "
	    "emissions are tied, else uniform" },
	{ "cscg-bind,cscg-match,cscg-stitch", "tolerance",
	    "removed in 2.0.0 (fixed at 1e-05); --iterations N limits EM" },
	{ "cscg-bind,cscg-match", "pseudocount",
	    "removed in 2.0.0 (fixed at 1e-07)" },
	{ "cscg-match", "score", "did you mean --method?" },
	{ "cscg-match", "switching|smooth",
	    "did you mean --method switching?" },
	{ "cscg-match", "online", "did you mean --method switching-online?" },
	{ "cscg-match", "stride", "did you mean --every N?" },
	{ "cscg-match", "label",
	    "removed in 2.0.0: rows have the last step of the window; its "
	    "centre is N/2 steps earlier" },
	{ "cscg-match", "steps",
	    "removed in 2.0.0: walkconv --head N walk.gz | cscg-match -w - "
	    "SCHEMA..." },
	{ "cscg-match", "cover", "did you mean --min-visited?" },
	{ "cscg-match", "jump", "removed in 2.0.0 (fixed at 0.01)" },
	{ "cscg-match", "memory", "removed in 2.0.0 (fixed at 10000 steps)" },
	{ "cscg-match", "beam",
	    "removed in 2.0.0 (fixed at 200, or the number of states if "
	    "larger)" },
	{ "cscg-match", "keep", "did you mean --warm-start?" },
	{ "cscg-match", "warm",
	    "removed in 2.0.0: did you mean --warm-start?" },
	{ "cscg-match", "jitter",
	    "removed in 2.0.0; --restarts N sets the number of random "
	    "initialisations" },
	{ "cscg-match", "wide|as wide", "did you mean --as one-row?" },
	{ "cscg-match,cscg-plan", "summary", "did you mean --as summary?" },
	{ "cscg-match", "segments", "did you mean --as segments?" },
	{ "cscg-match", "bits",
	    "removed in 2.0.0: divide by 0.6931 (ln 2); cscg-score has "
	    "--bits" },
	{ "cscg-match", "binding", "did you mean --save?" },
	{ "cscg-match", "alpha",
	    "removed in 2.0.0 (fixed at 0.05); --as summary prints p" },
	{ "cscg-stitch", "discover", "did you mean --partition?" },
	{ "cscg-stitch,cscg-show", "conductance",
	    "removed in 2.0.0 (fixed at 0.02)" },
	{ "cscg-stitch,cscg-show", "narrow",
	    "removed in 2.0.0 (fixed at 0.3)" },
	{ "cscg-stitch,cscg-show", "min-states",
	    "removed in 2.0.0 (fixed at 8)" },
	{ "cscg-stitch", "stay", "did you mean --self-loop?" },
	{ "cscg-stitch", "trust", "did you mean --prior-weight?" },
	{ "cscg-stitch", "mend", "did you mean --reset-rounds?" },
	{ "cscg-stitch", "e-iterations", "did you mean --iterations?" },
	{ "cscg-stitch", "e-tolerance", "removed in 2.0.0 (fixed at 1e-05)" },
	{ "cscg-stitch", "e-pseudocount",
	    "removed in 2.0.0 (fixed at 1e-07)" },
	{ "cscg-stitch", "pseudocount",
	    "removed in 2.0.0 (fixed at 0.002); --prior-weight X weights the "
	    "schemas" },
	{ "cscg-stitch", "rounds", "removed in 2.0.0 (fixed at 5)" },
	{ "cscg-plan", "task",
	    "did you mean --goal match? (roomserve has --task)" },
	{ "cscg-plan", "from|source|origin", "did you mean --start?" },
	{ "cscg-plan", "forget|reset", "did you mean --new-world?" },
	{ "cscg-plan", "untied",
	    "removed in 2.0.0: emissions are tied if the schema has clone "
	    "groups; bind before with cscg-bind --tie none" },
	{ "cscg-plan", "explore-steps|explore-until steps",
	    "did you mean --explore-until N?" },
	{ "cscg-plan", "pass-by", "did you mean --explore-only?" },
	{ "cscg-plan", "surprise", "removed in 2.0.0 (fixed at 0.0001)" },
	{ "cscg-plan", "detour", "removed in 2.0.0 (fixed at 3)" },
	{ "cscg-plan", "iterations",
	    "removed in 2.0.0 (fixed at 50, untied 80); --restarts N is "
	    "there" },
	{ "cscg-plan", "max-length|horizon|depth|steps|n-steps",
	    "did you mean --max-steps?" },
	{ "cscg-score", "each|steps|per-row|stepwise",
	    "did you mean --per-step?" },
	{ "cscg-score", "episodes",
	    "removed in 2.0.0: sample once per seed (-s) and join the walks "
	    "with walkconv" },
	{ "cscg-show", "count", "removed in 2.0.0 (fixed at 100)" },
	{ "cscg-show", "boundary", "did you mean --frontiers boundary?" },
	{ "cscg-show", "bottlenecks", "did you mean --frontiers bottleneck?" },
	{ "cscg-show,cscg-stitch", "rooms", "did you mean --partition?" },
	{ "cscg-show", "merge", "did you mean --partition --as library?" },
	{ "cscg-show", "nodes|as states", "did you mean --as nodes?" },
	{ "cscg-show", "counts|as counts", "did you mean --as npy-counts?" },
	{ "cscg-show", "min-p|threshold|min-weight|prune",
	    "did you mean --min-prob?" },
	{ "cscg-show", "top", "did you mean --view top?" },
	{ "cscg-show", "iso", "did you mean --view iso?" },
	{ "cscg-show", "frame",
	    "removed in 2.0.0 (fixed at 64x64); roomwalk --render --frame HxW "
	    "renders other sizes" },
	{ "cscg-show", "loops",
	    "removed in 2.0.0: --as tsv lists self-transitions" },
	{ "roomgen",
	    "layout room1|layout room2|layout room3|layout room4|layout room5|"
	    "layout room6|layout compose4",
	    "did you mean --map? (--layout RxC is for join)" },
	{ "cscg-show", "frontiers",
	    "takes a value now: --frontiers given, boundary or bottleneck" },
	{ "roomserve", "respawn",
	    "takes a value now: --respawn yes or --respawn no" },
	{ "cscg-learn,cscg-show", "n-clones|nclones|num-clones",
	    "did you mean --clones?" },
	{ "cscg-learn,cscg-show",
	    "n-states|num-states|n-components|states|components|"
	    "hidden-states|n-hidden|n-hidden-states",
	    "did you mean --clones? (clones per symbol; the number of states "
	    "is their sum)" },
	{ "cscg-learn,cscg-bind,cscg-match,cscg-stitch,vq-kmeans",
	    "n-iter|n-iters|max-iter|max-iters|niter|epochs|n-epochs",
	    "did you mean --iterations?" },
	{ "cscg-learn,cscg-bind,cscg-match,cscg-stitch,vq-kmeans,cscg-plan",
	    "n-init", "did you mean --restarts?" },
	{ "cscg-learn,cscg-bind,cscg-match,cscg-stitch,vq-kmeans",
	    "n-starts|starts|inits|n-restarts", "did you mean --restarts?" },
	{ "cscg-learn", "tol|eps|epsilon", "did you mean --tolerance?" },
	{ "cscg-bind,cscg-match,cscg-stitch,vq-kmeans", "tol|eps|epsilon",
	    "there is none in this tool; --iterations N limits it" },
	{ "cscg-learn",
	    "alpha|prior|dirichlet|smoothing|pseudo-count|"
	    "transmat-prior",
	    "did you mean --pseudocount?" },
	{ "cscg-learn", "startprob|learn-startprob|initial|pi",
	    "did you mean --learn-pi?" },
	{ "cscg-learn", "init-model|warm-start|from-model|continue",
	    "did you mean --init MODEL?" },
	{ "cscg-learn",
	    "covariance|covariance-type|emission|emissions|"
	    "soft-evidence",
	    "did you mean --gaussian CODEBOOK?" },
	{ "cscg-learn", "viterbi-train|learn-viterbi",
	    "Viterbi training is part of --structure auto" },
	{ "cscg-learn", "update",
	    "did you mean --init MODEL --change-rate P?" },
	{ "cscg-learn", "bic",
	    "BIC chooses the clones if --clones is not given" },
	{ "cscg-learn", "walk|-w",
	    "walks are operands here: cscg-learn walk.gz" },
	{ "vq-kmeans", "-w",
	    "walks are operands here: vq-kmeans -k K walk.gz" },
	{ "walkconv", "-w", "files are operands here: walkconv FILE..." },
	{ "cscg-learn", "evaluate|score|loglik|test",
	    "score a model with cscg-score: cscg-score model.gz -w test.gz" },
	{ "cscg-learn", "plot|draw|svg|png|dot",
	    "draw the model: cscg-show --as svg model.gz -o model.svg" },
	{ "cscg-show", "plot|draw|svg|png|dot",
	    "did you mean --as svg? cscg-show --as svg model.gz -o "
	    "model.svg" },
	{ "cscg-show", "as eps",
	    "convert it: cscg-show --as svg FILE | rsvg-convert -f eps -o "
	    "out.eps" },
	{ "cscg-show", "as jpg",
	    "use --as ppm and a converter: cscg-show --as ppm FILE | "
	    "pnmtojpeg >out.jpg" },
	{ "cscg-show", "as csv",
	    "use --as tsv: cscg-show --as tsv FILE | tr \"\\t\" ," },
	{ "cscg-show", "as json",
	    "did you mean --as tsv --json? (the file itself is JSON: gzip -dc "
	    "FILE)" },
	{ "cscg-show", "as edges", "did you mean --as tsv?" },
	{ "cscg-show", "as networkx|as gexf|graphml",
	    "did you mean --as graphml?" },
	{ "cscg-show", "as numpy|transmat|matrix|numpy|npy",
	    "did you mean --as npy?" },
	{ "cscg-show", "as page|html", "did you mean --as html?" },
	{ "cscg-show", "as walk",
	    "convert walks with walkconv: walkconv walk.gz -o walk.csv" },
	{ "cscg-score,cscg-match,cscg-plan", "as json",
	    "did you mean --json?" },
	{ "cscg-score,cscg-match,cscg-plan", "as tsv", "TSV is the default" },
	{ "cscg-score,cscg-match,cscg-plan", "as csv",
	    "TSV is the default; convert it: tr \"\\t\" ," },
	{ "cscg-score,cscg-match,cscg-plan", "csv",
	    "TSV is the default; --json writes JSON Lines" },
	{ "cscg-plan", "as svg|as html|plot",
	    "show a plan: cscg-show --as html --plan plan.txt -w walk.gz -o "
	    "map.html model.gz" },
	{ "roomgen", "as svg",
	    "draw the room: roomgen KIND | cscg-show --as svg -o room.svg" },
	{ "roomgen", "as png",
	    "draw the room: roomgen KIND | cscg-show --as dot | dot -Tpng -o "
	    "room.png" },
	{ "roomgen", "as dot",
	    "draw the room: roomgen KIND | cscg-show --as dot" },
	{ "roomgen", "as schema",
	    "did you mean: roomgen KIND --as model | cscg-show --as schema" },
	{ "walkconv", "as json", "did you mean --as walk? (with --no-gzip)" },
	{ "walkconv", "as xlsx", "did you mean --as csv?" },
	{ "walkconv", "as parquet", "did you mean --as csv or --as npy?" },
	{ "walkconv", "from xlsx", "save the sheet as CSV first" },
	{ "walkconv", "from json", "did you mean --from walk?" },
	{ "walkconv", "as svg",
	    "draw a walk: cscg-show --as html -w walk.gz -o map.html "
	    "model.gz" },
	{ "walkconv",
	    "obs|observation|observations|symbol|symbols|state|"
	    "states",
	    "did you mean --x? (column of observations)" },
	{ "walkconv", "action|actions|act|u",
	    "did you mean --a? (column of actions)" },
	{ "walkconv", "group|groupby|trial|session|id|lengths|sequence",
	    "did you mean --episode? (column of episode numbers)" },
	{ "walkconv", "sep|separator|delim", "did you mean --delimiter?" },
	{ "walkconv", "na|nan|na-values|na-value|null",
	    "did you mean --missing?" },
	{ "walkconv", "nrows|n-rows|steps|limit|first",
	    "did you mean --head? (first N steps of each episode)" },
	{ "walkconv",
	    "split|test-size|train-fraction|holdout|train-test-split",
	    "did you mean --test FILE, with --test-fraction F?" },
	{ "walkconv,cscg-show,roomgen,cscg-score,cscg-match,cscg-plan",
	    "format|output-format", "did you mean --as?" },
	{ "walkconv", "input-format|in-format", "did you mean --from?" },
	{ "walkconv", "codes|ids|integers", "did you mean --numbers?" },
	{ "walkconv", "alphabet|categories|vocabulary|vocab",
	    "did you mean --alphabet-from WALK?" },
	{ "walkconv", "header",
	    "the first line names the columns; --x and --a choose them" },
	{ "roomwalk,roomserve", "n-steps|length|len|max-steps",
	    "did you mean --steps?" },
	{ "roomwalk,roomserve,cscg-plan", "n-episodes",
	    "did you mean --episodes?" },
	{ "roomwalk,roomserve", "runs|walks", "did you mean --episodes?" },
	{ "roomwalk,roomserve", "permute",
	    "did you mean --permute-episodes? (roomgen --permute permutes a "
	    "room once)" },
	{ "roomwalk,roomserve", "slip",
	    "slips belong to the room: roomgen room ROOM --slip P" },
	{ "roomwalk,roomserve", "obs",
	    "symbols belong to the room: roomgen --obs HOW" },
	{ "roomwalk,roomserve", "no-truth", "did you mean --blind?" },
	{ "roomwalk", "noise-sd", "did you mean --noise?" },
	{ "roomwalk", "misread",
	    "there is no misreading of symbols; --noise SD is pixel noise of "
	    "--render" },
	{ "roomwalk", "plan", "did you mean --actions FILE?" },
	{ "roomwalk", "images", "did you mean --render?" },
	{ "roomwalk", "resolution", "did you mean --frame HxW?" },
	{ "roomwalk", "random", "did you mean --policy random?" },
	{ "roomwalk", "explore", "did you mean --policy cover?" },
	{ "roomgen", "shuffle|relabel", "did you mean --permute?" },
	{ "roomgen", "noise|stochastic|slippery|p-slip",
	    "did you mean --slip?" },
	{ "roomgen", "observations|labels|n-obs|n-symbols",
	    "did you mean --obs?" },
	{ "roomgen", "render",
	    "render a walk: roomgen voxel | roomwalk --render -n N; a picture "
	    "of the room: cscg-show --as ppm --view iso" },
	{ "roomgen", "steps",
	    "walk in the room: roomgen KIND | roomwalk -n N" },
	{ "roomserve", "gym",
	    "Gymnasium environments: cscg-plan ... -- python3 "
	    "data/examples/gym_env.py ID" },
	{ "roomserve", "port",
	    "roomserve talks on standard input and output: cscg-env(5)" },
	{ "vq-kmeans", "k|n-clusters|n-components|centers|n-codes|codes",
	    "did you mean -k, --clusters?" },
	{ "vq-kmeans", "predict|transform|apply",
	    "did you mean --encode CODEBOOK?" },
	{ "vq-kmeans", "images|input|data|npy",
	    "did you mean --frames FILE?" },
	{ "vq-kmeans", "mixture|gaussian", "did you mean --gmm?" },
	{ "vq-kmeans", "save", "did you mean --codebook FILE?" },
	{ "cscg-bind,cscg-match", "tied|share-emissions",
	    "did you mean --tie clones?" },
	{ "cscg-bind,cscg-match", "untied", "did you mean --tie none?" },
	{ "cscg-bind", "schema",
	    "the schema is the operand: cscg-bind SCHEMA -w WALK" },
	{ "cscg-bind", "model",
	    "the model is an operand: cscg-bind MODEL -w WALK" },
	{ "cscg-match", "model",
	    "the model is an operand: cscg-match MODEL -w WALK" },
	{ "cscg-stitch", "model",
	    "the model is an operand: cscg-stitch MODEL -w WALK" },
	{ "cscg-score", "model",
	    "the model is an operand: cscg-score MODEL -w WALK" },
	{ "cscg-plan", "model",
	    "the model is an operand: cscg-plan MODEL -w WALK" },
	{ "cscg-bind", "clones",
	    "the schema fixes the states; cscg-learn has --clones" },
	{ "cscg-match", "schemas",
	    "schemas are operands: cscg-match [NAME=]SCHEMA... -w WALK" },
	{ "cscg-match", "filter|filtering",
	    "did you mean --method track or --method switching-online?" },
	{ "cscg-match", "step", "did you mean --every?" },
	{ "cscg-match", "threshold", "did you mean --min-posterior?" },
	{ "cscg-match", "prefix",
	    "did you mean: walkconv --head N walk.gz | cscg-match -w - "
	    "SCHEMA..." },
	{ "cscg-match", "head",
	    "cut the walk before: walkconv --head N walk.gz | cscg-match -w - "
	    "SCHEMA..." },
	{ "cscg-match", "plot",
	    "cscg-match writes a table; --as one-row suits plotting "
	    "programs" },
	{ "cscg-stitch", "doors", "did you mean --frontiers?" },
	{ "cscg-plan", "target|to|end", "did you mean --goal?" },
	{ "cscg-plan", "env|environment|gym",
	    "the environment is a command after --: cscg-plan MODEL --goal "
	    "env -- roomserve ROOM" },
	{ "cscg-plan", "policy|exploration", "did you mean --explore?" },
	{ "cscg-plan", "probability|threshold|min-prob",
	    "did you mean --confidence?" },
	{ "cscg-plan", "identify", "did you mean --goal match?" },
	{ "cscg-plan", "viterbi", "did you mean --start walk?" },
	{ "cscg-score", "viterbi|states|path", "did you mean --decode?" },
	{ "cscg-score", "predict-proba|proba|marginals|smooth|gamma",
	    "did you mean --posterior?" },
	{ "cscg-score", "generate|simulate|draw", "did you mean --sample N?" },
	{ "cscg-score", "log2|base", "did you mean --bits?" },
	{ "cscg-score",
	    "nll|loglik|log-likelihood|likelihood|perplexity|score",
	    "is in the table that cscg-score writes without options" },
	{ "cscg-show,roomgen,cscg-score,cscg-match,cscg-plan", "type",
	    "did you mean --as?" },
	{ "cscg-show", "compare|ground-truth|room",
	    "did you mean --truth ROOM?" },
	{ "cscg-show", "communities|clusters|segment",
	    "did you mean --partition?" },
	{ "cscg-show", "walk-plan", "did you mean --plan FILE?" },
	{ "*", "out|output-file|outfile|save-to",
	    "did you mean -o, --output?" },
	{ "*",
	    "n-jobs|jobs|n-threads|num-threads|cores|workers|nproc|"
	    "parallel",
	    "did you mean -j, --threads?" },
	{ "*", "random-state|random-seed|rng|rand",
	    "did you mean -s, --seed?" },
	{ "*", "input|in|infile",
	    "input files are operands; - is standard input" },
	{ "*", "silent", "did you mean -q, --quiet?" },
	{ "*", "debug|log-level", "did you mean -v, --verbose?" },
	{ "*", "memory|mem|memory-limit|mem-limit",
	    "did you mean --max-memory?" },
	{ "*", "simd|kernel|arch|avx2|avx512", "did you mean --isa?" },
	{ "*", "dtype|float64|precision|f64", "did you mean --double?" },
	{ "*", "compress|gzip|gz",
	    "output is compressed by default; --no-gzip writes plain JSON" },
	{ "*", "uncompressed|plain|no-compress", "did you mean --no-gzip?" },
	{ "*", "overwrite", "-o FILE replaces the file; no option is needed" },
	{ "*", "unbuffered|flush|line-buffered|stream",
	    "did you mean --live?" },
	{ "*", "log|history|trace|curve", "did you mean --stats FILE?" },
	{ "*", "jsonl|json-lines", "did you mean --json?" },
	{ "*", "manual|man|usage|examples",
	    "did you mean --help? (man TOOL has the examples)" },
	{ "*", "gpu|cuda|device",
	    "the tools run on the CPU; -j N sets threads, cscg-cluster(7) "
	    "describes MPI" },
	{ "*", "mpi|ranks", "start it by mpirun or srun: cscg-cluster(7)" },
};

/* Whether the text of n bytes is one of the items of list. */
static bool
in_list(const char *list, char separator, const char *text, size_t n)
{
	const char *end;

	for (; *list; list = *end ? end + 1 : end) {
		end = strchr(list, separator);
		if (!end)
			end = list + strlen(list);
		if ((size_t)(end - list) == n && !memcmp(list, text, n))
			return true;
	}
	return false;
}

const char *
cmd_suggest_meaning(const char *tool, const char *word, size_t n,
    const char *value, bool *any_tool)
{
	const struct meaning *m,
	    *end = meanings + sizeof meanings / sizeof *meanings,
	    *found = NULL;
	char text[80];
	int len = snprintf(text, sizeof text, "%.*s%s%s", (int)n, word,
	    value ? " " : "", value ? value : "");

	if (len < 0 || (size_t)len >= sizeof text)
		return NULL;
	for (m = meanings; m < end; m++) {
		if (!in_list(m->words, '|', text, (size_t)len))
			continue;
		if (in_list(m->tools, ',', tool, strlen(tool)))
			found = m;
		else if (!strcmp(m->tools, "*") && !found)
			found = m;
	}
	if (found && any_tool)
		*any_tool = !strcmp(found->tools, "*");
	return found ? found->text : NULL;
}

/* remedies for errors of the library, by hint */

static const struct {
	const char *hint, *text;
} remedies[] = {
	{ "memory-limit", " (--max-memory)" },
	{ "hole-size", ": give --hole" },
	{ "notch-size", ": give --notch" },
	{ "schema-needed", ": see cscg-show --as clones" },
	{ "grounded-needed", " (cscg-bind learns its emissions)" },
	{ "plan-start",
	    "; give the walk before it (-w), or use cscg-plan --json" },
	/* Tables. */
	{ "x-column", " (--x names another)" },
	{ "a-column", " (--a names another, or '' for none)" },
	{ "a-column-or-derived",
	    " (--a names another, or '' for none; --derive-actions derives "
	    "them)" },
	{ "columns", " (--x, --a, --episode, --bin, --time)" },
	{ "episode-column",
	    "; if another begins here, --episode names its column" },
	{ "episode-columns",
	    " (--episode may be repeated, for several columns)" },
	{ "delimiter", " (--delimiter)" },
	{ "missing-value", "; if this marks a missing value, use --missing" },
	/* Files that are not JSON. */
	{ "npy",
	    "; walkconv makes a walk of symbols, vq-kmeans --frames symbols "
	    "of frames, cscg-show --from-npy a model of T" },
	{ "picture-program", " (--as svg needs no program)" },
	{ "picture",
	    "; vq-kmeans --frames takes pictures as the rows of a .npy "
	    "array" },
	{ "checkpoint",
	    "; the tool that wrote it continues from it with --checkpoint and "
	    "--resume" },
	{ "hdf5", "; walkconv makes a walk of CSV, TSV or .npy" },
	{ "table", "; walkconv makes a walk of it" },
	{ "text-map", "; roomgen map makes a room of it" },
	{ "text",
	    "; walkconv makes a walk of CSV, with --text of text, and roomgen "
	    "map a room of a text map" },
	/* Files of one format where another is required. */
	{ "cscg-walk for cscg-room",
	    " (roomgen makes rooms, cscg-learn a model of a walk)" },
	{ "cscg-model for cscg-room",
	    " (roomgen makes rooms, cscg-score --sample a walk of a model)" },
	{ "cscg-codebook for cscg-room",
	    " (roomgen makes rooms, vq-kmeans --encode reads a codebook)" },
	{ "cscg-room for cscg-walk", " (roomwalk makes a walk in a room)" },
	{ "cscg-model for cscg-walk",
	    " (cscg-score --sample makes a walk of a model)" },
	{ "cscg-codebook for cscg-walk",
	    " (roomwalk makes walks, vq-kmeans --encode reads a codebook)" },
	{ "cscg-room for cscg-model",
	    " (roomwalk makes a walk in a room, cscg-learn a model of that)" },
	{ "cscg-walk for cscg-model",
	    " (cscg-learn makes a model of a walk; -w takes walks)" },
	{ "cscg-codebook for cscg-model",
	    " (cscg-learn makes models, its --gaussian reads a codebook)" },
	{ "cscg-room for cscg-codebook",
	    " (roomwalk --render makes a walk with frames in a room, "
	    "vq-kmeans a codebook of that)" },
	{ "cscg-walk for cscg-codebook",
	    " (vq-kmeans makes a codebook of a walk with frames)" },
	{ "cscg-model for cscg-codebook", " (vq-kmeans makes codebooks)" },
};

const char *
cmd_suggest_remedy(const char *hint)
{
	size_t i;

	for (i = 0; i < sizeof remedies / sizeof *remedies; i++)
		if (!strcmp(remedies[i].hint, hint))
			return remedies[i].text;
	return "";
}
