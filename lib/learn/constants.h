/*
 * constants.h - the constants of the choice between candidates, each with the
 * test that needs it
 *
 * Those of the statistics of contexts and of state merging stand beside their
 * derivations, in context.c, learn.c (contexts) and merge.c.
 */
#ifndef CSCG_LEARN_CONSTANTS_H
#define CSCG_LEARN_CONSTANTS_H

struct cscg_learn_constants {
	/* Which candidates there are: learn.c */
	double merged_share;  /* of the steps has a state: state merging
	                              succeeded (unit merge, fig-recover) */
	double nearly_merged; /* share of the steps with a state of a walk
	                              that is nearly deterministic, though too
	                              short for merging (cli cscg-learn) */
	long dense_steps;     /* a shorter walk without actions is always
	                              searched for a graph (unit learn) */

	/* Held-out steps: holdout.c; unit holdout */
	long short_steps;   /* a walk of fewer has several folds */
	int short_blocks;   /* of such a walk */
	int long_blocks;    /* of a longer walk, in one fold, ... */
	int long_share;     /* ... which holds out one block in this number */
	int episode_blocks; /* with this many episodes, each is a block */

	/* Plain EM: em_select.c; unit em_select, cli stochastic */
	int failed_doublings;  /* of the clones, in a row: the end */
	int first_updates;     /* held-out steps are predicted after this many
	                              updates, and each time after as many more
	                              as were made (learn-stochastic.sh) */
	double min_gain;       /* nats that a doubling must gain ... */
	double min_gain_share; /* ... and share of the log-likelihood, or
	                              it counts as failed (fig-pautomac) */
	double max_work;       /* multiplications of an update
	                              (fig-pautomac: 5 minutes) */
	int pi_episodes;       /* with this many, pi is learned */

	/* Automata: alergia.c; unit alergia, fig-pautomac */
	int automaton_episodes;  /* fewer say little about a prefix tree */
	int automaton_states;    /* at most */
	int automaton_em_states; /* of the model, for EM */
	int automaton_updates;   /* of EM */

	/* Reduction after EM: structure.c, split.c, tied_noise.c */
	int viterbi_rounds; /* of Viterbi training (unit structure) */
	int merge_rounds;   /* of training and merging */
	int failed_merges;  /* in a row: the end (unit structure) */
	int failed_splits;  /* likewise (unit split) */
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
	.pi_episodes = 100,
	.automaton_episodes = 100,
	.automaton_states = 500,
	.automaton_em_states = 1000,
	.automaton_updates = 10,
	.viterbi_rounds = 20,
	.merge_rounds = 10,
	.failed_merges = 4,
	.failed_splits = 4,
	.tied_updates = 500,
	.tied_tests = 200,
};

#endif
