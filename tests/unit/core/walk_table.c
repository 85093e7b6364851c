/*
 * walk_table.c - settings of the table reader that walkconv has no option for
 *
 * With a file as its argument the program writes that table as a walk with
 * sorted names, or a message: walkconv.t makes its allocations fail.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/walk_io.h"
#include "core/walk_table.h"
#include "need.h"
#include "tap.h"

static struct cscg_walk *
read_table(const char *path, const struct cscg_walk_table_options *opt)
{
	struct cscg_in *in = cscg_in_open(path, &err);
	struct cscg_walk_table *table = in ? cscg_walk_table_new(opt, &err) :
					     NULL;
	struct cscg_walk *walk = NULL;

	if (table && cscg_walk_table_read_csv(table, in, ',', &err) == 0)
		walk = cscg_walk_table_to_walk(table, &err);
	cscg_walk_table_free(table);
	cscg_in_close(in);
	return walk;
}

static int
convert(const char *path)
{
	struct cscg_walk_table_options opt = { .sorted = true };
	struct cscg_walk *walk = read_table(path, &opt);
	struct cscg_out *out = walk ? cscg_out_open("-", 0, &err) : NULL;
	int rc = -1;

	if (out && cscg_walk_write(walk, out, &err) == 0) {
		rc = cscg_out_close(out, &err);
		out = NULL;
	}
	cscg_out_abort(out);
	cscg_walk_free(walk);
	if (rc < 0)
		fprintf(stderr, "%s\n", err.msg);
	return rc == 0 ? 0 : err.code == CSCG_ENOMEM ? 4 : 1;
}

static int
is(const int *got, int a, int b, int c, int d)
{
	return got[0] == a && got[1] == b && got[2] == c && got[3] == d;
}

int
main(int argc, char **argv)
{
	static const char text[] =
	    "x,a,goal\nred,left,green\n"
	    "\"blue, \"\"dark\"\"\",right,red\n,left,\ngreen,,\n";
	struct cscg_walk_table_options opt = { 0 };
	struct cscg_walk *first, *sorted, *same;
	char path[] = "/tmp/cscg-table.XXXXXX";
	int fd;

	if (argc > 1)
		return convert(argv[1]);
	fd = mkstemp(path);
	if (fd < 0 || write(fd, text, sizeof text - 1) != sizeof text - 1)
		return 1;
	close(fd);
	first = need(read_table(path, &opt));
	ok(is(first->x, 0, 2, -1, 1),
	    "names are numbered by first occurrence");
	ok(!strcmp(first->head.symbols.v[0], "red"), "and kept in this order");
	opt.sorted = true;
	sorted = need(read_table(path, &opt));
	ok(sorted->head.symbols.n == 3 &&
		!strcmp(sorted->head.symbols.v[0], "blue, \"dark\"") &&
		!strcmp(sorted->head.symbols.v[1], "green") &&
		!strcmp(sorted->head.symbols.v[2], "red"),
	    "or by spelling");
	ok(is(sorted->x, 2, 0, -1, 1), "steps have these numbers");
	ok(sorted->goal[0] == 1 && sorted->goal[1] == 2, "goals as well");
	ok(sorted->head.actions.n == 2 && sorted->a[0] == 0 &&
		sorted->a[1] == 1,
	    "and actions");
	opt.alphabet_from = &first->head;
	same = need(read_table(path, &opt));
	ok(is(same->x, 0, 2, -1, 1),
	    "the alphabet of another walk is not sorted");
	cscg_walk_free(same);
	cscg_walk_free(sorted);
	cscg_walk_free(first);
	unlink(path);
	return done();
}
