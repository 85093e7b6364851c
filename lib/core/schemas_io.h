/*
 * schemas_io.h - several schemas out of files, each with a name
 *
 * An operand is FILE or NAME=FILE; a file whose own name has "=" in it is
 * written with a slash before that ("./a=b.gz").  Without NAME a schema is
 * called like its file, without directory and the endings .gz and .json;
 * standard input is called stdin.  The models of a file that holds several are
 * NAME-1, NAME-2 and so on.  A name that is taken gets -2, -3 and so on, unless
 * it was given.
 */
#ifndef CSCG_SCHEMAS_IO_H
#define CSCG_SCHEMAS_IO_H

#include <stddef.h>

#include "base/err.h"
#include "core/model.h"
#include "base/names.h"

struct cscg_schemas {
	int n;
	struct cscg_names names;
	struct cscg_model **m;	/* an item may be taken: set it to NULL then */
	size_t cap;
};

/*
 * Append all models of an operand as they are.  Returns 0, or -1 with err
 * filled: as cscg_model_read() does, CSCG_ECUT if there is none, CSCG_EUSAGE if
 * a given name is taken.
 */
int cscg_schemas_read(struct cscg_schemas *s, const char *operand,
    struct cscg_err *err);
void cscg_schemas_free(struct cscg_schemas *s);	/* empties it, too */

/* The file of an operand; points into it. */
const char *cscg_schemas_file(const char *operand);

#endif
