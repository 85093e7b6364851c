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

/* One T for all episodes, with one E per episode */

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
	int S, A;
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
	int *symbol;      /* [S] bound to each state in one episode */
	bool *taken;      /* [A] */
	bool *confirmed;  /* [A][S] made a correct prediction */
	int *order;       /* [episodes] order in which they are fitted */
	int *usual;       /* [A][S] usual successors in one episode, by symbol,
	                     -1: untried or ambiguous */
	int *visits;      /* [S] of one row */
	long *yes, *no;   /* [A][A] how often an action restored the symbol
	                     that another had changed, or did not */
	int *inverse;     /* [A] or -1 */
	bool inverses;    /* each action that was taken has one */
	bool slips;       /* some transitions differ from usual ones */
	long n_fits;      /* fits made so far */
	double log_prior; /* of the current T */
	double loglik;
};

/* ---- requirements on the walk ---- */

static int
check_walk(struct job *b, struct cscg_err *err)
{
	const struct cscg_walk *w = b->w;
	int e;
	long t;

	if (b->S > STATES_MAX)
		return cscg_fail(err, CSCG_ERANGE,
		    "%d symbols are more than the %d that can be bound in "
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
	size_t S = (size_t)b->S;
	long t;

	memset(b->next, 0, (size_t)b->A * S * S * sizeof *b->next);
	for (t = w->start[e]; t < w->start[e + 1]; t++)
		if (!cscg_walk_starts_run(w, e, t))
			b->next[((size_t)w->a[t - 1] * S +
				    (size_t)w->x[t - 1]) *
				S +
			    (size_t)w->x[t]]++;
}

/*
 * The usual successors of episode e into b->usual: that of most transitions of
 * its row, if it is alone.  Returns the number of transitions that differ from
 * the first successor of most transitions; *n is the number of all.
 */
static long
find_usual(struct job *b, int e, long *n)
{
	size_t S = (size_t)b->S, rows = (size_t)b->A * S, r, y, best;
	double sum, equal, all = 0, usual = 0;

	count_symbols(b, e);
	for (r = 0; r < rows; r++) {
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
	size_t S = (size_t)b->S;
	int a, c, x, y;

	for (a = 0; a < b->A; a++)
		for (x = 0; x < b->S; x++) {
			y = b->usual[(size_t)a * S + (size_t)x];
			for (c = 0; c < b->A && y >= 0 && y != x; c++) {
				int z = b->usual[(size_t)c * S + (size_t)y];

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
	cscg_inverse_decide(b->yes, b->no, b->A, b->slips ? MAX_SLIPS : 0,
	    b->inverse);
	b->inverses = true;
	for (a = 0; a < b->A; a++)
		b->inverses &= !b->taken[a] || b->inverse[a] >= 0;
}

/* ---- EM ---- */

static double *
E_of(const struct job *b, int e)
{
	return b->E + (size_t)e * (size_t)b->S * (size_t)b->S;
}

/* M-step of E: rows in proportion to the expected emissions of each state. */
static void
maximise_E(struct job *b, double *E)
{
	size_t S = (size_t)b->S, j, x;
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

	return b->seen + (size_t)b->x[t] * (size_t)b->S;
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
	size_t S = (size_t)b->S;
	long t;

	memset(b->seen, 0, S * S * sizeof *b->seen);
	b->x = b->w->x + b->w->start[e];
	if (cscg_trans_set_E(b->tr, E_of(b, e), b->S, err) < 0 ||
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
	size_t n = (size_t)b->S * (size_t)b->S, i;
	double sum = 0;

	for (i = 0; i < n; i++)
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
	size_t S = (size_t)b->S, i;
	double loglik = 0, best = 0;
	int draw, n = is_sensitive(b) ? 1 : SLIP_STARTS;

	for (draw = 0; draw < n; draw++) {
		for (i = 0; i < S * S; i++)
			b->seen[i % S * S + i / S] = cscg_rng_uniform(rng);
		maximise_E(b, E_of(b, e));
		if (run_em(&fit, problem, 1e-6, &loglik, err) < 0)
			return -1;
		if (draw == 0 || loglik > best) {
			best = loglik;
			memcpy(b->best_E, E_of(b, e), S * S * sizeof *b->E);
		}
	}
	memcpy(E_of(b, e), b->best_E, S * S * sizeof *b->E);
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
	memset(b->next, 0,
	    (size_t)b->A * (size_t)b->S * (size_t)b->S * sizeof *b->next);
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
	memcpy(b->counts, b->next,
	    (size_t)b->A * (size_t)b->S * (size_t)b->S * sizeof *b->counts);
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
	const double *c = b->counts +
	    ((size_t)a * (size_t)b->S + (size_t)j) * (size_t)b->S;
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
is_complete(const struct job *b, struct cscg_multi_progress *line,
    bool *reached)
{
	bool ok = true, tried, deterministic;
	int a, j, k;

	line->rows = line->tried = line->deterministic = 0;
	for (a = 0; a < b->A; a++) {
		if (!b->taken[a])
			continue;
		memset(reached, 0, (size_t)b->S * sizeof *reached);
		for (j = 0; j < b->S; j++) {
			k = row_of(b, a, j, &tried, &deterministic);
			line->rows++;
			line->tried += tried;
			line->deterministic += deterministic;
			ok &= tried && (b->slips || deterministic) &&
			    !(b->set->reversible && reached[k]) &&
			    leads_back(b, a, j, k);
			reached[k] = true;
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
	size_t S = (size_t)b->S, r, k;
	double all = 0, usual = 0, most;

	if (!b->slips)
		return line->deterministic == line->tried;
	for (r = 0; r < (size_t)b->A * S; r++) {
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
fit_once(struct job *b, struct cscg_multi_progress *line, bool *reached,
    struct cscg_err *err)
{
	size_t S = (size_t)b->S, j;
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
	memset(E, 0, S * S * sizeof *E);
	for (j = 0; j < S; j++)
		E[j * S + j] = 1;
	memset(b->counts, 0, (size_t)b->A * S * S * sizeof *b->counts);
	set_trans(b);
	if (fit_T(b, 1, err) < 0)
		return -1;
	for (e = 1; e <= line->episode; e++) {
		if (fit_E(b, b->order[e], &rng, err) < 0 ||
		    fit_T(b, e + 1, err) < 0)
			return -1;
		is_complete(b, line, reached);
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
	const int *to;       /* [A][S], -1: unknown */
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
	struct search s = { .m = m, .w = w, .e = e };
	size_t rows = (size_t)m->n_actions * (size_t)m->n_states;
	int *to = cscg_alloc(rows, sizeof *to, err), rc = -1;

	s.to = to;
	s.symbol = cscg_alloc((size_t)m->n_states, sizeof *s.symbol, err);
	s.state = cscg_alloc((size_t)w->head.n_obs, sizeof *s.state, err);
	s.bound = cscg_alloc((size_t)m->n_states, sizeof *s.bound, err);
	if (!to || !s.symbol || !s.state || !s.bound)
		goto out;
	cscg_model_successors(m, to);
	memset(s.symbol, -1, (size_t)m->n_states * sizeof *s.symbol);
	memset(s.state, -1, (size_t)w->head.n_obs * sizeof *s.state);
	rc = match_from(&s, w->start[e], -1);
	if (symbol)
		memcpy(symbol, s.symbol, (size_t)m->n_states * sizeof *symbol);
out:
	free(to);
	free(s.symbol);
	free(s.state);
	free(s.bound);
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
	size_t S = (size_t)b->S;
	int j, best = 0;

	for (j = 1; j < b->S; j++)
		if (E[(size_t)j * S] > E[(size_t)best * S])
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
	size_t S = (size_t)b->S, row, j, k;
	int a, x, y;
	long unused;
	bool ok = true;

	find_usual(b, e, &unused);
	memset(b->symbol, -1, S * sizeof *b->symbol);
	for (a = 0; a < b->A; a++)
		for (x = 0; x < b->S; x++) {
			row = (size_t)a * S;
			y = b->usual[row + (size_t)x];
			if (y < 0)
				continue;
			j = (size_t)state_of(b, e, x);
			k = (size_t)state_of(b, e, y);
			ok &= b->symbol[j] < 0 || b->symbol[j] == x;
			b->symbol[j] = x;
			ok &= b->symbol[k] < 0 || b->symbol[k] == y;
			b->symbol[k] = y;
			b->votes[(row + j) * S + k]++;
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
	size_t S = (size_t)b->S, r, k;
	bool ok = true, tried, deterministic;
	double sum, most;
	int e;

	if (is_sensitive(b))
		return true;
	memset(b->votes, 0, (size_t)b->A * S * S * sizeof *b->votes);
	for (e = 0; e <= n && ok; e++)
		ok = vote(b, e);
	for (r = 0; r < (size_t)b->A * S && ok; r++) {
		if (!b->taken[r / S])
			continue;
		for (sum = 0, k = 0; k < S; k++)
			sum += b->votes[r * S + k];
		most = b->votes[r * S +
		    (size_t)row_of(b, (int)(r / S), (int)(r % S), &tried,
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
					b->counts[((size_t)a * (size_t)b->S +
						      (size_t)j) *
						(size_t)b->S +
					    (size_t)k] = 0;
		}
}

static bool
passes(struct job *b, struct cscg_multi_progress *line, bool *reached)
{
	return is_complete(b, line, reached) && is_consistent(b, line) &&
	    rows_agreed(b, line->episode);
}

/*
 * Fit again until the self-test passes; the last fit is kept if none does.  If
 * transitions slip and the fit before had passed (*passed), the episode is
 * first added to that.
 */
static int
fit_restarts(struct job *b, struct cscg_multi_progress *line, bool *reached,
    bool *passed, struct cscg_err *err)
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
		*passed = passes(b, line, reached);
	} else {
		*passed = false;
	}
	while (!*passed && line->draws < b->set->draws) {
		if (fit_once(b, line, reached, err) < 0)
			return -1;
		line->draws++;
		*passed = passes(b, line, reached);
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
add_transitions(struct job *b, int e, const int *symbol, struct cscg_err *err)
{
	const struct cscg_walk *w = b->w;
	size_t S = (size_t)b->S, row;
	int *state = cscg_alloc(S, sizeof *state, err), j;
	bool *visited = cscg_alloc(S, sizeof *visited, err);
	long t;

	if (!state || !visited) {
		free(state);
		free(visited);
		return -1;
	}
	for (j = 0; j < b->S; j++)
		if (symbol[j] >= 0)
			state[symbol[j]] = j;
	for (t = w->start[e]; t < w->start[e + 1]; t++) {
		j = state[w->x[t]];
		if (!cscg_walk_starts_run(w, e, t)) {
			row = (size_t)w->a[t - 1] * S +
			    (size_t)state[w->x[t - 1]];
			b->counts[row * S + (size_t)j]++;
			b->confirmed[row] |= visited[j];
		}
		visited[j] = true;
	}
	free(state);
	free(visited);
	return store(b, err);
}

/* True if every row has made a correct prediction. */
static bool
rows_confirmed(const struct job *b)
{
	int a, j;

	for (a = 0; a < b->A; a++)
		for (j = 0; j < b->S && b->taken[a]; j++)
			if (!b->confirmed[(size_t)a * (size_t)b->S +
				(size_t)j])
				return false;
	return true;
}

static int
learn(struct job *b, struct cscg_multi_progress *line, struct cscg_err *err)
{
	bool *reached = cscg_alloc((size_t)b->S, sizeof *reached, err);
	int *symbol = cscg_alloc((size_t)b->S, sizeof *symbol, err);
	bool passed = false; /* the self-test of the graph so far */
	bool reversible;     /* that test needs no further episode */
	int e, rc = -1;

	if (!reached || !symbol)
		goto out;
	for (e = 0; e < b->w->n_episodes; e++) {
		line->episode = e;
		line->draws = 0;
		examine(b, e);
		reversible = b->set->reversible || b->inverses || b->slips;
		rc = passed && !b->slips ?
		    cscg_multi_can_produce(b->m, b->w, e, symbol, err) :
		    0;
		if (rc < 0)
			goto out;
		line->predicted = rc > 0;
		if (line->predicted) {
			rc = add_transitions(b, e, symbol, err);
			line->complete = reversible || rows_confirmed(b);
		} else {
			memset(b->confirmed, 0,
			    (size_t)b->A * (size_t)b->S *
				sizeof *b->confirmed);
			rc = fit_restarts(b, line, reached, &passed, err);
			line->complete = passed && reversible;
		}
		if (rc < 0)
			goto out;
		if ((b->set->report && b->set->report(b->set->ctx, line)) ||
		    (line->complete && b->set->until_complete))
			break;
	}
	rc = 0;
out:
	free(reached);
	free(symbol);
	return rc;
}

struct cscg_model *
cscg_multi(const struct cscg_walk *w, const struct cscg_multi *set,
    struct cscg_multi_progress *last, struct cscg_err *err)
{
	struct job b = {
		.w = w, .set = set, .S = w->head.n_obs, .A = w->head.n_actions
	};
	size_t S = (size_t)b.S, n;
	int j, rc = -1;

	*last = (struct cscg_multi_progress){ .episode = -1 };
	b.taken = cscg_alloc((size_t)b.A, sizeof *b.taken, err);
	if (!b.taken || check_walk(&b, err) < 0)
		goto out;
	n = (size_t)b.A * S * S;
	b.usual = cscg_alloc((size_t)b.A * S, sizeof *b.usual, err);
	b.yes = cscg_alloc((size_t)b.A * (size_t)b.A, sizeof *b.yes, err);
	b.no = cscg_alloc((size_t)b.A * (size_t)b.A, sizeof *b.no, err);
	b.inverse = cscg_alloc((size_t)b.A, sizeof *b.inverse, err);
	b.votes = cscg_alloc(n, sizeof *b.votes, err);
	b.symbol = cscg_alloc(S, sizeof *b.symbol, err);
	b.m = cscg_model_new(CSCG_GROUNDED, b.S, b.A, b.S, err);
	b.E = S * S <= SIZE_MAX / ((size_t)w->n_episodes + 1) ?
	    cscg_alloc((size_t)w->n_episodes * S * S, sizeof *b.E, err) :
	    NULL;
	b.best_E = cscg_alloc(S * S, sizeof *b.best_E, err);
	b.seen = cscg_alloc(S * S, sizeof *b.seen, err);
	b.counts = cscg_alloc(n, sizeof *b.counts, err);
	b.next = cscg_alloc(n, sizeof *b.next, err);
	b.confirmed = cscg_alloc((size_t)b.A * S, sizeof *b.confirmed, err);
	b.order = cscg_alloc((size_t)w->n_episodes, sizeof *b.order, err);
	if (!b.usual || !b.yes || !b.no || !b.inverse || !b.votes ||
	    !b.symbol || !b.best_E || !b.order || !b.confirmed || !b.m ||
	    !b.E || !b.seen || !b.counts || !b.next)
		goto out;
	for (j = 0; j < b.S; j++)
		b.m->clone[j] = j;
	b.m->pseudocount = set->pseudocount;
	b.tr = cscg_trans_dense(b.m, &cscg_plain_double, err);
	if (!b.tr || check_usual(&b, err) < 0 || learn(&b, last, err) < 0)
		goto out;
	cscg_model_unground(b.m, CSCG_CLONES);
	if (cscg_names_copy(&b.m->actions, &w->head.actions, err) == 0)
		rc = 0;
out:
	cscg_trans_free(b.tr);
	cscg_work_free(&b.work);
	free(b.E);
	free(b.best_E);
	free(b.seen);
	free(b.counts);
	free(b.next);
	free(b.taken);
	free(b.confirmed);
	free(b.order);
	free(b.usual);
	free(b.yes);
	free(b.no);
	free(b.inverse);
	free(b.votes);
	free(b.symbol);
	if (rc < 0) {
		cscg_model_free(b.m);
		return NULL;
	}
	return b.m;
}
