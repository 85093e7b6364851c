/* cscg-match_track.c - cscg-match by a track of bindings */
#include "cmd.h"
#include "cscg-match.h"
#include "core/model_io.h"

struct cscg_track_options
match_track_set(const struct match_track *set)
{
	return (struct cscg_track_options){ .beam = (int)set->beam,
	    .slip = set->slip };
}

int
match_track_know(const struct match_track *set, const struct cscg_schemas *c,
    struct cscg_novelty **known, struct cscg_err *err)
{
	const struct cscg_novelty_options how = { .track = match_track_set(set),
	    .walks = set->calibrate, .seed = (uint64_t)cmd.seed,
	    .threads = (int)cmd.threads };
	int i;

	for (i = 0; i < c->n; i++)
		if (!c->m[i]->clone)
			return cscg_fail(err, CSCG_EMISMATCH, "schema '%s' has "
			    "no clone structure to track bindings by (only "
			    "--score em does without)", c->names.v[i]);
	cmd_talk("%d schemas, tracked, moves go wrong with %g, bounds %s", c->n,
	    set->slip, set->calibrate ? "by walks" : "by rule");
	*known = cscg_novelty_new(&how, c->m, c->n, err);
	return *known ? 0 : -1;
}

int
match_track_bound(void *out, const struct cscg_model *m, const void *episode,
    struct cscg_err *err)
{
	struct cscg_model *bound = cscg_model_copy(m, err);
	int rc = -1;

	if (bound && cscg_track_ground(episode, bound, .01, NULL, err) == 0 &&
	    cmd_history(&bound->history, err) == 0)
		rc = cscg_model_write(bound, out, err);
	cscg_model_free(bound);
	return rc;
}
