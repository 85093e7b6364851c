/* cscg-show_truth.c - cscg-show --truth: a model beside the room it should be */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "show/compare.h"
#include "cscg-show.h"
#include "core/walk.h"
#include "base/mem.h"
#include "core/model_io.h"
#include "world/room_io.h"
#include "kernel/passes.h"
#include "core/walk_io.h"

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
		return cmd_fail_in(cmd.walks.v[0], err);
	}
	tr = cscg_trans_new(m, m->is_double ? &cscg_plain_double :
	    &cscg_plain_float, err);
	if (!tr)
		return cmd_fail_in(path, err);
	*states = cscg_alloc((*walk)->n_steps, sizeof(**states), err);
	if (*states && cscg_alphabet_map_walk(*walk, m, err) < 0)
		cmd_fail_in(cmd.walks.v[0], err);
	else if (*states)
		rc = cscg_viterbi_all(tr, *walk, &work, *states, &logp, err);
	cscg_work_free(&work);
	cscg_trans_free(tr);
	return rc;
}

/* Draw the model with its states where the nodes are that they stand for. */
static int
show_placed(const struct show_set *set, const struct cscg_model *m,
    const struct cscg_graph *truth, const int *map, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_graph *g = cscg_graph_of_model(m, show_min_p(set), err);
	char title[64];
	int rc = -1;

	snprintf(title, sizeof(title), "%d states", m->n_states);
	if (g && cscg_graph_set_coords(g, truth, map, err) < 0)
		cmd_fail_in(set->truth, err);
	else if (g && show_graph(set, g, title, m->is_double ? 17 : 9, out,
	    err) == 0)
		rc = 1;
	cscg_graph_free(g);
	return rc;
}

int
show_truth(const struct show_set *set, const char *path, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_model *m = cscg_model_read_file(path, err);
	struct cscg_room *room = m ? cscg_room_read_file(set->truth, err) :
	    NULL;
	struct cscg_graph *mg = NULL, *rg = NULL;
	struct cscg_walk *walk = NULL;
	struct cscg_compare_result c;
	int *states = NULL, *map = NULL, rc = -1;
	double least = set->min_p < 0 ? SHOW_MIN_P : set->min_p;

	if (!m || !room)
		goto out;
	mg = cscg_graph_of_model(m, least, err);
	rg = cscg_graph_of_room(room, least, err);
	map = cscg_alloc(m->n_states, sizeof(*map), err);
	if (!mg || !rg || !map)
		goto out;
	if (cmd.walks.n && decode(path, m, &walk, &states, err) < 0)
		goto out;
	if (cscg_compare(mg, rg, set->labels, states, walk ? walk->z : NULL,
	    walk ? walk->n_steps : 0, &c, map, err) < 0) {
		cmd_fail_in(err->code == CSCG_ERANGE ? set->truth : path, err);
	} else if (set->as == AS_TEXT) {
		if (cscg_compare_write(&c, set->json, out, err) == 0)
			rc = c.isomorphic;
	} else if (!walk && !c.isomorphic) {
		cscg_fail(err, CSCG_EMISMATCH, "the model is not the room's "
		    "graph: only a walk (-w) can tell where its states are");
		cmd_fail_in(path, err);
	} else {
		rc = show_placed(set, m, rg, map, out, err);
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
