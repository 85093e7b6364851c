/*
 * sight.h - walks with what was seen, and a codebook for it
 */
#ifndef CSCG_SIGHT_H
#define CSCG_SIGHT_H

#include "core/codebook.h"
#include "learn/quantize.h"

struct cscg_frame_walk {
	struct cscg_quantize q;		/* the walk and the frames it shows */
	struct cscg_codebook *book;
	int *label;			/* [frame] its symbol */
};

/*
 * Read a codebook and n walks (none: standard input) as one; frames come with
 * them or, unless frames is NULL, are the rows of that .npy file.  Symbols of
 * the walk are those of the codebook, whose sigma2 must be above 0
 * (CSCG_ERANGE): where it is 0, symbols tell all there is to see.  0, or -1 with
 * err filled: free it whatever happens.
 */
int cscg_frame_walk_read(struct cscg_frame_walk *s, const char *book,
    const char *frames, char *const *paths, int n, int threads,
    struct cscg_err *err);
void cscg_frame_walk_free(struct cscg_frame_walk *s);

#endif
