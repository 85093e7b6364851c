/* fuzz_model.c - models: cscg-model(5) */
#include "fuzz.h"
#include "model.h"
#include "model_io.h"

FUZZ_KIND(struct cscg_model, cscg_model_read, cscg_model_check,
    cscg_model_write, cscg_model_free)
