/* lock.c - lock files between processes */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "io/lock.h"

int
cscg_lock_take(const char *path, bool shared, struct cscg_err *err)
{
	int flags = shared ? O_RDONLY : O_RDWR | O_CREAT, rc, e;
	int fd = open(path, flags | O_CLOEXEC | O_NOCTTY, 0666);

	if (fd < 0 && shared)
		return -2;
	if (fd < 0)
		return cscg_fail(err, CSCG_EIO, "cannot lock '%s': %s", path,
		    strerror(errno));
	do {
		rc = flock(fd, shared ? LOCK_SH : LOCK_EX);
	} while (rc < 0 && errno == EINTR);
	if (rc == 0)
		return fd;
	e = errno;
	close(fd);
	return cscg_fail(err, CSCG_EIO, "cannot lock '%s': %s", path,
	    strerror(e));
}

void
cscg_lock_release(int fd)
{
	if (fd >= 0)
		close(fd);
}
