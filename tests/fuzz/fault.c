/*
 * fault.c - calls that fail when a fuzz target wants them to
 *
 * The linker sends the library's calls here (--wrap, in fuzz.mk).  While armed
 * they are counted, and the n-th fails: memory is short, or read() has an
 * error.  Jansson's calls come here as well: this program is the one that may
 * choose its allocator.
 */
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"

static struct {
	long calls, fail_at; /* 0: none */
	bool on, sticky, failed;
	int e; /* what read() says */
} self;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
int __real_posix_memalign(void **p, size_t align, size_t n);
char *__real_strdup(const char *s);
ssize_t __real_read(int fd, void *buf, size_t n);

void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
int __wrap_posix_memalign(void **p, size_t align, size_t n);
char *__wrap_strdup(const char *s);
ssize_t __wrap_read(int fd, void *buf, size_t n);

void
fuzz_arm_at(long n, int e, bool sticky)
{
	/* Jansson is another library: it has to be told where malloc() is. */
	json_set_alloc_funcs(malloc, free);
	self.calls = 0;
	self.fail_at = n;
	self.e = e;
	self.sticky = sticky;
	self.failed = false;
	self.on = n > 0;
}

bool
fuzz_disarm(void)
{
	self.on = false;
	return self.failed;
}

static bool
fails(void)
{
	if (!self.on)
		return false;
	self.calls++;
	if (self.sticky ? self.calls < self.fail_at :
			  self.calls != self.fail_at)
		return false;
	self.failed = true;
	errno = ENOMEM;
	return true;
}

void *
__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *
__wrap_realloc(void *p, size_t n)
{
	return fails() ? NULL : __real_realloc(p, n);
}

int
__wrap_posix_memalign(void **p, size_t align, size_t n)
{
	return fails() ? ENOMEM : __real_posix_memalign(p, align, n);
}

char *
__wrap_strdup(const char *s)
{
	return fails() ? NULL : __real_strdup(s);
}

ssize_t
__wrap_read(int fd, void *buf, size_t n)
{
	if (!fails())
		return __real_read(fd, buf, n);
	/* An endless sequence of EINTR would never end. */
	if (self.e == EINTR || self.e == EAGAIN)
		self.sticky = false;
	errno = self.e;
	return -1;
}
