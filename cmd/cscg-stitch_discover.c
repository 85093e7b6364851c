/* cscg-stitch_discover.c - a library of the rooms of whole worlds */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "cscg-stitch.h"
#include "schema/library.h"
#include "base/mem.h"

/* Does an operand say how many, with "*N"? */
static bool
is_counted(const char *operand)
{
	char name[1];

	return cscg_blocks_file(operand, name, sizeof name) !=
	    strlen(cscg_schemas_file(operand));
}

/* How many blocks schema i of the library stands for. */
static long
copies(const struct cscg_library *lib, int i, const struct cscg_blocks *worlds,
    char **operands)
{
	struct cscg_err err;
	long n = 0, times;
	int w;

	for (w = 0; w < lib->n_worlds; w++) {
		const char *operand = operands[worlds->operand[w]];

		times = lib->n_found[i * lib->n_worlds + w];
		if (times)
			n += is_counted(operand) ? cscg_blocks_copies(operand,
			    &err) : times;
	}
	return n;
}

/* The world's name, and a number if more than one schema is from there. */
static int
add_name(struct cscg_names *names, const struct cscg_library *lib, int i,
    const struct cscg_names *worlds, struct cscg_err *err)
{
	const char *world = worlds->v[lib->world[i]];
	size_t size = strlen(world) + 16;
	char *name = cscg_alloc(size, 1, err);
	int j, all = 0, before = 0, rc;

	if (!name)
		return -1;
	for (j = 0; j < lib->n; j++) {
		all += lib->world[j] == lib->world[i];
		before += j < i && lib->world[j] == lib->world[i];
	}
	snprintf(name, size, all > 1 ? "%s-%d" : "%s", world, before + 1);
	rc = cscg_names_add(names, name, err);
	free(name);
	return rc;
}

/* n blocks of schema i of b. */
static int
add_blocks(struct cscg_blocks *b, int i, long n, struct cscg_err *err)
{
	size_t need = (size_t)b->n + (size_t)n;

	if (need > CSCG_BLOCKS_MAX)
		return cscg_fail(err, CSCG_EUSAGE, "more than %d schemas",
		    CSCG_BLOCKS_MAX);
	if (cscg_grow(&b->m, &b->cap_m, need, sizeof *b->m, err) < 0 ||
	    cscg_grow(&b->schema, &b->cap_schema, need, sizeof *b->schema,
	    err) < 0)
		return -1;
	for (; n > 0; n--) {
		if (cscg_names_add(&b->names, b->schemas.names.v[i], err) < 0)
			return -1;
		b->schema[b->n] = i;
		b->m[b->n++] = b->schemas.m[i];
	}
	return 0;
}

/* Schema i of the library, taken from there. */
static int
add_schema_take(struct cscg_blocks *to, struct cscg_library *lib, int i,
    const struct cscg_blocks *worlds, char **operands, struct cscg_err *err)
{
	struct cscg_schemas *s = &to->schemas;
	size_t need = (size_t)s->n + 1;
	long n = copies(lib, i, worlds, operands);

	if (cscg_grow(&s->m, &s->cap, need, sizeof *s->m, err) < 0 ||
	    cscg_grow(&to->operand, &to->cap_operand, need,
	    sizeof *to->operand, err) < 0 ||
	    add_name(&s->names, lib, i, &worlds->schemas.names, err) < 0)
		return -1;
	to->operand[s->n] = worlds->operand[lib->world[i]];
	s->m[s->n++] = lib->m[i];
	lib->m[i] = NULL;
	cmd_talk("found %s: %d states, %ld frontiers; %ld of it may be there",
	    s->names.v[i], s->m[i]->n_states, s->m[i]->n_frontiers, n);
	return add_blocks(to, i, n, err);
}

int
stitch_discover(struct cscg_blocks *b, char **operands,
    const struct cscg_partition_options *cut, struct cscg_err *err)
{
	const struct cscg_model *const *worlds =
	    (const struct cscg_model *const *)b->schemas.m;
	struct cscg_blocks found = { .n = 0 };
	struct cscg_library lib;
	int i, which, rc;

	rc = cscg_library_discover(worlds, b->schemas.n, cut, CSCG_PARTITION_MIN_PROB, &lib,
	    &which, err);
	if (rc < 0 && which >= 0)
		stitch_blame(operands[b->operand[which]], err);
	for (i = 0; rc == 0 && i < lib.n; i++)
		rc = add_schema_take(&found, &lib, i, b, operands, err);
	cscg_library_free(&lib);
	cscg_blocks_free(rc < 0 ? &found : b);
	if (rc == 0)
		*b = found;
	return rc;
}
