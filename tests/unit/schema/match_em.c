/*
 * match_em: the paper's score is that of cscg_bind_restarts() for a copy of the
 * same part of the walk, with any number of threads; warm starts
 */
#include <string.h>

#include "kernel/cpu.h"
#include "matcher.h"
#include "tap.h"

static struct cscg_model *
room_schema(enum cscg_shape_kind kind, bool clones)
{
	struct cscg_room *room = shape_room(kind, 4, 5);
	struct cscg_model *m = need(cscg_room_model(room, 100, 1e-4, NULL,
	    &err));

	cscg_model_unground(m, clones ? CSCG_CLONES : CSCG_SCHEMA);
	cscg_room_free(room);
	return m;
}

/* A copy of a part of an episode, bound separately. */
static double
bound(const struct cscg_model *m, const struct cscg_walk *w, int e, long from,
    long to, const struct cscg_match_em_options *em)
{
	struct cscg_walk *part = need(cscg_walk_new(&w->head, &err));
	struct cscg_bind_starts starts = em->starts;
	struct cscg_em_progress last;
	size_t S = (size_t)m->n_states;
	double *E = need(calloc(S * (size_t)w->head.n_obs, sizeof *E));
	double *pi = need(calloc(S, sizeof *pi));
	struct cscg_step s;
	long t;

	for (t = from; t < to; t++) {
		cscg_walk_get_step(w, w->start[e] + t, &s);
		s.reset &= t > from;
		if (t + 1 == to)
			s.a = -1;
		need(cscg_walk_add(part, &s, &err) < 0 ? NULL : part);
	}
	starts.key = (uint64_t)e;
	starts.threads = 1;
	need(cscg_bind_restarts(m, part, &em->bind, &starts, E, pi, &last,
		 NULL, &err) < 0 ?
		NULL :
		part);
	free(E);
	free(pi);
	cscg_walk_free(part);
	return last.loglik;
}

static void
em_score(bool tied, bool window)
{
	static const enum cscg_shape_kind kinds[] = { CSCG_TORUS,
		CSCG_RECTANGLE };
	struct cscg_room *room = shape_room(CSCG_TORUS, 4, 5);
	struct walker how = {
		.n = 43, .episodes = 3, .dropout = .1, .reset = .03, .seed = 5
	};
	struct cscg_walk *w = walk_in(room, &how);
	struct cscg_match_em_options em = { .bind = { .tied = tied,
						.learn_pi = tied,
						.iterations = 12,
						.tolerance = 1e-6,
						.pseudocount = 1e-7 },
		.starts = {
		    .restarts = 2, .jitter = tied ? 1 : .01, .seed = 42 } };
	struct cscg_match_options set = { .score = &cscg_match_score_em,
		.score_set = &em,
		.by_clones = tied,
		.every = 10,
		.window = window ? 20 : 0 };
	struct cscg_match *match;
	double first[ROWS][SCHEMAS];
	struct cscg_model *m[2];
	int i, k, same = 1, again = 1, n = window ? 3 : 5;

	cscg_cpu_choose_simd("auto", &em.bind.simd, &err);
	for (k = 0; k < 2; k++)
		m[k] = room_schema(kinds[k], tied);
	for (set.threads = 1; set.threads <= 3; set.threads++) {
		match = new_match(&set);
		for (k = 0; k < 2; k++)
			take(match,
			    kinds[k] == CSCG_TORUS ? "torus" : "rectangle",
			    need(cscg_model_copy(m[k], &err)));
		need(feed(match, w, set.threads > 1) < 0 ? NULL : w);
		if (set.threads == 1)
			memcpy(first, got.loglik, sizeof first);
		again &= !memcmp(first, got.loglik,
		    (size_t)got.n * sizeof *first);
		cscg_match_free(match);
	}
	for (i = 0; i < got.n; i++) {
		long to = got.row[i].step, from = window ? to - 20 : 0;

		for (k = 0; k < 2; k++)
			same &= got.loglik[i][k] ==
			    bound(m[k], w, i / n, from, to, &em);
	}
	ok(got.n == 3 * n && same, "em, %s, %s: as each part bound alone",
	    tied ? "tied" : "free", window ? "windows" : "prefixes");
	ok(again, "the same rows with 1, 2 and 3 threads");
	for (k = 0; k < 2; k++)
		cscg_model_free(m[k]);
	cscg_walk_free(w);
	cscg_room_free(room);
}

/* After the first call the best E is one more start. */
static void
kept(void)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 4, 5);
	struct walker how = { .n = 60, .episodes = 2, .seed = 9 };
	struct cscg_walk *w = walk_in(room, &how), *part, *all;
	struct cscg_match_em_options em = { .bind = { .tied = true,
						.learn_pi = true,
						.iterations = 4,
						.pseudocount = 1e-7 },
		.starts = { .restarts = 2, .jitter = 1, .seed = 42, .key = 1 },
		.keep_best = true };
	struct cscg_match_options set = { .score = &cscg_match_score_em,
		.score_set = &em,
		.by_clones = true,
		.every = 30,
		.threads = 1 };
	struct cscg_model *m = room_schema(CSCG_RECTANGLE, true);
	size_t size = (size_t)m->n_states * (size_t)room->n_obs;
	double *E = need(calloc(size, sizeof *E)), pi[20];
	double *F = need(calloc(size, sizeof *F)), rho[20];
	struct cscg_match *match = new_match(&set);
	struct cscg_bind_starts starts = em.starts;
	struct cscg_em_progress on, again;

	take(match, "a", need(cscg_model_copy(m, &err)));
	need(feed(match, w, true) < 0 ? NULL : w);
	cscg_match_free(match);
	/* Episode 1 by hand. */
	starts.threads = 1;
	part = need(cscg_walk_subset(w, 1, 2, 30, &err));
	all = need(cscg_walk_subset(w, 1, 2, 0, &err));
	need(cscg_bind_restarts(m, part, &em.bind, &starts, E, pi, &on, NULL,
		 &err) < 0 ?
		NULL :
		w);
	ok(got.n == 4 && got.loglik[2][0] == on.loglik,
	    "warm start: the first row is bound from random emissions");
	starts.key += 1ULL << 32;
	need(cscg_bind(m, all, &em.bind, E, pi, &on, &err) < 0 ||
		    cscg_bind_restarts(m, all, &em.bind, &starts, F, rho,
			&again, NULL, &err) < 0 ?
		NULL :
		w);
	ok(got.loglik[3][0] ==
		(on.objective > again.objective ? on.loglik : again.loglik),
	    "the next row is the better of warm (%g) and random (%g)",
	    on.objective, again.objective);
	cscg_walk_free(part);
	cscg_walk_free(all);
	free(E);
	free(F);
	cscg_model_free(m);
	cscg_walk_free(w);
	cscg_room_free(room);
}

/* Emissions cannot be tied without clone structure. */
static void
untied(void)
{
	struct cscg_match_em_options em = { .bind = { .tied = true },
		.starts = { .restarts = 1 } };
	struct cscg_match_options set = { .score = &cscg_match_score_em,
		.score_set = &em,
		.every = 1,
		.threads = 1 };
	struct cscg_match *match = new_match(&set);
	struct cscg_walk_header head = { .n_actions = 1, .n_obs = 2 };

	take(match, "a", ring(3));
	ok(cscg_match_begin_walk(match, &head, &err) < 0 &&
		err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg,
		    "schema 'a': tied emissions need clone structure, which "
		    "the schema lacks"),
	    "a schema without clones cannot be tied");
	cscg_match_free(match);
}

int
main(void)
{
	em_score(true, false);
	em_score(false, false);
	em_score(true, true);
	em_score(false, true);
	kept();
	untied();
	return done();
}
