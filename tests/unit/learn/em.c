/*
 * The EM loop: order of its steps, stopping rules, monotonicity, report,
 * checkpoint.  The problem has its objectives in a list, so that every
 * expected value is known by hand.
 */
#include <math.h>
#include <string.h>

#include "learn/em.h"
#include "need.h"
#include "tap.h"

enum { MAX = 16 };

/* Objectives of successive updates; the log-likelihood is lower by 100. */
struct list {
	const double *objective;
	int n;
	int at; /* updates made */
	int n_expected, n_maximised, n_reported, n_checkpoints;
	int n_update;        /* E-steps that an M-step follows */
	int fail_at;         /* expect() fails here */
	int impossible_at;   /* the data are impossible */
	int fail_maximise;   /* maximise() fails here */
	int stop_at;         /* report() stops here */
	int fail_checkpoint; /* checkpoint() fails here */
	int lag; /* the log-likelihood lags by this number of updates */
	struct cscg_em_progress lines[MAX]; /* of report() */
	struct cscg_em_progress saved[MAX]; /* of checkpoint() */
};

static int
expect(void *ctx, bool update, struct cscg_em_progress *line,
    struct cscg_err *e)
{
	struct list *l = ctx;

	if (l->at == l->fail_at)
		return cscg_fail(e, CSCG_EIO, "expect");
	need(l->at < l->n && line->iteration == l->at ? l : NULL);
	l->n_expected++;
	l->n_update += update;
	line->objective = l->objective[l->at];
	/* An unknown objective is not an unknown likelihood. */
	line->loglik = l->at == l->impossible_at ?
	    -INFINITY :
	    isinf(line->objective) ?
	    -150 :
	    l->objective[l->at < l->lag ? 0 : l->at - l->lag] - 100;
	return 0;
}

static int
maximise(void *ctx, struct cscg_err *e)
{
	struct list *l = ctx;

	if (l->at == l->fail_maximise)
		return cscg_fail(e, CSCG_EIO, "maximise");
	l->n_maximised++;
	l->at++;
	return 0;
}

static int
on_report(void *ctx, const struct cscg_em_progress *line)
{
	struct list *l = ctx;

	l->lines[l->n_reported++] = *line;
	return line->iteration == l->stop_at;
}

static int
on_checkpoint(void *ctx, const struct cscg_em_progress *line,
    struct cscg_err *e)
{
	struct list *l = ctx;

	l->saved[l->n_checkpoints++] = *line;
	return line->iteration == l->fail_checkpoint ?
	    cscg_fail(e, CSCG_EIO, "checkpoint") :
	    0;
}

#define LIST(o) \
	{ \
		.objective = (o), .n = sizeof(o) / sizeof *(o), \
		.fail_at = -1, .impossible_at = -1, .fail_maximise = -1, \
		.stop_at = -1, .fail_checkpoint = -1 \
	}

static struct cscg_em_problem
problem_of(struct list *l)
{
	struct cscg_em_problem p = { .expect = expect,
		.maximise = maximise,
		.ctx = l,
		.steps = 10,
		.impossible = "impossible data" };

	return p;
}

/* Updates after which EM stops, -1: it fails. */
static long
run(struct list *l, struct cscg_em set, struct cscg_em_progress *last)
{
	struct cscg_em_problem problem = problem_of(l);
	struct cscg_em_progress line;

	set.report = on_report;
	set.ctx = l;
	set.checkpoint = on_checkpoint;
	if (cscg_em(&problem, &set, &line, &err) < 0)
		return -1;
	if (last)
		*last = line;
	return line.iteration;
}

/* ---- order ---- */

static void
test_order(void)
{
	static const double o[] = { -50, -40, -35, -34 };
	struct list l = LIST(o), none = LIST(o);
	struct cscg_em set = { .iterations = 3 };
	struct cscg_em_progress last;
	int bad = 0, i;

	ok(run(&l, set, &last) == 3 && l.n_expected == 4 &&
		l.n_maximised == 3 && l.n_reported == 4 &&
		l.n_checkpoints == 3,
	    "one E-step and report more than updates and checkpoints");
	ok(l.n_update == 3,
	    "the last E-step is marked as not followed by an M-step");
	for (i = 0; i < 4; i++)
		bad += l.lines[i].iteration != i ||
		    l.lines[i].objective != o[i] ||
		    l.lines[i].loglik != o[i] - 100 ||
		    l.lines[i].gain != (i ? o[i] - o[i - 1] : INFINITY);
	for (i = 0; i < 3; i++)
		bad += l.saved[i].iteration != i + 1 ||
		    l.saved[i].objective != o[i];
	ok(!bad, "reports and checkpoints have iteration, objective, gain");
	ok(!memcmp(&last, &l.lines[3], sizeof last),
	    "the last report is about the final parameters");
	set.iterations = 0;
	ok(run(&none, set, &last) == 0 && none.n_expected == 1 &&
		!none.n_maximised && last.objective == -50 &&
		last.loglik == -150,
	    "with 0 iterations the likelihood of the start is reported");
}

/* ---- stopping rules ---- */

static void
test_tolerance(void)
{
	/* Gains 10, 5, .05, .03, .04, 0 */
	static const double o[] = { -50, -40, -35, -34.95, -34.92, -34.88,
		-34.88 };
	struct cscg_em set = { .iterations = 6 };
	static const struct {
		double tolerance;
		bool per_step, successive;
		long stops;
		const char *name;
	} t[] = {
		{ 0, 0, 0, 6, "tolerance 0: all iterations" },
		{ 1, 0, 0, 1, "10 is less than 40" },
		{ .25, 0, 0, 2, "10 is not less than 10, but 5 than 8.75" },
		{ .1, 0, 0, 3, ".05 is less than 3.495" },
		{ .001, 0, 0, 4, ".03 is less than .03492" },
		{ .0001, 0, 0, 6, "0 is less than .003488" },
		{ 1.1, 1, 0, 1, "per step: 10 is less than 11" },
		{ .5, 1, 0, 3, "per step: 5 is not less than 5" },
		{ .0045, 1, 0, 4, "per step: .03 is less than .045" },
		{ 1, 0, 1, 2, "successive: 10 and 5" },
		{ .25, 0, 1, 3, "successive: 5 and .05" },
		{ .1, 0, 1, 4, "successive: .05 and .03" },
		{ .0012, 0, 1, 6,
		    "successive: .03 and .04 increase, .04 and "
		    "0 do not" },
	};
	size_t i;

	for (i = 0; i < sizeof t / sizeof *t; i++) {
		struct list l = LIST(o);

		set.tolerance = t[i].tolerance;
		set.per_step = t[i].per_step;
		set.successive = t[i].successive;
		ok(run(&l, set, NULL) == t[i].stops, "%s", t[i].name);
	}
}

static void
test_by_loglik(void)
{
	static const double o[] = { -50, -40, -39.5, -39.4, -39.3 };
	struct list l = LIST(o), m = LIST(o), scaled = LIST(o);
	struct cscg_em set = { .iterations = 4, .tolerance = .02 };

	/* Gains of the objective 10, .5; of the log-likelihood 0, 10, .5. */
	l.lag = m.lag = 1;
	ok(run(&l, set, NULL) == 2, "by the objective: .5 is less than .79");
	set.by_loglik = true;
	ok(run(&m, set, NULL) == 1, "by the log-likelihood: 0 is less than 3");
	ok(m.lines[0].gain == INFINITY && m.lines[1].gain == 0,
	    "the gain reported is that of the log-likelihood");
	set.tolerance = .004;
	ok(run(&scaled, set, NULL) == 2,
	    "the tolerance is scaled by the log-likelihood: .5 is less than "
	    ".558, not than .158");
}

static void
test_unknown_objective(void)
{
	static const double o[] = { -INFINITY, -40, -40, -40 };
	struct list l = LIST(o);
	struct cscg_em set = {
		.iterations = 3, .tolerance = 1e-3, .successive = true
	};

	ok(run(&l, set, NULL) == 3 && l.lines[1].gain == INFINITY &&
		l.lines[2].gain == 0,
	    "the gain from an unknown objective counts as infinite");
}

/* ---- monotonicity ---- */

/* The result of EM whose objective falls from -1000 by `fall`. */
static int
falls(double fall, double relative, double per_step)
{
	double o[] = { -2000, -1000, -1000 - fall, -900 };
	struct list l = LIST(o);
	struct cscg_em_problem problem = problem_of(&l);
	const struct cscg_em set = { .iterations = 3 };
	struct cscg_em_progress last;

	problem.slack_relative = relative;
	problem.slack_per_step = per_step;
	return cscg_em(&problem, &set, &last, &err);
}

static void
test_monotonicity(void)
{
	static const double nan_list[] = { -50, NAN };
	struct list l = LIST(nan_list);
	struct cscg_em_problem slack = { 0 };

	ok(falls(1, 0, 0) < 0 && err.code == CSCG_EBUG,
	    "a decreasing objective is a bug");
	ok(strstr(err.msg, "fell from -1000 to -1001 at iteration 2") != NULL,
	    "the message has the two objectives and the iteration");
	ok(falls(1, .0011, 0) == 0 && falls(1, .0009, 0) < 0,
	    "a decrease within the relative rounding error is accepted");
	ok(falls(1, 0, .11) == 0 && falls(1, 0, .09) < 0,
	    "a decrease within the rounding error per step is accepted");
	ok(falls(1, .0005, .06) == 0 && falls(1, .0005, .04) < 0,
	    "relative and per-step rounding errors are added");
	ok(falls(1e6, 0, INFINITY) == 0, "the check can be switched off");
	ok(run(&l, (struct cscg_em){ .iterations = 1 }, NULL) < 0 &&
		err.code == CSCG_EBUG,
	    "an objective that is not a number is a bug");
	cscg_em_set_slack(&slack, true);
	ok(slack.slack_relative == 1e-11 && slack.slack_per_step == 0x1p-51,
	    "rounding errors for double precision");
	cscg_em_set_slack(&slack, false);
	ok(slack.slack_relative == 1e-6 && slack.slack_per_step == 0x1p-22,
	    "rounding errors for single precision");
}

/* ---- failures ---- */

static void
test_failures(void)
{
	static const double o[] = { -50, -40, -35, -34 };
	struct list impossible = LIST(o), e = LIST(o), m = LIST(o),
		    c = LIST(o), r = LIST(o);
	struct cscg_em set = { .iterations = 3 };

	impossible.impossible_at = 3;
	ok(run(&impossible, set, NULL) < 0 && err.code == CSCG_ERANGE,
	    "impossible data end EM");
	same_text(err.msg, "impossible data",
	    "impossible data have the message of the problem");
	e.fail_at = 1;
	ok(run(&e, set, NULL) < 0 && !strcmp(err.msg, "expect") &&
		e.n_maximised == 1,
	    "a failing E-step ends EM");
	m.fail_maximise = 1;
	ok(run(&m, set, NULL) < 0 && !strcmp(err.msg, "maximise") &&
		m.n_expected == 2 && m.n_checkpoints == 1,
	    "a failing M-step ends EM");
	c.fail_checkpoint = 2;
	ok(run(&c, set, NULL) < 0 && !strcmp(err.msg, "checkpoint") &&
		c.n_expected == 2,
	    "a failing checkpoint ends EM");
	r.stop_at = 1;
	ok(run(&r, set, NULL) == 1 && r.n_expected == 2 && r.n_maximised == 1,
	    "a report can end EM without failure");
}

/* ---- resuming ---- */

/* EM resumed after i updates reports what the whole run reported. */
static int
resumes(const double *o, int n, struct cscg_em set)
{
	struct list all = { .objective = o,
		.n = n,
		.fail_at = -1,
		.impossible_at = -1,
		.fail_maximise = -1,
		.stop_at = -1,
		.fail_checkpoint = -1,
		.lag = 1 };
	struct cscg_em_progress last, again;
	long stops = run(&all, set, &last), i;
	int bad = 0;

	for (i = 0; i < all.n_checkpoints; i++) {
		struct list rest = all;

		rest.at = (int)i + 1;
		rest.n_reported = rest.n_checkpoints = 0;
		set.resume = all.saved[i];
		bad += run(&rest, set, &again) != stops ||
		    memcmp(&again, &last, sizeof last) ||
		    rest.n_reported != stops - i ||
		    memcmp(rest.lines, all.lines + i + 1,
			(size_t)rest.n_reported * sizeof *rest.lines) ||
		    memcmp(rest.saved, all.saved + i + 1,
			(size_t)rest.n_checkpoints * sizeof *rest.saved);
	}
	return !bad && stops > 2 && stops < n - 1;
}

static void
test_resume(void)
{
	static const double o[] = { -50, -40, -39.95, -39.92, -39.919, -39.919,
		-39.919, -39.919 };
	struct cscg_em set = { .iterations = 7, .tolerance = 1e-4 };
	static const double fallen[] = { -50, -40, -41 };
	struct list l = LIST(fallen);

	ok(resumes(o, 8, set), "a resumed run equals an uninterrupted one");
	set.per_step = true;
	ok(resumes(o, 8, set),
	    "a resumed run is equal with the gain per step");
	set.per_step = false;
	set.successive = true;
	ok(resumes(o, 8, set),
	    "a resumed run is equal with two successive gains");
	set.by_loglik = true;
	ok(resumes(o, 8, set),
	    "a resumed run is equal with gains of the log-likelihood");
	l.at = 2;
	ok(run(&l,
	       (struct cscg_em){
		   .iterations = 2, .resume = { 2, -140, -40, 10 } },
	       NULL) < 0 &&
		err.code == CSCG_EBUG,
	    "a decrease across the checkpoint is detected");
}

int
main(void)
{
	test_order();
	test_tolerance();
	test_by_loglik();
	test_unknown_objective();
	test_monotonicity();
	test_failures();
	test_resume();
	return done();
}
