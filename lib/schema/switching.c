/*
 * switching.c - which of several schemas one is in, step by step
 *
 * As a batch, an episode is held until it ends, bound, and told.  Online, a
 * filter follows each step and adds what it sees to what states are known to
 * look like; whenever what is remembered has grown by half, it is bound again
 * as a whole.  When memory is full, the visits of its oldest steps are held as
 * counts and the steps are let go: neither work nor memory of a step grows with
 * the walk.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schema/switching_em.h"

enum { FIRST = 20 };	/* steps, when an episode is bound first */

/* E of all schemas would be 1 GiB. */
static const double cells_max = (1 << 30) / sizeof(double);

/* What schemas in a union come to. */
struct engine {
	struct cscg_switching_map *map;
	struct cscg_switching_pass *pass;
	struct cscg_switching_look *look;
};

struct cscg_switching {
	struct cscg_switching_set set;
	const struct cscg_model **m;
	const char **name;
	int n;
	size_t cap_m, cap_name;

	struct cscg_head head;
	struct engine all;
	struct cscg_walk *w;	/* the steps that are remembered */
	long base;		/* steps of the episode that are gone */
	long next;		/* steps in memory when binding is due */
	uint64_t bindings;	/* of this episode */
	long episode;
	char *from;		/* the message at the first step remembered */
	char *now, *then;	/* those of this step and the next */
	double *posterior;	/* [n] */
	double *line;		/* [stride] */
};

static void
engine_free(struct engine *e)
{
	cscg_switching_look_free(e->look);
	cscg_switching_pass_free(e->pass);
	cscg_switching_map_free(e->map);
	*e = (struct engine){ NULL, NULL, NULL };
}

struct cscg_switching *
cscg_switching_new(const struct cscg_switching_set *set, struct cscg_err *err)
{
	struct cscg_switching *sw = cscg_alloc(1, sizeof *sw, err);

	if (sw)
		sw->set = *set;
	return sw;
}

static void
forget_walk(struct cscg_switching *sw)
{
	engine_free(&sw->all);
	cscg_head_free(&sw->head);
	cscg_walk_free(sw->w);
	free(sw->from);
	free(sw->now);
	free(sw->then);
	free(sw->posterior);
	free(sw->line);
	sw->w = NULL;
	sw->from = sw->now = sw->then = NULL;
	sw->posterior = sw->line = NULL;
}

void
cscg_switching_free(struct cscg_switching *sw)
{
	if (!sw)
		return;
	forget_walk(sw);
	free(sw->m);
	free(sw->name);
	free(sw);
}

/* Do a and b say the same of all moves? */
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
cscg_switching_add(struct cscg_switching *sw, const char *name,
    const struct cscg_model *m, struct cscg_err *err)
{
	size_t n = (size_t)sw->n + 1;
	int i;

	for (i = 0; i < sw->n; i++)
		if (same_schema(sw->m[i], m))
			return cscg_fail(err, CSCG_EMISMATCH, "'%s' and '%s' "
			    "are the same schema", sw->name[i], name);
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
engine_new(struct cscg_switching *sw, struct engine *e,
    const struct cscg_model *const *m, int n, struct cscg_err *err)
{
	int *base = cscg_alloc((size_t)n + 1, sizeof *base, err), which = -1;
	struct cscg_model *all = NULL;

	if (base)
		all = cscg_switching_union(m, n, &sw->head, sw->set.jump, base,
		    &which, err);
	if (which >= 0)
		cscg_fail_at(err, "schema '%s'", sw->name[which]);
	if (all)
		e->map = cscg_switching_map_take(all, base, n, sw->set.simd,
		    sw->set.is_double, err);
	free(base);
	if (!e->map)
		return -1;
	e->pass = cscg_switching_pass_new(e->map, err);
	e->look = cscg_switching_look_new(e->map, sw->head.n_obs, err);
	return e->pass && e->look ? 0 : -1;
}

static void
begin_episode(struct cscg_switching *sw)
{
	sw->w->n_steps = sw->w->n_episodes = 0;
	sw->base = 0;
	sw->next = FIRST;
	sw->bindings = 0;
	cscg_switching_look_clear(sw->all.look);
}

static void *
message(const struct engine *e, struct cscg_err *err)
{
	return cscg_alloc_aligned(1, e->map->bytes, CSCG_ALIGN, err);
}

int
cscg_switching_head(struct cscg_switching *sw, const struct cscg_head *head,
    struct cscg_err *err)
{
	double S = 0;
	int i;

	forget_walk(sw);
	for (i = 0; i < sw->n; i++)
		S += sw->m[i]->n_states;
	if (S * head->n_obs > cells_max)
		return cscg_fail(err, CSCG_EMISMATCH, "%d symbols are too many "
		    "for the %.0f states of all schemas (at most %.0f)",
		    head->n_obs, S, floor(cells_max / S));
	if (cscg_head_copy(&sw->head, head, err) < 0 ||
	    engine_new(sw, &sw->all, sw->m, sw->n, err) < 0)
		return -1;
	sw->w = cscg_walk_new(head, err);
	sw->from = message(&sw->all, err);
	sw->now = message(&sw->all, err);
	sw->then = message(&sw->all, err);
	sw->posterior = cscg_alloc((size_t)sw->n, sizeof *sw->posterior, err);
	sw->line = cscg_alloc(sw->all.map->stride, sizeof *sw->line, err);
	if (!sw->w || !sw->from || !sw->now || !sw->then || !sw->posterior ||
	    !sw->line)
		return -1;
	begin_episode(sw);
	return 0;
}

/* ---- what both ways share ---- */

/* All that is remembered. */
static struct cscg_switching_part
remembered(const struct cscg_switching *sw)
{
	const struct cscg_walk *w = sw->w;

	return (struct cscg_switching_part){ .x = w->x, .a = w->a,
	    .reset = w->reset, .n = w->n_steps,
	    .from = sw->base ? sw->from : NULL };
}

/* Step t of those remembered. */
static int
emit(struct cscg_switching *sw, long t, double turn, struct cscg_err *err)
{
	struct cscg_switching_row row = { .episode = sw->episode,
	    .step = sw->base + t + 1, .node = sw->w->z ? sw->w->z[t] : -1,
	    .n = sw->n, .posterior = sw->posterior, .turn = turn };
	int i;

	for (i = 1; i < sw->n; i++)
		if (row.posterior[i] > row.posterior[row.best])
			row.best = i;
	return sw->set.row(sw->set.ctx, &row, err);
}

static void
report(const struct cscg_switching *sw, const struct cscg_switching_fit *fit)
{
	if (sw->set.bound)
		sw->set.bound(sw->set.ctx, sw->episode, sw->w->n_steps,
		    fit->iterations, -fit->loglik / (double)sw->w->n_steps);
}

/* ---- batch ---- */

/* The share of schema k's states that were visited. */
static double
covered(const struct engine *e, int k)
{
	int first = e->map->base[k], last = e->map->base[k + 1], i, j, n = 0;

	for (j = first; j < last; j++) {
		double sum = 0;

		for (i = 0; i < e->look->n_used; i++)
			sum += cscg_switching_seen(e->look,
			    e->look->used[i])[j];
		n += sum > .5;
	}
	return (double)n / (last - first);
}

/* Of the schemas, those that are in use; returns how many. */
static int
choose(const struct cscg_switching *sw, int *which,
    const struct cscg_model **m)
{
	int k, n = 0;

	for (k = 0; k < sw->n; k++)
		if (covered(&sw->all, k) >= sw->set.cover) {
			which[n] = k;
			m[n++] = sw->m[k];
		}
	return n;
}

static int
bind_all(struct cscg_switching *sw, struct engine *e, struct cscg_err *err)
{
	struct cscg_switching_part part = remembered(sw);
	struct cscg_switching_fit fit;

	if (cscg_switching_best(e->look, &part, &sw->set,
	    (uint64_t)sw->episode, &fit, err) < 0)
		return -1;
	report(sw, &fit);
	return 0;
}

/* Tell of all steps what the n schemas of which, bound in e, say. */
static int
tell_all(struct cscg_switching *sw, struct engine *e, const int *which, int n,
    struct cscg_err *err)
{
	struct cscg_switching_part part = remembered(sw);
	struct cscg_switching_tell tell = { NULL, NULL };
	double loglik;
	int rc = -1, k;
	long t;

	tell.posterior = cscg_alloc((size_t)part.n, (size_t)n *
	    sizeof *tell.posterior, err);
	tell.turn = cscg_alloc((size_t)part.n, sizeof *tell.turn, err);
	if (tell.posterior && tell.turn)
		rc = cscg_switching_expect(e->pass, e->look, &part, &tell,
		    &loglik, err);
	memset(sw->posterior, 0, (size_t)sw->n * sizeof *sw->posterior);
	for (t = 0; t < part.n && rc == 0; t++) {
		for (k = 0; k < n; k++)
			sw->posterior[which[k]] = tell.posterior[t * n + k];
		rc = emit(sw, t, tell.turn[t], err);
	}
	free(tell.posterior);
	free(tell.turn);
	return rc;
}

static int
end_batch(struct cscg_switching *sw, struct cscg_err *err)
{
	size_t N = (size_t)sw->n;
	const struct cscg_model **m = cscg_alloc(N, sizeof *m, err);
	int *which = m ? cscg_alloc(N, sizeof *which, err) : NULL, n, rc = -1;
	struct engine some = { NULL, NULL, NULL };

	if (!which || bind_all(sw, &sw->all, err) < 0)
		goto out;
	n = choose(sw, which, m);
	if (n == sw->n || n == 0) {
		for (n = 0; n < sw->n; n++)
			which[n] = n;
		rc = tell_all(sw, &sw->all, which, n, err);
	} else if (engine_new(sw, &some, m, n, err) == 0 &&
	    bind_all(sw, &some, err) == 0) {
		rc = tell_all(sw, &some, which, n, err);
	}
out:
	engine_free(&some);
	free(which);
	free(m);
	return rc;
}

/* ---- online ---- */

/* Go on from what is known, or anew if that is better. */
static int
bind_again(struct cscg_switching *sw, struct cscg_err *err)
{
	struct cscg_switching_part part = remembered(sw);
	struct engine *e = &sw->all;
	struct cscg_switching_look *fresh = NULL;
	struct cscg_switching_fit fit, other;
	int rc = -1;

	if (cscg_switching_em(e->pass, e->look, &part, &sw->set, &fit,
	    err) < 0)
		return -1;
	/* Once steps are gone, only what is known still knows them. */
	if (!e->look->held) {
		fresh = cscg_switching_look_new(e->map, sw->head.n_obs, err);
		if (!fresh || cscg_switching_best(fresh, &part, &sw->set,
		    ((uint64_t)sw->episode << 32) + sw->bindings, &other,
		    err) < 0)
			goto out;
		if (!(fit.objective >= other.objective)) {
			cscg_switching_look_copy(e->look, fresh);
			fit = other;
		}
	}
	sw->bindings++;
	report(sw, &fit);
	rc = cscg_switching_forward(e->pass, e->look, &part, &fit.loglik, err);
out:
	cscg_switching_look_free(fresh);
	return rc;
}

/* Let the oldest quarter of what is remembered go. */
static int
let_go(struct cscg_switching *sw, struct cscg_err *err)
{
	struct cscg_switching_part part = remembered(sw);
	struct engine *e = &sw->all;
	struct cscg_walk *w = sw->w;
	double loglik;
	size_t n;

	part.gone = part.n / 4 / CSCG_SWITCHING_CHUNK * CSCG_SWITCHING_CHUNK;
	if (!e->look->held)
		e->look->held = cscg_alloc((size_t)e->look->K + 1,
		    e->map->stride * sizeof *e->look->held, err);
	if (!e->look->held || cscg_switching_expect(e->pass, e->look, &part,
	    NULL, &loglik, err) < 0)
		return -1;
	memcpy(sw->from, cscg_switching_mark(e->pass, part.gone /
	    CSCG_SWITCHING_CHUNK), e->map->bytes);
	n = (size_t)(part.n - part.gone);
	memmove(w->x, w->x + part.gone, n * sizeof *w->x);
	memmove(w->a, w->a + part.gone, n * sizeof *w->a);
	if (w->z)
		memmove(w->z, w->z + part.gone, n * sizeof *w->z);
	if (w->reset)
		memmove(w->reset, w->reset + part.gone, n * sizeof *w->reset);
	w->n_steps = (long)n;
	sw->base += part.gone;
	return 0;
}

/* The filter's step into the last of those remembered. */
static int
follow(struct cscg_switching *sw, double *turn, struct cscg_err *err)
{
	const struct cscg_walk *w = sw->w;
	long t = w->n_steps - 1;
	bool fresh = t + sw->base == 0 || (w->reset && w->reset[t]);

	return cscg_switching_filter(sw->all.pass, sw->all.look, sw->now,
	    fresh ? -1 : w->x[t - 1], fresh ? -1 : w->a[t - 1], w->x[t],
	    sw->then, sw->posterior, turn, err);
}

/* What the last step shows belongs to the states one may be in. */
static void
learn(struct cscg_switching *sw)
{
	const struct cscg_switching_map *map = sw->all.map;
	int x = sw->w->x[sw->w->n_steps - 1], j;
	double sum = 0;

	if (x < 0)
		return;
	memcpy(sw->all.pass->scratch, sw->now, map->bytes);
	sum = map->kern->weigh(sw->all.pass->scratch,
	    cscg_switching_column(sw->all.look, x), map->S);
	map->kern->get(sw->all.pass->scratch, sw->line, map->S);
	for (j = 0; j < map->S; j++)
		sw->line[j] /= sum;
	cscg_switching_learn(sw->all.look, x, sw->line, sw->set.pseudocount);
}

static int
tell_step(struct cscg_switching *sw, struct cscg_err *err)
{
	struct engine *e = &sw->all;
	long n = sw->w->n_steps;
	char *swap;
	double turn;

	cscg_switching_use(e->look, sw->w->x[n - 1], sw->set.pseudocount);
	if (n == sw->next) {
		if (bind_again(sw, err) < 0)
			return -1;
		memcpy(sw->now, e->pass->last[1], e->map->bytes);
		sw->next = n + n / 2 < sw->set.memory ? n + n / 2 :
		    sw->set.memory;
	}
	if (follow(sw, &turn, err) < 0)
		return -1;
	swap = sw->now;
	sw->now = sw->then;
	sw->then = swap;
	if (emit(sw, n - 1, turn, err) < 0)
		return -1;
	if (n == sw->set.memory)
		return let_go(sw, err);
	/* Before it is bound for the first time, E is nothing to go by. */
	if (sw->bindings)
		learn(sw);
	return 0;
}

/* ---- steps ---- */

int
cscg_switching_step(struct cscg_switching *sw, const struct cscg_step *step,
    struct cscg_err *err)
{
	struct cscg_step s = { .x = step->x, .a = step->a, .z = step->z,
	    .reset = step->reset, .goal = -1, .r = NAN };
	bool last = step->a < 0;

	if (cscg_walk_add(sw->w, &s, err) < 0)
		return -1;
	if (sw->set.online) {
		if (tell_step(sw, err) < 0)
			return -1;
	} else if (last && end_batch(sw, err) < 0) {
		return -1;
	}
	if (last) {
		begin_episode(sw);
		sw->episode++;
	}
	return 0;
}
