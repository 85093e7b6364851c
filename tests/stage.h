/*
 * stage.h - a room as a world for agents, without a process between
 */
#ifndef STAGE_H
#define STAGE_H

#include <stdbool.h>
#include <string.h>

#include "plan/agent.h"
#include "world/serve.h"
#include "walker.h"

struct stage {
	struct cscg_serve *serve;
	struct cscg_room *room;
	struct cscg_env_header head;
	struct cscg_env_obs obs;
	long episode, episodes;
	bool begin; /* the next observation begins an episode */
	long die;   /* number of observations of an episode; 0: no limit */
	/* actions taken */
	int a[4096], z[4096];
	long n;
};

__attribute__((unused)) static int
stage_observe(void *ctx, struct cscg_env_obs *obs, struct cscg_err *e)
{
	struct stage *s = ctx;

	if (s->die && s->n == s->die)
		return 0;
	if (s->begin) {
		if (s->episode == s->episodes)
			return 0;
		if (cscg_serve_reset(s->serve, s->episode++, &s->obs, e) < 0)
			return -1;
		s->begin = false;
	}
	*obs = s->obs;
	s->begin = s->obs.done;
	if (s->n < 4096)
		s->z[s->n] = s->obs.z;
	s->n++;
	return 1;
}

__attribute__((unused)) static int
stage_act(void *ctx, int a, struct cscg_err *e)
{
	struct stage *s = ctx;

	if (s->n <= 4096)
		s->a[s->n - 1] = a;
	s->begin = a < 0;
	return a < 0 ? 0 : cscg_serve_step(s->serve, a, &s->obs, e);
}

__attribute__((unused)) static void
stage_set(struct stage *s, struct cscg_room *room,
    const struct cscg_serve_options *set, long episodes)
{
	bool collects = set->task == CSCG_TASK_GOALS;

	memset(s, 0, sizeof *s);
	s->head.head.n_actions = room->n_actions + collects;
	s->head.head.n_obs = room->n_obs;
	s->head.collect = collects ? room->n_actions : -1;
	s->head.steps = set->steps;
	s->room = room;
	s->serve = need(cscg_serve_new(&s->room, 1, s->head.collect, set,
	    &err));
	s->episodes = episodes;
	s->begin = true;
}

#endif
