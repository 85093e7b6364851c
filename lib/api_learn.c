/*
 * api_learn.c - cscg.h: likelihood, learning, binding, tracking, matching,
 * switching, stitching
 *
 * Settings become those of the modules below; the defaults are those of the
 * tools.  Walks of a caller are copied where a model numbers actions or symbols
 * in its own way.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "base/mem.h"
#include "base/stats.h"
#include "kernel/cpu.h"
#include "kernel/filter.h"
#include "kernel/passes.h"
#include "kernel/posterior.h"
#include "kernel/predict.h"
#include "kernel/sample.h"
#include "learn/learn.h"
#include "schema/ground.h"
#include "schema/match.h"
#include "schema/stitch.h"
#include "schema/switch.h"
#include "schema/track.h"

/* ---- likelihood, decoding, posterior ---- */

/* The model for the passes and the walk in its numbers; free both. */
static int
prepare(const struct cscg_model *m, const struct cscg_walk *walk,
    struct cscg_trans **tr, struct cscg_walk **w, struct cscg_err *err)
{
	*w = NULL;
	*tr = cscg_trans_new(m, &cscg_plain_double, err);
	if (*tr)
		*w = cscg_api_align(walk, m, true, err);
	return *w ? 0 : -1;
}

int
cscg_model_loglik(const struct cscg_model *m, const struct cscg_walk *walk,
    double *loglik, double *step, struct cscg_err *err)
{
	struct cscg_work work = { 0 };
	struct cscg_trans *tr;
	struct cscg_walk *w;
	double sum = 0, one;
	int e, rc = prepare(m, walk, &tr, &w, err);
	long t;

	for (e = 0; rc == 0 && e < w->n_episodes; e++) {
		rc = cscg_forward(tr, w, e, &work, &one, err);
		sum += rc == 0 ? one : 0;
		for (t = 0; rc == 0 && step && t < work.n; t++)
			step[w->start[e] + t] = log(work.p[t]);
	}
	if (rc == 0)
		*loglik = sum;
	cscg_work_free(&work);
	cscg_walk_free(w);
	cscg_trans_free(tr);
	return rc;
}

int
cscg_model_viterbi(const struct cscg_model *m, const struct cscg_walk *walk,
    int *state, double *logp, struct cscg_err *err)
{
	struct cscg_work work = { 0 };
	struct cscg_trans *tr;
	struct cscg_walk *w;
	int rc = prepare(m, walk, &tr, &w, err);

	if (rc == 0)
		rc = cscg_viterbi_all(tr, w, &work, state, logp, err);
	cscg_work_free(&work);
	cscg_walk_free(w);
	cscg_trans_free(tr);
	return rc;
}

/* The posterior of an episode that begins at step start, dense. */
struct dense {
	double *p;
	size_t n_states;
	long start;
};

static void
put_posterior(void *ctx, long t, int lo, int hi, const double *p)
{
	const struct dense *d = ctx;

	memcpy(d->p + (size_t)(t - d->start) * d->n_states + (size_t)lo, p,
	    (size_t)(hi - lo) * sizeof *p);
}

int
cscg_model_posterior(const struct cscg_model *m, const struct cscg_walk *walk,
    int e, double *p, struct cscg_err *err)
{
	struct dense d = { p, (size_t)m->n_states, 0 };
	struct cscg_trans *tr;
	struct cscg_walk *w;
	int rc = prepare(m, walk, &tr, &w, err);

	if (rc == 0)
		rc = cscg_api_check_index("episode", e, 0, w->n_episodes, err);
	if (rc == 0) {
		d.start = w->start[e];
		memset(p, 0,
		    (size_t)(w->start[e + 1] - d.start) * d.n_states *
			sizeof *p);
		rc = cscg_posterior_each(tr, w, e, e + 1, put_posterior, &d,
		    err);
	}
	cscg_walk_free(w);
	cscg_trans_free(tr);
	return rc;
}

int
cscg_model_predict(const struct cscg_model *m, const struct cscg_walk *walk,
    double *p, struct cscg_err *err)
{
	const struct cscg_filter_options how = { 0 };
	struct cscg_filter *filter = NULL;
	struct cscg_trans *tr;
	struct cscg_walk *w;
	int e, a, rc = prepare(m, walk, &tr, &w, err);
	long t;

	if (rc == 0 && !(filter = cscg_filter_new(tr, &how, err)))
		rc = -1;
	for (e = 0; rc == 0 && e < w->n_episodes; e++)
		for (t = w->start[e]; t < w->start[e + 1]; t++) {
			a = cscg_walk_starts_run(w, e, t) ? -1 : w->a[t - 1];
			cscg_filter_predict(filter, a,
			    p + (size_t)t * (size_t)m->n_obs);
			cscg_filter_observe(filter, a, w->x[t]);
		}
	cscg_filter_free(filter);
	cscg_walk_free(w);
	cscg_trans_free(tr);
	return rc;
}

struct cscg_walk *
cscg_model_sample(const struct cscg_model *m, long n, uint64_t seed,
    struct cscg_err *err)
{
	struct cscg_walk_header head = { .n_actions = m->n_actions,
		.n_obs = m->n_obs,
		.actions = m->actions,
		.symbols = m->symbols };
	struct cscg_trans *tr = cscg_trans_new(m, &cscg_plain_double, err);
	struct cscg_sampler *s = tr ? cscg_sampler_new(m, tr, seed, err) :
				      NULL;
	struct cscg_walk *walk = s ? cscg_walk_new(&head, err) : NULL;
	struct cscg_step step;
	int rc = walk ?
	    cscg_api_check_index("number of steps", n, 1, LONG_MAX, err) :
	    -1;
	long t;

	for (t = 0; t < n && rc == 0; t++) {
		cscg_sampler_next(s, t + 1 == n, &step);
		rc = cscg_walk_add(walk, &step, err);
	}
	cscg_sampler_free(s);
	cscg_trans_free(tr);
	if (rc == 0)
		return walk;
	cscg_walk_free(walk);
	return NULL;
}

struct cscg_alphabet
cscg_predictor_alphabet(const struct cscg_predictor *p)
{
	return cscg_model_alphabet(cscg_predictor_names(p));
}

/* ---- settings of EM ---- */

static int
threads_of(const struct cscg_em_settings *em)
{
	return em->threads < 1 ? 1 : em->threads;
}

/* Settings in their ranges, and the kernel they name; -1 with err filled. */
static int
check_em(const struct cscg_em_settings *em, const struct cscg_simd **simd,
    struct cscg_err *err)
{
	if (em->restarts < 1)
		return cscg_fail(err, CSCG_EUSAGE,
		    "%ld restarts: at least 1 is needed", em->restarts);
	if (em->iterations < -1)
		return cscg_fail(err, CSCG_EUSAGE, "%ld iterations",
		    em->iterations);
	if (!(em->tolerance >= 0) || !(em->pseudocount >= 0) ||
	    isinf(em->pseudocount))
		return cscg_fail(err, CSCG_EUSAGE,
		    "tolerance %g, pseudocount %g: neither may be negative",
		    em->tolerance, em->pseudocount);
	if (!(em->jitter >= 0 || em->jitter == -1))
		return cscg_fail(err, CSCG_EUSAGE, "jitter %g", em->jitter);
	return cscg_cpu_choose_simd(em->isa ? em->isa : "auto", simd, err);
}

static long
iterations_of(const struct cscg_em_settings *em, long chosen)
{
	return em->iterations < 0 ? chosen : em->iterations;
}

/* ---- learning ---- */

struct cscg_learn_settings
cscg_learn_defaults(void)
{
	return (struct cscg_learn_settings){ .em = { .restarts = 4,
						 .iterations = 200,
						 .tolerance = 1e-5,
						 .pseudocount = 2e-3,
						 .jitter = -1,
						 .seed = 42,
						 .threads = 1 } };
}

static int
report_learning(void *ctx, const struct cscg_learn_progress *line)
{
	const struct cscg_learn_settings *set = ctx;

	return set->report(set->ctx, line->stage, line->restart,
	    line->iteration, line->n_states, line->loglik);
}

static int
check_clones(const int *clones, int n, struct cscg_err *err)
{
	int x;

	for (x = 0; clones && x < n; x++)
		if (cscg_api_check_index("number of clones", clones[x], 0,
			(long)CSCG_STATE_MAX + 1, err) < 0)
			return cscg_fail_at(err, "symbol %d", x);
	return 0;
}

struct cscg_model *
cscg_model_learn(const struct cscg_walk *walk,
    const struct cscg_learn_settings *set, double *loglik,
    struct cscg_err *err)
{
	struct cscg_learn_settings copy = set ? *set : cscg_learn_defaults();
	struct cscg_learn how = { .clones = copy.clones,
		.init = copy.init,
		.iterations = iterations_of(&copy.em, 200),
		.restarts = copy.em.restarts,
		.tolerance = copy.em.tolerance,
		.pseudocount = copy.em.pseudocount,
		.seed = copy.em.seed,
		.learn_pi = copy.learn_pi,
		.raw = copy.structure == CSCG_STRUCTURE_NONE,
		.assess = true,
		.mixture = true,
		.split = copy.structure == CSCG_STRUCTURE_SPLIT,
		.untied_noise = copy.untied_noise,
		.is_double = copy.em.double_precision,
		.threads = threads_of(&copy.em),
		.report = copy.report ? report_learning : NULL,
		.ctx = &copy };
	struct cscg_walk w = cscg_api_complete(walk), *aligned = NULL;
	struct cscg_learn_progress last = { .loglik = NAN };
	struct cscg_model *m = NULL;

	if (check_em(&copy.em, &how.simd, err) < 0 ||
	    check_clones(copy.clones, w.head.n_obs, err) < 0)
		return NULL;
	if (copy.init) {
		aligned = cscg_api_align(walk, copy.init, true, err);
		if (!aligned)
			return NULL;
	}
	m = cscg_learn(aligned ? aligned : &w, &how, &last, err);
	if (m && cscg_history_join(&m->history, &w.head.history, err) < 0) {
		cscg_model_free(m);
		m = NULL;
	}
	if (m && loglik)
		*loglik = last.loglik;
	cscg_walk_free(aligned);
	return m;
}

/* ---- binding ---- */

struct cscg_bind_settings
cscg_bind_defaults(void)
{
	return (struct cscg_bind_settings){ .em = { .restarts = 10,
						.iterations = 100,
						.tolerance = 1e-5,
						.pseudocount = 1e-7,
						.jitter = -1,
						.seed = 42,
						.threads = 1 },
		.tied = -1,
		.learn_pi = -1 };
}

/* Derive the settings of binding for schemas that can be tied, or not. */
static void
fill_bind(const struct cscg_bind_settings *set, bool can_tie, long iterations,
    struct cscg_bind *bind, struct cscg_bind_starts *starts)
{
	const struct cscg_em_settings *em = &set->em;
	bool tied = set->tied < 0 ? can_tie : set->tied;

	bind->tied = tied;
	bind->learn_pi = set->learn_pi < 0 ? tied : set->learn_pi;
	bind->iterations = iterations_of(em, iterations);
	bind->tolerance = em->tolerance;
	bind->pseudocount = em->pseudocount;
	bind->is_double = em->double_precision;
	starts->restarts = em->restarts;
	starts->jitter = em->jitter >= 0 ? em->jitter : tied ? .001 : .01;
	starts->wide_jitter = em->jitter < 0 && tied ? 1 : 0;
	starts->seed = em->seed;
	starts->threads = threads_of(em);
}

struct cscg_model *
cscg_model_bind(const struct cscg_model *schema, const struct cscg_walk *walk,
    const struct cscg_bind_settings *set, double *loglik, struct cscg_err *err)
{
	struct cscg_bind_settings defaults = cscg_bind_defaults();
	struct cscg_em_progress last;
	struct cscg_ground how = { .init = NULL };
	struct cscg_walk *w = NULL;
	struct cscg_model *m = NULL;
	int rc = -1;

	set = set ? set : &defaults;
	if (check_em(&set->em, &how.bind.simd, err) < 0)
		return NULL;
	fill_bind(set, schema->clone != NULL, 100, &how.bind, &how.starts);
	how.init = set->init;
	w = cscg_api_align(walk, schema, false, err);
	if (w)
		m = cscg_model_copy(schema, err);
	if (m && cscg_ground(m, w, &how, &last, NULL, err) == 0)
		rc = cscg_history_join(&m->history, &w->head.history, err);
	cscg_walk_free(w);
	if (rc < 0) {
		cscg_model_free(m);
		return NULL;
	}
	m->is_double |= set->em.double_precision;
	if (loglik)
		*loglik = last.loglik;
	return m;
}

/* ---- tracking ---- */

struct cscg_tracker {
	const struct cscg_model *m;   /* borrowed */
	struct cscg_walk_header head; /* the caller's alphabet */
	struct cscg_alphabet_map map;
	struct cscg_trans *tr; /* grounded: the filter, ... */
	struct cscg_filter *filter;
	struct cscg_track_tables *tables; /* schema: the beam */
	struct cscg_track *track;
	double *belief; /* [n_states] */
	double loglik;
	bool begun;
};

struct cscg_track_settings
cscg_track_defaults(void)
{
	return (struct cscg_track_settings){ .jump = 1e-2, .rebind = 1e-4 };
}

static struct cscg_track_options
track_options(const struct cscg_track_settings *set)
{
	return (struct cscg_track_options){ .beam = set->beam,
		.jump = set->jump,
		.rebind = set->rebind,
		.slip = set->slip };
}

static int
check_track(const struct cscg_track_settings *set, struct cscg_err *err)
{
	if (set->beam < 0)
		return cscg_fail(err, CSCG_EUSAGE, "a beam of %d", set->beam);
	if (!(set->jump >= 0 && set->jump < 1 && set->rebind >= 0 &&
		set->rebind < 1 && set->slip >= 0 && set->slip < 1))
		return cscg_fail(err, CSCG_EUSAGE,
		    "jump %g, rebind %g, slip %g: probabilities below 1 are "
		    "needed",
		    set->jump, set->rebind, set->slip);
	return 0;
}

static int
new_filter(struct cscg_tracker *t, struct cscg_err *err)
{
	const struct cscg_filter_options how = { 0 };

	t->tr = cscg_trans_new(t->m, &cscg_plain_double, err);
	if (t->tr)
		t->filter = cscg_filter_new(t->tr, &how, err);
	return t->filter ? 0 : -1;
}

static int
new_track(struct cscg_tracker *t, const struct cscg_track_settings *set,
    struct cscg_err *err)
{
	struct cscg_track_options options = track_options(set);

	if (check_track(set, err) < 0)
		return -1;
	t->tables = cscg_track_tables_new(t->m, &options, err);
	if (t->tables)
		t->track = cscg_track_new(t->tables, t->head.n_obs, err);
	return t->track ? 0 : -1;
}

struct cscg_tracker *
cscg_tracker_new(const struct cscg_model *m,
    const struct cscg_alphabet *alphabet,
    const struct cscg_track_settings *set, struct cscg_err *err)
{
	struct cscg_track_settings defaults = cscg_track_defaults();
	struct cscg_tracker *t = cscg_alloc(1, sizeof *t, err);

	if (!t)
		return NULL;
	t->m = m;
	t->belief = cscg_alloc((size_t)m->n_states, sizeof *t->belief, err);
	if (t->belief && cscg_api_header(alphabet, &t->head, err) == 0 &&
	    cscg_alphabet_map_new(&t->map, &t->head, m, err) == 0 &&
	    (m->kind == CSCG_GROUNDED ?
		    new_filter(t, err) :
		    new_track(t, set ? set : &defaults, err)) == 0)
		return t;
	cscg_tracker_free(t);
	return NULL;
}

void
cscg_tracker_free(struct cscg_tracker *t)
{
	if (!t)
		return;
	cscg_track_free(t->track);
	cscg_track_tables_free(t->tables);
	cscg_filter_free(t->filter);
	cscg_trans_free(t->tr);
	cscg_alphabet_map_free(&t->map);
	cscg_walk_header_free(&t->head);
	free(t->belief);
	free(t);
}

int
cscg_tracker_observe(struct cscg_tracker *t, int a, int x,
    struct cscg_err *err)
{
	struct cscg_step step = { .x = x, .a = a, .goal = -1 };
	int i, n;

	if (cscg_api_check_index("action", a, -1, t->head.n_actions, err) <
		0 ||
	    cscg_api_check_index("symbol", x, -1, t->head.n_obs, err) < 0 ||
	    cscg_alphabet_map_step(&t->map, &step, err) < 0)
		return -1;
	if (!t->begun)
		step.a = -1;
	if (t->filter) {
		t->loglik += log(cscg_filter_observe(t->filter, step.a,
		    step.x));
		cscg_filter_probs(t->filter, t->belief);
	} else {
		if (cscg_track_step(t->track, step.a, step.x, err) < 0)
			return -1;
		t->loglik = cscg_track_score(t->track);
		memset(t->belief, 0,
		    (size_t)t->m->n_states * sizeof *t->belief);
		n = cscg_track_count(t->track);
		for (i = 0; i < n; i++) {
			struct cscg_track_hypothesis h = cscg_track_get(
			    t->track, i);

			t->belief[h.state] += h.p;
		}
	}
	t->begun = true;
	return 0;
}

double
cscg_tracker_loglik(const struct cscg_tracker *t)
{
	return t->loglik;
}

int
cscg_tracker_state(const struct cscg_tracker *t)
{
	int best = (int)cscg_largest(t->belief, 0, t->m->n_states);

	return t->belief[best] > 0 ? best : -1;
}

void
cscg_tracker_get_belief(const struct cscg_tracker *t, double *p)
{
	memcpy(p, t->belief, (size_t)t->m->n_states * sizeof *p);
}

struct cscg_model *
cscg_tracker_model(const struct cscg_tracker *t, struct cscg_err *err)
{
	/* P(a symbol other than the bound one), as cscg-match writes it. */
	const double noise = .01;
	struct cscg_model *m;

	if (!t->begun) {
		cscg_fail(err, CSCG_ERANGE, "no observation yet");
		return NULL;
	}
	m = cscg_model_copy(t->m, err);
	if (m && t->track &&
	    cscg_track_ground(t->track, m, noise, &t->head.symbols, err) < 0) {
		cscg_model_free(m);
		return NULL;
	}
	return m;
}

/* ---- matching ---- */

struct cscg_match_settings
cscg_match_defaults(void)
{
	struct cscg_match_settings set = { .method = CSCG_MATCH_EM,
		.bind = cscg_bind_defaults(),
		.track = cscg_track_defaults() };

	set.bind.em.restarts = 4;
	set.bind.em.iterations = -1;
	return set;
}

struct match {
	const struct cscg_match_settings *set;
	double *posterior;
	int best; /* -1: no row yet */
};

static int
on_match_row(void *ctx, const struct cscg_match_row *row, struct cscg_err *err)
{
	struct match *match = ctx;

	match->best = row->best;
	if (match->posterior)
		memcpy(match->posterior, row->posterior,
		    (size_t)row->n * sizeof *row->posterior);
	return match->set->row ?
	    match->set->row(match->set->ctx, row->episode, row->step,
		row->loglik, row->posterior, err) :
	    0;
}

/* Add copies of the schemas, called by their indices. */
static int
add_schemas(struct cscg_match *match, const struct cscg_model *const *schema,
    int n, bool tracked, struct cscg_err *err)
{
	struct cscg_model *m;
	char name[32];
	int i;

	for (i = 0; i < n; i++) {
		if (tracked && !schema[i]->clone)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "schema %d has no clone structure", i);
		m = cscg_model_copy(schema[i], err);
		if (!m)
			return -1;
		cscg_model_unground(m, CSCG_CLONES);
		snprintf(name, sizeof name, "%d", i);
		if (cscg_match_take_schema(match, name, m, err) < 0)
			return -1;
	}
	return 0;
}

static int
match_steps(struct cscg_match *match, const struct cscg_walk *w,
    struct cscg_err *err)
{
	struct cscg_step step;
	long t;

	if (cscg_match_begin_walk(match, &w->head, err) < 0)
		return -1;
	for (t = 0; t < w->n_steps; t++) {
		cscg_walk_get_step(w, t, &step);
		if (cscg_match_step(match, &step, t + 1 < w->n_steps, err) < 0)
			return -1;
	}
	return 0;
}

/* The settings of the score; -1 with err filled (CSCG_EUSAGE). */
static int
check_match(const struct cscg_model *const *schema, int n,
    const struct cscg_match_settings *set, struct cscg_match_em_options *em,
    struct cscg_err *err)
{
	bool can_tie = true;
	int i;

	if (n < 1)
		return cscg_fail(err, CSCG_EUSAGE, "no schema is given");
	if (set->every < 0)
		return cscg_fail(err, CSCG_EUSAGE, "a row every %ld steps",
		    set->every);
	if (check_track(&set->track, err) < 0 ||
	    check_em(&set->bind.em, &em->bind.simd, err) < 0)
		return -1;
	for (i = 0; i < n; i++)
		can_tie &= schema[i]->clone != NULL;
	fill_bind(&set->bind, can_tie,
	    set->bind.tied < 0 ? can_tie ? 30 : 100 :
		set->bind.tied ? 30 :
				 100,
	    &em->bind, &em->starts);
	return 0;
}

int
cscg_match_models(const struct cscg_model *const *schema, int n,
    const struct cscg_walk *walk, const struct cscg_match_settings *set,
    double *posterior, struct cscg_err *err)
{
	struct cscg_match_settings defaults = cscg_match_defaults();
	struct cscg_walk w = cscg_api_complete(walk);
	struct cscg_match_em_options em = { .keep_best = false };
	struct match result = { .posterior = posterior, .best = -1 };
	struct cscg_match_options how = { .row = on_match_row,
		.ctx = &result };
	struct cscg_track_options track;
	struct cscg_match *match;
	bool tracked;
	int rc;

	set = result.set = set ? set : &defaults;
	if (check_match(schema, n, set, &em, err) < 0)
		return -1;
	tracked = set->method == CSCG_MATCH_TRACK;
	track = track_options(&set->track);
	how.score = tracked ? &cscg_match_score_track : &cscg_match_score_em;
	how.score_set = tracked ? (const void *)&track : &em;
	how.by_clones = tracked || em.bind.tied;
	how.threads = threads_of(&set->bind.em);
	/* Beyond the length of any episode: one row, at its end. */
	how.every = set->every ? set->every : LONG_MAX / 2;
	match = cscg_match_new(&how, err);
	if (!match)
		return -1;
	rc = add_schemas(match, schema, n, tracked, err);
	if (rc == 0)
		rc = match_steps(match, &w, err);
	if (rc == 0 && result.best < 0)
		rc = cscg_fail(err, CSCG_ERANGE, "the walk has no steps");
	cscg_match_free(match);
	return rc < 0 ? -1 : result.best;
}

/* ---- switching ---- */

struct cscg_switch_settings
cscg_switch_defaults(void)
{
	return (struct cscg_switch_settings){ .em = { .restarts = 2,
						  .iterations = 40,
						  .tolerance = 1e-5,
						  .pseudocount = 1e-3,
						  .jitter = .01,
						  .seed = 42,
						  .threads = 1 },
		.jump = .01,
		.memory = 10000 };
}

struct switching {
	double *posterior, *p_switch;
	long t;
};

static int
on_switch_row(void *ctx, const struct cscg_switch_row *row,
    struct cscg_err *err)
{
	struct switching *to = ctx;

	(void)err;
	memcpy(to->posterior + to->t * row->n, row->posterior,
	    (size_t)row->n * sizeof *row->posterior);
	if (to->p_switch)
		to->p_switch[to->t] = row->p_switch;
	to->t++;
	return 0;
}

static int
check_switch(const struct cscg_switch_settings *set, int n,
    struct cscg_switch_options *how, struct cscg_err *err)
{
	if (n < 1)
		return cscg_fail(err, CSCG_EUSAGE, "no schema is given");
	if (check_em(&set->em, &how->simd, err) < 0)
		return -1;
	if (!(set->jump > 0 && set->jump < 1))
		return cscg_fail(err, CSCG_EUSAGE, "jump %g is outside (0, 1)",
		    set->jump);
	if (set->em.iterations == 0 || !(set->em.pseudocount > 0) ||
	    set->em.jitter < 0)
		return cscg_fail(err, CSCG_EUSAGE,
		    "%ld iterations, pseudocount %g, jitter %g",
		    set->em.iterations, set->em.pseudocount, set->em.jitter);
	if (set->online && (set->memory < 1024 || set->min_visited > 0))
		return cscg_fail(err, CSCG_EUSAGE,
		    "online with a memory of %ld steps and min_visited %g",
		    set->memory, set->min_visited);
	return 0;
}

static int
switch_steps(struct cscg_switch *sw, const struct cscg_walk *w,
    struct cscg_err *err)
{
	struct cscg_step step;
	long t;

	if (cscg_switch_begin_walk(sw, &w->head, err) < 0)
		return -1;
	for (t = 0; t < w->n_steps; t++) {
		cscg_walk_get_step(w, t, &step);
		if (cscg_switch_step(sw, &step, err) < 0)
			return -1;
	}
	return 0;
}

int
cscg_switch_models(const struct cscg_model *const *schema, int n,
    const struct cscg_walk *walk, const struct cscg_switch_settings *set,
    double *posterior, double *p_switch, struct cscg_err *err)
{
	struct cscg_switch_settings copy = set ? *set : cscg_switch_defaults();
	const struct cscg_em_settings *em = &copy.em;
	struct switching to = { posterior, p_switch, 0 };
	struct cscg_switch_options how = { .jump = copy.jump,
		.restarts = em->restarts,
		.jitter = em->jitter,
		.iterations = iterations_of(em, 40),
		.tolerance = em->tolerance,
		.pseudocount = em->pseudocount,
		.seed = em->seed,
		.threads = threads_of(em),
		.is_double = em->double_precision,
		.online = copy.online,
		.memory = copy.memory,
		.min_visited = copy.min_visited,
		.row = on_switch_row,
		.ctx = &to };
	struct cscg_walk w = cscg_api_complete(walk);
	struct cscg_switch *sw = NULL;
	char(*name)[16];
	int i, rc = -1;

	if (check_switch(&copy, n, &how, err) < 0)
		return -1;
	name = cscg_api_names(n, err);
	if (name)
		sw = cscg_switch_new(&how, err);
	for (i = 0; sw && i < n; i++)
		if (cscg_switch_add(sw, name[i], schema[i], err) < 0)
			goto out;
	if (sw)
		rc = switch_steps(sw, &w, err);
out:
	cscg_switch_free(sw);
	free(name);
	return rc;
}

/* ---- stitching ---- */

struct cscg_stitch_settings
cscg_stitch_defaults(void)
{
	return (struct cscg_stitch_settings){ .bind = { .restarts = 4,
						  .iterations = 100,
						  .tolerance = 1e-5,
						  .pseudocount = 1e-7,
						  .jitter = .01,
						  .seed = 42,
						  .threads = 1 },
		.learn = { .restarts = 1,
		    .iterations = 30,
		    .tolerance = 1e-5,
		    .pseudocount = 2e-3 },
		.self_loop = .5,
		.prior_weight = 1,
		.reset_rounds = 20,
		.viterbi_rounds = 5 };
}

static int
check_stitch(const struct cscg_stitch_settings *set, int n,
    const struct cscg_simd **simd, struct cscg_err *err)
{
	const struct cscg_simd *unused;

	if (n < 1)
		return cscg_fail(err, CSCG_EUSAGE, "no schema is given");
	if (check_em(&set->learn, &unused, err) < 0 ||
	    check_em(&set->bind, simd, err) < 0)
		return -1;
	if (!(set->self_loop >= 0 && set->self_loop <= 1) ||
	    !(set->prior_weight >= 0) || set->reset_rounds < 0 ||
	    set->viterbi_rounds < 1)
		return cscg_fail(err, CSCG_EUSAGE,
		    "self_loop %g, prior_weight %g, %ld reset rounds, %d "
		    "Viterbi rounds",
		    set->self_loop, set->prior_weight, set->reset_rounds,
		    set->viterbi_rounds);
	if (set->prior_weight > 0 && !(set->learn.pseudocount > 0))
		return cscg_fail(err, CSCG_EUSAGE,
		    "a prior_weight above 0 needs a pseudocount of T above 0");
	return 0;
}

/* Copies of the schemas with the frontiers that settings select. */
static int
copy_blocks(const struct cscg_model *const *schema, int n, bool boundary,
    struct cscg_model **block, struct cscg_err *err)
{
	int i;

	for (i = 0; i < n; i++) {
		block[i] = cscg_model_copy(schema[i], err);
		if (!block[i])
			return -1;
		if (n == 1)
			break; /* a single schema needs no frontiers */
		if (boundary && cscg_frontier_boundary(block[i], err) < 0)
			return -1;
		if (!block[i]->n_frontiers && !block[i]->n_entries)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "schema %d has no %s", i,
			    boundary ? "walls that could be frontiers" :
				       "frontiers");
	}
	return 0;
}

/* The model of the result with the histories of all inputs. */
static int
finish_stitch(struct cscg_stitch_result *result,
    const struct cscg_model *const *schema, int n, const struct cscg_walk *w,
    struct cscg_err *err)
{
	int i;

	for (i = 0; i < n; i++)
		if (cscg_history_join(&result->model->history,
			&schema[i]->history, err) < 0)
			return -1;
	return cscg_history_join(&result->model->history, &w->head.history,
	    err);
}

struct cscg_model *
cscg_model_stitch(const struct cscg_model *const *schema, int n,
    const struct cscg_walk *walk, const struct cscg_stitch_settings *set,
    int **origin, struct cscg_err *err)
{
	struct cscg_stitch_settings copy = set ? *set : cscg_stitch_defaults();
	struct cscg_stitch how = { .self_loop = copy.self_loop,
		.prior_weight = copy.prior_weight,
		.bind = { .iterations = iterations_of(&copy.bind, 100),
		    .tolerance = copy.bind.tolerance,
		    .pseudocount = copy.bind.pseudocount },
		.starts = { .restarts = copy.bind.restarts,
		    .jitter = copy.bind.jitter < 0 ? .01 : copy.bind.jitter,
		    .seed = copy.bind.seed,
		    .threads = threads_of(&copy.bind) },
		.reset_rounds = copy.reset_rounds,
		.iterations = iterations_of(&copy.learn, 30),
		.tolerance = copy.learn.tolerance,
		.pseudocount = copy.learn.pseudocount,
		.viterbi_rounds = copy.viterbi_rounds };
	struct cscg_stitch_result result = { .model = NULL };
	struct cscg_model **block, *m = NULL;
	struct cscg_walk *w = NULL;
	int i;

	if (check_stitch(&copy, n, &how.bind.simd, err) < 0)
		return NULL;
	block = cscg_alloc((size_t)n, sizeof *block, err);
	if (block && copy_blocks(schema, n, copy.boundary, block, err) == 0)
		w = cscg_api_align(walk, schema[0], false, err);
	if (w &&
	    cscg_stitch((const struct cscg_model *const *)block, n, w, &how,
		&result, err) == 0 &&
	    finish_stitch(&result, schema, n, w, err) == 0) {
		m = result.model;
		result.model = NULL;
		if (origin) {
			*origin = result.state_of;
			result.state_of = NULL;
		}
	}
	cscg_stitch_result_free(&result);
	cscg_walk_free(w);
	for (i = 0; block && i < n; i++)
		cscg_model_free(block[i]);
	free(block);
	return m;
}
