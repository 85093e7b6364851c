/*
 * rebind.c - rebinding: emissions of a grounded model stay where they predict,
 * and change where observations contradict them
 *
 * A step has three parts.  Each hypothesis predicts the states after the
 * action.  Its successors, which keep their emissions or bind one more slot,
 * are listed with their weights, sorted by their sets of changes, and those
 * with equal sets are merged.  The successors of the highest weights then
 * become hypotheses, and their posteriors over states are computed.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "kernel/passes.h"
#include "kernel/trans.h"
#include "schema/ground.h"
#include "schema/rebind.h"

/*
 * Posterior probabilities of states below this become zero, so that their
 * transitions need not be added.
 */
static const double MIN_BELIEF = 1e-12;

struct hypothesis {
	double w;
	uint64_t key; /* of the set of changes */
	struct cscg_rebind_change *changes;
	int n_changes;
	size_t cap_changes;
	double *belief; /* [S] P(state | observations, changes) */
};

/* Hypothesis `parent` with its emissions, or with slot bound to x. */
struct successor {
	double w;
	uint64_t key;
	int parent, slot; /* slot: -1, emissions stay */
};

struct cscg_rebind {
	const struct cscg_model *m;
	struct cscg_rebind_options set;
	int S, K, n_slots;
	struct cscg_trans *tr;
	int *slot;                   /* [S] of each state */
	int *first;                  /* [n_slots + 1] states of each slot */
	double *pi;                  /* [S] */
	double *beliefs;             /* [2 * beam][S] ... */
	struct hypothesis *h, *next; /* [beam] ... of these hypotheses */
	int n, n_next;
	bool is_new; /* no observations yet */

	/* During a step: */
	double *predicted;  /* [beam][S] P(state | observations before) */
	bool *contradicted; /* [beam] */
	double *column;     /* [S] P(x | state), of the model ... */
	double *emission;   /* [S] ... and of a hypothesis */
	struct successor *succ;
	long n_succ;
	size_t cap_succ;
	struct cscg_pool mem;
};

/* ---- memory ---- */

static void
number_slots(struct cscg_rebind *r)
{
	int j;

	for (j = 0; j < r->S; j++) {
		if (!j || !r->set.tied || r->m->clone[j] != r->m->clone[j - 1])
			r->first[r->n_slots++] = j;
		r->slot[j] = r->n_slots - 1;
	}
	r->first[r->n_slots] = r->S;
}

static int
alloc_arrays(struct cscg_rebind *r, struct cscg_err *err)
{
	struct cscg_pool *mem = cscg_pool_begin(&r->mem, err);
	size_t S = (size_t)r->S, beam = (size_t)r->set.beam;
	int i;

	r->slot = cscg_pool_add(mem, S, sizeof *r->slot);
	r->first = cscg_pool_add(mem, S + 1, sizeof *r->first);
	r->pi = cscg_pool_add(mem, S, sizeof *r->pi);
	r->beliefs = cscg_pool_add(mem, 2 * beam, S * sizeof *r->beliefs);
	r->h = cscg_pool_add(mem, beam, sizeof *r->h);
	r->next = cscg_pool_add(mem, beam, sizeof *r->next);
	r->predicted = cscg_pool_add(mem, beam, S * sizeof *r->predicted);
	r->contradicted = cscg_pool_add(mem, beam, sizeof *r->contradicted);
	r->column = cscg_pool_add(mem, S, sizeof *r->column);
	r->emission = cscg_pool_add(mem, S, sizeof *r->emission);
	if (mem->failed)
		return -1;
	for (i = 0; i < r->set.beam; i++) {
		r->h[i].belief = r->beliefs + (size_t)i * S;
		r->next[i].belief = r->beliefs + (beam + (size_t)i) * S;
	}
	return 0;
}

struct cscg_rebind *
cscg_rebind_new(const struct cscg_model *m, int n_obs,
    const struct cscg_rebind_options *options, struct cscg_err *err)
{
	struct cscg_rebind *r = NULL;
	int j;

	if (m->kind != CSCG_GROUNDED) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "a grounded model is needed to rebind, this is %s",
		    cscg_model_kind_text(m->kind));
		return NULL;
	}
	r = cscg_alloc(1, sizeof *r, err);
	if (!r)
		return NULL;
	r->m = m;
	r->set = *options;
	r->set.tied &= m->clone != NULL;
	r->S = m->n_states;
	r->K = n_obs;
	r->tr = cscg_trans_schema(m, &cscg_plain_double, err);
	if (!r->tr || alloc_arrays(r, err) < 0) {
		cscg_rebind_free(r);
		return NULL;
	}
	number_slots(r);
	for (j = 0; j < r->S; j++)
		r->pi[j] = m->pi ? m->pi[j] : 1.0 / r->S;
	cscg_rebind_reset(r);
	return r;
}

void
cscg_rebind_free(struct cscg_rebind *r)
{
	int i;

	if (!r)
		return;
	for (i = 0; i < r->set.beam; i++) {
		if (r->h)
			free(r->h[i].changes);
		if (r->next)
			free(r->next[i].changes);
	}
	cscg_pool_free(&r->mem);
	free(r->succ);
	cscg_trans_free(r->tr);
	free(r);
}

void
cscg_rebind_reset(struct cscg_rebind *r)
{
	r->n = 1;
	r->is_new = true;
	r->h[0].w = 1;
	r->h[0].key = 0;
	r->h[0].n_changes = 0;
	memcpy(r->h[0].belief, r->pi, (size_t)r->S * sizeof *r->pi);
}

/* ---- sets of changes ---- */

/* The key of a set is the exclusive or of those of its changes. */
static uint64_t
change_key(int slot, int x)
{
	uint64_t z = ((uint64_t)slot << 32 | (uint64_t)x) +
	    0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Index of the change of slot, or of the first change after it. */
static int
find_change(const struct hypothesis *h, int slot)
{
	int i = 0;

	while (i < h->n_changes && h->changes[i].slot < slot)
		i++;
	return i;
}

/* The symbol that slot was bound to, or -1. */
static int
bound_symbol(const struct hypothesis *h, int slot)
{
	int i = find_change(h, slot);

	return i < h->n_changes && h->changes[i].slot == slot ?
	    h->changes[i].x :
	    -1;
}

/* The changes of parent and, unless slot is -1, slot bound to x. */
static int
set_changes(struct hypothesis *h, const struct hypothesis *parent, int slot,
    int x, struct cscg_err *err)
{
	size_t n = (size_t)parent->n_changes;
	int i;

	if (cscg_grow(&h->changes, &h->cap_changes, n + 1, sizeof *h->changes,
		err) < 0)
		return -1;
	if (n)
		memcpy(h->changes, parent->changes, n * sizeof *h->changes);
	h->n_changes = parent->n_changes;
	if (slot < 0)
		return 0;
	i = find_change(h, slot);
	if (i == h->n_changes || h->changes[i].slot != slot) {
		memmove(h->changes + i + 1, h->changes + i,
		    (size_t)(h->n_changes - i) * sizeof *h->changes);
		h->n_changes++;
	}
	h->changes[i] = (struct cscg_rebind_change){ slot, x };
	return 0;
}

/* ---- a step ---- */

/* P(state | observations before, changes of h) after action a. */
static void
predict_states(const struct cscg_rebind *r, const struct hypothesis *h, int a,
    double *out)
{
	const struct cscg_span all = { .lo = 0, .hi = r->S };

	if (a < 0 || r->is_new)
		memcpy(out, r->pi, (size_t)r->S * sizeof *out);
	else
		cscg_trans_push(r->tr, a, &all, &all, h->belief, out);
}

/* e(x) of each state, with the emissions of the model. */
static void
fill_column(struct cscg_rebind *r, int x)
{
	double floor = r->set.unseen / r->K;
	int j;

	for (j = 0; j < r->S; j++)
		r->column[j] = floor +
		    (x < r->m->n_obs ?
			    (1 - r->set.unseen) * cscg_model_E(r->m, j, x) :
			    0);
}

/* The same with the changes of h. */
static void
fill_emission(struct cscg_rebind *r, const struct hypothesis *h, int x)
{
	double floor = r->set.unseen / r->K;
	int i, j;

	memcpy(r->emission, r->column, (size_t)r->S * sizeof *r->emission);
	for (i = 0; i < h->n_changes; i++) {
		const struct cscg_rebind_change *c = &h->changes[i];

		for (j = r->first[c->slot]; j < r->first[c->slot + 1]; j++)
			r->emission[j] = floor +
			    (c->x == x ? 1 - r->set.unseen : 0);
	}
}

static int
add_succ(struct cscg_rebind *r, int parent, int slot, uint64_t key, double w,
    struct cscg_err *err)
{
	if (w <= 0)
		return 0;
	if (cscg_grow(&r->succ, &r->cap_succ, (size_t)r->n_succ + 1,
		sizeof *r->succ, err) < 0)
		return -1;
	r->succ[r->n_succ++] = (struct successor){ w, key, parent, slot };
	return 0;
}

/* Whether slot is bound to x: by a change, or in the model. */
static bool
emits(const struct cscg_rebind *r, const struct hypothesis *h, int slot, int x)
{
	int y = bound_symbol(h, slot);

	if (y >= 0)
		return y == x;
	return r->column[r->first[slot]] > .5;
}

/* The weight of state j in the successor of h that keeps its emissions. */
static double
kept_weight(const struct cscg_rebind *r, const struct hypothesis *h, int i,
    int j, int x)
{
	double p = r->predicted[(size_t)i * (size_t)r->S + (size_t)j];
	double w = (1 - r->set.rebind) * r->emission[j];

	if (!r->contradicted[i] || emits(r, h, r->slot[j], x))
		w += r->set.rebind / r->K;
	return h->w * p * w;
}

/* List the successors of hypothesis i that observe x. */
static int
add_successors(struct cscg_rebind *r, int i, int x, struct cscg_err *err)
{
	const struct hypothesis *h = &r->h[i];
	const double *p = r->predicted + (size_t)i * (size_t)r->S;
	double w = r->set.rebind / r->K, sum = 0;
	int j, g, old;

	fill_emission(r, h, x);
	for (j = 0; j < r->S; j++)
		sum += p[j] * r->emission[j];
	r->contradicted[i] = (1 - r->set.rebind) * sum < w;
	for (sum = 0, j = 0; j < r->S; j++)
		sum += kept_weight(r, h, i, j, x);
	if (add_succ(r, i, -1, h->key, sum, err) < 0)
		return -1;
	for (g = 0; r->contradicted[i] && g < r->n_slots; g++) {
		if (emits(r, h, g, x))
			continue;
		for (sum = 0, j = r->first[g]; j < r->first[g + 1]; j++)
			sum += p[j];
		old = bound_symbol(h, g);
		if (add_succ(r, i, g,
			h->key ^ change_key(g, x) ^
			    (old < 0 ? 0 : change_key(g, old)),
			h->w * w * sum, err) < 0)
			return -1;
	}
	return 0;
}

/* Add the states of successor c to the belief of its hypothesis. */
static void
add_belief(struct cscg_rebind *r, const struct successor *c, int x,
    double *belief)
{
	const struct hypothesis *h = &r->h[c->parent];
	const double *p = r->predicted + (size_t)c->parent * (size_t)r->S;
	int j;

	if (c->slot >= 0) {
		for (j = r->first[c->slot]; j < r->first[c->slot + 1]; j++)
			belief[j] += h->w * r->set.rebind / r->K * p[j];
		return;
	}
	fill_emission(r, h, x);
	for (j = 0; j < r->S; j++)
		belief[j] += kept_weight(r, h, c->parent, j, x);
}

static int
by_key(const void *a, const void *b)
{
	const struct successor *p = a, *q = b;

	if (p->key != q->key)
		return p->key < q->key ? -1 : 1;
	if (p->parent != q->parent)
		return p->parent < q->parent ? -1 : 1;
	return (p->slot > q->slot) - (p->slot < q->slot);
}

/* Successors with equal sets of changes, which are merged. */
struct merged {
	double w;
	uint64_t key;
	long from, to;
};

static int
by_weight(const void *a, const void *b)
{
	const struct merged *p = a, *q = b;

	if (p->w != q->w)
		return p->w < q->w ? 1 : -1;
	return (p->key > q->key) - (p->key < q->key);
}

/* Merge the successors of a set into hypothesis r->next[r->n_next]. */
static int
keep_merged(struct cscg_rebind *r, const struct merged *set, int x,
    struct cscg_err *err)
{
	const struct successor *c = &r->succ[set->from];
	struct hypothesis *h = &r->next[r->n_next];
	long i;
	int j;

	if (set_changes(h, &r->h[c->parent], c->slot, x, err) < 0)
		return -1;
	h->key = set->key;
	h->w = set->w;
	memset(h->belief, 0, (size_t)r->S * sizeof *h->belief);
	for (i = set->from; i < set->to; i++)
		add_belief(r, &r->succ[i], x, h->belief);
	for (j = 0; j < r->S; j++)
		if (h->belief[j] < MIN_BELIEF * set->w)
			h->belief[j] = 0;
	cscg_normalise(h->belief, r->S, h->belief);
	r->n_next++;
	return 0;
}

/* Merge the successors and keep the best as the present hypotheses. */
static int
keep_best(struct cscg_rebind *r, int x, double *total, struct cscg_err *err)
{
	struct merged *sets = cscg_alloc((size_t)r->n_succ, sizeof *sets, err);
	struct hypothesis *old = r->h;
	double kept = 0;
	long i, n = 0;
	int rc = -1;

	if (!sets)
		return -1;
	qsort(r->succ, (size_t)r->n_succ, sizeof *r->succ, by_key);
	*total = 0;
	for (i = 0; i < r->n_succ; i++) {
		const struct successor *c = &r->succ[i];

		if (!n || sets[n - 1].key != c->key)
			sets[n++] = (struct merged){ 0, c->key, i, i };
		sets[n - 1].w += c->w;
		sets[n - 1].to = i + 1;
		*total += c->w;
	}
	qsort(sets, (size_t)n, sizeof *sets, by_weight);
	r->n_next = 0;
	for (i = 0; i < n && i < r->set.beam; i++) {
		if (i && sets[i].w < r->set.share * *total)
			break;
		if (keep_merged(r, &sets[i], x, err) < 0)
			goto out;
		kept += sets[i].w;
	}
	r->h = r->next;
	r->n = r->n_next;
	r->next = old;
	for (i = 0; i < r->n; i++)
		r->h[i].w /= kept;
	rc = 0;
out:
	free(sets);
	return rc;
}

int
cscg_rebind_observe(struct cscg_rebind *r, int a, int x, double *p,
    struct cscg_err *err)
{
	size_t S = (size_t)r->S;
	int i;

	for (i = 0; i < r->n; i++)
		predict_states(r, &r->h[i], a, r->predicted + (size_t)i * S);
	r->is_new = false;
	*p = 1;
	if (x < 0) {
		for (i = 0; i < r->n; i++)
			memcpy(r->h[i].belief, r->predicted + (size_t)i * S,
			    S * sizeof *r->predicted);
		return 0;
	}
	fill_column(r, x);
	r->n_succ = 0;
	for (i = 0; i < r->n; i++)
		if (add_successors(r, i, x, err) < 0)
			return -1;
	return keep_best(r, x, p, err);
}

/* ---- predictions and results ---- */

/* Add to p the emissions of the states of one slot, of total weight w. */
static void
add_predicted(const struct cscg_rebind *r, const double *states, int g,
    double w, double *p)
{
	int j, x;
	long i;

	for (j = r->first[g]; j < r->first[g + 1]; j++) {
		if (!r->m->e_first) {
			p[r->m->clone[j]] += w * states[j];
			continue;
		}
		for (i = r->m->e_first[j]; i < r->m->e_first[j + 1]; i++) {
			x = r->m->e_obs[i];
			p[x] += w * states[j] * r->m->e_p[i];
		}
	}
}

void
cscg_rebind_predict(const struct cscg_rebind *r, int a, double *p)
{
	double keep = (1 - r->set.rebind) * (1 - r->set.unseen);
	int i, g, j, x;

	for (x = 0; x < r->K; x++)
		p[x] = (1 - keep) / r->K;
	for (i = 0; i < r->n; i++) {
		const struct hypothesis *h = &r->h[i];
		double *states = r->emission;

		predict_states(r, h, a, states);
		for (g = 0; g < r->n_slots; g++) {
			x = bound_symbol(h, g);
			if (x < 0)
				add_predicted(r, states, g, h->w * keep, p);
			for (j = r->first[g]; x >= 0 && j < r->first[g + 1];
			     j++)
				p[x] += h->w * keep * states[j];
		}
	}
}

void
cscg_rebind_states(const struct cscg_rebind *r, double *p)
{
	int i, j;

	for (j = 0; j < r->S; j++) {
		p[j] = 0;
		for (i = 0; i < r->n; i++)
			p[j] += r->h[i].w * r->h[i].belief[j];
	}
}

struct cscg_rebind_hypothesis
cscg_rebind_best(const struct cscg_rebind *r)
{
	const struct hypothesis *h = &r->h[0];

	return (struct cscg_rebind_hypothesis){ h->w, h->changes,
		h->n_changes };
}

/* ---- a walk ---- */

int
cscg_rebind_alphabet(const struct cscg_model *m,
    const struct cscg_walk_header *head, int *map, struct cscg_names *names,
    struct cscg_err *err)
{
	bool by_name = m->symbols.n && head->symbols.n;
	const struct cscg_names *all = NULL;
	int n = m->n_obs, x;

	if (!by_name) {
		n = head->n_obs > n ? head->n_obs : n;
		all = m->symbols.n == n  ? &m->symbols :
		    head->symbols.n == n ? &head->symbols :
					   NULL;
		for (x = 0; x < head->n_obs; x++)
			map[x] = x;
	} else {
		all = &m->symbols;
	}
	if (all && cscg_names_copy(names, all, err) < 0)
		return -1;
	for (x = 0; by_name && x < head->n_obs; x++) {
		map[x] = cscg_names_find(&m->symbols, head->symbols.v[x]);
		if (map[x] >= 0)
			continue;
		if (cscg_names_add(names, head->symbols.v[x], err) < 0)
			return -1;
		map[x] = n++;
	}
	return n;
}

/* Data of cscg_rebind_walk(). */
struct rebinding {
	struct cscg_model *m;
	const struct cscg_walk *w;
	struct cscg_walk mapped; /* w with symbols of the union; owns x */
	int *map;
	struct cscg_names names;
	struct cscg_rebind *r;
	size_t S, K;
	double *E, *pi; /* [S][K], [S] */
	bool *keep;     /* [S] rows that do not change */
	struct cscg_pool mem;
};

static void
rebinding_free(struct rebinding *b)
{
	cscg_names_free(&b->names);
	cscg_rebind_free(b->r);
	cscg_pool_free(&b->mem);
}

/* The walk in the union of the alphabets. */
static int
map_walk(struct rebinding *b, struct cscg_err *err)
{
	struct cscg_pool *mem = cscg_pool_begin(&b->mem, err);
	const struct cscg_walk *w = b->w;
	int K;
	long t;

	b->map = cscg_pool_add(mem, (size_t)w->head.n_obs, sizeof *b->map);
	b->mapped = *w;
	b->mapped.x = cscg_pool_copy(mem, w->x, (size_t)w->n_steps,
	    sizeof *w->x);
	if (mem->failed)
		return -1;
	K = cscg_rebind_alphabet(b->m, &w->head, b->map, &b->names, err);
	if (K < 0)
		return -1;
	b->K = (size_t)K;
	b->mapped.head.n_obs = K;
	for (t = 0; t < w->n_steps; t++)
		if (w->x[t] >= 0)
			b->mapped.x[t] = b->map[w->x[t]];
	return 0;
}

/* The hypotheses after all steps of the walk. */
static int
observe_walk(struct rebinding *b, const struct cscg_rebind_options *options,
    struct cscg_err *err)
{
	const struct cscg_walk *w = &b->mapped;
	double p;
	long t;

	b->r = cscg_rebind_new(b->m, (int)b->K, options, err);
	if (!b->r)
		return -1;
	for (t = 0; t < w->n_steps; t++) {
		/* The last action of an episode is -1. */
		int a = t && !(w->reset && w->reset[t]) ? w->a[t - 1] : -1;

		if (cscg_rebind_observe(b->r, a, w->x[t], &p, err) < 0)
			return -1;
	}
	return 0;
}

/*
 * Emission rows: those of the model, one-hot for changed slots, all with the
 * floor of e(x).
 */
static int
fill_rows(struct rebinding *b, const struct cscg_rebind_hypothesis *best,
    struct cscg_err *err)
{
	struct cscg_pool *mem = cscg_pool_begin(&b->mem, err);
	const struct cscg_rebind *r = b->r;
	double unseen = r->set.unseen;
	size_t j, x;
	int i, k;

	b->E = cscg_pool_add(mem, b->S, b->K * sizeof *b->E);
	b->pi = cscg_pool_copy(mem, r->pi, b->S, sizeof *r->pi);
	b->keep = cscg_pool_add(mem, b->S, sizeof *b->keep);
	if (mem->failed)
		return -1;
	for (j = 0; j < b->S; j++) {
		b->keep[j] = true;
		for (x = 0; x < b->K; x++)
			b->E[j * b->K + x] = unseen / (double)b->K;
		for (x = 0; x < (size_t)b->m->n_obs; x++)
			b->E[j * b->K + x] += (1 - unseen) *
			    cscg_model_E(b->m, (int)j, (int)x);
	}
	for (i = 0; i < best->n_changes; i++)
		for (k = r->first[best->changes[i].slot];
		     k < r->first[best->changes[i].slot + 1]; k++) {
			double *row = b->E + (size_t)k * b->K;

			b->keep[k] = false;
			for (x = 0; x < b->K; x++)
				row[x] = unseen / (double)b->K;
			row[best->changes[i].x] += 1 - unseen;
		}
	return 0;
}

/* Restore the unchanged rows, without the floor. */
static void
restore_rows(struct rebinding *b)
{
	size_t j, x;

	for (j = 0; j < b->S; j++)
		for (x = 0; b->keep[j] && x < b->K; x++)
			b->E[j * b->K + x] = x < (size_t)b->m->n_obs ?
			    cscg_model_E(b->m, (int)j, (int)x) :
			    0;
}

/* Confidence of the rows that changed, if the model has confidences. */
static int
update_confidence(struct rebinding *b, const struct cscg_bind *bind,
    struct cscg_err *err)
{
	double *visits;
	size_t j;

	if (!b->m->confidence)
		return 0;
	visits = cscg_pool_add(&b->mem, b->S, b->K * sizeof *visits);
	if (!visits ||
	    cscg_bind_visits(b->m, &b->mapped, bind, b->E, b->pi, visits,
		err) < 0)
		return -1;
	for (j = 0; j < b->S; j++)
		if (!b->keep[j])
			b->m->confidence[j] = cscg_ground_confidence(
			    visits + j * b->K, b->E + j * b->K, (int)b->K);
	return 0;
}

/* EM on the rows that changed; the model receives them. */
static int
estimate(struct rebinding *b, const struct cscg_bind *how,
    struct cscg_em_progress *last, struct cscg_err *err)
{
	struct cscg_bind bind = *how;

	bind.tied = b->r->set.tied;
	bind.learn_pi = false;
	bind.pseudocount = 0;
	bind.keep = b->keep;
	if (cscg_bind(b->m, &b->mapped, &bind, b->E, b->pi, last, err) < 0 ||
	    update_confidence(b, &bind, err) < 0)
		return -1;
	restore_rows(b);
	if (cscg_model_set_E(b->m, b->E, (int)b->K, err) < 0)
		return -1;
	cscg_names_free(&b->m->symbols);
	b->m->symbols = b->names;
	b->names = (struct cscg_names){ .n = 0 };
	b->m->fit_steps = b->w->n_steps;
	b->m->fit_nats = -last->loglik / (double)b->w->n_steps;
	return 0;
}

int
cscg_rebind_walk(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_rebind_options *options, const struct cscg_bind *bind,
    struct cscg_em_progress *last, int *changed, struct cscg_err *err)
{
	struct rebinding b = { .m = m, .w = w, .S = (size_t)m->n_states };
	struct cscg_rebind_hypothesis best;
	int rc = -1;

	if (!w->n_steps)
		return cscg_fail(err, CSCG_ERANGE,
		    "the walk has no steps: binding needs at least one");
	if (map_walk(&b, err) < 0 || observe_walk(&b, options, err) < 0)
		goto out;
	best = cscg_rebind_best(b.r);
	*changed = best.n_changes;
	if (fill_rows(&b, &best, err) == 0)
		rc = estimate(&b, bind, last, err);
out:
	rebinding_free(&b);
	return rc;
}
