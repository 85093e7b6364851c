/* tied_em.c - EM with shared rows: by enumeration of paths; of an automaton */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/cpu.h"
#include "learn/alergia.h"
#include "learn/tied_em.h"
#include "tap.h"
#include "walker.h"

/* Symbols a, b and the end; two automaton states. */
enum { END = 2, S = 5 };
static const int clone[S] = { 0, 0, 1, 1, END };
static const int group[S] = { 0, 1, 0, 1, -1 };

static const struct cscg_learn usual = { .iterations = 1,
	.restarts = 1,
	.pseudocount = 2e-3,
	.is_double = true,
	.threads = 1 };

static struct cscg_walk *
strings(const char *const *text, int n)
{
	struct cscg_walk_header head = { .n_actions = 1, .n_obs = 3 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	int i;

	for (i = 0; i < n; i++) {
		const char *c = text[i];

		for (;; c++) {
			struct cscg_step s = { .x = *c ? *c - 'a' : END,
				.a = *c ? 0 : -1,
				.z = -1,
				.goal = -1,
				.r = NAN };

			need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
			if (!*c)
				break;
		}
	}
	return w;
}

/* Rows of the two automaton states; that of the first is pi. */
static const double row[2][S] = { { .3, .1, .2, .3, .1 },
	{ .1, .2, .1, .3, .3 } };

static struct cscg_model *
start_model(void)
{
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, S, 1, 3,
	    &err));
	double dense[S][S] = { { 0 } };
	int j;

	memcpy(m->clone, clone, sizeof clone);
	for (j = 0; j < S; j++)
		if (group[j] >= 0)
			memcpy(dense[j], row[group[j]], sizeof row[0]);
	need(cscg_model_set_dense(m, dense[0], 0, &err) < 0 ? NULL : m);
	m->pi = need(calloc(S, sizeof *m->pi));
	memcpy(m->pi, row[0], sizeof row[0]);
	return m;
}

/*
 * Expected transitions of each automaton state in an episode of n symbols: every
 * path of states, with its probability.
 */
static double
add_paths(const int *x, int n, const double rows[2][S], double expected[2][S])
{
	int path[8], i, code, codes = 1, from;
	double part[2][S] = { { 0 } }, all = 0, p;

	for (i = 0; i < n; i++)
		codes *= S;
	for (code = 0; code < codes; code++) {
		int c = code;

		for (i = 0, from = 0, p = 1; i < n; i++, c /= S) {
			path[i] = c % S;
			p *= clone[path[i]] == x[i] && from >= 0 ?
			    rows[from][path[i]] :
			    0;
			from = group[path[i]];
		}
		if (p <= 0)
			continue;
		all += p;
		for (i = 0, from = 0; i < n; i++) {
			part[from][path[i]] += p;
			from = group[path[i]];
		}
	}
	for (i = 0; i < S; i++) {
		expected[0][i] += part[0][i] / all;
		expected[1][i] += part[1][i] / all;
	}
	return log(all);
}

static double
count(const struct cscg_model *m, int from, int to)
{
	long i;

	for (i = m->first[from]; i < m->first[from + 1]; i++)
		if (m->to[i] == to)
			return m->count[i];
	return 0;
}

static double
add_strings(const struct cscg_walk *w, const double rows[2][S],
    double expected[2][S])
{
	double loglik = 0;
	int e;

	memset(expected, 0, 2 * sizeof expected[0]);
	for (e = 0; e < w->n_episodes; e++)
		loglik += add_paths(w->x + w->start[e],
		    (int)(w->start[e + 1] - w->start[e]), rows, expected);
	return loglik;
}

/* An update, and the log-likelihoods before and after it, against all paths. */
static void
enumerated(const struct cscg_simd *simd)
{
	static const char *const text[] = { "", "a", "ab", "bba", "abab" };
	struct cscg_walk *w = strings(text, 5);
	struct cscg_model *m = start_model();
	struct cscg_learn_progress last;
	struct cscg_learn set = usual;
	double expected[2][S], next[2][S], unused[2][S], sum[2] = { 0 };
	double loglik = add_strings(w, row, expected),
	       tiny = simd ? 1e-5 : 1e-9;
	int j, k;

	set.simd = simd;
	set.is_double = !simd;
	set.iterations = 0;
	ok(cscg_em_tied(m, group, w, &set, &last, &err) == 0 &&
		near(last.loglik, loglik, tiny) && count(m, 0, 0) == .3,
	    "no update: %.9f nats, by enumeration %.9f, same counts",
	    -last.loglik, -loglik);
	set.iterations = 1;
	ok(cscg_em_tied(m, group, w, &set, &last, &err) == 0 &&
		last.iteration == 1 && last.loglik > loglik,
	    "an update raises the likelihood");
	for (j = 0; j < S; j++)
		for (k = 0; k < S; k++)
			ok(near(count(m, j, k),
			       group[j] < 0 ? 0 : expected[group[j]][k], tiny),
			    "transitions %d to %d are those of all paths", j,
			    k);
	for (j = 0; j < 2 * S; j++)
		sum[j / S] += expected[j / S][j % S];
	for (j = 0; j < 2 * S; j++)
		next[j / S][j % S] = expected[j / S][j % S] / sum[j / S];
	for (k = 0; k < S; k++)
		ok(near(m->pi[k], next[0][k], tiny),
		    "pi is the row of the first automaton state (%d)", k);
	loglik = add_strings(w, next, unused);
	ok(near(last.loglik, loglik, tiny),
	    "after it: %.9f nats, by enumeration %.9f", -last.loglik, -loglik);
	cscg_model_free(m);
	cscg_walk_free(w);
}

/* In an automaton every string has one path: EM changes nothing. */
static void
deterministic(void)
{
	static const char *const text[] = { "", "a", "aa", "aab", "b", "ab",
		"abb", "bab" };
	struct cscg_walk *w = strings(text, 8);
	struct cscg_learn_progress last;
	struct cscg_learn ten = usual;
	int *groups, j, k, same = 1;
	struct cscg_model *m, *old;

	need(cscg_alergia(w, &usual, .05, &m, &groups, &err) < 0 ? NULL : m);
	old = need(cscg_model_copy(m, &err));
	ten.iterations = 10;
	ok(cscg_em_tied(m, groups, w, &ten, &last, &err) == 0 &&
		last.iteration == 10,
	    "EM of an automaton");
	for (j = 0; j < m->n_states; j++) {
		same &= near(m->pi[j], old->pi[j], 1e-12);
		for (k = 0; k < m->n_states; k++)
			same &= near(count(m, j, k), count(old, j, k), 1e-9);
	}
	ok(same, "keeps its counts and pi");
	free(groups);
	cscg_model_free(m);
	cscg_model_free(old);
	cscg_walk_free(w);
}

int
main(void)
{
	const struct cscg_simd *simd;

	need(cscg_cpu_choose_simd("auto", &simd, &err) < 0 ? NULL : &simd);
	enumerated(NULL);
	enumerated(simd);
	deterministic();
	return done();
}
