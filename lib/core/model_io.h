/*
 * model_io.h - model files as JSON, one a line: cscg-model(5)
 */
#ifndef CSCG_MODEL_IO_H
#define CSCG_MODEL_IO_H

#include <stddef.h>

#include "base/error.h"
#include "base/names.h"
#include "core/model.h"
#include "io/stream.h"

enum { CSCG_MODEL_VERSION = 1 }; /* of the format */

/* 1 with *m new, 0 at a clean end, -1 with err filled; else *m is NULL. */
int cscg_model_read(struct cscg_in *in, struct cscg_model **m,
    struct cscg_err *err);

int cscg_model_write(const struct cscg_model *m, struct cscg_out *out,
    struct cscg_err *err);

/*
 * several schemas out of files, each with a name
 *
 * An operand is FILE or NAME=FILE; a file whose own name has "=" in it is
 * written with a slash before that ("./a=b.gz").  Without NAME a schema is
 * called like its file, without directory and the endings .gz and .json;
 * standard input is called stdin.  The models of a file that holds several are
 * NAME-1, NAME-2 and so on.  A name that is taken gets -2, -3 and so on, unless
 * it was given.
 */

struct cscg_schemas {
	int n;
	struct cscg_names names;
	struct cscg_model **m; /* an item may be taken: set it to NULL then */
	size_t cap;
};

/*
 * Append all models of an operand as they are.  Returns 0, or -1 with err
 * filled: as cscg_model_read() does, CSCG_ECUT if there is none, CSCG_EUSAGE if
 * a given name is taken.
 */
int cscg_schemas_read(struct cscg_schemas *s, const char *operand,
    struct cscg_err *err);
void cscg_schemas_free(struct cscg_schemas *s); /* empties it, too */

/* The file of an operand; points into it. */
const char *cscg_schemas_file(const char *operand);

/*
 * schemas out of files, some of them several times
 *
 * An operand is one of model_io.h, and may end in "*N": each schema of the
 * file then stands for N blocks.
 */

enum { CSCG_BLOCKS_MAX = 100000 };

struct cscg_blocks {
	struct cscg_schemas schemas;
	int *operand;                /* [schemas.n] which operand it is from */
	const struct cscg_model **m; /* [n] the blocks, borrowed from them */
	int *schema;                 /* [n] which of them it is */
	struct cscg_names names;     /* [n] */
	size_t cap_operand, cap_m, cap_schema;
	int n;
};

/* How many: 1 if it does not say; -1 with err filled (CSCG_EUSAGE). */
long cscg_blocks_copies(const char *operand, struct cscg_err *err);

/* The file of an operand, cut to size; returns its length if it were not. */
size_t cscg_blocks_file(const char *operand, char *name, size_t size);

/* Append the blocks of operand number which; fails as model_io.h says. */
int cscg_blocks_read(struct cscg_blocks *b, const char *operand, int which,
    struct cscg_err *err);
void cscg_blocks_free(struct cscg_blocks *b); /* empties it, too */

#endif
