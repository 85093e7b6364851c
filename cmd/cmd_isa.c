/* cmd_isa.c - which kernel computes: --isa, CSCG_ISA, or the best there is */
#include <stdlib.h>
#include <string.h>

#include "cmd_isa.h"
#include "cmd_ranks.h"
#include "kernel/cpu.h"

const char *
cmd_isa_word(const char *given)
{
	const char *word = given ? given : getenv("CSCG_ISA");

	return word ? word : "auto";
}

const struct cscg_simd *
cmd_isa(const char *given)
{
	const char *word = cmd_isa_word(given);
	const struct cscg_simd *simd;
	struct cscg_err err = { 0 };
	int64_t lacks = 0;
	int n;

	if (cmd_agree(cscg_cpu_choose_simd(word, &simd, &err), &err) < 0)
		cmd_usage("--isa: %s", err.msg);
	if (strcmp(word, "auto"))
		return simd;
	/*
	 * Ranks take the best that all of them have.  Who has a better one has
	 * all that are worse, so it is enough to count.
	 */
	for (n = 0; cscg_cpu_simd(n); n++)
		;
	lacks = -n;
	cscg_ranks_max(cmd.ranks, &lacks, 1);
	return cscg_cpu_simd(n + (int)lacks);
}
