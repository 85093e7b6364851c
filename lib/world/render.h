/*
 * render.h - what a walker in a 3D room sees
 *
 * The view is 90 degrees wide, level, from 0.9 m over the floor and 0.3 m
 * behind the middle of the cell.  A picture is rows of pixels from the top,
 * each pixel from the left, red, green, blue.  Map, theme and size alone make
 * it, to the byte.
 */
#ifndef CSCG_RENDER_H
#define CSCG_RENDER_H

#include <stddef.h>
#include <stdint.h>

#include "world/scene.h"

struct cscg_render;

/*
 * For pictures of rows by cols pixels.  Borrows scene.  NULL with err filled
 * (CSCG_ENOMEM).  Threads may share a scene, but not this.
 */
struct cscg_render *cscg_render_new(const struct cscg_scene *scene, int rows,
    int cols, struct cscg_err *err);
void cscg_render_free(struct cscg_render *r);

/* The picture at node into rgb, room for rows * cols * 3 bytes. */
void cscg_render_view(struct cscg_render *r, int node, unsigned char *rgb);

/*
 * The same, drawn once and kept: at most as many pictures are held as there
 * are nodes.  NULL with err filled (CSCG_ENOMEM).
 */
const unsigned char *cscg_render_cached(struct cscg_render *r, int node,
    struct cscg_err *err);

/*
 * Add noise to n bytes: sd is its standard deviation, seed, i and j are the key
 * of its stream of random numbers.  Nearly normal (the sum of four uniform
 * numbers), rounded and kept within 0..255.
 */
void cscg_render_noise(const unsigned char *from, size_t n, double sd,
    uint64_t seed, uint64_t i, uint64_t j, unsigned char *to);

#endif
