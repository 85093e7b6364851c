/* raster.c - states over time: the posterior of each state at each step */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "io/table.h"
#include "kernel/posterior.h"
#include "show/raster.h"

enum {
	PLOT_WIDTH = 860,  /* of the time axis, at most */
	COLUMN_MAX = 10,   /* width of a step, at most */
	PLOT_HEIGHT = 620, /* of the state axis, if rows may be that low */
	ROW_MAX = 12,      /* height of a row, at most */
	LEFT = 110,        /* room for names of symbols */
	MARGIN = 16,
	LINE = 15,
	LEVELS = 20,     /* shades */
	NAME_HEIGHT = 9, /* of a band with a name, at least */
	NAME_LETTERS = 16,
	TICKS = 8, /* on the time axis, at most */
};

struct raster {
	const struct cscg_model *m;
	const struct cscg_walk *w;
	long columns;
	float *p;     /* [n_states][columns] sums of posteriors */
	long *steps;  /* [columns] */
	double row;   /* height of a state */
	double wide;  /* width of a column */
	double above; /* y of the first state */
	struct cscg_printer put;
};

static long
column_of(const struct raster *r, long t)
{
	/* Whole numbers: with a column for each step, step t is column t. */
	return t * r->columns / r->w->n_steps;
}

static void
add_posterior(void *ctx, long t, int lo, int hi, const double *p)
{
	struct raster *r = ctx;
	long c = column_of(r, t);
	int j;

	r->steps[c]++;
	for (j = lo; j < hi; j++)
		r->p[(size_t)j * (size_t)r->columns + (size_t)c] +=
		    (float)p[j - lo];
}

/* The shade of state j in column c, 0 to LEVELS. */
static int
shade(const struct raster *r, int j, long c)
{
	double sum = r->p[(size_t)j * (size_t)r->columns + (size_t)c];

	return r->steps[c] ? (int)lround(LEVELS * sum / (double)r->steps[c]) :
			     0;
}

/* Columns of one shade are one rectangle. */
static void
put_state(struct raster *r, int j)
{
	long c, end;
	int level;

	for (c = 0; c < r->columns; c = end) {
		level = shade(r, j, c);
		for (end = c + 1;
		     end < r->columns && shade(r, j, end) == level; end++)
			;
		if (level)
			cscg_print(&r->put,
			    "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
			    "height=\"%.2f\" fill-opacity=\"%.2f\"/>",
			    LEFT + r->wide * (double)c, r->above + r->row * j,
			    r->wide * (double)(end - c), r->row,
			    level / (double)LEVELS);
	}
	cscg_print(&r->put, "\n");
}

/* The clones of a symbol, or a state, as a band with its name. */
static void
put_bands(struct raster *r)
{
	const struct cscg_model *m = r->m;
	int j, end, band = 0;
	double y, high;

	for (j = 0; j < m->n_states; j = end, band++) {
		for (end = j + 1; end < m->n_states && m->clone &&
		     m->clone[end] == m->clone[j];
		     end++)
			;
		y = r->above + r->row * j;
		high = r->row * (end - j);
		if (band % 2 == 0)
			cscg_print(&r->put,
			    "<rect x=\"%d\" y=\"%.2f\" width=\"%.2f\" "
			    "height=\"%.2f\" fill=\"#efefef\"/>",
			    LEFT, y, r->wide * (double)r->columns, high);
		if (high < NAME_HEIGHT)
			continue;
		cscg_print(&r->put,
		    "<text x=\"%d\" y=\"%.2f\" text-anchor=\"end\">", LEFT - 4,
		    y + high / 2 + 3.5);
		if (m->clone && m->symbols.n)
			cscg_print_xml_short(&r->put,
			    m->symbols.v[m->clone[j]], NAME_LETTERS);
		else
			cscg_print(&r->put, "%d", m->clone ? m->clone[j] : j);
		cscg_print(&r->put, "</text>\n");
	}
}

/* A distance between ticks: 1, 2 or 5 times a power of ten. */
static long
tick_distance(long n)
{
	static const int digits[] = { 1, 2, 5 };
	long power;
	int k;

	for (power = 1;; power *= 10)
		for (k = 0; k < 3; k++)
			if (n / (digits[k] * power) <= TICKS)
				return digits[k] * power;
}

/* A vertical line before step t. */
static void
put_line(struct raster *r, long t, const char *style)
{
	double x = LEFT +
	    r->wide * (double)r->columns * (double)t / (double)r->w->n_steps;

	cscg_print(&r->put, "<path d=\"M%.2f %.2fv%.2f\" %s/>", x, r->above,
	    r->row * r->m->n_states, style);
}

/* The time axis; ends of episodes and resets. */
static void
put_time(struct raster *r)
{
	const struct cscg_walk *w = r->w;
	long t, each = tick_distance(w->n_steps);
	double y = r->above + r->row * r->m->n_states;
	int e;

	for (t = 0; w->reset && t < w->n_steps; t++)
		if (w->reset[t])
			put_line(r, t,
			    "stroke=\"#e69f00\" stroke-width=\"0.6\"");
	for (e = 1; e < w->n_episodes; e++)
		put_line(r, w->start[e],
		    "stroke=\"#d55e00\" stroke-width=\"1\"");
	for (t = 0; t <= w->n_steps; t += each)
		cscg_print(&r->put,
		    "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">%ld"
		    "</text>\n",
		    LEFT +
			r->wide * (double)r->columns * (double)t /
			    (double)w->n_steps,
		    y + LINE, t);
	cscg_print(&r->put,
	    "<text x=\"%d\" y=\"%.2f\">step; darker: P(state | walk)%s%s"
	    "</text>\n",
	    LEFT, y + 2 * LINE + 3,
	    w->n_episodes > 1 ? "; red: an episode begins" : "",
	    w->reset ? "; orange: reset" : "");
}

static void
put_raster(struct raster *r, const char *title)
{
	double width = LEFT + r->wide * (double)r->columns + 2 * MARGIN;
	double height;
	int j;

	width = width < 360 ? 360 : width;
	r->above = MARGIN + LINE;
	height = r->above + r->row * r->m->n_states + 2 * LINE + MARGIN;
	cscg_print(&r->put,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
	    "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
	    "font-family=\"Helvetica,Arial,sans-serif\" font-size=\"10\">\n"
	    "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
	    "<text x=\"%d\" y=\"%d\" font-size=\"12\">",
	    width, height, width, height, LEFT, MARGIN + 6);
	cscg_print_xml(&r->put, title);
	cscg_print(&r->put, "</text>\n");
	put_bands(r);
	cscg_print(&r->put,
	    "<g fill=\"#10305c\" shape-rendering=\"crispEdges\">\n");
	for (j = 0; j < r->m->n_states && r->put.rc == 0; j++)
		put_state(r, j);
	cscg_print(&r->put, "</g>\n");
	put_time(r);
	cscg_print(&r->put, "</svg>\n");
}

int
cscg_raster_write_svg(const struct cscg_model *m, const struct cscg_trans *tr,
    const struct cscg_walk *w, const char *title, struct cscg_out *out,
    struct cscg_err *err)
{
	struct raster r = { .m = m, .w = w, .put = { out, err, 0 } };
	int rc = -1;

	if (!w->n_steps)
		return cscg_fail(err, CSCG_EMISMATCH, "the walk has no steps");
	r.columns = w->n_steps < PLOT_WIDTH ? w->n_steps : PLOT_WIDTH;
	r.wide = fmin((double)PLOT_WIDTH / (double)r.columns, COLUMN_MAX);
	r.row = fmax(1, fmin(ROW_MAX, (double)PLOT_HEIGHT / m->n_states));
	r.p = cscg_alloc((size_t)m->n_states, (size_t)r.columns * sizeof *r.p,
	    err);
	r.steps = cscg_alloc((size_t)r.columns, sizeof *r.steps, err);
	if (r.p && r.steps &&
	    cscg_posterior_each(tr, w, 0, w->n_episodes, add_posterior, &r,
		err) == 0) {
		put_raster(&r, title);
		rc = r.put.rc;
	}
	free(r.p);
	free(r.steps);
	return rc;
}
