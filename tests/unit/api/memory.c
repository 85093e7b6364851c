/*
 * memory.c - every allocation of the library's functions fails once
 *
 * Each job is run as often as it allocates; it must end with CSCG_ENOMEM, and
 * keep nothing.  tests/cli/oom.t does the same with the tools, from outside.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cscg.h"
#include "core/codebook.h"
#include "core/graph.h"
#include "core/model_io.h"
#include "core/walk_io.h"
#include "fail_alloc.h"
#include "kernel/estep.h"
#include "kernel/filter.h"
#include "kernel/plan_graph.h"
#include "learn/merge.h"
#include "learn/em_restarts.h"
#include "learn/learn_model.h"
#include "learn/merge_beam.h"
#include "learn/structure.h"
#include "plan/plan.h"
#include "schema/bind.h"
#include "schema/stitch.h"
#include "schema/track.h"
#include "schema/track_exact.h"
#include "show/dot.h"
#include "show/export.h"
#include "show/svg.h"
#include "show/text.h"
#include "world/room.h"

enum { N = 6, ACTIONS = 2, STEPS = 40 };

static char path[] = "/tmp/cscg-memory.XXXXXX";
static struct cscg_room *room;
static struct cscg_walk *walk, *aliased, *noisy;
static struct cscg_model *model, *schema, *other, *plain;

/* Numbers of a model, added up. */
static double
sum_of(const struct cscg_model *m)
{
	long i, n = m->first[(long)m->n_actions * m->n_states];
	double sum = m->n_states;

	for (i = 0; i < n; i++)
		sum += m->count[i] * (double)(1 + m->to[i]);
	for (i = 0; m->e_first && i < m->e_first[m->n_states]; i++)
		sum += m->e_p[i] * (double)(1 + m->e_obs[i]);
	return sum;
}

static int
end_model(struct cscg_model *m)
{
	if (m)
		fail_value = sum_of(m);
	cscg_model_free(m);
	return m ? 0 : -1;
}

static int
end_walk(struct cscg_walk *w)
{
	long t;

	for (t = 0; w && t < w->n_steps; t++)
		fail_value += (double)(1 + w->x[t]) * (double)(t + 1);
	cscg_walk_free(w);
	return w ? 0 : -1;
}

/* ---- files ---- */

static int
room_file(void)
{
	struct cscg_room *r;

	if (cscg_room_write_file(room, path, &err) < 0)
		return -1;
	r = cscg_room_read_file(path, &err);
	if (r)
		fail_value = r->n_nodes;
	cscg_room_free(r);
	return r ? 0 : -1;
}

static int
walk_file(void)
{
	if (cscg_walk_write_file(walk, path, &err) < 0)
		return -1;
	return end_walk(cscg_walk_read_file(path, &err));
}

static int
model_file(void)
{
	if (cscg_model_write_file(model, path, &err) < 0)
		return -1;
	return end_model(cscg_model_read_file(path, &err));
}

static int
table_file(void)
{
	static const char text[] =
	    "x,action,episode\na,1,1\nb,2,1\na,,1\nb,1,2\nb,,2\n";
	const char *paths[] = { path };
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		return cscg_fail(&err, CSCG_ENOMEM, "no file");
	return end_walk(cscg_walk_read_table(paths, 1, NULL, &err));
}

/* ---- arrays ---- */

static int
walk_arrays(void)
{
	struct cscg_alphabet alphabet = cscg_walk_alphabet(walk);
	struct cscg_walk_arrays w;

	cscg_walk_get_arrays(walk, &w);
	return end_walk(cscg_walk_from_arrays(&alphabet, &w, &err));
}

static int
room_arrays(void)
{
	struct cscg_alphabet alphabet = cscg_room_alphabet(room);
	struct cscg_room_arrays r;
	struct cscg_room *copy;

	cscg_room_get_arrays(room, &r);
	copy = cscg_room_from_arrays(&alphabet, &r, &err);
	if (copy)
		fail_value = copy->n_nodes;
	cscg_room_free(copy);
	return copy ? 0 : -1;
}

static int
model_arrays(void)
{
	struct cscg_alphabet alphabet = cscg_model_alphabet(model);
	struct cscg_model_arrays m;

	cscg_model_get_arrays(model, &m);
	return end_model(cscg_model_from_arrays(&alphabet, &m, &err));
}

static int
room_walk(void)
{
	struct cscg_room_walk_settings set = cscg_room_walk_defaults();

	set.steps = 5;
	set.policy = "cover";
	set.permute = true;
	return end_walk(cscg_room_walk((const struct cscg_room *const *)&room,
	    1, &set, &err));
}

static int
read_steps(void)
{
	struct cscg_walk_reader *r;
	struct cscg_step step;
	int rc = -1;

	if (cscg_walk_write_file(walk, path, &err) < 0)
		return -1;
	r = cscg_walk_reader_open(path, &err);
	while (r && (rc = cscg_walk_reader_next(r, &step, &err)) > 0)
		fail_value += step.x;
	cscg_walk_reader_close(r);
	return rc;
}

/* ---- passes ---- */

static int
score(void)
{
	double step[STEPS];

	return cscg_model_loglik(model, walk, &fail_value, step, &err);
}

static int
decode(void)
{
	int state[STEPS];

	return cscg_model_viterbi(model, walk, state, &fail_value, &err);
}

static int
posterior(void)
{
	double p[STEPS * N];
	int rc = cscg_model_posterior(model, walk, 0, p, &err);

	fail_value = rc < 0 ? 0 : p[STEPS * N - 1];
	return rc;
}

static int
sample(void)
{
	return end_walk(cscg_model_sample(model, 10, 1, &err));
}

static int
predict(void)
{
	const struct cscg_model *m = model;
	struct cscg_predictor *p = cscg_predictor_new(&m, 1, NULL, &err);
	double nats, prob[3 * (N + 1)];
	int rc = -1;

	if (p) {
		cscg_predictor_begin(p);
		rc = cscg_predictor_observe(p, -1, 0, &nats, &err);
		if (rc == 0)
			rc = cscg_predictor_ahead(p, 0, 3, prob, &err);
		if (rc == 0)
			fail_value = nats + prob[2 * (N + 1)];
	}
	cscg_predictor_free(p);
	return rc;
}

/* ---- learning ---- */

static int
learn_with(enum cscg_structure structure, bool is_double, bool learn_pi,
    const char *isa)
{
	struct cscg_learn_settings set = cscg_learn_defaults();
	static const int clones[] = { 2, 2, 2, 2, 2, 2 };

	set.em.restarts = 2;
	set.em.iterations = 3;
	set.em.threads = 1;
	set.em.double_precision = is_double;
	set.em.isa = isa;
	set.learn_pi = learn_pi;
	set.structure = structure;
	if (structure == CSCG_STRUCTURE_NONE)
		set.clones = clones;
	return end_model(cscg_model_learn(walk, &set, NULL, &err));
}

static int
learn(void)
{
	return learn_with(CSCG_STRUCTURE_AUTO, false, false, NULL);
}

static int
learn_split(void)
{
	return learn_with(CSCG_STRUCTURE_SPLIT, false, false, NULL);
}

static int
learn_raw(void)
{
	return learn_with(CSCG_STRUCTURE_NONE, false, true, NULL);
}

static int
learn_double(void)
{
	return learn_with(CSCG_STRUCTURE_NONE, true, false, "plain");
}

static int
merge(void)
{
	struct cscg_merge *f = NULL;
	int rc = cscg_merge(aliased, 2, NULL, &f, &err);

	if (f)
		fail_value = f->n_states + f->cost;
	cscg_merge_free(f);
	return rc < 0 ? -1 : 0;
}

/* Rows of states, as after EM: those of the first three are equal. */
static int
merge_rows(void)
{
	static const int clone[] = { 0, 0, 0, 1 };
	static const struct cscg_count c[] = { { 0, 0, 3, 9 }, { 0, 1, 3, 8 },
		{ 0, 2, 3, 7 }, { 0, 3, 0, 5 }, { 0, 3, 1, 5 },
		{ 0, 3, 2, 5 } };
	struct cscg_model *m = cscg_model_new(CSCG_GROUNDED, 4, 1, 2, &err);
	int path_of[] = { 0, 3, 1, 3, 2, 3 }, into[4], n, rc = -1;

	if (!m)
		return -1;
	memcpy(m->clone, clone, sizeof clone);
	if (cscg_model_set_counts(m, c, 6, &err) == 0) {
		n = cscg_structure_refine_partition(m, path_of, 6, into, &err);
		rc = n < 0 ? -1 : cscg_structure_merge_rows(&m, 40, &err);
		fail_value = n + 10 * m->n_states;
	}
	cscg_model_free(m);
	return rc;
}

/* What EM found of a walk that no deterministic graph explains. */
static int
clean(void)
{
	static const int clones[] = { 2, 2, 2 };
	struct cscg_learn set = { .iterations = 3,
		.restarts = 1,
		.pseudocount = .1,
		.is_double = true,
		.threads = 1 };
	struct cscg_learn_progress last;
	struct cscg_model *m = cscg_learn_model_new(noisy, &set, clones, &err);
	double loglik = 0;
	int rc = -1;

	if (m && cscg_em_restarts(m, noisy, &set, true, 0, &last, &err) == 0)
		rc = cscg_structure_clean(&m, noisy, &set, &loglik, &err);
	if (m)
		fail_value = loglik + m->n_states;
	cscg_model_free(m);
	return rc;
}

static int
bottlenecks(void)
{
	struct cscg_partition_options how = { 1, 10, 2 };
	struct cscg_model *m = cscg_model_copy(model, &err);
	int rc = -1;

	if (m && cscg_frontier_boundary(m, &err) == 0)
		rc = cscg_frontier_bottleneck(m, &how, .05, &err);
	if (m)
		fail_value = (double)(m->n_frontiers + 100 * m->n_entries);
	cscg_model_free(m);
	return rc;
}

static int
merge_beam(void)
{
	struct cscg_merge *f = NULL;
	int rc = cscg_merge_beam(aliased, NULL, &f, &err);

	if (f)
		fail_value = f->n_states + f->cost;
	cscg_merge_free(f);
	return rc < 0 ? -1 : 0;
}

static int
merge_pairs(void)
{
	struct cscg_merge *f = NULL;
	int rc = cscg_merge_pairs(aliased, NULL, 0, &f, &err);

	if (f)
		fail_value = f->n_states + f->cost;
	cscg_merge_free(f);
	return rc < 0 ? -1 : 0;
}

static int
merge_inverses(void)
{
	struct cscg_merge *f = NULL;
	int rc = cscg_merge_by_inverses(aliased, 1, NULL, &f, &err);

	if (f)
		fail_value = f->n_states + f->cost;
	cscg_merge_free(f);
	return rc < 0 ? -1 : 0;
}

/* ---- schemas ---- */

static int
bind_with(const struct cscg_model *m, int tied, const char *isa,
    bool is_double)
{
	struct cscg_bind_settings set = cscg_bind_defaults();
	double loglik;

	set.em.restarts = 2;
	set.em.iterations = 3;
	set.em.threads = 1;
	set.em.isa = isa;
	set.em.double_precision = is_double;
	set.tied = tied;
	return end_model(cscg_model_bind(m, walk, &set, &loglik, &err));
}

static int
bind(void)
{
	return bind_with(schema, 1, NULL, false);
}

static int
bind_free(void)
{
	return bind_with(plain, 0, "plain", true);
}

/* Memory that is kept can be used after a failure. */
static int
bind_again(void)
{
	struct cscg_bind_work work = { .size = 0 };
	struct cscg_bind set = {
		.iterations = 1, .is_double = true, .work = &work
	};
	const struct cscg_bind_starts starts = {
		.restarts = 1, .jitter = .1, .threads = 1
	};
	struct cscg_em_progress last;
	struct cscg_walk view;
	double E[N * N], pi[N];
	long first[2];
	int rc = 0, kept = 1, i;

	for (i = 1; i < STEPS; i += STEPS / 4) {
		cscg_walk_slice(walk, 0, 0, i, &view, first);
		if (cscg_bind_restarts(plain, &view, &set, &starts, E, pi,
			&last, NULL, &err) < 0)
			rc = -1;
		kept &= !work.block == !work.size;
	}
	fail_value = last.objective;
	cscg_bind_work_free(&work);
	need(kept ? &err : NULL);
	return rc;
}

/* Expected visits under the emissions of the model. */
static int
visits(void)
{
	struct cscg_bind set = { .is_double = true };
	double E[N * N], pi[N], n[N * N];
	int j;

	for (j = 0; j < N * N; j++)
		E[j] = j % (N + 1) ? .5 / (N - 1) : .5;
	for (j = 0; j < N; j++)
		pi[j] = 1. / N;
	if (cscg_bind_visits(plain, walk, &set, E, pi, n, &err) < 0)
		return -1;
	fail_value = n[0] + n[N * N - 1];
	return 0;
}

static int
track(void)
{
	struct cscg_alphabet alphabet = cscg_walk_alphabet(walk);
	struct cscg_track_settings set = cscg_track_defaults();
	struct cscg_tracker *t;
	struct cscg_walk_arrays w;
	int i, rc = -1;

	set.beam = 2;
	set.slip = .1;
	cscg_walk_get_arrays(walk, &w);
	t = cscg_tracker_new(schema, &alphabet, &set, &err);
	for (i = 0; t && i < STEPS; i++)
		if ((rc = cscg_tracker_observe(t, i ? w.a[i - 1] : -1, w.x[i],
			 &err)) < 0)
			break;
	if (rc == 0)
		rc = end_model(cscg_tracker_model(t, &err));
	cscg_tracker_free(t);
	return rc;
}

static int
track_exact(void)
{
	struct cscg_plan_graph *g = cscg_plan_graph_new(schema, 0, &err);
	struct cscg_track_exact_graph *m = NULL;
	struct cscg_track_exact h = { 0 };
	struct cscg_rng rng;
	int rc = -1;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 0);
	if (g)
		m = cscg_track_exact_graph_new(g, -1, &err);
	if (m) {
		cscg_track_exact_init(&h, m, N, 100);
		rc = cscg_track_exact_reset(&h, 0, &rng, &err);
		if (rc == 0)
			rc = cscg_track_exact_reset(&h, 1, &rng, &err);
		fail_value = (double)h.n;
	}
	cscg_track_exact_free(&h);
	cscg_track_exact_graph_free(m);
	cscg_plan_graph_free(g);
	return rc;
}

static int
match(void)
{
	const struct cscg_model *both[] = { schema, other };
	struct cscg_match_settings set = cscg_match_defaults();
	double p[2];

	set.bind.em.restarts = 1;
	set.bind.em.iterations = 2;
	set.bind.em.threads = 1;
	if (cscg_match_models(both, 2, walk, &set, p, &err) < 0)
		return -1;
	fail_value = p[0];
	return 0;
}

static int
match_track(void)
{
	const struct cscg_model *both[] = { schema, other };
	struct cscg_match_settings set = cscg_match_defaults();
	double p[2];

	set.method = CSCG_MATCH_TRACK;
	set.bind.em.threads = 1;
	if (cscg_match_models(both, 2, walk, &set, p, &err) < 0)
		return -1;
	fail_value = p[0];
	return 0;
}

static int
switching(void)
{
	const struct cscg_model *both[] = { schema, other };
	struct cscg_switch_settings set = cscg_switch_defaults();
	double p[2 * STEPS], q[STEPS];

	set.em.iterations = 2;
	set.em.restarts = set.em.threads = 1;
	if (cscg_switch_models(both, 2, walk, &set, p, q, &err) < 0)
		return -1;
	fail_value = p[0];
	return 0;
}

static int
stitch(void)
{
	const struct cscg_model *both[] = { other, other };
	struct cscg_stitch_settings set = cscg_stitch_defaults();
	int *origin = NULL, rc;

	set.boundary = true;
	set.bind.restarts = set.bind.threads = 1;
	set.bind.iterations = set.learn.iterations = 2;
	set.reset_rounds = 1;
	set.viterbi_rounds = 1;
	rc = end_model(cscg_model_stitch(both, 2, walk, &set, &origin, &err));
	free(origin);
	return rc;
}

static int
partition(void)
{
	struct cscg_partition *p = cscg_model_partition(model, NULL, &err);
	int rc = p ? end_model(cscg_partition_room_model(model, p, 0, &err)) :
		     -1;

	cscg_partition_free(p);
	return rc;
}

/* ---- plans ---- */

static int
plan(void)
{
	struct cscg_plan_settings set = cscg_plan_defaults();
	struct cscg_plan found = { 0 };
	int rc;

	set.goal = CSCG_GOAL_STATE;
	set.goal_number = N - 1;
	rc = cscg_model_plan(model, walk, &set, &found, NULL, &err);
	fail_value = found.success + (double)found.n;
	cscg_plan_free(&found);
	return rc < 0 ? -1 : 0;
}

static int
plan_best(void)
{
	struct cscg_plan_settings set = cscg_plan_defaults();
	struct cscg_plan found = { 0 };
	double best;
	int rc;

	set.goal_number = 0;
	set.start = N - 1;
	set.best = true;
	rc = cscg_model_plan(model, NULL, &set, &found, &best, &err);
	fail_value = found.success + (double)found.n;
	cscg_plan_free(&found);
	return rc < 0 ? -1 : 0;
}

static int
agent_with(int n_models)
{
	const struct cscg_model *both[] = { schema, other };
	struct cscg_agent_settings set = cscg_agent_defaults();
	struct cscg_alphabet alphabet = cscg_room_alphabet(room);
	struct cscg_agent *agent;
	int node = 0, a = -1, rc = -1, t;

	set.model = n_models == 1 ? (const struct cscg_model *const *)&model :
				    both;
	set.n_models = n_models;
	set.goal = n_models > 1 ? CSCG_GOAL_MATCH : CSCG_GOAL_SYMBOL;
	set.goal_number = N - 1;
	set.threads = 1;
	agent = cscg_agent_new(&alphabet, &set, &err);
	if (agent && cscg_agent_begin(agent, 0, &err) == 0)
		for (rc = 1, t = 0; rc > 0 && t < 12; t++) {
			rc = cscg_agent_observe(agent, a, room->obs[node], -1,
			    false, &err);
			if (rc == 0)
				rc = cscg_agent_choose(agent, &a, &err);
			if (rc > 0)
				node = room->to[room->first[a * N + node]];
			fail_value = 10 * fail_value + node;
		}
	cscg_agent_free(agent);
	return rc < 0 ? -1 : 0;
}

static int
agent_learns(void)
{
	return agent_with(0);
}

static int
agent_plans(void)
{
	return agent_with(1);
}

static int
agent_matches(void)
{
	return agent_with(2);
}

/* ---- output ---- */

/* What write() writes about a graph of the model, to a file. */
static int
shown(int (*write)(const struct cscg_graph *g, struct cscg_out *out))
{
	struct cscg_graph *g = cscg_graph_of_model(model, 0, &err);
	struct cscg_out *out = g ? cscg_out_open(path, CSCG_OUT_GZIP, &err) :
				   NULL;
	int rc = out ? write(g, out) : -1;
	struct stat file;

	if (rc < 0)
		cscg_out_abort(out);
	else
		rc = cscg_out_close(out, &err);
	if (rc == 0 && stat(path, &file) == 0)
		fail_value = (double)file.st_size;
	cscg_graph_free(g);
	return rc;
}

static int
write_graphml(const struct cscg_graph *g, struct cscg_out *out)
{
	return cscg_export_write_graphml(g, 6, out, &err);
}

static int
write_tables(const struct cscg_graph *g, struct cscg_out *out)
{
	return cscg_export_write_nodes(g, 6, false, out, &err) < 0 ?
	    -1 :
	    cscg_export_write_edges(g, 6, true, out, &err);
}

/* A plan of two steps, as text and as JSON, and the frontiers of a model. */
static int
write_plans(const struct cscg_graph *g, struct cscg_out *out)
{
	int a[] = { 1, 1 }, z[] = { 0, 1, 2 };
	double p[] = { 1, 1, .5 };
	const struct cscg_plan found = { 2, a, z, p, .5 };

	(void)g;
	return cscg_plan_write(&found, model, out, &err) < 0 ||
		cscg_plan_write_json(&found, model, .5, out, &err) < 0 ||
		cscg_frontier_write_model(other, true, out, &err) < 0 ||
		cscg_frontier_write_room(room, false, out, &err) < 0 ?
	    -1 :
	    0;
}

static int
plans(void)
{
	return shown(write_plans);
}

static int
write_svg(const struct cscg_graph *g, struct cscg_out *out)
{
	return cscg_svg_write(g, "six cells", out, &err);
}

static int
write_texts(const struct cscg_graph *g, struct cscg_out *out)
{
	(void)g;
	return cscg_text_write_model(model, out, &err) < 0 ?
	    -1 :
	    cscg_text_write_room(room, out, &err);
}

static int
graphml(void)
{
	return shown(write_graphml);
}

static int
tables(void)
{
	return shown(write_tables);
}

static int
svg(void)
{
	return shown(write_svg);
}

static int
texts(void)
{
	return shown(write_texts);
}

/* ---- vectors ---- */

static int
quantize(void)
{
	static const float frame[] = { 0, 0, 0, 1, 9, 9, 9, 8, 0, 1 };
	struct cscg_kmeans_settings set = cscg_kmeans_defaults();
	struct cscg_codebook *book;
	int label[5], rc = -1;

	set.k = 2;
	set.restarts = 1;
	set.threads = 1;
	set.mixture = true;
	book = cscg_codebook_fit(CSCG_PIXEL_SINGLE, frame, 5, 2, &set, label,
	    &err);
	if (book)
		rc = cscg_codebook_write_file(book, path, &err);
	cscg_codebook_free(book);
	if (rc < 0)
		return -1;
	book = cscg_codebook_read_file(path, &err);
	if (book)
		fail_value = book->centroid[0] + book->inertia;
	cscg_codebook_free(book);
	return book ? 0 : -1;
}

/* A ring of six cells; other is a corridor of six. */
static void
set_up(void)
{
	static const char *const names[] = { "back", "on" };
	int symbol[N], to[ACTIONS * N], v, fd = mkstemp(path);
	long first[ACTIONS * N + 1];
	double p[ACTIONS * N];
	struct cscg_room_arrays arrays = { N, symbol, first, to, p };
	struct cscg_alphabet alphabet = { ACTIONS, N, names, NULL };
	struct cscg_room_walk_settings set = cscg_room_walk_defaults();
	struct cscg_room *line;

	need(fd < 0 || close(fd) < 0 ? NULL : path);
	for (v = 0; v < N; v++) {
		symbol[v] = v;
		to[v] = (v + N - 1) % N;
		to[N + v] = (v + 1) % N;
	}
	for (v = 0; v <= ACTIONS * N; v++)
		first[v] = v;
	for (v = 0; v < ACTIONS * N; v++)
		p[v] = 1;
	room = need(cscg_room_from_arrays(&alphabet, &arrays, &err));
	set.steps = STEPS;
	walk = need(cscg_room_walk((const struct cscg_room *const *)&room, 1,
	    &set, &err));
	model = need(cscg_room_model(room, 100, 1e-4, NULL, &err));
	schema = need(cscg_model_copy(model, &err));
	cscg_model_unground(schema, CSCG_CLONES);
	plain = need(cscg_model_copy(model, &err));
	cscg_model_unground(plain, CSCG_SCHEMA);
	to[0] = 0;
	to[N + N - 1] = N - 1;
	line = need(cscg_room_from_arrays(&alphabet, &arrays, &err));
	other = need(cscg_room_model(line, 100, 1e-4, NULL, &err));
	cscg_model_unground(other, CSCG_CLONES);
	cscg_room_free(line);
	/* A ring of which two symbols have two cells each. */
	to[0] = N - 1;
	to[N + N - 1] = 0;
	symbol[3] = 1;
	symbol[4] = 2;
	line = need(cscg_room_from_arrays(&alphabet, &arrays, &err));
	set.steps = 700;
	aliased = need(cscg_room_walk((const struct cscg_room *const *)&line,
	    1, &set, &err));
	for (v = 0; v < N; v++)
		line->obs[v] = v % 3;
	set.steps = 60;
	noisy = need(cscg_room_walk((const struct cscg_room *const *)&line, 1,
	    &set, &err));
	noisy->head.n_obs = 3;
	for (v = 3; v < noisy->n_steps; v += 7)
		noisy->x[v] = (noisy->x[v] + 1) % 3;
	cscg_room_free(line);
}

int
main(void)
{
	static const struct {
		const char *name;
		int (*job)(void);
	} jobs[] = {
		{ "a room written and read", room_file },
		{ "a walk written and read", walk_file },
		{ "a model written and read", model_file },
		{ "a table read", table_file },
		{ "a walk from arrays", walk_arrays },
		{ "a room from arrays", room_arrays },
		{ "a model from arrays", model_arrays },
		{ "a walk in a room", room_walk },
		{ "a walk read step by step", read_steps },
		{ "the likelihood", score },
		{ "the likeliest states", decode },
		{ "posteriors", posterior },
		{ "a walk drawn", sample },
		{ "predictions", predict },
		{ "learning", learn },
		{ "learning with splits", learn_split },
		{ "EM alone", learn_raw },
		{ "EM in double precision", learn_double },
		{ "merging", merge },
		{ "merging by a beam of graphs", merge_beam },
		{ "merging by pairs of states", merge_pairs },
		{ "merging by inverse actions", merge_inverses },
		{ "merging of rows", merge_rows },
		{ "frontiers", bottlenecks },
		{ "reduction of a stochastic model", clean },
		{ "binding, tied", bind },
		{ "binding, free", bind_free },
		{ "binding with memory that is kept", bind_again },
		{ "expected visits", visits },
		{ "tracking", track },
		{ "exact tracking", track_exact },
		{ "matching by EM", match },
		{ "matching by tracking", match_track },
		{ "one model of two schemas", switching },
		{ "stitching", stitch },
		{ "partitioning", partition },
		{ "a plan", plan },
		{ "the likeliest plan", plan_best },
		{ "an agent that learns", agent_learns },
		{ "an agent with a model", agent_plans },
		{ "an agent with two schemas", agent_matches },
		{ "GraphML", graphml },
		{ "tables of nodes and edges", tables },
		{ "a drawing", svg },
		{ "plans and frontiers", plans },
		{ "summaries", texts },
		{ "a codebook fitted, written and read", quantize },
	};
	size_t i;

	set_up();
	for (i = 0; i < sizeof jobs / sizeof *jobs; i++)
		fail_each(jobs[i].name, jobs[i].job);
	cscg_room_free(room);
	cscg_walk_free(walk);
	cscg_walk_free(aliased);
	cscg_walk_free(noisy);
	cscg_model_free(model);
	cscg_model_free(schema);
	cscg_model_free(other);
	cscg_model_free(plain);
	unlink(path);
	return done();
}
