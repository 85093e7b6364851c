/* match_table.c - match results as tables, and paired t-tests over episodes */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/table.h"
#include "schema/match_table.h"

enum {
	N_SCHEMA_CELLS = 3,
	N_NOVELTY_CELLS = 5,
	N_MEAN_CELLS = 5,      /* cells of a schema */
	TEST_ROWS_MAX = 65536, /* rows per episode kept for the t-test */
};

static const struct cscg_col row_cols[] = {
	{ "episode", CSCG_COL_LONG, 0 },
	{ "step", CSCG_COL_LONG, 0 },
	{ "node", CSCG_COL_LONG, 0 },
};
static const struct cscg_col schema_cols[N_NOVELTY_CELLS] = {
	{ "nll", CSCG_COL_DOUBLE, 10 },
	{ "posterior", CSCG_COL_DOUBLE, 6 },
	{ "rank", CSCG_COL_LONG, 0 },
	{ "margin", CSCG_COL_DOUBLE, 6 },
	{ "verdict", CSCG_COL_STRING, 0 },
};
static const struct cscg_col mean_cols[N_MEAN_CELLS] = {
	{ "nll", CSCG_COL_DOUBLE, 10 },
	{ "lo", CSCG_COL_DOUBLE, 10 },
	{ "hi", CSCG_COL_DOUBLE, 10 },
	{ "rank", CSCG_COL_LONG, 0 },
	{ "p", CSCG_COL_DOUBLE, 6 },
};

struct cscg_match_table {
	struct cscg_match_table_options set;
	struct cscg_multi_table sheet;
	struct cscg_paired_test *test;
	union cscg_cell *cells; /* [n][N_MEAN_CELLS] */
	double *nll;            /* [n] */
	long rows, in_episode;  /* in_episode: of the current episode */
	bool n_starts;          /* whether the header is written */
	bool identified;        /* the last row, or any window */
	int best;               /* of the last row */

	/*
	 * At the last row: the best class and its schema; counts over
	 * episodes.
	 */
	long episode;
	enum cscg_novelty_class novelty_class;
	int closest;
	double margin;
	long n_by_class[3]; /* episodes by class */
};

void
cscg_match_table_free(struct cscg_match_table *table)
{
	if (!table)
		return;
	cscg_paired_test_free(table->test);
	free(table->cells);
	free(table->nll);
	free(table);
}

struct cscg_match_table *
cscg_match_table_new(const struct cscg_match_table_options *set,
    struct cscg_err *err)
{
	struct cscg_match_table *table = cscg_alloc(1, sizeof *table, err);
	size_t n = (size_t)set->names->n;

	if (!table)
		return NULL;
	table->set = *set;
	table->sheet = (struct cscg_multi_table){ set->out, set->form,
		"schema", (const char *const *)set->names->v, set->names->n,
		row_cols, schema_cols, set->window ? 3 : 2,
		set->novelty ? N_NOVELTY_CELLS : N_SCHEMA_CELLS };
	if (set->summary) {
		table->sheet.row = row_cols + 1;
		table->sheet.n_row = 1;
		table->sheet.item = mean_cols;
		table->sheet.n_item = N_MEAN_CELLS;
	}
	table->test = cscg_paired_test_new(set->names->n, err);
	table->cells = cscg_alloc(n * N_MEAN_CELLS, sizeof *table->cells, err);
	table->nll = cscg_alloc(n, sizeof *table->nll, err);
	if (!table->test || !table->cells || !table->nll) {
		cscg_match_table_free(table);
		return NULL;
	}
	return table;
}

int
cscg_match_table_write_header(struct cscg_match_table *table,
    struct cscg_err *err)
{
	if (table->n_starts)
		return 0;
	table->n_starts = true;
	return cscg_multi_table_write_head(&table->sheet, err);
}

/* Write the class of each schema, and find the best class. */
static void
classify_row(struct cscg_match_table *table, const struct cscg_match_row *row)
{
	const struct cscg_novelty *novelty = table->set.novelty;
	union cscg_cell *cell = table->cells;
	enum cscg_novelty_class kind;
	double margin;
	int i;

	for (i = 0; i < row->n; i++, cell += N_NOVELTY_CELLS) {
		margin = cscg_novelty_margin(novelty, i, row->loglik[i],
		    row->n_starts);
		kind = cscg_novelty_classify(novelty, i, margin, row->length);
		cell[3].d = margin;
		cell[4].s = cscg_novelty_text(kind);
		if (i &&
		    (kind > table->novelty_class ||
			(kind == table->novelty_class &&
			    margin <= table->margin)))
			continue;
		table->novelty_class = kind;
		table->margin = margin;
		table->closest = i;
	}
}

/* The episode ended: a new one begins, or there are no more rows. */
static void
end_episode(struct cscg_match_table *table)
{
	if (table->rows)
		table->n_by_class[table->novelty_class]++;
	table->in_episode = 0;
}

static void
fill_cells(struct cscg_match_table *table, const struct cscg_match_row *row)
{
	union cscg_cell *cell = table->cells;
	int i;

	for (i = 0; i < row->n; i++,
	    cell += table->set.novelty ? N_NOVELTY_CELLS : N_SCHEMA_CELLS) {
		/* 0 instead of -0 if the probability is 1. */
		table->nll[i] = 0 - row->loglik[i] / (double)row->length;
		cell[0].d = table->nll[i];
		cell[1].d = row->posterior[i];
		cell[2].l = row->rank[i];
	}
}

int
cscg_match_table_write_row(void *ctx, const struct cscg_match_row *row,
    struct cscg_err *err)
{
	struct cscg_match_table *table = ctx;
	const struct cscg_match_table_options *set = &table->set;
	bool identified = row->posterior[row->best] >= set->min_posterior &&
	    (set->truth < 0 || row->best == set->truth);
	union cscg_cell head[3];

	if (cscg_match_table_write_header(table, err) < 0)
		return -1;
	if (row->episode != table->episode)
		end_episode(table);
	table->episode = row->episode;
	fill_cells(table, row);
	if (set->novelty)
		classify_row(table, row);
	identified &= table->novelty_class != CSCG_NOVELTY_UNKNOWN;
	head[0].l = row->episode;
	head[1].l = row->step;
	head[2].l = cscg_cell_known(row->node);
	table->rows++;
	table->best = row->best;
	table->identified = identified || (set->window && table->identified);
	/* With windows no values are kept, since their number is unbounded. */
	if (!set->window && table->in_episode++ < TEST_ROWS_MAX &&
	    cscg_paired_test_add(table->test, row->episode, row->step,
		table->nll, err) < 0)
		return -1;
	return set->summary ? 0 :
			      cscg_multi_table_write_row(&table->sheet, head,
				  row->best, table->cells, err);
}

static int
write_means(struct cscg_match_table *table, struct cscg_err *err)
{
	long k, n = cscg_paired_test_n_steps(table->test);
	struct cscg_paired_test_line line;
	union cscg_cell step, *cell;
	int i;

	for (k = 0; k < n; k++) {
		if (cscg_paired_test_at(table->test, k, &line, err) < 0)
			return -1;
		cell = table->cells;
		for (i = 0; i < table->sheet.n; i++, cell += N_MEAN_CELLS) {
			cell[0].d = line.mean[i].mean;
			cell[1].d = line.mean[i].lo;
			cell[2].d = line.mean[i].hi;
			cell[3].l = line.rank[i];
			cell[4].d = line.p[i];
		}
		step.l = line.step;
		if (cscg_multi_table_write_row(&table->sheet, &step, line.best,
			table->cells, err) < 0)
			return -1;
	}
	return 0;
}

static const struct cscg_col test_cols[] = {
	{ "episodes", CSCG_COL_LONG, 0 },
	{ "steps", CSCG_COL_LONG, 0 },
	{ "best", CSCG_COL_STRING, 0 },
	{ "runner_up", CSCG_COL_STRING, 0 },
	{ "p", CSCG_COL_DOUBLE, 6 },
	{ "schema", CSCG_COL_STRING, 0 },
	{ "first", CSCG_COL_LONG, 0 },
	{ "sustained", CSCG_COL_LONG, 0 },
	{ "fits", CSCG_COL_LONG, 0 },
	{ "resembles", CSCG_COL_LONG, 0 },
	{ "unknown", CSCG_COL_LONG, 0 },
};
enum { N_TEST_COLS = sizeof test_cols / sizeof *test_cols };

static const struct cscg_col novelty_cols[] = {
	{ "verdict", CSCG_COL_STRING, 0 },
	{ "schema", CSCG_COL_STRING, 0 },
	{ "margin", CSCG_COL_DOUBLE, 6 },
};

/*
 * The result of the test, and the steps at which the true schema, or else the
 * best, was identified.
 */
static int
write_paired_test(struct cscg_match_table *table, struct cscg_err *err)
{
	const struct cscg_match_table_options *set = &table->set;
	const struct cscg_table t = { set->out, test_cols,
		set->novelty ? N_TEST_COLS : N_TEST_COLS - 3,
		set->form == CSCG_MULTI_TABLE_JSON };
	struct cscg_paired_test_line line = { .best = table->best,
		.runner_up = -1 };
	long n = cscg_paired_test_n_steps(table->test), first, sustained;
	char **names = set->names->v;
	union cscg_cell cell[N_TEST_COLS];
	double p = NAN;
	int schema;

	if (n && cscg_paired_test_at(table->test, n - 1, &line, err) < 0)
		return -1;
	if (n)
		p = line.p[line.best];
	table->identified = (set->names->n == 1 || p < set->alpha) &&
	    (set->truth < 0 || line.best == set->truth) &&
	    (!set->novelty ||
		2 * table->n_by_class[CSCG_NOVELTY_UNKNOWN] <=
		    cscg_paired_test_n_episodes(table->test));
	schema = set->truth < 0 ? line.best : set->truth;
	if (cscg_paired_test_identified(table->test, schema, set->alpha,
		&first, &sustained, err) < 0)
		return -1;
	cell[0].l = cscg_paired_test_n_episodes(table->test);
	cell[1].l = n ? line.step : CSCG_CELL_NONE;
	cell[2].s = n ? names[line.best] : NULL;
	cell[3].s = line.runner_up >= 0 ? names[line.runner_up] : NULL;
	cell[4].d = p;
	cell[5].s = n || set->truth >= 0 ? names[schema] : NULL;
	cell[6].l = cscg_cell_known(first);
	cell[7].l = cscg_cell_known(sustained);
	cell[8].l = table->n_by_class[CSCG_NOVELTY_FITS];
	cell[9].l = table->n_by_class[CSCG_NOVELTY_RESEMBLES];
	cell[10].l = table->n_by_class[CSCG_NOVELTY_UNKNOWN];
	return cscg_table_write_pairs(&t, true, cell, err);
}

/* One episode: the novelty class, and the schema that attains it. */
static int
write_novelty(struct cscg_match_table *table, struct cscg_err *err)
{
	const struct cscg_match_table_options *set = &table->set;
	const struct cscg_table t = { set->out, novelty_cols, 3,
		set->form == CSCG_MULTI_TABLE_JSON };
	const union cscg_cell cell[] = {
		{ .s = cscg_novelty_text(table->novelty_class) },
		{ .s = set->names->v[table->closest] },
		{ .d = table->margin },
	};

	return cscg_table_write_pairs(&t, true, cell, err);
}

int
cscg_match_table_finish(struct cscg_match_table *table, struct cscg_err *err)
{
	if (!table->rows)
		return cscg_fail(err, CSCG_EFORMAT,
		    "there are no steps to score");
	end_episode(table);
	if (table->set.summary && write_means(table, err) < 0)
		return -1;
	if (cscg_paired_test_n_episodes(table->test) > 1 ?
		write_paired_test(table, err) < 0 :
		table->set.novelty && !table->set.window &&
		    write_novelty(table, err) < 0)
		return -1;
	return table->identified;
}

/*
 * Paired t-tests of several candidates over many episodes
 *
 * All values are stored by step: the tests need them in two passes, and an
 * episode has only one number for each step and candidate.
 */

struct step_values {
	long step, n;  /* episodes that have this step */
	double *value; /* [n][candidates] */
	size_t cap;
};

struct cscg_paired_test {
	int n;
	long episodes;
	struct step_values *by_step; /* steps ascending */
	long n_by_step, at;          /* at: index of the last value added */
	size_t cap;
	struct cscg_mean *mean;
	double *p, *a, *b; /* [n]; [episodes] each */
	int *rank;
	size_t cap_a, cap_b;
};

struct cscg_paired_test *
cscg_paired_test_new(int n, struct cscg_err *err)
{
	struct cscg_paired_test *v = cscg_alloc(1, sizeof *v, err);

	if (!v)
		return NULL;
	v->n = n;
	v->mean = cscg_alloc((size_t)n, sizeof *v->mean, err);
	v->p = cscg_alloc((size_t)n, sizeof *v->p, err);
	v->rank = cscg_alloc((size_t)n, sizeof *v->rank, err);
	if (!v->mean || !v->p || !v->rank) {
		cscg_paired_test_free(v);
		return NULL;
	}
	return v;
}

void
cscg_paired_test_free(struct cscg_paired_test *v)
{
	long i;

	if (!v)
		return;
	for (i = 0; i < v->n_by_step; i++)
		free(v->by_step[i].value);
	free(v->by_step);
	free(v->mean);
	free(v->p);
	free(v->rank);
	free(v->a);
	free(v->b);
	free(v);
}

/*
 * Set v->at to the index of step, or where to insert it; steps of an episode
 * ascend.
 */
static int
seek_step(struct cscg_paired_test *v, long step, struct cscg_err *err)
{
	while (v->at < v->n_by_step && v->by_step[v->at].step < step)
		v->at++;
	if (v->at < v->n_by_step && v->by_step[v->at].step == step)
		return 0;
	if (cscg_grow(&v->by_step, &v->cap, (size_t)v->n_by_step + 1,
		sizeof *v->by_step, err) < 0)
		return -1;
	memmove(v->by_step + v->at + 1, v->by_step + v->at,
	    (size_t)(v->n_by_step - v->at) * sizeof *v->by_step);
	v->by_step[v->at] = (struct step_values){ .step = step };
	v->n_by_step++;
	return 0;
}

int
cscg_paired_test_add(struct cscg_paired_test *v, long episode, long step,
    const double *value, struct cscg_err *err)
{
	size_t n = (size_t)v->n;
	struct step_values *m;

	if (episode >= v->episodes) {
		v->episodes = episode + 1;
		v->at = 0;
	}
	if (seek_step(v, step, err) < 0)
		return -1;
	m = &v->by_step[v->at];
	if (cscg_grow(&m->value, &m->cap, (size_t)(m->n + 1) * n,
		sizeof *m->value, err) < 0)
		return -1;
	memcpy(m->value + (size_t)m->n++ * n, value, n * sizeof *value);
	return 0;
}

long
cscg_paired_test_n_episodes(const struct cscg_paired_test *v)
{
	return v->episodes;
}

/* The i-th step that all episodes have, or NULL. */
static const struct step_values *
common_step(const struct cscg_paired_test *v, long i)
{
	long k;

	for (k = 0; k < v->n_by_step; k++)
		if (v->by_step[k].n == v->episodes && i-- == 0)
			return &v->by_step[k];
	return NULL;
}

long
cscg_paired_test_n_steps(const struct cscg_paired_test *v)
{
	long i, n = 0;

	for (i = 0; i < v->n_by_step; i++)
		n += v->by_step[i].n == v->episodes;
	return n;
}

static void
gather_values(const struct cscg_paired_test *v, const struct step_values *m,
    int i, double *to)
{
	long e;

	for (e = 0; e < m->n; e++)
		to[e] = m->value[(size_t)e * (size_t)v->n + (size_t)i];
}

/* Two-sided p of candidate i, whose values are in b, against a. */
static double
paired_p(const struct cscg_paired_test *v, long n)
{
	struct cscg_ttest t;
	long e;

	for (e = 0; e < n; e++)
		if (!isfinite(v->a[e]) || !isfinite(v->b[e]))
			return NAN;
	if (n < 2)
		return NAN;
	cscg_paired_t(v->a, v->b, n, &t);
	return 2 * (t.p < .5 ? t.p : 1 - t.p);
}

int
cscg_paired_test_at(struct cscg_paired_test *v, long k,
    struct cscg_paired_test_line *line, struct cscg_err *err)
{
	const struct step_values *m = common_step(v, k);
	int i, j;

	if (!m)
		return cscg_fail(err, CSCG_ERANGE,
		    "step %ld of the %ld that all episodes have", k,
		    cscg_paired_test_n_steps(v));
	*line = (struct cscg_paired_test_line){ .step = m->step,
		.runner_up = -1,
		.mean = v->mean,
		.p = v->p,
		.rank = v->rank };
	if (cscg_grow(&v->a, &v->cap_a, (size_t)m->n, sizeof *v->a, err) < 0 ||
	    cscg_grow(&v->b, &v->cap_b, (size_t)m->n, sizeof *v->b, err) < 0)
		return -1;
	for (i = 0; i < v->n; i++) {
		gather_values(v, m, i, v->a);
		cscg_mean(v->a, m->n, &v->mean[i]);
		if (v->mean[i].mean < v->mean[line->best].mean)
			line->best = i;
	}
	gather_values(v, m, line->best, v->a);
	v->p[line->best] = NAN;
	for (i = 0; i < v->n; i++) {
		v->rank[i] = 1;
		for (j = 0; j < v->n; j++)
			v->rank[i] += v->mean[j].mean < v->mean[i].mean ||
			    (v->mean[j].mean == v->mean[i].mean && j < i);
		if (i == line->best)
			continue;
		gather_values(v, m, i, v->b);
		v->p[i] = paired_p(v, m->n);
		/* NaN (no test possible) ranks as the largest p. */
		if (line->runner_up < 0 || isnan(v->p[i]) ||
		    v->p[i] > v->p[line->runner_up])
			line->runner_up = i;
	}
	if (line->runner_up >= 0)
		v->p[line->best] = v->p[line->runner_up];
	return 0;
}

int
cscg_paired_test_identified(struct cscg_paired_test *v, int i, double alpha,
    long *first, long *sustained, struct cscg_err *err)
{
	long k, n = cscg_paired_test_n_steps(v);
	struct cscg_paired_test_line line;

	*first = *sustained = -1;
	for (k = 0; k < n; k++) {
		if (cscg_paired_test_at(v, k, &line, err) < 0)
			return -1;
		if (line.best != i || !(line.p[i] < alpha)) {
			*sustained = -1;
			continue;
		}
		if (*first < 0)
			*first = line.step;
		if (*sustained < 0)
			*sustained = line.step;
	}
	return 0;
}
