/*
 * voxel_io.h - 3D rooms as text maps, roomgen(1), and in room files,
 * cscg-room(5)
 */
#ifndef CSCG_VOXEL_IO_H
#define CSCG_VOXEL_IO_H

#include "io/json_write.h"
#include "io/stream.h"
#include "world/voxel.h"

/*
 * Read the map of in and compute its floors.  Returns NULL with err filled and
 * file, line and column named (CSCG_EFORMAT, CSCG_ERANGE).
 */
struct cscg_voxel *cscg_voxel_read(struct cscg_in *in, struct cscg_err *err);

/*
 * The built-in map of data/rooms/voxel-NAME.txt.  NULL with err filled:
 * CSCG_EUSAGE for an unknown name; the message lists the known ones.
 */
struct cscg_voxel *cscg_voxel_layout(const char *name, struct cscg_err *err);

/* Name and text of built-in map i; NULL if i is too large. */
const char *cscg_voxel_layout_name(int i);
const char *cscg_voxel_layout_text(int i);

struct json_t; /* Jansson's */

/*
 * Read the member "voxel" of a room of n_nodes nodes and compute its floors;
 * *v stays NULL if the member is absent.  Write the member.
 */
int cscg_voxel_from_json(struct json_t *obj, int n_nodes,
    struct cscg_voxel **v, struct cscg_err *err);
void cscg_voxel_write_json(struct cscg_json_writer *w,
    const struct cscg_voxel *v);

#endif
