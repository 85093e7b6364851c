/* transitions_seen - observed successors of each action, and paths over them */
#include "plan/explore.h"
#include "need.h"
#include "tap.h"

enum { FORTH, BACK, JUMP };

/* The nearest untried action, as "distance symbol action". */
static int
untried(struct cscg_transitions_seen *f, int from, int moves, int symbol,
    int action)
{
	int x = -1, a = -1, m;

	cscg_transitions_seen_search(f, from);
	m = cscg_transitions_seen_untried(f, -1, &x, &a);
	if (m == moves && (m < 0 || (x == symbol && a == action)))
		return 1;
	printf("# %d moves to %d, action %d\n", m, x, a);
	return 0;
}

int
main(void)
{
	struct cscg_transitions_seen f;
	int x, a;

	/*
	 * A ring of four: forth leads 0 1 2 3 0, back is its inverse; jump
	 * stays.
	 */
	need(cscg_transitions_seen_init(&f, 4, 3, &err) < 0 ? NULL : &f);
	ok(untried(&f, 2, 0, 2, FORTH),
	    "no transitions: the first action, at distance 0");
	ok(cscg_transitions_seen_next(&f, 2, FORTH) == -1,
	    "an untried action has no successor");
	cscg_transitions_seen_add(&f, 0, FORTH, 1);
	cscg_transitions_seen_add(&f, 1, FORTH, 2);
	cscg_transitions_seen_search(&f, 0);
	ok(f.search.distance[0] == 0 && f.search.distance[1] == 1 &&
		f.search.distance[2] == 2 && f.search.distance[3] == -1 &&
		cscg_bfs_first_label(&f.search, 2) == FORTH &&
		f.search.n_reached == 3,
	    "the path over two transitions is found, and no other");
	cscg_transitions_seen_search(&f, 2);
	ok(f.search.n_reached == 1 && f.search.distance[0] == -1,
	    "there is no path against the transitions");

	cscg_transitions_seen_set_inverse(&f, FORTH, BACK);
	cscg_transitions_seen_clear(&f);
	ok(cscg_transitions_seen_next(&f, 0, FORTH) == -1,
	    "transitions are cleared");
	cscg_transitions_seen_add(&f, 0, FORTH, 1);
	ok(cscg_transitions_seen_next(&f, 1, BACK) == 0,
	    "the inverse transition is inferred");
	ok(cscg_transitions_seen_next(&f, 0, BACK) == -1,
	    "no other transition is inferred");
	ok(untried(&f, 0, 0, 0, BACK),
	    "an untried action with an inverse comes first");
	cscg_transitions_seen_add(&f, 0, BACK, 3);
	ok(cscg_transitions_seen_next(&f, 3, FORTH) == 0,
	    "the inverse holds in both directions");
	/* Untried: jump at 0, forth and jump at 1, back and jump at 3. */
	ok(untried(&f, 0, 0, 0, JUMP),
	    "the distance has precedence over inverses");
	cscg_transitions_seen_add(&f, 0, JUMP, 0);
	ok(untried(&f, 0, 1, 1, FORTH),
	    "the next untried action is at the next symbol");
	cscg_transitions_seen_add(&f, 1, FORTH, 2);
	cscg_transitions_seen_add(&f, 1, JUMP, 1);
	/* One step from 0: back at 3, which is preferred to jump. */
	ok(untried(&f, 0, 1, 3, BACK),
	    "at equal distance one with an inverse first");
	cscg_transitions_seen_add(&f, 3, BACK, 2);
	ok(untried(&f, 0, 1, 3, JUMP), "then one without an inverse");
	ok(untried(&f, 2, 0, 2, JUMP),
	    "from another symbol another action is nearest");
	cscg_transitions_seen_search(&f, 0);
	ok(cscg_transitions_seen_untried(&f, JUMP, &x, &a) == -1,
	    "all actions except jump are tried");
	cscg_transitions_seen_add(&f, 2, JUMP, 2);
	cscg_transitions_seen_add(&f, 3, JUMP, 3);
	ok(untried(&f, 0, -1, 0, 0), "all actions are tried");
	cscg_transitions_seen_search(&f, 0);
	ok(f.search.distance[2] == 2 && f.search.distance[3] == 1 &&
		cscg_bfs_first_label(&f.search, 3) == BACK &&
		f.search.n_reached == 4,
	    "distances around the ring");
	ok(cscg_transitions_seen_drop_inferred(&f) &&
		cscg_transitions_seen_next(&f, 1, BACK) == -1 &&
		cscg_transitions_seen_next(&f, 0, FORTH) == 1 &&
		cscg_transitions_seen_next(&f, 0, BACK) == 3,
	    "inferred transitions can be dropped");
	cscg_transitions_seen_add(&f, 2, FORTH, 3);
	ok(!cscg_transitions_seen_drop_inferred(&f) &&
		cscg_transitions_seen_next(&f, 3, BACK) == 2,
	    "observed transitions cannot be dropped");
	cscg_transitions_seen_free(&f);
	cscg_transitions_seen_free(&f);
	return done();
}
