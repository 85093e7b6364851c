/*
 * known.h - what holds across files, for clang-tidy, which looks at one at a time
 *
 * Included before everything else but in the files that define these.
 */
#include "tool.h"
#include "base/error.h"
#include "dist/ranks.h"

#define cscg_fail(...) (cscg_fail(__VA_ARGS__), -1)
#define cscg_fail_at(...) (cscg_fail_at(__VA_ARGS__), -1)
#define cscg_fail_hint(...) (cscg_fail_hint(__VA_ARGS__), -1)

/* A rank that failed does not receive success. */
static inline int
known_agree(struct cscg_ranks *r, int rc, long place, struct cscg_err *err)
{
	int all = cscg_ranks_agree(r, rc, place, err);

	return rc < 0 ? -1 : all;
}
#define cscg_ranks_agree known_agree

static inline int
known_cmd_agree(int rc, struct cscg_err *err)
{
	int all = cmd_agree(rc, err);

	return rc < 0 ? -1 : all;
}
#define cmd_agree known_cmd_agree
