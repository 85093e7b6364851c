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
 * The struct and the codes are in cscg.h.
 */
#ifndef CSCG_ERROR_H
#define CSCG_ERROR_H

#include <stdarg.h>

#include "cscg.h"

/* Fill err with a code and a message; returns -1, so a check is one line. */
int cscg_fail(struct cscg_err *err, enum cscg_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Prepend "where: " to the message err holds already; returns -1. */
int cscg_fail_at(struct cscg_err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Set the hint of the failure that err holds; returns -1. */
int cscg_fail_hint(struct cscg_err *err, const char *hint);

#endif
