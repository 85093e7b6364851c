/* cmd.c - shared by all tools: beginning and end */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "cmd_own.h"
#include "core/model_io.h"

static long
env_number(const char *name)
{
	const char *s = getenv(name);
	long n = s ? strtol(s, NULL, 10) : 0;	/* "4,2": nested; take 4 */

	return n < 0 ? 0 : n > CMD_THREADS_MAX ? CMD_THREADS_MAX : n;
}

static void
default_threads(void)
{
	cpu_set_t set;

	if (!cmd.threads)
		cmd.threads = env_number("OMP_NUM_THREADS");
	if (!cmd.threads)
		cmd.threads = env_number("SLURM_CPUS_PER_TASK");
	if (!cmd.threads && sched_getaffinity(0, sizeof set, &set) == 0)
		cmd.threads = CPU_COUNT(&set);
	if (cmd.threads < 1)
		cmd.threads = 1;
}

static bool
is_dash(const char *path)
{
	return path && !strcmp(path, "-");
}

static void
judge(char **operand, int n)
{
	const struct cmd_info *info = cmd_self.info;
	int i, dashes = 0;

	if (n < info->min)
		cmd_usage("too few operands, wanted: %s", info->operands);
	if (info->max >= 0 && n > info->max)
		cmd_usage("unexpected operand '%s'%s", operand[info->max],
		    info->uses & CMD_USES_WALKS ? "; a walk goes after -w" :
		    "");
	for (i = 0; i < n; i++)
		dashes += is_dash(operand[i]);
	for (i = 0; i < cmd.walks.n; i++)
		dashes += is_dash(cmd.walks.v[i]);
	if (dashes > 1)
		cmd_usage("standard input can be read only once");
	if (is_dash(cmd.stats) && (!cmd.out || is_dash(cmd.out)))
		cmd_usage("--stats: standard output is taken by the result");
}

void
cmd_judge_schemas(char **paths, int dashes)
{
	int i, j;

	for (i = 0; paths[i]; i++) {
		dashes += !strcmp(cscg_schemas_file(paths[i]), "-");
		for (j = 0; j < i; j++)
			if (!strcmp(cscg_schemas_file(paths[i]),
			    cscg_schemas_file(paths[j])))
				cmd_usage("'%s' is given twice",
				    cscg_schemas_file(paths[i]));
	}
	if (dashes > 1)
		cmd_usage("standard input can be read only once");
}

char **
cmd_begin(const struct cmd_info *info, int argc, char **argv, int *n)
{
	int count;

	cmd_guard_fds();
	cmd_catch_signals();
	cmd_self.info = info;
	cmd_find_voice();
	count = cmd_opt_parse(info, argc, argv);
	judge(argv + 1, count);
	default_threads();
	cmd_memory();
	if (n)
		*n = count;
	return argv + 1;
}

int
cmd_end(int rc, struct cscg_err *err)
{
	char *old;
	int status, i;

	cmd_clear_bar();
	if (rc < 0)
		cmd_abort_all();
	else if (cmd_close_all(err) < 0)
		rc = -1;
	status = rc < 0 ? cmd_fail(err) : rc == 0;
	for (i = 0; i <= CMD_ALSO_MAX; i++) {
		old = cmd_tmp[i];
		cmd_tmp[i] = NULL;
		free(old);
	}
	cmd_opt_free();
	/* What became of the result is what became of the job. */
	cscg_ranks_bcast_idle(cmd.ranks, &status, sizeof status);
	cscg_ranks_free(cmd.ranks);
	cmd.ranks = NULL;
	return status;
}
