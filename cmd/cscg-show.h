/*
 * cscg-show.h - what the parts of cscg-show share
 *
 * cscg-show.c has the options and finds out what a file is.  A part,
 * cscg-show_X.c, knows one kind of file or form.
 */
#ifndef CSCG_SHOW_H
#define CSCG_SHOW_H

#include <stdbool.h>

#include "core/codebook.h"
#include "core/graph.h"
#include "core/model.h"
#include "world/room.h"
#include "schema/partition.h"
#include "io/stream.h"

enum { SHOW_SCALE_MAX = 512 };

#define SHOW_MIN_P 0.05	/* of an edge that is drawn or compared */

/* What --as asks for. */
enum show_as { AS_TEXT, AS_DOT, AS_GRAPHML, AS_TSV, AS_NPY, AS_PPM, AS_HTML,
    AS_SCHEMA, AS_CLONES, AS_MODEL };
extern const char *const show_as_words[];

/* What the options of --as ppm say. */
struct show_ppm {
	const char *view;	/* --view; NULL: all */
	const char *size;	/* --frame; NULL: the default */
	bool top, iso;
	long scale;		/* pixels along a metre */
	int rows, cols;		/* of a frame, as judged */
};

struct show_set {
	int as;			/* enum show_as */
	int labels, from_npy;
	double min_p, count, pseudocount;
	bool loops, nodes, counts, json, frontiers, boundary, bottlenecks;
	bool rooms, merge;
	struct cscg_partition_options cut;
	const char *truth, *clones, *plan;
	struct show_ppm ppm;
};

/* The least share of an edge that counts. */
double show_min_p(const struct show_set *set);

/* The graph of a room or a model, in the form asked for. */
int show_graph(const struct show_set *set, const struct cscg_graph *g,
    const char *title, int digits, struct cscg_out *out,
    struct cscg_err *err);

/* ---- cscg-show_truth.c: a model beside the room it should be ---- */

/*
 * 1 if model and room are isomorphic (or the model is drawn), 0 if not, -1
 * with err filled.
 */
int show_truth(const struct show_set *set, const char *path,
    struct cscg_out *out, struct cscg_err *err);

/* ---- cscg-show_npy.c: matrices ---- */

/* A matrix for each action; frees dense, and passes on that it is NULL. */
int show_npy_take(double *dense, int n_actions, int n_states,
    struct cscg_out *out, struct cscg_err *err);

/* A model from somebody else's matrices: 1, or -1 with err filled. */
int show_import(const struct show_set *set, const char *path,
    struct cscg_out *out, struct cscg_err *err);

/* ---- cscg-show_rooms.c: rooms found in a graph ---- */

void show_judge_rooms(const struct show_set *set);

/* The least share of a move that counts where rooms are looked for. */
double show_rooms_min_p(const struct show_set *set);

int show_rooms_room(const struct show_set *set, const struct cscg_room *room,
    struct cscg_out *out, struct cscg_err *err);
int show_rooms_model(const struct show_set *set, const struct cscg_model *m,
    struct cscg_out *out, struct cscg_err *err);

/* ---- cscg-show_html.c: a page to look at and play with ---- */

void show_judge_html(const struct show_set *set);

/*
 * The page, with the walks of -w and the plan of --plan to play.  Returns 0, -1
 * with err filled, -2 if the fault is in a walk or the plan, which err names.
 */
int show_html_room(const struct show_set *set, const struct cscg_room *room,
    struct cscg_out *out, struct cscg_err *err);
int show_html_model(const struct show_set *set, const struct cscg_model *m,
    struct cscg_out *out, struct cscg_err *err);

/* ---- cscg-show_codebook.c: what frames look like ---- */

int show_codebook(const struct show_set *set,
    const struct cscg_codebook *book, struct cscg_out *out,
    struct cscg_err *err);

/* The sheet of a model's looks, which it has. */
int show_looks(const struct show_set *set, const struct cscg_model *m,
    struct cscg_out *out, struct cscg_err *err);

/* ---- cscg-show_ppm.c: pictures ---- */

/* Look at the options; on: --as ppm was given. */
void show_judge_ppm(struct show_ppm *ppm, bool on);

/* The picture of a room; the walks of -w may be drawn into it. */
int show_ppm_room(const struct show_ppm *ppm, const struct cscg_room *room,
    struct cscg_out *out, struct cscg_err *err);

/* The views that a walk brings along; takes in. */
int show_ppm_walk_take(const struct show_ppm *ppm, struct cscg_in *in,
    struct cscg_out *out, struct cscg_err *err);

/* A number from 0, or -1. */
long show_number(const char *word);

/* n pictures of h by w pixels, as near to a square as they go. */
int show_ppm_sheet(const unsigned char *rgb, long n, int h, int w,
    struct cscg_out *out, struct cscg_err *err);

#endif
