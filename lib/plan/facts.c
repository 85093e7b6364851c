/* facts.c - what each action did after each symbol */
#include <stdlib.h>

#include "plan/facts.h"
#include "base/mem.h"

int
cscg_transitions_seen_init(struct cscg_transitions_seen *f, int n_obs, int n_actions,
    struct cscg_err *err)
{
	size_t n = (size_t)n_obs, actions = (size_t)n_actions;
	int a;

	*f = (struct cscg_transitions_seen){ .n_obs = n_obs, .n_actions = n_actions };
	/* 10^7 symbols of 10^4 actions at most: no overflow in size_t. */
	f->next = cscg_alloc(n * actions, sizeof *f->next, err);
	f->tried = cscg_alloc(n * actions, 1, err);
	f->inverse = cscg_alloc(actions, sizeof *f->inverse, err);
	f->distance = cscg_alloc(n, sizeof *f->distance, err);
	f->first_action = cscg_alloc(n, sizeof *f->first_action, err);
	f->queue = cscg_alloc(n, sizeof *f->queue, err);
	if (!f->next || !f->tried || !f->inverse || !f->distance || !f->first_action ||
	    !f->queue) {
		cscg_transitions_seen_free(f);
		return -1;
	}
	for (a = 0; a < n_actions; a++)
		f->inverse[a] = -1;
	cscg_transitions_seen_clear(f);
	return 0;
}

void
cscg_transitions_seen_free(struct cscg_transitions_seen *f)
{
	free(f->next);
	free(f->tried);
	free(f->inverse);
	free(f->distance);
	free(f->first_action);
	free(f->queue);
	*f = (struct cscg_transitions_seen){ 0 };
}

void
cscg_transitions_seen_set_inverse(struct cscg_transitions_seen *f, int a, int b)
{
	f->inverse[a] = b;
	f->inverse[b] = a;
}

void
cscg_transitions_seen_clear(struct cscg_transitions_seen *f)
{
	size_t i, n = (size_t)f->n_obs * (size_t)f->n_actions;

	for (i = 0; i < n; i++) {
		f->next[i] = -1;
		f->tried[i] = 0;
	}
}

bool
cscg_transitions_seen_drop_inferred(struct cscg_transitions_seen *f)
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
		f->inverse[a] = -1;
	return any;
}

static size_t
pair_index(const struct cscg_transitions_seen *f, int x, int a)
{
	return (size_t)x * (size_t)f->n_actions + (size_t)a;
}

void
cscg_transitions_seen_add(struct cscg_transitions_seen *f, int x, int a, int y)
{
	size_t i = pair_index(f, x, a);

	f->next[i] = y;
	f->tried[i] = 1;
	if (f->inverse[a] < 0)
		return;
	i = pair_index(f, y, f->inverse[a]);
	if (!f->tried[i])
		f->next[i] = x;
}

int
cscg_transitions_seen_next(const struct cscg_transitions_seen *f, int x, int a)
{
	return f->next[pair_index(f, x, a)];
}

void
cscg_transitions_seen_search(struct cscg_transitions_seen *f, int x)
{
	int head = 0, a, y, z;

	for (y = 0; y < f->n_obs; y++)
		f->distance[y] = f->first_action[y] = -1;
	f->distance[x] = 0;
	f->queue[0] = x;
	f->n_reached = 1;
	while (head < f->n_reached) {
		z = f->queue[head++];
		for (a = 0; a < f->n_actions; a++) {
			y = f->next[pair_index(f, z, a)];
			if (y < 0 || f->distance[y] >= 0)
				continue;
			f->distance[y] = f->distance[z] + 1;
			f->first_action[y] = z == x ? a : f->first_action[z];
			f->queue[f->n_reached++] = y;
		}
	}
}

int
cscg_transitions_seen_untried(const struct cscg_transitions_seen *f, int stationary, int *x, int *a)
{
	int i, b, z, found = -1;

	for (i = 0; i < f->n_reached; i++) {
		z = f->queue[i];
		if (found >= 0 && f->distance[z] > found)
			break;
		for (b = 0; b < f->n_actions; b++) {
			if (b == stationary || f->next[pair_index(f, z, b)] >= 0 ||
			    (found >= 0 && f->inverse[b] < 0))
				continue;
			*x = z;
			*a = b;
			found = f->distance[z];
			if (f->inverse[b] >= 0)
				return found;
		}
	}
	return found;
}
