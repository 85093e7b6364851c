/*
 * options.h - option rows: parsing, ranges, --help, conflicts between files
 *
 * One row holds an option's letter, word, range and help; its default is read
 * from the variable it sets, so that help, parsing and checking cannot
 * disagree.  The common options are added by the uses flags of the tool.
 */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "dist/ranks.h"
#include "kernel/simd.h"

enum cmd_type {
	CMD_T_END,
	CMD_T_FLAG,
	CMD_T_LONG,
	CMD_T_DOUBLE,
	CMD_T_STRING,
	CMD_T_CHOICE,
	CMD_T_LIST,
	CMD_T_TITLE,
};

enum {
	CMD_NOT_IN_HISTORY = 1, /* not recorded in the history of the result */
	CMD_NAMES_FILE = 2,     /* the value is a file, */
	CMD_WRITTEN = 4,        /* which is written; without this: read, */
	CMD_OR_NUMBERS = 8,     /* or a list of numbers, which is checked */
};

/* A repeatable option's values. */
struct cmd_list {
	int n;
	char **v; /* pointers into argv */
};

struct cmd_opt {
	int letter; /* 0: none */
	const char *word;
	enum cmd_type type;
	void *var;
	double lo, hi; /* numbers: allowed range, both ends included */
	const char *const *words; /* NULL-terminated: the values of a choice,
	                             whose var is int*; or words accepted
	                             in place of a file name */
	const char *arg, *help;
	unsigned flags;
};

/* clang-format off */
#define CMD_FLAG(l, w, v, h) { l, w, CMD_T_FLAG, v, 0, 0, NULL, NULL, h, 0 }
#define CMD_LONG(l, w, v, lo, hi, a, h) \
	{ l, w, CMD_T_LONG, v, lo, hi, NULL, a, h, 0 }
#define CMD_DOUBLE(l, w, v, lo, hi, a, h) \
	{ l, w, CMD_T_DOUBLE, v, lo, hi, NULL, a, h, 0 }
#define CMD_STRING(l, w, v, a, h) \
	{ l, w, CMD_T_STRING, v, 0, 0, NULL, a, h, 0 }
/* Files: the history records that an input file was given, not its name. */
#define CMD_FILE(l, w, v, a, h) \
	{ l, w, CMD_T_STRING, v, 0, 0, NULL, a, h, CMD_NAMES_FILE }
#define CMD_FILES(l, w, v, a, h) \
	{ l, w, CMD_T_LIST, v, 0, 0, NULL, a, h, CMD_NAMES_FILE }
#define CMD_WRITES(l, w, v, a, h) \
	{ l, w, CMD_T_STRING, v, 0, 0, NULL, a, h, CMD_NOT_IN_HISTORY | \
	    CMD_NAMES_FILE | CMD_WRITTEN }
/* A file, or one of some words; a is shown by --help: "none|all|FILE". */
#define CMD_WORD_OR_FILE(l, w, v, ws, a, h) \
	{ l, w, CMD_T_STRING, v, 0, 0, ws, a, h, CMD_NAMES_FILE }
/* A part of the result, such as a test set: the history records the option. */
#define CMD_PART(l, w, v, a, h) \
	{ l, w, CMD_T_STRING, v, 0, 0, NULL, a, h, CMD_NAMES_FILE | \
	    CMD_WRITTEN }
/* A file of numbers or a list of them: the tool adds them to the history. */
#define CMD_NUMBERS(l, w, v, a, h) \
	{ l, w, CMD_T_STRING, v, 0, 0, NULL, a, h, CMD_NOT_IN_HISTORY | \
	    CMD_NAMES_FILE | CMD_OR_NUMBERS }
#define CMD_CHOICE(l, w, v, ws, h) \
	{ l, w, CMD_T_CHOICE, v, 0, 0, ws, "WORD", h, 0 }
#define CMD_LIST(l, w, v, a, h) \
	{ l, w, CMD_T_LIST, v, 0, 0, NULL, a, h, 0 }
/* Not an option: a heading of --help for the rows that follow. */
#define CMD_TITLE(h) { 0, "", CMD_T_TITLE, NULL, 0, 0, NULL, NULL, h, 0 }
/* The headings that all tools share, also for the common options. */
#define CMD_INPUT CMD_TITLE("Input:")
#define CMD_MODEL CMD_TITLE("Model:")
#define CMD_ALGORITHM CMD_TITLE("Algorithm:")
#define CMD_OUTPUT CMD_TITLE("Output:")
#define CMD_END { 0, NULL, CMD_T_END, NULL, 0, 0, NULL, NULL, NULL, 0 }
/* clang-format on */

enum cmd_uses {
	CMD_USES_SEED = 1,      /* -s */
	CMD_USES_THREADS = 2,   /* -j */
	CMD_USES_WALKS = 4,     /* -w, repeatable */
	CMD_USES_GZIP = 8,      /* writes JSON files: --no-gzip, -f, --live */
	CMD_USES_STATS = 16,    /* --stats */
	CMD_USES_PROGRESS = 32, /* --progress */
	CMD_USES_RANKS = 64,    /* may run on several MPI ranks: jobs.h */
};

struct cmd_info {
	const char *name;     /* "cscg-plan" */
	const char *operands; /* "MODEL", "[WALK...]" for the usage line */
	const char *purpose;  /* one line, no period */
	const struct cmd_opt *opts;
	int min, max; /* operands; max < 0: any number */
	unsigned uses;
	const char *example; /* a command line, for the end of --help */
};

/* Values of the common options. */
extern struct cmd_common {
	const char *out; /* NULL: standard output */
	long seed;       /* default 42 */
	long threads; /* default OMP_NUM_THREADS, SLURM_CPUS_PER_TASK, cores */
	bool quiet, verbose, force, no_gzip, live;
	struct cmd_list walks;
	const char *stats;
	const char *max_memory;   /* as given; NULL: a share of main memory */
	int progress;             /* 0 auto, 1 always, 2 never */
	struct cscg_ranks *ranks; /* NULL: a single process */
} cmd;

/*
 * Conversion of option values from and to text.  For options.c; tools include
 * tool.h.
 */

union cmd_value {
	bool b;
	int i;
	long l;
	double d;
	const char *s;
};

/* The value of the variable of o. */
union cmd_value cmd_value_of(const struct cmd_opt *o);

/*
 * v as text in buf; "" if v is not set: a flag that is off, a NULL string, a
 * number outside its range that stands for "not set".
 */
const char *cmd_value_text(const struct cmd_opt *o, union cmd_value v,
    char *buf, size_t size);

/* "a|b|c" in buf. */
const char *cmd_value_words(const char *const *words, char *buf, size_t size);

/* Whether s is one of the words of o, and not a file name. */
bool cmd_value_is_word(const struct cmd_opt *o, const char *s);

enum {
	CMD_THREADS_MAX = 4096,
	CMD_ROWS_MAX = 64, /* of one tool, with the common ones */
};

/* The option rows and the parsed command line. */
struct cmd_rows {
	const struct cmd_info *info;
	const struct cmd_opt *row[CMD_ROWS_MAX];
	union cmd_value was[CMD_ROWS_MAX]; /* defaults */
	bool given[CMD_ROWS_MAX];
	int group[CMD_ROWS_MAX]; /* of common rows: their heading */
	int n, n_own;            /* rows; the first n_own are those of the
	                            tool */
	char **operand;          /* NULL-terminated */
	const char *extra[CMD_ROWS_MAX][2]; /* of cmd_history_arg() */
	int n_extra;
};

/*
 * Set the variables of the rows from argv and move the operands behind
 * argv[0].  Returns the number of operands.  Handles -h and -V, and exits on
 * an error.
 */
int cmd_opt_parse(const struct cmd_info *info, int argc, char **argv);

/* The parsed command line of this process. */
struct cmd_rows *cmd_opt_rows(void);

/*
 * Check that no output file is also an input or another output: 0, or -1 with
 * err filled (CSCG_EUSAGE).  Call this before any file is opened.
 */
int cmd_check_overlap(struct cscg_err *err);

/* Free the lists of repeatable options. */
void cmd_opt_free(void);

/* Apply --max-memory, or the default share of main memory. */
void cmd_memory(void);

/* Print the message of err, or end by SIGPIPE; returns the exit status. */
int cmd_fail(const struct cscg_err *err);

/* Rows that several tools share; --checkpoint and --resume are in jobs.h. */

/* clang-format off */
/* Tools record the chosen kernel in the history instead of this option. */
#define CMD_ISA_ROW(v, names) \
	{ 0, "isa", CMD_T_STRING, v, 0, 0, NULL, "NAME", "SIMD kernel: " names \
	    " (default: CSCG_ISA, else auto)", CMD_NOT_IN_HISTORY }
#define CMD_ISA(v) CMD_ISA_ROW(v, "auto, plain, c, sse2, avx2 or avx512")
/* Kernels on bytes have one more. */
#define CMD_ISA_BYTES(v) \
	CMD_ISA_ROW(v, "auto, plain, c, sse2, avx2, avx512 or vnni")

#define CMD_DOUBLE_PRECISION(v) \
	CMD_FLAG(0, "double", v, "compute in double precision instead of single")

/* where: "", or " (...)" with the options that write tables. */
#define CMD_JSON(v, where) \
	{ 0, "json", CMD_T_FLAG, v, 0, 0, NULL, NULL, \
	    "write tables as JSON Lines instead of TSV" where, \
	    CMD_NOT_IN_HISTORY }

/* clang-format on */

/* The compute kernel: --isa, CSCG_ISA, or the fastest that the CPU can run. */

/* The word given, the environment's, or "auto". */
const char *cmd_isa_word(const char *given);

/* The kernel of that word, NULL for the plain loops; an error exits with 2. */
const struct cscg_simd *cmd_isa(const char *given);

#endif
