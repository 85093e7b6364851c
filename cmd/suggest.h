/*
 * suggest.h - suggestions for unknown options: by spelling or by meaning
 *
 * A word is near if it differs by one inserted letter (in short words only a
 * doubled letter or an s), one missing letter, one changed letter, or two
 * swapped letters; case is ignored.  If no word is near, a word that begins
 * with the text counts.  If two words count, there is no suggestion.
 *
 * 	struct cmd_suggest near = { .word = word, .n = strlen(word) };
 *
 * 	for (i = 0; words[i]; i++)
 * 		cmd_suggest_add(&near, words[i]);
 * 	cmd_usage("'%s' is unknown%s", word, cmd_suggest_hint(&near, "", buf));
 */
#ifndef CMD_SUGGEST_H
#define CMD_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

enum { CMD_SUGGEST_TEXT = 160 }; /* of a hint, with its NUL */

struct cmd_suggest {
	const char *word; /* the text typed: n bytes */
	size_t n;
	const char *found[2]; /* by spelling, by prefix */
	int count[2];         /* number of such words */
};

/* Compare with candidate, which must outlive near. */
void cmd_suggest_add(struct cmd_suggest *near, const char *candidate);

/* ": did you mean --restarts?", with "--" as dashes, in buf; or "". */
const char *cmd_suggest_hint(const struct cmd_suggest *near,
    const char *dashes, char buf[CMD_SUGGEST_TEXT]);

/*
 * The tool's equivalent of an option word (n bytes, without dashes) of other
 * programs or earlier versions, or of a value of that option (NULL: the option
 * itself), as text for a message; NULL if there is none.  *any_tool, unless
 * NULL: the text is for all tools, and names an option that this tool may
 * lack.
 */
const char *cmd_suggest_meaning(const char *tool, const char *word, size_t n,
    const char *value, bool *any_tool);

/*
 * The remedy for a failure with this hint (base/error.h), as the end of its
 * message: " (--max-memory)"; "" if there is none.
 */
const char *cmd_suggest_remedy(const char *hint);

#endif
