/*
 * colours.h - colours of drawings, as #rrggbb
 *
 * Hues are spread evenly over n classes with alternating lightness, so that
 * neighbouring hues also differ without colour vision.  They are computed in
 * Oklab, a perceptually uniform colour space.
 */
#ifndef CSCG_COLOURS_H
#define CSCG_COLOURS_H

enum { CSCG_COLOUR_TEXT = 16 }; /* bytes of a colour, with its NUL */

/* Colour i of n. */
void cscg_colour_hue(int i, int n, char *buf);

/* From share 0, nearly white, to share 1, dark. */
void cscg_colour_ramp(double share, char *buf);

#endif
