/* Positions to cells, resets, episodes and actions; expectations by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/measure.h"
#include "need.h"
#include "tap.h"

static struct cscg_measure_report report;

/* Samples of positions (x, y), one time unit apart. */
static void
put_samples(struct cscg_sample *s, int n, const double xy[][2])
{
	int i;

	for (i = 0; i < n; i++)
		s[i] = (struct cscg_sample){ .p = { xy[i][0], xy[i][1] },
			.t = i };
}

static struct cscg_measure_options
options(void)
{
	return (struct cscg_measure_options){ .n_axes = 2,
		.cell = { 10, 10 },
		.derive = CSCG_DERIVE_COMPASS4,
		.gap = -1,
		.episode_gap = -1 };
}

/*
 * The steps as text: "|" before an episode, "!" before a reset, then cell and
 * action.
 */
static const char *
steps(const struct cscg_measure_options *opt, const struct cscg_sample *s,
    int n)
{
	static char text[1000];
	struct cscg_measured *m;
	long n_steps, i;
	size_t at = 0;

	m = need(cscg_measure(opt, s, n, &n_steps, NULL, &report, &err));
	text[0] = '\0';
	for (i = 0; i < n_steps; i++)
		at += (size_t)snprintf(text + at, sizeof text - at,
		    "%s%s%ld(%d,%d)%s ", m[i].first ? "|" : "",
		    m[i].reset ? "!" : "", m[i].sample, m[i].cell[0],
		    m[i].cell[1],
		    opt->derive == CSCG_DERIVE_NONE || i + 1 == n_steps ||
			    m[i + 1].first ?
			"" :
			cscg_measure_action(opt->derive, m[i].action));
	free(m);
	return text;
}

static void
test_cells(void)
{
	static const double xy[][2] = { { 1, 1 }, { 11, 1 }, { 9.5, 10 },
		{ -0.5, 19 }, { 100, 50 } };
	struct cscg_measure_options opt = options();
	struct cscg_sample s[5];

	put_samples(s, 5, xy);
	opt.derive = CSCG_DERIVE_NONE;
	opt.cell[1] = 5;
	same_text(steps(&opt, s, 5), "|0(0,0) 1(1,0) 2(0,2) 3(-1,3) 4(10,10) ",
	    "cells have a border at 0; coordinates are rounded down");
	/* x from -0.5 to 100 in 4: width 25.125; y from 1 to 50 in 2. */
	opt.bins = CSCG_BINS_GRID;
	opt.n_bins[0] = 4;
	opt.n_bins[1] = 2;
	same_text(steps(&opt, s, 5), "|0(0,0) 1(0,0) 2(0,0) 3(0,0) 4(3,1) ",
	    "a grid spans the range of positions; the largest is in the last "
	    "cell");
	/* Sorted x: -0.5 1 9.5 11 100: rank 5/2 = 2, border 9.5; y: 10. */
	opt.bins = CSCG_BINS_QUANTILE;
	opt.n_bins[0] = opt.n_bins[1] = 2;
	same_text(steps(&opt, s, 5), "|0(0,0) 1(1,0) 2(1,1) 3(0,1) 4(1,1) ",
	    "quantiles: a value at a border belongs to the upper bin");
	opt.bins = CSCG_BINS_CELL;
	opt.cell[0] = 1e-12;
	s[0].p[0] = 1e9;
	ok(!cscg_measure(&opt, s, 5, &(long){ 0 }, NULL, &report, &err) &&
		err.code == CSCG_ERANGE,
	    "a cell number outside the range of int is refused");
}

static void
test_actions(void)
{
	/* East, north, west, stay, south, then two east at once, diagonal. */
	static const double xy[][2] = { { 5, 5 }, { 15, 5 }, { 15, 15 },
		{ 5, 15 }, { 6, 16 }, { 5, 5 }, { 25, 5 }, { 35, 15 } };
	struct cscg_measure_options opt = options();
	struct cscg_sample s[8];

	put_samples(s, 8, xy);
	same_text(steps(&opt, s, 8),
	    "|0(0,0)east 1(1,0)north 2(1,1)west 3(0,1)stay 4(0,1)south "
	    "5(0,0)south !6(2,0)south !7(3,1) ",
	    "compass4: two cells or a diagonal is a reset");
	ok(report.transitions == 7 && report.skipped == 2,
	    "such displacements are counted as skipped");
	opt.derive = CSCG_DERIVE_COMPASS8;
	same_text(steps(&opt, s, 8),
	    "|0(0,0)east 1(1,0)north 2(1,1)west 3(0,1)stay 4(0,1)south "
	    "5(0,0)south !6(2,0)northeast 7(3,1) ",
	    "compass8 has diagonals");
	opt.y_down = true;
	same_text(steps(&opt, s, 8),
	    "|0(0,0)east 1(1,0)south 2(1,1)west 3(0,1)stay 4(0,1)north "
	    "5(0,0)north !6(2,0)southeast 7(3,1) ",
	    "y downwards exchanges north and south");
	opt.y_down = false;
	opt.derive = CSCG_DERIVE_TURNS;
	same_text(steps(&opt, s, 8),
	    "|0(0,0)forward 1(1,0)left 2(1,1)left 3(0,1)stay 4(0,1)left "
	    "5(0,0)left !6(2,0)left !7(3,1) ",
	    "turns: relative to the last displacement, the first is forward");
	opt.derive = CSCG_DERIVE_EGOCENTRIC;
	same_text(steps(&opt, s + 5, 3),
	    "|0(0,0)forward !1(2,0)forward 2(3,1) ",
	    "egocentric: after a reset the heading is unknown");
}

/* East, two cells north at once, north. */
static void
test_heading(void)
{
	static const double xy[][2] = { { 5, 5 }, { 15, 5 }, { 15, 25 },
		{ 15, 35 }, { 5, 35 } };
	struct cscg_measure_options opt = options();
	struct cscg_sample s[5];

	put_samples(s, 5, xy);
	opt.derive = CSCG_DERIVE_TURNS;
	same_text(steps(&opt, s, 5),
	    "|0(0,0)forward 1(1,0)forward !2(1,2)forward 3(1,3)left 4(0,3) ",
	    "the first displacement after a reset is forward");
}

static void
test_dwell(void)
{
	static const double xy[][2] = { { 5, 5 }, { 6, 5 }, { 15, 5 },
		{ 16, 5 }, { NAN, NAN }, { 17, 5 }, { 18, 5 }, { 25, 5 } };
	struct cscg_measure_options opt = options();
	/* Sample 4 is lost. */
	static const long bridged[8] = { 0, 0, 1, 1, -1, 1, 1, 2 };
	struct cscg_measured *m;
	struct cscg_sample s[8];
	long n, of[8];

	put_samples(s, 8, xy);
	opt.moves = true;
	same_text(steps(&opt, s, 8),
	    "|0(0,0)east 2(1,0)east !5(1,0)east 7(2,0) ",
	    "moves: a step for each change of cell, and after a loss");
	ok(report.lost == 1, "lost samples are counted");
	opt.gap = 2;
	same_text(steps(&opt, s, 8), "|0(0,0)east 2(1,0)east 7(2,0) ",
	    "a gap of 2 bridges one lost sample");
	m = need(cscg_measure(&opt, s, 8, &n, of, &report, &err));
	ok(m[0].last == 1 && m[1].last == 6,
	    "a step has the index of its last sample");
	ok(!memcmp(of, bridged, sizeof of),
	    "each sample has the index of its step, a lost one -1");
	free(m);
	opt.thin = 2;
	m = need(cscg_measure(&opt, s, 8, &n, of, &report, &err));
	ok(of[0] == 0 && of[1] == -1 && of[2] == 1 && of[6] == 1,
	    "a thinned sample has no step");
	free(m);
	opt.thin = 0;
	s[7].t = 9;
	same_text(steps(&opt, s, 8), "|0(0,0)east 2(1,0)east !7(2,0) ",
	    "a gap of 3 is a reset");
	opt.episode_gap = 2;
	same_text(steps(&opt, s, 8), "|0(0,0)east 2(1,0) |7(2,0) ",
	    "a long gap begins an episode");
	opt.n_axes = 0;
	opt.derive = CSCG_DERIVE_NONE;
	s[2].label = s[3].label = 1;
	same_text(steps(&opt, s, 7), "|0(0,0) 2(0,0) 4(0,0) ",
	    "without positions a change of label is a step");
}

static void
test_thin(void)
{
	static const double xy[][2] = { { 5, 5 }, { 5, 15 }, { 5, 25 },
		{ 5, 35 }, { 5, 45 }, { 5, 55 }, { 5, 65 } };
	struct cscg_measure_options opt = options();
	struct cscg_sample s[7];
	int i;

	put_samples(s, 7, xy);
	opt.derive = CSCG_DERIVE_NONE;
	opt.thin = 3;
	same_text(steps(&opt, s, 7), "|0(0,0) 3(0,3) 6(0,6) ",
	    "thin 3 keeps one row of three");
	s[5].episode = s[6].episode = 1;
	same_text(steps(&opt, s, 7), "|0(0,0) 3(0,3) |5(0,5) ",
	    "thinning restarts with each episode");
	opt.thin = 0;
	for (i = 0; i < 7; i++) {
		s[i].episode = 0;
		s[i].t = 0.1 * i;
	}
	opt.thin_time = 0.3; /* 0.1 * 3 > 0.3, but 0.1 * 6 - 0.1 * 3 < 0.3 */
	same_text(steps(&opt, s, 7), "|0(0,0) 3(0,3) 6(0,6) ",
	    "thinning by 0.3 s allows for rounding");
	for (i = 0; i < 7; i++)
		s[i].t = i / 10.0; /* 0.3 - 0.2 < 0.1 */
	opt.thin_time = 0.1;
	same_text(steps(&opt, s, 4), "|0(0,0) 1(0,1) 2(0,2) 3(0,3) ",
	    "thinning by 0.1 s allows for rounding");
	opt.thin_time = 0;
	opt.thin = 2;
	opt.episode_gap = 1;
	for (i = 3; i < 7; i++)
		s[i].t = 5 + i;
	same_text(steps(&opt, s, 4), "|0(0,0) 2(0,2) |3(0,3) ",
	    "thinning restarts after an episode gap");
	opt.thin = 0;
	opt.episode_gap = -1;
	opt.episode_length = 3;
	same_text(steps(&opt, s, 7),
	    "|0(0,0) 1(0,1) 2(0,2) |3(0,3) 4(0,4) 5(0,5) "
	    "|6(0,6) ",
	    "episodes of three steps");
	s[4].reset = true;
	same_text(steps(&opt, s, 5), "|0(0,0) 1(0,1) 2(0,2) |3(0,3) !4(0,4) ",
	    "a reset of the recording remains a reset");
	s[3].reset = true;
	same_text(steps(&opt, s, 4), "|0(0,0) 1(0,1) 2(0,2) |3(0,3) ",
	    "the first step of an episode is no reset");
	same_text(steps(&opt, s, 0), "", "no samples, no steps");
}

int
main(void)
{
	test_cells();
	test_actions();
	test_heading();
	test_dwell();
	test_thin();
	return done();
}
