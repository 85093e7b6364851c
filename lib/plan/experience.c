/*
 * experience.c - the walk of an agent in one environment, and the map learned
 * from it where no model explains it
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/passes.h"
#include "kernel/trans.h"
#include "learn/learn_model.h"
#include "learn/merge.h"
#include "plan/experience.h"
#include "schema/kind.h"
#include "schema/residual.h"

enum {
	MIN_STEPS = 400,      /* least length of a walk to be learned */
	STEPS_A_STATE = 8,    /* least number per state of a plausible map, */
	NOISY_STEPS = 30,     /* and of one of a walk with noise; also per
	                       symbol, before a walk that merging does not
	                       explain is learned */
	STEPS_MAX = 100000,   /* stored */
	QUICK_MISSED = 3,     /* steps not predicted, from which on the walk is
	                       learned by merging */
	PARTIAL_STEPS = 1000, /* from which on a partial map has at most half
	                         as many states */
	REFUTED_MAX = 10,     /* contradictions of a partial map, and ... */
	ITERATIONS = 200,     /* of EM */
	RESTARTS = 3
};

/* Weight of a step in the mean of recent steps. */
static const double RECENT = 1 / 100.;
/* Mean surprise above which no model explains the walk. */
static const double MAX_SURPRISE = .4;
/* The same for a learned map: above it, the walk is learned again. */
static const double MAX_MAP_SURPRISE = .2;
/* The same for several places, while the walk doubles: a map is compared. */
static const double MAX_PLACES_SURPRISE = .08;
static const double SURPRISE_MAX = 2; /* limit for one step */
/* Least share of the likeliest transitions in a plausible map. */
static const double MIN_MAIN_SHARE = .85;
/*
 * The walk is learned again when it has grown by this share; at its end; by
 * merging only.
 */
static const double GROWTH = .5, LAST_GROWTH = .05, QUICK_GROWTH = .1;
/* Share by which the walk has grown before a rate is that since step mark. */
static const double MARK_GROWTH = .25;

/* ... per step, from which on the environment is not deterministic. */
static const double MAX_REFUTED = .01;
/* Probability of a step below which a partial map did not predict it. */
static const double MISSED = .02;

struct cscg_experience *
cscg_experience_new(const struct cscg_env_header *world, uint64_t seed,
    struct cscg_err *err)
{
	struct cscg_experience *e = cscg_alloc(1, sizeof *e, err);
	int a;

	if (!e)
		return NULL;
	e->collect = world->collect;
	e->seed = seed;
	e->head.n_obs = world->head.n_obs;
	e->head.n_actions = world->head.n_actions - (world->collect >= 0);
	e->is_seen = cscg_alloc((size_t)e->head.n_obs, 1, err);
	if (!e->is_seen ||
	    cscg_names_copy(&e->head.symbols, &world->head.symbols, err) < 0)
		goto fail;
	for (a = 0; a < world->head.actions.n; a++)
		if (a != world->collect &&
		    cscg_names_add(&e->head.actions, world->head.actions.v[a],
			err) < 0)
			goto fail;
	return e;
fail:
	cscg_experience_free(e);
	return NULL;
}

void
cscg_experience_free(struct cscg_experience *e)
{
	int i;

	if (!e)
		return;
	cscg_walk_header_free(&e->head);
	for (i = 0; i < e->n_rooms; i++)
		cscg_model_free(e->room[i]);
	cscg_model_free(e->map);
	free(e->room);
	free(e->a);
	free(e->x);
	free(e->n_steps);
	free(e->is_seen);
	free(e->tried);
	free(e->door);
	free(e->path);
	free(e->reward);
	free(e);
}

void
cscg_experience_reset(struct cscg_experience *e)
{
	cscg_model_free(e->map);
	e->map = NULL;
	e->n = e->n_total = e->n_learned = e->n_tried = e->first = 0;
	e->n_known = e->n_doors = 0;
	e->n_rewards = 0;
	e->n_kept = e->n_rooms;
	memset(e->is_seen, 0, (size_t)e->head.n_obs);
	e->surprise = e->sum_surprise = 0;
	e->mark_surprise = e->half_surprise = e->rate = 0;
	e->n_missed = e->n_path = e->n_refuted = 0;
	e->is_missed = false;
	e->mark = e->n_places = e->mark_places = 0;
	e->is_growing = false;
}

void
cscg_experience_begin_episode(struct cscg_experience *e)
{
	e->first = e->n;
}

/* -log p in units of the entropy of a symbol drawn at random. */
static double
surprise_of(const struct cscg_experience *e, double p)
{
	double most = log(fmax(e->head.n_obs, 2));

	return isnan(p) ? 1 : fmin(-log(p) / most, SURPRISE_MAX);
}

/* Drop the first half of the stored steps. */
static void
drop_half(struct cscg_experience *e)
{
	long half = STEPS_MAX / 2, i, n = 0;

	memmove(e->a, e->a + half, (size_t)half * sizeof *e->a);
	memmove(e->x, e->x + half, (size_t)half * sizeof *e->x);
	e->a[0] = -1;
	e->n = half;
	e->first = e->first > half ? e->first - half : 0;
	e->n_learned = e->n_learned > half ? e->n_learned - half : 0;
	e->n_tried = e->n_tried > half ? e->n_tried - half : 0;
	e->n_path = 0;
	e->mark = e->mark > half ? e->mark - half : 0;
	e->mark_surprise = fmax(e->mark_surprise - e->half_surprise, 0);
	e->sum_surprise -= e->half_surprise;
	e->half_surprise = e->sum_surprise;
	for (i = 0; i < e->n_rewards; i++)
		if (e->reward[i].t >= half) {
			e->reward[n] = e->reward[i];
			e->reward[n++].t -= half;
		}
	e->n_rewards = n;
}

int
cscg_experience_add(struct cscg_experience *e, int a, int x, double p,
    struct cscg_err *err)
{
	bool is_first;

	if (e->n == STEPS_MAX)
		drop_half(e);
	if (cscg_grow(&e->a, &e->cap_a, (size_t)e->n + 1, sizeof *e->a, err) <
		0 ||
	    cscg_grow(&e->x, &e->cap_x, (size_t)e->n + 1, sizeof *e->x, err) <
		0)
		return -1;
	if (e->collect >= 0 && a > e->collect)
		a--;
	e->a[e->n] = e->n ? a : -1;
	e->x[e->n++] = x;
	e->n_total++;
	if (e->is_partial) {
		e->is_missed = !(p >= MISSED) && (a >= 0 || !e->map);
		return 0;
	}
	if (e->n == STEPS_MAX / 2)
		e->half_surprise = e->sum_surprise;
	if (x < 0)
		return 0;
	/* The first occurrence of a symbol does not count against a model. */
	is_first = !e->is_seen[x];
	e->is_seen[x] = 1;
	if (is_first && !isnan(p))
		return 0;
	e->n_missed += !(p >= .5);
	e->surprise += RECENT * (surprise_of(e, p) - e->surprise);
	e->sum_surprise += surprise_of(e, p);
	return 0;
}

int
cscg_experience_add_reward(struct cscg_experience *e, int a, double value,
    struct cscg_err *err)
{
	if (cscg_grow(&e->reward, &e->cap_rewards, (size_t)e->n_rewards + 1,
		sizeof *e->reward, err) < 0)
		return -1;
	e->reward[e->n_rewards++] = (struct cscg_experience_reward){ e->n - 1,
		a, value };
	return 0;
}

/* Surprise per step since step mark. */
static double
surprise_rate(const struct cscg_experience *e)
{
	return (e->sum_surprise - e->mark_surprise) /
	    (double)(e->n > e->mark ? e->n - e->mark : 1);
}

/*
 * Whether the places may be wrong: there are more of them than at step mark,
 * or they predicted badly since then.
 */
static bool
doubts_places(const struct cscg_experience *e)
{
	return e->mark > 0 && !e->map &&
	    (e->n_places > e->mark_places ||
		surprise_rate(e) > MAX_PLACES_SURPRISE);
}

void
cscg_experience_note_places(struct cscg_experience *e, int n_places)
{
	e->n_places = n_places;
	if (e->n < MIN_STEPS || e->n < 2 * e->mark)
		return;
	e->is_growing = doubts_places(e);
	e->rate = surprise_rate(e);
	e->mark = e->n;
	e->mark_surprise = e->sum_surprise;
	e->mark_places = n_places;
}

bool
cscg_experience_is_lost(const struct cscg_experience *e)
{
	if (e->is_partial)
		return !e->map;
	return e->surprise > (e->map ? MAX_MAP_SURPRISE : MAX_SURPRISE);
}

/* The number of symbols observed. */
static long
count_symbols(const struct cscg_experience *e)
{
	long n = 0;
	int x;

	for (x = 0; x < e->head.n_obs; x++)
		n += e->is_seen[x];
	return n;
}

/* Whether the walk should be learned by all means. */
static bool
is_due(const struct cscg_experience *e, bool is_last)
{
	double n = (double)e->n, before = (double)e->n_learned;

	if (e->n < MIN_STEPS || e->n < NOISY_STEPS * count_symbols(e) ||
	    n < (1 + (is_last ? LAST_GROWTH : GROWTH)) * before)
		return false;
	return cscg_experience_is_lost(e) || e->is_growing ||
	    (is_last && doubts_places(e)) ||
	    (e->map && (is_last || n >= 2 * before));
}

bool
cscg_experience_is_due(const struct cscg_experience *e, bool is_last)
{
	double growth = is_last ? 0 : QUICK_GROWTH;

	if (e->is_partial && !is_last)
		return e->is_missed;
	if (is_due(e, is_last))
		return true;
	return e->n >= MIN_STEPS &&
	    e->n_missed >= (is_last ? 1 : QUICK_MISSED) &&
	    (double)e->n > (1 + growth) * (double)e->n_tried;
}

bool
cscg_experience_is_complete(const struct cscg_model *m)
{
	int a, j;

	for (a = 0; a < m->n_actions; a++)
		for (j = 0; j < m->n_states; j++)
			if (cscg_model_likely_successor(m, a, j) < 0)
				return false;
	return true;
}

/* Convert the stored steps to a walk for learning; NULL with err filled. */
static struct cscg_walk *
make_walk(const struct cscg_experience *e, struct cscg_err *err)
{
	struct cscg_walk *w = cscg_walk_new(&e->head, err);
	struct cscg_step step = { .z = -1, .goal = -1, .r = NAN };
	long t;

	for (t = 0; w && t < e->n; t++) {
		step.x = e->x[t];
		step.a = t + 1 < e->n ? e->a[t + 1] : -1;
		if (cscg_walk_add(w, &step, err) < 0) {
			cscg_walk_free(w);
			return NULL;
		}
	}
	return w;
}

/* Whether m has the actions of the environment, in its order. */
static bool
is_numbered_alike(const struct cscg_experience *e, const struct cscg_model *m)
{
	int a;

	if (m->n_actions != e->head.n_actions)
		return false;
	for (a = 0; a < m->actions.n && e->head.actions.n; a++)
		if (strcmp(m->actions.v[a], e->head.actions.v[a]))
			return false;
	return true;
}

/* Append a new room, unless its kind is known; takes it.  The room, or -1. */
static int
add_room(struct cscg_experience *e, struct cscg_model *room,
    struct cscg_err *err)
{
	int *map = cscg_alloc((size_t)room->n_states, sizeof *map, err);
	int i, same = map ? 0 : -1;

	for (i = 0; i < e->n_rooms && same == 0; i++)
		same = cscg_kind_is_same(e->room[i], room, false, map, err);
	free(map);
	/* Kinds that cannot be compared are different. */
	if (same < 0 && err->code == CSCG_ERANGE)
		same = 0;
	if (same == 0 &&
	    cscg_grow(&e->room, &e->cap_rooms, (size_t)e->n_rooms + 1,
		sizeof *e->room, err) == 0) {
		e->room[e->n_rooms] = room;
		return e->n_rooms++;
	}
	cscg_model_free(room);
	return same > 0 ? i - 1 : -1;
}

static int
add_door(struct cscg_experience *e, int model, int state, int a,
    struct cscg_err *err)
{
	if (cscg_grow(&e->door, &e->cap_doors, (size_t)e->n_doors + 1,
		sizeof *e->door, err) < 0)
		return -1;
	e->door[e->n_doors++] = (struct cscg_experience_door){ model, state,
		a };
	return 0;
}

/*
 * Store the path of the walk on the map, its ends, and the states and actions
 * on it.
 */
static int
set_path(struct cscg_experience *e, const int *path, struct cscg_err *err)
{
	size_t A = (size_t)e->head.n_actions;
	long t;

	if (cscg_grow(&e->tried, &e->cap_tried, (size_t)e->map->n_states * A,
		1, err) < 0 ||
	    cscg_grow(&e->path, &e->cap_path, (size_t)e->n, sizeof *e->path,
		err) < 0)
		return -1;
	memcpy(e->path, path, (size_t)e->n * sizeof *path);
	e->n_path = e->n;
	e->state = path[e->n - 1];
	e->origin = path[e->first];
	memset(e->tried, 0, (size_t)e->map->n_states * A);
	for (t = 1; t < e->n; t++)
		if (e->a[t] >= 0)
			e->tried[(size_t)path[t - 1] * A + (size_t)e->a[t]] =
			    1;
	return 0;
}

/*
 * Steps in known and new rooms, and doors of known rooms.  number[i] is the
 * number of schema i in n_steps, where room[] begins at n.
 */
static int
count_rooms(struct cscg_experience *e, const struct cscg_stitch_result *s,
    struct cscg_residual *rest, const int *number, int n, struct cscg_err *err)
{
	int k, i;
	long l;

	for (k = 0; k < rest->n; k++)
		if (rest->room[k]) {
			i = add_room(e, rest->room[k], err);
			rest->room[k] = NULL;
			if (i < 0)
				return -1;
			rest->schema[k] = -2 - i;
		}
	e->n_known = n + e->n_rooms;
	if (cscg_grow(&e->n_steps, &e->cap_steps, (size_t)e->n_known + 1,
		sizeof *e->n_steps, err) < 0)
		return -1;
	memset(e->n_steps, 0, (size_t)e->n_known * sizeof *e->n_steps);
	for (k = 0; k < rest->n; k++) {
		if (rest->schema[k] == -1)
			continue;
		i = rest->schema[k] < 0 ? n - 2 - rest->schema[k] :
					  number[rest->schema[k]];
		e->n_steps[i] += cscg_stitch_result_totals(s, k).n_visits;
		if (rest->schema[k] < 0)
			continue;
		for (l = 0; l < s->n_links; l++)
			if (s->link[l].arc.from >= s->base[k] &&
			    s->link[l].arc.from < s->base[k + 1] &&
			    add_door(e, i, s->link[l].arc.from - s->base[k],
				s->link[l].arc.a, err) < 0)
				return -1;
	}
	return 0;
}

/*
 * Whether a map has few states for the length of the walk, and few transitions
 * besides the likeliest ones.  With too few steps the learner finds many
 * states without predictive value.
 */
static bool
is_plausible(const struct cscg_model *map, long n_noisy, long n_steps)
{
	return (long)map->n_states * (n_noisy ? NOISY_STEPS : STEPS_A_STATE) <=
	    n_steps &&
	    cscg_model_main_share(map, -1) >= MIN_MAIN_SHARE;
}

/*
 * The schemas among n models and the rooms of earlier environments that can
 * explain the walk, and their numbers; returns their number.
 */
static int
choose_schemas(const struct cscg_experience *e,
    struct cscg_model *const *model, int n, const struct cscg_model **schema,
    int *number)
{
	const struct cscg_model *m;
	int i, k = 0;

	for (i = 0; i < n + e->n_kept; i++) {
		m = i < n ? model[i] : e->room[i - n];
		if (m->kind == CSCG_GROUNDED || !is_numbered_alike(e, m))
			continue;
		number[k] = i;
		schema[k++] = m;
	}
	return k;
}

/*
 * Log-likelihood of the walk under a map, and the number of rows that the walk
 * visited once.  -1 with err filled.
 */
static int
evaluate(const struct cscg_experience *e, const struct cscg_model *map,
    const struct cscg_walk *w, const int *path, double *loglik, long *n_once,
    struct cscg_err *err)
{
	struct cscg_trans *tr = cscg_trans_new(map, &cscg_plain_double, err);
	size_t rows = (size_t)map->n_states * (size_t)map->n_actions, row;
	int *visits = cscg_alloc(rows, sizeof *visits, err);
	struct cscg_work work = { 0 };
	double one = 0;
	int i, rc = tr && visits ? 0 : -1;
	long t;

	*loglik = 0;
	*n_once = 0;
	for (i = 0; i < w->n_episodes && rc == 0; i++) {
		rc = cscg_forward(tr, w, i, &work, &one, err);
		*loglik += one;
	}
	for (t = 1; t < e->n && rc == 0; t++)
		if (e->a[t] >= 0) {
			row = (size_t)path[t - 1] * (size_t)map->n_actions +
			    (size_t)e->a[t];
			*n_once += visits[row] == 0;
			*n_once -= visits[row]++ == 1;
		}
	free(visits);
	cscg_work_free(&work);
	cscg_trans_free(tr);
	return rc;
}

/*
 * Whether a map is better than the places: it explains the walk better, by
 * BIC, or it will predict the next steps better than places that predict badly.  The places' log-likelihood
 * includes their bindings and doors.  The map predicts as well as in this walk,
 * except in rows not visited before, whose probability is estimated by the
 * share of steps in rows visited once (Good-Turing); places, as since the walk
 * was half as long.  1, 0, or -1 with err filled.
 */
static int
is_better(const struct cscg_experience *e, const struct cscg_stitch_result *s,
    const struct cscg_residual *rest, const struct cscg_walk *w,
    struct cscg_err *err)
{
	double most = log(fmax(e->head.n_obs, 2)), n = (double)e->n, loglik;
	double bic, next, rate;
	long n_once;

	if (evaluate(e, s->model, w, rest->path, &loglik, &n_once, err) < 0)
		return -1;
	bic = loglik - .5 * log(n) * (double)cscg_residual_parameters(s, rest);
	next = (most * (double)n_once - loglik) / n;
	rate = e->n >= (1 + MARK_GROWTH) * (double)e->mark ? surprise_rate(e) :
							     e->rate;
	return bic > -most * e->sum_surprise ||
	    (rate > MAX_PLACES_SURPRISE && next < most * rate);
}

/* ---- a partial map ---- */

/*
 * The counts of a map: those of the walk, and 1 for transitions inferred from
 * inverse actions.  Unknown transitions are frontiers.
 */
static int
complete_map(struct cscg_model *map, const struct cscg_merge *f,
    struct cscg_err *err)
{
	long rows = (long)map->n_actions * map->n_states, row, i, n = 0;
	struct cscg_count *c = cscg_alloc((size_t)(map->first[rows] + rows),
	    sizeof *c, err);
	struct cscg_frontier *open = cscg_alloc((size_t)rows, sizeof *open,
	    err);
	long n_open = 0;
	int a, j, to, rc = -1;

	for (row = 0; c && open && row < rows; row++) {
		a = (int)(row / map->n_states);
		j = (int)(row % map->n_states);
		for (i = map->first[row]; i < map->first[row + 1]; i++)
			c[n++] = (struct cscg_count){ a, j, map->to[i],
				map->count[i] };
		if (map->first[row] < map->first[row + 1])
			continue;
		to = f->next[(size_t)j * (size_t)map->n_actions + (size_t)a];
		if (to >= 0)
			c[n++] = (struct cscg_count){ a, j, to, 1 };
		else
			open[n_open++] = (struct cscg_frontier){ j, a };
	}
	if (c && open && cscg_model_set_counts(map, c, n, err) == 0)
		rc = cscg_model_set_frontiers(map, open, n_open, err);
	free(c);
	free(open);
	return rc;
}

/* The partial map of a graph; takes f.  1, or -1 with err filled. */
static int
use_graph(struct cscg_experience *e, struct cscg_merge *f,
    const struct cscg_walk *w, struct cscg_err *err)
{
	struct cscg_learn how = { .pseudocount = 2e-3 };
	struct cscg_model *map = cscg_learn_model_merged(f, w, &how, err);
	int rc = -1;

	if (map && complete_map(map, f, err) == 0) {
		cscg_model_free(e->map);
		e->map = map;
		map = NULL;
		rc = set_path(e, f->state, err) < 0 ? -1 : 1;
	}
	cscg_model_free(map);
	cscg_merge_free(f);
	return rc;
}

/*
 * Whether the environment is not deterministic: many steps contradicted a
 * partial map, or few of their states were merged.
 */
static bool
is_noisy(const struct cscg_experience *e)
{
	return (e->n_refuted > REFUTED_MAX &&
		   (double)e->n_refuted > MAX_REFUTED * (double)e->n) ||
	    (e->n >= PARTIAL_STEPS && 2L * e->map->n_states > e->n);
}

/*
 * Learn a partial map of the walk: 1, 0 if that is not possible, -1 with err
 * filled.
 */
static int
learn_partial(struct cscg_experience *e, struct cscg_err *err)
{
	struct cscg_walk *w = make_walk(e, err);
	struct cscg_merge *f = NULL;
	int rc = w ? cscg_merge_pairs(w, e->path, e->n_path, &f, err) : -1;

	if (rc == 0 && e->n_path) {
		e->n_refuted++;
		rc = cscg_merge_pairs(w, NULL, 0, &f, err);
	}
	if (rc > 0)
		rc = use_graph(e, f, w, err);
	cscg_walk_free(w);
	e->is_missed = false;
	e->n_learned = e->n;
	if (rc < 0 || (rc > 0 && !is_noisy(e)))
		return rc;
	/* An observation is missing, or transitions are noisy. */
	e->is_partial = false;
	cscg_model_free(e->map);
	e->map = NULL;
	e->n_learned = 0;
	return 1;
}

/* Learn the whole walk with schemas, as cscg_experience_learn(). */
static int
learn_all(struct cscg_experience *e, struct cscg_model *const *model, int n,
    bool is_last, struct cscg_err *err)
{
	struct cscg_learn how = { .iterations = ITERATIONS,
		.restarts = RESTARTS,
		.tolerance = 1e-5,
		.pseudocount = 2e-3,
		.seed = e->seed,
		.threads = 1,
		.poll = e->poll };
	size_t most = (size_t)(n + e->n_kept) + 1;
	const struct cscg_model **schema = cscg_alloc(most, sizeof *schema,
	    err);
	int *number = cscg_alloc(most, sizeof *number, err);
	struct cscg_walk *w = schema && number ? make_walk(e, err) : NULL;
	struct cscg_stitch_result s = { .n_blocks = 0 };
	struct cscg_residual rest = { .n = 0 };
	bool was_lost = cscg_experience_is_lost(e) || e->map;
	bool quick = !is_due(e, is_last);
	int rc = -1;

	e->n_tried = e->n;
	e->n_missed = 0;
	if (!quick)
		e->is_growing = false;
	if (w)
		rc = cscg_residual_learn(schema,
		    choose_schemas(e, model, n, schema, number), w, &how,
		    quick, &s, &rest, err);
	if (w && rc < 0 && err->code == CSCG_ERANGE) {
		/*
		 * No observation, no graph by merging, or a comparison beyond
		 * its limit.
		 */
		rc = 0;
	} else if (rc == 0 && !cscg_poll_stopped(e->poll) &&
	    is_plausible(s.model, rest.n_noisy, e->n) &&
	    (was_lost || (rc = is_better(e, &s, &rest, w, err)) > 0)) {
		cscg_model_free(e->map);
		e->map = s.model;
		s.model = NULL;
		e->n_doors = 0;
		e->surprise = 0;
		while (e->n_rooms > e->n_kept)
			cscg_model_free(e->room[--e->n_rooms]);
		rc = set_path(e, rest.path, err) < 0 ||
			count_rooms(e, &s, &rest, number, n, err) < 0 ?
		    -1 :
		    1;
	}
	if ((!quick && !cscg_poll_stopped(e->poll)) || rc == 1)
		e->n_learned = e->n;
	cscg_stitch_result_free(&s);
	cscg_residual_free(&rest);
	cscg_walk_free(w);
	free(schema);
	free(number);
	return rc;
}

int
cscg_experience_learn(struct cscg_experience *e,
    struct cscg_model *const *model, int n, bool is_last, struct cscg_err *err)
{
	return e->is_partial && !is_last ?
	    learn_partial(e, err) :
	    learn_all(e, model, n, is_last, err);
}
