/*
 * drawing.c - common parts of the drawings of a graph: lines, colours, labels
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "show/colours.h"
#include "show/drawing.h"

enum {
	INVERSE_ACTIONS_MAX = 256, /* actions that are searched for inverses */
	SHORT = 4,                 /* characters that fit into a node */
};

/* Edges of less confidence are drawn dashed. */
static const double CONFIDENCE_MIN = 0.95;

/* Points: the text of a node, and the width that all its characters have. */
static const double FONT = 9, TEXT_WIDTH = 30;

/* Colours for colour-blind readers (Okabe and Ito). */
static const char *const action_colour[] = {
	"#0072b2",
	"#d55e00",
	"#009e73",
	"#cc79a7",
	"#e69f00",
	"#56b4e9",
	"#555555",
};

const char *
cscg_drawing_symbol(const struct cscg_graph *g, int v)
{
	return g->label && g->grounded && g->symbols->n ?
	    g->symbols->v[g->label[v]] :
	    NULL;
}

const char *
cscg_drawing_text(const struct cscg_drawing *d, int v,
    char buf[CSCG_DRAWING_TEXT])
{
	const struct cscg_graph *g = d->g;
	const char *name = cscg_drawing_symbol(g, v);

	return name && !d->numbers ?
	    name :
	    cscg_name_or_number(NULL, g->label ? g->label[v] : v, buf);
}

/* Lines. */

static int
by_line(const void *pa, const void *pb)
{
	const struct cscg_drawing_line *a = pa, *b = pb;

	if (a->lo != b->lo)
		return a->lo < b->lo ? -1 : 1;
	if (a->hi != b->hi)
		return a->hi < b->hi ? -1 : 1;
	if (a->back != b->back)
		return a->back - b->back;
	return (a->a > b->a) - (a->a < b->a);
}

static int
collect_lines(struct cscg_drawing *d, struct cscg_err *err)
{
	const struct cscg_graph *g = d->g;
	long row, i, rows = (long)g->n_actions * g->n_nodes;

	d->line = cscg_alloc(g->first[rows], sizeof *d->line, err);
	if (!d->line)
		return -1;
	for (row = 0; row < rows; row++)
		for (i = g->first[row]; i < g->first[row + 1]; i++) {
			int u = (int)(row % g->n_nodes), v = g->to[i];

			if (u == v)
				continue;
			d->line[d->n_lines++] = (struct cscg_drawing_line){
				u < v ? u : v, u < v ? v : u, u > v,
				(int)(row / g->n_nodes), g->share[i],
				g->confidence ? g->confidence[i] : 1
			};
		}
	qsort(d->line, d->n_lines, sizeof *d->line, by_line);
	return 0;
}

long
cscg_drawing_bundle_end(const struct cscg_drawing *d, long i)
{
	long j = i;

	while (j < d->n_lines && d->line[j].lo == d->line[i].lo &&
	    d->line[j].hi == d->line[i].hi)
		j++;
	return j;
}

bool
cscg_drawing_one_way(const struct cscg_drawing *d, long i, long end)
{
	return d->line[i].back == d->line[end - 1].back;
}

bool
cscg_drawing_is_uncertain(const struct cscg_drawing *d, long i, long end)
{
	for (; i < end; i++)
		if (d->line[i].confidence < CONFIDENCE_MIN)
			return true;
	return false;
}

bool
cscg_drawing_wraps(const struct cscg_drawing *d, long i, int axis)
{
	const struct cscg_graph *g = d->g;
	const struct cscg_drawing_line *l = &d->line[i];
	int size = axis ? g->cols : g->rows;

	if (!g->coords || !(axis ? g->wrap_cols : g->wrap_rows))
		return false;
	return size > 2 &&
	    fabs(g->coords[2 * (size_t)l->lo + axis] -
		g->coords[2 * (size_t)l->hi + axis]) > size / 2.0;
}

void
cscg_drawing_tooltip(const struct cscg_drawing *d, long i, long end,
    struct cscg_printer *put)
{
	char buf[CSCG_DRAWING_TEXT];
	long j;

	for (j = i; j < end; j++) {
		const struct cscg_drawing_line *l = &d->line[j];

		cscg_print(put, "%s%d to %d: ", j > i ? "; " : "",
		    l->back ? l->hi : l->lo, l->back ? l->lo : l->hi);
		cscg_print_xml(put,
		    cscg_name_or_number(d->g->actions, l->a, buf));
		cscg_print(put, " %.3g", l->share);
		if (l->confidence < CONFIDENCE_MIN)
			cscg_print(put, ", confidence %.3g", l->confidence);
	}
}

/* Actions and their colours. */

/* The action that usually reverses an action. */
static int
find_inverses(struct cscg_drawing *d, struct cscg_err *err)
{
	int n = d->g->n_actions, a, b;
	long *seen = NULL, i, j, k, end;

	d->inverse = cscg_alloc(n, sizeof *d->inverse, err);
	if (!d->inverse)
		return -1;
	for (a = 0; a < n; a++)
		d->inverse[a] = a;
	if (n > INVERSE_ACTIONS_MAX)
		return 0;
	seen = cscg_alloc((size_t)n * n, sizeof *seen, err);
	if (!seen)
		return -1;
	for (i = 0; i < d->n_lines; i = end) {
		end = cscg_drawing_bundle_end(d, i);
		for (j = i; j < end; j++)
			for (k = i; k < end; k++)
				if (d->line[j].back != d->line[k].back)
					seen[d->line[j].a * n +
					    d->line[k].a]++;
	}
	for (a = 0; a < n; a++)
		for (b = 0; b < n; b++)
			if (seen[a * n + b] > seen[a * n + d->inverse[a]])
				d->inverse[a] = b;
	/* Inverses must be mutual. */
	for (a = 0; a < n; a++)
		if (d->inverse[d->inverse[a]] != a)
			d->inverse[a] = a;
	free(seen);
	return 0;
}

/* The colour index of a, shared by an action and its inverse. */
static int
colour_class(const struct cscg_drawing *d, int a)
{
	int i, n = 0, c = d->inverse[a] < a ? d->inverse[a] : a;

	for (i = 0; i < c; i++)
		n += d->inverse[i] >= i;
	return n;
}

const char *
cscg_drawing_colour(const struct cscg_drawing *d, int a,
    char buf[CSCG_DRAWING_TEXT])
{
	int n = sizeof action_colour / sizeof *action_colour;
	int c = colour_class(d, a);

	if (c < n)
		return action_colour[c];
	cscg_colour_hue(2 * c + 1, 2 * d->g->n_actions, buf);
	return buf;
}

bool
cscg_drawing_is_new_colour(const struct cscg_drawing *d, long i, long j)
{
	int c = colour_class(d, d->line[j].a);

	for (; i < j; i++)
		if (colour_class(d, d->line[i].a) == c)
			return false;
	return true;
}

void
cscg_drawing_action(const struct cscg_drawing *d, int a,
    struct cscg_printer *put)
{
	char buf[CSCG_DRAWING_TEXT];

	cscg_print_xml(put, cscg_name_or_number(d->g->actions, a, buf));
	if (d->inverse[a] > a) {
		cscg_print(put, " / ");
		cscg_print_xml(put,
		    cscg_name_or_number(d->g->actions, d->inverse[a], buf));
	}
}

/* Labels. */

/* Number the labels in use. */
static int
rank_labels(struct cscg_drawing *d, struct cscg_err *err)
{
	const struct cscg_graph *g = d->g;
	int v;

	d->rank = cscg_alloc((size_t)g->n_labels + 1, sizeof *d->rank, err);
	if (!d->rank)
		return -1;
	for (v = 0; g->label && v < g->n_nodes; v++)
		d->rank[g->label[v]] = 1;
	for (v = 0; v < g->n_labels; v++)
		d->rank[v] = d->rank[v] ? d->n_ranks++ : -1;
	return 0;
}

static int
n_characters(const char *s)
{
	int n;

	for (n = 0; *s; n++)
		s += cscg_utf8_step(s);
	return n;
}

/* Names or numbers for all nodes, in one size that the longest fits. */
static void
choose_text(struct cscg_drawing *d)
{
	char buf[CSCG_DRAWING_TEXT];
	int v, n, longest = 0;

	for (v = 0; v < d->g->n_nodes; v++) {
		const char *name = cscg_drawing_symbol(d->g, v);

		d->numbers |= name && n_characters(name) > SHORT;
	}
	for (v = 0; v < d->g->n_nodes; v++) {
		n = n_characters(cscg_drawing_text(d, v, buf));
		longest = n > longest ? n : longest;
	}
	d->font = FONT * longest > TEXT_WIDTH ? TEXT_WIDTH / longest : FONT;
}

int
cscg_drawing_init(struct cscg_drawing *d, const struct cscg_graph *g,
    struct cscg_err *err)
{
	*d = (struct cscg_drawing){ .g = g };
	if (collect_lines(d, err) < 0 || find_inverses(d, err) < 0 ||
	    rank_labels(d, err) < 0)
		return -1;
	choose_text(d);
	d->no_legend = g->n_actions > CSCG_DRAWING_LEGEND_MAX ||
	    (g->n_actions == 1 && !g->actions->n);
	return 0;
}

void
cscg_drawing_free(struct cscg_drawing *d)
{
	free(d->line);
	free(d->inverse);
	free(d->rank);
}
