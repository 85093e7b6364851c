/* roomgen - make a room to walk in */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd_near.h"
#include "world/grid.h"
#include "base/mem.h"
#include "core/model_io.h"
#include "world/room_io.h"
#include "roomgen.h"
#include "world/voxel.h"

enum { AS_ROOM, AS_MODEL };
enum { ROWS_MAX = 64 };

/* Streams of CSCG_RNG_LABELS; roomwalk has 0 for its own. */
enum { LABELS_PERMUTE = 1, LABELS_RANDOM = 2 };

static const char *const forms[] = { "room", "model", NULL };

static const struct roomgen_family *const families[] = {
	&roomgen_shape, &roomgen_parts, &roomgen_street, &roomgen_voxel,
	&roomgen_file, NULL
};

static struct {
	int as;
	const char *obs, *name;
	double slip, edge_count, pseudocount;
	struct cmd_list door;
	bool permute;
} set = { .edge_count = 100, .pseudocount = 1e-4 };

const char *roomgen_layout;

static const struct cmd_opt shared[] = {
	CMD_TITLE("all kinds:"),
	CMD_STRING(0, "obs", &set.obs, "HOW",
	    "symbols of nodes: border, random:K or unique (default: by kind)"),
	CMD_FLAG(0, "permute", &set.permute, "new symbols for old, by seed"),
	CMD_DOUBLE(0, "slip", &set.slip, 0, 1, "P",
	    "a move fails or goes sideways with probability P"),
	CMD_LIST(0, "door", &set.door, "R,C,ACTION",
	    "mark a frontier: ACTION (3D: the way one looks) leaves the room "
	    "at row R, column C; may be repeated"),
	CMD_STRING(0, "layout", &roomgen_layout, "WHAT",
	    "join: R rows of C rooms, as RxC (default: one row); voxel: the "
	    "name of a map"),
	CMD_STRING(0, "name", &set.name, "NAME",
	    "name of the room (default: its kind)"),
	CMD_CHOICE(0, "as", &set.as, forms,
	    "write the room, or its exact schema as a model"),
	CMD_DOUBLE(0, "edge-count", &set.edge_count, 1e-9, 1e12, "C",
	    "counts of each action of each node in the model"),
	CMD_DOUBLE(0, "pseudocount", &set.pseudocount, 0, 1e12, "P",
	    "pseudocount of the model"),
	CMD_END
};

/* Options that every kind takes. */
static const char *const all_take = "obs permute name as edge-count pseudocount";

static struct cmd_opt opts[ROWS_MAX];	/* see gather() */

static const struct cmd_info info = {
	.name = "roomgen",
	.operands = "KIND [OPERAND]...",
	.purpose = "make a room to walk in",
	.opts = opts,
	.min = 1,
	.max = -1,
	.uses = CMD_USES_SEED | CMD_USES_GZIP
};

/* What the operands and options come to. */
static struct {
	const struct roomgen_kind *kind;
	enum roomgen_obs obs;
	int n_random;
} job;

/* Append rows up to CMD_END. */
static int
append(int n, const struct cmd_opt *row)
{
	for (; row && row->type != CMD_T_END; row++) {
		if (n == ROWS_MAX - 1)
			abort();	/* more rows than cmd.h has room for */
		opts[n++] = *row;
	}
	return n;
}

/* The options of all families under their titles, then those of all kinds. */
static void
gather(void)
{
	struct cmd_opt title[] = { CMD_TITLE(NULL), CMD_END };
	int i, n = 0;

	for (i = 0; families[i]; i++) {
		title[0].help = families[i]->title;
		n = append(n, title);
		n = append(n, families[i]->opts);
	}
	opts[append(n, shared)] = (struct cmd_opt)CMD_END;
}

static void
find_kind(const char *name)
{
	struct cmd_near near = { .word = name, .n = strlen(name) };
	char list[512], hint[CMD_NEAR_TEXT];
	const struct roomgen_kind *k;
	size_t n = 0;
	int i;

	list[0] = '\0';
	for (i = 0; families[i]; i++)
		for (k = families[i]->kinds; k->name; k++) {
			if (!strcmp(k->name, name)) {
				job.kind = k;
				return;
			}
			n += (size_t)snprintf(list + n, sizeof list - n,
			    "%s%s", n ? ", " : "", k->name);
			cmd_near_look(&near, k->name);
		}
	cmd_usage("'%s' is not a kind of room: %s%s", name, list,
	    cmd_near_hint(&near, "", hint));
}

/* Is word among words with blanks between? */
static bool
among(const char *words, const char *word)
{
	size_t len = strlen(word);
	const char *s = words;

	while (s && (s = strstr(s, word)) != NULL) {
		if ((s == words || s[-1] == ' ') &&
		    (s[len] == ' ' || !s[len]))
			return true;
		s += len;
	}
	return false;
}

/* Options that this kind has no use for were meant for another. */
static void
judge_fit(void)
{
	const struct cmd_opt *o;

	for (o = opts; o->type != CMD_T_END; o++)
		if (o->var && cmd_given(o->var) && !among(all_take, o->word) &&
		    !among(job.kind->takes, o->word))
			cmd_usage("--%s does not go with '%s'", o->word,
			    job.kind->name);
}

static void
judge_obs(void)
{
	char *end;
	long k;

	if (!set.obs)
		return;
	if (!strcmp(set.obs, "border"))
		job.obs = ROOMGEN_OBS_BORDER;
	else if (!strcmp(set.obs, "unique"))
		job.obs = ROOMGEN_OBS_UNIQUE;
	else if (!strncmp(set.obs, "random:", 7) &&
	    isdigit((unsigned char)set.obs[7])) {
		job.obs = ROOMGEN_OBS_RANDOM;
		k = strtol(set.obs + 7, &end, 10);
		if (*end || k < 1 || k > CSCG_OBS_MAX)
			cmd_usage("--obs: '%s' is outside 1..%d", set.obs + 7,
			    CSCG_OBS_MAX);
		job.n_random = (int)k;
	} else
		cmd_usage("--obs: '%s' is not border, random:K or unique",
		    set.obs);
	if (job.obs == ROOMGEN_OBS_BORDER && !job.kind->border)
		cmd_usage("--obs border does not go with '%s'",
		    job.kind->name);
}

/* "3,8,right" into row, column and action; false if it is none. */
static bool
get_door(const char *word, int *row, int *col, const char **action)
{
	const char *comma = strchr(word, ',');
	char pair[32];

	comma = comma ? strchr(comma + 1, ',') : NULL;
	if (!comma || !comma[1] || (size_t)(comma - word) >= sizeof pair)
		return false;
	memcpy(pair, word, (size_t)(comma - word));
	pair[comma - word] = '\0';
	*action = comma + 1;
	return cscg_grid_parse_pair(pair, ',', row, col) == 0;
}

static void
judge_doors(void)
{
	const char *action;
	int i, row, col;

	for (i = 0; i < set.door.n; i++)
		if (!get_door(set.door.v[i], &row, &col, &action))
			cmd_usage("--door: '%s' is not a row, a column and an "
			    "action like 3,8,right", set.door.v[i]);
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

enum roomgen_obs
roomgen_obs(void)
{
	return job.obs;
}

void
roomgen_pair(const char *option, const char *word, char sep, int least,
    int *first, int *second)
{
	if (word && (cscg_grid_parse_pair(word, sep, first, second) < 0 ||
	    *first < least || *second < least))
		cmd_usage("--%s: '%s' is not two numbers like 3%c4", option,
		    word, sep);
}

void
roomgen_no_operand(const struct roomgen_kind *kind, char **operand, int n)
{
	(void)operand;
	if (n)
		cmd_usage("'%s' takes no operand", kind->name);
}

/* A frontier must be a wall now: else one way out would replace another. */
static int
mark_door(struct cscg_room *room, const char *word, struct cscg_err *err)
{
	const char *action;
	int row, col, a, v, at = -1;

	if (!get_door(word, &row, &col, &action))
		return cscg_fail(err, CSCG_EBUG, "--door %s", word);
	a = cscg_names_find(&room->actions, action);
	if (a < 0)
		return cscg_fail(err, CSCG_EUSAGE, "--door: the room has no "
		    "action '%.40s'", action);
	for (v = 0; room->coords && v < room->n_nodes; v++) {
		if (room->coords[2 * v] != row || room->coords[2 * v + 1] !=
		    col || cscg_room_successor(room, a, v) != v)
			continue;
		if (at >= 0)
			return cscg_fail(err, CSCG_EUSAGE, "--door: several "
			    "nodes are at %d,%d", row, col);
		at = v;
	}
	if (at < 0)
		return cscg_fail(err, CSCG_EUSAGE, "--door: there is no wall "
		    "%.40s of %d,%d", action, row, col);
	return cscg_room_add_frontier(room, at, a, err);
}

static int
mark_doors(struct cscg_room *room, struct cscg_err *err)
{
	int i, rc;

	for (i = 0; i < set.door.n; i++) {
		rc = !room->voxel ? mark_door(room, set.door.v[i], err) :
		    cscg_voxel_add_frontier(room, set.door.v[i], err);
		if (rc < 0)
			return room->voxel ? cscg_fail_at(err, "--door") : -1;
	}
	return 0;
}

/* Symbols and slips as the options have them. */
static int
finish(struct cscg_room *room, long i, struct cscg_err *err)
{
	struct cscg_rng rng;

	if (job.obs == ROOMGEN_OBS_UNIQUE)
		cscg_room_label_unique(room);
	if (job.obs == ROOMGEN_OBS_RANDOM) {
		cscg_rng_seed(&rng, (uint64_t)cmd.seed, CSCG_RNG_LABELS,
		    (uint64_t)i, LABELS_RANDOM);
		cscg_room_label_random(room, job.n_random, &rng);
	}
	if (set.permute || job.kind->permute) {
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
		model = cscg_room_model(room, set.edge_count, set.pseudocount,
		    NULL, err);
		rc = model ? cscg_model_write(model, out, err) : -1;
		cscg_model_free(model);
	}
	return rc < 0 ? -1 : cscg_out_flush(out, err);
}

int
roomgen_put(struct cscg_room *room, long i, const char *name,
    struct cscg_err *err)
{
	if (mark_doors(room, err) < 0 || finish(room, i, err) < 0)
		return -1;
	if (set.name)
		name = set.name;
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

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **operand;
	int n, rc;

	gather();
	operand = cmd_begin(&info, argc, argv, &n);
	find_kind(operand[0]);
	judge_fit();
	judge_obs();
	judge_doors();
	judge_name();
	cmd_history_arg("kind", operand[0]);
	job.kind->judge(job.kind, operand + 1, n - 1);
	rc = cmd_out(&err) ? job.kind->make(job.kind, &err) : -1;
	return cmd_end(rc < 0 ? -1 : 1, &err);
}
