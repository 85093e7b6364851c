/*
 * fault.c - faults of the system: a library for LD_PRELOAD
 *
 *   CSCG_FAIL=call:n    the n-th call of a function, from 1, fails: open, read,
 *                       write, close, fsync, rename, mkostemp, fchmod, fstat,
 *                       pipe2, fork, pthread_create, mmap, mkdir, flock,
 *                       opendir, dup2, fcntl, posix_spawnp
 *   CSCG_WRITE_FAIL=n   the n-th write() to a file writes half, and the next
 *                       one finds no space
 *   CSCG_STAT_FAIL=f    stat() of name f is not permitted
 *   CSCG_KILL_CALL=n    kill -9 in the n-th call, from 1, that creates, writes,
 *                       syncs or renames a file
 *   CSCG_KILL_BYTE=n    kill -9 when n bytes have gone to files
 *   CSCG_FAULT_REPORT=f at exit, these go to file f: calls and bytes of the two
 *                       above; then a line for each function, with its calls
 *   CSCG_FAULT_LOG=f    what was done to files goes to file f, for replay.py:
 *                       create, write, sync and rename, with a number for each
 *                       file; the bytes written go to f.data
 *
 * Files are regular files: neither pipes nor devices.  The calls of a child
 * before exec count as well, with counters of its own.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum which {
	OPEN,
	READ,
	WRITE,
	CLOSE,
	FSYNC,
	RENAME,
	MKOSTEMP,
	FCHMOD,
	FSTAT,
	PIPE2,
	FORK,
	PTHREAD_CREATE,
	MMAP,
	MKDIR,
	FLOCK,
	OPENDIR,
	DUP2,
	FCNTL,
	POSIX_SPAWNP,
	N_CALLS
};

static const struct {
	const char *name;
	int error;
} is[N_CALLS] = {
	[OPEN] = { "open", EMFILE },
	[READ] = { "read", EIO },
	[WRITE] = { "write", ENOSPC },
	[CLOSE] = { "close", EIO },
	[FSYNC] = { "fsync", EIO },
	[RENAME] = { "rename", ENOSPC },
	[MKOSTEMP] = { "mkostemp", ENOSPC },
	[FCHMOD] = { "fchmod", EIO },
	[FSTAT] = { "fstat", EIO },
	[PIPE2] = { "pipe2", EMFILE },
	[FORK] = { "fork", EAGAIN },
	[PTHREAD_CREATE] = { "pthread_create", EAGAIN },
	[MMAP] = { "mmap", ENOMEM },
	[MKDIR] = { "mkdir", ENOSPC },
	[FLOCK] = { "flock", ENOLCK },
	[OPENDIR] = { "opendir", EMFILE },
	[DUP2] = { "dup2", EMFILE },
	[FCNTL] = { "fcntl", EINVAL },
	[POSIX_SPAWNP] = { "posix_spawnp", EAGAIN },
};

void cscg_end_faults(void);

static atomic_long count[N_CALLS], calls, bytes, writes;
static atomic_bool ended; /* calls neither fail nor count */

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

/* Count a call; whether it must fail, with errno set. */
static int
fails(enum which which)
{
	const char *s = getenv("CSCG_FAIL");
	size_t n = strlen(is[which].name);
	long k;

	if (ended)
		return 0;
	k = atomic_fetch_add(&count[which], 1) + 1;
	if (!s || strncmp(s, is[which].name, n) || s[n] != ':' ||
	    atol(s + n + 1) != k)
		return 0;
	errno = is[which].error;
	return 1;
}

static void
die(void)
{
	kill(getpid(), SIGKILL);
	for (;;)
		pause();
}

/* Count a call that creates, fills, syncs or renames a file. */
static void
call(void)
{
	if (!ended &&
	    atomic_fetch_add(&calls, 1) + 1 == number("CSCG_KILL_CALL"))
		die();
}

static int
is_type(int fd, mode_t type)
{
	static int (*real)(int, struct stat *);
	struct stat st;

	find(&real, "fstat");
	return real(fd, &st) == 0 && (st.st_mode & S_IFMT) == type;
}

/* ---- the log ---- */

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

/* A line of the log, and bytes that were written. */
__attribute__((format(printf, 3, 4))) static void
record(const void *data, size_t n, const char *fmt, ...)
{
	static FILE *log, *log_data;
	const char *path = getenv("CSCG_FAULT_LOG");
	char name[4096];
	va_list ap;

	if (ended || !path)
		return;
	pthread_mutex_lock(&log_lock);
	if (!log) {
		snprintf(name, sizeof name, "%s.data", path);
		log = fopen(path, "w");
		log_data = fopen(name, "w");
		if (!log || !log_data)
			abort();
	}
	va_start(ap, fmt);
	vfprintf(log, fmt, ap);
	va_end(ap);
	fwrite(data, 1, n, log_data);
	fflush(log);
	fflush(log_data);
	pthread_mutex_unlock(&log_lock);
}

static unsigned long
inode(int fd)
{
	static int (*real)(int, struct stat *);
	struct stat st;

	find(&real, "fstat");
	return real(fd, &st) == 0 ? st.st_ino : 0;
}

/* ---- calls ---- */

ssize_t
write(int fd, const void *buf, size_t n)
{
	static ssize_t (*real)(int, const void *, size_t);
	long before, most = number("CSCG_KILL_BYTE"), at;

	find(&real, "write");
	if (ended)
		return real(fd, buf, n);
	if (!is_type(fd, S_IFREG))
		return fails(WRITE) ? -1 : real(fd, buf, n);
	call();
	if (fails(WRITE))
		return -1;
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
	record(buf, n, "write\t%lu\t%zu\n", inode(fd), n);
	return real(fd, buf, n);
}

int
fsync(int fd)
{
	static int (*real)(int);

	find(&real, "fsync");
	call();
	if (fails(FSYNC))
		return -1;
	record("", 0, "%s\t%lu\n", is_type(fd, S_IFDIR) ? "syncdir" : "sync",
	    inode(fd));
	return real(fd);
}

int
rename(const char *from, const char *to)
{
	static int (*real)(const char *, const char *);
	int rc;

	find(&real, "rename");
	call();
	if (fails(RENAME))
		return -1;
	record("", 0, "rename\t%s\t%s\n", from, to);
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
	if (fails(MKOSTEMP))
		return -1;
	fd = real(name, flags);
	record("", 0, "create\t%lu\t%s\n", inode(fd), name);
	call();
	return fd;
}

int
fchmod(int fd, mode_t mode)
{
	static int (*real)(int, mode_t);

	find(&real, "fchmod");
	call();
	return fails(FCHMOD) ? -1 : real(fd, mode);
}

int
fstat(int fd, struct stat *st)
{
	static int (*real)(int, struct stat *);

	find(&real, "fstat");
	return fails(FSTAT) ? -1 : real(fd, st);
}

int
stat(const char *path, struct stat *st)
{
	static int (*real)(const char *, struct stat *);
	const char *refused = getenv("CSCG_STAT_FAIL");

	find(&real, "stat");
	if (refused && !strcmp(path, refused)) {
		errno = EACCES;
		return -1;
	}
	return real(path, st);
}

int
open(const char *path, int flags, ...)
{
	static int (*real)(const char *, int, mode_t);
	mode_t mode = 0;
	va_list ap;

	if (flags & O_CREAT) {
		va_start(ap, flags);
		mode = va_arg(ap, mode_t);
		va_end(ap);
	}
	find(&real, "open");
	return fails(OPEN) ? -1 : real(path, flags, mode);
}

/* open() with arguments checked by the compiler (_FORTIFY_SOURCE). */
int __open_2(const char *path, int flags);

int
__open_2(const char *path, int flags)
{
	return open(path, flags);
}

int
close(int fd)
{
	static int (*real)(int);
	int failed = fails(CLOSE), rc;

	find(&real, "close");
	rc = real(fd);
	if (!failed)
		return rc;
	errno = is[CLOSE].error;
	return -1;
}

/* Jansson reads random bytes from a device, and can do without. */
ssize_t
read(int fd, void *buf, size_t n)
{
	static ssize_t (*real)(int, void *, size_t);

	find(&real, "read");
	return !is_type(fd, S_IFCHR) && fails(READ) ? -1 : real(fd, buf, n);
}

/* read() with a buffer of known size (_FORTIFY_SOURCE). */
ssize_t __read_chk(int fd, void *buf, size_t n, size_t size);

ssize_t
__read_chk(int fd, void *buf, size_t n, size_t size)
{
	if (n > size)
		abort();
	return read(fd, buf, n);
}

int
pipe2(int fd[2], int flags)
{
	static int (*real)(int *, int);

	find(&real, "pipe2");
	return fails(PIPE2) ? -1 : real(fd, flags);
}

pid_t
fork(void)
{
	static pid_t (*real)(void);

	find(&real, "fork");
	return fails(FORK) ? -1 : real();
}

int
pthread_create(pthread_t *thread, const pthread_attr_t *attr,
    void *(*start)(void *), void *arg)
{
	static int (*real)(pthread_t *, const pthread_attr_t *,
	    void *(*)(void *), void *);

	find(&real, "pthread_create");
	return fails(PTHREAD_CREATE) ? is[PTHREAD_CREATE].error :
				       real(thread, attr, start, arg);
}

void *
mmap(void *at, size_t n, int prot, int flags, int fd, off_t off)
{
	static void *(*real)(void *, size_t, int, int, int, off_t);

	find(&real, "mmap");
	return fails(MMAP) ? MAP_FAILED : real(at, n, prot, flags, fd, off);
}

int
mkdir(const char *path, mode_t mode)
{
	static int (*real)(const char *, mode_t);

	find(&real, "mkdir");
	return fails(MKDIR) ? -1 : real(path, mode);
}

int
flock(int fd, int how)
{
	static int (*real)(int, int);

	find(&real, "flock");
	return fails(FLOCK) ? -1 : real(fd, how);
}

DIR *
opendir(const char *path)
{
	static DIR *(*real)(const char *);

	find(&real, "opendir");
	return fails(OPENDIR) ? NULL : real(path);
}

int
dup2(int from, int to)
{
	static int (*real)(int, int);

	find(&real, "dup2");
	return fails(DUP2) ? -1 : real(from, to);
}

int
fcntl(int fd, int what, ...)
{
	static int (*real)(int, int, long);
	va_list ap;
	long arg;

	va_start(ap, what);
	arg = va_arg(ap, long);
	va_end(ap);
	find(&real, "fcntl");
	return fails(FCNTL) ? -1 : real(fd, what, arg);
}

int
posix_spawnp(pid_t *pid, const char *file,
    const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
    char *const argv[], char *const env[])
{
	static int (*real)(pid_t *, const char *,
	    const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
	    char *const[], char *const[]);

	find(&real, "posix_spawnp");
	return fails(POSIX_SPAWNP) ? is[POSIX_SPAWNP].error :
				     real(pid, file, actions, attr, argv, env);
}

/* Ends the faults and writes the report, once; tests/lint/flush.c calls it earlier. */
__attribute__((destructor)) void
cscg_end_faults(void)
{
	const char *path = getenv("CSCG_FAULT_REPORT");
	FILE *f;
	int i;

	if (atomic_exchange(&ended, true))
		return;
	f = path ? fopen(path, "w") : NULL;
	if (!f)
		return;
	fprintf(f, "%ld %ld\n", atomic_load(&calls), atomic_load(&bytes));
	for (i = 0; i < N_CALLS; i++)
		fprintf(f, "%s %ld\n", is[i].name, atomic_load(&count[i]));
	fclose(f);
}
