/*
 * pool.c - the common law of each action's rows, and the rows by it
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "learn/pool.h"

enum { UPDATES = 500 };	/* of the shares, at most */

struct pool {
	const struct cscg_model *m;
	int n_kinds;		/* one for each action, and to stay */
	int *main;		/* [n_kinds][n_states] where that is; -1: not
				   known */
	double *share;		/* [n_kinds + 1] the last: anywhere else */
	double *next;		/* [n_kinds + 1] */
	unsigned char *how;	/* [n_states] of the action at hand */
	double *over;		/* [n_states] how far a row is from the law */
	double steps;		/* of all rows */
};

/* Where a row mostly leads: with more than half of its counts; or -1. */
static int
mostly(const struct cscg_model *m, int a, int j)
{
	double all = cscg_model_row_sum(m, a, j);
	long r = (long)a * m->n_states + j, i;

	for (i = m->first[r]; i < m->first[r + 1]; i++)
		if (m->count[i] > .5 * all)
			return m->to[i];
	return -1;
}

/* P(k | j) by the shares. */
static double
law(const struct pool *p, int j, int k)
{
	int n_states = p->m->n_states, c;
	double sum = 0;

	for (c = 0; c < p->n_kinds; c++)
		if (p->main[(long)c * n_states + j] == k)
			sum += p->share[c];
	return sum > 0 ? sum : p->share[p->n_kinds] / n_states;
}

/* Does anything that may happen lead from j to k? */
static bool
explained(const struct pool *p, int j, int k)
{
	int c;

	for (c = 0; c < p->n_kinds; c++)
		if (p->main[(long)c * p->m->n_states + j] == k &&
		    p->share[c] > 0)
			return true;
	return false;
}

/* Is it the first kind that leads from j to where it leads? */
static bool
first_to(const struct pool *p, int c, int j)
{
	int n_states = p->m->n_states, d;

	for (d = 0; d < c; d++)
		if (p->main[(long)d * n_states + j] ==
		    p->main[(long)c * n_states + j])
			return false;
	return true;
}

/*
 * One update of EM on the shares: several kinds may lead to the same place, and
 * part the steps by their shares.  Returns how far any share moved.
 */
static double
update(struct pool *p, int a)
{
	const struct cscg_model *m = p->m;
	double all = 0, most = 0;
	long r, i;
	int j, c;

	memset(p->next, 0, sizeof *p->next * (size_t)(p->n_kinds + 1));
	for (j = 0; j < m->n_states; j++) {
		r = (long)a * m->n_states + j;
		for (i = m->first[r]; p->how[j] != CSCG_POOL_OWN &&
		    i < m->first[r + 1]; i++) {
			double known = law(p, j, m->to[i]);

			all += m->count[i];
			if (!explained(p, j, m->to[i])) {
				p->next[p->n_kinds] += m->count[i];
				continue;
			}
			for (c = 0; c < p->n_kinds; c++)
				if (p->main[(long)c * m->n_states + j] ==
				    m->to[i])
					p->next[c] += m->count[i] *
					    p->share[c] / known;
		}
	}
	for (c = 0; c <= p->n_kinds; c++) {
		double w = all > 0 ? p->next[c] / all : 0;

		most = fmax(most, fabs(w - p->share[c]));
		p->share[c] = w;
	}
	return most;
}

static void
fit(struct pool *p, int a)
{
	int n;

	for (n = 0; n < UPDATES && update(p, a) > 1e-12; n++)
		;
}

/* By BIC: how much more a row of its own is worth than its numbers. */
static double
excess(const struct pool *p, int a, int j)
{
	const struct cscg_model *m = p->m;
	double all = cscg_model_row_sum(m, a, j), gain = 0;
	long r = (long)a * m->n_states + j, i;
	int c, more = -1;

	for (i = m->first[r]; i < m->first[r + 1]; i++) {
		double n = m->count[i];

		if (n > 0)
			gain += n * (log(n / all) - log(law(p, j, m->to[i])));
		if (!explained(p, j, m->to[i]))
			more++;
	}
	for (c = 0; c < p->n_kinds; c++)
		if (p->main[(long)c * m->n_states + j] >= 0 &&
		    p->share[c] > 0 && first_to(p, c, j))
			more++;
	return 2 * gain - fmax(more, 1) * log(p->steps);
}

/*
 * Leave the rows that are furthest from the law on their own: the worst, and
 * those half as bad.  The others may be so because of these.
 */
static bool
part(struct pool *p, int a)
{
	const struct cscg_model *m = p->m;
	double worst = 0;
	int j;

	for (j = 0; j < m->n_states; j++)
		if (p->how[j] == CSCG_POOL_ASK) {
			p->over[j] = excess(p, a, j);
			worst = fmax(worst, p->over[j]);
		}
	for (j = 0; j < m->n_states && worst > 0; j++)
		if (p->how[j] == CSCG_POOL_ASK && p->over[j] >= worst / 2)
			p->how[j] = CSCG_POOL_OWN;
	return worst > 0;
}

/* The law of action a, of the rows that keep to it; how many do. */
static long
settle(struct pool *p, int a)
{
	const struct cscg_model *m = p->m;
	long n = 0;
	int c, j;

	for (c = 0; c <= p->n_kinds; c++)
		p->share[c] = 1. / (p->n_kinds + 1);
	for (j = 0; j < m->n_states; j++)
		if (p->main[(long)a * m->n_states + j] < 0)
			p->how[j] = CSCG_POOL_OWN;
	do
		fit(p, a);
	while (part(p, a));
	for (j = 0; j < m->n_states; j++) {
		if (p->how[j] == CSCG_POOL_ASK)
			p->how[j] = CSCG_POOL_LAW;
		n += p->how[j] == CSCG_POOL_LAW;
	}
	return n;
}

static void
put(struct cscg_count *out, long *n, int a, int j, int k, double c)
{
	if (c > 0)
		out[(*n)++] = (struct cscg_count){ a, j, k, c };
}

/* Row (a, j) by the law. */
static void
put_law(const struct pool *p, int a, int j, struct cscg_count *out, long *n)
{
	const struct cscg_model *m = p->m;
	double steps = cscg_model_row_sum(m, a, j), all = 0;
	int c;

	for (c = 0; c < p->n_kinds; c++)
		if (p->main[(long)c * m->n_states + j] >= 0)
			all += p->share[c];
	for (c = 0; c < p->n_kinds; c++) {
		int k = p->main[(long)c * m->n_states + j];

		if (k >= 0 && first_to(p, c, j) && explained(p, j, k))
			put(out, n, a, j, k, steps * law(p, j, k) / all);
	}
}

static void
put_row(const struct cscg_model *m, int a, int j, struct cscg_count *out,
    long *n)
{
	long r = (long)a * m->n_states + j, i;

	for (i = m->first[r]; i < m->first[r + 1]; i++)
		put(out, n, a, j, m->to[i], m->count[i]);
}

/* Does a row that keeps to the law have two outcomes? */
static bool
has_chance(const struct pool *p, int a)
{
	const struct cscg_model *m = p->m;
	int j;

	for (j = 0; j < m->n_states; j++) {
		long r = (long)a * m->n_states + j;

		if (p->how[j] == CSCG_POOL_LAW &&
		    m->first[r + 1] - m->first[r] > 1)
			return true;
	}
	return false;
}

/* The counts of action a, as they are to be; how many rows are by law. */
static long
put_action(struct pool *p, int a, struct cscg_count *out, long *n)
{
	const struct cscg_model *m = p->m;
	long rows = settle(p, a);
	int j;

	if (rows < 2 || !has_chance(p, a))
		rows = 0;
	for (j = 0; j < m->n_states; j++)
		if (rows && p->how[j] == CSCG_POOL_LAW)
			put_law(p, a, j, out, n);
		else
			put_row(m, a, j, out, n);
	return rows;
}

/* Where every kind leads. */
static void
find_main(struct pool *p)
{
	const struct cscg_model *m = p->m;
	int a, j, *main = p->main;

	for (a = 0; a < m->n_actions; a++)
		for (j = 0; j < m->n_states; j++) {
			*main++ = mostly(m, a, j);
			p->steps += cscg_model_row_sum(m, a, j);
		}
	for (j = 0; j < m->n_states; j++)
		*main++ = j;
}

long
cscg_pool(struct cscg_model *m, unsigned char *how, struct cscg_err *err)
{
	struct pool p = { .m = m, .n_kinds = m->n_actions + 1 };
	size_t n = (size_t)m->n_states, k = (size_t)p.n_kinds;
	struct cscg_count *out;
	long n_rows = (long)m->n_actions * m->n_states, n_out = 0, rows = 0;
	int a;

	p.main = cscg_alloc(k * n, sizeof *p.main, err);
	p.share = cscg_alloc(k + 1, sizeof *p.share, err);
	p.next = cscg_alloc(k + 1, sizeof *p.next, err);
	p.over = cscg_alloc(n, sizeof *p.over, err);
	out = cscg_alloc((size_t)m->first[n_rows] + k * (size_t)n_rows,
	    sizeof *out, err);
	if (!p.main || !p.share || !p.next || !p.over || !out) {
		rows = -1;
	} else {
		find_main(&p);
		for (a = 0; a < m->n_actions; a++) {
			p.how = how + (long)a * m->n_states;
			rows += put_action(&p, a, out, &n_out);
		}
		if (rows && cscg_model_set_counts(m, out, n_out, err) < 0)
			rows = -1;
	}
	free(p.main);
	free(p.share);
	free(p.next);
	free(p.over);
	free(out);
	return rows;
}
