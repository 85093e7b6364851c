/* cmd_keep.c - --checkpoint, --checkpoint-every and --resume */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cmd_keep.h"

static const uint64_t fatal = 1u << SIGTERM | 1u << SIGINT | 1u << SIGHUP;
static const uint64_t wanted = 1u << SIGTERM | 1u << SIGINT | 1u << SIGHUP |
    1u << SIGUSR1;

void
cmd_keep_judge(const struct cmd_keep *k)
{
	if (!k->file && (k->resume || k->every))
		cmd_usage("--%s goes with --checkpoint", k->resume ?
		    "resume" : "checkpoint-every");
	if (k->file && !strcmp(k->file, "-"))
		cmd_usage("--checkpoint wants a file of its own");
}

/* Signals that this process or, at the last E-step, another rank was sent. */
static uint64_t
signals(const struct cmd_keep *k)
{
	return cmd_signals | (k->estep_ranks ? cscg_estep_ranks_signals(k->estep_ranks) : 0);
}

static bool
asked(void *ctx)
{
	return signals(ctx) & wanted;
}

/* The lowest of the signals that end us, or 0. */
static int
killer(uint64_t set)
{
	int sig;

	for (sig = 1; sig < 64; sig++)
		if (set & fatal & (uint64_t)1 << sig)
			return sig;
	return 0;
}

static void
hold(void *ctx, bool on)
{
	struct cmd_keep *k = ctx;

	cmd_hold(on);
	if (!on && killer(signals(k))) {
		if (k->estep_ranks)
			cscg_estep_ranks_stop(k->estep_ranks, killer(signals(k)));
		cmd_die(killer(signals(k)));
	}
}

static int
write_it(void *ctx, struct cscg_err *err)
{
	struct cmd_keep *k = ctx;
	bool held = cmd_hold(true);
	int rc = cscg_checkpoint_write(k->c, k->file, err);

	if (rc < 0)
		return cscg_fail_at(err, "--checkpoint");
	if (asked(k))
		cmd_talk("checkpoint written");
	if (killer(signals(k)))
		held = false;
	cmd_signals_seen(1u << SIGUSR1);
	if (k->estep_ranks)
		cscg_estep_ranks_clear_signals(k->estep_ranks, 1u << SIGUSR1);
	hold(k, held);
	return 0;
}

/* What fixes the result, in the words of a history. */
static char *
options_text(struct cscg_err *err)
{
	struct cscg_history h = { 0 };
	char *text = NULL;

	if (cmd_history(&h, err) == 0) {
		text = h.entry[0];
		h.entry[0] = NULL;
	}
	cscg_history_free(&h);
	return text;
}

int
cmd_keep_begin(struct cmd_keep *k, uint64_t input, struct cscg_estep_ranks *estep_ranks,
    struct cscg_err *err)
{
	struct cscg_checkpoint_options set = { .input = input, .every = k->every,
	    .requested = asked, .write = write_it, .hold = hold, .ctx = k };
	char *options;
	int rc;

	if (!k->file)
		return 0;
	options = options_text(err);
	if (!options)
		return -1;
	k->estep_ranks = estep_ranks;
	set.options = options;
	k->c = cscg_checkpoint_new(&set, err);
	free(options);
	if (!k->c)
		return -1;
	rc = k->resume ? cscg_checkpoint_read(k->c, k->file, err) : 0;
	if (rc < 0)
		return -1;
	if (k->resume)
		cmd_talk(rc ? "resumed" : "no checkpoint yet: from the "
		    "beginning");
	return 0;
}

void
cmd_keep_end(struct cmd_keep *k)
{
	if (k->c)
		hold(k, false);
	cscg_checkpoint_free(k->c);
	k->c = NULL;
}
