/*
 * isa.h - which fast kernels this machine can run, and the choice among them
 */
#ifndef CSCG_ISA_H
#define CSCG_ISA_H

#include "base/error.h"
#include "kernel/simd.h"

/*
 * The kernel called name: "auto" is the best this machine has, "plain" the
 * readable loops of kern.c (*simd is then NULL).  Returns 0, or -1 with err
 * filled (CSCG_EUSAGE, with the names that would do).
 */
int cscg_cpu_choose_simd(const char *name, const struct cscg_simd **simd,
    struct cscg_err *err);

/* The i-th fast kernel that this machine can run, best first; NULL: no more. */
const struct cscg_simd *cscg_cpu_simd(int i);

#endif
