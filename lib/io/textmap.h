/*
 * textmap.h - tokens of a line of a text map, with their positions
 */
#ifndef CSCG_TEXTMAP_H
#define CSCG_TEXTMAP_H

enum { CSCG_TOKENS_MAX = 5 }; /* one more than the longest rule has */

struct cscg_tokens {
	int n; /* CSCG_TOKENS_MAX: the line may have more */
	char *v[CSCG_TOKENS_MAX];
	int column[CSCG_TOKENS_MAX]; /* from 1 */
};

/* Split line, in place, at spaces and tabs. */
void cscg_tokens_split(char *line, struct cscg_tokens *tokens);

#endif
