/*
 * picture.h - SVG to PDF and PNG, by a program of the system
 *
 * The program is rsvg-convert (librsvg) or cairosvg (cairo), whichever is
 * installed.  Times of creation are not written, unless SOURCE_DATE_EPOCH is
 * set: the same drawing gives the same bytes.
 */
#ifndef CSCG_PICTURE_H
#define CSCG_PICTURE_H

#include "base/error.h"
#include "io/stream.h"

/*
 * Write the SVG written by write(ctx, svg, err) as format "pdf" or "png" (of dpi
 * pixels per inch; a unit of SVG is 1/96 inch), through a temporary file.  0, or
 * -1 with err filled: CSCG_EUSAGE (no program is installed), CSCG_EREAD,
 * CSCG_EIO (the program fails), or as write() and cscg_out_write() do.
 */
int cscg_picture_write(int (*write)(const void *ctx, struct cscg_out *svg,
			   struct cscg_err *err),
    const void *ctx, const char *format, int dpi, struct cscg_out *out,
    struct cscg_err *err);

#endif
