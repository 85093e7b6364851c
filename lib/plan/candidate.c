/*
 * candidate.c - candidate models of an environment: schema tracker, also in
 * exact mode, grounded filter, or smoothed model
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "kernel/filter.h"
#include "kernel/passes.h"
#include "kernel/plan_graph.h"
#include "plan/candidate.h"
#include "plan/changes.h"

/* As in track.h. */
static const double JUMP_DEFAULT = 1e-2, REBIND_DEFAULT = 1e-4;

/*
 * Factor of a schema's jump probability when candidates are compared.  The
 * size of the environment may differ from that of the correct schema; a wrong
 * schema in which one distance happens to agree must not win for that reason.
 */
static const double JUMP_FACTOR = 10;

/* Weight of the prior of a noise probability that is estimated; its bounds. */
static const double NOISE_WEIGHT = 25, NOISE_MIN = .005, NOISE_MAX = .3;

/* Higher noise is novelty: the environment is unknown to the model. */
static const double NOVELTY_NOISE = .06;

/* Probability per use that a row has changed; see changes.h. */
static const double CHANGE_RATE = .02;

enum { COST_MAX = 50 }; /* attempts */

/* A noise probability: given, or estimated from expected counts. */
struct noise {
	double p;
	bool estimated;
	double prior; /* mean, if estimated */
	double n_noisy, n;
};

struct cscg_candidate {
	const struct cscg_model *m;
	struct cscg_names symbols;      /* of the environment */
	int n_states, n_actions, n_obs; /* actions, symbols: environment's */
	int *to_model;                  /* [n_actions] or -1 */
	int *from_model;                /* [the model's actions] */
	int *to;       /* [n_actions * n_states] most likely successor or -1 */
	int *model_to; /* the same by the model, without changes, or the first
	                  outcome of a row that the model lacks, */
	float *to_p;   /* and its probability there; 0: the model lacks it */
	long n_steps, n_starts; /* steps; starts of episodes and resets */
	int entered; /* state of the next step; -1: any, -2: after an action */
	struct noise slip, misread;
	double min_slip; /* of a schema's tracker */
	double quiet;    /* sum of log P(no noise) over all steps */
	struct cscg_changes transitions, emissions;
	long n_first; /* visited rows that the model lacks */

	/*
	 * a schema: track gives its likelihood, strict (with the options as
	 * given) its novelty
	 */
	struct cscg_track_tables *tables, *strict_tables;
	struct cscg_track *track, *strict;
	unsigned char *seen; /* [n_obs] */
	int n_symbols;
	double new_symbols_loglik; /* log P(first occurrences of symbols) */

	/* a grounded model */
	struct cscg_plan_graph *graph;
	int *symbol_map; /* [n_obs] the model's number, or -1 */
	double jump, rebind;
	double *belief, *predicted; /* [n_states] P(state | observations) */
	double *slipped;            /* [n_states] part of predicted by slips */
	int *symbol; /* [n_states] as cscg_candidate_symbol() gives it */
	double score;

	/* exact mode */
	struct cscg_track_exact_graph *exact_graph; /* or NULL */
	struct cscg_track_exact exact;
	long max_hypotheses;
	struct cscg_rng *rng; /* borrowed */

	/* a smoothed model */
	struct cscg_model *smooth; /* or NULL */
	struct cscg_trans *tr;
	struct cscg_filter *filter;
	const double *E; /* [n_states * n_obs] of a schema; borrowed */
	double p;        /* of the last symbol */
	struct cscg_work work;
};

/* ---- construction ---- */

bool
cscg_candidate_is_grounded(const struct cscg_candidate *c)
{
	return c->m->kind == CSCG_GROUNDED;
}

/*
 * The numbers of the environment's actions in a model and back, as new arrays,
 * to be freed even on failure.  The model need not have the action stationary
 * (-1: none), whose number is -1 then.  -1 with err filled: CSCG_EMISMATCH if
 * the actions are not the model's, CSCG_ENOMEM.
 */
static int
map_actions(const struct cscg_walk_header *world, const struct cscg_model *m,
    int stationary, int **to_model, int **to_world, struct cscg_err *err)
{
	int n = m->n_actions, a, b, others;

	*to_model = cscg_alloc((size_t)world->n_actions, sizeof **to_model,
	    err);
	*to_world = cscg_alloc((size_t)n, sizeof **to_world, err);
	if (!*to_model || !*to_world)
		return -1;
	for (b = 0; b < n; b++)
		(*to_world)[b] = -1;
	others = stationary >= 0 ? world->n_actions - 1 : world->n_actions;
	for (a = 0, b = 0; a < world->n_actions; a++) {
		int to = -1;

		if (m->actions.n && world->actions.n)
			to = cscg_names_find(&m->actions, world->actions.v[a]);
		else if (n == world->n_actions)
			to = a;
		else if (n == others && a != stationary)
			to = b++;
		if (to < 0 && a != stationary)
			return world->actions.n && m->actions.n ?
			    cscg_fail(err, CSCG_EMISMATCH,
				"the model lacks the action '%s'",
				world->actions.v[a]) :
			    cscg_fail(err, CSCG_EMISMATCH,
				"the environment has %d actions, the model "
				"has %d",
				world->n_actions, n);
		(*to_model)[a] = to;
		if (to >= 0)
			(*to_world)[to] = a;
	}
	for (b = 0; b < n; b++)
		if ((*to_world)[b] < 0)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "the environment lacks the action '%s' of the "
			    "model",
			    m->actions.v[b]);
	return 0;
}

/*
 * The numbers of the environment's symbols in a grounded model, -1 if it lacks
 * them, as a new array; NULL with err filled (CSCG_ENOMEM).
 */
static int *
map_symbols(const struct cscg_walk_header *world, const struct cscg_model *m,
    struct cscg_err *err)
{
	int *map = cscg_alloc((size_t)world->n_obs, sizeof *map, err), x, y;

	for (x = 0; map && x < world->n_obs; x++) {
		y = m->symbols.n && world->symbols.n ?
		    cscg_names_find(&m->symbols, world->symbols.v[x]) :
		    x;
		map[x] = y < m->n_obs ? y : -1;
	}
	return map;
}

/* The share of the row's counts that lead to k. */
static double
successor_prob(const struct cscg_model *m, int a, int j, int k)
{
	double mine = 0, sum = 0;
	long i, row = (long)a * m->n_states + j;

	for (i = m->first[row]; i < m->first[row + 1]; i++) {
		sum += m->count[i];
		mine += m->to[i] == k ? m->count[i] : 0;
	}
	return sum > 0 ? mine / sum : 1;
}

static int
set_successors(struct cscg_candidate *c, struct cscg_err *err)
{
	int a, j, b, n = c->n_states;
	size_t rows = (size_t)n * (size_t)c->n_actions, row;

	c->to = cscg_alloc(rows, sizeof *c->to, err);
	c->model_to = cscg_alloc(rows, sizeof *c->model_to, err);
	c->to_p = cscg_alloc(rows, sizeof *c->to_p, err);
	if (!c->to || !c->model_to || !c->to_p)
		return -1;
	for (a = 0; a < c->n_actions; a++)
		for (j = 0; j < n; j++) {
			row = (size_t)a * (size_t)n + (size_t)j;
			b = c->to_model[a];
			c->to[row] = b < 0 ? j :
			    c->graph ? cscg_plan_graph_next(c->graph, b, j) :
				       cscg_track_next(c->tables, j, b);
			c->model_to[row] = c->to[row];
			c->to_p[row] = b < 0 ?
			    1 :
			    c->to[row] < 0 ?
			    0 :
			    (float)successor_prob(c->m, b, j, c->to[row]);
		}
	return 0;
}

static int
set_schema(struct cscg_candidate *c, const struct cscg_track_options *set,
    double min_slip, struct cscg_err *err)
{
	struct cscg_track_options options = *set, strict = *set;

	c->min_slip = min_slip;
	strict.slip = c->slip.p;
	strict.misread = options.misread = c->misread.p;
	options.jump = JUMP_FACTOR *
	    (set->jump > 0 ? set->jump : JUMP_DEFAULT);
	options.slip = fmax(c->slip.p, min_slip);
	c->tables = cscg_track_tables_new(c->m, &options, err);
	if (c->tables)
		c->strict_tables = cscg_track_tables_new(c->m, &strict, err);
	if (!c->strict_tables)
		return -1;
	c->track = cscg_track_new(c->tables, c->n_obs, err);
	c->strict = cscg_track_new(c->strict_tables, c->n_obs, err);
	c->seen = cscg_alloc((size_t)c->n_obs, 1, err);
	return c->track && c->strict && c->seen ? 0 : -1;
}

/* The symbol that state j emits with probability above 1/2; -1 - group. */
static int
grounded_symbol(const struct cscg_candidate *c, int j)
{
	int x, y;

	for (x = 0; x < c->n_obs; x++) {
		y = c->symbol_map[x];
		if (y >= 0 && cscg_model_E(c->m, j, y) > .5)
			return x;
	}
	return -1 - (c->m->clone ? c->m->clone[j] : j);
}

static int
set_grounded(struct cscg_candidate *c, const struct cscg_env_header *world,
    const struct cscg_track_options *set, struct cscg_err *err)
{
	size_t n = (size_t)c->n_states;
	int j;

	c->jump = set->jump > 0 ? set->jump : JUMP_DEFAULT;
	c->rebind = set->rebind > 0 ? set->rebind : REBIND_DEFAULT;
	c->graph = cscg_plan_graph_new(c->m, 0, err);
	c->belief = cscg_alloc(n, sizeof *c->belief, err);
	c->predicted = cscg_alloc(n, sizeof *c->predicted, err);
	c->slipped = cscg_alloc(n, sizeof *c->slipped, err);
	c->symbol = cscg_alloc(n, sizeof *c->symbol, err);
	c->symbol_map = map_symbols(&world->head, c->m, err);
	if (!c->graph || !c->belief || !c->predicted || !c->slipped ||
	    !c->symbol || !c->symbol_map)
		return -1;
	for (j = 0; j < c->n_states; j++)
		c->symbol[j] = grounded_symbol(c, j);
	return 0;
}

static int
set_exact(struct cscg_candidate *c, const struct cscg_env_header *world,
    struct cscg_err *err)
{
	c->graph = cscg_plan_graph_new(c->m, 0, err);
	if (c->graph)
		c->exact_graph = cscg_track_exact_graph_new(c->graph,
		    world->collect < 0 ? -1 : c->to_model[world->collect],
		    err);
	return c->exact_graph ? 0 : -1;
}

static void
reset_noise(struct noise *v)
{
	v->n = v->n_noisy = 0;
	if (v->estimated)
		v->p = v->prior;
}

static int
set_smoothed(struct cscg_candidate *c, const struct cscg_env_header *world,
    double lambda, struct cscg_err *err)
{
	const struct cscg_filter_options path = { .path = true };
	bool has_symbols = cscg_candidate_is_grounded(c);

	c->graph = cscg_plan_graph_new(c->m, lambda, err);
	c->smooth = cscg_plan_smooth(c->m, lambda, err);
	if (has_symbols)
		c->symbol_map = map_symbols(&world->head, c->m, err);
	if (!c->graph || !c->smooth || (has_symbols && !c->symbol_map))
		return -1;
	c->tr = has_symbols ?
	    cscg_trans_new(c->smooth, &cscg_plain_double, err) :
	    cscg_trans_schema(c->smooth, &cscg_plain_double, err);
	if (c->tr)
		c->filter = cscg_filter_new(c->tr, &path, err);
	return c->filter ? 0 : -1;
}

/* From an option: a probability, or minus the mean of a prior. */
static void
set_prior(struct noise *v, double option)
{
	v->estimated = option < 0;
	v->p = fmax(option, 0);
	v->prior = fmin(fmax(-option, NOISE_MIN), NOISE_MAX);
	reset_noise(v);
}

/* A candidate whose mode is not set. */
static struct cscg_candidate *
candidate_new(const struct cscg_env_header *world, const struct cscg_model *m,
    const struct cscg_track_options *set, struct cscg_err *err)
{
	struct cscg_candidate *c = cscg_alloc(1, sizeof *c, err);

	if (!c)
		return NULL;
	c->m = m;
	c->n_states = m->n_states;
	c->n_actions = world->head.n_actions;
	c->n_obs = world->head.n_obs;
	set_prior(&c->slip, set ? set->slip : 0);
	set_prior(&c->misread, set ? set->misread : 0);
	c->transitions.change_rate = c->emissions.change_rate = CHANGE_RATE;
	if (map_actions(&world->head, m, world->collect, &c->to_model,
		&c->from_model, err) == 0 &&
	    cscg_names_copy(&c->symbols, &world->head.symbols, err) == 0)
		return c;
	cscg_candidate_free(c);
	return NULL;
}

/* Begin, if the mode was set; else free c. */
static struct cscg_candidate *
begin(struct cscg_candidate *c, bool is_set)
{
	if (c && is_set) {
		cscg_candidate_reset(c);
		return c;
	}
	cscg_candidate_free(c);
	return NULL;
}

struct cscg_candidate *
cscg_candidate_new(const struct cscg_env_header *world,
    const struct cscg_model *m, const struct cscg_track_options *set,
    double min_slip, struct cscg_err *err)
{
	struct cscg_candidate *c = candidate_new(world, m, set, err);

	return begin(c,
	    c &&
		(cscg_candidate_is_grounded(c) ?
			set_grounded(c, world, set, err) :
			set_schema(c, set, min_slip, err)) == 0 &&
		set_successors(c, err) == 0);
}

struct cscg_candidate *
cscg_candidate_new_exact(const struct cscg_env_header *world,
    const struct cscg_model *m, long max_hypotheses, struct cscg_rng *rng,
    struct cscg_err *err)
{
	struct cscg_candidate *c = candidate_new(world, m, NULL, err);

	if (c) {
		c->max_hypotheses = max_hypotheses;
		c->rng = rng;
	}
	return begin(c,
	    c && set_exact(c, world, err) == 0 && set_successors(c, err) == 0);
}

struct cscg_candidate *
cscg_candidate_new_smoothed(const struct cscg_env_header *world,
    const struct cscg_model *m, double lambda, struct cscg_err *err)
{
	struct cscg_candidate *c = candidate_new(world, m, NULL, err);

	return begin(c, c && set_smoothed(c, world, lambda, err) == 0);
}

void
cscg_candidate_free(struct cscg_candidate *c)
{
	if (!c)
		return;
	cscg_names_free(&c->symbols);
	free(c->to_model);
	free(c->from_model);
	free(c->to);
	free(c->model_to);
	free(c->to_p);
	cscg_changes_free(&c->transitions);
	cscg_changes_free(&c->emissions);
	free(c->slipped);
	cscg_track_free(c->track);
	cscg_track_free(c->strict);
	cscg_track_tables_free(c->tables);
	cscg_track_tables_free(c->strict_tables);
	free(c->seen);
	cscg_plan_graph_free(c->graph);
	free(c->symbol_map);
	free(c->belief);
	free(c->predicted);
	free(c->symbol);
	cscg_track_exact_graph_free(c->exact_graph);
	cscg_track_exact_free(&c->exact);
	cscg_filter_free(c->filter);
	cscg_trans_free(c->tr);
	cscg_model_free(c->smooth);
	cscg_work_free(&c->work);
	free(c);
}

/* ---- observations ---- */

/* Set the noise of the trackers to the present estimates. */
static void
set_noise(struct cscg_candidate *c)
{
	if (!c->track)
		return;
	cscg_track_tables_set_noise(c->tables, fmax(c->slip.p, c->min_slip),
	    c->misread.p);
	cscg_track_tables_set_noise(c->strict_tables, c->slip.p, c->misread.p);
}

static void
estimate(struct noise *v, double noisy)
{
	if (!v->estimated)
		return;
	v->n++;
	v->n_noisy += noisy;
	v->p = fmin((v->prior * NOISE_WEIGHT + v->n_noisy) /
		(NOISE_WEIGHT + v->n),
	    NOISE_MAX);
}

/* The standard deviation of the posterior, a beta distribution. */
static double
noise_sd(const struct noise *v)
{
	return v->estimated ?
	    sqrt(v->p * (1 - v->p) / (NOISE_WEIGHT + v->n + 1)) :
	    0;
}

void
cscg_candidate_get_noise(const struct cscg_candidate *c,
    struct cscg_candidate_noise *noise)
{
	*noise = (struct cscg_candidate_noise){ c->slip.p, c->misread.p,
		noise_sd(&c->slip), noise_sd(&c->misread),
		fmax(c->slip.n, c->misread.n), c->slip.n_noisy,
		c->misread.n_noisy };
}

void
cscg_candidate_reset(struct cscg_candidate *c)
{
	c->score = c->new_symbols_loglik = c->quiet = 0;
	c->n_symbols = 0;
	/* Changes are undone by their weight at this step. */
	cscg_candidate_clear_counts(c);
	c->n_steps = c->n_starts = 0;
	c->entered = -2;
	reset_noise(&c->slip);
	reset_noise(&c->misread);
	set_noise(c);
	if (c->track) {
		cscg_track_reset(c->track);
		cscg_track_reset(c->strict);
		memset(c->seen, 0, (size_t)c->n_obs);
	}
	if (c->exact_graph)
		cscg_track_exact_init(&c->exact, c->exact_graph, c->n_obs,
		    c->max_hypotheses);
	if (c->filter)
		cscg_filter_reset(c->filter);
}

void
cscg_candidate_enter(struct cscg_candidate *c, const int *symbol, int state,
    const struct cscg_candidate *from)
{
	int j, g, n = c->track ? cscg_candidate_n_groups(c) : 0;

	cscg_candidate_reset(c);
	c->slip = from->slip;
	c->misread = from->misread;
	set_noise(c);
	c->entered = state;
	for (j = 0; c->belief && j < c->n_states; j++)
		c->belief[j] = state < 0 ? 1.0 / c->n_states : j == state;
	if (!c->track)
		return;
	cscg_track_enter(c->track, symbol, state);
	cscg_track_enter(c->strict, symbol, state);
	for (g = 0; symbol && g < n; g++)
		if (symbol[g] >= 0) {
			c->n_symbols += !c->seen[symbol[g]];
			c->seen[symbol[g]] = 1;
		}
}

static int
schema_observe(struct cscg_candidate *c, int a, int x, double *slip,
    double *misread, struct cscg_err *err)
{
	if (x >= 0 && !c->seen[x]) {
		c->new_symbols_loglik -= log(c->n_obs - c->n_symbols++);
		c->seen[x] = 1;
	}
	if (cscg_track_step(c->track, a, x, err) < 0 ||
	    cscg_track_step(c->strict, a, x, err) < 0)
		return -1;
	cscg_track_noise(c->strict, slip, misread);
	return 0;
}

/*
 * Add share * T_a^T belief to next.  Rows that changed lead to their new
 * outcome.  A row that the model lacks leads to its first outcome; before the
 * first outcome it stays with probability 1/2 and leads to any state
 * otherwise.
 */
static void
push_belief(const struct cscg_candidate *c, int a, double share, double *next)
{
	const struct cscg_plan_graph *graph = c->graph;
	int j, n = c->n_states, other, first;
	long i, row;
	double w, p, p_other, anywhere = 0;

	for (j = 0; j < n; j++) {
		w = share * c->belief[j];
		if (w <= 0)
			continue;
		row = (long)c->from_model[a] * n + j;
		first = c->model_to[row];
		p = c->transitions.n ? cscg_changes_get(&c->transitions, row,
					   c->n_steps, &other, &p_other) :
				       1;
		if (p < 1 && other >= 0) {
			next[other] += (1 - p) * w;
			w *= p;
		}
		row = (long)a * n + j;
		if (graph->first[row] == graph->first[row + 1] && first >= 0)
			next[first] += w;
		else if (graph->first[row] == graph->first[row + 1]) {
			next[j] += w / 2;
			anywhere += w / 2;
		}
		for (i = graph->first[row]; i < graph->first[row + 1]; i++)
			next[graph->to[i]] += w * graph->p[i];
	}
	for (j = 0; anywhere > 0 && j < n; j++)
		next[j] += anywhere / n;
}

/* Predict the belief after action a, with jump and slip as in track.h. */
static void
predict(struct cscg_candidate *c, int a)
{
	int j, b, n = c->n_states, A = c->m->n_actions;
	double uniform = 1.0 / n, slip = c->slip.p;

	for (j = 0; j < n; j++) {
		c->predicted[j] = a < 0 ? uniform : c->jump * uniform;
		c->slipped[j] = a < 0 ? 0 : slip / 2 * c->belief[j];
	}
	if (a < 0)
		return;
	push_belief(c, a, 1 - slip, c->predicted);
	for (b = 0; b < A && slip > 0; b++)
		if (b != a)
			push_belief(c, b, slip / 2 / (A - 1), c->slipped);
	for (j = 0; j < n; j++)
		c->predicted[j] += c->slipped[j];
}

/* P(x | state j) after changes, where y is the model's number of x. */
static double
emission(const struct cscg_candidate *c, int j, int x, int y)
{
	double p = y < 0 ? 0 : cscg_model_E(c->m, j, y), same, other_p;
	int other;

	if (!c->emissions.n)
		return p;
	same = cscg_changes_get(&c->emissions, j, c->n_steps, &other,
	    &other_p);
	return same * p + (other == x ? 1 - same : 0);
}

double
cscg_candidate_emission(const struct cscg_candidate *c, int j, int x)
{
	int y = c->symbol_map ? c->symbol_map[x] : x;

	if (c->E)
		return (1 - c->m->misread) *
		    c->E[(size_t)j * (size_t)c->n_obs + (size_t)x] +
		    c->m->misread / c->n_obs;
	return emission(c, j, x, y);
}

/*
 * Filter step.  A symbol that the model lacks is misread, or the emissions of
 * a state have changed since the model was learned.  As in a tracker, rebind
 * is added to E without rescaling.
 */
static void
grounded_observe(struct cscg_candidate *c, int a, int x, double *slip,
    double *misread)
{
	int j, y = x < 0 ? -1 : c->symbol_map[x];
	double sum = 0, noisy = 0, e = c->misread.p, w;

	if (c->entered >= 0) {
		memcpy(c->predicted, c->belief,
		    (size_t)c->n_states * sizeof *c->belief);
		memset(c->slipped, 0,
		    (size_t)c->n_states * sizeof *c->slipped);
	} else {
		predict(c, c->n_steps ? a : -1);
	}
	*slip = *misread = 0;
	for (j = 0; j < c->n_states; j++) {
		w = x < 0 ? 1 :
			    (1 - e) * emission(c, j, x, y) +
			(e + c->rebind) / c->n_obs;
		c->belief[j] = c->predicted[j] * w;
		sum += c->belief[j];
		*slip += c->slipped[j] * w;
		noisy += c->predicted[j];
	}
	for (j = 0; j < c->n_states; j++)
		c->belief[j] /= sum;
	*slip /= sum;
	if (x < 0)
		return;
	*misread = noisy * e / c->n_obs / sum;
	c->score += log(sum);
}

/* If no hypothesis remains, start again from all of them. */
static int
exact_observe(struct cscg_candidate *c, int a, int x, struct cscg_err *err)
{
	if (a >= 0)
		cscg_track_exact_step(&c->exact, a, x);
	else if (cscg_track_exact_reset(&c->exact, x, c->rng, err) < 0)
		return -1;
	if (c->exact.n)
		return 0;
	cscg_track_exact_init(&c->exact, c->exact_graph, c->n_obs,
	    c->max_hypotheses);
	return cscg_track_exact_reset(&c->exact, x, c->rng, err);
}

/* Filter step; if x is impossible, the belief restarts from x alone. */
static void
smoothed_observe(struct cscg_candidate *c, int a, int x)
{
	double p;

	/* A symbol that the model lacks counts as no observation. */
	if (x >= 0 && c->symbol_map)
		x = c->symbol_map[x];
	p = cscg_filter_observe(c->filter, a, x);
	if (p <= 0)
		cscg_filter_observe(c->filter, -1, x);
	c->score += log(p);
	c->p = p;
}

int
cscg_candidate_observe(struct cscg_candidate *c, int a, int x,
    struct cscg_err *err)
{
	double slip = 0, misread = 0;
	int rc = 0;

	a = a < 0 ? -1 : c->to_model[a];
	if (c->exact_graph)
		return exact_observe(c, a, x, err);
	if (c->filter) {
		smoothed_observe(c, a, x);
		return 0;
	}
	if (c->entered > -2)
		a = c->track && c->entered >= 0 ? CSCG_TRACK_STAY : -1;
	if (c->track)
		rc = schema_observe(c, a, x, &slip, &misread, err);
	else
		grounded_observe(c, a, x, &slip, &misread);
	if (a >= 0 && c->n_steps) {
		c->quiet += log1p(-c->slip.p);
		estimate(&c->slip, slip);
	}
	if (x >= 0 && (a >= 0 || !c->track)) {
		c->quiet += log1p(-c->misread.p);
		estimate(&c->misread, misread);
	}
	set_noise(c);
	c->n_starts += a < 0;
	c->n_steps++;
	c->entered = -2;
	return rc;
}

/* ---- changes ---- */

/* The symbol that state j emits with probability above 1/2; -1 - group. */
static int
changed_symbol(const struct cscg_candidate *c, int j)
{
	double other_p;
	int other;

	return cscg_changes_get(&c->emissions, j, c->n_steps, &other,
		   &other_p) < .5 &&
		other >= 0 ?
	    other :
	    grounded_symbol(c, j);
}

/* The expected number of attempts for success of probability p. */
static int
attempts(double p)
{
	return p * COST_MAX <= 1 ? COST_MAX : (int)lround(1 / p);
}

/* P(action a leads from i to k | transition noise). */
static double
slip_prob(const struct cscg_candidate *c, int i, int a, int k)
{
	int b, A = c->m->n_actions;
	double p = k == i ? .5 : 0;

	for (b = 0; b < c->n_actions; b++)
		if (b != a && c->to_model[b] >= 0 && A > 1 &&
		    c->model_to[(size_t)b * (size_t)c->n_states + (size_t)i] ==
			k)
			p += .5 / (A - 1);
	return p;
}

/* Update the tables by the posterior of the row. */
static void
set_next(struct cscg_candidate *c, int j, int a)
{
	size_t row = (size_t)a * (size_t)c->n_states + (size_t)j;
	double p, p_other;
	int other;

	p = cscg_changes_get(&c->transitions, (long)row, c->n_steps, &other,
	    &p_other);
	c->to[row] = p >= .5 || other < 0 ? c->model_to[row] : other;
	if (!c->track || c->to_model[a] < 0)
		return;
	cscg_track_tables_set_next(c->tables, j, c->to_model[a], c->to[row]);
	cscg_track_tables_set_next(c->strict_tables, j, c->to_model[a],
	    c->to[row]);
}

int
cscg_candidate_count(struct cscg_candidate *c, int i, int a, int j, int x,
    struct cscg_err *err)
{
	size_t row;
	double noise, p, slip;
	int y;

	if (i >= 0 && a >= 0 && c->to_model[a] >= 0) {
		row = (size_t)a * (size_t)c->n_states + (size_t)i;
		if (c->model_to[row] < 0) {
			c->model_to[row] = j;
			c->n_first++;
		}
		slip = slip_prob(c, i, a, j);
		noise = fmin(JUMP_DEFAULT / c->n_states + c->slip.p * slip,
		    .5);
		p = c->model_to[row] == j ?
		    (1 - c->slip.p) * (c->to_p[row] > 0 ? c->to_p[row] : 1) :
		    c->track || c->to_p[row] <= 0 ?
		    0 :
		    successor_prob(c->m, c->to_model[a], i, j);
		if (cscg_changes_observe(&c->transitions, (long)row, j,
			p + noise, noise, fmax(slip, 1.0 / c->n_states),
			c->n_steps, err) < 0)
			return -1;
		set_next(c, i, a);
	}
	if (x < 0 || c->track)
		return 0;
	y = c->symbol_map[x];
	p = y < 0 ? 0 : (1 - c->misread.p) * cscg_model_E(c->m, j, y);
	noise = (c->misread.p + c->rebind) / c->n_obs;
	if (cscg_changes_observe(&c->emissions, j, x, p + noise, noise,
		1.0 / c->n_obs, c->n_steps, err) < 0)
		return -1;
	c->symbol[j] = changed_symbol(c, j);
	return 0;
}

bool
cscg_candidate_is_changed(const struct cscg_candidate *c)
{
	size_t i, rows = (size_t)c->n_states * (size_t)c->n_actions;
	int j;

	for (i = 0; i < rows; i++)
		if (c->to[i] != c->model_to[i] ||
		    (c->to_p[i] <= 0 && c->to[i] >= 0))
			return true;
	for (j = 0; !c->track && j < c->n_states; j++)
		if (c->symbol[j] != grounded_symbol(c, j))
			return true;
	return false;
}

void
cscg_candidate_clear_counts(struct cscg_candidate *c)
{
	size_t i, S = (size_t)c->n_states;
	long row;

	for (i = 0; i < c->transitions.n; i++) {
		row = c->transitions.v[i].row;
		c->transitions.v[i].model = 1;
		set_next(c, (int)((size_t)row % S), (int)((size_t)row / S));
	}
	cscg_changes_clear(&c->transitions);
	for (i = 0; c->n_first && i < S * (size_t)c->n_actions; i++)
		if (c->to_p[i] <= 0) {
			c->model_to[i] = -1;
			set_next(c, (int)(i % S), (int)(i / S));
		}
	c->n_first = 0;
	for (i = 0; i < c->emissions.n; i++) {
		c->emissions.v[i].model = 1;
		c->symbol[c->emissions.v[i].row] = changed_symbol(c,
		    (int)c->emissions.v[i].row);
	}
	cscg_changes_clear(&c->emissions);
}

int
cscg_candidate_edges(const struct cscg_candidate *c, int j, int a,
    struct cscg_candidate_edge edge[2])
{
	size_t row = (size_t)a * (size_t)c->n_states + (size_t)j;
	double p, p_other;
	int other = -1, n = 0;

	p = c->transitions.n ? cscg_changes_get(&c->transitions, (long)row,
				   c->n_steps, &other, &p_other) :
			       1;
	if (c->model_to[row] >= 0)
		edge[n++] = (struct cscg_candidate_edge){ c->model_to[row],
			attempts(p * (c->to_p[row] > 0 ? c->to_p[row] : .8)) };
	if (other >= 0 && other != c->model_to[row])
		edge[n++] = (struct cscg_candidate_edge){ other,
			attempts(p_other) };
	return n;
}

/* ---- queries ---- */

double
cscg_candidate_loglik(const struct cscg_candidate *c)
{
	return c->track ? cscg_track_score(c->track) + c->new_symbols_loglik :
			  c->score;
}

/*
 * The cost of noise in n steps beyond that of steps without noise: the mean
 * plus a standard deviation, for the estimated noise probability, limited to
 * NOVELTY_NOISE; a noisy step has n_ways equally likely outcomes.
 */
static double
noise_cost(const struct noise *v, double n_ways, double n)
{
	double p = fmin(v->p, NOVELTY_NOISE), nats;

	if (!v->estimated)
		return 0;
	nats = log((1 - p) * n_ways / p);
	return (n * p + sqrt(n * p * (1 - p))) * nats;
}

double
cscg_candidate_novelty(const struct cscg_candidate *c,
    const struct cscg_novelty *novelty, int i, enum cscg_novelty_class *kind)
{
	/* As if steps without noise had cost 0. */
	double margin = cscg_novelty_margin(novelty, i,
	    (c->track ? cscg_track_score(c->strict) : c->score) - c->quiet,
	    c->n_starts);

	*kind = cscg_novelty_classify(novelty, i,
	    margin +
		noise_cost(&c->slip, 2.0 * fmax(c->m->n_actions - 1, 1),
		    (double)c->n_steps) +
		noise_cost(&c->misread, c->n_obs, (double)c->n_steps),
	    c->n_steps);
	return margin;
}

int
cscg_candidate_n_states(const struct cscg_candidate *c)
{
	return c->n_states;
}

const struct cscg_track_exact *
cscg_candidate_exact(const struct cscg_candidate *c)
{
	return &c->exact;
}

/* Hypothesis i: a state, or a state and a binding in exact mode. */
static struct cscg_candidate_hypothesis
get_hypothesis(const struct cscg_candidate *c, long i)
{
	struct cscg_track_exact_hypothesis h;

	if (!c->exact_graph)
		return (struct cscg_candidate_hypothesis){ c->belief[i],
			(int)i, NULL };
	h = cscg_track_exact_get(&c->exact, i);
	return (struct cscg_candidate_hypothesis){ h.p, h.state, h.symbol };
}

/* The likeliest hypotheses, by insertion, since max is small. */
static int
sort_top(const struct cscg_candidate *c,
    struct cscg_candidate_hypothesis *hypothesis, int max)
{
	const double *p = c->exact_graph ? c->exact.p : c->belief;
	long j, n_all = c->exact_graph ? c->exact.n : c->n_states;
	int i, n = 0;

	for (j = 0; j < n_all; j++) {
		if (n == max && p[j] <= hypothesis[n - 1].p)
			continue;
		n += n < max;
		for (i = n - 1; i > 0 && hypothesis[i - 1].p < p[j]; i--)
			hypothesis[i] = hypothesis[i - 1];
		hypothesis[i] = get_hypothesis(c, j);
	}
	return n;
}

/* The state of the likeliest path, which need not be the likeliest state. */
static int
path_end(const struct cscg_candidate *c,
    struct cscg_candidate_hypothesis *hypothesis)
{
	int j = cscg_filter_state(c->filter);

	if (j >= 0)
		*hypothesis = (struct cscg_candidate_hypothesis){
			cscg_filter_prob(c->filter, j), j, NULL
		};
	return j >= 0;
}

int
cscg_candidate_top(const struct cscg_candidate *c,
    struct cscg_candidate_hypothesis *hypothesis, int max)
{
	int i, n;

	if (c->filter)
		return path_end(c, hypothesis);
	if (!c->track)
		return sort_top(c, hypothesis, max);
	n = cscg_track_count(c->track);
	n = n < max ? n : max;
	for (i = 0; i < n; i++) {
		struct cscg_track_hypothesis h = cscg_track_get(c->track, i);

		hypothesis[i] = (struct cscg_candidate_hypothesis){ h.p,
			h.state, h.symbol };
	}
	return n;
}

int
cscg_candidate_symbol(const struct cscg_candidate *c,
    const struct cscg_candidate_hypothesis *hypothesis, int j)
{
	int g;

	if (c->symbol)
		return c->symbol[j];
	g = c->exact_graph ? j : cscg_track_group(c->tables, j);
	return hypothesis->symbol[g] >= 0 ? hypothesis->symbol[g] : -1 - g;
}

int
cscg_candidate_n_groups(const struct cscg_candidate *c)
{
	return cscg_model_n_groups(c->m);
}

int
cscg_candidate_group(const struct cscg_candidate *c, int j)
{
	return cscg_track_group(c->tables, j);
}

int
cscg_candidate_next(const struct cscg_candidate *c, int j, int a)
{
	return c->to[(size_t)a * (size_t)c->n_states + (size_t)j];
}

int
cscg_candidate_model_action(const struct cscg_candidate *c, int a)
{
	return c->to_model[a];
}

int
cscg_candidate_world_action(const struct cscg_candidate *c, int a)
{
	return c->from_model[a];
}

int
cscg_candidate_model_symbol(const struct cscg_candidate *c, int x)
{
	return c->symbol_map && x >= 0 ? c->symbol_map[x] : x;
}

int
cscg_candidate_model_next(const struct cscg_candidate *c, int j, int a)
{
	return c->model_to[(size_t)a * (size_t)c->n_states + (size_t)j];
}

/* ---- a smoothed model ---- */

int
cscg_candidate_bind(struct cscg_candidate *c, const double *E,
    const double *pi, struct cscg_err *err)
{
	if (cscg_trans_set_E(c->tr, E, c->n_obs, err) < 0)
		return -1;
	cscg_trans_set_pi(c->tr, pi);
	c->E = E;
	cscg_candidate_reset(c);
	return 0;
}

double
cscg_candidate_prob(const struct cscg_candidate *c)
{
	return c->p;
}

int
cscg_candidate_origin(const struct cscg_candidate *c)
{
	return cscg_filter_first_state(c->filter);
}

const struct cscg_plan_graph *
cscg_candidate_graph(const struct cscg_candidate *c)
{
	return c->graph;
}

const struct cscg_model *
cscg_candidate_smoothed(const struct cscg_candidate *c)
{
	return c->smooth;
}

int
cscg_candidate_decode(struct cscg_candidate *c, const struct cscg_walk *w,
    int episode, int *state, struct cscg_err *err)
{
	double logp;

	return cscg_viterbi(c->tr, w, episode, &c->work, state, &logp, err);
}

/* ---- a model ---- */

static int
smoothed_ground(const struct cscg_candidate *c, struct cscg_model *m,
    struct cscg_err *err)
{
	return cscg_model_set_E(m, c->E, c->n_obs, err) < 0 ?
	    -1 :
	    cscg_names_copy(&m->symbols, &c->symbols, err);
}

static int
exact_ground(const struct cscg_candidate *c, struct cscg_model *m,
    struct cscg_err *err)
{
	struct cscg_track_exact_hypothesis h = cscg_track_exact_get(&c->exact,
	    cscg_largest(c->exact.p, 0, c->exact.n));
	double *E = cscg_alloc((size_t)c->n_states * (size_t)c->n_obs,
	    sizeof *E, err);
	int rc = -1;

	if (E) {
		cscg_track_emissions(c->n_states, NULL, c->n_obs, h.symbol,
		    h.state_of, 0, E);
		rc = cscg_model_set_E(m, E, c->n_obs, err);
	}
	free(E);
	return rc < 0 ? -1 : cscg_names_copy(&m->symbols, &c->symbols, err);
}

struct cscg_model *
cscg_candidate_ground(const struct cscg_candidate *c, struct cscg_err *err)
{
	struct cscg_model *m = cscg_model_copy(c->m, err);
	int rc = 0;

	if (m && c->track)
		rc = cscg_track_ground(c->track, m, 0, &c->symbols, err);
	else if (m && c->exact_graph)
		rc = exact_ground(c, m, err);
	else if (m && c->E)
		rc = smoothed_ground(c, m, err);
	if (rc == 0)
		return m;
	cscg_model_free(m);
	return NULL;
}

/*
 * The path of the walk under one hypothesis.
 *
 * The path is decoded with Viterbi on the most likely transitions.  A symbol
 * other than the hypothesis predicts, and a transition that is not the most
 * likely one, cost about as much as in the tracker.
 */

enum { STEPS_MAX = 4096 }; /* steps that are kept */

static const double MISREAD_COST = 9.2, JUMP_COST = 9.2; /* nats */

void
cscg_candidate_path_reset(struct cscg_candidate_path *t)
{
	t->n = t->first = 0;
	t->p = 0;
	t->candidate = NULL;
	t->state = t->origin = -1;
}

void
cscg_candidate_path_free(struct cscg_candidate_path *t)
{
	free(t->a);
	free(t->x);
	free(t->tried);
	free(t->cost);
	free(t->next_cost);
	free(t->back);
	free(t->symbol);
	*t = (struct cscg_candidate_path){ .n = 0 };
}

void
cscg_candidate_path_begin_episode(struct cscg_candidate_path *t)
{
	t->first = t->n;
}

static size_t
pair_index(const struct cscg_candidate_path *t, int j, int a)
{
	return (size_t)j * (size_t)t->n_actions + (size_t)a;
}

bool
cscg_candidate_path_tried(const struct cscg_candidate_path *t, int j, int a)
{
	return t->tried[pair_index(t, j, a)];
}

/* ---- the walk ---- */

/* Append to the walk; a full buffer drops its older half. */
static int
append_step(struct cscg_candidate_path *t, int a, int x, struct cscg_err *err)
{
	long half = STEPS_MAX / 2;

	if (t->n == STEPS_MAX) {
		memmove(t->a, t->a + half, (size_t)half * sizeof *t->a);
		memmove(t->x, t->x + half, (size_t)half * sizeof *t->x);
		t->n = half;
		t->first = t->first > half ? t->first - half : 0;
	}
	if (cscg_grow(&t->a, &t->cap_a, (size_t)t->n + 1, sizeof *t->a, err) <
		0 ||
	    cscg_grow(&t->x, &t->cap_x, (size_t)t->n + 1, sizeof *t->x, err) <
		0)
		return -1;
	t->a[t->n] = a;
	t->x[t->n++] = x;
	return 0;
}

static int
reserve(struct cscg_candidate_path *t, int n, struct cscg_err *err)
{
	size_t S = (size_t)n;

	return cscg_grow(&t->tried, &t->cap_tried, S * (size_t)t->n_actions, 1,
		   err) < 0 ||
		cscg_grow(&t->cost, &t->cap_cost, S, sizeof *t->cost, err) <
		    0 ||
		cscg_grow(&t->next_cost, &t->cap_next_cost, S,
		    sizeof *t->next_cost, err) < 0 ||
		cscg_grow(&t->back, &t->cap_back, S * (size_t)t->n,
		    sizeof *t->back, err) < 0 ?
	    -1 :
	    0;
}

/*
 * Add the cost of observing x in each state; x may be bound to another group.
 */
static void
add_emission_costs(struct cscg_candidate_path *t,
    const struct cscg_candidate_hypothesis *hypothesis, int x)
{
	int n = cscg_candidate_n_states(t->candidate), j, g, symbol;
	int n_groups = hypothesis->symbol ?
	    cscg_candidate_n_groups(t->candidate) :
	    0;
	bool is_bound = false;

	if (x < 0)
		return;
	for (g = 0; g < n_groups && !is_bound; g++)
		is_bound = hypothesis->symbol[g] == x;
	for (j = 0; j < n; j++) {
		symbol = cscg_candidate_symbol(t->candidate, hypothesis, j);
		if (symbol < 0 ? is_bound : symbol != x)
			t->cost[j] += MISREAD_COST;
	}
}

/* Costs of all states at step s, from those before it. */
static void
viterbi_step(struct cscg_candidate_path *t,
    const struct cscg_candidate_hypothesis *hypothesis, long s, int *back)
{
	int n = cscg_candidate_n_states(t->candidate), j, to, least = 0;

	for (j = 1; j < n; j++)
		if (t->cost[j] < t->cost[least])
			least = j;
	for (j = 0; j < n; j++) {
		t->next_cost[j] = t->cost[least] +
		    (t->a[s] < 0 ? 0 : JUMP_COST);
		back[j] = least;
	}
	for (j = 0; j < n && t->a[s] >= 0; j++) {
		to = cscg_candidate_next(t->candidate, j, t->a[s]);
		if (to >= 0 && t->cost[j] < t->next_cost[to]) {
			t->next_cost[to] = t->cost[j];
			back[to] = j;
		}
	}
	memcpy(t->cost, t->next_cost, (size_t)n * sizeof *t->cost);
	add_emission_costs(t, hypothesis, t->x[s]);
}

/* Whether x is the symbol of state j by the hypothesis, not a misread one. */
static bool
agrees(const struct cscg_candidate_path *t,
    const struct cscg_candidate_hypothesis *hypothesis, int j, int x)
{
	int symbol = cscg_candidate_symbol(t->candidate, hypothesis, j);

	return x < 0 || symbol < 0 || symbol == x;
}

/* Decode the walk under this hypothesis, ending in its state. */
static int
viterbi_path(struct cscg_candidate_path *t,
    const struct cscg_candidate_hypothesis *hypothesis, struct cscg_err *err)
{
	int n = cscg_candidate_n_states(t->candidate), j, i, to;
	long s;

	if (reserve(t, n, err) < 0)
		return -1;
	memset(t->tried, 0, (size_t)n * (size_t)t->n_actions);
	memset(t->cost, 0, (size_t)n * sizeof *t->cost);
	add_emission_costs(t, hypothesis, t->x[0]);
	for (s = 1; s < t->n; s++)
		viterbi_step(t, hypothesis, s,
		    t->back + (size_t)s * (size_t)n);
	j = t->origin = t->state;
	for (s = t->n - 1; s > 0; s--) {
		if (s == t->first)
			t->origin = j;
		i = t->back[(size_t)s * (size_t)n + (size_t)j];
		to = t->a[s] < 0 ?
		    -2 :
		    cscg_candidate_next(t->candidate, i, t->a[s]);
		if (to == -1 || (to == j && agrees(t, hypothesis, j, t->x[s])))
			t->tried[pair_index(t, i, t->a[s])] = 1;
		j = i;
	}
	if (t->first == 0)
		t->origin = j;
	/*
	 * Under another binding the states of a schema are other true states:
	 * drop the counts.
	 */
	if (hypothesis->symbol)
		cscg_candidate_clear_counts(t->candidate);
	return 0;
}

/*
 * Whether the binding of a hypothesis has all pairs of the binding that the
 * walk was decoded with: with another pair, the path may differ.
 */
static bool
extends_binding(const struct cscg_candidate_path *t,
    const struct cscg_candidate *candidate,
    const struct cscg_candidate_hypothesis *hypothesis)
{
	int g, n = hypothesis->symbol ? cscg_candidate_n_groups(candidate) : 0;

	for (g = 0; g < n; g++)
		if (t->symbol[g] >= 0 && t->symbol[g] != hypothesis->symbol[g])
			return false;
	return true;
}

static int
keep_binding(struct cscg_candidate_path *t,
    const struct cscg_candidate *candidate,
    const struct cscg_candidate_hypothesis *hypothesis, struct cscg_err *err)
{
	size_t n = hypothesis->symbol ?
	    (size_t)cscg_candidate_n_groups(candidate) :
	    0;

	if (cscg_grow(&t->symbol, &t->cap_symbol, n, sizeof *t->symbol, err) <
	    0)
		return -1;
	if (n)
		memcpy(t->symbol, hypothesis->symbol, n * sizeof *t->symbol);
	return 0;
}

int
cscg_candidate_path_add(struct cscg_candidate_path *t, int a, int x,
    struct cscg_candidate *candidate,
    const struct cscg_candidate_hypothesis *hypothesis, struct cscg_err *err)
{
	int before = t->state;
	bool continues = candidate == t->candidate && a >= 0 && before >= 0 &&
	    extends_binding(t, candidate, hypothesis);
	bool is_predicted = continues &&
	    cscg_candidate_next(candidate, before, a) == hypothesis->state;
	bool is_certain = continues && t->p > .5 && hypothesis->p > .5;

	if (append_step(t, a, x, err) < 0 ||
	    keep_binding(t, candidate, hypothesis, err) < 0)
		return -1;
	t->candidate = candidate;
	t->state = hypothesis->state;
	t->p = hypothesis->p;
	/* A certain state after an unexpected transition needs no decoding. */
	if (!is_predicted && !is_certain)
		return viterbi_path(t, hypothesis, err);
	/* The outcome of an action that the model lacks is not predicted. */
	if ((is_predicted && agrees(t, hypothesis, t->state, x)) ||
	    (is_certain && cscg_candidate_next(candidate, before, a) < 0))
		t->tried[pair_index(t, before, a)] = 1;
	return is_certain ?
	    cscg_candidate_count(candidate, before, a, t->state, x, err) :
	    0;
}

int
cscg_candidate_path_skip(struct cscg_candidate_path *t, int a, int x,
    struct cscg_err *err)
{
	t->candidate = NULL;
	t->state = t->origin = -1;
	return append_step(t, a, x, err);
}

int
cscg_candidate_path_decode(struct cscg_candidate_path *t,
    struct cscg_candidate *candidate,
    const struct cscg_candidate_hypothesis *hypothesis, struct cscg_err *err)
{
	t->candidate = candidate;
	t->state = hypothesis->state;
	t->p = hypothesis->p;
	return keep_binding(t, candidate, hypothesis, err) < 0 ||
		viterbi_path(t, hypothesis, err) < 0 ?
	    -1 :
	    0;
}
