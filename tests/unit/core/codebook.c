/*
 * Codebooks as JSON and .npy, and frames that the states of a model emit: written,
 * read again, and refused.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/codebook.h"
#include "io/npy.h"
#include "core/model.h"
#include "need.h"
#include "tap.h"

static char dir[] = "/tmp/cscg-book.XXXXXX", file[64];

static void
put(const char *text, size_t n)
{
	FILE *f = fopen(file, "w");

	if (!f || fwrite(text, 1, n, f) != n || fclose(f) != 0)
		perror(file);
}

static struct cscg_codebook *
example(bool is_byte)
{
	static const long shape[] = { 1, 2 };
	struct cscg_frames *f = need(cscg_frames_new(CSCG_PIXEL_BYTE, 2, shape,
	    &err));
	struct cscg_codebook *b = need(cscg_codebook_new(f, 2, &err));

	b->is_byte = is_byte;
	b->centroid[0] = 1;
	b->centroid[1] = is_byte ? 255 : -1.0 / 3;
	b->centroid[2] = 0.5 + 0x1p-16;
	b->prior[0] = 0.25;
	b->prior[1] = 0.75;
	b->count[0] = 1;
	b->count[1] = 3;
	b->sigma2 = 0.125;
	b->inertia = 1;
	cscg_frames_free(f);
	return b;
}

static void
write_book(const struct cscg_codebook *b)
{
	struct cscg_out *out = need(cscg_out_open(file, 0, &err));

	if (cscg_codebook_write(b, out, &err) < 0 ||
	    cscg_out_close(out, &err) < 0)
		need(NULL);
}

static bool
same(const struct cscg_codebook *a, const struct cscg_codebook *b)
{
	return a->k == b->k && a->ndim == b->ndim && a->dim == b->dim &&
	    !memcmp(a->shape, b->shape, sizeof a->shape) &&
	    a->is_byte == b->is_byte && a->is_mixture == b->is_mixture &&
	    a->sigma2 == b->sigma2 && a->inertia == b->inertia &&
	    !memcmp(a->centroid, b->centroid, 4 * sizeof *a->centroid) &&
	    !memcmp(a->prior, b->prior, 2 * sizeof *a->prior) &&
	    !memcmp(a->count, b->count, 2 * sizeof *a->count);
}

/*
 * 1, 255, 0.5 + 2^-16, 0 as little-endian floats: 00 00 80 3f, 00 00 7f 43,
 * 00 01 00 3f, 00 00 00 00 (0.5 is 3f000000, and 2^-16 is 256 of its last
 * digit); the base64 is by hand from these.
 */
#define CENTROIDS "AACAPwAAf0MAAQA/AAAAAA=="
#define TEXT(k, shape, rest, centroids) \
	"{\"format\":\"cscg-codebook\"," \
	"\"version\":1,\"k\":" k ",\"shape\":" shape "," rest \
	"\"centroids\":\"" centroids "\",\"history\":[]}\n"
#define REST \
	"\"pixels\":\"byte\",\"kind\":\"kmeans\",\"sigma2\":0.125," \
	"\"inertia\":1.0,\"priors\":[0.25,0.75],\"counts\":[1,3],"
#define GOOD TEXT("2", "[1,2]", REST, CENTROIDS)

static void
test_round(void)
{
	struct cscg_codebook *a = example(true), *b;
	char buf[1000];
	size_t n;
	FILE *f;

	write_book(a);
	f = fopen(file, "r");
	n = fread(buf, 1, sizeof buf - 1, f);
	fclose(f);
	buf[n] = '\0';
	ok(!strcmp(buf, GOOD), "a codebook is written as in cscg-codebook(5)");
	b = need(cscg_codebook_read_file(file, &err));
	ok(same(a, b), "centroids in bytes are read back");
	cscg_codebook_free(a);
	cscg_codebook_free(b);
	a = example(false);
	a->is_mixture = true;
	write_book(a);
	b = need(cscg_codebook_read_file(file, &err));
	ok(same(a, b) && b->centroid[1] == -1.0 / 3,
	    "centroids in reals are read back");
	ok(cscg_codebook_check_shape(b, 2, (long[]){ 1, 2 }, &err) == 0 &&
		cscg_codebook_check_shape(b, 1, (long[]){ 2 }, &err) < 0 &&
		err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg,
		    "frames of 2 numbers, but the codebook is for 1 x 2"),
	    "frames of another shape are refused");
	cscg_codebook_free(a);
	cscg_codebook_free(b);
}

static void
test_npy(void)
{
	struct cscg_codebook *b = example(true);
	struct cscg_out *out = need(cscg_out_open(file, 0, &err));
	struct cscg_npy a = { 0 };
	struct cscg_in *in;

	cscg_codebook_write_npy(b, out, &err);
	cscg_out_close(out, &err);
	in = need(cscg_in_open(file, &err));
	ok(cscg_npy_read(in, &a, &err) == 0 && a.ndim == 3 &&
		a.shape[0] == 2 && a.shape[1] == 1 && a.shape[2] == 2 &&
		!memcmp(a.data, b->centroid, 4 * sizeof *a.data),
	    "centroids are written as .npy");
	cscg_npy_free(&a);
	cscg_in_close(in);
	cscg_codebook_free(b);
}

static const struct {
	const char *text, *msg;
	enum cscg_code code;
} faults[] = {
	{ "", "unexpected end: no cscg-codebook", CSCG_ECUT },
	{ "{\"format\":\"cscg-walk\",\"version\":1}\n",
	    "line 1: this is a cscg-walk file, not a cscg-codebook",
	    CSCG_EFORMAT },
	{ GOOD GOOD, "line 2: more than one codebook", CSCG_EFORMAT },
	{ TEXT("0", "[1,2]", REST, CENTROIDS),
	    "line 1: /k: 0 is outside 1..10000000", CSCG_ERANGE },
	{ TEXT("9999999", "[9999,9999]", REST, CENTROIDS),
	    "line 1: /centroids: 24 characters are too few for 9999999 "
	    "centroids of 99980001 numbers",
	    CSCG_EFORMAT },
	{ TEXT("2", "[1,99999,99999]", REST, CENTROIDS),
	    "line 1: /shape: more than 100000000 numbers", CSCG_ERANGE },
	{ TEXT("2", "[1,1,1,2]", REST, CENTROIDS),
	    "line 1: /shape: more than 3 dimensions", CSCG_ERANGE },
	{ TEXT("2", "[1,0]", REST, CENTROIDS),
	    "line 1: /shape/1: 0 is outside 1..100000000", CSCG_ERANGE },
	{ TEXT("1", "[1,2]", REST, CENTROIDS),
	    "line 1: /priors: has 2 items, not 1", CSCG_EFORMAT },
	{ TEXT("2", "[1,2]", REST, "AACAPwAAf0MAAQA/AAA="),
	    "line 1: /centroids: 20 characters, but 4 numbers of 4 bytes have "
	    "24",
	    CSCG_EFORMAT },
	{ TEXT("2", "[1,2]", REST, "AACAPwAAf0MAAQA/AAA*AA=="),
	    "line 1: /centroids: character 19 is not base64", CSCG_EFORMAT },
	{ TEXT("2", "[1,2]", REST, "AACAPwAAf0MAAQA/AAAAAAA="),
	    "line 1: /centroids: 17 bytes, but 4 numbers of 4 bytes have 16",
	    CSCG_EFORMAT },
	/* 256 is 00 00 80 43, NaN 00 00 c0 7f. */
	{ TEXT("2", "[1,2]", REST, "AACAQwAAf0MAAQA/AAAAAA=="),
	    "line 1: centroid 0: number 0 is 256, which is not a multiple of "
	    "2^-16 in 0..255",
	    CSCG_ERANGE },
	{ TEXT("2", "[1,2]", REST, "AADAfwAAf0MAAQA/AAAAAA=="),
	    "line 1: centroid 0: number 0 is not finite", CSCG_ERANGE },
	{ TEXT("2", "[1,2]", "\"pixels\":\"int\",", CENTROIDS),
	    "line 1: /pixels: 'int' is not one of byte, real", CSCG_EFORMAT },
	{ TEXT("2", "[1,2]", "\"pixels\":\"byte\",\"kind\":\"x\",", CENTROIDS),
	    "line 1: /kind: 'x' is not one of kmeans, mixture", CSCG_EFORMAT },
	{ TEXT("2", "[1,2]",
	      "\"pixels\":\"byte\",\"kind\":\"kmeans\","
	      "\"sigma2\":-1,",
	      CENTROIDS),
	    "line 1: /sigma2: -1 is below 0", CSCG_ERANGE },
	{ TEXT("2", "[1,2]",
	      "\"pixels\":\"byte\",\"kind\":\"kmeans\","
	      "\"sigma2\":1,\"inertia\":1,\"priors\":[0.5,0.75],"
	      "\"counts\":[1,3],",
	      CENTROIDS),
	    "line 1: priors sum to 1.25, not 1", CSCG_ERANGE },
	{ "{\"format\":\"cscg-codebook\",\"version\":1,\"k\":2,\"shape\":[2]}"
	  "\n",
	    "line 1: /centroids: missing", CSCG_EFORMAT },
	{ "{\"format\":\"cscg-codebook\",\"version\":1,\"K\":2}\n",
	    "line 1: /K: unknown key", CSCG_EFORMAT },
};

static void
test_faults(void)
{
	struct cscg_codebook *b;
	char want[300];
	size_t i;

	for (i = 0; i < sizeof faults / sizeof *faults; i++) {
		put(faults[i].text, strlen(faults[i].text));
		b = cscg_codebook_read_file(file, &err);
		snprintf(want, sizeof want, "'%s': %s", file, faults[i].msg);
		if (!ok(!b && err.code == faults[i].code &&
			    !strcmp(err.msg, want),
			"refused: %s", faults[i].msg))
			printf("# %d %s\n", err.code, b ? "read" : err.msg);
		cscg_codebook_free(b);
	}
}

/* ---- Gaussian emissions ---- */

enum { STATES = 3 };

/* Three states of two groups: 0 0 1. */
static struct cscg_model *
make_model(enum cscg_model_kind kind)
{
	struct cscg_model *m = need(cscg_model_new(kind, STATES, 1, 2, &err));
	int j;

	for (j = 0; m->clone && j < STATES; j++)
		m->clone[j] = j == 2;
	return m;
}

static void
test_emission(void)
{
	static const long shape[] = { 2, 3 };
	struct cscg_frame_emission *a = need(cscg_frame_emission_new(2, 2,
				       shape, &err)),
				   *b;
	struct cscg_model *m = make_model(CSCG_GROUNDED);
	int unit[STATES], i, zero = 1;

	for (i = 0; i < 12; i++)
		zero &= a->mu[i] == 0;
	ok(a->n == 2 && a->ndim == 2 && a->shape[0] == 2 && a->shape[1] == 3 &&
		a->dim == 6 && a->sigma2 == 1 && zero,
	    "new emissions have centroids 0 and variance 1");
	a->mu[11] = 5;
	a->sigma2 = 2;
	b = need(cscg_frame_emission_copy(a, &err));
	ok(b->n == 2 && b->ndim == 2 && b->shape[1] == 3 && b->dim == 6 &&
		b->sigma2 == 2 && b->mu[11] == 5 && b->mu != a->mu,
	    "a copy has the same centroids, in memory of its own");
	ok(cscg_frame_emission_units(m, false, unit) == 3 && unit[0] == 0 &&
		unit[1] == 1 && unit[2] == 2,
	    "free: one centroid for each state");
	ok(cscg_frame_emission_units(m, true, unit) == 2 && unit[0] == 0 &&
		unit[1] == 0 && unit[2] == 1,
	    "tied: one centroid for each group of clones");
	cscg_frame_emission_free(a);
	cscg_frame_emission_free(b);
	cscg_model_free(m);
}

/* What the check says of n centroids of two numbers, one of them changed. */
static const char *
checks(enum cscg_model_kind kind, int n, double sigma2, int at, double v)
{
	static const long shape[] = { 2 };
	struct cscg_model *m = make_model(kind);

	m->frame_emission = need(cscg_frame_emission_new(n, 1, shape, &err));
	m->frame_emission->sigma2 = sigma2;
	m->frame_emission->mu[at] = v;
	err = (struct cscg_err){ 0 };
	if (cscg_frame_emission_check(m, &err) == 0)
		strcpy(err.msg, "good");
	cscg_model_free(m);
	return err.msg;
}

static void
test_emission_check(void)
{
	const char *sigma = "/gaussian/sigma2: must be finite and above 0";

	same_text(checks(CSCG_GROUNDED, 3, 1, 0, 7), "good",
	    "a centroid for each state is valid");
	same_text(checks(CSCG_GROUNDED, 2, 1e-300, 3, -7), "good",
	    "a centroid for each group is valid");
	same_text(checks(CSCG_SCHEMA, 3, 1, 0, 0),
	    "/gaussian: only a grounded model has these emissions, this is a "
	    "schema",
	    "Gaussian emissions of a schema are refused");
	same_text(checks(CSCG_GROUNDED, 1, 1, 0, 0),
	    "/gaussian/n: 1 centroids, but there are 3 states and 2 groups of "
	    "them",
	    "another number of centroids is refused");
	same_text(checks(CSCG_GROUNDED, 3, 0, 0, 0), sigma,
	    "variance 0 is refused");
	same_text(checks(CSCG_GROUNDED, 3, -1, 0, 0), sigma,
	    "a negative variance is refused");
	same_text(checks(CSCG_GROUNDED, 3, INFINITY, 0, 0), sigma,
	    "an infinite variance is refused");
	same_text(checks(CSCG_GROUNDED, 3, NAN, 0, 0), sigma,
	    "variance NaN is refused");
	same_text(checks(CSCG_GROUNDED, 3, 1, 0, NAN),
	    "/gaussian/centroids: number 0 is not finite",
	    "NaN as the first number is refused");
	same_text(checks(CSCG_GROUNDED, 3, 1, 5, INFINITY),
	    "/gaussian/centroids: number 5 is not finite",
	    "infinity as the last number is refused");
}

/* What reading the emissions from the text of an object says. */
static const char *
reads(const char *text)
{
	struct cscg_model *m = make_model(CSCG_GROUNDED);
	json_t *obj = need(json_loads(text, 0, NULL));

	err = (struct cscg_err){ 0 };
	if (cscg_frame_emission_from_json(obj, m, &err) == 0)
		strcpy(err.msg,
		    !m->frame_emission ? "without emissions" :
			m->frame_emission->mu[0] == 3 &&
			    m->frame_emission->sigma2 == 2 ?
					 "read" :
					 "read wrongly");
	json_decref(obj);
	cscg_model_free(m);
	return err.msg;
}

static void
test_emission_json(void)
{
	static const struct {
		const char *text, *say;
	} is[] = {
		{ "{\"n\":1,\"shape\":[1],\"sigma2\":2,\"centroids\":\"AABAQA="
		  "=\"}",
		    "read" },
		/* 3 as a little-endian single is 00 00 40 40. */
		{ "7", "/gaussian: must be an object" },
		{ "{\"m\":1}", "/gaussian/m: unknown key" },
		{ "{\"n\":0,\"shape\":[1],\"sigma2\":2,\"centroids\":\"\"}",
		    "/gaussian/n: 0 is outside 1.." },
		{ "{\"n\":1,\"shape\":1,\"sigma2\":2,\"centroids\":\"AABAQA=="
		  "\"}",
		    "/gaussian/shape: an integer is not an array" },
		{ "{\"n\":1,\"shape\":[0],\"sigma2\":2,\"centroids\":\"\"}",
		    "/gaussian/shape/0: " },
		{ "{\"n\":1,\"shape\":[1,1,1,1,1,1,1,1,1],\"sigma2\":2,"
		  "\"centroids\":\"AABAQA==\"}",
		    "/gaussian/shape: more than " },
		{ "{\"n\":1,\"shape\":[1],\"sigma2\":-1,\"centroids\":"
		  "\"AABAQA==\"}",
		    "/gaussian/sigma2: " },
		{ "{\"n\":1,\"shape\":[1],\"sigma2\":1,\"centroids\":\"AABA*A="
		  "=\"}",
		    "/gaussian/centroids" },
		{ "{\"n\":2,\"shape\":[1],\"sigma2\":1,\"centroids\":\"AABAQA="
		  "=\"}",
		    "/gaussian/centroids" },
	};
	char text[256];
	size_t i;

	for (i = 0; i < sizeof is / sizeof *is; i++) {
		snprintf(text, sizeof text, "{\"gaussian\":%s}", is[i].text);
		if (!ok(!strncmp(reads(text), is[i].say, strlen(is[i].say)),
			"emissions: %s", is[i].text))
			printf("# got: %s\n", err.msg);
	}
	same_text(reads("{}"), "without emissions",
	    "a model may lack Gaussian emissions");
	snprintf(text, sizeof text, "{\"looks\":%s,\"gaussian\":%s}",
	    is[0].text, is[0].text);
	same_text(reads(text),
	    "/looks: the old name of gaussian, which is present as well",
	    "gaussian and its old name together are refused");
	snprintf(text, sizeof text, "{\"looks\":%s}", is[0].text);
	same_text(reads(text), "read", "the old name of gaussian is read");
}

int
main(void)
{
	if (!mkdtemp(dir))
		return 1;
	snprintf(file, sizeof file, "%s/f", dir);
	test_round();
	test_npy();
	test_faults();
	test_emission();
	test_emission_check();
	test_emission_json();
	unlink(file);
	rmdir(dir);
	return done();
}
