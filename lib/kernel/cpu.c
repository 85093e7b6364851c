/* cpu.c - choice of the kernel that the CPU can run */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/features.h"
#include "kernel/cpu.h"

#ifdef CSCG_SIMD_X86
extern const struct cscg_simd cscg_simd_avx512, cscg_simd_avx2, cscg_simd_sse2;

static bool
has_avx2(void)
{
	return CSCG_HAS(avx2, AVX2) && CSCG_HAS(fma, FMA);
}

static bool
has_avx512(void)
{
	return CSCG_HAS(avx512f, AVX512F) && CSCG_HAS(avx512vl, AVX512VL) &&
	    CSCG_HAS(avx512dq, AVX512DQ) && CSCG_HAS(fma, FMA);
}
#endif
extern const struct cscg_simd cscg_simd_c;

static bool
can_run_simd(const struct cscg_simd *s)
{
#ifdef CSCG_SIMD_X86
	if (s == &cscg_simd_avx512)
		return has_avx512();
	if (s == &cscg_simd_avx2)
		return has_avx2();
#endif
	(void)s;
	return true;
}

const struct cscg_simd *
cscg_cpu_simd(int i)
{
	static const struct cscg_simd *const all[] = {
#ifdef CSCG_SIMD_X86
		&cscg_simd_avx512,
		&cscg_simd_avx2,
		&cscg_simd_sse2,
#endif
		&cscg_simd_c,
	};
	size_t k;

	for (k = 0; k < sizeof all / sizeof *all; k++)
		if (can_run_simd(all[k]) && i-- == 0)
			return all[k];
	return NULL;
}

int
cscg_cpu_choose_simd(const char *name, const struct cscg_simd **simd,
    struct cscg_err *err)
{
	const struct cscg_simd *s;
	char names[100] = "auto, plain";
	int i;

	*simd = NULL;
	if (!strcmp(name, "plain"))
		return 0;
	for (i = 0; (s = cscg_cpu_simd(i)) != NULL; i++) {
		if (!strcmp(name, "auto") || !strcmp(name, s->name)) {
			*simd = s;
			return 0;
		}
		snprintf(names + strlen(names), sizeof names - strlen(names),
		    ", %s", s->name);
	}
	return cscg_fail(err, CSCG_EUSAGE,
	    "'%s' is not one of the kernels this machine can run: %s", name,
	    names);
}

/* Choice of the scalar products of bytes */

#ifdef CSCG_SIMD_X86
extern const struct cscg_simd_bytes cscg_simd_bytes_vnni,
    cscg_simd_bytes_avx512, cscg_simd_bytes_avx2;
#endif
extern const struct cscg_simd_bytes cscg_simd_bytes_c;

size_t
cscg_simd_bytes_pad(size_t n)
{
	return (n + CSCG_SIMD_BYTES_PAD - 1) / CSCG_SIMD_BYTES_PAD *
	    CSCG_SIMD_BYTES_PAD;
}

static bool
can_run_bytes(const struct cscg_simd_bytes *b)
{
#ifdef CSCG_SIMD_X86
	if (b == &cscg_simd_bytes_avx2)
		return has_avx2();
	if (b == &cscg_simd_bytes_avx512)
		return has_avx512() && CSCG_HAS(avx512bw, AVX512BW);
	if (b == &cscg_simd_bytes_vnni)
		return has_avx512() && CSCG_HAS(avx512bw, AVX512BW) &&
		    CSCG_HAS(avx512vnni, AVX512_VNNI);
#endif
	(void)b;
	return true;
}

const struct cscg_simd_bytes *
cscg_cpu_bytes(int i)
{
	static const struct cscg_simd_bytes *const all[] = {
#ifdef CSCG_SIMD_X86
		&cscg_simd_bytes_vnni,
		&cscg_simd_bytes_avx512,
		&cscg_simd_bytes_avx2,
#endif
		&cscg_simd_bytes_c,
	};
	size_t k;

	for (k = 0; k < sizeof all / sizeof *all; k++)
		if (can_run_bytes(all[k]) && i-- == 0)
			return all[k];
	return NULL;
}

int
cscg_cpu_choose_bytes(const char *name, const struct cscg_simd_bytes **bytes,
    struct cscg_err *err)
{
	const struct cscg_simd_bytes *b;
	char names[100] = "auto, plain, sse2";
	int i;

	/* On x86 the plain C build uses sse2. */
	if (!strcmp(name, "plain") || !strcmp(name, "sse2"))
		name = "c";
	for (i = 0; (b = cscg_cpu_bytes(i)) != NULL; i++) {
		if (!strcmp(name, "auto") || !strcmp(name, b->name)) {
			*bytes = b;
			return 0;
		}
		snprintf(names + strlen(names), sizeof names - strlen(names),
		    ", %s", b->name);
	}
	return cscg_fail(err, CSCG_EUSAGE,
	    "'%s' is not one of the kernels this machine can run: %s", name,
	    names);
}
