/* history.c - provenance: one entry for each command that led to a file */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "io/history.h"
#include "io/json.h"
#include "io/json_parse.h"

/* Append text, which must come from malloc; frees it on failure. */
static int
take_entry(struct cscg_history *h, char *text, struct cscg_err *err)
{
	char **v;

	if (!text)
		return cscg_fail(err, CSCG_ENOMEM, "out of memory (history)");
	v = realloc(h->entry, ((size_t)h->n + 1) * sizeof *v);
	if (!v) {
		free(text);
		return cscg_fail(err, CSCG_ENOMEM, "out of memory (history)");
	}
	h->entry = v;
	h->entry[h->n++] = text;
	return 0;
}

/* Arguments come from a command line and may be any bytes. */
static void
write_value(struct cscg_json_writer *w, const char *key, const char *s)
{
	size_t n = strlen(s), i;
	char *copy = cscg_copy(s, n + 1, 1, w->err);

	if (!copy) {
		w->rc = -1;
		return;
	}
	for (i = 0; copy[i]; i += (size_t)cscg_utf8_step(s + i))
		if (!cscg_utf8_length(s + i, CSCG_UTF8_MAX))
			break;
	for (n = 0; s[i] && s[n]; n++)
		if ((unsigned char)s[n] >= 0x80)
			copy[n] = '?';
	cscg_json_put_string(w, key, copy);
	free(copy);
}

/* Write argument i, with all its values if it is the first of its name. */
static void
write_argument(struct cscg_json_writer *w, const char *const (*args)[2],
    int n_args, int i)
{
	const char *name = args[i][0];
	int j, n = 0;

	for (j = 0; j < n_args; j++) {
		if (strcmp(args[j][0], name))
			continue;
		if (j < i)
			return;
		n++;
	}
	if (n == 1) {
		write_value(w, name, args[i][1]);
		return;
	}
	cscg_json_open(w, name, '[');
	for (j = i; j < n_args; j++)
		if (!strcmp(args[j][0], name))
			write_value(w, NULL, args[j][1]);
	cscg_json_close(w, ']');
}

int
cscg_history_add(struct cscg_history *h, const char *program,
    const char *version, const char *const (*args)[2], int n_args, long seed,
    struct cscg_err *err)
{
	struct cscg_json_writer w = { .digits = 17, .err = err };
	int i;

	cscg_json_open(&w, NULL, '{');
	cscg_json_put_string(&w, "program", program);
	cscg_json_put_string(&w, "version", version);
	cscg_json_open(&w, "args", '{');
	for (i = 0; i < n_args; i++)
		write_argument(&w, args, n_args, i);
	cscg_json_close(&w, '}');
	if (seed >= 0)
		cscg_json_put_int(&w, "seed", seed);
	cscg_json_close(&w, '}');
	if (w.rc == 0)
		return take_entry(h, w.text, err);
	free(w.text);
	return -1;
}

static int
append_entries(struct cscg_history *to, const struct cscg_history *from,
    int first, struct cscg_err *err)
{
	int i, n = to->n;
	char *text;

	for (i = first; i < from->n; i++) {
		text = cscg_copy(from->entry[i], strlen(from->entry[i]) + 1, 1,
		    err);
		if (take_entry(to, text, err) < 0) {
			while (to->n > n)
				free(to->entry[--to->n]);
			return -1;
		}
	}
	return 0;
}

int
cscg_history_copy(struct cscg_history *to, const struct cscg_history *from,
    struct cscg_err *err)
{
	*to = (struct cscg_history){ 0, NULL };
	if (append_entries(to, from, 0, err) == 0)
		return 0;
	cscg_history_free(to);
	return -1;
}

int
cscg_history_join(struct cscg_history *to, const struct cscg_history *from,
    struct cscg_err *err)
{
	int k, i;

	/* Skip the longest prefix of from that to already ends with. */
	for (k = from->n < to->n ? from->n : to->n; k > 0; k--) {
		for (i = 0; i < k &&
		     !strcmp(from->entry[i], to->entry[to->n - k + i]);
		     i++)
			;
		if (i == k)
			break;
	}
	return append_entries(to, from, k, err);
}

void
cscg_history_free(struct cscg_history *h)
{
	int i;

	for (i = 0; i < h->n; i++)
		free(h->entry[i]);
	free(h->entry);
	*h = (struct cscg_history){ 0, NULL };
}

int
cscg_history_from_json(struct json_t *obj, struct cscg_history *h,
    struct cscg_err *err)
{
	json_t *arr, *v;
	size_t i;

	*h = (struct cscg_history){ 0, NULL };
	if (!cscg_json_has(obj, "history"))
		return 0;
	if (cscg_json_array(obj, "history", -1, &arr, err) < 0)
		return -1;
	json_array_foreach(arr, i, v)
	{
		if (json_typeof(v) != JSON_OBJECT) {
			cscg_fail(err, CSCG_EFORMAT,
			    "/history/%zu: not an object", i);
			goto fail;
		}
		if (take_entry(h, cscg_json_text(v, err), err) < 0)
			goto fail;
	}
	return 0;
fail:
	cscg_history_free(h);
	return -1;
}

void
cscg_history_write_json(struct cscg_json_writer *w,
    const struct cscg_history *h)
{
	int i;

	cscg_json_open(w, "history", '[');
	for (i = 0; i < h->n; i++)
		cscg_json_put_text(w, NULL, h->entry[i]);
	cscg_json_close(w, ']');
}

/* a history as shell commands */

enum { DEFAULT_SEED = 42 };

/* Quote a word for the shell. */
static void
write_word(struct cscg_printer *p, const char *s)
{
	static const char *const quote[] = { "'\\''" };

	if (*s &&
	    !s[strspn(s,
		"abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,:/@%")]) {
		cscg_print(p, " %s", s);
		return;
	}
	cscg_print(p, " '");
	cscg_print_mapped(p, s, "'", quote);
	cscg_print(p, "'");
}

/* Operands are recorded by their kind, options by their long name. */
static void
write_arg(struct cscg_printer *p, const char *name, const char *value)
{
	if (!strcmp(name, "kind") || !strcmp(name, "digit")) {
		write_word(p, value);
		return;
	}
	cscg_print(p, " --");
	cscg_print_text(p, name);
	if (strcmp(value, "true"))
		write_word(p, value);
}

static void
write_entry(struct cscg_printer *p, json_t *entry)
{
	const char *program = json_string_value(json_object_get(entry,
		       "program")),
		   *name;
	json_t *value, *v, *seed = json_object_get(entry, "seed");
	size_t i;

	cscg_print_text(p, program ? program : "?");
	json_object_foreach(json_object_get(entry, "args"), name,
	    value) if (json_typeof(value) == JSON_STRING)
	    write_arg(p, name, json_string_value(value));
	else json_array_foreach(value, i, v) if (json_is_string(v))
	    write_arg(p, name, json_string_value(v));
	if (json_is_integer(seed) && json_integer_value(seed) != DEFAULT_SEED)
		cscg_print(p, " -s %lld", (long long)json_integer_value(seed));
}

void
cscg_history_write_commands(const struct cscg_history *h,
    struct cscg_printer *p)
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
