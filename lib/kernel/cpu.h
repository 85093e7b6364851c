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
 * The kernel called name: "auto" is the fastest that this machine supports,
 * "plain" the readable loops of plain.c (*simd is then NULL).  Returns 0, or
 * -1 with err filled (CSCG_EUSAGE, with the valid names).
 */
int cscg_cpu_choose_simd(const char *name, const struct cscg_simd **simd,
    struct cscg_err *err);

/*
 * The i-th SIMD kernel that this machine supports, fastest first; NULL: no
 * more.
 */
const struct cscg_simd *cscg_cpu_simd(int i);

/*
 * Scalar products of rows of bytes with rows of bytes or words
 *
 * simd_bytes.c is built once for each instruction set, as simd.c is; cpu.c
 * selects a build at run time.  All builds give the same numbers: integer sums
 * do not depend on their order.
 */

enum { CSCG_SIMD_BYTES_PAD = 64 };

/* n, rounded up to a multiple of CSCG_SIMD_BYTES_PAD. */
size_t cscg_simd_bytes_pad(size_t n);

struct cscg_simd_bytes {
	const char *name;

	/*
	 * out[i * nr + k] = sum_j x[i][j] * r[k][j] for the nx rows x of n
	 * bytes and nr rows r of n int8_t, or n int16_t with dots16.  n is
	 * padded: the padding of r is 0, the padding of x must be readable and
	 * may have any value.
	 */
	void (*dots)(const uint8_t *const *x, long nx, const void *const *r,
	    long nr, size_t n, int64_t *out);
	void (*dots16)(const uint8_t *const *x, long nx, const void *const *r,
	    long nr, size_t n, int64_t *out);

	/* total[j] += w * x[j], j < n; n may be anything */
	void (*add)(const uint8_t *x, int64_t w, size_t n, int64_t *total);
};

/*
 * The build called name, with the names of cscg_cpu_choose_simd() and also
 * "vnni".  Returns 0, or -1 with err filled (CSCG_EUSAGE).
 */
int cscg_cpu_choose_bytes(const char *name,
    const struct cscg_simd_bytes **bytes, struct cscg_err *err);

/* The i-th build that this machine supports, fastest first; NULL: no more. */
const struct cscg_simd_bytes *cscg_cpu_bytes(int i);

#endif
