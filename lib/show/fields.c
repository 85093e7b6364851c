/* fields.c - place fields: the posterior of each state over positions */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "io/table.h"
#include "kernel/posterior.h"
#include "show/colours.h"
#include "show/fields.h"

void
cscg_fields_free(struct cscg_fields *f)
{
	free(f->occupancy);
	free(f->p);
	*f = (struct cscg_fields){ 0 };
}

/* Steps and their positions: those of step t are order[first[t]..]. */
struct index {
	long *first, *order;
	int *bin; /* [positions] */
};

struct adder {
	struct cscg_fields *f;
	struct index ix;
};

static int
check_steps(const struct cscg_positions *at, long n_steps,
    struct cscg_err *err)
{
	long i;

	if (at->n_rows >= 0 && at->n_rows != n_steps)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "%ld rows, but the walk has %ld steps; a column 'step' "
		    "must "
		    "give the step of each row",
		    at->n_rows, n_steps);
	for (i = 0; i < at->n; i++)
		if (at->step[i] >= n_steps)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "step %ld is not one of the walk's %ld",
			    at->step[i], n_steps);
	return at->n ? 0 :
		       cscg_fail(err, CSCG_EMISMATCH,
			   "there are no "
			   "positions");
}

static int
index_new(struct index *ix, const struct cscg_positions *at, long n_steps,
    struct cscg_err *err)
{
	long i;

	ix->first = cscg_alloc((size_t)n_steps + 2, sizeof *ix->first, err);
	ix->order = cscg_alloc((size_t)at->n, sizeof *ix->order, err);
	ix->bin = cscg_alloc((size_t)at->n, sizeof *ix->bin, err);
	if (!ix->first || !ix->order || !ix->bin)
		return -1;
	for (i = 0; i < at->n; i++)
		ix->first[at->step[i] + 2]++;
	for (i = 2; i <= n_steps + 1; i++)
		ix->first[i] += ix->first[i - 1];
	for (i = 0; i < at->n; i++)
		ix->order[ix->first[at->step[i] + 1]++] = i;
	return 0;
}

static void
index_free(struct index *ix)
{
	free(ix->first);
	free(ix->order);
	free(ix->bin);
}

static void
range(const double *v, long n, double *low, double *high)
{
	long i;

	*low = *high = v[0];
	for (i = 1; i < n; i++) {
		*low = v[i] < *low ? v[i] : *low;
		*high = v[i] > *high ? v[i] : *high;
	}
}

/* The bin of v along an axis of n bins; the largest value is in the last. */
static int
bin_of(double v, double low, double size, int n)
{
	int i = (int)floor((v - low) / size);

	return i < n ? i : n - 1;
}

/* The bins, and the bin and occupancy of each position. */
static int
divide(struct cscg_fields *f, const struct cscg_positions *at, int bins,
    struct index *ix, struct cscg_err *err)
{
	double right, top, longest;
	long i;

	range(at->x, at->n, &f->left, &right);
	range(at->y, at->n, &f->bottom, &top);
	longest = fmax(right - f->left, top - f->bottom);
	f->size = longest > 0 ? longest / bins : 1;
	f->cols = (int)fmax(1, ceil((right - f->left) / f->size - 1e-9));
	f->rows = (int)fmax(1, ceil((top - f->bottom) / f->size - 1e-9));
	f->occupancy = cscg_alloc((size_t)f->rows * (size_t)f->cols,
	    sizeof *f->occupancy, err);
	f->p = cscg_alloc((size_t)f->rows * (size_t)f->cols,
	    (size_t)f->n_states * sizeof *f->p, err);
	if (!f->occupancy || !f->p)
		return -1;
	for (i = 0; i < at->n; i++) {
		ix->bin[i] = bin_of(at->y[i], f->bottom, f->size, f->rows) *
			f->cols +
		    bin_of(at->x[i], f->left, f->size, f->cols);
		f->occupancy[ix->bin[i]]++;
	}
	return 0;
}

static void
add_posterior(void *ctx, long t, int lo, int hi, const double *p)
{
	const struct adder *a = ctx;
	size_t bins = (size_t)a->f->rows * (size_t)a->f->cols;
	long i;
	int j;

	for (i = a->ix.first[t]; i < a->ix.first[t + 1]; i++)
		for (j = lo; j < hi; j++)
			a->f->p[(size_t)j * bins +
			    (size_t)a->ix.bin[a->ix.order[i]]] += p[j - lo];
}

int
cscg_fields_new(struct cscg_fields *f, const struct cscg_trans *tr,
    const struct cscg_walk *w, const struct cscg_positions *at, int bins,
    struct cscg_err *err)
{
	struct adder a = { .f = f };
	size_t b, n;
	int j, rc = -1;

	*f = (struct cscg_fields){ .n_states = tr->n_states };
	if (check_steps(at, w->n_steps, err) == 0 &&
	    index_new(&a.ix, at, w->n_steps, err) == 0 &&
	    divide(f, at, bins, &a.ix, err) == 0)
		rc = cscg_posterior_each(tr, w, 0, w->n_episodes,
		    add_posterior, &a, err);
	n = (size_t)f->rows * (size_t)f->cols;
	for (j = 0; rc == 0 && j < f->n_states; j++)
		for (b = 0; b < n; b++)
			if (f->occupancy[b])
				f->p[(size_t)j * n + b] /=
				    (double)f->occupancy[b];
	index_free(&a.ix);
	if (rc < 0)
		cscg_fields_free(f);
	return rc;
}

/* Output. */

int
cscg_fields_write(const struct cscg_fields *f, bool json, struct cscg_out *out,
    struct cscg_err *err)
{
	static const struct cscg_col cols[] = {
		{ "state", CSCG_COL_LONG, 0 },
		{ "x", CSCG_COL_DOUBLE, 9 },
		{ "y", CSCG_COL_DOUBLE, 9 },
		{ "occupancy", CSCG_COL_LONG, 0 },
		{ "p", CSCG_COL_DOUBLE, 6 },
	};
	int n = f->rows * f->cols, j, b;
	struct cscg_table t;

	if (cscg_table_init(&t, out, cols, 5, json, err) < 0)
		return -1;
	for (j = 0; j < f->n_states; j++)
		for (b = 0; b < n; b++)
			if (f->occupancy[b] &&
			    cscg_table_write_row(&t,
				(union cscg_cell[]){ { .l = j },
				    { .d = f->left +
					    (b % f->cols + 0.5) * f->size },
				    { .d = f->bottom +
					    (b / f->cols + 0.5) * f->size },
				    { .l = f->occupancy[b] },
				    { .d = f->p[(size_t)j * (size_t)n +
					  (size_t)b] } },
				err) < 0)
				return -1;
	return 0;
}

/* SVG. */

#define FIELD_MIN 0.01 /* largest p of a state without a panel */

enum {
	PANEL = 104, /* longer side of a panel */
	GAP = 14,    /* between panels */
	MARGIN = 16,
	LINE = 15,         /* height of a line of text */
	ACROSS = 8,        /* panels in a row, at most */
	LEVELS = 100,      /* shades */
	NAME_LETTERS = 12, /* of a symbol in a panel */
};

struct panels {
	const struct cscg_fields *f;
	const struct cscg_model *m;
	struct cscg_printer put;
	double unit; /* side of a bin */
	bool y_down;
};

/* The largest p of a state, and the bin that has it. */
static double
peak(const struct cscg_fields *f, int j, int *bin)
{
	int b, n = f->rows * f->cols;
	const double *p = f->p + (size_t)j * (size_t)n;

	*bin = 0;
	for (b = 1; b < n; b++)
		if (p[b] > p[*bin])
			*bin = b;
	return p[*bin];
}

/* Corner of a bin in its panel. */
static void
corner(const struct panels *w, int b, double *x, double *y)
{
	int row = b / w->f->cols;

	*x = w->unit * (b % w->f->cols);
	*y = w->unit * (w->y_down ? row : w->f->rows - 1 - row);
}

/* The bins that were visited, for the background of every panel. */
static void
put_visited(struct panels *w)
{
	int b, n = w->f->rows * w->f->cols;
	double x, y;

	cscg_print(&w->put, "<defs><path id=\"visited\" d=\"");
	for (b = 0; b < n; b++) {
		if (!w->f->occupancy[b])
			continue;
		corner(w, b, &x, &y);
		cscg_print(&w->put, "M%.2f %.2fh%.2fv%.2fh-%.2fz", x, y,
		    w->unit, w->unit, w->unit);
	}
	cscg_print(&w->put, "\"/></defs>\n");
}

/* "3 wall": number and symbol of a state. */
static void
put_name(struct panels *w, int j)
{
	const struct cscg_model *m = w->m;

	cscg_print(&w->put, "%d ", j);
	if (m->clone && m->symbols.n && !m->e_first)
		cscg_print_xml_short(&w->put, m->symbols.v[m->clone[j]],
		    NAME_LETTERS);
}

/* The panel of state j with its corner at (x, y). */
static void
put_panel(struct panels *w, int j, double x, double y)
{
	const struct cscg_fields *f = w->f;
	int b, n = f->rows * f->cols, best;
	double most = peak(f, j, &best), u, v;
	const double *p = f->p + (size_t)j * (size_t)n;
	char colour[CSCG_COLOUR_TEXT];

	cscg_print(&w->put,
	    "<g transform=\"translate(%.2f %.2f)\"><title>state %d, largest "
	    "%.3g at x %.6g, y %.6g</title>",
	    x, y, j, most, f->left + (best % f->cols + 0.5) * f->size,
	    f->bottom + (best / f->cols + 0.5) * f->size);
	cscg_colour_ramp(0, colour);
	cscg_print(&w->put,
	    "<rect width=\"%.2f\" height=\"%.2f\" fill=\"#e4e4e4\"/>"
	    "<use href=\"#visited\" xlink:href=\"#visited\" fill=\"%s\"/>",
	    w->unit * f->cols, w->unit * f->rows, colour);
	for (b = 0; b < n; b++) {
		int level = (int)lround(LEVELS * p[b] / most);

		if (level < 1)
			continue;
		corner(w, b, &u, &v);
		cscg_colour_ramp(level / (double)LEVELS, colour);
		cscg_print(&w->put,
		    "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
		    "height=\"%.2f\" fill=\"%s\"/>",
		    u, v, w->unit, w->unit, colour);
	}
	cscg_print(&w->put, "<text x=\"0\" y=\"%.2f\">",
	    w->unit * f->rows + LINE - 3);
	put_name(w, j);
	cscg_print(&w->put,
	    "</text><text x=\"%.2f\" y=\"%.2f\" text-anchor=\"end\" "
	    "fill=\"#555555\">%.2f</text></g>\n",
	    w->unit * f->cols, w->unit * f->rows + LINE - 3, most);
}

/* The scale of shades, and the meaning of grey. */
static void
put_scale(struct panels *w, double y, int without)
{
	char colour[CSCG_COLOUR_TEXT];
	int i;

	for (i = 0; i < 40; i++) {
		cscg_colour_ramp(i / 39.0, colour);
		cscg_print(&w->put,
		    "<rect x=\"%.1f\" y=\"%.2f\" width=\"3\" height=\"9\" "
		    "fill=\"%s\"/>",
		    MARGIN + 2.5 * i, y - 9, colour);
	}
	cscg_print(&w->put,
	    "\n<text x=\"%d\" y=\"%.2f\">P(state | walk), 0 to maximum of "
	    "panel</text>\n",
	    MARGIN + 108, y);
	cscg_print(&w->put,
	    "<rect x=\"%d\" y=\"%.2f\" width=\"9\" height=\"9\" "
	    "fill=\"#e4e4e4\"/><text x=\"%d\" y=\"%.2f\">not visited",
	    MARGIN, y + LINE - 9, MARGIN + 14, y + LINE);
	if (without)
		cscg_print(&w->put, "; %d state%s without a field", without,
		    without == 1 ? "" : "s");
	cscg_print(&w->put, "</text>\n");
}

int
cscg_fields_write_svg(const struct cscg_fields *f, const struct cscg_model *m,
    const char *title, bool y_down, struct cscg_out *out, struct cscg_err *err)
{
	struct panels w = { f, m, { out, err, 0 },
		PANEL / fmax(f->cols, f->rows), y_down };
	double across = w.unit * f->cols + GAP, width, height;
	double down = w.unit * f->rows + LINE + GAP;
	int j, i, bin, n = 0, per_row;

	for (j = 0; j < f->n_states; j++)
		n += peak(f, j, &bin) >= FIELD_MIN;
	per_row = n < ACROSS ? (n > 3 ? n : 3) : ACROSS;
	width = fmax(2 * MARGIN + per_row * across - GAP, 340);
	height = 2 * MARGIN + 2 * LINE + down * ((n + per_row - 1) / per_row) +
	    2 * LINE;
	cscg_print(&w.put,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" "
	    "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"%.0f\" "
	    "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
	    "font-family=\"Helvetica,Arial,sans-serif\" font-size=\"10\" "
	    "shape-rendering=\"crispEdges\">\n"
	    "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
	    "<text x=\"%d\" y=\"%d\" font-size=\"12\">",
	    width, height, width, height, MARGIN, MARGIN + 8);
	cscg_print_xml(&w.put, title);
	cscg_print(&w.put, "</text>\n");
	put_visited(&w);
	for (j = i = 0; j < f->n_states && w.put.rc == 0; j++)
		if (peak(f, j, &bin) >= FIELD_MIN) {
			put_panel(&w, j, MARGIN + across * (i % per_row),
			    MARGIN + LINE + down * (i / per_row));
			i++;
		}
	put_scale(&w, height - MARGIN - LINE, f->n_states - n);
	cscg_print(&w.put, "</svg>\n");
	return w.put.rc;
}
