/*
 * library.h - library of schemas and memories on disk: cscg-library(5)
 *
 * A directory of model files with an index.  Each kind of room (kind.h) is one
 * schema; each environment that was bound or learned may be a memory: a
 * grounded model.  The index records the number of encounters of each item and
 * in which runs they were; a run is a process that changed the library,
 * numbered from 1.
 *
 * A change is a transaction: cscg_library_begin() takes the lock of the
 * directory and reads what other processes wrote since, then items are added,
 * and cscg_library_commit() writes the new model files, replaces the index and
 * releases the lock.  Every file is written beside its target, synced and
 * renamed, the index last: a process that is killed leaves the library before
 * the transaction or after it.  Ids are never reused and stay valid across
 * transactions; pointers to items do not.
 *
 * A library is used by one thread at a time.
 */
#ifndef CSCG_LIBRARY_H
#define CSCG_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "core/model.h"
#include "core/model_io.h"
#include "io/stream.h"

enum {
	CSCG_LIBRARY_VERSION = 1,  /* of the format */
	CSCG_LIBRARY_MEMORIES = 32 /* largest number of memories: an agent
	                              compares its environment with each */
};

enum cscg_library_kind { CSCG_LIBRARY_SCHEMA, CSCG_LIBRARY_MEMORY };

struct cscg_library_item {
	int id; /* from 1 */
	enum cscg_library_kind kind;
	int schema;   /* memory: id of its schema; 0: none */
	long version; /* of the model file; counts its changes */
	long n_met;   /* number of encounters */
	long first_run, last_run;
	long n_steps; /* steps spent there, all runs */
	struct cscg_model *m;
	bool is_changed; /* written by the next commit */
};

/* Noise over all runs: sums, so that those of several processes add up. */
struct cscg_library_noise {
	double n_steps, n_slips, n_misreads; /* expected numbers */
};

struct cscg_library {
	char *dir;
	long n_runs; /* so far, all processes */
	long run;    /* the number of this one, if is_counted */
	bool is_counted;
	int next_id;
	struct cscg_library_item *item; /* by id */
	int n;
	struct cscg_library_noise noise;
	size_t cap_items;
	int lock; /* descriptor; negative: not locked */
};

/*
 * Read the library in directory dir.  A directory that is absent, or has no
 * index, is an empty library.  Free it with cscg_library_free().
 *
 * Returns NULL with err filled: CSCG_EREAD (not a directory, no permission, a
 * model file is missing), CSCG_EFORMAT, CSCG_ERANGE, CSCG_ECUT, CSCG_ENOMEM.
 */
struct cscg_library *cscg_library_open(const char *dir, struct cscg_err *err);

/*
 * The same for a library that will be changed after a long computation: one
 * that cannot be written is refused at once, and an absent directory is
 * created.  NULL with err filled as by cscg_library_begin(), too.
 */
struct cscg_library *cscg_library_open_writable(const char *dir,
    struct cscg_err *err);
void cscg_library_free(struct cscg_library *lib); /* accepts NULL; releases the
                                                     lock */

/* Whether path is a directory. */
bool cscg_library_is_dir(const char *path);

/*
 * Begin a transaction: create the directory if absent, lock it, read what
 * changed.  The first transaction of lib counts the run.  Waits for other
 * processes that hold the lock.  0, or -1 with err filled and no lock held.
 */
int cscg_library_begin(struct cscg_library *lib, struct cscg_err *err);

/*
 * Write all changes and end the transaction.  0, or -1 with err filled
 * (CSCG_EIO, CSCG_EUSAGE): the library on disk is then as before, and lib is
 * as on disk after the next cscg_library_begin().
 */
int cscg_library_commit(struct cscg_library *lib, struct cscg_err *err);
void cscg_library_abort(struct cscg_library *lib); /* discards all changes */

/*
 * The following are called in a transaction.  They borrow their arguments and
 * return 0, or the value stated, or -1 with err filled.
 */

/*
 * Record n_steps steps in rooms of a schema. is_met is false if these steps
 * continue an encounter that was counted before.  If the library has its kind,
 * frontiers and entries of m are added to that schema; otherwise m, without
 * its emissions, becomes a new one.  Returns 1 if it is new, 0 if not, with
 * *id set.
 */
int cscg_library_add_schema(struct cscg_library *lib,
    const struct cscg_model *m, bool is_met, long n_steps, int *id,
    struct cscg_err *err);

/*
 * Record an encounter of n_steps steps with an environment: m is its grounded
 * model, schema the id of its schema or 0.  Equal memories (same graph and
 * symbols) are stored once, as above.  A new one beyond CSCG_LIBRARY_MEMORIES
 * replaces the one that was met least often, of these the one met longest ago.
 */
int cscg_library_add_memory(struct cscg_library *lib,
    const struct cscg_model *m, int schema, long n_steps, int *id,
    struct cscg_err *err);

/*
 * Add n_steps steps to item id; is_met: a further encounter.  If m is not
 * NULL, it replaces the item's model.  CSCG_ERANGE: no such item.
 */
int cscg_library_change(struct cscg_library *lib, int id, bool is_met,
    const struct cscg_model *m, long n_steps, struct cscg_err *err);

/* Remove an item, if it exists; the commit removes its file. */
void cscg_library_remove(struct cscg_library *lib, int id);

void cscg_library_add_noise(struct cscg_library *lib,
    const struct cscg_library_noise *noise);

/* Item with this id, or NULL. */
const struct cscg_library_item *cscg_library_find(
    const struct cscg_library *lib, int id);

/* "schema-3", "memory-4": the name of an item, and of its file without .gz. */
enum { CSCG_LIBRARY_NAME = 32 };
void cscg_library_name(const struct cscg_library_item *item,
    char name[CSCG_LIBRARY_NAME]);

/*
 * Append copies of an item's model, or of all items of a kind, to s, by name.
 * Actions stay numbered as in each model.
 */
int cscg_library_append(const struct cscg_library_item *item,
    struct cscg_schemas *s, struct cscg_err *err);
int cscg_library_schemas(const struct cscg_library *lib,
    enum cscg_library_kind kind, struct cscg_schemas *s, struct cscg_err *err);

/* The items as a table: TSV or JSON Lines. */
int cscg_library_write(const struct cscg_library *lib, bool json,
    struct cscg_out *out, struct cscg_err *err);

#endif
