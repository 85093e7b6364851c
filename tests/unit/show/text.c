/*
 * text.c - summaries of rooms, models, walks and codebooks, word by word; and each
 * byte of what is written fails once
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/codebook.h"
#include "core/frames.h"
#include "core/learned.h"
#include "core/model_io.h"
#include "core/walk_io.h"
#include "core/walk_table.h"
#include "file_text.h"
#include "io/csv.h"
#include "need.h"
#include "plan/plan.h"
#include "schema/partition.h"
#include "schema/stitch.h"
#include "show/dot.h"
#include "show/export.h"
#include "show/html.h"
#include "show/svg.h"
#include "show/text.h"
#include "tap.h"
#include "world/room_io.h"

static char path[] = "/tmp/cscg-text.XXXXXX", *text;
static struct cscg_room *room;
static struct cscg_model *model;
static struct cscg_walk *walk;
static struct cscg_codebook *book;

static const char *
written(int (*write)(struct cscg_out *out))
{
	struct cscg_out *out = need(cscg_out_open(path, 0, &err));

	need(write(out) < 0 || cscg_out_close(out, &err) < 0 ? NULL : out);
	text = file_text(path);
	return text;
}

static void
name(struct cscg_names *names, const char *const *v)
{
	need(cscg_names_set(names, v, &err) < 0 ? NULL : names);
}

/* ---- rooms ---- */

static int
write_room(struct cscg_out *out)
{
	return cscg_text_write_room(room, out, &err);
}

/*
 * Three nodes in a row.  "stay" stays; "go" leads from 0 to 1, from 1 to 0 or 2,
 * and nowhere from 2: node 2 cannot be left.
 */
static struct cscg_room *
new_room(void)
{
	static const struct cscg_edge e[] = { { 0, 0, 0, 1 }, { 0, 1, 1, 1 },
		{ 0, 2, 2, 1 }, { 1, 0, 1, 1 }, { 1, 1, 0, .5 },
		{ 1, 1, 2, .5 } };
	static const char *const actions[] = { "stay", "go", NULL };
	struct cscg_room *r = need(cscg_room_new(3, 2, 2, &err));
	int v;

	need(cscg_room_set_edges(r, e, 6, &err) < 0 ? NULL : r);
	name(&r->actions, actions);
	r->obs[1] = r->obs[2] = 1;
	r->coords = need(calloc(6, sizeof *r->coords));
	for (v = 0; v < 3; v++)
		r->coords[2 * v + 1] = v;
	return r;
}

#define ROOM_BODY \
	"  nodes        by symbol: 1 has 1, 1 has 2\n" \
	"  edges        6, 3 self-transitions; 1 row with several " \
	"successors; 1 row without edges\n" \
	"  components   1, or 2 of nodes that can reach each other (the " \
	"largest 2)\n"

static void
rooms(void)
{
	static const char *const letters[] = { "a", "b", NULL };
	static const char *const parts[] = { "one", "two", NULL };
	static const struct cscg_edge one[] = { { 0, 0, 0, 1 } };
	static const char *const args[][2] = { { "size", "3x1" } };

	room = new_room();
	same_text(written(write_room),
	    "room: 3 nodes, 2 actions, 2 symbols\n"
	    "  actions      stay go\n" ROOM_BODY,
	    "a room");
	room->rows = 1;
	room->cols = 3;
	room->name = need(strdup("hall"));
	name(&room->symbols, letters);
	room->part = need(calloc(3, sizeof *room->part));
	room->part[1] = 1;
	room->part[2] = -1;
	name(&room->parts, parts);
	need(cscg_room_add_frontier(room, 2, 1, &err) < 0 ? NULL : room);
	need(cscg_history_add(&room->history, "roomgen", "2", args, 1, -1,
		 &err) < 0 ?
		NULL :
		room);
	same_text(written(write_room),
	    "room hall: 3 nodes, 2 actions, 2 symbols\n"
	    "  actions      stay go\n  symbols      a b\n" ROOM_BODY
	    "  grid         1 x 3\n"
	    "  parts        one (1), two (1), 1 in several\n"
	    "  frontiers    1\n"
	    "  made by      roomgen --size 3x1\n"
	    "  a b b\n",
	    "with all that it can have");
	room->wrap_cols = true;
	ok(strstr(written(write_room),
	       "  grid         1 x 3, the last column is next to the "
	       "first\n") &&
		strstr(text, "\n~ a b b ~\n"),
	    "columns that wrap");
	room->wrap_rows = true;
	ok(strstr(written(write_room),
	       "  grid         1 x 3, rows and columns wrap\n") != NULL,
	    "rows and columns that wrap");
	room->wrap_cols = false;
	ok(strstr(written(write_room),
	       "  grid         1 x 3, the last row is next to the first\n") &&
		strstr(text, "\n  ~ ~ ~\n  a b b\n  ~ ~ ~\n"),
	    "rows that wrap");
	cscg_room_free(room);

	room = need(cscg_room_new(1, 1, 1, &err));
	need(cscg_room_set_edges(room, one, 1, &err) < 0 ? NULL : room);
	same_text(written(write_room),
	    "room: 1 node, 1 action, 1 symbol\n"
	    "  nodes        by symbol: 1 has 1\n"
	    "  edges        1, 1 self-transition\n"
	    "  components   1: every node can be reached from every other\n",
	    "one of everything");
	cscg_room_free(room);
	room = NULL;
}

/* The names of 12 symbols are written, those of more are not. */
static void
many_names(void)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g",
		"h", "i", "j", "k", "l", "m", NULL };
	static const char *const twelve[] = { "a", "b", "c", "d", "e", "f",
		"g", "h", "i", "j", "k", "l", NULL };
	struct cscg_edge e[13];
	int v;

	room = need(cscg_room_new(13, 1, 13, &err));
	room->part = need(calloc(13, sizeof *room->part));
	for (v = 0; v < 13; v++) {
		e[v] = (struct cscg_edge){ 0, v, (v + 1) % 13, 1 };
		room->obs[v] = room->part[v] = v;
	}
	need(cscg_room_set_edges(room, e, 13, &err) < 0 ? NULL : room);
	name(&room->symbols, names);
	name(&room->parts, names);
	ok(strstr(written(write_room),
	       "  symbols      a b c d e f g h i j k l ...\n") &&
		strstr(text,
		    "  parts        a (1), b (1), c (1), d (1), e (1), f (1), "
		    "g (1), h (1), i (1), j (1), k (1), l (1), ...\n") &&
		strstr(text, "by symbol: 13 have 1\n"),
	    "thirteen names");
	room->part[12] = 0;
	room->obs[12] = 0;
	room->n_obs = 12;
	name(&room->symbols, twelve);
	name(&room->parts, twelve);
	ok(strstr(written(write_room), " j k l\n") &&
		strstr(text, " k (1), l (1)\n") &&
		strstr(text, "  parts        a (2), b (1)") &&
		strstr(text, "by symbol: 11 have 1, 1 has 2\n"),
	    "twelve names");
	cscg_room_free(room);
	room = NULL;
}

/* ---- models ---- */

static int
write_model(struct cscg_out *out)
{
	return cscg_text_write_model(model, out, &err);
}

/* Two states; T[0][1] is (1 + .5) / (3 + .5 * 2) etc. */
static struct cscg_model *
new_model(enum cscg_model_kind kind)
{
	static const struct cscg_count c[] = { { 0, 0, 1, 2.5 },
		{ 0, 1, 0, 1.5 } };
	struct cscg_model *m = need(cscg_model_new(kind, 2, 1, 2, &err));

	if (m->clone)
		m->clone[1] = 1;
	need(cscg_model_set_counts(m, c, 2, &err) < 0 ? NULL : m);
	return m;
}

static void
models(void)
{
	static const double E[] = { .25, .75, 0, 1 };
	struct cscg_frontier *door;

	model = new_model(CSCG_GROUNDED);
	same_text(written(write_model),
	    "model, grounded: 2 states, 1 action, 2 symbols, single "
	    "precision\n"
	    "  clones       by symbol: 2 have 1\n"
	    "  counts       4 in 2 entries, pseudocount 0\n"
	    "  edges        2 with T > 0.01, 0 self-transitions\n"
	    "  components   1: every state can be reached from every other\n",
	    "a grounded model");
	model->is_double = true;
	model->misread = .0125;
	model->fit_steps = 1;
	model->fit_nats = 1.5;
	model->pseudocount = .25;
	model->confidence = need(calloc(2, sizeof(double)));
	model->confidence[0] = .5;
	model->confidence[1] = .75;
	model->pi = need(calloc(2, sizeof(double)));
	model->pi[0] = 1;
	door = need(calloc(2, sizeof *door));
	door[1].state = 1;
	model->frontier = door;
	model->n_frontiers = 2;
	need(cscg_model_set_E(model, E, 2, &err) < 0 ? NULL : model);
	model->learned = need(cscg_learned_new(2, &err));
	model->learned->rows = 2;
	model->learned->supported = 1;
	model->learned->left_out = .5;
	model->learned->enough = true;
	same_text(written(write_model),
	    "model, grounded: 2 states, 1 action, 2 symbols, double "
	    "precision\n"
	    "  clones       by group: 2 have 1\n"
	    "  emissions    3 in 2 rows\n"
	    "  confidence   above 0.5 in 1 of 2 states\n"
	    "  misreading   0.0125 of the symbols\n"
	    "  frontiers    2\n"
	    "  fit          1.5 nats a step in 1 step\n"
	    "  counts       4 in 2 entries, pseudocount 0.25\n"
	    "  learned      stochastic, 1 of 2 rows supported, 0.5 nats a "
	    "step "
	    "with each transition left out\n"
	    "  edges        2 with T > 0.01, 0 self-transitions\n"
	    "  components   1: every state can be reached from every other\n"
	    "  start        by pi\n",
	    "with all that it can have");
	model->learned->deterministic = true;
	model->learned->enough = false;
	ok(strstr(written(write_model),
	       "  learned      deterministic, 1 of 2 rows supported, 0.5 nats "
	       "a "
	       "step with each transition left out\n"
	       "               half the walk does not give this graph\n") !=
		NULL,
	    "too short a walk");
	model->learned->doubtful = true;
	ok(strstr(written(write_model),
	       "left out\n               the map is likely wrong\n  edges") !=
		NULL,
	    "a map that is likely wrong");
	cscg_model_free(model);
	model = new_model(CSCG_CLONES);
	ok(!strncmp(written(write_model),
	       "model, schema with clone structure: 2 states, 1 action, 2 "
	       "groups, single precision\n  clones       by group: 2 have 1\n",
	       100),
	    "a schema with clone structure");
	cscg_model_free(model);
	model = new_model(CSCG_SCHEMA);
	ok(!strncmp(written(write_model),
	       "model, schema: 2 states, 1 action, single precision\n  counts",
	       58),
	    "a schema");
	cscg_model_free(model);
	model = NULL;
}

/* An edge counts from a probability above .01. */
static void
rare_edges(void)
{
	static const struct cscg_count c[] = { { 0, 0, 0, 1 }, { 0, 0, 1, 99 },
		{ 0, 1, 0, 2 }, { 0, 1, 1, 98 } };

	model = need(cscg_model_new(CSCG_SCHEMA, 2, 1, 1, &err));
	need(cscg_model_set_counts(model, c, 4, &err) < 0 ? NULL : model);
	ok(strstr(written(write_model),
	       "  edges        3 with T > 0.01, 1 self-transition; 1 row "
	       "with several successors\n") != NULL,
	    "edges of one and of two in a hundred");
	cscg_model_free(model);
	model = NULL;
}

/* ---- walks ---- */

static int
write_walk_text(struct cscg_out *out)
{
	struct cscg_walk_reader *r;
	static char file[] = "/tmp/cscg-text-walk.XXXXXX";
	static int fd = -1;
	struct cscg_out *to;
	int rc;

	if (fd < 0)
		fd = mkstemp(file);
	to = need(cscg_out_open(file, 0, &err));
	need(cscg_walk_write(walk, to, &err) < 0 ||
		    cscg_out_close(to, &err) < 0 ?
		NULL :
		to);
	r = need(cscg_walk_reader_open(file, &err));
	rc = cscg_text_write_walk(r, out, &err);
	cscg_walk_reader_close(r);
	unlink(file);
	return rc;
}

static void
add(int x, int a, int z, double r, bool reset)
{
	struct cscg_step s = { x, a, z, -1, r, reset, 0 };

	need(cscg_walk_add(walk, &s, &err) < 0 ? NULL : walk);
}

static void
walks(void)
{
	struct cscg_walk_header head = { .n_actions = 2, .n_obs = 9 };
	static const char *const go[] = { "left", "right", NULL };
	int x;

	walk = need(cscg_walk_new(&head, &err));
	add(0, -1, -1, NAN, false);
	same_text(written(write_walk_text),
	    "walk: 1 episode, 1 step, 2 actions, 9 symbols\n"
	    "  symbols      0 100.0 %\n",
	    "a step");
	cscg_walk_free(walk);

	/* Two episodes, of 8 and of 3 steps: 5.5 on average. */
	name(&head.actions, go);
	walk = need(cscg_walk_new(&head, &err));
	for (x = 0; x < 7; x++)
		add(x, x % 3 == 0, -1, NAN, false);
	add(8, -1, 4, 1.5, false);
	add(8, 0, -1, NAN, false);
	add(-1, 0, 4, .25, true);
	add(8, -1, 0, NAN, false);
	same_text(written(write_walk_text),
	    "walk: 2 episodes, 11 steps, 2 actions, 9 symbols\n"
	    "  episodes     3 to 8 steps, 5.5 on average\n"
	    "  symbols      8 30.0 %, 0 10.0 %, 1 10.0 %, 2 10.0 %, 3 10.0 %, "
	    "4 10.0 %, 2 more\n"
	    "  actions      left 66.7 %, right 33.3 %\n"
	    "  dropouts     1 (9.1 %)\n"
	    "  resets       1\n"
	    "  true nodes   known at 3 steps, 2 of them visited\n"
	    "  rewards      1.75 in all\n",
	    "a walk with all that it can have");
	cscg_walk_free(walk);
	cscg_names_free(&head.actions);

	walk = need(cscg_walk_new(&head, &err));
	add(3, 1, 2, NAN, false);
	add(2, -1, 2, NAN, false);
	add(2, 1, 0, NAN, false);
	add(1, 1, 1, NAN, false);
	add(0, -1, 2, NAN, false);
	same_text(written(write_walk_text),
	    "walk: 2 episodes, 5 steps, 2 actions, 9 symbols\n"
	    "  episodes     2 to 3 steps, 2.5 on average\n"
	    "  symbols      2 40.0 %, 0 20.0 %, 1 20.0 %, 3 20.0 %\n"
	    "  actions      1 100.0 %\n"
	    "  true nodes   known, 3 of them visited\n",
	    "a walk with all its nodes");
	cscg_walk_free(walk);
	walk = NULL;
}

/* ---- codebooks ---- */

static int
write_book(struct cscg_out *out)
{
	return cscg_text_write_codebook(book, out, &err);
}

static int
write_book_table(struct cscg_out *out)
{
	return cscg_text_write_codebook_table(book, false, out, &err);
}

static int
write_book_json(struct cscg_out *out)
{
	return cscg_text_write_codebook_table(book, true, out, &err);
}

static struct cscg_codebook *
new_book(int k)
{
	struct cscg_frames f = { .ndim = 1, .shape = { 2 }, .dim = 2 };

	return need(cscg_codebook_new(&f, k, &err));
}

static void
codebooks(void)
{
	static const double prior[] = { .125, .25, .125, .125, .0625, .1875,
		.125 };
	int k;

	book = new_book(1);
	book->prior[0] = 1;
	book->count[0] = 1;
	book->sigma2 = .5;
	book->inertia = 3;
	same_text(written(write_book),
	    "codebook, k-means: 1 centroid of 2 numbers\n"
	    "  numbers      2 in a frame\n"
	    "  sigma2       0.5, of each number about its centroid's\n"
	    "  fit          inertia 3 in 1 frame\n"
	    "  priors       0 100.0 %\n",
	    "a codebook of one");
	cscg_codebook_free(book);
	book = new_book(7);
	book->is_byte = book->is_mixture = true;
	for (k = 0; k < 7; k++) {
		book->prior[k] = prior[k];
		book->count[k] = k < 5 ? 16 * prior[k] : 0;
	}
	same_text(written(write_book),
	    "codebook, mixture: 7 centroids of 2 bytes\n"
	    "  numbers      2 in a frame\n"
	    "  sigma2       0, of each number about its centroid's\n"
	    "  fit          inertia 0 in 11 frames\n"
	    "  priors       1 25.0 %, 5 18.8 %, 0 12.5 %, 2 12.5 %, 3 12.5 %, "
	    "6 12.5 %, 1 more\n"
	    "  empty        2 centroids without frames\n",
	    "a mixture of seven");
	cscg_codebook_free(book);
	book = new_book(2);
	book->prior[0] = .25;
	book->prior[1] = .75;
	book->count[1] = 3;
	ok(strstr(written(write_book),
	       "  empty        1 centroid without frames\n") != NULL,
	    "an empty centroid");
	same_text(written(write_book_table),
	    "#symbol\tprior\tcount\n0\t0.25\t0\n1\t0.75\t3\n", "as a table");
	same_text(written(write_book_json),
	    "{\"symbol\":0,\"prior\":0.25,\"count\":0}\n"
	    "{\"symbol\":1,\"prior\":0.75,\"count\":3}\n",
	    "as JSON");
	cscg_codebook_free(book);
	book = NULL;
}

/* ---- a full disk ---- */

/* Bytes that the library collects before it writes: those that /dev/full takes. */
static long
block_size(void)
{
	struct cscg_out *out = need(cscg_out_open("/dev/full", 0, &err));
	long n = 0;

	while (cscg_out_write(out, "", 1, &err) == 0)
		n++;
	cscg_out_abort(out);
	return n;
}

/*
 * Where the disk is full after n bytes of this text, whichever n, the writer says
 * so.  All but n bytes of a block are written before, so that the writer ends the
 * block.
 */
static void
full(const char *what, int (*write)(struct cscg_out *out))
{
	static char pad[1 << 20];
	static long block;
	long length = (long)strlen(written(write)), n, step;
	struct cscg_out *out;
	int right = 1;

	block = block ? block : block_size();
	need(block < (long)sizeof pad && length < block ? pad : NULL);
	step = 1 + length / 2000;
	for (n = 0; n < length && right; n += step) {
		out = need(cscg_out_open("/dev/full", 0, &err));
		need(cscg_out_write(out, pad, (size_t)(block - n), &err) < 0 ?
			NULL :
			out);
		err.code = CSCG_OK;
		right = write(out) < 0 && err.code == CSCG_EIO;
		cscg_out_abort(out);
	}
	ok(right && length > 0, "%s: a full disk after %ld of %ld bytes", what,
	    n < length ? n : length, length);
}

static struct cscg_graph *graph;

static int
put_edges(struct cscg_out *out)
{
	return cscg_export_write_edges(graph, 9, false, out, &err);
}

static int
put_edges_json(struct cscg_out *out)
{
	return cscg_export_write_edges(graph, 9, true, out, &err);
}

static int
put_nodes(struct cscg_out *out)
{
	return cscg_export_write_nodes(graph, 9, false, out, &err);
}

static int
put_graphml(struct cscg_out *out)
{
	return cscg_export_write_graphml(graph, 9, out, &err);
}

static int
put_grid(struct cscg_out *out)
{
	return cscg_export_write_grid(room, out, &err);
}

static int
put_dot(struct cscg_out *out)
{
	return cscg_dot_write(graph, "title", out, &err);
}

static int
put_svg(struct cscg_out *out)
{
	return cscg_svg_write(graph, "title", out, &err);
}

static int
put_html(struct cscg_out *out)
{
	const struct cscg_html_page page = {
		.g = graph, .title = "title", .note = "note"
	};

	return cscg_html_write(&page, out, &err);
}

static int
put_pairs(struct cscg_out *out)
{
	static const struct cscg_col cols[] = { { "n", CSCG_COL_LONG, 0 },
		{ "s", CSCG_COL_STRING, 0 } };
	static const union cscg_cell cells[] = { { .l = 1 }, { .s = "a\tb" } };

	const struct cscg_table t = { out, CSCG_COLS(cols), false };

	return cscg_table_write_pairs(&t, false, cells, &err);
}

static int
put_table(struct cscg_out *out, enum cscg_multi_table_form form)
{
	static const struct cscg_col row[] = { { "step", CSCG_COL_LONG, 0 } },
				     item[] = { { "p", CSCG_COL_DOUBLE, 3 },
					     { "q", CSCG_COL_DOUBLE, 3 } };
	static const char *const names[] = { "a", "b\n" };
	static const union cscg_cell at[] = { { .l = 7 } },
				     of[] = { { .d = .5 }, { .d = NAN },
					     { .d = 1 }, { .d = INFINITY } };
	const struct cscg_multi_table t = { out, form, "schema", names, 2, row,
		item, 1, 2 };

	return cscg_multi_table_write_head(&t, &err) < 0 ?
	    -1 :
	    cscg_multi_table_write_row(&t, at, 1, of, &err);
}

static int
put_wide(struct cscg_out *out)
{
	return put_table(out, CSCG_MULTI_TABLE_WIDE);
}

static int
put_long(struct cscg_out *out)
{
	return put_table(out, CSCG_MULTI_TABLE_LONG);
}

static int
put_objects(struct cscg_out *out)
{
	return put_table(out, CSCG_MULTI_TABLE_JSON);
}

static int
put_walk(struct cscg_out *out)
{
	return cscg_walk_write(walk, out, &err);
}

static int
put_model(struct cscg_out *out)
{
	return cscg_model_write(model, out, &err);
}

static int
put_room(struct cscg_out *out)
{
	return cscg_room_write(room, out, &err);
}

static int
put_book(struct cscg_out *out)
{
	return cscg_codebook_write(book, out, &err);
}

static int
put_frontiers(struct cscg_out *out)
{
	return cscg_frontier_write_room(room, false, out, &err);
}

static int
put_csv(struct cscg_out *out)
{
	return cscg_walk_table_write_csv(walk, out, ',', false, &err);
}

static int
put_plan(struct cscg_out *out)
{
	int a[] = { 0, 0 }, z[] = { 0, 1, 0 };
	double p[] = { 1, .5, .25 };
	const struct cscg_plan plan = { 2, a, z, p, .25 };

	return cscg_plan_write(&plan, model, out, &err) < 0 ?
	    -1 :
	    cscg_plan_write_json(&plan, model, 1, out, &err);
}

static void
full_disk(void)
{
	struct cscg_walk_header head = { .n_actions = 2, .n_obs = 3 };

	room = new_room();
	room->rows = 1;
	room->cols = 3;
	room->wrap_rows = room->wrap_cols = true;
	need(cscg_room_add_frontier(room, 2, 1, &err) < 0 ? NULL : room);
	model = new_model(CSCG_GROUNDED);
	graph = need(cscg_graph_of_model(model, 0, &err));
	walk = need(cscg_walk_new(&head, &err));
	add(1, 1, 2, .5, false);
	add(2, 0, 1, NAN, true);
	add(0, -1, 0, NAN, false);
	book = new_book(2);
	book->prior[0] = book->prior[1] = .5;
	full("the summary of a room", write_room);
	full("the summary of a model", write_model);
	full("the summary of a walk", write_walk_text);
	full("the summary of a codebook", write_book);
	full("a codebook as a table", write_book_table);
	full("edges", put_edges);
	full("edges as JSON", put_edges_json);
	full("nodes", put_nodes);
	full("GraphML", put_graphml);
	full("a grid", put_grid);
	full("Graphviz", put_dot);
	full("SVG", put_svg);
	full("a page", put_html);
	full("pairs", put_pairs);
	full("a wide table", put_wide);
	full("a long table", put_long);
	full("a table as JSON", put_objects);
	same_text(written(put_objects),
	    "{\"step\":7,\"best\":\"b\\n\",\"p\":{\"a\":0.5,\"b\\n\":1},"
	    "\"q\":{\"a\":null,\"b\\n\":\"inf\"}}\n",
	    "an object");
	full("a walk", put_walk);
	full("a walk as CSV", put_csv);
	full("a model", put_model);
	full("a room", put_room);
	full("a codebook", put_book);
	full("frontiers", put_frontiers);
	full("a plan", put_plan);
	cscg_graph_free(graph);
	cscg_room_free(room);
	cscg_model_free(model);
	cscg_walk_free(walk);
	cscg_codebook_free(book);
}

int
main(void)
{
	int fd = mkstemp(path);

	need(fd < 0 || close(fd) < 0 ? NULL : path);
	rooms();
	many_names();
	models();
	rare_edges();
	walks();
	codebooks();
	full_disk();
	unlink(path);
	return done();
}
