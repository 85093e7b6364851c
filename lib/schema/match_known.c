/*
 * match_known.c - does a schema fit a place, resemble it, or is it unknown?
 *
 * Bounds that are found are kept at every few steps of the walks, with straight
 * lines between them.  A walk shows the number of each state's group: to a
 * tracker one binding is as good as another.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schema/match_known.h"
#include "base/mem.h"
#include "base/rng.h"

enum {
	STEPS = 200,
	STRIDE = 10	/* steps between two places where a bound is known */
};

static const double slack = 3, rate = .2;

struct cscg_known {
	struct cscg_known_set set;
	int n;
	double *log_z;		/* [n] */
	int *n_actions;		/* [n] */
	long places;		/* where bounds are known; 0: by rule */
	double *own;		/* [n][places] */
	double *other;		/* [places] */
};

const char *
cscg_known_word(enum cscg_known_word word)
{
	return word == CSCG_FITS ? "fits" : word == CSCG_RESEMBLES ?
	    "resembles" : "unknown";
}

void
cscg_known_free(struct cscg_known *known)
{
	if (!known)
		return;
	free(known->log_z);
	free(known->n_actions);
	free(known->own);
	free(known->other);
	free(known);
}

/* ---- walks in the schemas themselves ---- */

/* All that is needed, and all that was found: margin[from][walk][place][to]. */
struct trial {
	const struct cscg_known *known;
	struct cscg_model *const *m;
	struct cscg_track_map **map;	/* [n] */
	int **actions;		/* [n * n] of the first in the second, or NULL */
	double *margin;
};

static void
trial_free(struct trial *tr)
{
	int i, n = tr->known->n;

	for (i = 0; i < n && tr->map; i++)
		cscg_track_map_free(tr->map[i]);
	for (i = 0; i < n * n && tr->actions; i++)
		free(tr->actions[i]);
	free(tr->map);
	free(tr->actions);
	free(tr->margin);
}

/* Schemas that lack an action are not compared. */
static int
map_actions(struct trial *tr, int from, int to, struct cscg_err *err)
{
	const struct cscg_model *a = tr->m[from], *b = tr->m[to];
	int *map = cscg_alloc((size_t)a->n_actions, sizeof *map, err);
	struct cscg_err other = { 0 };

	if (!map)
		return -1;
	if (cscg_names_map(&a->actions, a->n_actions, &b->actions,
	    b->n_actions, "action", map, &other) < 0) {
		free(map);
		map = NULL;
	}
	tr->actions[from * tr->known->n + to] = map;
	return 0;
}

static int
trial_new(struct trial *tr, struct cscg_err *err)
{
	const struct cscg_known *known = tr->known;
	size_t n = (size_t)known->n;
	int i, j;

	tr->map = cscg_alloc(n, sizeof *tr->map, err);
	tr->actions = tr->map ? cscg_alloc(n * n, sizeof *tr->actions, err) :
	    NULL;
	tr->margin = tr->actions ? cscg_alloc(n * n *
	    (size_t)known->set.walks, (size_t)known->places *
	    sizeof *tr->margin, err) : NULL;
	if (!tr->margin)
		return -1;
	for (i = 0; i < known->n; i++) {
		tr->map[i] = cscg_track_map_new(tr->m[i], &known->set.track,
		    err);
		if (!tr->map[i])
			return -1;
		for (j = 0; j < known->n; j++)
			if (map_actions(tr, i, j, err) < 0)
				return -1;
	}
	return 0;
}

/* From z by action a, which goes wrong as track.h says; -1: nobody knows. */
static int
go(const struct cscg_track_map *map, int z, int a, int n_actions, double slip,
    struct cscg_rng *rng)
{
	double u = cscg_rng_uniform(rng);
	int b, to;

	if (u < slip / 2)
		return z;
	if (u >= slip || n_actions == 1)
		return cscg_track_to(map, z, a);
	b = (a + 1 + (int)cscg_rng_below(rng, n_actions - 1)) % n_actions;
	to = cscg_track_to(map, z, b);
	return to < 0 ? z : to;
}

/* Actions and symbols of a walk in schema from; -1: put elsewhere. */
static void
walk_in(const struct trial *tr, int from, long walk, int *a, int *x)
{
	const struct cscg_track_map *map = tr->map[from];
	const struct cscg_known_set *set = &tr->known->set;
	int z, to, n = tr->m[from]->n_states;
	struct cscg_rng rng;
	long t;

	cscg_rng_seed(&rng, set->seed, CSCG_RNG_SAMPLE, (uint64_t)from,
	    (uint64_t)walk);
	z = (int)cscg_rng_below(&rng, n);
	for (t = 0; t < set->steps; t++) {
		if (t) {
			a[t] = (int)cscg_rng_below(&rng,
			    tr->m[from]->n_actions);
			to = go(map, z, a[t], tr->m[from]->n_actions,
			    set->track.slip, &rng);
			if (to < 0)
				a[t] = -1;
			z = to < 0 ? (int)cscg_rng_below(&rng, n) : to;
		}
		x[t] = cscg_track_group(map, z);
	}
}

/* What schema `to' makes of it, at every place. */
static int
follow(const struct trial *tr, int from, int to, long walk, const int *a,
    const int *x, struct cscg_err *err)
{
	const struct cscg_known *known = tr->known;
	const int *map = tr->actions[from * known->n + to];
	struct cscg_track *track;
	long t, p, begun = 1;
	double *out;

	out = tr->margin + ((from * known->set.walks + walk) *
	    known->places) * known->n + to;
	for (p = 0; p < known->places && !map; p++)
		out[p * known->n] = -INFINITY;
	if (!map)
		return 0;
	track = cscg_track_new(tr->map[to],
	    cscg_model_n_groups(tr->m[from]), err);
	if (!track)
		return -1;
	for (t = 0; t < known->set.steps; t++) {
		begun += t && a[t] < 0;
		if (cscg_track_step(track, t && a[t] >= 0 ? map[a[t]] : -1,
		    x[t], err) < 0)
			break;
		if ((t + 1) % STRIDE == 0)
			out[t / STRIDE * known->n] = cscg_known_margin(known,
			    to, cscg_track_score(track), begun);
	}
	cscg_track_free(track);
	return t < known->set.steps ? -1 : 0;
}

static int
try_walk(const struct trial *tr, long task, struct cscg_err *err)
{
	const struct cscg_known_set *set = &tr->known->set;
	int *a = cscg_alloc((size_t)set->steps * 2, sizeof *a, err), to;
	int from = (int)(task / set->walks), rc = 0;
	long walk = task % set->walks;

	if (!a)
		return -1;
	walk_in(tr, from, walk, a, a + set->steps);
	for (to = 0; to < tr->known->n && rc == 0; to++)
		rc = follow(tr, from, to, walk, a, a + set->steps, err);
	free(a);
	return rc;
}

static int
try_all(const struct trial *tr, struct cscg_err *err)
{
	long i, n = tr->known->n * tr->known->set.walks, failed = 0;

	/* libgomp ends the process if its own memory is short. */
	if (tr->known->set.threads < 2) {
		for (i = 0; i < n && !failed; i++)
			failed = try_walk(tr, i, err) < 0;
		return failed ? -1 : 0;
	}
#pragma omp parallel for schedule(dynamic, 1) \
    num_threads(tr->known->set.threads)
	for (i = 0; i < n; i++) {
		struct cscg_err mine = { 0 };

		if (try_walk(tr, i, &mine) == 0)
			continue;
#pragma omp critical(cscg_known_failed)
		{
			failed++;
			*err = mine;
		}
	}
	return failed ? -1 : 0;
}

/* ---- bounds ---- */

static int
ascending(const void *a, const void *b)
{
	double v = *(const double *)a, w = *(const double *)b;

	return (v > w) - (v < w);
}

/* The margin of the best of all schemas but its own. */
static double
best_other(const struct cscg_known *known, const double *margin, int from)
{
	double best = -INFINITY;
	int to;

	for (to = 0; to < known->n; to++)
		if (to != from && margin[to] > best)
			best = margin[to];
	return best;
}

static int
set_bounds(struct cscg_known *known, const struct trial *tr,
    struct cscg_err *err)
{
	long p, w, k, walks = known->set.walks, places = known->places;
	long n = known->n * walks;
	double *v = cscg_alloc((size_t)n, sizeof *v, err);
	int from;

	if (!v)
		return -1;
	for (p = 0; p < places; p++) {
		for (k = 0, from = 0; from < known->n; from++) {
			double *own = &known->own[from * places + p];

			*own = INFINITY;
			for (w = 0; w < walks; w++, k++) {
				const double *margin = tr->margin +
				    (k * places + p) * known->n;

				if (margin[from] < *own)
					*own = margin[from];
				v[k] = best_other(known, margin, from);
			}
			*own -= slack;
		}
		qsort(v, (size_t)n, sizeof *v, ascending);
		known->other[p] = v[(3 * n - 1) / 4];
	}
	free(v);
	return 0;
}

/* By straight lines; before the first as there, behind the last as before. */
static double
between(const double *v, long places, double steps)
{
	double at = steps / STRIDE - 1;
	long p = (long)at;

	if (at <= 0)
		return v[0];
	if (p >= places - 1) {
		long half = places / 2 - 1;

		if (places < 2)
			return v[0];
		return v[places - 1] + (at - (double)(places - 1)) *
		    (v[places - 1] - v[half]) / (double)(places - 1 - half);
	}
	return v[p] + (at - (double)p) * (v[p + 1] - v[p]);
}

/*
 * What moves that go wrong cost after n steps: the mean, and 2.33 standard
 * deviations, as if all of them were of the rarest kind.
 */
static double
toll(double p, int n_actions, double n)
{
	double rare = n_actions > 1 ? p / 2 / (n_actions - 1) : p / 2;

	if (p <= 0)
		return 0;
	return -n * (p * log(rare) + (1 - p) * log(1 - p)) +
	    2.33 * sqrt(n * p * (1 - p)) * fabs(log((1 - p) / rare));
}

void
cscg_known_bounds(const struct cscg_known *known, int i, double steps,
    double *fits, double *resembles)
{
	double other;

	*fits = known->places ? between(known->own + i * known->places,
	    known->places, steps) : -slack - toll(known->set.track.slip,
	    known->n_actions[i], steps);
	*resembles = *fits - rate * steps;
	/* Who is alone has nothing to be compared with. */
	if (known->places && known->n > 1) {
		other = between(known->other, known->places, steps);
		*resembles += rate / 2 * steps;
		if (other < *resembles)
			*resembles = other;
	}
}

double
cscg_known_margin(const struct cscg_known *known, int i, double score,
    long begun)
{
	return score + known->log_z[i] * (double)begun;
}

enum cscg_known_word
cscg_known_judge(const struct cscg_known *known, int i, double margin,
    long steps)
{
	double fits, resembles;

	cscg_known_bounds(known, i, (double)steps, &fits, &resembles);
	return margin >= fits ? CSCG_FITS : margin >= resembles ?
	    CSCG_RESEMBLES : CSCG_UNKNOWN;
}

static int
calibrate(struct cscg_known *known, struct cscg_model *const *m,
    struct cscg_err *err)
{
	struct trial tr = { .known = known, .m = m };
	int rc = trial_new(&tr, err);

	if (rc == 0)
		rc = try_all(&tr, err);
	if (rc == 0)
		rc = set_bounds(known, &tr, err);
	trial_free(&tr);
	return rc;
}

struct cscg_known *
cscg_known_new(const struct cscg_known_set *set, struct cscg_model *const *m,
    int n, struct cscg_err *err)
{
	struct cscg_known *known = cscg_alloc(1, sizeof *known, err);
	size_t places;
	int i;

	if (!known)
		return NULL;
	known->set = *set;
	known->n = n;
	if (!set->steps)
		known->set.steps = STEPS;
	known->places = set->walks ? known->set.steps / STRIDE : 0;
	places = (size_t)known->places;
	known->log_z = cscg_alloc((size_t)n, sizeof *known->log_z, err);
	known->n_actions = cscg_alloc((size_t)n, sizeof *known->n_actions,
	    err);
	known->own = cscg_alloc((size_t)n * places, sizeof *known->own, err);
	known->other = cscg_alloc(places, sizeof *known->other, err);
	if (!known->log_z || !known->n_actions || !known->own || !known->other)
		goto fail;
	for (i = 0; i < n; i++) {
		known->log_z[i] = log(m[i]->n_states);
		known->n_actions[i] = m[i]->n_actions;
	}
	if (known->places && calibrate(known, m, err) < 0)
		goto fail;
	return known;
fail:
	cscg_known_free(known);
	return NULL;
}
