/* goal - parsing, goal symbols, weights of goal states, the state of a walk */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "core/walk.h"
#include "file_text.h"
#include "need.h"
#include "plan/plan.h"
#include "tap.h"

static void
test_parse(void)
{
	static const struct {
		const char *text;
		int rc;
		enum cscg_goal_kind kind;
		int state;
		const char *symbol;
	} is[] = {
		{ "start", 0, CSCG_GOAL_START, -1, NULL },
		{ "env", 0, CSCG_GOAL_ENV, -1, NULL },
		{ "match", 0, CSCG_GOAL_MATCH, -1, NULL },
		{ "reward", 0, CSCG_GOAL_REWARD, -1, NULL },
		{ "symbol:3", 0, CSCG_GOAL_SYMBOL, -1, "3" },
		{ "symbol:a b", 0, CSCG_GOAL_SYMBOL, -1, "a b" },
		{ "state:0", 0, CSCG_GOAL_STATE, 0, NULL },
		{ "state:2147483647", 0, CSCG_GOAL_STATE, 2147483647, NULL },
		{ "state:2147483648", -1, CSCG_GOAL_STATE, -1, NULL },
		{ "state:99999999999999999999", -1, CSCG_GOAL_STATE, -1,
		    NULL },
		{ "state:-1", -1, CSCG_GOAL_STATE, -1, NULL },
		{ "state:+1", -1, CSCG_GOAL_STATE, -1, NULL },
		{ "state: 1", -1, CSCG_GOAL_STATE, -1, NULL },
		{ "state:1x", -1, CSCG_GOAL_STATE, -1, NULL },
		{ "state:", -1, CSCG_GOAL_STATE, -1, NULL },
		{ "symbol:", -1, CSCG_GOAL_START, -1, NULL },
		{ "starts", -1, CSCG_GOAL_START, -1, NULL },
		{ "", -1, CSCG_GOAL_START, -1, NULL },
	};
	struct cscg_goal goal;
	size_t i;
	int rc;

	for (i = 0; i < sizeof is / sizeof *is; i++) {
		err = (struct cscg_err){ 0 };
		rc = cscg_goal_parse(is[i].text, &goal, &err);
		ok(rc == is[i].rc &&
			(rc < 0 ? err.code == CSCG_EUSAGE :
				  goal.kind == is[i].kind &&
				    goal.state == is[i].state &&
				    (!is[i].symbol ||
					!strcmp(goal.symbol, is[i].symbol))),
		    "'%s': %s", is[i].text, rc < 0 ? err.msg : "taken");
	}
}

static void
test_symbol(void)
{
	static const char *const words[] = { "wall", "2", "door", NULL };
	struct cscg_goal goal = { .kind = CSCG_GOAL_SYMBOL, .symbol = "2" };
	struct cscg_names names = { 0 }, none = { 0 };

	need(cscg_names_set(&names, words, &err) < 0 ? NULL : &names);
	ok(cscg_goal_symbol(&goal, &names, 3, &err) == 1,
	    "a name has precedence over a number");
	ok(cscg_goal_symbol(&goal, &none, 3, &err) == 2,
	    "without names a symbol is a number");
	goal.symbol = "wall";
	ok(cscg_goal_symbol(&goal, &names, 3, &err) == 0,
	    "the first name is that of symbol 0");
	goal.symbol = "0";
	ok(cscg_goal_symbol(&goal, &names, 3, &err) == 0,
	    "a number is accepted if no symbol has this name");
	goal.symbol = "3";
	ok(cscg_goal_symbol(&goal, &names, 3, &err) == -1 &&
		!strcmp(err.msg,
		    "'3' is not the name of a symbol, nor the number of a "
		    "symbol in 0..2"),
	    "an unknown symbol is refused");
	ok(cscg_goal_symbol(&goal, &none, 3, &err) == -1 &&
		!strcmp(err.msg, "'3' is not the number of a symbol in 0..2"),
	    "without names an unknown number is refused");
	cscg_names_free(&names);
}

/* A ring of four states that emit 0 0 1 1; forth leads to the next one. */
static struct cscg_model *
ring(void)
{
	static const struct cscg_count count[] = { { 0, 0, 1, 9 },
		{ 0, 1, 2, 9 }, { 0, 2, 3, 9 }, { 0, 3, 0, 9 } };
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, 4, 1, 2,
	    &err));
	int j;

	for (j = 0; j < 4; j++)
		m->clone[j] = j / 2;
	need(cscg_model_set_counts(m, count, 4, &err) < 0 ? NULL : m);
	return m;
}

static void
test_weigh(void)
{
	struct cscg_model *m = ring();
	double w[4] = { 0, 0, 0, .25 };

	cscg_goal_weigh_symbol(m, 0, w);
	ok(w[0] == 1 && w[1] == 1 && w[2] == 0 && w[3] == .25,
	    "weights are 1 for states that emit the symbol, others are kept");
	/* A group of high confidence has weight 1, others their confidence. */
	m->confidence = need(calloc(4, sizeof *m->confidence));
	m->confidence[0] = .1;
	m->confidence[1] = .4;
	memset(w, 0, sizeof w);
	cscg_goal_weigh_symbol(m, 0, w);
	ok(w[0] == .4 && w[1] == .4 && w[2] == 0,
	    "weights are the best confidence of the group");
	m->confidence[1] = .5;
	memset(w, 0, sizeof w);
	cscg_goal_weigh_symbol(m, 0, w);
	ok(w[0] == 1 && w[1] == 1,
	    "a confidence of one half or more counts as 1");
	cscg_model_free(m);
}

/* The last of two episodes is 1 0 0 1: it begins in state 3 and ends in 2. */
static void
test_locate(void)
{
	static const int x[] = { 0, 1, 1, 0, 0, 1 };
	struct cscg_walk_header head = { .n_actions = 1, .n_obs = 2 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err)), *empty;
	struct cscg_model *m = ring();
	int t, last = -1, first = -1;
	double p[4];

	for (t = 0; t < 6; t++) {
		struct cscg_step s = { .x = x[t],
			.a = t == 1 || t == 5 ? -1 : 0,
			.z = -1,
			.goal = -1,
			.r = NAN };

		need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
	}
	ok(cscg_plan_locate(m, 0, w, &last, &first, p, &err) == 0 &&
		last == 2 && first == 3 && p[2] > .99,
	    "last and first state of the last episode");
	w->x[4] = w->x[3] = 1;
	m->pseudocount = 0;
	ok(cscg_plan_locate(m, 0, w, &last, &first, p, &err) == -1 &&
		err.code == CSCG_EMISMATCH,
	    "an impossible walk is refused: %s", err.msg);
	empty = need(cscg_walk_new(&head, &err));
	ok(cscg_plan_locate(m, 0, empty, &last, &first, p, &err) == -1 &&
		!strcmp(err.msg,
		    "the walk has no episode, so its last state is undefined"),
	    "a walk without steps is refused");
	cscg_walk_free(empty);
	cscg_walk_free(w);
	cscg_model_free(m);
}

/* ---- a plan as text ---- */

static char path[] = "/tmp/cscg-plan.XXXXXX";

/* As lines, or as JSON with this probability of the state now. */
static const char *
written(const struct cscg_plan *plan, const struct cscg_model *m, bool json,
    double now_p)
{
	struct cscg_out *out = need(cscg_out_open(path, 0, &err));

	need((json ? cscg_plan_write_json(plan, m, now_p, out, &err) :
		     cscg_plan_write(plan, m, out, &err)) < 0 ||
		    cscg_out_close(out, &err) < 0 ?
		NULL :
		out);
	return file_text(path);
}

/* The likeliest symbol of a state with emission rows is the first of equals. */
static void
test_write(void)
{
	static const char *const moves[] = { "forth", NULL };
	static const char *const symbols[] = { "a", "b", NULL };
	static const double E[] = { .25, .75, .5, .5, 1, 0, 0, 1 };
	struct cscg_model *m = ring();
	int a[] = { 0, 0 }, z[] = { 3, 0, 1 }, fd = mkstemp(path);
	double p[] = { 1, .5, .25 };
	const struct cscg_plan plan = { 2, a, z, p, .125 },
			       none = { 0, a, z, p, 1 };

	need(fd < 0 || close(fd) < 0 ? NULL : path);
	same_text(written(&plan, m, false, 0), "0\n0\n", "actions by number");
	same_text(written(&none, m, false, 0), "", "an empty plan");
	same_text(written(&plan, m, true, .5),
	    "{\"length\":2,\"probability\":0.125,\"now_p\":0.5,\"actions\":"
	    "[0,0],\"states\":[3,0,1],\"p\":[1,0.5,0.25],\"x\":[1,0,0],"
	    "\"x_p\":[1,1,1]}\n",
	    "as JSON");
	need(cscg_names_set(&m->actions, moves, &err) < 0 ||
		    cscg_names_set(&m->symbols, symbols, &err) < 0 ||
		    cscg_model_set_E(m, E, 2, &err) < 0 ?
		NULL :
		m);
	same_text(written(&plan, m, false, 0), "forth\nforth\n", "by name");
	same_text(written(&plan, m, true, NAN),
	    "{\"length\":2,\"probability\":0.125,\"now_p\":null,\"actions\":"
	    "[\"forth\",\"forth\"],\"states\":[3,0,1],\"p\":[1,0.5,0.25],"
	    "\"x\":[\"b\",\"b\",\"a\"],\"x_p\":[1,0.75,0.5]}\n",
	    "with names and emissions");
	cscg_model_unground(m, CSCG_CLONES);
	same_text(written(&none, m, true, 1),
	    "{\"length\":0,\"probability\":1.0,\"now_p\":1.0,\"actions\":[],"
	    "\"states\":[3],\"p\":[1]}\n",
	    "a schema has no symbols");
	cscg_model_free(m);
	unlink(path);
}

int
main(void)
{
	test_parse();
	test_symbol();
	test_weigh();
	test_locate();
	test_write();
	return done();
}
