/*
 * env.h - a live environment as a child process: the agent's side of
 * cscg-env(5)
 *
 * 	env = cscg_env_start(argv, 10, &err);
 * 	while ((rc = cscg_env_observe(env, &obs, &err)) > 0)
 * 		if (!obs.done && (rc = cscg_env_act(env, choose(&obs),
 * 		    &err)) < 0)
 * 			break;
 * 	if (cscg_env_stop(env, &err) < 0)
 * 		rc = -1;
 *
 * Agent and environment alternate strictly.  An environment that dies, exceeds
 * the timeout, writes an invalid line, ends within an episode or writes before
 * it receives an action is at fault.  err describes the error and quotes the
 * line:
 *   CSCG_ECUT      it ended early, by itself or by a signal, or within a line
 *   CSCG_EFORMAT   a timeout, or a line that is invalid, too long or early
 *   CSCG_ERANGE    a symbol, goal or number that its header does not allow
 *   CSCG_EREAD     it cannot be started
 *   CSCG_EIO, CSCG_ENOMEM   the machine
 * After a fault only cscg_env_stop() may be called.  All messages begin with
 * "environment 'COMMAND'".
 *
 * The process must ignore SIGPIPE, as cmd_begin() arranges, and have its
 * descriptors 0 to 2 open.  One thread at a time may use an environment.
 */
#ifndef CSCG_ENV_H
#define CSCG_ENV_H

#include "world/serve.h"
#include "base/error.h"

struct cscg_env;

/*
 * Start argv[0], looked up in PATH, with these arguments and without a shell,
 * and read its header.  The child has its own process group and the standard
 * error of this process.  No line may take longer than timeout seconds (0 or
 * less: no limit).  Call this before any thread is started, since it forks.
 * If the calling process is killed, the child receives SIGTERM.
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
 * filled.  obs->episode is always set, counted from 0.
 */
int cscg_env_observe(struct cscg_env *env, struct cscg_env_obs *obs,
    struct cscg_err *err);

/*
 * Answer an observation that is not the last of its episode: action a, or -1
 * to leave the episode; the next observation is then the first of another
 * episode.  Returns 0, or -1 with err filled; output of the environment that
 * arrived before this call is also a fault.
 */
int cscg_env_act(struct cscg_env *env, int a, struct cscg_err *err);

/*
 * Stop the environment: close the pipe to it, wait for timeout (at most a
 * second after a fault, 10 seconds if there is no timeout), send SIGTERM, wait
 * again (at most a second), then send SIGKILL, each to the whole process
 * group.  No process of the group remains, not even as a zombie.  Always frees
 * env; accepts NULL.
 *
 * Returns 0, or -1 with err filled (CSCG_ECUT) if the environment had to be
 * killed or exited with a status other than 0: files that it writes, such as a
 * log, may then be missing.  After a fault err is left unchanged and 0 is
 * returned, since err already has the cause.
 */
int cscg_env_stop(struct cscg_env *env, struct cscg_err *err);

#endif
