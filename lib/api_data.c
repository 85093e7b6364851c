/*
 * api_data.c - cscg.h: objects, their arrays and files
 *
 * Arrays of a caller are checked before anything indexes by them.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "base/mem.h"
#include "core/codebook.h"
#include "core/frames.h"
#include "core/limits.h"
#include "core/model_io.h"
#include "core/walk_io.h"
#include "core/walk_table.h"
#include "io/sniff.h"
#include "io/stream.h"
#include "kernel/cpu.h"
#include "learn/encoder.h"
#include "learn/kmeans.h"
#include "world/random_walk.h"
#include "world/room_io.h"
#include "show/picture.h"
#include "show/svg.h"

const char *
cscg_version(void)
{
	return CSCG_VERSION;
}

char (*cscg_api_names(int n, struct cscg_err *err))[16]
{
	char(*name)[16] = cscg_alloc((size_t)n, sizeof *name, err);
	int i;

	for (i = 0; name && i < n; i++)
		snprintf(name[i], sizeof name[i], "%d", i);
	return name;
}

/* ---- alphabets ---- */

int
cscg_api_check_index(const char *what, long v, long lo, long hi,
    struct cscg_err *err)
{
	return v >= lo && v < hi ?
	    0 :
	    cscg_fail(err, CSCG_ERANGE, "%s %ld is outside %ld..%ld", what, v,
		lo, hi - 1);
}

static struct cscg_alphabet
alphabet_of(int n_actions, int n_symbols, const struct cscg_names *actions,
    const struct cscg_names *symbols)
{
	return (struct cscg_alphabet){ n_actions, n_symbols,
		(const char *const *)actions->v,
		(const char *const *)symbols->v };
}

/* n distinct names, or none; 0, or -1 with err filled. */
static int
copy_names(struct cscg_names *to, const char *const *name, int n,
    const char *what, struct cscg_err *err)
{
	struct cscg_dict seen = { .n_slots = 0 };
	int i, rc = 0;

	for (i = 0; name && i < n && rc == 0; i++) {
		if (!name[i])
			rc = cscg_fail(err, CSCG_EFORMAT, "%s %d has no name",
			    what, i);
		else if (cscg_dict_find(&seen, name[i]) >= 0)
			rc = cscg_fail(err, CSCG_EFORMAT,
			    "%s %d: the name '%.40s' occurs twice", what, i,
			    name[i]);
		else if (cscg_dict_add(&seen, name[i], err) < 0)
			rc = cscg_fail_at(err, "%s %d", what, i);
	}
	if (rc == 0)
		rc = cscg_names_copy(to, &seen.names, err);
	cscg_dict_free(&seen);
	return rc;
}

static int
check_alphabet(const struct cscg_alphabet *alphabet, struct cscg_err *err)
{
	if (cscg_api_check_index("number of actions", alphabet->n_actions, 1,
		(long)CSCG_ACTION_MAX + 1, err) < 0)
		return -1;
	return cscg_api_check_index("number of symbols", alphabet->n_symbols,
	    1, (long)CSCG_OBS_MAX + 1, err);
}

int
cscg_api_header(const struct cscg_alphabet *alphabet,
    struct cscg_walk_header *head, struct cscg_err *err)
{
	if (check_alphabet(alphabet, err) < 0)
		return -1;
	head->n_actions = alphabet->n_actions;
	head->n_obs = alphabet->n_symbols;
	if (copy_names(&head->actions, alphabet->actions, head->n_actions,
		"action", err) < 0)
		return -1;
	return copy_names(&head->symbols, alphabet->symbols, head->n_obs,
	    "symbol", err);
}

/*
 * Offsets of rows: 0, then not descending.  -1 with err filled (CSCG_ERANGE).
 */
static int
check_offsets(const char *what, const long *first, long n_rows,
    struct cscg_err *err)
{
	long row;

	if (!first)
		return cscg_fail(err, CSCG_ERANGE, "%s: no array", what);
	if (first[0] != 0)
		return cscg_fail(err, CSCG_ERANGE, "%s[0] is %ld, not 0", what,
		    first[0]);
	for (row = 0; row < n_rows; row++)
		if (first[row + 1] < first[row])
			return cscg_fail(err, CSCG_ERANGE,
			    "%s[%ld] is %ld, less than %s[%ld]", what, row + 1,
			    first[row + 1], what, row);
	return 0;
}

/* Replace *to by a copy of n items; 0, or -1 with err filled. */
static int
set_array(void *to, const void *from, long n, size_t size,
    struct cscg_err *err)
{
	void *copy, *old;

	if (!from && n)
		return cscg_fail(err, CSCG_ERANGE,
		    "an array of %ld items is missing", n);
	copy = n ? cscg_copy(from, (size_t)n, size, err) :
		   cscg_alloc(0, size, err);
	if (!copy)
		return -1;
	memcpy(&old, to, sizeof old); /* to may be any object pointer's */
	free(old);
	memcpy(to, &copy, sizeof copy);
	return 0;
}

static bool
ends_in(const char *path, const char *suffix)
{
	size_t n = strlen(path), m = strlen(suffix);

	return n > m && !strcmp(path + n - m, suffix);
}

/* A stream to a new file, for end_file(). */
static struct cscg_out *
begin_file(const char *path, struct cscg_err *err)
{
	return cscg_out_open(path, ends_in(path, ".gz") ? CSCG_OUT_GZIP : 0,
	    err);
}

/* Close the stream; if rc, the result of writing, is -1, remove the file. */
static int
end_file(struct cscg_out *out, int rc, struct cscg_err *err)
{
	if (out && rc == 0)
		return cscg_out_close(out, err);
	cscg_out_abort(out);
	return -1;
}

/* ---- tables ---- */

struct cscg_table_settings
cscg_table_defaults(void)
{
	return (struct cscg_table_settings){
		.min_likelihood = 0.6, .gap = -1, .episode_gap = -1
	};
}

/* Options of samples: 1 if rows are samples, 0 if not, -1 with err filled. */
static int
measure_options(const struct cscg_table_settings *set,
    struct cscg_measure_options *how, struct cscg_err *err)
{
	int n = !set->bin[0] ? 0 : !set->bin[1] ? 1 : 2, k;
	int given = (set->cell[0] > 0) + (set->grid[0] > 0) +
	    (set->quantile > 0);

	*how = (struct cscg_measure_options){ .n_axes = n,
		.bins = set->cell[0] > 0 ? CSCG_BINS_CELL :
		    set->grid[0] > 0     ? CSCG_BINS_GRID :
					   CSCG_BINS_QUANTILE,
		.y_down = set->y_down,
		.thin = set->thin,
		.thin_time = set->thin_time,
		.moves = set->moves,
		.derive = (enum cscg_derive)set->actions,
		.gap = set->gap,
		.episode_gap = set->episode_gap,
		.episode_length = set->episode_length };
	if (given != (n > 0))
		return cscg_fail(err, CSCG_EUSAGE,
		    n ? "positions require one of cell, grid and quantile" :
			"cell, grid and quantile require positions");
	for (k = 0; k < n; k++) {
		how->cell[k] = set->cell[k];
		how->n_bins[k] = set->grid[0] > 0 ? set->grid[k] :
						    set->quantile;
		if (given && !(how->cell[k] > 0) && how->n_bins[k] < 1)
			return cscg_fail(err, CSCG_EUSAGE,
			    "the size of cells along axis %d is not above 0",
			    k);
	}
	if (set->actions > CSCG_ACTIONS_NONE && n != 2)
		return cscg_fail(err, CSCG_EUSAGE,
		    "derived actions require two columns of positions");
	if (set->n_see > CSCG_WALK_TABLE_SEE_MAX ||
	    set->n_episode > CSCG_WALK_TABLE_EPISODE_MAX)
		return cscg_fail(err, CSCG_EUSAGE, "more than %d columns",
		    CSCG_WALK_TABLE_SEE_MAX);
	return n || set->n_see || set->thin || set->thin_time > 0 ||
	    set->moves || set->actions || set->gap >= 0 ||
	    set->episode_gap >= 0 || set->episode_length;
}

/* The rows of one file. */
static int
read_table(struct cscg_walk_table *table, const char *path, char sep,
    struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(path, err);
	int rc = -1;

	if (in && !sep)
		sep = cscg_sniff_in_separator(in, ',', err);
	if (in && sep)
		rc = cscg_walk_table_read_csv(table, in, sep, err);
	cscg_in_close(in);
	return rc;
}

struct cscg_walk *
cscg_walk_read_table(const char *const *paths, int n,
    const struct cscg_table_settings *set, struct cscg_err *err)
{
	struct cscg_table_settings defaults = cscg_table_defaults();
	struct cscg_measure_options how;
	struct cscg_walk_table_options opt;
	struct cscg_walk_table *table = NULL;
	struct cscg_positions positions = { 0 };
	struct cscg_walk *walk = NULL;
	struct cscg_out *out;
	int i, rc;

	if (!set)
		set = &defaults;
	rc = measure_options(set, &how, err);
	if (rc < 0 ||
	    cscg_api_check_index("number of files", n, 1, INT_MAX, err) < 0)
		return NULL;
	opt = (struct cscg_walk_table_options){ .x = set->x,
		.a = set->a,
		.episode = (char *const *)set->episode,
		.n_episode = set->n_episode,
		.missing = (char *const *)set->missing,
		.n_missing = set->n_missing,
		.no_header = set->no_header,
		.measure = rc ? &how : NULL,
		.bin = (char *const *)set->bin,
		.see = (char *const *)set->see,
		.n_see = set->n_see,
		.time = set->time,
		.min_likelihood = set->min_likelihood,
		.positions = set->xy ? &positions : NULL };
	table = cscg_walk_table_new(&opt, err);
	rc = table ? 0 : -1;
	for (i = 0; i < n && rc == 0; i++)
		rc = read_table(table, paths[i], set->delimiter, err);
	if (rc == 0)
		walk = cscg_walk_table_to_walk(table, err);
	if (walk && set->xy) {
		out = begin_file(set->xy, err);
		rc = out ?
		    cscg_positions_write(&positions, LONG_MAX, out, err) :
		    -1;
		if (end_file(out, rc, err) < 0) {
			cscg_walk_free(walk);
			walk = NULL;
		}
	}
	cscg_positions_free(&positions);
	cscg_walk_table_free(table);
	return walk;
}

/* ---- rooms ---- */

int
cscg_room_write_file(const struct cscg_room *room, const char *path,
    struct cscg_err *err)
{
	struct cscg_out *out = begin_file(path, err);

	return end_file(out, out ? cscg_room_write(room, out, err) : -1, err);
}

static int
fill_room(struct cscg_room *room, const struct cscg_alphabet *alphabet,
    const struct cscg_room_arrays *arrays, struct cscg_err *err)
{
	long rows = (long)room->n_actions * room->n_nodes;

	if (check_offsets("first", arrays->first, rows, err) < 0)
		return -1;
	if (set_array(&room->obs, arrays->symbol, room->n_nodes,
		sizeof *room->obs, err) < 0 ||
	    set_array(&room->first, arrays->first, rows + 1,
		sizeof *room->first, err) < 0 ||
	    set_array(&room->to, arrays->to, arrays->first[rows],
		sizeof *room->to, err) < 0 ||
	    set_array(&room->p, arrays->p, arrays->first[rows],
		sizeof *room->p, err) < 0 ||
	    copy_names(&room->actions, alphabet->actions, room->n_actions,
		"action", err) < 0 ||
	    copy_names(&room->symbols, alphabet->symbols, room->n_obs,
		"symbol", err) < 0)
		return -1;
	return cscg_room_check(room, err);
}

struct cscg_room *
cscg_room_from_arrays(const struct cscg_alphabet *alphabet,
    const struct cscg_room_arrays *arrays, struct cscg_err *err)
{
	struct cscg_room *room;

	if (check_alphabet(alphabet, err) < 0 ||
	    cscg_api_check_index("number of nodes", arrays->n_nodes, 1,
		(long)CSCG_NODE_MAX + 1, err) < 0)
		return NULL;
	room = cscg_room_new(arrays->n_nodes, alphabet->n_actions,
	    alphabet->n_symbols, err);
	if (room && fill_room(room, alphabet, arrays, err) < 0) {
		cscg_room_free(room);
		return NULL;
	}
	return room;
}

void
cscg_room_get_arrays(const struct cscg_room *room,
    struct cscg_room_arrays *arrays)
{
	*arrays = (struct cscg_room_arrays){ room->n_nodes, room->obs,
		room->first, room->to, room->p };
}

struct cscg_alphabet
cscg_room_alphabet(const struct cscg_room *room)
{
	return alphabet_of(room->n_actions, room->n_obs, &room->actions,
	    &room->symbols);
}

/* ---- walks ---- */

struct cscg_walk
cscg_api_complete(const struct cscg_walk *walk)
{
	struct cscg_walk view = *walk;

	view.n_steps = walk->start[walk->n_episodes];
	return view;
}

struct cscg_walk *
cscg_api_align(const struct cscg_walk *walk, const struct cscg_model *m,
    bool symbols, struct cscg_err *err)
{
	struct cscg_walk *copy = cscg_walk_subset(walk, 0, walk->n_episodes, 0,
	    err);

	if (copy &&
	    (symbols ? cscg_alphabet_map_walk(copy, m, err) :
		       cscg_alphabet_map_actions(copy, m, err)) < 0) {
		cscg_walk_free(copy);
		return NULL;
	}
	return copy;
}

struct cscg_walk *
cscg_walk_read_file(const char *path, struct cscg_err *err)
{
	char *const paths[] = { (char *)path };

	return cscg_walk_read(paths, 1, err);
}

int
cscg_walk_write_file(const struct cscg_walk *walk, const char *path,
    struct cscg_err *err)
{
	struct cscg_walk complete = cscg_api_complete(walk);
	struct cscg_out *out = begin_file(path, err);

	return end_file(out, out ? cscg_walk_write(&complete, out, err) : -1,
	    err);
}

int
cscg_walk_add_step(struct cscg_walk *walk, const struct cscg_step *step,
    struct cscg_err *err)
{
	const struct cscg_walk_header *head = &walk->head;

	if (cscg_api_check_index("symbol", step->x, -1, head->n_obs, err) <
		0 ||
	    cscg_api_check_index("action", step->a, -1, head->n_actions, err) <
		0 ||
	    cscg_api_check_index("goal", step->goal, -1, head->n_obs, err) <
		0 ||
	    cscg_api_check_index("node", step->z, -1, CSCG_NODE_MAX, err) <
		0 ||
	    cscg_api_check_index("view", step->view, 0,
		(long)CSCG_FRAME_MAX + 1, err) < 0)
		return -1;
	if (isinf(step->r))
		return cscg_fail(err, CSCG_ERANGE, "the reward is infinite");
	return cscg_walk_add(walk, step, err);
}

struct cscg_walk *
cscg_walk_from_arrays(const struct cscg_alphabet *alphabet,
    const struct cscg_walk_arrays *arrays, struct cscg_err *err)
{
	struct cscg_walk_header head = { .n_actions = 0 };
	struct cscg_step step = { .goal = -1, .r = NAN };
	struct cscg_walk *walk = NULL;
	long t;

	if (arrays->n_steps > 0 && !(arrays->x && arrays->a)) {
		cscg_fail(err, CSCG_ERANGE,
		    "no arrays of symbols and actions");
		return NULL;
	}
	if (cscg_api_header(alphabet, &head, err) == 0)
		walk = cscg_walk_new(&head, err);
	cscg_walk_header_free(&head);
	for (t = 0; walk && t < arrays->n_steps; t++) {
		step.x = arrays->x[t];
		step.a = arrays->a[t];
		step.z = arrays->z ? arrays->z[t] : -1;
		step.reset = arrays->reset && arrays->reset[t];
		if (cscg_walk_add_step(walk, &step, err) < 0) {
			cscg_fail_at(err, "step %ld", t);
			goto fail;
		}
	}
	if (walk && arrays->n_steps > 0 && step.a >= 0) {
		cscg_fail(err, CSCG_EFORMAT,
		    "step %ld: the last action is %d, not -1", t - 1, step.a);
		goto fail;
	}
	return walk;
fail:
	cscg_walk_free(walk);
	return NULL;
}

void
cscg_walk_get_arrays(const struct cscg_walk *walk,
    struct cscg_walk_arrays *arrays)
{
	*arrays = (struct cscg_walk_arrays){ walk->start[walk->n_episodes],
		walk->n_episodes, walk->start, walk->x, walk->a, walk->z,
		walk->reset };
}

static struct cscg_alphabet
header_alphabet(const struct cscg_walk_header *head)
{
	return alphabet_of(head->n_actions, head->n_obs, &head->actions,
	    &head->symbols);
}

struct cscg_alphabet
cscg_walk_alphabet(const struct cscg_walk *walk)
{
	return header_alphabet(&walk->head);
}

struct cscg_alphabet
cscg_walk_reader_alphabet(const struct cscg_walk_reader *reader)
{
	return header_alphabet(cscg_walk_reader_header(reader));
}

/* ---- walking in rooms ---- */

struct cscg_room_walk_settings
cscg_room_walk_defaults(void)
{
	return (struct cscg_room_walk_settings){
		.steps = 10000, .policy = "random", .start = -1, .seed = 42
	};
}

static int
add_step(void *walk, long episode, long t, int node, struct cscg_step *step,
    struct cscg_err *err)
{
	(void)episode;
	(void)t;
	(void)node;
	return cscg_walk_add(walk, step, err);
}

static bool
same_names(const struct cscg_names *a, const struct cscg_names *b)
{
	int i;

	for (i = 0; i < a->n && i < b->n && !strcmp(a->v[i], b->v[i]); i++)
		;
	return a->n == b->n && i == a->n;
}

static int
check_rooms(const struct cscg_room *const *room, int n,
    const struct cscg_room_walk_settings *set, struct cscg_err *err)
{
	int i;

	if (n < 1)
		return cscg_fail(err, CSCG_EUSAGE, "no room is given");
	if (set->steps < 1 || set->episodes < 0)
		return cscg_fail(err, CSCG_EUSAGE, "%ld episodes of %ld steps",
		    set->episodes, set->steps);
	for (i = 0; i < n; i++) {
		if (room[i]->n_actions != room[0]->n_actions ||
		    room[i]->n_obs != room[0]->n_obs ||
		    !same_names(&room[i]->actions, &room[0]->actions) ||
		    !same_names(&room[i]->symbols, &room[0]->symbols))
			return cscg_fail(err, CSCG_EMISMATCH,
			    "room %d: its alphabet is not that of room 0", i);
		if (set->start < -1 || set->start >= room[i]->n_nodes)
			return cscg_fail(err, CSCG_EUSAGE,
			    "room %d: start node %d is outside 0..%d", i,
			    set->start, room[i]->n_nodes - 1);
	}
	return 0;
}

struct cscg_walk *
cscg_room_walk(const struct cscg_room *const *room, int n,
    const struct cscg_room_walk_settings *set, struct cscg_err *err)
{
	struct cscg_room_walk_settings defaults = cscg_room_walk_defaults();
	struct cscg_walk_header head = { .n_actions = 0 };
	struct cscg_random_walk how = {
		.room = room, .n_rooms = n, .on_step = add_step
	};
	struct cscg_walk *walk = NULL;

	set = set ? set : &defaults;
	if (check_rooms(room, n, set, err) < 0 ||
	    cscg_policy_parse(set->policy, &how.policy, &how.repeat, err) < 0)
		return NULL;
	how.steps = set->steps;
	how.start = set->start;
	how.permute = set->permute;
	how.blind = set->blind;
	how.seed = set->seed;
	if (cscg_random_walk_header(room, n, &head, err) == 0)
		how.ctx = walk = cscg_walk_new(&head, err);
	cscg_walk_header_free(&head);
	if (walk &&
	    cscg_random_walk_run(&how, set->episodes ? set->episodes : n,
		err) < 0) {
		cscg_walk_free(walk);
		return NULL;
	}
	return walk;
}

/* ---- models ---- */

int
cscg_model_write_file(const struct cscg_model *m, const char *path,
    struct cscg_err *err)
{
	struct cscg_out *out = begin_file(path, err);

	return end_file(out, out ? cscg_model_write(m, out, err) : -1, err);
}

/* A drawing that is to be written. */
struct drawing {
	const struct cscg_graph *g;
	const char *title;
};

static int
write_drawing(const void *object, struct cscg_out *out, struct cscg_err *err)
{
	const struct drawing *d = object;

	return cscg_svg_write(d->g, d->title, out, err);
}

enum { DRAWING_DPI = 192 }; /* of PNG */

int
cscg_model_draw(const struct cscg_model *m, const char *path,
    const char *title, double min_prob, struct cscg_err *err)
{
	struct cscg_graph *g = cscg_graph_of_model(m, min_prob, err);
	struct drawing d = { g, title };
	struct cscg_out *out = g ? begin_file(path, err) : NULL;
	const char *picture = ends_in(path, ".pdf") ? "pdf" :
	    ends_in(path, ".png")                   ? "png" :
						      NULL;
	int rc = -1;

	if (out)
		rc = picture ? cscg_picture_write(write_drawing, &d, picture,
				   DRAWING_DPI, out, err) :
			       write_drawing(&d, out, err);
	rc = end_file(out, rc, err);
	cscg_graph_free(g);
	return rc;
}

static int
fill_emissions(struct cscg_model *m, const struct cscg_model_arrays *arrays,
    struct cscg_err *err)
{
	if (!arrays->e_first)
		return 0;
	if (check_offsets("e_first", arrays->e_first, m->n_states, err) < 0 ||
	    set_array(&m->e_first, arrays->e_first, (long)m->n_states + 1,
		sizeof *m->e_first, err) < 0 ||
	    set_array(&m->e_obs, arrays->e_symbol, m->e_first[m->n_states],
		sizeof *m->e_obs, err) < 0)
		return -1;
	return set_array(&m->e_p, arrays->e_p, m->e_first[m->n_states],
	    sizeof *m->e_p, err);
}

static int
fill_model(struct cscg_model *m, const struct cscg_alphabet *alphabet,
    const struct cscg_model_arrays *arrays, struct cscg_err *err)
{
	long rows = (long)m->n_actions * m->n_states;

	if (check_offsets("first", arrays->first, rows, err) < 0)
		return -1;
	m->pseudocount = arrays->pseudocount;
	m->is_double = arrays->double_precision;
	free(m->clone);
	m->clone = NULL;
	if (set_array(&m->first, arrays->first, rows + 1, sizeof *m->first,
		err) < 0 ||
	    set_array(&m->to, arrays->to, m->first[rows], sizeof *m->to, err) <
		0 ||
	    set_array(&m->count, arrays->count, m->first[rows],
		sizeof *m->count, err) < 0 ||
	    (arrays->clone &&
		set_array(&m->clone, arrays->clone, m->n_states,
		    sizeof *m->clone, err) < 0) ||
	    (arrays->pi &&
		set_array(&m->pi, arrays->pi, m->n_states, sizeof *m->pi,
		    err) < 0) ||
	    fill_emissions(m, arrays, err) < 0 ||
	    copy_names(&m->actions, alphabet->actions, m->n_actions, "action",
		err) < 0)
		return -1;
	if (m->kind == CSCG_GROUNDED &&
	    copy_names(&m->symbols, alphabet->symbols, m->n_obs, "symbol",
		err) < 0)
		return -1;
	return cscg_model_check(m, err);
}

struct cscg_model *
cscg_model_from_arrays(const struct cscg_alphabet *alphabet,
    const struct cscg_model_arrays *arrays, struct cscg_err *err)
{
	struct cscg_model *m;

	if (check_alphabet(alphabet, err) < 0 ||
	    cscg_api_check_index("kind", (long)arrays->kind, CSCG_GROUNDED,
		CSCG_SCHEMA + 1, err) < 0)
		return NULL;
	m = cscg_model_new(arrays->kind, arrays->n_states, alphabet->n_actions,
	    arrays->kind == CSCG_SCHEMA ? 1 : alphabet->n_symbols, err);
	if (m && fill_model(m, alphabet, arrays, err) < 0) {
		cscg_model_free(m);
		return NULL;
	}
	return m;
}

void
cscg_model_get_arrays(const struct cscg_model *m,
    struct cscg_model_arrays *arrays)
{
	*arrays = (struct cscg_model_arrays){ .kind = m->kind,
		.n_states = m->n_states,
		.double_precision = m->is_double,
		.clone = m->clone,
		.pseudocount = m->pseudocount,
		.first = m->first,
		.to = m->to,
		.count = m->count,
		.pi = m->pi,
		.e_first = m->e_first,
		.e_symbol = m->e_obs,
		.e_p = m->e_p };
}

struct cscg_alphabet
cscg_model_alphabet(const struct cscg_model *m)
{
	return alphabet_of(m->n_actions, m->n_obs, &m->actions, &m->symbols);
}

int
cscg_model_n_states(const struct cscg_model *m)
{
	return m->n_states;
}

int
cscg_model_get_E(const struct cscg_model *m, double *E, struct cscg_err *err)
{
	int j, x;

	if (m->kind != CSCG_GROUNDED)
		return cscg_fail(err, CSCG_EMISMATCH, "%s has no emissions",
		    cscg_model_kind_text(m->kind));
	for (j = 0; j < m->n_states; j++)
		for (x = 0; x < m->n_obs; x++)
			E[(size_t)j * (size_t)m->n_obs + (size_t)x] =
			    cscg_model_E(m, j, x);
	return 0;
}

/* ---- codebooks ---- */

int
cscg_codebook_write_file(const struct cscg_codebook *book, const char *path,
    struct cscg_err *err)
{
	struct cscg_out *out = begin_file(path, err);

	return end_file(out, out ? cscg_codebook_write(book, out, err) : -1,
	    err);
}

const double *
cscg_codebook_centroids(const struct cscg_codebook *book, int *k, long *dim)
{
	*k = book->k;
	*dim = book->dim;
	return book->centroid;
}

/* Number i of an array, -0 as 0; CSCG_ERANGE if k-means could overflow. */
static int
copy_number(enum cscg_pixel type, const void *from, long i, void *to, long j,
    struct cscg_err *err)
{
	double v;

	if (type == CSCG_PIXEL_BYTE) {
		((unsigned char *)to)[j] = ((const unsigned char *)from)[i];
		return 0;
	}
	v = (type == CSCG_PIXEL_SINGLE ? (double)((const float *)from)[i] :
					 ((const double *)from)[i]) +
	    0.0;
	if (!(fabs(v) <= CSCG_PIXEL_MAX))
		return cscg_fail(err, CSCG_ERANGE,
		    "number %ld is %g, not finite or beyond %g", j, v,
		    CSCG_PIXEL_MAX);
	if (type == CSCG_PIXEL_SINGLE)
		((float *)to)[j] = (float)v;
	else
		((double *)to)[j] = v;
	return 0;
}

/* n frames of an array; each counts once. */
static struct cscg_frames *
make_frames(enum cscg_pixel type, const void *frame, long n, int ndim,
    const long *shape, struct cscg_err *err)
{
	struct cscg_frames *f = NULL;
	void *row = NULL;
	long i, j;

	if (cscg_api_check_index("type", (long)type, CSCG_PIXEL_BYTE,
		CSCG_PIXEL_DOUBLE + 1, err) == 0 &&
	    cscg_api_check_index("number of frames", n, 1,
		(long)CSCG_FRAME_MAX + 1, err) == 0)
		f = cscg_frames_new(type, ndim, shape, err);
	if (f)
		row = cscg_alloc(f->size, 1, err);
	for (i = 0; row && i < n; i++) {
		for (j = 0; j < f->dim; j++)
			if (copy_number(type, frame, i * f->dim + j, row, j,
				err) < 0) {
				cscg_fail_at(err, "frame %ld", i);
				goto fail;
			}
		if (cscg_frames_add(f, i, row, err) < 0)
			goto fail;
		f->weight[f->frame_of[i]]++;
	}
	if (!row)
		goto fail;
	free(row);
	return f;
fail:
	free(row);
	cscg_frames_free(f);
	return NULL;
}

struct cscg_kmeans_settings
cscg_kmeans_defaults(void)
{
	return (struct cscg_kmeans_settings){
		.restarts = 4, .iterations = 300, .seed = 42, .threads = 1
	};
}

struct cscg_codebook *
cscg_codebook_fit(enum cscg_pixel type, const void *frame, long n, long dim,
    const struct cscg_kmeans_settings *set, int *label, struct cscg_err *err)
{
	struct cscg_kmeans how = { .k = set->k,
		.restarts = set->restarts,
		.iterations = set->iterations,
		.tolerance = set->tolerance,
		.seed = set->seed,
		.threads = set->threads < 1 ? 1 : set->threads };
	struct cscg_codebook *book = NULL;
	struct cscg_frames *f = NULL;
	int *own = NULL;
	long i;

	if (how.k < 1 || how.restarts < 1 || how.iterations < 0 ||
	    !(how.tolerance >= 0)) {
		cscg_fail(err, CSCG_EUSAGE,
		    "%d centroids, %ld restarts, %ld iterations, tolerance %g",
		    how.k, how.restarts, how.iterations, how.tolerance);
		return NULL;
	}
	if (cscg_cpu_choose_bytes("auto", &how.bytes, err) == 0)
		f = make_frames(type, frame, n, 1, &dim, err);
	if (f)
		own = cscg_alloc((size_t)f->n, sizeof *own, err);
	if (own)
		book = cscg_kmeans(f, &how, own, err);
	if (book && set->mixture &&
	    cscg_kmeans_mixture(f, &how, book, own, err) < 0) {
		cscg_codebook_free(book);
		book = NULL;
	}
	for (i = 0; book && label && i < n; i++)
		label[i] = own[f->frame_of[i]];
	free(own);
	cscg_frames_free(f);
	return book;
}

int
cscg_codebook_encode(const struct cscg_codebook *book, enum cscg_pixel type,
    const void *frame, long n, long dim, int threads, int *label,
    struct cscg_err *err)
{
	const struct cscg_simd_bytes *bytes;
	struct cscg_frames *f;
	int *own = NULL, rc = -1;
	long i;

	if (dim != book->dim)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "frames of %ld numbers, centroids of %ld", dim, book->dim);
	if (cscg_cpu_choose_bytes("auto", &bytes, err) < 0)
		return -1;
	f = make_frames(type, frame, n, book->ndim, book->shape, err);
	if (f)
		own = cscg_alloc((size_t)f->n, sizeof *own, err);
	if (own)
		rc = cscg_codebook_label(book, f, bytes,
		    threads < 1 ? 1 : threads, own, err);
	for (i = 0; rc == 0 && i < n; i++)
		label[i] = own[f->frame_of[i]];
	free(own);
	cscg_frames_free(f);
	return rc;
}
