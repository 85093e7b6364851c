/*
 * cscg-stitch.h - between cscg-stitch.c and cscg-stitch_discover.c
 */
#ifndef CSCG_STITCH_CMD_H
#define CSCG_STITCH_CMD_H

#include "core/model_io.h"
#include "schema/partition.h"

/*
 * Put the schemas that are found in the models of b in their place.  A schema
 * stands for as many blocks as there are rooms of it in a model, or as the
 * operand of the model says with "*N"; those of several models add up.
 */
int stitch_discover(struct cscg_blocks *b, char **operands,
    const struct cscg_partition_options *cut, struct cscg_err *err);

/* Prepend the name of an operand's file; returns -1. */
int stitch_blame(const char *operand, struct cscg_err *err);

#endif
