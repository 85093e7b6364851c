/* cscg-learn_rebind.c - cscg-learn --rebind: one graph, many looks */
#include "cmd.h"
#include "cscg-learn_rebind.h"
#include "core/model_io.h"

struct rebind_talk {
	struct cscg_err *err;
	bool failed;
};

static int
on_episode(void *ctx, const struct cscg_multi_progress *l)
{
	struct rebind_talk *t = ctx;

	cmd_talk("episode %d: %ld of %ld rows tried, %ld sure, %ld draws%s: %s",
	    l->episode, l->tried, l->rows, l->deterministic, l->draws,
	    l->predicted ? ", foretold" : "",
	    l->complete ? "complete" : "not complete");
	t->failed = cmd_stats(t->err, "{\"stage\":\"rebind\",\"episode\":%d,"
	    "\"draws\":%ld,\"rows\":%ld,\"tried\":%ld,\"sure\":%ld,"
	    "\"predicted\":%s,\"complete\":%s}", l->episode, l->draws, l->rows,
	    l->tried, l->deterministic, l->predicted ? "true" : "false",
	    l->complete ? "true" : "false") < 0;
	return t->failed;
}

int
learn_rebind(const struct cscg_walk *w, const struct cscg_multi *set,
    struct cscg_out *out, struct cscg_err *err)
{
	struct rebind_talk talk = { .err = err };
	struct cscg_multi job = *set;
	struct cscg_multi_progress last;
	struct cscg_model *m;
	int rc = -1;

	job.report = on_episode;
	job.ctx = &talk;
	m = cscg_multi(w, &job, &last, err);
	if (m && !talk.failed &&
	    cscg_history_join(&m->history, &w->head.history, err) == 0 &&
	    cmd_history(&m->history, err) == 0 &&
	    cscg_model_write(m, out, err) == 0)
		rc = last.complete;
	if (rc == 0)
		cmd_say("the graph is not complete after %d episode%s",
		    last.episode + 1, last.episode ? "s" : "");
	cscg_model_free(m);
	return rc;
}
