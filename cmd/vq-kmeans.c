/* vq-kmeans - frames in, symbols and codebook out */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/cpu.h"
#include "tool.h"
#include "options.h"
#include "jobs.h"
#include "core/codebook.h"
#include "learn/encoder.h"
#include "learn/kmeans.h"
#include "base/mem.h"
#include "io/npy.h"
#include "learn/quantize.h"

static struct {
	long k, restarts, iterations;
	double tolerance;
	const char *frames, *codebook, *centroids, *encode, *init, *isa;
	bool mixture, keep, all;
	struct cmd_checkpoint save;
} set = { .restarts = 4, .iterations = 300 };

static const struct cmd_opt opts[] = {
	CMD_LONG('k', "clusters", &set.k, 1, 10000000, "K",
	    "centroids to fit (with --init: as many as it has)"),
	CMD_FILE(0, "frames", &set.frames, "FILE",
	    "frames are the rows of this .npy array; without WALK, write the "
	    "symbols of all as .npy"),
	CMD_WRITES(0, "codebook", &set.codebook, "FILE",
	    "write the codebook there"),
	CMD_WRITES(0, "centroids", &set.centroids, "FILE",
	    "write the centroids there as .npy"),
	CMD_FILE(0, "encode", &set.encode, "FILE",
	    "fit nothing: use this codebook"),
	CMD_FILE(0, "init", &set.init, "FILE",
	    "start from the centroids of this .npy array"),
	CMD_LONG(0, "restarts", &set.restarts, 1, 1000000, "N",
	    "random starts; the lowest inertia is kept"),
	CMD_LONG(0, "iterations", &set.iterations, 0, 1000000, "N",
	    "of Lloyd or EM, at most"),
	CMD_DOUBLE(0, "tolerance", &set.tolerance, 0, 1, "X",
	    "stop when inertia falls by less than this share; 0: when no frame "
	    "changes hands"),
	CMD_FLAG(0, "gmm", &set.mixture,
	    "go on to a mixture of Gaussians, by EM"),
	CMD_FLAG(0, "keep-views", &set.keep,
	    "write the views of steps beside their symbols"),
	{ 0, "all", CMD_T_FLAG, &set.all, 0, 0, NULL, NULL,
	    "compute all distances: slower, the same result",
	    CMD_NOT_IN_HISTORY },
	/* All kernels give the same numbers. */
	CMD_ISA_BYTES(&set.isa),
	CMD_CHECKPOINT(set.save),
	CMD_END
};

static const struct cmd_info info = {
	"vq-kmeans", "[WALK...]", "turn frames into symbols", opts, 0, -1,
	CMD_USES_SEED | CMD_USES_THREADS | CMD_USES_GZIP | CMD_USES_STATS |
	    CMD_USES_PROGRESS | CMD_USES_RANKS,
	"vq-kmeans -k 50 --frames frames.npy --codebook book.gz walk.gz -o symbols.gz"
};

static const struct cscg_simd_bytes *bytes;	/* chosen by --isa */
static bool plain_book;			/* --no-gzip was given */

/* ---- telling ---- */

static int
on_line(void *ctx, const struct cscg_kmeans_progress *l, struct cscg_err *err)
{
	char a[40], b[40];

	(void)ctx;
	if (!strcmp(l->stage, "restart"))
		cmd_verbose("restart %ld: %ld iterations, inertia %.9g",
		    l->restart, l->iteration, l->inertia);
	else if (!strcmp(l->stage, "mixture"))
		cmd_progress("mixture", (double)l->iteration,
		    (double)set.iterations);
	else
		cmd_progress("k-means", (double)l->iteration,
		    (double)set.iterations);
	return cmd_stats(err, "{\"stage\":\"%s\",\"restart\":%ld,"
	    "\"iteration\":%ld,\"inertia\":%s,\"moved\":%ld,\"loglik\":%s}",
	    l->stage, l->restart, l->iteration, cmd_real(a, sizeof a, l->inertia),
	    l->moved, cmd_real(b, sizeof b, l->loglik));
}

static int
tell_book(const struct cscg_codebook *b, const struct cscg_frames *f,
    struct cscg_err *err)
{
	double low = 1, high = 0;
	int k;

	for (k = 0; k < b->k; k++) {
		low = fmin(low, b->prior[k]);
		high = fmax(high, b->prior[k]);
	}
	cmd_verbose("%d centroids of %ld different frames seen %lld times: "
	    "inertia %.9g, sigma2 %.9g, priors %.3g to %.3g", b->k,
	    cscg_frames_n_used(f), (long long)cscg_frames_total_weight(f), b->inertia,
	    b->sigma2, low, high);
	return cmd_stats(err, "{\"stage\":\"done\",\"k\":%d,\"frames\":%lld,"
	    "\"different\":%ld,\"inertia\":%.17g,\"sigma2\":%.17g,"
	    "\"prior_min\":%.17g,\"prior_max\":%.17g}", b->k,
	    (long long)cscg_frames_total_weight(f), cscg_frames_n_used(f), b->inertia,
	    b->sigma2, low, high);
}

/* ---- the work ---- */

/* What a checkpoint is of, besides options. */
static uint64_t
digest(const struct cscg_frames *f, const double *init, int k)
{
	uint64_t h = cscg_digest(0, f->shape, (size_t)f->ndim *
	    sizeof *f->shape);
	long i;

	for (i = 0; i < f->n; i++)
		h = cscg_digest(h, cscg_frames_at(f, i), f->size);
	h = cscg_digest(h, f->weight, (size_t)f->n * sizeof *f->weight);
	return init ? cscg_digest(h, init, (size_t)k * (size_t)f->dim *
	    sizeof *init) : h;
}

/* Fit a codebook to frames, and label them. */
static struct cscg_codebook *
fit(const struct cscg_frames *f, int *label, struct cscg_err *err)
{
	struct cscg_kmeans job = {
		.k = (int)set.k, .restarts = set.restarts,
		.iterations = set.iterations, .tolerance = set.tolerance,
		.seed = (uint64_t)cmd.seed, .threads = (int)cmd.threads,
		.all = set.all, .bytes = bytes, .ranks = cmd.ranks,
		.report = on_line
	};
	struct cscg_codebook *book = NULL;
	double *init = NULL;
	int rc = 0;

	if (set.init) {
		job.init = init = cscg_codebook_read_npy(set.init, f->ndim,
		    f->shape, &job.k, err);
		rc = init ? 0 : -1;
	}
	if (rc == 0 && cmd_is_first())
		rc = cmd_checkpoint_open(&set.save, digest(f, init, job.k), NULL,
		    err);
	job.save = set.save.c;
	if (cmd_agree(rc, err) == 0)
		book = cscg_kmeans(f, &job, label, err);
	free(init);
	cmd_checkpoint_close(&set.save);
	/* Rank 0 has it, and goes on alone. */
	if (book && cmd_is_first() && ((set.mixture && cscg_kmeans_mixture(f, &job, book, label,
	    err) < 0) || tell_book(book, f, err) < 0)) {
		cscg_codebook_free(book);
		return NULL;
	}
	return book;
}

/* The codebook of --encode, or one fitted to f; label f with it. */
static struct cscg_codebook *
get_book(const struct cscg_frames *f, int *label, struct cscg_err *err)
{
	struct cscg_codebook *book;

	if (!set.encode)
		return fit(f, label, err);
	book = cscg_codebook_read_file(set.encode, err);
	if (book && (cscg_codebook_check_shape(book, f->ndim, f->shape, err) < 0 ||
	    cscg_codebook_label(book, f, bytes, (int)cmd.threads, label,
	    err) < 0)) {
		cscg_codebook_free(book);
		return NULL;
	}
	return book;
}

/* Write what --codebook and --centroids ask for. */
static int
save(struct cscg_codebook *book, const struct cscg_history *before,
    struct cscg_out *to_book, struct cscg_out *to_npy, struct cscg_err *err)
{
	if (to_book && ((before && cscg_history_join(&book->history, before,
	    err) < 0) || cmd_history(&book->history, err) < 0 ||
	    cscg_codebook_write(book, to_book, err) < 0))
		return -1;
	return to_npy ? cscg_codebook_write_npy(book, to_npy, err) : 0;
}

/* All ranks fit, and rank 0 alone encodes. */
static int
agree(int rc, struct cscg_err *err)
{
	return set.encode ? rc : cmd_agree(rc, err);
}

/* Frames of a file, no walk: their symbols as .npy. */
static int
run_frames(struct cscg_out *out, struct cscg_out *to_book,
    struct cscg_out *to_npy, struct cscg_err *err)
{
	struct cscg_frames *f = cscg_frames_read(set.frames, err);
	struct cscg_codebook *book = NULL;
	int *label = NULL, *row = NULL, rc = -1;
	long i;

	for (i = 0; f && i < f->n_views; i++)
		f->weight[f->frame_of[i]]++;
	if (f) {
		label = cscg_alloc((size_t)f->n, sizeof *label, err);
		row = cscg_alloc((size_t)f->n_views, sizeof *row, err);
	}
	if (agree(label && row ? 0 : -1, err) == 0)
		book = get_book(f, label, err);
	for (i = 0; book && i < f->n_views; i++)
		row[i] = label[f->frame_of[i]];
	if (book && !cmd_is_first())
		rc = 0;
	else if (book && save(book, NULL, to_book, to_npy, err) == 0)
		rc = cscg_npy_write_ints(out, 1, &f->n_views, row, err);
	cscg_codebook_free(book);
	cscg_frames_free(f);
	free(label);
	free(row);
	return rc;
}

/* Walks: the same with symbols. */
static int
run_walks(char **paths, int n, struct cscg_out *out, struct cscg_out *to_book,
    struct cscg_out *to_npy, struct cscg_err *err)
{
	struct cscg_quantize q = { .bytes = bytes, .keep = set.keep };
	struct cscg_codebook *book = NULL;
	int *label = NULL, rc = 0;

	if (set.frames && !(q.frames = cscg_frames_read(set.frames, err)))
		rc = -1;
	/* Frames that come with walks can be encoded as they come. */
	if (rc == 0 && set.encode && !set.frames) {
		q.book = book = cscg_codebook_read_file(set.encode, err);
		rc = book ? 0 : -1;
	}
	if (rc == 0)
		rc = cscg_quantize_read(&q, paths, n, err);
	if (rc == 0 && !book) {
		label = cscg_alloc((size_t)q.frames->n, sizeof *label, err);
		rc = label ? 0 : -1;
	}
	rc = agree(rc, err);
	if (rc == 0 && !book)
		book = get_book(q.frames, label, err);
	if (!cmd_is_first() || rc < 0)
		goto out;
	rc = -1;
	/* A codebook that was read is part of how the walk came to be. */
	if (!book || (set.encode && cscg_history_join(&q.walk->head.history,
	    &book->history, err) < 0) ||
	    save(book, &q.walk->head.history, to_book, to_npy, err) < 0 ||
	    cscg_quantize_apply(&q, book, label, err) < 0 ||
	    cmd_history(&q.walk->head.history, err) < 0)
		goto out;
	rc = cscg_quantize_write(&q, out, err);
out:
	cscg_codebook_free(book);
	cscg_quantize_free(&q);
	free(label);
	return rc;
}

/* How many of all that is read are standard input. */
static int
reads_stdin(char **paths, int n)
{
	int i, dashes = n == 0 && !set.frames;

	for (i = 0; i < n; i++)
		dashes += !strcmp(paths[i], "-");
	dashes += set.frames && !strcmp(set.frames, "-");
	dashes += set.encode && !strcmp(set.encode, "-");
	return dashes + (set.init && !strcmp(set.init, "-"));
}

static int
run(char **paths, int n, struct cscg_err *err)
{
	struct cscg_out *out, *book = NULL, *npy = NULL;
	bool first = cmd_is_first();
	int rc = -1;

	if (set.encode && !first)
		return 0;
	out = cmd_out(err);
	if (out && first && ((set.codebook && !(book = cscg_out_open(
	    set.codebook, plain_book ? 0 : CSCG_OUT_GZIP, err))) ||
	    (set.centroids && !(npy = cscg_out_open(set.centroids, 0, err)))))
		out = NULL;
	if (agree(out ? 0 : -1, err) < 0 || (!set.encode && reads_stdin(paths,
	    n) && cmd_share_stdin(err) < 0))
		goto out;
	rc = n || !set.frames ? run_walks(paths, n, out, book, npy, err) :
	    run_frames(out, book, npy, err);
	if (rc == 0 && book) {
		rc = cscg_out_close(book, err);
		book = NULL;
	}
	if (rc == 0 && npy) {
		rc = cscg_out_close(npy, err);
		npy = NULL;
	}
out:
	cscg_out_abort(book);
	cscg_out_abort(npy);
	return rc;
}

/* Options that make no sense, before anything is read. */
static void
check(char **paths, int n)
{
	if (reads_stdin(paths, n) > 1)
		cmd_usage("standard input can be read only once");
	if (!set.k && !set.encode && !set.init)
		cmd_usage("-k is needed, or --init, or --encode");
	if (set.encode && (set.k || set.init || set.mixture || set.codebook))
		cmd_usage("--encode fits nothing: -k, --init, --gmm and "
		    "--codebook do not go with it");
	if ((set.codebook && !strcmp(set.codebook, "-")) ||
	    (set.centroids && !strcmp(set.centroids, "-")))
		cmd_usage("--codebook and --centroids want files of their own");
	if (set.keep && set.frames && !n)
		cmd_usage("--keep-views wants a walk");
	if (set.save.file && set.encode)
		cmd_usage("--encode fits nothing: there is nothing to "
		    "--checkpoint");
	cmd_checkpoint_check(&set.save);
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **paths;
	int n;

	paths = cmd_begin(&info, argc, argv, &n);
	check(paths, n);
	if (cscg_cpu_choose_bytes(cmd_isa_word(set.isa), &bytes, &err) < 0)
		cmd_usage("--isa: %s", err.msg);
	plain_book = cmd.no_gzip;
	cmd.no_gzip |= set.frames && !n;	/* .npy is not compressed */
	if (set.save.file)
		cmd_defer_signals(false);
	cmd_ranks();
	return cmd_end(run(paths, n, &err) < 0 ? -1 : 1, &err);
}
