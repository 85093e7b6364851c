/*
 * walk_text.h - text as a walk: characters or words are symbols
 *
 * A text has one action.  Characters: each character of UTF-8 is a symbol,
 * named by itself; a newline is named \n and a tab \t, both of two characters,
 * and any other control character is a space.  Words: a run of letters,
 * digits, apostrophes and other characters that are neither ASCII nor
 * punctuation is a word; any other character except white space is a word by
 * itself.  Symbols are numbered by their first occurrence.
 */
#ifndef CSCG_WALK_TEXT_H
#define CSCG_WALK_TEXT_H

#include <stdbool.h>

#include "base/error.h"
#include "core/walk.h"
#include "io/stream.h"

#define CSCG_TEXT_UNKNOWN "<unk>" /* the symbol of unknown words */

struct cscg_walk_text_options {
	bool words;     /* words instead of characters */
	bool lower;     /* lower case: Latin, Greek, Cyrillic, Armenian */
	bool lines;     /* each line with a symbol is an episode, without its
	                   newline; otherwise a file is an episode */
	long min_count; /* rarer symbols become the unknown one; 0: none */
	/*
	 * Or the symbols of this walk, or NULL; any other symbol becomes the
	 * unknown one, or is an error if the walk lacks it.
	 */
	const struct cscg_walk_header *vocabulary;
};

struct cscg_walk_text;

/* Borrows the vocabulary.  NULL with err filled (CSCG_ENOMEM). */
struct cscg_walk_text *cscg_walk_text_new(
    const struct cscg_walk_text_options *set, struct cscg_err *err);
void cscg_walk_text_free(struct cscg_walk_text *text);

/*
 * Append a text.  -1 with err filled: as cscg_in_line(), CSCG_EFORMAT (not
 * UTF-8, a NUL byte), CSCG_ERANGE (too many symbols), CSCG_EMISMATCH (not in
 * the vocabulary).
 */
int cscg_walk_text_read(struct cscg_walk_text *text, struct cscg_in *in,
    struct cscg_err *err);

/* All texts as a new walk; CSCG_EFORMAT if there is no symbol in them. */
struct cscg_walk *cscg_walk_text_to_walk(struct cscg_walk_text *text,
    struct cscg_err *err);

/*
 * Write the symbols of w as text: one after the other if each name is one
 * character (or \n, \t, the unknown symbol as U+FFFD) and a space or \n is one
 * of them, else as words with a space between them; missing observations are
 * skipped.  An episode ends with a newline.
 */
int cscg_walk_text_write(const struct cscg_walk *w, struct cscg_out *out,
    struct cscg_err *err);

#endif
