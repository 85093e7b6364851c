/*
 * html.c - a page that shows a graph, and plays walks and plans on it
 *
 * The data is JSON inside a script element.  There a "<" could end the element
 * or begin a comment, so that strings have none: names come from files, and
 * files from strangers.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/html.h"
#include "show/html_layout.h"
#include "show/html_page.h"
#include "io/table.h"

/* A solid picture is shown first if the flat one is crowded, and it is less. */
#define CROWDED_SHARE_MIN 0.1
#define SOLID_CROWDING_RATIO 0.5

void
cscg_html_run_free(struct cscg_html_run *run)
{
	free(run->z);
	free(run->a);
	free(run->x);
	free(run->is_reset);
	free(run->p);
	free(run->b_first);
	free(run->b_state);
	free(run->b_p);
	*run = (struct cscg_html_run){ 0 };
}

static void
write_string(struct cscg_printer *p, const char *s)
{
	cscg_print(p, "\"");
	for (; p->rc == 0 && *s; s++) {
		unsigned char c = (unsigned char)*s;

		/* U+2028 and U+2029 end a line of script. */
		if (c == 0xe2 && (unsigned char)s[1] == 0x80 &&
		    ((unsigned char)s[2] & 0xfe) == 0xa8) {
			cscg_print(p, "\\u202%c", s[2] & 1 ? '9' : '8');
			s += 2;
		} else if (c < 0x20 || c == 0x7f || strchr("<>&'\"\\", c)) {
			cscg_print(p, "\\u%04x", c);
		} else {
			cscg_print(p, "%c", c);
		}
	}
	cscg_print(p, "\"");
}

/* What stands before item i of a list. */
static const char *
comma(long i)
{
	return i == 0 ? "" : i % 40 ? "," : ",\n";
}

/* Writes item i of what v is. */
typedef void write_item(struct cscg_printer *p, const void *v, long i);

static void
write_int(struct cscg_printer *p, const void *v, long i)
{
	cscg_print(p, "%d", ((const int *)v)[i]);
}

static void
write_real(struct cscg_printer *p, const void *v, long i)
{
	cscg_print(p, "%.6g", ((const double *)v)[i]);
}

/* Places in hundredths of the length of a move. */
static void
write_coordinate(struct cscg_printer *p, const void *v, long i)
{
	cscg_print(p, "%ld", lround(100 * ((const double *)v)[i]));
}

static void
write_flag(struct cscg_printer *p, const void *v, long i)
{
	cscg_print(p, "%d", ((const bool *)v)[i]);
}

static void
write_name(struct cscg_printer *p, const void *v, long i)
{
	write_string(p, ((const struct cscg_names *)v)->v[i]);
}

static void
write_list(struct cscg_printer *p, const char *key, write_item *item, const void *v,
    long n)
{
	long i;

	cscg_print(p, ",\n\"%s\":[", key);
	for (i = 0; i < n; i++) {
		cscg_print(p, "%s", comma(i));
		item(p, v, i);
	}
	cscg_print(p, "]");
}

static void
write_names(struct cscg_printer *p, const char *key, const struct cscg_names *names)
{
	if (names && names->n)
		write_list(p, key, write_name, names, names->n);
}

static void
write_transitions(struct cscg_printer *p, const struct cscg_graph *g)
{
	long rows = (long)g->n_actions * g->n_nodes, row, i, n = g->first[rows];

	cscg_print(p, ",\n\"a\":[");
	for (row = 0; row < rows; row++)
		for (i = g->first[row]; i < g->first[row + 1]; i++)
			cscg_print(p, "%s%ld", comma(i), row / g->n_nodes);
	cscg_print(p, "],\n\"from\":[");
	for (row = 0; row < rows; row++)
		for (i = g->first[row]; i < g->first[row + 1]; i++)
			cscg_print(p, "%s%ld", comma(i), row % g->n_nodes);
	cscg_print(p, "]");
	write_list(p, "to", write_int, g->to, n);
	write_list(p, "p", write_real, g->p, n);
	if (g->count)
		write_list(p, "count", write_real, g->count, n);
}

static void
write_belief(struct cscg_printer *p, const struct cscg_html_run *run)
{
	long t, i;

	cscg_print(p, ",\n\"belief\":[");
	for (t = 0; t < run->n; t++) {
		cscg_print(p, "%s[", comma(t));
		for (i = run->b_first[t]; i < run->b_first[t + 1]; i++)
			cscg_print(p, "%s%d,%ld", i > run->b_first[t] ? "," : "",
			    run->b_state[i], lround(1000 * run->b_p[i]));
		cscg_print(p, "]");
	}
	cscg_print(p, "]");
}

static void
write_run(struct cscg_printer *p, const struct cscg_html_run *run)
{
	bool has_resets = false;
	long t;

	cscg_print(p, "{\"name\":");
	write_string(p, run->name);
	cscg_print(p, ",\"plan\":%s", run->plan ? "true" : "false");
	write_list(p, "z", write_int, run->z, run->n);
	write_list(p, "a", write_int, run->a, run->n);
	if (run->x)
		write_list(p, "x", write_int, run->x, run->n);
	if (run->p)
		write_list(p, "p", write_real, run->p, run->n);
	for (t = 1; run->is_reset && t < run->n; t++)
		has_resets |= run->is_reset[t];
	if (has_resets)
		write_list(p, "fresh", write_flag, run->is_reset, run->n);
	if (run->b_first)
		write_belief(p, run);
	cscg_print(p, "}");
}

static void
write_data(struct cscg_printer *p, const struct cscg_html_page *page,
    const struct cscg_layout *l)
{
	const struct cscg_graph *g = page->g;
	bool solid = !l->has_coords && l->flat_crowding > CROWDED_SHARE_MIN &&
	    l->solid_crowding < SOLID_CROWDING_RATIO * l->flat_crowding;
	int i;

	cscg_print(p, "{\"title\":");
	write_string(p, page->title);
	cscg_print(p, ",\"note\":");
	write_string(p, page->note);
	cscg_print(p, ",\n\"what\":\"%s\",\"n\":%d,\"n_actions\":%d,"
	    "\"grounded\":%s,\"given\":%s,\"view\":\"%s\"",
	    g->count ? "state" : "node", g->n_nodes, g->n_actions,
	    g->grounded ? "true" : "false", l->has_coords ? "true" : "false",
	    solid ? "solid" : "flat");
	write_names(p, "actions", g->actions);
	if (g->grounded)
		write_names(p, "symbols", g->symbols);
	if (g->label)
		write_list(p, "label", write_int, g->label, g->n_nodes);
	if (page->clone)
		write_list(p, "clone", write_int, page->clone, g->n_nodes);
	if (g->part)
		write_list(p, "part", write_int, g->part, g->n_nodes);
	write_list(p, "flat", write_coordinate, l->flat, 2L * g->n_nodes);
	write_list(p, "solid", write_coordinate, l->solid, 3L * g->n_nodes);
	write_transitions(p, g);
	cscg_print(p, ",\n\"runs\":[");
	for (i = 0; i < page->n_runs; i++) {
		cscg_print(p, "%s", comma(i));
		write_run(p, &page->run[i]);
	}
	cscg_print(p, "]}");
}

/* The page up to the next word in @s, which *end is behind then. */
static void
write_until(struct cscg_printer *p, const char *from, const char *word,
    const char **end)
{
	const char *at = strstr(from, word);

	if (!at) {
		if (p->rc == 0)
			p->rc = cscg_fail(p->err, CSCG_EBUG,
			    "the page has no %s", word);
		return;
	}
	if (p->rc == 0)
		p->rc = cscg_out_write(p->out, from, (size_t)(at - from),
		    p->err);
	*end = at + strlen(word);
}

int
cscg_html_write(const struct cscg_html_page *page, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_printer p = { out, err, 0 };
	const char *at = cscg_html_view_html;
	struct cscg_layout l;

	if (page->g->n_nodes > CSCG_HTML_NODES_MAX)
		return cscg_fail(err, CSCG_ERANGE, "%d %s are too many for a "
		    "page, which can show %d", page->g->n_nodes,
		    page->g->count ? "states" : "nodes", CSCG_HTML_NODES_MAX);
	if (cscg_layout_new(&l, page->g, err) < 0)
		return -1;
	write_until(&p, at, "@TITLE@", &at);
	cscg_print_xml(&p, page->title);
	write_until(&p, at, "@STYLE@", &at);
	cscg_print(&p, "%s", cscg_html_view_css);
	write_until(&p, at, "@TITLE@", &at);
	cscg_print_xml(&p, page->title);
	write_until(&p, at, "@DATA@", &at);
	write_data(&p, page, &l);
	write_until(&p, at, "@SCRIPT@", &at);
	cscg_print(&p, "%s%s", cscg_html_view_js, at);
	cscg_layout_free(&l);
	return p.rc;
}
