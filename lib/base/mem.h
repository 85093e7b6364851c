/*
 * mem.h - checked allocation, growing arrays, the memory limit
 *
 * A process may be told how much memory it is to use: by its RLIMIT_RSS, which
 * is ulimit -m, and which the tools set for --max-memory.  Nothing larger is
 * asked for here, so that a claim is refused before it costs anything; the hint
 * of that failure is "memory-limit".
 */
#ifndef CSCG_MEM_H
#define CSCG_MEM_H

#include <stddef.h>

#include "base/error.h"

/*
 * n items of the given size, zeroed; free() them.  n = 0 gives a valid
 * pointer.  Returns NULL with err filled (CSCG_ENOMEM) if memory is short or
 * n * size does not fit.
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

/* Bytes this process is to use at most; SIZE_MAX: as many as there are. */
size_t cscg_mem_limit(void);

/* v bytes as text, the way --max-memory takes them: "1.5G".  Returns buf. */
enum { CSCG_MEM_TEXT = 16 };
char *cscg_mem_text(double v, char buf[CSCG_MEM_TEXT]);

/*
 * A file claims sizes that would take n items of the given size: 0, or -1 with
 * err filled (CSCG_ERANGE: the file is at fault) if that is more than the
 * limit.  Readers ask before they allocate, and prepend what claims it.
 */
int cscg_mem_check(size_t n, size_t size, struct cscg_err *err);

/* A copy of n items; NULL in gives NULL out with err untouched. */
void *cscg_copy(const void *from, size_t n, size_t size, struct cscg_err *err);

#endif
