/*
 * predict.c - prediction by a mixture of models, step by step
 *
 * Every model has its filter (filter.h) and the log of its weight, which grows
 * by log P(x | steps before, model).  The weights of all models together with
 * their predictions are the mixture.  With the escape probability no weight
 * becomes 0.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "kernel/cpu.h"
#include "kernel/passes.h"
#include "kernel/predict.h"

struct member {
	const struct cscg_model *m;
	struct cscg_trans *tr;
	struct cscg_filter *filter;
	int *symbol;          /* [n_obs] of the mixture: that of m, or
	                         CSCG_UNKNOWN */
	int *of_symbol;       /* [m->n_obs] of m: that of the mixture */
	int *action;          /* [n_actions] that of m */
	double *p;            /* [m->n_obs] scratch */
	double *states;       /* [m->n_states] scratch ... */
	void *message, *next; /* ... and [stride] reals */
	double log_prior, log_weight, weight;
};

struct cscg_predictor {
	int n;
	struct member *member;
	struct cscg_model names; /* alphabets; n_obs: without the unknown */
	double unseen;
};

struct cscg_predict_settings
cscg_predict_defaults(void)
{
	return (struct cscg_predict_settings){ .unseen = CSCG_UNSEEN };
}

/* ---- alphabets ---- */

/* The symbols of all models: by name if all have names, else by number. */
static int
join_symbols(struct cscg_predictor *p, struct cscg_err *err)
{
	struct cscg_dict dict = { 0 };
	bool named = true;
	int i, x, rc = 0;

	for (i = 0; i < p->n; i++) {
		const struct cscg_model *m = p->member[i].m;

		named &= m->symbols.n > 0;
		if (m->n_obs > p->names.n_obs)
			p->names.n_obs = m->n_obs;
	}
	for (i = 0; i < p->n && rc == 0; i++) {
		const struct cscg_model *m = p->member[i].m;

		for (x = 0; x < m->n_obs && rc == 0; x++) {
			p->member[i].of_symbol[x] = named ?
			    cscg_dict_add(&dict, m->symbols.v[x], err) :
			    x;
			rc = p->member[i].of_symbol[x] < 0 ? -1 : 0;
		}
		if (!named && rc == 0 && !p->names.symbols.n && m->symbols.n &&
		    m->n_obs == p->names.n_obs)
			rc = cscg_names_copy(&p->names.symbols, &m->symbols,
			    err);
	}
	if (named && rc == 0) {
		p->names.n_obs = dict.names.n;
		rc = cscg_names_copy(&p->names.symbols, &dict.names, err);
	}
	cscg_dict_free(&dict);
	return rc;
}

/* The inverse map of member m. */
static int
set_symbols(struct member *m, int n_obs, struct cscg_err *err)
{
	int x;

	m->symbol = cscg_alloc((size_t)n_obs + 1, sizeof *m->symbol, err);
	if (!m->symbol)
		return -1;
	for (x = 0; x <= n_obs; x++)
		m->symbol[x] = CSCG_UNKNOWN;
	for (x = 0; x < m->m->n_obs; x++)
		m->symbol[m->of_symbol[x]] = x;
	return 0;
}

/* ---- start and end ---- */

static int
new_member(struct cscg_predictor *p, int i, const struct cscg_model *m,
    const struct cscg_predict_settings *set, const struct cscg_simd *simd,
    struct cscg_err *err)
{
	struct member *q = &p->member[i];
	const struct cscg_filter_options how = { .simd = simd,
		.restart = set->unseen > 0 };
	const struct cscg_kernel *kern = set->double_precision ||
		m->is_double ?
	    &cscg_plain_double :
	    &cscg_plain_float;

	q->m = m;
	q->log_prior = set->prior ? log(set->prior[i]) : 0;
	q->tr = cscg_trans_new(m, kern, err);
	if (!q->tr)
		return -1;
	q->filter = cscg_filter_new(q->tr, &how, err);
	q->of_symbol = cscg_alloc((size_t)m->n_obs, sizeof(int), err);
	q->action = cscg_alloc((size_t)p->names.n_actions, sizeof(int), err);
	q->p = cscg_alloc((size_t)m->n_obs, sizeof *q->p, err);
	q->states = cscg_alloc((size_t)m->n_states, sizeof *q->states, err);
	q->message = cscg_alloc_aligned(q->tr->stride, kern->size, CSCG_ALIGN,
	    err);
	q->next = cscg_alloc_aligned(q->tr->stride, kern->size, CSCG_ALIGN,
	    err);
	if (!q->filter || !q->of_symbol || !q->action || !q->p || !q->states ||
	    !q->message || !q->next)
		return -1;
	return cscg_names_map(&p->names.actions, p->names.n_actions,
	    &m->actions, m->n_actions, "action", q->action, err);
}

static int
check_settings(int n, const struct cscg_predict_settings *set,
    const struct cscg_simd **simd, struct cscg_err *err)
{
	int i;

	if (n < 1)
		return cscg_fail(err, CSCG_EUSAGE, "no model is given");
	if (!(set->unseen >= 0 && set->unseen < 1))
		return cscg_fail(err, CSCG_EUSAGE,
		    "an escape probability of %g", set->unseen);
	for (i = 0; set->prior && i < n; i++)
		if (!(set->prior[i] > 0) || isinf(set->prior[i]))
			return cscg_fail(err, CSCG_EUSAGE,
			    "a prior of %g for model %d", set->prior[i], i);
	return cscg_cpu_choose_simd(set->isa ? set->isa : "auto", simd, err);
}

struct cscg_predictor *
cscg_predictor_new(const struct cscg_model *const *model, int n,
    const struct cscg_predict_settings *set, struct cscg_err *err)
{
	struct cscg_predict_settings defaults = cscg_predict_defaults();
	struct cscg_predictor *p;
	const struct cscg_simd *simd;
	int i;

	if (!set)
		set = &defaults;
	if (check_settings(n, set, &simd, err) < 0)
		return NULL;
	p = cscg_alloc(1, sizeof *p, err);
	if (!p)
		return NULL;
	p->member = cscg_alloc((size_t)n, sizeof *p->member, err);
	if (!p->member)
		goto fail;
	p->n = n;
	p->names.kind = CSCG_GROUNDED;
	p->names.n_actions = model[0]->n_actions;
	p->unseen = set->unseen;
	if (cscg_names_copy(&p->names.actions, &model[0]->actions, err) < 0)
		goto fail;
	for (i = 0; i < n; i++)
		if (new_member(p, i, model[i], set, simd, err) < 0) {
			if (n > 1)
				cscg_fail_at(err, "model %d", i);
			goto fail;
		}
	if (join_symbols(p, err) < 0)
		goto fail;
	for (i = 0; i < n; i++)
		if (set_symbols(&p->member[i], p->names.n_obs, err) < 0)
			goto fail;
	cscg_predictor_begin(p);
	return p;
fail:
	cscg_predictor_free(p);
	return NULL;
}

void
cscg_predictor_free(struct cscg_predictor *p)
{
	int i;

	if (!p)
		return;
	for (i = 0; i < p->n; i++) {
		struct member *q = &p->member[i];

		cscg_filter_free(q->filter);
		cscg_trans_free(q->tr);
		free(q->symbol);
		free(q->of_symbol);
		free(q->action);
		free(q->p);
		free(q->states);
		free(q->message);
		free(q->next);
	}
	free(p->member);
	cscg_names_free(&p->names.actions);
	cscg_names_free(&p->names.symbols);
	free(p);
}

const struct cscg_model *
cscg_predictor_names(const struct cscg_predictor *p)
{
	return &p->names;
}

void
cscg_predictor_set_unseen(struct cscg_predictor *p, double unseen)
{
	int i;

	p->unseen = unseen;
	for (i = 0; i < p->n; i++)
		cscg_filter_set_restart(p->member[i].filter, unseen > 0);
}

const struct cscg_filter *
cscg_predictor_filter(const struct cscg_predictor *p, int i)
{
	return p->member[i].filter;
}

/* ---- weights ---- */

/* The weights from their logs; returns the log of their sum. */
static double
set_weights(struct cscg_predictor *p)
{
	double most = -INFINITY, sum = 0;
	int i;

	for (i = 0; i < p->n; i++)
		most = fmax(most, p->member[i].log_weight);
	if (isinf(most))
		return -INFINITY;
	for (i = 0; i < p->n; i++) {
		p->member[i].weight = exp(p->member[i].log_weight - most);
		sum += p->member[i].weight;
	}
	for (i = 0; i < p->n; i++)
		p->member[i].weight /= sum;
	return most + log(sum);
}

void
cscg_predictor_begin(struct cscg_predictor *p)
{
	int i;

	for (i = 0; i < p->n; i++) {
		p->member[i].log_weight = p->member[i].log_prior;
		cscg_filter_reset(p->member[i].filter);
	}
	set_weights(p);
}

int
cscg_predictor_best(const struct cscg_predictor *p)
{
	int i, best = 0;

	for (i = 1; i < p->n; i++)
		if (p->member[i].weight > p->member[best].weight)
			best = i;
	return best;
}

void
cscg_predictor_get_weights(const struct cscg_predictor *p, double *weight)
{
	int i;

	for (i = 0; i < p->n; i++)
		weight[i] = p->member[i].weight;
}

void
cscg_predictor_get_belief(const struct cscg_predictor *p, int i,
    double *belief)
{
	cscg_filter_probs(p->member[i].filter, belief);
}

/* ---- observation and prediction ---- */

static int
check_step(const struct cscg_predictor *p, int a, int x, struct cscg_err *err)
{
	if (a < -1 || a >= p->names.n_actions)
		return cscg_fail(err, CSCG_ERANGE,
		    "action %d is outside -1..%d", a, p->names.n_actions - 1);
	if (x < -1 || x > p->names.n_obs)
		return cscg_fail(err, CSCG_ERANGE,
		    "symbol %d is outside -1..%d", x, p->names.n_obs);
	return 0;
}

/* log P(x | steps before) of the mixture. */
static double
observe(struct cscg_predictor *p, int a, int x)
{
	double mean = 0, floor, q;
	int i;

	floor = x < 0 ? 0 : cscg_escape_floor(p->unseen, p->names.n_obs);
	for (i = 0; i < p->n; i++) {
		struct member *m = &p->member[i];

		q = cscg_filter_observe(m->filter, a < 0 ? -1 : m->action[a],
		    x < 0 ? -1 : m->symbol[x]);
		mean += m->weight * q;
		if (x >= 0)
			q = (1 - p->unseen) * q + floor;
		m->log_weight += p->n > 1 ? log(q) : 0;
	}
	if (p->n > 1 && isinf(set_weights(p)))
		for (i = 0; i < p->n; i++) /* lost: keep the weights */
			p->member[i].log_weight = log(p->member[i].weight);
	return x < 0 && mean > 0 ? 0 : log((1 - p->unseen) * mean + floor);
}

int
cscg_predictor_observe(struct cscg_predictor *p, int a, int x, double *nats,
    struct cscg_err *err)
{
	double log_p;

	if (check_step(p, a, x, err) < 0)
		return -1;
	log_p = observe(p, a, x);
	if (nats)
		*nats = 0 - log_p;
	return 0;
}

/* Add the prediction of member m, p[m->n_obs], with its weight. */
static void
add_prediction(const struct member *m, double *prob)
{
	int x;

	for (x = 0; x < m->m->n_obs; x++)
		prob[m->of_symbol[x]] += m->weight * m->p[x];
}

/* Add the escape floor to each symbol, unless no model predicts. */
static void
add_escape(const struct cscg_predictor *p, double *prob)
{
	double floor = cscg_escape_floor(p->unseen, p->names.n_obs);
	int x;

	for (x = 0; x <= p->names.n_obs; x++)
		prob[x] = (1 - p->unseen) * prob[x] + floor;
}

int
cscg_predictor_next(struct cscg_predictor *p, int a, double *prob,
    struct cscg_err *err)
{
	bool known = false;
	int i;

	if (check_step(p, a, -1, err) < 0)
		return -1;
	memset(prob, 0, ((size_t)p->names.n_obs + 1) * sizeof *prob);
	for (i = 0; i < p->n; i++) {
		struct member *m = &p->member[i];

		if (!cscg_filter_predict(m->filter, a < 0 ? -1 : m->action[a],
			m->p))
			continue;
		add_prediction(m, prob);
		known = true;
	}
	if (known)
		add_escape(p, prob);
	return 0;
}

/* P(state) one step on, under random actions, in m->message. */
static void
push_random(struct member *m)
{
	const struct cscg_trans *tr = m->tr;
	const struct cscg_span all = { .hi = tr->n_states };
	int a, j;

	memset(m->states, 0, (size_t)tr->n_states * sizeof *m->states);
	for (a = 0; a < tr->n_actions; a++) {
		cscg_trans_push(tr, a, &all, &all, m->message, m->next);
		tr->kern->add(m->next, m->states, tr->n_states);
	}
	for (j = 0; j < tr->n_states; j++)
		m->states[j] /= tr->n_actions;
	tr->kern->set(m->message, m->states, tr->n_states);
}

int
cscg_predictor_ahead(struct cscg_predictor *p, int a, long n, double *prob,
    struct cscg_err *err)
{
	size_t K = (size_t)p->names.n_obs + 1;
	bool known = false;
	long t;
	int i;

	if (check_step(p, a, -1, err) < 0)
		return -1;
	memset(prob, 0, (size_t)n * K * sizeof *prob);
	for (i = 0; i < p->n; i++) {
		struct member *m = &p->member[i];
		const void *ahead = cscg_filter_ahead(m->filter,
		    a < 0 ? -1 : m->action[a]);

		if (!ahead)
			continue;
		memcpy(m->message, ahead,
		    (size_t)m->tr->n_states * m->tr->kern->size);
		for (t = 0; t < n; t++) {
			if (t)
				push_random(m);
			cscg_filter_emit(m->tr, m->message, m->p);
			add_prediction(m, prob + (size_t)t * K);
		}
		known = true;
	}
	for (t = 0; t < n && known; t++)
		add_escape(p, prob + (size_t)t * K);
	return 0;
}

/* ---- the likeliest path ---- */

/* Evidence of a future: each state is weighted by its likeliest symbol. */
struct future {
	const struct cscg_trans *tr;
	void *weight; /* [stride], or NULL: emissions by clone */
	int *x;       /* [n_states] the likeliest symbol */
};

static void
future_at(const struct cscg_evidence *ev, long t, struct cscg_span *s)
{
	const struct future *f = ev->ctx;

	s->hi = f->tr->n_states;
	if (t > 0 && f->weight) {
		s->weight = f->weight;
	} else if (t > 0) {
		s->inner_hi = s->hi;
		s->top = 1 - f->tr->misread + f->tr->misread / f->tr->n_obs;
	}
}

static int
set_future(struct future *f, const struct member *m, struct cscg_err *err)
{
	const struct cscg_trans *tr = m->tr;
	const struct cscg_kernel *k = tr->kern;
	double *best, p;
	int j, x;

	f->tr = tr;
	f->x = cscg_alloc((size_t)tr->n_states, sizeof *f->x, err);
	best = cscg_alloc((size_t)tr->n_states, sizeof *best, err);
	f->weight = tr->E ? cscg_alloc(tr->stride, k->size, err) : NULL;
	if (!f->x || !best || (tr->E && !f->weight)) {
		free(best);
		return -1;
	}
	for (j = 0; j < tr->n_states && !tr->E; j++)
		f->x[j] = m->m->clone[j];
	for (x = 0; x < tr->n_obs && tr->E; x++)
		for (j = 0; j < tr->n_states; j++) {
			k->get((char *)tr->E +
				((size_t)x * tr->stride + (size_t)j) * k->size,
			    &p, 1);
			if (p > best[j]) {
				best[j] = p;
				f->x[j] = x;
			}
		}
	if (tr->E)
		k->set(f->weight, best, tr->n_states);
	free(best);
	return 0;
}

/* The path of one model into state[n] and x[n]; *logp as of Viterbi. */
static int
path_of(const struct member *m, const int *a, long n, int *state, int *x,
    double *logp, struct cscg_err *err)
{
	struct cscg_evidence ev = { .n = n + 1, .at = future_at };
	struct cscg_work work = { 0 };
	struct future f = { 0 };
	int *actions = cscg_alloc((size_t)n + 1, sizeof *actions, err);
	int *z = cscg_alloc((size_t)n + 1, sizeof *z, err), rc = -1;
	long t;

	if (!actions || !z || set_future(&f, m, err) < 0)
		goto out;
	for (t = 0; t < n; t++)
		actions[t] = m->action[a[t]];
	actions[n] = -1;
	cscg_filter_probs(m->filter, m->states);
	m->tr->kern->set(m->message, m->states, m->tr->n_states);
	ev.a = actions;
	ev.first = m->message;
	ev.ctx = &f;
	cscg_work_limit(&work, m->tr, n + 1);
	rc = cscg_pass_viterbi(m->tr, &ev, &work, z, logp, err);
	for (t = 0; t < n && rc == 0 && z[t + 1] >= 0; t++) {
		state[t] = z[t + 1];
		x[t] = m->of_symbol[f.x[z[t + 1]]];
	}
out:
	cscg_work_free(&work);
	free(f.weight);
	free(f.x);
	free(actions);
	free(z);
	return rc;
}

int
cscg_predictor_lost(struct cscg_err *err)
{
	return cscg_fail(err, CSCG_EMISMATCH,
	    "the models cannot produce the walk: it has no continuation");
}

int
cscg_predictor_path(const struct cscg_predictor *p, const int *a, long n,
    int *state, int *x, int *which, double *logp, struct cscg_err *err)
{
	double best = -INFINITY, one;
	int i;

	/* The best model's path is computed last: it stays in state and x. */
	for (i = 0; i < p->n && p->n > 1; i++) {
		if (!(p->member[i].weight > 0))
			continue;
		if (path_of(&p->member[i], a, n, state, x, &one, err) < 0)
			return -1;
		if (one + log(p->member[i].weight) > best) {
			best = one + log(p->member[i].weight);
			*which = i;
		}
	}
	if (p->n == 1)
		*which = 0;
	else if (isinf(best))
		return cscg_predictor_lost(err);
	if (path_of(&p->member[*which], a, n, state, x, logp, err) < 0)
		return -1;
	return isinf(*logp) ? cscg_predictor_lost(err) : 0;
}
