/*
 * Posteriors over positions and over time: against the enumeration of all paths
 * and sums by hand.
 */
#include <string.h>
#include <unistd.h>

#include "brute/paths.h"
#include "cscg.h"
#include "kernel/posterior.h"
#include "need.h"
#include "show/fields.h"
#include "show/raster.h"
#include "tap.h"

enum { STATES = 3, STEPS = 7 };

/* States 0 and 1 are clones of symbol 0; one action. */
static struct cscg_model *
small_model(void)
{
	static const long first[] = { 0, 3, 6, 9 };
	static const int to[] = { 0, 1, 2, 0, 1, 2, 0, 1, 2 };
	static const double count[] = { 1, 2, 3, 4, 0.5, 1, 2, 1, 1 };
	static const int clone[] = { 0, 0, 1 };
	struct cscg_alphabet alphabet = { 1, 2, NULL, NULL };
	struct cscg_model_arrays arrays = { .kind = CSCG_GROUNDED,
		.n_states = STATES,
		.double_precision = true,
		.clone = (int *)clone,
		.pseudocount = 0.01,
		.first = (long *)first,
		.to = (int *)to,
		.count = (double *)count };

	return need(cscg_model_from_arrays(&alphabet, &arrays, &err));
}

/* Two episodes; an observation is missing. */
static struct cscg_walk *
small_walk(void)
{
	static const int x[STEPS] = { 0, 0, 1, -1, 0, 1, 0 };
	static const int a[STEPS] = { 0, 0, 0, -1, 0, 0, -1 };
	struct cscg_alphabet alphabet = { 1, 2, NULL, NULL };
	struct cscg_walk_arrays arrays = {
		.n_steps = STEPS, .x = (int *)x, .a = (int *)a
	};

	return need(cscg_walk_from_arrays(&alphabet, &arrays, &err));
}

static double seen[STEPS][STATES];
static int calls[STEPS];

static void
keep(void *ctx, long t, int lo, int hi, const double *p)
{
	int j;

	(void)ctx;
	calls[t]++;
	for (j = lo; j < hi; j++)
		seen[t][j] = p[j - lo];
}

/* P(state | episode) of each step, by enumeration. */
static void
enumerate(const struct cscg_model *m, const struct cscg_walk *w,
    double want[STEPS][STATES])
{
	double gamma[STEPS * STATES], xi[STATES * STATES];
	struct brute b = { .gamma = gamma, .xi = xi };
	long t;
	int e, j;

	for (e = 0; e < w->n_episodes; e++) {
		brute_paths(m, w, e, &b);
		for (t = w->start[e]; t < w->start[e + 1]; t++)
			for (j = 0; j < STATES; j++)
				want[t][j] =
				    gamma[(t - w->start[e]) * STATES + j];
	}
}

static void
test_posterior(const struct cscg_trans *tr, const struct cscg_walk *w,
    double want[STEPS][STATES])
{
	int t, j, bad = 0;

	ok(cscg_posterior_each(tr, w, 0, 2, keep, NULL, &err) == 0,
	    "posterior of both episodes");
	for (t = 0; t < STEPS; t++) {
		bad += calls[t] != 1;
		for (j = 0; j < STATES; j++)
			bad += !near(seen[t][j], want[t][j], 1e-12);
	}
	ok(bad == 0, "the posterior of each step is the sum over all paths");
	memset(calls, 0, sizeof calls);
	ok(cscg_posterior_each(tr, w, 1, 2, keep, NULL, &err) == 0 &&
		!calls[3] && calls[4] == 1,
	    "the second episode alone");
}

/*
 * Positions: steps 0 and 1 in the left bin, 1 (again), 2 and 6 in the right one,
 * steps 3, 4, 5 nowhere.  Two bins of side 5 from x = 0 to 10, y from 0 to 3.
 */
static void
test_fields(const struct cscg_trans *tr, const struct cscg_walk *w,
    double want[STEPS][STATES])
{
	struct cscg_positions at = { .n_rows = -1 };
	struct cscg_fields f;
	int j, bad = 0;

	cscg_positions_add(&at, 6, 10, 3, &err);
	cscg_positions_add(&at, 0, 0, 0, &err);
	cscg_positions_add(&at, 1, 4.9, 1, &err);
	cscg_positions_add(&at, 1, 5, 1, &err);
	cscg_positions_add(&at, 2, 7, 2, &err);
	ok(cscg_fields_new(&f, tr, w, &at, 2, &err) == 0, "fields");
	ok(f.rows == 1 && f.cols == 2 && f.size == 5 && f.left == 0 &&
		f.bottom == 0,
	    "two bins of side 5");
	ok(f.occupancy[0] == 2 && f.occupancy[1] == 3, "occupancy");
	for (j = 0; j < STATES; j++) {
		bad += !near(f.p[2 * j], (want[0][j] + want[1][j]) / 2, 1e-12);
		bad += !near(f.p[2 * j + 1],
		    (want[1][j] + want[2][j] + want[6][j]) / 3, 1e-12);
	}
	ok(bad == 0, "the mean posterior of the positions in a bin");
	ok(near(f.p[0] + f.p[2] + f.p[4], 1, 1e-12),
	    "the posterior in a bin sums to 1");
	cscg_fields_free(&f);
	cscg_positions_add(&at, 7, 0, 0, &err);
	ok(cscg_fields_new(&f, tr, w, &at, 2, &err) < 0 &&
		err.code == CSCG_EMISMATCH,
	    "a step outside the walk is refused");
	same_text(err.msg, "step 7 is not one of the walk's 7", "is named");
	at.n = at.n_rows = 5;
	ok(cscg_fields_new(&f, tr, w, &at, 2, &err) < 0 &&
		strstr(err.msg, "5 rows, but the walk has 7 steps"),
	    "rows without step numbers must be as many as steps");
	cscg_positions_free(&at);
}

static int
count(const char *s, const char *what)
{
	int n = 0;

	for (; (s = strstr(s, what)); s += strlen(what))
		n++;
	return n;
}

/*
 * A raster of 7 steps: a column for each; rectangles of one shade join.  The
 * shade is the posterior in twentieths.
 */
static void
test_raster(const struct cscg_model *m, const struct cscg_trans *tr,
    const struct cscg_walk *w, double want[STEPS][STATES])
{
	char path[] = "/tmp/cscg-raster.XXXXXX", text[20000];
	int fd = mkstemp(path), j, t, level, last, n = 0;
	struct cscg_out *out = need(cscg_out_open(path, 0, &err));
	ssize_t size;

	ok(cscg_raster_write_svg(m, tr, w, "a < b", out, &err) == 0 &&
		cscg_out_close(out, &err) == 0,
	    "raster");
	close(fd);
	{
		FILE *f = need(fopen(path, "r"));

		size = (ssize_t)fread(text, 1, sizeof text - 1, f);
		fclose(f);
	}
	text[size] = '\0';
	unlink(path);
	for (j = 0; j < STATES; j++)
		for (t = 0, last = 0; t < STEPS; t++, last = level) {
			level = (int)lround(20 * want[t][j]);
			n += level && level != last;
		}
	ok(count(text, "fill-opacity") == n,
	    "%d rectangles, one for each change of shade", n);
	ok(count(text, "#d55e00") == 1, "a line where the episode ends");
	ok(count(text, ">a &lt; b<") == 1, "the title is escaped");
}

static int
read_text(struct cscg_positions *p, const char *text)
{
	char path[] = "/tmp/cscg-xy.XXXXXX";
	int fd = mkstemp(path), rc;

	need(write(fd, text, strlen(text)) < 0 ? NULL : path);
	close(fd);
	*p = (struct cscg_positions){ 0 };
	rc = cscg_positions_read(p, path, &err);
	unlink(path);
	return rc;
}

static void
test_table(void)
{
	struct cscg_positions p;

	ok(read_text(&p, "Y;x;step\n1,5;2;3\nNaN;1;4\n2;1;0\n") == 0 &&
		p.n == 2 && p.n_rows == -1 && p.step[0] == 3 && p.x[0] == 2 &&
		p.y[0] == 1.5 && p.step[1] == 0,
	    "columns by name, a decimal comma, a missing position");
	cscg_positions_free(&p);
	ok(read_text(&p, "x,t\n7,0\nnan,1\n8,2\n") == 0 && p.n == 2 &&
		p.n_rows == 3 && p.step[1] == 2 && p.x[1] == 8 && p.y[1] == 0,
	    "without step, row i is step i; without y, y is 0");
	cscg_positions_free(&p);
	ok(read_text(&p, "u,v\n1,2\n") < 0 &&
		strstr(err.msg, "line 1: no column 'x'"),
	    "no column x");
	cscg_positions_free(&p);
	ok(read_text(&p, "x,y,step\n1,2,0.5\n") < 0 &&
		strstr(err.msg, "line 2: step 0.5 is not a whole number"),
	    "half a step");
	cscg_positions_free(&p);
	ok(read_text(&p, "x,y\n1,2\n1\n") < 0 &&
		strstr(err.msg, "line 3: 1 field, but the first line has 2"),
	    "a row that is too short");
	cscg_positions_free(&p);
	ok(read_text(&p, "x,y\n1,two\n") < 0 &&
		strstr(err.msg, "line 2: 'two' is not a number"),
	    "a word");
	cscg_positions_free(&p);
	ok(read_text(&p, "") < 0 && err.code == CSCG_ECUT, "no table");
	cscg_positions_free(&p);
}

int
main(void)
{
	double want[STEPS][STATES];
	struct cscg_model *m = small_model();
	struct cscg_walk *w = small_walk();
	struct cscg_trans *tr = need(cscg_trans_new(m, &cscg_plain_double,
	    &err));

	enumerate(m, w, want);
	test_posterior(tr, w, want);
	test_fields(tr, w, want);
	test_raster(m, tr, w, want);
	test_table();
	cscg_trans_free(tr);
	cscg_walk_free(w);
	cscg_model_free(m);
	return done();
}
