/*
 * clones.h - the number of clones of each symbol: in proportion to counts, or
 * from a text specification
 */
#ifndef CSCG_CLONES_H
#define CSCG_CLONES_H

#include "base/error.h"
#include "core/walk.h"

/*
 * The number of clones of each symbol, from a text specification
 *
 * The specification is a number N (N clones for each symbol), a list "N,N,..."
 * with one number for each symbol, "proportional[:TOTAL[,floor=F][,power=P]]"
 * (see cscg_clones_proportional(); the defaults are TOTAL = 4 for each symbol
 * of the alphabet, F = 1, P = 1), or else the name of a file with one number
 * for each symbol, separated by commas or white space.
 */

/*
 * -1 with err filled if the specification is invalid for every walk:
 * CSCG_EUSAGE, or CSCG_EREAD for the name of a file that does not exist.
 */
int cscg_clones_check(const char *how, struct cscg_err *err);

/*
 * The number of clones of each symbol of w, new: free() it.  The specification
 * has passed cscg_clones_check().  NULL with err filled: CSCG_EMISMATCH if
 * there are more or fewer numbers than symbols, CSCG_EFORMAT for a file with
 * other content, or an error of the reader.
 */
int *cscg_clones_choose(const char *how, const struct cscg_walk *w,
    struct cscg_err *err);

/*
 * The specification as recorded in a history, new: its text, or the numbers if
 * it names a file, since the file may not exist elsewhere.
 */
char *cscg_clones_text(const char *how, const int *clones, int n,
    struct cscg_err *err);

/*
 * The number of observations of each symbol of w, new: [n_obs], or NULL with
 * err filled.
 */
long *cscg_clones_count_symbols(const struct cscg_walk *w,
    struct cscg_err *err);

/*
 * Distribute total clones over the symbols in proportion to the number of
 * observations of each raised to the given power, at least floor each (0 for
 * symbols never observed), into clones[n_obs].
 */
int cscg_clones_proportional(const struct cscg_walk *w, long total, long floor,
    double power, int *clones, struct cscg_err *err);

/*
 * One clone for every `unit` observations of a symbol (seen[n_obs]), rounded,
 * at least one for each observed symbol; returns their total.
 */
long cscg_clones_by_count(double unit, const long *seen, int n_obs,
    int *clones);

/* Multiplications of one update of EM on w with these clones. */
double cscg_clones_work(const int *clones, const struct cscg_walk *w);

#endif
