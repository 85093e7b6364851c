/* cmd_ranks.c - a tool that may be one of several, started by srun or mpirun */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd_opt.h"
#include "cmd_ranks.h"
#include "base/mem.h"

void
cmd_ranks(void)
{
	struct cscg_err err = { 0 };

	if (cmd.ranks)
		return;
	cmd.ranks = cscg_ranks_new(&err);
	if (!cmd.ranks)
		exit(cmd_fail(&err));
}

bool
cmd_is_first(void)
{
	return cscg_ranks_rank(cmd.ranks) == 0;
}

int
cmd_agree(int rc, struct cscg_err *err)
{
	return cscg_ranks_agree(cmd.ranks, rc, 0, err);
}

/* As it is, compressed or not. */
static int
read_stdin(struct cscg_blob *b, struct cscg_err *err)
{
	enum { CHUNK = 1 << 16 };
	ssize_t n;

	do {
		if (cscg_grow(&b->p, &b->cap, b->n + CHUNK, 1, err) < 0)
			return -1;
		n = read(STDIN_FILENO, b->p + b->n, CHUNK);
		if (n > 0)
			b->n += (size_t)n;
		else if (n < 0 && errno != EINTR)
			return cscg_fail(err, CSCG_EREAD, "standard input: %s",
			    strerror(errno));
	} while (n);
	return 0;
}

/* A file without a name that has these bytes, as standard input. */
static int
put_stdin(const struct cscg_blob *b, struct cscg_err *err)
{
	int fd = memfd_create("stdin", MFD_CLOEXEC);
	size_t done = 0;
	ssize_t n = 0;

	while (fd >= 0 && done < b->n && n >= 0) {
		n = write(fd, b->p + done, b->n - done);
		done += n > 0 ? (size_t)n : 0;
	}
	if (fd < 0 || n < 0 || lseek(fd, 0, SEEK_SET) < 0 ||
	    dup2(fd, STDIN_FILENO) < 0) {
		cscg_fail(err, CSCG_EIO, "standard input for all ranks: %s",
		    strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	close(fd);
	return 0;
}

int
cmd_share_stdin(struct cscg_err *err)
{
	struct cscg_blob b = { 0 };
	int rc;

	if (cscg_ranks_size(cmd.ranks) == 1)
		return 0;
	rc = cmd_agree(cmd_is_first() ? read_stdin(&b, err) : 0, err);
	if (rc == 0)
		rc = cscg_ranks_bcast_blob(cmd.ranks, &b, err);
	if (rc == 0)
		rc = cmd_agree(put_stdin(&b, err), err);
	cscg_blob_free(&b);
	return rc;
}
