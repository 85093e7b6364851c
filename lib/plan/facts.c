/* facts.c - what each action did after each symbol */
#include <stdlib.h>

#include "plan/facts.h"
#include "base/mem.h"

int
cscg_facts_init(struct cscg_facts *f, int n_obs, int n_actions,
    struct cscg_err *err)
{
	size_t n = (size_t)n_obs, actions = (size_t)n_actions;
	int a;

	*f = (struct cscg_facts){ .n_obs = n_obs, .n_actions = n_actions };
	/* 10^7 symbols of 10^4 actions at most: no overflow in size_t. */
	f->next = cscg_alloc(n * actions, sizeof *f->next, err);
	f->tried = cscg_alloc(n * actions, 1, err);
	f->undo = cscg_alloc(actions, sizeof *f->undo, err);
	f->moves = cscg_alloc(n, sizeof *f->moves, err);
	f->by = cscg_alloc(n, sizeof *f->by, err);
	f->queue = cscg_alloc(n, sizeof *f->queue, err);
	if (!f->next || !f->tried || !f->undo || !f->moves || !f->by ||
	    !f->queue) {
		cscg_facts_free(f);
		return -1;
	}
	for (a = 0; a < n_actions; a++)
		f->undo[a] = -1;
	cscg_facts_forget(f);
	return 0;
}

void
cscg_facts_free(struct cscg_facts *f)
{
	free(f->next);
	free(f->tried);
	free(f->undo);
	free(f->moves);
	free(f->by);
	free(f->queue);
	*f = (struct cscg_facts){ 0 };
}

void
cscg_facts_pair(struct cscg_facts *f, int a, int b)
{
	f->undo[a] = b;
	f->undo[b] = a;
}

void
cscg_facts_forget(struct cscg_facts *f)
{
	size_t i, n = (size_t)f->n_obs * (size_t)f->n_actions;

	for (i = 0; i < n; i++) {
		f->next[i] = -1;
		f->tried[i] = 0;
	}
}

bool
cscg_facts_doubt(struct cscg_facts *f)
{
	size_t i, n = (size_t)f->n_obs * (size_t)f->n_actions;
	bool any = false;
	int a;

	for (i = 0; i < n; i++) {
		if (f->tried[i] || f->next[i] < 0)
			continue;
		f->next[i] = -1;
		any = true;
	}
	for (a = 0; a < f->n_actions; a++)
		f->undo[a] = -1;
	return any;
}

static size_t
place(const struct cscg_facts *f, int x, int a)
{
	return (size_t)x * (size_t)f->n_actions + (size_t)a;
}

void
cscg_facts_add(struct cscg_facts *f, int x, int a, int y)
{
	size_t i = place(f, x, a);

	f->next[i] = y;
	f->tried[i] = 1;
	if (f->undo[a] < 0)
		return;
	i = place(f, y, f->undo[a]);
	if (!f->tried[i])
		f->next[i] = x;
}

int
cscg_facts_next(const struct cscg_facts *f, int x, int a)
{
	return f->next[place(f, x, a)];
}

void
cscg_facts_search(struct cscg_facts *f, int x)
{
	int head = 0, a, y, z;

	for (y = 0; y < f->n_obs; y++)
		f->moves[y] = f->by[y] = -1;
	f->moves[x] = 0;
	f->queue[0] = x;
	f->n_found = 1;
	while (head < f->n_found) {
		z = f->queue[head++];
		for (a = 0; a < f->n_actions; a++) {
			y = f->next[place(f, z, a)];
			if (y < 0 || f->moves[y] >= 0)
				continue;
			f->moves[y] = f->moves[z] + 1;
			f->by[y] = z == x ? a : f->by[z];
			f->queue[f->n_found++] = y;
		}
	}
}

int
cscg_facts_untried(const struct cscg_facts *f, int apart, int *x, int *a)
{
	int i, b, z, found = -1;

	for (i = 0; i < f->n_found; i++) {
		z = f->queue[i];
		if (found >= 0 && f->moves[z] > found)
			break;
		for (b = 0; b < f->n_actions; b++) {
			if (b == apart || f->next[place(f, z, b)] >= 0 ||
			    (found >= 0 && f->undo[b] < 0))
				continue;
			*x = z;
			*a = b;
			found = f->moves[z];
			if (f->undo[b] >= 0)
				return found;
		}
	}
	return found;
}
