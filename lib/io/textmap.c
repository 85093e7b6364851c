/* textmap.c - tokens of a line of a text map, with their positions */
#include <string.h>

#include "io/textmap.h"

void
cscg_tokens_split(char *line, struct cscg_tokens *tokens)
{
	char *s = line;

	tokens->n = 0;
	while (tokens->n < CSCG_TOKENS_MAX) {
		s += strspn(s, " \t");
		if (!*s)
			return;
		tokens->v[tokens->n] = s;
		tokens->column[tokens->n++] = (int)(s - line) + 1;
		s += strcspn(s, " \t");
		if (*s)
			*s++ = '\0';
	}
}
