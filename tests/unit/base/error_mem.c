/*
 * error_mem.c - messages to which callers prepend their context, and allocation
 * that checks sizes
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/mem.h"
#include "tap.h"

static void
messages(void)
{
	struct cscg_err err = { 0 };
	char big[3000];
	int rc;

	rc = cscg_fail(&err, CSCG_ERANGE, "symbol %d is outside 0..%d", 42,
	    35);
	ok(rc == -1 && err.code == CSCG_ERANGE &&
		!strcmp(err.msg, "symbol 42 is outside 0..35"),
	    "an error is reported");
	rc = cscg_fail_at(&err, "/x/%d", 17);
	cscg_fail_at(&err, "'w.gz': line %d", 4);
	ok(rc == -1 && err.code == CSCG_ERANGE &&
		!strcmp(err.msg,
		    "'w.gz': line 4: /x/17: symbol 42 is outside 0..35"),
	    "callers prepend the location");
	ok(!*err.hint, "an error has no hint by default");
	ok(cscg_fail_hint(&err, "symbols") == -1 &&
		cscg_fail_at(&err, "twice") == -1 && err.code == CSCG_ERANGE &&
		!strcmp(err.hint, "symbols"),
	    "a hint that was set is kept");
	memset(big, 'y', sizeof big - 1);
	big[sizeof big - 1] = '\0';
	cscg_fail(&err, CSCG_EIO, "%s", big);
	cscg_fail_at(&err, "%s", big);
	ok(strlen(err.msg) == sizeof err.msg - 1 && !*err.hint,
	    "long messages are truncated; a new error clears the hint");
}

static void
statuses(void)
{
	static const struct {
		enum cscg_code code;
		int status;
	} want[] = {
		{ CSCG_OK, 0 },
		{ CSCG_EUSAGE, 2 },
		{ CSCG_EFORMAT, 3 },
		{ CSCG_ERANGE, 3 },
		{ CSCG_EMISMATCH, 3 },
		{ CSCG_ECUT, 3 },
		{ CSCG_EREAD, 3 },
		{ CSCG_EIO, 4 },
		{ CSCG_ENOMEM, 4 },
		{ CSCG_EPIPE, 4 },
		{ CSCG_EBUG, 4 },
	};
	size_t i;

	for (i = 0; i < sizeof want / sizeof *want; i++)
		ok(cscg_err_status(want[i].code) == want[i].status,
		    "error code %d is exit status %d", want[i].code,
		    want[i].status);
}

static void
allocation(void)
{
	struct cscg_err err = { 0 };
	int *v = cscg_alloc(5, sizeof *v, &err), *w, sum = 0, i;
	void *p;

	for (i = 0; v && i < 5; i++)
		sum += v[i];
	ok(v && sum == 0, "allocated memory is zero");
	v[0] = 7;
	v[4] = 9;
	w = cscg_copy(v, 5, sizeof *v, &err);
	ok(w && w != v && !memcmp(v, w, 5 * sizeof *v),
	    "a copy has the same bytes");
	free(w);
	free(v);
	p = cscg_alloc(0, 8, &err);
	ok(p != NULL, "an allocation of 0 items returns a valid pointer");
	free(p);
	ok(!cscg_copy(NULL, 3, 4, &err) && !err.code,
	    "a copy of 0 bytes is NULL without an error");
	ok(!cscg_alloc(SIZE_MAX / 4, 8, &err) && err.code == CSCG_ENOMEM,
	    "a product that overflows is refused");
	err.code = CSCG_OK;
	ok(!cscg_alloc((size_t)PTRDIFF_MAX / 8 + 1, 8, &err) &&
		err.code == CSCG_ENOMEM,
	    "more than half of the address space is refused");
	ok(!strncmp(err.msg, "out of memory", 13),
	    "the message says out of memory");
}

static void
growth(void)
{
	struct cscg_err err = { 0 };
	size_t cap = 0, old, i, moves = 0;
	long *v = NULL;
	int good = 1;

	for (i = 0; i < 100000; i++) {
		old = cap;
		if (cscg_grow(&v, &cap, i + 1, sizeof *v, &err) < 0)
			break;
		moves += cap != old;
		good &= v[i] == 0;
		v[i] = (long)i;
	}
	for (i = 0; i < 100000; i++)
		good &= v[i] == (long)i;
	ok(good, "growing keeps old items and zeroes new ones");
	/* log(1e5 / 16) / log(1.5) is 21.6 */
	ok(moves < 30, "growing takes few reallocations (%zu)", moves);
	old = cap;
	ok(cscg_grow(&v, &cap, SIZE_MAX / 2, sizeof *v, &err) == -1 &&
		err.code == CSCG_ENOMEM && cap == old && v[99999] == 99999,
	    "an array that cannot grow is unchanged");
	free(v);
}

/*
 * RLIMIT_RSS is the memory limit given to a process; Linux does not enforce it.
 */
static void
limits(void)
{
	struct cscg_err err = { 0 };
	struct rlimit old, now;
	char text[CSCG_MEM_TEXT];
	size_t cap = 0;
	char *v = NULL;
	void *p;

	getrlimit(RLIMIT_RSS, &old);
	now = old;
	now.rlim_cur = 3 << 20;
	ok(setrlimit(RLIMIT_RSS, &now) == 0 && cscg_mem_limit() == 3 << 20,
	    "the memory limit is that of the process");
	ok(cscg_mem_check(3 << 10, 1 << 10, &err) == 0 && !err.code,
	    "a claim of the whole limit is accepted");
	ok(cscg_mem_check((3 << 10) + 1, 1 << 10, &err) == -1 &&
		err.code == CSCG_ERANGE,
	    "a claim of more than the limit is refused");
	ok(!strcmp(err.msg,
	       "would need 3M of memory, more than the 3M allowed") &&
		!strcmp(err.hint, "memory-limit"),
	    "the refused size is reported in rounded units");
	ok(cscg_mem_check(SIZE_MAX, SIZE_MAX, &err) == -1 &&
		!strncmp(err.msg, "would need ", 11),
	    "a claim whose product overflows is refused");
	p = cscg_alloc(3 << 20, 1, &err);
	ok(p != NULL, "the whole limit can be allocated");
	free(p);
	ok(!cscg_alloc((3 << 20) + 1, 1, &err) && err.code == CSCG_ENOMEM &&
		!strncmp(err.msg, "out of memory: would need ", 26),
	    "more than the limit cannot be allocated");
	/* Growing by half would exceed the limit; the size needed does not. */
	ok(cscg_grow(&v, &cap, 5 << 19, 1, &err) == 0 &&
		cscg_grow(&v, &cap, (5 << 19) + 1, 1, &err) == 0 &&
		cap == (5 << 19) + 1,
	    "near the limit an array grows by no more than requested");
	free(v);
	setrlimit(RLIMIT_RSS, &old);
	ok(!strcmp(cscg_mem_text(999, text), "999"), "bytes");
	ok(!strcmp(cscg_mem_text(1000, text), "0.977K"),
	    "a size of less than one unit is a fraction of it");
	ok(!strcmp(cscg_mem_text(1536 * 1024., text), "1.5M"), "1.5 M");
	ok(!strcmp(cscg_mem_text(1e300, text), "8.67e+281E"),
	    "a size beyond the largest unit has an exponent");
}

/* Memory that was used before is zero again, also in large pages. */
static void
aligned(void)
{
	static const size_t bytes[] = { 100, 1 << 20, (5 << 20) + 100 };
	struct cscg_err err = { 0 };
	unsigned char *p;
	size_t i, k, sum;
	int round;

	for (i = 0; i < sizeof bytes / sizeof *bytes; i++)
		for (round = 0; round < 3; round++) {
			p = cscg_alloc_aligned(bytes[i], 1, 64, &err);
			for (sum = 0, k = 0; p && k < bytes[i]; k++)
				sum += p[k];
			ok(p && (uintptr_t)p % 64 == 0 && sum == 0,
			    "%zu aligned bytes, round %d", bytes[i], round);
			if (p)
				memset(p, 0xff, bytes[i]);
			free(p);
		}
}

static void
pools(void)
{
	struct cscg_err err = { 0 };
	struct cscg_pool pool = { .err = &err };
	const int from[3] = { 1, 2, 3 };
	const int *copy;
	int *v[20], *grown = NULL;
	char *other = NULL;
	bool ok_all = true, grown_ok = true;
	int i;

	for (i = 0; i < 20; i++) {
		v[i] = cscg_pool_add(&pool, 5, sizeof **v);
		ok_all = ok_all && v[i] && !v[i][4];
		v[i][4] = i;
	}
	for (i = 0; i < 20; i++)
		ok_all = ok_all && v[i][4] == i;
	ok(ok_all && !pool.failed, "a pool holds any number of arrays");
	copy = cscg_pool_copy(&pool, from, 3, sizeof *from);
	ok(copy && copy != from && !memcmp(copy, from, sizeof from),
	    "a copy in a pool has the same bytes");
	ok((uintptr_t)cscg_pool_aligned(&pool, 3, 1, 64) % 64 == 0,
	    "an array in a pool is aligned");
	ok(!cscg_pool_copy(&pool, NULL, 3, 4) && !pool.failed && !err.code,
	    "a copy of NULL is not a failure");
	ok(!cscg_pool_add(&pool, SIZE_MAX / 4, 8) &&
		cscg_pool_add(&pool, 1, 1) && pool.failed &&
		err.code == CSCG_ENOMEM,
	    "a failure is kept, and later arrays are still allocated");
	cscg_pool_free(&pool);
	for (i = 0; i < 100; i++) {
		grown_ok &= cscg_pool_grow(&pool, &grown, (size_t)i + 1,
				sizeof *grown) == 0 &&
		    grown[i] == 0 &&
		    cscg_pool_grow(&pool, &other, (size_t)i + 1, 1) == 0;
		grown[i] = i;
	}
	for (i = 0; i < 100; i++)
		grown_ok &= grown[i] == i;
	ok(grown_ok && pool.n == 2,
	    "arrays of a pool grow, with zeroed new items");
	ok(cscg_pool_grow(&pool, &grown, SIZE_MAX / 2, sizeof *grown) < 0 &&
		pool.failed && grown[99] == 99 && err.code == CSCG_ENOMEM,
	    "an array of a pool that cannot grow is unchanged");
	cscg_pool_free(&pool);
	ok(!pool.n && !pool.failed && pool.err == &err,
	    "a pool that was freed is empty");
}

int
main(void)
{
	pools();
	aligned();
	limits();
	messages();
	statuses();
	allocation();
	growth();
	return done();
}
