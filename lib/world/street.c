/*
 * street.c - street networks and neighbourhoods as rooms
 *
 * A link has two sides: 2 l from its first point, 2 l + 1 from its second.  A
 * street of a town is a chain of links, identified by the side at either end;
 * the twin of a street is found by following the chain.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/names.h"
#include "core/graph.h"
#include "io/stream.h"
#include "world/street.h"

struct cscg_streets *
cscg_streets_new(struct cscg_err *err)
{
	return cscg_alloc(1, sizeof(struct cscg_streets), err);
}

void
cscg_streets_free(struct cscg_streets *net)
{
	if (!net)
		return;
	free(net->east);
	free(net->north);
	free(net->link);
	free(net);
}

int
cscg_streets_add_point(struct cscg_streets *net, double east, double north,
    struct cscg_err *err)
{
	if (net->n_points == CSCG_POINT_MAX)
		return cscg_fail(err, CSCG_ERANGE, "more than %d points",
		    CSCG_POINT_MAX);
	if (cscg_grow(&net->east, &net->cap_east, net->n_points + 1,
		sizeof *net->east, err) < 0 ||
	    cscg_grow(&net->north, &net->cap_north, net->n_points + 1,
		sizeof *net->north, err) < 0)
		return -1;
	net->east[net->n_points] = east;
	net->north[net->n_points++] = north;
	return 0;
}

int
cscg_streets_add_link(struct cscg_streets *net, int a, int b,
    struct cscg_err *err)
{
	if (net->n_links == CSCG_LINK_MAX)
		return cscg_fail(err, CSCG_ERANGE, "more than %d links",
		    CSCG_LINK_MAX);
	if (cscg_grow(&net->link, &net->cap_link, net->n_links + 1,
		sizeof *net->link, err) < 0)
		return -1;
	net->link[net->n_links][0] = a;
	net->link[net->n_links++][1] = b;
	return 0;
}

/* The sides that leave each point, clockwise. */
struct side {
	double bearing;
	int id;
};

struct sides {
	long *first;       /* [n_points + 1] */
	struct side *side; /* [2 n_links] */
	int *street;       /* [2 n_links] its number in the town, or -1 */
	int *node;         /* [n_points] its number in the town, or -1 */
};

static void
free_sides(struct sides *s)
{
	free(s->first);
	free(s->side);
	free(s->street);
	free(s->node);
}

static double
bearing(const struct cscg_streets *net, long side)
{
	int a = net->link[side / 2][side % 2];
	int b = net->link[side / 2][1 - side % 2];
	double angle = atan2(net->east[b] - net->east[a],
	    net->north[b] - net->north[a]);

	return angle < 0 ? angle + 2 * M_PI : angle;
}

static int
by_bearing(const void *pa, const void *pb)
{
	const struct side *a = pa, *b = pb;

	if (a->bearing != b->bearing)
		return a->bearing < b->bearing ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static int
sort_sides(const struct cscg_streets *net, struct sides *s,
    struct cscg_err *err)
{
	long n = 2 * net->n_links, i, p;

	s->first = cscg_alloc(net->n_points + 2, sizeof *s->first, err);
	s->side = s->first ? cscg_alloc(n, sizeof *s->side, err) : NULL;
	s->street = s->side ? cscg_alloc(n, sizeof *s->street, err) : NULL;
	s->node = s->street ? cscg_alloc(net->n_points, sizeof *s->node, err) :
			      NULL;
	if (!s->node)
		return -1;
	/* Counted two positions ahead, so that filling leaves first correct. */
	for (i = 0; i < n; i++)
		s->first[net->link[i / 2][i % 2] + 2]++;
	for (p = 2; p < net->n_points + 2; p++)
		s->first[p] += s->first[p - 1];
	for (i = 0; i < n; i++)
		s->side[s->first[net->link[i / 2][i % 2] + 1]++] =
		    (struct side){ bearing(net, i), (int)i };
	for (p = 0; p < net->n_points; p++)
		qsort(s->side + s->first[p], s->first[p + 1] - s->first[p],
		    sizeof *s->side, by_bearing);
	return 0;
}

/*
 * Number the points that are junctions or ends, and the sides that leave them.
 */
static void
number_nodes(const struct cscg_streets *net, struct sides *s, int *n_nodes,
    int *n_streets)
{
	long p, i, degree;

	*n_nodes = *n_streets = 0;
	for (i = 0; i < 2 * net->n_links; i++)
		s->street[i] = -1;
	for (p = 0; p < net->n_points; p++) {
		degree = s->first[p + 1] - s->first[p];
		s->node[p] = -1;
		if (degree == 0 || degree == 2)
			continue;
		s->node[p] = (*n_nodes)++;
		for (i = s->first[p]; i < s->first[p + 1]; i++)
			s->street[s->side[i].id] = (*n_streets)++;
	}
}

/* The side that leaves the other end of the street that begins with side. */
static int
far_side(const struct cscg_streets *net, const struct sides *s, int side)
{
	for (;;) {
		int back = side ^ 1, end = net->link[back / 2][back % 2];
		const struct side *two = s->side + s->first[end];

		if (s->node[end] >= 0)
			return back;
		side = two[0].id == back ? two[1].id : two[0].id;
	}
}

static void
set_streets(struct cscg_town *town, const struct cscg_streets *net,
    const struct sides *s)
{
	int n = 0, v = 0;
	long p, i;

	for (p = 0; p < net->n_points; p++) {
		if (s->node[p] < 0)
			continue;
		town->east[v] = net->east[p];
		town->north[v] = net->north[p];
		for (i = s->first[p]; i < s->first[p + 1]; i++)
			town->street[n++] = (struct cscg_street){ v,
				s->street[far_side(net, s, s->side[i].id)],
				s->side[i].bearing };
		town->first[++v] = n;
	}
}

static bool
is_junction(const struct cscg_town *town, int v)
{
	return town->first[v + 1] - town->first[v] > 2;
}

static int
far_end(const struct cscg_town *town, int street)
{
	return town->street[town->street[street].twin].node;
}

/* Set size of v's connected component to its number of junctions. */
static void
count_junctions(struct cscg_town *town, int v, struct cscg_bfs *search)
{
	int from = search->n_reached, n = 0, i;

	cscg_bfs_reach(search, v, -1, -1);
	while ((v = cscg_bfs_next(search)) >= 0) {
		n += is_junction(town, v);
		for (i = town->first[v]; i < town->first[v + 1]; i++)
			cscg_bfs_reach(search, far_end(town, i), v, i);
	}
	for (i = from; i < search->n_reached; i++)
		town->size[search->queue[i]] = n;
}

static int
set_sizes(struct cscg_town *town, struct cscg_err *err)
{
	struct cscg_bfs search = { 0 };
	bool any = false;
	int v;

	if (cscg_bfs_fit(&search, town->n_nodes, err) < 0)
		return -1;
	for (v = 0; v < town->n_nodes; v++) {
		if (search.distance[v] < 0)
			count_junctions(town, v, &search);
		any |= town->size[v] > 0;
	}
	cscg_bfs_free(&search);
	if (!any)
		return cscg_fail(err, CSCG_EFORMAT,
		    "no junction: no point has three links");
	return 0;
}

struct cscg_town *
cscg_town_new(const struct cscg_streets *net, struct cscg_err *err)
{
	struct cscg_town *town = cscg_alloc(1, sizeof *town, err);
	struct sides s = { NULL, NULL, NULL, NULL };
	int n_streets, rc = -1;

	if (!town || sort_sides(net, &s, err) < 0)
		goto out;
	number_nodes(net, &s, &town->n_nodes, &n_streets);
	town->east = cscg_alloc(town->n_nodes, sizeof *town->east, err);
	town->north = cscg_alloc(town->n_nodes, sizeof *town->north, err);
	town->first = cscg_alloc(town->n_nodes + 1, sizeof *town->first, err);
	town->size = cscg_alloc(town->n_nodes, sizeof *town->size, err);
	town->street = cscg_alloc(n_streets, sizeof *town->street, err);
	if (!town->east || !town->north || !town->first || !town->size ||
	    !town->street)
		goto out;
	set_streets(town, net, &s);
	rc = set_sizes(town, err);
out:
	free_sides(&s);
	if (rc < 0) {
		cscg_town_free(town);
		town = NULL;
	}
	return town;
}

void
cscg_town_free(struct cscg_town *town)
{
	if (!town)
		return;
	free(town->east);
	free(town->north);
	free(town->first);
	free(town->street);
	free(town->size);
	free(town);
}

/*
 * street networks as text
 *
 * Files may come in any order, so links are kept as text until all points are
 * known.  Positions are converted to metres relative to the first point, which
 * is accurate enough for a town.
 */

enum { FIELDS_MAX = 6 }; /* one more than the longest valid line has */

#define METRES_PER_DEGREE 111320.

/* The points and links read, and the position in the input. */
struct reader {
	struct cscg_streets *net;
	struct cscg_dict ids;
	double lat0, lng0; /* the first point */
	struct cscg_in *in;
	char **file; /* names of the files, as messages have them */
	int n_files;
	struct link_request { /* a link as given in a file */
		char *a, *b;
		int file;
		long line;
		bool directed; /* may be given again, in the other direction */
	} * request;
	size_t n_requests, cap_requests;
};

/* Prepend the position; an error of the stream takes precedence. */
static int
fail_here(struct reader *r, struct cscg_err *err)
{
	if (cscg_in_verify(r->in, err) < 0)
		return -1;
	return cscg_fail_at(err, "%s: line %ld", cscg_in_name(r->in),
	    cscg_in_lineno(r->in));
}

/* Fields of a line, cut at commas; FIELDS_MAX for too many. */
static int
split(char *line, char **field)
{
	int n = 0;

	while (n < FIELDS_MAX) {
		field[n++] = line;
		line = strchr(line, ',');
		if (!line)
			break;
		*line++ = '\0';
	}
	return n;
}

/* A plain decimal within lo..hi. */
static int
get_number(const char *s, const char *what, double lo, double hi, double *out,
    struct cscg_err *err)
{
	char *end;

	*out = strtod(s, &end);
	if (!*s || s[strspn(s, "0123456789+-.eE")] || *end || !isfinite(*out))
		return cscg_fail(err, CSCG_EFORMAT,
		    "the %s '%.40s' is not a number", what, s);
	if (*out < lo || *out > hi)
		return cscg_fail(err, CSCG_ERANGE,
		    "the %s %g is outside %g..%g", what, *out, lo, hi);
	return 0;
}

static int
add_point(struct reader *r, const char *id, const char *lat_text,
    const char *lng_text, struct cscg_err *err)
{
	double lat, lng;
	int n = r->ids.names.n;

	if (get_number(lat_text, "latitude", -90, 90, &lat, err) < 0 ||
	    get_number(lng_text, "longitude", -180, 180, &lng, err) < 0)
		return -1;
	if (!*id)
		return cscg_fail(err, CSCG_EFORMAT, "an empty id");
	if (cscg_dict_find(&r->ids, id) >= 0)
		return cscg_fail(err, CSCG_EFORMAT,
		    "'%.40s' is already a point", id);
	if (cscg_dict_add(&r->ids, id, err) < 0)
		return -1;
	if (n == 0) {
		r->lat0 = lat;
		r->lng0 = lng;
	}
	return cscg_streets_add_point(r->net,
	    METRES_PER_DEGREE * cos(r->lat0 * M_PI / 180) *
		remainder(lng - r->lng0, 360),
	    METRES_PER_DEGREE * (lat - r->lat0), err);
}

static int
add_link(struct reader *r, const char *a, const char *b, bool directed,
    struct cscg_err *err)
{
	struct link_request *w;

	if (!strcmp(a, b))
		return cscg_fail(err, CSCG_EFORMAT,
		    "'%.40s' is linked to itself", a);
	if (r->n_requests == 2 * (size_t)CSCG_LINK_MAX)
		return cscg_fail(err, CSCG_ERANGE, "more than %d links",
		    2 * CSCG_LINK_MAX);
	if (cscg_grow(&r->request, &r->cap_requests, r->n_requests + 1,
		sizeof *w, err) < 0)
		return -1;
	w = r->request + r->n_requests++;
	w->file = r->n_files - 1;
	w->line = cscg_in_lineno(r->in);
	w->directed = directed;
	w->a = cscg_copy(a, strlen(a) + 1, 1, err);
	w->b = cscg_copy(b, strlen(b) + 1, 1, err);
	return w->a && w->b ? 0 : -1;
}

/* Parse one line, whose kind follows from its fields. */
static int
add_line(struct reader *r, char *line, struct cscg_err *err)
{
	char *f[FIELDS_MAX];
	int n = split(line, f);
	double x;

	if ((n == 4 || n == 5) && !strcmp(f[0], "N")) {
		if (n == 5 && get_number(f[4], "degree", 0, 1e9, &x, err) < 0)
			return -1;
		return add_point(r, f[1], f[2], f[3], err);
	}
	if (n == 3 && !strcmp(f[0], "L"))
		return add_link(r, f[1], f[2], false, err);
	if (n == 4 && strcmp(f[0], "L")) {
		if (get_number(f[1], "yaw", -1e9, 1e9, &x, err) < 0)
			return -1;
		return add_point(r, f[0], f[2], f[3], err);
	}
	if (n == 3 && strcmp(f[0], "N")) {
		if (get_number(f[1], "heading", -1e9, 1e9, &x, err) < 0)
			return -1;
		return add_link(r, f[0], f[2], true, err);
	}
	return cscg_fail(err, CSCG_EFORMAT,
	    "expected: N,id,latitude,longitude or L,id,id, or "
	    "id,yaw,latitude,longitude or id,heading,id");
}

static int
read_lines(struct reader *r, struct cscg_err *err)
{
	char *line;
	size_t len;
	int rc;

	while ((rc = cscg_in_line(r->in, &line, &len, err)) > 0) {
		if (len && line[len - 1] == '\r')
			line[--len] = '\0';
		if (!len || *line == '#')
			continue;
		if (strlen(line) != len) {
			cscg_fail(err, CSCG_EFORMAT, "a NUL byte");
			return fail_here(r, err);
		}
		if (add_line(r, line, err) < 0)
			return fail_here(r, err);
	}
	return rc;
}

static int
read_file(struct reader *r, const char *path, struct cscg_err *err)
{
	char **file, *name;
	int rc;

	r->in = cscg_in_open(path, err);
	if (!r->in)
		return -1;
	name = strdup(cscg_in_name(r->in));
	file = realloc(r->file, ((size_t)r->n_files + 1) * sizeof *file);
	if (file)
		r->file = file;
	if (file && name) {
		file[r->n_files++] = name;
		rc = read_lines(r, err);
	} else {
		free(name);
		rc = cscg_fail(err, CSCG_ENOMEM, "out of memory");
	}
	cscg_in_close(r->in);
	r->in = NULL;
	return rc;
}

/* A file, or the two of a directory. */
static int
read_path(struct reader *r, const char *path, struct cscg_err *err)
{
	static const char *const two[] = { "nodes.txt", "links.txt" };
	size_t size = strlen(path) + 16;
	struct stat st;
	char *name;
	int i, rc = 0;

	if (!strcmp(path, "-") || stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return read_file(r, path, err);
	name = cscg_alloc(size, 1, err);
	if (!name)
		return -1;
	for (i = 0; i < 2 && rc == 0; i++) {
		snprintf(name, size, "%s/%s", path, two[i]);
		rc = read_file(r, name, err);
	}
	free(name);
	return rc;
}

/* A link whose points are resolved, for sorting. */
struct pair {
	int a, b;      /* a < b */
	bool reversed; /* whether it was given from b to a */
	size_t request;
};

static int
by_points(const void *px, const void *py)
{
	const struct pair *x = px, *y = py;

	if (x->a != y->a)
		return (x->a > y->a) - (x->a < y->a);
	if (x->b != y->b)
		return (x->b > y->b) - (x->b < y->b);
	if (x->reversed != y->reversed)
		return x->reversed - y->reversed;
	return (x->request > y->request) - (x->request < y->request);
}

static int
by_request(const void *px, const void *py)
{
	const struct pair *x = px, *y = py;

	return (x->request > y->request) - (x->request < y->request);
}

static int
fail_link(const struct reader *r, size_t i, struct cscg_err *err)
{
	return cscg_fail_at(err, "%s: line %ld", r->file[r->request[i].file],
	    r->request[i].line);
}

static int
find_points(const struct reader *r, struct pair *pair, struct cscg_err *err)
{
	const char *id;
	size_t i;
	int a, b;

	for (i = 0; i < r->n_requests; i++) {
		a = cscg_dict_find(&r->ids, r->request[i].a);
		b = cscg_dict_find(&r->ids, r->request[i].b);
		if (a < 0 || b < 0) {
			id = a < 0 ? r->request[i].a : r->request[i].b;
			cscg_fail(err, CSCG_EFORMAT,
			    "'%.40s' is not the id of a point", id);
			return fail_link(r, i, err);
		}
		pair[i] = (struct pair){ a < b ? a : b, a < b ? b : a, a > b,
			i };
	}
	return 0;
}

/* The same link was given twice. */
static int
fail_twice(const struct reader *r, const struct pair *x, const struct pair *y,
    struct cscg_err *err)
{
	size_t old = x->request < y->request ? x->request : y->request;
	size_t fresh = x->request < y->request ? y->request : x->request;

	cscg_fail(err, CSCG_EFORMAT,
	    "'%.40s' and '%.40s' are already linked, in line %ld",
	    r->request[fresh].a, r->request[fresh].b, r->request[old].line);
	return fail_link(r, fresh, err);
}

/*
 * Drop the reverse of links that are given in both directions; any other
 * repetition is an error.  Returns the number of links that remain, or -1.
 */
static long
drop_reverse_links(const struct reader *r, struct pair *pair,
    struct cscg_err *err)
{
	struct pair last = { -1, -1, false, 0 };
	size_t i;
	long n = 0;

	qsort(pair, r->n_requests, sizeof *pair, by_points);
	for (i = 0; i < r->n_requests; i++) {
		struct pair p = pair[i];

		if (p.a != last.a || p.b != last.b)
			pair[n++] = p;
		else if (p.reversed == last.reversed ||
		    !r->request[p.request].directed ||
		    !r->request[last.request].directed)
			return fail_twice(r, &last, &p, err);
		last = p;
	}
	return n;
}

static int
resolve_links(struct reader *r, struct cscg_err *err)
{
	struct pair *pair = cscg_alloc(r->n_requests, sizeof *pair, err);
	long n, i;
	int rc = -1;

	if (!pair || find_points(r, pair, err) < 0)
		goto out;
	n = drop_reverse_links(r, pair, err);
	if (n < 0)
		goto out;
	qsort(pair, n, sizeof *pair, by_request);
	for (i = 0; i < n; i++)
		if (cscg_streets_add_link(r->net, pair[i].a, pair[i].b, err) <
		    0)
			goto out;
	rc = 0;
out:
	free(pair);
	return rc;
}

static void
free_reader(struct reader *r)
{
	size_t i;

	cscg_dict_free(&r->ids);
	for (i = 0; i < r->n_requests; i++) {
		free(r->request[i].a);
		free(r->request[i].b);
	}
	free(r->request);
	for (i = 0; i < (size_t)r->n_files; i++)
		free(r->file[i]);
	free(r->file);
}

struct cscg_streets *
cscg_streets_read(char *const *path, int n, struct cscg_err *err)
{
	struct reader r = { .net = cscg_streets_new(err) };
	int i, rc = r.net ? 0 : -1;

	for (i = 0; i < n && rc == 0; i++)
		rc = read_path(&r, path[i], err);
	if (rc == 0)
		rc = resolve_links(&r, err);
	if (rc == 0 && !r.net->n_points)
		rc = cscg_fail(err, CSCG_EFORMAT, "%s: no points",
		    r.file ? r.file[0] : "no file");
	free_reader(&r);
	if (rc < 0) {
		cscg_streets_free(r.net);
		r.net = NULL;
	}
	return r.net;
}

/*
 * a synthetic street network
 *
 * Real towns are neither grids nor random graphs: most junctions join three or
 * four streets, blocks are longer in one direction, some streets end.  The
 * generator lays out an uneven grid, omits streets, lets some end inside a
 * block, cuts corners with a few diagonals, and bends streets with points of
 * degree 2.
 */

enum { LINES = 24 }; /* streets in each direction */

#define LEFT_OUT \
	.06 /* share of the streets between crossings that are omitted */
#define ENDING .08   /* ... from which a dead end branches off midway */
#define BENT .3      /* ... with a bend */
#define DIAGONAL .01 /* share of the blocks with a diagonal */

/* Uniform on lo..hi. */
static double
between(struct cscg_rng *rng, double lo, double hi)
{
	return lo + (hi - lo) * cscg_rng_uniform(rng);
}

/* Lines at uneven distances, most blocks near the shorter end of lo..hi. */
static void
draw_lines(double *at, double lo, double hi, struct cscg_rng *rng)
{
	int i;

	at[0] = 0;
	for (i = 1; i < LINES; i++) {
		double u = cscg_rng_uniform(rng);

		at[i] = at[i - 1] + lo + (hi - lo) * u * u;
	}
}

/* The crossings, each a little off the lines. */
static int
draw_crossings(struct cscg_streets *net, struct cscg_rng *rng,
    struct cscg_err *err)
{
	double east[LINES], north[LINES], up;
	int r, c;

	draw_lines(east, 90, 260, rng);
	draw_lines(north, 60, 130, rng);
	for (r = 0; r < LINES; r++)
		for (c = 0; c < LINES; c++) {
			up = between(rng, -12, 12);
			if (cscg_streets_add_point(net,
				east[c] + between(rng, -15, 15), north[r] + up,
				err) < 0)
				return -1;
		}
	return 0;
}

/*
 * A point between a and b, displaced from the straight line by a share of its
 * length.
 */
static int
draw_midway(struct cscg_streets *net, int a, int b, double off,
    struct cscg_err *err)
{
	double de = net->east[b] - net->east[a];
	double dn = net->north[b] - net->north[a];

	return cscg_streets_add_point(net, net->east[a] + de / 2 + off * dn,
	    net->north[a] + dn / 2 - off * de, err);
}

/* A street from a to b: straight, bent, or with a dead end beside it. */
static int
draw_street(struct cscg_streets *net, int a, int b, struct cscg_rng *rng,
    struct cscg_err *err)
{
	bool ending = cscg_rng_uniform(rng) < ENDING;
	bool bent = cscg_rng_uniform(rng) < BENT;
	double bend = between(rng, -.08, .08);
	double out = cscg_rng_uniform(rng) < .5 ? -.3 : .3;
	int mid = (int)net->n_points;

	if (!ending && !bent)
		return cscg_streets_add_link(net, a, b, err);
	if (draw_midway(net, a, b, bend, err) < 0 ||
	    cscg_streets_add_link(net, a, mid, err) < 0 ||
	    cscg_streets_add_link(net, mid, b, err) < 0)
		return -1;
	if (!ending)
		return 0;
	if (draw_midway(net, a, b, bend + out, err) < 0)
		return -1;
	return cscg_streets_add_link(net, mid, mid + 1, err);
}

static int
draw_streets(struct cscg_streets *net, struct cscg_rng *rng,
    struct cscg_err *err)
{
	int v, w, direction;

	for (v = 0; v < LINES * LINES; v++) {
		for (direction = 0; direction < 2; direction++) {
			if (direction ? v / LINES == LINES - 1 :
					v % LINES == LINES - 1)
				continue;
			w = v + (direction ? LINES : 1);
			if (cscg_rng_uniform(rng) >= LEFT_OUT &&
			    draw_street(net, v, w, rng, err) < 0)
				return -1;
		}
		if (v % LINES < LINES - 1 && v / LINES < LINES - 1 &&
		    cscg_rng_uniform(rng) < DIAGONAL &&
		    cscg_streets_add_link(net, v, v + LINES + 1, err) < 0)
			return -1;
	}
	return 0;
}

struct cscg_streets *
cscg_streets_generate(struct cscg_rng *rng, struct cscg_err *err)
{
	struct cscg_streets *net = cscg_streets_new(err);

	if (net &&
	    (draw_crossings(net, rng, err) < 0 ||
		draw_streets(net, rng, err) < 0)) {
		cscg_streets_free(net);
		net = NULL;
	}
	return net;
}

/*
 * a neighbourhood of a town as a room
 *
 * All streets of the reached nodes belong to the neighbourhood with both ends.
 * So a view is kept if the node at either end of its street was reached.
 */

enum { FORWARD, LEFT, RIGHT, N_ACTIONS };

static const char *const actions[] = { "forward", "left", "right", NULL };

#define METRES 50. /* of a unit of coordinates */
#define BESIDE .3  /* distance of a view from its node, in units */

/* The neighbourhood while it is built. */
struct neighbourhood {
	const struct cscg_town *town;
	struct cscg_bfs search;
	bool *expanded; /* [n_nodes of town] */
	int *view;      /* [streets of town] its node in the room, or -1 */
	int *street;    /* [n_views] and the inverse */
	int n_views;
};

static void
neighbourhood_free(struct neighbourhood *h)
{
	cscg_bfs_free(&h->search);
	free(h->expanded);
	free(h->view);
	free(h->street);
}

static int
neighbourhood_new(struct neighbourhood *h, const struct cscg_town *town,
    struct cscg_err *err)
{
	int n = town->n_nodes, n_streets = town->first[n], i;

	*h = (struct neighbourhood){ .town = town };
	h->expanded = cscg_alloc(n, sizeof *h->expanded, err);
	h->view = cscg_alloc(n_streets, sizeof *h->view, err);
	h->street = cscg_alloc(n_streets, sizeof *h->street, err);
	if (!h->expanded || !h->view || !h->street ||
	    cscg_bfs_fit(&h->search, n, err) < 0)
		return -1;
	for (i = 0; i < n_streets; i++)
		h->view[i] = -1;
	return 0;
}

/* Whether a neighbourhood can start at this node. */
static bool
can_start(const struct cscg_town *town, int v, int junctions)
{
	return town->size[v] >= junctions &&
	    town->first[v + 1] - town->first[v] > 2;
}

/* A junction in a component with enough of them, or -1. */
static int
draw_start(const struct cscg_town *town, int junctions, struct cscg_rng *rng)
{
	long n = 0, pick;
	int v;

	for (v = 0; v < town->n_nodes; v++)
		n += can_start(town, v, junctions);
	if (!n)
		return -1;
	pick = cscg_rng_below(rng, n);
	for (v = 0; !can_start(town, v, junctions) || pick-- > 0; v++)
		;
	return v;
}

/* Search until the given number of junctions is expanded. */
static void
breadth_first(struct neighbourhood *h, int start, int junctions)
{
	const struct cscg_town *town = h->town;
	int i, v;

	cscg_bfs_reach(&h->search, start, -1, -1);
	while (junctions > 0 && (v = cscg_bfs_next(&h->search)) >= 0) {
		h->expanded[v] = true;
		junctions -= is_junction(town, v);
		for (i = town->first[v]; i < town->first[v + 1]; i++)
			cscg_bfs_reach(&h->search, far_end(town, i), v, i);
	}
}

static void
number_views(struct neighbourhood *h)
{
	const struct cscg_town *town = h->town;
	int p, i, v;

	for (p = 0; p < h->search.n_reached; p++) {
		v = h->search.queue[p];
		for (i = town->first[v]; i < town->first[v + 1]; i++)
			if (h->expanded[v] || h->expanded[far_end(town, i)]) {
				h->view[i] = h->n_views;
				h->street[h->n_views++] = i;
			}
	}
}

/*
 * The next street of the neighbourhood at this node, in steps of step around
 * it.
 */
static int
next_street(const struct neighbourhood *h, int street, int step)
{
	int v = h->town->street[street].node;
	int from = h->town->first[v], n = h->town->first[v + 1] - from;
	int i = street - from;

	do
		i = (i + step + n) % n;
	while (h->view[from + i] < 0);
	return from + i;
}

/* The angle of a bearing to the right of heading, in (-pi, pi]. */
static double
relative_bearing(double bearing, double heading)
{
	double d = remainder(bearing - heading, 2 * M_PI);

	return d <= -M_PI ? d + 2 * M_PI : d;
}

/* The street faced after arriving by street at its far end. */
static int
arrival_street(const struct neighbourhood *h, int street)
{
	const struct cscg_street *s = h->town->street;
	int back = s[street].twin, v = s[back].node, i, best = back;
	double heading = s[back].bearing + M_PI, d, least = M_PI;

	for (i = h->town->first[v]; i < h->town->first[v + 1]; i++) {
		if (h->view[i] < 0 || i == back)
			continue;
		d = relative_bearing(s[i].bearing, heading);
		/* Rounding must not decide between left and right. */
		if (best == back || fabs(d) < least - 1e-9 ||
		    (fabs(d) < least + 1e-9 && d > 0)) {
			best = i;
			least = fabs(d);
		}
	}
	return best;
}

static int
set_edges(const struct neighbourhood *h, struct cscg_room *room,
    struct cscg_err *err)
{
	struct cscg_edge *e = cscg_alloc((size_t)N_ACTIONS * h->n_views,
	    sizeof *e, err);
	long n = 0;
	int i, rc;

	if (!e)
		return -1;
	for (i = 0; i < h->n_views; i++) {
		int street = h->street[i];

		e[n++] = (struct cscg_edge){ FORWARD, i,
			h->view[arrival_street(h, street)], 1 };
		e[n++] = (struct cscg_edge){ LEFT, i,
			h->view[next_street(h, street, -1)], 1 };
		e[n++] = (struct cscg_edge){ RIGHT, i,
			h->view[next_street(h, street, 1)], 1 };
	}
	rc = cscg_room_set_edges(room, e, n, err);
	free(e);
	return rc;
}

static void
set_coords(const struct neighbourhood *h, struct cscg_room *room)
{
	int o = h->search.queue[0], i;

	for (i = 0; i < h->n_views; i++) {
		const struct cscg_street *s = h->town->street + h->street[i];

		room->coords[2 * i] = -BESIDE * cos(s->bearing) -
		    (h->town->north[s->node] - h->town->north[o]) / METRES;
		room->coords[2 * i + 1] = BESIDE * sin(s->bearing) +
		    (h->town->east[s->node] - h->town->east[o]) / METRES;
	}
}

static struct cscg_room *
new_room(const struct neighbourhood *h, struct cscg_err *err)
{
	struct cscg_room *room;

	if (h->n_views > CSCG_NODE_MAX) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "the neighbourhood has %d views, more than %d", h->n_views,
		    CSCG_NODE_MAX);
		return NULL;
	}
	room = cscg_room_new(h->n_views, N_ACTIONS, h->n_views, err);
	if (!room)
		return NULL;
	cscg_room_label_unique(room);
	room->coords = cscg_alloc(2 * (size_t)h->n_views, sizeof *room->coords,
	    err);
	if (!room->coords || set_edges(h, room, err) < 0 ||
	    cscg_names_set(&room->actions, actions, err) < 0) {
		cscg_room_free(room);
		return NULL;
	}
	set_coords(h, room);
	return room;
}

struct cscg_room *
cscg_town_room(const struct cscg_town *town, int junctions,
    struct cscg_rng *rng, struct cscg_err *err)
{
	int start = draw_start(town, junctions, rng), most = 0, v;
	struct cscg_room *room = NULL;
	struct neighbourhood h;

	if (start < 0) {
		for (v = 0; v < town->n_nodes; v++)
			if (town->size[v] > most)
				most = town->size[v];
		cscg_fail(err, CSCG_EMISMATCH,
		    "%d junctions are requested, but the largest connected "
		    "part has %d",
		    junctions, most);
		return NULL;
	}
	if (neighbourhood_new(&h, town, err) == 0) {
		breadth_first(&h, start, junctions);
		number_views(&h);
		room = new_room(&h, err);
	}
	neighbourhood_free(&h);
	return room;
}
