/*
 * match: which prefixes and windows of a walk are scored, in which order;
 * actions, ranks and posteriors.  Scores are a fake that encodes its arguments
 */
#include <string.h>

#include "matcher.h"
#include "tap.h"

/* ---- a fake score that encodes its arguments ---- */

struct shown {
	const struct cscg_model *m;
	uint64_t key;
	int looks;
};

static void *
fake_open(const void *set, const struct cscg_model *m, struct cscg_err *e)
{
	struct shown *s = calloc(1, sizeof *s);

	(void)set;
	(void)e;
	s->m = m;
	return s;
}

static void *
fake_begin(void *tables, int n_obs, uint64_t key, struct cscg_err *e)
{
	struct shown *s = calloc(1, sizeof *s);

	(void)n_obs;
	(void)e;
	*s = *(struct shown *)tables;
	s->key = key;
	return s;
}

/*
 * First symbol, length, key and number of calls as digits of one number; in the
 * walks below the symbol of a step is its number modulo 1000.
 */
static int
fake_look(void *episode, const struct cscg_walk *view, int threads, double *l,
    struct cscg_err *e)
{
	struct shown *s = episode;

	(void)threads;
	(void)e;
	s->looks++;
	*l = -(view->x[0] + 1e3 * (double)view->n_steps +
	    1e6 * (double)s->key + 1e8 * s->looks + 1e10 * s->m->n_states);
	return 0;
}

/* The sum of the counts from state 0 under the actions that were taken. */
static int
sum_look(void *episode, const struct cscg_walk *view, int threads, double *l,
    struct cscg_err *e)
{
	struct shown *s = episode;
	long t;

	(void)threads;
	(void)e;
	for (*l = 0, t = 0; t + 1 < view->n_steps; t++)
		*l += cscg_model_row_sum(s->m, view->a[t], 0);
	return 0;
}

static bool
no(const void *set)
{
	(void)set;
	return false;
}

static bool
yes(const void *set)
{
	(void)set;
	return true;
}

static const struct cscg_match_score fake = { "fake", fake_open, free,
	fake_begin, free, fake_look, no, NULL };
static const struct cscg_match_score in_order = { "order", fake_open, free,
	fake_begin, free, fake_look, yes, NULL };
static const struct cscg_match_score sum = { "sum", fake_open, free,
	fake_begin, free, sum_look, no, NULL };

/* ---- tests ---- */

/* Episodes of these lengths whose symbols are the step numbers. */
static struct cscg_walk *
counting(const long *length, int episodes)
{
	struct cscg_walk_header head = { .n_actions = 1, .n_obs = 1000 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	long t;
	int e;

	for (e = 0; e < episodes; e++)
		for (t = 0; t < length[e]; t++) {
			struct cscg_step s = { .x = (int)(t % 1000),
				.goal = -1,
				.a = t + 1 < length[e] ? 0 : -1,
				.r = NAN,
				.z = (int)t + 7 };

			need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
		}
	return w;
}

/* episode, step, node, arguments of the fake: first symbol, length, calls */
struct want {
	long episode, step;
	int node, x;
	long length;
	int looks;
};

static void
check_rows(const struct want *want, int n, const char *name)
{
	int i, bad = got.n != n;

	for (i = 0; i < got.n && i < n; i++) {
		const struct cscg_match_row *r = &got.row[i];
		double l = -(want[i].x + 1e3 * (double)want[i].length +
		    1e6 * (double)want[i].episode + 1e8 * want[i].looks);

		bad |= r->episode != want[i].episode ||
		    r->step != want[i].step || r->node != want[i].node ||
		    r->length != want[i].length || r->n != 2 ||
		    got.loglik[i][0] != l - 3e10 ||
		    got.loglik[i][1] != l - 2e10 || r->best != 1;
	}
	if (!ok(!bad, "%s", name))
		for (i = 0; i < got.n; i++)
			printf("# %ld %ld %d %.0f\n", got.row[i].episode,
			    got.row[i].step, got.row[i].node,
			    got.loglik[i][1]);
}

static void
places(const struct cscg_match_score *score)
{
	static const long lengths[] = { 12, 1, 10 };
	static const struct want prefixes[] = {
		{ 0, 5, 11, 0, 5, 1 },
		{ 0, 10, 16, 0, 10, 2 },
		{ 0, 12, 18, 0, 12, 3 },
		{ 1, 1, 7, 0, 1, 1 },
		{ 2, 5, 11, 0, 5, 1 },
		{ 2, 10, 16, 0, 10, 2 },
	};
	bool order = score == &in_order;
	struct cscg_match_options set = { .score = score, .every = 5 };
	struct cscg_walk *w = counting(lengths, 3);
	struct cscg_match *match;
	struct want want[8];
	int how, i;

	for (how = 0; how < 6; how++) {
		char name[80];
		int n = 6;

		memcpy(want, prefixes, (size_t)n * sizeof *want);
		for (i = 0; i < n && !order; i++)
			want[i].looks = 1;
		set.threads = how / 2 + 1;
		match = new_match(&set);
		take(match, "three", ring(3));
		take(match, "two", ring(2));
		need(feed(match, w, how % 2) < 0 ? NULL : w);
		snprintf(name, sizeof name, "%s prefixes, %d threads, %s",
		    score->name, set.threads, how % 2 ? "buffered" : "live");
		check_rows(want, n, name);
		cscg_match_free(match);
	}
	cscg_walk_free(w);
}

/*
 * By default the distance of rows is proportional to the length, with any
 * number of threads.
 */
static void
proportional_rows(void)
{
	static const long lengths[] = { 1234, 77 };
	static const long steps[] = { 5, 10, 15, 20, 25, 30, 35, 40, 45, 50,
		60, 70, 80, 90, 100, 120, 140, 160, 180, 200, 250, 300, 350,
		400, 450, 500, 600, 700, 800, 900, 1000, 1200, 1234, 5, 10, 15,
		20, 25, 30, 35, 40, 45, 50, 60, 70, 77 };
	enum { N = sizeof steps / sizeof *steps };
	struct cscg_match_options set = { .score = &fake };
	struct cscg_walk *w = counting(lengths, 2);
	struct cscg_match *match;
	int i, bad = 0;

	for (set.threads = 1; set.threads <= 2; set.threads++) {
		match = new_match(&set);
		take(match, "three", ring(3));
		need(feed(match, w, 1) < 0 ? NULL : w);
		for (i = 0; i < got.n && i < N; i++)
			bad |= got.row[i].step != steps[i] ||
			    got.row[i].length != steps[i] ||
			    got.row[i].episode != (i >= 33);
		ok(!bad && got.n == N,
		    "rows at steps in proportion to the length, %d threads",
		    set.threads);
		cscg_match_free(match);
	}
	cscg_walk_free(w);
}

static void
windows(void)
{
	/* Long enough that old steps are discarded. */
	static const long lengths[] = { 5000, 9 };
	struct cscg_match_options set = {
		.score = &fake, .every = 7, .window = 6, .threads = 1
	};
	struct cscg_walk *w = counting(lengths, 1), *small;
	struct cscg_match *match;
	int i, how, bad;

	set.every = 49;
	for (how = 0; how < 4; how++) {
		bad = 0;
		set.threads = how / 2 + 1;
		match = new_match(&set);
		take(match, "three", ring(3));
		need(feed(match, w, how & 1) < 0 ? NULL : w);
		for (i = 0; i < got.n; i++) {
			long from = 49 * i;

			bad |= got.row[i].length != 6 ||
			    got.row[i].step != from + 6 ||
			    got.row[i].node != got.row[i].step - 1 + 7 ||
			    got.loglik[i][0] !=
				-((double)(from % 1000) + 6e3 + 1e8 + 3e10);
		}
		/* The last ends at 6 + 49 * 101 = 4955; the next at 5004. */
		ok(!bad && got.n == 102, "windows, %s, %d threads",
		    how & 1 ? "buffered" : "live", set.threads);
		cscg_match_free(match);
	}
	cscg_walk_free(w);
	set = (struct cscg_match_options){
		.score = &fake, .every = 1, .window = 10, .threads = 1
	};
	small = counting(lengths + 1, 1);
	match = new_match(&set);
	take(match, "three", ring(3));
	ok(feed(match, small, false) < 0 && err.code == CSCG_ERANGE &&
		!strcmp(err.msg,
		    "episode 0: 9 steps are less than the window of 10"),
	    "a window longer than the walk is refused");
	cscg_match_free(match);
	set.window = 9;
	match = new_match(&set);
	take(match, "three", ring(3));
	ok(feed(match, small, false) == 0 && got.n == 1 &&
		got.row[0].step == 9,
	    "a window of the length of the walk ends at step 9 of 9");
	cscg_match_free(match);
	cscg_walk_free(small);
}

/* A schema with 1, 20 and 300 counts under its three actions. */
static struct cscg_model *
three_actions(const char *const *names)
{
	struct cscg_model *m = need(cscg_model_new(CSCG_SCHEMA, 2, 3, 1,
	    &err));
	struct cscg_count c[] = { { 0, 0, 1, 1 }, { 1, 0, 0, 15 },
		{ 1, 0, 1, 5 }, { 2, 0, 0, 300 }, { 2, 1, 0, 7 } };

	need(cscg_model_set_counts(m, c, 5, &err) < 0 ||
		    (names && cscg_names_set(&m->actions, names, &err) < 0) ?
		NULL :
		m);
	return m;
}

static void
actions(void)
{
	static const char *const a[] = { "one", "twenty", "many", NULL };
	static const char *const b[] = { "many", "one", "twenty", NULL };
	static const char *const walk_names[] = { "many", "one", NULL };
	static const char *const other[] = { "many", "other", NULL };
	struct cscg_match_options set = {
		.score = &sum, .every = 100, .threads = 1
	};
	struct cscg_match *match = new_match(&set);
	struct cscg_walk *w = hand_walk(3, 1, 4, (int[]){ 0, 0, 0, 0 },
	    (int[]){ 0, 0, 1 });

	take(match, "a", three_actions(a));
	take(match, "b", three_actions(b));
	take(match, "c", three_actions(NULL));
	need(feed(match, w, true) < 0 ? NULL : w);
	ok(got.n == 1 && got.loglik[0][0] == 22 && got.loglik[0][1] == 22 &&
		got.loglik[0][2] == 22,
	    "without names symbols and actions are mapped by number");
	need(cscg_names_set(&w->head.actions, b, &err) < 0 ? NULL : w);
	need(feed(match, w, true) < 0 ? NULL : w);
	/* many, many, one */
	ok(got.n == 2 && got.loglik[1][0] == 601 && got.loglik[1][1] == 22 &&
		got.loglik[1][2] == 22,
	    "with names actions are mapped by name");
	ok(got.row[1].episode == 1, "episode numbers continue");
	cscg_names_free(&w->head.actions);
	need(feed(match, w, true) < 0 ? NULL : w);
	ok(got.loglik[2][0] == 22,
	    "a walk without names is mapped by number again");
	cscg_match_free(match);

	match = new_match(&set);
	take(match, "a", three_actions(a));
	take(match, "b", three_actions(b));
	w->head.n_actions = 2;
	need(cscg_names_set(&w->head.actions, walk_names, &err) < 0 ? NULL :
								      w);
	need(feed(match, w, true) < 0 ? NULL : w);
	ok(got.loglik[0][0] == 601 && got.loglik[0][1] == 22,
	    "a walk may lack actions of the schema");
	cscg_names_free(&w->head.actions);
	need(cscg_names_set(&w->head.actions, other, &err) < 0 ? NULL : w);
	ok(feed(match, w, true) < 0 && err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg,
		    "schema 'a': action 'other' does not occur in the other "
		    "input (3 actions, 'one' first)"),
	    "a schema that lacks an action of the walk is refused");
	cscg_match_free(match);
	cscg_walk_free(w);
}

static void
equals(void)
{
	struct cscg_match_options set = {
		.score = &fake, .every = 1, .threads = 1
	};
	struct cscg_match *match = new_match(&set);
	struct cscg_model *m = ring(3), *other;
	double huge;

	take(match, "a", m);
	ok(cscg_match_take_schema(match, "b", ring(3), &err) < 0 &&
		err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg, "'a' and 'b' are the same schema"),
	    "the same schema twice is refused");
	other = ring(3);
	other->pseudocount = .1;
	take(match, "c", other);
	other = ring(3);
	other->count[1] = 2;
	take(match, "d", other);
	ok(1, "another pseudocount or count makes another schema");
	cscg_match_free(match);

	set.by_clones = true;
	match = new_match(&set);
	m = need(cscg_model_new(CSCG_CLONES, 2, 1, 2, &err));
	other = need(cscg_model_copy(m, &err));
	other->clone[1] = 1;
	take(match, "a", m);
	take(match, "b", other);
	ok(1, "other clones make another schema");
	cscg_match_free(match);
	set.by_clones = false;
	match = new_match(&set);
	m = need(cscg_model_new(CSCG_CLONES, 2, 1, 2, &err));
	other = need(cscg_model_copy(m, &err));
	other->clone[1] = 1;
	take(match, "a", m);
	ok(cscg_match_take_schema(match, "b", other, &err) < 0,
	    "clones are compared only if the score uses them");
	cscg_match_free(match);

	/* 2^27 cells of E are 1 GiB. */
	match = new_match(&set);
	take(match, "a", ring(3));
	huge = floor((1 << 27) / 3.);
	{
		struct cscg_walk_header head = { .n_actions = 1,
			.n_obs = (int)huge };

		ok(cscg_match_begin_walk(match, &head, &err) == 0,
		    "the largest number of symbols is accepted");
		head.n_obs++;
		ok(cscg_match_begin_walk(match, &head, &err) < 0 &&
			err.code == CSCG_EMISMATCH &&
			!strcmp(err.msg,
			    "schema 'a': 44739243 symbols are too many for 3 "
			    "states (at most 44739242)"),
		    "too many symbols are refused: %s", err.msg);
	}
	cscg_match_free(match);
}

/* Softmax and ranks of three scores that differ by ln 2, with a tie. */
static int
tie_look(void *episode, const struct cscg_walk *view, int threads, double *l,
    struct cscg_err *e)
{
	static const double by_states[] = { 0, 0, -1000, -1000 - M_LN2,
		-1000 };

	(void)view;
	(void)threads;
	(void)e;
	*l = by_states[((struct shown *)episode)->m->n_states];
	return 0;
}

static int
lost_look(void *episode, const struct cscg_walk *view, int threads, double *l,
    struct cscg_err *e)
{
	(void)view;
	(void)threads;
	(void)e;
	*l = ((struct shown *)episode)->m->n_states == 3 ? -5 : -INFINITY;
	return 0;
}

static void
posteriors(void)
{
	static const struct cscg_match_score tie = { "tie", fake_open, free,
		fake_begin, free, tie_look, no, NULL };
	static const struct cscg_match_score lost = { "lost", fake_open, free,
		fake_begin, free, lost_look, no, NULL };
	struct cscg_match_options set = {
		.score = &tie, .every = 9, .threads = 1
	};
	struct cscg_walk *w = hand_walk(1, 1, 1, (int[]){ 0 }, NULL);
	struct cscg_match *match = new_match(&set);

	take(match, "a", ring(3));
	take(match, "b", ring(2));
	take(match, "c", ring(4));
	need(feed(match, w, true) < 0 ? NULL : w);
	ok(near(got.posterior[0][0], .2, 1e-12) &&
		near(got.posterior[0][1], .4, 1e-12) &&
		near(got.posterior[0][2], .4, 1e-12),
	    "posteriors 1 : 2 : 2 of log-likelihoods far from 0");
	ok(got.rank[0][0] == 3 && got.rank[0][1] == 1 && got.rank[0][2] == 2 &&
		got.row[0].best == 1,
	    "equal schemas are ranked in their order");
	cscg_match_free(match);
	set.score = &lost;
	match = new_match(&set);
	take(match, "b", ring(2));
	take(match, "a", ring(3));
	need(feed(match, w, true) < 0 ? NULL : w);
	ok(got.posterior[0][0] == 0 && got.posterior[0][1] == 1 &&
		got.row[0].best == 1,
	    "an impossible schema has posterior 0");
	cscg_match_free(match);
	match = new_match(&set);
	take(match, "b", ring(2));
	take(match, "c", ring(4));
	need(feed(match, w, true) < 0 ? NULL : w);
	ok(got.posterior[0][0] == .5 && got.posterior[0][1] == .5 &&
		got.row[0].best == 0,
	    "if all schemas are impossible the posterior is uniform");
	cscg_match_free(match);
	cscg_walk_free(w);
}

int
main(void)
{
	places(&fake);
	places(&in_order);
	proportional_rows();
	windows();
	actions();
	equals();
	posteriors();
	return done();
}
