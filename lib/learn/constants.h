/*
 * constants.h - the constants of learning a model from a walk, each with the
 * test that needs it
 *
 * The sizes of arrays are an enum, all others one struct.  A name is that of a
 * unit test, a test of tests/cli, a figure or its script in data/figures; in
 * brackets it is a function of the unit test of the module.  Constants of
 * updates, of several episodes and of frames are those of update.c, multi.c and
 * kmeans.c.
 */
#ifndef CSCG_LEARN_CONSTANTS_H
#define CSCG_LEARN_CONSTANTS_H

#include <stdbool.h>

enum {
	CSCG_ALERGIA_LEVELS = 4, /* significance levels that are tried */
	CSCG_BEAM_ACTIONS = 8,   /* of a graph of the beam, at most, and ... */
	CSCG_BEAM_STATES = 64,   /* ... states: the bits of a set of states */
	CSCG_BEAM_CLOSED = 7,    /* half-lengths of closed paths, from 0 */
	CSCG_BEAM_SEARCHES = 4,  /* with another cost of a state each */
	CSCG_MERGE_REPEATS = 30, /* of a search, without a weak merge (unit
	                            merge [aliased]) */
	CSCG_MERGE_STARTS = 8,   /* of state merging */
	CSCG_NOISE_RULES = 3,    /* tests of a walk for noise */
	CSCG_OUTWARD_ROUNDS = 40 /* of the search outward, at most */
};

/*
 * Inverse actions and symbols at which actions are blocked: inverse.c; unit
 * inverse has a test of each.
 */
struct cscg_inverse_constants {
	double nats;   /* evidence that two actions are inverses, or that an
	                  action is never blocked at a symbol */
	long returns;  /* symbols changed by the inverse that show an action to
	                  be blocked */
	double sigmas; /* by which changed symbols may be fewer than expected
	                  if an action is always blocked */
};

/* One start of state merging: its landmarks, and its merges. */
struct cscg_merge_start {
	double landmark; /* evidence that all occurrences of a context are one
	                    state, as a multiple of that of a merge */
	double merge;    /* factor of the evidence of a merge */
	bool best_first; /* weaker evidence one merge at a time, each checked
	                    by inverse transitions [aliased] */
};

/*
 * State merging of walks without noise: merge_sets.c, merge.c,
 * merge_inverse.c.  The function in brackets, of unit merge, merge_inverse or
 * inverse, fails with a much larger or much smaller value.  Constants without
 * brackets have no such test.
 */
struct cscg_merge_constants {
	double nats;           /* merge: evidence beyond ln(steps), in nats
	                          [aliased, corridors] */
	double nats_factor;    /* ratio of successive thresholds of evidence */
	double nats_least;     /* the smallest threshold above 0 */
	double evidence_least; /* -ln P below which agreement on a symbol is no
	                          evidence: uniform areas [worlds, aliased] */
	int visits;     /* visits to a state for each of its actions that
	                   make it reliable [chance, worlds] */
	int size_least; /* steps of a state that is merged by evidence */
	struct cscg_merge_start start[CSCG_MERGE_STARTS]; /* searched in turn,
	                               until a graph is complete [aliased,
	                               few_symbols] */
	int context_max; /* actions in the context of a landmark
	                               [aliased] */
	int occurrences; /* of the most frequent context, for longer
	                               contexts to be tried [aliased] */
	long pairs;      /* pairs of states compared for the evidence of
	                    one merge */
	double complete; /* fraction of steps with a state at which a graph
	                    is complete [corridors, straight_runs] */
	double work;     /* pairs compared in all starts, for each step
	                    [endless] */
	int max_cells;   /* steps times actions, of the table of successors
	                    (unit merge_sets [sizes]) */

	/* The search with guesses: merge_inverse.c */
	int runs;
	int guesses;    /* of one run [corridors, straight_runs] */
	long all_pairs; /* pairs of steps compared in all runs [corridors,
	                   straight_runs] */
	double
	    nearly_complete; /* fraction of steps with a state at which later
	                        graphs must be smaller */
};

/* State merging by a beam: merge_beam.c; unit merge_beam, mazes of fig-learn. */
struct cscg_beam_constants {
	int width;         /* graphs that are kept */
	int contradiction; /* states that a contradiction is worth */
	int min_agreeing;  /* moves that show that the order of actions does
	                      not matter */
	/*
	 * The probability that 2 k random moves along two axes, of which none
	 * undoes the one before, nor the last the first, end where they began:
	 * such paths, of the 4 * 3^(2 k - 1) in which none undoes the one before.
	 */
	double closed[CSCG_BEAM_CLOSED];
	double min_coincidences; /* expected without coordinates: at 1, none is
	                            seen with probability exp(-1), which
	                            coordinates outweigh with a prior of a
	                            half */
	double max_work;         /* steps located and followed */
	double
	    max_rare; /* share of the steps in states with few visits, however
	                    many: a walk with a bias [biased] */
	double state_cost[CSCG_BEAM_SEARCHES]; /* in arrivals predicted */
};

/* State merging of short walks: merge_pairs.c; unit merge_pairs. */
struct cscg_pairs_constants {
	long pairs;         /* states compared for the evidence of one merge */
	double nats;        /* least evidence of a merge beyond ln(states) */
	double pseudocount; /* of each symbol, for the evidence of agreement:
	                       few steps, many repetitions */
	int max_order;      /* of an action */
	int order_runs;     /* that show it */
};

/* Graphs of noisy walks of few steps: refine.c; unit refine, unit residual. */
struct cscg_refine_constants {
	int max_actions; /* tables are dense */
	int max_symbols;
	int max_states;     /* of a graph */
	int cycles;         /* of estimating and decoding after a change */
	int split_cycles;   /* of assigning arrivals to halves */
	int min_other;      /* steps to another successor, for a split */
	int max_others;     /* such successors of a state that are tried */
	int rare_share;     /* a state of at most this part of the mean number
	                        of steps may be removed */
	int contradictions; /* steps in rows that contradict a merge */
	int rounds;         /* over all changes */
	int max_trials;     /* changes */
	double jump;        /* probability that the graph is wrong at a step,
	                        so that any state follows */
	double beam;        /* paths this many nats below the best one are
	                        dropped */
	double max_excess;  /* a change that costs this many nats more at first
	                        is not pursued */
};

/* A walk is noisy if few of its (context, action) pairs are exact. */
struct cscg_noise_rule {
	double min_steps; /* of a (context, action) pair */
	long min_pairs;   /* for a decision */
	double max_exact; /* largest share of pairs without exceptions in a
	                     noisy walk */
};

/*
 * States from contexts: context.c, learn_contexts.c; unit context, rooms with
 * slips.
 */
struct cscg_context_constants {
	/* Whether a walk is noisy */
	struct cscg_noise_rule noise_rules[CSCG_NOISE_RULES];
	double min_share;       /* of the main outcome of a pair */
	int max_length;         /* steps of a context in which noise is looked
	                          for (random automata) */
	long merge_comparisons; /* per step, of state merging in a walk that is
	                          not noisy (the room of 14x15) */

	/* Clusters */
	int min_visits;      /* steps of a context that may start a cluster */
	int passes;          /* assignments of the contexts of a symbol */
	double rejection;    /* standard deviations above the mean of the test
	                        statistic */
	double min_expected; /* expected count of an outcome that is a degree
	                        of freedom */

	/* Alternated with EM */
	int rounds;       /* before the first EM; later one each */
	int cycles;       /* of contexts and EM, at most */
	int iterations;   /* of EM before states are merged ... */
	int polish;       /* ... and after */
	double tolerance; /* of EM, times that of the settings */
	int max_failed;   /* cycles in a row without improvement */
	int max_states;
	int max_clones; /* of one symbol: with more, contexts of one step mix
	                      too many states, and model selection finds the
	                      better map */
	double main;    /* share of all transitions that are the likeliest
	                      of their row */
	double max_change; /* the last two cycles differ at most by this share
	                      of the states ... */
	double max_gain;   /* ... and of the log-likelihood */
};

/* Graphs of noisy walks from landmarks: outward.c; unit outward. */
struct cscg_outward_constants {
	int iterations;     /* of EM in each round */
	double min_count;   /* expected, of a transition after EM */
	double beam_share;  /* least share of a state of the beam */
	double pseudocount; /* times that of the settings: a step that is
	                           misread is no jump */
	int max_states;
	double landmark_share; /* of the steps of a symbol */
	double main;           /* share of a row of its main successor, of a
	                           known state of a rough model */

	/* Transitions to unknown states */
	int min_visits;  /* of a transition that is decided */
	int max_members; /* steps compared for one decision */
	double enough;   /* nats above the unknown state: a merge */
	double margin;   /* nats above any other state: likewise */
	double little;   /* fewer nats: a new state */
	double spread;   /* of the transitions between unknown states
	                           lead to new states at first */
	double hurry;    /* of the open transitions are decided in a
	                           round, or new states are made */

	/* Coordinates */
	int min_agreeing; /* transitions for a property of actions, and ... */
	double agreeing_share; /* ... share that agrees with it */
	int min_loops;         /* transitions that close a loop */
	int min_common;        /* steps to common successors of states that are
	                           one */
	double contradiction;  /* nats against coordinates, or ... */
	double against;    /* ... for each step, of a decided transition: it
	                           attracts the steps that agree with it */
	double fill_share; /* of the steps of an unknown state that
	                           coordinates replace */
	double blocked;    /* steps that stay, and ... */
	double expected;   /* ... of a transition that coordinates expect */

	/* The end */
	int max_checks;      /* rounds that only change transitions */
	int max_disagreeing; /* transitions of a graph that has a state for
	                           all coordinates, in as many ... */
	int max_wrong;       /* ... rounds in a row: the search fails */
	int grid_rounds;     /* without coordinates: the search for a graph
	                           that needs them fails */
	double max_unknown;  /* share of the steps: the end */
	double unknown_left; /* share of the steps: no graph */
	double same;         /* relative difference of the log-likelihoods of
	                           rounds that repeat themselves */
};

/* Misread symbols: noisy.c; cli stochastic, cli misread. */
struct cscg_noisy_constants {
	int rounds;       /* of contexts before EM, ... */
	int rough_rounds; /* ... of a model to start from */
	int cycles;       /* of contexts and EM */
	int iterations;   /* of EM before states are merged ... */
	int polish;       /* ... and after */
	int last;         /* of EM on the final model, at most */
	int max_failed;   /* removals or merges in a row that lower BIC */
	int max_states;
	double beam_share;  /* least share of a state of the beam, ... */
	double rough_share; /* ... of a model to start from */
	double certain;     /* share of the transitions that are the likeliest
	                       of their row */
	double min_count;   /* expected, of a transition */
};

/* The assessment: assess.c; unit assess has a test for each. */
struct cscg_assess_constants {
	double min_confidence; /* of a supported row, and ... */
	long visits;           /* ... transitions that it needs */
	double unsynced;   /* share of steps without a state above which the
	                      Viterbi path is used */
	double main;       /* share of the transitions of a row that make a
	                      successor its main one, or a share ... */
	double deviations; /* ... less than this many standard deviations below
	                      that of the rows that have one */
	double differ_max; /* limit of the prior s/(2s + 1) */
	/* A map is doubtful with ... */
	double supported;    /* ... fewer supported rows, as a share of all, */
	double mixed;        /* ... more transitions from rows without a main
	                     successor, */
	double memory;       /* ... more memory, in nats per step, ... */
	double memory_share; /* ... and as a share of the nats per step that
	                        the map does not predict (text), */
	int uneven;       /* ... as many rows with more noise than others, */
	double certain;   /* ... one with as many times the ratio, */
	double sparse;    /* ... or fewer steps per row, if half the walk gives
	                   another graph, or such a graph and the rest of the
	                   walk contradicts it (of 24 rooms of 42 nodes the
	                   graphs of 500 steps, 3.3 per row, are right in 17,
	                   those of 600, 3.8 per row, in 23) ... */
	long sparse_rows; /* ... and it has at least as many rows; README's
	                     corridor has 6, of twelve steps */
};

struct cscg_learn_constants {
	/* Candidates: learn_merge.c, learn_structure.c */
	double merged_share; /* share of the steps with a state above which
	                         state merging succeeded (unit merge,
	                         fig-recover) */
	double merge_cut;    /* share of the steps left out, doubled ... */
	int merge_parts; /* ... this often, if the whole walk gives no graph
	                     (learn-clean.sh random-4-20x20) */
	double nearly_merged;  /* share of the steps with a state of a walk
	                         that is nearly deterministic, though too
	                         short for merging (cli cscg-learn) */
	long dense_steps;      /* a shorter walk without actions is always
	                         searched for a graph (unit learn) */
	double settled_visits; /* steps per row of a graph that is not compared
	                          with EM (learn-stochastic.sh) */
	double deterministic;  /* least share of the likeliest transitions of a
	                         graph by merging alone (unit residual) */

	/* State merging */
	struct cscg_inverse_constants inverse;
	struct cscg_merge_constants merge;
	struct cscg_beam_constants beam;
	struct cscg_pairs_constants pairs;
	struct cscg_refine_constants refine;

	/* Walks with noise: learn_noisy.c, learn_tied.c */
	struct cscg_context_constants context;
	struct cscg_outward_constants outward;
	struct cscg_noisy_constants noisy;
	double misread_start; /* misreading probability before EM */
	double min_misread;   /* smaller: no misreading */
	int misread_rounds;   /* of contexts of replaced symbols (cli
	                           stochastic) */
	double misread_main;  /* share of all transitions that are the
	                           likeliest of their row (unit context) */
	long min_part;        /* steps of a part that is searched first, ... */
	long landmark_visits; /* ... of each row of its graph, ... */
	long context_visits;  /* ... if there are few landmarks
	                           (learn-noise.sh) */
	int part_iterations;  /* of EM on the whole walk */
	int outward_iterations; /* of EM on a graph of the whole walk */
	double sure_supported;  /* a graph that is not compared has at least as
	                           many supported rows, ... */
	double sure_mixed;  /* ... at most this share of transitions from rows
	                           without a main successor, ... */
	double sure_memory; /* ... and memory; with misreading ... */
	double sure_main;   /* ... this share of its transitions are the
	                           likeliest of their row (learn-noise.sh) */
	int tie_rounds;     /* of tied noise (recording of cscg-tutorial(7)) */
	int tie_iterations; /* of EM in a round */

	/* The warning */
	struct cscg_assess_constants assess;

	/* Held-out steps: holdout.c; unit holdout */
	long short_steps;   /* shorter walks have several folds */
	int short_blocks;   /* of such a walk */
	int long_blocks;    /* of a longer walk, in one fold, ... */
	int long_share;     /* ... which holds out one block in this number */
	int episode_blocks; /* with this many episodes, each is a block */

	/* Plain EM: em_select.c; unit em_select, cli stochastic */
	int failed_doublings;  /* doublings of the clones that fail in a row
	                          end the search */
	int first_updates;     /* updates before the first held-out prediction;
	                          the number doubles for each further
	                          prediction (learn-stochastic.sh) */
	double min_gain;       /* nats that a doubling must gain ... */
	double min_gain_share; /* ... and share of the log-likelihood, or
	                          it counts as failed (fig-pautomac) */
	double max_work;       /* multiplications of an update
	                          (fig-pautomac: 5 minutes) */
	long mixture_steps;    /* shorter walks with actions get a mixture
	                          (learn-stochastic.sh) */
	int pi_episodes;       /* with at least this many, pi is learned */

	/*
	 * Automata: alergia.c; unit alergia, fig-pautomac.  The likelihood ratio
	 * of two nodes has the distribution of chi-squared for counts of a node
	 * with enough visits, when symbols are pooled that are expected too
	 * rarely in one of the two nodes.
	 */
	double levels[CSCG_ALERGIA_LEVELS]; /* of significance */
	long ratio_visits;                  /* of a node that is tested */
	double ratio_expected;   /* count of a symbol that is not pooled */
	int automaton_episodes;  /* fewer: no automaton is learned */
	int automaton_states;    /* largest number */
	int automaton_em_states; /* largest number of states for EM */
	double automaton_work;   /* multiplications of all updates of EM
	                            (fig-pautomac: 5 minutes) */
	double automaton_open;   /* share of a transition that the other states
	                            of its symbol have before EM */

	/* Reduction after EM: structure.c, split.c, tied_noise.c */
	int viterbi_rounds; /* of Viterbi training (unit structure) */
	int merge_rounds;   /* of training and merging */
	int failed_merges;  /* failures in a row that end merging (unit
	                       structure) */
	double give_up;     /* nats of BIC that one update of EM after a wrong
	                       merge in a model of noise loses: it is not tried
	                       further, which saves CPU time and changes no
	                       result */
	int failed_splits;  /* failed splits in a row that end splitting (unit
	                       split) */
	int tied_updates;   /* of the shares of tied noise */
	int tied_tests;     /* untied rows that are tested on the walk
	                       (unit tied_noise) */
};

static const struct cscg_learn_constants cscg_learn_constants = {
	.merged_share = .9,
	.merge_cut = 1. / 32,
	.merge_parts = 3,
	.nearly_merged = .2,
	.dense_steps = 5000,
	.settled_visits = 4,
	.deterministic = .998,
	.inverse = { .nats = 7, .returns = 5, .sigmas = 3 },
	.merge = { .nats = 8,
	    .nats_factor = 1.5,
	    .nats_least = 3,
	    .evidence_least = .4,
	    .visits = 4,
	    .size_least = 2,
	    .start = { { 5, 1, false }, { 2, 1, true }, { 2, 1, false },
		{ 1, 1, false }, { 3, 1.5, false }, { 2, 1.5, false },
		{ 2, 2, false }, { 3, 1.5, true } },
	    .context_max = 12,
	    .occurrences = 8,
	    .pairs = 4000,
	    .complete = .99,
	    .work = 2e3,
	    .max_cells = 1 << 28,
	    .runs = 20,
	    .guesses = 100,
	    .all_pairs = 30000000,
	    .nearly_complete = .95 },
	.beam = { .width = 60,
	    .contradiction = 2,
	    .min_agreeing = 10,
	    .closed = { 0, 0, 8. / 108, 24. / 972, 216. / 8748, 1520. / 78732,
		12080. / 708588 },
	    .min_coincidences = 1,
	    .max_work = 5e8,
	    .max_rare = .01,
	    .state_cost = { 2, 1, 4, .5 } },
	.pairs = { .pairs = 400,
	    .nats = 1,
	    .pseudocount = 1,
	    .max_order = 8,
	    .order_runs = 6 },
	.refine = { .max_actions = 64,
	    .max_symbols = 10000,
	    .max_states = 512,
	    .cycles = 6,
	    .split_cycles = 3,
	    .min_other = 2,
	    .max_others = 3,
	    .rare_share = 4,
	    .contradictions = 20,
	    .rounds = 30,
	    .max_trials = 1600,
	    .jump = 1e-4,
	    .beam = 15,
	    .max_excess = 300 },
	.context = { .noise_rules = { { 50, 20, .75 }, { 20, 20, .9 },
			 { 10, 30, .85 } },
	    .min_share = .9,
	    .max_length = 8,
	    .merge_comparisons = 2,
	    .min_visits = 10,
	    .passes = 3,
	    .rejection = 4,
	    .min_expected = .5,
	    .rounds = 4,
	    .cycles = 8,
	    .iterations = 30,
	    .polish = 10,
	    .tolerance = 10,
	    .max_failed = 2,
	    .max_states = 2000,
	    .max_clones = 160,
	    .main = .6,
	    .max_change = .05,
	    .max_gain = .03 },
	.outward = { .iterations = 3,
	    .min_count = .1,
	    .beam_share = 1e-3,
	    .pseudocount = .1,
	    .max_states = 600,
	    .landmark_share = .6,
	    .main = .75,
	    .min_visits = 8,
	    .max_members = 100,
	    .enough = 10,
	    .margin = 3,
	    .little = 2,
	    .spread = .3,
	    .hurry = .3,
	    .min_agreeing = 10,
	    .agreeing_share = .8,
	    .min_loops = 2,
	    .min_common = 4,
	    .contradiction = 10,
	    .against = 4,
	    .fill_share = .1,
	    .blocked = 4,
	    .expected = 10,
	    .max_checks = 10,
	    .max_disagreeing = 4,
	    .max_wrong = 3,
	    .grid_rounds = 10,
	    .max_unknown = .002,
	    .unknown_left = .4,
	    .same = 1e-7 },
	.noisy = { .rounds = 4,
	    .rough_rounds = 2,
	    .cycles = 3,
	    .iterations = 8,
	    .polish = 4,
	    .last = 30,
	    .max_failed = 5,
	    .max_states = 2000,
	    .beam_share = 1e-4,
	    .rough_share = 1e-3,
	    .certain = .99,
	    .min_count = .5 },
	.misread_start = .02,
	.min_misread = 4e-3,
	.misread_rounds = 4,
	.misread_main = .8,
	.min_part = 10000,
	.landmark_visits = 40,
	.context_visits = 34,
	.part_iterations = 4,
	.outward_iterations = 30,
	.sure_supported = .95,
	.sure_mixed = .02,
	.sure_memory = .002,
	.sure_main = .998,
	.tie_rounds = 4,
	.tie_iterations = 4,
	.assess = { .min_confidence = .95,
	    .visits = 2,
	    .unsynced = .02,
	    .main = .75,
	    .deviations = 3,
	    .differ_max = .4,
	    .supported = .65,
	    .mixed = .05,
	    .memory = .002,
	    .memory_share = .01,
	    .uneven = 2,
	    .certain = 3,
	    .sparse = 3.7,
	    .sparse_rows = 20 },
	.short_steps = 5000,
	.short_blocks = 10,
	.long_blocks = 40,
	.long_share = 10,
	.episode_blocks = 40,
	.failed_doublings = 2,
	.first_updates = 5,
	.min_gain = 3,
	.min_gain_share = .001,
	.max_work = 5e8,
	.mixture_steps = 400,
	.pi_episodes = 100,
	.levels = { 1e-6, 1e-3, .05, .2 },
	.ratio_visits = 10,
	.ratio_expected = 5,
	.automaton_episodes = 100,
	.automaton_states = 500,
	.automaton_em_states = 1000,
	.automaton_work = 1e11,
	.automaton_open = .1,
	.viterbi_rounds = 20,
	.merge_rounds = 10,
	.failed_merges = 4,
	.give_up = 100,
	.failed_splits = 4,
	.tied_updates = 500,
	.tied_tests = 200,
};

#endif
