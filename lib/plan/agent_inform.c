/* agent_inform.c - learn a new place while collecting in it */
#include <math.h>
#include <stdlib.h>

#include "plan/agent_inform.h"
#include "plan/explore.h"
#include "plan/facts.h"
#include "base/mem.h"

struct agent {
	struct cscg_agent part;	/* first: what the world is played with */
	struct cscg_agent_inform set;
	struct cscg_head head;	/* names of the world, for a model */
	struct cscg_facts facts;
	int collect;

	/* this episode */
	int x, goal;
	long plans, left;	/* left: moves to the goal, after this one */
	bool goes;		/* the last move was on the way to it */
};

static struct agent *
self(struct cscg_agent *part)
{
	return (struct agent *)part;
}

static int
on_begin(struct cscg_agent *part, long episode, struct cscg_err *err)
{
	struct agent *g = self(part);

	(void)episode;
	(void)err;
	if (g->set.forget)
		cscg_facts_forget(&g->facts);
	g->x = g->goal = -1;
	g->plans = 0;
	g->goes = false;
	return 0;
}

static int
on_see(struct cscg_agent *part, int a, const struct cscg_env_obs *obs,
    struct cscg_err *err)
{
	struct agent *g = self(part);

	if (obs->x < 0)
		return cscg_fail(err, CSCG_EMISMATCH, "nothing is seen: this "
		    "agent must see something in each step");
	if (a >= 0 && a != g->collect && !obs->reset)
		cscg_facts_add(&g->facts, g->x, a, obs->x);
	g->goes &= obs->goal == g->goal && !obs->reset;
	g->x = obs->x;
	g->goal = obs->goal;
	return 0;
}

static int
on_choose(struct cscg_agent *part, int *a, struct cscg_err *err)
{
	struct agent *g = self(part);
	struct cscg_facts *f = &g->facts;
	int to_goal = -1, to_new, x = g->x, b = 0;
	bool went = g->goes;

	(void)err;
	g->goes = false;
	*a = g->collect;
	if (g->goal >= 0 && g->x == g->goal)
		return 1;
	cscg_facts_search(f, g->x);
	to_new = cscg_facts_untried(f, g->collect, &x, &b);
	if (g->goal >= 0)
		to_goal = f->moves[g->goal];
	g->goes = to_goal >= 0 && (to_new < 0 || to_goal <= to_new +
	    g->set.detour);
	if (g->goes) {
		g->plans += !went;
		g->left = to_goal - 1;
		*a = f->by[g->goal];
	} else if (to_new >= 0) {
		*a = x == g->x ? b : f->by[x];
	} else if (cscg_facts_doubt(f)) {
		/* Something must be behind what was only concluded. */
		return on_choose(part, a, err);
	} else {
		/* All was tried, and the goal is not here: leave. */
		return 0;
	}
	return 1;
}

static void
on_tell(const struct cscg_agent *part, struct cscg_thought *thought)
{
	const struct agent *g = (const struct agent *)part;

	thought->state = g->x;
	thought->p = 1;
	thought->plan = g->goes ? g->plans : 0;
	thought->left = g->goes ? g->left : 0;
	thought->success = g->goes ? 1 : NAN;
}

static bool
on_reached(const struct cscg_agent *part)
{
	(void)part;
	return true;
}

/* A state for each symbol, and a count for each fact. */
static struct cscg_model *
on_model(const struct cscg_agent *part, struct cscg_err *err)
{
	const struct agent *g = (const struct agent *)part;
	const struct cscg_facts *f = &g->facts;
	struct cscg_model *m = cscg_model_new(CSCG_GROUNDED, f->n_obs,
	    f->n_actions, f->n_obs, err);
	struct cscg_count *c = cscg_alloc((size_t)f->n_obs *
	    (size_t)f->n_actions, sizeof *c, err);
	int x, a, rc = -1;
	long n = 0;

	if (!m || !c)
		goto out;
	for (x = 0; x < f->n_obs; x++) {
		m->clone[x] = x;
		for (a = 0; a < f->n_actions; a++)
			if (cscg_facts_next(f, x, a) >= 0)
				c[n++] = (struct cscg_count){ a, x,
				    cscg_facts_next(f, x, a), 1 };
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
on_free(struct cscg_agent *part)
{
	struct agent *g = self(part);

	cscg_facts_free(&g->facts);
	cscg_head_free(&g->head);
	free(g);
}

/* Both actions of "a,b" undo each other. */
static int
add_pair(struct agent *g, const char *text, struct cscg_err *err)
{
	int *list = NULL, rc;
	long n = 0;

	rc = cscg_explore_actions(text, &g->head, &list, &n, err);
	if (rc == 0 && n != 2)
		rc = cscg_fail(err, CSCG_EUSAGE, "'%.40s' is not two actions",
		    text);
	if (rc == 0)
		cscg_facts_pair(&g->facts, list[0], list[1]);
	free(list);
	return rc;
}

struct cscg_agent *
cscg_agent_inform_new(const struct cscg_env_head *world,
    const struct cscg_agent_inform *set, struct cscg_err *err)
{
	struct agent *g;
	int i;

	if (world->collect < 0) {
		cscg_fail(err, CSCG_EMISMATCH, "the environment has no action "
		    "that collects");
		return NULL;
	}
	g = cscg_alloc(1, sizeof *g, err);
	if (!g)
		return NULL;
	g->part = (struct cscg_agent){ on_begin, on_see, on_choose, on_tell,
	    on_reached, on_model, on_free };
	g->set = *set;
	g->collect = world->collect;
	if (cscg_head_copy(&g->head, &world->head, err) < 0 ||
	    cscg_facts_init(&g->facts, world->head.n_obs,
	    world->head.n_actions, err) < 0)
		goto fail;
	for (i = 0; i < set->n_inverse; i++)
		if (add_pair(g, set->inverse[i], err) < 0)
			goto fail;
	return &g->part;
fail:
	on_free(&g->part);
	return NULL;
}
