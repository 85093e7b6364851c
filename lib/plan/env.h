/*
 * env.h - a live environment as a child process: the agent's side of cscg-
 * env(5)
 *
 * 	env = cscg_env_start(argv, 10, &err);
 * 	while ((rc = cscg_env_observe(env, &obs, &err)) > 0)
 * 		if (!obs.done && (rc = cscg_env_act(env, choose(&obs),
 * 		    &err)) < 0)
 * 			break;
 * 	if (cscg_env_stop(env, &err) < 0)
 * 		rc = -1;
 *
 * The two take strict turns.  An environment that dies, is silent for too
 * long, talks nonsense, ends in the middle of an episode or speaks out of turn
 * is a fault, and err says what it did, quoting its line:
 *   CSCG_ECUT      it ended early, by itself or by a signal, or within a line
 *   CSCG_EFORMAT   silence, nonsense, a line too long, a line out of turn
 *   CSCG_ERANGE    a symbol, goal or number that its header does not allow
 *   CSCG_EREAD     it cannot be started
 *   CSCG_EIO, CSCG_ENOMEM   the machine
 * After a fault only cscg_env_stop() may be called.  All messages begin with
 * "environment 'COMMAND'".
 *
 * The process must ignore SIGPIPE, as cmd_begin() makes it, and have its
 * descriptors 0 to 2 open.  One thread at a time may use an environment.
 */
#ifndef CSCG_ENV_H
#define CSCG_ENV_H

#include "world/serve.h"
#include "base/error.h"

struct cscg_env;

/*
 * Start argv[0], looked up in PATH, with these arguments, without a shell, in
 * a process group of its own, its standard error ours, and read its header.
 * No line may take longer than timeout seconds (0 or less: wait for ever).
 * Call it before any thread is started: it forks.  If we are killed the child
 * gets a SIGTERM.
 *
 * Returns NULL with err filled and no child left.
 */
struct cscg_env *cscg_env_start(char *const *argv, double timeout,
    struct cscg_err *err);

/* The header; lives as long as env. */
const struct cscg_env_header *cscg_env_header(const struct cscg_env *env);

/*
 * The next observation: 1 with *obs filled, 0 at the end of the environment,
 * which can only come between two episodes and with exit status 0, -1 with err
 * filled.  obs->episode is always told, counted from 0.
 */
int cscg_env_observe(struct cscg_env *env, struct cscg_env_obs *obs,
    struct cscg_err *err);

/*
 * Answer an observation that was not done: action a, or -1 to leave the
 * episode; the next observation is then the first of another.  0, or -1 with
 * err filled: also if the environment has said more than it was asked, as far
 * as that has arrived.
 */
int cscg_env_act(struct cscg_env *env, int a, struct cscg_err *err);

/*
 * End it: close our side, wait for timeout (at most a second after a fault, 10
 * seconds if there is no timeout), then SIGTERM, wait again (at most a
 * second), then SIGKILL, each to its whole process group; nothing of the group
 * is left and nothing to reap.  Frees env, whatever happens; accepts NULL.
 *
 * Returns 0, or -1 with err filled if it had to be killed or ended by itself
 * with a status other than 0: what it was to write, such as a log, may then be
 * missing (CSCG_ECUT).  After a fault err stays as it is and 0 is returned,
 * since the fault is the reason.
 */
int cscg_env_stop(struct cscg_env *env, struct cscg_err *err);

#endif
