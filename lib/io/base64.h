/*
 * base64.h - bytes as text (RFC 4648, section 4)
 *
 * Padded, without line breaks, and in one spelling only: what decodes encodes
 * to the same text again.
 */
#ifndef CSCG_BASE64_H
#define CSCG_BASE64_H

#include <stddef.h>

/* Characters that n bytes take. */
size_t cscg_base64_length(size_t n);

/* n bytes into to, which has room for that many; there is no NUL. */
void cscg_base64_encode(const void *from, size_t n, char *to);

/*
 * The bytes that len characters stand for, into to, which has room for
 * len / 4 * 3.  Returns how many there are, or -1 with *fault (may be NULL)
 * the position of the first character that cannot stand there; it is len if
 * the text is cut.
 */
long cscg_base64_decode(const char *text, size_t len, void *to,
    size_t *fault);

#endif
