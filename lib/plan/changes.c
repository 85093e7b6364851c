/*
 * changes.c - rows of a model that have changed: Bayesian change points from
 * their outcomes
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/changes.h"

void
cscg_changes_free(struct cscg_changes *c)
{
	free(c->v);
	c->v = NULL;
	c->n = c->cap = 0;
}

void
cscg_changes_clear(struct cscg_changes *c)
{
	c->n = 0;
}

/* The first entry whose row is not below this one. */
static size_t
find(const struct cscg_changes *c, long row)
{
	size_t lo = 0, hi = c->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (c->v[mid].row < row)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The share of a change that is left after the steps since its last use. */
static double
remaining(const struct cscg_changes *c, const struct cscg_change *r, long step)
{
	return pow(1 - c->change_rate / 4, (double)(step - r->last));
}

static struct cscg_change *
insert(struct cscg_changes *c, size_t i, long row, struct cscg_err *err)
{
	if (cscg_grow(&c->v, &c->cap, c->n + 1, sizeof *c->v, err) < 0)
		return NULL;
	memmove(c->v + i + 1, c->v + i, (c->n - i) * sizeof *c->v);
	c->n++;
	c->v[i] = (struct cscg_change){ .row = row, .model = 1 };
	return &c->v[i];
}

/* Index of outcome k; a new outcome replaces the least probable. */
static int
outcome_index(struct cscg_change *r, int k)
{
	int i, least = 0;

	for (i = 0; i < r->n; i++) {
		if (r->outcome[i] == k)
			return i;
		if (r->p[i] < r->p[least])
			least = i;
	}
	i = r->n < CSCG_CHANGES_OUTCOMES ? r->n++ : least;
	r->outcome[i] = k;
	r->p[i] = 0;
	return i;
}

int
cscg_changes_observe(struct cscg_changes *c, long row, int k, double p_model,
    double p_noise, double p_change, long step, struct cscg_err *err)
{
	size_t at = find(c, row);
	struct cscg_change *r = at < c->n && c->v[at].row == row ? &c->v[at] :
								   NULL;
	double h = c->change_rate, left, sum;
	int i, mine;

	/* An outcome that the model's row predicts leaves the row unchanged. */
	if (h <= 0 || (!r && p_model > .5))
		return 0;
	if (!r) {
		r = insert(c, at, row, err);
		if (!r)
			return -1;
		r->last = step;
	}
	left = remaining(c, r, step);
	/* An outcome that the model predicts is not a changed one. */
	mine = p_model > .5 ? -1 : outcome_index(r, k);
	sum = 0;
	for (i = 0; i < r->n; i++) {
		r->p[i] = r->p[i] * left * (1 - h);
		if (i == mine)
			r->p[i] += h / 2 * p_change;
		r->p[i] *= i == mine ? 1 - p_noise : p_noise;
		sum += r->p[i];
	}
	/*
	 * The part of a change that has decayed returns to the model's row,
	 * and so does half of the new changes.
	 */
	r->model = (1 - left * (1 - r->model)) * (1 - h) + h / 2;
	r->model *= p_model;
	sum += r->model;
	r->model /= sum;
	for (i = 0; i < r->n; i++)
		r->p[i] /= sum;
	r->last = step;
	return 0;
}

double
cscg_changes_get(const struct cscg_changes *c, long row, long step,
    int *outcome, double *p)
{
	size_t at = find(c, row);
	const struct cscg_change *r;
	int i;

	*outcome = -1;
	*p = 0;
	if (at == c->n || c->v[at].row != row)
		return 1;
	r = &c->v[at];
	for (i = 0; i < r->n; i++)
		if (r->p[i] > *p) {
			*p = r->p[i];
			*outcome = r->outcome[i];
		}
	*p *= remaining(c, r, step);
	return 1 - remaining(c, r, step) * (1 - r->model);
}
