/*
 * blocks_io.h - schemas out of files, some of them several times
 *
 * An operand is one of schemas_io.h, and may end in "*N": each schema of the
 * file then stands for N blocks.
 */
#ifndef CSCG_BLOCKS_IO_H
#define CSCG_BLOCKS_IO_H

#include <stddef.h>

#include "core/schemas_io.h"

enum { CSCG_BLOCKS_MAX = 100000 };

struct cscg_blocks {
	struct cscg_schemas schemas;
	int *operand;		/* [schemas.n] which operand it is from */
	const struct cscg_model **m;	/* [n] the blocks, borrowed from them */
	int *schema;		/* [n] which of them it is */
	struct cscg_names names;	/* [n] */
	size_t cap_operand, cap_m, cap_schema;
	int n;
};

/* How many: 1 if it does not say; -1 with err filled (CSCG_EUSAGE). */
long cscg_blocks_copies(const char *operand, struct cscg_err *err);

/* The file of an operand, cut to size; returns its length if it were not. */
size_t cscg_blocks_file(const char *operand, char *name, size_t size);

/* Append the blocks of operand number which; fails as schemas_io.h says. */
int cscg_blocks_read(struct cscg_blocks *b, const char *operand, int which,
    struct cscg_err *err);
void cscg_blocks_free(struct cscg_blocks *b);	/* empties it, too */

#endif
