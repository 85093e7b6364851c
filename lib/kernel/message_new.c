/* message_new.c - room for the messages of the fast engine: see message.c */
#include <stdlib.h>

#include "kernel/fast.h"
#include "base/mem.h"

static int
new_parts(struct cscg_blocked *f, struct cscg_err *err)
{
	const struct cscg_pack *p = f->pack;
	size_t max_transitions = (size_t)p->n_runs + (size_t)p->n_units, n = 0;
	long r = 0;
	int u;

	f->part = cscg_alloc(max_transitions, sizeof *f->part, err);
	f->part_of_unit = cscg_alloc((size_t)p->n_units + 1, sizeof *f->part_of_unit,
	    err);
	f->part_of_run = cscg_alloc((size_t)p->n_runs + 1,
	    sizeof *f->part_of_run, err);
	f->loglik = cscg_alloc(max_transitions, sizeof *f->loglik, err);
	if (!f->part || !f->part_of_unit || !f->part_of_run || !f->loglik)
		return -1;
	for (u = 0; u < p->n_units; u++) {
		f->part_of_unit[u] = (long)n;
		for (r = p->unit[u].run; r < p->n_runs &&
		    p->run[r] < p->unit[u].to; r++) {
			struct cscg_run_part *q = &f->part[n];

			q->unit = u;
			q->run = r;
			q->from = p->run[r] > p->unit[u].from ? p->run[r] :
			    p->unit[u].from;
			q->to = p->run[r + 1] < p->unit[u].to ?
			    p->run[r + 1] : p->unit[u].to;
			q->begins_run = q->from == p->run[r];
			q->ends_run = q->to == p->run[r + 1];
			if (q->begins_run)
				f->part_of_run[r] = (long)n;
			f->has_cuts |= !q->ends_run;
			n++;
		}
	}
	f->n_parts = f->part_of_unit[p->n_units] = f->part_of_run[p->n_runs] =
	    (long)n;
	return 0;
}

/* The units of all ranks. */
static int
new_sums(struct cscg_blocked *f, struct cscg_err *err)
{
	int size = cscg_ranks_size(f->ranks), rank = cscg_ranks_rank(f->ranks);
	int64_t *n = cscg_alloc((size_t)size + 1, sizeof *n, err);
	int i, rc = cscg_ranks_agree(f->ranks, n ? 0 : -1, 0, err);

	if (rc == 0) {
		n[rank] = f->pack->n_units;
		n[size] = f->has_cuts;
		cscg_ranks_sum(f->ranks, n, (size_t)size + 1);
		for (i = 0; i < size; i++) {
			f->all_units += n[i];
			f->before += i < rank ? n[i] : 0;
		}
		f->has_cuts = n[size] > 0;
		f->sum = cscg_alloc((size_t)f->all_units, sizeof *f->sum, err);
	}
	free(n);
	return f->sum ? rc : -1;
}

/* Room for the messages of the walk. */
static int
new_messages(struct cscg_blocked *f, struct cscg_err *err)
{
	const struct cscg_pack *p = f->pack;
	size_t units = (size_t)p->n_units, runs = (size_t)p->n_runs;
	size_t left = 0, right = 0, tail = 0, head = 0, edge = 0;
	long r, max_transitions = 0;
	int u;

	f->left = cscg_alloc(units, sizeof *f->left, err);
	f->right = cscg_alloc(units, sizeof *f->right, err);
	f->edge = cscg_alloc(units, sizeof *f->edge, err);
	f->tail = cscg_alloc(runs, sizeof *f->tail, err);
	f->head = cscg_alloc(runs, sizeof *f->head, err);
	if (!f->left || !f->right || !f->edge || !f->tail || !f->head)
		return -1;
	for (u = 0; u < p->n_units; u++) {
		const struct cscg_pack_unit *q = &p->unit[u];

		f->left[u] = f->low_memory ? 0 : left;
		f->right[u] = f->low_memory ? 0 : right;
		if (!f->low_memory || q->left > left)
			left = f->left[u] + q->left;
		if (!f->low_memory || q->right > right)
			right = f->right[u] + q->right;
		f->edge[u] = edge;
		edge += cscg_blocked_width(f, f->w->x[q->from]);
		if (!f->low_memory)
			max_transitions += q->n;
		else if (q->n > max_transitions)
			max_transitions = q->n;
	}
	for (r = 0; r < p->n_runs; r++) {
		f->tail[r] = tail;
		f->head[r] = head;
		tail += cscg_blocked_width(f, f->w->x[p->run[r + 1] - 1]);
		head += cscg_blocked_width(f, f->w->x[p->run[r]]);
	}
	f->alpha = cscg_blocked_reals(left, err);
	f->beta = cscg_blocked_reals(right, err);
	f->tail_alpha = cscg_blocked_reals(tail, err);
	f->tail_beta = cscg_blocked_reals(head, err);
	f->check = cscg_blocked_reals(edge, err);
	f->begin = cscg_blocked_reals(edge, err);
	f->backward = cscg_blocked_reals(edge, err);
	f->scratch = cscg_blocked_reals(3 * f->widest * (size_t)f->threads, err);
	f->shift = cscg_alloc((size_t)f->w->n_steps, sizeof *f->shift, err);
	f->shift_back = cscg_alloc((size_t)f->w->n_steps,
	    sizeof *f->shift_back, err);
	f->factor = cscg_alloc((size_t)max_transitions, sizeof *f->factor, err);
	return f->alpha && f->beta && f->tail_alpha && f->tail_beta &&
	    f->check && f->begin && f->backward && f->scratch && f->shift &&
	    f->shift_back && f->factor ? new_parts(f, err) : -1;
}

int
cscg_blocked_messages_new(struct cscg_blocked *f, struct cscg_err *err)
{
	if (cscg_ranks_agree(f->ranks, new_messages(f, err), 0, err) < 0)
		return -1;
	return cscg_ranks_agree(f->ranks, new_sums(f, err), 0, err);
}

void
cscg_blocked_messages_free(struct cscg_blocked *f)
{
	free(f->alpha);
	free(f->beta);
	free(f->left);
	free(f->right);
	free(f->tail_alpha);
	free(f->tail_beta);
	free(f->tail);
	free(f->head);
	free(f->check);
	free(f->begin);
	free(f->backward);
	free(f->edge);
	free(f->part);
	free(f->part_of_unit);
	free(f->part_of_run);
	free(f->scratch);
	free(f->shift);
	free(f->shift_back);
	free(f->factor);
	free(f->loglik);
	free(f->sum);
}
