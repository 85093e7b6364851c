/*
 * error.h - error codes and the message passed up to the command
 *
 * The library returns, the command speaks: nothing below cmd/ prints or exits.
 * A function that can fail takes a struct cscg_err as its last argument, fills
 * it once and returns -1 (or NULL); callers may prepend where it happened.
 */
#ifndef CSCG_ERROR_H
#define CSCG_ERROR_H

#include <stdarg.h>

enum cscg_code {
	CSCG_OK,
	CSCG_EUSAGE,	/* asked wrongly: an option, an unwritable output */
	CSCG_EFORMAT,	/* input that is not what it should be */
	CSCG_ERANGE,	/* a value outside what is allowed */
	CSCG_EMISMATCH,	/* two inputs that do not fit each other */
	CSCG_ECUT,	/* input that ends early or is damaged */
	CSCG_EREAD,	/* input that cannot be opened or read */
	CSCG_EIO,	/* the machine: disk full, device error */
	CSCG_ENOMEM,	/* the machine: memory */
	CSCG_EPIPE,	/* the reader of our output has gone */
	CSCG_EBUG	/* a promise of this program was broken by itself */
};

struct cscg_err {
	enum cscg_code code;
	char msg[1024];
};

/* Fill err with a code and a message; returns -1, so a check is one line. */
int cscg_fail(struct cscg_err *err, enum cscg_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Prepend "where: " to the message err holds already; returns -1. */
int cscg_fail_at(struct cscg_err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The exit status for a code: 0, 2, 3 or 4 (DESIGN: see cscg(7)). */
int cscg_err_status(enum cscg_code code);

#endif
