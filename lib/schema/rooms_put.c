/* rooms_put.c - rooms and doors as tables */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "schema/rooms.h"
#include "io/table.h"

/* How many exits and entries each room has: a node counts once. */
static int
count_exits(const struct cscg_partition *r, long *exits, long *entries,
    struct cscg_err *err)
{
	char *seen = cscg_alloc((size_t)r->n_nodes, 1, err);
	const struct cscg_partition_exit *e = r->exit;
	long i;

	if (!seen)
		return -1;
	for (i = 0; i < r->n_exits; i++) {
		/* One move may lead to several places. */
		if (!i || e[i].from != e[i - 1].from || e[i].a != e[i - 1].a)
			exits[r->room[e[i].from]]++;
		if (!seen[e[i].to])
			entries[r->room[e[i].to]]++;
		seen[e[i].to] = 1;
	}
	free(seen);
	return 0;
}

static int
write_rooms(const struct cscg_partition *r, const char *what, bool json,
    struct cscg_out *out, struct cscg_err *err)
{
	const struct cscg_col cols[] = {
		{ "room", CSCG_COL_LONG, 0 }, { "class", CSCG_COL_LONG, 0 },
		{ *what == 's' ? "states" : "nodes", CSCG_COL_LONG, 0 },
		{ "exits", CSCG_COL_LONG, 0 },
		{ "entries", CSCG_COL_LONG, 0 },
	};
	size_t n = (size_t)r->n;
	long *exits = cscg_alloc(2 * n, sizeof *exits, err);
	struct cscg_table t;
	int k, rc = -1;

	if (exits && count_exits(r, exits, exits + n, err) == 0)
		rc = cscg_table_init(&t, out, cols, 5, json, err);
	for (k = 0; rc == 0 && k < r->n; k++)
		rc = cscg_table_write_row(&t, (union cscg_cell[]){ { .l = k },
		    { .l = r->class_of[k] }, { .l = r->size[k] },
		    { .l = exits[k] }, { .l = exits[n + (size_t)k] } }, err);
	free(exits);
	return rc;
}

static int
write_exits(const struct cscg_partition *r, const struct cscg_names *actions,
    const char *what, bool json, struct cscg_out *out, struct cscg_err *err)
{
	const struct cscg_col cols[] = {
		{ "from_room", CSCG_COL_LONG, 0 },
		{ *what == 's' ? "from_state" : "from_node", CSCG_COL_LONG, 0 },
		{ "action", CSCG_COL_STRING, 0 },
		{ "to_room", CSCG_COL_LONG, 0 },
		{ *what == 's' ? "to_state" : "to_node", CSCG_COL_LONG, 0 },
	};
	struct cscg_table t;
	int rc = cscg_table_init(&t, out, cols, 5, json, err);
	long i;

	for (i = 0; rc == 0 && i < r->n_exits; i++) {
		const struct cscg_partition_exit *e = &r->exit[i];
		char number[16];

		snprintf(number, sizeof number, "%d", e->a);
		rc = cscg_table_write_row(&t, (union cscg_cell[]){
		    { .l = r->room[e->from] }, { .l = e->from },
		    { .s = actions->n ? actions->v[e->a] : number },
		    { .l = r->room[e->to] }, { .l = e->to } }, err);
	}
	return rc;
}

static int
write_states(const struct cscg_partition *r, const char *what, bool json,
    struct cscg_out *out, struct cscg_err *err)
{
	const struct cscg_col cols[] = {
		{ what, CSCG_COL_LONG, 0 }, { "room", CSCG_COL_LONG, 0 },
		{ "same_as", CSCG_COL_LONG, 0 },
		{ "doubt", CSCG_COL_BOOL, 0 },
	};
	struct cscg_table t;
	int rc = cscg_table_init(&t, out, cols, 4, json, err), v;

	for (v = 0; rc == 0 && v < r->n_nodes; v++)
		rc = cscg_table_write_row(&t, (union cscg_cell[]){ { .l = v },
		    { .l = r->room[v] }, { .l = r->same_node[v] },
		    { .l = r->is_ambiguous[v] } }, err);
	return rc;
}

/* An empty line between tables of TSV, as gnuplot and people like it. */
static int
write_gap(struct cscg_out *out, bool json, struct cscg_err *err)
{
	return json ? 0 : cscg_out_write(out, "\n", 1, err);
}

int
cscg_partition_write(const struct cscg_partition *r, const struct cscg_names *actions,
    const char *what, bool json, struct cscg_out *out, struct cscg_err *err)
{
	if (write_rooms(r, what, json, out, err) < 0 ||
	    write_gap(out, json, err) < 0 ||
	    write_exits(r, actions, what, json, out, err) < 0 ||
	    write_gap(out, json, err) < 0)
		return -1;
	return write_states(r, what, json, out, err);
}
