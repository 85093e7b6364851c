/*
 * fault.c - what the machine can do to a tool: a library for LD_PRELOAD
 *
 *   CSCG_KILL_CALL=n    kill -9 in the n-th call, from 1, that makes, fills,
 *                       settles or renames a file
 *   CSCG_KILL_BYTE=n    kill -9 when n bytes have gone to files
 *   CSCG_WRITE_FAIL=n   the n-th write() to a file writes half, and the next
 *                       one finds no space
 *   CSCG_SYNC_FAIL=n    the n-th fsync() finds that data is lost
 *   CSCG_STAT_FAIL=f    stat() of name f is not permitted
 *   CSCG_RENAME_FAIL=1  rename() finds no space
 *   CSCG_READ_FAIL=n    the n-th read(), but of devices, has an error
 *   CSCG_FAULT_REPORT=f at exit, these go to file f: calls, bytes, reads
 *
 * Files are regular files: neither pipes nor devices.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_long calls, bytes, writes, reads, syncs;

static long
number(const char *name)
{
	const char *s = getenv(name);

	return s ? atol(s) : 0;
}

/* The function that this library hides; to is the address of a pointer. */
static void
find(void *to, const char *name)
{
	void *p = dlsym(RTLD_NEXT, name);

	memcpy(to, &p, sizeof p);
}

static void
die(void)
{
	kill(getpid(), SIGKILL);
	for (;;)
		pause();
}

/* One more of the calls that make a file what it is. */
static void
call(void)
{
	if (atomic_fetch_add(&calls, 1) + 1 == number("CSCG_KILL_CALL"))
		die();
}

static int
regular(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

ssize_t
write(int fd, const void *buf, size_t n)
{
	static ssize_t (*real)(int, const void *, size_t);
	long before, most = number("CSCG_KILL_BYTE"), at;

	find(&real, "write");
	if (!regular(fd))
		return real(fd, buf, n);
	call();
	before = atomic_fetch_add(&bytes, (long)n);
	if (most > 0 && before + (long)n >= most) {
		if (real(fd, buf, (size_t)(most - before)) < 0)
			abort();
		die();
	}
	at = number("CSCG_WRITE_FAIL");
	if (at && atomic_fetch_add(&writes, 1) + 1 >= at) {
		if (writes == at && n > 1)
			return real(fd, buf, n / 2);
		errno = ENOSPC;
		return -1;
	}
	return real(fd, buf, n);
}

int
fsync(int fd)
{
	static int (*real)(int);

	find(&real, "fsync");
	call();
	if (atomic_fetch_add(&syncs, 1) + 1 == number("CSCG_SYNC_FAIL")) {
		errno = EIO;
		return -1;
	}
	return real(fd);
}

int
stat(const char *path, struct stat *st)
{
	static int (*real)(const char *, struct stat *);
	const char *fails = getenv("CSCG_STAT_FAIL");

	find(&real, "stat");
	if (fails && !strcmp(path, fails)) {
		errno = EACCES;
		return -1;
	}
	return real(path, st);
}

int
rename(const char *from, const char *to)
{
	static int (*real)(const char *, const char *);
	int rc;

	find(&real, "rename");
	call();
	if (number("CSCG_RENAME_FAIL")) {
		errno = ENOSPC;
		return -1;
	}
	rc = real(from, to);
	call();
	return rc;
}

int
mkostemp(char *name, int flags)
{
	static int (*real)(char *, int);
	int fd;

	find(&real, "mkostemp");
	call();
	fd = real(name, flags);
	call();
	return fd;
}

int
fchmod(int fd, mode_t mode)
{
	static int (*real)(int, mode_t);

	find(&real, "fchmod");
	call();
	return real(fd, mode);
}

/* Jansson reads some bytes of chance from a device, and can do without. */
static int
read_fails(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || S_ISCHR(st.st_mode))
		return 0;
	if (atomic_fetch_add(&reads, 1) + 1 != number("CSCG_READ_FAIL"))
		return 0;
	errno = EIO;
	return 1;
}

ssize_t
read(int fd, void *buf, size_t n)
{
	static ssize_t (*real)(int, void *, size_t);

	find(&real, "read");
	return read_fails(fd) ? -1 : real(fd, buf, n);
}

/* What read() is when the compiler knows how large buf is. */
ssize_t __read_chk(int fd, void *buf, size_t n, size_t size);

ssize_t
__read_chk(int fd, void *buf, size_t n, size_t size)
{
	if (n > size)
		abort();
	return read(fd, buf, n);
}

__attribute__((destructor)) static void
report(void)
{
	const char *path = getenv("CSCG_FAULT_REPORT");
	FILE *f = path ? fopen(path, "w") : NULL;

	if (!f)
		return;
	fprintf(f, "%ld %ld %ld\n", atomic_load(&calls), atomic_load(&bytes),
	    atomic_load(&reads));
	fclose(f);
}
