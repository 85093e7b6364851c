/*
 * clones.h - how many clones each symbol gets, as asked for in words
 *
 * The words are a number (so many of each), a list "N,N,..." of one number for
 * each symbol, "proportional[:TOTAL[,floor=F][,power=P]]" (see
 * cscg_clones_proportional(); TOTAL is 4 for each symbol of the alphabet, F and P are
 * 1 unless told), or else the name of a file with one number for each symbol,
 * separated by commas or white space.
 */
#ifndef CSCG_CLONES_H
#define CSCG_CLONES_H

#include "base/error.h"
#include "core/walk.h"

/*
 * -1 with err filled if the words make no sense for any walk: CSCG_EUSAGE, or
 * CSCG_EREAD for the name of a file that is not there.
 */
int cscg_clones_check(const char *how, struct cscg_err *err);

/*
 * The number for each symbol of w, new: free() it.  The words have been judged.
 * NULL with err filled: CSCG_EMISMATCH if there are more or fewer numbers than
 * symbols, CSCG_EFORMAT for a file of anything else, or as the reader says.
 */
int *cscg_clones_choose(const char *how, const struct cscg_walk *w,
    struct cscg_err *err);

/*
 * What a history should say, new: the words, or the numbers where the words
 * are a file's name, which would mean nothing to others.
 */
char *cscg_clones_text(const char *how, const int *clones, int n,
    struct cscg_err *err);

/* How often each symbol of w is seen, new: [n_obs], or NULL with err filled. */
long *cscg_clones_count_symbols(const struct cscg_walk *w, struct cscg_err *err);

/*
 * Spread total clones over symbols in proportion to how often each is seen to
 * the given power, at least floor each (0 for symbols never seen), into
 * clones[n_obs].
 */
int cscg_clones_proportional(const struct cscg_walk *w, long total, long floor,
    double power, int *clones, struct cscg_err *err);

#endif
