/* cscg-match.h - what the parts of cscg-match share */
#ifndef CSCG_MATCH_CMD_H
#define CSCG_MATCH_CMD_H

#include "err.h"
#include "match_known.h"
#include "model.h"
#include "schemas_io.h"
#include "track.h"

/* The options of --score track. */
struct match_track {
	long beam, calibrate;
	double slip;
	const char *binding;
};

struct cscg_track_set match_track_set(const struct match_track *set);

/* How well schemas know places, if they can be tracked (CSCG_EMISMATCH). */
int match_track_know(const struct match_track *set,
    const struct cscg_schemas *c, struct cscg_known **known,
    struct cscg_err *err);

/* Write m as the tracker has bound it to out, a struct cscg_out. */
int match_track_bound(void *out, const struct cscg_model *m,
    const void *episode, struct cscg_err *err);

#endif
