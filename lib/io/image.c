/* image.c - pixel images and the PPM writer */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/image.h"

struct cscg_image *
cscg_image_new(long rows, long cols, int grey, struct cscg_err *err)
{
	struct cscg_image *image;

	if (rows < 1 || cols < 1 || rows > CSCG_IMAGE_MAX ||
	    cols > CSCG_IMAGE_MAX / rows) {
		cscg_fail(err, CSCG_EUSAGE,
		    "the picture would have more than %d pixels",
		    CSCG_IMAGE_MAX);
		return NULL;
	}
	image = cscg_alloc(1, sizeof *image, err);
	if (!image)
		return NULL;
	image->rows = (int)rows;
	image->cols = (int)cols;
	image->rgb = cscg_alloc((size_t)rows * (size_t)cols, 3, err);
	if (!image->rgb) {
		free(image);
		return NULL;
	}
	memset(image->rgb, grey, (size_t)rows * (size_t)cols * 3);
	return image;
}

void
cscg_image_free(struct cscg_image *image)
{
	if (!image)
		return;
	free(image->rgb);
	free(image);
}

void
cscg_image_paste(struct cscg_image *image, int row, int col,
    const unsigned char *rgb, int h, int w)
{
	int y;

	for (y = 0; y < h; y++)
		memcpy(image->rgb +
			((size_t)(row + y) * (size_t)image->cols +
			    (size_t)col) *
			    3,
		    rgb + (size_t)y * (size_t)w * 3, (size_t)w * 3);
}

/* Distance of a point from a line segment of length > 0, or from a point. */
static double
segment_distance(const double p[2], const double from[2], const double to[2])
{
	double d[2] = { to[0] - from[0], to[1] - from[1] };
	double q[2] = { p[0] - from[0], p[1] - from[1] };
	double n = d[0] * d[0] + d[1] * d[1];
	double t = n > 0 ? (q[0] * d[0] + q[1] * d[1]) / n : 0;

	t = t < 0 ? 0 : t > 1 ? 1 : t;
	q[0] -= t * d[0];
	q[1] -= t * d[1];
	return sqrt(q[0] * q[0] + q[1] * q[1]);
}

static int
clip(double v, int n)
{
	return v < 0 ? 0 : v > n - 1 ? n - 1 : (int)v;
}

void
cscg_image_line(struct cscg_image *image, const double from[2],
    const double to[2], double width, const unsigned char colour[3])
{
	double r = width / 2 + 1, coverage, p[2];
	int y0 = clip(fmin(from[0], to[0]) - r, image->rows);
	int y1 = clip(fmax(from[0], to[0]) + r, image->rows);
	int x0 = clip(fmin(from[1], to[1]) - r, image->cols);
	int x1 = clip(fmax(from[1], to[1]) + r, image->cols), x, y, i;

	for (y = y0; y <= y1; y++)
		for (x = x0; x <= x1; x++) {
			unsigned char *at = image->rgb +
			    ((size_t)y * (size_t)image->cols + (size_t)x) * 3;

			p[0] = y + 0.5;
			p[1] = x + 0.5;
			coverage = width / 2 + 0.5 -
			    segment_distance(p, from, to);
			coverage = coverage < 0 ? 0 :
			    coverage > 1        ? 1 :
						  coverage;
			for (i = 0; i < 3; i++)
				at[i] = (unsigned char)(at[i] +
				    coverage * (colour[i] - at[i]) + 0.5);
		}
}

int
cscg_image_write(const struct cscg_image *image, struct cscg_out *out,
    struct cscg_err *err)
{
	if (cscg_out_printf(out, err, "P6\n%d %d\n255\n", image->cols,
		image->rows) < 0)
		return -1;
	return cscg_out_write(out, image->rgb,
	    (size_t)image->rows * (size_t)image->cols * 3, err);
}
