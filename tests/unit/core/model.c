/* Models in memory and as JSON: invariants, arithmetic, errors. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/model_io.h"
#include "tap.h"

static char dir[] = "/tmp/cscg-model.XXXXXX", file[64], copy[64];

static void
put(const char *text, size_t n)
{
	FILE *f = fopen(file, "w");

	if (!f || fwrite(text, 1, n, f) != n || fclose(f) != 0)
		perror(file);
}

static const char *
get(const char *path)
{
	static char buf[8192];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(buf, 1, sizeof buf - 1, f) : 0;

	if (f)
		fclose(f);
	buf[n] = '\0';
	return buf;
}

static int
save(const struct cscg_model *m, const char *path)
{
	struct cscg_err err = { 0 };
	struct cscg_out *out = cscg_out_open(path, 0, &err);

	if (out && cscg_model_write(m, out, &err) == 0)
		return cscg_out_close(out, &err);
	printf("# %s\n", err.msg);
	cscg_out_abort(out);
	return -1;
}

#define LEARNED_HEAD \
	"{\"steps\":9,\"nats_per_step\":0.25," \
	"\"left_out_nats_per_step\":0.5,\"rows\":3,"
#define LEARNED_TAIL \
	"\"mixed\":0.125,\"memory\":0.75,\"deterministic\":false," \
	"\"enough_data\":true,\"doubtful\":true,"
#define LEARNED \
	LEARNED_HEAD "\"rows_supported\":2,\"noise\":0.0625," LEARNED_TAIL \
		     "\"edges\":[0.5,1]}"

/* Text as the library writes it is the same after reading and writing. */
static const char *const texts[] = {
	/* the smallest model */
	"{\"format\":\"cscg-model\",\"version\":1,\"kind\":\"schema\","
	"\"precision\":\"single\",\"n_states\":1,\"n_actions\":1,\"n_obs\":1,"
	"\"pseudocount\":0,\"counts\":[{\"from\":[],\"to\":[],\"count\":[]}],"
	"\"history\":[]}\n",
	/* clones, an empty group, digits at the limit of single */
	"{\"format\":\"cscg-model\",\"version\":1,\"kind\":\"clones\","
	"\"precision\":\"single\",\"n_states\":3,\"n_actions\":2,\"n_obs\":4,"
	"\"clone\":[0,2,2],\"pseudocount\":0.002,\"counts\":["
	"{\"from\":[0,0,2],\"to\":[0,1,2],\"count\":[0.333333343,12,1e-7]},"
	"{\"from\":[1],\"to\":[0],\"count\":[16777216.5]}],\"history\":[]}\n",
	/* everything, in double */
	"{\"format\":\"cscg-model\",\"version\":1,\"kind\":\"grounded\","
	"\"precision\":\"double\",\"n_states\":2,\"n_actions\":1,\"n_obs\":3,"
	"\"actions\":[\"go\"],\"symbols\":[\"a\",\"b "
	"\\\"q\\\"\",\"\xc3\xa9\"],"
	"\"clone\":[0,1],\"emissions\":[[0,0.10000000000000001,2,"
	"0.90000000000000002],[1,1]],\"pi\":[0.25,0.75],"
	"\"pseudocount\":1.0000000000000001e-7,\"counts\":["
	"{\"from\":[0,1],\"to\":[1,0],\"count\":[3.1415926535897931,"
	"1.0000000000000001e300]}],\"coords\":[[0,-1.5],[2,3]],"
	"\"history\":[{\"program\":\"p\",\"version\":\"0\",\"seed\":42}]}\n",
	/* bound: no clones, or more groups than symbols */
	"{\"format\":\"cscg-model\",\"version\":1,\"kind\":\"grounded\","
	"\"precision\":\"single\",\"n_states\":2,\"n_actions\":1,\"n_obs\":2,"
	"\"emissions\":[[0,1],[0,0.25,1,0.75]],\"confidence\":[0.5,1],"
	"\"pseudocount\":1,\"counts\":[{\"from\":[],\"to\":[],\"count\":[]}],"
	"\"fit\":{\"steps\":400,\"nats_per_step\":0.125},\"history\":[]}\n",
	"{\"format\":\"cscg-model\",\"version\":1,\"kind\":\"grounded\","
	"\"precision\":\"single\",\"n_states\":2,\"n_actions\":1,\"n_obs\":1,"
	"\"clone\":[3,7],\"emissions\":[[0,1],[0,1]],\"pseudocount\":1,"
	"\"counts\":[{\"from\":[],\"to\":[],\"count\":[]}],"
	"\"fit\":{\"steps\":1,\"nats_per_step\":0},\"history\":[]}\n",
	/* misreading */
	"{\"format\":\"cscg-model\",\"version\":2,\"kind\":\"grounded\","
	"\"precision\":\"single\",\"n_states\":1,\"n_actions\":1,\"n_obs\":2,"
	"\"clone\":[1],\"misread\":0.125,\"pseudocount\":0,"
	"\"counts\":[{\"from\":[],\"to\":[],\"count\":[]}],\"history\":[]}\n",
	/* how sure a map is, frontiers and entries */
	"{\"format\":\"cscg-model\",\"version\":2,\"kind\":\"schema\","
	"\"precision\":\"single\",\"n_states\":2,\"n_actions\":1,\"n_obs\":1,"
	"\"pseudocount\":0,\"counts\":[{\"from\":[0,1],\"to\":[1,0],"
	"\"count\":[1,2]}],\"frontiers\":[[0,0],[1,0]],\"entries\":[1],"
	"\"learned\":" LEARNED ",\"history\":[]}\n",
	/* Gaussian emissions: 1.5 and -2 for two states; 1.5 for both, in double */
	"{\"format\":\"cscg-model\",\"version\":1,\"kind\":\"grounded\","
	"\"precision\":\"single\",\"n_states\":2,\"n_actions\":1,\"n_obs\":1,"
	"\"emissions\":[[0,1],[0,1]],\"pseudocount\":1,"
	"\"counts\":[{\"from\":[],\"to\":[],\"count\":[]}],"
	"\"gaussian\":{\"n\":2,\"shape\":[],\"sigma2\":0.5,"
	"\"centroids\":\"AADAPwAAAMA=\"},\"history\":[]}\n",
	"{\"format\":\"cscg-model\",\"version\":1,\"kind\":\"grounded\","
	"\"precision\":\"double\",\"n_states\":2,\"n_actions\":1,\"n_obs\":3,"
	"\"clone\":[2,2],\"pseudocount\":1,"
	"\"counts\":[{\"from\":[],\"to\":[],\"count\":[]}],"
	"\"gaussian\":{\"n\":1,\"shape\":[1,1],\"sigma2\":0.5,"
	"\"centroids\":\"AAAAAAAA+D8=\"},\"history\":[]}\n",
};

static void
test_identity(void)
{
	struct cscg_err err = { 0 };
	struct cscg_model *m, *twin;
	size_t i;

	for (i = 0; i < sizeof texts / sizeof *texts; i++) {
		put(texts[i], strlen(texts[i]));
		m = cscg_model_read_file(file, &err);
		if (!ok(m && save(m, copy) == 0 &&
			    !strcmp(get(copy), texts[i]),
			"text %zu is read and written as it was", i))
			printf("# %s\n# %s", err.msg, get(copy));
		twin = m ? cscg_model_copy(m, &err) : NULL;
		ok(twin && save(twin, copy) == 0 &&
			!strcmp(get(copy), texts[i]),
		    "a copy is written as the same text");
		cscg_model_free(twin);
		cscg_model_free(m);
	}
}

static void
test_stream(void)
{
	struct cscg_err err = { 0 };
	struct cscg_model *m = NULL;
	struct cscg_in *in;
	char two[2048];
	int n = 0, rc;

	snprintf(two, sizeof two, "%s%s", texts[0], texts[1]);
	put(two, strlen(two));
	in = cscg_in_open(file, &err);
	while ((rc = cscg_model_read(in, &m, &err)) > 0) {
		n++;
		cscg_model_free(m);
	}
	cscg_in_close(in);
	ok(n == 2 && rc == 0, "several models are read from one stream");
}

#define A \
	"{\"format\":\"cscg-model\",\"version\":1,\"kind\":\"grounded\"," \
	"\"precision\":\"double\",\"n_states\":3,\"n_actions\":1,\"n_obs\":" \
	"2,"
#define LOOKS "\"emissions\":[[0,1],[0,1],[1,1]],"
#define CL "\"clone\":[0,0,1],"
#define P "\"pseudocount\":0.5,"
#define NO "\"counts\":[{\"from\":[],\"to\":[],\"count\":[]}]}\n"
#define COUNTS(f, t, c) \
	A CL P "\"counts\":[{\"from\":[" f "],\"to\":[" t "],\"count\":[" c \
	       "]}]}\n"

#define LEARNT(learned) A CL P "\"learned\":" learned "," NO

static const struct {
	const char *text;
	enum cscg_code code;
	const char *msg;
} faults[] = {
	{ "", CSCG_ECUT, "unexpected end: no cscg-model" },
	{ "{}", CSCG_EFORMAT, "line 1: /format: missing" },
	{ "{\"format\":\"cscg-walk\",\"version\":1}", CSCG_EFORMAT,
	    "line 1: this is a cscg-walk file, not a cscg-model" },
	{ "{\"format\":\"cscg-model\",\"version\":9}", CSCG_EFORMAT,
	    "line 1: version 9 is newer than the latest supported (2)" },
	{ A CL P NO NO, CSCG_OK, NULL }, /* good: the first is read */
	{ A CL P "\"T\":[]}", CSCG_EFORMAT, "line 1: /T: unknown key" },
	{ "{\"format\":\"cscg-model\",\"version\":1,\"kind\":\"soft\"}",
	    CSCG_EFORMAT,
	    "line 1: /kind: 'soft' is not one of grounded, clones, schema" },
	{ "{\"format\":\"cscg-model\",\"version\":1,\"kind\":\"schema\","
	  "\"precision\":\"half\"}",
	    CSCG_EFORMAT,
	    "line 1: /precision: 'half' is not one of single, double" },
	{ "{\"format\":\"cscg-model\",\"version\":1,\"kind\":\"schema\","
	  "\"precision\":\"single\",\"n_states\":0}",
	    CSCG_ERANGE, "line 1: /n_states: 0 is outside 1..10000000" },
	{ "{\"format\":\"cscg-model\",\"version\":1,\"kind\":\"schema\","
	  "\"precision\":\"single\",\"n_states\":10000000,\"n_actions\":10000,"
	  "\"n_obs\":1,\"pseudocount\":1,\"counts\":[]}",
	    CSCG_EFORMAT, "line 1: /counts: has 0 items, not 10000" },
	{ "{\"format\":\"cscg-model\",\"version\":1,\"kind\":\"schema\","
	  "\"precision\":\"single\",\"n_states\":2,\"n_actions\":-1}",
	    CSCG_ERANGE, "line 1: /n_actions: -1 is outside 1..10000" },
	{ A P NO, CSCG_EFORMAT, "line 1: /clone: missing" },
	{ A "\"clone\":[0,1]," P NO, CSCG_EFORMAT,
	    "line 1: /clone: has 2 items, not 3" },
	{ A "\"clone\":[0,0,2]," P NO, CSCG_ERANGE,
	    "line 1: /clone/2: 2 is outside 0..1" },
	{ A "\"clone\":[0,1,0]," P NO, CSCG_EFORMAT,
	    "line 1: /clone/2: group 0 comes after group 1: states must be "
	    "sorted by group" },
	{ A "\"clone\":[0,0.5,1]," P NO, CSCG_EFORMAT,
	    "line 1: /clone/1: 0.5 is not an integer" },
	{ "{\"format\":\"cscg-model\",\"version\":1,\"kind\":\"schema\","
	  "\"precision\":\"single\",\"n_states\":1,\"n_actions\":1,"
	  "\"n_obs\":1,\"clone\":[0]," P NO,
	    CSCG_EFORMAT, "line 1: /clone: a schema has no clones" },
	{ "{\"format\":\"cscg-model\",\"version\":1,\"kind\":\"clones\","
	  "\"precision\":\"single\",\"n_states\":1,\"n_actions\":1,"
	  "\"n_obs\":1,\"clone\":[0],\"emissions\":[[0,1]]," P NO,
	    CSCG_EFORMAT,
	    "line 1: /emissions: only a grounded model has them, this is a "
	    "schema with clones" },
	{ "{\"format\":\"cscg-model\",\"version\":1,\"kind\":\"clones\","
	  "\"precision\":\"single\",\"n_states\":1,\"n_actions\":1,"
	  "\"n_obs\":1,\"clone\":[0],\"symbols\":[\"s\"]," P NO,
	    CSCG_EFORMAT,
	    "line 1: /symbols: only a grounded model has names of symbols, "
	    "this is a schema with clones" },
	{ A CL "\"actions\":[\"a\",\"b\"]," P NO, CSCG_EFORMAT,
	    "line 1: /actions: has 2 items, not 1" },
	{ A CL NO, CSCG_EFORMAT, "line 1: /pseudocount: missing" },
	{ A CL "\"pseudocount\":-1," NO, CSCG_ERANGE,
	    "line 1: /pseudocount: -1 is below 0" },
	{ A CL "\"pseudocount\":\"1\"," NO, CSCG_EFORMAT,
	    "line 1: /pseudocount: a string is not a number" },
	{ A CL "\"pseudocount\":NaN," NO, CSCG_EFORMAT,
	    "line 1: invalid JSON: column 144: invalid token near 'NaN'" },
	{ A CL "\"pi\":[0.5,0.5]," P NO, CSCG_EFORMAT,
	    "line 1: /pi: has 2 items, not 3" },
	{ A CL "\"pi\":[0.5,0.5,0.5]," P NO, CSCG_ERANGE,
	    "line 1: /pi: sums to 1.5, not 1" },
	{ A CL "\"pi\":[0.5,0.75,-0.25]," P NO, CSCG_ERANGE,
	    "line 1: /pi/2: -0.25 is below 0" },
	{ A CL "\"emissions\":[[0,1],[0,1]]," P NO, CSCG_EFORMAT,
	    "line 1: /emissions: has 2 items, not 3" },
	{ A CL "\"emissions\":[[0,1],[0],[1,1]]," P NO, CSCG_EFORMAT,
	    "line 1: /emissions/1: must be an array of pairs symbol, "
	    "probability" },
	{ A CL "\"emissions\":[[0,1],[2,1],[1,1]]," P NO, CSCG_ERANGE,
	    "line 1: /emissions/1/0: symbol 2 is outside 0..1" },
	{ A CL "\"emissions\":[[0,1],[0.5,1],[1,1]]," P NO, CSCG_EFORMAT,
	    "line 1: /emissions/1/0: a symbol must be an integer" },
	{ A CL "\"emissions\":[[0,1],[0,null],[1,1]]," P NO, CSCG_EFORMAT,
	    "line 1: /emissions/1/1: a probability must be a number" },
	{ A CL "\"emissions\":[[0,1],[1,0.5,0,0.5],[1,1]]," P NO, CSCG_EFORMAT,
	    "line 1: /emissions/1/2: symbol 0 does not come after 1" },
	{ A CL "\"emissions\":[[0,1],[0,1,1,0],[1,1]]," P NO, CSCG_ERANGE,
	    "line 1: /emissions/1/3: a probability must be finite and above "
	    "0" },
	{ A CL "\"emissions\":[[0,1],[],[1,1]]," P NO, CSCG_ERANGE,
	    "line 1: /emissions/1: sums to 0, not 1" },
	{ A "\"emissions\":[[0,1],[0,1]]," P NO, CSCG_EFORMAT,
	    "line 1: /emissions: has 2 items, not 3" },
	{ A "\"clone\":[0,1,10000000]," LOOKS P NO, CSCG_ERANGE,
	    "line 1: /clone/2: 10000000 is outside 0..9999999" },
	{ A CL "\"confidence\":[0,1,1]," P NO, CSCG_EFORMAT,
	    "line 1: /confidence: only a model with emissions has it" },
	{ A CL P "\"fit\":{\"steps\":1,\"nats_per_step\":1}," NO, CSCG_EFORMAT,
	    "line 1: /fit: only a model with emissions has it" },
	{ A LOOKS "\"confidence\":[0,1]," P NO, CSCG_EFORMAT,
	    "line 1: /confidence: has 2 items, not 3" },
	{ A LOOKS "\"confidence\":[0,1.5,0]," P NO, CSCG_ERANGE,
	    "line 1: /confidence/1: 1.5 is outside 0..1" },
	{ A LOOKS "\"confidence\":[0,1,-1]," P NO, CSCG_ERANGE,
	    "line 1: /confidence/2: -1 is outside 0..1" },
	{ A LOOKS P "\"fit\":[]," NO, CSCG_EFORMAT,
	    "line 1: /fit: must be an object" },
	{ A LOOKS P "\"fit\":{\"nats_per_step\":1}," NO, CSCG_EFORMAT,
	    "line 1: /fit/steps: missing" },
	{ A LOOKS P "\"fit\":{\"steps\":0,\"nats_per_step\":1}," NO,
	    CSCG_ERANGE, "line 1: /fit/steps: 0 is below 1" },
	{ A LOOKS P "\"fit\":{\"steps\":1,\"nats_per_step\":\"1\"}," NO,
	    CSCG_EFORMAT,
	    "line 1: /fit/nats_per_step: a string is not a number" },
	{ A LOOKS P "\"fit\":{\"steps\":1,\"nats_per_step\":1,\"x\":1}," NO,
	    CSCG_EFORMAT, "line 1: /fit/x: unknown key" },
	{ A CL P "\"counts\":[]}", CSCG_EFORMAT,
	    "line 1: /counts: has 0 items, not 1" },
	{ A CL P "\"counts\":[[]]}", CSCG_EFORMAT,
	    "line 1: /counts/0: must be an object" },
	{ A CL P "\"counts\":[{\"from\":[],\"to\":[]}]}", CSCG_EFORMAT,
	    "line 1: /counts/0/count: missing" },
	{ A CL P "\"counts\":[{\"from\":[],\"to\":[],\"count\":[],\"p\":1}]}",
	    CSCG_EFORMAT, "line 1: /counts/0/p: unknown key" },
	{ COUNTS("0,1", "0", "1,1"), CSCG_EFORMAT,
	    "line 1: /counts/0/to: has 1 items, not 2" },
	{ COUNTS("0,1", "0,1", "1"), CSCG_EFORMAT,
	    "line 1: /counts/0/count: has 1 items, not 2" },
	{ COUNTS("0,3", "0,1", "1,1"), CSCG_ERANGE,
	    "line 1: /counts/0/from/1: 3 is outside 0..2" },
	{ COUNTS("0,1", "0,3", "1,1"), CSCG_ERANGE,
	    "line 1: /counts/0/to/1: 3 is outside 0..2" },
	{ COUNTS("1,0", "0,1", "1,1"), CSCG_EFORMAT,
	    "line 1: /counts/0/from/"
	    "1: 0 comes after 1: counts must be sorted by from, then to" },
	{ COUNTS("0,1,1", "2,2,1", "1,1,1"), CSCG_EFORMAT,
	    "line 1: /counts/0/to/2: 1 does not come after 2: counts must be "
	    "sorted by from, then to" },
	{ COUNTS("1,1", "1,1", "1,1"), CSCG_EFORMAT,
	    "line 1: /counts/0/to/1: 1 does not come after 1: counts must be "
	    "sorted by from, then to" },
	{ COUNTS("0,1", "0,1", "1,0"), CSCG_ERANGE,
	    "line 1: /counts/0/count/1: a count must be finite and above 0" },
	{ COUNTS("0,1", "0,1", "1,-2"), CSCG_ERANGE,
	    "line 1: /counts/0/count/1: a count must be finite and above 0" },
	{ COUNTS("0,1", "0,1", "1,1e999"), CSCG_EFORMAT,
	    "line 1: invalid JSON: column 196: real number overflow near "
	    "'1e999'" },
	{ LEARNT("7"), CSCG_EFORMAT, "line 1: /learned: must be an object" },
	{ LEARNT("{\"step\":9}"), CSCG_EFORMAT,
	    "line 1: /learned/step: unknown key" },
	{ LEARNT("{\"steps\":0}"), CSCG_ERANGE,
	    "line 1: /learned/steps: 0 is below 1" },
	{ LEARNT(LEARNED_HEAD "\"rows_supported\":4,\"noise\":0," LEARNED_TAIL
			      "\"edges\":[]}"),
	    CSCG_ERANGE,
	    "line 1: /learned/rows_supported: 4 is outside 0..3" },
	{ LEARNT(LEARNED_HEAD "\"rows_supported\":3,\"noise\":2," LEARNED_TAIL
			      "\"edges\":[]}"),
	    CSCG_ERANGE, "line 1: /learned/noise: 2 is outside 0..1" },
	{ LEARNT(LEARNED_HEAD "\"rows_supported\":3,\"noise\":1," LEARNED_TAIL
			      "\"edges\":[1]}"),
	    CSCG_EFORMAT, "line 1: /learned/edges: has 1 items, not 0" },
	{ LEARNT(LEARNED_HEAD "\"rows_supported\":3,\"noise\":1," LEARNED_TAIL
			      "\"edges\":[],\"x\":1}"),
	    CSCG_EFORMAT, "line 1: /learned/x: unknown key" },
	{ A CL P "\"fit\":7," NO, CSCG_EFORMAT,
	    "line 1: /fit: must be an object" },
	{ A CL P "\"fit\":{\"steps\":0,\"nats_per_step\":1}," NO, CSCG_ERANGE,
	    "line 1: /fit/steps: 0 is below 1" },
	{ A CL P "\"coords\":[[0,0],[0],[0,0]]," NO, CSCG_EFORMAT,
	    "line 1: /coords/1: must be two numbers" },
	{ A CL P "\"coords\":[[0,0],[0,true],[0,0]]," NO, CSCG_EFORMAT,
	    "line 1: /coords/1/1: true is not a number" },
	{ A CL P "\"history\":{}," NO, CSCG_EFORMAT,
	    "line 1: /history: an object is not an array" },
	{ A CL P "\"pseudocount\":1," NO, CSCG_EFORMAT,
	    "line 1: invalid JSON: column 158: duplicate object key near "
	    "'\"pseudocount\"'" },
};

static void
test_faults(void)
{
	struct cscg_model *m;
	struct cscg_err err;
	char want[1200];
	size_t i;

	for (i = 0; i < sizeof faults / sizeof *faults; i++) {
		put(faults[i].text, strlen(faults[i].text));
		err = (struct cscg_err){ 0 };
		m = cscg_model_read_file(file, &err);
		snprintf(want, sizeof want, "'%s': %s", file,
		    faults[i].msg ? faults[i].msg : "");
		if (!faults[i].msg)
			ok(m && !err.code, "the text without faults is valid");
		else if (!ok(!m && err.code == faults[i].code &&
				 !strcmp(err.msg, want),
			     "refused: %s", faults[i].msg))
			printf("# %d %s\n", err.code, err.msg);
		cscg_model_free(m);
	}
}

static void
test_cuts(void)
{
	struct cscg_err err;
	struct cscg_model *m;
	struct cscg_out *out;
	size_t i, n = strlen(texts[2]);
	char gz[2048];
	int bad = 0;
	FILE *f;

	for (i = 0; i < n - 1; i++) {
		put(texts[2], i);
		m = cscg_model_read_file(file, &err);
		bad += m != NULL;
		cscg_model_free(m);
	}
	ok(bad == 0, "text truncated at each of %zu positions is refused",
	    n - 1);
	out = cscg_out_open(copy, CSCG_OUT_GZIP, &err);
	cscg_out_write(out, texts[2], n, &err);
	cscg_out_close(out, &err);
	f = fopen(copy, "r");
	n = fread(gz, 1, sizeof gz, f);
	fclose(f);
	for (i = 0; i < n; i++) {
		put(gz, i);
		err.code = CSCG_OK;
		m = cscg_model_read_file(file, &err);
		bad += m != NULL || err.code != CSCG_ECUT;
		cscg_model_free(m);
	}
	ok(bad == 0 && n > 200,
	    "gzip truncated at each of %zu positions is refused", n);
	/* The end is read although nothing but empty lines is there. */
	out = cscg_out_open(copy, CSCG_OUT_GZIP, &err);
	cscg_out_write(out, texts[2], strlen(texts[2]), &err);
	for (i = 0; i < 3; i++)
		cscg_out_write(out, "\n", 1, &err);
	cscg_out_close(out, &err);
	f = fopen(copy, "r");
	n = fread(gz, 1, sizeof gz, f);
	fclose(f);
	for (i = 0; i < 9; i++) {
		put(gz, n - i);
		err.code = CSCG_OK;
		m = cscg_model_read_file(file, &err);
		bad += i ? m != NULL || err.code != CSCG_ECUT : m == NULL;
		cscg_model_free(m);
	}
	ok(bad == 0, "empty lines, of which the end is missing, are refused");
}

static void
test_arithmetic(void)
{
	static const struct cscg_count c[] = {
		{ 1, 2, 0, 1 },
		{ 0, 0, 2, 3 },
		{ 0, 0, 1, 1 },
		{ 0, 0, 2, 0.5 },
		{ 0, 1, 1, 0 },
	};
	struct cscg_err err = { 0 };
	struct cscg_model *m = cscg_model_new(CSCG_GROUNDED, 3, 2, 4, &err);
	double sum = 0, dense[18];
	int a, j, k, first[5], to[6], good = 1;

	m->clone[1] = m->clone[2] = 2;
	m->pseudocount = 0.5;
	ok(cscg_model_set_counts(m, c, 5, &err) == 0 && m->first[1] == 2 &&
		m->first[6] == 3 && m->to[0] == 1 && m->to[1] == 2 &&
		m->count[1] == 3.5 && m->to[2] == 0,
	    "triples are sorted, added up, and zeros left out");
	ok(cscg_model_check(m, &err) == 0,
	    "a model with these counts is valid");
	ok(cscg_model_row_sum(m, 0, 0) == 4.5 &&
		cscg_model_row_sum(m, 1, 0) == 0,
	    "row sums of the counts");
	cscg_model_successors(m, to);
	ok(to[0] == 2 && to[1] == -1 && to[2] == -1 && to[3] == -1 &&
		to[5] == 0 && cscg_model_best_symbol(m, 2) == 2,
	    "the successor of most counts of each row");
	/* (3.5 + 0.5) / (4.5 + 3 * 0.5) and (0 + 0.5) / (0 + 1.5) */
	ok(near(cscg_model_T(m, 0, 0, 2), 4 / 6., 1e-15) &&
		near(cscg_model_T(m, 0, 0, 0), 0.5 / 6, 1e-15) &&
		near(cscg_model_T(m, 1, 1, 1), 1 / 3., 1e-15),
	    "T is (count + pseudocount) / (row sum + states * pseudocount)");
	m->pseudocount = 0;
	ok(near(cscg_model_T(m, 1, 1, 1), 1 / 3., 1e-15) &&
		cscg_model_T(m, 0, 0, 0) == 0,
	    "a row without counts and pseudocount is uniform");
	for (a = 0; a < 2; a++)
		for (j = 0; j < 3; j++) {
			for (k = 0, sum = 0; k < 3; k++)
				sum += dense[(a * 3 + j) * 3 + k] =
				    cscg_model_T(m, a, j, k);
			good &= near(sum, 1, 1e-15);
		}
	ok(good, "rows of T sum to one");
	ok(cscg_model_E(m, 1, 2) == 1 && cscg_model_E(m, 1, 0) == 0,
	    "a clone emits its symbol");
	cscg_model_groups(m, first);
	ok(first[0] == 0 && first[1] == 1 && first[2] == 1 && first[3] == 3 &&
		first[4] == 3,
	    "first states of groups, empty groups included");
	ok(cscg_model_set_dense(m, dense, 0.3, &err) == 0 &&
		m->first[18 / 3] == 1 + 3 + 3 + 3 + 3 + 1 && m->to[0] == 2 &&
		cscg_model_check(m, &err) == 0,
	    "dense counts above a threshold are kept");
	dense[7] = NAN;
	ok(cscg_model_set_dense(m, dense, 0, &err) < 0 &&
		!strcmp(err.msg,
		    "action 0, from 2, to 1: a count must be finite and not "
		    "negative"),
	    "a count of NaN is refused");
	cscg_model_free(m);
}

static void
test_bad_triples(void)
{
	static const struct cscg_count bad[] = {
		{ 2, 0, 0, 1 },
		{ 0, 3, 0, 1 },
		{ 0, 0, -1, 1 },
		{ 0, 0, 0, -1 },
		{ 0, 0, 0, INFINITY },
	};
	struct cscg_err err = { 0 };
	struct cscg_model *m = cscg_model_new(CSCG_SCHEMA, 3, 2, 1, &err);
	int i, good = 1;

	for (i = 0; i < 5; i++)
		good &= cscg_model_set_counts(m, bad + i, 1, &err) < 0 &&
		    err.code == CSCG_ERANGE;
	ok(good && m->first[6] == 0, "bad triples are refused");
	cscg_model_free(m);
	m = cscg_model_new(CSCG_SCHEMA, 10000000, 1000, 1, &err);
	ok(!m && err.code == CSCG_ERANGE &&
		!strcmp(err.msg,
		    "/n_states: 10000000 states with 1000 actions are "
		    "10000000000 rows, above 2147483648"),
	    "sizes that overflow are refused");
}

/*
 * Four states, two of them in one group, merged into three states and into two.
 */
static struct cscg_model *
four(void)
{
	static const struct cscg_count c[] = {
		{ 0, 0, 1, 3 },
		{ 0, 0, 2, 1 },
		{ 0, 1, 3, 2 },
		{ 0, 2, 3, 5 },
		{ 0, 3, 0, 7 },
		{ 0, 2, 1, 1 },
	};
	static const double pi[] = { 0.5, 0.25, 0.125, 0.125 };
	static const long e_first[] = { 0, 1, 3, 4, 5 };
	static const int e_obs[] = { 0, 0, 1, 1, 2 };
	static const double e_p[] = { 1, 0.5, 0.5, 1, 1 };
	static const double coords[] = { 0, 0, 1, 0, 2, 10, 3, 3 };
	struct cscg_err err;
	struct cscg_model *m = cscg_model_new(CSCG_GROUNDED, 4, 1, 3, &err);

	m->is_double = true;
	m->clone[1] = m->clone[2] = 1;
	m->clone[3] = 2;
	m->pi = cscg_copy(pi, 4, sizeof *pi, &err);
	m->e_first = cscg_copy(e_first, 5, sizeof *e_first, &err);
	m->e_obs = cscg_copy(e_obs, 5, sizeof *e_obs, &err);
	m->e_p = cscg_copy(e_p, 5, sizeof *e_p, &err);
	m->coords = cscg_copy(coords, 8, sizeof *coords, &err);
	cscg_model_set_counts(m, c, 6, &err);
	return m;
}

static void
test_pour(void)
{
	static const int merge[] = { 0, 1, 1, 2 }, drop[] = { -1, 0, 0, 1 };
	static const int mixed[] = { 0, 0, 1, 2 }, gap[] = { 0, 1, 1, 3 };
	static const int swap[] = { 2, 1, 1, 0 }, wild[] = { 0, 1, 1, 4 };
	static const double sure[] = { 0.25, 0.5, 1, 1 };
	struct cscg_err err = { 0 };
	struct cscg_model *m = four(), *n;

	m->confidence = cscg_copy(sure, 4, sizeof *sure, &err);
	m->fit_steps = 9;
	ok(cscg_model_check(m, &err) == 0, "the model to merge is valid");
	n = cscg_model_merge_states(m, merge, 3, &err);
	ok(n && cscg_model_check(n, &err) == 0, "the merged model is valid");
	/* Into state 1: 3 + 1 from 0; 1 from itself (2 -> 1). */
	ok(n && n->first[3] == 4 && n->to[0] == 1 && n->count[0] == 4 &&
		n->to[1] == 1 && n->count[1] == 1 && n->to[2] == 2 &&
		n->count[2] == 7 && n->count[3] == 7,
	    "counts of merged states are added");
	ok(n && n->pi[1] == 0.375 && n->clone[1] == 1,
	    "initial probabilities of merged states are added");
	/* Arrivals: 4 in old state 1 (3 + 1), 1 in old state 2. */
	ok(n && n->e_first[2] == 3 &&
		near(cscg_model_E(n, 1, 0), 0.4, 1e-15) &&
		near(cscg_model_E(n, 1, 1), 0.6, 1e-15),
	    "emissions are weighted by arrivals");
	ok(n && near(n->coords[2], 1.2, 1e-15) && near(n->coords[3], 2, 1e-15),
	    "coordinates are weighted by arrivals");
	/* 4/5 of 0.5 and 1/5 of 1 */
	ok(n && n->confidence[0] == 0.25 &&
		near(n->confidence[1], 0.6, 1e-15) && n->confidence[2] == 1,
	    "confidence is weighted by arrivals");
	ok(n && !n->fit_steps, "a merged model has no fit");
	cscg_model_free(n);
	n = cscg_model_merge_states(m, drop, 2, &err);
	ok(n && n->first[2] == 2 && n->count[0] == 1 && n->count[1] == 7 &&
		n->pi[0] == 0.75 && n->clone[0] == 1 &&
		cscg_model_check(n, &err) == 0,
	    "a dropped state removes its counts and its initial probability");
	cscg_model_free(n);
	ok(!cscg_model_merge_states(m, mixed, 3, &err) &&
		!strcmp(err.msg,
		    "states 0 and 1 are merged, but have groups 0 and 1"),
	    "states of different groups are not merged");
	ok(!cscg_model_merge_states(m, gap, 4, &err) &&
		!strcmp(err.msg, "no state is merged into state 2"),
	    "a new state without old states is refused");
	ok(!cscg_model_merge_states(m, swap, 3, &err) &&
		!strcmp(err.msg, "state 1 of group 1 comes after group 2"),
	    "groups that are not sorted are refused");
	ok(!cscg_model_merge_states(m, wild, 3, &err) &&
		!strcmp(err.msg, "state 3 merged into state 4, outside 0..2"),
	    "a target state out of range is refused");
	free(m->clone);
	m->clone = NULL;
	n = cscg_model_merge_states(m, mixed, 3, &err);
	ok(n && !n->clone && cscg_model_check(n, &err) == 0,
	    "without groups any states are merged");
	cscg_model_free(n);
	cscg_model_free(m);
}

/* Emissions given as a matrix. */
static void
test_looks(void)
{
	static const double E[] = { 0.5, 0, 0.5, 0, 0, 0, 1, 0 };
	static const char *const names[] = { "x", "y", "z", NULL };
	struct cscg_err err = { 0 };
	struct cscg_model *m = cscg_model_new(CSCG_SCHEMA, 2, 1, 1, &err);

	ok(cscg_model_set_E(m, E, 4, &err) == 0 &&
		cscg_model_check(m, &err) == 0 && m->kind == CSCG_GROUNDED &&
		m->n_obs == 4 && m->e_first[2] == 3 &&
		cscg_model_E(m, 0, 2) == 0.5 && cscg_model_E(m, 0, 1) == 0 &&
		cscg_model_E(m, 1, 2) == 1,
	    "emissions make a schema grounded");
	ok(cscg_model_set_E(m, E, 4, &err) == 0 && m->e_first[2] == 3,
	    "emissions can be set again");
	cscg_model_free(m);
	m = four();
	cscg_names_set(&m->symbols, names, &err);
	ok(cscg_model_set_E(m,
	       (double[]){ 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1 }, 3,
	       &err) == 0 &&
		m->symbols.n == 3,
	    "names are kept if the number of symbols is the same");
	ok(cscg_model_set_E(m, (double[]){ 1, 1, 1, 1 }, 1, &err) == 0 &&
		!m->symbols.n && cscg_model_check(m, &err) == 0,
	    "names are dropped if the number of symbols changes");
	cscg_model_free(m);
}

static void
test_forget(void)
{
	static const char *const names[] = { "x", "y", "z", NULL };
	struct cscg_err err = { 0 };
	struct cscg_model *m = four();

	cscg_names_set(&m->symbols, names, &err);
	cscg_model_unground(m, CSCG_GROUNDED);
	ok(m->kind == CSCG_GROUNDED && m->e_first,
	    "a grounded model keeps its emissions");
	cscg_model_unground(m, CSCG_CLONES);
	ok(m->kind == CSCG_CLONES && !m->e_first && !m->symbols.n &&
		m->clone[3] == 2 && cscg_model_check(m, &err) == 0,
	    "removing emissions leaves clone structure");
	cscg_model_unground(m, CSCG_SCHEMA);
	ok(m->kind == CSCG_SCHEMA && !m->clone && m->n_obs == 1 &&
		cscg_model_check(m, &err) == 0,
	    "removing clone structure leaves a schema");
	cscg_model_unground(m, CSCG_CLONES);
	ok(m->kind == CSCG_SCHEMA, "a schema does not regain clone structure");
	cscg_model_free(m);
	m = four();
	m->clone[3] = 30; /* with emissions groups have other numbers */
	m->confidence = cscg_alloc(4, sizeof *m->confidence, &err);
	m->fit_steps = 5;
	ok(cscg_model_check(m, &err) == 0 && cscg_model_n_groups(m) == 31,
	    "a model may have more groups than symbols");
	cscg_model_unground(m, CSCG_CLONES);
	ok(m->n_obs == 31 && !m->pi && !m->confidence && !m->fit_steps &&
		cscg_model_check(m, &err) == 0,
	    "removing emissions restores the groups and removes pi, "
	    "confidence and fit");
	cscg_model_free(m);
	m = four();
	free(m->clone);
	m->clone = NULL;
	ok(cscg_model_check(m, &err) == 0 && cscg_model_n_groups(m) == 0,
	    "a grounded model may lack clones");
	cscg_model_unground(m, CSCG_CLONES);
	ok(m->kind == CSCG_SCHEMA && cscg_model_check(m, &err) == 0,
	    "without clones, removing emissions leaves a schema");
	ok(!strcmp(cscg_model_kind_name(CSCG_GROUNDED), "grounded") &&
		!strcmp(cscg_model_kind_name(CSCG_CLONES), "clones") &&
		!strcmp(cscg_model_kind_name(CSCG_SCHEMA), "schema"),
	    "names of the kinds of models");
	cscg_model_free(m);
}

/* 3 symbols, misread with .3: .7 + .1 for the own symbol, .1 for others. */
static void
test_misread(void)
{
	static const double E[] = { .5, .5, 0, 0, 0, 1 };
	struct cscg_err err = { 0 };
	struct cscg_model *m = cscg_model_new(CSCG_GROUNDED, 2, 1, 3, &err);

	m->clone[1] = 2;
	ok(cscg_model_misread(m) == 0,
	    "the misreading probability is 0 by default");
	ok(cscg_model_set_misread(m, 1.5, &err) < 0 &&
		err.code == CSCG_ERANGE && cscg_model_misread(m) == 0,
	    "a misreading probability above 1 is refused");
	ok(cscg_model_set_misread(m, .3, &err) == 0 &&
		near(cscg_model_E(m, 1, 2), .8, 1e-15) &&
		near(cscg_model_E(m, 1, 0), .1, 1e-15) &&
		cscg_model_E_unmixed(m, 1, 2) == 1 &&
		cscg_model_E_unmixed(m, 1, 0) == 0,
	    "E of a clone is mixed with the misreading probability");
	ok(cscg_model_set_E(m, E, 3, &err) == 0 &&
		near(cscg_model_E(m, 0, 0), .45, 1e-15) &&
		near(cscg_model_E(m, 0, 2), .1, 1e-15),
	    "an emission row is mixed with the misreading probability");
	cscg_model_unground(m, CSCG_CLONES);
	ok(cscg_model_misread(m) == .3,
	    "a schema keeps the misreading probability");
	cscg_model_free(m);
}

/*
 * Six cells in a line: action 0 leads forth, 1 back, 2 nowhere.  Back leads
 * elsewhere from the last n_bad cells.
 */
static void
test_inverse(void)
{
	static const int expected[] = { 1, 1, -1 };
	struct cscg_err err;
	struct cscg_model *m = cscg_model_new(CSCG_GROUNDED, 6, 3, 6, &err);
	int n_bad, j;

	for (n_bad = 0; n_bad < 3; n_bad++) {
		struct cscg_count c[18];

		for (j = 0; j < 6; j++) {
			c[j] = (struct cscg_count){ 0, j, j < 5 ? j + 1 : 5,
				2 };
			c[6 + j] = (struct cscg_count){ 1, j,
				j > 5 - n_bad ? 0 :
				    j         ? j - 1 :
						0,
				2 };
			c[12 + j] = (struct cscg_count){ 2, j, j, 2 };
		}
		cscg_model_set_counts(m, c, 18, &err);
		ok(cscg_model_inverse(m, 0) == expected[n_bad] &&
			cscg_model_inverse(m, 2) == -1,
		    "%d of 5 transitions undone: %s inverse", 5 - n_bad,
		    expected[n_bad] < 0 ? "no" : "an");
	}
	cscg_model_free(m);
}

int
main(void)
{
	if (!mkdtemp(dir))
		return 1;
	snprintf(file, sizeof file, "%s/f", dir);
	snprintf(copy, sizeof copy, "%s/g", dir);
	test_identity();
	test_stream();
	test_faults();
	test_cuts();
	test_arithmetic();
	test_inverse();
	test_bad_triples();
	test_pour();
	test_forget();
	test_looks();
	test_misread();
	return remove(file) != 0 || remove(copy) != 0 || remove(dir) != 0 ||
	    done();
}
