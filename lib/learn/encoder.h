/*
 * encoder.h - the symbol of a frame: its nearest or likeliest centroid
 */
#ifndef CSCG_ENCODER_H
#define CSCG_ENCODER_H

#include "core/codebook.h"
#include "kernel/cpu.h"

/*
 * The centroid of each frame into label[f->n]: the nearest, or in a mixture
 * the likeliest; the first of equals.  The shape of f is that of the codebook.
 * The result does not depend on the number of threads.  0, or -1 with err
 * filled (ENOMEM).
 */
int cscg_codebook_label(const struct cscg_codebook *book,
    const struct cscg_frames *f, const struct cscg_simd_bytes *bytes,
    int threads, int *label, struct cscg_err *err);

/*
 * The same for one frame at a time.  Borrows book; frames are bytes of its
 * shape.  NULL with err filled (ENOMEM).
 */
struct cscg_encoder;
struct cscg_encoder *cscg_encoder_new(const struct cscg_codebook *book,
    const struct cscg_simd_bytes *bytes, struct cscg_err *err);
int cscg_encoder_label(struct cscg_encoder *e, const unsigned char *frame);
void cscg_encoder_free(struct cscg_encoder *e);

#endif
