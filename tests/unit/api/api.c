/* The functions of cscg.h, used as a program outside of the library would. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cscg.h"
#include "tap.h"

enum { UP, DOWN, LEFT, RIGHT, N_ACTIONS };

static const char *const directions[] = { "up", "down", "left", "right" };
static struct cscg_err err;

/* An open grid; interior cells share symbol 0, all others are unique. */
static struct cscg_room *
grid(int rows, int cols)
{
	int n = rows * cols, a, v, n_symbols = 1;
	int *symbol = calloc((size_t)n, sizeof *symbol);
	int *to = calloc((size_t)(N_ACTIONS * n), sizeof *to);
	long *first = calloc((size_t)(N_ACTIONS * n) + 1, sizeof *first);
	double *p = calloc((size_t)(N_ACTIONS * n), sizeof *p);
	static const int dr[] = { -1, 1, 0, 0 }, dc[] = { 0, 0, -1, 1 };
	struct cscg_room_arrays arrays = { n, symbol, first, to, p };
	struct cscg_alphabet alphabet = { N_ACTIONS, 0, directions, NULL };
	struct cscg_room *room;

	for (v = 0; v < n; v++) {
		int r = v / cols, c = v % cols;

		if (r == 0 || c == 0 || r == rows - 1 || c == cols - 1)
			symbol[v] = n_symbols++;
		for (a = 0; a < N_ACTIONS; a++) {
			int r2 = r + dr[a], c2 = c + dc[a], i = a * n + v;

			to[i] = r2 < 0 || c2 < 0 || r2 == rows || c2 == cols ?
			    v :
			    r2 * cols + c2;
			first[i + 1] = i + 1;
			p[i] = 1;
		}
	}
	alphabet.n_symbols = n_symbols;
	room = cscg_room_from_arrays(&alphabet, &arrays, &err);
	free(symbol);
	free(to);
	free(first);
	free(p);
	return room;
}

static struct cscg_walk *
walk_in(const struct cscg_room *room, long steps, uint64_t seed)
{
	struct cscg_room_walk_settings set = cscg_room_walk_defaults();

	set.steps = steps;
	set.seed = seed;
	return cscg_room_walk(&room, 1, &set, &err);
}

/* A model learned from a walk, as a schema with clone structure. */
static struct cscg_model *
schema_of(const struct cscg_room *room)
{
	struct cscg_walk *w = walk_in(room, 5000, 1);
	struct cscg_model *m = w ? cscg_model_learn(w, NULL, NULL, &err) :
				   NULL;

	cscg_walk_free(w);
	if (m)
		cscg_model_unground(m, CSCG_CLONES);
	return m;
}

static int
failed(const void *object, enum cscg_code code)
{
	return !object && err.code == code && err.msg[0] &&
	    !strchr(err.msg, '\n');
}

static void
test_room(void)
{
	static const int symbol[] = { 0, 5 }, to[] = { 1, 0, 7, 0 };
	static const long first[] = { 0, 1, 2 }, falls[] = { 0, 3, 2 };
	static const double p[] = { 1, 1, 1, 1 };
	static const char *const twice[] = { "a", "a" };
	struct cscg_alphabet one = { 1, 6, NULL, NULL },
			     two = { 2, 6, twice, NULL },
			     none = { 0, 6, NULL, NULL };
	struct cscg_room_arrays arrays = { 2, symbol, first, to, p };
	struct cscg_room *room = cscg_room_from_arrays(&one, &arrays, &err);
	struct cscg_room_arrays back;

	ok(room != NULL, "a room is made from arrays");
	cscg_room_get_arrays(room, &back);
	ok(back.n_nodes == 2 && back.symbol[1] == 5 && back.to[0] == 1 &&
		back.p[1] == 1 && back.first[2] == 2,
	    "a room returns its arrays");
	ok(cscg_room_alphabet(room).n_symbols == 6 &&
		!cscg_room_alphabet(room).symbols,
	    "a room returns its alphabet");
	cscg_room_free(room);
	arrays.first = falls;
	ok(failed(cscg_room_from_arrays(&one, &arrays, &err), CSCG_ERANGE),
	    "decreasing offsets are refused: %s", err.msg);
	arrays.first = first;
	arrays.to = to + 2;
	ok(failed(cscg_room_from_arrays(&one, &arrays, &err), CSCG_ERANGE),
	    "a node out of range is refused: %s", err.msg);
	arrays.to = NULL;
	ok(failed(cscg_room_from_arrays(&one, &arrays, &err), CSCG_ERANGE),
	    "a missing array is refused: %s", err.msg);
	ok(failed(cscg_room_from_arrays(&none, &arrays, &err), CSCG_ERANGE),
	    "an alphabet without actions is refused: %s", err.msg);
	arrays.to = to;
	arrays.n_nodes = 1;
	ok(failed(cscg_room_from_arrays(&two, &arrays, &err), CSCG_EFORMAT),
	    "equal names are refused: %s", err.msg);
	ok(failed(cscg_room_read_file("/none/such", &err), CSCG_EREAD),
	    "a missing file is an error: %s", err.msg);
}

static void
test_walk(const struct cscg_room *room)
{
	struct cscg_alphabet small = { 2, 3, NULL, NULL };
	static const int x[] = { 0, -1, 2, 1 }, a[] = { 0, 1, -1, 0 };
	struct cscg_walk_arrays in = { .n_steps = 3, .x = x, .a = a }, out;
	struct cscg_walk *w = cscg_walk_from_arrays(&small, &in, &err), *w2;
	struct cscg_step step = {
		.x = 1, .a = 1, .z = -1, .goal = -1, .r = NAN
	};
	struct cscg_room_walk_settings set = cscg_room_walk_defaults();

	cscg_walk_get_arrays(w, &out);
	ok(out.n_steps == 3 && out.n_episodes == 1 && out.start[1] == 3 &&
		out.x[1] == -1 && !out.z,
	    "a walk is made from arrays");
	ok(cscg_walk_add_step(w, &step, &err) == 0, "a step is added");
	cscg_walk_get_arrays(w, &out);
	ok(out.n_steps == 3, "an episode without end is not in the arrays");
	step.a = -1;
	ok(cscg_walk_add_step(w, &step, &err) == 0,
	    "the last step of an episode is added");
	cscg_walk_get_arrays(w, &out);
	ok(out.n_steps == 5 && out.n_episodes == 2,
	    "an ended episode is in the arrays");
	step.x = 3;
	ok(cscg_walk_add_step(w, &step, &err) < 0 && err.code == CSCG_ERANGE,
	    "a symbol outside the alphabet is refused: %s", err.msg);
	cscg_walk_free(w);
	in.n_steps = 4;
	ok(failed(cscg_walk_from_arrays(&small, &in, &err), CSCG_EFORMAT),
	    "an episode without end is refused: %s", err.msg);
	small.n_actions = 1;
	ok(failed(cscg_walk_from_arrays(&small, &in, &err), CSCG_ERANGE),
	    "an action outside the alphabet is refused: %s", err.msg);
	w = walk_in(room, 100, 3);
	w2 = walk_in(room, 100, 3);
	cscg_walk_get_arrays(w, &in);
	cscg_walk_get_arrays(w2, &out);
	ok(in.n_steps == 100 && out.n_steps == 100 && out.z &&
		!memcmp(in.x, out.x, 100 * sizeof *in.x),
	    "a seed fixes a random walk");
	cscg_walk_free(w);
	cscg_walk_free(w2);
	set.policy = "dance";
	ok(failed(cscg_room_walk(&room, 1, &set, &err), CSCG_EUSAGE),
	    "an unknown policy is refused: %s", err.msg);
	set.policy = "random";
	set.start = 1000;
	ok(failed(cscg_room_walk(&room, 1, &set, &err), CSCG_EUSAGE),
	    "a start outside the room is refused: %s", err.msg);
	ok(failed(cscg_room_walk(&room, 0, NULL, &err), CSCG_EUSAGE),
	    "a walk without a room is refused: %s", err.msg);
}

/* Two states that emit two symbols with noise: emission rows. */
static void
test_model_arrays(void)
{
	static const long first[] = { 0, 1, 2 }, e_first[] = { 0, 2, 3 };
	static const int to[] = { 1, 0 }, e_symbol[] = { 0, 1, 1 };
	static const double count[] = { 3, 5 }, e_p[] = { .75, .25, 1 };
	static const double half[] = { .75, .2, 1 };
	struct cscg_alphabet alphabet = { 1, 2, NULL, NULL };
	struct cscg_model_arrays in = { .kind = CSCG_GROUNDED,
		.n_states = 2,
		.pseudocount = 1,
		.first = first,
		.to = to,
		.count = count,
		.e_first = e_first,
		.e_symbol = e_symbol,
		.e_p = e_p },
				 out;
	struct cscg_model *m = cscg_model_from_arrays(&alphabet, &in, &err);
	double T[4], E[4];

	ok(m != NULL, "a model is made from arrays");
	cscg_model_get_T(m, T);
	ok(near(T[0], .2, 1e-12) && near(T[1], .8, 1e-12) &&
		near(T[2], 6. / 7, 1e-12),
	    "a model returns T");
	ok(near(T[1], cscg_model_T(m, 0, 0, 1), 1e-12),
	    "a model returns single entries of T");
	ok(cscg_model_get_E(m, E, &err) == 0 && E[0] == .75 && E[3] == 1 &&
		cscg_model_E(m, 0, 1) == .25,
	    "a model returns E");
	cscg_model_get_arrays(m, &out);
	ok(out.n_states == 2 && !out.clone && out.count[1] == 5 &&
		out.e_symbol[2] == 1,
	    "a model returns its arrays");
	cscg_model_unground(m, CSCG_CLONES);
	cscg_model_get_arrays(m, &out);
	ok(out.kind == CSCG_SCHEMA && cscg_model_get_E(m, E, &err) < 0 &&
		err.code == CSCG_EMISMATCH,
	    "a schema has no E: %s", err.msg);
	cscg_model_free(m);
	in.e_p = half;
	ok(failed(cscg_model_from_arrays(&alphabet, &in, &err), CSCG_ERANGE),
	    "emissions that do not sum to one are refused: %s", err.msg);
	in.e_first = NULL;
	ok(failed(cscg_model_from_arrays(&alphabet, &in, &err), CSCG_EFORMAT),
	    "a grounded model without emissions and clones is refused: %s",
	    err.msg);
}

static void
test_files(const struct cscg_room *room, const struct cscg_walk *walk,
    const struct cscg_model *m)
{
	char path[] = "/tmp/cscg-api.XXXXXX", gz[64];
	int fd = mkstemp(path);
	struct cscg_room *room2 = NULL;
	struct cscg_walk *walk2 = NULL;
	struct cscg_model *m2 = NULL;
	char *both[2];
	struct cscg_walk_arrays one, all;
	struct cscg_walk *joined;

	snprintf(gz, sizeof gz, "%s.gz", path);
	ok(fd >= 0 && close(fd) == 0, "a temporary file is made");
	if (cscg_room_write_file(room, path, &err) == 0)
		room2 = cscg_room_read_file(path, &err);
	ok(room2 &&
		cscg_room_alphabet(room2).n_symbols ==
		    cscg_room_alphabet(room).n_symbols,
	    "a room is written and read");
	if (cscg_walk_write_file(walk, gz, &err) == 0)
		walk2 = cscg_walk_read_file(gz, &err);
	ok(walk2 && !strcmp(cscg_walk_alphabet(walk2).actions[LEFT], "left"),
	    "a walk is written and read as gzip");
	both[0] = both[1] = gz;
	joined = cscg_walk_read(both, 2, &err);
	cscg_walk_get_arrays(walk, &one);
	if (joined)
		cscg_walk_get_arrays(joined, &all);
	ok(joined && all.n_steps == 2 * one.n_steps && all.n_episodes == 2,
	    "two files are read as one walk");
	if (cscg_model_write_file(m, path, &err) == 0)
		m2 = cscg_model_read_file(path, &err);
	ok(m2 && cscg_model_n_states(m2) == cscg_model_n_states(m),
	    "a model is written and read");
	ok(cscg_model_write_file(m, "/none/such", &err) < 0 &&
		err.code == CSCG_EUSAGE,
	    "an output that cannot be written is an error: %s", err.msg);
	ok(failed(cscg_model_read_file(gz, &err), CSCG_EFORMAT),
	    "a walk instead of a model is refused: %s", err.msg);
	cscg_room_free(room2);
	cscg_walk_free(walk2);
	cscg_walk_free(joined);
	cscg_model_free(m2);
	unlink(path);
	unlink(gz);
}

static void
test_score(const struct cscg_model *m, const struct cscg_walk *w)
{
	struct cscg_walk_arrays arrays;
	double loglik, sum = 0, logp, *step, *p;
	size_t n = (size_t)cscg_model_n_states(m);
	struct cscg_model *schema = cscg_model_copy(m, &err);
	long t, same = 0;
	int *state;

	cscg_walk_get_arrays(w, &arrays);
	step = calloc((size_t)arrays.n_steps, sizeof *step);
	state = calloc((size_t)arrays.n_steps, sizeof *state);
	p = calloc((size_t)arrays.n_steps * n, sizeof *p);
	ok(cscg_model_loglik(m, w, &loglik, step, &err) == 0 && loglik < 0 &&
		isfinite(loglik),
	    "log-likelihood of a walk");
	for (t = 0; t < arrays.n_steps; t++)
		sum += step[t];
	ok(near(sum, loglik, 1e-9),
	    "the log-likelihood is the sum over the steps");
	ok(cscg_model_viterbi(m, w, state, &logp, &err) == 0 && logp <= loglik,
	    "the Viterbi path is not more probable than the walk");
	ok(cscg_model_posterior(m, w, 0, p, &err) == 0,
	    "posterior of an episode");
	for (t = 0; t < arrays.n_steps; t++)
		same += p[(size_t)t * n + (size_t)state[t]] > .5;
	ok(same > arrays.n_steps * 9 / 10,
	    "the posterior agrees with the Viterbi path");
	ok(cscg_model_posterior(m, w, 1, p, &err) < 0 &&
		err.code == CSCG_ERANGE,
	    "an episode out of range is refused: %s", err.msg);
	cscg_model_unground(schema, CSCG_CLONES);
	ok(cscg_model_loglik(schema, w, &loglik, NULL, &err) < 0 &&
		err.code == CSCG_EMISMATCH,
	    "a schema has no likelihood: %s", err.msg);
	cscg_model_free(schema);
	free(step);
	free(state);
	free(p);
}

/* Predictions: rows sum to one, and have P(x[t] | past) of the likelihood. */
static void
test_predict(const struct cscg_model *m, const struct cscg_walk *w)
{
	size_t n = (size_t)cscg_model_alphabet(m).n_symbols, k;
	struct cscg_walk_arrays arrays;
	double *step, *p, loglik, sum;
	long t, good = 0;

	cscg_walk_get_arrays(w, &arrays);
	step = calloc((size_t)arrays.n_steps, sizeof *step);
	p = calloc((size_t)arrays.n_steps * n, sizeof *p);
	ok(cscg_model_loglik(m, w, &loglik, step, &err) == 0 &&
		cscg_model_predict(m, w, p, &err) == 0,
	    "the next observation is predicted");
	for (t = 0; t < arrays.n_steps; t++) {
		for (sum = 0, k = 0; k < n; k++)
			sum += p[(size_t)t * n + k];
		good += near(sum, 1, 1e-9) &&
		    near(log(p[(size_t)t * n + (size_t)arrays.x[t]]), step[t],
			1e-9);
	}
	ok(good == arrays.n_steps,
	    "predictions sum to one and have the likelihood of the next "
	    "symbol");
	free(step);
	free(p);
}

/* Two states alternate; the second episode stays in its state. */
static void
test_predict_impossible(void)
{
	static const int clone[] = { 0, 1 }, to[] = { 1, 0 };
	static const int x[] = { 0, 1, 0, 1, 0, 0, 0, 0, 0, 0 };
	static const int a[] = { 0, 0, 0, 0, -1, 0, 0, 0, 0, -1 };
	static const long first[] = { 0, 1, 2 };
	static const double count[] = { 1, 1 };
	static const double want[] = { .5, .5, 0, 1, 0, 0, 0, 0, 0, 0 };
	const struct cscg_alphabet alphabet = { .n_actions = 1,
		.n_symbols = 2 };
	const struct cscg_model_arrays model = { .kind = CSCG_GROUNDED,
		.n_states = 2,
		.clone = clone,
		.first = first,
		.to = to,
		.count = count };
	const struct cscg_walk_arrays walk = { .n_steps = 10, .x = x, .a = a };
	struct cscg_model *m = cscg_model_from_arrays(&alphabet, &model, &err);
	struct cscg_walk *w = cscg_walk_from_arrays(&alphabet, &walk, &err);
	double p[20];
	int i, good = 0;

	ok(m && w && cscg_model_predict(m, w, p, &err) == 0,
	    "a walk that the model cannot produce is accepted");
	for (i = 0; i < 10; i++)
		good += near(p[10 + i], want[i], 1e-12);
	ok(good == 10, "it is predicted up to the impossible step (%d)", good);
	cscg_model_free(m);
	cscg_walk_free(w);
}

static void
test_sample(const struct cscg_model *m)
{
	struct cscg_walk *w = cscg_model_sample(m, 300, 5, &err);
	struct cscg_walk *same = cscg_model_sample(m, 300, 5, &err);
	struct cscg_walk_arrays one, two;
	long t, good = 0;

	ok(w && same, "a walk is sampled from a model");
	cscg_walk_get_arrays(w, &one);
	cscg_walk_get_arrays(same, &two);
	for (t = 0; t < one.n_steps; t++)
		good += cscg_model_E(m, one.z[t], one.x[t]) > 0 &&
		    (t == 0 ||
			cscg_model_T(m, one.a[t - 1], one.z[t - 1], one.z[t]) >
			    0);
	ok(one.n_steps == 300 && one.n_episodes == 1 && good == 300,
	    "the sample has transitions and emissions of the model");
	ok(!memcmp(one.z, two.z, 300 * sizeof *one.z),
	    "a seed fixes the sample");
	cscg_walk_free(w);
	cscg_walk_free(same);
	ok(failed(cscg_model_sample(m, 0, 5, &err), CSCG_ERANGE),
	    "a sample of 0 steps is refused: %s", err.msg);
}

static void
test_table(void)
{
	static const char text[] = "u;v\n1,5;0\n11;0\n11;10\n";
	struct cscg_table_settings set = cscg_table_defaults();
	char path[] = "/tmp/cscg-api.XXXXXX";
	const char *paths[2] = { path, path };
	struct cscg_walk_arrays arrays;
	struct cscg_walk *w;
	int fd = mkstemp(path);

	ok(fd >= 0 && write(fd, text, sizeof text - 1) == sizeof text - 1 &&
		close(fd) == 0,
	    "a table is written");
	ok(failed(cscg_walk_read_table(paths, 2, NULL, &err), CSCG_EFORMAT),
	    "a table without observations is refused: %s", err.msg);
	set.bin[0] = "u";
	set.bin[1] = "v";
	set.actions = CSCG_ACTIONS_COMPASS4;
	ok(failed(cscg_walk_read_table(paths, 2, &set, &err), CSCG_EUSAGE),
	    "actions from displacements need cells: %s", err.msg);
	set.cell[0] = set.cell[1] = 10;
	w = cscg_walk_read_table(paths, 2, &set, &err);
	ok(w != NULL, "positions of a table become cells");
	if (w) {
		cscg_walk_get_arrays(w, &arrays);
		ok(arrays.n_steps == 6 && arrays.n_episodes == 2 &&
			arrays.x[2] == 2 && arrays.a[1] == 1 &&
			!strcmp(cscg_walk_alphabet(w).actions[1], "north") &&
			!strcmp(cscg_walk_alphabet(w).symbols[2], "1:1"),
		    "two tables become two episodes");
	}
	cscg_walk_free(w);
	set.bin[1] = NULL;
	ok(failed(cscg_walk_read_table(paths, 1, &set, &err), CSCG_EUSAGE),
	    "compass directions need two columns: %s", err.msg);
	unlink(path);
	ok(failed(cscg_walk_read_table(paths, 0, NULL, &err), CSCG_ERANGE),
	    "no files are refused: %s", err.msg);
}

static int
count_lines(void *ctx, const char *stage, long restart, long iteration,
    int n_states, double loglik)
{
	(void)restart;
	(void)iteration;
	*(int *)ctx += stage && n_states > 0 && !isnan(loglik);
	return 0;
}

static void
test_learn(const struct cscg_walk *w)
{
	struct cscg_learn_settings set = cscg_learn_defaults();
	int lines = 0, *clones, n = cscg_walk_alphabet(w).n_symbols, x;
	struct cscg_model *m;
	double loglik = NAN;

	clones = calloc((size_t)n, sizeof *clones);
	for (x = 0; x < n; x++)
		clones[x] = x ? 1 : 10;
	set.clones = clones;
	set.structure = CSCG_STRUCTURE_NONE;
	set.report = count_lines;
	set.ctx = &lines;
	set.em.restarts = 1;
	m = cscg_model_learn(w, &set, &loglik, &err);
	ok(m && cscg_model_n_states(m) == n + 9 && isfinite(loglik) &&
		lines > 1,
	    "learning with given clones makes %d reports", lines);
	cscg_model_free(m);
	clones[3] = -1;
	ok(failed(cscg_model_learn(w, &set, NULL, &err), CSCG_ERANGE),
	    "a negative number of clones is refused: %s", err.msg);
	set.clones = NULL;
	set.em.restarts = 0;
	ok(failed(cscg_model_learn(w, &set, NULL, &err), CSCG_EUSAGE),
	    "0 restarts are refused: %s", err.msg);
	set.em.restarts = 1;
	set.em.isa = "abacus";
	ok(failed(cscg_model_learn(w, &set, NULL, &err), CSCG_EUSAGE),
	    "an unknown kernel is refused: %s", err.msg);
	free(clones);
}

static void
test_bind_and_track(const struct cscg_model *schema, const struct cscg_walk *w)
{
	struct cscg_alphabet alphabet = cscg_walk_alphabet(w);
	struct cscg_tracker *t = cscg_tracker_new(schema, &alphabet, NULL,
				&err),
			    *t2;
	struct cscg_model *bound = cscg_model_bind(schema, w, NULL, NULL,
	    &err);
	struct cscg_model *by_track = NULL;
	struct cscg_walk_arrays arrays;
	double loglik,
	    *p = calloc((size_t)cscg_model_n_states(schema), sizeof *p);
	int rc = 0, s, *state;
	long i;

	cscg_walk_get_arrays(w, &arrays);
	ok(t != NULL && cscg_tracker_state(t) == -1 &&
		cscg_tracker_loglik(t) == 0,
	    "a tracker without observations has no state");
	ok(failed(cscg_tracker_model(t, &err), CSCG_ERANGE),
	    "a tracker without observations has no model: %s", err.msg);
	for (i = 0; i < arrays.n_steps && rc == 0; i++)
		rc = cscg_tracker_observe(t, i ? arrays.a[i - 1] : -1,
		    arrays.x[i], &err);
	s = cscg_tracker_state(t);
	cscg_tracker_get_belief(t, p);
	ok(rc == 0 && s >= 0 && p[s] > .9, "a tracker finds the state");
	by_track = cscg_tracker_model(t, &err);
	ok(by_track &&
		cscg_model_loglik(by_track, w, &loglik, NULL, &err) == 0 &&
		isfinite(loglik),
	    "a tracker returns a grounded model");
	ok(cscg_tracker_observe(t, 9, 0, &err) < 0 && err.code == CSCG_ERANGE,
	    "an action outside the alphabet is refused: %s", err.msg);
	cscg_tracker_free(t);
	ok(bound && cscg_model_loglik(bound, w, &loglik, NULL, &err) == 0 &&
		loglik > -.1 * (double)arrays.n_steps,
	    "binding by EM explains the walk");
	state = calloc((size_t)arrays.n_steps, sizeof *state);
	cscg_model_viterbi(bound, w, state, &loglik, &err);
	t2 = cscg_tracker_new(bound, &alphabet, NULL, &err);
	for (i = 0, rc = 0; i < arrays.n_steps && rc == 0; i++)
		rc = cscg_tracker_observe(t2, i ? arrays.a[i - 1] : -1,
		    arrays.x[i], &err);
	ok(rc == 0 && cscg_tracker_state(t2) == state[arrays.n_steps - 1],
	    "a filter of the grounded model ends at the last state of the "
	    "Viterbi path");
	cscg_model_loglik(bound, w, &loglik, NULL, &err);
	ok(near(cscg_tracker_loglik(t2), loglik, 1e-9),
	    "the filter has the log-likelihood of the walk");
	cscg_tracker_free(t2);
	cscg_model_free(bound);
	cscg_model_free(by_track);
	free(p);
	free(state);
}

static int
count_rows(void *ctx, long episode, long step, const double *loglik,
    const double *posterior, struct cscg_err *e)
{
	(void)e;
	*(int *)ctx += episode == 0 && step > 0 && loglik[0] <= 0 &&
	    near(posterior[0] + posterior[1], 1, 1e-9);
	return 0;
}

static void
test_match(const struct cscg_model *a, const struct cscg_model *b,
    const struct cscg_walk *w)
{
	const struct cscg_model *both[] = { b, a }, *twice[] = { a, a };
	struct cscg_match_settings set = cscg_match_defaults();
	struct cscg_switch_settings sw = cscg_switch_defaults();
	struct cscg_walk_arrays arrays;
	double posterior[2], *p, *change, sum = 0;
	int rows = 0;
	long t;

	ok(cscg_match_models(both, 2, w, NULL, posterior, &err) == 1 &&
		posterior[1] > .9,
	    "matching by EM finds the schema");
	set.method = CSCG_MATCH_TRACK;
	set.every = 100;
	set.row = count_rows;
	set.ctx = &rows;
	ok(cscg_match_models(both, 2, w, &set, posterior, &err) == 1 &&
		posterior[1] > .9,
	    "matching by tracking finds the schema");
	ok(rows == 4, "a row every 100 steps, %d", rows);
	ok(cscg_match_models(twice, 2, w, NULL, NULL, &err) < 0 &&
		err.code == CSCG_EMISMATCH,
	    "equal schemas are refused: %s", err.msg);
	ok(cscg_match_models(both, 0, w, NULL, NULL, &err) < 0 &&
		err.code == CSCG_EUSAGE,
	    "no schemas are refused: %s", err.msg);
	cscg_walk_get_arrays(w, &arrays);
	p = calloc((size_t)arrays.n_steps * 2, sizeof *p);
	change = calloc((size_t)arrays.n_steps, sizeof *change);
	ok(cscg_switch_models(both, 2, w, NULL, p, change, &err) == 0,
	    "switching between two schemas");
	for (t = 0; t < arrays.n_steps; t++)
		sum += p[2 * t + 1];
	ok(sum > .5 * (double)arrays.n_steps && near(p[0] + p[1], 1, 1e-6) &&
		change[0] == 0,
	    "switching prefers the right schema");
	sw.jump = 0;
	ok(cscg_switch_models(both, 2, w, &sw, p, NULL, &err) < 0 &&
		err.code == CSCG_EUSAGE,
	    "a jump probability of 0 is refused: %s", err.msg);
	free(p);
	free(change);
}

static void
test_stitch(const struct cscg_model *a, const struct cscg_walk *w)
{
	const struct cscg_model *both[] = { a, a };
	struct cscg_stitch_settings set = cscg_stitch_defaults();
	struct cscg_model *m;
	int *origin = NULL;

	ok(failed(cscg_model_stitch(both, 2, w, &set, NULL, &err),
	       CSCG_EMISMATCH),
	    "stitching needs frontiers: %s", err.msg);
	set.boundary = true;
	m = cscg_model_stitch(both, 2, w, &set, &origin, &err);
	ok(m && origin &&
		origin[cscg_model_n_states(m) - 1] <
		    2 * cscg_model_n_states(a),
	    "schemas are stitched at walls");
	cscg_model_free(m);
	free(origin);
	set.learn.pseudocount = 0;
	ok(failed(cscg_model_stitch(both, 2, w, &set, NULL, &err),
	       CSCG_EUSAGE),
	    "settings that exclude each other are refused: %s", err.msg);
}

static void
test_partition(const struct cscg_model *m)
{
	struct cscg_partition_settings set = cscg_partition_defaults();
	struct cscg_partition *p = cscg_model_partition(m, NULL, &err);
	struct cscg_model *part;

	ok(p && cscg_partition_n_rooms(p) == 1 &&
		cscg_partition_room_of(p)[0] == 0 &&
		cscg_partition_class_of(p)[0] == 0,
	    "an open room is one room");
	part = cscg_partition_room_model(m, p, 0, &err);
	ok(part && cscg_model_n_states(part) == cscg_model_n_states(m),
	    "a room of the partition is a model");
	cscg_model_free(part);
	cscg_partition_free(p);
	set.min_size = 0;
	ok(failed(cscg_model_partition(m, &set, &err), CSCG_EUSAGE),
	    "a minimum of 0 states per room is refused: %s", err.msg);
}

static void
test_plan(const struct cscg_model *m, const struct cscg_walk *w)
{
	struct cscg_plan_settings set = cscg_plan_defaults();
	struct cscg_plan plan;
	double best;
	int rc;

	set.goal_number = 5;
	rc = cscg_model_plan(m, w, &set, &plan, NULL, &err);
	ok(rc == 1 && cscg_model_E(m, plan.z[plan.n], 5) == 1 &&
		plan.success > .5,
	    "a plan leads to a symbol");
	cscg_plan_free(&plan);
	ok(plan.a == NULL, "a plan is freed");
	set.start = 0;
	set.goal = CSCG_GOAL_STATE;
	rc = cscg_model_plan(m, NULL, &set, &plan, &best, &err);
	ok(rc == 1 && plan.z[0] == 0 && plan.z[plan.n] == 5 && best > .5,
	    "a plan from state to state needs no walk");
	cscg_plan_free(&plan);
	set.max_steps = 0;
	ok(cscg_model_plan(m, NULL, &set, &plan, &best, &err) == 0 &&
		best == 0,
	    "no plan within the steps allowed returns 0");
	set.goal = CSCG_GOAL_START;
	ok(cscg_model_plan(m, NULL, &set, &plan, NULL, &err) < 0 &&
		err.code == CSCG_EUSAGE,
	    "a plan to the start needs a walk: %s", err.msg);
	ok(cscg_model_plan(m, w, NULL, &plan, NULL, &err) < 0 &&
		err.code == CSCG_EUSAGE,
	    "a plan needs a goal: %s", err.msg);
}

/* Act in a room until the agent believes to be at the goal. */
static int
act(const struct cscg_room *room, const struct cscg_model *const *model, int n,
    int goal, long max_steps)
{
	struct cscg_agent_settings set = cscg_agent_defaults();
	struct cscg_alphabet alphabet = cscg_room_alphabet(room);
	struct cscg_room_arrays r;
	struct cscg_agent *agent;
	struct cscg_model *m;
	int node = 0, a = -1, rc;
	double p;
	long t;

	set.model = model;
	set.n_models = n;
	set.goal = CSCG_GOAL_SYMBOL;
	set.goal_number = goal;
	cscg_room_get_arrays(room, &r);
	agent = cscg_agent_new(&alphabet, &set, &err);
	if (!agent || cscg_agent_begin(agent, 0, &err) < 0)
		return -1;
	for (t = 0, rc = 1; t < max_steps && rc > 0; t++) {
		if (cscg_agent_observe(agent, a, r.symbol[node], -1, false,
			&err) < 0)
			rc = -1;
		else
			rc = cscg_agent_choose(agent, &a, &err);
		if (rc > 0)
			node = r.to[r.first[a * r.n_nodes + node]];
	}
	cscg_agent_state(agent, &p);
	m = cscg_agent_model(agent, &err);
	rc = rc == 0 && cscg_agent_reached(agent) && m &&
	    r.symbol[node] == goal;
	cscg_model_free(m);
	cscg_agent_free(agent);
	return rc;
}

static void
test_agent(const struct cscg_room *room, const struct cscg_model *m,
    const struct cscg_model *schema, const struct cscg_model *other)
{
	const struct cscg_model *both[] = { other, schema };
	struct cscg_agent_settings set = cscg_agent_defaults();
	struct cscg_alphabet alphabet = cscg_room_alphabet(room);

	ok(act(room, &m, 1, 7, 200) == 1,
	    "an agent with a model reaches a symbol");
	ok(act(room, both, 2, 7, 500) == 1,
	    "an agent with two schemas reaches a symbol");
	set.goal = CSCG_GOAL_SYMBOL;
	ok(failed(cscg_agent_new(&alphabet, &set, &err), CSCG_EUSAGE),
	    "an agent needs a goal: %s", err.msg);
}

static void
test_kmeans(void)
{
	static const double x[] = { 0, 0, .1, 0, 0, .1, 5, 5, 5.1, 5, 5, 5.1 };
	static const unsigned char bytes[] = { 1, 2, 200, 199 };
	static const double bad[] = { 1, NAN, 2, 3 };
	struct cscg_kmeans_settings set = cscg_kmeans_defaults();
	struct cscg_codebook *book;
	const double *mu;
	int label[6], again[6], k;
	long dim;

	set.k = 2;
	book = cscg_codebook_fit(CSCG_PIXEL_DOUBLE, x, 6, 2, &set, label,
	    &err);
	ok(book && label[0] == label[2] && label[3] == label[5] &&
		label[0] != label[3],
	    "k-means finds two clusters");
	mu = cscg_codebook_centroids(book, &k, &dim);
	ok(k == 2 && dim == 2 && near(mu[2 * label[0]], .1 / 3, 1e-6),
	    "centroids are the means of the clusters");
	ok(cscg_codebook_encode(book, CSCG_PIXEL_DOUBLE, x, 6, 2, 1, again,
	       &err) == 0 &&
		!memcmp(label, again, sizeof label),
	    "encoding gives the labels of the fit");
	ok(cscg_codebook_encode(book, CSCG_PIXEL_DOUBLE, x, 4, 3, 1, again,
	       &err) < 0 &&
		err.code == CSCG_EMISMATCH,
	    "frames of another size are refused: %s", err.msg);
	cscg_codebook_free(book);
	book = cscg_codebook_fit(CSCG_PIXEL_BYTE, bytes, 4, 1, &set, label,
	    &err);
	ok(book && label[0] == label[1] && label[2] == label[3],
	    "k-means on bytes finds two clusters");
	cscg_codebook_free(book);
	ok(failed(cscg_codebook_fit(CSCG_PIXEL_DOUBLE, bad, 2, 2, &set, label,
		      &err),
	       CSCG_ERANGE),
	    "NaN in a frame is refused: %s", err.msg);
	set.k = 5;
	ok(failed(cscg_codebook_fit(CSCG_PIXEL_BYTE, bytes, 4, 1, &set, label,
		      &err),
	       CSCG_EMISMATCH),
	    "fewer frames than centroids are refused: %s", err.msg);
	set.k = 0;
	ok(failed(cscg_codebook_fit(CSCG_PIXEL_BYTE, bytes, 4, 1, &set, NULL,
		      &err),
	       CSCG_EUSAGE),
	    "0 centroids are refused: %s", err.msg);
}

int
main(void)
{
	struct cscg_room *a = grid(4, 6), *b = grid(5, 5);
	struct cscg_walk *w = walk_in(a, 400, 2),
			 *longer = walk_in(a, 5000, 1);
	struct cscg_model *schema_a = schema_of(a), *schema_b = schema_of(b);
	struct cscg_model *m = cscg_model_learn(longer, NULL, NULL, &err);

	ok(a && b && w && longer && schema_a && schema_b && m,
	    "the rooms, walks and models of the tests are made");
	ok(cscg_err_status(CSCG_EMISMATCH) == 3 &&
		!strcmp(cscg_version(), CSCG_VERSION),
	    "exit status of an error, and the version");
	test_room();
	test_walk(a);
	test_model_arrays();
	test_files(a, w, m);
	test_score(m, w);
	test_predict(m, w);
	test_predict_impossible();
	test_sample(m);
	test_table();
	test_learn(longer);
	test_bind_and_track(schema_a, w);
	test_match(schema_a, schema_b, w);
	test_stitch(schema_a, w);
	test_partition(m);
	test_plan(m, w);
	test_agent(a, m, schema_a, schema_b);
	test_kmeans();
	cscg_room_free(a);
	cscg_room_free(b);
	cscg_walk_free(w);
	cscg_walk_free(longer);
	cscg_model_free(schema_a);
	cscg_model_free(schema_b);
	cscg_model_free(m);
	return done();
}
