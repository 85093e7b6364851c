/* cmd_walks.c - the walks of -w, for tools that read them as they come */
#include <string.h>
#include <sys/stat.h>

#include "cmd_walks.h"
#include "core/walk_io.h"

int
cmd_walks_look(struct cscg_err *err)
{
	struct cscg_walk_reader *r;
	struct stat st;
	int i;

	for (i = 0; i < cmd.walks.n; i++) {
		/* What is not there is for the reader to tell. */
		if (stat(cmd.walks.v[i], &st) == 0 && !S_ISREG(st.st_mode))
			continue;
		if (!strcmp(cmd.walks.v[i], "-"))
			continue;
		r = cscg_walk_reader_open(cmd.walks.v[i], err);
		if (!r)
			return -1;
		cscg_walk_reader_close(r);
	}
	return 0;
}

int
cmd_walks_blame(struct cscg_err *err)
{
	if (cmd.walks.n < 2)
		return cmd_blame(cmd.walks.n ? cmd.walks.v[0] : "-", err);
	return cmd_blames_file(err) ? cscg_fail_at(err, "'%s' and %d more",
	    cmd.walks.v[0], cmd.walks.n - 1) : -1;
}
