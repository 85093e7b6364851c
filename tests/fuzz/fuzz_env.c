/*
 * fuzz_env.c - the lines of a live environment: cscg-env(5)
 *
 * The first line is a header, each that follows is tried as an observation and
 * as an action.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "world/serve.h"
#include "fuzz.h"

static void
turn(const char *line, size_t len, const struct cscg_env_header *head)
{
	char text[CSCG_ENV_OBS_SIZE], act[CSCG_ENV_ACTION_SIZE];
	char quote[CSCG_ENV_QUOTE_SIZE];
	struct cscg_env_obs obs, same;
	struct cscg_err err = { 0 };
	size_t n;
	int a, b, rc;

	fuzz_arm();
	rc = cscg_env_obs_parse(line, len, head, &obs, &err);
	fuzz_failed |= fuzz_disarm();
	if (rc == 0) {
		fuzz_must(obs.x >= -1 && obs.x < head->head.n_obs &&
			!isnan(obs.reward),
		    "an observation is in range");
		n = cscg_env_obs_format(&obs, text);
		fuzz_must(cscg_env_obs_parse(text, n, head, &same, &err) ==
			    0 &&
			same.x == obs.x && same.goal == obs.goal &&
			same.done == obs.done && same.reset == obs.reset &&
			same.episode == obs.episode,
		    "and the same again");
	} else {
		fuzz_refused(&err);
	}
	memset(&err, 0, sizeof err);
	fuzz_arm();
	rc = cscg_env_action_parse(line, len, head, &a, &err);
	fuzz_failed |= fuzz_disarm();
	if (rc == 0) {
		fuzz_must(a >= -1 && a < head->head.n_actions,
		    "an action is in range");
		n = cscg_env_action_format(a, act);
		fuzz_must(a < 0 ||
			(cscg_env_action_parse(act, n, head, &b, &err) == 0 &&
			    a == b),
		    "and the same again");
	} else {
		fuzz_refused(&err);
	}
	fuzz_must(strlen(cscg_env_quote(line, len, quote)) < sizeof quote,
	    "a quotation is short");
}

void
fuzz_one(const uint8_t *data, size_t size)
{
	struct cscg_env_header head, same;
	struct cscg_err err = { 0 };
	char *text = malloc(size + 1), *line, *end, *written;
	bool first = true;
	int rc;

	fuzz_must(text != NULL, "there is memory");
	memcpy(text, data, size);
	text[size] = '\0';
	for (line = text; line <= text + size; line = end + 1) {
		end = memchr(line, '\n', (size_t)(text + size - line));
		if (!end)
			end = text + size;
		*end = '\0';
		if (!first) {
			turn(line, (size_t)(end - line), &head);
			continue;
		}
		first = false;
		fuzz_arm();
		rc = cscg_env_header_parse(line, (size_t)(end - line), &head,
		    &err);
		fuzz_failed |= fuzz_disarm();
		if (rc < 0) {
			fuzz_refused(&err);
			free(text);
			return;
		}
		fuzz_arm();
		written = cscg_env_header_format(&head, &err);
		fuzz_failed |= fuzz_disarm();
		if (!written) {
			fuzz_must(fuzz_failed, "a header is written");
			fuzz_refused(&err);
			continue;
		}
		fuzz_must(cscg_env_header_parse(written, strlen(written),
			      &same, &err) == 0 &&
			same.collect == head.collect,
		    "a header is the same again");
		cscg_env_header_free(&same);
		free(written);
	}
	cscg_env_header_free(&head);
	free(text);
}
