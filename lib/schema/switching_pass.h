/*
 * switching_pass.h - what a stretch of a walk says of states, schemas and looks
 *
 * Used by switching*.c alone.
 */
#ifndef CSCG_SWITCHING_PASS_H
#define CSCG_SWITCHING_PASS_H

#include "schema/switching_map.h"

/* What states look like: E by columns, and what it follows from. */
struct cscg_switching_look {
	const struct cscg_switching_map *map;
	int K, n_used;		/* symbols; those that were seen ... */
	int *used;		/* [K] ... in the order of their first time */
	unsigned char *is_used;	/* [K] */
	char *column;		/* [K + 1] messages; the first: no symbol */
	double *seen;		/* [K + 1][stride] expected visits, ... */
	double *held;		/* ... and of steps that are gone; NULL: none */
	double *norm;		/* [stride] 1 / (visits + p * K) */
	double *line;		/* [stride] scratch */
};

struct cscg_switching_look *cscg_switching_look_new(
    const struct cscg_switching_map *map, int n_obs, struct cscg_err *err);
void cscg_switching_look_free(struct cscg_switching_look *look);

/* No symbol was seen yet. */
void cscg_switching_look_clear(struct cscg_switching_look *look);

/* E and what was seen become those of another one of the same map. */
void cscg_switching_look_copy(struct cscg_switching_look *to,
    const struct cscg_switching_look *from);

/* Where symbol x (-1: none) has its column, and its visits. */
static inline void *
cscg_switching_column(const struct cscg_switching_look *look, int x)
{
	return look->column + (size_t)(x + 1) * look->map->bytes;
}

static inline double *
cscg_switching_seen(const struct cscg_switching_look *look, int x)
{
	return look->seen + (size_t)(x + 1) * look->map->stride;
}

/* Symbol x is seen, perhaps for the first time: what p gave it so far. */
void cscg_switching_use(struct cscg_switching_look *look, int x, double p);

/*
 * E from what was seen and held, with pseudocount p.  Returns its log prior:
 * the sum of (p + held) * log E.
 */
double cscg_switching_maximise(struct cscg_switching_look *look, double p);

/* One more step with symbol x, at states with these probabilities [stride]. */
void cscg_switching_learn(struct cscg_switching_look *look, int x,
    const double *gamma, double p);

/* A stretch of an episode.  a[t] follows x[t]; reset may be NULL. */
struct cscg_switching_part {
	const int *x, *a;
	const unsigned char *reset;
	long n;
	const void *from;	/* the message at its first step; NULL: any state */
	long gone;		/* the visits of so many steps are added to what
				   is held, not to what is seen */
};

/* Scratch memory, for stretches of any length. */
struct cscg_switching_pass {
	const struct cscg_switching_map *map;
	char *alpha;		/* [CHUNK] messages */
	char *beta[2], *scratch;
	char *mark;		/* the message at the start of each chunk */
	size_t cap_mark;
	char *last[2];		/* those of the last step and of the one before,
				   once forward was run */
	double *line;		/* [stride] */
	double *leave, *enter;	/* [schemas] */
};

struct cscg_switching_pass *cscg_switching_pass_new(
    const struct cscg_switching_map *map, struct cscg_err *err);
void cscg_switching_pass_free(struct cscg_switching_pass *pass);

/* What is wanted of each step; both NULL: nothing. */
struct cscg_switching_tell {
	double *posterior;	/* [n][schemas] of each */
	double *turn;		/* [n] that it is another one than before */
};

/*
 * The E-step: seen of look becomes the expected visits of the stretch, *loglik
 * what E says of it (natural log).  -1 with err filled: CSCG_ENOMEM,
 * CSCG_ERANGE (numbers too small for these reals).
 */
int cscg_switching_expect(struct cscg_switching_pass *pass,
    struct cscg_switching_look *look, const struct cscg_switching_part *part,
    const struct cscg_switching_tell *tell, double *loglik,
    struct cscg_err *err);

/* The pass forward alone. */
int cscg_switching_forward(struct cscg_switching_pass *pass,
    const struct cscg_switching_look *look,
    const struct cscg_switching_part *part, double *loglik,
    struct cscg_err *err);

/* The message at the start of chunk i of the last stretch. */
enum { CSCG_SWITCHING_CHUNK = 256 };	/* steps */
const void *cscg_switching_mark(const struct cscg_switching_pass *pass,
    long i);

/*
 * One step of the filter: from the message now at symbol before, by action a
 * (-1: any state), to next at symbol x.  posterior[schemas] and *turn are as
 * above, from the past alone.
 */
int cscg_switching_filter(struct cscg_switching_pass *pass,
    const struct cscg_switching_look *look, const void *now, int before, int a,
    int x, void *next, double *posterior, double *turn, struct cscg_err *err);

#endif
