/*
 * html.c - self-contained HTML page of a graph with walks and plans
 *
 * The data is JSON inside a script element.  A "<" in a string could end the
 * element or begin a comment, so it is escaped: names come from untrusted
 * files.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/json.h"
#include "io/table.h"
#include "show/html.h"
#include "show/layout.h"

/* the files of data/html, at the time of the build */

#define CSCG_HTML_HIDDEN __attribute__((visibility("hidden")))

extern const char cscg_html_view_html[] CSCG_HTML_HIDDEN;
extern const char cscg_html_view_css[] CSCG_HTML_HIDDEN;
extern const char cscg_html_view_js[] CSCG_HTML_HIDDEN;

/*
 * The solid layout is shown first if the crowding of the flat one exceeds
 * CROWDED_SHARE_MIN and that of the solid one is below SOLID_CROWDING_RATIO
 * times that of the flat one.
 */
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

/* The separator before item i of a list. */
static const char *
comma(long i)
{
	return i == 0 ? "" : i % 40 ? "," : ",\n";
}

/* Writes item i of v. */
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

/* Positions in hundredths of the length of an edge. */
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
write_list(struct cscg_printer *p, const char *key, write_item *item,
    const void *v, long n)
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
write_names(struct cscg_printer *p, const char *key,
    const struct cscg_names *names)
{
	if (names && names->n)
		write_list(p, key, write_name, names, names->n);
}

static void
write_transitions(struct cscg_printer *p, const struct cscg_graph *g)
{
	long rows = (long)g->n_actions * g->n_nodes, row, i,
	     n = g->first[rows];

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
			cscg_print(p, "%s%d,%ld",
			    i > run->b_first[t] ? "," : "", run->b_state[i],
			    lround(1000 * run->b_p[i]));
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
	cscg_print(p,
	    ",\n\"what\":\"%s\",\"n\":%d,\"n_actions\":%d,"
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

/*
 * Write the page up to the next word; *end is then the position after the
 * word.
 */
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
		return cscg_fail(err, CSCG_ERANGE,
		    "%d %s are too many for a page, which can show %d",
		    page->g->n_nodes, page->g->count ? "states" : "nodes",
		    CSCG_HTML_NODES_MAX);
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

/*
 * the files of data/html, at the time of the build
 *
 * The assembler includes them in the object, so that the script can be read,
 * edited and tested as a separate file.  Names are relative to the working
 * directory of the compiler: the top of the source.
 */

#define EMBED(name, file) \
	__asm__(".pushsection .rodata\n" \
		"\t.globl " #name "\n" \
		"\t.hidden " #name "\n" \
		"\t.type " #name ", %object\n" #name ":\n" \
		"\t.incbin \"" file "\"\n" \
		"\t.byte 0\n" \
		"\t.size " #name ", . - " #name "\n" \
		".popsection\n")

EMBED(cscg_html_view_html, "data/html/view.html");
EMBED(cscg_html_view_css, "data/html/view.css");
EMBED(cscg_html_view_js, "data/html/view.js");

/* ---- reading a plan of cscg-plan ---- */

struct reader {
	struct cscg_in *in;
	const struct cscg_model *m;
	const struct cscg_plan_graph *graph;
	struct cscg_plan *plan;
	size_t cap_a, cap_z, cap_p;
};

/* The number of an action that is called by name or number, or -1. */
static int
find_action(const struct cscg_model *m, const char *text)
{
	char *end;
	long a = m->actions.n ? cscg_names_find(&m->actions, text) : -1;

	if (a >= 0)
		return (int)a;
	a = strtol(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && a < m->n_actions ?
	    (int)a :
	    -1;
}

/* The probability of a transition; 0 if the graph lacks it. */
static double
transition_prob(const struct cscg_plan_graph *graph, int a, int from, int to)
{
	long row = (long)a * graph->n_states + from, i;

	for (i = graph->first[row]; i < graph->first[row + 1]; i++)
		if (graph->to[i] == to)
			return graph->p[i];
	return 0;
}

/* Append a state; the first has no action before it. */
static int
add_state(struct reader *r, int a, int to, struct cscg_err *err)
{
	struct cscg_plan *plan = r->plan;
	size_t n = plan->z ? (size_t)plan->n + 1 : 0;

	if (cscg_grow(&plan->z, &r->cap_z, n + 1, sizeof *plan->z, err) < 0 ||
	    cscg_grow(&plan->p, &r->cap_p, n + 1, sizeof *plan->p, err) < 0 ||
	    cscg_grow(&plan->a, &r->cap_a, n + 1, sizeof *plan->a, err) < 0)
		return -1;
	plan->z[n] = to;
	plan->p[n] = 1;
	if (n > 0) {
		plan->a[n - 1] = a;
		plan->p[n] = plan->p[n - 1] *
		    transition_prob(r->graph, a, plan->z[n - 1], to);
		plan->n++;
	}
	plan->success = plan->p[n];
	return 0;
}

/* ---- lines of actions ---- */

static int
read_line(struct reader *r, const char *line, struct cscg_err *err)
{
	const struct cscg_plan *plan = r->plan;
	int a = find_action(r->m, line), to;

	if (a < 0)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "'%.40s' is neither the name of an action nor a number in "
		    "0..%d",
		    line, r->m->n_actions - 1);
	to = cscg_plan_graph_next(r->graph, a, plan->z[plan->n]);
	if (to < 0)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "the model has no transition by '%.40s' from state %d",
		    line, plan->z[plan->n]);
	return add_state(r, a, to, err);
}

static int
read_lines(struct reader *r, int start, struct cscg_err *err)
{
	size_t len;
	char *line;
	int rc;

	if (start < 0) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "%s: the plan has no start state", cscg_in_name(r->in));
		return cscg_fail_hint(err, "plan-start");
	}
	if (add_state(r, -1, start, err) < 0)
		return -1;
	while ((rc = cscg_in_line(r->in, &line, &len, err)) > 0)
		if (len && read_line(r, line, err) < 0)
			return cscg_fail_at(err, "%s: line %ld",
			    cscg_in_name(r->in), cscg_in_lineno(r->in));
	return rc;
}

/* ---- a line of JSON ---- */

static int
read_action(const struct reader *r, json_t *item, long t, int *a,
    struct cscg_err *err)
{
	const char *text = json_string_value(item);

	if (text) {
		*a = find_action(r->m, text);
		return *a >= 0 ?
		    0 :
		    cscg_fail(err, CSCG_EMISMATCH,
			"/actions/%ld: the model has no action '%.40s'", t,
			text);
	}
	if (json_typeof(item) != JSON_INTEGER)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/actions/%ld: is neither a name nor a number", t);
	if (json_integer_value(item) < 0 ||
	    json_integer_value(item) >= r->m->n_actions)
		return cscg_fail(err, CSCG_ERANGE,
		    "/actions/%ld: %lld is outside 0..%d", t,
		    (long long)json_integer_value(item), r->m->n_actions - 1);
	*a = (int)json_integer_value(item);
	return 0;
}

static int
read_states(struct reader *r, json_t *actions, const int *z,
    struct cscg_err *err)
{
	long n = (long)json_array_size(actions), t;
	int a = -1;

	if (add_state(r, -1, z[0], err) < 0)
		return -1;
	for (t = 0; t < n; t++) {
		if (read_action(r, json_array_get(actions, (size_t)t), t, &a,
			err) < 0)
			return -1;
		if (transition_prob(r->graph, a, z[t], z[t + 1]) <= 0)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "/states/%ld: the model has no transition from "
			    "state %d to %d by action %d",
			    t + 1, z[t], z[t + 1], a);
		if (add_state(r, a, z[t + 1], err) < 0)
			return -1;
	}
	return 0;
}

static int
read_object(struct reader *r, json_t *obj, struct cscg_err *err)
{
	json_t *actions, *states;
	int *z, rc = -1;

	if (cscg_json_array(obj, "actions", -1, &actions, err) < 0 ||
	    cscg_json_array(obj, "states", (long)json_array_size(actions) + 1,
		&states, err) < 0)
		return -1;
	z = cscg_alloc(json_array_size(states), sizeof *z, err);
	if (z &&
	    cscg_json_ints(states, "/states", 0, r->m->n_states - 1, z, err) ==
		0)
		rc = read_states(r, actions, z, err);
	free(z);
	return rc;
}

static int
read_json(struct reader *r, struct cscg_err *err)
{
	json_t *obj = NULL;
	size_t len;
	char *line;
	int rc = cscg_json_read(r->in, &obj, err);

	if (rc <= 0)
		return -1;
	if (read_object(r, obj, err) < 0) {
		json_decref(obj);
		return cscg_json_fail_at(r->in, err);
	}
	json_decref(obj);
	while ((rc = cscg_in_line(r->in, &line, &len, err)) > 0)
		if (len)
			return cscg_fail(err, CSCG_EFORMAT,
			    "%s: line %ld: more than one plan",
			    cscg_in_name(r->in), cscg_in_lineno(r->in));
	return rc;
}

int
cscg_html_plan_read(const char *path, const struct cscg_model *m,
    const struct cscg_plan_graph *graph, int start, struct cscg_plan *plan,
    struct cscg_err *err)
{
	struct reader r = { .m = m, .graph = graph, .plan = plan };
	size_t len;
	char *line;
	int rc;

	*plan = (struct cscg_plan){ 0 };
	r.in = cscg_in_open(path, err);
	if (!r.in)
		return -1;
	rc = cscg_in_line(r.in, &line, &len, err);
	if (rc > 0) {
		bool json = line[0] == '{' && find_action(m, line) < 0;

		cscg_in_unread_line(r.in);
		rc = json ? read_json(&r, err) : read_lines(&r, start, err);
	} else if (rc == 0) {
		rc = read_lines(&r, start, err);
	}
	cscg_in_close(r.in);
	if (rc < 0)
		cscg_plan_free(plan);
	return rc;
}
