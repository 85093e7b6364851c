/*
 * rooms_model.c - rooms of a model as models of their own
 *
 * States are poured out of the model, which brings along what they look like.
 * Counts and gates are set anew, since both are about what lies outside.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schema/rooms.h"

/* Where the states of the whole go; -1: they are left behind. */
struct extract_job {
	const struct cscg_model *m;
	const struct cscg_partition *r;
	int *into;
};

/* Is a frontier of the whole a door that we know? */
static bool
is_known_exit(const struct cscg_partition *r, const struct cscg_model_frontier *f)
{
	long lo = 0, hi = r->n_exits, mid;

	while (lo < hi) {
		const struct cscg_partition_exit *e = &r->exit[mid = (lo + hi) / 2];

		if (e->from == f->state && e->a == f->a)
			return true;
		if (e->from < f->state || (e->from == f->state && e->a < f->a))
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

static bool
is_exit(const struct cscg_partition *r, int a, int from, int to)
{
	struct cscg_partition_exit e = { from, a, to };

	return bsearch(&e, r->exit, (size_t)r->n_exits, sizeof e,
	    cscg_partition_exit_compare);
}

/* Moves within stay moves, exits become walls, the rest goes. */
static int
set_counts(const struct extract_job *job, struct cscg_model *to, struct cscg_err *err)
{
	const struct cscg_model *m = job->m;
	long rows = (long)m->n_actions * m->n_states, row, i, n = 0;
	struct cscg_count *c = cscg_alloc((size_t)m->first[rows], sizeof *c,
	    err);
	int rc = -1;

	for (row = 0; c && row < rows; row++) {
		int j = (int)(row % m->n_states), a = (int)(row / m->n_states);

		if (job->into[j] < 0)
			continue;
		for (i = m->first[row]; i < m->first[row + 1]; i++) {
			int k = m->to[i];

			if (job->r->room[k] == job->r->room[j])
				c[n++] = (struct cscg_count){ a, job->into[j],
				    job->into[k], m->count[i] };
			else if (is_exit(job->r, a, j, k))
				c[n++] = (struct cscg_count){ a, job->into[j],
				    job->into[j], m->count[i] };
		}
	}
	if (c)
		rc = cscg_model_set_counts(to, c, n, err);
	free(c);
	return rc;
}

/* Exits, and the frontiers that were there already. */
static int
set_frontiers(const struct extract_job *job, struct cscg_model *to, char *in,
    struct cscg_err *err)
{
	const struct cscg_model *m = job->m;
	struct cscg_model_frontier *f = cscg_alloc((size_t)(job->r->n_exits +
	    m->n_frontiers), sizeof *f, err);
	long i, n = 0;
	int rc, j;

	if (!f)
		return -1;
	for (i = 0; i < job->r->n_exits; i++) {
		const struct cscg_partition_exit *e = &job->r->exit[i];

		if (job->into[e->from] >= 0)
			f[n++] = (struct cscg_model_frontier){ job->into[e->from],
			    e->a };
		if (job->into[e->to] >= 0)
			in[job->into[e->to]] = 1;
	}
	for (i = 0; i < m->n_frontiers; i++) {
		j = job->into[m->frontier[i].state];
		if (j < 0)
			continue;
		f[n++] = (struct cscg_model_frontier){ j, m->frontier[i].a };
		/* Of a known door we know where it leads back to, too. */
		in[j] |= !m->n_entries && !is_known_exit(job->r, &m->frontier[i]);
	}
	for (i = 0; i < m->n_entries; i++)
		if (job->into[m->entry[i]] >= 0)
			in[job->into[m->entry[i]]] = 1;
	rc = cscg_model_set_frontiers(to, f, n, err);
	free(f);
	return rc;
}

/* Entries are only told if they are not the states with frontiers. */
static int
set_exits(const struct extract_job *job, struct cscg_model *to, struct cscg_err *err)
{
	size_t n = (size_t)to->n_states;
	char *in = cscg_alloc(2 * n, 1, err);
	int *entry = cscg_alloc(n, sizeof *entry, err);
	int rc = -1, j, n_in = 0;
	long i;

	if (!in || !entry || set_frontiers(job, to, in, err) < 0)
		goto out;
	for (i = 0; i < to->n_frontiers; i++)
		in[n + (size_t)to->frontier[i].state] = 1;
	for (j = 0; j < to->n_states; j++)
		if (in[j])
			entry[n_in++] = j;
	rc = cscg_model_set_entries(to, entry, memcmp(in, in + n, n) ? n_in :
	    0, err);
out:
	free(in);
	free(entry);
	return rc;
}

/* from, or a copy of it without looks, cut down to the states of a room. */
static struct cscg_model *
extract_room(const struct cscg_model *from, const struct cscg_partition *r, int room,
    int *into, struct cscg_err *err)
{
	int j, n = 0;

	for (j = 0; j < from->n_states; j++)
		into[j] = r->room[j] == room ? n++ : -1;
	return cscg_model_merge_states(from, into, n, err);
}

static struct cscg_model *
finish_room(const struct extract_job *job, struct cscg_model *to, struct cscg_err *err)
{
	if (to && (set_counts(job, to, err) < 0 ||
	    set_exits(job, to, err) < 0)) {
		cscg_model_free(to);
		to = NULL;
	}
	return to;
}

struct cscg_model *
cscg_partition_room_model(const struct cscg_model *m, const struct cscg_partition *r,
    int room, struct cscg_err *err)
{
	struct extract_job job = { m, r, NULL };
	struct cscg_model *to = NULL;

	job.into = cscg_alloc((size_t)m->n_states, sizeof *job.into, err);
	if (job.into)
		to = finish_room(&job, extract_room(m, r, room, job.into, err),
		    err);
	free(job.into);
	return to;
}

struct cscg_model *
cscg_partition_class_model(const struct cscg_model *m, const struct cscg_partition *r,
    int room, struct cscg_err *err)
{
	struct extract_job job = { m, r, NULL };
	struct cscg_model *to = NULL, *schema;
	int j;

	job.into = cscg_alloc((size_t)m->n_states, sizeof *job.into, err);
	schema = job.into ? cscg_model_copy(m, err) : NULL;
	if (schema) {
		cscg_model_unground(schema, CSCG_SCHEMA);
		to = extract_room(schema, r, room, job.into, err);
	}
	/* Equal rooms go where their equals are. */
	for (j = 0; to && j < m->n_states; j++)
		if (r->class_of[r->room[j]] == room && r->room[j] != room)
			job.into[j] = job.into[r->same_node[j]];
	to = finish_room(&job, to, err);
	cscg_model_free(schema);
	free(job.into);
	return to;
}
