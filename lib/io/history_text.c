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
put_word(struct cscg_put *put, const char *s)
{
	if (*s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,:/@%")]) {
		cscg_put(put, " %s", s);
		return;
	}
	cscg_put(put, " '");
	for (; *s; s++)
		if (*s == '\'')
			cscg_put(put, "'\\''");
		else
			cscg_put(put, "%c", (unsigned char)*s < 0x20 ? '?' : *s);
	cscg_put(put, "'");
}

/* Operands are recorded by what they are; an option by its word. */
static void
put_arg(struct cscg_put *put, const char *name, const char *value)
{
	if (!strcmp(name, "kind") || !strcmp(name, "digit")) {
		put_word(put, value);
		return;
	}
	cscg_put(put, " --%s", name);
	if (strcmp(value, "true"))
		put_word(put, value);
}

static void
put_entry(struct cscg_put *put, json_t *entry)
{
	const char *program = json_string_value(json_object_get(entry,
	    "program")), *name;
	json_t *value, *v, *seed = json_object_get(entry, "seed");
	size_t i;

	cscg_put(put, "%s", program ? program : "?");
	json_object_foreach(json_object_get(entry, "args"), name, value)
		if (json_is_string(value))
			put_arg(put, name, json_string_value(value));
		else
			json_array_foreach(value, i, v)
				if (json_is_string(v))
					put_arg(put, name,
					    json_string_value(v));
	if (json_is_integer(seed) && json_integer_value(seed) != DEFAULT_SEED)
		cscg_put(put, " -s %lld", (long long)json_integer_value(seed));
}

void
cscg_history_text(const struct cscg_history *h, struct cscg_put *put)
{
	json_t *entry;
	int i;

	for (i = 0; i < h->n && put->rc == 0; i++) {
		entry = cscg_json_parse(h->entry[i], strlen(h->entry[i]),
		    put->err);
		if (!entry) {
			put->rc = -1;
			return;
		}
		cscg_put(put, "%s", i ? " | " : "");
		put_entry(put, entry);
		json_decref(entry);
	}
}
