/*
 * library - isomorphic schemas stored once, frontiers and counts added, two
 * writers, and the state after a process is killed
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "schema/kind.h"
#include "schema/library.h"
#include "tap.h"
#include "walker.h"

static char dir[] = "/tmp/library-XXXXXX";

/* State j of the result is state n - 1 - j of m; actions keep their names. */
static struct cscg_model *
reversed(const struct cscg_model *m)
{
	struct cscg_model *to = need(cscg_model_new(CSCG_SCHEMA, m->n_states,
	    m->n_actions, 1, &err));
	long rows = (long)m->n_actions * m->n_states, row, i, n = 0;
	struct cscg_count *c = need(cscg_alloc((size_t)m->first[rows],
	    sizeof *c, &err));

	for (row = 0; row < rows; row++)
		for (i = m->first[row]; i < m->first[row + 1]; i++)
			c[n++] = (struct cscg_count){ (int)(row / m->n_states),
				m->n_states - 1 - (int)(row % m->n_states),
				m->n_states - 1 - m->to[i], m->count[i] };
	need(cscg_model_set_counts(to, c, n, &err) < 0 ? NULL : to);
	need(cscg_names_copy(&to->actions, &m->actions, &err) < 0 ? NULL : to);
	free(c);
	return to;
}

static bool
has_file(const char *name)
{
	char path[64];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	return access(path, F_OK) == 0;
}

static void
touch(const char *name)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	f = need(fopen(path, "w"));
	need(fclose(f) ? NULL : dir);
}

static struct cscg_library *
opened(void)
{
	return need(cscg_library_open(dir, &err));
}

static void
begun(struct cscg_library *lib)
{
	need(cscg_library_begin(lib, &err) < 0 ? NULL : lib);
}

static void
committed(struct cscg_library *lib)
{
	need(cscg_library_commit(lib, &err) < 0 ? NULL : lib);
}

static int
added(struct cscg_library *lib, const struct cscg_model *m, long steps,
    int *is_new)
{
	int id = 0;

	*is_new = cscg_library_add_schema(lib, m, true, steps, &id, &err);
	need(*is_new < 0 ? NULL : lib);
	return id;
}

static void
test_kinds(void)
{
	struct cscg_model *a = grid_model(3, 4), *b = grid_model(4, 4);
	struct cscg_model *turned = reversed(a);
	struct cscg_frontier left = { 0, 2 }, right = { 0, 3 };
	struct cscg_library *lib = opened(), *again;
	int is_new, id;

	ok(lib->n == 0 && lib->n_runs == 0,
	    "a missing directory is an empty library");
	need(cscg_model_set_frontiers(a, &left, 1, &err) < 0 ? NULL : a);
	need(cscg_model_set_frontiers(turned, &right, 1, &err) < 0 ? NULL : a);
	begun(lib);
	id = added(lib, a, 10, &is_new);
	ok(id == 1 && is_new == 1, "the first schema is new");
	id = added(lib, b, 20, &is_new);
	ok(id == 2 && is_new == 1, "a schema of another size is new");
	committed(lib);
	begun(lib);
	id = added(lib, turned, 5, &is_new);
	ok(id == 1 && is_new == 0, "an isomorphic schema is stored once");
	committed(lib);
	again = opened();
	ok(again->n == 2 && again->n_runs == 1 && again->item[0].n_met == 2 &&
		again->item[0].n_steps == 15 && again->item[1].n_met == 1 &&
		again->item[0].version == 2 && again->item[1].version == 1,
	    "counts are on disk; two transactions of a run are one run");
	/* State 0 of the reversed room is state 11 of the first. */
	ok(again->item[0].m->n_frontiers == 2 &&
		again->item[0].m->frontier[0].state == 0 &&
		again->item[0].m->frontier[0].a == 2 &&
		again->item[0].m->frontier[1].state == 11 &&
		again->item[0].m->frontier[1].a == 3,
	    "frontiers of both schemas are kept, in the states of the first");
	ok(again->item[0].m->kind == CSCG_CLONES &&
		again->item[0].m->clone[11] == a->clone[11],
	    "schemas have no symbols, but clones");
	cscg_library_free(again);
	cscg_library_free(lib);
	cscg_model_free(a);
	cscg_model_free(b);
	cscg_model_free(turned);
}

static void
test_memories(void)
{
	struct cscg_model *a = grid_model(2, 3), *b = cscg_model_copy(a, &err);
	struct cscg_library *lib = opened();
	struct cscg_library_noise noise = { 100, 3, 1.5 };
	double E[6 * 4] = { 0 };
	int id[3], rc[3], i;

	for (i = 0; i < 6; i++)
		E[4 * i + i % 2] = 1;
	need(cscg_model_set_E(a, E, 4, &err) < 0 ? NULL : a);
	E[4 * 5 + 1] = 0;
	E[4 * 5 + 3] = 1;
	need(cscg_model_set_E(b, E, 4, &err) < 0 ? NULL : b);
	begun(lib);
	rc[0] = cscg_library_add_memory(lib, a, 1, 7, &id[0], &err);
	rc[1] = cscg_library_add_memory(lib, b, 0, 7, &id[1], &err);
	rc[2] = cscg_library_add_memory(lib, a, 1, 7, &id[2], &err);
	ok(rc[0] == 1 && rc[1] == 1 && rc[2] == 0 && id[2] == id[0] &&
		id[1] != id[0],
	    "grounded models are equal if graph and symbols are equal");
	cscg_library_add_noise(lib, &noise);
	cscg_library_add_noise(lib, &noise);
	committed(lib);
	cscg_library_free(lib);
	lib = opened();
	ok(lib->n == 4 && lib->item[2].schema == 1 && lib->n_runs == 2 &&
		lib->item[2].first_run == 2 && lib->item[2].n_met == 2 &&
		lib->item[2].m->kind == CSCG_GROUNDED,
	    "grounded models are on disk");
	ok(lib->noise.n_steps == 200 && lib->noise.n_misreads == 3,
	    "noise counts are on disk");
	begun(lib);
	ok(cscg_library_change(lib, 77, true, NULL, 1, &err) < 0 &&
		err.code == CSCG_ERANGE,
	    "an unknown item is refused: %s", err.msg);
	need(cscg_library_change(lib, 4, true, a, 3, &err) < 0 ? NULL : lib);
	cscg_library_abort(lib);
	begun(lib);
	ok(cscg_library_find(lib, 4)->n_met == 1 &&
		lib->item[3].m->e_obs[5] == 3,
	    "uncommitted changes are discarded");
	need(cscg_library_change(lib, 4, false, a, 3, &err) < 0 ? NULL : lib);
	cscg_library_remove(lib, 3);
	cscg_library_remove(lib, 77);
	committed(lib);
	cscg_library_free(lib);
	lib = opened();
	ok(lib->n == 3 && !cscg_library_find(lib, 3) &&
		!has_file("memory-3.gz") && has_file("memory-4.gz"),
	    "an item is removed with its file");
	ok(lib->item[2].id == 4 && lib->item[2].n_met == 1 &&
		lib->item[2].n_steps == 10 && lib->item[2].version == 2 &&
		lib->item[2].m->e_obs[5] == 1,
	    "a changed item keeps its number of visits");
	begun(lib);
	need(cscg_library_add_memory(lib, b, 0, 1, &id[0], &err) < 0 ? NULL :
								       lib);
	committed(lib);
	ok(id[0] == 5, "the number of a removed item is not reused");
	cscg_library_free(lib);
	cscg_model_free(a);
	cscg_model_free(b);
}

/*
 * A room of 1x5 that is entered at state 0 only; then the same room with a frontier
 * at state 4, where it is also entered; then entered at state 2.  Files that are not
 * of an item stay, temporary files of a library go.
 */
static void
test_entries(void)
{
	struct cscg_model *a = grid_model(1, 5), *b = cscg_model_copy(a, &err);
	struct cscg_model *c = cscg_model_copy(a, &err);
	struct cscg_frontier right = { 4, 3 };
	const int first = 0, middle = 2;
	static const char *const kept[] = { "schema-x.gz", "schema-0.gz",
		"schema-001.gz", "other-1.gz", "notes", ".hidden",
		".other.tmp.1" };
	static const char *const gone[] = { "schema-990.gz", "memory-990.gz",
		".index.tmp.1", ".schema-3.gz.tmp.2", ".memory-3.gz.tmp.2" };
	struct cscg_library *lib = opened();
	const struct cscg_model *m;
	size_t i, n_kept = 0, n_gone = 0;
	int is_new, id, version;

	need(cscg_model_set_entries(a, &first, 1, &err) < 0 ||
		    cscg_model_set_frontiers(b, &right, 1, &err) < 0 ||
		    cscg_model_set_entries(c, &middle, 1, &err) < 0 ?
		NULL :
		lib);
	for (i = 0; i < sizeof kept / sizeof *kept; i++)
		touch(kept[i]);
	for (i = 0; i < sizeof gone / sizeof *gone; i++)
		touch(gone[i]);
	begun(lib);
	id = added(lib, a, 1, &is_new);
	ok(is_new == 1, "a room with an entry is new");
	ok(added(lib, b, 1, &is_new) == id && !is_new,
	    "the same room with a frontier is not");
	m = cscg_library_find(lib, id)->m;
	ok(m->n_frontiers == 1 && m->n_entries == 2 && m->entry[0] == 0 &&
		m->entry[1] == 4,
	    "it is entered at its entry and at the frontier of the other");
	added(lib, c, 1, &is_new);
	m = cscg_library_find(lib, id)->m;
	ok(m->n_entries == 3 && m->entry[1] == 2, "entries are added");
	committed(lib);
	version = (int)cscg_library_find(lib, id)->version;
	begun(lib);
	added(lib, c, 1, &is_new);
	committed(lib);
	ok(cscg_library_find(lib, id)->version == version,
	    "a room without new frontiers or entries is not written again");
	for (i = 0; i < sizeof kept / sizeof *kept; i++)
		n_kept += has_file(kept[i]);
	for (i = 0; i < sizeof gone / sizeof *gone; i++)
		n_gone += !has_file(gone[i]);
	ok(n_kept == sizeof kept / sizeof *kept &&
		n_gone == sizeof gone / sizeof *gone,
	    "files without an item are removed, others are not: %zu, %zu",
	    n_kept, n_gone);
	cscg_library_free(lib);
	cscg_model_free(a);
	cscg_model_free(b);
	cscg_model_free(c);
}

/*
 * Down from the middle of 3x3 stays there with a probability of some percent.
 */
static void
slip(struct cscg_model *m, double percent)
{
	struct cscg_count c[9 * 4 + 1];
	long row, n = 0;

	for (row = 0; row < 9 * 4; row++)
		c[n++] = (struct cscg_count){ (int)(row / 9), (int)(row % 9),
			m->to[m->first[row]], 100 };
	c[9 + 4].c = 100 - percent;
	c[9 + 4].to = 7;
	c[n++] = (struct cscg_count){ 1, 4, 4, percent };
	need(cscg_model_set_counts(m, c, n, &err) < 0 ? NULL : m);
}

static void
test_same(void)
{
	struct cscg_model *a = grid_model(3, 3), *b = grid_model(3, 3);
	int map[9];

	ok(cscg_kind_is_same(a, b, false, map, &err) == 1 && map[4] == 4,
	    "rooms of the same graph are of one kind");
	slip(b, 20);
	ok(cscg_kind_is_same(a, b, false, map, &err) == 1,
	    "rooms with slips of a fifth in a row are of one kind");
	slip(b, 50);
	ok(cscg_kind_is_same(a, b, false, map, &err) == 0,
	    "rooms with slips of a half in a row are not of one kind");
	cscg_model_free(a);
	cscg_model_free(b);
}

/* Add schemas of n sizes, or forever (n = 0), a transaction each. */
static void
write_many(int n, int rows)
{
	struct cscg_library *lib = opened();
	int i, is_new;

	for (i = 0; !n || i < n; i++) {
		struct cscg_model *m = grid_model(rows, 2 + i % 10);

		begun(lib);
		added(lib, m, 1, &is_new);
		committed(lib);
		cscg_model_free(m);
	}
	cscg_library_free(lib);
}

static pid_t
forked(int n, int rows)
{
	pid_t pid = fork();

	if (pid == 0) {
		write_many(n, rows);
		_exit(0);
	}
	return pid;
}

static void
test_writers(void)
{
	pid_t pid[2] = { forked(10, 3), forked(10, 3) };
	struct cscg_library *lib;
	int i, status, good = 1, met = 0;

	for (i = 0; i < 2; i++) {
		waitpid(pid[i], &status, 0);
		good &= status == 0;
	}
	lib = opened();
	for (i = 0; i < lib->n; i++)
		met += (int)lib->item[i].n_met;
	ok(good && lib->n == 10 && met == 20 && lib->n_runs == 2,
	    "two writers of ten schemas: each is stored once");
	cscg_library_free(lib);
}

static void
test_killed(void)
{
	struct cscg_library *lib;
	long before = 0, total, i;
	int round, status, bad = 0, is_new;
	struct cscg_model *m = grid_model(2, 2);
	pid_t pid;

	for (round = 0; round < 25; round++) {
		pid = forked(0, 3);
		usleep((useconds_t)(1000 + 700 * round));
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		lib = opened();
		for (i = 0, total = 0; i < lib->n; i++)
			total += lib->item[i].n_met;
		bad += total < before;
		before = total;
		begun(lib);
		added(lib, m, 1, &is_new);
		committed(lib);
		before++;
		cscg_library_free(lib);
	}
	ok(!bad && before > 25,
	    "25 writers killed: the library is valid, and nothing committed "
	    "is lost");
	cscg_model_free(m);
}

static void
test_faults(void)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof path, "%s/.index.tmp.abcdef", dir);
	f = need(fopen(path, "w"));
	fclose(f);
	write_many(1, 4);
	ok(access(path, F_OK) < 0,
	    "the temporary file of a killed writer is removed");
	snprintf(path, sizeof path, "%s/schema-1.gz", dir);
	unlink(path);
	ok(!cscg_library_open(dir, &err) && err.code == CSCG_EREAD &&
		strstr(err.msg, "schema-1.gz"),
	    "a missing model is an error: %s", err.msg);
	snprintf(path, sizeof path, "%s/index", dir);
	f = need(fopen(path, "w"));
	fputs("{\"format\":\"cscg-library\",\"version\":1,\"runs\":1,"
	      "\"next_id\":3,\"noise\":{\"steps\":0,\"slips\":0,"
	      "\"misreads\":0}}\n{\"kind\":\"schema\",\"id\":3}\n",
	    f);
	fclose(f);
	ok(!cscg_library_open(dir, &err) && err.code == CSCG_ERANGE &&
		strstr(err.msg, "line 2: /id"),
	    "an id above the next one is refused: %s", err.msg);
	ok(!cscg_library_open(path, &err) && err.code == CSCG_EREAD,
	    "a file instead of a directory is refused: %s", err.msg);
}

/*
 * One memory more than the library keeps, each with a symbol of its own.  The
 * first is met twice, the second in the last run: the third goes.
 */
static void
test_many(void)
{
	struct cscg_model *m = grid_model(2, 3);
	int first = 0, id = 0, third = 0, i, j, n = CSCG_LIBRARY_MEMORIES + 1;
	double *E = need(cscg_alloc((size_t)(6 * n), sizeof *E, &err));
	struct cscg_library *lib;

	for (i = 0; i < n; i++) {
		lib = opened();
		begun(lib);
		for (j = 0; j < 6 * n; j++)
			E[j] = j % n == i;
		need(cscg_model_set_E(m, E, n, &err) < 0 ||
			    cscg_library_add_memory(lib, m, 0, 1, &id, &err) <
				1 ?
			NULL :
			lib);
		first = i == 0 ? id : first;
		third = i == 2 ? id : third;
		if (i == 1)
			need(cscg_library_change(lib, first, true, NULL, 1,
				 &err) < 0 ?
				NULL :
				lib);
		if (i == n - 2) {
			ok(lib->n == CSCG_LIBRARY_MEMORIES,
			    "the library has its largest number of memories");
			need(cscg_library_change(lib, first + 1, false, NULL,
				 1, &err) < 0 ?
				NULL :
				lib);
		}
		committed(lib);
		cscg_library_free(lib);
	}
	lib = opened();
	ok(lib->n == CSCG_LIBRARY_MEMORIES && cscg_library_find(lib, id) &&
		!cscg_library_find(lib, third),
	    "a further one replaces the one met least often, longest ago");
	ok(cscg_library_find(lib, first) && cscg_library_find(lib, first + 1),
	    "not one that was met twice, or lately");
	cscg_library_free(lib);
	cscg_model_free(m);
	free(E);
}

static void
clean(void)
{
	char command[128];

	snprintf(command, sizeof command, "rm -rf '%s'", dir);
	need(system(command) ? NULL : dir);
}

int
main(void)
{
	need(mkdtemp(dir));
	clean();
	test_kinds();
	test_memories();
	test_entries();
	clean();
	test_many();
	clean();
	test_same();
	test_writers();
	test_killed();
	test_faults();
	clean();
	return done();
}
