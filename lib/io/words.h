/*
 * words.h - the words of a line of a text map, and where they stand
 */
#ifndef CSCG_WORDS_H
#define CSCG_WORDS_H

enum { CSCG_WORDS_MAX = 5 };	/* one more than the longest rule has */

struct cscg_words {
	int n;			/* CSCG_WORDS_MAX: there may be more */
	char *v[CSCG_WORDS_MAX];
	int column[CSCG_WORDS_MAX];	/* from 1 */
};

/* Cut line, in place, at spaces and tabs. */
void cscg_words_split(char *line, struct cscg_words *words);

#endif
