/*
 * lock.h - lock files between processes
 *
 * An advisory lock (flock) on a file made for it.  The kernel releases the
 * lock when the process ends, however it ends.
 */
#ifndef CSCG_LOCK_H
#define CSCG_LOCK_H

#include <stdbool.h>

#include "base/error.h"

/*
 * Wait for the lock of file path, which is created if it is absent: exclusive,
 * or shared with other shared locks.  Returns a descriptor for
 * cscg_lock_release(), or -1 with err filled (CSCG_EIO).  A shared lock of a
 * file that cannot be opened (read-only directory, no file) is not an error:
 * no process can write there, and the result is -2.
 */
int cscg_lock_take(const char *path, bool shared, struct cscg_err *err);
void cscg_lock_release(int fd); /* negative: no effect */

#endif
