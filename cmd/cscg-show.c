/* cscg-show - look inside rooms, walks and models, and hand them on */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "any_io.h"
#include "cmd.h"
#include "compare.h"
#include "cscg-show.h"
#include "dense.h"
#include "draw.h"
#include "fit.h"
#include "frontier.h"
#include "graph.h"
#include "mem.h"
#include "model_io.h"
#include "room_io.h"
#include "summary.h"
#include "viterbi.h"
#include "walk_io.h"

#define MIN_P 0.05	/* of an edge that is drawn or compared */

enum as { AS_TEXT, AS_DOT, AS_GRAPHML, AS_TSV, AS_NPY, AS_PPM, AS_SCHEMA,
    AS_CLONES, AS_MODEL };

static const char *const as_words[] = { "text", "dot", "graphml", "tsv",
    "npy", "ppm", "schema", "clones", "model", NULL };
static const char *const npy_words[] = { "T", "C", NULL };
static const char *const label_words[] = { "auto", "symbols", "groups",
    "ignore", NULL };

static struct {
	int as, labels, from_npy;
	double min_p, count, pseudocount;
	bool loops, nodes, counts, json, frontiers, boundary;
	const char *truth, *clones;
	struct show_ppm ppm;
} set = { .from_npy = -1, .min_p = -1, .count = 100, .ppm.scale = 48 };

static const struct cmd_opt opts[] = {
	CMD_CHOICE(0, "as", &set.as, as_words, "write this"),
	CMD_DOUBLE(0, "min-p", &set.min_p, 0, 1, "P", "leave out edges with a "
	    "smaller share of their move (dot, --truth: 0.05; else 0)"),
	CMD_FLAG(0, "loops", &set.loops, "dot: draw moves that stay, too"),
	CMD_FLAG(0, "nodes", &set.nodes, "tsv: the nodes, not the edges"),
	CMD_FLAG(0, "counts", &set.counts, "npy: the counts, not T"),
	CMD_STRING(0, "view", &set.ppm.view, "WHICH",
	    "ppm: one view, by its number (a room's: its node, or "
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
	CMD_FLAG(0, "json", &set.json,
	    "tsv, --truth, --frontiers: JSON Lines"),
	CMD_FILE(0, "truth", &set.truth, "ROOM",
	    "compare the model with this room, or draw it (--as) where the room's "
	    "nodes are; -w adds a walk in it"),
	CMD_CHOICE(0, "labels", &set.labels, label_words,
	    "--truth: what must look the same"),
	CMD_CHOICE(0, "from-npy", &set.from_npy, npy_words,
	    "FILE is a .npy array of T or counts; needs --as model"),
	CMD_FILE(0, "clones", &set.clones, "HOW",
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
	.purpose = "look inside rooms, walks and models, and hand them on",
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
	if ((set.from_npy >= 0) != (set.as == AS_MODEL))
		cmd_usage("--from-npy and --as model go together");
	if (set.clones && set.from_npy < 0)
		cmd_usage("--clones goes with --from-npy only");
	if (set.frontiers && (set.truth || set.as != AS_TEXT))
		cmd_usage("--frontiers goes with neither --as nor --truth");
	if (set.boundary && !set.frontiers)
		cmd_usage("--boundary goes with --frontiers only");
	if (set.json && set.as != AS_TSV && !set.frontiers &&
	    !(set.truth && set.as == AS_TEXT))
		cmd_usage("--json goes with --as tsv, --truth or --frontiers "
		    "only");
	if (set.labels && !set.truth)
		cmd_usage("--labels goes with --truth only");
	show_judge_ppm(&set.ppm, set.as == AS_PPM);
	if (cmd.walks.n && !set.truth && set.as != AS_PPM)
		cmd_usage("-w goes with --truth, --top or --iso only");
	if (set.min_p >= 0 && !set.truth && set.as != AS_DOT &&
	    set.as != AS_GRAPHML && set.as != AS_TSV)
		cmd_usage("--min-p goes with --as dot, graphml, tsv or "
		    "--truth only");
	dashes += set.truth && !strcmp(set.truth, "-");
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

/* The least share of an edge that counts. */
static double
min_p(void)
{
	if (set.min_p >= 0)
		return set.min_p;
	return set.as == AS_TEXT || set.as == AS_DOT ? MIN_P : 0;
}

/* The graph of a room or a model, in the form asked for. */
static int
show_graph(const struct cscg_graph *g, const char *title, int digits,
    struct cscg_out *out, struct cscg_err *err)
{
	if (set.as == AS_DOT)
		return cscg_draw_dot(g, title, set.loops, out, err);
	if (set.as == AS_GRAPHML)
		return cscg_draw_graphml(g, digits, out, err);
	return set.nodes ? cscg_draw_nodes(g, digits, set.json, out, err) :
	    cscg_draw_edges(g, digits, set.json, out, err);
}

static int
put_npy_take(double *dense, int n_actions, int n_states, struct cscg_out *out,
    struct cscg_err *err)
{
	const long shape[] = { n_actions, n_states, n_states };
	int rc = -1;

	if (dense)
		rc = cscg_npy_write(out, 3, shape, dense, false, err);
	free(dense);
	return rc;
}

static int
show_room(const struct cscg_room *room, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_graph *g;
	int rc;

	if (set.boundary)
		return cscg_fail(err, CSCG_EMISMATCH, "--boundary wants a "
		    "model, not a room");
	if (set.frontiers)
		return cscg_frontier_put_room(room, set.json, out, err);
	if (set.as == AS_TEXT)
		return cscg_summary_room(room, out, err);
	if (set.as >= AS_SCHEMA || set.counts)
		return cscg_fail(err, CSCG_EMISMATCH, "%s wants a model, not a "
		    "room", set.counts ? "--counts" : set.as == AS_SCHEMA ?
		    "--as schema" : "--as clones");
	if (set.as == AS_PPM)
		return show_ppm_room(&set.ppm, room, out, err);
	if (set.as == AS_NPY)
		return put_npy_take(cscg_dense_of_room(room, err),
		    room->n_actions, room->n_nodes, out, err);
	g = cscg_graph_of_room(room, min_p(), err);
	rc = g ? show_graph(g, room->name, 17, out, err) : -1;
	cscg_graph_free(g);
	return rc;
}

static int
forget(struct cscg_model *m, struct cscg_out *out, struct cscg_err *err)
{
	enum cscg_kind kind = set.as == AS_CLONES ? CSCG_CLONES : CSCG_SCHEMA;

	if (kind == CSCG_CLONES && !m->clone)
		return cscg_fail(err, CSCG_EMISMATCH, "the model is a schema "
		    "without clone structure");
	cscg_model_forget(m, kind);
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

	if (set.boundary && cscg_frontier_boundary(m, err) < 0)
		return -1;
	if (set.frontiers)
		return cscg_frontier_put_model(m, set.json, out, err);
	if (set.as == AS_TEXT)
		return cscg_summary_model(m, out, err);
	if (set.as == AS_PPM)
		return cscg_fail(err, CSCG_EMISMATCH, "--as ppm wants a 3D "
		    "room or a walk with views, not a model");
	if (set.as >= AS_SCHEMA)
		return forget(m, out, err);
	if (set.as == AS_NPY)
		return put_npy_take(cscg_dense_of_model(m, set.counts, err),
		    m->n_actions, m->n_states, out, err);
	snprintf(title, sizeof(title), "%d states", m->n_states);
	g = cscg_graph_of_model(m, min_p(), err);
	rc = g ? show_graph(g, title, m->is_double ? 17 : 9, out, err) : -1;
	cscg_graph_free(g);
	return rc;
}

/* These formats hold one graph; say so before half of it is written. */
static int
only_one(struct cscg_in *in, struct cscg_err *err)
{
	enum cscg_any what;
	int rc;

	if (set.as < AS_GRAPHML || set.as > AS_PPM)
		return 0;
	rc = cscg_any_next(in, &what, err);
	if (rc > 0)
		return cscg_fail(err, CSCG_EMISMATCH, "%s: more than one room "
		    "or model, but --as %s writes one", cscg_in_name(in),
		    as_words[set.as]);
	return rc;
}

static int
show_one(struct cscg_in *in, enum cscg_any what, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_room *room = NULL;
	struct cscg_model *m = NULL;
	long line;
	int rc;

	rc = what == CSCG_ANY_ROOM ? cscg_room_read(in, &room, err) :
	    cscg_model_read(in, &m, err);
	line = cscg_in_lineno(in);
	if (rc > 0)
		rc = only_one(in, err);
	if (rc < 0)
		goto out;
	rc = room ? show_room(room, out, err) : show_model(m, out, err);
	if (rc < 0 && cscg_err_status(err->code) == 3)
		cscg_fail_at(err, "%s: line %ld", cscg_in_name(in), line);
out:
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
	if (set.as != AS_TEXT || set.frontiers) {
		rc = cscg_fail(err, CSCG_EMISMATCH, "%s: %s%s wants a %s, "
		    "not a walk", cscg_in_name(in), set.frontiers ?
		    "--frontiers" : "--as ", set.frontiers ? "" :
		    as_words[set.as],
		    set.as < AS_SCHEMA ? "room or model" : "model");
		cscg_in_close(in);
		return rc;
	}
	r = cscg_walk_open_take(in, err);
	rc = r ? cscg_summary_walk(r, out, err) : -1;
	cscg_walk_close(r);
	return rc;
}

static int
show(const char *path, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(path, err);
	enum cscg_any what;
	int rc, n = 0;

	if (!in)
		return -1;
	while ((rc = cscg_any_next(in, &what, err)) > 0) {
		if (n++ && set.as == AS_TEXT && !set.frontiers &&
		    cscg_out_write(out, "\n", 1, err) < 0)
			rc = -1;
		else if (what == CSCG_ANY_WALK)
			return show_walk_take(in, out, err) < 0 ? -1 : 1;
		else
			rc = show_one(in, what, out, err);
		if (rc < 0)
			break;
	}
	if (rc == 0 && n == 0)
		rc = cscg_fail(err, CSCG_ECUT, "%s: unexpected end: no room, "
		    "walk or model", cscg_in_name(in));
	cscg_in_close(in);
	return rc < 0 ? -1 : 1;
}

/* A model from somebody else's matrices. */
static int
import(const char *path, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_dense_how how = { set.from_npy == 0, set.count,
	    set.pseudocount, NULL, 0 };
	struct cscg_model *m = NULL;
	int *clones = NULL, rc = -1;

	if (set.clones) {
		how.n_clones = cscg_dense_clones(set.clones, &clones, err);
		how.clones = clones;
	}
	if (how.n_clones < 0)
		cscg_fail_at(err, "--clones");
	else
		m = cscg_dense_read(path, &how, err);
	if (m && cmd_history(&m->history, err) == 0 &&
	    cscg_model_write(m, out, err) == 0)
		rc = 1;
	free(clones);
	cscg_model_free(m);
	return rc;
}

/* Prepend the name of a file that is no longer open; returns -1. */
static int
fail_in(const char *path, struct cscg_err *err)
{
	if (!strcmp(path, "-"))
		return cscg_fail_at(err, "standard input");
	return cscg_fail_at(err, "'%s'", path);
}

/* The likeliest states behind the walks of -w, and the walk itself. */
static int
decode(const char *path, const struct cscg_model *m, struct cscg_walk **walk,
    int **states, struct cscg_err *err)
{
	struct cscg_work work = { 0 };
	struct cscg_trans *tr = NULL;
	double logp;
	int rc = -1;

	*walk = cscg_walk_read(cmd.walks.v, cmd.walks.n, err);
	if (!*walk)
		return -1;
	if (!(*walk)->z) {
		cscg_fail(err, CSCG_EMISMATCH, "the walk does not tell its "
		    "true nodes");
		return fail_in(cmd.walks.v[0], err);
	}
	tr = cscg_trans_new(m, m->is_double ? &cscg_kern_plain64 :
	    &cscg_kern_plain32, err);
	if (!tr)
		return fail_in(path, err);
	*states = cscg_alloc((*walk)->n_steps, sizeof(**states), err);
	if (*states && cscg_fit_walk(*walk, m, err) < 0)
		fail_in(cmd.walks.v[0], err);
	else if (*states)
		rc = cscg_viterbi_all(tr, *walk, &work, *states, &logp, err);
	cscg_work_free(&work);
	cscg_trans_free(tr);
	return rc;
}

/* Draw the model with its states where the nodes are that they stand for. */
static int
show_placed(const struct cscg_model *m, const struct cscg_graph *truth,
    const int *map, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_graph *g = cscg_graph_of_model(m, min_p(), err);
	char title[64];
	int rc = -1;

	snprintf(title, sizeof(title), "%d states", m->n_states);
	if (g && cscg_graph_place(g, truth, map, err) < 0)
		fail_in(set.truth, err);
	else if (g && show_graph(g, title, m->is_double ? 17 : 9, out,
	    err) == 0)
		rc = 1;
	cscg_graph_free(g);
	return rc;
}

/*
 * 1 if model and room are isomorphic (or the model is drawn), 0 if not, -1
 * with err filled.
 */
static int
compare(const char *path, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_model *m = cscg_model_read_file(path, err);
	struct cscg_room *room = m ? cscg_room_read_file(set.truth, err) :
	    NULL;
	struct cscg_graph *mg = NULL, *rg = NULL;
	struct cscg_walk *walk = NULL;
	struct cscg_compare c;
	int *states = NULL, *map = NULL, rc = -1;
	double least = set.min_p < 0 ? MIN_P : set.min_p;

	if (!m || !room)
		goto out;
	mg = cscg_graph_of_model(m, least, err);
	rg = cscg_graph_of_room(room, least, err);
	map = cscg_alloc(m->n_states, sizeof(*map), err);
	if (!mg || !rg || !map)
		goto out;
	if (cmd.walks.n && decode(path, m, &walk, &states, err) < 0)
		goto out;
	if (cscg_compare(mg, rg, set.labels, states, walk ? walk->z : NULL,
	    walk ? walk->n_steps : 0, &c, map, err) < 0) {
		fail_in(err->code == CSCG_ERANGE ? set.truth : path, err);
	} else if (set.as == AS_TEXT) {
		if (cscg_compare_put(&c, set.json, out, err) == 0)
			rc = c.isomorphic;
	} else if (!walk && !c.isomorphic) {
		cscg_fail(err, CSCG_EMISMATCH, "the model is not the room's "
		    "graph: only a walk (-w) can tell where its states are");
		fail_in(path, err);
	} else {
		rc = show_placed(m, rg, map, out, err);
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
		rc = set.truth ? compare(path, out, &err) :
		    set.as == AS_MODEL ? import(path, out, &err) :
		    show(path, out, &err);
	return cmd_end(rc, &err);
}
