/*
 * suggest.h - the option that was meant: by spelling or by meaning
 *
 * Near is one letter too many (of short words: twice, or an s), too few,
 * changed, or two that changed places; capitals do not count.  If no word is
 * that near, the beginning of one does.
 * Two that are equally near mean that we do not know.
 *
 *	struct cmd_suggest near = { .word = word, .n = strlen(word) };
 *
 *	for (i = 0; words[i]; i++)
 *		cmd_suggest_add(&near, words[i]);
 *	cmd_usage("'%s' is unknown%s", word, cmd_suggest_hint(&near, "", buf));
 */
#ifndef CMD_SUGGEST_H
#define CMD_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

/*
 * the word that was meant, where one is near
 *
 * Near is one letter too many (of short words: twice, or an s), too few,
 * changed, or two that changed places; capitals do not count.  If no word is
 * that near, the beginning of one does.
 * Two that are equally near mean that we do not know.
 *
 *	struct cmd_suggest near = { .word = word, .n = strlen(word) };
 *
 *	for (i = 0; words[i]; i++)
 *		cmd_suggest_add(&near, words[i]);
 *	cmd_usage("'%s' is unknown%s", word, cmd_suggest_hint(&near, "", buf));
 */

enum { CMD_SUGGEST_TEXT = 160 }; /* of a hint, with its NUL */

struct cmd_suggest {
	const char *word; /* what was typed: n bytes */
	size_t n;
	const char *found[2]; /* by a slip of the pen, by its beginning */
	int count[2];         /* how many there were */
};

/* Is this the word that was meant?  It must outlive near. */
void cmd_suggest_add(struct cmd_suggest *near, const char *candidate);

/* The only one that may be meant, or NULL. */
const char *cmd_suggest_word(const struct cmd_suggest *near);

/* ": did you mean --restarts?", with "--" as dashes, in buf; or "". */
const char *cmd_suggest_hint(const struct cmd_suggest *near,
    const char *dashes, char buf[CMD_SUGGEST_TEXT]);

/*
 * What tool calls an option word (n bytes, without dashes) that other programs
 * or earlier versions have, or a value of one (NULL: the option itself), as a
 * text for people; NULL if nothing is known.  *any_tool, unless NULL: the text
 * is one for all tools, and names an option that this tool may lack.
 */
const char *cmd_suggest_meaning(const char *tool, const char *word, size_t n,
    const char *value, bool *any_tool);

/*
 * What to do about a failure whose hint this is (base/error.h), as the end of
 * its message: " (--max-memory)"; "" if nothing is known.
 */
const char *cmd_suggest_remedy(const char *hint);

#endif
