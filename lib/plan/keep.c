/*
 * keep.c - update of a library by an agent: schemas, memories and noise of its
 * environments
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "plan/keep.h"
#include "plan/places.h"

enum {
	UPDATE_STEPS = 500, /* steps between updates */
	MIN_STEPS = 20      /* least number in rooms of a schema for an
	                       encounter */
};

/* Prior of noise, as without a library: mean and weight in steps. */
static const double NOISE_MEAN = -CSCG_NOISE_ESTIMATED, NOISE_WEIGHT = 25;

struct cscg_keep {
	struct cscg_library *lib;
	const struct cscg_schemas *models; /* of the agent */
	int *id; /* [models->n] of the item; 0: not of the library */

	/* this environment */
	long n_steps;   /* of the walk at the last update */
	long n_learned; /* steps when the walk was learned */
	long *n_spent;  /* [models->n + rooms] steps already in the library */
	size_t cap_spent;
	int n_spent_known;
	int *new_id; /* [n_new] rooms that were new in this environment */
	int n_new;
	size_t cap_new;
	int memory; /* id of the memory; 0: none yet */
	bool
	    is_own_memory; /* this agent's map was added as it, or was equal */
	bool is_new_memory; /* it was added in this environment */
	long n_memory_steps;
	struct cscg_library_noise noise; /* part already in the library */
};

struct cscg_keep *
cscg_keep_open(const char *dir, struct cscg_err *err)
{
	struct cscg_keep *k = cscg_alloc(1, sizeof *k, err);

	if (!k)
		return NULL;
	k->lib = cscg_library_open_writable(dir, err);
	if (k->lib)
		return k;
	cscg_keep_free(k);
	return NULL;
}

void
cscg_keep_free(struct cscg_keep *k)
{
	if (!k)
		return;
	cscg_library_free(k->lib);
	free(k->id);
	free(k->n_spent);
	free(k->new_id);
	free(k);
}

/*
 * Whether an agent in this environment can use the model: 1 or 0; -1 with err
 * filled (CSCG_ENOMEM).
 */
static int
can_use(const struct cscg_model *m, const struct cscg_env_header *world,
    struct cscg_err *err)
{
	struct cscg_track_options track = { .slip = 0 };
	struct cscg_candidate *c;

	if (m->kind != CSCG_GROUNDED && !m->clone)
		return 0;
	c = cscg_candidate_new(world, m, &track, 0, err);
	cscg_candidate_free(c);
	return c ? 1 : err->code == CSCG_ENOMEM ? -1 : 0;
}

int
cscg_keep_models(struct cscg_keep *k, const struct cscg_env_header *world,
    struct cscg_schemas *models, int *n_skipped, struct cscg_err *err)
{
	int i, kind, rc;

	*n_skipped = 0;
	k->models = models;
	k->id = cscg_alloc((size_t)(models->n + k->lib->n) + 1, sizeof *k->id,
	    err);
	if (!k->id)
		return -1;
	for (kind = CSCG_LIBRARY_SCHEMA; kind <= CSCG_LIBRARY_MEMORY; kind++)
		for (i = 0; i < k->lib->n; i++) {
			const struct cscg_library_item *it = &k->lib->item[i];

			if ((int)it->kind != kind)
				continue;
			rc = can_use(it->m, world, err);
			if (rc < 0)
				return -1;
			if (!rc) {
				++*n_skipped;
				continue;
			}
			k->id[models->n] = it->id;
			if (cscg_library_append(it, models, err) < 0)
				return -1;
		}
	return 0;
}

/* Minus the mean of a prior: see candidate.h. */
static double
prior(double n_noisy, double n)
{
	return -(NOISE_MEAN * NOISE_WEIGHT + n_noisy) / (NOISE_WEIGHT + n);
}

void
cscg_keep_priors(const struct cscg_keep *k, struct cscg_track_options *track)
{
	const struct cscg_library_noise *n = &k->lib->noise;

	if (track->slip < 0)
		track->slip = prior(n->n_slips, n->n_steps);
	if (track->misread < 0)
		track->misread = prior(n->n_misreads, n->n_steps);
}

bool
cscg_keep_is_due(const struct cscg_keep *k, const struct cscg_agent *agent)
{
	const struct cscg_experience *e = cscg_agent_match_experience(agent);

	return e && e->n_total >= k->n_steps + UPDATE_STEPS;
}

/* ---- schemas ---- */

/* m with the doors of model i as further frontiers; NULL with err filled. */
static struct cscg_model *
with_doors(const struct cscg_agent *agent, const struct cscg_experience *e,
    const struct cscg_places_world *w, const struct cscg_model *m, int i,
    struct cscg_err *err)
{
	size_t most = (size_t)m->n_frontiers + (size_t)e->n_doors +
	    (size_t)(w ? w->n_doors : 0);
	struct cscg_frontier *f = cscg_alloc(most, sizeof *f, err);
	struct cscg_model *copy = f ? cscg_model_copy(m, err) : NULL;
	long n = m->n_frontiers, d;

	for (d = 0; copy && d < m->n_frontiers; d++)
		f[d] = m->frontier[d];
	for (d = 0; copy && d < e->n_doors; d++)
		if (e->door[d].model == i)
			f[n++] = (struct cscg_frontier){ e->door[d].state,
				e->door[d].a };
	for (d = 0; copy && w && d < w->n_doors; d++)
		if (w->place[w->door[d].from].model == i && w->door[d].n > 1)
			f[n++] = (struct cscg_frontier){ w->door[d].state,
				cscg_agent_match_model_action(agent, i,
				    w->door[d].a) };
	if (copy && cscg_model_set_frontiers(copy, f, n, err) < 0) {
		cscg_model_free(copy);
		copy = NULL;
	}
	free(f);
	return copy;
}

/* Remove rooms that this agent added, before the walk was learned again. */
static void
remove_rooms(struct cscg_keep *k)
{
	const struct cscg_library_item *it;

	while (k->n_new) {
		it = cscg_library_find(k->lib, k->new_id[--k->n_new]);
		/* Another process may have recorded an encounter meanwhile. */
		if (it && it->n_met == 1)
			cscg_library_remove(k->lib, it->id);
	}
}

/* Rooms of model i were visited for n steps; is_new: it was learned here. */
static int
keep_schema(struct cscg_keep *k, const struct cscg_agent *agent,
    const struct cscg_experience *e, const struct cscg_places_world *w, int i,
    bool is_new, long n, struct cscg_err *err)
{
	int n_given = k->models->n, id, rc;
	const struct cscg_model *of = i < n_given ? k->models->m[i] :
						    e->room[i - n_given];
	struct cscg_model *m;

	if (n < MIN_STEPS || n <= k->n_spent[i] || of->kind == CSCG_GROUNDED ||
	    (i >= n_given && !cscg_experience_is_complete(of)))
		return 0;
	m = with_doors(agent, e, w, of, i, err);
	if (!m)
		return -1;
	rc = cscg_library_add_schema(k->lib, m, k->n_spent[i] == 0,
	    n - k->n_spent[i], &id, err);
	cscg_model_free(m);
	if (rc < 0)
		return -1;
	k->n_spent[i] = n;
	if (rc > 0 && is_new) {
		if (cscg_grow(&k->new_id, &k->cap_new, (size_t)k->n_new + 1,
			sizeof *k->new_id, err) < 0)
			return -1;
		k->new_id[k->n_new++] = id;
	}
	return 0;
}

static int
keep_schemas(struct cscg_keep *k, const struct cscg_agent *agent,
    const struct cscg_experience *e, const struct cscg_places_world *w,
    struct cscg_err *err)
{
	int n = k->models->n + e->n_rooms, i;

	if (cscg_grow(&k->n_spent, &k->cap_spent, (size_t)n + 1,
		sizeof *k->n_spent, err) < 0)
		return -1;
	for (; k->n_spent_known < n; k->n_spent_known++)
		k->n_spent[k->n_spent_known] = 0;
	if (e->n_learned != k->n_learned) {
		remove_rooms(k);
		for (i = k->models->n + e->n_kept; i < n; i++)
			k->n_spent[i] = 0;
	}
	k->n_learned = e->n_learned;
	for (i = 0; i < n; i++)
		if (keep_schema(k, agent, e, w, i,
			i >= k->models->n + e->n_kept,
			cscg_agent_match_steps(agent, i), err) < 0)
			return -1;
	return 0;
}

/* ---- memory and noise ---- */

/*
 * The id of the memory, of the library, of the agent's present environment; 0:
 * none, or it was removed from the library since it was read.
 */
static int
known_memory(const struct cscg_keep *k, const struct cscg_places_world *w)
{
	int i, model;

	for (i = 0; i < w->n_places; i++) {
		model = w->place[i].model;
		if (model < k->models->n && k->id[model] &&
		    k->models->m[model]->kind == CSCG_GROUNDED &&
		    cscg_library_find(k->lib, k->id[model]))
			return k->id[model];
	}
	return 0;
}

/* Store the model of the environment; a known memory only if it has changed. */
static int
keep_memory(struct cscg_keep *k, struct cscg_agent *agent,
    const struct cscg_places_world *w, long n_steps, struct cscg_err *err)
{
	const struct cscg_library_item *of = NULL;
	int known = known_memory(k, w), schema, rc;
	bool is_met = known != k->memory;
	long n = n_steps - k->n_memory_steps;
	bool is_changed = !known || w->n_places > 1 ||
	    cscg_candidate_is_changed(w->candidate);
	struct cscg_model *m = is_changed ? cscg_agent_ground(agent, err) :
					    NULL;

	if (is_changed && !m)
		return -1;
	if (w->place[0].model < k->models->n)
		of = cscg_library_find(k->lib, k->id[w->place[0].model]);
	schema = of && of->kind == CSCG_LIBRARY_SCHEMA ? of->id : 0;
	if (known && k->is_new_memory && known != k->memory)
		cscg_library_remove(k->lib, k->memory);
	if (known)
		rc = cscg_library_change(k->lib, known, is_met, m, n, err);
	else if (k->is_own_memory && cscg_library_find(k->lib, k->memory))
		rc = cscg_library_change(k->lib, k->memory, false, m, n, err);
	else {
		rc = cscg_library_add_memory(k->lib, m, schema, n_steps,
		    &k->memory, err);
		k->is_new_memory = rc > 0;
	}
	cscg_model_free(m);
	if (rc < 0)
		return -1;
	k->is_own_memory = !known;
	if (known) {
		k->memory = known;
		k->is_new_memory = false;
	}
	k->n_memory_steps = n_steps;
	return 0;
}

static void
keep_noise(struct cscg_keep *k, const struct cscg_places_world *w)
{
	struct cscg_candidate_noise now;
	struct cscg_library_noise more;

	cscg_candidate_get_noise(w->candidate, &now);
	/* The noise of a new map is estimated from the start. */
	if (now.n_steps < k->noise.n_steps)
		k->noise = (struct cscg_library_noise){ 0 };
	more = (struct cscg_library_noise){ now.n_steps - k->noise.n_steps,
		fmax(now.n_slips - k->noise.n_slips, 0),
		fmax(now.n_misreads - k->noise.n_misreads, 0) };
	cscg_library_add_noise(k->lib, &more);
	k->noise = (struct cscg_library_noise){ now.n_steps, now.n_slips,
		now.n_misreads };
}

/* ---- an update ---- */

static void
begin_world(struct cscg_keep *k)
{
	k->n_steps = k->n_learned = k->n_memory_steps = 0;
	k->n_spent_known = k->n_new = k->memory = 0;
	k->is_own_memory = k->is_new_memory = false;
	k->noise = (struct cscg_library_noise){ 0 };
}

int
cscg_keep_update(struct cscg_keep *k, struct cscg_agent *agent, bool is_last,
    struct cscg_err *err)
{
	const struct cscg_experience *e = cscg_agent_match_experience(agent);
	const struct cscg_places_world *w;
	int rc;

	if (!e || !e->n)
		return 0;
	if (is_last && cscg_agent_match_learn_last(agent, err) < 0)
		return -1;
	w = cscg_agent_match_world(agent);
	if (cscg_library_begin(k->lib, err) < 0)
		return -1;
	rc = keep_schemas(k, agent, e, w, err);
	if (rc == 0 && w && e->n >= MIN_STEPS) {
		rc = keep_memory(k, agent, w, e->n_total, err);
		keep_noise(k, w);
	}
	if (rc == 0)
		rc = cscg_library_commit(k->lib, err);
	else
		cscg_library_abort(k->lib);
	k->n_steps = e->n_total;
	if (is_last)
		begin_world(k);
	return rc;
}
