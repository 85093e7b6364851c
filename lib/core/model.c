/*
 * model.c - the model: clones C, transition counts T, emissions E, and its
 * invariants
 *
 * The arrays follow the file item by item, so a violated invariant is reported
 * with the position it has, or would have, in cscg-model(5): "/counts/0/to/3".
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "core/limits.h"
#include "core/codebook.h"
#include "core/model.h"

/* Rows (a, j): more than this would be 16 GiB of row starts alone. */
static const long rows_max = 1L << 31;

/* The checks of frontiers and entries of cscg_model_check(). */
static int model_check_frontiers(const struct cscg_model *m,
    struct cscg_err *err);

const char *
cscg_model_kind_name(enum cscg_model_kind kind)
{
	switch (kind) {
	case CSCG_GROUNDED:
		return "grounded";
	case CSCG_CLONES:
		return "clones";
	case CSCG_SCHEMA:
		break;
	}
	return "schema";
}

const char *
cscg_model_kind_text(enum cscg_model_kind kind)
{
	switch (kind) {
	case CSCG_GROUNDED:
		return "a grounded model";
	case CSCG_CLONES:
		return "a schema with clones";
	case CSCG_SCHEMA:
		break;
	}
	return "a schema";
}

static long
n_rows(const struct cscg_model *m)
{
	return (long)m->n_actions * m->n_states;
}

static int
check_sizes(int n_states, int n_actions, int n_obs, struct cscg_err *err)
{
	if (n_states < 1 || n_states > CSCG_STATE_MAX)
		return cscg_fail(err, CSCG_ERANGE,
		    "/n_states: %d is outside 1..%d", n_states,
		    CSCG_STATE_MAX);
	if (n_actions < 1 || n_actions > CSCG_ACTION_MAX)
		return cscg_fail(err, CSCG_ERANGE,
		    "/n_actions: %d is outside 1..%d", n_actions,
		    CSCG_ACTION_MAX);
	if (n_obs < 1 || n_obs > CSCG_OBS_MAX)
		return cscg_fail(err, CSCG_ERANGE,
		    "/n_obs: %d is outside 1..%d", n_obs, CSCG_OBS_MAX);
	if ((long)n_states * n_actions > rows_max)
		return cscg_fail(err, CSCG_ERANGE,
		    "/n_states: %d states with %d actions are %ld rows, above "
		    "%ld",
		    n_states, n_actions, (long)n_states * n_actions, rows_max);
	return 0;
}

struct cscg_model *
cscg_model_new(enum cscg_model_kind kind, int n_states, int n_actions,
    int n_obs, struct cscg_err *err)
{
	struct cscg_model *m;

	if (check_sizes(n_states, n_actions, n_obs, err) < 0)
		return NULL;
	m = cscg_alloc(1, sizeof *m, err);
	if (!m)
		return NULL;
	m->kind = kind;
	m->n_states = n_states;
	m->n_actions = n_actions;
	m->n_obs = n_obs;
	m->first = cscg_alloc((size_t)n_rows(m) + 1, sizeof *m->first, err);
	m->to = cscg_alloc(0, sizeof *m->to, err);
	m->count = cscg_alloc(0, sizeof *m->count, err);
	if (kind != CSCG_SCHEMA)
		m->clone = cscg_alloc((size_t)n_states, sizeof *m->clone, err);
	if (!m->first || !m->to || !m->count ||
	    (kind != CSCG_SCHEMA && !m->clone)) {
		cscg_model_free(m);
		return NULL;
	}
	return m;
}

/*
 * Copy the arrays that from has; NULL where from has an array means out of
 * memory.
 */
static int
copy_arrays(struct cscg_model *m, const struct cscg_model *from,
    struct cscg_err *err)
{
	size_t n = (size_t)from->n_states;
	size_t n_counts = (size_t)from->first[n_rows(from)];
	size_t n_e = from->e_first ? (size_t)from->e_first[n] : 0;

	m->first = cscg_copy(from->first, (size_t)n_rows(from) + 1,
	    sizeof *m->first, err);
	m->to = cscg_copy(from->to, n_counts, sizeof *m->to, err);
	m->count = cscg_copy(from->count, n_counts, sizeof *m->count, err);
	m->clone = cscg_copy(from->clone, n, sizeof *m->clone, err);
	m->pi = cscg_copy(from->pi, n, sizeof *m->pi, err);
	m->e_first = cscg_copy(from->e_first, n + 1, sizeof *m->e_first, err);
	m->e_obs = cscg_copy(from->e_obs, n_e, sizeof *m->e_obs, err);
	m->e_p = cscg_copy(from->e_p, n_e, sizeof *m->e_p, err);
	m->confidence = cscg_copy(from->confidence, n, sizeof *m->confidence,
	    err);
	m->coords = cscg_copy(from->coords, n * 2, sizeof *m->coords, err);
	m->frontier = cscg_copy(from->frontier, (size_t)from->n_frontiers,
	    sizeof *m->frontier, err);
	m->n_frontiers = m->frontier ? from->n_frontiers : 0;
	m->entry = cscg_copy(from->entry, (size_t)from->n_entries,
	    sizeof *m->entry, err);
	m->n_entries = m->entry ? from->n_entries : 0;
	if (!m->first || !m->to || !m->count || !m->clone != !from->clone ||
	    !m->pi != !from->pi || !m->e_first != !from->e_first ||
	    !m->e_obs != !from->e_obs || !m->e_p != !from->e_p ||
	    !m->confidence != !from->confidence ||
	    !m->coords != !from->coords || !m->frontier != !from->frontier ||
	    !m->entry != !from->entry)
		return -1;
	return 0;
}

struct cscg_model *
cscg_model_copy(const struct cscg_model *from, struct cscg_err *err)
{
	struct cscg_model *m = cscg_alloc(1, sizeof *m, err);

	if (!m)
		return NULL;
	m->kind = from->kind;
	m->is_double = from->is_double;
	m->n_states = from->n_states;
	m->n_actions = from->n_actions;
	m->n_obs = from->n_obs;
	m->pseudocount = from->pseudocount;
	m->misread = from->misread;
	m->fit_steps = from->fit_steps;
	m->fit_nats = from->fit_nats;
	if (from->frame_emission)
		m->frame_emission = cscg_frame_emission_copy(
		    from->frame_emission, err);
	if (from->learned)
		m->learned = cscg_learned_copy(from->learned, err);
	if (!m->frame_emission != !from->frame_emission ||
	    !m->learned != !from->learned || copy_arrays(m, from, err) < 0 ||
	    cscg_names_copy(&m->actions, &from->actions, err) < 0 ||
	    cscg_names_copy(&m->symbols, &from->symbols, err) < 0 ||
	    cscg_history_copy(&m->history, &from->history, err) < 0) {
		cscg_model_free(m);
		return NULL;
	}
	return m;
}

void
cscg_model_free(struct cscg_model *m)
{
	if (!m)
		return;
	free(m->clone);
	free(m->first);
	free(m->to);
	free(m->count);
	free(m->pi);
	free(m->confidence);
	free(m->coords);
	free(m->frontier);
	free(m->entry);
	free(m->e_first);
	free(m->e_obs);
	free(m->e_p);
	cscg_frame_emission_free(m->frame_emission);
	cscg_learned_free(m->learned);
	cscg_names_free(&m->actions);
	cscg_names_free(&m->symbols);
	cscg_history_free(&m->history);
	free(m);
}

/* New arrays of counts in place of the old ones. */
static void
take_counts(struct cscg_model *m, int *to, double *count)
{
	cscg_learned_free(m->learned);
	m->learned = NULL;
	free(m->to);
	free(m->count);
	m->to = to;
	m->count = count;
}

int
cscg_model_set_dense(struct cscg_model *m, const double *dense, double floor,
    struct cscg_err *err)
{
	long row, k, n = 0, rows = n_rows(m), size = rows * m->n_states;
	double *count;
	int *to;

	if (floor < 0)
		floor = 0;
	for (k = 0; k < size; k++) {
		if (!isfinite(dense[k]) || dense[k] < 0)
			return cscg_fail(err, CSCG_ERANGE,
			    "action %ld, from %ld, to %ld: a count must be "
			    "finite and not negative",
			    k / m->n_states / m->n_states,
			    k / m->n_states % m->n_states, k % m->n_states);
		n += dense[k] > floor;
	}
	to = cscg_alloc((size_t)n, sizeof *to, err);
	count = cscg_alloc((size_t)n, sizeof *count, err);
	if (!to || !count) {
		free(to);
		free(count);
		return -1;
	}
	n = 0;
	for (row = 0; row < rows; row++) {
		m->first[row] = n;
		for (k = 0; k < m->n_states; k++)
			if (dense[row * m->n_states + k] > floor) {
				to[n] = (int)k;
				count[n++] = dense[row * m->n_states + k];
			}
	}
	m->first[rows] = n;
	take_counts(m, to, count);
	return 0;
}

/* The bucket of a triple in one of the two passes of the sort below. */
static long
bucket(const struct cscg_model *m, const struct cscg_count *c, bool by_row)
{
	return by_row ? (long)c->a * m->n_states + c->from : c->to;
}

/*
 * Stable counting sort of n triples; end has an item for each bucket.  Done by
 * column and then by row it sorts by both, and triples of the same entry keep
 * their order, so that their sum does not depend on the order in which a
 * qsort() leaves equal keys.
 */
static void
sort_counts(const struct cscg_model *m, const struct cscg_count *in,
    struct cscg_count *out, long n, bool by_row, long *end)
{
	long i, at = 0, size, buckets = by_row ? n_rows(m) : m->n_states;

	memset(end, 0, (size_t)buckets * sizeof *end);
	for (i = 0; i < n; i++)
		end[bucket(m, &in[i], by_row)]++;
	for (i = 0; i < buckets; i++) {
		size = end[i];
		end[i] = at;
		at += size;
	}
	for (i = 0; i < n; i++)
		out[end[bucket(m, &in[i], by_row)]++] = in[i];
}

static int
check_triple(const struct cscg_model *m, const struct cscg_count *c, long i,
    struct cscg_err *err)
{
	if (c->a < 0 || c->a >= m->n_actions)
		return cscg_fail(err, CSCG_ERANGE,
		    "count %ld: action %d is outside 0..%d", i, c->a,
		    m->n_actions - 1);
	if (c->from < 0 || c->from >= m->n_states || c->to < 0 ||
	    c->to >= m->n_states)
		return cscg_fail(err, CSCG_ERANGE,
		    "count %ld: state %d is outside 0..%d", i,
		    c->from < 0 || c->from >= m->n_states ? c->from : c->to,
		    m->n_states - 1);
	if (!isfinite(c->c) || c->c < 0)
		return cscg_fail(err, CSCG_ERANGE,
		    "count %ld: a count must be finite and not negative", i);
	return 0;
}

/*
 * Sum sorted triples of the same entry and fill first, to and count; zero sums
 * are dropped.
 */
static void
fill_counts(struct cscg_model *m, const struct cscg_count *c, long n, int *to,
    double *count)
{
	long i = 0, k = 0, row;
	double sum;
	int j;

	for (row = 0; row < n_rows(m); row++) {
		m->first[row] = k;
		while (i < n && bucket(m, &c[i], true) == row) {
			j = c[i].to;
			sum = 0;
			while (i < n && bucket(m, &c[i], true) == row &&
			    c[i].to == j)
				sum += c[i++].c;
			if (sum > 0) {
				to[k] = j;
				count[k++] = sum;
			}
		}
	}
	m->first[row] = k;
}

int
cscg_model_set_counts(struct cscg_model *m, const struct cscg_count *c, long n,
    struct cscg_err *err)
{
	struct cscg_count *by_to = NULL, *by_row = NULL;
	double *count = NULL;
	long i, *end = NULL;
	int *to = NULL, rc = -1;

	for (i = 0; i < n; i++)
		if (check_triple(m, &c[i], i, err) < 0)
			return -1;
	by_to = cscg_alloc((size_t)n, sizeof *by_to, err);
	by_row = cscg_alloc((size_t)n, sizeof *by_row, err);
	end = cscg_alloc((size_t)n_rows(m), sizeof *end, err);
	to = cscg_alloc((size_t)n, sizeof *to, err);
	count = cscg_alloc((size_t)n, sizeof *count, err);
	if (!by_to || !by_row || !end || !to || !count)
		goto out;
	sort_counts(m, c, by_to, n, false, end);
	sort_counts(m, by_to, by_row, n, true, end);
	fill_counts(m, by_row, n, to, count);
	take_counts(m, to, count);
	to = NULL;
	count = NULL;
	rc = 0;
out:
	free(by_to);
	free(by_row);
	free(end);
	free(to);
	free(count);
	return rc;
}

static int
check_clones(const struct cscg_model *m, struct cscg_err *err)
{
	int j, end = m->e_first ? CSCG_OBS_MAX : m->n_obs;

	for (j = 0; j < m->n_states; j++) {
		if (m->clone[j] < 0 || m->clone[j] >= end)
			return cscg_fail(err, CSCG_ERANGE,
			    "/clone/%d: group %d is outside 0..%d", j,
			    m->clone[j], end - 1);
		if (j && m->clone[j] < m->clone[j - 1])
			return cscg_fail(err, CSCG_EFORMAT,
			    "/clone/%d: group %d comes after group %d: states "
			    "must be sorted by group",
			    j, m->clone[j], m->clone[j - 1]);
	}
	return 0;
}

static int
check_counts(const struct cscg_model *m, struct cscg_err *err)
{
	long i, at, row;
	int a;

	for (row = 0; row < n_rows(m); row++) {
		a = (int)(row / m->n_states);
		for (i = m->first[row]; i < m->first[row + 1]; i++) {
			at = i - m->first[(long)a * m->n_states];
			if (m->to[i] < 0 || m->to[i] >= m->n_states)
				return cscg_fail(err, CSCG_ERANGE,
				    "/counts/%d/to/%ld: state %d is outside "
				    "0..%d",
				    a, at, m->to[i], m->n_states - 1);
			if (i > m->first[row] && m->to[i] <= m->to[i - 1])
				return cscg_fail(err, CSCG_EFORMAT,
				    "/counts/%d/to/%ld: %d does not come "
				    "after %d: counts must be sorted by from, "
				    "then to",
				    a, at, m->to[i], m->to[i - 1]);
			if (!isfinite(m->count[i]) || m->count[i] <= 0)
				return cscg_fail(err, CSCG_ERANGE,
				    "/counts/%d/count/%ld: a count must be "
				    "finite and above 0",
				    a, at);
			if (m->count[i] > CSCG_COUNT_MAX)
				return cscg_fail(err, CSCG_ERANGE,
				    "/counts/%d/count/%ld: %.9g is above %g",
				    a, at, m->count[i], CSCG_COUNT_MAX);
		}
	}
	return 0;
}

/* Whether a distribution sums to one, within the precision of its digits. */
static bool
sums_to_one(const struct cscg_model *m, double sum)
{
	return fabs(sum - 1) <= (m->is_double ? 1e-9 : 1e-5);
}

static int
check_pi(const struct cscg_model *m, struct cscg_err *err)
{
	double sum = 0;
	int j;

	for (j = 0; j < m->n_states; j++) {
		if (!(m->pi[j] >= 0) || !isfinite(m->pi[j]))
			return cscg_fail(err, CSCG_ERANGE,
			    "/pi/%d: a probability must be finite and not "
			    "negative",
			    j);
		sum += m->pi[j];
	}
	if (!sums_to_one(m, sum))
		return cscg_fail(err, CSCG_ERANGE, "/pi: sums to %.9g, not 1",
		    sum);
	return 0;
}

static int
check_emissions(const struct cscg_model *m, struct cscg_err *err)
{
	double sum;
	long i, at;
	int j;

	for (j = 0; j < m->n_states; j++) {
		sum = 0;
		for (i = m->e_first[j]; i < m->e_first[j + 1]; i++) {
			at = 2 * (i - m->e_first[j]);
			if (m->e_obs[i] < 0 || m->e_obs[i] >= m->n_obs)
				return cscg_fail(err, CSCG_ERANGE,
				    "/emissions/%d/%ld: symbol %d is outside "
				    "0..%d",
				    j, at, m->e_obs[i], m->n_obs - 1);
			if (at && m->e_obs[i] <= m->e_obs[i - 1])
				return cscg_fail(err, CSCG_EFORMAT,
				    "/emissions/%d/%ld: symbol %d does not "
				    "come after %d",
				    j, at, m->e_obs[i], m->e_obs[i - 1]);
			if (!isfinite(m->e_p[i]) || m->e_p[i] <= 0)
				return cscg_fail(err, CSCG_ERANGE,
				    "/emissions/%d/%ld: a probability must be "
				    "finite and above 0",
				    j, at + 1);
			sum += m->e_p[i];
		}
		if (!sums_to_one(m, sum))
			return cscg_fail(err, CSCG_ERANGE,
			    "/emissions/%d: sums to %.9g, not 1", j, sum);
	}
	return 0;
}

/* Emissions, and the fields that require them. */
static int
check_emission_fields(const struct cscg_model *m, struct cscg_err *err)
{
	int j;

	if (m->e_first && m->kind != CSCG_GROUNDED)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/emissions: only a grounded model has them, this is %s",
		    cscg_model_kind_text(m->kind));
	if (!m->e_first && (m->confidence || m->fit_steps))
		return cscg_fail(err, CSCG_EFORMAT,
		    "/%s: only a model with emissions has it",
		    m->confidence ? "confidence" : "fit");
	for (j = 0; m->confidence && j < m->n_states; j++)
		if (!(m->confidence[j] >= 0 && m->confidence[j] <= 1))
			return cscg_fail(err, CSCG_ERANGE,
			    "/confidence/%d: must be 0 to 1", j);
	if (m->fit_steps < 0 || (m->fit_steps && !isfinite(m->fit_nats)))
		return cscg_fail(err, CSCG_ERANGE,
		    "/fit: must be about a number of steps above 0, and "
		    "finite");
	return m->e_first ? check_emissions(m, err) : 0;
}

static int
check_names(const struct cscg_model *m, struct cscg_err *err)
{
	if (m->actions.n && m->actions.n != m->n_actions)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/actions: %d names for %d actions", m->actions.n,
		    m->n_actions);
	if (m->symbols.n && m->symbols.n != m->n_obs)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/symbols: %d names for %d symbols", m->symbols.n,
		    m->n_obs);
	if (m->symbols.n && m->kind != CSCG_GROUNDED)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/symbols: only a grounded model has names of symbols, "
		    "this is %s",
		    cscg_model_kind_text(m->kind));
	return 0;
}

static int
check_misread(double misread, struct cscg_err *err)
{
	return misread >= 0 && misread <= 1 ?
	    0 :
	    cscg_fail(err, CSCG_ERANGE,
		"/misread: a misreading probability must be 0 to 1");
}

int
cscg_model_check(const struct cscg_model *m, struct cscg_err *err)
{
	int j;

	if (check_sizes(m->n_states, m->n_actions, m->n_obs, err) < 0 ||
	    check_names(m, err) < 0)
		return -1;
	if (!isfinite(m->pseudocount) || m->pseudocount < 0)
		return cscg_fail(err, CSCG_ERANGE,
		    "/pseudocount: must be finite and not negative");
	if (m->pseudocount > CSCG_COUNT_MAX)
		return cscg_fail(err, CSCG_ERANGE,
		    "/pseudocount: %.9g is above %g", m->pseudocount,
		    CSCG_COUNT_MAX);
	if (check_misread(m->misread, err) < 0)
		return -1;
	if (m->clone && m->kind == CSCG_SCHEMA)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/clone: a schema has no clones");
	if (!m->clone && m->kind != CSCG_SCHEMA && !m->e_first)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/clone: missing, %s has them",
		    cscg_model_kind_text(m->kind));
	if ((m->clone && check_clones(m, err) < 0) ||
	    check_emission_fields(m, err) < 0 ||
	    (m->frame_emission && cscg_frame_emission_check(m, err) < 0) ||
	    (m->pi && check_pi(m, err) < 0) || check_counts(m, err) < 0 ||
	    (m->learned &&
		cscg_learned_check(m->learned, m->first[n_rows(m)], err) <
		    0) ||
	    model_check_frontiers(m, err) < 0)
		return -1;
	for (j = 0; m->coords && j < 2 * m->n_states; j++)
		if (!isfinite(m->coords[j]))
			return cscg_fail(err, CSCG_ERANGE,
			    "/coords/%d/%d: must be finite", j / 2, j % 2);
	return 0;
}

double
cscg_model_main_share(const struct cscg_model *m, int a)
{
	double main = 0, all = 0, most;
	long S = m->n_states, r, i;

	for (r = a < 0 ? 0 : a * S; r < (a < 0 ? m->n_actions : a + 1) * S;
	     r++) {
		most = 0;
		for (i = m->first[r]; i < m->first[r + 1]; i++) {
			most = fmax(most, m->count[i]);
			all += m->count[i];
		}
		main += most;
	}
	return all > 0 ? main / all : 1;
}

double
cscg_model_row_sum(const struct cscg_model *m, int a, int j)
{
	long i, row = (long)a * m->n_states + j;
	double sum = 0;

	for (i = m->first[row]; i < m->first[row + 1]; i++)
		sum += m->count[i];
	return sum;
}

int
cscg_model_likely_successor(const struct cscg_model *m, int a, int j)
{
	long row = (long)a * m->n_states + j, i;
	double all = cscg_model_row_sum(m, a, j);

	for (i = m->first[row]; i < m->first[row + 1]; i++)
		if (m->count[i] > all / 2)
			return m->to[i];
	return -1;
}

int
cscg_model_inverse(const struct cscg_model *m, int a)
{
	const double min_share = .8;
	int b, j, to, changed, undone;

	for (b = 0; b < m->n_actions; b++) {
		for (changed = undone = j = 0; j < m->n_states; j++) {
			to = cscg_model_likely_successor(m, a, j);
			if (to < 0 || to == j)
				continue;
			changed++;
			undone += cscg_model_likely_successor(m, b, to) == j;
		}
		if (changed && undone >= min_share * changed)
			return b;
	}
	return -1;
}

void
cscg_model_successors(const struct cscg_model *m, int *to)
{
	long row, best;

	for (row = 0; row < (long)m->n_actions * m->n_states; row++) {
		best = cscg_largest(m->count, m->first[row],
		    m->first[row + 1]);
		to[row] = best < 0 ? -1 : m->to[best];
	}
}

int
cscg_model_best_symbol(const struct cscg_model *m, int j)
{
	long best = m->e_first ?
	    cscg_largest(m->e_p, m->e_first[j], m->e_first[j + 1]) :
	    -1;

	return best >= 0 ? m->e_obs[best] : m->clone ? m->clone[j] : -1;
}

/* Index of v in the ascending list[lo..hi-1], or -1. */
static long
find_in_row(const int *list, long lo, long hi, int v)
{
	long mid, end = hi;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (list[mid] < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < end && list[lo] == v ? lo : -1;
}

long
cscg_model_find_count(const struct cscg_model *m, int a, int j, int k)
{
	long row = (long)a * m->n_states + j;

	return find_in_row(m->to, m->first[row], m->first[row + 1], k);
}

double
cscg_model_T(const struct cscg_model *m, int a, int j, int k)
{
	long i = cscg_model_find_count(m, a, j, k);
	double p = m->pseudocount;
	double norm = cscg_model_row_sum(m, a, j) + p * m->n_states;

	if (norm <= 0)
		return 1.0 / m->n_states;
	return ((i < 0 ? 0 : m->count[i]) + p) / norm;
}

double
cscg_model_E_unmixed(const struct cscg_model *m, int j, int x)
{
	long i;

	if (!m->e_first)
		return m->clone[j] == x;
	i = find_in_row(m->e_obs, m->e_first[j], m->e_first[j + 1], x);
	return i < 0 ? 0 : m->e_p[i];
}

double
cscg_model_E(const struct cscg_model *m, int j, int x)
{
	return (1 - m->misread) * cscg_model_E_unmixed(m, j, x) +
	    m->misread / m->n_obs;
}

double
cscg_model_misread(const struct cscg_model *m)
{
	return m->misread;
}

int
cscg_model_set_misread(struct cscg_model *m, double misread,
    struct cscg_err *err)
{
	if (check_misread(misread, err) < 0)
		return -1;
	m->misread = misread;
	return 0;
}

void
cscg_model_groups(const struct cscg_model *m, int *first)
{
	int g, j = 0;

	for (g = 0; g <= m->n_obs; g++) {
		while (j < m->n_states && m->clone[j] < g)
			j++;
		first[g] = j;
	}
}

/*
 * emissions of a model: set and removed
 */

static void
free_emissions(struct cscg_model *m)
{
	free(m->e_first);
	free(m->e_obs);
	free(m->e_p);
	m->e_first = NULL;
	m->e_obs = NULL;
	m->e_p = NULL;
	cscg_frame_emission_free(m->frame_emission);
	m->frame_emission = NULL;
}

int
cscg_model_set_E(struct cscg_model *m, const double *E, int n_obs,
    struct cscg_err *err)
{
	size_t n = (size_t)m->n_states * (size_t)n_obs, i, k = 0;
	long *first = cscg_alloc((size_t)m->n_states + 1, sizeof *first, err);
	int *obs;
	double *p;

	for (i = 0; i < n; i++)
		k += E[i] > 0;
	obs = cscg_alloc(k, sizeof *obs, err);
	p = cscg_alloc(k, sizeof *p, err);
	if (!first || !obs || !p) {
		free(first);
		free(obs);
		free(p);
		return -1;
	}
	for (i = 0, k = 0; i < n; i++) {
		if (E[i] > 0) {
			obs[k] = (int)(i % (size_t)n_obs);
			p[k++] = E[i];
		}
		first[i / (size_t)n_obs + 1] = (long)k;
	}
	free_emissions(m);
	m->e_first = first;
	m->e_obs = obs;
	m->e_p = p;
	if (m->n_obs != n_obs)
		cscg_names_free(&m->symbols);
	m->n_obs = n_obs;
	m->kind = CSCG_GROUNDED;
	return 0;
}

int
cscg_models_number_states(const struct cscg_model *const *m, int n, int *base,
    struct cscg_err *err)
{
	long S = 0;
	int k;

	for (k = 0; k < n; k++) {
		base[k] = (int)S;
		S += m[k]->n_states;
		if (S > CSCG_STATE_MAX)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "together the schemas have more than %d states",
			    CSCG_STATE_MAX);
	}
	base[n] = (int)S;
	return 0;
}

int
cscg_model_n_groups(const struct cscg_model *m)
{
	return m->clone ? m->clone[m->n_states - 1] + 1 : 0;
}

void
cscg_model_unground(struct cscg_model *m, enum cscg_model_kind kind)
{
	if (kind <= m->kind)
		return;
	if (!m->clone)
		kind = CSCG_SCHEMA;
	if (m->kind == CSCG_GROUNDED) {
		if (m->e_first && m->clone)
			m->n_obs = cscg_model_n_groups(m);
		free(m->pi);
		m->pi = NULL;
	}
	m->kind = kind;
	free_emissions(m);
	free(m->confidence);
	m->confidence = NULL;
	m->fit_steps = 0;
	cscg_learned_free(m->learned);
	m->learned = NULL;
	cscg_names_free(&m->symbols);
	if (kind == CSCG_SCHEMA) {
		free(m->clone);
		m->clone = NULL;
		m->n_obs = 1;
	}
}

/* frontiers and entries */

int
cscg_frontier_compare(const void *a, const void *b)
{
	const struct cscg_frontier *x = a, *y = b;

	if (x->state != y->state)
		return x->state < y->state ? -1 : 1;
	return (x->a > y->a) - (x->a < y->a);
}

int
cscg_frontiers_check(const struct cscg_frontier *f, long n, const char *what,
    int n_states, int n_actions, struct cscg_err *err)
{
	long i;

	for (i = 0; i < n; i++) {
		if (f[i].state < 0 || f[i].state >= n_states)
			return cscg_fail(err, CSCG_ERANGE,
			    "/frontiers/%ld: %s %d is outside 0..%d", i, what,
			    f[i].state, n_states - 1);
		if (f[i].a < 0 || f[i].a >= n_actions)
			return cscg_fail(err, CSCG_ERANGE,
			    "/frontiers/%ld: action %d is outside 0..%d", i,
			    f[i].a, n_actions - 1);
		if (i && cscg_frontier_compare(&f[i - 1], &f[i]) >= 0)
			return cscg_fail(err, CSCG_EFORMAT,
			    "/frontiers/%ld: frontiers must ascend, by %s, "
			    "then action",
			    i, what);
	}
	return 0;
}

int
cscg_model_set_frontiers(struct cscg_model *m, const struct cscg_frontier *f,
    long n, struct cscg_err *err)
{
	struct cscg_frontier *copy = n ?
	    cscg_copy(f, (size_t)n, sizeof *copy, err) :
	    NULL;
	long i, kept = 0;

	if (n && !copy)
		return -1;
	if (n)
		qsort(copy, (size_t)n, sizeof *copy, cscg_frontier_compare);
	for (i = 0; i < n; i++)
		if (!i || cscg_frontier_compare(&copy[i], &copy[i - 1]))
			copy[kept++] = copy[i];
	free(m->frontier);
	m->frontier = copy;
	m->n_frontiers = kept;
	return 0;
}

int
cscg_model_set_entries(struct cscg_model *m, const int *state, long n,
    struct cscg_err *err)
{
	int *copy = n ? cscg_copy(state, (size_t)n, sizeof *copy, err) : NULL;

	if (n && !copy)
		return -1;
	free(m->entry);
	m->entry = copy;
	m->n_entries = cscg_unique_ints(copy, n);
	return 0;
}

static int
model_check_frontiers(const struct cscg_model *m, struct cscg_err *err)
{
	long i;

	if (cscg_frontiers_check(m->frontier, m->n_frontiers, "state",
		m->n_states, m->n_actions, err) < 0)
		return -1;
	for (i = 0; i < m->n_entries; i++) {
		if (m->entry[i] < 0 || m->entry[i] >= m->n_states)
			return cscg_fail(err, CSCG_ERANGE,
			    "/entries/%ld: state %d is outside 0..%d", i,
			    m->entry[i], m->n_states - 1);
		if (i && m->entry[i] <= m->entry[i - 1])
			return cscg_fail(err, CSCG_EFORMAT,
			    "/entries/%ld: entries must ascend", i);
	}
	return 0;
}

/*
 * states removed, merged or reordered
 *
 * Counts and pi of merged states are summed; properties of a state (emissions,
 * coordinates) are averaged, weighted by the counts of transitions into each
 * state.
 */

/* Give every new state the group of its members. */
static int
merge_clones(const struct cscg_model *m, const int *into,
    struct cscg_model *fresh, struct cscg_err *err)
{
	int j, k, rc = -1;
	int *from = cscg_alloc((size_t)fresh->n_states, sizeof *from, err);

	if (!from)
		return -1;
	for (j = 0; j < m->n_states; j++) {
		k = into[j];
		if (k < -1 || k >= fresh->n_states) {
			cscg_fail(err, CSCG_ERANGE,
			    "state %d merged into state %d, outside 0..%d", j,
			    k, fresh->n_states - 1);
			goto out;
		}
		if (k < 0)
			continue;
		if (m->clone && from[k] && m->clone[j] != fresh->clone[k]) {
			cscg_fail(err, CSCG_ERANGE,
			    "states %d and %d are merged, but have groups "
			    "%d and %d",
			    from[k] - 1, j, fresh->clone[k], m->clone[j]);
			goto out;
		}
		if (m->clone)
			fresh->clone[k] = m->clone[j];
		from[k] = j + 1;
	}
	for (k = 0; k < fresh->n_states; k++) {
		if (!from[k]) {
			cscg_fail(err, CSCG_ERANGE,
			    "no state is merged into state %d", k);
			goto out;
		}
		if (m->clone && k && fresh->clone[k] < fresh->clone[k - 1]) {
			cscg_fail(err, CSCG_ERANGE,
			    "state %d of group %d comes after group %d", k,
			    fresh->clone[k], fresh->clone[k - 1]);
			goto out;
		}
	}
	rc = 0;
out:
	free(from);
	return rc;
}

static int
merge_counts(const struct cscg_model *m, const int *into,
    struct cscg_model *fresh, struct cscg_err *err)
{
	long i, n = 0, row, rows = (long)m->n_actions * m->n_states;
	struct cscg_count *c;
	int from, to, rc;

	c = cscg_alloc((size_t)m->first[rows], sizeof *c, err);
	if (!c)
		return -1;
	for (row = 0; row < rows; row++) {
		from = into[row % m->n_states];
		for (i = m->first[row]; from >= 0 && i < m->first[row + 1];
		     i++) {
			to = into[m->to[i]];
			if (to < 0)
				continue;
			c[n].a = (int)(row / m->n_states);
			c[n].from = from;
			c[n].to = to;
			c[n++].c = m->count[i];
		}
	}
	rc = cscg_model_set_counts(fresh, c, n, err);
	free(c);
	return rc;
}

/* Rescale pi after removing states; uniform if no probability is left. */
static int
merge_pi(const struct cscg_model *m, const int *into, struct cscg_model *fresh,
    struct cscg_err *err)
{
	double sum = 0;
	int j;

	fresh->pi = cscg_alloc((size_t)fresh->n_states, sizeof *fresh->pi,
	    err);
	if (!fresh->pi)
		return -1;
	for (j = 0; j < m->n_states; j++)
		if (into[j] >= 0) {
			fresh->pi[into[j]] += m->pi[j];
			sum += m->pi[j];
		}
	for (j = 0; j < fresh->n_states; j++)
		fresh->pi[j] = sum > 0 ? fresh->pi[j] / sum :
					 1.0 / fresh->n_states;
	return 0;
}

/*
 * share[j]: the fraction that state j has of all counts into its merged state;
 * equal fractions if these counts are 0.
 */
static double *
arrival_shares(const struct cscg_model *m, const int *into, int n,
    struct cscg_err *err)
{
	double *share = cscg_alloc((size_t)m->n_states, sizeof *share, err);
	double *sum = cscg_alloc((size_t)n, sizeof *sum, err);
	int *size = cscg_alloc((size_t)n, sizeof *size, err);
	long i;
	int j;

	if (!share || !sum || !size) {
		free(share);
		share = NULL;
		goto out;
	}
	for (i = 0; i < m->first[(long)m->n_actions * m->n_states]; i++)
		share[m->to[i]] += m->count[i];
	for (j = 0; j < m->n_states; j++)
		if (into[j] >= 0) {
			sum[into[j]] += share[j];
			size[into[j]]++;
		}
	for (j = 0; j < m->n_states; j++)
		if (into[j] >= 0)
			share[j] = sum[into[j]] > 0 ? share[j] / sum[into[j]] :
						      1.0 / size[into[j]];
out:
	free(sum);
	free(size);
	return share;
}

/* Weighted means of d numbers per state. */
static double *
merge_means(const struct cscg_model *m, const int *into, const double *share,
    const double *from, int d, int n, struct cscg_err *err)
{
	double *to = cscg_alloc((size_t)n * (size_t)d, sizeof *to, err);
	int j, k;

	for (j = 0; to && j < m->n_states; j++)
		for (k = 0; k < d && into[j] >= 0; k++)
			to[(size_t)into[j] * (size_t)d + (size_t)k] +=
			    share[j] * from[(size_t)j * (size_t)d + (size_t)k];
	return to;
}

/* The same for a probability: rounding must not lift it above one. */
static double *
merge_probabilities(const struct cscg_model *m, const int *into,
    const double *share, const double *from, int n, struct cscg_err *err)
{
	double *to = merge_means(m, into, share, from, 1, n, err);
	int k;

	for (k = 0; to && k < n; k++)
		to[k] = to[k] > 1 ? 1 : to[k];
	return to;
}

/* Append the weighted mean of the emission rows of the members of k. */
static void
merge_emission_row(const struct cscg_model *m, const int *old, long n_old,
    const double *share, double *sum, struct cscg_model *fresh, int k)
{
	long i, j, n = fresh->e_first[k], end = n;

	for (j = 0; j < n_old; j++)
		for (i = m->e_first[old[j]]; i < m->e_first[old[j] + 1]; i++) {
			double p = share[old[j]] * m->e_p[i];

			if (p > 0 && !(sum[m->e_obs[i]] > 0))
				fresh->e_obs[end++] = m->e_obs[i];
			sum[m->e_obs[i]] += p;
		}
	cscg_sort_ints(fresh->e_obs + n, end - n);
	for (i = n; i < end; i++) {
		fresh->e_p[i] = sum[fresh->e_obs[i]];
		sum[fresh->e_obs[i]] = 0;
	}
	fresh->e_first[k + 1] = end;
}

static int
merge_emissions(const struct cscg_model *m, const int *into,
    const double *share, struct cscg_model *fresh, struct cscg_err *err)
{
	long n = m->e_first[m->n_states];
	double *sum = cscg_alloc((size_t)m->n_obs, sizeof *sum, err);
	long *first = cscg_alloc((size_t)fresh->n_states + 1, sizeof *first,
	    err);
	int *old = cscg_alloc((size_t)m->n_states, sizeof *old, err);
	int j, k, rc = -1;

	fresh->e_first = cscg_alloc((size_t)fresh->n_states + 1,
	    sizeof *fresh->e_first, err);
	fresh->e_obs = cscg_alloc((size_t)n, sizeof *fresh->e_obs, err);
	fresh->e_p = cscg_alloc((size_t)n, sizeof *fresh->e_p, err);
	if (!sum || !first || !old || !fresh->e_first || !fresh->e_obs ||
	    !fresh->e_p)
		goto out;
	/* The members of each new state, in order, concatenated. */
	for (j = 0; j < m->n_states; j++)
		if (into[j] >= 0)
			first[into[j] + 1]++;
	for (k = 0; k < fresh->n_states; k++)
		first[k + 1] += first[k];
	for (j = 0; j < m->n_states; j++)
		if (into[j] >= 0)
			old[first[into[j]]++] = j;
	for (k = 0; k < fresh->n_states; k++) {
		long from = k ? first[k - 1] : 0;

		merge_emission_row(m, old + from, first[k] - from, share, sum,
		    fresh, k);
	}
	rc = 0;
out:
	free(sum);
	free(first);
	free(old);
	return rc;
}

static int
merge_frontiers(const struct cscg_model *m, const int *into,
    struct cscg_model *fresh, struct cscg_err *err)
{
	struct cscg_frontier *f = cscg_alloc((size_t)m->n_frontiers, sizeof *f,
	    err);
	long i, n = 0;
	int rc;

	if (!f)
		return -1;
	for (i = 0; i < m->n_frontiers; i++)
		if (into[m->frontier[i].state] >= 0)
			f[n++] = (struct cscg_frontier){
				into[m->frontier[i].state], m->frontier[i].a
			};
	rc = cscg_model_set_frontiers(fresh, f, n, err);
	free(f);
	return rc;
}

static int
merge_entries(const struct cscg_model *m, const int *into,
    struct cscg_model *fresh, struct cscg_err *err)
{
	int *state = cscg_alloc((size_t)m->n_entries, sizeof *state, err);
	long i, n = 0;
	int rc;

	if (!state)
		return -1;
	for (i = 0; i < m->n_entries; i++)
		if (into[m->entry[i]] >= 0)
			state[n++] = into[m->entry[i]];
	rc = cscg_model_set_entries(fresh, state, n, err);
	free(state);
	return rc;
}

static int
merge_arrays(const struct cscg_model *m, const int *into, const double *share,
    struct cscg_model *fresh, struct cscg_err *err)
{
	if (m->coords)
		fresh->coords = merge_means(m, into, share, m->coords, 2,
		    fresh->n_states, err);
	if (m->confidence)
		fresh->confidence = merge_probabilities(m, into, share,
		    m->confidence, fresh->n_states, err);
	if (!m->coords != !fresh->coords ||
	    !m->confidence != !fresh->confidence ||
	    merge_counts(m, into, fresh, err) < 0 ||
	    (m->pi && merge_pi(m, into, fresh, err) < 0) ||
	    merge_frontiers(m, into, fresh, err) < 0 ||
	    merge_entries(m, into, fresh, err) < 0 ||
	    (m->e_first && merge_emissions(m, into, share, fresh, err) < 0) ||
	    cscg_names_copy(&fresh->actions, &m->actions, err) < 0 ||
	    cscg_names_copy(&fresh->symbols, &m->symbols, err) < 0 ||
	    cscg_history_copy(&fresh->history, &m->history, err) < 0)
		return -1;
	return 0;
}

struct cscg_model *
cscg_model_merge_states(const struct cscg_model *m, const int *into, int n,
    struct cscg_err *err)
{
	struct cscg_model *fresh = cscg_model_new(m->kind, n, m->n_actions,
	    m->n_obs, err);
	double *share = NULL;
	int rc = -1;

	if (!fresh)
		return NULL;
	if (!m->clone) {
		free(fresh->clone);
		fresh->clone = NULL;
	}
	fresh->is_double = m->is_double;
	fresh->pseudocount = m->pseudocount;
	fresh->misread = m->misread;
	if (merge_clones(m, into, fresh, err) < 0)
		goto out;
	share = arrival_shares(m, into, n, err);
	if (share)
		rc = merge_arrays(m, into, share, fresh, err);
out:
	free(share);
	if (rc < 0) {
		cscg_model_free(fresh);
		return NULL;
	}
	return fresh;
}
