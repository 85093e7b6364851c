/* fuzz_plan.c - plans as cscg-plan wrote them: cscg-show --as html --plan */
#include <math.h>

#include "fuzz.h"
#include "show/html.h"

enum { STATES = 4, ACTIONS = 2 };

/* A ring to go around in, forth (named) and back. */
static struct cscg_model *
ring(struct cscg_err *err)
{
	static const char *const words[] = { "forth", "back", NULL };
	struct cscg_model *m = cscg_model_new(CSCG_GROUNDED, STATES, ACTIONS,
	    STATES, err);
	struct cscg_count c[STATES * ACTIONS];
	int j;

	fuzz_must(m != NULL, "a model can be made");
	for (j = 0; j < STATES; j++) {
		m->clone[j] = j;
		c[j] = (struct cscg_count){ 0, j, (j + 1) % STATES, 1 };
		c[STATES + j] = (struct cscg_count){ 1, j,
			(j + STATES - 1) % STATES, 1 };
	}
	cscg_names_free(&m->actions);
	fuzz_must(cscg_model_set_counts(m, c, STATES * ACTIONS, err) == 0 &&
		cscg_names_set(&m->actions, words, err) >= 0,
	    "and filled");
	return m;
}

void
fuzz_one(const uint8_t *data, size_t size)
{
	struct cscg_err err = { 0 };
	struct cscg_plan plan = { 0 };
	struct cscg_model *m = ring(&err);
	struct cscg_plan_graph *map = cscg_plan_graph_new(m, 0, &err);
	long t;

	fuzz_must(map != NULL, "a map can be made");
	if (cscg_html_plan_read(fuzz_path(data, size), m, map,
		size % 2 ? 0 : -1, &plan, &err) < 0) {
		fuzz_failed |= fuzz_disarm();
		fuzz_refused(&err);
	} else {
		fuzz_failed |= fuzz_disarm();
		for (t = 0; t <= plan.n; t++)
			fuzz_must(plan.z[t] >= 0 && plan.z[t] < STATES &&
				plan.p[t] >= 0 && plan.p[t] <= 1 + 1e-9 &&
				(t == plan.n ||
				    (plan.a[t] >= 0 && plan.a[t] < ACTIONS)),
			    "a plan is one on the map");
	}
	cscg_plan_free(&plan);
	cscg_plan_graph_free(map);
	cscg_model_free(m);
}
