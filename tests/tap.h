/*
 * tap.h - small helpers for tests in C
 *
 *	int main(void) { ok(1 + 1 == 2, "sums"); return done(); }
 */
#ifndef TAP_H
#define TAP_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int tap_n, tap_bad;

__attribute__((format(printf, 2, 3), unused)) static int
ok(int pass, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", pass ? "" : "not ", ++tap_n);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	tap_bad += !pass;
	return pass;
}

/* Two texts are the same; both are shown if not. */
__attribute__((unused)) static void
same_text(const char *actual, const char *expected, const char *name)
{
	if (!ok(!strcmp(actual, expected), "%s", name))
		printf("# got: %s\n# wanted: %s\n", actual, expected);
}

/* Equal to a relative tolerance (absolute below 1). */
__attribute__((unused)) static int
near(double a, double b, double tol)
{
	double m = fabs(b) > 1 ? fabs(b) : 1;

	return a == b || fabs(a - b) <= tol * m;
}

static int
done(void)
{
	printf("1..%d\n", tap_n);
	return tap_bad != 0;
}

#endif
