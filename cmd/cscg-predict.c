/*
 * cscg-predict - the next symbol, step by step, under one or several models
 *
 * With --rebind the emissions of one model change where the walk contradicts
 * them (schema/rebind.h).
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "tool.h"
#include "core/model.h"
#include "core/model_io.h"
#include "core/walk.h"
#include "core/walk_io.h"
#include "io/table.h"
#include "kernel/filter.h"
#include "kernel/predict.h"
#include "schema/rebind.h"

enum { BY_SAMPLE, BY_PATH, BY_SYMBOL };
enum { AS_TABLE, AS_WALK };

static const char *const ways[] = { "sample", "path", "symbol", NULL };
static const char *const forms[] = { "table", "walk", NULL };

static struct {
	double unseen, rebind;
	bool is_double, each_action, bits, json;
	const char *isa, *actions;
	long ahead, n_continue, top, states;
	int by, as;
} set = { .unseen = CSCG_UNSEEN, .top = 3, .states = 1, .ahead = 1 };

static const struct cmd_opt opts[] = {
	CMD_ALGORITHM,
	CMD_DOUBLE(0, "unseen", &set.unseen, 0, .999999, "P",
	    "escape probability of symbols to which a model gives probability "
	    "0"),
	CMD_DOUBLE(0, "rebind", &set.rebind, 0, .999999, "P",
	    "rebind slots of one model where a symbol has a lower probability "
	    "than by rebinding, which has probability P per step; reset at "
	    "each episode; 0: never"),
	CMD_LONG(0, "ahead", &set.ahead, 1, 100000, "N",
	    "predict each of the next N steps; later actions are random"),
	CMD_LONG(0, "continue", &set.n_continue, 1, 1000000000, "N",
	    "continue the walk by N steps instead of predicting each step"),
	CMD_CHOICE(0, "by", &set.by, ways,
	    "--continue: draw symbols, or take the likeliest state path or "
	    "symbols"),
	CMD_STRING(0, "actions", &set.actions, "LIST",
	    "--continue: these actions, a,b,..., repeated (default: random)"),
	CMD_DOUBLE_PRECISION(&set.is_double),
	CMD_ISA(&set.isa),
	CMD_OUTPUT,
	CMD_LONG(0, "top", &set.top, 1, 1000, "N",
	    "likeliest next symbols in a row"),
	CMD_LONG(0, "states", &set.states, 0, 1000, "N",
	    "likeliest present states in a row"),
	CMD_FLAG(0, "each-action", &set.each_action,
	    "a row for every action instead of the one taken"),
	CMD_FLAG(0, "bits", &set.bits, "bits instead of nats"),
	CMD_CHOICE(0, "as", &set.as, forms,
	    "--continue: write a table, or a walk"),
	CMD_JSON(&set.json, ""),
	CMD_END,
};

static const struct cmd_info info = {
	"cscg-predict",
	"[NAME=]MODEL...",
	"distribution of the next symbol, step by step",
	opts,
	1,
	-1,
	CMD_USES_SEED | CMD_USES_WALKS | CMD_USES_GZIP,
	"cscg-predict --top 1 model.gz -w walk.gz",
};

/* Nats, or bits with --bits. */
static double
in_unit(double nats)
{
	return set.bits ? nats / M_LN2 : nats;
}

/* ---- rows ---- */

enum {
	MOST = 1000,          /* of --top and --states */
	COLS = 10 + 4 * MOST, /* columns at most */
	NAME_SIZE = 16,       /* "state_p1000" */
};

struct predict {
	const struct cscg_schemas *models;
	struct cscg_predictor *p;
	struct cscg_rebind *r;          /* --rebind: instead of p */
	const struct cscg_model *names; /* alphabets */
	struct cscg_model all; /* --rebind: those of the model and the walk */
	double *belief;        /* --rebind: [n_states] */
	struct cscg_out *out;
	struct cscg_table table;
	struct cscg_col *col; /* [COLS] */
	union cscg_cell *row;
	char (*name)[NAME_SIZE]; /* of the columns */
	double *prob;            /* [ahead][n_obs + 1] */
	double *weight;          /* of the models */
	int *state;
	double *state_p;
	int a;      /* the last action, -1: none */
	bool begun; /* whether a step has been observed */
	long episode, t;
};

static void
add_col(struct predict *s, enum cscg_col_type type, const char *name, long i)
{
	int n = s->table.n++;

	snprintf(s->name[n], NAME_SIZE, i ? "%s%ld" : "%s", name, i);
	s->col[n] = (struct cscg_col){ s->name[n], type,
		type == CSCG_COL_DOUBLE ? 9 : 0 };
}

/* Symbols and actions are names, or numbers where there are none. */
static enum cscg_col_type
name_type(const struct cscg_names *names)
{
	return names->n ? CSCG_COL_STRING : CSCG_COL_LONG;
}

static union cscg_cell
name_cell(const struct cscg_names *names, int n, int i)
{
	union cscg_cell c;

	if (names->n)
		c.s = i >= 0 && i < n ? names->v[i] : NULL;
	else
		c.l = cscg_cell_known(i);
	return c;
}

/* The columns, and the header line. */
static int
begin_table(struct predict *s, struct cscg_err *err)
{
	enum cscg_col_type symbol = name_type(&s->names->symbols);
	const char *unit = set.bits ? "bits" : "nats";
	long i;

	s->table.n = 0;
	if (set.n_continue) {
		add_col(s, CSCG_COL_LONG, "t", 0);
		add_col(s, name_type(&s->names->actions), "a", 0);
		add_col(s, symbol, "x", 0);
		add_col(s, CSCG_COL_DOUBLE, unit, 0);
		add_col(s, CSCG_COL_LONG, "state", 0);
	} else {
		add_col(s, CSCG_COL_LONG, "episode", 0);
		add_col(s, CSCG_COL_LONG, "t", 0);
		add_col(s, symbol, "x", 0);
		add_col(s, CSCG_COL_DOUBLE, unit, 0);
		if (s->models->n > 1) {
			add_col(s, CSCG_COL_STRING, "model", 0);
			add_col(s, CSCG_COL_DOUBLE, "weight", 0);
		}
		for (i = 1; i <= set.states; i++) {
			add_col(s, CSCG_COL_LONG, "state", i);
			add_col(s, CSCG_COL_DOUBLE, "state_p", i);
		}
		if (set.rebind > 0) {
			add_col(s, CSCG_COL_LONG, "rebound", 0);
			add_col(s, CSCG_COL_DOUBLE, "rebound_p", 0);
		}
		add_col(s, name_type(&s->names->actions), "a", 0);
		if (cmd_given(&set.ahead))
			add_col(s, CSCG_COL_LONG, "ahead", 0);
		add_col(s, CSCG_COL_DOUBLE, "entropy", 0);
		for (i = 1; i <= set.top; i++) {
			add_col(s, symbol, "next", i);
			add_col(s, CSCG_COL_DOUBLE, "p", i);
		}
	}
	if (cscg_table_init(&s->table, s->out, s->col, s->table.n, set.json,
		err) < 0)
		return -1;
	return cscg_out_flush(s->out, err);
}

/* The k likeliest symbols with P > 0, ties by number. */
static int
top_symbols(const double *prob, int n, int k, int *x)
{
	int found = 0, i, j;

	for (i = 0; i < n; i++) {
		if (!(prob[i] > 0) ||
		    (found == k && prob[i] <= prob[x[k - 1]]))
			continue;
		for (j = found < k ? found++ : k - 1;
		     j > 0 && prob[i] > prob[x[j - 1]]; j--)
			x[j] = x[j - 1];
		x[j] = i;
	}
	return found;
}

static double
entropy(const double *prob, int n)
{
	double h = 0;
	int i;

	for (i = 0; i < n; i++)
		if (prob[i] > 0)
			h -= prob[i] * log(prob[i]);
	return h;
}

/* ---- the predictor, or rebinding ---- */

static void
begin_episode(struct predict *s)
{
	if (s->r)
		cscg_rebind_reset(s->r);
	else
		cscg_predictor_begin(s->p);
}

static int
observe(struct predict *s, int a, int x, double *nats, struct cscg_err *err)
{
	double p;

	if (!s->r)
		return cscg_predictor_observe(s->p, a, x, nats, err);
	if (cscg_rebind_observe(s->r, a, x, &p, err) < 0)
		return -1;
	*nats = -log(p);
	return 0;
}

/* P(next symbol) after action a into s->prob. */
static int
predict_next(struct predict *s, int a, struct cscg_err *err)
{
	if (!s->r)
		return cscg_predictor_next(s->p, a, s->prob, err);
	cscg_rebind_predict(s->r, a, s->prob);
	s->prob[s->names->n_obs] = 0;
	return 0;
}

/* The k likeliest present states into s->state and s->state_p. */
static int
top_states(struct predict *s, int k)
{
	int n, i;

	if (!s->r)
		return cscg_filter_top(cscg_predictor_filter(s->p,
					   cscg_predictor_best(s->p)),
		    k, s->state, s->state_p);
	cscg_rebind_states(s->r, s->belief);
	n = top_symbols(s->belief, s->models->m[0]->n_states, k, s->state);
	for (i = 0; i < n; i++)
		s->state_p[i] = s->belief[s->state[i]];
	return n;
}

/*
 * --rebind: the alphabets of the model and of a walk together, and a rebinding
 * of the model over them.
 */
static int
begin_rebinding(struct predict *s, const struct cscg_walk_header *head,
    struct cscg_err *err)
{
	const struct cscg_model *m = s->models->m[0];
	struct cscg_rebind_options how = CSCG_REBIND_DEFAULTS;
	int *map = cscg_alloc((size_t)head->n_obs, sizeof *map, err);

	how.rebind = set.rebind;
	how.unseen = set.unseen;
	cscg_names_free(&s->all.symbols);
	s->all.actions = m->actions;
	s->all.n_actions = m->n_actions;
	s->all.kind = CSCG_GROUNDED;
	s->all.n_obs = !map ?
	    -1 :
	    cscg_rebind_alphabet(m, head, map, &s->all.symbols, err);
	free(map);
	if (s->all.n_obs < 0)
		return -1;
	if (!m->symbols.n) /* numbers, like the header of the table */
		cscg_names_free(&s->all.symbols);
	s->names = &s->all;
	cscg_rebind_free(s->r);
	s->r = cscg_rebind_new(m, s->all.n_obs, &how, err);
	free(s->prob);
	s->prob = cscg_alloc((size_t)s->all.n_obs + 1, sizeof *s->prob, err);
	free(s->belief);
	s->belief = cscg_alloc((size_t)m->n_states, sizeof *s->belief, err);
	return s->r && s->prob && s->belief ? 0 : -1;
}

/* ---- cells ---- */

/*
 * Cells of the belief: model, weight, states, slots rebound; returns the next
 * one.
 */
static union cscg_cell *
put_belief(struct predict *s, union cscg_cell *c)
{
	int best = s->r ? 0 : cscg_predictor_best(s->p), i, n;

	if (s->models->n > 1) {
		cscg_predictor_get_weights(s->p, s->weight);
		(c++)->s = s->models->names.v[best];
		(c++)->d = s->weight[best];
	}
	n = set.states ? top_states(s, (int)set.states) : 0;
	for (i = 0; i < set.states; i++) {
		(c++)->l = i < n ? s->state[i] : CSCG_CELL_NONE;
		(c++)->d = i < n ? s->state_p[i] : NAN;
	}
	if (s->r) {
		struct cscg_rebind_hypothesis h = cscg_rebind_best(s->r);

		(c++)->l = h.n_changes;
		(c++)->d = h.p;
	}
	return c;
}

/* Cells of a prediction after action a; prob[n_obs + 1], NULL: unknown. */
static void
put_prediction(struct predict *s, union cscg_cell *c, int a, long ahead,
    const double *prob)
{
	int K = s->names->n_obs, x[MOST], i, n = 0;
	double h = NAN;

	if (prob && (n = top_symbols(prob, K, (int)set.top, x)) > 0)
		h = in_unit(entropy(prob, K + 1));
	*c++ = name_cell(&s->names->actions, s->names->n_actions, a);
	if (cmd_given(&set.ahead))
		(c++)->l = ahead;
	(c++)->d = h;
	for (i = 0; i < set.top; i++) {
		*c++ = name_cell(&s->names->symbols, K, i < n ? x[i] : -1);
		(c++)->d = i < n ? prob[x[i]] : NAN;
	}
}

/* A row for each step ahead after action a. */
static int
write_rows(struct predict *s, union cscg_cell *c, int a, struct cscg_err *err)
{
	size_t K = (size_t)s->names->n_obs + 1;
	long i, n = a < 0 ? 1 : set.ahead;

	if (a >= 0 &&
	    (n > 1 ? cscg_predictor_ahead(s->p, a, n, s->prob, err) :
		     predict_next(s, a, err)) < 0)
		return -1;
	for (i = 0; i < n; i++) {
		put_prediction(s, c, a, i + 1,
		    a < 0 ? NULL : s->prob + (size_t)i * K);
		if (cscg_table_write_row(&s->table, s->row, err) < 0)
			return -1;
	}
	return 0;
}

/*
 * Observe a step, x of the mixture, and write its rows; `as` is the cell of
 * its symbol.
 */
static int
take_step(struct predict *s, const struct cscg_step *step, int x,
    union cscg_cell as, struct cscg_err *err)
{
	union cscg_cell *c = s->row;
	double nats;
	int a;

	if (!s->begun || s->a < 0) {
		begin_episode(s);
		s->t = 0;
	}
	if (observe(s, s->begun && s->a >= 0 && !step->reset ? s->a : -1, x,
		&nats, err) < 0)
		return -1;
	s->begun = true;
	s->a = step->a;
	(c++)->l = s->episode;
	(c++)->l = s->t++;
	*c++ = as;
	(c++)->d = x < 0 ? NAN : in_unit(nats);
	s->episode += step->a < 0;
	if (set.n_continue)
		return 0;
	c = put_belief(s, c);
	if (!set.each_action)
		return write_rows(s, c, s->names->n_actions == 1 ? 0 : step->a,
		    err);
	for (a = 0; a < s->names->n_actions; a++)
		if (write_rows(s, c, a, err) < 0)
			return -1;
	return 0;
}

/* The steps of a walk, whose header is read. */
static int
take_walk(struct predict *s, struct cscg_walk_reader *r,
    const struct cscg_alphabet_map *map, struct cscg_err *err)
{
	const struct cscg_walk_header *head = cscg_walk_reader_header(r);
	struct cscg_step step;
	union cscg_cell as;
	int rc, x;

	while ((rc = cscg_walk_reader_next(r, &step, err)) > 0) {
		x = step.x < 0 ? -1 : map->symbols[step.x];
		as = name_cell(&s->names->symbols, s->names->n_obs, x);
		if (x < -1) { /* unknown to all models */
			x = s->names->n_obs;
			if (!s->names->symbols.n)
				as.l = step.x;
			else if (head->symbols.n)
				as.s = head->symbols.v[step.x];
		}
		step.a = step.a < 0 ? -1 : map->actions[step.a];
		/* Flush when the next line may have to be waited for. */
		if (!set.n_continue)
			cscg_out_set_live(s->out,
			    !cscg_walk_reader_pending(r));
		if (take_step(s, &step, x, as, err) < 0)
			return -1;
	}
	return rc;
}

static int
take_file(struct predict *s, const char *path, struct cscg_err *err)
{
	struct cscg_walk_reader *r = cscg_walk_reader_open(path, err);
	struct cscg_alphabet_map map = { 0 };
	int rc = -1;

	if (!r)
		return -1;
	if ((set.rebind > 0 &&
		begin_rebinding(s, cscg_walk_reader_header(r), err) < 0) ||
	    cscg_alphabet_map_new(&map, cscg_walk_reader_header(r), s->names,
		err) < 0)
		cmd_fail_in(path, err);
	else
		rc = take_walk(s, r, &map, err);
	cscg_alphabet_map_free(&map);
	cscg_walk_reader_close(r);
	return rc;
}

/* ---- --continue ---- */

/* The actions of the continuation: a list that is repeated, or random. */
struct actions {
	int *given; /* NULL: random */
	long n;
	struct cscg_rng rng;
};

/* Read --actions; the caller frees a->given. */
static int
begin_actions(const struct predict *s, struct actions *a, struct cscg_err *err)
{
	size_t size = set.actions ? strlen(set.actions) + 1 : 0;
	char *list, *word, *rest = NULL, *end;
	long x;

	cscg_rng_seed(&a->rng, (uint64_t)cmd.seed, CSCG_RNG_SAMPLE, 0, 1);
	if (!set.actions)
		return 0;
	list = cscg_copy(set.actions, size, 1, err);
	a->given = cscg_alloc(size, sizeof *a->given, err);
	if (!list || !a->given) {
		free(list);
		return -1;
	}
	for (word = strtok_r(list, ",", &rest); word;
	     word = strtok_r(NULL, ",", &rest)) {
		x = cscg_names_find(&s->names->actions, word);
		if (x < 0) {
			x = strtol(word, &end, 10);
			if (*end)
				x = -1;
		}
		if (x < 0 || x >= s->names->n_actions) {
			cscg_fail(err, CSCG_EUSAGE,
			    "--actions: '%.64s' is not one of the %d actions",
			    word, s->names->n_actions);
			break;
		}
		a->given[a->n++] = (int)x;
	}
	if (!word && !a->n)
		cscg_fail(err, CSCG_EUSAGE, "--actions: an empty list");
	free(list);
	return word || !a->n ? -1 : 0;
}

/* The action that leads to step t, counted from 0; t must ascend. */
static int
next_action(const struct predict *s, struct actions *a, long t)
{
	return a->given ? a->given[t % a->n] :
			  (int)cscg_rng_below(&a->rng, s->names->n_actions);
}

/* One step of the continuation. */
struct next {
	int a, x, state; /* a: -1 for the first step of all */
	double nats;
};

/* Draw or choose the next symbol from its distribution, and observe it. */
static int
next_symbol(struct predict *s, struct cscg_rng *rng, struct next *next,
    struct cscg_err *err)
{
	int K = s->names->n_obs, x;
	double sum = 0;

	if (predict_next(s, next->a, err) < 0)
		return -1;
	for (x = 0; x < K; x++)
		sum += s->prob[x];
	if (!(sum > 0))
		return cscg_predictor_lost(err);
	if (set.by == BY_SYMBOL)
		top_symbols(s->prob, K, 1, &next->x);
	else
		next->x = (int)cscg_rng_pick(rng, s->prob, K, sum);
	if (observe(s, next->a, next->x, &next->nats, err) < 0)
		return -1;
	next->state = top_states(s, 1) ? s->state[0] : -1;
	return 0;
}

/* The likeliest path under the actions into next[n]. */
static int
likeliest_path(struct predict *s, struct actions *actions, long n,
    struct next *next, struct cscg_err *err)
{
	int *a = cscg_alloc((size_t)n, sizeof *a, err);
	int *z = cscg_alloc((size_t)n, sizeof *z, err);
	int *x = cscg_alloc((size_t)n, sizeof *x, err), which, rc = -1;
	double logp;
	long t;

	for (t = 0; a && t < n; t++)
		a[t] = next_action(s, actions, t);
	if (a && z && x)
		rc = cscg_predictor_path(s->p, a, n, z, x, &which, &logp, err);
	if (rc == 0)
		cmd_verbose("likeliest path: model '%s', %.6f %s",
		    s->models->names.v[which], in_unit(-logp),
		    set.bits ? "bits" : "nats");
	for (t = 0; t < n && rc == 0; t++) {
		next[t] = (struct next){ a[t], x[t], z[t], 0 };
		rc = cscg_predictor_observe(s->p, a[t], x[t], &next[t].nats,
		    err);
	}
	free(a);
	free(z);
	free(x);
	return rc;
}

/* Source and destination of the steps of a continuation. */
struct going {
	struct actions actions;
	struct next *path; /* --by path: all of them, else NULL */
	struct cscg_rng rng;
	struct cscg_walk_writer *writer; /* --as walk */
};

/* Write step t; a is the action after it. */
static int
write_next(struct predict *s, struct going *g, long t, const struct next *next,
    int a, struct cscg_err *err)
{
	struct cscg_step step = { .x = next->x,
		.a = a,
		.z = set.by == BY_PATH ? next->state : -1,
		.goal = -1,
		.r = NAN };
	union cscg_cell row[5];

	if (g->writer)
		return cscg_walk_write_step(g->writer, &step, err);
	row[0].l = t + 1;
	row[1] = name_cell(&s->names->actions, s->names->n_actions, next->a);
	row[2] = name_cell(&s->names->symbols, s->names->n_obs, next->x);
	row[3].d = in_unit(next->nats);
	row[4].l = cscg_cell_known(next->state);
	return cscg_table_write_row(&s->table, row, err);
}

/* All steps, one after the other. */
static int
write_all(struct predict *s, struct going *g, struct cscg_err *err)
{
	long n = set.n_continue, t;
	int a = g->path ? g->path[0].a : next_action(s, &g->actions, 0);
	struct next next;

	for (t = 0; t < n; t++) {
		if (g->path)
			next = g->path[t];
		next.a = s->begun || t ? a : -1;
		if (!g->path && next_symbol(s, &g->rng, &next, err) < 0)
			return -1;
		a = t + 1 == n ? -1 :
		    g->path    ? g->path[t + 1].a :
				 next_action(s, &g->actions, t + 1);
		if (write_next(s, g, t, &next, a, err) < 0)
			return -1;
	}
	return g->writer ? cscg_walk_writer_finish(g->writer, err) : 0;
}

static struct cscg_walk_writer *
new_writer(struct predict *s, struct cscg_err *err)
{
	struct cscg_walk_header head = { .n_actions = s->names->n_actions,
		.n_obs = s->names->n_obs,
		.actions = s->names->actions,
		.symbols = s->names->symbols };
	struct cscg_walk_writer *w = NULL;
	int i, rc = 0;

	for (i = 0; i < s->models->n && rc == 0; i++)
		rc = cscg_history_join(&head.history,
		    &s->models->m[i]->history, err);
	if (rc == 0 && cmd_history(&head.history, err) == 0)
		w = cscg_walk_writer_new(s->out, &head, err);
	if (w)
		cscg_walk_writer_set_live(w, cmd.live);
	cscg_history_free(&head.history);
	return w;
}

static int
continue_on(struct predict *s, struct cscg_err *err)
{
	struct going g = { 0 };
	int rc = -1;

	/* A continuation has no unknown symbol. */
	if (!s->r)
		cscg_predictor_set_unseen(s->p, 0);
	cscg_rng_seed(&g.rng, (uint64_t)cmd.seed, CSCG_RNG_SAMPLE, 0, 0);
	if (begin_actions(s, &g.actions, err) < 0)
		goto out;
	if (set.by == BY_PATH) {
		g.path = cscg_alloc((size_t)set.n_continue, sizeof *g.path,
		    err);
		if (!g.path ||
		    likeliest_path(s, &g.actions, set.n_continue, g.path,
			err) < 0)
			goto out;
	}
	if (set.as == AS_WALK && !(g.writer = new_writer(s, err)))
		goto out;
	rc = write_all(s, &g, err);
out:
	cscg_walk_writer_free(g.writer);
	free(g.path);
	free(g.actions.given);
	return rc;
}

/* ---- the command ---- */

static int
read_models(struct cscg_schemas *models, char **paths, struct cscg_err *err)
{
	int i, had;

	for (i = 0; paths[i]; i++) {
		had = models->n;
		if (cscg_schemas_read(models, paths[i], err) < 0)
			return -1;
		for (; had < models->n; had++)
			if (models->m[had]->kind != CSCG_GROUNDED) {
				cscg_fail(err, CSCG_EMISMATCH,
				    "a grounded model is needed, this is %s",
				    cscg_model_kind_text(
					models->m[had]->kind));
				cscg_fail_hint(err, "grounded-needed");
				return cmd_fail_in(cscg_schemas_file(paths[i]),
				    err);
			}
	}
	return 0;
}

static int
check_models(const struct cscg_schemas *models, struct cscg_err *err)
{
	if (set.rebind > 0 && models->n > 1)
		return cscg_fail(err, CSCG_EUSAGE,
		    "--rebind takes one model, not %d", models->n);
	return 0;
}

static int
begin(struct predict *s, struct cscg_err *err)
{
	struct cscg_predict_settings how = cscg_predict_defaults();
	size_t ahead = (size_t)set.ahead;

	how.unseen = set.unseen;
	how.double_precision = set.is_double;
	how.isa = cmd_isa_word(set.isa);
	s->p = cscg_predictor_new(
	    (const struct cscg_model *const *)s->models->m, s->models->n, &how,
	    err);
	if (!s->p)
		return -1;
	s->names = cscg_predictor_names(s->p);
	s->prob = cscg_alloc(ahead * ((size_t)s->names->n_obs + 1),
	    sizeof *s->prob, err);
	s->weight = cscg_alloc((size_t)s->models->n, sizeof *s->weight, err);
	s->state = cscg_alloc(MOST, sizeof *s->state, err);
	s->state_p = cscg_alloc(MOST, sizeof *s->state_p, err);
	s->col = cscg_alloc(COLS, sizeof *s->col, err);
	s->row = cscg_alloc(COLS, sizeof *s->row, err);
	s->name = cscg_alloc(COLS, sizeof *s->name, err);
	return s->prob && s->weight && s->state && s->state_p && s->col &&
		s->row && s->name ?
	    0 :
	    -1;
}

static int
run(char **paths, struct cscg_err *err)
{
	char *const standard_input[] = { (char *)"-" };
	char *const *walks = cmd.walks.n ? cmd.walks.v : standard_input;
	int i, n = cmd.walks.n ? cmd.walks.n : 1, rc = -1;
	struct cscg_schemas models = { 0 };
	struct predict s = { .models = &models, .out = cmd_out(err), .a = -1 };

	if (!s.out || read_models(&models, paths, err) < 0 ||
	    check_models(&models, err) < 0 || begin(&s, err) < 0 ||
	    cmd_walks_check(err) < 0)
		goto out;
	if (set.as == AS_TABLE && begin_table(&s, err) < 0)
		goto out;
	for (i = 0; i < n; i++)
		if (take_file(&s, walks[i], err) < 0)
			goto out;
	rc = set.n_continue ? continue_on(&s, err) : 0;
out:
	cscg_predictor_free(s.p);
	cscg_rebind_free(s.r);
	cscg_names_free(&s.all.symbols);
	free(s.belief);
	free(s.prob);
	free(s.weight);
	free(s.state);
	free(s.state_p);
	free(s.col);
	free(s.row);
	free(s.name);
	cscg_schemas_free(&models);
	return rc < 0 ? -1 : 1;
}

/* Options that exclude or need each other. */
static void
check_options(char **paths)
{
	cmd_check_schemas(paths, !cmd.walks.n);
	if (!set.n_continue && cmd_given(&set.by))
		cmd_usage("--by requires --continue");
	if (!set.n_continue && set.actions)
		cmd_usage("--actions requires --continue");
	if (!set.n_continue && set.as == AS_WALK)
		cmd_usage("--as walk requires --continue");
	if (set.n_continue && cmd_given(&set.ahead))
		cmd_usage("--ahead and --continue exclude each other");
	if (set.n_continue && set.each_action)
		cmd_usage("--each-action and --continue exclude each other");
	if (set.rebind > 0 && set.unseen <= 0)
		cmd_usage("--rebind needs an --unseen above 0");
	if (set.rebind > 0 && (set.ahead > 1 || set.by == BY_PATH))
		cmd_usage(
		    "--ahead and --by path cannot be combined with --rebind");
	if (set.n_continue && (cmd_given(&set.top) || cmd_given(&set.states)))
		cmd_usage(
		    "--top and --states cannot be combined with --continue");
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **paths = cmd_begin(&info, argc, argv, NULL);

	check_options(paths);
	cmd_isa(set.isa);
	cmd.no_gzip |= set.as != AS_WALK;
	/* Flush each row: the reader may be waiting for it. */
	cmd.live |= !set.n_continue;
	return cmd_end(run(paths, &err), &err);
}
