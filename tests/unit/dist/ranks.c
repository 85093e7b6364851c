/*
 * ranks.c - several processes (MPI ranks) of one job
 *
 * Run alone, the program tests one process. tests/cli/mpi.t runs the same
 * program under mpirun: every rank takes part, and rank 0 reports the results
 * of all. Expected values are functions of rank and size.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/walk_io.h"
#include "dist/ranks.h"
#include "dist/ranks_walk.h"
#include "fail_alloc.h"
#include "kernel/cpu.h"
#include "kernel/estep_ranks.h"
#include "kernel/pack.h"
#include "learn/em_restarts.h"
#include "learn/kmeans.h"
#include "walk_check.h"

static struct cscg_ranks *r;
static int size, rank;

/* Does the condition hold on every rank? */
static void
all_ok(int pass, const char *what)
{
	int64_t bad = !pass;

	cscg_ranks_max(r, &bad, 1);
	if (!rank)
		ok(!bad, "%s", what);
}

static void
test_sums(void)
{
	int64_t v[3] = { 1, rank, -rank };
	uint64_t bits = (uint64_t)1 << rank, want = ((uint64_t)1 << size) - 1;
	int word = rank ? 0 : 4711;

	cscg_ranks_sum(r, v, 3);
	all_ok(v[0] == size && v[1] == size * (size - 1) / 2 && v[2] == -v[1],
	    "sums are over all ranks");
	v[0] = rank;
	v[1] = -rank;
	v[2] = INT64_MIN;
	cscg_ranks_max(r, v, 3);
	all_ok(v[0] == size - 1 && v[1] == 0 && v[2] == INT64_MIN,
	    "the maximum is over all ranks");
	cscg_ranks_or(r, &bits, 1);
	all_ok(bits == want, "bits are combined over all ranks");
	cscg_ranks_bcast(r, &word, sizeof word);
	all_ok(word == 4711, "rank 0 broadcasts");
}

/* Rank i has i bytes of the value i. */
static int
is_of(const struct cscg_blob *b, int i)
{
	int k;

	for (k = 0; b->n == (size_t)i && k < i; k++)
		if (b->p[k] != (char)i)
			return 0;
	return b->n == (size_t)i;
}

static void
fill(struct cscg_blob *b, int i)
{
	char c = (char)i;
	int k;

	for (k = 0; k < i; k++)
		cscg_blob_write(b, &c, 1, &err);
}

static void
test_blobs(void)
{
	struct cscg_blob mine = { 0 }, back = { 0 },
			 *all = calloc((size_t)size, sizeof *all);
	int i, good = 1;

	fill(&mine, rank);
	good &= cscg_ranks_gather(r, &mine, all, &err) == 0;
	for (i = 0; !rank && i < size; i++)
		good &= is_of(&all[i], i);
	all_ok(good, "rank 0 gathers the bytes of all ranks in their order");
	good = cscg_ranks_scatter(r, all, &back, &err) == 0 &&
	    is_of(&back, rank);
	all_ok(good, "rank 0 scatters the bytes to all ranks");
	cscg_blob_free(&back);
	if (!rank)
		fill(&back, 77);
	else
		fill(&back, 3);
	good = cscg_ranks_bcast_blob(r, &back, &err) == 0 && is_of(&back, 77);
	all_ok(good, "a broadcast blob replaces blobs of any size");
	for (i = 0; i < size; i++)
		cscg_blob_free(&all[i]);
	free(all);
	cscg_blob_free(&mine);
	cscg_blob_free(&back);
}

static void
test_agree(void)
{
	struct cscg_err mine = { 0 };
	int rc;

	rc = cscg_ranks_agree(r, 7, 0, &mine);
	all_ok(rc == 7 && !mine.code, "without a failure there is no message");
	cscg_fail(&mine, CSCG_ECUT, "rank %d", rank);
	rc = cscg_ranks_agree(r, -1, 0, &mine);
	all_ok(rc == -1 && !strcmp(mine.msg, "rank 0"),
	    "the error of the lowest failing rank is reported");
	mine = (struct cscg_err){ 0 };
	if (rank == size - 1)
		cscg_fail(&mine, CSCG_EIO, "the last");
	rc = cscg_ranks_agree(r, rank == size - 1 ? -1 : 0, 0, &mine);
	all_ok(rc == -1 && mine.code == CSCG_EIO &&
		!strcmp(mine.msg, "the last"),
	    "one failing rank makes all ranks fail");
	/* Ranks are sorted in descending order. */
	cscg_fail(&mine, CSCG_EREAD, "rank %d", rank);
	rc = cscg_ranks_agree(r, -1, size - rank, &mine);
	all_ok(rc == -1 && atoi(mine.msg + 5) == size - 1,
	    "the lowest position has precedence over the lowest rank");
}

static void
test_null(void)
{
	struct cscg_blob b = { 0 }, out = { 0 };
	int64_t v = 5;

	fill(&b, 4);
	cscg_ranks_sum(NULL, &v, 1);
	all_ok(cscg_ranks_size(NULL) == 1 && cscg_ranks_rank(NULL) == 0 &&
		v == 5 && cscg_ranks_gather(NULL, &b, &out, &err) == 0 &&
		is_of(&out, 4) && cscg_ranks_agree(NULL, -1, 0, &err) == -1,
	    "without ranks the size is 1");
	cscg_blob_free(&b);
	cscg_blob_free(&out);
}

/* ---- division of a walk into units ---- */

/* Episodes of these lengths; symbol and action are 0. */
static struct cscg_walk *
make_walk(const long *length, int n)
{
	struct cscg_walk_header head = { .n_actions = 1, .n_obs = 1 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_step st = { .z = -1, .goal = -1, .r = NAN };
	long t;
	int e;

	for (e = 0; e < n; e++)
		for (t = 0; t < length[e]; t++) {
			st.a = t + 1 < length[e] ? 0 : -1;
			need(cscg_walk_add(w, &st, &err) < 0 ? NULL : w);
		}
	return w;
}

static void
cuts_are(const long *length, int n, const long *want, long n_want,
    const char *what)
{
	struct cscg_walk *w = make_walk(length, n);
	long k, *cut = need(cscg_pack_cuts(w, &k, &err));

	ok(k == n_want && !memcmp(cut, want, (size_t)(k + 1) * sizeof *cut),
	    "%s", what);
	free(cut);
	cscg_walk_free(w);
}

static void
test_cuts(void)
{
	/* A unit has as many whole episodes as fit into 65536 steps. */
	cuts_are((long[]){ 40000, 40000, 40000 }, 3,
	    (long[]){ 0, 40000, 80000, 120000 }, 3,
	    "two episodes that exceed a unit are separate parts");
	cuts_are((long[]){ 30000, 30000, 30000, 1 }, 4,
	    (long[]){ 0, 60000, 90001 }, 2,
	    "episodes that fit into a unit stay together");
	/* 65536 steps, then 34464 and the short ones: no unit begins where an
	   episode does. */
	cuts_are((long[]){ 100000, 10, 10 }, 3, (long[]){ 0, 100020 }, 1,
	    "a unit is not cut inside a long episode");
	cuts_are((long[]){ 131072, 5 }, 2, (long[]){ 0, 131072, 131077 }, 2,
	    "an episode that ends at the end of a unit is a part");
	cuts_are(NULL, 0, (long[]){ 0 }, 0, "an empty walk has no parts");
}

static void
test_walk(void)
{
	struct cscg_walk *w = make_walk((long[]){ 3, 2 }, 2), *back;
	struct cscg_blob b = { 0 };

	w->x[3] = -1;
	need(cscg_blob_write_walk(&b, w, 3, 5, &err) < 0 ? NULL : w);
	back = need(cscg_blob_read_walk(&b, &err));
	ok(back->n_steps == 2 && back->n_episodes == 1 && back->x[0] == -1 &&
		back->x[1] == 0 && back->a[0] == 0 && back->a[1] == -1 &&
		back->start[0] == 0 && back->start[1] == 2 && !back->reset &&
		walk_is_valid(back),
	    "part of a walk as bytes");
	cscg_walk_free(back);
	cscg_blob_free(&b);
	need(cscg_blob_write_walk(&b, w, 0, 5, &err) < 0 ? NULL : w);
	b.n -= 3;
	b.at = 0;
	ok(!cscg_blob_read_walk(&b, &err) && err.code == CSCG_ECUT,
	    "truncated bytes are not a walk");
	cscg_blob_free(&b);
	cscg_walk_free(w);
}

static void
test_estep_ranks(void)
{
	long length[4] = { 40000, 40000, 40000, 40000 };
	struct cscg_walk *w = rank ? NULL : make_walk(length, 4);
	struct cscg_estep_ranks *estep_ranks = need(cscg_estep_ranks_new(r, w,
	    &err));
	int parts = size < 4 ? size : 4;

	all_ok(rank ||
		(cscg_estep_ranks_parts(estep_ranks) == parts &&
		    cscg_estep_ranks_size(estep_ranks) == size),
	    "a walk of four parts is distributed over the ranks");
	if (!rank)
		cscg_estep_ranks_stop(estep_ranks, 9);
	all_ok(!rank ||
		cscg_estep_ranks_serve(estep_ranks,
		    &(struct cscg_estep_options){ 0 }, NULL) == 9,
	    "serving ranks return the status given to stop");
	cscg_estep_ranks_free(estep_ranks);
	cscg_walk_free(w);
}

/* ---- memory ---- */

enum { N_FILES = 3 };
static char paths[N_FILES][40];
static struct cscg_walk *walk;
static const unsigned char pixel[] = { 0, 1, 9, 11, 40, 43, 200, 7 };
static struct cscg_frames *frames;
static long starts;

/* The steps of all files, on rank 0. */
static int
read_files(void)
{
	char *const list[N_FILES] = { paths[0], paths[1], paths[2] };
	struct cscg_walk *w = cscg_ranks_walk_read(r, list, N_FILES, &err);

	if (w)
		fail_value = (double)w->n_steps + w->head.history.n;
	cscg_walk_free(w);
	return w ? 0 : -1;
}

/* EM from random starts; the other ranks serve, and learn only the result. */
static int
learn(void)
{
	static const int clones[] = { 2 };
	const struct cscg_simd *simd = cscg_cpu_simd(0);
	struct cscg_estep_options how = { .simd = simd, .threads = 1 };
	struct cscg_learn_progress last;
	struct cscg_model *m = NULL;
	struct cscg_estep_ranks *er = cscg_estep_ranks_new(r, walk, &err);
	struct cscg_learn set = { .clones = clones,
		.iterations = 1,
		.restarts = starts,
		.raw = true,
		.simd = simd,
		.threads = 1,
		.estep_ranks = er };
	int rc = -1;

	if (er && rank) {
		rc = cscg_estep_ranks_serve(er, &how, cscg_em_restarts_job);
		if (rc < 0)
			cscg_fail(&err, CSCG_ENOMEM, "rank 0 has failed");
	} else if (er) {
		m = cscg_learn(walk, &set, &last, &err);
		rc = m ? 0 : -1;
		fail_value = m ? last.loglik : 0;
		cscg_estep_ranks_stop(er, rc);
	}
	cscg_model_free(m);
	cscg_estep_ranks_free(er);
	return rc;
}

static int
cluster(void)
{
	struct cscg_kmeans set = { .k = 3,
		.restarts = starts,
		.iterations = 9,
		.seed = 5,
		.threads = 1,
		.bytes = cscg_cpu_bytes(0),
		.ranks = r };
	int label[sizeof pixel];
	struct cscg_codebook *book = cscg_kmeans(frames, &set, label, &err);

	/* Other ranks have no result. */
	if (book && !rank)
		fail_value = book->inertia;
	cscg_codebook_free(book);
	return book ? 0 : -1;
}

#if FAIL_ALLOC
static long
largest(long v)
{
	int64_t word = v;

	cscg_ranks_max(r, &word, 1);
	return (long)word;
}

/* The job with an allocation of one rank failing: all ranks fail, or none. */
static int
fails_alike(int (*job)(void), int who, long at, double want)
{
	int rc, right;

	alloc_calls = 0;
	alloc_fail_at = rank == who ? at : 0;
	fail_value = 0;
	err = (struct cscg_err){ 0 };
	rc = job();
	alloc_fail_at = 0;
	right = rc == 0 ? fail_value == want : err.code == CSCG_ENOMEM;
	if (!right)
		printf("# rank %d, allocation %ld of rank %d: %d, '%s', %g\n",
		    rank, at, who, rc, err.msg, fail_value);
	return largest(rc) == -largest(-rc) && !largest(!right);
}
#endif

/* The first allocation of each stack fails, on the first and on the last rank. */
static void
test_memory(const char *name, int (*job)(void))
{
	int good = 1;

#if FAIL_ALLOC
	long tries = 0, s;
	double want;
	int who, step = size > 2 ? size - 1 : 1;

	alloc_own = 1;
	good &= job() == 0;
	n_sites = alloc_calls = 0;
	sites_recorded = 1;
	fail_value = 0;
	good &= job() == 0;
	sites_recorded = 0;
	want = fail_value;
	for (who = 0; who < size; who += step)
		for (s = 0; largest(rank == who && s < n_sites); s++) {
			good &= fails_alike(job, who, site_call[s], want);
			tries++;
		}
	alloc_own = 0;
	good &= tries > size;
#else
	good &= job() == 0;
#endif
	all_ok(good, name);
}

static void
test_failures(void)
{
	const long one = 1;
	struct cscg_walk *file = make_walk((long[]){ 3, 2 }, 2);
	void *frame[1];
	long i;

	backtrace(frame, 1); /* allocates when first called */
	need(cscg_names_add(&file->head.symbols, "wall", &err) < 0 ? NULL : r);
	need(cscg_names_add(&file->head.actions, "go", &err) < 0 ? NULL : r);
	for (i = 0; i < N_FILES; i++) {
		strcpy(paths[i], "/tmp/cscg-ranks.XXXXXX");
		if (!rank) {
			close(mkstemp(paths[i]));
			need(cscg_walk_write_file(file, paths[i], &err) < 0 ?
				NULL :
				r);
		}
		cscg_ranks_bcast(r, paths[i], sizeof paths[i]);
	}
	test_memory("files are read: an allocation fails", read_files);
	for (i = 0; !rank && i < N_FILES; i++)
		unlink(paths[i]);

	walk = rank ? NULL : file;
	starts = 3;
	test_memory("distributed starts: an allocation fails", learn);
	walk = rank ? NULL : make_walk((long[]){ 40000, 40000 }, 2);
	starts = 1;
	test_memory("distributed E-steps: an allocation fails", learn);
	cscg_walk_free(walk);
	cscg_walk_free(file);

	frames = need(cscg_frames_new(CSCG_PIXEL_BYTE, 1, &one, &err));
	for (i = 0; i < (long)sizeof pixel; i++) {
		need(cscg_frames_add(frames, i, pixel + i, &err) < 0 ? NULL :
								       r);
		frames->weight[frames->frame_of[i]]++;
	}
	test_memory("one start of k-means: an allocation fails", cluster);
	starts = 3;
	test_memory("starts of k-means: an allocation fails", cluster);
	cscg_frames_free(frames);
}

int
main(void)
{
	r = need(cscg_ranks_new(&err));
	size = cscg_ranks_size(r);
	rank = cscg_ranks_rank(r);
	if (!rank && !cscg_ranks_launched(NULL))
		ok(size == 1 && cscg_ranks_env_rank() == 0,
		    "a process without a launcher has one rank");
	test_sums();
	test_blobs();
	test_agree();
	test_null();
	test_estep_ranks();
	test_failures();
	if (!rank) {
		test_cuts();
		test_walk();
	}
	cscg_ranks_barrier(r);
	cscg_ranks_free(r);
	return rank ? 0 : done();
}
