/*
 * html.h - self-contained HTML page of a graph with walks and plans
 *
 * One file that needs nothing else: the page, style and script of data/html and
 * one object of data.  The same graph and runs give the same bytes.
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
	CSCG_HTML_NODES_MAX = 20000, /* more are no picture */
	CSCG_HTML_STEPS_MAX = 5000,  /* of walks, that a page can hold */
};

#define CSCG_HTML_BELIEF_MIN 0.005 /* smaller beliefs are not told */

/* A walk or a plan to play: a state at each of n steps. */
struct cscg_html_run {
	char name[40];
	bool plan;
	long n;         /* at least 1 */
	int *z;         /* [n] state, -1: not known */
	int *a;         /* [n] action taken then, -1: none */
	int *x;         /* [n] symbol seen, -1: none; or NULL */
	bool *is_reset; /* [n] put there, not come there; or NULL */
	double *p;      /* [n] of the state, or of the path; or NULL */
	long *b_first;  /* [n + 1] what is believed, or NULL: ... */
	int *b_state;   /* ... states ... */
	double *b_p;    /* ... and their probabilities */
};

void cscg_html_run_free(struct cscg_html_run *run); /* empties it, too */

struct cscg_html_page {
	const struct cscg_graph *g;
	const char *title, *note;
	const int *clone; /* [n_nodes] groups, if labels are others; or NULL */
	const struct cscg_html_run *run;
	int n_runs;
};

/*
 * 0, or -1 with err filled: CSCG_ERANGE (too many nodes), CSCG_ENOMEM, or as
 * cscg_out_write() does.  Names may hold anything.
 */
int cscg_html_write(const struct cscg_html_page *page, struct cscg_out *out,
    struct cscg_err *err);

/*
 * a plan that cscg-plan wrote, read again
 */

/*
 * Read a plan on m, whose map is given: a line of JSON, or a line for each
 * action, by name or number.  The second does not tell where it starts: that is
 * start then (-1: not known), and the states are the likeliest.  p is that of
 * the path so far.
 *
 * Returns 0 with *plan new (cscg_plan_free() it), or -1 with err filled, file
 * and place named: CSCG_EFORMAT, CSCG_ERANGE, CSCG_EMISMATCH (an action that m
 * lacks, a move that it does not know, start not known), CSCG_ENOMEM.
 */
int cscg_html_plan_read(const char *path, const struct cscg_model *m,
    const struct cscg_plan_graph *graph, int start, struct cscg_plan *plan,
    struct cscg_err *err);

#endif
