/*
 * library.c - library of schemas and memories on disk: cscg-library(5)
 *
 * The index has a line for the library, then one for each item.  A reader
 * without the lock may see the model files of a transaction whose index is not
 * yet written; each of them is complete and of the same kind as before, so
 * that index and models agree.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/json.h"
#include "io/json_write.h"
#include "io/lock.h"
#include "io/table.h"
#include "schema/kind.h"
#include "schema/library.h"

#define N_MAX 9007199254740992.0 /* counts are exact up to 2^53 */

static const char *const kinds[] = { "schema", "memory", NULL };

static void
clear(struct cscg_library *lib)
{
	int i;

	for (i = 0; i < lib->n; i++)
		cscg_model_free(lib->item[i].m);
	lib->n = 0;
	lib->next_id = 1;
	lib->n_runs = 0;
	lib->noise = (struct cscg_library_noise){ 0 };
}

void
cscg_library_free(struct cscg_library *lib)
{
	if (!lib)
		return;
	cscg_lock_release(lib->lock);
	clear(lib);
	free(lib->item);
	free(lib->dir);
	free(lib);
}

bool
cscg_library_is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

void
cscg_library_name(const struct cscg_library_item *item,
    char name[CSCG_LIBRARY_NAME])
{
	snprintf(name, CSCG_LIBRARY_NAME, "%s-%d", kinds[item->kind],
	    item->id);
}

/* The path of a file of the library, new; NULL with err filled. */
static char *
path_of(const struct cscg_library *lib, const char *name, const char *suffix,
    struct cscg_err *err)
{
	size_t size = strlen(lib->dir) + strlen(name) + strlen(suffix) + 2;
	char *path = cscg_alloc(size, 1, err);

	if (path)
		snprintf(path, size, "%s/%s%s", lib->dir, name, suffix);
	return path;
}

/* ---- reading ---- */

static struct cscg_library_item *
find_item(const struct cscg_library *lib, int id)
{
	int lo = 0, hi = lib->n, mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (lib->item[mid].id == id)
			return &lib->item[mid];
		if (lib->item[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

const struct cscg_library_item *
cscg_library_find(const struct cscg_library *lib, int id)
{
	return find_item(lib, id);
}

static int
get_noise(json_t *obj, struct cscg_library_noise *noise, struct cscg_err *err)
{
	static const char *const keys[] = { "steps", "slips", "misreads",
		NULL };
	json_t *v = json_object_get(obj, "noise");

	if (!json_is_object(v))
		return cscg_fail(err, CSCG_EFORMAT,
		    "/noise: should be an object");
	if (cscg_json_check_keys(v, keys, err) < 0 ||
	    cscg_json_double(v, "steps", 0, N_MAX, &noise->n_steps, err) < 0 ||
	    cscg_json_double(v, "slips", 0, N_MAX, &noise->n_slips, err) < 0 ||
	    cscg_json_double(v, "misreads", 0, N_MAX, &noise->n_misreads,
		err) < 0)
		return cscg_fail_at(err, "/noise");
	return 0;
}

static int
get_head(json_t *obj, struct cscg_library *lib, struct cscg_err *err)
{
	static const char *const keys[] = { "format", "version", "runs",
		"next_id", "noise", NULL };

	if (cscg_json_check_format(obj, "cscg-library", CSCG_LIBRARY_VERSION,
		err) < 0 ||
	    cscg_json_check_keys(obj, keys, err) < 0 ||
	    cscg_json_long(obj, "runs", 0, LONG_MAX - 1, &lib->n_runs, err) <
		0 ||
	    cscg_json_int(obj, "next_id", 1, INT_MAX - 1, &lib->next_id, err) <
		0)
		return -1;
	return get_noise(obj, &lib->noise, err);
}

static int
get_item(json_t *obj, struct cscg_library *lib, struct cscg_err *err)
{
	static const char *const keys[] = { "kind", "id", "schema", "version",
		"states", "met", "first_run", "last_run", "steps", NULL };
	int before = lib->n ? lib->item[lib->n - 1].id : 0, states;
	int kind = cscg_json_enum(obj, "kind", kinds, err);
	struct cscg_library_item it = { .kind = (enum cscg_library_kind)kind };

	if (kind < 0 || cscg_json_check_keys(obj, keys, err) < 0 ||
	    cscg_json_int(obj, "id", before + 1, lib->next_id - 1, &it.id,
		err) < 0 ||
	    (cscg_json_has(obj, "schema") &&
		cscg_json_int(obj, "schema", 1, lib->next_id - 1, &it.schema,
		    err) < 0) ||
	    cscg_json_long(obj, "version", 1, LONG_MAX - 1, &it.version, err) <
		0 ||
	    cscg_json_int(obj, "states", 1, CSCG_STATE_MAX, &states, err) <
		0 ||
	    cscg_json_long(obj, "met", 1, LONG_MAX - 1, &it.n_met, err) < 0 ||
	    cscg_json_long(obj, "first_run", 1, lib->n_runs, &it.first_run,
		err) < 0 ||
	    cscg_json_long(obj, "last_run", it.first_run, lib->n_runs,
		&it.last_run, err) < 0 ||
	    cscg_json_long(obj, "steps", 0, LONG_MAX / 2, &it.n_steps, err) <
		0 ||
	    cscg_grow(&lib->item, &lib->cap_items, (size_t)lib->n + 1,
		sizeof *lib->item, err) < 0)
		return -1;
	lib->item[lib->n++] = it;
	return 0;
}

static int
read_lines(struct cscg_in *in, struct cscg_library *lib, struct cscg_err *err)
{
	bool first = true;
	json_t *obj;
	int rc;

	while ((rc = cscg_json_read(in, &obj, err)) > 0) {
		rc = first ? get_head(obj, lib, err) : get_item(obj, lib, err);
		first = false;
		json_decref(obj);
		if (rc < 0)
			return cscg_json_fail_at(in, err);
	}
	if (rc == 0 && first)
		return cscg_json_fail_empty(in, "cscg-library", err);
	return rc;
}

/* The index alone; no index is an empty library. */
static int
read_index(struct cscg_library *lib, struct cscg_err *err)
{
	char *path = path_of(lib, "index", "", err);
	struct cscg_in *in;
	struct stat st;
	int rc = path ? 0 : -1;

	if (path && (stat(path, &st) == 0 || errno != ENOENT)) {
		in = cscg_in_open(path, err);
		rc = in ? read_lines(in, lib, err) : -1;
		cscg_in_close(in);
	}
	free(path);
	return rc;
}

static int
read_model(const struct cscg_library *lib, struct cscg_library_item *item,
    struct cscg_err *err)
{
	struct cscg_in *in = NULL;
	char name[CSCG_LIBRARY_NAME], *path;
	int rc = -1;

	cscg_library_name(item, name);
	path = path_of(lib, name, ".gz", err);
	if (path)
		in = cscg_in_open(path, err);
	if (in)
		rc = cscg_model_read(in, &item->m, err);
	if (rc == 0)
		rc = cscg_json_fail_empty(in, "cscg-model", err);
	if (rc > 0 && item->kind == CSCG_LIBRARY_MEMORY &&
	    item->m->kind != CSCG_GROUNDED)
		rc = cscg_fail(err, CSCG_EMISMATCH,
		    "%s: a memory should be a grounded model",
		    cscg_in_name(in));
	cscg_in_close(in);
	free(path);
	return rc < 0 ? -1 : 0;
}

/* Models of unchanged items are taken from old, the others are read. */
static int
read_models(struct cscg_library *lib, struct cscg_library *old,
    struct cscg_err *err)
{
	int i;

	for (i = 0; i < lib->n; i++) {
		struct cscg_library_item *item = &lib->item[i];
		struct cscg_library_item *known = find_item(old, item->id);

		if (known && known->m && known->version == item->version &&
		    !known->is_changed) {
			item->m = known->m;
			known->m = NULL;
		} else if (read_model(lib, item, err) < 0)
			return -1;
	}
	return 0;
}

/* Return to old the models that were taken from it. */
static void
return_models(struct cscg_library *lib, struct cscg_library *old)
{
	int i;

	for (i = 0; i < lib->n; i++) {
		struct cscg_library_item *known = find_item(old,
		    lib->item[i].id);

		if (known && !known->m) {
			known->m = lib->item[i].m;
			lib->item[i].m = NULL;
		}
	}
}

/* Replace lib by the library on disk; lib is unchanged on failure. */
static int
reread(struct cscg_library *lib, struct cscg_err *err)
{
	struct cscg_library now = { .dir = lib->dir,
		.run = lib->run,
		.is_counted = lib->is_counted,
		.next_id = 1,
		.lock = lib->lock };
	int rc = read_index(&now, err);

	if (rc == 0)
		rc = read_models(&now, lib, err);
	if (rc < 0)
		return_models(&now, lib);
	clear(rc < 0 ? &now : lib);
	free(rc < 0 ? now.item : lib->item);
	if (rc == 0)
		*lib = now;
	return rc;
}

struct cscg_library *
cscg_library_open(const char *dir, struct cscg_err *err)
{
	struct cscg_library *lib = cscg_alloc(1, sizeof *lib, err);
	char *lock = NULL;
	int fd = -1, rc = -1;

	if (!lib)
		return NULL;
	lib->lock = -1;
	lib->next_id = 1;
	lib->dir = cscg_alloc(strlen(dir) + 1, 1, err);
	if (lib->dir) {
		strcpy(lib->dir, dir);
		lock = path_of(lib, "lock", "", err);
	}
	if (lock && access(dir, F_OK) == 0 && !cscg_library_is_dir(dir))
		cscg_fail(err, CSCG_EREAD, "'%s': not a directory", dir);
	else if (lock && (fd = cscg_lock_take(lock, true, err)) != -1)
		rc = reread(lib, err);
	cscg_lock_release(fd);
	free(lock);
	if (rc < 0) {
		cscg_library_free(lib);
		return NULL;
	}
	return lib;
}

/* ---- transactions ---- */

/*
 * Whether file is a temporary file of this library, or a model without an
 * item.
 */
static bool
is_stale(const struct cscg_library *lib, const char *file)
{
	char name[CSCG_LIBRARY_NAME];
	const struct cscg_library_item *item;
	const char *dash = strchr(file, '-');
	long id;

	if (file[0] == '.')
		return strstr(file, ".tmp.") &&
		    (!strncmp(file, ".index.", 7) ||
			!strncmp(file, ".schema-", 8) ||
			!strncmp(file, ".memory-", 8));
	if (!dash ||
	    (strncmp(file, "schema-", 7) && strncmp(file, "memory-", 7)))
		return false;
	id = strtol(dash + 1, NULL, 10);
	if (id < 1 || id >= INT_MAX)
		return false;
	/* The name is exactly that of an item of this number. */
	snprintf(name, sizeof name, "%.6s-%ld.gz", file, id);
	if (strcmp(name, file))
		return false;
	item = find_item(lib, (int)id);
	return !item || strncmp(kinds[item->kind], file, 6);
}

/*
 * Remove the files of removed items, and those left by killed processes; the
 * lock excludes other writers, and readers that could take it.
 */
static void
remove_stale(const struct cscg_library *lib)
{
	DIR *d = opendir(lib->dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (is_stale(lib, e->d_name))
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
}

int
cscg_library_begin(struct cscg_library *lib, struct cscg_err *err)
{
	char *lock = path_of(lib, "lock", "", err);

	if (!lock)
		return -1;
	if (mkdir(lib->dir, 0777) < 0 && errno != EEXIST)
		cscg_fail(err, cscg_out_create_code(errno),
		    "cannot create directory '%s': %s", lib->dir,
		    strerror(errno));
	else
		lib->lock = cscg_lock_take(lock, false, err);
	free(lock);
	if (lib->lock < 0)
		return -1;
	if (reread(lib, err) < 0) {
		cscg_library_abort(lib);
		return -1;
	}
	remove_stale(lib);
	if (!lib->is_counted)
		lib->run = ++lib->n_runs;
	return 0;
}

void
cscg_library_abort(struct cscg_library *lib)
{
	cscg_lock_release(lib->lock);
	lib->lock = -1;
}

struct cscg_library *
cscg_library_open_writable(const char *dir, struct cscg_err *err)
{
	struct cscg_library *lib = cscg_library_open(dir, err);

	if (lib && cscg_library_begin(lib, err) == 0) {
		cscg_library_abort(lib);
		return lib;
	}
	cscg_library_free(lib);
	return NULL;
}

static int
write_model(const struct cscg_library *lib,
    const struct cscg_library_item *item, struct cscg_err *err)
{
	char name[CSCG_LIBRARY_NAME], *path;
	struct cscg_out *out;

	cscg_library_name(item, name);
	path = path_of(lib, name, ".gz", err);
	out = path ? cscg_out_open(path, CSCG_OUT_GZIP, err) : NULL;
	free(path);
	if (!out)
		return -1;
	if (cscg_model_write(item->m, out, err) < 0) {
		cscg_out_abort(out);
		return -1;
	}
	return cscg_out_close(out, err);
}

static int
write_head(const struct cscg_library *lib, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_json_writer w = { .out = out, .digits = 17, .err = err };

	cscg_json_open(&w, NULL, '{');
	cscg_json_put_string(&w, "format", "cscg-library");
	cscg_json_put_int(&w, "version", CSCG_LIBRARY_VERSION);
	cscg_json_put_int(&w, "runs", lib->n_runs);
	cscg_json_put_int(&w, "next_id", lib->next_id);
	cscg_json_open(&w, "noise", '{');
	cscg_json_put_real(&w, "steps", lib->noise.n_steps);
	cscg_json_put_real(&w, "slips", lib->noise.n_slips);
	cscg_json_put_real(&w, "misreads", lib->noise.n_misreads);
	cscg_json_close(&w, '}');
	cscg_json_close(&w, '}');
	return cscg_json_end(&w);
}

static int
write_item(const struct cscg_library_item *it, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_json_writer w = { .out = out, .digits = 17, .err = err };

	cscg_json_open(&w, NULL, '{');
	cscg_json_put_string(&w, "kind", kinds[it->kind]);
	cscg_json_put_int(&w, "id", it->id);
	if (it->schema)
		cscg_json_put_int(&w, "schema", it->schema);
	cscg_json_put_int(&w, "version", it->version);
	cscg_json_put_int(&w, "states", it->m->n_states);
	cscg_json_put_int(&w, "met", it->n_met);
	cscg_json_put_int(&w, "first_run", it->first_run);
	cscg_json_put_int(&w, "last_run", it->last_run);
	cscg_json_put_int(&w, "steps", it->n_steps);
	cscg_json_close(&w, '}');
	return cscg_json_end(&w);
}

static int
write_index(const struct cscg_library *lib, struct cscg_err *err)
{
	char *path = path_of(lib, "index", "", err);
	struct cscg_out *out = path ? cscg_out_open(path, 0, err) : NULL;
	int rc, i;

	free(path);
	if (!out)
		return -1;
	rc = write_head(lib, out, err);
	for (i = 0; rc == 0 && i < lib->n; i++)
		rc = write_item(&lib->item[i], out, err);
	if (rc < 0) {
		cscg_out_abort(out);
		return -1;
	}
	return cscg_out_close(out, err);
}

int
cscg_library_commit(struct cscg_library *lib, struct cscg_err *err)
{
	int i, rc = 0;

	for (i = 0; rc == 0 && i < lib->n; i++)
		if (lib->item[i].is_changed)
			rc = write_model(lib, &lib->item[i], err);
	if (rc == 0)
		rc = write_index(lib, err);
	for (i = 0; rc == 0 && i < lib->n; i++)
		lib->item[i].is_changed = false;
	/* The index no longer names removed items: their files can go. */
	if (rc == 0)
		remove_stale(lib);
	lib->is_counted |= rc == 0;
	cscg_library_abort(lib);
	return rc;
}

/* ---- changes ---- */

static void
record_steps(const struct cscg_library *lib, struct cscg_library_item *item,
    bool is_met, long n_steps)
{
	item->n_met += is_met;
	/* A later run may have recorded it already. */
	if (lib->run > item->last_run)
		item->last_run = lib->run;
	item->n_steps += n_steps;
}

static void
mark_changed(struct cscg_library_item *item)
{
	if (!item->is_changed)
		item->version++;
	item->is_changed = true;
}

/* A new item with model m, which it takes. */
static int
add_take(struct cscg_library *lib, enum cscg_library_kind kind,
    struct cscg_model *m, int schema, long n_steps, int *id,
    struct cscg_err *err)
{
	struct cscg_library_item it = {
		.kind = kind, .schema = schema, .m = m
	};

	if (!m)
		return -1;
	if (cscg_grow(&lib->item, &lib->cap_items, (size_t)lib->n + 1,
		sizeof *lib->item, err) < 0) {
		cscg_model_free(m);
		return -1;
	}
	it.id = *id = lib->next_id++;
	it.first_run = lib->run;
	mark_changed(&it);
	record_steps(lib, &it, true, n_steps);
	lib->item[lib->n++] = it;
	return 1;
}

/*
 * The item of a kind that equals m, with map as in kind.h, or NULL; *rc is -1
 * on failure.
 */
static struct cscg_library_item *
find_equal(const struct cscg_library *lib, enum cscg_library_kind kind,
    const struct cscg_model *m, int *map, int *rc, struct cscg_err *err)
{
	int i;

	*rc = 0;
	for (i = 0; i < lib->n && *rc == 0; i++)
		if (lib->item[i].kind == kind) {
			*rc = cscg_kind_is_same(lib->item[i].m, m,
			    kind == CSCG_LIBRARY_MEMORY, map, err);
			if (*rc > 0)
				return &lib->item[i];
		}
	return NULL;
}

/* The states where m is entered are entries, or those with frontiers. */
static int
merge_entries(struct cscg_model *to, const struct cscg_model *m,
    const int *map, struct cscg_err *err)
{
	long n = 0, i;
	int *in, rc;

	if (!to->n_entries && !m->n_entries)
		return 0;
	in = cscg_alloc((size_t)(to->n_entries + to->n_frontiers +
			    m->n_entries + m->n_frontiers),
	    sizeof *in, err);
	if (!in)
		return -1;
	for (i = 0; i < to->n_entries; i++)
		in[n++] = to->entry[i];
	for (i = 0; i < to->n_frontiers && !to->n_entries; i++)
		in[n++] = to->frontier[i].state;
	for (i = 0; i < m->n_entries; i++)
		in[n++] = map[m->entry[i]];
	for (i = 0; i < m->n_frontiers && !m->n_entries; i++)
		in[n++] = map[m->frontier[i].state];
	rc = cscg_model_set_entries(to, in, n, err);
	free(in);
	return rc;
}

/* Add the frontiers and entries of m; its action a is action[a] of item. */
static int
merge_frontiers(struct cscg_library_item *item, const struct cscg_model *m,
    const int *map, const int *action, struct cscg_err *err)
{
	struct cscg_model *to = item->m;
	long n = to->n_frontiers, n_entries = to->n_entries, i;
	struct cscg_frontier *f = cscg_alloc((size_t)(n + m->n_frontiers),
	    sizeof *f, err);
	int rc = f ? merge_entries(to, m, map, err) : -1;

	for (i = 0; rc == 0 && i < n; i++)
		f[i] = to->frontier[i];
	for (i = 0; rc == 0 && i < m->n_frontiers; i++)
		f[n + i] = (struct cscg_frontier){ map[m->frontier[i].state],
			action[m->frontier[i].a] };
	if (rc == 0)
		rc = cscg_model_set_frontiers(to, f, n + m->n_frontiers, err);
	free(f);
	if (rc == 0 && (to->n_frontiers != n || to->n_entries != n_entries))
		mark_changed(item);
	return rc;
}

/*
 * m without its emissions, which the library keeps in memories only; with its
 * clone structure, if it has one.
 */
static struct cscg_model *
schema_of(const struct cscg_model *m, struct cscg_err *err)
{
	struct cscg_model *copy = cscg_model_copy(m, err);

	if (copy && copy->kind == CSCG_GROUNDED)
		cscg_model_unground(copy, CSCG_CLONES);
	return copy;
}

static int
add_item(struct cscg_library *lib, enum cscg_library_kind kind,
    const struct cscg_model *m, int schema, bool is_met, long n_steps, int *id,
    struct cscg_err *err)
{
	struct cscg_library_item *item = NULL;
	int *map = cscg_alloc((size_t)m->n_states + (size_t)m->n_actions,
	    sizeof *map, err);
	int rc = -1;

	if (map)
		item = find_equal(lib, kind, m, map, &rc, err);
	if (item) {
		int *action = map + m->n_states;

		*id = item->id;
		record_steps(lib, item, is_met, n_steps);
		rc = cscg_names_map(&m->actions, m->n_actions,
		    &item->m->actions, item->m->n_actions, "action", action,
		    err);
		if (rc == 0)
			rc = merge_frontiers(item, m, map, action, err);
	} else if (rc == 0)
		rc = add_take(lib, kind,
		    kind == CSCG_LIBRARY_SCHEMA ? schema_of(m, err) :
						  cscg_model_copy(m, err),
		    schema, n_steps, id, err);
	free(map);
	return rc;
}

int
cscg_library_add_schema(struct cscg_library *lib, const struct cscg_model *m,
    bool is_met, long n_steps, int *id, struct cscg_err *err)
{
	return add_item(lib, CSCG_LIBRARY_SCHEMA, m, 0, is_met, n_steps, id,
	    err);
}

/*
 * Remove the memory that was met least often, of these the one met longest
 * ago, if there are too many; but not item id.
 */
static void
limit_memories(struct cscg_library *lib, int id)
{
	const struct cscg_library_item *least = NULL, *it;
	int n = 0;

	for (it = lib->item; it < lib->item + lib->n; it++) {
		if (it->kind != CSCG_LIBRARY_MEMORY)
			continue;
		n++;
		if (it->id != id &&
		    (!least || it->n_met < least->n_met ||
			(it->n_met == least->n_met &&
			    it->last_run < least->last_run)))
			least = it;
	}
	if (n > CSCG_LIBRARY_MEMORIES)
		cscg_library_remove(lib, least->id);
}

int
cscg_library_add_memory(struct cscg_library *lib, const struct cscg_model *m,
    int schema, long n_steps, int *id, struct cscg_err *err)
{
	int rc;

	if (m->kind != CSCG_GROUNDED)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "a memory should be a grounded model");
	rc = add_item(lib, CSCG_LIBRARY_MEMORY, m, schema, true, n_steps, id,
	    err);
	if (rc > 0)
		limit_memories(lib, *id);
	return rc;
}

int
cscg_library_change(struct cscg_library *lib, int id, bool is_met,
    const struct cscg_model *m, long n_steps, struct cscg_err *err)
{
	struct cscg_library_item *item = find_item(lib, id);
	struct cscg_model *copy;

	if (!item)
		return cscg_fail(err, CSCG_ERANGE,
		    "the library has no item %d", id);
	if (m && item->kind == CSCG_LIBRARY_MEMORY && m->kind != CSCG_GROUNDED)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "a memory should be a grounded model");
	if (m) {
		copy = item->kind == CSCG_LIBRARY_SCHEMA ?
		    schema_of(m, err) :
		    cscg_model_copy(m, err);
		if (!copy)
			return -1;
		cscg_model_free(item->m);
		item->m = copy;
		mark_changed(item);
	}
	record_steps(lib, item, is_met, n_steps);
	return 0;
}

void
cscg_library_remove(struct cscg_library *lib, int id)
{
	struct cscg_library_item *item = find_item(lib, id);

	if (!item)
		return;
	cscg_model_free(item->m);
	lib->n--;
	memmove(item, item + 1,
	    (size_t)(lib->item + lib->n - item) * sizeof *item);
}

void
cscg_library_add_noise(struct cscg_library *lib,
    const struct cscg_library_noise *noise)
{
	lib->noise.n_steps += noise->n_steps;
	lib->noise.n_slips += noise->n_slips;
	lib->noise.n_misreads += noise->n_misreads;
}

/* ---- for other modules ---- */

int
cscg_library_append(const struct cscg_library_item *item,
    struct cscg_schemas *s, struct cscg_err *err)
{
	char name[CSCG_LIBRARY_NAME];

	if (cscg_grow(&s->m, &s->cap, (size_t)s->n + 1, sizeof *s->m, err) < 0)
		return -1;
	s->m[s->n] = cscg_model_copy(item->m, err);
	if (!s->m[s->n])
		return -1;
	s->n++;
	cscg_library_name(item, name);
	return cscg_names_add(&s->names, name, err);
}

int
cscg_library_schemas(const struct cscg_library *lib,
    enum cscg_library_kind kind, struct cscg_schemas *s, struct cscg_err *err)
{
	int i;

	for (i = 0; i < lib->n; i++)
		if (lib->item[i].kind == kind &&
		    cscg_library_append(&lib->item[i], s, err) < 0)
			return -1;
	return 0;
}

int
cscg_library_write(const struct cscg_library *lib, bool json,
    struct cscg_out *out, struct cscg_err *err)
{
	static const struct cscg_col cols[] = {
		{ "name", CSCG_COL_STRING, 0 },
		{ "schema", CSCG_COL_LONG, 0 },
		{ "states", CSCG_COL_LONG, 0 },
		{ "actions", CSCG_COL_LONG, 0 },
		{ "frontiers", CSCG_COL_LONG, 0 },
		{ "met", CSCG_COL_LONG, 0 },
		{ "first_run", CSCG_COL_LONG, 0 },
		{ "last_run", CSCG_COL_LONG, 0 },
		{ "steps", CSCG_COL_LONG, 0 },
	};
	char name[CSCG_LIBRARY_NAME];
	struct cscg_table t;
	int rc = cscg_table_init(&t, out, CSCG_COLS(cols), json, err), i;

	for (i = 0; rc == 0 && i < lib->n; i++) {
		const struct cscg_library_item *it = &lib->item[i];
		union cscg_cell cells[] = { { .s = name },
			{ .l = it->schema ? it->schema : CSCG_CELL_NONE },
			{ .l = it->m->n_states }, { .l = it->m->n_actions },
			{ .l = it->m->n_frontiers }, { .l = it->n_met },
			{ .l = it->first_run }, { .l = it->last_run },
			{ .l = it->n_steps } };

		cscg_library_name(it, name);
		rc = cscg_table_write_row(&t, cells, err);
	}
	return rc;
}
