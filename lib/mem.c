/* mem.c - allocation and growth with the multiplication checked */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

/* Half the address space: pointer differences stay in range. */
static const size_t most = PTRDIFF_MAX;

void *
cscg_alloc(size_t n, size_t size, struct cscg_err *err)
{
	void *p = NULL;

	if (!n)
		n = 1;
	if (n <= most / size)
		p = calloc(n, size);
	if (!p)
		cscg_fail(err, CSCG_ENOMEM, "out of memory (%zu items of %zu "
		    "bytes)", n, size);
	return p;
}

void *
cscg_alloc_aligned(size_t n, size_t size, size_t align, struct cscg_err *err)
{
	void *p = NULL;

	if (!n)
		n = 1;
	if (n > most / size || posix_memalign(&p, align, n * size)) {
		cscg_fail(err, CSCG_ENOMEM, "out of memory (%zu items of %zu "
		    "bytes)", n, size);
		return NULL;
	}
	memset(p, 0, n * size);
	return p;
}

int
cscg_grow(void *ptr, size_t *cap, size_t need, size_t size,
    struct cscg_err *err)
{
	void *old, *p = NULL;
	size_t n;

	if (need <= *cap)
		return 0;
	n = *cap + *cap / 2 < need ? need : *cap + *cap / 2;
	if (n < 16)
		n = 16;
	memcpy(&old, ptr, sizeof old);	/* ptr may be any object pointer's */
	if (n <= most / size)
		p = realloc(old, n * size);
	if (!p)
		return cscg_fail(err, CSCG_ENOMEM, "out of memory (%zu items "
		    "of %zu bytes)", n, size);
	memset((char *)p + *cap * size, 0, (n - *cap) * size);
	memcpy(ptr, &p, sizeof p);
	*cap = n;
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
