/* cscg-score - how well a model explains walks, and the states behind them */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd_walks.h"
#include "cscg-score.h"
#include "core/walk.h"
#include "kernel/passes.h"
#include "base/mem.h"
#include "core/model_io.h"
#include "io/table.h"
#include "core/walk_io.h"

static const char *const forms[] = { "table", "walk", NULL };

static struct score_set set = { .episodes = 1, .top = 3 };

static const struct cmd_opt opts[] = {
	CMD_FLAG(0, "bits", &set.bits, "bits instead of nats"),
	CMD_FLAG(0, "each", &set.each, "a row for each step"),
	CMD_FLAG(0, "decode", &set.decode,
	    "the likeliest states (Viterbi), a row for each step"),
	CMD_FLAG(0, "posterior", &set.posterior,
	    "the likeliest states of each step given the whole walk"),
	CMD_LONG(0, "top", &set.top, 1, 1000, "N",
	    "with --posterior: so many states a step"),
	CMD_CHOICE(0, "as", &set.as, forms,
	    "with --decode: a table, or the walk with its states"),
	CMD_LONG(0, "sample", &set.sample, 1, 1000000000, "N",
	    "write a walk of N steps drawn from the model, actions at random"),
	CMD_LONG(0, "episodes", &set.episodes, 1, 1000000, "N",
	    "with --sample: so many episodes"),
	CMD_FLAG(0, "json", &set.json, "JSON Lines instead of TSV"),
	CMD_FLAG(0, "double", &set.is_double, "compute in double precision"),
	CMD_END
};

static const struct cmd_info info = {
	"cscg-score", "MODEL", "measure how well a model explains walks", opts,
	1, 1, CMD_USES_SEED | CMD_USES_WALKS | CMD_USES_GZIP
};

double
score_unit(const struct score_set *as, double nats)
{
	return as->bits ? nats / M_LN2 : nats;
}

/* ---- the likelihood, step by step, without holding the walk ---- */

struct score {
	const struct cscg_trans *tr;
	struct cscg_out *out;
	struct cscg_table table;	/* begun with the first walk */
	void *alpha, *next;	/* [n_states] */
	struct cscg_span span;
	int a;			/* the action taken last, -1: start anew */
	bool lost;		/* nothing the model knows led here */
	long episode, t, steps;	/* steps: of all episodes before this one */
	double nll, total;
};

static int
episode_row(struct score *s, const char *which, long steps, double nll,
    struct cscg_err *err)
{
	union cscg_cell row[5];

	row[0].s = which;
	row[1].l = steps;
	row[2].d = score_unit(&set, nll);
	row[3].d = score_unit(&set, nll) / (double)steps;
	row[4].d = exp(nll / (double)steps);
	return cscg_table_write_row(&s->table, row, err);
}

static int
score_step(struct score *s, const struct cscg_step *step, struct cscg_err *err)
{
	union cscg_cell row[5];
	double p = 0, nats;
	char name[32];
	void *swap;

	/* After an impossible step all are, up to the next fresh start. */
	s->lost &= s->a >= 0 && !step->reset;
	if (!s->lost) {
		p = cscg_forward_step(s->tr, &s->span, s->alpha,
		    step->reset ? -1 : s->a, step->x, s->next);
		s->lost = p <= 0;
		s->span = cscg_trans_span(s->tr, step->x);
		swap = s->alpha;
		s->alpha = s->next;
		s->next = swap;
	}
	nats = p > 0 ? -log(p) : INFINITY;
	s->nll += nats;
	if (set.each) {
		row[0].l = s->episode;
		row[1].l = s->t;
		row[2].l = step->x < 0 ? CSCG_CELL_NONE : step->x;
		row[3].l = step->a < 0 ? CSCG_CELL_NONE : step->a;
		row[4].d = score_unit(&set, nats);
		if (cscg_table_write_row(&s->table, row, err) < 0)
			return -1;
	}
	s->t++;
	s->a = step->a;
	if (step->a >= 0)
		return 0;
	snprintf(name, sizeof name, "%ld", s->episode);
	if (!set.each && episode_row(s, name, s->t, s->nll, err) < 0)
		return -1;
	s->steps += s->t;
	s->total += s->nll;
	s->episode++;
	s->t = 0;
	s->nll = 0;
	return 0;
}

static int
begin(struct score *s, struct cscg_err *err)
{
	static const struct cscg_col each[][5] = { {
		{ "episode", CSCG_COL_LONG, 0 }, { "t", CSCG_COL_LONG, 0 },
		{ "x", CSCG_COL_LONG, 0 }, { "a", CSCG_COL_LONG, 0 },
		{ "nats", CSCG_COL_DOUBLE, 9 }
	}, {
		{ "episode", CSCG_COL_LONG, 0 }, { "t", CSCG_COL_LONG, 0 },
		{ "x", CSCG_COL_LONG, 0 }, { "a", CSCG_COL_LONG, 0 },
		{ "bits", CSCG_COL_DOUBLE, 9 }
	} };
	static const struct cscg_col whole[][5] = { {
		{ "episode", CSCG_COL_STRING, 0 },
		{ "steps", CSCG_COL_LONG, 0 }, { "nats", CSCG_COL_DOUBLE, 12 },
		{ "nats_per_step", CSCG_COL_DOUBLE, 12 },
		{ "perplexity", CSCG_COL_DOUBLE, 9 }
	}, {
		{ "episode", CSCG_COL_STRING, 0 },
		{ "steps", CSCG_COL_LONG, 0 }, { "bits", CSCG_COL_DOUBLE, 12 },
		{ "bits_per_step", CSCG_COL_DOUBLE, 12 },
		{ "perplexity", CSCG_COL_DOUBLE, 9 }
	} };

	return cscg_table_init(&s->table, s->out, set.each ?
	    each[set.bits] : whole[set.bits], 5, set.json, err) < 0 ? -1 :
	    cscg_out_flush(s->out, err);
}

static int
score_file(struct score *s, const struct cscg_model *m, const char *path,
    struct cscg_err *err)
{
	struct cscg_walk_reader *r = cscg_walk_reader_open(path, err);
	struct cscg_alphabet_map fit = { 0 };
	struct cscg_step step;
	int rc = -1;

	if (!r)
		return -1;
	if (cscg_alphabet_map_new(&fit, cscg_walk_reader_header(r), m, err) < 0) {
		cmd_fail_in(path, err);
		goto out;
	}
	if (!s->table.out && begin(s, err) < 0)
		goto out;
	while ((rc = cscg_walk_reader_next(r, &step, err)) > 0)
		if (cscg_alphabet_map_step(&fit, &step, err) < 0) {
			cscg_fail_at(err, "episode %ld, step %ld", s->episode,
			    s->t);
			rc = cmd_fail_in(path, err);
			break;
		} else if (score_step(s, &step, err) < 0) {
			rc = -1;
			break;
		}
out:
	cscg_alphabet_map_free(&fit);
	cscg_walk_reader_close(r);
	return rc;
}

static int
score(const struct cscg_model *m, const struct cscg_trans *tr,
    struct cscg_out *out, struct cscg_err *err)
{
	char *const standard_input[] = { (char *)"-" };
	char *const *paths = cmd.walks.n ? cmd.walks.v : standard_input;
	int i, n = cmd.walks.n ? cmd.walks.n : 1, rc = -1;
	struct score s = { .tr = tr, .out = out, .a = -1 };

	s.alpha = cscg_alloc((size_t)m->n_states, tr->kern->size, err);
	s.next = cscg_alloc((size_t)m->n_states, tr->kern->size, err);
	if (!s.alpha || !s.next || cmd_walks_look(err) < 0)
		goto out;
	for (i = 0; i < n; i++)
		if (score_file(&s, m, paths[i], err) < 0)
			goto out;
	rc = 0;
	if (!set.each && s.episode > 1)
		rc = episode_row(&s, "all", s.steps, s.total, err);
out:
	free(s.alpha);
	free(s.next);
	return rc;
}

static int
run(const char *path, struct cscg_err *err)
{
	struct cscg_out *out = cmd_out(err);
	struct cscg_model *m = NULL;
	struct cscg_trans *tr = NULL;
	struct cscg_walk *w = NULL;
	int rc = -1;

	if (!out)
		return -1;
	m = cscg_model_read_file(path, err);
	if (!m)
		goto out;
	tr = cscg_trans_new(m, set.is_double || m->is_double ?
	    &cscg_plain_double : &cscg_plain_float, err);
	if (!tr) {
		cmd_fail_in(path, err);
		goto out;
	}
	if (set.sample) {
		rc = score_sample(&set, m, tr, out, err);
	} else if (!set.decode && !set.posterior) {
		rc = score(m, tr, out, err);
	} else {
		w = cscg_walk_read(cmd.walks.v, cmd.walks.n, err);
		if (w && cscg_alphabet_map_walk(w, m, err) < 0)
			cmd_walks_blame(err);
		else if (w)
			rc = set.decode ? score_decode(&set, tr, w, out, err) :
			    score_posterior(&set, tr, w, out, err);
	}
out:
	cscg_walk_free(w);
	cscg_trans_free(tr);
	cscg_model_free(m);
	return rc < 0 ? -1 : 1;
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **paths = cmd_begin(&info, argc, argv, NULL);

	if (set.each + set.decode + set.posterior + (set.sample > 0) > 1)
		cmd_usage("--each, --decode, --posterior and --sample exclude "
		    "each other");
	if (set.as == SCORE_AS_WALK && !set.decode)
		cmd_usage("--as walk needs --decode");
	if (!set.posterior && cmd_given(&set.top))
		cmd_usage("--top goes with --posterior");
	if (!set.sample && cmd_given(&set.episodes))
		cmd_usage("--episodes goes with --sample");
	if (set.sample && cmd.walks.n)
		cmd_usage("--sample reads no walk");
	if (!set.sample && !cmd.walks.n && !strcmp(paths[0], "-"))
		cmd_usage("standard input can be read only once");
	cmd.no_gzip |= !set.sample && set.as != SCORE_AS_WALK;
	return cmd_end(run(paths[0], &err), &err);
}
