/* clone_list.h - numbers of clones as text: a list, or a file */
#ifndef CSCG_CLONE_LIST_H
#define CSCG_CLONE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct cscg_clone_list {
	int *v; /* [n] */
	int n;
	size_t cap;
};

/* Whether text is a list of digits and commas; else it names a file. */
bool cscg_clone_list_is(const char *text);

/*
 * Append the numbers of text, separated by commas or white space.  -1 with err
 * filled (CSCG_EFORMAT for anything but numbers in 0..CSCG_STATE_MAX).
 */
int cscg_clone_list_parse(struct cscg_clone_list *list, const char *text,
    struct cscg_err *err);

/* The same for a file; messages name it and the line. */
int cscg_clone_list_read(struct cscg_clone_list *list, const char *path,
    struct cscg_err *err);

void cscg_clone_list_free(struct cscg_clone_list *list);

#endif
