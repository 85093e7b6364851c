/* cscg-score - likelihood, state paths and posteriors of walks under a model */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "tool.h"
#include "core/model.h"
#include "core/walk.h"
#include "core/walk_io.h"
#include "io/table.h"
#include "kernel/decoder.h"
#include "kernel/filter.h"
#include "kernel/passes.h"
#include "kernel/sample.h"
#include "kernel/trans.h"

enum { AS_TABLE, AS_WALK };

static const char *const forms[] = { "table", "walk", NULL };

static struct {
	bool decode, posterior, is_double;
	long sample;
	long top;
	double unseen;
	bool per_step, bits, json;
	int as;
	const char *isa;
	const struct cscg_simd *simd; /* chosen by isa */
} set = { .top = 3, .unseen = CSCG_UNSEEN };

static const struct cmd_opt opts[] = {
	CMD_ALGORITHM,
	CMD_FLAG(0, "decode", &set.decode,
	    "most probable state path (Viterbi), a row per step"),
	CMD_FLAG(0, "posterior", &set.posterior,
	    "posterior state probabilities given the whole walk, a row per "
	    "step"),
	CMD_LONG(0, "sample", &set.sample, 1, 1000000000, "N",
	    "draw a walk of N steps from the model, uniform actions"),
	CMD_DOUBLE(0, "unseen", &set.unseen, 0, .999999, "P",
	    "escape probability of symbols to which the model gives "
	    "probability 0"),
	CMD_DOUBLE_PRECISION(&set.is_double),
	CMD_ISA(&set.isa),
	CMD_OUTPUT,
	CMD_LONG(0, "top", &set.top, 1, 1000, "N",
	    "--posterior: states listed per step"),
	CMD_FLAG(0, "per-step", &set.per_step,
	    "negative log-likelihood of each step, a row per step"),
	CMD_FLAG(0, "bits", &set.bits, "bits instead of nats"),
	CMD_CHOICE(0, "as", &set.as, forms,
	    "--decode: write a table, or the walk with its states"),
	CMD_JSON(&set.json, ""),
	CMD_END,
};

static const struct cmd_info info = {
	"cscg-score",
	"MODEL",
	"log-likelihood, Viterbi states and posterior of walks",
	opts,
	1,
	1,
	CMD_USES_SEED | CMD_USES_WALKS | CMD_USES_GZIP,
	"cscg-score --decode model.gz -w walk.gz",
};

/* Nats, or bits with --bits. */
static double
in_unit(double nats)
{
	return set.bits ? nats / M_LN2 : nats;
}

/* ---- likelihood: the filter; the walk is not kept ---- */

enum {
	BATCH = 1 << 11, /* steps that are filtered at once */
	NAMED = 3,       /* impossible steps that are reported one by one */
};

struct score {
	struct cscg_decoder *decoder;
	struct cscg_out *out;
	struct cscg_table
	    table; /* its header is written with the first walk */
	long n;    /* steps that are not filtered yet */
	int *x, *a;
	int *seen; /* the symbols as the walk numbers them */
	unsigned char *reset;
	double *p; /* P(x | steps before) under the model alone */
	struct cscg_alphabet_map map; /* of the walk being read */
	long episode, t, steps; /* steps: of all episodes before this one */
	double nll, total;
	long impossible, all_impossible; /* steps with p = 0 */
	bool lost;                       /* whether the last step is
	                                    impossible */
};

static int
write_episode(struct score *s, const char *which, long steps, double nll,
    long impossible, struct cscg_err *err)
{
	union cscg_cell row[6];

	row[0].s = which;
	row[1].l = steps;
	row[2].d = in_unit(nll);
	row[3].d = in_unit(nll) / (double)steps;
	row[4].d = exp(nll / (double)steps);
	row[5].l = impossible;
	return cscg_table_write_row(&s->table, row, err);
}

static int
write_step(struct score *s, double nats, struct cscg_err *err)
{
	union cscg_cell row[5];

	row[0].l = s->episode;
	row[1].l = s->t - 1;
	row[2].l = cscg_cell_known(s->x[0]);
	row[3].l = cscg_cell_known(s->a[0]);
	row[4].d = in_unit(nats);
	return cscg_table_write_row(&s->table, row, err);
}

static int
end_episode(struct score *s, struct cscg_err *err)
{
	char name[32];

	snprintf(name, sizeof name, "%ld", s->episode);
	if (!set.per_step &&
	    write_episode(s, name, s->t, s->nll, s->impossible, err) < 0)
		return -1;
	s->all_impossible += s->impossible;
	s->impossible = 0;
	s->steps += s->t;
	s->total += s->nll;
	s->episode++;
	s->t = 0;
	s->nll = 0;
	s->lost = false;
	return 0;
}

/*
 * Report step t of the episode, which is impossible, with the names of the
 * walk.
 */
static void
name_impossible(const struct score *s, long t, int seen, int x)
{
	const struct cscg_names *names = &s->map.head->symbols;
	const struct cscg_model *m = s->map.model;
	char symbol[80];

	if (names->n)
		snprintf(symbol, sizeof symbol, "'%.64s'", names->v[seen]);
	else
		snprintf(symbol, sizeof symbol, "%d", seen);
	if (x == CSCG_UNKNOWN)
		cmd_warn("episode %ld, step %ld: symbol %s is not one of the "
			 "model's %d",
		    s->episode, t, symbol, m->n_obs);
	else
		cmd_warn("episode %ld, step %ld: symbol %s has probability 0 "
			 "after the steps before it",
		    s->episode, t, symbol);
}

/*
 * Count the impossible steps of the n filtered ones.  Without an escape all
 * steps after an impossible one also have probability 0, and are not counted.
 */
static void
count_impossible(struct score *s, long n)
{
	long i, first = s->t - n;
	int none = 1;

	for (i = 0; i < n; i++)
		none &= s->p[i] > 0;
	if (none) {
		s->lost = false;
		return;
	}
	for (i = 0; i < n; i++) {
		bool was_lost = s->lost && !(set.unseen > 0) && !s->reset[i];

		s->lost = !(s->p[i] > 0);
		if (!s->lost || was_lost)
			continue;
		if (s->all_impossible + s->impossible++ < NAMED)
			name_impossible(s, first + i, s->seen[i], s->x[i]);
	}
}

/* Filter the steps gathered; with --per-step it is one, and has a row. */
static int
filter_steps(struct score *s, struct cscg_err *err)
{
	double loglik;

	if (cscg_decoder_filter(s->decoder, s->n, s->x, s->a, s->reset, s->p,
		&loglik, err) < 0)
		return -1;
	count_impossible(s, s->n);
	s->n = 0;
	s->nll -= loglik;
	return set.per_step ? write_step(s, 0 - loglik, err) : 0;
}

/* The number of v, -1 if it is missing; without a branch. */
static int
number_of(const int *map, int v)
{
	int number = map[v < 0 ? 0 : v];

	return v < 0 ? -1 : number;
}

/*
 * n steps in the numbers of the model, at the end of those gathered; with an
 * escape a symbol may be unknown.  n, or the first unknown one.
 */
static long
gather(struct score *s, const struct cscg_walk_run *run, long from, long n,
    struct cscg_err *err)
{
	const int *x = run->x + from, *a = run->a + from;
	long i;

	memcpy(s->seen + s->n, x, (size_t)n * sizeof *x);
	if (run->reset)
		memcpy(s->reset + s->n, run->reset + from, (size_t)n);
	else
		memset(s->reset + s->n, 0, (size_t)n);
	if (!(set.unseen > 0))
		return cscg_alphabet_map_steps(&s->map, n, x, a, s->x + s->n,
		    s->a + s->n, err);
	for (i = 0; i < n; i++) {
		s->x[s->n + i] = number_of(s->map.symbols, x[i]);
		s->a[s->n + i] = number_of(s->map.actions, a[i]);
	}
	return n;
}

/*
 * Gather the steps of run, filter them in batches and write the row of the
 * episode that they end.
 */
static int
score_run(struct score *s, const struct cscg_walk_run *run, const char *path,
    struct cscg_err *err)
{
	long batch = set.per_step ? 1 : BATCH, i, n, got;
	bool last = run->a[run->n - 1] < 0;

	for (i = 0; i < run->n; i += n) {
		n = run->n - i < batch - s->n ? run->n - i : batch - s->n;
		got = gather(s, run, i, n, err);
		if (got < n) {
			cscg_fail_at(err, "episode %ld, step %ld", s->episode,
			    s->t + got);
			return cmd_fail_in(path, err);
		}
		s->n += n;
		s->t += n;
		if ((s->n == batch || (last && i + n == run->n)) &&
		    filter_steps(s, err) < 0)
			return -1;
	}
	return last ? end_episode(s, err) : 0;
}

static int
write_header(struct score *s, struct cscg_err *err)
{
	static const struct cscg_col per_step[][5] = {
		{
		    { "episode", CSCG_COL_LONG, 0 },
		    { "t", CSCG_COL_LONG, 0 },
		    { "x", CSCG_COL_LONG, 0 },
		    { "a", CSCG_COL_LONG, 0 },
		    { "nats", CSCG_COL_DOUBLE, 9 },
		},
		{
		    { "episode", CSCG_COL_LONG, 0 },
		    { "t", CSCG_COL_LONG, 0 },
		    { "x", CSCG_COL_LONG, 0 },
		    { "a", CSCG_COL_LONG, 0 },
		    { "bits", CSCG_COL_DOUBLE, 9 },
		}
	};
	static const struct cscg_col per_episode[][6] = {
		{
		    { "episode", CSCG_COL_STRING, 0 },
		    { "steps", CSCG_COL_LONG, 0 },
		    { "nats", CSCG_COL_DOUBLE, 12 },
		    { "nats_per_step", CSCG_COL_DOUBLE, 12 },
		    { "perplexity", CSCG_COL_DOUBLE, 9 },
		    { "impossible", CSCG_COL_LONG, 0 },
		},
		{
		    { "episode", CSCG_COL_STRING, 0 },
		    { "steps", CSCG_COL_LONG, 0 },
		    { "bits", CSCG_COL_DOUBLE, 12 },
		    { "bits_per_step", CSCG_COL_DOUBLE, 12 },
		    { "perplexity", CSCG_COL_DOUBLE, 9 },
		    { "impossible", CSCG_COL_LONG, 0 },
		}
	};

	return cscg_table_init(&s->table, s->out,
		   set.per_step ? per_step[set.bits] : per_episode[set.bits],
		   set.per_step || !(set.unseen > 0) ? 5 : 6, set.json,
		   err) < 0 ?
	    -1 :
	    cscg_out_flush(s->out, err);
}

static int
score_file(struct score *s, const struct cscg_model *m, const char *path,
    struct cscg_err *err)
{
	struct cscg_walk_reader *r = cscg_walk_reader_open(path, err);
	struct cscg_walk_run run;
	int rc = -1;

	if (!r)
		return -1;
	if (cscg_alphabet_map_new(&s->map, cscg_walk_reader_header(r), m,
		err) < 0) {
		cmd_fail_in(path, err);
		goto out;
	}
	if (!s->table.out && write_header(s, err) < 0)
		goto out;
	while ((rc = cscg_walk_reader_next_run(r, &run, err)) > 0)
		if (score_run(s, &run, path, err) < 0) {
			rc = -1;
			break;
		}
out:
	cscg_alphabet_map_free(&s->map);
	cscg_walk_reader_close(r);
	return rc;
}

static int
score_walks(const struct cscg_model *m, struct cscg_decoder *decoder,
    struct cscg_out *out, struct cscg_err *err)
{
	char *const standard_input[] = { (char *)"-" };
	char *const *paths = cmd.walks.n ? cmd.walks.v : standard_input;
	int i, n = cmd.walks.n ? cmd.walks.n : 1, rc = -1;
	struct score s = { .decoder = decoder, .out = out };

	s.x = cscg_alloc(BATCH, sizeof *s.x, err);
	s.a = cscg_alloc(BATCH, sizeof *s.a, err);
	s.reset = cscg_alloc(BATCH, sizeof *s.reset, err);
	s.seen = cscg_alloc(BATCH, sizeof *s.seen, err);
	s.p = cscg_alloc(BATCH, sizeof *s.p, err);
	if (!s.x || !s.a || !s.reset || !s.seen || !s.p ||
	    cmd_walks_check(err) < 0)
		goto out;
	for (i = 0; i < n; i++)
		if (score_file(&s, m, paths[i], err) < 0)
			goto out;
	rc = 0;
	if (!set.per_step && s.episode > 1)
		rc = write_episode(&s, "all", s.steps, s.total,
		    s.all_impossible, err);
	if (s.all_impossible > NAMED)
		cmd_warn("%ld more steps with probability 0",
		    s.all_impossible - NAMED);
out:
	free(s.x);
	free(s.a);
	free(s.reset);
	free(s.seen);
	free(s.p);
	return rc;
}

/* ---- states of a walk: --decode and --posterior ---- */

static int
write_path(const struct cscg_walk *w, const int *states, struct cscg_out *out,
    struct cscg_err *err)
{
	static const struct cscg_col cols[] = {
		{ "episode", CSCG_COL_LONG, 0 },
		{ "t", CSCG_COL_LONG, 0 },
		{ "x", CSCG_COL_LONG, 0 },
		{ "a", CSCG_COL_LONG, 0 },
		{ "state", CSCG_COL_LONG, 0 },
		{ "node", CSCG_COL_LONG, 0 },
	};
	struct cscg_table table;
	union cscg_cell row[6];
	long t;
	int e;

	if (cscg_table_init(&table, out, CSCG_COLS(cols), set.json, err) < 0)
		return -1;
	for (e = 0; e < w->n_episodes; e++)
		for (t = w->start[e]; t < w->start[e + 1]; t++) {
			row[0].l = e;
			row[1].l = t - w->start[e];
			row[2].l = cscg_cell_known(w->x[t]);
			row[3].l = cscg_cell_known(w->a[t]);
			row[4].l = cscg_cell_known(states[t]);
			row[5].l = cscg_cell_known(w->z ? w->z[t] : -1);
			if (cscg_table_write_row(&table, row, err) < 0)
				return -1;
		}
	return 0;
}

/* The most probable state path, as a table or as the walk with these states. */
static int
decode(struct cscg_decoder *decoder, struct cscg_walk *w, struct cscg_out *out,
    struct cscg_err *err)
{
	int *states = cscg_alloc((size_t)w->n_steps, sizeof *states, err);
	double logp;
	int rc = -1;

	if (!states ||
	    cscg_decoder_viterbi(decoder, w, states, &logp, err) < 0)
		goto out;
	cmd_verbose("likeliest path: %.6f %s a step",
	    in_unit(-logp) / (double)w->n_steps, set.bits ? "bits" : "nats");
	if (set.as == AS_TABLE) {
		rc = write_path(w, states, out, err);
	} else {
		free(w->z);
		w->z = states;
		w->cap_z = (size_t)w->n_steps;
		states = NULL;
		rc = cmd_history(&w->head.history, err) < 0 ?
		    -1 :
		    cscg_walk_write(w, out, err);
	}
out:
	free(states);
	return rc;
}

/* The rows of one step: its --top most probable states. */
static int
write_posterior(const struct cscg_table *table, double *p, int n, int lo,
    long e, long t, struct cscg_err *err)
{
	union cscg_cell row[5];
	long rank, best;

	for (rank = 0; rank < set.top && rank < n; rank++) {
		best = cscg_largest(p, 0, n);
		row[0].l = e;
		row[1].l = t;
		row[2].l = rank;
		row[3].l = lo + best;
		row[4].d = p[best];
		if (cscg_table_write_row(table, row, err) < 0)
			return -1;
		p[best] = -1;
	}
	return 0;
}

/* The posterior of each step, given all steps of its episode. */
static int
posterior(const struct cscg_trans *tr, const struct cscg_walk *w,
    struct cscg_out *out, struct cscg_err *err)
{
	static const struct cscg_col cols[] = {
		{ "episode", CSCG_COL_LONG, 0 },
		{ "t", CSCG_COL_LONG, 0 },
		{ "rank", CSCG_COL_LONG, 0 },
		{ "state", CSCG_COL_LONG, 0 },
		{ "p", CSCG_COL_DOUBLE, 6 },
	};
	double *p = cscg_alloc((size_t)tr->n_states, sizeof *p, err), loglik;
	struct cscg_work work = { 0 };
	struct cscg_table table;
	struct cscg_span s;
	int e, rc = -1;
	long t;

	if (!p ||
	    cscg_table_init(&table, out, CSCG_COLS(cols), set.json, err) < 0)
		goto out;
	for (e = 0; e < w->n_episodes; e++) {
		if (cscg_forward(tr, w, e, &work, &loglik, err) < 0)
			goto out;
		if (isinf(loglik)) {
			cscg_fail(err, CSCG_EMISMATCH,
			    "episode %d cannot be produced by the model, so "
			    "it has no posterior",
			    e);
			goto out;
		}
		cscg_backward(tr, w, e, &work, NULL);
		for (t = 0; t < work.n; t++) {
			s = cscg_trans_span(tr, w->x[w->start[e] + t]);
			tr->kern->get(cscg_work_message(&work, tr, t), p,
			    s.hi - s.lo);
			if (write_posterior(&table, p, s.hi - s.lo, s.lo, e, t,
				err) < 0)
				goto out;
		}
	}
	rc = 0;
out:
	cscg_work_free(&work);
	free(p);
	return rc;
}

/* ---- a walk drawn from the model: --sample ---- */

static int
sample(const struct cscg_model *m, const struct cscg_trans *tr,
    struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_walk_header head = { .n_actions = m->n_actions,
		.n_obs = m->n_obs,
		.actions = m->actions,
		.symbols = m->symbols };
	struct cscg_sampler *sampler = cscg_sampler_new(m, tr,
	    (uint64_t)cmd.seed, err);
	struct cscg_walk_writer *w = NULL;
	struct cscg_step step;
	int rc = -1;
	long t;

	if (!sampler ||
	    cscg_history_copy(&head.history, &m->history, err) < 0 ||
	    cmd_history(&head.history, err) < 0)
		goto out;
	w = cscg_walk_writer_new(out, &head, err);
	if (!w)
		goto out;
	cscg_walk_writer_set_live(w, cmd.live);
	for (t = 0; t < set.sample; t++) {
		cscg_sampler_next(sampler, t + 1 == set.sample, &step);
		if (cscg_walk_write_step(w, &step, err) < 0)
			goto out;
	}
	rc = cscg_walk_writer_finish(w, err);
out:
	cscg_walk_writer_free(w);
	cscg_history_free(&head.history);
	cscg_sampler_free(sampler);
	return rc;
}

static int
run(const char *path, struct cscg_err *err)
{
	struct cscg_out *out = cmd_out(err);
	struct cscg_model *m = NULL;
	struct cscg_trans *tr = NULL;
	struct cscg_decoder *decoder = NULL;
	struct cscg_walk *w = NULL;
	int rc = -1;

	if (!out)
		return -1;
	m = cscg_model_read_file(path, err);
	if (!m)
		goto out;
	tr = cscg_trans_new(m,
	    set.is_double || m->is_double ? &cscg_plain_double :
					    &cscg_plain_float,
	    err);
	if (!tr) {
		cmd_fail_in(path, err);
		goto out;
	}
	/* The log of one step, often near 0, needs double precision. */
	decoder = cscg_decoder_new(tr, set.per_step ? NULL : set.simd, err);
	if (!decoder)
		goto out;
	cscg_decoder_set_unseen(decoder, set.unseen);
	if (set.sample) {
		rc = sample(m, tr, out, err);
	} else if (!set.decode && !set.posterior) {
		rc = score_walks(m, decoder, out, err);
	} else {
		w = cscg_walk_read(cmd.walks.v, cmd.walks.n, err);
		if (w && cscg_alphabet_map_walk(w, m, err) < 0)
			cmd_fail_in_walks(err);
		else if (w)
			rc = set.decode ? decode(decoder, w, out, err) :
					  posterior(tr, w, out, err);
	}
out:
	cscg_walk_free(w);
	cscg_decoder_free(decoder);
	cscg_trans_free(tr);
	cscg_model_free(m);
	return rc < 0 ? -1 : 1;
}

/* Options that exclude or need each other. */
static void
check_options(const char *path)
{
	if (set.per_step + set.decode + set.posterior + (set.sample > 0) > 1)
		cmd_usage("--per-step, --decode, --posterior and --sample "
			  "exclude each other");
	if (set.as == AS_WALK && !set.decode)
		cmd_usage("--as walk needs --decode");
	if (!set.posterior && cmd_given(&set.top))
		cmd_usage("--top requires --posterior");
	if ((set.decode || set.posterior || set.sample) &&
	    cmd_given(&set.unseen) && set.unseen > 0)
		cmd_usage("--unseen is for likelihoods, not for --decode, "
			  "--posterior or --sample");
	if (set.sample && cmd.walks.n)
		cmd_usage("--sample reads no walk");
	cmd_check_stdin((!set.sample && !cmd.walks.n) + !strcmp(path, "-"));
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **paths = cmd_begin(&info, argc, argv, NULL);

	check_options(paths[0]);
	set.simd = cmd_isa(set.isa);
	cmd.no_gzip |= !set.sample && set.as != AS_WALK;
	return cmd_end(run(paths[0], &err), &err);
}
