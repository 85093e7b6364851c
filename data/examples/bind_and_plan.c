/*
 * bind_and_plan.c - bind a schema to a walk in a new place and plan the path back
 *
 *     cc bind_and_plan.c $(pkg-config --cflags --libs cscg) -o bind_and_plan
 *     ./bind_and_plan schema.gz walk.gz
 *
 * Prints the actions from the end of the walk to its start, one per line, with
 * the state that each leads to.  The same as
 *
 *     cscg-bind schema.gz -w walk.gz -o bound.gz
 *     cscg-plan bound.gz -w walk.gz --goal start
 *
 * Status 1: there is no plan.
 */
#include <stdio.h>

#include <cscg.h>

/* The name of an action, or its number in buf. */
static const char *
action_name(const struct cscg_alphabet *alphabet, int a, char buf[16])
{
	if (alphabet->actions)
		return alphabet->actions[a];
	snprintf(buf, 16, "%d", a);
	return buf;
}

/* 1 with the plan printed, 0 if there is none, -1 with err filled. */
static int
plan(const struct cscg_model *m, const struct cscg_walk *walk,
    struct cscg_err *err)
{
	struct cscg_plan_settings set = cscg_plan_defaults();
	struct cscg_alphabet alphabet = cscg_model_alphabet(m);
	struct cscg_plan found;
	char buf[16];
	long i;
	int rc;

	set.goal = CSCG_GOAL_START;
	rc = cscg_model_plan(m, walk, &set, &found, NULL, err);
	if (rc <= 0)
		return rc;
	for (i = 0; i < found.n; i++)
		printf("%s\t%d\n", action_name(&alphabet, found.a[i], buf),
		    found.z[i + 1]);
	fprintf(stderr, "%ld actions, probability of success %.3g\n", found.n,
	    found.success);
	cscg_plan_free(&found);
	return 1;
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { .code = CSCG_OK };
	struct cscg_model *schema = NULL, *bound = NULL;
	struct cscg_walk *walk = NULL;
	int rc = -1;

	if (argc != 3) {
		fprintf(stderr, "usage: %s SCHEMA WALK\n", argv[0]);
		return 2;
	}
	schema = cscg_model_read_file(argv[1], &err);
	if (schema)
		walk = cscg_walk_read_file(argv[2], &err);
	if (walk)
		bound = cscg_model_bind(schema, walk, NULL, NULL, &err);
	if (bound)
		rc = plan(bound, walk, &err);
	if (rc < 0)
		fprintf(stderr, "%s: %s\n", argv[0], err.msg);
	cscg_model_free(bound);
	cscg_walk_free(walk);
	cscg_model_free(schema);
	return rc < 0 ? cscg_err_status(err.code) : !rc;
}
