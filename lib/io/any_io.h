/*
 * any_io.h - which of our files is this?
 */
#ifndef CSCG_ANY_IO_H
#define CSCG_ANY_IO_H

#include "base/err.h"
#include "io/stream.h"

enum cscg_format {
	CSCG_FORMAT_ROOM,
	CSCG_FORMAT_WALK,
	CSCG_FORMAT_MODEL,
	CSCG_FORMAT_CODEBOOK
};

/*
 * What the next line of in begins, without taking it: 1 with *what set, 0 at a
 * clean end, -1 with err filled (CSCG_EFORMAT if it is none of ours).
 */
int cscg_sniff_next(struct cscg_in *in, enum cscg_format *what,
    struct cscg_err *err);

#endif
