/* reward - a line of three cells: values by hand */
#include <math.h>

#include "need.h"
#include "plan/reward.h"
#include "tap.h"

enum { FORTH, BACK, ACTIONS };

int
main(void)
{
	static const struct cscg_count count[] = { { FORTH, 0, 1, 1 },
		{ FORTH, 1, 2, 1 }, { FORTH, 2, 2, 1 }, { BACK, 0, 0, 1 },
		{ BACK, 1, 0, 1 }, { BACK, 2, 1, 1 } };
	struct cscg_env_header world = {
		.head = { .n_actions = ACTIONS, .n_obs = 3 }, .collect = -1
	};
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, 3, ACTIONS,
	    3, &err));
	char text[] = "line", *name = text;
	struct cscg_places_options set = {
		.world = &world, .model = &m, .name = &name, .n = 1
	};
	struct cscg_reward r = { .n_actions = ACTIONS, .stationary = -1 };
	unsigned char tried[3 * ACTIONS] = { 0 };
	struct cscg_places *p;
	int j;

	for (j = 0; j < 3; j++)
		m->clone[j] = j;
	need(cscg_model_set_counts(m, count, 6, &err) < 0 ? NULL : m);
	p = need(cscg_places_new(&set, &err));
	need(cscg_places_enter(p, 0, 0, 0, 0, tried, &err) < 0 ||
		    cscg_places_search(p, 0, &err) < 0 ||
		    cscg_reward_fit(&r, 3, &err) < 0 ?
		NULL :
		p);
	ok(cscg_reward_choose(&r, p) < 0,
	    "without rewards no action is chosen");
	cscg_reward_add(&r, 2, FORTH, 0);
	ok(cscg_reward_is_tried(&r, 2, FORTH) &&
		!cscg_reward_is_tried(&r, 2, BACK),
	    "tried actions are recorded");
	cscg_reward_add(&r, 2, FORTH, 2);
	ok(near(r.mean[2 * ACTIONS + FORTH], 1, 1e-12),
	    "rewards are averaged");
	/* 1 at every step from cell 2 on: 1 / (1 - .95). */
	ok(cscg_reward_choose(&r, p) == FORTH && near(r.value[2], 20, 1e-4) &&
		near(r.value[1], 19, 1e-4) && near(r.value[0], 18.05, 1e-4),
	    "discounted values: %g %g %g", r.value[0], r.value[1], r.value[2]);
	/* .8 at once is less than what is ahead, .95 is more. */
	cscg_reward_add(&r, 0, BACK, .8);
	ok(cscg_reward_choose(&r, p) == FORTH,
	    "a smaller reward that is nearer is not taken");
	cscg_reward_clear(&r);
	need(cscg_reward_fit(&r, 3, &err) < 0 ? NULL : p);
	ok(!cscg_reward_is_tried(&r, 2, FORTH), "clear removes all rewards");
	cscg_reward_add(&r, 2, FORTH, 1);
	cscg_reward_add(&r, 0, BACK, .95);
	ok(cscg_reward_choose(&r, p) == BACK && near(r.value[0], 19, 1e-4),
	    "a larger nearer reward is chosen");
	need(cscg_reward_fit(&r, 5, &err) < 0 ? NULL : p);
	ok(cscg_reward_is_tried(&r, 2, FORTH) &&
		!cscg_reward_is_tried(&r, 4, BACK),
	    "growing keeps the rewards");
	need(cscg_reward_fit(&r, 2, &err) < 0 ? NULL : p);
	ok(!cscg_reward_is_tried(&r, 0, BACK),
	    "shrinking removes all rewards");
	cscg_reward_free(&r);
	cscg_places_free(p);
	cscg_model_free(m);
	return done();
}
