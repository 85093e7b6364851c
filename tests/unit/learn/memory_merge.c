/*
 * memory_merge.c - allocations of state merging and of what follows fail, one at a
 * time
 *
 * The lists of a merge grow in whatever function needs the next item, so walks of
 * many lengths are merged.
 */
#include "fail_alloc.h"
#include "learn/learn.h"
#include "learn/merge.h"
#include "walker.h"

static struct cscg_walk *walk;

static int
end_merge(struct cscg_merge *f, int rc)
{
	fail_value = f ? f->n_states + f->cost : 0;
	cscg_merge_free(f);
	return rc < 0 ? -1 : 0;
}

static int
merge(void)
{
	struct cscg_merge *f = NULL;
	int rc = cscg_merge(walk, 1, NULL, &f, &err);

	return end_merge(f, rc);
}

static int
merge_by_inverses(void)
{
	struct cscg_merge *f = NULL;
	int rc = cscg_merge_by_inverses(walk, 1, NULL, &f, &err);

	return end_merge(f, rc);
}

/* Learning of a walk that merging explains, or from the model before. */
static struct cscg_learn set = { .iterations = 5,
	.restarts = 1,
	.tolerance = 1e-3,
	.pseudocount = 2e-3,
	.seed = 1,
	.threads = 1 };

static int
learn(void)
{
	struct cscg_learn_progress last;
	struct cscg_model *m = cscg_learn(walk, &set, &last, &err);

	fail_value = m ? m->n_states + last.loglik : 0;
	cscg_model_free(m);
	return m ? 0 : -1;
}

static void
test_learning(void)
{
	static const char *const names[] = { "n", "e", "s", "w", NULL };
	struct cscg_room *room = random_symbols(3, 4, 8);
	struct walker how = { .n = 250, .seed = 2 };
	struct cscg_model *m;

	walk = walk_in(room, &how);
	fail_sites("a room learned by merging", learn);
	m = need(cscg_room_model(room, 1, 2e-3, NULL, &err));
	cscg_names_free(&m->actions);
	need(cscg_names_set(&walk->head.actions, names, &err) < 0 ? NULL : m);
	set.init = m;
	fail_sites("a room learned from a model without names", learn);
	cscg_model_free(m);
	cscg_walk_free(walk);
	cscg_room_free(room);
}

int
main(void)
{
	struct walker how = { .n = 20 };
	char name[60];

	for (how.seed = 1; how.seed < 80; how.seed++, how.n += how.n / 16) {
		struct cscg_room *room = random_symbols(3 + (int)how.seed % 3,
		    4, 2 + (int)how.seed % 4);

		how.slip = how.seed % 5 ? 0 : .02;
		walk = walk_in(room, &how);
		snprintf(name, sizeof name, "%ld steps", (long)how.n);
		fail_sites(name, merge);
		snprintf(name, sizeof name, "%ld steps, by inverse actions",
		    (long)how.n);
		fail_sites(name, merge_by_inverses);
		cscg_walk_free(walk);
		cscg_room_free(room);
	}
	test_learning();
	return done();
}
