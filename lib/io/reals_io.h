/*
 * reals_io.h - many numbers in JSON, as bytes in base64
 *
 * Half a million numbers are slow as JSON and need not be.  Each is an IEEE 754
 * number, little-endian, of 4 bytes if narrow and of 8 if not.
 */
#ifndef CSCG_REALS_IO_H
#define CSCG_REALS_IO_H

#include "io/json.h"

/* n numbers as a string, new; NULL if memory is short. */
json_t *cscg_json_new_reals(const double *v, size_t n, bool single,
    struct cscg_err *err);

/* The n numbers of the string under key into out; 0, or -1 with err filled. */
int cscg_json_reals(json_t *obj, const char *key, size_t n, bool single,
    double *out, struct cscg_err *err);

/*
 * Is there a string under key, long enough for n things of dim numbers each?
 * To be asked before room is made for them.
 */
int cscg_json_check_reals(json_t *obj, const char *key, int n, long dim,
    struct cscg_err *err);

#endif
