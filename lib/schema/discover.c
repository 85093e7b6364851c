/*
 * discover.c - schemas from the rooms of several models ("worlds")
 *
 * All worlds are combined into one model without transitions between them.
 * Its rooms are those of the worlds, and one comparison finds all that are
 * equal.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "schema/discover.h"

struct discover_job {
	const struct cscg_model *const *world;
	int n, n_actions;
	int *base;   /* [n + 1] the first state of each */
	int *action; /* [n * n_actions] action numbers in each world */
	struct cscg_model *all;
};

void
cscg_discovery_free(struct cscg_discovery *lib)
{
	int i;

	for (i = 0; i < lib->n; i++)
		cscg_model_free(lib->m[i]);
	free(lib->m);
	free(lib->world);
	free(lib->n_found);
	*lib = (struct cscg_discovery){ .n = 0 };
}

/* Match the actions of all worlds and number the states. */
static int
match_actions(struct discover_job *job, int *which, struct cscg_err *err)
{
	const struct cscg_model *first_world = job->world[0];
	long n = 0;
	int k;

	for (k = 0; k < job->n; k++) {
		const struct cscg_model *m = job->world[k];

		*which = k;
		if (m->n_actions != first_world->n_actions)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "%d actions, but the first model has %d",
			    m->n_actions, first_world->n_actions);
		if (cscg_names_map(&m->actions, m->n_actions,
			&first_world->actions, first_world->n_actions,
			"action",
			job->action + (size_t)k * (size_t)job->n_actions,
			err) < 0)
			return -1;
		job->base[k] = (int)n;
		n += m->n_states;
		if (n > CSCG_STATE_MAX)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "together the models have more than %d states",
			    CSCG_STATE_MAX);
	}
	job->base[job->n] = (int)n;
	*which = -1;
	return 0;
}

static int
add_counts(struct discover_job *job, struct cscg_err *err)
{
	struct cscg_count *c;
	long n = 0, row, i;
	int k, rc;

	for (k = 0; k < job->n; k++)
		n += job->world[k]->first[(long)job->n_actions *
		    job->world[k]->n_states];
	c = cscg_alloc((size_t)n, sizeof *c, err);
	if (!c)
		return -1;
	for (k = 0, n = 0; k < job->n; k++) {
		const struct cscg_model *m = job->world[k];
		const int *mapped = job->action +
		    (size_t)k * (size_t)job->n_actions;

		for (row = 0; row < (long)m->n_actions * m->n_states; row++)
			for (i = m->first[row]; i < m->first[row + 1]; i++)
				c[n++] = (struct cscg_count){
					mapped[row / m->n_states],
					job->base[k] +
					    (int)(row % m->n_states),
					job->base[k] + m->to[i], m->count[i]
				};
	}
	rc = cscg_model_set_counts(job->all, c, n, err);
	free(c);
	return rc;
}

/* Keep the frontiers and entries of the worlds. */
static int
add_frontiers(struct discover_job *job, struct cscg_err *err)
{
	long n = 0, n_in = 0, i;
	struct cscg_frontier *f;
	int k, rc = -1, *in;

	for (k = 0; k < job->n; k++) {
		n += job->world[k]->n_frontiers;
		n_in += job->world[k]->n_entries;
	}
	f = cscg_alloc((size_t)n, sizeof *f, err);
	in = cscg_alloc((size_t)(n + n_in), sizeof *in, err);
	for (k = 0, n = 0, n_in = 0; f && in && k < job->n; k++) {
		const struct cscg_model *m = job->world[k];

		for (i = 0; i < m->n_frontiers; i++) {
			f[n++] = (struct cscg_frontier){ job->base[k] +
				    m->frontier[i].state,
				job->action[k * job->n_actions +
				    m->frontier[i].a] };
			if (!m->n_entries)
				in[n_in++] = f[n - 1].state;
		}
		for (i = 0; i < m->n_entries; i++)
			in[n_in++] = job->base[k] + m->entry[i];
	}
	if (f && in && cscg_model_set_frontiers(job->all, f, n, err) == 0)
		rc = cscg_model_set_entries(job->all, in, n_in, err);
	free(f);
	free(in);
	return rc;
}

/* Keep coordinates if all worlds have them. */
static int
add_coords(struct discover_job *job, struct cscg_err *err)
{
	int k, j;

	for (k = 0; k < job->n; k++)
		if (!job->world[k]->coords)
			return 0;
	job->all->coords = cscg_alloc(2 * (size_t)job->all->n_states,
	    sizeof *job->all->coords, err);
	for (k = 0; job->all->coords && k < job->n; k++)
		for (j = 0; j < 2 * job->world[k]->n_states; j++)
			job->all->coords[2 * (size_t)job->base[k] +
			    (size_t)j] = job->world[k]->coords[j];
	return job->all->coords ? 0 : -1;
}

static int
build_union(struct discover_job *job, int *which, struct cscg_err *err)
{
	size_t n = (size_t)job->n;

	job->base = cscg_alloc(n + 1, sizeof *job->base, err);
	job->action = cscg_alloc(n,
	    (size_t)job->n_actions * sizeof *job->action, err);
	if (!job->base || !job->action || match_actions(job, which, err) < 0)
		return -1;
	job->all = cscg_model_new(CSCG_SCHEMA, job->base[job->n],
	    job->n_actions, 1, err);
	if (!job->all)
		return -1;
	job->all->pseudocount = job->world[0]->pseudocount;
	if (add_counts(job, err) < 0 || add_frontiers(job, err) < 0 ||
	    add_coords(job, err) < 0)
		return -1;
	return cscg_names_copy(&job->all->actions, &job->world[0]->actions,
	    err);
}

static int
world_of(const struct discover_job *job, int state)
{
	int k = 0;

	while (state >= job->base[k + 1])
		k++;
	return k;
}

/*
 * The schema of equal rooms, with the history of the first world that contains
 * it.
 */
static int
add_schema(const struct discover_job *job, const struct cscg_partition *r,
    int room, struct cscg_discovery *out, int w, struct cscg_err *err)
{
	struct cscg_model *m = cscg_partition_class_model(job->all, r, room,
	    err);

	out->m[out->n] = m;
	if (!m)
		return -1;
	out->world[out->n++] = w;
	m->is_double = job->world[w]->is_double;
	return cscg_history_copy(&m->history, &job->world[w]->history, err);
}

static int
fill_discovery(const struct discover_job *job, const struct cscg_partition *r,
    struct cscg_discovery *out, struct cscg_err *err)
{
	size_t n = (size_t)r->n;
	int *number = cscg_alloc(2 * n, sizeof *number, err), rc = -1, k, v;
	int *world = number ? number + n : NULL;

	out->n_worlds = job->n;
	out->m = cscg_alloc(n, sizeof *out->m, err);
	out->world = cscg_alloc(n, sizeof *out->world, err);
	out->n_found = cscg_alloc(n, (size_t)job->n * sizeof *out->n_found,
	    err);
	if (!number || !out->m || !out->world || !out->n_found)
		goto out;
	for (v = r->n_nodes - 1; v >= 0; v--)
		world[r->room[v]] = world_of(job, v);
	out->n_rooms = r->n;
	for (k = 0; k < r->n; k++) {
		out->n_doubtful += cscg_partition_is_doubtful(r, k);
		number[k] = r->class_of[k] == k ? out->n :
						  number[r->class_of[k]];
		if (r->class_of[k] == k &&
		    add_schema(job, r, k, out, world[k], err) < 0)
			goto out;
		out->n_found[number[k] * job->n + world[k]]++;
	}
	rc = 0;
out:
	free(number);
	return rc;
}

int
cscg_discover(const struct cscg_model *const *world, int n,
    const struct cscg_partition_options *set, double min_p,
    struct cscg_discovery *out, int *which, struct cscg_err *err)
{
	struct discover_job job = {
		.world = world, .n = n, .n_actions = world[0]->n_actions
	};
	struct cscg_graph *g = NULL;
	struct cscg_partition *r = NULL;
	int at = -1, rc = -1;

	*out = (struct cscg_discovery){ .n = 0 };
	if (build_union(&job, &at, err) == 0)
		g = cscg_graph_of_model(job.all, min_p, err);
	if (g)
		r = cscg_partition_new(g, set, err);
	if (r)
		rc = fill_discovery(&job, r, out, err);
	if (which)
		*which = rc < 0 ? at : -1;
	cscg_partition_free(r);
	cscg_graph_free(g);
	cscg_model_free(job.all);
	free(job.base);
	free(job.action);
	return rc;
}

struct cscg_model *
cscg_discover_union(const struct cscg_model *const *world, int n, int *which,
    struct cscg_err *err)
{
	struct discover_job job = {
		.world = world, .n = n, .n_actions = world[0]->n_actions
	};
	int at = -1, rc = build_union(&job, &at, err);

	if (which)
		*which = rc < 0 ? at : -1;
	free(job.base);
	free(job.action);
	if (rc == 0)
		return job.all;
	cscg_model_free(job.all);
	return NULL;
}
