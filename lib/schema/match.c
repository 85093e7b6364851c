/*
 * match.c - log-likelihoods of several schemas on a walk, and their posterior
 * (softmax)
 *
 * Only the current episode is stored; with a window, only the window; if the
 * score has step(), only the steps that it has not processed yet.  Segments
 * that end where a row is due are collected while further steps are available,
 * and then all (segment, schema) pairs, or all schemas, are scored in
 * parallel; a live walk gives one segment at a time.  Scores depend only on
 * the walk, so neither the number of threads nor the timing of the steps
 * changes a row.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/stats.h"
#include "core/model.h"
#include "schema/match.h"

/* schemas that are equal, or whose actions are numbered differently */

static bool
same_names(const struct cscg_names *a, const struct cscg_names *b)
{
	int i;

	for (i = 0; i < a->n && i < b->n; i++)
		if (strcmp(a->v[i], b->v[i]))
			return false;
	return a->n == b->n;
}

/* Both NULL, or n equal items. */
static bool
same_array(const void *a, const void *b, size_t n, size_t size)
{
	return a && b ? !memcmp(a, b, n * size) : !a && !b;
}

/*
 * Whether schemas a and b are equal.  Clones are compared if by_clones is set,
 * symbols never.
 */
static bool
match_same_schema(const struct cscg_model *a, const struct cscg_model *b,
    bool by_clones)
{
	size_t rows, n;

	if (a->n_states != b->n_states || a->n_actions != b->n_actions ||
	    a->pseudocount != b->pseudocount)
		return false;
	rows = (size_t)a->n_actions * (size_t)a->n_states;
	n = (size_t)a->first[rows];
	return same_array(a->first, b->first, rows + 1, sizeof *a->first) &&
	    same_array(a->to, b->to, n, sizeof *a->to) &&
	    same_array(a->count, b->count, n, sizeof *a->count) &&
	    same_array(a->pi, b->pi, (size_t)a->n_states, sizeof *a->pi) &&
	    (!by_clones ||
		same_array(a->clone, b->clone, (size_t)a->n_states,
		    sizeof *a->clone)) &&
	    same_names(&a->actions, &b->actions);
}

/*
 * A copy of m with n_actions actions, action a being action map[a] of m; NULL
 * with err filled (CSCG_ENOMEM).
 */
static struct cscg_model *
match_permute_actions(const struct cscg_model *m, const int *map,
    int n_actions, struct cscg_err *err)
{
	struct cscg_model *t = cscg_model_new(m->clone ? CSCG_CLONES :
							 CSCG_SCHEMA,
	    m->n_states, n_actions, m->n_obs, err);
	size_t n = (size_t)m->n_states, size = 0;
	long *row, at = 0;
	int a, j;

	if (!t)
		return NULL;
	for (a = 0; a < n_actions; a++) {
		row = m->first + (long)map[a] * m->n_states;
		size += (size_t)(row[n] - row[0]);
	}
	free(t->to);
	free(t->count);
	t->to = cscg_alloc(size, sizeof *t->to, err);
	t->count = cscg_alloc(size, sizeof *t->count, err);
	t->pi = cscg_copy(m->pi, n, sizeof *m->pi, err);
	if (!t->to || !t->count || !t->pi != !m->pi) {
		cscg_model_free(t);
		return NULL;
	}
	if (m->clone)
		memcpy(t->clone, m->clone, n * sizeof *t->clone);
	t->pseudocount = m->pseudocount;
	for (a = 0; a < n_actions; a++) {
		row = m->first + (long)map[a] * m->n_states;
		size = (size_t)(row[n] - row[0]);
		memcpy(t->to + at, m->to + row[0], size * sizeof *t->to);
		memcpy(t->count + at, m->count + row[0],
		    size * sizeof *t->count);
		for (j = 0; j < m->n_states; j++)
			t->first[(long)a * m->n_states + j + 1] = at +
			    row[j + 1] - row[0];
		at += (long)size;
	}
	return t;
}

enum {
	SEGMENTS_MAX = 16, /* segments scored together, per thread */
	STEPS_WAITING_MAX =
	    512, /* steps processed together, if the score has step() */
};

/* E of a schema would be 1 GiB. */
static const double emission_cells_max = (1 << 30) / sizeof(double);

struct schema {
	char *name;
	struct cscg_model *m;        /* as given */
	struct cscg_model *permuted; /* with the actions of the walk, or NULL:
	                                the numbering is the same */
	int *map;                    /* [walk's actions], NULL: no walk yet */
	int n_map;
	void *tables, *episode;
};

/* Steps from..to-1 of the episode; step and n_starts are for the row. */
struct segment {
	long from, to, step, n_starts;
};

struct cscg_match {
	struct cscg_match_options set;
	struct schema *s;
	int n;
	size_t cap;
	bool is_stateful, steps; /* whether the score is stateful, and has
	                            step(): see struct cscg_match_score */

	struct cscg_walk *w; /* part of one episode */
	long base;           /* steps of the episode already dropped */
	int last_action;     /* the action before the stored steps, or -1 */
	long n_taken;        /* steps of the episode so far */
	long resets;         /* resets in these steps */
	int best;            /* of the last row */
	long next;           /* the number of steps at which the next row is
	                        due */
	long episode;

	struct segment *segments;
	long n_segments;
	size_t cap_segments, cap_loglik;
	double *loglik;    /* [n_segments][n] */
	bool rank_failed;  /* a rank has failed; the same on all ranks */
	double *posterior; /* [n] */
	int *rank;         /* [n] */
};

struct cscg_match *
cscg_match_new(const struct cscg_match_options *set, struct cscg_err *err)
{
	struct cscg_match *match = cscg_alloc(1, sizeof *match, err);

	if (!match)
		return NULL;
	match->set = *set;
	match->steps = set->score->step && !set->window;
	match->is_stateful = match->steps ||
	    set->score->is_stateful(set->score_set);
	return match;
}

static void
reset_walk(struct cscg_match *match, struct schema *s)
{
	match->set.score->end_episode(s->episode);
	match->set.score->close(s->tables);
	cscg_model_free(s->permuted);
	free(s->map);
	s->episode = s->tables = NULL;
	s->permuted = NULL;
	s->map = NULL;
}

void
cscg_match_free(struct cscg_match *match)
{
	int i;

	if (!match)
		return;
	for (i = 0; i < match->n; i++) {
		reset_walk(match, &match->s[i]);
		cscg_model_free(match->s[i].m);
		free(match->s[i].name);
	}
	free(match->s);
	cscg_walk_free(match->w);
	free(match->segments);
	free(match->loglik);
	free(match->posterior);
	free(match->rank);
	free(match);
}

/* ---- schemas ---- */

int
cscg_match_take_schema(struct cscg_match *match, const char *name,
    struct cscg_model *m, struct cscg_err *err)
{
	struct schema *s;
	int i;

	for (i = 0; i < match->n; i++)
		if (match_same_schema(match->s[i].m, m,
			match->set.by_clones)) {
			cscg_fail(err, CSCG_EMISMATCH,
			    "'%s' and '%s' are the same schema",
			    match->s[i].name, name);
			goto fail;
		}
	if (cscg_grow(&match->s, &match->cap, (size_t)match->n + 1,
		sizeof *match->s, err) < 0)
		goto fail;
	s = &match->s[match->n];
	s->name = cscg_copy(name, strlen(name) + 1, 1, err);
	if (!s->name)
		goto fail;
	s->m = m;
	match->n++;
	return 0;
fail:
	cscg_model_free(m);
	return -1;
}

/* Match the actions of schema s with those of the walk. */
static int
map_schema_actions(struct cscg_match *match, struct schema *s,
    const struct cscg_walk_header *head, struct cscg_err *err)
{
	size_t n = (size_t)head->n_actions;
	int *map = cscg_alloc(n, sizeof *map, err), a;
	bool as_is;

	if (!map)
		return -1;
	if (cscg_names_map(&head->actions, head->n_actions, &s->m->actions,
		s->m->n_actions, "action", map, err) < 0) {
		free(map);
		return -1;
	}
	if (s->tables && s->n_map == head->n_actions &&
	    !memcmp(s->map, map, n * sizeof *map)) {
		free(map);
		return 0;
	}
	reset_walk(match, s);
	s->map = map;
	s->n_map = head->n_actions;
	as_is = head->n_actions == s->m->n_actions;
	for (a = 0; a < head->n_actions; a++)
		as_is &= map[a] == a;
	if (!as_is) {
		s->permuted = match_permute_actions(s->m, map, head->n_actions,
		    err);
		if (!s->permuted)
			return -1;
	}
	s->tables = match->set.score->open(match->set.score_set,
	    as_is ? s->m : s->permuted, err);
	return s->tables ? 0 : -1;
}

/* ---- rows ---- */

static void
rank_schemas(const double *loglik, int n, int *rank)
{
	int i, j;

	for (i = 0; i < n; i++)
		for (rank[i] = 1, j = 0; j < n; j++)
			rank[i] += loglik[j] > loglik[i] ||
			    (loglik[j] == loglik[i] && j < i);
}

/* Relative to the best, to avoid overflow; uniform if all are impossible. */
static void
softmax(const double *loglik, int n, int best, double *p)
{
	int i;

	for (i = 0; i < n; i++)
		p[i] = isinf(loglik[best]) ? 1 : exp(loglik[i] - loglik[best]);
	cscg_normalise(p, n, p);
}

static int
emit_row(struct cscg_match *match, const struct segment *p,
    const double *loglik, struct cscg_err *err)
{
	struct cscg_match_row row = { .episode = match->episode,
		.step = p->step,
		.length = p->to - p->from,
		.n_starts = p->n_starts,
		.n = match->n,
		.loglik = loglik,
		.posterior = match->posterior,
		.rank = match->rank };

	rank_schemas(loglik, match->n, match->rank);
	while (match->rank[row.best] != 1)
		row.best++;
	match->best = row.best;
	softmax(loglik, match->n, row.best, match->posterior);
	row.node = match->w->z ? match->w->z[p->step - 1 - match->base] : -1;
	return match->set.row(match->set.ctx, &row, err);
}

/* ---- scores ---- */

/* Process all stored steps and record the scores where rows are due. */
static int
score_steps(struct cscg_match *match, void *episode, int k,
    struct cscg_err *err)
{
	const struct cscg_walk *w = match->w;
	const struct segment *p = match->segments,
			     *last = p + match->n_segments;
	double loglik = 0;
	long t;

	for (t = 0; t < w->n_steps; t++) {
		int a = t ? w->a[t - 1] : match->last_action;

		if (w->reset && w->reset[t])
			a = -1;
		if (match->set.score->step(episode, a, w->x[t], &loglik, err) <
		    0)
			return -1;
		if (p < last && p->to == match->base + t + 1)
			match->loglik[(p++ - match->segments) * match->n + k] =
			    loglik;
	}
	return 0;
}

/*
 * One task: segment i of schema k, or all segments if the score is stateful.
 */
static int
score_task(struct cscg_match *match, long task, int threads,
    struct cscg_err *err)
{
	const struct cscg_match_score *score = match->set.score;
	struct schema *s = &match->s[task % match->n];
	long i = match->is_stateful ? 0 : task / match->n;
	long last = match->is_stateful ? match->n_segments : i + 1, start[2];
	void *episode = match->is_stateful ? s->episode : NULL;
	struct cscg_walk view;
	int rc = 0;

	if (!episode)
		episode = score->begin_episode(s->tables, match->w->head.n_obs,
		    (uint64_t)match->episode, err);
	if (!episode)
		return -1;
	if (match->steps)
		rc = score_steps(match, episode, (int)(task % match->n), err);
	for (; i < last && rc == 0 && !match->steps; i++) {
		cscg_walk_slice(match->w, 0,
		    match->segments[i].from - match->base,
		    match->segments[i].to - match->base, &view, start);
		rc = score->evaluate(episode, &view, threads,
		    &match->loglik[i * match->n + task % match->n], err);
	}
	if (match->is_stateful)
		s->episode = episode;
	else
		score->end_episode(episode);
	return rc < 0 ? cscg_fail_at(err, "schema '%s', episode %ld", s->name,
			    match->episode) :
			0;
}

/* Whether the task belongs to another rank. */
static bool
is_other_rank(const struct cscg_match *match, long task)
{
	return task % cscg_ranks_size(match->set.ranks) !=
	    cscg_ranks_rank(match->set.ranks);
}

/*
 * Combine the scores of all ranks, each of which has computed its tasks, with
 * zeros elsewhere: integer sums of the bits are exact.
 */
static int
share_scores(struct cscg_match *match, int rc, struct cscg_err *err)
{
	size_t n = (size_t)(match->n_segments * match->n), i;
	int64_t *bits = NULL;

	if (cscg_ranks_size(match->set.ranks) == 1)
		return rc;
	if (rc == 0) {
		bits = cscg_alloc(n, sizeof *bits, err);
		rc = bits ? 0 : -1;
	}
	/* A rank that failed since the last exchange reports it here. */
	if (cscg_ranks_agree(match->set.ranks, rc, 0, err) < 0) {
		match->rank_failed = true;
		free(bits);
		return -1;
	}
	for (i = 0; i < n; i++)
		if (!is_other_rank(match,
			match->is_stateful ? (long)i % match->n : (long)i))
			memcpy(&bits[i], &match->loglik[i], sizeof *bits);
	cscg_ranks_sum(match->set.ranks, bits, n);
	memcpy(match->loglik, bits, n * sizeof *bits);
	free(bits);
	return 0;
}

bool
cscg_match_rank_failed(const struct cscg_match *match)
{
	return match->rank_failed;
}

struct scores_loop {
	struct cscg_match *match;
	long n;
};

/* Long prefixes first, so that the last tasks are short. */
static int
loop_task(void *ctx, long i, void *state, struct cscg_err *err)
{
	const struct scores_loop *loop = ctx;
	struct cscg_match *match = loop->match;
	long task = loop->n - 1 - i;

	(void)state;
	return is_other_rank(match, task) ?
	    0 :
	    score_task(match, task, loop->n > 1 ? 1 : match->set.threads, err);
}

/* Score all collected segments; n tasks. */
static int
score_all(struct cscg_match *match, long n, struct cscg_err *err)
{
	struct scores_loop loop = { match, n };
	const struct cscg_parallel each = { .try_body = loop_task,
		.ctx = &loop };

	if (cscg_grow(&match->loglik, &match->cap_loglik,
		(size_t)(match->n_segments * match->n), sizeof *match->loglik,
		err) < 0)
		return -1;
	return cscg_parallel_for(&each, n, match->set.threads, err);
}

/* Score all collected segments and emit their rows. */
static int
flush(struct cscg_match *match, struct cscg_err *err)
{
	long n = match->n * (match->is_stateful ? 1 : match->n_segments), i;

	if (!match->n_segments && !match->steps)
		return 0;
	if (share_scores(match, score_all(match, n, err), err) < 0)
		return -1;
	for (i = 0; i < match->n_segments; i++)
		if (emit_row(match, &match->segments[i],
			match->loglik + i * match->n, err) < 0)
			return -1;
	match->n_segments = 0;
	return 0;
}

/* ---- steps ---- */

/* The number of resets within a window. */
static long
count_resets(const struct cscg_match *match, const struct segment *p)
{
	const unsigned char *reset = match->w->reset;
	long t, n = 0;

	for (t = p->from + 1; t < p->to && reset; t++)
		n += reset[t - match->base];
	return n;
}

static int
add_segment(struct cscg_match *match, struct cscg_err *err)
{
	long window = match->set.window;
	struct segment *p;

	if (cscg_grow(&match->segments, &match->cap_segments,
		(size_t)match->n_segments + 1, sizeof *match->segments,
		err) < 0)
		return -1;
	p = &match->segments[match->n_segments++];
	*p = (struct segment){ .to = match->n_taken,
		.step = match->n_taken,
		.n_starts = 1 + match->resets };
	if (window) {
		p->from = match->n_taken - window;
		p->n_starts = 1 + count_resets(match, p);
	}
	return 0;
}

/* Drop processed steps, or steps before the window, once there are many. */
static void
drop_old_steps(struct cscg_match *match)
{
	struct cscg_walk *w = match->w;
	long keep = match->set.window, drop = w->n_steps - keep;
	size_t n;

	if (match->steps && w->n_steps)
		match->last_action = w->a[w->n_steps - 1];
	else if (!keep || drop < keep + 1000 || match->n_segments)
		return;
	n = (size_t)keep;
	memmove(w->x, w->x + drop, n * sizeof *w->x);
	memmove(w->a, w->a + drop, n * sizeof *w->a);
	if (w->z)
		memmove(w->z, w->z + drop, n * sizeof *w->z);
	if (w->reset)
		memmove(w->reset, w->reset + drop, n * sizeof *w->reset);
	w->n_steps = keep;
	match->base += drop;
}

/*
 * Steps from a row at step n to the next by default: a tenth of the next of
 * 50, 100, 200, 500, 1000, ...  The lengths of the prefixes, and with them
 * the time to bind each, then add up to a multiple of the length of the walk.
 */
static long
proportional_stride(long n)
{
	long stride = 5;
	int k;

	for (k = 0; n / 10 >= stride; k++)
		stride = k % 3 == 2 ? stride / 2 * 5 : 2 * stride;
	return stride;
}

/* Steps from a row at step n to the next. */
static long
row_stride(const struct cscg_match *match, long n)
{
	return match->set.every ? match->set.every : proportional_stride(n);
}

/* The first row: of a whole window, or of the first prefix. */
static void
begin_episode(struct cscg_match *match)
{
	int i;

	for (i = 0; i < match->n; i++) {
		match->set.score->end_episode(match->s[i].episode);
		match->s[i].episode = NULL;
	}
	match->w->n_steps = match->w->n_episodes = 0;
	match->base = match->n_taken = match->resets = 0;
	match->last_action = -1;
	match->next = match->set.window ? match->set.window :
					  row_stride(match, 0);
}

int
cscg_match_begin_walk(struct cscg_match *match,
    const struct cscg_walk_header *head, struct cscg_err *err)
{
	size_t n = (size_t)match->n;
	int i;

	cscg_walk_free(match->w);
	match->w = NULL;
	for (i = 0; i < match->n; i++) {
		const struct cscg_model *m = match->s[i].m;

		if ((double)m->n_states * head->n_obs > emission_cells_max)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "schema '%s': %d symbols are too many for %d "
			    "states (at most %.0f)",
			    match->s[i].name, head->n_obs, m->n_states,
			    floor(emission_cells_max / m->n_states));
		if (map_schema_actions(match, &match->s[i], head, err) < 0)
			return cscg_fail_at(err, "schema '%s'",
			    match->s[i].name);
	}
	free(match->posterior);
	free(match->rank);
	match->posterior = cscg_alloc(n, sizeof *match->posterior, err);
	match->rank = cscg_alloc(n, sizeof *match->rank, err);
	if (!match->posterior || !match->rank)
		return -1;
	match->w = cscg_walk_new(head, err);
	if (!match->w)
		return -1;
	begin_episode(match);
	return 0;
}

/* Whether a row is due after the last step. */
static bool
is_row_due(struct cscg_match *match, bool last)
{
	long n = match->n_taken;

	if (n == match->next) {
		match->next += row_stride(match, n);
		return true;
	}
	/*
	 * Windows have a fixed length and stride; the last prefix may have any
	 * length.
	 */
	return !match->set.window && last;
}

/*
 * Whether to score now: at the end of an episode, if rows are due and no
 * further step is available yet, or if there are enough segments or enough
 * steps.
 */
static bool
is_flush_due(const struct cscg_match *match, bool more, bool last)
{
	long n = (long)match->set.threads * cscg_ranks_size(match->set.ranks);

	n = n > 1 ? n * SEGMENTS_MAX : 1;
	if (last)
		return true;
	if (match->steps)
		return match->w->n_steps >= STEPS_WAITING_MAX ||
		    (match->n_segments && !more);
	return !more || match->n_segments >= n;
}

int
cscg_match_step(struct cscg_match *match, const struct cscg_step *step,
    bool more, struct cscg_err *err)
{
	struct cscg_step s = { .x = step->x,
		.a = step->a,
		.z = step->z,
		.reset = step->reset,
		.goal = -1,
		.r = NAN };
	bool last = step->a < 0;

	if (cscg_walk_add(match->w, &s, err) < 0)
		return -1;
	match->resets += match->n_taken++ && s.reset;
	if (is_row_due(match, last) && add_segment(match, err) < 0)
		return -1;
	if (is_flush_due(match, more, last)) {
		if (flush(match, err) < 0)
			return -1;
		drop_old_steps(match);
	}
	if (!last)
		return 0;
	if (match->n_taken < match->set.window)
		return cscg_fail(err, CSCG_ERANGE,
		    "episode %ld: %ld steps are less than the window of %ld",
		    match->episode, match->n_taken, match->set.window);
	if (match->set.end_episode && match->s[match->best].episode &&
	    match->set.end_episode(match->set.end_ctx, match->s[match->best].m,
		match->s[match->best].episode, err) < 0)
		return -1;
	begin_episode(match);
	match->episode++;
	return 0;
}

/*
 * The paper's score: the likelihood after binding
 *
 * The observations are bound by EM from several starts, as by
 * cscg_bind_restarts(); the score is the log-likelihood under the best E.
 * With keep_best the best E of the evaluation before is an additional start,
 * and each evaluation draws new random starts.
 */

struct tables {
	const struct cscg_match_em_options *set;
	const struct cscg_model *m;
	struct cscg_trans *tr;
};

struct episode {
	const struct tables *tables;
	uint64_t key;
	int n_obs;
	double *E, *pi; /* [n_states][n_obs], [n_states]; with keep_best also
	                   those that are kept */
	uint64_t n_evaluations;
	struct cscg_bind_work work;
};

static void
em_close(void *tables)
{
	struct tables *t = tables;

	if (t)
		cscg_trans_free(t->tr);
	free(t);
}

static void *
em_open(const void *set, const struct cscg_model *m, struct cscg_err *err)
{
	struct tables *t = cscg_alloc(1, sizeof *t, err);

	if (!t)
		return NULL;
	t->set = set;
	t->m = m;
	if (t->set->bind.tied && !m->clone) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "tied emissions need clone structure, which the schema "
		    "lacks");
		goto fail;
	}
	t->tr = cscg_trans_select(m, t->set->bind.simd, t->set->bind.is_double,
	    err);
	if (t->tr)
		return t;
fail:
	em_close(t);
	return NULL;
}

static void
em_end_episode(void *episode)
{
	struct episode *e = episode;

	if (!e)
		return;
	free(e->E);
	free(e->pi);
	cscg_bind_work_free(&e->work);
	free(e);
}

static void *
em_begin_episode(void *tables, int n_obs, uint64_t key, struct cscg_err *err)
{
	const struct tables *t = tables;
	struct episode *e = cscg_alloc(1, sizeof *e, err);
	size_t S = (size_t)t->m->n_states, n = t->set->keep_best ? 2 : 1;

	if (!e)
		return NULL;
	e->tables = t;
	e->key = key;
	e->n_obs = n_obs;
	e->E = cscg_alloc(n * S, (size_t)n_obs * sizeof *e->E, err);
	e->pi = cscg_alloc(n * S, sizeof *e->pi, err);
	if (!e->E || !e->pi) {
		em_end_episode(e);
		return NULL;
	}
	return e;
}

static int
evaluate_fresh(struct episode *e, const struct cscg_walk *view, int threads,
    struct cscg_em_progress *last, struct cscg_err *err)
{
	const struct tables *t = e->tables;
	struct cscg_bind bind = t->set->bind;
	struct cscg_bind_starts starts = t->set->starts;

	bind.tr = t->tr;
	starts.key = e->key + (e->n_evaluations << 32);
	starts.threads = threads;
	return cscg_bind_restarts(t->m, view, &bind, &starts, e->E, e->pi,
	    last, NULL, err);
}

/* From new random starts and from the best E before; the second E is kept. */
static int
evaluate_keep(struct episode *e, const struct cscg_walk *view, int threads,
    struct cscg_em_progress *best, struct cscg_err *err)
{
	const struct tables *t = e->tables;
	size_t S = (size_t)t->m->n_states, n = S * (size_t)e->n_obs;
	struct cscg_bind bind = t->set->bind;
	struct cscg_em_progress line;

	if (evaluate_fresh(e, view, threads, best, err) < 0)
		return -1;
	bind.tr = t->tr;
	bind.work = &e->work;
	if (e->n_evaluations++ &&
	    cscg_bind(t->m, view, &bind, e->E + n, e->pi + S, &line, err) < 0)
		return -1;
	if (e->n_evaluations > 1 && line.objective > best->objective) {
		*best = line;
	} else {
		memcpy(e->E + n, e->E, n * sizeof *e->E);
		memcpy(e->pi + S, e->pi, S * sizeof *e->pi);
	}
	return 0;
}

static int
em_evaluate(void *episode, const struct cscg_walk *view, int threads,
    double *loglik, struct cscg_err *err)
{
	struct episode *e = episode;
	struct cscg_em_progress last = { .loglik = -INFINITY };
	const struct cscg_match_em_options *set = e->tables->set;
	int rc = set->keep_best ? evaluate_keep(e, view, threads, &last, err) :
				  evaluate_fresh(e, view, threads, &last, err);

	if (rc == 0) {
		*loglik = last.loglik;
	} else if (err->code == CSCG_ERANGE) {
		/* The walk is impossible under this schema: a valid result. */
		*loglik = -INFINITY;
		*err = (struct cscg_err){ 0 };
		rc = 0;
	}
	return rc;
}

static bool
em_is_stateful(const void *set)
{
	const struct cscg_match_em_options *em = set;

	return em->keep_best;
}

const struct cscg_match_score cscg_match_score_em = {
	"em",
	em_open,
	em_close,
	em_begin_episode,
	em_end_episode,
	em_evaluate,
	em_is_stateful,
	NULL,
};

/*
 * The marginal likelihood over bindings as score
 *
 * A prefix is scored step by step, a window from its first step on, without
 * the observations before it.
 */

static void *
track_open(const void *set, const struct cscg_model *m, struct cscg_err *err)
{
	return cscg_track_tables_new(m, set, err);
}

static void
track_close(void *tables)
{
	cscg_track_tables_free(tables);
}

static void *
track_begin_episode(void *tables, int n_obs, uint64_t key,
    struct cscg_err *err)
{
	(void)key;
	return cscg_track_new(tables, n_obs, err);
}

static void
track_end_episode(void *episode)
{
	cscg_track_free(episode);
}

static int
track_step(void *episode, int a, int x, double *loglik, struct cscg_err *err)
{
	if (cscg_track_step(episode, a, x, err) < 0)
		return -1;
	*loglik = cscg_track_score(episode);
	return 0;
}

static int
track_evaluate(void *episode, const struct cscg_walk *view, int threads,
    double *loglik, struct cscg_err *err)
{
	long t;

	(void)threads;
	cscg_track_reset(episode);
	for (t = 0; t < view->n_steps; t++) {
		bool has_action = t && !(view->reset && view->reset[t]);

		if (track_step(episode, has_action ? view->a[t - 1] : -1,
			view->x[t], loglik, err) < 0)
			return -1;
	}
	return 0;
}

/* Windows are scored independently. */
static bool
track_is_stateful(const void *set)
{
	(void)set;
	return false;
}

const struct cscg_match_score cscg_match_score_track = {
	"track",
	track_open,
	track_close,
	track_begin_episode,
	track_end_episode,
	track_evaluate,
	track_is_stateful,
	track_step,
};
