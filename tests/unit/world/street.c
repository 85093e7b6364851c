/* street - networks to views, turns and steps, files, random towns */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "need.h"
#include "world/street.h"
#include "tap.h"

enum { FORWARD, LEFT, RIGHT };

/* A network from n points (east, north) and m links. */
static struct cscg_streets *
network(const double (*p)[2], int n, const int (*l)[2], int m)
{
	struct cscg_streets *net = need(cscg_streets_new(&err));
	int i;

	for (i = 0; i < n; i++)
		if (cscg_streets_add_point(net, p[i][0], p[i][1], &err) < 0)
			need(NULL);
	for (i = 0; i < m; i++)
		if (cscg_streets_add_link(net, l[i][0], l[i][1], &err) < 0)
			need(NULL);
	return net;
}

static struct cscg_town *
town_of(const double (*p)[2], int n, const int (*l)[2], int m)
{
	struct cscg_streets *net = network(p, n, l, m);
	struct cscg_town *town = cscg_town_new(net, &err);

	cscg_streets_free(net);
	return town;
}

static struct cscg_room *
room_of(const struct cscg_town *town, int junctions, int seed)
{
	struct cscg_rng rng;

	cscg_rng_seed(&rng, seed, CSCG_RNG_TEST, 0, 0);
	return cscg_town_room(town, junctions, &rng, &err);
}

/*
 * The view at a place, given in metres from the first one, that looks along a
 * bearing in degrees; -1: none.  Coordinates are in units of 50 m.
 */
static int
view(const struct cscg_room *room, double east, double north, double degrees)
{
	double t = degrees * M_PI / 180;
	int v;

	for (v = 0; v < room->n_nodes; v++)
		if (fabs(room->coords[2 * v] - (-north / 50 - .3 * cos(t))) <
			1e-6 &&
		    fabs(room->coords[2 * v + 1] - (east / 50 + .3 * sin(t))) <
			1e-6)
			return v;
	return -1;
}

/*
 * 	      N 1
 * 	      |	    5 E
 * 	W 3---0---4
 * 	      |
 * 	      S 2
 *
 * Point 4 only shapes the street from 0 to 5.
 */
static void
test_crossing(void)
{
	static const double p[][2] = { { 0, 0 }, { 0, 100 }, { 0, -100 },
		{ -100, 0 }, { 60, 0 }, { 60, 60 } };
	static const int l[][2] = { { 0, 1 }, { 2, 0 }, { 0, 3 }, { 4, 0 },
		{ 4, 5 } };
	struct cscg_town *town = need(town_of(p, 6, l, 5));
	struct cscg_room *room = need(room_of(town, 1, 1));
	int n, e, s, w;

	ok(town->n_nodes == 5 && town->first[1] == 4,
	    "a point of degree 2 is not a junction; the crossing keeps its "
	    "degree");
	ok(cscg_room_check(room, &err) == 0 && room->n_nodes == 8 &&
		room->n_obs == 8 &&
		!strcmp(room->actions.v[FORWARD], "forward") &&
		!strcmp(room->actions.v[LEFT], "left") &&
		!strcmp(room->actions.v[RIGHT], "right"),
	    "four streets are eight views, each with a symbol of its own");
	n = view(room, 0, 0, 0);
	e = view(room, 0, 0, 90);
	s = view(room, 0, 0, 180);
	w = view(room, 0, 0, 270);
	ok(n >= 0 && e >= 0 && s >= 0 && w >= 0,
	    "a crossing has four views, along its streets");
	ok(cscg_room_successor(room, RIGHT, n) == e &&
		cscg_room_successor(room, RIGHT, e) == s &&
		cscg_room_successor(room, RIGHT, s) == w &&
		cscg_room_successor(room, RIGHT, w) == n,
	    "right is clockwise");
	ok(cscg_room_successor(room, LEFT, n) == w &&
		cscg_room_successor(room, LEFT, e) == n &&
		cscg_room_successor(room, LEFT, s) == e &&
		cscg_room_successor(room, LEFT, w) == s,
	    "left is the inverse of right");
	ok(cscg_room_successor(room, FORWARD, n) == view(room, 0, 100, 180) &&
		cscg_room_successor(room, LEFT, view(room, 0, 100, 180)) ==
		    view(room, 0, 100, 180),
	    "a dead end has one view, and turns do not change it");
	ok(cscg_room_successor(room, FORWARD, view(room, 0, 100, 180)) == s &&
		cscg_room_successor(room, FORWARD, view(room, -100, 0, 90)) ==
		    e,
	    "the heading is kept across a crossing");
	ok(cscg_room_successor(room, FORWARD, e) == view(room, 60, 60, 180),
	    "a bent street leads to its end");
	ok(cscg_room_successor(room, FORWARD, view(room, 60, 60, 180)) == w,
	    "the heading on arrival is that of the last segment");
	cscg_room_free(room);
	cscg_town_free(town);
}

/*
 * Heading north to a T-junction, left and right are equally close: right is
 * taken.
 */
static void
test_tie(void)
{
	static const double p[][2] = { { 0, 0 }, { -100, 0 }, { 100, 0 },
		{ 0, -100 } };
	static const int one[][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 } };
	static const int two[][2] = { { 0, 2 }, { 0, 1 }, { 3, 0 } };
	struct cscg_town *a = need(town_of(p, 4, one, 3));
	struct cscg_town *b = need(town_of(p, 4, two, 3));
	struct cscg_room *ra = need(room_of(a, 1, 1));
	struct cscg_room *rb = need(room_of(b, 1, 1));

	ok(cscg_room_successor(ra, FORWARD, view(ra, 0, -100, 0)) ==
		view(ra, 0, 0, 90),
	    "of two streets at equal angles the right one is taken");
	ok(cscg_room_successor(rb, FORWARD, view(rb, 0, -100, 0)) ==
		view(rb, 0, 0, 90),
	    "the choice does not depend on the order of input");
	cscg_room_free(ra);
	cscg_room_free(rb);
	cscg_town_free(a);
	cscg_town_free(b);
}

/* A street around a block that ends where it begins. */
static void
test_loop(void)
{
	static const double p[][2] = { { 0, 0 }, { 50, 50 }, { -50, 50 },
		{ 0, -100 } };
	static const int l[][2] = { { 0, 1 }, { 1, 2 }, { 2, 0 }, { 0, 3 } };
	struct cscg_town *town = need(town_of(p, 4, l, 4));
	struct cscg_room *room = need(room_of(town, 1, 1));

	ok(town->n_nodes == 2 && town->first[1] == 3 && room->n_nodes == 4,
	    "both ends of a loop are views at the same junction");
	/* Round by the right, back from the upper left, heading southeast. */
	ok(cscg_room_successor(room, FORWARD, view(room, 0, 0, 45)) ==
		view(room, 0, 0, 180),
	    "forward around a loop continues to the south");
	ok(cscg_room_check(room, &err) == 0, "a room with a loop is valid");
	cscg_room_free(room);
	cscg_town_free(town);
}

/* Two junctions with two streets between them, one of them bent. */
static void
test_parallel(void)
{
	static const double p[][2] = { { 0, 0 }, { 100, 0 }, { 50, 50 },
		{ -50, 0 }, { 150, 0 } };
	static const int l[][2] = { { 0, 1 }, { 0, 2 }, { 2, 1 }, { 0, 3 },
		{ 1, 4 } };
	struct cscg_town *town = need(town_of(p, 5, l, 5));
	struct cscg_room *room = need(room_of(town, 2, 1));
	int i, good = 1;

	ok(town->n_nodes == 4 && room->n_nodes == 8,
	    "parallel streets between two junctions are separate");
	for (i = 0; i < town->first[town->n_nodes]; i++)
		good &= town->street[town->street[i].twin].twin == i;
	ok(good, "the twin of a street's twin is the street");
	cscg_room_free(room);
	cscg_town_free(town);
}

/*
 * Three crossings in a row, each with dead ends to both sides:
 *	  | | |
 *	--+-+-+--
 *	  | | |
 * k of them have 3 k + 1 streets, twice as many views.
 */
static void
test_spread(void)
{
	static const double p[][2] = { { 0, 0 }, { 100, 0 }, { 200, 0 },
		{ 0, 50 }, { 100, 50 }, { 200, 50 }, { 0, -50 }, { 100, -50 },
		{ 200, -50 }, { -100, 0 }, { 300, 0 } };
	static const int l[][2] = { { 0, 1 }, { 1, 2 }, { 0, 3 }, { 1, 4 },
		{ 2, 5 }, { 0, 6 }, { 1, 7 }, { 2, 8 }, { 0, 9 }, { 2, 10 } };
	struct cscg_town *town = need(town_of(p, 11, l, 10));
	struct cscg_room *room;
	int k, seed, good;

	for (k = 1; k <= 3; k++) {
		for (seed = 0, good = 1; seed < 20; seed++) {
			room = need(room_of(town, k, seed));
			good &= room->n_nodes == 2 * (3 * k + 1) &&
			    cscg_room_check(room, &err) == 0;
			cscg_room_free(room);
		}
		ok(good, "%d crossings have %d streets", k, 3 * k + 1);
	}
	ok(!room_of(town, 4, 1) && err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg,
		    "4 junctions are requested, but the largest connected "
		    "part has 3"),
	    "more junctions than the component has are refused");
	cscg_town_free(town);
	ok(!town_of(p, 11, l, 2) && err.code == CSCG_EFORMAT &&
		!strcmp(err.msg, "no junction: no point has three links"),
	    "a single street is not a town");
}

/* Two parts; only one of them is large enough. */
static void
test_parts(void)
{
	static const double p[][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { -1, 0 },
		{ 10, 0 }, { 12, 0 }, { 10, 1 }, { 9, 0 }, { 12, 1 },
		{ 13, 0 } };
	static const int l[][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 4, 5 },
		{ 4, 6 }, { 4, 7 }, { 5, 8 }, { 5, 9 } };
	struct cscg_town *town = need(town_of(p, 10, l, 8));
	struct cscg_room *room;
	int seed, good = 1;

	for (seed = 0; seed < 50; seed++) {
		room = need(room_of(town, 2, seed));
		good &= room->n_nodes == 10;
		cscg_room_free(room);
	}
	ok(good, "a component that is too small is never chosen");
	cscg_town_free(town);
}

/* Mean shortest path from each view to each other; 0 if one is unreachable. */
static double
optimum(const struct cscg_room *room)
{
	int n = room->n_nodes, s, a, v, w, head, tail;
	int *far = need(cscg_alloc(n, sizeof *far, &err));
	int *queue = need(cscg_alloc(n, sizeof *queue, &err));
	double sum = 0;

	for (s = 0; s < n; s++) {
		for (v = 0; v < n; v++)
			far[v] = -1;
		far[s] = 0;
		queue[0] = s;
		for (head = 0, tail = 1; head < tail; head++)
			for (a = 0; a < 3; a++) {
				v = queue[head];
				w = cscg_room_successor(room, a, v);
				if (far[w] >= 0)
					continue;
				far[w] = far[v] + 1;
				sum += far[w];
				queue[tail++] = w;
			}
		if (tail < n)
			sum = -1e300;
	}
	free(far);
	free(queue);
	return sum < 0 ? 0 : sum / ((double)n * (n - 1));
}

/*
 * Neighbourhoods of Manhattan have 29 views and a mean shortest path of 3.59
 * steps (28.4 and 3.61 over 1000 neighbourhoods); random towns should be
 * similar. The sd of a neighbourhood is about 2 views and 0.2 steps, of means
 * of 300 a seventeenth of that.
 */
static void
test_make(void)
{
	double views = 0, moves = 0, m;
	int sound = 1, turns = 1, reach = 1, dead = 0, five = 0;
	int seed, i, v, n = 0;

	for (seed = 0; seed < 6; seed++) {
		struct cscg_streets *net;
		struct cscg_town *town;
		struct cscg_rng rng;

		cscg_rng_seed(&rng, seed, CSCG_RNG_STREET, 0, 0);
		net = need(cscg_streets_generate(&rng, &err));
		town = need(cscg_town_new(net, &err));
		for (v = 0; v < town->n_nodes; v++) {
			dead += town->first[v + 1] - town->first[v] == 1;
			five += town->first[v + 1] - town->first[v] >= 5;
		}
		for (i = 0; i < 50; i++, n++) {
			struct cscg_room *room = need(cscg_town_room(town, 5,
			    &rng, &err));

			sound &= cscg_room_check(room, &err) == 0;
			for (v = 0; v < room->n_nodes; v++)
				turns &= cscg_room_successor(room, LEFT,
					     cscg_room_successor(room, RIGHT,
						 v)) == v &&
				    room->obs[v] == v;
			m = optimum(room);
			reach &= m > 0;
			views += room->n_nodes;
			moves += m;
			cscg_room_free(room);
		}
		cscg_town_free(town);
		cscg_streets_free(net);
	}
	ok(sound, "300 neighbourhoods of six towns are valid");
	ok(turns, "left is the inverse of right, and all symbols differ");
	ok(reach, "every view is reachable from every other");
	ok(views / n > 27.5 && views / n < 30.5,
	    "mean number of views is about 29: %.2f", views / n);
	ok(moves / n > 3.45 && moves / n < 3.75,
	    "mean distance is about 3.6: %.3f", moves / n);
	ok(dead > 6 && five > 6,
	    "dead ends and crossings of five occur: %d, %d", dead, five);
}

/* Files */

static char dir[] = "/tmp/cscg-street-XXXXXX";

static char *
put_file(const char *name, const char *text)
{
	char *path = need(malloc(strlen(dir) + strlen(name) + 2));
	FILE *f;

	sprintf(path, "%s/%s", dir, name);
	f = need(fopen(path, "w"));
	fputs(text, f);
	fclose(f);
	return path;
}

static struct cscg_streets *
read_text(const char *text)
{
	char *path = put_file("t", text);
	struct cscg_streets *net = cscg_streets_read(&path, 1, &err);

	unlink(path);
	free(path);
	return net;
}

/* Is text refused with this message after the name of the file? */
static int
refuses(const char *text, const char *why)
{
	struct cscg_streets *net = read_text(text);
	const char *at = strstr(err.msg, "': ");
	int good = !net && at && !strcmp(at + 3, why);

	if (!good)
		printf("# %s\n", net ? "accepted" : err.msg);
	cscg_streets_free(net);
	return good;
}

static void
test_read(void)
{
	struct cscg_streets *net = need(
	    read_text("# a remark\n\n"
		      "L,a,b\r\nN,a,60,10,1\nN,b,60.001,10.001\n"));
	char *nodes, *links, *both[2], *one = dir;

	ok(net->n_points == 2 && net->n_links == 1 && net->link[0][0] == 0 &&
		net->link[0][1] == 1,
	    "points and links are read in any order");
	/* A degree is 111.32 km; at 60 degrees of latitude half of it east. */
	ok(near(net->north[1], 111.32, 1e-9) &&
		near(net->east[1], 55.66, 1e-9) && net->east[0] == 0,
	    "degrees are converted to metres");
	cscg_streets_free(net);
	net = need(read_text("N,a,0,179.9995\nN,b,0,-179.9995\nL,b,a\n"));
	ok(near(net->east[1], 111.32, 1e-6),
	    "longitudes across 180 degrees are converted");
	cscg_streets_free(net);

	nodes = put_file("nodes.txt",
	    "p,117,60,10\nq,-3.5,60.001,10.001\n"
	    "r,0,60,10.001\n");
	links = put_file("links.txt", "p,297,q\nq,118,p\nr,0,q\n");
	both[0] = links;
	both[1] = nodes;
	net = need(cscg_streets_read(both, 2, &err));
	ok(net->n_points == 3 && net->n_links == 2 &&
		near(net->north[1], 111.32, 1e-9),
	    "nodes.txt and links.txt are read, links in one or both "
	    "directions");
	cscg_streets_free(net);
	net = need(cscg_streets_read(&one, 1, &err));
	ok(net->n_points == 3 && net->n_links == 2,
	    "a directory with both files is read");
	cscg_streets_free(net);
	unlink(links);
	ok(!cscg_streets_read(&one, 1, &err) && err.code == CSCG_EREAD &&
		strstr(err.msg, "/links.txt': No such file or directory"),
	    "a directory that lacks a file is refused");
	unlink(nodes);
	free(nodes);
	free(links);
}

#define TWO "N,a,0,0\nN,b,0,1\n"

static void
test_faults(void)
{
	const char *form =
	    "line 1: expected: N,id,latitude,longitude or L,id,id, or "
	    "id,yaw,latitude,longitude or id,heading,id";

	ok(refuses("", "no points"), "an empty file is refused");
	ok(!cscg_streets_read(NULL, 0, &err) && err.code == CSCG_EFORMAT &&
		!strcmp(err.msg, "no file: no points"),
	    "no file is refused");
	ok(refuses("# nothing\n", "no points"),
	    "a file of comments only is refused");
	ok(refuses("hello\n", form), "a word is refused");
	ok(refuses("N,1,2\n", form), "a point without longitude is refused");
	ok(refuses("N,1,2,3,4,5\n", form),
	    "a point with a field too many is refused");
	ok(refuses("L,1,2,3\n", form), "a link of three points is refused");
	ok(refuses("N,1,x,3\n", "line 1: the latitude 'x' is not a number"),
	    "a latitude that is text is refused");
	ok(refuses("N,1,nan,3\n",
	       "line 1: the latitude 'nan' is not a number"),
	    "a latitude of NaN is refused");
	ok(refuses("N,1,,3\n", "line 1: the latitude '' is not a number"),
	    "an empty latitude is refused");
	ok(refuses("N,1,91,3\n", "line 1: the latitude 91 is outside -90..90"),
	    "a latitude out of range is refused");
	ok(refuses("N,1,1e999,3\n",
	       "line 1: the latitude '1e999' is not a number"),
	    "a latitude that overflows is refused");
	ok(refuses("N,1,2,181\n",
	       "line 1: the longitude 181 is outside -180..180"),
	    "a longitude out of range is refused");
	ok(refuses("N,1,2,3,x\n", "line 1: the degree 'x' is not a number"),
	    "a degree that is text is refused");
	ok(refuses("p,north,2,3\n", "line 1: the yaw 'north' is not a number"),
	    "a yaw that is text is refused");
	ok(refuses("N,,2,3\n", "line 1: an empty id"),
	    "an empty id is refused");
	ok(refuses("N,a,2,3\nN,a,2,4\n", "line 2: 'a' is already a point"),
	    "a repeated id is refused");
	ok(refuses(TWO "L,a,c\n", "line 3: 'c' is not the id of a point"),
	    "an unknown id is refused");
	ok(refuses(TWO "L,a,a\n", "line 3: 'a' is linked to itself"),
	    "a link from a point to itself is refused");
	ok(refuses(TWO "L,a,b\nL,a,b\n",
	       "line 4: 'a' and 'b' are already linked, in line 3"),
	    "a repeated link is refused");
	ok(refuses(TWO "L,a,b\nL,b,a\n",
	       "line 4: 'b' and 'a' are already linked, in line 3"),
	    "a repeated link in the other direction is refused");
	ok(refuses(TWO "b,0,a\na,0,b\nb,7,a\n",
	       "line 5: 'b' and 'a' are already linked, in line 3"),
	    "a repeated link among links in both directions is refused");
	ok(refuses(TWO "a,0,b\nL,a,b\n",
	       "line 4: 'a' and 'b' are already linked, in line 3"),
	    "a link in both formats is refused");
}

int
main(void)
{
	need(mkdtemp(dir));
	test_crossing();
	test_tie();
	test_loop();
	test_parallel();
	test_spread();
	test_parts();
	test_make();
	test_read();
	test_faults();
	rmdir(dir);
	return done();
}
