/*
 * match_track.c - a schema's score as the sum over its bindings
 *
 * A prefix is scored step by step, a window from its first step on as if
 * nothing had been seen before.
 */
#include <stdlib.h>

#include "schema/match.h"
#include "base/mem.h"

static void *
track_open(const void *set, const struct cscg_model *m, struct cscg_err *err)
{
	return cscg_track_tables_new(m, set, err);
}

static void
track_close(void *tables)
{
	cscg_track_tables_free(tables);
}

static void *
track_begin_episode(void *tables, int n_obs, uint64_t key, struct cscg_err *err)
{
	(void)key;
	return cscg_track_new(tables, n_obs, err);
}

static void
track_end_episode(void *episode)
{
	cscg_track_free(episode);
}

static int
track_step(void *episode, int a, int x, double *loglik, struct cscg_err *err)
{
	if (cscg_track_step(episode, a, x, err) < 0)
		return -1;
	*loglik = cscg_track_score(episode);
	return 0;
}

static int
track_evaluate(void *episode, const struct cscg_walk *view, int threads,
    double *loglik, struct cscg_err *err)
{
	long t;

	(void)threads;
	cscg_track_reset(episode);
	for (t = 0; t < view->n_steps; t++) {
		bool has_action = t && !(view->reset && view->reset[t]);

		if (track_step(episode, has_action ? view->a[t - 1] : -1,
		    view->x[t], loglik, err) < 0)
			return -1;
	}
	return 0;
}

/* A window has nothing to do with the one before. */
static bool
track_is_stateful(const void *set)
{
	(void)set;
	return false;
}

const struct cscg_match_score cscg_match_score_track = {
	"track", track_open, track_close, track_begin_episode, track_end_episode, track_evaluate,
	track_is_stateful, track_step
};
