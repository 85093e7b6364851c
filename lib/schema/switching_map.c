/*
 * switching_map.c - several schemas as one model, and messages through it
 *
 * Jumps go anywhere with the same probability, so T is the blocks of the
 * schemas and a matrix of rank one: a step costs as much as there are counts
 * and states.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schema/switching_map.h"

/* ---- the union ---- */

struct job {
	const struct cscg_model *const *schema;
	int n;
	const int *base;	/* [n + 1] */
	int *action;		/* [n][actions of the walk] what it calls them */
	double jump;
	struct cscg_count *c;
};

static int
number_states(const struct cscg_model *const *schema, int n, int *base,
    struct cscg_err *err)
{
	long S = 0;
	int k;

	for (k = 0; k < n; k++) {
		base[k] = (int)S;
		S += schema[k]->n_states;
		if (S > CSCG_STATE_MAX)
			return cscg_fail(err, CSCG_EMISMATCH, "together the "
			    "schemas have more than %d states",
			    CSCG_STATE_MAX);
	}
	base[n] = (int)S;
	return 0;
}

static int
name_actions(struct job *job, const struct cscg_head *head, int *which,
    struct cscg_err *err)
{
	int k;

	for (k = 0; k < job->n; k++) {
		const struct cscg_model *m = job->schema[k];

		*which = k;
		if (cscg_names_map(&head->actions, head->n_actions,
		    &m->actions, m->n_actions, "action", job->action +
		    (long)k * head->n_actions, err) < 0)
			return -1;
	}
	*which = -1;
	return 0;
}

/* The entries of schema k under the walk's action a; returns how many. */
static long
add_block(const struct job *job, int k, int a, int as, struct cscg_count *c)
{
	const struct cscg_model *m = job->schema[k];
	int base = job->base[k], j;
	long r, i, n = 0;

	for (j = 0; j < m->n_states; j++) {
		double sum = cscg_model_row(m, as, j);

		r = (long)as * m->n_states + j;
		for (i = m->first[r]; i < m->first[r + 1]; i++, n++)
			if (c)
				c[n] = (struct cscg_count){ a, base + j,
				    base + m->to[i], (1 - job->jump) *
				    m->count[i] / sum };
	}
	return n;
}

static long
add_blocks(const struct job *job, int n_actions, struct cscg_count *c)
{
	long n = 0;
	int k, a;

	for (a = 0; a < n_actions; a++)
		for (k = 0; k < job->n; k++)
			n += add_block(job, k, a, job->action[
			    (long)k * n_actions + a], c ? c + n : NULL);
	return n;
}

struct cscg_model *
cscg_switching_union(const struct cscg_model *const *schema, int n,
    const struct cscg_head *head, double jump, int *base, int *which,
    struct cscg_err *err)
{
	struct job job = { .schema = schema, .n = n, .base = base,
	    .jump = jump };
	struct cscg_model *m = NULL;
	int at = -1, rc = -1;
	long n_c;

	job.action = cscg_alloc((size_t)n, (size_t)head->n_actions *
	    sizeof *job.action, err);
	if (!job.action || number_states(schema, n, base, err) < 0 ||
	    name_actions(&job, head, &at, err) < 0)
		goto out;
	n_c = add_blocks(&job, head->n_actions, NULL);
	job.c = cscg_alloc((size_t)n_c, sizeof *job.c, err);
	if (!job.c)
		goto out;
	add_blocks(&job, head->n_actions, job.c);
	m = cscg_model_new(CSCG_SCHEMA, base[n], head->n_actions, 1, err);
	if (!m)
		goto out;
	/* Counts of a row and what p adds are one: T = C + p. */
	m->pseudocount = jump / base[n];
	if (cscg_model_set_counts(m, job.c, n_c, err) == 0)
		rc = cscg_names_copy(&m->actions, &head->actions, err);
out:
	free(job.action);
	free(job.c);
	if (which)
		*which = at;
	if (rc == 0)
		return m;
	cscg_model_free(m);
	return NULL;
}

/* ---- tables ---- */

struct cscg_switching_map *
cscg_switching_map_take(struct cscg_model *m, const int *base, int n,
    const struct cscg_simd *simd, bool is_double, struct cscg_err *err)
{
	struct cscg_switching_map *map = cscg_alloc(1, sizeof *map, err);

	if (!map) {
		cscg_model_free(m);
		return NULL;
	}
	map->n = n;
	map->S = m->n_states;
	map->m = m;
	map->simd = is_double ? NULL : simd;
	map->kern = is_double ? &cscg_kern_plain64 : &cscg_kern_plain32;
	map->base = cscg_copy(base, (size_t)n + 1, sizeof *base, err);
	if (map->simd)
		map->ways = cscg_ways_new(m, map->simd, err);
	else
		map->tr = cscg_trans_schema(m, map->kern, err);
	if (!map->base || (!map->ways && !map->tr)) {
		cscg_switching_map_free(map);
		return NULL;
	}
	map->stride = map->ways ? map->ways->pad : (size_t)map->S;
	map->bytes = map->stride * map->kern->size;
	return map;
}

void
cscg_switching_map_free(struct cscg_switching_map *map)
{
	if (!map)
		return;
	free(map->base);
	cscg_ways_free(map->ways);
	cscg_trans_free(map->tr);
	cscg_model_free(map->m);
	free(map);
}

void
cscg_switching_fill(const struct cscg_switching_map *map, double with,
    void *message)
{
	memset(message, 0, map->bytes);
	map->kern->fill(message, with, map->S);
}

/* ---- messages ---- */

/* Through T of a, by the chains of simd.h. */
static bool
fast(const struct cscg_switching_map *map, int a, bool forward, const void *in,
    const void *weight, void *scratch, void *out, double *lift)
{
	struct cscg_link link = { .cols = (uint32_t)map->stride, .thin = 1,
	    .rows_pad = (uint32_t)map->stride, .weight = weight,
	    .scratch = scratch, .to = out };
	int16_t shift;
	double sum;

	if (forward)
		cscg_ways_forward(map->ways, a, &link);
	else
		cscg_ways_back(map->ways, a, &link);
	sum = map->simd->chain(in, &link, 1, &shift);
	*lift = shift * M_LN2;
	return sum > 0;
}

static bool
plain(const struct cscg_switching_map *map, int a, bool forward,
    const void *in, const void *weight, void *scratch, void *out,
    double *lift)
{
	const struct cscg_span all = { 0, map->S, NULL };
	double sum;

	memcpy(scratch, in, map->bytes);
	map->kern->weigh(scratch, weight, map->S);
	if (forward)
		cscg_trans_push(map->tr, a, &all, &all, scratch, out);
	else
		cscg_trans_pull(map->tr, a, &all, &all, scratch, out);
	sum = map->kern->sum(out, map->S);
	if (!(sum > 0))
		return false;
	map->kern->scale(out, 1 / sum, map->S);
	*lift = -log(sum);
	return true;
}

bool
cscg_switching_on(const struct cscg_switching_map *map, int a, const void *in,
    const void *weight, void *scratch, void *out, double *lift)
{
	return (map->simd ? fast : plain)(map, a, true, in, weight, scratch,
	    out, lift);
}

bool
cscg_switching_back(const struct cscg_switching_map *map, int a,
    const void *in, const void *weight, void *scratch, void *out,
    double *lift)
{
	return (map->simd ? fast : plain)(map, a, false, in, weight, scratch,
	    out, lift);
}

void
cscg_switching_meet(const struct cscg_switching_map *map, void *alpha,
    const void *beta, const void *weight, double *line, double *seen)
{
	double sum;
	int j;

	if (map->simd) {
		map->simd->posterior(alpha, beta, weight,
		    (uint32_t)map->stride, seen);
		return;
	}
	map->kern->weigh(alpha, weight, map->S);
	sum = map->kern->weigh(alpha, beta, map->S);
	map->kern->scale(alpha, 1 / sum, map->S);
	map->kern->get(alpha, line, map->S);
	for (j = 0; j < map->S; j++)
		seen[j] += line[j];
}

/* ---- sums by schemas ---- */

static double
real(const struct cscg_switching_map *map, const void *v, int j)
{
	return map->kern->size == sizeof(float) ? ((const float *)v)[j] :
	    ((const double *)v)[j];
}

void
cscg_switching_sums(const struct cscg_switching_map *map, const void *in,
    const void *weight, double *sum)
{
	int k, j;

	for (k = 0; k < map->n; k++)
		for (sum[k] = 0, j = map->base[k]; j < map->base[k + 1]; j++)
			sum[k] += real(map, in, j) * real(map, weight, j);
}

void
cscg_switching_leave(const struct cscg_switching_map *map, int a,
    const void *in, const void *weight, double *sum)
{
	const void *level = map->simd ?
	    (const void *)(map->ways->level + (size_t)a * map->stride) :
	    (const char *)map->tr->level + (size_t)a * map->bytes;
	int k, j;

	for (k = 0; k < map->n; k++)
		for (sum[k] = 0, j = map->base[k]; j < map->base[k + 1]; j++)
			sum[k] += real(map, in, j) * real(map, weight, j) *
			    real(map, level, j);
}
