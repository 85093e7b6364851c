/*
 * html.h - self-contained HTML page of a graph with walks and plans
 *
 * One file without external resources: the page, style and script of data/html
 * and one JSON object.  The same graph and runs give the same bytes.
 */
#ifndef CSCG_HTML_H
#define CSCG_HTML_H

#include <stdbool.h>

#include "base/error.h"
#include "core/graph.h"
#include "core/model.h"
#include "io/stream.h"
#include "kernel/plan_graph.h"
#include "plan/plan.h"

enum {
	CSCG_HTML_NODES_MAX = 20000, /* nodes of a graph */
	CSCG_HTML_STEPS_MAX = 5000,  /* steps of all walks of a page */
};

#define CSCG_HTML_BELIEF_MIN 0.005 /* smaller beliefs are omitted */

/* A walk or a plan to replay: a state at each of n steps. */
struct cscg_html_run {
	char name[40];
	bool plan;
	long n;         /* at least 1 */
	int *z;         /* [n] state, -1: unknown */
	int *a;         /* [n] action taken then, -1: none */
	int *x;         /* [n] observed symbol, -1: none; or NULL */
	bool *is_reset; /* [n] the step follows a reset; or NULL */
	double *p;      /* [n] of the state, or of the path; or NULL */
	long *b_first;  /* [n + 1] belief of each step, or NULL: index into */
	int *b_state;   /* states */
	double *b_p;    /* and their probabilities */
};

void cscg_html_run_free(
    struct cscg_html_run *run); /* run is empty afterwards */

struct cscg_html_page {
	const struct cscg_graph *g;
	const char *title, *note;
	const int *clone; /* [n_nodes] groups, if not the labels; or NULL */
	const struct cscg_html_run *run;
	int n_runs;
};

/*
 * 0, or -1 with err filled: CSCG_ERANGE (too many nodes), CSCG_ENOMEM, or as
 * cscg_out_write() does.  Names may contain any bytes.
 */
int cscg_html_write(const struct cscg_html_page *page, struct cscg_out *out,
    struct cscg_err *err);

/*
 * Read a plan that cscg-plan wrote for m, whose planning graph is given: a
 * line of JSON, or a line for each action, by name or number.  The second form
 * has no start state: it begins at start (-1: unknown), and each state is the
 * most likely successor.  p of a step is the probability of the path up to it.
 *
 * Returns 0 with *plan new (cscg_plan_free() it), or -1 with err filled, with
 * file and line: CSCG_EFORMAT, CSCG_ERANGE, CSCG_EMISMATCH (an action or a
 * transition that m lacks, unknown start), CSCG_ENOMEM.
 */
int cscg_html_plan_read(const char *path, const struct cscg_model *m,
    const struct cscg_plan_graph *graph, int start, struct cscg_plan *plan,
    struct cscg_err *err);

#endif
