/*
 * cmd_value.h - the value of an option from its text, and back
 *
 * For cmd_opt.c; tools include cmd.h.
 */
#ifndef CMD_VALUE_H
#define CMD_VALUE_H

#include "cmd.h"

union cmd_value {
	bool b;
	int i;
	long l;
	double d;
	const char *s;
};

/* What the variable of o holds. */
union cmd_value cmd_value_of(const struct cmd_opt *o);

/*
 * v as text in buf; "" if there is nothing to say: a flag that is off, no
 * string, a number outside its own range that stands for "not set".
 */
const char *cmd_value_text(const struct cmd_opt *o, union cmd_value v,
    char *buf, size_t size);

/* "a|b|c" in buf. */
const char *cmd_value_words(const char *const *words, char *buf, size_t size);

/* Set the variable of o from s, NULL for a flag; exits on a fault. */
void cmd_value_set(const struct cmd_opt *o, char *s);

#endif
