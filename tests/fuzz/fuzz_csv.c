/* fuzz_csv.c - CSV and TSV, and walks as tables */
#include <string.h>

#include "io/csv.h"
#include "fuzz.h"
#include "core/walk_table.h"

/* The records of in as text, put into out. */
static int
pass(struct cscg_in *in, char sep, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_csv *csv = cscg_csv_new(in, sep, err);
	char **field;
	int n, i, rc = -1;

	while (csv && (rc = cscg_csv_next(csv, &field, &n, err)) > 0) {
		fuzz_must(n >= 1 && cscg_csv_line(csv) >= 1,
		    "a record has a field and a line");
		for (i = 0; i < n; i++)
			fuzz_must(field[i] != NULL, "fields are strings");
		if (cscg_csv_write(out, sep, (const char *const *)field, n,
			err) < 0) {
			fuzz_must(err->code == CSCG_ENOMEM,
			    "a record is written if there is memory");
			rc = -1;
			break;
		}
	}
	cscg_csv_free(csv);
	return rc;
}

/* Records, and the same again when written and read. */
static void
records(const uint8_t *data, size_t size, char sep)
{
	struct cscg_err err = { 0 };
	struct cscg_out *out = fuzz_out();
	struct cscg_in *in = fuzz_in(data, size);
	uint8_t first[1 << 16];
	const uint8_t *text;
	size_t n, m;
	int rc = in ? pass(in, sep, out, &err) : 1;

	cscg_in_close(in);
	fuzz_failed |= fuzz_disarm();
	text = fuzz_written(out, &n);
	if (rc < 0)
		fuzz_refused(&err);
	if (rc || n > sizeof first)
		return;
	memcpy(first, text, n);
	in = cscg_in_open(fuzz_plain(first, n), &err);
	out = fuzz_out();
	fuzz_must(in && pass(in, sep, out, &err) == 0,
	    "what was written can be read");
	cscg_in_close(in);
	text = fuzz_written(out, &m);
	fuzz_must(n == m && !memcmp(first, text, n), "as the same text");
}

/* A table as a walk, which can be written and read as a table. */
static void
table(const uint8_t *data, size_t size, char sep,
    struct cscg_walk_table_options *how)
{
	struct cscg_err err = { 0 };
	struct cscg_out *out = fuzz_out();
	struct cscg_in *in = fuzz_in(data, size);
	struct cscg_walk_table *tab = in ? cscg_walk_table_new(how, &err) :
					   NULL;
	struct cscg_walk *w = NULL;

	if (tab && cscg_walk_table_read_csv(tab, in, sep, &err) == 0)
		w = cscg_walk_table_to_walk(tab, &err);
	cscg_walk_table_free(tab);
	cscg_in_close(in);
	fuzz_failed |= fuzz_disarm();
	if (in && !w)
		fuzz_refused(&err);
	fuzz_accepted |= w != NULL;
	fuzz_must(!w ||
		cscg_walk_table_write_csv(w, out, sep, size % 2, &err) == 0,
	    "a table is written");
	fuzz_must(cscg_out_close(out, &err) == 0, "and closed");
	cscg_walk_free(w);
}

void
fuzz_one(const uint8_t *data, size_t size)
{
	static char zero[] = "0", up[] = "up", *act[] = { zero, up };
	static char e[] = "e", g[] = "g", *told[] = { e, g },
		    *nan[] = { zero };
	struct cscg_walk_header named = {
		.n_actions = 2, .n_obs = 3, .actions = { 2, act }
	};
	struct cscg_walk_table_options how = { 0 };
	char sep = size && data[0] % 2 ? ',' : '\t';

	records(data, size, sep);
	table(data, size, sep, &how);
	/* The first letter chooses among the ways of asking. */
	switch (size ? data[0] / 2 % 4 : 0) {
	case 0:
		how.alphabet_from = &named;
		break;
	case 1:
		how.a = "";
		break;
	case 2:
		how.x = "b";
		how.episode = told;
		how.n_episode = 1 + size % 2;
		how.missing = nan;
		how.n_missing = 1;
		break;
	}
	table(data, size, sep, &how);
}
