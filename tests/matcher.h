/*
 * matcher.h - run a match in a test and keep its rows
 */
#ifndef MATCHER_H
#define MATCHER_H

#include "schema/match.h"
#include "walker.h"

enum { ROWS = 200, SCHEMAS = 3 };

/* The rows of a match. */
static struct rows {
	int n;
	struct cscg_match_row row[ROWS];
	double loglik[ROWS][SCHEMAS], posterior[ROWS][SCHEMAS];
	int rank[ROWS][SCHEMAS];
} got;

__attribute__((unused)) static int
keep(void *ctx, const struct cscg_match_row *row, struct cscg_err *e)
{
	struct rows *r = ctx;
	int i;

	if (r->n == ROWS)
		return cscg_fail(e, CSCG_EBUG, "too many rows");
	r->row[r->n] = *row;
	for (i = 0; i < row->n; i++) {
		r->loglik[r->n][i] = row->loglik[i];
		r->posterior[r->n][i] = row->posterior[i];
		r->rank[r->n][i] = row->rank[i];
	}
	r->n++;
	return 0;
}

__attribute__((unused)) static struct cscg_match *
new_match(const struct cscg_match_options *set)
{
	struct cscg_match_options s = *set;

	got.n = 0;
	s.row = keep;
	s.ctx = &got;
	return need(cscg_match_new(&s, &err));
}

/* A schema of n states in a cycle under its only action. */
__attribute__((unused)) static struct cscg_model *
ring(int n)
{
	struct cscg_model *m = need(cscg_model_new(CSCG_SCHEMA, n, 1, 1,
	    &err));
	struct cscg_count c[8];
	int j;

	for (j = 0; j < n; j++)
		c[j] = (struct cscg_count){ 0, j, (j + 1) % n, 1 };
	need(cscg_model_set_counts(m, c, n, &err) < 0 ? NULL : m);
	return m;
}

__attribute__((unused)) static void
take(struct cscg_match *match, const char *name, struct cscg_model *m)
{
	need(cscg_match_take_schema(match, name, m, &err) < 0 ? NULL : match);
}

/*
 * Give the matcher every step of w; more: say that further steps can be read
 * without waiting.
 */
__attribute__((unused)) static int
feed(struct cscg_match *match, const struct cscg_walk *w, bool more)
{
	struct cscg_step s;
	long t;

	if (cscg_match_begin_walk(match, &w->head, &err) < 0)
		return -1;
	for (t = 0; t < w->n_steps; t++) {
		cscg_walk_get_step(w, t, &s);
		if (cscg_match_step(match, &s, more && s.a >= 0, &err) < 0)
			return -1;
	}
	return 0;
}

#endif
