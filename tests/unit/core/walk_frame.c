/* Views of a walk: base64, frames among the steps, errors. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/json.h"
#include "need.h"
#include "tap.h"
#include "core/walk_line.h"
#include "core/walk_io.h"

static char dir[] = "/tmp/cscg-frame.XXXXXX", file[64];

static char *
put(const char *text)
{
	FILE *f = fopen(file, "w");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		perror(file);
	return file;
}

/* The test vectors of RFC 4648, section 10. */
static void
test_base64(void)
{
	static const char *const plain = "foobar",
				 *const coded[] = {
					 "",
					 "Zg==",
					 "Zm8=",
					 "Zm9v",
					 "Zm9vYg==",
					 "Zm9vYmE=",
					 "Zm9vYmFy",
				 };
	static const struct {
		const char *text;
		size_t fault;
	} bad[] = {
		{ "Zm9", 3 },
		{ "Zm9v Zg=", 4 },
		{ "Zm9vY-==", 5 },
		{ "Zg==Zg==", 2 },
		{ "Zh==", 1 },
		{ "Zm9=", 2 },
		{ "Z===", 1 },
		{ "====", 0 },
		{ "=m9v", 0 },
		{ "Zm\n9", 2 },
		{ "Zm9\xff", 3 },
	};
	unsigned char all[256], back[258];
	char buf[400];
	size_t n, i, fault;
	bool good = true;

	for (n = 0; n <= 6; n++) {
		memset(buf, 0, sizeof buf);
		cscg_base64_encode(plain, n, buf);
		good &= !strcmp(buf, coded[n]) &&
		    cscg_base64_length(n) == strlen(coded[n]) &&
		    cscg_base64_decode(coded[n], strlen(coded[n]), back,
			NULL) == (long)n &&
		    !memcmp(back, plain, n);
	}
	ok(good, "test vectors of RFC 4648 are encoded and decoded");
	for (i = 0; i < 256; i++)
		all[i] = (unsigned char)(i * 167);
	cscg_base64_encode(all, 256, buf);
	ok(cscg_base64_decode(buf, cscg_base64_length(256), back, NULL) ==
		    256 &&
		!memcmp(all, back, 256),
	    "all byte values are encoded and decoded");
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(cscg_base64_decode(bad[i].text, strlen(bad[i].text), back,
		       &fault) == -1 &&
			fault == bad[i].fault,
		    "invalid base64 %zu is refused at position %zu", i,
		    bad[i].fault);
}

#define HEAD(more) \
	"{\"format\":\"cscg-walk\",\"version\":1," \
	"\"n_actions\":2,\"n_obs\":3," more "\"history\":[]}\n"
#define FRAME "\"frame\":[1,2,3],"
/* Pixels (0,0,0) (0,0,1) and so on: AAAAAAAB is 0 0 0 0 0 1. */
#define VIEW(id, rgb) "{\"views\":[{\"id\":" id ",\"rgb\":\"" rgb "\"}]}\n"
#define STEPS(v) \
	"{\"episode\":0,\"x\":[0,1],\"a\":[1],\"v\":" v ",\"last\":true}\n"
#define END "{\"end\":true,\"episodes\":1,\"steps\":2}\n"

/* Arguments of the calls of the frame function. */
struct told {
	int n, view[8];
	unsigned char last[8]; /* byte of each frame */
	int stop;              /* fail at this call */
};

static int
tell(void *ctx, int view, const unsigned char *rgb, struct cscg_err *e)
{
	struct told *t = ctx;

	if (++t->n == t->stop)
		return cscg_fail(e, CSCG_ERANGE, "enough");
	t->view[t->n - 1] = view;
	t->last[t->n - 1] = rgb[5];
	return 0;
}

/* Read all steps of the file; returns the number of views minus one. */
static int
read_views(struct told *t, int first, int *v)
{
	struct cscg_walk_reader *r = need(cscg_walk_reader_open(file, &err));
	struct cscg_step s;
	int n = 0, rc;

	cscg_walk_reader_on_frame(r, first, tell, t);
	while ((rc = cscg_walk_reader_next(r, &s, &err)) > 0)
		v[n++] = s.view - 1;
	first = cscg_walk_reader_next_view(r);
	cscg_walk_reader_close(r);
	return rc < 0 ? -1 : first;
}

static void
test_read(void)
{
	struct told t = { 0 };
	struct cscg_walk *w;
	char *name = file;
	int v[8] = { 0 };

	put(HEAD(FRAME) VIEW("7", "AAAAAAAB") VIEW("3", "AAAAAAAC")
		STEPS("[7,null]") END);
	ok(read_views(&t, 0, v) == 8 && t.n == 2 && t.view[0] == 7 &&
		t.view[1] == 3 && t.last[0] == 1 && t.last[1] == 2 &&
		v[0] == 7 && v[1] == -1,
	    "frames arrive before the steps that refer to them");
	memset(&t, 0, sizeof t);
	put(HEAD(FRAME) "{ \"views\": [{\"rgb\":\"AAAAAAAB\",\"id\":0},"
			"{\"id\":1,\"rgb\":\"AAAA\\u0041AAC\"}]}\n{\"views\":["
			"]}\n" STEPS("[1, 0]") END);
	ok(read_views(&t, 0, v) == 2 && t.n == 2 && t.last[1] == 2 &&
		v[0] == 1 && v[1] == 0,
	    "frames are read from JSON with other white space");
	memset(&t, 0, sizeof t);
	put(HEAD(FRAME) VIEW("4", "AAAAAAAB") STEPS("[4,4]") END HEAD(FRAME)
		VIEW("4", "AAAAAAAD") STEPS("[4,null]") END);
	ok(read_views(&t, 10, v) == 20 && t.n == 2 && t.view[0] == 14 &&
		t.view[1] == 19 && v[0] == 14 && v[2] == 19,
	    "views of a further walk are numbered after those of the first");
	w = need(cscg_walk_read(&name, 1, &err));
	ok(!w->view && !w->head.frame[0] && w->n_steps == 4,
	    "a walk read without its frames has no views");
	cscg_walk_free(w);
	memset(&t, 0, sizeof t);
	t.stop = 1;
	ok(read_views(&t, 0, v) < 0 && strstr(err.msg, "line 2: enough"),
	    "an error of the frame function ends reading");
	memset(&t, 0, sizeof t);
	put(HEAD("") STEPS("[99999999,5]") END HEAD("") STEPS("[5,6]") END);
	ok(read_views(&t, 10, v) == 10 && t.n == 0 && v[0] == 99999999 &&
		v[2] == 5,
	    "views without frames keep their numbers");
	w = need(cscg_walk_read(&name, 1, &err));
	ok(w->view && w->view[0] == 100000000 && w->view[3] == 7,
	    "views without frames stay in the walk");
	cscg_walk_free(w);
}

static void
test_write(void)
{
	struct cscg_walk_header head = {
		.n_actions = 2, .n_obs = 2, .frame = { 2, 1 }, .n_priors = 2
	};
	static double priors[] = { 0.25, 0.75 };
	static const unsigned char rgb[] = { 0, 0, 0, 255, 0, 3 };
	struct cscg_step s = { .a = 1, .z = -1, .goal = -1, .r = NAN };
	struct cscg_walk_writer *w;
	struct cscg_out *out = need(cscg_out_open(file, 0, &err));
	struct cscg_walk_reader *r;
	struct told t = { 0 };
	char buf[1000];
	size_t n;
	FILE *f;

	head.priors = priors;
	w = need(cscg_walk_writer_new(out, &head, &err));
	s.view = 6;
	ok(cscg_walk_write_step(w, &s, &err) < 0 && err.code == CSCG_EBUG,
	    "a step with a view before its frame is refused");
	ok(cscg_walk_write_frame(w, 5, rgb, &err) == 0 &&
		cscg_walk_write_step(w, &s, &err) == 0,
	    "a step with a view after its frame is written");
	ok(cscg_walk_write_frame(w, 5, rgb, &err) < 0 && err.code == CSCG_EBUG,
	    "a frame that is written twice is refused");
	ok(cscg_walk_write_frame(w, CSCG_VIEW_MAX, rgb, &err) < 0 &&
		err.code == CSCG_EBUG &&
		cscg_walk_write_frame(w, -1, rgb, &err) < 0 &&
		err.code == CSCG_EBUG,
	    "a view number out of range is refused");
	s.view = 0;
	s.a = -1;
	cscg_walk_write_step(w, &s, &err);
	cscg_walk_writer_finish(w, &err);
	cscg_walk_writer_free(w);
	cscg_out_close(out, &err);
	f = fopen(file, "r");
	n = fread(buf, 1, sizeof buf - 1, f);
	buf[n] = '\0';
	fclose(f);
	/* 0 0 0, 255 0 3: 000000 x4, 111111 110000 000000 000011. */
	ok(!strcmp(buf,
	       "{\"format\":\"cscg-walk\",\"version\":1,"
	       "\"n_actions\":2,\"n_obs\":2,\"frame\":[2,1,3],"
	       "\"priors\":[0.25,0.75],\"history\":[]}\n"
	       "{\"views\":[{\"id\":5,\"rgb\":\"AAAA/wAD\"}]}\n"
	       "{\"episode\":0,\"x\":[0,0],\"a\":[1],\"v\":[5,null],"
	       "\"last\":true}\n" END),
	    "frames are written as in cscg-walk(5)");
	r = need(cscg_walk_reader_open(file, &err));
	cscg_walk_reader_on_frame(r, 0, tell, &t);
	ok(cscg_walk_reader_header(r)->frame[0] == 2 &&
		cscg_walk_reader_header(r)->frame[1] == 1 &&
		cscg_walk_reader_header(r)->n_priors == 2 &&
		cscg_walk_reader_header(r)->priors[1] == 0.75 &&
		cscg_walk_reader_next(r, &s, &err) == 1 && s.view == 6 &&
		t.n == 1 && t.last[0] == 3,
	    "frames are read back");
	cscg_walk_reader_close(r);
}

static const struct {
	const char *text, *msg;
	enum cscg_code code;
} faults[] = {
	{ HEAD("\"frame\":[0,2,3],"), "line 1: /frame/0: 0 is outside 1..4096",
	    CSCG_ERANGE },
	{ HEAD("\"frame\":[1,5000,3],"),
	    "line 1: /frame/1: 5000 is outside 1..4096", CSCG_ERANGE },
	{ HEAD("\"frame\":[1,2,4],"),
	    "line 1: /frame/2: 4 channels, but only 3 (red, green, blue) are "
	    "read",
	    CSCG_ERANGE },
	{ HEAD("\"frame\":[1,2],"), "line 1: /frame: has 2 items, not 3",
	    CSCG_EFORMAT },
	{ HEAD("\"frame\":[1,2.5,3],"),
	    "line 1: /frame/1: 2.5 is not an integer", CSCG_EFORMAT },
	{ HEAD("\"priors\":[0.5,0.5],"), "line 1: /priors: has 2 items, not 3",
	    CSCG_EFORMAT },
	{ HEAD("\"priors\":[0.5,0.5,0.5],"),
	    "line 1: /priors: sums to 1.5, not 1", CSCG_ERANGE },
	{ HEAD("\"priors\":[1.5,0,-0.5],"),
	    "line 1: /priors/0: 1.5 is outside 0..1", CSCG_ERANGE },
	{ HEAD("") VIEW("7", "AAAAAAAB"),
	    "line 2: /views: the header has no frame", CSCG_EFORMAT },
	{ HEAD(FRAME) VIEW("7", "AAAAAAA"),
	    "line 2: /views/0/rgb: 7 characters, but a frame of 1 x 2 pixels "
	    "has 8",
	    CSCG_EFORMAT },
	{ HEAD(FRAME) VIEW("7", "AAAAAAABAAAA"),
	    "line 2: /views/0/rgb: 12 characters, but a frame of 1 x 2 pixels "
	    "has 8",
	    CSCG_EFORMAT },
	{ HEAD(FRAME) VIEW("7", "AAAAAAA="),
	    "line 2: /views/0/rgb: 5 bytes, but a frame of 1 x 2 pixels has 6",
	    CSCG_EFORMAT },
	{ HEAD(FRAME) VIEW("7", "AAA-AAAA"),
	    "line 2: /views/0/rgb: character 3 is not base64", CSCG_EFORMAT },
	{ HEAD(FRAME) VIEW("-1", "AAAAAAAA"),
	    "line 2: /views/0: /id: -1 is outside 0..99999999", CSCG_ERANGE },
	{ HEAD(FRAME) VIEW("100000000", "AAAAAAAA"),
	    "line 2: /views/0: /id: 100000000 is outside 0..99999999",
	    CSCG_ERANGE },
	{ HEAD(FRAME) VIEW("07", "AAAAAAAA"),
	    "line 2: invalid JSON: column 17: invalid token near '0'",
	    CSCG_EFORMAT },
	{ HEAD(FRAME) VIEW("", "AAAAAAAA"),
	    "line 2: invalid JSON: column 17: unexpected token near ','",
	    CSCG_EFORMAT },
	{ HEAD(FRAME) VIEW("1:2", "AAAAAAAA"),
	    "line 2: invalid JSON: column 18: '}' expected near ':'",
	    CSCG_EFORMAT },
	{ HEAD(FRAME) VIEW("7.5", "AAAAAAAA"),
	    "line 2: /views/0: /id: 7.5 is not an integer", CSCG_EFORMAT },
	{ HEAD(FRAME) VIEW("7", "AAAAAAAA") VIEW("7", "AAAAAAAB"),
	    "line 3: /views: view 7 is defined twice", CSCG_EFORMAT },
	{ HEAD(FRAME) "{\"views\":[{\"id\":7}]}\n",
	    "line 2: /views/0/rgb: missing", CSCG_EFORMAT },
	{ HEAD(FRAME) "{\"views\":[{\"id\":7,\"rgb\":[0,0,0]}]}\n",
	    "line 2: /views/0/rgb: not a string", CSCG_EFORMAT },
	{ HEAD(FRAME) "{\"views\":[7]}\n", "line 2: /views/0: not an object",
	    CSCG_EFORMAT },
	{ HEAD(FRAME) "{\"views\":7}\n",
	    "line 2: /views: an integer is not an array", CSCG_EFORMAT },
	{ HEAD(FRAME) "{\"views\":[{\"id\":7,\"png\":\"\"}]}\n",
	    "line 2: /views/0: /png: unknown key", CSCG_EFORMAT },
	{ HEAD(FRAME) "{\"views\":[],\"episode\":0}\n",
	    "line 2: /episode: unknown key", CSCG_EFORMAT },
	{ HEAD(FRAME) VIEW("7", "AAAAAAAA") STEPS("[7,8]"),
	    "line 3: /v/1: view 8 has not been defined", CSCG_EFORMAT },
	{ HEAD(FRAME) STEPS("[ 7,8]"),
	    "line 2: /v/0: view 7 has not been defined", CSCG_EFORMAT },
	{ HEAD("") STEPS("[7]"), "line 2: /v: 1 items, but /x has 2",
	    CSCG_EFORMAT },
	{ HEAD("") STEPS("[7,-8]"),
	    "line 2: /v/1: view -8 is outside 0..99999999", CSCG_ERANGE },
	{ HEAD("") STEPS("[7,1.5]"), "line 2: /v/1: view is not an integer",
	    CSCG_EFORMAT },
	{ HEAD(FRAME) VIEW("7", "AAAAAAAB") STEPS("[7,7]") END HEAD(FRAME)
		STEPS("[7,7]"),
	    "line 6: /v/0: view 7 has not been defined", CSCG_EFORMAT },
	{ HEAD(FRAME) VIEW("7", "AAAAAAAB") STEPS("[7,7]") END HEAD("") END,
	    "line 5: /frame: 0 x 0 pixels, but the walk before has 1 x 2 (0: "
	    "none)",
	    CSCG_EMISMATCH },
};

static void
test_faults(void)
{
	struct cscg_walk *w;
	char want[300], *name = file;
	size_t i;

	for (i = 0; i < sizeof faults / sizeof *faults; i++) {
		put(faults[i].text);
		w = cscg_walk_read(&name, 1, &err);
		snprintf(want, sizeof want, "'%s': %s", file, faults[i].msg);
		if (!ok(!w && err.code == faults[i].code &&
			    !strcmp(err.msg, want),
			"refused: %s", faults[i].msg))
			printf("# %d %s\n", err.code, w ? "read" : err.msg);
		cscg_walk_free(w);
	}
}

/*
 * The short way of reading a view takes the lines that we write, and leaves all
 * others to the JSON parser.
 */
static void
test_fast(void)
{
	static const struct {
		const char *id, *rgb;
		int taken;
	} is[] = {
		{ "0", "AAECAwQF", 1 },
		{ "9", "AAECAwQF", 1 },
		{ "19", "AAECAwQF", 1 },
		{ "1234567890", "AAECAwQF", 0 },
		{ "99999999", "AAECAwQF", 1 },
		{ "100000000", "AAECAwQF", 0 },
		{ "01", "AAECAwQF", 0 },
		{ "-1", "AAECAwQF", 0 },
		{ "", "AAECAwQF", 0 },
		{ ":", "AAECAwQF", 0 },
		{ "1/", "AAECAwQF", 0 },
		{ "1", "AAECAwQ", 0 },
		{ "1", "AAECAwQFA", 0 },
		{ "1", "AAECAwQ=", 0 },
		{ "1", "AAEC*wQF", 0 },
	};
	static const unsigned char want[6] = { 0, 1, 2, 3, 4, 5 };
	unsigned char rgb[6];
	char text[128];
	int n, view, taken;
	size_t i;

	for (i = 0; i < sizeof is / sizeof *is; i++) {
		n = snprintf(text, sizeof text,
		    "{\"views\":[{\"id\":%s,\"rgb\":\"%s\"}]}", is[i].id,
		    is[i].rgb);
		memset(rgb, 9, sizeof rgb);
		view = -1;
		taken = cscg_walk_frame_parse_fast(text, (size_t)n, 6, &view,
		    rgb);
		ok(taken == is[i].taken &&
			(!taken ||
			    (view == atoi(is[i].id) && !memcmp(rgb, want, 6))),
		    "%s: %s", text, is[i].taken ? "taken" : "left");
		ok(!cscg_walk_frame_parse_fast(text, (size_t)n, 0, &view, rgb),
		    "a view is never parsed fast without a frame size");
	}
}

int
main(void)
{
	if (!mkdtemp(dir))
		return 1;
	snprintf(file, sizeof file, "%s/f", dir);
	test_base64();
	test_read();
	test_write();
	test_faults();
	test_fast();
	unlink(file);
	rmdir(dir);
	return done();
}
