/* Walks in memory and as JSON Lines: reading, writing, errors. */
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"
#include "core/walk_io.h"
#include "walk_check.h"

#define HEAD \
	"{\"format\":\"cscg-walk\",\"version\":1,\"n_actions\":4," \
	"\"n_obs\":36,\"history\":[]}\n"
#define ONE "{\"episode\":0,\"x\":[3],\"a\":[],\"last\":true}\n"
#define END1 "{\"end\":true,\"episodes\":1,\"steps\":1}\n"

static char dir[] = "/tmp/cscg-walk.XXXXXX";

/* "dir/name"; the buffer is used again after four calls. */
static char *
path(const char *name)
{
	static char buf[4][64];
	static int i;

	i = (i + 1) % 4;
	snprintf(buf[i], sizeof buf[i], "%s/%s", dir, name);
	return buf[i];
}

static char *
put(const char *name, const char *text, size_t n)
{
	char *p = path(name);
	FILE *f = fopen(p, "w");

	if (!f || fwrite(text, 1, n, f) != n || fclose(f) != 0)
		perror(p);
	return p;
}

static char *
get(const char *name, size_t *n)
{
	static char buf[1 << 16];
	FILE *f = fopen(path(name), "r");

	*n = f ? fread(buf, 1, sizeof buf - 1, f) : 0;
	buf[*n] = '\0';
	if (f)
		fclose(f);
	return buf;
}

static int
save(const struct cscg_walk *w, const char *name, unsigned flags)
{
	struct cscg_err err = { 0 };
	struct cscg_out *out = cscg_out_open(path(name), flags, &err);

	if (out && cscg_walk_write(w, out, &err) == 0)
		return cscg_out_close(out, &err);
	cscg_out_abort(out);
	printf("# %s\n", err.msg);
	return -1;
}

static bool
same(const struct cscg_walk *a, const struct cscg_walk *b)
{
	struct cscg_step s, t;
	long i;

	if (!a || !b || a->n_steps != b->n_steps ||
	    a->n_episodes != b->n_episodes ||
	    a->head.history.n != b->head.history.n ||
	    memcmp(a->start, b->start,
		(size_t)(a->n_episodes + 1) * sizeof *a->start))
		return false;
	for (i = 0; i < a->n_steps; i++) {
		cscg_walk_get_step(a, i, &s);
		cscg_walk_get_step(b, i, &t);
		if (s.x != t.x || s.a != t.a || s.z != t.z ||
		    s.goal != t.goal || s.reset != t.reset ||
		    s.view != t.view ||
		    !(s.r == t.r || (isnan(s.r) && isnan(t.r))))
			return false;
	}
	return true;
}

/* A walk with all optional fields, and more steps than a line holds. */
static struct cscg_walk *
rich(long n)
{
	static const char *const actions[] = { "up", "down", NULL };
	static const char *const symbols[] = { "a", "b \"\\", "\xc3\xa9",
		NULL };
	static const char *const args[][2] = { { "steps", "7" } };
	struct cscg_walk_header head = { .n_actions = 2, .n_obs = 3 };
	struct cscg_walk *w;
	struct cscg_err err;
	struct cscg_step s;
	long t;

	cscg_names_set(&head.actions, actions, &err);
	cscg_names_set(&head.symbols, symbols, &err);
	cscg_history_add(&head.history, "test", "1", args, 1, 42, &err);
	w = cscg_walk_new(&head, &err);
	for (t = 0; w && t < n; t++) {
		s.x = t % 11 == 5 ? -1 : (int)(t % 3);
		/* Episodes of 1, 1000, 1001, 2, ... steps. */
		s.a = t == 0 || t == 1000 || t == 2001 || t == 2003 ||
			t == n - 1 ?
		    -1 :
		    (int)(t % 2);
		s.z = t % 7 ? (int)(t % 50) : -1;
		s.goal = t > 2000 ? (int)(t % 4) - 1 : -1;
		s.r = t % 5 ? (double)t / 3 : t % 10 ? NAN : (double)t;
		s.reset = t % 100 == 99;
		s.view = t > 1500 ? (int)(t % 3) * 1000 : 0;
		cscg_walk_add(w, &s, &err);
	}
	cscg_walk_header_free(&head);
	return w;
}

static void
test_identity(void)
{
	struct cscg_walk *w = rich(2500), *r;
	struct cscg_err err = { 0 };
	char *p = path("rich"), *q = path("rich.gz");
	char cmd[256];

	ok(walk_is_valid(w), "a walk with every field is valid");
	ok(w->n_episodes == 5 && w->start[2] == 1001 && w->start[5] == 2500,
	    "episodes are counted as they end");
	save(w, "rich", 0);
	r = cscg_walk_read(&p, 1, &err);
	ok(same(w, r), "a walk is read back as it was written");
	ok(r && !strcmp(r->head.symbols.v[1], "b \"\\") &&
		!strcmp(r->head.actions.v[1], "down") &&
		!strcmp(r->head.history.entry[0], w->head.history.entry[0]),
	    "names and history are read back");
	save(r, "again", 0);
	cscg_walk_free(r);
	snprintf(cmd, sizeof cmd, "cmp -s %s/rich %s/again", dir, dir);
	ok(system(cmd) == 0,
	    "a walk that is read and written has the same text");
	save(w, "rich.gz", CSCG_OUT_GZIP);
	r = cscg_walk_read(&q, 1, &err);
	ok(same(w, r), "a walk is read back from gzip");
	cscg_walk_free(r);
	cscg_walk_free(w);
}

static void
test_text(void)
{
	static const char want[] =
	    "{\"format\":\"cscg-walk\",\"version\":1,\"n_actions\":2,"
	    "\"n_obs\":3,\"history\":[]}\n"
	    "{\"episode\":0,\"x\":[2,null,0],\"a\":[1,0],\"z\":[null,7,null],"
	    "\"reset\":[1],\"r\":[null,0.5,null],\"goal\":[null,null,1],"
	    "\"last\":true}\n"
	    "{\"episode\":1,\"x\":[1],\"a\":[],\"last\":true}\n"
	    "{\"end\":true,\"episodes\":2,\"steps\":4}\n";
	static const struct cscg_step steps[] = {
		{ 2, 1, -1, -1, NAN, false, 0 },
		{ -1, 0, 7, -1, 0.5, true, 0 },
		{ 0, -1, -1, 1, NAN, false, 0 },
		{ 1, -1, -1, -1, NAN, false, 0 },
	};
	struct cscg_walk_header head = { .n_actions = 2, .n_obs = 3 };
	struct cscg_err err = { 0 };
	struct cscg_walk *w = cscg_walk_new(&head, &err), *part;
	size_t i, n;

	for (i = 0; i < 4; i++)
		cscg_walk_add(w, &steps[i], &err);
	save(w, "text", 0);
	ok(!strcmp(get("text", &n), want),
	    "a field is written where any step of the line has it");
	part = cscg_walk_subset(w, 0, 2, 2, &err);
	ok(part && part->n_steps == 3 && part->n_episodes == 2 &&
		part->a[1] == -1 && part->x[2] == 1 && part->z[1] == 7 &&
		part->reset[1] && walk_is_valid(part),
	    "a subset cut after two steps ends its episode there");
	cscg_walk_free(part);
	part = cscg_walk_subset(w, 1, 2, 0, &err);
	ok(part && part->n_steps == 1 && !part->goal && part->x[0] == 1,
	    "a subset of whole episodes");
	cscg_walk_free(part);
	cscg_walk_free(w);
}

static void
test_writer(void)
{
	struct cscg_walk_header head = { .n_actions = 2, .n_obs = 3 };
	struct cscg_step s = { 1, 1, -1, -1, NAN, false, 0 };
	struct cscg_err err = { 0 };
	struct cscg_out *out = cscg_out_open(path("out"), 0, &err);
	struct cscg_walk_writer *w = cscg_walk_writer_new(out, &head, &err);
	size_t n;

	cscg_walk_writer_set_live(w, true);
	cscg_walk_write_step(w, &s, &err);
	cscg_walk_write_step(w, &s, &err);
	ok(cscg_walk_writer_finish(w, &err) < 0 && err.code == CSCG_EBUG,
	    "a walk cannot be finished inside an episode");
	s.x = 3;
	ok(cscg_walk_write_step(w, &s, &err) < 0 && err.code == CSCG_EBUG,
	    "a step outside the alphabet is not written");
	s.x = 1;
	s.a = -1;
	cscg_walk_write_step(w, &s, &err);
	ok(cscg_walk_writer_finish(w, &err) == 0,
	    "a refused step is not counted");
	cscg_walk_writer_free(w);
	cscg_out_close(out, &err);
	ok(strstr(get("out", &n),
	       "[]}\n{\"episode\":0,\"x\":[1],\"a\":[1]}\n"
	       "{\"episode\":0,\"x\":[1],\"a\":[1]}\n"
	       "{\"episode\":0,\"x\":[1],\"a\":[],\"last\":true}\n"
	       "{\"end\":true,\"episodes\":1,\"steps\":3}\n") != NULL,
	    "a live writer writes one step per line");
}

/* Walks of symbols and actions alone, perhaps with nodes, take a short way. */
static void
test_plain(void)
{
	struct cscg_walk_header head = { .n_actions = 2, .n_obs = 3 };
	struct cscg_step s = { .x = 2, .a = 1, .z = -1, .goal = -1, .r = NAN };
	struct cscg_err err = { 0 };
	struct cscg_walk *w;
	struct cscg_out *out;
	int node, t;
	size_t n;

	for (node = 0; node < 3; node++) {
		w = cscg_walk_new(&head, &err);
		for (t = 0; t < 3; t++) {
			s.z = t == node ? 5 : -1;
			s.a = t < 2 ? 1 : -1;
			cscg_walk_add(w, &s, &err);
		}
		save(w, "plain", 0);
		ok(strstr(get("plain", &n),
		       node == 0     ? "\"z\":[5,null,null]" :
			   node == 1 ? "\"z\":[null,5,null]" :
				       "\"z\":[null,null,5]") != NULL,
		    "only step %d has a node", node);
		cscg_walk_free(w);
	}
	/* The first episode has nodes, the second has none. */
	w = cscg_walk_new(&head, &err);
	for (t = 0; t < 4; t++) {
		s.z = t < 2 ? t : -1;
		s.a = t % 2 ? -1 : 0;
		cscg_walk_add(w, &s, &err);
	}
	save(w, "plain", 0);
	ok(strstr(get("plain", &n),
	       "\"a\":[0],\"z\":[0,1],\"last\":true}\n"
	       "{\"episode\":1,\"x\":[2,2],\"a\":[0],\"last\":true}\n") !=
		NULL,
	    "a line has nodes if any of its steps has one");
	cscg_walk_free(w);
	/* What does not fit the header is a fault of the caller. */
	for (t = 0; t < 3; t++) {
		s = (struct cscg_step){ 2, 1, -1, -1, NAN, false, 0 };
		w = cscg_walk_new(&head, &err);
		cscg_walk_add(w, &s, &err);
		s.a = -1;
		cscg_walk_add(w, &s, &err);
		if (t == 0)
			w->x[0] = 3;
		else if (t == 1)
			w->x[1] = -2;
		else
			w->a[0] = 2;
		out = cscg_out_open(path("plain"), 0, &err);
		err = (struct cscg_err){ 0 };
		ok(cscg_walk_write(w, out, &err) == -1 &&
			err.code == CSCG_EBUG,
		    "step %d outside the header's range is refused", t);
		cscg_out_abort(out);
		cscg_walk_free(w);
	}
}

static const struct fault {
	const char *text;
	enum cscg_code code;
	const char *msg; /* after the name of the file */
} faults[] = {
	/* The header */
	{ "", CSCG_ECUT, "unexpected end: no cscg-walk" },
	{ "{}\n", CSCG_EFORMAT, "line 1: /format: missing" },
	{ "[]\n", CSCG_EFORMAT, "line 1: invalid JSON: not an object" },
	{ "{\"format\":\"cscg-room\",\"version\":1}\n", CSCG_EFORMAT,
	    "line 1: this is a cscg-room file, not a cscg-walk" },
	{ "{\"format\":\"cscg-walk\",\"version\":2}\n", CSCG_EFORMAT,
	    "line 1: version 2 is newer than the latest supported (1)" },
	{ "{\"format\":\"cscg-walk\",\"version\":1,\"n_obs\":3}\n",
	    CSCG_EFORMAT, "line 1: /n_actions: missing" },
	{ "{\"format\":\"cscg-walk\",\"version\":1,\"n_obs\":3,\"n_obs\":3}\n",
	    CSCG_EFORMAT,
	    "line 1: invalid JSON: column 51: duplicate object key near "
	    "'\"n_obs\"'" },
	{ "{\"format\":\"cscg-walk\",\"version\":1,\"size\":3}\n",
	    CSCG_EFORMAT, "line 1: /size: unknown key" },
	{ "{\"format\":\"cscg-walk\",\"version\":1,\"n_actions\":0,"
	  "\"n_obs\":3}\n",
	    CSCG_ERANGE, "line 1: /n_actions: 0 is outside 1..10000" },
	{ "{\"format\":\"cscg-walk\",\"version\":1,\"n_actions\":1,"
	  "\"n_obs\":99999999999}\n",
	    CSCG_ERANGE,
	    "line 1: /n_obs: 99999999999 is outside 1..10000000" },
	{ "{\"format\":\"cscg-walk\",\"version\":1,\"n_actions\":1,"
	  "\"n_obs\":2.5}\n",
	    CSCG_EFORMAT, "line 1: /n_obs: 2.5 is not an integer" },
	{ "{\"format\":\"cscg-walk\",\"version\":1,\"n_actions\":2,"
	  "\"n_obs\":3,\"actions\":[\"up\"]}\n",
	    CSCG_EFORMAT, "line 1: /actions: has 1 items, not 2" },
	{ "{\"format\":\"cscg-walk\",\"version\":1,\"n_actions\":2,"
	  "\"n_obs\":3,\"actions\":[\"up\",\"up\"]}\n",
	    CSCG_EFORMAT, "line 1: /actions: 'up' appears twice" },
	/* Steps */
	{ HEAD "{\"episode\":0,\"x\":[3,4,],\"a\":[0],\"last\":true}\n",
	    CSCG_EFORMAT,
	    "line 2: invalid JSON: column 23: unexpected token near ']'" },
	{ HEAD "{\"episode\":0,\"x\":[3,4],\"a\":[0,],\"last\":true}\n",
	    CSCG_EFORMAT,
	    "line 2: invalid JSON: column 31: unexpected token near ']'" },
	{ HEAD "{\"episode\":0,\"x\":[3,42],\"a\":[0],\"last\":true}\n",
	    CSCG_ERANGE, "line 2: /x/1: symbol 42 is outside 0..35" },
	{ HEAD "{\"episode\":0,\"x\":[-1],\"a\":[],\"last\":true}\n",
	    CSCG_ERANGE, "line 2: /x/0: symbol -1 is outside 0..35" },
	{ HEAD "{\"episode\":0,\"x\":[1.0],\"a\":[],\"last\":true}\n",
	    CSCG_EFORMAT, "line 2: /x/0: symbol is not an integer" },
	{ HEAD "{\"episode\":0,\"x\":[\"1\"],\"a\":[],\"last\":true}\n",
	    CSCG_EFORMAT, "line 2: /x/0: symbol is not an integer" },
	{ HEAD "{\"episode\":0,\"x\":[NaN],\"a\":[],\"last\":true}\n",
	    CSCG_EFORMAT,
	    "line 2: invalid JSON: column 21: invalid token near 'NaN'" },
	{ HEAD "{\"episode\":0,\"x\":[99999999999999999999],\"a\":[]}\n",
	    CSCG_EFORMAT,
	    "line 2: invalid JSON: column 38: too big integer near "
	    "'99999999999999999999'" },
	{ HEAD "{\"episode\":0,\"x\":[1,2,3,4],\"a\":[0,1,2,9]}\n",
	    CSCG_ERANGE, "line 2: /a/3: action 9 is outside 0..3" },
	{ HEAD "{\"episode\":0,\"x\":[1,2],\"a\":[null],\"last\":true}\n",
	    CSCG_EFORMAT, "line 2: /a/0: action is not an integer" },
	{ HEAD "{\"episode\":0,\"x\":[1,2,3,4,5,6,7],\"a\":[0,1,2,3,0]}\n",
	    CSCG_EFORMAT, "line 2: /a: 5 items, but /x has 7" },
	{ HEAD "{\"episode\":0,\"x\":[1,2],\"a\":[0,1],\"last\":true}\n",
	    CSCG_EFORMAT,
	    "line 2: /a: 2 items, but /x has 2 on the last line of an "
	    "episode, where 1 are needed" },
	{ HEAD "{\"episode\":0,\"x\":[1,2],\"a\":[0]}\n", CSCG_EFORMAT,
	    "line 2: /a: 1 items, but /x has 2" },
	{ HEAD "{\"episode\":0,\"x\":[],\"a\":[]}\n", CSCG_EFORMAT,
	    "line 2: /x: no steps" },
	{ HEAD "{\"episode\":0,\"a\":[]}\n", CSCG_EFORMAT,
	    "line 2: /x: missing" },
	{ HEAD "{\"episode\":0,\"x\":[1]}\n", CSCG_EFORMAT,
	    "line 2: /a: missing" },
	{ HEAD "{\"x\":[1],\"a\":[0]}\n", CSCG_EFORMAT,
	    "line 2: /episode: missing" },
	{ HEAD "{\"episode\":0,\"x\":3,\"a\":[0]}\n", CSCG_EFORMAT,
	    "line 2: /x: an integer is not an array" },
	{ HEAD "{\"episode\":0,\"x\":[3],\"a\":[0],\"y\":[0]}\n", CSCG_EFORMAT,
	    "line 2: /y: unknown key" },
	{ HEAD "{\"episode\":0,\"x\":[3],\"a\":[0],\"last\":1}\n",
	    CSCG_EFORMAT, "line 2: /last: an integer is not true or false" },
	{ HEAD "{\"episode\":1,\"x\":[3],\"a\":[0]}\n", CSCG_EFORMAT,
	    "line 2: /episode: 1, but 0 is next" },
	{ HEAD "{\"episode\":-1,\"x\":[3],\"a\":[0]}\n", CSCG_ERANGE,
	    "line 2: /episode: -1 is outside 0..2147483646" },
	{ HEAD "{\"episode\":0,\"x\":[3],\"a\":[0]}\n"
	       "{\"episode\":1,\"x\":[3],\"a\":[0]}\n",
	    CSCG_EFORMAT, "line 3: /episode: 1, but episode 0 has not ended" },
	{ HEAD ONE ONE, CSCG_EFORMAT, "line 3: /episode: 0, but 1 is next" },
	/* Optional fields */
	{ HEAD "{\"episode\":0,\"x\":[3],\"a\":[0],\"z\":[0,1]}\n",
	    CSCG_EFORMAT, "line 2: /z: 2 items, but /x has 1" },
	{ HEAD "{\"episode\":0,\"x\":[3],\"a\":[0],\"z\":[-2]}\n", CSCG_ERANGE,
	    "line 2: /z/0: node -2 is outside 0..9999999" },
	{ HEAD "{\"episode\":0,\"x\":[3],\"a\":[0],\"goal\":[36]}\n",
	    CSCG_ERANGE, "line 2: /goal/0: goal 36 is outside 0..35" },
	{ HEAD "{\"episode\":0,\"x\":[3],\"a\":[0],\"r\":[]}\n", CSCG_EFORMAT,
	    "line 2: /r: 0 items, but /x has 1" },
	{ HEAD "{\"episode\":0,\"x\":[3],\"a\":[0],\"r\":[\"1\"]}\n",
	    CSCG_EFORMAT, "line 2: /r/0: reward is not a number" },
	{ HEAD "{\"episode\":0,\"x\":[3],\"a\":[0],\"r\":[1e999]}\n",
	    CSCG_EFORMAT,
	    "line 2: invalid JSON: column 39: real number overflow near "
	    "'1e999'" },
	{ HEAD "{\"episode\":0,\"x\":[3,4],\"a\":[0,0],\"reset\":[2]}\n",
	    CSCG_ERANGE, "line 2: /reset/0: position 2 is outside 0..1" },
	{ HEAD "{\"episode\":0,\"x\":[3,4],\"a\":[0,0],\"reset\":[1,0]}\n",
	    CSCG_EFORMAT, "line 2: /reset/1: 0 does not come after 1" },
	{ HEAD "{\"episode\":0,\"x\":[3,4],\"a\":[0,0],\"reset\":[true]}\n",
	    CSCG_EFORMAT, "line 2: /reset/0: position is not an integer" },
	/* The end */
	{ HEAD, CSCG_ECUT, "unexpected end of walk (no end line)" },
	{ HEAD ONE, CSCG_ECUT, "unexpected end of walk (no end line)" },
	{ HEAD ONE "{\"end\":true,\"episodes\":1,\"steps\":2}\n", CSCG_EFORMAT,
	    "line 3: /steps: 2, but 1 were read" },
	{ HEAD ONE "{\"end\":true,\"episodes\":2,\"steps\":1}\n", CSCG_EFORMAT,
	    "line 3: /episodes: 2, but 1 were read" },
	{ HEAD ONE "{\"end\":false,\"episodes\":1,\"steps\":1}\n",
	    CSCG_EFORMAT, "line 3: /end: must be true" },
	{ HEAD ONE "{\"end\":true,\"episodes\":1}\n", CSCG_EFORMAT,
	    "line 3: /steps: missing" },
	{ HEAD "{\"episode\":0,\"x\":[3],\"a\":[0]}\n" END1, CSCG_EFORMAT,
	    "line 3: /end: episode 0 has not ended" },
	{ HEAD ONE END1 ONE, CSCG_EFORMAT,
	    "line 4: only a header may follow the end line" },
	{ HEAD ONE HEAD, CSCG_EFORMAT,
	    "line 3: a header before the end line of the walk before" },
	{ HEAD ONE END1 HEAD, CSCG_ECUT,
	    "unexpected end of walk (no end line)" },
	{ HEAD ONE END1 "{\"format\":\"cscg-walk\",\"version\":1,"
			"\"n_actions\":4,\"n_obs\":35}\n",
	    CSCG_EMISMATCH,
	    "line 4: /n_obs: 35 symbols, but the walk before has 36" },
	{ HEAD ONE END1 "{\"format\":\"cscg-walk\",\"version\":1,"
			"\"n_actions\":3,\"n_obs\":36}\n",
	    CSCG_EMISMATCH, "line 4: /actions: 3 actions do not fit 4" },
	{ HEAD ONE END1 "{\"format\":\"cscg-model\",\"version\":1}\n",
	    CSCG_EFORMAT,
	    "line 4: this is a cscg-model file, not a cscg-walk" },
};

static void
test_faults(void)
{
	struct cscg_walk *w;
	struct cscg_err err;
	char *p, want[1200];
	size_t i;

	for (i = 0; i < sizeof faults / sizeof *faults; i++) {
		p = put("bad", faults[i].text, strlen(faults[i].text));
		err = (struct cscg_err){ 0 };
		w = cscg_walk_read(&p, 1, &err);
		snprintf(want, sizeof want, "'%s': %s", p, faults[i].msg);
		if (!ok(!w && err.code == faults[i].code &&
			    !strcmp(err.msg, want),
			"refused: %s", faults[i].msg))
			printf("# %d %s\n", err.code, err.msg);
		cscg_walk_free(w);
	}
}

/*
 * A file truncated at any byte, plain or gzip, is refused, unless only the last
 * newline is missing.
 */
static void
test_cuts(void)
{
	struct cscg_walk *w = rich(30), *r;
	struct cscg_err err;
	int gz, bad;
	size_t i, n;
	char *text, *p;

	for (gz = 0; gz < 2; gz++) {
		save(w, "whole", gz ? CSCG_OUT_GZIP : 0);
		text = get("whole", &n);
		for (i = 0, bad = 0; i < n - !gz; i++) {
			p = put("cut", text, i);
			err.code = CSCG_OK;
			r = cscg_walk_read(&p, 1, &err);
			bad += r ||
			    (err.code != CSCG_ECUT &&
				(gz || err.code != CSCG_EFORMAT));
			cscg_walk_free(r);
		}
		ok(bad == 0 && n > 200,
		    "%s truncated at each of %zu positions is refused",
		    gz ? "gzip" : "text", n);
	}
	cscg_walk_free(w);
}

static void
test_cat(void)
{
	static const char a[] =
	    "{\"format\":\"cscg-walk\",\"version\":1,"
	    "\"n_actions\":2,\"n_obs\":2,\"actions\":[\"l\",\"r\"],"
	    "\"history\":[{\"program\":\"p\"}]}\n"
	    "{\"episode\":0,\"x\":[0,1,1],\"a\":[0,1],\"last\":true}\n"
	    "{\"end\":true,\"episodes\":1,\"steps\":3}\n";
	static const char b[] =
	    "{\"format\":\"cscg-walk\",\"version\":1,"
	    "\"n_actions\":2,\"n_obs\":2,\"actions\":[\"r\",\"l\"],"
	    "\"symbols\":[\"s\",\"t\"],\"history\":[{\"program\":\"q\"}]}\n"
	    "{\"episode\":0,\"x\":[1,0],\"a\":[0],\"last\":true}\n"
	    "{\"episode\":1,\"x\":[1],\"a\":[],\"last\":true}\n"
	    "{\"end\":true,\"episodes\":2,\"steps\":3}\n";
	static const char c[] =
	    "{\"format\":\"cscg-walk\",\"version\":1,"
	    "\"n_actions\":2,\"n_obs\":2,\"symbols\":[\"s\",\"u\"]}\n"
	    "{\"end\":true,\"episodes\":0,\"steps\":0}\n";
	char *files[3], both[1024], want[256];
	struct cscg_err err = { 0 };
	struct cscg_walk *w, *v;

	files[0] = put("a", a, strlen(a));
	files[1] = put("b", b, strlen(b));
	w = cscg_walk_read(files, 2, &err);
	ok(w && w->n_steps == 6 && w->n_episodes == 3 && w->start[1] == 3,
	    "two files are read as one walk");
	ok(w && w->a[0] == 0 && w->a[3] == 1, "actions are matched by name");
	ok(w && w->head.history.n == 2, "histories are joined");
	snprintf(both, sizeof both, "%s%s", a, b);
	files[2] = put("both", both, strlen(both));
	v = cscg_walk_read(files + 2, 1, &err);
	ok(same(w, v), "several walks in one stream are read as one walk");
	cscg_walk_free(v);
	cscg_walk_free(w);
	files[0] = put("b", b, strlen(b));
	files[1] = put("c", c, strlen(c));
	w = cscg_walk_read(files, 2, &err);
	snprintf(want, sizeof want,
	    "'%s': line 1: /symbols/1: 'u', but the walk before has 't'",
	    files[1]);
	ok(!w && err.code == CSCG_EMISMATCH && !strcmp(err.msg, want),
	    "symbols with different names are refused");
	w = cscg_walk_read(files + 1, 1, &err);
	ok(w && w->n_steps == 0 && w->n_episodes == 0 && walk_is_valid(w),
	    "a walk without episodes is valid");
	cscg_walk_free(w);
}

/* Steps one by one, and whether the next can be read without waiting. */
static void
test_ready(void)
{
	static const char text[] = HEAD
	    "{\"episode\":0,\"x\":[1,2],\"a\":[3,0]}\n"
	    "{\"episode\":0,\"x\":[4],\"a\":[],\"last\":true}\n"
	    "{\"end\":true,\"episodes\":1,\"steps\":3}\n";
	struct cscg_err err = { 0 };
	struct cscg_walk_reader *r;
	struct cscg_step s;
	bool ready[4];
	int i, x[3] = { 0 };

	r = cscg_walk_reader_open(put("live", text, strlen(text)), &err);
	for (i = 0; i < 3; i++) {
		ready[i] = cscg_walk_reader_pending(r);
		if (cscg_walk_reader_next(r, &s, &err) == 1)
			x[i] = s.x;
	}
	ready[3] = cscg_walk_reader_pending(r);
	ok(x[0] == 1 && x[1] == 2 && x[2] == 4 && s.a == -1 && s.z == -1 &&
		isnan(s.r) && !s.reset,
	    "steps are read one by one");
	ok(!ready[0] && ready[1] && !ready[2] && !ready[3],
	    "only the rest of a line is pending");
	ok(cscg_walk_reader_next(r, &s, &err) == 0 &&
		cscg_walk_reader_next(r, &s, &err) == 0,
	    "the end of a walk is permanent");
	cscg_walk_reader_close(r);
}

/* The rest of a line in one call. */
static void
test_runs(void)
{
	static const char text[] = HEAD
	    "{\"episode\":0,\"x\":[1,2,0],\"a\":[3,0,1],\"reset\":[2]}\n"
	    "{\"episode\":0,\"x\":[4],\"a\":[],\"last\":true}\n"
	    "{\"end\":true,\"episodes\":1,\"steps\":4}\n";
	struct cscg_err err = { 0 };
	struct cscg_walk_reader *r;
	struct cscg_walk_run run;
	struct cscg_step s;

	r = cscg_walk_reader_open(put("runs", text, strlen(text)), &err);
	ok(cscg_walk_reader_next(r, &s, &err) == 1 && s.x == 1 &&
		cscg_walk_reader_next_run(r, &run, &err) == 1 && run.n == 2 &&
		run.x[0] == 2 && run.a[0] == 0 && run.x[1] == 0 &&
		run.a[1] == 1 && !run.reset[0] && run.reset[1],
	    "a run is the rest of a line");
	ok(cscg_walk_reader_next_run(r, &run, &err) == 1 && run.n == 1 &&
		run.x[0] == 4 && run.a[0] == -1 && !run.reset,
	    "the next run is the next line");
	ok(cscg_walk_reader_next_run(r, &run, &err) == 0 &&
		cscg_walk_reader_next(r, &s, &err) == 0,
	    "runs end at the end of the walk");
	cscg_walk_reader_close(r);
}

/* Numbers of up to three digits, small alphabet and large; no leading zero. */
static void
test_digits(void)
{
	static const struct {
		int n_obs;
		const char *x;
		int want; /* -1: refused */
	} cases[] = { { 10, "9", 9 }, { 10, "10", -1 }, { 10, "00", -1 },
		{ 10, "05", -1 }, { 11, "10", 10 }, { 11, "11", -1 },
		{ 11, "0", 0 }, { 11, "00", -1 }, { 11, "05", -1 },
		{ 500, "99", 99 }, { 500, "100", 100 }, { 500, "499", 499 },
		{ 500, "500", -1 }, { 500, "007", -1 }, { 500, "070", -1 } };
	struct cscg_err err = { 0 };
	struct cscg_walk_reader *r;
	struct cscg_step s;
	char text[400];
	size_t i;
	int got;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(text, sizeof text,
		    "{\"format\":\"cscg-walk\",\"version\":1,"
		    "\"n_actions\":2,\"n_obs\":%d}\n"
		    "{\"episode\":0,\"x\":[%s,null],\"a\":[1],"
		    "\"last\":true}\n"
		    "{\"end\":true,\"episodes\":1,\"steps\":2}\n",
		    cases[i].n_obs, cases[i].x);
		r = cscg_walk_reader_open(put("digits", text, strlen(text)),
		    &err);
		got = cscg_walk_reader_next(r, &s, &err) > 0 ? s.x : -1;
		ok(got == cases[i].want, "of %d symbols, '%s' is %d",
		    cases[i].n_obs, cases[i].x, got);
		cscg_walk_reader_close(r);
	}
}

/* A million steps in a child, whose peak memory is measured. */
static int
million_read(void)
{
	struct cscg_err err = { 0 };
	struct timespec a, b;
	struct rusage use;
	struct cscg_walk *w;
	char *p = path("million");
	bool good;

	clock_gettime(CLOCK_MONOTONIC, &a);
	w = cscg_walk_read(&p, 1, &err);
	clock_gettime(CLOCK_MONOTONIC, &b);
	getrusage(RUSAGE_SELF, &use);
	good = w && w->n_steps == 1000000 && w->x[999999] == 999999 % 31;
	cscg_walk_free(w);
	printf("# 10^6 steps with true nodes read in %.3f s, peak %ld KiB\n",
	    (double)(b.tv_sec - a.tv_sec) +
		(double)(b.tv_nsec - a.tv_nsec) * 1e-9,
	    use.ru_maxrss);
	fflush(stdout);
	if (!good)
		return 1;
#ifdef __SANITIZE_ADDRESS__
	return 0; /* the sanitizer's shadow memory does not count */
#else
	return use.ru_maxrss * 1024 > 1000000L * 8 * 2 + (16L << 20) ? 2 : 0;
#endif
}

static int
million_write(void)
{
	struct cscg_walk_header head = { .n_actions = 4, .n_obs = 31 };
	struct cscg_err err = { 0 };
	struct cscg_out *out = cscg_out_open(path("million"), CSCG_OUT_GZIP,
	    &err);
	struct cscg_walk_writer *w = cscg_walk_writer_new(out, &head, &err);
	struct cscg_step s = { .goal = -1, .r = NAN };
	long t;

	for (t = 0; t < 1000000; t++) {
		s.x = (int)(t % 31);
		s.a = t == 999999 ? -1 : (int)(t * 7 % 11 % 4);
		s.z = (int)(t * 13 % 97);
		cscg_walk_write_step(w, &s, &err);
	}
	cscg_walk_writer_finish(w, &err);
	cscg_walk_writer_free(w);
	return cscg_out_close(out, &err) < 0;
}

static int
in_child(int (*work)(void))
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(work());
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
test_million(void)
{
	ok(in_child(million_write) == 0, "a million steps can be written");
	ok(in_child(million_read) == 0,
	    "a million steps are read without holding their text in memory");
}

/* Number 0 is replaced like the others; a missing value stays missing. */
static void
test_renumber(void)
{
	static const int sym[] = { 2, 0, 1 }, act[] = { 1, 0 };
	static const int x[] = { 0, 1, 2, -1 }, a[] = { 0, 1, 0, -1 };
	static const int new_x[] = { 2, 0, 1, -1 }, new_a[] = { 1, 0, 1, -1 };
	struct cscg_walk_header head = { .n_actions = 2, .n_obs = 3 };
	struct cscg_err err = { 0 };
	struct cscg_walk *w = cscg_walk_new(&head, &err);
	bool added = w != NULL;
	int t;

	for (t = 0; added && t < 4; t++) {
		struct cscg_step step = { .x = x[t],
			.a = a[t],
			.z = -1,
			.goal = t == 0 ? 0 : -1,
			.r = NAN };

		added = cscg_walk_add(w, &step, &err) == 0;
	}
	if (added)
		cscg_walk_renumber(w, sym, act);
	ok(added && !memcmp(w->x, new_x, sizeof new_x) &&
		!memcmp(w->a, new_a, sizeof new_a) && w->goal[0] == 2 &&
		w->goal[1] == -1,
	    "symbols, actions and goals are replaced by their new numbers");
	cscg_walk_free(w);
}

int
main(void)
{
	char cmd[128];

	if (!mkdtemp(dir))
		return 1;
	test_million();
	test_identity();
	test_text();
	test_writer();
	test_plain();
	test_faults();
	test_cuts();
	test_cat();
	test_ready();
	test_runs();
	test_digits();
	test_renumber();
	snprintf(cmd, sizeof cmd, "rm -rf %s", dir);
	return system(cmd) != 0 || done();
}
