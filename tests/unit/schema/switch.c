/*
 * switching: the union of schemas by hand; messages, posteriors and switches
 * against the enumeration of all paths; EM against cscg_bind(); and that rows
 * of a stream do not depend on later steps
 */
#include <string.h>

#include "schema/bind.h"
#include "brute/paths.h"
#include "kernel/cpu.h"
#include "schema/switch.h"
#include "schema/switch_pass.h"
#include "tap.h"
#include "walker.h"

enum { STATES = 5, STEPS = 6, SYMBOLS = 3 };

/* ---- schemas ---- */

/*
 * A ring of n states: action 0 leads to the next, action 1 to the previous one
 * (line: blocked at the ends).
 */
static struct cscg_model *
ring(int n, bool line)
{
	struct cscg_model *m = need(cscg_model_new(CSCG_SCHEMA, n, 2, 1,
	    &err));
	struct cscg_count c[32];
	int j;

	for (j = 0; j < n; j++) {
		c[2 * j] = (struct cscg_count){ 0, j,
			line && j == n - 1 ? j : (j + 1) % n, 3 };
		c[2 * j + 1] = (struct cscg_count){ 1, j,
			line && j == 0 ? j : (j + n - 1) % n, 2 };
	}
	need(cscg_model_set_counts(m, c, 2 * n, &err) < 0 ? NULL : m);
	return m;
}

static void
name_actions(struct cscg_model *m, const char *zero, const char *one)
{
	const char *const words[] = { zero, one, NULL };

	cscg_names_free(&m->actions);
	need(cscg_names_set(&m->actions, words, &err) < 0 ? NULL : m);
}

/* ---- the union ---- */

static void
test_union(void)
{
	struct cscg_model *a = ring(2, false), *b = ring(3, true), *m;
	const struct cscg_model *both[] = { a, b };
	struct cscg_walk_header head = { .n_actions = 2, .n_obs = SYMBOLS };
	const char *const words[] = { "on", "back", NULL };
	int base[3], which;

	name_actions(a, "on", "back");
	name_actions(b, "back", "on"); /* its 0 is the walk's 1 */
	a->pseudocount = 7;            /* not used */
	need(cscg_names_set(&head.actions, words, &err) < 0 ? NULL : a);
	m = need(cscg_switch_union(both, 2, &head, .1, base, &which, &err));
	ok(m->n_states == 5 && base[0] == 0 && base[1] == 2 && base[2] == 5 &&
		which == -1,
	    "states of the second schema follow those of the first");
	ok(near(cscg_model_T(m, 0, 0, 1), .9 + .02, 1e-15) &&
		near(cscg_model_T(m, 0, 0, 0), .02, 1e-15) &&
		near(cscg_model_T(m, 0, 0, 4), .02, 1e-15),
	    "a transition is that of the schema, or with small probability "
	    "any");
	ok(near(cscg_model_T(m, 1, 2, 3), .92, 1e-15) &&
		near(cscg_model_T(m, 0, 4, 3), .92, 1e-15) &&
		near(cscg_model_T(m, 0, 2, 2), .92, 1e-15),
	    "actions are matched by name");
	ok(cscg_model_check(m, &err) == 0, "the union is a valid model");
	cscg_model_free(m);
	need(cscg_model_set_counts(b, NULL, 0, &err) < 0 ? NULL : b);
	m = need(cscg_switch_union(both, 2, &head, .1, base, NULL, &err));
	ok(near(cscg_model_T(m, 0, 3, 0), .2, 1e-15) &&
		near(cscg_model_T(m, 0, 3, 3), .2, 1e-15),
	    "a row without counts is uniform over all states");
	cscg_model_free(m);
	name_actions(b, "back", "up");
	ok(!cscg_switch_union(both, 2, &head, .1, base, &which, &err) &&
		which == 1 && err.code == CSCG_EMISMATCH,
	    "a schema that lacks an action is named");
	cscg_names_free(&head.actions);
	cscg_model_free(a);
	cscg_model_free(b);
}

/* ---- enumeration ---- */

/* The union of a ring of two and a line of three, for a walk of two actions. */
static struct cscg_model *
tiny(int base[3])
{
	struct cscg_model *a = ring(2, false), *b = ring(3, true), *m;
	const struct cscg_model *both[] = { a, b };
	struct cscg_walk_header head = { .n_actions = 2, .n_obs = SYMBOLS };

	m = need(cscg_switch_union(both, 2, &head, .2, base, NULL, &err));
	cscg_model_free(a);
	cscg_model_free(b);
	return m;
}

/* Pseudo-random emissions. */
static void
some_E(double *E)
{
	int j, x;

	for (j = 0; j < STATES; j++) {
		double sum = 0;

		for (x = 0; x < SYMBOLS; x++)
			sum += E[j * SYMBOLS + x] = 1 +
			    (j * 7 + x * x * 5) % 4;
		for (x = 0; x < SYMBOLS; x++)
			E[j * SYMBOLS + x] /= sum;
	}
}

/* Of n steps; a dropout at step 2, and a reset before step 4 if wanted. */
static struct cscg_walk *
tiny_walk(long n, bool reset)
{
	static const int x[STEPS] = { 0, 2, -1, 1, 1, 0 };
	static const int a[STEPS] = { 0, 1, 0, 1, 0, 1 };
	struct cscg_walk_header head = { .n_actions = 2, .n_obs = SYMBOLS };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	long t;

	for (t = 0; t < n; t++) {
		struct cscg_step s = { .x = x[t],
			.a = t + 1 < n ? a[t] : -1,
			.z = -1,
			.goal = -1,
			.r = NAN,
			.reset = reset && t == 4 };

		need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
	}
	return w;
}

/* Results of the enumeration for a walk. */
struct truth {
	double lik, posterior[STEPS][2], p_switch[STEPS],
	    visits[STATES][SYMBOLS];
};

static void
add_path(struct truth *tr, const struct cscg_walk *w, const int *base,
    const int *z, double p)
{
	long t;

	tr->lik += p;
	for (t = 0; t < w->n_steps; t++) {
		int k = z[t] >= base[1];

		tr->posterior[t][k] += p;
		if (t && !(w->reset && w->reset[t]) &&
		    k != (z[t - 1] >= base[1]))
			tr->p_switch[t] += p;
		if (w->x[t] >= 0)
			tr->visits[z[t]][w->x[t]] += p;
	}
}

static void
enumerate(const struct cscg_model *m, const struct cscg_walk *w,
    const int *base, struct truth *tr)
{
	int z[STEPS] = { 0 }, j, x;
	long t;

	*tr = (struct truth){ .lik = 0 };
	for (;;) {
		add_path(tr, w, base, z, brute_path(m, w, 0, NULL, z));
		for (t = 0; t < w->n_steps && ++z[t] == STATES; t++)
			z[t] = 0;
		if (t == w->n_steps)
			break;
	}
	for (t = 0; t < w->n_steps; t++) {
		tr->posterior[t][0] /= tr->lik;
		tr->posterior[t][1] /= tr->lik;
		tr->p_switch[t] /= tr->lik;
	}
	for (j = 0; j < STATES; j++)
		for (x = 0; x < SYMBOLS; x++)
			tr->visits[j][x] /= tr->lik;
}

/* Passes over the walk with this E. */
static struct cscg_switch_emission *
look_of(const struct cscg_switch_trans *map, const double *E, int K)
{
	struct cscg_switch_emission *look = need(cscg_switch_emission_new(map,
	    K, &err));
	double *line = need(calloc((size_t)map->S, sizeof *line));
	int j, x;

	for (x = 0; x < K; x++) {
		cscg_switch_add_symbol(look, x, 1);
		for (j = 0; j < map->S; j++)
			line[j] = E[j * K + x];
		map->kern->set(cscg_switch_column(look, x), line, map->S);
	}
	free(line);
	return look;
}

static struct cscg_switch_segment
part_of(const struct cscg_walk *w)
{
	return (struct cscg_switch_segment){
		.x = w->x, .a = w->a, .reset = w->reset, .n = w->n_steps
	};
}

static void
check_smoothed(const struct cscg_switch_trans *map, const struct truth *tr,
    const double *E, const struct cscg_walk *w, double tol, const char *name)
{
	struct cscg_switch_emission *look = look_of(map, E, SYMBOLS);
	struct cscg_switch_pass *pass = need(cscg_switch_pass_new(map, &err));
	struct cscg_switch_segment part = part_of(w);
	double p[STEPS * 2], turn[STEPS], loglik;
	struct cscg_switch_posteriors tell = { p, turn };
	int bad = 0, j, x;
	long t;

	ok(cscg_switch_estep(pass, look, &part, &tell, &loglik, &err) == 0 &&
		near(loglik, log(tr->lik), tol),
	    "%s: the likelihood is the sum over all paths", name);
	for (t = 0; t < w->n_steps; t++)
		bad += !near(p[2 * t], tr->posterior[t][0], tol) ||
		    !near(p[2 * t + 1], tr->posterior[t][1], tol);
	ok(!bad,
	    "%s: the posterior over schemas at each step is the sum over all "
	    "paths",
	    name);
	for (bad = 0, t = 0; t < w->n_steps; t++)
		bad += !near(turn[t], tr->p_switch[t], tol);
	ok(!bad, "%s: the probability of a switch is the sum over all paths",
	    name);
	for (bad = 0, j = 0; j < STATES; j++)
		for (x = 0; x < SYMBOLS; x++)
			bad += !near(cscg_switch_visits(look, x)[j],
			    tr->visits[j][x], tol);
	ok(!bad,
	    "%s: expected visits of states and symbols are sums over all "
	    "paths",
	    name);
	cscg_switch_emission_free(look);
	cscg_switch_pass_free(pass);
}

/* The filter at step t is the enumeration of the first t + 1 steps. */
static void
check_filtered(const struct cscg_switch_trans *map, const struct cscg_model *m,
    const int *base, const double *E, bool reset, double tol, const char *name)
{
	struct cscg_switch_emission *look = look_of(map, E, SYMBOLS);
	struct cscg_switch_pass *pass = need(cscg_switch_pass_new(map, &err));
	struct cscg_walk *all = tiny_walk(STEPS, reset), *w;
	char *now = need(aligned_alloc(CSCG_ALIGN, 1024));
	char *then = need(aligned_alloc(CSCG_ALIGN, 1024)), *swap;
	struct truth tr;
	double p[2], turn;
	int bad = 0;
	long t;

	for (t = 0; t < STEPS; t++) {
		bool fresh = t == 0 || (all->reset && all->reset[t]);

		bad += cscg_switch_filter(pass, look, now,
			   fresh ? -1 : all->x[t - 1],
			   fresh ? -1 : all->a[t - 1], all->x[t], then, p,
			   &turn, &err) < 0;
		swap = now;
		now = then;
		then = swap;
		w = tiny_walk(t + 1, reset);
		enumerate(m, w, base, &tr);
		cscg_walk_free(w);
		bad += !near(p[0], tr.posterior[t][0], tol) ||
		    !near(p[1], tr.posterior[t][1], tol) ||
		    !near(turn, tr.p_switch[t], tol);
	}
	ok(!bad, "%s: the filtered posterior equals enumeration of the prefix",
	    name);
	free(now);
	free(then);
	cscg_walk_free(all);
	cscg_switch_emission_free(look);
	cscg_switch_pass_free(pass);
}

static void
test_paths(const struct cscg_simd *simd, bool is_double, const char *kernel)
{
	double E[STATES * SYMBOLS], tol = is_double ? 1e-12 : 2e-6;
	int base[3], reset;

	some_E(E);
	for (reset = 0; reset < 2; reset++) {
		struct cscg_model *m = tiny(base);
		struct cscg_walk *w = tiny_walk(STEPS, reset);
		struct cscg_switch_trans *map;
		struct truth tr;
		char name[64];

		snprintf(name, sizeof name, "%s%s", kernel,
		    reset ? ", with a reset" : "");
		need(cscg_model_set_E(m, E, SYMBOLS, &err) < 0 ? NULL : m);
		enumerate(m, w, base, &tr);
		map = need(
		    cscg_switch_trans_take(need(cscg_model_copy(m, &err)),
			base, 2, simd, is_double, &err));
		check_smoothed(map, &tr, E, w, tol, name);
		check_filtered(map, m, base, E, reset, tol, name);
		cscg_switch_trans_free(map);
		cscg_walk_free(w);
		cscg_model_free(m);
	}
}

/* ---- EM ---- */

/* First na steps in a ring of three symbols, then in one of five. */
static struct cscg_walk *
two_rings(long na, long n, uint64_t seed)
{
	struct cscg_walk_header head = { .n_actions = 2, .n_obs = 8 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_rng rng;
	int at = 0, a;
	long t;

	cscg_rng_seed(&rng, seed, CSCG_RNG_TEST, 0, 0);
	for (t = 0; t < n; t++) {
		struct cscg_step s = { .z = -1, .goal = -1, .r = NAN };
		int size = t < na ? 3 : 5;

		at = t == na ? 0 : at;
		a = (int)cscg_rng_below(&rng, 4) == 0;
		s.x = s.z = t < na ? at : 3 + at;
		s.a = t + 1 < n ? a : -1;
		at = (at + (a ? size - 1 : 1)) % size;
		need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
	}
	return w;
}

static struct cscg_model *
rings_union(int base[3])
{
	struct cscg_model *a = ring(3, false), *b = ring(5, false), *m;
	const struct cscg_model *both[] = { a, b };
	struct cscg_walk_header head = { .n_actions = 2, .n_obs = 8 };

	m = need(cscg_switch_union(both, 2, &head, .01, base, NULL, &err));
	cscg_model_free(a);
	cscg_model_free(b);
	return m;
}

enum { S8 = 8, K8 = 8 };

static void
test_em(const struct cscg_simd *simd, bool is_double, const char *kernel)
{
	struct cscg_walk *w = two_rings(400, 700, 1);
	struct cscg_switch_options set = { .iterations = 7,
		.pseudocount = 1e-3,
		.jitter = .01,
		.seed = 5,
		.is_double = is_double };
	struct cscg_bind bind = {
		.iterations = 7, .pseudocount = 1e-3, .is_double = true
	};
	double E[S8 * K8], pi[S8], tol = is_double ? 1e-10 : 2e-4, e;
	struct cscg_switch_segment part = part_of(w);
	struct cscg_switch_trans *map;
	struct cscg_switch_pass *pass;
	struct cscg_switch_emission *look;
	struct cscg_em_progress fit;
	struct cscg_em_progress last;
	int base[3], bad = 0, j, x;

	map = need(cscg_switch_trans_take(rings_union(base), base, 2, simd,
	    is_double, &err));
	pass = need(cscg_switch_pass_new(map, &err));
	for (j = 0; j < S8; j++) {
		double sum = 0;

		pi[j] = 1.0 / S8;
		for (x = 0; x < K8; x++)
			sum += E[j * K8 + x] = 1 + ((j * 5 + x * 3) % 7) * .1;
		for (x = 0; x < K8; x++)
			E[j * K8 + x] /= sum;
	}
	look = look_of(map, E, K8);
	need(cscg_bind(map->m, w, &bind, E, pi, &last, &err) < 0 ? NULL : w);
	ok(cscg_switch_em(pass, look, &part, &set, &fit, &err) == 0 &&
		fit.iteration == 7 && near(fit.loglik, last.loglik, tol) &&
		near(fit.objective, last.objective, tol),
	    "%s: EM of one schema equals cscg_bind()", kernel);
	for (j = 0; j < S8; j++)
		for (x = 0; x < K8; x++) {
			map->kern->get((char *)cscg_switch_column(look, x) +
				(size_t)j * map->kern->size,
			    &e, 1);
			bad += !near(e, E[j * K8 + x], tol);
		}
	ok(!bad, "%s: its emissions equal those of cscg_bind()", kernel);
	cscg_switch_emission_free(look);
	cscg_switch_pass_free(pass);
	cscg_switch_trans_free(map);
	cscg_walk_free(w);
}

/* ---- steps that are discarded, and steps that are added ---- */

static double
difference(const double *a, const double *b, size_t n)
{
	double most = 0;
	size_t i;

	for (i = 0; i < n; i++)
		most = fabs(a[i] - b[i]) > most ? fabs(a[i] - b[i]) : most;
	return most;
}

static void
test_held(void)
{
	struct cscg_walk *w = two_rings(400, 700, 2);
	struct cscg_switch_segment part = part_of(w), rest;
	struct cscg_switch_trans *map;
	struct cscg_switch_pass *pass;
	struct cscg_switch_emission *look;
	double E[S8 * K8], *whole, *sum, loglik, before, after;
	size_t n = (K8 + 1) * S8, i;
	int base[3], j;

	for (j = 0; j < S8 * K8; j++)
		E[j] = (j * 13 % 11 + 1) / 60.;
	map = need(cscg_switch_trans_take(rings_union(base), base, 2, NULL,
	    true, &err));
	pass = need(cscg_switch_pass_new(map, &err));
	look = look_of(map, E, K8);
	whole = need(calloc(n, sizeof *whole));
	sum = need(calloc(n, sizeof *sum));
	need(cscg_switch_estep(pass, look, &part, NULL, &loglik, &err) < 0 ?
		NULL :
		w);
	memcpy(whole, look->visits, n * sizeof *whole);
	look->old_visits = need(calloc(n, sizeof *look->old_visits));
	part.n_old = 512;
	need(cscg_switch_estep(pass, look, &part, NULL, &loglik, &err) < 0 ?
		NULL :
		w);
	for (i = 0; i < n; i++)
		sum[i] = look->visits[i] + look->old_visits[i];
	ok(difference(sum, whole, n) < 1e-9,
	    "stored counts and stored steps add up to all visits");
	rest = (struct cscg_switch_segment){ .x = w->x + 512,
		.a = w->a + 512,
		.n = w->n_steps - 512,
		.from = cscg_switch_chunk_message(pass, 2) };
	memcpy(sum, look->visits, n * sizeof *sum);
	before = loglik;
	need(cscg_switch_estep(pass, look, &rest, NULL, &after, &err) < 0 ?
		NULL :
		w);
	ok(difference(sum, look->visits, n) < 1e-9 && after > before,
	    "discarded steps are represented by the message");
	cscg_switch_mstep(look, 1e-3);
	for (i = 0; i < S8; i++)
		sum[i] = i == 3 ? .75 : i == 5 ? .25 : 0;
	cscg_switch_add_visit(look, 4, sum, 1e-3);
	memcpy(whole, look->column, n * sizeof *whole);
	cscg_switch_mstep(look, 1e-3);
	ok(difference((double *)(void *)look->column, whole, n) < 1e-12,
	    "a learned step is counted once");
	free(whole);
	free(sum);
	cscg_switch_emission_free(look);
	cscg_switch_pass_free(pass);
	cscg_switch_trans_free(map);
	cscg_walk_free(w);
}

/* ---- rows ---- */

enum { ROWS = 4000 };
static struct rows {
	long n, best_turn;
	struct cscg_switch_row row[ROWS];
	double p[ROWS][2];
} got, other;

static int
keep(void *ctx, const struct cscg_switch_row *row, struct cscg_err *e)
{
	struct rows *r = ctx;

	if (r->n == ROWS)
		return cscg_fail(e, CSCG_EBUG, "too many rows");
	r->row[r->n] = *row;
	r->row[r->n].posterior = NULL;
	memcpy(r->p[r->n], row->posterior, sizeof r->p[0]);
	if (row->p_switch > r->row[r->best_turn].p_switch)
		r->best_turn = r->n;
	r->n++;
	return 0;
}

static void
run(const struct cscg_switch_options *how, const struct cscg_walk *w, long n,
    struct rows *rows)
{
	struct cscg_switch_options set = *how;
	struct cscg_model *a = ring(3, false), *b = ring(5, false);
	struct cscg_switch *sw;
	struct cscg_step s;
	long t;

	memset(rows, 0, sizeof *rows);
	set.row = keep;
	set.ctx = rows;
	sw = need(cscg_switch_new(&set, &err));
	need(cscg_switch_add(sw, "a", a, &err) < 0 ||
		    cscg_switch_add(sw, "b", b, &err) < 0 ||
		    cscg_switch_begin_walk(sw, &w->head, &err) < 0 ?
		NULL :
		sw);
	for (t = 0; t < n; t++) {
		cscg_walk_get_step(w, t, &s);
		need(cscg_switch_step(sw, &s, &err) < 0 ? NULL : sw);
	}
	cscg_switch_free(sw);
	cscg_model_free(a);
	cscg_model_free(b);
}

/* The first n rows, to the last bit. */
static bool
same_rows(const struct rows *a, const struct rows *b, long n)
{
	long i;

	for (i = 0; i < n; i++)
		if (a->row[i].episode != b->row[i].episode ||
		    a->row[i].step != b->row[i].step ||
		    a->row[i].node != b->row[i].node ||
		    a->row[i].best != b->row[i].best ||
		    a->row[i].p_switch != b->row[i].p_switch ||
		    a->p[i][0] != b->p[i][0] || a->p[i][1] != b->p[i][1])
			return false;
	return true;
}

static const struct cscg_switch_options usual = { .jump = .01,
	.restarts = 3,
	.jitter = .01,
	.iterations = 40,
	.tolerance = 1e-5,
	.pseudocount = 1e-3,
	.seed = 1,
	.threads = 1,
	.memory = 1024 };

static void
test_batch(void)
{
	struct cscg_walk *w = two_rings(400, 1000, 3);
	struct cscg_switch_options set = usual;
	const struct cscg_simd *simd = cscg_cpu_simd(0);
	long i, bad = 0;

	set.simd = simd;
	run(&set, w, w->n_steps, &got);
	for (i = 0; i < got.n; i++)
		bad += got.row[i].best != (i >= 400) ||
		    got.row[i].step != i + 1 || got.row[i].episode != 0 ||
		    got.row[i].node != w->z[i];
	ok(got.n == 1000 && !bad,
	    "a ring of three symbols, then one of five: each step is in the "
	    "right schema");
	ok(got.best_turn == 400 && got.row[400].p_switch > .9,
	    "the switch is at the right step");
	set.threads = 3;
	run(&set, w, w->n_steps, &other);
	ok(other.n == got.n && same_rows(&got, &other, got.n),
	    "threads do not change the result");
	set.seed = 2;
	run(&set, w, w->n_steps, &other);
	ok(!same_rows(&got, &other, got.n), "seeds change the result");
	cscg_walk_free(w);
}

static void
test_online(void)
{
	struct cscg_walk *w = two_rings(1500, 3500, 4);
	struct cscg_switch_options set = usual;
	long i, bad = 0, cut;

	set.online = true;
	set.simd = cscg_cpu_simd(0);
	run(&set, w, w->n_steps, &got);
	for (i = 200; i < got.n; i++)
		bad += got.row[i].best != (i >= 1500);
	ok(got.n == 3500 && bad <= 20,
	    "online, with steps discarded: %ld of 3300 steps in the wrong "
	    "schema",
	    bad);
	for (bad = 0, cut = 10; cut < 3500; cut += 498) {
		run(&set, w, cut, &other);
		bad += other.n != cut || !same_rows(&got, &other, cut);
	}
	ok(!bad, "a row does not depend on later steps");
	set.memory = 10000;
	run(&set, w, w->n_steps, &other);
	ok(same_rows(&got, &other, 1000) && !same_rows(&got, &other, got.n),
	    "the memory length has no influence before it is exceeded");
	cscg_walk_free(w);
}

static void
test_faults(void)
{
	struct cscg_model *a = ring(3, false), *b = ring(3, false);
	struct cscg_walk_header head = { .n_actions = 2, .n_obs = 2000000000 };
	struct cscg_switch *sw = need(cscg_switch_new(&usual, &err));

	need(cscg_switch_add(sw, "a", a, &err) < 0 ? NULL : sw);
	ok(cscg_switch_add(sw, "b", b, &err) < 0 &&
		err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg, "'a' and 'b' are the same schema"),
	    "the same schema twice is refused");
	ok(cscg_switch_begin_walk(sw, &head, &err) < 0 &&
		err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg,
		    "2000000000 symbols are too many for the 3 states of all "
		    "schemas (at most 44739242)"),
	    "too many symbols are refused");
	head.n_obs = 2;
	head.n_actions = 3;
	ok(cscg_switch_begin_walk(sw, &head, &err) < 0 &&
		err.code == CSCG_EMISMATCH &&
		!strncmp(err.msg, "schema 'a': ", 12),
	    "other actions are refused, with the name of the schema");
	cscg_switch_free(sw);
	cscg_model_free(a);
	cscg_model_free(b);
}

int
main(void)
{
	const struct cscg_simd *simd;
	int i;

	test_union();
	test_paths(NULL, true, "double");
	test_paths(NULL, false, "plain");
	test_em(NULL, true, "double");
	test_em(NULL, false, "plain");
	for (i = 0; (simd = cscg_cpu_simd(i)); i++) {
		test_paths(simd, false, simd->name);
		test_em(simd, false, simd->name);
	}
	test_held();
	test_batch();
	test_online();
	test_faults();
	return done();
}
