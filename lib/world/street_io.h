/*
 * street_io.h - street networks as text: roomgen(1)
 */
#ifndef CSCG_STREET_IO_H
#define CSCG_STREET_IO_H

#include "world/street.h"

/*
 * The network that the files of path hold together, in any order; "-" is
 * standard input, and a directory stands for its nodes.txt and links.txt.
 * Each file has lines of one of two kinds:
 *
 *	N,id,latitude,longitude[,degree]	L,id,id
 *	id,yaw,latitude,longitude		id,heading,id
 *
 * Links go both ways; of the second kind each may also be given once each way.
 *
 * Returns NULL with err filled and file and line named: CSCG_EFORMAT for a
 * line of another kind, an id not known or known twice, a link of a point
 * with itself or twice; CSCG_ERANGE for a number out of range; CSCG_EREAD.
 */
struct cscg_streets *cscg_streets_read(char *const *path, int n,
    struct cscg_err *err);

#endif
