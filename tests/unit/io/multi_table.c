/* multi_table: the three forms of rows about several candidates */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/table.h"
#include "tap.h"

static char path[] = "/tmp/cscg-sheet.XXXXXX";

static const struct cscg_col row[] = {
	{ "step", CSCG_COL_LONG, 0 },
	{ "node", CSCG_COL_LONG, 0 },
};
static const struct cscg_col each[] = {
	{ "nll", CSCG_COL_DOUBLE, 3 },
	{ "rank", CSCG_COL_LONG, 0 },
};
static const char *const names[] = { "a", "b\t\"c\"" };

static void
is(enum cscg_multi_table_form form, int n_row, const char *want,
    const char *name)
{
	static const union cscg_cell head[] = { { .l = 5 },
		{ .l = CSCG_CELL_NONE } };
	static const union cscg_cell cells[] = { { .d = 1.23456 }, { .l = 2 },
		{ .d = INFINITY }, { .l = 1 } };
	struct cscg_err err = { 0 };
	struct cscg_multi_table s = { NULL, form, "what", names, 2, row, each,
		n_row, 2 };
	char text[1024] = "";
	FILE *f;
	int rc;

	s.out = cscg_out_open(path, 0, &err);
	rc = s.out && cscg_multi_table_write_head(&s, &err) == 0 &&
		cscg_multi_table_write_row(&s, head, 1, cells, &err) == 0 ?
	    0 :
	    -1;
	if (rc == 0)
		rc = cscg_out_close(s.out, &err);
	f = fopen(path, "r");
	if (f) {
		text[fread(text, 1, sizeof text - 1, f)] = '\0';
		fclose(f);
	}
	if (!ok(rc == 0 && !strcmp(text, want), "%s", name))
		printf("# got: %s\n# wanted: %s\n# %s\n", text, want, err.msg);
}

int
main(void)
{
	int fd = mkstemp(path);

	is(CSCG_MULTI_TABLE_LONG, 2,
	    "#step\tnode\twhat\tnll\trank\n"
	    "5\t-\ta\t1.23\t2\n5\t-\tb\\t\"c\"\tinf\t1\n",
	    "long");
	is(CSCG_MULTI_TABLE_WIDE, 1,
	    "#step\tbest\tnll.a\trank.a\tnll.b\\t\"c\"\t"
	    "rank.b\\t\"c\"\n5\tb\\t\"c\"\t1.23\t2\tinf\t1\n",
	    "wide");
	is(CSCG_MULTI_TABLE_JSON, 2,
	    "{\"step\":5,\"node\":null,"
	    "\"best\":\"b\\t\\\"c\\\"\",\"nll\":{\"a\":1.23,"
	    "\"b\\t\\\"c\\\"\":\"inf\"},\"rank\":{\"a\":2,"
	    "\"b\\t\\\"c\\\"\":1}}\n",
	    "JSON");
	is(CSCG_MULTI_TABLE_LONG, 0,
	    "#what\tnll\trank\n"
	    "a\t1.23\t2\nb\\t\"c\"\tinf\t1\n",
	    "nothing but the candidates");
	close(fd);
	unlink(path);
	return done();
}
