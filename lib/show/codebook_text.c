/* codebook_text.c - a codebook told to a person, and its numbers as a table */
#include <math.h>

#include "show/codebook_text.h"
#include "io/history.h"
#include "io/table.h"

enum { PRIORS_SHOWN = 6 };	/* most frequent symbols shown */

/*
 * "7 6.1 %, 3 5.0 %, 44 more": the most frequent first, the first of equals.
 * Those already shown are all before (p, i) in that order.
 */
static void
write_priors(struct cscg_printer *put, const struct cscg_codebook *b)
{
	double p = INFINITY;
	int shown, k, best, i = -1;

	cscg_print(put, "  priors      ");
	for (shown = 0; shown < PRIORS_SHOWN && shown < b->k; shown++) {
		for (best = -1, k = 0; k < b->k; k++)
			if ((b->prior[k] < p || (b->prior[k] == p && k > i)) &&
			    (best < 0 || b->prior[k] > b->prior[best]))
				best = k;
		i = best;
		p = b->prior[best];
		cscg_print(put, "%s %d %.1f %%", shown ? "," : "", i, 100 * p);
	}
	if (shown < b->k)
		cscg_print(put, ", %d more", b->k - shown);
	cscg_print(put, "\n");
}

int
cscg_text_write_codebook(const struct cscg_codebook *book, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_printer p = { out, err, 0 };
	double frames = 0;
	char shape[80];
	int k, empty = 0;

	for (k = 0; k < book->k; k++) {
		frames += book->count[k];
		empty += !(book->count[k] > 0);
	}
	cscg_codebook_format_shape(shape, sizeof shape, book->ndim, book->shape);
	cscg_print(&p, "codebook, %s: %d centroid%s of %s %ss\n", book->is_mixture ?
	    "mixture" : "k-means", book->k, book->k == 1 ? "" : "s", shape,
	    book->is_byte ? "byte" : "number");
	cscg_print(&p, "  numbers      %ld in a frame\n", book->dim);
	cscg_print(&p, "  sigma2       %.9g, of each number about its "
	    "centroid's\n", book->sigma2);
	cscg_print(&p, "  fit          inertia %.9g in %.9g frame%s\n",
	    book->inertia, frames, frames == 1 ? "" : "s");
	write_priors(&p, book);
	if (empty)
		cscg_print(&p, "  empty        %d centroid%s no frame is nearest "
		    "to\n", empty, empty == 1 ? "" : "s");
	if (book->history.n) {
		cscg_print(&p, "  made by      ");
		cscg_history_write_commands(&book->history, &p);
		cscg_print(&p, "\n");
	}
	return p.rc;
}

int
cscg_text_write_codebook_table(const struct cscg_codebook *book, bool json,
    struct cscg_out *out, struct cscg_err *err)
{
	static const struct cscg_col cols[] = { { "symbol", CSCG_COL_LONG, 0 },
	    { "prior", CSCG_COL_DOUBLE, 17 }, { "count", CSCG_COL_DOUBLE, 17 } };
	struct cscg_table t;
	int k;

	if (cscg_table_init(&t, out, cols, 3, json, err) < 0)
		return -1;
	for (k = 0; k < book->k; k++) {
		const union cscg_cell cells[] = { { .l = k },
		    { .d = book->prior[k] }, { .d = book->count[k] } };

		if (cscg_table_write_row(&t, cells, err) < 0)
			return -1;
	}
	return 0;
}
