/*
 * binding_cost - the cost of a walk under a schema, minimised over bindings,
 * and the actions that would raise it
 *
 * Costs are compared with counted emissions for each initial state, and with
 * EM, which has no initial state; choices with plans that are appended to the
 * walk and counted as a whole.
 */
#include <string.h>

#include "schema/bind.h"
#include "plan/binding_cost.h"
#include "plan/discriminate.h"
#include "tap.h"
#include "walker.h"

enum { LONG = 64, STATES = 40, LENGTH = 8, ROOMS = 3 };

static const struct cscg_track_options track;

static struct cscg_env_header
head_of(const struct cscg_room *room)
{
	return (struct cscg_env_header){
		.head = { .n_actions = room->n_actions, .n_obs = room->n_obs },
		.collect = -1
	};
}

static struct cscg_model *
model_of(const struct cscg_room *room, enum cscg_model_kind kind)
{
	struct cscg_model *m = need(cscg_room_model(room, 100, 1e-4, NULL,
	    &err));

	if (kind != CSCG_GROUNDED)
		cscg_model_unground(m, kind);
	return m;
}

/* ---- by counting ---- */

/*
 * -log P(x | a) of n steps that begin in state j, if the emissions of each
 * group are its observed frequencies.
 */
static double
counted(const struct cscg_candidate *r, const int *a, const int *x, int n,
    int j)
{
	int g[LONG], t, s, same, all;
	double cost = 0;

	for (t = 0; t < n; t++) {
		j = t == 0 ? j : cscg_candidate_next(r, j, a[t]);
		g[t] = cscg_candidate_group(r, j);
	}
	for (t = 0; t < n; t++) {
		for (s = 0, same = all = 0; s < n; s++) {
			all += g[s] == g[t];
			same += g[s] == g[t] && x[s] == x[t];
		}
		cost -= log((double)same / all);
	}
	return cost;
}

static double
least(const struct cscg_candidate *r, const int *a, const int *x, int n)
{
	double low = INFINITY;
	int j;

	for (j = 0; j < cscg_candidate_n_states(r); j++)
		low = fmin(low, counted(r, a, x, n, j));
	return low;
}

/* ---- a walk under several candidates ---- */

struct scene {
	int n;
	struct cscg_room *room[ROOMS];
	struct cscg_model *model[ROOMS];
	struct cscg_candidate *candidate[ROOMS];
	struct cscg_candidate_path trail;
	struct cscg_binding_cost *refute;
};

static void
set_scene(struct scene *s, int n, struct cscg_room *const *room, int n_obs)
{
	struct cscg_env_header head = head_of(room[0]);
	int i;

	*s = (struct scene){ .n = n };
	head.head.n_obs = n_obs;
	for (i = 0; i < n; i++) {
		s->room[i] = room[i];
		s->model[i] = model_of(room[i], CSCG_CLONES);
		s->candidate[i] = need(cscg_candidate_new(&head, s->model[i],
		    &track, 0, &err));
	}
	s->trail.n_actions = head.head.n_actions;
	cscg_candidate_path_reset(&s->trail);
	s->refute = need(cscg_binding_cost_new(n, head.head.n_actions, n_obs,
	    -1, &err));
}

static void
end_scene(struct scene *s)
{
	int i;

	for (i = 0; i < s->n; i++) {
		cscg_candidate_free(s->candidate[i]);
		cscg_model_free(s->model[i]);
		cscg_room_free(s->room[i]);
	}
	cscg_candidate_path_free(&s->trail);
	cscg_binding_cost_free(s->refute);
}

/* A step that the first candidate explains. */
static void
step(struct scene *s, int a, int x)
{
	struct cscg_candidate_hypothesis hypothesis;
	int i;

	for (i = 0; i < s->n; i++)
		need(cscg_candidate_observe(s->candidate[i], a, x, &err) < 0 ?
			NULL :
			s);
	cscg_candidate_top(s->candidate[0], &hypothesis, 1);
	need(cscg_candidate_path_add(&s->trail, a, x, s->candidate[0],
		 &hypothesis, &err) < 0 ?
		NULL :
		s);
}

/* Steps of a walk, a[t] leading to x[t]. */
static int
steps_of(const struct cscg_walk *w, int *a, int *x)
{
	int t;

	for (t = 0; t < w->n_steps; t++) {
		a[t] = t ? w->a[t - 1] : -1;
		x[t] = w->x[t];
	}
	return (int)w->n_steps;
}

static void
test_costs(void)
{
	struct cscg_room *room[ROOMS] = { shape_room(CSCG_RECTANGLE, 4, 5),
		shape_room(CSCG_TORUS, 3, 4),
		shape_room(CSCG_CYLINDER, 4, 4) };
	struct walker how = { .n = 40, .seed = 3 };
	struct cscg_walk *w = walk_in(room[0], &how);
	int a[LONG], x[LONG], n = steps_of(w, a, x), t, i, good = 0, dear = 0;
	const double *cost = NULL;
	struct scene s;

	set_scene(&s, ROOMS, room, room[0]->n_obs);
	for (t = 0; t < n; t++) {
		step(&s, a[t], x[t]);
		cost = cscg_binding_cost_walk(s.refute, s.candidate, &s.trail,
		    &err);
		need((void *)cost);
		for (i = 0; i < ROOMS; i++)
			good += near(cost[i],
			    least(s.candidate[i], a, x, t + 1), 1e-9);
		dear += cost[0] > 1e-9;
	}
	ok(good == ROOMS * n,
	    "costs are those of the best start state, %d of %d", good,
	    ROOMS * n);
	ok(dear == 0, "a walk in its own room costs 0");
	ok(cost[1] > 5 && cost[2] > 5,
	    "a walk in another room costs more: %g, %g", cost[1], cost[2]);
	/* After a reset: earlier steps are not counted. */
	step(&s, -1, x[0]);
	cost = need((void *)cscg_binding_cost_walk(s.refute, s.candidate,
	    &s.trail, &err));
	ok(cost[0] <= 0 && cost[1] <= 0, "a reset restarts the count");
	step(&s, 0, -1);
	cost = need((void *)cscg_binding_cost_walk(s.refute, s.candidate,
	    &s.trail, &err));
	ok(cost[0] <= 0 && cost[1] <= 0, "missing observations cost 0");
	cscg_walk_free(w);
	end_scene(&s);
}

/*
 * EM on E and pi, with T almost deterministic, finds the same cost and never a
 * lower one.
 */
static void
test_em(void)
{
	struct cscg_room *room[1] = { shape_room(CSCG_TORUS, 3, 3) };
	struct cscg_room *other = shape_room(CSCG_RECTANGLE, 3, 4);
	struct cscg_bind set = { .tied = true,
		.learn_pi = true,
		.iterations = 300,
		.is_double = true,
		.pseudocount = 1e-9 };
	struct cscg_bind_starts starts = {
		.restarts = 60, .jitter = 1, .seed = 4, .threads = 1
	};
	struct walker how = { .n = 14 };
	double *E, pi[STATES], cost;
	int a[LONG], x[LONG], n, found = 0, below = 0, round;
	struct cscg_em_progress last;
	struct cscg_walk *w;
	struct scene s;

	E = need(calloc(STATES * (size_t)other->n_obs, sizeof *E));
	set_scene(&s, 1, room, other->n_obs);
	s.model[0]->pseudocount = 0;
	for (round = 0; round < 6; round++) {
		how.seed = (uint64_t)round;
		w = walk_in(other, &how);
		n = steps_of(w, a, x);
		cost = least(s.candidate[0], a, x, n);
		need(cscg_bind_restarts(s.model[0], w, &set, &starts, E, pi,
			 &last, NULL, &err) < 0 ?
			NULL :
			E);
		below += -last.loglik < cost - 1e-6;
		found += near(-last.loglik, cost, 1e-3 * (1 + cost));
		cscg_walk_free(w);
	}
	ok(below == 0, "EM never finds a lower cost than the count");
	ok(found >= 4, "EM from 60 starts finds the same cost in %d of 6",
	    found);
	free(E);
	cscg_room_free(other);
	end_scene(&s);
}

/* ---- plans ---- */

/* Evidence for candidate i, over all initial states, after n steps. */
static double
evidence(const struct cscg_candidate *r, const int *a, const int *x, int n)
{
	double sum = 0;
	int j;

	for (j = 0; j < cscg_candidate_n_states(r); j++)
		sum += exp(-counted(r, a, x, n, j));
	return sum;
}

/* The score of a plan, by appending it to the walk. */
static double
worth_of(const struct scene *s, const struct cscg_action_sequence *p)
{
	int a[2 * LONG], x[2 * LONG], n = (int)s->trail.n, i, k, j, m, c, look;
	double before, after, worth = 0;
	struct cscg_candidate_hypothesis hypothesis[5];

	memcpy(a, s->trail.a, (size_t)n * sizeof *a);
	memcpy(x, s->trail.x, (size_t)n * sizeof *x);
	c = cscg_candidate_top(s->candidate[0], hypothesis, 5);
	for (i = 0; i < c; i++) {
		j = hypothesis[i].state;
		for (k = 0, m = n; k < p->n_a + p->n_b; k++) {
			a[m] = k < p->n_a ? p->a : p->b;
			j = cscg_candidate_next(s->candidate[0], j, a[m]);
			look = cscg_candidate_symbol(s->candidate[0],
			    &hypothesis[i], j);
			if (look < 0)
				break;
			x[m++] = look;
		}
		before = after = 0;
		for (k = 1; k < s->n; k++) {
			before += evidence(s->candidate[k], a, x, n);
			after += evidence(s->candidate[k], a, x, m);
		}
		worth += hypothesis[i].p *
		    (log(before / after) -
			log(evidence(s->candidate[0], a, x, n) /
			    evidence(s->candidate[0], a, x, m)));
	}
	return worth;
}

/* The largest score per step of plans that begin with each action. */
static double
best_plans(const struct scene *s, const struct cscg_action_sequences *all,
    int from, int to, double *by_action)
{
	double best = 0, told;
	int i;

	for (i = 0; i < 4; i++)
		by_action[i] = 0;
	for (i = from; i < to; i++) {
		told = worth_of(s, &all->v[i]);
		if (told < .3)
			continue;
		told /= cscg_action_sequence_length(&all->v[i]) + 2;
		by_action[all->v[i].a] = fmax(by_action[all->v[i].a], told);
		best = fmax(best, told);
	}
	return best;
}

/*
 * Choices along a walk that the first candidate explains; the number of longer
 * runs.
 */
static int
test_choose(struct cscg_room *const *room, const int *a, const int *x, int n)
{
	int t, choice, good = 0, none = 0, far = 0;
	struct cscg_action_sequences all;
	struct cscg_rng rng;
	struct scene s;
	double by[4], best;

	set_scene(&s, 2, room, room[0]->n_obs);
	need(cscg_action_sequences_new(&all, room[0]->n_actions, -1, LENGTH, 4,
		 &err) < 0 ?
		NULL :
		&s);
	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 0);
	for (t = 0; t < n; t++) {
		step(&s, a[t], x[t]);
		need(cscg_binding_cost_choose(s.refute, s.candidate, &s.trail,
			 0, 1e9, &rng, &choice, &err) < 0 ?
			NULL :
			&s);
		best = best_plans(&s, &all, 0, all.n_short, by);
		if (best <= 0) {
			best = best_plans(&s, &all, all.n_short, all.n, by);
			far += best > 0;
		}
		none += choice < 0;
		good += choice < 0 ? best <= 0 : near(by[choice], best, 1e-4);
	}
	ok(good == n && none < n,
	    "the best of all plans is chosen, %d times (%d: none, %d: longer "
	    "runs)",
	    good, none, far);
	need(cscg_binding_cost_choose(s.refute, s.candidate, &s.trail, 0, 0,
		 &rng, &choice, &err) < 0 ?
		NULL :
		&s);
	ok(choice < 0, "a candidate of high cost is not tested further");
	cscg_action_sequences_free(&all);
	end_scene(&s);
	return far;
}

static void
test_rooms(void)
{
	struct cscg_room *room[2] = { shape_room(CSCG_RECTANGLE, 4, 4),
		shape_room(CSCG_TORUS, 4, 4) };
	struct walker how = { .n = 16, .seed = 8 };
	struct cscg_walk *w = walk_in(room[0], &how);
	int a[LONG], x[LONG], n = steps_of(w, a, x);

	cscg_walk_free(w);
	test_choose(room, a, x, n);
}

/* A ring of n nodes, next and previous, of which one has another symbol. */
static struct cscg_room *
ring(int n)
{
	int obs[STATES] = { 1 }, next[2 * STATES], i;

	for (i = 0; i < n; i++) {
		next[i] = (i + 1) % n;
		next[n + i] = (i + n - 1) % n;
	}
	return hand_room(n, 2, 2, obs, next);
}

/* Two rings differ only after a full turn around the shorter one. */
static void
test_longer(void)
{
	struct cscg_room *room[2] = { ring(20), ring(21) };
	static const int a[] = { -1, 0, 0, 0 }, x[] = { 1, 0, 0, 0 };

	ok(test_choose(room, a, x, 4) > 0,
	    "longer runs are chosen if only these are informative");
}

static void
test_memory(void)
{
	struct cscg_room *room[2] = { shape_room(CSCG_RECTANGLE, 3, 4),
		shape_room(CSCG_TORUS, 3, 4) };
	struct cscg_env_header head = head_of(room[0]);
	struct cscg_rng rng;
	struct cscg_candidate *old;
	struct cscg_model *m = model_of(room[0], CSCG_GROUNDED);
	const double *cost;
	struct scene s;
	int a;

	set_scene(&s, 2, room, room[0]->n_obs);
	old = s.candidate[1];
	s.candidate[1] = need(cscg_candidate_new(&head, m, &track, 0, &err));
	step(&s, -1, 0);
	cost = need((void *)cscg_binding_cost_walk(s.refute, s.candidate,
	    &s.trail, &err));
	ok(isinf(cost[1]) && cost[0] <= 0,
	    "a grounded candidate has infinite binding cost");
	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 0);
	need(cscg_binding_cost_choose(s.refute, s.candidate, &s.trail, 0, 10,
		 &rng, &a, &err) < 0 ?
		NULL :
		&s);
	ok(a < 0, "no sequence is chosen against a grounded candidate");
	need(cscg_binding_cost_choose(s.refute, s.candidate, &s.trail, 1, 10,
		 &rng, &a, &err) < 0 ?
		NULL :
		&s);
	ok(a < 0, "no sequence is chosen if the best candidate is grounded");
	cscg_candidate_free(s.candidate[1]);
	s.candidate[1] = old;
	cscg_model_free(m);
	end_scene(&s);
}

/* Each plan without its last action is a prefix of the one before it. */
static void
test_strolls(void)
{
	struct cscg_action_sequences all;
	int i, good = 0, turns = 0, apart = 0;

	need(cscg_action_sequences_new(&all, 3, 1, 4, 2, &err) < 0 ? NULL :
								     &all);
	/* 2 actions: runs of 1 to 4, followed by runs of the other action */
	ok(all.n_short == 2 * (4 + 3 + 2 + 1) && all.n == all.n_short + 2 * 8,
	    "all sequences of 4 actions, and runs of 8");
	for (i = 0; i < all.n; i++) {
		const struct cscg_action_sequence *p = &all.v[i], *q = p - 1;
		int keep = cscg_action_sequence_length(p) - 1;

		good += keep == 0 ||
		    (q->a == p->a && cscg_action_sequence_length(q) >= keep &&
			(p->n_b == 0 ? q->n_a == keep : q->n_a == p->n_a));
		turns += p->n_b > 0;
		apart += p->a == 1 || p->b == 1;
	}
	ok(good == all.n && turns == 12 && apart == 0,
	    "each sequence shares its prefix with the one before it");
	cscg_action_sequences_free(&all);
	need(cscg_action_sequences_new(&all, 100, -1, 8, 4, &err) < 0 ? NULL :
									&all);
	ok(all.n_short == 100 * 2 + 100 * 99,
	    "with many actions, sequences of two");
	cscg_action_sequences_free(&all);
}

int
main(void)
{
	test_strolls();
	test_costs();
	test_em();
	test_rooms();
	test_longer();
	test_memory();
	return done();
}
