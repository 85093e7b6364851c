/* facts - what each action did, and the ways that are known from it */
#include "plan/explore.h"
#include "need.h"
#include "tap.h"

enum { FORTH, BACK, JUMP };

/* The nearest that was not tried, as "moves symbol action". */
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

	/* A ring of four: forth 0 1 2 3 0, back undoes it; jump stays. */
	need(cscg_transitions_seen_init(&f, 4, 3, &err) < 0 ? NULL : &f);
	ok(untried(&f, 2, 0, 2, FORTH),
	    "nothing is known: the first action, here");
	ok(cscg_transitions_seen_next(&f, 2, FORTH) == -1,
	    "that leads nobody knows where");
	cscg_transitions_seen_add(&f, 0, FORTH, 1);
	cscg_transitions_seen_add(&f, 1, FORTH, 2);
	cscg_transitions_seen_search(&f, 0);
	ok(f.search.distance[0] == 0 && f.search.distance[1] == 1 &&
		f.search.distance[2] == 2 && f.search.distance[3] == -1 &&
		cscg_bfs_first_label(&f.search, 2) == FORTH &&
		f.search.n_reached == 3,
	    "two moves are known: the way is found, and no other");
	cscg_transitions_seen_search(&f, 2);
	ok(f.search.n_reached == 1 && f.search.distance[0] == -1,
	    "there is no way back");

	cscg_transitions_seen_set_inverse(&f, FORTH, BACK);
	cscg_transitions_seen_clear(&f);
	ok(cscg_transitions_seen_next(&f, 0, FORTH) == -1,
	    "facts are forgotten");
	cscg_transitions_seen_add(&f, 0, FORTH, 1);
	ok(cscg_transitions_seen_next(&f, 1, BACK) == 0, "what undoes is not");
	ok(cscg_transitions_seen_next(&f, 0, BACK) == -1,
	    "and tells nothing else");
	ok(untried(&f, 0, 0, 0, BACK), "one that can be undone goes first");
	cscg_transitions_seen_add(&f, 0, BACK, 3);
	ok(cscg_transitions_seen_next(&f, 3, FORTH) == 0,
	    "the other undoes as well");
	/* At 0 jump is left; at 1 forth and jump, at 3 back and jump. */
	ok(untried(&f, 0, 0, 0, JUMP), "the nearest counts before that");
	cscg_transitions_seen_add(&f, 0, JUMP, 0);
	ok(untried(&f, 0, 1, 1, FORTH), "then the next place");
	cscg_transitions_seen_add(&f, 1, FORTH, 2);
	cscg_transitions_seen_add(&f, 1, JUMP, 1);
	/* One move from 0: at 3 back; so far as 3 it beats jump. */
	ok(untried(&f, 0, 1, 3, BACK),
	    "of places as far one that can be undone");
	cscg_transitions_seen_add(&f, 3, BACK, 2);
	ok(untried(&f, 0, 1, 3, JUMP), "then one that cannot");
	ok(untried(&f, 2, 0, 2, JUMP), "from elsewhere it is another");
	cscg_transitions_seen_search(&f, 0);
	ok(cscg_transitions_seen_untried(&f, JUMP, &x, &a) == -1,
	    "jumping apart, all is known");
	cscg_transitions_seen_add(&f, 2, JUMP, 2);
	cscg_transitions_seen_add(&f, 3, JUMP, 3);
	ok(untried(&f, 0, -1, 0, 0), "now all was tried");
	cscg_transitions_seen_search(&f, 0);
	ok(f.search.distance[2] == 2 && f.search.distance[3] == 1 &&
		cscg_bfs_first_label(&f.search, 3) == BACK &&
		f.search.n_reached == 4,
	    "ways around the ring");
	ok(cscg_transitions_seen_drop_inferred(&f) &&
		cscg_transitions_seen_next(&f, 1, BACK) == -1 &&
		cscg_transitions_seen_next(&f, 0, FORTH) == 1 &&
		cscg_transitions_seen_next(&f, 0, BACK) == 3,
	    "what was concluded can be doubted");
	cscg_transitions_seen_add(&f, 2, FORTH, 3);
	ok(!cscg_transitions_seen_drop_inferred(&f) &&
		cscg_transitions_seen_next(&f, 3, BACK) == 2,
	    "what was tried cannot");
	cscg_transitions_seen_free(&f);
	cscg_transitions_seen_free(&f);
	return done();
}
