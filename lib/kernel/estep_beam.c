/*
 * estep_beam.c - E-step on T and the misreading probability, by a beam of
 * states
 *
 * The forward pass stores the states that are kept at each step with their
 * scaled messages; the backward pass follows the stored states from the end.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/estep_beam.h"
#include "kernel/passes.h"

/* Emission of another symbol, in shares, below which states of it are tried last. */
static const double RARE = 0.1;

struct cscg_beam {
	const struct cscg_walk *w;
	double share;
	long *first; /* [n_steps + 1] kept states of each step */
	int *state;
	double *alpha;       /* like state: forward message, sums to one */
	double *scale;       /* [n_steps] P(x[t] | steps before) */
	unsigned char *jump; /* [n_steps] no transition leads into the step */
	long n;
	size_t cap_state, cap_alpha;

	/* of the model */
	const struct cscg_model *m;
	int *group;    /* [n_obs + 1] */
	double *T;     /* [stored counts] */
	double *level; /* [rows] T of all others */
	double top, floor;
	double *value; /* [n_states] message under construction ... */
	int *touched;  /* ... of these states */
	double *beta;  /* [n_states] zero except for kept states */
	size_t cap_T, cap_level, cap_group, cap_value, cap_touched, cap_beta;
};

struct cscg_beam *
cscg_beam_new(const struct cscg_walk *w, double share, struct cscg_err *err)
{
	struct cscg_beam *b = cscg_alloc(1, sizeof *b, err);
	size_t n = (size_t)w->n_steps;

	if (!b)
		return NULL;
	b->w = w;
	b->share = share;
	b->first = cscg_alloc(n + 1, sizeof *b->first, err);
	b->scale = cscg_alloc(n, sizeof *b->scale, err);
	b->jump = cscg_alloc(n, 1, err);
	if (!b->first || !b->scale || !b->jump) {
		cscg_beam_free(b);
		return NULL;
	}
	return b;
}

void
cscg_beam_free(struct cscg_beam *b)
{
	if (!b)
		return;
	free(b->first);
	free(b->state);
	free(b->alpha);
	free(b->scale);
	free(b->jump);
	free(b->group);
	free(b->T);
	free(b->level);
	free(b->value);
	free(b->touched);
	free(b->beta);
	free(b);
}

/* ---- the model ---- */

static void
set_T(struct cscg_beam *b)
{
	const struct cscg_model *m = b->m;
	double p = m->pseudocount, norm;
	long r, i;

	for (r = 0; r < (long)m->n_actions * m->n_states; r++) {
		norm = p * m->n_states;
		for (i = m->first[r]; i < m->first[r + 1]; i++)
			norm += m->count[i];
		for (i = m->first[r]; i < m->first[r + 1]; i++)
			b->T[i] = (m->count[i] + p) / norm;
		b->level[r] = norm > 0 ? p / norm : 1.0 / m->n_states;
	}
}

static int
set_model(struct cscg_beam *b, const struct cscg_model *m,
    struct cscg_err *err)
{
	size_t S = (size_t)m->n_states, rows = S * (size_t)m->n_actions;

	if (cscg_grow(&b->T, &b->cap_T, (size_t)m->first[rows] + 1,
		sizeof *b->T, err) < 0 ||
	    cscg_grow(&b->level, &b->cap_level, rows, sizeof *b->level, err) <
		0 ||
	    cscg_grow(&b->group, &b->cap_group, (size_t)m->n_obs + 1,
		sizeof *b->group, err) < 0 ||
	    cscg_grow(&b->value, &b->cap_value, S, sizeof *b->value, err) <
		0 ||
	    cscg_grow(&b->touched, &b->cap_touched, S, sizeof *b->touched,
		err) < 0 ||
	    cscg_grow(&b->beta, &b->cap_beta, S, sizeof *b->beta, err) < 0)
		return -1;
	b->m = m;
	memset(b->value, 0, S * sizeof *b->value);
	memset(b->beta, 0, S * sizeof *b->beta);
	cscg_model_groups(m, b->group);
	b->floor = m->misread / m->n_obs;
	b->top = 1 - m->misread + b->floor;
	set_T(b);
	return 0;
}

/* P(x | state k). */
static inline double
emission(const struct cscg_beam *b, int k, int x)
{
	return x < 0 ? 1 : b->m->clone[k] == x ? b->top : b->floor;
}

/* ---- forward ---- */

/*
 * Keep those of the n touched states that reach the share; *sum is their sum.
 */
static int
keep_states(struct cscg_beam *b, int n, double *sum, struct cscg_err *err)
{
	double most = 0, least;
	long at = b->n;
	int i, k;

	if (cscg_grow(&b->state, &b->cap_state, (size_t)(at + n),
		sizeof *b->state, err) < 0 ||
	    cscg_grow(&b->alpha, &b->cap_alpha, (size_t)(at + n),
		sizeof *b->alpha, err) < 0)
		return -1;
	for (i = 0; i < n; i++)
		if (b->value[b->touched[i]] > most)
			most = b->value[b->touched[i]];
	least = b->share * most;
	*sum = 0;
	for (i = 0; i < n; i++) {
		k = b->touched[i];
		if (b->value[k] > 0 && b->value[k] >= least) {
			b->state[at] = k;
			b->alpha[at++] = b->value[k];
			*sum += b->value[k];
		}
		b->value[k] = 0;
	}
	for (; b->n < at; b->n++)
		b->alpha[b->n] /= *sum;
	return 0;
}

/*
 * A message of the states of symbol x, or of all states if x has none or if
 * `all` is set: weight times pi (NULL: 1) times emission.
 */
static int
touch_states(struct cscg_beam *b, int x, bool all, double weight,
    const double *pi)
{
	bool some = !all && x >= 0 && b->group[x] < b->group[x + 1];
	int lo = some ? b->group[x] : 0;
	int hi = some ? b->group[x + 1] : b->m->n_states, k, n = 0;

	for (k = lo; k < hi; k++) {
		b->value[k] = weight * (pi ? pi[k] : 1) * emission(b, k, x);
		b->touched[n++] = k;
	}
	return n;
}

/*
 * The message after action a from the states of step t, without emissions, of
 * states lo .. hi - 1; *level is T of any transition that is not stored.
 */
static int
propagate_to(struct cscg_beam *b, long t, int a, int lo, int hi, double *level)
{
	const long *first = b->m->first + (long)a * b->m->n_states;
	const double *T = b->T;
	double *value = b->value, alpha, v;
	int *touched = b->touched, j, k, n = 0;
	long i, s;

	*level = 0;
	for (s = b->first[t]; s < b->n; s++) {
		j = b->state[s];
		alpha = b->alpha[s];
		*level += alpha * b->level[(long)a * b->m->n_states + j];
		for (i = first[j]; i < first[j + 1]; i++) {
			k = b->m->to[i];
			v = alpha * T[i];
			if (k < lo || k >= hi || !(v > 0))
				continue;
			if (!(value[k] > 0))
				touched[n++] = k;
			value[k] += v;
		}
	}
	return n;
}

/*
 * The message with emissions.  If misreading is so rare that no state of another
 * symbol reaches the share, those are left out.
 */
static int
propagate(struct cscg_beam *b, long t, int a, int x, double *level)
{
	bool own = x >= 0 && b->floor < RARE * b->share;
	int i, k, n = 0, left = 0;
	double most = 0;

	if (own) {
		n = propagate_to(b, t, a, b->group[x], b->group[x + 1], level);
		for (i = 0; i < n; i++)
			most = fmax(most, b->value[b->touched[i]]);
		own = b->share * most * b->top > b->floor;
		for (i = 0; i < n && !own; i++)
			b->value[b->touched[i]] = 0;
	}
	if (!own)
		n = propagate_to(b, t, a, 0, b->m->n_states, level);
	for (i = 0; i < n; i++) {
		k = b->touched[i];
		b->value[k] *= emission(b, k, x);
		if (b->value[k] > 0)
			b->touched[left++] = k;
	}
	return left;
}

/* The sum of the message under construction. */
static double
sum_touched(struct cscg_beam *b, int n)
{
	double sum = 0;
	int i;

	for (i = 0; i < n; i++)
		sum += b->value[b->touched[i]];
	return sum;
}

static int
forward_step(struct cscg_beam *b, int e, long t, struct cscg_err *err)
{
	const struct cscg_walk *w = b->w;
	double level = 0, jump, sum;
	int n, i, x = w->x[t];
	long before = b->n;

	b->jump[t] = cscg_walk_starts_run(w, e, t) != 0;
	if (b->jump[t]) {
		n = touch_states(b, x, b->floor > 0,
		    b->m->pi ? 1 : 1.0 / b->m->n_states, b->m->pi);
	} else {
		n = propagate(b, t - 1, w->a[t - 1], x, &level);
		jump = level * b->top *
		    (x < 0 ? b->m->n_states : b->group[x + 1] - b->group[x]);
		if (sum_touched(b, n) < jump || n == 0) {
			for (i = 0; i < n; i++)
				b->value[b->touched[i]] = 0;
			b->jump[t] = 1;
			n = touch_states(b, x, false, fmax(level, 1e-30),
			    NULL);
		}
	}
	b->first[t] = before;
	if (keep_states(b, n, &sum, err) < 0)
		return -1;
	b->scale[t] = sum;
	return 0;
}

/* ---- backward ---- */

/* The likeliest state of step t, and sums over its posterior. */
static void
add_posterior(struct cscg_beam *b, int e, long t, struct cscg_beam_result *r)
{
	int x = b->w->x[t], best = -1;
	double most = -1, gamma;
	long s;

	for (s = b->first[t]; s < b->first[t + 1]; s++) {
		gamma = b->alpha[s] * b->beta[b->state[s]];
		if (r->visits)
			r->visits[b->state[s]] += gamma;
		if (r->start && cscg_walk_starts_run(b->w, e, t))
			r->start[b->state[s]] += gamma;
		if (x >= 0 && b->m->clone[b->state[s]] != x)
			r->misread += gamma;
		if (gamma > most) {
			most = gamma;
			best = b->state[s];
		}
	}
	if (r->state)
		r->state[t] = best;
}

/* From beta of step t + 1 to alpha of step t: counts, and the new beta. */
static void
backward_step(struct cscg_beam *b, long t, struct cscg_beam_result *r)
{
	const struct cscg_model *m = b->m;
	const double *T = b->T;
	double *beta = b->beta, *counts = r->counts, sum, v;
	int x = b->w->x[t + 1];
	long s, i, row;

	for (s = b->first[t + 1]; s < b->first[t + 2]; s++)
		beta[b->state[s]] *= emission(b, b->state[s], x) /
		    b->scale[t + 1];

	/*
	 * The new beta is collected in value, since a state may occur in both
	 * steps.
	 */
	for (s = b->first[t]; s < b->first[t + 1]; s++) {
		row = (long)b->w->a[t] * m->n_states + b->state[s];
		for (sum = 0, i = m->first[row]; i < m->first[row + 1]; i++) {
			v = T[i] * beta[m->to[i]];
			sum += v;
			if (counts)
				counts[i] += b->alpha[s] * v;
		}
		b->value[b->state[s]] = sum;
	}
	for (s = b->first[t + 1]; s < b->first[t + 2]; s++)
		b->beta[b->state[s]] = 0;
	for (s = b->first[t]; s < b->first[t + 1]; s++) {
		b->beta[b->state[s]] = b->value[b->state[s]];
		b->value[b->state[s]] = 0;
	}
}

static void
backward(struct cscg_beam *b, int e, struct cscg_beam_result *r)
{
	long t, s;

	for (t = b->w->start[e + 1] - 1; t >= b->w->start[e]; t--) {
		if (t + 1 < b->w->start[e + 1] && !b->jump[t + 1]) {
			backward_step(b, t, r);
		} else {
			for (s = b->first[t + 1];
			     t + 1 < b->w->start[e + 1] && s < b->first[t + 2];
			     s++)
				b->beta[b->state[s]] = 0;
			for (s = b->first[t]; s < b->first[t + 1]; s++)
				b->beta[b->state[s]] = 1;
		}
		add_posterior(b, e, t, r);
	}
	for (s = b->first[t + 1]; s < b->first[t + 2]; s++)
		b->beta[b->state[s]] = 0;
}

int
cscg_beam_expect(struct cscg_beam *b, const struct cscg_model *m,
    struct cscg_beam_result *r, struct cscg_err *err)
{
	const struct cscg_walk *w = b->w;
	long t;
	int e;

	if (set_model(b, m, err) < 0)
		return -1;
	if (r->counts)
		memset(r->counts, 0,
		    (size_t)m->first[(long)m->n_actions * m->n_states] *
			sizeof *r->counts);
	if (r->start)
		memset(r->start, 0, (size_t)m->n_states * sizeof *r->start);
	if (r->visits)
		memset(r->visits, 0, (size_t)m->n_states * sizeof *r->visits);
	r->loglik = r->misread = 0;
	r->n_observed = 0;
	b->n = 0;
	for (e = 0; e < w->n_episodes; e++)
		for (t = w->start[e]; t < w->start[e + 1]; t++) {
			if (forward_step(b, e, t, err) < 0)
				return -1;
			r->loglik += log(b->scale[t]);
			r->n_observed += w->x[t] >= 0;
		}
	b->first[w->n_steps] = b->n;
	if (r->counts || r->start || r->visits || r->state)
		for (e = 0; e < w->n_episodes; e++)
			backward(b, e, r);
	return 0;
}
