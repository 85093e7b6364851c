/* cmd_isa.c - which kernel computes: --isa, CSCG_ISA, or the best there is */
#include <stdlib.h>

#include "cmd_isa.h"
#include "isa.h"

const char *
cmd_isa_word(const char *given)
{
	const char *word = given ? given : getenv("CSCG_ISA");

	return word ? word : "auto";
}

const struct cscg_simd *
cmd_isa(const char *given)
{
	const struct cscg_simd *simd;
	struct cscg_err err = { 0 };

	if (cscg_isa_choose(cmd_isa_word(given), &simd, &err) < 0)
		cmd_usage("--isa: %s", err.msg);
	return simd;
}
