/*
 * serve.c - a room as a live environment: state, goals, rewards, cscg-env(5)
 *
 * Random numbers come from three streams: start nodes and slips, goals, and
 * the node after a reward.  Two agents that choose different actions therefore
 * get the same goals as far as possible.
 *
 * Distances are shortest paths in the graph, by one backward search per goal;
 * an edge counts if its probability is above 0.  In a room cut from a grid the
 * distance to the start is measured in rows and columns, as in the paper.
 */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/graph.h"
#include "core/walk_line.h"
#include "io/json.h"
#include "io/json_write.h"
#include "io/json_parse.h"
#include "world/room.h"
#include "world/serve.h"

/*
 * the protocol between an environment and an agent
 *
 * Every step exchanges two short lines, nearly all of which have known keys
 * and plain numbers: these are parsed directly.  Any other line is parsed by
 * io/json_parse, which also reports errors.
 */

enum {
	VERSION = 1,
	DIGITS = 15, /* of a number parsed directly: exact in a double */
};

static const long episodes_max = INT_MAX;
static const long steps_max = 1000000000000000;

/* The header */

static const char *const head_keys[] = {
	"format",
	"version",
	"n_actions",
	"n_obs",
	"actions",
	"symbols",
	"collect",
	"episodes",
	"steps",
	"history",
	NULL,
};

void
cscg_env_header_free(struct cscg_env_header *head)
{
	cscg_walk_header_free(&head->head);
	*head = (struct cscg_env_header){ .collect = -1 };
}

static int
header_from_json(json_t *obj, struct cscg_env_header *head,
    struct cscg_err *err)
{
	struct cscg_walk_header *h = &head->head;

	if (cscg_json_check_format(obj, "cscg-env", VERSION, err) < 0 ||
	    cscg_json_check_keys(obj, head_keys, err) < 0 ||
	    cscg_walk_alphabet_from_json(obj, h, err) < 0)
		return -1;
	if (cscg_json_has(obj, "collect") &&
	    cscg_json_int(obj, "collect", 0, h->n_actions - 1, &head->collect,
		err) < 0)
		return -1;
	if (cscg_json_has(obj, "episodes") &&
	    cscg_json_long(obj, "episodes", 1, episodes_max, &head->episodes,
		err) < 0)
		return -1;
	if (cscg_json_has(obj, "steps") &&
	    cscg_json_long(obj, "steps", 1, steps_max, &head->steps, err) < 0)
		return -1;
	return cscg_history_from_json(obj, &h->history, err);
}

int
cscg_env_header_parse(const char *line, size_t len,
    struct cscg_env_header *head, struct cscg_err *err)
{
	json_t *obj = cscg_json_parse(line, len, err);
	int rc;

	*head = (struct cscg_env_header){ .collect = -1 };
	if (!obj)
		return -1;
	rc = header_from_json(obj, head, err);
	json_decref(obj);
	if (rc < 0)
		cscg_env_header_free(head);
	return rc;
}

char *
cscg_env_header_format(const struct cscg_env_header *head,
    struct cscg_err *err)
{
	struct cscg_json_writer w = { .digits = 17, .err = err };

	cscg_json_open(&w, NULL, '{');
	cscg_json_put_string(&w, "format", "cscg-env");
	cscg_json_put_int(&w, "version", VERSION);
	cscg_walk_alphabet_write_json(&w, &head->head);
	if (head->collect >= 0)
		cscg_json_put_int(&w, "collect", head->collect);
	if (head->episodes)
		cscg_json_put_int(&w, "episodes", head->episodes);
	if (head->steps)
		cscg_json_put_int(&w, "steps", head->steps);
	cscg_history_write_json(&w, &head->head.history);
	cscg_json_close(&w, '}');
	if (w.rc == 0 && w.n > CSCG_ENV_HEADER_MAX)
		w.rc = cscg_fail(err, CSCG_ERANGE,
		    "the names of %d symbols exceed the length of a header "
		    "(%d MiB)",
		    head->head.n_obs, CSCG_ENV_HEADER_MAX >> 20);
	if (w.rc == 0)
		return w.text;
	free(w.text);
	return NULL;
}

/* Direct parsing: on failure these functions leave *p unchanged. */

static void
skip_blanks(const char **p)
{
	while (**p == ' ' || **p == '\t' || **p == '\r')
		++*p;
}

static bool
accept_word(const char **p, const char *s)
{
	size_t n = strlen(s);

	if (strncmp(*p, s, n))
		return false;
	*p += n;
	return true;
}

/* Parse up to DIGITS digits; returns their number. */
static int
parse_digits(const char **p, int max, long *v)
{
	const char *s = *p;

	for (; *s >= '0' && *s <= '9'; s++) {
		if (s - *p == max)
			return 0;
		*v = *v * 10 + (*s - '0');
	}
	max = (int)(s - *p);
	*p = s;
	return max;
}

static bool
parse_long(const char **p, long lo, long hi, long *out)
{
	const char *s = *p;
	long v = 0;
	int n = parse_digits(&s, DIGITS, &v);

	if (!n || (n > 1 && **p == '0') || v < lo || v > hi || *s == '.' ||
	    *s == 'e' || *s == 'E')
		return false;
	*p = s;
	*out = v;
	return true;
}

/* A symbol, or null as -1. */
static bool
parse_int(const char **p, long n, int *out)
{
	long v = -1;

	if (!accept_word(p, "null") && !parse_long(p, 0, n - 1, &v))
		return false;
	*out = (int)v;
	return true;
}

/* A plain decimal: whole / 10^k has one rounding, so it is exact. */
static bool
parse_double(const char **p, double lo, double *out)
{
	static const double ten[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
		1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
	const char *s = *p;
	bool minus = accept_word(&s, "-");
	long v = 0;
	int n, k = 0;
	double d;

	n = parse_digits(&s, DIGITS, &v);
	if (!n || (n > 1 && s[-n] == '0'))
		return false;
	if (accept_word(&s, ".")) {
		k = parse_digits(&s, DIGITS - n, &v);
		if (!k)
			return false;
	}
	d = minus ? -(double)v / ten[k] : (double)v / ten[k];
	if (*s == 'e' || *s == 'E' || d < lo)
		return false;
	*p = s;
	*out = d;
	return true;
}

static bool
parse_bool(const char **p, bool *out)
{
	*out = accept_word(p, "true");
	return *out || accept_word(p, "false");
}

/* Observations */

static const char *const obs_keys[] = {
	"x",
	"goal",
	"reward",
	"episode",
	"done",
	"reset",
	"distance",
	"z",
	NULL,
};

static const struct cscg_env_obs no_obs = {
	.x = -1,
	.goal = -1,
	.z = -1,
	.distance = NAN,
	.episode = -1,
};

static bool
parse_value(const char **p, int key, int n_obs, struct cscg_env_obs *obs)
{
	switch (key) {
	case 0:
		return parse_int(p, n_obs, &obs->x);
	case 1:
		return parse_int(p, n_obs, &obs->goal);
	case 2:
		return parse_double(p, -DBL_MAX, &obs->reward);
	case 3:
		return parse_long(p, 0, episodes_max, &obs->episode);
	case 4:
		return parse_bool(p, &obs->done);
	case 5:
		return parse_bool(p, &obs->reset);
	case 6:
		return parse_double(p, 0, &obs->distance);
	case 7:
		return parse_int(p, CSCG_TRUE_STATE_MAX, &obs->z);
	}
	return false;
}

/* The key at *p, with its quotes. */
static int
parse_key(const char **p)
{
	size_t n;
	int i;

	if (**p != '"')
		return -1;
	for (i = 0; obs_keys[i]; i++) {
		n = strlen(obs_keys[i]);
		if (!strncmp(*p + 1, obs_keys[i], n) && (*p)[n + 1] == '"') {
			*p += n + 2;
			return i;
		}
	}
	return -1;
}

/* A line of known keys with plain values, each once; false: any other. */
static bool
parse_obs_fast(const char *p, const char *end, int n_obs,
    struct cscg_env_obs *obs)
{
	unsigned seen = 0;
	int key;

	if (!accept_word(&p, "{"))
		return false;
	do {
		skip_blanks(&p);
		key = parse_key(&p);
		if (key < 0 || seen & 1u << key)
			return false;
		seen |= 1u << key;
		skip_blanks(&p);
		if (!accept_word(&p, ":"))
			return false;
		skip_blanks(&p);
		if (!parse_value(&p, key, n_obs, obs))
			return false;
		skip_blanks(&p);
	} while (accept_word(&p, ","));
	if (!accept_word(&p, "}"))
		return false;
	skip_blanks(&p);
	return p == end && seen & 1;
}

/* The integer under key, -1 for null; an absent key is an error if required. */
static int
get_int(json_t *obj, const char *key, int hi, bool required, int *out,
    struct cscg_err *err)
{
	if (!cscg_json_has(obj, key) &&
	    (!required || json_object_get(obj, key)))
		return 0;
	return cscg_json_int(obj, key, 0, hi, out, err);
}

static int
obs_from_json(json_t *obj, int n_obs, struct cscg_env_obs *obs,
    struct cscg_err *err)
{
	if (cscg_json_check_keys(obj, obs_keys, err) < 0 ||
	    get_int(obj, "x", n_obs - 1, true, &obs->x, err) < 0 ||
	    get_int(obj, "goal", n_obs - 1, false, &obs->goal, err) < 0 ||
	    get_int(obj, "z", CSCG_TRUE_STATE_MAX - 1, false, &obs->z, err) <
		0)
		return -1;
	if (cscg_json_has(obj, "reward") &&
	    cscg_json_double(obj, "reward", -DBL_MAX, DBL_MAX, &obs->reward,
		err) < 0)
		return -1;
	if (cscg_json_has(obj, "episode") &&
	    cscg_json_long(obj, "episode", 0, episodes_max, &obs->episode,
		err) < 0)
		return -1;
	if (cscg_json_has(obj, "distance") &&
	    cscg_json_double(obj, "distance", 0, DBL_MAX, &obs->distance,
		err) < 0)
		return -1;
	if (cscg_json_has(obj, "done") &&
	    cscg_json_bool(obj, "done", &obs->done, err) < 0)
		return -1;
	if (cscg_json_has(obj, "reset"))
		return cscg_json_bool(obj, "reset", &obs->reset, err);
	return 0;
}

int
cscg_env_obs_parse(const char *line, size_t len,
    const struct cscg_env_header *head, struct cscg_env_obs *obs,
    struct cscg_err *err)
{
	json_t *obj;
	int rc;

	*obs = no_obs;
	if (parse_obs_fast(line, line + len, head->head.n_obs, obs))
		return 0;
	*obs = no_obs;
	obj = cscg_json_parse(line, len, err);
	if (!obj)
		return -1;
	rc = obs_from_json(obj, head->head.n_obs, obs, err);
	json_decref(obj);
	return rc;
}

/* Direct writing */

static char *
append_text(char *p, const char *s)
{
	return mempcpy(p, s, strlen(s));
}

static char *
append_long(char *p, long v)
{
	char text[24];
	int n = sizeof text;

	do {
		text[--n] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	memcpy(p, text + n, sizeof text - (size_t)n);
	return p + (sizeof text - (size_t)n);
}

static char *
append_double(char *p, double v)
{
	if (v >= 0 && v < 1e9 && v == floor(v) && !signbit(v))
		return append_long(p, (long)v);
	return p + sprintf(p, "%.17g", v);
}

size_t
cscg_env_obs_format(const struct cscg_env_obs *obs,
    char text[CSCG_ENV_OBS_SIZE])
{
	char *p = append_text(text, "{\"x\":");

	p = obs->x < 0 ? append_text(p, "null") : append_long(p, obs->x);
	if (obs->goal >= 0)
		p = append_long(append_text(p, ",\"goal\":"), obs->goal);
	p = append_double(append_text(p, ",\"reward\":"), obs->reward);
	if (obs->episode >= 0)
		p = append_long(append_text(p, ",\"episode\":"), obs->episode);
	p = append_text(p, obs->done ? ",\"done\":true" : ",\"done\":false");
	if (obs->reset)
		p = append_text(p, ",\"reset\":true");
	if (!isnan(obs->distance))
		p = append_double(append_text(p, ",\"distance\":"),
		    obs->distance);
	if (obs->z >= 0)
		p = append_long(append_text(p, ",\"z\":"), obs->z);
	p = append_text(p, "}");
	*p = '\0';
	return (size_t)(p - text);
}

/* Actions */

static const char *const act_keys[] = { "a", NULL };

static bool
parse_action_fast(const char *p, const char *end, int n_actions, int *a)
{
	return accept_word(&p, "{\"a\":") && parse_int(&p, n_actions, a) &&
	    accept_word(&p, "}") && p == end;
}

static int
action_from_json(json_t *obj, const struct cscg_walk_header *head, int *a,
    struct cscg_err *err)
{
	char *name;

	*a = -1;
	if (cscg_json_check_keys(obj, act_keys, err) < 0)
		return -1;
	if (!json_is_string(json_object_get(obj, "a")))
		return get_int(obj, "a", head->n_actions - 1, true, a, err);
	if (cscg_json_string(obj, "a", &name, err) < 0)
		return -1;
	*a = cscg_names_find(&head->actions, name);
	if (*a < 0)
		cscg_fail(err, CSCG_ERANGE,
		    "/a: '%.64s' is not the name of an action", name);
	free(name);
	return *a < 0 ? -1 : 0;
}

int
cscg_env_action_parse(const char *line, size_t len,
    const struct cscg_env_header *head, int *a, struct cscg_err *err)
{
	json_t *obj;
	int rc;

	if (parse_action_fast(line, line + len, head->head.n_actions, a))
		return 0;
	obj = cscg_json_parse(line, len, err);
	if (!obj)
		return -1;
	rc = action_from_json(obj, &head->head, a, err);
	json_decref(obj);
	return rc;
}

size_t
cscg_env_action_format(int a, char text[CSCG_ENV_ACTION_SIZE])
{
	char *p = append_text(text, "{\"a\":");

	p = append_text(a < 0 ? append_text(p, "null") : append_long(p, a),
	    "}");
	*p = '\0';
	return (size_t)(p - text);
}

/* Messages */

const char *
cscg_env_quote(const char *line, size_t len, char quote[CSCG_ENV_QUOTE_SIZE])
{
	const size_t most = CSCG_ENV_QUOTE_SIZE - 20;
	size_t n = len < most ? len : most, i;

	for (i = 0; i < n; i++)
		quote[i] = line[i] >= ' ' && line[i] <= '~' ? line[i] : '?';
	*append_text(quote + n, n < len ? "..." : "") = '\0';
	return quote;
}

struct cscg_serve {
	struct cscg_serve_options set;
	struct cscg_room *const *rooms;
	int n_rooms, collect;
	/* This episode: */
	const struct cscg_room *room;
	long episode, step;
	int node, start;
	int goal; /* symbol of the room, before permutation; -1 */
	struct cscg_rng world, goals, respawn;
	int *label; /* [n_obs] permuted symbol of each symbol */
	/* Search buffers, sized for the largest room: */
	long *first;            /* [nodes + 1] edges into each node: */
	int *from;              /* [edges] */
	struct cscg_bfs search; /* its distances: steps to the goal */
	unsigned char
	    *reachable; /* [n_obs] whether the symbol can be reached */
	int *list;      /* [n_obs] goals to draw from */
	struct cscg_pool mem;
};

/* Count how often each symbol occurs in the room, into s->list. */
static void
count_symbols(struct cscg_serve *s, const struct cscg_room *room)
{
	int v;

	memset(s->list, 0, (size_t)room->n_obs * sizeof *s->list);
	for (v = 0; v < room->n_nodes; v++)
		s->list[room->obs[v]]++;
}

static int
check_room(struct cscg_serve *s, const struct cscg_room *room,
    struct cscg_err *err)
{
	int x, v, kinds = 0, unique = 0;

	count_symbols(s, room);
	for (x = 0; x < room->n_obs; x++)
		kinds += s->list[x] > 0;
	for (v = 0; v < room->n_nodes; v++)
		unique += s->list[room->obs[v]] == 1;
	if (s->set.start >= room->n_nodes)
		return cscg_fail(err, CSCG_EUSAGE,
		    "the start %d is outside 0..%d", s->set.start,
		    room->n_nodes - 1);
	if (s->set.start == CSCG_START_UNIQUE && !unique)
		return cscg_fail(err, CSCG_EUSAGE,
		    "no start node: every symbol is emitted by several nodes");
	if (s->set.task == CSCG_TASK_GOALS && kinds < 2)
		return cscg_fail(err, CSCG_ERANGE,
		    "no goals: all nodes emit the same symbol");
	return 0;
}

static int
alloc_buffers(struct cscg_serve *s, struct cscg_err *err)
{
	struct cscg_pool *mem = cscg_pool_begin(&s->mem, err);
	size_t nodes = 0, edges = 0, n_obs = (size_t)s->rooms[0]->n_obs, e;
	const struct cscg_room *room;
	int i;

	for (i = 0; i < s->n_rooms; i++) {
		room = s->rooms[i];
		e = (size_t)room->first[(long)room->n_actions * room->n_nodes];
		edges = e > edges ? e : edges;
		if ((size_t)room->n_nodes > nodes)
			nodes = (size_t)room->n_nodes;
	}
	s->label = cscg_pool_add(mem, n_obs, sizeof *s->label);
	s->list = cscg_pool_add(mem, n_obs, sizeof *s->list);
	s->reachable = cscg_pool_add(mem, n_obs, 1);
	s->first = cscg_pool_add(mem, nodes + 1, sizeof *s->first);
	s->from = cscg_pool_add(mem, edges, sizeof *s->from);
	return !mem->failed ? cscg_bfs_fit(&s->search, (int)nodes, err) : -1;
}

struct cscg_serve *
cscg_serve_new(struct cscg_room *const *room, int n, int collect,
    const struct cscg_serve_options *set, struct cscg_err *err)
{
	struct cscg_serve *s = cscg_alloc(1, sizeof *s, err);
	int i;

	if (!s)
		return NULL;
	s->set = *set;
	s->rooms = room;
	s->n_rooms = n;
	s->collect = set->task == CSCG_TASK_GOALS ? collect : -1;
	if (alloc_buffers(s, err) < 0)
		goto fail;
	for (i = 0; i < n; i++)
		if (check_room(s, room[i], err) < 0) {
			cscg_fail_at(err, "room %d", i);
			goto fail;
		}
	return s;
fail:
	cscg_serve_free(s);
	return NULL;
}

void
cscg_serve_free(struct cscg_serve *s)
{
	if (!s)
		return;
	cscg_pool_free(&s->mem);
	cscg_bfs_free(&s->search);
	free(s);
}

/* Searches */

/* The edges of list l of the room; no edges if the transition is impossible. */
static void
action_edges(const struct cscg_serve *s, long l, long *from, long *to)
{
	*from = s->room->first[l];
	*to = l / s->room->n_nodes == s->collect ? *from :
						   s->room->first[l + 1];
}

/* The number of actions from each node to the nearest node reached so far. */
static void
compute_distances(struct cscg_serve *s)
{
	int v;
	long i;

	while ((v = cscg_bfs_next(&s->search)) >= 0)
		for (i = s->first[v]; i < s->first[v + 1]; i++)
			cscg_bfs_reach(&s->search, s->from[i], v, -1);
}

/*
 * Mark the symbols that can be reached from the present node in s->reachable.
 */
static void
find_reachable(struct cscg_serve *s)
{
	const struct cscg_room *room = s->room;
	long i, to;
	int v, a;

	memset(s->reachable, 0, (size_t)room->n_obs);
	cscg_bfs_clear(&s->search);
	cscg_bfs_reach(&s->search, s->node, -1, -1);
	while ((v = cscg_bfs_next(&s->search)) >= 0) {
		s->reachable[room->obs[v]] = 1;
		for (a = 0; a < room->n_actions; a++) {
			action_edges(s, (long)a * room->n_nodes + v, &i, &to);
			for (; i < to; i++)
				cscg_bfs_reach(&s->search, room->to[i], v, a);
		}
	}
}

/*
 * Draw the next goal among the symbols that can be reached and are not emitted
 * here.
 */
static int
draw_goal(struct cscg_serve *s, struct cscg_err *err)
{
	const struct cscg_room *room = s->room;
	long n = 0;
	int x, v;

	find_reachable(s);
	for (x = 0; x < room->n_obs; x++)
		if (s->reachable[x] && x != room->obs[s->node])
			s->list[n++] = x;
	if (!n)
		return cscg_fail(err, CSCG_ERANGE,
		    "room %ld: no goal can be reached from node %d",
		    s->episode % s->n_rooms, s->node);
	s->goal = s->list[cscg_rng_below(&s->goals, n)];
	if (s->set.blind)
		return 0;
	cscg_bfs_clear(&s->search);
	for (v = 0; v < room->n_nodes; v++)
		if (room->obs[v] == s->goal)
			cscg_bfs_reach(&s->search, v, -1, -1);
	compute_distances(s);
	return 0;
}

/* Distances */

static double
axis_distance(double a, double b, bool wrap, int size)
{
	double d = fabs(a - b);

	return wrap && size - d < d ? size - d : d;
}

static double
goal_distance(const struct cscg_serve *s)
{
	const struct cscg_room *room = s->room;
	const double *here, *there;

	if (s->set.blind || s->set.task == CSCG_TASK_NONE)
		return NAN;
	if (s->set.task == CSCG_TASK_GOALS || !room->coords || !room->rows)
		return s->search.distance[s->node] < 0 ?
		    NAN :
		    (double)s->search.distance[s->node];
	here = room->coords + 2 * s->node;
	there = room->coords + 2 * s->start;
	return axis_distance(here[0], there[0], room->wrap_rows, room->rows) +
	    axis_distance(here[1], there[1], room->wrap_cols, room->cols);
}

/* Episodes */

static void
set_labels(struct cscg_serve *s)
{
	struct cscg_rng rng;
	int i;

	for (i = 0; i < s->room->n_obs; i++)
		s->label[i] = i;
	if (!s->set.permute)
		return;
	cscg_rng_seed(&rng, s->set.seed, CSCG_RNG_LABELS, (uint64_t)s->episode,
	    0);
	cscg_rng_shuffle(&rng, s->label, s->room->n_obs);
}

static int
draw_start(struct cscg_serve *s)
{
	long n = 0, k;
	int v;

	if (s->set.start >= 0)
		return s->set.start;
	if (s->set.start == CSCG_START_RANDOM)
		return (int)cscg_rng_below(&s->world, s->room->n_nodes);
	count_symbols(s, s->room);
	for (v = 0; v < s->room->n_nodes; v++)
		n += s->list[s->room->obs[v]] == 1;
	k = cscg_rng_below(&s->world, n);
	for (v = 0; k >= 0; v++)
		k -= s->list[s->room->obs[v]] == 1;
	return v - 1;
}

static void
fill_observation(const struct cscg_serve *s, struct cscg_env_obs *obs)
{
	*obs = (struct cscg_env_obs){
		.x = s->label[s->room->obs[s->node]],
		.goal = s->goal < 0 ? -1 : s->label[s->goal],
		.z = s->node,
		.distance = goal_distance(s),
		.episode = s->episode,
		.done = s->set.steps && s->step == s->set.steps,
	};
}

int
cscg_serve_reset(struct cscg_serve *s, long episode, struct cscg_env_obs *obs,
    struct cscg_err *err)
{
	s->episode = episode;
	s->step = 0;
	s->room = s->rooms[episode % s->n_rooms];
	s->goal = -1;
	set_labels(s);
	cscg_rng_seed(&s->world, s->set.seed, CSCG_RNG_ENV, (uint64_t)episode,
	    0);
	cscg_rng_seed(&s->goals, s->set.seed, CSCG_RNG_ENV, (uint64_t)episode,
	    1);
	cscg_rng_seed(&s->respawn, s->set.seed, CSCG_RNG_ENV,
	    (uint64_t)episode, 2);
	s->node = s->start = draw_start(s);
	if (s->set.task != CSCG_TASK_NONE)
		cscg_edges_by_target(s->room->n_nodes, s->room->n_actions,
		    s->room->first, s->room->to, s->collect, s->first, s->from,
		    NULL);
	if (s->set.task == CSCG_TASK_RETURN) {
		s->goal = s->room->obs[s->start];
		cscg_bfs_clear(&s->search);
		cscg_bfs_reach(&s->search, s->start, -1, -1);
		compute_distances(s);
	} else if (s->set.task == CSCG_TASK_GOALS && draw_goal(s, err) < 0)
		return -1;
	fill_observation(s, obs);
	return 0;
}

int
cscg_serve_step(struct cscg_serve *s, int a, struct cscg_env_obs *obs,
    struct cscg_err *err)
{
	bool collected = a == s->collect && s->room->obs[s->node] == s->goal;

	s->step++;
	if (a != s->collect)
		s->node = cscg_room_step(s->room, s->node, a, &s->world);
	if (collected && s->set.respawn)
		s->node = (int)cscg_rng_below(&s->respawn, s->room->n_nodes);
	if (collected && draw_goal(s, err) < 0)
		return -1;
	fill_observation(s, obs);
	obs->reward = collected;
	obs->reset = collected && s->set.respawn;
	return 0;
}
