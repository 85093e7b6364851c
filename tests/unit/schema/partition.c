/*
 * partition - weights and eigenvalues by hand, cuts against enumeration of all
 * cuts, rooms and doors of worlds with known parts, isomorphic rooms, and rooms
 * as models
 */
#include <stdlib.h>
#include <string.h>

#include "schema/discover.h"
#include "schema/stitch.h"
#include "world/compose.h"
#include "schema/partition.h"
#include "schema/spectral.h"
#include "tap.h"
#include "walker.h"

enum { UP, DOWN, LEFT, RIGHT };

static const struct cscg_partition_options usual = CSCG_PARTITION_DEFAULTS;

static struct cscg_room *
rectangle(int rows, int cols)
{
	return shape_room(CSCG_RECTANGLE, rows, cols);
}

/*
 * n rooms joined as the plan says, with doors to later rooms only if one_way;
 * they are freed.
 */
static struct cscg_room *
joined_take(struct cscg_room **v, int n, const struct cscg_compose_plan *plan,
    bool one_way)
{
	const struct cscg_room *const *rooms =
	    (const struct cscg_room *const *)v;
	struct cscg_door *door = NULL;
	struct cscg_room *room;
	double place[20];
	long n_doors, all, i;

	need(cscg_compose_layout(rooms, n, plan, place, &door, &n_doors,
		 &err) < 0 ?
		NULL :
		place);
	for (i = 0, all = n_doors, n_doors = 0; i < all; i++)
		if (!one_way || door[i].part < door[i].to_part)
			door[n_doors++] = door[i];
	room = need(cscg_compose_join(rooms, n, place, door, n_doors,
	    CSCG_COMPOSE_BORDER, &err));
	free(door);
	for (i = 0; i < n; i++)
		cscg_room_free(v[i]);
	return room;
}

static struct cscg_room *
two_take(struct cscg_room *a, struct cscg_room *b, bool one_way)
{
	struct cscg_room *v[] = { a, b };
	struct cscg_compose_plan plan = { .rows = 1, .cols = 2 };

	return joined_take(v, 2, &plan, one_way);
}

static struct cscg_partition *
rooms_of(const struct cscg_room *room,
    const struct cscg_partition_options *set)
{
	struct cscg_graph *g = need(cscg_graph_of_room(room, 0.05, &err));
	struct cscg_partition *r = need(cscg_partition_new(g, set, &err));

	cscg_graph_free(g);
	return r;
}

static struct cscg_partition *
rooms_of_model(const struct cscg_model *m)
{
	struct cscg_graph *g = need(cscg_graph_of_model(m, 0.05, &err));
	struct cscg_partition *r = need(cscg_partition_new(g, &usual, &err));

	cscg_graph_free(g);
	return r;
}

/* Are the rooms found the parts that the room was made of? */
static int
is_parts(const struct cscg_partition *r, const struct cscg_room *room)
{
	int v;

	for (v = 0; v < room->n_nodes; v++)
		if (r->room[v] != room->part[v])
			return 0;
	return r->n == room->parts.n;
}

/* ... and are the exits its doors? */
static int
is_doors(const struct cscg_partition *r, const struct cscg_room *room)
{
	long i;

	if (r->n_exits != room->n_frontiers)
		return 0;
	for (i = 0; i < r->n_exits; i++)
		if (r->exit[i].from != room->frontier[i].state ||
		    r->exit[i].a != room->frontier[i].a ||
		    r->exit[i].to !=
			cscg_room_successor(room, r->exit[i].a,
			    r->exit[i].from))
			return 0;
	return 1;
}

/* ---- weights and eigenvectors ---- */

/*
 * Action 0 leads 0 -> 1 and 1 -> 2, where it stays; action 1 leads 0 -> 1, 1 ->
 * 0 by one half and 1 -> 2 by the other, and 2 -> 0.
 */
static void
test_web(void)
{
	struct cscg_room *room = need(cscg_room_new(4, 2, 1, &err));
	const struct cscg_edge e[] = { { 0, 0, 1, 1 }, { 0, 1, 2, 1 },
		{ 0, 2, 2, 1 }, { 0, 3, 3, 1 }, { 1, 0, 1, 1 },
		{ 1, 1, 0, .5 }, { 1, 1, 2, .5 }, { 1, 2, 0, 1 },
		{ 1, 3, 3, 1 } };
	const int some[] = { 0, 2, 3 };
	int place[] = { -1, -1, -1, -1 }, piece[4];
	struct cscg_graph *g;
	struct cscg_wgraph *w, *part;

	need(cscg_room_set_edges(room, e, 9, &err) < 0 ? NULL : room);
	g = need(cscg_graph_of_room(room, 0, &err));
	w = need(cscg_wgraph_of_graph(g, &err));
	ok(w->n == 4 && w->first[1] == 2 && w->first[2] == 4 &&
		w->first[3] == 6 && w->first[4] == 6,
	    "weighted graph: neighbours of each node");
	ok(w->to[0] == 1 && w->w[0] == 2.5 && w->to[1] == 2 && w->w[1] == 1 &&
		w->to[2] == 0 && w->w[2] == 2.5 && w->to[3] == 2 &&
		w->w[3] == 1.5 && w->w[4] == 1 && w->w[5] == 1.5,
	    "weights are sums of probabilities in both directions");
	ok(w->degree[0] == 3.5 && w->degree[1] == 4 && w->degree[2] == 2.5 &&
		w->degree[3] == 0,
	    "self-transitions have no weight");
	ok(cscg_connected_components(w->n, w->first, w->to, NULL, piece,
	       &err) == 2 &&
		piece[2] == 0 && piece[3] == 1,
	    "connected components");
	ok(cscg_connected_components(w->n, w->first, w->to, "\0\1\0\0", piece,
	       &err) == 3 &&
		piece[1] == 1 && piece[2] == 0 && piece[3] == 2,
	    "connected components within each side");
	part = need(cscg_wgraph_subgraph(w, some, 3, place, &err));
	ok(part->n == 3 && part->first[3] == 2 && part->to[0] == 1 &&
		part->to[1] == 0 && part->w[0] == 1 && part->degree[0] == 1 &&
		part->degree[2] == 0 && place[0] == -1 && place[2] == -1,
	    "induced subgraph");
	cscg_wgraph_free(part);
	cscg_wgraph_free(w);
	cscg_graph_free(g);
	cscg_room_free(room);
}

static struct cscg_wgraph *
web_of(const struct cscg_room *room)
{
	struct cscg_graph *g = need(cscg_graph_of_room(room, 0, &err));
	struct cscg_wgraph *w = need(cscg_wgraph_of_graph(g, &err));

	cscg_graph_free(g);
	return w;
}

/* The largest of |L v - lambda v| / lambda, |v.v - 1| and |v.u|, k vectors. */
static double
residual(const struct cscg_wgraph *w, int k, const double *v,
    const double *lambda)
{
	double worst = 0, r, dot;
	int i, j, a;
	long e;

	for (i = 0; i < k; i++) {
		const double *x = v + (size_t)i * (size_t)w->n;

		for (a = 0, r = 0; a < w->n; a++) {
			double y = (1 - lambda[i]) * x[a];

			for (e = w->first[a]; e < w->first[a + 1]; e++)
				y -= w->w[e] * x[w->to[e]] /
				    sqrt(w->degree[a] * w->degree[w->to[e]]);
			r += y * y;
		}
		worst = fmax(worst, sqrt(r) / lambda[i]);
		for (j = 0; j <= i; j++) {
			for (a = 0, dot = 0; a < w->n; a++)
				dot += x[a] *
				    v[(size_t)j * (size_t)w->n + (size_t)a];
			worst = fmax(worst, fabs(dot - (i == j)));
		}
	}
	return worst;
}

/*
 * A path of n nodes has the eigenvalues 1 - cos(pi k / (n - 1)), a ring those
 * of 1 - cos(2 pi k / n), each twice but the first.
 */
static void
test_spectral(void)
{
	struct cscg_room *path = rectangle(1, 40);
	struct cscg_room *torus = shape_room(CSCG_TORUS, 3, 30);
	struct cscg_room *hall = rectangle(20, 30);
	struct cscg_wgraph *w = web_of(path);
	double v[2 * 600], l[2], again[2 * 600], m[2];

	need(cscg_spectral_vectors(w, 2, v, l, &err) < 0 ? NULL : w);
	ok(near(l[0], 1 - cos(M_PI / 39), 1e-9) &&
		near(l[1], 1 - cos(2 * M_PI / 39), 1e-9) &&
		residual(w, 2, v, l) < 1e-5,
	    "spectral: eigenvalues of a path");
	cscg_spectral_vectors(w, 2, again, m, &err);
	ok(!memcmp(v, again, 80 * sizeof *v) && !memcmp(l, m, sizeof l),
	    "spectral: the same result again, bit by bit");
	cscg_wgraph_free(w);
	w = web_of(torus);
	need(cscg_spectral_vectors(w, 2, v, l, &err) < 0 ? NULL : w);
	/*
	 * Both directions of the torus have equal weight: L is the mean of
	 * both.
	 */
	ok(near(l[0], (1 - cos(2 * M_PI / 30)) / 2, 1e-9) &&
		near(l[1], l[0], 1e-9) && residual(w, 2, v, l) < 1e-5,
	    "spectral: a torus has a double eigenvalue");
	cscg_wgraph_free(w);
	w = web_of(hall);
	need(cscg_spectral_vectors(w, 2, v, l, &err) < 0 ? NULL : w);
	ok(l[0] < l[1] && residual(w, 2, v, l) < 1e-5, "spectral: 600 nodes");
	cscg_wgraph_free(w);
	cscg_room_free(path);
	path = rectangle(1, 2);
	w = web_of(path);
	/* I - [0 1; 1 0] has the eigenvalues 0 and 2. */
	ok(cscg_spectral_vectors(w, 1, v, l, &err) == 0 &&
		near(l[0], 2, 1e-12) && near(fabs(v[0]), sqrt(.5), 1e-12),
	    "spectral: two nodes");
	cscg_wgraph_free(w);
	cscg_room_free(path);
	cscg_room_free(torus);
	cscg_room_free(hall);
}

/* ---- cuts ---- */

static double
conductance(const struct cscg_wgraph *w, const char *side)
{
	double in = 0, all = 0, cut = 0;
	long i;
	int v;

	for (v = 0; v < w->n; v++) {
		all += w->degree[v];
		in += side[v] ? w->degree[v] : 0;
		for (i = w->first[v]; i < w->first[v + 1]; i++)
			cut += side[v] && !side[w->to[i]] ? w->w[i] : 0;
	}
	return cut / (in < all - in ? in : all - in);
}

/*
 * The lowest conductance of all cuts with at least this many nodes on each
 * side.
 */
static double
least_of_all(const struct cscg_wgraph *w, int least)
{
	double best = INFINITY;
	char side[32] = { 0 };
	long mask;
	int v, n;

	for (mask = 1; mask < 1L << (w->n - 1); mask++) {
		for (v = 0, n = 0; v < w->n; v++) {
			side[v] = (char)(mask >> v & 1);
			n += side[v];
		}
		if (n >= least && w->n - n >= least)
			best = fmin(best, conductance(w, side));
	}
	return best;
}

static void
test_cuts(void)
{
	static const char *const maps[] = { "###.###/###.###/#######",
		"##..##/##..##/######", "###..../####.../...####/....###",
		"#######/#.....#/#.....#/#######", "####/####/####/####" };
	struct cscg_partition_options any = { 1, 1e6, 4 };
	int i, piece[32];
	char side[32];
	double ratio;

	for (i = 0; i < (int)(sizeof maps / sizeof *maps); i++) {
		struct cscg_room *room = rows_room(maps[i]);
		struct cscg_wgraph *w = web_of(room);
		double best = least_of_all(w, 4);

		ok(cscg_partition_cut(w, &any, side, piece, &ratio, &err) ==
			    1 &&
			near(conductance(w, side), best, 1e-12),
		    "%s: the cut has the least conductance of all, %g",
		    maps[i], best);
		any.max_conductance = best;
		ok(cscg_partition_cut(w, &any, side, piece, &ratio, &err) == 0,
		    "a cut at the threshold is refused");
		any.max_conductance = 1;
		cscg_wgraph_free(w);
		cscg_room_free(room);
	}
}

/* ---- rooms whose parts are known ---- */

/*
 * 4 x 5 cells have 31 pairs of neighbours, and a pair weighs 2: the volume of
 * a side is 2 * 2 * 31 and the door's 2, the conductance of the door 2 / 126.
 */
static void
test_two(void)
{
	struct cscg_room *room = two_take(rectangle(4, 5), rectangle(4, 5),
	    false);
	struct cscg_partition_options set = usual;
	struct cscg_partition *r = rooms_of(room, &usual);
	int v, good = 1;

	ok(is_parts(r, room) && is_doors(r, room),
	    "two rooms and a door are found");
	ok(r->size[0] == 20 && r->class_of[1] == 0,
	    "the two rooms are of one kind");
	for (v = 0; v < 40; v++)
		good &= r->same_node[v] == v % 20;
	ok(good, "equal rooms are mapped node by node");
	cscg_partition_free(r);
	set.max_conductance = 2. / 126;
	r = rooms_of(room, &set);
	ok(r->n == 1 && !r->n_exits,
	    "a cut at the threshold of conductance is refused");
	cscg_partition_free(r);
	set.max_conductance = 2.01 / 126;
	r = rooms_of(room, &set);
	ok(r->n == 2, "a cut below the threshold is accepted");
	cscg_partition_free(r);
	set.max_cut_ratio = 2 / sqrt(126);
	r = rooms_of(room, &set);
	ok(r->n == 1, "a cut too wide for the root of the volume is refused");
	cscg_partition_free(r);
	set = usual;
	set.min_size = 21;
	r = rooms_of(room, &set);
	ok(r->n == 1, "a cut that leaves too few states is refused");
	cscg_partition_free(r);
	set.min_size = 20;
	r = rooms_of(room, &set);
	ok(r->n == 2, "a cut that leaves just enough states is accepted");
	cscg_partition_free(r);
	set.max_conductance = 0;
	r = rooms_of(room, &set);
	ok(r->n == 1, "with a conductance of 0 there is one room");
	cscg_partition_free(r);
	set = (struct cscg_partition_options){ 1, 1e6, 1 };
	r = rooms_of(room, &set);
	ok(r->n > 2 && r->n <= 40,
	    "with a conductance of 1 there are many rooms");
	cscg_partition_free(r);
	cscg_room_free(room);
}

static void
test_one(void)
{
	static const struct {
		enum cscg_shape_kind kind;
		int rows, cols;
	} one[] = { { CSCG_RECTANGLE, 8, 9 }, { CSCG_RECTANGLE, 3, 30 },
		{ CSCG_RECTANGLE, 40, 50 }, { CSCG_HOLE, 9, 9 },
		{ CSCG_USHAPE, 10, 9 }, { CSCG_USHAPE, 13, 9 },
		{ CSCG_CYLINDER, 8, 9 }, { CSCG_TORUS, 9, 10 },
		{ CSCG_TORUS, 30, 30 } };
	int i;

	for (i = 0; i < (int)(sizeof one / sizeof *one); i++) {
		struct cscg_room *room = shape_room(one[i].kind, one[i].rows,
		    one[i].cols);
		struct cscg_partition *r = rooms_of(room, &usual);

		ok(r->n == 1 && r->class_of[0] == 0 && !r->n_exits,
		    "one room, kind %d, %d x %d, is not cut", one[i].kind,
		    one[i].rows, one[i].cols);
		cscg_partition_free(r);
		cscg_room_free(room);
	}
}

/* Rooms in a row, in a square and around a hall, and doors of both kinds. */
static void
test_many(void)
{
	struct cscg_compose_plan plan = { .rows = 1, .cols = 4 };
	struct cscg_room *room, *v[9];
	struct cscg_partition *r;
	int i, way;

	for (way = 0; way < 4; way++) {
		plan.rows = way & 1 ? 2 : 1;
		plan.cols = way & 1 ? 2 : 4;
		for (i = 0; i < 4; i++)
			v[i] = rectangle(5, i % 2 ? 5 : 6);
		room = joined_take(v, 4, &plan, way & 2);
		r = rooms_of(room, &usual);
		ok(is_parts(r, room) && is_doors(r, room) &&
			r->n_exits == (way & 1 ? 8 : 6) / (way & 2 ? 2 : 1),
		    "four rooms, %d x %d, %s", plan.rows, plan.cols,
		    way & 2 ? "one-way" : "two-way");
		ok(r->class_of[0] == 0 && r->class_of[1] == 1 &&
			r->class_of[2] == 0 && r->class_of[3] == 1,
		    "rooms 0 and 2, 1 and 3 are of one kind");
		cscg_partition_free(r);
		cscg_room_free(room);
	}
	plan = (struct cscg_compose_plan){ .rows = 3, .cols = 3 };
	for (i = 0; i < 9; i++)
		v[i] = rectangle(6, 6);
	room = joined_take(v, 9, &plan, false);
	r = rooms_of(room, &usual);
	ok(is_parts(r, room) && is_doors(r, room) && r->class_of[8] == 0,
	    "nine equal adjacent rooms are found");
	cscg_partition_free(r);
	cscg_room_free(room);
}

/*
 * Doors at random positions, rooms of random size; rooms of the same size are
 * isomorphic.
 */
static void
test_random(void)
{
	int seed, i, j, good = 0, classes = 0, sizes[4][2];
	struct cscg_compose_plan plan = { 0 };
	struct cscg_room *v[4], *room;
	struct cscg_rng rng;
	struct cscg_partition *r;

	for (seed = 0; seed < 20; seed++) {
		cscg_rng_seed(&rng, (uint64_t)seed, CSCG_RNG_TEST, 0, 0);
		for (i = 0; i < 4; i++) {
			sizes[i][0] = 5 + (int)cscg_rng_below(&rng, 2);
			sizes[i][1] = 5 + (int)cscg_rng_below(&rng, 3);
			v[i] = rectangle(sizes[i][0], sizes[i][1]);
		}
		plan.rows = seed % 2 ? 2 : 1;
		plan.cols = 4 / plan.rows;
		plan.rng = &rng;
		room = joined_take(v, 4, &plan, false);
		r = rooms_of(room, &usual);
		good += is_parts(r, room) && is_doors(r, room);
		for (i = 0; i < 4 && r->n == 4; i++) {
			for (j = 0; memcmp(sizes[i], sizes[j], sizeof *sizes);
			     j++)
				;
			classes += r->class_of[i] == j;
		}
		cscg_partition_free(r);
		cscg_room_free(room);
	}
	ok(good == 20 && classes == 80,
	    "random worlds: %d of 20 exact, %d of 80 rooms of the right kind",
	    good, classes);
}

static void
test_odd(void)
{
	struct cscg_room *room = rectangle(1, 1);
	struct cscg_partition *r = rooms_of(room, &usual);
	const int obs[6] = { 0 }, apart[] = { 0, 1, 2, 4, 3, 5 };
	struct cscg_partition_options all = { 1, 1e6, 1 }, none = { 0, 0, 1 };

	ok(r->n == 1 && r->size[0] == 1 && r->same_node[0] == 0 && !r->n_exits,
	    "a single state is a room");
	cscg_partition_free(r);
	cscg_room_free(room);
	room = hand_room(6, 1, 1, obs, apart);
	r = rooms_of(room, &usual);
	ok(r->n == 5 && r->room[3] == 3 && r->room[4] == 3 &&
		r->room[5] == 4 && r->size[3] == 2,
	    "components without a connection are rooms, however small");
	ok(r->class_of[1] == 0 && r->class_of[2] == 0 && r->class_of[3] == 3 &&
		r->class_of[4] == 0,
	    "unconnected rooms may be of one kind");
	cscg_partition_free(r);
	cscg_room_free(room);
	room = rectangle(3, 4);
	r = rooms_of(room, &none);
	ok(r->n == 1, "without a cut below the threshold there is one room");
	cscg_partition_free(r);
	r = rooms_of(room, &all);
	ok(r->n > 1, "with all cuts accepted there are many rooms");
	cscg_partition_free(r);
	cscg_room_free(room);
}

/* ---- isomorphic rooms ---- */

static int
equal(struct cscg_room *a, struct cscg_room *b)
{
	struct cscg_room *room = two_take(a, b, false);
	struct cscg_partition *r = rooms_of(room, &usual);
	int good = is_parts(r, room) ? r->class_of[1] == 0 : -1;

	cscg_partition_free(r);
	cscg_room_free(room);
	return good;
}

static void
test_equal(void)
{
	ok(equal(rectangle(4, 6), rectangle(6, 4)) == 0,
	    "a rotated room is of another kind");
	ok(equal(rectangle(4, 6), rectangle(3, 8)) == 0,
	    "a room of as many cells is of another kind");
	ok(equal(rows_room("######/######/######/####.."),
	       rows_room("######/######/######/..####")) == 0,
	    "a mirrored room is of another kind");
	ok(equal(rows_room("######/######/######/####.."),
	       rows_room("######/######/######/####..")) == 1,
	    "an equal room is of the same kind");
	ok(equal(shape_room(CSCG_CYLINDER, 6, 6), rectangle(6, 6)) == 0,
	    "a cylinder is of another kind than a rectangle");
}

/*
 * Rooms of 4 x 3 and 3 x 4 cells with a heading each: a turn of the agent maps
 * one to the other, so that they are isomorphic.  East of the last cell of row
 * 1 of the first room is the upper left cell of the second.
 */
static void
test_headings(void)
{
	enum { OUT = 4 * (1 * 3 + 2), IN = 48 };
	const int dr[] = { -1, 0, 1, 0 }, dc[] = { 0, 1, 0, -1 };
	struct cscg_room *room = need(cscg_room_new(96, 3, 1, &err));
	struct cscg_edge e[96 * 3];
	struct cscg_partition *r;
	int n = 0, v, good = 1;

	for (v = 0; v < 96; v++) {
		int base = v < 48 ? 0 : 48, h = v % 4, to = v;
		int rows = v < 48 ? 4 : 3, cols = 12 / rows;
		int row = (v - base) / 4 / cols + dr[h];
		int col = (v - base) / 4 % cols + dc[h];

		if (row >= 0 && col >= 0 && row < rows && col < cols)
			to = base + 4 * (row * cols + col) + h;
		if (v == OUT + 1)
			to = IN + 1;
		if (v == IN + 3)
			to = OUT + 3;
		e[n++] = (struct cscg_edge){ 0, v, to, 1 };
		e[n++] = (struct cscg_edge){ 1, v, v - h + (h + 3) % 4, 1 };
		e[n++] = (struct cscg_edge){ 2, v, v - h + (h + 1) % 4, 1 };
	}
	need(cscg_room_set_edges(room, e, n, &err) < 0 ? NULL : room);
	r = rooms_of(room, &usual);
	for (v = 0; v < 96; v++)
		good &= r->room[v] == v / 48;
	ok(r->n == 2 && good && r->n_exits == 2 &&
		r->exit[0].from == OUT + 1 && r->exit[1].to == OUT + 3,
	    "an agent with headings: two rooms are found");
	ok(r->class_of[1] == 0,
	    "a rotated room is of one kind for an agent with headings");
	/* North of a room on its side is east or west. */
	ok(r->same_node[IN + 0] % 4 == 1 || r->same_node[IN + 0] % 4 == 3,
	    "states are mapped with rotated headings");
	cscg_partition_free(r);
	cscg_room_free(room);
}

/* ---- models ---- */

/* The exact model of a room, states in the order of its nodes. */
static struct cscg_model *
model_of(struct cscg_room *room)
{
	cscg_room_label_unique(room);
	return need(cscg_room_model(room, 100, 1e-4, NULL, &err));
}

/*
 *	 0  1  2  3  4 .20 21 22 23 24		doors: 14 right to 30,
 *	 5  6  7  8  9 .25 26 27 28 29		30 left to 14 if it leads back
 *	10 11 12 13 14-.30 31 32 33 34
 *	15 16 17 18 19 .35 36 37 38 39
 */
static void
test_models(void)
{
	struct cscg_room *room = two_take(rectangle(4, 5), rectangle(4, 5),
	    false);
	struct cscg_model *m = model_of(room), *one;
	const struct cscg_frontier own = { 39, DOWN };
	struct cscg_partition *r;

	need(cscg_model_set_frontiers(m, &own, 1, &err) < 0 ? NULL : m);
	r = rooms_of_model(m);
	one = need(cscg_partition_room_model(m, r, 1, &err));
	ok(cscg_model_check(one, &err) == 0 && one->n_states == 20 &&
		one->kind == CSCG_GROUNDED && one->clone[0] == 20,
	    "a room as a model keeps its emissions");
	ok(one->n_frontiers == 2 && one->frontier[0].state == 10 &&
		one->frontier[0].a == LEFT && one->frontier[1].state == 19 &&
		one->frontier[1].a == DOWN && !one->n_entries,
	    "exits become frontiers, existing frontiers are kept");
	ok(cscg_model_row_sum(one, LEFT, 10) == 100 &&
		cscg_model_T(one, LEFT, 10, 10) > .99,
	    "an exit becomes a self-transition");
	ok(cscg_model_T(one, RIGHT, 10, 11) > .99,
	    "other transitions are kept");
	cscg_model_free(one);
	one = need(cscg_partition_class_model(m, r, 0, &err));
	ok(cscg_model_check(one, &err) == 0 && one->n_states == 20 &&
		one->kind == CSCG_SCHEMA,
	    "equal rooms become one schema");
	ok(cscg_model_row_sum(one, LEFT, 10) == 200 &&
		cscg_model_row_sum(one, UP, 7) == 200,
	    "counts of equal rooms are added");
	ok(one->first[4 * 20] == 80,
	    "a door between equal rooms is no transition of the schema");
	ok(one->n_frontiers == 3 && one->frontier[0].state == 10 &&
		one->frontier[1].state == 14 && one->frontier[1].a == RIGHT &&
		one->frontier[2].state == 19 && !one->n_entries,
	    "frontiers of equal rooms are joined");
	cscg_model_free(one);
	cscg_partition_free(r);
	cscg_model_free(m);
	cscg_room_free(room);
}

static void
test_one_way(void)
{
	struct cscg_room *room = two_take(rectangle(4, 5), rectangle(4, 5),
	    true);
	struct cscg_model *m = model_of(room), *one;
	struct cscg_partition *r = rooms_of_model(m);

	ok(r->n == 2 && r->n_exits == 1 && r->class_of[1] == 0,
	    "rooms joined by a one-way door are of one kind");
	one = need(cscg_partition_room_model(m, r, 0, &err));
	/* An empty list of entries means the states with frontiers. */
	ok(one->n_frontiers == 1 && one->frontier[0].state == 14 &&
		!one->n_entries,
	    "a room with an exit only has a frontier");
	cscg_model_free(one);
	one = need(cscg_partition_room_model(m, r, 1, &err));
	ok(!one->n_frontiers && one->n_entries == 1 && one->entry[0] == 10,
	    "a room with an entry only has an entry state");
	cscg_model_free(one);
	one = need(cscg_partition_class_model(m, r, 0, &err));
	ok(one->n_frontiers == 1 && one->frontier[0].state == 14 &&
		one->n_entries == 1 && one->entry[0] == 10,
	    "the schema of both has a frontier and an entry");
	cscg_model_free(one);
	cscg_partition_free(r);
	need(cscg_frontier_bottleneck(m, &usual, 0.05, &err) < 0 ? NULL : m);
	ok(m->n_frontiers == 1 && m->frontier[0].state == 14 &&
		m->frontier[0].a == RIGHT && m->n_entries == 1 &&
		m->entry[0] == 30,
	    "bottlenecks: the door is a frontier, its target an entry");
	cscg_model_free(m);
	cscg_room_free(room);
	room = two_take(rectangle(4, 5), rectangle(4, 5), false);
	m = model_of(room);
	need(cscg_frontier_bottleneck(m, &usual, 0.05, &err) < 0 ? NULL : m);
	ok(m->n_frontiers == 2 && m->frontier[0].state == 14 &&
		m->frontier[1].state == 30 && !m->n_entries,
	    "a two-way door has two frontiers and no entries");
	cscg_model_free(m);
	cscg_room_free(room);
	room = rectangle(8, 9);
	m = model_of(room);
	m->frontier = NULL;
	need(cscg_frontier_bottleneck(m, &usual, 0.05, &err) < 0 ? NULL : m);
	ok(!m->n_frontiers && !m->n_entries, "one room has no frontiers");
	cscg_model_free(m);
	cscg_room_free(room);
}

/*
 * State 7 of one room also stands for 27 of the other: its transitions lead to
 * both with probability one half, and those to 27 lead to it.  State 27 does
 * not exist.
 */
static void
test_doubt(void)
{
	struct cscg_room *room = two_take(rectangle(4, 5), rectangle(4, 5),
	    false);
	struct cscg_model *exact = model_of(room), *m;
	struct cscg_partition *r;
	int into[40], v, good = 1;

	for (v = 0; v < 40; v++)
		into[v] = v == 27 ? 7 : v - (v > 27);
	cscg_model_unground(exact, CSCG_SCHEMA);
	m = need(cscg_model_merge_states(exact, into, 39, &err));
	r = rooms_of_model(m);
	for (v = 0; v < 39; v++)
		good &= v == 7 || r->room[v] == v / 20;
	ok(r->n == 2 && good, "a state of two nodes does not join rooms");
	for (v = 0; v < 39; v++)
		good &= r->is_ambiguous[v] == (v == 7);
	ok(good, "only this state is ambiguous");
	ok(r->n_exits == 2 && r->exit[0].from == 14 && r->exit[1].from == 29,
	    "an ambiguous state has no doors");
	ok(r->class_of[1] == 1,
	    "rooms with an ambiguous state are of different kinds");
	cscg_partition_free(r);
	cscg_model_free(m);
	cscg_model_free(exact);
	/*
	 * A third of all actions fail: all states are ambiguous, so none is
	 * treated as such.
	 */
	need(cscg_room_slip(room, .33, &err) < 0 ? NULL : room);
	r = rooms_of(room, &usual);
	for (v = 0, good = 1; v < 40; v++)
		good &= !r->is_ambiguous[v];
	ok(is_parts(r, room) && good && r->class_of[1] == 0,
	    "rooms of a stochastic world are found");
	cscg_partition_free(r);
	cscg_room_free(room);
}

/* ---- libraries ---- */

/* Give a model's actions other numbers: its action a becomes as[a]. */
static void
renumber(struct cscg_model *m, const int *as, const char *const *names)
{
	long n = m->first[(long)m->n_actions * m->n_states], row, i;
	struct cscg_count *c = need(calloc((size_t)n, sizeof *c));

	for (row = 0; row < (long)m->n_actions * m->n_states; row++)
		for (i = m->first[row]; i < m->first[row + 1]; i++)
			c[i] = (struct cscg_count){ as[row / m->n_states],
				(int)(row % m->n_states), m->to[i],
				m->count[i] };
	need(cscg_model_set_counts(m, c, n, &err) < 0 ? NULL : m);
	m->n_frontiers = 0; /* they have the old numbers */
	cscg_names_free(&m->actions);
	need(cscg_names_set(&m->actions, names, &err) < 0 ? NULL : m);
	free(c);
}

static void
test_library(void)
{
	static const char *const turned[] = { "right", "left", "down", "up",
		NULL };
	static const char *const other[] = { "n", "s", "w", "e", NULL };
	const int as[] = { 3, 2, 1, 0 };
	struct cscg_room *a = two_take(rectangle(4, 5), rectangle(5, 5),
	    false);
	struct cscg_room *b = two_take(rectangle(5, 5), rectangle(4, 6),
	    false);
	struct cscg_model *m[] = { model_of(a), model_of(b) };
	const struct cscg_model *const *worlds =
	    (const struct cscg_model *const *)m;
	struct cscg_discovery lib;
	int which = 7;

	renumber(m[1], as, turned);
	need(cscg_discover(worlds, 2, &usual, 0.05, &lib, &which, &err) < 0 ?
		NULL :
		m);
	ok(lib.n == 3 && lib.m[0]->n_states == 20 &&
		lib.m[1]->n_states == 25 && lib.m[2]->n_states == 24 &&
		which == -1,
	    "library: the rooms of two worlds, equal ones once");
	ok(lib.world[0] == 0 && lib.world[1] == 0 && lib.world[2] == 1 &&
		lib.n_found[0] == 1 && lib.n_found[1] == 0 &&
		lib.n_found[2] == 1 && lib.n_found[3] == 1 &&
		lib.n_found[4] == 0 && lib.n_found[5] == 1,
	    "library: the world and the number of occurrences of each schema");
	/* Middle rows: 4 and 5 face in row 2, 5 and 4 in row 2. */
	ok(lib.m[1]->n_frontiers == 2 && lib.m[1]->frontier[0].state == 10 &&
		lib.m[1]->frontier[0].a == LEFT &&
		lib.m[1]->frontier[1].state == 14 &&
		lib.m[1]->frontier[1].a == RIGHT &&
		cscg_model_row_sum(lib.m[1], UP, 12) == 200,
	    "a schema has the frontiers and counts of both worlds, actions by "
	    "name");
	ok(cscg_model_check(lib.m[1], &err) == 0 && lib.m[1]->actions.n == 4 &&
		!strcmp(lib.m[1]->actions.v[0], "up"),
	    "actions have the names of the first world");
	cscg_discovery_free(&lib);
	cscg_names_free(&m[1]->actions);
	need(cscg_names_set(&m[1]->actions, other, &err) < 0 ? NULL : m);
	ok(cscg_discover(worlds, 2, &usual, 0.05, &lib, &which, &err) < 0 &&
		which == 1 && err.code == CSCG_EMISMATCH,
	    "other actions are refused: %s", err.msg);
	cscg_discovery_free(&lib);
	cscg_model_free(m[0]);
	cscg_model_free(m[1]);
	cscg_room_free(a);
	cscg_room_free(b);
}

int
main(void)
{
	test_web();
	test_spectral();
	test_cuts();
	test_two();
	test_one();
	test_many();
	test_random();
	test_odd();
	test_equal();
	test_headings();
	test_models();
	test_one_way();
	test_doubt();
	test_library();
	return done();
}
