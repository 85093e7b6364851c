/* words.c - the words of a line of a text map, and where they stand */
#include <string.h>

#include "io/words.h"

void
cscg_words_split(char *line, struct cscg_words *words)
{
	char *s = line;

	words->n = 0;
	while (words->n < CSCG_WORDS_MAX) {
		s += strspn(s, " \t");
		if (!*s)
			return;
		words->v[words->n] = s;
		words->column[words->n++] = (int)(s - line) + 1;
		s += strcspn(s, " \t");
		if (*s)
			*s++ = '\0';
	}
}
