/*
 * trail.c - where a walk leads on one explanation of it
 *
 * The likeliest path is Viterbi's, on likeliest moves: what does not look as
 * the guess has it, and what no move explains, costs about as much as it does
 * in the tracker.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/trail.h"

enum { STEPS_MAX = 4096 };	/* steps that are kept */

static const double MISREAD_COST = 9.2, JUMP_COST = 9.2;	/* nats */

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
	free(t->distance);
	free(t->via_action);
	free(t->previous);
	free(t->queue);
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

/* Append to the walk; what is too long ago is forgotten by halves. */
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
	if (cscg_grow(&t->a, &t->cap_a, (size_t)t->n + 1, sizeof *t->a,
	    err) < 0 || cscg_grow(&t->x, &t->cap_x, (size_t)t->n + 1,
	    sizeof *t->x, err) < 0)
		return -1;
	t->a[t->n] = a;
	t->x[t->n++] = x;
	return 0;
}

static int
reserve(struct cscg_candidate_path *t, int n, struct cscg_err *err)
{
	size_t S = (size_t)n;

	return cscg_grow(&t->tried, &t->cap_tried, S * (size_t)t->n_actions,
	    1, err) < 0 ||
	    cscg_grow(&t->cost, &t->cap_cost, S, sizeof *t->cost, err) < 0 ||
	    cscg_grow(&t->next_cost, &t->cap_next_cost, S, sizeof *t->next_cost,
	    err) < 0 ||
	    cscg_grow(&t->back, &t->cap_back, S * (size_t)t->n,
	    sizeof *t->back, err) < 0 ||
	    cscg_grow(&t->distance, &t->cap_distance, S, sizeof *t->distance, err) < 0 ||
	    cscg_grow(&t->via_action, &t->cap_via_action, S, sizeof *t->via_action, err) < 0 ||
	    cscg_grow(&t->previous, &t->cap_previous, S, sizeof *t->previous, err) < 0 ||
	    cscg_grow(&t->queue, &t->cap_queue, S, sizeof *t->queue,
	    err) < 0 ||
	    cscg_grow(&t->plan, &t->cap_plan, S, sizeof *t->plan, err) < 0 ?
	    -1 : 0;
}

/* What it costs that state j shows x. */
static double
emission_cost(const struct cscg_candidate_path *t, const struct cscg_candidate_hypothesis *hypothesis, int j,
    int x)
{
	int symbol = x < 0 ? -1 : cscg_candidate_symbol(t->candidate, hypothesis, j);

	return symbol < 0 || symbol == x ? 0 : MISREAD_COST;
}

/* Costs of all states at step s, from those before it. */
static void
viterbi_step(struct cscg_candidate_path *t, const struct cscg_candidate_hypothesis *hypothesis, long s, int *back)
{
	int n = cscg_candidate_n_states(t->candidate), j, to, least = 0;

	for (j = 1; j < n; j++)
		if (t->cost[j] < t->cost[least])
			least = j;
	for (j = 0; j < n; j++) {
		t->next_cost[j] = t->cost[least] + (t->a[s] < 0 ? 0 : JUMP_COST);
		back[j] = least;
	}
	for (j = 0; j < n && t->a[s] >= 0; j++) {
		to = cscg_candidate_next(t->candidate, j, t->a[s]);
		if (to >= 0 && t->cost[j] < t->next_cost[to]) {
			t->next_cost[to] = t->cost[j];
			back[to] = j;
		}
	}
	for (j = 0; j < n; j++)
		t->cost[j] = t->next_cost[j] + emission_cost(t, hypothesis, j, t->x[s]);
}

/* Lay the walk onto this guess, so that it ends where that is. */
static int
viterbi_path(struct cscg_candidate_path *t, const struct cscg_candidate_hypothesis *hypothesis,
    struct cscg_err *err)
{
	int n = cscg_candidate_n_states(t->candidate), j, i;
	long s;

	if (reserve(t, n, err) < 0)
		return -1;
	memset(t->tried, 0, (size_t)n * (size_t)t->n_actions);
	for (j = 0; j < n; j++)
		t->cost[j] = emission_cost(t, hypothesis, j, t->x[0]);
	for (s = 1; s < t->n; s++)
		viterbi_step(t, hypothesis, s, t->back + (size_t)s * (size_t)n);
	j = t->origin = t->state;
	for (s = t->n - 1; s > 0; s--) {
		if (s == t->first)
			t->origin = j;
		i = t->back[(size_t)s * (size_t)n + (size_t)j];
		if (t->a[s] >= 0 && cscg_candidate_next(t->candidate, i, t->a[s]) == j)
			t->tried[pair_index(t, i, t->a[s])] = 1;
		j = i;
	}
	if (t->first == 0)
		t->origin = j;
	return 0;
}

int
cscg_candidate_path_add(struct cscg_candidate_path *t, int a, int x,
    const struct cscg_candidate *candidate, const struct cscg_candidate_hypothesis *hypothesis,
    struct cscg_err *err)
{
	int before = t->state;
	bool is_extension = candidate == t->candidate && a >= 0 && before >= 0 &&
	    cscg_candidate_next(candidate, before, a) == hypothesis->state;

	if (append_step(t, a, x, err) < 0)
		return -1;
	t->candidate = candidate;
	t->state = hypothesis->state;
	if (!is_extension)
		return viterbi_path(t, hypothesis, err);
	t->tried[pair_index(t, before, a)] = 1;
	return 0;
}

/* ---- ways ---- */

void
cscg_candidate_path_search(struct cscg_candidate_path *t, int first_action)
{
	int n = cscg_candidate_n_states(t->candidate), head = 0, tail = 0, i, a, j, to;

	for (j = 0; j < n; j++)
		t->distance[j] = -1;
	t->distance[t->state] = 0;
	t->queue[tail++] = t->state;
	while (head < tail) {
		j = t->queue[head++];
		for (i = 0; i < t->n_actions; i++) {
			a = (first_action + i) % t->n_actions;
			to = a == t->stationary ? -1 : cscg_candidate_next(t->candidate, j, a);
			if (to < 0 || t->distance[to] >= 0)
				continue;
			t->distance[to] = t->distance[j] + 1;
			t->previous[to] = j;
			t->via_action[to] = a;
			t->queue[tail++] = to;
		}
	}
}

int
cscg_candidate_path_actions(struct cscg_candidate_path *t, int j)
{
	int i, n = t->distance[j];

	for (i = n - 1; i >= 0; i--) {
		t->plan[i] = t->via_action[j];
		j = t->previous[j];
	}
	return n;
}
