/* fuzz_model.c - models: cscg-model(5) */
#include "fuzz.h"
#include "core/model.h"
#include "core/model_io.h"

FUZZ_KIND(struct cscg_model, cscg_model_read, cscg_model_check,
    cscg_model_write, cscg_model_free, cscg_model_read_file)

void
fuzz_one(const uint8_t *data, size_t size)
{
	fuzz_objects(&kind, data, size);
}
