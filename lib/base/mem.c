/*
 * mem.c - checked allocation, growing arrays, memory that is freed together,
 * the memory limit
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/mem.h"

/* Half the address space: pointer differences stay in range. */
static const size_t bytes_max = PTRDIFF_MAX;
/* Below this size RLIMIT_RSS is not queried. */
static const size_t small_bytes = 1 << 20;

size_t
cscg_mem_limit(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_RSS, &r) < 0 || r.rlim_cur == RLIM_INFINITY ||
	    r.rlim_cur > SIZE_MAX)
		return SIZE_MAX;
	return (size_t)r.rlim_cur;
}

char *
cscg_mem_text(double v, char buf[CSCG_MEM_TEXT])
{
	static const char units[] = "KMGTPE";
	int i = -1;

	/* 999.5 would become 1e+03. */
	for (; v >= 999.5 && i < 5; i++)
		v /= 1024;
	snprintf(buf, CSCG_MEM_TEXT, "%.3g%.1s", v, i < 0 ? "" : units + i);
	return buf;
}

/* Whether the size exceeds the memory limit of the process. */
static bool
exceeds_limit(size_t n, size_t size)
{
	return n > small_bytes / size && n > cscg_mem_limit() / size;
}

int
cscg_mem_check(size_t n, size_t size, struct cscg_err *err)
{
	char need[CSCG_MEM_TEXT], limit_text[CSCG_MEM_TEXT];

	if (!exceeds_limit(n, size))
		return 0;
	cscg_fail(err, CSCG_ERANGE,
	    "would need %s of memory, more than the %s allowed",
	    cscg_mem_text((double)n * (double)size, need),
	    cscg_mem_text((double)cscg_mem_limit(), limit_text));
	return cscg_fail_hint(err, "memory-limit");
}

static int
no_memory(size_t n, size_t size, struct cscg_err *err)
{
	if (n <= bytes_max / size && cscg_mem_check(n, size, err) < 0) {
		cscg_fail_at(err, "out of memory");
		err->code = CSCG_ENOMEM;
		return -1;
	}
	return cscg_fail(err, CSCG_ENOMEM,
	    "out of memory (%zu items of %zu bytes)", n, size);
}

void *
cscg_alloc(size_t n, size_t size, struct cscg_err *err)
{
	void *p = NULL;

	if (!n)
		n = 1;
	if (n <= bytes_max / size && !exceeds_limit(n, size))
		p = calloc(n, size);
	if (!p)
		no_memory(n, size, err);
	return p;
}

/*
 * Memory that begins with as many 2 MB pages as fit, for fewer page-table
 * lookups; NULL if it is smaller than such a page, or out of memory.  *zero is
 * the number of its first bytes that are zero: the kernel zeroes discarded
 * pages when a thread first touches them, so that the threads of a loop share
 * that work.
 */
static void *
large_pages(size_t bytes, size_t *zero)
{
	const size_t page = 2 << 20;
	void *p = NULL;

	if (bytes < page || posix_memalign(&p, page, bytes))
		return NULL;
	madvise(p, bytes / page * page, MADV_HUGEPAGE); /* a hint */
#ifdef __linux__
	if (madvise(p, bytes / page * page, MADV_DONTNEED) == 0)
		*zero = bytes / page * page;
#endif
	return p;
}

void *
cscg_alloc_aligned(size_t n, size_t size, size_t align, struct cscg_err *err)
{
	size_t zero = 0;
	void *p = NULL;

	if (!n)
		n = 1;
	if (n <= bytes_max / size && !exceeds_limit(n, size) &&
	    !(p = large_pages(n * size, &zero)) &&
	    posix_memalign(&p, align, n * size))
		p = NULL;
	if (!p) {
		no_memory(n, size, err);
		return NULL;
	}
	memset((char *)p + zero, 0, n * size - zero);
	return p;
}

int
cscg_grow_unset(void *ptr, size_t *cap, size_t need, size_t size,
    struct cscg_err *err)
{
	void *old, *p = NULL;
	size_t n;

	if (need <= *cap)
		return 0;
	n = *cap + *cap / 2 < need ? need : *cap + *cap / 2;
	if (n < 16)
		n = 16;
	memcpy(&old, ptr,
	    sizeof old); /* ptr may point to a pointer to any type */
	/* Near the limit allocate what is needed, without doubling. */
	if (exceeds_limit(n, size))
		n = need;
	if (n <= bytes_max / size && !exceeds_limit(n, size))
		p = realloc(old, n * size);
	if (!p)
		return no_memory(n, size, err);
	memcpy(ptr, &p, sizeof p);
	*cap = n;
	return 0;
}

int
cscg_grow(void *ptr, size_t *cap, size_t need, size_t size,
    struct cscg_err *err)
{
	size_t before = *cap;
	char *p;

	if (need <= before)
		return 0;
	if (cscg_grow_unset(ptr, cap, need, size, err) < 0)
		return -1;
	memcpy(&p, ptr, sizeof p);
	memset(p + before * size, 0, (*cap - before) * size);
	return 0;
}

void *
cscg_copy(const void *from, size_t n, size_t size, struct cscg_err *err)
{
	void *p;

	if (!from)
		return NULL;
	p = cscg_alloc(n, size, err);
	if (p)
		memcpy(p, from, n * size);
	return p;
}

struct cscg_pool *
cscg_pool_begin(struct cscg_pool *pool, struct cscg_err *err)
{
	pool->err = err;
	return pool;
}

/* Take p, which is NULL if its allocation failed. */
static void *
pool_take(struct cscg_pool *pool, void *p)
{
	enum { FIRST = 8 }; /* most pools have fewer arrays */
	size_t need = pool->n < FIRST ? FIRST : pool->n + 1;

	if (p &&
	    cscg_grow_unset(&pool->block, &pool->cap, need,
		sizeof *pool->block, pool->err) < 0) {
		free(p);
		p = NULL;
	}
	if (p)
		pool->block[pool->n++] = (struct cscg_pool_block){ .p = p };
	else
		pool->failed = true;
	return p;
}

void *
cscg_pool_add(struct cscg_pool *pool, size_t n, size_t size)
{
	return pool_take(pool, cscg_alloc(n, size, pool->err));
}

void *
cscg_pool_aligned(struct cscg_pool *pool, size_t n, size_t size, size_t align)
{
	return pool_take(pool, cscg_alloc_aligned(n, size, align, pool->err));
}

void *
cscg_pool_copy(struct cscg_pool *pool, const void *from, size_t n, size_t size)
{
	if (!from)
		return NULL;
	return pool_take(pool, cscg_copy(from, n, size, pool->err));
}

int
cscg_pool_grow(struct cscg_pool *pool, void *ptr, size_t need, size_t size)
{
	struct cscg_pool_block *b;
	void *p;

	memcpy(&p, ptr, sizeof p);
	/* The first array has all items at once, as most do not grow again. */
	if (!p) {
		p = cscg_pool_add(pool, need, size);
		if (!p)
			return -1;
		b = &pool->block[pool->n - 1];
		b->cap = need;
	} else {
		for (b = pool->block; b->p != p; b++)
			;
		if (cscg_grow(&b->p, &b->cap, need, size, pool->err) < 0) {
			pool->failed = true;
			return -1;
		}
	}
	memcpy(ptr, &b->p, sizeof b->p);
	return 0;
}

void
cscg_pool_free(struct cscg_pool *pool)
{
	while (pool->n)
		free(pool->block[--pool->n].p);
	free(pool->block);
	*pool = (struct cscg_pool){ .err = pool->err };
}
