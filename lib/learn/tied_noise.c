/* tied_noise.c - transition noise shared by all states of an action */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "learn/constants.h"
#include "learn/tied_noise.h"

struct tied {
	const struct cscg_model *m;
	int n_kinds;         /* one for each action, and staying */
	int *successor;      /* [n_kinds][n_states] successor of each kind; -1:
	                        unknown */
	double *share;       /* [n_kinds + 1] the last: any other state */
	double *next;        /* [n_kinds + 1] */
	unsigned char *mode; /* [n_states] of the current action */
	double *excess;      /* [n_states] BIC gain of untying a row */
	double steps;        /* of all rows */
};

/* The main successor of a row, with more than half of its counts; or -1. */
static int
main_successor(const struct cscg_model *m, int a, int j)
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
tied_prob(const struct tied *p, int j, int k)
{
	int n_states = p->m->n_states, c;
	double sum = 0;

	for (c = 0; c < p->n_kinds; c++)
		if (p->successor[(long)c * n_states + j] == k)
			sum += p->share[c];
	return sum > 0 ? sum : p->share[p->n_kinds] / n_states;
}

/* True if a kind with a positive share leads from j to k. */
static bool
is_explained(const struct tied *p, int j, int k)
{
	int c;

	for (c = 0; c < p->n_kinds; c++)
		if (p->successor[(long)c * p->m->n_states + j] == k &&
		    p->share[c] > 0)
			return true;
	return false;
}

/* True if c is the first kind with its successor from j. */
static bool
first_to(const struct tied *p, int c, int j)
{
	int n_states = p->m->n_states, d;

	for (d = 0; d < c; d++)
		if (p->successor[(long)d * n_states + j] ==
		    p->successor[(long)c * n_states + j])
			return false;
	return true;
}

/*
 * One EM update of the shares: several kinds may have the same successor and
 * divide its counts in proportion to their shares.  Returns the largest change
 * of a share.
 */
static double
em_update(struct tied *p, int a)
{
	const struct cscg_model *m = p->m;
	double all = 0, most = 0;
	long r, i;
	int j, c;

	memset(p->next, 0, sizeof *p->next * (size_t)(p->n_kinds + 1));
	for (j = 0; j < m->n_states; j++) {
		r = (long)a * m->n_states + j;
		for (i = m->first[r];
		     p->mode[j] != CSCG_NOISE_UNTIED && i < m->first[r + 1];
		     i++) {
			double known = tied_prob(p, j, m->to[i]);

			all += m->count[i];
			if (!is_explained(p, j, m->to[i])) {
				p->next[p->n_kinds] += m->count[i];
				continue;
			}
			for (c = 0; c < p->n_kinds; c++)
				if (p->successor[(long)c * m->n_states + j] ==
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
fit_shares(struct tied *p, int a)
{
	int n;

	for (n = 0;
	     n < cscg_learn_constants.tied_updates && em_update(p, a) > 1e-12;
	     n++)
		;
}

/* The BIC gain of an untied row over the shared distribution. */
static double
bic_excess(const struct tied *p, int a, int j)
{
	const struct cscg_model *m = p->m;
	double all = cscg_model_row_sum(m, a, j), gain = 0;
	long r = (long)a * m->n_states + j, i;
	int c, more = -1;

	for (i = m->first[r]; i < m->first[r + 1]; i++) {
		double n = m->count[i];

		if (n > 0)
			gain += n *
			    (log(n / all) - log(tied_prob(p, j, m->to[i])));
		if (!is_explained(p, j, m->to[i]))
			more++;
	}
	for (c = 0; c < p->n_kinds; c++)
		if (p->successor[(long)c * m->n_states + j] >= 0 &&
		    p->share[c] > 0 && first_to(p, c, j))
			more++;
	return 2 * gain - fmax(more, 1) * log(p->steps);
}

/*
 * Untie the row with the largest BIC gain, and rows with at least half of that
 * gain.  The gain of the others may be due to these.
 */
static bool
untie_worst(struct tied *p, int a)
{
	const struct cscg_model *m = p->m;
	double worst = 0;
	int j;

	for (j = 0; j < m->n_states; j++)
		if (p->mode[j] == CSCG_NOISE_BY_BIC) {
			p->excess[j] = bic_excess(p, a, j);
			worst = fmax(worst, p->excess[j]);
		}
	for (j = 0; j < m->n_states && worst > 0; j++)
		if (p->mode[j] == CSCG_NOISE_BY_BIC &&
		    p->excess[j] >= worst / 2)
			p->mode[j] = CSCG_NOISE_UNTIED;
	return worst > 0;
}

/*
 * Fit the shared distribution of action a to its tied rows; returns their
 * number.
 */
static long
fit_action(struct tied *p, int a)
{
	const struct cscg_model *m = p->m;
	long n = 0;
	int c, j;

	for (c = 0; c <= p->n_kinds; c++)
		p->share[c] = 1. / (p->n_kinds + 1);
	for (j = 0; j < m->n_states; j++)
		if (p->successor[(long)a * m->n_states + j] < 0)
			p->mode[j] = CSCG_NOISE_UNTIED;
	do
		fit_shares(p, a);
	while (untie_worst(p, a));
	for (j = 0; j < m->n_states; j++) {
		if (p->mode[j] == CSCG_NOISE_BY_BIC)
			p->mode[j] = CSCG_NOISE_TIED;
		n += p->mode[j] == CSCG_NOISE_TIED;
	}
	return n;
}

static void
add_count(struct cscg_count *out, long *n, int a, int j, int k, double c)
{
	if (c > 0)
		out[(*n)++] = (struct cscg_count){ a, j, k, c };
}

/* Row (a, j) by the shared distribution. */
static void
add_tied_row(const struct tied *p, int a, int j, struct cscg_count *out,
    long *n)
{
	const struct cscg_model *m = p->m;
	double steps = cscg_model_row_sum(m, a, j), all = 0;
	int c;

	for (c = 0; c < p->n_kinds; c++)
		if (p->successor[(long)c * m->n_states + j] >= 0)
			all += p->share[c];
	for (c = 0; c < p->n_kinds; c++) {
		int k = p->successor[(long)c * m->n_states + j];

		if (k >= 0 && first_to(p, c, j) && is_explained(p, j, k))
			add_count(out, n, a, j, k,
			    steps * tied_prob(p, j, k) / all);
	}
}

static void
add_untied_row(const struct cscg_model *m, int a, int j,
    struct cscg_count *out, long *n)
{
	long r = (long)a * m->n_states + j, i;

	for (i = m->first[r]; i < m->first[r + 1]; i++)
		add_count(out, n, a, j, m->to[i], m->count[i]);
}

/* True if a tied row has more than one outcome. */
static bool
is_stochastic(const struct tied *p, int a)
{
	const struct cscg_model *m = p->m;
	int j;

	for (j = 0; j < m->n_states; j++) {
		long r = (long)a * m->n_states + j;

		if (p->mode[j] == CSCG_NOISE_TIED &&
		    m->first[r + 1] - m->first[r] > 1)
			return true;
	}
	return false;
}

/* Add the new counts of action a; returns the number of tied rows. */
static long
add_action(struct tied *p, int a, struct cscg_count *out, long *n)
{
	const struct cscg_model *m = p->m;
	long rows = fit_action(p, a);
	int j;

	if (rows < 2 || !is_stochastic(p, a))
		rows = 0;
	for (j = 0; j < m->n_states; j++)
		if (rows && p->mode[j] == CSCG_NOISE_TIED)
			add_tied_row(p, a, j, out, n);
		else
			add_untied_row(m, a, j, out, n);
	return rows;
}

/* Find the successors of every kind. */
static void
find_successors(struct tied *p)
{
	const struct cscg_model *m = p->m;
	int a, j, *successor = p->successor;

	for (a = 0; a < m->n_actions; a++)
		for (j = 0; j < m->n_states; j++) {
			*successor++ = main_successor(m, a, j);
			p->steps += cscg_model_row_sum(m, a, j);
		}
	for (j = 0; j < m->n_states; j++)
		*successor++ = j;
}

long
cscg_tied_noise(struct cscg_model *m, unsigned char *mode,
    struct cscg_err *err)
{
	struct cscg_pool mem = { .err = err };
	struct tied p = { .m = m, .n_kinds = m->n_actions + 1 };
	size_t n = (size_t)m->n_states, k = (size_t)p.n_kinds;
	struct cscg_count *out;
	long n_rows = (long)m->n_actions * m->n_states, n_out = 0, rows = 0;
	int a;

	p.successor = cscg_pool_add(&mem, k * n, sizeof *p.successor);
	p.share = cscg_pool_add(&mem, k + 1, sizeof *p.share);
	p.next = cscg_pool_add(&mem, k + 1, sizeof *p.next);
	p.excess = cscg_pool_add(&mem, n, sizeof *p.excess);
	out = cscg_pool_add(&mem,
	    (size_t)m->first[n_rows] + k * (size_t)n_rows, sizeof *out);
	if (mem.failed) {
		rows = -1;
	} else {
		find_successors(&p);
		for (a = 0; a < m->n_actions; a++) {
			p.mode = mode + (long)a * m->n_states;
			rows += add_action(&p, a, out, &n_out);
		}
		if (rows && cscg_model_set_counts(m, out, n_out, err) < 0)
			rows = -1;
	}
	cscg_pool_free(&mem);
	return rows;
}

/* Tied rows, tested on the walk */

/* A model with rows tied by mode, and its log-likelihood; or NULL. */
static struct cscg_model *
tied_model(const struct cscg_model *m, const struct cscg_tied_noise_walk *walk,
    unsigned char *mode, long *rows, double *loglik, struct cscg_err *err)
{
	struct cscg_model *p = cscg_model_copy(m, err);

	*rows = p ? cscg_tied_noise(p, mode, err) : -1;
	if (*rows > 0 && walk->measure(walk->ctx, p, loglik, err) < 0)
		*rows = -1;
	if (*rows > 0)
		return p;
	cscg_model_free(p);
	return NULL;
}

/* Tie each untied row again unless it improves BIC on the walk. */
static int
test_untied_rows(struct cscg_model **best, const struct cscg_model *m,
    const struct cscg_tied_noise_walk *walk, unsigned char *mode,
    double *loglik, struct cscg_err *err)
{
	long n = (long)m->n_actions * m->n_states, left = 0, i, rows;
	struct cscg_model *p;
	double l;

	for (i = 0; i < n; i++)
		left += mode[i] == CSCG_NOISE_UNTIED;
	for (i = 0; i < n && left <= cscg_learn_constants.tied_tests; i++) {
		double more = (double)(m->first[i + 1] - m->first[i] - 1);

		if (mode[i] != CSCG_NOISE_UNTIED || more < 1)
			continue;
		mode[i] = CSCG_NOISE_TIED;
		p = tied_model(m, walk, mode, &rows, &l, err);
		if (rows < 0)
			return -1;
		if (p && mode[i] == CSCG_NOISE_TIED &&
		    2 * (*loglik - l) <= more * log((double)walk->steps)) {
			cscg_model_free(*best);
			*best = p;
			*loglik = l;
		} else {
			cscg_model_free(p);
			mode[i] = CSCG_NOISE_UNTIED;
		}
	}
	return 0;
}

int
cscg_tied_noise_fit(struct cscg_model **m,
    const struct cscg_tied_noise_walk *walk, double *loglik,
    struct cscg_err *err)
{
	unsigned char *mode = cscg_alloc(
	    (size_t)(*m)->n_actions * (size_t)(*m)->n_states, 1, err);
	struct cscg_model *p;
	long rows;
	int rc;

	if (!mode)
		return -1;
	p = tied_model(*m, walk, mode, &rows, loglik, err);
	rc = rows < 0 ? -1 : p != NULL;
	if (p && test_untied_rows(&p, *m, walk, mode, loglik, err) < 0)
		rc = -1;
	if (rc > 0) {
		cscg_model_free(*m);
		*m = p;
	} else {
		cscg_model_free(p);
	}
	free(mode);
	return rc;
}
