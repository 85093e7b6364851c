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

enum { LONGEST = 4096 };	/* steps that are kept */

static const double WRONG = 9.2, JUMP = 9.2;	/* nats */

void
cscg_trail_begin(struct cscg_trail *t)
{
	t->n = t->first = 0;
	t->rival = NULL;
	t->state = t->origin = -1;
}

void
cscg_trail_free(struct cscg_trail *t)
{
	free(t->a);
	free(t->x);
	free(t->tried);
	free(t->cost);
	free(t->costs);
	free(t->back);
	free(t->far);
	free(t->by);
	free(t->from);
	free(t->queue);
	free(t->plan);
	*t = (struct cscg_trail){ .n = 0 };
}

void
cscg_trail_mark(struct cscg_trail *t)
{
	t->first = t->n;
}

static size_t
place(const struct cscg_trail *t, int j, int a)
{
	return (size_t)j * (size_t)t->n_actions + (size_t)a;
}

bool
cscg_trail_tried(const struct cscg_trail *t, int j, int a)
{
	return t->tried[place(t, j, a)];
}

/* ---- the walk ---- */

/* Append to the walk; what is too long ago is forgotten by halves. */
static int
note(struct cscg_trail *t, int a, int x, struct cscg_err *err)
{
	long half = LONGEST / 2;

	if (t->n == LONGEST) {
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
fit(struct cscg_trail *t, int n, struct cscg_err *err)
{
	size_t S = (size_t)n;

	return cscg_grow(&t->tried, &t->cap_tried, S * (size_t)t->n_actions,
	    1, err) < 0 ||
	    cscg_grow(&t->cost, &t->cap_cost, S, sizeof *t->cost, err) < 0 ||
	    cscg_grow(&t->costs, &t->cap_costs, S, sizeof *t->costs,
	    err) < 0 ||
	    cscg_grow(&t->back, &t->cap_back, S * (size_t)t->n,
	    sizeof *t->back, err) < 0 ||
	    cscg_grow(&t->far, &t->cap_far, S, sizeof *t->far, err) < 0 ||
	    cscg_grow(&t->by, &t->cap_by, S, sizeof *t->by, err) < 0 ||
	    cscg_grow(&t->from, &t->cap_from, S, sizeof *t->from, err) < 0 ||
	    cscg_grow(&t->queue, &t->cap_queue, S, sizeof *t->queue,
	    err) < 0 ||
	    cscg_grow(&t->plan, &t->cap_plan, S, sizeof *t->plan, err) < 0 ?
	    -1 : 0;
}

/* What it costs that state j shows x. */
static double
misfit(const struct cscg_trail *t, const struct cscg_guess *guess, int j,
    int x)
{
	int look = x < 0 ? -1 : cscg_rival_look(t->rival, guess, j);

	return look < 0 || look == x ? 0 : WRONG;
}

/* Costs of all states at step s, from those before it. */
static void
step(struct cscg_trail *t, const struct cscg_guess *guess, long s, int *back)
{
	int n = cscg_rival_states(t->rival), j, to, low = 0;

	for (j = 1; j < n; j++)
		if (t->cost[j] < t->cost[low])
			low = j;
	for (j = 0; j < n; j++) {
		t->costs[j] = t->cost[low] + (t->a[s] < 0 ? 0 : JUMP);
		back[j] = low;
	}
	for (j = 0; j < n && t->a[s] >= 0; j++) {
		to = cscg_rival_to(t->rival, j, t->a[s]);
		if (to >= 0 && t->cost[j] < t->costs[to]) {
			t->costs[to] = t->cost[j];
			back[to] = j;
		}
	}
	for (j = 0; j < n; j++)
		t->cost[j] = t->costs[j] + misfit(t, guess, j, t->x[s]);
}

/* Lay the walk onto this guess, so that it ends where that is. */
static int
lay(struct cscg_trail *t, const struct cscg_guess *guess,
    struct cscg_err *err)
{
	int n = cscg_rival_states(t->rival), j, i;
	long s;

	if (fit(t, n, err) < 0)
		return -1;
	memset(t->tried, 0, (size_t)n * (size_t)t->n_actions);
	for (j = 0; j < n; j++)
		t->cost[j] = misfit(t, guess, j, t->x[0]);
	for (s = 1; s < t->n; s++)
		step(t, guess, s, t->back + (size_t)s * (size_t)n);
	j = t->origin = t->state;
	for (s = t->n - 1; s > 0; s--) {
		if (s == t->first)
			t->origin = j;
		i = t->back[(size_t)s * (size_t)n + (size_t)j];
		if (t->a[s] >= 0 && cscg_rival_to(t->rival, i, t->a[s]) == j)
			t->tried[place(t, i, t->a[s])] = 1;
		j = i;
	}
	if (t->first == 0)
		t->origin = j;
	return 0;
}

int
cscg_trail_add(struct cscg_trail *t, int a, int x,
    const struct cscg_rival *rival, const struct cscg_guess *guess,
    struct cscg_err *err)
{
	int before = t->state;
	bool same = rival == t->rival && a >= 0 && before >= 0 &&
	    cscg_rival_to(rival, before, a) == guess->state;

	if (note(t, a, x, err) < 0)
		return -1;
	t->rival = rival;
	t->state = guess->state;
	if (!same)
		return lay(t, guess, err);
	t->tried[place(t, before, a)] = 1;
	return 0;
}

/* ---- ways ---- */

void
cscg_trail_search(struct cscg_trail *t, int turn)
{
	int n = cscg_rival_states(t->rival), head = 0, tail = 0, i, a, j, to;

	for (j = 0; j < n; j++)
		t->far[j] = -1;
	t->far[t->state] = 0;
	t->queue[tail++] = t->state;
	while (head < tail) {
		j = t->queue[head++];
		for (i = 0; i < t->n_actions; i++) {
			a = (turn + i) % t->n_actions;
			to = a == t->apart ? -1 : cscg_rival_to(t->rival, j, a);
			if (to < 0 || t->far[to] >= 0)
				continue;
			t->far[to] = t->far[j] + 1;
			t->from[to] = j;
			t->by[to] = a;
			t->queue[tail++] = to;
		}
	}
}

int
cscg_trail_way(struct cscg_trail *t, int j)
{
	int i, n = t->far[j];

	for (i = n - 1; i >= 0; i--) {
		t->plan[i] = t->by[j];
		j = t->from[j];
	}
	return n;
}
