/*
 * poll.c - progress reports of a long computation, and its end by a time limit
 */
#include <time.h>

#include "base/poll.h"

bool
cscg_poll(struct cscg_poll *p, const char *stage, double done, double total)
{
	if (p && !p->stopped && p->call(p->ctx, stage, done, total))
		p->stopped = true;
	return cscg_poll_stopped(p);
}

double
cscg_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}
