/*
 * any_io.c - which of our files is this?
 *
 * The line is parsed here and again by its reader.  That is cheap beside what
 * follows, and keys may stand in any order.
 */
#include <stdlib.h>
#include <string.h>

#include "io/any_io.h"
#include "io/json.h"

static int
format_of(json_t *obj, enum cscg_format *what, struct cscg_err *err)
{
	static const char *const names[] = { "cscg-room", "cscg-walk",
	    "cscg-model", "cscg-codebook" };
	enum { N = sizeof names / sizeof *names };
	char *format = NULL;
	int i;

	if (cscg_json_string(obj, "format", &format, err) < 0)
		return -1;
	for (i = 0; i < N && strcmp(names[i], format); i++)
		;
	if (i == N)
		cscg_fail(err, CSCG_EFORMAT, "this is a %.64s file, not a room, "
		    "walk, model or codebook", format);
	*what = (enum cscg_format)i;
	free(format);
	return i < N ? 0 : -1;
}

int
cscg_sniff_next(struct cscg_in *in, enum cscg_format *what, struct cscg_err *err)
{
	json_t *obj = NULL;
	int rc = cscg_json_read(in, &obj, err);

	if (rc <= 0)
		return rc;
	rc = format_of(obj, what, err);
	json_decref(obj);
	if (rc < 0)
		return cscg_json_fail_at(in, err);
	cscg_in_unread_line(in);
	return 1;
}
