/*
 * fields.c - each value of a file, replaced by one of another type or left out
 *
 * A value of another type is refused with a message, also deep inside the file; so is
 * a file without one of its values, unless the value is optional.
 */
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "cscg.h"
#include "need.h"
#include "tap.h"

static char path[] = "/tmp/cscg-fields.XXXXXX";

/* Whether the file is read: 1; refused with a message: 0; otherwise -1. */
static int (*reads)(void);

static int
judge(const void *p)
{
	if (p)
		return 1;
	return err.msg[0] &&
		(err.code == CSCG_EFORMAT || err.code == CSCG_ERANGE ||
		    err.code == CSCG_ECUT || err.code == CSCG_EMISMATCH) ?
	    0 :
	    -1;
}

static int
reads_model(void)
{
	struct cscg_model *m = cscg_model_read_file(path, &err);
	int rc = judge(m);

	cscg_model_free(m);
	return rc;
}

static int
reads_room(void)
{
	struct cscg_room *room = cscg_room_read_file(path, &err);
	int rc = judge(room);

	cscg_room_free(room);
	return rc;
}

static int
reads_codebook(void)
{
	struct cscg_codebook *book = cscg_codebook_read_file(path, &err);
	int rc = judge(book);

	cscg_codebook_free(book);
	return rc;
}

static json_t *root;
static long n_tried, n_wrong;
static const char *required; /* keys whose absence is refused, in blanks */

static int
try(void)
{
	need(json_dump_file(root, path, JSON_COMPACT) < 0 ? NULL : root);
	err.code = CSCG_OK;
	err.msg[0] = '\0';
	n_tried++;
	return reads();
}

static void
check(int rc, int want, const char *where, const char *what)
{
	if (rc == want || (want == 1 && rc == 0))
		return;
	n_wrong++;
	printf("# %s: %s: %d, code %d '%s'\n", where, what, rc, (int)err.code,
	    err.msg);
}

/* Replaces a value by others; where is its place. */
static void
replace(json_t *in, const char *key, size_t i, const char *where)
{
	json_t *was = json_incref(key ? json_object_get(in, key) :
					json_array_get(in, i));
	json_t *other[] = { json_true(), json_object(), json_string("-"),
		json_integer(-9), json_array(), json_real(.5) };
	static const char *const what[] = { "true", "an object", "a text",
		"a number", "an array", "half" };
	size_t k;
	int rc;

	for (k = 0; k < sizeof other / sizeof *other; k++) {
		/* A number may have many values, an array none. */
		bool same = json_typeof(was) == json_typeof(other[k]) ||
		    (json_is_boolean(was) && json_is_boolean(other[k])) ||
		    (json_is_number(was) && json_is_number(other[k]));

		rc = key ? json_object_set(in, key, other[k]) :
			   json_array_set(in, i, other[k]);
		need(rc < 0 ? NULL : root);
		rc = try();
		check(rc, same ? 1 : 0, where, what[k]);
		json_decref(other[k]);
	}
	rc = key ? json_object_set(in, key, was) : json_array_set(in, i, was);
	need(rc < 0 ? NULL : root);
	json_decref(was);
}

static void
visit(json_t *v, const char *where)
{
	char deeper[200];
	const char *key;
	void *at, *next;
	json_t *item;
	size_t i;

	json_array_foreach(v, i, item)
	{
		snprintf(deeper, sizeof deeper, "%s/%zu", where, i);
		replace(v, NULL, i, deeper);
		visit(item, deeper);
	}
	for (at = json_object_iter(v); at; at = next) {
		key = json_object_iter_key(at);
		next = json_object_iter_next(v, at);
		if (!strcmp(key, "history"))
			continue;
		snprintf(deeper, sizeof deeper, "%s/%s", where, key);
		item = json_incref(json_object_iter_value(at));
		replace(v, key, 0, deeper);
		visit(item, deeper);
		json_decref(item);
	}
}

/* Leave out each key of the whole object. */
static void
leave_out(void)
{
	json_t *copy = need(json_copy(root)), *value;
	const char *key;
	char word[40];

	json_object_foreach(copy, key, value)
	{
		if (!strcmp(key, "history"))
			continue;
		snprintf(word, sizeof word, " %s ", key);
		json_object_del(root, key);
		check(try(), strstr(required, word) ? 0 : 1, key, "left out");
		need(json_object_set(root, key, value) < 0 ? NULL : root);
	}
	json_decref(copy);
}

static void
test(const char *name, const char *text, int (*how)(void), const char *keys)
{
	json_error_t e;

	root = need(json_loads(text, 0, &e));
	reads = how;
	required = keys;
	n_tried = n_wrong = 0;
	ok(try() == 1, "%s is valid", name);
	visit(root, "");
	leave_out();
	ok(n_wrong == 0, "%s: %ld other files", name, n_tried - 1);
	json_decref(root);
}

int
main(void)
{
	static const char model_keys[] =
	    " format version kind precision n_states n_actions n_obs "
	    "pseudocount counts ";
	int fd = mkstemp(path);

	need(fd < 0 || close(fd) < 0 ? NULL : path);
	test("a grounded model",
	    "{\"format\":\"cscg-model\",\"version\":2,\"kind\":\"grounded\","
	    "\"precision\":\"double\",\"n_states\":2,\"n_actions\":1,"
	    "\"n_obs\":3,\"actions\":[\"go\"],\"symbols\":[\"a\",\"b\",\"c\"],"
	    "\"clone\":[0,1],\"pi\":[0.25,0.75],\"misread\":0.125,"
	    "\"pseudocount\":0.5,\"counts\":[{\"from\":[0,1],\"to\":[1,0],"
	    "\"count\":[3.5,1]}],\"coords\":[[0,-1.5],[2,3]],"
	    "\"history\":[]}",
	    reads_model, model_keys);
	test("a bound model",
	    "{\"format\":\"cscg-model\",\"version\":1,\"kind\":\"grounded\","
	    "\"precision\":\"single\",\"n_states\":2,\"n_actions\":1,"
	    "\"n_obs\":2,\"emissions\":[[0,1],[0,0.25,1,0.75]],"
	    "\"confidence\":[0.5,1],\"pseudocount\":1,"
	    "\"counts\":[{\"from\":[0],\"to\":[1],\"count\":[2]}],"
	    "\"fit\":{\"steps\":400,\"nats_per_step\":0.125},\"history\":[]}",
	    reads_model, model_keys);
	test("a schema with an assessment",
	    "{\"format\":\"cscg-model\",\"version\":2,\"kind\":\"schema\","
	    "\"precision\":\"single\",\"n_states\":2,\"n_actions\":1,"
	    "\"n_obs\":1,\"pseudocount\":0,\"counts\":[{\"from\":[0,1],"
	    "\"to\":[1,0],\"count\":[1,2]}],\"frontiers\":[[0,0],[1,0]],"
	    "\"entries\":[1],\"learned\":{\"steps\":9,\"nats_per_step\":0.25,"
	    "\"left_out_nats_per_step\":0.5,\"rows\":3,\"rows_supported\":2,"
	    "\"noise\":0.0625,\"mixed\":0.125,\"memory\":0.75,"
	    "\"deterministic\":false,\"enough_data\":true,\"doubtful\":true,"
	    "\"edges\":[0.5,1]},\"history\":[]}",
	    reads_model, model_keys);
	test("a model with Gaussian emissions",
	    "{\"format\":\"cscg-model\",\"version\":1,\"kind\":\"grounded\","
	    "\"precision\":\"single\",\"n_states\":2,\"n_actions\":1,"
	    "\"n_obs\":1,\"emissions\":[[0,1],[0,1]],\"pseudocount\":1,"
	    "\"counts\":[{\"from\":[],\"to\":[],\"count\":[]}],"
	    "\"gaussian\":{\"n\":2,\"shape\":[],\"sigma2\":0.5,"
	    "\"centroids\":\"AADAPwAAAMA=\"},\"history\":[]}",
	    reads_model, model_keys);
	/* Two nodes; at node 0 action 0 fails with probability .25. */
	test("a room",
	    "{\"format\":\"cscg-room\",\"version\":1,\"name\":\"pair\","
	    "\"n_nodes\":2,\"n_actions\":1,\"n_obs\":2,\"actions\":[\"go\"],"
	    "\"symbols\":[\"a\",\"b\"],\"obs\":[0,1],"
	    "\"next\":[[[0,0.25,1,0.75],0]],\"coords\":[[0,0],[0,1]],"
	    "\"parts\":[\"p\"],\"part\":[0,-1],\"frontiers\":[[1,0]],"
	    "\"history\":[]}",
	    reads_room,
	    " format version n_nodes n_actions n_obs obs next parts part ");
	/* Two by two cells with a wall between the upper ones. */
	test("a 3D room",
	    "{\"format\":\"cscg-room\",\"version\":1,\"name\":\"voxel\","
	    "\"n_nodes\":16,\"n_actions\":3,\"n_obs\":16,"
	    "\"actions\":[\"forward\",\"left\",\"right\"],"
	    "\"obs\":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15],\"next\":["
	    "[0,1,10,3,4,5,14,7,0,13,10,11,4,13,14,11],"
	    "[3,0,1,2,7,4,5,6,11,8,9,10,15,12,13,14],"
	    "[1,2,3,0,5,6,7,4,9,10,11,8,13,14,15,12]],"
	    "\"voxel\":{\"map\":[\"00\",\"00\"],\"walls\":[[0,0,1]],"
	    "\"theme\":0},\"history\":[]}",
	    reads_room, " format version n_nodes n_actions n_obs obs next ");
	test("a codebook",
	    "{\"format\":\"cscg-codebook\",\"version\":1,\"k\":2,"
	    "\"shape\":[1,1,3],\"pixels\":\"byte\",\"kind\":\"kmeans\","
	    "\"sigma2\":6.75,\"inertia\":101.5,\"priors\":[0.5,0.5],"
	    "\"counts\":[2,3],"
	    "\"centroids\":\"AABoQgAAlEIAAMlCrKpCQgAAgkJWValC\","
	    "\"history\":[]}",
	    reads_codebook,
	    " format version k shape pixels kind sigma2 priors counts "
	    "centroids ");
	unlink(path);
	return done();
}
