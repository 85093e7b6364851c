/*
 * put.h - text written piece by piece, with the first fault kept
 *
 * For writers of many small pieces: after a fault nothing more is written, and
 * rc tells at the end.  Start with { out, err, 0 }.
 */
#ifndef CSCG_PUT_H
#define CSCG_PUT_H

#include "base/err.h"
#include "io/stream.h"

struct cscg_printer {
	struct cscg_out *out;
	struct cscg_err *err;
	int rc;			/* 0, or -1 with err filled */
};

void cscg_print(struct cscg_printer *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Text inside XML, and inside a label of DOT that is written like it. */
void cscg_print_xml(struct cscg_printer *p, const char *s);

/* A quoted string of DOT. */
void cscg_print_dot(struct cscg_printer *p, const char *s);

#endif
