/* walkconv_wonder.c - tables whose names are perhaps none */
#include <string.h>

#include "cmd.h"
#include "walkconv.h"

/* Fewer steps may well have a look for each. */
enum { FEW_STEPS = 50 };

/* How other programs spell that there is nothing. */
static bool
is_nothing(const char *name)
{
	static const char *const words[] = { "NaN", "nan", "NAN", "NA", "<NA>",
	    "N/A", "n/a", "null", "NULL", "None", "-1", "-1.0", NULL };
	int k;

	for (k = 0; words[k] && strcmp(words[k], name); k++)
		;
	return words[k];
}

void
walkconv_wonder(const struct cscg_walk *walk)
{
	const struct cscg_names *names = &walk->head.symbols;
	int i;

	for (i = 0; i < names->n; i++)
		if (is_nothing(names->v[i]))
			cmd_say("'%s' is a symbol like any other; if nothing "
			    "was seen there, use --missing %s", names->v[i],
			    names->v[i]);
	if (walk->n_steps >= FEW_STEPS && names->n > walk->n_steps / 2)
		cmd_say("%d different symbols in %ld steps, '%.40s' first: "
		    "measurements must become symbols that come again, see "
		    "walkconv(1)", names->n, walk->n_steps, names->v[0]);
}
