/*
 * random_walk.c - walks through rooms: the loop of roomwalk(1)
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "world/random_walk.h"
#include "world/voxel.h"

/* Stream of CSCG_RNG_WORLD; 0 belongs to the walker, 1 to roomgen. */
enum { READING = 2 };

int
cscg_random_walk_header(const struct cscg_room *const *room, long n_rooms,
    struct cscg_walk_header *head, struct cscg_err *err)
{
	long i;

	head->n_actions = room[0]->n_actions;
	head->n_obs = room[0]->n_obs;
	if (cscg_names_copy(&head->actions, &room[0]->actions, err) < 0 ||
	    cscg_names_copy(&head->symbols, &room[0]->symbols, err) < 0)
		return -1;
	for (i = 0; i < n_rooms; i++)
		if (cscg_history_join(&head->history, &room[i]->history, err) <
		    0)
			return -1;
	return 0;
}

/* The symbol that is observed for each symbol of the room. */
static void
set_labels(const struct cscg_random_walk *walk, long episode, int *label)
{
	int i, n = walk->room[0]->n_obs;
	struct cscg_rng rng;

	for (i = 0; i < n; i++)
		label[i] = i;
	if (!walk->permute)
		return;
	cscg_rng_seed(&rng, walk->seed, CSCG_RNG_LABELS, (uint64_t)episode, 0);
	cscg_rng_shuffle(&rng, label, n);
}

/* The action of step t: 1 with *a set, 0 at the end, -1 with err filled. */
static int
choose(const struct cscg_random_walk *walk, struct cscg_policy *policy,
    int node, long t, struct cscg_rng *rng, int *a, struct cscg_err *err)
{
	if (walk->next_action)
		return walk->next_action(walk->ctx, a, err);
	if (t == walk->steps - 1)
		return 0;
	*a = cscg_policy_next(policy, node, rng);
	return 1;
}

/* The symbol observed at a node: misreading has a separate random stream. */
static int
observe(const struct cscg_random_walk *walk, const int *label,
    const struct cscg_room *room, int node, struct cscg_rng *rng)
{
	double u = walk->misread > 0 ? cscg_rng_uniform(rng) : 1;

	if (u < walk->misread)
		return (int)cscg_rng_below(rng, room->n_obs);
	return label[room->obs[node]];
}

static int
first_node(const struct cscg_random_walk *walk, const struct cscg_room *room,
    struct cscg_rng *world, struct cscg_err *err)
{
	if (walk->pose)
		return cscg_voxel_node(room, walk->pose, err);
	return walk->start < 0 ? (int)cscg_rng_below(world, room->n_nodes) :
				 walk->start;
}

static int
run_episode(const struct cscg_random_walk *walk, long episode,
    const int *label, struct cscg_err *err)
{
	const struct cscg_room *room = walk->room[episode % walk->n_rooms];
	struct cscg_step step = { .goal = -1, .r = NAN };
	struct cscg_policy *policy;
	struct cscg_rng choice, world, reading;
	int node, rc = 1;
	long t;

	policy = cscg_policy_new(walk->policy, walk->repeat, room, err);
	if (!policy)
		return -1;
	cscg_rng_seed(&choice, walk->seed, CSCG_RNG_WALK, (uint64_t)episode,
	    0);
	cscg_rng_seed(&world, walk->seed, CSCG_RNG_WORLD, (uint64_t)episode,
	    0);
	cscg_rng_seed(&reading, walk->seed, CSCG_RNG_WORLD, (uint64_t)episode,
	    READING);
	node = first_node(walk, room, &world, err);
	if (node < 0)
		rc = -1;
	for (t = 0; rc > 0; t++) {
		rc = choose(walk, policy, node, t, &choice, &step.a, err);
		if (rc < 0)
			break;
		if (rc == 0)
			step.a = -1;
		step.x = observe(walk, label, room, node, &reading);
		step.z = walk->blind ? -1 : node;
		if (walk->on_step(walk->ctx, episode, t, node, &step, err) < 0)
			rc = -1;
		else if (rc > 0)
			node = cscg_room_step(room, node, step.a, &world);
	}
	cscg_policy_free(policy);
	return rc;
}

int
cscg_random_walk_run(const struct cscg_random_walk *walk, long episodes,
    struct cscg_err *err)
{
	int *label = cscg_alloc((size_t)walk->room[0]->n_obs, sizeof *label,
		err),
	    rc = label ? 0 : -1;
	long e;

	for (e = 0; e < episodes && rc == 0; e++) {
		set_labels(walk, e, label);
		rc = run_episode(walk, e, label, err);
	}
	free(label);
	return rc;
}
