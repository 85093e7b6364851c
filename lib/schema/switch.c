/*
 * switch.c - switching HMM over several schemas, batch and online
 *
 * In batch mode an episode is stored until it ends, bound, and reported.
 * Online, a filter processes each step and updates the emissions; whenever the
 * number of stored steps has grown by half, all of them are bound again.  When
 * the memory is full, the oldest steps become emission counts and are
 * discarded: neither time nor memory of a step grows with the walk.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "schema/switch.h"
#include "schema/switch_pass.h"

enum { FIRST_BINDING_STEPS = 20 }; /* steps, when an episode is bound first */

/* E of all schemas would be 1 GiB. */
static const double emission_cells_max = (1 << 30) / sizeof(double);

/* Size of the union of schemas. */
struct bound_union {
	struct cscg_switch_trans *trans;
	struct cscg_switch_pass *pass;
	struct cscg_switch_emission *emission;
};

struct cscg_switch {
	struct cscg_switch_options set;
	const struct cscg_model **m;
	const char **name;
	int n;
	size_t cap_m, cap_name;

	struct cscg_walk_header head;
	struct bound_union all;
	struct cscg_walk *w; /* the stored steps */
	long base;           /* steps of the episode discarded so far */
	long next;           /* steps in memory when binding is due */
	uint64_t bindings;   /* of this episode */
	long episode;
	char *from; /* the message at the first stored step */
	char *message, *next_message; /* those of this step and the next */
	double *posterior;            /* [n] */
	double *line;                 /* [stride] */
};

static void
bound_union_free(struct bound_union *e)
{
	cscg_switch_emission_free(e->emission);
	cscg_switch_pass_free(e->pass);
	cscg_switch_trans_free(e->trans);
	*e = (struct bound_union){ NULL, NULL, NULL };
}

struct cscg_switch *
cscg_switch_new(const struct cscg_switch_options *set, struct cscg_err *err)
{
	struct cscg_switch *sw = cscg_alloc(1, sizeof *sw, err);

	if (sw)
		sw->set = *set;
	return sw;
}

static void
reset_walk(struct cscg_switch *sw)
{
	bound_union_free(&sw->all);
	cscg_walk_header_free(&sw->head);
	cscg_walk_free(sw->w);
	free(sw->from);
	free(sw->message);
	free(sw->next_message);
	free(sw->posterior);
	free(sw->line);
	sw->w = NULL;
	sw->from = sw->message = sw->next_message = NULL;
	sw->posterior = sw->line = NULL;
}

void
cscg_switch_free(struct cscg_switch *sw)
{
	if (!sw)
		return;
	reset_walk(sw);
	free(sw->m);
	free(sw->name);
	free(sw);
}

/* Whether a and b have the same transitions. */
static bool
same_schema(const struct cscg_model *a, const struct cscg_model *b)
{
	size_t rows, n;
	int i;

	if (a->n_states != b->n_states || a->n_actions != b->n_actions ||
	    a->actions.n != b->actions.n)
		return false;
	for (i = 0; i < a->actions.n; i++)
		if (strcmp(a->actions.v[i], b->actions.v[i]))
			return false;
	rows = (size_t)a->n_actions * (size_t)a->n_states;
	n = (size_t)a->first[rows];
	return !memcmp(a->first, b->first, (rows + 1) * sizeof *a->first) &&
	    !memcmp(a->to, b->to, n * sizeof *a->to) &&
	    !memcmp(a->count, b->count, n * sizeof *a->count);
}

int
cscg_switch_add(struct cscg_switch *sw, const char *name,
    const struct cscg_model *m, struct cscg_err *err)
{
	size_t n = (size_t)sw->n + 1;
	int i;

	for (i = 0; i < sw->n; i++)
		if (same_schema(sw->m[i], m))
			return cscg_fail(err, CSCG_EMISMATCH,
			    "'%s' and '%s' are the same schema", sw->name[i],
			    name);
	if (cscg_grow(&sw->m, &sw->cap_m, n, sizeof *sw->m, err) < 0 ||
	    cscg_grow(&sw->name, &sw->cap_name, n, sizeof *sw->name, err) < 0)
		return -1;
	sw->m[sw->n] = m;
	sw->name[sw->n++] = name;
	return 0;
}

/* ---- a walk begins ---- */

/* The union of n schemas; the one at fault is named. */
static int
bound_union_new(struct cscg_switch *sw, struct bound_union *e,
    const struct cscg_model *const *m, int n, struct cscg_err *err)
{
	int *base = cscg_alloc((size_t)n + 1, sizeof *base, err), which = -1;
	struct cscg_model *all = NULL;

	if (base)
		all = cscg_switch_union(m, n, &sw->head, sw->set.jump, base,
		    &which, err);
	if (which >= 0)
		cscg_fail_at(err, "schema '%s'", sw->name[which]);
	if (all)
		e->trans = cscg_switch_trans_take(all, base, n, sw->set.simd,
		    sw->set.is_double, err);
	free(base);
	if (!e->trans)
		return -1;
	e->pass = cscg_switch_pass_new(e->trans, err);
	e->emission = cscg_switch_emission_new(e->trans, sw->head.n_obs, err);
	return e->pass && e->emission ? 0 : -1;
}

static void
begin_episode(struct cscg_switch *sw)
{
	sw->w->n_steps = sw->w->n_episodes = 0;
	sw->base = 0;
	sw->next = FIRST_BINDING_STEPS;
	sw->bindings = 0;
	cscg_switch_emission_clear(sw->all.emission);
}

static void *
message_new(const struct bound_union *e, struct cscg_err *err)
{
	return cscg_alloc_aligned(1, e->trans->bytes, CSCG_ALIGN, err);
}

int
cscg_switch_begin_walk(struct cscg_switch *sw,
    const struct cscg_walk_header *head, struct cscg_err *err)
{
	double S = 0;
	int i;

	reset_walk(sw);
	for (i = 0; i < sw->n; i++)
		S += sw->m[i]->n_states;
	if (S * head->n_obs > emission_cells_max)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "%d symbols are too many for the %.0f states of all "
		    "schemas (at most %.0f)",
		    head->n_obs, S, floor(emission_cells_max / S));
	if (cscg_walk_header_copy(&sw->head, head, err) < 0 ||
	    bound_union_new(sw, &sw->all, sw->m, sw->n, err) < 0)
		return -1;
	sw->w = cscg_walk_new(head, err);
	sw->from = message_new(&sw->all, err);
	sw->message = message_new(&sw->all, err);
	sw->next_message = message_new(&sw->all, err);
	sw->posterior = cscg_alloc((size_t)sw->n, sizeof *sw->posterior, err);
	sw->line = cscg_alloc(sw->all.trans->stride, sizeof *sw->line, err);
	if (!sw->w || !sw->from || !sw->message || !sw->next_message ||
	    !sw->posterior || !sw->line)
		return -1;
	begin_episode(sw);
	return 0;
}

/* ---- common to batch and online ---- */

/* All stored steps. */
static struct cscg_switch_segment
kept_steps(const struct cscg_switch *sw)
{
	const struct cscg_walk *w = sw->w;

	return (struct cscg_switch_segment){ .x = w->x,
		.a = w->a,
		.reset = w->reset,
		.n = w->n_steps,
		.from = sw->base ? sw->from : NULL };
}

/* Stored step t. */
static int
emit_row(struct cscg_switch *sw, long t, double p_switch, struct cscg_err *err)
{
	struct cscg_switch_row row = { .episode = sw->episode,
		.step = sw->base + t + 1,
		.node = sw->w->z ? sw->w->z[t] : -1,
		.n = sw->n,
		.posterior = sw->posterior,
		.p_switch = p_switch };
	int i;

	for (i = 1; i < sw->n; i++)
		if (row.posterior[i] > row.posterior[row.best])
			row.best = i;
	return sw->set.row(sw->set.ctx, &row, err);
}

static void
report_binding(const struct cscg_switch *sw,
    const struct cscg_em_progress *result)
{
	if (sw->set.on_bound)
		sw->set.on_bound(sw->set.ctx, sw->episode, sw->w->n_steps,
		    result->iteration,
		    -result->loglik / (double)sw->w->n_steps);
}

/* ---- batch ---- */

/* The fraction of schema k's states that were visited. */
static double
coverage(const struct bound_union *e, int k)
{
	int first = e->trans->base[k], last = e->trans->base[k + 1], i, j,
	    n = 0;

	for (j = first; j < last; j++) {
		double sum = 0;

		for (i = 0; i < e->emission->n_used; i++)
			sum += cscg_switch_visits(e->emission,
			    e->emission->used[i])[j];
		n += sum > .5;
	}
	return (double)n / (last - first);
}

/* The schemas in use; returns their number. */
static int
choose_visited(const struct cscg_switch *sw, int *which,
    const struct cscg_model **m)
{
	int k, n = 0;

	for (k = 0; k < sw->n; k++)
		if (coverage(&sw->all, k) >= sw->set.min_visited) {
			which[n] = k;
			m[n++] = sw->m[k];
		}
	return n;
}

static int
bind_all(struct cscg_switch *sw, struct bound_union *e, struct cscg_err *err)
{
	struct cscg_switch_segment segment = kept_steps(sw);
	struct cscg_em_progress result;

	if (cscg_switch_restarts(e->emission, &segment, &sw->set,
		(uint64_t)sw->episode, &result, err) < 0)
		return -1;
	report_binding(sw, &result);
	return 0;
}

/*
 * Report the posteriors of all steps under the n schemas of `which` with
 * emissions e.
 */
static int
emit_all(struct cscg_switch *sw, struct bound_union *e, const int *which,
    int n, struct cscg_err *err)
{
	struct cscg_switch_segment segment = kept_steps(sw);
	struct cscg_switch_posteriors posteriors = { NULL, NULL };
	double loglik;
	int rc = -1, k;
	long t;

	posteriors.posterior = cscg_alloc((size_t)segment.n,
	    (size_t)n * sizeof *posteriors.posterior, err);
	posteriors.p_switch = cscg_alloc((size_t)segment.n,
	    sizeof *posteriors.p_switch, err);
	if (posteriors.posterior && posteriors.p_switch)
		rc = cscg_switch_estep(e->pass, e->emission, &segment,
		    &posteriors, &loglik, err);
	memset(sw->posterior, 0, (size_t)sw->n * sizeof *sw->posterior);
	for (t = 0; t < segment.n && rc == 0; t++) {
		for (k = 0; k < n; k++)
			sw->posterior[which[k]] =
			    posteriors.posterior[t * n + k];
		rc = emit_row(sw, t, posteriors.p_switch[t], err);
	}
	free(posteriors.posterior);
	free(posteriors.p_switch);
	return rc;
}

static int
finish_batch(struct cscg_switch *sw, struct cscg_err *err)
{
	size_t N = (size_t)sw->n;
	const struct cscg_model **m = cscg_alloc(N, sizeof *m, err);
	int *which = m ? cscg_alloc(N, sizeof *which, err) : NULL, n, rc = -1;
	struct bound_union visited = { NULL, NULL, NULL };

	if (!which || bind_all(sw, &sw->all, err) < 0)
		goto out;
	n = choose_visited(sw, which, m);
	if (n == sw->n || n == 0) {
		for (n = 0; n < sw->n; n++)
			which[n] = n;
		rc = emit_all(sw, &sw->all, which, n, err);
	} else if (bound_union_new(sw, &visited, m, n, err) == 0 &&
	    bind_all(sw, &visited, err) == 0) {
		rc = emit_all(sw, &visited, which, n, err);
	}
out:
	bound_union_free(&visited);
	free(which);
	free(m);
	return rc;
}

/* ---- online ---- */

/* EM from the present emissions, or from random ones if those score better. */
static int
rebind(struct cscg_switch *sw, struct cscg_err *err)
{
	struct cscg_switch_segment segment = kept_steps(sw);
	struct bound_union *e = &sw->all;
	struct cscg_switch_emission *fresh = NULL;
	struct cscg_em_progress result, other;
	int rc = -1;

	if (cscg_switch_em(e->pass, e->emission, &segment, &sw->set, &result,
		err) < 0)
		return -1;
	/* Once steps are discarded, only their emission counts are left. */
	if (!e->emission->old_visits) {
		fresh = cscg_switch_emission_new(e->trans, sw->head.n_obs,
		    err);
		if (!fresh ||
		    cscg_switch_restarts(fresh, &segment, &sw->set,
			((uint64_t)sw->episode << 32) + sw->bindings, &other,
			err) < 0)
			goto out;
		if (!(result.objective >= other.objective)) {
			cscg_switch_emission_copy(e->emission, fresh);
			result = other;
		}
	}
	sw->bindings++;
	report_binding(sw, &result);
	/* The filter continues from the message of the step before. */
	segment.n--;
	rc = cscg_switch_forward(e->pass, e->emission, &segment,
	    &result.loglik, err);
out:
	cscg_switch_emission_free(fresh);
	return rc;
}

/* Discard the oldest quarter of the stored steps. */
static int
drop_oldest(struct cscg_switch *sw, struct cscg_err *err)
{
	struct cscg_switch_segment segment = kept_steps(sw);
	struct bound_union *e = &sw->all;
	struct cscg_walk *w = sw->w;
	double loglik;
	size_t n;

	segment.n_old = segment.n / 4 / CSCG_SWITCH_CHUNK * CSCG_SWITCH_CHUNK;
	if (!e->emission->old_visits)
		e->emission->old_visits = cscg_alloc((size_t)e->emission->K +
			1,
		    e->trans->stride * sizeof *e->emission->old_visits, err);
	if (!e->emission->old_visits ||
	    cscg_switch_estep(e->pass, e->emission, &segment, NULL, &loglik,
		err) < 0)
		return -1;
	memcpy(sw->from,
	    cscg_switch_chunk_message(e->pass,
		segment.n_old / CSCG_SWITCH_CHUNK),
	    e->trans->bytes);
	n = (size_t)(segment.n - segment.n_old);
	memmove(w->x, w->x + segment.n_old, n * sizeof *w->x);
	memmove(w->a, w->a + segment.n_old, n * sizeof *w->a);
	if (w->z)
		memmove(w->z, w->z + segment.n_old, n * sizeof *w->z);
	if (w->reset)
		memmove(w->reset, w->reset + segment.n_old,
		    n * sizeof *w->reset);
	w->n_steps = (long)n;
	sw->base += segment.n_old;
	return 0;
}

/* The filter's step to the last stored step. */
static int
filter_step(struct cscg_switch *sw, double *p_switch, struct cscg_err *err)
{
	const struct cscg_walk *w = sw->w;
	long t = w->n_steps - 1;
	bool fresh = t + sw->base == 0 || (w->reset && w->reset[t]);

	return cscg_switch_filter(sw->all.pass, sw->all.emission, sw->message,
	    fresh ? -1 : w->x[t - 1], fresh ? -1 : w->a[t - 1], w->x[t],
	    sw->next_message, sw->posterior, p_switch, err);
}

/*
 * Add the symbol of the last step to the emission counts by the filtered
 * posterior.
 */
static void
add_last_visit(struct cscg_switch *sw)
{
	const struct cscg_switch_trans *trans = sw->all.trans;
	int x = sw->w->x[sw->w->n_steps - 1], j;
	double sum = 0;

	if (x < 0)
		return;
	memcpy(sw->all.pass->scratch, sw->message, trans->bytes);
	sum = trans->kern->weigh(sw->all.pass->scratch,
	    cscg_switch_column(sw->all.emission, x), trans->S);
	trans->kern->get(sw->all.pass->scratch, sw->line, trans->S);
	for (j = 0; j < trans->S; j++)
		sw->line[j] /= sum;
	cscg_switch_add_visit(sw->all.emission, x, sw->line,
	    sw->set.pseudocount);
}

static int
observe_step(struct cscg_switch *sw, struct cscg_err *err)
{
	struct bound_union *e = &sw->all;
	long n = sw->w->n_steps;
	char *swap;
	double p_switch;

	cscg_switch_add_symbol(e->emission, sw->w->x[n - 1],
	    sw->set.pseudocount);
	if (n == sw->next) {
		if (rebind(sw, err) < 0)
			return -1;
		memcpy(sw->message,
		    cscg_work_last(&e->pass->work, e->trans->tr),
		    e->trans->bytes);
		sw->next = n + n / 2 < sw->set.memory ? n + n / 2 :
							sw->set.memory;
	}
	if (filter_step(sw, &p_switch, err) < 0)
		return -1;
	swap = sw->message;
	sw->message = sw->next_message;
	sw->next_message = swap;
	if (emit_row(sw, n - 1, p_switch, err) < 0)
		return -1;
	if (n == sw->set.memory)
		return drop_oldest(sw, err);
	/* Before the first binding E is not used. */
	if (sw->bindings)
		add_last_visit(sw);
	return 0;
}

/* ---- steps ---- */

int
cscg_switch_step(struct cscg_switch *sw, const struct cscg_step *step,
    struct cscg_err *err)
{
	struct cscg_step s = { .x = step->x,
		.a = step->a,
		.z = step->z,
		.reset = step->reset,
		.goal = -1,
		.r = NAN };
	bool last = step->a < 0;

	if (cscg_walk_add(sw->w, &s, err) < 0)
		return -1;
	if (sw->set.online) {
		if (observe_step(sw, err) < 0)
			return -1;
	} else if (last && finish_batch(sw, err) < 0) {
		return -1;
	}
	if (last) {
		begin_episode(sw);
		sw->episode++;
	}
	return 0;
}
