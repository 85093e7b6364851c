/*
 * switching_pass.c - what a stretch of a walk says of states, schemas and looks
 *
 * Messages of a whole walk through many schemas are more than fits, and more
 * than is worth writing and reading.  One pass forward keeps only the message
 * at the start of each chunk; from the last chunk to the first, messages are
 * then made again, and meet the backward message on its way.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schema/switching_pass.h"

enum { CHUNK = CSCG_SWITCHING_CHUNK };

/* ---- looks ---- */

struct cscg_switching_look *
cscg_switching_look_new(const struct cscg_switching_map *map, int n_obs,
    struct cscg_err *err)
{
	struct cscg_switching_look *look = cscg_alloc(1, sizeof *look, err);
	size_t K = (size_t)n_obs;

	if (!look)
		return NULL;
	look->map = map;
	look->K = n_obs;
	look->used = cscg_alloc(K, sizeof *look->used, err);
	look->is_used = cscg_alloc(K, 1, err);
	look->column = cscg_alloc_aligned(K + 1, map->bytes, CSCG_ALIGN, err);
	look->seen = cscg_alloc(K + 1, map->stride * sizeof *look->seen, err);
	look->norm = cscg_alloc(map->stride, sizeof *look->norm, err);
	look->line = cscg_alloc(map->stride, sizeof *look->line, err);
	if (!look->used || !look->is_used || !look->column || !look->seen ||
	    !look->norm || !look->line) {
		cscg_switching_look_free(look);
		return NULL;
	}
	cscg_switching_fill(map, 1, cscg_switching_column(look, -1));
	return look;
}

void
cscg_switching_look_free(struct cscg_switching_look *look)
{
	if (!look)
		return;
	free(look->used);
	free(look->is_used);
	free(look->column);
	free(look->seen);
	free(look->held);
	free(look->norm);
	free(look->line);
	free(look);
}

void
cscg_switching_look_clear(struct cscg_switching_look *look)
{
	size_t K = (size_t)look->K, stride = look->map->stride;

	look->n_used = 0;
	memset(look->is_used, 0, K);
	memset(look->norm, 0, stride * sizeof *look->norm);
	memset(look->seen, 0, (K + 1) * stride * sizeof *look->seen);
	free(look->held);
	look->held = NULL;
}

void
cscg_switching_look_copy(struct cscg_switching_look *to,
    const struct cscg_switching_look *from)
{
	size_t K = (size_t)from->K;
	int i;

	to->n_used = from->n_used;
	memcpy(to->used, from->used, K * sizeof *to->used);
	memcpy(to->is_used, from->is_used, K);
	memcpy(to->norm, from->norm, from->map->stride * sizeof *to->norm);
	for (i = 0; i < from->n_used; i++) {
		memcpy(cscg_switching_column(to, from->used[i]),
		    cscg_switching_column(from, from->used[i]),
		    from->map->bytes);
		memcpy(cscg_switching_seen(to, from->used[i]),
		    cscg_switching_seen(from, from->used[i]),
		    from->map->stride * sizeof *to->seen);
	}
}

void
cscg_switching_use(struct cscg_switching_look *look, int x, double p)
{
	int j;

	if (x < 0 || look->is_used[x])
		return;
	look->is_used[x] = 1;
	look->used[look->n_used++] = x;
	for (j = 0; j < look->map->S; j++)
		look->line[j] = look->norm[j] > 0 ? p * look->norm[j] :
		    1.0 / look->K;
	look->map->kern->set(cscg_switching_column(look, x), look->line,
	    look->map->S);
}

/* ---- the M-step ---- */

static double
sum_log(const struct cscg_switching_map *map, const double *v, int n)
{
	double sum = 0;
	int i;

	if (map->simd)
		return map->simd->log_sum(v, n);
	for (i = 0; i < n; i++)
		sum += log(v[i]);
	return sum;
}

/* Visits of state j with symbol x: held, and in all. */
static double
held(const struct cscg_switching_look *look, int x, int j)
{
	return look->held ? look->held[(size_t)(x + 1) * look->map->stride +
	    (size_t)j] : 0;
}

static double
visits(const struct cscg_switching_look *look, int x, int j)
{
	return cscg_switching_seen(look, x)[j] + held(look, x, j);
}

double
cscg_switching_maximise(struct cscg_switching_look *look, double p)
{
	const struct cscg_switching_map *map = look->map;
	double sum, *norm = look->norm, *line = look->line;
	int i, j, S = map->S;

	for (j = 0; j < S; j++)
		norm[j] = p * look->K;
	for (i = 0; i < look->n_used; i++)
		for (j = 0; j < S; j++)
			norm[j] += visits(look, look->used[i], j);
	for (j = 0; j < S; j++) {
		norm[j] = 1 / norm[j];
		line[j] = p * norm[j];
	}
	sum = p * (look->K - look->n_used) * sum_log(map, line, S);
	for (i = 0; i < look->n_used; i++) {
		for (j = 0; j < S; j++)
			line[j] = (visits(look, look->used[i], j) + p) *
			    norm[j];
		map->kern->set(cscg_switching_column(look, look->used[i]),
		    line, S);
		sum += p * sum_log(map, line, S);
		for (j = 0; look->held && j < S; j++)
			sum += held(look, look->used[i], j) * log(line[j]);
	}
	return sum;
}

/* States that are less likely than this learn nothing: they are many. */
static const double worth = 1e-3;

void
cscg_switching_learn(struct cscg_switching_look *look, int x,
    const double *gamma, double p)
{
	const struct cscg_kern *kern = look->map->kern;
	int i, j;

	for (j = 0; x >= 0 && j < look->map->S; j++) {
		if (gamma[j] < worth)
			continue;
		cscg_switching_seen(look, x)[j] += gamma[j];
		/* Before the first binding all rows are alike. */
		look->norm[j] = 1 / ((look->norm[j] > 0 ? 1 / look->norm[j] :
		    p * look->K) + gamma[j]);
		for (i = 0; i < look->n_used; i++) {
			char *column = cscg_switching_column(look,
			    look->used[i]);
			double E = (visits(look, look->used[i], j) + p) *
			    look->norm[j];

			kern->set(column + (size_t)j * kern->size, &E, 1);
		}
	}
}

/* ---- passes ---- */

struct cscg_switching_pass *
cscg_switching_pass_new(const struct cscg_switching_map *map,
    struct cscg_err *err)
{
	struct cscg_switching_pass *pass = cscg_alloc(1, sizeof *pass, err);
	size_t n = (size_t)map->n;
	int i;

	if (!pass)
		return NULL;
	pass->map = map;
	pass->alpha = cscg_alloc_aligned(CHUNK, map->bytes, CSCG_ALIGN, err);
	for (i = 0; i < 2; i++) {
		pass->beta[i] = cscg_alloc_aligned(1, map->bytes, CSCG_ALIGN,
		    err);
		pass->last[i] = cscg_alloc_aligned(1, map->bytes, CSCG_ALIGN,
		    err);
	}
	pass->scratch = cscg_alloc_aligned(1, map->bytes, CSCG_ALIGN, err);
	pass->line = cscg_alloc(map->stride, sizeof *pass->line, err);
	pass->leave = cscg_alloc(n, sizeof *pass->leave, err);
	pass->enter = cscg_alloc(n, sizeof *pass->enter, err);
	if (pass->alpha && pass->beta[0] && pass->beta[1] && pass->scratch &&
	    pass->last[0] && pass->last[1] && pass->line && pass->leave && pass->enter)
		return pass;
	cscg_switching_pass_free(pass);
	return NULL;
}

void
cscg_switching_pass_free(struct cscg_switching_pass *pass)
{
	if (!pass)
		return;
	free(pass->alpha);
	free(pass->beta[0]);
	free(pass->beta[1]);
	free(pass->scratch);
	free(pass->mark);
	free(pass->last[0]);
	free(pass->last[1]);
	free(pass->line);
	free(pass->leave);
	free(pass->enter);
	free(pass);
}

static int
too_small(long t, struct cscg_err *err)
{
	return cscg_fail(err, CSCG_ERANGE, "step %ld: numbers became too small "
	    "(a larger pseudocount helps, or double precision)", t);
}

/* Is the message at step t one of any state? */
static bool
fresh(const struct cscg_switching_part *part, long t)
{
	return part->reset && part->reset[t];
}

/* The message at the first step of the stretch. */
static void
begin(const struct cscg_switching_map *map,
    const struct cscg_switching_part *part, void *alpha)
{
	if (part->from && !fresh(part, 0))
		memcpy(alpha, part->from, map->bytes);
	else
		cscg_switching_fill(map, 1.0 / map->S, alpha);
}

/* From the message of step t to that of t + 1. */
static int
step_on(struct cscg_switching_pass *pass,
    const struct cscg_switching_look *look,
    const struct cscg_switching_part *part, long t, const void *in, void *out,
    double *lift, struct cscg_err *err)
{
	if (fresh(part, t + 1)) {
		cscg_switching_fill(pass->map, 1.0 / pass->map->S, out);
		*lift = 0;
		return 0;
	}
	if (!cscg_switching_on(pass->map, part->a[t], in,
	    cscg_switching_column(look, part->x[t]), pass->scratch, out, lift))
		return too_small(t + 1, err);
	return 0;
}

/* log of what is left of a message at step t. */
static double
log_sum(const struct cscg_switching_pass *pass,
    const struct cscg_switching_look *look,
    const struct cscg_switching_part *part, long t, const void *alpha)
{
	const struct cscg_switching_map *map = pass->map;
	const void *weight = cscg_switching_column(look, part->x[t]);

	return log(map->simd ? map->simd->dot(alpha, weight,
	    (uint32_t)map->stride) : map->kern->dot(alpha, weight, map->S));
}

const void *
cscg_switching_mark(const struct cscg_switching_pass *pass, long i)
{
	return pass->mark + (size_t)i * pass->map->bytes;
}

/* All steps; keeps the message at the start of each chunk. */
int
cscg_switching_forward(struct cscg_switching_pass *pass,
    const struct cscg_switching_look *look,
    const struct cscg_switching_part *part, double *loglik,
    struct cscg_err *err)
{
	const struct cscg_switching_map *map = pass->map;
	char *in = pass->alpha, *out = in + map->bytes, *swap;
	double lift, sum = 0;
	long t;

	if (cscg_grow(&pass->mark, &pass->cap_mark, (size_t)((part->n +
	    CHUNK - 1) / CHUNK) * map->bytes, 1, err) < 0)
		return -1;
	begin(map, part, in);
	for (t = 0;; t++) {
		if (t % CHUNK == 0)
			memcpy(pass->mark + (size_t)(t / CHUNK) * map->bytes,
			    in, map->bytes);
		if (t + 1 == part->n || fresh(part, t + 1))
			sum += log_sum(pass, look, part, t, in);
		if (t + 1 == part->n)
			break;
		if (step_on(pass, look, part, t, in, out, &lift, err) < 0)
			return -1;
		sum -= lift;
		swap = in;
		in = out;
		out = swap;
	}
	memcpy(pass->last[0], in, map->bytes);
	memcpy(pass->last[1], out, map->bytes);
	*loglik = sum;
	return isfinite(sum) ? 0 : too_small(t, err);
}

/* The messages of the chunk that begins at step t0, again. */
static int
again(struct cscg_switching_pass *pass,
    const struct cscg_switching_look *look,
    const struct cscg_switching_part *part, long t0, long t1,
    struct cscg_err *err)
{
	size_t bytes = pass->map->bytes;
	char *at = pass->alpha;
	double lift;
	long t;

	memcpy(at, pass->mark + (size_t)(t0 / CHUNK) * bytes, bytes);
	for (t = t0; t + 1 < t1; t++, at += bytes)
		if (step_on(pass, look, part, t, at, at + bytes, &lift,
		    err) < 0)
			return -1;
	return 0;
}

/*
 * The share of ways from one schema to another among all that there are: a jump
 * from a state of k leaves with leave[k], and one to l is worth enter[l].
 */
static double
turned(const struct cscg_switching_pass *pass, double scale)
{
	double out = 0, in = 0, same = 0, p;
	int k;

	for (k = 0; k < pass->map->n; k++) {
		out += pass->leave[k];
		in += pass->enter[k];
		same += pass->leave[k] * pass->enter[k];
	}
	p = (out * in - same) * scale;
	return p < 0 ? 0 : p > 1 ? 1 : p;
}

/* What is told of step t, and of the move to t + 1 that has this lift. */
static void
tell_step(struct cscg_switching_pass *pass,
    const struct cscg_switching_look *look,
    const struct cscg_switching_part *part,
    const struct cscg_switching_tell *tell, long t, const void *alpha,
    const void *beta, double lift)
{
	const struct cscg_switching_map *map = pass->map;
	const void *weight = cscg_switching_column(look, part->x[t]);
	double *p = tell->posterior + t * map->n, sum = 0;
	int k;

	memcpy(pass->scratch, alpha, map->bytes);
	map->kern->weigh(pass->scratch, weight, map->S);
	cscg_switching_sums(map, pass->scratch, beta, p);
	for (k = 0; k < map->n; k++)
		sum += p[k];
	if (t + 1 < part->n && !fresh(part, t + 1)) {
		cscg_switching_leave(map, part->a[t], alpha, weight,
		    pass->leave);
		tell->turn[t + 1] = turned(pass, exp(lift) / sum);
	} else if (t + 1 < part->n) {
		tell->turn[t + 1] = 0;
	}
	for (k = 0; k < map->n; k++)
		p[k] /= sum;
	cscg_switching_sums(map, beta, weight, pass->enter);
}

/* Back to step t, where beta[0] becomes its message. */
static int
step_back(struct cscg_switching_pass *pass,
    const struct cscg_switching_look *look,
    const struct cscg_switching_part *part, long t, double *lift,
    struct cscg_err *err)
{
	char *swap = pass->beta[0];

	*lift = 0;
	if (t + 1 == part->n || fresh(part, t + 1)) {
		cscg_switching_fill(pass->map, 1, pass->beta[0]);
		return 0;
	}
	if (!cscg_switching_back(pass->map, part->a[t], pass->beta[0],
	    cscg_switching_column(look, part->x[t + 1]), pass->scratch,
	    pass->beta[1], lift))
		return too_small(t, err);
	pass->beta[0] = pass->beta[1];
	pass->beta[1] = swap;
	return 0;
}

static void
nothing_seen(struct cscg_switching_look *look)
{
	size_t bytes = look->map->stride * sizeof *look->seen;
	int i;

	memset(cscg_switching_seen(look, -1), 0, bytes);
	for (i = 0; i < look->n_used; i++)
		memset(cscg_switching_seen(look, look->used[i]), 0, bytes);
}

int
cscg_switching_expect(struct cscg_switching_pass *pass,
    struct cscg_switching_look *look, const struct cscg_switching_part *part,
    const struct cscg_switching_tell *tell, double *loglik,
    struct cscg_err *err)
{
	size_t bytes = pass->map->bytes;
	long t0, t1, t;
	double lift, *into;

	if (cscg_switching_forward(pass, look, part, loglik, err) < 0)
		return -1;
	nothing_seen(look);
	if (tell)
		tell->turn[0] = 0;
	for (t1 = part->n; t1 > 0; t1 = t0) {
		t0 = (t1 - 1) / CHUNK * CHUNK;
		if (again(pass, look, part, t0, t1, err) < 0)
			return -1;
		for (t = t1 - 1; t >= t0; t--) {
			char *alpha = pass->alpha + (size_t)(t - t0) * bytes;

			if (step_back(pass, look, part, t, &lift, err) < 0)
				return -1;
			if (tell)
				tell_step(pass, look, part, tell, t, alpha,
				    pass->beta[0], lift);
			into = t < part->gone ? look->held : look->seen;
			cscg_switching_meet(pass->map, alpha, pass->beta[0],
			    cscg_switching_column(look, part->x[t]),
			    pass->line, into + (size_t)(part->x[t] + 1) *
			    pass->map->stride);
		}
	}
	return 0;
}

/* ---- the filter ---- */

int
cscg_switching_filter(struct cscg_switching_pass *pass,
    const struct cscg_switching_look *look, const void *now, int before, int a,
    int x, void *next, double *posterior, double *turn, struct cscg_err *err)
{
	const struct cscg_switching_map *map = pass->map;
	const void *ones = cscg_switching_column(look, -1);
	const void *was = cscg_switching_column(look, before);
	const void *weight = cscg_switching_column(look, x);
	double lift = 0, sum = 0;
	int k;

	if (a < 0)
		cscg_switching_fill(map, 1.0 / map->S, next);
	else if (!cscg_switching_on(map, a, now, was, pass->scratch, next,
	    &lift))
		return too_small(0, err);
	cscg_switching_sums(map, next, weight, posterior);
	for (k = 0; k < map->n; k++)
		sum += posterior[k];
	if (!(sum > 0))
		return too_small(0, err);
	*turn = 0;
	if (a >= 0) {
		cscg_switching_leave(map, a, now, was, pass->leave);
		cscg_switching_sums(map, ones, weight, pass->enter);
		*turn = turned(pass, exp(lift) / sum);
	}
	for (k = 0; k < map->n; k++)
		posterior[k] /= sum;
	return 0;
}
