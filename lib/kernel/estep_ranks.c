/*
 * estep_ranks.c - E-steps of EM on T distributed over MPI ranks
 *
 * Every command of rank 0 is one word, followed by its data.  After each step
 * that can fail the ranks agree on the result before they continue, so that no
 * rank waits for one that has returned.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dist/ranks_walk.h"
#include "kernel/estep_ranks.h"
#include "kernel/pack.h"

/* Ranks that share the E-steps of rank 0 */

/* Pointers are not NULL after cscg_ranks_agree() has succeeded. */
/* NOLINTBEGIN(clang-analyzer-core.NullDereference) */

enum command {
	NEW,
	LOAD,
	LOAD_RANDOM,
	SET,
	EXPECT,
	ACCEPT,
	RESTORE,
	FREE,
	JOBS,
	STOP,
};

struct cscg_estep_ranks {
	struct cscg_ranks *ranks;
	const struct cscg_walk *whole; /* that of rank 0, or received from
	                                  it */
	struct cscg_walk *received;    /* whole, if received */
	struct cscg_walk *part;        /* the part of this rank */
	int n_parts;
	int64_t *part_size; /* [size][2] episodes and steps */
	volatile uint64_t *mine;
	uint64_t signals;
	bool in_job; /* each rank is running a separate job */

	struct cscg_model *m;      /* ranks other than 0: model of the engine
	                              ... */
	struct cscg_model *counts; /* ... and the counts received */
	struct cscg_estep *estep;
};

/* ---- parts of the walk ---- */

/*
 * first[i] .. first[i + 1] are the steps of rank i; returns the number of
 * ranks with steps.
 */
static int
choose_parts(const long *cut, long n, int size, long *first)
{
	long k = 0, total = cut[n], want;
	int i, parts = 0;

	for (i = 0; i < size; i++) {
		want = (long)((double)total * i / size + .5);
		/* The nearest cut, not before that of the rank before. */
		while (k < n && cut[k + 1] - want < want - cut[k])
			k++;
		first[i] = cut[k];
	}
	first[size] = total;
	for (i = 0; i < size; i++)
		parts += first[i + 1] > first[i];
	return parts;
}

/* Rank 0: a blob for each rank. */
static int
make_parts(struct cscg_estep_ranks *er, struct cscg_blob *part,
    struct cscg_err *err)
{
	int size = cscg_ranks_size(er->ranks), i, rc = -1;
	long n, *first = cscg_alloc((size_t)size + 1, sizeof *first, err);
	long *cut = first ? cscg_pack_cuts(er->whole, &n, err) : NULL;

	if (cut) {
		er->n_parts = choose_parts(cut, n, size, first);
		rc = 0;
	}
	for (i = 0; i < size && rc == 0; i++)
		rc = cscg_blob_write_walk(&part[i], er->whole, first[i],
		    first[i + 1], err);
	free(first);
	free(cut);
	return rc;
}

/* Check that every episode belongs to exactly one rank. */
static int
count_parts(struct cscg_estep_ranks *er, struct cscg_err *err)
{
	int size = cscg_ranks_size(er->ranks), i;
	int rank = cscg_ranks_rank(er->ranks);
	int64_t episodes = 0, steps = 0;

	er->part_size[2 * rank] = er->part->n_episodes;
	er->part_size[2 * rank + 1] = er->part->n_steps;
	cscg_ranks_sum(er->ranks, er->part_size, 2 * (size_t)size);
	for (i = 0; i < size; i++) {
		episodes += er->part_size[2 * i];
		steps += er->part_size[2 * i + 1];
	}
	if (rank == 0 &&
	    (episodes != er->whole->n_episodes || steps != er->whole->n_steps))
		return cscg_fail(err, CSCG_EBUG,
		    "ranks have %lld episodes and %lld steps, but the walk "
		    "has %d and %ld",
		    (long long)episodes, (long long)steps,
		    er->whole->n_episodes, er->whole->n_steps);
	return 0;
}

static int
share_parts(struct cscg_estep_ranks *er, struct cscg_err *err)
{
	int size = cscg_ranks_size(er->ranks), i, rc;
	struct cscg_blob mine = { 0 },
			 *part = cscg_alloc((size_t)size, sizeof *part, err);

	rc = part ? 0 : -1;
	if (rc == 0 && cscg_ranks_rank(er->ranks) == 0)
		rc = make_parts(er, part, err);
	rc = cscg_ranks_agree(er->ranks, rc, 0, err);
	if (rc == 0)
		rc = cscg_ranks_scatter(er->ranks, part, &mine, err);
	if (rc == 0) {
		er->part = cscg_blob_read_walk(&mine, err);
		rc = cscg_ranks_agree(er->ranks, er->part ? 0 : -1, 0, err);
	}
	if (rc == 0)
		rc = cscg_ranks_agree(er->ranks, count_parts(er, err), 0, err);
	for (i = 0; part && i < size; i++)
		cscg_blob_free(&part[i]);
	free(part);
	cscg_blob_free(&mine);
	return rc;
}

struct cscg_estep_ranks *
cscg_estep_ranks_new(struct cscg_ranks *ranks, const struct cscg_walk *w,
    struct cscg_err *err)
{
	struct cscg_estep_ranks *er = cscg_alloc(1, sizeof *er, err);

	if (er)
		er->part_size = cscg_alloc(2 * (size_t)cscg_ranks_size(ranks),
		    sizeof *er->part_size, err);
	if (cscg_ranks_agree(ranks, er && er->part_size ? 0 : -1, 0, err) <
	    0) {
		cscg_estep_ranks_free(er);
		return NULL;
	}
	er->ranks = ranks;
	er->whole = cscg_ranks_rank(ranks) ? NULL : w;
	if (share_parts(er, err) < 0) {
		cscg_estep_ranks_free(er);
		return NULL;
	}
	return er;
}

static void
drop_estep(struct cscg_estep_ranks *er)
{
	cscg_estep_free(er->estep);
	cscg_model_free(er->m);
	cscg_model_free(er->counts);
	er->estep = NULL;
	er->m = er->counts = NULL;
}

void
cscg_estep_ranks_free(struct cscg_estep_ranks *er)
{
	if (!er)
		return;
	drop_estep(er);
	cscg_walk_free(er->received);
	cscg_walk_free(er->part);
	free(er->part_size);
	free(er);
}

void
cscg_estep_ranks_watch_signals(struct cscg_estep_ranks *er,
    volatile uint64_t *mine)
{
	er->mine = mine;
}

uint64_t
cscg_estep_ranks_signals(const struct cscg_estep_ranks *er)
{
	return er->signals;
}

void
cscg_estep_ranks_clear_signals(struct cscg_estep_ranks *er, uint64_t set)
{
	er->signals &= ~set;
}

int
cscg_estep_ranks_parts(const struct cscg_estep_ranks *er)
{
	return er->n_parts;
}

void
cscg_estep_ranks_part_size(const struct cscg_estep_ranks *er, int rank,
    long *episodes, long *steps)
{
	*episodes = (long)er->part_size[2 * rank];
	*steps = (long)er->part_size[2 * rank + 1];
}

int
cscg_estep_ranks_size(const struct cscg_estep_ranks *er)
{
	return cscg_ranks_size(er->ranks);
}

/* ---- on all ranks ---- */

static void
share_signals(struct cscg_estep_ranks *er)
{
	uint64_t sent = er->mine ?
	    __atomic_exchange_n(er->mine, 0, __ATOMIC_RELAXED) :
	    0;

	cscg_ranks_or(er->ranks, &sent, 1);
	er->signals |= sent;
}

/* Send the whole walk to the ranks that do not have it yet. */
static int
share_whole(struct cscg_estep_ranks *er, struct cscg_err *err)
{
	struct cscg_blob b = { 0 };
	int rc = 0, rank = cscg_ranks_rank(er->ranks);
	int64_t missing = !er->whole;

	cscg_ranks_max(er->ranks, &missing, 1);
	if (!missing)
		return 0;
	if (rank == 0)
		rc = cscg_blob_write_walk(&b, er->whole, 0, er->whole->n_steps,
		    err);
	rc = cscg_ranks_agree(er->ranks, rc, 0, err);
	if (rc == 0)
		rc = cscg_ranks_bcast_blob(er->ranks, &b, err);
	if (rc == 0 && rank) {
		er->whole = er->received = cscg_blob_read_walk(&b, err);
		rc = er->received ? 0 : -1;
	}
	cscg_blob_free(&b);
	return cscg_ranks_agree(er->ranks, rc, 0, err);
}

/* Each rank runs its job; rank 0 sends the jobs and collects the results. */
static int
run_jobs(struct cscg_estep_ranks *er, const struct cscg_estep_options *set,
    cscg_estep_ranks_job *job, void *ctx, const struct cscg_blob *jobs,
    struct cscg_blob *results, struct cscg_err *err)
{
	struct cscg_blob mine = { 0 }, result = { 0 };
	struct cscg_estep_options alone = *set;
	int rc = share_whole(er, err);

	alone.estep_ranks = NULL;
	alone.ranks = NULL;
	er->in_job = true;
	if (rc == 0)
		rc = cscg_ranks_scatter(er->ranks, jobs, &mine, err);
	if (rc == 0) {
		if (mine.n)
			rc = job(ctx, er->whole, &alone, &mine, &result, err);
		rc = cscg_ranks_agree(er->ranks, rc, 0, err);
	}
	if (rc == 0)
		rc = cscg_ranks_gather(er->ranks, &result, results, err);
	er->in_job = false;
	cscg_blob_free(&mine);
	cscg_blob_free(&result);
	return rc;
}

/* ---- ranks other than 0 ---- */

struct message {
	int64_t command, number;
	double real;
	struct cscg_rng rng;
};

static int
serve_new(struct cscg_estep_ranks *er, const struct cscg_estep_options *set,
    struct cscg_err *err)
{
	struct cscg_estep_options how = *set;
	struct cscg_blob b = { 0 };
	long learn_pi, low_memory;
	int rc;

	drop_estep(er);
	rc = cscg_ranks_bcast_blob(er->ranks, &b, err);
	if (rc < 0)
		return -1;
	cscg_blob_read_long(&b, 0, 1, &learn_pi, err);
	cscg_blob_read_long(&b, 0, 1, &low_memory, err);
	er->m = cscg_blob_read_model(&b, err);
	cscg_blob_free(&b);
	if (cscg_ranks_agree(er->ranks, er->m ? 0 : -1, 0, err) < 0)
		return -1;
	how.learn_pi = learn_pi;
	how.low_memory = low_memory;
	how.ranks = er->ranks;
	how.estep_ranks = NULL;
	er->estep = cscg_estep_blocked(er->m, er->part, &how, err);
	return er->estep ? 0 : -1;
}

static int
serve_load(struct cscg_estep_ranks *er, struct cscg_err *err)
{
	struct cscg_blob b = { 0 };
	int rc = cscg_ranks_bcast_blob(er->ranks, &b, err);

	if (rc < 0)
		return -1;
	cscg_model_free(er->counts);
	er->counts = cscg_blob_read_model(&b, err);
	cscg_blob_free(&b);
	rc = er->counts ? er->estep->load(er->estep, er->counts, NULL, err) :
			  -1;
	return cscg_ranks_agree(er->ranks, rc, 0, err);
}

static int
serve_restore(struct cscg_estep_ranks *er, struct cscg_err *err)
{
	struct cscg_blob b = { 0 };
	int rc = cscg_ranks_bcast_blob(er->ranks, &b, err);

	if (rc == 0)
		rc = cscg_ranks_agree(er->ranks,
		    er->estep->restore(er->estep, &b, err), 0, err);
	cscg_blob_free(&b);
	return rc;
}

/*
 * Execute one command; rank 0 reports failures, since all ranks have agreed.
 */
static void
execute(struct cscg_estep_ranks *er, const struct cscg_estep_options *set,
    cscg_estep_ranks_job *job, const struct message *message)
{
	struct cscg_estep *e = er->estep;
	struct cscg_rng rng = message->rng;
	struct cscg_err err = { 0 };
	double loglik;

	switch ((enum command)message->command) {
	case NEW:
		serve_new(er, set, &err);
		break;
	case LOAD:
		serve_load(er, &err);
		break;
	case LOAD_RANDOM:
		cscg_ranks_agree(er->ranks, e->load(e, er->m, &rng, &err), 0,
		    &err);
		break;
	case SET:
		e->set(e, message->real);
		break;
	case EXPECT:
		e->expect(e, message->number, &loglik, &err);
		share_signals(er);
		break;
	case ACCEPT:
		e->accept(e);
		break;
	case RESTORE:
		serve_restore(er, &err);
		break;
	case FREE:
		drop_estep(er);
		break;
	case JOBS:
		run_jobs(er, set, job, NULL, NULL, NULL, &err);
		break;
	case STOP:
		break;
	}
}

int
cscg_estep_ranks_serve(struct cscg_estep_ranks *er,
    const struct cscg_estep_options *set, cscg_estep_ranks_job *job)
{
	struct message message;

	do {
		cscg_ranks_bcast_idle(er->ranks, &message, sizeof message);
		execute(er, set, job, &message);
	} while (message.command != STOP);
	return (int)message.number;
}

/* ---- rank 0 ---- */

static void
send(struct cscg_estep_ranks *er, enum command command, long number,
    double real, const struct cscg_rng *rng)
{
	struct message message;

	memset(&message, 0, sizeof message);
	message.command = command;
	message.number = number;
	message.real = real;
	if (rng)
		message.rng = *rng;
	cscg_ranks_bcast_idle(er->ranks, &message, sizeof message);
}

void
cscg_estep_ranks_stop(struct cscg_estep_ranks *er, int number)
{
	if (!er->in_job)
		send(er, STOP, number, 0, NULL);
}

int
cscg_estep_ranks_run_jobs(struct cscg_estep_ranks *er,
    const struct cscg_estep_options *set, cscg_estep_ranks_job *job, void *ctx,
    const struct cscg_blob *jobs, int n, struct cscg_blob *results,
    struct cscg_err *err)
{
	int size = cscg_estep_ranks_size(er), i, rc;
	struct cscg_blob *all = cscg_alloc((size_t)size, sizeof *all, err);
	struct cscg_blob *out = cscg_alloc((size_t)size, sizeof *out, err);

	if (!all || !out) {
		free(all);
		free(out);
		return -1;
	}
	memcpy(all, jobs, (size_t)n * sizeof *all);
	send(er, JOBS, 0, 0, NULL);
	rc = run_jobs(er, set, job, ctx, all, out, err);
	for (i = 0; i < size; i++) {
		if (i < n && rc == 0)
			results[i] = out[i];
		else
			cscg_blob_free(&out[i]);
	}
	free(all);
	free(out);
	return rc;
}

/*
 * The engine of rank 0: sends a command, and does the same for its own part.
 */
struct shared {
	struct cscg_estep base;
	struct cscg_estep_ranks *estep_ranks;
	struct cscg_estep *mine;
};

static int
shared_load(struct cscg_estep *e, const struct cscg_model *m,
    struct cscg_rng *rng, struct cscg_err *err)
{
	struct shared *s = (struct shared *)e;
	struct cscg_blob b = { 0 };
	int rc = 0;

	if (!rng && cscg_blob_write_model(&b, m, err) < 0)
		return -1;
	send(s->estep_ranks, rng ? LOAD_RANDOM : LOAD, 0, 0, rng);
	if (!rng)
		rc = cscg_ranks_bcast_blob(s->estep_ranks->ranks, &b, err);
	cscg_blob_free(&b);
	return rc < 0 ? -1 :
			cscg_ranks_agree(s->estep_ranks->ranks,
			    s->mine->load(s->mine, m, rng, err), 0, err);
}

static double
shared_set(struct cscg_estep *e, double pseudocount)
{
	struct shared *s = (struct shared *)e;

	send(s->estep_ranks, SET, 0, pseudocount, NULL);
	return s->mine->set(s->mine, pseudocount);
}

static int
shared_expect(struct cscg_estep *e, bool counts, double *loglik,
    struct cscg_err *err)
{
	struct shared *s = (struct shared *)e;
	int rc;

	send(s->estep_ranks, EXPECT, counts, 0, NULL);
	rc = s->mine->expect(s->mine, counts, loglik, err);
	share_signals(s->estep_ranks);
	return rc;
}

static void
shared_accept(struct cscg_estep *e)
{
	struct shared *s = (struct shared *)e;

	send(s->estep_ranks, ACCEPT, 0, 0, NULL);
	s->mine->accept(s->mine);
}

/* Counts are the same on every rank: no communication is needed. */
static int
shared_store(struct cscg_estep *e, struct cscg_model *m, double floor,
    struct cscg_err *err)
{
	struct shared *s = (struct shared *)e;

	return s->mine->store(s->mine, m, floor, err);
}

static int
shared_save(struct cscg_estep *e, struct cscg_blob *to, struct cscg_err *err)
{
	struct shared *s = (struct shared *)e;

	return s->mine->save(s->mine, to, err);
}

static int
shared_restore(struct cscg_estep *e, struct cscg_blob *from,
    struct cscg_err *err)
{
	struct shared *s = (struct shared *)e;
	struct cscg_blob rest = { .p = from->p + from->at,
		.n = from->n - from->at };
	int rc;

	send(s->estep_ranks, RESTORE, 0, 0, NULL);
	rc = cscg_ranks_bcast_blob(s->estep_ranks->ranks, &rest, err);
	return rc < 0 ? -1 :
			cscg_ranks_agree(s->estep_ranks->ranks,
			    s->mine->restore(s->mine, from, err), 0, err);
}

static void
shared_free(struct cscg_estep *e)
{
	struct shared *s = (struct shared *)e;

	send(s->estep_ranks, FREE, 0, 0, NULL);
	cscg_estep_free(s->mine);
	free(s);
}

struct cscg_estep *
cscg_estep_shared(struct cscg_estep_ranks *er, const struct cscg_model *m,
    const struct cscg_estep_options *set, struct cscg_err *err)
{
	static const struct cscg_estep ops = { shared_load, shared_set,
		shared_expect, shared_accept, shared_store, shared_free, NULL,
		0, 0, shared_save, shared_restore };
	struct cscg_estep_options how = *set;
	struct shared *s = cscg_alloc(1, sizeof *s, err);
	struct cscg_blob b = { 0 };
	bool sent = false;
	int rc = -1;

	how.ranks = er->ranks;
	how.estep_ranks = NULL;
	cscg_blob_write_long(&b, set->learn_pi, err);
	cscg_blob_write_long(&b, set->low_memory, err);
	if (s && cscg_blob_write_model(&b, m, err) == 0) {
		send(er, NEW, 0, 0, NULL);
		sent = true;
		rc = cscg_ranks_bcast_blob(er->ranks, &b, err);
		if (rc == 0)
			rc = cscg_ranks_agree(er->ranks, 0, 0, err);
	}
	cscg_blob_free(&b);
	if (rc == 0)
		s->mine = cscg_estep_blocked(m, er->part, &how, err);
	if (!s || !s->mine) {
		/* The other ranks may have created the engine. */
		if (sent)
			send(er, FREE, 0, 0, NULL);
		free(s);
		return NULL;
	}
	s->base = ops;
	s->base.name = s->mine->name;
	s->base.slack_relative = s->mine->slack_relative;
	s->base.slack_per_step = s->mine->slack_per_step;
	s->estep_ranks = er;
	return &s->base;
}

/* NOLINTEND(clang-analyzer-core.NullDereference) */
