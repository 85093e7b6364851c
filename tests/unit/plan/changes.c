/* changes - rows that change: posterior by hand */
#include <math.h>

#include "need.h"
#include "plan/changes.h"
#include "tap.h"

static void
use(struct cscg_changes *c, long row, int k, double p_model, double p_noise,
    long step)
{
	need(cscg_changes_observe(c, row, k, p_model, p_noise, .5, step,
		 &err) < 0 ?
		NULL :
		c);
}

int
main(void)
{
	struct cscg_changes c = { .change_rate = .02 };
	double p, other_p, model, closed;
	int other;

	ok(cscg_changes_get(&c, 7, 0, &other, &other_p) == 1 && other < 0,
	    "a row without attempts has the model's probabilities");
	use(&c, 7, 3, .97, .01, 1);
	ok(c.n == 0, "an expected outcome changes nothing");
	/* Outcome 4 instead: noise .025, or a change to it. */
	use(&c, 7, 4, .025, .025, 1);
	model = (.98 + .01) * .025;
	closed = .01 * .5 * .975;
	p = cscg_changes_get(&c, 7, 1, &other, &other_p);
	ok(near(p, model / (model + closed), 1e-12) && other == 4 &&
		near(p + other_p, 1, 1e-12),
	    "after one failure the model's row has weight %.3f", p);
	model = (p * .98 + .01) * .025;
	closed = (other_p * .98 + .005) * .975;
	use(&c, 7, 4, .025, .025, 1);
	p = cscg_changes_get(&c, 7, 1, &other, &other_p);
	ok(near(p, model / (model + closed), 1e-12) && p < .2,
	    "after two failures the model's row has weight %.3f", p);
	use(&c, 7, 4, .025, .025, 1);
	ok(cscg_changes_get(&c, 7, 1, &other, &other_p) < .05,
	    "after three failures the model's row has weight below .05");
	ok(cscg_changes_get(&c, 6, 1, &other, &other_p) == 1 &&
		cscg_changes_get(&c, 8, 1, &other, &other_p) == 1,
	    "other rows are unchanged");
	p = cscg_changes_get(&c, 7, 1, &other, &other_p);
	ok(near(cscg_changes_get(&c, 7, 11, &other, &other_p),
	       1 - (1 - p) * pow(.995, 10), 1e-12),
	    "a change is forgotten at .005 per step");
	/* The transition is restored. */
	use(&c, 7, 3, .97, .01, 2);
	p = cscg_changes_get(&c, 7, 2, &other, &other_p);
	use(&c, 7, 3, .97, .01, 3);
	ok(p > .3 && cscg_changes_get(&c, 7, 3, &other, &other_p) > .9,
	    "two successes restore the model's row");
	use(&c, 2, 1, .01, .01, 3);
	ok(c.n == 2 && c.v[0].row == 2 && c.v[1].row == 7, "rows are sorted");
	cscg_changes_clear(&c);
	ok(cscg_changes_get(&c, 7, 3, &other, &other_p) == 1,
	    "clear removes all changes");
	cscg_changes_free(&c);
	return done();
}
