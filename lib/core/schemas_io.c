/* schemas_io.c - several schemas out of files, each with a name */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/model_io.h"
#include "core/schemas_io.h"

void
cscg_schemas_free(struct cscg_schemas *s)
{
	int i;

	for (i = 0; i < s->n; i++)
		cscg_model_free(s->m[i]);
	free(s->m);
	cscg_names_free(&s->names);
	*s = (struct cscg_schemas){ .n = 0 };
}

const char *
cscg_schemas_file(const char *operand)
{
	size_t n = strcspn(operand, "=/");

	return n && operand[n] == '=' ? operand + n + 1 : operand;
}

/* What an operand calls its schema: n bytes from where is returned. */
static const char *
base_name(const char *operand, bool *given, size_t *n)
{
	static const char *const ends[] = { ".gz", ".json" };
	const char *path = cscg_schemas_file(operand), *slash;
	size_t e, i;

	*given = path != operand;
	*n = (size_t)(path - operand) - 1;
	if (*given)
		return operand;
	slash = strrchr(path, '/');
	path = !strcmp(path, "-") ? "stdin" : slash ? slash + 1 : path;
	*n = strlen(path);
	for (i = 0; i < sizeof ends / sizeof *ends; i++) {
		e = strlen(ends[i]);
		if (*n > e && !strncmp(path + *n - e, ends[i], e))
			*n -= e;
	}
	return path;
}

/* Name one schema; i > 0: it is the i-th of its file. */
static int
add_name(struct cscg_names *names, const char *operand, int i,
    struct cscg_err *err)
{
	bool given;
	size_t n, size;
	const char *base = base_name(operand, &given, &n);
	char *name, part[16] = "";
	int rc = -1, k;

	size = n + 2 * sizeof part;
	name = cscg_alloc(size, 1, err);
	if (!name)
		return -1;
	if (i)
		snprintf(part, sizeof part, "-%d", i);
	snprintf(name, size, "%.*s%s", (int)n, base, part);
	for (k = 2; cscg_names_find(names, name) >= 0; k++) {
		if (given) {
			cscg_fail(err, CSCG_EUSAGE, "two schemas are called "
			    "'%s'", name);
			goto out;
		}
		snprintf(name, size, "%.*s%s-%d", (int)n, base, part, k);
	}
	rc = cscg_names_add(names, name, err);
	if (rc < 0)
		cscg_fail_at(err, "'%s'", operand);
out:
	free(name);
	return rc;
}

int
cscg_schemas_read(struct cscg_schemas *s, const char *operand,
    struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(cscg_schemas_file(operand), err);
	int rc, first = s->n, i;

	if (!in)
		return -1;
	do {
		rc = cscg_grow(&s->m, &s->cap, (size_t)s->n + 1, sizeof *s->m,
		    err) < 0 ? -1 : cscg_model_read(in, &s->m[s->n], err);
		s->n += rc > 0;
	} while (rc > 0);
	if (rc == 0 && s->n == first)
		rc = cscg_fail(err, CSCG_ECUT, "%s: unexpected end: no "
		    "cscg-model", cscg_in_name(in));
	for (i = first; i < s->n && rc == 0; i++)
		rc = add_name(&s->names, operand, s->n - first > 1 ?
		    i - first + 1 : 0, err);
	cscg_in_close(in);
	return rc;
}
