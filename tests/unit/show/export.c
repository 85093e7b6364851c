/* dot, svg, export: graphs as drawings, text and arrays for other programs */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/model_npy.h"
#include "show/dot.h"
#include "show/export.h"
#include "show/svg.h"
#include "core/graph.h"
#include "io/table.h"
#include "need.h"
#include "tap.h"

static char path[] = "/tmp/cscg-draw.XXXXXX", text[1 << 16];

static struct cscg_out *
begin(void)
{
	return cscg_out_open(path, 0, &err);
}

/* Output since begin(). */
static const char *
end(struct cscg_out *out)
{
	size_t n = 0;
	FILE *f;

	if (cscg_out_close(out, &err) < 0 || !(f = fopen(path, "r")))
		return err.msg;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	return text;
}

static int
count(const char *s, const char *what)
{
	int n = 0;

	for (; (s = strstr(s, what)); s += strlen(what))
		n++;
	return n;
}

/* Four nodes in a row; left and right, which wrap if asked to. */
static struct cscg_room *
row(bool wrap)
{
	static const char *const names[] = { "left", "ri\"<ght", NULL };
	struct cscg_room *room = cscg_room_new(4, 2, 3, &err);
	struct cscg_edge e[8];
	int v;

	room->coords = calloc(8, sizeof(*room->coords));
	for (v = 0; v < 4; v++) {
		room->obs[v] = v % 3;
		room->coords[2 * v + 1] = v;
		e[2 * v] = (struct cscg_edge){ 0, v,
			v        ? v - 1 :
			    wrap ? 3 :
				   0,
			1 };
		e[2 * v + 1] = (struct cscg_edge){ 1, v,
			v < 3    ? v + 1 :
			    wrap ? 0 :
				   3,
			1 };
	}
	room->rows = 1;
	room->cols = 4;
	room->wrap_cols = wrap;
	cscg_room_set_edges(room, e, 8, &err);
	cscg_names_set(&room->actions, names, &err);
	return room;
}

static void
dot(void)
{
	struct cscg_room *room = row(false), *ring = row(true);
	struct cscg_graph *g = cscg_graph_of_room(room, 0, &err);
	struct cscg_graph *r = cscg_graph_of_room(ring, 0, &err);
	struct cscg_out *out = begin();
	const char *s;

	cscg_dot_write(g, "a & b", out, &err);
	s = end(out);
	ok(count(s, " -> ") == 3 && count(s, "dir=none") == 3,
	    "an edge in both directions is one line without arrow");
	ok(strstr(s,
	       "\t1 -> 2 [color=\"#0072b2\" penwidth=1.80 dir=none "
	       "tooltip=\"1 to 2: ri&quot;&lt;ght 1; 2 to 1: left 1\"];\n") !=
		NULL,
	    "its tooltip has both transitions");
	ok(strstr(s,
	       "label=<a &amp; b &#160; <font color=\"#0072b2\">"
	       "&#8212; left / ri&quot;&lt;ght</font>>") != NULL,
	    "a legend with names escaped");
	/* Neighbours are 42 points apart, rows go down. */
	ok(strstr(s, "\t2 [pos=\"84.00,-0.00!\"") != NULL &&
		strstr(s, "layout=neato") != NULL,
	    "nodes are drawn at their coordinates");
	ok(strstr(s, "tooltip=\"node 3, symbol 0\" label=\"0\"") != NULL,
	    "nodes have their symbols");
	out = begin();
	cscg_dot_write(r, NULL, out, &err);
	s = end(out);
	ok(count(s, " -> ") == 5 && count(s, "style=invis") == 2 &&
		strstr(s, "\t3 -> w1") != NULL &&
		strstr(s, "w1 [pos=\"156.24,"),
	    "an edge that wraps around is two stubs");
	cscg_graph_free(g);
	cscg_graph_free(r);
	cscg_room_free(room);
	cscg_room_free(ring);
}

static void
one_way(void)
{
	struct cscg_model *m = cscg_model_new(CSCG_SCHEMA, 3, 1, 1, &err);
	const struct cscg_count c[] = { { 0, 0, 1, 3 }, { 0, 0, 2, 1 },
		{ 0, 2, 1, 1 } };
	static const char *const go[] = { "go", NULL };
	struct cscg_graph *g;
	struct cscg_out *out;
	const char *s;

	cscg_model_set_counts(m, c, 3, &err);
	g = cscg_graph_of_model(m, 0, &err);
	out = begin();
	cscg_dot_write(g, NULL, out, &err);
	s = end(out);
	ok(strstr(s, "layout=neato") != NULL && count(s, "pos=\"") == 3 &&
		count(s, "!\"") == 3,
	    "without coordinates every node has the position of the layout");
	/* 0.5 + 1.3 * 3/4 */
	ok(strstr(s,
	       "0 -> 1 [color=\"#0072b2\" penwidth=1.48 tooltip=\"0 to 1: 0 "
	       "0.75\"]") != NULL,
	    "an edge in one direction has an arrow and a width by its "
	    "probability");
	ok(!strstr(s, "&#8212;"), "one action without a name has no legend");
	ok(strstr(s, "1 -> 2 [color=\"#0072b2\" penwidth=1.80 dir=back") !=
		NULL,
	    "also backwards");
	ok(strstr(s, "\t0 [pos=") != NULL && !strstr(s, "tooltip=\"state"),
	    "a schema has positions, but neither colours nor symbols");
	cscg_graph_free(g);
	cscg_names_set(&m->actions, go, &err);
	g = cscg_graph_of_model(m, 0, &err);
	out = begin();
	cscg_dot_write(g, NULL, out, &err);
	s = end(out);
	ok(strstr(s, "\"0 to 1: go 0.75\" label=\"go\"]") != NULL &&
		strstr(s, "&#8212; go<"),
	    "the name of an action is at the edge and in the legend");
	cscg_graph_free(g);
	cscg_model_free(m);
}

/* A ring of n states with these symbols, as Graphviz or SVG. */
static const char *
named(const char *const *symbols, int n,
    int (*write)(const struct cscg_graph *g, struct cscg_out *out))
{
	struct cscg_model *m = cscg_model_new(CSCG_GROUNDED, n, 2, n, &err);
	struct cscg_count c[8];
	struct cscg_graph *g;
	struct cscg_out *out = begin();
	int v;

	for (v = 0; v < n; v++) {
		m->clone[v] = v;
		c[v] = (struct cscg_count){ 0, v, (v + 1) % n, 1 };
	}
	cscg_model_set_counts(m, c, n, &err);
	cscg_names_set(&m->symbols, symbols, &err);
	g = cscg_graph_of_model(m, 0, &err);
	write(g, out);
	cscg_graph_free(g);
	cscg_model_free(m);
	return end(out);
}

static int
write_dot(const struct cscg_graph *g, struct cscg_out *out)
{
	return cscg_dot_write(g, NULL, out, &err);
}

static int
write_svg(const struct cscg_graph *g, struct cscg_out *out)
{
	return cscg_svg_write(g, NULL, out, &err);
}

static void
texts(void)
{
	static const char *const three[] = { "abc", "d", "e", NULL };
	static const char *const four[] = { "d", "abcd", "e", NULL };
	/* Four characters of two bytes. */
	static const char *const greek[] = {
		"\xce\xb1\xce\xb2\xce\xb3\xce\xb4", "d", "e", NULL
	};
	static const char *const five[] = { "d", "abcde", "e", NULL };
	const char *s;

	s = named(three, 3, write_svg);
	ok(strstr(s, "<g font-size=\"9\"") && strstr(s, ">abc</text>"),
	    "names of three letters");
	s = named(four, 3, write_svg);
	ok(strstr(s, "<g font-size=\"7.5\"") && strstr(s, ">abcd</text>"),
	    "with a name of four letters all names are smaller");
	ok(strstr(named(four, 3, write_dot), "fontsize=7.5") != NULL,
	    "also for Graphviz");
	ok(strstr(named(greek, 3, write_svg), "<g font-size=\"7.5\"") &&
		strstr(text, ">\xce\xb1\xce\xb2\xce\xb3\xce\xb4</text>"),
	    "letters are counted, not bytes");
	s = named(five, 3, write_svg);
	ok(strstr(s, ">0</text>") && strstr(s, ">1 abcde</text>") &&
		!strstr(s, ">d</text>") && strstr(s, ">0 d</text>"),
	    "with a longer name all nodes have numbers, and the legend has "
	    "the names");
	s = named(five, 3, write_dot);
	ok(strstr(s, "symbol d\" label=\"0\"") && !strstr(s, "label=\"d\""),
	    "also for Graphviz");
}

static void
tables(void)
{
	struct cscg_model *m = cscg_model_new(CSCG_GROUNDED, 2, 1, 2, &err);
	const struct cscg_count c[] = { { 0, 0, 1, 3 }, { 0, 1, 0, 1 } };
	struct cscg_graph *g;
	struct cscg_out *out = begin();

	m->clone[1] = 1;
	m->pseudocount = 0.5;
	cscg_model_set_counts(m, c, 2, &err);
	cscg_names_set(&m->symbols, (const char *const[]){ "a", "b&", NULL },
	    &err);
	g = cscg_graph_of_model(m, 0, &err);
	cscg_export_write_edges(g, 9, false, out, &err);
	/* 3.5 / 4 and 1.5 / 2 */
	same_text(end(out),
	    "#action\tfrom\tto\tp\tcount\n0\t0\t1\t0.875\t3\n"
	    "0\t1\t0\t0.75\t1\n",
	    "edges as TSV");
	out = begin();
	cscg_export_write_nodes(g, 9, true, out, &err);
	same_text(end(out),
	    "{\"node\":0,\"symbol\":0,\"name\":\"a\",\"y\":null,"
	    "\"x\":null}\n{\"node\":1,\"symbol\":1,\"name\":\"b&\","
	    "\"y\":null,\"x\":null}\n",
	    "nodes as JSON");
	out = begin();
	cscg_export_write_graphml(g, 9, out, &err);
	same_text(strstr(end(out), "<graph "),
	    "<graph id=\"cscg\" edgedefault=\"directed\">\n"
	    "<node id=\"0\"><data key=\"l\">0</data><data key=\"n\">a</data>"
	    "</node>\n<node id=\"1\"><data key=\"l\">1</data><data key=\"n\">"
	    "b&amp;</data></node>\n"
	    "<edge id=\"e0\" source=\"0\" target=\"1\"><data key=\"a\">0"
	    "</data><data key=\"p\">0.875</data><data key=\"c\">3</data>"
	    "</edge>\n<edge id=\"e1\" source=\"1\" target=\"0\"><data "
	    "key=\"a\">0</data><data key=\"p\">0.75</data><data key=\"c\">1"
	    "</data></edge>\n</graph>\n</graphml>\n",
	    "GraphML");
	cscg_graph_free(g);
	cscg_model_free(m);
}

/* Each node has its own coordinates; one without has none in the file. */
static void
coordinates(void)
{
	struct cscg_room *room = row(false);
	struct cscg_out *out = begin();
	struct cscg_graph *g;
	const char *file;
	char want[100];
	int v, found = 0;

	for (v = 0; v < 4; v++) {
		room->coords[2 * v] = 10 * v;
		room->coords[2 * v + 1] = v + .5;
	}
	room->coords[2] = NAN;
	g = cscg_graph_of_room(room, 0, &err);
	cscg_export_write_graphml(g, 6, out, &err);
	file = end(out);
	for (v = 0; v < 4; v++) {
		snprintf(want, sizeof want,
		    "<data key=\"l\">%d</data><data key=\"y\">%d</data>"
		    "<data key=\"x\">%d.5</data></node>",
		    v % 3, 10 * v, v);
		found += strstr(file, want) != NULL;
	}
	ok(found == 3 && count(file, "key=\"y\">") == 3,
	    "GraphML: coordinates of %d nodes of four", found);
	cscg_graph_free(g);
	cscg_room_free(room);
}

static void
grid(void)
{
	/* Rows and columns of node 0 that are outside, taken, or no cell. */
	static const double bad[][2] = { { -1, 0 }, { 0, -1 }, { 2, 0 },
		{ 0, 4 }, { 0, 1 }, { 0, .5 }, { .5, 0 } };
	struct cscg_room *room = row(true);
	struct cscg_out *out = begin();
	int rc = cscg_export_write_grid(room, out, &err);
	size_t i;

	same_text(end(out), "~ 0 1 2 0 ~\n",
	    "a room that wraps around, as text");
	ok(rc == 1, "is drawn");
	room->rows = 2;
	room->wrap_cols = false;
	room->wrap_rows = true;
	room->coords[2 * 2] = 1;
	out = begin();
	cscg_export_write_grid(room, out, &err);
	same_text(end(out), "  ~ ~ ~ ~\n  0 1 . 0\n  . . 2 .\n  ~ ~ ~ ~\n",
	    "cells without a node are dots");
	room->n_obs = 100;
	room->obs[3] = 99;
	out = begin();
	cscg_export_write_grid(room, out, &err);
	same_text(end(out),
	    "   ~  ~  ~  ~\n   0  1  . 99\n   .  .  2  .\n"
	    "   ~  ~  ~  ~\n",
	    "columns are as wide as the numbers");
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		memcpy(room->coords, bad[i], sizeof bad[i]);
		out = begin();
		rc = cscg_export_write_grid(room, out, &err);
		ok(!*end(out) && rc == 0, "a node at %g, %g is not in a grid",
		    bad[i][0], bad[i][1]);
	}
	room->coords[0] = 1;
	room->coords[1] = 0;
	out = begin();
	rc = cscg_export_write_grid(room, out, &err);
	same_text(end(out),
	    "   ~  ~  ~  ~\n   .  1  . 99\n   0  .  2  .\n"
	    "   ~  ~  ~  ~\n",
	    "the first cell of the last row is in the grid");
	cscg_room_free(room);
}

/* Whether a room is drawn as a grid. */
static bool
is_drawn(const struct cscg_room *room)
{
	struct cscg_out *out = begin();
	int rc = cscg_export_write_grid(room, out, &err);

	return *end(out) && rc == 1;
}

/* Lines of at most 200 characters, and as many rows. */
static void
grid_sizes(void)
{
	static const char *const short_names[] = { "a", "bcd", "ef", NULL };
	static const char *const long_names[] = { "a", "bcde", "f", NULL };
	struct cscg_room *room = row(false);
	double *coords = room->coords;

	room->cols = 100;
	ok(is_drawn(room), "100 columns of a digit and a blank");
	room->cols = 101;
	ok(!is_drawn(room), "101 are too wide");
	room->cols = 4;
	room->rows = 200;
	ok(is_drawn(room), "200 rows");
	room->rows = 201;
	ok(!is_drawn(room), "201 are too many");
	room->rows = 1;
	need(cscg_names_set(&room->symbols, short_names, &err) < 0 ? NULL :
								     room);
	room->cols = 50;
	ok(is_drawn(room), "50 columns of three letters and a blank");
	room->cols = 51;
	ok(!is_drawn(room), "51 are too wide");
	need(cscg_names_set(&room->symbols, long_names, &err) < 0 ? NULL :
								    room);
	ok(is_drawn(room), "numbers are drawn for longer names");
	room->cols = 0;
	ok(!is_drawn(room), "no columns");
	room->cols = 4;
	room->rows = 0;
	ok(!is_drawn(room), "no rows");
	room->rows = 1;
	room->coords = NULL;
	ok(!is_drawn(room), "no coordinates");
	room->coords = coords;
	cscg_room_free(room);
}

static void
escapes(void)
{
	struct cscg_out *out = begin();
	struct cscg_printer p = { out, &err, 0 };

	cscg_print_xml(&p, "a<b>&\"c\"\x01\t\n\r\x7f\xc2\x9b\xff");
	cscg_print_xml(&p,
	    "\xef\xbf\xbd\xef\xbf\xbe\xef\xbf\xbf\xf0\x9f\xbf\xbe"
	    "\xef\xbf\xa5\xef\xbc\x81");
	cscg_print(&p, "|%d|", 7);
	cscg_print_dot(&p, "a\"b\\c\nd\xc2\x9b\xff");
	/*
	 * U+FFFD stays; U+FFFE and U+FFFF become it; U+1FFFE, U+FFE5 and
	 * U+FF01 may stay.
	 */
	same_text(end(out),
	    "a&lt;b&gt;&amp;&quot;c&quot;\xef\xbf\xbd\t\n&#13;&#127;&#155;"
	    "\xef\xbf\xbd"
	    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xf0\x9f\xbf\xbe"
	    "\xef\xbf\xa5\xef\xbc\x81|7|"
	    "\"a\\\"b\\\\c?d?"
	    "?\"",
	    "XML and DOT strings");

	/* As many letters as asked for, of which the last may be an ellipsis. */
	out = begin();
	p = (struct cscg_printer){ out, &err, 0 };
	cscg_print_xml_short(&p, "abc", 3);
	cscg_print(&p, "|");
	cscg_print_xml_short(&p, "abcd", 3);
	cscg_print(&p, "|");
	cscg_print_xml_short(&p, "<\xc3\xa4>", 3);
	cscg_print(&p, "|");
	cscg_print_xml_short(&p, "\xc3\xa4\xc3\xb6\xc3\xbc", 2);
	cscg_print(&p, "|");
	cscg_print_xml_short(&p, "", 2);
	same_text(end(out),
	    "abc|ab\xe2\x80\xa6|&lt;\xc3\xa4&gt;|\xc3\xa4\xe2\x80\xa6|",
	    "shortened XML");
}

static void
dense(void)
{
	double v[] = { 0, 0.5, 0.5, 1, 0, 0, 0, 0.25, 0.75 };
	struct cscg_npy a = {
		.ndim = 3, .shape = { 1, 3, 3 }, .size = 9, .data = v
	};
	const int clones[] = { 2, 0, 1 };
	struct cscg_model_npy_options how = { true, 100, 0.01, clones, 3 };
	struct cscg_model *m = cscg_model_from_dense(&a, &how, &err);
	double *t = cscg_model_to_dense(m, false, &err), worst = 0, *c;
	const double want[] = { 0, 0.5, 0.5, 1, 0, 0, 0, 0.25, 0.75 };
	int i;

	ok(m->kind == CSCG_GROUNDED && m->n_obs == 3 && m->clone[0] == 0 &&
		m->clone[1] == 0 && m->clone[2] == 2,
	    "arrays with clones are a grounded model");
	for (i = 0; i < 9; i++)
		worst = fmax(worst, fabs(t[i] - want[i]));
	/*
	 * Zeros become the smoothing, 0.01 / 100.05; a probability of 1 is
	 * reduced by two of these.
	 */
	ok(near(worst, 0.02 / 100.05, 1e-9) && t[0] > 0,
	    "T is restored up to smoothing (%g)", worst);
	c = cscg_model_to_dense(m, true, &err);
	ok(c[0] == 0 && near(c[1], 0.5 * 100.03 - 0.01, 1e-12),
	    "counts are computed from T and the pseudocount");
	free(t);
	free(c);
	cscg_model_free(m);

	how.clones = NULL;
	memcpy(v, want, sizeof(v));
	v[4] = 1e-3;
	ok(!cscg_model_from_dense(&a, &how, &err) && err.code == CSCG_ERANGE &&
		!strcmp(err.msg,
		    "action 0, from 1: the row sums to 1.001, not to 1"),
	    "a row must sum to one");
	v[4] = NAN;
	ok(!cscg_model_from_dense(&a, &how, &err) && err.code == CSCG_ERANGE,
	    "NaN in T is refused");
	how.is_T = false;
	ok(!cscg_model_from_dense(&a, &how, &err) && err.code == CSCG_ERANGE,
	    "NaN in counts is refused");
	memcpy(v, want, sizeof(v));
	m = cscg_model_from_dense(&a, &how, &err);
	ok(m && m->kind == CSCG_SCHEMA && m->first[3] == 5,
	    "counts without clones are a schema");
	cscg_model_free(m);
	how.clones = clones;
	how.n_clones = 2;
	ok(!cscg_model_from_dense(&a, &how, &err) &&
		err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg,
		    "the clones add up to 2, but there are 3 states"),
	    "clones must add up");
	a.shape[2] = 1;
	a.size = 3;
	ok(!cscg_model_from_dense(&a, &how, &err) && err.code == CSCG_EFORMAT,
	    "T must have the shape of the clones");
}

static void
clones(void)
{
	int *v = NULL, n = cscg_model_npy_clones("1,0,42", &v, &err);
	FILE *f;

	ok(n == 3 && v[0] == 1 && v[1] == 0 && v[2] == 42, "a list of clones");
	free(v);
	if ((f = fopen(path, "w"))) {
		fputs("1 2\n\n3,4\n", f);
		fclose(f);
	}
	n = cscg_model_npy_clones(path, &v, &err);
	ok(n == 4 && v[3] == 4, "a file of clones");
	free(v);
	if ((f = fopen(path, "w"))) {
		fputs("1\n-2\n", f);
		fclose(f);
	}
	ok(cscg_model_npy_clones(path, &v, &err) < 0 && !v &&
		err.code == CSCG_EFORMAT &&
		strstr(err.msg,
		    "line 2: '-2' is not a number of clones in 0..10000000"),
	    "a bad number in a file of clones");
	ok(cscg_model_npy_clones("", &v, &err) < 0 && err.code == CSCG_EUSAGE,
	    "an empty list of clones");
	ok(cscg_model_npy_clones("99999999999999999999", &v, &err) < 0 &&
		err.code == CSCG_EUSAGE,
	    "a number of clones that is too large");
}

int
main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	dot();
	one_way();
	texts();
	tables();
	coordinates();
	grid();
	grid_sizes();
	escapes();
	dense();
	clones();
	unlink(path);
	return done();
}
