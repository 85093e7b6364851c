/* paired_test - means and paired t-tests over episodes, by hand */
#include <string.h>
#include <unistd.h>

#include "need.h"
#include "tap.h"
#include "schema/match_table.h"

static void
add(struct cscg_paired_test *v, long episode, long step, double a, double b,
    double c)
{
	const double value[] = { a, b, c };

	need(cscg_paired_test_add(v, episode, step, value, &err) < 0 ? NULL :
								       v);
}

static struct cscg_paired_test_line
line(struct cscg_paired_test *v, long i)
{
	struct cscg_paired_test_line l;

	need(cscg_paired_test_at(v, i, &l, &err) < 0 ? NULL : v);
	return l;
}

static void
identified(struct cscg_paired_test *v, int i, double alpha, long first,
    long sustained, const char *name)
{
	long f, s;

	need(cscg_paired_test_identified(v, i, alpha, &f, &s, &err) < 0 ?
		NULL :
		v);
	if (!ok(f == first && s == sustained, "%s", name))
		printf("# %ld %ld\n", f, s);
}

/*
 * Three episodes.  Step 5: b is lower than a by 1, 2, 3: mean 2, sd 1, so t =
 * 2 * sqrt(3) with two degrees, where P(T > t) = 1/2 - t / (2 sqrt(2 + t^2));
 * lower than c by 4, 4, 4: no spread, p is 0.
 */
static void
by_hand(void)
{
	struct cscg_paired_test *v = need(cscg_paired_test_new(3, &err));
	double t = 2 * sqrt(3), p = 1 - t / sqrt(2 + t * t);
	struct cscg_paired_test_line l;

	add(v, 0, 5, 2, 1, 5);
	add(v, 1, 5, 4, 2, 6);
	add(v, 2, 5, 6, 3, 7);
	ok(cscg_paired_test_n_episodes(v) == 3 &&
		cscg_paired_test_n_steps(v) == 1,
	    "three episodes, one step");
	l = line(v, 0);
	ok(l.step == 5 && l.best == 1 && l.runner_up == 0,
	    "best and runner-up");
	ok(cscg_paired_test_at(v, 1, &l, &err) < 0 &&
		err.code == CSCG_ERANGE &&
		!strcmp(err.msg, "step 1 of the 1 that all episodes have"),
	    "a step out of range is refused");
	l = line(v, 0);
	ok(l.mean[0].mean == 4 && l.mean[1].mean == 2 && l.mean[2].mean == 6,
	    "mean NLL of each schema");
	/* sd 1, and 97.5 % of t with two degrees is 4.30265 */
	ok(near(l.mean[1].lo, 2 - 4.302653 / sqrt(3), 1e-6) &&
		near(l.mean[1].hi, 2 + 4.302653 / sqrt(3), 1e-6),
	    "confidence interval of the mean");
	ok(l.rank[0] == 2 && l.rank[1] == 1 && l.rank[2] == 3,
	    "ranks by mean NLL");
	ok(near(l.p[0], p, 1e-12) && l.p[2] == 0,
	    "two-sided p of the paired test (%g)", p);
	ok(l.p[1] == l.p[0],
	    "p of the best schema is the largest of the others");
	identified(v, 1, .08, 5, 5, "identified at .08");
	identified(v, 1, .07, -1, -1, "but not at .07");
	identified(v, 0, .08, -1, -1, "another is not");
	cscg_paired_test_free(v);
}

/* Steps 5, 10, 15, 20: a is identified, none, a, a; then b at 25. */
static void
sustained(void)
{
	struct cscg_paired_test *v = need(cscg_paired_test_new(3, &err));
	int e;

	for (e = 0; e < 2; e++) {
		add(v, e, 5, 1, 2 + .001 * e, 3);
		add(v, e, 10, 1, 1 + .5 * (1 - 2 * e), 3);
		add(v, e, 15, 1, 2 + .001 * e, 3);
		add(v, e, 20, 1, 2 + .001 * e, 3);
	}
	identified(v, 0, .05, 5, 15, "first, and from where on");
	for (e = 0; e < 1; e++)
		add(v, 2, 5, 1, 2, 3);
	identified(v, 0, .05, 5, 5,
	    "steps that one episode lacks are left out");
	ok(cscg_paired_test_n_steps(v) == 1 &&
		cscg_paired_test_n_episodes(v) == 3,
	    "only steps common to all episodes are kept");
	cscg_paired_test_free(v);
	v = need(cscg_paired_test_new(3, &err));
	for (e = 0; e < 3; e++) {
		add(v, e, 5, 1, 2 + .001 * e, 3);
		/* Episodes that end between the rows of others. */
		add(v, e, 11 - 2 * e, 7, 8, 9);
		add(v, e, 20, 2 + .001 * e, 1, 3);
	}
	ok(cscg_paired_test_n_steps(v) == 2 && line(v, 1).step == 20,
	    "last rows of episodes that are not common are dropped");
	identified(v, 0, .05, 5, -1, "lost at the end");
	identified(v, 1, .05, 20, 20, "to another");
	cscg_paired_test_free(v);
}

static void
few(void)
{
	struct cscg_paired_test *v = need(cscg_paired_test_new(3, &err));
	struct cscg_paired_test_line l;

	add(v, 0, 5, 3, 2, 2);
	l = line(v, 0);
	ok(l.best == 1 && l.rank[1] == 1 && l.rank[2] == 2,
	    "equal schemas are ranked in their order");
	ok(isnan(l.p[0]) && isnan(l.p[1]) && l.mean[0].lo == 3,
	    "one episode has no test and no interval");
	identified(v, 1, 1, -1, -1, "and no schema identified");
	add(v, 1, 5, 3, 2, INFINITY);
	l = line(v, 0);
	ok(l.best == 1 && l.runner_up == 2 && isnan(l.p[1]) && l.p[0] == 0,
	    "infinite values have no test");
	cscg_paired_test_free(v);
	v = need(cscg_paired_test_new(1, &err));
	ok(cscg_paired_test_n_steps(v) == 0,
	    "without rows there are no steps");
	need(cscg_paired_test_add(v, 0, 1, (double[]){ 1 }, &err) < 0 ? NULL :
									v);
	need(cscg_paired_test_add(v, 1, 1, (double[]){ 1 }, &err) < 0 ? NULL :
									v);
	l = line(v, 0);
	ok(l.best == 0 && l.runner_up == -1 && isnan(l.p[0]),
	    "a single schema has no test");
	cscg_paired_test_free(v);
}

/*
 * The same three episodes as a table: is schema b identified at this level, and
 * what are #first and #sustained?
 */
static void
in_table(double alpha, int truth, int want, const char *identified)
{
	static const double nll[3][3] = { { 2, 1, 5 }, { 4, 2, 6 },
		{ 6, 3, 7 } };
	static const double posterior[3] = { .3, .4, .3 };
	static const int rank[3] = { 2, 1, 3 };
	const char *const words[] = { "a", "b", "c", NULL };
	char path[] = "/tmp/cscg-table.XXXXXX", text[4096] = "", last[80];
	struct cscg_names names = { .n = 0 };
	struct cscg_match_table_options set = { .names = &names,
		.summary = true,
		.truth = truth,
		.alpha = alpha };
	struct cscg_match_table *table;
	FILE *f;
	int e, i, rc;

	close(mkstemp(path));
	need(cscg_names_set(&names, words, &err) < 0 ? NULL : &names);
	set.out = need(cscg_out_open(path, 0, &err));
	table = need(cscg_match_table_new(&set, &err));
	for (e = 0; e < 3; e++) {
		double loglik[3];
		struct cscg_match_row row = { .episode = e,
			.step = 5,
			.length = 5,
			.n_starts = 1,
			.node = -1,
			.n = 3,
			.best = 1,
			.loglik = loglik,
			.posterior = posterior,
			.rank = rank };

		for (i = 0; i < 3; i++)
			loglik[i] = -5 * nll[e][i];
		need(cscg_match_table_write_row(table, &row, &err) < 0 ?
			NULL :
			table);
	}
	rc = cscg_match_table_finish(table, &err);
	cscg_match_table_free(table);
	need(cscg_out_close(set.out, &err) < 0 ? NULL : path);
	f = need(fopen(path, "r"));
	need(fread(text, 1, sizeof text - 1, f) == 0 ? NULL : text);
	fclose(f);
	unlink(path);
	snprintf(last, sizeof last, "#first\t%s\n#sustained\t%s\n", identified,
	    identified);
	if (!ok(rc == want && strstr(text, last), "alpha %g, %s: %s", alpha,
		truth < 0 ? "the best" : words[truth],
		want ? "stands out" : "does not stand out"))
		printf("# %d: %s\n", rc, text);
	cscg_names_free(&names);
}

int
main(void)
{
	by_hand();
	/* p is 0.0742. */
	in_table(.5, -1, 1, "5");
	in_table(.08, 1, 1, "5");
	in_table(.07, 1, 0, "-");
	in_table(.05, -1, 0, "-");
	in_table(1, 0, 0, "-");
	sustained();
	few();
	return done();
}
