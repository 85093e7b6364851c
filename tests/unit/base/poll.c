/* poll.c - after a poll has returned "stop" once, it is not called again */
#include "base/poll.h"
#include "tap.h"

struct calls {
	int n, stop_at;
	double done, total;
};

static int
on_call(void *ctx, const char *stage, double done, double total)
{
	struct calls *c = ctx;

	c->n++;
	c->done = done;
	c->total = total;
	return !strcmp(stage, "work") && c->n == c->stop_at;
}

int
main(void)
{
	struct calls c = { .stop_at = 2 };
	struct cscg_poll p = { .call = on_call, .ctx = &c };

	ok(!cscg_poll(NULL, "work", 1, 2) && !cscg_poll_stopped(NULL),
	    "without a poll function the run never stops");
	ok(!cscg_poll(&p, "work", 3, 4) && c.done == 3 && c.total == 4,
	    "the poll function receives the progress");
	ok(!cscg_poll_stopped(&p) && c.n == 1,
	    "reading the result does not call the poll function");
	ok(cscg_poll(&p, "work", 4, 4) && cscg_poll_stopped(&p), "it stops");
	ok(cscg_poll(&p, "work", 4, 4) && c.n == 2,
	    "a poll function that returned stop is not called again");
	return done();
}
