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
#include "io/json_write.h"
#include "io/table.h"

struct json_t; /* Jansson's */

struct cscg_history {
	int n;
	char **entry;
};

/*
 * Append {"program":..,"version":..,"args":{name:value,...},"seed":N}.  args
 * are n_args pairs of strings; the values of a repeated name form an array;
 * seed < 0 is omitted.
 */
int cscg_history_add(struct cscg_history *h, const char *program,
    const char *version, const char *const (*args)[2], int n_args, long seed,
    struct cscg_err *err);

int cscg_history_copy(struct cscg_history *to, const struct cscg_history *from,
    struct cscg_err *err);

/* Append the entries of from that differ from the last entries of to. */
int cscg_history_join(struct cscg_history *to, const struct cscg_history *from,
    struct cscg_err *err);

void cscg_history_free(struct cscg_history *h); /* h is empty afterwards */

/* Read, and write (also if empty), the optional member "history". */
int cscg_history_from_json(struct json_t *obj, struct cscg_history *h,
    struct cscg_err *err);
void cscg_history_write_json(struct cscg_json_writer *w,
    const struct cscg_history *h);

/*
 * a history as shell commands
 */

/*
 * Write h as a pipeline, "roomgen torus -s 7 | roomwalk --steps 50000"; seeds
 * equal to the default are omitted.  Entries written by other programs may
 * have any contents; unknown members are omitted.  An empty history writes
 * nothing.
 */
void cscg_history_write_commands(const struct cscg_history *h,
    struct cscg_printer *p);

#endif
