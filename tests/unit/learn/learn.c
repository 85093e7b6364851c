/*
 * learn.c - from walks to models: initialisation, stages, threads, degenerate
 * walks
 */
#include <string.h>

#include "learn/merge.h"
#include "kernel/passes.h"
#include "kernel/cpu.h"
#include "learn/learn.h"
#include "tap.h"
#include "walker.h"

static const struct cscg_learn usual = { .iterations = 200,
	.restarts = 4,
	.tolerance = 1e-5,
	.pseudocount = 2e-3,
	.seed = 42,
	.threads = 1 };

static int
same_array(const void *a, const void *b, size_t n)
{
	return !a == !b && (!a || !memcmp(a, b, n));
}

/* Equal in every field, to the last bit. */
static int
same_model(const struct cscg_model *a, const struct cscg_model *b)
{
	size_t S, rows, n;

	if (!a || !b || a->kind != b->kind || a->is_double != b->is_double ||
	    a->n_states != b->n_states || a->n_actions != b->n_actions ||
	    a->n_obs != b->n_obs || a->pseudocount != b->pseudocount)
		return 0;
	S = (size_t)a->n_states;
	rows = S * (size_t)a->n_actions;
	n = (size_t)a->first[rows];
	return same_array(a->clone, b->clone, S * sizeof *a->clone) &&
	    same_array(a->first, b->first, (rows + 1) * sizeof *a->first) &&
	    same_array(a->to, b->to, n * sizeof *a->to) &&
	    same_array(a->count, b->count, n * sizeof *a->count) &&
	    same_array(a->pi, b->pi, S * sizeof *a->pi) &&
	    !a->e_first == !b->e_first && !a->coords == !b->coords;
}

static struct cscg_model *
learn(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_learn_progress *last)
{
	struct cscg_model *m = need(cscg_learn(w, set, last, &err));

	need(cscg_model_check(m, &err) < 0 ? NULL : m);
	return m;
}

static struct cscg_walk *
noisy_walk(long n, int episodes, double dropout)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 3, 4);
	struct walker how = { .n = n,
		.episodes = episodes,
		.seed = 8,
		.dropout = dropout,
		.reset = 0.002 };
	struct cscg_walk *w;

	need(cscg_room_slip(room, 0.15, &err) < 0 ? NULL : room);
	/* Three symbols for twelve cells: strong aliasing. */
	for (int v = 0; v < room->n_nodes; v++)
		room->obs[v] = v * v % 3;
	room->n_obs = 3;
	w = walk_in(room, &how);
	cscg_room_free(room);
	return w;
}

static void
threads(void)
{
	static const int clones[3] = { 4, 4, 4 };
	static const char *const name[] = { "given clones", "default", "raw",
		"learned pi", "double", "the fast loops", "low memory" };
	static const int n[] = { 2, 3, 7 };
	/*
	 * Walks with dropouts are computed by the plain kernel.  This one is
	 * long enough for held-out folds.
	 */
	struct cscg_walk *holes = noisy_walk(120, 3, 0.01), *w;
	struct cscg_walk *whole = noisy_walk(3000, 3, 0);
	const struct cscg_simd *simd = NULL;
	struct cscg_learn_progress last, first;
	struct cscg_model *one, *m;
	size_t i, k;

	need(cscg_cpu_choose_simd("auto", &simd, &err) < 0 ? NULL : &simd);
	for (i = 0; i < sizeof name / sizeof *name; i++) {
		struct cscg_learn set = usual;

		set.iterations = 30;
		set.clones = i == 0 || i >= 4 ? clones : NULL;
		set.raw = i == 2;
		set.learn_pi = i == 3;
		set.is_double = i == 4;
		set.simd = i >= 5 ? simd : NULL;
		set.low_memory = i == 6;
		w = i >= 5 ? whole : holes;
		one = learn(w, &set, &first);
		for (k = 0; k < sizeof n / sizeof *n; k++) {
			set.threads = n[k];
			m = learn(w, &set, &last);
			ok(same_model(one, m) && last.loglik == first.loglik,
			    "%s: the same model with %d threads", name[i],
			    n[k]);
			cscg_model_free(m);
		}
		cscg_model_free(one);
	}
	cscg_walk_free(holes);
	cscg_walk_free(whole);
}

/* Progress reports. */
struct log {
	long lines, fell, best, finals;
	double objective[16], loglik[16]; /* last of each restart */
	bool started[16];
	double best_loglik;
	long best_restart;
	int stop;
};

static int
on_line(void *ctx, const struct cscg_learn_progress *l)
{
	struct log *log = ctx;

	log->lines++;
	if (!strcmp(l->stage, "em")) {
		long r = l->restart;

		if (l->iteration && log->started[r])
			log->fell += l->objective <
			    log->objective[r] - 2e-6 * fabs(log->objective[r]);
		log->started[r] = true;
		log->objective[r] = l->objective;
		log->loglik[r] = l->loglik;
	} else if (!strcmp(l->stage, "best")) {
		log->best++;
		log->best_loglik = l->loglik;
		log->best_restart = l->restart;
	} else if (!strcmp(l->stage, "final")) {
		log->finals++;
	}
	return log->stop;
}

static double
likelihood(const struct cscg_model *m, const struct cscg_walk *w)
{
	struct cscg_trans *tr = need(cscg_trans_new(m,
	    m->is_double ? &cscg_plain_double : &cscg_plain_float, &err));
	struct cscg_work work = { 0 };
	double sum = 0, one;
	int e;

	for (e = 0; e < w->n_episodes; e++) {
		need(cscg_forward(tr, w, e, &work, &one, &err) < 0 ? NULL :
								     &one);
		sum += one;
	}
	cscg_work_free(&work);
	cscg_trans_free(tr);
	return sum;
}

static void
given_clones(void)
{
	static const int clones[3] = { 5, 3, 4 };
	struct cscg_walk *w = noisy_walk(500, 3, 0.01);
	struct cscg_learn set = usual;
	struct log log = { 0 };
	struct cscg_learn_progress last;
	struct cscg_model *m, *again;
	int j, r, wrong = 0;

	set.clones = clones;
	set.raw = true;
	set.report = on_line;
	set.ctx = &log;
	m = learn(w, &set, &last);
	for (j = 0; j < 12; j++)
		wrong += m->clone[j] != (j < 5 ? 0 : j < 8 ? 1 : 2);
	ok(m->n_states == 12 && !wrong,
	    "structure none keeps all given clones");
	ok(log.fell == 0 && log.lines > 8, "the objective never decreases");
	for (r = 0; r < 4; r++)
		wrong += !log.started[r] || log.loglik[r] > log.best_loglik;
	ok(!wrong && log.best == 1 &&
		log.loglik[log.best_restart] == log.best_loglik,
	    "all four restarts run and the best is kept");
	ok(near(likelihood(m, w), last.loglik, 1e-6) &&
		last.loglik == log.best_loglik,
	    "the last report is about the returned model");
	set.seed = 43;
	again = learn(w, &set, &last);
	ok(!same_model(m, again), "another seed gives another model");
	cscg_model_free(again);
	cscg_model_free(m);

	set = usual;
	set.clones = clones;
	set.report = on_line;
	set.ctx = &log;
	m = learn(w, &set, &last);
	ok(log.finals == 1 && m->n_states <= 12 &&
		near(likelihood(m, w), last.loglik, 1e-6),
	    "the structure search leaves %d states, and the last report is "
	    "about them",
	    m->n_states);
	cscg_model_free(m);

	memset(&log, 0, sizeof log);
	log.stop = 1;
	set.restarts = 1;
	set.raw = true;
	m = learn(w, &set, &last);
	ok(last.iteration == 0, "a nonzero result of report() stops EM");
	cscg_model_free(m);
	cscg_walk_free(w);
}

static void
from_model(void)
{
	struct cscg_room *room = shape_room(CSCG_TORUS, 4, 5);
	struct walker how = { .n = 3000, .seed = 2 };
	struct cscg_walk *w = walk_in(room, &how);
	struct cscg_model *init = need(cscg_room_model(room, 100, 1e-4, NULL,
			      &err)),
			  *m, *other;
	struct cscg_learn set = usual;
	struct cscg_learn_progress last;
	struct log log = { 0 };
	long i, wrong = 0;

	cscg_names_free(&init->actions);
	set.init = init;
	set.iterations = 0;
	set.raw = true;
	m = learn(w, &set, &last);
	ok(m->pseudocount == set.pseudocount,
	    "init: the pseudocount is that of the settings");
	m->pseudocount = init->pseudocount;
	free(m->coords);
	free(init->coords);
	m->coords = init->coords = NULL;
	ok(same_model(m, init), "init: 0 updates keep the counts");
	cscg_model_free(m);

	set = usual;
	set.init = init;
	set.report = on_line;
	set.ctx = &log;
	m = learn(w, &set, &last);
	ok(log.started[0] && !log.started[1], "init: there is one start");
	ok(m->n_states == room->n_nodes, "init: the true graph is kept");
	for (i = 0; i < m->first[m->n_states * m->n_actions]; i++)
		wrong += m->count[i] != round(m->count[i]);
	for (i = 0; i < m->n_states * m->n_actions; i++)
		wrong += m->first[i + 1] - m->first[i] != 1;
	ok(!wrong, "init: the result is deterministic with integer counts");
	cscg_model_free(m);

	other = need(cscg_model_copy(init, &err));
	cscg_model_unground(other, CSCG_SCHEMA);
	set.init = other;
	ok(!cscg_learn(w, &set, &last, &err) && err.code == CSCG_EMISMATCH,
	    "init: a schema is refused");
	cscg_model_free(other);
	other = need(cscg_model_copy(init, &err));
	other->n_obs++;
	set.init = other;
	ok(!cscg_learn(w, &set, &last, &err) && err.code == CSCG_EMISMATCH,
	    "init: other symbols are refused");
	cscg_model_free(other);
	cscg_model_free(init);
	cscg_walk_free(w);
	cscg_room_free(room);
}

static void
by_default(void)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 5, 5);
	struct walker how = { .n = 5000, .seed = 6 };
	struct cscg_walk *w = walk_in(room, &how), *more;
	struct cscg_learn_progress last;
	struct cscg_model *m, *blind;
	struct cscg_rng rng;
	int *z = w->z;

	m = learn(w, &usual, &last);
	ok(m->n_states == 25, "a room of 25 cells has 25 states");
	ok(near(likelihood(m, w), last.loglik, 1e-6),
	    "the reported likelihood is that of the model");
	w->z = NULL;
	blind = learn(w, &usual, &last);
	ok(same_model(m, blind), "true nodes are not used");
	cscg_model_free(blind);
	w->z = z;
	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 0);
	cscg_rng_shuffle(&rng, w->z, w->n_steps);
	blind = learn(w, &usual, &last);
	ok(same_model(m, blind), "shuffled true nodes are not used");
	cscg_model_free(blind);
	cscg_model_free(m);

	/* Several episodes with dropouts and resets. */
	how = (struct walker){ .n = 300,
		.episodes = 30,
		.seed = 7,
		.dropout = 0.02,
		.reset = 0.003 };
	more = walk_in(room, &how);
	m = learn(more, &usual, &last);
	ok(m->n_states == 25,
	    "a room of 25 cells has 25 states with many episodes, dropouts "
	    "and resets");
	cscg_model_free(m);
	cscg_walk_free(more);
	cscg_walk_free(w);
	cscg_room_free(room);
}

/* A walk 0 1 2, then a reset to 0, repeated. */
static struct cscg_walk *
back_again(int n, bool marked)
{
	struct cscg_walk_header head = { .n_actions = 1, .n_obs = 3 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	int t;

	for (t = 0; t < n; t++) {
		struct cscg_step s = { .x = t % 3,
			.a = t < n - 1 ? 0 : -1,
			.z = -1,
			.goal = -1,
			.r = NAN };

		s.reset = marked && t && t % 3 == 0;
		need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
	}
	return w;
}

/* The counts from states of symbol x to those of y. */
static double
moves(const struct cscg_model *m, int x, int y)
{
	double sum = 0;
	long r, i;

	for (r = 0; r < (long)m->n_actions * m->n_states; r++)
		for (i = m->first[r]; i < m->first[r + 1]; i++)
			if (m->clone[r % m->n_states] == x &&
			    m->clone[m->to[i]] == y)
				sum += m->count[i];
	return sum;
}

static void
resets(void)
{
	static const int clones[3] = { 2, 2, 2 };
	struct cscg_walk *w = back_again(300, true),
			 *u = back_again(300, false);
	struct cscg_learn set = usual;
	struct cscg_learn_progress last;
	struct cscg_model *m;

	set.clones = clones;
	set.raw = true;
	m = learn(w, &set, &last);
	ok(near(moves(m, 0, 1), 100, 1e-5) && near(moves(m, 1, 2), 100, 1e-5),
	    "transitions are counted");
	ok(moves(m, 2, 0) == 0, "no transition is counted across a reset");
	cscg_model_free(m);
	m = learn(u, &set, &last);
	ok(near(moves(m, 2, 0), 99, 1e-5),
	    "without the reset the transition is counted");
	cscg_model_free(m);
	set = usual;
	m = learn(w, &set, &last);
	ok(moves(m, 2, 0) == 0 && moves(m, 1, 2) == 100 && m->n_states == 3,
	    "the default counts no transition across a reset");
	cscg_model_free(m);

	/* Every reset counts as a start: a hundred at 0. */
	set.learn_pi = true;
	m = learn(w, &set, &last);
	ok(m->pi && near(m->pi[0], 1, 1e-6),
	    "learned pi: episodes start in state 0");
	cscg_model_free(m);
	cscg_walk_free(w);
	cscg_walk_free(u);
}

static void
starts(void)
{
	/* Four episodes of the ring 0 1 2; they start at 0, 0, 1 and 0. */
	static const int from[4] = { 0, 0, 1, 0 };
	struct cscg_walk_header head = { .n_actions = 1, .n_obs = 4 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_learn set = usual;
	struct cscg_learn_progress last;
	struct cscg_model *m;
	int e, t;

	for (e = 0; e < 4; e++)
		for (t = 0; t < 30 + e; t++) {
			struct cscg_step s = { .x = (from[e] + t) % 3,
				.a = t < 29 + e ? 0 : -1,
				.z = -1,
				.goal = -1,
				.r = NAN };

			need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
		}
	set.learn_pi = true;
	m = learn(w, &set, &last);
	ok(m->n_states == 3, "an unseen symbol gets no clone");
	ok(m->pi && near(m->pi[0], 0.75, 1e-6) && near(m->pi[1], 0.25, 1e-6),
	    "pi is the distribution of start states");
	ok(moves(m, 0, 1) + moves(m, 1, 2) + moves(m, 2, 0) ==
		30 + 31 + 32 + 33 - 4,
	    "transitions are counted within episodes");
	cscg_model_free(m);
	set.learn_pi = false;
	m = learn(w, &set, &last);
	ok(!m->pi, "without learning pi is uniform");
	cscg_model_free(m);
	cscg_walk_free(w);
}

static void
odd_walks(void)
{
	static const int x[6] = { 2, -1, 0, 1, -1, 2 }, a[5] = { 0 };
	static const int all[3] = { 0, 1, 2 }, none[3] = { -1, -1, -1 };
	static const int zero[3] = { 0, 0, 0 }, two[3] = { 1, 1, 0 };
	struct cscg_learn set = usual;
	struct cscg_learn_progress last;
	struct cscg_walk *w = hand_walk(1, 3, 1, x, a);
	struct cscg_model *m = learn(w, &usual, &last);

	ok(m->n_states == 1 && m->clone[0] == 2 && near(last.loglik, 0, 1e-6),
	    "a walk of one step has one state");
	cscg_model_free(m);
	set.raw = true;
	m = learn(w, &set, &last);
	ok(m->n_states == 1,
	    "a walk of one step has one state with structure none");
	cscg_model_free(m);
	cscg_walk_free(w);

	w = hand_walk(1, 3, 3, all, a);
	m = learn(w, &usual, &last);
	ok(m->n_states == 3 && moves(m, 0, 1) == 1 && moves(m, 1, 2) == 1,
	    "symbols that occur once have one state each");
	cscg_model_free(m);
	set = usual;
	set.clones = zero;
	ok(!cscg_learn(w, &set, &last, &err) && err.code == CSCG_ERANGE &&
		strstr(err.msg, "0 clones in all are outside"),
	    "0 clones in all are refused: %s", err.msg);
	set.clones = two;
	ok(!cscg_learn(w, &set, &last, &err) && err.code == CSCG_ERANGE &&
		strstr(err.msg, "a symbol has no clone"),
	    "an observed symbol without a clone is refused: %s", err.msg);
	cscg_walk_free(w);

	w = hand_walk(1, 3, 6, x, a);
	m = learn(w, &usual, &last);
	ok(m->n_states >= 3 && isfinite(last.loglik),
	    "a walk with dropouts is learned");
	cscg_model_free(m);
	cscg_walk_free(w);

	w = hand_walk(1, 3, 3, none, a);
	ok(!cscg_learn(w, &usual, &last, &err) && err.code == CSCG_ERANGE &&
		strstr(err.msg, "the walk has no observation"),
	    "a walk of only dropouts is refused: %s", err.msg);
	cscg_walk_free(w);
}

/* Stop at a poll, counted from 1; 0: at none. */
struct limit {
	long polls, stop_at;
};

static int
on_poll(void *ctx, const char *stage, double done, double total)
{
	struct limit *l = ctx;

	(void)stage;
	if (!(done >= 0 && total > 0))
		l->polls =
		    -1000000; /* an invalid progress value, which the caller notices */
	return ++l->polls == l->stop_at;
}

/* Learn until a poll; the number of polls goes to *polls. */
static struct cscg_model *
learn_until(const struct cscg_walk *w, long stop_at, long *polls)
{
	struct limit l = { .stop_at = stop_at };
	struct cscg_poll poll = { .call = on_poll, .ctx = &l };
	struct cscg_learn set = usual;
	struct cscg_learn_progress last;
	struct cscg_model *m;

	set.poll = &poll;
	m = learn(w, &set, &last);
	*polls = isfinite(last.loglik) ? l.polls : -1;
	return m;
}

/* Wherever learning is stopped, there is a model of the walk. */
static void
stops(void)
{
	struct walker how = { .n = 3000, .episodes = 1, .seed = 5 };
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 4, 4);
	struct cscg_walk *w[2];
	struct cscg_model *m, *whole;
	long all, at, n;
	int i, x, good;

	for (x = 0; x < room->n_nodes; x++)
		room->obs[x] = x % 3;
	room->n_obs = 3;
	w[0] = walk_in(room, &how);
	w[1] = noisy_walk(400, 1, 0);
	for (i = 0; i < 2; i++) {
		whole = learn_until(w[i], 0, &all);
		ok(all > 10, "walk %d: %ld polls", i, all);
		m = learn_until(w[i], all + 1, &n);
		ok(n == all && same_model(m, whole),
		    "a time limit that is not reached changes nothing");
		cscg_model_free(m);
		m = learn_until(w[i], 1, &n);
		ok(n == 1 && m->n_states == (i ? 2 : 3), /* squares mod 3 */
		    "with no time there is one state for each symbol (%ld "
		    "polls, %d states)",
		    n, m->n_states);
		cscg_model_free(m);
		for (good = 1, at = 2; at < all; at += 1 + all / 9) {
			m = learn_until(w[i], at, &n);
			good &= n == at;
			cscg_model_free(m);
		}
		ok(good, "the poll that stops is the last one");
		cscg_model_free(whole);
		cscg_walk_free(w[i]);
	}
	cscg_room_free(room);
}

int
main(void)
{
	threads();
	stops();
	given_clones();
	from_model();
	by_default();
	resets();
	starts();
	odd_walks();
	return done();
}
