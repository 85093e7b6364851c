/*
 * learn_clean.c - from what EM found to a clean graph
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/expect.h"
#include "kernel/forward.h"
#include "learn/learn_clean.h"
#include "learn/learn_run.h"
#include "base/mem.h"
#include "learn/refine.h"
#include "learn/split.h"

enum { VITERBI_ROUNDS = 20, CLEAN_ROUNDS = 10, MERGES_FAILED_MAX = 4 };

static const struct cscg_kernel *
kernel(const struct cscg_learn *set)
{
	return set->is_double ? &cscg_plain_double : &cscg_plain_float;
}

int
cscg_learn_report_stage(const struct cscg_learn *set, const char *stage, long restart,
    long iteration, int n_states, double loglik, double objective,
    struct cscg_learn_progress *last)
{
	struct cscg_learn_progress line = { stage, restart, iteration, n_states,
	    loglik, objective };

	return cscg_learn_report_progress(set, &line, last);
}

int
cscg_learn_loglik(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_learn *set, double *loglik, struct cscg_err *err)
{
	struct cscg_trans *tr = cscg_trans_new(m, kernel(set), err);
	struct cscg_work work = { 0 };
	int rc;

	if (!tr)
		return -1;
	rc = cscg_expect(tr, w, &work, NULL, NULL, loglik, err);
	cscg_work_free(&work);
	cscg_trans_free(tr);
	return rc;
}

/* Scratch of refinement. */
struct viterbi_merge {
	const struct cscg_walk *w;
	const struct cscg_learn *set;
	struct cscg_work work;
	int *path, *into;
	long step;		/* for a checkpoint */
	int round;
};

/* Refine *m and find what to merge: how many states are left. */
static int
train_round(struct viterbi_merge *h, struct cscg_model *m, double *logp,
    struct cscg_err *err)
{
	if (cscg_viterbi_train(m, h->w, kernel(h->set), VITERBI_ROUNDS, &h->work,
	    h->path, logp, err) < 0)
		return -1;
	return cscg_structure_refine_partition(m, h->path, h->w->n_steps, h->into, err);
}

/* What a round has found, into a checkpoint; counts and map. */
static int
checkpoint_round(const struct viterbi_merge *h, const struct cscg_model *m,
    const char *name, int n, double logp, struct cscg_err *err)
{
	struct cscg_blob b = { 0 };
	int rc = -1;

	if (cscg_blob_write_long(&b, n, err) == 0 &&
	    cscg_blob_write_double(&b, logp, err) == 0 &&
	    cscg_blob_write(&b, h->into, (size_t)m->n_states * sizeof *h->into,
	    err) == 0 && cscg_blob_write_counts(&b, m, err) == 0)
		rc = cscg_checkpoint_take(h->set->save, name, &b, err);
	cscg_blob_free(&b);
	return rc;
}

/* The same round as it was done before, or done now. */
static int
checkpointed_round(struct viterbi_merge *h, struct cscg_model *m, double *logp,
    struct cscg_err *err)
{
	struct cscg_blob *b;
	char name[64];
	long n;

	if (!h->set->save)
		return train_round(h, m, logp, err);
	snprintf(name, sizeof name, "refine %ld.%d", h->step, h->round);
	b = cscg_checkpoint_get(h->set->save, name);
	if (b)
		return cscg_blob_read_long(b, 1, m->n_states, &n, err) < 0 ||
		    cscg_blob_read_double(b, logp, err) < 0 ||
		    cscg_blob_read(b, h->into, (size_t)m->n_states *
		    sizeof *h->into, err) < 0 ||
		    cscg_blob_read_counts(b, m, err) < 0 ?
		    cscg_fail_at(err, "checkpoint: %s", name) : (int)n;
	n = train_round(h, m, logp, err);
	return n < 0 || checkpoint_round(h, m, name, (int)n, *logp, err) < 0 ? -1 :
	    (int)n;
}

/* Viterbi refinement and merging until nothing is left to merge. */
static int
viterbi_and_merge_rounds(struct viterbi_merge *h, struct cscg_model **m, struct cscg_err *err)
{
	struct cscg_model *smaller;
	double logp;
	int n;

	for (h->round = 0; h->round < CLEAN_ROUNDS; h->round++) {
		n = checkpointed_round(h, *m, &logp, err);
		if (n < 0)
			return -1;
		cscg_learn_report_stage(h->set, "refine", 0, h->round,
		    (*m)->n_states, logp, NAN, NULL);
		if (n == (*m)->n_states)
			break;
		smaller = cscg_model_merge_states(*m, h->into, n, err);
		if (!smaller)
			return -1;
		cscg_model_free(*m);
		*m = smaller;
	}
	return 0;
}

static int
viterbi_and_merge(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_err *err)
{
	struct viterbi_merge h = { .w = w, .set = set,
	    .step = cscg_checkpoint_next_id(set->save) };
	int rc = -1;

	/* When all that was done is written, a signal may end us. */
	if (cscg_checkpoint_save(set->save, err) < 0)
		return -1;
	cscg_checkpoint_hold(set->save, false);
	h.path = cscg_alloc((size_t)w->n_steps, sizeof *h.path, err);
	h.into = cscg_alloc((size_t)(*m)->n_states, sizeof *h.into, err);
	if (h.path && h.into)
		rc = viterbi_and_merge_rounds(&h, m, err);
	cscg_work_free(&h.work);
	free(h.path);
	free(h.into);
	return rc;
}

/*
 * A copy of m after EM from its own counts, without the edges that carry less
 * than one transition; *value is what it is worth.
 */
static struct cscg_model *
em_polish(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_learn *set, double *value, double *loglik,
    struct cscg_err *err)
{
	struct cscg_model *s = cscg_model_copy(m, err);
	struct cscg_learn quiet = *set;
	struct cscg_learn_progress line;

	quiet.report = NULL;
	if (!s)
		return NULL;
	if (cscg_restarts_run(s, w, &quiet, false, 1, &line, err) < 0 ||
	    cscg_learn_loglik(s, w, set, loglik, err) < 0) {
		cscg_model_free(s);
		return NULL;
	}
	*value = cscg_bic(s, w->n_steps, *loglik);
	return s;
}

/* A copy of m with state j poured into state i < j. */
static struct cscg_model *
merge_two(const struct cscg_model *m, int i, int j, struct cscg_err *err)
{
	int *into = cscg_alloc((size_t)m->n_states, sizeof *into, err), k;
	struct cscg_model *out;

	if (!into)
		return NULL;
	for (k = 0; k < m->n_states; k++)
		into[k] = k == j ? i : k - (k > j);
	out = cscg_model_merge_states(m, into, m->n_states - 1, err);
	free(into);
	return out;
}

/*
 * Merge states as long as the model is worth more after it, EM having the last
 * word: with chance in the world rows alone do not tell which are the same.
 */
static int
merge_greedy(struct cscg_model **m, double *value, double *loglik,
    const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_err *err)
{
	struct cscg_model *merged, *s;
	double v, l;
	bool *tried = NULL;
	int i, j, n_failed, rc = 0;

	for (n_failed = 0; n_failed < MERGES_FAILED_MAX;) {
		if (!tried)
			tried = cscg_alloc((size_t)(*m)->n_states *
			    (size_t)(*m)->n_states, sizeof *tried, err);
		rc = tried ? cscg_merge_candidate(*m, w->n_steps, tried, &i, &j,
		    err) : -1;
		if (rc <= 0)
			break;
		rc = -1;
		merged = merge_two(*m, i, j, err);
		s = merged ? em_polish(merged, w, set, &v, &l, err) : NULL;
		cscg_model_free(merged);
		if (!s)
			break;
		rc = 0;
		if (v > *value) {
			cscg_learn_report_stage(set, "merge", 0, 0, s->n_states, l, v,
			    NULL);
			cscg_model_free(*m);
			*m = s;
			*value = v;
			*loglik = l;
			n_failed = 0;
			free(tried);
			tried = NULL;
		} else {
			n_failed++;
			cscg_model_free(s);
		}
	}
	free(tried);
	return rc < 0 ? -1 : 0;
}

bool
cscg_learn_is_deterministic(const struct cscg_model *m)
{
	long r;

	for (r = 0; r < (long)m->n_actions * m->n_states; r++)
		if (m->first[r + 1] - m->first[r] > 1)
			return false;
	return true;
}

/* For split.h: EM from what a split made, and a clean graph of it. */
struct refit {
	const struct cscg_walk *w;
	const struct cscg_learn *set;
};

static int
refit(void *ctx, struct cscg_model **m, double *loglik, struct cscg_err *err)
{
	const struct refit *s = ctx;
	struct cscg_learn quiet = *s->set;
	struct cscg_learn_progress line;

	quiet.report = NULL;
	if (cscg_restarts_run(*m, s->w, &quiet, false, 0, &line, err) < 0 ||
	    viterbi_and_merge(m, s->w, &quiet, err) < 0)
		return -1;
	return cscg_learn_loglik(*m, s->w, &quiet, loglik, err);
}

static void
on_split(void *ctx, const struct cscg_model *m, long tried, double loglik)
{
	const struct refit *s = ctx;

	cscg_learn_report_stage(s->set, "split", 0, tried, m->n_states, loglik, NAN,
	    NULL);
}

static int
split_states(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, double *loglik, struct cscg_err *err)
{
	struct refit s = { w, set };
	struct cscg_split how = { kernel(set), refit, on_split, &s };

	return set->split ? cscg_split(m, w, &how, loglik, err) : 0;
}

int
cscg_structure_clean(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, double *loglik, struct cscg_err *err)
{
	double value, em_loglik;
	struct cscg_model *s = NULL;

	if (viterbi_and_merge(m, w, set, err) < 0 ||
	    cscg_learn_loglik(*m, w, set, loglik, err) < 0 ||
	    split_states(m, w, set, loglik, err) < 0)
		return -1;
	if (!cscg_learn_is_deterministic(*m)) {
		s = em_polish(*m, w, set, &value, &em_loglik, err);
		if (!s)
			return -1;
		if (merge_greedy(&s, &value, &em_loglik, w, set, err) < 0) {
			cscg_model_free(s);
			return -1;
		}
		if (value > cscg_bic(*m, w->n_steps, *loglik)) {
			cscg_model_free(*m);
			*m = s;
			*loglik = em_loglik;
		} else {
			cscg_model_free(s);
		}
	}
	return 0;
}
