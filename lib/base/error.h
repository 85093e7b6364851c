/*
 * error.h - error codes and the message passed up to the command
 *
 * The library returns errors, and the command prints them: no library function
 * prints or exits.  A function that can fail takes a struct cscg_err as its
 * last argument, fills it once and returns -1 (or NULL); callers may prepend
 * the position of the error.
 *
 * A message states the cause and the permitted values.  The remedy depends on
 * the program, so no message names an option or a tool: hint is a word for the
 * kind of remedy ("memory-limit"), and a program that knows the word adds its
 * own advice.
 * The struct and the codes are in cscg.h.
 */
#ifndef CSCG_ERROR_H
#define CSCG_ERROR_H

#include <stdarg.h>

#include "cscg.h"

/*
 * Fill err with a code and a message; returns -1, so a check is one line.  A
 * message is one line, and safe to print: see cscg_printable().
 */
int cscg_fail(struct cscg_err *err, enum cscg_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Prepend "position: " to the message of err; returns -1. */
int cscg_fail_at(struct cscg_err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Set the hint of the error in err; returns -1. */
int cscg_fail_hint(struct cscg_err *err, const char *hint);

#endif
