/* multi.c - one T and one E per episode, learned together */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "kernel/passes.h"
#include "learn/em.h"
#include "learn/inverse.h"
#include "learn/multi.h"

static const double E_PSEUDOCOUNT = 1e-7;
static const double MIN_COUNT = 0.5;  /* least sum of counts of a row that was
                                         visited */
static const double MIN_SHARE = 0.95; /* least share of the main successor of a
                                         deterministic row */
static const double MAX_SLIPS = 0.1;  /* largest share of transitions that
                                         differ from the most frequent ones of
                                         their rows */
/*
 * A row is agreed on if, of the episodes with a usual (most frequent)
 * successor, at least this share agrees, and this many more agree than
 * disagree.
 */
static const double MIN_VOTES = 2, MIN_AGREEMENT = 0.85;
enum { STATES_MAX = 4096, SLIP_STARTS = 8 };

struct job {
	const struct cscg_walk *w;
	const struct cscg_multi *set;
	long S, A, cells;     /* states, actions, entries of T */
	struct cscg_model *m; /* the result */
	struct cscg_trans *tr;
	struct cscg_work work;
	double *E;        /* [episodes][S][S] */
	double *best_E;   /* [S][S] of several fits */
	double *seen;     /* [symbol][S] expected emissions of one episode */
	const int *x;     /* symbols of that episode */
	double *counts;   /* [A][S][S] of the current T */
	double *next;     /* [A][S][S] expected */
	double *votes;    /* [A][S][S] episodes with this usual successor */
	int *symbol;      /* [S] bound to each state in one episode ... */
	int *state;       /* ... and the inverse of that */
	bool *reached;    /* [S] states */
	bool *taken;      /* [A] */
	bool *confirmed;  /* [A][S] made a correct prediction */
	int *order;       /* [episodes] order in which they are fitted */
	int *usual;       /* [A][S] usual successors in one episode, by symbol,
	                     -1: untried or ambiguous */
	long *yes, *no;   /* [A][A] how often an action restored the symbol
	                     that another had changed, or did not */
	int *inverse;     /* [A] or -1 */
	bool inverses;    /* each action that was taken has one */
	bool slips;       /* some transitions differ from usual ones */
	long n_fits;      /* fits made so far */
	double log_prior; /* of the current T */
	double loglik;
	struct cscg_pool mem;
};

static void
clear(double *v, long n)
{
	memset(v, 0, (size_t)n * sizeof *v);
}

/* ---- requirements on the walk ---- */

static int
check_walk(struct job *b, struct cscg_err *err)
{
	const struct cscg_walk *w = b->w;
	int e;
	long t;

	if (b->S > STATES_MAX)
		return cscg_fail(err, CSCG_ERANGE,
		    "%ld symbols are more than the %d that can be bound in "
		    "each episode",
		    b->S, STATES_MAX);
	for (e = 0; e < w->n_episodes; e++)
		for (t = w->start[e]; t < w->start[e + 1]; t++) {
			if (w->x[t] < 0)
				return cscg_fail(err, CSCG_EMISMATCH,
				    "episode %d, step %ld: missing "
				    "observation; a new binding for each "
				    "episode cannot be learned",
				    e, t - w->start[e]);
			if (!cscg_walk_starts_run(w, e, t))
				b->taken[w->a[t - 1]] = true;
		}
	return 0;
}

/* Count the transitions of episode e, by symbol, in b->next. */
static void
count_symbols(struct job *b, int e)
{
	const struct cscg_walk *w = b->w;
	long t;

	clear(b->next, b->cells);
	for (t = w->start[e]; t < w->start[e + 1]; t++)
		if (!cscg_walk_starts_run(w, e, t))
			b->next[(w->a[t - 1] * b->S + w->x[t - 1]) * b->S +
			    w->x[t]]++;
}

/*
 * The usual successors of episode e into b->usual: that of most transitions of
 * its row, if it is alone.  Returns the number of transitions that differ from
 * the first successor of most transitions; *n is the number of all.
 */
static long
find_usual(struct job *b, int e, long *n)
{
	long S = b->S, r, y, best;
	double sum, equal, all = 0, usual = 0;

	count_symbols(b, e);
	for (r = 0; r < b->A * S; r++) {
		const double *c = b->next + r * S;

		for (sum = equal = 0, best = 0, y = 0; y < S; y++) {
			sum += c[y];
			if (c[y] > c[best])
				best = y;
		}
		for (y = 0; y < S; y++)
			equal += c[y] >= c[best];
		b->usual[r] = sum > 0 && equal < 2 ? (int)best : -1;
		all += sum;
		usual += c[best];
	}
	*n = (long)all;
	return (long)(all - usual);
}

/*
 * Whether every symbol has one state, as far as the walk shows: 0, or -1 with
 * err filled if too many transitions differ from the usual ones.
 */
static int
check_usual(struct job *b, struct cscg_err *err)
{
	long n, n_all = 0, n_other = 0;
	int e;

	for (e = 0; e < b->w->n_episodes; e++) {
		n_other += find_usual(b, e, &n);
		n_all += n;
	}
	if ((double)n_other <= MAX_SLIPS * (double)n_all)
		return 0;
	return cscg_fail(err, CSCG_EMISMATCH,
	    "in %ld of %ld transitions the same action after the same symbol "
	    "usually led to another one; a new binding for each episode can "
	    "be learned only if every symbol has one state and transitions "
	    "are nearly deterministic",
	    n_other, n_all);
}

/* ---- slips and inverse actions ---- */

/*
 * Count, over the rows of an episode, how often an action restored the symbol
 * that another one had changed.
 */
static void
count_inverses(struct job *b)
{
	int a, c, x, y;

	for (a = 0; a < b->A; a++)
		for (x = 0; x < b->S; x++) {
			y = b->usual[a * b->S + x];
			for (c = 0; c < b->A && y >= 0 && y != x; c++) {
				int z = b->usual[c * b->S + y];

				b->yes[a * b->A + c] += z == x;
				b->no[a * b->A + c] += z >= 0 && z != x;
			}
		}
}

/* Whether the episodes up to e show slips and inverse actions. */
static void
examine(struct job *b, int e)
{
	long n;
	int a;

	b->slips |= find_usual(b, e, &n) > 0;
	if (b->A > CSCG_INVERSE_ACTIONS_MAX)
		return;
	count_inverses(b);
	cscg_inverse_decide(b->yes, b->no, (int)b->A, b->slips ? MAX_SLIPS : 0,
	    b->inverse);
	b->inverses = true;
	for (a = 0; a < b->A; a++)
		b->inverses &= !b->taken[a] || b->inverse[a] >= 0;
}

/* ---- EM ---- */

static double *
E_of(const struct job *b, int e)
{
	return b->E + e * b->S * b->S;
}

/* M-step of E: rows in proportion to the expected emissions of each state. */
static void
maximise_E(struct job *b, double *E)
{
	long S = b->S, j, x;
	double sum;

	for (j = 0; j < S; j++) {
		for (sum = 0, x = 0; x < S; x++)
			sum += b->seen[x * S + j] + E_PSEUDOCOUNT;
		for (x = 0; x < S; x++)
			E[j * S + x] = (b->seen[x * S + j] + E_PSEUDOCOUNT) /
			    sum;
	}
}

static double *
visits_at(void *ctx, long t)
{
	struct job *b = ctx;

	return b->seen + b->x[t] * b->S;
}

/*
 * The E-step of episode e under its own E: expected emissions in seen;
 * expected transitions are added to next if transitions is set.
 */
static int
expect(struct job *b, int e, bool transitions, double *loglik,
    struct cscg_err *err)
{
	const struct cscg_sink sink = { .counts = transitions ? b->next : NULL,
		.visits = visits_at,
		.ctx = b };
	long t;

	clear(b->seen, b->S * b->S);
	b->x = b->w->x + b->w->start[e];
	if (cscg_trans_set_E(b->tr, E_of(b, e), (int)b->S, err) < 0 ||
	    cscg_forward(b->tr, b->w, e, &b->work, loglik, err) < 0)
		return -1;
	t = cscg_backward(b->tr, b->w, e, &b->work, &sink);
	return t < 0 ? 0 : cscg_pass_underflow(t, err);
}

/* Parameters fitted by EM: E of one episode, or T and the E of several. */
struct fit {
	struct job *b;
	int e;          /* the episode, or */
	int n_episodes; /* the first of the order */
};

/* T from the counts. */
static void
set_trans(struct job *b)
{
	b->log_prior = b->set->pseudocount *
	    cscg_trans_set(b->tr, b->counts, b->set->pseudocount);
}

static double
log_prior_E(const struct job *b, const double *E)
{
	double sum = 0;
	long i;

	for (i = 0; i < b->S * b->S; i++)
		sum += log(E[i]);
	return E_PSEUDOCOUNT * sum;
}

/*
 * EM that ends with an M-step: the parameters are those of the last expected
 * counts, and *loglik is that of the parameters before.
 */
static int
run_em(struct fit *fit, struct cscg_em_problem problem, double tolerance,
    double *loglik, struct cscg_err *err)
{
	struct job *b = fit->b;
	const struct cscg_em em = { .iterations = b->set->iterations - 1,
		.tolerance = tolerance,
		.by_loglik = true };
	struct cscg_em_progress last;

	if (b->set->iterations < 1)
		return 0;
	problem.ctx = fit;
	problem.impossible = "no binding of an episode can produce it: a "
			     "transition that is needed has probability zero";
	cscg_em_set_slack(&problem, true);
	if (cscg_em(&problem, &em, &last, err) < 0)
		return -1;
	*loglik = last.loglik;
	return problem.maximise(fit, err);
}

static int
expect_E(void *ctx, bool update, struct cscg_em_progress *line,
    struct cscg_err *err)
{
	const struct fit *fit = ctx;

	(void)update;
	if (expect(fit->b, fit->e, false, &line->loglik, err) < 0)
		return -1;
	line->objective = line->loglik +
	    log_prior_E(fit->b, E_of(fit->b, fit->e));
	return 0;
}

static int
update_E(void *ctx, struct cscg_err *err)
{
	const struct fit *fit = ctx;

	(void)err;
	maximise_E(fit->b, E_of(fit->b, fit->e));
	return 0;
}

/*
 * Whether the self-test rejects most wrong bindings: by rows with several
 * successors, or by actions that are not permutations or have no inverses.
 */
static bool
is_sensitive(const struct job *b)
{
	return !b->slips || b->set->reversible || b->inverses;
}

/*
 * EM on the E of episode e alone, from a random start; from several if the
 * self-test is less sensitive.
 */
static int
fit_E(struct job *b, int e, struct cscg_rng *rng, struct cscg_err *err)
{
	struct fit fit = { .b = b, .e = e };
	struct cscg_em_problem problem = { .expect = expect_E,
		.maximise = update_E,
		.steps = b->w->start[e + 1] - b->w->start[e] };
	size_t bytes = (size_t)(b->S * b->S) * sizeof *b->E;
	double loglik = 0, best = 0;
	long S = b->S, i;
	int draw, n = is_sensitive(b) ? 1 : SLIP_STARTS;

	for (draw = 0; draw < n; draw++) {
		for (i = 0; i < S * S; i++)
			b->seen[i % S * S + i / S] = cscg_rng_uniform(rng);
		maximise_E(b, E_of(b, e));
		if (run_em(&fit, problem, 1e-6, &loglik, err) < 0)
			return -1;
		if (draw == 0 || loglik > best) {
			best = loglik;
			memcpy(b->best_E, E_of(b, e), bytes);
		}
	}
	memcpy(E_of(b, e), b->best_E, bytes);
	return 0;
}

/*
 * The M-step of E is made here, since seen has room for one episode; the E of
 * the first is fixed.
 */
static int
expect_T(void *ctx, bool update, struct cscg_em_progress *line,
    struct cscg_err *err)
{
	const struct fit *fit = ctx;
	struct job *b = fit->b;
	double one, prior = b->log_prior, *E;
	int e;

	(void)update;
	clear(b->next, b->cells);
	line->loglik = 0;
	for (e = 0; e < fit->n_episodes; e++) {
		if (expect(b, b->order[e], true, &one, err) < 0)
			return -1;
		line->loglik += one;
		if (e > 0) {
			E = E_of(b, b->order[e]);
			prior += log_prior_E(b, E);
			maximise_E(b, E);
		}
	}
	line->objective = line->loglik + prior;
	return 0;
}

static int
update_T(void *ctx, struct cscg_err *err)
{
	const struct fit *fit = ctx;
	struct job *b = fit->b;

	(void)err;
	memcpy(b->counts, b->next, (size_t)b->cells * sizeof *b->counts);
	set_trans(b);
	return 0;
}

/* EM on T and the E of the first n episodes in order. */
static int
fit_T(struct job *b, int n_episodes, struct cscg_err *err)
{
	struct fit fit = { .b = b, .n_episodes = n_episodes };
	struct cscg_em_problem problem = { .expect = expect_T,
		.maximise = update_T,
		.steps = b->w->n_steps };

	return run_em(&fit, problem, 1e-5, &b->loglik, err);
}

/* ---- self-test ---- */

/*
 * The likeliest successor of a row, and whether the row was visited and is
 * deterministic.
 */
static int
row_of(const struct job *b, int a, int j, bool *tried, bool *deterministic)
{
	const double *c = b->counts + (a * b->S + j) * b->S;
	double sum = 0;
	int k, best = 0;

	for (k = 0; k < b->S; k++) {
		sum += c[k];
		if (c[k] > c[best])
			best = k;
	}
	*tried = sum > MIN_COUNT;
	*deterministic = *tried && c[best] > MIN_SHARE * sum;
	return best;
}

/*
 * Whether the inverse of action a leads from k back to j, if row (a, j) leads
 * to k.
 */
static bool
leads_back(const struct job *b, int a, int j, int k)
{
	bool tried, deterministic;

	return !b->inverses || k == j ||
	    row_of(b, b->inverse[a], k, &tried, &deterministic) == j;
}

/*
 * Count the rows; true if each was tried and is deterministic, as far as
 * transitions do not slip and, if reversible, each action is a permutation and
 * is undone by its inverse.
 */
static bool
is_complete(const struct job *b, struct cscg_multi_progress *line)
{
	bool ok = true, tried, deterministic;
	int a, j, k;

	line->rows = line->tried = line->deterministic = 0;
	for (a = 0; a < b->A; a++) {
		if (!b->taken[a])
			continue;
		memset(b->reached, 0, (size_t)b->S * sizeof *b->reached);
		for (j = 0; j < b->S; j++) {
			k = row_of(b, a, j, &tried, &deterministic);
			line->rows++;
			line->tried += tried;
			line->deterministic += deterministic;
			ok &= tried && (b->slips || deterministic) &&
			    !(b->set->reversible && b->reached[k]) &&
			    leads_back(b, a, j, k);
			b->reached[k] = true;
		}
	}
	return ok;
}

/*
 * Whether the rows that were tried are deterministic; if transitions slip,
 * whether few transitions differ from the usual ones.
 */
static bool
is_consistent(const struct job *b, const struct cscg_multi_progress *line)
{
	double all = 0, usual = 0, most;
	long S = b->S, r, k;

	if (!b->slips)
		return line->deterministic == line->tried;
	for (r = 0; r < b->A * S; r++) {
		for (most = 0, k = 0; k < S; k++) {
			all += b->counts[r * S + k];
			if (b->counts[r * S + k] > most)
				most = b->counts[r * S + k];
		}
		usual += most;
	}
	return all - usual <= MAX_SLIPS * all;
}

/* ---- a fit ---- */

/*
 * One fit from a random draw: episodes 0..line->episode, in their order at the
 * first draw, then in random order, since an episode with many transitions is
 * the better anchor.  The fit stops as soon as it is not consistent: more
 * episodes rarely correct that.
 */
static int
fit_once(struct job *b, struct cscg_multi_progress *line, struct cscg_err *err)
{
	long S = b->S, j;
	struct cscg_rng rng;
	double *E;
	int e;

	cscg_rng_seed(&rng, b->set->seed, CSCG_RNG_MULTI,
	    (uint64_t)b->n_fits++, 0);
	for (e = 0; e <= line->episode; e++)
		b->order[e] = e;
	if (line->draws > 0)
		cscg_rng_shuffle(&rng, b->order, line->episode + 1);
	E = E_of(b, b->order[0]);
	clear(E, S * S);
	for (j = 0; j < S; j++)
		E[j * S + j] = 1;
	clear(b->counts, b->cells);
	set_trans(b);
	if (fit_T(b, 1, err) < 0)
		return -1;
	for (e = 1; e <= line->episode; e++) {
		if (fit_E(b, b->order[e], &rng, err) < 0 ||
		    fit_T(b, e + 1, err) < 0)
			return -1;
		is_complete(b, line);
		if (!is_consistent(b, line))
			break;
	}
	return 0;
}

/* A search for the start state of an episode and its binding. */
struct search {
	const struct cscg_model *m;
	const struct cscg_walk *w;
	int e;
	int *to;             /* [A][S], -1: unknown */
	int *symbol, *state; /* inverse maps, -1: not bound */
	int *bound, n;       /* states in the order they were bound */
};

/* Undo all bindings after the first n. */
static void
unbind(struct search *s, int n)
{
	while (s->n > n) {
		int z = s->bound[--s->n];

		s->state[s->symbol[z]] = -1;
		s->symbol[z] = -1;
	}
}

/*
 * Match from state z at step t to the end; z < 0: any consistent state.  Only
 * an unbound state branches, so the depth is at most n_states.
 */
static bool
match_from(struct search *s, long t, int z)
{
	const struct cscg_walk *w = s->w;
	int S = s->m->n_states, n = s->n;

	for (; t < w->start[s->e + 1]; t++) {
		int x = w->x[t];

		if (cscg_walk_starts_run(w, s->e, t))
			z = z >= 0 ? z : s->state[x];
		else if (z >= 0)
			z = s->to[w->a[t - 1] * S + z];
		if (z < 0) {
			if (!cscg_walk_starts_run(w, s->e, t))
				break;
			for (z = 0; z < S; z++)
				if (s->symbol[z] < 0 && match_from(s, t, z))
					return true;
			break;
		}
		if (s->symbol[z] < 0 && s->state[x] < 0) {
			s->symbol[z] = x;
			s->state[x] = z;
			s->bound[s->n++] = z;
		}
		if (s->symbol[z] != x || s->state[x] != z)
			break;
		if (t + 1 < w->start[s->e + 1] &&
		    cscg_walk_starts_run(w, s->e, t + 1))
			z = -1;
	}
	if (t == w->start[s->e + 1])
		return true;
	unbind(s, n);
	return false;
}

int
cscg_multi_can_produce(const struct cscg_model *m, const struct cscg_walk *w,
    int e, int *symbol, struct cscg_err *err)
{
	struct cscg_pool mem = { .err = err };
	struct search s = { .m = m, .w = w, .e = e };
	size_t S = (size_t)m->n_states, K = (size_t)w->head.n_obs;
	int rc = -1;

	s.to = cscg_pool_add(&mem, (size_t)m->n_actions * S, sizeof *s.to);
	s.symbol = cscg_pool_add(&mem, S, sizeof *s.symbol);
	s.state = cscg_pool_add(&mem, K, sizeof *s.state);
	s.bound = cscg_pool_add(&mem, S, sizeof *s.bound);
	if (mem.failed)
		goto out;
	cscg_model_successors(m, s.to);
	memset(s.symbol, -1, S * sizeof *s.symbol);
	memset(s.state, -1, K * sizeof *s.state);
	rc = match_from(&s, w->start[e], -1);
	if (symbol)
		memcpy(symbol, s.symbol, S * sizeof *symbol);
out:
	cscg_pool_free(&mem);
	return rc;
}

/* ---- episode by episode ---- */

static int
store(struct job *b, struct cscg_err *err)
{
	return cscg_model_set_dense(b->m, b->counts, 1e-5, err);
}

/* The state that episode e most likely binds to symbol x. */
static int
state_of(const struct job *b, int e, int x)
{
	const double *E = E_of(b, e) + x;
	int j, best = 0;

	for (j = 1; j < b->S; j++)
		if (E[j * b->S] > E[best * b->S])
			best = j;
	return best;
}

/*
 * Count the usual successors of episode e in b->votes, by state; false if the
 * episode binds two of these symbols to one state.  Overwrites usual and next.
 */
static bool
vote(struct job *b, int e)
{
	int a, x, y, j, k;
	long unused;
	bool ok = true;

	find_usual(b, e, &unused);
	memset(b->symbol, -1, (size_t)b->S * sizeof *b->symbol);
	for (a = 0; a < b->A; a++)
		for (x = 0; x < b->S; x++) {
			y = b->usual[a * b->S + x];
			if (y < 0)
				continue;
			j = state_of(b, e, x);
			k = state_of(b, e, y);
			ok &= b->symbol[j] < 0 || b->symbol[j] == x;
			b->symbol[j] = x;
			ok &= b->symbol[k] < 0 || b->symbol[k] == y;
			b->symbol[k] = y;
			b->votes[(a * b->S + j) * b->S + k]++;
		}
	return ok;
}

/*
 * Without inverse actions, and with slips: whether the usual successor of each
 * row is that of several episodes.
 */
static bool
rows_agreed(struct job *b, int n)
{
	long S = b->S, r, k;
	bool ok = true, tried, deterministic;
	double sum, most;
	int e;

	if (is_sensitive(b))
		return true;
	clear(b->votes, b->cells);
	for (e = 0; e <= n && ok; e++)
		ok = vote(b, e);
	for (r = 0; r < b->A * S && ok; r++) {
		if (!b->taken[r / S])
			continue;
		for (sum = 0, k = 0; k < S; k++)
			sum += b->votes[r * S + k];
		most = b->votes[r * S +
		    row_of(b, (int)(r / S), (int)(r % S), &tried,
			&deterministic)];
		ok = 2 * most - sum >= MIN_VOTES &&
		    most >= MIN_AGREEMENT * sum;
	}
	return ok;
}

/* Remove slips: keep only the usual transition of each row. */
static void
remove_slips(struct job *b)
{
	bool tried, deterministic;
	int a, j, k, best;

	for (a = 0; a < b->A; a++)
		for (j = 0; j < b->S; j++) {
			best = row_of(b, a, j, &tried, &deterministic);
			for (k = 0; k < b->S; k++)
				if (k != best)
					b->counts[(a * b->S + j) * b->S + k] =
					    0;
		}
}

static bool
passes(struct job *b, struct cscg_multi_progress *line)
{
	return is_complete(b, line) && is_consistent(b, line) &&
	    rows_agreed(b, line->episode);
}

/*
 * Fit again until the self-test passes; the last fit is kept if none does.  If
 * transitions slip and the fit before had passed (*passed), the episode is
 * first added to that.
 */
static int
fit_restarts(struct job *b, struct cscg_multi_progress *line, bool *passed,
    struct cscg_err *err)
{
	struct cscg_rng rng;

	if (*passed && b->slips) {
		cscg_rng_seed(&rng, b->set->seed, CSCG_RNG_MULTI,
		    (uint64_t)b->n_fits++, 0);
		b->order[line->episode] = line->episode;
		if (fit_E(b, line->episode, &rng, err) < 0 ||
		    fit_T(b, line->episode + 1, err) < 0)
			return -1;
		line->draws = 1;
		*passed = passes(b, line);
	} else {
		*passed = false;
	}
	while (!*passed && line->draws < b->set->draws) {
		if (fit_once(b, line, err) < 0)
			return -1;
		line->draws++;
		*passed = passes(b, line);
		if (line->episode == 0)
			break; /* the fit is not random */
	}
	line->loglik = b->loglik;
	if (*passed && b->slips)
		remove_slips(b);
	return store(b, err);
}

/*
 * The graph predicted the episode: add its transitions under the binding
 * found.  A transition to a state visited before in this episode confirms its
 * row.
 */
static int
add_transitions(struct job *b, int e, struct cscg_err *err)
{
	const struct cscg_walk *w = b->w;
	long t, row;
	int j;

	memset(b->reached, 0, (size_t)b->S * sizeof *b->reached);
	for (j = 0; j < b->S; j++)
		if (b->symbol[j] >= 0)
			b->state[b->symbol[j]] = j;
	for (t = w->start[e]; t < w->start[e + 1]; t++) {
		j = b->state[w->x[t]];
		if (!cscg_walk_starts_run(w, e, t)) {
			row = w->a[t - 1] * b->S + b->state[w->x[t - 1]];
			b->counts[row * b->S + j]++;
			b->confirmed[row] |= b->reached[j];
		}
		b->reached[j] = true;
	}
	return store(b, err);
}

/* True if every row has made a correct prediction. */
static bool
rows_confirmed(const struct job *b)
{
	int a, j;

	for (a = 0; a < b->A; a++)
		for (j = 0; j < b->S && b->taken[a]; j++)
			if (!b->confirmed[a * b->S + j])
				return false;
	return true;
}

static int
learn(struct job *b, struct cscg_multi_progress *line, struct cscg_err *err)
{
	bool passed = false; /* the self-test of the graph so far */
	bool reversible;     /* that test needs no further episode */
	int e, rc = 0;

	for (e = 0; e < b->w->n_episodes; e++) {
		line->episode = e;
		line->draws = 0;
		examine(b, e);
		reversible = b->set->reversible || b->inverses || b->slips;
		if (passed && !b->slips)
			rc = cscg_multi_can_produce(b->m, b->w, e, b->symbol,
			    err);
		line->predicted = rc > 0;
		if (line->predicted) {
			rc = add_transitions(b, e, err);
			line->complete = reversible || rows_confirmed(b);
		} else if (rc == 0) {
			memset(b->confirmed, 0,
			    (size_t)(b->A * b->S) * sizeof *b->confirmed);
			rc = fit_restarts(b, line, &passed, err);
			line->complete = passed && reversible;
		}
		if (rc < 0)
			return -1;
		if ((b->set->report && b->set->report(b->set->ctx, line)) ||
		    (line->complete && b->set->until_complete))
			break;
	}
	return 0;
}

static int
job_new(struct job *b, struct cscg_err *err)
{
	struct cscg_pool *mem = cscg_pool_begin(&b->mem, err);
	size_t S = (size_t)b->S, A = (size_t)b->A, n = A * S * S;
	size_t episodes = (size_t)b->w->n_episodes;
	int j;

	b->cells = (long)n;
	b->usual = cscg_pool_add(mem, A * S, sizeof *b->usual);
	b->yes = cscg_pool_add(mem, A * A, sizeof *b->yes);
	b->no = cscg_pool_add(mem, A * A, sizeof *b->no);
	b->inverse = cscg_pool_add(mem, A, sizeof *b->inverse);
	b->votes = cscg_pool_add(mem, n, sizeof *b->votes);
	b->symbol = cscg_pool_add(mem, S, sizeof *b->symbol);
	b->state = cscg_pool_add(mem, S, sizeof *b->state);
	b->reached = cscg_pool_add(mem, S, sizeof *b->reached);
	b->E = cscg_pool_add(mem, episodes * S, S * sizeof *b->E);
	b->best_E = cscg_pool_add(mem, S * S, sizeof *b->best_E);
	b->seen = cscg_pool_add(mem, S * S, sizeof *b->seen);
	b->counts = cscg_pool_add(mem, n, sizeof *b->counts);
	b->next = cscg_pool_add(mem, n, sizeof *b->next);
	b->confirmed = cscg_pool_add(mem, A * S, sizeof *b->confirmed);
	b->order = cscg_pool_add(mem, episodes, sizeof *b->order);
	b->m = cscg_model_new(CSCG_GROUNDED, (int)b->S, (int)b->A, (int)b->S,
	    err);
	if (mem->failed || !b->m)
		return -1;
	for (j = 0; j < b->S; j++)
		b->m->clone[j] = j;
	b->m->pseudocount = b->set->pseudocount;
	b->tr = cscg_trans_dense(b->m, &cscg_plain_double, err);
	return b->tr ? 0 : -1;
}

struct cscg_model *
cscg_multi(const struct cscg_walk *w, const struct cscg_multi *set,
    struct cscg_multi_progress *last, struct cscg_err *err)
{
	struct job b = { .w = w,
		.set = set,
		.S = w->head.n_obs,
		.A = w->head.n_actions,
		.mem.err = err };
	int rc = -1;

	*last = (struct cscg_multi_progress){ .episode = -1 };
	b.taken = cscg_pool_add(&b.mem, (size_t)b.A, sizeof *b.taken);
	if (b.mem.failed || check_walk(&b, err) < 0 || job_new(&b, err) < 0 ||
	    check_usual(&b, err) < 0 || learn(&b, last, err) < 0)
		goto out;
	cscg_model_unground(b.m, CSCG_CLONES);
	if (cscg_names_copy(&b.m->actions, &w->head.actions, err) == 0)
		rc = 0;
out:
	cscg_trans_free(b.tr);
	cscg_work_free(&b.work);
	cscg_pool_free(&b.mem);
	if (rc < 0) {
		cscg_model_free(b.m);
		return NULL;
	}
	return b.m;
}
