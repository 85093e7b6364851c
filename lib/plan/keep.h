/*
 * keep.h - update of a library by an agent: schemas, memories and noise of its
 * environments
 *
 * The agent of agent_match.h has schemas and memories of a library (library.h)
 * among its models.  While it acts, and when it ends, the library is updated:
 * schemas of rooms that it visited, with their doors as frontiers; new rooms
 * that it learned; a memory of the environment, a grounded model of all its
 * places and doors; and the noise.  An update is one transaction.  Items that
 * the same agent added earlier are replaced when its map is revised.
 */
#ifndef CSCG_KEEP_H
#define CSCG_KEEP_H

#include <stdbool.h>

#include "base/error.h"
#include "core/model_io.h"
#include "plan/agent_match.h"
#include "schema/library.h"
#include "schema/track.h"
#include "world/serve.h"

struct cscg_keep;

/*
 * Open the library in dir.  NULL with err filled as
 * cscg_library_open_writable() does.
 */
struct cscg_keep *cscg_keep_open(const char *dir, struct cscg_err *err);
void cscg_keep_free(struct cscg_keep *k); /* accepts NULL */

/*
 * Append copies of the schemas and memories that an agent in this environment
 * can use to models: schemas with clone structure and memories, with actions
 * of the environment.  *n_skipped is the number of the others.  -1 with err
 * filled (CSCG_ENOMEM).  Call it once; the models of the agent are then those
 * of models.
 */
int cscg_keep_models(struct cscg_keep *k, const struct cscg_env_header *world,
    struct cscg_schemas *models, int *n_skipped, struct cscg_err *err);

/*
 * Set the priors of slip and misread (candidate.h) from the noise in the
 * library.
 */
void cscg_keep_priors(const struct cscg_keep *k,
    struct cscg_track_options *track);

/* Whether enough has changed since the last update. */
bool cscg_keep_is_due(const struct cscg_keep *k,
    const struct cscg_agent *agent);

/*
 * Update the library.  is_last: the agent leaves its environment, so that the
 * next one counts as new.  0, or -1 with err filled.
 */
int cscg_keep_update(struct cscg_keep *k, struct cscg_agent *agent,
    bool is_last, struct cscg_err *err);

#endif
