/*
 * picture.c - pictures of pixels, put together and written as PPM
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/picture.h"

struct cscg_picture *
cscg_picture_new(long rows, long cols, int grey, struct cscg_err *err)
{
	struct cscg_picture *pic;

	if (rows < 1 || cols < 1 || rows > CSCG_PICTURE_MAX ||
	    cols > CSCG_PICTURE_MAX / rows) {
		cscg_fail(err, CSCG_EUSAGE, "the picture would have more than "
		    "%d pixels", CSCG_PICTURE_MAX);
		return NULL;
	}
	pic = cscg_alloc(1, sizeof *pic, err);
	if (!pic)
		return NULL;
	pic->rows = (int)rows;
	pic->cols = (int)cols;
	pic->rgb = cscg_alloc((size_t)rows * (size_t)cols, 3, err);
	if (!pic->rgb) {
		free(pic);
		return NULL;
	}
	memset(pic->rgb, grey, (size_t)rows * (size_t)cols * 3);
	return pic;
}

void
cscg_picture_free(struct cscg_picture *pic)
{
	if (!pic)
		return;
	free(pic->rgb);
	free(pic);
}

void
cscg_picture_paste(struct cscg_picture *pic, int row, int col,
    const unsigned char *rgb, int h, int w)
{
	int y;

	for (y = 0; y < h; y++)
		memcpy(pic->rgb + ((size_t)(row + y) * (size_t)pic->cols +
		    (size_t)col) * 3, rgb + (size_t)y * (size_t)w * 3,
		    (size_t)w * 3);
}

/* How far a point is from a line of length > 0 or a point. */
static double
distance(const double p[2], const double from[2], const double to[2])
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
cscg_picture_line(struct cscg_picture *pic, const double from[2],
    const double to[2], double width, const unsigned char colour[3])
{
	double r = width / 2 + 1, over, p[2];
	int y0 = clip(fmin(from[0], to[0]) - r, pic->rows);
	int y1 = clip(fmax(from[0], to[0]) + r, pic->rows);
	int x0 = clip(fmin(from[1], to[1]) - r, pic->cols);
	int x1 = clip(fmax(from[1], to[1]) + r, pic->cols), x, y, i;

	for (y = y0; y <= y1; y++)
		for (x = x0; x <= x1; x++) {
			unsigned char *at = pic->rgb + ((size_t)y *
			    (size_t)pic->cols + (size_t)x) * 3;

			p[0] = y + 0.5;
			p[1] = x + 0.5;
			over = width / 2 + 0.5 - distance(p, from, to);
			over = over < 0 ? 0 : over > 1 ? 1 : over;
			for (i = 0; i < 3; i++)
				at[i] = (unsigned char)(at[i] + over *
				    (colour[i] - at[i]) + 0.5);
		}
}

int
cscg_picture_write(const struct cscg_picture *pic, struct cscg_out *out,
    struct cscg_err *err)
{
	if (cscg_out_printf(out, err, "P6\n%d %d\n255\n", pic->cols,
	    pic->rows) < 0)
		return -1;
	return cscg_out_write(out, pic->rgb, (size_t)pic->rows *
	    (size_t)pic->cols * 3, err);
}
