/*
 * utf8.h - characters of UTF-8 text, and text that is safe to print
 *
 * Input text may contain characters that control a terminal: C0 controls, DEL,
 * and C1 controls, both as the characters U+0080..U+009F and as lone bytes.
 * Text for a terminal passes through cscg_printable() or
 * cscg_printable_span(): a control character, and each byte that is not part
 * of valid UTF-8, becomes '?'.
 */
#ifndef CSCG_UTF8_H
#define CSCG_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Bytes of a character.  Reading that many is safe at a truncated character:
 * the NUL of the string comes first.
 */
enum { CSCG_UTF8_MAX = 4 };

/* Bytes of the UTF-8 character at the start of text[size]; 0: invalid. */
int cscg_utf8_length(const char *text, size_t size);

/* Whether a valid character, at s, is a control character. */
bool cscg_utf8_is_control(const char *s);

/* Bytes of the character or the invalid byte at s: at least 1. */
int cscg_utf8_step(const char *s);

/*
 * The lower case of the valid character at s, n bytes, into to, n bytes: of
 * Latin, Greek, Cyrillic and Armenian letters, whatever the locale.  Returns n.
 */
int cscg_utf8_lower(const char *s, int n, char *to);

/*
 * Bytes of the string s before the first that must not be printed, or that is
 * one of the characters of stop.
 */
size_t cscg_printable_span(const char *s, const char *stop);

/* Replace in place what must not be printed; the string may get shorter. */
void cscg_printable(char *s);

#endif
