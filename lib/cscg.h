/*
 * cscg.h - the public interface of libcscg
 *
 * Learn action-conditioned hidden Markov models whose states are clones of
 * observation symbols (clone-structured cognitive graphs), turn them into
 * schemas, bind schemas to new observations, and plan with them.
 *
 * 	cc program.c $(pkg-config --cflags --libs cscg)
 *
 * Objects are opaque.  A function that returns a pointer to a struct without
 * const gives a new object, which the caller frees with the matching _free();
 * all other pointers are borrowed.  _free() accepts NULL.
 *
 * A function that fails returns NULL or -1 and fills *err, which must not be
 * NULL; then no result was written, unless stated otherwise.  Codes that any
 * function may give: CSCG_ENOMEM, CSCG_EBUG.  The library prints nothing, does
 * not exit and does not change the process; it has no global state.
 *
 * Threads may share an object as long as no thread changes it.  `threads` in
 * the settings is the number of OpenMP threads; results do not depend on it.
 *
 * A _settings struct is made by its _defaults() function, which gives the
 * defaults of the command-line tools, and one thread; a NULL pointer to settings
 * means the defaults.  Settings are borrowed for the duration of the call.
 *
 * Log-likelihoods are natural logarithms (nats).  Probabilities of impossible
 * events are 0 and their logarithm is -INFINITY, which is a result, not an
 * error.  File formats: cscg-room(5), cscg-walk(5), cscg-model(5),
 * cscg-codebook(5).
 */
#ifndef CSCG_H
#define CSCG_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#define CSCG_API __attribute__((visibility("default")))
#else
#define CSCG_API
#endif

/* ---- errors ---- */

enum cscg_code {
	CSCG_OK,
	CSCG_EUSAGE,    /* an argument or setting that is not permitted */
	CSCG_EFORMAT,   /* input that violates its format */
	CSCG_ERANGE,    /* a value outside its range */
	CSCG_EMISMATCH, /* inputs that do not fit each other */
	CSCG_ECUT,      /* truncated or damaged input */
	CSCG_EREAD,     /* input that cannot be opened or read */
	CSCG_EIO,       /* output that cannot be written: disk full, device */
	CSCG_ENOMEM,    /* out of memory */
	CSCG_EPIPE,     /* the reader of a pipe has closed it */
	CSCG_EBUG, /* an internal check failed: a defect of this library */
};

struct cscg_err {
	enum cscg_code code;
	char msg[1024]; /* one line; file, position and cause */
	char hint[40];  /* a word for the kind of remedy; "": none */
};

/* The exit status of the tools: 0 done, 2 usage, 3 bad input, 4 system. */
CSCG_API int cscg_err_status(enum cscg_code code);

CSCG_API const char *cscg_version(void); /* "2.0.0" */

/* ---- alphabets ---- */

/*
 * Actions are 0..n_actions-1, observation symbols 0..n_symbols-1.  Names are
 * UTF-8 or absent (NULL).  Functions that take a model and a walk match their
 * actions (and symbols, if the model is grounded) by name if both have names
 * and by number otherwise; if that fails the error is CSCG_EMISMATCH.
 */
struct cscg_alphabet {
	int n_actions, n_symbols;
	const char *const *actions; /* [n_actions], or NULL */
	const char *const *symbols; /* [n_symbols], or NULL */
};

/* ---- objects and files ---- */

struct cscg_room;     /* an environment with known transitions */
struct cscg_walk;     /* sequences of observations and actions */
struct cscg_model;    /* a grounded model or a schema */
struct cscg_codebook; /* centroids of vectors, for vector quantisation */

/*
 * The first object of a file (of a walk: all steps); gzip or plain JSON; "-" is
 * standard input.  CSCG_EREAD, CSCG_ECUT, CSCG_EFORMAT, CSCG_ERANGE.
 * cscg_walk_read() reads n files (0: standard input) as one walk with the
 * episodes of all; also CSCG_EMISMATCH if their alphabets differ.
 */
CSCG_API struct cscg_room *cscg_room_read_file(const char *path,
    struct cscg_err *err);
CSCG_API struct cscg_walk *cscg_walk_read_file(const char *path,
    struct cscg_err *err);
CSCG_API struct cscg_walk *cscg_walk_read(char *const *paths, int n,
    struct cscg_err *err);
CSCG_API struct cscg_model *cscg_model_read_file(const char *path,
    struct cscg_err *err);
CSCG_API struct cscg_codebook *cscg_codebook_read_file(const char *path,
    struct cscg_err *err);

/*
 * Write a temporary file and rename it, so that the file is complete or
 * unchanged; gzip if the name ends in ".gz".  "-" is standard output, which is
 * closed.  0, or -1: CSCG_EUSAGE (cannot be created), CSCG_EIO, CSCG_EPIPE.
 */
CSCG_API int cscg_room_write_file(const struct cscg_room *room,
    const char *path, struct cscg_err *err);
CSCG_API int cscg_walk_write_file(const struct cscg_walk *walk,
    const char *path, struct cscg_err *err);
CSCG_API int cscg_model_write_file(const struct cscg_model *m,
    const char *path, struct cscg_err *err);
CSCG_API int cscg_codebook_write_file(const struct cscg_codebook *book,
    const char *path, struct cscg_err *err);

CSCG_API void cscg_room_free(struct cscg_room *room);
CSCG_API void cscg_walk_free(struct cscg_walk *walk);
CSCG_API void cscg_model_free(struct cscg_model *m);
CSCG_API void cscg_codebook_free(struct cscg_codebook *book);

/* ---- rooms ---- */

/* Edges of action a at node v: first[a * n_nodes + v] up to, not including,
 * first[a * n_nodes + v + 1]; targets ascend, probabilities sum to one. */
struct cscg_room_arrays {
	int n_nodes;
	const int *symbol; /* [n_nodes] emitted at each node */
	const long *first; /* [n_actions * n_nodes + 1] */
	const int *to;     /* [first[n_actions * n_nodes]] */
	const double *p;   /* the same length */
};

/* A room from arrays, which are copied.  CSCG_ERANGE, CSCG_EFORMAT. */
CSCG_API struct cscg_room *cscg_room_from_arrays(
    const struct cscg_alphabet *alphabet,
    const struct cscg_room_arrays *arrays, struct cscg_err *err);

/* The arrays and the alphabet; valid as long as the room is. */
CSCG_API void cscg_room_get_arrays(const struct cscg_room *room,
    struct cscg_room_arrays *arrays);
CSCG_API struct cscg_alphabet cscg_room_alphabet(const struct cscg_room *r);

/* ---- walks ---- */

/* One step: x is observed, then action a is taken. */
struct cscg_step {
	int x;      /* symbol, or -1: no observation */
	int a;      /* action, or -1: last step of the episode */
	int z;      /* true node, or -1: unknown */
	int goal;   /* symbol requested, or -1 */
	double r;   /* reward of the previous action, or NaN */
	bool reset; /* the agent was relocated before x: there is no transition
	               from the previous step */
	int view;   /* 1 + number of the image seen, or 0: none */
};

/* Episode e is steps start[e]..start[e+1]-1. */
struct cscg_walk_arrays {
	long n_steps;
	int n_episodes;             /* for output; input: counted by a = -1 */
	const long *start;          /* [n_episodes + 1]; input: not read */
	const int *x, *a;           /* [n_steps], as in struct cscg_step */
	const int *z;               /* [n_steps], or NULL */
	const unsigned char *reset; /* [n_steps], or NULL */
};

/* A walk from arrays, which are copied; n_steps may be 0.  CSCG_ERANGE: a
 * value outside the alphabet; CSCG_EFORMAT: the last episode does not end. */
CSCG_API struct cscg_walk *cscg_walk_from_arrays(
    const struct cscg_alphabet *alphabet,
    const struct cscg_walk_arrays *arrays, struct cscg_err *err);

/* Append a step.  Until a = -1 ends the episode, its steps are not part of the
 * walk for other functions.  CSCG_ERANGE. */
CSCG_API int cscg_walk_add_step(struct cscg_walk *walk,
    const struct cscg_step *step, struct cscg_err *err);

/* The arrays and the alphabet; valid until the walk changes. */
CSCG_API void cscg_walk_get_arrays(const struct cscg_walk *walk,
    struct cscg_walk_arrays *arrays);
CSCG_API struct cscg_alphabet cscg_walk_alphabet(const struct cscg_walk *w);

/*
 * A walk step by step, as its lines arrive, without holding it in memory.
 * _open() reads the header; _next() returns 1 with a step, 0 at the end, or -1
 * (CSCG_ECUT: no end line).
 */
struct cscg_walk_reader;
CSCG_API struct cscg_walk_reader *cscg_walk_reader_open(const char *path,
    struct cscg_err *err);
CSCG_API struct cscg_alphabet cscg_walk_reader_alphabet(
    const struct cscg_walk_reader *reader);
CSCG_API int cscg_walk_reader_next(struct cscg_walk_reader *reader,
    struct cscg_step *step, struct cscg_err *err);
CSCG_API void cscg_walk_reader_close(struct cscg_walk_reader *reader);

/* ---- tables and recordings (walkconv) ---- */

/* Where actions of a recording come from. */
enum cscg_table_actions {
	CSCG_ACTIONS_COLUMN,
	CSCG_ACTIONS_NONE, /* one action */
	CSCG_ACTIONS_COMPASS4,
	CSCG_ACTIONS_COMPASS8,
	CSCG_ACTIONS_EGOCENTRIC,
	CSCG_ACTIONS_TURNS,
};

/*
 * The options of walkconv(1), where they are described.  Strings are names of
 * columns.
 */
struct cscg_table_settings {
	const char *x, *a;          /* NULL: the usual names; a "": none */
	const char *const *episode; /* [n_episode] */
	int n_episode;
	const char *const *missing; /* [n_missing] values that count as
	                               missing */
	int n_missing;
	const char *const *see; /* [n_see] observed instead of the cell */
	int n_see;
	const char *time; /* NULL: the usual names */
	char delimiter;   /* '\0': detected */
	bool no_header;
	const char *bin[2]; /* positions, or NULL */
	double cell[2];     /* size of a cell; or 0 and */
	int grid[2];        /* cells along each axis; or 0 and */
	int quantile;       /* bins of equally many rows */
	bool y_down;
	double min_likelihood;
	long thin;
	double thin_time;
	bool moves;
	enum cscg_table_actions actions;
	double gap, episode_gap; /* < 0: off */
	long episode_length;
	const char *xy; /* CSV file that gets the positions of each step (of
	                   bin), or NULL */
};
CSCG_API struct cscg_table_settings cscg_table_defaults(void);

/* The walk of n >= 1 CSV or TSV files.  CSCG_EUSAGE (settings), CSCG_EREAD,
 * CSCG_ECUT, CSCG_EFORMAT, CSCG_ERANGE. */
CSCG_API struct cscg_walk *cscg_walk_read_table(const char *const *paths,
    int n, const struct cscg_table_settings *set, struct cscg_err *err);

/* ---- walking in rooms (roomwalk) ---- */

struct cscg_room_walk_settings {
	long steps;         /* observations per episode */
	long episodes;      /* 0: one per room */
	const char *policy; /* "random", "repeat:K" (each random action K
	                       times), "runs:K" (2 to K times), "bias:K" (the
	                       first action K times as likely), "wall" (along
	                       the wall), "cover" (to the nearest of the least
	                       tried actions) */
	int start;          /* node, or -1: random */
	bool permute;       /* a random permutation of the symbols in each
	                       episode */
	bool blind;         /* do not record true nodes */
	uint64_t seed;
};
CSCG_API struct cscg_room_walk_settings cscg_room_walk_defaults(void);

/*
 * A walk through n >= 1 rooms with the same alphabet; episode e is in room e
 * modulo n.  CSCG_EUSAGE (policy, start), CSCG_EMISMATCH (alphabets).
 */
CSCG_API struct cscg_walk *cscg_room_walk(const struct cscg_room *const *room,
    int n, const struct cscg_room_walk_settings *set, struct cscg_err *err);

/* ---- models ---- */

enum cscg_model_kind {
	CSCG_GROUNDED, /* transitions and emissions {T, C, E} */
	CSCG_CLONES,   /* schema with clone structure {T, C} */
	CSCG_SCHEMA,   /* schema: transitions only {T} */
};

/*
 * T[a][j][k] = (C[a][j][k] + pseudocount) / (sum_k C[a][j][k] + pseudocount *
 * n_states), or 1 / n_states where this is 0 / 0.  Counts C of row (a, j):
 * first[a * n_states + j] up to first[a * n_states + j + 1], by ascending `to`.
 */
struct cscg_model_arrays {
	enum cscg_model_kind kind;
	int n_states;
	bool double_precision; /* written with 17 digits, not 9; then
	                          probabilities must sum to one to 1e-9, else
	                          1e-5 */
	const int *clone;      /* [n_states] group of clones, ascending; in a
	                          grounded model without emission rows the
	                          symbol.  NULL: no clone structure */
	double pseudocount;
	const long *first;   /* [n_actions * n_states + 1] */
	const int *to;       /* [first[n_actions * n_states]] */
	const double *count; /* the same length, > 0 */
	const double *pi;    /* [n_states] initial distribution, or NULL:
	                        uniform */
	const long *e_first; /* [n_states + 1] emission rows as sparse arrays,
	                        or NULL: state j emits clone[j] */
	const int *e_symbol; /* [e_first[n_states]], ascending in a row */
	const double *e_p;   /* the same length; rows sum to one */
};

/*
 * A model from arrays, which are copied.  Without emissions the alphabet's
 * n_symbols is the number of clone groups (CSCG_SCHEMA: 1), without names.
 * CSCG_ERANGE, CSCG_EFORMAT.
 */
CSCG_API struct cscg_model *cscg_model_from_arrays(
    const struct cscg_alphabet *alphabet,
    const struct cscg_model_arrays *arrays, struct cscg_err *err);

/* The arrays and the alphabet; valid until the model changes. */
CSCG_API void cscg_model_get_arrays(const struct cscg_model *m,
    struct cscg_model_arrays *arrays);
CSCG_API struct cscg_alphabet cscg_model_alphabet(const struct cscg_model *m);
CSCG_API int cscg_model_n_states(const struct cscg_model *m);

/* T[a][j][k], and P(symbol x | state j) of a grounded model, misreading
 * included. */
CSCG_API double cscg_model_T(const struct cscg_model *m, int a, int j, int k);
CSCG_API double cscg_model_E(const struct cscg_model *m, int j, int x);

/*
 * The misreading probability: a symbol is that of its state (of its emission
 * row) with probability 1 - misread, and drawn uniformly from all symbols with
 * probability misread.  0 unless set or learned.  set_misread: -1
 * (CSCG_ERANGE) unless 0 to 1.
 */
CSCG_API double cscg_model_misread(const struct cscg_model *m);
CSCG_API int cscg_model_set_misread(struct cscg_model *m, double misread,
    struct cscg_err *err);

/*
 * All of T into T[(a * n_states + j) * n_states + k], and of E into
 * E[j * n_symbols + x].  get_E: -1 (CSCG_EMISMATCH) if m is not grounded.
 */
CSCG_API void cscg_model_get_T(const struct cscg_model *m, double *T);
CSCG_API int cscg_model_get_E(const struct cscg_model *m, double *E,
    struct cscg_err *err);

CSCG_API struct cscg_model *cscg_model_copy(const struct cscg_model *m,
    struct cscg_err *err);

/*
 * Make m a schema: remove the emissions (CSCG_CLONES), or the emissions and
 * the clone structure (CSCG_SCHEMA).  A model without clone structure becomes
 * a CSCG_SCHEMA.
 */
CSCG_API void cscg_model_unground(struct cscg_model *m,
    enum cscg_model_kind kind);

/* Draw m into an SVG file, or if path ends in .pdf or .png into one of these (by
 * rsvg-convert or cairosvg; CSCG_EUSAGE if neither is installed), without
 * transitions of a smaller probability.  title may be NULL.  Fails as
 * cscg_model_write_file() does. */
CSCG_API int cscg_model_draw(const struct cscg_model *m, const char *path,
    const char *title, double min_prob, struct cscg_err *err);

/* ---- likelihood, decoding, posterior (cscg-score) ---- */

/*
 * For a grounded model and a walk, in double precision.  CSCG_EMISMATCH: m is
 * not grounded, or a symbol or action of the walk is unknown to it.
 *
 * loglik:    *loglik = log P(x | a), summed over episodes; step[n_steps] (may
 *            be NULL) gets log P(x[t] | x[..t-1], a[..t-1]) of each step.
 * viterbi:   state[n_steps] gets the most likely state sequence of each
 *            episode, -1 from the first impossible step on; *logp the sum of
 *            the logarithms of the joint probabilities.
 * predict:   p[t * n_symbols + x] gets P(x[t] = x | x[..t-1], a[..t-1]) of each
 *            step and symbol of the model, 0 after an impossible step up
 *            to the next reset or episode.
 * posterior: p[t * n_states + j] gets P(z[t] = j | all of episode e) for the
 *            steps t of this episode, counted from its first.  Also
 *            CSCG_ERANGE (no such episode), CSCG_EMISMATCH (impossible).
 */
CSCG_API int cscg_model_loglik(const struct cscg_model *m,
    const struct cscg_walk *walk, double *loglik, double *step,
    struct cscg_err *err);
CSCG_API int cscg_model_viterbi(const struct cscg_model *m,
    const struct cscg_walk *walk, int *state, double *logp,
    struct cscg_err *err);
CSCG_API int cscg_model_predict(const struct cscg_model *m,
    const struct cscg_walk *walk, double *p, struct cscg_err *err);
CSCG_API int cscg_model_posterior(const struct cscg_model *m,
    const struct cscg_walk *walk, int e, double *p, struct cscg_err *err);

/* A walk of n >= 1 steps drawn from a grounded model with random actions, states
 * as true nodes.  CSCG_EMISMATCH, CSCG_ERANGE. */
CSCG_API struct cscg_walk *cscg_model_sample(const struct cscg_model *m,
    long n, uint64_t seed, struct cscg_err *err);

/* ---- prediction, step by step (cscg-predict) ---- */

struct cscg_predict_settings {
	/*
	 * Escape probability, below 1.  A symbol has the probability (1 -
	 * unseen) P(x | steps before) + unseen / (n_symbols + 1), including
	 * the one unknown symbol, which represents all symbols that the models
	 * lack.  After a symbol that a model gives probability 0 its belief
	 * restarts from this symbol alone.  0: such a symbol has probability
	 * 0, and so have all later ones up to a relocation.
	 */
	double unseen;
	const double *prior;   /* [n] of the models, > 0; NULL: uniform */
	bool double_precision; /* also if a model has it */
	const char *isa;       /* as in struct cscg_em_settings */
};
CSCG_API struct cscg_predict_settings cscg_predict_defaults(void);

/*
 * Predict observations by n >= 1 grounded models, which must outlive the
 * predictor: by their mixture, weighted by their posterior given the episode
 * so far.  Its actions are those of model 0.  Its symbols are those of all
 * models, matched by name if all have names and by number otherwise; symbol
 * n_symbols is the unknown one.  CSCG_EUSAGE (settings), CSCG_EMISMATCH (a
 * model that is not grounded, or other actions).
 */
struct cscg_predictor;
CSCG_API struct cscg_predictor *cscg_predictor_new(
    const struct cscg_model *const *model, int n,
    const struct cscg_predict_settings *set, struct cscg_err *err);
CSCG_API void cscg_predictor_free(struct cscg_predictor *p);
CSCG_API struct cscg_alphabet cscg_predictor_alphabet(
    const struct cscg_predictor *p);

/* Start an episode: discard all observations. */
CSCG_API void cscg_predictor_begin(struct cscg_predictor *p);

/*
 * Action a (-1: first step, or the agent was relocated) led to observation x
 * (-1: none; n_symbols: unknown).  *nats (may be NULL) gets -log P(x | steps
 * before).  0, or -1: CSCG_ERANGE.
 */
CSCG_API int cscg_predictor_observe(struct cscg_predictor *p, int a, int x,
    double *nats, struct cscg_err *err);

/*
 * P(next symbol | observations, action a) into prob[n_symbols + 1]; a = -1: of
 * a first step.  Zeros if the belief is lost.  _ahead() gives the same for the
 * next n >= 1 steps, prob[i * (n_symbols + 1) + x], where all actions after
 * the first are random, uniformly.  0, or -1: CSCG_ERANGE.
 */
CSCG_API int cscg_predictor_next(struct cscg_predictor *p, int a, double *prob,
    struct cscg_err *err);
CSCG_API int cscg_predictor_ahead(struct cscg_predictor *p, int a, long n,
    double *prob, struct cscg_err *err);

/* P(model | observations) into weight[n]; P(state of model i | observations)
 * into belief[n_states], zeros before the first or if it is lost. */
CSCG_API void cscg_predictor_get_weights(const struct cscg_predictor *p,
    double *weight);
CSCG_API void cscg_predictor_get_belief(const struct cscg_predictor *p, int i,
    double *belief);

/* ---- learning (cscg-learn) ---- */

/* How EM (Baum-Welch) is run. */
struct cscg_em_settings {
	long restarts;      /* random initialisations; the best is kept */
	long iterations;    /* at most; -1: chosen */
	double tolerance;   /* stop at a smaller relative gain; 0: never */
	double pseudocount; /* added to each count */
	double jitter;      /* initial emissions are proportional to 1 +
	                       jitter * U(0, 1); -1: chosen */
	uint64_t seed;
	int threads;
	bool double_precision;
	const char *isa; /* kernel: "plain", "c", "sse2", "avx2", "avx512"
	                    (CSCG_EUSAGE: not supported by this CPU); NULL: the
	                    fastest */
};

/* Structure search after EM. */
enum cscg_structure {
	CSCG_STRUCTURE_AUTO, /* Viterbi training, merge states by BIC; split if
	                        nearly deterministic */
	CSCG_STRUCTURE_SPLIT, /* always split states with ambiguous successors
	                         if BIC improves */
	CSCG_STRUCTURE_NONE,  /* the result of EM, all states */
};

struct cscg_learn_settings {
	struct cscg_em_settings em;
	const int *clones; /* [n_symbols] clones per symbol; NULL: chosen from
	                      the walk */
	const struct cscg_model *init; /* start EM from its counts, or NULL */
	bool learn_pi;                 /* estimate the initial distribution */
	enum cscg_structure structure; /* after EM */
	bool untied_noise; /* estimate the transition noise of each state
	                      separately */
	/*
	 * Progress; may be NULL.  Stages are those of cscg-learn(1), loglik is
	 * that of all steps.  Calls do not overlap.  Not 0: end EM.
	 */
	int (*report)(void *ctx, const char *stage, long restart,
	    long iteration, int n_states, double loglik);
	void *ctx;
};
CSCG_API struct cscg_learn_settings cscg_learn_defaults(void);

/*
 * A grounded model of a walk by EM on T.  *loglik (may be NULL) gets the
 * log-likelihood of the walk.  CSCG_ERANGE: no symbol is observed, or an
 * observed symbol has no clone; CSCG_EMISMATCH: init is not grounded or does
 * not fit the walk.
 */
CSCG_API struct cscg_model *cscg_model_learn(const struct cscg_walk *walk,
    const struct cscg_learn_settings *set, double *loglik,
    struct cscg_err *err);

/* ---- binding a schema to a walk (cscg-bind) ---- */

struct cscg_bind_settings {
	struct cscg_em_settings em;
	int tied;     /* clones of a group share their emissions: 0, 1, or -1:
	                 if there is clone structure */
	int learn_pi; /* 0, 1, or -1: if tied */
	const struct cscg_model *init; /* start once from the emissions of this
	                                  grounded model, or NULL */
};
CSCG_API struct cscg_bind_settings cscg_bind_defaults(void);

/*
 * Estimate the emissions of a schema (a model of any kind, whose own emissions
 * are not used) from a walk by EM with T fixed: a new grounded model.  *loglik
 * may be NULL.  CSCG_EMISMATCH: actions differ, no clone structure to tie by,
 * init does not fit; CSCG_ERANGE: no steps, or a walk that is impossible.
 */
CSCG_API struct cscg_model *cscg_model_bind(const struct cscg_model *schema,
    const struct cscg_walk *walk, const struct cscg_bind_settings *set,
    double *loglik, struct cscg_err *err);

/* ---- tracking the state online (filter, or belief over bindings) ---- */

struct cscg_track_settings {
	int beam;      /* hypotheses kept; 0: 200, or n_states if more */
	double jump;   /* P(relocation); 0: 1e-2 */
	double rebind; /* P(a group changes its symbol); 0: 1e-4 */
	double slip;   /* P(an action fails) */
};
CSCG_API struct cscg_track_settings cscg_track_defaults(void);

/*
 * A grounded model is tracked by the exact forward filter, and settings are
 * not used.  A schema with clone structure is tracked by a beam over
 * (state, one-to-one binding of groups to symbols).  Actions and symbols are
 * those of `alphabet`, which is copied; m must outlive the tracker.
 * CSCG_EMISMATCH: actions differ, or a schema without clone structure.
 */
struct cscg_tracker;
CSCG_API struct cscg_tracker *cscg_tracker_new(const struct cscg_model *m,
    const struct cscg_alphabet *alphabet,
    const struct cscg_track_settings *set, struct cscg_err *err);

/*
 * Action a (-1: first step, or the agent was relocated) led to observation x
 * (-1: none).  0, or -1: CSCG_ERANGE (outside the alphabet), CSCG_EMISMATCH (a
 * symbol that a grounded model lacks).
 */
CSCG_API int cscg_tracker_observe(struct cscg_tracker *t, int a, int x,
    struct cscg_err *err);

/* log P(all observations), 0 before the first. */
CSCG_API double cscg_tracker_loglik(const struct cscg_tracker *t);

/*
 * The most likely current state, or -1: no observation yet, or an impossible
 * one; and P(state = j | observations) into p[n_states], zeros in that case.
 */
CSCG_API int cscg_tracker_state(const struct cscg_tracker *t);
CSCG_API void cscg_tracker_get_belief(const struct cscg_tracker *t, double *p);

/* The model grounded by the most likely binding (a copy if m is grounded).
 * CSCG_ERANGE before the first observation. */
CSCG_API struct cscg_model *cscg_tracker_model(const struct cscg_tracker *t,
    struct cscg_err *err);
CSCG_API void cscg_tracker_free(struct cscg_tracker *t);

/* ---- matching schemas with a walk (cscg-match) ---- */

enum cscg_match_method {
	CSCG_MATCH_EM,    /* likelihood under the binding found by EM */
	CSCG_MATCH_TRACK, /* marginal likelihood over bindings */
};

struct cscg_match_settings {
	enum cscg_match_method method;
	struct cscg_bind_settings bind;   /* CSCG_MATCH_EM; init: unused */
	struct cscg_track_settings track; /* CSCG_MATCH_TRACK */
	/*
	 * May be NULL: called after every `every` steps and at the end of each
	 * episode with the scores [n] of the first `step` steps of the episode.
	 * posterior is the softmax of loglik.  -1 with err filled: fail.
	 */
	long every; /* 0: only at the end of an episode */
	int (*row)(void *ctx, long episode, long step, const double *loglik,
	    const double *posterior, struct cscg_err *err);
	void *ctx;
};
CSCG_API struct cscg_match_settings cscg_match_defaults(void);

/*
 * The index of the schema of the largest likelihood at the end of the last
 * episode; posterior[n] (may be NULL) gets the posteriors.  -1: CSCG_EMISMATCH
 * (actions; two equal schemas; no clone structure to track), CSCG_ERANGE (no
 * steps), CSCG_EUSAGE.
 */
CSCG_API int cscg_match_models(const struct cscg_model *const *schema, int n,
    const struct cscg_walk *walk, const struct cscg_match_settings *set,
    double *posterior, struct cscg_err *err);

/* ---- segmenting a walk by schemas (cscg-match) ---- */

struct cscg_switch_settings {
	struct cscg_em_settings em; /* pseudocount > 0 */
	double jump;        /* P(a transition leads to any state), in (0, 1) */
	double min_visited; /* bind again without schemas of which a smaller
	                       fraction of states was visited */
	bool online;        /* a posterior depends on previous steps alone */
	long memory;        /* online: steps remembered */
};
CSCG_API struct cscg_switch_settings cscg_switch_defaults(void);

/*
 * One model over the states of all n schemas, bound to the walk by EM.
 * posterior[t * n + i] gets the probability of schema i at step t of the walk,
 * p_switch[t] (may be NULL) that it differs from the previous step's.  0, or
 * -1: CSCG_EMISMATCH, CSCG_ERANGE, CSCG_EUSAGE (settings).
 */
CSCG_API int cscg_switch_models(const struct cscg_model *const *schema, int n,
    const struct cscg_walk *walk, const struct cscg_switch_settings *set,
    double *posterior, double *p_switch, struct cscg_err *err);

/* ---- joining schemas to one model (cscg-stitch) ---- */

struct cscg_stitch_settings {
	struct cscg_em_settings bind;  /* EM on E; also seed, threads, isa */
	struct cscg_em_settings learn; /* EM on T: iterations, tolerance and
	                                  pseudocount */
	bool boundary;       /* every self-transition may be a door; else the
	                        frontiers that the schemas have */
	double self_loop;    /* P(a frontier stays in its schema) */
	double prior_weight; /* weight of the schemas' counts, in steps */
	long reset_rounds;   /* rounds of rebinding ambiguous schemas */
	int viterbi_rounds;  /* Viterbi training, >= 1 */
};
CSCG_API struct cscg_stitch_settings cscg_stitch_defaults(void);

/*
 * A grounded model of a walk through rooms that n schemas describe; a schema
 * that occurs twice is passed twice.  *origin (may be NULL) gets a new array,
 * for free(), of the state of each state of the result, in the numbering that
 * appends the states of all schemas.  CSCG_EMISMATCH (actions; no frontiers),
 * CSCG_ERANGE (no steps, impossible), CSCG_EUSAGE.
 */
CSCG_API struct cscg_model *cscg_model_stitch(
    const struct cscg_model *const *schema, int n,
    const struct cscg_walk *walk, const struct cscg_stitch_settings *set,
    int **origin, struct cscg_err *err);

/* ---- partitioning a model into rooms (cscg-show) ---- */

struct cscg_partition_settings {
	double max_conductance, max_cut_ratio; /* of a cut, cscg-show(1) */
	long min_size;                         /* states of a room */
	double min_prob; /* transitions below are ignored */
};
CSCG_API struct cscg_partition_settings cscg_partition_defaults(void);

/* CSCG_ERANGE: the comparison of two rooms took too long. */
struct cscg_partition;
CSCG_API struct cscg_partition *cscg_model_partition(
    const struct cscg_model *m, const struct cscg_partition_settings *set,
    struct cscg_err *err);

/* The number of rooms; [n_states] the room of each state; [n_rooms] the first
 * room to which each room is isomorphic. */
CSCG_API int cscg_partition_n_rooms(const struct cscg_partition *p);
CSCG_API const int *cscg_partition_room_of(const struct cscg_partition *p);
CSCG_API const int *cscg_partition_class_of(const struct cscg_partition *p);

/* One room as a separate model; its exits become walls and frontiers. */
CSCG_API struct cscg_model *cscg_partition_room_model(
    const struct cscg_model *m, const struct cscg_partition *p, int room,
    struct cscg_err *err);
CSCG_API void cscg_partition_free(struct cscg_partition *p);

/* ---- planning (cscg-plan) ---- */

enum cscg_goal_kind {
	CSCG_GOAL_SYMBOL, /* a state that emits this symbol */
	CSCG_GOAL_STATE,  /* this state */
	CSCG_GOAL_START,  /* the state where the walk or episode began */
	CSCG_GOAL_ENV,    /* agents: the symbol the environment requests */
	CSCG_GOAL_MATCH,  /* agents: identify the model */
	CSCG_GOAL_REWARD, /* agents: maximise the rewards of the environment */
};

struct cscg_plan_settings {
	enum cscg_goal_kind goal;
	int goal_number;   /* of the symbol or state, as the model has it */
	int start;         /* state; -1: the most likely last state of the
	                      walk */
	double confidence; /* the shortest plan with at least this probability
	                      of success, */
	bool best;         /* or the plan of the largest probability */
	long max_steps;    /* actions, at most; -1: any number */
	double smooth;     /* self-transitions get this fraction of the largest
	                      T in addition */
	uint64_t seed;     /* for ties */
};
CSCG_API struct cscg_plan_settings cscg_plan_defaults(void);

struct cscg_plan {
	long n;         /* actions; 0: already there */
	int *a;         /* [n] */
	int *z;         /* [n + 1] states, from the start to the goal */
	double *p;      /* [n + 1] probability of the path so far, from the
	                   weight of the start on */
	double success; /* p[n] times P(the last state is the goal) */
};

/*
 * The most likely actions from one state to another (max-product).  The walk
 * may be NULL if `start` is a state and the goal is not CSCG_GOAL_START.
 *
 * 1 with *plan filled (cscg_plan_free()), 0 if there is no such plan, or -1:
 * CSCG_EUSAGE (no goal, a state outside the model, no walk), CSCG_EMISMATCH
 * (not grounded; a walk that is impossible).  *best (may be NULL) gets the
 * largest probability of success that was found.
 */
CSCG_API int cscg_model_plan(const struct cscg_model *m,
    const struct cscg_walk *walk, const struct cscg_plan_settings *set,
    struct cscg_plan *plan, double *best, struct cscg_err *err);
CSCG_API void cscg_plan_free(struct cscg_plan *plan); /* plan is zeroed
                                                         afterwards */

/* ---- agents in an environment (cscg-plan) ---- */

struct cscg_agent_settings {
	const struct cscg_model *const *model; /* must outlive the agent */
	int n_models; /* 0: learn a model while acting; 1: act with this one;
	                 more: infer which one applies */
	enum cscg_goal_kind goal;
	int goal_number;     /* symbol of the alphabet, or state */
	int collect;         /* the action that collects the requested symbol,
	                        or -1 */
	const char *explore; /* policy without a plan: "random", "repeat:K",
	                        "cover", "frontier" or actions "A,B,..." */
	double confidence;   /* probability of success that a plan needs;
	                        several models: posterior, -1: .95 */
	bool best;           /* or the most likely plan */
	double surprise;     /* a less probable observation ends the plan */
	double slip;         /* several models: P(an action fails) */
	bool new_world;      /* each episode is in another environment */
	uint64_t seed;
	int threads;
	const char *isa;
};
CSCG_API struct cscg_agent_settings cscg_agent_defaults(void);

/*
 * An agent for an environment with this alphabet, which is copied.  Call
 * begin(); then, until the episode ends, observe() and choose().  observe():
 * action a (-1 at first) led to observation x (-1: none), the environment
 * requests the symbol goal (-1: none), reset if it relocated the agent.
 * choose() returns 1 with the action to take, 0 if the agent ends the episode,
 * or -1.  CSCG_EUSAGE (goal, explore), CSCG_EMISMATCH (actions), CSCG_ERANGE.
 */
struct cscg_agent;
CSCG_API struct cscg_agent *cscg_agent_new(
    const struct cscg_alphabet *alphabet,
    const struct cscg_agent_settings *set, struct cscg_err *err);
CSCG_API int cscg_agent_begin(struct cscg_agent *agent, long episode,
    struct cscg_err *err);
CSCG_API int cscg_agent_observe(struct cscg_agent *agent, int a, int x,
    int goal, bool reset, struct cscg_err *err);
CSCG_API int cscg_agent_choose(struct cscg_agent *agent, int *a,
    struct cscg_err *err);

/* The most likely state (-1: unknown) and its probability (p may be NULL), and
 * whether the agent believes that the goal is reached. */
CSCG_API int cscg_agent_state(const struct cscg_agent *agent, double *p);
CSCG_API bool cscg_agent_reached(const struct cscg_agent *agent);

/* Its grounded model of the environment; CSCG_ERANGE: there is none yet. */
CSCG_API struct cscg_model *cscg_agent_model(const struct cscg_agent *agent,
    struct cscg_err *err);
CSCG_API void cscg_agent_free(struct cscg_agent *agent);

/* ---- vector quantisation (vq-kmeans) ---- */

/* Type of the numbers of a frame: unsigned char, float, double. */
enum cscg_pixel { CSCG_PIXEL_BYTE, CSCG_PIXEL_SINGLE, CSCG_PIXEL_DOUBLE };

struct cscg_kmeans_settings {
	int k; /* centroids; has to be set */
	long restarts, iterations;
	double tolerance; /* stop at a smaller relative decrease of the
	                     inertia; 0: until assignments are stable */
	bool mixture;     /* then fit a mixture of Gaussians by EM */
	uint64_t seed;
	int threads;
};
CSCG_API struct cscg_kmeans_settings cscg_kmeans_defaults(void);

/*
 * A codebook of k centroids for n frames of dim numbers; label[n] (may be NULL)
 * gets the symbol of each.  CSCG_ERANGE (not finite, above 1e100),
 * CSCG_EMISMATCH (fewer than k different frames), CSCG_EUSAGE (k).
 */
CSCG_API struct cscg_codebook *cscg_codebook_fit(enum cscg_pixel type,
    const void *frame, long n, long dim,
    const struct cscg_kmeans_settings *set, int *label, struct cscg_err *err);

/* label[n] gets the nearest (of a mixture: most likely) centroid of each
 * frame.  CSCG_EMISMATCH (dim), CSCG_ERANGE. */
CSCG_API int cscg_codebook_encode(const struct cscg_codebook *book,
    enum cscg_pixel type, const void *frame, long n, long dim, int threads,
    int *label, struct cscg_err *err);

/* The *k centroids of *dim numbers each. */
CSCG_API const double *cscg_codebook_centroids(
    const struct cscg_codebook *book, int *k, long *dim);

#ifdef __cplusplus
}
#endif

#endif
