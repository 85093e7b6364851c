/*
 * candidate.c - candidate explanations of a world: schema tracker or grounded
 * filter
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/walk.h"
#include "kernel/plan_graph.h"
#include "plan/candidate.h"
#include "plan/knowledge.h"

/* As those of track.h. */
static const double JUMP_DEFAULT = 1e-2, REBIND_DEFAULT = 1e-4;

/*
 * Factor of a schema's jump probability when candidates are compared.  The
 * environment may have another size than the right schema; a wrong schema in
 * which one length happens to fit must not win by that alone.
 */
static const double JUMP_FACTOR = 10;

struct cscg_candidate {
	const struct cscg_model *m;
	struct cscg_names symbols;      /* of the environment */
	int n_states, n_actions, n_obs; /* actions, symbols: environment's */
	int *to_model;                  /* [n_actions] or -1 */
	int *to; /* [n_actions * n_states] most likely successor or -1 */
	long n_steps, n_starts; /* steps; starts of episodes and resets */

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
	struct cscg_alphabet_map fit;
	double jump, rebind, slip;
	double *belief, *predicted; /* [n_states] P(state | observations) */
	int *symbol; /* [n_states] as cscg_candidate_symbol() gives it */
	double score;
};

/* ---- construction ---- */

bool
cscg_candidate_is_grounded(const struct cscg_candidate *c)
{
	return c->m->kind == CSCG_GROUNDED;
}

/* Map the actions by means of a temporary cscg_knowledge. */
static int
set_actions(struct cscg_candidate *c, const struct cscg_env_header *world,
    struct cscg_err *err)
{
	struct cscg_knowledge_options set = { .model = c->m,
		.stationary = world->collect };
	struct cscg_knowledge *knowledge;
	int a;

	c->to_model = cscg_alloc((size_t)c->n_actions, sizeof *c->to_model,
	    err);
	if (!c->to_model)
		return -1;
	cscg_knowledge_defaults(&set);
	knowledge = cscg_knowledge_new(&world->head, &set, err);
	if (!knowledge)
		return -1;
	for (a = 0; a < c->n_actions; a++)
		c->to_model[a] = -1;
	for (a = 0; a < c->m->n_actions; a++)
		c->to_model[cscg_knowledge_action(knowledge, a)] = a;
	cscg_knowledge_free(knowledge);
	return 0;
}

static int
set_successors(struct cscg_candidate *c, struct cscg_err *err)
{
	int a, j, b, n = c->n_states;

	c->to = cscg_alloc((size_t)n * (size_t)c->n_actions, sizeof *c->to,
	    err);
	if (!c->to)
		return -1;
	for (a = 0; a < c->n_actions; a++)
		for (j = 0; j < n; j++) {
			b = c->to_model[a];
			c->to[(size_t)a * (size_t)n + (size_t)j] = b < 0 ? j :
			    c->graph ? cscg_plan_graph_next(c->graph, b, j) :
				       cscg_track_next(c->tables, j, b);
		}
	return 0;
}

static int
set_schema(struct cscg_candidate *c, const struct cscg_track_options *set,
    double min_slip, struct cscg_err *err)
{
	struct cscg_track_options options = *set;

	options.jump = JUMP_FACTOR *
	    (set->jump > 0 ? set->jump : JUMP_DEFAULT);
	options.slip = fmax(set->slip, min_slip);
	c->tables = cscg_track_tables_new(c->m, &options, err);
	if (c->tables)
		c->strict_tables = cscg_track_tables_new(c->m, set, err);
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
		y = c->fit.symbols[x];
		if (y >= 0 && cscg_model_E(c->m, j, y) > .5)
			return x;
	}
	return -1 - (c->m->clone ? c->m->clone[j] : j);
}

static int
set_grounded(struct cscg_candidate *c, const struct cscg_env_header *world,
    const struct cscg_track_options *set, struct cscg_err *err)
{
	struct cscg_walk_header head = world->head;
	size_t n = (size_t)c->n_states;
	int j;

	/* Map symbols only: set_actions() has mapped the actions. */
	head.n_actions = c->m->n_actions;
	head.actions = c->m->actions;
	c->jump = set->jump > 0 ? set->jump : JUMP_DEFAULT;
	c->rebind = set->rebind > 0 ? set->rebind : REBIND_DEFAULT;
	c->slip = set->slip;
	c->graph = cscg_plan_graph_new(c->m, 0, err);
	c->belief = cscg_alloc(n, sizeof *c->belief, err);
	c->predicted = cscg_alloc(n, sizeof *c->predicted, err);
	c->symbol = cscg_alloc(n, sizeof *c->symbol, err);
	if (!c->graph || !c->belief || !c->predicted || !c->symbol ||
	    cscg_alphabet_map_new(&c->fit, &head, c->m, err) < 0)
		return -1;
	c->fit.head = NULL; /* only the numbers are needed */
	for (j = 0; j < c->n_states; j++)
		c->symbol[j] = grounded_symbol(c, j);
	return 0;
}

struct cscg_candidate *
cscg_candidate_new(const struct cscg_env_header *world,
    const struct cscg_model *m, const struct cscg_track_options *set,
    double min_slip, struct cscg_err *err)
{
	struct cscg_candidate *c = cscg_alloc(1, sizeof *c, err);

	if (!c)
		return NULL;
	c->m = m;
	c->n_states = m->n_states;
	c->n_actions = world->head.n_actions;
	c->n_obs = world->head.n_obs;
	if (set_actions(c, world, err) < 0 ||
	    (cscg_candidate_is_grounded(c) ?
		    set_grounded(c, world, set, err) :
		    set_schema(c, set, min_slip, err)) < 0 ||
	    set_successors(c, err) < 0 ||
	    cscg_names_copy(&c->symbols, &world->head.symbols, err) < 0) {
		cscg_candidate_free(c);
		return NULL;
	}
	cscg_candidate_reset(c);
	return c;
}

void
cscg_candidate_free(struct cscg_candidate *c)
{
	if (!c)
		return;
	cscg_names_free(&c->symbols);
	free(c->to_model);
	free(c->to);
	cscg_track_free(c->track);
	cscg_track_free(c->strict);
	cscg_track_tables_free(c->tables);
	cscg_track_tables_free(c->strict_tables);
	free(c->seen);
	cscg_plan_graph_free(c->graph);
	cscg_alphabet_map_free(&c->fit);
	free(c->belief);
	free(c->predicted);
	free(c->symbol);
	free(c);
}

/* ---- observations ---- */

void
cscg_candidate_reset(struct cscg_candidate *c)
{
	c->score = c->new_symbols_loglik = 0;
	c->n_symbols = 0;
	c->n_steps = c->n_starts = 0;
	if (c->track) {
		cscg_track_reset(c->track);
		cscg_track_reset(c->strict);
		memset(c->seen, 0, (size_t)c->n_obs);
	}
}

static int
schema_observe(struct cscg_candidate *c, int a, int x, struct cscg_err *err)
{
	if (x >= 0 && !c->seen[x]) {
		c->new_symbols_loglik -= log(c->n_obs - c->n_symbols++);
		c->seen[x] = 1;
	}
	return cscg_track_step(c->track, a, x, err) < 0 ||
		cscg_track_step(c->strict, a, x, err) < 0 ?
	    -1 :
	    0;
}

/* Add share * T_a^T belief; states without a transition keep theirs. */
static void
push_belief(struct cscg_candidate *c, int a, double share)
{
	const struct cscg_plan_graph *graph = c->graph;
	int j, n = c->n_states;
	long i, row;

	for (j = 0; j < n; j++) {
		row = (long)a * n + j;
		if (graph->first[row] == graph->first[row + 1])
			c->predicted[j] += share * c->belief[j];
		for (i = graph->first[row]; i < graph->first[row + 1]; i++)
			c->predicted[graph->to[i]] += share * c->belief[j] *
			    graph->p[i];
	}
}

/* Predict the belief after action a, with jump and slip as in track.h. */
static void
predict(struct cscg_candidate *c, int a)
{
	int j, b, n = c->n_states, A = c->m->n_actions;
	double uniform = 1.0 / n;

	for (j = 0; j < n; j++)
		c->predicted[j] = a < 0 ?
		    uniform :
		    c->jump * uniform + c->slip / 2 * c->belief[j];
	if (a < 0)
		return;
	push_belief(c, a, 1 - c->slip);
	for (b = 0; b < A && c->slip > 0; b++)
		if (b != a)
			push_belief(c, b, c->slip / 2 / (A - 1));
}

/*
 * Filter step.  As in a tracker, rebind is added to E without rescaling, so
 * that an expected symbol costs nothing.
 */
static void
grounded_observe(struct cscg_candidate *c, int a, int x)
{
	int j, y = x < 0 ? -1 : c->fit.symbols[x];
	double sum = 0;

	predict(c, c->n_steps ? a : -1);
	if (y == -2) {
		c->score = -INFINITY;
		y = -1;
	}
	for (j = 0; j < c->n_states; j++) {
		c->belief[j] = c->predicted[j] *
		    (y < 0 ? 1 :
			     c->rebind / c->n_obs + cscg_model_E(c->m, j, y));
		sum += c->belief[j];
	}
	for (j = 0; j < c->n_states; j++)
		c->belief[j] /= sum;
	if (y >= 0)
		c->score += log(sum);
}

int
cscg_candidate_observe(struct cscg_candidate *c, int a, int x,
    struct cscg_err *err)
{
	int rc = 0;

	a = a < 0 ? -1 : c->to_model[a];
	if (c->track)
		rc = schema_observe(c, a, x, err);
	else
		grounded_observe(c, a, x);
	c->n_starts += a < 0;
	c->n_steps++;
	return rc;
}

/* ---- queries ---- */

double
cscg_candidate_loglik(const struct cscg_candidate *c)
{
	return c->track ? cscg_track_score(c->track) + c->new_symbols_loglik :
			  c->score;
}

double
cscg_candidate_novelty(const struct cscg_candidate *c,
    const struct cscg_novelty *novelty, int i, enum cscg_novelty_class *kind)
{
	double margin = cscg_novelty_margin(novelty, i,
	    c->track ? cscg_track_score(c->strict) : c->score, c->n_starts);

	*kind = cscg_novelty_classify(novelty, i, margin, c->n_steps);
	return margin;
}

int
cscg_candidate_n_states(const struct cscg_candidate *c)
{
	return c->n_states;
}

const struct cscg_track *
cscg_candidate_track(const struct cscg_candidate *c)
{
	return c->track;
}

/* The likeliest states, by insertion, since max is small. */
static int
top_states(const struct cscg_candidate *c,
    struct cscg_candidate_hypothesis *hypothesis, int max)
{
	int j, i, n = 0;

	for (j = 0; j < c->n_states; j++) {
		if (n == max && c->belief[j] <= hypothesis[n - 1].p)
			continue;
		n += n < max;
		for (i = n - 1; i > 0 && hypothesis[i - 1].p < c->belief[j];
		     i--)
			hypothesis[i] = hypothesis[i - 1];
		hypothesis[i] = (struct cscg_candidate_hypothesis){
			c->belief[j], j, NULL
		};
	}
	return n;
}

int
cscg_candidate_top(const struct cscg_candidate *c,
    struct cscg_candidate_hypothesis *hypothesis, int max)
{
	int i, n;

	if (!c->track)
		return top_states(c, hypothesis, max);
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

	if (!c->track)
		return c->symbol[j];
	g = cscg_track_group(c->tables, j);
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

/* ---- a model ---- */

struct cscg_model *
cscg_candidate_ground(const struct cscg_candidate *c, struct cscg_err *err)
{
	struct cscg_model *m = cscg_model_copy(c->m, err);

	if (!m || !c->track ||
	    cscg_track_ground(c->track, m, 0, &c->symbols, err) == 0)
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
	cscg_bfs_free(&t->search);
	free(t->plan);
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
		    sizeof *t->back, err) < 0 ||
		cscg_bfs_fit(&t->search, n, err) < 0 ||
		cscg_grow(&t->plan, &t->cap_plan, S, sizeof *t->plan, err) <
		    0 ?
	    -1 :
	    0;
}

/* Add the cost of observing x in each state; x may be bound elsewhere. */
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

/* Decode the walk under this hypothesis, ending in its state. */
static int
viterbi_path(struct cscg_candidate_path *t,
    const struct cscg_candidate_hypothesis *hypothesis, struct cscg_err *err)
{
	int n = cscg_candidate_n_states(t->candidate), j, i;
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
		if (t->a[s] >= 0 &&
		    cscg_candidate_next(t->candidate, i, t->a[s]) == j)
			t->tried[pair_index(t, i, t->a[s])] = 1;
		j = i;
	}
	if (t->first == 0)
		t->origin = j;
	return 0;
}

/*
 * Whether the binding of a hypothesis has all pairs of the binding that the
 * walk was decoded with: with another pair, the path may be another one.
 */
static bool
extends_binding(const struct cscg_candidate_path *t,
    const struct cscg_candidate *candidate,
    const struct cscg_candidate_hypothesis *hypothesis)
{
	int g, n = hypothesis->symbol ? cscg_candidate_n_groups(candidate) : 0;

	for (g = 0; g < n; g++)
		if (t->symbol[g] >= 0 &&
		    t->symbol[g] != hypothesis->symbol[g])
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
    const struct cscg_candidate *candidate,
    const struct cscg_candidate_hypothesis *hypothesis, struct cscg_err *err)
{
	int before = t->state;
	bool is_extension = candidate == t->candidate && a >= 0 &&
	    before >= 0 &&
	    cscg_candidate_next(candidate, before, a) == hypothesis->state &&
	    extends_binding(t, candidate, hypothesis);

	if (append_step(t, a, x, err) < 0 ||
	    keep_binding(t, candidate, hypothesis, err) < 0)
		return -1;
	t->candidate = candidate;
	t->state = hypothesis->state;
	if (!is_extension)
		return viterbi_path(t, hypothesis, err);
	t->tried[pair_index(t, before, a)] = 1;
	return 0;
}

/* ---- shortest paths ---- */

void
cscg_candidate_path_search(struct cscg_candidate_path *t, int first_action)
{
	int i, a, j, to;

	cscg_bfs_clear(&t->search);
	cscg_bfs_reach(&t->search, t->state, -1, -1);
	while ((j = cscg_bfs_next(&t->search)) >= 0)
		for (i = 0; i < t->n_actions; i++) {
			a = (first_action + i) % t->n_actions;
			to = a == t->stationary ?
			    -1 :
			    cscg_candidate_next(t->candidate, j, a);
			if (to >= 0)
				cscg_bfs_reach(&t->search, to, j, a);
		}
}

int
cscg_candidate_path_actions(struct cscg_candidate_path *t, int j)
{
	return cscg_bfs_path(&t->search, j, t->plan);
}
