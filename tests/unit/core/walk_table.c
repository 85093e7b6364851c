/*
 * walk_table.c - settings of the table reader that walkconv has no option for;
 * tables of positions and times, and tables as they are written
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/walk_io.h"
#include "core/walk_table.h"
#include "io/npy.h"
#include "need.h"
#include "tap.h"

static struct cscg_walk *
read_table(const char *path, const struct cscg_walk_table_options *opt)
{
	struct cscg_in *in = cscg_in_open(path, &err);
	struct cscg_walk_table *table = in ? cscg_walk_table_new(opt, &err) :
					     NULL;
	struct cscg_walk *walk = NULL;

	if (table && cscg_walk_table_read_csv(table, in, ',', &err) == 0)
		walk = cscg_walk_table_to_walk(table, &err);
	cscg_walk_table_free(table);
	cscg_in_close(in);
	return walk;
}

static int
is(const int *got, int a, int b, int c, int d)
{
	return got[0] == a && got[1] == b && got[2] == c && got[3] == d;
}

static char path[] = "/tmp/cscg-table.XXXXXX",
	    back[] = "/tmp/cscg-back.XXXXXX";

static void
put(const char *text)
{
	FILE *f = need(fopen(path, "w"));

	fputs(text, f);
	fclose(f);
}

/* The walk, which is freed, written as a table; without one the message. */
static const char *
written(struct cscg_walk *walk, bool numbers)
{
	static char got[1024];
	struct cscg_out *out;
	const char *colon;
	FILE *f;

	if (!walk) {
		colon = strstr(err.msg, ": ");
		return colon ? colon + 2 : err.msg;
	}
	out = need(cscg_out_open(back, 0, &err));
	need(cscg_walk_table_write_csv(walk, out, ',', numbers, &err) < 0 ||
		    cscg_out_close(out, &err) < 0 ?
		NULL :
		walk);
	cscg_walk_free(walk);
	f = need(fopen(back, "r"));
	got[fread(got, 1, sizeof got - 1, f)] = '\0';
	fclose(f);
	return got;
}

/* A table read and written as a table: its text, or the message. */
static const char *
csv(const char *text, const struct cscg_walk_table_options *opt, bool numbers)
{
	put(text);
	err = (struct cscg_err){ 0 };
	return written(read_table(path, opt), numbers);
}

static void
test_write(void)
{
	static const struct cscg_walk_table_options plain;
	const char *text = "episode,x,a,z,reset,r,goal\n"
			   "0,red,left,4,0,0.5,blue\n"
			   "0,blue,,,1,,\n"
			   "1,,right,0,0,-1e-07,red\n"
			   "1,red,,7,0,0.10000000000000001,\n";

	same_text(csv("x,a\nred,left\nblue,\n", &plain, false),
	    "episode,x,a\n0,red,left\n0,blue,\n", "a table with names");
	same_text(csv("x,a\nred,left\nblue,\n", &plain, true),
	    "episode,x,a\n0,0,0\n0,1,\n", "a table with numbers");
	same_text(csv(text, &plain, false),
	    "episode,x,a,z,reset,r,goal\n"
	    "0,red,left,4,0,0.5,blue\n"
	    "0,blue,,,1,,\n"
	    "1,,right,0,0,-1e-07,red\n"
	    "1,red,,7,0,0.1,\n",
	    "all columns; reals have the fewest digits that restore them");
}

/* Positions: cells of width 1, the observation is the cell. */
static void
test_positions(void)
{
	static char px[] = "px", py[] = "py", *both[] = { px, py };
	struct cscg_measure_options measure = { .n_axes = 2,
		.bins = CSCG_BINS_CELL,
		.cell = { 1, 1 },
		.gap = -1,
		.episode_gap = -1 };
	struct cscg_walk_table_options opt = { .measure = &measure,
		.bin = both };
	const char *text = "px,py,a\n0.5,0.5,go\n1.5,0.5,stay\n"
			   "1.5,1.5,go\n1.5,1.7,turn\n";

	same_text(csv(text, &opt, false),
	    "episode,x,a\n0,0:0,go\n0,1:0,stay\n0,1:1,go\n0,1:1,\n",
	    "cells as observations, with the actions of the table");
	measure.moves = true;
	same_text(csv(text, &opt, false),
	    "episode,x,a\n0,0:0,go\n0,1:0,stay\n0,1:1,\n",
	    "a sample in the same cell is no step");
	measure.derive = CSCG_DERIVE_COMPASS4;
	same_text(csv(text, &opt, false),
	    "episode,x,a\n0,0:0,east\n0,1:0,north\n0,1:1,\n",
	    "actions are the directions of the displacements");
	measure.y_down = true;
	same_text(csv(text, &opt, false),
	    "episode,x,a\n0,0:0,east\n0,1:0,south\n0,1:1,\n",
	    "y downwards exchanges north and south");
	measure.n_axes = 1;
	measure.derive = CSCG_DERIVE_NONE;
	same_text(csv(text, &opt, false), "episode,x,a\n0,0,0\n0,1,\n",
	    "one axis and one action");
	same_text(csv("px,py\n0,1\nnorth,1\n", &opt, false),
	    "line 3: 'north' is not a number",
	    "a position that is not a number is refused");
}

/* Rows at least two seconds apart, by clocks of several zones. */
static void
test_times(void)
{
	struct cscg_measure_options measure = {
		.thin_time = 2, .gap = -1, .episode_gap = -1
	};
	struct cscg_walk_table_options opt = { .measure = &measure, .a = "" };
	static const char *const bad[] = { "noon", "2021-13-01T10:00:00",
		"2021-00-01T10:00:00", "2021-03-04T10:00", "10:00:00+1",
		"10:00:00+01:00x", "10:00:00x", "10:00:00 +01:00" };
	char text[128], want[128];
	size_t i;

	same_text(csv("time,x\n2021-03-04T10:00:00Z,a\n"
		      "2021-03-04T10:00:01,b\n"
		      "2021-03-04T12:00:02+02:00,c\n"
		      "2021-03-04 06:30:03-0330,d\n"
		      "2021-03-04T11:30:04+0130,e\n",
		      &opt, false),
	    "episode,x,a\n0,a,0\n0,c,0\n0,e,\n",
	    "times of several zones on one day");
	/* The last second of February and the first of March: 2000 and 2020
	 * are leap years, 2100 is not. */
	same_text(csv("t,x\n1999-12-31T23:59:59,a\n2000-01-01T00:00:00,b\n"
		      "2000-02-29T23:59:59,c\n2000-03-01T00:00:00,d\n"
		      "2100-02-28T23:59:59,e\n2100-03-01T00:00:00,f\n",
		      &opt, false),
	    "episode,x,a\n0,a,0\n0,c,0\n0,e,\n",
	    "times across days and leap years");
	same_text(csv("seconds,x\n0,a\n1.5,b\n2,c\n1e1,d\n", &opt, false),
	    "episode,x,a\n0,a,0\n0,c,0\n0,d,\n", "times in seconds");
	same_text(csv("t,x\n5,a\n4,b\n", &opt, false),
	    "line 3: time goes back from 5 to 4",
	    "decreasing time is refused");
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		snprintf(text, sizeof text, "t,x\n%s,a\n", bad[i]);
		snprintf(want, sizeof want,
		    "line 2: time '%s' is neither a number nor like "
		    "2021-03-04T10:05:06",
		    bad[i]);
		same_text(csv(text, &opt, false), want, bad[i]);
	}
	measure.thin_time = 0;
	measure.thin = 2;
	same_text(csv("t,x\nnoon,a\nnight,b\nnoon,c\n", &opt, false),
	    "episode,x,a\n0,a,0\n0,c,\n",
	    "times are not parsed unless an option needs them");
	measure.thin = 0;
	measure.gap = 0;
	same_text(csv("t,x\n1,a\n1,b\n2,c\n", &opt, false),
	    "episode,x,a,reset\n0,a,0,0\n0,b,0,0\n0,c,,1\n",
	    "a gap is a reset");
	measure.gap = -1;
	measure.episode_gap = 1;
	same_text(csv("t,x\n1,a\n2,b\n4,c\n", &opt, false),
	    "episode,x,a\n0,a,0\n0,b,\n1,c,\n", "a long gap ends the episode");
}

/* Names of columns: of three header lines, or numbers. */
static void
test_names(void)
{
	static char nx[] = "nose.x", ny[] = "nose.y", *both[] = { nx, ny };
	static char ux[] = "u.nose.x", uy[] = "u.nose.y",
		    *of_one[] = { ux, uy };
	struct cscg_measure_options measure = { .n_axes = 2,
		.bins = CSCG_BINS_CELL,
		.cell = { 1, 1 },
		.gap = -1,
		.episode_gap = -1 };
	struct cscg_walk_table_options opt = {
		.measure = &measure, .bin = both, .a = ""
	};
	struct cscg_walk_table_options plain = {
		.no_header = true, .x = "2", .a = "1"
	};
	static const char order[] =
	    "line 2: not the header of a pose table: after 'scorer' come "
	    "'individuals', 'bodyparts' and 'coords'";

	same_text(csv("scorer,d,d,d\nbodyparts,nose,nose,nose\n"
		      "coords,x,y,likelihood\n0,0.5,0.5,1\n1,1.5,0.5,.9\n"
		      "2,2.5,0.5,.5\n3,2.5,1.5,1\n",
		      &opt, false),
	    "episode,x,a\n0,0:0,0\n0,1:0,0\n0,2:0,0\n0,2:1,\n",
	    "a pose table");
	opt.min_likelihood = .9;
	same_text(csv("scorer,d,d,d\nbodyparts,nose,nose,nose\n"
		      "coords,x,y,likelihood\n0,0.5,0.5,1\n1,1.5,0.5,.9\n"
		      "2,2.5,0.5,.5\n3,2.5,1.5,1\n",
		      &opt, false),
	    "episode,x,a,reset\n0,0:0,0,0\n0,1:0,0,0\n0,2:1,,1\n",
	    "a sample of a smaller likelihood is lost, and a reset follows");
	opt.min_likelihood = 0;
	opt.bin = of_one;
	same_text(csv("scorer,d,d\nindividuals,u,u\nbodyparts,nose,nose\n"
		      "coords,x,y\n0,0.5,0.5\n1,1.5,0.5\n",
		      &opt, false),
	    "episode,x,a\n0,0:0,0\n0,1:0,\n", "one of several animals");
	same_text(csv("scorer,d,d\nbodyparts,nose,nose\n", &opt, false),
	    "unexpected end: no line 'coords' after 'scorer'",
	    "a pose table that ends in its header");
	ok(err.code == CSCG_ECUT, "is cut");
	same_text(csv("scorer,d,d\nnose,a,b\ncoords,x,y\n", &opt, false),
	    order, "another second line");
	same_text(csv("scorer,d,d\nbodyparts,a\ncoords,x,y\n", &opt, false),
	    order, "a header line that is too short");
	same_text(csv("left,red\nright,blue\n,red\n", &plain, false),
	    "episode,x,a\n0,red,left\n0,blue,right\n0,red,\n",
	    "columns without names have numbers");
	plain.x = "3";
	same_text(csv("left,red\n", &plain, false),
	    "line 1: no column '3'; there are '1', '2'; the first line must "
	    "name the "
	    "columns",
	    "a column more than there are");
	same_text(csv("", &plain, false),
	    "unexpected end: no names of columns", "an empty file");
	ok(err.code == CSCG_ECUT, "is cut");
	plain.no_header = false;
	same_text(csv("", &plain, false),
	    "unexpected end: no names of columns", "so is one with names");
}

/* Blanks, decimal commas and words for missing values. */
static void
test_values(void)
{
	static char na[] = "NA", one[] = "1", *words[] = { na, one };
	static char who[] = "who", trial[] = "trial", *by[] = { who, trial };
	static const struct cscg_walk_table_options plain;
	struct cscg_walk_table_options opt = { .missing = words,
		.n_missing = 2 };
	struct cscg_walk_table_options episodes = { .episode = by,
		.n_episode = 2 };
	static char u[] = "u", v[] = "v", *uv[] = { u, v };
	struct cscg_measure_options measure = { .gap = -1, .episode_gap = -1 };
	struct cscg_walk_table_options seen = { .missing = words,
		.n_missing = 1,
		.measure = &measure,
		.see = uv,
		.n_see = 2 };

	same_text(csv("x,a,goal,z,reset\n red , left,blue ,3 ,0 \n"
		      "blue, right ,,,1\n red,,,,\n",
		      &plain, false),
	    "episode,x,a,z,reset,goal\n0,red,left,3,0,blue\n"
	    "0,blue,right,,1,\n0,red,,,0,\n",
	    "blanks around values do not count");
	same_text(csv("x,a,r\n red, left,\"0,5\"\nblue ,,2\n", &plain, false),
	    "episode,x,a,r\n0,red,left,0.5\n0,blue,,2\n",
	    "a decimal comma in rewards, beside blanks");
	same_text(csv("x,a,r\nNA,0,NA\n 3,1,1\n1,0,2\n2 ,,NA\n", &opt, false),
	    "episode,x,a,r\n0,,0,\n0,3,1,1\n0,,0,2\n0,2,,\n",
	    "words for missing values");
	same_text(csv("x,a\n1.0,0\n0,2.0\n1,\n", &plain, false),
	    "episode,x,a\n0,1,0\n0,0,2\n0,1,\n", "1.0 is the number 1");
	same_text(csv("who,trial,x,a\nu,1,5,0\nu,1,6,0\nu,2,5,1\nv,2,6,\n",
		      &episodes, false),
	    "episode,x,a\n0,5,0\n0,6,\n1,5,\n2,6,\n",
	    "two columns tell episodes");
	same_text(csv("who,trial,x,a\nu,1,5,\nv,1,6,\nu,1,5,\n", &episodes,
		      false),
	    "line 4: episode 'u,1' continues after another began",
	    "an episode that comes again is refused");
	same_text(csv("x,a,Z,R\n1,0,5,.5\n2,,6,1\n", &plain, false),
	    "episode,x,a\n0,1,0\n0,2,\n", "Z is not z, and R not r");
	same_text(csv("OBS,Action,NODE,Reward\n1,0,5,.5\n2,,6,1\n", &plain,
		      false),
	    "episode,x,a,z,r\n0,1,0,5,0.5\n0,2,,6,1\n",
	    "other names may be in any case");
	same_text(
	    csv("u,v,a\n\"a,\\b\",\"c,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\",0\n"
		"NA, ,\n",
		&seen, false),
	    "episode,x,a\n0,\"a\\,\\\\b,c\\,\\,\\,\\,\\,\\,\\,\\,\\,\\,\\,"
	    "\\,\\,\\,\\,\\,\\,\\,\\,\\,\\,\\,\\,\\,\\,\\,\\,\\,\\,\\,"
	    "\\,\",0\n0,,\n",
	    "a comma within a column, and all of them missing");
	same_text(csv("u,v,a\n red,1.0,0\nred ,2,0\nNA,1,0\nred,1,\n", &seen,
		      false),
	    "episode,x,a\n0,\"red,1\",0\n0,\"red,2\",0\n0,\",1\",0\n"
	    "0,\"red,1\",\n",
	    "two columns are the observation, a missing one is empty");
	same_text(csv("x,a\n1,0\n\n2,0\n", &plain, false),
	    "line 3: an empty line inside the table", "an empty line");
	same_text(csv("x,a\n1,0\n2,\n\n\n", &plain, false),
	    "episode,x,a\n0,1,0\n0,2,\n", "empty lines at the end");
	same_text(csv("x,a,z\n1,0,9999999\n2,,0\n", &plain, false),
	    "episode,x,a,z\n0,1,0,9999999\n0,2,,0\n",
	    "the largest number of a node");
	same_text(csv("x,a,z\n1,0,10000000\n", &plain, false),
	    "line 2: node '10000000' is not a number 0..9999999",
	    "a larger one is refused");
	same_text(csv("x,a,reset\n1,0,yes\n", &plain, false),
	    "line 2: reset is 'yes', neither 0 nor 1", "a reset is 0 or 1");
}

/* An array of integers as a walk: its text as a table, or the message. */
static const char *
array(int ndim, long rows, long cols, const int *v)
{
	static const struct cscg_walk_table_options plain;
	const long shape[] = { rows, cols };
	struct cscg_out *out = need(cscg_out_open(path, 0, &err));
	struct cscg_walk_table *table;
	struct cscg_walk *walk = NULL;
	struct cscg_in *in;

	need(cscg_npy_write_ints(out, ndim, shape, v, &err) < 0 ||
		    cscg_out_close(out, &err) < 0 ?
		NULL :
		&err);
	in = need(cscg_in_open(path, &err));
	table = need(cscg_walk_table_new(&plain, &err));
	err = (struct cscg_err){ 0 };
	if (cscg_walk_table_read_npy(table, in, &err) == 0) {
		need(cscg_walk_table_n_rows(table) == rows ? table : NULL);
		walk = cscg_walk_table_to_walk(table, &err);
	}
	cscg_walk_table_free(table);
	cscg_in_close(in);
	return written(walk, true);
}

static void
test_arrays(void)
{
	static const int v[] = { 2, 0, 0, -1, 1, 0, 0, -1, 1, 1, -1, 2 };
	static const int bad[] = { 1, 0, -2, 0, 1, 0, 0, -3, 0, 0, 0, -4 };
	static const char shape[] =
	    "not an array of integers of shape (N,), (N, 2) or (N, 3)";

	same_text(array(2, 4, 3, v), "episode,x,a\n0,2,0\n0,,\n1,0,\n2,1,\n",
	    "symbols, actions and episodes");
	same_text(array(2, 2, 2, v), "episode,x,a\n0,2,0\n0,0,\n",
	    "symbols and actions");
	same_text(array(1, 3, 1, v), "episode,x,a\n0,2,0\n0,0,0\n0,0,\n",
	    "symbols alone");
	same_text(array(2, 3, 1, v), "episode,x,a\n0,2,0\n0,0,0\n0,0,\n",
	    "symbols in a column");
	same_text(array(2, 3, 4, v), shape, "four columns are refused");
	same_text(array(2, 3, 0, v), shape,
	    "an array without columns is refused");
	same_text(array(1, 3, 1, bad), "row 2: symbol -2 is negative",
	    "a negative symbol");
	same_text(array(2, 2, 2, bad + 4), "row 1: action -3 is negative",
	    "a negative action");
	same_text(array(2, 1, 3, bad + 9), "row 0: episode -4 is negative",
	    "a negative episode");
}

int
main(void)
{
	static const char text[] =
	    "x,a,goal\nred,left,green\n"
	    "\"blue, \"\"dark\"\"\",right,red\n,left,\ngreen,,\n";
	struct cscg_walk_table_options opt = { 0 };
	struct cscg_walk *first, *same;
	int fd;

	fd = mkstemp(path);
	if (fd < 0 || write(fd, text, sizeof text - 1) != sizeof text - 1)
		return 1;
	close(fd);
	first = need(read_table(path, &opt));
	ok(is(first->x, 0, 2, -1, 1),
	    "names are numbered by first occurrence");
	ok(!strcmp(first->head.symbols.v[0], "red"),
	    "names are kept in the order of first occurrence");
	ok(first->head.symbols.n == 3 &&
		!strcmp(first->head.symbols.v[1], "green") &&
		!strcmp(first->head.symbols.v[2], "blue, \"dark\""),
	    "a goal is an occurrence as well");
	ok(first->goal[0] == 1 && first->goal[1] == 0,
	    "goals have the numbers of symbols");
	ok(first->head.actions.n == 2 && first->a[0] == 0 && first->a[1] == 1,
	    "actions are numbered by first occurrence");
	opt.alphabet_from = &first->head;
	same = need(read_table(path, &opt));
	ok(is(same->x, 0, 2, -1, 1), "the alphabet of another walk is used");
	cscg_walk_free(same);
	cscg_walk_free(first);
	close(mkstemp(back));
	test_write();
	test_positions();
	test_times();
	test_names();
	test_values();
	test_arrays();
	unlink(back);
	unlink(path);
	return done();
}
