/* roomgen - make a room to walk in */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "digit.h"
#include "grid_io.h"
#include "mem.h"
#include "model_io.h"
#include "room_io.h"

enum obs { OBS_DEFAULT, OBS_BORDER, OBS_RANDOM, OBS_UNIQUE };
enum { AS_ROOM, AS_MODEL };
enum { SMALL, MEDIUM, LARGE };
enum { KIND_MAP = CSCG_TORUS + 1, KIND_DIGIT, KIND_ROOM };

/* Streams of CSCG_RNG_LABELS; roomwalk has 0 for its own. */
enum { LABELS_PERMUTE = 1, LABELS_RANDOM = 2 };

static const char *const sizes[] = {
	[SMALL] = "small", [MEDIUM] = "medium", [LARGE] = "large", NULL
};
static const char *const forms[] = { "room", "model", NULL };
static const char *const kinds[] = {
	[CSCG_RECTANGLE] = "rectangle", [CSCG_HOLE] = "hole",
	[CSCG_USHAPE] = "ushape", [CSCG_CYLINDER] = "cylinder",
	[CSCG_TORUS] = "torus", [KIND_MAP] = "map", [KIND_DIGIT] = "digit",
	[KIND_ROOM] = "room", NULL
};

static struct {
	int size, as;
	long rows, cols;
	const char *hole, *hole_at, *notch, *obs, *name;
	double slip, count, pseudocount;
	bool permute;
} set = { .size = MEDIUM, .count = 100, .pseudocount = 1e-4 };

static const struct cmd_opt opts[] = {
	CMD_CHOICE(0, "size", &set.size, sizes,
	    "size of rectangle, hole, ushape, cylinder, torus"),
	CMD_LONG(0, "rows", &set.rows, 1, INT_MAX, "N",
	    "so many rows instead"),
	CMD_LONG(0, "cols", &set.cols, 1, INT_MAX, "N",
	    "so many columns instead"),
	CMD_STRING(0, "hole", &set.hole, "HxW",
	    "the hole is H rows by W columns"),
	CMD_STRING(0, "hole-at", &set.hole_at, "R,C",
	    "its first row and column, from 0 (default: in the middle)"),
	CMD_STRING(0, "notch", &set.notch, "HxW",
	    "the notch of the U is H rows by W columns"),
	CMD_STRING(0, "obs", &set.obs, "HOW",
	    "symbols of cells: border, random:K or unique (default: border, "
	    "for a map its letters)"),
	CMD_DOUBLE(0, "slip", &set.slip, 0, 1, "P",
	    "a move fails or goes sideways with probability P"),
	CMD_FLAG(0, "permute", &set.permute, "new symbols for old, by seed"),
	CMD_STRING(0, "name", &set.name, "NAME",
	    "name of the room (default: its kind)"),
	CMD_CHOICE(0, "as", &set.as, forms,
	    "write the room, or its exact schema as a model"),
	CMD_DOUBLE(0, "count", &set.count, 1e-9, 1e12, "C",
	    "counts of each action of each node in the model"),
	CMD_DOUBLE(0, "pseudocount", &set.pseudocount, 0, 1e12, "P",
	    "pseudocount of the model"),
	CMD_END
};

static const struct cmd_info info = {
	.name = "roomgen",
	.operands = "KIND [FILE... | DIGIT]",
	.purpose = "make a room to walk in",
	.opts = opts,
	.min = 1,
	.max = -1,
	.uses = CMD_USES_SEED | CMD_USES_GZIP
};

/* What the operands and options come to. */
struct job {
	int kind;
	struct cscg_shape shape;
	int digit;
	enum obs obs;
	int n_random;
	char **files;
	int n_files;
};

/* "3x4" or "1,2"; sizes are at least 1. */
static void
get_pair(const char *option, const char *word, char sep, int least, int *first,
    int *second)
{
	if (word && (cscg_grid_pair(word, sep, first, second) < 0 ||
	    *first < least || *second < least))
		cmd_usage("--%s: '%s' is not two numbers like 3%c4", option,
		    word, sep);
}

static void
judge_shape(struct job *job)
{
	struct cscg_shape *shape = &job->shape;
	struct cscg_err err = { 0 };

	shape->kind = (enum cscg_shape_kind)job->kind;
	shape->hole_row = shape->hole_col = -1;
	if (!set.rows != !set.cols)
		cmd_usage("--rows and --cols go together");
	cscg_shape_size(shape->kind, set.size, &shape->rows, &shape->cols);
	if (set.rows) {
		shape->rows = (int)set.rows;
		shape->cols = (int)set.cols;
	}
	get_pair("hole", set.hole, 'x', 1, &shape->hole_h, &shape->hole_w);
	get_pair("hole-at", set.hole_at, ',', 0, &shape->hole_row,
	    &shape->hole_col);
	get_pair("notch", set.notch, 'x', 1, &shape->notch_h, &shape->notch_w);
	if (cscg_shape_fit(shape, &err) < 0)
		cmd_usage("%s", err.msg);
}

static void
judge_obs(struct job *job)
{
	char *end;
	long k;

	if (!set.obs)
		return;
	if (!strcmp(set.obs, "border"))
		job->obs = OBS_BORDER;
	else if (!strcmp(set.obs, "unique"))
		job->obs = OBS_UNIQUE;
	else if (!strncmp(set.obs, "random:", 7) &&
	    isdigit((unsigned char)set.obs[7])) {
		job->obs = OBS_RANDOM;
		k = strtol(set.obs + 7, &end, 10);
		if (*end || k < 1 || k > CSCG_OBS_MAX)
			cmd_usage("--obs: '%s' is outside 1..%d", set.obs + 7,
			    CSCG_OBS_MAX);
		job->n_random = (int)k;
	} else
		cmd_usage("--obs: '%s' is not border, random:K or unique",
		    set.obs);
	if (job->kind == KIND_ROOM && job->obs == OBS_BORDER)
		cmd_usage("--obs border needs a grid, not a room");
}

/* Options that this kind has no use for were meant for another. */
static void
judge_fit(const struct job *job)
{
	const char *kind = kinds[job->kind];

	if (job->kind > CSCG_TORUS &&
	    (set.size != MEDIUM || set.rows || set.cols))
		cmd_usage("--size, --rows and --cols do not go with '%s'",
		    kind);
	if (set.size != MEDIUM && set.rows)
		cmd_usage("--size does not go with --rows and --cols");
	if (job->kind != CSCG_HOLE && (set.hole || set.hole_at))
		cmd_usage("--hole and --hole-at do not go with '%s'", kind);
	if (job->kind != CSCG_USHAPE && set.notch)
		cmd_usage("--notch does not go with '%s'", kind);
}

static void
judge_operands(struct job *job, char **operand, int n)
{
	static char dash[] = "-";
	static char *standard_input[] = { dash, NULL };

	while (kinds[job->kind] && strcmp(kinds[job->kind], operand[0]))
		job->kind++;
	if (!kinds[job->kind])
		cmd_usage("'%s' is not a kind of room: rectangle, hole, ushape, "
		    "cylinder, torus, map, digit or room", operand[0]);
	job->files = n > 1 ? operand + 1 : standard_input;
	job->n_files = n > 1 ? n - 1 : 1;
	if (job->kind <= CSCG_TORUS && n > 1)
		cmd_usage("'%s' takes no operand", operand[0]);
	if (job->kind == KIND_MAP && n > 2)
		cmd_usage("'map' takes one file");
	if (job->kind != KIND_DIGIT)
		return;
	if (n != 2 || strlen(operand[1]) != 1 ||
	    !isdigit((unsigned char)*operand[1]))
		cmd_usage("'digit' takes one operand, 0..9");
	job->digit = *operand[1] - '0';
}

static void
judge_name(void)
{
	struct cscg_names names = { 0, NULL };
	struct cscg_err err = { 0 };

	if (set.name && cscg_names_add(&names, set.name, &err) < 0)
		cmd_usage("--name: %s", err.msg);
	cscg_names_free(&names);
}

static int
finish(struct cscg_room *room, const struct job *job, long i,
    struct cscg_err *err)
{
	struct cscg_rng rng;

	if (job->obs == OBS_UNIQUE)
		cscg_room_label_unique(room);
	if (job->obs == OBS_RANDOM) {
		cscg_rng_seed(&rng, (uint64_t)cmd.seed, CSCG_RNG_LABELS,
		    (uint64_t)i, LABELS_RANDOM);
		cscg_room_label_random(room, job->n_random, &rng);
	}
	if (set.permute) {
		cscg_rng_seed(&rng, (uint64_t)cmd.seed, CSCG_RNG_LABELS,
		    (uint64_t)i, LABELS_PERMUTE);
		if (cscg_room_permute(room, &rng, err) < 0)
			return -1;
	}
	if (set.slip > 0)
		return cscg_room_slip(room, set.slip, err);
	return 0;
}

static int
write_as(const struct cscg_room *room, struct cscg_err *err)
{
	struct cscg_out *out = cmd_out(err);
	struct cscg_model *model;
	int rc;

	if (!out)
		return -1;
	if (set.as == AS_ROOM) {
		rc = cscg_room_write(room, out, err);
	} else {
		model = cscg_room_model(room, set.count, set.pseudocount, NULL,
		    err);
		rc = model ? cscg_model_write(model, out, err) : -1;
		cscg_model_free(model);
	}
	return rc < 0 ? -1 : cscg_out_flush(out, err);
}

/* Name and write a room. */
static int
put(struct cscg_room *room, const char *name, struct cscg_err *err)
{
	if (name) {
		free(room->name);
		room->name = cscg_copy(name, strlen(name) + 1, 1, err);
		if (!room->name)
			return -1;
	}
	if (cmd_history(&room->history, err) < 0)
		return -1;
	return write_as(room, err);
}

static struct cscg_grid *
get_grid(const struct job *job, struct cscg_err *err)
{
	struct cscg_grid *grid;
	struct cscg_in *in;

	if (job->kind == KIND_DIGIT)
		return cscg_digit_grid(job->digit, err);
	if (job->kind != KIND_MAP)
		return cscg_shape_grid(&job->shape, err);
	in = cscg_in_open(job->files[0], err);
	if (!in)
		return NULL;
	grid = cscg_grid_read(in, err);
	cscg_in_close(in);
	return grid;
}

static int
make(const struct job *job, struct cscg_err *err)
{
	bool letters = job->kind == KIND_MAP && job->obs == OBS_DEFAULT;
	char digit[] = "digit-N";
	const char *name = kinds[job->kind];
	struct cscg_grid *grid = get_grid(job, err);
	struct cscg_room *room;
	int rc = -1;

	if (!grid)
		return -1;
	if (job->kind == KIND_DIGIT) {
		digit[6] = (char)('0' + job->digit);
		name = digit;
	}
	room = cscg_grid_room(grid, letters, err);
	if (room && finish(room, job, 0, err) == 0)
		rc = put(room, set.name ? set.name : name, err);
	cscg_room_free(room);
	cscg_grid_free(grid);
	return rc;
}

/* The rooms of one file; *n counts them over all files. */
static int
convert_file(const char *path, const struct job *job, long *n,
    struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(path, err);
	struct cscg_room *room = NULL;
	long before = *n;
	int rc;

	if (!in)
		return -1;
	while ((rc = cscg_room_read(in, &room, err)) > 0) {
		rc = finish(room, job, (*n)++, err);
		if (rc < 0)
			cscg_fail_at(err, "%s: line %ld", cscg_in_name(in),
			    cscg_in_lineno(in));
		else
			rc = put(room, set.name, err);
		cscg_room_free(room);
		if (rc < 0)
			break;
	}
	if (rc == 0 && *n == before)
		rc = cscg_fail(err, CSCG_ECUT, "%s: unexpected end: no "
		    "cscg-room", cscg_in_name(in));
	cscg_in_close(in);
	return rc;
}

static int
convert(const struct job *job, struct cscg_err *err)
{
	long n = 0;
	int i;

	for (i = 0; i < job->n_files; i++)
		if (convert_file(job->files[i], job, &n, err) < 0)
			return -1;
	return 0;
}

int
main(int argc, char **argv)
{
	struct job job = { 0 };
	struct cscg_err err = { 0 };
	char **operand;
	int n, rc;

	operand = cmd_begin(&info, argc, argv, &n);
	judge_operands(&job, operand, n);
	judge_fit(&job);
	if (job.kind <= CSCG_TORUS)
		judge_shape(&job);
	judge_obs(&job);
	judge_name();
	cmd_history_arg("kind", kinds[job.kind]);
	if (job.kind == KIND_DIGIT)
		cmd_history_arg("digit", job.files[0]);
	if (!cmd_out(&err))
		rc = -1;
	else if (job.kind == KIND_ROOM)
		rc = convert(&job, &err);
	else
		rc = make(&job, &err);
	return cmd_end(rc < 0 ? -1 : 1, &err);
}
