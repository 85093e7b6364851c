/*
 * settings.c - each setting of the public interface out of its range is refused
 *
 * A call that succeeds has one setting changed at a time.
 */
#include <math.h>
#include <string.h>

#include "cscg.h"
#include "tap.h"
#include "walker.h"

/* Whether the call fails with CSCG_EUSAGE and a message that contains text. */
static void
refused(bool failed, const char *text, const char *what)
{
	if (!ok(failed && err.code == CSCG_EUSAGE && strstr(err.msg, text),
		"%s", what))
		printf("# %s, code %d '%s', wanted '%s'\n",
		    failed ? "fails" : "succeeds", (int)err.code, err.msg,
		    text);
}

/* Set a value, call, restore it. */
#define WRONG(failed, lvalue, value, text) \
	do { \
		__typeof__(lvalue) before = lvalue; \
		lvalue = value; \
		err.code = CSCG_OK; \
		err.msg[0] = '\0'; \
		refused(failed, text, #lvalue " = " #value); \
		lvalue = before; \
	} while (0)

static struct cscg_room *room, *other;
static struct cscg_walk *walk;
static struct cscg_model *model, *schema, *second;

/* The settings of EM that every function has; failed calls it. */
#define WRONG_EM(failed, em) \
	do { \
		WRONG(failed, em.restarts, 0, "0 restarts"); \
		WRONG(failed, em.iterations, -2, "-2 iterations"); \
		WRONG(failed, em.tolerance, -1, "tolerance -1"); \
		WRONG(failed, em.tolerance, NAN, "tolerance"); \
		WRONG(failed, em.pseudocount, -1, "pseudocount -1"); \
		WRONG(failed, em.pseudocount, NAN, "pseudocount"); \
		WRONG(failed, em.pseudocount, INFINITY, "pseudocount inf"); \
		WRONG(failed, em.jitter, -2, "jitter -2"); \
		WRONG(failed, em.jitter, NAN, "jitter"); \
		WRONG(failed, em.isa, "none", "none"); \
	} while (0)

/* A result that must not be there. */
static bool
no_model(struct cscg_model *m)
{
	cscg_model_free(m);
	return !m;
}

static void
test_learn(void)
{
	struct cscg_learn_settings set = cscg_learn_defaults();

	set.em.restarts = 1;
	set.em.iterations = 2;
	ok(!no_model(cscg_model_learn(walk, &set, NULL, &err)), "learning");
	WRONG_EM(no_model(cscg_model_learn(walk, &set, NULL, &err)), set.em);
}

static void
test_bind(void)
{
	struct cscg_bind_settings set = cscg_bind_defaults();
	double loglik;

	set.em.restarts = 1;
	set.em.iterations = 2;
	ok(!no_model(cscg_model_bind(schema, walk, &set, &loglik, &err)),
	    "binding");
	WRONG_EM(no_model(cscg_model_bind(schema, walk, &set, &loglik, &err)),
	    set.em);
}

#define WRONG_TRACK(failed, track) \
	do { \
		WRONG(failed, track.beam, -1, "a beam of -1"); \
		WRONG(failed, track.jump, -.1, "jump -0.1"); \
		WRONG(failed, track.jump, 1, "jump 1"); \
		WRONG(failed, track.jump, NAN, "jump"); \
		WRONG(failed, track.rebind, -.1, "rebind -0.1"); \
		WRONG(failed, track.rebind, 1, "rebind 1"); \
		WRONG(failed, track.slip, -.1, "slip -0.1"); \
		WRONG(failed, track.slip, 1, "slip 1"); \
	} while (0)

static bool
no_tracker(const struct cscg_track_settings *set)
{
	struct cscg_alphabet alphabet = cscg_walk_alphabet(walk);
	struct cscg_tracker *t = cscg_tracker_new(schema, &alphabet, set,
	    &err);

	cscg_tracker_free(t);
	return !t;
}

static void
test_track(void)
{
	struct cscg_track_settings set = cscg_track_defaults();

	ok(!no_tracker(&set), "tracking");
	WRONG_TRACK(no_tracker(&set), set);
}

static bool
no_match(int n, const struct cscg_match_settings *set)
{
	const struct cscg_model *both[] = { schema, second };
	double p[2];

	return cscg_match_models(both, n, walk, set, p, &err) < 0;
}

static void
test_match(void)
{
	struct cscg_match_settings set = cscg_match_defaults();
	int n = 2;

	set.bind.em.restarts = 1;
	set.bind.em.iterations = 2;
	ok(!no_match(n, &set), "matching");
	WRONG(no_match(n, &set), n, 0, "no schema is given");
	WRONG(no_match(n, &set), set.every, -1, "a row every -1 steps");
	WRONG_TRACK(no_match(n, &set), set.track);
	WRONG_EM(no_match(n, &set), set.bind.em);
}

static bool
no_switch(int n, const struct cscg_switch_settings *set)
{
	const struct cscg_model *both[] = { schema, second };
	static double p[2 * 100], q[100];

	return cscg_switch_models(both, n, walk, set, p, q, &err) < 0;
}

static void
test_switch(void)
{
	struct cscg_switch_settings set = cscg_switch_defaults();
	int n = 2;

	set.em.restarts = 1;
	set.em.iterations = 2;
	ok(!no_switch(n, &set), "switching");
	WRONG(no_switch(n, &set), n, 0, "no schema is given");
	WRONG_EM(no_switch(n, &set), set.em);
	WRONG(no_switch(n, &set), set.em.iterations, 0, "0 iterations");
	WRONG(no_switch(n, &set), set.em.pseudocount, 0, "pseudocount 0");
	WRONG(no_switch(n, &set), set.em.jitter, -1, "jitter -1");
	WRONG(no_switch(n, &set), set.jump, 0, "jump 0 is outside (0, 1)");
	WRONG(no_switch(n, &set), set.jump, 1, "jump 1 is outside (0, 1)");
	set.online = true;
	WRONG(no_switch(n, &set), set.memory, 1023,
	    "online with a memory of 1023 steps");
	set.memory = 2000;
	WRONG(no_switch(n, &set), set.min_visited, .5, "min_visited 0.5");
}

static bool
no_stitch(int n, const struct cscg_stitch_settings *set)
{
	const struct cscg_model *both[] = { schema, second };
	int *origin = NULL;
	bool failed = no_model(cscg_model_stitch(both, n, walk, set, &origin,
	    &err));

	free(origin);
	return failed;
}

static void
test_stitch(void)
{
	struct cscg_stitch_settings set = cscg_stitch_defaults();
	int n = 2;

	set.boundary = true;
	set.bind.restarts = 1;
	set.bind.iterations = set.learn.iterations = 2;
	ok(!no_stitch(n, &set), "stitching");
	ok(!no_stitch(1, NULL), "stitching one schema, with the defaults");
	WRONG(no_stitch(n, &set), n, 0, "no schema is given");
	WRONG_EM(no_stitch(n, &set), set.bind);
	WRONG_EM(no_stitch(n, &set), set.learn);
	WRONG(no_stitch(n, &set), set.self_loop, -.1, "self_loop -0.1");
	WRONG(no_stitch(n, &set), set.self_loop, 1.1, "self_loop 1.1");
	WRONG(no_stitch(n, &set), set.prior_weight, -1, "prior_weight -1");
	WRONG(no_stitch(n, &set), set.reset_rounds, -1, "-1 reset rounds");
	WRONG(no_stitch(n, &set), set.viterbi_rounds, 0, "0 Viterbi rounds");
	WRONG(no_stitch(n, &set), set.learn.pseudocount, 0,
	    "a prior_weight above 0 needs a pseudocount of T above 0");
	set.boundary = false;
	ok(no_stitch(n, &set) && err.code == CSCG_EMISMATCH &&
		strstr(err.msg, "schema 0 has no frontiers"),
	    "schemas without frontiers cannot be joined");
}

static bool
no_partition(const struct cscg_partition_settings *set)
{
	struct cscg_partition *p = cscg_model_partition(model, set, &err);

	cscg_partition_free(p);
	return !p;
}

static void
test_partition(void)
{
	struct cscg_partition_settings set = cscg_partition_defaults();

	ok(!no_partition(&set), "partitioning");
	WRONG(no_partition(&set), set.max_conductance, -1, "conductance -1");
	WRONG(no_partition(&set), set.max_conductance, NAN, "conductance");
	WRONG(no_partition(&set), set.max_cut_ratio, -1, "cut ratio -1");
	WRONG(no_partition(&set), set.min_size, 0, "0 states");
	WRONG(no_partition(&set), set.min_prob, -1, "probability -1");
}

static bool
no_plan(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_plan_settings *set)
{
	struct cscg_plan found = { 0 };
	int rc = cscg_model_plan(m, w, set, &found, NULL, &err);

	cscg_plan_free(&found);
	return rc < 0;
}

static void
test_plan(void)
{
	struct cscg_plan_settings set = cscg_plan_defaults();
	const struct cscg_walk *w = walk;

	set.goal = CSCG_GOAL_STATE;
	set.goal_number = 1;
	ok(!no_plan(model, w, &set), "planning");
	WRONG(no_plan(model, w, &set), set.start, -2, "start: state -2");
	WRONG(no_plan(model, w, &set), set.start, 6,
	    "start: state 6 is outside 0..5");
	WRONG(no_plan(model, w, &set), set.goal, CSCG_GOAL_REWARD,
	    "goal: a symbol, a state or the start");
	WRONG(no_plan(model, w, &set), set.goal_number, -1,
	    "goal: state -1 is outside 0..5");
	WRONG(no_plan(model, w, &set), set.goal_number, 6, "goal: state 6");
	WRONG(no_plan(model, w, &set), set.confidence, -.1, "confidence -0.1");
	WRONG(no_plan(model, w, &set), set.confidence, 1.1, "confidence 1.1");
	WRONG(no_plan(model, w, &set), set.smooth, -1, "smooth -1");
	WRONG(no_plan(model, w, &set), w, NULL, "to determine the current");
	set.goal = CSCG_GOAL_SYMBOL;
	WRONG(no_plan(model, w, &set), set.goal_number, 6, "goal: symbol 6");
	ok(no_plan(schema, w, &set) && err.code == CSCG_EMISMATCH,
	    "a schema has no symbols");
	set.goal = CSCG_GOAL_START;
	set.start = 0;
	WRONG(no_plan(model, w, &set), w, NULL, "to determine the first");
}

static bool
no_agent(const struct cscg_agent_settings *set)
{
	struct cscg_alphabet alphabet = cscg_room_alphabet(room);
	struct cscg_agent *agent = cscg_agent_new(&alphabet, set, &err);

	cscg_agent_free(agent);
	return !agent;
}

static void
test_agent(void)
{
	const struct cscg_model *one[] = { model };
	struct cscg_agent_settings set = cscg_agent_defaults();

	set.model = one;
	set.n_models = 1;
	set.goal = CSCG_GOAL_SYMBOL;
	set.goal_number = 1;
	ok(!no_agent(&set), "an agent");
	WRONG(no_agent(&set), set.goal_number, -1,
	    "goal: symbol -1 is outside 0..5");
	WRONG(no_agent(&set), set.goal_number, 6, "goal: symbol 6");
	WRONG(no_agent(&set), set.isa, "none", "none");
	set.goal = CSCG_GOAL_STATE;
	WRONG(no_agent(&set), set.goal_number, -1, "goal: state -1");
	set.goal = CSCG_GOAL_MATCH;
	WRONG(no_agent(&set), set.n_models, 0,
	    "no model is given to identify");
}

static bool
no_predictor(int n, const struct cscg_predict_settings *set)
{
	const struct cscg_model *one[] = { model };
	struct cscg_predictor *p = cscg_predictor_new(one, n, set, &err);

	cscg_predictor_free(p);
	return !p;
}

static void
test_predict(void)
{
	struct cscg_predict_settings set = cscg_predict_defaults();
	double prior = 2;
	int n = 1;

	set.prior = &prior;
	ok(!no_predictor(n, &set), "predicting");
	WRONG(no_predictor(n, &set), n, 0, "no model is given");
	WRONG(no_predictor(n, &set), set.unseen, -.1, "probability of -0.1");
	WRONG(no_predictor(n, &set), set.unseen, 1, "probability of 1");
	WRONG(no_predictor(n, &set), prior, 0, "a prior of 0 for model 0");
	WRONG(no_predictor(n, &set), prior, NAN, "a prior of");
	WRONG(no_predictor(n, &set), prior, INFINITY, "a prior of inf");
	WRONG(no_predictor(n, &set), set.isa, "none", "none");
}

static bool
no_walk(const struct cscg_room *a, const struct cscg_room *b, int n,
    const struct cscg_room_walk_settings *set)
{
	const struct cscg_room *both[] = { a, b };
	struct cscg_walk *w = cscg_room_walk(both, n, set, &err);

	cscg_walk_free(w);
	return !w;
}

static void
test_walk(void)
{
	struct cscg_room_walk_settings set = cscg_room_walk_defaults();
	int n = 1;

	set.steps = 3;
	ok(!no_walk(room, room, 2, &set), "walking in two rooms");
	WRONG(no_walk(room, room, n, &set), n, 0, "no room is given");
	WRONG(no_walk(room, room, n, &set), set.steps, 0, "of 0 steps");
	WRONG(no_walk(room, room, n, &set), set.episodes, -1, "-1 episodes");
	WRONG(no_walk(room, room, n, &set), set.start, -2, "start node -2");
	WRONG(no_walk(room, room, n, &set), set.start, 6,
	    "start node 6 is outside 0..5");
	ok(no_walk(room, other, 2, &set) && err.code == CSCG_EMISMATCH &&
		strstr(err.msg, "room 1: its alphabet is not that of room 0"),
	    "rooms with different symbols");
}

static bool
no_codebook(enum cscg_pixel type, const struct cscg_kmeans_settings *set)
{
	static const float frame[] = { 0, 0, 0, 1, 9, 9, 9, 8 };
	int label[4];
	struct cscg_codebook *book = cscg_codebook_fit(type, frame, 4, 2, set,
	    label, &err);

	cscg_codebook_free(book);
	return !book;
}

static void
test_kmeans(void)
{
	struct cscg_kmeans_settings set = cscg_kmeans_defaults();
	enum cscg_pixel type = CSCG_PIXEL_SINGLE;

	set.k = 2;
	set.restarts = 1;
	ok(!no_codebook(type, &set), "a codebook");
	WRONG(no_codebook(type, &set), set.k, 0, "0 centroids");
	WRONG(no_codebook(type, &set), set.restarts, 0, "0 restarts");
	WRONG(no_codebook(type, &set), set.iterations, -1, "-1 iterations");
	WRONG(no_codebook(type, &set), set.tolerance, -1, "tolerance -1");
	WRONG(no_codebook(type, &set), set.tolerance, NAN, "tolerance");
}

int
main(void)
{
	struct walker how = { .n = 60, .seed = 1 };

	room = shape_room(CSCG_RECTANGLE, 2, 3);
	other = shape_room(CSCG_RECTANGLE, 2, 2);
	cscg_room_label_unique(room);
	walk = walk_in(room, &how);
	model = need(cscg_room_model(room, 100, 1e-4, NULL, &err));
	schema = need(cscg_model_copy(model, &err));
	cscg_model_unground(schema, CSCG_CLONES);
	second = need(cscg_room_model(other, 100, 1e-4, NULL, &err));
	cscg_model_unground(second, CSCG_CLONES);
	test_learn();
	test_bind();
	test_track();
	test_match();
	test_switch();
	test_stitch();
	test_partition();
	test_plan();
	test_agent();
	test_predict();
	test_walk();
	test_kmeans();
	cscg_room_free(room);
	cscg_room_free(other);
	cscg_walk_free(walk);
	cscg_model_free(model);
	cscg_model_free(schema);
	cscg_model_free(second);
	return done();
}
