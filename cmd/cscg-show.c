/* cscg-show - inspect, draw, export and compare files of all kinds */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tool.h"
#include "core/codebook.h"
#include "core/graph.h"
#include "core/model.h"
#include "core/model_io.h"
#include "core/model_npy.h"
#include "core/walk.h"
#include "core/walk_io.h"
#include "io/sniff.h"
#include "io/stream.h"
#include "kernel/decoder.h"
#include "kernel/passes.h"
#include "schema/discover.h"
#include "schema/library.h"
#include "schema/partition.h"
#include "schema/stitch.h"
#include "show/compare.h"
#include "show/dot.h"
#include "show/export.h"
#include "show/fields.h"
#include "show/html.h"
#include "show/images.h"
#include "show/picture.h"
#include "show/raster.h"
#include "show/runs.h"
#include "show/svg.h"
#include "show/text.h"
#include "world/room.h"
#include "world/room_io.h"

#define MIN_PROB \
	0.05 /* least probability of an edge that is drawn or compared */

/* Settings and options. */

enum form {
	AS_TEXT,
	AS_DOT,
	AS_SVG,
	AS_PDF,
	AS_PNG,
	AS_GRAPHML,
	AS_TSV,
	AS_NODES,
	AS_NPY,
	AS_NPY_COUNTS,
	AS_PPM,
	AS_HTML,
	AS_SCHEMA,
	AS_LIBRARY,
	AS_CLONES,
	AS_MODEL,
};
static const char *const forms[] = { "text", "dot", "svg", "pdf", "png",
	"graphml", "tsv", "nodes", "npy", "npy-counts", "ppm", "html",
	"schema", "library", "clones", "model", NULL };

enum { GIVEN, BOUNDARY, BOTTLENECK };
static const char *const frontier_words[] = { "given", "boundary",
	"bottleneck", NULL };

static const char *const npy_words[] = { "T", "C", NULL };
static const char *const label_words[] = { "auto", "symbols", "groups",
	"ignore", NULL };

static struct {
	const char *truth, *plan, *clones, *view, *title;
	const char *fields, *xy, *raster;
	int as, from_npy, labels, frontiers; /* -1: not given */
	double pseudocount, min_prob;        /* min_prob < 0: by form */
	long scale, bins, dpi;
	bool partition, json, y_down;
} set = { .from_npy = -1,
	.frontiers = -1,
	.min_prob = -1,
	.scale = 48,
	.bins = 20,
	.dpi = 192 };

static const struct cscg_partition_options cut = CSCG_PARTITION_DEFAULTS;

static const struct cmd_opt opts[] = { CMD_INPUT,
	CMD_FILE(0, "truth", &set.truth, "ROOM",
	    "compare the model with this room, or draw it at the room's "
	    "coordinates; -w adds a walk in it"),
	CMD_FILE(0, "plan", &set.plan, "FILE",
	    "--as html: plan to animate, as cscg-plan writes it"),
	CMD_FILE(0, "fields", &set.fields, "WALK",
	    "place fields of the model's states: posterior over the positions "
	    "of this walk, see --xy"),
	CMD_FILE(0, "xy", &set.xy, "TABLE",
	    "--fields: positions, with columns x, y and step, as walkconv "
	    "--xy writes them"),
	CMD_FILE(0, "raster", &set.raster, "WALK",
	    "states of the model over the time of this walk; needs --as svg, "
	    "pdf or png"),
	CMD_CHOICE(0, "from-npy", &set.from_npy, npy_words,
	    "FILE is a .npy array of transition probabilities T or counts C; "
	    "needs --as model"),
	CMD_MODEL,
	CMD_NUMBERS(0, "clones", &set.clones, "SPEC",
	    "--from-npy: clones per symbol, N,N,... or a file of numbers"),
	CMD_DOUBLE(0, "pseudocount", &set.pseudocount, 0, 1e15, "X",
	    "--from-npy: pseudocount of the model"),
	CMD_CHOICE(0, "labels", &set.labels, label_words,
	    "--truth: which labels of states and nodes must agree"),
	CMD_ALGORITHM,
	CMD_CHOICE(0, "frontiers", &set.frontiers, frontier_words,
	    "list frontiers: those stored in the model, all self-transitions "
	    "at walls, or doors between rooms"),
	CMD_FLAG(0, "partition", &set.partition,
	    "partition the graph into rooms at low-conductance cuts; list "
	    "rooms, doors and isomorphic rooms"),
	CMD_LONG(0, "bins", &set.bins, 1, 1000, "N",
	    "--fields: bins along the longer side of the plane"),
	CMD_OUTPUT,
	CMD_CHOICE(0, "as", &set.as, forms,
	    "output format; tsv: edges, nodes: TSV, npy: T, npy-counts: C"),
	CMD_STRING(0, "title", &set.title, "TEXT",
	    "--as dot, svg, pdf, png, html: title of the drawing (default: "
	    "the number of states)"),
	CMD_DOUBLE(0, "min-prob", &set.min_prob, 0, 1, "P",
	    "omit edges with a smaller transition probability (default: "
	    "0.05 in dot, svg, html and --truth, else 0)"),
	CMD_STRING(0, "view", &set.view, "top|iso|WHICH",
	    "--as ppm: room from above, at an angle, or one view by node, "
	    "ROW,COL,HEADING or centroid number (default: a sheet of all)"),
	CMD_FLAG(0, "y-down", &set.y_down,
	    "--fields: y grows downwards, as in images"),
	CMD_LONG(0, "dpi", &set.dpi, 24, 2400, "N",
	    "--as png: pixels per inch"),
	CMD_LONG(0, "scale", &set.scale, 4, 512, "N",
	    "--view top, --view iso: pixels per metre"),
	CMD_JSON(&set.json,
	    " (--as tsv or nodes, --truth, --frontiers, --partition, "
	    "--fields, DIR)"),
	CMD_END };

static const struct cmd_info info = { .name = "cscg-show",
	.operands = "[FILE|DIR]",
	.purpose = "inspect, draw, export and compare rooms, walks, models, "
		   "codebooks and libraries",
	.opts = opts,
	.max = 1,
	.uses = CMD_USES_WALKS | CMD_USES_GZIP,
	.example = "cscg-show --as svg model.gz -o model.svg" };

/* --as svg, pdf or png: a drawing, which begins as SVG. */
static bool
is_svg(void)
{
	return set.as == AS_SVG || set.as == AS_PDF || set.as == AS_PNG;
}

static bool
is_view(const char *word)
{
	return set.view && !strcmp(set.view, word);
}

/* --view top or iso: an overview of a room. */
static bool
is_overview(void)
{
	return is_view("top") || is_view("iso");
}

static void
check_image(void)
{
	if (set.as != AS_PPM && (set.view || cmd_given(&set.scale)))
		cmd_usage("--%s requires --as ppm",
		    set.view ? "view" : "scale");
	if (cmd_given(&set.scale) && !is_overview())
		cmd_usage("--scale requires --view top or --view iso");
	if (set.as == AS_PPM && cmd.walks.n && !is_overview())
		cmd_usage("-w requires --truth, --view top or --view iso");
}

static void
check_partition(void)
{
	if (set.as == AS_LIBRARY && !set.partition)
		cmd_usage("--as library requires --partition");
	if (!set.partition)
		return;
	if (set.frontiers >= 0 || set.truth || set.from_npy >= 0)
		cmd_usage("--partition cannot be combined with --frontiers, "
			  "--truth or --from-npy");
	if (set.as != AS_TEXT && set.as != AS_DOT && !is_svg() &&
	    set.as != AS_NODES && set.as < AS_SCHEMA)
		cmd_usage("--partition requires --as dot, svg, pdf, png, "
			  "nodes, schema, library, clones or model");
}

static void
check_tables(const char *path)
{
	if (set.frontiers >= 0 && (set.truth || set.as != AS_TEXT))
		cmd_usage(
		    "--frontiers cannot be combined with --as or --truth");
	if (set.json && set.as != AS_TSV && set.as != AS_NODES &&
	    set.frontiers < 0 &&
	    !((set.truth || set.partition || set.fields ||
		  cscg_library_is_dir(path)) &&
		set.as == AS_TEXT))
		cmd_usage("--json requires --as tsv, --as nodes, --truth, "
			  "--frontiers, --partition, --fields or a library");
	if (set.min_prob >= 0 && !set.truth && !set.partition &&
	    set.frontiers != BOTTLENECK && set.as != AS_DOT && !is_svg() &&
	    set.as != AS_GRAPHML && set.as != AS_TSV && set.as != AS_NODES &&
	    set.as != AS_HTML)
		cmd_usage("--min-prob requires --as dot, svg, pdf, png, "
			  "graphml, tsv, nodes, html, --truth, --partition or "
			  "--frontiers bottleneck");
}

/* Options of --fields and --raster. */
static void
check_posterior(void)
{
	const char *option = set.fields ? "fields" : "raster";
	bool other = set.truth || set.plan || set.partition || set.view ||
	    set.frontiers >= 0 || set.from_npy >= 0 || cmd.walks.n;

	if ((set.fields != NULL) != (set.xy != NULL))
		cmd_usage("--fields and --xy require each other");
	if ((cmd_given(&set.bins) || set.y_down) && !set.fields)
		cmd_usage("--%s requires --fields",
		    set.y_down ? "y-down" : "bins");
	if (!set.fields && !set.raster)
		return;
	if (other || (set.fields && set.raster) || set.min_prob >= 0)
		cmd_usage("--%s cannot be combined with --truth, --plan, "
			  "--partition, --frontiers, --from-npy, --view, "
			  "--min-prob, -w or --%s",
		    option, set.fields ? "raster" : "fields");
	if (set.fields && set.as != AS_TEXT && set.as != AS_TSV && !is_svg())
		cmd_usage("--fields requires --as tsv, svg, pdf or png");
	if (set.raster && !is_svg())
		cmd_usage("--raster requires --as svg, pdf or png; cscg-score "
			  "--posterior writes the numbers");
}

static void
check(const char *path)
{
	if (set.truth && set.as > AS_NODES)
		cmd_usage("--truth requires --as dot, svg, pdf, png, graphml, "
			  "tsv or nodes");
	if (set.title && set.as != AS_DOT && !is_svg() && set.as != AS_HTML)
		cmd_usage("--title requires --as dot, svg, pdf, png or html");
	if (cmd_given(&set.dpi) && set.as != AS_PNG)
		cmd_usage("--dpi requires --as png");
	check_posterior();
	check_partition();
	if ((set.from_npy >= 0) != (set.as == AS_MODEL && !set.partition))
		cmd_usage("--from-npy and --as model require each other");
	if (set.clones && set.from_npy < 0)
		cmd_usage("--clones requires --from-npy");
	check_tables(path);
	if (set.labels && !set.truth)
		cmd_usage("--labels requires --truth");
	check_image();
	if (set.plan && set.as != AS_HTML)
		cmd_usage("--plan requires --as html");
	if (cmd.walks.n && !set.truth && set.as != AS_PPM && set.as != AS_HTML)
		cmd_usage("-w requires --truth, --view top, --view iso or "
			  "--as html");
	cmd_check_stdin(!strcmp(path, "-"));
	/* A list matters to the result, the name of a file does not. */
	if (set.clones && !set.clones[strspn(set.clones, "0123456789,")])
		cmd_history_arg("clones", set.clones);
	if (set.as < AS_SCHEMA)
		cmd.no_gzip = true;
}

/* The kinds of files that --as requires, for a message. */
static const char *
wanted_kind(void)
{
	return set.as < AS_SCHEMA && set.as != AS_NPY_COUNTS ?
	    "room or model" :
	    "model";
}

/* Graphs: drawings and tables. */

/* The smallest transition probability of an edge that is written. */
static double
edge_min_prob(void)
{
	if (set.min_prob >= 0)
		return set.min_prob;
	return set.as == AS_TEXT || set.as == AS_DOT || is_svg() ||
		set.as == AS_HTML ?
	    MIN_PROB :
	    0;
}

static int
write_graph(const struct cscg_graph *g, const char *title, int digits,
    struct cscg_out *out, struct cscg_err *err)
{
	if (set.title)
		title = set.title;
	if (set.as == AS_DOT)
		return cscg_dot_write(g, title, out, err);
	if (is_svg())
		return cscg_svg_write(g, title, out, err);
	if (set.as == AS_GRAPHML)
		return cscg_export_write_graphml(g, digits, out, err);
	return set.as == AS_NODES ?
	    cscg_export_write_nodes(g, digits, set.json, out, err) :
	    cscg_export_write_edges(g, digits, set.json, out, err);
}

/* Matrices: to other programs and from them. */

enum { ROW_COUNT = 100 }; /* counts of a row of T that is read */

/* A matrix for each action; frees dense; fails if it is NULL. */
static int
write_matrix_take(double *dense, int n_actions, int n_states,
    struct cscg_out *out, struct cscg_err *err)
{
	const long shape[] = { n_actions, n_states, n_states };
	int rc = -1;

	if (dense)
		rc = cscg_npy_write(out, 3, shape, dense, false, err);
	free(dense);
	return rc;
}

/* A model from matrices: 1, or -1 with err filled. */
static int
import_npy(const char *path, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_model_npy_options how = { set.from_npy == 0, ROW_COUNT,
		set.pseudocount, NULL, 0 };
	struct cscg_model *m = NULL;
	int *clones = NULL, rc = -1;

	if (set.clones) {
		how.n_clones = cscg_model_npy_clones(set.clones, &clones, err);
		how.clones = clones;
	}
	if (how.n_clones < 0)
		cscg_fail_at(err, "--clones");
	else
		m = cscg_model_read_npy(path, &how, err);
	if (m && cmd_history(&m->history, err) == 0 &&
	    cscg_model_write(m, out, err) == 0)
		rc = 1;
	free(clones);
	cscg_model_free(m);
	return rc;
}

/* --as ppm: images of 3D rooms, walks, codebooks and models. */

/* Prepend the option to an error about --view or --as ppm. */
static int
name_image_option(int rc, struct cscg_err *err)
{
	if (rc < 0 && err->code == CSCG_EUSAGE && set.view)
		return cscg_fail_at(err, "--view");
	return rc;
}

/* The image of a room; the walks of -w may be drawn into it. */
static int
write_room_image(const struct cscg_room *room, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_walk *walk = NULL;
	int rc;

	if (!room->voxel)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "--as ppm: this is not a 3D room");
	if (!is_overview())
		return name_image_option(
		    cscg_images_write_room(room, set.view, out, err), err);
	if (cmd.walks.n) {
		walk = cscg_walk_read(cmd.walks.v, cmd.walks.n, err);
		if (!walk)
			return -1;
	}
	rc = cscg_images_write_overview(room, is_view("iso"), (int)set.scale,
	    walk, out, err);
	cscg_walk_free(walk);
	return rc;
}

/* The frames contained in a walk; takes in. */
static int
write_walk_image_take(struct cscg_in *in, struct cscg_out *out,
    struct cscg_err *err)
{
	if (is_overview()) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "%s: --view %s requires a room, not a walk",
		    cscg_in_name(in), set.view);
		cscg_in_close(in);
		return -1;
	}
	return name_image_option(
	    cscg_images_write_walk_take(in, set.view, out, err), err);
}

/* -1 with err filled if --view is only for rooms. */
static int
check_frames(const char *file, struct cscg_err *err)
{
	return is_overview() ?
	    cscg_fail(err, CSCG_EMISMATCH,
		"--view %s requires a room, not a %s", set.view, file) :
	    0;
}

/* Prepend the option to an error of writing frames. */
static int
name_frames_option(int rc, struct cscg_err *err)
{
	return rc < 0 && err->code == CSCG_EMISMATCH ?
	    cscg_fail_at(err, "--as ppm") :
	    name_image_option(rc, err);
}

static int
write_centroids(const struct cscg_codebook *book, struct cscg_out *out,
    struct cscg_err *err)
{
	if (check_frames("codebook", err) < 0)
		return -1;
	return name_frames_option(
	    cscg_images_write_codebook(book, set.view, out, err), err);
}

static int
write_emissions(const struct cscg_model *m, struct cscg_out *out,
    struct cscg_err *err)
{
	if (check_frames("model", err) < 0)
		return -1;
	return name_frames_option(
	    cscg_images_write_emissions(m, set.view, out, err), err);
}

static int
show_codebook(const struct cscg_codebook *book, struct cscg_out *out,
    struct cscg_err *err)
{
	if (set.fields || set.raster)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "--%s requires a model, not a codebook",
		    set.fields ? "fields" : "raster");
	if (set.frontiers >= 0 || (set.min_prob >= 0 && set.as == AS_TSV))
		return cscg_fail(err, CSCG_EMISMATCH,
		    "--%s requires a room or model, not a codebook",
		    set.frontiers >= 0 ? "frontiers" : "min-prob");
	switch (set.as) {
	case AS_TEXT:
		return cscg_text_write_codebook(book, out, err);
	case AS_TSV:
		return cscg_text_write_codebook_table(book, set.json, out,
		    err);
	case AS_NPY:
		return cscg_codebook_write_npy(book, out, err);
	case AS_PPM:
		return write_centroids(book, out, err);
	default:
		return cscg_fail(err, CSCG_EMISMATCH,
		    "--as %s requires a %s, not a codebook", forms[set.as],
		    wanted_kind());
	}
}

/* --as html: a page with the graph, walks and a plan. */

static int
write_page(const struct cscg_graph *g, const char *title, const char *kind,
    const int *clone, const struct cscg_runs *r, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_html_page page = { g, set.title ? set.title : title, NULL,
		clone, r->run, r->n };
	char note[200];

	snprintf(note, sizeof note, "%s, %d %s, %d action%s%s", kind,
	    g->n_nodes, g->count ? "states" : "nodes", g->n_actions,
	    g->n_actions == 1 ? "" : "s",
	    r->left_out ? "; only the first steps of the walk" : "");
	page.note = note;
	if (r->left_out)
		cmd_warn("the page has the first %d steps of the walk; "
			 "%ld more are omitted",
		    CSCG_HTML_STEPS_MAX, r->left_out);
	return cscg_html_write(&page, out, err);
}

/*
 * The walks of -w under the model.  Returns 0, -1, or -2 for an error of a
 * walk, which err names.
 */
static int
add_walks(struct cscg_runs *r, const struct cscg_model *m,
    struct cscg_err *err)
{
	struct cscg_walk *walk = cscg_walk_read(cmd.walks.v, cmd.walks.n, err);
	int rc = -2;

	if (!walk)
		return -2;
	if (m->kind == CSCG_GROUNDED &&
	    cscg_alphabet_map_walk(walk, m, err) < 0)
		cmd_fail_in(cmd.walks.v[0], err);
	else
		rc = cscg_runs_add_walk(r, walk, m, cmd_isa(NULL), err);
	cscg_walk_free(walk);
	return rc;
}

static int
add_plan(struct cscg_runs *r, const char *path, const struct cscg_model *m,
    struct cscg_err *err)
{
	struct cscg_plan_graph *map = cscg_plan_graph_new(m, 0, err);
	struct cscg_plan plan = { 0 };
	int rc = -1;

	if (!map)
		return -1;
	if (cscg_html_plan_read(path, m, map, r->end, &plan, err) < 0)
		rc = -2;
	else if (cscg_runs_add_plan(r, &plan, err) == 0)
		rc = 0;
	else if (err->code == CSCG_ERANGE) {
		cmd_fail_in(path, err);
		rc = -2;
	}
	cscg_plan_free(&plan);
	cscg_plan_graph_free(map);
	return rc;
}

/* In a room, the true nodes of the walks; returns as add_walks(). */
static int
add_true_walks(struct cscg_runs *r, const struct cscg_room *room,
    struct cscg_err *err)
{
	struct cscg_walk *walk = cscg_walk_read(cmd.walks.v, cmd.walks.n, err);
	int rc = -2;

	if (!walk)
		return -2;
	rc = cscg_runs_add_true_walk(r, walk, room, err);
	if (rc < 0 && err->code == CSCG_EMISMATCH) {
		cmd_fail_in(cmd.walks.v[0], err);
		rc = -2;
	}
	cscg_walk_free(walk);
	return rc;
}

/*
 * The page, with the walks of -w and the plan of --plan to play.  Returns 0,
 * -1 with err filled, -2 for an error of a walk or the plan, which err names.
 */
static int
write_model_page(const struct cscg_model *m, struct cscg_out *out,
    struct cscg_err *err)
{
	const char *kind = m->kind == CSCG_GROUNDED ? "grounded model" :
	    m->kind == CSCG_CLONES ? "schema with clone structure" :
				     "schema";
	struct cscg_runs r = { .end = -1 };
	struct cscg_graph *g = NULL;
	char title[64];
	int rc = -1;

	rc = cmd.walks.n ? add_walks(&r, m, err) : 0;
	if (rc == 0 && set.plan)
		rc = add_plan(&r, set.plan, m, err);
	if (rc < 0)
		goto out;
	rc = -1;
	g = cscg_graph_of_model(m, edge_min_prob(), err);
	if (!g)
		goto out;
	snprintf(title, sizeof title, "Map of %d states", m->n_states);
	rc = write_page(g, title, kind, m->e_first ? m->clone : NULL, &r, out,
	    err);
out:
	cscg_graph_free(g);
	cscg_runs_free(&r);
	return rc;
}

static int
write_room_page(const struct cscg_room *room, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_runs r = { .end = -1 };
	struct cscg_graph *g = NULL;
	int rc = -1;

	if (set.plan)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "--plan requires a model, not a room");
	rc = cmd.walks.n ? add_true_walks(&r, room, err) : 0;
	if (rc < 0)
		goto out;
	rc = -1;
	g = cscg_graph_of_room(room, edge_min_prob(), err);
	if (g)
		rc = write_page(g, room->name ? room->name : "Room", "room",
		    NULL, &r, out, err);
out:
	cscg_graph_free(g);
	cscg_runs_free(&r);
	return rc;
}

/* --partition: rooms and doors of a graph. */

/* The least transition probability for a partition. */
static double
partition_min_prob(void)
{
	return set.min_prob >= 0 ? set.min_prob : CSCG_PARTITION_MIN_PROB;
}

static void
report_partition(const struct cscg_partition *r)
{
	int k, classes = 0;

	for (k = 0; k < r->n; k++)
		classes += r->class_of[k] == k;
	cmd_verbose("%d room%s, %d different, %ld exits", r->n,
	    r->n == 1 ? "" : "s", classes, r->n_exits);
}

/* The graph with its nodes coloured, or numbered, by their room. */
static int
draw_partition(const struct cscg_partition *r, struct cscg_graph *g,
    int digits, struct cscg_out *out, struct cscg_err *err)
{
	char title[64];
	int *label;

	snprintf(title, sizeof(title), "%d %s, %d rooms", g->n_nodes,
	    g->count ? "states" : "nodes", r->n);
	if (set.as == AS_DOT || is_svg()) {
		label = cscg_copy(r->room, (size_t)g->n_nodes, sizeof *label,
		    err);
		if (!label)
			return -1;
		free(g->label);
		g->label = label;
		g->n_labels = r->n;
		g->grounded = false;
	}
	g->part = r->room;
	return write_graph(g, title, digits, out, err);
}

/* Tables or a drawing of the rooms of g. */
static int
write_partition(const struct cscg_partition *r, struct cscg_graph *g,
    int digits, struct cscg_out *out, struct cscg_err *err)
{
	if (set.as != AS_TEXT)
		return draw_partition(r, g, digits, out, err);
	return cscg_partition_write(r, g->actions, g->count ? "state" : "node",
	    set.json, out, err);
}

static int
partition_room(const struct cscg_room *room, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_graph *g;
	struct cscg_partition *r = NULL;
	int rc = -1;

	if (set.as >= AS_SCHEMA)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "--as %s requires a model, not a room", forms[set.as]);
	g = cscg_graph_of_room(room, partition_min_prob(), err);
	if (g)
		r = cscg_partition_new(g, &cut, err);
	if (r) {
		report_partition(r);
		rc = write_partition(r, g, 17, out, err);
	}
	cscg_partition_free(r);
	cscg_graph_free(g);
	return rc;
}

/* Rooms, or classes of isomorphic rooms, as models, one a line. */
static int
write_room_models(const struct cscg_model *m, const struct cscg_partition *r,
    struct cscg_out *out, struct cscg_err *err)
{
	bool merge = set.as == AS_LIBRARY;
	struct cscg_model *one;
	int k, rc = 0;

	for (k = 0; k < r->n && rc == 0; k++) {
		if (merge && r->class_of[k] != k)
			continue;
		one = merge ? cscg_partition_class_model(m, r, k, err) :
			      cscg_partition_room_model(m, r, k, err);
		if (one && set.as != AS_MODEL)
			cscg_model_unground(one,
			    set.as == AS_CLONES ? CSCG_CLONES : CSCG_SCHEMA);
		rc = one && cmd_history(&one->history, err) == 0 &&
			cscg_model_write(one, out, err) == 0 ?
		    0 :
		    -1;
		cscg_model_free(one);
	}
	return rc;
}

static int
partition_model(const struct cscg_model *m, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_graph *g;
	struct cscg_partition *r = NULL;
	int rc = -1;

	if (set.as == AS_CLONES && !m->clone)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "the model is a schema without clone structure");
	g = cscg_graph_of_model(m, partition_min_prob(), err);
	if (g)
		r = cscg_partition_new(g, &cut, err);
	if (r) {
		report_partition(r);
		rc = set.as >= AS_SCHEMA ?
		    write_room_models(m, r, out, err) :
		    write_partition(r, g, m->is_double ? 17 : 9, out, err);
	}
	cscg_partition_free(r);
	cscg_graph_free(g);
	return rc;
}

/* --fields, --raster: the posterior of states over positions, and over time. */

static int
write_fields(const struct cscg_model *m, const struct cscg_trans *tr,
    const struct cscg_walk *walk, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_positions at = { 0 };
	struct cscg_fields f = { 0 };
	char title[80];
	int rc = -2;

	snprintf(title, sizeof title, "Place fields of %d states",
	    m->n_states);
	if (cscg_positions_read(&at, set.xy, err) < 0)
		goto out;
	rc = cscg_fields_new(&f, tr, walk, &at, (int)set.bins, err);
	if (rc < 0 && err->code == CSCG_EMISMATCH) {
		cmd_fail_in(set.xy, err);
		rc = -2;
	} else if (rc == 0)
		rc = is_svg() ?
		    cscg_fields_write_svg(&f, m, set.title ? set.title : title,
			set.y_down, out, err) :
		    cscg_fields_write(&f, set.json, out, err);
out:
	cscg_fields_free(&f);
	cscg_positions_free(&at);
	return rc;
}

/* Returns 0, -1, or -2 for an error of another file, which err names. */
static int
write_posterior(const struct cscg_model *m, struct cscg_out *out,
    struct cscg_err *err)
{
	const char *path = set.fields ? set.fields : set.raster;
	struct cscg_walk *walk = cscg_walk_read_file(path, err);
	struct cscg_trans *tr = NULL;
	char title[80];
	int rc = -1;

	if (!walk)
		return -2;
	if (m->kind == CSCG_GROUNDED &&
	    cscg_alphabet_map_walk(walk, m, err) < 0) {
		cmd_fail_in(path, err);
		rc = -2;
		goto out;
	}
	tr = cscg_trans_new(m, &cscg_plain_double, err);
	snprintf(title, sizeof title, "%d states over %ld steps", m->n_states,
	    walk->n_steps);
	if (tr && set.fields)
		rc = write_fields(m, tr, walk, out, err);
	else if (tr)
		rc = cscg_raster_write_svg(m, tr, walk,
		    set.title ? set.title : title, out, err);
out:
	cscg_trans_free(tr);
	cscg_walk_free(walk);
	return rc;
}

/* --truth: comparison of a model with the true room. */

/* The Viterbi states of the walks of -w, and the walk itself. */
static int
decode_walk(const char *path, const struct cscg_model *m,
    struct cscg_walk **walk, int **states, struct cscg_err *err)
{
	struct cscg_decoder *decoder;
	struct cscg_trans *tr;
	double logp;
	int rc = -1;

	*walk = cscg_walk_read(cmd.walks.v, cmd.walks.n, err);
	if (!*walk)
		return -1;
	if (!(*walk)->z) {
		cscg_fail(err, CSCG_EMISMATCH, "the walk has no true nodes");
		return cmd_fail_in(cmd.walks.v[0], err);
	}
	tr = cscg_trans_new(m,
	    m->is_double ? &cscg_plain_double : &cscg_plain_float, err);
	if (!tr)
		return cmd_fail_in(path, err);
	decoder = cscg_decoder_new(tr, cmd_isa(NULL), err);
	*states = cscg_alloc((*walk)->n_steps, sizeof(**states), err);
	if (*states && cscg_alphabet_map_walk(*walk, m, err) < 0)
		cmd_fail_in(cmd.walks.v[0], err);
	else if (*states && decoder)
		rc = cscg_decoder_viterbi(decoder, *walk, *states, &logp, err);
	cscg_decoder_free(decoder);
	cscg_trans_free(tr);
	return rc;
}

/*
 * Draw the model with each state at the coordinates of the node that it maps
 * to.
 */
static int
write_placed(const struct cscg_model *m, const struct cscg_graph *truth,
    const int *map, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_graph *g = cscg_graph_of_model(m, edge_min_prob(), err);
	char title[64];
	int rc = -1;

	snprintf(title, sizeof(title), "%d states", m->n_states);
	if (g && cscg_graph_set_coords(g, truth, map, err) < 0)
		cmd_fail_in(set.truth, err);
	else if (g &&
	    write_graph(g, title, m->is_double ? 17 : 9, out, err) == 0)
		rc = 1;
	cscg_graph_free(g);
	return rc;
}

/*
 * 1 if model and room are isomorphic (or the model is drawn), 0 if not, -1
 * with err filled.
 */
static int
compare_truth(const char *path, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_model *m = cscg_model_read_file(path, err);
	struct cscg_room *room = m ? cscg_room_read_file(set.truth, err) :
				     NULL;
	struct cscg_graph *mg = NULL, *rg = NULL;
	struct cscg_walk *walk = NULL;
	struct cscg_compare_result c;
	int *states = NULL, *map = NULL, rc = -1;
	double least = set.min_prob < 0 ? MIN_PROB : set.min_prob;

	if (!m || !room)
		goto out;
	mg = cscg_graph_of_model(m, least, err);
	rg = cscg_graph_of_room(room, least, err);
	map = cscg_alloc(m->n_states, sizeof(*map), err);
	if (!mg || !rg || !map)
		goto out;
	if (cmd.walks.n && decode_walk(path, m, &walk, &states, err) < 0)
		goto out;
	if (cscg_compare(mg, rg, set.labels, states, walk ? walk->z : NULL,
		walk ? walk->n_steps : 0, &c, map, err) < 0) {
		cmd_fail_in(err->code == CSCG_ERANGE ? set.truth : path, err);
	} else if (set.as == AS_TEXT) {
		if (cscg_compare_write(&c, set.json, out, err) == 0)
			rc = c.isomorphic;
	} else if (!walk && !c.isomorphic) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "the model is not isomorphic to the room: a walk (-w) is "
		    "required to map its states to nodes");
		cmd_fail_in(path, err);
	} else {
		rc = write_placed(m, rg, map, out, err);
	}
out:
	free(states);
	free(map);
	cscg_walk_free(walk);
	cscg_graph_free(mg);
	cscg_graph_free(rg);
	cscg_room_free(room);
	cscg_model_free(m);
	return rc;
}

/* A file, by its contents. */

static int
show_room(const struct cscg_room *room, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_graph *g;
	int rc;

	if (set.frontiers > GIVEN)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "--frontiers %s requires a model, not a room",
		    frontier_words[set.frontiers]);
	if (set.fields || set.raster)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "--%s requires a model, not a room",
		    set.fields ? "fields" : "raster");
	if (set.partition)
		return partition_room(room, out, err);
	if (set.frontiers == GIVEN)
		return cscg_frontier_write_room(room, set.json, out, err);
	if (set.as == AS_TEXT)
		return cscg_text_write_room(room, out, err);
	if (set.as >= AS_SCHEMA || set.as == AS_NPY_COUNTS)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "--as %s requires a model, not a room", forms[set.as]);
	if (set.as == AS_HTML)
		return write_room_page(room, out, err);
	if (set.as == AS_PPM)
		return write_room_image(room, out, err);
	if (set.as == AS_NPY)
		return write_matrix_take(cscg_room_to_dense(room, err),
		    room->n_actions, room->n_nodes, out, err);
	g = cscg_graph_of_room(room, edge_min_prob(), err);
	rc = g ? write_graph(g, room->name, 17, out, err) : -1;
	cscg_graph_free(g);
	return rc;
}

static int
write_ungrounded(struct cscg_model *m, struct cscg_out *out,
    struct cscg_err *err)
{
	enum cscg_model_kind kind = set.as == AS_CLONES ? CSCG_CLONES :
							  CSCG_SCHEMA;

	if (kind == CSCG_CLONES && !m->clone)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "the model is a schema without clone structure");
	cscg_model_unground(m, kind);
	if (cmd_history(&m->history, err) < 0)
		return -1;
	return cscg_model_write(m, out, err);
}

static int
show_model(struct cscg_model *m, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_graph *g;
	char title[64];
	int rc;

	if (set.fields || set.raster)
		return write_posterior(m, out, err);
	if (set.partition)
		return partition_model(m, out, err);
	if (set.frontiers == BOUNDARY && cscg_frontier_boundary(m, err) < 0)
		return -1;
	if (set.frontiers == BOTTLENECK &&
	    cscg_frontier_bottleneck(m, &cut, partition_min_prob(), err) < 0)
		return -1;
	if (set.frontiers >= 0)
		return cscg_frontier_write_model(m, set.json, out, err);
	if (set.as == AS_TEXT)
		return cscg_text_write_model(m, out, err);
	if (set.as == AS_HTML)
		return write_model_page(m, out, err);
	if (set.as == AS_PPM && m->frame_emission)
		return write_emissions(m, out, err);
	if (set.as == AS_PPM)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "--as ppm needs a 3D room, a walk with views, a codebook "
		    "or a model with Gaussian emissions");
	if (set.as >= AS_SCHEMA)
		return write_ungrounded(m, out, err);
	if (set.as == AS_NPY || set.as == AS_NPY_COUNTS)
		return write_matrix_take(cscg_model_to_dense(m,
					     set.as == AS_NPY_COUNTS, err),
		    m->n_actions, m->n_states, out, err);
	snprintf(title, sizeof(title), "%d states", m->n_states);
	g = cscg_graph_of_model(m, edge_min_prob(), err);
	rc = g ? write_graph(g, title, m->is_double ? 17 : 9, out, err) : -1;
	cscg_graph_free(g);
	return rc;
}

/* ---- a library: a directory ---- */

/* All schemas as one drawing or table of edges. */
static int
draw_library(const struct cscg_schemas *s, struct cscg_out *out,
    struct cscg_err *err)
{
	const struct cscg_model *const *m =
	    (const struct cscg_model *const *)s->m;
	struct cscg_model *all;
	char title[64];
	int which, rc;

	all = cscg_discover_union(m, s->n, &which, err);
	if (!all)
		return which < 0 ? -1 :
				   cscg_fail_at(err, "%s", s->names.v[which]);
	/* Coordinates of different rooms overlap. */
	free(all->coords);
	all->coords = NULL;
	snprintf(title, sizeof title, "%d schema%s, %d states", s->n,
	    s->n > 1 ? "s" : "", all->n_states);
	if (!set.title)
		set.title = title;
	rc = show_model(all, out, err);
	set.title = NULL;
	cscg_model_free(all);
	return rc;
}

static int
write_library(const struct cscg_library *lib, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_schemas s = { .n = 0 };
	int i, rc;

	if (set.as == AS_TEXT)
		return cscg_library_write(lib, set.json, out, err);
	rc = cscg_library_schemas(lib, CSCG_LIBRARY_SCHEMA, &s, err);
	if (rc == 0 && !s.n)
		rc = cscg_fail(err, CSCG_EMISMATCH,
		    "the library has no schema");
	else if (rc == 0 && set.as < AS_SCHEMA)
		rc = draw_library(&s, out, err);
	for (i = 0; rc == 0 && set.as >= AS_SCHEMA && i < s.n; i++)
		rc = write_ungrounded(s.m[i], out, err);
	cscg_schemas_free(&s);
	return rc;
}

static int
show_library(const char *path, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_library *lib;
	int rc;

	if (set.frontiers >= 0 || set.partition || set.as == AS_PPM ||
	    set.fields || set.raster)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "'%s': %s requires a file, not a library", path,
		    set.partition          ? "--partition" :
			set.frontiers >= 0 ? "--frontiers" :
			set.fields         ? "--fields" :
			set.raster         ? "--raster" :
					     "--as ppm");
	lib = cscg_library_open(path, err);
	rc = !lib ?
	    -1 :
	    lib->n_runs ?
	    write_library(lib, out, err) :
	    cscg_fail(err, CSCG_EREAD, "is a directory, not a library");
	if (lib && rc < 0 && cscg_err_status(err->code) == 3)
		cscg_fail_at(err, "'%s'", path);
	cscg_library_free(lib);
	return rc < 0 ? -1 : 1;
}

/* These formats hold one graph: check before writing. */
static int
check_single(struct cscg_in *in, struct cscg_err *err)
{
	enum cscg_format what;
	int rc;

	if (set.as < AS_SVG || set.as > AS_HTML)
		return 0;
	rc = cscg_sniff_next(in, &what, err);
	if (rc > 0)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "%s: more than one room, model or codebook, but --as %s "
		    "writes one",
		    cscg_in_name(in), forms[set.as]);
	return rc;
}

static int
show_next(struct cscg_in *in, enum cscg_format what, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_codebook *book = NULL;
	struct cscg_room *room = NULL;
	struct cscg_model *m = NULL;
	long line;
	int rc;

	rc = what == CSCG_FORMAT_ROOM ?
	    cscg_room_read(in, &room, err) :
	    what == CSCG_FORMAT_MODEL ?
	    cscg_model_read(in, &m, err) :
	    cscg_codebook_read_next(in, &book, err);
	line = cscg_in_lineno(in);
	if (rc > 0)
		rc = check_single(in, err);
	if (rc < 0)
		goto out;
	rc = room ? show_room(room, out, err) :
	    m     ? show_model(m, out, err) :
	    set.partition ?
		cscg_fail(err, CSCG_EMISMATCH,
		    "--partition requires a room or model, not a codebook") :
		show_codebook(book, out, err);
	/* -2: an error of another file, which err names. */
	if (rc == -1 && cscg_err_status(err->code) == 3)
		cscg_fail_at(err, "%s: line %ld", cscg_in_name(in), line);
out:
	cscg_codebook_free(book);
	cscg_room_free(room);
	cscg_model_free(m);
	return rc;
}

static int
show_walk_take(struct cscg_in *in, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_walk_reader *r;
	int rc;

	if (set.as == AS_PPM)
		return write_walk_image_take(in, out, err);
	if (set.as != AS_TEXT || set.frontiers >= 0 || set.partition ||
	    set.fields) {
		const char *option = set.frontiers >= 0 ? "--frontiers" :
		    set.partition                       ? "--partition" :
		    set.fields                          ? "--fields" :
		    set.raster                          ? "--raster" :
							  NULL;

		rc = cscg_fail(err, CSCG_EMISMATCH,
		    "%s: %s%s requires a %s, not a walk", cscg_in_name(in),
		    option ? option : "--as ", option ? "" : forms[set.as],
		    set.fields || set.raster ? "model" : wanted_kind());
		cscg_in_close(in);
		return rc;
	}
	r = cscg_walk_reader_open_take(in, err);
	rc = r ? cscg_text_write_walk(r, out, err) : -1;
	cscg_walk_reader_close(r);
	return rc;
}

static int
run(const char *path, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(path, err);
	enum cscg_format what;
	int rc, n = 0;

	if (!in)
		return -1;
	while ((rc = cscg_sniff_next(in, &what, err)) > 0) {
		if (n++ && set.as == AS_TEXT && set.frontiers < 0 &&
		    !set.json && cscg_out_write(out, "\n", 1, err) < 0)
			rc = -1;
		else if (what == CSCG_FORMAT_WALK)
			return show_walk_take(in, out, err) < 0 ? -1 : 1;
		else
			rc = show_next(in, what, out, err);
		if (rc < 0)
			break;
	}
	if (rc == 0 && n == 0)
		rc = cscg_fail(err, CSCG_ECUT,
		    "%s: unexpected end: no room, walk, model or codebook",
		    cscg_in_name(in));
	cscg_in_close(in);
	return rc < 0 ? -1 : 1;
}

/* Process path by the options; returns the status for cmd_end(). */
static int
show(const char *path, struct cscg_out *out, struct cscg_err *err)
{
	return set.truth              ? compare_truth(path, out, err) :
	    set.from_npy >= 0         ? import_npy(path, out, err) :
	    cscg_library_is_dir(path) ? show_library(path, out, err) :
					run(path, out, err);
}

static int
show_svg(const void *path, struct cscg_out *out, struct cscg_err *err)
{
	return show(path, out, err) < 0 ? -1 : 0;
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **paths = cmd_begin(&info, argc, argv, NULL);
	const char *path = paths[0] ? paths[0] : "-";
	struct cscg_out *out;
	int rc = -1;

	check(path);
	out = cmd_out(&err);
	if (out && (set.as == AS_PDF || set.as == AS_PNG))
		rc = cscg_picture_write(show_svg, path, forms[set.as],
			 (int)set.dpi, out, &err) < 0 ?
		    -1 :
		    1;
	else if (out)
		rc = show(path, out, &err);
	return cmd_end(rc, &err);
}
