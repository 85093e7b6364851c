/*
 * image.h - pixel images and the PPM writer
 */
#ifndef CSCG_IMAGE_H
#define CSCG_IMAGE_H

#include <stddef.h>

#include "base/error.h"
#include "io/stream.h"

enum { CSCG_IMAGE_MAX = 100000000 }; /* pixels */

/* Rows from the top, pixels from the left, red, green, blue. */
struct cscg_image {
	int rows, cols;
	unsigned char *rgb;
};

/*
 * All pixels of this grey.  NULL with err filled: CSCG_EUSAGE if there are too
 * many, CSCG_ENOMEM.
 */
struct cscg_image *cscg_image_new(long rows, long cols, int grey,
    struct cscg_err *err);
void cscg_image_free(struct cscg_image *image);

/* Copy h by w pixels to (row, col); they must lie within the image. */
void cscg_image_paste(struct cscg_image *image, int row, int col,
    const unsigned char *rgb, int h, int w);

/* Draw a line of the given width; points are (row, column). */
void cscg_image_line(struct cscg_image *image, const double from[2],
    const double to[2], double width, const unsigned char colour[3]);

/* Binary PPM, P6. */
int cscg_image_write(const struct cscg_image *image, struct cscg_out *out,
    struct cscg_err *err);

#endif
