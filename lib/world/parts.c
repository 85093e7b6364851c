/* parts.c - a room put together from others */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "world/parts.h"

/* Add name, or the first of name-2, name-3, ... that is not there yet. */
static int
add_name(struct cscg_names *parts, const char *name, struct cscg_err *err)
{
	size_t size = strlen(name) + 16;
	char *text = cscg_alloc(size, 1, err);
	int i, rc;

	if (!text)
		return -1;
	snprintf(text, size, "%s", name);
	for (i = 2; cscg_names_find(parts, text) >= 0; i++)
		snprintf(text, size, "%s-%d", name, i);
	rc = cscg_names_add(parts, text, err);
	free(text);
	return rc;
}

int
cscg_room_init_parts(struct cscg_room *whole, const struct cscg_room *const *from,
    int n, struct cscg_err *err)
{
	int i;

	whole->part = cscg_alloc(whole->n_nodes, sizeof *whole->part, err);
	if (!whole->part)
		return -1;
	for (i = 0; i < n; i++)
		if (add_name(&whole->parts, from[i]->name ? from[i]->name :
		    "part", err) < 0 || cscg_history_join(&whole->history,
		    &from[i]->history, err) < 0)
			return -1;
	return 0;
}

int
cscg_room_part_size(const struct cscg_room *whole, int k)
{
	int v, n = 0;

	for (v = 0; whole->part && v < whole->n_nodes; v++)
		n += whole->part[v] == k;
	return n;
}
