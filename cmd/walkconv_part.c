/* walkconv_part.c - the parts of a walk that --episodes and --head leave */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>

#include "cmd.h"
#include "core/walk.h"
#include "walkconv.h"

/* The last episode of a range; LONG_MAX is for those without one. */
static long
end_of_range(const char *p, char **end)
{
	long to = strtol(p, end, 10);

	return to < LONG_MAX ? to : LONG_MAX - 1;
}

/* One range of list, at p; returns what follows it. */
static const char *
next_range(const char *list, const char *p, long *from, long *to)
{
	char *end;

	if (!isdigit((unsigned char)*p))
		goto bad;
	*from = *to = strtol(p, &end, 10);
	if (*end == '-' && !isdigit((unsigned char)*++end))
		*to = LONG_MAX;
	else if (end[-1] == '-')
		*to = end_of_range(end, &end);
	if ((*end && *end != ',') || (*end == ',' && !end[1]) || *from > *to ||
	    *from > INT_MAX)
		goto bad;
	return *end ? end + 1 : end;
bad:
	cmd_usage("--episodes: '%s' is not a list such as 3,7-9,20-", list);
}

void
walkconv_judge_list(const char *list)
{
	const char *p = list;
	long from, to;

	if (!list)
		return;
	do
		p = next_range(list, p, &from, &to);
	while (*p);
}

int
walkconv_choose(struct cscg_walk **walk, const char *list, long head,
    struct cscg_err *err)
{
	struct cscg_walk *w = *walk, *part;
	const char *p = list ? list : "0-";
	long from, to;
	int rc = 0;

	if (!list && !head)
		return 0;
	part = cscg_walk_new(&w->head, err);
	if (!part)
		return -1;
	while (*p && rc == 0) {
		p = next_range(list, p, &from, &to);
		if (to == LONG_MAX && (from < w->n_episodes || !list))
			to = w->n_episodes - 1;
		if (to >= w->n_episodes)
			rc = cscg_fail(err, CSCG_EUSAGE, "--episodes %s: the "
			    "input has %d episodes", list, w->n_episodes);
		else
			rc = cscg_walk_add_episodes(part, w, (int)from,
			    (int)to + 1, head, err);
	}
	if (rc < 0) {
		cscg_walk_free(part);
		return -1;
	}
	cscg_walk_free(w);
	*walk = part;
	return 0;
}
