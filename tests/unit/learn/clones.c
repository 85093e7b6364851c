/* clones.c - numbers of clones, from frequencies and from option text */
#include <string.h>
#include <unistd.h>

#include "learn/clones.h"
#include "tap.h"
#include "walker.h"

/* Ten steps: 0 six times, 1 three times, 2 once, 3 never, and a dropout. */
static struct cscg_walk *
example(void)
{
	static const int x[11] = { 0, 1, 0, 0, -1, 2, 0, 1, 0, 1, 0 };
	static const int a[10] = { 0 };

	return hand_walk(1, 4, 11, x, a);
}

static int
is(const int *got, int a, int b, int c, int d)
{
	if (!got)
		printf("# %s\n", err.msg);
	else if (got[0] != a || got[1] != b || got[2] != c || got[3] != d)
		printf("# got %d %d %d %d\n", got[0], got[1], got[2], got[3]);
	else
		return 1;
	return 0;
}

/*
 * Of the pairs of observed steps 0 1 and 1 0 occur three times each, 0 0 and 2 0
 * once; seven states have 49 transitions.
 */
static void
work(const struct cscg_walk *w)
{
	static const int clones[4] = { 2, 3, 1, 1 };

	ok(cscg_clones_work(clones, w) == 6 * 2 * 3 + 2 * 2 + 1 * 2 + 49,
	    "multiplications of an update: %g", cscg_clones_work(clones, w));
}

static void
spread(const struct cscg_walk *w)
{
	long *n = need(cscg_clones_count_symbols(w, &err));
	int c[4];

	ok(n[0] == 6 && n[1] == 3 && n[2] == 1 && n[3] == 0,
	    "dropouts are not counted as observations");
	free(n);
	cscg_clones_proportional(w, 10, 1, 1, c, &err);
	ok(is(c, 6, 3, 1, 0), "clones in proportion to the counts of symbols");
	cscg_clones_proportional(w, 100, 1, 1, c, &err);
	ok(is(c, 60, 30, 10, 0), "clones in proportion, ten times the total");
	/* Roots 2.449, 1.732, 1 of 5.181: 9.45, 6.69, 3.86 of 20. */
	cscg_clones_proportional(w, 20, 1, 0.5, c, &err);
	ok(is(c, 9, 7, 4, 0),
	    "clones in proportion to the square root of the counts");
	cscg_clones_proportional(w, 20, 5, 0.5, c, &err);
	ok(is(c, 9, 7, 5, 0),
	    "at least five clones, but 0 for an unseen symbol");
	cscg_clones_proportional(w, 9, 1, 0, c, &err);
	ok(is(c, 3, 3, 3, 0), "power 0 gives equal numbers");
	cscg_clones_proportional(w, 2, 1, 1, c, &err);
	ok(is(c, 1, 1, 1, 0), "the minimum has precedence over the total");
	cscg_clones_proportional(w, 2, 0, 1, c, &err);
	ok(is(c, 1, 1, 0, 0),
	    "without a minimum a rare symbol may get 0 clones");
}

static int
chosen(const char *how, const struct cscg_walk *w, int a, int b, int c, int d)
{
	int *got, rc;

	if (cscg_clones_check(how, &err) < 0)
		return 0;
	got = cscg_clones_choose(how, w, &err);
	rc = is(got, a, b, c, d);
	free(got);
	return rc;
}

static void
words(const struct cscg_walk *w)
{
	ok(chosen("7", w, 7, 7, 7, 7), "a number is for every symbol");
	ok(chosen("1,0,3,12", w, 1, 0, 3, 12),
	    "a list has a number for each symbol");
	ok(chosen("proportional:10", w, 6, 3, 1, 0), "proportional");
	/* 4 for each of 4 symbols: 9.6, 4.8, 1.6 of 16 */
	ok(chosen("proportional", w, 10, 5, 2, 0),
	    "the default total is 4 for each symbol");
	ok(chosen("proportional:20,power=.5", w, 9, 7, 4, 0),
	    "proportional with a power");
	ok(chosen("proportional:20,power=0.5,floor=5", w, 9, 7, 5, 0),
	    "proportional with a power and a minimum");
	ok(chosen("proportional:2,floor=0", w, 1, 1, 0, 0),
	    "proportional without a minimum");
}

static void
nonsense(void)
{
	static const char *const bad[] = { "", "0", "0,0,0", ",", "4,", ",4",
		"4,,4", "10000001", "99999999999999999999", "1,99999999999",
		"proportional:", "proportional:0", "proportional:-4",
		"proportional:1.5", "proportional:nan", "proportional:10,",
		"proportional:10,floor",
		"proportional:10,floor=", "proportional:10,floor=1.5",
		"proportional:10,floor=-1", "proportional:10,power=11",
		"proportional:10,power=inf", "proportional:10;power=1",
		"proportionally", "proportional,floor=1",
		"proportional:10power=2" };
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		err.code = CSCG_OK;
		ok(cscg_clones_check(bad[i], &err) < 0 &&
			err.code == CSCG_EUSAGE,
		    "'%s' is refused", bad[i]);
	}
	ok(cscg_clones_check("no-such/file", &err) < 0 &&
		err.code == CSCG_EREAD && strstr(err.msg, "no such file"),
	    "a missing file is refused");
	ok(cscg_clones_check("-", &err) == 0, "standard input is accepted");
}

static const char *
file(const char *text, size_t n)
{
	static char path[] = "/tmp/cscg-clones.XXXXXX";
	static int fd = -1;

	if (fd < 0)
		fd = mkstemp(path);
	if (fd < 0 || ftruncate(fd, 0) < 0 ||
	    pwrite(fd, text, n, 0) != (ssize_t)n) {
		printf("Bail out! no temporary file\n");
		exit(1);
	}
	return path;
}

static int
refused(const char *text, size_t n, const struct cscg_walk *w,
    enum cscg_code code, const char *says)
{
	int *got;

	err = (struct cscg_err){ 0 };
	got = cscg_clones_choose(file(text, n), w, &err);
	if (got || err.code != code || !strstr(err.msg, says))
		printf("# %s\n", got ? "accepted" : err.msg);
	free(got);
	return err.code == code && strstr(err.msg, says) != NULL;
}

static void
files(const struct cscg_walk *w)
{
	const char *path = file("1,2\n3\t4\r\n\n", 10);
	int *got;
	char *text;

	ok(chosen(path, w, 1, 2, 3, 4), "a file has a number for each symbol");
	got = need(cscg_clones_choose(path, w, &err));
	text = need(cscg_clones_text(path, got, 4, &err));
	ok(!strcmp(text, "1,2,3,4"),
	    "the history has the numbers of a file, not its name");
	free(text);
	text = need(cscg_clones_text("proportional:9", got, 4, &err));
	ok(!strcmp(text, "proportional:9"),
	    "the history has the words of a rule");
	free(text);
	free(got);
	ok(refused("1 2 3", 5, w, CSCG_EMISMATCH,
	       "3 numbers of clones, but the walk has 4 symbols"),
	    "a file with too few numbers is refused");
	ok(refused("1 2 3 4 5", 9, w, CSCG_EMISMATCH,
	       "5 numbers of clones, but the walk has 4 symbols"),
	    "a file with too many numbers is refused");
	ok(refused("7", 1, w, CSCG_EMISMATCH, "1 numbers of clones"),
	    "a file with one number for several symbols is refused");
	ok(refused("1 2\n3 x", 7, w, CSCG_EFORMAT,
	       "line 2: 'x' is not a number of clones in 0..10000000"),
	    "text in a file is refused");
	ok(refused("1 2 -3 4", 8, w, CSCG_EFORMAT, "line 1: '-3' is not"),
	    "a negative number in a file is refused");
	ok(refused("1 2 3.5 4", 9, w, CSCG_EFORMAT, "'3.5' is not"),
	    "a fraction in a file is refused");
	ok(refused("1 2 3 4\0 5", 10, w, CSCG_EFORMAT, "line 1: "),
	    "a NUL byte in a file is refused");
	unlink(path);
	ok(!cscg_clones_choose("/nowhere/x", w, &err) &&
		err.code == CSCG_EREAD,
	    "a file that is missing at reading is refused");
}

int
main(void)
{
	struct cscg_walk *w = example();

	spread(w);
	work(w);
	words(w);
	nonsense();
	files(w);
	cscg_walk_free(w);
	return done();
}
