/* roomgen_street.c - roomgen's neighbourhoods of a town */
#include <stdlib.h>

#include "roomgen.h"
#include "world/street.h"

/* Streams of CSCG_RNG_STREET. */
enum { STREET_TOWN, STREET_HOOD };

static struct {
	struct cmd_list streets;
	long junctions, count;
} set = { .junctions = 5, .count = 1 };

static const struct cmd_opt opts[] = {
	CMD_LONG(0, "junctions", &set.junctions, 1, CSCG_NODE_MAX, "J",
	    "so many in a neighbourhood"),
	CMD_LONG(0, "count", &set.count, 1, 1e9, "N",
	    "so many neighbourhoods of one town"),
	CMD_FILES(0, "streets", &set.streets, "FILE",
	    "streets of a real town, or a directory of nodes.txt and "
	    "links.txt; may be repeated (default: a town by seed)"),
	CMD_END
};

/* Prepend the name of the file that is at fault, if there was one. */
static void
blame(struct cscg_err *err)
{
	char *name;

	if (!set.streets.n ||
	    (err->code != CSCG_EFORMAT && err->code != CSCG_EMISMATCH))
		return;
	name = cscg_stream_name(set.streets.v[0], "standard input", err);
	if (name)
		cscg_fail_at(err, "%s", name);
	free(name);
}

static struct cscg_town *
get_town(struct cscg_err *err)
{
	struct cscg_streets *net;
	struct cscg_town *town;
	struct cscg_rng rng;

	if (set.streets.n) {
		net = cscg_streets_read(set.streets.v, set.streets.n, err);
	} else {
		cscg_rng_seed(&rng, (uint64_t)cmd.seed, CSCG_RNG_STREET, 0,
		    STREET_TOWN);
		net = cscg_streets_generate(&rng, err);
	}
	if (!net)
		return NULL;
	town = cscg_town_new(net, err);
	cscg_streets_free(net);
	if (!town)
		blame(err);
	return town;
}

static int
make_hood(const struct cscg_town *town, long i, const char *name,
    struct cscg_err *err)
{
	struct cscg_room *room;
	struct cscg_rng rng;
	int rc;

	cscg_rng_seed(&rng, (uint64_t)cmd.seed, CSCG_RNG_STREET, (uint64_t)i,
	    STREET_HOOD);
	room = cscg_town_room(town, (int)set.junctions, &rng, err);
	if (!room) {
		blame(err);
		return -1;
	}
	rc = roomgen_put(room, i, name, err);
	cscg_room_free(room);
	return rc;
}

static int
make(const struct roomgen_kind *kind, struct cscg_err *err)
{
	struct cscg_town *town = get_town(err);
	int rc = town ? 0 : -1;
	long i;

	for (i = 0; i < set.count && rc == 0; i++)
		rc = make_hood(town, i, kind->name, err);
	cscg_town_free(town);
	return rc;
}

static const struct roomgen_kind kinds[] = {
	{ .name = "street", .takes = "junctions count streets",
	  .judge = roomgen_no_operand, .make = make },
	{ .name = NULL }
};

const struct roomgen_family roomgen_street = {
	.title = "street:",
	.opts = opts,
	.kinds = kinds
};
