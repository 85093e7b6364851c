/* cscg-show_rooms.c - rooms and doors, found in a graph by themselves */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "cscg-show.h"
#include "base/mem.h"
#include "core/model_io.h"

void
show_judge_rooms(const struct show_set *set)
{
	bool fine = set->as == AS_TEXT || set->as == AS_DOT ||
	    set->as == AS_TSV || set->as >= AS_SCHEMA;

	if (set->merge && !(set->rooms && set->as == AS_SCHEMA))
		cmd_usage("--merge goes with --rooms --as schema only");
	if (set->bottlenecks && (!set->frontiers || set->boundary))
		cmd_usage("--bottlenecks goes with --frontiers only, and not "
		    "with --boundary");
	if (!set->rooms && !set->bottlenecks && (cmd_given(
	    &set->cut.max_conductance) || cmd_given(&set->cut.max_cut_ratio) ||
	    cmd_given(&set->cut.min_size)))
		cmd_usage("--conductance, --narrow and --min-states go with "
		    "--rooms or --bottlenecks only");
	if (!set->rooms)
		return;
	if (set->frontiers || set->truth || set->from_npy >= 0)
		cmd_usage("--rooms goes with none of --frontiers, --truth and "
		    "--from-npy");
	if (!fine || (set->as == AS_TSV && !set->nodes))
		cmd_usage("--rooms goes with --as dot, tsv --nodes, schema, "
		    "clones or model only");
}

double
show_rooms_min_p(const struct show_set *set)
{
	return set->min_p >= 0 ? set->min_p : CSCG_PARTITION_MIN_PROB;
}

static void
tell(const struct cscg_partition *r)
{
	int k, classes = 0;

	for (k = 0; k < r->n; k++)
		classes += r->class_of[k] == k;
	cmd_talk("%d room%s, %d different, %ld exits", r->n, r->n == 1 ? "" :
	    "s", classes, r->n_exits);
}

/* The graph with its nodes coloured, or numbered, by their room. */
static int
draw(const struct show_set *set, const struct cscg_partition *r,
    struct cscg_graph *g, int digits, struct cscg_out *out,
    struct cscg_err *err)
{
	char title[64];
	int *label;

	snprintf(title, sizeof(title), "%d %s, %d rooms", g->n_nodes,
	    g->count ? "states" : "nodes", r->n);
	if (set->as == AS_DOT) {
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
	return show_graph(set, g, title, digits, out, err);
}

/* Tables or a drawing of the rooms of g, which are not asked for as models. */
static int
show_found(const struct show_set *set, const struct cscg_partition *r,
    struct cscg_graph *g, int digits, struct cscg_out *out,
    struct cscg_err *err)
{
	if (set->as != AS_TEXT)
		return draw(set, r, g, digits, out, err);
	return cscg_partition_write(r, g->actions, g->count ? "state" : "node",
	    set->json, out, err);
}

int
show_rooms_room(const struct show_set *set, const struct cscg_room *room,
    struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_graph *g;
	struct cscg_partition *r = NULL;
	int rc = -1;

	if (set->as >= AS_SCHEMA)
		return cscg_fail(err, CSCG_EMISMATCH, "--as %s wants a model, "
		    "not a room", show_as_words[set->as]);
	g = cscg_graph_of_room(room, show_rooms_min_p(set), err);
	if (g)
		r = cscg_partition_new(g, &set->cut, err);
	if (r) {
		tell(r);
		rc = show_found(set, r, g, 17, out, err);
	}
	cscg_partition_free(r);
	cscg_graph_free(g);
	return rc;
}

/* Rooms as models, one a line. */
static int
write_rooms(const struct show_set *set, const struct cscg_model *m,
    const struct cscg_partition *r, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_model *one;
	int k, rc = 0;

	for (k = 0; k < r->n && rc == 0; k++) {
		if (set->merge && r->class_of[k] != k)
			continue;
		one = set->merge ? cscg_partition_class_model(m, r, k, err) :
		    cscg_partition_room_model(m, r, k, err);
		if (one && set->as != AS_MODEL)
			cscg_model_unground(one, set->as == AS_CLONES ?
			    CSCG_CLONES : CSCG_SCHEMA);
		rc = one && cmd_history(&one->history, err) == 0 &&
		    cscg_model_write(one, out, err) == 0 ? 0 : -1;
		cscg_model_free(one);
	}
	return rc;
}

int
show_rooms_model(const struct show_set *set, const struct cscg_model *m,
    struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_graph *g;
	struct cscg_partition *r = NULL;
	int rc = -1;

	if (set->as == AS_CLONES && !m->clone)
		return cscg_fail(err, CSCG_EMISMATCH, "the model is a schema "
		    "without clone structure");
	g = cscg_graph_of_model(m, show_rooms_min_p(set), err);
	if (g)
		r = cscg_partition_new(g, &set->cut, err);
	if (r) {
		tell(r);
		rc = set->as >= AS_SCHEMA ? write_rooms(set, m, r, out, err) :
		    show_found(set, r, g, m->is_double ? 17 : 9, out, err);
	}
	cscg_partition_free(r);
	cscg_graph_free(g);
	return rc;
}
