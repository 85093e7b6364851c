/*
 * agent_inform.c - agent that explores an unknown deterministic environment
 * while it collects rewards
 */
#include <math.h>
#include <stdlib.h>

#include "plan/agent_inform.h"
#include "plan/explore.h"
#include "base/mem.h"

enum { DETOUR_DEFAULT = 3 };

struct informed_agent {
	struct cscg_agent base; /* first member: the interface */
	struct cscg_agent_informed_options set;
	struct cscg_walk_header head; /* the environment's names */
	struct cscg_transitions_seen transitions;
	int collect;

	/* this episode */
	int x, goal;
	long plans, left;  /* left: actions to the goal after this one */
	bool follows_plan; /* the last action was on a path to the goal */
};

static struct informed_agent *
informed_self(struct cscg_agent *base)
{
	return (struct informed_agent *)base;
}

static int
informed_begin(struct cscg_agent *base, long episode, struct cscg_err *err)
{
	struct informed_agent *g = informed_self(base);

	(void)episode;
	(void)err;
	if (g->set.new_world)
		cscg_transitions_seen_clear(&g->transitions);
	g->x = g->goal = -1;
	g->plans = 0;
	g->follows_plan = false;
	return 0;
}

static int
informed_observe(struct cscg_agent *base, int a,
    const struct cscg_env_obs *obs, struct cscg_err *err)
{
	struct informed_agent *g = informed_self(base);

	if (obs->x < 0)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "missing observation: this agent needs one at each step");
	if (a >= 0 && a != g->collect && !obs->reset)
		cscg_transitions_seen_add(&g->transitions, g->x, a, obs->x);
	g->follows_plan &= obs->goal == g->goal && !obs->reset;
	g->x = obs->x;
	g->goal = obs->goal;
	return 0;
}

static int
informed_choose(struct cscg_agent *base, int *a, struct cscg_err *err)
{
	struct informed_agent *g = informed_self(base);
	struct cscg_transitions_seen *f = &g->transitions;
	int n_to_goal = -1, n_to_untried, x = g->x, b = 0;
	bool followed_plan = g->follows_plan;

	(void)err;
	g->follows_plan = false;
	*a = g->collect;
	if (g->goal >= 0 && g->x == g->goal)
		return 1;
	cscg_transitions_seen_search(f, g->x);
	n_to_untried = cscg_transitions_seen_untried(f, g->collect, &x, &b);
	if (g->goal >= 0)
		n_to_goal = f->search.distance[g->goal];
	g->follows_plan = n_to_goal >= 0 &&
	    (n_to_untried < 0 || n_to_goal <= n_to_untried + g->set.detour);
	if (g->follows_plan) {
		g->plans += !followed_plan;
		g->left = n_to_goal - 1;
		*a = cscg_bfs_first_label(&f->search, g->goal);
	} else if (n_to_untried >= 0) {
		*a = x == g->x ? b : cscg_bfs_first_label(&f->search, x);
	} else if (cscg_transitions_seen_drop_inferred(f)) {
		/*
		 * An inferred transition must be wrong: choose again without
		 * them.
		 */
		return informed_choose(base, a, err);
	} else {
		/*
		 * All actions were tried and the goal was not found: leave the
		 * episode.
		 */
		return 0;
	}
	return 1;
}

static void
informed_report(const struct cscg_agent *base,
    struct cscg_agent_status *status)
{
	const struct informed_agent *g = (const struct informed_agent *)base;

	status->state = g->x;
	status->p = 1;
	status->plan = g->follows_plan ? g->plans : 0;
	status->left = g->follows_plan ? g->left : 0;
	status->success = g->follows_plan ? 1 : NAN;
}

static bool
informed_reached(const struct cscg_agent *base)
{
	(void)base;
	return true;
}

/* One state per symbol, and a count of 1 per known transition. */
static struct cscg_model *
informed_model(const struct cscg_agent *base, struct cscg_err *err)
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
informed_free(struct cscg_agent *base)
{
	struct informed_agent *g = informed_self(base);

	cscg_transitions_seen_free(&g->transitions);
	cscg_walk_header_free(&g->head);
	free(g);
}

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
	g->base = (struct cscg_agent){ informed_begin, informed_observe,
		informed_choose, informed_report, informed_reached,
		informed_model, informed_free, NULL };
	g->set = *set;
	if (set->detour < 0)
		g->set.detour = DETOUR_DEFAULT;
	g->collect = world->collect;
	if (cscg_walk_header_copy(&g->head, &world->head, err) < 0 ||
	    cscg_transitions_seen_init(&g->transitions, world->head.n_obs,
		world->head.n_actions, err) < 0)
		goto fail;
	for (i = 0; i < set->n_inverse; i++)
		if (add_inverse(g, set->inverse[i], err) < 0)
			goto fail;
	return &g->base;
fail:
	informed_free(&g->base);
	return NULL;
}
