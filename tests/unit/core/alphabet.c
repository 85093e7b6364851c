/*
 * alphabet.c - walks and models with different numbers of symbols and actions
 */
#include <string.h>

#include "core/walk.h"
#include "tap.h"
#include "walk_check.h"
#include "walker.h"

/* A model of 3 states, 2 actions and 3 symbols, named or not. */
static struct cscg_model *
model(const char *const *actions, const char *const *symbols)
{
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, 3, 2, 3,
	    &err));

	m->clone[1] = 1;
	m->clone[2] = 2;
	if (actions)
		need(cscg_names_set(&m->actions, actions, &err) < 0 ? NULL :
								      m);
	if (symbols)
		need(cscg_names_set(&m->symbols, symbols, &err) < 0 ? NULL :
								      m);
	return m;
}

/* 0 1 2 none 0 in two episodes, with goals. */
static struct cscg_walk *
walk(const char *const *actions, const char *const *symbols, int n_obs)
{
	static const int x[5] = { 0, 1, 2, -1, 0 };
	static const int a[5] = { 0, 1, -1, 1, -1 };
	static const int goal[5] = { 2, 1, -1, 0, 2 };
	struct cscg_walk_header head = { .n_actions = 2, .n_obs = n_obs };
	struct cscg_walk *w;
	int t;

	if (actions)
		need(cscg_names_set(&head.actions, actions, &err) < 0 ? NULL :
									&head);
	if (symbols)
		need(cscg_names_set(&head.symbols, symbols, &err) < 0 ? NULL :
									&head);
	w = need(cscg_walk_new(&head, &err));
	cscg_walk_header_free(&head);
	for (t = 0; t < 5; t++) {
		struct cscg_step s = { .x = x[t],
			.a = a[t],
			.z = -1,
			.goal = goal[t],
			.r = NAN };

		need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
	}
	return w;
}

static int
is(const int *got, int a, int b, int c, int d, int e)
{
	int want[5] = { a, b, c, d, e };

	return !memcmp(got, want, sizeof want);
}

static const char *const go[] = { "go", "stay", NULL };
static const char *const og[] = { "stay", "go", NULL };
static const char *const gone[] = { "go", "gone", NULL };
static const char *const abc[] = { "a", "b", "c", NULL };
static const char *const cab[] = { "c", "a", "b", NULL };
static const char *const abd[] = { "a", "b", "d", NULL };
static const char *const abcd[] = { "a", "b", "c", "d", NULL };

static void
named(void)
{
	struct cscg_model *m = model(go, abc);
	struct cscg_walk *w = walk(og, cab, 3);

	ok(cscg_alphabet_map_walk(w, m, &err) == 0,
	    "permuted names are mapped");
	ok(is(w->a, 1, 0, -1, 0, -1), "actions have the model's numbers");
	ok(is(w->x, 2, 0, 1, -1, 2), "symbols have the model's numbers");
	ok(is(w->goal, 1, 0, -1, 2, 1), "goals have the model's numbers");
	ok(!strcmp(w->head.actions.v[0], "go") &&
		!strcmp(w->head.symbols.v[0], "a"),
	    "the header has the model's names");
	ok(walk_is_valid(w), "the mapped walk is valid");
	cscg_walk_free(w);
	cscg_model_free(m);
}

static void
unnamed(void)
{
	struct cscg_model *m = model(NULL, NULL);
	struct cscg_walk *w = walk(og, cab, 3);

	ok(cscg_alphabet_map_walk(w, m, &err) == 0 &&
		is(w->a, 0, 1, -1, 1, -1) && is(w->x, 0, 1, 2, -1, 0),
	    "without names in the model, numbers are kept");
	ok(w->head.actions.n == 2 && w->head.symbols.n == 3,
	    "the walk keeps names that the model lacks");
	cscg_walk_free(w);

	/* A larger alphabet, with more names than the model has symbols. */
	w = walk(og, abcd, 4);
	ok(cscg_alphabet_map_walk(w, m, &err) == 0 && w->head.n_obs == 3 &&
		w->head.symbols.n == 0 && walk_is_valid(w),
	    "names are dropped if they are more than the model's symbols");
	cscg_walk_free(w);
	cscg_model_free(m);

	m = model(go, abc);
	w = walk(NULL, NULL, 3);
	ok(cscg_alphabet_map_walk(w, m, &err) == 0 &&
		is(w->x, 0, 1, 2, -1, 0) && w->head.symbols.n == 3,
	    "a walk without names gets the model's names");
	cscg_walk_free(w);
	cscg_model_free(m);
}

static void
unknown_symbols(void)
{
	struct cscg_model *m = model(go, abc);
	struct cscg_walk *w = walk(gone, abc, 3);
	struct cscg_alphabet_map fit = { 0 };
	struct cscg_step s = { .x = 2, .a = 1, .goal = 2 };

	ok(cscg_alphabet_map_walk(w, m, &err) < 0 &&
		err.code == CSCG_EMISMATCH &&
		strstr(err.msg,
		    "action 'gone' does not occur in the other input"),
	    "an action of another name: %s", err.msg);
	cscg_walk_free(w);

	w = walk(go, abd, 3);
	ok(cscg_alphabet_map_walk(w, m, &err) < 0 &&
		err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg,
		    "episode 0, step 2: symbol 'd' is not one of the model's "
		    "3, 'a' first"),
	    "a symbol of another name: %s", err.msg);
	ok(cscg_alphabet_map_new(&fit, &w->head, m, &err) == 0 &&
		fit.symbols[0] == 0 && fit.symbols[2] == -2,
	    "the alphabet may have a symbol that the model lacks");
	s.x = 1;
	ok(cscg_alphabet_map_step(&fit, &s, &err) == 0 && s.x == 1 && s.a == 1,
	    "steps without that symbol are mapped");
	ok(s.goal == -1, "a goal that the model lacks becomes no goal");
	cscg_alphabet_map_free(&fit);
	ok(!fit.actions && !fit.symbols, "a freed map is empty");
	cscg_alphabet_map_free(&fit);
	cscg_walk_free(w);

	/* Steps are counted within their episode. */
	w = walk(go, abcd, 4);
	w->x[4] = 3;
	ok(cscg_alphabet_map_walk(w, m, &err) < 0 &&
		!strcmp(err.msg,
		    "episode 1, step 1: symbol 'd' is not one of the model's "
		    "3, 'a' first"),
	    "the message counts steps within the episode: %s", err.msg);
	cscg_walk_free(w);
	cscg_model_free(m);

	/* Unequal numbers without names. */
	m = need(cscg_model_new(CSCG_GROUNDED, 1, 3, 3, &err));
	w = walk(NULL, NULL, 3);
	ok(cscg_alphabet_map_walk(w, m, &err) < 0 &&
		err.code == CSCG_EMISMATCH &&
		strstr(err.msg, "2 actions do not fit 3"),
	    "fewer actions: %s", err.msg);
	cscg_walk_free(w);
	cscg_model_free(m);
}

/* A schema has no symbols: any alphabet of the walk is accepted. */
static void
schema(void)
{
	struct cscg_model *m = model(go, abc);
	struct cscg_walk *w = walk(og, abcd, 4);
	struct cscg_alphabet_map fit;

	cscg_model_unground(m, CSCG_SCHEMA);
	ok(cscg_alphabet_map_new(&fit, &w->head, m, &err) == 0 && !fit.symbols,
	    "a schema maps actions only");
	cscg_alphabet_map_free(&fit);
	w->x[1] = 3;
	ok(cscg_alphabet_map_walk(w, m, &err) == 0 &&
		is(w->x, 0, 3, 2, -1, 0) && is(w->a, 1, 0, -1, 0, -1) &&
		is(w->goal, 2, 1, -1, 0, 2) && w->head.n_obs == 4 &&
		w->head.symbols.n == 4,
	    "a schema leaves symbols and goals unchanged");
	cscg_walk_free(w);
	cscg_model_free(m);
}

int
main(void)
{
	named();
	unnamed();
	unknown_symbols();
	schema();
	return done();
}
