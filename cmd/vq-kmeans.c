/* vq-kmeans - vector quantization of frames: symbols and a codebook */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "options.h"
#include "jobs.h"
#include "base/mem.h"
#include "base/names.h"
#include "core/codebook.h"
#include "core/frame_table.h"
#include "io/npy.h"
#include "io/table.h"
#include "kernel/cpu.h"
#include "learn/encoder.h"
#include "learn/kmeans.h"
#include "learn/quantize.h"

static struct {
	const char *frames, *encode;
	struct cmd_list columns;
	long k;
	bool mixture;
	long restarts, iterations;
	const char *isa;
	struct cmd_checkpoint checkpoint;
	const char *codebook;
} set = { .restarts = 4, .iterations = 300 };

static const struct cmd_opt opts[] = {
	CMD_INPUT,
	CMD_FILE(0, "frames", &set.frames, "FILE",
	    "frames: rows of this .npy array; without WALK, write all symbols "
	    "as .npy"),
	CMD_LIST(0, "columns", &set.columns, "NAME,...",
	    "the operand is a table: frames are numbers of these columns; may "
	    "be repeated; write the table with a column of symbols"),
	CMD_FILE(0, "encode", &set.encode, "CODEBOOK",
	    "assign frames to the centroids of this codebook; do not fit one"),
	CMD_MODEL,
	CMD_LONG('k', "clusters", &set.k, 1, 10000000, "K",
	    "number of centroids"),
	CMD_FLAG(0, "gmm", &set.mixture,
	    "continue with EM for a Gaussian mixture with one shared "
	    "variance"),
	CMD_ALGORITHM,
	CMD_LONG(0, "restarts", &set.restarts, 1, 1000000, "N",
	    "random initialisations; the one with the lowest inertia is kept"),
	CMD_LONG(0, "iterations", &set.iterations, 0, 1000000, "N",
	    "iterations of Lloyd or EM at most"),
	/* All kernels give the same numbers. */
	CMD_ISA_BYTES(&set.isa),
	CMD_CHECKPOINT(set.checkpoint),
	CMD_OUTPUT,
	CMD_WRITES(0, "codebook", &set.codebook, "FILE", "write the codebook"),
	CMD_END,
};

static const struct cmd_info info = {
	"vq-kmeans",
	"[WALK...]",
	"vector quantization: frames to symbols by k-means",
	opts,
	0,
	-1,
	CMD_USES_SEED | CMD_USES_THREADS | CMD_USES_GZIP | CMD_USES_STATS |
	    CMD_USES_PROGRESS | CMD_USES_RANKS,
	"vq-kmeans -k 50 --frames frames.npy --codebook book.gz walk.gz -o "
	"symbols.gz",
};

static const struct cscg_simd_bytes *bytes; /* chosen by --isa */
static bool plain_codebook;                 /* --no-gzip was given */

/* ---- progress and statistics ---- */

static int
report_progress(void *ctx, const struct cscg_kmeans_progress *l,
    struct cscg_err *err)
{
	const struct cmd_stat row[] = {
		CMD_STAT_TEXT("stage", l->stage),
		CMD_STAT_LONG("restart", l->restart),
		CMD_STAT_LONG("iteration", l->iteration),
		CMD_STAT_REAL("inertia", l->inertia),
		CMD_STAT_LONG("moved", l->moved),
		CMD_STAT_REAL("loglik", l->loglik),
	};

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
	return CMD_STATS(row, err);
}

static int
report_codebook(const struct cscg_codebook *b, const struct cscg_frames *f,
    struct cscg_err *err)
{
	double low = 1, high = 0;
	int k;

	for (k = 0; k < b->k; k++) {
		low = fmin(low, b->prior[k]);
		high = fmax(high, b->prior[k]);
	}
	cmd_verbose("%d centroids of %ld different frames in %lld steps: "
		    "inertia %.9g, sigma2 %.9g, priors %.3g to %.3g",
	    b->k, cscg_frames_n_used(f),
	    (long long)cscg_frames_total_weight(f), b->inertia, b->sigma2, low,
	    high);
	return CMD_STATS(
	    ((const struct cmd_stat[]){ CMD_STAT_TEXT("stage", "done"),
		CMD_STAT_LONG("k", b->k),
		CMD_STAT_LONG("frames", (long)cscg_frames_total_weight(f)),
		CMD_STAT_LONG("different", cscg_frames_n_used(f)),
		CMD_STAT_REAL("inertia", b->inertia),
		CMD_STAT_REAL("sigma2", b->sigma2),
		CMD_STAT_REAL("prior_min", low),
		CMD_STAT_REAL("prior_max", high) }),
	    err);
}

/* ---- a codebook: fitted, or read ---- */

/* A checkpoint belongs to these frames and options. */
static uint64_t
digest(const struct cscg_frames *f)
{
	uint64_t h = cscg_digest(0, f->shape,
	    (size_t)f->ndim * sizeof *f->shape);
	long i;

	for (i = 0; i < f->n; i++)
		h = cscg_digest(h, cscg_frames_at(f, i), f->size);
	return cscg_digest(h, f->weight, (size_t)f->n * sizeof *f->weight);
}

/* Fit a codebook to frames, and label them. */
static struct cscg_codebook *
fit(const struct cscg_frames *f, int *label, struct cscg_err *err)
{
	struct cscg_kmeans job = {
		.k = (int)set.k,
		.restarts = set.restarts,
		.iterations = set.iterations,
		.seed = (uint64_t)cmd.seed,
		.threads = (int)cmd.threads,
		.bytes = bytes,
		.ranks = cmd.ranks,
		.report = report_progress,
	};
	struct cscg_codebook *book = NULL;
	int rc = 0;

	if (cmd_is_first())
		rc = cmd_checkpoint_open(&set.checkpoint, digest(f), NULL,
		    err);
	job.save = set.checkpoint.c;
	if (cmd_agree(rc, err) == 0)
		book = cscg_kmeans(f, &job, label, err);
	cmd_checkpoint_close(&set.checkpoint);
	/* Rank 0 has the codebook, and continues alone. */
	if (book && cmd_is_first() &&
	    ((set.mixture &&
		 cscg_kmeans_mixture(f, &job, book, label, err) < 0) ||
		report_codebook(book, f, err) < 0)) {
		cscg_codebook_free(book);
		return NULL;
	}
	return book;
}

/* The codebook of --encode, or one fitted to f; label f with it. */
static struct cscg_codebook *
read_or_fit(const struct cscg_frames *f, int *label, struct cscg_err *err)
{
	struct cscg_codebook *book;

	if (!set.encode)
		return fit(f, label, err);
	book = cscg_codebook_read_file(set.encode, err);
	if (book &&
	    (cscg_codebook_check_shape(book, f->ndim, f->shape, err) < 0 ||
		cscg_codebook_label(book, f, bytes, (int)cmd.threads, label,
		    err) < 0)) {
		cscg_codebook_free(book);
		return NULL;
	}
	return book;
}

/* Write the codebook of --codebook, if given. */
static int
write_codebook(struct cscg_codebook *book, const struct cscg_history *before,
    struct cscg_out *out, struct cscg_err *err)
{
	if (!out)
		return 0;
	if ((before && cscg_history_join(&book->history, before, err) < 0) ||
	    cmd_history(&book->history, err) < 0)
		return -1;
	return cscg_codebook_write(book, out, err);
}

/* ---- frames and walks become symbols ---- */

/* All ranks fit; only rank 0 encodes. */
static int
agree(int rc, struct cscg_err *err)
{
	return set.encode ? rc : cmd_agree(rc, err);
}

/* Frames of a file without a walk: write their symbols as .npy. */
static int
quantize_frames(struct cscg_out *out, struct cscg_out *to_book,
    struct cscg_err *err)
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
		book = read_or_fit(f, label, err);
	for (i = 0; book && i < f->n_views; i++)
		row[i] = label[f->frame_of[i]];
	if (book && !cmd_is_first())
		rc = 0;
	else if (book && write_codebook(book, NULL, to_book, err) == 0)
		rc = cscg_npy_write_ints(out, 1, &f->n_views, row, err);
	cscg_codebook_free(book);
	cscg_frames_free(f);
	free(label);
	free(row);
	return rc;
}

/* The names of --columns, each of which may be a list. */
static int
column_names(struct cscg_names *names, struct cscg_err *err)
{
	char name[256];
	int i;

	for (i = 0; i < set.columns.n; i++) {
		const char *s = set.columns.v[i];

		for (;; s++) {
			size_t n = strcspn(s, ",");

			snprintf(name, sizeof name, "%.*s", (int)n, s);
			if (cscg_names_add(names, name, err) < 0)
				return cscg_fail_at(err, "--columns");
			s += n;
			if (!*s)
				break;
		}
	}
	return 0;
}

/* A table: write it with a column of symbols. */
static int
quantize_table(const char *path, struct cscg_out *out,
    struct cscg_out *to_book, struct cscg_err *err)
{
	struct cscg_frame_table t = { 0 };
	struct cscg_codebook *book = NULL;
	struct cscg_names names = { 0 };
	int *label = NULL, rc = -1;
	long i;

	if (column_names(&names, err) == 0 &&
	    cscg_frame_table_read(&t, path, names.v, names.n, err) == 0)
		label = cscg_alloc((size_t)t.frames->n, sizeof *label, err);
	for (i = 0; label && i < t.frames->n_views; i++)
		if (t.frames->frame_of[i] >= 0)
			t.frames->weight[t.frames->frame_of[i]]++;
	if (agree(label ? 0 : -1, err) == 0)
		book = read_or_fit(t.frames, label, err);
	if (book && !cmd_is_first())
		rc = 0;
	else if (book && write_codebook(book, NULL, to_book, err) == 0)
		rc = cscg_frame_table_write(&t, label, out, err);
	cscg_codebook_free(book);
	cscg_frame_table_free(&t);
	cscg_names_free(&names);
	free(label);
	return rc;
}

/* Walks: write them with symbols in place of frames. */
static int
quantize_walks(char **paths, int n, struct cscg_out *out,
    struct cscg_out *to_book, struct cscg_err *err)
{
	struct cscg_quantize q = { .bytes = bytes };
	struct cscg_codebook *book = NULL;
	int *label = NULL, rc = 0;

	if (set.frames && !(q.frames = cscg_frames_read(set.frames, err)))
		rc = -1;
	/* Frames inside walks can be encoded while reading. */
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
		book = read_or_fit(q.frames, label, err);
	if (!cmd_is_first() || rc < 0)
		goto out;
	rc = -1;
	/*
	 * The history of a codebook that was read becomes part of that of the
	 * walk.
	 */
	if (!book ||
	    (set.encode &&
		cscg_history_join(&q.walk->head.history, &book->history, err) <
		    0) ||
	    write_codebook(book, &q.walk->head.history, to_book, err) < 0 ||
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

/* How many of the inputs are standard input. */
static int
n_stdin(char **paths, int n)
{
	int i, dashes = n == 0 && !set.frames;

	for (i = 0; i < n; i++)
		dashes += !strcmp(paths[i], "-");
	return dashes + cmd_n_stdin();
}

static int
run(char **paths, int n, struct cscg_err *err)
{
	struct cscg_out *out, *book = NULL;
	bool first = cmd_is_first();
	int rc = -1;

	if (set.encode && !first)
		return 0;
	out = cmd_out(err);
	if (out && first && set.codebook &&
	    !(book = cscg_out_open(set.codebook,
		  plain_codebook ? 0 : CSCG_OUT_GZIP, err)))
		out = NULL;
	if (agree(out ? 0 : -1, err) < 0 ||
	    (!set.encode && n_stdin(paths, n) && cmd_share_stdin(err) < 0))
		goto out;
	rc = set.columns.n ?
	    quantize_table(n ? paths[0] : "-", out, book, err) :
	    n || !set.frames ? quantize_walks(paths, n, out, book, err) :
			       quantize_frames(out, book, err);
	if (rc == 0 && book) {
		rc = cscg_out_close(book, err);
		book = NULL;
	}
out:
	cscg_out_abort(book);
	return rc;
}

/* Options that exclude or need each other, before anything is read. */
static void
check_options(char **paths, int n)
{
	if (n_stdin(paths, n) > 1)
		cmd_usage("standard input can be read only once");
	if (set.columns.n && (set.frames || n > 1))
		cmd_usage("--columns is for one table, without --frames");
	if (!set.k && !set.encode)
		cmd_usage("-k or --encode is required");
	if (set.encode && (set.k || set.mixture || set.codebook))
		cmd_usage("--encode does not fit a codebook: it cannot be "
			  "combined with -k, --gmm or --codebook");
	if (set.codebook && !strcmp(set.codebook, "-"))
		cmd_usage("--codebook requires a separate file");
	if (set.checkpoint.file && set.encode)
		cmd_usage("--encode does not fit a codebook, so --checkpoint "
			  "has no use");
	cmd_checkpoint_check(&set.checkpoint);
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **paths;
	int n;

	paths = cmd_begin(&info, argc, argv, &n);
	check_options(paths, n);
	if (cscg_cpu_choose_bytes(cmd_isa_word(set.isa), &bytes, &err) < 0)
		cmd_usage("--isa: %s", err.msg);
	plain_codebook = cmd.no_gzip;
	/* Neither .npy nor a table is compressed. */
	cmd.no_gzip |= (set.frames && !n) || set.columns.n;
	if (set.checkpoint.file)
		cmd_defer_signals(false);
	cmd_ranks();
	return cmd_end(run(paths, n, &err) < 0 ? -1 : 1, &err);
}
