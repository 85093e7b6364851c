/*
 * history.h - provenance: one entry for each command that led to a file
 *
 * An entry is a compact JSON object kept as text, so that reading and writing
 * is the identity.  Entries hold program, version, arguments that matter and
 * seed; no time, host, path or thread count.
 */
#ifndef CSCG_HISTORY_H
#define CSCG_HISTORY_H

#include "base/error.h"
#include "io/table.h"

struct json_t; /* Jansson's, for the _io files */

struct cscg_history {
	int n;
	char **entry;
};

/*
 * Append {"program":..,"version":..,"args":{name:value,...},"seed":N}.  args
 * are n_args pairs of strings, one with a name that was there before adds to an
 * array; seed < 0 leaves it out.
 */
int cscg_history_add(struct cscg_history *h, const char *program,
    const char *version, const char *const (*args)[2], int n_args, long seed,
    struct cscg_err *err);

int cscg_history_copy(struct cscg_history *to, const struct cscg_history *from,
    struct cscg_err *err);

/* Append the entries of from that are not the same as the last ones of to. */
int cscg_history_join(struct cscg_history *to, const struct cscg_history *from,
    struct cscg_err *err);

void cscg_history_free(struct cscg_history *h); /* empties it, too */

/* The optional array "history" of obj, and putting it there (also if empty). */
int cscg_history_from_json(struct json_t *obj, struct cscg_history *h,
    struct cscg_err *err);
int cscg_history_to_json(struct json_t *obj, const struct cscg_history *h,
    struct cscg_err *err);

/*
 * a history as the commands one would type
 */

/*
 * Write h as a pipeline, "roomgen torus -s 7 | roomwalk --steps 50000"; seeds
 * that are the default are left out.  Entries that other programs wrote may
 * hold anything; what is not understood is left out.  An empty history gives
 * nothing.
 */
void cscg_history_write_commands(const struct cscg_history *h,
    struct cscg_printer *p);

#endif
