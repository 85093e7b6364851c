/*
 * model_io.h - model files as JSON, one model per line: cscg-model(5)
 */
#ifndef CSCG_MODEL_IO_H
#define CSCG_MODEL_IO_H

#include <stddef.h>

#include "base/error.h"
#include "base/names.h"
#include "core/model.h"
#include "io/json_write.h"
#include "io/stream.h"

struct json_t; /* Jansson's */

enum { CSCG_MODEL_VERSION = 2 }; /* newest version of the format */

/* 1 with *m new; 0 at a clean end or -1 with err filled, *m is NULL then. */
int cscg_model_read(struct cscg_in *in, struct cscg_model **m,
    struct cscg_err *err);

int cscg_model_write(const struct cscg_model *m, struct cscg_out *out,
    struct cscg_err *err);

/*
 * named schemas read from files
 *
 * An operand is FILE or NAME=FILE; a file name that contains "=" is written
 * with a slash before the "=" ("./a=b.gz").  Without NAME the name of a schema
 * is the file name without directory and the suffixes .gz and .json; standard
 * input is named stdin.  The models of a file with several are NAME-1, NAME-2
 * and so on.  A derived name that is already in use gets the suffix -2, -3 and
 * so on.
 */

struct cscg_schemas {
	int n;
	struct cscg_names names;
	struct cscg_model **m; /* the caller that takes an item sets it to
	                          NULL */
	size_t cap;
};

/*
 * Append all models of an operand, unchanged.  Returns 0, or -1 with err
 * filled: as cscg_model_read() does, CSCG_ECUT if the file has no model,
 * CSCG_EUSAGE if a given name is already in use.
 */
int cscg_schemas_read(struct cscg_schemas *s, const char *operand,
    struct cscg_err *err);
void cscg_schemas_free(struct cscg_schemas *s); /* s is empty afterwards */

/* The file name of an operand: a pointer into operand. */
const char *cscg_schemas_file(const char *operand);

/*
 * blocks: copies of schemas read from files
 *
 * An operand is as above and may end in "*N": each schema of the file then
 * gives N blocks.
 */

enum { CSCG_BLOCKS_MAX = 100000 };

struct cscg_blocks {
	struct cscg_schemas schemas;
	int *operand;                /* [schemas.n] operand of each schema */
	const struct cscg_model **m; /* [n] blocks, borrowed from schemas */
	int *schema;                 /* [n] schema of each block */
	struct cscg_names names;     /* [n] */
	size_t cap_operand, cap_m, cap_schema;
	int n;
};

/* N of an operand, 1 without "*N"; -1 with err filled (CSCG_EUSAGE). */
long cscg_blocks_copies(const char *operand, struct cscg_err *err);

/*
 * The file name of an operand, truncated to size; returns its length before
 * truncation.
 */
size_t cscg_blocks_file(const char *operand, char *name, size_t size);

/* Append the blocks of operand number which; fails as cscg_schemas_read(). */
int cscg_blocks_read(struct cscg_blocks *b, const char *operand, int which,
    struct cscg_err *err);
void cscg_blocks_free(struct cscg_blocks *b); /* b is empty afterwards */

/*
 * members that models and rooms have
 *
 * "coords": two numbers of -limit..limit for each of n states or nodes, and
 * "frontiers".  If the optional member is absent, nothing is changed; what is the
 * error of an item that has another shape.  0, or -1 with err filled.
 */
int cscg_coords_from_json(struct json_t *obj, int n, double limit,
    const char *what, double **coords, struct cscg_err *err);
void cscg_coords_write_json(struct cscg_json_writer *w, const double *coords,
    int n);
int cscg_frontiers_from_json(struct json_t *obj, const char *what,
    struct cscg_frontier **f, long *n, struct cscg_err *err);
void cscg_frontiers_write_json(struct cscg_json_writer *w,
    const struct cscg_frontier *f, long n);

#endif
