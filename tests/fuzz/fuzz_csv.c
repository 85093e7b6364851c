/* fuzz_csv.c - CSV and TSV */
#include <string.h>

#include "csv.h"
#include "fuzz.h"

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
		fuzz_must(cscg_csv_put(out, sep,
		    (const char *const *)field, n, err) == 0,
		    "a record is written");
	}
	cscg_csv_free(csv);
	return rc;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cscg_err err = { 0 };
	char sep = size && data[0] % 2 ? ',' : '\t';
	struct cscg_in *in = fuzz_in(data, size);
	struct cscg_out *out = fuzz_out();
	uint8_t first[1 << 16];
	const uint8_t *text;
	size_t n, m;
	int rc = pass(in, sep, out, &err);

	cscg_in_close(in);
	text = fuzz_written(out, &n);
	if (rc < 0) {
		fuzz_refused(&err);
		return 0;
	}
	if (n > sizeof first)
		return 0;
	memcpy(first, text, n);
	in = cscg_in_open(fuzz_plain(first, n), &err);
	out = fuzz_out();
	fuzz_must(in && pass(in, sep, out, &err) == 0,
	    "what was written can be read");
	cscg_in_close(in);
	text = fuzz_written(out, &m);
	fuzz_must(n == m && !memcmp(first, text, n), "as the same text");
	return 0;
}
