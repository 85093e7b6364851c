/*
 * checkpoint.c - a job that is interrupted and resumed gives the same result
 *
 * First the file: its contents, and files that are refused.  Then engines that
 * are saved between two updates of EM.  Last whole jobs of cscg_learn(): each
 * is ended at its first write, then at its second, and so on until it is done;
 * and each of these is resumed.  With TEST_SHORT every ninth write is tried.
 * All results must be equal, byte for byte, to that of an uninterrupted run.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dist/checkpoint.h"
#include "learn/em.h"
#include "kernel/cpu.h"
#include "learn/learn.h"
#include "need.h"
#include "base/rng.h"
#include "io/stream.h"
#include "tap.h"

static char dir[] = "/tmp/cscg-checkpoint.XXXXXX";
static char path[64];

/* ---- the file ---- */

static struct cscg_checkpoint *
make(const char *options, uint64_t input)
{
	struct cscg_checkpoint_options set = { .options = options,
		.input = input };

	return need(cscg_checkpoint_new(&set, &err));
}

static void
keep(struct cscg_checkpoint *c, const char *name, const char *text)
{
	struct cscg_blob b = { 0 };

	need(cscg_blob_write_string(&b, text, &err) < 0 ||
		    cscg_checkpoint_take(c, name, &b, &err) < 0 ?
		NULL :
		c);
}

static int
has(struct cscg_checkpoint *c, const char *name, const char *text)
{
	struct cscg_blob *b = cscg_checkpoint_get(c, name);
	char *s = NULL;
	int same;

	if (!b || !text)
		return !b && !text;
	same = cscg_blob_read_string(b, &s, &err) == 0 && !strcmp(s, text);
	free(s);
	return same;
}

/* Reading the file for a job must fail with this error. */
static void
refused(const char *options, uint64_t input, enum cscg_code code,
    const char *cause, const char *what)
{
	struct cscg_checkpoint *c = make(options, input);
	char want[256];
	int rc;

	err = (struct cscg_err){ 0 };
	rc = cscg_checkpoint_read(c, path, &err);
	snprintf(want, sizeof want, "'%s': %s", path, cause);
	if (!ok(rc == -1 && err.code == code && !strcmp(err.msg, want), "%s",
		what))
		printf("# %d %d %s\n", rc, (int)err.code, err.msg);
	cscg_checkpoint_free(c);
}

static void
write_file(const void *v, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	need(fd < 0 || write(fd, v, n) != (ssize_t)n ? NULL : &err);
	close(fd);
}

static void
test_file(void)
{
	struct cscg_checkpoint *c = make("n=1", 17), *d = make("n=1", 17);
	char bytes[4096];
	ssize_t n;
	int fd;

	ok(cscg_checkpoint_read(c, path, &err) == 0,
	    "without a file the job begins at the start");
	ok(cscg_checkpoint_next_id(c) == 0 &&
		cscg_checkpoint_next_id(c) == 1 &&
		cscg_checkpoint_next_id(NULL) == 0,
	    "steps are counted");
	keep(c, "one", "first");
	keep(c, "two", "second");
	keep(c, "three", "third");
	keep(c, "two", "again");
	cscg_checkpoint_drop(c, "one");
	cscg_checkpoint_drop(c, "unknown");
	ok(cscg_checkpoint_write(c, path, &err) == 0, "is written");
	ok(cscg_checkpoint_read(d, path, &err) == 1 && has(d, "one", NULL) &&
		has(d, "two", "again") && has(d, "three", "third") &&
		has(d, "three", "third"),
	    "a checkpoint is read back");
	refused("n=2", 17, CSCG_EMISMATCH,
	    "the checkpoint belongs to other options: n=1",
	    "other options are refused");
	refused("n=1", 18, CSCG_EMISMATCH,
	    "the checkpoint belongs to other input",
	    "a checkpoint of other input is refused");
	fd = open(path, O_RDONLY);
	n = read(fd, bytes, sizeof bytes);
	close(fd);
	write_file(bytes, (size_t)n - 9);
	refused("n=1", 17, CSCG_ECUT, "unexpected end of gzip data",
	    "a truncated checkpoint is refused");
	write_file("cscg-checkpoint 0\nabcdefgh", 26);
	refused("n=1", 17, CSCG_EFORMAT, "not a checkpoint of this version",
	    "a checkpoint of another version is refused");
	write_file("cscg-checkpoint 1\nabcdefgh", 26);
	refused("n=1", 17, CSCG_EFORMAT,
	    "a checkpoint of a machine with other integer sizes or byte order",
	    "a checkpoint of another byte order is refused");
	write_file("", 0);
	refused("n=1", 17, CSCG_EFORMAT, "not a checkpoint of this version",
	    "an empty file is refused");
	unlink(path);
	cscg_checkpoint_free(c);
	cscg_checkpoint_free(d);
}

static void
test_digest(void)
{
	static const char a[] = "episodes", b[] = "episodfs";
	uint64_t h = cscg_digest(0, a, 8);

	ok(h == cscg_digest(0, a, 8) && h != cscg_digest(0, b, 8) &&
		h != cscg_digest(0, a, 7) && h != cscg_digest(1, a, 8) &&
		cscg_digest(cscg_digest(0, a, 3), a + 3, 5) != h,
	    "equal digests for equal inputs, different ones otherwise");
}

/* ---- engines ---- */

enum { SYMBOLS = 5, CLONES = 6, ACTIONS = 2 };

/*
 * A ring of 12 nodes with 5 symbols and transition noise, so that EM takes many
 * updates.
 */
static struct cscg_walk *
make_walk(int episodes, long steps, int dropouts)
{
	static const int look[12] = { 0, 1, 2, 0, 3, 1, 4, 2, 0, 1, 3, 2 };
	struct cscg_walk_header head = { .n_actions = ACTIONS,
		.n_obs = SYMBOLS };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_rng rng;
	int e, place = 0;
	long t;

	cscg_rng_seed(&rng, 3, CSCG_RNG_TEST, 0, 0);
	for (e = 0; e < episodes; e++)
		for (t = 0; t < steps; t++) {
			struct cscg_step st = { .z = -1,
				.goal = -1,
				.r = NAN,
				.x = look[place],
				.a = -1 };

			if (t + 1 < steps)
				st.a = (int)cscg_rng_below(&rng, ACTIONS);
			if (dropouts && t % dropouts == 1)
				st.x = -1;
			need(cscg_walk_add(w, &st, &err) < 0 ? NULL : w);
			if (cscg_rng_below(&rng, 10))
				place = (place + (st.a ? 1 : 11)) % 12;
		}
	return w;
}

static struct cscg_model *
make_model(void)
{
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED,
	    SYMBOLS * CLONES, ACTIONS, SYMBOLS, &err));
	int j;

	for (j = 0; j < m->n_states; j++)
		m->clone[j] = j / CLONES;
	return m;
}

struct saved {
	struct cscg_estep *e;
	struct cscg_blob b;
	long at; /* updates after which it is saved */
	struct cscg_em_progress line;
};

static int
on_keep(void *ctx, const struct cscg_em_progress *line, struct cscg_err *e)
{
	struct saved *s = ctx;

	if (line->iteration != s->at)
		return 0;
	s->line = *line;
	return s->e->save(s->e, &s->b, e);
}

/* EM to the end, saved after `at` updates, or (from) resumed from there. */
static void
run(const struct cscg_walk *w, const struct cscg_estep_options *set,
    struct saved *s, const struct saved *from, struct cscg_model *m,
    struct cscg_em_progress *last)
{
	struct cscg_em em = {
		.iterations = 12, .ctx = s, .checkpoint = on_keep
	};
	struct cscg_blob b;
	struct cscg_rng rng;

	s->e = need(cscg_estep_new(m, w, set, &err));
	cscg_rng_seed(&rng, 5, CSCG_RNG_TEST, 0, 0);
	need(s->e->load(s->e, m, &rng, &err) < 0 ? NULL : m);
	if (from) {
		b = from->b;
		b.at = 0;
		em.resume = from->line;
		need(s->e->restore(s->e, &b, &err) < 0 ? NULL : m);
	}
	need(cscg_em_T(s->e, w->n_steps, .002, &em, last, &err) < 0 ||
		    s->e->store(s->e, m, 0, &err) < 0 ?
		NULL :
		m);
	cscg_estep_free(s->e);
}

static int
same_model(const struct cscg_model *a, const struct cscg_model *b)
{
	struct cscg_blob p = { 0 }, q = { 0 };
	int same;

	need(cscg_blob_write_model(&p, a, &err) < 0 ||
		    cscg_blob_write_model(&q, b, &err) < 0 ?
		NULL :
		&p);
	same = p.n == q.n && !memcmp(p.p, q.p, p.n);
	cscg_blob_free(&p);
	cscg_blob_free(&q);
	return same;
}

static void
resume_engine(const struct cscg_walk *w, const struct cscg_estep_options *set,
    const char *name)
{
	struct cscg_em_progress first, second;
	int good = 1;
	long at;

	for (at = 1; at <= 11; at += 5) {
		struct cscg_model *a = make_model(), *b = make_model();
		struct saved s = { .at = at }, t = { .at = -1 };

		run(w, set, &s, NULL, a, &first);
		run(w, set, &t, &s, b, &second);
		good &= same_model(a, b) &&
		    !memcmp(&first, &second, sizeof first);
		cscg_model_free(a);
		cscg_model_free(b);
		cscg_blob_free(&s.b);
	}
	ok(good, "%s: resumed EM gives the bytes of an uninterrupted run",
	    name);
}

static void
test_engines(void)
{
	struct cscg_walk *w = make_walk(3, 400, 0),
			 *holes = make_walk(1, 200, 20),
			 *cut = make_walk(1, 140000, 0);
	struct cscg_estep_options set = {
		.is_double = true, .learn_pi = true, .threads = 1
	};
	int i;

	resume_engine(w, &set, "double");
	set.is_double = false;
	resume_engine(holes, &set, "dropouts");
	for (i = 0; (set.simd = cscg_cpu_simd(i)) != NULL; i++)
		resume_engine(w, &set, set.simd->name);
	set.simd = cscg_cpu_simd(0);
	set.low_memory = true;
	resume_engine(w, &set, "low memory");
	/*
	 * Longer than a segment: segments start from estimated messages, which
	 * may be wrong.
	 */
	resume_engine(cut, &set, "a long run, low memory");
	set.low_memory = set.learn_pi = false;
	resume_engine(cut, &set, "a long run");
	cscg_walk_free(w);
	cscg_walk_free(holes);
	cscg_walk_free(cut);
}

/* ---- jobs ---- */

struct job {
	struct cscg_checkpoint *c;
	long writes, last; /* so far, and the one that ends the job */
};

static int
on_write(void *ctx, struct cscg_err *e)
{
	struct job *job = ctx;

	if (cscg_checkpoint_write(job->c, path, e) < 0)
		return -1;
	return ++job->writes == job->last ? cscg_fail(e, CSCG_EIO, "ended") :
					    0;
}

/* NULL if it was ended. */
static struct cscg_model *
learn(const struct cscg_walk *w, struct cscg_learn set, long last, bool resume,
    long *writes)
{
	struct job job = { .last = last };
	struct cscg_checkpoint_options how = { .options = "job",
		.input = 1,
		.every = 4,
		.write = on_write,
		.ctx = &job };
	struct cscg_learn_progress line;
	struct cscg_model *m;

	err = (struct cscg_err){ 0 };
	job.c = set.save = need(cscg_checkpoint_new(&how, &err));
	if (resume)
		need(cscg_checkpoint_read(job.c, path, &err) == 1 ? &err :
								    NULL);
	m = cscg_learn(w, &set, &line, &err);
	if (!m && strcmp(err.msg, "ended"))
		need(NULL);
	cscg_checkpoint_free(job.c);
	*writes = job.writes;
	return m;
}

static void
interrupt(const struct cscg_walk *w, struct cscg_learn set, const char *name)
{
	struct cscg_learn_progress line;
	struct cscg_model *want = need(cscg_learn(w, &set, &line, &err)), *m;
	long n, writes, ends = 0, step = getenv("TEST_SHORT") ? 9 : 1;
	int good = 1;

	set.simd = cscg_cpu_simd(0);
	for (n = 1;; n += step) {
		unlink(path);
		m = learn(w, set, n, false, &writes);
		if (m)
			break;
		m = learn(w, set, -1, true, &writes);
		good &= m && same_model(m, want);
		cscg_model_free(m);
		ends++;
	}
	good &= same_model(m, want);
	ok(good && ends > 0, "%s: ended at its writes and resumed", name);
	printf("# %ld of %ld writes\n", ends, writes);
	cscg_model_free(m);

	/* Interrupted repeatedly: each run continues the work. */
	unlink(path);
	m = learn(w, set, 2, false, &writes);
	for (n = 0; !m && n < 1000; n++)
		m = learn(w, set, step + 1, true, &writes);
	ok(m && same_model(m, want), "%s: by many short runs", name);
	cscg_model_free(m);
	cscg_model_free(want);
}

static void
test_jobs(void)
{
	struct cscg_walk *w = make_walk(3, 300, 0);
	int clones[SYMBOLS] = { 3, 3, 3, 3, 3 };
	struct cscg_learn set = { .clones = clones,
		.iterations = 12,
		.restarts = 3,
		.tolerance = 1e-5,
		.seed = 1,
		.threads = 1,
		.simd = cscg_cpu_simd(0) };

	set.raw = true;
	interrupt(w, set, "starts");
	set.threads = 3;
	interrupt(w, set, "starts by threads");
	set.threads = 1;
	set.raw = false;
	set.learn_pi = true;
	interrupt(w, set, "all stages");
	set.clones = NULL;
	set.restarts = 2;
	set.iterations = 6;
	interrupt(w, set, "clones chosen from the walk");
	cscg_walk_free(w);
}

int
main(void)
{
	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof path, "%s/c", dir);
	test_file();
	test_digest();
	test_engines();
	test_jobs();
	unlink(path);
	rmdir(dir);
	return done();
}
