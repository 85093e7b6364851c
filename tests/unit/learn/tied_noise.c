/* tied_noise.c - transition noise that all states share */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/model.h"
#include "learn/tied_noise.h"
#include "tap.h"

/*
 * A ring of n states: action 0 leads to the next, action 1 to the previous one.
 */
static struct cscg_model *
ring(int n, const double (*row)[4])
{
	struct cscg_err err;
	struct cscg_model *m = cscg_model_new(CSCG_SCHEMA, n, 2, 1, &err);
	struct cscg_count *c = calloc((size_t)n * 8, sizeof *c);
	long k = 0;
	int j, o;

	/* row[j]: counts of action 0: next, previous, same state, two ahead. */
	for (j = 0; j < n; j++) {
		int to[4] = { (j + 1) % n, (j + n - 1) % n, j, (j + 2) % n };

		for (o = 0; o < 4; o++)
			if (row[j][o] > 0)
				c[k++] = (struct cscg_count){ 0, j, to[o],
					row[j][o] };
		c[k++] = (struct cscg_count){ 1, j, to[1], 100 };
	}
	if (cscg_model_set_counts(m, c, k, &err) < 0)
		abort();
	free(c);
	return m;
}

static double
count(const struct cscg_model *m, int a, int j, int k)
{
	long r = (long)a * m->n_states + j, i;

	for (i = m->first[r]; i < m->first[r + 1]; i++)
		if (m->to[i] == k)
			return m->count[i];
	return 0;
}

static void
alike(void)
{
	static const double row[6][4] = { { 90, 10 }, { 85, 15 }, { 92, 8 },
		{ 88, 12 }, { 91, 9 }, { 184, 16 } };
	unsigned char how[12] = { 0 };
	struct cscg_err err;
	struct cscg_model *m = ring(6, row);

	/* 630 of 700 led to the next state. */
	ok(cscg_tied_noise(m, how, &err) == 6, "six rows share their noise");
	ok(fabs(count(m, 0, 0, 1) - 90) < 1e-6 &&
		fabs(count(m, 0, 1, 2) - 90) < 1e-6 &&
		fabs(count(m, 0, 1, 0) - 10) < 1e-6,
	    "each row has the same expected counts");
	ok(fabs(count(m, 0, 5, 0) - 180) < 1e-6 &&
		fabs(count(m, 0, 5, 4) - 20) < 1e-6,
	    "row sums are kept");
	ok(count(m, 1, 3, 2) == 100 && how[0] == CSCG_NOISE_TIED,
	    "a deterministic action is unchanged");
	cscg_model_free(m);
}

static void
apart(void)
{
	static const double row[6][4] = { { 900, 100 }, { 890, 110 },
		{ 905, 95 }, { 600, 400 }, { 908, 92 }, { 897, 103 } };
	unsigned char how[12] = { 0 };
	struct cscg_err err;
	struct cscg_model *m = ring(6, row);

	ok(cscg_tied_noise(m, how, &err) == 5 && how[3] == CSCG_NOISE_UNTIED,
	    "a state with more noise keeps its own row");
	ok(count(m, 0, 3, 4) == 600 && count(m, 0, 3, 2) == 400,
	    "an untied row keeps its counts");
	ok(fabs(count(m, 0, 0, 1) - 900) < 1e-6,
	    "the tied noise is that of the other rows: 4500 of 5000");
	cscg_model_free(m);

	m = ring(6, row);
	memset(how, 0, sizeof how);
	how[3] = CSCG_NOISE_TIED;
	how[0] = CSCG_NOISE_UNTIED;
	cscg_tied_noise(m, how, &err);
	ok(how[3] == CSCG_NOISE_TIED && how[0] == CSCG_NOISE_UNTIED &&
		count(m, 0, 0, 1) == 900,
	    "rows marked as tied or untied keep their mark");
	cscg_model_free(m);
}

static void
stays(void)
{
	static const double sure[4][4] = { { 7 }, { 9 }, { 1 }, { 100 } };
	static const double lost[4][4] = { { 4, 3, 3 }, { 4, 3, 3 },
		{ 3, 4, 3 }, { 3, 3, 4 } };
	static const double odd[6][4] = { { 900, 99, 0, 1 }, { 890, 110 },
		{ 905, 95 }, { 902, 98 }, { 908, 92 }, { 896, 104 } };
	unsigned char how[12] = { 0 };
	struct cscg_err err;
	struct cscg_model *m = ring(4, sure);

	ok(cscg_tied_noise(m, how, &err) == 0 && count(m, 0, 3, 0) == 100,
	    "a deterministic model is unchanged");
	cscg_model_free(m);

	m = ring(4, lost);
	memset(how, 0, sizeof how);
	ok(cscg_tied_noise(m, how, &err) == 0 && count(m, 0, 0, 1) == 4,
	    "actions with mostly self-transitions have no tied noise");
	cscg_model_free(m);

	m = ring(6, odd);
	memset(how, 0, sizeof how);
	ok(cscg_tied_noise(m, how, &err) == 6 && count(m, 0, 0, 2) == 0,
	    "one step of a thousand that the tied noise does not explain is "
	    "dropped");
	cscg_model_free(m);
}

/*
 * Two outcomes lead to the same state: in a ring of two states next and
 * previous are one, so that a row alone cannot distinguish them; a ring of four
 * in the same model can.  Counts are exactly proportional to .8 (next), .15
 * (previous), .05 (same).
 */
static void
corners(void)
{
	static const struct cscg_count c[] = {
		{ 0, 0, 1, 95 },
		{ 0, 0, 0, 5 },
		{ 0, 1, 0, 95 },
		{ 0, 1, 1, 5 },
		{ 0, 2, 3, 80 },
		{ 0, 2, 5, 15 },
		{ 0, 2, 2, 5 },
		{ 0, 3, 4, 80 },
		{ 0, 3, 2, 15 },
		{ 0, 3, 3, 5 },
		{ 0, 4, 5, 80 },
		{ 0, 4, 3, 15 },
		{ 0, 4, 4, 5 },
		{ 0, 5, 2, 80 },
		{ 0, 5, 4, 15 },
		{ 0, 5, 5, 5 },
		{ 1, 0, 1, 9 },
		{ 1, 1, 0, 9 },
		{ 1, 2, 5, 9 },
		{ 1, 3, 2, 9 },
		{ 1, 4, 3, 9 },
		{ 1, 5, 4, 9 },
	};
	unsigned char how[12] = { 0 };
	struct cscg_err err;
	struct cscg_model *m = cscg_model_new(CSCG_SCHEMA, 6, 2, 1, &err);
	double off = 0;
	size_t i, n = sizeof c / sizeof *c;

	if (cscg_model_set_counts(m, c, (long)n, &err) < 0)
		abort();
	ok(cscg_tied_noise(m, how, &err) == 6, "all rows are tied");
	for (i = 0; i < n; i++)
		off = fmax(off,
		    fabs(count(m, c[i].a, c[i].from, c[i].to) - c[i].c));
	ok(off < 1e-6,
	    "counts in proportion to the tied noise are unchanged (%g)", off);
	cscg_model_free(m);
}

/* A walk without aliasing: the likelihood is that of the counts. */
static int
seen(void *ctx, const struct cscg_model *m, double *loglik,
    struct cscg_err *err)
{
	const struct cscg_model *from = ctx;
	long r, i;

	(void)err;
	*loglik = 0;
	for (r = 0; r < (long)from->n_actions * from->n_states; r++)
		for (i = from->first[r]; i < from->first[r + 1]; i++)
			*loglik += from->count[i] *
			    log(cscg_model_T(m, (int)(r / from->n_states),
				(int)(r % from->n_states), from->to[i]));
	return 0;
}

static int
hidden(void *ctx, const struct cscg_model *m, double *loglik,
    struct cscg_err *err)
{
	(void)ctx, (void)m, (void)err;
	*loglik = -1; /* regardless of the counts of a row */
	return 0;
}

static void
by_walk(void)
{
	static const double row[6][4] = { { 900, 100 }, { 890, 110 },
		{ 905, 95 }, { 600, 400 }, { 908, 92 }, { 897, 103 } };
	struct cscg_err err;
	struct cscg_model *from = ring(6, row), *m = ring(6, row);
	struct cscg_tied_noise_walk walk = { 6600, seen, from };
	double loglik;

	ok(cscg_tied_noise_fit(&m, &walk, &loglik, &err) == 1 &&
		count(m, 0, 3, 4) == 600,
	    "the likelihood of the walk justifies the separate row");
	cscg_model_free(m);
	m = ring(6, row);
	walk.measure = hidden;
	/* 5100 of 6000 led to the next state. */
	ok(cscg_tied_noise_fit(&m, &walk, &loglik, &err) == 1 &&
		loglik == -1 && fabs(count(m, 0, 3, 4) - 850) < 1e-6,
	    "or does not: then it is no ice");
	cscg_model_free(m);
	cscg_model_free(from);
}

int
main(void)
{
	alike();
	apart();
	stays();
	corners();
	by_walk();
	return done();
}
