/* clone_list.c - numbers of clones as text: a list, or a file */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/clone_list.h"
#include "core/limits.h"
#include "io/stream.h"

static const char separators[] = ", \t\r\n";

bool
cscg_clone_list_is(const char *text)
{
	return text[strspn(text, "0123456789,")] == '\0';
}

int
cscg_clone_list_parse(struct cscg_clone_list *list, const char *text,
    struct cscg_err *err)
{
	char *end;
	long v;

	for (;; text = end) {
		text += strspn(text, separators);
		if (!*text)
			return 0;
		errno = 0;
		v = strtol(text, &end, 10);
		if (end == text || errno || v < 0 || v > CSCG_STATE_MAX ||
		    !strchr(separators, *end))
			return cscg_fail(err, CSCG_EFORMAT,
			    "'%.*s' is not a number of clones in 0..%d",
			    (int)strcspn(text, separators), text,
			    CSCG_STATE_MAX);
		if (list->n == INT_MAX)
			return cscg_fail(err, CSCG_EFORMAT,
			    "too many numbers of clones");
		if (cscg_grow(&list->v, &list->cap, (size_t)list->n + 1,
			sizeof *list->v, err) < 0)
			return -1;
		list->v[list->n++] = (int)v;
	}
}

int
cscg_clone_list_read(struct cscg_clone_list *list, const char *path,
    struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(path, err);
	char *line;
	size_t len;
	int rc;

	if (!in)
		return -1;
	while ((rc = cscg_in_line(in, &line, &len, err)) > 0)
		if (strlen(line) != len ?
			cscg_fail(err, CSCG_EFORMAT,
			    "a NUL byte is not a number of clones") :
			cscg_clone_list_parse(list, line, err)) {
			rc = cscg_fail_at(err, "%s: line %ld",
			    cscg_in_name(in), cscg_in_lineno(in));
			break;
		}
	cscg_in_close(in);
	return rc;
}

void
cscg_clone_list_free(struct cscg_clone_list *list)
{
	free(list->v);
	*list = (struct cscg_clone_list){ 0 };
}
