/*
 * cmd_isa.h - which kernel computes: --isa, CSCG_ISA, or the best there is
 */
#ifndef CMD_ISA_H
#define CMD_ISA_H

#include "cmd.h"
#include "kernel/simd.h"

/* The row of a tool that computes.  History has what was chosen instead. */
#define CMD_ISA(v) \
	{ 0, "isa", CMD_T_STRING, v, 0, 0, NULL, "NAME", \
	    "kernel: auto, plain, c, sse2, avx2 or avx512 (default: CSCG_ISA, " \
	    "or auto)", CMD_QUIET_HISTORY }

/* The word given, the environment's, or "auto". */
const char *cmd_isa_word(const char *given);

/* The kernel of that word, NULL for the plain loops; a fault exits with 2. */
const struct cscg_simd *cmd_isa(const char *given);

#endif
