/*
 * features.h - whether the processor has a set of instructions
 *
 * CSCG_HAS(avx2, AVX2): the name of the compiler, and that of the C library, which
 * has asked the processor at the start.  Asking again takes a call of the
 * hypervisor for each number in a virtual machine: 40 us in all.
 */
#ifndef CSCG_FEATURES_H
#define CSCG_FEATURES_H

#if defined(__has_include)
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
#endif
#ifdef CPU_FEATURE_ACTIVE /* glibc 2.34 */
#define CSCG_HAS(compiler, library) (CPU_FEATURE_ACTIVE(library) != 0)
#endif
#ifndef CSCG_HAS
#define CSCG_HAS(compiler, library) (__builtin_cpu_supports(#compiler) != 0)
#endif

#endif
