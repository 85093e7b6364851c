/*
 * em_restarts.c - starts of EM: each by itself, interrupted and resumed at every
 * checkpoint, and as the job of a rank
 */
#include <string.h>
#include <unistd.h>

#include "dist/blob.h"
#include "dist/checkpoint.h"
#include "fail_alloc.h"
#include "kernel/estep.h"
#include "learn/em_restarts.h"
#include "learn/learn_model.h"
#include "tap.h"
#include "walker.h"

enum { STARTS = 4, STATES = 6, LINES = 200 };

static char path[] = "/tmp/cscg-em-restarts.XXXXXX";

static struct cscg_walk *
new_walk(void)
{
	static const int obs[] = { 0, 0, 1, 1 };
	static const int next[] = { 1, 2, 3, 0, 3, 0, 1, 2 };
	struct cscg_room *room = hand_room(4, 2, 2, obs, next);
	struct walker how = { .n = 40, .episodes = 2, .seed = 4 };
	struct cscg_walk *w = walk_in(room, &how);

	cscg_room_free(room);
	return w;
}

struct said {
	int n, stop_after;
	struct cscg_learn_progress v[LINES];
};

static int
hear(void *ctx, const struct cscg_learn_progress *line)
{
	struct said *s = ctx;

	s->v[s->n++] = *line;
	return s->stop_after && s->n >= s->stop_after;
}

static struct cscg_learn
settings(struct said *said)
{
	return (struct cscg_learn){ .iterations = 5,
		.restarts = STARTS,
		.tolerance = 0,
		.pseudocount = .01,
		.seed = 11,
		.is_double = true,
		.threads = 1,
		.report = hear,
		.ctx = said };
}

static struct cscg_model *
new_model(const struct cscg_walk *w, const struct cscg_learn *set)
{
	static const int clones[] = { 3, 3 };

	return need(cscg_learn_model_new(w, set, clones, &err));
}

/* The counts, dense. */
static void
counts_of(const struct cscg_model *m, double *c)
{
	long r, i;

	memset(c, 0, 2 * STATES * STATES * sizeof *c);
	for (r = 0; r < 2 * STATES; r++)
		for (i = m->first[r]; i < m->first[r + 1]; i++)
			c[r * STATES + m->to[i]] = m->count[i];
}

/* Start i without anything around it: its last line, and its counts. */
static void
one_start(const struct cscg_walk *w, const struct cscg_learn *set, long i,
    struct cscg_em_progress *line, double *c)
{
	struct cscg_model *m = new_model(w, set);
	struct cscg_estep_options how = { .is_double = set->is_double,
		.learn_pi = set->learn_pi,
		.threads = 1 };
	struct cscg_estep *e = need(cscg_estep_new(m, w, &how, &err));
	const struct cscg_em em = { .iterations = set->iterations };
	struct cscg_rng rng;

	cscg_rng_seed(&rng, set->seed, CSCG_RNG_INIT, (uint64_t)i, STATES);
	need(e->load(e, m, &rng, &err) < 0 ||
		    cscg_em_T(e, w->n_steps, set->pseudocount, &em, line,
			&err) < 0 ||
		    e->store(e, m, 0, &err) < 0 ?
		NULL :
		m);
	counts_of(m, c);
	cscg_estep_free(e);
	cscg_model_free(m);
}

/* ---- the starts ---- */

static void
starts(bool learn_pi)
{
	struct said said = { 0 };
	struct cscg_learn set = settings(&said);
	struct cscg_walk *w = new_walk();
	struct cscg_model *m = new_model(w, &set);
	struct cscg_em_progress line[STARTS];
	double c[STARTS][2 * STATES * STATES], got[2 * STATES * STATES];
	struct cscg_learn_progress last = { 0 };
	int i, best = 0, wrong = 0, n_em = 0, n_ends = 0;

	set.learn_pi = learn_pi;
	for (i = 0; i < STARTS; i++) {
		one_start(w, &set, i, &line[i], c[i]);
		best = line[i].loglik > line[best].loglik ? i : best;
	}
	need(cscg_em_restarts(m, w, &set, true, 0, &last, &err) < 0 ? NULL :
								      m);
	counts_of(m, got);
	ok(best > 0 && !memcmp(got, c[best], sizeof got),
	    "start %d of %d is the best", best, STARTS);
	for (i = 0; i < said.n; i++) {
		const struct cscg_learn_progress *l = &said.v[i];

		wrong += l->n_states != STATES;
		if (!strcmp(l->stage, "em")) {
			wrong += l->iteration != n_em++ % 6;
		} else if (!strcmp(l->stage, "restart")) {
			wrong += l->restart != n_ends ||
			    l->loglik != line[n_ends].loglik ||
			    l->objective != line[n_ends].objective ||
			    l->iteration != 5;
			n_ends++;
		} else {
			wrong += strcmp(l->stage, "best") || i != said.n - 1;
		}
	}
	ok(!wrong && n_em == 6 * STARTS && n_ends == STARTS,
	    "all is reported");
	ok(!strcmp(last.stage, "best") && last.restart == best &&
		last.loglik == line[best].loglik,
	    "and the best at the end");
	/* From the counts of the model, once; small counts are left out. */
	said.n = 0;
	set.iterations = 0;
	need(cscg_em_restarts(m, w, &set, false, 1, &last, &err) < 0 ? NULL :
								       m);
	for (wrong = 0, i = 0; i < 2 * STATES * STATES; i++) {
		double now[2 * STATES * STATES];

		counts_of(m, now);
		wrong += now[i] != (got[i] > 1 ? got[i] : 0);
	}
	ok(!wrong && said.n == 2 && !strcmp(said.v[1].stage, "best"),
	    "no start is random: %d reports", said.n);
	/* A report can end EM: the first update was made. */
	cscg_model_free(m);
	m = new_model(w, &set);
	said = (struct said){ .stop_after = 3 };
	set.iterations = 5;
	set.restarts = 1;
	need(cscg_em_restarts(m, w, &set, true, 0, &last, &err) < 0 ? NULL :
								      m);
	ok(said.n == 5 && last.iteration == 2 && said.v[2].iteration == 2,
	    "a report ends EM");
	cscg_model_free(m);
	cscg_walk_free(w);
}

/* ---- checkpoints ---- */

struct saving {
	struct cscg_checkpoint *c;
	long n, fail_at;
	bool is_held;
};

static void
hold(void *ctx, bool on)
{
	struct saving *s = ctx;

	s->is_held = on;
}

static bool
never(void *ctx)
{
	(void)ctx;
	return false;
}

/* Write the file, and fail at the fail_at-th time: as if killed then. */
static int
save(void *ctx, struct cscg_err *e)
{
	struct saving *s = ctx;

	if (cscg_checkpoint_write(s->c, path, e) < 0)
		return -1;
	return ++s->n == s->fail_at ? cscg_fail(e, CSCG_EIO, "killed") : 0;
}

static struct cscg_checkpoint *
new_checkpoint(struct saving *s)
{
	const struct cscg_checkpoint_options set = { .options = "test",
		.input = 1,
		.every = 2,
		.requested = never,
		.write = save,
		.hold = hold,
		.ctx = s };

	return s->c = need(cscg_checkpoint_new(&set, &err));
}

static void
checkpoints(void)
{
	struct said said = { 0 }, again;
	struct cscg_learn set = settings(&said);
	struct cscg_walk *w = new_walk();
	struct cscg_model *m = new_model(w, &set);
	double want[2 * STATES * STATES], got[2 * STATES * STATES];
	struct cscg_learn_progress last, end;
	struct saving s = { 0 };
	long n, writes;
	int wrong = 0, less = 0, i, restarts;

	need(cscg_em_restarts(m, w, &set, true, 0, &last, &err) < 0 ? NULL :
								      m);
	counts_of(m, want);
	cscg_model_free(m);
	unlink(path);
	for (n = 1, writes = 1; n <= writes; n++) {
		/* Interrupted at the n-th checkpoint, ... */
		s = (struct saving){ .fail_at = n };
		set.save = new_checkpoint(&s);
		set.ctx = &again;
		again.n = again.stop_after = 0;
		m = new_model(w, &set);
		if (cscg_em_restarts(m, w, &set, true, 0, &end, &err) == 0)
			break;
		wrong += strcmp(err.msg, "killed") || s.n != n || !s.is_held;
		writes = n + 1;
		cscg_model_free(m);
		cscg_checkpoint_free(s.c);
		/* ... and resumed. */
		s = (struct saving){ 0 };
		set.save = new_checkpoint(&s);
		wrong += cscg_checkpoint_read(s.c, path, &err) != 1;
		again.n = 0;
		m = new_model(w, &set);
		need(cscg_em_restarts(m, w, &set, true, 0, &end, &err) < 0 ?
			NULL :
			m);
		counts_of(m, got);
		/* Not a step of what was done before is repeated. */
		for (restarts = 0, i = 0; i < again.n; i++) {
			restarts += !strcmp(again.v[i].stage, "restart");
			wrong += !strcmp(again.v[i].stage, "em") &&
			    6 * again.v[i].restart + again.v[i].iteration <
				6 * ((n - 1) / 2) + ((n - 1) % 2 ? 4 : 2);
		}
		wrong += memcmp(got, want, sizeof got) ||
		    end.restart != last.restart || end.loglik != last.loglik ||
		    end.objective != last.objective || restarts != STARTS;
		less += again.n < said.n;
		cscg_model_free(m);
		cscg_checkpoint_free(s.c);
		unlink(path);
	}
	/* Five updates, a checkpoint at the second and the fourth. */
	ok(!wrong && n - 1 == 2 * STARTS && less == n - 1,
	    "resumed at each of %ld checkpoints, with fewer steps", n - 1);
	cscg_model_free(m);
	cscg_checkpoint_free(s.c);
	cscg_walk_free(w);
}

/* An entry of a checkpoint that is too short is told by its name. */
static void
broken(const char *name)
{
	struct said said = { 0 };
	struct cscg_learn set = settings(&said);
	struct cscg_walk *w = new_walk();
	struct cscg_model *m = new_model(w, &set);
	struct cscg_blob b = { 0 };
	struct cscg_learn_progress last;
	struct saving s = { 0 };
	char want[64];
	long n;

	set.save = new_checkpoint(&s);
	/* The iteration, or it and its likelihood. */
	for (n = 0; n < 2; n++) {
		b = (struct cscg_blob){ 0 };
		need(cscg_blob_write_long(&b, 2, &err) < 0 ||
			    (n > 0 &&
				cscg_blob_write_double(&b, -1, &err) < 0) ||
			    cscg_checkpoint_take(s.c, name, &b, &err) < 0 ?
			NULL :
			m);
		err.msg[0] = '\0';
		snprintf(want, sizeof want, "checkpoint: %s", name);
		if (!ok(cscg_em_restarts(m, w, &set, true, 0, &last, &err) <
				0 &&
			    strstr(err.msg, want),
			"%s with %ld numbers", name, n + 1))
			printf("# %s\n", err.msg);
		cscg_checkpoint_free(s.c);
		set.save = new_checkpoint(&s);
	}
	cscg_checkpoint_free(s.c);
	cscg_model_free(m);
	cscg_walk_free(w);
}

/* ---- the job of a rank ---- */

/* Starts 1 and 3, as another rank gets them, and its answer. */
static void
job(bool learn_pi)
{
	static const long which[] = { 1, 3 };
	struct said said = { 0 };
	struct cscg_learn set = settings(&said);
	struct cscg_walk *w = new_walk();
	struct cscg_model *m = new_model(w, &set);
	const long words[] = { 5, learn_pi, true, false, true };
	const struct cscg_estep_options how = { .threads = 1 };
	struct cscg_blob b = { 0 }, result = { 0 }, one = { 0 };
	struct cscg_em_progress line[STARTS];
	double c[2][2 * STATES * STATES], got[2 * STATES * STATES];
	int i, wrong = 0, best;

	set.learn_pi = learn_pi;
	for (i = 0; i < 2; i++)
		one_start(w, &set, which[i], &line[i], c[i]);
	best = line[1].loglik > line[0].loglik;
	need(cscg_blob_write_array(&b, which, 2, sizeof *which, &err) < 0 ||
		    cscg_blob_write(&b, words, sizeof words, &err) < 0 ||
		    cscg_blob_write(&b, &set.seed, sizeof set.seed, &err) <
			0 ||
		    cscg_blob_write_double(&b, 0, &err) < 0 ||
		    cscg_blob_write_double(&b, set.pseudocount, &err) < 0 ||
		    cscg_blob_write_double(&b, 0, &err) < 0 ||
		    cscg_blob_write_model(&b, m, &err) < 0 ||
		    cscg_em_restarts_job(NULL, w, &how, &b, &result, &err) <
			0 ?
		NULL :
		m);
	for (i = 0; i < 2; i++) {
		long r = -1, iteration = -1;
		double loglik = 0, objective = 0;

		need(cscg_blob_read_blob(&result, &one, &err) < 0 ||
			    cscg_blob_read_long(&one, 0, 9, &r, &err) < 0 ||
			    cscg_blob_read_long(&one, 0, 9, &iteration, &err) <
				0 ||
			    cscg_blob_read_double(&one, &loglik, &err) < 0 ||
			    cscg_blob_read_double(&one, &objective, &err) < 0 ?
			NULL :
			m);
		wrong += r != which[i] || iteration != 5 ||
		    loglik != line[i].loglik || objective != line[i].objective;
		/* Only the best of a rank has its counts. */
		wrong += (one.at < one.n) != (i == best);
		if (i == best) {
			need(cscg_blob_read_counts(&one, m, &err) < 0 ? NULL :
									m);
			counts_of(m, got);
			wrong += memcmp(got, c[i], sizeof got) != 0 ||
			    !m->pi == learn_pi;
		}
		cscg_blob_free(&one);
	}
	ok(!wrong && result.at == result.n, "the starts of a rank%s",
	    learn_pi ? ", with pi" : "");
	cscg_blob_free(&b);
	cscg_blob_free(&result);
	cscg_model_free(m);
	cscg_walk_free(w);
}

/* ---- polls ---- */

struct polls {
	int n, stop_at, wrong;
	double total;
};

static int
on_poll(void *ctx, const char *stage, double done, double total)
{
	struct polls *p = ctx;

	p->wrong += strcmp(stage, "EM, 6 states") || done != p->n ||
	    total != p->total;
	return ++p->n == p->stop_at;
}

/*
 * The number of polls of EM that the stop_at-th ends, or that has ended before (-1);
 * lines go to said.
 */
static int
polls_until(int stop_at, bool random, struct said *said)
{
	struct cscg_learn set = settings(said);
	struct cscg_walk *w = new_walk();
	struct cscg_model *m = new_model(w, &set);
	struct polls polls = { .stop_at = stop_at,
		.total = 5 * (random ? STARTS : 1) };
	struct cscg_poll poll = {
		.call = on_poll, .ctx = &polls, .stopped = stop_at < 0
	};
	struct cscg_learn_progress last;
	static const struct cscg_count some[] = { { 0, 0, 3, 1 },
		{ 1, 3, 0, 1 } };

	set.poll = &poll;
	said->n = 0;
	need(cscg_model_set_counts(m, some, 2, &err) < 0 ||
		    cscg_em_restarts(m, w, &set, random, 0, &last, &err) < 0 ?
		NULL :
		m);
	cscg_model_free(m);
	cscg_walk_free(w);
	return polls.wrong ? -1 : polls.n;
}

/* The number of lines of a stage. */
static int
lines_of(const struct said *said, const char *stage)
{
	int i, n = 0;

	for (i = 0; i < said->n; i++)
		n += !strcmp(said->v[i].stage, stage);
	return n;
}

static void
polled(void)
{
	struct said said = { 0 };

	ok(polls_until(0, true, &said) == 24,
	    "four starts of five updates poll after each E-step");
	ok(polls_until(0, false, &said) == 6, "so does the only start");
	ok(polls_until(3, false, &said) == 3 && said.n >= 3 &&
		said.v[2].iteration == 2,
	    "a poll ends EM");
	/* The first update is made before. */
	ok(polls_until(1, false, &said) == 1 && said.n >= 2 &&
		said.v[1].iteration == 1,
	    "at the first poll one update follows");
	ok(polls_until(8, true, &said) == 8 && lines_of(&said, "em") == 8 &&
		lines_of(&said, "restart") == 2,
	    "a poll ends the second start, and omits the others");
	ok(polls_until(-1, true, &said) == 0 && lines_of(&said, "em") == 2 &&
		lines_of(&said, "restart") == 1,
	    "a search that has been stopped makes one update of one start");
}

/* ---- memory ---- */

static struct cscg_walk *own_walk;

/* Keep the checkpoint in memory. */
static int
keep(void *ctx, struct cscg_err *e)
{
	(void)ctx;
	(void)e;
	return 0;
}

static int
run_saved(void)
{
	const struct cscg_checkpoint_options how = { .options = "test",
		.every = 1,
		.requested = never,
		.write = keep };
	struct cscg_learn set = settings(NULL);
	static const int clones[] = { 3, 3 };
	struct cscg_learn_progress last = { 0 };
	struct cscg_model *m;
	int rc = -1;

	set.report = NULL;
	set.iterations = 2;
	set.restarts = 2;
	set.save = cscg_checkpoint_new(&how, &err);
	m = set.save ? cscg_learn_model_new(own_walk, &set, clones, &err) :
		       NULL;
	if (m)
		rc = cscg_em_restarts(m, own_walk, &set, true, 0, &last, &err);
	fail_value = last.loglik;
	cscg_model_free(m);
	cscg_checkpoint_free(set.save);
	return rc;
}

int
main(void)
{
	int fd = mkstemp(path);

	need(fd < 0 || close(fd) < 0 ? NULL : path);
	starts(false);
	starts(true);
	checkpoints();
	broken("run 0.0");
	broken("done 0.2");
	job(false);
	job(true);
	polled();
	own_walk = new_walk();
	fail_each("starts with a checkpoint", run_saved);
	cscg_walk_free(own_walk);
	unlink(path);
	return done();
}
