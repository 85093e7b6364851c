/*
 * voxel_io.h - 3D rooms as text maps, roomgen(1), and in room files, cscg-
 * room(5)
 */
#ifndef CSCG_VOXEL_IO_H
#define CSCG_VOXEL_IO_H

#include "io/stream.h"
#include "world/voxel.h"

/*
 * The map that in holds, fitted.  Returns NULL with err filled and file, line
 * and column named (CSCG_EFORMAT, CSCG_ERANGE).
 */
struct cscg_voxel *cscg_voxel_read(struct cscg_in *in, struct cscg_err *err);

/*
 * A map by name, as data/rooms/voxel-NAME.txt has it.  NULL with err filled:
 * CSCG_EUSAGE if there is none, with the names that there are.
 */
struct cscg_voxel *cscg_voxel_layout(const char *name, struct cscg_err *err);

/* The i-th of these, its name and text; NULL: there are no more. */
const char *cscg_voxel_layout_name(int i);
const char *cscg_voxel_layout_text(int i);

struct json_t; /* Jansson's */

/*
 * The member "voxel" of a room of n_nodes nodes, fitted; *v stays NULL if
 * there is none.  Putting it there.
 */
int cscg_voxel_from_json(struct json_t *obj, int n_nodes,
    struct cscg_voxel **v, struct cscg_err *err);
int cscg_voxel_to_json(struct json_t *obj, const struct cscg_voxel *v,
    struct cscg_err *err);

#endif
