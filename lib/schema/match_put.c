/* match_put.c - what a match found, as tables */
#include <math.h>
#include <stdlib.h>

#include "schema/match_put.h"
#include "base/mem.h"
#include "io/table.h"
#include "schema/verdict.h"

enum {
	EACH = 3, KNOWN = 5, MEAN = 5,	/* cells of a schema */
	ROWS = 65536	/* of an episode, that are kept for the t-test */
};

static const struct cscg_col row_cols[] = {
	{ "episode", CSCG_COL_LONG, 0 }, { "step", CSCG_COL_LONG, 0 },
	{ "node", CSCG_COL_LONG, 0 }
};
static const struct cscg_col each_cols[KNOWN] = {
	{ "nll", CSCG_COL_DOUBLE, 10 }, { "posterior", CSCG_COL_DOUBLE, 6 },
	{ "rank", CSCG_COL_LONG, 0 }, { "margin", CSCG_COL_DOUBLE, 6 },
	{ "verdict", CSCG_COL_STRING, 0 }
};
static const struct cscg_col mean_cols[MEAN] = {
	{ "nll", CSCG_COL_DOUBLE, 10 }, { "lo", CSCG_COL_DOUBLE, 10 },
	{ "hi", CSCG_COL_DOUBLE, 10 }, { "rank", CSCG_COL_LONG, 0 },
	{ "p", CSCG_COL_DOUBLE, 6 }
};

struct cscg_match_put {
	struct cscg_match_put_set set;
	struct cscg_sheet sheet;
	struct cscg_verdict *verdict;
	union cscg_cell *cells;	/* [n][MEAN] */
	double *nll;		/* [n] */
	long rows, in_episode;	/* in_episode: of the one under way */
	bool begun;		/* the header is written */
	bool stands_out;	/* the last row, or any window */
	int best;		/* of the last row */

	/* How well it is known at the last row, to whom best, and how often. */
	long episode;
	enum cscg_known_word word;
	int who;
	double margin;
	long ends[3];		/* of episodes, by word */
};

void
cscg_match_put_free(struct cscg_match_put *put)
{
	if (!put)
		return;
	cscg_verdict_free(put->verdict);
	free(put->cells);
	free(put->nll);
	free(put);
}

struct cscg_match_put *
cscg_match_put_new(const struct cscg_match_put_set *set, struct cscg_err *err)
{
	struct cscg_match_put *put = cscg_alloc(1, sizeof *put, err);
	size_t n = (size_t)set->names->n;

	if (!put)
		return NULL;
	put->set = *set;
	put->sheet = (struct cscg_sheet){ set->out, set->form, "schema",
	    (const char *const *)set->names->v, set->names->n, row_cols,
	    each_cols, set->window ? 3 : 2, set->known ? KNOWN : EACH };
	if (set->summary) {
		put->sheet.row = row_cols + 1;
		put->sheet.n_row = 1;
		put->sheet.each = mean_cols;
		put->sheet.n_each = MEAN;
	}
	put->verdict = cscg_verdict_new(set->names->n, err);
	put->cells = cscg_alloc(n * MEAN, sizeof *put->cells, err);
	put->nll = cscg_alloc(n, sizeof *put->nll, err);
	if (!put->verdict || !put->cells || !put->nll) {
		cscg_match_put_free(put);
		return NULL;
	}
	return put;
}

int
cscg_match_put_begin(struct cscg_match_put *put, struct cscg_err *err)
{
	if (put->begun)
		return 0;
	put->begun = true;
	return cscg_sheet_begin(&put->sheet, err);
}

/* How well each schema knows the place, and the place is known. */
static void
judge(struct cscg_match_put *put, const struct cscg_match_row *row)
{
	const struct cscg_known *known = put->set.known;
	union cscg_cell *cell = put->cells;
	enum cscg_known_word word;
	double margin;
	int i;

	for (i = 0; i < row->n; i++, cell += KNOWN) {
		margin = cscg_known_margin(known, i, row->loglik[i],
		    row->begun);
		word = cscg_known_judge(known, i, margin, row->length);
		cell[3].d = margin;
		cell[4].s = cscg_known_word(word);
		if (i && (word > put->word || (word == put->word &&
		    margin <= put->margin)))
			continue;
		put->word = word;
		put->margin = margin;
		put->who = i;
	}
}

/* Another episode begins with this row, or none does any more. */
static void
end_episode(struct cscg_match_put *put)
{
	if (put->rows)
		put->ends[put->word]++;
	put->in_episode = 0;
}

static void
fill_cells(struct cscg_match_put *put, const struct cscg_match_row *row)
{
	double unit = put->set.bits ? M_LN2 : 1;
	union cscg_cell *cell = put->cells;
	int i;

	for (i = 0; i < row->n; i++, cell += put->set.known ? KNOWN : EACH) {
		/* Not -0 if all was certain. */
		put->nll[i] = 0 - row->loglik[i] / (double)row->length / unit;
		cell[0].d = put->nll[i];
		cell[1].d = row->posterior[i];
		cell[2].l = row->rank[i];
	}
}

int
cscg_match_put_row(void *ctx, const struct cscg_match_row *row,
    struct cscg_err *err)
{
	struct cscg_match_put *put = ctx;
	const struct cscg_match_put_set *set = &put->set;
	bool good = row->posterior[row->best] >= set->min_posterior &&
	    (set->truth < 0 || row->best == set->truth);
	union cscg_cell head[3];

	if (cscg_match_put_begin(put, err) < 0)
		return -1;
	if (row->episode != put->episode)
		end_episode(put);
	put->episode = row->episode;
	fill_cells(put, row);
	if (set->known)
		judge(put, row);
	good &= put->word != CSCG_UNKNOWN;
	head[0].l = row->episode;
	head[1].l = row->step;
	head[2].l = row->node < 0 ? CSCG_NONE : row->node;
	put->rows++;
	put->best = row->best;
	put->stands_out = good || (set->window && put->stands_out);
	/* Of endless windows nothing is kept. */
	if (!set->window && put->in_episode++ < ROWS && cscg_verdict_add(
	    put->verdict, row->episode, row->step, put->nll, err) < 0)
		return -1;
	return set->summary ? 0 : cscg_sheet_row(&put->sheet, head, row->best,
	    put->cells, err);
}

static int
write_means(struct cscg_match_put *put, struct cscg_err *err)
{
	long k, n = cscg_verdict_steps(put->verdict);
	struct cscg_verdict_line line;
	union cscg_cell step, *cell;
	int i;

	for (k = 0; k < n; k++) {
		if (cscg_verdict_line(put->verdict, k, &line, err) < 0)
			return -1;
		cell = put->cells;
		for (i = 0; i < put->sheet.n; i++, cell += MEAN) {
			cell[0].d = line.mean[i].mean;
			cell[1].d = line.mean[i].lo;
			cell[2].d = line.mean[i].hi;
			cell[3].l = line.rank[i];
			cell[4].d = line.p[i];
		}
		step.l = line.step;
		if (cscg_sheet_row(&put->sheet, &step, line.best, put->cells,
		    err) < 0)
			return -1;
	}
	return 0;
}

static const struct cscg_col verdict_cols[] = {
	{ "episodes", CSCG_COL_LONG, 0 }, { "steps", CSCG_COL_LONG, 0 },
	{ "best", CSCG_COL_STRING, 0 }, { "rival", CSCG_COL_STRING, 0 },
	{ "p", CSCG_COL_DOUBLE, 6 }, { "schema", CSCG_COL_STRING, 0 },
	{ "first", CSCG_COL_LONG, 0 }, { "sustained", CSCG_COL_LONG, 0 },
	{ "fits", CSCG_COL_LONG, 0 }, { "resembles", CSCG_COL_LONG, 0 },
	{ "unknown", CSCG_COL_LONG, 0 }
};
enum { VERDICT = sizeof verdict_cols / sizeof *verdict_cols };

static const struct cscg_col known_cols[] = {
	{ "verdict", CSCG_COL_STRING, 0 }, { "schema", CSCG_COL_STRING, 0 },
	{ "margin", CSCG_COL_DOUBLE, 6 }
};

static int
write_lines(const struct cscg_table *t, const union cscg_cell *cells,
    struct cscg_err *err)
{
	int i;

	if (t->json)
		return cscg_table_row(t, cells, err);
	for (i = 0; i < t->n; i++)
		if (cscg_out_printf(t->out, err, "#%s\t",
		    t->cols[i].name) < 0 ||
		    cscg_table_cell(t, &t->cols[i], &cells[i], err) < 0 ||
		    cscg_out_write(t->out, "\n", 1, err) < 0)
			return -1;
	return cscg_out_flush(t->out, err);
}

/*
 * How it ended, and when the schema in question, the true one or else the best,
 * was identified.
 */
static int
write_verdict(struct cscg_match_put *put, struct cscg_err *err)
{
	const struct cscg_match_put_set *set = &put->set;
	const struct cscg_table t = { set->out, verdict_cols, set->known ?
	    VERDICT : VERDICT - 3, set->form == CSCG_SHEET_JSON };
	struct cscg_verdict_line line = { .best = put->best, .rival = -1 };
	long n = cscg_verdict_steps(put->verdict), first, sustained;
	char **names = set->names->v;
	union cscg_cell cell[VERDICT];
	double p = NAN;
	int who;

	if (n && cscg_verdict_line(put->verdict, n - 1, &line, err) < 0)
		return -1;
	if (n)
		p = line.p[line.best];
	put->stands_out = (set->names->n == 1 || p < set->alpha) &&
	    (set->truth < 0 || line.best == set->truth) &&
	    (!set->known || 2 * put->ends[CSCG_UNKNOWN] <=
	    cscg_verdict_episodes(put->verdict));
	who = set->truth < 0 ? line.best : set->truth;
	if (cscg_verdict_identified(put->verdict, who, set->alpha, &first,
	    &sustained, err) < 0)
		return -1;
	cell[0].l = cscg_verdict_episodes(put->verdict);
	cell[1].l = n ? line.step : CSCG_NONE;
	cell[2].s = n ? names[line.best] : NULL;
	cell[3].s = line.rival >= 0 ? names[line.rival] : NULL;
	cell[4].d = p;
	cell[5].s = n || set->truth >= 0 ? names[who] : NULL;
	cell[6].l = first < 0 ? CSCG_NONE : first;
	cell[7].l = sustained < 0 ? CSCG_NONE : sustained;
	cell[8].l = put->ends[CSCG_FITS];
	cell[9].l = put->ends[CSCG_RESEMBLES];
	cell[10].l = put->ends[CSCG_UNKNOWN];
	return write_lines(&t, cell, err);
}

/* One episode: is the place known, and to whom best? */
static int
write_known(struct cscg_match_put *put, struct cscg_err *err)
{
	const struct cscg_match_put_set *set = &put->set;
	const struct cscg_table t = { set->out, known_cols, 3,
	    set->form == CSCG_SHEET_JSON };
	const union cscg_cell cell[] = {
		{ .s = cscg_known_word(put->word) },
		{ .s = set->names->v[put->who] }, { .d = put->margin }
	};

	return write_lines(&t, cell, err);
}

int
cscg_match_put_end(struct cscg_match_put *put, struct cscg_err *err)
{
	if (!put->rows)
		return cscg_fail(err, CSCG_EFORMAT, "there is no step to look "
		    "at");
	end_episode(put);
	if (put->set.summary && write_means(put, err) < 0)
		return -1;
	if (cscg_verdict_episodes(put->verdict) > 1 ?
	    write_verdict(put, err) < 0 : put->set.known &&
	    !put->set.window && write_known(put, err) < 0)
		return -1;
	return put->stands_out;
}
