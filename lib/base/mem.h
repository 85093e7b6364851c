/*
 * mem.h - checked allocation, growing arrays, memory that is freed together,
 * the memory limit
 *
 * The memory limit of a process is its RLIMIT_RSS (ulimit -m), which the tools
 * set for --max-memory.  An allocation larger than the limit fails before any
 * memory is requested; the hint of this error is "memory-limit".
 */
#ifndef CSCG_MEM_H
#define CSCG_MEM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * n items of the given size, zeroed; free() them.  n = 0 gives a valid
 * pointer.  Returns NULL with err filled (CSCG_ENOMEM) if memory is short or
 * n * size overflows.
 */
void *cscg_alloc(size_t n, size_t size, struct cscg_err *err);

/* The same at an address that is a multiple of align, a power of two. */
void *cscg_alloc_aligned(size_t n, size_t size, size_t align,
    struct cscg_err *err);

/*
 * Make *ptr (an array of *cap items) hold at least need items, doubling as it
 * grows; new items are zeroed.  ptr is the address of the pointer.  Returns 0,
 * or -1 with err filled and the old array untouched.
 */
int cscg_grow(void *ptr, size_t *cap, size_t need, size_t size,
    struct cscg_err *err);

/*
 * The same without setting new items: memory that is never used is then never
 * touched.
 */
int cscg_grow_unset(void *ptr, size_t *cap, size_t need, size_t size,
    struct cscg_err *err);

/* Memory limit of this process in bytes; SIZE_MAX: no limit. */
size_t cscg_mem_limit(void);

/* v bytes as text in the format of --max-memory: "1.5G".  Returns buf. */
enum { CSCG_MEM_TEXT = 16 };
char *cscg_mem_text(double v, char buf[CSCG_MEM_TEXT]);

/*
 * Check a size claimed by a file: 0, or -1 with err filled (CSCG_ERANGE: the
 * file is in error) if n items of the given size exceed the memory limit.
 * Readers call it before they allocate, and prepend the position of the claim.
 */
int cscg_mem_check(size_t n, size_t size, struct cscg_err *err);

/* A copy of n items; a copy of NULL is NULL, with err unchanged. */
void *cscg_copy(const void *from, size_t n, size_t size, struct cscg_err *err);

/*
 * Memory that is freed together: the arrays of a struct, or the scratch arrays
 * of a function.  It is empty if all but err is zero.  Threads never share one.
 */
struct cscg_pool {
	struct cscg_err *err; /* filled when an allocation fails */
	bool failed;          /* one has failed: check once for several */
	struct cscg_pool_block *block;
	size_t n, cap;
};

struct cscg_pool_block {
	void *p;
	size_t cap; /* items, of an array that grows */
};

/* Set err of a pool, for the allocations that follow.  Returns the pool. */
struct cscg_pool *cscg_pool_begin(struct cscg_pool *pool,
    struct cscg_err *err);

/* As cscg_alloc(), cscg_alloc_aligned() and cscg_copy(), within a pool. */
void *cscg_pool_add(struct cscg_pool *pool, size_t n, size_t size);
void *cscg_pool_aligned(struct cscg_pool *pool, size_t n, size_t size,
    size_t align);
void *cscg_pool_copy(struct cscg_pool *pool, const void *from, size_t n,
    size_t size);

/*
 * As cscg_grow() for an array of a pool, whose capacity the pool knows; *ptr is
 * NULL before the first call.  The cost is proportional to the arrays of the
 * pool: an array that is appended to in a loop has cscg_grow().
 */
int cscg_pool_grow(struct cscg_pool *pool, void *ptr, size_t need,
    size_t size);

void cscg_pool_free(struct cscg_pool *pool); /* pool is empty afterwards */

#endif
