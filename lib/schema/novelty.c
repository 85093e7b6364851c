/*
 * novelty.c - novelty class of an environment: a schema fits it, resembles it,
 * or it is unknown
 *
 * Estimated thresholds are stored at every KNOT_STRIDE steps of the walks and
 * interpolated linearly.  A simulated walk emits the group number of each
 * state: the tracker's score does not depend on the names of the symbols.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/stats.h"
#include "schema/novelty.h"

enum {
	STEPS_DEFAULT = 200,
	KNOT_STRIDE = 10, /* steps between two knots */
};

static const double SLACK_NATS = 3, RATE_NATS = .2;

struct cscg_novelty {
	struct cscg_novelty_options set;
	int n;
	double *log_z;           /* [n] */
	int *n_actions;          /* [n] */
	long n_knots;            /* knots of the thresholds; 0: by rule */
	double *own_threshold;   /* [n][knots] */
	double *other_threshold; /* [knots] */
};

const char *
cscg_novelty_text(enum cscg_novelty_class kind)
{
	return kind == CSCG_NOVELTY_FITS   ? "fits" :
	    kind == CSCG_NOVELTY_RESEMBLES ? "resembles" :
					     "unknown";
}

void
cscg_novelty_free(struct cscg_novelty *novelty)
{
	if (!novelty)
		return;
	free(novelty->log_z);
	free(novelty->n_actions);
	free(novelty->own_threshold);
	free(novelty->other_threshold);
	free(novelty);
}

/* ---- simulated walks in the schemas ---- */

/* The simulated walks and their margins: margin[from][walk][knot][to]. */
struct simulation {
	const struct cscg_novelty *novelty;
	struct cscg_model *const *m;
	struct cscg_track_tables **map; /* [n] */
	int **actions; /* [n * n] action map from schema to schema, or NULL */
	double *margin;
};

static void
simulation_free(struct simulation *tr)
{
	int i, n = tr->novelty->n;

	for (i = 0; i < n && tr->map; i++)
		cscg_track_tables_free(tr->map[i]);
	for (i = 0; i < n * n && tr->actions; i++)
		free(tr->actions[i]);
	free(tr->map);
	free(tr->actions);
	free(tr->margin);
}

/* Schemas that lack an action are not compared. */
static int
map_actions(struct simulation *tr, int from, int to, struct cscg_err *err)
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
	tr->actions[from * tr->novelty->n + to] = map;
	return 0;
}

static int
simulation_new(struct simulation *tr, struct cscg_err *err)
{
	const struct cscg_novelty *novelty = tr->novelty;
	size_t n = (size_t)novelty->n;
	int i, j;

	tr->map = cscg_alloc(n, sizeof *tr->map, err);
	tr->actions = tr->map ? cscg_alloc(n * n, sizeof *tr->actions, err) :
				NULL;
	tr->margin = tr->actions ?
	    cscg_alloc(n * n * (size_t)novelty->set.walks,
		(size_t)novelty->n_knots * sizeof *tr->margin, err) :
	    NULL;
	if (!tr->margin)
		return -1;
	for (i = 0; i < novelty->n; i++) {
		tr->map[i] = cscg_track_tables_new(tr->m[i],
		    &novelty->set.track, err);
		if (!tr->map[i])
			return -1;
		for (j = 0; j < novelty->n; j++)
			if (map_actions(tr, i, j, err) < 0)
				return -1;
	}
	return 0;
}

/*
 * The successor of z under action a, with the noise of track.h; -1: unknown.
 */
static int
simulate_transition(const struct cscg_track_tables *map, int z, int a,
    int n_actions, double slip, struct cscg_rng *rng)
{
	double u = cscg_rng_uniform(rng);
	int b, to;

	if (u < slip / 2)
		return z;
	if (u >= slip || n_actions == 1)
		return cscg_track_next(map, z, a);
	b = (a + 1 + (int)cscg_rng_below(rng, n_actions - 1)) % n_actions;
	to = cscg_track_next(map, z, b);
	return to < 0 ? z : to;
}

/* Actions and symbols of a walk in schema from; action -1: reset. */
static void
simulate_walk(const struct simulation *tr, int from, long walk, int *a, int *x)
{
	const struct cscg_track_tables *map = tr->map[from];
	const struct cscg_novelty_options *set = &tr->novelty->set;
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
			to = simulate_transition(map, z, a[t],
			    tr->m[from]->n_actions, set->track.slip, &rng);
			if (to < 0)
				a[t] = -1;
			z = to < 0 ? (int)cscg_rng_below(&rng, n) : to;
		}
		x[t] = cscg_track_group(map, z);
	}
}

/* The margins of the walk in schema `to', at every knot. */
static int
score_walk(const struct simulation *tr, int from, int to, long walk,
    const int *a, const int *x, struct cscg_err *err)
{
	const struct cscg_novelty *novelty = tr->novelty;
	const int *map = tr->actions[from * novelty->n + to];
	struct cscg_track *track;
	long t, p, n_starts = 1;
	double *out;

	out = tr->margin +
	    ((from * novelty->set.walks + walk) * novelty->n_knots) *
		novelty->n +
	    to;
	for (p = 0; p < novelty->n_knots && !map; p++)
		out[p * novelty->n] = -INFINITY;
	if (!map)
		return 0;
	track = cscg_track_new(tr->map[to], cscg_model_n_groups(tr->m[from]),
	    err);
	if (!track)
		return -1;
	for (t = 0; t < novelty->set.steps; t++) {
		n_starts += t && a[t] < 0;
		if (cscg_track_step(track, t && a[t] >= 0 ? map[a[t]] : -1,
			x[t], err) < 0)
			break;
		if ((t + 1) % KNOT_STRIDE == 0)
			out[t / KNOT_STRIDE * novelty->n] =
			    cscg_novelty_margin(novelty, to,
				cscg_track_score(track), n_starts);
	}
	cscg_track_free(track);
	return t < novelty->set.steps ? -1 : 0;
}

static int
calibrate_walk(void *ctx, long task, void *state, struct cscg_err *err)
{
	const struct simulation *tr = ctx;
	const struct cscg_novelty_options *set = &tr->novelty->set;
	int *a = cscg_alloc((size_t)set->steps * 2, sizeof *a, err), to;
	int from = (int)(task / set->walks), rc = 0;
	long walk = task % set->walks;

	(void)state;
	if (!a)
		return -1;
	simulate_walk(tr, from, walk, a, a + set->steps);
	for (to = 0; to < tr->novelty->n && rc == 0; to++)
		rc = score_walk(tr, from, to, walk, a, a + set->steps, err);
	free(a);
	return rc;
}

static int
calibrate_walks(struct simulation *tr, struct cscg_err *err)
{
	const struct cscg_parallel each = { .try_body = calibrate_walk,
		.ctx = tr };

	return cscg_parallel_for(&each,
	    tr->novelty->n * tr->novelty->set.walks, tr->novelty->set.threads,
	    err);
}

/* ---- thresholds ---- */

/* The largest margin over all schemas but its own. */
static double
best_other(const struct cscg_novelty *novelty, const double *margin, int from)
{
	double best = -INFINITY;
	int to;

	for (to = 0; to < novelty->n; to++)
		if (to != from && margin[to] > best)
			best = margin[to];
	return best;
}

static int
set_thresholds(struct cscg_novelty *novelty, const struct simulation *tr,
    struct cscg_err *err)
{
	long p, w, k, walks = novelty->set.walks, n_knots = novelty->n_knots;
	long n = novelty->n * walks;
	double *v = cscg_alloc((size_t)n, sizeof *v, err);
	int from;

	if (!v)
		return -1;
	for (p = 0; p < n_knots; p++) {
		for (k = 0, from = 0; from < novelty->n; from++) {
			double *threshold =
			    &novelty->own_threshold[from * n_knots + p];

			*threshold = INFINITY;
			for (w = 0; w < walks; w++, k++) {
				const double *margin = tr->margin +
				    (k * n_knots + p) * novelty->n;

				if (margin[from] < *threshold)
					*threshold = margin[from];
				v[k] = best_other(novelty, margin, from);
			}
			*threshold -= SLACK_NATS;
		}
		cscg_sort_doubles(v, n);
		novelty->other_threshold[p] = v[(3 * n - 1) / 4];
	}
	free(v);
	return 0;
}

/*
 * Linear interpolation between knots; constant before the first knot,
 * extrapolated with the slope of the second half beyond the last.
 */
static double
interpolate(const double *v, long n_knots, double steps)
{
	double at = steps / KNOT_STRIDE - 1;
	long p = (long)at;

	if (at <= 0)
		return v[0];
	if (p >= n_knots - 1) {
		long half = n_knots / 2 - 1;

		if (n_knots < 2)
			return v[0];
		return v[n_knots - 1] +
		    (at - (double)(n_knots - 1)) * (v[n_knots - 1] - v[half]) /
		    (double)(n_knots - 1 - half);
	}
	return v[p] + (at - (double)p) * (v[p + 1] - v[p]);
}

/*
 * The cost of noisy transitions after n steps: the mean, and 2.33 standard
 * deviations, as if all of them were of the least probable kind.
 */
static double
slip_cost(double p, int n_actions, double n)
{
	double rare_p = n_actions > 1 ? p / 2 / (n_actions - 1) : p / 2;

	if (p <= 0)
		return 0;
	return -n * (p * log(rare_p) + (1 - p) * log(1 - p)) +
	    2.33 * sqrt(n * p * (1 - p)) * fabs(log((1 - p) / rare_p));
}

void
cscg_novelty_thresholds(const struct cscg_novelty *novelty, int i,
    double steps, double *fits, double *resembles)
{
	double other;

	*fits = novelty->n_knots ?
	    interpolate(novelty->own_threshold + i * novelty->n_knots,
		novelty->n_knots, steps) :
	    -SLACK_NATS -
		slip_cost(novelty->set.track.slip, novelty->n_actions[i],
		    steps);
	*resembles = *fits - RATE_NATS * steps;
	/* A single schema has no other schemas to compare with. */
	if (novelty->n_knots && novelty->n > 1) {
		other = interpolate(novelty->other_threshold, novelty->n_knots,
		    steps);
		*resembles += RATE_NATS / 2 * steps;
		if (other < *resembles)
			*resembles = other;
	}
}

double
cscg_novelty_margin(const struct cscg_novelty *novelty, int i, double score,
    long n_starts)
{
	return score + novelty->log_z[i] * (double)n_starts;
}

enum cscg_novelty_class
cscg_novelty_classify(const struct cscg_novelty *novelty, int i, double margin,
    long steps)
{
	double fits, resembles;

	cscg_novelty_thresholds(novelty, i, (double)steps, &fits, &resembles);
	return margin >= fits   ? CSCG_NOVELTY_FITS :
	    margin >= resembles ? CSCG_NOVELTY_RESEMBLES :
				  CSCG_NOVELTY_UNKNOWN;
}

static int
calibrate(struct cscg_novelty *novelty, struct cscg_model *const *m,
    struct cscg_err *err)
{
	struct simulation tr = { .novelty = novelty, .m = m };
	int rc = simulation_new(&tr, err);

	if (rc == 0)
		rc = calibrate_walks(&tr, err);
	if (rc == 0)
		rc = set_thresholds(novelty, &tr, err);
	simulation_free(&tr);
	return rc;
}

struct cscg_novelty *
cscg_novelty_new(const struct cscg_novelty_options *set,
    struct cscg_model *const *m, int n, struct cscg_err *err)
{
	struct cscg_novelty *novelty = cscg_alloc(1, sizeof *novelty, err);
	size_t n_knots;
	int i;

	if (!novelty)
		return NULL;
	novelty->set = *set;
	novelty->n = n;
	if (!set->steps)
		novelty->set.steps = STEPS_DEFAULT;
	novelty->n_knots = set->walks ? novelty->set.steps / KNOT_STRIDE : 0;
	n_knots = (size_t)novelty->n_knots;
	novelty->log_z = cscg_alloc((size_t)n, sizeof *novelty->log_z, err);
	novelty->n_actions = cscg_alloc((size_t)n, sizeof *novelty->n_actions,
	    err);
	novelty->own_threshold = cscg_alloc((size_t)n * n_knots,
	    sizeof *novelty->own_threshold, err);
	novelty->other_threshold = cscg_alloc(n_knots,
	    sizeof *novelty->other_threshold, err);
	if (!novelty->log_z || !novelty->n_actions ||
	    !novelty->own_threshold || !novelty->other_threshold)
		goto fail;
	for (i = 0; i < n; i++) {
		novelty->log_z[i] = log(m[i]->n_states);
		novelty->n_actions[i] = m[i]->n_actions;
	}
	if (novelty->n_knots && calibrate(novelty, m, err) < 0)
		goto fail;
	return novelty;
fail:
	cscg_novelty_free(novelty);
	return NULL;
}
