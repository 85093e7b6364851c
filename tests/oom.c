/*
 * oom.c - makes the n-th allocation fail: a library for LD_PRELOAD
 *
 *   CSCG_OOM_AT=n      the n-th malloc, calloc, realloc or posix_memalign, from
 *                      1, fails
 *   CSCG_OOM_STICKY=1  and so do all after it
 *   CSCG_OOM_REPORT=f  at exit the number of calls is written to file f
 *   CSCG_OOM_SITES=f   and the number of the first call of each place in the
 *                      program to file f, a place being a call with its callers
 *
 * Only calls made after this library's constructor count, so the dynamic
 * linker's own do not; allocations of other libraries' constructors may count,
 * and the process must survive their failure as well.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *(*real_malloc)(size_t);
static void *(*real_calloc)(size_t, size_t);
static void *(*real_realloc)(void *, size_t);
static int (*real_posix_memalign)(void **, size_t, size_t);
static void (*real_free)(void *);

void cscg_end_faults(void);

enum { SITES_MAX = 1 << 13, DEPTH = 8 };

static atomic_long calls;
static long fail_at;
static int sticky, on, records;

static uint64_t site_key[SITES_MAX];
static long site_call[SITES_MAX], n_sites;

/* dlsym() allocates before the real functions are known. */
static _Alignas(16) char early[4096];
static size_t early_used;

static void *
early_alloc(size_t n)
{
	void *p = early + early_used;

	n = (n + 15) & ~(size_t)15;
	if (n > sizeof early - early_used)
		return NULL;
	early_used += n;
	return p;
}

static int
is_early(const void *p)
{
	return (const char *)p >= early &&
	    (const char *)p < early + sizeof early;
}

static void
find(void *to, const char *name)
{
	void *p = dlsym(RTLD_NEXT, name);

	memcpy(to, &p, sizeof p);
}

__attribute__((constructor)) static void
start(void)
{
	const char *s = getenv("CSCG_OOM_AT"), *t = getenv("CSCG_OOM_STICKY");

	find(&real_calloc, "calloc");
	find(&real_malloc, "malloc");
	find(&real_realloc, "realloc");
	find(&real_posix_memalign, "posix_memalign");
	find(&real_free, "free");
	fail_at = s ? atol(s) : 0;
	sticky = t && *t == '1';
	if (getenv("CSCG_OOM_SITES")) {
		void *frame[1];

		backtrace(frame, 1); /* allocates when first called */
		records = 1;
	}
	on = 1;
}

/* Of programs with one thread. */
static void
record_site(void)
{
	void *frame[DEPTH];
	uint64_t key = 0;
	long s;
	int i, n;

	records = 0;
	n = backtrace(frame, DEPTH);
	for (i = 0; i < n; i++)
		key = (key ^ (uintptr_t)frame[i]) * 0x9e3779b97f4a7c15u;
	for (s = 0; s < n_sites && site_key[s] != key; s++)
		;
	if (s == n_sites && n_sites < SITES_MAX) {
		site_key[n_sites] = key;
		site_call[n_sites++] = calls;
	}
	records = 1;
}

static void
write_sites(const char *path)
{
	FILE *f;
	long s;

	records = 0;
	f = fopen(path, "w");
	for (s = 0; f && s < n_sites; s++)
		fprintf(f, "%ld\n", site_call[s]);
	if (!f || fclose(f) != 0)
		abort();
}

/* Ends the faults and writes the report, once; tests/lint/flush.c calls it earlier. */
__attribute__((destructor)) void
cscg_end_faults(void)
{
	const char *path = getenv("CSCG_OOM_REPORT");
	char text[32];
	int fd, n;

	if (!on || !path) {
		on = 0;
		return;
	}
	on = 0;
	if (getenv("CSCG_OOM_SITES"))
		write_sites(getenv("CSCG_OOM_SITES"));
	n = snprintf(text, sizeof text, "%ld\n", atomic_load(&calls));
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0 || write(fd, text, (size_t)n) != n)
		abort();
	close(fd);
}

static int
fails(void)
{
	long n;

	if (!on)
		return 0;
	n = atomic_fetch_add(&calls, 1) + 1;
	if (records)
		record_site();
	if (!fail_at || (sticky ? n < fail_at : n != fail_at))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *
malloc(size_t n)
{
	if (!real_malloc)
		return early_alloc(n);
	return fails() ? NULL : real_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
	if (!real_calloc)
		return early_alloc(n * size);
	return fails() ? NULL : real_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
	size_t there;
	void *q;

	if (!p)
		return malloc(n);
	if (is_early(p)) {
		there = (size_t)(early + sizeof early - (char *)p);
		q = malloc(n);
		if (q)
			memcpy(q, p, n < there ? n : there);
		return q;
	}
	return fails() ? NULL : real_realloc(p, n);
}

int
posix_memalign(void **p, size_t align, size_t n)
{
	return fails() ? ENOMEM : real_posix_memalign(p, align, n);
}

void
free(void *p)
{
	if (p && !is_early(p) && real_free)
		real_free(p);
}
