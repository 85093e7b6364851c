/*
 * measure.c - steps from positions over time
 *
 * Directions are numbered counterclockwise from east in steps of 45 degrees.
 * Displacements are differences of cell numbers, so every result is exact.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/stats.h"
#include "core/measure.h"

/* Displacement of no step; the other actions are directions. */
enum { DIRECTIONS = 8, STAY = DIRECTIONS };

const char *
cscg_measure_action(enum cscg_derive derive, int action)
{
	static const char *const compass[] = { "east", "northeast", "north",
		"northwest", "west", "southwest", "south", "southeast",
		"stay" };
	static const char *const ego[] = { "forward", "forward-left", "left",
		"back-left", "back", "back-right", "right", "forward-right",
		"stay" };

	return cscg_measure_is_compass(derive) ? compass[action] : ego[action];
}

bool
cscg_measure_is_compass(enum cscg_derive derive)
{
	return derive == CSCG_DERIVE_COMPASS4 ||
	    derive == CSCG_DERIVE_COMPASS8;
}

/* Positions to cells. */

/* Borders of the bins of an axis: value v is in bin floor((v - low) / width), or
 * in the bin whose number is that of the borders <= v. */
struct axis {
	double low, width;
	int n;          /* bins; 0: any number */
	double *border; /* [n - 1], or NULL */
};

static bool
is_lost(const struct cscg_measure_options *opt, const struct cscg_sample *s)
{
	int k;

	for (k = 0; k < opt->n_axes; k++)
		if (isnan(s->p[k]))
			return true;
	return false;
}

/* Border i of n bins is the value of rank i * m / n of m values. */
static int
axis_quantiles(struct axis *axis, double *v, long m, struct cscg_err *err)
{
	int i;

	axis->border = cscg_alloc((size_t)axis->n, sizeof *v, err);
	if (!axis->border)
		return -1;
	cscg_sort_doubles(v, m);
	for (i = 1; i < axis->n && m; i++)
		axis->border[i - 1] = v[(long)((long double)i * m / axis->n)];
	return 0;
}

static void
axis_range(struct axis *axis, const double *v, long m)
{
	double high = m ? v[0] : 0;
	long i;

	axis->low = high;
	for (i = 1; i < m; i++) {
		axis->low = v[i] < axis->low ? v[i] : axis->low;
		high = v[i] > high ? v[i] : high;
	}
	axis->width = (high - axis->low) / axis->n;
	if (axis->width <= 0)
		axis->width = 1;
}

/* The bins of axis k. */
static int
axis_init(struct axis *axis, const struct cscg_measure_options *opt,
    const struct cscg_sample *s, long n, int k, struct cscg_err *err)
{
	double *v;
	long i, m = 0;
	int rc = 0;

	if (opt->bins == CSCG_BINS_CELL) {
		axis->width = opt->cell[k];
		return 0;
	}
	v = cscg_alloc((size_t)n, sizeof *v, err);
	if (!v)
		return -1;
	for (i = 0; i < n; i++)
		if (!is_lost(opt, &s[i]))
			v[m++] = s[i].p[k];
	axis->n = opt->n_bins[k];
	if (opt->bins == CSCG_BINS_GRID)
		axis_range(axis, v, m);
	else
		rc = axis_quantiles(axis, v, m, err);
	free(v);
	return rc;
}

/* The number of borders <= v, by bisection. */
static int
count_borders(const struct axis *axis, double v)
{
	int low = 0, high = axis->n - 1, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (axis->border[mid] <= v)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int
axis_bin(const struct axis *axis, double v, int *bin, struct cscg_err *err)
{
	double i = axis->border ? count_borders(axis, v) :
				  floor((v - axis->low) / axis->width);

	/* The largest value belongs to the last bin. */
	if (axis->n && i >= axis->n)
		i = axis->n - 1;
	if (!(fabs(i) < INT_MAX / 4))
		return cscg_fail(err, CSCG_ERANGE,
		    "%g is in cell %g, whose number is too large", v, i);
	*bin = (int)i;
	return 0;
}

/* Samples to steps. */

struct measurer {
	const struct cscg_measure_options *opt;
	const struct cscg_sample *sample;
	struct axis axis[CSCG_MEASURE_AXES];
	struct cscg_measured *step;
	size_t n, cap;
	long previous; /* last sample with a position in this episode, or -1 */
	long kept;   /* last sample that was not removed by thinning, or -1 */
	long row;    /* rows since the episode began */
	long length; /* steps of this episode */
	bool lost;   /* a sample is lost since `previous` */
	bool reset;  /* the next step is a reset */
	bool new_episode;
};

/*
 * Detect an episode boundary or a gap before sample i.  False if sample i is
 * lost.
 */
static bool
observe_sample(struct measurer *m, long i, struct cscg_measure_report *report)
{
	const struct cscg_sample *s = &m->sample[i];
	double apart;

	if (i == 0 || s->episode != s[-1].episode) {
		m->new_episode = true;
		m->reset = m->lost = false;
		m->previous = m->kept = -1;
		m->row = 0;
	}
	m->reset |= s->reset;
	m->row++;
	if (is_lost(m->opt, s)) {
		m->lost = true;
		report->lost++;
		return false;
	}
	apart = m->previous < 0 ? 0 : s->t - m->sample[m->previous].t;
	if (m->previous >= 0 &&
	    (m->opt->gap < 0 ? m->lost : apart > m->opt->gap))
		m->reset = true;
	if (m->opt->episode_gap >= 0 && apart > m->opt->episode_gap) {
		m->new_episode = true;
		m->kept = -1;
		m->row = 1;
	}
	m->lost = false;
	m->previous = i;
	return true;
}

/*
 * Whether sample i is removed by thinning.  Times are sums of frame durations,
 * so a multiple of them may be slightly short by rounding.
 */
static bool
is_thinned(const struct measurer *m, long i)
{
	const struct cscg_measure_options *opt = m->opt;
	double apart;

	if (opt->thin && (m->row - 1) % opt->thin)
		return true;
	if (opt->thin_time <= 0 || m->kept < 0)
		return false;
	apart = m->sample[i].t - m->sample[m->kept].t;
	return apart < opt->thin_time * (1 - 1e-9);
}

/* Whether the sample has the same cell or label as the last step. */
static bool
is_same(const struct measurer *m, long i, const int *cell)
{
	const struct cscg_measured *last;
	int k;

	if (!m->opt->moves || m->new_episode || m->reset || !m->n)
		return false;
	last = &m->step[m->n - 1];
	if (!m->opt->n_axes)
		return m->sample[last->sample].label == m->sample[i].label;
	for (k = 0; k < m->opt->n_axes; k++)
		if (last->cell[k] != cell[k])
			return false;
	return true;
}

static int
add_sample(struct measurer *m, long i, struct cscg_err *err)
{
	struct cscg_measured step = { .sample = i, .last = i };
	int k;

	m->kept = i;
	for (k = 0; k < m->opt->n_axes; k++)
		if (axis_bin(&m->axis[k], m->sample[i].p[k], &step.cell[k],
			err) < 0)
			return -1;
	if (is_same(m, i, step.cell)) {
		m->step[m->n - 1].last = i;
		return 0;
	}
	if (m->opt->episode_length && m->length == m->opt->episode_length)
		m->new_episode = true;
	step.first = m->new_episode;
	step.reset = m->reset && !step.first;
	m->length = step.first ? 1 : m->length + 1;
	m->new_episode = m->reset = false;
	if (cscg_grow(&m->step, &m->cap, m->n + 1, sizeof step, err) < 0)
		return -1;
	m->step[m->n++] = step;
	return 0;
}

/* Displacements to actions. */

/* The direction of a displacement, STAY for none, or -1: no neighbour. */
static int
direction(const struct cscg_measure_options *opt, const int *from,
    const int *to)
{
	static const int directions[3][3] = { { 5, 4, 3 }, { 6, STAY, 2 },
		{ 7, 0, 1 } };
	int dx = to[0] - from[0], dy = to[1] - from[1];
	bool diagonal = opt->derive == CSCG_DERIVE_COMPASS8 ||
	    opt->derive == CSCG_DERIVE_EGOCENTRIC;

	if (abs(dx) > 1 || abs(dy) > 1 || (dx && dy && !diagonal))
		return -1;
	return directions[dx + 1][(opt->y_down ? -dy : dy) + 1];
}

/*
 * The action of each step.  The first displacement after a reset has no
 * previous one, and is "forward".  The action before a reset is not used for
 * learning; the previous one is repeated, so that no action is added to the
 * alphabet.
 */
static void
derive_actions(struct measurer *m, struct cscg_measure_report *report)
{
	const bool compass = cscg_measure_is_compass(m->opt->derive);
	int heading = -1, d, action = 0;
	struct cscg_measured *s;
	size_t i;

	for (i = 0; i + 1 < m->n; i++) {
		s = &m->step[i];
		if (s->first || s->reset)
			heading = -1;
		if (!s[1].first && !s[1].reset) {
			report->transitions++;
			d = direction(m->opt, s->cell, s[1].cell);
			s[1].reset = d < 0;
			report->skipped += d < 0;
			if (d >= 0)
				action = d == STAY || compass ?
				    d :
				    heading < 0 ?
				    0 :
				    (d - heading + DIRECTIONS) % DIRECTIONS;
			heading = d >= 0 && d != STAY ? d : heading;
		}
		s->action = action;
	}
}

struct cscg_measured *
cscg_measure(const struct cscg_measure_options *opt,
    const struct cscg_sample *sample, long n, long *n_steps, long *step_of,
    struct cscg_measure_report *report, struct cscg_err *err)
{
	struct measurer m = { .opt = opt, .sample = sample };
	int k, rc = 0;
	long i;

	*report = (struct cscg_measure_report){ 0 };
	m.cap = 1;
	m.step = cscg_alloc(1, sizeof *m.step, err);
	if (!m.step)
		return NULL;
	for (k = 0; k < opt->n_axes && rc == 0; k++)
		rc = axis_init(&m.axis[k], opt, sample, n, k, err);
	for (i = 0; i < n && rc == 0; i++) {
		bool kept = observe_sample(&m, i, report) &&
		    !is_thinned(&m, i);

		if (kept)
			rc = add_sample(&m, i, err);
		if (step_of)
			step_of[i] = kept ? (long)m.n - 1 : -1;
	}
	if (rc == 0 && opt->derive > CSCG_DERIVE_NONE)
		derive_actions(&m, report);
	for (k = 0; k < opt->n_axes; k++)
		free(m.axis[k].border);
	if (rc < 0) {
		free(m.step);
		return NULL;
	}
	*n_steps = (long)m.n;
	return m.step;
}
