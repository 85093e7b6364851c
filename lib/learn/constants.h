/*
 * constants.h - the constants of the choice between candidates, each with the
 * test that needs it
 *
 * The constants of context statistics and of state merging are documented
 * beside their derivations: context.c, learn.c (contexts), noisy.c, assess.c
 * and merge_sets.h.
 */
#ifndef CSCG_LEARN_CONSTANTS_H
#define CSCG_LEARN_CONSTANTS_H

struct cscg_learn_constants {
	/* Candidates: learn.c */
	double merged_share;  /* share of the steps with a state above which
	                         state merging succeeded (unit merge,
	                         fig-recover) */
	double nearly_merged; /* share of the steps with a state of a walk
	                         that is nearly deterministic, though too
	                         short for merging (cli cscg-learn) */
	long dense_steps;     /* a shorter walk without actions is always
	                         searched for a graph (unit learn) */

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

	/* Automata: alergia.c; unit alergia, fig-pautomac */
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
	int failed_splits;  /* the same for splits (unit split) */
	int tied_updates;   /* of the shares of tied noise */
	int tied_tests;     /* untied rows that are tested on the walk
	                       (unit tied_noise) */
};

static const struct cscg_learn_constants cscg_learn_constants = {
	.merged_share = .9,
	.nearly_merged = .2,
	.dense_steps = 5000,
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
	.automaton_episodes = 100,
	.automaton_states = 500,
	.automaton_em_states = 1000,
	.automaton_work = 1e11,
	.automaton_open = .1,
	.viterbi_rounds = 20,
	.merge_rounds = 10,
	.failed_merges = 4,
	.failed_splits = 4,
	.tied_updates = 500,
	.tied_tests = 200,
};

#endif
