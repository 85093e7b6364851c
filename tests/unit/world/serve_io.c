/* serve_io - lines of the live protocol: the fast reader and Jansson agree */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "world/serve.h"
#include "need.h"
#include "base/rng.h"
#include "tap.h"

static struct cscg_env_header head = { .head = { .n_actions = 3, .n_obs = 50 },
	.collect = -1 };

static bool
alike(const struct cscg_env_obs *a, const struct cscg_env_obs *b)
{
	return a->x == b->x && a->goal == b->goal && a->z == b->z &&
	    a->reward == b->reward && a->episode == b->episode &&
	    a->done == b->done && a->reset == b->reset &&
	    (a->distance == b->distance ||
		(isnan(a->distance) && isnan(b->distance)));
}

/*
 * The same line with an x that only Jansson parses, which shows that the fast
 * reader was not used.
 */
static void
respell(const char *line, char *out)
{
	const char *x = strstr(line, "\"x\"");

	sprintf(out, "%.*s\"\\u0078\"%s", (int)(x - line), line, x + 3);
}

static void
random_obs(struct cscg_rng *rng, struct cscg_env_obs *obs)
{
	static const double number[] = { 0, 1, -1, .5, -0.25, .1, 1e-7,
		123.456, 1e300, -3e-300, 99999999, 1e15, .30000000000000004 };
	long n = sizeof number / sizeof *number;

	obs->x = (int)cscg_rng_below(rng, 51) - 1;
	obs->goal = (int)cscg_rng_below(rng, 51) - 1;
	obs->z = (int)cscg_rng_below(rng, 3) * 4999999 - 1;
	obs->reward = number[cscg_rng_below(rng, n)];
	obs->distance = fabs(number[cscg_rng_below(rng, n)]);
	if (cscg_rng_below(rng, 2))
		obs->distance = NAN;
	obs->episode = cscg_rng_below(rng, 2) ?
	    -1 :
	    cscg_rng_below(rng, 2000000000);
	obs->done = cscg_rng_below(rng, 2);
	obs->reset = cscg_rng_below(rng, 2);
}

static void
test_obs(void)
{
	char text[CSCG_ENV_OBS_SIZE], again[CSCG_ENV_OBS_SIZE + 8];
	struct cscg_env_obs obs, a, b;
	int i, bad = 0;
	struct cscg_rng rng;
	size_t n;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 0);
	for (i = 0; i < 20000; i++) {
		random_obs(&rng, &obs);
		n = cscg_env_obs_format(&obs, text);
		respell(text, again);
		bad += n != strlen(text) ||
		    cscg_env_obs_parse(text, n, &head, &a, &err) < 0 ||
		    !alike(&a, &obs) ||
		    cscg_env_obs_parse(again, strlen(again), &head, &b, &err) <
			0 ||
		    !alike(&b, &obs);
	}
	ok(!bad, "20000 observations are read as they were written (%d not)",
	    bad);
	/* The longest of all fits. */
	obs = (struct cscg_env_obs){ 9999999, 9999999, 9999999,
		-1.7976931348623157e308, 1.7976931348623157e308, 2147483647,
		false, true };
	ok(cscg_env_obs_format(&obs, text) < CSCG_ENV_OBS_SIZE,
	    "the longest observation fits");
	ok(cscg_env_obs_format(&(struct cscg_env_obs){ 5, 3, -1, 0, NAN, 0,
				   false, false },
	       text) &&
		!strcmp(text,
		    "{\"x\":5,\"goal\":3,\"reward\":0,"
		    "\"episode\":0,\"done\":false}"),
	    "an observation is written as in cscg-env(5)");
}

/* Randomly mutated lines, which both readers must accept or refuse alike. */
static void
test_broken(void)
{
	static const char junk[] = "{}[]\",:0123456789.eE+-xnult \\";
	char text[CSCG_ENV_OBS_SIZE], again[CSCG_ENV_OBS_SIZE + 8];
	int i, differ = 0, good = 0, p, q;
	struct cscg_env_obs obs, a, b;
	struct cscg_rng rng;
	size_t n, at;

	cscg_rng_seed(&rng, 2, CSCG_RNG_TEST, 0, 0);
	for (i = 0; i < 100000; i++) {
		random_obs(&rng, &obs);
		n = cscg_env_obs_format(&obs, text);
		at = (size_t)cscg_rng_below(&rng, (long)n);
		text[at] = junk[cscg_rng_below(&rng, sizeof junk - 1)];
		if (!strstr(text, "\"x\""))
			continue;
		respell(text, again);
		p = cscg_env_obs_parse(text, n, &head, &a, &err);
		q = cscg_env_obs_parse(again, strlen(again), &head, &b, &err);
		good += p == 0;
		differ += p != q || (p == 0 && !alike(&a, &b));
		if (p != q || (p == 0 && !alike(&a, &b)))
			printf("# %d %d: %s\n", p, q, text);
	}
	ok(!differ && good > 1000,
	    "100000 mutated lines: both readers agree, %d of them valid",
	    good);
}

static void
test_act(void)
{
	char *names[] = { strdup("up"), strdup("0"), strdup("\xc3\xa9") };
	char text[CSCG_ENV_ACTION_SIZE];
	static const struct {
		const char *line;
		int a; /* -2: refused */
		const char *text;
	} t[] = {
		{ "{\"a\":0}", 0, NULL },
		{ "{\"a\":2}", 2, NULL },
		{ " { \"a\" : 1 } ", 1, NULL },
		{ "{\"a\":null}", -1, NULL },
		{ "{\"a\":\"up\"}", 0, NULL },
		{ "{\"a\":\"0\"}", 1, NULL },
		{ "{\"a\":\"\\u00e9\"}", 2, NULL },
		{ "{\"a\":3}", -2, "/a: 3 is outside 0..2" },
		{ "{\"a\":-1}", -2, "/a: -1 is outside 0..2" },
		{ "{\"a\":4294967296}", -2, "/a: 4294967296 is outside 0..2" },
		{ "{\"a\":1.0}", -2, "/a: 1.0 is not an integer" },
		{ "{\"a\":01}", -2, "invalid JSON" },
		{ "{\"a\":\"fly\"}", -2,
		    "/a: 'fly' is not the name of an action" },
		{ "{\"a\":true}", -2, "/a: true is not an integer" },
		{ "{\"a\":1,\"b\":2}", -2, "/b: unknown key" },
		{ "{}", -2, "/a: missing" },
		{ "1", -2, "invalid JSON" },
		{ "", -2, "invalid JSON" },
		{ "{\"a\":1}{\"a\":1}", -2, "invalid JSON" },
	};
	size_t i;
	int a, rc;

	head.head.actions = (struct cscg_names){ 3, names };
	for (i = 0; i < sizeof t / sizeof *t; i++) {
		a = -2;
		rc = cscg_env_action_parse(t[i].line, strlen(t[i].line), &head,
		    &a, &err);
		ok(t[i].a > -2 ? rc == 0 && a == t[i].a :
				 rc < 0 && strstr(err.msg, t[i].text) != NULL,
		    "action '%s'", t[i].line);
	}
	ok(cscg_env_action_format(10, text) == 8 &&
		!strcmp(text, "{\"a\":10}"),
	    "an action is written");
	ok(cscg_env_action_format(-1, text) == 10 &&
		!strcmp(text, "{\"a\":null}"),
	    "leaving an episode is written as null");
	head.head.actions = (struct cscg_names){ 0 };
	for (i = 0; i < 3; i++)
		free(names[i]);
}

static void
test_head(void)
{
	struct cscg_env_header h = { .head = { .n_actions = 2, .n_obs = 2 },
		.collect = 1,
		.episodes = 9,
		.steps = 100 },
			       back;
	const char *const actions[] = { "go", "take", NULL };
	static const char *const bad[][2] = {
		{ "{\"n_actions\":1}", "/format: missing" },
		{ "{\"format\":\"cscg-env\",\"version\":1,\"n_obs\":2}",
		    "/n_actions: missing" },
		{ "{\"format\":\"cscg-env\",\"version\":1,\"n_actions\":2,"
		  "\"n_obs\":2,\"collect\":2}",
		    "/collect: 2 is outside 0..1" },
		{ "{\"format\":\"cscg-env\",\"version\":1,\"n_actions\":2,"
		  "\"n_obs\":0}",
		    "/n_obs: 0 is outside 1..10000000" },
		{ "{\"format\":\"cscg-env\",\"version\":1,\"n_actions\":2,"
		  "\"n_obs\":2,\"actions\":[\"a\"]}",
		    "/actions: has 1 items, not 2" },
		{ "{\"format\":\"cscg-env\",\"version\":1,\"n_actions\":2,"
		  "\"n_obs\":2,\"actions\":[\"a\",\"a\"]}",
		    "/actions: 'a' appears twice" },
		{ "{\"format\":\"cscg-env\",\"version\":1,\"n_actions\":2,"
		  "\"n_obs\":2,\"episodes\":0}",
		    "/episodes: 0 is outside 1..2147483647" },
		{ "{\"format\":\"cscg-env\",\"version\":1,\"n_actions\":2,"
		  "\"n_obs\":2,\"task\":\"x\"}",
		    "/task: unknown key" },
	};
	char *text;
	size_t i;

	need(cscg_names_set(&h.head.actions, actions, &err) < 0 ? NULL : &h);
	text = need(cscg_env_header_format(&h, &err));
	ok(!strcmp(text,
	       "{\"format\":\"cscg-env\",\"version\":1,"
	       "\"n_actions\":2,\"n_obs\":2,\"actions\":[\"go\",\"take\"],"
	       "\"collect\":1,\"episodes\":9,\"steps\":100,\"history\":[]}"),
	    "a header is written");
	ok(cscg_env_header_parse(text, strlen(text), &back, &err) == 0 &&
		back.head.n_actions == 2 && back.head.n_obs == 2 &&
		back.collect == 1 && back.episodes == 9 && back.steps == 100 &&
		!strcmp(back.head.actions.v[1], "take"),
	    "a header is read back");
	cscg_env_header_free(&back);
	cscg_env_header_free(&h);
	free(text);
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(cscg_env_header_parse(bad[i][0], strlen(bad[i][0]), &back,
		       &err) < 0 &&
			!strcmp(err.msg, bad[i][1]),
		    "%s", bad[i][1]);
}

static void
test_quote(void)
{
	char q[CSCG_ENV_QUOTE_SIZE], line[200];

	memset(line, 'z', sizeof line);
	ok(!strcmp(cscg_env_quote("a\tb\x80\n", 5, q), "a?b??"),
	    "a quote is printable");
	ok(strlen(cscg_env_quote(line, 60, q)) == 60 && !strchr(q, '.'),
	    "60 bytes are quoted completely");
	ok(strlen(cscg_env_quote(line, 61, q)) == 63 &&
		!strcmp(q + 58, "zz..."),
	    "61 bytes are truncated");
	ok(!strcmp(cscg_env_quote("", 0, q), ""), "an empty quote is empty");
}

int
main(void)
{
	test_obs();
	test_broken();
	test_act();
	test_head();
	test_quote();
	return done();
}
