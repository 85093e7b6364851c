/* cscg-plan_live.c - act in a live environment, and tell what happens */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cscg-plan.h"
#include "plan/env.h"
#include "base/mem.h"
#include "core/model_io.h"

static const struct cscg_col turn_cols[] = {
	{ "episode", CSCG_COL_LONG, 0 }, { "t", CSCG_COL_LONG, 0 },
	{ "x", CSCG_COL_LONG, 0 }, { "goal", CSCG_COL_LONG, 0 },
	{ "reward", CSCG_COL_DOUBLE, 0 }, { "distance", CSCG_COL_DOUBLE, 0 },
	{ "state", CSCG_COL_LONG, 0 }, { "p", CSCG_COL_DOUBLE, 0 },
	{ "plan", CSCG_COL_LONG, 0 }, { "left", CSCG_COL_LONG, 0 },
	{ "a", CSCG_COL_STRING, 0 }
};

static const struct cscg_col episode_cols[] = {
	{ "episode", CSCG_COL_LONG, 0 }, { "steps", CSCG_COL_LONG, 0 },
	{ "plans", CSCG_COL_LONG, 0 }, { "reached", CSCG_COL_BOOL, 0 },
	{ "rewards", CSCG_COL_LONG, 0 }, { "reward", CSCG_COL_DOUBLE, 0 },
	{ "distance", CSCG_COL_DOUBLE, 0 }
};

enum {
	N_TURN = sizeof turn_cols / sizeof *turn_cols,
	N_EPISODE = sizeof episode_cols / sizeof *episode_cols
};

enum { N_COLS = N_TURN + PLAN_MATCH_EPISODE };	/* at most */

struct tell {
	struct cscg_table table;
	struct cscg_col cols[N_COLS];
	bool summary, match;	/* match: that is the task */
	const struct cscg_walk_header *head;
	/* of several models */
	const struct cscg_agent *agent;	/* or NULL */
	const struct cscg_schemas *models;
};

/* The columns there are, and more if there are several models. */
static int
begin(struct tell *tell, bool json, struct cscg_err *err)
{
	int n = tell->summary ? N_EPISODE : N_TURN;
	int more = !tell->agent ? 0 : tell->summary ? PLAN_MATCH_EPISODE :
	    PLAN_MATCH_TURN;

	memcpy(tell->cols, tell->summary ? episode_cols : turn_cols,
	    (size_t)n * sizeof *tell->cols);
	memcpy(tell->cols + n, plan_match_cols, (size_t)more *
	    sizeof *tell->cols);
	return cscg_table_init(&tell->table, cmd_out(err), tell->cols,
	    n + more, json, err);
}

static long
known(int v)
{
	return v < 0 ? CSCG_CELL_NONE : v;
}

static int
on_turn(void *ctx, const struct cscg_agent_step *turn, struct cscg_err *err)
{
	const struct tell *tell = ctx;
	const struct cscg_env_obs *obs = &turn->obs;
	const struct cscg_agent_status *thought = &turn->status;
	union cscg_cell row[N_COLS];
	char number[16];

	snprintf(number, sizeof number, "%d", turn->a);
	row[0].l = obs->episode;
	row[1].l = turn->t;
	row[2].l = known(obs->x);
	row[3].l = known(obs->goal);
	row[4].d = obs->reward;
	row[5].d = obs->distance;
	row[6].l = known(thought->state);
	row[7].d = thought->p;
	row[8].l = thought->plan;
	row[9].l = thought->left;
	row[10].s = turn->a < 0 ? NULL : tell->head->actions.n ?
	    tell->head->actions.v[turn->a] : number;
	if (tell->agent)
		plan_match_cells(tell->agent, tell->models, row + N_TURN);
	return cscg_table_write_row(&tell->table, row, err);
}

static int
on_episode(void *ctx, const struct cscg_agent_episode *played, struct cscg_err *err)
{
	const struct tell *tell = ctx;
	union cscg_cell row[N_COLS];

	cmd_talk("episode %ld: %ld steps, %ld plans, reward %g, %s %s%s",
	    played->episode, played->steps, played->plans, played->reward,
	    tell->match ? "model" : "goal", played->reached ? "" : "not ",
	    tell->match ? "found" : "reached");
	if (!tell->summary)
		return 0;
	row[0].l = played->episode;
	row[1].l = played->steps;
	row[2].l = played->plans;
	row[3].l = played->reached;
	row[4].l = played->rewards;
	row[5].d = played->reward;
	row[6].d = played->distance;
	if (tell->agent)
		plan_match_cells(tell->agent, tell->models, row + N_EPISODE);
	return cscg_table_write_row(&tell->table, row, err);
}

static int
observe(void *ctx, struct cscg_env_obs *obs, struct cscg_err *err)
{
	return cscg_env_observe(ctx, obs, err);
}

static int
act(void *ctx, int a, struct cscg_err *err)
{
	return cscg_env_act(ctx, a, err);
}

/* The model that the agent ends with. */
static int
save(struct cscg_out *out, const struct cscg_agent *agent,
    const struct cscg_walk_header *world, struct cscg_err *err)
{
	struct cscg_model *m = agent->model(agent, err);
	int rc = -1;

	if (!m)
		return cscg_fail_at(err, "--save");
	if (cscg_history_join(&m->history, &world->history, err) == 0 &&
	    cmd_history(&m->history, err) == 0)
		rc = cscg_model_write(m, out, err);
	cscg_model_free(m);
	return rc;
}

static int
play(const struct plan_set *set, struct cscg_agent *agent,
    const struct cscg_schemas *models, struct cscg_env *env,
    struct cscg_err *err)
{
	struct cscg_agent_env world = { .head = cscg_env_header(env),
	    .observe = observe, .act = act, .ctx = env };
	struct tell tell = { .head = &world.head->head,
	    .summary = set->summary, .match = set->task == PLAN_TASK_MATCH,
	    .models = models,
	    .agent = set->who == PLAN_AGENT_MATCH ? agent : NULL };
	struct cscg_agent_run_options how = { .episodes = set->episodes,
	    .max_steps = set->max_steps,
	    .on_step = set->summary ? NULL : on_turn,
	    .on_episode = on_episode, .ctx = &tell };
	long played, missed;

	if (begin(&tell, set->json, err) < 0 ||
	    cscg_agent_run(agent, &world, &how, &played, &missed, err) < 0)
		return -1;
	if (!played)
		cmd_say("the environment has no episodes");
	else if (missed)
		cmd_say("%s in %ld of %ld episodes", tell.match ?
		    "no model was found" : "the goal was not reached", missed,
		    played);
	return played && !missed;
}

/* One model is a file that holds one, several may be in one. */
static int
read_models(const struct plan_set *set, char **paths,
    struct cscg_schemas *models, struct cscg_err *err)
{
	if (set->who == PLAN_AGENT_MATCH) {
		for (; *paths; paths++)
			if (cscg_schemas_read(models, *paths, err) < 0)
				return -1;
	} else if (*paths) {
		if (cscg_grow(&models->m, &models->cap, 1, sizeof *models->m,
		    err) < 0)
			return -1;
		models->m[0] = cscg_model_read_file(*paths, err);
		models->n = models->m[0] != NULL;
		return models->n ? 0 : -1;
	}
	return 0;
}

int
plan_live(const struct plan_set *set, const struct cscg_goal *goal,
    char **paths, char **command, struct cscg_err *err)
{
	struct cscg_err other = { 0 };
	struct cscg_out *saved = NULL;
	struct cscg_schemas models = { .n = 0 };
	struct cscg_agent *agent = NULL;
	struct cscg_env *env = NULL;
	int rc = -1;

	if (!cmd_out(err))
		return -1;
	if (set->save) {
		saved = cmd_out_also(set->save, CSCG_OUT_GZIP, err);
		if (!saved)
			return -1;
	}
	/* Before any thread is started. */
	if (read_models(set, paths, &models, err) == 0)
		env = cscg_env_start(command, set->timeout, err);
	if (env)
		agent = plan_agent_new(set, goal, &models, cscg_env_header(env),
		    err);
	/* Of several models the agent knows which. */
	if (env && !agent && models.n && set->who != PLAN_AGENT_MATCH &&
	    err->code == CSCG_EMISMATCH)
		cmd_fail_in(paths[0], err);
	if (agent)
		rc = play(set, agent, &models, env, err);
	if (rc >= 0 && saved && save(saved, agent,
	    &cscg_env_header(env)->head, err) < 0)
		rc = -1;
	if (cscg_env_stop(env, rc < 0 ? &other : err) < 0)
		rc = -1;
	cscg_agent_free(agent);
	cscg_schemas_free(&models);
	return rc;
}
