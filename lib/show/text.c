/* text.c - human-readable summaries of files */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/stats.h"
#include "core/codebook.h"
#include "core/graph.h"
#include "io/history.h"
#include "io/table.h"
#include "show/export.h"
#include "show/text.h"
#include "world/room.h"

enum {
	NAMES_MAX = 12,    /* names shown before "..." */
	SYMBOLS_SHOWN = 6, /* most frequent symbols shown */
};

/* Transitions of lower probability are not counted as edges. */
#define EDGE_MIN 0.01

/* A state that was visited once has (1 + 1/K) / 2: more than half. */
#define CONFIDENCE_MIN 0.5

static const char *
plural(long n)
{
	return n == 1 ? "" : "s";
}

static void
write_names(struct cscg_printer *p, const char *what,
    const struct cscg_names *names)
{
	int i;

	if (!names->n)
		return;
	cscg_print(p, "  %-12s", what);
	for (i = 0; i < names->n && i < NAMES_MAX; i++)
		cscg_print(p, " %s", names->v[i]);
	cscg_print(p, "%s\n", i < names->n ? " ..." : "");
}

static void
write_history(struct cscg_printer *p, const struct cscg_history *h)
{
	if (!h->n)
		return;
	cscg_print(p, "  made by      ");
	cscg_history_write_commands(h, p);
	cscg_print(p, "\n");
}

static int
write_components(struct cscg_printer *p, const struct cscg_graph *g,
    const char *what)
{
	int weak, strong, largest;

	weak = cscg_graph_components(g, false, NULL, p->err);
	strong = cscg_graph_components(g, true, &largest, p->err);
	if (weak < 0 || strong < 0)
		return -1;
	if (strong == 1)
		cscg_print(p,
		    "  components   1: every %s can be reached from every "
		    "other\n",
		    what);
	else
		cscg_print(p,
		    "  components   %d, or %d of %ss that can reach each "
		    "other (the largest %d)\n",
		    weak, strong, what, largest);
	return 0;
}

/*
 * The numbers of labels with each number of nodes: "30 have 1, 1 has 42".
 * label has n items below n_labels.
 */
static int
write_shared(struct cscg_printer *p, const int *label, int n, int n_labels)
{
	int *size = cscg_alloc(n_labels, sizeof(*size), p->err), i, j;

	if (!size)
		return -1;
	for (i = 0; i < n; i++)
		size[label[i]]++;
	cscg_sort_ints(size, n_labels);
	for (i = 0; i < n_labels; i = j) {
		for (j = i; j < n_labels && size[j] == size[i]; j++)
			;
		cscg_print(p, "%s%d %s %d", i ? ", " : "", j - i,
		    j - i == 1 ? "has" : "have", size[i]);
	}
	cscg_print(p, "\n");
	free(size);
	return 0;
}

/* The edges of a graph in one line. */
static void
write_edges(struct cscg_printer *p, const struct cscg_graph *g)
{
	long i, n_self_loops = 0, n_ambiguous = 0, edges = 0, row;
	long rows = (long)g->n_actions * g->n_nodes, n_unseen = 0;

	for (row = 0; row < rows; row++) {
		long n = edges;

		for (i = g->first[row]; i < g->first[row + 1]; i++) {
			if (g->p[i] <= EDGE_MIN)
				continue;
			edges++;
			n_self_loops += g->to[i] == row % g->n_nodes;
		}
		n_ambiguous += edges - n > 1;
		n_unseen += edges == n;
	}
	cscg_print(p, "  edges        %ld", edges);
	if (g->count)
		cscg_print(p, " with T > %g", EDGE_MIN);
	cscg_print(p, ", %ld self-transition%s", n_self_loops,
	    plural(n_self_loops));
	if (n_ambiguous)
		cscg_print(p, "; %ld row%s with several successors",
		    n_ambiguous, plural(n_ambiguous));
	if (n_unseen)
		cscg_print(p, "; %ld row%s without edges", n_unseen,
		    plural(n_unseen));
	cscg_print(p, "\n");
}

/* "  parts        digit-2 (92), digit-3 (104), 6 in several" */
static void
write_parts(struct cscg_printer *p, const struct cscg_room *room)
{
	int i, several = cscg_room_part_size(room, -1);

	if (room->part)
		cscg_print(p, "  parts       ");
	for (i = 0; i < room->parts.n && i < NAMES_MAX; i++)
		cscg_print(p, "%s %s (%d)", i ? "," : "", room->parts.v[i],
		    cscg_room_part_size(room, i));
	if (i < room->parts.n)
		cscg_print(p, ", ...");
	if (several)
		cscg_print(p, ", %d in several", several);
	if (room->part)
		cscg_print(p, "\n");
	if (room->n_frontiers)
		cscg_print(p, "  frontiers    %ld\n", room->n_frontiers);
}

int
cscg_text_write_room(const struct cscg_room *room, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_printer p = { out, err, 0 };
	struct cscg_graph *g = cscg_graph_of_room(room, 0, err);
	int rc = -1;

	if (!g)
		return -1;
	cscg_print(&p, "room%s", room->name ? " " : "");
	cscg_print_text(&p, room->name ? room->name : "");
	cscg_print(&p, ": %d node%s, %d action%s, %d symbol%s\n",
	    room->n_nodes, plural(room->n_nodes), room->n_actions,
	    plural(room->n_actions), room->n_obs, plural(room->n_obs));
	write_names(&p, "actions", &room->actions);
	write_names(&p, "symbols", &room->symbols);
	cscg_print(&p, "  nodes        by symbol: ");
	if (write_shared(&p, room->obs, room->n_nodes, room->n_obs) < 0)
		goto out;
	write_edges(&p, g);
	if (write_components(&p, g, "node") < 0)
		goto out;
	if (room->rows)
		cscg_print(&p, "  grid         %d x %d%s\n", room->rows,
		    room->cols,
		    room->wrap_rows && room->wrap_cols ?
			", rows and columns wrap" :
			room->wrap_rows ?
			", the last row is next to the first" :
			room->wrap_cols ?
			", the last column is next to the first" :
			"");
	write_parts(&p, room);
	write_history(&p, &room->history);
	if (p.rc < 0 || cscg_export_write_grid(room, out, err) < 0)
		goto out;
	rc = 0;
out:
	cscg_graph_free(g);
	return rc;
}

/* The emission means of the states, if the model has any. */
static void
write_centroids(struct cscg_printer *p, const struct cscg_frame_emission *l,
    int n_states)
{
	char shape[80];

	if (!l)
		return;
	cscg_codebook_format_shape(shape, sizeof shape, l->ndim, l->shape);
	cscg_print(p,
	    "  gaussian     %d mean%s of %s, one per %s, sigma2 %.9g\n", l->n,
	    plural(l->n), shape, l->n == n_states ? "state" : "clone group",
	    l->sigma2);
}

/* Confidence, frontiers and likelihood of the binding. */
static void
write_binding(struct cscg_printer *p, const struct cscg_model *m)
{
	int j, n_confident = 0;

	for (j = 0; m->confidence && j < m->n_states; j++)
		n_confident += m->confidence[j] > CONFIDENCE_MIN;
	if (m->confidence)
		cscg_print(p, "  confidence   above %g in %d of %d states\n",
		    CONFIDENCE_MIN, n_confident, m->n_states);
	if (m->misread > 0)
		cscg_print(p, "  misreading   %.3g of the symbols\n",
		    m->misread);
	if (m->n_frontiers)
		cscg_print(p, "  frontiers    %ld\n", m->n_frontiers);
	if (m->fit_steps)
		cscg_print(p,
		    "  fit          %.9g nats a step in %ld step%s\n",
		    m->fit_nats, m->fit_steps, plural(m->fit_steps));
}

/* The assessment of a learned model. */
static void
write_learned(struct cscg_printer *p, const struct cscg_learned *l)
{
	if (!l)
		return;
	cscg_print(p,
	    "  learned      %s, %ld of %ld rows supported, %.9g nats a step "
	    "with each transition left out\n",
	    l->deterministic ? "deterministic" : "stochastic", l->supported,
	    l->rows, l->left_out);
	if (l->doubtful)
		cscg_print(p, "               the map is likely wrong\n");
	else if (!l->enough)
		cscg_print(p,
		    "               half the walk does not give this graph\n");
}

int
cscg_text_write_model(const struct cscg_model *m, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_printer p = { out, err, 0 };
	struct cscg_graph *g = cscg_graph_of_model(m, 0, err);
	long i, n = m->first[(long)m->n_actions * m->n_states];
	double sum = 0;
	int rc = -1;

	if (!g)
		return -1;
	for (i = 0; i < n; i++)
		sum += m->count[i];
	cscg_print(&p, "model, %s: %d state%s, %d action%s, ",
	    m->kind == CSCG_GROUNDED   ? "grounded" :
		m->kind == CSCG_CLONES ? "schema with clone structure" :
					 "schema",
	    m->n_states, plural(m->n_states), m->n_actions,
	    plural(m->n_actions));
	if (m->kind != CSCG_SCHEMA)
		cscg_print(&p, "%d %s%s, ", m->n_obs,
		    m->kind == CSCG_GROUNDED ? "symbol" : "group",
		    plural(m->n_obs));
	cscg_print(&p, "%s precision\n", m->is_double ? "double" : "single");
	write_names(&p, "actions", &m->actions);
	write_names(&p, "symbols", &m->symbols);
	if (m->clone) {
		cscg_print(&p, "  clones       by %s: ",
		    m->kind == CSCG_GROUNDED && !m->e_first ? "symbol" :
							      "group");
		if (write_shared(&p, m->clone, m->n_states,
			m->e_first ? cscg_model_n_groups(m) : m->n_obs) < 0)
			goto out;
	}
	if (m->e_first)
		cscg_print(&p, "  emissions    %ld in %d rows\n",
		    m->e_first[m->n_states], m->n_states);
	write_centroids(&p, m->frame_emission, m->n_states);
	write_binding(&p, m);
	cscg_print(&p, "  counts       %.9g in %ld entr%s, pseudocount %.9g\n",
	    sum, n, n == 1 ? "y" : "ies", m->pseudocount);
	write_learned(&p, m->learned);
	write_edges(&p, g);
	if (write_components(&p, g, "state") < 0)
		goto out;
	if (m->pi)
		cscg_print(&p, "  start        by pi\n");
	write_history(&p, &m->history);
	rc = p.rc;
out:
	cscg_graph_free(g);
	return rc;
}

/* Counts of a walk. */
struct walk_counts {
	long steps, dropouts, resets, known, rewarded, shortest, longest;
	int episodes;
	double reward;
	long *symbol, *action;
	long *node; /* visits, by node; grown */
	size_t n_nodes;
};

static int
count_walk(struct cscg_walk_reader *r, struct walk_counts *t,
    struct cscg_err *err)
{
	struct cscg_step s;
	long length = 0;
	int rc;

	while ((rc = cscg_walk_reader_next(r, &s, err)) > 0) {
		t->steps++;
		length++;
		if (s.x < 0)
			t->dropouts++;
		else
			t->symbol[s.x]++;
		t->resets += s.reset;
		if (!isnan(s.r)) {
			t->rewarded++;
			t->reward += s.r;
		}
		if (s.z >= 0) {
			if (cscg_grow(&t->node, &t->n_nodes, (size_t)s.z + 1,
				sizeof(*t->node), err) < 0)
				return -1;
			t->node[s.z]++;
			t->known++;
		}
		if (s.a >= 0) {
			t->action[s.a]++;
			continue;
		}
		if (!t->episodes++ || length < t->shortest)
			t->shortest = length;
		if (length > t->longest)
			t->longest = length;
		length = 0;
	}
	return rc;
}

/*
 * "up 25.1 %, down 24.9 %": the SYMBOLS_SHOWN most frequent of n, the first of
 * equals.
 */
static void
write_frequent(struct cscg_printer *p, const char *what, long *count, int n,
    const struct cscg_names *names)
{
	long sum = 0;
	int i, k, best, left = 0;

	for (i = 0; i < n; i++) {
		sum += count[i];
		left += count[i] > 0;
	}
	if (!sum)
		return;
	cscg_print(p, "  %-12s", what);
	for (k = 0; k < SYMBOLS_SHOWN && left; k++, left--) {
		for (best = 0, i = 1; i < n; i++)
			if (count[i] > count[best])
				best = i;
		if (names->n)
			cscg_print(p, "%s %s", k ? "," : "", names->v[best]);
		else
			cscg_print(p, "%s %d", k ? "," : "", best);
		cscg_print(p, " %.1f %%",
		    100.0 * (double)count[best] / (double)sum);
		count[best] = 0;
	}
	if (left)
		cscg_print(p, ", %d more", left);
	cscg_print(p, "\n");
}

static int
write_walk(struct walk_counts *t, const struct cscg_walk_header *head,
    struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_printer p = { out, err, 0 };
	size_t i;
	long nodes = 0;

	for (i = 0; i < t->n_nodes; i++)
		nodes += t->node[i] > 0;
	cscg_print(&p,
	    "walk: %d episode%s, %ld step%s, %d action%s, %d symbol%s\n",
	    t->episodes, plural(t->episodes), t->steps, plural(t->steps),
	    head->n_actions, plural(head->n_actions), head->n_obs,
	    plural(head->n_obs));
	if (t->episodes > 1)
		cscg_print(&p,
		    "  episodes     %ld to %ld steps, %.1f on average\n",
		    t->shortest, t->longest, (double)t->steps / t->episodes);
	write_frequent(&p, "symbols", t->symbol, head->n_obs, &head->symbols);
	write_frequent(&p, "actions", t->action, head->n_actions,
	    &head->actions);
	if (t->dropouts)
		cscg_print(&p, "  dropouts     %ld (%.1f %%)\n", t->dropouts,
		    100.0 * (double)t->dropouts / (double)t->steps);
	if (t->resets)
		cscg_print(&p, "  resets       %ld\n", t->resets);
	if (t->known == t->steps && t->known)
		cscg_print(&p, "  true nodes   known, %ld of them visited\n",
		    nodes);
	else if (t->known)
		cscg_print(&p,
		    "  true nodes   known at %ld steps, %ld of them visited\n",
		    t->known, nodes);
	if (t->rewarded)
		cscg_print(&p, "  rewards      %.9g in all\n", t->reward);
	write_history(&p, &head->history);
	return p.rc;
}

int
cscg_text_write_walk(struct cscg_walk_reader *r, struct cscg_out *out,
    struct cscg_err *err)
{
	const struct cscg_walk_header *head = cscg_walk_reader_header(r);
	struct walk_counts t = { 0 };
	int rc = -1;

	t.symbol = cscg_alloc(head->n_obs, sizeof(*t.symbol), err);
	t.action = cscg_alloc(head->n_actions, sizeof(*t.action), err);
	if (t.symbol && t.action && count_walk(r, &t, err) == 0)
		rc = write_walk(&t, head, out, err);
	free(t.symbol);
	free(t.action);
	free(t.node);
	return rc;
}

/* ---- codebooks ---- */

enum { PRIORS_SHOWN = 6 }; /* most frequent symbols shown */

/*
 * "7 6.1 %, 3 5.0 %, 44 more": the most frequent first, the first of equals.
 * Those already shown are all before (p, i) in that order.
 */
static void
write_priors(struct cscg_printer *put, const struct cscg_codebook *b)
{
	double p = INFINITY;
	int shown, k, best, i = -1;

	cscg_print(put, "  priors      ");
	for (shown = 0; shown < PRIORS_SHOWN && shown < b->k; shown++) {
		for (best = -1, k = 0; k < b->k; k++)
			if ((b->prior[k] < p || (b->prior[k] == p && k > i)) &&
			    (best < 0 || b->prior[k] > b->prior[best]))
				best = k;
		i = best;
		p = b->prior[best];
		cscg_print(put, "%s %d %.1f %%", shown ? "," : "", i, 100 * p);
	}
	if (shown < b->k)
		cscg_print(put, ", %d more", b->k - shown);
	cscg_print(put, "\n");
}

int
cscg_text_write_codebook(const struct cscg_codebook *book,
    struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_printer p = { out, err, 0 };
	double frames = 0;
	char shape[80];
	int k, empty = 0;

	for (k = 0; k < book->k; k++) {
		frames += book->count[k];
		empty += !(book->count[k] > 0);
	}
	cscg_codebook_format_shape(shape, sizeof shape, book->ndim,
	    book->shape);
	cscg_print(&p, "codebook, %s: %d centroid%s of %s %ss\n",
	    book->is_mixture ? "mixture" : "k-means", book->k,
	    book->k == 1 ? "" : "s", shape, book->is_byte ? "byte" : "number");
	cscg_print(&p, "  numbers      %ld in a frame\n", book->dim);
	cscg_print(&p,
	    "  sigma2       %.9g, of each number about its centroid's\n",
	    book->sigma2);
	cscg_print(&p, "  fit          inertia %.9g in %.9g frame%s\n",
	    book->inertia, frames, frames == 1 ? "" : "s");
	write_priors(&p, book);
	if (empty)
		cscg_print(&p, "  empty        %d centroid%s without frames\n",
		    empty, empty == 1 ? "" : "s");
	if (book->history.n) {
		cscg_print(&p, "  made by      ");
		cscg_history_write_commands(&book->history, &p);
		cscg_print(&p, "\n");
	}
	return p.rc;
}

int
cscg_text_write_codebook_table(const struct cscg_codebook *book, bool json,
    struct cscg_out *out, struct cscg_err *err)
{
	static const struct cscg_col cols[] = { { "symbol", CSCG_COL_LONG, 0 },
		{ "prior", CSCG_COL_DOUBLE, 17 },
		{ "count", CSCG_COL_DOUBLE, 17 } };
	struct cscg_table t;
	int rc = cscg_table_init(&t, out, CSCG_COLS(cols), json, err), k;

	for (k = 0; rc == 0 && k < book->k; k++)
		rc = cscg_table_write_row(&t,
		    (union cscg_cell[]){ { .l = k }, { .d = book->prior[k] },
			{ .d = book->count[k] } },
		    err);
	return rc;
}
