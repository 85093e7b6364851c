/*
 * street_io.c - street networks as text
 *
 * Files may come in any order, so links are kept as text until all points are
 * known.  Positions are turned into metres around the first point, which is
 * exact enough for a town.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/dict.h"
#include "base/mem.h"
#include "io/stream.h"
#include "world/street_io.h"

enum { FIELDS_MAX = 6 };	/* one more than the longest line has */

#define METRES_PER_DEGREE 111320.

/* What has been read, and where we are. */
struct reader {
	struct cscg_streets *net;
	struct cscg_dict ids;
	double lat0, lng0;	/* the first point */
	struct cscg_in *in;
	char **file;		/* names of the files, as messages have them */
	int n_files;
	struct link_request {		/* a link that was asked for */
		char *a, *b;
		int file;
		long line;
		bool directed;	/* may be asked for again, the other way */
	} *request;
	size_t n_requests, cap_requests;
};

/* Prepend the place; the stream's own fault comes first. */
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
		return cscg_fail(err, CSCG_EFORMAT, "the %s '%.40s' is not a "
		    "number", what, s);
	if (*out < lo || *out > hi)
		return cscg_fail(err, CSCG_ERANGE, "the %s %g is outside "
		    "%g..%g", what, *out, lo, hi);
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
		return cscg_fail(err, CSCG_EFORMAT, "'%.40s' is a point "
		    "already", id);
	if (cscg_dict_add(&r->ids, id, err) < 0)
		return -1;
	if (n == 0) {
		r->lat0 = lat;
		r->lng0 = lng;
	}
	return cscg_streets_add_point(r->net, METRES_PER_DEGREE *
	    cos(r->lat0 * M_PI / 180) * remainder(lng - r->lng0, 360),
	    METRES_PER_DEGREE * (lat - r->lat0), err);
}

static int
add_link(struct reader *r, const char *a, const char *b, bool directed,
    struct cscg_err *err)
{
	struct link_request *w;

	if (!strcmp(a, b))
		return cscg_fail(err, CSCG_EFORMAT, "'%.40s' is linked to "
		    "itself", a);
	if (r->n_requests == 2 * (size_t)CSCG_LINK_MAX)
		return cscg_fail(err, CSCG_ERANGE, "more than %d links",
		    2 * CSCG_LINK_MAX);
	if (cscg_grow(&r->request, &r->cap_requests, r->n_requests + 1, sizeof *w,
	    err) < 0)
		return -1;
	w = r->request + r->n_requests++;
	w->file = r->n_files - 1;
	w->line = cscg_in_lineno(r->in);
	w->directed = directed;
	w->a = cscg_copy(a, strlen(a) + 1, 1, err);
	w->b = cscg_copy(b, strlen(b) + 1, 1, err);
	return w->a && w->b ? 0 : -1;
}

/* One line, by the look of it. */
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
	return cscg_fail(err, CSCG_EFORMAT, "wanted: N,id,latitude,longitude "
	    "or L,id,id, or id,yaw,latitude,longitude or id,heading,id");
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

/* A wish with its points known, for sorting. */
struct pair {
	int a, b;		/* a < b */
	bool reversed;		/* it was b to a */
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
			cscg_fail(err, CSCG_EFORMAT, "'%.40s' is no point: "
			    "there is no such id", id);
			return fail_link(r, i, err);
		}
		pair[i] = (struct pair){ a < b ? a : b, a < b ? b : a, a > b,
		    i };
	}
	return 0;
}

/* The same link was asked for twice. */
static int
fail_twice(const struct reader *r, const struct pair *x, const struct pair *y,
    struct cscg_err *err)
{
	size_t old = x->request < y->request ? x->request : y->request;
	size_t new = x->request < y->request ? y->request : x->request;

	cscg_fail(err, CSCG_EFORMAT, "'%.40s' and '%.40s' are linked already, "
	    "in line %ld", r->request[new].a, r->request[new].b, r->request[old].line);
	return fail_link(r, new, err);
}

/*
 * Drop the way back of links that are given each way; anything else given
 * twice is more likely a slip than a wish.  Returns how many remain, or -1.
 */
static long
drop_reverse_links(const struct reader *r, struct pair *pair, struct cscg_err *err)
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
		    !r->request[p.request].directed || !r->request[last.request].directed)
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
		if (cscg_streets_add_link(r->net, pair[i].a, pair[i].b, err) < 0)
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
