/*
 * fail_alloc.h - make the n-th allocation of a call fail, for tests in C
 *
 *	static int job(void);	0 with fail_value set, or -1 with err filled
 *	fail_each("a model read", job);
 *
 * Replaces malloc() and the like in the whole process, libraries included.  A
 * sanitizer has an allocator of its own, and a static program cannot replace the
 * one of the C library: with FAIL_ALLOC=0 nothing fails.
 */
#ifndef FAIL_ALLOC_H
#define FAIL_ALLOC_H

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "need.h"
#include "tap.h"

static long alloc_calls, alloc_fail_at, alloc_live;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FAIL_ALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FAIL_ALLOC 0
#endif
#endif
#ifndef FAIL_ALLOC
#define FAIL_ALLOC 1

/* Visible to other libraries. */
#pragma GCC visibility push(default)
void *malloc(size_t n);
void *calloc(size_t n, size_t size);
void *realloc(void *p, size_t n);
int posix_memalign(void **p, size_t align, size_t n);
void free(void *p);
#pragma GCC visibility pop

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);
void __libc_free(void *p);

/* Whether this call fails. */
static int
alloc_fails(void)
{
	if (++alloc_calls != alloc_fail_at)
		return 0;
	errno = ENOMEM;
	return 1;
}

static void *
alloc_count(void *p)
{
	alloc_live += p != NULL;
	return p;
}

void *
malloc(size_t n)
{
	return alloc_fails() ? NULL : alloc_count(__libc_malloc(n));
}

void *
calloc(size_t n, size_t size)
{
	return alloc_fails() ? NULL : alloc_count(__libc_calloc(n, size));
}

void *
realloc(void *p, size_t n)
{
	void *q = alloc_fails() ? NULL : __libc_realloc(p, n);

	alloc_live += q && !p;
	return q;
}

int
posix_memalign(void **p, size_t align, size_t n)
{
	*p = alloc_fails() ? NULL : alloc_count(__libc_memalign(align, n));
	return *p ? 0 : ENOMEM;
}

void
free(void *p)
{
	alloc_live -= p != NULL;
	__libc_free(p);
}
#endif

/* A number of the result of a job, such as a likelihood. */
static double fail_value;

/*
 * Run job once for each of its first dense allocations and for more and more
 * distant ones after these; the allocation fails.  The job then fails with
 * CSCG_ENOMEM, or does without this memory and has the same result; nothing
 * leaks.
 */
__attribute__((unused)) static void
fail_some(const char *name, int (*job)(void), long dense)
{
	long n, tries = 0, failed = 0, live;
	int rc, right = 1;
	double want;

	err = (struct cscg_err){ 0 };
	fail_value = 0;
	/* What a library allocates once and keeps is allocated here. */
	need(job() < 0 ? NULL : &err);
	want = fail_value;
	for (n = 1; FAIL_ALLOC && right; n += 1 + n / dense) {
		live = alloc_live;
		alloc_calls = 0;
		alloc_fail_at = n;
		fail_value = 0;
		err.code = CSCG_OK;
		rc = job();
		alloc_fail_at = 0;
		if (alloc_calls < n) {
			right = rc == 0 && alloc_live == live;
			break;
		}
		tries++;
		failed += rc < 0;
		right = alloc_live == live &&
		    (rc == 0 ? fail_value == want :
			       err.code == CSCG_ENOMEM && err.msg[0]);
	}
	if (!ok(right && (failed > 0 || !FAIL_ALLOC),
		"%s: %ld of %ld allocations fail", name, tries, alloc_calls))
		printf("# allocation %ld: %d, code %d '%s', %ld blocks stay, "
		       "result %g not %g\n",
		    n, rc, (int)err.code, err.msg, alloc_live - live,
		    fail_value, want);
}

/* Each allocation of the job fails. */
__attribute__((unused)) static void
fail_each(const char *name, int (*job)(void))
{
	fail_some(name, job, LONG_MAX);
}

#endif
