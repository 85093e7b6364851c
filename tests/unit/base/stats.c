/* stats - Student's t against closed forms and tables, a worked t-test */
#include "base/stats.h"
#include "tap.h"

static void
cdf(void)
{
	double t, worst1 = 0, worst2 = 0, worst3 = 0, d;

	/* Closed forms for 1 and 2 degrees; symmetry for any. */
	for (t = -30; t <= 30; t += .37) {
		d = fabs(cscg_student_cdf(t, 1) - (.5 + atan(t) / M_PI));
		worst1 = d > worst1 ? d : worst1;
		d = fabs(cscg_student_cdf(t, 2) -
		    (.5 + t / 2 / sqrt(2 + t * t)));
		worst2 = d > worst2 ? d : worst2;
		d = fabs(cscg_student_cdf(t, 7.5) + cscg_student_cdf(-t, 7.5) -
		    1);
		worst3 = d > worst3 ? d : worst3;
	}
	ok(worst1 < 1e-13, "1 degree: 1/2 + atan(t)/pi (%.1e)", worst1);
	ok(worst2 < 1e-13, "2 degrees: closed form (%.1e)", worst2);
	ok(worst3 < 1e-15, "symmetry (%.1e)", worst3);
	/* The next three are the regularised incomplete beta function to 30
	 * digits by an arbitrary precision library. */
	ok(near(cscg_student_cdf(1.5, 3.5), .891090906492327383, 1e-13),
	    "3.5 degrees");
	ok(fabs(cscg_student_cdf(-40, 5) / 9.20598108588647718e-8 - 1) < 1e-11,
	    "the far tail is accurate to its digits");
	ok(near(cscg_student_cdf(-2, 1e6), .0227502669256596042, 1e-10),
	    "a million degrees of freedom");
	ok(cscg_student_cdf(0, 4) == .5 &&
		cscg_student_cdf(INFINITY, 4) == 1 &&
		cscg_student_cdf(-INFINITY, 4) == 0,
	    "cdf at 0 and infinity");
}

static void
quantile(void)
{
	/* t for 97.5 % as printed in any table */
	static const struct {
		double df, t;
	} table[] = { { 1, 12.7062 }, { 2, 4.3027 }, { 10, 2.2281 },
		{ 24, 2.0639 }, { 1000, 1.9623 } };
	double p, worst = 0, d;
	size_t i;

	for (i = 0; i < sizeof table / sizeof *table; i++)
		ok(fabs(cscg_student_quantile(.975, table[i].df) -
		       table[i].t) < 5.1e-5,
		    "97.5 %% at %g degrees is %.4f", table[i].df, table[i].t);
	for (p = .001; p < 1; p += .0173) {
		d = fabs(cscg_student_cdf(cscg_student_quantile(p, 6), 6) - p);
		worst = d > worst ? d : worst;
	}
	ok(worst < 1e-14, "quantile is the inverse of cdf (%.1e)", worst);
	ok(cscg_student_quantile(.5, 3) == 0, "the median is 0");
	ok(near(cscg_student_quantile(.001, 3),
	       -cscg_student_quantile(.999, 3), 1e-12),
	    "quantiles are symmetric");
}

static void
means(void)
{
	static const double v[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	static const double far[] = { 1e9 + 1, 1e9 + 2, 1e9 + 3 };
	struct cscg_mean m;

	/* Sum 40; squares about 5: 9+1+1+1+0+0+4+16 = 32; 32/7. */
	cscg_mean(v, 8, &m);
	ok(m.n == 8 && m.mean == 5 && near(m.sd, sqrt(32. / 7), 1e-15) &&
		near(m.sem, sqrt(32. / 56), 1e-15),
	    "mean, sd and sem by hand");
	/* t with 7 degrees is 2.364624 */
	ok(near(m.hi, 5 + 2.364624 * sqrt(32. / 56), 1e-6) &&
		near(m.lo, 5 - 2.364624 * sqrt(32. / 56), 1e-6),
	    "95 %% interval");
	cscg_mean(v, 1, &m);
	ok(m.mean == 2 && m.sd == 0 && m.sem == 0 && m.lo == 2 && m.hi == 2,
	    "one value has standard deviation 0");
	cscg_mean(far, 3, &m);
	ok(m.sd == 1, "no cancellation with large values");
}

/* Student's own example (1908): hours of sleep gained with two drugs. */
static void
paired(void)
{
	static const double a[] = { .7, -1.6, -.2, -1.2, -.1, 3.4, 3.7, .8, 0,
		2 };
	static const double b[] = { 1.9, .8, 1.1, .1, -.1, 4.4, 5.5, 1.6, 4.6,
		3.4 };
	static const double c[] = { .3, .5, .7 }, d[] = { .2, .4, .6 };
	struct cscg_ttest t;

	/* Mean of the differences -1.58, their sd 1.229995; so t = -4.0621. */
	cscg_paired_t(a, b, 10, &t);
	ok(near(t.diff, -1.58, 1e-14) && t.df == 9, "mean difference");
	ok(fabs(t.t + 4.062128) < 1e-6, "t is %.6f", t.t);
	/* two-sided p is .002833 */
	ok(fabs(t.p - .002833 / 2) < 5e-7, "p is %.7f", t.p);
	cscg_paired_t(b, a, 10, &t);
	ok(fabs(t.p - (1 - .002833 / 2)) < 5e-7,
	    "one-sided in the other direction");
	cscg_paired_t(a, a, 10, &t);
	ok(t.t == 0 && t.p == .5, "p is 1/2 for equal samples");
	cscg_paired_t((double[]){ 1, 2, 3 }, (double[]){ 3, 4, 5 }, 3, &t);
	ok(t.p == 0 && t.t == -INFINITY,
	    "p is 0 for a constant difference of -2");
	cscg_paired_t((double[]){ 3, 4, 5 }, (double[]){ 1, 2, 3 }, 3, &t);
	ok(t.p == 1, "p is 1 for a constant difference of 2");
	cscg_paired_t(c, d, 3, &t);
	ok(t.p > 1 - 1e-9,
	    "a difference that is constant up to rounding gives the same p");
}

static void
sorted(void)
{
	double v[] = { 3, -INFINITY, 2, 2, INFINITY, -0.5 };
	int i;

	cscg_sort_doubles(v, 6);
	for (i = 1; i < 6 && v[i - 1] <= v[i]; i++)
		;
	ok(i == 6 && v[0] == -INFINITY && v[2] == 2 && v[4] == 3,
	    "values are sorted, infinities included");
	cscg_sort_doubles(v, 0);
	ok(v[1] == -0.5, "sorting 0 values changes nothing");
}

static void
largest(void)
{
	static const double v[] = { 9, 2, 5, 5, -1, 4 };

	ok(cscg_largest(v, 0, 6) == 0, "the largest of all");
	ok(cscg_largest(v, 1, 6) == 2, "the first of equals");
	ok(cscg_largest(v, 3, 4) == 3, "the only one");
	ok(cscg_largest(v, 4, 6) == 5, "the last one");
	ok(cscg_largest(v, 4, 4) == -1, "none");
}

static void
normalised(void)
{
	double v[] = { 1, 0, 5, 2 }, p[4];

	cscg_normalise(v, 4, p);
	ok(p[0] == 0.125 && p[1] == 0 && p[2] == 0.625 && p[3] == 0.25,
	    "values become a distribution");
	cscg_normalise(v, 4, v);
	ok(!memcmp(v, p, sizeof v), "in place as well");
}

static void
sorting(void)
{
	int v[] = { 3, -1, 3, 2, -1 };
	uint64_t key[] = { 9, UINT64_MAX, 0, 9 };

	ok(cscg_unique_ints(v, 5) == 3 && v[0] == -1 && v[1] == 2 && v[2] == 3,
	    "integers are sorted, and each is kept once");
	ok(cscg_unique_keys(key, 4) == 3 && key[0] == 0 && key[1] == 9 &&
		key[2] == UINT64_MAX,
	    "and so are keys");
	ok(cscg_unique_ints(NULL, 0) == 0 && cscg_unique_keys(NULL, 0) == 0,
	    "no numbers need no array");
}

int
main(void)
{
	normalised();
	largest();
	sorted();
	cdf();
	quantile();
	means();
	paired();
	sorting();
	return done();
}
