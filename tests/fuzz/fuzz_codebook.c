/* fuzz_codebook.c - codebooks: cscg-codebook(5) */
#include "codebook.h"
#include "codebook_io.h"
#include "fuzz.h"

FUZZ_KIND(struct cscg_codebook, cscg_codebook_next, cscg_codebook_check,
    cscg_codebook_write, cscg_codebook_free)
