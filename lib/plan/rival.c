/* rival.c - one of several explanations of what an agent sees */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fit.h"
#include "kernel/map.h"
#include "base/mem.h"
#include "plan/mind.h"
#include "plan/rival.h"

/* As those of track.h. */
static const double JUMP = 1e-2, REBIND = 1e-4;

/*
 * Of a schema, while rivals are compared, jumps are likelier by this: a place of
 * the right kind may be of another size, and then a wrong kind that happens to
 * have the right length somewhere is not to win by that alone.
 */
static const double LOOSE = 10;

struct cscg_rival {
	const struct cscg_model *m;
	struct cscg_names symbols;	/* of the world */
	int n_states, n_actions, n_obs;	/* actions and symbols of the world */
	int *to_model;		/* [n_actions] or -1 */
	int *to;		/* [n_actions * n_states] likeliest move or -1 */
	long n_seen, begun;	/* steps, and how often it was put somewhere */

	/* a schema: compared by its track, judged by a strict one */
	struct cscg_track_map *tables, *strict_tables;
	struct cscg_track *track, *strict;
	unsigned char *seen;	/* [n_obs] */
	int n_symbols;
	double news;		/* log P(the symbols that were new) */

	/* a memory */
	struct cscg_map *map;
	struct cscg_fit fit;
	double jump, rebind, slip;
	double *q, *next;	/* [n_states] P(state | seen) */
	int *look;		/* [n_states] as cscg_rival_look() gives it */
	double score;
};

/* ---- making ---- */

bool
cscg_rival_is_memory(const struct cscg_rival *r)
{
	return r->m->kind == CSCG_GROUNDED;
}

/* Which action is which: a mind finds out, and is not needed otherwise. */
static int
set_actions(struct cscg_rival *r, const struct cscg_env_head *world,
    struct cscg_err *err)
{
	struct cscg_mind_set set = { .model = r->m, .apart = world->collect };
	struct cscg_mind *mind;
	int a;

	r->to_model = cscg_alloc((size_t)r->n_actions, sizeof *r->to_model,
	    err);
	if (!r->to_model)
		return -1;
	cscg_mind_defaults(&set);
	mind = cscg_mind_new(&world->head, &set, err);
	if (!mind)
		return -1;
	for (a = 0; a < r->n_actions; a++)
		r->to_model[a] = -1;
	for (a = 0; a < r->m->n_actions; a++)
		r->to_model[cscg_mind_action(mind, a)] = a;
	cscg_mind_free(mind);
	return 0;
}

static int
set_moves(struct cscg_rival *r, struct cscg_err *err)
{
	int a, j, b, n = r->n_states;

	r->to = cscg_alloc((size_t)n * (size_t)r->n_actions, sizeof *r->to,
	    err);
	if (!r->to)
		return -1;
	for (a = 0; a < r->n_actions; a++)
		for (j = 0; j < n; j++) {
			b = r->to_model[a];
			r->to[(size_t)a * (size_t)n + (size_t)j] = b < 0 ? j :
			    r->map ? cscg_map_next(r->map, b, j) :
			    cscg_track_to(r->tables, j, b);
		}
	return 0;
}

static int
set_schema(struct cscg_rival *r, const struct cscg_track_set *set,
    double stretch, struct cscg_err *err)
{
	struct cscg_track_set loose = *set;

	loose.jump = LOOSE * (set->jump > 0 ? set->jump : JUMP);
	loose.slip = fmax(set->slip, stretch);
	r->tables = cscg_track_map_new(r->m, &loose, err);
	if (r->tables)
		r->strict_tables = cscg_track_map_new(r->m, set, err);
	if (!r->strict_tables)
		return -1;
	r->track = cscg_track_new(r->tables, r->n_obs, err);
	r->strict = cscg_track_new(r->strict_tables, r->n_obs, err);
	r->seen = cscg_alloc((size_t)r->n_obs, 1, err);
	return r->track && r->strict && r->seen ? 0 : -1;
}

/* What state j of a memory looks like, if one symbol is likelier than all. */
static int
memory_look(const struct cscg_rival *r, int j)
{
	int x, y;

	for (x = 0; x < r->n_obs; x++) {
		y = r->fit.symbols[x];
		if (y >= 0 && cscg_model_E(r->m, j, y) > .5)
			return x;
	}
	return -1 - (r->m->clone ? r->m->clone[j] : j);
}

static int
set_memory(struct cscg_rival *r, const struct cscg_env_head *world,
    const struct cscg_track_set *set, struct cscg_err *err)
{
	struct cscg_head head = world->head;
	size_t n = (size_t)r->n_states;
	int j;

	/* Symbols alone: actions were seen to. */
	head.n_actions = r->m->n_actions;
	head.actions = r->m->actions;
	r->jump = set->jump > 0 ? set->jump : JUMP;
	r->rebind = set->rebind > 0 ? set->rebind : REBIND;
	r->slip = set->slip;
	r->map = cscg_map_new(r->m, 0, err);
	r->q = cscg_alloc(n, sizeof *r->q, err);
	r->next = cscg_alloc(n, sizeof *r->next, err);
	r->look = cscg_alloc(n, sizeof *r->look, err);
	if (!r->map || !r->q || !r->next || !r->look ||
	    cscg_fit_new(&r->fit, &head, r->m, err) < 0)
		return -1;
	r->fit.head = NULL;	/* it was for the numbers alone */
	for (j = 0; j < r->n_states; j++)
		r->look[j] = memory_look(r, j);
	return 0;
}

struct cscg_rival *
cscg_rival_new(const struct cscg_env_head *world, const struct cscg_model *m,
    const struct cscg_track_set *set, double stretch, struct cscg_err *err)
{
	struct cscg_rival *r = cscg_alloc(1, sizeof *r, err);

	if (!r)
		return NULL;
	r->m = m;
	r->n_states = m->n_states;
	r->n_actions = world->head.n_actions;
	r->n_obs = world->head.n_obs;
	if (set_actions(r, world, err) < 0 || (cscg_rival_is_memory(r) ?
	    set_memory(r, world, set, err) :
	    set_schema(r, set, stretch, err)) < 0 ||
	    set_moves(r, err) < 0 ||
	    cscg_names_copy(&r->symbols, &world->head.symbols, err) < 0) {
		cscg_rival_free(r);
		return NULL;
	}
	cscg_rival_begin(r);
	return r;
}

void
cscg_rival_free(struct cscg_rival *r)
{
	if (!r)
		return;
	cscg_names_free(&r->symbols);
	free(r->to_model);
	free(r->to);
	cscg_track_free(r->track);
	cscg_track_free(r->strict);
	cscg_track_map_free(r->tables);
	cscg_track_map_free(r->strict_tables);
	free(r->seen);
	cscg_map_free(r->map);
	cscg_fit_free(&r->fit);
	free(r->q);
	free(r->next);
	free(r->look);
	free(r);
}

/* ---- seeing ---- */

void
cscg_rival_begin(struct cscg_rival *r)
{
	r->score = r->news = 0;
	r->n_symbols = 0;
	r->n_seen = r->begun = 0;
	if (r->track) {
		cscg_track_begin(r->track);
		cscg_track_begin(r->strict);
		memset(r->seen, 0, (size_t)r->n_obs);
	}
}

static int
schema_see(struct cscg_rival *r, int a, int x, struct cscg_err *err)
{
	if (x >= 0 && !r->seen[x]) {
		r->news -= log(r->n_obs - r->n_symbols++);
		r->seen[x] = 1;
	}
	return cscg_track_step(r->track, a, x, err) < 0 ||
	    cscg_track_step(r->strict, a, x, err) < 0 ? -1 : 0;
}

/* A share of what there is goes where action a leads; not known: it stays. */
static void
push(struct cscg_rival *r, int a, double share)
{
	const struct cscg_map *map = r->map;
	int j, n = r->n_states;
	long i, row;

	for (j = 0; j < n; j++) {
		row = (long)a * n + j;
		if (map->first[row] == map->first[row + 1])
			r->next[j] += share * r->q[j];
		for (i = map->first[row]; i < map->first[row + 1]; i++)
			r->next[map->to[i]] += share * r->q[j] * map->p[i];
	}
}

/* Where it is after action a, by the chances of track.h. */
static void
move(struct cscg_rival *r, int a)
{
	int j, b, n = r->n_states, A = r->m->n_actions;
	double even = 1.0 / n;

	for (j = 0; j < n; j++)
		r->next[j] = a < 0 ? even : r->jump * even + r->slip / 2 *
		    r->q[j];
	if (a < 0)
		return;
	push(r, a, 1 - r->slip);
	for (b = 0; b < A && r->slip > 0; b++)
		if (b != a)
			push(r, b, r->slip / 2 / (A - 1));
}

/* What is expected costs nothing, as in a track. */
static void
memory_see(struct cscg_rival *r, int a, int x)
{
	int j, y = x < 0 ? -1 : r->fit.symbols[x];
	double sum = 0;

	move(r, r->n_seen ? a : -1);
	if (y == -2) {
		r->score = -INFINITY;
		y = -1;
	}
	for (j = 0; j < r->n_states; j++) {
		r->q[j] = r->next[j] * (y < 0 ? 1 : r->rebind / r->n_obs +
		    cscg_model_E(r->m, j, y));
		sum += r->q[j];
	}
	for (j = 0; j < r->n_states; j++)
		r->q[j] /= sum;
	if (y >= 0)
		r->score += log(sum);
}

int
cscg_rival_see(struct cscg_rival *r, int a, int x, struct cscg_err *err)
{
	int rc = 0;

	a = a < 0 ? -1 : r->to_model[a];
	if (r->track)
		rc = schema_see(r, a, x, err);
	else
		memory_see(r, a, x);
	r->begun += a < 0;
	r->n_seen++;
	return rc;
}

/* ---- knowing ---- */

double
cscg_rival_score(const struct cscg_rival *r)
{
	return r->track ? cscg_track_score(r->track) + r->news : r->score;
}

double
cscg_rival_known(const struct cscg_rival *r, const struct cscg_known *known,
    int i, enum cscg_known_word *word)
{
	double margin = cscg_known_margin(known, i, r->track ?
	    cscg_track_score(r->strict) : r->score, r->begun);

	*word = cscg_known_judge(known, i, margin, r->n_seen);
	return margin;
}

int
cscg_rival_states(const struct cscg_rival *r)
{
	return r->n_states;
}

const struct cscg_track *
cscg_rival_track(const struct cscg_rival *r)
{
	return r->track;
}

/* The likeliest states, by insertion: there are few to be kept. */
static int
guess_states(const struct cscg_rival *r, struct cscg_guess *guess, int most)
{
	int j, i, n = 0;

	for (j = 0; j < r->n_states; j++) {
		if (n == most && r->q[j] <= guess[n - 1].p)
			continue;
		n += n < most;
		for (i = n - 1; i > 0 && guess[i - 1].p < r->q[j]; i--)
			guess[i] = guess[i - 1];
		guess[i] = (struct cscg_guess){ r->q[j], j, NULL };
	}
	return n;
}

int
cscg_rival_guess(const struct cscg_rival *r, struct cscg_guess *guess,
    int most)
{
	int i, n;

	if (!r->track)
		return guess_states(r, guess, most);
	n = cscg_track_count(r->track);
	n = n < most ? n : most;
	for (i = 0; i < n; i++) {
		struct cscg_track_hypo h = cscg_track_get(r->track, i);

		guess[i] = (struct cscg_guess){ h.p, h.state, h.symbol };
	}
	return n;
}

int
cscg_rival_look(const struct cscg_rival *r, const struct cscg_guess *guess,
    int j)
{
	int g;

	if (!r->track)
		return r->look[j];
	g = cscg_track_group(r->tables, j);
	return guess->symbol[g] >= 0 ? guess->symbol[g] : -1 - g;
}

int
cscg_rival_groups(const struct cscg_rival *r)
{
	return cscg_model_n_groups(r->m);
}

int
cscg_rival_group(const struct cscg_rival *r, int j)
{
	return cscg_track_group(r->tables, j);
}

int
cscg_rival_to(const struct cscg_rival *r, int j, int a)
{
	return r->to[(size_t)a * (size_t)r->n_states + (size_t)j];
}

/* ---- a model ---- */

struct cscg_model *
cscg_rival_model(const struct cscg_rival *r, struct cscg_err *err)
{
	struct cscg_model *m = cscg_model_copy(r->m, err);

	if (!m || !r->track || cscg_track_ground(r->track, m, 0, &r->symbols,
	    err) == 0)
		return m;
	cscg_model_free(m);
	return NULL;
}
