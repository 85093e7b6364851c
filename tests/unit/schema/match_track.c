/*
 * match_track: rows are those of a tracker that gets the same steps, however
 * they arrive; bindings as models; novelty
 */
/* all: slow (7 s) */
#include <string.h>

#include "schema/novelty.h"
#include "matcher.h"
#include "tap.h"

static struct cscg_model *
room_schema(enum cscg_shape_kind kind, int rows, int cols)
{
	struct cscg_room *room = shape_room(kind, rows, cols);
	struct cscg_model *m = need(cscg_room_model(room, 100, 1e-4, NULL,
	    &err));

	cscg_model_unground(m, CSCG_CLONES);
	cscg_room_free(room);
	return m;
}

/* Steps from..to-1 of episode e by a separate tracker. */
static double
tracked(const struct cscg_model *m, const struct cscg_track_options *set,
    const struct cscg_walk *w, int e, long from, long to)
{
	struct cscg_track_tables *map = need(cscg_track_tables_new(m, set,
	    &err));
	struct cscg_track *t = need(cscg_track_new(map, w->head.n_obs, &err));
	double score;
	long s, base = w->start[e];

	for (s = base + from; s < base + to; s++)
		need(cscg_track_step(t,
			 s > base + from && !w->reset[s] ? w->a[s - 1] : -1,
			 w->x[s], &err) < 0 ?
			NULL :
			t);
	score = cscg_track_score(t);
	cscg_track_free(t);
	cscg_track_tables_free(map);
	return score;
}

/* Number of episode starts and resets in steps from..to-1. */
static long
begun(const struct cscg_walk *w, int e, long from, long to)
{
	long s, n = 1;

	for (s = from + 1; s < to; s++)
		n += w->reset[w->start[e] + s];
	return n;
}

static void
rows(long window)
{
	struct cscg_track_options track = { .slip = .03 };
	struct walker how = { .n = 1301,
		.episodes = 2,
		.dropout = .1,
		.reset = .02,
		.seed = 8 };
	struct cscg_room *room = shape_room(CSCG_TORUS, 4, 5);
	struct cscg_walk *w = walk_in(room, &how);
	struct cscg_match_options set = { .score = &cscg_match_score_track,
		.score_set = &track,
		.by_clones = true,
		.every = 53,
		.window = window };
	struct cscg_model *m[2] = { room_schema(CSCG_TORUS, 4, 5),
		room_schema(CSCG_RECTANGLE, 4, 5) };
	int i, k, bad, how_often;

	/* Long episodes: some steps are processed before any row is due. */
	for (how_often = 0; how_often < 4; how_often++) {
		struct cscg_match *match;

		set.threads = how_often / 2 + 1;
		match = new_match(&set);
		for (k = 0; k < 2; k++)
			take(match, k ? "b" : "a",
			    need(cscg_model_copy(m[k], &err)));
		need(feed(match, w, how_often % 2) < 0 ? NULL : w);
		for (bad = 0, i = 0; i < got.n; i++) {
			const struct cscg_match_row *r = &got.row[i];
			long from = r->step - r->length;

			bad += r->n_starts !=
			    begun(w, (int)r->episode, from, r->step);
			bad += r->node !=
			    w->z[w->start[r->episode] + r->step - 1];
			for (k = 0; k < 2; k++)
				bad += got.loglik[i][k] !=
				    tracked(m[k], &track, w, (int)r->episode,
					from, r->step);
		}
		/* 24 times 53 and the end; or from 40 on to 1259. */
		ok(!bad && got.n == (window ? 2 * 24 : 2 * 25),
		    "%s as a tracker has them, %d threads, %s",
		    window ? "windows" : "prefixes", set.threads,
		    how_often % 2 ? "buffered" : "live");
		cscg_match_free(match);
	}
	for (k = 0; k < 2; k++)
		cscg_model_free(m[k]);
	cscg_walk_free(w);
	cscg_room_free(room);
}

/* Results at the end of an episode. */
struct ends {
	int n;
	double score;
	const struct cscg_model *m;
};

static int
at_end(void *ctx, const struct cscg_model *m, const void *episode,
    struct cscg_err *e)
{
	struct ends *ends = ctx;

	(void)e;
	ends->n++;
	ends->m = m;
	ends->score = cscg_track_score(episode);
	return 0;
}

static void
last_ones(void)
{
	struct cscg_track_options track = { 0 };
	struct ends ends = { 0 };
	struct cscg_room *room = shape_room(CSCG_TORUS, 4, 5);
	struct walker how = { .n = 200, .episodes = 3, .seed = 9 };
	struct cscg_walk *w = walk_in(room, &how);
	struct cscg_match_options set = { .score = &cscg_match_score_track,
		.score_set = &track,
		.every = 1000,
		.threads = 1,
		.end_episode = at_end,
		.end_ctx = &ends };
	struct cscg_match *match = new_match(&set);
	struct cscg_model *m = room_schema(CSCG_TORUS, 4, 5);

	take(match, "rectangle", room_schema(CSCG_RECTANGLE, 4, 5));
	take(match, "torus", m);
	need(feed(match, w, true) < 0 ? NULL : w);
	ok(ends.n == 3 && ends.m == m && ends.score == got.loglik[2][1],
	    "at the end of each episode its best schema is reported");
	cscg_match_free(match);
	cscg_walk_free(w);
	cscg_room_free(room);
}

/* ---- a binding as a model ---- */

/* Three states in a cycle, the first two of one group. */
static struct cscg_model *
round_trip(void)
{
	struct cscg_model *m = need(cscg_model_new(CSCG_CLONES, 3, 1, 2,
	    &err));
	struct cscg_count c[] = { { 0, 0, 1, 9 }, { 0, 1, 2, 9 },
		{ 0, 2, 0, 9 } };

	need(cscg_model_set_counts(m, c, 3, &err) < 0 ? NULL : m);
	m->clone[2] = 1;
	return m;
}

static bool
looks(const struct cscg_model *m, int j, const double *want)
{
	int x;

	for (x = 0; x < 4; x++)
		if (!near(cscg_model_E(m, j, x), want[x], 1e-12))
			return false;
	return true;
}

static void
bindings(void)
{
	static const char *const names[] = { "p", "q", "r", "s", NULL };
	struct cscg_track_options set = { 0 };
	struct cscg_model *m = round_trip();
	struct cscg_track_tables *map = need(cscg_track_tables_new(m, &set,
	    &err));
	struct cscg_track *t = need(cscg_track_new(map, 4, &err));
	/* The group of two, then nothing more. */
	struct cscg_walk *w = hand_walk(1, 4, 2, (int[]){ 2, 2 },
	    (int[]){ 0 });

	need(cscg_track_walk(t, w, &err) < 0 ? NULL : t);
	need(cscg_names_set(&w->head.symbols, names, &err) < 0 ? NULL : w);
	need(cscg_track_ground(t, m, .2, &w->head.symbols, &err) < 0 ? NULL :
								       m);
	ok(cscg_model_check(m, &err) == 0 && m->kind == CSCG_GROUNDED &&
		m->n_obs == 4 && !strcmp(m->symbols.v[3], "s") &&
		m->clone[2] == 1,
	    "the tracked model is grounded, with names and groups");
	ok(looks(m, 0, (double[]){ .05, .05, .85, .05 }) &&
		looks(m, 1, (double[]){ .05, .05, .85, .05 }),
	    "bound groups emit their symbols");
	ok(looks(m, 2,
	       (double[]){ .8 / 3 + .05, .8 / 3 + .05, .05, .8 / 3 + .05 }),
	    "unbound groups emit the free symbols");
	need(cscg_track_ground(t, m, 0, NULL, &err) < 0 ? NULL : m);
	ok(looks(m, 0, (double[]){ 0, 0, 1, 0 }),
	    "with confidence 1 emissions are one-hot");
	cscg_walk_free(w);

	/* Two episodes in one place. */
	cscg_track_reset(t);
	w = hand_walk(1, 4, 3, (int[]){ 0, 0, 3 }, (int[]){ 0, 0 });
	{
		struct cscg_step s = {
			.x = 3, .a = 0, .z = -1, .goal = -1, .r = NAN
		};

		need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
		s.a = -1;
		s.x = 0;
		need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
	}
	need(cscg_track_walk(t, w, &err) < 0 ? NULL : t);
	/* A third, twice; a surprise adds less than a twentieth of that. */
	ok(near(cscg_track_score(t), log(1. / 3 / 3), .05) &&
		cscg_track_get(t, 0).state == 0,
	    "a new episode resets the state, not the binding");
	cscg_walk_free(w);
	cscg_track_free(t);
	cscg_track_tables_free(map);
	cscg_model_free(m);
}

/* ---- novelty ---- */

static void
by_rule(void)
{
	struct cscg_model *m[] = { room_schema(CSCG_TORUS, 4, 5),
		round_trip() };
	struct cscg_novelty_options set = { .threads = 1 };
	struct cscg_novelty *known = need(cscg_novelty_new(&set, m, 2, &err));
	double fits, like;

	ok(near(cscg_novelty_margin(known, 0, -10, 1), log(20) - 10, 1e-12) &&
		near(cscg_novelty_margin(known, 1, -10, 3), 3 * log(3) - 10,
		    1e-12),
	    "margins of novelty");
	ok(cscg_novelty_classify(known, 0, -3, 100) == CSCG_NOVELTY_FITS &&
		cscg_novelty_classify(known, 0, -3.01, 100) ==
		    CSCG_NOVELTY_RESEMBLES &&
		cscg_novelty_classify(known, 0, -23, 100) ==
		    CSCG_NOVELTY_RESEMBLES &&
		cscg_novelty_classify(known, 0, -23.01, 100) ==
		    CSCG_NOVELTY_UNKNOWN &&
		cscg_novelty_classify(known, 0, -23.01, 200) ==
		    CSCG_NOVELTY_RESEMBLES,
	    "thresholds of the rule: fits from -3, resembles from -3 - 0.2 "
	    "per step");
	ok(!strcmp(cscg_novelty_text(CSCG_NOVELTY_FITS), "fits") &&
		!strcmp(cscg_novelty_text(CSCG_NOVELTY_RESEMBLES),
		    "resembles") &&
		!strcmp(cscg_novelty_text(CSCG_NOVELTY_UNKNOWN), "unknown"),
	    "words of the verdicts");
	cscg_novelty_free(known);
	set.track.slip = .1;
	known = need(cscg_novelty_new(&set, m, 2, &err));
	cscg_novelty_thresholds(known, 0, 100, &fits, &like);
	/*
	 * Four actions: one in three of what does not stay has .1/6.  100 *
	 * (.1 ln 60 + .9 ln 1/.9) = 50.425892, 2.33 * sqrt(9) * ln 54 =
	 * 27.882998.
	 */
	ok(near(fits, -3 - 50.425892 - 27.882998, 1e-6) &&
		near(like, fits - 20, 1e-12),
	    "thresholds include the cost of transition noise");
	cscg_novelty_free(known);
	cscg_model_free(m[0]);
	cscg_model_free(m[1]);
}

/* Walks in a schema's own room fit, walks in another do not. */
static void
by_walks(double slip)
{
	struct cscg_model *m[] = { room_schema(CSCG_TORUS, 5, 6),
		room_schema(CSCG_RECTANGLE, 5, 6) };
	struct cscg_novelty_options set = {
		.threads = 1, .walks = 30, .seed = 3, .track = { .slip = slip }
	};
	struct cscg_novelty *known = need(cscg_novelty_new(&set, m, 2, &err));
	struct cscg_novelty *again;
	double fits, like, fits2, like2, last[2];
	long n;
	int i, bad = 0, wrong = 0;

	set.threads = 3;
	again = need(cscg_novelty_new(&set, m, 2, &err));
	for (i = 0; i < 2; i++)
		for (n = 1; n < 500; n++) {
			cscg_novelty_thresholds(known, i, (double)n, &fits,
			    &like);
			cscg_novelty_thresholds(again, i, (double)n, &fits2,
			    &like2);
			bad += fits != fits2 || like != like2;
			wrong += like > fits || isnan(like) ||
			    (slip == 0 && fits < -3 - 1e-9);
		}
	ok(!bad, "slip %g: threads do not change the thresholds", slip);
	ok(!wrong, "the threshold of resembles is below that of fits%s",
	    slip > 0 ? "" : ", which is at least -3");
	/* Beyond the simulated walks: extrapolation from steps 100 and 200. */
	cscg_novelty_thresholds(known, 0, 100, &last[0], &like);
	cscg_novelty_thresholds(known, 0, 200, &last[1], &like);
	cscg_novelty_thresholds(known, 0, 300, &fits, &like);
	ok(near(fits, 2 * last[1] - last[0], 1e-9),
	    "beyond the longest simulated walk the threshold is extrapolated");
	cscg_novelty_free(known);
	cscg_novelty_free(again);
	cscg_model_free(m[0]);
	cscg_model_free(m[1]);
}

static void
at_home(void)
{
	struct cscg_room *room = shape_room(CSCG_TORUS, 5, 6);
	struct cscg_model *m[] = { room_schema(CSCG_TORUS, 5, 6),
		room_schema(CSCG_RECTANGLE, 5, 6) };
	struct cscg_novelty_options set = {
		.threads = 1, .walks = 20, .seed = 3
	};
	struct walker how = {
		.n = 150, .episodes = 20, .reset = .01, .seed = 11
	};
	struct cscg_walk *w = walk_in(room, &how);
	struct cscg_novelty *known = need(cscg_novelty_new(&set, m, 2, &err));
	int e, k, of[2][3] = { { 0 } };

	for (e = 0; e < 20; e++)
		for (k = 0; k < 2; k++)
			of[k][cscg_novelty_classify(known, k,
			    cscg_novelty_margin(known, k,
				tracked(m[k], &set.track, w, e, 0, 150),
				begun(w, e, 0, 150)),
			    150)]++;
	ok(of[0][CSCG_NOVELTY_FITS] == 20, "walks in a torus fit the torus");
	ok(of[1][CSCG_NOVELTY_FITS] == 0,
	    "walks in a rectangle do not fit the torus");
	cscg_novelty_free(known);
	cscg_walk_free(w);
	cscg_model_free(m[0]);
	cscg_model_free(m[1]);
	cscg_room_free(room);
}

static void
alone(void)
{
	struct cscg_model *m = room_schema(CSCG_TORUS, 4, 5);
	struct cscg_model *bare = need(cscg_model_copy(m, &err));
	struct cscg_novelty_options set = {
		.threads = 1, .walks = 5, .steps = 40
	};
	struct cscg_novelty *known = need(cscg_novelty_new(&set, &m, 1, &err));
	double fits, like;

	cscg_novelty_thresholds(known, 0, 40, &fits, &like);
	ok(near(like, fits - 8, 1e-12),
	    "with one schema the threshold of resembles is that of the rule");
	cscg_novelty_free(known);
	cscg_model_unground(bare, CSCG_SCHEMA);
	ok(!cscg_novelty_new(&set, &bare, 1, &err) &&
		err.code == CSCG_EMISMATCH,
	    "a schema without clones is refused: %s", err.msg);
	cscg_model_free(m);
	cscg_model_free(bare);
}

int
main(void)
{
	rows(0);
	rows(40);
	last_ones();
	bindings();
	by_rule();
	by_walks(0);
	by_walks(.1);
	at_home();
	alone();
	return done();
}
