/*
 * agent_inform.c - agent that explores an unknown deterministic environment
 * while it collects rewards
 */
#include <stdlib.h>

#include "plan/agent_inform.h"
#include "plan/explore.h"
#include "base/mem.h"

enum { DETOUR_DEFAULT = 3 };

struct informed_agent {
	struct cscg_agent base; /* first member */
	struct cscg_agent_informed_options set;
	struct cscg_walk_header head; /* the environment's names */
	struct cscg_transitions_seen transitions;
};

static struct informed_agent *
informed_self(struct cscg_agent *base)
{
	return (struct informed_agent *)base;
}

static int
begin(struct cscg_agent *base, long episode, struct cscg_err *err)
{
	struct informed_agent *g = informed_self(base);

	(void)episode;
	(void)err;
	if (g->set.new_world)
		cscg_transitions_seen_clear(&g->transitions);
	return 0;
}

static int
observe(struct cscg_agent *base, int before, int a, struct cscg_err *err)
{
	(void)err;
	if (a >= 0)
		cscg_transitions_seen_add(&informed_self(base)->transitions,
		    before, a, base->x);
	return 0;
}

static int
state(const struct cscg_agent *base, double *p)
{
	*p = 1;
	return base->x;
}

/*
 * Go to the goal, or to the nearest untried action if that is nearer by more
 * than `detour` actions.
 */
static int
go(struct cscg_agent *base, int *a, struct cscg_err *err)
{
	struct informed_agent *g = informed_self(base);
	struct cscg_transitions_seen *f = &g->transitions;
	int n_to_goal = -1, n_to_untried, x = base->x, b = 0;

	cscg_transitions_seen_search(f, base->x);
	n_to_untried = cscg_transitions_seen_untried(f, base->collect, &x, &b);
	if (base->requested >= 0)
		n_to_goal = f->search.distance[base->requested];
	if (n_to_goal >= 0 &&
	    (n_to_untried < 0 || n_to_goal <= n_to_untried + g->set.detour)) {
		cscg_agent_follow(base, !base->follows_plan, n_to_goal - 1);
		*a = cscg_bfs_first_label(&f->search, base->requested);
		return 1;
	}
	if (n_to_untried >= 0) {
		*a = x == base->x ? b : cscg_bfs_first_label(&f->search, x);
		return 1;
	}
	/*
	 * All actions were tried and the goal was not found: an inferred
	 * transition is wrong, or the goal cannot be reached.
	 */
	return cscg_transitions_seen_drop_inferred(f) ? go(base, a, err) :
							CSCG_AGENT_LEAVE;
}

/* One state per symbol, and a count of 1 per known transition. */
static struct cscg_model *
model(const struct cscg_agent *base, struct cscg_err *err)
{
	const struct informed_agent *g = (const struct informed_agent *)base;
	const struct cscg_transitions_seen *f = &g->transitions;
	struct cscg_model *m = cscg_model_new(CSCG_GROUNDED, f->n_obs,
	    f->n_actions, f->n_obs, err);
	struct cscg_count *c = cscg_alloc(
	    (size_t)f->n_obs * (size_t)f->n_actions, sizeof *c, err);
	int x, a, rc = -1;
	long n = 0;

	if (!m || !c)
		goto out;
	for (x = 0; x < f->n_obs; x++) {
		m->clone[x] = x;
		for (a = 0; a < f->n_actions; a++)
			if (cscg_transitions_seen_next(f, x, a) >= 0)
				c[n++] = (struct cscg_count){ a, x,
					cscg_transitions_seen_next(f, x, a),
					1 };
	}
	rc = cscg_model_set_counts(m, c, n, err);
	if (rc == 0)
		rc = cscg_names_copy(&m->actions, &g->head.actions, err);
	if (rc == 0)
		rc = cscg_names_copy(&m->symbols, &g->head.symbols, err);
out:
	free(c);
	if (rc == 0)
		return m;
	cscg_model_free(m);
	return NULL;
}

static void
release(struct cscg_agent *base)
{
	struct informed_agent *g = informed_self(base);

	cscg_transitions_seen_free(&g->transitions);
	cscg_walk_header_free(&g->head);
}

static const struct cscg_agent_strategy strategies[] = {
	{ cscg_agent_collect }, { go }, { NULL }
};

static const struct cscg_agent_kind kind = {
	.needs_symbols = true,
	.strategy = strategies,
	.begin = begin,
	.observe = observe,
	.state = state,
	.model = model,
	.free = release,
};

/* Parse "a,b", a pair of inverse actions. */
static int
add_inverse(struct informed_agent *g, const char *text, struct cscg_err *err)
{
	int *list = NULL, rc;
	long n = 0;

	rc = cscg_explore_parse_actions(text, &g->head, &list, &n, err);
	if (rc == 0 && n != 2)
		rc = cscg_fail(err, CSCG_EUSAGE,
		    "'%.40s' is not a pair of actions", text);
	if (rc == 0)
		cscg_transitions_seen_set_inverse(&g->transitions, list[0],
		    list[1]);
	free(list);
	return rc;
}

struct cscg_agent *
cscg_agent_informed_new(const struct cscg_env_header *world,
    const struct cscg_agent_informed_options *set, struct cscg_err *err)
{
	static const struct cscg_goal goal = { .kind = CSCG_GOAL_ENV };
	struct informed_agent *g;
	int i;

	if (world->collect < 0) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "the environment has no action that collects goals");
		return NULL;
	}
	g = cscg_alloc(1, sizeof *g, err);
	if (!g)
		return NULL;
	g->set = *set;
	if (set->detour < 0)
		g->set.detour = DETOUR_DEFAULT;
	if (cscg_agent_init(&g->base, &kind, world, &goal, 1, NULL, NULL,
		err) < 0 ||
	    cscg_walk_header_copy(&g->head, &world->head, err) < 0 ||
	    cscg_transitions_seen_init(&g->transitions, world->head.n_obs,
		world->head.n_actions, err) < 0)
		goto fail;
	for (i = 0; i < set->n_inverse; i++)
		if (add_inverse(g, set->inverse[i], err) < 0)
			goto fail;
	return &g->base;
fail:
	cscg_agent_free(&g->base);
	return NULL;
}
