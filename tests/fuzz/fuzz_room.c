/* fuzz_room.c - rooms: cscg-room(5) */
#include "fuzz.h"
#include "world/room.h"
#include "world/room_io.h"

FUZZ_KIND(struct cscg_room, cscg_room_read, cscg_room_check, cscg_room_write,
    cscg_room_free, cscg_room_read_file)

/* Five rooms are enough for this target. */
static int
take(void *ctx, struct cscg_room *room, struct cscg_err *err)
{
	int *n = ctx;

	cscg_room_free(room);
	return ++*n < 5 ? 0 : cscg_fail(err, CSCG_EUSAGE, "too many rooms");
}

void
fuzz_one(const uint8_t *data, size_t size)
{
	struct cscg_err err = { 0 };
	int n = 0, rc;

	fuzz_objects(&kind, data, size);
	rc = cscg_room_for_each(fuzz_path(data, size), take, &n, &err);
	fuzz_failed |= fuzz_disarm();
	if (rc < 0)
		fuzz_refused(&err);
	fuzz_must(rc < 0 || (n > 0 && n < 5), "each room is given");
}
