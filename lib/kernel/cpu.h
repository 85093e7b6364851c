/*
 * cpu.h - choice of the kernel that the CPU can run
 */
#ifndef CSCG_CPU_H
#define CSCG_CPU_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "kernel/simd.h"

/*
 * The kernel called name: "auto" is the best this machine has, "plain" the
 * readable loops of plain.c (*simd is then NULL).  Returns 0, or -1 with err
 * filled (CSCG_EUSAGE, with the names that would do).
 */
int cscg_cpu_choose_simd(const char *name, const struct cscg_simd **simd,
    struct cscg_err *err);

/* The i-th fast kernel that this machine can run, best first; NULL: no more. */
const struct cscg_simd *cscg_cpu_simd(int i);

/*
 * scalar products of rows of bytes with rows of bytes or words
 *
 * simd_bytes.c is built once for each kind of CPU, as simd.c is; cpu.c
 * chooses among the builds when the program runs.  All give the same numbers:
 * sums of whole numbers do not depend on their order.
 */

enum { CSCG_SIMD_BYTES_PAD = 64 };

/* n, rounded up to a multiple of CSCG_SIMD_BYTES_PAD. */
size_t cscg_simd_bytes_pad(size_t n);

struct cscg_simd_bytes {
	const char *name;

	/*
	 * out[i * nr + k] = sum_j x[i][j] * r[k][j] for the nx rows x of n
	 * bytes and nr rows r of n int8_t, or n int16_t with dots16.  n is
	 * padded: r is 0 in what is too much, x may be anything there that can
	 * be read.
	 */
	void (*dots)(const uint8_t *const *x, long nx, const void *const *r,
	    long nr, size_t n, int64_t *out);
	void (*dots16)(const uint8_t *const *x, long nx, const void *const *r,
	    long nr, size_t n, int64_t *out);

	/* total[j] += w * x[j], j < n; n may be anything */
	void (*add)(const uint8_t *x, int64_t w, size_t n, int64_t *total);
};

/*
 * The build called name, as cscg_cpu_choose_simd() calls them; "vnni" is beyond
 * these.  Returns 0, or -1 with err filled (CSCG_EUSAGE).
 */
int cscg_cpu_choose_bytes(const char *name,
    const struct cscg_simd_bytes **bytes, struct cscg_err *err);

/* The i-th build that this machine can run, best first; NULL: no more. */
const struct cscg_simd_bytes *cscg_cpu_bytes(int i);

#endif
