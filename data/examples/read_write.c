/*
 * read_write.c - objects from arrays to files and back
 *
 *     cc read_write.c $(pkg-config --cflags --libs cscg) -o read_write
 *     ./read_write walk.gz model.gz
 *
 * Makes a walk and a grounded model of a corridor of three nodes, the outer
 * two of which emit the same symbol, writes both files, reads them again, and
 * prints the edges, T, E and clones of the model and the log-likelihood of the
 * walk.
 */
#include <stdio.h>

#include <cscg.h>

enum { LEFT, RIGHT, N_ACTIONS };
enum { WALL, DOOR, N_SYMBOLS };
enum { N_STATES = 3 }; /* left end, right end, middle */

static const char *const actions[] = { "left", "right" };
static const char *const symbols[] = { "wall", "door" };
static const struct cscg_alphabet alphabet = { N_ACTIONS, N_SYMBOLS, actions,
	symbols };

static struct cscg_walk *
make_walk(struct cscg_err *err)
{
	static const int x[] = { WALL, DOOR, WALL, WALL, DOOR, WALL };
	static const int a[] = { RIGHT, RIGHT, RIGHT, LEFT, LEFT, -1 };
	struct cscg_walk_arrays arrays = { .n_steps = 6, .x = x, .a = a };

	return cscg_walk_from_arrays(&alphabet, &arrays, err);
}

/* One edge for each action and state, ten counts each. */
static struct cscg_model *
make_model(struct cscg_err *err)
{
	static const int clone[] = { WALL, WALL, DOOR };
	static const long first[] = { 0, 1, 2, 3, 4, 5, 6 };
	static const int to[] = { 0, 2, 0, 2, 1, 1 };
	static const double count[] = { 10, 10, 10, 10, 10, 10 };
	struct cscg_model_arrays arrays = { .kind = CSCG_GROUNDED,
		.n_states = N_STATES,
		.double_precision = true,
		.clone = clone,
		.pseudocount = .01,
		.first = first,
		.to = to,
		.count = count };

	return cscg_model_from_arrays(&alphabet, &arrays, err);
}

static void
print_edges(const struct cscg_model *m)
{
	struct cscg_alphabet names = cscg_model_alphabet(m);
	struct cscg_model_arrays arrays;
	int a, j;
	long i;

	cscg_model_get_arrays(m, &arrays);
	for (a = 0; a < names.n_actions; a++)
		for (j = 0; j < arrays.n_states; j++) {
			long row = (long)a * arrays.n_states + j;

			for (i = arrays.first[row]; i < arrays.first[row + 1];
			     i++)
				printf("edge\t%s\t%d\t%d\t%g\n",
				    names.actions[a], j, arrays.to[i],
				    arrays.count[i]);
		}
	for (j = 0; j < arrays.n_states; j++)
		printf("clone\t%d\t%s\n", j, names.symbols[arrays.clone[j]]);
}

static int
print_matrices(const struct cscg_model *m, struct cscg_err *err)
{
	double T[N_ACTIONS][N_STATES][N_STATES], E[N_STATES][N_SYMBOLS];
	int a, j, k;

	cscg_model_get_T(m, &T[0][0][0]);
	if (cscg_model_get_E(m, &E[0][0], err) < 0)
		return -1;
	for (a = 0; a < N_ACTIONS; a++)
		for (j = 0; j < N_STATES; j++)
			for (k = 0; k < N_STATES; k++)
				printf("T\t%d\t%d\t%d\t%.6f\n", a, j, k,
				    T[a][j][k]);
	for (j = 0; j < N_STATES; j++)
		printf("E\t%d\t%g\t%g\n", j, E[j][WALL], E[j][DOOR]);
	return 0;
}

/* What was written is read; 0, or -1 with err filled. */
static int
read_back(const char *walk_path, const char *model_path, struct cscg_err *err)
{
	struct cscg_walk *walk = cscg_walk_read_file(walk_path, err);
	struct cscg_model *m = NULL;
	double loglik;
	int rc = -1;

	if (walk)
		m = cscg_model_read_file(model_path, err);
	if (m && cscg_model_n_states(m) != N_STATES) {
		err->code = CSCG_EMISMATCH;
		snprintf(err->msg, sizeof err->msg,
		    "'%.200s' has %d states, not %d", model_path,
		    cscg_model_n_states(m), N_STATES);
	} else if (m && print_matrices(m, err) == 0 &&
	    cscg_model_loglik(m, walk, &loglik, NULL, err) == 0) {
		print_edges(m);
		printf("loglik\t%.9g\n", loglik);
		rc = 0;
	}
	cscg_model_free(m);
	cscg_walk_free(walk);
	return rc;
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { .code = CSCG_OK };
	struct cscg_walk *walk;
	struct cscg_model *m = NULL;
	int rc = -1;

	if (argc != 3) {
		fprintf(stderr, "usage: %s WALK MODEL\n", argv[0]);
		return 2;
	}
	walk = make_walk(&err);
	if (walk)
		m = make_model(&err);
	if (m && cscg_walk_write_file(walk, argv[1], &err) == 0 &&
	    cscg_model_write_file(m, argv[2], &err) == 0)
		rc = read_back(argv[1], argv[2], &err);
	if (rc < 0)
		fprintf(stderr, "%s: %s\n", argv[0], err.msg);
	cscg_model_free(m);
	cscg_walk_free(walk);
	return cscg_err_status(err.code);
}
