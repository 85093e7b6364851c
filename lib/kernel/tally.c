/*
 * tally.c - the expected counts of a unit from its messages
 *
 * The transitions of a group within a unit are neighbours, so that their
 * counts are one matrix product, added up as whole numbers.
 */
#include <math.h>
#include <string.h>

#include "kernel/fast.h"

enum {
	STEPS_PER_JOB = 1024,	/* steps weighed by one thread at a time */
	RENORM_STEPS = 32	/* steps from one alpha . beta to the next */
};

/* The weights of the transitions of unit u, in its order. */
static float *
factor_of(const struct cscg_blocked *f, int u)
{
	return f->factor + (f->low_memory ? 0 : f->pack->unit[u].before);
}

/* alpha . beta at the end of transition t of run r, which is in unit `now`. */
static float
alpha_dot_beta(const struct cscg_blocked *f, long r, long t)
{
	const struct cscg_pack *p = f->pack;
	const float *a;

	if (t + 1 < p->unit[f->current_unit].to)
		a = cscg_blocked_alpha(f, f->current_unit, r, t + 1);
	else
		a = f->check + f->edge[f->current_unit + 1];
	return f->simd->dot(a, cscg_blocked_right(f, f->current_unit, t),
	    p->group[p->of[t]].cols_pad);
}

/*
 * The weights of some transitions of unit `now`.  alpha . beta is the same all
 * along a run but for the powers of two, so it is computed only now and then,
 * often enough that rounding does not add up.
 */
static void
set_weights(struct cscg_blocked *f, long i)
{
	const struct cscg_pack *p = f->pack;
	const struct cscg_pack_unit *u = &p->unit[f->current_unit];
	long t = u->from + i * STEPS_PER_JOB, end = t + STEPS_PER_JOB, r = u->run;
	float one = 0;	/* 1 / (alpha . beta) at t, 0: not known */
	float *factor = factor_of(f, f->current_unit);

	if (end > u->to)
		end = u->to;
	while (p->run[r + 1] <= t)
		r++;
	for (; t < end; t++) {
		if (p->of[t] < 0) {
			r++;
			one = 0;
			continue;
		}
		if ((t - u->from) % RENORM_STEPS == 0 || one == 0)
			one = 1 / alpha_dot_beta(f, r, t);
		else if (f->shift_back[t] != f->shift[t + 1])
			one = scalbnf(one, f->shift_back[t] - f->shift[t + 1]);
		factor[p->order[t]] = f->shift[t + 1] ?
		    scalbnf(one, f->shift[t + 1]) : one;
	}
}

/* The counts of one piece. */
static void
add_piece(struct cscg_blocked *f, const struct cscg_pack_piece *q)
{
	const struct cscg_pack_group *g = &f->pack->group[q->group];
	bool is_sparse = !f->block[2 * q->group].dense;
	struct cscg_gram gram = {
		f->alpha + f->left[q->unit] + q->left,
		f->beta + f->right[q->unit] + q->right,
		factor_of(f, q->unit) + q->first, f->T + g->block,
		g->rows, g->rows_pad, g->cols_pad, (long)q->n,
		f->counts + g->block, q->last, f->live + g->live,
		f->block[2 * q->group].row_factor, f->block[2 * q->group].col_factor,
		f->live_next + g->live, f->min_count / (double)g->n
	};

	if (q->last)
		cscg_blocked_set_live(f, g, !is_sparse, f->live_next);
	if (is_sparse)
		f->simd->gram_sparse(&gram, ldexp(1, f->bits));
	else
		f->simd->gram(&gram, ldexp(1, f->bits));
}

static void
add_unit_piece(struct cscg_blocked *f, long i)
{
	add_piece(f, &f->pack->unit[f->current_unit].piece[i]);
}

void
cscg_blocked_count_unit(struct cscg_blocked *f)
{
	cscg_blocked_parallel(f, f->pack->unit[f->current_unit].n_pieces, add_unit_piece);
}

void
cscg_blocked_count_group(struct cscg_blocked *f, int g)
{
	const struct cscg_pack *p = f->pack;
	long k;

	for (k = p->piece_of[g]; k < p->piece_of[g + 1]; k++)
		add_piece(f, p->piece[k]);
}

/* The posterior of the first step of each run that starts in unit `now`. */
static void
add_starts(struct cscg_blocked *f)
{
	const struct cscg_pack *p = f->pack;
	const struct cscg_pack_unit *u = &p->unit[f->current_unit];
	double z, unit = ldexp(1, f->bits);
	long r;
	int j, x;

	for (r = u->run; r < p->n_runs && p->run[r] < u->to; r++) {
		const float *a, *b;

		if (p->run[r] < u->from)
			continue;
		x = f->w->x[p->run[r]];
		a = cscg_blocked_alpha(f, f->current_unit, r, p->run[r]);
		b = f->tail_beta + f->head[r];
		z = f->simd->dot(a, b, cscg_blocked_width(f, x));
		for (j = 0; j < f->clones[x + 1] - f->clones[x]; j++)
			f->start[f->clones[x] + j] +=
			    llrint(a[j] * b[j] / z * unit);
	}
}

void
cscg_blocked_set_weights(struct cscg_blocked *f, int first, int last)
{
	const struct cscg_pack_unit *u;

	/* From the last to the first, as with low_memory. */
	for (f->current_unit = last - 1; f->current_unit >= first; f->current_unit--) {
		u = &f->pack->unit[f->current_unit];
		cscg_blocked_parallel(f, (u->to - u->from + STEPS_PER_JOB - 1) / STEPS_PER_JOB,
		    set_weights);
		if (f->learn_pi)
			add_starts(f);
	}
}
