/*
 * learn.c - a program of one's own that learns a map with libcscg
 *
 *     cc learn.c $(pkg-config --cflags --libs cscg) -o learn
 *     learn walk.gz map.gz
 *
 * Reads a walk, learns as cscg-learn does with its defaults, writes the model
 * and prints its size and how well it foresees the walk.  The library prints
 * nothing and never exits: what went wrong is in err.
 */
#include <stdio.h>

#include <cscg/kernel/cpu.h>
#include <cscg/learn/learn.h>
#include <cscg/core/model_io.h>
#include <cscg/core/walk_io.h>

/* A model of all steps of a file, or NULL with err filled. */
static struct cscg_model *
learn(char *path, struct cscg_err *err)
{
	struct cscg_learn set = { .iterations = 200, .restarts = 4,
	    .tolerance = 1e-5, .pseudocount = 2e-3, .seed = 42, .threads = 1 };
	struct cscg_learn_progress last;
	struct cscg_model *m = NULL;
	struct cscg_walk *w = cscg_walk_read(&path, 1, err);

	if (w && cscg_cpu_choose_simd("auto", &set.simd, err) == 0)
		m = cscg_learn(w, &set, &last, err);
	if (m)
		printf("%d states, %.6f nats a step\n", m->n_states,
		    -last.loglik / (double)w->n_steps);
	cscg_walk_free(w);
	return m;
}

/* 0 if the file is there and whole. */
static int
keep(const struct cscg_model *m, const char *path, struct cscg_err *err)
{
	struct cscg_out *out = cscg_out_open(path, CSCG_OUT_GZIP, err);

	if (!out)
		return -1;
	if (cscg_model_write(m, out, err) < 0) {
		cscg_out_abort(out);
		return -1;
	}
	return cscg_out_close(out, err);
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { .code = CSCG_OK };
	struct cscg_model *m;

	if (argc != 3) {
		fprintf(stderr, "usage: %s WALK MODEL\n", argv[0]);
		return 2;
	}
	m = learn(argv[1], &err);
	if (!m || keep(m, argv[2], &err) < 0)
		fprintf(stderr, "%s: %s\n", argv[0], err.msg);
	cscg_model_free(m);
	return cscg_err_status(err.code);
}
