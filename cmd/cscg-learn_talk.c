/* cscg-learn_talk.c - what cscg-learn says of its work */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "cscg-learn_talk.h"

/* Models of one size share a bar; EM may be done before it is full. */
static void
show_bar(struct learn_talk *t, int n_states)
{
	char what[64];

	if (t->n_states != n_states)
		t->updates = 0;
	t->n_states = n_states;
	t->updates++;
	snprintf(what, sizeof what, "EM, %d states", n_states);
	cmd_progress(what, (double)t->updates, t->most);
}

int
learn_on_line(void *ctx, const struct cscg_learn_progress *l)
{
	struct learn_talk *t = ctx;
	double nats = -l->loglik / (double)t->steps;
	char a[40], b[40], c[40];

	if (cmd_stats(t->err, "{\"stage\":\"%s\",\"restart\":%ld,"
	    "\"iteration\":%ld,\"states\":%d,\"nats_per_step\":%s,"
	    "\"bits_per_step\":%s,\"objective\":%s}", l->stage, l->restart,
	    l->iteration, l->n_states, cmd_real(a, sizeof a, nats),
	    cmd_real(b, sizeof b, nats / M_LN2),
	    cmd_real(c, sizeof c, l->objective)) < 0) {
		t->failed = true;
		return 1;
	}
	if (!strcmp(l->stage, "em") || !strcmp(l->stage, "soft"))
		show_bar(t, l->n_states);
	else if (isnan(nats))
		cmd_talk("%s: %d states", l->stage, l->n_states);
	else if (!strcmp(l->stage, "restart") || !strcmp(l->stage, "best"))
		cmd_talk("%s %ld: %d states, %ld updates, %.6f nats a step",
		    l->stage, l->restart, l->n_states, l->iteration, nats);
	else
		cmd_talk("%s: %d states, %.6f nats a step", l->stage,
		    l->n_states, nats);
	return 0;
}

int
learn_on_frames(void *ctx, const struct cscg_em_progress *l)
{
	struct learn_frames_talk *f = ctx;
	struct cscg_learn_progress line = { .stage = "soft",
	    .iteration = l->iteration, .n_states = f->n_states,
	    .loglik = l->loglik, .objective = l->objective };

	return learn_on_line(f->talk, &line);
}
