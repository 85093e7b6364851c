/* fuzz_street.c - street networks as text: roomgen(1) */
#include "fuzz.h"
#include "world/street.h"

void
fuzz_one(const uint8_t *data, size_t size)
{
	struct cscg_err err = { 0 };
	char *path = (char *)(uintptr_t)fuzz_path(data, size);
	struct cscg_streets *s = cscg_streets_read(&path, 1, &err);

	fuzz_failed |= fuzz_disarm();
	if (!s)
		fuzz_refused(&err);
	cscg_streets_free(s);
}
