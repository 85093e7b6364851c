/*
 * fail_alloc.h - make the n-th allocation of a call fail, for tests in C
 *
 *	static int job(void);	0 with fail_value set, or -1 with err filled
 *	fail_each("a model read", job);
 *	fail_sites("a long job", job);
 *
 * fail_sites() lets the first allocation of each place in the program fail, where a
 * place is a call with all its callers.
 *
 * Replaces malloc() and the like in the whole process, libraries included.  With
 * alloc_own set, only calls from the program itself count, not those of shared
 * libraries.  A sanitizer has an allocator of its own, and a static program cannot
 * replace the one of the C library: with FAIL_ALLOC=0 nothing fails.
 */
#ifndef FAIL_ALLOC_H
#define FAIL_ALLOC_H

#include <errno.h>
#include <execinfo.h>
#include <stdint.h>
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

/*
 * The first call with each stack of callers, if they are recorded: calls in a loop
 * have the same one.
 */
enum { SITES_MAX = 1 << 13, SITE_DEPTH = 8 };
static long site_call[SITES_MAX], n_sites;
static uint64_t site_key[SITES_MAX];
static int sites_recorded;

static void
record_site(void)
{
	void *frame[SITE_DEPTH];
	uint64_t key = 0;
	int i, n;
	long s;

	sites_recorded = 0;
	n = backtrace(frame, SITE_DEPTH);
	for (i = 0; i < n; i++)
		key = (key ^ (uintptr_t)frame[i]) * 0x9e3779b97f4a7c15u;
	for (s = 0; s < n_sites && site_key[s] != key; s++)
		;
	if (s == n_sites && n_sites < SITES_MAX) {
		site_key[n_sites] = key;
		site_call[n_sites++] = alloc_calls;
	}
	sites_recorded = 1;
}

static int alloc_own;

/* The program in memory, by the linker. */
extern const char __executable_start[], etext[];

/* Whether this call, from an address in the program or a library, fails. */
static int
alloc_fails(const char *from)
{
	if (alloc_own && (from < __executable_start || from >= etext))
		return 0;
	++alloc_calls;
	if (sites_recorded)
		record_site();
	if (alloc_calls != alloc_fail_at)
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
	return alloc_fails(__builtin_return_address(0)) ?
	    NULL :
	    alloc_count(__libc_malloc(n));
}

void *
calloc(size_t n, size_t size)
{
	return alloc_fails(__builtin_return_address(0)) ?
	    NULL :
	    alloc_count(__libc_calloc(n, size));
}

void *
realloc(void *p, size_t n)
{
	void *q = alloc_fails(__builtin_return_address(0)) ?
	    NULL :
	    __libc_realloc(p, n);

	alloc_live += q && !p;
	return q;
}

int
posix_memalign(void **p, size_t align, size_t n)
{
	*p = alloc_fails(__builtin_return_address(0)) ?
	    NULL :
	    alloc_count(__libc_memalign(align, n));
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
 * Run job with allocation n failing.  1 if the job then fails with CSCG_ENOMEM, or
 * does without this memory and has the same result, and nothing leaks; 0 if not; -1
 * if it has fewer allocations.
 */
static int
fail_at(int (*job)(void), long n, double want, long *failed)
{
	long live = alloc_live;
	int rc;

	alloc_calls = 0;
	alloc_fail_at = n;
	fail_value = 0;
	err.code = CSCG_OK;
	rc = job();
	alloc_fail_at = 0;
	if (n && alloc_calls < n)
		return rc == 0 && alloc_live == live ? -1 : 0;
	*failed += rc < 0;
	if (alloc_live == live &&
	    (rc == 0 ? fail_value == want :
		       err.code == CSCG_ENOMEM && err.msg[0]))
		return 1;
	printf("# allocation %ld: %d, code %d '%s', %ld blocks stay, "
	       "result %g not %g\n",
	    n, rc, (int)err.code, err.msg, alloc_live - live, fail_value,
	    want);
	return 0;
}

/* Each allocation of the job fails, or with sites the first of each stack. */
static void
fail_all(const char *name, int (*job)(void), int sites)
{
	long n, tries = 0, failed = 0, total;
	double want;
	int right = 1;

	alloc_calls = 0;
	err = (struct cscg_err){ 0 };
	fail_value = 0;
	/* What a library allocates once and keeps is allocated here. */
	need(job() < 0 ? NULL : &err);
	want = fail_value;
	total = alloc_calls;
#if FAIL_ALLOC
	if (sites) {
		void *frame[1];

		backtrace(frame, 1); /* allocates when first called */
		n_sites = 0;
		sites_recorded = 1;
		right = fail_at(job, 0, want, &failed);
		sites_recorded = 0;
	}
	for (n = 1; right > 0 && (!sites || tries < n_sites); n++)
		right = fail_at(job, sites ? site_call[tries++] : n, want,
		    &failed);
	if (!sites)
		tries = n - 2;
#else
	(void)n, (void)sites, (void)fail_at, (void)want;
#endif
	ok(right && (failed > 0 || !FAIL_ALLOC),
	    "%s: %ld of %ld allocations fail, one at a time", name, tries,
	    total);
}

__attribute__((unused)) static void
fail_each(const char *name, int (*job)(void))
{
	fail_all(name, job, 0);
}

__attribute__((unused)) static void
fail_sites(const char *name, int (*job)(void))
{
	fail_all(name, job, 1);
}

#endif
