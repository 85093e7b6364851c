/*
 * error.h - error codes and the message passed up to the command
 *
 * The library returns, the command speaks: nothing below cmd/ prints or exits.
 * A function that can fail takes a struct cscg_err as its last argument, fills
 * it once and returns -1 (or NULL); callers may prepend where it happened.
 *
 * A message states the cause and what is allowed.  How a user gets what is
 * allowed depends on the program, so no message names an option or a tool: hint
 * is a word for the kind of remedy ("memory-limit"), and a program that knows
 * the word adds its own advice.
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
	char hint[40];	/* "": none */
};

/* Fill err with a code and a message; returns -1, so a check is one line. */
int cscg_fail(struct cscg_err *err, enum cscg_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Prepend "where: " to the message err holds already; returns -1. */
int cscg_fail_at(struct cscg_err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Set the hint of the failure that err holds; returns -1. */
int cscg_fail_hint(struct cscg_err *err, const char *hint);

/* The exit status for a code: 0, 2, 3 or 4 (DESIGN: see cscg(7)). */
int cscg_err_status(enum cscg_code code);

#endif
