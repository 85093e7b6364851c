/* cscg-match_run.c - schemas are read, and scored as the walk comes */
#include <stdlib.h>
#include <string.h>

#include "cmd_ranks.h"
#include "cmd_walks.h"
#include "cscg-match.h"
#include "schema/match.h"
#include "schema/match_table.h"
#include "core/model_io.h"
#include "core/walk_io.h"

static int
match_file(struct cscg_match *match, struct cscg_match_table *put,
    const char *path, struct cscg_err *err)
{
	struct cscg_walk_reader *r = cscg_walk_reader_open(path, err);
	struct cscg_step step;
	int rc = -1;

	if (!r)
		return -1;
	if (cscg_match_begin_walk(match, cscg_walk_reader_header(r), err) < 0) {
		cmd_blame(path, err);
		goto out;
	}
	if (cscg_match_table_write_header(put, err) < 0)
		goto out;
	while ((rc = cscg_walk_reader_next(r, &step, err)) > 0)
		if (cscg_match_step(match, &step, cscg_walk_reader_pending(r),
		    err) < 0) {
			rc = cmd_blame(path, err);
			break;
		}
out:
	cscg_walk_reader_close(r);
	return rc;
}

static int
match_files(struct cscg_match *match, struct cscg_match_table *put,
    struct cscg_err *err)
{
	char *const standard_input[] = { (char *)"-" };
	char *const *paths = cmd.walks.n ? cmd.walks.v : standard_input;
	int i, n = cmd.walks.n ? cmd.walks.n : 1, rc;

	if (cmd_walks_look(err) < 0)
		return -1;
	for (i = 0; i < n; i++)
		if (match_file(match, put, paths[i], err) < 0)
			return -1;
	rc = cscg_match_table_finish(put, err);
	return rc < 0 ? cmd_blame(paths[n - 1], err) : rc;
}

/* What stands in set, and what follows from the schemas if it does not. */
static void
fill_em(const struct match_set *set, struct cscg_match_em_options *em,
    const struct cscg_schemas *c)
{
	bool tied = set->tie != MATCH_TIE_NONE;
	int i;

	for (i = 0; i < c->n && set->tie == MATCH_TIE_AUTO; i++)
		tied &= c->m[i]->clone != NULL;
	*em = (struct cscg_match_em_options){ .warm_iterations = set->warm_iterations,
	    .keep_best = set->keep_best };
	em->bind.tied = tied;
	em->bind.learn_pi = set->pi == MATCH_PI_LEARN ||
	    (set->pi == MATCH_PI_AUTO && tied);
	em->bind.iterations = set->iterations >= 0 ? set->iterations :
	    tied ? 30 : 100;
	em->bind.tolerance = set->tolerance;
	em->bind.pseudocount = set->pseudocount;
	em->bind.simd = set->simd;
	em->bind.is_double = set->is_double;
	em->starts.restarts = set->restarts;
	em->starts.jitter = set->jitter >= 0 ? set->jitter : tied ? .001 : .01;
	em->starts.wide_jitter = set->jitter < 0 && tied ? 1 : 0;
	em->starts.seed = (uint64_t)cmd.seed;
	cmd_talk("%d schemas, %s, pi %s, %ld starts with jitter %g, at most "
	    "%ld updates, kernel %s", c->n, tied ? "clones tied" : "not tied",
	    em->bind.learn_pi ? "learned" : "uniform", set->restarts,
	    em->starts.jitter, em->bind.iterations,
	    set->simd && !set->is_double ? set->simd->name : "plain");
}

/* What stands out is a schema among these: 1, 0 if none does, -1 with err. */
static int
match_schemas(const struct match_set *set, struct cscg_schemas *c,
    struct cscg_match_table *put, struct cscg_out *binding, struct cscg_err *err)
{
	struct cscg_track_options track = match_track_set(&set->track);
	struct cscg_match_em_options em = { .bind = { .tied = true } };
	bool tracks = set->score == MATCH_TRACK;
	struct cscg_match_options how = {
		.score = tracks ? &cscg_match_score_track : &cscg_match_score_em,
		.score_set = tracks ? (const void *)&track : &em,
		.threads = (int)cmd.threads, .steps = set->steps,
		.ranks = set->together ? cmd.ranks : NULL,
		.every = set->window ? set->stride : set->every,
		.window = set->window,
		.centre = set->label == MATCH_LABEL_CENTRE,
		.row = cscg_match_table_write_row, .ctx = put,
		.end_episode = binding ? match_track_bound : NULL, .end_ctx = binding
	};
	struct cscg_match *match;
	int i, rc = 0;

	if (!tracks)
		fill_em(set, &em, c);
	how.by_clones = em.bind.tied;
	match = cscg_match_new(&how, err);
	if (!match)
		return -1;
	for (i = 0; i < c->n && rc == 0; i++) {
		struct cscg_model *m = c->m[i];

		c->m[i] = NULL;
		rc = cscg_match_take_schema(match, c->names.v[i], m, err);
	}
	if (rc == 0)
		rc = match_files(match, put, err);
	if (set->together && !cscg_match_rank_failed(match))
		rc = cmd_agree(rc, err);
	cscg_match_free(match);
	return rc;
}

int
match_find_truth(const struct cscg_names *names, const char *truth, int *which,
    struct cscg_err *err)
{
	*which = truth ? cscg_names_find(names, truth) : -1;
	if (!truth || *which >= 0)
		return 0;
	return cscg_fail(err, CSCG_EUSAGE, "--truth: no schema is called '%s' "
	    "(%d are there, '%s' first)", truth, names->n, names->v[0]);
}

int
match_run(const struct match_set *set, char **paths, struct cscg_err *err)
{
	struct cscg_match_table_options tell = {
		.out = cmd_out(err), .summary = set->summary,
		.form = set->json ? CSCG_MULTI_TABLE_JSON : set->wide ?
		    CSCG_MULTI_TABLE_WIDE : CSCG_MULTI_TABLE_LONG,
		.window = set->window > 0, .bits = set->bits,
		.alpha = set->alpha, .min_posterior = set->min_posterior
	};
	struct cscg_match_table *put = NULL;
	struct cscg_schemas c = { .n = 0 };
	struct cscg_novelty *known = NULL;
	struct cscg_out *binding = NULL;
	int i = 0, rc = -1;

	if (tell.out && set->track.binding)
		binding = cmd_out_also(set->track.binding, CSCG_OUT_GZIP, err);
	if (!tell.out || (set->track.binding && !binding))
		goto out;
	/* One is there, or main() would have said so. */
	do {
		if (cscg_schemas_read(&c, paths[i], err) < 0)
			goto out;
	} while (paths[++i]);
	for (i = 0; i < c.n; i++) {
		if (c.m[i]->kind == CSCG_GROUNDED)
			cmd_talk("schema '%s' is grounded: how it looked is "
			    "ignored", c.names.v[i]);
		cscg_model_unground(c.m[i], CSCG_CLONES);
	}
	tell.names = &c.names;
	if (match_find_truth(&c.names, set->truth, &tell.truth, err) < 0 ||
	    (set->score == MATCH_TRACK && match_track_know(&set->track,
	    &c, &known, err) < 0))
		goto out;
	tell.novelty = known;
	put = cscg_match_table_new(&tell, err);
out:
	rc = put ? 0 : -1;
	if (set->together)
		rc = cmd_agree(rc, err);
	if (rc == 0)
		rc = match_schemas(set, &c, put, binding, err);
	cscg_match_table_free(put);
	cscg_novelty_free(known);
	cscg_schemas_free(&c);
	return rc;
}
