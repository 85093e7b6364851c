/*
 * fault.c - calls that fail when a fuzz target wants them to
 *
 * The linker sends the library's calls here (--wrap, in fuzz.mk).  While armed
 * they are counted, and the n-th fails: memory is short, or read() has an
 * error.  A failed parse of Jansson is left by a jump (lib/io/json.c), and what it
 * had built is lost; here it is found and freed, so that the search can go on
 * and every other loss is told by the leak checker.
 */
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "fuzz.h"

static struct {
	long calls, fail_at;	/* 0: none */
	bool on, sticky, failed;
	int e;			/* what read() says */
	bool parsing;		/* inside Jansson's parser, or thrown out of it */
	void **made;		/* by the parser, and not freed yet */
	size_t n, cap;
} self;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
int __real_posix_memalign(void **p, size_t align, size_t n);
char *__real_strdup(const char *s);
void __real_free(void *p);
ssize_t __real_read(int fd, void *buf, size_t n);
json_t *__real_json_loadb(const char *s, size_t n, size_t flags,
    json_error_t *err);
int __real_inflateInit2_(z_streamp z, int bits, const char *v, int size);
int __real_inflate(z_streamp z, int flush);

void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
int __wrap_posix_memalign(void **p, size_t align, size_t n);
char *__wrap_strdup(const char *s);
void __wrap_free(void *p);
ssize_t __wrap_read(int fd, void *buf, size_t n);
json_t *__wrap_json_loadb(const char *s, size_t n, size_t flags,
    json_error_t *err);
int __wrap_inflateInit2_(z_streamp z, int bits, const char *v, int size);
int __wrap_inflate(z_streamp z, int flush);

void
fuzz_arm_at(long n, int e, bool sticky)
{
	/* Jansson is another library: it has to be told where malloc() is. */
	json_set_alloc_funcs(malloc, free);
	self.calls = 0;
	self.fail_at = n;
	self.e = e;
	self.sticky = sticky;
	self.failed = self.parsing = false;
	self.on = n > 0;
}

bool
fuzz_disarm(void)
{
	size_t i;

	self.on = false;
	if (self.parsing)
		for (i = 0; i < self.n; i++)
			__real_free(self.made[i]);
	self.n = 0;
	self.parsing = false;
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

static void *
note(void *p)
{
	if (!self.on || !self.parsing || !p)
		return p;
	if (self.n == self.cap) {
		self.cap = self.cap * 2 + 64;
		self.made = __real_realloc(self.made,
		    self.cap * sizeof *self.made);
		if (!self.made)
			abort();
	}
	self.made[self.n++] = p;
	return p;
}

void *
__wrap_malloc(size_t n)
{
	return fails() ? NULL : note(__real_malloc(n));
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

/* The last made is most often the first to go. */
void
__wrap_free(void *p)
{
	size_t i;

	for (i = self.n; p && i-- > 0;)
		if (self.made[i] == p) {
			memmove(self.made + i, self.made + i + 1,
			    (--self.n - i) * sizeof *self.made);
			break;
		}
	__real_free(p);
}

ssize_t
__wrap_read(int fd, void *buf, size_t n)
{
	if (!fails())
		return __real_read(fd, buf, n);
	/* For ever interrupted would be for ever. */
	if (self.e == EINTR || self.e == EAGAIN)
		self.sticky = false;
	errno = self.e;
	return -1;
}

json_t *
__wrap_json_loadb(const char *s, size_t n, size_t flags, json_error_t *err)
{
	json_t *v;

	self.parsing = true;
	v = __real_json_loadb(s, n, flags, err);
	self.parsing = false;
	self.n = 0;
	return v;
}

int
__wrap_inflateInit2_(z_streamp z, int bits, const char *v, int size)
{
	return fails() ? Z_MEM_ERROR : __real_inflateInit2_(z, bits, v, size);
}

int
__wrap_inflate(z_streamp z, int flush)
{
	return fails() ? Z_MEM_ERROR : __real_inflate(z, flush);
}
