/*
 * history_text.c - a history as the commands one would type
 */
#include <stdlib.h>
#include <string.h>

#include "io/history_text.h"
#include "io/json.h"

enum { DEFAULT_SEED = 42 };

/* A word as a shell would take it. */
static void
write_word(struct cscg_printer *p, const char *s)
{
	if (*s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,:/@%")]) {
		cscg_print(p, " %s", s);
		return;
	}
	cscg_print(p, " '");
	for (; *s; s++)
		if (*s == '\'')
			cscg_print(p, "'\\''");
		else
			cscg_print(p, "%c", (unsigned char)*s < 0x20 ? '?' : *s);
	cscg_print(p, "'");
}

/* Operands are recorded by what they are; an option by its word. */
static void
write_arg(struct cscg_printer *p, const char *name, const char *value)
{
	if (!strcmp(name, "kind") || !strcmp(name, "digit")) {
		write_word(p, value);
		return;
	}
	cscg_print(p, " --%s", name);
	if (strcmp(value, "true"))
		write_word(p, value);
}

static void
write_entry(struct cscg_printer *p, json_t *entry)
{
	const char *program = json_string_value(json_object_get(entry,
	    "program")), *name;
	json_t *value, *v, *seed = json_object_get(entry, "seed");
	size_t i;

	cscg_print(p, "%s", program ? program : "?");
	json_object_foreach(json_object_get(entry, "args"), name, value)
		if (json_is_string(value))
			write_arg(p, name, json_string_value(value));
		else
			json_array_foreach(value, i, v)
				if (json_is_string(v))
					write_arg(p, name,
					    json_string_value(v));
	if (json_is_integer(seed) && json_integer_value(seed) != DEFAULT_SEED)
		cscg_print(p, " -s %lld", (long long)json_integer_value(seed));
}

void
cscg_history_write_commands(const struct cscg_history *h, struct cscg_printer *p)
{
	json_t *entry;
	int i;

	for (i = 0; i < h->n && p->rc == 0; i++) {
		entry = cscg_json_parse(h->entry[i], strlen(h->entry[i]),
		    p->err);
		if (!entry) {
			p->rc = -1;
			return;
		}
		cscg_print(p, "%s", i ? " | " : "");
		write_entry(p, entry);
		json_decref(entry);
	}
}
