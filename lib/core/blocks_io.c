/* blocks_io.c - schemas out of files, some of them several times */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/blocks_io.h"
#include "base/mem.h"

/* The "*N" at the end of an operand; NULL: there is none. */
static const char *
copies_suffix(const char *operand)
{
	const char *star = strrchr(operand, '*');

	if (!star || star == operand || !star[1] ||
	    star[1 + strspn(star + 1, "0123456789")])
		return NULL;
	return star;
}

long
cscg_blocks_copies(const char *operand, struct cscg_err *err)
{
	const char *star = copies_suffix(operand);
	long n = star ? strtol(star + 1, NULL, 10) : 1;

	if (n < 1 || n > CSCG_BLOCKS_MAX)
		return cscg_fail(err, CSCG_EUSAGE, "'%s': %s copies are not 1 "
		    "to %d", operand, star + 1, CSCG_BLOCKS_MAX);
	return n;
}

static size_t
length_without_copies(const char *operand)
{
	const char *star = copies_suffix(operand);

	return star ? (size_t)(star - operand) : strlen(operand);
}

size_t
cscg_blocks_file(const char *operand, char *name, size_t size)
{
	const char *file = cscg_schemas_file(operand);
	size_t n = length_without_copies(file);

	snprintf(name, size, "%.*s", (int)n, file);
	return n;
}

/* Another block of schema i. */
static int
add_block(struct cscg_blocks *b, int i, struct cscg_err *err)
{
	size_t n = (size_t)b->n + 1;

	if (b->n == CSCG_BLOCKS_MAX)
		return cscg_fail(err, CSCG_EUSAGE, "more than %d schemas",
		    CSCG_BLOCKS_MAX);
	if (cscg_grow(&b->m, &b->cap_m, n, sizeof *b->m, err) < 0 ||
	    cscg_grow(&b->schema, &b->cap_schema, n, sizeof *b->schema,
	    err) < 0 ||
	    cscg_names_add(&b->names, b->schemas.names.v[i], err) < 0)
		return -1;
	b->schema[b->n] = i;
	b->m[b->n++] = b->schemas.m[i];
	return 0;
}

int
cscg_blocks_read(struct cscg_blocks *b, const char *operand, int which,
    struct cscg_err *err)
{
	long n = cscg_blocks_copies(operand, err), c;
	int first = b->schemas.n, i, rc;
	char *plain_operand;

	if (n < 0)
		return -1;
	plain_operand = cscg_alloc(length_without_copies(operand) + 1, 1, err);
	if (!plain_operand)
		return -1;
	memcpy(plain_operand, operand, length_without_copies(operand));
	rc = cscg_schemas_read(&b->schemas, plain_operand, err);
	free(plain_operand);
	if (rc < 0 || cscg_grow(&b->operand, &b->cap_operand,
	    (size_t)b->schemas.n, sizeof *b->operand, err) < 0)
		return -1;
	for (i = first; i < b->schemas.n; i++) {
		b->operand[i] = which;
		for (c = 0; c < n; c++)
			if (add_block(b, i, err) < 0)
				return -1;
	}
	return 0;
}

void
cscg_blocks_free(struct cscg_blocks *b)
{
	cscg_schemas_free(&b->schemas);
	cscg_names_free(&b->names);
	free(b->operand);
	free(b->m);
	free(b->schema);
	*b = (struct cscg_blocks){ .n = 0 };
}
