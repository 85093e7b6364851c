/*
 * images.h - pixel images of 3D rooms, of the frames of walks, of codebooks and
 * of the emission means of models
 *
 * view is NULL for all images, as a sheet, or selects one: a node of a room by
 * its number or as ROW,COL,HEADING, else a number from 0.
 *
 * Each returns 0, or -1 with err filled: CSCG_EUSAGE (no such view, a picture
 * that is too large), CSCG_EMISMATCH (frames that are not pictures, a walk
 * without frames or of another room), CSCG_ENOMEM, or as cscg_out_write()
 * does.
 */
#ifndef CSCG_IMAGES_H
#define CSCG_IMAGES_H

#include <stdbool.h>

#include "base/error.h"
#include "core/codebook.h"
#include "core/model.h"
#include "core/walk.h"
#include "io/stream.h"
#include "world/room.h"

/* The views at the nodes of a 3D room (room->voxel). */
int cscg_images_write_room(const struct cscg_room *room, const char *view,
    struct cscg_out *out, struct cscg_err *err);

/*
 * A 3D room from above, or at an angle (iso), with the path of walk unless that
 * is NULL; scale: pixels per metre.
 */
int cscg_images_write_overview(const struct cscg_room *room, bool iso,
    int scale, const struct cscg_walk *walk, struct cscg_out *out,
    struct cscg_err *err);

/* The frames contained in a walk.  Takes in, and closes it. */
int cscg_images_write_walk_take(struct cscg_in *in, const char *view,
    struct cscg_out *out, struct cscg_err *err);

int cscg_images_write_codebook(const struct cscg_codebook *book,
    const char *view, struct cscg_out *out, struct cscg_err *err);

/* The emission means of a model with m->frame_emission. */
int cscg_images_write_emissions(const struct cscg_model *m, const char *view,
    struct cscg_out *out, struct cscg_err *err);

#endif
