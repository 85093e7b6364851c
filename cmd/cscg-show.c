/* cscg-show - look inside rooms, walks, models and codebooks */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/sniff.h"
#include "cmd.h"
#include "core/codebook.h"
#include "cscg-show.h"
#include "core/model_npy.h"
#include "show/export.h"
#include "schema/stitch.h"
#include "core/model_io.h"
#include "world/room_io.h"
#include "show/text.h"

const char *const show_as_words[] = { "text", "dot", "graphml", "tsv",
    "npy", "ppm", "html", "schema", "clones", "model", NULL };
static const char *const npy_words[] = { "T", "C", NULL };
static const char *const label_words[] = { "auto", "symbols", "groups",
    "ignore", NULL };

static struct show_set set = { .from_npy = -1, .min_p = -1, .count = 100,
	.ppm.scale = 48, .cut = CSCG_PARTITION_DEFAULTS };

static const struct cmd_opt opts[] = {
	CMD_CHOICE(0, "as", &set.as, show_as_words, "write this"),
	CMD_DOUBLE(0, "min-p", &set.min_p, 0, 1, "P", "leave out edges with a "
	    "smaller share of their move (dot, html, --truth: 0.05; else 0)"),
	CMD_FLAG(0, "loops", &set.loops, "dot: draw moves that stay, too"),
	CMD_FILE(0, "plan", &set.plan, "FILE",
	    "html: a plan to play, as cscg-plan writes it"),
	CMD_FLAG(0, "nodes", &set.nodes, "tsv: the nodes, not the edges"),
	CMD_FLAG(0, "counts", &set.counts, "npy: the counts, not T"),
	CMD_STRING(0, "view", &set.ppm.view, "WHICH",
	    "ppm: one view or centroid, by its number (a room's: its node, or "
	    "ROW,COL,HEADING), not a sheet of all"),
	CMD_STRING(0, "frame", &set.ppm.size, "HxW",
	    "ppm: rows and columns of a room's views (default: 64x64)"),
	CMD_FLAG(0, "top", &set.ppm.top, "ppm: the room from above"),
	CMD_FLAG(0, "iso", &set.ppm.iso, "ppm: the room at an angle"),
	CMD_LONG(0, "scale", &set.ppm.scale, 4, SHOW_SCALE_MAX, "N",
	    "--top, --iso: pixels along a metre"),
	CMD_FLAG(0, "frontiers", &set.frontiers,
	    "list the moves that may lead out, and where they lead here"),
	CMD_FLAG(0, "boundary", &set.boundary,
	    "--frontiers: of a model, all moves that stay put instead"),
	CMD_FLAG(0, "bottlenecks", &set.bottlenecks,
	    "--frontiers: of a model, the doors between its rooms instead"),
	CMD_FLAG(0, "rooms", &set.rooms,
	    "find rooms, the doors between them, and which rooms are equal"),
	CMD_FLAG(0, "merge", &set.merge,
	    "--rooms --as schema: rooms that are equal are one schema"),
	CMD_DOUBLE(0, "conductance", &set.cut.max_conductance, 0, 1, "X",
	    "--rooms: a cut has less than this share of a side's moves"),
	CMD_DOUBLE(0, "narrow", &set.cut.max_cut_ratio, 0, 1e6, "X",
	    "--rooms: ... and less than this of the square root of them"),
	CMD_LONG(0, "min-states", &set.cut.min_size, 1, CSCG_STATE_MAX, "N",
	    "--rooms: ... and leaves so many states on each side"),
	CMD_FLAG(0, "json", &set.json,
	    "tsv, --truth, --frontiers, --rooms: JSON Lines"),
	CMD_FILE(0, "truth", &set.truth, "ROOM",
	    "compare the model with this room, or draw it (--as) where the room's "
	    "nodes are; -w adds a walk in it"),
	CMD_CHOICE(0, "labels", &set.labels, label_words,
	    "--truth: what must look the same"),
	CMD_CHOICE(0, "from-npy", &set.from_npy, npy_words,
	    "FILE is a .npy array of T or counts; needs --as model"),
	CMD_NUMBERS(0, "clones", &set.clones, "HOW",
	    "--from-npy: states of each symbol, N,N,... or a file of numbers"),
	CMD_DOUBLE(0, "count", &set.count, 1e-9, 1e15, "C",
	    "--from-npy T: counts that a row is worth"),
	CMD_DOUBLE(0, "pseudocount", &set.pseudocount, 0, 1e15, "P",
	    "--from-npy: pseudocount of the model"),
	CMD_END
};

static const struct cmd_info info = {
	.name = "cscg-show",
	.operands = "[FILE]",
	.purpose = "look inside rooms, walks, models and codebooks",
	.opts = opts,
	.max = 1,
	.uses = CMD_USES_WALKS | CMD_USES_GZIP
};

static void
judge(const char *path)
{
	int i, dashes = !strcmp(path, "-");

	if (set.truth && set.as > AS_TSV)
		cmd_usage("--truth goes with --as dot, graphml or tsv only");
	if (set.loops && set.as != AS_DOT)
		cmd_usage("--loops goes with --as dot only");
	if (set.nodes && set.as != AS_TSV)
		cmd_usage("--nodes goes with --as tsv only");
	if (set.counts && set.as != AS_NPY)
		cmd_usage("--counts goes with --as npy only");
	show_judge_rooms(&set);
	if ((set.from_npy >= 0) != (set.as == AS_MODEL && !set.rooms))
		cmd_usage("--from-npy and --as model go together");
	if (set.clones && set.from_npy < 0)
		cmd_usage("--clones goes with --from-npy only");
	if (set.frontiers && (set.truth || set.as != AS_TEXT))
		cmd_usage("--frontiers goes with neither --as nor --truth");
	if (set.boundary && !set.frontiers)
		cmd_usage("--boundary goes with --frontiers only");
	if (set.json && set.as != AS_TSV && !set.frontiers &&
	    !((set.truth || set.rooms) && set.as == AS_TEXT))
		cmd_usage("--json goes with --as tsv, --truth, --frontiers or "
		    "--rooms only");
	if (set.labels && !set.truth)
		cmd_usage("--labels goes with --truth only");
	show_judge_ppm(&set.ppm, set.as == AS_PPM);
	show_judge_html(&set);
	if (cmd.walks.n && !set.truth && set.as != AS_PPM &&
	    set.as != AS_HTML)
		cmd_usage("-w goes with --truth, --top, --iso or --as html "
		    "only");
	if (set.min_p >= 0 && !set.truth && !set.rooms && !set.bottlenecks &&
	    set.as != AS_DOT && set.as != AS_GRAPHML && set.as != AS_TSV &&
	    set.as != AS_HTML)
		cmd_usage("--min-p goes with --as dot, graphml, tsv, html, "
		    "--truth, --rooms or --bottlenecks only");
	dashes += set.truth && !strcmp(set.truth, "-");
	dashes += set.plan && !strcmp(set.plan, "-");
	for (i = 0; i < cmd.walks.n; i++)
		dashes += !strcmp(cmd.walks.v[i], "-");
	if (dashes > 1)
		cmd_usage("standard input can be read only once");
	/* A list matters to the result, the name of a file does not. */
	if (set.clones && !set.clones[strspn(set.clones, "0123456789,")])
		cmd_history_arg("clones", set.clones);
	if (set.as < AS_SCHEMA)
		cmd.no_gzip = true;
}

double
show_min_p(const struct show_set *how)
{
	if (how->min_p >= 0)
		return how->min_p;
	return how->as == AS_TEXT || how->as == AS_DOT || how->as == AS_HTML ?
	    SHOW_MIN_P : 0;
}

int
show_graph(const struct show_set *how, const struct cscg_graph *g,
    const char *title, int digits, struct cscg_out *out, struct cscg_err *err)
{
	if (how->as == AS_DOT)
		return cscg_export_write_dot(g, title, how->loops, out, err);
	if (how->as == AS_GRAPHML)
		return cscg_export_write_graphml(g, digits, out, err);
	return how->nodes ? cscg_export_write_nodes(g, digits, how->json, out, err) :
	    cscg_export_write_edges(g, digits, how->json, out, err);
}

static int
show_room(const struct cscg_room *room, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_graph *g;
	int rc;

	if (set.boundary || set.bottlenecks)
		return cscg_fail(err, CSCG_EMISMATCH, "--%s wants a model, not "
		    "a room", set.boundary ? "boundary" : "bottlenecks");
	if (set.rooms)
		return show_rooms_room(&set, room, out, err);
	if (set.frontiers)
		return cscg_frontier_write_room(room, set.json, out, err);
	if (set.as == AS_TEXT)
		return cscg_text_write_room(room, out, err);
	if (set.as >= AS_SCHEMA || set.counts)
		return cscg_fail(err, CSCG_EMISMATCH, "%s wants a model, not a "
		    "room", set.counts ? "--counts" : set.as == AS_SCHEMA ?
		    "--as schema" : "--as clones");
	if (set.as == AS_HTML)
		return show_html_room(&set, room, out, err);
	if (set.as == AS_PPM)
		return show_ppm_room(&set.ppm, room, out, err);
	if (set.as == AS_NPY)
		return show_npy_take(cscg_room_to_dense(room, err),
		    room->n_actions, room->n_nodes, out, err);
	g = cscg_graph_of_room(room, show_min_p(&set), err);
	rc = g ? show_graph(&set, g, room->name, 17, out, err) : -1;
	cscg_graph_free(g);
	return rc;
}

static int
forget(struct cscg_model *m, struct cscg_out *out, struct cscg_err *err)
{
	enum cscg_model_kind kind = set.as == AS_CLONES ? CSCG_CLONES : CSCG_SCHEMA;

	if (kind == CSCG_CLONES && !m->clone)
		return cscg_fail(err, CSCG_EMISMATCH, "the model is a schema "
		    "without clone structure");
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

	if (set.rooms)
		return show_rooms_model(&set, m, out, err);
	if (set.boundary && cscg_frontier_boundary(m, err) < 0)
		return -1;
	if (set.bottlenecks && cscg_frontier_bottleneck(m, &set.cut,
	    show_rooms_min_p(&set), err) < 0)
		return -1;
	if (set.frontiers)
		return cscg_frontier_write_model(m, set.json, out, err);
	if (set.as == AS_TEXT)
		return cscg_text_write_model(m, out, err);
	if (set.as == AS_HTML)
		return show_html_model(&set, m, out, err);
	if (set.as == AS_PPM && m->frame_emission)
		return show_looks(&set, m, out, err);
	if (set.as == AS_PPM)
		return cscg_fail(err, CSCG_EMISMATCH, "--as ppm wants a 3D "
		    "room, a walk with views, a codebook or a model with "
		    "looks");
	if (set.as >= AS_SCHEMA)
		return forget(m, out, err);
	if (set.as == AS_NPY)
		return show_npy_take(cscg_model_to_dense(m, set.counts, err),
		    m->n_actions, m->n_states, out, err);
	snprintf(title, sizeof(title), "%d states", m->n_states);
	g = cscg_graph_of_model(m, show_min_p(&set), err);
	rc = g ? show_graph(&set, g, title, m->is_double ? 17 : 9, out,
	    err) : -1;
	cscg_graph_free(g);
	return rc;
}

/* These formats hold one graph; say so before half of it is written. */
static int
only_one(struct cscg_in *in, struct cscg_err *err)
{
	enum cscg_format what;
	int rc;

	if (set.as < AS_GRAPHML || set.as > AS_HTML)
		return 0;
	rc = cscg_sniff_next(in, &what, err);
	if (rc > 0)
		return cscg_fail(err, CSCG_EMISMATCH, "%s: more than one room, "
		    "model or codebook, but --as %s writes one", cscg_in_name(in),
		    show_as_words[set.as]);
	return rc;
}

static int
show_one(struct cscg_in *in, enum cscg_format what, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_codebook *book = NULL;
	struct cscg_room *room = NULL;
	struct cscg_model *m = NULL;
	long line;
	int rc;

	rc = what == CSCG_FORMAT_ROOM ? cscg_room_read(in, &room, err) :
	    what == CSCG_FORMAT_MODEL ? cscg_model_read(in, &m, err) :
	    cscg_codebook_read_next(in, &book, err);
	line = cscg_in_lineno(in);
	if (rc > 0)
		rc = only_one(in, err);
	if (rc < 0)
		goto out;
	rc = room ? show_room(room, out, err) : m ? show_model(m, out, err) :
	    set.rooms ? cscg_fail(err, CSCG_EMISMATCH, "--rooms wants a room "
	    "or model, not a codebook") : show_codebook(&set, book, out, err);
	/* -2: the fault is in another file, which err names. */
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
		return show_ppm_walk_take(&set.ppm, in, out, err);
	if (set.as != AS_TEXT || set.frontiers || set.rooms) {
		rc = cscg_fail(err, CSCG_EMISMATCH, "%s: %s%s wants a %s, "
		    "not a walk", cscg_in_name(in), set.frontiers ?
		    "--frontiers" : set.rooms ? "--rooms" : "--as ",
		    set.frontiers || set.rooms ? "" : show_as_words[set.as],
		    set.as < AS_SCHEMA ? "room or model" : "model");
		cscg_in_close(in);
		return rc;
	}
	r = cscg_walk_reader_open_take(in, err);
	rc = r ? cscg_text_write_walk(r, out, err) : -1;
	cscg_walk_reader_close(r);
	return rc;
}

static int
show(const char *path, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(path, err);
	enum cscg_format what;
	int rc, n = 0;

	if (!in)
		return -1;
	while ((rc = cscg_sniff_next(in, &what, err)) > 0) {
		if (n++ && set.as == AS_TEXT && !set.frontiers && !set.json &&
		    cscg_out_write(out, "\n", 1, err) < 0)
			rc = -1;
		else if (what == CSCG_FORMAT_WALK)
			return show_walk_take(in, out, err) < 0 ? -1 : 1;
		else
			rc = show_one(in, what, out, err);
		if (rc < 0)
			break;
	}
	if (rc == 0 && n == 0)
		rc = cscg_fail(err, CSCG_ECUT, "%s: unexpected end: no room, "
		    "walk, model or codebook", cscg_in_name(in));
	cscg_in_close(in);
	return rc < 0 ? -1 : 1;
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **paths = cmd_begin(&info, argc, argv, NULL);
	const char *path = paths[0] ? paths[0] : "-";
	struct cscg_out *out;
	int rc = -1;

	judge(path);
	out = cmd_out(&err);
	if (out)
		rc = set.truth ? show_truth(&set, path, out, &err) :
		    set.from_npy >= 0 ? show_import(&set, path, out, &err) :
		    show(path, out, &err);
	return cmd_end(rc, &err);
}
