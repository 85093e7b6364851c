/*
 * crew.c - ranks that share the E-steps of rank 0
 *
 * Every order is one word from rank 0, then what belongs to it.  Whatever can
 * fail is agreed on before anybody goes on, so that no rank waits for one that
 * has left.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel/crew.h"
#include "base/mem.h"
#include "kernel/pack.h"
#include "dist/ranks_walk.h"

/* What cscg_ranks_agree() has let pass is there. */
/* NOLINTBEGIN(clang-analyzer-core.NullDereference) */

enum order {
	NEW, LOAD, LOAD_RANDOM, SET, EXPECT, ACCEPT, RESTORE, FREE, EACH, DONE
};

struct cscg_crew {
	struct cscg_ranks *ranks;
	const struct cscg_walk *whole;	/* rank 0's, or what it has sent */
	struct cscg_walk *got;		/* whole, if it was sent */
	struct cscg_walk *part;		/* this rank's */
	int parts;
	int64_t *have;			/* [size][2] episodes and steps */
	volatile uint64_t *mine;
	uint64_t signals;
	bool busy;			/* each rank is at a job of its own */

	struct cscg_model *m;		/* not rank 0: of the engine ... */
	struct cscg_model *counts;	/* ... and those it was given */
	struct cscg_engine *engine;
};

/* ---- parts of the walk ---- */

/* first[i] .. first[i + 1] are the steps of rank i; returns how many have any. */
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
make_parts(struct cscg_crew *crew, struct cscg_blob *part,
    struct cscg_err *err)
{
	int size = cscg_ranks_size(crew->ranks), i, rc = -1;
	long n, *first = cscg_alloc((size_t)size + 1, sizeof *first, err);
	long *cut = first ? cscg_pack_cuts(crew->whole, &n, err) : NULL;

	if (cut) {
		crew->parts = choose_parts(cut, n, size, first);
		rc = 0;
	}
	for (i = 0; i < size && rc == 0; i++)
		rc = cscg_blob_write_walk(&part[i], crew->whole, first[i],
		    first[i + 1], err);
	free(first);
	free(cut);
	return rc;
}

/* Every episode is with one rank, and with one alone. */
static int
count_parts(struct cscg_crew *crew, struct cscg_err *err)
{
	int size = cscg_ranks_size(crew->ranks), i;
	int rank = cscg_ranks_rank(crew->ranks);
	int64_t episodes = 0, steps = 0;

	crew->have[2 * rank] = crew->part->n_episodes;
	crew->have[2 * rank + 1] = crew->part->n_steps;
	cscg_ranks_sum(crew->ranks, crew->have, 2 * (size_t)size);
	for (i = 0; i < size; i++) {
		episodes += crew->have[2 * i];
		steps += crew->have[2 * i + 1];
	}
	if (rank == 0 && (episodes != crew->whole->n_episodes ||
	    steps != crew->whole->n_steps))
		return cscg_fail(err, CSCG_EBUG, "ranks have %lld episodes and "
		    "%lld steps, but the walk has %d and %ld",
		    (long long)episodes, (long long)steps,
		    crew->whole->n_episodes, crew->whole->n_steps);
	return 0;
}

static int
share_parts(struct cscg_crew *crew, struct cscg_err *err)
{
	int size = cscg_ranks_size(crew->ranks), i, rc;
	struct cscg_blob mine = { 0 }, *part = cscg_alloc((size_t)size,
	    sizeof *part, err);

	rc = part ? 0 : -1;
	if (rc == 0 && cscg_ranks_rank(crew->ranks) == 0)
		rc = make_parts(crew, part, err);
	rc = cscg_ranks_agree(crew->ranks, rc, 0, err);
	if (rc == 0)
		rc = cscg_ranks_scatter(crew->ranks, part, &mine, err);
	if (rc == 0) {
		crew->part = cscg_blob_read_walk(&mine, err);
		rc = cscg_ranks_agree(crew->ranks, crew->part ? 0 : -1, 0,
		    err);
	}
	if (rc == 0)
		rc = cscg_ranks_agree(crew->ranks, count_parts(crew, err), 0,
		    err);
	for (i = 0; part && i < size; i++)
		cscg_blob_free(&part[i]);
	free(part);
	cscg_blob_free(&mine);
	return rc;
}

struct cscg_crew *
cscg_crew_new(struct cscg_ranks *ranks, const struct cscg_walk *w,
    struct cscg_err *err)
{
	struct cscg_crew *crew = cscg_alloc(1, sizeof *crew, err);

	if (crew)
		crew->have = cscg_alloc(2 * (size_t)cscg_ranks_size(ranks),
		    sizeof *crew->have, err);
	if (cscg_ranks_agree(ranks, crew && crew->have ? 0 : -1, 0, err) < 0) {
		cscg_crew_free(crew);
		return NULL;
	}
	crew->ranks = ranks;
	crew->whole = cscg_ranks_rank(ranks) ? NULL : w;
	if (share_parts(crew, err) < 0) {
		cscg_crew_free(crew);
		return NULL;
	}
	return crew;
}

static void
drop_engine(struct cscg_crew *crew)
{
	cscg_engine_free(crew->engine);
	cscg_model_free(crew->m);
	cscg_model_free(crew->counts);
	crew->engine = NULL;
	crew->m = crew->counts = NULL;
}

void
cscg_crew_free(struct cscg_crew *crew)
{
	if (!crew)
		return;
	drop_engine(crew);
	cscg_walk_free(crew->got);
	cscg_walk_free(crew->part);
	free(crew->have);
	free(crew);
}

void
cscg_crew_watch(struct cscg_crew *crew, volatile uint64_t *mine)
{
	crew->mine = mine;
}

uint64_t
cscg_crew_signals(const struct cscg_crew *crew)
{
	return crew->signals;
}

void
cscg_crew_seen(struct cscg_crew *crew, uint64_t set)
{
	crew->signals &= ~set;
}

int
cscg_crew_parts(const struct cscg_crew *crew)
{
	return crew->parts;
}

void
cscg_crew_share(const struct cscg_crew *crew, int rank, long *episodes,
    long *steps)
{
	*episodes = (long)crew->have[2 * rank];
	*steps = (long)crew->have[2 * rank + 1];
}

int
cscg_crew_size(const struct cscg_crew *crew)
{
	return cscg_ranks_size(crew->ranks);
}

/* ---- what all ranks do alike ---- */

static void
share_signals(struct cscg_crew *crew)
{
	uint64_t told = crew->mine ? __atomic_exchange_n(crew->mine, 0,
	    __ATOMIC_RELAXED) : 0;

	cscg_ranks_or(crew->ranks, &told, 1);
	crew->signals |= told;
}

/* The whole walk, for those who do not have it yet. */
static int
share_whole(struct cscg_crew *crew, struct cscg_err *err)
{
	struct cscg_blob b = { 0 };
	int rc = 0, rank = cscg_ranks_rank(crew->ranks);
	int64_t lacks = !crew->whole;

	cscg_ranks_max(crew->ranks, &lacks, 1);
	if (!lacks)
		return 0;
	if (rank == 0)
		rc = cscg_blob_write_walk(&b, crew->whole, 0,
		    crew->whole->n_steps, err);
	rc = cscg_ranks_agree(crew->ranks, rc, 0, err);
	if (rc == 0)
		rc = cscg_ranks_bcast_blob(crew->ranks, &b, err);
	if (rc == 0 && rank) {
		crew->whole = crew->got = cscg_blob_read_walk(&b, err);
		rc = crew->got ? 0 : -1;
	}
	cscg_blob_free(&b);
	return cscg_ranks_agree(crew->ranks, rc, 0, err);
}

/* Each rank its job; rank 0 has them all and gets what comes out. */
static int
do_each(struct cscg_crew *crew, const struct cscg_engine_set *set,
    cscg_crew_job *job, void *ctx, const struct cscg_blob *jobs,
    struct cscg_blob *results, struct cscg_err *err)
{
	struct cscg_blob mine = { 0 }, result = { 0 };
	struct cscg_engine_set alone = *set;
	int rc = share_whole(crew, err);

	alone.crew = NULL;
	alone.ranks = NULL;
	crew->busy = true;
	if (rc == 0)
		rc = cscg_ranks_scatter(crew->ranks, jobs, &mine, err);
	if (rc == 0) {
		if (mine.n)
			rc = job(ctx, crew->whole, &alone, &mine, &result,
			    err);
		rc = cscg_ranks_agree(crew->ranks, rc, 0, err);
	}
	if (rc == 0)
		rc = cscg_ranks_gather(crew->ranks, &result, results, err);
	crew->busy = false;
	cscg_blob_free(&mine);
	cscg_blob_free(&result);
	return rc;
}

/* ---- those who serve ---- */

struct order_word {
	int64_t order, number;
	double real;
	struct cscg_rng rng;
};

static int
serve_new(struct cscg_crew *crew, const struct cscg_engine_set *set,
    struct cscg_err *err)
{
	struct cscg_engine_set how = *set;
	struct cscg_blob b = { 0 };
	long learn_pi = 0, low_memory = 0;
	int rc;

	drop_engine(crew);
	rc = cscg_ranks_bcast_blob(crew->ranks, &b, err);
	if (rc < 0)
		return -1;
	if (cscg_blob_read_long(&b, 0, 1, &learn_pi, err) == 0 &&
	    cscg_blob_read_long(&b, 0, 1, &low_memory, err) == 0)
		crew->m = cscg_blob_read_model(&b, err);
	cscg_blob_free(&b);
	if (cscg_ranks_agree(crew->ranks, crew->m ? 0 : -1, 0, err) < 0)
		return -1;
	how.learn_pi = learn_pi;
	how.low_memory = low_memory;
	how.ranks = crew->ranks;
	how.crew = NULL;
	crew->engine = cscg_engine_fast(crew->m, crew->part, &how, err);
	return crew->engine ? 0 : -1;
}

static int
serve_load(struct cscg_crew *crew, struct cscg_err *err)
{
	struct cscg_blob b = { 0 };
	int rc = cscg_ranks_bcast_blob(crew->ranks, &b, err);

	if (rc < 0)
		return -1;
	cscg_model_free(crew->counts);
	crew->counts = cscg_blob_read_model(&b, err);
	cscg_blob_free(&b);
	rc = crew->counts ? crew->engine->load(crew->engine, crew->counts,
	    NULL, err) : -1;
	return cscg_ranks_agree(crew->ranks, rc, 0, err);
}

static int
serve_restore(struct cscg_crew *crew, struct cscg_err *err)
{
	struct cscg_blob b = { 0 };
	int rc = cscg_ranks_bcast_blob(crew->ranks, &b, err);

	if (rc == 0)
		rc = cscg_ranks_agree(crew->ranks, crew->engine->restore(
		    crew->engine, &b, err), 0, err);
	cscg_blob_free(&b);
	return rc;
}

/* One order; what goes wrong is rank 0's to tell, since all have agreed. */
static void
obey(struct cscg_crew *crew, const struct cscg_engine_set *set,
    cscg_crew_job *job, const struct order_word *word)
{
	struct cscg_engine *e = crew->engine;
	struct cscg_rng rng = word->rng;
	struct cscg_err err = { 0 };
	double loglik;

	switch ((enum order)word->order) {
	case NEW:
		serve_new(crew, set, &err);
		break;
	case LOAD:
		serve_load(crew, &err);
		break;
	case LOAD_RANDOM:
		cscg_ranks_agree(crew->ranks, e->load(e, crew->m, &rng, &err),
		    0, &err);
		break;
	case SET:
		e->set(e, word->real);
		break;
	case EXPECT:
		e->expect(e, word->number, &loglik, &err);
		share_signals(crew);
		break;
	case ACCEPT:
		e->accept(e);
		break;
	case RESTORE:
		serve_restore(crew, &err);
		break;
	case FREE:
		drop_engine(crew);
		break;
	case EACH:
		do_each(crew, set, job, NULL, NULL, NULL, &err);
		break;
	case DONE:
		break;
	}
}

int
cscg_crew_serve(struct cscg_crew *crew, const struct cscg_engine_set *set,
    cscg_crew_job *job)
{
	struct order_word word;

	do {
		cscg_ranks_bcast_idle(crew->ranks, &word, sizeof word);
		obey(crew, set, job, &word);
	} while (word.order != DONE);
	return (int)word.number;
}

/* ---- rank 0 ---- */

static void
give(struct cscg_crew *crew, enum order order, long number, double real,
    const struct cscg_rng *rng)
{
	struct order_word word;

	memset(&word, 0, sizeof word);
	word.order = order;
	word.number = number;
	word.real = real;
	if (rng)
		word.rng = *rng;
	cscg_ranks_bcast_idle(crew->ranks, &word, sizeof word);
}

void
cscg_crew_dismiss(struct cscg_crew *crew, int number)
{
	if (!crew->busy)
		give(crew, DONE, number, 0, NULL);
}

int
cscg_crew_each(struct cscg_crew *crew, const struct cscg_engine_set *set,
    cscg_crew_job *job, void *ctx, const struct cscg_blob *jobs, int n,
    struct cscg_blob *results, struct cscg_err *err)
{
	int size = cscg_crew_size(crew), i, rc;
	struct cscg_blob *all = cscg_alloc((size_t)size, sizeof *all, err);
	struct cscg_blob *out = cscg_alloc((size_t)size, sizeof *out, err);

	if (!all || !out) {
		free(all);
		free(out);
		return -1;
	}
	memcpy(all, jobs, (size_t)n * sizeof *all);
	give(crew, EACH, 0, 0, NULL);
	rc = do_each(crew, set, job, ctx, all, out, err);
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

/* The engine of rank 0: an order, and the same for its own part. */
struct shared {
	struct cscg_engine base;
	struct cscg_crew *crew;
	struct cscg_engine *mine;
};

static int
shared_load(struct cscg_engine *e, const struct cscg_model *m,
    struct cscg_rng *rng, struct cscg_err *err)
{
	struct shared *s = (struct shared *)e;
	struct cscg_blob b = { 0 };
	int rc = 0;

	if (!rng && cscg_blob_write_model(&b, m, err) < 0)
		return -1;
	give(s->crew, rng ? LOAD_RANDOM : LOAD, 0, 0, rng);
	if (!rng)
		rc = cscg_ranks_bcast_blob(s->crew->ranks, &b, err);
	cscg_blob_free(&b);
	return rc < 0 ? -1 : cscg_ranks_agree(s->crew->ranks,
	    s->mine->load(s->mine, m, rng, err), 0, err);
}

static double
shared_set(struct cscg_engine *e, double pseudocount)
{
	struct shared *s = (struct shared *)e;

	give(s->crew, SET, 0, pseudocount, NULL);
	return s->mine->set(s->mine, pseudocount);
}

static int
shared_expect(struct cscg_engine *e, bool counts, double *loglik,
    struct cscg_err *err)
{
	struct shared *s = (struct shared *)e;
	int rc;

	give(s->crew, EXPECT, counts, 0, NULL);
	rc = s->mine->expect(s->mine, counts, loglik, err);
	share_signals(s->crew);
	return rc;
}

static void
shared_accept(struct cscg_engine *e)
{
	struct shared *s = (struct shared *)e;

	give(s->crew, ACCEPT, 0, 0, NULL);
	s->mine->accept(s->mine);
}

/* Counts are the same on every rank: nobody else is needed. */
static int
shared_store(struct cscg_engine *e, struct cscg_model *m, double floor,
    struct cscg_err *err)
{
	struct shared *s = (struct shared *)e;

	return s->mine->store(s->mine, m, floor, err);
}

static int
shared_save(struct cscg_engine *e, struct cscg_blob *to, struct cscg_err *err)
{
	struct shared *s = (struct shared *)e;

	return s->mine->save(s->mine, to, err);
}

static int
shared_restore(struct cscg_engine *e, struct cscg_blob *from,
    struct cscg_err *err)
{
	struct shared *s = (struct shared *)e;
	struct cscg_blob rest = { .p = from->p + from->at,
	    .n = from->n - from->at };
	int rc;

	give(s->crew, RESTORE, 0, 0, NULL);
	rc = cscg_ranks_bcast_blob(s->crew->ranks, &rest, err);
	return rc < 0 ? -1 : cscg_ranks_agree(s->crew->ranks,
	    s->mine->restore(s->mine, from, err), 0, err);
}

static void
shared_free(struct cscg_engine *e)
{
	struct shared *s = (struct shared *)e;

	give(s->crew, FREE, 0, 0, NULL);
	cscg_engine_free(s->mine);
	free(s);
}

struct cscg_engine *
cscg_crew_engine(struct cscg_crew *crew, const struct cscg_model *m,
    const struct cscg_engine_set *set, struct cscg_err *err)
{
	static const struct cscg_engine ops = { shared_load, shared_set,
	    shared_expect, shared_accept, shared_store, shared_free, NULL, 0,
	    0, shared_save, shared_restore };
	struct cscg_engine_set how = *set;
	struct shared *s = cscg_alloc(1, sizeof *s, err);
	struct cscg_blob b = { 0 };
	bool told = false;
	int rc = -1;

	how.ranks = crew->ranks;
	how.crew = NULL;
	if (s && cscg_blob_write_long(&b, set->learn_pi, err) == 0 &&
	    cscg_blob_write_long(&b, set->low_memory, err) == 0 &&
	    cscg_blob_write_model(&b, m, err) == 0) {
		give(crew, NEW, 0, 0, NULL);
		told = true;
		rc = cscg_ranks_bcast_blob(crew->ranks, &b, err);
		if (rc == 0)
			rc = cscg_ranks_agree(crew->ranks, 0, 0, err);
	}
	cscg_blob_free(&b);
	if (rc == 0)
		s->mine = cscg_engine_fast(m, crew->part, &how, err);
	if (!s || !s->mine) {
		/* The others may have made something of it. */
		if (told)
			give(crew, FREE, 0, 0, NULL);
		free(s);
		return NULL;
	}
	s->base = ops;
	s->base.name = s->mine->name;
	s->base.share = s->mine->share;
	s->base.per_step = s->mine->per_step;
	s->crew = crew;
	return &s->base;
}

/* NOLINTEND(clang-analyzer-core.NullDereference) */
