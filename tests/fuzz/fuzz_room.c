/* fuzz_room.c - rooms: cscg-room(5) */
#include "fuzz.h"
#include "room.h"
#include "room_io.h"

FUZZ_KIND(struct cscg_room, cscg_room_read, cscg_room_check, cscg_room_write,
    cscg_room_free)
