/*
 * pool_fit.c - rows that keep to the law of their action, judged by the walk
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "learn/pool.h"

enum { TESTED_MAX = 200 };	/* rows that may ask to be on their own, at most */

/* The model with rows as how says, and what it makes of the walk; or NULL. */
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

/* Each row on its own must be worth its numbers, by BIC. */
static int
test_untied_rows(struct cscg_model **best, const struct cscg_model *m,
    const struct cscg_tied_noise_walk *walk, unsigned char *mode, double *loglik,
    struct cscg_err *err)
{
	long n = (long)m->n_actions * m->n_states, left = 0, i, rows;
	struct cscg_model *p;
	double l;

	for (i = 0; i < n; i++)
		left += mode[i] == CSCG_NOISE_UNTIED;
	for (i = 0; i < n && left <= TESTED_MAX; i++) {
		double more = (double)(m->first[i + 1] - m->first[i] - 1);

		if (mode[i] != CSCG_NOISE_UNTIED || more < 1)
			continue;
		mode[i] = CSCG_NOISE_TIED;
		p = tied_model(m, walk, mode, &rows, &l, err);
		if (rows < 0)
			return -1;
		if (p && mode[i] == CSCG_NOISE_TIED && 2 * (*loglik - l) <=
		    more * log((double)walk->steps)) {
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
cscg_tied_noise_fit(struct cscg_model **m, const struct cscg_tied_noise_walk *walk,
    double *loglik, struct cscg_err *err)
{
	unsigned char *mode = cscg_alloc((size_t)(*m)->n_actions *
	    (size_t)(*m)->n_states, 1, err);
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
