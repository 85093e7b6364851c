/* colours.c - colours of drawings, as #rrggbb */
#include <math.h>
#include <stdio.h>

#include "show/colours.h"

static int
srgb_byte(double linear)
{
	double c = linear <= 0.0031308 ? 12.92 * linear :
					 1.055 * pow(linear, 1 / 2.4) - 0.055;

	return (int)lround(255 * (c < 0 ? 0 : c > 1 ? 1 : c));
}

/* Lightness L, chroma C and hue h (radians) of Oklab. */
static void
write_colour(double L, double C, double h, char *buf)
{
	double a = C * cos(h), b = C * sin(h);
	double l = L + 0.3963377774 * a + 0.2158037573 * b;
	double m = L - 0.1055613458 * a - 0.0638541728 * b;
	double s = L - 0.0894841775 * a - 1.2914855480 * b;

	l = l * l * l;
	m = m * m * m;
	s = s * s * s;
	snprintf(buf, CSCG_COLOUR_TEXT, "#%02x%02x%02x",
	    srgb_byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
	    srgb_byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
	    srgb_byte(-0.0041960863 * l - 0.7034186147 * m +
		1.7076147010 * s));
}

void
cscg_colour_hue(int i, int n, char *buf)
{
	/* Hue is circular: first and last must differ in lightness. */
	write_colour(i % 2 ? 0.70 : 0.88, i % 2 ? 0.13 : 0.09,
	    2 * M_PI * (i + 0.35) / (n + n % 2), buf);
}

void
cscg_colour_ramp(double share, char *buf)
{
	double s = share < 0 ? 0 : share > 1 ? 1 : share;

	/* Yellow to violet; chroma is largest in the middle. */
	write_colour(0.98 - 0.68 * s, 0.02 + 0.5 * s * (1 - s) + 0.08 * s,
	    (100 - 180 * s) * M_PI / 180, buf);
}
